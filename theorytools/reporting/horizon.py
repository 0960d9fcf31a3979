"""What a claim's rows would have seen, in words, for tables ``constant 1 %, N^±0.03, log N``, and as a sentence; the
sizes, ``N = 4..1024``; and where the slack would end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

NEVER = math.inf
LEAST = 0.001  # an exponent is not said more finely
_SEEN = 1e-4  # a constant that is off by less is not said to pass: it is less than is ever said to be seen


def seen_text(seen: Mapping[str, Any], most: int | None = None) -> str:
    """Return what one assertion would have seen: ``constant 1 %, N^±0.03, log N``; ``no power`` for nothing.

    Of each kind at most ``most`` letters are named.
    """
    parts = []
    if seen["zero"]:
        parts.append("any value but 0")
    if seen["constant"] is not None:
        parts.append(f"constant {_percent(seen['constant'])}")
    for name, (up, down) in list(seen["exponents"].items())[:most]:
        known = [x for x in (up, down) if x is not None]
        if known:
            sign = "±" if len(known) == 2 else "+" if up is not None else "-"
            parts.append(f"{name}^{sign}{_rounded_up(max(*known, LEAST))}")
    parts += [f"log {name}" for name in seen["logs"][:most]]
    parts += [f"{name}±1" for name in seen["shifts"][:most]]
    return ", ".join(parts) or "no power"


def excluded_text(seen: Mapping[str, Any], relation: str = "==", most: int | None = None) -> str:
    """Return the same as a sentence would list it, ``a constant 2.3 times smaller; N^0.03 more or less``.

    Parameters
    ----------
    seen : of one assertion.
    relation : its relation, which says in which direction a wrong constant is the stronger statement.
    most : letters that are named of each kind.

    Examples
    --------
    >>> seen = {"zero": False, "constant": 0.05, "exponents": {"N": [0.01, None]}, "logs": ["N"], "shifts": ["N"]}
    >>> excluded_text(seen, "<=")
    'a constant smaller by 5 %; N^0.01 more; one factor log N more or less; N moved by one'
    """
    parts = ["any value but 0"] if seen["zero"] else []
    if (constant := seen["constant"]) is not None:
        way = {"<=": "smaller", ">=": "larger"}.get(relation, "off")
        less = f"{way} by {_percent(constant).lstrip('<')}"
        parts.append(f"a constant {less}" if constant <= 1 else f"a constant {_rounded_up(1 + constant)} times {way}")
    for name, (up, down) in list(seen["exponents"].items())[:most]:
        if known := [x for x in (up, down) if x is not None]:
            way = "more or less" if len(known) == 2 else "more" if up is not None else "less"
            parts.append(f"{name}^{_rounded_up(max(*known, LEAST))} {way}")
    parts += [f"one factor log {name} more or less" for name in seen["logs"][:most]]
    parts += [f"{name} moved by one" for name in seen["shifts"][:most]]
    return "; ".join(parts) or "nothing near the statement (no power)"


def passed_text(seen: Mapping[str, Any], relation: str = "==", most: int | None = None) -> str:
    """Return the nearest wrong statements that one assertion would not have seen, as a sentence lists them.

    Parameters
    ----------
    seen : of one assertion.
    relation : its relation, which says in which direction a wrong constant is the stronger statement.
    most : letters that are named of each kind.

    Examples
    --------
    >>> seen = {"zero": False, "constant": 0.05, "exponents": {"N": [0.01, None]}, "logs": [], "shifts": ["N"]}
    >>> passed_text(seen, "<=")
    'a constant smaller by less than 5 %; any power of N less; one factor log N more or less'
    """
    way, constant = {"<=": "smaller", ">=": "larger"}.get(relation, "off"), seen["constant"]
    parts = ["any other constant"] if constant is None and not seen["zero"] else []
    if constant is not None and constant >= _SEEN:
        less = f"{way} by less than {_percent(constant)}"
        parts.append(
            f"a constant {less}" if constant <= 1 else f"a constant {way} by a factor below {_rounded_up(1 + constant)}"
        )
    for name, (up, down) in list(seen["exponents"].items())[:most]:
        if up is None or down is None:
            which = "" if up is None and down is None else " more" if up is None else " less"
            parts.append(f"any power of {name}{which}")
        elif max(up, down) >= LEAST:
            parts.append(f"a power of {name} below {_rounded_up(max(up, down))}")
    parts += [
        f"one factor log {name} more or less" for name in list(seen["exponents"])[:most] if name not in seen["logs"]
    ]
    return "; ".join(parts)


def trend_text(told: Mapping[str, Any]) -> str:
    """Return where the slack of one assertion would end along one letter; empty where nothing points to an end.

    Examples
    --------
    >>> told = {"letter": "T", "at": {"d": "3"}, "exponent": 0.43, "ends": [144, 151]}
    >>> trend_text(told)
    'slack falls as T^-0.43, would end near T = 144 to 151 (d = 3)'
    """
    if not told["ends"]:
        return ""
    letter, (first, last) = told["letter"], (_short(math.ceil(end)) for end in told["ends"])
    where = first if first == last else f"{first} to {last}"
    at = ", ".join(f"{name} = {_short(value)}" for name, value in told["at"].items())
    falls = f"slack falls as {letter}^{-told['exponent']:.3g}, would end near {letter} = {where}"
    return f"{falls} ({at})" if at else falls


def _percent(part: float) -> str:
    if part > 1:
        return f"×{_rounded_up(1 + part)}"
    return "<0.01 %" if part < 1e-4 else f"{_rounded_up(100 * part)} %"


def _rounded_up(value: float) -> str:
    """Two significant digits, rounded up."""
    if value <= 0:
        return "0"
    place = math.floor(math.log10(value)) - 1
    scaled = math.ceil(value / 10.0**place - 1e-9)
    if place >= 0:
        return str(scaled * 10**place)
    return f"{scaled * 10.0**place:.{-place}f}".rstrip("0").rstrip(".")


def sizes_text(ranges: Mapping[str, Mapping[str, Any]], most: int | None = None) -> str:
    """Return the tested sizes, ``N = 4..1024``, of at most ``most`` letters; where none has two, the one of each."""
    wide = [f"{n} = {_short(r['low'])}..{_short(r['high'])}" for n, r in ranges.items() if r["values"] > 1]
    return ", ".join((wide or [f"{n} = {_short(r['low'])}" for n, r in ranges.items()])[:most])


def searched_text(searched: Mapping[str, Any]) -> str:
    """Return what the search beside a verdict did: how many points, how far each letter reached, what ended it.

    Examples
    --------
    >>> searched_text({"inside": 60, "open": 0, "reach": {"N": "1..4096", "q": "1..8"}, "refused": 3, "samples": 4,
    ...                "ended": "evaluations"})
    'searched 60 points beside the grid, N = 1..4096, q = 1..8; 4 of them with fresh draws; 3 refused'
    >>> searched_text({})
    ''
    """
    if not searched:
        return ""
    reach = ", ".join(f"{name} = {'..'.join(map(_short, _ends(part)))}" for name, part in searched["reach"].items())
    count = searched["inside"]
    said = [f"searched {count} point{'s' * (count != 1)} beside the grid" + (f", {reach}" if reach else "")]
    if searched.get("samples"):
        said.append(f"{searched['samples']} of them with fresh draws")
    said += [f"{searched[name]} {word}" for name, word in _NOT_JUDGED.items() if searched.get(name)]
    said += [_ENDED[searched["ended"]]] if searched["ended"] in _ENDED else []
    return "; ".join(said)


_NOT_JUDGED = {"refused": "refused", "open": "not decided", "left_out": "left out for the work"}
_ENDED = {
    "work": "ended by its work",
    "exhausted": "there is no other",
    "steep": "work may grow exponentially beyond",
    "barren": "ended, since most points say nothing",
}


def _ends(part: str) -> list[str]:
    """The two ends of a reach, one where they agree."""
    return list(dict.fromkeys(part.split("..")))


def _short(size: Any) -> str:
    """A long integer by its power of ten, ``3·10^7``, also in a fraction; ``≈`` where digits are left out."""
    text = str(size)
    if "/" in text:
        return "/".join(map(_short, text.split("/")))
    digits, places = text.rstrip("0"), len(text) - len(text.rstrip("0"))
    if not text.isdecimal() or len(text) <= 5 or (len(digits) > 3 and len(text) <= 7):
        return text
    if len(digits) > 3:
        return f"≈{text[0]}.{text[1:3]}·10^{len(text) - 1}"
    return f"10^{places}" if digits == "1" else f"{digits}·10^{places}"


def weakest(seen: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return what the assertion that sees least would have seen; None without a true row."""
    return max(seen.values(), key=_blindness, default=None)


def _blindness(seen: Mapping[str, Any]) -> tuple[float, float]:
    constant = (0.0 if seen["zero"] else NEVER) if seen["constant"] is None else seen["constant"]
    exponents = [NEVER if None in pair else max(pair) for pair in seen["exponents"].values()]
    return constant, min(exponents, default=NEVER)
