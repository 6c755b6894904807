"""The losses on the page without a server."""

from __future__ import annotations

import json
from pathlib import Path

from demo.service.retrieval import RetrievalService
from demo.static.losses import LOSSES, write_losses
from demo.views.losses.claims import CLAIMS
from demo.views.losses.values import playground_value


def test_all_of_losses_comes_in_one_file_with_every_claim_measured(service: RetrievalService, tmp_path: Path) -> None:
    write_losses(service, tmp_path / "losses")
    content = (tmp_path / "losses" / LOSSES).read_text(encoding="utf-8")
    facts = json.loads(content)
    assert facts["playground"] == json.loads(json.dumps(playground_value(service)))
    assert facts["claims"]["live"] is False
    assert [claim["name"] for claim in facts["claims"]["claims"]] == list(CLAIMS)
    for claim in facts["claims"]["claims"]:
        assert claim["result"]["holds"] and len(claim["result"]["measured"]) >= 6
    assert len(content) < 500_000
