"""What the benchmark of clicks says; that it clicks is tested with the page, in tests/demo/browser/test_whatif.py."""

from __future__ import annotations

import pytest

from tests.bench.page import Click, main, summary


def test_median_most_and_share_are_told() -> None:
    line = summary([Click(0.1, 0.05), Click(0.3, 0.03), Click(0.2, 0.05)])
    assert "3 clicks" in line and "median 200 ms, most 300 ms" in line and "share 25%" in line


def test_a_wrong_count_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["page", "--clicks", "0"])
    with pytest.raises(SystemExit):
        main()
    assert "--clicks is 0, but it must be from 1 to 196" in capsys.readouterr().err
