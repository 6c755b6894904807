"""The paper's equations in MathML, of the variant and the branches that a pass has."""

from __future__ import annotations

NO_BREAK = "\N{NO-BREAK SPACE}"


def mi(name: str) -> str:
    """A symbol: one letter leans, several stand upright."""
    return f"<mi>{name}</mi>"


def mo(sign: str) -> str:
    """An operator or a bracket."""
    return f"<mo>{sign}</mo>"


def mn(number: float) -> str:
    """A number."""
    return f"<mn>{number:g}</mn>"


def text(words: str) -> str:
    """Words between symbols; spaces at their ends stay."""
    return f"<mtext>{words.replace(' ', NO_BREAK)}</mtext>"


def row(*parts: str) -> str:
    """Parts side by side."""
    return f"<mrow>{''.join(parts)}</mrow>"


def sub(base: str, below: str) -> str:
    """A lower index."""
    return f"<msub>{base}{below}</msub>"


def sup(base: str, above: str) -> str:
    """An upper index."""
    return f"<msup>{base}{above}</msup>"


def subsup(base: str, below: str, above: str) -> str:
    """Both."""
    return f"<msubsup>{base}{below}{above}</msubsup>"


def frac(above: str, below: str) -> str:
    """A fraction."""
    return f"<mfrac>{above}{below}</mfrac>"


def over(symbol: str, mark: str) -> str:
    """A symbol under a mark, such as a hat."""
    return f'<mover accent="true">{symbol}{mo(mark)}</mover>'


def total(below: str, *body: str) -> str:
    """A sum."""
    return row(f"<munder>{mo('∑')}{below}</munder>", *body)


def highest(below: str, *body: str) -> str:
    """A maximum over an index."""
    return row(f"<munder>{mi('max')}{below}</munder>", *body)


def call(name: str, *body: str) -> str:
    """A function of something."""
    return row(mi(name), mo("("), *body, mo(")"))


def lines(*equations: tuple[str, int | None]) -> str:
    """A block of equations, each with the paper's number or none."""
    rows = [
        f"<mtr><mtd>{equation}</mtd><mtd>{text(f'({number})') if number else ''}</mtd></mtr>"
        for equation, number in equations
    ]
    return (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">'
        f'<mtable displaystyle="true">{"".join(rows)}</mtable></math>'
    )


EQ, PLUS, MINUS, COMMA, IN = mo("="), mo("+"), mo("\N{MINUS SIGN}"), mo(","), mo("∈")
TIMES, PRIME = mo("\N{MULTIPLICATION SIGN}"), mo("\N{PRIME}")
SIGMA, RHO = mi("\N{GREEK SMALL LETTER SIGMA}"), mi("\N{GREEK SMALL LETTER RHO}")
ALPHA, REALS = mi("\N{GREEK SMALL LETTER ALPHA}"), mi("\N{DOUBLE-STRUCK CAPITAL R}")
INDEX, J = mi("i"), mi("j")
V_I, T_J, TOKEN_J = sub(mi("v"), INDEX), sub(mi("t"), J), sub(over(mi("v"), "^"), J)
TOKEN_I, S_I, D_I = sub(over(mi("v"), "^"), INDEX), sub(mi("s"), INDEX), sub(mi("D"), INDEX)
S_PAIR = call("S", mi("I"), COMMA, mi("T"))
A_IJ = sub(mi("A"), row(INDEX, J))
ROWS, COLUMNS = highest(J, A_IJ), highest(INDEX, A_IJ)


def part(name: str) -> str:
    """One part of a patch's score."""
    return subsup(mi("s"), INDEX, mi(name))


def of_shape(*sizes: str) -> str:
    """Membership in the real tensors of a shape."""
    shape = TIMES.join(sizes)
    return row(IN, sup(REALS, row(shape)))


def patches_equation() -> str:
    """V in R^(N x C), N = H W."""
    listed = row(mi("V"), EQ, mo("("), sub(mi("v"), mn(1)), COMMA, mo("…"), COMMA, sub(mi("v"), mi("N")), mo(")"))
    return lines((row(listed, of_shape(mi("N"), mi("C")), COMMA, mi("N"), EQ, mi("H"), mo("·"), mi("W")), None))


def words_equation(dense: bool) -> str:
    """T^s, and T^d where there is one."""

    def words(letter: str) -> str:
        count = sub(mi("L"), mi(letter))
        first, last = sub(mi("t"), mn(1)), sub(mi("t"), count)
        listed = row(sup(mi("T"), mi(letter)), EQ, mo("("), first, COMMA, mo("…"), COMMA, last, mo(")"))
        return row(listed, of_shape(count, mi("C")))

    return lines((words("s"), None), *([(words("d"), None)] if dense else []))


def score_equation(paper: bool = True, dense: bool = True) -> str:
    """Equations (1) to (3): the parts of the score and their sum; the released code's sum for that variant."""
    mean = {name: over(mi(name[0]), "¯") for name in ("t", "v")}
    against = {"st": sup(mean["t"], mi("s")), "dt": sup(mean["t"], mi("d")), "im": mean["v"]}
    names = ["st", *(["dt"] if dense else []), "im"]

    def attention(name: str) -> str:
        cosine = call("cos", V_I, COMMA, against[name])
        return row(part(name), EQ, call("Norm", cosine) if paper else cosine)

    attentions = [(attention(name), 2) for name in names]
    if not paper:
        sums = [(row(S_I, EQ, part("im"), PLUS, part("st")), None)]
        if dense:
            sums.append((row(subsup(mi("s"), INDEX, mi("dense")), EQ, part("im"), PLUS, part("dt")), None))
        return lines(*attentions, *sums)
    predicted = row(part("p"), EQ, SIGMA, mo("("), call("MLP", V_I), mo(")"))
    weighted = row(mo("("), mn(1), MINUS, mn(2), mi("β"), mo(")"), part("p"))
    captions = row(part("st"), PLUS, part("dt")) if dense else part("st")
    score = row(S_I, EQ, weighted, PLUS, mi("β"), mo("("), captions, PLUS, mn(2), part("im"), mo(")"))
    return lines((predicted, 1), *attentions, (score, 3))


def decision_equation() -> str:
    """The top k and the draw, one above the other."""
    keep = sub(mi("N"), mi("keep"))
    hard = row(D_I, EQ, mn(1), text(" for the "), keep, text(" highest "), S_I)
    kept = row(keep, EQ, mo("⌈"), mi("N"), RHO, mo("⌉"))
    p = sub(mi("p"), INDEX)
    odds = row(call("log", p), MINUS, call("log", mn(1), MINUS, p))
    noise = row(sub(mi("g"), INDEX), MINUS, subsup(mi("g"), INDEX, PRIME))
    soft = row(SIGMA, mo("("), frac(row(odds, PLUS, noise), mi("τ")), mo(")"))
    drawn = row(D_I, EQ, mn(1), text(" where "), soft, mo("&gt;"), frac(mn(1), mn(2)))
    low, high = sub(mi("s"), mi("min")), sub(mi("s"), mi("max"))
    place = row(p, EQ, frac(row(S_I, MINUS, low), row(high, MINUS, low)))
    return lines((row(hard, COMMA, text(" "), kept), None), (drawn, None), (place, None))


def aggregation_equation(both: bool = True) -> str:
    """Equation (4): the aggregated tokens, of one branch or of both added."""

    def merged(letter: str | None) -> str:
        weight = sub(mi("W"), row(J, INDEX)) if letter is None else subsup(mi("W"), row(J, INDEX), mi(letter))
        return total(INDEX, weight, V_I)

    body = row(merged("s"), PLUS, merged("d")) if both else merged(None)
    k = mi("k")
    every = total(k, sub(mi("D"), k), call("exp", sub(mi("a"), row(J, k))))
    share = frac(row(D_I, call("exp", sub(mi("a"), row(J, INDEX)))), every)
    weight = row(sub(mi("W"), row(J, INDEX)), EQ, share)
    last = sub(mi("N"), mi("c"))
    return lines((row(TOKEN_J, EQ, body, COMMA, text(" "), J, EQ, mn(1), mo("…"), last), 4), (weight, None))


def tokens_equation(has_cls: bool = False, both: bool = True) -> str:
    """All tokens, and the extra one."""
    extra = sub(mi("v"), mi("extra"))
    last = sub(over(mi("v"), "^"), sub(mi("N"), mi("c")))
    cls = [sub(mi("v"), mi("cls")), COMMA] if has_cls else []
    listed = row(over(mi("V"), "^"), EQ, mo("("), *cls, sub(over(mi("v"), "^"), mn(1)), COMMA, mo("…"), COMMA, last)
    all_tokens = row(listed, COMMA, extra, mo(")"), of_shape(mi("M"), mi("C")))

    def dropped(letter: str | None) -> str:
        weight = sub(mi("e"), INDEX) if letter is None else subsup(mi("e"), INDEX, mi(letter))
        return total(INDEX, weight, V_I)

    mean = row(frac(mn(1), mn(2)), mo("("), dropped("s"), PLUS, dropped("d"), mo(")")) if both else dropped(None)
    softmax = row(sub(mi("e"), INDEX), EQ, sub(mi("softmax"), row(D_I, EQ, mn(0))), mo("("), S_I, mo(")"))
    return lines((all_tokens, None), (row(extra, EQ, mean, COMMA, text(" "), softmax), None))


def matrix_equation(paper: bool = True) -> str:
    """The patch-word matrix and, in the paper's variant, the relevance of its maxima; parts of equation (5)."""
    cosine = call("cos", TOKEN_I, COMMA, T_J)
    entry = row(A_IJ, EQ, cosine if paper else call("LeakyReLU", cosine))
    if not paper:
        return lines((entry, None), (row(ROWS, COMMA, text(" "), COLUMNS), None))
    patches, words = (call("MLP", call("TopK", best)) for best in (ROWS, COLUMNS))
    relevance = [row(sub(mi("r"), mi("v")), EQ, patches), row(sub(mi("r"), mi("t")), EQ, words)]
    return lines((entry, None), *((line, None) for line in relevance))


def similarity_equation(paper: bool = True, dense: bool = False) -> str:
    """Equation (5): S(I, T). `dense`: the released code adds the dense caption's alignment."""
    rows = row(frac(mn(1), mi("M")), total(INDEX, ROWS))
    columns = row(frac(mn(1), mi("L")), total(J, COLUMNS))
    rest: list[str] = []
    if paper:
        rest = [PLUS, sub(mi("r"), mi("v")), PLUS, sub(mi("r"), mi("t"))]
    elif dense:
        rest = [PLUS, call("S", mi("I"), COMMA, sup(mi("T"), mi("d")))]
    return lines((row(S_PAIR, EQ, rows, PLUS, columns, *rest), 5))


def align_equation() -> str:
    """Equation (6): the ranking loss with margin alpha, over every negative caption and image."""

    def hinge(negative: str) -> str:
        return sub(row(mo("["), ALPHA, MINUS, S_PAIR, PLUS, negative, mo("]")), mo("+"))

    image, caption = over(mi("I"), "^"), over(mi("T"), "^")
    captions = total(caption, hinge(call("S", mi("I"), COMMA, caption)))
    images = total(image, hinge(call("S", image, COMMA, mi("T"))))
    pairs = row(mo("("), mi("I"), COMMA, mi("T"), mo(")"))
    loss = row(sub(mi("L"), mi("align")), EQ, total(pairs, mo("("), captions, PLUS, images, mo(")")))
    return lines((loss, 6))


def ratio_equation(dense: bool = True) -> str:
    """Equation (7): how far the kept share is from rho."""

    def term(letter: str) -> str:
        mean = row(frac(mn(1), mi("N")), total(INDEX, subsup(mi("D"), INDEX, mi(letter))))
        return row(sub(mi("λ"), mi(letter)), sup(row(mo("("), mean, MINUS, RHO, mo(")")), mn(2)))

    loss = row(sub(mi("L"), mi("ratio")), EQ, term("s"), *([PLUS, term("d")] if dense else []))
    return lines((loss, 7))
