"""A verdict as it is handed to a user: a picture, a table in colour and in words, rows of numbers; several as one."""

import math
import re
import sys
from dataclasses import replace
from fractions import Fraction
from xml.etree import ElementTree

import pytest
from refusals import refused
from tiny import tiny, value
from verdict_examples import spoiled

from theorytools import (
    DomainError,
    Estimate,
    Evidence,
    Outcome,
    Picture,
    ShownVerdict,
    Verdict,
    Verdicts,
    grid,
    judge,
    verify,
)  # fmt: skip
from theorytools.claims.judging.verdict import ControlResult
from theorytools.errors import NumberError
from theorytools.numbers import NEGATIVE_INFINITY, POSITIVE_INFINITY, End
from theorytools.questions.html import MOST
from theorytools.questions.shown import ShownNumber, shown, shown_row

ROW = judge(tiny(), "toy.lemma_01").rows[0]
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>a & b</script>"


@pytest.fixture(scope="module")
def verdict():
    return verify("qstr.lemma_11", N=[8, 16, 32], q=1)


def mimebundle(value):
    """What IPython would send of a value to a notebook: by type, and the plain text."""
    from IPython.core.interactiveshell import InteractiveShell

    data, _ = InteractiveShell.instance().display_formatter.format(value)
    return data


# -- pictures ------------------------------------------------------------------------------------------------------
def test_the_plot_of_a_verdict_is_a_picture_in_a_notebook_and_words_elsewhere(verdict, tmp_path):
    shown = mimebundle(verdict.plot())
    assert {"image/svg+xml", "text/plain"} <= set(shown)
    assert shown["text/plain"] == 'qstr.lemma_11: a picture as SVG; .save("file.svg") writes it'
    root = ElementTree.fromstring(shown["image/svg+xml"])
    assert root.find(f"{SVG}title") is not None
    said = {text.text for text in root.iter(f"{SVG}text")}
    assert {"8", "16", "32", "N, sequence length"} <= said
    assert any("control: " in text for text in said)
    assert verdict.plot().save(tmp_path / "v.svg").read_text(encoding="utf-8") == shown["image/svg+xml"]


def test_a_picture_needs_no_matplotlib(verdict, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert verdict.plot().svg.startswith("<svg")


def test_a_picture_is_drawn_along_the_letter_asked_for():
    drawn = judge(tiny(grid=grid(N=[2, 3, 4, 5])), "toy.lemma_01").plot("N")
    assert {"2", "3", "4", "5"} <= {text.text for text in ElementTree.fromstring(drawn.svg).iter(f"{SVG}text")}


def test_what_is_written_in_a_picture_and_in_a_table_is_escaped():
    made = judge(tiny(controls=[spoiled(HOSTILE)]), "toy.lemma_01")
    made = replace(made, label=HOSTILE, reason=HOSTILE)
    assert "<script" not in made.plot().svg + made._repr_html_() + Verdicts([replace(made, id=HOSTILE)])._repr_html_()
    assert "&lt;script&gt;a &amp; b" in made._repr_html_()
    ElementTree.fromstring(made.plot().svg)


test_a_picture_of_nothing_is_refused = refused(
    DomainError,
    (lambda: judge(tiny(grid=grid(N=[2])), "toy.lemma_01").plot(), "one point has no curve"),
    (lambda: verify("qstr.lemma_11").plot("code"), "along 'code'"),
    (lambda: verify("qstr.lemma_11").plot("nonsense"), "along 'nonsense'"),
    (lambda: Picture("<svg/>", "a").save("a.png"), "ends in .svg"),
    (lambda: Picture("<svg/>", "a").save("/no/such/folder/a.svg"), "folder"),
    (lambda: Verdicts([3]), "among verdicts"),
    (lambda: Verdicts(3), "several verdicts"),
    (lambda: verify(["qstr.lemma_11", "qstr.no_such"]), "qstr.no_such"),
)


# -- tables --------------------------------------------------------------------------------------------------------
def told(html):
    """The words of a table, without its tags."""
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


@pytest.mark.parametrize("truth", [True, False, None])
def test_the_truth_of_a_row_is_said_in_a_word_and_a_sign_beside_its_colour(truth):
    judged = shown(Verdict("a.b", "L", Outcome.UNDECIDED, "HOLDS", False, None, "why",
                           rows=(replace(ROW, truth=truth),)))  # fmt: skip
    word = {True: "✓ holds", False: "✗ fails", None: "? open"}[truth]
    assert f">{word}</span>" in judged._repr_html_()
    assert [w for w in ("✓ holds", "✗ fails", "? open") if w in told(judged._repr_html_())] == [word]


@pytest.mark.parametrize("outcome", list(Outcome))
def test_an_outcome_has_a_sign_and_a_ground_on_which_white_letters_can_be_read(outcome):
    page = shown(Verdict("a.b", "L", outcome, "HOLDS", False, None, "why"))._repr_html_()
    ground = re.search(rf"background:(#\w{{6}});color:#fff[^>]*>\S+ {outcome}</span>", page)[1]
    assert contrast(ground) > 4.5
    assert "#fff" not in re.sub(r"<span[^>]*>", "", page)  # nothing else has a colour: the page may be light or dark
    assert "color" not in re.sub(r"<span[^>]*>", "", page)


def contrast(ground):
    """Of white letters on a ground, as the guidelines for accessible pages define it."""
    parts = [int(ground[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 1.05 / (sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True)) + 0.05)


@pytest.mark.parametrize(("count", "more"), [(1, ""), (12, ""), (13, "and 1 row more"), (15, "and 3 rows more")])
def test_at_most_twelve_rows_are_shown_and_those_that_fail_are_among_them(count, more):
    judged = judge(tiny(grid=grid(N=range(2, 2 + count)), asserts=[value <= count]), "toy.lemma_01")
    page = judged._repr_html_()
    assert told(page).count("✗ fails") == sum(r.truth is False for r in judged.rows if not r.control)
    assert page.count("✓ holds") + page.count("✗ fails") == min(count, MOST)
    assert ("more:" in page) is bool(more)
    assert more in page


@pytest.mark.parametrize(
    ("repair", "outcome", "said"),
    [(False, "breaks", "✓ as it must"), (False, "fails", "✗ not so"), (False, "open", "? open"),
     (True, "holds", "✓ as it must"), (True, "fails", "✗ not so"), (False, "holds", "✗ not so"),
     (False, "never applies", "– not here")],
)  # fmt: skip
def test_a_control_that_did_what_it_must_is_told_from_one_that_did_not(repair, outcome, said):
    applied = 0 if outcome == "never applies" else 2
    control = ControlResult("half", ("v",), repair, applied, 2 if said[0] == "✓" else 0, outcome)
    page = shown(Verdict("a.b", "L", Outcome.HOLDS, "HOLDS", True, None, "", controls=(control,)))._repr_html_()
    assert f"half {'hold' if repair else 'fail'} {said}" in told(page)


def test_several_verdicts_are_one_table():
    one = judge(tiny(), "toy.lemma_01")
    many = Verdicts([replace(one, id=f"toy.lemma_{k}", as_expected=k != 3) for k in range(14)])
    page = many._repr_html_()
    assert page.count("<tr>") == 1 + MOST
    assert "and 2 verdicts more" in page
    assert (page.count("✓ yes"), page.count("✗ no"), many.ok, Verdicts([one]).ok) == (11, 1, False, True)
    assert repr(many).splitlines()[3] == "toy.lemma_3: HOLDS at 2 points to N = 3 (exact), not as expected"
    both = verify(["qstr.lemma_11", "qstr.lemma_11_any_temperature"], N=8)
    assert [v.id for v in both] == ["qstr.lemma_11", "qstr.lemma_11_any_temperature"]
    assert repr(Verdicts([])) == "no verdicts"


# -- numbers -------------------------------------------------------------------------------------------------------
def test_points_and_both_sides_of_a_row_are_numbers(verdict):
    for one in verdict.rows:
        assert isinstance(one.at["N"], int)
        assert isinstance(one.at["code"], str)
        low, high = one.measured.floats
        assert low <= float(one.measured) <= high
        assert one.bound[0].floats[0] <= float(one.bound[0]) <= one.bound[0].floats[1]


@pytest.mark.parametrize(
    ("low", "high", "middle"),
    [(Fraction(1, 3), Fraction(1, 3), 1 / 3), (1, 2, 1.5), (17 * 10**307, 171 * 10**306, 1.705e308), (-1, 1, 0.0)],
)
def test_a_number_is_the_middle_of_its_interval(low, high, middle):
    assert float(ShownNumber(End(Fraction(low)), End(Fraction(high)), Evidence.ENCLOSED)) == pytest.approx(middle)


@pytest.mark.parametrize("ends", [(NEGATIVE_INFINITY, POSITIVE_INFINITY), (End(0), POSITIVE_INFINITY),
                                  (End(10**400), End(10**400))])  # fmt: skip
def test_an_interval_without_a_middle_is_no_float(ends):
    with pytest.raises(NumberError) as caught:
        float(ShownNumber(*ends, Evidence.ENCLOSED))
    assert all([caught.value.given, caught.value.required, caught.value.why, caught.value.advice])


def test_rows_are_dictionaries_of_numbers_and_a_frame_of_the_same(verdict):
    lines, frame = verdict.to_dicts(), verdict.to_frame()
    assert len(lines) == len(verdict.rows) == len(frame)
    for line, one in zip(lines, verdict.rows, strict=True):
        assert line["measured"] == float(one.measured)
        assert line["N"] == one.at["N"]
        assert all(isinstance(line[name], float) for name in ("measured_low", "measured_high", "bound_low"))
    assert frame["measured"].tolist() == [line["measured"] for line in lines]
    assert verdict.to_frame("polars")["bound"].to_list() == [line["bound"] for line in lines]
    nowhere = Estimate(NEGATIVE_INFINITY, POSITIVE_INFINITY, Evidence.ENCLOSED)
    assert replace(verdict, rows=(shown_row(replace(ROW, measured=nowhere)),)).to_dicts()[0]["measured"] is None


def test_a_row_is_printed_as_one_line():
    one = judge(tiny(asserts=[value <= 1]), "toy.lemma_01").rows
    assert repr(one[0]) == "N=2: value 2 <= 1: fails"
    assert repr(next(r for r in one if r.control)).startswith("control 'one more', N=2: value ")


# -- the same verdict ----------------------------------------------------------------------------------------------
def test_what_is_shown_is_the_engines_verdict_and_stays_one():
    from theorytools.claims.judging.judge import judge as judged

    own, plain = judge(tiny(), "toy.lemma_01"), judged(tiny(), "toy.lemma_01")
    timeless = {"seconds": 0, "cpu": 0, "cpu_points": (), "cpu_parts": {}}
    assert replace(own, **timeless).to_json() == replace(plain, **timeless).to_json()
    assert isinstance(own, Verdict)
    assert isinstance(replace(own, label="x"), ShownVerdict)
    assert shown(own) is own
    assert shown(plain) == plain == shown(plain)
    assert shown(plain) != replace(plain, label="x")
    assert (own.rows[0], own.rows[0].measured) == (plain.rows[0], plain.rows[0].measured)
    assert repr(own) == repr(plain)
    assert all(math.isfinite(float(r.measured)) for r in shown(plain).rows)
