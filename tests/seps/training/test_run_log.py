from __future__ import annotations

from pathlib import Path

import pytest

from seps.training.run_log import read_epochs, write_epoch


def test_epochs_are_read_as_written_and_replaced(tmp_path: Path) -> None:
    assert read_epochs(tmp_path) == []
    first, second = {"epoch": 1.0, "loss": 0.5}, {"epoch": 2.0, "loss": 0.25, "rsum": 300.0}
    for row in (first, second, second | {"loss": 0.125}):
        write_epoch(tmp_path, row)
    assert read_epochs(tmp_path) == [first, second | {"loss": 0.125}]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"epoch,loss\n1,half\n", r"line 2 \(could not convert string to float: 'half'\)"),
        (b"loss\n0.5\n", r"line 2 \(it has no epoch\)"),
        (b"epoch,loss\n1,0.5\n,0.4\n", r"line 3 \(it has no epoch\)"),
        (b"epoch,loss\nnan,0.5\n", r"line 2 \(it has no epoch\)"),
        (b"epoch,loss\n1,0.5\n2\n", r"line 3 \(it has more or fewer cells than the first line\)"),
        (b"epoch,loss\n1,0.5,3\n", r"line 2 \(it has more or fewer cells than the first line\)"),
        (b"\xe9poch,loss\n1,0.5\n", r"line 0 \('utf-8' codec"),
        (b'epoch,loss\n1,"0.5', r"line 1 \(unexpected end of data\)"),
    ],
)
def test_a_curve_that_cannot_be_read_names_its_file_and_line(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "metrics.csv").write_bytes(content)
    with pytest.raises(ValueError, match=rf"metrics\.csv cannot be read at {told}.*: correct it, or move it away\.$"):
        read_epochs(tmp_path)
