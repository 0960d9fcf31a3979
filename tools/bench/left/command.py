"""``python -m tools.bench --left``: the pairs of a seed, their verdicts, the score."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from theorytools.files import json_text, write_text
from theorytools.progress import shown, talking
from tools.bench.left.generator import Pair, pairs
from tools.bench.left.record import record_of, tables
from tools.bench.left.score import scores
from tools.bench.record import aligned


def run(options: Any, made: Mapping[str, Any]) -> int:
    """Generate, judge and print; return the exit code.

    Parameters
    ----------
    options : of the command line.
    made : commit, versions and the like, for the record.
    """
    begun = time.process_time()
    chosen = pairs(options.seed, options.count, options.kinds)
    if options.plan:
        sys.stdout.write(_plan(chosen, options.json))
        return 0
    with talking(), shown("pairs") as progress:
        found = scores(chosen, options.seed, progress)
    record = record_of(options.seed, options.count, options.kinds, found, made)
    if options.record is not None:
        write_text(options.record, lines(record))
    sys.stdout.write(json_text(record) + "\n" if options.json else aligned(tables(record)))
    sys.stderr.write(f"{len(found)} pairs in {time.process_time() - begun:.0f} s of processor time\n")
    return 1 if any(not demand["met"] for demand in record["demands"]) else 0


def lines(record: Mapping[str, Any]) -> str:
    """The record as JSON with a line for each pair, to be read in a diff."""
    head = {key: part for key, part in record.items() if key != "pairs"}
    rows = ",\n".join(json_text(pair) for pair in record["pairs"])
    return f'{json_text(head)[:-1]},\n"pairs":[\n{rows}\n]}}\n'


def _plan(chosen: Sequence[Pair], as_json: bool) -> str:
    rows = [
        {"kind": p.kind, "base": p.base.name, "why": p.slip.why, "witness": vars(p.witness), "wrong": p.wrong.text,
         "true": p.twin.text, "notation": p.wrong.notation}
        for p in chosen
    ]  # fmt: skip
    if as_json:
        return json_text(rows) + "\n"
    return "".join(
        f"{row['kind']}  {row['base']}: {row['why']}  {_said(p)}\n" for row, p in zip(rows, chosen, strict=True)
    )


def _said(pair: Pair) -> str:
    w = pair.witness
    at = ", ".join(f"{name}={text}" for name, text in w.point.items())
    against = {"statement": f"not {pair.wrong.relation} {w.other}", "choice": f"not {pair.wrong.relation} {w.other}",
               "measurement": f"and {w.other} is measured"}[w.route]  # fmt: skip
    return f"{w.route} at {at}: {w.named}, {against}"
