import base64
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from seps.data import read_split
from seps.data.inspect import inspect_split, main
from seps.models.config import ModelConfig
from tests.helpers.data.drawn_data import write_lines, write_split
from tests.helpers.models.tiny import tiny_model, tiny_settings

CAPTIONS = (
    "A dog runs .",
    "a dog's snow",
    "a a dog runs dogs",
    "A dog < a wolf",
    "the dog running a snow snow snow snow",
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = write_split(tmp_path, images=3, dense=3)
    lines = (folder / "dev_caps.txt").read_text().splitlines()
    write_lines(folder / "dev_caps.txt", [*lines[:5], *CAPTIONS, *lines[10:]])
    return folder


def test_counts_card_tokens_and_batch(data: Path, bert: Path) -> None:
    sections = inspect_split(read_split(data, "dev"), ModelConfig.from_dict(tiny_settings(bert)), sample=1)
    counts, card, tokens, batch = (dict(section.rows) for section in sections)
    assert counts["words"].startswith("27.7 an image and 5.5 a caption on average; captions of one image share 64%")
    assert counts["dense captions"] == "3, one for each image, in dev_dense.jsonl"
    card_rows = {
        "caption 1": "A dog runs . (3 words, 7 tokens)",  # [CLS] a dog run ##s . [SEP]; "runs" is two pieces
        "dense caption": "a picture 1 (3 words, 5 tokens)",
        "words in every text": "1: a",
        "only in caption 1": "none",
        "only in caption 5": "2: the, running",
    }
    assert card_rows.items() <= card.items()
    assert tokens["captions"] == "shortest 7, median 9, longest 11; 12 of the first 15 are cut at 8"
    batch_rows = {"images": "(2, 3, 160, 160) float32", "captions": "(2, 8) int64", "lengths": "(2,) int64: [7, 8]"}
    batch_rows |= {"dense_captions": "(2, 5) int64", "ids": "(2,) int64: [5, 10]", "img_ids": "(2,) int64: [1, 2]"}
    assert (batch_rows | {"first caption decoded": "[CLS] a dog run ##s . [SEP]"}).items() <= batch.items()


def test_the_program_prints_and_writes_a_page(
    data: Path, bert: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], refusal: Callable[..., str]
) -> None:
    tiny_model(bert).save_pretrained(tmp_path / "model")
    page = tmp_path / "page.html"
    arguments = [str(data), "--split", "dev", "--model", str(tmp_path / "model")]
    main([*arguments, "--sample", "1", "--html", str(page)])
    printed = capsys.readouterr().out
    assert "caption 1             A dog runs . (3 words, 7 tokens)" in printed
    assert max(map(len, printed.splitlines())) <= 120 + len(str(data))
    html = page.read_text(encoding="utf-8")
    assert "<th>caption 4</th><td>A dog &lt; a wolf (4 words," in html
    (picture,) = re.findall(r'src="data:image/jpeg;base64,([^"]+)"', html)
    with Image.open(io.BytesIO(base64.b64decode(picture))) as read:
        assert read.size == (40, 30)

    for more, message in (
        (["--sample", "3"], "error: --sample is 3, but the split has 3 images, counted from 0.\n"),
        (["--html", "/nowhere/page.html"], "error: The folder /nowhere does not exist, so that page.html cannot"),
        (["--model", "some/repo"], "error: --model some/repo is a hub repo: give a shipped model, a folder or one of"),
    ):
        assert message in refusal(main, [*arguments, *more])
