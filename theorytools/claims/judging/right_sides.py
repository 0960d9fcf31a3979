"""Two right sides in the same letters: whether one follows from the other, and what they differ in."""

from __future__ import annotations

from typing import Any

import sympy

ABOVE, BELOW = ("<=", "<"), (">=", ">")


def compare(printed: str, order: str, right: Any, judged: str, own: Any) -> tuple[str, str] | None:
    """Return the relation of a judged right side to a printed one, with its reason; None where none follows.

    Parameters
    ----------
    printed, order, right : relation, order (``"O"``, ``"SoftTheta"``, …; empty for an exact one) and side as printed.
    judged, own : relation and side as judged, in the same symbols, which are positive where their letters are.

    Examples
    --------
    >>> n = sympy.Symbol("n", positive=True, integer=True)
    >>> compare("<=", "", n, "<=", 2 * n)
    ('differs in a constant', 'the judged side is 2 times the printed one: weaker')
    >>> compare("<=", "O", n**2, "==", 3 * n**2 + n)
    ('implies it', 'an equality of that order, with a constant of its own')
    >>> compare("<=", "", n, ">=", n) is None
    True
    """
    sides_fit = (
        judged == "==" or judged == printed or {judged, printed} <= set(ABOVE) or {judged, printed} <= set(BELOW)
    )
    if printed == "==" and judged != "==":
        sides_fit = not order and _zero(right - own)
    if not sides_fit:
        return None
    return _ordered(order, right, judged, own) if order else _exact(printed, right, judged, own)


def _zero(expr: Any) -> bool:
    return bool(sympy.simplify(expr) == 0)


def _exact(printed: str, right: Any, judged: str, own: Any) -> tuple[str, str] | None:
    if _zero(right - own):
        if judged == printed:
            return "the same", "the difference of the two right sides is 0"
        nearer = judged == "==" or (judged in ("<", ">") and printed in ("<=", ">="))
        return ("implies it", f"equal right sides, judged with {judged}") if nearer else (
            "implied by it", f"equal right sides, printed with {printed}")  # fmt: skip
    ratio = sympy.simplify(own / right) if right != 0 else None
    below = printed in BELOW
    if ratio is not None and ratio.is_number and ratio.is_positive:
        shown = sympy.nsimplify(ratio) if ratio.is_rational else sympy.N(ratio, 3)
        if printed != "==" and bool(ratio > 1) == below:
            return "implies it", f"the judged side is {shown} times the printed one: stronger"
        weaker = "" if printed == "==" else ": weaker"
        return "differs in a constant", f"the judged side is {shown} times the printed one{weaker}"
    if printed == "==":
        return None
    gap = sympy.simplify(own - right if below else right - own)
    if gap.is_nonnegative:
        return "implies it", "the judged side is the stronger one wherever it is not equal"
    if gap.is_nonpositive:
        return "implied by it", "the judged side is the weaker one wherever it is not equal"
    return None


def _ordered(order: str, right: Any, judged: str, own: Any) -> tuple[str, str] | None:
    """Of a printed order: whether each term of the smaller side is of the order of some term of the larger one."""
    small, large = (right, own) if "Omega" in order else (own, right)
    logs = False
    for term in _terms(small):
        found = [grown for over in _terms(large) if (grown := _growth(term / over)) is not None]
        if not found:
            return None
        logs = logs or min(found)
    how = "an equality" if judged == "==" else "a bound"
    if order.startswith("Soft") or not logs:
        return "implies it", f"{how} of that order, with a constant of its own"
    return "differs in a logarithm", f"{how} of that order up to a power of a logarithm"


def _terms(side: Any) -> tuple[Any, ...]:
    """The terms of a sum of positive ones, whole numbers above their arguments; the sum itself for any other."""
    side = side.replace(sympy.ceiling, lambda x: x + 1).replace(sympy.floor, lambda x: x)
    terms = sympy.Add.make_args(sympy.expand(sympy.expand_log(side)))
    return tuple(terms) if all(term.as_coeff_Mul()[0] > 0 for term in terms) else (side,)


def _growth(ratio: Any) -> bool | None:
    """Whether a logarithm grows in a product in which no size grows; None of a product with other factors."""
    logs = False
    for base, power in sympy.powsimp(sympy.expand_log(ratio)).as_powers_dict().items():
        if base.is_number:
            continue
        whole = power.is_number and base.is_Symbol and base.is_integer and base.is_positive
        if power.is_number and base.func == sympy.log:
            logs = logs or bool(power > 0)
        elif not whole or power > 0:
            return None
    return logs
