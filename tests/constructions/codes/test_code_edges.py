"""Position codes and encodings at the edges of their arguments, words for each refusal, and defaults."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import BCHCode, BudgetError, DomainError, LinearCode, SignCode, bch
from theorytools.codes import equiangular as gram_codes
from theorytools.codes.by_family import code_of_family
from theorytools.codes.dimensions import (
    expected_violations,
    hoeffding_dimension,
    smallest_dimension,
    threshold_dimension,
)
from theorytools.codes.encodings import (
    Encodings,
    exact_encodings,
    gaussian_encodings,
    moment_curve,
    named_encodings,
    orthonormal_encodings,
    sign_encodings,
    stochastic_encodings,
)
from theorytools.codes.equiangular import EquiangularCode, orthonormal, simplex
from theorytools.codes.families import binary_index, hadamard, rademacher, reed_muller
from theorytools.codes.gram import GramCode
from theorytools.codes.lookup import circle_points, jl_length, jl_signs, lookup_codes, quadratic_pairs
from theorytools.codes.mixture import mixture
from theorytools.codes.subcode import subcode

F = Fraction
RNG = np.random.default_rng


# -- Gram matrices -----------------------------------------------------------------------------------------------------
def test_what_is_no_gram_matrix_is_told_by_its_fault():
    refuses(
        DomainError, *((lambda K=K: GramCode(K, 1), "an array of shape") for K in (
            [1, 1], [[1, 0, 0], [0, 1, 0]], [[1, 0], [0, 1], [0, 0]], [[1]], [[[1, 0], [0, 1]]],
            np.zeros((0, 0), int))),
        (lambda: GramCode([[1.0, 0.0], [0.0, 1.0]], 1), "entries of type float64"),
        (lambda: GramCode(np.array([[2**63, 0], [0, 2**63]], dtype=object), 2**63), "entries of type"),
        *((lambda K=K: GramCode(K, 2), "another diagonal") for K in (
            [[2, 0], [0, 1]], [[1, 0], [0, 2]], [[2, 1], [0, 2]], [[2, 3], [3, 2]], [[2, -3], [-3, 2]])),
        (lambda: GramCode([[2, -1, -1], [-1, 2, -2], [-1, -2, 2]], 2), "an indefinite matrix"),
        (lambda: GramCode([[2, 2, 0], [2, 2, 1], [0, 1, 2]], 2), "an indefinite matrix"),  # a zero pivot
        (lambda: GramCode([[1, 0], [0, 1]], 0), "gram_denominator"),
        (lambda: GramCode.from_fractions([[1, F(3, 2)], [F(3, 2), 1]]), "entry"),
    )  # fmt: skip
    assert GramCode([[1, 1], [1, 1]], 1).d_e == 1
    assert GramCode([[2, -2], [-2, 2]], 2).coherence() == -1
    large = 2**63 - 1
    assert GramCode(np.array([[large, 0], [0, large]], dtype=object), large).d_e == 2
    halves = GramCode.from_fractions([[1, F(-1, 2)], [F(-1, 2), 1]])
    assert (halves.gram_denominator, halves.numerators.tolist()) == (2, [[2, -1], [-1, 2]])
    assert halves == GramCode([[2, -1], [-1, 2]], 2) != GramCode([[4, -2], [-2, 4]], 4)
    assert hash(halves) == hash(GramCode([[2, -1], [-1, 2]], 2))
    with pytest.raises(ValueError, match="read-only"):
        halves.gram_numerators()[0, 0] = 1


@examples(30, st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=2, max_size=5))
def test_products_of_vectors_have_their_rank_and_no_others_are_taken(rows):
    V = np.array(rows)
    K = V @ V.T
    s = int(K.diagonal().max())
    if s == 0:
        return
    # a further coordinate of its own brings each vector to one length
    lifted = K + np.diag(s - K.diagonal())
    code = GramCode(lifted, s)
    assert code.d_e == np.linalg.matrix_rank(lifted.astype(float), tol=1e-9)
    assert np.abs(code.matrix() @ code.matrix().T - lifted / s).max() <= 1e-12
    others = [F(int(lifted[i, j]), s) for i, j in combinations(range(len(V)), 2)]
    assert code.coherence() == max(others)
    assert code.absolute_coherence() == max(map(abs, others))
    part = subcode(code, [1, 0, 1])
    assert part.coherence() == 1
    assert (part.gram_numerators() == lifted[np.ix_([1, 0, 1], [1, 0, 1])]).all()
    assert np.abs(part.matrix() - code.matrix()[[1, 0, 1]]).max() == 0
    assert part.d_e == code.d_e
    for bad in ([0], [], [0, len(V)], [-1, 0], [0.0, 1.0], [[0, 1]]):
        refuses(DomainError, lambda bad=bad: subcode(code, bad))


def test_mixtures_are_convex_and_of_codes_of_one_size():
    one, two = simplex(4), hadamard(4)
    for share in (F(0), F(1, 3), F(1)):
        mixed = mixture(one, two, share)
        wanted = (1 - share) * F(-1, 3)
        assert mixed.coherence() == wanted
        assert math.gcd(*mixed.numerators.ravel().tolist()) == 1
    refuses(DomainError, (lambda: mixture(one, simplex(5), F(1, 2)), "codes of 4 and 5 vectors"),
            (lambda: mixture(one, two, F(-1, 9)), "share"), (lambda: mixture(one, two, F(10, 9)), "share"))  # fmt: skip
    signs = subcode(hadamard(4), [2, 3])
    assert isinstance(signs, SignCode)
    assert (signs.signs == hadamard(4).signs[2:]).all()


@pytest.mark.parametrize("N", [2, 3, 7])
def test_equiangular_codes_up_to_both_ends(N):
    low = F(-1, N - 1)
    for rho in (low, F(0), F(2, 5), F(1)):
        code = EquiangularCode(N, rho)
        M = code.matrix()
        assert np.abs(M @ M.T - ((1 - float(rho)) * np.eye(N) + float(rho))).max() <= 1e-14
        assert np.abs(M - M.T).max() == 0
        assert code.absolute_coherence() == abs(rho)
    assert simplex(N) == EquiangularCode(N, low)
    assert orthonormal(N) == EquiangularCode(N, F(0))
    refuses(DomainError, lambda: EquiangularCode(N, low - F(1, 10**9)), lambda: EquiangularCode(N, 1 + F(1, 10**9)),
            lambda: EquiangularCode(1, F(0)), lambda: simplex(1), lambda: orthonormal(1))  # fmt: skip
    assert EquiangularCode(2, F(1, 2**63 - 1)).gram_denominator == 2**63 - 1
    refuses(DomainError, (lambda: EquiangularCode(2, F(1, 2**63)), "denominator below"))
    refuses(BudgetError, lambda: EquiangularCode(2**13 + 1, F(0)).gram_numerators(),
            lambda: EquiangularCode(2**13 + 1, F(0)).matrix())  # fmt: skip
    assert gram_codes._GRAM_ENTRIES == (2**13) ** 2


# -- signs and linear codes --------------------------------------------------------------------------------------------
def test_signs_are_told_by_their_fault_and_violations_have_defaults():
    refuses(
        DomainError, *((lambda s=s: SignCode(s), "an array of shape") for s in ([[1, 1]], [1, 1], np.ones((2, 0)))),
        (lambda: SignCode([[True, True], [True, True]]), "entries of type bool"),
        (lambda: SignCode([[1, 1], [1, 0]]), r"entry \[1, 1\] = 0"),
        (lambda: SignCode([[1, 1], [-2, 1]]), r"entry \[1, 0\] = -2"),
    )  # fmt: skip
    code = SignCode([[1, 1, 1, 1], [1, 1, 1, -1], [-1, -1, -1, 1], [1, 1, -1, -1]])
    K = code.gram()
    pairs = [F(int(K[i, j]), 4) for i, j in combinations(range(4), 2)]
    assert code.violations() == code.violations(rho=F(1, 2), one_sided=False)
    for rho in (F(-1), F(-1, 2), F(0), F(1, 2), F(3, 4), F(1)):
        assert code.violations(rho=rho) == sum(abs(p) > rho for p in pairs)
        assert code.violations(rho=rho, one_sided=True) == sum(p > rho for p in pairs)
    refuses(DomainError, lambda: code.violations(rho=F(9, 8)), lambda: code.violations(rho=F(-9, 8)))
    assert code.minimum_distance() == 1
    counts = code.hamming_counts()
    for t in range(4):
        assert counts[t].tolist() == [sum(K[t, j] == 4 - 2 * k for j in range(4) if j != t) for k in range(5)]
    assert (code.hamming_counts(np.array([2, 0])) == counts[[2, 0]]).all()
    assert code == SignCode(code.signs) != SignCode(-code.signs)
    copied, shared = np.array(code, copy=True), np.asarray(code)
    copied[0, 0] = 5
    assert code.signs[0, 0] == shared[0, 0] == 1
    assert np.asarray(code, dtype=float).dtype == float


@examples(20, st.integers(1, 4), st.integers(1, 6), st.integers(0, 999))
def test_linear_codes_by_all_their_words(k, extra, seed):
    generator = np.concatenate([np.eye(k, dtype=int), RNG(seed).integers(0, 2, (k, extra))], axis=1)
    code = LinearCode(generator)
    bits = np.array([[i >> j & 1 for j in range(k)] for i in range(2**k)])
    words = bits @ generator % 2
    assert (code.rows(range(2**k)) == 1 - 2 * words).all()
    assert (code.N, code.dimension, code.d_e) == (2**k, k, k + extra)
    weights = words.sum(axis=1)
    assert code.weight_enumerator().tolist() == [int((weights == w).sum()) for w in range(k + extra + 1)]
    assert code.minimum_distance() == weights[1:].min()
    assert code.coherence() == 1 - F(2 * int(weights[1:].min()), k + extra)
    assert code.absolute_coherence() == max(abs(1 - F(2 * int(w), k + extra)) for w in weights[1:])
    assert code.sign_code().coherence() == code.coherence()
    assert (code.hamming_counts()[0] == code.sign_code().hamming_counts()[0]).all()
    for index in (-1, 2**k):
        refuses(DomainError, (lambda index=index: code.rows([index]), f"index {index!r}"))
    assert code == LinearCode(generator)
    refuses(
        DomainError, (lambda: LinearCode(np.zeros((1, 3), int)), "1 rows of rank 0"),
        (lambda: LinearCode([*generator.tolist(), generator.tolist()[0]]), "rows of rank"),
        (lambda: LinearCode(generator + 1), "an entry other than 0 and 1"), (lambda: LinearCode([1, 0]), "of shape"),
        (lambda: LinearCode(generator * 1.0), "type float64"), (lambda: LinearCode(np.zeros((0, 3), int)), "of shape"),
    )  # fmt: skip


@pytest.mark.parametrize("N", [2, 3, 16, 17, 100])
def test_bch_codes_keep_their_coherence_whatever_was_asked(N):
    assert bch(N) == bch(N, coherence=F(1, 2), one_sided=False)
    for coherence in (F(1, 4), F(1, 2), F(3, 4)):
        for one_sided in (False, True):
            code = bch(N, coherence=coherence, one_sided=one_sided)
            bound = code.coherence_bound() if one_sided else code.absolute_coherence_bound()
            assert bound <= coherence
            assert code.coherence() <= code.coherence_bound()
            assert code.absolute_coherence() <= code.absolute_coherence_bound()
            table = code.sign_code()
            assert table.coherence() == code.coherence()
            assert table.absolute_coherence() == code.absolute_coherence()
            assert table.minimum_distance() >= code.distance
            assert table.N == N
    assert bch(N, coherence=F(1, 4)).d_e >= bch(N, coherence=F(3, 4)).d_e
    refuses(DomainError, lambda: bch(1), lambda: bch(N, coherence=F(-1, 9)), lambda: bch(N, coherence=F(1)))
    assert bch(N, coherence=F(0), one_sided=True).coherence() <= 0


def test_families_at_their_smallest_sizes():
    assert reed_muller(0, 1).rows([0, 1]).tolist() == [[1, 1], [-1, -1]]
    for r, m in ((0, 3), (1, 3), (2, 3), (3, 3)):
        code = reed_muller(r, m)
        assert (code.d_e, code.dimension) == (2**m, sum(math.comb(m, i) for i in range(r + 1)))
        assert code.minimum_distance() == 2 ** (m - r)
    assert sorted(map(tuple, binary_index(4).signs.tolist())) == sorted(product((-1, 1), repeat=2))
    assert [binary_index(N).d_e for N in (2, 3, 4, 5, 8, 9)] == [1, 2, 2, 3, 3, 4]
    for N in (2, 3, 4, 5):
        code = hadamard(N)
        assert code.N == N
        assert code.coherence() == 0
        assert code.d_e == 1 << (N - 1).bit_length()
    assert code_of_family("hadamard", 5, 8) == hadamard(5)
    assert code_of_family("rademacher", 4, 6, RNG(1)) == rademacher(4, 6, RNG(1))
    refuses(DomainError, lambda: reed_muller(-1, 2), lambda: reed_muller(3, 2), lambda: binary_index(1),
            lambda: hadamard(1), lambda: rademacher(2, 0, RNG(0)), lambda: BCHCode(8, 6, 14))  # fmt: skip


# -- dimensions --------------------------------------------------------------------------------------------------------
@examples(12, st.integers(2, 40), st.sampled_from([F(1, 4), F(1, 2), F(2, 3)]), st.booleans())
def test_dimensions_have_their_defaults_and_their_order(N, rho, one_sided):
    for find in (hoeffding_dimension, smallest_dimension, threshold_dimension):
        assert find(N) == find(N, F(1, 100), rho=F(1, 2), one_sided=False)
        assert find(N, rho=rho, one_sided=True) <= find(N, rho=rho)
        refuses(DomainError, *(lambda find=find, a=a, k=k: find(*a, **k) for a, k in (
            ((1,), {}), ((N, F(0)), {}), ((N, F(1)), {}), ((N,), {"rho": F(0)}), ((N,), {"rho": F(1)}))))  # fmt: skip
    options = {"rho": rho, "one_sided": one_sided}
    least = smallest_dimension(N, F(1, 50), **options)
    means = [None, *(expected_violations(N, d, **options) for d in range(1, least + 2))]
    assert means[least] <= F(1, 50)
    assert means[least + 1] <= F(1, 50)
    assert all(means[d] > F(1, 50) or means[d + 1] > F(1, 50) for d in range(1, least))
    factor = 2 if one_sided else 1
    wanted = float(2 / rho**2) * math.log(N * N * 50 / factor)
    assert hoeffding_dimension(N, F(1, 50), **options) == math.ceil(wanted) or abs(wanted - round(wanted)) < 1e-9
    assert expected_violations(N, 7) == expected_violations(N, 7, rho=F(1, 2), one_sided=False)
    assert 2 * expected_violations(N, 9, rho=rho, one_sided=True) == expected_violations(N, 9, rho=rho)
    by_hand = sum(math.comb(9, b) for b in range(10) if abs(9 - 2 * b) > rho * 9)
    assert expected_violations(N, 9, rho=rho) == math.comb(N, 2) * F(by_hand, 2**9)
    refuses(DomainError, lambda: expected_violations(1, 5), lambda: expected_violations(2, 0),
            lambda: expected_violations(2, 5, rho=F(1)), lambda: expected_violations(2, 5, rho=F(-1, 9)))  # fmt: skip


# -- codes for lookup --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("N", [2, 5, 16])
def test_lookup_codes_keep_the_margins_of_their_table(N):
    for name, margin in (("binary", lambda k, d: 2), ("jl", lambda k, d: k / 2), ("quadratic", lambda k, d: d * d),
                         ("circle", lambda k, d: 1 - math.cos(2 * math.pi * d / N))):  # fmt: skip
        keys, queries = lookup_codes(name, N, rng=RNG(0) if name == "jl" else None)
        assert keys.shape == queries.shape
        scores = queries @ keys.T
        for p, i in product(range(N), repeat=2):
            if p != i:
                assert scores[p, p] - scores[p, i] >= margin(keys.shape[1], abs(p - i)) - 1e-12
                if name in ("quadratic", "circle"):
                    assert scores[p, p] - scores[p, i] == pytest.approx(margin(2, abs(p - i)), abs=1e-12)
    assert jl_length(N) == math.ceil(16 * math.log(N))
    assert jl_signs(N, RNG(1)).shape == (N, jl_length(N))
    assert jl_signs(N, RNG(1), length=jl_length(N)).tolist() == jl_signs(N, RNG(1)).tolist()
    refuses(BudgetError, (lambda: jl_signs(16, RNG(0), length=1), "64 draws"))
    refuses(
        DomainError, (lambda: lookup_codes("gold", N), "the code 'gold'"), (lambda: lookup_codes("jl", N), "rng"),
        (lambda: lookup_codes("binary", N, length=3), "a length for jl only"), lambda: lookup_codes("binary", 1),
        lambda: jl_signs(N, RNG(0), length=0),
    )  # fmt: skip
    assert circle_points(4).tolist() == [[1, 0], [0, 1], [-1, 0], [0, -1]]
    refuses(BudgetError, (lambda: quadratic_pairs(2**26 + 1), "N <= 67108864"))


# -- encodings ---------------------------------------------------------------------------------------------------------
def test_encodings_at_the_edges_and_their_parts():
    E = moment_curve(3, 3)
    assert E.powers == (1, 2, 3)
    assert E.dropped(1).powers == (1, 3)
    assert E.dropped(1).vectors.tolist() == [[1, 1], [2, 8], [3, 27]]
    copied = E.duplicated(0, 2)
    assert (copied.vectors.tolist(), copied.powers) == ([[1, 1, 1], [2, 4, 8], [1, 1, 1]], None)
    assert E.vectors.tolist()[2] == [3, 9, 27]
    scaled = exact_encodings([[F(1, 2), 1], [0.25, F(-1, 3)]], F(9, 4))
    assert scaled.gram().tolist() == [[F(45, 16), F(9, 4) * F(-5, 24)], [F(9, 4) * F(-5, 24), F(9, 4) * F(25, 144)]]
    assert np.abs(scaled.matrix() - 1.5 * np.array([[0.5, 1], [0.25, -1 / 3]])).max() <= 1e-15
    assert exact_encodings([[1, 2], [3, 4]]).squared_scale == 1
    assert Encodings([[1, 2], [3, 4]]).squared_scale == 1
    for i, j in ((-1, 0), (0, 3), (3, 0), (0, -1)):
        refuses(DomainError, (lambda i=i, j=j: E.duplicated(i, j), "an integer from 0 to 2"))
    refuses(
        DomainError, (lambda: Encodings([[1, 2]]), "of shape"), (lambda: Encodings(np.zeros((2, 0), int)), "of shape"),
        (lambda: Encodings([1, 2]), "of shape|rank|array"), (lambda: Encodings([[F(1, 2), 1], [1, 1]]), "integers"),
        (lambda: Encodings([[1, 2], [3, 4]], F(0)), "squared_scale"),
        (lambda: Encodings([[1, 2], [3, 4]], F(-1)), "squared_scale"), (lambda: moment_curve(1, 2), "T"),
        (lambda: moment_curve(2, 0), "d_e"), (lambda: named_encodings("fourier", 3, 3, RNG(0)), "the family 'fourier'"),
        (lambda: orthonormal_encodings(3, 2), "d_e >= T"), (lambda: gaussian_encodings(1, 2, RNG(0)), "T"),
        (lambda: stochastic_encodings("gauss", RNG(0), 1, 3, 0), "d_e"),
    )  # fmt: skip
    for E in (orthonormal_encodings(3), orthonormal_encodings(3, 3)):
        assert E.vectors.tolist() == np.eye(3).tolist()
    assert orthonormal_encodings(2, 3).vectors.tolist() == [[1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("name", ["gauss", "rad", "orth", "moment"])
def test_named_encodings_are_those_of_their_own_functions(name):
    T, d_e = 4, 5
    own = {"gauss": lambda: gaussian_encodings(T, d_e, RNG(3)), "rad": lambda: sign_encodings(T, d_e, RNG(3)),
           "orth": lambda: orthonormal_encodings(T, d_e), "moment": lambda: moment_curve(T, d_e)}[name]()  # fmt: skip
    E = named_encodings(name, T, d_e, RNG(3))
    assert (E.vectors == own.vectors).all()
    assert E.squared_scale == own.squared_scale
    if name in ("gauss", "rad"):
        drawn = stochastic_encodings(name, RNG(3), 1, T, d_e)
        assert drawn.shape == (1, T, d_e)
        assert np.abs(drawn[0] - E.matrix()).max() <= 1e-14
    if name == "rad":
        assert {E.gram()[i, i] for i in range(T)} == {1}
