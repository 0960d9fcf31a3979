"""A claim without one of its hypotheses, or with a weaker one, is refuted where that hypothesis was missing."""

from dataclasses import replace
from fractions import Fraction

import pytest
from sympy import Rational
from tiny import N, tiny, value

from theorytools import Claim, Control, Quantity, grid, letter
from theorytools.claims.judging.falsify import falsify
from theorytools.claims.judging.run import EVALUATIONS, SECONDS
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.work import RATE

slope = letter("slope", "a number of the sample", nonnegative=True)
drawn = Quantity("drawn", "f", "of a sample", (0, None))


@pytest.mark.parametrize(
    ("id", "hypothesis"),
    [
        ("sep.assoc_recall_queries_layers", "(K_keys >= 8) | (N <= 2) | (asked <= 2)"),
        ("qstr.lemma_15_cover", "R_F*r_z**3/eps_c >= 4"),
    ],
)
def test_a_claim_without_one_hypothesis_is_refuted_by_as_many_points_as_a_claim_of_ones_own_has(id, hypothesis):
    entry = next(entry for entry in Catalogue(find_roots()).select([id]) if entry.id == id)
    claim = load(entry)
    rest = [each for each in claim.requires if str(each) not in (hypothesis, hypothesis.replace("K_keys", "K"))]
    assert len(rest) == len(claim.requires) - 1
    found = falsify(replace(claim, requires=rest), id, evaluations=EVALUATIONS, judged=True, operations=SECONDS * RATE)
    assert found.row is not None
    assert found.row.truth is False


def sampled(limit):
    """One sample of a hundred has a slope above 1, where the statement fails; half of them above 2 are outside."""

    def construct(p):
        return Fraction(int(p.rng("slope").integers(0, 256)), 64)

    return Claim(
        "A statement of samples", asserts=[drawn <= 1], requires=[N >= 2, slope <= limit], derived=[slope],
        derive=lambda made, p: {slope: made}, construct=construct, grid=grid(N=[2, 3]), listed=[N],
        measure=lambda made, p: {drawn: made if made > 1 else 1}, role="statement",
        scope={"every N": "points", "every sample": "drawn"}, source="derived here: samples",
        controls=[Control("more", breaks=drawn, measure=lambda made, p: {drawn: 2})],
    )  # fmt: skip


def test_samples_outside_a_hypothesis_on_what_is_drawn_do_not_end_the_samples_of_a_point():
    """Three quarters of the samples are outside; a weaker hypothesis lets in those at which the statement fails."""
    weaker = falsify(sampled(Rational(17, 16)), "toy.samples", evaluations=400)
    assert weaker.row is not None
    assert weaker.sample > 1
    true = falsify(sampled(1), "toy.samples", evaluations=400)
    assert true.row is None
    assert true.outside > 100
    assert true.samples > 50


def test_a_small_point_that_takes_too_long_does_not_end_the_sizes_between_it_and_the_grid():
    """At N = 1 the check counts for ever; the grid is larger and took no time, so work does not grow with N."""

    def measure(thing, p):
        steps = 0
        while p.N == 1:
            steps += len(str(steps))
        return {value: 1 if p.N < 5 else 0}

    claim = tiny(
        construct=lambda p: p.N, measure=measure, asserts=[value <= 0], grid=grid(N=[8, 9]), requires=[],
        controls=[Control("one", breaks=value, measure=lambda thing, p: {value: 1})],
    )  # fmt: skip
    found = falsify(claim, "toy.small", evaluations=50, seconds=2.0, first=[{"N": 9}, {"N": 1}])
    assert found.row is not None
    assert 2 <= int(found.row.point["N"]) < 5
