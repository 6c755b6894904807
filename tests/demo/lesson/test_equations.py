"""The equations are MathML, each with the paper's number, of the variant and the branches at hand."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from demo.lesson import equations as maths

MATHML = "{http://www.w3.org/1998/Math/MathML}"
CHILDREN = {"msub": 2, "msup": 2, "mfrac": 2, "munder": 2, "mover": 2, "msubsup": 3}
LEAVES = {"mi", "mn", "mo", "mtext"}
EVERY = [
    maths.patches_equation(),
    *(maths.words_equation(dense) for dense in (True, False)),
    *(maths.score_equation(paper, dense) for paper in (True, False) for dense in (True, False)),
    maths.decision_equation(),
    *(maths.aggregation_equation(both) for both in (True, False)),
    *(maths.tokens_equation(cls, both) for cls in (True, False) for both in (True, False)),
    *(maths.matrix_equation(paper) for paper in (True, False)),
    *(maths.similarity_equation(paper, dense) for paper in (True, False) for dense in (True, False)),
    maths.align_equation(),
    *(maths.ratio_equation(dense) for dense in (True, False)),
]


def flat(equation: str) -> str:
    """The symbols one after the other, without spaces."""
    return re.sub(r"\s", "", "".join(ElementTree.fromstring(equation).itertext()))


@pytest.mark.parametrize("equation", EVERY)
def test_every_equation_is_well_formed(equation: str) -> None:
    root = ElementTree.fromstring(equation)
    assert root.tag == f"{MATHML}math"
    for element in root.iter():
        name = element.tag.removeprefix(MATHML)
        assert len(element) == CHILDREN.get(name, len(element)), name
        assert name not in LEAVES or len(element) == 0
        assert name in LEAVES or not (element.text or "").strip()


def test_the_papers_numbers_stand_beside_its_equations() -> None:
    paper = (
        maths.score_equation()
        + maths.aggregation_equation()
        + maths.similarity_equation()
        + maths.align_equation()
        + maths.ratio_equation()
    )
    assert re.findall(r"<mtext>\((\d)\)</mtext>", paper) == ["1", "2", "2", "2", "3", "4", "5", "6", "7"]


def test_the_score_has_the_parts_of_its_variant() -> None:
    assert "(1−2β)sip+β(sist+sidt+2siim)" in flat(maths.score_equation())  # noqa: RUF001
    assert "β(sist+2siim)" in flat(maths.score_equation(dense=False))
    released = flat(maths.score_equation(paper=False, dense=False))
    assert "si=siim+sist" in released
    assert "β" not in released
    assert "Norm" not in released


def test_the_similarity_has_the_terms_of_its_variant() -> None:
    assert flat(maths.similarity_equation()).endswith("+rv+rt(5)")
    assert "r" not in flat(maths.similarity_equation(paper=False))
    assert "S(I,Td)" in flat(maths.similarity_equation(paper=False, dense=True))
    assert "LeakyReLU" in flat(maths.matrix_equation(paper=False))


def test_branches_and_cls_stand_where_they_are() -> None:
    assert (
        flat(maths.aggregation_equation(both=True)).count("vi")
        == flat(maths.aggregation_equation(False)).count("vi") + 1
    )
    assert "vcls" in flat(maths.tokens_equation(has_cls=True))
    assert "vcls" not in flat(maths.tokens_equation(has_cls=False))
    assert "λd" in flat(maths.ratio_equation())
    assert "λd" not in flat(maths.ratio_equation(dense=False))
