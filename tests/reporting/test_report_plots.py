"""Figures of a report: which points share an axis, what is asked and answered, and where marks lie."""

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_examples import bare_claim, exact_claim, fitted_claim, long_claim, refuted_claim, sampled_claim
from report_examples import undecided_claim as open_claim
from report_parts import between, rational, row, verdict

from theorytools.reporting.canvas import XMLNS, Canvas
from theorytools.reporting.canvas import number as written
from theorytools.reporting.curves_picture import WIDTH, curves_picture
from theorytools.reporting.lines_picture import broken
from theorytools.reporting.lone_figure import lone_figure
from theorytools.reporting.numbers import significant
from theorytools.reporting.plots import figure
from theorytools.reporting.rendering import fill
from theorytools.reporting.scales import linear_ticks, scale, ticks
from theorytools.reporting.series import CURVES, DENSE, LABELS, LINES, chart
from theorytools.reporting.signs import letter_signs

D = Decimal
MADE = [exact_claim, sampled_claim, fitted_claim, open_claim, long_claim, refuted_claim]


def rows_of(*places, **changed):
    return [row(place, rational(1), rational(2), **{"slack": 2.0, **changed}) for place in places]


# -- which numbers -----------------------------------------------------------------------------------------------------
LETTERS = st.fixed_dictionaries({
    "code": st.sampled_from(["hadamard", "drawn"]), "N": st.sampled_from([2, 4, 8, 16]),
    "q": st.sampled_from([1, 2, 3]), "trial": st.sampled_from([0, 1]),
})  # fmt: skip


@given(st.lists(st.tuples(LETTERS, st.integers(1, 4), st.sampled_from([True, True, True, None, False])), max_size=40))
@settings(max_examples=80)
def test_points_of_unlike_settings_never_share_a_curve_and_no_failing_row_is_lost(drawn):
    rows = [row(place, rational(k), rational(2), truth=truth, slack=2.0 / k) for place, k, truth in drawn]
    shown = chart(verdict("x", rows=rows))
    if shown is None:
        assert len({str(r["point"]) for r in rows}) < 2
        return
    for curve in shown.curves:
        others = {tuple(i for i in spot.point if i[0] not in {shown.axis, *LABELS}) for spot in curve.spots}
        assert len(others) == 1
        assert len(curve.spots) <= (DENSE if shown.axis else 1)
    assert len(shown.curves) <= (CURVES if shown.axis else LINES)
    failing = sum(r["truth"] is False for r in rows)
    assert sum(spot.truth is False for spot in shown.spots) >= min(failing, len(shown.curves))
    assert shown.total == len(rows) >= len(shown.spots)
    told = [curve.setting for curve in shown.curves]
    assert len(set(told)) == len(told) or len({str(r["point"]) for r in rows}) < len(rows)


@pytest.mark.parametrize(
    ("places", "axis", "count"),
    [
        ([{"N": k} for k in (1, 2)], "N", 1),  # one letter alone moves
        ([{"N": k, "M": k} for k in (1, 2, 3)], "", 3),  # nothing is fixed
        ([{"N": n, "q": q} for n in (1, 2, 3) for q in (1, 2, 3)], "N", 3),  # of equals a size
        ([{"T": n, "N": k} for n in (1, 2, 3) for k in (1, 2, 3)], "N", 3),
        ([{"k": n, "q": q} for n in range(5) for q in (1, 2, 3)], "k", 3),  # then the longer one
        ([{"N": n, "q": q} for n in (1, 2) for q in (1, 2, 3)], "q", 2),  # two values are no curve
        ([{"N": k, "q": 1} for k in (1, 2, 3)] + [{"N": 9, "q": k} for k in (2, 3, 4, 5)], "q", 1),
        ([{"N": k, "q": 1} for k in (1, 2, 3)] + [{"N": 9 + k, "q": k} for k in (2, 3, 4, 5)], "", 7),
        ([{"seed": k} for k in range(4)], "", 4),  # draws are no sizes
        ([{"N": n, "seed": k} for n in (1, 2, 3) for k in (0, 1)], "N", 1),  # and share a curve
        ([{"code": word} for word in "abc"], "", 3),
    ],
)
def test_the_main_letter(places, axis, count):
    shown = chart(verdict("x", rows=rows_of(*places)))
    assert (shown.axis, len(shown.curves)) == (axis, count)


def test_a_letter_that_is_asked_for_is_the_main_one_where_it_moves_alone():
    grid = verdict("x", rows=rows_of(*({"N": n, "q": q} for n in (1, 2, 3) for q in (1, 2))))
    assert (chart(grid).axis, chart(grid, "q").axis) == ("N", "q")
    assert chart(grid, "d") is None
    assert chart(verdict("x", rows=rows_of({"N": 1, "q": 1}, {"N": 2, "q": 2})), "q") is None


def test_draws_with_bounds_of_their_own_are_settings():
    rows = [row({"N": n, "trial": t}, rational(1), rational(2 + t), slack=2.0) for n in (1, 2, 3) for t in (0, 1)]
    assert [dict(c.setting) for c in chart(verdict("x", rows=rows)).curves] == [{"trial": "0"}, {"trial": "1"}]


def test_the_assertion_that_fails_is_drawn_then_one_whose_numbers_move():
    at = [{"N": k} for k in (1, 2, 3)]
    still, moving = (rows_of(*at, name=name, assertion=name) for name in ("a", "b"))
    moving = [{**r, "measured": rational(k)} for k, r in enumerate(moving)]
    failing = [{**r, "truth": False} for r in rows_of(*at, name="c", assertion="c")]
    assert chart(verdict("x", rows=[*still, *moving])).assertion == "b"
    assert chart(verdict("x", rows=[*still, *moving, *failing])).assertion == "c"


def test_a_long_curve_keeps_its_ends_and_what_fails():
    rows = [row({"N": k}, rational(1), rational(2), slack=2.0, truth=k not in (7, 50)) for k in range(1, 90)]
    spots = chart(verdict("x", rows=rows)).spots
    assert len(spots) == DENSE
    assert {1, 7, 50} <= {int(spot.x) for spot in spots}


def test_the_control_spoils_what_is_measured_or_the_right_side():
    own = rows_of({"N": 1}, {"N": 2}, {"N": 3})
    near = [{**r, "control": "near", "truth": False, "measured": rational("101/100")} for r in own]
    far = [{**r, "control": "far", "truth": False, "measured": rational(3)} for r in own]
    side = [{**r, "control": "side", "truth": False, "assertion": "leakage <= 1/2", "bound": [rational("1/2")]}
            for r in own]  # fmt: skip
    few = far[:2]
    assert chart(verdict("x", rows=[*own, *near, *far])).control == "far"  # the other one could not be seen
    assert chart(verdict("x", rows=[*own, *side, *few])).control == "side"
    spoiled = chart(verdict("x", rows=[*own, *side])).spots[0].spoiled
    assert (spoiled.measured, spoiled.bound) == (None, (D("0.5"), D("0.5")))
    assert chart(verdict("x", rows=[*own, *({**r, "truth": True} for r in far)])).control == ""
    aims = [{"name": "side", "breaks": ["leakage <= bound"]}, {"name": "far", "breaks": ["leakage <= bound"]},
            {"name": "near", "breaks": ["another"]}]  # fmt: skip
    another = rows_of({"N": 1}, {"N": 2}, name="another", assertion="another")
    assert chart(verdict("x", rows=[*own, *near, *few, *another], controls=aims)).control == "far"


def test_one_point_has_no_figure():
    assert figure(verdict("x", rows=rows_of({"N": 2}, {"N": 2}))) is None
    assert figure(bare_claim()) is None


# -- what is said ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("made", "said"), [
    (exact_claim, "Leakage: at most its bound? Yes, at all 12 points; least slack 1.02 at N=4096, s=1."),
    (refuted_claim,
     "Leakage: at most its bound? No: it fails at 1 of the 4 points (ringed); least slack 0.666 at N=2."),
    (open_claim, "Leakage: at most its bound? Open at 1 of the 3 points (ringed)."),
    (sampled_claim, "Risk: at least its bound? Yes, at all 5 points; least slack 1.19 at n=50."),
    (fitted_claim, "Slope: what the formula says? Yes, at all 3 points."),
])  # fmt: skip
def test_a_figure_asks_and_answers(made, said):
    drawn = figure(made())
    assert f"{drawn.question} {drawn.answer}" == said
    root = ElementTree.fromstring(drawn.svg)
    assert drawn.question in root.get("aria-label")
    assert drawn.answer in root.findtext("desc")  # for whoever hears it
    page = fill("plot", figure=drawn, claim="Lemma 1", href="x.html#y")
    assert f'<a href="x.html#y">Lemma 1</a>. <b>{drawn.question}</b>' in page


def test_axes_keys_and_notes_say_what_is_drawn():
    drawn = figure(exact_claim())
    assert "sequence length" in drawn.across
    assert "largest weight elsewhere" in drawn.up
    assert [key[:2] for key in drawn.keys] == [("measured", sign) for sign in "●■▲"] + [
        ("bound", "—"), ("control", "×")]  # fmt: skip
    assert drawn.notes == ("Both scales are logarithmic.",)
    lines = figure(fitted_claim())
    assert (str(lines.up), lines.keys[1][:2]) == ("", ("bound", "|"))
    assert ("failing", "◯") in [key[:2] for key in figure(refuted_claim()).keys]
    assert "Arrows lead to zero or beyond the scale." in figure(sampled_claim()).notes
    assert figure(long_claim()).notes[-1] == "The other 60 rows are in the table."
    many = verdict("x", rows=rows_of(*({"N": k, "M": k} for k in range(20))))
    assert figure(many).notes == ("12 of 20 rows; the other 8 rows are in the table.",)


@pytest.mark.parametrize("made", MADE)
def test_a_figure_alone_has_its_words_and_colours_inside(made):
    svg = lone_figure({**made(), "label": "A label <that> is & long, so that it takes more than a line"})
    root = ElementTree.fromstring(svg)
    drawn = figure(made())
    said = [(one.get("class"), one.text, float(one.get("y"))) for one in root.findall(f"{{{XMLNS}}}text")]
    assert drawn.question in " ".join(text for name, text, _ in said if name == "asked")
    for name, sign, _ in drawn.keys:
        assert any(own == f"words {name}" and text.startswith(f"{sign} ") for own, text, _ in said)
    assert [y for *_, y in said] == sorted({y for *_, y in said})  # no two lines on each other
    assert max(len(text) for _, text, _ in said) * 7.8 <= WIDTH
    assert max(y for *_, y in said) <= float(root.get("height"))
    inner = root.find(f"{{{XMLNS}}}svg")
    top, high = float(inner.get("y")), float(inner.get("height"))
    assert not [y for *_, y in said if top + 8 < y < top + high]
    used = set(re.findall(r"var\(--(\w+)\)", svg))
    assert used <= set(re.findall(r"--(\w+):#", svg))
    assert lone_figure(bare_claim()) == ""


@pytest.mark.parametrize(("name", "latex", "sign"), [
    ("d_e", "d_{e}", "dₑ"), ("beta", r"\beta", "β"), ("T_1", "", "T₁"), ("N_max", r"N_{\max}", "N_max"),
    ("odds", r"\kappa", "κ"), ("norm", r"\|W\|", "norm"), ("code", "", "code"), ("C_y", "", "C_y"), ("eps", "", "ε"),
])  # fmt: skip
def test_letters_as_signs(name, latex, sign):
    assert letter_signs(name, latex).replace("Nₘₐₓ", "N_max") == sign


def test_words_of_a_setting_are_broken_between_letters():
    parts = [f"letter_{k}=1234567" for k in range(7)]
    lines = broken(parts)
    assert ", ".join(parts) == " ".join(lines)
    assert max(map(len, lines)) <= 41


# -- where marks lie ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("made", MADE)
def test_figures_are_small_and_stay_inside_their_frame(made):
    svg = str(figure(made()).svg)
    _, _, wide, high = map(float, re.search(r'viewBox="([^"]*)"', svg)[1].split())
    assert wide == WIDTH <= 366  # that of a phone of 390 without its margins: letters of 12 are not shrunk
    assert len(svg) <= 9_000
    assert "#" not in svg  # no colour of its own, and nothing that another figure of the page could share
    spots = re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", svg) + re.findall(r'x="([^"]*)" y="([^"]*)"', svg)
    assert len(spots) >= 2 * len(chart(made()).spots)
    for x, y in spots:
        assert 0 <= float(x) <= WIDTH
        assert 0 <= float(y) <= high
    assert all(0 <= float(x) <= WIDTH for x in re.findall(r"H(-?[\d.]+)", svg))
    assert all(0 <= float(y) <= high for y in re.findall(r"V(-?[\d.]+)", svg))


@given(
    st.lists(st.tuples(*2 * [st.sampled_from([0, 0.04, 0.06, 3.5, 17, 200])]), min_size=1, max_size=6), st.booleans()
)
@settings(max_examples=60)
def test_a_line_goes_through_its_points(points, closed):
    canvas = Canvas("t", WIDTH, 232)
    canvas.line("measured", points, closed=closed)
    path = re.search(r'd="([^"]*)"', canvas.text())[1]
    assert path.endswith("z") == closed
    walked, at = [], ["", ""]
    for step, where in re.findall(r"([MLHV])([^MLHVz]*)", path):
        at = where.split() if step in "ML" else [where, at[1]] if step == "H" else [at[0], where]
        walked.append(tuple(at))
    assert walked == [tuple(map(written, point)) for point in points]


@pytest.mark.parametrize("longest", [4, 40, 400])
@pytest.mark.parametrize("unlike", [False, True])
def test_labels_stay_inside_the_picture(longest, unlike):
    rows = [row({"N": N, **({"M": N} if unlike else {})}, rational(N), rational(N + 1)) for N in (2, 10**longest // 7)]
    svg = str(figure(verdict("long", rows=rows)).svg)
    groups = re.findall(r'<g [^>]*text-anchor="(\w+)">(.*?)</g>', svg)
    labels = [
        (anchor, *found) for anchor, group in groups for found in re.findall(r'<text x="([^"]*)"[^>]*>([^<]*)<', group)
    ]
    assert len(labels) >= 4
    for anchor, x, label in labels:
        wide = 6.7 * len(label)  # of DejaVu Sans, the widest of the fonts that are asked for
        left = float(x) - {"middle": wide / 2, "end": wide}.get(anchor, 0)
        assert left >= -0.1
        assert left + wide <= WIDTH + 0.1


def paths(svg, name):
    return "".join(re.findall(rf'<g class="{name}"[^>]*><path d="([^"]*)"', svg))


def test_marks_lie_where_their_numbers_say():
    at = [(2, "1/3", "3/2"), (3, "1/90", "5/4"), (50, "1/7", "9"), (900, "1/100", "40")]
    rows = [row({"N": N}, rational(v), rational(v), slack=float(Fraction(s))) for N, v, s in at]
    shown = chart(verdict("x", rows=rows))
    svg, across, up = curves_picture(shown, "t")
    dots = [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)h0", paths(svg, "measured dots"))]
    (curve,) = [one.spots for one in shown.curves]  # its marks stand above, then in the slack below
    assert len(dots) == 2 * len(curve)
    places = [(across.place(spot.x), up.place(spot.measured[0])) for spot in curve]
    for k, sign in ((0, 1), (1, -1)):  # affine in each direction; y grows downwards
        pairs = [(place[k], spot[k]) for place, spot in zip(places, dots, strict=False)]
        (a, first), (b, last) = min(pairs), max(pairs)
        assert sign * (last - first) > 40
        assert all(abs(first + (place - a) * (last - first) / (b - a) - spot) < 0.11 for place, spot in pairs)
    below = [y for _, y in dots[len(curve) :]]
    slacks = [spot.slack for spot in curve]
    assert sorted(range(len(curve)), key=lambda k: -below[k]) == sorted(range(len(curve)), key=lambda k: slacks[k])
    assert min(below) > max(y for _, y in dots[: len(curve)])


def test_a_row_that_fails_is_ringed_above_and_in_its_slack_and_an_equality_has_no_slack():
    svg = str(figure(refuted_claim()).svg)
    assert paths(svg, "failing").count("a6.5 6.5 0 1 0 13 0") == 2
    assert "fails below 1" in svg
    rows = [row({"N": k}, rational(k), rational(k), name="v", relation="==") for k in (1, 2, 3)]
    assert "fails below 1" not in str(figure(verdict("x", rows=rows, assertions=[])).svg)


def test_a_band_has_two_sides_and_every_curve_its_own_mark_and_dashes():
    rows = [row({"N": k, "q": q}, rational(k), rational(k), rational(k + 5), name="v", relation="==")
            for k in (1, 2, 3) for q in (1, 2)]  # fmt: skip
    svg = str(figure(verdict("x", rows=rows, assertions=[])).svg)
    assert svg.count('class="band"') == 2
    assert paths(svg, "bound").count("m-4.5 0h9") == paths(svg, "bound d2").count("m-4.5 0h9") == 2 * 3
    assert paths(svg, "measured dots").count("h0") == 3
    assert paths(svg, "measured").count("v5.4h-5.4z") == 3


def test_an_end_without_a_place_has_an_arrow():
    rows = [row({"N": k}, measured, rational(10**k), slack=1.0) for k, measured in
            ((1, rational(0)), (2, between(1.0, None)), (3, rational(10)))]  # fmt: skip
    for unlike in (False, True):
        own = [{**r, "point": {**r["point"], "M": r["point"]["N"]}} for r in rows] if unlike else rows
        marks = paths(str(figure(verdict("x", rows=own)).svg), "measured")
        assert marks.count("m8 0h-8" if unlike else "m0-8v8") == 1
        assert marks.count("m-8 0h8" if unlike else "m0 8v-8") == 1


def test_what_is_far_leaves_the_others_a_third_of_the_scale():
    own, far = [D(1), D(2), D(3)], [D(10**6), D(-(10**6))]
    wide = scale(own, ratio=30, pad=0.1, beyond=far)
    assert (wide.low, wide.high) == pytest.approx((-4, 8))
    assert scale(own, ratio=30, pad=0.1, beyond=[D("2.5"), D("Infinity")]) == scale(own, ratio=30, pad=0.1)
    tens = scale([D(1), D(10)], ratio=30, pad=0.1, beyond=[D(10**9)])
    assert tens.logarithmic
    assert (tens.low, tens.high) == pytest.approx((-0.3, 3.3))
    assert scale([D(5), D(5)], ratio=30, pad=0.25, beyond=[D(9)]).high == 10  # nothing else has a width
    for most in (2, 3, 7):
        assert 1 <= len(ticks(tens, most)) <= most


@pytest.mark.parametrize("low", [-1e9, -3.0, -0.1, 0.0, 0.123456, 7e20])
@pytest.mark.parametrize("span", [1e-3, 0.7, 1.0, 9.99, 5e12])
def test_linear_ticks_are_few_round_and_evenly_spaced(low, span):
    high = low + max(span, abs(low) * 1e-6)
    found = linear_ticks(low, high)
    assert 2 <= len(found) <= 6
    assert all(low <= place <= high for place, _ in found)
    assert len({label for _, label in found}) == len(found)
    steps = {significant(Decimal(b) - Decimal(a), 4, strip=True) for (a, _), (b, _) in pairwise(found)}
    assert {step.strip("0.").partition("e")[0] for step in steps} <= {"1", "2", "5"}


def test_a_caption_holds_every_key_and_note():
    made = replace(figure(sampled_claim()), notes=("One.", "Two."))
    caption = fill("plot", figure=made, claim="", href="").split("<figcaption>")[1]
    assert caption.count('class="key') == len(made.keys)
    assert "One. Two." in caption
