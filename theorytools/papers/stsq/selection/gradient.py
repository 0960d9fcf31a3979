r"""The gradient in the attention matrix, averaged over every sign encoding and every subset, in rationals.

Encodings :math:`e_i=w_i/\sqrt{d_e}`, :math:`w_i\in\{\pm1\}^{d_e}`, all :math:`2^{Td_e}` of them, and all subsets,
at a point :math:`V=[\alpha I\ 0]`, :math:`W=\operatorname{diag}(0,\beta I)` with :math:`e^{\beta/m}=v` rational, ``m``
the common denominator of all scores.  Attention does not see the tokens there, so with
:math:`r_i=\alpha a_i-\tau_i`

.. math:: \frac{\partial L}{\partial\sigma_i}=2d\alpha a_i\Bigl[r_i-\sum_ja_jr_j\Bigr],\qquad
          \nabla_{W_{22}}L=E\sum_i\frac{\partial L}{\partial\sigma_i}\,e_ie_y^\top .

The law of the encodings is invariant under signed permutations of the coordinates and the query moves along, so the
average commutes with all of them and is a multiple of the identity: training moves :math:`\beta` only.

References
----------
Wang, Wei, Hsu, Lee (2024), Reduction, arXiv 2406.06893v1 (the statement is derived here).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, checked
from theorytools.arguments.values import checked_integer, checked_rational, within_budget
from theorytools.errors import DomainError
from theorytools.numbers import rational_rank, solve_rational

_CODES = 2**12
_POWERS = 256
Integers = NDArray[np.int64]


@checked
@dataclass(frozen=True)
class SignGradient:
    r"""The averaged gradient at one point of the two-dimensional family.

    Parameters
    ----------
    T, q, d, d_e : tokens, selected tokens, token and encoding dimension; ``1 <= q < T``, ``T d_e <= 12``.
    alpha : scale of the values, rational.
    v : :math:`e^{\beta/m}`, a positive rational; 1 is uniform attention.
    query : ``"sum"``, or ``"dual"`` on the event that the Gram matrix of the selected encodings is regular.
    only : one encoding matrix ``(T, d_e)`` of signs, in place of all of them.

    Raises
    ------
    DomainError
        For parameters outside these ranges, and where no encoding has a dual query.
    BudgetError
        For more than ``2**12`` encodings, or scores above 256 units.

    Examples
    --------
    >>> SignGradient(4, 2, 5, 2, alpha=1, v=1).matrix[0]
    [Fraction(-5, 8), Fraction(0, 1)]
    """

    T: int
    q: int
    d: int
    d_e: int
    alpha: Real
    v: Fraction
    query: str = "sum"
    only: Sequence[Sequence[int]] | None = None

    def __post_init__(self) -> None:
        checked_integer("q", self.q, least=1, why="a token is selected")
        checked_integer("T", self.T, least=self.q + 1, why="with q >= T no token has to be left out")
        checked_integer("d", self.d, least=1, why="tokens are vectors")
        checked_integer("d_e", self.d_e, least=1, why="encodings are vectors")
        checked_rational("alpha", self.alpha, lambda x: True, required="any value", why="the gradient is rational then")
        checked_rational("v", self.v, lambda x: x > 0, required="v > 0", why="v is an exponential")
        if self.query not in ("sum", "dual"):
            raise DomainError(f"the query {self.query!r}", required="'sum' or 'dual'")

    # -- the average --------------------------------------------------------------------------------------
    @cached_property
    def matrix(self) -> list[list[Fraction]]:
        r"""The gradient in :math:`W_{22}`, shape ``(d_e, d_e)``."""
        total = [[Fraction(0)] * self.d_e for _ in range(self.d_e)]
        for scores, _, products in self._groups:
            for force, block in zip(self._forces(scores), products, strict=True):
                for r in range(self.d_e):
                    for s in range(self.d_e):
                        total[r][s] += force * int(block[r, s])
        return [[entry / (self.kept * self.unit) for entry in row] for row in total]

    @cached_property
    def slope(self) -> Fraction:
        r""":math:`\partial_\beta L=d(\alpha^2A'-\frac{2\alpha}qB')`, from the moments of the attention alone."""
        alpha, total = Fraction(self.alpha), Fraction(0)
        for scores, count, _ in self._groups:
            a = self._attention(scores)
            sigma = [Fraction(s, self.unit) for s in scores]
            mean = sum(x * s for x, s in zip(a, sigma, strict=True))
            moved = [x * (s - mean) for x, s in zip(a, sigma, strict=True)]
            square = 2 * sum(x * y for x, y in zip(a, moved, strict=True))
            total += count * (alpha**2 * square - 2 * alpha / self.q * sum(moved[: self.q]))
        return self.d * total / self.kept

    @property
    def off_diagonal(self) -> Fraction:
        """The largest entry off the diagonal, in absolute value; 0 for ``d_e = 1``."""
        entries = [abs(x) for r, row in enumerate(self.matrix) for s, x in enumerate(row) if r != s]
        return max(entries, default=Fraction(0))

    @property
    def diagonal(self) -> list[Fraction]:
        """The diagonal entries."""
        return [self.matrix[r][r] for r in range(self.d_e)]

    # -- its parts ----------------------------------------------------------------------------------------
    def _attention(self, scores: Sequence[int]) -> list[Fraction]:
        v = Fraction(self.v)
        weights = [v**s for s in scores]
        return [w / sum(weights) for w in weights]

    def _forces(self, scores: Sequence[int]) -> list[Fraction]:
        r""":math:`\partial L/\partial\sigma_i`, the selected tokens first."""
        a, alpha = self._attention(scores), Fraction(self.alpha)
        r = [alpha * x - (Fraction(1, self.q) if i < self.q else 0) for i, x in enumerate(a)]
        mean = sum(x * y for x, y in zip(a, r, strict=True))
        return [2 * self.d * alpha * x * (y - mean) for x, y in zip(a, r, strict=True)]

    @cached_property
    def grain(self) -> int:
        r"""The integer ``g`` for which encodings are :attr:`words` over :math:`g\sqrt{d_e}`."""
        return 1

    @cached_property
    def words(self) -> Integers:
        """All encodings ``(M, T, d_e)`` as integers."""
        if self.only is not None:
            words = np.array(self.only, dtype=np.int64)[None]
            if words.shape != (1, self.T, self.d_e) or (abs(words) != 1).any():
                raise DomainError(f"signs of shape {words.shape[1:]}", required=f"signs of shape {(self.T, self.d_e)}")
        else:
            bits = self.T * self.d_e
            advice = "take T d_e <= 12"
            within_budget("encodings", 2**bits, _CODES, why="every encoding is enumerated", advice=advice)
            signs = 1 - 2 * (np.arange(2**bits)[:, None] >> np.arange(bits) & 1)
            words = signs.reshape(-1, self.T, self.d_e).astype(np.int64)
        return words

    @cached_property
    def _selected(self) -> tuple[list[tuple[Integers, Integers]], int]:
        """Reordered encodings and the coefficients of their queries, times the unit; and the unit."""
        found = []
        for y in combinations(range(self.T), self.q):
            order = [*y, *(i for i in range(self.T) if i not in y)]
            words = self.words[:, order]
            grams = np.einsum("mid,mjd->mij", words[:, : self.q], words[:, : self.q])
            known: dict[bytes, list[Fraction] | None] = {}
            rows = [known.setdefault(g.tobytes(), self._coefficients(g)) if g.tobytes() not in known
                    else known[g.tobytes()] for g in grams]  # fmt: skip
            found.append((words, rows))
        unit = math.lcm(*(c.denominator for _, rows in found for row in rows if row is not None for c in row))
        pairs = []
        for words, rows in found:
            regular = [k for k, row in enumerate(rows) if row is not None]
            multiples = [_multiples(row, unit) for row in rows if row is not None]
            times = np.array(multiples, dtype=np.int64).reshape(-1, self.q)
            pairs.append((words[regular], times))
        return pairs, unit

    def _coefficients(self, gram: Integers) -> list[Fraction] | None:
        if self.query == "sum":
            return [Fraction(1, self.grain**2 * self.d_e)] * self.q
        if rational_rank(gram) < self.q:
            return None
        return [Fraction(c) for c in solve_rational(gram, [1] * self.q)]

    @property
    def unit(self) -> int:
        """The common denominator ``m`` of all scores."""
        return self._selected[1]

    @cached_property
    def kept(self) -> int:
        """Pairs of an encoding and a subset that have a query."""
        count = sum(len(words) for words, _ in self._selected[0])
        if not count:
            raise DomainError(f"q = {self.q}, d_e = {self.d_e}", required="d_e >= q", why="no dual query exists")
        return count

    @cached_property
    def _groups(self) -> list[tuple[list[int], int, Integers]]:
        """Distinct rows of scores times the unit, their counts, and the sums of encoding times query."""
        pairs = self._selected[0] if self.kept else []
        words = np.concatenate([w for w, _ in pairs])
        queries = np.concatenate([np.einsum("mj,mjd->md", c, w[:, : self.q]) for w, c in pairs])
        scores = np.einsum("mid,md->mi", words, queries)
        top, advice = int(abs(scores).max()), "take fewer encodings, or the sum query"
        within_budget("powers of v", top, _POWERS, why="attention is rational in v", advice=advice)
        rows, index, counts = np.unique(scores, axis=0, return_inverse=True, return_counts=True)
        sums = np.zeros((len(rows), self.T, self.d_e, self.d_e), dtype=np.int64)
        np.add.at(sums, index.reshape(-1), words[:, :, :, None] * queries[:, None, None, :])
        return [(list(map(int, r)), int(c), s) for r, c, s in zip(rows, counts, sums, strict=True)]


def _multiples(row: list[Fraction], unit: int) -> list[int]:
    """The numbers times their common denominator."""
    return [c.numerator * (unit // c.denominator) for c in row]
