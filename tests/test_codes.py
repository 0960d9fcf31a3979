"""Position codes: exact Gram matrices by two routes, proved distances by enumeration, tables, refusals."""

import math
import subprocess
import sys
from fractions import Fraction
from itertools import product, repeat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import theorytools.codes
from theorytools.codes import (
    BCHCode,
    Code,
    EquiangularCode,
    GramCode,
    LinearCode,
    SignCode,
    bch,
    binary_index,
    e8_roots,
    expected_violations,
    hadamard,
    hoeffding_dimension,
    orthonormal,
    rademacher,
    reed_muller,
    simplex,
    smallest_dimension,
    threshold_dimension,
)
from theorytools.codes.bch_code import bch_generator
from theorytools.codes.finite_field import carryless_product, cyclotomic_coset, minimal_polynomial, powers
from theorytools.errors import BudgetError, DomainError

check = settings(deadline=None, derandomize=True, database=None, max_examples=25)
HALF = Fraction(1, 2)


@st.composite
def sign_matrices(draw):
    shape = (draw(st.integers(2, 9)), draw(st.sampled_from([1, 2, 7, 63, 64, 65, 130, 255, 256, 300])))
    return 1 - 2 * draw(arrays(np.int8, shape, elements=st.integers(0, 1)))


def off_diagonal(K):
    return K[~np.eye(len(K), dtype=bool)]


CODES = {
    "rademacher": rademacher(40, 70, np.random.default_rng(1)),
    "binary": binary_index(11),
    "hadamard": hadamard(12),
    "reed_muller": reed_muller(1, 4),
    "bch": bch(64),
    "bch, not a power of two": bch(100),
    "simplex": simplex(9),
    "orthonormal": orthonormal(5),
    "equiangular": EquiangularCode(6, Fraction(3, 7)),
    "equal": EquiangularCode(3, Fraction(1)),
    "roots": GramCode(e8_roots() @ e8_roots().T, 8),
}


@pytest.fixture(params=CODES.values(), ids=CODES.keys())
def code(request):
    return request.param


# -- identities: every code ------------------------------------------------------------------------------


def test_all_codes_answer_the_protocol_consistently(code):
    assert isinstance(code, Code)
    K, s = code.gram_numerators(), code.gram_denominator
    assert K.shape == (code.N, code.N)
    assert K.dtype == np.int64
    assert (K.diagonal() == s).all()
    assert (K == K.T).all()
    assert code.coherence() == Fraction(int(off_diagonal(K).max()), s)
    assert code.absolute_coherence() == Fraction(int(abs(off_diagonal(K)).max()), s)


def test_counts_of_products_are_those_of_the_gram_matrix(code):
    values, counts = code.gram_counts()
    assert (np.diff(values) < 0).all()
    assert counts.shape == (code.N, len(values))
    for t, row in enumerate(code.gram_numerators()):
        others = np.delete(row, t)
        assert [np.count_nonzero(others == value) for value in values] == counts[t].tolist()
        assert counts[t].sum() == code.N - 1


def test_float_rows_have_the_exact_products(code):
    V = code.matrix()
    assert V.shape == (code.N, code.d_e)
    assert V.dtype == np.float64
    # |V V^T - G|: a backward stable factorisation errs by a small multiple of N u ||G||_2 <= N^2 u, the
    # product of unit rows by d_e u; 10 (N^2 + d_e) u covers both
    tolerance = 10 * (code.N**2 + code.d_e) * 2.0**-53
    assert abs(V @ V.T - code.gram_numerators() / code.gram_denominator).max() <= tolerance


# -- identities: sign codes ------------------------------------------------------------------------------


@check
@given(sign_matrices())
def test_packed_distances_equal_brute_force(signs):
    code = SignCode(signs)
    E = signs.astype(np.int64)
    K, d_e = E @ E.T, code.d_e
    assert (code.gram() == K).all()
    distances = np.array([[np.count_nonzero(a != b) for b in E] for a in E])
    assert (d_e - 2 * distances == K).all()
    upper = distances[np.triu_indices(code.N, 1)]
    assert code.minimum_distance() == upper.min()
    assert code.coherence() == Fraction(int(d_e - 2 * upper.min()), d_e)
    assert code.absolute_coherence() == Fraction(int(abs(d_e - 2 * upper).max()), d_e)
    expected = [np.bincount(np.delete(row, t), minlength=d_e + 1) for t, row in enumerate(distances)]
    assert (code.hamming_counts() == np.array(expected)).all()
    for rho in (HALF, Fraction(1, 7)):
        assert code.violations(rho=rho) == sum(abs(d_e - 2 * int(h)) > rho * d_e for h in upper)
        assert code.violations(rho=rho, one_sided=True) == sum(d_e - 2 * int(h) > rho * d_e for h in upper)


@pytest.mark.parametrize("d_e", [64, 300])
def test_packed_distances_equal_brute_force_across_tiles(d_e, monkeypatch):
    monkeypatch.setattr("theorytools.codes.packed._TILE_COLUMNS", 100)
    half = rademacher(150, d_e, np.random.default_rng(2)).signs
    code = SignCode(np.concatenate([half, -half]))  # distances up to d_e
    K = code.signs.astype(np.int64) @ code.signs.T.astype(np.int64)
    assert (code.gram() == K).all()
    assert code.coherence() == Fraction(int(off_diagonal(K).max()), d_e)
    assert code.absolute_coherence() == Fraction(int(abs(off_diagonal(K)).max()), d_e)
    expected = [np.bincount(np.delete((d_e - row) // 2, t), minlength=d_e + 1) for t, row in enumerate(K)]
    assert (code.hamming_counts() == np.array(expected)).all()


@check
@given(sign_matrices(), st.randoms(use_true_random=False))
def test_coherence_ignores_order_and_one_flipped_coordinate(signs, random):
    rows, columns = list(range(signs.shape[0])), list(range(signs.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    moved = signs[rows][:, columns]
    moved[:, 0] *= -1
    assert SignCode(moved).coherence() == SignCode(signs).coherence()
    assert SignCode(moved).absolute_coherence() == SignCode(signs).absolute_coherence()


@check
@given(sign_matrices())
def test_a_repeated_row_has_coherence_one(signs):
    repeated = SignCode(np.concatenate([signs, signs[:1]]))
    assert repeated.coherence() == 1
    assert repeated.minimum_distance() == 0
    assert repeated.violations() > 0


def test_sign_codes_are_values():
    signs = np.array([[1, -1], [1, 1]], dtype=np.int8)
    code = SignCode(signs)
    signs[0, 0] = -1
    assert code == SignCode([[1.0, -1.0], [1.0, 1.0]]) != SignCode(signs)
    assert len({code, SignCode([[1, -1], [1, 1]])}) == 1
    assert not code.signs.flags.writeable


def test_binary_index_is_the_full_cube():
    # all 2^k words: the distances from one word are binomial, hence sum_j b^(-2 d_j) = (1 + b^-2)^k
    k, b = 5, Fraction(4)
    counts = binary_index(2**k).hamming_counts()
    assert sum(int(c) * b ** (-2 * h) for h, c in enumerate(counts[0])) + 1 == (1 + b**-2) ** k
    assert LinearCode(np.eye(k, dtype=np.uint8)).sign_code() == binary_index(2**k)


@pytest.mark.parametrize("N", [2, 3, 5, 12, 33])
def test_binary_index_and_hadamard_have_the_stated_coherence(N):
    binary, orthogonal = binary_index(N), hadamard(N)
    assert binary.d_e == math.ceil(math.log2(N))
    assert binary.coherence() == 1 - Fraction(2, binary.d_e)
    assert orthogonal.d_e == 2 ** math.ceil(math.log2(N))
    assert (orthogonal.gram() == orthogonal.d_e * np.eye(N)).all()


def test_rademacher_is_the_documented_draw():
    signs = rademacher(7, 9, np.random.default_rng(5)).signs
    assert (signs == 2 * np.random.default_rng(5).integers(0, 2, size=(7, 9)) - 1).all()


# -- identities: Gram matrices ----------------------------------------------------------------------------


@check
@given(arrays(np.int64, (4, 3), elements=st.integers(-2, 2)))
def test_elimination_finds_the_rank_of_a_gram_matrix(A):
    s = int((A**2).sum(axis=1).max()) + 1
    rest = [s - int(row @ row) for row in A]
    K = A @ A.T + np.diag(rest)  # the Gram matrix of (a_i, sqrt(rest_i) e_i)
    code = GramCode(K, s)
    assert code.d_e == np.linalg.matrix_rank(K.astype(float)) == 4
    doubled = GramCode(np.block([[K, K], [K, K]]), s)
    assert (doubled.d_e, doubled.coherence()) == (4, 1)
    assert abs(doubled.matrix() @ doubled.matrix().T - doubled.numerators / s).max() <= 640 * 2.0**-53  # as above


@check
@given(st.integers(2, 12), st.fractions(min_value=-1, max_value=1, max_denominator=30))
def test_equiangular_codes_exist_exactly_on_the_interval(N, rho):
    gram = [[Fraction(1) if i == j else rho for j in range(N)] for i in range(N)]
    if rho < Fraction(-1, N - 1):
        with pytest.raises(DomainError, match="rho"):
            EquiangularCode(N, rho)
        with pytest.raises(DomainError, match="indefinite"):
            GramCode.from_fractions(gram)
        return
    general = GramCode.from_fractions(gram)
    assert (general.gram_numerators() == EquiangularCode(N, rho).gram_numerators()).all()
    assert general.d_e == (1 if rho == 1 else N - (rho == Fraction(-1, N - 1)))


def test_roots_of_e8():
    roots = e8_roots()
    assert roots.shape == (240, 8)
    assert (roots.sum(axis=1) % 4 == 0).all()  # an even number of minus signs
    code = GramCode(roots @ roots.T, 8)
    assert (code.d_e, code.coherence()) == (8, HALF)
    values, counts = code.gram_counts()
    assert values.tolist() == [4, 0, -4, -8]
    assert np.unique(counts, axis=0).tolist() == [[56, 126, 56, 1]]  # every root sees the same configuration


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


def test_reed_muller_2_5_has_minimum_weight_8():
    code = reed_muller(2, 5)
    A = code.weight_enumerator()
    assert (code.N, code.d_e, code.minimum_distance(), code.coherence()) == (2**16, 32, 8, HALF)
    assert A[A > 0].tolist() == [1, 620, 13888, 36518, 13888, 620, 1]
    assert np.flatnonzero(A).tolist() == [0, 8, 12, 16, 20, 24, 32]
    assert macwilliams(A, 16) == A.tolist()  # the code is self-dual


@pytest.mark.parametrize(("r", "m"), [(0, 3), (1, 3), (2, 3), (1, 4), (2, 4), (3, 4)])
def test_reed_muller_codes_have_the_stated_distance_and_dual(r, m):
    code = reed_muller(r, m)
    assert code.dimension == sum(math.comb(m, i) for i in range(r + 1))
    assert code.minimum_distance() == 2 ** (m - r)
    assert code.coherence() == 1 - Fraction(2, 2**r)
    dual = reed_muller(m - r - 1, m)
    assert macwilliams(code.weight_enumerator(), code.dimension) == dual.weight_enumerator().tolist()


@check
@given(st.integers(1, 9), st.sampled_from([9, 64, 70]), st.integers(0, 2**32))
def test_the_enumerator_counts_the_words_of_the_table(k, d_e, seed):
    tail = np.random.default_rng(seed).integers(0, 2, size=(k, d_e - k))
    code = LinearCode(np.concatenate([np.eye(k, dtype=np.int64), tail], axis=1))
    table = code.sign_code()
    assert (code.weight_enumerator() == np.bincount((table.signs < 0).sum(axis=1), minlength=d_e + 1)).all()
    assert (code.hamming_counts() == table.hamming_counts()).all()
    assert (code.coherence(), code.absolute_coherence()) == (table.coherence(), table.absolute_coherence())


@check
@given(st.integers(0, 2**150 - 1), st.integers(0, 2**150 - 1))
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


def test_classical_generator_polynomials_of_length_15():
    assert [bch_generator(4, delta) for delta in (1, 3, 5, 7)] == [1, 0b10011, 0b111010001, 0b10100110111]


def test_classical_dimensions_of_length_63():
    dimensions = [63 - bch_generator(6, delta).bit_length() + 1 for delta in range(3, 32, 2)]
    assert dimensions == [57, 51, 45, 39, 36, 30, 24, 18, 18, 18, 16, 10, 10, 7, 7]


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
    A, whole = (
        code.linear.weight_enumerator(),
        BCHCode(2**24, 6, 15, one_sided=True).linear.weight_enumerator(),
    )
    assert (whole == A + A[::-1]).all()  # adding the all-ones word gives the other half
    assert code.d_e < 5 * math.log(code.N)  # fewer than the coordinates with which random signs fail


@check
@given(st.integers(2, 300))
def test_the_first_N_words_have_the_coherence_of_the_linear_code(N):
    code = bch(N)
    table = code.sign_code()
    assert (code.coherence(), code.absolute_coherence()) == (table.coherence(), table.absolute_coherence())
    assert code.absolute_coherence() <= HALF
    assert table.violations() == 0


@check
@given(st.integers(2, 2**40), st.fractions(Fraction(1, 3), Fraction(9, 10), max_denominator=20), st.booleans())
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


def test_bch_of_coherence_zero_is_orthogonal():
    code = bch(16, coherence=Fraction(0))
    assert code.d_e == 16
    assert (code.gram_numerators() == 16 * np.eye(16)).all()


# -- identities and tables: dimensions of random codes -------------------------------------------------------


@pytest.mark.parametrize(("N", "d_e"), [(2, 5), (3, 1), (3, 3), (3, 4)])
@pytest.mark.parametrize("rho", [HALF, Fraction(1, 3), Fraction(0)])
def test_expected_violations_are_the_mean_over_all_codes(N, d_e, rho):
    E = np.array(list(product((1, -1), repeat=N * d_e))).reshape(-1, N, d_e)
    K = np.einsum("cik,cjk->cij", E, E)[:, *np.triu_indices(N, 1)]
    for one_sided in (False, True):
        products = K if one_sided else abs(K)
        found = int((products * rho.denominator > rho.numerator * d_e).sum())
        assert expected_violations(N, d_e, rho=rho, one_sided=one_sided) == Fraction(found, 2 ** (N * d_e))


@check
@given(
    st.integers(2, 60),
    st.fractions(Fraction(1, 1000), Fraction(9, 10), max_denominator=1000),
    st.fractions(Fraction(1, 3), Fraction(9, 10), max_denominator=12),
    st.booleans(),
)
def test_dimensions_are_ordered_and_do_what_they_say(N, delta, rho, one_sided):
    options = {"rho": rho, "one_sided": one_sided}
    least = smallest_dimension(N, delta, **options)
    threshold = threshold_dimension(N, delta, **options)
    sure = hoeffding_dimension(N, delta, **options)
    assert least <= threshold <= sure
    value = 2 / float(rho) ** 2 * math.log(N * N / float(delta) / (2 if one_sided else 1))
    # doubles: relative error below 1e-12, values below 1e3
    assert value - 1e-9 <= sure < value + 1 + 1e-9
    assert all(expected_violations(N, d, **options) <= delta for d in (least, least + 1, threshold, sure))
    assert threshold == 1 or expected_violations(N, threshold - 1, **options) > delta


@pytest.mark.parametrize(
    ("N", "d_e", "rho"),
    [
        (64, 67, Fraction(25, 67)),
        (64, 20, Fraction(7, 10)),
        (100, 23, Fraction(17, 23)),
        (100, 74, Fraction(30, 74)),
        (256, 89, Fraction(39, 89)),
        (1024, 111, Fraction(49, 111)),
    ],
)
def test_coherence_of_the_tabulated_random_codes(N, d_e, rho):
    assert rademacher(N, d_e, np.random.default_rng(0)).coherence() == rho


@pytest.mark.parametrize(
    ("N", "d_e", "mean", "dimensions"),
    [
        (10, 11, "2.94", (51, 54, 74)),
        (100, 23, "52.6", (87, 87, 111)),
        (1000, 34, "1.47e+03", (119, 122, 148)),
        (10000, 46, "2.68e+04", (155, 155, 185)),
    ],
)
def test_table_of_dimensions(N, d_e, mean, dimensions):
    assert d_e == int(5 * math.log(N))
    assert f"{float(expected_violations(N, d_e)):.3g}" == mean
    assert (smallest_dimension(N), threshold_dimension(N), hoeffding_dimension(N)) == dimensions


def test_table_of_mean_violations_on_one_side():
    def mean(N):
        return float(expected_violations(N, int(5 * math.log(N)), one_sided=True))

    printed = {10: 1.47, 20: 5.45, 50: 11.8, 100: 26.3, 200: 93.1, 12: 1.27, 25: 3.2, 31: 11.4, 33: 12.9}
    for N, value in printed.items():
        assert abs(mean(N) - value) <= 0.05, N  # the last printed decimal, at its coarsest
    assert round(float(expected_violations(1000, 34))) == 1466
    assert round(float(expected_violations(10000, 46))) == 26777


# -- refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: SignCode([[1, 1]]),
        lambda: SignCode(np.ones((3, 0))),
        lambda: SignCode([1, -1]),
        lambda: SignCode([[1, 0], [1, 1]]),
        lambda: SignCode([[1, math.nan], [1, 1]]),
        lambda: SignCode([[1, -1], [1]]),
        lambda: SignCode([[True, True], [True, True]]),
        lambda: rademacher(1, 5, np.random.default_rng(0)),
        lambda: rademacher(5, 0, np.random.default_rng(0)),
        lambda: rademacher(5, 5, 0),
        lambda: rademacher(5.0, 5, np.random.default_rng(0)),
        lambda: binary_index(1),
        lambda: hadamard(True),
        lambda: simplex(1),
        lambda: orthonormal(0),
        lambda: EquiangularCode(3, Fraction(-51, 100)),
        lambda: EquiangularCode(3, Fraction(101, 100)),
        lambda: EquiangularCode(3, math.nan),
        lambda: EquiangularCode(3, Fraction(1, 2**64)),
        lambda: GramCode([[1, 1], [0, 1]], 1),
        lambda: GramCode([[1, 0], [0, 2]], 1),
        lambda: GramCode([[1.0, 0.0], [0.0, 1.0]], 1),
        lambda: GramCode(np.array([[1, HALF], [HALF, 1]], dtype=object), 1),
        lambda: GramCode([[2, 2, 0], [2, 2, 2], [0, 2, 2]], 2),
        lambda: GramCode.from_fractions([[1, math.nan], [math.nan, 1]]),
        lambda: GramCode.from_fractions([[1, 0], [0]]),
        lambda: LinearCode([[1, 0, 1], [1, 0, 1]]),
        lambda: LinearCode([[0, 2]]),
        lambda: LinearCode([1, 0]),
        lambda: reed_muller(3, 2),
        lambda: bch(1),
        lambda: bch(8, coherence=Fraction(1)),
        lambda: bch(8, coherence=Fraction(-1, 2)),
        lambda: BCHCode(2**24, 6, 15),
        lambda: BCHCode(8, 6, 14),
        lambda: BCHCode(8, 6, 33),
        lambda: BCHCode(8, 13, 3),
        lambda: bch(100).rows([100]),
        lambda: bch(100).rows([-1]),
        lambda: bch(100).rows([1.0]),
        lambda: expected_violations(1, 5),
        lambda: expected_violations(5, 0),
        lambda: expected_violations(5, 5, rho=Fraction(1)),
        lambda: hoeffding_dimension(5, Fraction(0)),
        lambda: hoeffding_dimension(5, rho=math.inf),
        lambda: CODES["hadamard"].violations(rho="1/2"),
    ],
)
def test_bad_arguments_are_refused_with_four_parts(make):
    with pytest.raises(DomainError) as error:
        make()
    assert all([error.value.given, error.value.required, error.value.why, error.value.advice])


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda: rademacher(2**20, 2**10, np.random.default_rng(0)), 2**30),
        (lambda: hadamard(2**16), 2**32),
        (lambda: SignCode(np.ones((9000, 1))).gram(), 9000**2),
        (lambda: SignCode(np.ones((300_000, 1), dtype=np.int8)).coherence(), 300_000 * 299_999 // 2),
        (lambda: simplex(10_000).matrix(), 10**8),
        (lambda: GramCode(np.eye(300, dtype=np.int64), 1), 300),
        (lambda: bch(2**25).coherence(), 2**25),
        (lambda: bch(2**54).sign_code(), 2**62),
        (lambda: bch(2**54).rows(range(2**54)), 2**62),
        (lambda: reed_muller(0, 14).rows(repeat(0)), 2**28 + 2**14),
        (lambda: reed_muller(1, 15), 2**15),
        (lambda: expected_violations(2, 10**5), 10**5),
        (lambda: threshold_dimension(10, rho=0.02), hoeffding_dimension(10, rho=0.02) + 1),
        (lambda: bch(2**4000), "4000 index bits"),
    ],
)
def test_work_beyond_the_limit_is_refused_with_its_count(make, count):
    with pytest.raises(BudgetError) as error:
        make()
    assert str(count) in error.value.given
    assert all([error.value.required, error.value.why, error.value.advice])


def test_histograms_beyond_the_limit_are_refused(monkeypatch):
    monkeypatch.setattr("theorytools.codes.signs._COUNT_ENTRIES", 64)
    with pytest.raises(BudgetError, match="65 histogram entries"):
        SignCode(np.ones((13, 4))).hamming_counts()


# -- the package -------------------------------------------------------------------------------------------


def test_names_are_lazy_and_complete():
    for name in theorytools.codes.__all__:
        assert getattr(theorytools.codes, name).__module__.startswith("theorytools.codes.")
    assert dir(theorytools.codes) == sorted(theorytools.codes.__all__)
    with pytest.raises(AttributeError, match="no_such_code"):
        _ = theorytools.codes.no_such_code
    script = "import sys, theorytools.codes; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
