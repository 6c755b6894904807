"""Tables of the guide's page on galleries on disk."""

from tests.helpers.cards.cells import Figures, table

__all__ = ["shortlists", "sizes"]

SHORTLISTS = ("50", "100", "200")


def sizes(results: Figures) -> str:
    """Resources of a gallery, a row per size."""
    rows = [
        [
            f"{size['photographs']:,}",
            f"{size['table']['write_seconds'] + size['table']['tidy_seconds']:,.0f} s",
            f"{size['table']['bytes'] / 1e6:,.0f} MB",
            f"{size['exact']['p50_ms']:,.0f} ms",
            f"{size['fresh']['first_answer_seconds']:.1f} s",
            f"{size['fresh']['resident_bytes'] / 1e6:,.0f} MB",
        ]
        for size in results["sizes"]
    ]
    heads = ["photographs", "writing", "table", "exact scores of all", "first answer of a fresh process", "its memory"]
    return table(heads, rows)


def shortlists(results: Figures) -> str:
    """Time and yield of shortlists in the largest gallery, a row per length."""
    size = max(results["sizes"], key=lambda size: size["photographs"])
    rows = [
        [f"{row['shortlist']:,}", f"{row['top']:.3f}", f"{row['p50_ms']:.0f} / {row['p95_ms']:.0f} ms"]
        for row in size["two_stages"]
    ]
    return table([f"shortlist of {size['photographs']:,}", "of the exact top 10", "time, p50 / p95"], rows)
