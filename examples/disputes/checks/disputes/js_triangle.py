r"""The Jensen-Shannon divergence is a distance, two libraries say by its name.

Setting    Laws $P,Q,R$ on $n$ outcomes, $J(P,Q)=H(\frac{P+Q}2)-\frac{H(P)+H(Q)}2$ in nats.
Statement  $J(P,R)\le J(P,Q)+J(Q,R)$.
Measured   The right side less the left, in ball arithmetic.
Control    The contrary.
"""
from theorytools import Claim, Control, Quantity, enclosed, grid
from theorytools.measures import entropy
from theorytools.search.kinds import Laws

from .notation import n

gap = Quantity("gap", "J(P,Q)+J(Q,R)-J(P,R)", "in the triangle inequality")

def divergence(p, q):
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return entropy(middle, base="e") - (entropy(p, base="e") + entropy(q, base="e")) / 2

def over(p, d=divergence):
    return {gap: enclosed(lambda: d(p.P, p.Q) + d(p.Q, p.R) - d(p.P, p.R))}

claim = Claim(
    "The Jensen-Shannon divergence", role="statement", scope={"every n, P, Q, R": "points"},
    source="published: faiss, issue 2947; prose", asserts=gap >= 0, objects={
        "P": (Laws(), n, [("1/2", "1/2"), ("1/3", "1/3", "1/3")]), "Q": (Laws(), n, [(1, 0), (1, 0, 0)]),
        "R": (Laws(), n, [(0, 1), (0, 1, 0)])},
    construct=lambda p: p, measure=lambda _, p: over(p), grid=grid(n=[2, 3]),
    controls=[Control("contrary", asserts=[gap <= 0], breaks=gap)],
)
