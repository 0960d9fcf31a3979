"""Recurrent constructions at the edges of their domains: the last that is accepted and the first that is refused."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import edges

from theorytools.codes.families import binary_index
from theorytools.codes.linear import LinearCode
from theorytools.constructions.feedforward.inner_products import InnerProductUnits
from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.constructions.network import changed
from theorytools.constructions.recurrent.general_tracker import GeneralTracker
from theorytools.constructions.recurrent.position_tracker import LARGEST, PositionTracker, code_gap
from theorytools.constructions.recurrent.simple_retrieval import SimpleRetrievalRNN
from theorytools.constructions.recurrent.store_all import StoreAllRNN
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.qstr.recurrent.code_state import CodeStateRNN
from theorytools.papers.qstr.recurrent.rectified import RectifiedRNN
from theorytools.papers.sep.recurrent.asked_first import RunningBest
from theorytools.papers.sep.recurrent.dyck import DyckRNN
from theorytools.papers.sep.recurrent.hashing import LinearHash
from theorytools.papers.sep.recurrent.registers import HammingQuantiser, QuantisedTanhRNN, TightEncoder
from theorytools.papers.sep.recurrent.stores import BlockStore, PerfectBlocks, TableStore

PAIR = np.array([[1, 1], [1, -1]])


PLAIN = {"signs": PAIR, "K": 4, "q": 1, "d": 1}


NET = PositionTracker(**PLAIN)


X, T = np.zeros((3, 2, 1), dtype=int), np.zeros((3, 2, 1), dtype=int)


Z = NET.encode(X, T)


test_trackers = edges(
    DomainError, PositionTracker, (PLAIN | {"K": LARGEST}, PLAIN | {"K": LARGEST - 2}), (PLAIN | {"K": 0}, PLAIN),
    (PLAIN | {"K": 3}, PLAIN | {"K": 2}), (PLAIN | {"K": -2}, PLAIN | {"K": 2}), (PLAIN | {"q": 0}, PLAIN),
    (PLAIN | {"d": 0}, PLAIN), (PLAIN | {"signs": np.ones((0, 2), dtype=int)}, PLAIN | {"signs": PAIR[:1]}),
    (PLAIN | {"signs": PAIR[0]}, PLAIN), (PLAIN | {"signs": 2 * PAIR}, PLAIN), (PLAIN | {"signs": 0 * PAIR}, PLAIN),
)  # fmt: skip


test_prompts_of_a_tracker = edges(
    DomainError, NET.encode, ((X + LARGEST, T), (X + LARGEST - 1, T)), ((X - LARGEST, T), (1 - X - LARGEST, T)),
    ((X * np.nan, T), (X * 1.0, T)), ((X, T + 2), (X, T + 1)), ((X, T - 1), (X, T)), ((X, T * 1.0), (X, T)),
    ((X[0], T[0]), (X, T)), ((X[:, :1], T), (X, T)), ((X[:2], T), (X[:2], T[:2])), ((X, np.dstack([T, T])), (X, T)),
    ((np.dstack([X, X]), T), (X, T)), ((X[:0], T), (X[:0], T[:0])),
)  # fmt: skip


test_encoded_tokens = edges(
    DomainError, NET, ((Z + LARGEST,), (Z + LARGEST - 2,)), ((Z - LARGEST,), (Z - LARGEST + 2,)),
    ((Z * np.nan,), (Z * 1.0,)), ((Z[..., 1:],), (Z[..., :5],)), ((Z, np.zeros((3, 2, 2))), (Z, np.zeros((3, 2, 1)))),
    ((Z, np.zeros((3, 1, 1))), (Z, np.zeros((3, 2, 1), dtype=int))),
)  # fmt: skip


HEAD = ReluHead(np.array([1]), np.array([[1]]), np.array([0]))


test_retrieval = edges(
    DomainError, SimpleRetrievalRNN, ((NET, HEAD, 0), (NET, HEAD, 1)), ((NET, HEAD, -1), (NET, HEAD, 2**60)),
    ((NET, HEAD, math.inf), (NET, HEAD, 3)),
    ((NET, ReluHead(np.array([1]), np.array([[1, 1]]), np.array([0])), 3), (NET, HEAD, 3)),
)  # fmt: skip


STORE = {"signs": PAIR, "K": 4, "u": np.ones(1, dtype=int), "radius2": 81}


test_stores_of_all_payloads = edges(
    DomainError, StoreAllRNN, (STORE | {"left_out": ((2,), ())}, STORE | {"left_out": ((1,), ())}),
    (STORE | {"left_out": ((), (2,))}, STORE | {"left_out": ((), (1,))}),
    (STORE | {"left_out": ((-1,), ())}, STORE | {"left_out": ((0,), ())}),
    (STORE | {"left_out": ((), (0, -1))}, STORE | {"left_out": ((), (0, 1))}),
    (STORE | {"radius2": 0}, STORE | {"radius2": Fraction(1, 10**9)}), (STORE | {"radius2": -1}, STORE),
    (STORE | {"radius2": math.inf}, STORE | {"radius2": 10**400}), (STORE | {"radius2": math.nan}, STORE),
    (STORE | {"clip": 0}, STORE | {"clip": 1}), (STORE | {"clip": -1}, STORE | {"clip": None}),
    (STORE | {"u": np.ones((1, 1), dtype=int)}, STORE),
)  # fmt: skip


test_sizes_of_a_binary_store = edges(
    DomainError, StoreAllRNN.binary, ((1, 4), (2, 4)), ((2, 0), (2, Fraction(1, 99))), ((2, -1), (2, 1)),
    ((2, math.inf), (2, 10**9)), ((2, math.nan), (2, 1)),
)  # fmt: skip


test_slots_that_are_kept = edges(
    DomainError, StoreAllRNN.binary(3, 4).keeping, ((0,), (1,)), ((4,), (3,)),
)  # fmt: skip


test_dyck_arithmetics = edges(
    DomainError, lambda dtype: replace(DyckRNN.stack(2, 2), dtype=dtype), (("int32",), ("int64",)),
    (("complex128",), ("float32",)),
)  # fmt: skip


test_dyck_codes = edges(
    DomainError, lambda code: DyckRNN.stack(2, 2, code=code), (("unary",), ("binary",)), (("one-hot",), ("one_hot",)),
)  # fmt: skip


STACK = DyckRNN.stack(2, 2)


test_dyck_steps = edges(
    DomainError, STACK.step, ((np.zeros((2, 5)), [0, 4]), (np.zeros((2, 5)), [0, 3])),
    ((np.zeros((2, 5)), [0, -1]), (np.zeros((2, 5)), [1, 0])), ((np.zeros((2, 4)), [0, 0]), (np.zeros((2, 5)), [0, 0])),
    ((np.zeros((1, 5)), [0, 0]), (np.zeros((1, 5)), [0])),
)  # fmt: skip


def test_one_layer_has_a_budget_of_weights(monkeypatch):
    net = DyckRNN.one_hot(2, 2)
    weights = net.layers[0][0].size
    monkeypatch.setattr("theorytools.papers.sep.recurrent.dyck._WEIGHTS", weights)
    assert DyckRNN.one_hot(2, 2).width == net.width
    monkeypatch.setattr("theorytools.papers.sep.recurrent.dyck._WEIGHTS", weights - 1)
    with pytest.raises(BudgetError, match="stack"):
        DyckRNN.one_hot(2, 2)


CODES = [[Fraction(3, 5), Fraction(4, 5)], [Fraction(4, 5), Fraction(-3, 5)]]


UNITS = InnerProductUnits(4)


test_general_trackers = edges(
    DomainError, GeneralTracker, ((CODES, 1, UNITS, Fraction(1), Fraction(1)),
    (CODES, 1, UNITS, Fraction(0), Fraction(1))),
    ((CODES, 0, UNITS, Fraction(0), Fraction(1)), (CODES, Fraction(1, 9), UNITS, Fraction(0), Fraction(1))),
    (((), 1, UNITS, Fraction(0), Fraction(1)), (CODES[:1], 1, UNITS, Fraction(0), Fraction(1))),
    (([[1], [1, 0]], 1, UNITS, Fraction(0), Fraction(1)), ([[1], [0]], 1, UNITS, Fraction(0), Fraction(1))),
)  # fmt: skip


test_codes_of_a_general_tracker = edges(
    DomainError, GeneralTracker.of, ((CODES[:1], 1, 9), (CODES, 1, 9)), (([[], []], 1, 9), (CODES, 2, 9)),
    (([[1, 0], [1]], 1, 9), ([[1, 0], [0, 1]], 1, 9)),
)  # fmt: skip


test_gaps_are_of_pairs = edges(DomainError, code_gap, ((CODES[:1],), (CODES,)), (([],), (CODES,)))


GENERAL = GeneralTracker.of(CODES, 1, 9)


test_positions_of_a_general_tracker = edges(
    DomainError, GENERAL.product, ((0, 2), (0, 1)), ((2, 0), (1, 0)), ((-1, 0), (0, 0)), ((0, -1), (1, 1)),
)  # fmt: skip


test_rectifiers = edges(
    DomainError, RectifiedRNN, ((NET, 0, 1, 1), (NET, Fraction(1, 9), 1, 1)), ((NET, 1, -1, 1), (NET, 1, 0, 1)),
    ((NET, 1, 1, -1), (NET, 1, 1, 0)), ((NET, -1, 1, 1), (NET, 1, 1, 1)),
)  # fmt: skip


RECTIFIED = RectifiedRNN(NET, 9, 1, 0)


ONES = np.ones((2, 1), dtype=int)


test_perturbations = edges(
    DomainError, lambda share, h: RECTIFIED.increment(ONES, h, lambda exact, state: share),
    ((65 * ONES, ONES), (64 * ONES, ONES)), ((-65 * ONES, ONES), (-64 * ONES, ONES)),
    ((1.0 * ONES, ONES), (ONES, ONES)),
    ((ONES[:1], ONES), (0 * ONES, ONES)), ((ONES, ONES[:1]), (ONES, 0 * ONES)),
)  # fmt: skip


WORD = LinearCode(np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=np.uint8))


half = Fraction(1, 2)


test_codeword_networks = edges(
    DomainError, CodeStateRNN, ((0, 4, half), (1, 4, half)), ((2, 0, half), (2, 1, half)),
    ((2, 4, 0 * half), (2, 4, half)),
    ((2, 4, 1 + half), (2, 4, 2 * half)), ((2, 4, half, WORD, 0 * half), (2, 4, half, WORD, half)),
    ((3, 4, half, WORD), (2, 4, half, WORD)), ((2, 5, half, WORD), (2, 4, half, None)),
)  # fmt: skip


test_drawn_codes = edges(
    DomainError, lambda N, **sizes: CodeStateRNN.drawn(N, np.random.default_rng(0), **sizes),
    ({"N": 1}, {"N": 2}), ({"N": 2, "rate": 0}, {"N": 2, "rate": 1}), ({"N": 2, "draws": 0}, {"N": 2, "draws": 1}),
)  # fmt: skip


test_existing_codes = edges(DomainError, CodeStateRNN.existing, ((1,), (2,)))


RUN = CodeStateRNN(2, 4, half, WORD)


test_tokens_of_a_codeword = edges(
    DomainError, RUN.prompt_states, ((np.zeros((1, 3, 1)),), (np.zeros((1, 2, 1)),)),
    ((np.zeros((2, 1)),), (np.zeros((0, 2, 1)),)),
    ((np.full((1, 2, 1), np.inf),), (np.full((1, 2, 1), 1e300),)), ((np.zeros((1, 2, 2)),), (np.ones((2, 2, 1)),)),
)  # fmt: skip


def words_of(N):
    code = LinearCode(np.eye(N, dtype=np.uint8))
    return CodeStateRNN(N, N, Fraction(1, N), code).words


test_messages_that_are_run = edges(BudgetError, words_of, ((9,), (8,)))


test_tables = edges(
    DomainError, TableStore, ((0, 8), (1, 8)), ((1, 0), (1, 1)), ((1, 63), (1, 62)), ((1, 8, 1), (1, 8, 2)),
    ((1, 8, 3), (1, 8, 4)),
    ((1, 9, 4), (1, 9, 8)), ((1, 8, 0), (1, 8, 16)),
)  # fmt: skip


test_blocks_of_a_code = edges(DomainError, PerfectBlocks, ((2, 1), (2, 2)), ((3, 2), (4, 2)))


test_checks_of_a_code = edges(BudgetError, PerfectBlocks, ((2, 25), (2, 24)), ((4, 13), (4, 12)), ((256, 4), (256, 3)))


FANO = PerfectBlocks(2, 3)


test_blocks_in_a_word = edges(
    DomainError, BlockStore, ((13, FANO, 2), (14, FANO, 2)), ((9, FANO, 1, 3), (9, FANO, 1, 2)),
    ((9, FANO, -1), (9, FANO, 0)),
    ((9, FANO, 0, -1), (9, FANO, 0, 0)),
)  # fmt: skip


test_accuracies_of_blocks = edges(
    DomainError, BlockStore.least, ((7, Fraction(-1, 9), FANO), (7, Fraction(0), FANO)),
    ((7, Fraction(8, 7), FANO), (7, Fraction(7, 8), FANO)),
    ((7, Fraction(8, 9), FANO), (7, Fraction(1, 2), FANO)),
)  # fmt: skip


ROWS = np.zeros((2, 1), dtype=np.int64)


test_digits_that_fit = edges(
    DomainError, TightEncoder(2).step, ((ROWS + 2**61, np.array([0, 1]), 61), (ROWS + 2**61 - 1, np.array([0, 1]), 61)),
)  # fmt: skip


test_bits_of_the_hamming_code = edges(
    DomainError, HammingQuantiser().step, ((ROWS, np.array([0, 1]), 7), (ROWS, np.array([0, 1]), 6)),
)  # fmt: skip


BEST = RunningBest(PAIR)


test_symbols_of_the_running_best = edges(
    DomainError, BEST.step, ((np.zeros((1, 3), dtype=int), np.array([0]), 3),
    (np.zeros((1, 3), dtype=int), np.array([0]), 2)),
)  # fmt: skip


W = {"W": np.eye(2), "U": np.ones((3, 2)), "b": np.zeros(2), "p": 3}


test_tanh_networks = edges(
    DomainError, QuantisedTanhRNN, (W | {"W": np.eye(3)}, W), (W | {"U": np.ones((3, 3))}, W),
    (W | {"p": 0}, W | {"p": 1}),
    (W | {"p": 25}, W | {"p": 24}),
    (W | {"b": np.zeros((2, 1))}, W), (W | {"U": np.ones(2)}, W | {"U": np.ones((1, 2))}),
)  # fmt: skip


test_ranks_of_a_hash = edges(
    DomainError, lambda n, B: LinearHash.random(n, B, np.random.default_rng(0)), ((3, 4), (3, 3)), ((3, -1), (3, 0)),
)  # fmt: skip


def test_the_rounding_of_a_retrieval_is_that_of_its_head_until_a_state_is_moved():
    width, size = 6, 5
    track = PositionTracker(binary_index(4).signs, 6, 2, 3)
    head = ReluHead(np.array([1]), np.ones((1, width), dtype=int), np.array([0]))
    least = math.isqrt(width * size**2) + 1  # 6 * 25 is no square
    assert SimpleRetrievalRNN(track, head, least).rounding(size) == 0
    assert SimpleRetrievalRNN(track, head, least - 1).rounding(size) == math.inf
    one = SimpleRetrievalRNN(NET, HEAD, 5)
    assert one.rounding(5) == 0  # a state of norm 5 in the ball of radius 5 is not moved
    assert one.rounding(5.001) == math.inf
    # beyond 1/u the increments are no longer exact, in whatever ball
    assert SimpleRetrievalRNN(NET, HEAD, 2**80).rounding(2.0**70) == math.inf
    assert one.rounding(5, 2.0**-1) == math.inf


def test_the_rounding_of_a_store_is_zero_until_a_state_may_be_moved_or_a_payload_rounded():
    net = StoreAllRNN.binary(4, 4 * 25)
    assert net.rounding(5) == 0  # four payloads of 5 have the squared length 100
    assert net.rounding(6) == math.inf
    assert net.rounding(5, 2.0**-2) == math.inf
    assert replace(net, u=np.array([2])).rounding(5) == math.inf
    assert replace(net, u=np.array([0.5])).rounding(5) == math.inf  # a weight that is no integer


@pytest.mark.parametrize("net", [DyckRNN.stack(2, 3), DyckRNN.one_hot(1, 2), DyckRNN.stack(3, 2, code="binary")])
def test_a_dyck_network_is_exact_up_to_its_largest_sum(net):
    assert net.rounding(1, Fraction(1, net.largest_sum)) == 0.0
    assert net.rounding(1, Fraction(1, net.largest_sum - 1)) == math.inf
    assert net.rounding(1) == 0.0  # doubles, unless another roundoff is given
    # the largest sum is attained to within the bound: no partial sum of any step exceeds it
    width, symbols = net.width, net.language.symbols
    inputs = np.hstack([np.ones((symbols, width)), np.eye(symbols)])
    rows, bias = net.layers[0]
    assert (np.abs(inputs) @ np.abs(rows).T + np.abs(bias)).max() <= net.largest_sum


def test_a_codeword_network_is_bounded_while_its_products_are_exact():
    net = CodeStateRNN(2, 4, half, WORD)
    assert 0 < net.rounding(1, 1 / 64) < math.inf
    assert net.rounding(1, 1 / 63) == math.inf
    assert 0 < changed(net, d_h=128).rounding(1, 1 / 128) < math.inf == changed(net, d_h=128).rounding(1, 1 / 127)
    assert net.rounding(1, 2.0**-30) == 2.0**23 * net.rounding(1)  # proportional to the roundoff
    assert net.rounding(2.0**60, 2.0**-30) == 2.0**30  # a token that is returned, and no number of the type


@examples(40, st.fractions(Fraction(1, 50), 90, max_denominator=60), st.integers(2, 9))
def test_the_level_and_the_slope_of_a_binary_store_are_the_least(radius2, N):
    net = StoreAllRNN.binary(N, radius2, clipped=True)
    assert (net.clip - 1) ** 2 < 4 * radius2 <= net.clip**2
    reach = Fraction(2 * net.K, net.inputs.d_e)
    assert reach >= net.clip > reach - 2
    assert StoreAllRNN.binary(N, radius2).clip is None
    assert StoreAllRNN.binary(N, radius2).K == net.K
