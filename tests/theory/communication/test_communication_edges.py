"""Matrices, messages and searches at the edges of their sizes, and by enumeration."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import BudgetError, DomainError, Enclosure
from theorytools.constructions.attention.attention_tables import FixedPointTables, MarginEquality, MarginTables
from theorytools.errors import UndecidedError
from theorytools.numbers import pi, rational_rank
from theorytools.tasks.automaton import Automaton
from theorytools.theory.communication.acceptance_matrix import (
    AcceptanceMatrix,
    acceptance_matrix,
    most_partners,
    split_positions,
)
from theorytools.theory.communication.least_width import least_width, wide_equality
from theorytools.theory.communication.margin_message import bounded, cell_of, mixed, share_of
from theorytools.theory.communication.margin_protocol import MarginProtocol, margin_bits
from theorytools.theory.communication.matrix import CommunicationMatrix, all_strings, equality, shared_inputs
from theorytools.theory.communication.nearest_messages import NearestMessages
from theorytools.theory.communication.protocol import OneLayerProtocol, message_bits

F = Fraction
RNG = np.random.default_rng


def tables(length, p, rng, width=1, heads=1, letters=2):
    top, shape = 1 << (p - 1), (length, letters, heads)
    e, v = rng.integers(1, 2 * top, shape), rng.integers(-top, top, (*shape, width))
    return FixedPointTables(e, v, p, lambda N, D: N.sum(axis=(1, 2)) % 2)


# -- matrices ----------------------------------------------------------------------------------------------------------
@examples(25, st.integers(1, 5), st.integers(1, 5), st.data())
def test_matrices_by_their_rows_and_pairs(rows, columns, data):
    M = np.array([[data.draw(st.integers(0, 2)) for _ in range(columns)] for _ in range(rows)])
    X, Y = np.arange(rows)[:, None], np.arange(columns)[:, None]
    made = CommunicationMatrix.of(lambda x, y: M[x[..., 0], y[..., 0]], X, Y)
    assert made.answers.tolist() == M.tolist()
    assert made.distinct_rows == len({tuple(row) for row in M.tolist()})
    assert made.rank == rational_rank(M.tolist())
    for answer in (0, 1, 2, 7):
        found = made.fooling_set(answer)
        assert bool(found[0]) == (answer == M).any()
        assert all(M[x, y] == answer for x, y in zip(*found, strict=True))
        for (x, y), (z, w) in itertools.combinations(list(zip(*found, strict=True)), 2):
            assert not (M[x, w] == answer and M[z, y] == answer)
        assert not found[0] or made.fools(*found)
        for x, y in itertools.product(range(rows), range(columns)):  # none can join
            if M[x, y] == answer:
                assert any(M[x, w] == answer and M[z, y] == answer for z, w in zip(*found, strict=True))
    assert made.fooling_set() == made.fooling_set(1)
    pairs = [(int(a), int(b)) for a, b in zip(RNG(0).integers(0, rows, 3), RNG(1).integers(0, columns, 3), strict=True)]
    common = len({int(M[x, y]) for x, y in pairs}) == 1
    apart = all(not (M[x, w] == M[x, y] and M[z, y] == M[x, y]) for (x, y), (z, w) in itertools.combinations(pairs, 2))
    assert made.fools([x for x, _ in pairs], [y for _, y in pairs]) == (common and apart)


def test_matrices_of_the_largest_size_and_answers_that_are_none():
    def never(x, y):
        raise AssertionError("asked")

    X = np.zeros((2**11, 1), dtype=int)
    refuses(BudgetError, (lambda: CommunicationMatrix.of(never, X, np.zeros((2**11 + 1, 1), int)), "at most 4194304"),
            (lambda: all_strings(23), r"2\^23 strings"))  # fmt: skip
    assert CommunicationMatrix.of(equality, X, X).answers.shape == (2**11, 2**11)
    assert all_strings(2).tolist() == all_strings(2, 2).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert all_strings(2, 3).tolist() == [list(s) for s in itertools.product(range(3), repeat=2)]
    assert all_strings(0).shape == (1, 0)
    assert len(all_strings(1, 2**22)) == 2**22
    s = all_strings(1)
    refuses(
        DomainError, (lambda: CommunicationMatrix.of(lambda x, y: x[..., 0], s, s), "answers of shape"),
        (lambda: CommunicationMatrix.of(lambda x, y: (x + y)[..., 0] / 2, s, s), "answers of type float64"),
        (lambda: equality(s, all_strings(2)), "one length"), (lambda: shared_inputs(2, 2), "no strings"),
        (lambda: shared_inputs(2, 2, ([0], s), ([1], all_strings(1)[:1])), "2, 1 strings"),
        (lambda: shared_inputs(2, 2, ([0], s + 1), ([1], s)), "symbol 2"), (lambda: split_positions("even", 4), "even"),
        (lambda: split_positions("contiguous", 3), "even"), (lambda: split_positions("interleaved", 0), "even"),
    )  # fmt: skip
    assert [list(split_positions(split, 4)) for split in ("interleaved", "contiguous")] == [[0, 2], [0, 1]]
    assert shared_inputs(4, 3, ([3, 0], np.array([[1, 2]])), ([1], np.array([[1]]))).tolist() == [[2, 1, 0, 1]]


PARITY = Automaton(np.array([[0, 1], [1, 0]]), [True, False])


@examples(15, st.integers(1, 3), st.data())
def test_acceptance_by_all_words(states, data):
    table = np.array([[data.draw(st.integers(0, states - 1)) for _ in range(2)] for _ in range(states)])
    machine = Automaton(table, [data.draw(st.booleans()) for _ in range(states)])
    for N, alice, fixed in ((4, {0, 2}, {}), (4, {0, 1}, {}), (4, {3}, {1: 1}), (3, set(), {0: 0})):
        M = AcceptanceMatrix(machine, N, alice, fixed)
        bob = [i for i in range(N) if i not in alice and i not in fixed]
        cells = np.zeros((2 ** len(alice), 2 ** len(bob)), dtype=bool)
        hers, his = (enumerate(itertools.product((0, 1), repeat=len(side))) for side in (alice, bob))
        for (i, a), (j, b) in itertools.product(hers, his):
            word = dict(zip(sorted(alice), a, strict=True)) | dict(zip(bob, b, strict=True)) | fixed
            cells[i, j] = machine.accepts([word[k] for k in range(N)])
        assert (M.cells == cells).all()
        assert M.ones == cells.sum()
        assert M.rows == len({tuple(row) for row in cells.tolist()})
        assert M.rank == rational_rank(cells.astype(int).tolist())
        assert M.partners() == (cells.sum(axis=1).max(), cells.sum(axis=0).max())
    assert (acceptance_matrix(machine, 4).cells == AcceptanceMatrix(machine, 4, {0, 2}).cells).all()
    fixed = acceptance_matrix(machine, 4, "contiguous", fixed={0: 1})
    assert (fixed.cells == AcceptanceMatrix(machine, 4, {1}, {0: 1}).cells).all()
    for side, which in (("alice", 0), ("bob", 1)):
        for rounds in (1, 2, 3):
            each = [AcceptanceMatrix(machine, 2 * k, range(0, 2 * k, 2)) for k in range(1, rounds + 1)]
            assert most_partners(machine, side, rounds=rounds).most == max(M.partners()[which] for M in each)


def test_acceptance_at_its_edges():
    assert AcceptanceMatrix(PARITY, 4, [0], limit=16).cells.size == 16
    assert AcceptanceMatrix(PARITY, 4, [0], {1: 0}, limit=8).cells.size == 8
    refuses(BudgetError, (lambda: AcceptanceMatrix(PARITY, 4, [0], limit=15), "16 cells"),
            (lambda: AcceptanceMatrix(PARITY, 25, [0]), "at most 16777216"),
            (lambda: most_partners(PARITY, "alice", limit=5), "vectors"))  # fmt: skip
    refuses(
        DomainError, (lambda: AcceptanceMatrix(PARITY, 0, []), "positions"),
        (lambda: AcceptanceMatrix(PARITY, 4, [4]), "positions"), (lambda: AcceptanceMatrix(PARITY, 4, [-1]), "pos"),
        (lambda: AcceptanceMatrix(PARITY, 4, [0], {0: 1}), "not Alice's"),
        (lambda: AcceptanceMatrix(PARITY, 4, [0], {1: 2}), "symbols"),
        (lambda: AcceptanceMatrix(PARITY, 4, [0], {1: -1}), "symbols"),
        (lambda: most_partners(PARITY, "carol"), "one of 'alice', 'bob'"),
    )  # fmt: skip
    assert most_partners(PARITY, "bob", rounds=3).most == 4  # half of Bob's strings, of length 3
    once = Automaton(np.array([[1], [2], [2]]), [False, True, False])
    assert most_partners(once, "alice").most == 0  # no word of even length


# -- messages ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("alice", "bob"), [(9, 1), (1, 9), (8, 2), (2, 8), (3, 3)])
def test_reports_say_what_was_small_enough(alice, bob):
    model = tables(alice + bob, 2, RNG(4))
    protocol = OneLayerProtocol(model, range(alice), range(alice, alice + bob))

    def task(x, y):
        return x[..., 0] == y[..., 0]

    made = protocol.report(task)
    assert (made.bits, made.strings) == (message_bits(alice, 2), 2**alice)
    assert made.messages == protocol.count() == len({tuple(m) for m in protocol.messages().tolist()})
    if max(alice, bob) > 8:
        assert (made.rows, made.rank, made.fooling, made.errors) == (None,) * 4
        return
    parties = all_strings(alice), all_strings(bob)
    M = CommunicationMatrix.of(task, *parties)
    assert (made.rows, made.rank) == (M.distinct_rows, M.rank) == (2, 2)
    assert made.fooling == max(len(M.fooling_set(a)[0]) for a in (0, 1))
    wrong = sum(int(model.execute(np.array([[*x, *y]]))[0] != task(x, y)) for x in parties[0] for y in parties[1])
    assert made.errors == wrong
    if made.wrong is not None:
        assert made.wrong.answers[0] == made.wrong.answers[1]
        assert made.wrong.targets[0] != made.wrong.targets[1]


def test_protocols_at_the_edges_of_their_partition():
    model = tables(4, 2, RNG(0))
    assert OneLayerProtocol(model, [0, 1], [2], {3: 1}).letters == 2
    refuses(
        DomainError, (lambda: OneLayerProtocol(model, [0, 1, 2, 3], []), "a party without positions"),
        (lambda: OneLayerProtocol(model, [], [0, 1, 2, 3]), "a party without positions"),
        (lambda: OneLayerProtocol(model, [0, 1], [1, 2, 3]), "a partition"),
        (lambda: OneLayerProtocol(model, [0, 1], [2]), "a partition"),
        (lambda: OneLayerProtocol(model, [0, 1], [2, 3], letters=1), "letters"),
        (lambda: message_bits(0, 1), "n_A"), (lambda: message_bits(1, 0), "p"),
        (lambda: message_bits(1, 1, 0), "heads"), (lambda: message_bits(1, 1, 1, 0), "width"),
    )  # fmt: skip
    assert message_bits(5, 3) == message_bits(5, 3, 1, 1)
    protocol = OneLayerProtocol(model, [1, 0], [2], {3: 1})
    x = all_strings(2)
    inputs = protocol.inputs(x, np.ones((4, 1), dtype=int))
    assert inputs.tolist() == [[b, a, 1, 1] for a, b in x.tolist()]
    assert protocol.inputs(x).tolist() == [[b, a, 0, 1] for a, b in x.tolist()]
    sums = [
        (
            sum(int(model.e[j, t, 0]) for j, t in ((1, a), (0, b))),
            sum(int(model.e[j, t, 0] * model.v[j, t, 0, 0]) for j, t in ((1, a), (0, b))),
        )
        for a, b in x.tolist()
    ]
    assert [tuple(m) for m in protocol.messages(x).tolist()] == sums
    assert protocol.colliding() == sum(c for c in map(sums.count, set(sums)) if c > 1)
    assert protocol.certified(x, np.zeros((4, 1), int)).tolist() == protocol.executed(x, np.zeros((4, 1), int)).tolist()
    equal = FixedPointTables(np.ones((4, 2, 1), int), np.zeros((4, 2, 1, 1), int), 1, lambda N, D: 0 * D[:, 0])
    blind = OneLayerProtocol(equal, [0, 1], [2, 3])
    assert (blind.count(), blind.colliding()) == (1, 4)
    found = blind.wrong_pair(equality)
    assert (found.x, found.other, found.y) == ((0, 0), (0, 1), (0, 0))  # the first two strings, and the first column
    assert blind.wrong_pair(equality, y=np.array([[1, 1]])).y == (1, 1)
    assert blind.wrong_pair(equality, x=np.array([[1, 1]])) is None
    assert blind.wrong_pair(lambda x, y: 0 * x[..., 0]) is None


@pytest.mark.parametrize(("n", "p"), [(1, 2), (3, 2), (5, 3), (6, 4), (7, 3)])
def test_a_wide_layer_decides_equality_and_a_narrow_sum_does_not(n, p):
    net = wide_equality(n, p)
    assert net.width == math.ceil(n / (p - 1))
    x = all_strings(n)
    pairs = np.repeat(x, len(x), axis=0), np.tile(x, (len(x), 1))
    assert (net.execute(np.concatenate(pairs, axis=1)) == equality(*pairs)).all()
    full = wide_equality(n, p, p - 1)
    assert (full.e == net.e).all()
    assert (full.v == net.v).all()
    if min(n, p - 1) > 1:  # two bits share a digit
        shared = wide_equality(n, p, p - 2)
        assert (shared.execute(np.concatenate(pairs, axis=1)) != equality(*pairs)).any()
    for rows in (1, n, 100):
        assert least_width(n, p, rows) == math.ceil(rows / message_bits(n, p))
    assert least_width(n, p) == least_width(n, p, n)
    refuses(DomainError, lambda: least_width(0, p), lambda: least_width(n, 0), lambda: wide_equality(0, 2),
            lambda: wide_equality(2, 1))  # fmt: skip


# -- margins -----------------------------------------------------------------------------------------------------------
def test_shares_of_a_party_are_exact_where_they_are_rational():
    logits = np.array([F(1), F(1), F(1)], dtype=object)
    values = np.array([[F(1), F(0)], [F(2), F(5)], [F(6), F(1)]], dtype=object)
    one = share_of(logits, values)
    assert [mean().fraction() for mean in one.mean] == [3, 2]
    assert one.excess().fraction() == 1
    mixed_logits = np.array([F(0), F(2), F(0)], dtype=object)
    two = share_of(mixed_logits, values)
    whole = 2 + math.exp(2)
    assert float(two.excess()) == pytest.approx(math.log(whole / 3), rel=1e-14)
    assert float(two.means()[0]) == pytest.approx((7 + 2 * math.exp(2)) / whole, rel=1e-14)
    assert float(two.log()) == pytest.approx(math.log(whole), rel=1e-14)
    alike = share_of(mixed_logits, np.array([[F(3)], [F(3)], [F(3)]], dtype=object))
    assert alike.means()[0].fraction() == 3
    merged = mixed(one.means(), one.log(), two.means(), two.log())
    weights = [math.e] * 3 + [1, math.exp(2), 1]
    for c in range(2):
        wanted = sum(w * float(v[c]) for w, v in zip(weights, [*values, *values], strict=True)) / sum(weights)
        assert float(merged[c]) == pytest.approx(wanted, rel=1e-13)


def test_cells_are_decided_and_end_at_the_last_one():
    for offset, cells, cell in (
        (F(0), F(4), 0), (F(7, 2), F(4), 3), (F(4), F(4), 3), (F(5), F(4), 3), (F(-1), F(4), 0), (F(1), F(3, 2), 1),
        (F(9), F(0), 0), (F(3), F(7, 2), 3),
    ):  # fmt: skip
        assert cell_of(lambda offset=offset: Enclosure(offset), cells) == cell
    assert cell_of(lambda: pi(), F(9)) == 3
    assert cell_of(lambda: pi() + F(1, 2**300) - F(1, 2**301), F(9)) == 3
    refuses(UndecidedError, (lambda: cell_of(lambda: pi() - pi() + 3, F(9)), "on the border of two cells"))
    for cells, bits in ((F(0), 0), (F(1), 1), (F(1, 9), 1), (F(3), 2), (F(25, 8), 3), (F(7), 3), (F(8), 4)):
        assert margin_bits(1, 1, cells) == 2 + bits  # 2 cells of values take two bits
    assert margin_bits(1, 1, 1) == margin_bits(1, 1, 1, heads=1, width=1)
    assert margin_bits(F(1, 2), 1, 1, heads=3, width=2) == 3 * (2 * 3 + 2)
    refuses(DomainError, *(lambda a=a: margin_bits(*a) for a in ((0, 1, 1), (1, 0, 1), (1, 1, -1), (-1, 1, 1))))


def test_numbers_up_to_their_bound():
    assert bounded([[F(1, 2), -1]], "values", (1, 2), F(1)).tolist() == [[F(1, 2), -1]]
    refuses(
        DomainError, (lambda: bounded([[2, 0]], "values", (1, 2), F(1)), "up to 2"),
        (lambda: bounded([[0, -2]], "values", (1, 2), F(1)), "up to 2"),
        (lambda: bounded([0, 0], "values", (1, 2), F(1)), "shape"),
        (lambda: bounded([[math.nan, 0]], "values", (1, 2), F(1)), "finite"),
        (lambda: bounded([["a", "b"]], "values", (1, 2), F(1)), "finite"),
    )  # fmt: skip


@examples(8, st.integers(0, 999), st.integers(1, 2), st.integers(1, 2))
def test_margin_protocols_rebuild_within_their_margin(seed, heads, width):
    rng, tau = RNG(seed), F(1, 20)
    logits, values = rng.integers(-8, 9, (4, 2, heads)) * F(1, 8), rng.integers(-8, 9, (4, 2, heads, width)) * F(1, 8)
    values[0, 0, 0, 0] = F(1)
    model = MarginTables(logits, values, tau)
    protocol = MarginProtocol(model, (2, 0))
    assert protocol.bob == [1, 3]
    tokens = all_strings(4)
    assert protocol.error(tokens).certainly_le(tau)
    assert protocol.bits == margin_bits(tau, model.V, model.S, heads, width)
    sent = {protocol.message(known) for known in protocol.shares(tokens, protocol.alice)}
    assert protocol.count(tokens) == len(sent) <= 4
    assert all(len(m) == heads * (width + bool(model.S)) for m in sent)
    assert max(itertools.chain(*sent)) < 2 ** max(protocol.bits, 1)
    hers = next(iter(protocol.shares(tokens[:1], protocol.alice)))
    refuses(
        DomainError, (lambda: protocol.message([*hers, *hers]), "shares"),
        (lambda: protocol.rebuilt((0,) * 99, hers), "numbers of cells"),
        (lambda: protocol.rebuilt((), hers), "numbers of cells"),
        (lambda: MarginProtocol(model, ()), "some of the positions"),
        (lambda: MarginProtocol(model, range(4)), "some of the positions"),
        (lambda: MarginProtocol(model, (4,)), "some of the positions"),
    )  # fmt: skip


def test_a_coarse_margin_has_a_wrong_pair_and_a_fine_one_none():
    s = all_strings(3)
    fine, coarse = (MarginProtocol(MarginEquality(3, tau), range(3)) for tau in (F(1, 33), F(1, 2)))
    assert fine.letters == 2
    assert fine.wrong_pair(equality, s, s) is None
    found = coarse.wrong_pair(equality, s, s)
    assert found.targets[0] != found.targets[1]
    assert found.distance.certainly_le(1)
    logits, values = coarse.model.logits, coarse.model.values
    outputs = []  # of the layer itself, in doubles
    for x in (found.x, found.other):
        tokens = np.array([[*x, *found.y]])
        weights = np.exp(np.array(logits(tokens)[0, :, 0], dtype=float))
        outputs.append(weights @ np.array(values(tokens)[0, :, 0], dtype=float) / weights.sum())
    assert float(found.distance) == pytest.approx(np.abs(outputs[0] - outputs[1]).max(), abs=1e-12)
    zeros = np.zeros((2, 3), dtype=int)
    shares = list(coarse.shares(coarse.inputs(np.array([found.x, found.other]), zeros), coarse.alice))
    assert {coarse.message(one) for one in shares} == {found.message}
    assert coarse.wrong_pair(equality, s, s[:0]) is None
    assert coarse.wrong_pair(lambda x, y: 0 * (x + y)[..., 0], s, s) is None


# -- nearest messages --------------------------------------------------------------------------------------------------
class Tabled:
    """A layer of tables that always answers 1, and counts the inputs it is run on."""

    length, letters = 6, 2

    def __init__(self, answer=1):
        self.scores, self.table = RNG(0).standard_normal((6, 2, 1)), RNG(1).standard_normal((6, 2, 1, 2))
        self.answer, self.asked = answer, 0

    def execute(self, tokens):
        self.asked += len(tokens)
        return np.full(len(tokens), self.answer) if self.answer is not None else np.arange(len(tokens)) + self.asked


def test_searches_end_where_they_are_told():
    model = Tabled()
    search = NearestMessages(model, range(3), range(3, 6))
    assert search.seed == 0
    found = search.wrong_pair(equality)
    assert found == NearestMessages(Tabled(), range(3), range(3, 6)).wrong_pair(equality, most=1 << 20)
    assert found.answers == (1, 1)
    assert found.targets[0] != found.targets[1]
    assert found.tried == model.asked
    weights = np.exp(model.scores - model.scores.max(axis=(0, 1)))
    largest = np.abs(model.table).max()
    for x, sent in zip(all_strings(3), search.messages(all_strings(3)), strict=True):
        w = [weights[j, a, 0] for j, a in enumerate(x)]
        sums = [sum(wj * model.table[j, a, 0, c] for wj, (j, a) in zip(w, enumerate(x), strict=True)) for c in (0, 1)]
        assert sent == pytest.approx([largest * sum(w), *sums], abs=1e-12)
    # the two nearest strings are asked first: no two messages are nearer
    sent = search.messages(all_strings(3))
    apart = np.linalg.norm(sent[:, None] - sent, axis=2)
    at = [int("".join(map(str, s)), 2) for s in (found.x, found.other)]
    assert apart[at[0], at[1]] == pytest.approx(apart[np.triu_indices(8, 1)].min(), abs=1e-12)
    for most in (1, 40, 200):
        model = Tabled(answer=None)  # two runs never agree, so nothing is found
        assert NearestMessages(model, range(3), range(3, 6)).wrong_pair(equality, most=most) is None
        assert model.asked >= min(most, 2)
        every = Tabled(answer=None)
        NearestMessages(every, range(3), range(3, 6)).wrong_pair(equality)
        assert model.asked <= every.asked
    refuses(
        DomainError, (lambda: NearestMessages(Tabled(), range(3), range(2, 6)), "a partition"),
        (lambda: NearestMessages(Tabled(), range(6), ()), "a position for each party"),
        (lambda: NearestMessages(Tabled(), (), range(6)), "a position for each party"),
        (lambda: NearestMessages(object(), (), range(6)), "without scores, table, length, letters, execute"),
        lambda: search.messages(all_strings(2)),
    )  # fmt: skip


def test_a_search_runs_a_model_on_a_million_inputs_unless_told():
    class Long(Tabled):
        length = 20

        def __init__(self):
            super().__init__(answer=None)
            self.scores, self.table = RNG(0).standard_normal((20, 2, 1)), RNG(1).standard_normal((20, 2, 1, 1))

    def number(x, y):
        return x @ (1 << np.arange(10))

    for told, most in (({}, 2**20), ({"most": 2**12}, 2**12)):
        model = Long()
        assert NearestMessages(model, range(10), range(10, 20)).wrong_pair(number, **told) is None
        assert most <= model.asked <= most + 2 * 1024  # pairs are asked in parts of 1024
