r"""Two layers of logarithmic width decide equality and disjointness: output 0, or at least 0.48.

Finding    Two layers of logarithmic width decide equality and disjointness, with a gap of $0.48$ that does not shrink;
           one layer, with exact fixed-point sums and a public last token, needs linear size.
Setting    $x,y\in\{0,1\}^n$, $L=2n+1$ tokens, binary codes of length $k=\lceil\log_2n\rceil$ (at least 1), width
           $2k+6$. Layer 1 copies $x_i$ to $y_i$ with $b^2=16k$; layer 2 has score $2\ln(4L)c_j$ and value $c_j$.
Statement  The output is 0 where the answer is 1. Elsewhere it is at least $g(c)=c(4L)^{2c}/((4L)^{2c}+L-1)\ge0.48$,
           $c=\rho=\frac{2(16k)^k-S-n}{S+n+1}$ for equality and $\rho+\frac2{S+n+1}$ for disjointness, both attained.
Proof      $S$, the sum of $(16k)^{k-d}$ over the distances of the codes to the first, is the largest for any code
           (nn_transformer), so a copy has $r_ix_i\ge\rho>\frac35$ for all inputs, least with all others opposite; at a
           common one $y_i=1$ adds 2 to the sum. $c_i=(|y_i-r_i|-1)_+$, or $(y_i+r_i-1)_+$, is 0 where nothing is
           violated and $|r_i|$ elsewhere. With $m$ of these, all at least $c$, $\sum c_je_j\ge c\sum e_j$ and the
           output is at least $cmE/(mE+L-m)\ge g(c)$, $E=(4L)^{2c}$. $g$ rises, and at $c=\frac35$, $L\ge3$
           $E/L\ge4\cdot12^{1/5}>6.5$ leaves $g\ge\frac35\cdot\frac{6.5}{7.5}>.48$. One violation at the first code
           attains $g(c)$; $\rho>\frac35$ is $2a^*-1$ with $\frac1{a^*}\le\frac54$, at $n=2$.
Witness    TwoLayerBoolean.
Measured   The extremes over all $4^n$ inputs. Copies are rational; doubles choose the candidates, whose outputs are
           enclosed.
Control    No temperature in layer 1; codes of two positions swapped; layer 2 uniform; no first layer; half of $16k$.
Reads      The construction and its constants are derived here. Attained at irrational numbers, hence the tie.
"""

from dataclasses import replace

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.constructions.network import changed
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean

from ..notation import S_code, k, n

top = Quantity("true side", r"\max_{f=1}\mathrm{out}", "largest output where the answer is 1", (0, 1))
bottom = Quantity("false side", r"\min_{f=0}\mathrm{out}", "least output where the answer is 0", (0, 1))
width = Quantity("width", "m", "coordinates of the residual stream", (1, None))
L = 2 * n + 1
tie = Rational(1, 10**100)


def g(c):
    return c * (4 * L) ** (2 * c) / ((4 * L) ** (2 * c) + L - 1)


def rho(ones):
    return (2 * (16 * k) ** k - S_code - n + ones) / (S_code + n + 1)


def construct(p, **spoiled) -> TwoLayerBoolean:
    return TwoLayerBoolean(p.n, p.task, **spoiled)


def swapped(net):  # the codes of the first two positions
    return changed(net, first=changed(net.first, keys=np.array([1, 0, *range(2, net.n)])))


def empty(net):  # nothing is copied
    return changed(net, first=changed(net.first, value=0))


def measure(net, p):
    high, low = net.extremes()
    return {top: enclosed(high), bottom: enclosed(low), width: net.width}


def derive(net, p):
    return {k: net.k, S_code: net.first.code_sum}


def attained(value):
    return replace(bottom.equals(value), tie=tie)


def controls(least):
    return [
        Control("no temperature in layer 1", breaks=bottom, where=(n >= 2) & (n <= 5), asserts=[attained(least)],
                construct=lambda p: construct(p, base=1)),
        Control("codes of two positions swapped", breaks=bottom, where=(n >= 2) & (n <= 5),
                construct=lambda p: swapped(construct(p)),
                asserts=[attained(least), bottom >= Rational(12, 25)]),
        Control("layer 2 uniform", breaks=bottom, where=n <= 5, construct=lambda p: construct(p, scale=0)),
        Control("no first layer", breaks=bottom, where=n <= 5, construct=lambda p: empty(construct(p)),
                asserts=[attained(least), bottom >= Rational(12, 25)]),
        Control("half of 16 k", breaks=bottom, construct=lambda p: construct(p, base=8 * construct(p).k),
                where=n <= 5, asserts=[attained(least)]),
    ]


always = [top.equals(0), bottom >= Rational(12, 25), width.equals(2 * k + 6)]
claim = Claim(
    "Equality by two layers",
    role="statement", source="published: equality by two layers; prose",
    scope={"every task, n": "proof", "some network": "exhibited", "every pair of strings": "proof"},
    asserts=[*always, attained(g(rho(0)))], derive=derive, derived=[k, S_code],
    grid=points("task n", *(("equality", size) for size in (1, 2, 3, 4, 5, 8))),
    construct=construct, measure=measure, controls=controls(g(rho(0))),
)
disjoint = Claim(
    "Disjointness by two layers",
    role="statement", source="published: disjointness by two layers; prose",
    scope={"every task, n": "proof", "some network": "exhibited", "every pair of strings": "proof"},
    asserts=[*always, attained(g(rho(2)))], derive=derive, derived=[k, S_code],
    grid=points("task n", *(("disjointness", size) for size in (1, 2, 3, 4, 5, 8))),
    construct=construct, measure=measure, controls=controls(g(rho(2))),
)
