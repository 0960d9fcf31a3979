"""Which lines each test runs: measured once by coverage.py, file by file, kept in ``build/mutants``.

    python -m tools.mutants.tracing

Every file of tests runs in a child of a process that has imported the library, so that what a test runs is told from
what an import runs.  What is there for a file as it is now is not measured again.
"""

import argparse
import functools
import gc
import itertools
import json
import sys
import time
from collections import Counter
from pathlib import Path

from tools import ROOT
from tools.mutants.forks import Child, warm
from tools.mutants.nearest import TESTS, nearest, test_files
from tools.mutants.reach import FOLDER, digest, library, tracer

TRACED = FOLDER / "tests.jsonl"
WALL = 1200.0
ORDER = ("claims", "numbers", "reporting", "tasks", "statistics", "constructions", "theory", "house", "papers")
# pytest rewrites the assertions of every module of a distribution that holds a plugin, from the file: it would import
# the library as it stands, and not as it was changed
OPTIONS = ["-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(ROOT), "-c",
           str(ROOT / "pyproject.toml")]  # fmt: skip


class Contexts:
    """A plugin of pytest that gives every test its own context of the trace, and its CPU time."""

    def __init__(self, trace):
        self.trace, self.cpu, self.begun, self.failed = trace, {}, 0.0, set()

    def pytest_runtest_logstart(self, nodeid):
        self.trace.switch_context(nodeid)
        self.begun = time.process_time()

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_runtest_logfinish(self, nodeid):
        self.cpu[nodeid] = round(time.process_time() - self.begun, 3)


def traced_file(path):
    """The work of a child: run the tests of a file, and say which lines each of them runs."""

    def work(say):
        import pytest

        trace = tracer()
        told = Contexts(trace)
        trace.start()
        pytest.main([*OPTIONS, str(path)], plugins=[told])
        trace.stop()
        data, names = trace.get_data(), [test for test in told.cpu if test not in told.failed]
        number, ran = {test: i for i, test in enumerate(names)}, {}
        for file in data.measured_files():
            lines = {}
            for line, tests in data.contexts_by_lineno(file).items():
                found = sorted({number[test] for test in tests if test in number})
                if found and line > 0:
                    lines[line] = found
            if lines:
                ran[Path(file).relative_to(ROOT).as_posix()] = lines
        say({"file": path.relative_to(ROOT).as_posix(), "sha256": digest(path), "lines": ran,
             "tests": [[test, told.cpu[test]] for test in names]})  # fmt: skip

    return work


def kept():
    """The measured rows by file of tests, the last of each."""
    found = {}
    if TRACED.is_file():
        with TRACED.open(encoding="utf-8") as rows:
            for text in rows:
                row = json.loads(text)
                found[row["file"]] = row
    return found


class Traced:
    """The tests that run a line: (node id, CPU seconds)."""

    def __init__(self):
        self.now, self.rows = library(), kept()
        every = [test for row in self.rows.values() for test, _ in row["tests"]]
        self.tests = {test.partition("[")[0] for test in every}

    @functools.cache  # noqa: B019
    def of_file(self, file):
        """Return the lines of a file of the library, each with the tests that run it."""
        found = {}
        for row in self.rows.values():
            fresh = row["library"].get(file) == self.now.get(file)
            for line, numbers in row["lines"].get(file, {}).items():
                tests = [tuple(row["tests"][i]) for i in numbers]
                found.setdefault(int(line) if fresh else 0, {}).update(tests)
        return found

    def of(self, file, lines):
        """Return the tests that run one of these lines; those of a file that has changed since come with each."""
        found, low, high = {}, *lines
        for line, tests in self.of_file(file).items():
            if line == 0 or low <= line <= high:
                found |= tests
        return found


def chosen(mutant, traced, most):
    """Return the node ids of the tests that are asked, at most ``most``, those first that are likely to see a mutant.

    In turn: of those that run the changed line the cheapest, never two of one function before one of each other; and
    the tests that name what is changed.  Of a test that was traced and does not run the line nothing is expected, so
    it comes last.
    """
    ran = traced.of(mutant.file, mutant.lines) if mutant.function else {}
    turns, seen = [[], nearest(mutant, most)], Counter()
    ranked = []
    for test, seconds in sorted(ran.items(), key=lambda pair: pair[1]):
        function = test.partition("[")[0]
        ranked.append((8 * seen[function], seconds, test))
        seen[function] += 1
    turns[0] = [test for _, _, test in sorted(ranked)]
    there = {*ran, *(test.partition("[")[0] for test in ran)}

    def elsewhere(test):
        """Whether a test was traced without running the line."""
        return bool(ran) and test in traced.tests and test not in there

    turns[1:] = [sorted(tests, key=elsewhere) for tests in turns[1:]]
    found = [test for row in itertools.zip_longest(*turns) for test in row if test]
    return list(dict.fromkeys(found))[:most]


def measure(under=(TESTS,)):
    """Measure the files in these folders that are not known as they are now, and say how each went."""
    from tools.mutants.entering import modules

    FOLDER.mkdir(parents=True, exist_ok=True)
    warm()
    modules()
    now, known = library(), kept()
    gc.freeze()  # a child that collects would copy every page of its parent
    todo = [p for p in test_files() if any(map(p.is_relative_to, under))]
    todo = [p for p in todo if known.get(p.relative_to(ROOT).as_posix(), {}).get("sha256") != digest(p)]
    todo.sort(key=lambda path: [path.relative_to(TESTS).parts[0] != name for name in ORDER])
    with TRACED.open("a", encoding="utf-8") as out:
        for number, path in enumerate(todo, 1):
            child, begun = Child(traced_file(path)), time.monotonic()
            for row in child.said(WALL):
                if "broken" not in row:
                    row["library"] = {file: now[file] for file in row["lines"] if file in now}
                    out.write(json.dumps(row) + "\n")
                    out.flush()
                said = row.get("broken", f"{len(row.get('tests', ()))} tests")
                sys.stdout.write(f"{number}/{len(todo)} {path.name} {time.monotonic() - begun:.1f} s {said}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    argparse.ArgumentParser(
        prog="python -m tools.mutants.tracing", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ).parse_args()  # fmt: skip
    measure()
