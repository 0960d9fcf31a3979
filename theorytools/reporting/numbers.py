"""Numbers of a verdict as text: never more digits than an interval supports, ends rounded outward.

Plain form ``-1.107e-6``; :func:`pretty` and :func:`tex` turn it into typeset forms.

The words a report uses for outcomes, evidence, provenance, scope and horizon; one place, one wording.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from theorytools.meaning import SEEN, remark_text, scope_text
from theorytools.reporting.horizon import excluded_text, searched_text, seen_text, sizes_text, trend_text, weakest

DIGITS = 6
MOST = 3  # letters that a line of a table names
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


OUTCOMES = {
    "HOLDS": "every row satisfies the statement, and every control behaves as it must",
    "REFUTED": "some row contradicts the statement as it is read here",
    "WITNESS FAILS": "what is exhibited for it fails there; another witness may do",
    "UNDECIDED": "some comparison stayed open after the whole budget; neither answer is given",
    "POWERLESS": "a control that should fail did not, so this check cannot tell true from false",
    "INAPPLICABLE": "the hypotheses fail at every point asked for",
}
EVIDENCE = {
    "EXACT": "exact: integers and rationals",
    "ENCLOSED": "enclosed: directed rounding",
    "SAMPLED": "sampled: confidence sequences",
    "OBSERVED": "observed: a run in one machine's own arithmetic",
    "FITTED": "fitted: regressions or trained models",
}
PROVENANCE = {
    "published": "published",
    "reconstructed": "reconstructed display",
    "derived here": "derived here",
}
CONTROLS = {
    "breaks": "breaks, as it must",
    "holds": "repair holds",
    "fails": "does not break",
    "open": "open",
    "never applies": "never applies",
}
TRUTH = {True: "holds", False: "fails", None: "open"}
NO_PREMISE = "premise false"


def idle(row: Mapping[str, Any]) -> bool:
    """Whether the premise of an implication is false in a row, so that it says nothing."""
    return (row.get("premise") or {}).get("truth") is False


def evidence(verdict: Mapping[str, Any]) -> str:
    """Return how strong the numbers of a verdict are, in words."""
    grade = verdict.get("evidence")
    spent = (verdict.get("alpha") or {}).get("spent")
    if grade == "SAMPLED" and spent is not None:
        return "sampled: error probability ≤ " + small(spent)
    return EVIDENCE.get(str(grade), "no evidence")


def small(number: float) -> str:
    """Return a probability with two digits, rounded up."""
    return pretty(significant(Decimal(repr(float(number))), 2, "ROUND_CEILING", strip=True))


def scope(verdict: Mapping[str, Any]) -> str:
    """Return the quantifiers of what is claimed, each with how it is covered."""
    return scope_text(verdict.get("scope") or {}) or "–"


def provenance(verdict: Mapping[str, Any]) -> str:
    """Return whose statement a claim is, where it stands, and what of its display was available."""
    source = verdict.get("source") or {}
    mark = PROVENANCE.get(str(source.get("provenance")), "not stated")
    seen = SEEN.get(str(source.get("seen")), "")
    where = ", ".join(filter(None, [source.get("where"), f"{seen} was read" if seen and seen != "neither" else ""]))
    return f"{mark} ({where})" if where else mark


def sizes(verdict: Mapping[str, Any]) -> str:
    """Return the sizes at which a claim was judged: ``N = 4..1024``."""
    return sizes_text(verdict.get("tested") or {}, MOST) or "–"


def searched(verdict: Mapping[str, Any]) -> str:
    """Return what the search beside the grid did: ``searched 60 points beside the grid, N = 1..4096``."""
    return searched_text(verdict.get("searched") or {})


def remarks(verdict: Mapping[str, Any]) -> list[str]:
    """Return what the trial of the check found, a line each."""
    return [remark_text(remark) for remark in verdict.get("remarks") or ()]


def points(verdict: Mapping[str, Any]) -> str:
    """Return how many points were judged, of how many: a hypothesis may have dropped some."""
    rows = [row for row in verdict.get("rows") or () if not row.get("control")]
    judged = len({tuple((row.get("point") or {}).items()) for row in rows})
    left = len(verdict.get("skipped") or ())
    return f"{judged} of {judged + left}" if left else str(judged)


def would_see(verdict: Mapping[str, Any]) -> str:
    """Return which wrong statements the rows of a claim reject, of the assertion that sees least, for a table."""
    least = weakest(_sized(verdict))
    return _without(verdict) if least is None else seen_text(least, MOST)


def passes(verdict: Mapping[str, Any]) -> str:
    """Return the wrong constants the rows of a claim would pass, if off by more than 2: ``×93``, ``any``.

    Of the assertion that sees least; empty where its rows see a constant off by 2, and where they are yes or no.
    """
    least = weakest(_sized(verdict))
    if least is None or least["zero"]:
        return ""
    if least["constant"] is None:
        return "" if least["exponents"] else "any"
    return seen_text({**least, "exponents": {}, "logs": [], "shifts": []}).split()[-1] if least["constant"] > 1 else ""


def _sized(verdict: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The horizon without the assertions whose quantity was 0 or 1 at every row and 1 at some: it says yes or no."""
    found: dict[str, set[bool | None]] = {}
    for row in verdict.get("rows") or ():
        if isinstance(row, Mapping) and not row.get("control") and row.get("truth"):  # a record has them as lists
            found.setdefault(str(row.get("assertion")), set()).add(_yes_or_no(row))
    horizon = verdict.get("horizon") or {}
    return {name: seen for name, seen in horizon.items() if None in found.get(name, {None}) or True not in found[name]}


def _yes_or_no(row: Mapping[str, Any]) -> bool | None:
    """Whether a row measured exactly 0 or exactly 1; None for any other number.  Doubles tell both exactly."""
    if "numbers" in row:  # of a committed record: an exact number is a text
        return {"0": False, "1": True}.get(row["numbers"][0] if isinstance(row["numbers"][0], str) else "")
    measured = row.get("measured") or {}
    ends = set(measured.get("show") or ()) if measured.get("evidence") == "EXACT" else set()
    return {frozenset({0.0}): False, frozenset({1.0}): True}.get(frozenset(ends))


def _without(verdict: Mapping[str, Any]) -> str:
    """What a verdict without a horizon would see: of a quantity that is 0 or 1 at every row nothing is said."""
    powerless = verdict.get("outcome") == "POWERLESS" or (verdict.get("outcome") == "HOLDS" and not verdict.get("rows"))
    return "no power" if powerless else "–"


def excludes(verdict: Mapping[str, Any]) -> str:
    """Return in words what the rows of a claim exclude, of the assertion that sees least; empty where it says nothing.

    Of a quantity that is 0 or 1 at every row nothing is said.
    """
    seen = _sized(verdict)
    least = weakest(seen)
    name = next((name for name in seen if seen[name] is least), "")
    return excluded_text(least, _relation(verdict, name), MOST) if least is not None else ""


def _relation(verdict: Mapping[str, Any], assertion: str) -> str:
    return next((a["relation"] for a in verdict.get("assertions") or () if a.get("name") == assertion), "==")


def horizon_lines(verdict: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return for each assertion what its rows exclude."""
    seen = _sized(verdict)
    return [(name, excluded_text(part, _relation(verdict, name))) for name, part in seen.items()]


def trends(verdict: Mapping[str, Any]) -> list[str]:
    """Return where the slack would end, a line for each assertion and letter along which it points to an end."""
    found = [told for told in verdict.get("trend") or () if told["ends"]]
    named = len({told["assertion"] for told in verdict.get("trend") or ()}) > 1
    return [f"{told['assertion']}: {trend_text(told)}" if named else trend_text(told) for told in found]


def verdict_line(verdict: Mapping[str, Any]) -> str:
    """Return the verdict as one line: ``HOLDS for N = 4..1024; its rows exclude: a constant smaller by 1 %``."""
    outcome, where, out = str(verdict.get("outcome")), sizes(verdict), excludes(verdict)
    said = f"{outcome} for {where}" if where != "–" else outcome
    return f"{said}; its rows exclude: {out}" if out and outcome == "HOLDS" else said


def expectation(verdict: Mapping[str, Any]) -> str:
    """Return whether the outcome is the one the check expects, in words; at a user's points, what its grid expects."""
    if verdict.get("user_points") and verdict.get("expect", "HOLDS") != "HOLDS":
        return f"its grid expects {str(verdict['expect']).lower()}"
    if verdict.get("as_expected"):
        return "as expected"
    return f"expected {str(verdict.get('expect', 'HOLDS')).lower()}"


def record(verdict: Mapping[str, Any]) -> tuple[str, bool]:
    """Return when and from which commit a verdict's record was made, and whether from uncommitted code."""
    return made_from(verdict.get("record") or {})


def confirmed(verdict: Mapping[str, Any]) -> str:
    """Return of which committed record a verdict is that was not judged here; nothing for any other."""
    made = verdict.get("committed")
    return made_from(made)[0] or "no commit" if made else ""


def trained(verdict: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """Return the records of trained models that a verdict reads: name, and what :func:`made_from` says of each."""
    return [(name, *made_from(made)) for name, made in sorted((verdict.get("trained") or {}).items())]


def uncommitted(verdict: Mapping[str, Any]) -> bool:
    """Whether a record that a verdict rests on was made from code that no commit holds."""
    made = [record(verdict), made_from(verdict.get("committed") or {})]
    return any(dirty for *_, dirty in [*made, *trained(verdict)])


def made_from(made: Mapping[str, Any]) -> tuple[str, bool]:
    """Return date and commit of a provenance in words, and whether it says that the code was not committed."""
    when, commit = str(made.get("created") or "").partition("T")[0], str(made.get("commit") or "")
    dirty = bool(made.get("changed_since")) or commit.endswith("-dirty")
    return ", ".join(filter(None, [when, commit and f"commit {commit[:12]}"])), dirty


def controls(verdict: Mapping[str, Any]) -> str:
    """Return how many controls did what they must: ``2 of 2 break; repair holds``."""
    entries = verdict.get("controls") or ()
    spoiled = [entry.get("outcome") for entry in entries if not entry.get("repair")]
    repairs = [str(entry.get("outcome")) for entry in entries if entry.get("repair")]
    parts = [f"{spoiled.count('breaks')} of {len(spoiled)} break"] if spoiled else []
    parts += [f"repair {outcome}" for outcome in dict.fromkeys(repairs)]
    return "; ".join(parts) or "–"


def control(entry: Mapping[str, Any]) -> str:
    """Return what one control did, in the words that verdicts use: ``did not break at 3 of 8 points: …``."""
    applied, broken, repair = entry.get("applied") or 0, entry.get("broken") or 0, bool(entry.get("repair"))
    if not applied:
        return "applies at no point"
    good = "holds" if repair else "breaks"
    if entry.get("outcome") == good:
        return f"{good} at {applied} of {applied} points"
    detail = f": {entry['detail']}" if entry.get("detail") else ""
    return f"did not {'hold' if repair else 'break'} at {applied - broken} of {applied} points{detail}"


def anchor(verdict: Mapping[str, Any]) -> str:
    """Return what names a verdict on its page: its id, with the point where the user chose one."""
    at = ",".join(point.strip() for point in str(verdict.get("command") or "").split(" --at ")[1:])
    return f"{verdict['id']}@{at}".replace(" ", "_") if at and verdict.get("user_points") else str(verdict["id"])


def label(verdict: Mapping[str, Any]) -> str:
    """Return the label of a verdict, with the point where the user chose one."""
    at = anchor(verdict).partition("@")[2]
    return str(verdict.get("label") or verdict["id"]) + (f", at {at.replace(',', ', ')}" if at else "")
