"""Look-ups, strings and tables at the edges of their domains."""

from fractions import Fraction as F

import numpy as np
from refusals import edges

from theorytools.constructions.attention.attention_tables import FixedPointTables, MarginEquality, MarginTables
from theorytools.constructions.attention.fixed_point import FixedPointAttention, MarginAttention, admitted
from theorytools.constructions.attention.lookup_precision import LookupFormat
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean
from theorytools.papers.sep.attention.equality import OneLayerEquality
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.long_lookup import LongLookup
from theorytools.papers.sep.attention.lookup_margin import LookupMargin, circle_margin, explicit_scale, largest_power
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.attention.nearest_weights import direct_margin
from theorytools.papers.sep.attention.position_copy import CodeCopy
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, equidistant

half = F(1, 2)


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


TASK = NearestTask(equidistant(4, 0))


test_neighbours = edges(
    DomainError, NearestNeighbour, ((TASK, "both"), (TASK, "copy")),
    ((TASK, "position", 1), (TASK, "position", F(9, 8))), ((TASK, "copy", half), (TASK, "copy", 2)),
    ((TASK, "position", None, 1), (TASK, "position", None, 2)),
)  # fmt: skip


NEAR = NearestNeighbour(TASK)


test_queries = edges(DomainError, NEAR.fetch, ((len(TASK.gram),), (len(TASK.gram) - 1,)), ((-1,), (0,)))


test_pulls = edges(DomainError, lambda pull: direct_margin(TASK, pull), ((0,), (F(1, 99),)), ((-1,), (1,)))
