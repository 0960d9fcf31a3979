"""The verdicts of this run: each claim is judged once, on its grid, by whoever asks first; the others wait for it."""

import functools
import json
import os
from pathlib import Path

from filelock import FileLock

from theorytools.claims.judging.run import judge_entry
from theorytools.claims.judging.verdict import row_from_json
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import load
from theorytools.files import write_json

FOLDER = "THEORYTOOLS_SHARED_VERDICTS"  # in the environment, so that the processes of one run have one folder
ROOT = find_roots(start=Path(__file__))[0]


@functools.cache
def entries():
    """The claims of this repository by id, from their syntax trees."""
    return {entry.id: entry for entry in Catalogue(ROOT).entries}


@functools.cache
def claim_of(id):
    """A claim, loaded when a test asks, once in a process: the collection of the tests loads none."""
    return load(entries()[id])


def judged(entry, judge):
    """The verdict of a claim as JSON data: the one that this run has kept, else what ``judge()`` returns."""
    if FOLDER not in os.environ or entry.root != ROOT:
        return judge()
    path = Path(os.environ[FOLDER]) / f"{entry.id}.json"
    with FileLock(path.with_suffix(".lock")):  # of two processes that ask at once the second reads
        if not path.is_file():
            write_json(path, judge())
    return json.loads(path.read_text(encoding="utf-8"))


@functools.cache
def verdict_of(id):
    """The verdict of a claim as JSON data; that of a slow claim is its record's."""
    entry = entries()[id]
    return judged(entry, lambda: judge_entry(entry, tier="seconds", search=False).to_json())


@functools.cache
def rows_of(id):
    """The rows of a claim, read back from its verdict."""
    return [row_from_json(row) for row in verdict_of(id)["rows"]]
