"""The verdicts of this run, each judged once: by the item of its check, else by the first test that asks."""

import functools
import json
import os
from pathlib import Path

from theorytools.claims.catalogue import Catalogue, find_roots
from theorytools.claims.run import judge_entry
from theorytools.claims.verdict import Row, estimate_from_json
from theorytools.files import write_json

FOLDER = "THEORYTOOLS_SHARED_VERDICTS"  # in the environment, so that the processes of one run have one folder
ROOT = find_roots(start=Path(__file__))


@functools.cache
def entries():
    """The claims of this repository by id, from their syntax trees."""
    return {entry.id: entry for entry in Catalogue(ROOT).entries}


def keep(entry, verdict):
    """Keep the verdict of one of this repository's claims for the other tests of the run."""
    if FOLDER in os.environ and entry.root == ROOT:
        write_json(Path(os.environ[FOLDER]) / f"{entry.id}.json", verdict.to_json())


@functools.cache
def rows_of(id):
    """The rows of a claim, read back from its stored verdict; those of a slow claim are its record's."""
    path = Path(os.environ.get(FOLDER, "")) / f"{id}.json"
    if FOLDER not in os.environ:
        data = judge_entry(entries()[id], tier="seconds").to_json()
    else:
        if not path.is_file():
            keep(entries()[id], judge_entry(entries()[id], tier="seconds"))
        data = json.loads(path.read_text(encoding="utf-8"))
    return [
        Row(r["point"], r["control"], r["assertion"], r["quantity"], r["relation"], r["truth"],
            estimate_from_json(r["measured"]), tuple(estimate_from_json(b) for b in r["bound"]),
            r["vacuous"], r["tied"], r["steps"], r["power"], r["must_break"])
        for r in data["rows"]
    ]  # fmt: skip
