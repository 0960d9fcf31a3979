r"""The whole network with its head is off by at most $2AB\sqrt q\,r_xL$.

Setting    As in lemma_11, tokens of norm at most $r_x$; labels $y_i=g(x_{t_{i1}},\dots,x_{t_{iq}})$ with a two-layer
           head $g$, $\|a\|=A$, $\|(W,b)\|_F=B$; the network applies it to the retrieved tokens; $L$ the largest
           weight outside an indexed position.
Statement  $|\hat y_i-y_i|\le2AB\sqrt q\,r_xL$.
Proof      The head is $AB$-Lipschitz, and its input, $q$ retrieved tokens that are off by at most $2r_xL$ each
           (lemma_11), by at most $2\sqrt q\,r_xL$.
Witness    BlockAttention with $g=\sigma(\sum_hx_{t_h,1})$, whose Lipschitz constant is $AB$, and $g=\sum_hx_{t_h,1}$,
           where it is $AB/2$.  All indices $t$, $x_t=r_xv$ and all others $-r_xv$ attain
           $2\,\mathrm{Lip}(g)\sqrt q\,r_xL$ for $L\le\frac12$.
Measured   The exact forward pass, over extremal prompts, one long token, and random prompts.
Control    Query and key block transposed; a head left out; the last head copying the first slot; a quarter of the
           temperature; codes without $\sqrt{d/q}$; the bound without 2, and without $\sqrt q$.
Reads      Printed: the network is $r_ar_w$-Lipschitz in the retrieved tokens and its final distance at most
           $2\sqrt{\varepsilon_{2NN}}$. That is this bound, $AB=r_ar_w$, at a temperature where it is at most
           $\sqrt{\varepsilon_{2NN}}$, added to the distance of the link. The link here is a head itself,
           $\varepsilon_{2NN}=0$; the constants are derived here.
"""

from dataclasses import replace

import numpy as np
from sympy import Eq, Rational, log, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.by_family import code_of_family
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.numbers import maximum
from theorytools.papers.qstr.attention.output_error import extremal_prompt, head_norms, label_error, sum_head

from ..notation import A, B, N, beta, d, d_e, leak, lip, q, r_x, s

error = Quantity("output error", r"\max|\hat y_i-y_i|", "largest error of a label over the prompts tried", (0, None))
bound = 2 * A * B * sqrt(q) * r_x * leak
full = 4 * lip > 3 * A * B  # the head whose Lipschitz constant is A B


def link(p) -> ReluHead:
    return sum_head(p.q, p.d, units={"positive_part": 1, "linear": 2}[p.link])


def network(p, beta, **spoiled) -> BlockAttention:
    code = code_of_family(p.code, p.N, p.d_e, p.rng("codes"))
    return BlockAttention(code, beta, **{"q": p.q, "d": p.d, "head": link(p), **spoiled})


def construct(p, factor=1, **spoiled) -> BlockAttention:
    return network(p, p.beta * factor, **spoiled)


def prompts(net, p):
    rng = p.rng("prompts")
    yield from (extremal_prompt(net, p.r_x, t) for t in net.probes(2))
    yield [[p.r_x * (j == 0), *[0] * (p.d - 1)] for j in range(p.N)], np.array([[0, *range(1, p.q)]] * p.N)
    for _ in range(2):  # entries 0, 1 and -1: norms at most the square root of d
        yield rng.integers(-1, 2, (p.N, p.d)).tolist(), np.array([rng.permutation(p.N)[: p.q] for _ in range(p.N)])


def measure(net, p):
    tried = list(prompts(net, p))
    return {error: lambda: maximum(label_error(net, link(p), X, T, 1) for X, T in tried)}


def derive(net, p):
    norms = head_norms(net.head)
    return {A: norms[0], B: norms[1], leak: net.worst_leakage, lip: norms[0] * norms[1] / len(net.head.a)}


def left_out(p):
    head = link(p)
    return construct(p, head=replace(head, W=head.W[:, p.d :]), blocks=tuple((h, 0) for h in range(2, p.q + 1)))


claim = Claim(
    "Lemma 11, output of the network",
    role="statement", source="published: Lemma 11; prose",
    scope={"every code, link, N, d_e, q, d, s, r_x": "proof", "some network": "exhibited", "every prompt": "proof"},
    asserts=[error <= bound, error.equals(2 * lip * sqrt(q) * r_x * leak)],
    requires=[N >= 3, q <= N, leak <= Rational(1, 2), r_x**2 >= d], lets={beta: s * d_e * log(2) / 2},
    derive=derive, derived=[A, B, leak, lip],
    grid=points("code link N d_e q d s r_x", ("orthonormal", "positive_part", 8, 8, 2, 4, 4, 2),
                ("rademacher", "positive_part", 32, 17, 3, 6, 4, 5), ("rademacher", "linear", 32, 17, 3, 6, 4, 5),
                ("rademacher", "linear", 48, 23, 1, 4, 4, 5), ("rademacher", "positive_part", 24, 19, 4, 8, 4, 3)),
    construct=construct, measure=measure, controls=[
        Control("query and key block transposed", breaks=error,
                construct=lambda p: construct(p, blocks=tuple((0, h) for h in range(1, p.q + 1)))),
        Control("a head left out", breaks=error, where=q >= 2, construct=left_out),
        Control("the last head copies the first slot", breaks=error, where=q >= 2,
                construct=lambda p: construct(p, blocks=(*((h, 0) for h in range(1, p.q)), (1, 0)))),
        Control("a quarter of the temperature", breaks=error, construct=lambda p: construct(p, Rational(1, 4))),
        Control("codes without their factor", breaks=error, construct=lambda p: construct(p, scale=1)),
        Control("the bound without 2", asserts=[error <= bound / 2], breaks=error, where=full),
        Control("the bound without the root of q", asserts=[error <= bound / sqrt(q)], breaks=error,
                where=full & Eq(q, 4)),
    ],
)
