r"""The cosine distance is a metric on vectors, two libraries take for granted.

Setting    Vectors $u,v,w\ne0$ in $\mathbb{R}^n$, $d(u,v)=1-\frac{\langle u,v\rangle}{|u||v|}$.
Statement  $d(u,w)\le d(u,v)+d(v,w)$.
Proof      Of the repair, $\sqrt{2d(u,v)}=|\frac u{|u|}-\frac v{|v|}|$.
Measured   The right side less the left, in ball arithmetic.
Control    The contrary; repair: its root.
"""
from dataclasses import replace

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid
from theorytools.search.kinds import Vectors

from .notation import n

gap = Quantity("gap", "d(u,v)+d(v,w)-d(u,w)", "in the triangle inequality")
kind = Vectors(denominator=1)

def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))

def distance(u, v):
    return 1 - dot(u, v) / Enclosure(dot(u, u) * dot(v, v)).sqrt()

def root(u, v):
    return distance(u, v).nonnegative_part().sqrt()

def over(p, d=distance):
    return {gap: enclosed(lambda: d(p.u, p.v) + d(p.v, p.w) - d(p.u, p.w))}

contrary = Control("contrary", asserts=[gap <= 0], breaks=gap)
claim = Claim(
    "The cosine distance", role="statement", expect="REFUTED", scope={"every n, u, v, w": "points"},
    source="published: scikit-learn, issue 6934; prose", asserts=gap >= 0,
    objects={"u": (kind, n, [(1, 1), (1, 1, 1)]), "v": (kind, n, [(1, 0), (1, 0, 0)]),
             "w": (kind, n, [(0, 1), (0, 0, 1)])},
    such_that={"none is zero": lambda p: any(p.u) and any(p.v) and any(p.w)}, construct=lambda p: p,
    measure=lambda _, p: over(p), grid=grid(n=[2, 3]),
    controls=[contrary, Control("root", measure=lambda _, p: over(p, root))],
)
repaired = replace(
    claim, label="Its root", role="variant", expect="HOLDS", source="derived here: the cosine distance",
    scope={"every n, u, v, w": "proof"}, controls=[contrary], measure=lambda _, p: over(p, root),
    statement=r"$\sqrt{d(u,w)}\le\sqrt{d(u,v)}+\sqrt{d(v,w)}$, where none is zero.",
)
