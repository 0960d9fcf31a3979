r"""How many prompts a first layer in their span must have seen where tokens are signs: about :math:`2p/\log_2p`, not p.

Prompts :math:`x` are uniform on :math:`\{\pm1\}^p`, :math:`p=Nd`, and so are the :math:`n` training inputs, the rows of
:math:`X`; the label is :math:`y=\langle u,x_t\rangle`, :math:`t` uniform on :math:`[N]`.  A network :math:`f(T,Wx)`
with the rows of :math:`W` in the span of the inputs knows no more of :math:`x` than :math:`Xx`.  Behind it the least
risk, averaged over an orthonormal basis of links, is :math:`R=\frac1p\sum_jE\operatorname{Var}(x_j\mid Wx)`, for every
basis the same; the largest over links is between :math:`R` and :math:`dR`.

*From below, for every data set* (:func:`sign_risk_floor`).  With :math:`m_j=E(x_j\mid Xx)`, the entropy
:math:`H_p` of a sum of :math:`p` signs, the entropy :math:`h` of a coin and :math:`a=1/\log4`,

.. math:: p-nH_p\le p-H(Xx)=H(x\mid Xx)\le\sum_jE\,h\bigl(\tfrac{1+m_j}2\bigr)\le\sum_jE(1-m_j^2)^a\le pR^a .

The first step is subadditivity, the second the chain rule, the last one Jensen's inequality.  The third: let
:math:`g(m)=(1-m^2)^a-h(\frac{1+m}2)`.  Then :math:`g''(m)=\frac{2a}{1-m^2}\bigl(1-(1-s)^{a-1}(1-(2a-1)s)\bigr)`,
:math:`s=m^2`.  The logarithm of the product is 0 at :math:`s=0`; its derivative has the sign of
:math:`(1-a)(1-(2a-1)s)-(2a-1)(1-s)`, linear in :math:`s` and negative at 0, where it is :math:`2-3a`; it ends at
:math:`+\infty`.  So the logarithm is first negative, then positive: :math:`g` is convex, then concave on [0, 1].  As
:math:`g(0)=g'(0)=0=g(1)`, it is nowhere negative.

*From above, on average over data sets* (:func:`sign_mean_risk`).  In a set of :math:`k` prompts that :math:`X` does
not tell apart, :math:`k_+` of them with :math:`x_j=1`, the variance of :math:`x_j` is :math:`4k_+k_-/k^2`, and
:math:`4k_+k_-/k\le2k_+k_-` for :math:`k\ge2`: the mean of the variance is at most the mean number of prompts that are
confused with :math:`x` and differ from it at :math:`j`.  A prompt that differs at :math:`w` places is confused with
:math:`x` if a sum of :math:`w` signs is 0 for each input, so

.. math:: E_XR\le\sum_{w\text{ even}}\binom{p-1}{w-1}\pi_w^n,\qquad
    P_X(R>0)\le\sum_{w\text{ even}}2^{w-1}\binom pw\pi_w^n,\qquad\pi_w=2^{-w}\binom w{w/2};

the second (:func:`sign_confusion`) counts the differences of two prompts, up to their sign.

*Together, for large p.*  As :math:`H_p\le\frac12\log_2(\pi e(\frac p2+\frac16))`, a risk :math:`\rho` takes every data
set at least :math:`(1-\rho^a)(2-o(1))p/\log_2p` prompts.  As :math:`\pi_w\le\min(\frac12,\sqrt{2/(\pi w)})`, most
data sets of :math:`(2+\delta)p/\log_2p` have any fixed risk :math:`\rho>0`: the weights up to
:math:`p/\log_2^2p` are :math:`2^{o(n)}` in number and add :math:`2^{o(n)-n}`, the others at most
:math:`2^p(2\log_2^2p/(\pi p))^{n/2}=2^{p-(1+\delta/2-o(1))p}`.  In the same way
:math:`(2\log_23+\delta)p/\log_2p`, :math:`2\log_23=3.17`, are enough for risk 0, with :math:`3^p` for :math:`2^p`.
For Gaussian tokens :math:`(1-\rho)p` are necessary (Theorem 6).

References
----------
Erdős, Rényi (1963), On two problems of information theory, and Lindström (1965), On a combinatorial problem in number
theory, for sets that weighings tell apart: inputs are weighings, and 2 is the best constant for chosen ones.  That
they answer what Theorem 6 of arXiv 2503.11272v1 becomes for signs, and the bounds of the risk, is derived here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb, lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Numbers, PositiveInt, Real, checked
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure, shortest_fraction, total, working_precision

_PLACES = 20  # signs of a prompt: all 2^20 prompts are enumerated
_LONGEST = 2**12  # p up to which sums over w are formed
_EXACT = 2**12  # p n up to which they are rational


@checked
def sign_row_entropy(N: PositiveInt, *, d: PositiveInt = 1) -> Enclosure:
    r"""Return the entropy in bits of :math:`\langle r,x\rangle` for any sign row :math:`r` and a uniform sign prompt.

    The inner product is a sum of :math:`p=Nd` independent signs: :math:`H_p=p-2^{-p}\sum_k\binom pk\log_2\binom pk`.

    Parameters
    ----------
    N, d : sequence length and token dimension.

    Returns
    -------
    Enclosure : in bits.

    Raises
    ------
    BudgetError : more than 2^12 signs in a prompt.

    Examples
    --------
    >>> sign_row_entropy(1), sign_row_entropy(2), round(float(sign_row_entropy(64)), 3)
    (Enclosure(1), Enclosure(3/2), 4.047)
    """
    return _row_entropy(_signs(N, d), working_precision())


@lru_cache(maxsize=256)
def _row_entropy(p: int, bits: int) -> Enclosure:
    logs = total(comb(p, k) * Enclosure(comb(p, k)).log() for k in range(1, p) if comb(p, k) > 1)
    if p == 2:  # binomial coefficients 1, 2, 1
        return Enclosure(Fraction(3, 2))
    return p - logs / Enclosure(2).log() / 2**p


@checked
def sign_risk_floor(N: PositiveInt, n: PositiveInt, *, d: PositiveInt = 1) -> Enclosure:
    r"""Return :math:`(1-nH_p/p)_+^{\log4}`, below the risk of every network in the span of any ``n`` sign prompts.

    Parameters
    ----------
    N, d : sequence length and token dimension, :math:`p=Nd`.
    n : training prompts.

    Returns
    -------
    Enclosure : a lower bound of the risk averaged over a basis of links, and so of the largest over links.

    Raises
    ------
    BudgetError : more than 2^12 signs in a prompt.

    References
    ----------
    Derived here; the proof stands at the head of the module.

    Examples
    --------
    >>> round(float(sign_risk_floor(64, 8)), 4), sign_risk_floor(64, 16)
    (0.3763, Enclosure(0))
    """
    share = 1 - n * sign_row_entropy(N, d=d) / (N * d)
    if share.certainly_le(0):
        return Enclosure(0)
    return share.nonnegative_part() ** (2 * Enclosure(2).log())


@checked
def sign_mean_risk(N: PositiveInt, n: PositiveInt, *, d: PositiveInt = 1) -> Enclosure:
    r"""Return :math:`\sum_w\binom{p-1}{w-1}\pi_w^n`, above the mean over data sets of the least risk in their span.

    Parameters
    ----------
    N, d : sequence length and token dimension, :math:`p=Nd`.
    n : independent uniform training prompts.

    Returns
    -------
    Enclosure : rational for :math:`pn\le4096`; for the largest risk over links ``d`` times as large.

    Raises
    ------
    BudgetError : more than 2^12 signs in a prompt.

    References
    ----------
    Derived here; the proof stands at the head of the module.

    Examples
    --------
    >>> sign_mean_risk(2, 3), round(float(sign_mean_risk(64, 25)), 4)
    (Enclosure(1/8), 0.0084)
    """
    return _confused(_signs(N, d), n, lambda p, w: comb(p - 1, w - 1))


@checked
def sign_confusion(N: PositiveInt, n: PositiveInt, *, d: PositiveInt = 1) -> Enclosure:
    r"""Return :math:`\sum_w2^{w-1}\binom pw\pi_w^n`, above the probability that :math:`X` merges two prompts.

    Parameters
    ----------
    N, d : sequence length and token dimension, :math:`p=Nd`.
    n : independent uniform training prompts.

    Returns
    -------
    Enclosure : rational for :math:`pn\le4096`; it may exceed 1.

    Raises
    ------
    BudgetError : more than 2^12 signs in a prompt.

    References
    ----------
    Erdős, Rényi (1963), On two problems of information theory; the sum is derived here.

    Examples
    --------
    >>> sign_confusion(2, 3), round(float(sign_confusion(64, 34)), 4)
    (Enclosure(1/4), 0.2781)
    """
    return _confused(_signs(N, d), n, lambda p, w: comb(p, w) << (w - 1))


def _confused(p: int, n: int, pairs: Callable[[int, int], int]) -> Enclosure:
    exact = p * n <= _EXACT
    result = Enclosure(0)
    for w in range(2, p + 1, 2):
        share = Enclosure(Fraction(comb(w, w // 2), 2**w))
        result = result + pairs(p, w) * (share if exact else Enclosure(share.ball())) ** n
    return result


@checked
def sign_prompts_needed(N: PositiveInt, *, d: PositiveInt = 1, risk: Real = 0) -> int:
    r"""Return a number of prompts below which no network in their span has that risk, whatever the data set.

    The least ``n`` at which :func:`sign_risk_floor` is not certainly above ``risk``: with fewer, for every data set,
    every ``f`` and every layer in the span the risk averaged over a basis of links is larger.  At ``risk = 0`` it is
    :math:`\lceil Nd/H_p\rceil`, about :math:`2Nd/\log_2(Nd)`.

    Parameters
    ----------
    N, d : sequence length and token dimension.
    risk : from 0 to 1, an exact number; labels have variance 1.

    Returns
    -------
    int : prompts, 0 or more.

    Raises
    ------
    DomainError : a risk outside [0, 1).
    BudgetError : more than 2^12 signs in a prompt.

    References
    ----------
    Derived here, for Theorem 6 of Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), arXiv 2503.11272v1, with sign tokens.

    Examples
    --------
    >>> [sign_prompts_needed(N) for N in (16, 64, 256, 1024)], sign_prompts_needed(64, risk=Fraction(1, 10))
    ([6, 16, 51, 170], 13)
    """
    level = _level(risk)
    n = int(float((1 - Enclosure(level) ** (1 / (2 * Enclosure(2).log()))) * N * d / sign_row_entropy(N, d=d)))
    while n > 0 and not _above(N, n - 1, d, level):
        n -= 1
    while _above(N, n, d, level):
        n += 1
    return n


def _above(N: int, n: int, d: int, level: Fraction) -> bool:
    floor = sign_risk_floor(N, n, d=d) if n else Enclosure(1)
    return Enclosure(level).certainly_lt(floor) is True


@checked
def sign_prompts_enough(N: PositiveInt, *, d: PositiveInt = 1, risk: Real = 0, fail: Real = Fraction(1, 100)) -> int:
    r"""Return a number of prompts from which on most data sets have a network of that risk in their span.

    With that many independent uniform prompts or more there is, with probability at least ``1 - fail`` over them, an
    ``f`` behind :math:`W=X` with risk at most ``risk`` averaged over a basis of links.  At ``risk = 0`` the least ``n``
    with :func:`sign_confusion` at most ``fail``; else the smaller of that and the least with :func:`sign_mean_risk` at
    most ``risk * fail`` (Markov's inequality).

    Parameters
    ----------
    N, d : sequence length and token dimension.
    risk : from 0 to 1, an exact number; labels have variance 1.
    fail : probability over data sets that is given up, above 0.

    Returns
    -------
    int : prompts.

    Raises
    ------
    DomainError : a risk outside [0, 1), or ``fail`` outside (0, 1).
    BudgetError : more than 2^12 signs in a prompt.

    References
    ----------
    Derived here, for Theorem 6 of Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), arXiv 2503.11272v1, with sign tokens.

    Examples
    --------
    >>> [sign_prompts_enough(N) for N in (64, 256)], sign_prompts_enough(64, risk=Fraction(1, 10))
    ([36, 103], 27)
    """
    level, lost = _level(risk), shortest_fraction(fail)
    if not 0 < lost < 1:
        raise DomainError(f"fail = {fail}", required="0 < fail < 1", why="no number of prompts excludes equal ones")
    found = [_least(N * d, lost, sign_confusion, lambda p, w: _log2_comb(p, w) + w - 1)]
    if level:
        found.append(_least(N * d, level * lost, sign_mean_risk, lambda p, w: _log2_comb(p - 1, w - 1)))
    return min(found)


def _least(p: int, goal: Fraction, bound: Callable[..., Enclosure], log_pairs: Callable[[int, int], float]) -> int:
    """The least n at which a bound that falls in n is certainly at most the goal; floats propose it."""
    pairs = [(log_pairs(_signs(p, 1), w), _log2_comb(w, w // 2) - w) for w in range(2, p + 1, 2)]
    target, n = log(goal) / log(2) + 1e-6, 1
    while max((a + n * b for a, b in pairs), default=target) > target:  # below the sum, so never too far
        n += 1
    while bound(p, n).certainly_le(goal) is not True:
        n += 1
    return n


def _log2_comb(p: int, k: int) -> float:
    return (lgamma(p + 1) - lgamma(k + 1) - lgamma(p - k + 1)) / log(2)


def _level(risk: Any) -> Fraction:
    level = shortest_fraction(risk)
    if not 0 <= level < 1:
        raise DomainError(f"risk = {risk}", required="0 <= risk < 1", why="labels have variance 1")
    return level


def _signs(N: int, d: int) -> int:
    if N * d > _LONGEST:
        raise BudgetError(
            f"N d = {N * d} signs", required=f"at most {_LONGEST}", why="sums over all weights are formed"
        )
    return N * d


@checked
@dataclass(frozen=True, eq=False)
class SignPrompts:
    r"""All sign prompts behind a first layer: which of them it tells apart, exactly; made by :meth:`of`.

    Attributes
    ----------
    rows : the layer, integers of shape ``(m, p)``.

    Raises
    ------
    BudgetError : more than 2^20 prompts.

    References
    ----------
    Derived here, for Theorem 6 of Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), arXiv 2503.11272v1, with sign tokens.

    Examples
    --------
    >>> SignPrompts.of([[1, 1]]).risk, SignPrompts.of([[1, 1], [1, -1]]).risk, SignPrompts.of([[1, 2]]).classes
    (Fraction(1, 2), Fraction(0, 1), 4)
    """

    rows: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.rows.ndim != 2 or not self.rows.size or self.rows.dtype.kind != "i":
            raise DomainError(f"rows of shape {self.rows.shape}", required="integers of shape (m, p), m, p >= 1")
        if self.rows.shape[1] > _PLACES:
            raise BudgetError(f"2^{self.rows.shape[1]} prompts", required=f"at most 2^{_PLACES}", why="all are visited")
        if int(np.abs(self.rows).sum(axis=1).max()) >= 2**40:
            raise BudgetError("a row of such large entries", required="a sum of moduli below 2^40", why="64-bit sums")

    @classmethod
    def of(cls, W: Numbers) -> SignPrompts:
        """Return the prompts behind a layer.

        Parameters
        ----------
        W : integers, shape ``(m, p)`` or ``(m, N, d)``.

        Returns
        -------
        SignPrompts : with the layer in rows.

        Raises
        ------
        DomainError : entries that are not integers, or another shape.
        """
        entries = np.asarray(W)
        if entries.ndim not in (2, 3) or not entries.size or entries.dtype.kind not in "iu":
            raise DomainError(f"W of shape {entries.shape}", required="integers of shape (m, p) or (m, N, d)")
        return cls(entries.astype(np.int64).reshape(len(entries), -1))

    @property
    def p(self) -> int:
        """Signs in a prompt."""
        return int(self.rows.shape[1])

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """The class of every prompt, sign ``j`` of prompt ``k`` is its binary digit ``j``; shape ``(2^p,)``."""
        seen = np.zeros(2**self.p, dtype=np.int64)
        for row in self.rows:
            values = np.zeros(1, dtype=np.int64)
            for weight in row:
                values = np.concatenate([values - weight, values + weight])
            width = int(values.max() - values.min()) + 1
            seen = np.unique(seen * width + (values - values.min()), return_inverse=True)[1]
        return seen

    @property
    def classes(self) -> int:
        """The number of values that the layer takes."""
        return int(self.labels.max()) + 1

    @property
    def injective(self) -> bool:
        """Whether the layer tells all prompts apart: then some ``f`` has risk 0, and otherwise none."""
        return self.classes == 2**self.p

    @cached_property
    def risk(self) -> Fraction:
        r"""The least risk of any ``f`` behind the layer, :math:`\frac1p\sum_jE\operatorname{Var}(x_j\mid Wx)`."""
        counts = np.bincount(self.labels)
        seen = Fraction(0)
        for j in range(self.p):
            sign = 2 * ((np.arange(2**self.p) >> j) & 1) - 1
            sums = np.bincount(self.labels, weights=sign).astype(np.int64)  # integers below 2^53
            for size in np.unique(counts):
                part = sums[counts == size]
                seen += Fraction(int((part * part).sum()), int(size))
        return 1 - seen / (self.p * 2**self.p)

    @property
    def entropy(self) -> Enclosure:
        """The entropy of the layer's value, in bits."""
        sizes, often = np.unique(np.bincount(self.labels), return_counts=True)
        parts = (int(k) * int(m) * Enclosure(int(m)).log() for m, k in zip(sizes, often, strict=True) if m > 1)
        return self.p - total(parts) / Enclosure(2).log() / 2**self.p
