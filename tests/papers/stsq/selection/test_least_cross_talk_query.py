"""Queries for every set: certificates, isometry constants, half-spaces, surveys, a planted duplicate."""

from fractions import Fraction as F
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools.codes.encodings import exact_encodings, gaussian_encodings, orthonormal_encodings, sign_encodings
from theorytools.errors import DomainError
from theorytools.numbers import float_lower, float_upper
from theorytools.papers.stsq.attention.corrected_query import dual_certificate
from theorytools.papers.stsq.attention.selector_queries import cross_talk
from theorytools.papers.stsq.selection.least_cross_talk_query import (
    checked_separation,
    half_space_probability,
    survey,
    unbounded_without_clip,
)
from theorytools.papers.stsq.selection.restricted_isometry import restricted_isometry


def gauss(seed, T, d_e):
    return gaussian_encodings(T, d_e, np.random.default_rng(seed))


@examples(8, st.integers(0, 99), st.integers(1, 4))
def test_isometry_constant_against_eigenvalues(seed, k):
    E = gauss(seed, 6, 9)
    G = E.gram().astype(float) - np.eye(6)
    largest = max(np.abs(np.linalg.eigvalsh(G[np.ix_(S, S)])).max() for S in combinations(range(6), k))
    found = restricted_isometry(E, k)
    # eigenvalues of order 1 in doubles are right to 1e-13; the enclosure is 1e-9 wide
    low, high = float_lower(found.lower), float_upper(found.upper)
    assert low - 1e-13 <= largest <= high + 1e-13
    assert high - low < 2e-9


def test_half_spaces_and_isometry_constants_of_known_encodings():
    assert restricted_isometry(orthonormal_encodings(5), 3).fraction() == 0
    twice = orthonormal_encodings(5).duplicated(0, 1)
    assert restricted_isometry(twice, 1).fraction() == 0
    assert restricted_isometry(twice, 9).fraction() == 1
    with pytest.raises(DomainError):
        restricted_isometry(twice, 0)
    E = exact_encodings([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]])
    assert unbounded_without_clip(E, [0])
    assert not unbounded_without_clip(exact_encodings([[1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 1, 1]]), [0])
    assert [half_space_probability(4, D) for D in (0, 1, 2, 9)] == [0, F(1, 8), F(1, 2), 1]
    with pytest.raises(DomainError):
        half_space_probability(0, 2)


def test_certificate_corrects_the_dual_query():
    E, y = gauss(1, 9, 60), (2, 4)
    zero, many = dual_certificate(E, y, 0), dual_certificate(E, y, 8)
    assert max(zero.scores[i] for i in range(9) if i not in y) == cross_talk(E, y)
    for w in (zero, many):
        assert [w.scores[i] for i in y] == [1, 1]
    norms = many.corrections
    assert len(norms) == 8
    assert all(b < a / 4 for a, b in pairwise(norms))
    assert dual_certificate(orthonormal_encodings(5), y, 3).corrections == ()
    with pytest.raises(DomainError):
        dual_certificate(E, y, -1)


@examples(8, st.integers(0, 99), st.integers(2, 6))
def test_least_cross_talk_and_its_proof_meet(seed, d_e):
    E = gauss(seed, 7, d_e)
    c = checked_separation(E, (1, 4))
    assert c.off_one == c.residual == 0
    assert c.reached == c.proved <= max(0, cross_talk(E, (1, 4)))
    assert c.smallest >= 0
    assert c.mass == (c.proved > 0)


def test_surveys_count_singular_sets_as_missed():
    E = orthonormal_encodings(5)
    assert survey(E, 2).separated == 10
    seen = survey(E.duplicated(0, 1), 2)
    assert (seen.sets, seen.singular, seen.worst, seen.witness) == (10, 1, None, (0, 1))
    assert seen.separated == 10 - 1 - 6  # sets with just one of the two copies have cross-talk 1
    lonely = survey(E.duplicated(0, 1), 1)
    assert (lonely.singular, lonely.worst, lonely.separated) == (0, 1, 3)
    E = sign_encodings(6, 5, np.random.default_rng(2))
    assert survey(E, 1, "lp").separated >= survey(E, 1).separated
