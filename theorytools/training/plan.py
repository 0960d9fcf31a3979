r"""The plan of a sweep: what it costs, how narrow its intervals can be, and what that decides; nothing runs.

A sweep in blocks: groups of trials that are run apart, balanced by what they are estimated to cost.

On one CPU thread a trial costs what the sweep says.  On an accelerator the members of a group train together, and what
they wait for is either the arithmetic or the launches of kernels: with ``n`` prompts a member, batch ``B``, ``M``
members, ``m`` multiplications of a prompt and ``k`` kernels of a step,

.. math:: \frac nB\max\Bigl(k\,\tau,\ \frac{6BMm}{\rho}\Bigr)
          +\frac n{B\,\text{check\_every}}\Bigl(k\,\tau+\frac{2\cdot1500\,Mm}{\rho}\Bigr),

since an evaluation looks at about 1500 test prompts.  The rate :math:`\rho` and the time :math:`\tau` of a launch are
assumptions about an H200 at float32, not measurements.

Multiplications of one training prompt, by closed form: what a sample costs, whatever the machine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError
from theorytools.training.experiment import H200, Experiment, group_bytes
from theorytools.training.sweep import Groups, Sweep


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
BLOCKS, SECONDS = 4, 540.0  # the wide profile runs in so many blocks, each within nine minutes of an H200


@dataclass(frozen=True)
class Block:
    """One block: its groups, the seconds that it should take, the bytes of its largest group where there is a cell."""

    number: int
    groups: Groups
    seconds: float
    bytes: int | None


def group_seconds(one: Sweep, group: Sequence[Mapping[str, Any]], device: str = "cpu") -> float:
    """Return about the seconds of a group on one CPU thread, or trained together on an accelerator."""
    if device == "cpu" or "kind" in group[0]:
        return sum(one.seconds(spec) for spec in group)
    cell, members = Experiment.of(group[0]), len(group)
    steps = max(one.prompts(spec) for spec in group) / cell.batch
    m = multiplications(cell)
    wait = LAUNCH * (KERNELS[cell.architecture] * cell.N if cell.architecture in KERNELS else 50)
    step = max(wait, 6 * cell.batch * members * m / RATE)
    return steps * step + steps / cell.check_every * (wait + 2 * TESTED * members * m / RATE)


def blocks(one: Sweep, profile: str, protocol: str, device: str = "cpu", count: int = BLOCKS) -> list[Block]:
    """Return the groups of a profile in ``count`` blocks: the costliest first, each to the block that has least.

    The split depends on the sweep, the device and the count only.  Within a block the sweep's order is kept; a sweep of
    fewer groups leaves blocks empty.
    """
    groups = one.groups(profile, protocol)
    costs = [group_seconds(one, group, device) for group in groups]
    sums, homes = [0.0] * count, [0] * len(groups)
    for k in sorted(range(len(groups)), key=lambda k: (-costs[k], k)):
        homes[k] = min(range(count), key=lambda b: (sums[b], b))
        sums[homes[k]] += costs[k]
    made = []
    for b in range(count):
        own = [group for group, home in zip(groups, homes, strict=True) if home == b]
        sizes = [size for group in own if (size := group_bytes(group, device)) is not None]
        made.append(Block(b + 1, own, sums[b], max(sizes, default=None)))
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
