r"""A network of two rectified units stays at most one twentieth on an interval, said a verifier.

Setting    $f(x)=1-4\max(x+\frac12,0)-\max(x+\frac1{10},0)$ for $-1\le x\le1$.
Statement  $f(x)\le\frac1{20}$ on all of the interval: Reluplex, fed with the bounds of its layers, answered "holds".
Measured   The output at $x$, exactly.
Control    The same with the sign of the output weights turned round.
"""
from fractions import Fraction
from sympy import Rational
from theorytools import Claim, Control, Quantity, grid
from .notation import x

output = Quantity("output", "f(x)", "of the network")

def network(z, sign=1):
    return 1 - sign * (4 * max(z + Fraction(1, 2), 0) + max(z + Fraction(1, 10), 0))

claim = Claim(
    "At most a twentieth", role="statement", scope={"every x": "points"},
    source="published: sisl/NeuralVerification.jl, issue 82; display", asserts=output <= Rational(1, 20),
    requires=[x >= -1, x <= 1], construct=lambda p: p.x, measure=lambda z, p: {output: network(z)},
    grid=grid(x=[0, "1/2", 1]),
    controls=[Control("output weights +4 and +1", breaks=output, measure=lambda z, p: {output: network(z, -1)})],
)
