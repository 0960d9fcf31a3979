"""Plots of a report: small, inside their frame, and clear about what has no place."""

import re
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_examples import bare_claim, exact_claim, fitted_claim, long_claim, sampled_claim, undecided_claim
from report_parts import rational, row, verdict

from theorytools.reporting import numbers
from theorytools.reporting.canvas import Canvas
from theorytools.reporting.canvas import number as written
from theorytools.reporting.numbers import significant
from theorytools.reporting.plots import HEIGHT, LETTER, WIDTH, draw, figure
from theorytools.reporting.rendering import fill
from theorytools.reporting.scales import linear_ticks, scale
from theorytools.reporting.series import chart


@pytest.mark.parametrize("make", [exact_claim, sampled_claim, fitted_claim, undecided_claim, long_claim])
def test_plots_are_small_and_stay_inside_their_frame(make):
    svg, _, _ = draw(chart(make()), title="t")
    assert len(svg) <= 9_000
    assert "#" not in svg  # no colour of its own, and nothing that another plot of the page could share
    spots = re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", svg) + re.findall(r'x="([^"]*)" y="([^"]*)"', svg)
    assert len(spots) >= 2 * len(chart(make()).measured)
    for x, y in spots:
        assert 0 <= float(x) <= WIDTH
        assert 0 <= float(y) <= HEIGHT
    assert all(0 <= float(x) <= WIDTH for x in re.findall(r"H(-?[\d.]+)", svg))
    assert all(0 <= float(y) <= HEIGHT for y in re.findall(r"V(-?[\d.]+)", svg))


@given(
    st.lists(st.tuples(*2 * [st.sampled_from([0, 0.04, 0.06, 3.5, 17, 200])]), min_size=1, max_size=6), st.booleans()
)
@settings(max_examples=60)
def test_a_line_goes_through_its_points(points, closed):
    canvas = Canvas("t", WIDTH, HEIGHT)
    canvas.line("measured", points, closed=closed)
    path = re.search(r'd="([^"]*)"', canvas.text())[1]
    assert path.endswith("z") == closed
    walked, at = [], ["", ""]
    for step, where in re.findall(r"([MLHV])([^MLHVz]*)", path):
        at = where.split() if step in "ML" else [where, at[1]] if step == "H" else [at[0], where]
        walked.append(tuple(at))
    assert walked == [tuple(map(written, point)) for point in points]


@pytest.mark.parametrize("longest", [4, 40, 400])
def test_labels_stay_inside_the_picture(longest):
    rows = [row({"N": N}, rational(N), rational(N + 1)) for N in (2, 10**longest // 7)]
    svg, _, _ = draw(chart(verdict("long", rows=rows)), title="t")
    groups = re.findall(r'<g [^>]*text-anchor="(\w+)">(.*?)</g>', svg)
    labels = [
        (anchor, *found) for anchor, group in groups for found in re.findall(r'<text x="([^"]*)"[^>]*>([^<]*)<', group)
    ]
    assert len(labels) >= 4
    for anchor, x, label in labels:
        half = LETTER * len(label) / 2
        middle = float(x) - half if anchor == "end" else float(x)
        assert middle - half >= -0.1
        assert middle + half <= WIDTH + 0.1


def test_the_axis_is_the_size_letter_where_it_takes_three_values():
    points = [{"N": N, "d_e": d_e} for N, d_e in ((64, 23), (64, 64), (128, 67), (256, 89))]
    rows = [row(point, rational(1), rational(2), slack=2.0) for point in points]
    assert chart(verdict("lemma_11", rows=rows)).axis == "N"
    assert chart(verdict("lemma_11", rows=rows[:3])).axis == "d_e"  # two values of N are no curve


def test_marks_lie_where_their_numbers_say_on_the_fullest_axis():
    shown = chart(exact_claim())
    svg, across, up = draw(shown, title="t")
    dots = svg.split('<g class="measured dots">')[1].split("</g>")[0]
    spots = [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)h0", dots)]
    places = [(across.place(m.x), up.place(m.low)) for m in shown.measured]
    assert len(spots) == len(places)
    for k, sign in ((0, 1), (1, -1)):  # affine in each direction; y grows downwards
        pairs = [(place[k], spot[k]) for place, spot in zip(places, spots, strict=True)]
        (a, first), (b, last) = min(pairs), max(pairs)
        assert sign * (last - first) > 100
        assert all(abs(first + (place - a) * (last - first) / (b - a) - spot) < 0.11 for place, spot in pairs)
    assert chart(exact_claim()).axis == "N"
    assert chart(fitted_claim()).axis == "model"
    assert chart(bare_claim()) is None
    assert chart(long_claim()).tightest
    assert figure(sampled_claim()).open_above
    assert "△ no finite upper end." in fill("plot", figure=figure(sampled_claim()), claim="", href="")
    ends = numbers.ends(rational(0)) + numbers.ends(rational(100)) + numbers.ends(rational(1))
    assert scale(list(ends), ratio=30, pad=0.05).place(ends[0]) is None


@pytest.mark.parametrize(("marks", "said"), [
    (("both", "zero", True, True), "Both scales are logarithmic. ▽ the interval reaches down to zero. "
     "△ no finite upper end. Each position shows its tightest row only."),
    (("up", "", False, False), "The vertical scale is logarithmic."),
    (("across", "none", False, False), "The horizontal scale is logarithmic. ▽ no finite lower end."),
    (("", "", False, False), ""),
])  # fmt: skip
def test_a_caption_says_what_the_marks_mean(marks, said):
    names = ("logarithmic", "floor", "open_above", "tightest")
    made = replace(figure(sampled_claim()), **dict(zip(names, marks, strict=True)), relation="<=", controls=())
    caption = fill("plot", figure=made, claim="", href="").split("</span>")[-1].split("</figcaption>")[0]
    assert caption == f" bound from above. {said}"
    named = fill("plot", figure=made, claim="Lemma 1", href="x.html#y")
    assert '<figcaption><a href="x.html#y">Lemma 1</a>: <span class="key measured">' in named


@pytest.mark.parametrize("low", [-1e9, -3.0, -0.1, 0.0, 0.123456, 7e20])
@pytest.mark.parametrize("span", [1e-3, 0.7, 1.0, 9.99, 5e12])
def test_linear_ticks_are_few_round_and_evenly_spaced(low, span):
    high = low + max(span, abs(low) * 1e-6)
    ticks = linear_ticks(low, high)
    assert 2 <= len(ticks) <= 6
    assert all(low <= place <= high for place, _ in ticks)
    assert len({label for _, label in ticks}) == len(ticks)
    steps = {significant(Decimal(b) - Decimal(a), 4, strip=True) for (a, _), (b, _) in pairwise(ticks)}
    assert {step.strip("0.").partition("e")[0] for step in steps} <= {"1", "2", "5"}
