"""Statements about slopes: the bound's slope on the window that was measured, never the exponent at infinity."""

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses
from sympy import Integer, Rational, log, sqrt
from tiny import M, N, tiny, value, x

from theorytools import (
    Bound,
    CheckError,
    Control,
    DomainError,
    Enclosure,
    Estimate,
    Evidence,
    Outcome,
    Recipe,
    curve_slope,
    enclosed,
    exactly,
    grid,
    judge,
)
from theorytools.claims.judging.description import formulas
from theorytools.claims.judging.falsify import falsify
from theorytools.claims.language.bound import recipe
from theorytools.claims.language.estimate import Budget, fitted
from theorytools.claims.language.ladder import Ladder
from theorytools.claims.language.slope import (
    LogLogSlope,
    on_window,
    over_window,
    slopes_in,
    window_text,
    without_slopes,
)
from theorytools.reporting.mathml import mathml

WINDOW = (4, 8, 12, 16, 20, 24)
windows = st.lists(st.integers(1, 5000), min_size=2, max_size=5, unique=True)


def first(made):
    return Ladder(as_recipe_of(made), 0.0, Budget()).at(0)


def as_recipe_of(made):
    return made if isinstance(made, Recipe) else recipe(made, {})


def numpy_slope(window, heights):
    return np.polyfit(np.log(np.asarray(window, float)), np.log(np.asarray(heights, float)), 1)[0]


# -- the slope of a formula on a window --------------------------------------------------------------------------------
def test_slopes_on_windows_bind_their_letter_and_have_no_limit():
    curve = N * log(N)
    assert Bound(curve).exponent(N) == 1
    assert 1.45 < float(first(LogLogSlope(curve, N).over(WINDOW)).low.value) < 1.47
    node = LogLogSlope(M * N**x, N)
    assert node.free_symbols == {M, x}
    assert slopes_in(1 + 2 * node) == [node]
    assert without_slopes(1 + 2 * node) == 1 + 2 * M * N**x
    assert over_window(node, WINDOW).free_symbols == {M, x}
    assert pickle.loads(pickle.dumps(node)) == node
    assert node.is_real
    assert abs(float(recipe(over_window(node, WINDOW), {"M": 7, "x": Fraction(1, 2)}).steps(0, Budget()).__next__()
                     .low.value) - 0.5) < 1e-15  # fmt: skip
    assert LogLogSlope(M + 1, N).over(WINDOW) == 0
    assert window_text([4, 0.5, Fraction(1, 3), "8"]) == [4, "1/2", "1/3", 8]


@examples(12, windows, st.fractions(-3, 3, max_denominator=4))
def test_three_routes_to_the_slope_agree(window, power):
    """The formula over the window, Bound.slope, and polyfit in doubles."""
    curve = 3 * N**power + log(N + 1)
    made = first(LogLogSlope(curve, N).over(window))
    other = Bound(curve).slope(N, window)
    assert made.low <= other.upper
    assert other.lower <= made.high
    heights = [Bound(curve).value(N=size) for size in window]
    # the slope is a ratio of sums over x - mean(x); its relative rounding grows like mean/spread, at most 5000 here
    assert float(made.low.value) == pytest.approx(numpy_slope(window, heights), abs=1e-9 * 5000)


@examples(12, windows, st.fractions(-3, 3, max_denominator=5), st.integers(1, 50))
def test_of_a_power_it_is_the_exponent_on_every_window(window, power, factor):
    made = first(LogLogSlope(factor * N ** Rational(power.numerator, power.denominator), N).over(window))
    # the ends are those of a ball at 64 bits or more: the sums cancel by less than 2^30 on these windows
    assert made.low <= power <= made.high
    assert float(made.high.value) - float(made.low.value) < 1e-9


@pytest.mark.parametrize("window", [[4], [4, 4], [0, 4], [-1, 4], []])
def test_a_window_has_two_positive_sizes(window):
    with pytest.raises(DomainError, match="at least two distinct positive sizes"):
        LogLogSlope(N, N).over(window)
    with pytest.raises(DomainError, match="at least two distinct positive sizes"):
        on_window(exactly(1), window)


# -- the slope of a known curve ----------------------------------------------------------------------------------------
def test_known_curves_have_enclosed_slopes_that_climb_as_before():
    made = first(curve_slope(WINDOW, [size * (size + 1) for size in WINDOW]))
    assert made.evidence is Evidence.ENCLOSED
    assert made.work["window"] == list(WINDOW)
    wanted = Bound(N * (N + 1)).slope(N, WINDOW)
    assert made.low <= wanted.upper
    assert wanted.lower <= made.high
    flat = first(curve_slope(WINDOW, [Fraction(2, 7)] * 6))
    assert (flat.evidence, flat.low.value, flat.high.value) == (Evidence.EXACT, 0, 0)
    roots = curve_slope((4, 16), [lambda: Enclosure(2).log(), lambda: 2 * Enclosure(2).log()])
    assert first(roots).low <= Fraction(1, 2) <= first(roots).high
    recipe_of = enclosed(lambda: Enclosure(2).sqrt())
    climbed = list(on_window(recipe_of, WINDOW).steps(0.0, Budget(bits=256)))
    plain = list(recipe_of.steps(0.0, Budget(bits=256)))
    assert [replace(step, work={}) for step in climbed] == [replace(step, work={}) for step in plain]
    assert all(step.work == {**p.work, "window": list(WINDOW)} for step, p in zip(climbed, plain, strict=True))


@pytest.mark.parametrize("heights", [[1, 2], [1, 2, 3, 4, 5, 0], [1, 2, 3, 4, 5, -6]])
def test_heights_fit_the_window_and_are_positive(heights):
    with pytest.raises(DomainError):
        curve_slope(WINDOW, heights)


def test_how_slopes_are_written_and_refused():
    bound = value.slope(N, M * N**2)
    assert bound.name == "slope of value <= slope of M*N**2 in N"
    assert bound.latex() == r"\operatorname{slope}_{N}\left[v\right] \le \operatorname{slope}_{N}\left(M N^{2}\right)"
    near = value.slope(N, N, "==", within=Rational(1, 20))
    assert near.name == "slope of value == slope of N in N ± 1/20"
    assert (near.sloped, (value <= N).sloped, (value <= N).left_latex) == (True, False, "v")
    assert "<mi>slope</mi>" in mathml(bound.latex())
    refuses(
        DomainError, (lambda: value.slope(4, N), "variable: a Symbol"),
        (lambda: value.slope(N, N, "<=", within=1), "'=='"), (lambda: value.slope(N, 0.5 * N), "float"),
    )  # fmt: skip
    with pytest.raises(CheckError, match="without a window"):
        value.slope(N, N).on(Estimate.of(Fraction(1)))
    plain = value <= N
    assert plain.on(Estimate.of(Fraction(1))) is plain
    with pytest.raises(CheckError, match="without a window"):
        judge(claim(1, 1, value.slope(N, N), window=[]), "toy.lemma_01")
    with pytest.raises(CheckError, match="without a window"):
        judge(claim(1, 1, value.slope(N, N), measure=lambda thing, p: {value: 1}), "toy.lemma_01")


# -- judged -----------------------------------------------------------------------------------------------------------
def claim(low, high, assertion, window=WINDOW, **changed):
    """A claim at M = 2 about a fitted slope between low and high; the control has 9."""
    measure = lambda thing, p: {value: fitted(low, high, window=list(window))}  # noqa: E731
    nine = lambda thing, p: {value: on_window(exactly(9), window)}  # noqa: E731
    spoiled = Control("a steep curve", breaks=value, measure=nine)
    parts = {
        "asserts": [assertion],
        "grid": grid(M=[2]),
        "measure": measure,
        "controls": [spoiled],
        "construct": lambda p: None,
    }
    return tiny(**{**parts, **changed})


@pytest.mark.parametrize(
    ("low", "high", "assertion", "outcome"),
    [(1.30, 1.44, value.slope(N, N * log(N)), Outcome.HOLDS),  # the slope on the window is 1.458
     (1.30, 1.50, value.slope(N, N * log(N)), Outcome.UNDECIDED),
     (1.47, 1.50, value.slope(N, N * log(N)), Outcome.REFUTED),
     (1.30, 1.44, value.slope(N, N), Outcome.REFUTED),  # its limit would be the wrong bound
     (1.30, 1.50, value.slope(N, N**2, "==", within=1), Outcome.HOLDS),
     (1.30, 1.50, value.slope(N, N**2, "==", within=Rational(1, 4)), Outcome.REFUTED),
     (2.00, 2.04, value.slope(N, N**Rational(1, 20) * N**M), Outcome.HOLDS)],  # a margin is a power
)  # fmt: skip
def test_the_whole_interval_is_compared_with_the_slope_on_the_window(low, high, assertion, outcome):
    verdict = judge(claim(low, high, assertion), "toy.lemma_01")
    assert verdict.outcome is outcome
    assert verdict.evidence is Evidence.FITTED
    assert verdict.rows[0].assertion == assertion.name


def test_enclosed_slopes_have_power_and_the_window_measured_decides():
    exact = lambda thing, p: {value: curve_slope(WINDOW, [2 * n + 1 for n in WINDOW])}  # noqa: E731
    tight = Rational(1, 10**12)  # two enclosures of one number at 64 bits and more
    verdict = judge(claim(0, 0, value.slope(N, 2 * N + 1, "==", within=tight), measure=exact), "toy.lemma_01")
    assert (verdict.outcome, verdict.evidence, verdict.power) == (Outcome.HOLDS, Evidence.ENCLOSED, 1.01)
    off = judge(claim(0, 0, value.slope(N, 2 * N, "==", within=tight), measure=exact), "toy.lemma_01")
    assert off.outcome is Outcome.REFUTED
    # On 4, …, 24 the slope of N log N is 1.458, on 10^3, …, 10^6 it is 1.1.
    near = value.slope(N, N * log(N), "==", within=Rational(1, 50))
    assert judge(claim(1.45, 1.46, near), "toy.lemma_01").outcome is Outcome.HOLDS
    far = [10**k for k in range(3, 7)]
    assert judge(claim(1.45, 1.46, near, far), "toy.lemma_01").outcome is Outcome.REFUTED
    low, high = (numpy_slope(far, [n * np.log(n) for n in far]) + s for s in (-0.01, 0.01))
    assert judge(claim(low, high, near, far), "toy.lemma_01").outcome is Outcome.HOLDS


def test_curves_have_letters_documents_and_violations():
    made = claim(1.9, 1.99, value.slope(N, N**x), lets={x: M * sqrt(Integer(1))})
    assert judge(made, "toy.lemma_01").outcome is Outcome.HOLDS
    with pytest.raises(CheckError, match="the letter x has no value"):
        claim(1.9, 1.99, value.slope(N, N**x))
    with pytest.raises(CheckError, match="the node"):
        claim(1.9, 1.99, value.slope(N, N ** log(N).diff(N, evaluate=False)))
    made = claim(1.9, 1.99, value.slope(N, N**M))
    (entry,) = formulas(made)["assertions"]
    assert entry["quantity_latex"] == r"\operatorname{slope}_{N}\left[v\right]"
    assert [each["name"] for each in formulas(made)["letters"]] == ["M"]
    assert falsify(made, "toy.lemma_01", evaluations=20).row is not None  # at M = 1 the bound is 1
