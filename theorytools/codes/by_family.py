"""Codes by the name of their family, for grids with a word axis."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from theorytools.arguments.checked import checked
from theorytools.codes.bch import bch
from theorytools.codes.equiangular import orthonormal, simplex
from theorytools.codes.families import binary_index, hadamard, rademacher
from theorytools.codes.protocol import Code
from theorytools.errors import DomainError

_FIXED: dict[str, Callable[[int], Code]] = {
    "orthonormal": orthonormal,
    "simplex": simplex,
    "hadamard": hadamard,
    "binary": binary_index,
    "bch": bch,
}


FAMILIES = ("rademacher", *_FIXED)


@checked
def code_of_family(name: str, N: int, d_e: int, rng: np.random.Generator | None = None) -> Code:
    """Return ``N`` codes of dimension ``d_e`` of the named family.

    Parameters
    ----------
    name : ``rademacher`` (drawn from ``rng``), ``orthonormal``, ``simplex``, ``hadamard``, ``binary`` or ``bch``.
    N, d_e : number and dimension; every family but ``rademacher`` fixes its dimension by ``N``.

    Raises
    ------
    DomainError
        For an unknown family, or a dimension that the family does not have at this ``N``.
    """
    if name == "rademacher":
        if rng is None:
            raise DomainError("random codes without a generator", required="rng=np.random.default_rng(seed)")
        return rademacher(N, d_e, rng)
    if name not in _FIXED:
        raise DomainError(f"the family {name!r}", required=f"one of {', '.join(FAMILIES)}")
    if name == "hadamard" and N >= 2:  # said before a matrix of this order is made
        _fixed_by(name, N, d_e, 1 << (N - 1).bit_length())
    code: Code = _FIXED[name](N)
    _fixed_by(name, N, d_e, code.d_e)
    return code


def _fixed_by(name: str, N: int, d_e: int, fixed: int) -> None:
    if d_e != fixed:
        raise DomainError(
            f"{name} codes with N = {N}, d_e = {d_e}",
            required=f"d_e = {fixed} at N = {N}",
            why="the number of codes fixes the dimension of this family",
        )
