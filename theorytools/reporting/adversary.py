"""What the tool would have let pass, of the records beside the checks: mutants of the library, hypotheses, forgeries.

Read are ``mutation.json``, ``necessity.json``, ``recheck.json`` and ``certificates.json`` in ``reports``; a project
without one of them has no such part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theorytools.files import read_json, unreadable

Record = Mapping[str, Any]
DEMANDS = {
    "claims": "caught by claims",
    "verdict": "of these by a verdict: an outcome or a number that changed",
    "all": "caught by claims or tests",
    "engine": "of the verdict engine, caught by claims or tests",
}


@dataclass(frozen=True)
class Part:
    """A record in words: a title, what was done, a table with its heads first, and the command that repeats it."""

    title: str
    said: str
    table: list[list[str]]
    command: str


def adversary(project: Path) -> list[Part]:
    """Return what the records of a project's folder say; empty where it has none."""
    return list(_parts(project / "reports"))


def _parts(reports: Path) -> Iterator[Part]:
    for name, schema, part in (
        ("mutation", "mutation", _mutants),
        ("necessity", "necessity", _hypotheses),
        ("recheck", "recheck", _forgeries),
        ("certificates", "recheck_objects", _objects),
    ):
        try:
            record = read_json(reports / f"{name}.json")
        except (OSError, ValueError):
            continue
        if isinstance(record, dict) and str(record.get("schema", "")).startswith(f"theorytools.{schema}/"):
            try:
                yield part(record)
            except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
                unreadable(reports / f"{name}.json", error)


def _mutants(record: Record) -> Part:
    score = record["score"]
    rows = [["mutants", "demanded", "found"]]
    rows += [[DEMANDS[name], f"{d['demanded']} %", f"{d['found']} %"] for name, d in record["demands"].items()]
    rows += [[f"in {name}", "", f"{own['percent']['claims']} % by claims, {own['percent']['all']} % in all"]
             for name, own in record["by_package"].items()]  # fmt: skip
    said = (
        f"{score['mutants']} changes of one place of the library were drawn from the seed {record['seed']} before any "
        f"was looked at, the first of {record['drawn']} in the order of the draw. {score['outcome']} changed an "
        f"outcome, {score['number']} a number, {score['crash']} made a claim fail with an error, {score['timeout']} "
        f"took too long, a test noticed {score['test']} more, and {score['survived']} survived; no claim runs the "
        f"changed line of {score['unreached_by_claims']}. Each had a few seconds and the nearest claims and tests: a "
        "survivor is not noticed soon, or not at all."
    )
    return Part("Mutants of the library", said, rows, f"python -m tests.mutants --seed {record['seed']}")


def _hypotheses(record: Record) -> Part:
    counts = record["counts"]
    total = sum(counts.values())
    decided = counts["needed"] + counts["not needed"]
    share, rest = (decided / size if size else 0 for size in (total, total - counts["defines"]))
    meaning = {
        "needed": "a violation outside it, kept as a file that replays",
        "not needed": "the stronger statement is proved in a note, follows, or all that was outside was judged",
        "defines": "outside there is no object to speak of",
        "unknown": "a search found no violation, or none was made",
    }
    rows = [["hypothesis", "how many", "meaning"]]
    rows += [[name, str(counts[name]), said] for name, said in meaning.items()]
    said = (
        f"Each of {total} hypotheses was dropped by itself, and a violation looked for outside it: {share:.0%} are "
        f"decided, needed or not needed, where 60 % were demanded; of those that do not define an object {rest:.0%}. "
        "Every paper has a page of them."
    )
    return Part("Is each hypothesis needed?", said, rows, "theorytools necessity --record")


def _forgeries(record: Record) -> Part:
    kinds = record["forgeries"]
    rows = [["forgery", "made", "confirmed"]]
    rows += [[name, str(kind["made"]), str(kind["confirmed"])] for name, kind in kinds.items()]
    claims = ", ".join(f"{n} {name}" for name, n in record["claims"].items())
    apart = "measured side, consistently"
    made = sum(kind["made"] for name, kind in kinds.items() if name != apart)
    said = (
        f"A second program of one file, without this package, judged the stored verdicts again: {claims}; of "
        f"{record['rows']} rows it confirmed {record['right sides']} right sides. Of {made} forged verdicts, sealed "
        f"anew, it confirmed {record['confirmed that change the meaning']} that change the meaning. A measured side "
        "that is forged together with all that follows from it is seen only where the object is kept too."
    )
    command = f"python tests/forgeries.py site --count {sum(k['made'] for k in kinds.values())}"
    return Part("An independent checker", said, rows, command)


def _objects(record: Record) -> Part:
    kinds, counts = record["kinds"], record["counts"]
    states = ("confirmed", "not expressible", "contradicted")
    rows = [["kind of object", *states]]
    rows += [[name, *(str(kind.get(state, 0)) for state in states)] for name, kind in kinds.items()]
    said = (
        f"Of {sum(counts.values())} claims small objects are kept (codes, layers, automata, weights), at up to three "
        "small points, and some of what is measured there is computed from them again, without this package: "
        + ", ".join(f"{counts.get(state, 0)} claims {state}" for state in states)
        + ". The table counts quantities."
    )
    return Part("Measured sides from their objects", said, rows, "python theorytools/recheck_objects.py site --counts")
