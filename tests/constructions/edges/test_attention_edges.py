"""Attention at the edges of its domains: the last argument that is accepted and the first that is refused."""

import math
from dataclasses import replace
from fractions import Fraction as F
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from head_decoder_examples import decoder
from refusals import edges

from theorytools.codes.encodings import moment_curve, orthonormal_encodings, sign_encodings
from theorytools.codes.families import hadamard, rademacher
from theorytools.codes.gram import orthonormal, simplex, subcode
from theorytools.constructions.attention.average_leakage import RandomSigns
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.attention.boolean import TwoLayerBoolean
from theorytools.constructions.attention.equality import OneLayerEquality
from theorytools.constructions.attention.few_heads.block_diagonal import FewHeads
from theorytools.constructions.attention.few_heads.decoder import LogReadout
from theorytools.constructions.attention.few_heads.quadratic_readout import AttentionRows, best_error
from theorytools.constructions.attention.few_heads.short_codes import ShortCodeDecoder
from theorytools.constructions.attention.few_heads.single_head import CrossHead, UniformHead
from theorytools.constructions.attention.few_heads.visible_span import VisibleSpan
from theorytools.constructions.attention.fixed_point import (
    FixedPointAttention,
    FixedPointTables,
    MarginAttention,
    MarginEquality,
    MarginTables,
    admitted,
)
from theorytools.constructions.attention.index_lookup import IndexLookup
from theorytools.constructions.attention.lookup_margin import (
    LongLookup,
    LookupMargin,
    circle_margin,
    explicit_scale,
    largest_power,
)
from theorytools.constructions.attention.lookup_precision import LookupFormat, least_bits, rounded_margin
from theorytools.constructions.attention.matrix import encoded, merged_matrix, scores
from theorytools.constructions.attention.nearest_neighbour import NearestNeighbour, direct_margin
from theorytools.constructions.attention.output_error import label_error, sum_head, tuple_risk
from theorytools.constructions.attention.position_copy import CodeCopy
from theorytools.constructions.attention.precision.formats import FORMATS, Arithmetic, Format, arithmetic
from theorytools.constructions.attention.precision.machine import MachineAttention
from theorytools.constructions.attention.precision.rounding import MachineWeights, certified_error
from theorytools.constructions.attention.selector import SparseSelector
from theorytools.constructions.attention.selector_queries import dual_certificate, float_queries, query
from theorytools.constructions.attention.selector_rules import RuleSelector
from theorytools.constructions.attention.streaming import streamed_retrieval, working_bytes
from theorytools.constructions.attention.temperature import (
    minimal_temperature,
    necessary_temperature,
    rounded_up,
    sufficient_temperature,
    temperature_for_error,
)
from theorytools.constructions.attention.truncated_attention import TruncatedAttention
from theorytools.constructions.attention.two_hop import TwoStepAttention
from theorytools.constructions.feedforward.readout import linear_head
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure, between
from theorytools.tasks.few_heads import FewTokens
from theorytools.tasks.nearest_neighbour import NearestTask, equidistant

# -- block attention ---------------------------------------------------------------------------------------------------
BLOCK = {"codes": hadamard(4), "beta": 1, "q": 1, "d": 1}
test_blocks = edges(
    DomainError, BlockAttention, (BLOCK | {"beta": 0}, BLOCK | {"beta": F(1, 99)}), (BLOCK | {"q": 0}, BLOCK),
    (BLOCK | {"q": 5}, BLOCK | {"q": 4}),
    (BLOCK | {"d": 0}, BLOCK), (BLOCK | {"scale": 0}, BLOCK | {"scale": F(1, 99)}),
    (BLOCK | {"scale": -1}, BLOCK | {"scale": 1}),
    (BLOCK | {"blocks": ()}, BLOCK | {"blocks": ((1, 0),)}),
    (BLOCK | {"blocks": ((2, 0),)}, BLOCK | {"blocks": ((1, 1),)}),
    (BLOCK | {"blocks": ((-1, 0),)}, BLOCK | {"blocks": ((0, 0),)}),
    (BLOCK | {"blocks": ((1, 0, 0),)}, BLOCK | {"blocks": ((0, 1),)}),
    (BLOCK | {"blocks": ((1, 0), (0, 2))}, BLOCK | {"blocks": ((1, 0), (0, 1))}),
    (BLOCK | {"codes": subcode(hadamard(4), [0, 1, 1])}, BLOCK),
    (BLOCK | {"head": linear_head(np.ones(2), 1)}, BLOCK | {"head": linear_head(np.ones(1), 1)}),
)  # fmt: skip
NET = BlockAttention(hadamard(4), beta=2, q=2, d=2)
X, T = np.ones((3, 4, 2)), np.ones((3, 4, 2), dtype=int)
test_prompts = edges(
    DomainError, NET, ((X[:2], T), (X[:2], T[:2])), ((X[:, :3], T[:, :3]), (X, T)), ((X[..., :1], T), (X, T)),
    ((X, T[..., :1]), (X, T)),
    ((X, T + 3), (X, T + 2)), ((X, T - 2), (X, T - 1)), ((X * np.inf, T), (1e9 * X, T)),
)  # fmt: skip
test_radii_of_prompts = edges(
    DomainError, lambda r_x: NET.tokens(3 * X * [1, 0], T, r_x=r_x), ((2.999,), (3.0,)), ((0.0,), (None,)),
)  # fmt: skip
test_heads_of_a_block = edges(DomainError, NET.W_QK, ((2,), (1,)), ((-1,), (0,)))
ONE = [[1, 0]] * 4
test_exact_tokens = edges(
    DomainError, NET.exact_token, ((ONE, T[0], 4, 0), (ONE, T[0], 3, 0)), ((ONE, T[0], -1, 0), (ONE, T[0], 0, 0)),
    ((ONE, T[0], 0, 2), (ONE, T[0], 0, 1)),
    ((ONE[:3], T[0], 0, 0), (ONE, T[0], 0, 0)), ((ONE, T[0, :3], 0, 0), (ONE, T[0], 0, 0)),
)  # fmt: skip
test_extremal_prompts = edges(
    DomainError, NET.extremal_error, ((F(-1, 99), [0]), (0, [0])), ((1, [4]), (1, [3])), ((1, [-1]), (1, [0, 3])),
)  # fmt: skip
test_certified_radii = edges(DomainError, NET.certificate, ((F(-1, 99),), (0,)), ((-1,), (1,)))
HEADED = BlockAttention(hadamard(4), beta=2, q=1, d=2, head=sum_head(1, 2))
T1 = np.zeros((4, 1), dtype=int)
test_labels = edges(
    DomainError, lambda net, X, T, i: label_error(net, sum_head(1, 2), X, T, i),
    ((NET, ONE, T[0], 0), (HEADED, ONE, T1, 0)), ((HEADED, ONE, T1, 4), (HEADED, ONE, T1, 3)),
    ((HEADED, ONE[:3], T1, 0), (HEADED, ONE, T1 + 3, 0)), ((HEADED, [[1]] * 4, T1, 0), (HEADED, ONE, T1, 1)),
    ((HEADED, ONE, T1 + 4, 0), (HEADED, ONE, T1 + 1, 0)),
)  # fmt: skip
test_units_of_a_sum = edges(
    DomainError, lambda **units: sum_head(2, 3, **units), ({"units": 0}, {"units": 1}), ({"units": 3}, {"units": 2}),
    ({"units": -1}, {}),
)  # fmt: skip
test_positions_of_a_risk = edges(DomainError, lambda i: tuple_risk(HEADED, T1, i), ((4,), (3,)), ((-1,), (0,)))
TWO = {"codes": hadamard(4), "beta_1": 3, "beta_2": 5, "d": 2}
test_two_steps = edges(
    DomainError, TwoStepAttention, (TWO | {"beta_1": 0}, TWO | {"beta_1": F(1, 99)}),
    (TWO | {"beta_2": 0}, TWO | {"beta_2": F(1, 99)}), (TWO | {"d": 0}, TWO | {"d": 1}),
    (TWO | {"codes": subcode(hadamard(4), [0, 1, 1])}, TWO),
)  # fmt: skip
HOP = TwoStepAttention(**TWO)
test_positions_of_two_steps = edges(
    DomainError, HOP.weights, ((np.zeros(4, dtype=int), 4), (np.zeros(4, dtype=int), 3)),
    ((np.full(4, 4), 0), (np.full(4, 3), 0)),
    ((np.zeros(3, dtype=int), 0), (np.zeros(4, dtype=int), 0)), ((np.zeros(4), 0), (np.ones(4, dtype=int), 0)),
)  # fmt: skip
test_matrices = edges(
    DomainError, scores, (([[1, 2]], [[1]]), ([[1]], [[1]])), (([1], [[1]]), ([[1, 0]], [[1, 0], [0, 1]])),
    (([[1, 0]], [[1, 0]]), ([[F(1, 2)]], [[2]])),
)  # fmt: skip
test_encoded_prompts = edges(
    DomainError, lambda codes, d: encoded(BlockAttention(codes, beta=2, q=1, d=d), [[0] * d] * 4, T1),
    ((simplex(4), 1), (rademacher(4, 4, np.random.default_rng(1)), 1)),
    ((rademacher(4, 9, np.random.default_rng(0)), 2), (rademacher(4, 9, np.random.default_rng(0)), 4)),
)  # fmt: skip
test_temperatures_of_a_matrix = edges(
    DomainError, lambda beta: merged_matrix(BlockAttention(hadamard(4), beta=beta, q=1, d=1), 0),
    ((2,), (sympy.log(2),)), ((sympy.log(3),), (2 * sympy.log(2) / 3,)),
)  # fmt: skip

# -- temperatures ------------------------------------------------------------------------------------------------------
half = F(1, 2)
test_sufficient = edges(
    DomainError, sufficient_temperature, (((1, 0), half), ((2, 0), half)),
    (((3, F(-51, 100)), half), ((3, -half), half)), (((3, 1), F(1, 9)), ((3, F(99, 100)), F(1, 9))),
    (((3, F(101, 100)), F(8, 9)), ((3, 1), F(8, 9))), (((3, 0), 0), ((3, 0), F(1, 99))), (((3, 0), -1), ((3, 0), 1)),
)  # fmt: skip
test_necessary = edges(DomainError, necessary_temperature, ((1, half), (2, half)), ((2, 0), (2, F(1, 99))))
ERROR = {"code": (4, 0), "error": 1, "A": 1, "B": 1, "q": 1, "r_x": 1}
test_errors = edges(
    DomainError, temperature_for_error,
    *[(ERROR | {name: 0}, ERROR | {name: F(1, 99)}) for name in ("error", "A", "B", "r_x")],
    (ERROR | {"q": 0}, ERROR | {"q": 2}),
)  # fmt: skip
test_steps = edges(
    DomainError, rounded_up, ((1, 0), (1, F(1, 99))), ((1, sympy.sqrt(2)), (sympy.sqrt(2), 1)), ((1, -1), (1, 1))
)
test_least = edges(
    DomainError, lambda code, target, step: minimal_temperature(code, target, step=step),
    ((hadamard(4), 0, 1), (hadamard(4), F(1, 99), 1)),
    ((hadamard(4), half, 0), (hadamard(4), half, F(1, 2))),
    ((subcode(hadamard(4), [0, 0, 1]), half, 1), (subcode(hadamard(4), [0, 0, 1]), F(51, 100), 1)),
)  # fmt: skip
SIGNS = {"N": 2, "d_e": 1, "z": half}
test_random_signs = edges(
    DomainError, RandomSigns, (SIGNS | {"N": 1}, SIGNS), (SIGNS | {"d_e": 0}, SIGNS),
    (SIGNS | {"z": 0}, SIGNS | {"z": F(1, 99)}), (SIGNS | {"z": F(9, 8)}, SIGNS | {"z": 1}),
)  # fmt: skip
CUT = {"N": 9, "d_e": 5, "d": 2, "beta": 3, "r_x": 2, "tolerance": F(1, 100)}
LEAST = TruncatedAttention(**CUT).rounding
test_cuts = edges(
    DomainError, TruncatedAttention, (CUT | {"N": 0}, CUT | {"N": 1}), (CUT | {"d_e": 0}, CUT | {"d_e": 1}),
    (CUT | {"d": 0}, CUT | {"d": 1}), (CUT | {"beta": F(-1, 99)}, CUT | {"beta": 0}),
    (CUT | {"r_x": F(-1, 99)}, CUT | {"r_x": 0}), (CUT | {"tolerance": 0}, CUT | {"tolerance": F(1, 10**12)}),
    (CUT | {"r_x": F(2**1000, 9), "tolerance": 2**999}, CUT | {"r_x": F(2**1000 - 1, 9), "tolerance": 2**999}),
    (CUT | {"tolerance": LEAST}, CUT | {"tolerance": LEAST * F(1001, 1000)}),
)  # fmt: skip

# -- streamed ----------------------------------------------------------------------------------------------------------
LONG = BlockAttention(rademacher(16, 70, np.random.default_rng(2)), beta=30, q=1, d=2)
PX, PT = np.arange(32.0).reshape(16, 2), np.zeros((16, 1), dtype=int)


def streamed(net=LONG, X=PX, T=PT, tolerance=1e-6, **options):
    return streamed_retrieval(net, X, T, tolerance, **options)


BYTES = working_bytes(16, 70, 2, 1, 1)
MADE = {"N": 16, "d_e": 70, "d": 2, "beta": LONG.temperature, "r_x": 50, "tolerance": F(1, 10**6)}
test_streams = edges(
    DomainError, streamed, ({"rows": [16]}, {"rows": [15]}), ({"rows": [-1]}, {"rows": [0]}),
    ({"rows": []}, {"rows": [0]}), ({"rows": [0.0]}, {"rows": None}), ({"rows": [[0]]}, {"rows": (0, 0)}),
    ({"X": PX.astype(int) + 2**53 - 31, "tolerance": 1e9}, {"X": PX.astype(int) + 2**53 - 32, "tolerance": 1e9}),
    ({"X": PX > 1}, {"X": PX.astype(np.float32)}),
    ({"X": PX * np.nan}, {"X": -PX}), ({"T": PT + 16}, {"T": PT + 15}),
    ({"net": BlockAttention(simplex(16), 30, 1, 2)}, {"net": LONG}),
    ({"net": replace(LONG, blocks=((1, 1),))}, {"net": replace(LONG, blocks=((0, 0),))}),
    ({"tolerance": 0}, {"tolerance": 1e-9}),
    ({"tolerance": TruncatedAttention(**MADE | {"r_x": 40})}, {"tolerance": TruncatedAttention(**MADE)}),
    ({"tolerance": TruncatedAttention(**MADE | {"d": 3})}, {"tolerance": TruncatedAttention(**MADE)}),
    ({"tolerance": TruncatedAttention(**MADE | {"beta": 31})}, {"tolerance": TruncatedAttention(**MADE)}),
    ({"tolerance": TruncatedAttention(**MADE | {"N": 17})}, {"tolerance": TruncatedAttention(**MADE)}),
)  # fmt: skip
test_memory = edges(BudgetError, streamed, ({"rows": [3], "memory": BYTES - 1}, {"rows": [3], "memory": BYTES}))

# -- look-ups ----------------------------------------------------------------------------------------------------------
KEYS = np.array([[1, 1], [1, -1]])
test_lookups = edges(
    DomainError, IndexLookup, ((KEYS, KEYS, 0), (KEYS, KEYS, F(1, 99))), ((KEYS, KEYS[:, :1], 2), (KEYS, -KEYS, 2)),
    ((KEYS[0], KEYS[0], 2), (KEYS, KEYS, 1)), ((KEYS[:1], KEYS[:1], 2), (KEYS, KEYS, 3)),
    ((KEYS * np.inf, KEYS, 2), (KEYS * 1.0, KEYS, 2)), ((KEYS, KEYS, 2, 1), (KEYS, KEYS, 2, 2)),
)  # fmt: skip
LOOK = IndexLookup.of("binary", 4, 6, symbols=3)
test_lookup_inputs = edges(
    DomainError, LOOK, (([[0, 1, 2, 3]], 0), ([[0, 1, 2, 2]], 0)), (([[0, 1, 2, -1]], 0), ([[0, 1, 2, 0]], 0)),
    (([[0, 1, 2]], 0), ([[0, 1, 2, 1]], 0)), (([[0] * 4], 4), ([[0] * 4], 3)), (([[0] * 4], -1), ([[0] * 4], 0)),
    (([[0] * 4] * 2, [0, 1, 2]), ([[0] * 4] * 3, [0, 1, 2])),
)  # fmt: skip
test_integral_codes = edges(
    DomainError, lambda code: IndexLookup.of(code, 4, 6).exact([[0] * 4], 0), (("circle",), ("quadratic",)),
    (("round",), ("binary",)),
)  # fmt: skip
test_margins_of_lookups = edges(
    DomainError, lambda code: LookupMargin.of(IndexLookup.of(code, 4, 6)), (("circle",), ("binary",))
)
GAPS = LookupMargin.full_binary(2)
test_margin_shapes = edges(
    DomainError, LookupMargin, ((GAPS.gaps, GAPS.counts, np.array([2, 2])), (GAPS.gaps, GAPS.counts, np.array([2]))),
    ((GAPS.gaps[:2], GAPS.counts, GAPS.query), (GAPS.gaps[:2], GAPS.counts[:, :2], GAPS.query)),
)  # fmt: skip
test_full_binary = edges(DomainError, LookupMargin.full_binary, ((0,), (1,)))
test_bases = edges(DomainError, GAPS.scaled, ((0,), (F(1, 99),)), ((-1,), (1,)))
test_powers = edges(DomainError, largest_power, ((1,), (F(9, 8),)), ((half,), (2,)))
test_power_budgets = edges(BudgetError, largest_power, ((39,), (5,)))
test_circles = edges(DomainError, circle_margin, ((1, 2), (2, 2)), ((2, 0), (2, F(1, 99))))
test_scales = edges(DomainError, explicit_scale, (("circle", 4, 2), ("jl", 4, 2)), (("", 4, 2), ("binary", 4, 2)))
test_long_lookups = edges(
    DomainError, LongLookup, ({"N": 1}, {"N": 2}), ({"N": 9, "symbols": 1}, {"N": 9, "symbols": 2}),
    ({"N": 9, "b": 1}, {"N": 9, "b": 2}), ({"N": 9, "dropped": -1}, {"N": 9, "dropped": 0}),
    ({"N": 9, "dropped": 4}, {"N": 9, "dropped": 3}),
)  # fmt: skip
test_streamed_lookups = edges(BudgetError, lambda N: LongLookup(N).streamed(), ((2**24 + 1,), (2**12,)))
test_lookup_formats = edges(
    DomainError, LookupFormat, (("bits", 1), ("bits", 2)), (("bits",), ("bits", 3)),
    (("float16", 10), ("float16", 11)), (("float8",), ("bfloat16",)), (("float32", 53), ("float32", 24)),
)  # fmt: skip
FORM = LookupFormat("float16")
test_rows_of_weights = edges(
    DomainError, FORM.weights, ((np.ones((2, 3)), np.ones((1, 2))), (np.ones((2, 3)), np.ones((1, 3)))),
    ((np.ones((0, 3)), np.ones((1, 3))), (np.ones((1, 3)), np.ones((1, 3)))),
    ((np.ones((2, 3)), np.ones((0, 3))), (np.ones((2, 3)), np.ones((2, 3)))),
    ((np.ones((2, 1)), np.full((1, 1), 1e5)), (np.ones((2, 1)), np.full((1, 1), 6e4))),
)  # fmt: skip
test_softmax_in_a_format = edges(DomainError, FORM.softmax, ((np.array([[1e5, 0.0]]),), (np.array([[6e4, 0.0]]),)))

# -- strings -----------------------------------------------------------------------------------------------------------
test_copies = edges(DomainError, CodeCopy, ((0,), (1,)), ((3, 0), (3, 1)))
COPY, BITS = CodeCopy(3), np.array([[0, 1, 1]])
test_copied_symbols = edges(
    DomainError, COPY.at, ((BITS[0], BITS[0], 3), (BITS[0], BITS[0], 2)),
    ((BITS[0], BITS[0], -1), (BITS[0], BITS[0], 0)), ((2 * BITS[0], BITS[0], 0), (BITS[0], BITS[0], 1)),
    ((BITS[0], BITS[0, :2], 0), (BITS[0], 0 * BITS[0], 0)),
)  # fmt: skip
test_all_copies = edges(
    DomainError, COPY.all, ((BITS[:, :2], BITS), (BITS, BITS)), ((BITS, BITS[:, :2]), (BITS, 1 - BITS))
)
test_many_copies = edges(DomainError, lambda n: CodeCopy(n).all(np.zeros(n), np.zeros(n)), ((2049,), (16,)))
ONES = np.ones((1, 3))
test_copies_in_floats = edges(
    DomainError, COPY.floats, ((ONES, ONES, "int64"), (ONES, ONES, "float64")),
    ((ONES, ONES, "complex128"), (ONES, ONES, "float32")), ((ONES[:, :2], ONES, "float64"), (ONES, -ONES, "float64")),
    ((ONES, ONES[:, :2], "float64"), (-ONES, ONES, "float64")),
)  # fmt: skip
test_booleans = edges(
    DomainError, TwoLayerBoolean, ((0,), (1,)), ((3, "parity"), (3, "disjointness")),
    ((3, "equality", -1), (3, "equality", 0)), ((3, "equality", 2, True, 0), (3, "equality", 2, True, 1)),
)  # fmt: skip
PAIR = TwoLayerBoolean(3)
test_worst_positions = edges(DomainError, PAIR.worst_input, ((3,), (2,)), ((-1,), (0,)))
test_types_of_outputs = edges(
    DomainError, lambda dtype: PAIR(BITS, BITS, dtype), (("int32",), ("float32",)), ((complex,), ("float16",))
)
test_violations = edges(DomainError, PAIR.exact_output, (((F(0), F(1)),), ((F(0), F(1), half),)))
test_extremes = edges(
    DomainError, lambda task, scale: TwoLayerBoolean(2, task, scale).extremes(),
    (("inner_product", 0), ("equality", 0)), (("equality", 1001), ("equality", 1000)),
)  # fmt: skip
test_equalities = edges(DomainError, OneLayerEquality, ((0,), (1,)), ((25,), (24,)))

# -- fixed point and margins -------------------------------------------------------------------------------------------
E, V = np.ones((2, 2, 1)), np.ones((2, 2, 1, 1))
test_tables = edges(
    DomainError, lambda e, v, p: FixedPointTables(e, v, p, lambda N, D: D), ((E, V, 0), (E, V, 1)),
    ((E, V, 63), (E, V, 62)), ((E[0], V, 2), (E, V, 2)), ((E, V[0], 2), (E, V, 2)), ((E[:1], V, 2), (E[:1], V[:1], 2)),
)  # fmt: skip
test_quantised_tables = edges(
    DomainError, lambda logits, values, p: FixedPointTables.quantised(logits, values, p, lambda o: o[:, 0, 0]),
    ((E, V, 0), (E, V, 1)), ((E, V, 63), (E, V, 62)), ((E * np.inf, V, 4), (E * 1e300, V, 4)),
    ((E, V * np.nan, 4), (E, -V, 4)), ((E, V * np.inf, 4), (E, V * 1e300, 4)),
    ((E, 0 * V, 4), (E, V * np.array([0, 1]).reshape(1, 2, 1, 1), 4)), ((E[0], V, 4), (0 * E, V, 4)),
    ((E[:1], V, 4), (E, V, 4)),
)  # fmt: skip
test_margin_tables = edges(
    DomainError, MarginTables, ((E, V, 0), (E, V, F(1, 99))), ((E, V, -1), (E, V, 1)),
    ((E, V, 1, F(-1, 99)), (E, V, 1, 0)), ((E, V, 1, 1, F(-1, 99)), (E, V, 1, 1, 0)),
    ((E, V[0], 1), (E, V, 1, None, 3)),
)  # fmt: skip
test_margins = edges(DomainError, MarginEquality, ((3, F(0)), (3, F(1, 99))), ((3, F(-1)), (3, F(1))))


class Given(FixedPointAttention):
    """Tables as they are given, whatever they hold."""

    heads, width, length = 1, 1, 2

    def __init__(self, e=1, v=0, p=2, **sizes):
        self.e, self.v, self.p = e, v, p
        vars(self).update(sizes)

    def numerators(self, tokens):
        return np.zeros((len(tokens), 2, 1), dtype=int) + self.e

    def values(self, tokens):
        return np.zeros((len(tokens), 2, 1, 1), dtype=int) + self.v

    def answer(self, N, D):
        return N[:, 0, 0]


class Margins(MarginAttention):
    """Bounds as they are given."""

    def __init__(self, tau=1, V=1, S=0):
        self.tau, self.V, self.S = tau, V, S

    def logits(self, tokens):
        return tokens

    def values(self, tokens):
        return tokens


test_numerators_and_values = edges(
    DomainError, lambda **table: Given(**table).execute(BITS[:, :2]), ({"e": 0}, {"e": 1}), ({"e": 4}, {"e": 3}),
    ({"v": -3}, {"v": -2}), ({"v": 2}, {"v": 1}), ({"e": 1.0}, {"e": 2}), ({"v": 0.5}, {"v": -1}),
    ({"heads": 2}, {"heads": 1}),
)  # fmt: skip
test_admitted = edges(
    DomainError, lambda **sizes: admitted(Given(**sizes)), ({"p": 0}, {"p": 1}),
    ({"length": 4, "p": 30}, {"length": 3, "p": 30}), ({"heads": 0}, {"heads": 1}), ({"width": 0}, {"width": 2}),
    ({"length": 0}, {"length": 1}), ({"semantics": "F"}, {"semantics": "E"}),
)  # fmt: skip
test_admitted_margins = edges(
    DomainError, lambda **bounds: admitted(Margins(**bounds)), ({"tau": 0}, {"tau": F(1, 99)}),
    ({"V": 0}, {"V": F(1, 99)}), ({"S": F(-1, 99)}, {"S": 0}),
)  # fmt: skip

# -- nearest neighbours ------------------------------------------------------------------------------------------------
TASK = NearestTask(equidistant(4, 0))
test_neighbours = edges(
    DomainError, NearestNeighbour, ((TASK, "both"), (TASK, "copy")),
    ((TASK, "position", 1), (TASK, "position", F(9, 8))), ((TASK, "copy", half), (TASK, "copy", 2)),
    ((TASK, "position", None, 1), (TASK, "position", None, 2)),
)  # fmt: skip
NEAR = NearestNeighbour(TASK)
test_queries = edges(DomainError, NEAR.fetch, ((len(TASK.gram),), (len(TASK.gram) - 1,)), ((-1,), (0,)))
test_pulls = edges(DomainError, lambda pull: direct_margin(TASK, pull), ((0,), (F(1, 99),)), ((-1,), (1,)))

# -- machine formats ---------------------------------------------------------------------------------------------------
test_formats = edges(DomainError, Format, (("mine", 1, -4), ("mine", 2, -4)), (("mine", 0, -4), ("mine", 3, 4)))
TOY, FINE, WIDE = Format("toy", 3, -9), Format("fine", 4, -9), Format("wide", 3, -10)
test_finer_sums = edges(
    DomainError, Arithmetic, (("mine", FINE, TOY, TOY), ("mine", FINE, TOY, FINE)),
    (("mine", TOY, FINE, TOY), ("mine", TOY, FINE, FINE)), (("mine", WIDE, TOY, TOY), ("mine", TOY, TOY, WIDE)),
    (("mine", TOY, WIDE, TOY), ("mine", WIDE, WIDE, WIDE)),
)  # fmt: skip
F64 = arithmetic("float64")
BOUND = {"N": 2, "d": 1, "r_x": F(1), "how": F64, "spill": F(0)}
test_certified = edges(
    DomainError, certified_error, (BOUND | {"N": 1}, BOUND), (BOUND | {"N": 2**24 + 1}, BOUND | {"N": 2**24}),
    (BOUND | {"d": 0}, BOUND), (BOUND | {"r_x": F(0)}, BOUND | {"r_x": F(1, 99)}),
    (BOUND | {"r_x": F(2**60 + 1)}, BOUND | {"r_x": F(2**60)}),
    (BOUND | {"spill": F(-1, 99)}, BOUND), (BOUND | {"r_x": F(-1)}, BOUND),
    (BOUND | {"spill": Enclosure(F(-1, 99))}, BOUND | {"spill": Enclosure(0)}),
    (BOUND | {"spill": between(F(-1, 99), 1)}, BOUND | {"spill": between(1, 2)}),
)  # fmt: skip
test_machine_weights = edges(
    DomainError, lambda gaps, s, beta, **how: MachineWeights.of(gaps, s, beta, "float64", **how),
    ({"gaps": [0, 7], "s": 3, "beta": 1}, {"gaps": [0, 6], "s": 3, "beta": 1}),
    ({"gaps": [-1, 0], "s": 3, "beta": 1}, {"gaps": [0, 1], "s": 3, "beta": 1}),
    ({"gaps": [0], "s": 0, "beta": 1}, {"gaps": [0], "s": 1, "beta": 1}),
    ({"gaps": [0, 2], "s": 3, "beta": F(-1, 99)}, {"gaps": [0, 2], "s": 3, "beta": 0}),
    ({"gaps": [0, 2], "s": 3, "beta": 1, "exponentials": "fast"},
    {"gaps": [0, 2], "s": 3, "beta": 1, "exponentials": "nearest"}),
)  # fmt: skip
test_parts_of_weights = edges(
    DomainError, MachineWeights, ((F64, (0, 1), (F(0),), (F(1),)), (F64, (0,), (F(0),), (F(1),))),
    ((F64, (0,), (F(0),), (F(1), F(1))), (F64, (0, 1), (F(0), F(-1)), (F(1), half))),
    ((F64, (), (), ()), (F64, (0,), (F(0),), (F(1),))),
)  # fmt: skip
MACHINE = MachineAttention(orthonormal(4), 3)
test_retrieved = edges(
    DomainError, MACHINE.retrieve, ((np.ones((3, 1)), 0), (np.ones((4, 1)), 0)),
    ((np.ones((4, 1)), 4), (np.ones((4, 1)), 3)), ((np.ones((4, 1)), -1), (np.ones((4, 2)), 0)),
    ((np.ones(4), 0), (np.ones((4, 1)), 1)), ((np.full((4, 1), np.inf), 0), (np.full((4, 1), 1e300), 0)),
)  # fmt: skip
test_rows_of_a_machine = edges(DomainError, MACHINE.row, ((4,), (3,)), ((-1,), (0,)))
test_machines = edges(
    DomainError, MachineAttention, ((orthonormal(4), F(-1, 99)), (orthonormal(4), 0)),
    ((simplex(4), 1), (hadamard(4), 1)), ((orthonormal(4), 1, "float16"), (orthonormal(4), 1, "bfloat16")),
    ((orthonormal(4), 1, "float64", 1, "fast"), (orthonormal(4), 1, "float64", 1, "nearest")),
)  # fmt: skip
test_observed = edges(
    DomainError, lambda r_x: MACHINE.observed(r_x, np.random.SeedSequence(0), positions=1, draws=1),
    ((0,), (F(1, 99),)), ((-1,), (1,)),
)  # fmt: skip
test_casts = edges(
    DomainError, lambda name: replace(FORMATS["float64"], name=name).cast([1.0]), (("paper",), ("float32",))
)

# -- selection ---------------------------------------------------------------------------------------------------------
E4 = orthonormal_encodings(4)
EYE = np.hstack([np.eye(1, dtype=int), np.zeros((1, 4), dtype=int)]).astype(object)
SELECT = {"E": E4, "beta": 2, "q": 2, "d": 1}
test_selectors = edges(
    DomainError, SparseSelector, (SELECT | {"q": 0}, SELECT | {"q": 1}), (SELECT | {"q": 4}, SELECT | {"q": 3}),
    (SELECT | {"d": 0}, SELECT), (SELECT | {"query": "best"}, SELECT | {"query": "lp"}),
    (SELECT | {"alpha": sympy.sqrt(2)}, SELECT | {"alpha": half}),
    (SELECT | {"values": EYE[:, :4]}, SELECT | {"values": EYE}),
    (SELECT | {"values": EYE * 1.0}, SELECT | {"values": EYE * half}),
    (SELECT | {"values": np.vstack([EYE, EYE])}, SELECT | {"d": 2, "values": np.eye(2, 6, dtype=int).astype(object)}),
)  # fmt: skip
SET = SparseSelector(**SELECT)
test_sets = edges(
    DomainError, SET.scores, (((0, 4),), ((0, 3),)), (((0, 0),), ((0, 1),)), (((0,),), ((1, 2),)),
    (((0, 1, 2),), ((2, 3),)), (((-1, 0),), ((1, 0),)),
)  # fmt: skip
test_targets_of_a_loss = edges(
    DomainError, SET.sufficient_beta, (((0, 1), 0), ((0, 1), F(1, 99))), (((0, 1), -1), ((0, 1), 9))
)
test_plain_values = edges(
    DomainError, lambda **changed: SparseSelector(**SELECT | changed).loss_certificate((0, 1)),
    ({"values": EYE * half}, {"values": EYE}), ({"alpha": half}, {"alpha": 1}),
    ({"query": lambda E, y: [1, 2, 0, 0]}, {"query": lambda E, y: [1, 1, 0, 0]}),
    ({"query": lambda E, y: [1, 1, 1, 0]}, {"query": lambda E, y: [1, 1, F(99, 100), 0]}),
)  # fmt: skip
test_queries_of_a_set = edges(
    DomainError, query, ((E4, (0, 1), "best"), (E4, (0, 1), "sum")),
    ((E4, (0, 1), "polynomial"), (moment_curve(5, 4), (0, 1), "polynomial")),
    ((moment_curve(5, 3), (0, 1), "polynomial"), (moment_curve(5, 2), (0,), "polynomial")),
    ((E4, (0, 1), lambda E, y: [1, 2, 3]), (E4, (0, 1), lambda E, y: [1, 2, 3, 4])),
    ((sign_encodings(4, 1, np.random.default_rng(0)), (0, 1), "dual"),
    (sign_encodings(4, 1, np.random.default_rng(0)), (0,), "dual")),
)  # fmt: skip
test_queries_in_doubles = edges(
    DomainError, float_queries, ((np.eye(4), [[0, 1]], "lp"), (np.eye(4), [[0, 1]], "sum")),
    ((np.ones((4, 2)), [[0, 1]], "dual"), (np.ones((4, 2)), [[0]], "dual")),
    ((np.eye(4), [[0, 1]], "polynomial"), (E4, [[0, 1]], "lp")),
)  # fmt: skip
test_corrections = edges(
    DomainError, dual_certificate, ((E4, (0, 1), -1), (E4, (0, 1), 0)), ((E4, (0, 4), 1), (E4, (0, 3), 1))
)
RULE = {"E": E4, "q": 2, "d": 1, "rule": "top"}
test_rules = edges(
    DomainError, RuleSelector, (RULE | {"rule": "soft"}, RULE | {"rule": "free"}), (RULE | {"k": 0}, RULE | {"k": 1}),
    (RULE | {"k": 5}, RULE | {"k": 4}), (RULE | {"q": 4}, RULE | {"q": 3}),
    (RULE | {"query": "best"}, RULE | {"query": "sum"}),
)  # fmt: skip
test_sets_of_a_rule = edges(
    DomainError, RuleSelector(**RULE).attention, (((0,),), ((0, 1),)), (((0, 4),), ((0, 3),)), (((1, 1),), ((1, 0),))
)

# -- few heads ---------------------------------------------------------------------------------------------------------
FEW = FewTokens(8, 2, 3)
READ = {"task": FEW, "directions": ((1, 0),), "odds": ((4, 1, 1),), "slope": half, "limit": 1}
test_readouts = edges(
    DomainError, LogReadout, (READ | {"limit": 0}, READ),
    (READ | {"odds": ((0, 1, 1),)}, READ | {"odds": ((1, 1, 1),)}), (READ | {"odds": ((4, 1),)}, READ),
    (READ | {"directions": ((1,),)}, READ),
    (READ | {"directions": ((1, 0), (0, 1))}, READ | {"directions": ((1, 0), (0, 1)), "odds": ((4, 1, 1), (1, 4, 1))}),
    (READ | {"directions": ((1, 0),) * 4, "odds": ((4, 1, 1),) * 4},
     READ | {"directions": ((1, 0),) * 3, "odds": ((4, 1, 1),) * 3}),
    (READ | {"task": FewTokens(8, 2, 3, link="lin")}, READ),
    (READ | {"task": FewTokens(8, 2, 3, late=(0, 1, 3))}, READ | {"task": FewTokens(8, 2, 3, late=(0, 2, 1))}),
)  # fmt: skip
CROSS = {"codes": hadamard(8), "beta": 2, "task": FewTokens(8, 1, 3), "slope": half, "limit": 2}
test_cross_heads = edges(
    DomainError, CrossHead, (CROSS | {"beta": 0}, CROSS | {"beta": F(1, 99)}),
    (CROSS | {"slope": F(0)}, CROSS | {"slope": F(-1, 99)}), (CROSS | {"beta": -1}, CROSS),
    (CROSS | {"task": FEW}, CROSS), (CROSS | {"task": FewTokens(8, 1, 3, link="lin")}, CROSS),
    (CROSS | {"limit": 1}, CROSS), (CROSS | {"codes": simplex(8)}, CROSS), (CROSS | {"codes": hadamard(16)}, CROSS),
)  # fmt: skip
UNIFORM = {"codes": hadamard(8), "beta": 2, "task": FewTokens(8, 2, 3, link="lin")}
test_uniform_heads = edges(
    DomainError, UniformHead, (UNIFORM | {"beta": F(-1, 99)}, UNIFORM | {"beta": 0}),
    (UNIFORM | {"task": FEW}, UNIFORM), (UNIFORM | {"codes": hadamard(4)}, UNIFORM),
)  # fmt: skip
test_indices_of_a_uniform_head = edges(
    DomainError, UniformHead(**UNIFORM).ratios, (([],), ([0],)), (([8],), ([7],)), (([-1],), ([1],))
)
HEADS = {"codes": hadamard(8), "beta": 2, "task": FEW, "H": 1}
test_few_heads = edges(
    DomainError, FewHeads, (HEADS | {"H": 0}, HEADS), (HEADS | {"H": 4}, HEADS | {"H": 3}),
    (HEADS | {"beta": 0}, HEADS | {"beta": F(1, 99)}), (HEADS | {"codes": hadamard(16)}, HEADS),
    (HEADS | {"task": FewTokens(8, 2, 3, link="lin")}, HEADS),
)  # fmt: skip
test_tuples_of_few_heads = edges(
    DomainError, FewHeads(**HEADS).residual_law, (((0, 1, 3),), ((0, 1, 2),)), (((7, 7, 6),), ((7, 7, 7),)),
)  # fmt: skip
test_rows_of_few_heads = edges(
    DomainError,
    FewHeads(**HEADS).rows,
    (((0, 1),), ((0, 1, 2),)),
    (((0, 1, 8),), ((0, 1, 7),)),
    (((-1, 0, 1),), ((1, 0, 2),)),
)
test_rows_of_weights_and_labels = edges(
    DomainError, best_error, (([[1, 2]], 0), ([[1, 2]], 1)), (([[1, 2]], 3), ([[1, 2]], 2)),
    (([[1, 2], [2, 4]], 1), ([[1, 2], [2, 5]], 1)), (([[1, 2], [1]], 1), ([[1, 2], [1, 0]], 1)),
)  # fmt: skip
test_attention_rows = edges(
    DomainError,
    AttentionRows,
    (((), 1), (((1,),), 1)),
    ((((1,),), 0), (((1,),), 1)),
    ((((1,), (1, 2)), 1), (((1, 1), (1, 2)), 1)),
)
SPAN = {"directions": ((1, 0),), "weights": ((1, 0, 1),), "task": FEW}
test_spans = edges(
    DomainError, VisibleSpan, (SPAN | {"directions": ((1,),)}, SPAN),
    (SPAN | {"weights": ((1, 0), (1,))}, SPAN | {"weights": ((1, 0), (1, 1))}),
    (SPAN | {"weights": ((1, 0, 1, 1),)}, SPAN), (SPAN | {"weights": ((1, F(-1, 99), 1),)}, SPAN),
    (SPAN | {"task": FewTokens(8, 2, 3, link="lin")}, SPAN),
)  # fmt: skip
test_points_of_a_search = edges(
    DomainError, lambda **point: AttentionRows.search(lambda strategy: [1, 2], SimpleNamespace(**point)),
    ({"N": 5, "q": 1}, {"N": 5, "q": 1, "H": 1}), ({"N": 5, "q": 1, "H": 0}, {"N": 6, "q": 1, "H": 2}),
)  # fmt: skip
SHORT = {
    "codes": rademacher(8, 7, np.random.default_rng(0)),
    "task": FewTokens(8, 1, 2, early="same"),
    "directions": ((1,),),
    "odds": ((8, 4),),
}
test_short_codes = edges(
    DomainError, ShortCodeDecoder, (SHORT | {"codes": simplex(8)}, SHORT),
    (SHORT | {"task": FewTokens(8, 1, 2)}, SHORT),
    (SHORT | {"codes": rademacher(9, 7, np.random.default_rng(0))}, SHORT),
)  # fmt: skip
DECODER = decoder(8, 2, 3, 2)
test_heads_of_a_decoder = edges(DomainError, DECODER.W_QK, ((2,), (1,)), ((-1,), (0,)))
test_parts_of_a_decoder = edges(
    DomainError, DECODER.head, ((np.ones((1, 1, 8)), np.ones((1, 2, 2))), (np.ones((1, 2, 8)), np.ones((1, 2, 2)))),
    ((np.ones((1, 2, 8)), np.ones((1, 2, 1))), (np.ones((2, 2, 8)), np.ones((2, 2, 2)))),
    ((np.ones((1, 2, 7)), np.ones((1, 2, 2))), (np.ones((1, 2, 8)), np.ones((1, 2, 2)))),
)  # fmt: skip


def test_what_was_never_given_is_the_documented_default():
    """Each default stands for a value that the documentation names, and another value gives another result."""
    assert sum_head(2, 3).sizes()["width"] == 1
    assert (sum_head(2, 3).W == sum_head(2, 3, units=1).W).all()
    both = [circle_margin(5, 8, **given)[1] for given in ({}, {"query_value": 0}, {"query_value": 1})]
    assert (both[0] - both[1]).contains(0)
    assert both[2].certainly_lt(both[1])
    margin = LookupMargin.full_binary(3)
    assert margin.worst(6) == margin.worst(6, query_value=0) > margin.worst(6, query_value=1)
    assert largest_power(2) == largest_power(2, by_bound=False) > largest_power(2, by_bound=True)
    assert (LongLookup(9).symbols, LongLookup(9).dropped, LongLookup(9).streamed()) == (2, 0, LongLookup(9).streamed(0))
    assert LongLookup(9).b ** 2 >= 16 * LongLookup(9).k > (LongLookup(9).b - 1) ** 2
    assert CodeCopy(5).square == 16 * CodeCopy(5).k
    assert not CodeCopy(5).causal
    assert TwoLayerBoolean(3).steepness == 2
    assert TwoLayerBoolean(3, "inner_product").steepness == 0
    assert (TwoLayerBoolean(3).rounded, TwoLayerBoolean(3, "inner_product").rounded) == (False, True)
    assert [w.tolist() for w in TwoLayerBoolean(3).worst_input()] == [
        w.tolist() for w in TwoLayerBoolean(3).worst_input(0)
    ]
    assert NearestNeighbour(TASK).pull == 14 * 4
    assert (NearestNeighbour(TASK).k, NearestNeighbour(NearestTask(equidistant(2, 0)), "copy").k) == (2, 2)
    assert NearestNeighbour(NearestTask(equidistant(2, 0))).k == 1
    assert (
        BlockAttention(hadamard(4), 1).q,
        BlockAttention(hadamard(4), 1).d,
        TwoStepAttention(hadamard(4), 1, 1).d,
    ) == (1, 1, 1)
    assert BlockAttention(hadamard(4), 1, q=2, d=3).squared_scale == sympy.Rational(3, 2)
    assert NET.certificate().steps is not None
    assert (
        CrossHead(hadamard(8), 2, FewTokens(8, 1, 3)).slope,
        CrossHead(hadamard(8), 2, FewTokens(8, 1, 3)).limit,
    ) == (F(1, 4), 4)
    assert (DECODER.slope, DECODER.limit) == (F(3, 20), 10)
    assert DECODER.odds == ((2**88, 2**86, 2**86), (2**86, 2**88, 2**86))
    assert (RuleSelector(**RULE).kept, RuleSelector(**RULE).alpha, RuleSelector(**RULE).query) == (2, 1, "dual")
    assert (SET.alpha, SET.query) == (1, "dual")
    assert (SET.V == EYE).all()
    assert MACHINE.exponentials == "library"
    assert (MACHINE.d, MACHINE.how) == (1, "float64")
    assert rounded_up(F(1, 3)) == rounded_up(F(1, 3), F(1, 10**6)) == F(333334, 10**6)
    assert minimal_temperature(hadamard(4), F(1, 9)).step == sympy.Rational(1, 10**6)
    assert RandomSigns(2, 3, half).free == 3
    assert (
        VisibleSpan.random(np.random.default_rng(0), 2, FEW).weights
        == VisibleSpan.random(np.random.default_rng(0), 2, FEW, 3).weights
    )
    assert MarginTables(3 * E, -2 * V, 1).S == 3
    assert MarginTables(3 * E, -2 * V, 1).V == 2
    assert MarginTables(3 * E, -2 * V, 1, 5, 7).S == 5


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_the_scale_of_a_rounded_look_up_is_one_unless_given(scale):
    plain = rounded_margin("binary", 16, "float32")
    assert plain == rounded_margin("binary", 16, "float32", scale=1.0)
    assert plain != rounded_margin("binary", 16, "float32", scale=scale)
    below, above = (rounded_margin("binary", 16, "float32", scale=by) for by in (0.5, 2.0))
    assert below < plain < above
    assert least_bits("circle", 16) == least_bits("circle", 16, scale=1.0)
    # beta = ln(3 N)/gap with the gap 2, in exact arithmetic; a float32 margin is off by some 2^-24
    assert math.isclose(float(plain), float(LookupMargin.full_binary(4).worst(F(math.sqrt(48)))), rel_tol=1e-5)
