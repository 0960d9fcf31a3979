r"""A learning-augmented paging algorithm is within a constant of the harmonic number, by what was measured of it.

Setting    Cache size $k$; the robustness that a reproduction measured, remade as $H_k+0.38\ln k$.
Statement  There is $K$ such that the robustness, as remade, is at most $H_k+K$ for every $k$.
Proof      Of the repair, $H_k+\frac25\ln k$: $0.38\le\frac25$. That no $K$ does: $0.38\ln k\ge1.14K$, $k\ge e^{3K}$.
Witness    $K=2$, and no constant: as a statement about growth.
Measured   The remade robustness, and what it exceeds $H_k$ by, in ball arithmetic.
Control    A tenth of the constant, a root, a tenth of the logarithm, twice the excess; repair: with a logarithm.
"""
from dataclasses import replace

from sympy import exp, harmonic, log

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid, points

from .notation import K, k

robustness = Quantity("robustness", "r_k", "remade from what was measured", (0, None))
excess = Quantity("excess", "r_k-H_k", "robustness less the harmonic number", (0, None))

def measure(size, p):
    def more():
        return Enclosure(size).log() * 19 / 50
    return {robustness: enclosed(lambda: more() + Enclosure(harmonic(size))), excess: enclosed(more)}

def root(size, p):
    return {excess: enclosed(lambda: Enclosure(size).sqrt())}

claim = Claim(
    "Within two of the harmonic number", role="statement", source="published: a reproduction of arXiv 2606.01342; none",
    scope={"some constant K": "exhibited", "every k": "points"}, asserts=robustness <= harmonic(k) + K,
    expect="WITNESS FAILS", grid=grid(K=[2], k=[8, 16, 32, 64]), construct=lambda p: p.k, measure=measure,
    controls=[Control("a tenth of it", breaks=robustness, asserts=[robustness <= harmonic(k) + K / 10]),
              Control("with a logarithm", asserts=[excess <= 2 * log(k) / 5])],
)
growth = replace(
    claim, label="Within a constant", role="statement", source="published: a reproduction of arXiv 2606.01342; none",
    expect="UNDECIDED", statement="What the remade robustness exceeds $H_k$ by is bounded.",
    grid=grid(k=[8, 16, 32, 64]), scope={"every k": "points"},
    asserts=excess.independent(k, logs=0, rivals=[log(k)], room=1),
    controls=[Control("a root", breaks=excess, measure=root)],
)
repaired = replace(
    claim, label="Within a logarithm of it", role="statement", source="derived here: paging", expect="HOLDS",
    statement=r"The remade robustness is at most $H_k+\frac25\ln k$ for every $k$.", scope={"every k": "proof"},
    asserts=excess <= 2 * log(k) / 5, grid=grid(k=[8, 16, 32, 64]),
    controls=[Control("a tenth", breaks=excess, asserts=[excess <= log(k) / 10])],
)
nowhere = replace(
    claim, label="Within no constant", role="statement", source="derived here: paging", expect="HOLDS",
    statement=r"For every $K>0$ the remade robustness exceeds $H_k+K$ at every $k\ge e^{3K}$.",
    scope={"every K, k": "proof"}, requires=[K > 0, k >= exp(3 * K)], asserts=excess > K,
    grid=points("K k", ("1/2", 5), (1, 21), (2, 404)),
    controls=[Control("twice the excess", breaks=excess, asserts=[excess > 2 * K])],
)
