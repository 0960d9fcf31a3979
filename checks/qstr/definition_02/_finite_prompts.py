r"""Sparse token regression on finitely many prompts: every prompt listed, all equally likely, in integers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.amounts import amount
from theorytools.arguments.checked import Count, Steps, checked
from theorytools.errors import BudgetError, DomainError

Integers = NDArray[np.int64]
Law = Literal["general", "simple", "few"]

_PROMPTS = 2**17


@checked
@dataclass(frozen=True)
class FinitePrompts:
    r"""Prompts with tokens uniform over a finite alphabet of integers (token dimension 1), listed one by one.

    * ``general``: one index tuple per position, all of :math:`([N]^q)^N`;
    * ``simple``: one tuple per prompt, all of :math:`[N]^q`;
    * ``few``: with :math:`K=\lceil N/2\rceil-1`, tokens beyond the first ``K`` are zero and, as in the lower bound
      on heads, the first ``K`` positions ask for a zero token, the others for the tokens :math:`1,\dots,q`.

    Parameters
    ----------
    alphabet : different integers, the values of a token.
    N, q : sequence length and indices per position.
    law : one of the three.

    Raises
    ------
    DomainError
        For an empty or repeating alphabet, an unknown law, or ``q > K`` with ``few``.
    BudgetError
        For more than 2**17 prompts.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Definition 2, arXiv 2503.11272v1.

    Examples
    --------
    >>> X, T = FinitePrompts((-1, 1), N=2, q=1, law="simple").prompts()
    >>> X.shape, T.shape, FinitePrompts.labels(X, T)[1].tolist()
    ((8, 2), (8, 2, 1), [-1, -1])
    """

    alphabet: tuple[int, ...]
    N: Steps
    q: Steps = 1
    law: Law = "general"

    def __post_init__(self) -> None:
        if not self.alphabet or len(set(self.alphabet)) < len(self.alphabet) or min(self.N, self.q) < 1:
            raise DomainError(
                f"alphabet {self.alphabet}, N = {self.N}, q = {self.q}", required="different values, N, q >= 1"
            )
        if self.law not in ("general", "simple", "few") or (self.law == "few" and self.q > self.K):
            raise DomainError(
                f"the law {self.law!r} with q = {self.q}", required=f"general, simple, or few with q <= K = {self.K}"
            )
        if self.size > _PROMPTS:
            raise BudgetError(f"{amount(self.size)} prompts", required=f"at most {_PROMPTS}",
                              why="all of them are listed")

    @property
    def K(self) -> int:
        r"""The number of random tokens under ``few``, :math:`\lceil N/2\rceil-1`."""
        return (self.N + 1) // 2 - 1

    @property
    def size(self) -> int:
        """The number of prompts."""
        tuples = {"general": self.N ** (self.q * self.N), "simple": self.N**self.q, "few": 1}[self.law]
        return len(self.alphabet) ** (self.K if self.law == "few" else self.N) * tuples

    def prompts(self) -> tuple[Integers, Integers]:
        """Return tokens ``(P, N)`` and index tuples ``(P, N, q)``, counted from 0, of all ``P`` prompts."""
        few = self.law == "few"
        values = [(*x, *(0,) * (self.N - len(x))) for x in product(self.alphabet, repeat=self.K if few else self.N)]
        single = list(product(range(self.N), repeat=self.q))
        if few:
            tuples = [((self.N - 1,) * self.q,) * self.K + (tuple(range(self.q)),) * (self.N - self.K)]
        elif self.law == "simple":
            tuples = [(t,) * self.N for t in single]
        else:
            tuples = list(product(single, repeat=self.N))
        X, T = np.array(values, dtype=np.int64), np.array(tuples, dtype=np.int64)
        return np.repeat(X, len(T), axis=0), np.tile(T, (len(X), 1, 1))

    @staticmethod
    def labels(X: Integers, T: Integers, power: Count = 1) -> Integers:
        r"""Return :math:`\sum_jx_{t_{ij}}^{\text{power}}`, shape ``(P, N)``: the links ``lin`` and ``sq``, unscaled."""
        fits = X.ndim == 2 and T.ndim == 3 and len(X) == len(T) and T.dtype.kind in "iu"
        if not fits or (T.size and not 0 <= T.min() <= T.max() < X.shape[1]):
            given = f"X of shape {X.shape} and T of shape {T.shape}, type {T.dtype}"
            raise DomainError(
                given, required="X (P, N) and T (P, N, q), integers from 0 to N - 1", why="labels sum tokens"
            )
        return (X[np.arange(len(X))[:, None, None], T] ** power).sum(axis=2)
