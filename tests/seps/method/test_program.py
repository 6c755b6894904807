from collections.abc import Callable

import pytest

from seps import CrossSparseAggrNet
from seps.method.__main__ import main, steps


@pytest.mark.parametrize(("paper", "total", "dual"), [(False, 291, True), (True, 1198, True), (True, 0, False)])
def test_the_steps_parameters_are_the_network_s(paper: bool, total: int, dual: bool) -> None:
    network = CrossSparseAggrNet(32, 16, 0.5, 0.5, use_paper_version=paper, use_dual_aggr=dual)
    rows = {step.name: step for step in steps(network, words=7)}
    assert sum(step.parameters for step in rows.values()) == sum(p.numel() for p in network.parameters())
    if dual:
        assert sum(step.parameters for step in rows.values()) == total
    # 4 aggregated tokens; [CLS], these and the extra token by 7 words
    assert [rows[name].shape for name in ("aggregation", "cosines")] == [(1, 4, 32), (1, 6, 7)]
    numbers = [int(step.equation) for step in rows.values() if step.equation]
    assert numbers == sorted(numbers) and set(numbers) == ({1, 2, 3, 4, 5} if paper else {2, 3, 4, 5})
    assert ("s^p" in rows, "relevance" in rows) == (paper, paper)


def test_the_program_prints_both_variants_and_refuses_what_does_not_fit(
    capsys: pytest.CaptureFixture[str], refusal: Callable[..., str]
) -> None:
    assert main(["--embed-size", "32", "--num-patches", "16", "--aggr-ratio", "0.5"]) == 0
    printed = capsys.readouterr().out
    totals = [line.split("|")[-2].strip() for line in printed.splitlines() if line.startswith("| all ")]
    assert totals == ["291", "1,198"]
    assert refusal(main, ["--sparse-ratio", "2"]) == "error: sparse_ratio is 2.0, but it must be in (0, 1].\n"
