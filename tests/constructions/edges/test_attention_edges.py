"""Blocks of attention and temperatures at the edges of their domains."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import sympy
from refusals import edges

from theorytools.codes.equiangular import simplex
from theorytools.codes.families import hadamard, rademacher
from theorytools.codes.subcode import subcode
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.attention.least_temperature import minimal_temperature
from theorytools.constructions.attention.temperature import (
    necessary_temperature,
    rounded_up,
    sufficient_temperature,
    temperature_for_error,
)
from theorytools.constructions.feedforward.link_heads import linear_head
from theorytools.errors import BudgetError, DomainError
from theorytools.papers.qstr.attention.average_leakage import RandomSigns
from theorytools.papers.qstr.attention.matrix import encoded, merged_matrix, scores
from theorytools.papers.qstr.attention.output_error import label_error, sum_head
from theorytools.papers.qstr.attention.streaming import streamed_retrieval, working_bytes
from theorytools.papers.qstr.attention.truncated_attention import TruncatedAttention
from theorytools.papers.qstr.attention.tuple_risk import tuple_risk
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention

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
