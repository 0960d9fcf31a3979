r"""Predicting a squared norm from linear images of a Gaussian: the best error and its law, from traces.

For :math:`x\sim N(0,I_{Kd})` seen through :math:`V\otimes I_d`, ``V`` of shape :math:`H\times K` and rank
``H``, and the projection ``J`` on some of the ``K`` coordinates, let :math:`\Pi=V^\top(VV^\top)^{-1}V`.
Then

.. math:: E\bigl[x^\top(J\otimes I_d)x\mid(V\otimes I_d)x\bigr]
          =x^\top(\Pi J\Pi\otimes I_d)x+d\,\mathrm{tr}(J-\Pi J\Pi),\qquad\Pi J\Pi=V^\top CV,

with :math:`C=G^{-1}MG^{-1}`, :math:`G=VV^\top`, :math:`M=VJV^\top`: everything is a trace of
:math:`H\times H` matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, at_most, checked, ranks
from theorytools.constructions.shapes import has_axes, rows_of
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, ball_matmul, solve_ball, solve_rational, total

if TYPE_CHECKING:
    import numpy as np

Matrix = Sequence[Sequence[Any]]


@dataclass(frozen=True)
class QuadraticError:
    r"""A centred quadratic form, :math:`e=(qd)^{-1/2}\bigl(x^\top(B\otimes I_d)x-d\,\mathrm{tr}B\bigr)`.

    Here :math:`x\sim N(0,I)`.  With the eigenvalues of the symmetric matrix ``B``,
    :math:`e=(qd)^{-1/2}\sum_k\lambda_k(\chi^2_{d,k}-d)`, independent chi-squares; for a projection of rank
    ``k``, :math:`e=(qd)^{-1/2}(\chi^2_{kd}-kd)`.

    Attributes
    ----------
    square : :math:`\mathrm{tr}B^2`.
    fourth : an upper bound of :math:`\mathrm{tr}B^4`.
    q, d : indices per position and token dimension.
    rank : the rank ``k`` where ``B`` is known to be a projection, else None.
    """

    square: Enclosure
    fourth: Enclosure
    q: int
    d: int
    rank: int | None = None

    def second_moment(self) -> Enclosure:
        r"""Return :math:`E e^2=2\,\mathrm{tr}B^2/q`, since :math:`\mathrm{Var}\,\chi^2_d=2d`."""
        return 2 * self.square / self.q

    def fourth_moment(self) -> Enclosure:
        r"""Return an upper bound of :math:`E e^4=(3\kappa_2^2+\kappa_4)/(qd)^2`.

        The cumulants of :math:`\sum_k\lambda_k\chi^2_{d,k}` are :math:`\kappa_2=2d\,\mathrm{tr}B^2` and
        :math:`\kappa_4=48d\,\mathrm{tr}B^4`.
        """
        return (12 * self.square**2 + Fraction(48, self.d) * self.fourth) / self.q**2


@checked
@ranks(rows=2)
def best_error(rows: Matrix, q: NonNegativeInt) -> Enclosure:
    r"""Return the least :math:`E(y-\hat y)^2` of all readouts behind these attention weights.

    .. math:: \inf_{\hat y}E\bigl(y-\hat y((V\otimes I_d)x)\bigr)^2=2\Bigl(1-\frac{\mathrm{tr}S^2}q\Bigr),
              \qquad S=(VV^\top)^{-1}VJV^\top,

    for :math:`y=(qd)^{-1/2}(\|x_{1:q}\|^2-qd)` and ``J`` the projection on the first ``q`` coordinates,
    because :math:`\|J-\Pi J\Pi\|_F^2=q-\|J\Pi J\|_F^2` and :math:`\|J\Pi J\|_F^2=\mathrm{tr}S^2`.  As
    :math:`0\preceq J\Pi J\preceq I` has rank at most ``H``, the value is at least :math:`2(1-H/q)` for
    **every** ``V``, with equality when :math:`q=K`.

    Parameters
    ----------
    rows : matrix
        The weights on the Gaussian tokens, ``H`` linearly independent rows of length :math:`K\ge q`;
        integers, fractions or enclosures (evaluated at the ambient precision).
    q : int
        Number of tokens in the label: the first ``q`` of the ``K``.

    Raises
    ------
    DomainError
        If rational rows are linearly dependent (``CertificateError`` for balls not proved independent).

    References
    ----------
    Derived here; Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 40 and Proposition 21 (``d = 1``),
    arXiv 2503.11272v1.

    Examples
    --------
    >>> best_error([[1, 1, 0], [0, 1, 1]], 3).fraction(), best_error([[3, 0, 1]], 2).fraction()
    (Fraction(2, 3), Fraction(119, 100))
    """
    rows_of("rows", rows)
    if not 1 <= q <= len(rows[0]):
        raise DomainError(
            f"q = {q}, rows of length {len(rows[0])}", required="1 <= q <= K", why="the label reads the first q tokens"
        )
    S = solve(gram(rows, range(len(rows[0]))), gram(rows, range(q)))
    return 2 - 2 * trace(ball_matmul(S, S)) / q


@checked
@dataclass(frozen=True)
class AttentionRows:
    r"""Attention weights that do not depend on tokens: what block-diagonal :math:`W_{QK}` leaves.

    With linearly independent codes every positive row is reached, so a bound over all :math:`W^{(h)}_{QK}`
    without a block between positions and data is a bound over all rows.

    Parameters
    ----------
    rows : weights on the Gaussian tokens up to a factor, ``H`` rows of length ``K``, integers or fractions.
    q : number of tokens in the label: the first ``q`` of the ``K``.
    """

    rows: tuple[tuple[int | Fraction, ...], ...]
    q: NonNegativeInt

    def __post_init__(self) -> None:
        rows_of("rows", self.rows)
        if not self.rows or self.q < 1:
            raise DomainError(
                f"{len(self.rows)} rows, q = {self.q}", required="a row or more, q >= 1", why="heads read tokens"
            )

    @classmethod
    @at_most(H=ENTRIES, K=ENTRIES)
    def random(cls, rng: np.random.Generator, H: PositiveInt, K: PositiveInt, q: NonNegativeInt) -> AttentionRows:
        """Draw integer weights from 1 to 99."""
        return cls(tuple(tuple(int(w) for w in row) for row in rng.integers(1, 100, size=(H, K))), q)

    @classmethod
    def search(cls, draw: Callable[[Any], Any], point: Any) -> AttentionRows:
        """Draw weights from 0 to 9 with hypothesis, for a point with the axes ``N``, ``q`` and ``H``."""
        from hypothesis import strategies as st

        has_axes(point, "N", "q", "H")
        row = st.lists(st.integers(0, 9), min_size=(point.N + 1) // 2 - 1, max_size=(point.N + 1) // 2 - 1)
        return cls(tuple(tuple(draw(row)) for _ in range(point.H)), point.q)

    def late_error(self) -> Enclosure:
        r"""Return the least :math:`E(y_i-\hat y_i)^2` of any head on these weights (:func:`best_error`)."""
        return best_error(self.rows, self.q)


def gram(rows: Matrix, columns: Sequence[int]) -> list[list[Enclosure]]:
    r"""Return :math:`\sum_jV_{\cdot j}V_{\cdot j}^\top` over these columns, each as often as it is listed."""
    if not columns:
        return [[Enclosure(0) for _ in rows] for _ in rows]
    chosen = [[row[j] for j in columns] for row in rows]
    return ball_matmul(chosen, transpose(chosen))


def conditional_form(G: Matrix, M: Matrix) -> list[list[Enclosure]]:
    """Return :math:`C=G^{-1}MG^{-1}` for symmetric ``G`` and ``M``."""
    return solve(G, transpose(solve(G, M)))  # (G^{-1} M)^T = M G^{-1}


def solve(A: Matrix, B: Matrix) -> list[list[Enclosure]]:
    """Return :math:`A^{-1}B`, exact where all entries are."""
    boxes = [[[x if isinstance(x, Enclosure) else Enclosure(x) for x in row] for row in matrix] for matrix in (A, B)]
    if not all(x.exact for matrix in boxes for row in matrix for x in row):
        return solve_ball(*boxes)
    solution = solve_rational(*([[x.fraction() for x in row] for row in matrix] for matrix in boxes))
    return [[Enclosure(x) for x in row] for row in solution]


def transpose(A: Matrix) -> list[list[Any]]:
    """Return the transpose of a list of rows."""
    return [list(column) for column in zip(*A, strict=True)]


def trace(A: Matrix) -> Enclosure:
    """Return the trace."""
    return total(row[k] for k, row in enumerate(A))
