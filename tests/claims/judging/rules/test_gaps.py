"""What one row or a few would have seen, against brute force: the bound is moved, and the row judges it again."""

import math
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools import Estimate, Evidence
from theorytools.claims.judging.horizon import horizon
from theorytools.claims.judging.horizon import tested as sizes_of
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.relation import related
from theorytools.numbers import End

CLOSE = Fraction(1, 10**6)


def estimate(low, high=None):
    return Estimate(End(Fraction(low)), End(Fraction(low if high is None else high)), Evidence.ENCLOSED)


def row(measured, bounds, relation="<=", at=4, **changed):
    """A true row at the point N = ``at``; ``measured`` and each of ``bounds`` is a pair of ends."""
    made = [estimate(*ends) for ends in bounds]
    parts = {"point": {"N": str(at)}, "control": "", "assertion": "v", "quantity": "v", "relation": relation,
             "truth": True, "measured": estimate(*measured), "bound": tuple(made), "vacuous": False, "tied": False,
             "steps": 1}  # fmt: skip
    return Row(**{**parts, **changed})


def refuted(one, factor, *, away=False):
    """Whether a row refutes its own bound after it was moved by a factor towards falsehood, or away from it."""
    if one.relation == "==":
        low, high = (Fraction(int(end.low.value.p), int(end.low.value.q)) for end in one.bound)
        middle, width = (low + high) / 2, (high - low) / 2
        moved = middle / factor if away else middle * factor
        return related("==", one.measured, [estimate(moved - width), estimate(moved + width)]) is False
    low, high = (Fraction(int(e.value.p), int(e.value.q)) for e in (one.bound[0].low, one.bound[0].high))
    shrink = (one.relation == "<=") == (low > 0)
    moved = (low / factor, high / factor) if shrink else (low * factor, high * factor)
    return related(one.relation, one.measured, [estimate(*moved)]) is False


def constant(*rows):
    (found,) = horizon(rows).values()
    return found["constant"]


sizes = st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=60)


# -- constants ---------------------------------------------------------------------------------------------------------
@examples(40, sizes, sizes, sizes, st.sampled_from(["<=", ">="]), st.sampled_from([1, -1]))
def test_the_constant_of_an_inequality_is_the_first_that_the_row_refutes(a, b, c, relation, sign):
    first, *others = sorted((a, b, c))
    measured, bound = (
        ((first, others[0]), (others[1], 2 * others[1]))
        if (relation == "<=") == (sign > 0)
        else ((2 * others[0], 3 * others[1]), (first, others[0]))
    )
    pairs = [tuple(sorted(sign * x for x in pair)) for pair in (measured, bound)]
    one = row(pairs[0], [pairs[1]], relation)
    found = 1 + Fraction(constant(one))
    assert refuted(one, found * (1 + CLOSE))
    assert not refuted(one, found * (1 - CLOSE))


@examples(40, sizes, st.integers(1, 49), st.integers(-49, 49))
def test_of_an_equality_the_larger_gap_counts_and_both_are_those_of_the_mirrored_row(centre, share, place):
    within = centre * Fraction(share, 100)
    a = centre + within * Fraction(place, 50)
    one = row((a, a), [(centre - within,) * 2, (centre + within,) * 2], "==")
    mirrored = row((-a, -a), [(-centre - within,) * 2, (-centre + within,) * 2], "==")
    found = 1 + Fraction(constant(one))
    assert math.isclose(constant(one), constant(mirrored), rel_tol=1e-12)
    up, down = (a + within) / centre, centre / (a - within)
    assert math.isclose(found, max(up, down), rel_tol=1e-9)
    for away, factor in ((False, up), (True, down)):
        assert refuted(one, factor * (1 + CLOSE), away=away)
        assert not refuted(one, factor * (1 - CLOSE), away=away)


def test_wide_ends_of_an_equality_count_on_the_safe_side():
    """A move is refuted where even the right side that is nearest to the measured interval is too far."""
    one = row((9, 11), [(8, Fraction(17, 2)), (12, 13)], "==")
    up, down = (11 + Fraction(5, 2)) / 10, Fraction(43, 4) / (9 - Fraction(5, 2))
    assert math.isclose(1 + constant(one), max(up, down), rel_tol=1e-9)
    negative = row((-11, -9), [(-13, -12), (Fraction(-17, 2), -8)], "==")
    assert math.isclose(constant(one), constant(negative), rel_tol=1e-12)
    high = row((11, 13), [(8, 9), (14, 15)], "==")
    up, down = (13 + Fraction(7, 2)) / 11, 12 / (11 - Fraction(7, 2))
    assert math.isclose(1 + constant(high), max(up, down), rel_tol=1e-9)
    higher = row((12, 14), [(8, 9), (14, 15)], "==")
    assert math.isclose(1 + constant(higher), (14 + Fraction(7, 2)) / 11, rel_tol=1e-9)


def test_a_constant_of_three_hundred_digits_is_told_and_one_of_four_hundred_is_none():
    assert math.isclose(constant(row((1, 1), [(10**299, 10**299)])), 1e299, rel_tol=1e-9)
    assert constant(row((1, 1), [(10**400, 10**400)])) is None
    assert constant(row((3, 3), [(3, 3)])) == 0.0


def test_a_side_that_meets_zero_or_has_no_end_says_nothing():
    for measured, bound, relation in [
        ((0, 0), (1, 1), "<="), ((-1, 1), (2, 2), "<="), ((-2, -1), (3, 3), "<="), ((1, 1), (0, 0), ">="),
        ((1, 2), (-1, 0), ">="), ((1, 2), (-2, -1), ">="), ((0, 0), (-1, 1), "=="),
    ]:  # fmt: skip
        assert constant(row(measured, [bound], relation)) is None
    unbounded = Estimate(End(Fraction(1)), End.from_json({"inf": 1}), Evidence.ENCLOSED)
    assert constant(row((1, 1), [(2, 2)], bound=(unbounded,))) is None
    assert constant(row((1, 1), [(2, 2), (3, 3)], "==", bound=(estimate(0), unbounded))) is None
    assert math.isclose(constant(row((1, 1), [(2, 2)]), row((0, 0), [(1, 1)])), 1)  # the other row still counts


def test_only_true_rows_of_the_claim_itself_are_asked_each_assertion_by_itself():
    tight = row((1, 1), [(1, 1)], truth=None)
    spoiled, slack = row((1, 1), [(1, 1)], control="spoiled"), row((1, 1), [(2, 2)])
    found = horizon([tight, spoiled, slack, row((1, 1), [(5, 5)], assertion="w")])
    assert {name: round(seen["constant"], 9) for name, seen in found.items()} == {"v": 1, "w": 4}


def test_zero_is_exact_zero_on_both_sides():
    assert horizon([row((0, 0), [(0, 0)], "==")])["v"]["zero"] is True
    for measured, bounds in [((0, 0), [(0, 0), (0, 1)]), ((-1, 1), [(0, 0)]), ((0, 1), [(0, 0)]), ((0, 0), [(-1, 0)])]:
        assert horizon([row(measured, bounds, "==")])["v"]["zero"] is False
    assert horizon([row((1, 1), [(2, 2)], "=="), row((0, 0), [(0, 0)], "==")])["v"]["zero"] is True


# -- exponents ---------------------------------------------------------------------------------------------------------
def slacks(relation, **at):
    """Rows of an inequality, each with the factor between its sides by size."""
    pairs = [((1, 1), (f, f)) if relation == "<=" else ((f, f), (1, 1)) for f in at.values()]
    return [row(m, [b], relation, at=int(n[1:])) for n, (m, b) in zip(at, pairs, strict=True)]


def rejects(rows, change, both=False):
    """Whether some row refutes the bound times a function of the size, for every constant before it where asked."""
    return any(refuted(one, 1 / Fraction(change(int(one.point["N"])))
                       if one.relation == "<=" else Fraction(change(int(one.point["N"])))) for one in rows)  # fmt: skip


@pytest.mark.parametrize("relation", ["<=", ">="])
@pytest.mark.parametrize("factors", [(2, 3, 5), (5, 3, 2), (2, 9, 2), (9, 2, 9)])
def test_the_least_exponent_of_an_inequality_is_the_first_that_is_refuted(relation, factors):
    rows = slacks(relation, **{f"N{size}": factor for size, factor in zip((4, 32, 1024), factors, strict=True)})
    up, down = horizon(rows)["v"]["exponents"]["N"]
    largest_agrees = {"<=": 1024, ">=": 4}[relation]
    smallest_agrees = {"<=": 4, ">=": 1024}[relation]
    for delta, base, sign in ((up, largest_agrees, 1), (down, smallest_agrees, -1)):
        for scale, answer in ((1.001, True), (0.999, False)):
            assert rejects(rows, lambda n, d=sign * delta * scale, b=base: Fraction((n / b) ** d)) is answer


def test_of_an_equality_every_constant_is_tried():
    rows = [row((1, 1), [(1 - w,) * 2, (1 + w,) * 2], "==", at=n)
            for n, w in ((4, Fraction(1, 10)), (32, Fraction(1, 5)), (1024, Fraction(1, 3)))]  # fmt: skip
    up, down = horizon(rows)["v"]["exponents"]["N"]

    def survives(delta):
        """Whether one constant c keeps c x^δ within all rows: 1 + w - w <= ... as the rows judge it."""
        constants = [math.exp(k / 2000) for k in range(-8000, 8000)]
        return any(not any(refuted(r, Fraction(c * int(r.point["N"]) ** delta)) for r in rows) for c in constants[::40])

    assert survives(0.9 * up)
    assert survives(-0.9 * down)
    assert not survives(1.1 * up)
    assert not survives(-1.1 * down)


def test_letters_that_are_asked_for_and_those_that_vary():
    rows = [row((1, 1), [(2, 2)], point={"N": "4", "M": "3", "kind": "plain", "s": "-1", "z": "0"}),
            row((1, 1), [(2, 2)], point={"N": "8", "M": "3", "kind": "odd", "s": "2", "z": "1"})]  # fmt: skip
    assert set(horizon(rows)["v"]["exponents"]) == {"N"}
    assert set(horizon(rows, {"v": ["M"]})["v"]["exponents"]) == set()
    assert set(horizon(rows, {"v": ["N"]})["v"]["exponents"]) == {"N"}
    assert set(horizon(rows, {"w": ["M"]})["v"]["exponents"]) == {"N"}
    shifted = [row((1, 1), [(2, 2)], shifts=("N",)), row((1, 1), [(2, 2)], shifts=("M", "N"))]
    assert horizon(shifted)["v"]["shifts"] == ["M", "N"]


# -- logarithms --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("relation", ["<=", ">="])
@pytest.mark.parametrize(
    ("factors", "seen"),
    [
        ({"N4": 1, "N1024": 1}, True),
        ({"N4": 1, "N1024": 9}, False),  # a log dropped moves nothing at 4 where it agrees
        ({"N4": 9, "N1024": 1}, False),
        ({"N2": 1, "N1024": 1}, True),
        ({"N1": 1, "N1024": 1}, False),  # log 1 = 0: one size is left
        ({"N1": 1, "N2": 9, "N1024": 9}, True),
        ({"N1": 1, "N2": 11, "N1024": 11}, False),
        ({"N1": 1, "N2": 9, "N1024": 11}, False),
        ({"N4": 9, "N32": 1, "N1024": 9}, True),
        ({"N1": 1}, False),
    ],
)
def test_a_factor_log_is_seen_where_added_and_dropped_it_is_refuted(relation, factors, seen):
    """log 1024 / log 4 = 5, log 1024 / log 2 = 10."""
    assert horizon(slacks(relation, **factors))["v"]["logs"] == (["N"] if seen else [])


@pytest.mark.parametrize(
    ("small", "large", "seen"),
    [(Fraction(1, 10), Fraction(1, 10), True), (Fraction(1, 10), Fraction(3, 5), True),
     (Fraction(1, 2), Fraction(3, 4), False), (Fraction(3, 4), Fraction(1, 2), False)],
)  # fmt: skip
def test_of_an_equality_a_log_is_seen_where_no_constant_saves_it(small, large, seen):
    """c log x meets [(1 + 2 w) at most, 1 at least ...] at 4 and 1024, where the logs are as 1 to 5."""
    rows = [row((1, 1), [(1 - w,) * 2, (1 + w,) * 2], "==", at=n) for n, w in ((4, small), (1024, large))]
    ups, downs = [1 + small, 1 + large], [1 / (1 - small), 1 / (1 - large)]
    assert (max(ups[0] * downs[1], downs[0] * ups[1]) < 5) is seen
    assert horizon(rows)["v"]["logs"] == (["N"] if seen else [])


# -- tested sizes ------------------------------------------------------------------------------------------------------
def test_the_ends_of_an_axis_are_compared_as_numbers():
    points = [{"N": "10", "y": "1/2", "k": "odd", "z": "1/0"}, {"N": "9", "y": "1/3", "k": "even", "z": "2"},
              {"N": "9", "y": "0.25", "k": "odd", "z": "2"}]  # fmt: skip
    assert sizes_of(points) == {
        "N": {"low": "9", "high": "10", "values": 2}, "y": {"low": "0.25", "high": "1/2", "values": 3},
        "z": {"low": "2", "high": "2", "values": 1},
    }  # fmt: skip
