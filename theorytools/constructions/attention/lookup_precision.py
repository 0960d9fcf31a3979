r"""Index lookup in a floating-point format: which position code still finds its target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked, ranks
from theorytools.arguments.values import checked_integer, within_budget
from theorytools.codes.lookup import lookup_codes
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import portable
from theorytools.numbers.float_result import FloatResult

_WHY = "a layer evaluated in one floating-point format"
_PAIRS = 2**27
_BLOCK = 2**20
MANTISSAS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}


@checked
@dataclass(frozen=True)
class LookupFormat:
    r"""One attention row with every step rounded to nearest in a format of ``bits`` significant bits.

    Keys and :math:`\beta\,\cdot` query codes are rounded to the format; products and their sum, coordinate after
    coordinate, are taken in float32 (float64 for ``float64``) and the score is rounded once; the row's maximum is
    subtracted, and the difference and its exponential are rounded; the denominator, with the last token's score 0, is
    summed in float32 and rounded; the weights are rounded.

    Parameters
    ----------
    name : ``float64``, ``float32``, ``float16`` (numpy's own, with their range), ``bfloat16`` (the range of float32),
        or ``bits`` for a format on paper of any mantissa, in which products and sums are doubles and the range is
        unlimited.
    bits : significant bits, the leading one included; fixed by a named format.

    Raises
    ------
    DomainError : an unknown format, or bits that it does not have.
    """

    name: str
    bits: int = 0

    def __post_init__(self) -> None:
        if self.name == "bits":
            checked_integer("bits", self.bits, least=2, why=_WHY)
        elif self.name not in MANTISSAS or self.bits not in (0, MANTISSAS[self.name]):
            given = f"the format {self.name!r} with bits = {self.bits}"
            raise DomainError(given, required=f"bits, or one of {', '.join(MANTISSAS)}", why=_WHY)
        else:
            object.__setattr__(self, "bits", MANTISSAS[self.name])

    @property
    def wide(self) -> type[np.floating[Any]]:
        """The type in which products and sums are taken."""
        return np.float64 if self.name in ("float64", "bits") else np.float32

    def rounded(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return numbers rounded once to this format, ties to even, held in the wide type."""
        return self._rounded(x if x.dtype in (np.float64, np.float32) else x.astype(np.float64))

    def _rounded(self, x: NDArray[Any]) -> NDArray[Any]:
        if self.name in ("float64", "float32"):
            return np.asarray(x, dtype=self.wide)
        with np.errstate(over="ignore"):
            if self.name == "float16":
                return np.asarray(x).astype(np.float16).astype(np.float32)
        if self.name == "bfloat16" and x.dtype == np.float32:  # the upper half of a float32: subnormal numbers included
            pattern = np.ascontiguousarray(x).view(np.uint32)
            return ((pattern + 0x7FFF + (pattern >> 16 & 1)) & np.uint32(0xFFFF0000)).view(np.float32)
        mantissa, exponent = np.frexp(x)
        return np.ldexp(np.rint(np.ldexp(mantissa, self.bits)), exponent - self.bits).astype(self.wide)

    def exp(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return exponentials in the wide type, the same on every machine: doubles, rounded once more for float32."""
        return self._exp(x)

    def _exp(self, x: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(portable.exp(x), dtype=self.wide)

    @ranks(keys=2, queries=2)
    def weights(self, keys: NDArray[Any], queries: NDArray[Any]) -> NDArray[Any]:
        """Return attention weights, shape ``(n, N)``, of rounded keys ``(N, k)`` and scaled queries ``(n, k)``.

        Raises
        ------
        DomainError : another shape, or scores beyond the range of the format.
        """
        if not keys.size or not queries.size or keys.shape[1] != queries.shape[1]:
            given = f"keys of shape {keys.shape}, queries of shape {queries.shape}"
            raise DomainError(given, required="(N, k) and (n, k), not empty", why=_WHY)
        return self._finite(self._weights(*(part.astype(self.wide) for part in (keys, queries))))

    def _weights(self, keys: NDArray[Any], queries: NDArray[Any]) -> NDArray[Any]:
        scores = np.zeros((len(queries), len(keys)), dtype=self.wide)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            for q, t in zip(queries.T, keys.T, strict=True):
                scores += q[:, None] * t
            return self._softmax(scores, last=True)

    @ranks(scores=2)
    def softmax(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return the weights ``(n, J)`` of scores ``(n, J)``: scores, exponentials, sum and quotients are rounded.

        Raises
        ------
        DomainError : scores beyond the range of the format.
        """
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            return self._finite(self._softmax(scores.astype(self.wide), last=False))

    def _softmax(self, scores: NDArray[Any], *, last: bool) -> NDArray[Any]:
        """The weights, where ``last`` says whether there is another key, of score 0, besides."""
        scores, floor = self._rounded(scores), 0 if last else -np.inf
        top = np.maximum(scores.max(axis=1, keepdims=True), self.wide(floor))
        e = self._rounded(self._exp(self._rounded(scores - top)))
        rest = self._rounded(self._exp(self._rounded(-top))) if last else 0
        return self._rounded(e / self._rounded(e.sum(axis=1, keepdims=True, dtype=self.wide) + rest))

    def _finite(self, weights: NDArray[Any]) -> NDArray[Any]:
        if not np.isfinite(weights).all():
            raise DomainError("weights that are no numbers", required="scores in the range of the format", why=_WHY)
        return weights


def lookup_scale(code: str, keys: NDArray[Any]) -> float:
    r"""Return the scale :math:`\beta=\ln(3N)/\Delta` of a named code, :math:`\Delta` its least gap."""
    N, k = keys.shape
    if code == "jl":
        gram = keys.astype(np.float32) @ keys.T.astype(np.float32)  # integers up to k: exact
        np.fill_diagonal(gram, -k)
        gap = float(k - gram.max())
    else:  # of the circle 1 - cos(2 pi/N) = 2 sin^2(pi/N), without cancellation
        gap = {"binary": 2.0, "quadratic": 1.0}.get(code) or 2 * float(portable.turn(1, 2 * N)[1]) ** 2
    return float(portable.log(3 * N)) / gap


@checked
def rounded_margin(
    code: str, N: int, arithmetic: LookupFormat | str, *, rng: np.random.Generator | None = None, scale: float = 1.0
) -> FloatResult:
    r"""Return :math:`\min_p(\alpha_p-\sum_{j\ne p}\alpha_j)` of the weights that come out, exactly; -1 on overflow.

    The weights are numbers of a format, so their sums are rationals: doubles select the rows that may be the
    smallest, and those are summed exactly.  Exponentials are those of
    :mod:`theorytools.numbers.portable`.  ``scale`` multiplies
    :math:`\beta=\ln(3N)/\Delta`.

    Raises
    ------
    DomainError : an unknown code or format, or ``N < 2``.
    BudgetError : more than 2**27 pairs.

    Examples
    --------
    >>> [rounded_margin("quadratic", N, "float16") > 0 for N in (32, 48)]
    [True, False]
    """
    form = LookupFormat(arithmetic) if isinstance(arithmetic, str) else arithmetic
    within_budget("pairs", N * N, _PAIRS, why="every position is asked for", advice="take fewer positions")
    keys, queries = (np.asarray(part, dtype=np.float64) for part in lookup_codes(code, N, rng=rng))
    t, q = form._rounded(keys), form._rounded(scale * lookup_scale(code, keys) * queries)
    worst = Fraction(1)
    step = max(_BLOCK // N, 1)
    for start in range(0, N, step):
        alpha = form._weights(t, q[start : start + step]).astype(np.float64)
        if not np.isfinite(alpha).all():
            return FloatResult(-1, "numpy")
        place = np.arange(len(alpha))
        margins = 2 * alpha[place, start + place] - alpha.sum(axis=1)
        # a sum of N weights, together at most 2, is off by at most 2 N 2^-53: rows within N 2^-50 may be the smallest;
        # of rows with the same weights in another order one is enough
        near = np.flatnonzero(margins <= min(margins.min(), float(worst)) + N * 2.0**-50)
        seen: set[bytes] = set()
        for row in near:
            ordered = np.sort(alpha[row])
            key = ordered.tobytes() + alpha[row, start + row].tobytes()
            if key not in seen:
                seen.add(key)
                worst = min(worst, 2 * Fraction(alpha[row, start + row]) - exact_sum(ordered))
    return FloatResult(worst, "numpy")


def exact_sum(numbers: NDArray[np.float64]) -> Fraction:
    """Return the sum of doubles as a rational; equal ones are counted."""
    summed, common = 0, 2**1074  # the smallest positive double is 2^-1074
    for number, count in zip(*np.unique(numbers, return_counts=True), strict=True):
        numerator, denominator = float(number).as_integer_ratio()
        summed += int(count) * numerator * (common // denominator)
    return Fraction(summed, common)


@dataclass(frozen=True)
class PrecisionBreak:
    """The last length of a grid that is right with all shorter ones, and the first that is wrong (None: none)."""

    last_good: int | None
    first_bad: int | None


@checked
def precision_break(
    code: str, lengths: Iterable[int], arithmetic: LookupFormat | str, *, rng: np.random.Generator | None = None
) -> PrecisionBreak:
    """Return where a code breaks on an increasing grid of lengths.

    Breaks are not monotone in the length, so the answer belongs to the grid.

    Examples
    --------
    >>> precision_break("circle", (32, 48, 64, 96), "bfloat16")
    PrecisionBreak(last_good=48, first_bad=64)
    """
    good: int | None = None
    for N in lengths:
        if rounded_margin(code, N, arithmetic, rng=rng) <= 0:
            return PrecisionBreak(good, N)
        good = N
    return PrecisionBreak(good, None)


@checked
def least_bits(code: str, N: int, *, rng: np.random.Generator | None = None, scale: float = 1.0) -> int:
    r"""Return the fewest significant bits, at least 2, with which a code looks up all of ``N`` positions.

    Formats on paper, ``LookupFormat("bits", M)`` for ``M = 2, 3, ...``, with one draw of a random code.  More bits may
    fail again.

    Raises
    ------
    BudgetError : 53 bits are not enough.

    Examples
    --------
    >>> [least_bits(code, 64) for code in ("binary", "quadratic", "circle")]
    [2, 13, 9]
    """
    state = None if rng is None else rng.bit_generator.state
    for bits in range(2, 54):
        if rng is not None and state is not None:
            rng.bit_generator.state = state  # the same code at every mantissa
        if rounded_margin(code, N, LookupFormat("bits", bits), rng=rng, scale=scale) > 0:
            return bits
    raise BudgetError(
        f"{code} codes of {N} positions", required="at most 53 bits", why=_WHY, advice="take fewer positions"
    )
