"""One position code of every kind, and what the tests of codes share."""

from fractions import Fraction

import numpy as np

from theorytools.codes.bch import bch
from theorytools.codes.equiangular import EquiangularCode, orthonormal, simplex
from theorytools.codes.families import binary_index, e8_roots, hadamard, rademacher, reed_muller
from theorytools.codes.gram import GramCode

HALF = Fraction(1, 2)


def off_diagonal(K):
    return K[~np.eye(len(K), dtype=bool)]


def codes(N, d_e):
    return rademacher(N, d_e, np.random.default_rng(0))


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
