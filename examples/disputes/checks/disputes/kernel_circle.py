r"""Squared-exponential kernels may be built from any metric, the documentation of a library lets one believe.

Setting    $m$ equally spaced points of a circle, $d(i,j)$ the number of arcs between them; $0<a<1$.
Statement  $\sum_{i,j}v_iv_ja^{d(i,j)^2}\ge0$ for every vector $v$.
Measured   The sum, exactly.
Control    $a^{d^2}$ without the diagonal.
"""
from theorytools import Claim, Control, Quantity, grid
from theorytools.search.kinds import Vectors

from .notation import base, m

form = Quantity("form", r"\sum_{i,j}v_iv_ja^{d(i,j)^2}", "quadratic form of the kernel")

def measure(v, p, power=2, least=0):
    arcs = [(i, j, min(abs(i - j), p.m - abs(i - j))) for i in range(p.m) for j in range(p.m)]
    return {form: sum(v[i] * v[j] * p.base ** (d**power) for i, j, d in arcs if d >= least)}

claim = Claim(
    "A kernel on the circle", role="statement", scope={"every m, base, v": "points"},
    source="published: KernelFunctions.jl, issue 520; prose", asserts=form >= 0, requires=[m >= 2, base < 1],
    objects={"v": (Vectors(denominator=1), m, [(1, -1), (1, -1, 0)])},
    construct=lambda p: p.v, measure=measure, grid=grid(m=[2, 3], base=["1/4", "1/2"]),
    controls=[Control("no diagonal", breaks=form, measure=lambda v, p: measure(v, p, least=1))],
)
