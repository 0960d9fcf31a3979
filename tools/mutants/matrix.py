"""Which tests kill which mutants, each asked of all that run its line, and which tests carry the weight.

    python -m tools.mutants.matrix --seed 1 --count 60 --rooms numbers,codes --tests tests/numbers,tests/statistics

First the tests are traced as they are; then every mutant runs all of them that run its changed line, without ``-x``.
A greedy cover takes the test that kills most of what is left, and of two the one that takes less time; what kills
nothing is listed by its seconds.  A test that kills no mutant of a draw is no useless test: refusals, rules of the
house and statements of documents are not measured by wrong numbers.
"""

import argparse
import json
import sys
from collections import Counter

from tools import ROOT
from tools.mutants.drawing import draw
from tools.mutants.entering import Functions, enter, modules, run_at_import
from tools.mutants.forks import Child, allow, warm
from tools.mutants.judging import FACTOR, OVERRUN, Telling
from tools.mutants.reach import FOLDER
from tools.mutants.tracing import OPTIONS, Traced, measure

WALL, MOST = 900.0, 30.0  # seconds without a word; CPU seconds of the tests of one mutant, unmutated


def asking(mutant, way, tests, seconds):
    """The work of a child: run all of the tests with the mutant, which unmutated take so many seconds."""

    def work(say):
        import pytest

        enter(mutant, *way)
        allow(OVERRUN + FACTOR * seconds)
        pytest.main([*OPTIONS, *tests], plugins=[Telling(say)])

    return work


def reaching(mutant, traced):
    """The tests that run the changed line, and their seconds; those of the file where no function holds the line."""
    found = traced.of(mutant.file, mutant.lines if mutant.function else (0, sys.maxsize))
    chosen, spent = [], 0.0
    for test, seconds in sorted(found.items(), key=lambda pair: (pair[1], pair[0])):
        if spent + seconds > MOST:
            break
        spent += seconds
        chosen.append(test)
    return chosen, spent


def killers(mutant, functions, traced):
    """The tests that fail with the mutant; one that ends the process is the last that was begun."""
    code, (tests, seconds) = mutant.code(), reaching(mutant, traced)
    if not tests:
        return {"mutant": mutant.name, "asked": 0, "killed_by": []}
    child, begun, failed = Child(asking(mutant, (code, functions.exchange(mutant, code)), tests, seconds)), "", {}
    for said in child.said(WALL):
        begun = said.get("begun", begun)
        failed |= {said["failed"]: None} if "failed" in said else {}
    child.close()
    failed |= {begun: None} if child.ended != "exit" else {}
    return {"mutant": mutant.name, "asked": len(tests), "killed_by": list(failed)}


def cover(rows, seconds):
    """The greedy cover of the killed mutants by functions of tests: (function, how many of what was left)."""
    kills = {}
    for row in rows:
        for test in row["killed_by"]:
            kills.setdefault(test.partition("[")[0], set()).add(row["mutant"])
    left, taken = set().union(*kills.values()), []
    while left:
        best = max(kills, key=lambda test: (len(kills[test] & left), -seconds[test], test))
        taken.append((best, len(kills[best] & left)))
        left -= kills[best]
    return kills, taken


def told(rows, traced):
    """What the matrix says, as text."""
    seconds = Counter()
    for row in traced.rows.values():
        seconds.update({test.partition("[")[0]: 0 for test, _ in row["tests"]})
        for test, took in row["tests"]:
            seconds[test.partition("[")[0]] += took
    kills, taken = cover(rows, seconds)
    dead = [row["mutant"] for row in rows if row["killed_by"]]
    idle = sorted((test for test in seconds if test not in kills), key=lambda test: -seconds[test])
    yield f"{len(rows)} mutants, {len(dead)} killed; {len(seconds)} functions of tests, {len(kills)} kill"
    yield from (f"cover {number:4} {seconds[test]:7.2f} s  {test}" for test, number in taken)
    yield from (f"idle       {seconds[test]:7.2f} s  {test}" for test in idle)
    yield from (f"survived   {row['asked']:4} tests  {row['mutant']}" for row in rows if not row["killed_by"])


def main(words=None):
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.mutants.matrix", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=20261125)
    parser.add_argument("--count", type=int, default=60, help="how many mutants are drawn")
    parser.add_argument("--rooms", default="numbers,codes,statistics", help="folders of theorytools, by commas")
    parser.add_argument("--tests", default="tests/numbers,tests/statistics", help="files or folders of tests")
    options = parser.parse_args(words)
    under = [ROOT / name for name in options.tests.split(",")]
    measure(under)
    modules()
    (imported,) = Child(run_at_import).said(WALL)
    functions, traced = Functions(imported), Traced()
    traced.rows = {f: row for f, row in traced.rows.items() if any((ROOT / f).is_relative_to(at) for at in under)}
    path, rows = FOLDER / f"matrix-{options.seed}-{options.count}.jsonl", []
    with path.open("w", encoding="utf-8") as out:
        for mutant in draw(options.seed, options.count, tuple(options.rooms.split(","))):
            rows.append(killers(mutant, functions, traced))
            out.write(json.dumps(rows[-1]) + "\n")
            out.flush()
    print("\n".join(told(rows, traced)))
    return 0


if __name__ == "__main__":
    warm()
    sys.exit(main())
