"""The equations are MathML, each with the paper's number, of the variant and the branches at hand."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from matplotlib.mathtext import MathTextParser

from demo.record.table import LESSON
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


def facts(variant: str, *others: str) -> set[str]:
    """What holds for a record of a variant."""
    return {variant, *others}


EVERY = [
    page_equation(step, facts(variant, *others))
    for step in EQUATIONS
    for variant in ("paper", "released")
    for others in ((), FACTS)
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


def test_symbols_that_a_slide_left_unexplained_stand_in_its_legend() -> None:
    expected = {
        "patches": "H,W,C",
        "words": "L_s,L_d,C",
        "scores": r"\sigma,\mathrm{Norm},\beta",
        "decision": r"\rho,\sigma,g_i,g^{\prime}_i,\tau,s_{\mathrm{min}},s_{\mathrm{max}}",
        "aggregation": "a_{ji}",
        "tokens": "M",
        "matrix": "r_v,r_t",
        "similarity": "M,L",
    }
    for step, symbols in expected.items():
        symbols_listed = [symbol for latex, _ in legend(step, facts("paper", *FACTS)) for symbol in latex.split(", ")]
        assert set(symbols.split(",")) <= set(symbols_listed), step
    assert not {r"\tau", "p_i"} & {latex for latex, _ in legend("decision", facts("paper"), file=True)}


@pytest.mark.parametrize("step", LEGENDS)
def test_every_symbol_of_a_legend_stands_in_its_equations_and_has_words(step: str) -> None:
    for variant in ("paper", "released"):
        for others in ((), FACTS):
            holds = facts(variant, *others)
            equation = "".join(latex for latex, _ in rows(step, holds))
            for symbol, template in legend(step, holds):
                MathTextParser("path").parse(f"${symbol}$")
                assert template.removeprefix("legend.") in LESSON["legend"]
                assert all(part.split("^")[0].split("_")[0] in equation for part in symbol.split(", ")), symbol


def test_the_papers_numbers_stand_beside_its_equations() -> None:
    equations = "".join(page_equation(step, facts("paper", "dense", "both")) for step in EQUATIONS)
    assert re.findall(r"<mtext>\((\d)\)</mtext>", equations) == ["1", "2", "2", "2", "3", "4", "5", "6", "7"]


def shown(step: str, variant: str = "paper", *others: str) -> str:
    """A step's equations, their symbols one after the other."""
    return flat(page_equation(step, facts(variant, *others)))


def test_the_score_has_the_parts_of_its_variant() -> None:
    assert "(1-2β)sip+β(sist+sidt+2siim)" in shown("scores", "paper", "dense").replace("\N{MINUS SIGN}", "-")
    assert "β(sist+2siim)" in shown("scores")
    released = shown("scores", "released")
    assert "si=siim+sist" in released
    assert "β" not in released
    assert "Norm" not in released


def test_the_similarity_has_the_terms_of_its_variant() -> None:
    assert shown("similarity").endswith("+rv+rt(5)")
    assert "r" not in shown("similarity", "released")
    assert "S(I,Td)" in shown("similarity", "released", "dense")
    assert "LeakyReLU" in shown("matrix", "released")


def test_branches_and_cls_stand_where_they_are() -> None:
    assert shown("aggregation", "paper", "both").count("vi") == shown("aggregation").count("vi") + 1
    assert "vcls" in shown("tokens", "paper", "cls")
    assert "vcls" not in shown("tokens")
    assert "λd" in shown("ratio", "paper", "dense")
    assert "λd" not in shown("ratio")


def test_words_upright_stand_in_one_piece() -> None:
    assert '<mi mathvariant="normal">LeakyReLU</mi>' in page_equation("matrix", facts("released"))
    assert "<mi>st</mi>" in page_equation("scores", facts("paper"))


@pytest.mark.parametrize("step", EQUATIONS)
def test_files_and_pages_take_the_same_latex(step: str) -> None:
    parser = MathTextParser("path")
    for row in EQUATIONS[step]:
        assert parser.parse(f"${row['latex']}$").width > 0
    for variant in ("paper", "released"):
        for others in ((), FACTS):
            holding = facts(variant, *others)
            in_files = rows(step, holding, file=True)
            assert set(in_files) <= set(rows(step, holding))
            assert file_equation(step, holding) == r" \qquad ".join(latex for latex, _ in in_files)
            assert in_files, "a slide without an equation"


def test_files_have_the_numbers_of_what_they_show() -> None:
    holding = facts("paper", "dense", "both")
    assert [file_numbers(step, holding) for step in ("patches", "scores", "aggregation")] == ["", "(1) to (3)", "(4)"]
    for step in EQUATIONS:
        for variant in ("paper", "released"):
            numbers = re.findall(r"\((\d)\)", file_numbers(step, facts(variant)))
            assert set(numbers) <= set(re.findall(r"<mtext>\((\d)\)</mtext>", page_equation(step, facts(variant))))


def test_conditions_are_facts_that_there_are() -> None:
    known = {"paper", "released", "never", *FACTS}
    for conditions in EQUATIONS.values():
        for row in conditions:
            assert {fact.removeprefix("!") for fact in [*row.get("when", ()), *row.get("file", ())]} <= known


@pytest.mark.parametrize("paper", [True, False])
@pytest.mark.parametrize("dense", [True, False])
def test_facts_are_those_of_the_record(paper: bool, dense: bool) -> None:
    record = random_record(paper=paper, dense=dense, cls=True)
    expected = {"paper" if paper else "released", "cls", "captions"} | ({"dense"} if dense else set())
    if paper and dense:
        expected.add("both")
    assert facts_of(record, captions=True) == expected
    assert facts_of(record, captions=True, drawn=True) == expected | {"drawn"}
