r"""Squared-exponential kernels may be built from any metric, the documentation of a library lets one believe.

Setting    $m$ equally spaced points of a circle, $d(i,j)$ the number of arcs between them; $0<a<1$.
Statement  $\sum_{i,j}v_iv_ja^{d(i,j)^2}\ge0$ for every vector $v$.
Proof      Of the repair, $a^d$: on $2m$ points $2d(i,j)$ counts the diameters that part $i$ from $j$: a product
           of $m$ kernels $\sqrt a+(1-\sqrt a)[i,j\text{ on one side}]$.
Measured   The sum, exactly.
Control    $a^{d^2}$ without the diagonal; repair: $a^d$.
"""
from dataclasses import replace

from theorytools import Claim, Control, Quantity, grid
from theorytools.search.kinds import Vectors

from .notation import base, m

form = Quantity("form", r"\sum_{i,j}v_iv_ja^{d(i,j)^2}", "quadratic form of the kernel")

def measure(v, p, power=2, least=0):
    arcs = [(i, j, min(abs(i - j), p.m - abs(i - j))) for i in range(p.m) for j in range(p.m)]
    return {form: sum(v[i] * v[j] * p.base ** (d**power) for i, j, d in arcs if d >= least)}

claim = Claim(
    "A kernel on the circle", role="statement", expect="REFUTED", scope={"every m, base, v": "points"},
    source="published: KernelFunctions.jl, issue 520; prose", asserts=form >= 0, requires=[m >= 2, base < 1],
    objects={"v": (Vectors(denominator=1), m, [(1, -1), (1, -1, 0)])},
    construct=lambda p: p.v, measure=measure, grid=grid(m=[2, 3], base=["1/4", "1/2"]),
    controls=[
        Control("no diagonal", breaks=form, measure=lambda v, p: measure(v, p, least=1)),
        Control("no square", measure=lambda v, p: measure(v, p, 1))],
)
repaired = replace(
    claim, label="Without the square", role="variant", expect="HOLDS", source="derived here: a kernel on the circle",
    scope={"every m, base, v": "proof"}, measure=lambda v, p: measure(v, p, 1),
    controls=[Control("no diagonal", breaks=form, measure=lambda v, p: measure(v, p, 1, 1))],
    statement=r"$\sum_{i,j}v_iv_ja^{d(i,j)}\ge0$, $m\ge2$, $0<a<1$.",
)
