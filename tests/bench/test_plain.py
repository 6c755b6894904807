"""The yardstick of the benchmark is the model's own function."""

from __future__ import annotations

import pytest
import torch

from tests.bench.plain import plain_similarity
from tests.helpers.cases import Case


@pytest.mark.parametrize("paper", [False, True])
@pytest.mark.parametrize("dense_words", [0, 9])
@pytest.mark.parametrize("has_cls", [False, True])
def test_the_plain_loop_equals_the_module(paper: bool, dense_words: int, has_cls: bool) -> None:
    case = Case(images=5, captions=7, side=7, channels=32, paper=paper, dense_words=dense_words, has_cls=has_cls)
    model, inputs = case.build()
    with torch.no_grad():
        expected = model(**inputs)
    for dtype in (torch.float32, torch.float64):
        plain = plain_similarity(model, **inputs, score_dtype=dtype)
        torch.testing.assert_close(plain, expected, atol=1e-5, rtol=0)
