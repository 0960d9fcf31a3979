"""What position codes refuse: bad arguments, and work beyond the limit with its count."""

from fractions import Fraction
from itertools import repeat

import numpy as np
import pytest
from code_examples import HALF

from theorytools import BCHCode, BudgetError, DomainError, LinearCode, SignCode, bch
from theorytools.codes.dimensions import expected_violations, hoeffding_dimension, threshold_dimension
from theorytools.codes.equiangular import EquiangularCode, orthonormal, simplex
from theorytools.codes.families import binary_index, hadamard, rademacher, reed_muller
from theorytools.codes.gram import GramCode


@pytest.mark.parametrize(
    "make",
    [lambda: SignCode([[1, 1]]), lambda: SignCode(np.ones((3, 0))), lambda: SignCode([1, -1]),
     lambda: SignCode([[1, 0], [1, 1]]), lambda: SignCode([[True, True], [True, True]]),
     lambda: rademacher(1, 5, np.random.default_rng(0)), lambda: rademacher(5, 0, np.random.default_rng(0)),
     lambda: rademacher(5, 5, 0), lambda: binary_index(1), lambda: simplex(1), lambda: orthonormal(0),
     lambda: EquiangularCode(3, Fraction(-51, 100)), lambda: EquiangularCode(3, Fraction(101, 100)),
     lambda: EquiangularCode(3, Fraction(1, 2**64)), lambda: GramCode([[1, 1], [0, 1]], 1),
     lambda: GramCode([[1, 0], [0, 2]], 1), lambda: GramCode([[1.0, 0.0], [0.0, 1.0]], 1),
     lambda: GramCode(np.array([[1, HALF], [HALF, 1]], dtype=object), 1),
     lambda: GramCode([[2, 2, 0], [2, 2, 2], [0, 2, 2]], 2),
     lambda: LinearCode([[1, 0, 1], [1, 0, 1]]), lambda: LinearCode([[0, 2]]), lambda: LinearCode([1, 0]),
     lambda: reed_muller(3, 2), lambda: bch(1), lambda: bch(8, coherence=Fraction(1)),
     lambda: bch(8, coherence=Fraction(-1, 2)), lambda: BCHCode(2**24, 6, 15), lambda: BCHCode(8, 6, 14),
     lambda: BCHCode(8, 6, 33), lambda: BCHCode(8, 13, 3), lambda: bch(100).rows([100]), lambda: bch(100).rows([-1]),
     lambda: expected_violations(1, 5), lambda: expected_violations(5, 0),
     lambda: expected_violations(5, 5, rho=Fraction(1)), lambda: hoeffding_dimension(5, Fraction(0))],
)  # fmt: skip
def test_bad_arguments_are_refused_with_four_parts(make):
    with pytest.raises(DomainError) as error:
        make()
    assert all([error.value.given, error.value.required, error.value.why, error.value.advice])


@pytest.mark.parametrize(
    ("make", "count"),
    [(lambda: rademacher(2**20, 2**10, np.random.default_rng(0)), 2**30), (lambda: hadamard(2**16), 2**32),
     (lambda: SignCode(np.ones((9000, 1))).gram(), 9000**2),
     (lambda: SignCode(np.ones((300_000, 1), dtype=np.int8)).coherence(), 300_000 * 299_999 // 2),
     (lambda: simplex(10_000).matrix(), 10**8), (lambda: GramCode(np.eye(300, dtype=np.int64), 1), 300),
     (lambda: bch(2**25).coherence(), 2**25), (lambda: bch(2**54).sign_code(), "about 10^18 sign entries"),
     (lambda: bch(2**54).rows(range(2**54)), "about 10^18 sign entries"),
     (lambda: reed_muller(0, 14).rows(repeat(0)), 2**28 + 2**14),
     (lambda: reed_muller(1, 15), 2**15), (lambda: expected_violations(2, 10**5), 10**5),
     (lambda: threshold_dimension(10, rho=0.02), hoeffding_dimension(10, rho=0.02) + 1),
     (lambda: bch(2**4000), "4000 index bits")],
)  # fmt: skip
def test_work_beyond_the_limit_is_refused_with_its_count(make, count):
    with pytest.raises(BudgetError) as error:
        make()
    assert str(count) in error.value.given
    assert all([error.value.required, error.value.why, error.value.advice])


def test_histograms_beyond_the_limit_are_refused(monkeypatch):
    monkeypatch.setattr("theorytools.codes.signs._COUNT_ENTRIES", 64)
    with pytest.raises(BudgetError, match="65 histogram entries"):
        SignCode(np.ones((13, 4))).hamming_counts()
