"""Claims whose verdict is known: spoiled, open, published with a repair."""

from sympy import sqrt
from tiny import N, tiny, value

from theorytools import Control, Enclosure, Quantity, enclosed, judge

other = Quantity("other", "w", "another number")
HUGE = 10**9


def verdict_of(claim, at=None):
    return judge(claim, "toy.lemma_01", at)


def root(number):
    return enclosed(lambda: Enclosure(number).sqrt())


def open_product():
    """A number equal to sqrt 6, which no precision can tell from it."""
    return Enclosure(2).sqrt() * Enclosure(3).sqrt()


OPEN = enclosed(open_product)
open_row = value <= sqrt(6)


def spoiled(name="spoiled", number=HUGE, **changed):
    return Control(name, **{"breaks": value, "measure": lambda thing, p: {value: number}, **changed})


def published(number=lambda p: p.N + 1, repair=value <= N + 1, **changed):
    return tiny(**{
        "expect": "REFUTED", "measure": lambda thing, p: {value: number(p)},
        "controls": [Control("one more allowed", asserts=[repair]), spoiled()], **changed,
    })  # fmt: skip
