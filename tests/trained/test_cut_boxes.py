"""Boxes of tokens are cut: the bound is above all errors that are reached, and below the bound without cuts."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trained_specimens import KINDS, drawn, errors

from theorytools.trained import readout
from theorytools.trained.layer import TrainedLayer
from theorytools.trained.leaks import Head, HeadLeaks, Tokens
from theorytools.trained.readout import Cells, Cuts, Readout

SEEDS, SIZES = st.integers(0, 10**6), st.sampled_from([0.3, 1.0, 3.0])


def judged(layer, radius=1.0):
    tokens, heads = Tokens("box", radius, layer.d), range(layer.H)
    made = [Head(layer, h, 1, tokens) for h in heads]
    return Readout(layer, tokens, (1,) * layer.H).judge(made, [head.leaks() for head in made], (1.0,) * layer.H)


def read(kind, seed, N, d, **more):
    module, codes, u = drawn(kind, seed, N, d, **more)
    return module, codes, u, TrainedLayer.of(module.state_dict(), codes=codes, direction=u)


def perfect_on_a_line(layer, radius):
    """The largest error of a perfect attention for d = 1: between two kinks it is linear in the token."""
    A, worst = sum(box.mid for box in layer.units), 0.0
    for own, slot in itertools.product(layer.codes, repeat=2):
        rest = A @ np.concatenate([[0.0], own, slot, [1.0]])
        with np.errstate(divide="ignore", invalid="ignore"):
            kinks = -rest / A[:, 0]
        x = np.append(kinks[np.abs(kinks) < radius], [-radius, radius])
        found = np.maximum(np.outer(x, A[:, 0]) + rest, 0) @ layer.last + layer.shift - x * layer.u[0]
        worst = max(worst, float(np.abs(found).max()))
    return worst


@settings(max_examples=12, deadline=None)
@given(seed=SEEDS, kind=st.sampled_from(sorted(KINDS)), size=SIZES, radius=st.sampled_from([0.7, 1.0, 5.0]))
def test_with_a_perfect_attention_the_bound_is_the_largest_error_or_a_hair_above(seed, kind, size, radius):
    *_, layer = read(kind, seed, 4, 1, size=size)
    exact = perfect_on_a_line(layer, radius)
    assert exact * (1 - 1e-12) <= judged(layer, radius).readout <= exact * readout.CLOSE * (1 + 1e-6) + 1e-9


@settings(max_examples=8, deadline=None)
@given(seed=SEEDS, size=SIZES, heads=st.integers(1, 2), d=st.integers(1, 3))
def test_cutting_never_loosens_and_what_is_left_over_counts(seed, size, heads, d):
    *_, layer = read("separate", seed, 4, d, size=size, heads=heads)
    found = []
    for work in (0, 2**16, readout.WORK):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(readout, "WORK", work)
            found.append(judged(layer))
    for more, fewer in itertools.pairwise(found):
        assert fewer.readout <= more.readout * (1 + 1e-9)
        assert fewer.largest <= more.largest * (1 + 1e-9)
    assert found[-1].readout <= found[-1].largest * (1 + 1e-9)


@pytest.mark.parametrize(("kind", "size"), [("separate", 0.7), ("merged", 0.2)])
def test_no_prompt_of_a_grid_is_beyond(kind, size):
    """Every prompt with tokens -1, -1/2, …, 1 and any indices, where kinks of the read-out lie between the signs."""
    X = np.array(list(itertools.product(np.linspace(-1, 1, 5), repeat=3))).reshape(-1, 1, 3, 1)
    T = np.array(list(itertools.product(range(3), repeat=3))).reshape(1, -1, 3, 1)
    shape = (X.shape[0], T.shape[1])
    X, T = (np.broadcast_to(part, (*shape, 3, 1)).reshape(-1, 3, 1) for part in (X, T))
    tight, ratios = 0, []
    for seed in range(6):
        module, codes, u, layer = read(kind, seed, 3, 1, size=size, heads=1 + seed % 2)
        most, bound = np.abs(errors(module, codes, u, X, T)).max(), judged(layer).largest
        assert most <= bound
        ratios.append(bound / most)
        tight += bound < 1.5 * most
    assert tight >= 3, ratios


@settings(max_examples=10, deadline=None)
@given(seed=SEEDS, heads=st.integers(1, 2), size=st.sampled_from([0.3, 1.0]))
def test_the_bound_of_a_box_is_above_that_of_its_points(seed, heads, size):
    """Units far from their kinks are moved along, so that the attention's share is that of slopes as well."""
    *_, layer = read("separate", seed, 4, 2, size=size, heads=heads)
    layer.units[0].mid[:, -1] += 4 * size * np.array([1, -1, 1, 1, 0])
    tokens, rng = Tokens("box", 1.0, 2), np.random.default_rng(seed)
    leaks = [Head(layer, h, 1, tokens).leaks() for h in range(heads)]
    read_out = Readout(layer, tokens, (1,) * heads)
    cuts = Cuts(read_out, leaks, [read_out.spread(h) for h in range(heads)])
    half = rng.uniform(0, 0.4, (40, 2))
    centre = rng.uniform(half - 1, 1 - half)
    t, at = rng.integers(0, 4, (2, 40))
    for sign in (1.0, -1.0):
        whole = cuts._above(Cells(t, at, centre, half), sign)[0]
        for corner in itertools.product((-1, 0, 1), repeat=2):
            point = Cells(t, at, centre + corner * half, np.zeros_like(half))
            assert (cuts._above(point, sign)[0] <= whole * (1 + 1e-9)).all()


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, size=st.sampled_from([0.3, 1.0]), leak=st.sampled_from([0.1, 0.5, 1.0]))
def test_what_leaks_from_any_token_stays_below_the_bound_of_a_point(seed, size, leak):
    """The head returns what stands at t but for a share of any other token: units are moved over their kinks."""
    *_, layer = read("separate", seed, 4, 2, size=size)
    rng, readout_ = np.random.default_rng(seed), Readout(layer, Tokens("box", 1.0, 2), (1,))
    cuts = Cuts(readout_, [HeadLeaks(1, np.full(4, leak), np.full(4, leak**2), ())], [readout_.spread(0)])
    t, at, j, index = rng.integers(0, 4, (4, 2000))
    x, y = rng.choice([-1.0, -0.5, 0.3, 1.0], (2, 2000, 2))
    one, codes = np.ones((2000, 1)), layer.codes
    own, other = (np.concatenate([a, codes[b], codes[c], one], 1) for a, b, c in ((x, t, at), (y, j, index)))
    share = np.where(j == t, 0.0, leak * rng.choice([0.3, 1.0], 2000))[:, None]
    found = np.maximum(((1 - share) * own + share * other) @ layer.units[0].mid.T, 0) @ layer.last + layer.shift
    for sign in (1.0, -1.0):
        bound = cuts._above(Cells(t, at, x, np.zeros_like(x)), sign)[0]
        assert (sign * (found - x @ layer.u) <= bound * (1 + 1e-9)).all()


def test_the_work_is_bounded_also_where_no_cut_is_enough(monkeypatch):
    *_, layer = read("separate", 0, 4, 2)
    judge, seen = Cuts._judged, []
    monkeypatch.setattr(Cuts, "_judged", lambda self, cells: seen.append(len(cells.t)) or judge(self, cells))
    monkeypatch.setattr(readout, "WORK", 2**24)
    monkeypatch.setattr(readout, "CLOSE", 0.0)
    judged(layer)
    assert sum(seen) <= 2 * (4**2 + 2**24 // readout.LEAST + 2 * readout.AT_ONCE)
    assert len(seen) > 4


def test_the_halves_of_a_box_hold_it_also_where_their_ends_are_rounded():
    rng, one = np.random.default_rng(0), np.zeros(1, dtype=np.int64)
    cells = Cells(one, one, np.array([[0.1, 0.7]]), np.array([[0.3, 1 / 3]]))
    for _ in range(60):  # down to widths of one unit in the last place
        k = rng.integers(2, size=1)
        low, high = ([c + s * h for c, h in zip(exact(cells.centre), exact(cells.half), strict=True)] for s in (-1, 1))
        both = cells.cut(k)
        ends = [[c + s * h for c, h in zip(exact(both.centre[[j]]), exact(both.half[[j]]), strict=True)]
                for j, s in ((0, -1), (0, 1), (1, -1), (1, 1))]  # fmt: skip
        for axis in range(2):
            first, middle, again, last = (end[axis] for end in ends)
            assert first <= low[axis]
            assert high[axis] <= last
            assert again <= middle
        cells = both.chosen(rng.integers(2, size=1))


def exact(row):
    return [Fraction(float(x)) for x in row[0]]
