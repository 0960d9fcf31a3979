"""Pairs within a radius, against all distances; the compiled route gives the same arrays in the same order."""

import itertools

import numpy as np
import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from source_tree import ROOT

import hatch_build
from theorytools import BlockAttention, bch
from theorytools.codes import compiled, near
from theorytools.codes import hamming as packed
from theorytools.codes.compiled import SWITCH
from theorytools.codes.families import rademacher
from theorytools.codes.near import near_pairs
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention import leakage
from theorytools.constructions.attention.leakage import Profiles, worst_leakage
from theorytools.papers.qstr import streamed_retrieval

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


@pytest.fixture(scope="module", autouse=True)
def library(tmp_path_factory):
    """What an installation would compile, of this tree; where there is no compiler both routes are the portable one."""
    made = tmp_path_factory.mktemp("library") / "pairs.so"
    there = hatch_build.build(ROOT, made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "LIBRARY", made)
        assert (compiled.kernel() is not None) == there
        yield


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


@settings(max_examples=25, deadline=None)
@given(N=st.integers(2, 700), n=st.integers(1, 130), seed=st.integers(0, 9), planted=st.integers(0, 3))
@example(N=2, n=3, seed=0, planted=0)
@example(N=3001, n=57, seed=0, planted=0)
@example(N=257, n=255, seed=0, planted=2)
@example(N=65, n=256, seed=0, planted=1)
def test_both_routes_find_the_same_extremes_also_of_equal_and_of_opposite_vectors(N, n, seed, planted):
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (N, n), dtype=np.uint8)
    if planted & 1:
        bits[rng.integers(N)] = bits[-1]
    if planted & 2:
        bits[rng.integers(1, N)] = 1 - bits[0]
    words, found = packed.pack(bits), []
    for on in "01":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(SWITCH, on)
            found.append(packed.extremes_of_all_pairs(words, n))
    assert found[0] == found[1]


def test_pairs_beyond_two_radii_are_those_of_all_distances():
    words = pack(300, 20)
    pairs = compiled.Pairs.of(packed.unpack(words, 20), 300 * 300)
    distance = packed.distances(words, words, 20)
    for near_, far in itertools.product((-1, 0, 5, 20), (0, 1, 14, 20, 21, 300)) if pairs else ():
        i, j, k = pairs.beyond(slice(3, 290), slice(70, 299), near_, far)
        asked = (distance <= near_) | (distance >= far)
        assert np.array_equal(np.column_stack([i, j]), np.argwhere(asked[3:290, 70:299]) + np.array([3, 70]))
        assert np.array_equal(distance[i, j], k)


def test_without_a_compiler_or_with_one_that_fails_nothing_is_compiled(monkeypatch, tmp_path):
    for compiler in ("/bin/false", str(tmp_path / "absent")):
        monkeypatch.setenv("CC", compiler)
        assert not hatch_build.build(ROOT, tmp_path / "pairs.so")
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not hatch_build.build(ROOT, tmp_path / "pairs.so")
    assert not list(tmp_path.iterdir())


def test_a_library_of_another_source_or_none_leaves_the_portable_route(monkeypatch, tmp_path):
    other = tmp_path / "_pairs.c"
    other.write_bytes(compiled.SOURCE.read_bytes() + b"\n")
    compiled._loaded.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(compiled, "SOURCE", other)
        assert compiled.kernel() is None
        broken = tmp_path / "broken.so"
        broken.write_bytes(b"no library")
        for file in (broken, tmp_path / "absent.so"):
            patch.setattr(compiled, "LIBRARY", file)
            assert compiled.kernel() is None
            assert len(joined(near_pairs(pack(70, 3), 3, 3))[0]) == 70 * 69 // 2
    compiled._loaded.cache_clear()


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
    assert len(few.counts) < 100 < len(every.counts)


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


@pytest.mark.parametrize(("N", "n"), [(2, 3), (8, 5), (65, 7), (70, 250)])
def test_a_few_words_take_no_room_of_a_tile_and_all_of_their_pairs_fit(N, n):
    words = pack(N, n)
    pairs = compiled.Pairs.of(packed.unpack(words, n), 2**18)
    if pairs is None:
        pytest.skip("no compiled library")
    assert {len(array) for array in pairs.room} == {N * N}
    i, j, distance = pairs.beyond(slice(0, N), slice(0, N), 255)
    expected = packed.distances(words[:, :, None], words[:, None], n)
    assert (i.tolist(), j.tolist()) == tuple(map(list, zip(*itertools.product(range(N), repeat=2), strict=True)))
    assert distance.tolist() == expected.ravel().tolist()
