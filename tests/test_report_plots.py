"""Plots of a report: small, inside their frame, and clear about what has no place."""

import re

import pytest
from report_examples import bare_claim, exact_claim, fitted_claim, long_claim, sampled_claim, undecided_claim
from report_parts import rational

from theorytools import reporting
from theorytools.reporting import numbers
from theorytools.reporting.plots import draw, scale
from theorytools.reporting.series import chart
from theorytools.reporting.svg import HEIGHT, WIDTH


@pytest.mark.parametrize("make", [exact_claim, sampled_claim, fitted_claim, undecided_claim, long_claim])
def test_plots_are_small_and_stay_inside_their_frame(make):
    svg, _, _ = draw(chart(make()), prefix="p", title="t")
    assert len(svg) <= 9_000
    assert "#" not in svg.replace('href="#p', "")  # no colour of its own
    for x, y in re.findall(r'<use href="[^"]*" x="([^"]*)" y="([^"]*)"', svg):
        assert -1 <= float(x) <= WIDTH + 1
        assert -1 <= float(y) <= HEIGHT + 1


def test_plot_takes_the_axis_with_most_numbers_and_marks_what_has_no_place():
    assert chart(exact_claim()).axis == "N"
    assert chart(fitted_claim()).axis == "model"
    assert chart(bare_claim()) is None
    assert chart(long_claim()).tightest
    shown = reporting.render_html([sampled_claim()], [], run={})
    assert "△ no finite upper end." in shown
    ends = numbers.ends(rational(0)) + numbers.ends(rational(100)) + numbers.ends(rational(1))
    assert scale(list(ends), ratio=30, pad=0.05).place(ends[0]) is None
