import re
from itertools import chain, product
from xml.etree import ElementTree

from matplotlib.mathtext import MathTextParser

from demo.record.texts.table import LESSON
from demo.views.lesson.equations import (
    EQUATIONS,
    LEGENDS,
    facts_of,
    file_equation,
    file_numbers,
    legend,
    page_equation,
    rows,
)
from tests.demo.browser.standalone import random_record

MATHML = "{http://www.w3.org/1998/Math/MathML}"
CHILDREN = {"msub": 2, "msup": 2, "mfrac": 2, "munder": 2, "mover": 2, "msubsup": 3}
LEAVES = {"mi", "mn", "mo", "mtext"}
FACTS = ("dense", "captions", "both", "cls", "drawn")


HOLDING = [{variant, *others} for variant in ("paper", "released") for others in ((), FACTS)]


def test_every_equation_is_well_formed() -> None:
    for step, holds in product(EQUATIONS, HOLDING):
        root = ElementTree.fromstring(page_equation(step, holds))
        assert root.tag == f"{MATHML}math"
        for element in root.iter():
            name = element.tag.removeprefix(MATHML)
            assert len(element) == CHILDREN.get(name, len(element)), name
            assert name not in LEAVES or len(element) == 0
            assert name in LEAVES or not (element.text or "").strip()


def test_every_symbol_of_a_legend_stands_in_its_equations_and_has_words() -> None:
    for step, holds in product(LEGENDS, HOLDING):
        equation = "".join(latex for latex, _ in rows(step, holds))
        for symbol, template in legend(step, holds):
            MathTextParser("path").parse(f"${symbol}$")
            assert template.removeprefix("legend.") in LESSON["legend"]
            assert all(part.split("^")[0].split("_")[0] in equation for part in symbol.split(", ")), symbol


def test_the_papers_numbers_stand_beside_its_equations() -> None:
    equations = "".join(page_equation(step, {"paper", "dense", "both"}) for step in EQUATIONS)
    assert re.findall(r"<mtext>\((\d)\)</mtext>", equations) == ["1", "2", "2", "2", "3", "4", "5", "6", "7"]
    assert file_numbers("scores", {"paper", "dense", "both"}) == "(1) to (3)"


def shown(step: str, variant: str = "paper", *others: str) -> str:
    """A step's equations, their symbols one after the other, without spaces."""
    equation = ElementTree.fromstring(page_equation(step, {variant, *others}))
    return re.sub(r"\s", "", "".join(equation.itertext()))


def test_the_equations_have_the_parts_of_their_variant() -> None:
    assert "(1-2β)sip+β(sist+sidt+2siim)" in shown("scores", "paper", "dense").replace("\N{MINUS SIGN}", "-")
    assert "β(sist+2siim)" in shown("scores")
    released = shown("scores", "released")
    assert "si=siim+sist" in released
    assert "β" not in released and "Norm" not in released
    assert shown("similarity").endswith("+rv+rt(5)")
    assert "r" not in shown("similarity", "released")
    assert "S(I,Td)" in shown("similarity", "released", "dense")
    assert "LeakyReLU" in shown("matrix", "released")


def test_files_and_pages_take_the_same_latex() -> None:
    for row in chain.from_iterable(EQUATIONS.values()):
        assert MathTextParser("path").parse(f"${row['latex']}$").width > 0
    for step, holding in product(EQUATIONS, HOLDING):
        in_files = rows(step, holding, file=True)
        assert set(in_files) <= set(rows(step, holding))
        assert file_equation(step, holding) == r" \qquad ".join(latex for latex, _ in in_files)
        assert in_files, "a slide without an equation"


def test_facts_are_those_of_the_record() -> None:
    record = random_record(paper=True, dense=True, cls=True)
    assert facts_of(record, captions=True, drawn=True) == {"paper", *FACTS}
    assert facts_of(random_record(paper=False, dense=True, cls=True), captions=False) == {"released", "cls", "dense"}
    assert facts_of(random_record(paper=True, dense=False, cls=True), captions=False) == {"paper", "cls"}
