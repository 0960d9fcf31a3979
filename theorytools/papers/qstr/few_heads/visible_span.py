r"""What few heads with unrestricted attention matrices show of the Gaussian tokens: the span, its rank, the rest.

At a late position of :class:`FewTokens` the score of key ``j`` in head ``h`` is :math:`c_{hj}+\langle
w_h,x_j\rangle`.  Given these numbers the weights :math:`\pi_h` are fixed, and the head shows
:math:`\sum_j\pi_{hj}x_j` besides: the rows :math:`e_j\otimes w_h` and :math:`\pi_h\otimes e_r` of a linear map
of :math:`x\in\mathbb R^{K}\otimes\mathbb R^d`.  They span :math:`\mathbb R^K\otimes\mathcal W+\mathcal
A\otimes\mathbb R^d`; what nobody sees is :math:`\mathcal A^\perp\otimes\mathcal W^\perp`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, at_most, checked
from theorytools.constructions.shapes import has_axes
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, KeptAtPrecision, ball_matmul, first_independent, rational_rank
from theorytools.papers.qstr.few_heads.quadratic_readout import gram, solve, trace
from theorytools.papers.qstr.tasks.few_heads import FewTokens

if TYPE_CHECKING:
    import numpy as np

Row = tuple[int | Fraction, ...]


@checked
@dataclass(frozen=True)
class VisibleSpan:
    r"""The Gaussian tokens as ``H`` unrestricted heads show them, given the scores: a linear map over the rationals.

    Parameters
    ----------
    directions : the vectors :math:`w_h`, rows of ``d`` integers or fractions; none without a block between positions
        and data.
    weights : the attention weights :math:`\pi_h` up to a factor, ``H`` rows of length ``L <= K``: the weights on the
        first ``L`` Gaussian tokens; the others have weight zero and are invisible.
    task : the distribution, with the link ``sq``.

    Raises
    ------
    DomainError
        For rows of other lengths, a negative weight, or another link.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Proposition 3 and Lemma 40, arXiv 2503.11272v1; the span derived
    here.

    Examples
    --------
    >>> shown = VisibleSpan(((1, 0, 0, 0),), ((1, 1, 1),), FewTokens(N=7, d=4, q=3))
    >>> shown.rank, shown.late_error().fraction()  # rank q + d - 1; 2 (1 - 1/q) (1 - 1/d)
    (6, Fraction(1, 1))
    """

    directions: tuple[Row, ...]
    weights: tuple[Row, ...]
    task: FewTokens

    def __post_init__(self) -> None:
        task, lengths = self.task, {len(row) for row in self.weights}
        if {len(w) for w in self.directions} - {task.d} or len(lengths) > 1 or max(lengths, default=0) > task.K:
            raise DomainError(
                f"directions of lengths {[len(w) for w in self.directions]}, weights of lengths {sorted(lengths)}",
                required=f"rows of d = {task.d} numbers, and of one length up to K = {task.K}",
            )
        if task.link != "sq" or any(x < 0 for row in self.weights for x in row):
            raise DomainError(f"the link {task.link!r}", required="the link 'sq' and no negative weight")

    @classmethod
    @at_most(H=ENTRIES, L=ENTRIES)
    def random(
        cls, rng: np.random.Generator, H: PositiveInt, task: FewTokens, L: NonNegativeInt | None = None
    ) -> VisibleSpan:
        """Draw directions from -99 to 99 and weights from 1 to 99 on the first ``L`` tokens, the Gaussian indexed."""
        length = min(task.q, task.K) if L is None else L
        directions, weights = rng.integers(-99, 100, size=(H, task.d)), rng.integers(1, 100, size=(H, length))
        return cls(tuple(map(tuple, directions.tolist())), tuple(map(tuple, weights.tolist())), task)

    @classmethod
    def search(cls, draw: Callable[[Any], Any], point: Any) -> VisibleSpan:
        """Draw small directions and weights with hypothesis, for a point with the axes ``N``, ``d``, ``q``, ``H``.

        Points that no task has are rejected: hypotheses are tested only later.
        """
        from hypothesis import reject
        from hypothesis import strategies as st

        has_axes(point, "N", "d", "q", "H")
        if point.N < 3 or point.q > (point.N + 1) // 2 - 1:
            reject()
        task = FewTokens(point.N, point.d, point.q)
        directions, weights = (
            st.tuples(*[st.tuples(*[st.integers(low, 3)] * size)] * point.H)
            for low, size in ((-2, task.d), (0, task.K))
        )
        return cls(draw(directions), draw(weights), task)

    def rows(self) -> list[list[Any]]:
        r"""Return all rows, :math:`e_j\otimes w_h` and :math:`\pi_h\otimes e_r`, of length ``L d``."""
        return _kron(_unit(range(self._length), self._length), self.directions) + _kron(
            self.weights, _unit(range(self.task.d), self.task.d)
        )

    @cached_property
    def rank(self) -> int:
        """The rank of all rows over the rationals, by elimination."""
        return rational_rank(rows) if (rows := self.rows()) else 0

    @property
    def residual(self) -> int:
        """The number of Gaussian directions of the indexed tokens that no head sees; only these tokens have weight.

        Raises ``DomainError`` where other tokens have weight: their share of a row is noise, not knowledge.
        """
        if self._asked != set(range(self._length)):
            raise DomainError(
                f"weights on {self._length} Gaussian tokens, {len(self._asked)} of them indexed",
                required="weights on the indexed tokens",
                advice="late_error() holds for all weights",
            )
        return self._length * self.task.d - self.rank

    @cached_property
    def dimensions(self) -> tuple[int, int]:
        r"""The dimensions of :math:`\mathcal W` and :math:`\mathcal A`, the spans of directions and of weights."""
        return len(_first(self.directions)), len(_first(self.weights))

    def late_error(self) -> Enclosure:
        r"""Return the least :math:`E(y_i-\hat y_i)^2` of all readouts, given the scores, in rationals.

        For independent rows ``V`` of the span and ``J`` the projection on the indexed tokens it is

        .. math:: \frac{2}{qd}\bigl(\mathrm{tr}J-\mathrm{tr}S^2\bigr),\qquad S=(VV^\top)^{-1}VJV^\top,

        which is :math:`2(qd-\mathrm{rk}V)/(qd)` where only indexed tokens have weight (Lemma 40).
        """
        return self._late

    @KeptAtPrecision
    def _late(self) -> Enclosure:
        V, d, size = self._basis(), self.task.d, self._length * self.task.d
        columns = [t * d + r for t in sorted(self._asked) if t < self._length for r in range(d)]
        seen = Enclosure(len(columns) if len(V) == size else 0)  # V spans everything: S has the trace of J
        if V and columns and len(V) < size:
            S = solve(gram(V, range(size)), gram(V, columns))
            seen = trace(ball_matmul(S, S))
        return (len(self._asked) * d - seen) * 2 / (self.task.q * d)

    def risk(self) -> Enclosure:
        r"""Return the least :math:`R=\frac1N\sum_iE(y_i-\hat y_i)^2`.

        A blank tuple shows in the weights on the zero tokens, and its label is known.
        """
        late = self.late_error()
        return self.task.average(lambda indices: late if indices == self.task.indices else Enclosure(0))

    @property
    def _length(self) -> int:
        return len(self.weights[0]) if self.weights else 0

    @cached_property
    def _asked(self) -> set[int]:
        return {t for t in self.task.indices if t < self.task.K}

    def _basis(self) -> list[list[Any]]:
        W, A = _first(self.directions), _first(self.weights)
        # unit vectors that complete W: A (x) R^d = A (x) W + A (x) C, and R^L (x) W holds the first
        complete = _first([*W, *_unit(range(self.task.d), self.task.d)])[len(W) :]
        return _kron(_unit(range(self._length), self._length), W) + _kron(A, complete)


def _unit(places: Iterable[int], size: int) -> list[list[int]]:
    return [[int(k == place) for k in range(size)] for place in places]


def _kron(left: Sequence[Sequence[Any]], right: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [[x * y for x in a for y in b] for a in left for b in right]


def _first(rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    return [rows[k] for k in first_independent(rows)] if len(rows) else []
