r"""A learning-augmented paging algorithm is within a constant of the harmonic number, by what was measured of it.

Setting    Cache size $k$; the robustness that a reproduction measured, remade as $H_k+0.38\ln k$.
Statement  There is $K$ such that the robustness is at most $H_k+K$ for every $k$.
Witness    $K=2$.
Measured   The remade robustness less $H_k$, in ball arithmetic; the harmonic number is a formula.
Control    A tenth of the constant; half of the witness for the repair.
"""
from dataclasses import replace
from sympy import Rational, harmonic, log
from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid
from .notation import K, k

robustness = Quantity("robustness", "r_k", "remade from what was measured", (0, None))
excess = Quantity("excess", "r_k-H_k", "robustness less the harmonic number", (0, None))

def measure(size, p):
    more = lambda: Enclosure(size).log() * 19 / 50
    return {robustness: enclosed(lambda: more() + Enclosure(harmonic(size))), excess: enclosed(more)}

claim = Claim(
    "Within two of the harmonic number", role="statement", source="published: arXiv 2606.01342; none",
    scope={"some constant K": "exhibited", "every k": "points"}, asserts=robustness <= harmonic(k) + K, expect="HOLDS",
    grid=grid(K=[2], k=[8, 16, 32, 64]), construct=lambda p: p.k, measure=measure,
    controls=[Control("a tenth of the constant", breaks=robustness, asserts=[robustness <= harmonic(k) + K / 10])],
)
growth = replace(
    claim, label="Within a constant of the harmonic number", role="statement", source="published: arXiv 2606.01342; none",
    scope={"every k": "points"}, expect="UNDECIDED", grid=grid(k=[8, 16, 32, 64]),
    asserts=excess.independent(k, logs=0, rivals=[log(k)], room=1),
    controls=[Control("a root", breaks=excess, measure=lambda size, p: {excess: enclosed(lambda: Enclosure(size).sqrt())})],
)
