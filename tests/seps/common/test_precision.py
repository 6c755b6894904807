import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from seps.common.precision import exact_precision, true_float32
from seps.search.blocks import BlockScorer
from tests.helpers.models.cases import Case, indexed
from tests.helpers.models.tiny import tiny_model

CUDNN: Any = torch.backends.cudnn


def switches() -> tuple[bool, bool]:
    """Whether cuDNN's convolutions and matrix products take TF32."""
    return CUDNN.conv.fp32_precision == "tf32", torch.backends.cuda.matmul.fp32_precision == "tf32"


@pytest.fixture(params=[(True, False), (False, True)])
def as_set(request: pytest.FixtureRequest) -> Iterator[tuple[bool, bool]]:
    """The caller's own switches."""
    CUDNN.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = request.param
    yield request.param
    CUDNN.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = True, False


def test_tf32_is_off_inside_and_as_it_was_outside(as_set: tuple[bool, bool]) -> None:
    with true_float32():
        with exact_precision(torch.device("cpu")):
            assert switches() == (False, False)
        assert switches() == (False, False)
    assert switches() == as_set
    with pytest.raises(ValueError, match="broken"), true_float32():
        raise ValueError("broken")
    assert switches() == as_set


def test_a_thread_that_ends_leaves_it_off_for_the_others() -> None:
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with true_float32():
            entered.set()
            leave.wait(30)

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait(30)
    with true_float32():
        pass
    assert switches() == (False, False)
    leave.set()
    thread.join()
    assert switches() == (True, False)


def test_encoders_engine_and_explanations_take_it(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model(bert)
    seen: dict[str, tuple[bool, bool]] = {}

    def watched(name: str, function: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            seen[name] = switches()
            return function(*arguments, **options)

        return call

    owners: list[tuple[Any, str]] = [(model.img_enc, "forward"), (model.txt_enc, "forward"), (model.cross_net, "match")]
    for owner, name in [*owners, (BlockScorer, "score")]:
        function = getattr(owner, name)
        monkeypatch.setattr(owner, name, watched(function.__qualname__, function))
    model.explain(Image.new("RGB", (9, 9)), "a dog")
    engine, images, captions = indexed(*Case().build())
    engine.score(images, captions)
    assert len(seen) == 4 and set(seen.values()) == {(False, False)}
