"""Numbers of a verdict as text: never more digits than an interval supports, ends rounded outward.

The plain form is ``-1.107e-6``; :func:`pretty` and :func:`tex` turn it into typeset forms.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

DIGITS = 6
_EXACT = decimal.Context(prec=40, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def significant(number: Decimal, digits: int = DIGITS, rounding: str = ROUND_HALF_EVEN, *, strip: bool = False) -> str:
    """Return ``digits`` significant digits, with an exponent below 1e-3 and from 1e6 on."""
    if number.is_infinite():
        return "-∞" if number < 0 else "∞"
    if number == 0:
        return "0"
    context = decimal.Context(digits, rounding, decimal.MIN_EMIN, decimal.MAX_EMAX, traps=[])
    rounded = context.plus(number)
    power = rounded.adjusted()
    mantissa = "".join(map(str, rounded.as_tuple().digits)).ljust(digits, "0")
    if strip:
        mantissa = mantissa.rstrip("0") or "0"
    sign = "-" if rounded < 0 else ""
    if -4 < power < 6:
        if power < 0:
            return f"{sign}0.{'0' * (-power - 1)}{mantissa}"
        mantissa = mantissa.ljust(power + 1, "0")
        return sign + mantissa[: power + 1] + ("." + mantissa[power + 1 :] if mantissa[power + 1 :] else "")
    return f"{sign}{mantissa[0]}{'.' + mantissa[1:] if mantissa[1:] else ''}e{power}"


def ends(estimate: Mapping[str, Any]) -> tuple[Decimal, Decimal]:
    """Return both ends of an estimate; the exact ones where doubles cannot hold them."""
    show = list(estimate.get("show") or (None, None))
    low = _end(show[0], estimate.get("low"), Decimal("-Infinity"))
    high = _end(show[1], estimate.get("high"), Decimal("Infinity"))
    return low, high


def _end(shown: float | None, exact: Mapping[str, Any] | None, infinite: Decimal) -> Decimal:
    if shown is not None and 1e-300 < abs(shown) < 1e300:
        return Decimal(shown)
    if exact and "q" in exact:
        return _EXACT.divide(Decimal(int(exact["q"][0], 16)), Decimal(int(exact["q"][1], 16)))
    if exact and "d" in exact:
        return _EXACT.multiply(Decimal(int(exact["d"][0], 16)), _power_of_two(int(exact["d"][1])))
    if exact and "inf" in exact:
        return Decimal("Infinity") * int(exact["inf"])
    return infinite if shown is None else Decimal(shown)


@lru_cache(maxsize=256)
def _power_of_two(exponent: int) -> Decimal:
    return _EXACT.power(Decimal(2), exponent)


def interval(low: Decimal, high: Decimal) -> str:
    """Return one number when the ends agree to three digits or more, else ``[low, high]`` rounded outward."""
    if low == high:
        whole = low.is_finite() and abs(low) < 10**10 and low == low.to_integral_value()
        return str(int(low)) if whole else significant(low, strip=True)
    if low.is_finite() and high.is_finite():
        for digits in range(DIGITS, 2, -1):
            text = significant(low, digits)
            if text == significant(high, digits):
                return text
    first, last = significant(low, 4, ROUND_FLOOR), significant(high, 4, ROUND_CEILING)
    a, b = first.partition("e"), last.partition("e")
    if a[2] and a[2] == b[2]:
        return f"[{a[0]}, {b[0]}]e{a[2]}"
    return f"[{first}, {last}]"


def estimate_text(estimate: Mapping[str, Any] | None) -> str:
    """Return the text of an estimate, ``–`` when there is none."""
    return interval(*ends(estimate)) if estimate else "–"


def band_text(bound: list[Mapping[str, Any]]) -> str:
    """Return the text of a right side: one estimate, or the two ends of a band."""
    if len(bound) == 2:
        (low, _), (_, high) = ends(bound[0]), ends(bound[1])
        return interval(low, high)
    return estimate_text(bound[0] if bound else None)


def slack_text(row: Mapping[str, Any], relation: str | None) -> str:
    """Return the slack with the digits that both intervals of the row support.

    The stored slack is the end that is certain: rounded down where the row holds, up where it fails.
    """
    slack = row.get("slack")
    if slack is None:
        return "–"
    fails = row.get("truth") is False
    rounding = ROUND_CEILING if fails else ROUND_FLOOR
    low, high = _ratio(row, relation) or (Decimal(slack), Decimal(slack))
    if not fails and not high.is_finite():
        return "≥ " + significant(Decimal(slack), 2, rounding)
    digits = next((d for d in (4, 3, 2) if high - low <= low.scaleb(1 - d)), 0)
    if digits:
        text = significant(Decimal(slack), digits, rounding)
        return "< 1" if fails and Decimal(text) >= 1 else text
    return f"{significant(low, 2, ROUND_FLOOR)} … {significant(high, 2, ROUND_CEILING)}"


def _ratio(row: Mapping[str, Any], relation: str | None) -> tuple[Decimal, Decimal] | None:
    """Range of bound/measured of a bound from above, of measured/bound of one from below, when both are positive."""
    bound = row.get("bound") or []
    if relation not in {"<=", ">=", "<", ">"} or len(bound) != 1 or not row.get("measured"):
        return None
    above, below = ends(bound[0]), ends(row["measured"])
    if relation in {">=", ">"}:
        above, below = below, above
    if above[0] < 0 or below[0] < 0 or below[1] <= 0 or not above[0].is_finite():
        return None
    low = _EXACT.divide(above[0], below[1]) if below[1].is_finite() else Decimal(0)
    high = _EXACT.divide(above[1], below[0]) if below[0] > 0 else Decimal("Infinity")
    return low, high


def point_text(value: Any) -> str:
    """Return an axis value: a short decimal stays one, a long exact string is shortened with ``≈``."""
    text = str(value)
    number = fraction(text)
    if number is None:
        return text if len(text) <= 40 else text[:37] + "…"
    if number.denominator == 1 and len(text) <= 10:
        return text
    decimal_form = _EXACT.divide(Decimal(number.numerator), Decimal(number.denominator))
    short = significant(decimal_form, strip=True)
    if len(short) <= 8 and "e" not in short and Fraction(short) == number:
        return short
    return text if len(text) <= 10 else "≈ " + short


def short_text(value: Any) -> str:
    """Return an axis value as a label of a picture: a long one to three digits, ``≈1.8×10¹⁶``."""
    text, number = point_text(value), fraction(str(value))
    if len(text) > 7 and number is not None:
        near = significant(_EXACT.divide(Decimal(number.numerator), Decimal(number.denominator)), 3, strip=True)
        text = near if fraction(near) == number else f"≈{near}"
    return pretty(text)


def fraction(text: str) -> Fraction | None:
    """Return the rational that an exact string names, or None for a word."""
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def pretty(text: str) -> str:
    """Return the text with a true minus sign and powers of ten: ``−1.107×10⁻⁶``."""
    text = re.sub(r"(?<=\d)e(-?\d+)", lambda m: "×10" + m[1].translate(_SUPERSCRIPT), text)
    return re.sub(r"(?<![\w^])-(?=[\d∞])", "−", text)


def power_of_ten(exponent: int) -> str:
    """Return ``10⁻³``; 1 and 10 as they are."""
    return {0: "1", 1: "10"}.get(exponent, "10" + str(exponent).translate(_SUPERSCRIPT))


def tex(text: str) -> str:
    r"""Return the text for LaTeX's mathematics mode: ``-1.107\times10^{-6}``."""
    text = re.sub(r"(?<=\d)e(-?\d+)", r"\\times10^{\1}", text)
    for sign, command in {"∞": r"\infty", "≥": r"\ge", "≈": r"\approx", "…": r"\dots"}.items():
        text = text.replace(sign, command)
    return f"${text}$"
