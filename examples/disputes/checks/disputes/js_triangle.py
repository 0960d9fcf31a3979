r"""The Jensen-Shannon divergence is a distance, two libraries say by its name.

Setting    Laws $P,Q,R$ on $n$ outcomes, $J(P,Q)=H(\frac{P+Q}2)-\frac{H(P)+H(Q)}2$ in nats.
Statement  $J(P,R)\le J(P,Q)+J(Q,R)$.
Measured   The right side less the left, in ball arithmetic.
Control    The contrary; repair: its root.
Reads      That the root is a metric: Endres and Schindelin (2003), from memory.
"""
from dataclasses import replace

from theorytools import Claim, Control, Quantity, enclosed, grid
from theorytools.measures import entropy
from theorytools.search.kinds import Laws

from .notation import n

gap = Quantity("gap", "J(P,Q)+J(Q,R)-J(P,R)", "in the triangle inequality")

def divergence(p, q):
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return entropy(middle, base="e") - (entropy(p, base="e") + entropy(q, base="e")) / 2

def root(p, q):
    return divergence(p, q).nonnegative_part().sqrt()

def over(p, d=divergence):
    return {gap: enclosed(lambda: d(p.P, p.Q) + d(p.Q, p.R) - d(p.P, p.R))}

contrary = Control("contrary", asserts=[gap <= 0], breaks=gap)
claim = Claim(
    "The Jensen-Shannon divergence", role="statement", expect="REFUTED", scope={"every n, P, Q, R": "points"},
    source="published: faiss, issue 2947; prose", asserts=gap >= 0, objects={
        "P": (Laws(), n, [("1/2", "1/2"), ("1/3", "1/3", "1/3")]), "Q": (Laws(), n, [(1, 0), (1, 0, 0)]),
        "R": (Laws(), n, [(0, 1), (0, 1, 0)])},
    construct=lambda p: p, measure=lambda _, p: over(p), grid=grid(n=[2, 3]),
    controls=[contrary, Control("root", measure=lambda _, p: over(p, root))],
)
repaired = replace(
    claim, label="Its root", role="variant", expect="HOLDS", controls=[contrary], measure=lambda _, p: over(p, root),
    source="published: Endres and Schindelin (2003), A new metric for probability distributions; none",
    statement=r"$\sqrt{J(P,R)}\le\sqrt{J(P,Q)}+\sqrt{J(Q,R)}$.",
)
