"""A ranking as a table without scripts, in the notebook's colours."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PIL import Image

from demo.galleries.reading.photos import thumbnail
from seps import Ranking
from seps.common.numbers import written
from seps.media.photos import rgb_of

HEIGHT = 64  # CSS pixels of a thumbnail


def ranking_table(
    ranking: Ranking,
    count: int,
    title: str,
    photos: Sequence[Image.Image] | None = None,
    texts: Sequence[str] | None = None,
) -> str:
    """Return a table of the best: rank, optional thumbnail, optional text, S(I, T).

    Raises:
        ValueError: fewer photos or texts than were ranked.
    """
    indices = [int(index) for index in ranking.indices[:count]]
    for name, given in (("photos", photos), ("titles or captions", texts)):
        if given is not None and indices and max(indices) >= len(given):
            raise ValueError(
                f"{len(given)} {name} are given, but position {max(indices)} was ranked: give all of them."
            )
    heads = ["", *(["photo"] if photos is not None else []), "" if texts is None else "what", "index", "S(I, T)"]
    rows = []
    for place, (index, score) in enumerate(zip(indices, ranking.scores[:count].tolist(), strict=True), start=1):
        text = "" if texts is None else texts[index]
        cells = [str(place)]
        cells += [] if photos is None else [picture(photos[index], text or f"photo {index}")]
        cells += [escape(text), str(index), written(score, ".4f")]
        rows.append("<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells) + "</tr>")
    head = "".join(f'<th scope="col" style="text-align:left">{escape(name)}</th>' for name in heads)
    return (
        f'<table><caption style="text-align:left">{escape(title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def picture(photo: Image.Image, text: str) -> str:
    """Return an embedded thumbnail."""
    return f'<img src="{thumbnail(rgb_of(photo))}" alt="{escape(text)}" style="height:{HEIGHT}px;width:auto">'
