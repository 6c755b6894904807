"""Views outside the app: in a notebook, or in a page that is one file. `seps.show` and `seps.compare` look here."""

from demo.notebook.views import compare, show

__all__ = ["compare", "show"]
