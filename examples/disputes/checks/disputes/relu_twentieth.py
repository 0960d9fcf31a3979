r"""A network of two rectified units stays at most one twentieth on an interval, said a verifier.

Setting    $f(x)=1-4\max(x+\frac12,0)-\max(x+\frac1{10},0)$ for $-1\le x\le1$.
Statement  $f(x)\le\frac1{20}$ on all of the interval: Reluplex, fed with the bounds of its layers, answered "holds".
Proof      Of the repair, $-\frac{61}{10}\le f\le1$: what is subtracted is not negative and grows with $x$.
Measured   The output at $x$, exactly.
Control    The same with the sign of the output weights turned round; repair: at most 1, which is attained at $-1$.
"""
from dataclasses import replace
from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, grid

from .notation import x

output = Quantity("output", "f(x)", "of the network")

def network(z, sign=1):
    return {output: 1 - sign * (4 * max(z + Fraction(1, 2), 0) + max(z + Fraction(1, 10), 0))}

turned = Control("weights +4 and +1", breaks=output <= 1, where=x >= 0, measure=lambda z, p: network(z, -1))
claim = Claim(
    "At most a twentieth", role="statement", expect="REFUTED", scope={"every x": "points"},
    source="published: NeuralVerification.jl, issue 82; display", asserts=output <= Rational(1, 20),
    requires=[x >= -1, x <= 1], construct=lambda p: p.x, measure=lambda z, p: network(z), grid=grid(x=[0, "1/2", 1]),
    controls=[replace(turned, breaks=output), Control("at most 1", asserts=[output <= 1])],
)
repaired = replace(
    claim, label="Between -61/10 and 1", role="variant", expect="HOLDS", source="derived here: a verifier's answer",
    scope={"every x": "proof"}, asserts=[output <= 1, output >= -Rational(61, 10)], controls=[turned],
    grid=grid(x=[-1, 0, "1/2", 1]), statement=r"$-\frac{61}{10}\le f(x)\le1$ for $-1\le x\le1$.",
)
