r"""The span of training inputs of any size, with certified distances to it and the Bayes losses that it leaves.

Floats count as the binary fractions that they are, so every matrix here is rational.  The rank is certified from
below by elimination modulo a prime and from above by solving for the remaining rows over the rationals.  For the
part of a matrix ``A`` outside the span there are two routes.

* *Exact*: :math:`\lVert A(I-\Pi)\rVert_F^2=\lVert A\rVert_F^2-\langle AX^\top,AX^\top(XX^\top)^{-1}\rangle`.
* *A certified residual*, for hundreds of inputs.  With any coefficients :math:`\hat A`, from floating point,
  :math:`\hat R=A-\hat AX` is the orthogonal sum of :math:`A(I-\Pi)` and :math:`\hat R\Pi`, and
  :math:`\lVert\hat R\Pi\rVert_F\le\lVert\hat RX^\top\rVert_F/\sigma_{\min}(X)`; so

  .. math:: \lVert\hat R\rVert_F^2-\lVert\hat RX^\top\rVert_F^2/\sigma_{\min}(X)^2
      \le\lVert A(I-\Pi)\rVert_F^2\le\lVert\hat R\rVert_F^2,\qquad
      \sigma_{\min}(X)\ge\frac{1-\lVert I-XY\rVert_F}{\lVert Y\rVert_F}

  for any ``Y``, a pseudo-inverse from floating point.  The products are formed in integers: no rounding is
  assumed, and a bad :math:`\hat A` or ``Y`` only widens the interval.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import NonNegativeInt, Numbers, Real, checked
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import Enclosure, KeptAtPrecision, between, maximum, over_one, rational_product, solve_rational
from theorytools.numbers.linear_algebra import independent_rows, spanned
from theorytools.theory.first_layers.exact_span import InputSpan, positive_definite

Exact = NDArray[Any]  # integers or fractions, dtype object
Floats = NDArray[np.float64]

_EXACT_WORK = 20_000  # rank^2 N d up to which distances are rational


def exact_matrix(A: Any, columns: int, what: str) -> Exact:
    """Return ``A`` in exact numbers, shape ``(m, columns)``; every float is the binary fraction that it is.

    Raises
    ------
    DomainError
        For a shape that does not fit, and for entries that are not finite real numbers.
    """
    integers = getattr(getattr(A, "dtype", None), "kind", "") in ("i", "u")
    entries = np.array(A.tolist() if hasattr(A, "tolist") else A, dtype=object)
    if entries.ndim not in (2, 3) or not len(entries) or entries[0].size != columns:
        raise DomainError(f"{what} of shape {entries.shape}", required=f"(m, {columns}), m >= 1")
    flat = entries if integers else np.array([_binary(x, what) for x in entries.flat], dtype=object)
    return flat.reshape(len(entries), columns)


def _binary(x: Any, what: str) -> Fraction:
    if isinstance(x, numbers.Rational) and not isinstance(x, bool):
        return Fraction(int(x.numerator), int(x.denominator))
    if isinstance(x, float) and math.isfinite(x):
        return Fraction(x)
    raise DomainError(f"the entry {x!r} of {what}", required="finite floats, integers or fractions")


@checked
@dataclass(frozen=True, eq=False)
class CertifiedSpan:
    """The span of the training inputs; made by :meth:`of`.

    Attributes
    ----------
    basis : independent inputs as fractions, shape ``(rank, N d)``.
    pivots : columns in which the basis is invertible.
    N, d : sequence length and token dimension.
    exact : distances are rational; otherwise enclosures by the certified residual.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Theorem 6, arXiv 2503.11272v1.  The certificates are derived here.

    Examples
    --------
    >>> span = CertifiedSpan.of([[[1], [0]]])
    >>> span.average, span.contains([[3, 0]]), span.distance([[3, 4]]), span.bayes_loss([1])
    (Fraction(1, 2), True, Enclosure(4), Enclosure(1/2))
    """

    basis: Exact
    pivots: tuple[int, ...]
    N: NonNegativeInt
    d: NonNegativeInt
    exact: bool

    @classmethod
    def of(cls, X: Numbers, *, N: int | None = None, exact: bool | None = None) -> CertifiedSpan:
        """Return the span of training inputs.

        Parameters
        ----------
        X : inputs, shape ``(n, N, d)``, or ``(n, N d)`` with ``N`` given; floats are the binary fractions that they
            are.
        N : sequence length, for inputs in rows.
        exact : which route; unless given, small data are exact.

        Returns
        -------
        CertifiedSpan : of any rank but 0.

        Raises
        ------
        DomainError
            For a shape that does not fit, entries that are not finite, or inputs that are all zero.
        """
        shape = np.shape(X)
        length = shape[1] if len(shape) == 3 and N is None else N
        if len(shape) not in (2, 3) or not length or math.prod(shape[1:]) % length or not math.prod(shape):
            raise DomainError(f"inputs of shape {shape}, N = {N}", required="(n, N, d), or (n, N d) and N")
        rows = exact_matrix(X, math.prod(shape[1:]), "the inputs")
        if not rows.any():
            raise DomainError("inputs that are all zero", required="one that is not", why="the span would be empty")
        kept, pivots = independent_rows(rows)
        p = rows.shape[1]
        small = len(kept) ** 2 * p <= _EXACT_WORK
        return cls(rows[kept], tuple(pivots), length, p // length, small if exact is None else exact)

    @property
    def rank(self) -> int:
        """The dimension of the span."""
        return len(self.basis)

    @property
    def average(self) -> Fraction:
        r"""The Bayes loss averaged over an orthonormal basis of links, :math:`1-\operatorname{rank}X/(Nd)`."""
        return 1 - Fraction(self.rank, self.N * self.d)

    def contains(self, A: Numbers) -> bool:
        """Return whether every row of ``A`` lies in the span, decided exactly.

        Parameters
        ----------
        A : shape ``(m, N d)``.

        Returns
        -------
        bool : for all rows together.
        """
        rows = exact_matrix(A, self.N * self.d, "the matrix")
        if self.rank == self.N * self.d:
            return True
        return spanned(rows, self.basis, self.pivots)

    def outside(self, A: Numbers) -> Enclosure:
        r"""Return :math:`\lVert A(I-\Pi)\rVert_F^2`.

        Parameters
        ----------
        A : shape ``(m, N d)``.

        Returns
        -------
        Enclosure : rational on the exact route.
        """
        rows = exact_matrix(A, self.N * self.d, "the matrix")
        if self.rank == self.N * self.d:
            return Enclosure(0)
        if self.exact:
            return Enclosure(self._outside(rows))
        high, seen = self._residual(rows)
        if self._stretch is None:  # the pseudo-inverse proves nothing
            return Enclosure(self._outside(rows))
        return between(maximum([high - seen * self._stretch, 0]), high)

    def distance(self, A: Numbers) -> Enclosure:
        r"""Return :math:`\lVert A(I-\Pi)\rVert_F`.

        Parameters
        ----------
        A : shape ``(m, N d)``.

        Returns
        -------
        Enclosure : the root of :meth:`outside`.
        """
        return self.outside(A).nonnegative_part().sqrt()  # a ball around a number near 0 may reach below it

    def _outside(self, rows: Exact) -> Fraction:
        seen = rows @ self.basis.T
        solved = np.array(solve_rational(self.basis @ self.basis.T, seen.T), dtype=object)
        return (rows * rows).sum() - (seen * solved.T).sum() + Fraction(0)

    def bayes_loss(self, u: Sequence[Real]) -> Enclosure:
        r"""Return :math:`D(u)=\frac1{N\lVert u\rVert^2}\sum_t\lVert(I-\Pi)P_tu\rVert^2`.

        Parameters
        ----------
        u : direction of the labels, shape ``(d,)``, of any length but 0.

        Returns
        -------
        Enclosure : in [0, 1], for labels of variance 1.

        Raises
        ------
        DomainError : a direction that is zero, or of another length.
        """
        v = exact_matrix([list(u)], self.d, "the direction")[0]
        if not v.any():
            raise DomainError("a direction that is zero", required="u not zero")
        probes = np.array([np.pad(v, (t * self.d, (self.N - 1 - t) * self.d)) for t in range(self.N)], dtype=object)
        return self.outside(probes) / (self.N * (v @ v))

    @KeptAtPrecision
    def supremum(self) -> Enclosure:
        r""":math:`\sup_uD(u)`, the largest Bayes loss over all links.

        With :math:`\hat R` the residual of the unit vectors, :math:`\sum_tP_t^\top\hat R\hat R^\top P_t` exceeds
        :math:`NI-M` by a positive semidefinite matrix, so its largest eigenvalue bounds from above; the loss at an
        approximate eigenvector bounds from below.
        """
        if self.exact:
            return InputSpan(tuple(map(tuple, over_one(self.basis)[0])), self.N, self.d).supremum()
        if self.rank == self.N * self.d:
            return Enclosure(0)
        unit = np.eye(self.N * self.d, dtype=int).astype(object)
        residual = self._difference(unit).reshape(self.N, self.d, -1)
        above = sum(rational_product(R, R.T) for R in residual)
        values, vectors = np.linalg.eigh(above.astype(np.float64))
        top = _certified_top(above, values[-1])
        return between(self.bayes_loss(vectors[:, -1].tolist()), min(top / self.N, Fraction(1)))

    @cached_property
    def _inverse(self) -> Floats:
        return np.linalg.pinv(self.basis.astype(np.float64))

    @KeptAtPrecision
    def _stretch(self) -> Enclosure | None:
        r"""An upper bound of :math:`\sigma_{\min}(X)^{-2}`, or None if the pseudo-inverse gives none."""
        Y = _rounded(self._inverse)
        gap = np.eye(self.rank, dtype=int) - rational_product(self.basis, Y)
        miss = Enclosure((gap**2).sum()).sqrt()
        return Enclosure((Y * Y).sum()) / (1 - miss) ** 2 if miss.certainly_lt(1) else None

    def _difference(self, rows: Exact) -> Exact:
        coefficients = _rounded(rows.astype(np.float64) @ self._inverse)
        return rows - rational_product(coefficients, self.basis)

    def _residual(self, rows: Exact) -> tuple[Enclosure, Enclosure]:
        """The squared norms of the residual and of its products with the basis."""
        rest = self._difference(rows)
        seen = rational_product(rest, self.basis.T)
        return Enclosure((rest * rest).sum()), Enclosure((seen * seen).sum())


def _rounded(A: Floats) -> Exact:
    """Floats as multiples of 2^-60 of their largest power of two, so that products stay short."""
    unit = Fraction(2) ** (60 - math.frexp(float(np.abs(A).max()))[1])
    return np.array([round(Fraction(x) * unit) / unit for x in A.ravel().tolist()], dtype=object).reshape(A.shape)


def _certified_top(S: Exact, guess: float) -> Fraction:
    """An upper bound of the largest eigenvalue: c with c I - S proved positive definite."""
    margin = Fraction(1, 2**40)
    # entries rounded to 2^-60 move eigenvalues by at most d 2^-60
    negative = [[Fraction(-round(x * 2**60), 2**60) for x in row] for row in S]
    for _ in range(40):
        c = Fraction(guess) + margin
        if positive_definite(negative, -c):
            return c + Fraction(len(S), 2**60)
        margin *= 4
    raise CertificateError("a matrix of Bayes losses", required="finite", why="no multiple of the identity exceeds it")
