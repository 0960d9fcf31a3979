r"""How likely random Gaussian encodings separate a random set of tokens, exactly, and how long they must be.

Encodings :math:`e_i\sim N(0,I_{d_e}/d_e)`, a set ``y`` of ``q`` of the ``T`` positions, the dual query
:math:`e_y=E_y(E_y^\top E_y)^{-1}\mathbf 1`, :math:`n=T-q`.  The cross-talk is
:math:`\kappa=\max_{i\notin y}\langle e_y,e_i\rangle`; separation means :math:`\kappa<1`.  By the Wishart law
:math:`\lVert e_y\rVert^2=qd_e/\chi^2_\nu` with :math:`\nu=d_e-q+1`, and given it the products
:math:`\langle e_y,e_i\rangle`, :math:`i\notin y`, are independent :math:`N(0,q/\chi^2_\nu)`.  Hence

.. math:: \Pr(\kappa<c)=E\,\Phi\bigl(c\sqrt{\chi^2_\nu/q}\bigr)^n
    =\int_0^\infty\frac{x^{\nu-1}e^{-x^2/2}}{2^{\nu/2-1}\Gamma(\nu/2)}\Phi\Bigl(\frac{cx}{\sqrt q}\Bigr)^ndx .

For :math:`c\ge0` the union bound, :math:`\Pr(g\ge x)\le\frac12e^{-x^2/2}` for :math:`x\ge0` and the transform
:math:`Ee^{-s\chi^2_\nu}=(1+2s)^{-\nu/2}` give the closed form of :func:`cross_talk_bound`.

References
----------
Wang, Wei, Hsu, Lee (2024), Encodings, average case, arXiv 2406.06893v1.  Law and constants are derived here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, STEPS, Formula, NonNegativeInt, PositiveInt, Real, at_most, checked
from theorytools.codes.encodings import stochastic_encodings
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure, at_precision, between, integrate, working_precision
from theorytools.numbers.special import gamma
from theorytools.papers.stsq.tasks.sparse_selection import checked_sizes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@checked
@dataclass(frozen=True)
class CrossTalk:
    """Law of the cross-talk of the dual query of Gaussian encodings, for a random set of positions.

    Parameters
    ----------
    T, q : number of positions and of selected ones, ``1 <= q < T``.
    d_e : dimension of an encoding, at least ``q``.

    References
    ----------
    Wang, Wei, Hsu, Lee (2024), Encodings, average case, arXiv 2406.06893v1.  The law is derived here.

    Examples
    --------
    >>> law = CrossTalk(T=3, q=1, d_e=2)
    >>> round(float(law.below(0)), 9), law.draw(np.random.default_rng(0), 5).shape
    (0.25, (5,))
    """

    T: NonNegativeInt
    q: NonNegativeInt
    d_e: NonNegativeInt

    def below(self, c: Real = 1) -> Enclosure:
        """Return the probability that the cross-talk is below ``c``, see :func:`separation_probability`.

        Parameters
        ----------
        c : the level, at least 0.

        Returns
        -------
        Enclosure : in [0, 1], at the ambient precision.

        Raises
        ------
        DomainError : a negative level, or sizes out of range.
        """
        return separation_probability(self.T, self.q, self.d_e, c)

    @at_most(size=STEPS)
    def draw(self, rng: np.random.Generator, size: PositiveInt, code: str = "gauss") -> NDArray[np.float64]:
        """Draw the cross-talk, see :func:`draw_cross_talk`."""
        return draw_cross_talk(rng, size, self.T, self.q, self.d_e, code)


@checked
@at_most(T=STEPS, d_e=STEPS)
def separation_probability(T: NonNegativeInt, q: int, d_e: PositiveInt, c: Real = 1) -> Enclosure:
    r"""Return :math:`\Pr(\kappa<c)` for a random set of positions, at the ambient precision.

    Parameters
    ----------
    T, q : number of tokens and of selected ones, ``q < T``.
    d_e : dimension of the encodings.
    c : a rational :math:`c\ge0`; at 0 the probability is :math:`2^{-n}` for every dimension.

    Raises
    ------
    DomainError
        If ``q >= T``, ``d_e < q`` (the dual query does not exist) or ``c < 0``.
    BudgetError
        If ``T`` or ``d_e`` is above a million: of a longer encoding the powers take minutes, and all digits are lost.

    Examples
    --------
    >>> round(float(separation_probability(64, 4, 16)), 3), round(float(separation_probability(200, 3, 48)), 3)
    (0.165, 0.973)
    """
    level = _checked(T, q, d_e, c)
    if level == 0:
        return Enclosure(Fraction(1, 2 ** (T - q)))
    return _separation(T, q, d_e, level, working_precision())


@lru_cache(maxsize=512)  # claims of one family, their controls and the derived letters ask for the same ones
def _separation(T: int, q: int, d_e: int, level: Fraction, bits: int) -> Enclosure:
    """The integral at a positive level; ``bits`` is the ambient precision, at which all of it is computed."""
    nu, n = d_e - q + 1, T - q
    m = Fraction(math.isqrt(64 * max(nu - 1, 1)), 8)  # about the mode of the density, which is 1 there up to a constant
    steep = Enclosure(level) / (2 * Enclosure(q)).sqrt()

    unit, top, middle = 1 / Enclosure(m), Enclosure(m * m / 2), Enclosure(Fraction(1, 2))

    def mass(x: Any) -> Any:
        return (x * unit) ** (nu - 1) * (top - x * x * middle).exp() * ((steep * x).erf() * middle + middle) ** n

    half = Enclosure(Fraction(nu, 2))
    scale = 2 * m ** (nu - 1) * (-Enclosure(m * m) / 2).exp() / (Enclosure(2) ** half * gamma(half))
    root = math.isqrt(nu * bits) + 1  # ends where both tails of chi^2 are below 2^-bits, in eighths
    low = Fraction(math.isqrt(64 * max(nu - 2 * root, 0)), 8)
    high = Fraction(math.isqrt(64 * (nu + 2 * root + 2 * bits)) + 1, 8)
    hidden = _chernoff(nu, high) + (_chernoff(nu, low) if low else 0)  # Phi^n lies in [0, 1] there
    return scale * integrate(mass, low, high) + between(0, hidden)


def _chernoff(nu: int, x: Fraction) -> Enclosure:
    r"""Chernoff's bound of the tail of :math:`\chi^2_\nu` from :math:`s=x^2` on, away from the mean.

    It is :math:`(s/\nu)^{\nu/2}e^{(\nu-s)/2}` on either side.
    """
    s = x * x
    return ((Enclosure(s / nu).log() * nu + (nu - s)) / 2).exp()


@checked
def cross_talk_bound(T: Formula, q: Formula, d_e: Formula, c: Formula = 1) -> Any:
    r"""Return the bound :math:`\Pr(\kappa\ge c)\le\frac{T-q}2\bigl(1+\frac{c^2}q\bigr)^{-(d_e-q+1)/2}`.

    It takes letters, and returns an expression, or exact numbers, and returns an Enclosure.  Equality at ``c = 0``,
    ``T = q + 1``.
    """
    numbers = (T, q, d_e, c)
    if all(isinstance(x, int | Fraction) for x in numbers):
        level = _checked(T, q, d_e, c)
        return Fraction(T - q, 2) * (1 + Enclosure(level) ** 2 / q) ** Fraction(q - 1 - d_e, 2)
    return (T - q) * (1 + c**2 / q) ** ((q - 1 - d_e) / 2) / 2


@checked
def sufficient_length(T: Formula, q: Formula, delta: Formula, c: Formula = 1, *, sets: Formula = 1) -> Any:
    r"""Return :math:`q-1+2\log\frac{Nn}{2\delta}/\log(1+\frac{c^2}q)`, long enough for failures below ``delta``.

    From there on :func:`cross_talk_bound` is at most :math:`\delta/N`, with ``sets`` the number ``N`` of subsets asked
    at once: :math:`\binom Tq` for all of them, by a union bound.  All arguments may be letters; the result is a sympy
    expression, a dimension is its ceiling (and at least ``q``).
    """
    import sympy

    T, q, delta, c, sets = (
        sympy.Rational(x) if isinstance(x, Fraction) else sympy.sympify(x) for x in (T, q, delta, c, sets)
    )
    return q - 1 + 2 * sympy.log(sets * (T - q) / (2 * delta)) / sympy.log(1 + c**2 / q)


@checked
@lru_cache(maxsize=256)
def median_length(T: int, q: int, c: Formula = 1) -> int:
    r"""Return :math:`d_{50}(c)`, the least ``d_e >= q`` with :math:`\Pr(\kappa<c)\ge\frac12`.

    The probability grows with ``d_e``, for :math:`\chi^2_\nu` grows with :math:`\nu`; so doubling and bisection with
    proved comparisons find it.

    Raises
    ------
    DomainError
        As :func:`separation_probability`, and for ``c = 0`` with ``T > q + 1``: no dimension reaches one half.

    Examples
    --------
    >>> median_length(32, 4), median_length(14, 3)
    (20, 10)
    """
    level, n = _checked(T, q, q, c), T - q
    if level == 0 and n > 1:
        raise DomainError("c = 0", required="c > 0", why="there the probability is 2^-(T-q) in every dimension")

    def reaches(d_e: int) -> bool:
        for bits in (32, 64, 128, 256):
            answer = at_precision(
                bits, lambda: Enclosure(Fraction(1, 2)).certainly_le(separation_probability(T, q, d_e, c))
            )
            if answer is not None:
                return answer
        raise BudgetError(f"Pr(kappa < {c}) at d_e = {d_e}", required="a value that 256 bits tell from 1/2")

    if reaches(q):
        return q
    # a starting point only; without it the number of integrals grows with the logarithm of the answer
    guess = math.ceil(q - 1 + q * float(median_quantile(n)) ** 2 / float(level) ** 2) if n > 1 else q
    low, high = (q, guess) if guess > q and reaches(guess) else (max(q, guess), 0)
    step = 1
    while not high:
        low, high, step = (low, low + step, step) if reaches(low + step) else (low + step, 0, 2 * step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


@checked
def median_quantile(n: int) -> Enclosure:
    r"""Return :math:`z_n=\Phi^{-1}(2^{-1/n})`, the median of the largest of ``n`` standard normal numbers.

    :math:`d_{50}(c)\approx q-1+qz_n^2/c^2`, for the median of :math:`q\max g_i^2/c^2` then meets that of
    :math:`\chi^2_\nu`; :math:`z_n^2\sim2\log n`, slowly.
    """
    if n < 1:
        raise DomainError(f"n = {n}", required="n >= 1")
    if n == 1:
        return Enclosure(0)
    return Enclosure(2).sqrt() * (2 * Enclosure(2) ** Fraction(-1, n) - 1).apply("erfinv")


@checked
@at_most(size=STEPS, T=ENTRIES, d_e=ENTRIES)
def draw_cross_talk(
    rng: np.random.Generator, size: PositiveInt, T: NonNegativeInt, q: int, d_e: PositiveInt, code: str = "gauss"
) -> NDArray[np.float64]:
    r"""Draw :math:`\kappa` of the dual query for fresh encodings, shape ``(size,)``, in doubles.

    The set is the first ``q`` positions, for the encodings are exchangeable.  Dependent encodings on the set count as
    failures: :math:`\kappa=\infty`.  For signs :math:`\kappa` is rational and equals a level such as 1 with positive
    probability, so it is rounded to 30 binary places: the last bits of a solver do not decide on which side it lies.

    Parameters
    ----------
    code : ``"gauss"`` or ``"rad"``.
    """
    import numpy as np

    checked_sizes(T, q)
    chunk, parts = max(1, 2**21 // (T * d_e)), []
    for start in range(0, size, chunk):
        E = stochastic_encodings(code, rng, min(chunk, size - start), T, d_e)
        chosen, others = E[:, :q], E[:, q:]
        G = chosen @ chosen.transpose(0, 2, 1)
        singular = np.linalg.matrix_rank(G, hermitian=True) < q
        G[singular] = np.eye(q)
        query = (np.linalg.solve(G, np.ones((len(G), q, 1))) * chosen).sum(axis=1)
        parts.append(np.where(singular, np.inf, (others @ query[:, :, None]).max(axis=(1, 2))))
    found = np.concatenate(parts)
    return np.rint(found * 2.0**30) / 2.0**30 if code == "rad" else found


def _checked(T: int, q: int, d_e: int, c: Any) -> Fraction:
    checked_sizes(T, q)
    if d_e < q:
        raise DomainError(
            f"d_e = {d_e} below q = {q}", required="d_e >= q", why="the dual query needs independent encodings on y",
        )  # fmt: skip
    level = Fraction(c)
    if level < 0:
        raise DomainError(f"c = {c}", required="c >= 0", why="the tail bound of a normal number is for x >= 0")
    return level
