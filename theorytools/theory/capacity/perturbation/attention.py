r"""Perturbation of one attention layer (Lemma 15), on concrete pairs of layers.

.. math:: \lVert h-h'\rVert\le c_{sm}\,r_z^2\,\max_j\lVert(\Theta-\Theta')^\top z_j\rVert

The Lipschitz inequalities of :mod:`theorytools.papers.qstr.capacity.covering` compare such distances.  Tokens and
parameters are rational; the softmax is enclosed at the ambient precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, Real, Rows, at_most, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, euclidean, maximum, total

Vector = Sequence[Real]
Matrix = Rows


def dot(v: Vector, w: Vector) -> Any:
    """Return the inner product; rational for rational vectors."""
    return sum((x * y for x, y in zip(v, w, strict=True)), Fraction(0))


def softmax(scores: Vector) -> list[Enclosure]:
    """Return the softmax of rational or enclosed scores; exact if all are rational and equal."""
    top = maximum(scores)
    weights = [Enclosure(s - top).exp() for s in scores]
    mass = total(weights)
    return [w / mass for w in weights]


@checked
@dataclass(frozen=True)
class SoftmaxPair:
    r"""Two score vectors: :math:`\|\mathrm{softmax}(u)-\mathrm{softmax}(v)\|_1\le\|u-v\|_\infty`.

    *Proof.*  Along the segment the derivative of the softmax is :math:`\pi\odot(w-\mathbb E_\pi w)`, :math:`w=u-v`; its
    :math:`\ell_1` norm is the mean absolute deviation of :math:`w` under :math:`\pi`, at most its standard deviation,
    hence at most :math:`\|w\|_\infty`.  ∎  At :math:`u=-v=(t,-t)` the two sides are :math:`2\tanh t` and :math:`2t`.
    """

    u: Vector
    v: Vector

    def gap(self) -> Enclosure:
        r"""Return :math:`\|\mathrm{softmax}(u)-\mathrm{softmax}(v)\|_1`."""
        return total(abs(a - b) for a, b in zip(softmax(self.u), softmax(self.v), strict=True))

    def score_gap(self) -> Fraction:
        r"""Return :math:`\|u-v\|_\infty`."""
        return Fraction(max(abs(a - b) for a, b in zip(self.u, self.v, strict=True)))

    def root_mean_square(self) -> Enclosure:
        r"""Return :math:`N^{-1/2}\|u-v\|`."""
        return euclidean(a - b for a, b in zip(self.u, self.v, strict=True)) / Enclosure(len(self.u)).sqrt()


@checked
@dataclass(frozen=True)
class AttentionPair:
    r"""Two attention layers on the same encoded tokens.

    Output :math:`j` of head :math:`h` is :math:`\sum_l\pi_{jl}z_l`,
    :math:`\pi_{j\cdot}=\mathrm{softmax}((\langle z_j,W^{(h)}z_l\rangle)_l)`.

    Parameters
    ----------
    Z : encoded tokens :math:`z_l`, shape ``(N, D_e)``.
    first, second : the matrices :math:`W^{(h)}`, shape ``(H, D_e, D_e)`` each.
    sampled : the positions in the sample; all by default.
    """

    Z: Matrix
    first: Sequence[Matrix]
    second: Sequence[Matrix]
    sampled: Sequence[int] | None = None

    def __post_init__(self) -> None:
        D_e = len(self.Z[0]) if self.Z else 0
        blocks = [*self.first, *self.second]
        square = all(len(W) == D_e and all(len(row) == D_e for row in W) for W in blocks)
        if not D_e or any(len(z) != D_e for z in self.Z) or len(self.first) != len(self.second) or not square:
            raise DomainError(
                "tokens and matrices of other shapes", required="shapes (N, D_e), (H, D_e, D_e) and (H, D_e, D_e)"
            )

    @classmethod
    @at_most(H=ENTRIES)
    def two_tokens(cls, r_z: Fraction, low: Fraction, high: Fraction, H: PositiveInt = 1) -> AttentionPair:
        r"""Return tokens :math:`\pm r_z` and the scalars ``low``, ``high``, the same in every head.

        Then :math:`h_1=r_z\tanh(r_z^2W)`, nearly linear for a small :math:`W`: the inequalities are nearly equalities.
        """
        return cls([[r_z], [-r_z]], [[[low]]] * H, [[[high]]] * H)

    @classmethod
    def query_only(cls, t: Fraction) -> AttentionPair:
        r"""Return :math:`W=tE_{12}`, :math:`W'=0` and the query :math:`e_1`, moved only by the transposed difference.

        The keys are :math:`e_1,e_2`: :math:`(W-W')^\top e_1=te_2`, but :math:`(W-W')e_1=0`.
        """
        zero = Fraction(0)
        return cls([[1, 0], [0, 1]], [[[zero, t], [zero, zero]]], [[[zero, zero]] * 2], sampled=(0,))

    @classmethod
    @at_most(N=ENTRIES, D_e=ENTRIES, H=ENTRIES)
    def random(
        cls, rng: np.random.Generator, N: PositiveInt, D_e: NonNegativeInt, H: PositiveInt, r: Fraction = Fraction(1)
    ) -> AttentionPair:
        """Return tokens and matrices with entries drawn uniformly from the eighths in [-1, 1], tokens times ``r``."""

        def draw(*shape: int) -> Any:
            flat = rng.integers(-8, 8, endpoint=True, size=shape)
            return np.vectorize(lambda x: Fraction(int(x), 8), otypes=[object])(flat).tolist()

        return cls([[r * x for x in z] for z in draw(N, D_e)], draw(H, D_e, D_e), draw(H, D_e, D_e))

    @property
    def r_z(self) -> Enclosure:
        """The length of the longest encoded token."""
        return Enclosure(self.r_z2).sqrt()

    @property
    def r_z2(self) -> Fraction:
        """Its square."""
        return max(Fraction(dot(z, z)) for z in self.Z)

    def outputs(self, matrices: Sequence[Matrix], j: int) -> list[Enclosure]:
        """Return the outputs of all heads at position ``j``, one after another."""
        self._at(j)
        result = []
        columns = list(zip(*self.Z, strict=True))
        for W in matrices:
            query = [dot(self.Z[j], column) for column in zip(*W, strict=True)]  # W^T z_j
            weights = softmax([dot(query, z) for z in self.Z])
            result += [total(w * x for w, x in zip(weights, column, strict=True)) for column in columns]
        return result

    def gap(self, j: int) -> Enclosure:
        r"""Return :math:`\|h_j-h_j'\|`."""
        one, two = self.outputs(self.first, j), self.outputs(self.second, j)
        return euclidean(x - y for x, y in zip(one, two, strict=True))

    def query_gap2(self, j: int, *, transposed: bool = True) -> Fraction:
        r"""Return :math:`\|(\Theta-\Theta')^\top z_j\|^2`; not transposed, the blocks act on it as on a key."""
        self._at(j)
        entries: list[Any] = []
        for difference in self.differences():
            rows = zip(*difference, strict=True) if transposed else difference
            entries += [dot(row, self.Z[j]) for row in rows]
        return Fraction(dot(entries, entries))

    def query_gap(self, j: int, *, transposed: bool = True) -> Enclosure:
        """Return the root of :meth:`query_gap2`."""
        return Enclosure(self.query_gap2(j, transposed=transposed)).sqrt()

    def distance2(self) -> Fraction:
        r"""Return :math:`\|\Theta-\Theta'\|_F^2`."""
        return sum((dot(row, row) for difference in self.differences() for row in difference), Fraction(0))

    def distance(self) -> Enclosure:
        r"""Return :math:`\|\Theta-\Theta'\|_F`."""
        return Enclosure(self.distance2()).sqrt()

    def differences(self) -> list[list[list[Any]]]:
        r"""Return :math:`W^{(h)}-W'^{(h)}`, shape ``(H, D_e, D_e)``."""
        return [
            [[x - y for x, y in zip(r, s, strict=True)] for r, s in zip(V, W, strict=True)]
            for V, W in zip(self.first, self.second, strict=True)
        ]

    def _at(self, j: int) -> None:
        if not 0 <= j < len(self.Z):
            raise DomainError(f"j = {j}", required=f"0 <= j < {len(self.Z)}", why="j is the position of a token")

    @property
    def positions(self) -> Sequence[int]:
        """The queries in the sample."""
        return range(len(self.Z)) if self.sampled is None else self.sampled
