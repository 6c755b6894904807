import json
from pathlib import Path

import pytest
from PIL import Image
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider

from seps import shipped_file
from seps.data import read_split
from seps.encoders.tokenizer import Tokenizer
from seps.generator import ImageTextGenerator, load_generator
from seps.generator.caption_metrics import coco_words
from seps.generator.evaluation.photo_captions import AGREEMENTS, WEIGHTS
from seps.generator.model.captioner import Decoding
from seps.generator.program import main
from seps.generator.ranking import AGREEMENT, BEAMS, RANKER, WEIGHT
from seps.models.config import ModelConfig
from seps.models.shipped import shipped_models
from tests.helpers.data.captioned import write_photo_split

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "models" / "captioner"


@pytest.fixture(scope="module")
def captioner() -> ImageTextGenerator:
    return load_generator("photos", "cpu")


def test_seps_reads_every_word_that_it_writes(captioner: ImageTextGenerator) -> None:
    photo = Image.open(shipped_file("galleries/photos/china.jpg"))
    best, *others = captioner.write([photo], Decoding(beams=3))[0]
    assert all(best.score >= other.score for other in others)
    assert best.attention.shape == (len(best.words), 7, 7)
    ranker = Tokenizer.from_config(ModelConfig.from_json(shipped_models()[RANKER] / "config.json").text)
    assert set(best.words) <= set(ranker.labels(ranker.encode(best.text, 64)))
    triples = list(zip(best.words, best.words[1:], best.words[2:], strict=False))
    assert len(set(triples)) == len(triples) > 0


@pytest.mark.slow
def test_one_command_gives_the_card_s_rows_from_the_weights_as_shipped(
    captioner: ImageTextGenerator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its figures match the library's captions, counted by pycocoevalcap."""
    monkeypatch.setattr("seps.generator.caption_metrics.shutil.which", lambda name: None)  # Java takes long
    data, target = write_photo_split(tmp_path / "data", "dev"), tmp_path / "result.json"
    arguments = ["evaluate", "--model", "photos", "--data", str(data), "--split", "dev", "--json", str(target)]
    assert main(arguments) == 0
    result, split = json.loads(target.read_text()), read_split(data, "dev", 3)
    assert result.keys() == json.loads((FOLDER / "results-dev.json").read_text()).keys()
    truths = {i: [coco_words(text) for text in split.captions[3 * i : 3 * i + 3]] for i in range(3)}
    for way, how in (("greedy", Decoding("greedy")), ("beam", Decoding())):
        written = captioner.batch_image_to_text(split.image_files, how)
        captions = {i: [coco_words(text)] for i, text in enumerate(written)}
        bleu, _ = Bleu(4).compute_score(truths, captions, verbose=0)
        cider, _ = Cider().compute_score(truths, captions)
        assert [result[way][f"bleu_{n}"] for n in (1, 2, 3, 4)] == pytest.approx([100 * b for b in bleu], abs=1e-3)
        assert result[way]["cider"] == pytest.approx(cider, abs=1e-3)
        assert result[way]["distinct"] == len(set(written)) / 3


def test_the_choice_among_captions_is_one_that_was_measured() -> None:
    assert WEIGHT in WEIGHTS and AGREEMENT in AGREEMENTS
    for split in ("mllm", "dev"):
        reranked = json.loads((FOLDER / f"results-{split}.json").read_text())["reranked"]
        chosen = (reranked["ranker"], reranked["beams"], reranked["agreement"], reranked["weight"])
        assert chosen == (RANKER, BEAMS, AGREEMENT, WEIGHT)
