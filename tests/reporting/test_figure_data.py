"""A figure in numbers: every row can be joined with others by the letters of its point, and its ends are certain."""

import csv
import io
import re
from fractions import Fraction

import pytest
from report_examples import exact_claim

from theorytools.reporting.figure_data import chart_csv


def test_rows_carry_their_points_and_the_controls_their_names():
    verdict = exact_claim()
    shown = next(iter(dict.fromkeys(row["assertion"] for row in verdict["rows"])))
    lines = list(csv.DictReader(io.StringIO(chart_csv(verdict, shown))))
    own = [row for row in verdict["rows"] if row["assertion"] == shown]
    assert [{name: line[name] for name in own[0]["point"]} for line in lines] == [row["point"] for row in own]
    assert [line["control"] for line in lines] == [row["control"] for row in own]


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(-2, 3), Fraction(10**400 + 1, 7), Fraction(7, 10**400 + 1)])
def test_numbers_of_a_csv_are_short_and_enclose(value):
    exact = {"q": [hex(value.numerator), hex(value.denominator)]}
    row = {"point": {"N": "1/3"}, "assertion": "a", "control": "", "truth": True, "relation": "==",
           "measured": {"low": exact, "high": exact, "show": [None, None]},
           "bound": [{"show": [None, 1.0]}]}  # fmt: skip
    (line,) = csv.DictReader(io.StringIO(chart_csv({"rows": [row]}, "a")))
    assert Fraction(line["measured_low"]) <= value <= Fraction(line["measured_high"])
    assert all(len(re.sub(r"e.*|[-.]|^0\.0*", "", line[end])) <= 18 for end in ("measured_low", "measured_high"))
    assert (line["bound_low"], line["bound_high"], line["N"]) == ("-inf", "1", "1/3")
    assert line["relation"] == "equal to"  # no formula
