"""Letters derived from the construction: refined as recipes, never floats, kept by the controls."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tiny import M, constant, tiny, value, x
from verdict_examples import verdict_of

from theorytools import CheckError, Control, DomainError, Enclosure, Outcome, enclosed


def attained(derived):
    number = enclosed(lambda: Enclosure(2).sqrt() - Fraction(1, 10**40))
    return constant(number, value <= x, derive=lambda thing, p: {x: derived()}, derived=[x],
                    repair=enclosed(lambda: Enclosure(2).sqrt() + 1))  # fmt: skip


def test_derived_recipes_are_refined_and_exactly_the_derived_letters_given():
    assert verdict_of(attained(lambda: lambda: Enclosure(2).sqrt())).outcome is Outcome.HOLDS
    frozen = verdict_of(attained(lambda: Enclosure(2).sqrt()))  # 53 bits, for ever
    assert frozen.outcome is Outcome.UNDECIDED
    for letters in ({}, {x: 1, M: 2}, {M: 2}):
        with pytest.raises(CheckError, match=r"exactly \['x'\]"):
            verdict_of(constant(1, value <= x, derive=lambda thing, p, letters=letters: letters, derived=[x]))


@pytest.mark.parametrize("number", [math.sqrt(2), np.float64(2), lambda: math.sqrt(2)])
def test_a_derived_float_is_refused(number):
    with pytest.raises((CheckError, DomainError), match=r"float"):
        verdict_of(attained(lambda: number))


def test_controls_keep_the_honest_right_side():
    """Against its own x the control would hold."""
    claim = tiny(
        asserts=[value <= x], derive=lambda thing, p: {x: thing}, derived=[x],
        controls=[Control("one more", breaks=value, construct=lambda p: p.N + 1)],
    )  # fmt: skip
    verdict = verdict_of(claim)
    assert verdict.outcome is Outcome.HOLDS
    rows = {(row.control, row.point["N"]): row for row in verdict.rows}
    assert rows["one more", "2"].bound == rows["", "2"].bound
    assert rows["one more", "2"].measured.low == 3
