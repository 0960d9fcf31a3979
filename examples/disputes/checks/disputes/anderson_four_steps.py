r"""Restarted Anderson acceleration of memory one: four steps contract as the worst pair of eigenvalues says.

Setting    A symmetric $M$ with eigenvalues $m_i$, distinct and none 1; a residual $v$ in its eigenbasis. A cycle is a
           plain step and one of memory one: $v\mapsto M(v-\tau(I-M)v)$ with the $\tau$ that makes $v-\tau(I-M)v$ least.
Statement  Two cycles multiply $|v|$ by at most $\max\rho(m_i,m_j)^2$, $\rho(a,b)=ab(b-a)/(|a(a-1)|+|b(b-1)|)$, $n\ge2$.
Proof      Of $n=2$, $m=(a,b)$: two cycles multiply $v$ by $a^2b^2(b-a)^2v_1^2v_2^2/(AB)$, up to sign, where
           $A=(1-a)^2v_1^2+(1-b)^2v_2^2$, $B=a^2v_2^2+b^2v_1^2$, and $AB\ge(|a(1-a)|+|b(1-b)|)^2v_1^2v_2^2$;
           0 where $v_1v_2=0$.
Witness    The first vectors; for $m=(-1,2)$, $v=(1,2)$ the bound is attained.
Measured   Both sides to the second power, rationals.
Control    Half of the bound, where it is attained; repair: $\max m_i^2$, as $v-\tau(I-M)v$ is a projection of $v$.
"""
from dataclasses import replace
from itertools import combinations

from sympy import Eq

from theorytools import Claim, Control, Quantity, exactly, grid
from theorytools.measures import squared_norm
from theorytools.search.kinds import Vectors

from .notation import n

growth = Quantity("growth", r"|v_4|^2/|v|^2", "squared amplification of two cycles", (0, None))
pair = Quantity("pair", r"\max\rho^4", "what the worst pair of eigenvalues says", (0, None))
norm = Quantity("norm", r"\max m_i^4", "what the norm of M says", (0, None))

def cycle(m, v):
    a = [(1 - x) * y for x, y in zip(m, v, strict=True)]
    tau = sum(x * y for x, y in zip(v, a, strict=True)) / squared_norm(a) if any(a) else 0
    return [x * (y - tau * z) for x, y, z in zip(m, v, a, strict=True)]

def measure(thing, p):
    m, v = thing
    worst = max((a * b * (b - a) / (abs(a * (a - 1)) + abs(b * (b - 1)))) ** 4 for a, b in combinations(m, 2))
    after = squared_norm(cycle(m, cycle(m, v))) / squared_norm(v)
    return {growth: exactly(after), pair: exactly(worst), norm: max(m, key=abs) ** 4}

half = Control("half of the bound", breaks=growth, asserts=[growth <= pair / 2],
               construct=lambda p: tuple(map(Vectors().unpack, ([-1, 2], [1, 2]))))
claim = Claim(
    "Conjecture 10: four steps", role="statement", source="published: arXiv 2312.04776, Conjecture 10; none",
    scope={"every n, m, v": "points"}, requires=[n >= 2], expect="REFUTED", asserts=growth <= pair, measure=measure,
    objects={"m": (Vectors(), n, [(-1, 2), (0, 2), (0, -1, 2), (-1, 2, -2)]), "v": (Vectors(), n, 9)},
    such_that={"1 and the eigenvalues differ": lambda p: len({*p.m, 1}) > p.n, "v is not 0": lambda p: any(p.v)},
    grid=grid(n=[2, 3]), construct=lambda p: (p.m, p.v),
    controls=[half, Control("the norm of M", asserts=[growth <= norm])],
)
repaired = replace(
    claim, label="Two eigenvalues", role="statement", source="derived here: Conjecture 10", expect="HOLDS",
    statement=r"For two eigenvalues two cycles multiply $|v|$ by at most $\rho(m_1,m_2)^2$.",
    scope={"every n, m, v": "proof"}, requires=[Eq(n, 2)], grid=grid(n=[2]), controls=[half],
)
