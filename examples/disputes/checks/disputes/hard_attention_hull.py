r"""Hard attention never takes a token out of the convex hull of all tokens.

Setting    Tokens $x_i=(u_i,w_i)$; each goes towards the token $y_i$ of largest $\langle Bx_i,y\rangle$, the first of
           several, all at once: $x_i'=x_i+P(y_i-x_i)$, $B$ symmetric, $P=\operatorname{diag}(p_1,p_2)$, $0<p_j<1$.
Statement  $\max_i\langle c,x_i'\rangle\le\max_i\langle c,x_i\rangle$ for every direction $c$.
Proof      Of one rate: $x_i'=(1-p)x_i+py_i$ is a convex combination of two tokens.
Witness    The first tokens, matrices, rates and directions.
Measured   How far the largest product with $c$ grows, a rational.
Control    Twice the way, towards the farthest token; repair: one rate.
Reads      Section 2 of arXiv 2508.09628 has the lemma for one rate and remarks that two rates leave the hull; the
           statement is what a reader may take from it who overlooks that.
"""
from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, Quantity, exactly, grid
from theorytools.search.kinds import Matrices, Vectors

from .notation import n

growth = Quantity("growth", r"\max\langle c,x'\rangle-\max\langle c,x\rangle", "of the hull")
half, third, whole = Fraction(1, 2), Fraction(1, 3), Vectors(denominator=1)

def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))

def step(tokens, B, p):
    def goal(x):  # the first of several, as max has it
        return max(tokens, key=lambda y: dot([dot(row, x) for row in B], y))
    return [tuple(a + r * (g - a) for a, r, g in zip(x, p, goal(x), strict=True)) for x in tokens]

def measure(tokens, B, rates, c):
    return {growth: exactly(max(dot(c, x) for x in step(tokens, B, rates)) - max(dot(c, x) for x in tokens))}

far = Control("twice the way", breaks=growth,
              measure=lambda tokens, p: measure([(0, 0), (1, 0)], [(-1, 0), (0, -1)], (2, 2), (-1, 0)))
claim = Claim(
    "The hull decreases", role="statement", source="derived here: the hull, with two rates", expect="REFUTED",
    scope={"every n, u, w, B, p, c": "points"}, asserts=growth <= 0, grid=grid(n=[2, 3]), objects={
        "u": (whole, n, 3), "w": (whole, n, 3), "B": (Matrices("symmetric", denominator=1), 2, 2),
        "p": (Vectors(0, 1), 2, [(half, half), (half, third)]), "c": (whole, 2, [(1, 0), (0, 1), (1, 1)])},
    such_that={"0 < p < 1": lambda p: min(p.p) > 0 and max(p.p) < 1},
    construct=lambda p: list(zip(p.u, p.w, strict=True)), measure=lambda tokens, p: measure(tokens, p.B, p.p, p.c),
    controls=[far, Control("one rate", measure=lambda tokens, p: measure(tokens, p.B, p.p[:1] * 2, p.c))],
)
repaired = replace(
    claim, label="One rate", role="statement", source="published: arXiv 2508.09628, section 2; prose", expect="HOLDS",
    statement=r"$\max_i\langle c,x_i'\rangle\le\max_i\langle c,x_i\rangle$ for every direction $c$ where $p_1=p_2$.",
    scope={"every n, u, w, B, p, c": "proof"}, controls=[far], grid=grid(n=[2, 3]),
    such_that={"0 < p < 1, and both are one rate": lambda p: 0 < p.p[0] == p.p[1] < 1}, objects={
        **claim.objects, "p": (Vectors(0, 1), 2, [(half, half), (third, third)]),
        "B": (Matrices("symmetric", denominator=1), 2, [((-1, 0), (0, -1))])},
)
