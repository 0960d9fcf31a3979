"""Draw mutants of the library, judge them by claims, then by tests, and write what came of them.

    theorytools verify                 what the claims say unmutated, and what they cost
    python -m tools.mutants.reach      which claims run which lines, measured once
    python -m tools.mutants.tracing    and which tests, those without a file there as it is now
    python -m tools.mutants --seed 1 --count 40 --plan
    python -m tools.mutants --seed 20261125 --count 400 --record reports/mutation.json

One line of JSON for each mutant goes to build/mutants as it is judged; the same command goes on where it was stopped,
and with more --patience it asks the survivors again, of more claims and tests.
Exit code: 0 where every demand is met, 1 where one is missed, 2 for arguments that are refused.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from tools.mutants.drawing import PACKAGES, digest, draw
from tools.mutants.reach import FOLDER, REACH


def main(words=None):
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", default="20261125", help="what the draw is a function of (default: %(default)s)")
    parser.add_argument("--count", default="400", help="how many mutants are drawn (default: %(default)s)")
    parser.add_argument("--package", action="append", help=f"one of {', '.join(PACKAGES)}; all unless given")
    parser.add_argument("--plan", action="store_true", help="print the draw, judge nothing")
    parser.add_argument("--json", action="store_true", help="print the draw, or the record, as JSON")
    parser.add_argument("--record", type=Path, help="where the record goes")
    parser.add_argument("--minutes", default="inf", help="judge no further mutant after so many minutes")
    parser.add_argument("--patience", default="1", help="ask survivors of more claims and tests: so many times as many")
    options = parser.parse_args(words)
    from theorytools.errors import TheoryError

    try:
        return _run(options, *_asked(options))
    except TheoryError as error:
        sys.stderr.write(f"{error}\n")
        return 2


def _asked(options):
    """Return seed, count, packages and minutes; ``DomainError`` for what cannot be."""
    from theorytools.errors import DomainError

    for name, least in (("seed", 0), ("count", 1), ("patience", 1)):
        text = getattr(options, name)
        if not text.isdecimal() or int(text) < least:
            raise DomainError(
                f"--{name} {text}", required=f"a whole number from {least} on",
                why="the draw is a function of the seed and of how many are drawn, and patience a multiple",
                advice="--seed 1 --count 40",
            )  # fmt: skip
    packages = tuple(options.package or PACKAGES)
    for name in packages:
        if name not in PACKAGES:
            raise DomainError(
                f"--package {name}", required=f"one of {', '.join(PACKAGES)}",
                why="these are the packages that verdicts rest on", advice="leave it out for all of them",
            )  # fmt: skip
    try:
        minutes = float(options.minutes)
    except ValueError:
        minutes = 0.0
    if not minutes > 0:
        raise DomainError(
            f"--minutes {options.minutes}", required="a positive number",
            why="what is judged by then is kept, and the same command goes on", advice="--minutes 60",
        )  # fmt: skip
    return int(options.seed), int(options.count), packages, minutes


def _run(options, seed, count, packages, minutes):
    drawn = draw(seed, count, packages)
    if options.plan:
        plan = [{"mutant": m.name, "function": m.function} for m in drawn]
        print(json.dumps(plan) if options.json else "\n".join(f"{p['mutant']}  {p['function']}" for p in plan))
        return 0
    from theorytools.errors import DomainError

    if not REACH.is_file():
        raise DomainError(
            f"a run without {REACH}", required="the lines that each claim runs",
            why="only the claims that reach a mutant are asked", advice="python -m tools.mutants.reach",
        )  # fmt: skip
    from tools.mutants.record import made, told

    part = "-".join(packages) if options.package else "all"
    path = FOLDER / f"run-{seed}-{count}-{part}.jsonl"
    rows, apart = _judged(drawn, path, minutes, int(options.patience))
    record = made(seed, count, drawn, rows, apart)
    if options.record:
        from theorytools.files import write_json

        write_json(options.record, record, indent=1)
    print(json.dumps(record) if options.json else told(record))
    return 0 if all(demand["met"] for demand in record["demands"].values()) else 1


def _judged(drawn, path, minutes, patience):
    """Judge what has no line yet, in the order of the draw; return the rows and what is asked of nobody."""
    from theorytools.progress import shown
    from tools.mutants.judging import Bench, committed_record

    text, begun = digest(), time.monotonic()
    known = {name: row for name, row in _known(path).items() if row["library"] == text}
    todo = [m for m in drawn if m.name not in known]
    todo += [m for m in drawn if m.name in known and _lives(known[m.name]) and known[m.name]["patience"] < patience]
    bench = None
    with path.open("a", encoding="utf-8") as out, shown("mutants") as progress:
        for number, mutant in enumerate(todo, 1):
            if time.monotonic() - begun > 60 * minutes:
                break
            bench = bench or Bench()
            row = known[mutant.name] = {**bench.judged(mutant, patience), "library": text}
            out.write(json.dumps(row) + "\n")
            out.flush()
            if progress:
                progress(number, len(todo))
    rows, apart = _confirmed([known[m.name] for m in drawn if m.name in known], path.with_suffix(".unmutated.json"))
    return rows, {"claims": bench.reach.apart if bench else committed_record()[1], "tests": apart}


def _confirmed(rows, path):
    """Return the rows without the kills by tests that fail unmutated too, and these tests; what is known is kept."""
    from tools.mutants.judging import bare, failing

    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    killing = {bare(row["test"][1]) for row in rows if row["test"][0] == "test"}
    new = killing - known.keys()
    bad = failing(new) if new else set()
    known |= {test: test not in bad for test in new}
    path.write_text(json.dumps(known), encoding="utf-8")
    apart = {test for test in killing if not known[test]}
    kept = [{**row, "test": ["", "", ""]} if bare(row["test"][1]) in apart else row for row in rows]
    return kept, sorted(apart)


def _lives(row):
    return not row["claim"][0] and not row["test"][0]


def _known(path):
    """The lines of an earlier run; one that a death cut short was not said."""
    whole = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.is_file() else []
    rows = [json.loads(line) for line in whole if line.endswith("\n")]
    if len(rows) < len(whole):
        path.write_text("".join(line for line in whole if line.endswith("\n")), encoding="utf-8")
    return {row["mutant"]: row for row in rows}


if __name__ == "__main__":
    sys.exit(main())
