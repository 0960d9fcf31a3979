r"""The population loss of position-only attention on sparse token selection, exactly.

Averages run over all :math:`\binom Tq` sets.  With :math:`A=E\|a\|^2` and :math:`B=E\,a(y)`,

.. math:: L=A\|V_1\|_F^2-\tfrac{2B}q\operatorname{tr}V_1+\tfrac dq+E\|V_2Ea\|^2,

and for orthonormal encodings, :math:`V=[\alpha I\ 0]`, :math:`u=e^\beta`, :math:`n=T-q`, :math:`p=\frac{qu}{qu+n}`,

.. math:: L=d\Bigl[\frac{(\alpha p-1)^2}q+\frac{\alpha^2(1-p)^2}n\Bigr].

These hold where attention does not depend on the tokens (:math:`W_{12}=0`); they must not be applied to trained
weights without looking at :math:`W_{12}`.

References
----------
Wang, Wei, Hsu, Lee (2024), Population loss, arXiv 2406.06893v1; both formulas are derived here.

What Gaussian encodings of finite length leave of the loss, with the dual query, however long one trains.

Losses are relative to that of predicting 0: :math:`qL/d`.  With :math:`P=\Pr(\kappa\ge1)` the chance that an unselected
token scores at least as much as the selected ones,

.. math:: \frac P{q+1}\le\inf_{\alpha,\,\beta\ge0}\frac{qL}d\le\lim_{\beta\to\infty}\frac{qL}d\Big|_{\alpha=1}=(q+1)P .

*Lower bound.*  If :math:`\kappa\ge1` some unselected :math:`a_j` is at least the common selected weight ``a``, and
:math:`q[q(\alpha a-\frac1q)^2+\alpha^2a_j^2]\ge q\min_x[q(x-\frac1q)^2+x^2]=\frac1{q+1}`.  *Limit.*  Attention goes to
the selected tokens alike if :math:`\kappa<1`, to one unselected token if :math:`\kappa>1`, which costs
:math:`q(1+\frac1q)`.  ∎

For :math:`n=T-q=1` the off-score is :math:`\xi=\sqrt q\tan\varphi` with density proportional to
:math:`\cos^{\nu-1}\varphi`, :math:`\nu=d_e-q+1`, and at :math:`\alpha=1` the relative loss is one integral,
:math:`qL/d=(q+1)E(1+qe^{\beta(1-\xi)})^{-2}`.

References
----------
Wang, Wei, Hsu, Lee (2024), Finite encodings, arXiv 2406.06893v1 (derived here).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorytools.arguments.checked import Numbers, Real, Size, checked
from theorytools.arguments.values import checked_entries, checked_integer, checked_rational
from theorytools.claims.language.estimate import Recipe, enclosed_between
from theorytools.errors import DomainError
from theorytools.numbers import (
    Enclosure,
    between,
    integrate,
    maximum,
    minimum,
    pi,
    shortest_fraction,
    total,
    working_precision,
)
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.selection.cross_talk import separation_probability
from theorytools.papers.stsq.tasks.sparse_selection import checked_sizes, subsets


@checked
def population_loss(net: SparseSelector, sets: Iterable[tuple[int, ...]] | None = None) -> Enclosure:
    r"""Return :math:`E_{X,y}\|f-s\|^2` by the sum over all sets (or the given ones), at the ambient precision.

    Parameters
    ----------
    net : the selector; its tokens are standard Gaussian.
    sets : the selected subsets to sum over, each of ``q`` places; all of them unless given.

    Returns
    -------
    Enclosure : the mean over the sets.

    Raises
    ------
    DomainError : a set of another size, or one without a query.

    References
    ----------
    Wang, Wei, Hsu, Lee (2024), Population loss, arXiv 2406.06893v1; the formulas are derived here.

    Examples
    --------
    >>> import sympy
    >>> from theorytools.codes.encodings import orthonormal_encodings
    >>> net = SparseSelector(orthonormal_encodings(4), beta=sympy.log(3), q=2, d=5)
    >>> population_loss(net).fraction()
    Fraction(5, 16)
    """
    losses = [net.loss(y) for y in (subsets(net.T, net.q) if sets is None else sets)]
    return total(losses) / len(losses)


@checked
def worst_loss(net: SparseSelector, sets: Iterable[tuple[int, ...]] | None = None) -> Enclosure:
    r"""Return :math:`\max_yE_X\|f-s\|^2` over all sets (or the given ones), at the ambient precision."""
    return maximum(net.loss(y) for y in (subsets(net.T, net.q) if sets is None else sets))


@checked
def attention_moments(net: SparseSelector) -> tuple[Enclosure, Enclosure]:
    r"""Return :math:`A=E\|a\|_2^2` (over the tokens) and :math:`B=E\,a(y)` over all sets, at the ambient precision."""
    A, B = [], []
    for y in subsets(net.T, net.q):
        a = net.attention(y)[: net.T]
        A.append(total(x * x for x in a))
        B.append(total(a[i] for i in y))
    count = math.comb(net.T, net.q)
    return total(A) / count, total(B) / count


@checked
def forward_loss(net: SparseSelector, y: tuple[int, ...], *, mean: bool = True) -> Enclosure:
    r"""Return the same loss of one set from forward passes alone, at the ambient precision.

    With attention fixed by ``y``, ``f - s`` is affine in the tokens; for Gaussian tokens its mean square is the sum
    over the :math:`Td` unit prompts of :math:`\|(f-s)(x)-(f-s)(0)\|^2`, plus :math:`\|(f-s)(0)\|^2`.
    With ``mean=False`` the target is the sum of the selected tokens, a misreading for a negative control.
    """
    zero = [[0] * net.d for _ in range(net.T)]
    units = [(i, k) for i in range(net.T) for k in range(net.d)]
    batch = [[[int((i, k) == unit) for k in range(net.d)] for i in range(net.T)] for unit in units]
    offset, *outputs = net.outputs([zero, *batch], y)
    weight = Fraction(1, net.q) if mean else Fraction(1)
    parts = [x * x for x in offset]
    for (i, k), f in zip(units, outputs, strict=True):
        s = [weight * int(i in y and j == k) for j in range(net.d)]
        parts += [(f[j] - offset[j] - s[j]) ** 2 for j in range(net.d)]
    return total(parts)


@checked
def orthonormal_loss(T: int, q: int, d: int, u: Fraction, alpha: Real = 1) -> Fraction:
    r"""Return (1) for rational :math:`u=e^\beta>0` and :math:`\alpha`."""
    checked_sizes(T, q, d)
    u, alpha = Fraction(u), shortest_fraction(alpha)
    if u <= 0:
        raise DomainError(f"u = {u}", required="u = exp(beta) > 0")
    n = T - q
    p = q * u / (q * u + n)
    return d * ((alpha * p - 1) ** 2 / q + alpha**2 * (1 - p) ** 2 / n)


@checked
def best_scale(A: Numbers, B: Real, q: Size) -> Any:
    r"""Return :math:`\alpha^*=B/(qA)`, where :math:`L=\frac dq(1-\frac{B^2}{qA})`."""
    checked_entries("A", A, lambda x: x > 0, required="A > 0", why="it is the mean of a squared norm")
    return Fraction(B, q * A) if isinstance(A, int) and isinstance(B, int) else B / (q * A)


@checked
@dataclass(frozen=True)
class SelectionFloor:
    r"""The floor of the loss for Gaussian encodings redrawn for every example, dual query.

    Parameters
    ----------
    T, q, d_e : tokens, selected tokens, encoding dimension; ``1 <= q < T``, ``d_e >= q``.
    conditioned : draw the encodings conditionally on :math:`\kappa<1`; then nothing is left.

    Raises
    ------
    DomainError
        For sizes outside these ranges.
    """

    T: int
    q: int
    d_e: int
    conditioned: bool = False

    def __post_init__(self) -> None:
        checked_sizes(self.T, self.q)
        why = "the dual query needs independent encodings of the selected tokens"
        checked_integer("d_e", self.d_e, least=self.q, why=why)

    def failing(self) -> Enclosure:
        r"""Return :math:`P=\Pr(\kappa\ge1)` at the ambient precision."""
        return Enclosure(0) if self.conditioned else 1 - separation_probability(self.T, self.q, self.d_e)

    def limit(self) -> Enclosure:
        r"""Return the relative loss at :math:`\alpha=1` as :math:`\beta\to\infty`."""
        return self.failing() * (self.q + 1)

    def least(self) -> Recipe:
        r"""Return the least relative loss over all :math:`\alpha` and :math:`\beta\ge0`, between its two bounds."""
        one = Enclosure(1)
        return enclosed_between(lambda: self.failing() / (self.q + 1), lambda: minimum([one, self.limit()]))

    # -- one unselected token -----------------------------------------------------------------------------
    def loss(self, beta: Real) -> Enclosure:
        r"""Return the relative loss at :math:`\alpha=1` and rational :math:`\beta>0`, for ``T = q + 1``.

        Raises
        ------
        DomainError
            For another ``T``, conditioned encodings, or ``beta <= 0``.
        """
        if self.q + 1 != self.T or self.conditioned:
            raise DomainError(f"T = {self.T}, q = {self.q}", required="T = q + 1, unconditioned", why="one integral")
        b = checked_rational("beta", beta, lambda x: x > 0, required="beta > 0", why="the flow keeps it positive")
        root = Enclosure(self.q).sqrt()

        def leak(phi: Any) -> Any:
            return 1 / (1 + self.q * (b * (1 - root * phi.sin() / phi.cos())).exp())

        width = Fraction(working_precision()) / b  # beyond it the leak is below 2^-bits of 0 or of 1
        low, high = (_angle((1 + sign * width) / math.sqrt(self.q)) for sign in (-1, 1))
        middle = integrate(lambda phi: self._density(phi) * leak(phi) ** 2, low, high)
        below, above = (_tangent_leak(leak, phi) ** 2 for phi in (low, high))  # the leak grows with the score
        rest = self._mass(-pi() / 2, low) * between(0, below) + self._mass(high, pi() / 2) * between(above, 1)
        return (middle + rest) * (self.q + 1) / self._mass(-pi() / 2, pi() / 2)

    def density_at_one(self) -> Enclosure:
        r"""Return the density of the off-score at 1, for ``T = q + 1``."""
        q, nu = Enclosure(self.q), self.d_e - self.q + 1
        height = (1 + 1 / q) ** Fraction(-(nu + 1), 2)
        return height / (q.sqrt() * self._mass(-pi() / 2, pi() / 2))

    def _density(self, phi: Any) -> Any:
        return phi.cos() ** (self.d_e - self.q)

    def _mass(self, a: Any, b: Any) -> Enclosure:
        return integrate(self._density, a, b)


def _angle(tangent: float) -> Fraction:
    """Return a rational angle inside the right half circle, near that of this tangent."""
    return Fraction(math.atan(float(tangent))).limit_denominator(10**6) * Fraction(999_999, 10**6)


class _Real:
    """An enclosure with the sine and cosine that the integrand asks for."""

    def __init__(self, x: Fraction) -> None:
        self.x = Enclosure(x)

    def sin(self) -> Enclosure:
        return self.x.apply("sin")

    def cos(self) -> Enclosure:
        return self.x.apply("cos")


def _tangent_leak(leak: Any, phi: Fraction) -> Enclosure:
    result: Enclosure = leak(_Real(phi))
    return result
