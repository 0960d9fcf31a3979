"""Acceptance matrices of bounded Dyck languages, one layer of attention for them, and every refusal."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from devices import device
from hypothesis import strategies as st
from properties import examples
from refusals import refused

from theorytools import BudgetError, DomainError
from theorytools.numbers.gf2 import matrix_rank
from theorytools.numbers.linear_algebra import independent_rows
from theorytools.papers.sep import DyckRNN
from theorytools.papers.sep.memory.recognised_language import RoundedMachine, recognition
from theorytools.papers.sep.tasks.dyck import BoundedDyck, all_words, interleave
from theorytools.tasks.automaton import Automaton, bits_for
from theorytools.theory.communication.acceptance_matrix import (
    AcceptanceMatrix,
    acceptance_matrix,
    most_partners,
    split_positions,
)

one_layer_dyck = device("sep/dyck_onelayer_lb/_one_length_layer").one_layer_dyck

SMALL = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2)]


# -- acceptance matrices -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("split", ["interleaved", "contiguous"])
@pytest.mark.parametrize(("n", "k"), SMALL)
def test_the_matrix_is_that_of_the_words(split, n, k):
    language, N = BoundedDyck(n, k), 4
    M = acceptance_matrix(language.automaton, N, split)
    strings = all_words(2 * n, N // 2)
    a, b = strings[:, None], strings[None]
    words = interleave(a, b) if split == "interleaved" else np.concatenate(np.broadcast_arrays(a, b), axis=-1)
    assert (M.cells == language.accepts(words)).all()
    assert M.ones == language.automaton.count(N)
    assert M.rows == len({row.tobytes() for row in M.cells})


@examples(25, st.integers(1, 7), st.integers(1, 7), st.integers(0, 2**31))
def test_the_rank_modulo_two_is_at_most_the_rational_rank(m, n, seed):
    cells = np.random.default_rng(seed).integers(2, size=(m, n)) == 1
    cells[0, 0] = True  # a matrix of zeros has no independent rows to list
    rational = len(independent_rows(cells.astype(int).astype(object))[0])
    assert matrix_rank(cells) <= rational == np.linalg.matrix_rank(cells.astype(float))


def test_a_rank_that_two_divides_is_found_over_the_rationals():
    parity = Automaton([[0, 1], [1, 0]], [False, True])  # M has rows 0 1 and 1 0; with a zero row it is not full
    assert acceptance_matrix(parity, 4).rank == 2
    pairs = Automaton([[1, 2, 3], [4, 5, 5], [5, 4, 5], [5, 5, 4], [5] * 3, [6] * 3, [6] * 3], [0, 0, 0, 0, 0, 1, 0])
    M = AcceptanceMatrix(pairs, 2, [0])
    assert matrix_rank(M.cells) == 2 < M.rank == 3


def test_rows_ranks_and_partners_of_the_table():
    def table(n, k, lengths, **more):
        found = [acceptance_matrix(BoundedDyck(n, k).automaton, N, **more) for N in lengths]
        return [(M.rows, M.rank) for M in found]

    assert table(2, 1, (4, 6, 8)) == [(5, 4), (9, 8), (17, 16)]
    assert table(2, 2, (4, 6, 8)) == table(2, 3, (4, 6, 8)) == [(9, 8), (33, 32), (129, 128)]
    for k in (2, 3, 4, 6):
        assert table(1, k, range(4, 13, 2)) == [(3, 2), (5, 4), (9, 8), (17, 16), (33, 32)]
    assert [rows for rows, _ in table(2, 2, (4, 6, 8), split="contiguous")] == [6, 3, 6]
    assert table(1, 1, range(4, 13, 2)) == [(2, 1)] * 5
    for n, k in ((1, 1), (2, 1), (1, 2), (2, 2), (3, 2)):
        automaton = BoundedDyck(n, k).automaton
        assert [most_partners(automaton, side).most for side in ("alice", "bob")] == [1, 1]
    for n, k, N in ((1, 3, 8), (2, 3, 6), (1, 4, 12)):
        automaton = BoundedDyck(n, k).automaton
        found = acceptance_matrix(automaton, N).cells
        counts = [most_partners(automaton, side, rounds=N // 2).most for side in ("alice", "bob")]
        assert counts == [found.sum(axis=1).max(), found.sum(axis=0).max()]


@examples(10, st.integers(1, 60), st.integers(0, 2**31))
def test_one_layer_of_linear_size_decides_depth_two_on_words_and_on_near_misses(half, seed):
    language, model, rng = BoundedDyck(1, 2), one_layer_dyck(2 * half), np.random.default_rng(seed)
    a = np.column_stack([np.zeros(8, dtype=np.int64), rng.integers(2, size=(8, half - 1))])
    good = interleave(a, language.partner(a))
    near = np.repeat(good, 2 * half, axis=0) ^ np.tile(np.eye(2 * half, dtype=np.int64), (8, 1))
    for words in (good, near):
        tokens = np.column_stack([words, np.zeros(len(words), dtype=np.int64)])
        assert (model.execute(tokens) == language.accepts(words)).all()
    assert not language.accepts(near).any()
    assert language.accepts(good).all()


test_refusals = refused(
    DomainError, (lambda: BoundedDyck(0, 2), "n = 0"), (lambda: BoundedDyck(2, 1.5), "k = 1.5"),
    (lambda: BoundedDyck(2, 2).accepts([[0, 4]]), "the symbol 4"),
    (lambda: BoundedDyck(2, 2).accepts([[0, 1], [2]]), "different lengths"),
    (lambda: BoundedDyck(2, 2).accepts([[0.0, 2.0]]), "float64"),
    (lambda: BoundedDyck(2, 2).read("(a)"), "the bracket 'a'"), (lambda: BoundedDyck(5, 2).spell([0, 5]), "5 kinds"),
    (lambda: BoundedDyck(2, 2).halves(5), "N = 5"), (lambda: BoundedDyck(2, 2).partner([[2, 0]]), "closing bracket"),
    (lambda: interleave([0, 1], [2]), "shapes"), (lambda: split_positions("interleaved", 5), "length 5"),
    (lambda: split_positions("odd", 4), "'odd'"), (lambda: DyckRNN.stack(2, 2, code="unary"), "'unary'"),
    (lambda: replace(DyckRNN.stack(2, 2), dtype="uint8"), "'uint8'"), (lambda: one_layer_dyck(7), "N = 7"),
    (lambda: one_layer_dyck(122), "N = 122"), (lambda: DyckRNN.stack(2, 2).step(np.zeros((2, 5)), [0]), r"\(2, 5\)"),
    (lambda: DyckRNN.stack(2, 2).accepts([[-1]]), "the symbol -1"),
    (lambda: DyckRNN.stack(2, 2).module()(torch.tensor([[7]])), "int64"),
    (lambda: AcceptanceMatrix(BoundedDyck(1, 1).automaton, 4, [0, 4]), "positions"),
    (lambda: AcceptanceMatrix(BoundedDyck(1, 1).automaton, 4, [0], {0: 1}), "positions"),
    (lambda: most_partners(BoundedDyck(1, 1).automaton, "eve"), "eve"),
    (lambda: RoundedMachine(abs, abs, np.zeros(1), 2, grid=0.3), "grid = 0.3"),
    (lambda: Automaton([[0, 2]], [True]), "transitions"), (lambda: bits_for(0), "0 states"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("call", "count"),
    [(lambda: all_words(4, 11), 4**11), (lambda: acceptance_matrix(BoundedDyck(2, 2).automaton, 14), 4**14),
     (lambda: BoundedDyck(2, 20).automaton, 2**21), (lambda: DyckRNN.one_hot(2, 12), 4 * 2**13),
     (lambda: most_partners(BoundedDyck(1, 3).automaton, "alice", limit=50), "vectors after")],
)  # fmt: skip
def test_what_is_too_large_is_refused_with_its_size(call, count):
    with pytest.raises(BudgetError, match=str(count)):
        call()


def test_a_machine_that_counts_without_bound_is_refused():
    class Counter:
        start = np.zeros(1, dtype=np.int64)

        def step(self, h, symbols):
            return h + 1 - 2 * symbols[:, None]

        def accepting(self, h):
            return h[:, 0] == 0

    with pytest.raises(BudgetError, match=r"10\d reachable pairs and more; a shortest word .*: \(1, 0\)"):
        recognition(Counter(), BoundedDyck(1, 2).automaton, limit=100)
    Counter.step = lambda self, h, symbols: h / 0.0
    with np.errstate(all="ignore"), pytest.raises(DomainError, match="states of float64"):
        recognition(Counter(), BoundedDyck(1, 2).automaton)
