"""The command ``sweep`` in this process, and sweeps planted beside the library's, for whoever tests them."""

from dataclasses import replace
from fractions import Fraction

from devices import CHECKS
from typer.testing import CliRunner

from theorytools.cli.app import app
from theorytools.papers.qstr.training.costs import group_bytes
from theorytools.training import sweep as places

TOY = CHECKS / "qstr" / "sweeps" / "toy.py"
TINY = {"architecture": "transformer", "d": 2, "threshold": Fraction(9, 10), "test_size": 300, "check_every": 4}
SWEEPS = {path.stem: path for path in places.all_sweeps(CHECKS).values()}


def toy_sweep(cells, **changed):
    """A sweep of the library's own runner over the size N."""
    words = {"name": "toy", "title": "A toy", "question": "Does it run?", "rule": "It does.", "size": "N"}
    trained = {"runner": "theorytools.papers.qstr.training.search:evaluate", "memory": group_bytes}
    return places.Sweep(**{**trained, **words, "cells": cells, **changed})


def run(*arguments):
    return CliRunner().invoke(app, ["sweep", *map(str, arguments)], catch_exceptions=False)


def plant(monkeypatch, one):
    """Let the sweep be ``toy`` among the sweeps of the paper ``mine``, wherever that is, and of the library's qstr."""
    files, load = places.sweeps_in, places.load_sweep

    def sweeps_in(folder):
        own = folder.name == "mine" or folder == CHECKS / "qstr"
        return files(folder) | ({"toy": folder / "sweeps" / "toy.py"} if own else {})

    def load_sweep(path):
        named = {"name": "toy", "paper": path.parents[1].name, "file": path}
        return replace(one, **named) if path.name == "toy.py" else load(path)

    monkeypatch.setattr(places, "sweeps_in", sweeps_in)
    monkeypatch.setattr(places, "load_sweep", load_sweep)
    return load_sweep(TOY)


def planted():
    """The sweep that was planted last."""
    return places.load_sweep(TOY)
