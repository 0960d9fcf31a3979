"""Anchors: a measurement that is wrong where the value is known is an error of the check, whatever its rows say."""

from fractions import Fraction

import pytest
from sympy import log, sqrt
from tiny import N, tiny, value
from trials_of_checks import entry

from theorytools import Anchor, CheckError, Control, Enclosure, Outcome, enclosed, judge
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.judging.trial.grading import graded
from theorytools.claims.judging.trial.variants import Trial
from theorytools.claims.papers.loading import load
from theorytools.errors import DomainError


def of(measure, *anchors):
    """A claim whose object is a list of numbers, and what is measured of it."""
    return tiny(
        construct=lambda p: [1] * p.N, measure=lambda xs, p: {value: measure(xs)}, asserts=[value <= 10 * N],
        anchors=anchors, controls=[Control("large", breaks=value, measure=lambda xs, p: {value: 1000})],
    )  # fmt: skip


UNEQUAL = Anchor("entries 1, 2, 5", [1, 2, 5], {value: 5}, source="by hand")
SLIPS = {"min": min, "the first": lambda xs: xs[0], "the sum": sum, "the last but one": lambda xs: xs[-2]}


def test_the_right_measurement_passes_its_anchors():
    assert judge(of(max, UNEQUAL), "toy.lemma").outcome == Outcome.HOLDS


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_fails_an_anchor_that_tells_it_apart(slip):
    # the rows alone do not see it: all entries are 1
    assert judge(of(SLIPS[slip]), "toy.lemma").outcome == Outcome.HOLDS
    with pytest.raises(CheckError, match="entries 1, 2, 5"):
        judge(of(SLIPS[slip], UNEQUAL), "toy.lemma")


def test_bits_are_no_nats_and_a_rational_is_no_root():
    two = Anchor("two equal items", [1, 1], {value: log(2)})
    nats = lambda xs: enclosed(lambda: Enclosure(len(xs)).log())  # noqa: E731
    bits = lambda xs: enclosed(lambda: Enclosure(len(xs)).log() / Enclosure(2).log())  # noqa: E731
    assert judge(of(nats, two), "toy.lemma").outcome == Outcome.HOLDS
    with pytest.raises(CheckError, match="log\\(2\\)"):
        judge(of(bits, two), "toy.lemma")
    with pytest.raises(CheckError, match="sqrt"):  # the double next to it is exact, and no root
        judge(of(lambda xs: Fraction(2**0.5), Anchor("a root", [1], {value: sqrt(2)})), "toy.lemma")


def test_an_anchor_that_cannot_be_measured_or_has_no_value_says_so():
    with pytest.raises(CheckError, match="was not measured"):
        judge(of(lambda xs: xs[7], UNEQUAL), "toy.lemma")
    with pytest.raises(DomainError, match="without a value"):
        Anchor("nothing", [1], {})
    with pytest.raises(DomainError, match="float"):
        Anchor("a float", [1], {value: 0.1})


def test_a_change_that_nothing_sees_asks_for_an_anchor(tmp_path):
    code = """
claim = Claim("L", **told, scope={"every N": "points"}, grid=grid(N=[4, 8]), asserts=[value <= N],
              construct=lambda p: [1] * p.N, measure=lambda xs, p: {value: max(xs)}, ANCHORS
              controls=[Control("more", breaks=value, construct=lambda p: [100])])
"""

    def unseen(name, anchors):
        place = entry(tmp_path / name, code.replace("ANCHORS", f"anchors=[{anchors}],"))
        trial = Trial(load(place), place, judge_entry(place))
        return {change.after for change in graded(trial) if not change.seen}

    assert unseen("none", "") == {"min(xs)", "next(iter(xs))"}
    assert unseen("one", 'Anchor("5 first", [5, 2], {value: 5})') == {"next(iter(xs))"}
    assert unseen("two", 'Anchor("5 first", [5, 2], {value: 5}), Anchor("5 last", [2, 5], {value: 5})') == set()
