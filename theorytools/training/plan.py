r"""The plan of a sweep: what it costs, how narrow its intervals can be, and what that decides; nothing runs.

A sweep in blocks: groups of trials that are run apart, balanced by what they are estimated to cost.

On one CPU thread a trial costs what the sweep says.  On an accelerator the members of a group train together, and what
they wait for is either the arithmetic or the launches of kernels: with ``n`` prompts a member, batch ``B``, ``M``
members, ``m`` multiplications of a prompt and ``k`` kernels of a step,

.. math:: \frac nB\max\Bigl(k\,\tau,\ \frac{6BMm}{\rho}\Bigr)
          +\frac n{B\,\text{check\_every}}\Bigl(k\,\tau+\frac{2\cdot1500\,Mm}{\rho}\Bigr),

since an evaluation looks at about 1500 test prompts.  The rate :math:`\rho` and the time :math:`\tau` of a launch are
assumptions about an H200 at float32, not measurements; measured rates of a group, where there are any, stand in place.

Multiplications of one training prompt, by closed form: what a sample costs, whatever the machine.

The prompts of a trial, from recorded ones: a power of ``N`` through the three nearest recorded sizes (more where these
span less than a factor 5/4), fitted by likelihood with the size ``N`` as origin, so that the 95 % interval is that of
the mean of log n at ``N``.  A size at which every run was stopped counts as a lower limit.  The interval holds if the
growth goes on as a power: of one whose local exponent grows, it is too low.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError
from theorytools.training.experiment import H200, Experiment, group_bytes
from theorytools.training.sweep import DEVICE, Groups, Spec, Sweep, arm

if TYPE_CHECKING:
    from theorytools.training.rates import Rates
    from theorytools.training.record import Trial


@checked
def multiplications(experiment: Experiment) -> int:
    r"""Return the multiplications of one prompt's forward pass; a training step takes three times as many.

    With :math:`D=D_e`, width :math:`w` and :math:`H` heads:

    * ``transformer``: :math:`N(4HD^2+2HND+wD+w)`; ``merged``: :math:`N(HD^2+2HND+wHD+w)`;
    * ``ffn``: :math:`ND\cdot Ndq+Ndq\cdot w+wN`;
    * recurrent, :math:`g=3,4,1` gates for GRU, LSTM, ReLU: :math:`2N\,gw(D+w)+2Nw`.
    """
    e, N, D, w, H = experiment, experiment.N, experiment.D_e, experiment.width, experiment.heads
    if e.architecture == "transformer":
        return N * (4 * H * D**2 + 2 * H * N * D + w * D + w)
    if e.architecture == "merged":
        return N * (H * D**2 + 2 * H * N * D + w * H * D + w)
    if e.architecture == "ffn":
        first = N * e.d * e.q
        return N * D * first + first * w + w * N
    gates = {"gru": 3, "lstm": 4, "rnn": 1}[e.architecture]
    return 2 * N * gates * w * (D + w) + 2 * N * w


RATE, LAUNCH, TESTED = 30e12, 8e-6, 1500
KERNELS = {"gru": 19, "lstm": 25, "rnn": 8}  # of one position, forward and backward
BLOCKS, SECONDS = 4, 540.0  # the profile `device` runs in so many blocks, each within nine minutes of an H200


@dataclass(frozen=True)
class Block:
    """One block: its groups, the seconds that it should take, the bytes of its largest group where there is a cell.

    ``seconds_high`` are those if every trial sees as many prompts as the upper end of its forecast.
    """

    number: int
    groups: Groups
    seconds: float
    bytes: int | None
    seconds_high: float = 0.0


RUNS = (4, 5 / 4)  # least finished runs of a fit, and how far its sizes must span


@dataclass(frozen=True)
class Forecast:
    """About how many prompts a trial asks for, its cap apart: the geometric mean, with a 95 % interval.

    Parameters
    ----------
    prompts, low, high : the mean at ``N`` and the ends of its interval; ``high`` is infinite if no run bounds it.
    window, beyond : the recorded sizes that are fitted, and by which factor ``N`` lies beyond the recorded sizes; 1
        between them.
    assumed : why it is no fit to records of this very setting; empty if it is one.
    """

    prompts: float
    low: float
    high: float
    window: tuple[int, ...] = ()
    beyond: float = 1.0
    assumed: str = ""


def forecast(trials: Sequence[Trial], N: int) -> Forecast | None:
    """Return the forecast at ``N`` from the recorded trials of one setting, or None if they do not determine one."""
    import numpy as np

    from theorytools.statistics.censored import CensoredSample

    runs: dict[int, list[tuple[float, bool]]] = {}
    for trial in trials:
        lost = trial.status != "done"
        value = trial.spec["cap"] if trial.result.get("diverged") else trial.result["samples"]
        runs.setdefault(int(trial.spec["N"]), []).append((math.log(value), lost))
    finished = {size for size, cell in runs.items() if not all(lost for _, lost in cell)}
    if len(finished) < 2:
        return None
    window = _window(runs, finished, N)
    rows = [(math.log(size / N), value, lost) for size in window for value, lost in runs[size]]
    if sum(not lost for _, _, lost in rows) < RUNS[0]:
        return None
    low = np.asarray([value for _, value, _ in rows])
    high = np.asarray([math.inf if lost else value for _, value, lost in rows])
    X = np.column_stack([np.asarray([x for x, _, _ in rows]), np.ones(len(rows))])
    try:
        sample = CensoredSample(low, high, X)
        best = sample.maximise()
        below, above = sample.profile_interval(best, 0.95)
    except DomainError:
        return None  # runs that do not scatter, or that bound the growth from one side only
    mean = math.exp(best.coefficients[1])
    return Forecast(mean, math.exp(below), math.exp(above), window, max(1.0, N / max(runs), min(runs) / N))


def _window(sizes: Mapping[int, Any], finished: set[int], N: int) -> tuple[int, ...]:
    near = sorted(sizes, key=lambda size: (abs(math.log(size / N)), size))
    for count in range(3, len(near)):
        some = near[:count]
        if len(finished & set(some)) >= 2 and max(some) >= RUNS[1] * min(some):
            return tuple(sorted(some))
    return tuple(sorted(near))


def _asked_at_most(one: Sweep, spec: Spec) -> float:
    """The upper end of the forecast, at most the cap; what the sweep says where there is no forecast."""
    found = None if one.forecast is None else one.forecast(spec)
    return one.prompts(spec) if found is None else min(found.high, float(spec["cap"]))


def group_seconds(
    one: Sweep, group: Sequence[Spec], device: str = "cpu", prompts: Callable[[Spec], float] | None = None,
    rates: Rates | None = None,
) -> float:  # fmt: skip
    """Return about the seconds of a group on one CPU thread, or trained together on an accelerator.

    ``prompts`` replaces what the sweep says of the prompts of a trial, on an accelerator or where the group is among
    the measured ``rates``, which stand in place of the assumed ones.
    """
    if rates is not None:
        measured = rates.seconds(group, max(map(prompts or one.prompts, group)))
        if measured is not None:
            return measured
    if device == "cpu" or "kind" in group[0]:
        return sum(one.seconds(spec) for spec in group)
    cell, members = Experiment.of(group[0]), len(group)
    steps = max(map(prompts or one.prompts, group)) / cell.batch
    m = multiplications(cell)
    wait = LAUNCH * (KERNELS[cell.architecture] * cell.N if cell.architecture in KERNELS else 50)
    step = max(wait, 6 * cell.batch * members * m / RATE)
    return steps * step + steps / cell.check_every * (wait + 2 * TESTED * members * m / RATE)


def blocks(
    one: Sweep, profile: str, protocol: str, device: str = "cpu", count: int = BLOCKS, rates: Rates | None = None
) -> list[Block]:
    """Return the groups of a profile in ``count`` blocks: the costliest first, each to the block that has least.

    The split depends on the sweep, the device, the count and the measured rates only.  Within a block the sweep's order
    is kept; a sweep of fewer groups leaves blocks empty.
    """
    groups = one.groups(profile, protocol)
    costs = [group_seconds(one, group, device, rates=rates) for group in groups]
    sums, homes = [0.0] * count, [0] * len(groups)
    for k in sorted(range(len(groups)), key=lambda k: (-costs[k], k)):
        homes[k] = min(range(count), key=lambda b: (sums[b], b))
        sums[homes[k]] += costs[k]
    made = []
    for b in range(count):
        own = [group for group, home in zip(groups, homes, strict=True) if home == b]
        sizes = [size for group in own if (size := group_bytes(group, device)) is not None]
        slow = sum(group_seconds(one, group, device, partial(_asked_at_most, one), rates) for group in own)
        made.append(Block(b + 1, own, sums[b], max(sizes, default=None), slow))
    return made


def which(text: str) -> tuple[int, int]:
    r"""Return ``(k, n)`` of ``"k/n"``, the k-th of n blocks; ``DomainError`` unless :math:`1\le k\le n`."""
    found = re.fullmatch(r"([1-9]\d{0,2})/([1-9]\d{0,2})", text, re.ASCII)
    if found is None or int(found[1]) > int(found[2]):
        raise DomainError(f"--block {text}", required="k/n, the k-th of n blocks, such as 1/4", why="k counts from 1")
    return int(found[1]), int(found[2])


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


def plan_json(
    one: Sweep, profile: str, protocol: str, device: str = "cpu", count: int = BLOCKS, rates: Rates | None = None
) -> dict[str, Any]:
    """Return the plan as JSON data, with question and rule, and what each of ``count`` blocks takes on the device."""
    data = {
        "sweep": one.name, "title": one.title, "profile": profile, "protocol": protocol, "question": one.question,
        "rule": one.rule, "noise": one.noise, "arms": [asdict(own) for own in plan(one, profile, protocol)],
        "device": device, "blocks": [_block(b, count) for b in blocks(one, profile, protocol, device, count, rates)],
        "prompts": asked(one, profile, protocol, device, rates),
        "out_of_reach": out_of_reach(one, profile, protocol, device, rates), "rates": None,
    }  # fmt: skip
    return data if rates is None else data | {"rates": _measured(one, profile, protocol, device, rates)}


def _measured(one: Sweep, profile: str, protocol: str, device: str, rates: Rates) -> dict[str, Any]:
    """What the plan rests on, the groups that no block has time for, and the least blocks that all have the time."""
    groups = one.groups(profile, protocol)
    long = [{"arm": arm(g[0]), "N": g[0].get(one.size), "seconds": round(t)}
            for g in groups if (t := group_seconds(one, g, device, rates=rates)) > SECONDS]  # fmt: skip
    fits = (k for k in range(1, len(groups) + 1)
            if all(b.seconds <= SECONDS for b in blocks(one, profile, protocol, device, k, rates)))  # fmt: skip
    return {
        "file": rates.file, "device": dict(rates.device), "name": rates.name(), "created": rates.created,
        "groups": len(groups), "measured": sum(rates.seconds(g, 0.0) is not None for g in groups),
        "limit": SECONDS, "too_long": long, "blocks_that_fit": None if long else next(fits, None),
    }  # fmt: skip


def asked(one: Sweep, profile: str, protocol: str, device: str, rates: Rates | None = None) -> list[dict[str, Any]]:
    """Return for each group what its trials ask for, by the forecast: prompts, seconds, and what they rest on."""
    if one.forecast is None:
        return []
    rows = []
    for name, group in ((name, g) for name, groups in one.arms(profile, protocol).items() for g in groups):
        found: Forecast = one.forecast(group[0])
        slow = group_seconds(one, group, device, partial(_asked_at_most, one), rates)
        rows.append({
            "arm": name, "N": int(group[0]["N"]), "trials": len(group), "prompts": round(found.prompts),
            "high": round(found.high) if math.isfinite(found.high) else None, "cap": int(group[0]["cap"]),
            "seconds": round(group_seconds(one, group, device, rates=rates), 1), "seconds_high": round(slow, 1),
            "window": list(found.window), "beyond": round(found.beyond, 2), "assumed": found.assumed,
        })  # fmt: skip
    return rows


def out_of_reach(
    one: Sweep, profile: str, protocol: str, device: str, rates: Rates | None = None
) -> list[dict[str, Any]]:
    """Return for each arm the first length, of 2, 3, 4, 6, 8, 12, …, that no block has the time for, without a cap.

    It is that of the arm's longest group, with as many members, at the middle of the forecast; by how much measured
    ``rates`` of that group differ from the assumed ones, they are taken to differ beyond it.
    """
    if one.forecast is None or device == "cpu" or one.size != "N":
        return []
    rows = []
    for name, groups in one.arms(profile, protocol).items():
        longest = max(groups, key=lambda group: int(group[0]["N"]))
        factor = group_seconds(one, longest, device, rates=rates) / group_seconds(one, longest, device)
        for N in chain.from_iterable((2**k, 3 * 2 ** (k - 1)) for k in range(2, 15)):
            if int(longest[0]["N"]) >= N:
                continue
            free = [Experiment.of({**spec, "N": N, "d_e": 0, "cap": 10**18}).spec() for spec in longest]
            found: Forecast = one.forecast(free[0])
            seconds = factor * group_seconds(one, free, device)
            if not found.window or seconds <= SECONDS:
                continue
            rows.append({"arm": name, "N": N, "prompts": round(found.prompts), "seconds": round(seconds),
                         "beyond": round(found.beyond, 2)})  # fmt: skip
            break
    return rows


def _block(b: Block, count: int) -> dict[str, Any]:
    trials = sum(map(len, b.groups))
    return {"block": f"{b.number}/{count}", "trials": trials, "seconds": round(b.seconds), "bytes": b.bytes,
            "seconds_high": round(b.seconds_high)}  # fmt: skip


def plan_text(data: dict[str, Any]) -> str:
    """Return a plan, from :func:`plan_json`, as lines for a terminal."""
    lines = [f"{data['sweep']}: {data['title']}", f"profile {data['profile']}, protocol {data['protocol']}", ""]
    lines += [data["question"], ""]
    head = ("arm", "trials", "seconds", "half-width", "tells apart")
    lines.append("{:<20} {:>6} {:>8} {:>10} {:>11}  sizes".format(*head))
    for row in data["arms"]:
        half, tells = (f"{x:.2f}" if x is not None else "-" for x in (row["half_width"], row["tells"]))
        sizes = " ".join(map(str, row["sizes"]))
        lines.append(
            f"{row['arm']:<20} {row['trials']:>6} {row['seconds']:>8.0f} {half:>10} {tells:>11}  {sizes}".rstrip()
        )
    lines += ["", f"assumed deviation of the logarithm: {data['noise']}; {NOTE}"]
    if data["profile"] in ("wide", DEVICE) or data["rates"]:
        lines += ["", *_prompt_lines(data), *_block_lines(data)]
    return "\n".join([*lines, f"rule, fixed beforehand: {data['rule']}"])


def _prompt_lines(data: dict[str, Any]) -> list[str]:
    """The forecast of every group, and where each arm ends."""
    if not data["prompts"]:
        return []
    lines = [
        "prompts of a trial, by a power through the nearest recorded sizes, to the end of the mean's 95 % interval;",
        "seconds of the group:",
        "  {:<12} {:>5} {:>11} {:>11} {:>8} {:>8}  {}".format(
            "arm", "N", "prompts", "up to", "seconds", "up to", "from"
        ),
    ]
    for row in data["prompts"]:
        high = "no end" if row["high"] is None else f"{row['high']:,}"
        seconds = f"{row['seconds']:>8.0f} {row['seconds_high']:>8.0f}"
        lines.append(f"  {row['arm']:<12} {row['N']:>5} {row['prompts']:>11,} {high:>11} {seconds}  {_rests_on(row)}")
    for row in data["out_of_reach"]:
        lines.append(
            f"out of reach: {row['arm']} from N = {row['N']} on, about {row['prompts']:,} prompts and "
            f"{row['seconds']} s, more than a block's {SECONDS:.0f} s; {row['beyond']:.3g} times beyond the records"
        )
    return [*lines, ""]


def _rests_on(row: Mapping[str, Any]) -> str:
    """What a forecast rests on, in a few words."""
    said = [f"N = {' '.join(map(str, row['window']))}"] if row["window"] else []
    said += [f"{row['beyond']:.3g} times beyond the records"] if row["beyond"] > 1 else []
    said += [f"assumed: {row['assumed']}"] if row["assumed"] else []
    said += [f"stopped at {row['cap']:,}"] if row["prompts"] > row["cap"] else []
    return ", ".join(said)


def _block_lines(data: dict[str, Any]) -> list[str]:
    where = "one CPU thread" if data["device"] == "cpu" else "an H200 (assumed rates, not measured)"
    if told := data["rates"]:
        assumed = told["groups"] - told["measured"]
        where = f"{told['name']}, measured {told['created'][:16].replace('T', ' ')}"
        where += f"; {assumed} of {told['groups']} groups by assumed rates" if assumed else ""
    lines = [f"blocks, to be run with --block, seconds of {where}:"]
    for b in data["blocks"]:
        memory = "" if b["bytes"] is None else f", largest cell about {b['bytes'] / 2**30:.1f} GiB"
        high = f", up to {b['seconds_high']} s" if b["seconds_high"] > b["seconds"] else ""
        lines.append(f"  {b['block']:<6} {b['trials']:>4} trials {b['seconds']:>6} s{high}{memory}")
    if data["device"] != "cpu":
        lines.append(f"meant for at most {SECONDS:.0f} s a block and {H200 / 2**30:.0f} GiB")
    return lines + (_limit_lines(told) if told else [])


def _limit_lines(told: Mapping[str, Any]) -> list[str]:
    """What does not fit the time of a block, and into how many blocks the rest would go, by measured rates."""
    lines = [f"does not fit {told['limit']:.0f} s: {g['arm']} at N = {g['N']}, {g['seconds']} s by itself"
             for g in told["too_long"]]  # fmt: skip
    if (told["blocks_that_fit"] or 1) > 1:
        lines.append(f"{told['blocks_that_fit']} blocks, --block k/{told['blocks_that_fit']}, all fit that time")
    return lines
