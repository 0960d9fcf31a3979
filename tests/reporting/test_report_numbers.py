"""Numbers of a report: no more digits than an interval supports, and rounding to the safe side."""

from fractions import Fraction

import pytest
from report_examples import undecided_claim
from report_parts import between, rational, row

from theorytools.reporting import numbers


@pytest.mark.parametrize(
    ("estimate", "text"),
    [(rational(Fraction(1, 3)), "0.333333"), (rational(1048576), "1048576"),
     (rational(Fraction(7, 10**4567)), "7e-4567"), (rational(Fraction(-(10**400), 3)), "-3.33333e399"),
     (between(0.9375, 1.0625), "[0.9375, 1.063]"), (between(1.00001e-6, 1.00002e-6), "1.0000e-6"),
     (between(1.1e-6, 1.3e-6), "[1.100, 1.301]e-6"), (between(0.5, None), "[0.5000, ∞]")],
)  # fmt: skip
def test_numbers_show_no_more_than_the_interval_supports(estimate, text):
    assert numbers.estimate_text(estimate) == text


def test_gigabit_exponents_are_read_and_slack_rounded_to_the_safe_side():
    # log10(m 2^e) = log10(m) + e log10(2) = 7.2809 - 434415868.6 for m = 0x1234567, e = -1443098280
    low, _ = numbers.ends(undecided_claim()["rows"][0]["measured"])
    assert abs(low.adjusted() - (7 - 434_415_869)) <= 2
    exact = row({}, rational(3), rational(Fraction(299999, 100000)), truth=False, slack=0.99999666)
    assert numbers.slack_text(exact, "<=") == "< 1"
    assert numbers.slack_text(row({}, rational(3), rational(4), slack=4 / 3), "<=") == "1.333"
    assert numbers.slack_text(row({}, between(0.0, 0.5), rational(4), slack=8.0), "<=") == "≥ 8.0"
    assert numbers.slack_text(row({}, between(1.0, 2.0), rational(4), slack=2.0), "<=") == "2.0 … 4.0"
