r"""Hard attention in doubles keeps tokens on a line within their hull, as it does in fractions.

Setting    Tokens $x_i$ on a line; at step $t$ each goes $\frac2{t+1}$ of the way to the token $y$ of least product
           $x_iy$, the first of several, all at once: $x_i'=x_i+\frac2{t+1}(y_i-x_i)$.
Statement  A run in doubles is at no step $t\le T$ outside of the interval in which it began.
Proof      In fractions $x_i'$ is a convex combination of two tokens.
Witness    The first tokens.
Measured   How far a token gets out, a rational, of the run in doubles and of that in fractions.
Control    Further by 1; repair: the run in fractions.
"""
from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, Quantity, Run, decide, exactly, grid
from theorytools.search.kinds import Vectors

from .notation import n

outside = Quantity("outside", r"\max_i\operatorname{dist}(x_i,H)", "how far a token is out of the hull H of the start")

def start(p, number=Fraction):
    return [number(x) for x in p.x]

def step(tokens, t, p, number=Fraction):
    goals = [tokens[decide.argmin([x * y for y in tokens])] for x in tokens]
    return [x + number(2) / (t + 1) * (y - x) for x, y in zip(tokens, goals, strict=True)]

def out(tokens, began):
    return max(max(tokens) - max(began), min(began) - min(tokens))

def states(p, number=float):
    run = [start(p, number)]
    for t in range(1, p.T + 1):
        run.append(step(run[-1], t, p, number))
    return [list(map(Fraction, tokens)) for tokens in run]

claim = Claim(
    "A line, in doubles", role="statement", source="derived here: hard attention in doubles", expect="REFUTED",
    scope={"every n, x, T": "points"}, asserts=outside <= 0, objects={"x": (Vectors(), n)}, grid=grid(n=[2, 3], T=[20]),
    construct=states, measure=lambda run, p: {outside: exactly(max(out(tokens, run[0]) for tokens in run))},
    controls=[Control("further by 1", breaks=outside, measure=lambda run, p: {outside: 1}),
              Control("in fractions", construct=lambda p: states(p, Fraction))],
)
run = Run(start, step, lambda s, t, p: {outside: out(s, start(p))})
repaired = replace(
    claim, label="A line, in fractions", role="statement", source="published: arXiv 2508.09628, section 2; prose",
    statement=r"A run in fractions is at no step $t\le T$ outside of the interval in which it began.", expect="HOLDS",
    scope={"every n, x": "proof", "every step to T": "every step"}, construct=Claim.construct, measure=Claim.measure,
    run=run, controls=[Control("further", breaks=outside, run=replace(run, step=lambda s, t, p: [x + 1 for x in s]))],
)
