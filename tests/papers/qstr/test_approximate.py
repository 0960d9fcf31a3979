"""Labels with decaying weights: floors, where they cross a threshold, and networks trained on them."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import torch
from devices import CHECKS, device
from hypothesis import strategies as st
from properties import examples
from refusals import refused
from scipy.optimize import brentq

from theorytools import DomainError
from theorytools.numbers import Enclosure, float_lower, float_upper
from theorytools.papers.qstr import Experiment
from theorytools.papers.qstr.tasks.decaying_weights import DecayingWeights, breakdown_rate
from theorytools.papers.qstr.training import reference as plain
from theorytools.papers.qstr.training.prompts import World, draw, generator
from theorytools.papers.qstr.training.reference import model
from theorytools.training.sweep import arm, load_sweep, run_group

evaluate, spread_labels = device("qstr/sweeps/approximate", "evaluate", "spread_labels")
APPROXIMATE = load_sweep(CHECKS / "qstr/sweeps/approximate.py")

rates = st.fractions(Fraction(1, 8), 6, max_denominator=8)


def number(enclosure):
    return float_upper(enclosure.upper)


# -- floors ---------------------------------------------------------------------------------------------------------
@examples(30, st.integers(1, 7), st.sampled_from(["power", "exponential"]), rates)
def test_the_floor_is_the_least_over_all_choices(N, decay, rate):
    weights = DecayingWeights(N, decay, rate)
    c = weights.array()
    assert weights.floor(0).contains(1)
    assert number(weights.floor(N)) == 0
    for q in range(N + 1):
        direct = min(1 - sum(c[k] ** 2 for k in kept) for kept in combinations(range(N), q))
        # at most seven squares that add up to one, each rounded a few times
        assert number(weights.floor(q)) == pytest.approx(direct, abs=1e-14)


@examples(30, st.integers(1, 9), st.sampled_from(["power", "exponential"]), rates)
def test_without_the_index_the_mean_label_is_best(N, decay, rate):
    weights = DecayingWeights(N, decay, rate)
    table = np.array([np.roll(weights.array(), t) for t in range(N)])  # rows: coefficients of the tokens, given t
    direct = np.square(table - table.mean(0)).sum(1).mean()
    assert number(weights.without_index()) == pytest.approx(direct, abs=1e-13)


def test_exponents_crossings_and_rows_in_closed_form():
    assert DecayingWeights(3, "power", Fraction(1, 2)).floor(1).fraction() == Fraction(5, 11)  # 1, 1/2, 1/3
    assert DecayingWeights(2, "power", Fraction(1)).floor(1).fraction() == Fraction(1, 5)
    assert DecayingWeights(5, "power", Fraction(0)).without_index().fraction() == 0
    one, two = (breakdown_rate(8, "power", Fraction(1, 2), q=q, digits=6) for q in (1, 2))
    assert two.certainly_lt(one)
    c = DecayingWeights(9, "power", Fraction(1, 3)).squares()
    own = [square.sqrt() for square in c]
    whole = sum(own[1:], own[0])
    for weight in own:
        assert ((weight / whole) * whole - weight).contains(0)
    assert isinstance(whole, Enclosure)


@pytest.mark.parametrize("decay", ["power", "exponential"])
def test_the_crossing_is_where_the_floor_changes_side(decay):
    rate = breakdown_rate(12, decay, Fraction(7, 10))
    low, high = float_lower(rate.lower), float_upper(rate.upper)
    assert high - low < 2e-12
    step = Fraction(1, 10**9)
    sides = [number(DecayingWeights(12, decay, Fraction(low) + s).floor(1)) - 0.7 for s in (-step, step)]
    assert sides[0] * sides[1] < 0
    k = np.arange(12)

    def floor(r):
        squares = (1.0 + k) ** (-2 * r) if decay == "power" else np.exp(-2 * k / r)
        return 1 - 1 / squares.sum() - 0.7

    # brentq stops within 2e-12 + 9e-16 |r|
    assert brentq(floor, 0.1, 50) == pytest.approx(low, abs=1e-11)


test_what_is_out_of_range_is_refused = refused(
    DomainError, lambda: DecayingWeights(4, "linear", Fraction(1)), lambda: DecayingWeights(0, "power", Fraction(1)),
    lambda: DecayingWeights(4, "power", Fraction(-1)), lambda: DecayingWeights(4, "exponential", Fraction(0)),
    lambda: DecayingWeights(4, "power", Fraction(1)).floor(-1), lambda: breakdown_rate(4, "power", Fraction(3, 4)),
    lambda: breakdown_rate(4, "power", Fraction(0)), lambda: breakdown_rate(4, "power", Fraction(1, 2), q=4),
    lambda: breakdown_rate(4, "power", Fraction(1, 10**9), most=Fraction(2)),
)  # fmt: skip


# -- labels and networks --------------------------------------------------------------------------------------------
TINY = Experiment(architecture="transformer", N=4, d=2, d_e=4, width=8, test_size=60, cap=640, dtype="float64")


def test_labels_are_the_cyclic_sums():
    world = World.of(TINY)
    X, T, y = draw(TINY, world, generator(TINY, "train"), 7, simple=False)
    c = torch.from_numpy(DecayingWeights(4, "power", Fraction(1)).array())
    values, labels = (X @ world.u).numpy(), spread_labels(c, world.u, X, T).numpy()
    for b in range(7):
        for i in range(4):
            t = int(T[b, i, 0])
            direct = sum(float(c[k]) * values[b, (t + k) % 4] for k in range(4))
            assert labels[b, i] == pytest.approx(direct, abs=1e-14)  # four products of numbers of size one
    first = torch.tensor([1.0, 0, 0, 0], dtype=torch.float64)
    assert torch.allclose(spread_labels(first, world.u, X, T), y, rtol=0, atol=1e-14)  # sharp weights: general 1STR


def cell(labels, repeats=2, **changes):
    own = {"kind": "approximate", "arm": labels, "decay": "power", "rate": "1/2", "labels": labels}
    return [{**TINY.spec(), "repeat": r, **own, **changes} for r in range(repeats)]


def test_a_cell_returns_every_repeat_and_the_untrained_loss_is_the_plain_one():
    found = {labels: list(run_group(evaluate, cell(labels))) for labels in ("own", "shuffled", "none")}
    for labels, pairs in found.items():
        assert [spec for spec, _ in pairs] == cell(labels)
        assert all(result.value["prompts"] == (0 if labels == "none" else 640) for _, result in pairs)
    losses = {labels: [r.value["loss"] for _, r in pairs] for labels, pairs in found.items()}
    assert len({loss for values in losses.values() for loss in values}) == 6
    again = [r.value["loss"] for _, r in run_group(evaluate, cell("own"))]
    assert again == losses["own"]
    (_, result), *_ = run_group(evaluate, cell("none", repeats=1))
    world = World.of(TINY)
    X, T, _ = plain.test_set(TINY, world)
    c = torch.from_numpy(DecayingWeights(4, "power", Fraction(1, 2)).array())
    module = model(TINY, generator(TINY, "weights"))
    loss = plain.evaluate(module, world.codes, (X, T, spread_labels(c, world.u, X, T)))
    assert result.value["loss"] == pytest.approx(loss, rel=1e-12)  # float64 means of 240 numbers


def test_the_sweep_has_its_controls_and_refuses_two_cells():
    with pytest.raises(DomainError):
        list(run_group(evaluate, cell("own", 1) + cell("own", 1, lr="1/10")))
    for profile in ("smoke", "published", "wide"):
        arms = [arm(group[0]) for group in APPROXIMATE.groups(profile, "corrected")]
        assert arms[-2:] == ["shuffled labels", "untrained"]
        assert len(set(arms)) == len(arms)
