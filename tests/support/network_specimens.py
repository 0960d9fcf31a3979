"""One network of every kind, with inputs, answers and worst inputs, for :func:`check_network`.

And a toy network, the identity on integers, that is spoiled one way at a time, with the properties that then fail.
"""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
import torch

from theorytools.codes.encodings import orthonormal_encodings, sign_encodings
from theorytools.codes.families import hadamard, rademacher
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.conformance import check_network
from theorytools.constructions.feedforward.link_heads import linear_head, link_head
from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.constructions.network import DOUBLE, Network
from theorytools.constructions.recurrent.position_tracker import PositionTracker
from theorytools.constructions.recurrent.simple_retrieval import SimpleRetrievalRNN
from theorytools.constructions.recurrent.store_all import StoreAllRNN
from theorytools.constructions.shapes import checked_numbers, exact_array
from theorytools.errors import ConformanceError
from theorytools.numbers import Enclosure, between
from theorytools.papers.qstr.attention.output_error import sum_head
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention
from theorytools.papers.qstr.feedforward.feature_readout import FeatureReadout
from theorytools.papers.qstr.feedforward.interpolant import Interpolant1D
from theorytools.papers.qstr.feedforward.min_norm_relu import MinNormReLU
from theorytools.papers.qstr.feedforward.span_predictor import PerIndexRidge, SpanPredictor
from theorytools.papers.qstr.feedforward.stationary import StationaryMember
from theorytools.papers.qstr.few_heads.block_diagonal import FewHeads
from theorytools.papers.qstr.recurrent.code_state import CodeStateRNN
from theorytools.papers.qstr.tasks.few_heads import FewTokens
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean
from theorytools.papers.sep.attention.equality import OneLayerEquality
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.recurrent.dyck import DyckRNN
from theorytools.papers.sep.tasks.boolean import all_pairs
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, equidistant
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.attention.selector_queries import float_queries
from theorytools.papers.stsq.feedforward.bottleneck import LinearBottleneck, OptimalLinearBottleneck

SIGNS = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
DATA = np.random.default_rng(4).integers(-6, 7, (4, 3, 2))
UNIT = (Fraction(3, 5), Fraction(4, 5))


def FRACTIONS(*shape):
    return np.random.default_rng(5).integers(1, 9, shape).astype(object) / Fraction(7)


@dataclass
class Specimen:
    """A network and how :func:`check_network` is to try it."""

    net: Any
    draw: Any
    options: dict


def integers(*shape, size=5):
    return lambda rng: rng.integers(-size, size + 1, shape)


def places(count, *shape):
    return lambda rng: rng.integers(0, count, shape)


def specimen(net, *parts, **options):
    return Specimen(net, lambda rng: tuple(part(rng) for part in parts), options)


def largest_norm(X, *_):
    return (sympy.sqrt(int((X**2).sum(axis=-1).max())),)


def indexed(X, T):
    """The tokens that are asked for, ``(n, N, q, d)``."""
    return X[np.arange(len(X))[:, None, None], T]


def block(net, **options):
    parts = integers(2, net.N, net.d), places(net.N, 2, net.N, net.q)
    return specimen(net, *parts, **options)


def extremal(net):
    """One prompt for each position: its token is 3 along the first axis, all others -3, and all indices name it."""
    X = np.zeros((net.N, net.N, net.d), dtype=int)
    X[:, :, 0] = 6 * np.eye(net.N, dtype=int) - 3
    return X, np.broadcast_to(np.arange(net.N)[:, None, None], (net.N, net.N, net.q))


def two_step():
    net = TwoStepAttention(hadamard(4), 6, 14, d=2)
    T, i = net.extremal()
    goal = T[T[i]]
    X = np.zeros((1, 4, 2), dtype=int)
    X[..., 0] = np.where(np.arange(4) == goal, 3, -3)
    twice = lambda X, T: X[np.arange(len(X))[:, None], np.take_along_axis(T, T, axis=1)]  # noqa: E731
    return specimen(
        net, integers(2, 4, 2), places(4, 2, 4), target=twice, assume=largest_norm, worst=(X, T[None]), vectors=True
    )


def selector():
    net = SparseSelector(orthonormal_encodings(5), 9, 2, 3)
    mean = lambda X, Y: [[Fraction(int(v), 2) for v in x[y].sum(axis=0)] for x, y in zip(X, Y, strict=True)]  # noqa: E731
    return specimen(
        net, lambda rng: np.eye(3, dtype=int)[rng.integers(0, 3, (4, 5))], lambda rng: np.array([[0, 3]] * 4),
        target=mean, assume=lambda X, Y: (1, tuple(map(int, Y[0]))), vectors=True, worst=None,
        feed=lambda X, Y: (X.astype(float), net.E.matrix(), float_queries(net.E, Y)),
    )  # fmt: skip


def selector_lp():
    net = SparseSelector(sign_encodings(6, 9, np.random.default_rng(0)), 5, 2, 2, "lp")
    return specimen(net, integers(3, 6, 2), lambda rng: np.array([[0, 1], [2, 5], [4, 3]]),
                    feed=lambda X, Y: (X.astype(float), net.E.matrix(), float_queries(net.E, Y, "lp")))  # fmt: skip


def boolean(task, **options):
    x, y = all_pairs(3)
    both = lambda x, y: (np.concatenate([x, y], axis=1),)  # noqa: E731
    return specimen(TwoLayerBoolean(3, task, **options), lambda rng: x, lambda rng: y, feed=both)


def nearest(variant):
    net = NearestNeighbour(NearestTask(equidistant(4, 2)), variant)

    def feed(labels):
        X = net.task.points / net.task.d**0.5
        every = list(itertools.product(labels, X))
        return (
            np.stack([X] * len(every)),
            np.stack([l for l, _ in every]).astype(float),
            np.stack([x for _, x in every]),
        )

    return specimen(net, lambda rng: np.array([*itertools.product([1, -1], repeat=4)]), feed=feed)


NETWORKS = {
    "BlockAttention": block(
        net := BlockAttention(hadamard(4), 7, q=2, d=2), target=indexed, assume=largest_norm, worst=extremal(net),
        vectors=True,
    ),
    "BlockAttention with a head": block(BlockAttention(rademacher(5, 12, np.random.default_rng(1)), 9, 2, 3,
                                                       head=linear_head(np.array([0.6, 0.8, 0]), 2))),
    "TwoStepAttention": two_step(),
    "SparseSelector": selector(),
    "SparseSelector, lp": selector_lp(),
    "IndexLookup": specimen(IndexLookup.of("binary", 5, 6, symbols=3), places(3, 6, 5), places(5, 6)),
    "IndexLookup, one-hot": specimen(IndexLookup.of("quadratic", 4, 9, symbols=3, one_hot=True),
                                     places(3, 6, 4), places(4, 6)),
    **{f"TwoLayerBoolean, {task}": boolean(task) for task in ("equality", "disjointness", "inner_product")},
    "TwoLayerBoolean, causal": boolean("equality", causal=True),
    "NearestNeighbour": nearest("position"),
    "NearestNeighbour, copy": nearest("copy"),
    "OneLayerEquality": specimen(OneLayerEquality(4), places(2, 9, 8)),
    "ReluHead": specimen(sum_head(2, 3), integers(7, 6)),
    "LinkHead": specimen(link_head("he2", [0.6, 0.8], 2, 2, radius=5, cells=8), integers(7, 4)),
    "FewHeads": specimen(FewHeads(hadamard(8), sympy.log(9), FewTokens(8, 2, 3), 2),
                         integers(2, 8, 2), places(7, 2, 8, 3)),
    "CodeStateRNN": specimen(CodeStateRNN.drawn(4, np.random.default_rng(0)), integers(3, 4, 1), places(4, 3, 4, 1)),
    "StoreAllRNN": specimen(StoreAllRNN.binary(6, 400), integers(3, 6, 1), places(6, 3, 6, 1)),
    "StoreAllRNN, clipped": specimen(StoreAllRNN.binary(6, 400, clipped=True), integers(3, 6, 1), places(6, 3, 6, 1)),
    "PositionTracker": specimen(tracker := PositionTracker(SIGNS, 12, 2, 3), integers(9, 3 + 9, size=9),
                                feed=lambda Z: (np.concatenate([np.zeros((len(Z), 6)), Z], axis=1),)),
    "SimpleRetrievalRNN": specimen(
        SimpleRetrievalRNN(tracker, ReluHead(np.array([1, -2]), np.array([[1, 2, 0, 1, 0, 3], [0, 1, 1, -1, 2, 0]]),
                                             np.array([1, 0])), 20),
        integers(3, 4, 3), lambda rng: np.broadcast_to(rng.integers(0, 4, (3, 1, 2)), (3, 4, 2)),
    ),
    "DyckRNN, stack": specimen(DyckRNN.stack(2, 3), places(4, 20, 8), free=[0]),
    "DyckRNN, one-hot": specimen(DyckRNN.one_hot(2, 2), places(4, 20, 8), free=[0]),
    "SpanPredictor": specimen(SpanPredictor(DATA, UNIT), integers(4, 3, 2), places(3, 4, 3, 1)),
    "PerIndexRidge": specimen(
        PerIndexRidge(DATA, UNIT, np.array([0, 2, 0, 1]), Fraction(1, 3)), integers(4, 3, 2), places(3, 4, 3, 1)
    ),
    "StationaryMember": specimen(StationaryMember.oracle(DATA, [0, 2, 1, 0], UNIT, Fraction(1, 9)),
                                 lambda rng: np.concatenate([DATA, integers(4, 3, 2)(rng)]), places(3, 8, 3, 1)),
    "FeatureReadout": specimen(FeatureReadout(FRACTIONS(3, 6), FRACTIONS(3, 3)), integers(4, 3, 2), places(3, 4, 3, 1)),
    "LinearBottleneck": specimen(LinearBottleneck(FRACTIONS(5, 8), 4, 2, 2), integers(5, 4, 2), places(4, 5, 2)),
    "OptimalLinearBottleneck": specimen(OptimalLinearBottleneck.of(5, 4, 2, 2), integers(5, 4, 2), places(4, 5, 2)),
    "Interpolant1D": specimen(Interpolant1D([-2, 0, "1/2", 3], [1, -1, 2, 5]), integers(9), free=[0],
                              feed=lambda x: (x[:, None].astype(float),)),
    "MinNormReLU": specimen(MinNormReLU([2, -1, 3], [[1, 0, 2], [0, 3, Fraction(1, 3)], [-1, 1, 1]]), integers(9, 3)),
}  # fmt: skip


class Shift(Network):
    """The identity on integers, off by ``offset`` in floats, by ``exact_offset`` in exact arithmetic."""

    def __init__(self, offset=0, exact_offset=0, bound=0.0, certified=0, spread=0, factor=1, shift=0, extra=0):
        self.offset, self.exact_offset, self.bound, self.certified = offset, exact_offset, bound, certified
        self.spread, self.factor, self.shift, self.extra = spread, factor, shift, extra

    def __call__(self, X):
        return checked_numbers("X", X, "n", 2) + self.offset

    def exact(self, X):
        X = exact_array("X", X, "n", 2)
        return [
            [between(x + self.exact_offset - self.spread, x + self.exact_offset + self.spread) for x in row]
            for row in X
        ]

    def rounding(self, size, u=DOUBLE):
        return self.bound

    def certificate(self):
        return self.certified

    def norms(self):
        return {"weight": Enclosure(2).sqrt() * self.factor}

    def sizes(self):
        return {"parameters": 4 + self.extra}

    def module(self, dtype=None, device="cpu"):
        made = torch.nn.Linear(2, 2, bias=False, dtype=dtype or torch.float64)
        with torch.no_grad():
            made.weight.copy_(torch.eye(2))
        if self.shift:
            made.register_forward_hook(lambda module, inputs, out: out + self.shift)
        return made


def draw(rng):
    return (rng.integers(-5, 6, (3, 2)),)


def failures(net, **options):
    found = set()
    for same, prop in check_network(net, draw, target=lambda X: X, **options):
        assert same is net
        try:
            prop()
        except ConformanceError:
            found.add(prop.name)
    return found
