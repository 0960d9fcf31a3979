r"""Feedforward row of the hierarchy: a risk of $\tau$ takes $(1-\tau)Nd$ prompts, whatever the width.

Setting    Simple 1STR, as in Theorem 6: networks $f(T,Wx)$ of width $m_1$, the rows of $W$ in the span of $n$ Gaussian
           prompts; risks averaged over the links of a basis.
Statement  The least $n$ with a risk of at most $\tau$ is $n_\tau=\lceil(1-\tau)Nd\rceil$ for the best network of any
           width $m_1\ge n_\tau$: exponents 1 in $N$, 1 in $d$, 0 in $m_1$. It is attained by an explicit network of
           width $n$. A linear network with one weight vector per index, fitted by minimum norm, takes $Nn_\tau$.
Witness    Mixtures $AX$, $A$ integer, with any $f$; SpanPredictor; PerIndexRidge with every index equally often.
Measured   The least $n$ by bisection over prefixes of one data set, risks in rationals. Linear networks are averaged
           over cyclic shifts of the tokens.
Control    A layer that is not made of the data, or one row too narrow; copies of one prompt; $N$ or $N^2d$ for $Nd$;
           $Nd$ for $N^2d$.
Reads      The informal theorem is about sample size; this is its lower bound for feedforward networks, for the rules of
           Definition 5, with the constant 1.
"""

from dataclasses import replace

from sympy import ceiling

from theorytools import Claim, Control, Quantity, points

from ..notation import N, d, m_1, risk_0
from ._prompts_needed import PromptsNeeded

need = Quantity("prompts needed", r"n_\tau", "best network of width m_1", (1, None))
member = Quantity("prompts of the explicit network", r"\hat n_\tau", "width n", (1, None))
linear = Quantity("prompts of the linear network", r"n^{\mathrm{lin}}_\tau", "one weight vector per index", (1, None))


def construct(p, **spoiled) -> PromptsNeeded:
    return PromptsNeeded(p.rng("prompts"), p.N, p.d, p.m_1, p.risk_0, **spoiled)


def measure(net, p):
    return {need: net.best(), member: net.explicit(), linear: net.linear()}


wide = ceiling((1 - risk_0) * N * d)
claim = Claim(
    "Theorem 1, feedforward networks",
    role="variant", source="published: Theorem 1, the lower bound for feedforward networks; prose",
    scope={"every N, d, m_1, risk_0": "points", "every network in the span": "closed form", "every data set": "drawn"},
    asserts=[need.equals(wide), member.equals(wide), linear.equals(N * wide)], requires=[m_1 >= wide, risk_0 < 1],
    grid=points("N d m_1 risk_0", (2, 1, 1, "1/2"), (2, 2, 2, "1/2"), (2, 2, 9, "1/4"), (3, 2, 8, "1/3"),
                (4, 1, 1, "3/4")),
    construct=construct, measure=measure,
    controls=[
        Control("a layer that is not made of the data", breaks=need, where=(wide >= 2) & (m_1 >= N * d),
                measure=lambda net, p: {**measure(net, p), need: net.best(foreign=True)}),
        Control("copies of one prompt", breaks=need, where=wide >= 2,
                measure=lambda net, p: {**measure(net, p), need: construct(p, copies=True).best()}),
        Control("a layer one row too narrow", breaks=need, where=wide >= 2,
                measure=lambda net, p: {**measure(net, p), need: replace(net, width=net.best() - 1).best()}),
        Control("the dimension dropped", breaks=[need, member], where=d >= 2,
                asserts=[need.equals(wide / d), member.equals(wide / d)]),
        Control("the rate of the linear network", breaks=[need, member],
                asserts=[need.equals(N * wide), member.equals(N * wide)]),
        Control("the rate of the best network", breaks=linear, asserts=[linear.equals(wide)]),
    ],
)
