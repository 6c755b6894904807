import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from seps import CrossSparseAggrNet, ScoringEngine, SEPSLoss, align_loss, explain, ratio_loss
from seps.common.checks import (
    check_embeddings,
    check_mask,
    check_positive,
    check_text,
    check_whole,
    read_json,
    read_json_file,
    read_utf8,
    shown,
)
from tests.helpers.models.cases import Case, one_pair

NAN, INF = float("nan"), float("inf")
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"


def corrupt(tensor: torch.Tensor, value: float) -> torch.Tensor:
    tensor = tensor.clone()
    tensor[1, 2, 3] = value
    return tensor


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"cap_embs": torch.randn(4, 6, 12)}, r"cap_embs has 12 channels.*embed_size 16"),
        ({"img_embs": torch.randn(3, 25, 16)}, r"img_embs has 25 tokens.*num_patches 16: 16 tokens, or 17"),
        ({"img_embs": torch.randn(17, 16)}, r"img_embs has 2 dimensions \(17, 16\), but 3 are needed"),
        ({"img_embs": torch.zeros(3, 17, 16, dtype=torch.int64)}, r"img_embs holds torch.int64.*floating-point"),
        ({"img_embs": corrupt(torch.randn(3, 17, 16), NAN)}, r"img_embs holds 1 NaN.*among 816.*\(1, 2, 3\)"),
        ({"dense_cap_embs": corrupt(torch.randn(4, 9, 16), -INF)}, r"dense_cap_embs holds 1 NaN or infinite"),
        ({"cap_lens": [1, 0, 2, 3]}, r"cap_lens\[1\] is 0.*1 to 6 words"),
        ({"dense_cap_lens": torch.tensor([9, 10, 9, 9])}, r"dense_cap_lens\[1\] is 10.*1 to 9 words"),
        ({"cap_lens": torch.tensor([1.0, 2.5, 3.0, 4.0])}, r"cap_lens is \[1.0, 2.5, 3.0, 4.0\], but whole numbers"),
        ({"cap_lens": None}, r"cap_lens is None, but a whole number a caption is needed"),
        ({"img_embs": [[0.0]]}, r"img_embs is a list, but a torch.Tensor is needed"),
        ({"img_embs": torch.zeros(3, 17, 16).double()}, r"img_embs holds torch.float64, but.*torch.float32"),
        ({"img_embs": torch.full((3, 17, 16), 1e16)}, r"img_embs holds a magnitude of 1.0e\+16, but.*at most 1e\+15"),
        ({"cap_lens": [1, 2, 3]}, r"cap_lens has 3 entries, but cap_embs has 4 captions"),
        ({"dense_cap_embs": torch.randn(3, 9, 16), "dense_cap_lens": [1] * 3}, r"has 3 dense.*cap_embs has 4"),
        ({"dense_cap_embs": None}, r"dense_cap_lens has 4 entries, but there are 0 dense captions"),
    ],
)
def test_the_network_and_the_engine_name_both_numbers(changed: dict[str, Any], message: str) -> None:
    model, inputs = Case(images=3, captions=4, dense_words=9).build()
    inputs |= changed
    with pytest.raises(ValueError, match=message):
        model(**inputs)
    engine = ScoringEngine(model)
    images = inputs.pop("img_embs")
    with pytest.raises(ValueError, match=message):
        engine.score(engine.encode_images(images), engine.encode_captions(**inputs))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"img_embs": torch.randn(1, 17, 16)}, r"img_embs has 3 dimensions \(1, 17, 16\), but 2 are needed"),
        ({"words": ["a", "dog"]}, r"words has 2 labels, but the caption has 6 words"),
        ({"grid": (3, 5)}, r"grid is \(3, 5\), but \(H, W\) with H \* W = 16"),
    ],
)
def test_explain_says_so_too(changed: dict[str, Any], message: str) -> None:
    model, inputs = Case(dense_words=9).build()
    inputs["cap_lens"][:], inputs["dense_cap_lens"][:] = 6, 9
    with pytest.raises(ValueError, match=message):
        explain(model, **(one_pair(inputs, 0, 0) | changed))


def test_a_grid_that_is_no_square_must_be_named() -> None:
    model = CrossSparseAggrNet(16, 12).eval()
    image, caption = torch.randn(12, 16), torch.randn(3, 16)
    with pytest.raises(ValueError, match="12 patches make no square grid"):
        explain(model, image, caption)
    record = explain(model, image, caption, grid=(3, 4))
    assert record.on_grid(record.sparse.score).shape == (3, 4)
    assert not record.has_cls  # 12 tokens are 12 patches, although 12 is no square


def network(**options: Any) -> Callable[[], object]:
    return lambda: CrossSparseAggrNet(**options)


def count(number: Any) -> Callable[[], object]:
    return lambda: check_whole("count", number)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (network(embed_size=0), "embed_size is 0, but a whole number of at least 1 is needed"),
        (network(embed_size=16_385), "embed_size is 16385, but it must be at most 16384"),
        (network(num_patches=65_537), "but it must be at most 65536"),
        (network(top_k=INF), "but it must be at most 1024"),
        (network(gumbel_tau=INF), "gumbel_tau is inf, but it must be greater than 0 and finite"),
        (network(beta=0.6), "beta is 0.6, but it must be in [0, 0.5]"),
        *((network(sparse_ratio=x), f"sparse_ratio is {x}, but it must be in (0, 1]") for x in (0.0, 1.01)),
        (network(aggr_ratio=-0.5), "aggr_ratio is -0.5, but it must be in (0, 1]"),
        (lambda: SEPSLoss(target_ratio=1.01), "target_ratio is 1.01"),
        (lambda: ScoringEngine(CrossSparseAggrNet(16, 16), memory_mb=1e300), "memory_mb is 1e+300"),
        *((count(x), f"count is {x!r}, but a whole number of at least 1") for x in (0, 2.5, NAN, True, "3")),
        (count(10**400), "count is 100000000000000000...0000000000000000000"),
        (count(10**5000), "count is a int of thousands of digits"),
        (lambda: check_positive("size", 10**400), "size is 100000000000000000...0000000000000000000"),
        (lambda: check_text("caption", "a \ud800 dog"), r"caption has '\ud800' at position 2 of 7"),
        (lambda: check_text("caption", None), "caption is a NoneType, but a str is needed"),  # type: ignore[arg-type]
        (lambda: align_loss(torch.zeros(2, 3)), "similarity has shape (2, 3)"),
        (lambda: align_loss(torch.zeros(3, 3), img_ids=[0, 1]), "img_ids has shape"),
        (lambda: ratio_loss((torch.ones(1),) * 3), "score_mask has 3 masks"),
        (lambda: check_embeddings("e", torch.empty(2, 3, 4, device="meta"), 4, torch.float32), "on the meta device"),
        (lambda: check_mask("mask", torch.empty(4, dtype=torch.bool, device="meta"), 4), "on the meta device"),
    ],
)
def test_values_out_of_range_are_named(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_what_is_in_range_is_taken_and_long_values_are_shown_in_short() -> None:
    assert (check_whole("count", 3.0), check_whole("count", 0, least=0)) == (3, 0)
    check_text("caption", "caf\u00e9 \U0001f600")
    assert len(shown([["x" * 1000] * 1000] * 1000)) < 10_000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        ("{", "Expecting property name enclosed in double quotes"),
        (b'{"a": "\xe9"}', "byte 7 is not UTF-8"),
        ("1" * 5000, "a number has too many digits"),
        ('{"a":' * 100_000, "it is nested more than 100 levels deep"),
        ("[" * 101 + "]" * 101, "it is nested more than 100 levels deep"),
        (POINTER, "line 3 is a Git LFS pointer, a few lines of text in place of the file: fetch"),
    ],
    ids=["nothing", "cut", "latin-1", "digits", "objects", "101 lists", "pointer"],
)
def test_json_that_cannot_be_read_is_told_in_one_sentence(content: str | bytes, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read_json(content, "line 3")


def test_json_is_read_from_text_bytes_and_files(tmp_path: Path) -> None:
    value = {"a": [1, 2.5, None, True, "\u00e9"]}
    text = '{"a": [1, 2.5, null, true, "\u00e9"]}'
    assert read_json(text, "it") == read_json(text.encode(), "it") == read_json("\ufeff" + text, "it") == value
    assert read_json("[" * 100 + "]" * 100, "it")
    (tmp_path / "one.json").write_text(text, encoding="utf-8-sig")
    assert read_json_file(tmp_path / "one.json") == read_json_file(str(tmp_path / "one.json")) == value
    with pytest.raises(ValueError, match=r"none\.json does not exist"):
        read_json_file(tmp_path / "none.json")
    with pytest.raises(ValueError, match=r"cannot be read \(Is a directory"):
        read_json_file(tmp_path)
    with pytest.raises(ValueError, match=r"^it is a Git LFS pointer, .* with git lfs pull$"):
        read_utf8(POINTER.encode())
