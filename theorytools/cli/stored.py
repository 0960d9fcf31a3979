"""The ``verdicts/`` folder of a report: written as each claim is decided, and read by whoever asks again."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from theorytools.claims.judging.committed_record import checks_digest, read_committed
from theorytools.claims.judging.content_digest import sealed
from theorytools.claims.judging.inputs import ImportTable, inputs_digest
from theorytools.claims.language import TIERS
from theorytools.claims.papers.catalogue import Catalogue, Entry
from theorytools.content_cache import keep
from theorytools.errors import DomainError, FolderError, TheoryError
from theorytools.files import canonical, if_possible, json_text, unreadable
from theorytools.machine_key import is_sealed, seal
from theorytools.reporting.cpu import committed_seconds, seconds_in
from theorytools.reporting.manifest import ReportFolder, digest, is_digest
from theorytools.reporting.stored_verdicts import NAME, StoredVerdicts, name_of, say_left
from theorytools.reporting.told import few, shown

Verdict = Mapping[str, Any]
WRITTEN, TIMES, RENDERED = "written.json", "times.json", "rendered"
ASIDE = "before"  # how the user's own file is called that lay where a verdict is written
# What the pages show of a folder of checks beside its verdicts: papers, notes, trained runs, diagrams.
SHOWN = ("*/*.toml", "*/records/**/*.json", "*/phase/*.py")
# What they show of the examples beside the checks: their disputes, whose rows are stale where a check changed.
EXAMPLES = ("examples/*/reports/finds.json", "examples/*/checks/*/*.toml", "examples/*/checks/*/*.py")


class Store:
    """The stored verdicts of one report folder.

    Parameters
    ----------
    folder : the report's folder; nothing is made before :meth:`prepare`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.path, self.place = folder, folder / "verdicts", ReportFolder(folder)
        self._inputs: dict[tuple[str, bool], str] = {}
        self._times: dict[str, float] = {}
        self._written: dict[str, str] = {}  # digests of the files of this run, by name
        self._reused: set[str] = set()
        self._before: dict[str, str] | None = None  # the list of earlier runs, as this one found it
        self.unkept = ""  # why verdicts of this run are not kept, where it could not write them
        self.table = ImportTable()
        self.verdicts = StoredVerdicts(self.place, self.table)

    def prepare(self, catalogue: Catalogue) -> None:
        """Make the folder; ``FolderError`` where it cannot be written to, ``DomainError`` where it is another's.

        A folder made from other checks, which are still there, is refused: their pages would be mixed with these; and
        so is one whose ``index.html`` nothing here has written, and one with links inside.  What a killed run left
        half-written is removed.
        """
        keys = [paper.key for paper in catalogue.readable]
        self.place.refuse_links_in(keys)
        origin = str(catalogue.roots[0])
        made = str(self.place.origin().get("checks", ""))
        if made and made != origin and Path(made).is_dir():
            raise DomainError(
                f"the folder {self.folder}, made from the checks in {shown(made)}",
                required=f"a folder of {origin}, or a new one",
                why="a report and its stored verdicts are of one folder of checks",
                advice="--report FOLDER names another",
            )
        known = "index.html" in self.place.listed() or self.place.is_front()
        if (self.folder / "index.html").is_file() and not known:
            raise DomainError(
                f"the folder {self.folder}, which holds an index.html that is not of a report",
                required="a folder of a report, or a new one",
                why="the report's front page has that name",
                advice="--report FOLDER names another folder; or move that file away",
            )
        probe = f"verdicts/.{secrets.token_hex(6)}.writable"
        self.place.write({probe: ""})
        self.place.remove(probe)
        self.place.remove_halves(keys)

    def inputs(self, entry: Entry, *, record: bool) -> str:
        """Return today's digest of what the verdict of an entry depends on."""
        key = (entry.id, record)
        if key not in self._inputs:
            self._inputs[key] = inputs_digest(entry, self.table, record=record)
        return self._inputs[key]

    def look(self, work: Collection[tuple[Entry, Mapping[str, Any]]]) -> None:
        """Read everything that these verdicts will depend on, before they are judged: what changes later is later.

        What lies where they will be written, and is the user's, is said before anything is judged.
        """
        self._say_moved(work)
        for entry, _ in work:
            if not entry.error:
                with contextlib.suppress(SyntaxError, ValueError, OSError):  # such a check cannot be judged either
                    self.inputs(entry, record=False)

    def hints(self, catalogue: Catalogue) -> dict[str, float]:
        """Return how many seconds of processor time each claim took when it was judged last, as far as known.

        Of a claim that was never judged for this folder it is the time in the committed table beside its checks.
        """
        return {**committed_seconds(catalogue.roots), **self._known_seconds()}

    def _known_seconds(self) -> dict[str, float]:
        """What the claims took that were judged for this folder, as far as its table can be read."""
        try:
            return seconds_in(self.place.json(TIMES))
        except (OSError, ValueError, DomainError):
            return {}

    def keep(self, entry: Entry, verdict: Verdict) -> Verdict:
        """Store one verdict under its id, and its axes where they are a user's; return it sealed.

        Where it cannot be written it is returned all the same, and :attr:`unkept` says why.
        """
        inputs = self.inputs(entry, record="record" in verdict)
        whole = sealed({**verdict, "inputs": inputs, "check_files": self.table.check_files(entry.path)})
        text = json_text(whole) + "\n"
        name = name_of(whole)
        try:
            self._make_room(name)
            self.place.write({f"verdicts/{name}": text})
            self._written[name] = digest(text)
        except (FolderError, OSError) as error:
            self.not_kept(error)
        if not whole["user_points"]:
            self._times[entry.id] = whole["cpu"]["seconds"]
        return whole

    def _say_moved(self, work: Iterable[tuple[Entry, Mapping[str, Any]]]) -> None:
        """Say in one line, before anything is judged, which files of the user's lie where verdicts will be written.

        They are kept: each is given another name beside its own.
        """
        found = [name for name in (f"{entry.id}.json" for entry, at in work if not at) if self._is_users(name)]
        if found:
            sys.stderr.write(
                f"in {self.path} no run wrote {few(found)}: kept as NAME.{ASIDE}, verdicts take the place\n"
            )

    def _is_users(self, name: str) -> bool:
        """Whether there is a file that no run has written: neither listed as it is, nor a verdict of a run cut off."""
        if self._before is None:
            self._before = self._listed()
        known = self._written.get(name) or self._before.get(name, "")
        if not os.path.lexists(self.path / name) or self.place.holds(f"verdicts/{name}", known):
            return False
        verdict, said = self.verdicts.read(name)
        return verdict is None and bool(said)

    def _make_room(self, name: str) -> None:
        """Give a file of the user's another name, which is free."""
        if self._is_users(name):
            there = set(self.place.names("verdicts"))
            tried = (f"{name}.{ASIDE}{k or ''}" for k in range(len(there) + 1))
            self.place.move(f"verdicts/{name}", next(free for free in tried if free not in there))

    def _of_the_grid(self) -> Iterator[Verdict]:
        """The sound verdicts that are not at a user's points."""
        found = (self.verdicts.read(name)[0] for name in self.verdicts.names() if "@" not in name)
        return (verdict for verdict in found if verdict is not None)

    def not_kept(self, error: TheoryError | OSError) -> None:
        """Say once that what is judged from now on is told and not kept, and why."""
        if not self.unkept:
            self.unkept = error.given if isinstance(error, TheoryError) else str(error)
            sys.stderr.write(f"judged, but not kept by the next run nor shown on pages: {self.unkept}\n")

    def finish(self, catalogue: Catalogue) -> None:
        """Keep what claims took, and what was read, for the next run; remove the verdicts of claims that are gone."""
        keep()
        if self._times or not (self.folder / TIMES).is_file():
            known = self._known_seconds() or {v["id"]: v["cpu"]["seconds"] for v in self._of_the_grid()}
            self._put(TIMES, {**known, **self._times})
        gone = self.gone(catalogue)
        for path in gone:
            self.place.remove(f"verdicts/{path.name}")
        self._list({path.name for path in gone})

    def gone(self, catalogue: Catalogue) -> list[Path]:
        """Return the files of verdicts whose claims are no longer in the checks, where they are as they were written.

        Files that nothing here has written, or that somebody has changed since, are that person's.
        """
        listed, ids = self._listed(), {e.id for e in catalogue.entries}
        keys = {paper.key for paper in catalogue.readable}
        named = [(name, name.removesuffix(".json").partition("@")[0]) for name in listed]
        old = [name for name, id in named if id.partition(".")[0] in keys and id not in ids]
        return [self.path / name for name in old if self.place.holds(f"verdicts/{name}", listed[name])]

    def _listed(self) -> dict[str, str]:
        """The digests of the verdicts' files that runs on this machine wrote, by name, where the list can be read."""
        try:
            told = self.place.json(WRITTEN)
            files = told["files"] if is_sealed(canonical(told["files"]), told["seal"]) else {}
            return {name: known for name, known in files.items() if NAME.fullmatch(name) and is_digest(known)}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, DomainError):
            return {}

    def _list(self, gone: set[str]) -> None:
        """Write the list: what stood in it, what this run wrote, and the verdicts that it took from a run cut off."""
        before = self._listed()
        there = set(self.place.names("verdicts"))
        taken = {
            name: hashlib.sha256(self.place.read(f"verdicts/{name}")).hexdigest()
            for name in self._reused & there
            if name not in before
        }
        now = {name: known for name, known in {**before, **taken, **self._written}.items() if name in there - gone}
        if now != before:
            files = dict(sorted(now.items()))
            self._put(WRITTEN, {"files": files, "seal": seal(canonical(files))}, indent=1)

    def _put(self, name: str, data: Any, indent: int | None = None) -> None:
        """Write a file that saves work and can be made again; where that fails, one line says so."""
        with if_possible(self.folder / name):
            self.place.write({name: json_text(data, indent=indent) + "\n"})

    def reusable(self, work: Iterable[tuple[Entry, Mapping[str, Any]]], tier: str) -> dict[str, Verdict]:
        """Return the stored verdicts that would come out the same.

        Everything that they depend on is unchanged, the file is as it was written, and its outcome follows from its
        intervals; anything else is judged again.
        """
        kept: dict[str, Verdict] = {}
        for entry, at in work:
            name = f"{entry.id}.json"
            found = None if at or entry.error else self.verdicts.read(name)[0]
            if found is None or "stale" in found or found.get("tier") not in TIERS or not self._unchanged(entry, found):
                continue
            if (TIERS.index(found["tier"]) <= TIERS.index(tier)) is not ("record" in found):
                kept[entry.id] = found
                self._reused.add(name)
        keep()
        return kept

    def _unchanged(self, entry: Entry, verdict: Verdict) -> bool:
        try:
            return bool(verdict.get("inputs") == self.inputs(entry, record="record" in verdict))
        except (SyntaxError, ValueError, OSError):  # a neighbour that it imports cannot be read
            return False

    def _reuses(self, entry: Entry, verdict: Verdict) -> bool:
        """Whether a run takes the verdict as it is: its file may have changed in what the claim does not use."""
        return not verdict["user_points"] and "stale" not in verdict and self._unchanged(entry, verdict)

    def _same_files(self, entry: Entry, verdict: Verdict) -> bool:
        try:
            return bool(verdict.get("check_files") == self.table.check_files(entry.path))
        except (SyntaxError, ValueError, OSError):
            return False

    def _same_check(self, entry: Entry, verdict: Verdict) -> bool:
        try:
            return bool(verdict["source"]["sha256"] == self.table.fingerprint(entry.path))
        except (SyntaxError, ValueError, LookupError, OSError):
            return False

    def _of_these_checks(self, entry: Entry, verdict: Verdict) -> bool:
        return verdict["committed"].get("unchanged") is True or self._same_check(entry, verdict)

    def _state(self, roots: Iterable[str]) -> str:
        found = list[Path]()
        for root in map(Path, roots):
            found += [*(root.parent / "reports").glob("*.json"), *(path for part in SHOWN for path in root.glob(part))]
            found += [path for part in EXAMPLES for path in root.parent.glob(part)]
        stamps = [(path, path.stat()) for path in found]
        stamps += [(path, path.lstat()) for path in (self.path / name for name in self.place.names("verdicts"))]
        named = sorted((str(path), stamp.st_size, stamp.st_mtime_ns) for path, stamp in stamps)
        return hashlib.sha256(repr(named).encode()).hexdigest()

    @property
    def rendered(self) -> bool:
        """Whether the report shows what there is: nothing was stored since, nor recorded beside the checks."""
        try:
            stamp = self.place.json(RENDERED)
            roots, state = stamp["roots"], stamp["state"]
            if not is_sealed(json_text([roots, state]), stamp["seal"]):  # before anything is looked at that it names
                return False
            return (self.folder / "index.html").is_file() and bool(state == self._state(roots))
        except (OSError, ValueError, TypeError, LookupError, DomainError):
            return False

    def mark_rendered(self, catalogue: Catalogue) -> None:
        """Remember that the report shows what there is now: by names, sizes and times of files."""
        roots = [str(root) for root in catalogue.roots]
        state = self._state(roots)
        self._put(RENDERED, {"roots": roots, "state": state, "seal": seal(json_text([roots, state]))})
        keep()

    def current(self, catalogue: Catalogue) -> tuple[list[Verdict], list[str]]:
        """Return the verdicts of the checks as they are, in their order, and the ids of claims changed since.

        A claim without a stored verdict has that of the committed record, where there is one.  Files of other names
        than verdicts have here, such as copies, are the user's and are left out; one line on standard error says so.
        """
        entries = {e.id: e for e in catalogue.entries if not e.error}
        order = {id: k for k, id in enumerate(entries)}
        kept: list[Verdict] = []
        outdated, grids, strange = set(), set(), list[tuple[str, str]]()
        for name in self.verdicts.names():
            verdict, said = self.verdicts.read(name)
            if verdict is None:
                strange += [(name, said)] if said else []
                continue
            entry = entries.get(verdict["id"])
            if entry is None:
                continue
            if self._same_files(entry, verdict) or self._same_check(entry, verdict) or self._reuses(entry, verdict):
                kept.append(verdict)
                grids |= set() if verdict["user_points"] else {entry.id}
            elif not verdict["user_points"]:
                outdated.add(entry.id)
        say_left(self.path, strange)
        papers = {*catalogue.own_papers, *(v["source"]["paper"] for v in kept)}
        for id, old in committed(catalogue, papers).items():
            if id in entries and id not in grids and self._of_these_checks(entries[id], old):
                kept.append(old)
        return sorted(kept, key=lambda v: (order[v["id"]], v["user_points"], v.get("command", ""))), sorted(outdated)


def committed(catalogue: Catalogue, papers: Iterable[str]) -> dict[str, Verdict]:
    """Return the verdicts of the committed records of these papers, ``reports/<paper>.json`` beside their checks."""
    found: dict[str, Verdict] = {}
    wanted = set(papers)
    for paper in (p for p in catalogue.readable if p.key in wanted):
        path = paper.folder.parent.parent / "reports" / f"{paper.key}.json"
        if paper.folder.parent.name == "checks" and path.is_file():
            digest = checks_digest(paper.folder)
            try:
                known = read_committed(path)
            except DomainError as error:
                unreadable(path, error)
                continue
            for id, verdict in known.items():
                made = {**verdict["committed"], "unchanged": verdict["committed"].get("checks") == digest}
                found[id] = {**verdict, "committed": made, "record": made}
    return found
