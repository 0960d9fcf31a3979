"""Pairs within a radius, against all distances; the compiled route gives the same arrays in the same order."""

import shutil

import numpy as np
import pytest
import sympy

from theorytools import BlockAttention, bch, streamed_retrieval
from theorytools.codes import hamming as packed
from theorytools.codes import near
from theorytools.codes.families import rademacher
from theorytools.codes.near import SWITCH, near_pairs
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention import leakage
from theorytools.constructions.attention.leakage import Profiles, worst_leakage

SIZES = [
    (2, 1, 0),
    (70, 3, 1),
    (300, 57, 22),
    (130, 64, 25),
    (200, 130, 55),
    (90, 255, 120),
    (80, 300, 140),
    (40, 9, 9),
]


def pack(N, n):
    return packed.pack(rademacher(N, n, np.random.default_rng(N)).signs < 0)


def joined(pairs):
    parts = list(pairs)
    return [np.concatenate(x) for x in zip(*parts, strict=True)] if parts else [np.zeros(0)] * 3


@pytest.fixture(params=["0", "1"], ids=["numpy", "compiled"])
def route(request, monkeypatch):
    monkeypatch.setenv(SWITCH, request.param)
    return request.param


@pytest.mark.parametrize(("N", "n", "radius"), SIZES)
@pytest.mark.parametrize("tile", [near.TILE, 1000, 7])
def test_near_pairs_are_those_of_all_distances(N, n, radius, tile, route):
    words = pack(N, n)
    distance = packed.distances(words, words, n)
    for rows in (N, 1, N // 2):
        done = []
        i, j, k = joined(
            near_pairs(words, n, radius, rows=rows, tile=tile, progress=lambda *seen, d=done: d.append(seen))
        )
        expected = np.argwhere(np.triu(distance <= radius, 1)[:rows])
        order = np.lexsort((j, i))
        assert np.array_equal(np.column_stack([i, j])[order], expected.reshape(-1, 2))
        assert (distance[i.astype(int), j.astype(int)] == k).all()
        assert done[-1] == (rows, rows)
    assert not list(near_pairs(words, n, -1))


@pytest.mark.parametrize(("N", "n", "radius"), SIZES)
def test_the_compiled_route_gives_the_same_arrays_in_the_same_order(N, n, radius, monkeypatch):
    words, found = pack(N, n), []
    for on in "01":
        monkeypatch.setenv(SWITCH, on)
        found.append(list(near_pairs(words, n, radius, tile=5000)))
    assert len(found[0]) == len(found[1])
    for a, b in zip(*found, strict=True):
        assert all(x.dtype == y.dtype and np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def test_without_a_compiler_or_with_one_that_fails_there_is_the_portable_route(monkeypatch, tmp_path):
    failing = tmp_path / "cc"
    failing.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    failing.chmod(0o755)
    monkeypatch.setenv(SWITCH, "1")
    for answer in (None, str(failing)):
        monkeypatch.setattr(shutil, "which", lambda _, a=answer: a)
        near._compiled.cache_clear()
        assert near.kernel() is None
        assert len(joined(near_pairs(pack(70, 3), 3, 3))[0]) == 70 * 69 // 2
    near._compiled.cache_clear()
    monkeypatch.delenv(SWITCH)
    assert near.kernel() is None


def test_streamed_tokens_are_the_same_bits_by_both_routes(monkeypatch):
    rng, found = np.random.default_rng(0), []
    net = BlockAttention(rademacher(3000, 40, rng), beta=32, d=3)
    X, T = rng.standard_normal((3000, 3)), rng.integers(0, 3000, (3000, 1))
    for on in "01":
        monkeypatch.setenv(SWITCH, on)
        found.append(streamed_retrieval(net, X, T, 1e-6))
    assert np.array_equal(found[0].tokens, found[1].tokens)
    assert found[0].kept == found[1].kept
    distance = packed.distances(net.codes.words, net.codes.words, 40)[np.unique(T)]
    cut = found[0].cut
    assert found[0].kept == (distance <= cut.radius).sum()
    # the same means by a full table of weights: both are within the rounding of the exact ones
    table = np.append(cut.weights(), 0)[np.minimum(distance, cut.radius + 1)]
    means = (table @ X) / table.sum(1, keepdims=True)
    assert (
        abs(found[0].tokens[:, 0] - means[np.unique(T, return_inverse=True)[1].reshape(-1)]).max() <= 2 * cut.rounding
    )


BETAS = [46, 30, sympy.log(2) * 57, sympy.Rational(3, 2), 0, 10**6]


@pytest.mark.parametrize("beta", BETAS, ids=str)
def test_the_worst_row_is_among_the_leading_ones_and_leaks_the_same_enclosure(beta, route, monkeypatch):
    monkeypatch.setattr(leakage, "PAIRS", 50)
    code = rademacher(leakage.LARGE + 100, 57, np.random.default_rng(5))
    few, every = Profiles.leading(code, beta), Profiles.of(code)
    assert worst_leakage(few, beta).same(worst_leakage(every, beta))
    assert worst_leakage(code, beta).same(worst_leakage(every, beta))
    assert (len(few.counts) < 100) == (beta in BETAS[:3])  # a cold softmax has a near pair that leads


def test_equal_codes_lead_and_small_or_linear_codes_are_counted_whole():
    code = rademacher(leakage.LARGE, 57, np.random.default_rng(6))
    doubled = SignCode(np.concatenate([code.signs, code.signs[:3]]))
    few, every = Profiles.leading(doubled, 46), Profiles.of(doubled)
    assert len(few.counts) <= 6
    assert worst_leakage(few, 46).same(worst_leakage(every, 46))
    for whole in (rademacher(100, 20, np.random.default_rng(7)), bch(leakage.LARGE)):
        assert np.array_equal(Profiles.leading(whole, 46).counts, Profiles.of(whole).counts)


def test_distances_of_chosen_rows_are_those_rows():
    code, rows = rademacher(300, 70, np.random.default_rng(8)), np.array([299, 0, 5])
    assert np.array_equal(code.hamming_counts(rows), code.hamming_counts()[rows])
