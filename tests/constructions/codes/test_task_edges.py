"""The edges of the models of data: the last argument that is taken beside the first that is refused, and defaults."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import sklearn.datasets
from hypothesis import strategies as st
from properties import examples
from refusals import refused, refuses

from theorytools import BudgetError, DomainError, Enclosure
from theorytools.errors import CheckError
from theorytools.papers.qstr.tasks.decaying_weights import DecayingWeights
from theorytools.papers.qstr.tasks.few_heads import FewTokens
from theorytools.papers.sep.tasks import boolean
from theorytools.papers.sep.tasks.dyck import BoundedDyck
from theorytools.papers.sep.tasks.index_lookup import LookupTask
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, different_signs, equidistant
from theorytools.papers.stsq.tasks import sparse_selection
from theorytools.tasks import digits, sparse_regression
from theorytools.tasks.automaton import Automaton, bits_for, strings_of, symbols_of

RNG = np.random.default_rng
F = Fraction


# -- strings and automata ----------------------------------------------------------------------------------------------
@examples(20, st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=9))
def test_functions_of_two_strings_given_as_lists_are_their_definitions(pairs):
    x, y = ([int(pair[i]) for pair in pairs] for i in (0, 1))
    common = sum(a and b for a, b in zip(x, y, strict=True))
    assert boolean.equality(x, y) == (x == y)
    assert boolean.disjointness(x, y) == (common == 0)
    assert boolean.inner_product(x, y) == common % 2
    for task in boolean.TASKS.values():
        assert task(x, y).dtype == np.int64
        assert task([x, x], y).tolist() == [task(x, y)] * 2  # leading axes broadcast
        refuses(
            DomainError, (lambda task=task: task([*x[1:], 2], y), "bits with the symbol 2"),
            (lambda task=task: task(x, [*y[1:], -1]), "bits with the symbol -1"),
            (lambda task=task: task([*x, 0], y), "one length"), (lambda task=task: task([0.0, 1.0], [0, 1]), "float64"),
            (lambda task=task: task([[0], [0, 1]], [0]), "rows of different lengths"),
        )  # fmt: skip


def test_all_strings_in_order_and_the_pairs_that_fool():
    assert boolean.bit_strings(1).tolist() == [[0], [1]]
    assert boolean.bit_strings(3).tolist() == [list(bits) for bits in itertools.product((0, 1), repeat=3)]
    X, Y = boolean.all_pairs(2)
    assert [(*x, *y) for x, y in zip(X.tolist(), Y.tolist(), strict=True)] == list(itertools.product((0, 1), repeat=4))
    assert len(boolean.bit_strings(20)) == 2**20
    assert len(boolean.all_pairs(10)[0]) == 4**10
    refuses(
        BudgetError, lambda: boolean.bit_strings(0), lambda: boolean.bit_strings(21), lambda: boolean.all_pairs(11),
        lambda: boolean.all_pairs(0), lambda: boolean.fooling_pairs("equality", 21),
    )  # fmt: skip
    for name in ("equality", "disjointness"):
        x, y = boolean.fooling_pairs(name, 3)
        task = boolean.checked_task(name)
        assert task(x, y).tolist() == [1] * 8
        answers = task(x[:, None], y)
        assert all(i == j or 0 in (answers[i, j], answers[j, i]) for i in range(8) for j in range(8))
    refuses(
        DomainError, (lambda: boolean.checked_task("majority"), "the task 'majority'"),
        (lambda: boolean.fooling_pairs("inner_product", 2), "equality or disjointness"),
    )  # fmt: skip


def test_symbols_and_strings_at_the_ends_of_the_alphabet():
    assert symbols_of([[0, 2]], 3).tolist() == [[0, 2]]
    assert symbols_of([], 3).dtype == np.int64
    assert symbols_of(np.zeros((4, 0)), 3).shape == (4, 0)
    assert strings_of([0, 2], 2, 3).tolist() == [0, 2]
    refuses(
        DomainError, (lambda: symbols_of([0, 3], 3), "words with the symbol 3"), (lambda: symbols_of(1, 3), "shape"),
        (lambda: symbols_of([-1], 3, "bits"), "bits with the symbol -1"), (lambda: symbols_of([True], 3), "bool"),
        (lambda: symbols_of([[0], [0, 1]], 3), "rows of different lengths"),
        (lambda: strings_of([0, 1, 2], 2, 3), "strings of shape"), (lambda: strings_of([], 2, 3), "strings of shape"),
        (lambda: strings_of([0, 3], 2, 3), "strings with the symbol 3"), (lambda: bits_for(0), "0 states"),
    )  # fmt: skip
    assert [bits_for(n) for n in (1, 2, 3, 4, 5, 8, 9)] == [0, 1, 2, 2, 3, 3, 4]


@examples(25, st.integers(1, 4), st.integers(1, 2), st.data())
def test_automata_by_enumeration_of_their_words(states, symbols, data):
    table = [[data.draw(st.integers(0, states - 1)) for _ in range(symbols)] for _ in range(states)]
    accepting, start = [data.draw(st.booleans()) for _ in range(states)], data.draw(st.integers(0, states - 1))
    machine = Automaton(np.array(table), accepting, start)
    assert (machine.states, machine.symbols) == (states, symbols)

    def run(state, word):
        for s in word:
            state = table[state][s]
        return state

    words = {n: list(itertools.product(range(symbols), repeat=n)) for n in range(states + 1)}
    for n in range(1, states + 1):
        assert machine.run(words[n]).tolist() == [run(start, w) for w in words[n]]
        assert machine.count(n) == int(machine.accepts(words[n]).sum())
    assert machine.count(0) == accepting[start]
    shorter = [w for n in range(states) for w in words[n]]  # suffixes below the number of states decide everything
    languages = [tuple(accepting[run(q, w)] for w in shorter) for q in range(states)]
    assert machine.live.tolist() == [any(language) for language in languages]
    same = [[languages[p] == languages[q] for q in range(states)] for p in range(states)]
    assert (machine.classes[:, None] == machine.classes).tolist() == same
    levels = machine.reachable_at()
    assert [set(level) for level in levels[: states + 1]] == [
        {run(start, w) for w in words[n]} for n in range(min(len(levels), states + 1))
    ]
    assert frozenset(table[q][s] for q in levels[-1] for s in range(symbols)) in levels
    assert len(set(levels)) == len(levels)
    reached = {q for level in levels for q in level}
    assert machine.needed_states() == len({languages[q] for q in reached})
    assert machine.needed_at_once() == max(len({languages[q] for q in level}) for level in levels)


test_what_is_no_automaton = refused(
    DomainError, lambda: Automaton(np.array([[0, 2], [0, 1]]), [True, False]),
    lambda: Automaton(np.array([[0, -1], [0, 1]]), [True, False]), lambda: Automaton(np.array([[0]]), [True], 1),
    lambda: Automaton(np.array([[0]]), [True], -1), lambda: Automaton(np.array([[0]]), [True, False]),
    lambda: Automaton(np.array([[0.0]]), [True]), lambda: Automaton(np.array([0]), [True]),
    lambda: Automaton(np.zeros((1, 0), dtype=int), [True]),
)  # fmt: skip


# -- tokens ------------------------------------------------------------------------------------------------------------
def test_few_tokens_at_the_edges():
    assert FewTokens(N=3, d=1, q=1).K == 1
    assert [FewTokens(N=N, d=2, q=1).K for N in (3, 4, 5, 6)] == [1, 1, 2, 2]
    for wrong, words in (
        ({"N": 2}, "N >= 3, d >= 1, q >= 1"), ({"d": 0}, "N >= 3, d >= 1, q >= 1"),
        ({"q": 0}, "N >= 3, d >= 1, q >= 1"),
        ({"early": "late"}, "'blank' or 'same'"), ({"link": "he2"}, "'sq' or 'lin'"), ({"q": 3}, "q <= ceil"),
        ({"late": (0,)}, "2 distinct positions"), ({"late": (0, 0)}, "2 distinct positions"),
        ({"late": (0, 1, 2)}, "2 distinct positions"), ({"late": (0, 5)}, "2 distinct positions"),
        ({"late": (-1, 0)}, "2 distinct positions"),
    ):  # fmt: skip
        refuses(DomainError, (lambda wrong=wrong: FewTokens(**{"N": 5, "d": 1, "q": 2, **wrong}), words))
    assert FewTokens(N=5, d=1, q=2).tuples().tolist() == [[4, 4]] * 2 + [[0, 1]] * 3
    assert FewTokens(N=5, d=1, q=2, early="same").tuples().tolist() == [[0, 1]] * 5
    assert FewTokens(N=5, d=1, q=3, late=(4, 0, 2)).tuples().tolist() == [[4] * 3] * 2 + [[4, 0, 2]] * 3


@pytest.mark.parametrize("link", ["sq", "lin"])
@pytest.mark.parametrize("early", ["blank", "same"])
def test_the_labels_of_few_tokens_are_those_of_sparse_regression(link, early):
    task = FewTokens(N=7, d=3, q=2, early=early, link=link, late=(2, 0))
    X = task.draw(RNG(0), 5)
    assert X.shape == (5, 7, 3)
    assert (X[:, :3] != 0).all()
    assert (X[:, 3:] == 0).all()
    T = np.broadcast_to(task.tuples(), (5, 7, 2))
    u = None if link == "sq" else np.array([1.0, 0.0, 0.0])
    other = sparse_regression.labels(X, T, link, u)
    assert np.abs(task.labels(X) - other).max() <= 2.0**-48  # sums of six numbers below 10 in two orders
    errors = task.squared_errors(lambda X: np.zeros(X.shape[:2]))(RNG(0), 5)
    assert np.abs(errors - np.square(other).mean(axis=1)).max() <= 2.0**-44
    assert task.average(lambda t: Enclosure(sum(t))).fraction() == F(sum(map(sum, task.tuples().tolist())), 7)
    refuses(DomainError, (lambda: task.labels(X[:, 1:]), "X of shape"), (lambda: task.labels(X[0]), "X of shape"))


def test_blocks_of_errors_are_made_one_after_another():
    task = FewTokens(N=4, d=2**15, q=1)  # two prompts in a block
    seen = []

    def predict(X):
        seen.append(len(X))
        return np.zeros(X.shape[:2])

    errors, rng = task.squared_errors(predict)(RNG(1), 5), RNG(1)
    assert seen == [2, 2, 1]
    X = np.concatenate([task.draw(rng, size) for size in seen])
    assert errors.tolist() == np.square(task.labels(X)).mean(axis=1).tolist()


def test_sparse_regression_draws_distinct_indices_unless_told():
    assert [a.tolist() for a in sparse_regression.sample(RNG(3), 4, 3, 1, 3, False)] == [
        a.tolist() for a in sparse_regression.sample(RNG(3), 4, 3, 1, 3, False, distinct=True)
    ]
    assert sparse_regression.sample(RNG(0), 1, 1, 1, 1, True)[1].tolist() == [[[0]]]
    refuses(
        DomainError, (lambda: sparse_regression.sample(RNG(0), 1, 2, 1, 3, True), "q <= N"),
        *((lambda wrong=wrong: sparse_regression.sample(RNG(0), *wrong, True), ">= 1")
          for wrong in ((0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0))),
    )  # fmt: skip
    X, T = sparse_regression.sample(RNG(1), 2, 3, 2, 2, False)
    for d in (1, 2, 9):  # a norm within (d + 4) 2^-52 of one is one
        X, T = sparse_regression.sample(RNG(1), 2, 3, d, 2, False)
        u = np.eye(d)[0]
        for eps, fits in ((d + 4, True), (-(d + 4), True), (d + 6, False), (-(d + 6), False)):
            scaled = u * (1 + eps * 2.0**-52)
            if fits:
                assert sparse_regression.labels(X, T, "lin", scaled).shape == (2, 3)
            else:
                refuses(DomainError, (lambda X=X, T=T, v=scaled: sparse_regression.labels(X, T, "lin", v), "unit"))
    refuses(
        DomainError, (lambda: sparse_regression.labels(X, T, "sq", np.eye(9)[0]), "norms only"),
        (lambda: sparse_regression.labels(X, T, "he2"), "no direction u"),
        (lambda: sparse_regression.labels(X, T, "lin", np.eye(9)[:3]), "u of shape"),
        (lambda: sparse_regression.slope_of("cubed"), "the loss 'cubed'"),
        (lambda: sparse_regression.checked_prompts(X, T - 1), "integers from 0"),
        (lambda: sparse_regression.checked_prompts(X, T + 1), "integers from 0"),
        (lambda: sparse_regression.checked_prompts(X[0], T), "(n, N, q)".replace("(", r"\(").replace(")", r"\)")),
    )  # fmt: skip


LOSSES = {
    "squared": lambda r: r * r / 2, "absolute": abs,
    "huber": lambda r: r * r / 2 if abs(r) <= 1 else abs(r) - F(1, 2),
    "quantile": lambda r: max(r / 4, -3 * r / 4), "fair": lambda r: abs(float(r)) - math.log1p(abs(float(r))),
}  # fmt: skip


@examples(30, st.sampled_from(sorted(LOSSES)), *[st.fractions(-3, 3, max_denominator=8)] * 2)
def test_slopes_are_subgradients_of_their_losses(loss, r, s):
    slope = sparse_regression.slope_of(loss)(r)
    assert isinstance(slope, F)
    assert LOSSES[loss](s) - LOSSES[loss](r) >= slope * (s - r) - (F(1, 2**40) if loss == "fair" else 0)
    assert loss != "absolute" or r != 0 or slope == 0


def test_sparse_selection_at_the_edges():
    assert list(sparse_selection.subsets(3, 2)) == [(0, 1), (0, 2), (1, 2)]
    assert sum(1 for _ in sparse_selection.subsets(20, 7)) == math.comb(20, 7)
    refuses(
        DomainError, lambda: sparse_selection.subsets(3, 3), lambda: sparse_selection.subsets(3, 0),
        lambda: sparse_selection.subsets(3, 4), lambda: sparse_selection.sample_subsets(RNG(0), 2, 3, 3),
        lambda: sparse_selection.checked_sizes(3, 1, 0), lambda: sparse_selection.sample(RNG(0), 0, 3, 1, 1),
    )  # fmt: skip
    sparse_selection.checked_sizes(2, 1)
    X, Y = sparse_selection.sample(RNG(2), 6, 5, 2, 3)
    assert (X.shape, Y.shape) == ((6, 5, 2), (6, 3))
    assert (np.diff(Y, axis=1) > 0).all()
    for x, y, s in zip(X, Y, sparse_selection.targets(X, Y), strict=True):
        assert np.abs(s - sum(x[i] for i in y) / 3).max() <= 2.0**-50
    assert sparse_selection.checked_subset([3, 0], 4) == (0, 3)


# -- digits ------------------------------------------------------------------------------------------------------------
def test_digits_are_split_by_their_order_and_scaled_by_those_for_learning(monkeypatch):
    learnt, held = digits.digit_images(), digits.digit_images(held_out=True)
    assert [len(part) for part in (*learnt, *held)] == [1297, 1297, 500, 500]
    data = sklearn.datasets.load_digits()
    assert (np.concatenate([learnt[0], held[0]]) == data.data).all()
    assert (np.concatenate([learnt[1], held[1]]) == data.target).all()
    tokens, others = digits.digit_tokens(), digits.digit_tokens(held_out=True)
    assert (tokens.shape, others.shape) == ((1297, 64), (500, 64))
    # means of 1297 doubles below 100
    assert np.abs(tokens.mean(axis=0)).max() <= 1e-11
    assert np.square(tokens).sum(axis=1).mean() == pytest.approx(64, rel=1e-12)
    raw = np.concatenate([learnt[0][:3], held[0][:3]])
    scaled = np.concatenate([tokens[:3], others[:3]])  # one centre and one scale: differences are multiples
    scale = math.sqrt(np.square(scaled[0] - scaled[1]).sum() / np.square(raw[0] - raw[1]).sum())
    assert np.abs((scaled[:, None] - scaled) - scale * (raw[:, None] - raw)).max() <= 1e-12
    for array in (*learnt, *held, tokens, others):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0

    class Other:
        def __init__(self, X):
            self.data, self.target = X, data.target

    brighter = data.data.copy()
    brighter[0, 0] += 1
    for X in (brighter, data.data.reshape(-1, 32)):
        monkeypatch.setattr(sklearn.datasets, "load_digits", lambda X=X: Other(X))
        with pytest.raises(CheckError, match="claims on digits are about these images"):
            digits.digit_images.__wrapped__()


# -- decaying weights, lookup, nearest neighbour, brackets -------------------------------------------------------------
def test_decaying_weights_at_the_edges():
    flat = DecayingWeights(5, "power", F(0))
    assert [flat.floor(q).fraction() for q in range(7)] == [1, F(4, 5), F(3, 5), F(2, 5), F(1, 5), 0, 0]
    assert flat.without_index().fraction() == 0
    assert DecayingWeights(1, "exponential", F(1)).floor(1).fraction() == 0
    assert [c.fraction() for c in DecayingWeights(3, "power", F(2)).proportions()] == [1, F(1, 4), F(1, 9)]
    for weights in (DecayingWeights(6, "exponential", F(3, 2)), DecayingWeights(6, "power", F(3, 4))):
        exact = [float(x) for x in weights.squares()]
        assert np.square(weights.array()) == pytest.approx(exact, rel=1e-13)
        ratio = [float(x) for x in weights.proportions()]
        assert weights.array() / weights.array()[0] == pytest.approx(ratio, rel=1e-13)
        # a second route to the least error without the index: the variance of the weights about their mean
        c = weights.array()
        assert float(weights.without_index()) == pytest.approx(6 * c.var(), rel=1e-12)
    assert float(DecayingWeights(2, "exponential", F(2)).proportions()[1]) == pytest.approx(math.exp(-0.5), rel=1e-15)
    refuses(
        DomainError, lambda: DecayingWeights(0, "power", F(1)), lambda: DecayingWeights(1, "linear", F(1)),
        lambda: DecayingWeights(1, "power", F(-1, 9)), lambda: DecayingWeights(1, "exponential", F(0)),
        lambda: DecayingWeights(1, "exponential", F(-1)), lambda: flat.floor(-1),
    )  # fmt: skip


def test_lookups_at_the_edges():
    task = LookupTask(2, 3)
    assert LookupTask(4) == LookupTask(4, 2)
    words = task.words()
    assert words.tolist() == [[i % 3, i // 3] for i in range(9)]
    assert task.inputs == 18
    for p in (0, 1):
        assert task.answers(words, [p] * 9).tolist() == words[:, p].tolist()
    assert LookupTask(1, 2**20).words().tolist() == [[i] for i in range(2**20)]
    refuses(BudgetError, lambda: LookupTask(1, 2**20 + 1).words())
    refuses(
        DomainError, lambda: LookupTask(0), lambda: LookupTask(2, 1), lambda: LookupTask(True),
        lambda: task.answers(words, [0]), lambda: task.positions([2]), lambda: task.positions([-1]),
        lambda: task.positions([[0]]), lambda: task.positions([0.0]), lambda: task.checked([[0, 3]]),
        lambda: task.checked([[0, -1]]), lambda: task.checked([[0, 1, 2]]), lambda: task.checked([0, 1]),
        lambda: task.checked([[0.0, 1.0]]),
    )  # fmt: skip


@examples(20, st.integers(2, 5), st.integers(1, 4), st.integers(0, 99))
def test_nearest_points_by_their_distances(N, d, seed):
    points = RNG(seed).choice([-1, 1], (N, d))
    distances = ((points[:, None] - points) ** 2).sum(axis=-1)  # 2d - 2<x, y>
    if (distances == 0).all():
        refuses(DomainError, (lambda: NearestTask(points), "equally near"))
        return
    if not (distances > 0).any(axis=1).all():
        return
    task = NearestTask(points)
    assert task.margin == F(int(distances[distances > 0].min()), 2 * d)
    assert task.nearest.tolist() == [list(row).index(0) for row in distances]
    assert task.repeated == ((distances == 0).sum(axis=1) > 1).any()
    assert task.answers(np.arange(N)).tolist() == task.nearest.tolist()
    assert ((task.worst_labels() == 1) == (distances == 0)).all()


def test_sets_of_signs_at_the_edges():
    assert equidistant(2, 0).tolist() == [[1, 1], [1, -1]]
    for N, extra in ((2, 3), (4, 0), (8, 1)):
        X = equidistant(N, extra)
        assert (extra + N * np.eye(N) == X @ X.T).all()
        assert NearestTask(X).margin == F(N, N + extra)
    assert sorted(map(tuple, different_signs(4, 2, RNG(0)).tolist())) == sorted(itertools.product((-1, 1), repeat=2))
    assert different_signs(2, 62, RNG(0)).shape == (2, 62)
    task = NearestTask([[1, 1], [1, -1]], [[1, 1]])
    assert task.answers([5, 7]).tolist() == [5]
    assert task.labels([3, 4]).tolist() == [3, 4]
    refuses(
        DomainError, lambda: equidistant(1, 0), lambda: equidistant(6, 0), lambda: equidistant(4, -1),
        lambda: different_signs(5, 2, RNG(0)), lambda: different_signs(1, 2, RNG(0)),
        lambda: different_signs(2, 63, RNG(0)), lambda: NearestTask([[1, 1]]), lambda: NearestTask([[1, 0], [1, 1]]),
        lambda: NearestTask([[1, 1], [1, -1]], [[1]]), lambda: NearestTask([[1], [1]]), lambda: task.labels([1]),
        lambda: task.labels(1), lambda: task.labels([1, 0], signs=True),
    )  # fmt: skip
    assert task.labels([1, -1], signs=True).tolist() == [1, -1]


@examples(10, st.integers(1, 2), st.integers(1, 3))
def test_brackets_by_removing_pairs(n, k):
    language = BoundedDyck(n, k)
    assert language.states == sum(n**i for i in range(k + 1)) + 1 == language.automaton.states

    def accepted(word):
        stack = []
        for s in word:
            if s < n:
                stack.append(s)
            elif not stack or stack.pop() != s - n:
                return False
            if len(stack) > k:
                return False
        return not stack

    for N in (1, 2, 3, 4):
        words = list(itertools.product(range(2 * n), repeat=N))
        assert language.accepts(words).tolist() == [accepted(w) for w in words]
        assert language.automaton.accepts(words).tolist() == [accepted(w) for w in words]
    refuses(DomainError, lambda: BoundedDyck(0, 1), lambda: BoundedDyck(1, 0), lambda: BoundedDyck(True, 1))
