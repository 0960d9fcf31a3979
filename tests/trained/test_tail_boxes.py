"""Label errors over tokens in a box or a ball behind what bends: grids of prompts, cells, weights, both sides."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from tail_specimens import all_prompts, drawn_network, true_errors

from theorytools.blocks.network import PLACE, Activation, Attention, Head, Map, Network
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers.boxes import exact
from theorytools.trained.worst import around, cut_cells, rivals
from theorytools.trained.worst.around import Spacious
from theorytools.trained.worst.prompts import Prompts
from theorytools.trained.worst.rivals import Cells, moved_at_most
from theorytools.trained.worst.supremum import largest_label_error
from theorytools.trained.worst.tail import tail_error

KINDS = ("hidden", "two", "post", "rms")
HAIR = 1e-12


def direction(prompts, seed=0):
    return np.random.default_rng(seed).standard_normal(prompts.d)


def on_a_grid(prompts, points):
    """Every prompt whose tokens lie on a grid: corners, edges, and what is between."""
    line = np.linspace(-prompts.radius, prompts.radius, points)
    tokens = np.array(list(itertools.product(line, repeat=prompts.d)))
    if prompts.tokens == "ball":
        tokens = np.concatenate([tokens[np.linalg.norm(tokens, axis=1) <= prompts.radius], prompts.inside(9 * tokens)])
    states = list(itertools.product(range(len(tokens)), itertools.product(range(prompts.N), repeat=prompts.q)))
    chosen = np.array(list(itertools.product(range(len(states)), repeat=prompts.N)))
    of, indices = np.array([s[0] for s in states]), np.array([s[1] for s in states])
    return tokens[of][chosen], indices[chosen]


def most(network, prompts, u, X, T):
    return float(np.abs(true_errors(network, prompts, u, X, T)).max())


GRIDS = [
    (Prompts(2, 1, 1, "box", 1.5), 15, {}),
    (Prompts(3, 1, 1, "box"), 5, {"act": "gelu", "heads": 2}),
    (Prompts(2, 2, 1, "box", 0.6), 5, {"beta": 2.0}),
    (Prompts(2, 2, 1, "ball", 1.2), 5, {"act": "tanh"}),
    (Prompts(2, 1, 2, "box"), 7, {"heads": 2, "at": 1}),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", range(len(GRIDS)))
def test_no_prompt_of_a_grid_is_above_the_bound_nor_above_the_prompt_that_is_found(kind, number):
    prompts, points, more = GRIDS[number]
    network, u = drawn_network(kind, number, prompts, **more), direction(prompts, number)
    found = tail_error(network, prompts, u)
    seen = most(network, prompts, u, *on_a_grid(prompts, points))
    assert seen <= found.value * 1.001  # the grid does not know it
    assert found.value <= found.upper <= 1.6 * found.value
    assert most(network, prompts, u, found.X[None], found.T[None]) == pytest.approx(found.value, rel=1e-9)
    inside = np.abs(found.X).max() if prompts.tokens == "box" else np.linalg.norm(found.X, axis=-1).max()
    assert inside <= prompts.radius * (1 + 1e-12)


# -- cells ---------------------------------------------------------------------------------------------------------
def cells_about(layer, X, T, i, rng, width=1.0):
    """Cells of any width that hold what these prompts have at the query and where it asks."""
    p, rows = layer.prompts, np.arange(len(X))
    at = np.concatenate([np.full((len(X), 1), i), T[:, i]], axis=1)
    numbers = T @ p.N ** np.arange(p.q)[::-1]
    group = next(g for g, places in enumerate(layer.groups) if i in places)
    roots = layer.roots()[group * len(layer.tuples) + numbers[:, i]]
    half = width * 10 ** rng.uniform(-6, 0.2, (len(X), 1 + p.q, p.d))
    centre = X[rows[:, None], at] + half * rng.uniform(-0.99, 0.99, half.shape)
    index = np.where(rng.random(at.shape) < 0.3, -1, numbers[rows[:, None], at])
    index[:, 0] = numbers[:, i]
    return replace(roots, index=index, centre=centre, half=half)


CLASSES = [
    Prompts(3, 1, 1, "box", 1.3),
    Prompts(3, 2, 2, "box"),
    Prompts(2, 2, 1, "ball", 0.7),
    Prompts(3, 3, 1, "ball"),
]
MORE = [{}, {"heads": 2, "beta": 1.0}, {"act": "gelu", "beta": 0.0}, {"mask": True, "act": "silu"}, {"at": 1},
        {"beta": -900.0}]  # fmt: skip


def extreme(prompts, n, rng):
    X, T = prompts.draw(n, rng)
    X[::2] = prompts.inside(9 * X[::2])
    return X, T


@pytest.mark.parametrize("prompts", CLASSES, ids=str)
@pytest.mark.parametrize("more", MORE, ids=str)
def test_a_cell_is_above_each_of_its_prompts(prompts, more):
    rng = np.random.default_rng(4)
    if "mask" in more:
        more = more | {"mask": np.tril(np.ones((prompts.N, prompts.N), dtype=bool))}
    for kind in (*KINDS, "linear"):
        network, u = drawn_network(kind, 5, prompts, **more), direction(prompts, 5)
        layer = Spacious.of(network, prompts, u, 0)
        X, T = extreme(prompts, 2000, rng)
        errors = np.abs(true_errors(network, prompts, u, X, T))
        for column, i in enumerate(range(prompts.N) if network.at is None else [network.at]):
            rows = np.argsort(-errors[:, column])[:80]
            bounds = layer.bounded(cells_about(layer, X[rows], T[rows], i, rng)).bounds
            assert (bounds >= errors[rows, column] * (1 - HAIR)).all()


@pytest.mark.parametrize("prompts", CLASSES, ids=str)
@pytest.mark.parametrize("beta", [0.0, 6.0])
def test_no_prompt_of_a_cell_gives_a_rival_more_weight_than_its_odds(prompts, beta):
    """And some prompt gives them nearly as much."""
    rng, nearest = np.random.default_rng(1), 0.0
    network = drawn_network("hidden", 3, prompts, beta=beta)
    layer, attention = Spacious.of(network, prompts, direction(prompts), 0), network.blocks[0]
    place = Map({PLACE: exact(np.eye(prompts.N))}, exact(np.zeros(prompts.N)))
    weights = Network(prompts.N, prompts.fields, (Attention("w", (replace(attention.heads[0], value=place),)),),
                      Map({"w": exact(np.eye(prompts.N))}, exact(np.zeros(prompts.N))))  # fmt: skip
    X, T = extreme(prompts, 4000, rng)
    pi = weights(**prompts.inputs(X, T))
    rows = np.arange(len(X))
    for i in range(prompts.N):
        p = T[:, i, layer.heads[0].slot]
        S, E = layer.heads[0].odds(cells_about(layer, X, T, i, rng))
        odds = pi[:, i] / pi[rows, i, p][:, None]
        odds[rows, p] = 0.0
        assert (odds <= E * (1 + HAIR)).all()
        assert (odds.sum(1) <= S * (1 + HAIR)).all()
        nearest = max(nearest, float((odds.sum(1) / S).max()))
    assert nearest > 0.6 or prompts.d == 3  # where what the query's token adds is bounded by norms


def test_halves_and_indices_cover_what_was_cut():
    rng = np.random.default_rng(0)
    cells = Cells(np.arange(5), np.full((5, 3), -1), rng.standard_normal((5, 3, 2)), rng.uniform(0, 1, (5, 3, 2)),
                  np.tile(np.arange(3), (5, 1)))  # fmt: skip
    halves = cells.cut(np.arange(5))
    for n in range(5):
        for share in (-1 + 1e-15, 1 - 1e-15, 0.0, *rng.uniform(-1, 1, 9)):
            x = cells.centre[n] + share * cells.half[n]
            inside = [(np.abs(x - halves.centre[k]) <= halves.half[k]).all() for k in (n, n + 5)]
            assert any(inside)
    assert (halves.half.reshape(10, -1)[np.arange(10), np.tile(np.arange(5), 2)] < 0.51 * np.tile(
        cells.half.reshape(5, -1)[np.arange(5), np.arange(5)], 2)).all()  # fmt: skip
    held = cells.holding(1, 4)
    assert sorted(zip(held.query.tolist(), held.index[:, 1].tolist(), strict=True)) == list(
        itertools.product(range(5), range(4))
    )
    assert (held.index[:, 0] == -1).all()


def test_the_move_is_the_largest_over_all_weights():
    rng = np.random.default_rng(2)
    G, low = rng.standard_normal((40, 1, 5)), rng.standard_normal((40, 1))
    E, S = rng.exponential(0.5, (40, 5)), rng.exponential(1.0, 40)
    found = moved_at_most(G, low, S, E)[:, 0]
    tried = np.zeros(40)
    for _ in range(4000):
        w = E * rng.integers(0, 2, E.shape) * rng.choice([1.0, rng.random()])
        k = rng.integers(5, size=40)  # one weight takes what is left
        w[np.arange(40), k] = np.maximum(0, np.minimum(E[np.arange(40), k], S - w.sum(1) + w[np.arange(40), k]))
        w *= np.minimum(1, S / np.maximum(w.sum(1), 1e-300))[:, None]
        tried = np.maximum(tried, (w * (G[:, 0] - low)).sum(1) / (1 + w.sum(1)))
    assert (tried <= found * (1 + HAIR)).all()
    assert tried == pytest.approx(found, rel=1e-9)
    free = moved_at_most(G, low, np.full(40, np.inf), 0 * E)[:, 0]
    assert free == pytest.approx(np.maximum(G[:, 0].max(-1) - low[:, 0], 0))


# -- classes and networks within each other -------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["hidden", "post"])
def test_signs_are_in_the_box_and_the_box_is_in_the_ball(kind):
    signs = Prompts(3, 2, 1)
    network, u = drawn_network(kind, 2, signs), direction(signs, 2)
    one, box = tail_error(network, signs, u), tail_error(network, replace(signs, tokens="box"), u)
    ball = tail_error(network, replace(signs, tokens="ball", radius=2**0.5), u)
    assert one.value <= box.value * 1.01
    assert one.upper <= box.upper * 1.01  # within a hundredth of the largest error over signs
    assert box.value <= ball.upper


def test_tokens_near_zero_leave_the_error_at_zero():
    prompts = Prompts(3, 2, 1, "box", 1e-9)
    network, u = drawn_network("hidden", 6, prompts), direction(prompts)
    signs = replace(prompts, tokens="signs")
    X, T, _ = all_prompts(replace(signs, d=1))
    truth = most(network, prompts, u, np.zeros((len(X), 3, 2)), T)
    assert truth * (1 - 1e-6) <= tail_error(network, prompts, u).upper <= 1.2 * truth


def retrieving(prompts, beta, u, scale=1.0):
    r"""Reads :math:`(\langle u,a\rangle)_+-(-\langle u,a\rangle)_+`: a linear map of the averages, by two units."""
    head = Head({("slot1", PLACE): exact(beta * np.eye(prompts.N))}, Map({"x": exact(np.eye(prompts.d))},
                exact(np.zeros(prompts.d))))  # fmt: skip
    attention = Attention("a", (head,))
    units = Activation("h", "relu", Map({"a": exact(scale * np.stack([u, -u]))}, exact(np.zeros(2))))
    read = Map({"h": exact(np.array([[1 / scale, -1 / scale]]))}, exact(np.zeros(1)))
    linear = Network(prompts.N, prompts.fields, (attention,), Map({"a": exact(u[None])}, exact(np.zeros(1))))
    return Network(prompts.N, prompts.fields, (attention, units), read), linear


@pytest.mark.parametrize("tokens", ["box", "ball"])
def test_units_that_make_a_linear_map_cost_a_twentieth(tokens):
    prompts, u = Prompts(6, 2, 1, tokens), np.array([0.6, 0.8])
    bent, linear = retrieving(prompts, 4.0, u)
    found, known = tail_error(bent, prompts, u), largest_label_error(linear, prompts, u)
    assert known.value * (1 - 1e-6) <= found.upper <= 1.05 * known.upper
    assert found.value >= known.value * 0.99


def test_twice_the_tokens_are_twice_the_error():
    prompts, u = Prompts(4, 2, 1, "box"), np.array([0.6, -0.8])
    bent, _ = retrieving(prompts, 3.0, u)
    one, two = (tail_error(bent, replace(prompts, radius=r), u).upper for r in (1.0, 2.0))
    assert two == pytest.approx(2 * one, rel=1e-6)


# -- spoiled twins -------------------------------------------------------------------------------------------------
def a_cell_is_too_low(kind, **more):
    prompts, rng = Prompts(3, 1, 1, "box", 1.3), np.random.default_rng(8)
    for seed in range(4):
        network, u = drawn_network(kind, seed, prompts, **more), direction(prompts, seed)
        layer = Spacious.of(network, prompts, u, 0)
        X, T = extreme(prompts, 4000, rng)
        errors = np.abs(true_errors(network, prompts, u, X, T))
        for i in range(3):
            rows = np.argsort(-errors[:, i])[:60]
            for width in (1.0, 1e-9):  # of the same prompts, with next to no room
                some = cells_about(layer, X[rows], T[rows], i, rng, width)
                if (layer.bounded(some).bounds < errors[rows, i] * (1 - 1e-9)).any():
                    return True
    return False


@pytest.mark.parametrize("spoil", ["weights", "asked token", "indices", "moved", "values"])
def test_what_a_bound_leaves_out_is_noticed(spoil, monkeypatch):
    assert not a_cell_is_too_low("hidden", beta=3.0)
    if spoil == "weights":
        right = rivals._shares
        monkeypatch.setattr(
            rivals, "_shares", lambda most: (lambda base, total, share: (base, 0.7 * total, share))(*right(most))
        )
    elif spoil == "asked token":
        monkeypatch.setattr(around.Around, "_within", lambda self, c, k: (c @ self.cells.at(k)[1][..., None])[..., 0])
    elif spoil == "indices":  # the least in place of the most, where none is held
        monkeypatch.setattr(around, "chosen", lambda t, i, d, ends: rivals.chosen(t, i, d, np.min))
    elif spoil == "moved":
        monkeypatch.setattr(around, "moved_at_most", lambda *given: 0.7 * moved_at_most(*given))
    else:
        right = around._columns
        monkeypatch.setattr(around, "_columns", lambda value, p: right(Map(value.parts, exact(0 * value.shift.mid)), p))
    assert a_cell_is_too_low("hidden", beta=3.0)


# -- what is refused, and what is told -----------------------------------------------------------------------------
def test_what_is_not_bounded_is_refused_by_name(monkeypatch):
    prompts, u = Prompts(3, 1, 1, "box"), np.ones(1)
    with pytest.raises(DomainError, match="block 'z0', Norm, before"):
        tail_error(drawn_network("pre", 0, prompts), prompts, u)
    network = drawn_network("hidden", 0, prompts)
    huge = replace(network, output=Map({"h": exact(np.full((1, 5), 1e308))}, exact(np.zeros(1))))
    with np.errstate(all="ignore"), pytest.raises(DomainError, match="beyond doubles"):
        tail_error(huge, prompts, u)
    monkeypatch.setattr(cut_cells, "WORK", 1000)
    with pytest.raises(BudgetError, match="queries for N = 3"):
        tail_error(network, prompts, u)
    with pytest.raises(BudgetError, match="scores for N = 40, q = 3"):
        tail_error(drawn_network("hidden", 0, Prompts(40, 1, 3, "ball")), Prompts(40, 1, 3, "ball"), u)


def test_a_bound_without_cuts_holds_and_progress_ends_at_no_more_than_its_total(monkeypatch):
    prompts, told = Prompts(3, 1, 1, "box"), []
    network, u = drawn_network("hidden", 1, prompts), direction(prompts)
    tight = tail_error(network, prompts, u, progress=lambda *x: told.append(x))
    assert told == sorted(told)
    assert all(done <= total for done, total in told)
    monkeypatch.setattr(cut_cells, "CUTS", 0)
    assert tight.value <= tight.upper <= tail_error(network, prompts, u).upper
