r"""The plan of a sweep: what it costs, how narrow its intervals can be, and what that decides; nothing runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from theorytools.training.blocks import BLOCKS, SECONDS, Block, blocks
from theorytools.training.memory import H200
from theorytools.training.sweep import Sweep

NOTE = "seconds are of one CPU thread, roughly; the half-width holds if the repeats' logarithms have that deviation"


@dataclass(frozen=True)
class ArmPlan:
    """One arm: sizes, repeats at each, the seconds of one CPU thread, and the slope's half-width at 95 %.

    ``tells`` is the least difference of two exponents whose intervals cannot overlap, twice the half-width;
    both are None for an arm of fewer than three sizes, which has no exponent.
    """

    arm: str
    sizes: tuple[int, ...]
    trials: int
    seconds: float
    half_width: float | None
    tells: float | None


def plan(one: Sweep, profile: str, protocol: str) -> list[ArmPlan]:
    """Return the plan of every arm; the half-width is for the noise that the sweep assumes."""
    plans = []
    for name, groups in one.arms(profile, protocol).items():
        specs = [spec for group in groups for spec in group]
        sizes: Sequence[Any] = sorted({int(spec[one.size]) for spec in specs}) if one.size else ()
        half = None
        if len(sizes) >= 3:
            from theorytools.statistics.growth_forms import slope_half_width

            half = slope_half_width(list(sizes), len(specs) // len(sizes), one.noise)
        seconds = sum(one.seconds(spec) for spec in specs)
        plans.append(ArmPlan(name, tuple(sizes), len(specs), seconds, half, None if half is None else 2 * half))
    return plans


def plan_json(one: Sweep, profile: str, protocol: str, device: str = "cpu", count: int = BLOCKS) -> dict[str, Any]:
    """Return the plan as JSON data, with question and rule, and what each of ``count`` blocks takes on the device."""
    return {
        "sweep": one.name, "title": one.title, "profile": profile, "protocol": protocol, "question": one.question,
        "rule": one.rule, "noise": one.noise, "arms": [asdict(arm) for arm in plan(one, profile, protocol)],
        "device": device, "blocks": [_block(b, count) for b in blocks(one, profile, protocol, device, count)],
    }  # fmt: skip


def _block(b: Block, count: int) -> dict[str, Any]:
    trials = sum(map(len, b.groups))
    return {"block": f"{b.number}/{count}", "trials": trials, "seconds": round(b.seconds), "bytes": b.bytes}


def plan_text(data: dict[str, Any]) -> str:
    """Return a plan, from :func:`plan_json`, as lines for a terminal."""
    lines = [f"{data['sweep']}: {data['title']}", f"profile {data['profile']}, protocol {data['protocol']}", ""]
    lines += [data["question"], ""]
    head = ("arm", "trials", "seconds", "half-width", "tells apart")
    lines.append("{:<20} {:>6} {:>8} {:>10} {:>11}  sizes".format(*head))
    for arm in data["arms"]:
        half, tells = (f"{x:.2f}" if x is not None else "-" for x in (arm["half_width"], arm["tells"]))
        sizes = " ".join(map(str, arm["sizes"]))
        lines.append(
            f"{arm['arm']:<20} {arm['trials']:>6} {arm['seconds']:>8.0f} {half:>10} {tells:>11}  {sizes}".rstrip()
        )
    lines += ["", f"assumed deviation of the logarithm: {data['noise']}; {NOTE}"]
    if data["profile"] == "wide":
        lines += ["", *_block_lines(data)]
    return "\n".join([*lines, f"rule, fixed beforehand: {data['rule']}"])


def _block_lines(data: dict[str, Any]) -> list[str]:
    where = "one CPU thread" if data["device"] == "cpu" else "an H200 (assumed rates, not measured)"
    lines = [f"blocks, to be run with --block, seconds of {where}:"]
    for b in data["blocks"]:
        memory = "" if b["bytes"] is None else f", largest cell about {b['bytes'] / 2**30:.1f} GiB"
        lines.append(f"  {b['block']:<6} {b['trials']:>4} trials {b['seconds']:>6} s{memory}")
    if data["device"] != "cpu":
        lines.append(f"meant for at most {SECONDS:.0f} s a block and {H200 / 2**30:.0f} GiB")
    return lines
