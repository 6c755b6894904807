"""What the README shows runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_the_example_scores_explains_and_adds_up(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"<!-- example -->\n```python\n(.*?)```", README, re.DOTALL)
    assert code is not None
    scope: dict[str, object] = {}
    exec(compile(code[1], "README.md", "exec"), scope)
    record = scope["record"]
    assert abs(sum(record.terms.values()) - record.similarity) < 1e-6  # type: ignore[attr-defined]
    assert str(record.similarity) in capsys.readouterr().out  # type: ignore[attr-defined]
    statements = [line for line in code[1].splitlines() if line and not line.startswith(("import", "from"))]
    assert len(statements) <= 10


def test_every_file_it_names_exists() -> None:
    root = Path(__file__).parents[1]
    names = re.findall(r"`([a-z_/]+\.py)`", README)
    assert len(names) >= 8
    for name in names:
        assert (root / name).is_file(), name
    rooms = re.findall(r"(?:^|  )((?:seps|demo|assets)/[a-z_]+/) ", README, re.MULTILINE)
    assert len(rooms) >= 14
    for room in rooms:
        assert (root / room).is_dir(), room
    assert not re.search(r"^[A-Z_]+$", README, re.MULTILINE), "a placeholder is left"
