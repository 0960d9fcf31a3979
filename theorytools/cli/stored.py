"""The ``verdicts/`` folder of a report: written as each claim is decided, and read by whoever asks again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from theorytools.claims.judging.compact import checks_digest, read_committed
from theorytools.claims.judging.inputs import ImportTable, inputs_digest
from theorytools.claims.judging.sealed import contradiction, intact, read_verdict, sealed, stored_verdicts
from theorytools.claims.language import TIERS
from theorytools.claims.papers.catalogue import Catalogue, Entry, fingerprint
from theorytools.errors import DomainError
from theorytools.files import remove_parts, write_json, write_text
from theorytools.kept import Kept, content, keep
from theorytools.reporting import folder as manifest

Verdict = Mapping[str, Any]
SEALED = Path(sealed.__code__.co_filename)
_SOUND = Kept("sound", [__file__])
# What the pages show of a folder of checks beside its verdicts: papers, notes, trained runs, diagrams.
SHOWN = ("*/*.toml", "*/records/**/*.json", "*/phase/*.py")


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
        self.table = ImportTable()
        self._judge = ""

    def prepare(self, catalogue: Catalogue) -> None:
        """Make the folder; ``FolderError`` where it cannot be written to, ``DomainError`` where it is another's.

        A folder made from other checks, which are still there, is refused: their pages would be mixed with these; and
        so is one whose ``index.html`` nothing here has written.  What a killed run left half-written is removed.
        """
        origin = str(catalogue.roots[0])
        try:
            made = json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))["origin"].get("checks", "")
        except (OSError, ValueError, LookupError, AttributeError):
            made = ""
        if made and made != origin and Path(made).is_dir():
            raise DomainError(
                f"the folder {self.folder}, made from the checks in {made}",
                required=f"a folder of {origin}, or a new one",
                why="a report and its stored verdicts are of one folder of checks",
                advice="--report FOLDER names another",
            )
        if (self.folder / "index.html").is_file() and "index.html" not in manifest.read_manifest(self.folder):
            raise DomainError(
                f"the folder {self.folder}, which holds an index.html that is not of a report",
                required="a folder of a report, or a new one",
                why="the report's front page has that name",
                advice="--report FOLDER names another folder; or move that file away",
            )
        write_text(self.path / ".writable", "")
        (self.path / ".writable").unlink()
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

    def hints(self) -> dict[str, float]:
        """Return how many seconds of processor time each claim took when it was judged last, as far as known."""
        try:
            times = json.loads((self.folder / "times.json").read_text(encoding="utf-8"))
            return {str(id): float(seconds) for id, seconds in times.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def keep(self, entry: Entry, verdict: Verdict) -> Verdict:
        """Store one verdict under its id, and its axes where they are a user's; return it sealed."""
        inputs = self.inputs(entry, record="record" in verdict)
        whole = sealed({**verdict, "inputs": inputs, "check_files": self.table.check_files(entry.path)})
        write_json(self.path / _name(whole), whole)
        if not whole["user_points"]:
            self._times[entry.id] = whole["cpu"]["seconds"]
        return whole

    def finish(self, catalogue: Catalogue) -> None:
        """Keep what claims took, and what was read, for the next run; remove the verdicts of claims that are gone."""
        keep()
        if self._times or not (self.folder / "times.json").is_file():
            known = self.hints() or {id: v["cpu"]["seconds"] for id, v in stored_verdicts(self.path).items()}
            write_json(self.folder / "times.json", {**known, **self._times})
        for path in self.gone(catalogue):
            path.unlink(missing_ok=True)

    def gone(self, catalogue: Catalogue) -> list[Path]:
        """Return the files of verdicts whose claims are no longer in the checks."""
        ids, keys = {e.id for e in catalogue.entries}, {paper.key for paper in catalogue.readable}
        named = [(path, path.name.removesuffix(".json").partition("@")[0]) for path in self.path.glob("*.json")]
        return [path for path, id in named if id.partition(".")[0] in keys and id not in ids]

    def reusable(self, work: Iterable[tuple[Entry, Mapping[str, Any]]], tier: str) -> dict[str, Verdict]:
        """Return the stored verdicts that would come out the same.

        Everything that they depend on is unchanged, the file is as it was written, and its outcome follows from its
        intervals; anything else is judged again.
        """
        kept: dict[str, Verdict] = {}
        for entry, at in work:
            found = None if at or entry.error else read_verdict(self.path / f"{entry.id}.json")
            if found is None or "stale" in found or found.get("id") != entry.id:
                continue
            if found.get("tier") not in TIERS or not self._unchanged(entry, found) or not self._sound(entry, found):
                continue
            if (TIERS.index(found["tier"]) <= TIERS.index(tier)) is not ("record" in found):
                kept[entry.id] = found
        keep()
        return kept

    def _sound(self, entry: Entry, verdict: Verdict) -> bool:
        """Whether a verdict follows from its rows; of the same bytes, by the same code, it is concluded once."""
        if not self._judge:
            nodes = [n for name in ("contradiction", "intact") for n in self.table.reached.named(SEALED, name)]
            self._judge = hashlib.sha256("\n".join(sorted(self.table.reached.of(nodes))).encode()).hexdigest()
        key = f"{content(self.path / f'{entry.id}.json')} {self._judge}"
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

    def _state(self, roots: Iterable[str]) -> str:
        found = [Path(file) for file in os.scandir(self.path)]
        for root in map(Path, roots):
            found += [*(root.parent / "reports").glob("*.json"), *(path for part in SHOWN for path in root.glob(part))]
        named = sorted((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in found)
        return hashlib.sha256(repr(named).encode()).hexdigest()

    @property
    def rendered(self) -> bool:
        """Whether the report shows what there is: nothing was stored since, nor recorded beside the checks."""
        try:
            stamp = json.loads((self.folder / "rendered").read_text(encoding="utf-8"))
            return (self.folder / "index.html").is_file() and stamp["state"] == self._state(stamp["roots"])
        except (OSError, ValueError, TypeError, KeyError):
            return False

    def mark_rendered(self, catalogue: Catalogue) -> None:
        """Remember that the report shows what there is now: by names, sizes and times of files."""
        roots = [str(root) for root in catalogue.roots]
        write_json(self.folder / "rendered", {"roots": roots, "state": self._state(roots)})
        keep()

    def current(self, catalogue: Catalogue) -> tuple[list[Verdict], list[str]]:
        """Return the verdicts of the checks as they are, in their order, and the ids of claims changed since.

        A claim without a stored verdict has that of the committed record, where there is one.
        """
        entries = {e.id: e for e in catalogue.entries if not e.error}
        order = {id: k for k, id in enumerate(entries)}
        kept: list[Verdict] = []
        outdated, grids = set(), set()
        for path in sorted(self.path.glob("*.json")):
            verdict = read_verdict(path)
            entry = entries.get(verdict["id"]) if verdict else None
            if verdict is None or entry is None or not intact(verdict):
                continue
            if self._same_files(entry, verdict) or _same_check(entry, verdict):
                kept.append(verdict)
                grids |= set() if verdict["user_points"] else {entry.id}
            elif not verdict["user_points"]:
                outdated.add(entry.id)
        papers = {*catalogue.own_papers, *(v["source"]["paper"] for v in kept)}
        for id, old in committed(catalogue, papers).items():
            if id in entries and id not in grids and _of_these_checks(entries[id], old):
                kept.append(old)
        return sorted(kept, key=lambda v: (order[v["id"]], v["user_points"], v.get("command", ""))), sorted(outdated)


def _name(verdict: Verdict) -> str:
    point = ",".join(verdict["command"].split(" --at ")[1:]).replace("/", "over")
    return f"{verdict['id']}{'@' + point if point else ''}.json"


def _sound(verdict: Verdict) -> bool:
    try:
        return intact(verdict) and not contradiction(verdict)
    except (ValueError, LookupError, TypeError, AttributeError):
        return False


def _same_check(entry: Entry, verdict: Verdict) -> bool:
    try:
        return bool(verdict["source"]["sha256"] == fingerprint(entry.path))
    except (SyntaxError, ValueError, LookupError, OSError):
        return False


def _of_these_checks(entry: Entry, verdict: Verdict) -> bool:
    return verdict["committed"].get("unchanged") is True or _same_check(entry, verdict)


def committed(catalogue: Catalogue, papers: Iterable[str]) -> dict[str, Verdict]:
    """Return the verdicts of the committed records of these papers, ``reports/<paper>.json`` beside their checks."""
    found: dict[str, Verdict] = {}
    wanted = set(papers)
    for paper in (p for p in catalogue.readable if p.key in wanted):
        path = paper.folder.parent.parent / "reports" / f"{paper.key}.json"
        if paper.folder.parent.name == "checks" and path.is_file():
            digest = checks_digest(paper.folder)
            for id, verdict in read_committed(path).items():
                made = {**verdict["committed"], "unchanged": verdict["committed"].get("checks") == digest}
                found[id] = {**verdict, "committed": made, "record": made}
    return found


def bench_tables(catalogue: Catalogue) -> dict[str, list[list[str]]]:
    """Return the tables of the newest record of a bench of false theorems, ``reports/bench-v*.json`` beside checks."""
    from theorytools.bench.record import frozen, tables

    for root in catalogue.roots:
        record = frozen(root.parent / "reports") if root.name == "checks" else None
        if record is not None:
            return tables(record)
    return {}
