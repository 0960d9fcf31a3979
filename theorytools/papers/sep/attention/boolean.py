r"""Two layers of width :math:`2k+6`, :math:`k=\lceil\log_2n\rceil`, compute equality and disjointness with margin 0.48.

Input :math:`x_1\dots x_n\,y_1\dots y_n\,[\mathrm{CLS}]`, bits as signs, :math:`L=2n+1`; positions carry the binary code
:math:`t_i\in\{\pm1\}^k`, at Hamming distances :math:`d_{ij}`.

*Layer 1* copies :math:`x_i` to :math:`y_i`, see :mod:`.position_copy`: :math:`r_ix_i\ge\rho>\frac35` for all inputs and
all :math:`n`, :math:`\rho=\frac{2W-S-n}{S+n+1}`.

*FFN 1*, on :math:`y` tokens: :math:`c_i=\mathrm{ReLU}(y_i-r_i-1)+\mathrm{ReLU}(r_i-y_i-1)` for equality,
:math:`\mathrm{ReLU}(y_i+r_i-1)` for the others: zero without a violation, :math:`|r_i|` at one.  Optional rounding
:math:`\hat r=\mathrm{ReLU}(2r+1)-\mathrm{ReLU}(2r-1)-1=\pm1` makes :math:`c_i\in\{0,1\}`.

*Layer 2* at [CLS]: value :math:`c_j`, score :math:`2\ln(4L)c_j`.  With violations of size at least :math:`c` the output
is at least :math:`g(c)=c(4L)^{2c}/((4L)^{2c}+L-1)`, for :math:`\sum c_je_j\ge c\sum e_j` and the other tokens weigh 1
each.  It is :math:`g(\rho)` at the worst input of equality, where only the first position is violated, and
:math:`g(\rho+\frac2{S+n+1})` for disjointness, where :math:`y_i=1` at a violation.  Uniform attention gives
:math:`c/L` instead.

*Inner product*: rounded, uniform; :math:`u=L\cdot` output counts the common ones, and
:math:`\mathrm{ReLU}(u)+2\sum_{j=1}^{n-1}(-1)^j\mathrm{ReLU}(u-j)` is its parity, with a hidden layer of :math:`n`.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), equality and disjointness, arXiv 2406.09347v1; the constants
are derived here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from theorytools.arguments.checked import checked
from theorytools.arguments.values import checked_integer
from theorytools.constructions.network import DOUBLE, Network, absent, weights_rounding
from theorytools.constructions.shapes import in_range
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, maximum, minimum
from theorytools.papers.sep.attention.position_copy import CodeCopy
from theorytools.papers.sep.tasks.boolean import all_pairs, checked_task
from theorytools.tasks.automaton import strings_of

if TYPE_CHECKING:
    import torch


@checked
@dataclass(frozen=True)
class TwoLayerBoolean(Network):
    r"""A two-layer network for a Boolean function of two strings.

    Parameters
    ----------
    n : length of each string.
    task : ``equality``, ``disjointness`` or ``inner_product``.
    scale : scores of the second layer are ``scale * log(4 L) * c``; 0 is uniform attention.  By default 2, and 0 for
        the inner product.
    rounded : whether the copied sign is rounded; by default only for the inner product.
    base : :math:`b^2=e^{2\beta}`, an integer; by default :math:`16k`, and 1 is :math:`\beta=0`.
    causal : whether tokens see only themselves and what comes before.

    Raises
    ------
    DomainError
        For ``n < 1``, an unknown task, ``base < 1``, ``scale < 0``.

    Examples
    --------
    >>> net = TwoLayerBoolean(4)
    >>> net.width, net.first.least, net([[0, 1, 1, 0], [0, 1, 1, 0]], [[0, 1, 1, 0], [0, 1, 1, 1]]).round(3)
    (10, Fraction(955, 1094), array([0.   , 0.864]))
    """

    n: int
    task: str = "equality"
    scale: int | None = None
    rounded: bool | None = None
    base: int | None = None
    causal: bool = False

    def __post_init__(self) -> None:
        checked_task(self.task)
        counts = self.task == "inner_product"
        defaults = {"scale": 0 if counts else 2, "rounded": counts}
        for name, value in defaults.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        checked_integer("scale", self.scale, least=0, why="scores grow with violations")
        object.__setattr__(self, "base", self.first.base)

    @property
    def steepness(self) -> int:
        """The factor ``scale`` of the second layer, as given or by default."""
        return cast(int, self.scale)

    @cached_property
    def first(self) -> CodeCopy:
        """The first layer."""
        return CodeCopy(self.n, self.base, self.causal)

    @property
    def k(self) -> int:
        """Length of the code."""
        return self.first.k

    @property
    def length(self) -> int:
        """Tokens of the input, ``L = 2 n + 1``."""
        return 2 * self.n + 1

    @property
    def width(self) -> int:
        """Coordinates of the residual stream: bit, r, c, three flags, a key block and a query block."""
        return 2 * self.k + 6

    def worst_input(self, i: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the input at which the output is least: all symbols opposite to one, except a common one.

        Parameters
        ----------
        i : the position that is violated, or shared, from 0.

        Returns
        -------
        tuple of arrays : the strings ``x`` and ``y`` of bits, shape ``(n,)``.

        Raises
        ------
        DomainError : a position that does not exist.
        """
        in_range("i", i, self.n)
        x, y = np.zeros(self.n, dtype=np.int64), np.zeros(self.n, dtype=np.int64)
        x[i], y[i] = 1, int(self.task != "equality")
        return x, y

    # -- all inputs, exactly ------------------------------------------------------------------------------------------
    def copies(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return all copied symbols :math:`r_i`, exactly.

        Parameters
        ----------
        x, y : strings of bits, shape ``(..., n)``.

        Returns
        -------
        tuple of arrays : integer numerators ``(..., n)`` and denominators ``(n,)``.

        Raises
        ------
        DomainError : other shapes, or entries other than 0 and 1.
        """
        x, y = (strings_of(bits, self.n, 2, "bits") for bits in (x, y))
        return self.first.all(x, y)

    def features(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the violations :math:`c_i`, exactly.

        Parameters
        ----------
        x, y : strings of bits, shape ``(..., n)``.

        Returns
        -------
        tuple of arrays : integer numerators ``(..., n)`` and denominators ``(n,)``.
        """
        R, D = self.copies(x, y)
        return self._violations(R, (2 * np.asarray(y, dtype=np.int64) - 1) * D, D), D

    def _violations(self, r: Any, y: Any, one: Any) -> Any:
        if self.rounded:
            r = np.clip(2 * r, -one, one)
        if self.task == "equality":
            return np.maximum(y - r - one, 0) + np.maximum(r - y - one, 0)
        return np.maximum(y + r - one, 0)

    def exact_output(self, c: tuple[Fraction, ...]) -> Enclosure:
        """Return the output at given violations.

        Parameters
        ----------
        c : the violations :math:`c_i`, ``n`` of them.

        Returns
        -------
        Enclosure : rational for uniform attention and for rounded signs.

        Raises
        ------
        DomainError : another number of violations.
        """
        if len(c) != self.n:
            raise DomainError(f"{len(c)} violations", required=f"n = {self.n}", why="one for each position")
        L = self.length
        e = [Enclosure(4 * L) ** Enclosure(self.steepness * x) if x else Enclosure(1) for x in c]
        mean = sum((x * w for x, w in zip(c, e, strict=True)), Enclosure(0)) / (sum(e, Enclosure(0)) + (L - self.n))
        return mean if self.task != "inner_product" else exact_parity(mean * L, self.n)

    def violations(self, x: ArrayLike, y: ArrayLike) -> set[tuple[Fraction, ...]]:
        """Return the different violations of some inputs, each sorted: all that the output depends on.

        Parameters
        ----------
        x, y : strings of bits, shape ``(..., n)``.

        Returns
        -------
        set : tuples of ``n`` Fractions in increasing order.
        """
        C, D = self.features(x, y)
        rows = {tuple(row) for row in np.asarray(C).reshape(-1, self.n).tolist()}
        dens = [int(v) for v in D]
        return {tuple(sorted(map(Fraction, row, dens))) for row in rows}

    def exact(self, x: ArrayLike, y: ArrayLike) -> NDArray[Any]:
        """Return the outputs at the ambient precision, shapes ``(..., n)`` to ``(...)``, an object array."""
        C, D = self.features(x, y)
        C = np.asarray(C)
        out = np.empty(C.shape[:-1], dtype=object)
        for place in np.ndindex(*out.shape):
            out[place] = self.exact_output(tuple(map(Fraction, C[place].tolist(), D.tolist())))
        return out

    def largest_error(self) -> Enclosure:
        """Return the largest distance of the output from the answer over all inputs, for the inner product."""
        x, y = all_pairs(self.n)
        right = checked_task(self.task)(x, y) == 1
        sides = ((1, self.violations(x[right], y[right])), (0, self.violations(x[~right], y[~right])))
        return maximum(abs(self.exact_output(c) - answer) for answer, found in sides for c in found)

    def extremes(self) -> tuple[Any, Any]:
        """Return two callables: the largest output where the answer is 1, the least where it is 0, over all inputs.

        Doubles choose the candidates.  Violations, from sums of at most 21 terms over a denominator not below their
        moduli, are right to 2^-47, so for ``scale <= 1000`` exponents (log(4 L) < 5) are right to 4e-11, outputs to
        1e-10, and what is 1e-9 off the extreme is not extreme.

        Returns
        -------
        tuple of callables : each without arguments, at the ambient precision.

        Raises
        ------
        DomainError
            For the inner product, whose counts are rounded in floats, and for ``scale > 1000``.
        """
        if self.task == "inner_product" or self.steepness > 1000:
            raise DomainError(
                f"{self.task} at scale {self.steepness}", required="equality or disjointness, scale <= 1000",
                why="doubles choose the candidates", advice="largest_error() for the inner product",
            )  # fmt: skip
        x, y = all_pairs(self.n)
        out, right = self(x, y), checked_task(self.task)(x, y) == 1
        high, low = right & (out >= out[right].max() - 1e-9), ~right & (out <= out[~right].min() + 1e-9)
        tops, bottoms = self.violations(x[high], y[high]), self.violations(x[low], y[low])
        return (lambda: maximum(map(self.exact_output, tops)), lambda: minimum(map(self.exact_output, bottoms)))

    # -- floating point -----------------------------------------------------------------------------------------------
    def __call__(self, x: ArrayLike, y: ArrayLike, dtype: DTypeLike = np.float64) -> NDArray[Any]:
        """Return the outputs in a numpy float type, shapes ``(..., n)`` to ``(...)``; parities are read in float64."""
        if np.dtype(dtype).kind != "f":
            raise DomainError(f"dtype = {dtype!r}", required="a type of floats", why="outputs are no integers")
        kind = np.dtype(dtype).type
        s, t = (2 * strings_of(bits, self.n, 2, "bits").astype(kind) - 1 for bits in (x, y))
        r = self.first.floats(s, t, kind)
        c = self._violations(r, t, kind(1))
        top = c.max(axis=-1, keepdims=True)
        heat: Any = kind(self.steepness * np.log(4 * self.length))
        e, null = np.exp(heat * (c - top)), np.exp(-heat * top[..., 0])
        mean = (e * c).sum(axis=-1) / (e.sum(axis=-1) + kind(self.length - self.n) * null)
        if self.task != "inner_product":
            return np.asarray(mean)
        return self._parity(mean.astype(np.float64))

    def _parity(self, mean: NDArray[np.float64]) -> NDArray[np.float64]:
        r"""The parities of counts ``L mean``, each first rounded to the nearest integer, by ``n`` rectified units.

        :math:`\mathrm{ReLU}(u)+2\sum_{j=1}^{n-1}(-1)^j\mathrm{ReLU}(u-j)` is linear between integers; its slope
        alternates between 1 and -1.
        """
        u, j = np.rint(self.length * mean), np.arange(1, self.n)
        return np.asarray(np.maximum(u, 0) + np.maximum(u[..., None] - j, 0) @ (2.0 * (-1.0) ** j))

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        r"""Return a bound on the rounding of outputs: of the copies, of violations, of layer 2.

        A copy has all but its leakage on one key.  Where it is rounded, at twice its size, it is exact if that is
        beyond 1 by the rounding.  A violation, at most 1, is what a copy leaves of a sum of numbers up to 4.  Layer 2
        has one product in a score: all other coordinates are 0.  A parity is read off the integer that is nearest to
        :math:`L\cdot` output: where violations are exact and attended uniformly it is exact if that is off by less
        than a half, and off by anything elsewhere.
        """
        own = bool(np.array_equal(self.first.keys, np.arange(self.n))) and self.first.value == 1
        leak, least = (float(1 - self.first.kept), float(self.first.least)) if own else (1.0, 0.0)
        warmth = self.k * math.log(self.first.square)
        # temperatures are a logarithm in doubles (2) times an integer, stored in the type; codes are signs
        copied = weights_rounding(warmth, self.k + 1, self.length, u, leak=leak, each=5)
        c = 2 * copied + 8 * u if self.rounded else copied + 8 * u
        if self.rounded and 2 * (least - copied) >= 1 + 4 * u:
            c = 0.0
        heat = self.steepness * math.log(4 * self.length)
        mean = c + weights_rounding(heat, 1, self.length, u, inherited=heat * c, each=5)
        if self.task != "inner_product":
            return mean
        count = self.length * mean + 2 * u * self.n
        return 0.0 if c == heat == 0 and count < 0.5 and 4 * self.n**2 * DOUBLE <= 1 else math.inf

    certificate = absent("the answer is read by a threshold: extremes() and largest_error() say how clearly")
    norms = absent("the claims count coordinates; weights are scaled identities and flags")

    def sizes(self) -> dict[str, int]:
        """Return the coordinates of the residual stream and the heads of both layers."""
        return {"width": self.width, "heads": 2}

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return the network on tokens ``(m, 2 n)``, ``x`` before ``y``, as a torch module."""
        return twin("theorytools.papers.sep.torch.boolean:TwoLayerModule")(self, dtype, device)


def exact_parity(u: Enclosure, n: int) -> Enclosure:
    """Return the value of the units at one number, without rounding it."""
    units = (maximum([u - j, Enclosure(0)]) * (1 if j == 0 else 2 * (-1) ** j) for j in range(n))
    return sum(units, Enclosure(0))
