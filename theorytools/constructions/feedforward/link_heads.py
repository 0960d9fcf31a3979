"""Two-layer heads for the links: exact for the linear one, piecewise linear for squares, with proved errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from theorytools.arguments.checked import ENTRIES, STEPS, NonNegativeInt, PositiveInt, Real, at_most, checked, ranks
from theorytools.constructions.feedforward.piecewise_linear import IDENTITY, SQUARE, LineUnits, Number, Parabola
from theorytools.constructions.feedforward.readout import Array, ReluHead
from theorytools.constructions.shapes import shaped
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, between, total
from theorytools.tasks.sparse_regression import LINKS, Link


@checked
@ranks(u=1)
@at_most(q=ENTRIES)
def linear_head(u: Array, q: PositiveInt) -> ReluHead:
    r"""Return the head that computes :math:`q^{-1/2}\sum_h\langle u,v_h\rangle` exactly with two units.

    Parameters
    ----------
    u : direction, shape ``(d,)``.
    q : number of retrieved tokens; the input is :math:`(v_1,\dots,v_q)`, shape ``(…, q d)``.

    Notes
    -----
    :math:`z=\sigma(z)-\sigma(-z)`: ``a = (1, -1)`` and rows :math:`\pm(u,\dots,u)/\sqrt q`, so
    :math:`\lVert a\rVert=\lVert W\rVert_F=\sqrt2` for a unit vector ``u``.
    """
    v = np.tile(np.asarray(u, dtype=np.float64), q) / np.sqrt(q)
    return ReluHead(np.array([1.0, -1.0]), np.stack([v, -v]), np.zeros(2))


@checked
@dataclass(frozen=True, kw_only=True)
class LinkHead(ReluHead):
    r"""A head that computes a link up to a proved error: :math:`\sqrt c\sum_{k\le K}P(\langle w_k,v\rangle)`.

    The link is :math:`g(v)=\sqrt c\sum_kp(\langle w_k,v\rangle)` with orthonormal directions :math:`w_k`:

    * ``lin``: :math:`K=1`, :math:`w=(u,\dots,u)/\sqrt q`, :math:`p(z)=z`, :math:`c=1`;
    * ``he2``: :math:`K=q`, :math:`w_j` is :math:`u` in block ``j``, :math:`p(z)=z^2-1`, :math:`c=1/2q`;
    * ``sq``: :math:`K=qd`, the coordinates, :math:`p(z)=z^2-1`, :math:`c=1/qd`.

    Every unit is scaled so that its output and input weights have one norm; then
    :math:`\lVert a\rVert_2=\lVert(W,b)\rVert_F`, the least product that the units allow.  Use :func:`link_head`.

    Attributes
    ----------
    a, W, b : as of :class:`ReluHead`.
    line : the units on a line, exact.
    target : the coefficients of :math:`p`, constant first.
    directions : the :math:`w_k` in doubles, shape ``(K, q d)``.
    squared_scale : the rational :math:`c`.

    Raises
    ------
    DomainError : shapes that do not fit, or a scale that is not positive.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Assumption 2, arXiv 2503.11272v1; the units are derived here.

    Examples
    --------
    >>> head = link_head("sq", None, q=1, d=2, radius=2, cells=8)
    >>> head.m, round(float(head.sup_error(1)), 6), round(float(head.label([Fraction(1, 2), 1])), 6)
    (17, 0.088388, -0.53033)
    """

    line: LineUnits
    target: Parabola
    directions: Array
    squared_scale: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        shaped("directions", self.directions, "K", self.W.shape[1])
        if self.squared_scale <= 0:
            raise DomainError(f"squared_scale = {self.squared_scale}", required="a positive c", why="its root is taken")

    @property
    def m(self) -> int:
        """The number of units."""
        return len(self.a)

    @property
    def K(self) -> int:
        """The number of directions."""
        return len(self.directions)

    def scale(self) -> Enclosure:
        r"""Return :math:`\sqrt c` at the ambient precision."""
        return Enclosure(self.squared_scale).sqrt()

    def sup_error(self, radius: Number) -> Enclosure:
        r"""Return :math:`\sup_{\lVert v\rVert\le Z}|g(v)-\hat g(v)|` at the ambient precision.

        It is at most :math:`\sqrt cK\max_{|z|\le Z}|p-P|`, and that is attained where every projection is at the
        worst place :math:`z^\ast` nearest to 0, a point of the ball when :math:`K{z^\ast}^2\le Z^2`.  Otherwise
        the result is an interval; its lower end has some projections there, or all at the worst place of
        :math:`|z|\le Z/\sqrt K`.

        Parameters
        ----------
        radius : :math:`Z>0`.

        Returns
        -------
        Enclosure : an interval where the supremum is not attained at a known place.
        """
        Z = Fraction(radius)
        worst, place = self.line.largest_error(self.target, Z)
        if self.K * place**2 <= Z**2:
            return self.scale() * self.K * worst
        fit = int(Z**2 / place**2)
        rest = self.line(Fraction(0)) - self.target[0]
        reached = [abs((self.K - fit) * rest + lean) for lean in (fit * worst, -fit * worst)]
        # isqrt rounds the radius Z / sqrt(K) down
        inner = Fraction(isqrt(int(Z**2 * 4**32 / self.K)), 2**32)
        all_inside = self.K * self.line.largest_error(self.target, inner)[0]
        return self.scale() * between(max(min(reached), all_inside), self.K * worst)

    def path_norm(self) -> Enclosure:
        r"""Return :math:`\lVert a\rVert_2\lVert(W,b)\rVert_F=\sum_k|a_k|\lVert(w_k,b_k)\rVert` of the exact weights."""
        return self.scale() * self.K * (self.line.path_norm() + abs(Fraction(self.line.offset)))

    def layer_norms(self) -> tuple[Enclosure, Enclosure]:
        r"""Return :math:`A=\lVert a\rVert_2` and :math:`B=\lVert(W,b)\rVert_F` of the exact weights; they are equal."""
        root = self.path_norm().sqrt()
        return root, root

    def radii(self) -> tuple[Enclosure, Enclosure]:
        r"""Return :math:`r_a=A\sqrt m` and :math:`r_w=B/\sqrt m`, for which the weights satisfy Assumption 2."""
        (A, B), root = self.layer_norms(), Enclosure(self.m).sqrt()
        return A * root, B / root

    def value(self, projections: Sequence[Real]) -> Enclosure:
        r"""Return :math:`\sqrt c\sum_kP(z_k)`.

        Parameters
        ----------
        projections : ``K`` numbers :math:`z_k=\langle w_k,v\rangle`, exact or enclosed.

        Returns
        -------
        Enclosure : what the exact weights give.

        Raises
        ------
        DomainError : another number of projections.
        """
        return self.scale() * total(self.line(z) for z in self._checked(projections))

    def label(self, projections: Sequence[Real]) -> Enclosure:
        r"""Return the link itself, :math:`\sqrt c\sum_kp(z_k)`.

        Parameters
        ----------
        projections : as in :meth:`value`.

        Returns
        -------
        Enclosure : at the ambient precision.

        Raises
        ------
        DomainError : another number of projections.
        """
        c0, c1, c2 = self.target
        return self.scale() * total(z * z * c2 + z * c1 + c0 for z in self._checked(projections))

    def _checked(self, projections: Sequence[Any]) -> list[Enclosure]:
        if len(projections) != self.K:
            raise DomainError(f"{len(projections)} projections", required=f"K = {self.K}")
        return [Enclosure(z) for z in projections]


@checked
@at_most(q=ENTRIES, cells=STEPS)
def link_head(
    link: Link,
    u: ArrayLike | None,
    q: NonNegativeInt,
    d: int,
    *,
    radius: Number | None = None,
    cells: NonNegativeInt | None = None,
    centred: bool = False,
    line: LineUnits | None = None,
) -> LinkHead:
    r"""Return a head for one of the links of Definition 2, for :class:`.BlockAttention` or on its own.

    Parameters
    ----------
    link : ``"lin"`` (exact, two units), ``"sq"`` or ``"he2"`` (an interpolant of the square per direction).
    u : unit direction, shape ``(d,)``; None for ``"sq"``.
    q, d : number of retrieved tokens and their dimension; the input is :math:`(v_1,\dots,v_q)`, ``q d`` numbers.
    radius, cells : interval :math:`[-Z,Z]` and number of cells of the interpolant, exact; not for ``"lin"``.
    centred : lower the interpolant by half of its error.
    line : the units on the line, where others are wanted.

    Returns
    -------
    LinkHead
        On the ball :math:`\lVert v\rVert\le Z` its error is :math:`\sqrt cK\,h^2/4`, :math:`h=2Z/M` and ``M`` cells:
        :math:`\sqrt{2q}\,h^2/8` for ``he2``, :math:`\sqrt{qd}\,h^2/4` for ``sq``; half of it when centred.

    Raises
    ------
    DomainError
        For an unknown link, a missing, needless or non-unit direction, or squares without radius and cells.

    Examples
    --------
    >>> head = link_head("he2", [1.0], 1, 1, radius=5, cells=16)
    >>> head.m, round(float(head.sup_error(5)), 5)
    (17, 0.06905)
    """
    if link not in LINKS or q < 1 or d < 1:
        raise DomainError(f"the link {link!r}, q = {q}, d = {d}", required=f"one of {', '.join(LINKS)}, q, d >= 1")
    directions = _directions(link, u, q, d)
    if link == "lin":
        return _assembled(line or LineUnits.identity(), IDENTITY, directions, Fraction(1))
    if line is None:
        if radius is None or cells is None:
            raise DomainError(f"a head for {link!r} without radius or cells", required="both", why="a square is convex")
        line = LineUnits.square(radius, cells, centred=centred)
    return _assembled(line, SQUARE, directions, Fraction(1, 2 * q if link == "he2" else q * d))


def _directions(link: Link, u: ArrayLike | None, q: int, d: int) -> Array:
    if (u is None) is not (link == "sq"):
        raise DomainError(f"the link {link!r} with u = {u!r}", required="a direction, except for 'sq'")
    if link == "sq":
        return np.eye(q * d)
    row = np.asarray(u, dtype=np.float64)
    # as in theorytools.tasks.sparse_regression.labels: normalising and measuring each cost at most (d + 4) 2^-53
    if row.shape != (d,) or not abs(np.linalg.norm(row) - 1) <= (d + 4) * 2.0**-52:
        raise DomainError(f"u of shape {row.shape}, norm {np.linalg.norm(row)}", required=f"a unit vector, ({d},)")
    directions = np.tile(row, q)[None] / sqrt(q) if link == "lin" else np.kron(np.eye(q), row)
    return np.asarray(directions, dtype=np.float64)


def _assembled(line: LineUnits, target: Parabola, directions: Array, squared_scale: Fraction) -> LinkHead:
    r"""Scale each unit so that :math:`|a_k|=\lVert(w_k,b_k)\rVert`; the offsets of all directions share one unit."""
    root, K, width = sqrt(squared_scale), len(directions), directions.shape[1]
    a, W, b = [], [], []
    for c, w, bias in line.units:
        length = sqrt(w * w + bias * bias)
        gain = sqrt(root * abs(float(c)) * length)
        a += [gain if c > 0 else -gain] * K
        W += list(directions * (gain * float(w) / length))
        b += [gain * float(bias) / length] * K
    if line.offset:
        gain = sqrt(root * K * abs(float(line.offset)))
        a, W, b = [*a, gain if line.offset > 0 else -gain], [*W, np.zeros(width)], [*b, gain]
    return LinkHead(
        np.array(a), np.array(W).reshape(len(a), width), np.array(b), line=line, target=target,
        directions=directions, squared_scale=squared_scale,
    )  # fmt: skip
