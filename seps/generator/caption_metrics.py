"""Similarity of generated and human captions: BLEU-1 to 4, ROUGE-L and CIDEr as MS-COCO counts them, and METEOR."""

import contextlib
import io
import re
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

CLITICS = r"(?=n't\b)|(?='(?:s|m|d|re|ve|ll)\b)"
WORD = re.compile(r"n't\b|[a-z0-9]+(?:[.,/-][a-z0-9]+)*|'(?:s|m|d|re|ve|ll)\b|[#$%&@+=*]")


def coco_words(caption: str) -> str:
    """Return a caption's words as MS-COCO's metrics compare them, with a space between two."""
    return " ".join(WORD.findall(re.sub(CLITICS, " ", caption.lower())))


def caption_metrics(written: Sequence[str], references: Sequence[Sequence[str]], meteor: bool = True) -> dict[str, Any]:
    """Compare captions (n,) with human references (n,), at least 1 each; METEOR only if Java is installed."""
    if not written or len(written) != len(references) or not all(references):
        raise ValueError(f"{len(written)} captions cannot be compared with {len(references)} sets of references.")
    bleu_scorer, rouge_scorer, cider_scorer = coco_metrics()
    results = {i: [coco_words(caption)] for i, caption in enumerate(written)}
    truths = {i: [coco_words(caption) for caption in captions] for i, captions in enumerate(references)}
    with contextlib.redirect_stdout(io.StringIO()):  # the library prints its counts
        bleu, _ = bleu_scorer.compute_score(truths, results)
        rouge, each_rouge = rouge_scorer.compute_score(truths, results)
        cider, each_cider = cider_scorer.compute_score(truths, results)
    metrics = {f"bleu_{n}": 100 * float(value) for n, value in enumerate(bleu, start=1)}
    metrics |= {"rouge_l": 100 * float(rouge), "cider": float(cider)}
    if meteor and shutil.which("java"):
        metrics["meteor"] = 100 * meteor_of(truths, results)
    return metrics | {"each": {"rouge_l": 100 * np.asarray(each_rouge), "cider": np.asarray(each_cider)}}


def coco_metrics() -> tuple[Any, Any, Any]:
    """Make what counts BLEU, ROUGE-L and CIDEr; ValueError where pycocoevalcap is not installed."""
    try:
        from pycocoevalcap.bleu.bleu import Bleu
        from pycocoevalcap.cider.cider import Cider
        from pycocoevalcap.rouge.rouge import Rouge
    except ImportError as error:
        raise ValueError("Captions are compared by pycocoevalcap: pip install pycocoevalcap.") from error
    return Bleu(4), Rouge(), Cider()


def meteor_of(truths: Mapping[int, Sequence[str]], results: Mapping[int, Sequence[str]]) -> float:
    """METEOR, from 0 to 1, by the program in Java, which ends with it."""
    from pycocoevalcap.meteor.meteor import Meteor

    meteor = Meteor()
    try:
        return float(meteor.compute_score(truths, results)[0])
    finally:
        for stream in (meteor.meteor_p.stdin, meteor.meteor_p.stdout, meteor.meteor_p.stderr):
            stream.close()
        meteor.meteor_p.kill()
        meteor.meteor_p.wait()
