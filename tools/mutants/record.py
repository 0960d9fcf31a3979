"""What came of a draw: scores by package and by operator, who survived and why."""

import json
import platform
from collections import Counter
from importlib.metadata import version
from pathlib import Path

from tools import evidence
from tools.mutants.drawing import ENGINE, LEAST, PACKAGES, digest
from tools.mutants.judging import CLAIM_BUDGET, CRASHES, EXTRA, FACTOR, MOST_TESTS, TEST_BUDGET
from tools.mutants.operators import OPERATORS

EQUIVALENT = Path(__file__).with_name("equivalent.json")  # name -> why no claim and no test can tell, read off the code
FATES = ("outcome", "number", "crash", "timeout", "test", "survived")
DEMANDS = {"claims": 85, "verdict": 65, "all": 97, "engine": 100}
DRAWING = (
    "In each package an operator is drawn, each that has places left with the same probability, then one of its "
    f"places, then one of its changes; a package's share is that of its lines, and at least 1/{LEAST}. None twice, "
    "none whose compiled code equals that of the module. The order is random."
)
JUDGING = (
    "The claims that run the changed line, those first that cost little for the lines of its file that they run, on "
    f"the grid without the search beside it, as far as {CLAIM_BUDGET:g} s of their own CPU time go; after {CRASHES} "
    f"crashes no verdict is waited for any more. A claim may use {FACTOR:g} times its own CPU time and {EXTRA:g} s "
    f"more. Then {MOST_TESTS} tests, for {TEST_BUDGET:g} s of CPU time, in turn: of those traced to run the changed "
    "line the cheapest, recorded calls of what uses its names, and the tests nearest by the names that they use; "
    "without those of style, documents and whole programs. A test that fails must pass unmutated. What is not seen "
    "within these limits, each times the patience of the last round, counts as survived."
)


def equivalents():
    return json.loads(EQUIVALENT.read_text(encoding="utf-8")) if EQUIVALENT.is_file() else {}


def fate(row):
    """How a mutant ended: outcome, number, crash, timeout (by claims), test, or survived."""
    return row["claim"][0] or ("test" if row["test"][0] else "survived")


def score(rows, equal):
    """Count the fates, and the shares of the killed in percent, with the equivalent mutants and without them."""
    found = Counter(map(fate, rows))
    claims = found["outcome"] + found["number"] + found["crash"] + found["timeout"]
    verdict, killed, count = found["outcome"] + found["number"], len(rows) - found["survived"], len(rows)
    same = sum(row["mutant"] in equal for row in rows if fate(row) == "survived")

    def share(part, whole):
        return round(100 * part / whole, 1) if whole else None

    return {
        "mutants": count, **{name: found[name] for name in FATES},
        "equivalent": same, "unreached_by_claims": sum(not row["claims"] for row in rows),
        "percent": {"claims": share(claims, count), "verdict": share(verdict, count), "all": share(killed, count)},
        "percent_without_equivalent": {
            "claims": share(claims, count - same), "verdict": share(verdict, count - same),
            "all": share(killed, count - same),
        },
    }  # fmt: skip


def made(seed, wanted, drawn, rows, apart):
    """Return the record of a run as JSON data."""
    equal = equivalents()
    living = {row["mutant"] for row in rows if fate(row) == "survived"}
    shown = {mutant.name: mutant.shown() for mutant in drawn if mutant.name in living}
    survivors = [
        {"mutant": row["mutant"], "function": row["function"], "before": shown[row["mutant"]][0],
         "after": shown[row["mutant"]][1], "claims": row["claims"], "tests": row["tests"],
         "equivalent": row["mutant"] in equal, "reason": equal.get(row["mutant"], _reason(row))}
        for row in rows if fate(row) == "survived"
    ]  # fmt: skip
    total, engine = score(rows, equal), [r for r in rows if r["mutant"].startswith(ENGINE)]
    told = {**total["percent_without_equivalent"], "engine": score(engine, equal)["percent_without_equivalent"]["all"]}
    return {
        "schema": "theorytools.mutation/1", "seed": seed, "drawn": wanted, "judged": len(rows),
        "drawing": DRAWING, "judging": JUDGING, "library": digest(), "score": total,
        "tree": evidence.tree_of(modules=evidence.python_below("theorytools")),
        "engine": score(engine, equal),
        "demands": {name: {"demanded": least, "found": told[name], "met": (told[name] or 0) >= least}
                    for name, least in DEMANDS.items()},
        "by_package": {p: score([r for r in rows if r["package"] == p], equal) for p in PACKAGES},
        "by_operator": {o: score([r for r in rows if r["operator"] == o], equal) for o in OPERATORS},
        "survivors": survivors,
        "killed": {row["mutant"]: _by(row) for row in rows if fate(row) != "survived"},
        "apart_since_they_differ_unmutated": apart,
        "patience": sorted({row["patience"] for row in rows if fate(row) == "survived"}),
        "cpu_seconds": round(sum(row["cpu"] for row in rows), 1),
        "versions": {"python": platform.python_version(), **{n: version(n) for n in ("theorytools", "numpy", "sympy",
                     "python-flint", "hypothesis", "pytest", "coverage")}},
    }  # fmt: skip


def _by(row):
    kind, by, _ = row["claim"] if row["claim"][0] else row["test"]
    return [fate(row), by] if kind else [fate(row)]


def _reason(row):
    if not row["claims"] and not row["tests"]:
        return "no claim and no test runs the line"
    part = "no claim runs the line" if not row["claims"] else f"the {row['claims']} claims asked do not see it"
    return f"{part}; " + ("no test runs it" if not row["tests"] else f"nor do the {row['tests']} tests asked")


def told(record):
    """Return the summary that is printed."""
    total = record["score"]
    lines = [f"the first {record['judged']} of {record['drawn']} mutants judged, seed {record['seed']}"]
    lines.append("  ".join(f"{total[name]} {name}" for name in FATES))
    for name, demand in record["demands"].items():
        mark = "met" if demand["met"] else "MISSED"
        lines.append(f"{name}: {demand['found']} % of those not equivalent, {demand['demanded']} % demanded, {mark}")
    return "\n".join(lines)
