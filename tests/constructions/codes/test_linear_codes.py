"""Linear codes: weights and duals, the finite fields behind them, and BCH codes by enumeration."""

import math
from fractions import Fraction

import numpy as np
import pytest
from code_examples import HALF
from hypothesis import strategies as st
from properties import examples

from theorytools import DomainError, LinearCode
from theorytools.codes.bch import BCHCode, bch, bch_generator
from theorytools.codes.families import reed_muller
from theorytools.numbers.gf2 import carryless_product, cyclotomic_coset, minimal_polynomial, powers


# -- identities: linear codes -----------------------------------------------------------------------------
def macwilliams(A, k):
    """Weight enumerator of the dual: the coefficients of 2^-k sum_w A_w (1 - x)^w (1 + x)^(n - w)."""
    n = len(A) - 1
    dual = [0] * (n + 1)
    for w, number in enumerate(A):
        for i in range(w + 1):
            for j in range(n - w + 1):
                dual[i + j] += int(number) * (-1) ** i * math.comb(w, i) * math.comb(n - w, j)
    assert all(entry % 2**k == 0 for entry in dual)
    return [entry // 2**k for entry in dual]


@pytest.mark.parametrize(("r", "m"), [(0, 3), (1, 3), (2, 3), (1, 4), (2, 4), (3, 4)])
def test_reed_muller_codes_have_the_stated_distance_and_dual(r, m):
    code = reed_muller(r, m)
    assert code.dimension == sum(math.comb(m, i) for i in range(r + 1))
    assert code.minimum_distance() == 2 ** (m - r)
    assert code.coherence() == 1 - Fraction(2, 2**r)
    dual = reed_muller(m - r - 1, m)
    assert macwilliams(code.weight_enumerator(), code.dimension) == dual.weight_enumerator().tolist()


@examples(25, st.integers(1, 9), st.sampled_from([9, 64, 70]), st.integers(0, 2**32))
def test_the_enumerator_counts_the_words_of_the_table(k, d_e, seed):
    tail = np.random.default_rng(seed).integers(0, 2, size=(k, d_e - k))
    code = LinearCode(np.concatenate([np.eye(k, dtype=np.int64), tail], axis=1))
    table = code.sign_code()
    assert (code.weight_enumerator() == np.bincount((table.signs < 0).sum(axis=1), minlength=d_e + 1)).all()
    assert (code.hamming_counts() == table.hamming_counts()).all()
    assert (code.coherence(), code.absolute_coherence()) == (table.coherence(), table.absolute_coherence())


@examples(25, st.integers(0, 2**150 - 1), st.integers(0, 2**150 - 1))
def test_words_multiply_as_their_indices_add(i, j):
    code = bch(2**150)
    a, b, c, zero = code.rows([i, j, i ^ j, 0])
    assert (a * b == c).all()
    assert (zero == 1).all()
    if i != j:  # the guarantee holds at a size that no table reaches
        assert abs(int(a.astype(int) @ b)) <= code.absolute_coherence_bound() * code.d_e


# -- identities: finite fields and BCH codes ---------------------------------------------------------------
@pytest.mark.parametrize("m", range(2, 9))
def test_alpha_generates_the_field_and_the_cosets_factor_the_binomial(m):
    n = 2**m - 1
    assert sorted(powers(m)) == list(range(1, n + 1))
    leaders = {min(cyclotomic_coset(s, m)) for s in range(n)}
    everything = 1
    for s in leaders:
        everything = carryless_product(everything, minimal_polynomial(s, m))
    assert everything == 1 << n | 1  # x^n - 1


def test_classical_codes():
    assert [bch_generator(4, delta) for delta in (1, 3, 5, 7)] == [1, 0b10011, 0b111010001, 0b10100110111]
    dimensions = [63 - bch_generator(6, delta).bit_length() + 1 for delta in range(3, 32, 2)]
    assert dimensions == [57, 51, 45, 39, 36, 30, 24, 18, 18, 18, 16, 10, 10, 7, 7]
    code = bch(16, coherence=Fraction(0))
    assert code.d_e == 16
    assert (code.gram_numerators() == 16 * np.eye(16)).all()
    code = reed_muller(2, 5)
    A = code.weight_enumerator()
    assert (code.N, code.d_e, code.minimum_distance(), code.coherence()) == (2**16, 32, 8, HALF)
    assert A[A > 0].tolist() == [1, 620, 13888, 36518, 13888, 620, 1]
    assert np.flatnonzero(A).tolist() == [0, 8, 12, 16, 20, 24, 32]
    assert macwilliams(A, 16) == A.tolist()  # the code is self-dual


SMALL = {3: (1, 3), 4: (1, 3, 5, 7), 5: (5, 7, 9, 11, 13, 15), 6: (21, 23, 27, 31)}


@pytest.mark.parametrize(("m", "delta"), [(m, delta) for m, deltas in SMALL.items() for delta in deltas])
def test_enumeration_confirms_the_designed_distance(m, delta):
    n, g = 2**m - 1, bch_generator(m, delta)
    k = n - g.bit_length() + 1
    cyclic = LinearCode([[g >> (p - j) & 1 if p >= j else 0 for p in range(n)] for j in range(k)])
    assert delta <= cyclic.minimum_distance()
    whole = BCHCode(2**k, m, delta, one_sided=True)
    assert delta + 1 <= whole.distance <= whole.linear.minimum_distance()
    assert whole.absolute_coherence() == whole.absolute_coherence_bound() == 1  # the all-ones word
    part = BCHCode(2 ** (k - 1), m, delta)
    weights = np.flatnonzero(part.linear.weight_enumerator())[1:]
    assert part.distance <= weights.min()
    assert weights.max() <= 2**m - part.distance
    assert part.absolute_coherence() <= part.absolute_coherence_bound() == part.coherence_bound()


def test_two_to_the_23_codes_in_64_dimensions_satisfy_the_assumption():
    small = BCHCode(2**12, 6, 15).linear.weight_enumerator()
    assert set(np.flatnonzero(small)) <= {0, *range(16, 49)}
    code = bch(2**23)
    assert (code.m, code.delta, code.absolute_coherence_bound()) == (6, 15, HALF)
    assert (code.coherence(), code.absolute_coherence()) == (HALF, HALF)
    A, whole = (code.linear.weight_enumerator(), BCHCode(2**24, 6, 15, one_sided=True).linear.weight_enumerator())
    assert (whole == A + A[::-1]).all()  # adding the all-ones word gives the other half
    assert code.d_e < 5 * math.log(code.N)  # fewer than the coordinates with which random signs fail


@examples(25, st.integers(2, 300))
def test_the_first_N_words_have_the_coherence_of_the_linear_code(N):
    code = bch(N)
    table = code.sign_code()
    assert (code.coherence(), code.absolute_coherence()) == (table.coherence(), table.absolute_coherence())
    assert code.absolute_coherence() <= HALF
    assert table.violations() == 0


@examples(25, st.integers(2, 2**40), st.fractions(Fraction(1, 3), Fraction(9, 10), max_denominator=20), st.booleans())
def test_bch_meets_the_target_and_no_shorter_length_does(N, target, one_sided):
    code = bch(N, coherence=target, one_sided=one_sided)
    assert code.coherence_bound() <= target
    assert one_sided or code.absolute_coherence_bound() <= target
    for delta in range(1, 2 ** (code.m - 2), 2) if code.m > 2 else ():
        try:
            shorter = BCHCode(N, code.m - 1, delta, one_sided)
        except DomainError:
            continue
        assert shorter.coherence_bound() > target
