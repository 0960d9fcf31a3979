"""Scales, ticks, drawings, sections and arms of a report at their edges."""

import html
import math
import re
from decimal import Decimal
from itertools import pairwise

import pytest
from report_parts import rational, row, verdict

from theorytools.reporting import claim, sweep_records
from theorytools.reporting.canvas import Canvas
from theorytools.reporting.curves_picture import WIDTH, Panel, axis_ticks
from theorytools.reporting.rendering import fill
from theorytools.reporting.rows import letter, point, signed, table
from theorytools.reporting.scales import Scale, linear_ticks, log_ticks, scale
from theorytools.reporting.shapes import graph, heat

D = Decimal
INFINITY = D("Infinity")


# -- scales and ticks --------------------------------------------------------------------------------------------------
def test_a_scale_is_logarithmic_beyond_its_ratio_and_only_of_positive_numbers():
    assert not scale([D(1), D(30)], ratio=30, pad=0.1).logarithmic
    assert scale([D(1), D(31)], ratio=30, pad=0.1).logarithmic
    assert scale([D(0), D(1), D(31)], ratio=30, pad=0.1).logarithmic
    assert not scale([D(-1), D(1), D(31)], ratio=30, pad=0.1).logarithmic
    assert not scale([D(0)], ratio=30, pad=0.1).logarithmic
    line, tens = scale([D(2), D(12)], ratio=30, pad=0.1), scale([D(1), D(100)], ratio=30, pad=0.1)
    assert (line.low, line.high) == pytest.approx((1, 13))
    assert (tens.low, tens.high) == pytest.approx((-0.2, 2.2))
    point = scale([D(5), INFINITY], ratio=30, pad=0.1)
    assert (point.low, point.high) == pytest.approx((4.5, 5.5))
    empty = scale([INFINITY], ratio=30, pad=0.1)
    assert (empty.low, empty.high) == (-1, 1)
    assert tens.place(D(0)) is None
    assert tens.place(D(-1)) is None
    assert tens.place(D(10)) == 1
    assert line.place(INFINITY) is None
    assert line.place(D("1e400")) is None
    assert (line.clipped(INFINITY), line.clipped(-INFINITY), tens.clipped(D(0))) == (line.high, line.low, tens.low)
    wide = Scale(False, 0.0, 1000.0)
    assert not wide.visible(1.0, 5.0)
    assert wide.visible(1.0, 5.1)


@pytest.mark.parametrize(
    ("low", "high"), [(0, 3), (-0.2, 2.9), (0.1, 0.9), (-5, 40), (0, 300), (0.2, 0.6), (-3.5, -0.5), (1, 4)]
)
def test_logarithmic_ticks_are_few_and_lie_where_their_labels_say(low, high):
    ticks = log_ticks(low, high)
    assert 2 <= len(ticks) <= 7
    up = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    for place, label in ticks:
        assert low <= place <= high
        plain = re.sub(r"(?:×)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: "e" + m[1].translate(up), label)
        value = D("1" + plain) if plain.startswith("e") else D(plain)
        assert float(value.log10()) == pytest.approx(place, abs=1e-9)
    if high - low >= 3 and low == int(low):
        assert ticks[0][0] in range(math.ceil(low), math.ceil(low) + math.ceil((high - low) / 2) + 1)


def test_linear_ticks_reach_both_ends():
    assert [place for place, _ in linear_ticks(0.0, 10.0)] == [0, 2, 4, 6, 8, 10]
    assert [place for place, _ in linear_ticks(0.5, 9.5)] == [2, 4, 6, 8]
    assert [label for _, label in linear_ticks(-1.0, 1.0)] == ["−1", "−0.5", "0", "0.5", "1"]


def test_ticks_are_left_out_where_they_would_overlap():
    for count in (3, 40):
        values = [(D(k), f"label {k}") for k in range(count)]
        across = scale([n for n, _ in values], ratio=100, pad=0.05)
        shown = axis_ticks(values, Panel(Canvas("t", WIDTH, 100), across, across, 40, 0, 100))
        assert shown[0][1] == "label 0"
        assert len(shown) == 3 if count == 3 else 3 < len(shown) < 12
        for (a, first), (b, second) in pairwise(shown):
            assert b - a > 6.5 * (len(first) + len(second)) / 2


# -- drawings ----------------------------------------------------------------------------------------------------------
def cells(svg):
    return re.findall(
        r'<rect class="([cn])" x="([\d.]+)" y="([\d.]+)" width="(\d+)" height="(\d+)" opacity="([\d.]+)"', svg
    )


@pytest.mark.parametrize(
    ("rows", "columns", "size"), [(2, 3, 18), (10, 10, 18), (12, 3, 15), (3, 12, 15), (1, 90, 2), (90, 1, 2)]
)
def test_cells_shrink_with_the_longer_side(rows, columns, size):
    svg = heat("t", [("h", "d", "a", [[1.0] * columns for _ in range(rows)])])
    found = cells(svg)
    assert len(found) == rows * columns
    assert {(int(w), int(h)) for _, _, _, w, h, _ in found} == {(size, size)}
    xs, ys = sorted({float(x) for _, x, _, _, _, _ in found}), sorted({float(y) for _, _, y, _, _, _ in found})
    assert xs == [xs[0] + k * size for k in range(columns)]
    assert ys == [ys[0] + k * size for k in range(rows)]
    width, height = map(int, re.search(r'width="(\d+)" height="(\d+)" role', svg).groups())
    assert xs[-1] + size <= width
    assert ys[-1] + size <= height


def test_cells_are_as_dark_as_their_modulus_and_small_ones_are_left_out():
    found = cells(heat("t", [("h", "d", "a", [[2.0, -1.0, 0.0], [0.5, 0.008, 0.0081]])]))
    assert [(kind, dark) for kind, *_, dark in found] == [("c", "1.00"), ("n", "0.50"), ("c", "0.25"), ("c", "0.00")]
    assert cells(heat("t", [("h", "d", "a", [[0.0]])])) == []
    both = cells(heat("t", [("h", "d", "a", [[1.0]]), ("second", "d", "a", [[4.0]])]))
    assert float(both[1][1]) > float(both[0][1]) + 18
    assert [dark for *_, dark in both] == ["1.00", "1.00"]  # each by its own largest


def test_a_line_fills_its_frame_and_dots_lie_on_it():
    xs, ys = [0.0, 1.0, 2.0, 4.0], [-1.0, 0.0, 3.0, 1.0]
    svg = graph("t", xs, ys, dashed=[0.0] * 4, dots=[(1.0, 0.0), (4.0, 1.0)], names=("own", "other"))
    (line,) = re.findall(r'<polyline class="l" points="([^"]*)"', svg)
    spots = [tuple(map(float, pair.split(","))) for pair in line.split()]
    assert spots == [(14, 140), (72, 111), (130, 24), (246, 82)]
    assert re.findall(r'<circle class="n" cx="([\d.]+)" cy="([\d.]+)"', svg) == [("72.0", "111.0"), ("246.0", "82.0")]
    assert "M14,111.0h232" in svg  # the axis at zero
    assert "dashed: other" in svg
    assert 'class="d"' in svg
    alone = graph("t", xs, [5.0, 6.0, 7.0, 9.0], names=("own", ""))
    assert "dashed" not in alone.split("</style>")[1]
    assert 'class="d"' not in alone
    assert "M14,140.0h232" in alone  # zero lies below: the lower edge
    assert "M14,24.0h232" in graph("t", xs, [-5.0, -6.0, -7.0, -9.0])
    assert "M14,140.0h232" in graph("t", xs, [3.0] * 4)


# -- a section ---------------------------------------------------------------------------------------------------------
def shown(**parts):
    """A claim's section, as its page has it."""
    return fill("claim", claim=claim.section(verdict("lemma", **parts), figure=None))


def test_reasons_of_skipped_points_are_counted_and_the_first_named():
    skipped = [
        {"reason": "'N >= 2' fails at N = 1"},
        {"reason": "'N >= 2' fails at N = 0"},
        {"reason": "too long"},
        {"reason": "too long", "control": "c"},
        {"reason": "'M >= 2' fails at M = 1"},
        {"reason": "'M >= 2' fails at M = 1"},
        {},
    ]
    (said,) = re.findall(r"Left out: (.*?)\.</p>", shown(skipped=skipped))
    assert html.unescape(said).split("; ") == [
        "2 × 'N >= 2' fails, first at N = 1",
        "1 × too long",
        "1 × too long (control: c)",
        "2 × 'M >= 2' fails, at M = 1",
        "1 × no reason given",
    ]


def test_the_row_that_refutes_is_of_the_best_evidence_then_the_one_of_the_reason():
    def bad(N, evidence, **changed):
        return {**row({"N": N}, rational(9), rational(2), truth=False), "evidence": evidence, **changed}

    rows = [
        bad(1, "FITTED"),
        bad(2, "EXACT"),
        bad(3, "EXACT"),
        bad(4, "EXACT", control="c"),
        bad(5, "EXACT", truth=True),
    ]
    for order, reason, place in [
        (rows, "v fails at N=3: measured 9", "3"),
        (rows, "", "2"),
        (rows[::-1], "v fails at N=1: measured 9", "3"),
    ]:
        assert claim.failing_row({"rows": order, "reason": reason})["point"] == {"N": place}
    assert claim.failing_row({"rows": rows[3:]}) is None
    lost = {**bad(7, "none of these"), "point": None}
    assert claim.failing_row({"rows": [lost]}) == lost
    places, shown = claim.witness({"rows": rows, "reason": "v fails at N=3: measured 9"})
    assert "3" in str(places[0])
    assert shown.total == 1
    assert claim.witness({"rows": []}) is None


@pytest.mark.parametrize(
    ("entry", "good", "aim", "applied"),
    [
        ({"outcome": "breaks", "applied": 3, "broken": 3}, True, "must break", "3 of 3 points"),
        ({"outcome": "fails", "applied": 3, "broken": 1}, False, "must break", "1 of 3 points"),
        ({"outcome": "holds", "applied": 3, "broken": 3, "repair": True}, True, "repairs the statement", ""),
        ({"outcome": "fails", "applied": 3, "repair": True}, False, "repairs the statement", ""),
        ({"outcome": "holds", "applied": 0}, False, "must break", "0 of 0 points"),
        ({"outcome": "open"}, False, "must break", ""),
    ],
)
def test_a_control_is_good_where_it_does_what_it_must(entry, good, aim, applied):
    (cells,) = re.findall(r'<tr><td>c</td><td>(.*?)</td><td class="(.*?)">.*?</td><td>(.*?)</td></tr>',
                          shown(controls=[{"name": "c", **entry}]))  # fmt: skip
    assert cells == (aim, "holds" if good else "fails", applied)


def test_a_control_says_what_it_must_break_and_what_came_of_it():
    control = {"name": "c", "outcome": "breaks", "breaks": ["v <= 2", "v <= 2"], "detail": "at N=1"}
    page = shown(controls=[control], assertions=[{"name": "v <= 2", "quantity": "w", "latex": "w \\le 2"}])
    assert "<td>must break w</td>" in page
    assert ">breaks, as it must: at N=1</td>" in page
    assert ">never applies</td>" in shown(controls=[{**control, "outcome": "never applies", "detail": ""}])


def test_the_reason_of_a_failure_has_its_formula_and_its_point():
    entry = {"name": "v <= 2", "latex": "w \\le 2"}
    failing = {**row({"N": 3}, rational(9), rational(2), truth=False), "assertion": "v <= 2"}
    page = shown(reason="v <= 2 fails at N=3: measured <9>", rows=[failing], assertions=[entry])
    (said,) = re.findall(r"<p>(<math>.*?</math>) fails at (.*?): measured (.*?)</p>", page)
    assert "≤" in said[0]
    assert re.sub("<.*?>", "", said[1]) == "N = 3"
    assert said[2] == "&lt;9&gt;"
    assert "<p>v &lt;= 2 fails at N=3" not in page
    assert "</math> is open</p>" in shown(reason="v <= 2 is open", rows=[failing], assertions=[entry])


def test_letters_and_points_are_set_as_mathematics():
    assert "<mi" in letter("N", {}) or "<math" in letter("N", {})
    assert letter("N", {"N": r"\beta"}) == letter("beta", {})
    assert letter("N", {"N": r"\beta"}) != letter("N", {})
    assert str(letter("kind", {})) == "<i>kind</i>"
    assert "≈" in str(point({"N": 10**40}, {})[0])
    assert " = " not in str(point({"N": 10**40}, {})[0])
    assert str(point({"kind": "a"}, {})[0]) == "<i>kind</i> = a"
    assert signed("v <= 2, w >= 3") == "v ≤ 2, w ≥ 3"


def test_a_table_shows_as_many_rows_as_it_may_and_counts_the_rest():
    rows = [
        row({"N": k, "M": 7}, rational(1), rational(2), truth=t) for k, t in enumerate([True, False, None, True, True])
    ]
    rows.append({**rows[0], "control": "c"})
    made = table(verdict("x", rows=rows), controls=False, limit=3)
    assert (made.total, made.hidden, made.open, made.failing) == (5, 2, 1, 1)
    assert sum(len(block.lines) for block in made.blocks) == 3
    assert len(made.axes) == 1
    assert len(made.constant) == 1
    assert table(verdict("x", rows=rows), controls=True, limit=3).total == 1
    assert table(verdict("x", rows=rows[:5]), controls=True, limit=3) is None
    whole = table(verdict("x", rows=rows), controls=False, limit=5)
    assert whole.hidden == 0


# -- arms of runs ------------------------------------------------------------------------------------------------------
def trials(counts, *, value=lambda size, k: size * (1 + k / 10), status="reached", **spec):
    return [
        {"spec": {"arm": "a", "N": size, "repeat": k, **spec}, "status": status, "result": {"samples": value(size, k)}}
        for size, count in counts.items()
        for k in range(count)
    ]


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({8: 2, 16: 2, 32: 2}, True),
        ({8: 2, 16: 2}, False),
        ({8: 1, 16: 5, 32: 5}, False),
        ({8: 5, 16: 1, 32: 5}, False),
        ({}, False),
    ],
)
def test_an_arm_has_an_exponent_from_three_sizes_with_two_repeats_on(counts, told):
    made = sweep_records.arms_of(trials(counts), "N", "samples")
    assert bool(counts) is bool(made)
    for arm in made:
        assert (arm["exponent"] is not None) is told
        assert [cell["size"] for cell in arm["sizes"]] == (sorted(counts) if told else [])
        assert (arm["trials"], arm["censored"]) == (sum(counts.values()), 0)
        if told:
            assert arm["exponent"][0] <= 1 <= arm["exponent"][1] or arm["exponent"] == pytest.approx([1, 1])
            for cell in arm["sizes"]:
                assert cell["low"] <= cell["size"] * 1.1
                assert cell["size"] <= cell["high"]


def test_numbers_that_are_not_positive_or_no_numbers_are_not_fitted():
    zero = sweep_records.arms_of(trials({8: 2, 16: 2, 32: 2}, value=lambda size, k: size - 8), "N", "samples")
    assert (zero[0]["sizes"], zero[0]["exponent"]) == ([], None)
    words = sweep_records.arms_of(trials({8: 2, 16: 2, 32: 2}, value=lambda size, k: "lost"), "N", "samples")
    assert words[0]["sizes"] == []
    assert sweep_records.arms_of(trials({8: 2, 16: 2, 32: 2}), "", "samples")[0]["sizes"] == []
    stopped = sweep_records.arms_of(trials({8: 2, 16: 2, 32: 2}, status="censored"), "N", "samples")
    assert stopped[0]["censored"] == 6
    assert [cell["censored"] for cell in stopped[0]["sizes"]] == [2, 2, 2]
    named = sweep_records.arms_of(trials({8: 2, 16: 2, 32: 2}), "N", "samples", {"a": {16: 99}})
    assert [cell["published"] for cell in named[0]["sizes"]] == [None, 99, None]


def test_worlds_are_the_units_where_there_are_several():
    def cell(*pairs, status="reached"):
        return [{"spec": {"world": w}, "status": status, "result": {"v": v}} for w, v in pairs]

    assert sweep_records._units(cell((0, 2), (0, 8)), "v") == [2, 8]
    assert sweep_records._units(cell((0, 2), (0, 8), (1, 5)), "v") == pytest.approx([4, 5])
    assert sweep_records._units(cell((0, 0), (0, 8), (1, 5)), "v") == [0, 8, 5]
    assert sweep_records._stopped([*cell((0, 2)), *cell((0, 8), status="censored")]) == [False, True]
    assert sweep_records._stopped([*cell((0, 2), (1, 3)), *cell((0, 8), status="censored")]) == [True, False]
