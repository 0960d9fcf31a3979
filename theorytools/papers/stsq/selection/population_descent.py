r"""Population gradient descent on a fixed bank of score vectors: no token is drawn.

On :math:`V=[\alpha I\ 0]`, :math:`W=\operatorname{diag}(0,\beta I)` the attention is :math:`a=\operatorname{softmax}
(\beta\sigma)` with :math:`\sigma_i=\langle e_i,e_y\rangle`, whatever the tokens.  With averages over the bank

.. math:: A=E\|a\|^2,\quad B=E\,a(y),\quad L=d\Bigl(\alpha^2A-\frac{2\alpha}qB+\frac1q\Bigr),\qquad
          \dot\alpha=-2\Bigl(\alpha A-\frac Bq\Bigr),\quad
          \dot\beta=-\frac d{d_e}\Bigl(\alpha^2A'-\frac{2\alpha}qB'\Bigr).

For Gaussian encodings and the dual query :math:`\sigma=(1_q,\sqrt{q/\chi^2_\nu}\,g)`, :math:`\nu=d_e-q+1`, costs
:math:`O(T)` numbers.  A bank of ``N`` resolves a floor only if :math:`N\Pr(\kappa\ge1)\gg1`.

References
----------
Wang, Wei, Hsu, Lee (2024), Reduction and Finite encodings, arXiv 2406.06893v1; derived here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, Numbers, PositiveInt, at_most, checked, ranks
from theorytools.arguments.values import checked_integer
from theorytools.codes.encodings import stochastic_encodings
from theorytools.errors import DomainError
from theorytools.papers.stsq.tasks.sparse_selection import checked_sizes

Floats = NDArray[np.float64]
LAWS = ("orth", "gauss_dual", "gauss_sum", "rad_sum")


@checked
@at_most(size=ENTRIES, T=ENTRIES)
def draw_scores(
    law: str, rng: np.random.Generator, size: PositiveInt, *, T: NonNegativeInt, q: int, d_e: int
) -> Floats:
    r"""Return fresh score vectors ``(size, T)``, those of the selected tokens first.

    Parameters
    ----------
    law : ``"orth"`` (selected 1, others 0), ``"gauss_dual"``, ``"gauss_sum"`` or ``"rad_sum"``.
    T, q, d_e : sizes; the subset is the first ``q`` positions, for the encodings are exchangeable.

    Raises
    ------
    DomainError
        For another law, ``q >= T``, or ``gauss_dual`` with ``d_e <= q``, where the gradient at :math:`\beta=0` has no
        mean.
    """
    checked_sizes(T, q)
    if law == "orth":
        return np.broadcast_to((np.arange(T) < q).astype(np.float64), (size, T))
    if law == "gauss_dual":
        why = "at d_e = q the off-scores are Cauchy and the gradient at beta = 0 has no mean"
        nu = checked_integer("d_e", d_e, least=q + 1, why=why) - q + 1
        spread = np.sqrt(q / rng.chisquare(nu, size))
        return np.concatenate([np.ones((size, q)), spread[:, None] * rng.standard_normal((size, T - q))], axis=1)
    if law not in LAWS:
        raise DomainError(f"the law {law!r}", required=f"one of {LAWS}")
    E = stochastic_encodings(law.removesuffix("_sum"), rng, size, T, d_e)
    return (E @ E[:, :q].sum(axis=1)[:, :, None])[:, :, 0]


def softmax(scores: Floats) -> Floats:
    """Return the attention ``(…, T)`` of scores that are already multiplied by the inverse temperature."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def _attention(scores: Floats, q: int, beta: float) -> Floats:
    if not scores.size:
        raise DomainError(f"scores of shape {scores.shape}", required="scores (N, T), N >= 1")
    checked_sizes(scores.shape[1], q)
    with np.errstate(over="ignore", invalid="ignore"):  # what is no number is refused
        a = softmax(beta * scores)
    if not np.isfinite(a).all():
        raise DomainError(f"beta = {beta}", required="beta times the scores in the range of doubles")
    return a


@checked
@ranks(scores=2)
def relative_loss(scores: Floats, q: int, *, alpha: float, beta: float) -> Floats:
    r"""Return :math:`q\sum_i(\alpha a_i-\tau_i)^2` of each vector, ``(N,)``, in :math:`[0,q\alpha^2+1]`."""
    a = _attention(scores, q, beta)
    return q * (alpha * alpha * (a * a).sum(axis=1) - 2 * alpha * a[:, :q].sum(axis=1) / q) + 1


@checked
@ranks(scores=2)
def least_relative_loss(scores: Floats, q: int, *, beta: float) -> Floats:
    r"""Return :math:`\min_\alpha q\sum_i(\alpha a_i-\tau_i)^2=1-a(y)^2/(q\|a\|^2)` of each vector, in [0, 1].

    Its mean is below the loss at every common :math:`\alpha`.
    """
    a = _attention(scores, q, beta)
    return np.maximum(1 - a[:, :q].sum(axis=1) ** 2 / (q * (a * a).sum(axis=1)), 0.0)


@checked
@dataclass(frozen=True)
class ScoreBank:
    r"""A bank of score vectors ``(N, T)``, selected tokens first.

    Parameters
    ----------
    scores : finite doubles ``(N, T)``.
    q : selected tokens, ``1 <= q < T``.

    Raises
    ------
    DomainError
        For scores of another shape or that are not finite.

    Examples
    --------
    >>> bank = ScoreBank.draw("orth", np.random.default_rng(0), 1, T=4, q=2, d_e=8)
    >>> float(bank.loss(1.0, 0.0, d=5))
    1.25
    """

    scores: Numbers
    q: int

    def __post_init__(self) -> None:
        x = np.array(self.scores, dtype=np.float64)
        if x.ndim != 2 or not len(x) or not np.isfinite(x).all():
            raise DomainError(f"scores of shape {x.shape}", required="finite scores (N, T), N >= 1")
        checked_sizes(x.shape[1], self.q)
        x.flags.writeable = False
        object.__setattr__(self, "scores", x)

    @classmethod
    @at_most(size=ENTRIES, T=ENTRIES)
    def draw(
        cls, law: str, rng: np.random.Generator, size: PositiveInt, *, T: NonNegativeInt, q: int, d_e: NonNegativeInt
    ) -> ScoreBank:
        """Return a bank of ``size`` vectors of :func:`draw_scores`."""
        return cls(draw_scores(law, rng, size, T=T, q=q, d_e=d_e), q)

    def moments(self, beta: float) -> tuple[float, float, float, float]:
        r"""Return :math:`A,B,A',B'` at this inverse temperature."""
        a = softmax(beta * self.scores)
        moved = a * (self.scores - (a * self.scores).sum(axis=1, keepdims=True))
        A, slope = (a * a).sum(axis=1).mean(), 2 * (a * moved).sum(axis=1).mean()
        return float(A), float(a[:, : self.q].sum(axis=1).mean()), float(slope), float(
            moved[:, : self.q].sum(axis=1).mean()
        )  # fmt: skip

    def loss(self, alpha: float, beta: float, *, d: NonNegativeInt) -> float:
        """Return the loss averaged over the bank."""
        A, B, _, _ = self.moments(beta)
        return d * (alpha * alpha * A - 2 * alpha / self.q * B + 1 / self.q)

    def slopes(self, alpha: float, beta: float, *, d: NonNegativeInt) -> tuple[float, float]:
        r"""Return :math:`(\partial_\alpha L,\partial_\beta L)`."""
        A, B, dA, dB = self.moments(beta)
        return 2 * d * (alpha * A - B / self.q), d * (alpha * alpha * dA - 2 * alpha / self.q * dB)

    @at_most(steps=ENTRIES)
    def descend(
        self, steps: NonNegativeInt, *, eta: float, d: NonNegativeInt, d_e: float, alpha: float = 0.0, beta: float = 0.0
    ) -> Floats:
        r"""Return :math:`(\alpha,\beta,L)` before each of ``steps`` steps of size ``eta`` and after the last.

        Time is :math:`t=\eta k`.  Shape ``(steps + 1, 3)``.

        Raises
        ------
        DomainError
            For ``eta`` outside (0, 1/2]: the scale needs :math:`\eta<1/\max A`.
        """
        checked_integer("steps", steps, least=1, why="a step is taken")
        if not (0 < eta <= 0.5 and d_e > 0 and math.isfinite(d_e)):
            raise DomainError(f"eta = {eta}, d_e = {d_e}", required="0 < eta <= 1/2, d_e > 0", why="A is at most 1")
        rows = np.empty((steps + 1, 3))
        for k in range(steps + 1):
            A, B, dA, dB = self.moments(beta)
            rows[k] = alpha, beta, d * (alpha * alpha * A - 2 * alpha / self.q * B + 1 / self.q)
            turn = d / d_e * (alpha * alpha * dA - 2 * alpha / self.q * dB)
            alpha, beta = alpha - 2 * eta * (alpha * A - B / self.q), beta - eta * turn
        return rows
