r"""No learner is better than another on a family of targets that is closed under exchanging the two labels.

Setting    $n$ points that were not trained on; a non-empty family $F\subseteq\{0,1\}^n$ of targets, with each its
           complement; predictions $g,h\in\{0,1\}^n$, losses $f\oplus g$ of a prediction on a target.
Statement  Over $f\in F$ the losses of any two predictions have one and the same law.
Proof      Of the repair, that every prediction errs at half of the points on average over $F$: of a target and its
           complement exactly one differs from $g$ at each point.
Measured   $\sum_v|\#\{f\in F:f\oplus g=v\}-\#\{f\in F:f\oplus h=v\}|$, for $h=0$, with which all pairs can be compared.
Control    A family without one of its targets; repair: the mean number of mistakes.
"""
from dataclasses import replace
from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, grid
from theorytools.search.kinds import Boolean, Booleans, Sequences

from .notation import n

difference = Quantity("difference", r"\sum_v|\#_g-\#_h|", "of the laws of two losses, in targets", (0, None))

mistakes = Quantity("mistakes", r"E_F|f\oplus g|/n", "mean share of points at which g errs", (0, 1))

def word(bits):
    return sum(bit << place for place, bit in enumerate(bits))

def measure(table, p):
    return {difference: sum(abs(table[v ^ word(p.g)] - table[v]) for v in range(2**p.n))}

def errs(table, p):
    losses = [(x ^ word(p.g)).bit_count() for x, member in enumerate(table) if member]
    return {mistakes: Fraction(sum(losses), p.n * len(losses))}

def one_less(p):
    first = p.F.table.index(1)
    return [value * (x != first) for x, value in enumerate(p.F.table)]

claim = Claim(
    "Closed under relabelling", role="statement", expect="REFUTED", scope={"every n, F, g": "points"},
    source="published: AI-safety formalization atlas, CONJ-001; prose", asserts=difference.equals(0),
    objects={"F": (Booleans(), n, [Boolean((1, 1)), Boolean((1, 1, 1, 1)), Boolean((0, 1, 1, 0))]),
             "g": (Sequences((0, 1)), n, [(1,), (1, 1)])},
    such_that={"F is not empty": lambda p: 1 in p.F.table,
               "F has every complement": lambda p: p.F.table == p.F.table[::-1]},
    construct=lambda p: p.F.table, measure=measure, grid=grid(n=[1, 2]),
    controls=[Control("one target left out", breaks=difference, construct=one_less),
              Control("the mean", asserts=[mistakes.equals(Rational(1, 2))], measure=errs)],
)
repaired = replace(
    claim, label="Half of the points", role="variant", expect="HOLDS", source="derived here: no free lunch on a family",
    scope={"every n, F, g": "proof"}, asserts=mistakes.equals(Rational(1, 2)), measure=errs,
    controls=[Control("less than half", asserts=[mistakes < Rational(1, 2)], breaks=mistakes)],
    statement=r"Where $F$ is not empty and closed under complements, $E_F|f\oplus g|=\frac n2$.",
)
