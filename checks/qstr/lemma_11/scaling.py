r"""Leakage falls exponentially as the inverse temperature rises, at a rate between $1-\rho$ and 2.

Setting    As in lemma_11; $L/(1-L)=\max_t\sum_{j\ne t}e^{\beta(G_{tj}-1)}$, $G$ being the Gram matrix of the codes.
Statement  $\log\frac L{1-L}$ has slope between $-2$ and $-(1-\rho)$ at every $\beta$.
Witness    Random signs at low and high temperature; equiangular codes and two opposite ones attain the two slopes.
Measured   Difference quotients, which average the slope over a rise $h$; rational where the powers of 2 are.
Control    $L$ for $L/(1-L)$, whose slope is smaller by $1-L$; slope 1 for $1-\rho$ and for 2; a halving less in the
           rise.
Reads      Derived here.
"""

from dataclasses import replace

from sympy import Symbol, exp, log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.by_family import code_of_family
from theorytools.constructions.attention.block import BlockAttention
from theorytools.numbers import evaluate

from ..notation import N, beta, halvings, rho, rise

slope = Quantity("slope", r"\frac1h\Delta_h\log\tfrac L{1-L}", "over a rise of the temperature by h = rise log 2")
factor = Quantity("factor on L", r"\tfrac{L(\beta+h)}{L(\beta)}", "over the same rise", (0, 1))
doublings = log(Symbol("x")) / log(2)  # an integer at powers of 2


def construct(p) -> BlockAttention:
    return BlockAttention(code_of_family(p.code, p.N, p.d_e, p.rng("codes")), beta=p.beta)


def measure(net, p, fewer=0):
    cooler = replace(net, beta=p.beta + (p.rise - fewer) * log(2))

    def quotient(odds):
        return odds(cooler.worst_leakage()) / odds(net.worst_leakage())

    return {slope: lambda: evaluate(doublings, {"x": quotient(lambda L: L / (1 - L))}) / p.rise,
            factor: lambda: quotient(lambda L: L)}


claim = Claim(
    "Lemma 11, leakage against temperature",
    role="growth", source="derived here: Lemma 11",
    scope={"every code, N, d_e, rise": "points", "every temperature halvings": "points"},
    asserts=[slope <= -(1 - rho), slope >= -2], requires=[N >= 2, rho < 1],
    lets={beta: halvings * log(2)}, derive=lambda net, p: {rho: net.codes.coherence()}, derived=[rho],
    grid=points("code N d_e halvings rise", ("binary", 2, 1, 1, 1), ("orthonormal", 16, 16, 1, 1),
                ("simplex", 8, 8, 7, 7), ("rademacher", 64, 67, 1, "1/1000"), ("rademacher", 64, 67, 40, "1/1000"),
                ("rademacher", 64, 20, 100, "1/10"), ("rademacher", 256, 89, 20, 20)),
    construct=construct, measure=measure, controls=[
        Control("L for L/(1 - L)", asserts=[factor <= exp(-(1 - rho) * rise * log(2))], breaks=factor, where=rho <= 0),
        Control("a halving less in the rise", breaks=slope, asserts=[slope <= -(1 - rho)],
                where=(rho <= 0) & (halvings <= 1),
                measure=lambda net, p: measure(net, p, fewer=1)),
        Control("slope 1 for 1 - rho", asserts=[slope <= -1], breaks=slope, where=halvings >= 100),
        Control("slope 1 for 2", asserts=[slope >= -1], breaks=slope, where=rho < 0),
    ],
)
