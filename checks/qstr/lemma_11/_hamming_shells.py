r"""The exact retrieved token of a long prompt: tokens summed by Hamming distance, in integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.arguments.checked import Count, checked, ranks
from theorytools.codes.bch import BCHCode
from theorytools.codes.linear import LinearCode
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode
from theorytools.constructions.shapes import in_range, rows_of, shaped
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, ball_matmul, euclidean
from theorytools.numbers.softmax import boltzmann, exact_number


@checked
@dataclass(frozen=True, eq=False)
class HammingShells:
    r"""A retrieved token is a weighted mean of :math:`d_e+1` sums, one for each distance from the indexed code.

    .. math:: f_t=\frac{\sum_k\lambda^kS_k}{\sum_k\lambda^kn_k},\qquad\lambda=e^{-2\beta/d_e},\quad
              S_k=\sum_{\mathrm{Ham}(t,j)=k}x_j .

    The sums are integers and all :math:`N` tokens enter; only :math:`\lambda` is enclosed.  No Gram matrix is made, so
    this is the exact counterpart of :func:`~theorytools.papers.qstr.attention.streaming.streamed_retrieval`, one
    token at a time.

    Attributes
    ----------
    distances : the distances that occur, increasing.
    sums : for each, the integers :math:`S_k` and their number of tokens times the token unit, ``d + 1`` columns.
    d_e : dimension of the codes.
    """

    distances: list[int]
    sums: list[list[int]]
    d_e: Count

    def __post_init__(self) -> None:
        rows_of("sums", self.sums, count=len(self.distances))

    @classmethod
    def around(cls, code: Code, t: int, tokens: NDArray[np.int64], *, unit: int = 1) -> HammingShells:
        r"""Sum the tokens around position ``t`` of a sign code.

        Parameters
        ----------
        code : a sign code, as a table or computed from its index.
        t : the indexed position.
        tokens : integers, shape ``(N, d)``; the token of position ``j`` is ``tokens[j] / unit``.
        unit : a positive integer.

        Raises
        ------
        DomainError : a code of other than signs, tokens that are not integers of modulus below :math:`2^{62}/N`.
        """
        if not isinstance(code, SignCode | LinearCode | BCHCode):
            raise DomainError(f"a code of type {type(code).__name__}", required="a sign code", why="Hamming distances")
        t = in_range("t", t, code.N)
        shaped("tokens", tokens, code.N, "d")
        if unit < 1:
            raise DomainError(f"unit = {unit}", required="unit >= 1", why="tokens are multiples of 1 / unit")
        largest = int(np.abs(tokens).max()) if tokens.dtype.kind == "i" else 2**62
        if max(largest, unit) * code.N >= 2**62:
            raise DomainError(
                f"tokens of type {tokens.dtype}", required="integers whose sums fit 64 bits", why="sums are exact",
                advice="put the tokens on a grid: np.rint(X * 2**30).astype(np.int64), unit=2**30",
            )  # fmt: skip
        signs = code.signs if isinstance(code, SignCode) else code.rows(range(code.N))
        distance = np.count_nonzero(signs != signs[t], axis=1)
        order = np.argsort(distance, kind="stable")
        rings, first, count = np.unique(distance[order], return_index=True, return_counts=True)
        sums = np.column_stack([np.add.reduceat(tokens[order], first, axis=0), count * unit])
        return cls(rings.tolist(), sums.tolist(), code.d_e)

    def token(self, beta: sympy.Expr) -> list[Enclosure]:
        """Return the retrieved token at an exact inverse temperature, at the ambient precision."""
        number = exact_number(beta, "beta")
        if number.is_negative:
            raise DomainError(f"beta = {beta}", required="beta >= 0", why="the indexed code has the largest weight")
        step = boltzmann(number, 2, self.d_e)
        *token, normaliser = ball_matmul([[step**k for k in self.distances]], self.sums)[0]
        return [x / normaliser for x in token]

    @ranks(computed=1)
    def error(self, computed: NDArray[np.float64], beta: sympy.Expr) -> Enclosure:
        """Return the Euclidean distance of a computed token, as the doubles it consists of, from the exact one."""
        return euclidean(Enclosure(float(a)) - b for a, b in zip(computed, self.token(beta), strict=True))
