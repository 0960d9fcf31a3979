"""``diff``: two sets of verdicts, claim by claim: what changed, and whether any outcome did."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from theorytools.claims.judging.committed_record import compact, expanded, read_committed
from theorytools.cli.answers import answer
from theorytools.cli.formats import UNEXPECTED, fitted, hanging
from theorytools.closed_folder import ClosedFolder
from theorytools.errors import DomainError
from theorytools.reporting.stored_verdicts import CONTRADICTED, StoredVerdicts, say_left, stored_verdicts

Verdicts = Mapping[str, Mapping[str, Any]]
OBSERVED = "O"  # the letter of a run in one machine's own arithmetic


def diff_verdicts(a: Path, b: Path, as_json: bool) -> int:
    """Compare two sets of verdicts; 1 where an outcome changed, else 0."""
    before, after = verdicts_of(a), verdicts_of(b)
    changes = list(differences(before, after))
    code = UNEXPECTED if any(c["what"] == "outcome" for c in changes) else 0
    common = len(before.keys() & after.keys())
    if as_json:
        answer("diff", {"a": str(a), "b": str(b), "compared": common, "changes": changes}, code)
        return code
    if changes:
        heads = ["claim", "what", "where", "A", "B"]
        rows = [[c["id"], c["what"], c["where"], c["a"], c["b"]] for c in changes]
        print("\n".join(fitted([heads, *rows])))
    print(hanging("", f"{common} claims compared, {len(changes)} differences", 4))
    return code


def verdicts_of(path: Path) -> Verdicts:
    """Return the verdicts that a place holds, all in the compact form, by id.

    Parameters
    ----------
    path : a report folder (with ``verdicts/``), a folder of committed records, or one file of either kind.

    Raises
    ------
    DomainError
        Where the place holds none.
    """
    found: dict[str, Mapping[str, Any]] = {}
    if (path / "verdicts").is_dir():
        found = {id: _short(v) for id, v in stored_verdicts(path / "verdicts").items()}
    elif path.is_dir() or path.is_file():
        found = _in_files(path)
    if not found:
        raise DomainError(
            f"{path}",
            required="a folder or file of verdicts: site, reports, reports/qstr.json, a verdict's JSON",
            advice="theorytools verify makes site",
        )
    return found


def _in_files(path: Path) -> dict[str, Mapping[str, Any]]:
    """The verdicts in a file, or in the files right in a folder: committed records and single ones, of any name."""
    found: dict[str, Mapping[str, Any]] = {}
    folder, wrong = path if path.is_dir() else path.resolve().parent, list[tuple[str, str]]()
    reading = StoredVerdicts(ClosedFolder(folder), below="")
    for name in reading.names() if path.is_dir() else [path.resolve().name]:
        verdict, said = reading.read(name, named=False)
        if verdict is not None:
            found[verdict["id"]] = _short(verdict)
        elif _is_committed(reading.place, name):
            found |= read_committed(folder / name)
        elif said:
            wrong.append((name, said))
    say_left(folder, [(name, said) for name, said in wrong if path.is_file() or said.startswith(CONTRADICTED)])
    return found


def _is_committed(place: ClosedFolder, name: str) -> bool:
    try:
        return b'"theorytools.committed/' in place.read(name)[:100]
    except (OSError, ValueError, DomainError):
        return False


def _short(verdict: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return expanded(compact(verdict), {})
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise DomainError(
            f"the verdict of {verdict.get('id')}, which cannot be read ({type(error).__name__}: {error})",
            required="verdicts of this version",
            advice="theorytools verify makes them again",
        ) from None


def differences(before: Verdicts, after: Verdicts) -> Iterator[dict[str, str]]:
    """Yield what differs: id, what, where, and both values as texts.

    Outcomes, evidence, power and the state of controls must be equal, exact numbers too; enclosures and sampled
    intervals must meet; numbers of an observed run are not compared.
    """
    for id in sorted(before.keys() | after.keys()):
        a, b = before.get(id), after.get(id)
        if a is None or b is None:
            yield _change(id, "claim", "", "there" if a else "not there", "there" if b else "not there")
            continue
        for name in ("outcome", "as_expected", "evidence", "power"):
            if a[name] != b[name]:
                yield _change(id, name, "", a[name], b[name])
        states = [{c["name"]: c["outcome"] for c in side["controls"]} for side in (a, b)]
        for name in sorted(states[0].keys() | states[1].keys()):
            if states[0].get(name) != states[1].get(name):
                yield _change(id, "control", name, states[0].get(name), states[1].get(name))
        yield from _rows(id, a, b)


def _rows(id: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    left, right = ({_key(row): row for row in side["rows"]} for side in (a, b))
    for key in [*left, *(key for key in right if key not in left)]:
        one, other = left.get(key), right.get(key)
        where = _where(key)
        if one is None or other is None:
            yield _change(id, "row", where, "there" if one else "not there", "there" if other else "not there")
            continue
        if one["truth"] is not other["truth"]:
            yield _change(id, "truth", where, one["truth"], other["truth"])
        names = ("measured", *("bound" for _ in one["numbers"][1:]))
        for name, x, y in zip(names, one["numbers"], other["numbers"], strict=False):
            if not _agree(x, y):
                yield _change(id, name, where, _shown(x), _shown(y))


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(sorted(row["point"].items())), row["control"], row["assertion"]


def _where(key: tuple[Any, ...]) -> str:
    point, control, assertion = key
    at = ", ".join(f"{name}={value}" for name, value in point)
    return f"{assertion} at {at}" + (f", {control}" if control else "")


def _agree(x: Any, y: Any) -> bool:
    """Exact numbers agree where they are equal, intervals where they meet; what one machine did is its own."""
    if OBSERVED in (x[0], y[0]):
        return bool(x[0] == y[0])
    if _exact(x) and _exact(y):
        return bool(x[:2] == y[:2] if isinstance(x, list) and isinstance(y, list) else x == y)
    (a, b), (c, d) = _interval(x), _interval(y)
    return a <= d and c <= b


def _exact(number: Any) -> bool:
    return isinstance(number, str) or number[0] == "#"


def _interval(number: Any) -> tuple[float, float]:
    if isinstance(number, str):
        return _doubles(number)
    ends = number[2:] if number[0] == "#" else number[1:]
    low, high = ends[0], ends[-1]
    return (-math.inf if low is None else low), (math.inf if high is None else high)


def _doubles(text: str) -> tuple[float, float]:
    from fractions import Fraction

    p, _, q = text.partition("/")
    exact = Fraction(int(p, 0), int(q, 0) if q else 1)
    try:
        value = float(exact)
    except OverflowError:
        value = math.inf if exact > 0 else -math.inf
    return math.nextafter(value, -math.inf), math.nextafter(value, math.inf)


def _shown(number: Any) -> str:
    if isinstance(number, str):
        return number if len(number) <= 40 else f"{number[:37]}…"
    low, high = _interval(number)
    return f"{low:.12g}" if low == high else f"[{low:.12g}, {high:.12g}]"


def _change(id: str, what: str, where: str, a: Any, b: Any) -> dict[str, str]:
    return {"id": id, "what": what, "where": where, "a": str(a), "b": str(b)}
