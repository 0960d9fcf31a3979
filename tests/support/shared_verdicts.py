"""The verdicts of this run, each judged once: by the item of its check, else by the first test that asks."""

import functools
import json
import os
from pathlib import Path

from theorytools.claims.judging.run import judge_entry
from theorytools.claims.judging.verdict import row_from_json
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.files import write_json

FOLDER = "THEORYTOOLS_SHARED_VERDICTS"  # in the environment, so that the processes of one run have one folder
ROOT = find_roots(start=Path(__file__))[0]


@functools.cache
def entries():
    """The claims of this repository by id, from their syntax trees."""
    return {entry.id: entry for entry in Catalogue(ROOT).entries}


def keep(entry, verdict):
    """Keep the verdict of one of this repository's claims for the other tests of the run."""
    if FOLDER in os.environ and entry.root == ROOT:
        write_json(Path(os.environ[FOLDER]) / f"{entry.id}.json", verdict.to_json())


@functools.cache
def verdict_of(id):
    """The verdict of a claim as JSON data; that of a slow claim is its record's."""
    path = Path(os.environ.get(FOLDER, "")) / f"{id}.json"
    if FOLDER not in os.environ:
        return judge_entry(entries()[id], tier="seconds").to_json()
    if not path.is_file():
        keep(entries()[id], judge_entry(entries()[id], tier="seconds"))
    return json.loads(path.read_text(encoding="utf-8"))


@functools.cache
def rows_of(id):
    """The rows of a claim, read back from its verdict."""
    return [row_from_json(row) for row in verdict_of(id)["rows"]]
