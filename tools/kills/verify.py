"""Kill ``theorytools verify``, one of its workers, or the writer of its report, and look for what is missing or torn.

It judges the library's own claims: those of the checks that take the least, some in a run, all of them in turn.
A verdict counts as acknowledged when its file is in its place.  Whenever a run was killed, the folder is looked
through from outside; then the command is started again, until a round ends by itself with the verdicts and the pages
of a run that nobody disturbed.
"""

import contextlib
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from theorytools.claims.papers.catalogue import Catalogue
from tools import ROOT, evidence
from tools.kills.sweeps import children, drawn, orphans, shares

VICTIMS = ("verify", "verify_worker", "report_writer")
FAULTS = ("lost", "torn", "missing", "different", "failed", "orphans")
LIGHT, TOGETHER = 0.15, 6  # processor seconds of all claims of a check, and checks of one run
VERDICTS, PAGES, WHOLE = "verdicts", ".html", "</html>"  # below the folder of a report
STABLE = ("id", "label", "outcome", "expect", "as_expected", "evidence", "power", "reason", "rows", "controls")
RUNS_PER_ROUND = 4
INSIDE = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}  # the library is that of this tree


def light(rng):
    """The checks of little work by the committed record of times, in groups of one run each, in an order of ``rng``."""
    took = json.loads((ROOT / "reports/cpu.json").read_text(encoding="utf-8"))["by_claim"]
    spent = Counter()
    for entry in Catalogue(ROOT / "checks").entries:
        spent[f"{entry.paper}.{entry.stem}"] += took.get(entry.id, LIGHT + 1)  # of which nothing is known yet
    chosen = sorted(name for name, seconds in spent.items() if seconds <= LIGHT)
    rng.shuffle(chosen)
    return [tuple(chosen[i : i + TOGETHER]) for i in range(0, len(chosen) - TOGETHER + 1, TOGETHER)]


def claims_in(checks):
    """The ids of the claims of some checks."""
    return [entry.id for entry in Catalogue(ROOT / "checks").select(checks)]


def started(folder, checks):
    """A run of ``verify`` over some checks in two workers, with its report in ``folder/report``."""
    words = ["verify", *checks, "--report", str(folder / "report"), "-j", "2"]
    command = [sys.executable, "-m", "theorytools", *words]
    with (folder / "said").open("wb") as said:  # a pipe would stay open for as long as an orphan lives
        return subprocess.Popen(command, cwd=folder, env=INSIDE, stdout=subprocess.DEVNULL, stderr=said)


def verdicts(folder):
    """The verdicts in their place, by file name: what does not depend on time, or None where the file is torn."""
    found = {}
    for path in sorted((folder / "report" / VERDICTS).glob("[!.]*.json")):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            found[path.name] = {key: data[key] for key in STABLE}
        except (ValueError, KeyError):
            found[path.name] = None
    return found


def pages(folder):
    """Every page and every other list in the report's folder, and whether it is whole."""
    found = {}
    for path in sorted((folder / "report").rglob("[!.]*")):
        name = path.relative_to(folder / "report").as_posix()
        if path.suffix == PAGES:
            found[name] = path.read_text(encoding="utf-8").rstrip().endswith(WHOLE) or "/" in name[: -len(path.name)]
        elif path.suffix == ".json" and path.parent == folder / "report":
            with contextlib.suppress(ValueError):
                found[name] = bool(json.loads(path.read_text(encoding="utf-8")))
            found.setdefault(name, False)
    return found


class Undisturbed:
    """One run that nobody disturbs: its exit code, verdicts and pages, and how long its two parts take."""

    def __init__(self, folder, checks):
        self.checks, self.claims = checks, len(claims_in(checks))
        begun, judged = time.monotonic(), None
        run = started(folder, checks)
        while run.poll() is None:
            if judged is None and len(verdicts_in_place(folder)) == self.claims:
                judged = time.monotonic()
            time.sleep(0.005)
        if judged is None or run.returncode not in (0, 1, 3):
            raise RuntimeError((folder / "said").read_text(encoding="utf-8"))
        self.whole, self.writing = time.monotonic() - begun, time.monotonic() - judged
        self.code, self.verdicts, self.pages = run.returncode, verdicts(folder), pages(folder)


def await_moment(run, folder, victim, reference, rng, misses=0):
    """Wait for a time drawn over the whole run, over the life of its workers, or over the writing of its report.

    Each time that the victim was gone before, half as long: on a machine of any speed every victim is met.
    """
    begun = {
        "verify": lambda: True,
        "verify_worker": lambda: children(run.pid),
        "report_writer": lambda: len(verdicts_in_place(folder)) == reference.claims,
    }[victim]
    while run.poll() is None and not begun():
        time.sleep(0.005)
    length = reference.writing if victim == "report_writer" else reference.whole
    deadline = time.monotonic() + rng.uniform(0, length) / 2**misses
    while run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)


def verdicts_in_place(folder):
    """The names of the verdict files, without reading them."""
    return {path.name for path in (folder / "report" / VERDICTS).glob("[!.]*.json")}


def kill(run, victim, rng):
    """Send SIGKILL; return the workers that there were, or None if nothing was killed."""
    workers = children(run.pid)
    if victim != "verify_worker":
        if run.poll() is not None:
            return None
        run.kill()
        return workers
    for worker in rng.sample(workers, min(1, len(workers))):
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
            return workers
    return None


def examine(folder, before, reference, totals):
    """Count what was in its place and is gone, what is torn, and what is not the verdict of an undisturbed run."""
    found = verdicts(folder)
    totals["acknowledged"] += len(before)
    totals["lost"] += len(before - found.keys())
    totals["torn"] += sum(value is None for value in found.values()) + sum(not ok for ok in pages(folder).values())
    known = [name for name, value in found.items() if value is not None]
    totals["different"] += sum(found[name] != reference.verdicts.get(name) for name in known)


def finished(run, folder, reference, totals):
    """A run that was left alone, or lost one worker, ends as the undisturbed one did."""
    run.wait(300)
    totals["failed"] += run.returncode != reference.code
    if run.returncode != reference.code:
        sys.stderr.write((folder / "said").read_text(encoding="utf-8"))
    examine(folder, set(), reference, totals)
    totals["missing"] += len(reference.verdicts.keys() - verdicts(folder).keys())
    totals["missing"] += len(reference.pages.keys() - pages(folder).keys())


def one_round(folder, owed, misses, reference, rng, totals):
    """Disturb some runs in one folder, each at its moment; start again each time, the last time undisturbed."""
    for _ in range(min(RUNS_PER_ROUND, owed.total())):
        victim = drawn(owed, rng)
        if victim != "verify" or rng.random() < 0.5:  # a run that finds its verdicts has no workers and little to write
            shutil.rmtree(folder / "report", ignore_errors=True)
        run = started(folder, reference.checks)
        await_moment(run, folder, victim, reference, rng, misses[victim])
        before = verdicts_in_place(folder)
        workers = kill(run, victim, rng)
        totals["runs"] += 1
        totals[victim] += workers is not None
        owed[victim] -= workers is not None
        misses[victim] = misses[victim] + 1 if workers is None else 0
        if workers is None or victim == "verify_worker":
            finished(run, folder, reference, totals)
            continue
        run.wait()
        totals["orphans"] += orphans(workers)
        examine(folder, before, reference, totals)
    finished(started(folder, reference.checks), folder, reference, totals)
    totals["runs"] += 1
    totals["left_over"] += sum(1 for _ in (folder / "report").rglob(".*.part"))


def disturbed(count, name, groups):
    """Disturb run after run, of one group of checks after the other, until ``count`` processes were killed."""
    rng, totals = random.Random(name), Counter(dict.fromkeys([*FAULTS, *VICTIMS], 0))
    owed, misses, known = shares(count, VICTIMS), Counter(), {}
    for number, checks in enumerate(itertools.cycle(groups)):
        if not owed.total():
            return totals, {id for reference in known.values() for id in claims_in(reference.checks)}
        with tempfile.TemporaryDirectory() as folder:
            if checks not in known:
                known[checks] = Undisturbed(Path(folder), checks)
                shutil.rmtree(Path(folder) / "report")
            one_round(Path(folder), owed, misses, known[checks], rng, totals)
        if number % 5 == 4:
            print(f"{name}: {count - owed.total()} of {count} kills, {totals['runs']} runs", flush=True)


def campaign(count, entropy, *, jobs=1, groups=None):
    """Disturb run after run until ``count`` processes were killed; return what was found.

    Parameters
    ----------
    count : how many kills.
    entropy : the seed of victims and waits, and of the order of the checks.
    jobs : how many runs are disturbed at once.
    groups : the checks of the runs; by default all that take little.
    """
    groups = groups or light(random.Random(f"checks {entropy}"))
    parts = [(count // jobs + (i < count % jobs), f"verify {entropy} {i}", groups[i::jobs] or groups)
             for i in range(jobs)]  # fmt: skip
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda part: disturbed(*part), parts))
    totals = sum((totals for totals, _ in found), Counter())
    return {
        "holds": not any(totals[fault] for fault in FAULTS),
        "kills": {victim: totals[victim] for victim in VICTIMS},
        "faults": {fault: totals[fault] for fault in FAULTS},
        "runs": totals["runs"],
        "acknowledged": totals["acknowledged"],
        "left_over_parts": totals["left_over"],
        "tree": evidence.tree_of({id for _, ids in found for id in ids}),
    }
