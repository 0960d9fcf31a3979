"""The extreme Hamming distances by ranges: equal to all pairs, and found without them where that is promised."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools.codes import hamming as packed
from theorytools.codes.extreme_distances import extreme_distances
from theorytools.codes.families import rademacher


def refuse(*_):
    raise AssertionError("all pairs were compared")


def planted(N, d_e, seed, near, far):
    """Random signs with one pair at distance ``near`` and one at distance ``d_e - far``, at random places."""
    rng = np.random.default_rng(seed)
    E = rademacher(N, d_e, rng).signs.copy()
    a, b, c, e = rng.choice(N, size=4, replace=False)
    for twin, of, sign, flips in ((b, a, 1, near), (e, c, -1, far)):
        E[twin] = sign * E[of]
        E[twin, rng.choice(d_e, size=flips, replace=False)] *= -1
    return E


@examples(25, st.integers(4, 700), st.integers(1, 140), st.integers(0, 2**32), st.data())
def test_ranges_find_what_all_pairs_hold(N, d_e, seed, data):
    near, far = data.draw(st.integers(0, min(d_e, 6))), data.draw(st.integers(0, min(d_e, 6)))
    words = packed.pack(planted(N, d_e, seed, near, far) < 0)
    assert extreme_distances(words, d_e) == packed.extremes_of_all_pairs(words, d_e)


@pytest.mark.parametrize("near", range(4))
@pytest.mark.parametrize("far", range(4))
def test_a_planted_pair_is_found_without_all_pairs(near, far, monkeypatch):
    monkeypatch.setattr("theorytools.codes.hamming.extremes_of_all_pairs", refuse)
    # 3000 random vectors of length 50: 4.5e6 pairs, each at distance 3 or less with probability 2e-11
    assert extreme_distances(packed.pack(planted(3000, 50, 7, near, far) < 0), 50) == (near, 50 - far)


def test_paired_distances_are_the_diagonal_of_distances():
    words = packed.pack(np.ones((40, 20), dtype=np.uint8))
    assert extreme_distances(words, 20) == (0, 0)
    words = packed.pack(rademacher(9, 130, np.random.default_rng(3)).signs < 0)
    square = packed.distances(words, words, 130)
    for shift in range(1, 9):
        paired = packed.paired_distances(words[:, shift:], words[:, :-shift], 130)
        assert (paired == square.diagonal(shift)).all()
    pairs = [square[i, j] for i, j in combinations(range(9), 2)]
    assert packed.extremes_of_all_pairs(words, 130) == (min(pairs), max(pairs))
