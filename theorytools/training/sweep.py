r"""A sweep: a named, pre-registered set of trials, with its question and the rule by which it will be judged.

A sweep is data.  Its cells are groups of trials that run together (the repeats of a cell train as one stack); its rule
is fixed before anything runs, printed by ``theorytools sweep NAME --plan``, and stored with the results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError
from theorytools.training.protocol import protocol

Spec = Mapping[str, Any]
Groups = list[list[dict[str, Any]]]
PROFILES = ("smoke", "published", "wide")
ANY = ("cpu", "cuda")


@checked
@dataclass(frozen=True, kw_only=True)
class Sweep:
    r"""One sweep.

    Parameters
    ----------
    name, title : the command's name and a line for tables.
    question : what will be decided, in words.
    rule : how, fixed in advance: the statistic, its interval, and what each outcome means.
    cells : ``cells(profile, protocol)`` returns the groups of trials, each a list of specifications.
    runner : ``"module:function"`` that takes a group and yields pairs of specification and result.
    size : the field of a specification whose exponent is asked for, or empty.
    value : the field of a result that is measured.
    noise : standard deviation of the logarithm of one measured value, an assumption of the plan.
    seconds : a rough cost of one trial of that specification, one CPU thread, for the plan.
    prompts : about how many training prompts one trial sees, at most its cap: what its time on an accelerator is
        estimated from.
    devices : where its runner can compute, ``cpu`` or also ``cuda``.
    profiles : the profiles there are, of ``smoke``, ``published`` and ``wide``.
    paper : the paper whose checks read the record.
    """

    name: str
    title: str
    question: str
    rule: str
    cells: Callable[[str, str], Groups]
    runner: str
    size: str = ""
    value: str = "samples"
    noise: float = 0.15
    seconds: Callable[[Spec], float] = lambda spec: 0.0
    prompts: Callable[[Spec], float] = lambda spec: float(spec.get("cap", 0))
    devices: tuple[str, ...] = ("cpu",)
    profiles: tuple[str, ...] = PROFILES
    paper: str = "qstr"

    def groups(self, profile: str, rules: str) -> Groups:
        """Return the groups of one profile under one protocol; ``DomainError`` for unknown names."""
        if profile not in self.profiles:
            raise DomainError(f"the profile {profile!r} of {self.name}", required=f"one of {', '.join(self.profiles)}")
        return [[dict(spec) for spec in group] for group in self.cells(profile, protocol(rules).name)]

    def on(self, device: str) -> str:
        """Return the device; ``DomainError`` unless the sweep's runner can compute there."""
        if device not in self.devices:
            raise DomainError(f"--device {device} for {self.name}", required=" or ".join(self.devices))
        return device

    def arms(self, profile: str, rules: str) -> dict[str, list[list[dict[str, Any]]]]:
        """Return the groups by arm, an architecture with its setting, in the order of the sweep."""
        arms: dict[str, list[list[dict[str, Any]]]] = {}
        for group in self.groups(profile, rules):
            arms.setdefault(arm(group[0]), []).append(group)
        return arms


def arm(spec: Spec) -> str:
    """Return the name of a trial's arm: its field ``arm`` if it has one, else the architecture."""
    return str(spec.get("arm") or spec.get("architecture", ""))


def from_uncommitted(made: Mapping[str, Any]) -> bool:
    """Whether the provenance of a record says that code which no commit holds made it."""
    return str(made.get("commit", "")).endswith("-dirty")


def sweep(name: str) -> Sweep:
    """Return the sweep of that name; ``DomainError`` for another."""
    from theorytools.training.sweeps import SWEEPS

    if name not in SWEEPS:
        raise DomainError(f"the sweep {name!r}", required=f"one of {', '.join(SWEEPS)}")
    return SWEEPS[name]


def sweeps(name: str) -> list[Sweep]:
    """Return the sweeps that a name means: one of that name, or for ``qstr.figure_01`` those of the statement."""
    from theorytools.training.sweeps import SWEEPS

    paper, _, statement = name.rpartition(".")
    if not paper:
        return [sweep(name)]
    found = [one for one in SWEEPS.values() if one.paper == paper and one.name.startswith(statement)]
    if not found or not statement:
        known = ", ".join(f"{one.paper}.{one.name}" for one in SWEEPS.values())
        raise DomainError(f"the sweep {name!r}", required=f"the beginning of one of {known}")
    return found
