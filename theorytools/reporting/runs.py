"""The trained runs of a report: every sweep's arms with their intervals, the published curve, and the rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from markupsafe import Markup

from theorytools.reporting.canvas import Canvas
from theorytools.reporting.curves_picture import FOOT, LETTER, SHAPES, TOP, WIDTH, Panel, axis_ticks
from theorytools.reporting.numbers import pretty, significant
from theorytools.reporting.scales import scale, ticks

HIGH = 210  # units of the picture of a run
SIGNS = "●■▲◆"
MEASURES = {"samples": "prompts that training needs", "loss": "loss", "risk": "risk"}
SIZES = {"N": "length of the prompt"}
NETWORKS = {"transformer": "Transformer", "ffn": "feedforward network", "gru": "GRU", "rnn": "recurrent network"}
Arm = Mapping[str, Any]


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
    """Return the arms of a run beside the published curves, in one picture; None for a run that has no such curve."""
    if not any(cell["published"] is not None for arm in one["arms"] for cell in arm["sizes"]):
        return None
    made = _run(one)
    shown = [arm for arm in made.arms if arm.cells]
    return {
        "title": made.title, "protocol": made.protocol, "size": made.size, "means": SIZES.get(made.size, ""),
        "value": measure(one),
        "svg": arms_picture(one, [arm for arm in one["arms"] if arm["sizes"]]),
        "arms": [[network(arm.arm), sign, list(arm.exponent)] for arm, sign in zip(shown, SIGNS, strict=False)],
    }  # fmt: skip


def measure(one: Mapping[str, Any]) -> str:
    """Return what a run measures, in words."""
    value = str(one.get("value") or "samples")
    return MEASURES.get(value, value.replace("_", " "))


def network(arm: str) -> str:
    """Return what an arm trained, in words."""
    return NETWORKS.get(arm, arm)


def arms_picture(one: Mapping[str, Any], arms: Sequence[Arm]) -> str:
    """Return arms of a run as inline SVG: intervals at each size and published curves, both scales logarithmic.

    Parameters
    ----------
    one : the run.
    arms : those of its arms that are drawn, at most four; each has a mark and a line of its own.
    """
    cells = [cell for arm in arms for cell in arm["sizes"]]
    numbers = [n for c in cells for n in (c["low"], c["high"], c["published"]) if n is not None]
    across, up = (scale([*map(Decimal, own)], ratio=0, pad=0.06) for own in ([c["size"] for c in cells], numbers))
    canvas = Canvas(f"{one['title']}, {one['protocol']} protocol: {measure(one)} against {one['size']}", WIDTH,
                    TOP + HIGH + FOOT, _told(one, arms))  # fmt: skip
    levels = ticks(up)
    left = 12 + LETTER * max(len(label) for _, label in levels)
    panel = Panel(canvas, across, up, left, TOP, TOP + HIGH)
    panel.frame(levels)
    for k, (shape, arm) in enumerate(zip(SHAPES, arms, strict=False)):
        told = [(Decimal(c["size"]), Decimal(c["published"])) for c in arm["sizes"] if c["published"] is not None]
        if told:
            canvas.line(f"arm a{k + 1} d{k + 1}", [(panel.x(x), panel.y(y)) for x, y in told])
        for cell in arm["sizes"]:
            panel.interval(f"arm a{k + 1}", shape, panel.x(Decimal(cell["size"])), (
                Decimal(cell["low"]), Decimal(cell["high"])))  # fmt: skip
    sizes = sorted({cell["size"] for cell in cells})
    for x, label in axis_ticks([(Decimal(size), str(size)) for size in sizes], panel):
        canvas.label("tick", x, TOP + HIGH + FOOT - 5, label, anchor="centre")
    return canvas.text()


def _told(one: Mapping[str, Any], arms: Sequence[Arm]) -> str:
    said = []
    for arm in arms:
        first, last = arm["sizes"][0], arm["sizes"][-1]
        ends = [f"{_number(c['low'])} to {_number(c['high'])} at {one['size']} = {c['size']}" for c in (first, last)]
        said.append(f"{network(arm['arm']) or 'our runs'}: {'; '.join(ends)}.")
    return " ".join(said)


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
        published=any(cell.published for cell in cells), svg=Markup(arms_picture(one, [arm])) if cells else Markup(""),
    )  # fmt: skip
