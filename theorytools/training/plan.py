r"""The plan of a sweep: what it costs, how narrow its intervals can be, and what that decides; nothing runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from theorytools.quantities.scaling_forms import slope_half_width
from theorytools.training.sweep import Sweep


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
            half = slope_half_width(list(sizes), len(specs) // len(sizes), one.noise)
        seconds = sum(one.seconds(spec) for spec in specs)
        plans.append(ArmPlan(name, tuple(sizes), len(specs), seconds, half, None if half is None else 2 * half))
    return plans


def plan_json(one: Sweep, profile: str, protocol: str) -> dict[str, Any]:
    """Return the plan as JSON data, with question and rule."""
    return {
        "sweep": one.name, "title": one.title, "profile": profile, "protocol": protocol, "question": one.question,
        "rule": one.rule, "noise": one.noise, "arms": [asdict(arm) for arm in plan(one, profile, protocol)],
    }  # fmt: skip
