"""Columns of one simulation: drawn once for several recipes, with the same numbers as alone; refusals."""

import math

import numpy as np
import pytest
from drawn_recipes import SEED, climb, coin, uniform

from theorytools.claims.language.estimate import Budget
from theorytools.claims.language.ladder import Ladder
from theorytools.errors import DomainError
from theorytools.statistics.batches import PROBES
from theorytools.statistics.sampled import bounded_mean, columns, proportion


def pair(calls=None):
    def draw(rng, size):
        if calls is not None:
            calls.append(size)
        u = rng.random(size)
        return {"u": u, "small": u < 0.1, "unused": np.full(size, math.nan)}

    return draw


def test_columns_share_one_simulation():
    calls = []
    u, small = columns(pair(calls), SEED, "u", "small")
    mean, share = bounded_mean(u, low=0, high=1), proportion(small)
    ladders = [Ladder(mean, 0.01, Budget(samples=5000)), Ladder(share, 0.2, Budget(samples=5000))]
    assert ladders[1].at(1).work["samples"] == 2048
    assert calls == [*PROBES, 1024, 1024]
    assert [ladders[0].at(rung).alpha for rung in range(4)] == [0.01] * 4
    assert calls == [*PROBES, 1024, 1024, 2048, 904]
    assert ladders[1].at(3).alpha == 0.2
    assert ladders[1].at(4) is None
    assert len(calls) == 7
    # the same numbers as two recipes with their own simulations
    assert ladders[0].climbed == climb(bounded_mean(uniform, SEED, low=0, high=1), alpha=0.01)
    assert climb(share, alpha=0.2) == climb(proportion(coin, SEED), alpha=0.2)
    assert len(calls) == 7
    assert climb(mean, samples=2048, alpha=0.01) == ladders[0].climbed[:2]  # another budget starts again


def test_a_failed_draw_does_not_shift_the_stream():
    broken = [True]

    def draw(rng, size):
        u = rng.random(size)
        if size == 2048 and broken[0]:
            raise RuntimeError("no more")
        return {"u": u}

    (u,) = columns(draw, SEED, "u")
    recipe = bounded_mean(u, low=0, high=1)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no more"):
            climb(recipe)
    broken[0] = False
    assert climb(recipe) == climb(bounded_mean(uniform, SEED, low=0, high=1))


def test_batches_cannot_be_changed_behind_the_ladder():
    kept = []

    def draw(rng, size):
        if kept:
            kept[0][:] = 0.0  # the caller uses its buffer again
        kept[:] = [rng.random(size)]
        return {"u": kept[0]}

    (u,) = columns(draw, SEED, "u")
    recipe = bounded_mean(u, low=0, high=1)
    assert climb(recipe) == climb(recipe) == climb(bounded_mean(uniform, SEED, low=0, high=1))


def test_refused_columns():
    with pytest.raises(DomainError, match="each once"):
        columns(pair(), SEED, "u", "u")
    with pytest.raises(DomainError, match="each once"):
        columns(pair(), SEED)
    (u,) = columns(pair(), SEED, "u")
    with pytest.raises(DomainError, match="a column and a seed"):
        proportion(u, SEED)
    (v,) = columns(pair(), SEED, "v")
    with pytest.raises(DomainError, match=r"keys \['u', 'small', 'unused'\]"):
        climb(proportion(v))
    (w,) = columns(uniform, SEED, "w")
    with pytest.raises(DomainError, match="ndarray"):
        climb(proportion(w))
    (bad,) = columns(pair(), SEED, "unused")
    with pytest.raises(DomainError, match="1024 of 1024 draws are not finite"):
        climb(proportion(bad))
