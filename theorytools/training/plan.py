"""The plan of a sweep: its cells, what is there of them, what a step of them takes here, and what the rule can tell.

Nothing of a trial is kept.  A step is timed only of a cell of which a trial is nowhere yet, so the plan of a sweep that
is recorded costs nothing.  What a cell will take is said where that is arithmetic and no forecast: the seconds of a
step times the steps that a trial of this very cell took, as the store or the record has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from theorytools.training.sweep import Spec, Sweep, arm
from theorytools.training.trials.trial import CENSORED, DONE, trial_key
from theorytools.training.trials.work import resolve

NOTE = "the half-width holds if the repeats' logarithms have that deviation"


@dataclass(frozen=True)
class Power:
    """One arm: sizes, trials, and the half-width of the exponent's interval at 95 %.

    ``tells`` is the least difference of two exponents whose intervals cannot overlap, twice the half-width; both are
    None for an arm of fewer than three sizes, which has no exponent.
    """

    arm: str
    sizes: tuple[int, ...]
    trials: int
    half_width: float | None
    tells: float | None


def power(one: Sweep, profile: str, protocol: str) -> list[Power]:
    """Return how narrow the interval of each arm can be, for the noise that the sweep assumes."""
    found = []
    for name, groups in one.arms(profile, protocol).items():
        specs = [spec for group in groups for spec in group]
        sizes: Sequence[Any] = sorted({int(spec[one.size]) for spec in specs}) if one.size else ()
        half = None
        if len(sizes) >= 3:
            from theorytools.statistics.growth_forms import slope_half_width

            half = slope_half_width(list(sizes), len(specs) // len(sizes), one.noise)
        found.append(Power(name, tuple(sizes), len(specs), half, None if half is None else 2 * half))
    return found


@dataclass(frozen=True)
class Known:
    """A trial that ran somewhere: its status, what it gave, its seconds, and whether the store has it."""

    status: str
    result: Mapping[str, Any]
    seconds: float
    stored: bool


@dataclass(frozen=True)
class Cell:
    """One group of trials, which run together.

    Parameters
    ----------
    arm, size, trials : of what it is, and how many.
    stored, recorded : how many of them the store has, and how many the record has besides.
    took : seconds of those, where they ran; None if there are none.
    step : the seconds of a step of all its members here; None where it was not timed.
    steps : the most steps that one of its trials made; None where no step was timed or no trial is there.
    seconds : their product.
    why : why nothing was timed where something is missing.
    """

    arm: str
    size: Any
    trials: int
    stored: int
    recorded: int
    took: float | None = None
    step: float | None = None
    steps: int | None = None
    seconds: float | None = None
    why: str = ""


def cells(
    one: Sweep, groups: Sequence[Sequence[Spec]], known: Mapping[str, Known], device: str, *, free: int | None = None,
    timed: bool = True,
) -> list[Cell]:  # fmt: skip
    """Return the cells of a sweep.

    Parameters
    ----------
    one, groups : the sweep and its groups of trials.
    known : trials that are there, by key.
    device : where a step is timed.
    free : bytes of the device that can be had; a cell that needs more is not timed.
    timed : whether anything is timed.
    """
    return [_cell(one, group, known, device, free, timed) for group in groups]


def _cell(
    one: Sweep, group: Sequence[Spec], known: Mapping[str, Known], device: str, free: int | None, timed: bool
) -> Cell:
    there = [known[key] for key in map(trial_key, group) if key in known]
    sound = [trial for trial in there if trial.status in (DONE, CENSORED)]
    stored = sum(trial.stored for trial in there)
    took = sum(trial.seconds for trial in there) if there else None
    size = group[0].get(one.size) if one.size else None
    cell = Cell(arm(group[0]), size, len(group), stored, len(there) - stored, took)
    if not (timed and one.step and len(there) < len(group)):
        return cell
    needed = one.bytes(group, device)
    if needed is not None and free is not None and needed > free:
        return replace(cell, why=f"needs about {needed / 1e9:.1f} GB, of {free / 1e9:.1f} GB that are free")
    step, count = resolve(one.place(one.step))(list(group), device)
    if not sound:
        return replace(cell, step=step)
    steps = round(max(float(trial.result[one.value]) for trial in sound) / count)
    return replace(cell, step=step, steps=steps, seconds=step * steps)


def plan_json(
    one: Sweep, profile: str, protocol: str, device: str = "cpu", found: Sequence[Cell] = ()
) -> dict[str, Any]:
    """Return the plan as JSON data: question, rule, what its intervals can tell, and its cells."""
    return {
        "sweep": one.name, "title": one.title, "profile": profile, "protocol": protocol, "question": one.question,
        "rule": one.rule, "noise": one.noise, "arms": [asdict(own) for own in power(one, profile, protocol)],
        "device": device, "cells": [asdict(cell) for cell in found],
    }  # fmt: skip
