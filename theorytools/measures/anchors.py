r"""Objects whose value is known from elsewhere: what a functional must say of them, and who says so.

A functional without such objects is taken on trust.  Those of this room stand beside it in ``ANCHORS``, and
:func:`disagreements` holds a function of your own against them: one that takes the maximum for the minimum, bits for
nats or the training rows for the law differs at one of them at least.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from importlib import import_module
from typing import Any, NamedTuple

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, at_precision

_ROOMS = (
    "attention", "classes", "decisions", "laws", "memory", "networks", "processes", "runs", "spaces", "sums", "vectors",
)  # fmt: skip
_BITS = 128  # anchors from print have up to 18 decimals


class Known(NamedTuple):
    """One object of known value.

    Attributes
    ----------
    arguments : what the functional is called with.
    value : the exact number, a tuple of numbers, or a string of decimals for an irrational one: its last digit may be
        off by one.
    source : who says so: "by hand: ...", a book with its place, another library.
    named : arguments by name.

    Examples
    --------
    >>> from theorytools.measures import entropy
    >>> anchor = Known(([Fraction(1, 2)] * 2,), 1, "by hand: a fair coin", {"base": 2})
    >>> entropy(*anchor.arguments, **anchor.named)
    Enclosure(1)
    """

    arguments: tuple[Any, ...]
    value: Any
    source: str
    named: Mapping[str, Any] = {}


Anchors = dict[str, list[Known]]


def all_anchors() -> Anchors:
    """Return the anchors of every functional of this room, by its name."""
    modules = (import_module(f"theorytools.measures.{room}") for room in _ROOMS)
    return {name: anchors for module in modules for name, anchors in module.ANCHORS.items()}


@checked
def disagreements(name: str, function: Callable[..., Any]) -> list[str]:
    """Return what a function says otherwise than the anchors of a functional of this room.

    Parameters
    ----------
    name : of the functional, such as ``"least_distance"``.
    function : yours, called as the functional is.

    Returns
    -------
    list : a line for each anchor that it fails, with what came out and the source; empty where it fails none.

    Raises
    ------
    DomainError : a name that this room does not have.

    Examples
    --------
    >>> def slip(codewords):
    ...     return max(sum(a != b for a, b in zip(v, w)) for v in codewords for w in codewords if v != w)
    >>> disagreements("least_distance", slip)[0]
    '4 in place of 3: by hand: the three pairs differ in 4, 3 and 3 places'
    """
    known = all_anchors()
    if name not in known:
        raise DomainError(f"the functional {name!r}", required=f"one of {', '.join(sorted(known))}")
    lines = at_precision(_BITS, lambda: [_disagreement(anchor, function) for anchor in known[name]])
    return [line for line in lines if line]


def _disagreement(anchor: Known, function: Callable[..., Any]) -> str:
    try:
        found = function(*anchor.arguments, **anchor.named)
    except Exception as error:  # a stranger's function: that it breaks at an anchor is what is said of it
        found = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    return "" if agrees(found, anchor.value) else f"{_shown(found)} in place of {_shown(anchor.value)}: {anchor.source}"


def agrees(found: Any, value: Any) -> bool:
    """Whether what was found is the known value: equal, exactly, or within one unit of the last decimal.

    An exact number where an irrational one is meant does not agree, whatever its size.
    """
    if isinstance(value, tuple):
        return isinstance(found, list | tuple) and len(found) == len(value) and all(map(agrees, found, value))
    if value is None:
        return found is None
    if not isinstance(found, int | Fraction | Enclosure) or isinstance(found, bool):
        return False
    box = Enclosure(found)
    if isinstance(value, str):
        unit = Fraction(1, 10 ** len(value.partition(".")[2]))
        return not box.exact and abs(box - Fraction(value)).certainly_le(unit) is True
    return box.exact and box.fraction() == value


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_shown, value))})"
    return f"{float(value):.6g}" if isinstance(value, Enclosure) and not value.exact else _plain(value)


def _plain(value: Any) -> str:
    return str(value.fraction() if isinstance(value, Enclosure) else value)[:60]
