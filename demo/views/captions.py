"""Image to captions: a photograph ranks captions, right and wrong ones marked where the truth is known."""

from typing import Any

from demo.record.texts.table import listed, say
from demo.service.ranking import CaptionRanking

LISTED = 30  # captions of a ranking that are sent to the browser


def captions_value(ranking: CaptionRanking) -> dict[str, Any]:
    """Return what the list of captions is drawn from."""
    marks = {True: "right", False: "wrong", None: "typed"}
    rows = [
        {
            "rank": rank,
            "caption": caption,
            "score": score,
            "mark": marks[correct] if ranking.has_truth or correct is None else None,
        }
        for rank, (caption, score, correct) in enumerate(
            zip(ranking.captions, ranking.scores, ranking.correct, strict=True), start=1
        )
    ]
    return {"recall": recall_line(ranking), "rows": rows[:LISTED]}


def recall_line(ranking: CaptionRanking) -> str:
    """Return whether R@1, R@5 and R@10 hit, in words."""
    if not ranking.has_truth:
        return say("captions.no_truth")
    hits = listed((say("captions.hit" if hit else "captions.miss", k=k) for k, hit in ranking.hits().items()), "clause")
    return say("captions.recall", hits=hits, best=1 + ranking.correct.index(True))
