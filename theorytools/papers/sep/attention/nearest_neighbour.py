r"""Two layers find the label of the nearest vector: by fetching its position, or by copying vectors to labels.

Input :math:`x_1,y_1,\dots,x_N,y_N,x_q`, unit vectors in :math:`\mathbb R^d` with margin :math:`\gamma`, labels
:math:`\pm1`; pair :math:`j` carries the binary code :math:`t_j\in\{\pm1\}^k`.  Keys of vectors and of the query lie in
different blocks, so the query's own key is 0.

*By position* (width :math:`O(d+\log N)`).  Layer 1 at the query: score
:math:`\beta_1(\langle x_q,x_j\rangle+2)` on vectors and 0 on the :math:`N+1` other tokens, value :math:`t_j`.  With
:math:`\beta_1\gamma=\ln(14N)` the others weigh at most :math:`2Ne^{-\beta_1\gamma}=\frac17` of the nearest (for
:math:`\langle x_q,x_{j^*}\rangle+2\ge1+\gamma`), so its weight is at least :math:`\frac78`, each coordinate of the
output :math:`z` has :math:`|z|\ge\frac34`, and :math:`\hat z=\mathrm{ReLU}(2z+1)-\mathrm{ReLU}(2z-1)-1=t_{j^*}`
*exactly*.  Layer 2: score :math:`\frac12\ln(16k)(\langle\hat z,t_j\rangle+k)` on labels, 0 elsewhere, so

.. math:: \text{margin}=\frac{2W-S}{S+N+1}\ge\frac34,\qquad W=(16k)^k,\quad S=\sum_j(16k)^{k-d_{j^*j}},

an equality at :math:`N=2`: for :math:`k\ge2`, :math:`S\le e^{1/16}W`, :math:`N+1\le\frac5{1024}W` give 0.874.

*By copying.*  :math:`k\ge2`, for the first bound.  Layer 1 at label :math:`j` fetches :math:`\hat x_j` by code with
:math:`e^{2\beta}=32k/\gamma`: what it takes elsewhere is at most :math:`\gamma/16`, so
:math:`\|\hat x_j-x_j\|\le\gamma/8`.  Layer 2 at the query: score :math:`\beta_2(\langle x_q,\hat x_j\rangle+3)` on
labels, :math:`\beta_2=\ln(14N)/(\frac34\gamma)`; gaps are at least :math:`\frac34\gamma`, hence weight at least
:math:`\frac78` and margin at least :math:`\frac34`, also where several nearest vectors share a label.

Worst labels are those opposite to the nearest one's: the output is linear in the labels.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), nearest neighbour, arXiv 2406.09347v1; constants, and copying, derived here.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theorytools.arguments.checked import NonNegativeInt, Real, checked
from theorytools.arguments.values import checked_integer, checked_rational
from theorytools.constructions.attention.layer import softmax
from theorytools.constructions.network import DOUBLE, Network, absent, upper_leak, weights_rounding
from theorytools.constructions.shapes import in_range
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, minimum, total
from theorytools.papers.sep.attention.nearest_weights import power, root_above
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask

if TYPE_CHECKING:
    import torch


Fractions = tuple[Fraction, ...]
_WHY = "nearest neighbour: the weight of the nearest vector is at least e^(beta gamma) times that of another"


@checked
@dataclass(frozen=True, eq=False)
class NearestNeighbour(Network):
    r"""A two-layer network for the nearest neighbour among sign vectors, exact or in floats.

    Parameters
    ----------
    task : vectors and queries.
    variant : ``position`` or ``copy``.
    pull : :math:`R=e^{\beta_1\gamma}`, for ``copy`` :math:`e^{3\beta_2\gamma/4}`; by default :math:`14N`.
    length : length of the binary codes; by default :math:`\lceil\log_2N\rceil`, at least 1, for ``copy`` at least 2.

    Raises
    ------
    DomainError
        For an unknown variant, ``pull <= 1``, or codes too short for ``N`` pairs.

    Examples
    --------
    >>> from theorytools.papers.sep.tasks.nearest_neighbour import equidistant
    >>> net = NearestNeighbour(NearestTask(equidistant(2, 0)))
    >>> net.least_margin().fraction(), net.code_error()
    (Fraction(3, 4), Fraction(0, 1))
    """

    task: NearestTask
    variant: str = "position"
    pull: Real = None
    length: int | None = None

    def __post_init__(self) -> None:
        N = self.task.N
        if self.variant not in ("position", "copy"):
            raise DomainError(f"the variant {self.variant!r}", required="'position' or 'copy'", why=_WHY)
        pull = 14 * N if self.pull is None else self.pull
        pull = checked_rational("pull", pull, lambda R: R > 1, required="pull > 1", why=_WHY)
        object.__setattr__(self, "pull", pull)
        if self.length is not None:
            checked_integer("length", self.length, least=(N - 1).bit_length(), why="pairs have different codes")

    @property
    def k(self) -> int:
        """Length of the codes."""
        least = 1 if self.variant == "position" else 2
        return max(least, (self.task.N - 1).bit_length()) if self.length is None else self.length

    @property
    def width(self) -> int:
        """Coordinates of the residual stream: two blocks of vectors, codes, flags, label, output, and what is fetched.

        It is ``2 d + 3 k + 5`` by position and ``3 d + 2 k + 5`` by copying.
        """
        return 2 * self.task.d + 2 * self.k + 5 + (self.k if self.variant == "position" else self.task.d)

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The codes of the pairs, shape ``(N, k)``."""
        return 2 * (np.arange(self.task.N)[:, None] >> np.arange(self.k) & 1) - 1

    @cached_property
    def label_codes(self) -> NDArray[np.int64]:
        """The codes that the labels carry, shape ``(N, k)``: those of their pairs."""
        return self.codes

    @cached_property
    def own_key(self) -> int:
        r"""The inner product of a query with its own key, over :math:`d`, shifted as those with vectors are: 0, no key.

        With the query itself in the keys' block it is ``3 d``, and the query attends to itself.
        """
        return 0

    # -- by position, layer 1 -----------------------------------------------------------------------------------------
    @cached_property
    def unit(self) -> int:
        """The greatest common divisor of all gaps, those of tokens without a vector included."""
        task = self.task
        return int(np.gcd.reduce(np.concatenate([task.gaps.ravel(), task.gram.max(axis=1) + 2 * task.d])))

    @cached_property
    def base(self) -> Fraction:
        r"""The least :math:`e^{\beta_1u/d}`, ``u`` the unit, in 64ths with :math:`e^{\beta_1\gamma}\ge R`."""
        return root_above(self.pull, self.task.gap // self.unit)

    def fetch(self, q: NonNegativeInt) -> tuple[Fraction, Fractions]:
        """Return the weight of the nearest vectors of a query and the fetched code :math:`z`, exactly.

        Parameters
        ----------
        q : number of the query, from 0.

        Returns
        -------
        tuple : the weight, and ``k`` Fractions.

        Raises
        ------
        DomainError : a query that does not exist.
        """
        return self._fetched[in_range("q", q, len(self.task.gram), "query")]

    @cached_property
    def _fetched(self) -> list[tuple[Fraction, Fractions]]:
        return [self._fetch(q) for q in range(len(self.task.gram))]

    def _fetch(self, q: int) -> tuple[Fraction, Fractions]:
        steps = self.task.gaps[q] // self.unit
        null = int(self.task.gram[q].max() + 2 * self.task.d) // self.unit
        P, Q, far = self.base.numerator, self.base.denominator, max(null, int(steps.max()))
        last = null - self.own_key // self.unit
        D = self.task.N * Q**null * P ** (far - null) + Q**last * P ** (far - last)
        z = [0] * self.k
        for step in np.unique(steps).tolist():
            w, members = Q**step * P ** (far - step), self.codes[steps == step]
            D += w * len(members)
            z = [old + w * new for old, new in zip(z, members.sum(axis=0).tolist(), strict=True)]
        return Fraction(P**far * int((steps == 0).sum()), D), tuple(Fraction(v, D) for v in z)

    def rounded(self, q: NonNegativeInt) -> Fractions:
        r"""Return :math:`\hat z`, coordinatewise ``clamp(2 z, -1, 1)``.

        Parameters
        ----------
        q : number of the query, from 0.

        Returns
        -------
        tuple : ``k`` Fractions in [-1, 1].
        """
        return tuple(max(Fraction(-1), min(Fraction(1), 2 * v)) for v in self.fetch(q)[1])

    def least_weight(self) -> Fraction:
        """Return the least weight of the nearest vector in layer 1, over all queries, by position."""
        return min(self.fetch(q)[0] for q in range(len(self.task.gram)))

    def code_error(self) -> Fraction:
        """Return the largest distance of a rounded coordinate from the nearest vector's code, over all queries."""
        pairs = enumerate(self.task.nearest)
        return max(abs(a - int(b)) for q, j in pairs for a, b in zip(self.rounded(q), self.codes[j], strict=True))

    # -- by copying, layer 1 ------------------------------------------------------------------------------------------
    @cached_property
    def copy_weights(self) -> tuple[NDArray[Any], NDArray[Any]]:
        r"""Integer weights ``(N, N)`` of label :math:`j` on vector :math:`i` and their denominators ``(N,)``."""
        u = 32 * self.k / self.task.margin  # e^(2 beta)
        p, q, k = u.numerator, u.denominator, self.k
        powers = np.array([p ** (k - s) * q**s for s in range(k + 1)], dtype=object)
        W = powers[(k - self.label_codes @ self.codes.T) // 2]
        return W, W.sum(axis=1) + (self.task.N + 1) * q**k

    def copy_loss(self) -> Fraction:
        """Return the largest weight that a label's copy puts elsewhere than on its own vector."""
        W, D = self.copy_weights
        return max(1 - Fraction(int(W[j, j]), int(D_j)) for j, D_j in enumerate(D))

    def copy_error(self) -> Fraction:
        r"""Return :math:`\max_j\|\hat x_j-x_j\|^2`."""
        W, D = self.copy_weights
        off = W @ self.task.points.astype(object) - D[:, None] * self.task.points
        return max(
            Fraction(int(s), int(D_j) ** 2 * self.task.d) for s, D_j in zip((off**2).sum(axis=1), D, strict=True)
        )

    # -- the answer ---------------------------------------------------------------------------------------------------
    def margins(self) -> list[Enclosure]:
        """Return for each query the label's margin at the worst labels: rational by position, if rounded exactly."""
        return [self._margin(q) for q in range(len(self.task.gram))]

    def least_margin(self) -> Enclosure:
        """Return the least margin over all queries and all labels, at the ambient precision."""
        return minimum(self.margins())

    def _margin(self, q: int) -> Enclosure:
        return self._answer(q, np.where(self.task.gaps[q] == 0, 1, -1).tolist())

    def _answer(self, q: int, signs: list[int]) -> Enclosure:
        """The output at a query for labels as signs; labels of equal scores are summed first."""
        rate, scores, last = self._scores(q)
        every: dict[Fraction, tuple[int, int]] = {}
        for score, sign in zip(scores, signs, strict=True):
            plus, all_of_it = every.get(score, (0, 0))
            every[score] = (plus + sign, all_of_it + 1)
        top = max(every)
        powers = {score: power(rate, score - top) for score in every}
        signed = total(powers[score] * plus for score, (plus, _) in every.items())
        weight = total(powers[score] * count for score, (_, count) in every.items())
        return signed / (weight + (self.task.N + 1) * power(rate, last - top))

    def _scores(self, q: int) -> tuple[Enclosure, list[Fraction], Fraction]:
        """The base of the weights of layer 2, the scores of the labels, and that of any other token."""
        if self.variant == "copy":
            return Enclosure(self.pull), self._copied_scores[q], -3 / (self.task.margin * Fraction(3, 4))
        z = self.rounded(q)
        one = math.lcm(*(v.denominator for v in z))
        steps = np.array([int(v * one) for v in z], dtype=object if one > 2 else np.int64) @ self.label_codes.T
        half = {step: Fraction(step, 2 * one) for step in steps.tolist()}
        return Enclosure(16 * self.k), [half[step] for step in steps.tolist()], Fraction(-self.k, 2)

    @cached_property
    def _copied_scores(self) -> list[list[Fraction]]:
        W, D = self.copy_weights
        S = (self.task.gram.astype(object) @ W.T).tolist()
        per = 3 * self.task.gap  # d gamma 3/4 = per / 4
        return [[Fraction(4 * int(s), per * int(den)) for s, den in zip(row, D, strict=True)] for row in S]

    # -- floating point -----------------------------------------------------------------------------------------------
    def __call__(self, labels: ArrayLike) -> NDArray[np.float64]:
        """Return the outputs in float64 for labels ``(..., N)`` and all queries, shape ``(..., Q)``."""
        task, N, k = self.task, self.task.N, self.k
        s = task.gram / task.d
        if self.variant == "position":
            beta = math.log(self.base) * task.d / self.unit
            null = np.full((len(s), N + 1), 0.0)
            null[:, 0] = beta * self.own_key / task.d
            w = softmax(np.concatenate([beta * (s + 2), null], axis=1))[:, :N]
            scores = math.log(16 * k) / 2 * (np.clip(2 * w @ self.codes, -1, 1) @ self.label_codes.T + k)
        else:
            W, D = self.copy_weights
            copied = (W / D[:, None]).astype(np.float64)
            scores = math.log(self.pull) / (0.75 * float(task.margin)) * (s @ copied.T + 3)
        w = softmax(np.concatenate([scores, np.zeros((len(s), N + 1))], axis=1))[:, :N]
        return np.asarray(task.labels(labels, signs=True).astype(np.float64) @ w.T)

    def exact(self, labels: ArrayLike) -> NDArray[Any]:
        """Return the same at the ambient precision, an object array, rational as the margins are."""
        signs = np.asarray(self.task.labels(labels, signs=True))
        out = np.empty((*signs.shape[:-1], len(self.task.gram)), dtype=object)
        for q, place in itertools.product(range(len(self.task.gram)), np.ndindex(*signs.shape[:-1])):
            out[(*place, q)] = self._answer(q, signs[place].tolist())
        return out

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        r"""Return a bound on the rounding of outputs for labels of modulus 1; layer 1 adds to the scores of layer 2.

        By position the fetched code is rounded at twice its size, and exact where that is beyond 1 by the rounding;
        else each of its ``k`` coordinates is off by what layer 1 is.  A copied vector is off in every coordinate by
        :math:`d^{-1/2}` times the error of its weights and their averages, and meets a unit vector of coordinates
        :math:`\pm d^{-1/2}`.  Of one nearest vector the leakage of layer 2 is at most :math:`1-` its margin, by which
        the others weigh less.
        """
        N, d, k, margin = self.task.N, self.task.d, self.k, float(self.task.margin)
        one = bool(((self.task.gaps == 0).sum(axis=1) == 1).all())
        if self.variant == "position":
            beta, kept = math.log(self.base) * d / self.unit, float(self.least_weight()) if one else 0.0
            off, sure = weights_rounding(3 * beta, d + 1, 2 * N + 1, u, leak=1 - kept), 2 * kept - 1
            fetched = 0.0 if 2 * (sure - off) >= 1 + 4 * u else 2 * off + 4 * u
            heat, score = math.log(16 * k) / 2, k * math.log(16 * k)
            inherited = heat * k * fetched
        else:
            first = k * math.log(32 * k / margin)
            lost = upper_leak(lambda: Enclosure(self.copy_loss()))
            fetched = weights_rounding(first, k + 1, 2 * N + 1, u, leak=lost, each=6)
            heat = math.log(self.pull) / (0.75 * margin)
            score, inherited = 4 * heat, heat * (fetched + 4 * u)
        leak = upper_leak(lambda: 1 - self.least_margin()) if one else 1.0
        # by position codes are signs, and a temperature is a logarithm in doubles (2), stored in the type
        terms, each = (k + 1, 5) if self.variant == "position" else (d + 1, 13)
        return weights_rounding(score, terms, 2 * N + 1, u, inherited=inherited, leak=leak, each=each)

    certificate = absent("the label is read by sign: margins() says how clearly")
    norms = absent("the claims count coordinates; weights are scaled identities and flags")

    def sizes(self) -> dict[str, int]:
        """Return the coordinates of the residual stream, the heads of both layers, and the module's parameters."""
        key, fetched = self.task.d, self.k if self.variant == "position" else self.task.d
        one, two = (key, fetched) if self.variant == "position" else (self.k, fetched)
        return {"width": self.width, "heads": 2, "parameters": 2 * (one + two + 2) * self.width}

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a torch module on points ``(m, N, d)``, labels ``(m, N)`` and queries ``(m, d)``."""
        return twin("theorytools.papers.sep.torch.nearest_neighbour:NearestModule")(self, dtype, device)
