"""What good calls of the fuzz are made of beyond the public names: a folder of checks, its verdicts, and plain rules."""

import functools
import tempfile
from pathlib import Path

import checkfolders

TIMES = {"created": "2026-01-01T00:00:00+00:00"}


@functools.cache
def home():
    """A folder that lasts as long as this process."""
    made = tempfile.TemporaryDirectory(prefix="theorytools-fuzz-")
    home.kept = made  # removed when the process ends
    return Path(made.name)


@functools.cache
def demo_checks():
    return checkfolders.write(home(), "holds", "refuted")


@functools.cache
def demo_catalogue():
    from theorytools import Catalogue

    return Catalogue(demo_checks())


def demo_paper():
    return demo_catalogue().paper("tiny")


def demo_statement():
    return demo_paper().statements[0]


@functools.cache
def demo_claim():
    from theorytools.claims.loading import load

    return load(demo_catalogue().select(["tiny.holds"])[0])


@functools.cache
def demo_verdict():
    from theorytools import verify

    return verify("tiny.holds", checks=demo_checks())


def demo_stored():
    return [demo_verdict().to_json()]


def demo_index():
    return demo_catalogue().index()


def items(point, extra=0):
    return list(range(point.N + extra))


def more_items(point):
    return items(point, 1)


def counted(found, point):
    from theorytools import Quantity

    return {Quantity("size", "|x|", "number of items"): len(found)}
