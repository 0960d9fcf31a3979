r"""The distribution on which few heads fail: half of the tokens Gaussian, half of them zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, at_most, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, total

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_CHUNK = 2**20  # numbers in one block of prompts: two megabytes per array stay in the cache


@checked
@at_most(q=ENTRIES)
@dataclass(frozen=True)
class FewTokens:
    r"""Prompts whose later half asks one question about the earlier half.

    With :math:`K=\lceil N/2\rceil-1` (in the paper's count from 1, :math:`i\le K` is :math:`i<N/2`):
    :math:`x_i\sim N(0,I_d)` independent for :math:`i\le K` and :math:`x_i=0` for :math:`i>K`;
    :math:`t_i=(1,\dots,q)` for :math:`i>K`.  The tuples of the first :math:`K` positions are free as long as
    they do not depend on the tokens.  Labels by link,

    .. math:: \texttt{sq}:\ y_i=(qd)^{-1/2}\sum_{h\le q}\bigl(\|x_{t_{ih}}\|^2-d\bigr),\qquad
              \texttt{lin}:\ y_i=q^{-1/2}\sum_{h\le q}\langle e_1,x_{t_{ih}}\rangle .

    In code positions are counted from 0, so the late ones are ``K, …, N - 1``.

    Parameters
    ----------
    N, d, q : sequence length, token dimension, indices per position.
    early : tuples of the first ``K`` positions: ``"blank"`` points all of them to the last token, which is
        zero (the label there is known: the choice that leaves the least risk); ``"same"`` repeats the late
        tuple.
    link : ``"sq"`` or ``"lin"``.
    late : ``q`` distinct positions the late tuples point to, ``0, …, q - 1`` unless given.

    Raises
    ------
    DomainError
        If ``N < 3``, an index repeats or lies outside the prompt, or ``q > K`` while ``late`` is not given.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), proof of Proposition 3, arXiv 2503.11272v1.  Its proof sets
    the tokens to zero for :math:`i<N/2`; the argument needs :math:`i\ge N/2`, and :math:`q\le K` is unstated.

    Examples
    --------
    >>> task = FewTokens(N=8, d=1, q=2)
    >>> task.K, task.tuples()[[0, 7]].tolist()
    (3, [[7, 7], [0, 1]])
    """

    N: int
    d: int
    q: NonNegativeInt
    early: str = "blank"
    link: str = "sq"
    late: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if min(self.N - 2, self.d, self.q) < 1:
            raise DomainError(f"N = {self.N}, d = {self.d}, q = {self.q}", required="N >= 3, d >= 1, q >= 1")
        if self.early not in ("blank", "same") or self.link not in ("sq", "lin"):
            raise DomainError(
                f"early = {self.early!r}, link = {self.link!r}", required="'blank' or 'same'; 'sq' or 'lin'"
            )
        chosen = self.indices
        if len(set(chosen)) < self.q or len(chosen) != self.q or not all(0 <= t < self.N for t in chosen):
            raise DomainError(f"late = {self.late}", required=f"{self.q} distinct positions below {self.N}")
        if self.late is None and self.q > self.K:
            raise DomainError(
                f"q = {self.q} indices among K = {self.K} Gaussian tokens",
                required="q <= ceil(N/2) - 1",
                why="an index to a zero token asks for nothing",
                advice=f"take N >= {2 * self.q + 1}",
            )

    @property
    def K(self) -> int:
        r"""The number of Gaussian tokens, :math:`\lceil N/2\rceil-1`."""
        return (self.N + 1) // 2 - 1

    @property
    def indices(self) -> tuple[int, ...]:
        """The tuple of the late positions."""
        return tuple(range(self.q)) if self.late is None else self.late

    @property
    def first(self) -> tuple[int, ...]:
        """The tuple of the first ``K`` positions."""
        return self.indices if self.early == "same" else (self.N - 1,) * self.q

    def groups(self) -> list[tuple[tuple[int, ...], int]]:
        """Return the two index tuples, late and early, each with the number of positions that carry it."""
        return [(self.indices, self.N - self.K), (self.first, self.K)]

    def average(self, moment: Callable[[tuple[int, ...]], Enclosure]) -> Enclosure:
        """Return the mean over all positions of ``moment(tuple)``."""
        return total(moment(indices) * count for indices, count in self.groups()) / self.N

    def tuples(self) -> Indices:
        """Return the index tuples of a prompt, shape ``(N, q)``; every prompt has the same."""
        return np.array([self.first] * self.K + [self.indices] * (self.N - self.K), dtype=np.int64)

    @at_most(size=ENTRIES)
    def draw(self, rng: np.random.Generator, size: PositiveInt) -> Array:
        """Draw tokens, shape ``(size, N, d)``."""
        X = np.zeros((size, self.N, self.d))
        X[:, : self.K] = rng.standard_normal((size, self.K, self.d))
        return X

    def labels(self, X: Array) -> Array:
        """Return the labels, shape ``(n, N)``, of tokens ``X`` of shape ``(n, N, d)``."""
        if X.ndim != 3 or X.shape[1:] != (self.N, self.d):
            why = f"prompts of {self.N} tokens with {self.d} entries"
            raise DomainError(f"X of shape {X.shape}", required=f"X of shape (n, {self.N}, {self.d})", why=why)
        y = np.empty(X.shape[:2])
        for indices, places in ((self.indices, slice(self.K, None)), (self.first, slice(self.K))):
            tokens = X[:, list(indices)]
            if self.link == "sq":
                label = (np.einsum("nhk,nhk->n", tokens, tokens) - self.q * self.d) / np.sqrt(self.q * self.d)
            else:
                label = tokens[:, :, 0].sum(axis=1) / np.sqrt(self.q)
            y[:, places] = label[:, None]
        return y

    def squared_errors(self, predict: Callable[[Array], Any]) -> Callable[[np.random.Generator, int], Array]:
        r"""Return ``draw(rng, size)``, which gives :math:`\frac1N\sum_i(y_i-\hat y_i)^2` of fresh prompts.

        The mean of a draw is the risk :math:`R`.  Prompts are made in blocks: a large ``size`` needs little
        memory.

        Parameters
        ----------
        predict : callable
            Maps tokens ``(n, N, d)`` to predictions ``(n, N)``; the index tuples are those of the task.
        """
        block = max(_CHUNK // (4 * self.N * self.d), 1)

        def draw(rng: np.random.Generator, size: int) -> Array:
            errors = np.empty(size)
            for start in range(0, size, block):
                X = self.draw(rng, min(block, size - start))
                errors[start : start + block] = np.square(self.labels(X) - predict(X)).mean(axis=1)
            return errors

        return draw
