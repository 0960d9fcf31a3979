"""At which sizes a statement was judged, whether what it rests on was judged there too, and what each part loses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any

from theorytools.meaning import counts_trials
from theorytools.reporting import numbers
from theorytools.reporting.horizon import sizes_text
from theorytools.reporting.scores import judged_as

Verdict = Mapping[str, Any]
Reach = Mapping[str, tuple[Fraction, Fraction]]


def reach(verdicts: Sequence[Verdict]) -> Reach:
    """Return the least and the largest value of each letter at which a statement's own claims were judged."""
    found: dict[str, list[Fraction]] = {}
    for verdict in judged_as(verdicts):
        for letter, tested in (verdict.get("tested") or {}).items():
            if not counts_trials(letter):
                found.setdefault(letter, []).extend(_rational(tested[end]) for end in ("low", "high"))
    return {letter: (min(values), max(values)) for letter, values in found.items()}


def _rational(text: Any) -> Fraction:
    return Fraction(str(text))


def beyond(used: Reach, user: Reach) -> str:
    """Return where a statement was judged at sizes at which what it rests on was not: ``N = 4..8, here N = 2..64``.

    Only letters that both have are compared: a letter means the same in the whole paper.  Empty where the sizes of
    the one are among those of the other.
    """
    wider = [x for x in used if x in user and not used[x][0] <= user[x][0] <= user[x][1] <= used[x][1]]
    return f"{_sizes(used, wider)}, here {_sizes(user, wider)}" if wider else ""


def _sizes(reached: Reach, letters: Sequence[str]) -> str:
    return sizes_text({x: {"low": reached[x][0], "high": reached[x][1], "values": 2} for x in letters})


def factors(account: Mapping[str, Any], verdicts: Sequence[Verdict]) -> dict[str, str]:
    """Return by what factor each statement loses, ``1.2..3.5``, over the points of the claim that measures it.

    Empty where the claim was not judged in this run: a record keeps no measured numbers.  The ends are rounded outward.
    Of a claim that measures more, only the rows of the account's ``quantity`` are read.
    """
    own = [v for v in verdicts if v.get("id") == account.get("claim") and not v.get("compact")]
    claim = next((v for v in own if not v.get("user_points")), None)
    found: dict[str, list[Any]] = {}
    for row in (claim or {}).get("rows") or ():
        statement = account["of"].get((row.get("point") or {}).get(account["axis"]))
        read = account.get("quantity") in (None, row.get("quantity"))
        if statement and read and row.get("measured") and not row.get("control"):
            found.setdefault(statement, []).extend(numbers.ends(row["measured"]))
    return {statement: _outward(min(ends), max(ends)) for statement, ends in found.items()}


def _outward(low: Any, high: Any) -> str:
    first, last = (numbers.significant(x, 2, how) for x, how in ((low, ROUND_FLOOR), (high, ROUND_CEILING)))
    return first if first == last else f"{first}..{last}"
