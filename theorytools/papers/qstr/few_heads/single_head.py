r"""Two single heads to which the lower bound for few heads does not apply, and which beat it.

:class:`UniformHead` solves the *linear* link with one head: an average of tokens is all it needs.
:class:`CrossHead` has a block between positions and data: at ``d = 1`` its attention weights carry every
token, so one head solves the quadratic link for every ``q``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, checked
from theorytools.codes.protocol import Code
from theorytools.constructions.attention.layer import AttentionLayer, softmax
from theorytools.constructions.shapes import in_range, shaped
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, at_precision, total
from theorytools.numbers.softmax import exact_number
from theorytools.papers.qstr.tasks.few_heads import FewTokens

Array = NDArray[np.float64]


def _fits(codes: Code, task: FewTokens) -> None:
    if codes.N != task.N:
        raise DomainError(f"{codes.N} codes", required=f"N = {task.N}", why="one code for each position")


@checked
@dataclass(frozen=True)
class UniformHead:
    r"""One head that attends to all ``q`` indexed tokens at once, with the readout of the linear link.

    The block of every index slot is :math:`\alpha I`, so scores are :math:`\beta\sum_hG_{t_{ih},j}`; with
    orthogonal codes the indexed tokens share one weight :math:`\pi_1`, and :math:`\hat y_i=\langle
    e_1,\sum_j\pi_{ij}x_j\rangle/(\sqrt q\,\pi_1)` is the label up to leakage.  The error at a position is
    Gaussian of variance :math:`\frac1q\sum_{j\le K}(1_{j\in t_i}-\pi_{ij}/\pi_1)^2`.

    Parameters
    ----------
    codes, beta : position codes and effective inverse temperature, as in :class:`.FewHeads`.
    task : the distribution, with the link ``lin``.

    References
    ----------
    Derived here.
    """

    codes: Code
    beta: Real
    task: FewTokens

    def __post_init__(self) -> None:
        _fits(self.codes, self.task)
        if exact_number(self.beta, "beta").is_negative:
            raise DomainError(f"beta = {self.beta}", required="beta >= 0", why="an indexed position scores highest")
        if self.task.link != "lin":
            raise DomainError(f"the link {self.task.link!r}", required="'lin'", why="a norm is no average of tokens")

    def ratios(self, indices: Sequence[int]) -> list[Enclosure]:
        r"""Return :math:`\pi_{ij}/\pi_1` on the Gaussian tokens for a query with these indices."""
        if not len(indices):
            raise DomainError("no indices", required=f"q = {self.task.q} indices", why="the head averages over them")
        for t in indices:
            in_range("t", t, self.task.N)
        K = self.codes.gram_numerators()
        scores = np.stack([K[list(chosen)].sum(axis=0) for chosen in (indices, self.task.indices)])
        layer = AttentionLayer(scores, self.beta, self.codes.gram_denominator)
        weights, reference = (layer.relative(q) for q in range(2))
        scale = total(reference) / (total(weights) * reference[self.task.indices[0]])
        return [w * scale for w in weights[: self.task.K]]

    def variance(self, indices: Sequence[int]) -> Enclosure:
        """Return the variance of the error at positions with these indices."""
        ratios = enumerate(self.ratios(indices))
        return total((int(j in indices) - ratio) ** 2 for j, ratio in ratios) / self.task.q

    def late_error(self) -> Enclosure:
        """Return the squared error at late positions."""
        return self.variance(self.task.indices)

    def risk(self) -> Enclosure:
        r"""Return :math:`R=\frac1N\sum_iE(y_i-\hat y_i)^2` exactly."""
        return self.task.average(self.variance)

    def fourth_moment(self) -> Enclosure:
        r"""Return an upper bound of :math:`E Z^2`, as :math:`\|Z\|_2\le\sqrt3R` for such averages."""
        return 3 * self.risk() ** 2

    @cached_property
    def _map(self) -> Array:
        rows = [at_precision(64, partial(self.ratios, t)) for t, _ in self.task.groups()]
        return np.array([[float(x) for x in row] for row in rows])

    def predict(self, X: Array) -> Array:
        """Return the predictions, shape ``(n, N)``, for tokens ``(n, N, d)`` with the tuples of the task."""
        shaped("X", X, "n", self.task.N, self.task.d)
        late, early = (X[:, : self.task.K, 0] @ self._map.T / np.sqrt(self.task.q)).T
        return np.where(np.arange(self.task.N) < self.task.K, early[:, None], late[:, None])


@checked
@dataclass(frozen=True)
class CrossHead:
    r"""One head whose weights reveal every token at ``d = 1``: a block joins query positions and key data.

    :math:`W_{QK}` has the block :math:`\alpha I` of index slot 1 and, against key data, the column
    :math:`\lambda\sqrt{q/d}\sum_k\omega_k` on the query's own code, so with orthonormal codes

    .. math:: \langle z_i,W_{QK}z_j\rangle=\beta1_{j=t_{i1}}+\lambda x_j,\qquad
              \log\frac{\pi_{ij}}{\pi_{i,N-1}}=\beta1_{j=t_{i1}}+\lambda x_j\quad(x_{N-1}=0) .

    The code part :math:`\sum_j\pi_{ij}\omega_j` of the output gives all :math:`\pi_{ij}`, hence all tokens;
    the readout computes the label from them and clips it to :math:`[-r,r]`.  The moment bound uses the clip
    only, never that the decoding is right.

    Parameters
    ----------
    codes : orthonormal position codes.
    beta : effective inverse temperature, positive.
    task : the distribution, ``d = 1`` and the link ``sq``.
    slope : :math:`\lambda`.
    limit : :math:`r`, at least :math:`\sqrt q`, the size of the label at blank tuples.

    References
    ----------
    Derived here; it shows that Proposition 21 of arXiv 2503.11272v1 needs its block structure.
    """

    codes: Code
    beta: Real
    task: FewTokens
    slope: Fraction = Fraction(1, 4)
    limit: int = 4

    def __post_init__(self) -> None:
        _fits(self.codes, self.task)
        if not self._beta.is_positive or not self.slope:
            raise DomainError(
                f"beta = {self.beta}, slope = {self.slope}", required="beta > 0, slope not 0", why="weights tell tokens"
            )
        if self.task.d != 1 or self.task.link != "sq" or self.limit**2 < self.task.q:
            raise DomainError(
                f"d = {self.task.d}, the link {self.task.link!r}, limit = {self.limit}",
                required="d = 1, the link 'sq', limit >= sqrt(q)",
            )
        if self.codes.coherence() != 0 or self.codes.absolute_coherence() != 0:
            raise DomainError("codes that are not orthogonal", required="orthonormal codes")

    def fourth_moment(self) -> Enclosure:
        r"""Return an upper bound of :math:`E Z^2` that holds for every prediction in :math:`[-r,r]`.

        :math:`\|y-\hat y\|_4\le\|y\|_4+r`, where :math:`E y_i^4=12+48/q` at late positions and
        :math:`y_i=-\sqrt q` at blank ones; then Minkowski over positions.
        """
        q = self.task.q
        late, blank = (12 + Enclosure(Fraction(48, q))) ** Fraction(1, 4), Enclosure(q) ** Fraction(1, 2)
        sizes = {self.task.indices: late, self.task.first: late if self.task.early == "same" else blank}
        return self.task.average(lambda indices: (sizes[indices] + self.limit) ** 2) ** 2

    def W_QK(self) -> Array:
        """Return the merged query-key matrix, shape ``(D_e, D_e)``, row = query side."""
        q, k = self.task.q, self.codes.d_e
        W = np.zeros((1 + (q + 1) * k, 1 + (q + 1) * k))
        W[1 : 1 + k, 0] = float(self.slope) * np.sqrt(q) * self.codes.matrix().sum(axis=0)
        W[1 + k : 1 + 2 * k, 1 : 1 + k] = float(self._beta) * q * np.eye(k)
        return W

    @property
    def _beta(self) -> Any:
        return exact_number(self.beta, "beta")

    def head(self, code_part: Array) -> Array:
        r"""Return the prediction from :math:`\sum_j\pi_{ij}\omega_j`, shape ``(…, d_e)``."""
        shaped("code_part", code_part, "...", self.codes.d_e)
        task, beta = self.task, float(self._beta)
        log_ratio = np.log(code_part @ self.codes.matrix().T)
        log_ratio = log_ratio - log_ratio[..., -2:-1]
        log_ratio[..., task.indices[0]] -= beta
        x = log_ratio[..., list(task.indices)] / float(self.slope)
        y = (np.square(x) - 1).sum(axis=-1) / np.sqrt(task.q)
        blank = log_ratio[..., -1] > beta / 2
        return np.clip(np.where(blank, -np.sqrt(task.q), y), -self.limit, self.limit)

    def predict(self, X: Array) -> Array:
        """Return the predictions, shape ``(n, N)``, for tokens ``(n, N, 1)`` with the tuples of the task."""
        shaped("X", X, "n", self.task.N, 1)
        task, y = self.task, np.empty(X.shape[:2])
        for (indices, _), place in zip(task.groups(), (slice(task.K, None), slice(task.K)), strict=True):
            scores = float(self.slope) * X[:, :, 0]
            scores[:, indices[0]] += float(self._beta)
            y[:, place] = self.head(softmax(scores) @ self.codes.matrix())[:, None]
        return y
