r"""Hard attention never takes a token out of the convex hull of all tokens.

Setting    Tokens $x_i=(u_i,w_i)\in\mathbb{Q}^2$; each goes towards the token $y_i$ of largest $\langle Bx_i,y\rangle$, $B$
           symmetric, the first of several, all at once: $x_i'=x_i+P(y_i-x_i)$, $P=\operatorname{diag}(p_1,p_2)$, $0<p_j<1$.
Statement  $\max_i\langle c,x_i'\rangle\le\max_i\langle c,x_i\rangle$ for every direction $c$.
Witness    The first tokens, matrices, rates and directions.
Proof      Of one rate: $x_i'=(1-p)x_i+py_i$ is a convex combination of two tokens.
Measured   How far the largest product with $c$ grows, a rational.
Control    Twice the way, towards the farthest token; one rate as the repair.
"""
from dataclasses import replace
from fractions import Fraction
from theorytools import Claim, Control, Quantity, Run, decide, exactly, grid
from theorytools.search.kinds import Matrices, Vectors
from .notation import T, n

growth = Quantity("growth", r"\max\langle c,x'\rangle-\max\langle c,x\rangle", "of the hull in one direction")

half, third = Fraction(1, 2), Fraction(1, 3)

def dot(a, b):
    return sum(x * y for x, y in zip(a, b))

def step(tokens, B, p):
    goals = [tokens[decide.argmax([dot([dot(row, x) for row in B], y) for y in tokens])] for x in tokens]
    return [tuple(a + r * (g - a) for a, r, g in zip(x, p, y)) for x, y in zip(tokens, goals)]

def measure(tokens, B, rates, c):
    after = step(tokens, B, rates)
    return {growth: exactly(max(dot(c, x) for x in after) - max(dot(c, x) for x in tokens))}

claim = Claim(
    "The hull decreases", role="statement", source="published: arXiv 2508.09628, section 2; prose", expect="REFUTED",
    scope={"every n, u, w, B, p, c": "points"}, asserts=growth <= 0, grid=grid(n=[2, 3]),
    objects={"u": (Vectors(denominator=1), n, 3), "w": (Vectors(denominator=1), n, 3), "B": (Matrices("symmetric", denominator=1), 2, 2),
             "p": (Vectors(0, 1), 2, [(half, half), (half, third)]), "c": (Vectors(denominator=1), 2, [(1, 0), (0, 1), (1, 1)])},
    such_that={"0 < p < 1": lambda p: 0 < min(p.p) and max(p.p) < 1}, construct=lambda p: list(zip(p.u, p.w)),
    measure=lambda tokens, p: measure(tokens, p.B, p.p, p.c),
    controls=[far := Control("twice the way", breaks=growth, measure=lambda tokens, p: measure([(0, 0), (1, 0)], [(-1, 0), (0, -1)], (2, 2), (-1, 0))),
              Control("one rate", measure=lambda tokens, p: measure(tokens, p.B, p.p[:1] * 2, p.c))],
)
repaired = replace(
    claim, label="One rate", role="statement", source="published: arXiv 2508.09628, section 2; prose", expect="HOLDS", controls=[far],
    statement=r"$\max_i\langle c,x_i'\rangle\le\max_i\langle c,x_i\rangle$ for every direction $c$ where $p_1=p_2$.",
    scope={"every n, u, w, B, p, c": "proof"}, such_that={"0 < p < 1, and both are one rate": lambda p: 0 < p.p[0] == p.p[1] < 1},
    grid=grid(n=[2, 3]), objects={
        **claim.objects, "p": (Vectors(0, 1), 2, [(half, half), (third, third)]), "B": (Matrices("symmetric", denominator=1), 2, [((-1, 0), (0, -1))])},
)

def hull(tokens, start):  # how far one-dimensional tokens are outside of that of others
    return max(max(tokens)[0] - max(start)[0], min(start)[0] - min(tokens)[0])

def doubles(p, number=float):
    tokens = [(number(x),) for x in p.x]
    run = [tokens] + [tokens := step(tokens, [(-1,)], (number(2) / (t + 1),)) for t in range(1, p.T + 1)]
    return [[(Fraction(x[0]),) for x in each] for each in run]

start = lambda p: [(x,) for x in p.x]
run = Run(start, lambda s, t, p: step(s, [(-1,)], (Fraction(2, t + 1),)), lambda s, t, p: {growth: hull(s, start(p))})
exact = replace(
    claim, label="One dimension, rate 2/(t+1), in fractions", role="statement", source="published: arXiv 2508.09628, section 2; prose",
    statement=r"Tokens on a line, each going $\frac2{t+1}$ of the way to the token of least product with it, stay in their hull.", expect="HOLDS",
    scope={"every n, x": "proof", "every step to T": "every step"}, grid=grid(n=[2, 3], T=[20]), objects={"x": (Vectors(), n)},
    such_that={}, construct=Claim.construct, measure=Claim.measure, run=run,
    controls=[Control("one further", breaks=growth, run=replace(run, step=lambda s, t, p: [(x[0] + 1,) for x in s]))],
)
floats = replace(
    exact, label="The same in doubles", role="statement", source="published: arXiv 2508.09628, section 2; prose", expect="REFUTED",
    statement="A run of such tokens in doubles stays in their hull.", scope={"every n, x, T": "points"}, run=None, construct=doubles,
    measure=lambda run, p: {growth: exactly(max(hull(s, run[0]) for s in run))},
    controls=[Control("one more", breaks=growth, measure=lambda tokens, p: {growth: 1}),
              Control("in fractions", construct=lambda p: doubles(p, Fraction))],
)
