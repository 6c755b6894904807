import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "assets" / "notebooks"
VIEWS = {"own_model": 1, "tour": 4}  # HTML outputs
MOST = 400_000  # bytes of a view
SLOWEST = 900  # seconds of a cell, where other tests keep the machine busy


def cells(name: str, kind: str) -> list[dict[str, Any]]:
    every = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [cell for cell in every if cell["cell_type"] == kind]


@pytest.mark.parametrize("name", VIEWS)
def test_a_notebook_is_tracked_without_outputs(name: str) -> None:
    code = cells(name, "code")
    assert code and not any(cell["outputs"] or cell["execution_count"] for cell in code)


@pytest.mark.slow
@pytest.mark.parametrize("name", VIEWS)
def test_a_notebook_runs(name: str) -> None:
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=SLOWEST, resources={"metadata": {"path": str(FOLDER)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    views = ["".join(output["data"]["text/html"]) for output in outputs if "text/html" in output.get("data", {})]
    assert len(views) == VIEWS[name]
    assert max(map(len, views)) <= MOST
    assert all("<img" in view for view in views)  # which a code host shows that lets no script run
    texts = json.dumps([output.get("text", output.get("data", {}).get("text/plain")) for output in outputs])
    if name == "own_model":
        check_epochs(texts)


def check_epochs(shown: str) -> None:
    """Check that the text of own_model.ipynb and its output name the recipe's epochs and steps."""
    recipe = json.loads((FOLDER.parents[1] / "seps" / "configs" / "recipes" / "tiny.json").read_text())["training"]
    before, after = recipe["pretrain_epochs"], recipe["epochs"]
    words = ("no", "one", "two", "three", "four", "five")
    text = " ".join("".join(cell["source"]) for cell in cells("own_model", "markdown"))
    assert f"{words[before + after]} epochs: {words[before]} that train both encoders" in text.lower()
    assert f"then {words[after]} of the whole network" in text
    assert f"{after * (64 // recipe['batch_size'])} steps of the whole network; their loss went from" in shown
