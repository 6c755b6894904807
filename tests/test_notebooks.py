"""The notebooks run from top to bottom, and are stored with their outputs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "assets" / "notebooks"
NAMES = ("own_model", "tour")
MOST = 400_000  # bytes of a view
SLOWEST = 900  # seconds of a cell, where other tests keep the machine busy


def cells(name: str) -> list[dict[str, Any]]:
    return list(json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"])


def views(outputs: list[Any]) -> list[str]:
    """The HTML outputs of cells."""
    return ["".join(output["data"]["text/html"]) for output in outputs if "text/html" in output.get("data", {})]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_kept_with_what_it_shows(name: str) -> None:
    code = [cell for cell in cells(name) if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))  # in one run, top to bottom
    outputs = [output for cell in code for output in cell["outputs"]]
    assert not [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"]
    shown = views(outputs)
    assert shown and max(map(len, shown)) <= MOST
    assert all("<img" in view for view in shown)  # which a code host shows that lets no script run
    texts = json.dumps([output.get("text", output.get("data", {}).get("text/plain")) for output in outputs])
    assert not re.search(r"(?<![\w.])/(?:tmp|home|root|work|Users)/", texts)


def test_the_tour_has_fifteen_cells() -> None:
    assert len(cells("tour")) == 15


def test_a_model_of_ones_own_is_trained_as_its_text_says() -> None:
    recipe = json.loads((FOLDER.parents[1] / "seps" / "configs" / "recipes" / "tiny.json").read_text())["training"]
    before, after = recipe["pretrain_epochs"], recipe["epochs"]
    words = ("no", "one", "two", "three", "four", "five")
    text = " ".join("".join(cell["source"]) for cell in cells("own_model") if cell["cell_type"] == "markdown")
    assert f"{words[before + after]} epochs: {words[before]} that train both encoders" in text.lower()
    assert f"then {words[after]} of the whole network" in text
    shown = json.dumps([cell.get("outputs") for cell in cells("own_model")])
    steps = after * (64 // recipe["batch_size"])
    assert f"{steps} steps of the whole network; their loss went from" in shown


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs(name: str) -> None:
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.outputs = []
    NotebookClient(notebook, timeout=SLOWEST, resources={"metadata": {"path": str(FOLDER)}}).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(views([output for cell in code for output in cell.outputs])) == len(
        views([output for cell in cells(name) for output in cell.get("outputs", [])])
    )
