"""Bounded Dyck languages: two routes to every number, the networks in all arithmetics, refusals."""

from dataclasses import replace
from math import comb

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from theorytools.constructions import DyckRNN
from theorytools.errors import BudgetError, DomainError
from theorytools.quantities import (
    AcceptanceMatrix,
    RoundedMachine,
    TableMachine,
    acceptance_matrix,
    binary_rank,
    disagrees,
    most_partners,
    recognition,
)
from theorytools.quantities.acceptance import split_positions
from theorytools.quantities.row_rank import independent_rows
from theorytools.tasks.automaton import Automaton, bits_for
from theorytools.tasks.dyck import BoundedDyck, all_words, interleave

SMALL = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2)]
NETWORKS = {
    "one_hot": DyckRNN.one_hot,
    "stack": DyckRNN.stack,
    "binary": lambda n, k: DyckRNN.stack(n, k, code="binary"),
}


def quick(examples):
    return settings(deadline=None, derandomize=True, database=None, max_examples=examples)


# -- the language --------------------------------------------------------------------------------------------------
@quick(30)
@given(st.sampled_from(SMALL), st.integers(0, 4))
def test_the_automaton_the_stack_and_the_count_agree_on_all_words(nk, N):
    language = BoundedDyck(*nk)
    words = all_words(language.symbols, N)
    accepted = language.accepts(words)
    assert (accepted == language.automaton.accepts(words)).all()
    assert accepted.sum() == language.automaton.count(N)


def test_unbounded_words_are_counted_by_catalan_numbers_and_bounded_ones_by_powers_of_two():
    for m in range(1, 7):
        assert BoundedDyck(1, m).automaton.count(2 * m) == comb(2 * m, m) // (m + 1)
        assert BoundedDyck(2, m).automaton.count(2 * m) == 2**m * comb(2 * m, m) // (m + 1)
        assert BoundedDyck(1, 2).automaton.count(2 * m) == 2 ** (m - 1)


@pytest.mark.parametrize(("n", "k"), SMALL)
def test_the_stacks_are_a_minimal_automaton(n, k):
    language = BoundedDyck(n, k)
    assert language.automaton.states == language.states == language.automaton.needed_states()
    assert language.states == (k + 2 if n == 1 else (n ** (k + 1) - 1) // (n - 1) + 1)
    heights = [n**i for i in range(k + 1)]
    assert language.automaton.needed_at_once() == 1 + max(sum(heights[::2]), sum(heights[1::2]))


def test_position_dependent_models_need_as_many_bits_except_for_one_kind_and_depth_one():
    both = {nk: BoundedDyck(*nk).automaton for nk in SMALL}
    bits = {nk: (bits_for(a.needed_states()), bits_for(a.needed_at_once())) for nk, a in both.items()}
    assert bits == {(1, 1): (2, 1), (1, 2): (2, 2), (2, 1): (2, 2), (2, 2): (3, 3), (2, 3): (4, 4), (3, 2): (4, 4)}


@quick(20)
@given(st.integers(1, 6), st.integers(1, 3), st.integers(0, 2**31))
def test_refinement_finds_the_classes_that_words_tell_apart(states, symbols, seed):
    rng = np.random.default_rng(seed)
    A = Automaton(rng.integers(states, size=(states, symbols)), rng.integers(2, size=states) == 1)
    # states apart are told apart by a suffix of at most states - 2 symbols (or the empty one)
    suffixes = [w for length in range(max(states - 1, 1)) for w in all_words(symbols, length)]
    answers = [
        tuple(bool(Automaton(A.transitions, A.accepting, q).accepts(w)) for w in suffixes) for q in range(states)
    ]
    for p in range(states):
        for q in range(states):
            assert (answers[p] == answers[q]) == (A.classes[p] == A.classes[q])


def test_partners_make_words_of_depth_two():
    for n, k, N in ((1, 2, 8), (2, 2, 6), (3, 2, 6), (2, 1, 6)):
        language = BoundedDyck(n, k)
        a = language.halves(N)
        assert len(a) == language.automaton.count(N)
        assert language.accepts(interleave(a, language.partner(a))).all()


def test_text_is_read_and_spelled():
    language = BoundedDyck(2, 2)
    assert language.read("([])") == (0, 1, 3, 2)
    assert language.spell(language.read("()[]")) == "()[]"


# -- networks ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize(("n", "k"), SMALL)
def test_widths_and_pairs_of_networks_that_are_right_at_every_length(name, n, k):
    net, language = NETWORKS[name](n, k), BoundedDyck(n, k)
    found = recognition(net, language.automaton)
    assert found.proved
    assert found.shortest is None
    slot = {"stack": n, "binary": bits_for(n + 1)}.get(name)
    wanted = (2 * n * language.states,) * 2 if name == "one_hot" else (k * slot + 1, 2 * (language.states - 1))
    assert (net.width, found.pairs) == wanted
    assert recognition(replace(net, dtype="float16"), language.automaton) == found
    assert net.largest_sum <= 2**11


@pytest.mark.parametrize("name", NETWORKS)
def test_integers_floats_and_the_module_agree_unit_by_unit(name):
    net = NETWORKS[name](2, 2)
    words = all_words(4, 5)
    exact = net.accepts(words)
    assert (exact == BoundedDyck(2, 2).accepts(words)).all()
    h = {dtype: np.tile(net.start, (len(words), 1)).astype(dtype) for dtype in ("int64", "float64", "float16")}
    for symbol in words.T:
        h = {dtype: replace(net, dtype=dtype).step(state, symbol) for dtype, state in h.items()}
        assert (h["int64"] == h["float64"]).all()
        assert (h["int64"] == h["float16"]).all()
    for dtype in (torch.float64, torch.float32):
        module = net.module(dtype=dtype)
        scores = module(torch.as_tensor(words))
        assert (scores.detach().numpy() == net.score(h["int64"])).all()
        assert ((scores > 0).numpy() == exact).all()
        assert (
            sum(p.numel() for p in module.parameters()) == sum(W.size + b.size for W, b in net.layers) + net.width + 1
        )


def test_without_its_checks_a_network_fails_on_a_shortest_word():
    language = BoundedDyck(2, 2)
    for errors, text in ((["mismatch"], "((())"), (["overflow"], ")")):
        found = recognition(DyckRNN.stack(2, 2, errors=errors), language.automaton)
        assert (found.disagreements, language.spell(found.shortest)) == (1, text)
        assert found.longest == 5
    deeper = recognition(DyckRNN.stack(2, 3), language.automaton)
    assert (deeper.disagreements, language.spell(deeper.shortest)) == (1, "((()))")


@quick(15)
@given(st.integers(0, 2**31))
def test_the_shortest_word_is_wrong_and_no_shorter_one_is(seed):
    rng = np.random.default_rng(seed)
    language = BoundedDyck(1, 2).automaton
    other = Automaton(rng.integers(4, size=(4, 2)), rng.integers(2, size=4) == 1)
    found = recognition(TableMachine(other), language)
    lengths = [N for N in range(9) if disagrees(TableMachine(other), language, all_words(2, N)).any()]
    # a pair is reached within 4 * 4 - 1 symbols, a disagreement here within 8 or never
    assert (found.shortest is None and not lengths) or len(found.shortest) == (lengths or [9])[0] or not lengths
    if found.shortest is not None:
        assert disagrees(TableMachine(other), language, [found.shortest]).all()


def test_a_users_cell_is_rounded_and_judged():
    net, automaton = DyckRNN.stack(2, 2), BoundedDyck(2, 2).automaton
    module = net.module()
    rounded = RoundedMachine(module.cell, module.readout, net.start, 4, grid=2.0**-3)
    assert recognition(rounded, automaton) == recognition(net, automaton)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():  # noise far below half of the grid is rounded away
        for p in module.parameters():
            p += 1e-4 * torch.randn(p.shape, generator=generator, dtype=p.dtype)
    assert recognition(rounded, automaton).proved


def test_an_untrained_torch_cell_is_shown_wrong():
    cell, readout = torch.nn.GRUCell(4, 3), torch.nn.Linear(3, 1)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for p in (*cell.parameters(), *readout.parameters()):
            p.copy_(torch.randn(p.shape, generator=generator))
    machine = RoundedMachine(cell, readout, np.zeros(3), 4, grid=0.5)
    automaton = BoundedDyck(2, 2).automaton
    found = recognition(machine, automaton)
    assert not found.proved  # at most 5^3 states, and none was trained
    assert disagrees(machine, automaton, [found.shortest]).all()


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


@quick(25)
@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 2**31))
def test_the_rank_modulo_two_is_at_most_the_rational_rank(m, n, seed):
    cells = np.random.default_rng(seed).integers(2, size=(m, n)) == 1
    cells[0, 0] = True  # a matrix of zeros has no independent rows to list
    rational = len(independent_rows(cells.astype(int).astype(object))[0])
    assert binary_rank(cells) <= rational == np.linalg.matrix_rank(cells.astype(float))


def test_a_rank_that_two_divides_is_found_over_the_rationals():
    parity = Automaton([[0, 1], [1, 0]], [False, True])  # M has rows 0 1 and 1 0; with a zero row it is not full
    assert acceptance_matrix(parity, 4).rank == 2
    pairs = Automaton([[1, 2, 3], [4, 5, 5], [5, 4, 5], [5, 5, 4], [5] * 3, [6] * 3, [6] * 3], [0, 0, 0, 0, 0, 1, 0])
    M = AcceptanceMatrix(pairs, 2, [0])
    assert binary_rank(M.cells) == 2 < M.rank == 3


def test_rows_and_ranks_of_the_table():
    def table(n, k, lengths, **more):
        found = [acceptance_matrix(BoundedDyck(n, k).automaton, N, **more) for N in lengths]
        return [(M.rows, M.rank) for M in found]

    assert table(2, 1, (4, 6, 8)) == [(5, 4), (9, 8), (17, 16)]
    assert table(2, 2, (4, 6, 8)) == table(2, 3, (4, 6, 8)) == [(9, 8), (33, 32), (129, 128)]
    for k in (2, 3, 4, 6):
        assert table(1, k, range(4, 13, 2)) == [(3, 2), (5, 4), (9, 8), (17, 16), (33, 32)]
    assert [rows for rows, _ in table(2, 2, (4, 6, 8), split="contiguous")] == [6, 3, 6]
    assert table(1, 1, range(4, 13, 2)) == [(2, 1)] * 5


def test_one_partner_at_every_length_up_to_depth_two_and_more_beyond():
    for n, k in ((1, 1), (2, 1), (1, 2), (2, 2), (3, 2)):
        automaton = BoundedDyck(n, k).automaton
        assert [most_partners(automaton, side).most for side in ("alice", "bob")] == [1, 1]
    for n, k, N in ((1, 3, 8), (2, 3, 6), (1, 4, 12)):
        automaton = BoundedDyck(n, k).automaton
        found = acceptance_matrix(automaton, N).cells
        counts = [most_partners(automaton, side, rounds=N // 2).most for side in ("alice", "bob")]
        assert counts == [found.sum(axis=1).max(), found.sum(axis=0).max()]


# -- refusals ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: BoundedDyck(0, 2), "n = 0"),
        (lambda: BoundedDyck(2, 1.5), "k = 1.5"),
        (lambda: BoundedDyck(2, 2).accepts([[0, 4]]), "the symbol 4"),
        (lambda: BoundedDyck(2, 2).accepts([[0, 1], [2]]), "different lengths"),
        (lambda: BoundedDyck(2, 2).accepts([[0.0, 2.0]]), "float64"),
        (lambda: BoundedDyck(2, 2).read("(a)"), "the bracket 'a'"),
        (lambda: BoundedDyck(5, 2).spell([0, 5]), "5 kinds"),
        (lambda: BoundedDyck(2, 2).halves(5), "N = 5"),
        (lambda: BoundedDyck(2, 2).partner([[2, 0]]), "closing bracket"),
        (lambda: interleave([0, 1], [2]), "shapes"),
        (lambda: split_positions("interleaved", 5), "length 5"),
        (lambda: split_positions("odd", 4), "'odd'"),
        (lambda: DyckRNN.stack(2, 2, code="unary"), "'unary'"),
        (lambda: DyckRNN.stack(2, 2).step(np.zeros((2, 5)), [0]), r"\(2, 5\)"),
        (lambda: DyckRNN.stack(2, 2).accepts([[-1]]), "the symbol -1"),
        (lambda: DyckRNN.stack(2, 2).module()(torch.tensor([[7]])), "int64"),
        (lambda: AcceptanceMatrix(BoundedDyck(1, 1).automaton, 4, [0, 4]), "positions"),
        (lambda: AcceptanceMatrix(BoundedDyck(1, 1).automaton, 4, [0], {0: 1}), "positions"),
        (lambda: most_partners(BoundedDyck(1, 1).automaton, "eve"), "eve"),
        (lambda: RoundedMachine(abs, abs, np.zeros(1), 2, grid=0.3), "grid = 0.3"),
        (lambda: Automaton([[0, 2]], [True]), "transitions"),
        (lambda: bits_for(0), "0 states"),
    ],
)
def test_refusals(call, text):
    with pytest.raises(DomainError, match=text):
        call()


@pytest.mark.parametrize(
    ("call", "count"),
    [
        (lambda: all_words(4, 11), 4**11),
        (lambda: acceptance_matrix(BoundedDyck(2, 2).automaton, 14), 4**14),
        (lambda: BoundedDyck(2, 20).automaton, 2**21),
        (lambda: DyckRNN.one_hot(2, 12), 4 * 2**13),
        (lambda: most_partners(BoundedDyck(1, 3).automaton, "alice", limit=50), "vectors after"),
    ],
)
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
