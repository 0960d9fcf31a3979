r"""Hard attention never takes a token out of the convex hull of all tokens.

Setting    Tokens $x_i=(u_i,w_i)$; each goes towards the token $y_i$ of largest $\langle Bx_i,y\rangle$, the first of
           several, all at once: $x_i'=x_i+P(y_i-x_i)$, $B$ symmetric, $P=\operatorname{diag}(p_1,p_2)$, $0<p_j<1$.
Statement  $\max_i\langle c,x_i'\rangle\le\max_i\langle c,x_i\rangle$ for every direction $c$.
Proof      Of one rate: $x_i'=(1-p)x_i+py_i$ is a convex combination of two tokens.
Witness    The first tokens, matrices, rates and directions; a run of tokens on a line, in fractions and in doubles.
Measured   How far the largest product with $c$ grows, or a run is out of the hull of its start: rationals.
Control    Twice the way, towards the farthest token; repair: one rate. Of the run: further by 1; repair: fractions.
"""
from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, Quantity, Run, decide, exactly, grid
from theorytools.search.kinds import Matrices, Vectors

from .notation import n

growth = Quantity("growth", r"\max\langle c,x'\rangle-\max\langle c,x\rangle", "of the hull")
half, third, whole = Fraction(1, 2), Fraction(1, 3), Vectors(denominator=1)

def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))

def step(tokens, B, p):
    goals = [tokens[decide.argmax([dot([dot(row, x) for row in B], y) for y in tokens])] for x in tokens]
    return [tuple(a + r * (g - a) for a, r, g in zip(x, p, y, strict=True)) for x, y in zip(tokens, goals, strict=True)]

def measure(tokens, B, rates, c):
    return {growth: exactly(max(dot(c, x) for x in step(tokens, B, rates)) - max(dot(c, x) for x in tokens))}

far = Control("twice the way", breaks=growth,
              measure=lambda tokens, p: measure([(0, 0), (1, 0)], [(-1, 0), (0, -1)], (2, 2), (-1, 0)))
claim = Claim(
    "The hull decreases", role="statement", source="published: arXiv 2508.09628, section 2; prose", expect="REFUTED",
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

def outside(tokens, start):
    return max(max(tokens)[0] - max(start)[0], min(start)[0] - min(tokens)[0])

def start(p, number=Fraction):
    return [(number(x),) for x in p.x]

def onwards(tokens, t, p, number=Fraction):
    return step(tokens, [(-1,)], (number(2) / (t + 1),))

def states(p, number=float):
    run = [start(p, number)]
    for t in range(1, p.T + 1):
        run.append(onwards(run[-1], t, p, number))
    return [[(Fraction(x[0]),) for x in each] for each in run]

run = Run(start, onwards, lambda s, t, p: {growth: outside(s, start(p))})
exact = replace(
    claim, label="A line, in fractions", role="statement", source="published: arXiv 2508.09628, section 2; prose",
    statement=r"Tokens that go $\frac2{t+1}$ of the way to that of least product stay in their hull.", expect="HOLDS",
    scope={"every n, x": "proof", "every step to T": "every step"}, grid=grid(n=[2, 3], T=[20]),
    objects={"x": (Vectors(), n)}, such_that={}, construct=Claim.construct, measure=Claim.measure, run=run,
    controls=[Control("further by 1", breaks=growth, run=replace(run, step=lambda s, t, p: [(x[0] + 1,) for x in s]))],
)
floats = replace(
    exact, label="A line, in doubles", role="statement", source="derived here: hard attention in doubles", run=None,
    statement=r"Doubles that go $\frac2{t+1}$ of the way to that of least product stay in their hull.",
    expect="REFUTED", scope={"every n, x, T": "points"}, construct=states,
    measure=lambda run, p: {growth: exactly(max(outside(s, run[0]) for s in run))},
    controls=[Control("further by 1", breaks=growth, measure=lambda run, p: {growth: 1}),
              Control("in fractions", construct=lambda p: states(p, Fraction))],
)
