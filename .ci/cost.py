"""What the lines of .ci/run cost in processor time, held against a budget: a sum that nobody watches only grows.

    python .ci/cost.py LINE -- COMMAND ...     run a command, print what it cost, keep it; its exit code
    python .ci/cost.py --check                 print every cost beside its budget; 1 where one is too high

Processor seconds differ between machines, so costs are told in units of a fixed workload (``reference``), which is
timed before and after each command on the same machine.  ``budget.json`` beside this file has the units that each line
may cost; above ``SLACK`` times the budget the run fails.  Who raises a budget says why in the changelog.

A line that is part of another (the cold ``verify``, a slow test) is told by whoever runs it: the name of the file to
which costs go is in the environment (``FILE``), and ``keep`` writes there.
"""

import ast
import json
import os
import resource
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUDGET, KEPT = HERE / "budget.json", HERE.parent / "build" / "costs.json"
FILE = "THEORYTOOLS_COSTS"
SLACK = 1.5


def reference():
    """Do a fixed piece of work and return its processor seconds: exact sums, parsed text, sorted and encoded data."""
    begun = time.process_time()
    total = sum((Fraction(1, k) for k in range(1, 1500)), Fraction(0))
    text = "\n".join(f"def f{k}(x, y={k}):\n    return [x * {k} + i for i in range(y) if i % 3]" for k in range(600))
    names = sorted(node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
    data = {name: [str(total.numerator % (k + 7))] * 40 for k, name in enumerate(names)}
    for _ in range(12):
        data = json.loads(json.dumps(data))
    counted = {}
    for k in range(400_000):
        counted[k * k % 1009] = counted.get(k * k % 1009, 0) + 1
    assert (len(names), len(counted), len(data)) == (600, 505, 600)
    return time.process_time() - begun


def unit():
    """Return the processor seconds of the workload: the median of five."""
    return sorted(reference() for _ in range(5))[2]


def spent():
    """Return the processor seconds of all processes that were started here, or by these, and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def keep(name, seconds, units):
    """Write what a line cost to the file that the environment names, beside what is there; nothing without one."""
    if FILE in os.environ:
        path = Path(os.environ[FILE])
        known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**known, name: {"seconds": seconds, "units": units}}, indent=1), encoding="utf-8")


def told(name, seconds, units):
    """Return the line that says what a command cost."""
    return f"{name}: {seconds:.0f} s of processor time, {units:.0f} units of {seconds / units:.3f} s"


def timed(name, command):
    """Run a command, say and keep what it cost; return its exit code."""
    first, before = unit(), spent()
    code = subprocess.call(command)
    seconds = spent() - before
    units = seconds / ((first + unit()) / 2)
    keep(name, seconds, units)
    print(told(name, seconds, units), flush=True)
    return code


def over(kept, budget):
    """Return the lines of the table, and which of them cost more than ``SLACK`` times their budget or are missing."""
    lines, bad = [], []
    for name, units in budget.items():
        cost = kept.get(name)
        if cost is None:
            lines.append(f"{name}: not measured, {units} units are its budget")
            bad.append(name)
            continue
        share = cost["units"] / units
        lines.append(f"{told(name, cost['seconds'], cost['units'])}, {share:.2f} of its budget of {units}")
        if share > SLACK:
            bad.append(name)
    return lines, bad


def main(words):
    """Run the command line; return the exit code."""
    if words == ["--check"]:
        path = Path(os.environ.get(FILE, KEPT))
        kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        lines, bad = over(kept, json.loads(BUDGET.read_text(encoding="utf-8")))
        print("\n".join(lines), flush=True)
        if bad:
            print(f"above {SLACK} times the budget, or not measured: {', '.join(bad)}; who raises a budget in "
                  f"{BUDGET.name} says why in the changelog", file=sys.stderr)  # fmt: skip
        return 1 if bad else 0
    if len(words) < 3 or words[1] != "--":
        print(__doc__, file=sys.stderr)
        return 2
    return timed(words[0], words[2:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
