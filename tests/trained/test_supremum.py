"""The largest value of an attention layer against every prompt of small classes, and against random prompts."""

import dataclasses
import itertools
from fractions import Fraction

import numpy as np
import pytest
from attention_specimens import drawn_attention, drawn_functional, drawn_map, drawn_mask, every_prompt, values

from theorytools.blocks.network import ONE, PLACE, Activation, Attention, Head, Map, Network, Norm, Product
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure, at_precision, portable
from theorytools.numbers.boxes import Box, exact
from theorytools.trained.worst import branching, separated, spread
from theorytools.trained.worst import supremum as module
from theorytools.trained.worst.prompts import Prompts
from theorytools.trained.worst.supremum import (
    Functional,
    largest_label_error,
    largest_token_errors,
    largest_value,
    leak,
)

SIZES = [(3, 1, 1), (3, 2, 1), (2, 1, 2), (3, 1, 0), (4, 1, 1)]


def checked(found, truth, heads):
    assert found.upper >= truth
    assert found.value <= truth + 1e-12 * max(1, abs(truth))
    if heads == 1:
        assert found.exact
        assert found.upper == pytest.approx(truth, rel=1e-9)
        assert found.value == pytest.approx(truth, rel=1e-9)


SLOW = pytest.mark.slow
OTHERS = ["relu", "tanh", "silu", "sigmoid", "gelu_tanh", "exp"]
BOTH = [1, pytest.param(2, marks=SLOW)]  # numbers of heads


@pytest.mark.parametrize("mask", ["none", "causal", "random"])
@pytest.mark.parametrize("heads", BOTH)
@pytest.mark.parametrize(("N", "d", "q"), SIZES)
def test_no_prompt_of_signs_is_above_and_with_one_head_one_attains_it(N, d, q, heads, mask):
    """A wrong index of the asked key, its own place left free, a dropped mask, indices chosen apart are seen here."""
    rng = np.random.default_rng([N, d, q, heads, len(mask)])
    for size, radius, labels in [(0.3, 1.0, True), (4.0, 1.0, True), (1.0, 0.7, False)]:
        p = Prompts(N, d, q, radius=radius)
        attention = drawn_attention(rng, p.widths, heads, size, drawn_mask(rng, N, mask))
        functional = drawn_functional(rng, p, heads, labels)
        X, T = every_prompt(p)
        checked(largest_value(attention, functional, p), values(attention, functional, p, X, T).max(), heads)


def test_one_place_and_one_state_of_the_query_can_be_held():
    rng = np.random.default_rng(1)
    for N, d, q in SIZES[:3]:
        for mask, heads in [("none", 1), ("random", 1), ("random", 2)]:
            p = Prompts(N, d, q)
            attention = drawn_attention(rng, p.widths, heads, 1.0, drawn_mask(rng, N, mask))
            functional = drawn_functional(rng, p, heads)
            X, T = every_prompt(p)
            at = int(rng.integers(N))
            checked(
                largest_value(attention, functional, p, at=at),
                values(attention, functional, p, X, T)[:, at].max(),
                heads,
            )
            x, t = rng.standard_normal(d), rng.integers(0, N, q)
            X[:, at], T[:, at] = x, t
            found = largest_value(attention, functional, p, query=(at, x, t))
            checked(found, values(attention, functional, p, X, T)[:, at].max(), heads)
            assert (found.X[at] == x).all()
            assert (found.T[at] == t).all()


@pytest.mark.parametrize("kind", ["gelu", *(pytest.param(k, marks=SLOW) for k in OTHERS)])
def test_functions_and_norms_before_the_attention(kind):
    rng = np.random.default_rng(2)
    for (N, d, q), heads in itertools.product([(3, 1, 1), (3, 2, 1), (2, 1, 2)], [1, 2]):
        p = Prompts(N, d, q, radius=0.8)
        W = p.widths
        before = [Norm("n", drawn_map(rng, W, 4), 1e-5, heads == 1)]
        W = W | {"n": 4}
        before.append(Activation("h", kind, drawn_map(rng, W, 3, 0.5)))
        W = W | {"h": 3}
        before.append(Product("m", drawn_map(rng, W, 2, 0.5), drawn_map(rng, W, 2, 0.5)))
        W = W | {"m": 2}
        attention = drawn_attention(rng, W, heads, 0.7, drawn_mask(rng, N, "causal" if q == 2 else "none"))
        functional = drawn_functional(rng, p, heads, widths=W)
        X, T = every_prompt(p)
        truth = values(attention, functional, p, X, T, before).max()
        found = largest_value(attention, functional, p, before=before)
        assert truth <= found.upper
        if kind != "exp":  # exponentials of exponentials: scores too large for their enclosures to tell keys apart
            checked(found, truth, heads)


def test_states_that_are_listed_and_scores_that_separate_are_two_routes_to_one_number():
    rng = np.random.default_rng(3)
    for heads in (1, 2):
        p = Prompts(6, 2, 1)
        attention = drawn_attention(rng, p.widths, heads, 0.8, drawn_mask(rng, 6, "random"))
        functional = drawn_functional(rng, p, heads)
        idle = [Activation("idle", "relu", drawn_map(rng, p.widths, 1))]
        apart, listed = largest_value(attention, functional, p), largest_value(attention, functional, p, before=idle)
        assert apart.upper == pytest.approx(listed.upper, rel=1e-9)


@pytest.mark.parametrize("tokens", ["box", "ball"])
@pytest.mark.parametrize("heads", BOTH)
def test_no_token_of_a_box_or_a_ball_is_above(tokens, heads):
    """Corners alone do not decide these: insides are drawn, too."""
    rng = np.random.default_rng(4)
    for (N, d, q), size in [((3, 1, 1), 0.2), ((3, 3, 1), 1.5), ((2, 2, 2), 0.7)]:
        p = Prompts(N, d, q, tokens=tokens, radius=0.8)
        attention = drawn_attention(rng, p.widths, heads, size, drawn_mask(rng, N, "causal" if size < 1 else "none"))
        functional = drawn_functional(rng, p, heads)
        X, T = p.draw(3000, rng)
        ends = np.sign(X) if tokens == "box" else X / np.linalg.norm(X, axis=-1, keepdims=True)
        X, T = np.concatenate([X, 0.8 * (1 - 1e-15) * ends]), np.concatenate([T, T])
        found = largest_value(attention, functional, p)
        assert found.upper >= values(attention, functional, p, X, T).max()
        assert found.upper >= found.value
        x, t = X[0, 0], T[0, 0]
        X[:, 1], T[:, 1] = x, t
        found = largest_value(attention, functional, p, query=(1, x, t))
        assert found.upper >= values(attention, functional, p, X, T)[:, 1].max()


def test_a_ball_of_one_dimension_is_a_box_and_a_small_box_is_nearly_its_corners():
    """Values read tokens alone: what places and indices add to them is where a bound of a box is loose."""
    rng = np.random.default_rng(5)
    p = Prompts(4, 1, 1, tokens="box", radius=0.5)
    attention = drawn_attention(rng, p.widths)
    functional = drawn_functional(rng, p)
    value = Map({"x": exact(np.array([[1.3]]))}, exact(np.array([0.2])))
    functional = Functional((value,), Map({}, exact(np.zeros(1))), functional.asked)
    ball = largest_value(attention, functional, dataclasses.replace(p, tokens="ball"))
    assert largest_value(attention, functional, p).upper <= ball.upper * (1 + 1e-9)
    small = dataclasses.replace(p, radius=1e-4)
    signs = largest_value(attention, functional, dataclasses.replace(small, tokens="signs"))
    assert signs.upper <= largest_value(attention, functional, small).upper <= signs.upper * (1 + 1e-3)


def lookup(N, d, q, beta, noise, rng):
    """A noisy layer that looks up the asked token: one head for each slot, and its network with a label's read-out."""
    widths = Prompts(N, d, q).widths
    heads = []
    for h in range(1, q + 1):
        scores = {(a, b): exact(noise * rng.standard_normal((widths[a], widths[b]))) for a in widths for b in widths}
        scores[f"slot{h}", PLACE] = exact(scores[f"slot{h}", PLACE].mid + beta * np.eye(N))
        value = {n: noise / 5 * rng.standard_normal((d, w)) + (np.eye(d) if n == "x" else 0) for n, w in widths.items()}
        heads.append(Head(scores, Map({n: exact(v) for n, v in value.items()}, exact(np.zeros(d)))))
    return Attention("a", tuple(heads))


def label_network(p, attention, u):
    parts = {"a": exact(np.tile(u, len(attention.heads))[None] / p.q**0.5), "x": exact(0.02 * u[None])}
    return Network(p.N, p.fields, (attention,), Map(parts, exact(np.array([0.01]))))


@pytest.mark.parametrize(("N", "q"), [(24, 1), (6, 2)])
def test_the_prompt_of_a_label_error_is_beyond_ten_thousand_random_ones(N, q):
    rng = np.random.default_rng(6)
    p, u = Prompts(N, 2, q), np.array([0.6, -0.8])
    net = label_network(p, lookup(N, 2, q, 9.0, 0.1, rng), u)
    found = largest_label_error(net, p, u)
    X, T = p.draw(10_000 // N + 1, rng)  # a query at every position of each
    labels = sum(np.take_along_axis(X @ u, T[..., s], 1) for s in range(q)) / q**0.5
    off = np.abs(net(**p.inputs(X, T))[..., 0] - labels)
    assert off.max() <= found.value <= found.upper
    at = np.abs(net(**p.inputs(found.X[None], found.T[None]))[0, found.at, 0]
                - sum(found.X[found.T[found.at, s]] @ u for s in range(q)) / q**0.5)  # fmt: skip
    assert at == pytest.approx(found.value, rel=1e-12)
    assert found.exact or q == 2
    assert found.upper <= found.value * 1.01


def test_errors_of_tokens_and_leaks_are_attained():
    rng = np.random.default_rng(7)
    p = Prompts(3, 2, 1)
    attention = lookup(3, 2, 1, 2.0, 0.3, rng)
    X, T = every_prompt(p)
    net = Network(3, p.fields, (attention,), Map({"a": exact(np.eye(2))}, exact(np.zeros(2))))
    off = np.abs(net(**p.inputs(X, T)) - np.take_along_axis(X, T, 1)).max(axis=(0, 1))
    assert [e.upper for e in largest_token_errors(net, p)] == pytest.approx(off.tolist(), rel=1e-9)
    one = Functional((Map({PLACE: exact(np.eye(3)[[1]])}, exact(np.zeros(1))),), Map({}, exact(np.zeros(1))))
    weight = values(attention, one, p, X, T)  # of position 1
    found = leak(attention, 0, p)
    assert found.upper >= (1 - weight[T[..., 0] == 1]).max()
    each = [values(attention, Functional((Map({PLACE: exact(np.eye(3)[[t]])}, exact(np.zeros(1))),), one.own), p, X, T)
            for t in range(3)]  # fmt: skip
    truth = max((1 - each[t][T[..., 0] == t]).max() for t in range(3))
    checked(found, truth, 1)


def test_every_level_of_bounds_is_above_what_a_case_attains():
    rng = np.random.default_rng(8)
    p = Prompts(5, 2, 1)
    attention, functional = drawn_attention(rng, p.widths, 1, 1.0), drawn_functional(rng, p)
    problem = module._problem(attention, functional, p, module._queries(attention, functional, p, None, None), (), None)
    queries = problem.queries
    W, Y, T, places = queries.shape
    for x, y in itertools.product(range(W), range(Y)):
        cases = queries.block(x, y, slice(0, T))
        valid = queries.valid(cases)
        numbers = ((x * Y + y) * T + np.arange(T)) * places + np.arange(places)[:, None]
        flat = numbers[valid]
        best = np.array([branching.climbed(problem, queries.cases(np.array([n])))[0] for n in flat])
        excess = problem.coarse(x, slice(0, T))(cases)[0]
        coarse = branching.root_above(excess, *problem.ends[0], valid.shape, 40)[valid]
        rest = problem.rest(queries.cases(flat))
        fine = [branching.root_above(problem.fine(queries.cases(flat), k)[0], *problem.ends[0], rest.shape, 60) + rest
                for k in range(len(problem.costs))]  # fmt: skip
        for above in (coarse + rest, *fine):
            assert (above >= best).all()
        assert fine[-1] == pytest.approx(best, abs=1e-11)


# -- rounding ----------------------------------------------------------------------------------------------------------
def test_exponentials_are_within_what_is_said_of_them():
    x = np.concatenate([np.random.default_rng(9).uniform(-690, 700, 300), [-690.0, 0.0, 700.0, 1e-300, 0.34657359]])
    for point, found in zip(x, separated.exponential(x), strict=True):
        true = Enclosure(Fraction(float(point))).exp()
        assert abs(Fraction(float(found)) - true).certainly_le(true * Fraction(2) ** -46)


def exactly(attention, functional, X, T, at, p):
    """The value at one query in rational and ball arithmetic."""

    def vector(j):
        held = {"x": X[j], PLACE: np.eye(p.N)[j], ONE: np.ones(1)}
        held |= {f"slot{s + 1}": np.eye(p.N)[T[j, s]] for s in range(p.q)}
        return {name: [Fraction(float(v)) for v in values] for name, values in held.items()}

    def applied(of, r):
        total = Fraction(float(of.shift.mid[0]))
        for name, part in of.parts.items():
            total += sum(Fraction(float(m)) * v for m, v in zip(part.mid[0], r[name], strict=True))
        return total

    def run():
        rows, total = [vector(j) for j in range(p.N)], Enclosure(applied(functional.own, vector(at)))
        for s, of in enumerate(functional.asked):
            total = total + applied(of, rows[T[at, s]])
        for head, value in zip(attention.heads, functional.heads, strict=True):
            above, below = Enclosure(0), Enclosure(0)
            for r in rows:
                score = sum(
                    a * Fraction(float(G.mid[k, m])) * b
                    for (n, o), G in head.scores.items()
                    for k, a in enumerate(rows[at][n])
                    for m, b in enumerate(r[o])
                    if a and b
                )
                weight = Enclosure(Fraction(score)).exp()
                above, below = above + weight * applied(value, r), below + weight
            total = total + above / below
        return total

    return at_precision(200, run)


def test_the_bound_is_above_the_real_number_and_not_only_above_doubles():
    rng = np.random.default_rng(10)
    p = Prompts(4, 1, 1)
    for size in (1.0, 8.0):
        attention, functional = drawn_attention(rng, p.widths, 1, size), drawn_functional(rng, p)
        found = largest_value(attention, functional, p)
        true = exactly(attention, functional, found.X, found.T, found.at, p)
        assert true.certainly_le(Fraction(found.upper))
        assert (Enclosure(Fraction(found.upper)) - true).certainly_le(1e-9 * abs(found.upper))


@pytest.mark.parametrize(("off", "deep"), [(1 - 2.0**-30, True), (1 + 2.0**-30, False)])
def test_exponentials_beyond_their_error_put_a_bound_below_the_truth(off, deep, monkeypatch):
    """Weights of a rival a part in 2^30 too small, or of the key with the lower value as much too large."""
    scores = {(ONE, PLACE): exact(np.array([[0.3, -1.1]]))}
    none = Map({}, exact(np.zeros(1)))
    attention = Attention("a", (Head(scores, none),))
    functional = Functional((Map({PLACE: exact(np.array([[0.0, 1.0]]))}, exact(np.zeros(1))),), none)
    truth = float(np.exp(-1.1) / (np.exp(0.3) + np.exp(-1.1)))

    def bound():
        p = Prompts(2, 1, 0)
        problem = module._problem(
            attention, functional, p, module._queries(attention, functional, p, None, 0), (), None
        )
        fine = problem.fine(problem.queries.cases(np.array([0])), len(problem.costs) - 1)[0]
        return float(branching.root_above(fine, *problem.ends[0], (1,), 60)[0])

    assert truth < bound() < truth * (1 + 1e-10)
    plain = portable.exp
    monkeypatch.setattr(separated.portable, "exp", lambda x: np.where((x < -1) == deep, plain(x) * off, plain(x)))
    assert bound() < truth


@pytest.mark.parametrize("part", ["relative", "slack"])
def test_what_is_added_for_rounding_covers_weights_that_are_intervals(part, monkeypatch):
    """Weights known up to 1e-6: a bound without the errors of the tables is below what some weights in them attain."""
    rng = np.random.default_rng(11)
    p = Prompts(3, 1, 1)
    attention, functional = drawn_attention(rng, p.widths, 1, 1.0), drawn_functional(rng, p)
    head, value = attention.heads[0], functional.heads[0]

    def wide(of, draw):
        return {k: Box(G.mid, np.full(G.shape, 1e-6)) if draw is None else
                exact(G.mid + 1e-6 * draw.choice((-1, 1), G.shape)) for k, G in of.items()}  # fmt: skip

    def changed(draw):
        if part == "relative":
            one = dataclasses.replace(head, scores=wide(head.scores, draw))
            return dataclasses.replace(attention, heads=(one,)), functional
        return attention, dataclasses.replace(functional, heads=(Map(wide(value.parts, draw), value.shift),))

    largest = max(largest_value(*changed(np.random.default_rng(k)), p).value for k in range(40))
    assert largest_value(*changed(None), p).upper >= largest
    if part == "relative":
        monkeypatch.setattr(separated.Separated, "relative", lambda self, terms: 1e-12)
    else:
        monkeypatch.setattr(separated.Separated, "slack", lambda self, c: 1e-14)
    assert largest_value(*changed(None), p).upper < largest


# -- refusals ----------------------------------------------------------------------------------------------------------
def test_what_does_not_fit_is_refused_with_a_reason():
    rng = np.random.default_rng(12)
    p = Prompts(3, 2, 1)
    attention, functional = drawn_attention(rng, p.widths), drawn_functional(rng, p)
    value = attention.heads[0].value
    alien = dataclasses.replace(attention, heads=(Head({("Z", PLACE): exact(np.ones((2, 3)))}, value),))
    blind = dataclasses.replace(attention, mask=np.zeros((3, 3), bool))
    vast = Head({(ONE, PLACE): exact(np.full((1, 3), 1e16))}, attention.heads[0].value)
    for given, message in [
        (lambda: largest_value(alien, functional, p), "'Z' of width 2"),
        (lambda: largest_value(blind, functional, p), "position 0 no key"),
        (lambda: largest_value(dataclasses.replace(attention, heads=(vast,)), functional, p), "known up to"),
        (lambda: largest_value(attention, functional, p, query=(3, np.ones(2), [0])), "a query at 3"),
        (lambda: largest_value(attention, functional, p, query=(0, np.ones(2), [3])), "indices"),
        (lambda: largest_value(attention, dataclasses.replace(functional, heads=()), p), "0 maps of values"),
        (lambda: largest_value(attention, functional, dataclasses.replace(p, tokens="ball"),
                          before=[Norm("n", drawn_map(rng, p.widths), 1e-5)]), "tokens in a ball"),
        (lambda: largest_label_error(Network(3, p.fields, (), drawn_map(rng, p.widths)), p, np.ones(2)), "blocks none"),
        (lambda: leak(attention, 1, p), "head 1"),
        (lambda: Prompts(3, 2, 1, tokens="gauss"), "signs, box or ball"),
    ]:  # fmt: skip
        with pytest.raises(DomainError, match=message):
            given()
    none, label = Map({}, exact(np.zeros(1))), Map({"x": exact(np.ones((1, 8)))}, exact(np.zeros(1)))
    with pytest.raises(BudgetError, match="terms for N = 2000"):
        largest_value(Attention("a", (Head({}, none),)), Functional((none,), none, (label,)), Prompts(2000, 8, 1))
    with pytest.raises(BudgetError, match="signs"):
        largest_value(attention, functional, Prompts(3, 13, 1))
    assert spread.corners(Prompts(3, 12, 1, tokens="box"))
