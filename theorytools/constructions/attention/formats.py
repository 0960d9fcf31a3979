r"""Floating-point formats, and which of them an attention layer uses where.

A format of precision :math:`p` holds :math:`m2^{e-p+1}` with integers :math:`|m|<2^p`, :math:`e\ge e_{\min}`.  Rounding
to nearest, :math:`\mathrm{fl}`, has the unit round-off :math:`u=2^{-p}`, and what the proofs of
:mod:`.precision.rounding` use is

.. math:: |\mathrm{fl}(z)-z|\le\min(u|z|,|f-z|)\quad\text{for every number }f\text{ of the format},

the first part above the underflow threshold :math:`\lambda=2^{e_{\min}}`; below it the error is at most
:math:`u\lambda`, and sums are exact there (gradual underflow).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Numbers, Precision, checked
from theorytools.arguments.kinds import Integer
from theorytools.arguments.values import checked_integer
from theorytools.errors import DomainError
from theorytools.optional import require

_WHY = "rounding is described by precision and exponents: see theorytools.constructions.attention.formats"


@checked
@dataclass(frozen=True)
class Format:
    """A binary floating-point format with gradual underflow, rounding to nearest.

    Parameters
    ----------
    name : ``float64``, ``float32`` (numpy arrays) and ``bfloat16`` (torch tensors) compute; any other name is a
        format on paper, whose numbers are Fractions.
    precision : significant bits ``p``, the leading one included.
    least_exponent : the smallest normal number is ``2**least_exponent``.

    Examples
    --------
    >>> FORMATS["bfloat16"].unit_roundoff, FORMATS["bfloat16"].nearest(Fraction(1, 3))
    (Fraction(1, 256), Fraction(171, 512))
    """

    name: str
    precision: Precision
    least_exponent: Annotated[int, Integer(-(10**6), 10**6)]

    def __post_init__(self) -> None:
        checked_integer("precision", self.precision, least=2, why=_WHY)

    @property
    def unit_roundoff(self) -> Fraction:
        r"""The largest relative error of one rounding, :math:`u=2^{-p}`."""
        return Fraction(1, 1 << self.precision)

    @property
    def underflow(self) -> Fraction:
        r"""The smallest normal number :math:`\lambda`."""
        return Fraction(2) ** self.least_exponent

    def nearest(self, number: Fraction) -> Fraction:
        """Return the number of this format nearest to a rational, ties to even (no overflow)."""
        if number == 0:
            return Fraction(0)
        p, q = abs(number.numerator), number.denominator
        exponent = p.bit_length() - q.bit_length()  # 2^(exponent-1) < |number| < 2^(exponent+1)
        exponent -= abs(number) < Fraction(2) ** exponent
        unit = Fraction(2) ** (max(exponent, self.least_exponent) - self.precision + 1)
        return round(number / unit) * unit

    def cast(self, values: Numbers) -> Any:
        """Return an array of this format, rounded once from float64, float32 or bfloat16 values."""
        if self.name in ("float64", "float32"):
            return np.asarray(doubles(values), dtype=self.name)
        if self.name != "bfloat16":
            raise DomainError(f"the format {self.name}", required="float64, float32 or bfloat16", why="numpy or torch")
        torch = require("torch")

        if isinstance(values, torch.Tensor):
            return values
        exact = np.asarray(values)
        if exact.dtype == np.float64:  # torch rounds a double twice, by way of float32
            mantissa, exponent = np.frexp(exact)
            exact = np.ldexp(np.rint(np.ldexp(mantissa, self.precision)), exponent - self.precision)
        return torch.tensor(exact.astype(np.float32)).to(torch.bfloat16)

    def exp(self, arguments: Numbers) -> Any:
        """Return the library's exponentials of an array of this format."""
        if self.name == "bfloat16":
            torch = require("torch")

            return torch.exp(arguments)
        return np.exp(arguments)


def doubles(values: Any) -> NDArray[np.float64]:
    """Return the float64 values of an array of any of the three formats: exact."""
    return np.asarray(values.double() if hasattr(values, "double") else values, dtype=np.float64)


FORMATS = {
    "float64": Format("float64", 53, -1022),
    "float32": Format("float32", 24, -126),
    "bfloat16": Format("bfloat16", 8, -126),
}


@checked
@dataclass(frozen=True)
class Arithmetic:
    r"""Three formats: tokens and weights are stored in one, scores computed in the second, sums in the third.

    Parameters
    ----------
    name : how it is called in grids.
    stored : tokens, attention weights and outputs.
    scores : scores, their differences and exponentials.
    sums : inner products of codes, normaliser, quotients, products with tokens, and their sums.

    Raises
    ------
    DomainError
        Where ``sums`` is coarser than one of the others, so that handing a number over would round it.
    """

    name: str
    stored: Format
    scores: Format
    sums: Format

    def __post_init__(self) -> None:
        for other in (self.stored, self.scores):
            if other.precision > self.sums.precision or other.least_exponent < self.sums.least_exponent:
                raise DomainError(
                    f"sums in {self.sums.name}, numbers in {other.name}",
                    required="sums at least as fine",
                    why="what is stored enters a sum without a rounding of its own",
                )

    @property
    def u(self) -> Fraction:
        """Unit round-off of stored numbers."""
        return self.stored.unit_roundoff

    @property
    def u_a(self) -> Fraction:
        """Unit round-off of sums, the accumulator's."""
        return self.sums.unit_roundoff

    @property
    def u_c(self) -> Fraction:
        """Unit round-off of storing a computed number: 0 where sums are kept in the stored format."""
        return Fraction(0) if self.stored == self.sums else self.u

    @property
    def tiny(self) -> Fraction:
        """The largest underflow threshold among the three formats."""
        return max(f.underflow for f in (self.stored, self.scores, self.sums))

    @property
    def largest_product(self) -> int:
        r"""The largest :math:`s` with all integers up to :math:`s` held exactly, :math:`2^p`."""
        return 1 << min(self.scores.precision, self.sums.precision)


def _arithmetics() -> dict[str, Arithmetic]:
    f64, f32, b16 = FORMATS["float64"], FORMATS["float32"], FORMATS["bfloat16"]
    known = [
        Arithmetic("float64", f64, f64, f64),
        Arithmetic("float32", f32, f32, f32),
        Arithmetic("bfloat16", b16, f32, f32),  # as fused kernels do: only tokens, weights and outputs are short
        Arithmetic("bfloat16_scores", b16, b16, f32),
        Arithmetic("bfloat16_sums", b16, b16, b16),
    ]
    return {one.name: one for one in known}


ARITHMETICS = _arithmetics()


@checked
def arithmetic(name: str | Arithmetic) -> Arithmetic:
    """Return the arithmetic of that name, one of ``ARITHMETICS``; ``DomainError`` for any other."""
    if isinstance(name, Arithmetic):
        return name
    if name not in ARITHMETICS:
        raise DomainError(
            f"the arithmetic {name!r}", required=f"one of {', '.join(ARITHMETICS)}, or an Arithmetic", why=_WHY,
            advice="Arithmetic('mine', stored, scores, sums) with three Formats",
        )  # fmt: skip
    return ARITHMETICS[name]


def rounded_down(number: Fraction) -> float:
    """Return the largest double that is at most a rational."""
    value = number.numerator / number.denominator
    return value if Fraction(value) <= number else math.nextafter(value, -math.inf)
