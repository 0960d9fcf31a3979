r"""Trained equality: drawn pairs flatter one layer, and over all pairs two layers know more strings.

Setting    Two strings of 8 bits and a public last token, half of the pairs equal; in the others one bit of $y$ is
           flipped, two are exchanged, or $y$ is drawn afresh. Width 32, four heads. A string $x$ is known if $(x,x)$ is
           accepted and all other $(x,y)$ are rejected.
Statement  Two layers know a larger share of the strings than one layer. One layer trained and tested on $y$ drawn
           afresh has an accuracy of at least 0.9 and knows at most a quarter of the strings.
Witness    Eight networks of one layer and six of two layers; eight trained on $y$ drawn afresh.
Measured   All $4^8$ pairs; accuracy on 2048 equal and 2048 other pairs; means with 95 % t-intervals, differences with
           Welch's.
Control    The two exchanged; shuffled labels for accuracy; two layers for what one layer knows.
Reads      Accuracy on drawn pairs says nothing about the worst pair, which the lower bound speaks of: networks of one
           layer that reject all flips and exchanges drawn are wrong on hundreds of the 65536 pairs, recurrent units
           that do on more, and those know few of the 256 strings; some networks of two layers are right on all pairs.
           At float32 the message of one layer has more bits than a string; where it has fewer,
           experiments_equality_protocol finds the wrong pair.
"""


from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.statistics.t_intervals import mean_difference, repeat_mean
from theorytools.training.record import SweepRecord, recorded

gain = Quantity("gain", "K_2-K_1", "known share, two layers less one, means over networks", (-1, 1))
share = Quantity("known", "K_1", "share of the strings that are known, mean over networks", (0, 1))
accuracy = Quantity("accuracy", r"\mathrm{acc}", "on drawn pairs, mean over the networks", (0, 1))


def read():
    return recorded(__file__, "strings")


def construct(p) -> SweepRecord:
    return read()


def known(record, p, who):
    return [trial.result["known"] / 2**p.n for trial in record.of(f"equality, {who}")]


def gains(record, p, more="two layers", less="one layer"):
    return {gain: mean_difference(known(record, p, more), known(record, p, less))}


def drawn(record, p, who="one layer, random pairs", edit="random"):
    results = [trial.result for trial in record.of(f"equality, {who}")]
    return {accuracy: repeat_mean([(r["accepted"] + r["rejected"][edit]) / (2 * r["tests"]) for r in results])}


def measure(record, p, who="one layer, random pairs"):
    return {share: repeat_mean(known(record, p, who)), **drawn(record, p)}


claim = Claim(
    "Experiments: equality, two layers against one",
    role="found", source="derived here: experiments on equality",
    scope={"every n": "points", "every repeat": "recorded", "every pair of strings": "enumeration"},
    asserts=gain >= 0, construct=construct,
    measure=gains, grid=points("n", (8,)), controls=[
        Control("exchanged", breaks=gain, measure=lambda record, p: gains(record, p, "one layer", "two layers")),
    ],
)
random = Claim(
    "Experiments: equality of drawn pairs",
    role="found", source="derived here: experiments on equality",
    scope={"every n": "points", "every repeat": "recorded", "every pair of strings": "recorded"},
    asserts=[accuracy >= Rational(9, 10), share <= Rational(1, 4)],
    construct=construct, measure=measure, grid=points("n", (8,)), controls=[
        Control("shuffled labels", breaks=accuracy, asserts=[accuracy >= Rational(9, 10)],
                measure=lambda record, p: drawn(record, p, "one layer, shuffled labels")),
        Control("two layers", breaks=share, asserts=[share <= Rational(1, 4)],
                measure=lambda record, p: {share: repeat_mean(known(record, p, "two layers"))}),
    ],
)
