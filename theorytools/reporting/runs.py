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
class ArmRow:
    """One arm of a sweep: counts, exponent, and the numbers at each size; ``svg`` is empty where nothing varies."""

    arm: str
    trials: int
    censored: int
    exponent: str
    sizes: tuple[tuple[str, str, str], ...]
    published: bool
    svg: Markup


@dataclass(frozen=True)
class Run:
    """One record of a sweep; ``uncommitted`` is whether code that no commit holds made it."""

    title: str
    name: str
    protocol: str
    profile: str
    question: str
    rule: str
    registered: str
    missing: str
    made: str
    uncommitted: bool
    size: str
    arms: tuple[ArmRow, ...]


def runs(papers: Sequence[Mapping[str, Any]]) -> list[Run]:
    """Return the trained runs of all papers, in the order of their records."""
    return [
        _run(one, f"r{a}-{b}-") for a, paper in enumerate(papers) for b, one in enumerate(paper.get("sweeps") or ())
    ]


def _run(one: Mapping[str, Any], prefix: str) -> Run:
    missing = ", ".join(f"{arm} ({count} trials there)" for arm, count in one["missing"].items())
    commit = f"commit {one['commit'][:12]}" if one["commit"] else "commit unknown"
    made = f"{one['device']}; {', '.join(one['machines'])}; {one['created']}; {commit}"
    arms = tuple(_arm(arm, one, f"{prefix}{place}-") for place, arm in enumerate(one["arms"]))
    return Run(one["title"], one["sweep"], one["protocol"], one["profile"], one["question"], one["rule"],
               one.get("registered", ""), missing, made, one["uncommitted"], one["size"], arms)  # fmt: skip


def curves(one: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arms of a run beside the published curve, each drawn; None for a run that has no such curve."""
    if not any(cell["published"] is not None for arm in one["arms"] for cell in arm["sizes"]):
        return None
    made = _run(one, "c-")
    return {
        "title": made.title, "protocol": made.protocol, "size": made.size,
        "arms": [[arm.arm, arm.svg, arm.exponent] for arm in made.arms if arm.sizes],
    }  # fmt: skip


def _number(value: float) -> str:
    return pretty(significant(Decimal(value), 3, strip=True))


def _arm(arm: Mapping[str, Any], one: Mapping[str, Any], prefix: str) -> ArmRow:
    sizes = tuple(
        (str(cell["size"]), f"{_number(cell['low'])} to {_number(cell['high'])}" + (f" ({cell['censored']} stopped)" if
         cell["censored"] else ""), "" if cell["published"] is None else _number(cell["published"]))
        for cell in arm["sizes"]
    )  # fmt: skip
    exponent = "" if arm["exponent"] is None else " to ".join(f"{end:.2f}" for end in arm["exponent"])
    svg = Markup(_drawn(arm, one, prefix)) if sizes else Markup("")
    published = any(cell["published"] is not None for cell in arm["sizes"])
    return ArmRow(arm["arm"], arm["trials"], arm["censored"], exponent, sizes, published, svg)


def _drawn(arm: Mapping[str, Any], one: Mapping[str, Any], prefix: str) -> str:
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
