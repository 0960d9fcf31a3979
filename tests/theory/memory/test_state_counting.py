"""Recurrent states counted over all prefixes, and two words in one state, executed."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools import BudgetError, CertificateError, DomainError, Enclosure, changed
from theorytools.papers.sep.memory.query_first import query_first
from theorytools.papers.sep.recurrent.asked_first import Countdown, RunningBest
from theorytools.papers.sep.recurrent.registers import (
    HammingQuantiser,
    QuantisedTanhRNN,
    SymbolRegister,
    TightEncoder,
)
from theorytools.theory.memory.counting import count_states
from theorytools.theory.memory.integer_states import distinct_states, run
from theorytools.theory.memory.quantised import InternedRecurrence


def drawn(seed, m=2, p=2, letters=2):
    return QuantisedTanhRNN.drawn(m, p, letters, np.random.default_rng(seed), gain=2)


# -- counting --------------------------------------------------------------------------------------------------------
@examples(15, st.integers(0, 99), st.integers(1, 6), st.integers(2, 3))
def test_counting_together_equals_running_every_word(seed, N, letters):
    machine = drawn(seed, letters=letters)
    words = np.array(list(itertools.product(range(letters), repeat=N)))
    ends = [tuple(row) for row in run(machine, words, letters)]
    right = 0
    for state in set(ends):
        here = words[[end == state for end in ends]]
        right += sum(np.bincount(here[:, p]).max() for p in range(N))
    found = count_states(machine, N, letters)
    for p in range(N):  # no other read-out is right on more words of any state
        chosen = found.best(found.states, np.full(found.S, p))
        assert (found.tally[np.arange(found.S), p, chosen] == found.tally[:, p].max(axis=1)).all()
    assert found.S == len(set(ends)) <= 2**machine.bits
    assert sorted(map(tuple, found.states)) == sorted(set(ends))
    assert found.accuracy == Fraction(int(right), N * letters**N) == found.accuracy_of(found.best)
    assert found.words.sum() == letters**N
    every = bool(letters**N == found.S)
    # at one state both sides are one rational; elsewhere Fano is strict, and the ball is far narrower than the gap
    assert Enclosure(found.accuracy).upper <= found.ceiling().lower
    assert (found.accuracy == 1) is (found.wrong_pair() is None) is every


@examples(15, st.integers(0, 99), st.integers(2, 7))
def test_a_wrong_pair_is_wrong_for_every_readout(seed, N):
    found = count_states(drawn(seed), N)
    pair = found.wrong_pair()
    if pair is None:
        return
    for answers in itertools.product((0, 1), repeat=2):  # a read-out sees the state and the position only
        executed = found.wrong_pair(lambda h, p, answers=answers: [answers[int(h.sum()) % 2]])
        assert executed.first != executed.second
        assert executed.wrong == 1
        ends = run(found.machine, [executed.first, executed.second], 2)
        assert (ends[0] == ends[1]).all()
        assert tuple(ends[0]) == executed.state


def test_registers_positions_and_hashable_states_are_counted():
    assert [count_states(SymbolRegister(2, B), 10).accuracy for B in (4, 6)] == [Fraction(7, 10), Fraction(4, 5)]
    hamming = count_states(HammingQuantiser(), 7)
    assert (hamming.S, hamming.accuracy, set(hamming.words.tolist())) == (16, Fraction(7, 8), {8})
    assert count_states(SymbolRegister(2, 12), 12).S == count_states(TightEncoder(2), 12).S == 4096
    found = count_states(SymbolRegister(2, 3), 100)
    assert found.accuracy == Fraction(103, 200)
    assert found.words.tolist() == [2**97] * 8
    seen = InternedRecurrence((), lambda state, s, t: (*state, s)[-3:])
    found, register = count_states(seen, 6, 3), count_states(SymbolRegister(3, 3), 6, 3)
    assert (found.S, found.accuracy) == (register.S, register.accuracy)
    assert sorted(seen.states(found.states)) == sorted(itertools.product(range(3), repeat=3))
    assert [query_first(Countdown(N), N).states for N in (8, 64, 400)] == [11, 67, 403]
    assert query_first(late(8), 8).errors > 0


@examples(15, st.integers(0, 99), st.sampled_from([3, 2**40]))
def test_rows_are_told_apart_with_and_without_packing(seed, size):
    rows = np.random.default_rng(seed).integers(-size, size, (40, 3)) // (size // 2) * (size // 2)
    first, label = distinct_states(rows)
    assert (rows[first][label] == rows).all()
    assert (rows[first] == np.unique(rows, axis=0)).all()


def test_what_counting_refuses():
    with pytest.raises(BudgetError, match="1024 states after 10 of 12"):
        count_states(TightEncoder(), 12, limit=2000)
    with pytest.raises(DomainError, match="integers"):
        count_states(Floats(), 3)
    for call in (lambda: count_states(TightEncoder(), 0), lambda: count_states(TightEncoder(), 3, 1),
                 lambda: run(TightEncoder(), [[0, 2]], 2), lambda: count_states(HammingQuantiser(), 8),
                 lambda: count_states(TightEncoder(), 3).best(np.array([[99]]), np.array([0]))):  # fmt: skip
        with pytest.raises(DomainError):
            call()
    with pytest.raises(CertificateError, match="run alone"):
        count_states(OfTheBatch(), 2).wrong_pair()


class Floats:
    start = np.zeros(1)

    def step(self, h, symbols, t):
        return h


class OfTheBatch:
    """No function of state and symbol: what happens depends on the number of rows."""

    start = np.zeros(1, dtype=np.int64)

    def step(self, h, symbols, t):
        return h + symbols[:, None] * (len(h) == 1)


# -- asked first -----------------------------------------------------------------------------------------------------
def late(N):
    """A countdown that ends one symbol too late."""
    return changed(Countdown(N), passed=np.minimum(np.arange(N) + 1, N - 1))


@pytest.mark.parametrize(
    "machine", [Countdown(4), late(4), RunningBest(np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]))]
)
def test_the_search_equals_running_every_input(machine):
    ends, met = set(), {tuple(machine.start)}
    for p, word in itertools.product(range(4), itertools.product(range(2), repeat=4)):
        h = machine.start[None]
        for t, symbol in enumerate((p, *word)):
            h = machine.step(h, np.array([symbol]), t)
            met.add(tuple(h[0]))
        ends.add((tuple(h[0]), p, word[p]))
    wrong = sum(int(machine.answer(np.array([h]), np.array([p]))[0]) != a for h, p, a in ends)
    found = query_first(machine, 4)
    assert (found.states, found.errors, found.ends) == (len(met), wrong, len(ends))
