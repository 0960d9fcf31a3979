r"""The network that attains the sharp bound for few heads, run in doubles on fresh prompts.

Setting    As in proposition_03, with $N=16$ and $q<K=7$; codes are the first 16 rows of the Hadamard matrix of
           order 64.
Statement  $E(y_i-\hat y_i)^2=2(1-\frac Hq)_+(1-\frac Hd)_+$ for $i\ge N/2$ within 5 % of the variance of the label.
Witness    HeadDecoder as in proposition_03_decoder, at $\beta\approx60$ and $\lambda=\frac3{20}$: other Gaussian tokens
           have weight $10^{-26}$.  Predictions are clipped to $[-\sqrt{qd},10]$.
Measured   Squared errors of the forward pass and the readout, truncated; what truncation hides is bounded by the
           chi-square law of the label and the clip alone, whether or not the decoding is right.
Control    No block between positions and data; all heads with one direction; the published constant claimed tight.
Reads      Derived here.
"""

from dataclasses import replace

from sympy import Rational

from theorytools import Control, points
from theorytools.codes.families import hadamard
from theorytools.codes.subcode import subcode
from theorytools.numbers import at_precision
from theorytools.statistics.sampled import truncated_mean
from theorytools.theory.clipped_labels import clipped_label_excess

from ..notation import H, d, q
from ..proposition_21.exact import late
from ..proposition_21.proposition_21 import K
from .decoder import apart, construct, one_direction
from .decoder import claim as exact_claim
from .proposition_03 import published
from .sharp import sharp

tolerance = Rational(1, 10)


def on(spoiled=construct):
    return lambda p: replace(spoiled(p), codes=subcode(hadamard(64), range(p.N)))


def sampled(net, p):
    tau, hidden = at_precision(128, lambda: clipped_label_excess(p.q * p.d, net.limit))
    return {late: truncated_mean(net.late_squares, p.seed("prompts"), tau=tau, excess=hidden)}


claim = replace(
    exact_claim, label="Proposition 3, attained by the running network",
    role="sharpness", source="derived here: Proposition 3",
    scope={"every N, d, q, H": "points", "some network": "exhibited", "every prompt": "drawn"},
    asserts=late.equals(2 * sharp, within=tolerance), requires=[q <= K, q >= H],
    grid=points("N d q H", (16, 4, 3, 1), (16, 4, 3, 2), (16, 3, 2, 1), (16, 2, 4, 2)),
    construct=on(), measure=sampled,
    controls=[
        Control("no block between positions and data", breaks=late, where=d <= 3, construct=on(apart)),
        Control("one direction for all heads", breaks=late, where=(H >= 2) & (q > H), construct=on(one_direction)),
        Control("the published constant", breaks=late, where=d >= 3,
                asserts=[late.equals(2 * published, within=tolerance)]),
    ],
)
