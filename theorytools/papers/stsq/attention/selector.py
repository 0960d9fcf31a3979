r"""One softmax head selects the tokens that a set names, from positional encodings alone."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, Numbers, Real, Rows, at_most, checked, ranks
from theorytools.claims.language.estimate import Recipe, enclosed
from theorytools.codes.encodings import Encodings
from theorytools.constructions.attention.layer import AttentionLayer
from theorytools.constructions.attention.leakage import checked_radius
from theorytools.constructions.network import DOUBLE, Network, gamma, upper_leak, weights_rounding
from theorytools.constructions.shapes import exact_array, indices, rows_of
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, ball_matmul, euclidean, evaluate, total
from theorytools.numbers.softmax import exact_number, softmax_weights
from theorytools.papers.stsq.attention.forward import forward
from theorytools.papers.stsq.attention.selector_queries import (
    Query,
    Vector,
    checked_query,
    float_queries,
    query,
    scores,
    squared_length,
)
from theorytools.papers.stsq.tasks.sparse_selection import checked_prompts, checked_sizes, checked_subset

if TYPE_CHECKING:
    import torch


Array = NDArray[np.float64]


@checked
@at_most(d=ENTRIES)
@dataclass(frozen=True, eq=False)
class SparseSelector(Network):
    r"""Attention of width :math:`d+d_e` averages the tokens of a set, by their positions alone.

    Keys and values are :math:`z_i=[x_i;e_i]`, :math:`i\in[T]`; the query column :math:`z_q=[0_d;e_y]` is no key.
    Weights: :math:`V=[\alpha I_d\ 0]`, :math:`W=\mathrm{diag}(0,\beta I_{d_e})`.

    .. math:: \sigma_i=z_i^\top Wz_q=\beta\langle e_i,e_y\rangle,\qquad a=\mathrm{softmax}(\sigma),\qquad
              f=V\sum_{i\le T}a_iz_i .

    Scores depend on positions only, so for Gaussian tokens the loss of one set is
    :math:`E\|f-s\|^2=\sum_i\|a_iV_1-\tau_iI\|_F^2+\|V_2Ea\|^2`, with :math:`V=[V_1\ V_2]`.

    Parameters
    ----------
    E : the encodings of the ``T`` positions.
    beta : :math:`\beta`, an exact number; :math:`\beta=k\log u` with integer scores keeps everything rational.
    q, d : selected tokens, :math:`1\le q<T`, and token dimension.
    query : ``"dual"``, ``"lp"``, ``"sum"``, ``"polynomial"`` or a function (see :mod:`.selector_queries`).
    alpha : :math:`\alpha`, rational; 1 unless given.
    values : rational matrix :math:`V=[V_1\ V_2]`, shape ``(d, d + d_e)``, in place of :math:`[\alpha I\ 0]`.

    Raises
    ------
    DomainError
        For sizes outside :math:`1\le q<T`, numbers that are not exact, or a ``V`` of another shape.

    References
    ----------
    Wang, Wei, Hsu, Lee (2024), Expressivity, arXiv 2406.06893v1.

    Examples
    --------
    >>> from theorytools.codes.encodings import orthonormal_encodings
    >>> net = SparseSelector(orthonormal_encodings(4), beta=sympy.log(3), q=2, d=5)
    >>> [str(a.fraction()) for a in net.attention((0, 2))], net.loss((0, 2)).fraction()
    (['3/8', '1/8', '3/8', '1/8'], Fraction(5, 16))
    """

    E: Encodings
    beta: Real
    q: int
    d: NonNegativeInt
    query: Query = "dual"
    alpha: Real = 1
    values: Numbers = None

    def __post_init__(self) -> None:
        checked_sizes(self.E.T, self.q, self.d)
        exact_number(self.beta, "beta")
        checked_query(self.query)
        if not (alpha := exact_number(self.alpha, "alpha")).is_Rational:
            raise DomainError(f"alpha = {alpha}", required="a rational number")
        shape = (self.d, self.d + self.E.d_e)
        if self.V.shape != shape or not all(isinstance(x, numbers.Rational) for x in self.V.flat):
            raise DomainError(f"V of shape {self.V.shape}", required=f"integers or Fractions of shape {shape}")

    @property
    def T(self) -> int:
        """Number of tokens."""
        return self.E.T

    @cached_property
    def V(self) -> NDArray[np.object_]:
        r"""The value matrix :math:`[V_1\ V_2]`, rational, shape ``(d, d + d_e)``."""
        if self.values is not None:
            return np.array(self.values, dtype=object)
        alpha = exact_number(self.alpha, "alpha")
        matrix = np.zeros((self.d, self.d + self.E.d_e), dtype=object)
        matrix[:, : self.d] = Fraction(alpha.p, alpha.q) * np.eye(self.d, dtype=int)
        return matrix

    @cached_property
    def attends_query(self) -> bool:
        """Whether the query column is a key as well: it is masked."""
        return False

    @property
    def W(self) -> Array:
        r"""The merged query-key matrix :math:`\mathrm{diag}(0,\beta I_{d_e})` in doubles, row = key side."""
        return np.diag(np.r_[np.zeros(self.d), np.full(self.E.d_e, float(exact_number(self.beta, "beta")))])

    @cached_property
    def _solved(self) -> dict[tuple[int, ...], Vector]:
        return {}

    def query_vector(self, y: Sequence[int]) -> Vector:
        r"""Return the rational ``u`` with :math:`e_y=\sqrt c\,u`; solved once for every set.

        Parameters
        ----------
        y : the ``q`` selected positions, from 0.

        Returns
        -------
        array : Fractions, shape ``(d_e,)``.
        """
        chosen = self._set(y)
        if chosen not in self._solved:
            self._solved[chosen] = query(self.E, chosen, self.query)
        return self._solved[chosen]

    def scores(self, y: Sequence[int]) -> list[Any]:
        r"""Return :math:`\langle e_i,e_y\rangle` for all positions (and last the query column if attended).

        Parameters
        ----------
        y : the ``q`` selected positions, from 0.

        Returns
        -------
        list : exact numbers, one for each key.
        """
        u = self.query_vector(y)
        own = [squared_length(self.E, u)] if self.attends_query else []
        return [*scores(self.E, u), *own]

    def margin(self, y: Sequence[int]) -> Fraction:
        r"""Return the smallest score on ``y`` minus the largest off it; :math:`1-\kappa` for ``dual`` and ``lp``.

        Parameters
        ----------
        y : the ``q`` selected positions, from 0.

        Returns
        -------
        Fraction : positive if every selected score exceeds every other.
        """
        sigma, chosen = self.scores(y), set(self._set(y))
        return Fraction(min(sigma[i] for i in chosen)) - max(s for i, s in enumerate(sigma) if i not in chosen)

    def layer(self, y: Sequence[int]) -> AttentionLayer:
        """Return the table of one query, that of a set, which asks for the set.

        Parameters
        ----------
        y : the ``q`` selected positions, from 0.

        Returns
        -------
        AttentionLayer : one row of scores.
        """
        return AttentionLayer([self.scores(y)], self.beta, asked=[self._set(y)])

    def attention(self, y: Sequence[int]) -> list[Enclosure]:
        """Return the attention weights at the ambient precision.

        Parameters
        ----------
        y : the ``q`` selected positions, from 0.

        Returns
        -------
        list of Enclosure : one for each score, rational where possible; they sum to 1.
        """
        return self.layer(y).weights(0)

    def leaked(self, y: Sequence[int]) -> Enclosure:
        r"""Return :math:`\epsilon=1-a(y)`, the attention outside ``y``, without cancellation."""
        return self.layer(y).leakage()

    def loss(self, y: Sequence[int]) -> Enclosure:
        r"""Return :math:`E_X\|f-s\|^2` for Gaussian tokens and this set, at the ambient precision.

        Parameters
        ----------
        y : the ``q`` selected positions, from 0.

        Returns
        -------
        Enclosure : not divided by ``d``.
        """
        a, chosen = self.attention(y), set(self._set(y))
        V_1, V_2 = self.V[:, : self.d], self.V[:, self.d :]
        diagonal, square = sum(V_1.diagonal().tolist()), sum(x * x for x in V_1.ravel().tolist())
        tau = [Fraction(int(i in chosen), self.q) for i in range(self.T)]
        tokens = [a[i] * a[i] * square - 2 * tau[i] * diagonal * a[i] + self.d * tau[i] ** 2 for i in range(self.T)]
        if not any(V_2.flat):
            return total(tokens)
        mixed = ball_matmul(V_2.tolist(), [[x] for x in self._mean_vector(y, a)])
        return total(tokens) + self.E.squared_scale * total(x[0] * x[0] for x in mixed)

    def _mean_vector(self, y: Sequence[int], a: Sequence[Enclosure]) -> list[Enclosure]:
        r""":math:`\sum_ia_ie_i/\sqrt c`, with the query column where it is attended to."""
        vectors = [list(row) for row in self.E.vectors]
        if self.attends_query:
            vectors.append(list(self.query_vector(y)))
        return [total(w * v[k] for w, v in zip(a, vectors, strict=True)) for k in range(self.E.d_e)]

    @ranks(Y=2)
    def exact(self, X: Any, Y: ArrayLike) -> list[list[Enclosure]]:
        """Return a call on integers or Fractions by the forward pass at the ambient precision, as nested lists."""
        X = exact_array("X", X, "n", self.T, self.d)
        sets: list[Any] = indices("Y", Y, self.T, len(X), self.q).tolist()
        return [self.outputs([x], y)[0] for x, y in zip(X.tolist(), sets, strict=True)]

    def outputs(self, batch: Sequence[Rows], y: Sequence[int]) -> list[list[Enclosure]]:
        """Return the forward pass on several prompts with one set; the attention is computed once.

        Parameters
        ----------
        batch : prompts of integers or Fractions, each of shape ``(T, d)``.
        y : the ``q`` selected positions, from 0.

        Returns
        -------
        list : ``n`` rows of ``d`` enclosures.
        """
        for X in batch:
            rows_of("X", X, self.d, count=self.T)
        a = self.attention(y)
        root = Enclosure(self.E.squared_scale).sqrt()
        positions = [root * x for x in self._mean_vector(y, a)] if any(self.V[:, self.d :].flat) else []
        V = self.V[:, : self.d + len(positions)].tolist()
        rows = [[*ball_matmul([a[: self.T]], X)[0], *positions] for X in batch]
        return ball_matmul(rows, np.transpose(V).tolist())

    def loss_certificate(self, y: Sequence[int]) -> Recipe:
        r"""Return the proved bound (3) of the loss, :math:`d(1+\frac1q)\bar\epsilon^2`, at :math:`\alpha=1`.

        :math:`\bar\epsilon=n/(n+qe^{\beta m})` bounds the leaked mass, :math:`m` the margin, :math:`n=T-q`.

        Raises
        ------
        DomainError
            If the selected scores differ or do not exceed all others (:math:`\kappa\ge1`): no temperature helps then.
        """
        self._certified(y)
        return enclosed(lambda: self.d * (1 + Enclosure(1) / self.q) * self.leaked_bound(y) ** 2)

    def certificate(self, r_x: Real = 1, y: Sequence[int] | None = None) -> Recipe:
        r"""Return :math:`2r_x\bar\epsilon`, the largest :math:`\|f-s\|` for :math:`\|x_i\|\le r_x`, ``y`` or any set.

        Raises
        ------
        DomainError : as :meth:`loss_certificate`; without ``y`` also for more than a thousand sets.
        """
        radius, few = checked_radius(r_x), comb(self.T, self.q) <= 1000
        if y is None and not few:
            raise DomainError(f"{comb(self.T, self.q)} sets", required="at most a thousand", advice="certificate(1, y)")
        for z in (sets := [y] if y is not None else list(combinations(range(self.T), self.q))):
            self._certified(z)
        return enclosed(lambda: 2 * evaluate(radius) * self.leaked_bound(min(sets, key=self.margin)))

    def leaked_bound(self, y: Sequence[int]) -> Enclosure:
        r"""Return :math:`\bar\epsilon=n/(n+qe^{\beta m})` at the ambient precision."""
        on, off = softmax_weights([self.margin(y), 0], self.beta)
        n = self.T - self.q
        return n * off / (n * off + self.q * on)

    def sufficient_beta(self, y: Sequence[int], loss: Real) -> sympy.Expr:
        r"""Return the :math:`\beta` from which on the loss is proved to be at most :math:`\ell`.

        It is :math:`\frac1m\log\bigl[\frac nq(\sqrt{d(1+1/q)/\ell}-1)\bigr]`, or 0 where the bracket is at most 1.

        Parameters
        ----------
        y : the ``q`` selected positions, from 0.
        loss : the target :math:`\ell>0`.

        Returns
        -------
        sympy.Expr : exact.

        Raises
        ------
        DomainError : a target that is not positive, or scores for which no temperature helps.
        """
        self._certified(y)
        ell, m = exact_number(loss, "loss"), self.margin(y)
        if not ell.is_positive:
            raise DomainError(f"loss = {ell}", required="a positive number")
        excess = sympy.sqrt(self.d * (1 + sympy.Rational(1, self.q)) / ell) - 1
        bracket = sympy.Rational(self.T - self.q, self.q) * excess
        return sympy.log(bracket) / sympy.Rational(m.numerator, m.denominator) if bracket > 1 else sympy.Integer(0)

    def _certified(self, y: Sequence[int]) -> None:
        sigma, chosen = self.scores(y), self._set(y)
        plain = np.array_equal(self.V, SparseSelector(self.E, 0, self.q, self.d).V)
        equal = len({sigma[i] for i in chosen}) == 1
        if not (plain and equal and self.margin(y) > 0):
            what = "V differs from [I 0]" if not plain else f"scores {[str(s) for s in sigma]} for y = {chosen}"
            raise DomainError(
                what, required="V = [I 0] and one score on y that exceeds all others (cross-talk below 1)",
                why="only then does attention tend to the average over y", advice="the lp query, or a larger d_e",
            )  # fmt: skip

    def __call__(self, X: ArrayLike, Y: ArrayLike) -> Array:
        """Return ``f`` in doubles, shape ``(n, d)``, by the full forward pass on :math:`z_i=[x_i;e_i]`."""
        X, Y = checked_prompts(X, Y)
        if X.shape[1:] != (self.T, self.d) or Y.shape[1] != self.q:
            raise DomainError(f"X {X.shape}, Y {Y.shape}", required=f"(n, {self.T}, {self.d}) and (n, {self.q})")
        queries = float_queries(self.E, Y, self.query)
        return forward(X, self.E.matrix(), queries, self.V.astype(float), self.W, attends_query=self.attends_query)

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        r"""Return a bound on the rounding of outputs over all sets; infinite where there are more than a thousand.

        A set of one has all but :math:`Te^{-\beta m}` on one key, ``m`` its margin.  Zeros of ``V`` add nothing, and
        integers with one to a row are exact.
        """
        if comb(self.T, self.q) > 1000:
            return math.inf
        scale, E = float(self.E.squared_scale), np.abs(self.E.matrix())
        products = [scale**0.5 * float(np.max(E @ np.abs(u.astype(float)))) for u in self._queries()]
        score = abs(float(exact_number(self.beta, "beta"))) * max(products)
        largest = max(size, float(E.max()))
        nonzero, whole = int((self.V != 0).sum(axis=1).max(initial=0)), all(float(x).is_integer() for x in self.V.flat)
        mixed = 0.0 if nonzero == 1 and whole and size * u <= 1 else gamma(nonzero + 3, u)
        off = weights_rounding(score, self.E.d_e, self.T + 1, u, leak=upper_leak(self._escapes)) * (1 + mixed) + mixed
        return float(np.abs(self.V.astype(float)).sum(axis=1).max()) * largest * off

    def _escapes(self) -> Enclosure:
        """A bound on the weight outside one key, for every set."""
        if self.q > 1 or self.attends_query or self.T == 1:
            return Enclosure(1)
        margin = min(self.margin((y,)) for y in range(self.T))
        return (-evaluate(exact_number(self.beta, "beta")) * margin).exp() * self.T

    def _queries(self) -> Iterator[Vector]:
        for y in combinations(range(self.T), self.q):
            with suppress(DomainError):  # a set without a query is refused
                yield self.query_vector(y)

    def norms(self) -> dict[str, Enclosure]:
        r"""Return the norms of ``V`` and of ``W``, :math:`|\beta|\sqrt{d_e}`."""
        beta = abs(evaluate(exact_number(self.beta, "beta")))
        return {"V": euclidean(self.V.flat), "W": beta * Enclosure(self.E.d_e).sqrt()}

    def sizes(self) -> dict[str, int]:
        """Return the width, the one head and the number of parameters."""
        width = self.d + self.E.d_e
        return {"width": width, "heads": 1, "parameters": width * (self.d + width)}

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a trainable torch module with these ``V`` and ``W``; ``forward(X, E, e_y)``."""
        return twin("theorytools.papers.stsq.torch.selector:selector_module")(self, dtype, device)

    def _set(self, y: Sequence[int]) -> tuple[int, ...]:
        chosen = checked_subset(y, self.T)
        if len(chosen) != self.q:
            raise DomainError(f"{len(chosen)} selected positions", required=f"q = {self.q}")
        return chosen
