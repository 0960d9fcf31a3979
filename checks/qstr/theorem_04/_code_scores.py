r"""Scores between sign codes by separate query and key matrices, in integers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.codes.signs import SignCode
from theorytools.errors import DomainError

Integers = NDArray[np.int64]


def independent_words(N: int, d_e: int) -> SignCode:
    r"""Return :math:`N=2^k` words whose coordinates are different non-constant characters of the index.

    Over all words such coordinates have mean 0 and products of mean 0.  The coordinates are the characters
    :math:`1,2,4,\dots` and then the others in order; with all ``N - 1`` the words are a simplex.

    Raises
    ------
    DomainError : unless ``N`` is a power of 2 and ``log2(N) <= d_e < N``.
    """
    k = N.bit_length() - 1
    if N < 4 or 1 << k != N or not k <= d_e < N:
        raise DomainError(f"N = {N}, d_e = {d_e}", required="N = 2^k >= 4 and k <= d_e < N")
    powers = [1 << b for b in range(k)]
    characters = (powers + [c for c in range(N - 1, 0, -1) if c not in powers])[:d_e]
    common = np.arange(N)[:, None] & np.array(characters)
    return SignCode(1 - 2 * (np.bitwise_count(common) & 1).astype(np.int8))


@checked
@dataclass(frozen=True)
class SeparateScores:
    r"""Equal heads with :math:`W_Q=W_K=A`, the scores :math:`\frac dq\langle A\omega_t,A\omega_j\rangle`.

    Parameters
    ----------
    codes : the words, times :math:`d_e^{-1/2}`.
    kind : ``"identity"``; ``"diagonal"``, entries 1, 2, 3 in turn; ``"full"``, integers near a multiple of the
        identity; ``"folded"``, the sum of the first and the second half of the coordinates.
    q, d : heads and token dimension.
    """

    codes: SignCode
    kind: Literal["identity", "diagonal", "full", "folded"]
    q: int
    d: int

    @cached_property
    def A(self) -> Integers:
        """The query matrix, which is the key matrix too."""
        k = self.codes.d_e
        if self.kind == "folded":
            return np.hstack([np.eye(k // 2, dtype=np.int64)] * 2)
        if self.kind == "diagonal":
            return np.diag(1 + np.arange(k) % 3)
        rows, columns = np.indices((k, k))
        noise = (rows * rows + 3 * rows * columns) % 3 - 1
        return np.eye(k, dtype=np.int64) * k + noise if self.kind == "full" else np.eye(k, dtype=np.int64)

    def norm(self) -> int:
        r"""Return :math:`q(\|W_Q\|_F^2+\|W_K\|_F^2)`."""
        return 2 * self.q * int(np.square(self.A).sum())

    def gaps(self) -> tuple[Fraction, Fraction]:
        """Return the least and the largest gap between the score of the own code and of another one.

        Raises
        ------
        DomainError : a code that does not score best for itself.
        """
        seen: Any = self.codes.signs.astype(np.int64) @ self.A.T
        scores = seen @ seen.T  # integers below 2^53 at the sizes of the checks
        gaps = (np.diag(scores)[:, None] - scores)[~np.eye(len(scores), dtype=bool)]
        if gaps.min() <= 0:
            raise DomainError(f"a least gap of {gaps.min()}", required="scores that prefer every own code")
        unit = Fraction(self.d, self.q * self.codes.d_e)
        return unit * int(gaps.min()), unit * int(gaps.max())
