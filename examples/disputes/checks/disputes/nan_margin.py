r"""A verifier says "proved" unless the largest margin is at most the tolerance.

Setting    $N$ margins, doubles as a program has them, one for each half-space that an unsafe output would lie in; the
           output is safe where one of them exceeds the tolerance, here 0. The rule: `not max(margins) <= 0`, a line of
           MATLAB, whose `max` skips what is no number as long as there is a number.
Statement  Where the rule says proved, some margin is positive, whatever $N\ge1$ and the doubles are.
Proof      Of the rule `max(margins) > 0`: what it finds positive is one of the margins; they are counted.
Witness    Lists of the doubles 0, 1, -1, 1e308, infinity and what is no number, written 0, +, -, e, i and n.
Measured   What the rule says, with that `max` written in Python, and whether one double is positive: both exact.
Control    All margins positive in place of one, two of them; repair: the other rule.
"""
from dataclasses import replace

from theorytools import Anchor, Claim, Control, Quantity, grid
from theorytools.search.kinds import Words

from .notation import N

DOUBLES = {"0": 0.0, "+": 1.0, "-": -1.0, "e": 1e308, "i": float("inf"), "n": float("nan")}
proved = Quantity("proved", r"[\neg(\max m\le0)]", "whether the rule says proved", (0, 1))
positive = Quantity("positive", "[m_i>0]", "whether some margin is positive", (0, 1))
count = Quantity("count", r"\#\{i:m_i>0\}", "how many margins are positive", (0, None))

def largest(margins):
    return max((m for m in margins if m == m), default=float("nan"))

def measure(margins, p, of=any):
    return {proved: int(not largest(margins) <= 0), positive: int(of(m > 0 for m in margins))}

def mended(margins, p):
    found = [m for m in margins if m > 0]
    return {proved: int(largest(margins) > 0), positive: int(any(found)), count: len(found)}

def two(p):
    return [1.0, -1.0]

claim = Claim(
    "Proved where nothing is refuted", role="statement", source="published: nnv, pull request 446; prose",
    scope={"every N, m": "points"}, expect="REFUTED", asserts=proved <= positive, grid=grid(N=[1, 2, 3]),
    objects={"m": (Words("".join(DOUBLES)), N)}, construct=lambda p: [DOUBLES[each] for each in p.m], measure=measure,
    anchors=[Anchor("max skips what is no number", [DOUBLES["n"], -1.0], {proved: 0, positive: 0}, source="by hand")],
    controls=[Control("all positive", breaks=proved, construct=two, measure=lambda m, p: measure(m, p, all)),
              Control("what is larger", measure=mended)],
)
repaired = replace(
    claim, label="Proved where a margin is positive", role="statement", source="derived here: a comparison",
    statement="Where the rule `max(margins) > 0` says proved, some margin is positive.", scope={"every N, m": "proof"},
    expect="HOLDS", asserts=proved <= count, measure=mended, grid=grid(N=[1, 2]),
    objects={"m": (Words("".join(DOUBLES)), N, ["+", "-", "n+", "++"])},
    controls=[Control("two of them", breaks=proved, construct=two, asserts=[2 * proved <= count])],
)
