"""Bounded Dyck languages: two routes to every number, the networks in all arithmetics and their searches."""

from dataclasses import replace
from math import comb

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples

from theorytools.papers.sep.memory.recognised_language import RoundedMachine, TableMachine, disagrees, recognition
from theorytools.papers.sep.recurrent.dyck import DyckRNN
from theorytools.papers.sep.tasks.dyck import BoundedDyck, all_words, interleave
from theorytools.tasks.automaton import Automaton, bits_for

SMALL = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2)]
NETWORKS = {
    "one_hot": DyckRNN.one_hot,
    "stack": DyckRNN.stack,
    "binary": lambda n, k: DyckRNN.stack(n, k, code="binary"),
}


# -- the language --------------------------------------------------------------------------------------------------
@examples(30, st.sampled_from(SMALL), st.integers(0, 4))
def test_the_automaton_the_stack_and_the_count_agree_on_all_words(nk, N):
    language = BoundedDyck(*nk)
    words = all_words(language.symbols, N)
    accepted = language.accepts(words)
    assert (accepted == language.automaton.accepts(words)).all()
    assert accepted.sum() == language.automaton.count(N)


def test_words_are_counted_in_closed_form_read_and_paired():
    for m in range(1, 7):
        assert BoundedDyck(1, m).automaton.count(2 * m) == comb(2 * m, m) // (m + 1)
        assert BoundedDyck(2, m).automaton.count(2 * m) == 2**m * comb(2 * m, m) // (m + 1)
        assert BoundedDyck(1, 2).automaton.count(2 * m) == 2 ** (m - 1)
    for n, k, N in ((1, 2, 8), (2, 2, 6), (3, 2, 6), (2, 1, 6)):
        language = BoundedDyck(n, k)
        a = language.halves(N)
        assert len(a) == language.automaton.count(N)
        assert language.accepts(interleave(a, language.partner(a))).all()
    language = BoundedDyck(2, 2)
    assert language.read("([])") == (0, 1, 3, 2)
    assert language.spell(language.read("()[]")) == "()[]"


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


@examples(20, st.integers(1, 6), st.integers(1, 3), st.integers(0, 2**31))
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
    first, (W, b), last = (net := DyckRNN.stack(2, 2)).layers
    for units, kept, text in ((slice(8, 9), "mismatch", "((())"), (slice(9, 13), "overflow", ")")):
        blind = W.copy()
        blind[-1, units] = 0
        cut, made = replace(net, layers=(first, (blind, b), last)), DyckRNN.stack(2, 2, errors=[kept])
        for one, two in zip(cut.layers, made.layers, strict=True):
            assert all((x == y).all() for x, y in zip(one, two, strict=True))
        found = recognition(made, language.automaton)
        assert (found.disagreements, language.spell(found.shortest)) == (1, text)
        assert found.longest == 5
    deeper = recognition(DyckRNN.stack(2, 3), language.automaton)
    assert (deeper.disagreements, language.spell(deeper.shortest)) == (1, "((()))")


@examples(15, st.integers(0, 2**31))
def test_the_shortest_word_is_wrong_and_no_shorter_one_is(seed):
    rng = np.random.default_rng(seed)
    language = BoundedDyck(1, 2).automaton
    other = Automaton(rng.integers(4, size=(4, 2)), rng.integers(2, size=4) == 1)
    found = recognition(TableMachine(other), language)
    lengths = [N for N in range(9) if disagrees(TableMachine(other), language, all_words(2, N)).any()]
    if found.shortest is None or len(found.shortest) > 8:
        assert not lengths
    else:
        assert len(found.shortest) == lengths[0]
        assert disagrees(TableMachine(other), language, [found.shortest]).all()


def test_cells_of_a_user_are_rounded_and_judged():
    net, automaton = DyckRNN.stack(2, 2), BoundedDyck(2, 2).automaton
    module = net.module()
    rounded = RoundedMachine(module.cell, module.readout, net.start, 4, grid=2.0**-3)
    assert recognition(rounded, automaton) == recognition(net, automaton)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():  # noise far below half of the grid is rounded away
        for p in module.parameters():
            p += 1e-4 * torch.randn(p.shape, generator=generator, dtype=p.dtype)
    assert recognition(rounded, automaton).proved
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
