"""Kill ``theorytools verify``, one of its workers, or the writer of its report, and look for what is missing or torn.

A verdict counts as acknowledged when its file is in its place.  Whenever a run was killed, the folder is looked
through from outside; then the command is started again, until a round ends by itself with the verdicts and the pages
of a run that nobody disturbed.
"""

import contextlib
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
from pathlib import Path

from checkfolders import write

from tools.kills.sweeps import children, drawn, orphans, shares

VICTIMS = ("verify", "verify_worker", "report_writer")
FAULTS = ("lost", "torn", "missing", "different", "failed", "orphans")
CHECKS = ("holds", "refuted", "undecided", "powerless", "printing")  # a few milliseconds each
VERDICTS, PAGES, WHOLE = "verdicts", ".html", "</html>"  # below the folder of a report
STABLE = ("id", "label", "outcome", "expect", "as_expected", "evidence", "power", "reason", "rows", "controls")
RUNS_PER_ROUND = 4


def started(folder):
    """A run of ``verify`` in two workers, with its report in ``folder/report``."""
    words = ["verify", "--checks", str(folder / "checks"), "--report", str(folder / "report"), "-j", "2"]
    command = [sys.executable, "-m", "theorytools", *words]
    with (folder / "said").open("wb") as said:  # a pipe would stay open for as long as an orphan lives
        return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=said)


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

    def __init__(self, folder):
        write(folder, *CHECKS, paper="toy")
        begun, judged = time.monotonic(), None
        run = started(folder)
        while run.poll() is None:
            if judged is None and len(list((folder / "report" / VERDICTS).glob("[!.]*.json"))) == len(CHECKS):
                judged = time.monotonic()
            time.sleep(0.005)
        if judged is None or run.returncode not in (0, 1):
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
        "report_writer": lambda: len(verdicts_in_place(folder)) == len(CHECKS),
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
    write(folder, *CHECKS, paper="toy")
    for _ in range(min(RUNS_PER_ROUND, owed.total())):
        victim = drawn(owed, rng)
        if victim != "verify" or rng.random() < 0.5:  # a run that finds its verdicts has no workers and little to write
            shutil.rmtree(folder / "report", ignore_errors=True)
        run = started(folder)
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
    finished(started(folder), folder, reference, totals)
    totals["runs"] += 1
    totals["left_over"] += sum(1 for _ in (folder / "report").rglob(".*.part"))


def campaign(count, entropy):
    """Disturb run after run until ``count`` processes were killed; return what was found."""
    rng, totals = random.Random(f"verify {entropy}"), Counter(dict.fromkeys([*FAULTS, *VICTIMS], 0))
    with tempfile.TemporaryDirectory() as name:
        reference = Undisturbed(Path(name))
    owed, misses = shares(count, VICTIMS), Counter()
    while owed.total():
        with tempfile.TemporaryDirectory() as name:
            one_round(Path(name), owed, misses, reference, rng, totals)
    return {
        "holds": not any(totals[fault] for fault in FAULTS),
        "kills": {victim: totals[victim] for victim in VICTIMS},
        "faults": {fault: totals[fault] for fault in FAULTS},
        "runs": totals["runs"],
        "acknowledged": totals["acknowledged"],
        "left_over_parts": totals["left_over"],
    }
