"""Small networks of every family, with weights at which floats come close to the bound on their rounding.

Weights were searched for beside inputs: among some dozen of each family those are kept at which a format errs most.
"""

import itertools
from fractions import Fraction

import numpy as np
import sympy
from network_specimens import DATA, SIGNS, UNIT, Specimen, block, integers, places, specimen

from theorytools.codes.encodings import orthonormal_encodings
from theorytools.codes.families import hadamard
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.feedforward.link_heads import linear_head, link_head
from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.constructions.recurrent.position_tracker import PositionTracker
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
from theorytools.papers.sep.tasks.boolean import all_pairs
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, equidistant
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.attention.selector_queries import float_queries
from theorytools.papers.stsq.feedforward.bottleneck import LinearBottleneck, OptimalLinearBottleneck


def sevenths(seed, *shape):
    return np.random.default_rng(seed).integers(1, 9, shape).astype(object) / Fraction(7)


def selector(beta):
    net = SparseSelector(orthonormal_encodings(2), beta, 1, 1)
    feed = lambda X, Y: (X.astype(float), net.E.matrix(), float_queries(net.E, Y))  # noqa: E731
    return specimen(net, integers(16, 2, 1), places(2, 16, 1), feed=feed)


def headed(beta, weight):
    return block(BlockAttention(hadamard(2), beta, 1, 1, head=linear_head(np.array([weight]), 1)))


def two_step(one, two):
    return specimen(TwoStepAttention(hadamard(2), one, two, d=1), integers(16, 2, 1), places(2, 16, 2))


def nearest(N, variant, pull):
    net = NearestNeighbour(NearestTask(equidistant(N, 2)), variant, pull)

    def feed(labels):
        X = net.task.points / net.task.d**0.5
        every = list(itertools.product(labels, X))
        parts = [X] * len(every), [one.astype(float) for one, _ in every], [x for _, x in every]
        return tuple(map(np.stack, parts))

    return specimen(net, lambda rng: np.array([*itertools.product([1, -1], repeat=N)]), feed=feed)


def boolean(n, task, scale, base):
    both = lambda x, y: (np.concatenate([x, y], axis=1),)  # noqa: E731
    return Specimen(TwoLayerBoolean(n, task, scale, base=base), lambda rng: all_pairs(n), {"feed": both})


def relu(seed, m, D):
    draw = np.random.default_rng(seed).uniform
    a = draw(0.5, 1, m)
    W = np.random.default_rng(seed).uniform(0.5, 1, (m, D))
    return specimen(ReluHead(a, W, np.zeros(m)), integers(32, D))


def few(base):
    task = FewTokens(4, 1, 1)
    return specimen(FewHeads(hadamard(4), sympy.log(base), task, 1), integers(8, 4, 1), places(3, 8, 4, 1))


def codeword(N, seed):
    net = CodeStateRNN.drawn(N, np.random.default_rng(seed))
    return specimen(net, integers(32, N, 1), places(N, 32, N, 1))


def span(seed):
    X = np.random.default_rng(seed).integers(1, 7, (1, 2, 1))
    return specimen(SpanPredictor(X, (Fraction(1),)), integers(16, 2, 1), places(2, 16, 2, 1))


def stationary(seed, n, N):
    X = np.random.default_rng(seed).integers(1, 7, (n, N, 2))
    net = StationaryMember.oracle(X, list(np.arange(n) % N), UNIT, Fraction(1, 10000))
    return specimen(net, lambda rng: np.concatenate([X, integers(12, N, 2)(rng)]), places(N, 12 + n, N, 1), fixed=True)


def bottleneck(seed, T, m):
    return specimen(LinearBottleneck(sevenths(seed, m, T), T, 1, 1), integers(16, T, 1), places(T, 16, 1))


def optimal(m, T, q):
    return specimen(OptimalLinearBottleneck.of(m, T, 1, q), integers(32, T, 1), places(T, 32, q))


def interpolant(seed, n):
    rng = np.random.default_rng(seed)
    x = sorted(set(rng.integers(-9, 10, n).tolist()))
    net = Interpolant1D(x, rng.integers(-9, 10, len(x)).tolist())
    return specimen(net, integers(32), free=[0], feed=lambda x: (x[:, None].astype(float),))


def least_norm(seed, m, D):
    rng = np.random.default_rng(seed)
    a, W = ([Fraction(int(v), 7) for v in rng.integers(1, 9, size)] for size in (m, m * D))
    return specimen(MinNormReLU(a, np.array(W, dtype=object).reshape(m, D).tolist()), integers(32, D))


def features(seed):
    return specimen(FeatureReadout(sevenths(seed, 1, 2), sevenths(seed + 9, 2, 1)), integers(32, 2, 1),
                    places(2, 32, 2, 1))  # fmt: skip


def ridge(part):
    net = PerIndexRidge(DATA[:, :2, :1], (Fraction(1),), np.array([0, 1, 1, 0]), Fraction(1, part))
    return specimen(net, integers(32, 2, 1), places(2, 32, 2, 1))


def lookup(code, b, **options):
    symbols = options.get("symbols", 2)
    return specimen(IndexLookup.of(code, 2, b, **options), places(symbols, 32, 2), places(2, 32))


def tracker(size, *formats):
    """Encoded tokens up to a size from which on some integers are no numbers of the formats."""
    net = PositionTracker(SIGNS, 12, 2, 3)
    X, T = integers(64, 4, 3, size=size), places(4, 64, 4, 2)

    def encoded(rng):
        return (net.encode(X(rng), T(rng)).reshape(256, -1),)

    feed = lambda Z: (np.concatenate([np.zeros((len(Z), 6)), Z], axis=1),)  # noqa: E731
    return Specimen(net, encoded, {"feed": feed, "fixed": True, "formats": formats})


FAMILIES = {
    "BlockAttention": [block(BlockAttention(hadamard(2), beta, q=1, d=1)) for beta in (6, 7, 8, 10)],
    "BlockAttention with a head": [headed(5, 0.3), headed(9, 0.3), headed(9, 0.7)],
    "TwoStepAttention": [two_step(3, 14), two_step(6, 3), two_step(6, 7), two_step(6, 14)],
    "SparseSelector": [selector(beta) for beta in (6, 7, 8)],
    "IndexLookup": [lookup("binary", b) for b in (23, 35, 47, 56)],
    "IndexLookup, one-hot": [lookup("quadratic", b, symbols=3, one_hot=True) for b in (2, 22, 28)],
    "TwoLayerBoolean, equality": [boolean(1, "equality", 1, 34), boolean(1, "equality", 0, 37),
                                  boolean(2, "equality", 0, 22)],
    "TwoLayerBoolean, disjointness": [boolean(1, "disjointness", 0, 22), boolean(1, "disjointness", 0, 28),
                                      boolean(2, "disjointness", 0, 22)],
    "NearestNeighbour": [nearest(2, "position", 8), nearest(4, "position", 28)],
    "NearestNeighbour, copy": [nearest(2, "copy", 8), nearest(2, "copy", 28), nearest(4, "copy", 99)],
    "OneLayerEquality": [specimen(OneLayerEquality(7), places(2, 64, 14))],
    "ReluHead": [relu(3, 1, 2)],
    "LinkHead": [specimen(link_head("he2", [0.6, 0.8], 1, 2, radius=9, cells=2), integers(32, 2))],
    "FewHeads": [few(400), few(1000)],
    "CodeStateRNN": [codeword(2, 0), codeword(2, 1), codeword(2, 2), codeword(5, 0)],
    # integers in which the weights' common factors leave zeros: nothing is rounded long after the bound says so
    "PositionTracker": [tracker(2**13, "float16", "bfloat16"), tracker(2**27, "float32")],
    "SpanPredictor": [span(20), span(21), span(22)],
    "PerIndexRidge": [ridge(part) for part in (1, 3, 5, 7)],
    "StationaryMember": [stationary(20, 2, 2), stationary(21, 1, 1)],
    "FeatureReadout": [features(2)],
    "LinearBottleneck": [bottleneck(0, 2, 1), bottleneck(1, 2, 1), bottleneck(1, 1, 1)],
    "OptimalLinearBottleneck": [optimal(1, 2, 1), optimal(2, 3, 1), optimal(2, 3, 2)],
    "Interpolant1D": [interpolant(0, 2), interpolant(2, 2), interpolant(4, 4)],
    "MinNormReLU": [least_norm(1, 1, 1), least_norm(2, 1, 2), least_norm(3, 2, 2)],
}  # fmt: skip
