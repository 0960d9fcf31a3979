"""Small checks as a newcomer writes them, judged as a user's folder: the remarks, or the error that kept a verdict."""

import textwrap
from pathlib import Path

from theorytools.claims.judging.run import judge_entry
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.errors import TheoryError

HEAD = '''r"""A check.

Setting    Sizes.
Statement  A bound.
Measured   By hand.
Control    Another bound.
"""
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
from sympy import Rational, exp, log

from theorytools import Anchor, Claim, Control, Enclosure, Quantity, enclosed, grid, letter
from theorytools.statistics.sampled import bounded_mean, proportion, truncated_mean

N = letter("N", "number of items", integer=True, positive=True)
d = letter("d", "dimension", integer=True, positive=True)
k = letter("k", "chosen items", integer=True, positive=True)
C = letter("C", "constant", positive=True)
value = Quantity("value", "v", "what is measured", (0, None))
told = {"role": "statement", "source": "derived here: a check"}
'''


def entry(folder: Path, body: str, name: str = "lemma_1"):
    """Write a check with this body into a folder of its own and return its first claim."""
    place = folder / "checks" / "mine"
    place.mkdir(parents=True, exist_ok=True)
    (place / "paper.toml").write_text('[paper]\nkey = "mine"\n', encoding="utf-8")
    (place / f"{name}.py").write_text(HEAD + textwrap.dedent(body), encoding="utf-8")
    return next(e for e in Catalogue(folder / "checks").entries if e.path.stem == name)


def judged(folder: Path, body: str, name: str = "lemma_1"):
    """Return the verdict, or the error as a text."""
    try:
        return judge_entry(entry(folder, body, name))
    except TheoryError as error:
        return str(error)


def instruments(folder: Path, body: str) -> set[str]:
    """Return which instruments remark something; the claim must hold."""
    verdict = judged(folder, body)
    assert not isinstance(verdict, str), verdict
    assert verdict.outcome == "HOLDS", verdict
    return {remark.instrument for remark in verdict.remarks}
