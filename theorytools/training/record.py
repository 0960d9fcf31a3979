r"""Records of sweeps: every trial with its result, the rule that was fixed beforehand, and where it was run.

A record lies at ``checks/<paper>/records/sweeps/<sweep>.<protocol>.json``.  A claim that reads one compares its trials
with the sweep as it stands today; a record of another grid or protocol is STALE and refused.  A record is replaced only
by one that holds at least its trials; anything else would lose what was computed.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.errors import CheckError, DomainError, RecordError
from theorytools.files import kept_while_unchanged, write_text
from theorytools.places import note, paper_folder, record_file
from theorytools.statistics.censored import Repeats
from theorytools.training.registration import commit_of, registration, require_committed
from theorytools.training.sweep import Sweep, arm, sweep_of
from theorytools.training.trials.provenance import DIRTY
from theorytools.training.trials.store import Store
from theorytools.training.trials.trial import CENSORED, DONE, Result, trial_key
from theorytools.training.trials.trial_row import Row

SCHEMA = "theorytools.sweep/1"
MAX_BYTES = 1_000_000
NOWHERE = f"none{DIRTY}"  # the commit of a record that was made outside of any repository
Specs = Iterable[Mapping[str, Any]]


@dataclass(frozen=True)
class Trial:
    """One trial of a record: specification, status and result."""

    spec: Mapping[str, Any]
    status: str
    result: Mapping[str, Any]
    seconds: float

    @property
    def arm(self) -> str:
        """The arm that the trial belongs to."""
        return arm(self.spec)


@checked
@dataclass(frozen=True)
class SweepRecord:
    """A record read back.

    Parameters
    ----------
    sweep, protocol, profile : what was run.
    trials : all of the arms that are there, in the sweep's order.
    missing : arms that are not there as a whole, with the number of their trials that are.
    provenance : commit, versions, processor, device, time.
    unfinished : the trials of the missing arms that are there; no claim reads them.

    Examples
    --------
    >>> from theorytools.claims.papers.catalogue import find_roots
    >>> record = recorded(find_roots()[0] / "qstr" / "figure_01" / "figure_01.py", "figure_01a")
    >>> record.sweep.name, record.protocol, len(record.of("gru")) > 0
    ('figure_01a', 'corrected', True)
    """

    sweep: Sweep
    protocol: str
    profile: str
    trials: tuple[Trial, ...]
    missing: Mapping[str, int]
    provenance: Mapping[str, Any]
    unfinished: tuple[Trial, ...] = ()

    def of(self, arm: str, **fields: Any) -> list[Trial]:
        """Return the trials of one arm whose specification has these fields.

        Parameters
        ----------
        arm : an architecture, or a sweep's own name for a setting.
        fields : values that the specification must have.

        Returns
        -------
        list of Trial : in the sweep's order, at least one.

        Raises
        ------
        RecordError : the record has none.
        """
        found = [t for t in self.trials if t.arm == arm and all(t.spec.get(k) == v for k, v in fields.items())]
        if not found:
            raise self._lacks(arm, fields)
        return found

    def _lacks(self, arm: str, fields: Mapping[str, Any]) -> RecordError:
        where = ", ".join([arm, *(f"{name} = {value}" for name, value in fields.items())])
        return RecordError(
            f"the record of {self.sweep.name}, {self.profile} profile, {self.protocol} protocol, without {where}",
            required="the trials that the claim reads",
            advice=_command(self.sweep, "published", self.protocol),
        )

    def values(self, arm: str, **fields: Any) -> list[float]:
        """Return the measured values of one cell, censored ones too (at the number where they were stopped).

        A diverged run counts as one stopped at its cap, however early it diverged: it would never have succeeded.
        """
        return [self._value(t) for t in self.of(arm, **fields) if t.status in (DONE, CENSORED)]

    def reached(self, arm: str, **fields: Any) -> list[float]:
        """Return the values of one cell in which every run succeeded, as an upper limit or a denominator needs them.

        Raises
        ------
        CheckError : a run was stopped, and its value is a lower limit only.
        """
        cell = self.of(arm, **fields)
        if any(t.status != DONE for t in cell):
            raise CheckError(
                f"{sum(t.status != DONE for t in cell)} of {len(cell)} runs of {arm} {fields} stopped without success",
                required="a cell of runs that all succeeded",
                advice="values(), where a lower limit is enough",
            )
        return [self._value(t) for t in cell]

    def _value(self, trial: Trial) -> float:
        return float(trial.spec["cap"] if trial.result.get("diverged") else trial.result[self.sweep.value])

    def sizes(self, arm: str) -> list[int]:
        """Return the sizes of one arm, in order."""
        return sorted({int(t.spec[self.sweep.size]) for t in self.of(arm)})

    def means(self, arm: str) -> dict[int, float]:
        """Return the geometric mean of each size without censored runs; another size is a ``RecordError``."""
        found = _Means(self, arm)
        for size in self.sizes(arm):
            trials = self.of(arm, **{self.sweep.size: size})
            if all(t.status == DONE for t in trials):
                logs = [math.log(t.result[self.sweep.value]) for t in trials]
                found[size] = math.exp(sum(logs) / len(logs))
        return found

    def repeats(self, arm: str) -> Repeats:
        """Return one arm's runs for the fits: a run ended between two evaluations, or was stopped at the cap.

        The runs of a shared world are no repeats of one another: see :meth:`worlds`.
        """
        sizes = self.sizes(arm)
        cells = [[t for t in self.of(arm, **{self.sweep.size: size}) if t.status in (DONE, CENSORED)] for size in sizes]
        return Repeats.observed(
            sizes,
            [[self._value(t) for t in cell] for cell in cells],
            stopped=[[t.status == CENSORED for t in cell] for cell in cells],
            # a sweep without batches looks at every sample
            step=[float(int(cell[0].spec.get("batch", 0)) * int(cell[0].spec.get("check_every", 0))) for cell in cells],
        )

    def worlds(self, arm: str) -> dict[int, list[list[float]]]:
        """Return for each size the values of every run, world by world; ``CheckError`` if one was stopped."""
        found = {}
        for size in self.sizes(arm):
            numbers = sorted({int(t.spec.get("world", 0)) for t in self.of(arm, **{self.sweep.size: size})})
            found[size] = [self.reached(arm, **{self.sweep.size: size, "world": k or None}) for k in numbers]
        return found


class _Means(dict[int, float]):
    """Geometric means by size; a size that is asked for and not there says why."""

    def __init__(self, record: SweepRecord, arm: str) -> None:
        super().__init__()
        self.record, self.arm = record, arm

    def __missing__(self, size: int) -> float:
        self.record.reached(self.arm, **{self.record.sweep.size: size})
        raise KeyError(size)


def _command(one: Sweep, profile: str, protocol: str) -> str:
    return f"theorytools sweep {one.name} --profile {profile} --protocol {protocol} --record"


def sweep_record_path(folder: Path, name: str, protocol: str) -> Path:
    """Return where the record lies; ``folder`` is the paper's folder of checks."""
    return folder / "records" / "sweeps" / f"{name}.{protocol}.json"


@checked
def write_sweep_record(
    folder: Path, one: Sweep, profile: str, protocol: str, store: Store, device: str, *, replace: bool = False,
    allow_dirty: bool = False,
) -> Path:  # fmt: skip
    """Write the record of a sweep: every arm of which the store holds all trials; the others are named as missing.

    No claim reads the trials of an arm that is not complete; they are kept under ``unfinished``, for :func:`restore`.

    Raises
    ------
    CheckError : no arm is complete, or the record would exceed 1 MB.
    DomainError : a record is there that holds trials which this one lacks, unless ``replace`` says to lose them; no
        commit holds the code of a trial or the sweep, unless ``allow_dirty`` says to write it all the same.
    """
    rows, unfinished, missing = list[Row](), list[Row](), dict[str, int]()
    for name, groups in one.arms(profile, protocol).items():
        found = [store.get(spec) for group in groups for spec in group]
        sound = [row for row in found if row is not None and row.status in (DONE, CENSORED)]
        if len(sound) == len(found):
            rows += sound
        else:
            missing[name] = len(sound)
            unfinished += sound
    if not rows:
        raise CheckError(
            f"no complete arm of {one.name}: {missing}",
            required="all trials of an arm that did not fail",
            advice=f"theorytools sweep {one.name} --profile {profile} --protocol {protocol} resumes",
        )
    path = sweep_record_path(folder, one.name, protocol)
    commit = commit_of(rows + unfinished, folder)
    if not allow_dirty:
        require_committed(one, commit)
    data = {
        "schema": SCHEMA, "sweep": one.name, "protocol": protocol, "profile": profile, "title": one.title,
        "question": one.question, "rule": one.rule, "missing": missing, "trials": [_trial(row) for row in rows],
        "unfinished": [_trial(row) for row in unfinished],
        "provenance": {"commit": commit or NOWHERE, "registered": registration(one, rows + unfinished),
                       "device": _devices(rows + unfinished) or device,
                       "made": _distinct(row.provenance for row in rows + unfinished),
                       "created": datetime.now(UTC).isoformat(timespec="seconds"), **_earlier(path)},
    }  # fmt: skip
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace('{"spec"', '\n{"spec"')
    if len(text.encode()) > MAX_BYTES:
        raise CheckError(f"a record of {len(text)} bytes for {one.name}", required=f"at most {MAX_BYTES}")
    if not replace:
        require_no_loss(path, one, profile, [row.spec for row in rows], [row.spec for row in unfinished])
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text + "\n")
    return path


def _earlier(path: Path) -> dict[str, Any]:
    """Return of which time and commit the first record was whose place a new one takes; nothing if it is the first."""
    try:
        made = json.loads(path.read_text(encoding="utf-8"))["provenance"]
        first = made.get("earlier") or {name: str(made.get(name, "")) for name in ("created", "commit")}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}
    return {"earlier": first}


def _trial(row: Row) -> dict[str, Any]:
    return {"spec": row.spec, "status": row.status, "result": row.result, "seconds": round(row.seconds, 2)}


def _read(data: Mapping[str, Any]) -> Trial:
    return Trial(data["spec"], data["status"], data["result"], data["seconds"])


def _devices(rows: Iterable[Row]) -> str:
    """Return where the trials were computed, as they say themselves: those of a record say it one level down."""

    def said(about: Mapping[str, Any]) -> set[str]:
        deeper = set().union(*(said(part) for part in about.get("made", [])))
        return deeper | ({str(about["device"])} if "device" in about else set())

    return ", ".join(sorted(set().union(*(said(row.provenance) for row in rows))))


def _distinct(values: Iterable[Mapping[str, Any]]) -> list[Any]:
    return [json.loads(text) for text in sorted({json.dumps(value, sort_keys=True) for value in values})]


def read_record(path: Path, one: Sweep, protocol: str) -> SweepRecord:
    """Return the record of a sweep that lies at ``path``.

    Raises
    ------
    RecordError : there is none, it names no commit, or it is STALE: its trials are not those of the sweep today.  The
        message holds the command that makes one.
    """
    try:
        profile, missing, trials, unfinished, keys, made, sound = _contents(path)
    except FileNotFoundError:
        advice = _command(one, "published", protocol)
        raise RecordError(f"no record {path.name}", required="the sweep's results", advice=advice) from None
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise RecordError(
            f"{path.name}, which cannot be read ({type(error).__name__}: {error})",
            required="a record of a sweep",
            advice=f"{_command(one, 'published', protocol)} --replace",
        ) from None
    if not made.get("commit"):
        raise RecordError(
            f"{path.name}, which names no commit",
            required="the commit whose code computed its trials",
            why="nobody could run it again, and no history would show that its rule is older than its trials",
            advice=f"{_command(one, profile, protocol)} --stored, at that commit and with the store of the trials",
        )
    asked = _keys(one, profile, protocol)
    if not sound or keys != [key for name, part in asked.items() if name not in missing for key in part]:
        raise RecordError(
            f"{path.name} is STALE",
            required="the trials of the sweep as it stands today",
            advice=_command(one, profile, protocol),
        )
    return SweepRecord(one, protocol, profile, trials, missing, made, unfinished)


@kept_while_unchanged  # a claim reads it at every point, and most of the time went into the keys
def _contents(path: Path) -> tuple[str, dict[str, int], tuple[Trial, ...], tuple[Trial, ...], list[str], Any, bool]:
    """Profile, missing arms, trials, unfinished ones, keys of the trials, provenance, and whether it is our schema."""
    data = json.loads(path.read_text(encoding="utf-8"))
    trials, unfinished = (tuple(_read(t) for t in data.get(name, ())) for name in ("trials", "unfinished"))
    return (
        str(data["profile"]), dict(data.get("missing", {})), trials, unfinished, [trial_key(t.spec) for t in trials],
        data["provenance"], data["schema"] == SCHEMA,
    )  # fmt: skip


@lru_cache(maxsize=64)  # a sweep whose file changes is loaded again, with other functions: another sweep
def _keys(one: Sweep, profile: str, protocol: str) -> dict[str, list[str]]:
    """The keys of the trials that a sweep asks for today, by arm."""
    arms = one.arms(profile, protocol)
    return {name: [trial_key(spec) for group in groups for spec in group] for name, groups in arms.items()}


@checked
def recorded(check: str | Path, name: str, protocol: str = "corrected") -> SweepRecord:
    """Return the record of a sweep that a check reads.

    The user's record stands before that of an installed package (:mod:`theorytools.places`).

    Parameters
    ----------
    check : the ``__file__`` of the check.
    name : the name of the sweep.
    protocol : the protocol of its training runs.

    Returns
    -------
    SweepRecord : its trials and settings.

    Raises
    ------
    RecordError : there is none, it is STALE, or it is of the profile smoke, which tries the program.

    Examples
    --------
    >>> from theorytools.claims.papers.catalogue import find_roots
    >>> recorded(find_roots()[0] / "qstr" / "figure_01" / "figure_01.py", "figure_01a").profile
    'published'
    """
    one = sweep_of(check, name)
    record = read_record(record_file(paper_folder(Path(check)), f"sweeps/{name}.{protocol}.json"), one, protocol)
    if record.profile == "smoke":
        raise RecordError(
            f"a record of {name} of the profile smoke",
            required="the trials that the claim reads",
            why="the smoke profile tries the program and holds too few trials for a claim",
            advice=_command(one, "published", protocol),
        )
    note(f"{name}.{protocol}", record.provenance)
    return record


def restore(folder: Path, one: Sweep, protocol: str, store: Store) -> int:
    """Take the trials of a record into a store that lacks them; return how many there were to take.

    The machine that made them is named in the record; each row says that it came from there.
    """
    path = record_file(folder, f"sweeps/{one.name}.{protocol}.json")
    record = read_record(path, one, protocol)
    lacking = [trial for trial in record.trials + record.unfinished if store.get(trial.spec) is None]
    made = {"from": path.name, "made": record.provenance.get("made", []), "commit": record.provenance.get("commit", "")}
    for trial in lacking:
        result = Result(trial.result, status=trial.status, provenance={})
        store.add(trial.spec, result, provenance=made, seconds=trial.seconds)
    return len(lacking)


def require_no_loss(path: Path, one: Sweep, profile: str, complete: Specs, unfinished: Specs = ()) -> None:
    """Refuse to replace the record at ``path``, if there is one, by one with these trials, where some would be lost.

    A trial is its whole specification: arm, size, repeat, protocol and every setting.  A trial of a complete arm is
    lost also where it would only be among the unfinished, which no claim reads.

    Raises
    ------
    DomainError : what would be lost, and how to keep it.
    """
    if not path.is_file():
        return
    try:
        old = json.loads(path.read_text(encoding="utf-8"))
        before, loose = ([t["spec"] for t in old.get(name, ())] for name in ("trials", "unfinished"))
        lost = _lost(before, loose, {trial_key(spec) for spec in complete}, {trial_key(spec) for spec in unfinished})
        was = f"{len(before) + len(loose)} trials, profile {old['profile']}"
    except (ValueError, LookupError, TypeError, AttributeError):
        raise DomainError(
            f"{path} in place of which a record would be written, and which cannot be read",
            required="a record", advice="look at it; --replace writes over it",
        ) from None  # fmt: skip
    if lost:
        raise DomainError(
            f"--record with profile {profile} over {path}, {was}",
            required="at least the trials of the record that is there",
            why=f"{sum(map(len, lost.values()))} of them would be lost: {_told(one, lost)}",
            advice="--from-record with the profile that holds them, --checks DIR for another place, "
            "or --replace to lose them",
        )  # fmt: skip


def _lost(before: Specs, loose: Specs, complete: set[str], unfinished: set[str]) -> dict[str, list[Mapping[str, Any]]]:
    """The trials that are there and would not be, by arm."""
    lost: dict[str, list[Mapping[str, Any]]] = {}
    for specs, kept in ((before, complete), (loose, complete | unfinished)):
        for spec in specs:
            if trial_key(spec) not in kept:
                lost.setdefault(arm(spec), []).append(spec)
    return lost


def _told(one: Sweep, lost: Mapping[str, list[Mapping[str, Any]]]) -> str:
    parts = []
    for name, specs in lost.items():
        cells = Counter(spec.get(one.size) if one.size else None for spec in specs)
        sizes = f" at {one.size} = {', '.join(map(str, cells))}" if set(cells) != {None} else ""
        parts.append(f"{len(specs)} of {name}{sizes}")
    return "; ".join(parts)
