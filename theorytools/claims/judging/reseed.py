"""A claim judged again under other seeds: its honest rows, and each of its controls.

A statement about every object of a kind, tested on drawn ones, must not hold by the luck of its seeds; and a control
that only some seeds reject leaves it to chance whether the claim is POWERLESS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from theorytools.claims.judging.conclude import controls_of
from theorytools.claims.judging.controls import run_control
from theorytools.claims.judging.point import Judgement, measure_point
from theorytools.claims.judging.verdict import ControlResult, Row
from theorytools.claims.language.claim import Claim
from theorytools.salts import asked, salted

STATES = ("refuted", "undecided", "error", "outside")
WORKED = ("breaks", "holds")


@dataclass(frozen=True)
class Seen:
    """What one salt led to: the state, the point, and what was said there."""

    salt: str
    state: str
    at: Mapping[str, str]
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"salt": self.salt, "state": self.state, "at": dict(self.at), "text": self.text}


@dataclass(frozen=True)
class Salted:
    """One salt: what its honest rows came to, the first of each state, and its controls."""

    salt: str
    seen: tuple[Seen, ...]
    controls: tuple[ControlResult, ...]

    def first(self, state: str) -> Seen | None:
        """Return the first row or point in this state."""
        return next((one for one in self.seen if one.state == state), None)


@dataclass(frozen=True)
class Reseeded:
    """A claim under other seeds.

    Parameters
    ----------
    id, expect : the claim, and what it expects.
    roles : what it draws, by the names of its seeds; empty where it draws nothing, and then nothing was repeated.
    salts : what each salt led to.
    shares : by the name of a control the share of seeds under which it must do its work; 1 unless it says less.
    """

    id: str
    expect: str
    roles: tuple[str, ...]
    salts: tuple[Salted, ...]
    shares: Mapping[str, Any] = field(default_factory=dict)

    def of(self, state: str) -> list[Seen]:
        """Return for each salt that has such a row or point the first of them."""
        return [found for one in self.salts if (found := one.first(state)) is not None]

    @property
    def state(self) -> str:
        """``same``; ``changed`` where under some salt a row is refuted that should hold, none that should be refuted,
        or the check raises; ``undecided`` where under some salt a row stays open.
        """
        if self.of("error"):
            return "changed"
        if self.expect == "HOLDS" and self.of("refuted"):
            return "changed"
        if self.expect == "REFUTED" and any(
            not one.first("refuted") and not one.first("undecided") for one in self.salts
        ):
            return "changed"
        return "undecided" if self.of("undecided") and self.expect != "UNDECIDED" else "same"

    @property
    def controls(self) -> dict[str, tuple[int, Seen | None]]:
        """By the name of a control under how many salts it did its work, and the first under which it did not."""
        found: dict[str, tuple[int, Seen | None]] = {}
        for one in self.salts:
            for control in one.controls:
                worked, first = found.get(control.name, (0, None))
                if control.outcome not in WORKED and first is None:
                    first = Seen(one.salt, control.outcome, {}, control.detail)
                found[control.name] = worked + (control.outcome in WORKED), first
        return found

    @property
    def weak(self) -> dict[str, tuple[int, Seen]]:
        """Those of the controls that did their work under less than their share of salts."""
        return {
            name: (worked, first)
            for name, (worked, first) in self.controls.items()
            if first is not None and worked < self.shares.get(name, 1) * len(self.salts)
        }

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        spared = {
            name: {"worked": worked, "weak": name in self.weak, "first": None if first is None else first.to_json()}
            for name, (worked, first) in self.controls.items()
        }
        return {
            "id": self.id, "expect": self.expect, "draws": list(self.roles), "state": self.state,
            "salts": [one.salt for one in self.salts],
            **{state: [seen.to_json() for seen in self.of(state)] for state in STATES}, "controls": spared,
        }  # fmt: skip


def reseeded(
    claim: Claim, id: str, salts: Sequence[str], *, progress: Callable[[int, int], None] | None = None
) -> Reseeded:
    """Judge the rows and controls of a claim at its own grid under each salt, without powers.

    Parameters
    ----------
    claim, id : the claim and its id.
    salts : texts; the empty one would be the claim's own seeds.
    progress : called with (done, total) after each salt.

    Returns
    -------
    Reseeded : with no salts where the claim asks for no seed.
    """
    found: list[Salted] = []
    with asked() as roles:
        for done, one in enumerate(salts, 1):
            found.append(_under(claim, id, one))
            if not roles:
                return Reseeded(id, claim.expect, (), ())
            if progress is not None:
                progress(done, len(salts))
    shares = {control.name: control.share for control in claim.controls}
    return Reseeded(id, claim.expect, tuple(sorted(roles)), tuple(found), shares)


def _under(claim: Claim, id: str, salt: str) -> Salted:
    check = ".".join(id.split(".")[:2])
    bench = Judgement(claim, claim.row_alpha(), powers=False)
    rows: list[Row] = []
    seen: list[Seen] = []
    with salted(salt):
        for axes in claim.grid:
            point = claim.point(axes, check)
            try:
                honest = measure_point(bench, point)
                if honest.skipped is not None:
                    seen.append(Seen(salt, "undecided" if honest.open else "outside", point.text(), honest.skipped))
                    continue
                rows += honest.rows
                for control in claim.controls:
                    rows += run_control(bench, control, point, honest) or []
            except Exception as error:
                text = " ".join(str(error).split())
                seen.append(Seen(salt, "error", point.text(), f"{type(error).__name__}: {text}"[:300]))
    seen += [_seen(salt, row) for row in rows if not row.control and row.truth is not True]
    return Salted(salt, tuple(seen), tuple(controls_of(claim, rows)))


def _seen(salt: str, row: Row) -> Seen:
    state = "undecided" if row.truth is None else "refuted"
    return Seen(salt, state, row.point, f"{row.assertion}: measured {row.measured}")
