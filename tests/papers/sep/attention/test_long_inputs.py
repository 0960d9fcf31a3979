"""Long inputs: closed forms against enumeration, stores of symbols against what they claim to keep."""

import itertools
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import BudgetError, DomainError, binary_index, count_states, fano_bits
from theorytools.numbers.gf2 import product_table
from theorytools.papers.sep import CodeCopy, IndexLookup
from theorytools.papers.sep.attention.long_lookup import LongLookup
from theorytools.papers.sep.attention.lookup_margin import LookupMargin
from theorytools.papers.sep.recurrent.stores import BlockStore, PerfectBlocks, TableStore


# -- one layer at any length -------------------------------------------------------------------------------------------
@examples(30, st.integers(2, 300), st.integers(2, 40))
def test_digits_of_the_length_replace_all_codes(N, b):
    layer, exact = LongLookup(N, b=b), LookupMargin.of_signs(binary_index(N))
    assert (layer.margin, layer.weight) == (exact.worst(b), exact.weight(b))
    assert layer.weight == layer.streamed() == min(layer.streamed(p) for p in range(N))
    assert layer.code_sum == CodeCopy(N, base=b * b).code_sum


def test_widths_and_ties_of_long_inputs():
    for N, symbols in ((2, 2), (9, 5), (64, 16), (100, 17)):
        layer = LongLookup(N, symbols=symbols)
        net = IndexLookup.of("binary", N, layer.b, symbols=symbols)
        assert (layer.width, layer.k, layer.c) == (net.width, net.k, net.values.shape[1])
    for N, dropped in ((5, 1), (12, 2), (37, 1)):
        layer = LongLookup(N, dropped=dropped)
        low = np.arange(N) % 2**layer.k
        away = np.bitwise_count(low[:, None] ^ low)
        sums = [sum(layer.b ** (2 * (layer.k - int(d))) for d in row) for row in away]
        assert layer.code_sum == max(sums)
        assert layer.margin <= 0
        assert layer.streamed() == layer.weight


def test_long_margins_and_full_tables():
    assert LongLookup(2**1000).margin > F(7, 8)
    assert min(LongLookup(N).margin for N in range(2, 3000)) == LongLookup(2).margin == F(5, 7)
    assert LongLookup(2**11, b=4).margin > 0 > LongLookup(2**12, b=4).margin
    with pytest.raises(BudgetError, match="closed form"):
        LongLookup(2**30).streamed()
    store = TableStore(2, 4, 4)
    full, more = (count_states(Stepwise(store), N, 4) for N in (4, 5))
    assert (full.S, full.accuracy) == (4**4, 1)
    assert (more.S, more.accuracy) == (4**4, F(4, 5) + F(1, 20))
    assert more.wrong_pair().wrong == 1


@pytest.mark.parametrize("sizes", [{"N": 1}, {"N": 4, "symbols": 1}, {"N": 4, "b": 1}, {"N": 4, "dropped": 2}])
def test_sizes_out_of_range(sizes):
    with pytest.raises(DomainError):
        LongLookup(**sizes)


# -- stores ------------------------------------------------------------------------------------------------------------
@examples(
    30, st.sampled_from([(2, 8), (4, 6), (16, 8), (256, 16)]), st.integers(1, 4), st.integers(0, 40),
    st.integers(0, 99),
)  # fmt: skip
def test_a_table_keeps_the_last_symbols(kind, numbers, length, seed):
    store = TableStore(numbers, kind[1], kind[0])
    word = np.random.default_rng(seed).integers(0, kind[0], length)
    state = store.after(word)
    assert ((state >= 0) & (state < 2 ** kind[1])).all()
    for t in range(max(0, length - store.places), length):
        assert store.answers(state)[t % store.places] == word[t]


class Stepwise:
    """A table as a recurrent model, counted state by state."""

    def __init__(self, store):
        self.store, self.start = store, np.zeros(store.numbers, dtype=np.int64)

    def step(self, h, symbols, t):
        number, field = divmod(t % self.store.places, self.store.bits // self.store.symbol_bits)
        shift = self.store.bits - (field + 1) * self.store.symbol_bits
        h = h.copy()
        h[:, number] += (symbols - (h[:, number] >> shift & (self.store.letters - 1))) << shift
        return h


@pytest.mark.parametrize("q", [2, 4, 8, 16, 128, 256])
def test_a_field(q):
    table = product_table(q)
    assert (table == table.T).all()
    assert all(sorted(row[1:]) == list(range(1, q)) for row in table[1:].tolist())
    rng = np.random.default_rng(3)
    a, b, c = rng.integers(0, q, (3, 500))
    assert (table[a, b ^ c] == table[a, b] ^ table[a, c]).all()
    assert (table[table[a, b], c] == table[a, table[b, c]]).all()


@pytest.mark.parametrize(("q", "r"), [(2, 2), (2, 3), (4, 2)])
def test_every_word_is_one_change_from_its_block(q, r):
    code = PerfectBlocks(q, r)
    words = np.array(list(itertools.product(range(q), repeat=code.n)))
    found = code.read(code.kept_symbols(words))
    wrong = (found != words).sum(axis=1)
    assert wrong.max() == 1
    assert F(int(wrong.sum()), words.size) == code.wrong == (1 - F(1, q**r)) / code.n
    assert len(np.unique(found, axis=0)) == q**code.kept
    assert (code.syndromes(found) == 0).all()


@pytest.mark.parametrize(("q", "r"), [(16, 2), (32, 2), (2, 5), (8, 2)])
def test_larger_blocks_by_their_syndromes(q, r):
    code = PerfectBlocks(q, r)
    every = np.array(list(itertools.product(range(q), repeat=r)))
    place, added = code.changes(every)
    assert (added[1:] > 0).all()
    assert added[0] == 0
    table = product_table(q)
    assert (table[added[:, None], code.columns[place]] == every).all()  # the change has the syndrome
    assert code.wrong == F(q**r - 1, q**r * code.n)
    words = np.random.default_rng(5).integers(0, q, (300, code.n))
    assert ((code.read(code.kept_symbols(words)) != words).sum(axis=1) <= 1).all()


@examples(30, st.integers(20, 4000), st.sampled_from([F(1, 2), F(4, 5), F(9, 10)]), st.sampled_from([4, 16, 32]))
def test_a_store_of_blocks_keeps_what_it_says_and_obeys_fano(N, accuracy, q):
    code = PerfectBlocks(q, 2)
    if accuracy > 1 - code.wrong or code.n > N:
        return
    store = BlockStore.least(N, accuracy, code)
    assert store.accuracy >= accuracy
    assert store.bits <= N * (q.bit_length() - 1) + (q.bit_length() - 1)
    assert fano_bits(1 - store.accuracy, q).certainly_le(F(store.bits, N)) if store.accuracy < 1 else True
    words = np.random.default_rng(N).integers(0, q, (3, N))
    coded = store.blocks * code.n
    wrong = store.answers(words) != words
    assert (wrong[:, :coded].reshape(-1, code.n).sum(axis=1) <= 1).all()
    assert not wrong[:, coded : coded + store.plain].any()
    fewer = BlockStore(N, code, max(0, store.blocks - 1), 0)
    assert fewer.accuracy < accuracy or store.blocks == 0


def test_stores_that_do_not_fit():
    refuses(
        DomainError, lambda: TableStore(2, 8, 3), lambda: TableStore(2, 7, 4), lambda: TableStore(0, 8),
        lambda: product_table(3), lambda: PerfectBlocks(16, 1), lambda: BlockStore(10, PerfectBlocks(4, 2), 3),
        lambda: BlockStore.least(2000, F(99, 100), PerfectBlocks(16, 2)), lambda: TableStore(2, 8, 4).after([4]),
        lambda: PerfectBlocks(4, 2).read(np.zeros((1, 4), dtype=int)),
        lambda: PerfectBlocks(4, 2).kept_symbols(np.full((1, 5), 4)),
        lambda: BlockStore(10, PerfectBlocks(4, 2), 2).answers(np.zeros((1, 9), dtype=int)),
    )  # fmt: skip
