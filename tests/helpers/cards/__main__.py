"""Rebuild every table of figures, in place: `python -m tests.helpers.cards`."""

from pathlib import Path

from tests.helpers.cards.pages import PAGES, ROOT, remade


def main(root: Path = ROOT) -> None:
    """Write the pages with changed figures, and print their names; `root` as for `remade`."""
    for page in PAGES:
        text = remade(page, root)
        if text != (root / page).read_text(encoding="utf-8"):
            (root / page).write_text(text, encoding="utf-8")
            print(f"{page}: updated")


if __name__ == "__main__":
    main()
