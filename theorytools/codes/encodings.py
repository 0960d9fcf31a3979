r"""Positional encodings of sparse token selection, held as integers: every inner product is a rational number.

.. math:: e_i=\sqrt c\,v_i\in\mathbb R^{d_e},\qquad v_i\in\mathbb Z^{d_e},\quad c\in\mathbb Q_{>0},\qquad
          \langle e_i,e_j\rangle=c\,\langle v_i,v_j\rangle .

Families: ``gauss``, :math:`N(0,I/d_e)` (the doubles drawn are rational numbers, and are kept as such); ``rad``,
entries :math:`\pm d_e^{-1/2}`; ``orth``, the standard basis; ``moment``, the curve :math:`(t,t^2,\dots,t^{d_e})` at
:math:`t=1,\dots,T`.  Unlike a :class:`~theorytools.codes.protocol.Code` they need not have one length.

References
----------
Wang, Wei, Hsu, Lee (2024), stochastic and fixed positional encodings, arXiv 2406.06893v1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, STEPS, NonNegativeInt, Numbers, PositiveInt, at_most, checked, ranks
from theorytools.arguments.objects import reads_arrays
from theorytools.arguments.values import checked_integer
from theorytools.errors import DomainError
from theorytools.numbers import over_one

FAMILIES = ("gauss", "rad", "orth", "moment")
_WHY = "token i carries the encoding e_i in R^(d_e)"


@checked
@dataclass(frozen=True, eq=False)
class Encodings:
    r"""Encodings :math:`e_i=\sqrt c\,v_i` of ``T`` positions with integer vectors :math:`v_i`.

    Parameters
    ----------
    vectors : the integers :math:`v_i` as rows, shape ``(T, d_e)``; Python integers of any size.
    squared_scale : the rational :math:`c>0`.
    powers : for a moment curve the exponents of its coordinates, so that a polynomial is a query; else None.

    Raises
    ------
    DomainError
        For a wrong shape, an entry that is no integer, or a scale that is not positive.

    Examples
    --------
    >>> E = moment_curve(4, 2)
    >>> E.vectors.tolist(), E.gram()[1, 2]
    ([[1, 1], [2, 4], [3, 9], [4, 16]], Fraction(42, 1))
    """

    vectors: NDArray[np.object_]
    squared_scale: Fraction = Fraction(1)
    powers: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        rows = np.array(self.vectors, dtype=object)
        if rows.ndim != 2 or rows.shape[0] < 2 or rows.shape[1] < 1:
            raise DomainError(
                f"encodings of shape {rows.shape}", required="(T, d_e) with T >= 2 and d_e >= 1", why=_WHY
            )
        if wrong := [x for x in rows.flat if not isinstance(x, int | np.integer) or isinstance(x, bool)]:
            raise DomainError(f"an entry {wrong[0]!r}", required="integers", why=_WHY, advice="exact_encodings(rows)")
        if not Fraction(self.squared_scale) > 0:
            raise DomainError(f"squared_scale = {self.squared_scale}", required="a positive rational")
        rows = np.vectorize(int, otypes=[object])(rows)
        rows.flags.writeable = False
        object.__setattr__(self, "vectors", rows)
        object.__setattr__(self, "squared_scale", Fraction(self.squared_scale))

    @property
    def T(self) -> int:
        """Number of positions."""
        return int(self.vectors.shape[0])

    @property
    def d_e(self) -> int:
        """Number of coordinates."""
        return int(self.vectors.shape[1])

    @cached_property
    def products(self) -> NDArray[np.object_]:
        r"""The integers :math:`\langle v_i,v_j\rangle`, shape ``(T, T)``."""
        return self.vectors @ self.vectors.T

    def gram(self) -> NDArray[np.object_]:
        r"""Return :math:`\langle e_i,e_j\rangle` as Fractions, shape ``(T, T)``."""
        return self.products * self.squared_scale

    def matrix(self) -> NDArray[np.float64]:
        """Return the encodings as rows in doubles, shape ``(T, d_e)``."""
        return self.vectors.astype(np.float64) * math.sqrt(self.squared_scale)

    def dropped(self, coordinate: int) -> Encodings:
        """Return the encodings without one coordinate (counted from 0).

        Parameters
        ----------
        coordinate : from 0 to ``d_e - 1``.

        Returns
        -------
        Encodings : of dimension ``d_e - 1``.
        """
        kept = [k for k in range(self.d_e) if k != coordinate]
        powers = None if self.powers is None else tuple(self.powers[k] for k in kept)
        return replace(self, vectors=self.vectors[:, kept], powers=powers)

    def duplicated(self, i: int, j: int) -> Encodings:
        """Return the encodings with that of position ``i`` copied to position ``j``.

        Parameters
        ----------
        i, j : positions, from 0 to ``T - 1``.

        Returns
        -------
        Encodings : no longer a moment curve.

        Raises
        ------
        DomainError : a position that does not exist.
        """
        for name, place in (("i", i), ("j", j)):
            if not 0 <= place < self.T:
                given, required = f"{name} = {place}", f"an integer from 0 to {self.T - 1}"
                raise DomainError(given, required=required, why=_WHY, advice="number the positions from 0")
        rows = self.vectors.copy()
        rows[j] = rows[i]
        return replace(self, vectors=rows, powers=None)

    def __repr__(self) -> str:
        return f"Encodings(T={self.T}, d_e={self.d_e})"


@checked
@ranks(rows=2)
def exact_encodings(rows: Numbers, squared_scale: Fraction = Fraction(1)) -> Encodings:
    r"""Return encodings :math:`\sqrt c` times the given rows of integers, Fractions or doubles (binary values)."""
    whole, common = over_one([[Fraction(x) for x in row] for row in rows])
    return Encodings(whole.tolist(), Fraction(squared_scale) / common**2)


@checked
@at_most(T=ENTRIES, d_e=ENTRIES)
def gaussian_encodings(T: NonNegativeInt, d_e: NonNegativeInt, rng: np.random.Generator) -> Encodings:
    r"""Draw :math:`e_i\sim N(0,I/d_e)`, independent: the rational numbers that the drawn doubles are."""
    _checked(T, d_e)
    return exact_encodings(rng.standard_normal((T, d_e)), Fraction(1, d_e))


@checked
@at_most(T=ENTRIES, d_e=ENTRIES)
def sign_encodings(T: NonNegativeInt, d_e: NonNegativeInt, rng: np.random.Generator) -> Encodings:
    r"""Draw :math:`e_i\in\{\pm d_e^{-1/2}\}^{d_e}` uniformly, independent; equal rows and singular sets do occur."""
    _checked(T, d_e)
    return Encodings((2 * rng.integers(0, 2, (T, d_e)) - 1).astype(object), Fraction(1, d_e))


@checked
@at_most(d_e=ENTRIES)
def orthonormal_encodings(T: int, d_e: NonNegativeInt | None = None) -> Encodings:
    """Return the first ``T`` standard basis vectors of dimension ``d_e >= T`` (``d_e = T`` unless given)."""
    d_e = T if d_e is None else d_e
    _checked(T, d_e)
    if d_e < T:
        raise DomainError(f"T = {T} orthonormal encodings in dimension d_e = {d_e}", required="d_e >= T")
    return Encodings(np.eye(T, d_e, dtype=int))


@checked
@at_most(T=STEPS, d_e=STEPS)
def moment_curve(T: NonNegativeInt, d_e: NonNegativeInt) -> Encodings:
    r"""Return :math:`e_t=(t,t^2,\dots,t^{d_e})` for :math:`t=1,\dots,T`, in integers."""
    _checked(T, d_e)
    table = np.array([[t**k for k in range(1, d_e + 1)] for t in range(1, T + 1)], dtype=object)
    return Encodings(table, powers=tuple(range(1, d_e + 1)))


@checked
@at_most(d_e=ENTRIES)
def named_encodings(name: str, T: int, d_e: NonNegativeInt, rng: np.random.Generator) -> Encodings:
    """Return one draw of the family ``name`` (``gauss``, ``rad``, ``orth``, ``moment``).

    Parameters
    ----------
    name : one of the four families.
    T : number of encodings.
    d_e : their dimension.
    rng : generator of the random families.

    Returns
    -------
    Encodings : ``T`` vectors of dimension ``d_e``.

    Raises
    ------
    DomainError : another family, or more orthonormal vectors than dimensions.

    Examples
    --------
    >>> named_encodings("moment", 3, 2, np.random.default_rng(0)).vectors.tolist()
    [[1, 1], [2, 4], [3, 9]]
    """
    if name not in FAMILIES:
        raise DomainError(f"the family {name!r}", required=f"one of {', '.join(FAMILIES)}")
    if name in ("gauss", "rad"):
        return (gaussian_encodings if name == "gauss" else sign_encodings)(T, d_e, rng)
    return orthonormal_encodings(T, d_e) if name == "orth" else moment_curve(T, d_e)


@checked
@at_most(size=ENTRIES, T=ENTRIES, d_e=ENTRIES)
def stochastic_encodings(
    name: str, rng: np.random.Generator, size: PositiveInt, T: NonNegativeInt, d_e: NonNegativeInt
) -> NDArray[np.float64]:
    r"""Draw encodings anew for each of ``size`` prompts: doubles of shape ``(size, T, d_e)``, ``gauss`` or ``rad``."""
    _checked(T, d_e)
    if name not in ("gauss", "rad"):
        raise DomainError(f"stochastic encodings {name!r}", required="gauss or rad", why="the others are not random")
    shape = (size, T, d_e)
    raw = rng.standard_normal(shape) if name == "gauss" else 2.0 * rng.integers(0, 2, shape) - 1
    return np.asarray(raw / math.sqrt(d_e), dtype=np.float64)


def _checked(T: int, d_e: int) -> None:
    checked_integer("T", T, least=2, why=_WHY)
    checked_integer("d_e", d_e, least=1, why=_WHY)


@reads_arrays(Encodings, "an array of integers, or a code of signs")
def _of_array(given: Any) -> Encodings | None:
    """The encodings of a matrix of integers, or of a code of signs; None for anything else."""
    signs = getattr(given, "signs", None)
    if isinstance(signs, np.ndarray):
        return Encodings(signs, Fraction(1, signs.shape[1]))
    if not isinstance(given, np.ndarray | list | tuple):
        return None
    rows = np.asarray(given, dtype=object)
    whole = rows.ndim == 2 and rows.shape[0] >= 2 and all(type(x) is int for x in rows.flat)
    return Encodings(rows) if whole else None
