r"""How much of the risk lies above a truncation level, from moments alone.

For :math:`|\hat y|\le AB\sqrt{1+H\max_j\|z_j\|^2}` and the moments of Assumption 1, with :math:`\Delta=\hat y-y`,

.. math:: \mathbb E[\Delta^4]^{1/2}\le E_2,\qquad \Pr(\Delta^2\ge\tau^\ast)\le\frac2{nE_2^2},\qquad
          0\le R-R_{\tau^\ast}\le\sqrt{2/n}\qquad\text{if }nE_2^2\ge e^{s/2}.

*Proof.*  :math:`\Delta^2\le2\hat y^2+2y^2`; :math:`\mathbb E[y^4]^{1/2}\le C_y4^s`, and with :math:`r=4\log N` (or 4)
:math:`\mathbb E[\max\|x_j\|^4]^{1/2}\le N^{2/r}C_xdr\le4\sqrt eC_xd\max(1,\log N)`.  If :math:`\Delta^2\ge\tau`
then :math:`\hat y^2` or :math:`y^2` is at least :math:`\tau/4`; :math:`\tau^\ast` makes the bound of Lemma 12 for one
prompt, and :func:`label_tail`, at most :math:`1/(nE_2^2)` each; below :math:`nE_2^2=e^{s/2}` that level is too low for
the latter.  Finally
:math:`R-R_\tau\le\mathbb E[\Delta^21_{\Delta^2\ge\tau}]\le\sqrt{\mathbb E\Delta^4\Pr(\Delta^2\ge\tau)}`.  ∎

The constants are derived here.

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 20 and Assumption 1, arXiv 2503.11272v1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy
from sympy import E, Max, erfc, exp, log, pi, sqrt

from theorytools.arguments.checked import Formula, PositiveFormula, PositiveInt, Real, checked
from theorytools.claims.language.bound import Bound, expression
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure, evaluate
from theorytools.papers.qstr.capacity.token_norms import token_failure

_MOST_POWER = 10**4


def prediction_cap(z2: Any, *, A: Any, B: Any, H: Any) -> sympy.Expr:
    r"""Return :math:`A^2B^2(1+H\max_j\|z_j\|^2)`, an upper bound on :math:`\hat y^2`."""
    z2, A, B, H = _expressions(z2, A, B, H)
    return A**2 * B**2 * (1 + H * z2)


@checked
def root_fourth_moment(
    *,
    N: PositiveFormula,
    d: Formula,
    q: Formula,
    H: Formula,
    A: Formula,
    B: Formula,
    C_x: Formula,
    C_y: Formula,
    s: Formula,
) -> sympy.Expr:
    r"""Return :math:`E_2`, a bound on :math:`\mathbb E[(\hat y-y)^4]^{1/2}`.

    .. math:: E_2=2\Bigl[A^2B^2\bigl(1+H(4\sqrt eC_xd\max(1,\log N)+d(1+\tfrac1q))\bigr)+C_y4^s\Bigr]
    """
    _moderate(s)
    N, d, q, C_x, C_y, s = _expressions(N, d, q, C_x, C_y, s)
    z2 = 4 * sqrt(E) * C_x * d * Max(1, log(N)) + d * (1 + 1 / q)
    return 2 * (prediction_cap(z2, A=A, B=B, H=H) + C_y * 4**s)


@checked
def truncation_level(
    E_2: Formula,
    *,
    N: PositiveFormula,
    n: PositiveFormula,
    d: Formula,
    q: Formula,
    H: Formula,
    A: Formula,
    B: Formula,
    C_x: Formula,
    C_y: Formula,
    s: Formula,
) -> sympy.Expr:
    r"""Return :math:`\tau^\ast`, above which the squared error lies with probability at most :math:`2/(nE_2^2)`.

    .. math:: \tau^\ast=\max\Bigl\{4A^2B^2\bigl[1+H\bigl(d(1+\tfrac1q)+2C_xed\log(NnE_2^2)\bigr)\bigr],\
              4C_y\bigl(\tfrac{2e}s\log(nE_2^2)\bigr)^s\Bigr\}
    """
    _moderate(s)
    E_2, N, n, d, q, C_x, C_y, s = _expressions(E_2, N, n, d, q, C_x, C_y, s)
    rare = log(n) + 2 * log(E_2)
    z2 = d * (1 + 1 / q) + 2 * C_x * E * d * (log(N) + rare)
    return Max(4 * prediction_cap(z2, A=A, B=B, H=H), 4 * C_y * (2 * E / s * rare) ** s)


@checked
def label_tail(v: Formula, *, C_y: Formula, s: Formula) -> Bound:
    r"""Return :math:`\exp(-\frac s{2e}(v^2/C_y)^{1/s})\ge\Pr(|y|\ge v)`; it needs :math:`v^2\ge C_ye^s`.

    *Proof.*  Markov with :math:`r=(v^2/C_y)^{1/s}/e\ge1`: :math:`(C_yr^s/v^2)^{r/2}=e^{-sr/2}`.  ∎
    """
    v, C_y, s = _expressions(v, C_y, s)
    return Bound(exp(-s / (2 * E) * (v**2 / C_y) ** (1 / s)))


@checked
def gaussian_excess(c: Formula) -> Bound:
    r"""Return :math:`4\mathbb E[y^21_{|y|>c}]` for :math:`y\sim N(0,1)`: what clipping at :math:`c` hides of a risk.

    For predictions in :math:`[-c,c]`, :math:`(\hat y-y)^2\le4y^2` where :math:`|y|>c`.
    """
    (c,) = _expressions(c)
    return Bound(8 * c * exp(-(c**2) / 2) / sqrt(2 * pi) + 4 * erfc(c / sqrt(2)))


@checked
@dataclass(frozen=True)
class TwoPointLabels:
    r"""A label that is :math:`v` with a fixed probability and otherwise zero: the moments allow no heavier tail.

    With :math:`\Pr(y=v)=1/K` and :math:`v^2=C_y(\frac{2e}s\log K)^s\ge C_ye^s`, Assumption 1 holds with equality at
    :math:`r=\frac2s\log K`, and :math:`\Pr(|y|\ge v)` is :func:`label_tail`.

    Parameters
    ----------
    v2 : :math:`v^2`, a sympy expression without letters.
    mass : :math:`\Pr(y=v)`.
    """

    v2: sympy.Expr
    mass: Fraction

    def __post_init__(self) -> None:
        if not 0 < self.mass <= 1:
            raise DomainError(f"mass = {self.mass}", required="0 < mass <= 1", why="it is a probability")

    @classmethod
    def sharp(cls, K: PositiveInt, *, C_y: Real, s: Real) -> TwoPointLabels:
        r"""Return the law with :math:`\Pr(y=v)=1/K` and :math:`v^2=C_y(\frac{2e}s\log K)^s`."""
        _moderate(s)
        C_y, s = _expressions(C_y, s)
        return cls(C_y * (2 * E * log(K) / s) ** s, Fraction(1, K))

    def moment(self, r: Real) -> Enclosure:
        r"""Return :math:`\mathbb E[|y|^r]^{2/r}=v^2p^{2/r}`."""
        return evaluate(self.v2 * expression(self.mass) ** (2 / expression(r)))

    def moment_constant(self, s: Real) -> Enclosure:
        r"""Return the least :math:`C_y` of Assumption 1, :math:`\sup_{r\ge1}\mathbb E[|y|^r]^{2/r}/r^s`.

        :math:`v^2p^{2/r}/r^s` increases up to :math:`r=\frac2s\log(1/p)`, where :math:`p^{2/r}=e^{-s}`, and then falls.
        """
        s = expression(s)
        peak = 2 * log(1 / expression(self.mass)) / s
        if (peak - 1).is_positive:
            return evaluate(self.v2 / (E * peak) ** s)
        return evaluate(self.v2 * expression(self.mass) ** 2)


@dataclass(frozen=True)
class Truncation:
    r"""The level of Lemma 20 and the heaviest tails that the moments allow there, at exact letters and :math:`H=q`.

    Parameters
    ----------
    N, n, d, q : sequence length, prompts, token dimension, indexed tokens.
    A, B : norms of the head.
    C_x, C_y, s : constants of Assumption 1.
    """

    N: int
    n: int
    d: int
    q: int
    A: Any
    B: Any
    C_x: Any
    C_y: Any
    s: Any

    @cached_property
    def E_2(self) -> sympy.Expr:
        """The bound on the root of the fourth moment."""
        return root_fourth_moment(H=self.q, **self._letters("N d q A B C_x C_y s"))

    @cached_property
    def level(self) -> sympy.Expr:
        r"""The level :math:`\tau^\ast`."""
        return truncation_level(self.E_2, H=self.q, **self._letters("N n d q A B C_x C_y s"))

    def _letters(self, names: str) -> dict[str, Any]:
        return {name: getattr(self, name) for name in names.split()}

    def tails(self, level: Enclosure) -> Enclosure:
        r"""Return :math:`\Pr(\hat y^2\ge\tau/4)+\Pr(y^2\ge\tau/4)` for two-point tokens and labels made for ``level``.

        Each is the bound from moments, attained by
        :class:`theorytools.papers.qstr.capacity.token_norms.TwoPointTokens`,
        never two long ones in a prompt, and :class:`TwoPointLabels`; predictions as large as their cap.
        """
        cap = evaluate(prediction_cap(0, A=self.A, B=self.B, H=self.q))
        r2 = (level / 4 / cap - 1) / self.q - self.d * (1 + Fraction(1, self.q))
        x = sympy.Symbol("x", positive=True)
        tokens = token_failure(x, n=1, N=self.N, d=self.d, C_x=self.C_x).expr
        labels = label_tail(x, C_y=self.C_y, s=self.s).expr
        return evaluate(tokens, {"x": r2.sqrt()}) + evaluate(labels, {"x": level.sqrt() / 2})


def _moderate(s: Any) -> None:
    if isinstance(s, int | float | Fraction) and s > _MOST_POWER:
        raise BudgetError(f"s = {s}", required=f"s <= {_MOST_POWER}", why="powers s of exact numbers are written out")


def _expressions(*values: Any) -> tuple[sympy.Expr, ...]:
    return tuple(expression(value, "a letter of Lemma 20") for value in values)
