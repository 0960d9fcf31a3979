r"""No learner is better than another on a family of targets that is closed under exchanging the two labels.

Setting    $n$ points that were not trained on; a non-empty family $F\subseteq\{0,1\}^n$ of targets, with each its
           complement; predictions $g,h\in\{0,1\}^n$, losses $f\oplus g$ of a prediction on a target.
Statement  Over $f\in F$ the losses of any two predictions have one and the same law.
Measured   $\sum_v|\#\{f\in F:f\oplus g=v\}-\#\{f\in F:f\oplus h=v\}|$, for $h=0$, with which all pairs can be compared.
Control    A family without one of its targets.
"""
from theorytools import Claim, Control, Quantity, grid
from theorytools.search.kinds import Boolean, Booleans, Sequences

from .notation import n

difference = Quantity("difference", r"\sum_v|\#_g-\#_h|", "of the laws of two losses, in targets", (0, None))

def word(bits):
    return sum(bit << place for place, bit in enumerate(bits))

def measure(table, p):
    return {difference: sum(abs(table[v ^ word(p.g)] - table[v]) for v in range(2**p.n))}

def one_less(p):
    first = p.F.table.index(1)
    return [value * (x != first) for x, value in enumerate(p.F.table)]

claim = Claim(
    "Closed under relabelling", role="statement", scope={"every n, F, g": "points"},
    source="published: AI-safety formalization atlas, CONJ-001; prose", asserts=difference.equals(0),
    objects={"F": (Booleans(), n, [Boolean((1, 1)), Boolean((1, 1, 1, 1)), Boolean((0, 1, 1, 0))]),
             "g": (Sequences((0, 1)), n, [(1,), (1, 1)])},
    such_that={"F is not empty": lambda p: 1 in p.F.table,
               "F has every complement": lambda p: p.F.table == p.F.table[::-1]},
    construct=lambda p: p.F.table, measure=measure, grid=grid(n=[1, 2]),
    controls=[Control("one target left out", breaks=difference, construct=one_less)],
)
