"""A check in a folder of its own, judged on its grid and put on trial: what the instruments are asked about."""

import ast
import re
from pathlib import Path

from theorytools.claims.judging.run import judge_entry
from theorytools.claims.judging.trial.variants import Trial
from theorytools.claims.judging.verdict import Outcome, Verdict
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.claims.papers.loading import load

NOTATION = """from theorytools import letter

N = letter("N", "number of items", integer=True, positive=True)
d = letter("d", "dimension", integer=True, positive=True)
"""
PAPER = '[paper]\nkey = "mine"\n\n[[statement]]\nid = "lemma"\nours = "a lemma"\n'
IMPORTS = """
import math
import random
import time
from fractions import Fraction
from itertools import combinations

import numpy as np
from sympy import Rational, log

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid, letter
from .notation import N, d
"""
CALL = """
claim = Claim({label!r}, role={role!r}, scope={scope}, source="derived here: it", asserts=[{asserts}],
    requires={requires}, grid={grid}, construct={construct}, measure={measure},
    controls=[Control("less", asserts=[size <= -1], breaks=size)], {more})
"""
DEFAULT = {
    "label": "Lemma 1", "role": "statement", "scope": {"every N": "points"}, "asserts": "size <= 10**6",
    "requires": "[]", "grid": "grid(N=[2, 3])", "construct": "lambda p: list(range(p.N))",
    "measure": "lambda x, p: {size: len(x)}", "more": "",
}  # fmt: skip


def bound(parts) -> dict[str, str]:
    """The scope with the letters of the grid that it leaves out, first: what is asked here is something else."""
    scope = parts["scope"] if isinstance(parts["scope"], dict) else ast.literal_eval(str(parts["scope"]))
    words = {word for said in scope for word in re.findall(r"\w+", said)}
    listed = " ".join(re.findall(r"""points\(["']([^"']*)""", str(parts["grid"])))
    given = [*re.findall(r"(\w+)=", str(parts["grid"])), *listed.split()]
    left = [name for name in given if name not in words]
    return ({f"every {', '.join(left)}": "points"} if left else {}) | scope


def on_trial(folder: Path, *, quantity="", doc="Items.\n", code="", notation=NOTATION, judged=True, **parts) -> Trial:
    """Return the trial of a check made of these parts; without ``judged`` it is loaded and not run."""
    home = folder / "checks" / "mine"
    home.mkdir(parents=True, exist_ok=True)
    (home / "paper.toml").write_text(PAPER, encoding="utf-8")
    (home / "notation.py").write_text(notation, encoding="utf-8")
    parts = {**parts, "scope": bound({**DEFAULT, **parts})}
    said = quantity or 'Quantity("size", "s", "number of items")'
    text = f'r"""{doc}"""\n{IMPORTS}\n\nsize = {said}\n{code}\n{CALL.format(**DEFAULT | parts)}'
    (home / "lemma.py").write_text(text, encoding="utf-8")
    entry = Catalogue(folder / "checks").entries[0]
    claim = load(entry)
    none = Verdict(entry.id, claim.label, Outcome.HOLDS, "HOLDS", True, None, "not run")
    verdict = judge_entry(entry, search=False) if judged else none
    return Trial(claim, entry, verdict)
