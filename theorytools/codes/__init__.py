r"""Position codes: unit vectors :math:`\omega_1,\dots,\omega_N` whose inner products are known exactly.

Every code answers the protocol :class:`Code`.  Sign codes (:class:`SignCode`, :class:`LinearCode`,
:class:`BCHCode`) have entries :math:`\pm d_e^{-1/2}`; :class:`EquiangularCode` and :class:`GramCode` are
given by a rational Gram matrix.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from theorytools.codes.bch_code import BCHCode, bch
    from theorytools.codes.dimensions import (
        expected_violations,
        hoeffding_dimension,
        smallest_dimension,
        threshold_dimension,
    )
    from theorytools.codes.equiangular import EquiangularCode, orthonormal, simplex
    from theorytools.codes.families import binary_index, e8_roots, hadamard, rademacher, reed_muller
    from theorytools.codes.gram import GramCode
    from theorytools.codes.linear import LinearCode
    from theorytools.codes.protocol import Code
    from theorytools.codes.signs import SignCode

__all__ = [
    "BCHCode",
    "Code",
    "EquiangularCode",
    "GramCode",
    "LinearCode",
    "SignCode",
    "bch",
    "binary_index",
    "e8_roots",
    "expected_violations",
    "hadamard",
    "hoeffding_dimension",
    "orthonormal",
    "rademacher",
    "reed_muller",
    "simplex",
    "smallest_dimension",
    "threshold_dimension",
]

_HOMES = {
    "bch_code": ("BCHCode", "bch"),
    "dimensions": (
        "expected_violations",
        "hoeffding_dimension",
        "smallest_dimension",
        "threshold_dimension",
    ),
    "equiangular": ("EquiangularCode", "orthonormal", "simplex"),
    "families": ("binary_index", "e8_roots", "hadamard", "rademacher", "reed_muller"),
    "gram": ("GramCode",),
    "linear": ("LinearCode",),
    "protocol": ("Code",),
    "signs": ("SignCode",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
