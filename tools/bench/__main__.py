"""``python -m tools.bench``: generate the statements of a seed, judge them, and print the score.

With ``--left`` the statements are drafts whose left side is wrong, and their twins.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError, TheoryError

SEED, COUNT, PAIRS, DEAR = 20261124, 1000, 200, 0.2
SAMPLED = 10  # times as long may be the verdict of a claim with sampled rows: there are few
EPILOG = """example: python -m tools.bench --seed 7 --count 50 --plan
         python -m tools.bench --left --kinds "empty loop" --count 4

exit codes: 0 no demand is missed, 1 one is, 2 usage."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        "python -m tools.bench", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="False theorems, each a near miss of a claim with an exact witness, and harmless rewordings: what "
        "does the judge accept?",
    )  # fmt: skip
    made.add_argument("--seed", type=int, default=SEED, help=f"a natural number (default: {SEED})")
    said = f"false statements, and rewordings (default: {COUNT}); with --left wrong drafts, and twins ({PAIRS})"
    made.add_argument("--count", type=int, help=said)
    made.add_argument("--left", action="store_true", help="wrong measurements in place of wrong right sides")
    made.add_argument("--kinds", nargs="*", default=[], metavar="KIND", help="with --left: only these kinds of slips")
    made.add_argument("--claims", nargs="*", default=[], metavar="ID", help="only these claims, as verify takes them")
    said = "without --claims: leave out those whose verdict takes longer by reports/cpu.json, of those with sampled "
    said += f"rows the ones that take {SAMPLED} times as long (default: {DEAR})"
    made.add_argument("--dear", type=float, default=DEAR, metavar="SECONDS", help=said)
    made.add_argument("--record", type=Path, metavar="FILE", help="write the record there")
    made.add_argument("--plan", action="store_true", help="print the statements and judge none")
    made.add_argument("--json", action="store_true", help="print the record, or the plan, as JSON")
    return made


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit code."""
    options = parser().parse_args(arguments)
    options.count = (PAIRS if options.left else COUNT) if options.count is None else options.count
    try:
        if (options.kinds and not options.left) or (options.claims and options.left):
            raise DomainError("--kinds without --left, or --claims with it", required="kinds of slips, or claims",
                              why="with --left nothing is taken from a claim")  # fmt: skip
        if options.count < 1 or options.seed < 0:
            raise DomainError(f"--seed {options.seed} --count {options.count}", required="a seed >= 0, a count >= 1")
        return _run(options)
    except TheoryError as error:
        sys.stderr.write(f"{error}\n")
        return 2


def _run(options: Any) -> int:
    from theorytools.claims.papers.catalogue import Catalogue, find_roots
    from theorytools.files import json_text, write_text
    from theorytools.progress import shown, talking
    from tools.bench.collection import COLLECTION
    from tools.bench.generator import generated
    from tools.bench.handmade import judged
    from tools.bench.record import aligned, record_of, tables
    from tools.bench.score import scores

    catalogue = Catalogue(find_roots())
    if options.left:
        from tools.bench.left.command import run

        return run(options, _made(catalogue))
    drawn = set() if options.claims else _sampled(catalogue.entries)
    entries = catalogue.select(options.claims) if options.claims else _cheap(catalogue.entries, drawn, options.dear)
    with talking(), shown("statements") as progress:
        statements = generated(entries, options.seed, options.count, progress, first=drawn)
    if options.plan:
        _plan(statements, options.json)
        return 0
    with talking(), shown("verdicts") as progress:
        found = scores(statements, entries, options.seed, progress)
    record = record_of(options.seed, options.count, found, judged(COLLECTION), _made(catalogue))
    if options.record is not None:
        write_text(options.record, _lines(record))
    sys.stdout.write(json_text(record) + "\n" if options.json else aligned(tables(record)))
    return 1 if any(demand["met"] is False for demand in record["demands"]) else 0


def _cheap(entries: Sequence[Any], drawn: Container[str], seconds: float) -> list[Any]:
    """Return the entries without those whose committed verdict took longer: a bench takes minutes, not hours."""
    took: dict[str, float] = {}
    for record in _committed(entries, "cpu.json"):
        took |= record["by_claim"]
    return [e for e in entries if took.get(e.id, 0.0) <= seconds * (SAMPLED if e.id in drawn else 1)]


def _sampled(entries: Sequence[Any]) -> set[str]:
    """Return the ids of the claims whose committed verdict rests on draws."""
    records = [r for paper in sorted({e.paper for e in entries}) for r in _committed(entries, f"{paper}.json")]
    return {one["id"] for record in records for one in record["claims"] if one["evidence"] == "SAMPLED"}


def _committed(entries: Sequence[Any], name: str) -> Iterator[Any]:
    """Yield the committed files of that name beside the checks of these entries."""
    import json

    for root in sorted({entry.root for entry in entries}):
        path = root.parent / "reports" / name
        if path.is_file():
            yield json.loads(path.read_text(encoding="utf-8"))


def _made(catalogue: Any) -> dict[str, Any]:
    import datetime

    from theorytools.claims.judging.record import source_commit
    from theorytools.claims.judging.versions import versions

    commit, dirty = source_commit(catalogue.entries[0].root)
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return {"created": created, "commit": commit, "changed_since": dirty, "versions": versions()}


def _lines(record: Mapping[str, Any]) -> str:
    """The record as JSON with a line for each claim, to be read in a diff."""
    from theorytools.files import json_text

    head = {key: part for key, part in record.items() if key != "statements"}
    lines = ",\n".join(f"{json_text(id)}:{json_text(own)}" for id, own in record["statements"].items())
    return f'{json_text(head)[:-1]},\n"statements":{{\n{lines}\n}}}}\n'


def _plan(statements: Sequence[Any], as_json: bool) -> None:
    from theorytools.files import json_text

    rows = [
        {"claim": s.claim, "kind": s.kind, "false": s.false, "statement": s.made.assertion.name,
         "change": s.change, "witness": None if s.witness is None else vars(s.witness)}
        for s in statements
    ]  # fmt: skip
    if as_json:
        sys.stdout.write(json_text(rows) + "\n")
        return
    for row in rows:
        at = ", ".join(f"{n}={x}" for n, x in row["witness"]["point"].items()) if row["witness"] else ""
        why = f"  false at {at}: {row['witness']['left']} against {row['witness']['right']}" if at else "  reworded"
        sys.stdout.write(f"{row['claim']}  {row['kind']}  {row['change']}: {row['statement']}{why}\n")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
