r"""Loss at lengths :math:`T'\ge T` of sparse token selection, for attention trained at length :math:`T`.

Orthonormal encodings, :math:`V=[\alpha I\ 0]`, :math:`n=T-q`, :math:`n'=T'-q`; losses are
:math:`E\lVert f-s\rVert^2`, predicting 0 costs :math:`d/q`.

*Stochastic encodings*, drawn anew for every example, scores :math:`\beta` on the selected tokens: the loss at length
:math:`T'` is that of the length-:math:`T'` formula at the trained :math:`(\alpha,u=e^\beta)`.  At the best
:math:`\alpha` for length :math:`T`, with :math:`v=qu`, :math:`\Delta=T'-T`,

.. math:: \frac{L_{T'}}{L_T}=\frac{(v^2\Delta+qn(v+n'))^2/q+n'v^2(v+n)^2}{n(v^2+qn)(v+n')^2}\le
    \rho=\frac{\Delta^2}{qn}+\frac{n'}n,

with limit :math:`\rho` as :math:`u\to\infty`: cross-multiplied, every coefficient of :math:`v` in the difference has
one sign.  For :math:`\alpha=1` the ratio is :math:`\frac{n'T'}{nT}\bigl(\frac{v+n}{v+n'}\bigr)^2`.

*Fixed encodings*, those of unseen positions orthogonal to the seen ones: the trained
:math:`W_{22}=\beta(I-\mathbf{11}^\top/T)` on the seen positions is zero elsewhere.  With :math:`k` seen selected
tokens, :math:`w=e^{\beta/T}` and :math:`Z=kw^{T-k}+(T-k)w^{-k}+T'-T` the loss is a rational function of :math:`w`.

References
----------
Wang, Wei, Hsu, Lee (2024), ood, arXiv 2406.06893v1.  All formulas are derived here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from theorytools.arguments.checked import Real, checked
from theorytools.arguments.values import checked_rational
from theorytools.errors import DomainError
from theorytools.numbers import shortest_fraction
from theorytools.numbers.power_series import PowerSeries
from theorytools.papers.stsq.selection.loss import orthonormal_loss
from theorytools.papers.stsq.tasks.sparse_selection import checked_sizes


@checked
@dataclass(frozen=True)
class FreshEncodings:
    r"""Attention trained at length :math:`T` with stochastic orthonormal encodings, used at other lengths.

    Parameters
    ----------
    T, q : training length and number of selected tokens, ``1 <= q < T``.
    d : token dimension.
    """

    T: int
    q: int
    d: int = 1

    def __post_init__(self) -> None:
        checked_sizes(self.T, self.q, self.d)

    def best_alpha(self, u: Real) -> Fraction:
        r"""Return :math:`\alpha^*=\frac{v(v+n)}{v^2+qn}`, the best at the training length; :math:`v=qu`."""
        exact = checked_rational("u", u, lambda x: x >= 0, required="u >= 0", why="u = exp(beta)")
        v, n = self.q * exact, self.T - self.q
        return v * (v + n) / (v * v + self.q * n)

    def loss(self, length: int, u: Real, alpha: Real = None) -> Fraction:
        r"""Return :math:`L_{T'}` at ``length``, :math:`u=e^\beta`; ``alpha`` is the best at ``T`` unless given."""
        _checked_length(length, self.T)
        return orthonormal_loss(length, self.q, self.d, u, self.best_alpha(u) if alpha is None else alpha)

    def ratio(self, length: int, u: Real, alpha: Real = None) -> Fraction:
        r"""Return :math:`L_{T'}/L_T`."""
        return self.loss(length, u, alpha) / self.loss(self.T, u, alpha)

    def limit_ratio(self, length: int, *, frozen: bool = False) -> Fraction:
        r"""Return :math:`\lim_{u\to\infty}L_{T'}/L_T` by the leading terms of both losses in :math:`1/u`, exactly.

        With :math:`\alpha` trained, or ``frozen`` at 1: a route by power series, which does not use the closed forms.
        """
        _checked_length(length, self.T)
        terms = [self._series(at, frozen=frozen).leading() for at in (length, self.T)]
        return terms[0][1] / terms[1][1]  # both vanish to second order: (alpha p - 1)^2 and (1 - p)^2 do

    def _series(self, length: int, *, frozen: bool) -> PowerSeries:
        """The loss at ``length`` over ``d`` in powers of z = 1/u, up to z^2."""
        one, z, n = PowerSeries.constant(1, 2), PowerSeries.power(1, 2), self.T - self.q
        alpha = one if frozen else (self.q + n * z) / (self.q + n * z * z)  # alpha* with numerator over v^2 / q
        p, leaked = self.q / (self.q + (length - self.q) * z), (length - self.q) * z / (self.q + (length - self.q) * z)
        return (alpha * p - 1) ** 2 / self.q + (alpha * leaked) ** 2 / (length - self.q)


@checked
@dataclass(frozen=True)
class SeenPositions:
    r"""Attention trained at length :math:`T` with fixed orthonormal encodings, used at ``length`` :math:`T'\ge T`.

    Parameters
    ----------
    T, length : trained positions, and all positions.
    q : selected tokens, ``1 <= q < T``.
    d : token dimension.
    """

    T: int
    length: int
    q: int
    d: int = 1

    def __post_init__(self) -> None:
        checked_sizes(self.T, self.q, self.d)
        _checked_length(self.length, self.T)

    def seen_law(self) -> dict[int, Fraction]:
        r"""Return the law of the number :math:`k` of seen selected tokens, hypergeometric: ``{k: probability}``."""
        T, q, new = self.T, self.q, self.length - self.T
        whole = comb(self.length, q)
        return {k: Fraction(comb(T, k) * comb(new, q - k), whole) for k in range(max(q - new, 0), q + 1)}

    def best_alpha(self, w: Real) -> Fraction:
        r"""Return the best :math:`\alpha` at the training length, :math:`u=w^T`."""
        return FreshEncodings(self.T, self.q, self.d).best_alpha(_checked_power(w) ** self.T)

    def loss(self, w: Real, alpha: Real = None) -> Fraction:
        r"""Return :math:`L_{T'}` at rational :math:`w=e^{\beta/T}>0`; ``alpha`` is the trained one unless given.

        .. math:: d\,E_k\Bigl[k\bigl(\tfrac{\alpha w^{T-k}}Z-\tfrac1q\bigr)^2+(T-k)\bigl(\tfrac{\alpha w^{-k}}Z\bigr)^2
            +(q-k)\bigl(\tfrac\alpha Z-\tfrac1q\bigr)^2+(T'-T-q+k)\tfrac{\alpha^2}{Z^2}\Bigr].
        """
        x = _checked_power(w)
        alpha = self.best_alpha(x) if alpha is None else shortest_fraction(alpha)
        return self._mean(lambda k: self._given(k, alpha, x ** (self.T - k), x**-k, Fraction(1)))

    def limit(self) -> Fraction:
        r"""Return :math:`\lim_{\beta\to\infty}L_{T'}` with :math:`\alpha\to1`, positive for :math:`T'>T`.

        .. math:: d\Bigl[\sum_{k\ge1}\Pr(k)\bigl(\tfrac1k-\tfrac1q\bigr)+\Pr(0)\bigl(\tfrac1q-\tfrac1{T'}\bigr)\Bigr].
        """
        q = self.q
        return self._mean(lambda k: Fraction(1, k) - Fraction(1, q) if k else Fraction(1, q) - Fraction(1, self.length))

    def approach(self) -> tuple[int, Fraction]:
        r"""Return ``(j, c)`` with :math:`L_{T'}=\lim+c\,w^{-j}+O(w^{-j-1})`, :math:`c\ne0`, at :math:`\alpha^*`.

        Exact power series in :math:`z=1/w`.  In training :math:`w` rises, so in the tail the loss rises for
        :math:`c<0` and falls for :math:`c>0`.

        Raises
        ------
        DomainError
            At ``length == T``, where the limit is 0 and nothing is unseen.
        """
        if self.length == self.T:
            raise DomainError(f"length = {self.length}", required=f"length > T = {self.T}")
        order = 2 * self.T
        z, one, n = PowerSeries.power(1, order), PowerSeries.constant(1, order), self.T - self.q
        alpha = (self.q + n * z**self.T) / (self.q + n * z ** (2 * self.T))
        # numerator and denominator of each weight times w^(k - T), or w^k where no seen token is selected
        loss = sum(
            self.d
            * chance
            * (self._given(k, alpha, one, z**self.T, z ** (self.T - k)) if k else self._given(0, alpha, one, one, one))
            for k, chance in self.seen_law().items()
        )
        return (loss - self.limit()).leading()

    def _given(self, k: int, alpha: Any, selected: Any, other: Any, unseen: Any) -> Any:
        """The loss over d given k, from the weights of seen selected, other seen, and unseen tokens."""
        T, q, new = self.T, self.q, self.length - self.T
        scale = alpha / (k * selected + (T - k) * other + new * unseen)
        share = Fraction(1, q)
        hit = k * (scale * selected - share) ** 2 + (q - k) * (scale * unseen - share) ** 2
        return hit + (T - k) * (scale * other) ** 2 + (new - q + k) * (scale * unseen) ** 2

    def _mean(self, given: Callable[[int], Fraction]) -> Fraction:
        return self.d * sum((chance * given(k) for k, chance in self.seen_law().items()), Fraction(0))


def _checked_power(w: Any) -> Fraction:
    return checked_rational("w", w, lambda x: x > 0, required="w > 0", why="w = exp(beta/T)")


def _checked_length(length: int, T: int) -> None:
    if length < T:
        raise DomainError(f"length = {length}", required=f"length >= T = {T}", why="lengths beyond the training length")
