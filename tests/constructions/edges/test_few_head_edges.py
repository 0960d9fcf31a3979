"""Few heads at the edges of their domains, and the defaults of attention."""

import math
from fractions import Fraction as F
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from head_decoder_examples import decoder
from refusals import edges

from theorytools.codes.encodings import orthonormal_encodings
from theorytools.codes.equiangular import orthonormal, simplex
from theorytools.codes.families import hadamard, rademacher
from theorytools.constructions.attention.attention_tables import MarginTables
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.attention.least_temperature import minimal_temperature
from theorytools.constructions.attention.lookup_precision import least_bits, rounded_margin
from theorytools.constructions.attention.temperature import rounded_up
from theorytools.errors import DomainError
from theorytools.papers.qstr.attention.average_leakage import RandomSigns
from theorytools.papers.qstr.attention.output_error import sum_head
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention
from theorytools.papers.qstr.few_heads.block_diagonal import FewHeads
from theorytools.papers.qstr.few_heads.quadratic_readout import AttentionRows, best_error
from theorytools.papers.qstr.few_heads.short_codes import ShortCodeDecoder
from theorytools.papers.qstr.few_heads.single_head import CrossHead, UniformHead
from theorytools.papers.qstr.few_heads.visible_span import VisibleSpan
from theorytools.papers.qstr.precision.machine import MachineAttention
from theorytools.papers.qstr.tasks.few_heads import FewTokens
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean
from theorytools.papers.sep.attention.long_lookup import LongLookup
from theorytools.papers.sep.attention.lookup_margin import LookupMargin, circle_margin, largest_power
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.attention.position_copy import CodeCopy
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, equidistant
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.attention.selector_rules import RuleSelector

NET = BlockAttention(hadamard(4), beta=2, q=2, d=2)


half = F(1, 2)


E, V = np.ones((2, 2, 1)), np.ones((2, 2, 1, 1))


TASK = NearestTask(equidistant(4, 0))


MACHINE = MachineAttention(orthonormal(4), 3)


E4 = orthonormal_encodings(4)


EYE = np.hstack([np.eye(1, dtype=int), np.zeros((1, 4), dtype=int)]).astype(object)


SELECT = {"E": E4, "beta": 2, "q": 2, "d": 1}


SET = SparseSelector(**SELECT)


RULE = {"E": E4, "q": 2, "d": 1, "rule": "top"}


FEW = FewTokens(8, 2, 3)


UNIFORM = {"codes": hadamard(8), "beta": 2, "task": FewTokens(8, 2, 3, link="lin")}


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
