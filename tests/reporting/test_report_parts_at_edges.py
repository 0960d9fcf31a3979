"""Numbers of a page and what a plot shows of a verdict, at their edges."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from properties import examples
from report_parts import between, rational, row

from theorytools.reporting import numbers, words
from theorytools.reporting.numbers import fraction, interval, point_text, significant, slack_text
from theorytools.reporting.series import urgency
from theorytools.reporting.words import small

D = Decimal
INFINITY = D("Infinity")


# -- numbers -----------------------------------------------------------------------------------------------------------
@examples(60, st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**6), st.integers(2, 8))
def test_a_rounded_text_names_a_number_on_the_side_that_was_asked_for(exact, digits):
    number = D(exact.numerator) / D(exact.denominator)
    down, up = (Fraction(significant(number, digits, rounding)) for rounding in ("ROUND_FLOOR", "ROUND_CEILING"))
    near = Fraction(significant(number, digits))
    assert down <= Fraction(number) <= up
    assert near in (down, up)
    assert up - down <= abs(Fraction(number)) * Fraction(10, 10**digits)


@pytest.mark.parametrize(
    ("number", "text", "stripped"),
    [
        ("0", "0", "0"),
        ("1", "1.000", "1"),
        ("1234", "1234", "1234"),
        ("12345", "12340", "12340"),
        ("0.001", "0.001000", "0.001"),
        ("0.00099", "9.900e-4", "9.9e-4"),
        ("999999", "1.000e6", "1e6"),
        ("999900", "999900", "999900"),
        ("1000000", "1.000e6", "1e6"),
        ("-0.5", "-0.5000", "-0.5"),
        ("Infinity", "∞", "∞"),
        ("-Infinity", "-∞", "-∞"),
        ("100", "100.0", "100"),
        ("-2.5e-9", "-2.500e-9", "-2.5e-9"),
    ],
)
def test_digits_and_exponents(number, text, stripped):
    assert significant(D(number), 4) == text
    assert significant(D(number), 4, strip=True) == stripped


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        ("3", "3", "3"),
        ("9999999999", "9999999999", "9999999999"),
        ("10000000000", "10000000000", "1e10"),
        ("2.5", "2.5", "2.5"),
        ("1.2341", "1.2342", "1.234"),
        ("1.23", "1.24", "[1.230, 1.240]"),
        ("1.2301", "1.2349", "1.23"),
        ("0.99999", "1.00001", "1.000"),
        ("-1", "1", "[-1.000, 1.000]"),
        ("1e-9", "2e-9", "[1.000, 2.000]e-9"),
        ("1e-9", "2e-8", "[1.000e-9, 2.000e-8]"),
        ("-Infinity", "2", "[-∞, 2.000]"),
        ("1e7", "1e9", "[1.000e7, 1.000e9]"),
        ("1.00001", "1.99999", "[1.000, 2.000]"),
    ],
)
def test_an_interval_is_one_number_where_three_digits_agree(low, high, text):
    assert interval(D(low), D(high)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (64, "64"),
        (1234567890, "1234567890"),
        (12345678901, "≈ 1.23457e10"),
        ("-123456789", "-123456789"),
        ("-1234567890", "≈ -1.23457e9"),
        ("1/2", "0.5"),
        ("1/3", "1/3"),
        ("213/10", "21.3"),
        ("1/1024", "1/1024"),
        ("123456/1000", "123.456"),
        ("1234567/10000", "≈ 123.457"),
        ("1/1000000", "1/1000000"),
        ("1/10000000000", "≈ 1e-10"),
        ("100000000000/1", "≈ 1e11"),
        ("odd", "odd"),
        ("x" * 40, "x" * 40),
        ("x" * 41, "x" * 37 + "…"),
        ("1/0", "1/0"),
    ],
)
def test_a_value_of_an_axis_is_short_and_exact_or_says_that_it_is_not(value, text):
    assert point_text(value) == text
    exact = fraction(str(value))
    if exact is not None and not text.startswith("≈"):
        assert Fraction(text) == exact


@pytest.mark.parametrize(
    ("measured", "bound", "relation", "truth", "slack", "text"),
    [
        (rational(3), rational(4), "<=", True, 4 / 3, "1.333"),
        (rational(4), rational(3), ">=", True, 4 / 3, "1.333"),
        (rational(4), rational(3), "<=", False, 0.75, "0.7500"),
        (rational(3), rational(4), "==", True, 1.25, "1.250"),
        (between(1.0, 1.001), rational(2), "<=", True, 1.99802, "1.998"),
        (between(1.0, 1.05), rational(2), "<=", True, 1.9047, "1.9"),
        (between(1.0, 1.2), rational(2), "<=", True, 1.66, "1.6 … 2.0"),
        (between(0.0, 1.0), rational(2), "<=", True, 2.0, "≥ 2.0"),
        (rational(3), between(4.0, None), "<=", True, 1.25, "≥ 1.2"),
        (rational(0), rational(2), "<=", True, 2.0, "2.000"),
        (rational(-3), rational(2), "<=", True, 2.5, "2.500"),
        (rational(1), rational(2), "<=", True, None, "–"),
        (rational(3), between(0.0, 1.0), "<=", True, 1.5, "0 … 0.34"),
    ],
)
def test_slack_shows_the_digits_that_both_sides_support(measured, bound, relation, truth, slack, text):
    assert slack_text(row({}, measured, bound, truth=truth, slack=slack), relation) == text


def test_a_bound_of_zero_has_a_ratio_and_a_negative_side_none():
    zero = row({}, between(1.0, 2.0), rational(0))
    assert numbers._ratio(zero, "<=") == (0, 0)
    for measured, bound in [
        (between(-1.0, 2.0), rational(1)),
        (rational(1), between(-1.0, 2.0)),
        (rational(0), rational(1)),
        (between(-2.0, -1.0), rational(1)),
    ]:
        assert numbers._ratio(row({}, measured, bound), "<=") is None
    assert numbers._ratio(row({}, between(0.0, 2.0), rational(4)), "<=") == (2, INFINITY)
    assert numbers._ratio(row({}, between(1.0, None), rational(4)), "<=") == (0, 4)
    assert numbers._ratio({**zero, "bound": [rational(1)] * 2}, "<=") is None
    assert numbers._ratio(zero, None) is None


@pytest.mark.parametrize(
    ("made", "text", "dirty"),
    [
        ({"created": "2026-01-02T03:04:05", "commit": "0123456789abcdef"}, "2026-01-02, commit 0123456789ab", False),
        ({"created": "2026-01-02", "commit": "abc-dirty"}, "2026-01-02, commit abc-dirty", True),
        ({"commit": "abc", "changed_since": True}, "commit abc", True),
        ({}, "", False),
        ({"created": None}, "", False),
    ],
)
def test_what_made_a_record_is_its_day_and_its_commit(made, text, dirty):
    assert words.made_from(made) == (text, dirty)
    assert words.record({"record": made}) == (text, dirty)
    read = {"trained": {"b": made, "a": {}}}
    assert words.trained(read) == [("a", "", False), ("b", text, dirty)]
    assert words.uncommitted(read) is words.uncommitted({"record": made}) is dirty


def test_words_of_points_controls_and_evidence():
    rows = [
        row({"N": 2}, rational(1), rational(2)),
        row({"N": 2}, rational(1), rational(2)),
        row({"N": 3}, rational(1), rational(2)),
        row({"N": 4}, rational(1), rational(2), control="c"),
    ]
    assert words.points({"rows": rows}) == "2"
    assert words.points({"rows": rows, "skipped": [1, 2]}) == "2 of 4"
    entries = [{"outcome": "breaks"}, {"outcome": "fails"}, {"outcome": "holds", "repair": True}]
    assert words.controls({"controls": entries}) == "1 of 2 break; repair holds"
    assert words.controls({"controls": entries[2:]}) == "repair holds"
    assert words.controls({}) == "–"
    told = [
        {"applied": 3, "broken": 3, "outcome": "breaks"},
        {"applied": 3, "broken": 1, "outcome": "fails", "detail": "v at 2"},
        {"applied": 2, "broken": 2, "outcome": "holds", "repair": True},
        {"applied": 2, "broken": 0, "outcome": "fails", "repair": True},
        {"applied": 0},
    ]
    assert [words.control(entry) for entry in told] == [
        "breaks at 3 of 3 points",
        "did not break at 2 of 3 points: v at 2",
        "holds at 2 of 2 points",
        "did not hold at 2 of 2 points",
        "applies at no point",
    ]
    assert (
        words.evidence({"evidence": "SAMPLED", "alpha": {"spent": 1.23e-7}}) == "sampled: error probability ≤ 1.3×10⁻⁷"
    )
    assert words.evidence({"evidence": "SAMPLED"}) == words.EVIDENCE["SAMPLED"]
    assert words.evidence({}) == "no evidence"
    assert [small(x) for x in (1e-6, 0.25, 1.21e-7)] == ["1×10⁻⁶", "0.25", "1.3×10⁻⁷"]
    assert [numbers.power_of_ten(k) for k in (-1, 0, 1, 2, 12)] == ["10⁻¹", "1", "10", "10²", "10¹²"]
    assert words.anchor({"id": "a.b", "command": "x --at N=2 --at M=3", "user_points": True}) == "a.b@N=2,M=3"
    assert words.anchor({"id": "a.b", "command": "x --at N=2"}) == "a.b"
    assert (
        words.label({"id": "a.b", "label": "L", "command": "x --at N=2 --at M=3", "user_points": True})
        == "L, at N=2, M=3"
    )


def test_a_failing_row_is_more_urgent_than_an_open_and_that_than_a_tight_one():
    made = [
        row({}, rational(1), rational(2), truth=t, slack=s, vacuous=v)
        for t, s, v in [
            (False, 0.5, False),
            (False, 0.9, False),
            (None, None, False),
            (True, 1.0, False),
            (True, 7.0, False),
            (True, None, False),
            (True, 1.0, True),
        ]
    ]
    assert sorted([*made[3:], *made[:3]], key=urgency) == made
