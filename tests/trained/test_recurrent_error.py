"""Label errors of recurrent networks: against every prompt of small classes, from both sides, set by set."""

import numpy as np
import pytest
from recurrent_specimens import delay_line, drawn_recurrence
from tail_specimens import all_prompts, drawn_network, true_errors

from theorytools.blocks.network import Map, Network, Recur
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers.boxes import exact
from theorytools.trained.worst import cutting, worst_prompt
from theorytools.trained.worst import recurrent_error as searched
from theorytools.trained.worst.prompts import Prompts
from theorytools.trained.worst.recurrent_error import recurrent_error
from theorytools.trained.worst.state_trees import Tree

SMALL = Prompts(3, 1, 1)
HAIR = 1e-13
CLASSES = [
    (SMALL, "gru", {"at": 2}),
    (SMALL, "gru", {"both": True}),
    (SMALL, "lstm", {"at": 2, "layers": 2}),
    (Prompts(3, 1, 1, radius=0.5), "tanh", {"both": True, "behind": True}),
    (Prompts(3, 1, 2), "relu", {"at": 2, "size": 0.5, "behind": True}),
    (Prompts(3, 2, 1), "gru", {"at": 1}),
    (SMALL, "lstm", {"both": True, "at": 1}),
    (Prompts(4, 1, 1), "gru", {"at": 3, "layers": 2, "k": 3}),
]


def direction(prompts, seed=0):
    return np.random.default_rng(seed).standard_normal(prompts.d)


def judged(number, seed):
    prompts, kind, more = CLASSES[number]
    network, u = drawn_recurrence(prompts, kind, seed, **more), direction(prompts, seed)
    X, T, _ = all_prompts(prompts)
    return network, prompts, u, float(np.abs(true_errors(network, prompts, u, X, T)).max())


@pytest.fixture
def poor_search(monkeypatch):
    """The search for a bad prompt finds a bad one only by luck: what is found later is found by cutting."""
    monkeypatch.setattr(worst_prompt, "DRAWN", 1)
    monkeypatch.setattr(worst_prompt, "ROUNDS", 0)


@pytest.mark.parametrize("kept", [2**23, 60, 0])
@pytest.mark.parametrize("number", range(len(CLASSES)))
def test_it_is_what_the_worst_of_all_prompts_attains(number, kept, poor_search, monkeypatch):
    """Lists that lack a way to fill the positions, in the other order, or with the labels of other positions."""
    monkeypatch.setattr(searched, "LISTED", kept)
    network, prompts, u, truth = judged(number, number)
    found = recurrent_error(network, prompts, u)
    assert truth * (1 - HAIR) <= found.upper <= truth * (1 + 1e-9)
    assert found.exact
    there = true_errors(network, prompts, u, found.X[None], found.T[None])[0]
    assert abs(there[found.at if network.at is None else 0]) == pytest.approx(truth, rel=1e-12)
    assert found.value == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize("number", range(len(CLASSES)))
def test_with_little_work_it_is_above_all_prompts_and_is_not_called_exact(number, poor_search, monkeypatch):
    """Cases that are left uncut and forgotten."""
    monkeypatch.setattr(cutting, "WORK", 1)
    monkeypatch.setattr(searched, "LISTED", 0)
    for seed in range(3):
        network, prompts, u, truth = judged(number, seed)
        found = recurrent_error(network, prompts, u)
        assert truth * (1 - HAIR) <= found.upper
        assert found.value <= truth * (1 + HAIR)
        assert found.exact == (found.upper <= truth * (1 + 1e-9))


def compatible(cases, query, case):
    """Which prompts a case holds, by their tokens and indices in the order of :func:`all_prompts`."""
    X, T, _ = all_prompts(cases.prompts)
    number = {(*x, *t): k for k, (x, t) in enumerate(zip(cases.tokens.tolist(), cases.tuples.tolist(), strict=True))}
    rows = np.concatenate([X, T], axis=2)
    states = np.array([[number[tuple(row)] for row in one] for one in rows.tolist()])
    tree, held = cases.choices.tree, np.ones(len(X), dtype=bool)

    def members(tree, node):
        return tree.order[tree.start[node] : tree.stop[node]]

    for k, there in enumerate(query.lists):
        ways = {tuple(way) for way in there.filled[members(there.tree, case[k])].tolist()}
        held &= [tuple(way) in ways for way in states[:, there.places].tolist()]
    for place, node in zip(np.concatenate([[query.at], *query.rest]), case[2:], strict=True):
        held &= np.isin(states[:, place], members(tree, node))
    return X[held], T[held]


@pytest.mark.parametrize(("number", "kept"), [(1, 60), (2, 0), (3, 2**23), (4, 300), (6, 60)])
def test_the_bound_of_a_set_is_above_each_prompt_in_it(number, kept, monkeypatch):
    """Hulls that lose a member, labels of another slot, a place that is skipped between a list and the query."""
    monkeypatch.setattr(searched, "LISTED", kept)
    network, prompts, u, _ = judged(number, number)
    made = []
    monkeypatch.setattr(cutting.Search, "run", lambda self, queries: made.append((self.cases, queries)) or 1.0)
    recurrent_error(network, prompts, u)
    cases, queries = made[0]
    rng, narrow = np.random.default_rng(number), 0
    for query in queries:
        some = cases.first(query)
        for _ in range(6):
            some = cases.halves(query, some[~cases.single(query, some)])
            bounds = cases.bounds(query, some)
            for n in rng.choice(len(some), 6):
                X, T = compatible(cases, query, some[n])
                errors = np.abs(true_errors(network, prompts, u, X, T))[:, query.at if network.at is None else 0]
                assert errors.max() <= bounds[n] + HAIR
                narrow += bool(len(X) < 40)
    assert narrow


@pytest.mark.parametrize("at", [0, 2])
def test_a_network_that_says_nothing_is_off_by_the_whole_label_read_or_not(at):
    """Labels of positions that no pass reads taken for zero, or counted once for two slots; sets that are not cut since
    their bound is the error of a prompt, and then forgotten."""
    for q, reach in ((1, 1.4), (2, 1.4 * 2**0.5)):
        prompts = Prompts(3, 2, q)
        network = drawn_recurrence(prompts, "gru", 0, at=at)
        silent = Map({name: exact(0 * part.mid) for name, part in network.output.parts.items()}, exact(np.zeros(1)))
        network = Network(3, prompts.fields, network.blocks, silent, at=at)
        found = recurrent_error(network, prompts, [0.6, -0.8])
        assert found.exact
        assert found.upper == pytest.approx(reach, rel=1e-12)


@pytest.mark.parametrize("slope", [1.0, 1.01])
def test_a_line_of_delays_retrieves_and_what_leads_to_one_state_shares_a_leaf(slope, monkeypatch):
    """Four positions have 512 ways to be filled in front of the last, and 8 lists of tokens."""
    N = 4
    prompts, (recur, passed, read) = Prompts(N, 1, 1), delay_line(N, slope)
    sizes, query = [], searched.Query
    monkeypatch.setattr(searched, "Query", lambda *x: sizes.append(x[1][0].tree.leaf.sum()) or query(*x))
    found = recurrent_error(Network(N, prompts.fields, (recur, passed), read, at=N - 1), prompts, [1.0])
    assert sizes == [8]
    assert found.upper == pytest.approx(slope - 1, abs=1e-12)
    assert found.exact


@pytest.mark.parametrize(("n", "width"), [(1, 1), (2, 3), (60, 1), (200, 5)])
def test_each_node_of_a_tree_is_the_hull_of_its_rows(n, width):
    """Rows that are lost, or counted to both children, and hulls that are wider than their rows."""
    rng = np.random.default_rng(n)
    points = rng.standard_normal((n, width)).round(1)
    tree = Tree.of(points)
    hulls = tree.hulls(exact(points))
    assert sorted(tree.order) == list(range(n))
    for node in range(len(tree.left)):
        rows = points[tree.order[tree.start[node] : tree.stop[node]]]
        assert np.abs(hulls.low[node] - rows.min(0)).max() < 1e-14
        assert (hulls.low[node] <= rows.min(0)).all()
        assert (hulls.high[node] >= rows.max(0)).all()
        assert np.abs(hulls.high[node] - rows.max(0)).max() < 1e-14
        if tree.leaf[node]:
            assert (rows == rows[0]).all()
            continue
        inner = tree.start[[tree.left[node], tree.right[node]]], tree.stop[[tree.left[node], tree.right[node]]]
        assert (inner[0][0], inner[1][1], inner[1][0]) == (tree.start[node], tree.stop[node], inner[0][1])


def with_block(network, block):
    return Network(network.N, network.fields, (*network.blocks, block), network.output, at=network.at)


def test_what_is_in_the_way_is_named():
    network = drawn_recurrence(SMALL, "gru", 0, both=True)
    state = Map({"f0": exact(np.eye(4))}, exact(np.zeros(4)))
    again = Recur("again", "gru", state, {**network.blocks[0].weights, "weight_ih": np.ones((12, 4))}, True)
    with pytest.raises(DomainError, match="'again' behind one of the other direction"):
        recurrent_error(with_block(network, again), SMALL, [1.0])
    attention = drawn_network("linear", 0, SMALL).blocks[0]
    with pytest.raises(DomainError, match="Attention, beside recurrent layers"):
        recurrent_error(with_block(network, attention), SMALL, [1.0])
    with pytest.raises(DomainError, match="signs"):
        recurrent_error(network, Prompts(3, 1, 1, "box"), [1.0])
    for name, value in (("weight_hh", np.full((12, 4), np.nan)), ("bias_ih", np.zeros(11))):
        wrong = Recur("f1", "gru", state, {**network.blocks[0].weights, "weight_ih": np.ones((12, 4)), name: value})
        with pytest.raises(DomainError, match="weights of 'f1'"):
            recurrent_error(with_block(network, wrong), SMALL, [1.0])
    growing = Recur("f1", "relu", state, {"weight_ih": 1e100 * np.ones((4, 4)), "weight_hh": 1e100 * np.ones((4, 4)),
                                          "bias_ih": np.ones(4), "bias_hh": np.ones(4)})  # fmt: skip
    with pytest.raises(DomainError, match="beyond doubles"):
        recurrent_error(with_block(network, growing), SMALL, [1.0])
    many = Prompts(60, 2, 2)
    with pytest.raises(BudgetError, match=r"1\.44e\+04 states at each of 60 positions"):
        recurrent_error(drawn_recurrence(many, "gru", 0), many, [1.0, 0.0])
