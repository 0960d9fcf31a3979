"""Which lines each claim runs: measured once by coverage.py, kept in ``build/mutants``.

    theorytools verify                  # what the claims say unmutated, and what they cost
    python -m tools.mutants.reach

Every claim is traced in a child of a process that has imported the library.  What is there for a check as it is now is
not measured again.
"""

import argparse
import gc
import hashlib
import json
import sys
import time
from pathlib import Path

from tools import ROOT
from tools.mutants.forks import Child, warm

FOLDER = ROOT / "build" / "mutants"
REACH = FOLDER / "reach.jsonl"
WALL = 900.0
TRACED = 0.3


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def library():
    """The digest of every file of the library, by path: lines measured on another text say nothing."""
    return {p.relative_to(ROOT).as_posix(): digest(p) for p in sorted((ROOT / "theorytools").rglob("*.py"))}


def tracer():
    import coverage

    return coverage.Coverage(
        data_file=None, include=[f"{ROOT}/theorytools/*"], config_file=False, messages=False, concurrency=[]
    )


def lines(data, file):
    return sorted(line for line in data.lines(file) or () if line > 0)


class Enough(Exception):
    """A claim has run for long enough to say which lines it runs."""


def traced_claim(entry, cost):
    """Judge one claim, and say what it ran: at its first points, as many as ``TRACED`` seconds allow, and one at least.

    What is seen of a claim is then a part of what it runs, so that a mutant is asked of fewer claims, never of others.
    """

    def work(say):
        from theorytools.claims.judging import run as runner

        trace, begun = tracer(), time.process_time()

        def step(done, total):
            if done < total and time.process_time() - begun > TRACED:
                raise Enough

        runner.searched = lambda claim, verdict, *_, **__: verdict
        trace.start()
        runner._judged("seconds", entry, {}, step)
        trace.stop()
        data = trace.get_data()
        ran = {Path(f).relative_to(ROOT).as_posix(): lines(data, f) for f in data.measured_files()}
        say({"id": entry.id, "sha256": digest(entry.path), "cpu": cost, "lines": ran})

    return work


def kept():
    """The measured lines by claim id, the last of each."""
    found = {}
    if REACH.is_file():
        for text in REACH.read_text(encoding="utf-8").splitlines():
            row = json.loads(text)
            found[row["id"]] = row
    return found


def measure():
    """Measure the claims that are not known, and say how each went."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    warm()
    now, jobs = library(), _claims(kept())
    gc.freeze()  # a child that collects would copy every page of its parent
    with REACH.open("a", encoding="utf-8") as out:
        for number, (key, work) in enumerate(jobs, 1):
            child, begun = Child(work), time.monotonic()
            rows = list(child.said(WALL))
            for row in rows:
                if "broken" not in row:
                    row["library"] = {file: now[file] for file in row["lines"] if file in now}
                    out.write(json.dumps(row) + "\n")
                    out.flush()
            said = rows[0].get("broken", "") if rows else "nothing"
            sys.stdout.write(f"{number}/{len(jobs)} {key} {time.monotonic() - begun:.1f} s {child.ended} {said}\n")
            sys.stdout.flush()


def _claims(known):
    import importlib
    import pkgutil

    from theorytools.claims.papers.catalogue import Catalogue, find_roots

    catalogue = Catalogue(find_roots(start=ROOT / "tests")[0])
    for room in ("numbers", "claims", "codes", "constructions", "theory", "tasks", "papers", "statistics"):
        package = importlib.import_module(f"theorytools.{room}")
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            importlib.import_module(module.name)
    cost = {id: verdict["cpu"]["seconds"] for id, verdict in stored().items()}
    order = sorted((e for e in catalogue.entries if e.id in cost), key=lambda e: (cost[e.id], e.id))
    jobs = [e for e in order if known.get(e.id, {}).get("sha256") != digest(e.path)]
    return [(e.id, traced_claim(e, cost[e.id])) for e in jobs]


def stored():
    """What ``theorytools verify`` has stored in ``site``: the cost of every claim, and what it says unmutated."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "site" / "verdicts").glob("[!.]*.json")]
    return {verdict["id"]: verdict for verdict in found}


if __name__ == "__main__":
    argparse.ArgumentParser(
        prog="python -m tools.mutants.reach", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ).parse_args()  # fmt: skip
    measure()
