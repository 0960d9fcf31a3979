"""Roundings, stores and automata by second routes."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools.constructions.network import changed
from theorytools.constructions.recurrent.simple_retrieval import project
from theorytools.constructions.recurrent.store_all import StoreAllRNN
from theorytools.errors import DomainError
from theorytools.papers.qstr.recurrent.code_state import CodeStateRNN
from theorytools.papers.sep.recurrent.asked_first import Countdown, RunningBest
from theorytools.papers.sep.recurrent.registers import (
    HammingQuantiser,
    QuantisedTanhRNN,
    SymbolRegister,
    TightEncoder,
)
from theorytools.papers.sep.recurrent.stores import BlockStore, PerfectBlocks, TableStore

FANO = PerfectBlocks(2, 3)


@examples(40, st.lists(st.integers(-6, 6), min_size=1, max_size=4), st.integers(1, 9))
def test_projections_keep_the_direction_and_move_only_what_is_outside(h, radius):
    state = np.array([h])
    square = sum(x * x for x in h)
    if square <= radius**2:
        assert project(state, radius) is state
    elif math.isqrt(square) ** 2 == square:
        moved = project(state, radius)[0]
        assert sum(x * x for x in moved) == radius**2
        assert [x * math.isqrt(square) for x in moved] == [radius * x for x in h]
    else:
        with pytest.raises(DomainError):
            project(state, radius)
    if square > radius**2:
        assert np.allclose(project(state * 1.0, radius)[0], np.array(h) * radius / math.sqrt(square))


def test_squares_that_leave_int64_are_still_exact():
    for entry in (2**24 - 1, 2**24, 2**40):
        h = np.array([[entry] * 4])  # of length 2 entry
        assert project(h, 2 * entry) is h or (project(h, 2 * entry) == h).all()
        assert project(h, entry).tolist() == [[Fraction(entry, 2)] * 4]


@examples(20, st.integers(2, 4), st.integers(0, 2**32))
def test_what_is_lost_and_unread_is_counted_over_all_pairs(N, seed):
    rng = np.random.default_rng(seed)
    gone = tuple(np.flatnonzero(rng.integers(0, 2, N)).tolist()), tuple(np.flatnonzero(rng.integers(0, 2, N)).tolist())
    net = replace(StoreAllRNN.binary(N, 100 * N**2), left_out=gone)
    wanted = sum(k in gone[0] if k < j else k in gone[1] if k > j else False for j in range(N) for k in range(N))
    assert net.unread() == Fraction(wanted, N * N)
    assert net.lost() == net.unread()  # payloads 1, ..., N are within reach: what is there is read
    assert net.d_h == N - min(map(len, gone))
    both = sum(math.sqrt(N - len(slots)) for slots in gone)
    assert abs(float(net.frobenius()) - both) <= 1e-12
    assert (net.slope() ** 2).contains(200 * N**2)


@examples(20, st.integers(1, 3), st.integers(1, 4), st.integers(1, 2), st.lists(st.integers(0, 3), max_size=20))
def test_a_table_answers_the_last_symbol_of_each_place(numbers, fields, e, word):
    letters = 1 << e
    store, word = TableStore(numbers, e * fields, letters), [s % letters for s in word]
    assert store.places == numbers * fields
    last = [0] * store.places
    for t, symbol in enumerate(word):
        last[t % store.places] = symbol
    state = store.after(word)
    assert store.answers(state).tolist() == last
    assert all(0 <= x < 2**store.bits for x in state.tolist())
    assert TableStore(numbers, fields).letters == 2


@pytest.mark.parametrize(("q", "r"), [(2, 2), (2, 3), (4, 2)])
def test_blocks_are_perfect(q, r):
    code = PerfectBlocks(q, r)
    rng = np.random.default_rng(q * r)
    kept = rng.integers(0, q, (20, code.kept))
    words = code.read(kept)
    assert not code.syndromes(words).any()
    assert (words[:, : code.kept] == kept).all()
    assert (1 + code.n * (q - 1)) * q**code.kept == q**code.n  # balls of radius 1 fill the space
    for place in range(code.n):
        for more in range(1, q):
            off = words.copy()
            off[:, place] ^= more
            assert (code.kept_symbols(off) == kept).all()
            found, added = code.changes(code.syndromes(off))
            assert (found == place).all()
            assert (added == more).all()
    every = np.array(list(itertools.product(range(q), repeat=code.n))) if q**code.n <= 2**10 else words
    if len(every) == q**code.n:
        assert Fraction(int((code.read(code.kept_symbols(every)) != every).sum()), every.size) == code.wrong


@examples(40, st.integers(1, 40), st.fractions(0, 1, max_denominator=40))
def test_the_least_store_reaches_its_accuracy_and_a_smaller_one_does_not(N, accuracy):
    try:
        store = BlockStore.least(N, accuracy, FANO)
    except DomainError:
        # all blocks that fit and the rest as it is: no store of this code is better
        full = BlockStore(N, FANO, N // 7, N % 7)
        assert full.accuracy < accuracy
        return
    assert store.accuracy >= accuracy
    if store.plain:
        assert replace(store, plain=store.plain - 1).accuracy < accuracy
    if store.blocks:
        assert replace(store, blocks=store.blocks - 1, plain=0).accuracy < accuracy
    kept = 4 * store.blocks + store.plain
    assert store.bits == kept + (2 if store.blocks else 0)


def test_the_accuracy_of_a_store_is_what_its_answers_have():
    store = BlockStore(9, FANO, 1, 1)
    words = np.array(list(itertools.product((0, 1), repeat=9)))
    assert Fraction(int((store.answers(words) == words).sum()), words.size) == store.accuracy
    assert BlockStore(9, FANO, 1).plain == 0
    none = BlockStore(9, FANO, 0, 2)
    assert (none.answers(words)[:, :2] == words[:, :2]).all()
    assert not none.answers(words)[:, 2:].any()


def run(model, word):
    h = np.array([model.start])
    for t, symbol in enumerate(word):
        h = model.step(h, np.array([symbol]), t)
    return h


@examples(30, st.integers(2, 5), st.lists(st.integers(0, 4), max_size=9), st.integers(0, 4))
def test_digits_and_registers_hold_the_word_and_its_end(letters, word, kept):
    word = [s % letters for s in word]
    number = 0
    for s in word:
        number = letters * number + s
    assert run(TightEncoder(letters), word).tolist() == [[number]]
    assert TightEncoder() == TightEncoder(2)
    end = ([0] * kept + word)[len(word) :] if kept else [0]
    assert run(SymbolRegister(letters, kept), word).tolist() == [end]
    assert SymbolRegister() == SymbolRegister(2, 1)


@examples(30, st.integers(1, 6), st.integers(0, 5), st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_a_countdown_stores_the_symbol_at_the_position(N, p, word):
    p, model = p % N, Countdown(N)
    h = run(model, [p, *word[:N]])
    assert model.answer(h, np.zeros(1, dtype=int)).tolist() == [word[p]]
    before = run(model, [p, *word[:p]])
    assert before.tolist() == [[0]]
    assert model.answer(before, np.zeros(1, dtype=int)).tolist() == [0]


def test_the_hamming_quantiser_keeps_a_nearest_word_of_sixteen():
    found = {word: int(run(HammingQuantiser(), word)[0, 0]) for word in itertools.product((0, 1), repeat=7)}
    assert len(set(found.values())) == 16
    far = [(int("".join(map(str, word)), 2) ^ state).bit_count() for word, state in found.items()]
    assert sorted(set(far)) == [0, 1]
    assert far.count(0) == 16


@examples(20, st.integers(0, 2**32))
def test_the_running_best_is_the_first_nearest_vector(seed):
    rng = np.random.default_rng(seed)
    codes, labels, q = 1 - 2 * rng.integers(0, 2, (5, 4)), rng.integers(1, 9, 5), int(rng.integers(5))
    h = run(RunningBest(codes), [q, *labels])
    similar = codes @ codes[q]
    first = int(similar.argmax())
    assert h.tolist() == [[q, similar[first], labels[first]]]
    assert RunningBest(codes).answer(h, np.zeros(1, dtype=int)).tolist() == [labels[first]]


@examples(20, st.integers(0, 2**32), st.integers(1, 6))
def test_a_rounded_tanh_lies_in_the_cell_of_its_value(seed, p):
    rng = np.random.default_rng(seed)
    net = QuantisedTanhRNN.drawn(3, p, 2, rng, gain=2.0)
    assert net.bits == 3 * p
    h = np.array([net.start])
    assert (net.values(h) == 2.0**-p).all()
    for t, s in enumerate(rng.integers(0, 2, 6)):
        exact = np.tanh(net.W @ net.values(h)[0] + net.U[s] + net.b)
        h = net.step(h, np.array([s]), t)
        assert (np.abs(net.values(h)[0] - exact) <= 2.0**-p * (1 + 1e-9)).all()
    far = replace(net, b=np.full(3, 50.0))
    assert far.step(h, np.array([0]), 0).tolist() == [[2**p - 1] * 3]
    assert replace(net, b=np.full(3, -50.0)).step(h, np.array([0]), 0).tolist() == [[0] * 3]
    one, two = (QuantisedTanhRNN.drawn(3, p, 2, np.random.default_rng(seed), gain=g) for g in (1.0, 2.0))
    same = QuantisedTanhRNN.drawn(3, p, 2, np.random.default_rng(seed))
    assert (2 * one.W == two.W).all()
    assert (one.W == same.W).all()


@pytest.mark.parametrize("spoiled", [
    {}, {"scale": Fraction(1, 2)}, {"scale": Fraction(9, 10)}, {"scale": Fraction(2)}, {"kept": 0}, {"written": (7, 0)},
    {"written": (3, 5)}, {"kept": 5},
])  # fmt: skip
def test_reads_of_a_codeword_are_those_of_the_network_on_all_signs(spoiled):
    """A payload of sign s costs E (|x| s - f)^2 = 1 - 2 s f a + f^2 where f is read, a = E |x|."""
    net = changed(CodeStateRNN.drawn(3, np.random.default_rng(3), rate=4), **spoiled)
    signs = np.array(list(itertools.product((-1, 1), repeat=3)))
    a = math.sqrt(2 / math.pi)
    wrong, costs = 0, []
    for k in range(3):
        f = net(signs[..., None], np.full((8, 3, 1), k))
        for j in range(3):
            if j != k:
                wrong += int((np.abs(f[:, j] - a * signs[:, k]) > 1e-9).sum())
                costs += (1 - 2 * signs[:, k] * f[:, j] * a + f[:, j] ** 2).tolist()
        assert (f[:, k] == signs[:, k]).all()  # the own token is returned
    assert net.wrong() == Fraction(wrong, 48)
    assert float(net.risk()) == pytest.approx(2 / 3 * sum(costs) / len(costs))
    assert sum(net.reads.values()) == 48
    if not spoiled:
        assert wrong == 0
        assert (net.risk() - net.risk_bound()).contains(0)
    directions = sum(map(bool, net.written))
    assert float(net.frobenius()) == pytest.approx(directions * math.sqrt(12))
    assert float(net.slope()) == pytest.approx(float(net.scale) * math.sqrt(2 / (math.pi * float(net.beta))))


def test_a_drawn_code_is_the_best_of_its_draws():
    best = CodeStateRNN.drawn(4, np.random.default_rng(0), rate=3, draws=6)
    rng = np.random.default_rng(0)
    distances = [CodeStateRNN.drawn(4, rng, rate=3, draws=1).beta for _ in range(6)]
    assert best.beta == max(distances)
    assert best.d_h == 12
    plain = CodeStateRNN.drawn(2, np.random.default_rng(0))
    assert plain.d_h == 12
    assert plain.beta == CodeStateRNN.drawn(2, np.random.default_rng(0), rate=6, draws=8).beta
    assert CodeStateRNN.existing(5).d_h == 30
    assert (plain.scale, CodeStateRNN.existing(5).code) == (1, None)
    words = plain.words
    assert (plain.decode(words) == np.arange(4)).all()
    assert (plain.values == np.where(np.arange(4)[:, None] >> np.arange(2) & 1, 1, -1) * math.sqrt(2 / math.pi)).all()
