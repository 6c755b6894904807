import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
import torch
from PIL import Image
from torch import Tensor

import seps.evaluation.retrieval
from seps import CrossSparseAggrNet, RetrievalMetrics, retrieval_metrics
from seps.data import Split, dense_captions, read_split
from seps.evaluation import results
from seps.evaluation.cli import first_images
from seps.evaluation.harness import main
from seps.evaluation.results import coco_folds
from seps.evaluation.retrieval import evaluate, query_dense
from seps.models.model import SEPSModel
from tests.helpers.data.drawn_data import write_lines, write_split
from tests.helpers.models.tiny import tiny_model

# Two captions an image; each is one word; its cosines with the images are these numbers at unit length.
CAPTIONS = {
    "red one": (3.0, 1.0, 2.0),
    "red two": (1.0, 3.0, 9.0),
    "green one": (0.0, 2.0, 1.0),
    "green two": (4.0, 3.0, 0.0),
    "blue one": (0.0, 4.0, 3.0),
    "blue two": (1.0, 1.0, 1.0),
}
COLOURS = {"red": (1.0, 0.0, 0.0), "green": (0.0, 1.0, 0.0), "blue": (0.0, 0.0, 1.0)}
WORDS = [
    f"{first} {second}" for first in ("a dog", "snow", "dogs running") for second in ("a", "snow.", "run", "dogs", "")
]


class HandMade:
    """A model with the photographs' colours as image embeddings, and the numbers above as captions': S is 5/3 of the
    cosine of word and image, since the released network's third token, the extra one, is empty."""

    def __init__(self) -> None:
        self.cross_net = CrossSparseAggrNet(embed_size=3, num_patches=4, sparse_ratio=1.0, aggr_ratio=0.5).eval()
        self.device = torch.device("cpu")
        self.encoded: list[str] = []

    def encode_photos(self, photos: Sequence[Image.Image]) -> Tensor:
        colours = [torch.tensor(photo.convert("RGB").getpixel((0, 0))) / 255 for photo in photos]
        return torch.stack(colours)[:, None].expand(-1, 4, -1)

    def encode_captions(self, captions: Sequence[str], dense: bool = False) -> tuple[Tensor, Tensor]:
        self.encoded += captions
        words = torch.tensor([(COLOURS if dense else CAPTIONS)[caption] for caption in captions])
        return torch.stack([words, torch.full_like(words, 7.0)], dim=1), torch.ones(len(captions), dtype=torch.int64)


def hand_made_split(folder: Path) -> Split:
    files = tuple(folder / f"{colour}.png" for colour in COLOURS)
    for file in files:
        Image.new("RGB", (5, 4), {"green": "lime"}.get(file.stem, file.stem)).save(file)
    return Split("drawn", folder, tuple(COLOURS), files, tuple(CAPTIONS), 2, tuple(COLOURS))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three drawn photographs, five captions and a dense one each."""
    folder = write_split(tmp_path_factory.mktemp("data"), dense=3)
    write_lines(folder / "dev_caps.txt", WORDS)
    dense = ["a dog runs. snow. a dog", "snow snow snow a a running", "dogs dogs dogs . . ."]
    write_lines(folder / "dev_dense.jsonl", [json.dumps({"text": text}) for text in dense])
    return folder


@pytest.mark.parametrize(
    ("protocol", "key", "image_to_text", "text_to_image"),
    [
        # Captions alone. Of red two's cosines 0.94 is blue's, which puts it before blue's own best, 0.6.
        ("none", "captions_only", [1, 1, 2], [1, 3, 1, 2, 2, 3]),
        # Its dense caption adds 1 to each caption's own image.
        ("own", "own_dense", [1, 1, 1], [1, 1, 1, 1, 1, 1]),
        # One of the next image adds 1 to that.
        ("other", "other_dense", [3, 3, 4], [2, 3, 2, 3, 3, 3]),
    ],
)
def test_a_hand_made_model_gives_hand_computed_recalls(
    tmp_path: Path, protocol: str, key: str, image_to_text: list[int], text_to_image: list[int]
) -> None:
    result = evaluate(cast(SEPSModel, HandMade()), hand_made_split(tmp_path), protocol, name="by hand")
    for recall, ranks in ((result.metrics.image_to_text, image_to_text), (result.metrics.text_to_image, text_to_image)):
        assert recall.r1 == pytest.approx(100 * ranks.count(1) / len(ranks))
        assert (recall.r5, recall.r10) == (100, 100)
        assert recall.mean_rank == pytest.approx(sum(ranks) / len(ranks))
    assert result.metrics.rsum == pytest.approx({"none": 500, "own": 600, "other": 400}[protocol])
    assert (result.protocol, result.model, result.split) == (key, "by hand", "drawn")
    assert (result.images, result.captions) == (3, 6)
    assert result.dense_source == (None if protocol == "none" else "written")
    assert result.coco is None


def spy(monkeypatch: pytest.MonkeyPatch) -> list[Tensor]:
    """The matrices that metrics were made of."""
    matrices: list[Tensor] = []

    def metrics(similarity: Tensor, captions_per_image: int) -> RetrievalMetrics:
        matrices.append(similarity)
        return retrieval_metrics(similarity, captions_per_image)

    monkeypatch.setattr(seps.evaluation.retrieval, "retrieval_metrics", metrics)
    return matrices


def test_every_protocol_is_the_forward_pass(bert: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seps.evaluation.retrieval, "CAPTION_BATCH_SIZE", 4)
    matrices, model, split = spy(monkeypatch), tiny_model(bert), read_split(data, "dev")
    split = replace(split, dense=None)
    images = model.encode_photos([Image.open(file) for file in split.image_files])
    captions = model.encode_captions(split.captions)
    model.train()
    for protocol in ("none", "own", "other"):
        result = evaluate(model, split, protocol)
        texts = dense_captions(split, protocol)
        inputs = [] if texts is None else list(model.encode_captions(texts, dense=True))
        with torch.no_grad():
            expected = cast(Tensor, model.cross_net.eval()(images, *captions, *inputs))
        torch.testing.assert_close(matrices[-1], expected, atol=1e-5, rtol=0)
        assert result.metrics == retrieval_metrics(matrices[-1], 5)
        assert result.dense_source == (None if protocol == "none" else "joined")
        model.cross_net.train()
    assert all(module.training for module in model.modules())
    none, with_own, other = matrices
    pairs = ((none, with_own), (none, other), (with_own, other))
    assert min(float((first - second).abs().max()) for first, second in pairs) > 1e-4


def test_five_folds_of_the_first_images(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (results.FOLDS, results.FOLD_IMAGES) == (5, 1000)
    monkeypatch.setattr(results, "FOLD_IMAGES", 20)
    # Diagonal, except fold 1 with identical images, and image 99, which some image of fold 0 beats.
    similarity = torch.eye(101)
    similarity[20:40, 20:40] = 0.5
    similarity[0, 99] = 2.0
    folds = coco_folds(similarity, 1)
    assert folds is not None
    assert [fold.rsum for fold in folds.folds] == [600, 0, 600, 600, 600]
    assert folds.mean.rsum == pytest.approx(480)
    assert folds.mean.text_to_image.mean_rank == pytest.approx((4 * 1 + 20) / 5)
    # Fold 1's images and captions miss; so do image 0, for caption 99's sake, and caption 99.
    assert folds.whole.image_to_text.r1 == pytest.approx(79)
    assert folds.whole.text_to_image.r1 == pytest.approx(79)
    assert folds.whole.image_to_text.r5 == pytest.approx(80)
    assert coco_folds(torch.eye(99), 1) is None


def test_folds_stand_in_the_record_and_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "FOLDS", 3)
    monkeypatch.setattr(results, "FOLD_IMAGES", 1)
    result = evaluate(cast(SEPSModel, HandMade()), hand_made_split(tmp_path))
    values = result.as_dict()
    assert [fold["rsum"] for fold in values["coco"]["1k_folds"]] == [600, 600, 600]
    assert (values["coco"]["1k"]["rsum"], values["coco"]["5k"]["rsum"]) == pytest.approx((600, 500))
    totals = [line.split()[-1] for line in result.table().splitlines()[2:-2:3]]
    assert totals == ["500.0", "600.0", "600.0", "600.0", "600.0", "500.0"]


def options(saved: Path, data: Path, *more: str) -> list[str]:
    return ["--model", str(saved), "--data", str(data), "--split", "dev", "--device", "cpu", *more]


def test_the_program_prints_a_table_and_merges_its_file(
    saved: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "results.json"
    file.write_text('{"grounding": {"phrases": 3}, "own_dense": {"rsum": -1}}')
    main(options(saved, data, "--dense", "none", "own", "other", "authors", "--json", str(file)))
    written = json.loads(file.read_text())
    assert list(written) == ["grounding", "own_dense", "captions_only", "other_dense", "authors_protocol"]
    assert written["grounding"] == {"phrases": 3}
    printed = capsys.readouterr().out
    for key in ("captions_only", "own_dense", "other_dense"):
        result = written[key]
        assert {"split": "dev", "images": 3, "captions": 15, "model": str(saved)}.items() <= result.items()
        ways = [result[way] for way in ("image_to_text", "text_to_image")]
        assert result["rsum"] == pytest.approx(sum(way[name] for way in ways for name in ("r1", "r5", "r10")))
        assert all(1 <= way["median_rank"] <= 15 for way in ways)
        assert min(result["encoding_seconds"], result["scoring_seconds"]) > 0
        assert 10 < result["peak_memory_mb"] < 100_000
        assert f"{result['rsum']:13.1f}" in printed
    assert written["captions_only"]["text_to_image"] != written["own_dense"]["text_to_image"]
    assert written["authors_protocol"]["rsum"] == written["own_dense"]["rsum"]
    for title in ("captions only", "own dense captions", "dense captions of other images"):
        assert f"{saved} on dev: {title}\n" in printed


def test_the_authors_protocol_has_an_image_s_dense_caption_for_each_query(data: Path) -> None:
    split = read_split(data, "dev")
    assert split.dense is not None
    assert query_dense(split, "authors") == [text for text in split.dense for _ in range(5)]
    with pytest.raises(ValueError, match="Split dev has 15 dense captions for 3 images"):
        query_dense(replace(split, dense=split.captions), "authors")
    with pytest.raises(ValueError, match=r"has no dense captions, neither dev_dense\.jsonl nor"):
        query_dense(replace(split, dense=None), "authors")


def test_captions_are_cut_where_max_words_says(
    bert: Path, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    matrices, model, split = spy(monkeypatch), tiny_model(bert), read_split(data, "dev")
    whole, cut = evaluate(model, split), evaluate(model, split, max_words=4)
    assert model.config.text.max_words == 8  # as before
    assert not torch.allclose(matrices[0], matrices[1])
    assert "max_words" not in whole.as_dict()
    assert cut.as_dict()["max_words"] == 4
    assert "captions only, captions cut at 4 tokens\n" in cut.table()
    model.config = replace(model.config, text=replace(model.config.text, max_words=4))
    evaluate(model, split)
    assert torch.equal(matrices[2], matrices[1])
    with pytest.raises(ValueError, match="Captions may have 513 tokens, but folder"):
        evaluate(model, split, max_words=513)
    with pytest.raises(ValueError, match=r"text\.max_words is 1"):
        evaluate(model, split, max_words=1)


def test_the_first_images_alone(data: Path) -> None:
    split = read_split(data, "dev")
    two = first_images(split, 2)
    assert (two.image_ids, two.image_files) == (split.image_ids[:2], split.image_files[:2])
    assert (two.captions, two.dense) == (split.captions[:10], (split.dense or ())[:2])
    assert first_images(replace(split, dense=split.captions), 2).dense == split.captions[:10]
    assert first_images(split, 9) == first_images(split, None) == split


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--split", "val"], "which has dev: 2 problems. Missing (2): val_caps.txt; val_ids.txt"),
        (["--save-similarity", "F.txt"], "F.txt is a NumPy file, so its name must end in .npy."),
        (["--save-similarity", "F.npy", "--dense", "none", "own"], "one matrix, but --dense names 2 protocols"),
        (["--first", "0"], "error: --first is 0, but a whole number of at least 1 is needed."),
        (["--first", "1", "--dense", "other"], "split dev has 1 image, but protocol 'other' needs at least 2"),
        (["--json", "LIST"], "holds a JSON list, not results: choose another file for them."),
    ],
)
def test_errors_are_one_line(
    saved: Path, data: Path, tmp_path: Path, refusal: Callable[..., str], arguments: list[str], message: str
) -> None:
    (tmp_path / "LIST").write_text("[1]")
    arguments = [str(tmp_path / name) if name == "LIST" else name for name in arguments]
    err = refusal(main, options(saved, data, *arguments))
    assert err.count("\n") == 1 and message in err
