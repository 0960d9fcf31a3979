"""The trained runs of a report: every sweep's arms with their intervals, the published curve, and the rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from markupsafe import Markup

from theorytools.reporting.numbers import pretty, significant
from theorytools.reporting.plots import draw
from theorytools.reporting.series import Chart, Mark


@dataclass(frozen=True)
class Cell:
    """The numbers at one size: the interval measured, how many runs were stopped, and the number published, if any."""

    size: str
    low: str
    high: str
    censored: int
    published: str


@dataclass(frozen=True)
class ArmRow:
    """One arm of a sweep: counts, the ends of its exponent, a cell for each size, and their plot."""

    arm: str
    trials: int
    censored: int
    exponent: tuple[str, ...]
    cells: tuple[Cell, ...]
    published: bool
    svg: Markup


@dataclass(frozen=True)
class Made:
    """On what and when a record was made; ``uncommitted`` is whether code that no commit holds made it."""

    device: str
    machines: tuple[str, ...]
    created: str
    commit: str
    uncommitted: bool


@dataclass(frozen=True)
class Run:
    """One record of a sweep as ``trained.html.j2`` shows it; ``missing`` has the trials of arms that are elsewhere."""

    title: str
    name: str
    protocol: str
    profile: str
    question: str
    rule: str
    registered: str
    missing: tuple[tuple[str, int], ...]
    made: Made
    size: str
    arms: tuple[ArmRow, ...]


def runs(papers: Sequence[Mapping[str, Any]]) -> list[Run]:
    """Return the trained runs of all papers, in the order of their records."""
    return [_run(one) for paper in papers for one in paper.get("sweeps") or ()]


def _run(one: Mapping[str, Any]) -> Run:
    made = Made(one["device"], tuple(one["machines"]), one["created"], (one["commit"] or "")[:12], one["uncommitted"])
    return Run(
        one["title"], one["sweep"], one["protocol"], one["profile"], one["question"], one["rule"],
        registered=one.get("registered", ""), missing=tuple(one["missing"].items()), made=made, size=one["size"],
        arms=tuple(_arm(arm, one) for arm in one["arms"]),
    )  # fmt: skip


def curves(one: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arms of a run beside the published curve, each drawn; None for a run that has no such curve."""
    if not any(cell["published"] is not None for arm in one["arms"] for cell in arm["sizes"]):
        return None
    made = _run(one)
    return {
        "title": made.title, "protocol": made.protocol, "size": made.size,
        "arms": [[arm.arm, arm.svg, list(arm.exponent)] for arm in made.arms if arm.cells],
    }  # fmt: skip


def _number(value: float) -> str:
    return pretty(significant(Decimal(value), 3, strip=True))


def _arm(arm: Mapping[str, Any], one: Mapping[str, Any]) -> ArmRow:
    cells = tuple(
        Cell(str(cell["size"]), _number(cell["low"]), _number(cell["high"]), cell["censored"],
             "" if cell["published"] is None else _number(cell["published"]))
        for cell in arm["sizes"]
    )  # fmt: skip
    return ArmRow(
        arm["arm"], arm["trials"], arm["censored"], tuple(f"{end:.2f}" for end in arm["exponent"] or ()), cells,
        published=any(cell.published for cell in cells), svg=Markup(_drawn(arm, one)) if cells else Markup(""),
    )  # fmt: skip


def _drawn(arm: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    at = [(Decimal(cell["size"]), str(cell["size"])) for cell in arm["sizes"]]
    marks = tuple(
        Mark(x, Decimal(cell["low"]), Decimal(cell["high"])) for (x, _), cell in zip(at, arm["sizes"], strict=True)
    )
    curve = tuple(
        Mark(x, Decimal(cell["published"]), Decimal(cell["published"]))
        for (x, _), cell in zip(at, arm["sizes"], strict=True)
        if cell["published"] is not None
    )
    shown = Chart(one["size"], True, "", "==", tuple(at), marks, (curve,) if curve else (), (), False)
    return draw(shown, title=f"{one['title']}: {arm['arm']}, {one['protocol']} protocol")[0]
