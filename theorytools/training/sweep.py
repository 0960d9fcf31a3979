r"""A sweep: a named, pre-registered set of trials, with its question and the rule by which it will be judged.

A sweep is data.  Its cells are groups of trials that run together (the repeats of a cell train as one stack); its rule
is fixed before anything runs, printed by ``theorytools sweep NAME --plan``, and stored with the results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.claims.papers.catalogue import find_roots, installed_beside
from theorytools.errors import CheckError, DomainError
from theorytools.places import paper_folder
from theorytools.training.trials.provenance import DIRTY, commit_of_code
from theorytools.training.trials.trial import Result
from theorytools.training.trials.work import resolve

Spec = Mapping[str, Any]
Results = Iterator[tuple[Spec, Any]]
Evaluate = Callable[..., Results]  # (specs, device), and a folder of pauses where it can go on
Groups = list[list[dict[str, Any]]]
PROFILES = ("smoke", "published", "wide")
RULES = ("released", "corrected")  # protocols: faithful to a released experiment, or with its faults mended
DEVICE = "device"  # the profile with sizes for an accelerator
ANY = ("cpu", "cuda")


@checked
@dataclass(frozen=True, kw_only=True)
class Sweep:
    """One sweep.

    Parameters
    ----------
    name, title : the command's name, which is the file's, and a line for tables.
    question : what will be decided, in words.
    rule : how, fixed in advance: the statistic, its interval, and what each outcome means.
    cells : ``cells(profile, protocol)`` returns the groups of trials, each a list of specifications.
    runner : what trains a group, see :func:`run_group`: ``"evaluate"`` of the sweep's own file, ``"_beside:evaluate"``
        of a file beside it, or ``"package.module:evaluate"``; with a parameter ``pauses`` it is given a folder in
        which it may keep how far a group is, so that one that was cut goes on.
    size : the field of a specification whose exponent is asked for, or empty.
    value : the field of a result that is measured.
    noise : standard deviation of the logarithm of one measured value, an assumption of the plan.
    step : what makes a step of a group for the plan, found as the runner is; ``step(specs, device)`` returns its
        seconds, of all members together, and by how much it raises ``value``.  Without one nothing is timed.
    memory : ``memory(specs, device)`` returns about the bytes of a group, or None; without it nothing is estimated.
    devices : where its runner can compute, ``cpu`` or also ``cuda``.
    profiles : the profiles there are: ``smoke``, every path in minutes; ``published``, what claims read; ``wide``, more
        sizes or repeats, on any machine; ``device``, sizes for an accelerator.
    paper, file : the paper whose checks read the record, and where the sweep stands; both by its place.

    Examples
    --------
    >>> one = Sweep(title="Squares", question="Do squares grow?", rule="the slope is 2", runner="evaluate",
    ...             cells=lambda profile, protocol: [[{"arm": "square", "N": N}] for N in (4, 8)])
    >>> one.groups("smoke", "corrected"), one.on("cpu")
    ([[{'arm': 'square', 'N': 4}], [{'arm': 'square', 'N': 8}]], 'cpu')
    """

    title: str
    question: str
    rule: str
    cells: Callable[[str, str], Groups]
    runner: str
    size: str = ""
    value: str = "samples"
    noise: float = 0.15
    step: str = ""
    memory: Callable[[Sequence[Spec], str], int | None] | None = None
    devices: tuple[str, ...] = ("cpu",)
    profiles: tuple[str, ...] = PROFILES
    name: str = ""
    paper: str = ""
    file: Path | None = None

    @property
    def running(self) -> str:
        """The runner as workers find it."""
        return self.place(self.runner)

    def place(self, name: str) -> str:
        """Return where a function is found: ``module:function``, or the path of a file beside the sweep's own.

        Parameters
        ----------
        name : as of ``runner``.
        """
        module, _, function = name.rpartition(":")
        if self.file is None or (module and module[0] != "_"):
            return name
        return f"{self.file.with_name(f'{module}.py') if module else self.file}:{function}"

    def bytes(self, group: Sequence[Spec], device: str) -> int | None:
        """Return about the bytes of a group on a device, or None where nobody estimated them.

        Parameters
        ----------
        group : specifications that train together.
        device : ``"cpu"`` or ``"cuda"``.
        """
        return None if self.memory is None else self.memory(group, device)

    def block(self, profile: str, rules: str, text: str) -> Groups:
        r"""Return the groups of one block of ``"k/n"``: every n-th group, from the k-th on.

        Parameters
        ----------
        profile, rules : as in :meth:`groups`.
        text : which block, :math:`1\le k\le n`; all groups if it is empty.

        Raises
        ------
        DomainError : it is no such text.
        """
        groups = self.groups(profile, rules)
        if not text:
            return groups
        found = re.fullmatch(r"([1-9]\d{0,2})/([1-9]\d{0,2})", text, re.ASCII)
        if found is None or int(found[1]) > int(found[2]):
            raise DomainError(f"--block {text}", required="k/n, the k-th of n, such as 1/4", why="k counts from 1")
        return groups[int(found[1]) - 1 :: int(found[2])]

    def groups(self, profile: str, rules: str) -> Groups:
        """Return the groups of trials.

        Parameters
        ----------
        profile : one of :attr:`profiles`.
        rules : the protocol, ``"released"`` or ``"corrected"``.

        Returns
        -------
        list : groups of specifications.

        Raises
        ------
        DomainError : another profile or protocol.
        """
        if profile not in self.profiles:
            raise DomainError(f"the profile {profile!r} of {self.name}", required=f"one of {', '.join(self.profiles)}")
        if rules not in RULES:
            raise DomainError(f"the protocol {rules!r}", required=f"one of {', '.join(RULES)}")
        return [[dict(spec) for spec in group] for group in self.cells(profile, rules)]

    def on(self, device: str) -> str:
        """Return the device if the sweep's runner can compute there.

        Parameters
        ----------
        device : ``"cpu"`` or ``"cuda"``.

        Returns
        -------
        str : the device.

        Raises
        ------
        DomainError : it cannot.
        """
        if device not in self.devices:
            raise DomainError(f"--device {device} for {self.name}", required=" or ".join(self.devices))
        return device

    def arms(self, profile: str, rules: str) -> dict[str, list[list[dict[str, Any]]]]:
        """Return the groups by arm, an architecture with its setting, in the order of the sweep.

        Parameters
        ----------
        profile, rules : as in :meth:`groups`.

        Returns
        -------
        dict : groups of specifications by arm.
        """
        arms: dict[str, list[list[dict[str, Any]]]] = {}
        for group in self.groups(profile, rules):
            arms.setdefault(arm(group[0]), []).append(group)
        return arms


def arm(spec: Spec) -> str:
    """Return the name of a trial's arm: its field ``arm`` if it has one, else the architecture."""
    return str(spec.get("arm") or spec.get("architecture", ""))


def from_uncommitted(made: Mapping[str, Any]) -> bool:
    """Whether the provenance of a record says that code which no commit holds made it."""
    return str(made.get("commit", "")).endswith(DIRTY)


def run_group(
    evaluate: str | Evaluate, specs: Sequence[Spec], device: str = "cpu", pauses: Path | None = None
) -> Iterator[tuple[Spec, Result]]:
    """Train one group; yield each trial with its result, the device that it was computed on and the code's commit.

    Parameters
    ----------
    evaluate : ``evaluate(specs, device)``, which trains the group and yields pairs of specification and values; by its
        place (:attr:`Sweep.running`), so that every process finds it itself, or as it is.
    specs : the trials of the group.
    device : where to compute.
    pauses : a folder in which a runner with a parameter of that name keeps how far a group is.
    """
    run = resolve(evaluate)
    more = {"pauses": pauses} if "pauses" in signature(run).parameters else {}
    for spec, value in run(specs, device, **more):
        result = value if isinstance(value, Result) else Result(value)
        about = {"device": device, "commit": commit_of_code(evaluate if isinstance(evaluate, str) else "")}
        yield spec, replace(result, provenance={**about, **result.provenance})


# -- where sweeps stand --------------------------------------------------------------------------------------------
def sweeps_in(folder: Path) -> dict[str, Path]:
    """Return the files of the sweeps of a paper's folder of checks, by name: ``sweeps/<name>.py``."""
    return {path.stem: path for path in sorted((folder / "sweeps").glob("*.py")) if path.stem[0] != "_"}


def load_sweep(path: Path) -> Sweep:
    """Return the sweep of a file: what it calls ``sweep``, with the name, the paper and the place of the file.

    Raises
    ------
    CheckError : the file does not load, or holds no such thing.
    """
    from theorytools.claims.papers.loading import load_module

    one = getattr(load_module(path), "sweep", None)
    if not isinstance(one, Sweep):
        raise CheckError(
            f"{path.name}, which defines no sweep", required="sweep = Sweep(...) at its top level",
            why="a sweep is found by its place, sweeps/<name>.py", advice="theorytools new --sweep NAME writes one",
        )  # fmt: skip
    return replace(one, name=path.stem, paper=paper_folder(path).name, file=path)


def all_sweeps(checks: str | Path | None = None) -> dict[str, Path]:
    """Return the files of the sweeps of one's own papers by ``paper.name``: the library's where one has none."""
    return next((found for found in _by_root(checks) if found), {})


def _by_root(checks: str | Path | None) -> Iterator[dict[str, Path]]:
    # a folder that is named may hold nothing but records of the library's papers
    for root in find_roots() if checks is None else (Path(checks), *installed_beside(Path(checks))):
        papers = sorted(path.parent for path in root.glob("*/paper.toml"))
        yield {f"{folder.name}.{name}": path for folder in papers for name, path in sweeps_in(folder).items()}


def sweep(name: str, checks: str | Path | None = None) -> Sweep:
    """Return the sweep ``name`` or ``paper.name``; ``DomainError`` for another, and for a name that two papers have."""
    every = dict[str, Path]()
    for own in _by_root(checks):  # one's own before the library's
        every |= own
        found = [path for key, path in own.items() if name in (key, key.partition(".")[2])]
        if len(found) == 1:
            return load_sweep(found[0])
        if found:
            keys = [key for key, path in own.items() if path in found]
            raise DomainError(f"the sweep {name!r} of {len(found)} papers", required=f"one of {', '.join(keys)}")
    names = ", ".join(key.partition(".")[2] for key in every)
    raise DomainError(f"the sweep {name!r}", required=f"one of {names}" if names else "a sweep, and there is none")


def sweeps(name: str, checks: str | Path | None = None) -> list[Sweep]:
    """Return the sweeps that a name means: one of that name, or for ``qstr.figure_01`` those of the statement."""
    paper, _, statement = name.rpartition(".")
    if not paper:
        return [sweep(name, checks)]
    every = {key: path for own in _by_root(checks) for key, path in own.items()}
    found = [load_sweep(path) for key, path in every.items() if key.startswith(name)]
    if not found or not statement:
        raise DomainError(f"the sweep {name!r}", required=f"the beginning of one of {', '.join(every)}")
    return found


def sweep_of(check: str | Path, name: str) -> Sweep:
    """Return the sweep of that name in the paper to which a file of checks belongs.

    Raises
    ------
    CheckError : the paper has none.
    """
    files = sweeps_in(paper_folder(Path(check).resolve()))
    if name not in files:
        raise CheckError(
            f"the sweep {name!r} of {paper_folder(Path(check)).name}", required=f"one of {', '.join(files) or 'none'}",
            why="a paper's sweeps stand in sweeps/<name>.py beside its checks", advice="look for a typo",
        )  # fmt: skip
    return load_sweep(files[name])
