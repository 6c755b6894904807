"""What the README and the guide say is so: samples run as they stand, figures are measured, names lead somewhere."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import seps
from seps.models.export.__main__ import main as export_main
from tests.helpers.readme_gif import CAPTION, Film, gif

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
GUIDE = {page.stem: page.read_text() for page in sorted((ROOT / "assets" / "guide").glob("*.md"))}
TEXT = "\n".join([README, *GUIDE.values()])
PAGES = ["README.md", "CONTRIBUTING.md", *(f"assets/guide/{page}.md" for page in GUIDE)]
SAMPLES = dict(re.findall(r"<!-- (\w+) -->\n```python\n(.*?)```", TEXT, re.DOTALL))
MAX_WORDS = 1250


def expanded(name: str) -> list[str]:
    """The names that one with a choice in braces stands for: "a/{b,c}.py" for a/b.py and a/c.py."""
    head, _, rest = name.partition("{")
    choice, _, tail = rest.partition("}")
    return [head + part + tail for part in choice.split(",")]


def run(name: str) -> dict[str, Any]:
    """What a sample leaves behind."""
    scope: dict[str, Any] = {}
    exec(compile(SAMPLES[name], "README.md", "exec"), scope)
    return scope


def test_every_sample_is_run_here() -> None:
    assert TEXT.count("```python") == len(SAMPLES)
    assert set(SAMPLES) == {"quickstart", "example", "onnx"}
    assert README.count("```python") == 1


def test_the_readme_calls_onnx_graphs_as_the_sample_does() -> None:
    """The three lines on ONNX Runtime are of the guide's page, whose sample is run."""
    lines = README.partition("ONNX Runtime needs no PyTorch")[2].split("```\n")[1].splitlines()
    assert len(lines) == 3 and lines[0] in GUIDE["library"]
    assert lines[2].endswith(re.findall(r"pair\.run\(.*\)", SAMPLES["onnx"])[0])


@pytest.mark.slow
def test_the_onnx_sample_scores_as_the_model_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (command,) = re.findall(r"`python -m seps\.models\.export (scenes --onnx scenes-onnx)`", GUIDE["library"])
    monkeypatch.chdir(tmp_path)
    with Image.open(ROOT / "assets" / "galleries" / "scenes" / "000.png") as picture:
        picture.save("picture.png")
        export_main(command.split())
        scope = run("onnx")
        record = seps.load_model("scenes").explain(picture, "a red car on the left")
    assert abs(scope["score"] - record.similarity) < 1e-5
    np.testing.assert_array_equal(scope["kept"], record.sparse.kept)
    row = next(line for line in GUIDE["library"].splitlines() if line.startswith("| `scenes` |"))
    sizes = {file.stem: file.stat().st_size / 1e6 for file in Path("scenes-onnx").glob("*.onnx")}
    others = sum(sizes[name] for name in ("features", "rank", "pair", "forced"))
    columns = [sizes["image"], sizes["text"], sizes["text"], others]
    assert [cell.strip() for cell in row.split("|")[2:-1]] == [f"{size:.1f}" for size in columns]


def test_the_readme_is_short_and_leads_to_every_page_of_the_guide() -> None:
    body = README.split("---\n", 2)[2]
    assert len(re.findall(r"\S*[A-Za-z0-9]\S*", body)) <= MAX_WORDS
    assert set(GUIDE) == {
        "use",
        "teach",
        "library",
        "names",
        "losses",
        "train",
        "judge",
        "generate",
        "host",
        "static",
        "results",
        "scale",
        "assistants",
        "figures",
    }
    for page in GUIDE:
        assert f"](assets/guide/{page}.md)" in README, page


def test_the_example_scores_explains_and_adds_up(capsys: pytest.CaptureFixture[str]) -> None:
    record = run("example")["record"]
    assert abs(sum(record.terms.values()) - record.similarity) < 1e-6
    assert str(record.similarity) in capsys.readouterr().out
    statements = [line for line in SAMPLES["example"].splitlines() if line and not line.startswith(("import", "from"))]
    assert len(statements) <= 10


def test_the_first_sample_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    scope = run("quickstart")
    stated = np.array([float(number) for number in re.findall(r"\d\.\d{4}", SAMPLES["quickstart"])]).reshape(2, 2)
    scores = scope["engine"].score(
        scope["images"], scope["engine"].encode_captions(*scope["model"].encode_captions(scope["captions"]))
    )
    np.testing.assert_allclose(scores, stated, atol=2e-3)
    assert scores.argmax(dim=0).tolist() == scores.argmax(dim=1).tolist() == [0, 1]
    assert scope["record"].on_grid(scope["record"].sparse.kept).shape == (14, 14)
    assert sum(scope["record"].terms.values()) == pytest.approx(float(scores[0, 0]), abs=1e-4)
    assert "[0 0 0" in capsys.readouterr().out


def test_the_chinese_readme_has_the_same_links_numbers_and_samples() -> None:
    english, chinese = README.split("---\n", 2)[2], (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")

    def links(text: str) -> list[str]:
        return sorted(link for link in re.findall(r"\]\(([^)]+)\)", text) if not link.startswith("README"))

    def numbers(text: str) -> list[str]:
        return sorted(re.findall(r"\d[\d,.]*\d|\d", text))

    assert links(chinese) == links(english)
    assert numbers(chinese) == numbers(english)
    samples = re.findall(r"```(?:python|bibtex)\n.*?```", english, re.DOTALL)
    assert len(samples) == 2 and all(sample in chinese for sample in samples)
    assert "](README.zh-CN.md)" in english and "](README.md)" in chinese


def test_the_speed_is_that_of_the_bench() -> None:
    bench, text = (ROOT / "tests" / "bench" / "README.md").read_text(), " ".join(GUIDE["results"].split())
    start = next(i for i, line in enumerate(bench.splitlines()) if line.startswith("| 64 images x 100 captions"))
    released, paper = (line.split(" | ")[3] for line in bench.splitlines()[start : start + 2])
    assert f"{released} times (released variant) and {paper} times (paper variant)" in text


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_is_named_exists(page: str) -> None:
    text, folder = (ROOT / page).read_text(), (ROOT / page).parent
    named = re.findall(r"`((?:seps|demo|assets|tests)/[\w/.{},-]+|[a-z]+\.(?:py|md|json))`", text)
    names = [path for name in named for path in expanded(name)]
    links = re.findall(r"\]\((?!http|#)([^)]+)\)", text)
    if folder == ROOT:
        assert len(names) >= 8
        assert len(links) >= 3
    generated = {
        "README.md",
        "recipe.json",
        "config.json",
        "judge.json",
        "generator.json",
        "results.json",
        "metrics.csv",
        "id_mapping.json",
        "gpu.json",
    }
    for name in set(names) - generated:
        assert (ROOT / name.replace("/NAME", "/photos")).exists(), name
    for link in links:
        assert (folder / link).is_file() or (folder / link).is_dir(), link
    commands = re.findall(r"python -m ([a-z_.]+)", text)
    for command in commands:
        module = ROOT / command.rstrip(".").replace(".", "/")
        assert module.with_suffix(".py").is_file() or module.is_dir(), command


def test_the_tree_names_rooms() -> None:
    rooms = re.findall(r"(?:^|  )((?:seps|demo|assets|tests)/(?:[a-z_]+/)?) ", README, re.MULTILINE)
    assert len(rooms) >= 14
    for room in rooms:
        assert (ROOT / room).is_dir(), room
    assert not re.search(r"^[A-Z_]+$", README, re.MULTILINE), "a placeholder is left"


def test_the_readme_names_every_file_of_generate() -> None:
    (row,) = [line for line in README.splitlines() if line.startswith("| the screen Generate |")]
    named = {path for name in re.findall(r"`([^`]+)`", row) for path in expanded(name)}
    stems = ("generate", "generating", "drawings", "test_generate")
    folders = (ROOT / name for name in ("demo", "tests/demo", "assets/css", "assets/js"))
    places = [path for folder in folders for path in folder.rglob("*") if path.stem in stems and path.suffix != ".js"]
    places += [ROOT / name / "generator" for name in ("seps", "tests/seps", "assets/models")]
    assert len(places) == 12
    places += (ROOT / "tests").glob("**/*generated.py")
    places += (ROOT / "tests" / f"test_{name}_model.py" for name in ("generator", "captioner"))
    places += [ROOT / "assets" / "opening" / "drawing.safetensors", ROOT / "assets" / "models" / "captioner"]
    import_of_it = re.compile(r"from demo\.(?:screens\.generate|service\.generating|screens import generate)\b")
    rooms = ("demo/screens/generate/", "demo/service/generating/")
    for file in (ROOT / "demo").rglob("*.py"):
        if not file.relative_to(ROOT).as_posix().startswith(rooms) and import_of_it.search(file.read_text()):
            places.append(file)
    assert len(places) == 26
    for place in places:
        path = str(place.relative_to(ROOT))
        assert named & {path, f"{path}/"}, path


def test_the_readme_leads_to_where_learning_rates_are_computed_and_set() -> None:
    starts = {"judge": "the judge's learning rate", "training": "that of retrieval", "generator": "the generator's"}
    for trainer, start in starts.items():
        (row,) = [line for line in README.splitlines() if line.startswith(f"| {start} |")]
        assert f"`seps/{trainer}/loop.py`" in row and f"`seps/{trainer}/settings.py`" in row
        loop, settings = ((ROOT / "seps" / trainer / file).read_text() for file in ("loop.py", "settings.py"))
        assert ".rate_factor(" in loop
        _, _, factor = settings.partition("def rate_factor")
        curves = re.findall(r"`(\w+)`", row.partition("settings.py`")[2].partition(")")[0])
        assert curves and all(f"{curve}(" in factor for curve in curves)
        for function in set(re.findall(r"`(\w+)` in `seps/\w+/loop.py`", row)):
            assert f"def {function}(" in loop


def test_the_readme_leads_to_the_files_that_say_which_value_gets_which_colour() -> None:
    (row,) = [line for line in README.splitlines() if line.startswith("| colours of heatmaps and masks |")]
    named = set(re.findall(r"`([^`]+)`", row))
    docstring = (ROOT / "demo" / "drawing" / "palette.py").read_text().split('"""')[1]
    paths = set(re.findall(r"`((?:demo|assets)/[^`]+)`", docstring))
    assert {name for name in named if "/" in name} <= paths | {"demo/drawing/palette.py"}
    assert {"demo/drawing/layered.py", "demo/record/layers.py", "assets/js/picture/layer.js"} <= named
    assert "\ndef ends(" in (ROOT / "demo" / "record" / "layers.py").read_text()


def test_contributing_says_what_a_model_s_folder_holds_and_where_recipes_lie() -> None:
    configs = set(re.findall(r"`((?:config|judge|generator)\.json)`", CONTRIBUTING.partition("## Models")[2]))
    assert configs == {"config.json", "judge.json", "generator.json"}
    folders = [folder for folder in (ROOT / "assets" / "models").iterdir() if folder.is_dir()]
    assert len(folders) == 5
    for folder in folders:
        files = {file.name for file in folder.iterdir()}
        assert len(files & configs) == 1 and {"README.md", "recipe.json"} <= files, folder.name
        assert any(file.suffix == ".safetensors" for file in folder.iterdir()), folder.name
    for trainer in ("training", "judge", "generator"):
        settings = f"seps/{trainer}/settings.py"
        (place,) = re.findall(r'^RECIPES = "(.+?)"', (ROOT / settings).read_text(), re.MULTILINE)
        assert f"`seps/{place}/`" in CONTRIBUTING and f"`{settings}`" in CONTRIBUTING


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("demo/galleries/named.py", "NAMES"),
        ("seps/models/export/graphs.py", "class Pair"),
        ("assets/js/engine/record.js", "function sideOf"),
        ("demo/service/retrieval.py", "class RetrievalService"),
        ("demo/service/registry.py", "class ModelRegistry"),
        ("seps/method/network.py", "def match"),
        ("seps/method/aggregation.py", "Equation (4)"),
        ("seps/encoders/sources.py", "PACKAGE_FOLDERS"),
    ],
)
def test_names_stand_where_it_says(file: str, name: str) -> None:
    assert file in TEXT + CONTRIBUTING
    assert name in (ROOT / file).read_text()


def test_the_film_is_small_and_short() -> None:
    address, _ = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README)
    assert address == "assets/readme/app.gif"
    assert (ROOT / address).stat().st_size <= 2_000_000
    with Image.open(ROOT / address) as film:
        assert film.format == "GIF"
        assert film.width == 900
        assert film.info["loop"] == 0
        seconds = 0.0
        for frame in range(getattr(film, "n_frames", 1)):
            film.seek(frame)
            seconds += film.info["duration"] / 1000
        assert frame >= 15
        assert 8 <= seconds <= 15


def test_the_picture_of_the_architecture_names_files_and_tells_itself() -> None:
    _, address = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README)
    root = ElementTree.parse(ROOT / address).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findtext(f"{space}title", "")) > 20
    assert len(root.findtext(f"{space}desc", "")) > 100
    assert "prefers-color-scheme: dark" in root.findtext(f"{space}style", "")
    files = [
        name
        for text in root.iter(f"{space}text")
        if text.get("class") == "file"
        for name in (text.text or "").split(", ")
    ]
    assert len(files) >= 8
    for name in files:
        assert any((folder / name).exists() for folder in (ROOT, ROOT / "seps" / "method")), name


class Screen:
    """A page that shows one colour after the other."""

    def __init__(self, *colours: str) -> None:
        self.colours = iter(colours)

    def screenshot(self) -> bytes:
        stream = BytesIO()
        Image.new("RGB", (20, 10), next(self.colours)).save(stream, "PNG")
        return stream.getvalue()


def test_filming_keeps_every_picture_for_its_time() -> None:
    film = Film(Screen("red", "red", "blue"))  # type: ignore[arg-type]
    for duration in (100, 200, 500):
        film.take(duration)
    assert film.durations == [300, 500]
    with Image.open(BytesIO(gif(film.frames, film.durations))) as read:
        assert read.size == (20, 10)
        shown = []
        for frame in range(2):
            read.seek(frame)
            shown.append((read.info["duration"], read.convert("RGB").getpixel((5, 5))))
    assert shown == [(300, (255, 0, 0)), (500, (0, 0, 255))]
    assert 5 <= len(CAPTION.split()) <= 15
