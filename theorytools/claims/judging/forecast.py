r"""Which evidence a claim can reach at a point and what that takes, told before anything is judged there.

The evidence is that of a verdict which is known, of the same check: the stored one, else the committed one.  Where none
is, the cheapest point of the grid is judged, if that takes no more than ``NOW`` operations; never a point asked for.
The work is what ``work.toml`` declares, else what ``counted.json`` keeps, else what is counted now at the least and the
largest point of the grid, as far as ``NOW`` suffices; beyond the grid it grows with a power of the sizes, see
:mod:`theorytools.claims.judging.price`.  All of this is an estimate: the evidence of a larger point may be weaker, for
a precision or a number of samples that sufficed may not suffice there.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from theorytools.claims.judging.hypotheses import outside
from theorytools.claims.judging.inputs import ImportTable
from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.price import CALL, Exceeded, Price, counted, known
from theorytools.claims.judging.record import record_path
from theorytools.claims.judging.user_points import along, move, share
from theorytools.claims.judging.verdict import Verdict
from theorytools.claims.language import TIERS
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Evidence
from theorytools.claims.language.grid import Grid
from theorytools.claims.papers.catalogue import Entry
from theorytools.claims.papers.counted import read_counted
from theorytools.claims.papers.loading import broken, load
from theorytools.claims.papers.work import BYTES, OPERATIONS, RATE, Work, declared
from theorytools.errors import TheoryError
from theorytools.meaning import TRAINED
from theorytools.optional import EXTRAS, installed
from theorytools.places import record_files

NOW = 2e7  # operations: a fifth of a second of a common core
_ALONG = 5e5  # at a point beside its measurement, which is what counted.json keeps: bounds, powers, horizon
FARTHEST = 10**12  # no larger size is asked whether it fits
Place = Mapping[str, Any]


@dataclass(frozen=True)
class Expected:
    """One point: whether it lies in the hypotheses, as far as its letters alone tell, and what judging it takes.

    Attributes
    ----------
    point : its letters as exact texts.
    outside : the hypothesis that fails there or stays undecided, empty where all hold.
    evidence : the grade expected; None where it is not known.
    operations, seconds : with the controls, a second for 10^8 of them; None where they are not known, or no double.
    bytes : held at once, as declared; None where nothing is.
    fits : whether that is within the limits; None where it is not known.
    """

    point: Mapping[str, str]
    outside: str
    evidence: str | None
    operations: float | None
    seconds: float | None
    bytes: float | None
    fits: bool | None


@dataclass(frozen=True)
class Forecast:
    """What is said of a claim before it is judged.

    Attributes
    ----------
    id, label, tier, role, scope, expect : of the claim.
    known : where the evidence is known from: ``stored``, ``committed``, ``judged`` (a point of the grid, now),
        ``unknown``.
    outcome : what came out there; empty where nothing is known.
    why : the point that was judged, or what kept it from being.
    work : where the work is known from: ``declared``, ``kept`` (counted before), ``counted`` (now), ``unknown``.
    operations, bytes : the limits of one point; None: none.
    enforced : whether a point beyond them is refused; where nothing is declared none is.
    points : what is expected of each.
    largest : of each size that was moved the largest that fits with the other letters of the dearest point; 0: none
        does, None: not known.
    missing : packages that the check or the library below it names and that are not installed, with their extras.
    records : files that the claim reads, and whether they are there.
    """

    id: str
    label: str
    tier: str
    role: str
    scope: Mapping[str, str]
    expect: str
    known: str
    outcome: str
    why: str
    work: str
    operations: float | None
    bytes: float | None
    enforced: bool
    points: Sequence[Expected]
    largest: Mapping[str, int | None]
    missing: Sequence[Mapping[str, str]]
    records: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        data = asdict(self)
        limit = {name: data.pop(name) for name in ("operations", "bytes", "enforced")}
        return {**data, "limit": limit}


@dataclass(frozen=True)
class _Cost:
    """The operations of a point with its controls, where they are known from, and the limits."""

    claim: Claim
    how: str
    of: Callable[[Place], float] | None
    work: Sequence[Work]

    @property
    def most(self) -> float:
        return max((one.most for one in self.work), default=float(OPERATIONS))

    @property
    def held(self) -> float:
        return max((one.held for one in self.work), default=float(BYTES))

    def bytes(self, axes: Place) -> float | None:
        """What a point holds at once, where it is declared."""
        return max((one.at(self.claim.point(axes, ""))[1] for one in self.work), default=0.0) or None

    def fits(self, axes: Place) -> bool | None:
        """Whether a point is within the limits: by the rule that refuses it, where one does."""
        if self.of is None:
            return None
        return self.of(axes) <= self.most and all(one.fits(self.claim.point(axes, "")) for one in self.work)


def forecast(entry: Entry, at: Mapping[str, Any] | None = None, verdict: Mapping[str, Any] | None = None) -> Forecast:
    """Return which evidence a claim can reach, and what that takes; nothing is judged at the points asked for.

    Parameters
    ----------
    entry : the claim.
    at : values for axes, as :func:`theorytools.verify` takes them; the points of the grid unless given.
    verdict : one of this check on its grid, where it is known, stored or compact.

    Raises
    ------
    DomainError : a letter that is no axis of the claim, or a value that is none.
    CheckError : a check that cannot load, or that raises at the point of its grid that is judged.
    """
    claim, at = load(entry), at or {}
    points = move(claim, entry.id, at) if at else [dict(p) for p in claim.grid]
    work = declared(entry, claim, share=share(claim, at, len(points)) if at else 1.0)
    try:
        seen, why, cost = _known(entry, claim, work, points if at else [], verdict)
    except TheoryError:
        raise
    except Exception as error:
        raise broken(entry.path, error) from error
    told = [_expected(claim, axes, seen, cost) for axes in points]
    return Forecast(
        entry.id, claim.label, claim.tier, claim.role, dict(claim.scope), claim.expect,
        known=_source(seen), outcome=str(seen["outcome"]) if seen else "", why=why, work=cost.how,
        operations=_finite(cost.most), bytes=_finite(cost.held), enforced=bool(work), points=told,
        largest=_largest(claim, set(at), points, cost), missing=_missing(entry), records=_records(entry, claim, seen),
    )  # fmt: skip


def _source(seen: Mapping[str, Any] | None) -> str:
    if seen is None:
        return "unknown"
    return "judged" if "judged" in seen else "committed" if "committed" in seen else "stored"


def _known(
    entry: Entry, claim: Claim, work: Sequence[Work], asked: Sequence[Place], verdict: Mapping[str, Any] | None
) -> tuple[Mapping[str, Any] | None, str, _Cost]:
    """A verdict that tells the evidence, what is to be said of it, and the work of a point."""
    cost = _cost(entry, claim, work)
    if verdict is not None and verdict["evidence"] is not None and cost.of is not None:
        return verdict, "", cost
    if claim.tier != TIERS[0]:
        return verdict, f"a claim of tier {claim.tier}: not one point of it is judged to be asked", cost
    own = [dict(p) for p in claim.grid if dict(p) not in list(asked)]
    size = Price(claim, lambda axes: None).size
    own.sort(key=size if cost.of is None else cost.of)
    if not own:
        return verdict, "every point of the grid was asked for, and none of these is judged", cost
    if cost.of is not None and cost.of(own[0]) > NOW:
        return verdict, f"the cheapest point takes {cost.of(own[0]):.1e} operations; {NOW:.0e} are spent at most", cost
    made = _within(claim, entry.id, own[0])
    if made is None:
        return verdict, f"the cheapest point takes more than the {NOW:.0e} operations that are spent at most", cost
    if cost.of is None:
        cost = _counted_now(claim, entry.id, own, made)
    if verdict is not None and verdict["evidence"] is not None:
        return verdict, "", cost
    at = f"judged at {', '.join(f'{name}={x}' for name, x in claim.point(own[0], '').text().items())}"
    grade = None if made.evidence is None else made.evidence.name
    judged = {"judged": True, "outcome": str(made.outcome), "evidence": grade, "rows": ()}
    return judged, at if grade else f"{at}: {made.reason}", cost


def _cost(entry: Entry, claim: Claim, work: Sequence[Work]) -> _Cost:
    if work:
        return _Cost(claim, "declared", Price(claim, lambda axes: None, work).whole, work)
    price = known(claim, read_counted(entry.folder).get(entry.id))
    if price is None:
        return _Cost(claim, "unknown", None, work)
    return _Cost(claim, "kept", lambda axes: _ALONG + price.whole(axes), work)


def _within(claim: Claim, id: str, axes: Place) -> Verdict | None:
    """The verdict at one point of the grid; None where it takes more calls than are spent."""
    try:
        verdict: Verdict = counted(lambda: judge(claim, id, [axes]), NOW / CALL)[1]
    except Exceeded:
        return None
    return verdict


def _counted_now(claim: Claim, id: str, own: Sequence[Place], made: Verdict) -> _Cost:
    """The work by the least and the largest of these points, as far as they are cheap; controls are counted along."""
    ends = [own[0]]
    if len(own) > 1 and _within(claim, id, own[-1]) is not None:
        ends.append(own[-1])
    part = replace(claim, grid=Grid(ends))
    return _Cost(claim, "counted", Price(part, lambda axes: judge(claim, id, [axes]), judged=True), ())


def _expected(claim: Claim, axes: Place, seen: Mapping[str, Any] | None, cost: _Cost) -> Expected:
    point = claim.point(axes, "")
    failed = outside(claim, point)
    taken = None if cost.of is None else cost.of(axes)
    told = None if taken is None else _finite(taken)
    return Expected(
        point.text(), failed.text if failed else "", _grade(seen, point.text()), told,
        None if told is None else told / RATE, _finite(cost.bytes(axes)), cost.fits(axes),
    )  # fmt: skip


def _grade(seen: Mapping[str, Any] | None, place: Mapping[str, str]) -> str | None:
    """The evidence of a verdict at a point, where its rows have it; else of all its rows."""
    if seen is None or seen["evidence"] is None:
        return None
    here = [row["evidence"] for row in seen["rows"] if not row["control"] and dict(row["point"]) == dict(place)
            and "evidence" in row]  # fmt: skip
    return min((Evidence[name] for name in here), default=Evidence[seen["evidence"]]).name


def _finite(x: float | None) -> float | None:
    return x if x is not None and math.isfinite(x) else None


def _largest(claim: Claim, moved: set[str], points: Sequence[Place], cost: _Cost) -> dict[str, int | None]:
    sizes = [name for name in claim.grid.axes if name in moved and all(isinstance(p[name], int) for p in points)]
    if cost.of is None:
        return dict.fromkeys(sizes)
    of = cost.of
    dearest = max((dict(point) for point in points), key=lambda point: of(point))
    return {name: _reached(claim, dearest, name, moved, cost) for name in sizes}


def _reached(claim: Claim, axes: dict[str, Any], name: str, moved: set[str], cost: _Cost) -> int:
    """The largest size of a letter that fits, by halving: work is taken to grow with it."""

    def fits(size: int) -> bool:
        return bool(cost.fits(along(claim, {**axes, name: size}, moved)))

    low, high = 0, 1
    while high < FARTHEST and fits(high):
        low, high = high, 2 * high
    if high >= FARTHEST:
        return FARTHEST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _missing(entry: Entry) -> list[dict[str, str]]:
    """Optional packages that are named by the check's files, or by the library's that these import, and not there."""
    table = ImportTable()
    files = {*table.checks(entry.path)}
    files |= {file for path in tuple(files) for file in table.near(path)}
    named = {name for file in files for name in _packages(file)}
    return [{"package": name, "extra": EXTRAS[name]} for name in sorted(named) if not installed(name)]


def _packages(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names: list[Any] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "require":
            names = [getattr(one, "value", "") for one in node.args[:1]]
        yield from (top for name in names if (top := str(name).partition(".")[0]) in EXTRAS)


def _records(entry: Entry, claim: Claim, seen: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """The record of a slow claim's verdict, and those of the runs that a claim about training reads."""
    found = []
    if claim.tier != TIERS[0]:
        path = record_path(entry)
        found.append({"file": str(path), "there": path.is_file()})
    if claim.role in TRAINED:
        there = {path.stem: path for path in record_files(entry.folder, "sweeps")}
        names = dict((seen or {}).get("trained") or {}) or there
        found += [{"file": str(there.get(name, entry.folder / "records" / "sweeps" / f"{name}.json")),
                   "there": name in there} for name in names]  # fmt: skip
    return found
