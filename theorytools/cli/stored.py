"""The ``verdicts/`` folder of a report: written as each claim is decided, and read by whoever asks again."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.judging.committed_record import checks_digest, read_committed
from theorytools.claims.judging.content_digest import contradiction, intact, read_verdict, sealed, stored_verdicts
from theorytools.claims.judging.inputs import ImportTable, inputs_digest
from theorytools.claims.language import TIERS
from theorytools.claims.papers.catalogue import Catalogue, Entry
from theorytools.content_cache import Kept, content, keep
from theorytools.errors import DomainError, FolderError, TheoryError
from theorytools.files import if_possible, json_text, read_json, remove_parts, unreadable, write_json, write_text
from theorytools.reporting import manifest
from theorytools.reporting.cpu import committed_seconds, seconds_by_claim

Verdict = Mapping[str, Any]
WRITTEN = "written.json"
_FILE = re.compile(r"[^./\\:\0][^/\\:\0]*\.json")
SEALED = Path(sealed.__code__.co_filename)
_SOUND = Kept("sound", [__file__])
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
        self.folder, self.path = folder, folder / "verdicts"
        self._inputs: dict[tuple[str, bool], str] = {}
        self._times: dict[str, float] = {}
        self._written: dict[str, str] = {}  # digests of the files of this run, by name
        self._reused: set[str] = set()
        self._trusted: set[Path] = set()  # files that this run has written
        self.unkept = ""  # why verdicts of this run are not kept, where it could not write them
        self.table = ImportTable()
        self._judge = ""

    def prepare(self, catalogue: Catalogue) -> None:
        """Make the folder; ``FolderError`` where it cannot be written to, ``DomainError`` where it is another's.

        A folder made from other checks, which are still there, is refused: their pages would be mixed with these; and
        so is one whose ``index.html`` nothing here has written, and one with links inside.  What a killed run left
        half-written is removed.
        """
        manifest.refuse_links_in(self.folder, [paper.key for paper in catalogue.readable])
        origin = str(catalogue.roots[0])
        try:
            made = str(read_json(self.folder / manifest.NAME)["origin"].get("checks", ""))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            made = ""
        if made and made != origin and Path(made).is_dir():
            raise DomainError(
                f"the folder {self.folder}, made from the checks in {made}",
                required=f"a folder of {origin}, or a new one",
                why="a report and its stored verdicts are of one folder of checks",
                advice="--report FOLDER names another",
            )
        known = "index.html" in manifest.read_manifest(self.folder) or manifest.is_front(self.folder)
        if (self.folder / "index.html").is_file() and not known:
            raise DomainError(
                f"the folder {self.folder}, which holds an index.html that is not of a report",
                required="a folder of a report, or a new one",
                why="the report's front page has that name",
                advice="--report FOLDER names another folder; or move that file away",
            )
        probe = self.path / f".{secrets.token_hex(6)}.writable"
        write_text(probe, "")
        probe.unlink()
        remove_parts(self.folder)

    def inputs(self, entry: Entry, *, record: bool) -> str:
        """Return today's digest of what the verdict of an entry depends on."""
        key = (entry.id, record)
        if key not in self._inputs:
            self._inputs[key] = inputs_digest(entry, self.table, record=record)
        return self._inputs[key]

    def look(self, work: Iterable[tuple[Entry, Mapping[str, Any]]]) -> None:
        """Read everything that these verdicts will depend on, before they are judged: what changes later is later."""
        for entry, _ in work:
            if not entry.error:
                with contextlib.suppress(SyntaxError, ValueError, OSError):  # such a check cannot be judged either
                    self.inputs(entry, record=False)

    def hints(self, catalogue: Catalogue) -> dict[str, float]:
        """Return how many seconds of processor time each claim took when it was judged last, as far as known.

        Of a claim that was never judged for this folder it is the time in the committed table beside its checks.
        """
        return {**committed_seconds(catalogue.roots), **seconds_by_claim(self.folder / "times.json")}

    def keep(self, entry: Entry, verdict: Verdict) -> Verdict:
        """Store one verdict under its id, and its axes where they are a user's; return it sealed.

        Where it cannot be written it is returned all the same, and :attr:`unkept` says why.
        """
        inputs = self.inputs(entry, record="record" in verdict)
        whole = sealed({**verdict, "inputs": inputs, "check_files": self.table.check_files(entry.path)})
        text = json_text(whole) + "\n"
        try:
            write_text(self.path / _name(whole), text)
            self._written[_name(whole)] = manifest.digest(text)
            self._trusted.add(self.path / _name(whole))
        except FolderError as error:
            self.not_kept(error)
        if not whole["user_points"]:
            self._times[entry.id] = whole["cpu"]["seconds"]
        return whole

    def not_kept(self, error: TheoryError) -> None:
        """Say once that what is judged from now on is told and not kept, and why."""
        if not self.unkept:
            self.unkept = error.given
            sys.stderr.write(f"judged, but not kept by the next run nor shown on pages: {error.given}\n")

    def finish(self, catalogue: Catalogue) -> None:
        """Keep what claims took, and what was read, for the next run; remove the verdicts of claims that are gone."""
        keep()
        if self._times or not (self.folder / "times.json").is_file():
            known = seconds_by_claim(self.folder / "times.json") or {
                id: v["cpu"]["seconds"] for id, v in stored_verdicts(self.path).items()
            }
            with if_possible(self.folder / "times.json"):
                write_json(self.folder / "times.json", {**known, **self._times})
        gone = self.gone(catalogue)
        for path in gone:
            path.unlink(missing_ok=True)
        self._list({path.name for path in gone})

    def gone(self, catalogue: Catalogue) -> list[Path]:
        """Return the files of verdicts whose claims are no longer in the checks, where they are as they were written.

        Files that nothing here has written, or that somebody has changed since, are that person's.
        """
        listed, ids = self._listed(), {e.id for e in catalogue.entries}
        keys = {paper.key for paper in catalogue.readable}
        named = [(name, name.removesuffix(".json").partition("@")[0]) for name in listed]
        old = [name for name, id in named if id.partition(".")[0] in keys and id not in ids]
        return [self.path / name for name in old if manifest.unchanged(self.path, name, listed[name])]

    def _listed(self) -> dict[str, str]:
        """The digests of the verdicts' files that runs have written here, by name, as far as the list can be read."""
        try:
            files = read_json(self.folder / WRITTEN)["files"]
            return {name: known for name, known in files.items() if _FILE.fullmatch(name) and manifest.is_digest(known)}
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return {}

    def _list(self, gone: set[str]) -> None:
        """Write the list: what stood in it, what this run wrote, and the verdicts that it took from a run cut off."""
        before = self._listed()
        there = set(os.listdir(self.path))
        taken = {
            name: hashlib.sha256((self.path / name).read_bytes()).hexdigest()
            for name in self._reused & there
            if name not in before
        }
        now = {name: known for name, known in {**before, **taken, **self._written}.items() if name in there - gone}
        if now != before:
            with if_possible(self.folder / WRITTEN):
                write_json(self.folder / WRITTEN, {"files": dict(sorted(now.items()))}, indent=1)

    def reusable(self, work: Iterable[tuple[Entry, Mapping[str, Any]]], tier: str) -> dict[str, Verdict]:
        """Return the stored verdicts that would come out the same.

        Everything that they depend on is unchanged, the file is as it was written, and its outcome follows from its
        intervals; anything else is judged again.
        """
        kept: dict[str, Verdict] = {}
        for entry, at in work:
            path = self.path / f"{entry.id}.json"
            found = None if at or entry.error else read_verdict(path)
            if found is None or "stale" in found or found.get("id") != entry.id:
                continue
            if found.get("tier") not in TIERS or not self._unchanged(entry, found) or not self._sound(path, found):
                continue
            if (TIERS.index(found["tier"]) <= TIERS.index(tier)) is not ("record" in found):
                kept[entry.id] = found
                self._reused.add(path.name)
        keep()
        return kept

    def _sound(self, path: Path, verdict: Verdict) -> bool:
        """Whether a verdict follows from its rows; of the same bytes, by the same code, it is concluded once."""
        if not self._judge:
            nodes = [n for name in ("contradiction", "intact") for n in self.table.reached.named(SEALED, name)]
            self._judge = hashlib.sha256("\n".join(sorted(self.table.reached.of(nodes))).encode()).hexdigest()
        key = f"{content(path)} {self._judge}"
        return bool(_SOUND.get(hashlib.sha256(key.encode()).hexdigest(), lambda: _sound(verdict)))

    def _unchanged(self, entry: Entry, verdict: Verdict) -> bool:
        try:
            return bool(verdict.get("inputs") == self.inputs(entry, record="record" in verdict))
        except (SyntaxError, ValueError, OSError):  # a neighbour that it imports cannot be read
            return False

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
        found = [Path(file) for file in os.scandir(self.path)]
        for root in map(Path, roots):
            found += [*(root.parent / "reports").glob("*.json"), *(path for part in SHOWN for path in root.glob(part))]
            found += [path for part in EXAMPLES for path in root.parent.glob(part)]
        named = sorted((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in found)
        return hashlib.sha256(repr(named).encode()).hexdigest()

    @property
    def rendered(self) -> bool:
        """Whether the report shows what there is: nothing was stored since, nor recorded beside the checks."""
        try:
            stamp = read_json(self.folder / "rendered")
            return (self.folder / "index.html").is_file() and stamp["state"] == self._state(stamp["roots"])
        except (OSError, ValueError, TypeError, KeyError):
            return False

    def mark_rendered(self, catalogue: Catalogue) -> None:
        """Remember that the report shows what there is now: by names, sizes and times of files."""
        roots = [str(root) for root in catalogue.roots]
        with if_possible(self.folder / "rendered"):
            write_json(self.folder / "rendered", {"roots": roots, "state": self._state(roots)})
        keep()

    def current(self, catalogue: Catalogue) -> tuple[list[Verdict], list[str]]:
        """Return the verdicts of the checks as they are, in their order, and the ids of claims changed since.

        A claim without a stored verdict has that of the committed record, where there is one.  Files of other names
        than verdicts have here, such as copies, are the user's and are left out; one line on standard error says so.
        """
        entries = {e.id: e for e in catalogue.entries if not e.error}
        order = {id: k for k, id in enumerate(entries)}
        kept: list[Verdict] = []
        outdated, grids, strange = set(), set(), list[str]()
        for path in sorted(self.path.glob("*.json")):
            verdict = read_verdict(path)
            if verdict is None or not _named(path, verdict):
                strange.append(path.name)
                continue
            entry = entries.get(verdict["id"])
            if entry is None:
                continue
            if not (path in self._trusted or self._sound(path, verdict)):
                strange.append(path.name)
                continue
            if self._same_files(entry, verdict) or self._same_check(entry, verdict):
                kept.append(verdict)
                grids |= set() if verdict["user_points"] else {entry.id}
            elif not verdict["user_points"]:
                outdated.add(entry.id)
        _leave(self.path, strange)
        papers = {*catalogue.own_papers, *(v["source"]["paper"] for v in kept)}
        for id, old in committed(catalogue, papers).items():
            if id in entries and id not in grids and self._of_these_checks(entries[id], old):
                kept.append(old)
        return sorted(kept, key=lambda v: (order[v["id"]], v["user_points"], v.get("command", ""))), sorted(outdated)


def _name(verdict: Verdict) -> str:
    point = ",".join(verdict["command"].split(" --at ")[1:]).replace("/", "over")
    return f"{verdict['id']}{'@' + point if point else ''}.json"


def _named(path: Path, verdict: Verdict) -> bool:
    """Whether a verdict lies where a run puts it: a copy of another name is its user's."""
    try:
        return path.name == _name(verdict)
    except (LookupError, TypeError, AttributeError):
        return False


def _leave(folder: Path, strange: Sequence[str]) -> None:
    if strange:
        few = ", ".join(strange[:3]) + (f" and {len(strange) - 3} more" if len(strange) > 3 else "")
        sys.stderr.write(f"left alone in {folder}, no verdicts as a run writes them there: {few}\n")


def _sound(verdict: Verdict) -> bool:
    try:
        return intact(verdict) and not contradiction(verdict)
    except (ValueError, LookupError, TypeError, AttributeError):
        return False


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
