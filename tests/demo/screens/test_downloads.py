"""A button that waits for its file hears of it, or that none will come."""

from __future__ import annotations

from demo.drawing.formats import Download
from demo.screens.downloads import saving, sent
from demo.screens.parts import message


def test_an_export_answers_with_its_file_or_tells_that_none_comes() -> None:
    @saving
    def export(kind: str) -> tuple[str, dict[str, object]]:
        if kind != "png":
            raise ValueError(f"format is {kind!r}, but it must be png.")
        return message("Saved as a.png."), sent(Download("a.png", b"pixels", "image/png"))

    status, file = export("png")
    assert ("Saved" in status, file["name"]) == (True, "a.png")
    status, nothing = export("bmp")
    assert "format is" in status and "problem" in status
    assert nothing["failed"] is True
    assert nothing["key"] != export("bmp")[1]["key"]  # each answer is noticed
