"""Tiny claims for tests of the engine: a number that is known exactly and a bound that it attains."""

from fractions import Fraction

from sympy import exp

from theorytools import Budget, Claim, Control, Estimate, Evidence, Quantity, Recipe, enclosed, grid, letter
from theorytools.numbers import Enclosure, End

N = letter("N", "a size", integer=True, positive=True)
M = letter("M", "another size", integer=True, positive=True)
x = letter("x", "a number")
value = Quantity("value", "v", "the number that is constructed")


def tiny(**changed):
    """The claim ``value <= N`` about the number N itself; one more breaks it."""
    parts = {
        "label": "Tiny 1", "asserts": [value <= N], "grid": grid(N=[2, 3]), "construct": lambda p: p.N,
        "measure": lambda thing, p: {value: thing},
        "controls": [Control("one more", breaks=value, construct=lambda p: p.N + 1)],
    }  # fmt: skip
    return Claim(**{**parts, **changed})


def constant(number, assertion, *, repair=None, **changed):
    """A claim about one measured number at the point N = 2, with a control that measures ``repair`` or 10^9."""
    spoiled = 10**9 if repair is None else repair
    control = Control("spoiled", breaks=value, measure=lambda thing, p: {value: spoiled})
    parts = {"asserts": [assertion], "grid": grid(N=[2]), "measure": lambda thing, p: {value: number}}
    return tiny(**{**parts, "controls": [control], **changed})


def shrinking(centre, *radii, booked=None):
    """A sampled recipe of given intervals; ``booked`` collects the error probabilities it is handed."""

    def steps(alpha, budget):
        if booked is not None:
            booked.append(alpha)
        for samples, radius in enumerate(radii, 1):
            low, high = Fraction(centre) - Fraction(radius), Fraction(centre) + Fraction(radius)
            yield Estimate(End(low), End(high), Evidence.SAMPLED, alpha, {"samples": samples})

    return Recipe(Evidence.SAMPLED, steps)


def exponential(argument):
    """A recipe of exp(argument), and the same as a sympy expression."""
    return enclosed(lambda: Enclosure(argument).exp()), exp(argument)


SMALL = Budget(bits=128)
PAPER = """[paper]
key = "toy"
title = "A toy paper"
authors = "Nobody"

[[statement]]
id = "lemma_01"
label = "Lemma 1"
ours = "a toy"
aliases = ["toy.first"]

[[statement]]
id = "lemma_02"
label = "Lemma 2"
ours = "a toy"
open = "nobody has written it"
"""
NOTATION = 'from theorytools import letter\n\nN = letter("N", "a size", integer=True, positive=True)\n'
CHECK = '''r"""The number N is at most N.

Setting    A size $N$.
Statement  $v\\\\le N$.
"""

from theorytools import Claim, Control, Quantity, grid

from .notation import N

value = Quantity("value", "v")
claim = Claim(
    "Lemma 1",
    asserts=[value <= N],
    grid=grid(N=[2, 3]),
    construct=lambda p: p.N,
    measure=lambda thing, p: {value: thing},
    role="statement", scope={"every N": "points"}, source="derived here: Lemma 1",
    controls=[Control("one more", breaks=value, construct=lambda p: p.N + 1)],
)
'''


def write_checks(root, **files):
    """Write a folder of checks with the paper ``toy``; ``files`` are texts by stem."""
    folder = root / "toy"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "paper.toml").write_text(PAPER, encoding="utf-8")
    for stem, text in {"notation": NOTATION, "lemma_01": CHECK, **files}.items():
        (folder / f"{stem}.py").write_text(text, encoding="utf-8")
    return root
