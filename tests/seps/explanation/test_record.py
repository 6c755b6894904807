import pytest

from seps.common.numbers import written
from seps.explanation.record import WIDTH
from tests.helpers.models.records import CASES, random_record


@pytest.mark.parametrize("case", CASES[::7], ids=str)
def test_a_printed_record_is_a_summary(case: tuple[str, bool, tuple[int, int]]) -> None:
    record = random_record(*case)
    lines = str(record).splitlines()
    assert 6 <= len(lines) <= 18
    assert max(map(len, lines)) <= WIDTH
    text = " ".join(" ".join(lines).split())
    rows, columns = record.grid
    assert f"S(I, T) = {record.similarity:.4f} ({record.variant} variant, {rows} x {columns} patches" in text
    for name, value in record.terms.items():
        assert f"{value:.4f} {name}" in text.replace("- ", "-")
    assert "+ -" not in text
    for branch in (record.sparse, record.dense):
        if branch is not None:
            assert f"{branch.name} branch: keeps {branch.kept.sum()} of {branch.kept.size} patches" in text
    alignment = record.sparse_alignment
    for word, token, entry in zip(alignment.words, alignment.best_token, alignment.matrix.max(axis=0), strict=True):
        assert f"{word}: {alignment.tokens[token]} ({written(entry, '.2f')})" in text
    assert "sparse_alignment" in lines[-1]
    assert "array(" in repr(record)  # all of it
