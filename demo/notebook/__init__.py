"""Views in a notebook or in a single-file page, used by `seps.show` and `seps.compare`."""

from demo.notebook.views import compare, show

__all__ = ["compare", "show"]
