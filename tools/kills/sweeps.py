"""Kill workers, the whole pool and the driver of a sweep at random moments, and look for what is missing.

The driver is a process of its own.  It appends the key of every acknowledged trial to a file that is flushed to the
disk *after* the row is committed; this file, the store, and a run that nobody disturbed are compared from outside.
"""

import contextlib
import json
import os
import platform
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from theorytools import Store, drive
from theorytools.training.trials.pool import ProcessPool
from theorytools.training.trials.trial import trial_key
from tools import ROOT

VICTIMS = ("worker", "pool", "driver")
WORKERS = 2


def trial(spec):
    """A trial of a few milliseconds whose result can be told from its key; it leaves a mark that it began."""
    with open(spec["marks"], "a") as marks:
        marks.write(trial_key(spec) + "\n")
    time.sleep(spec["milliseconds"] / 1000)
    return {"value": int(trial_key(spec)[:12], 16)}


def specs_of(folder, number, count):
    """Trials of 1 to 8 ms."""
    return [{"marks": f"{folder}/marks", "round": number, "i": i, "milliseconds": 1 + i % 8} for i in range(count)]


def run_driver(folder, number, count, store_type=Store):
    """The process that is killed: run what is missing, and say on the disk what is acknowledged."""
    with open(f"{folder}/acknowledged", "a") as said:

        def acknowledge(row):
            said.write(row.key + "\n")
            said.flush()
            os.fsync(said.fileno())

        # neither a trial nor the pool is given up: here a death is nobody's fault
        engine = ProcessPool(WORKERS, deaths=sys.maxsize, stillborn=sys.maxsize)
        with store_type(f"{folder}/trials.sqlite") as store, engine as pool:
            drive(specs_of(folder, number, count), "tools.kills.sweeps:trial", store, pool, on_result=acknowledge)


class LazyStore(Store):
    """The control: a store that says "acknowledged" at once and commits when it is closed."""

    @contextlib.contextmanager
    def _transaction(self):
        if not self._db.in_transaction:
            self._db.execute("begin immediate")
        yield

    def close(self):
        if self._db.in_transaction:
            self._db.execute("commit")
        super().close()


# -- from outside ------------------------------------------------------------------------------------------------------
def started(folder, number, count, store_type="Store"):
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tools.kills import sweeps; "
    code += f"sweeps.run_driver({str(folder)!r}, {number}, {count}, sweeps.{store_type})"
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)


def at_work(driver, folder, rng):
    """Three times in four, wait until a driver acknowledges something; else it is met while it starts."""
    before = len(lines(folder / "acknowledged"))
    if rng.random() < 0.75:
        while driver.poll() is None and len(lines(folder / "acknowledged")) == before:
            time.sleep(0.005)
    return driver


def children(pid):
    """The workers of a driver: its children that were spawned, whichever thread did it."""
    found = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found += (task / "children").read_text().split()
    return [int(child) for child in found if b"spawn_main" in command(child)]


def command(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def kill(driver, victim, rng):
    """Send SIGKILL; False if there was no such process to kill."""
    if victim == "driver":
        if driver.poll() is not None:
            return False
        driver.kill()
        return True
    workers = children(driver.pid)
    for worker in workers if victim == "pool" else rng.sample(workers, min(1, len(workers))):
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    return bool(workers)


def orphans(workers, patience=10.0):
    """The workers that are still there long after their driver died."""
    deadline = time.monotonic() + patience
    while (left := [w for w in workers if b"spawn_main" in command(w)]) and time.monotonic() < deadline:
        time.sleep(0.01)
    return len(left)


def lines(path):
    """The whole lines of a file; a line that a death cut short was not said."""
    text = path.read_text() if path.exists() else ""
    return text[: text.rfind("\n") + 1].split()


def shares(count, victims):
    """How many of ``count`` kills each victim is owed: equal parts, the first ones taking what is left over."""
    return Counter({victim: count // len(victims) + (i < count % len(victims)) for i, victim in enumerate(victims)})


def drawn(owed, rng):
    """A victim that is still owed a kill, each with equal probability."""
    return rng.choice([victim for victim in owed if owed[victim] > 0])


def disturbed(folder, number, count, owed, rng, totals):
    """One store: kill what is ``owed``, start the driver again whenever it is dead, until it ends by itself."""
    workers = []
    driver = at_work(started(folder, number, count), folder, rng)
    while True:
        time.sleep(rng.uniform(0.0, 0.1))
        workers = children(driver.pid) or workers
        if not owed.total():
            driver.wait(60)
        elif kill(driver, victim := drawn(owed, rng), rng):
            owed[victim] -= 1
            totals[victim] += 1
        if driver.poll() is None:
            continue
        _, said = driver.communicate()
        if driver.returncode == 0:
            return
        if driver.returncode != -signal.SIGKILL:
            raise RuntimeError(said.decode())
        totals["orphans"] += orphans(workers)
        totals["lost"] += len(set(lines(folder / "acknowledged")) - stored(folder).keys())
        driver = at_work(started(folder, number, count), folder, rng)


def stored(folder):
    """Status and result of every row, read as a stranger would."""
    path = folder / "trials.sqlite"
    if not path.exists() or not path.stat().st_size:
        return {}
    with contextlib.closing(sqlite3.connect(path)) as db:
        (table,) = db.execute("select count(*) from sqlite_master where name = 'trials'").fetchone()
        rows = db.execute("select key, status, result from trials").fetchall() if table else []
    return {key: (status, result) for key, status, result in rows}


def compared(folder, number, count, totals):
    """Compare what was acknowledged, what is stored, and what nobody disturbed."""
    with Store(folder / "undisturbed.sqlite") as store:
        drive(specs_of(folder, number, count), trial, store)
        reference = {row.key: (row.status, json.dumps(row.result, separators=(",", ":"))) for row in store.rows()}
    said, found = lines(folder / "acknowledged"), stored(folder)
    with contextlib.closing(sqlite3.connect(folder / "trials.sqlite")) as db:
        rows = db.execute("select count(*) from trials").fetchone()[0]
        totals["damaged"] += db.execute("pragma integrity_check").fetchone()[0] != "ok"
    totals["acknowledged"] += len(said)
    totals["lost"] += len(set(said) - found.keys())
    totals["duplicated"] += len(said) - len(set(said)) + rows - len(found)
    totals["missing"] += len(reference.keys() - found.keys())
    totals["different"] += sum(found.get(key, value) != value for key, value in reference.items())
    totals["failed"] += sum(status == "failed" for status, _ in found.values())
    totals["foreign"] += len(found.keys() - reference.keys())
    totals["begun_again"] += len(lines(folder / "marks")) - 2 * count  # once here, once undisturbed
    totals["trials"] += count


FAULTS = ("lost", "duplicated", "missing", "different", "failed", "foreign", "damaged", "orphans")


def campaign(kills, entropy, *, count=200):
    """Disturb one store after the other until ``kills`` processes or pools were killed; return what was found."""
    rng, totals, rounds = random.Random(entropy), Counter(dict.fromkeys([*FAULTS, *VICTIMS], 0)), 0
    owed = shares(kills, VICTIMS)
    while owed.total():
        with tempfile.TemporaryDirectory() as name:
            disturbed(Path(name), rounds, count, owed, rng, totals)
            compared(Path(name), rounds, count, totals)
        rounds += 1
    return {
        "schema": "theorytools.kills/1",
        "holds": not any(totals[fault] for fault in FAULTS),
        "entropy": str(entropy),
        "kills": {victim: totals[victim] for victim in VICTIMS},
        "faults": {fault: totals[fault] for fault in FAULTS},
        "stores": rounds,
        "trials": totals["trials"],
        "acknowledged": totals["acknowledged"],
        "begun_again": totals["begun_again"],
        "versions": {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version},
    }
