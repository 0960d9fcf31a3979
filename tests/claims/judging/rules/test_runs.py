"""Runs of claims: when processes are started, what a search adds, which points of a record run again, pictures."""

import itertools
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from tiny import CHECK, M, N, constant, shrinking, tiny, value, write_checks, x
from verdict_examples import HUGE, open_product, verdict_of

from theorytools import Catalogue, Control, DomainError, grid, observed, points
from theorytools.claims.judging import run as runs
from theorytools.claims.judging.conclude import conclude
from theorytools.claims.judging.hypotheses import failing
from theorytools.claims.judging.picture import numbers, plot_verdict, size_letter
from theorytools.claims.judging.pool import batches, worth
from theorytools.claims.judging.record import _sizes, judge_record, write_record
from theorytools.claims.judging.run import EVALUATIONS, concerned, judge_entry, run, searched
from theorytools.claims.papers.catalogue import Entry


def entry(stem="a", name="claim"):
    id = f"p.{stem}" if name == "claim" else f"p.{stem}.{name}"
    return Entry(id, "p", stem, name, stem, Path(f"/checks/p/{stem}.py"))


# -- processes ---------------------------------------------------------------------------------------------------------
@pytest.fixture
def asked(monkeypatch):
    """What a run asks: how many processes pay, and whom it lets judge."""
    seen = {"worth": [], "pooled": [], "here": []}

    def pay(jobs, hints):
        seen["worth"].append(hints)
        return seen.get("pays", 2)

    def pool(judge, jobs, count, *, hints, progress, said, limit):
        seen["pooled"].append(count)
        return iter([(job[0], None if job[0].stem == "dead" else ({"id": job[0].id}, "")) for job in jobs])

    monkeypatch.setattr(runs, "worth", pay)
    monkeypatch.setattr(runs, "pooled", pool)

    def judged(tier, e, at, step):
        seen["here"].append((tier, step))
        return {}, ""

    monkeypatch.setattr(runs, "_judged", judged)
    return seen


@pytest.mark.parametrize(
    ("jobs", "processes", "pooled"), [(3, 1, []), (3, 2, [2]), (1, 4, []), (2, 4, [2]), (3, None, [2]), (0, 4, [])]
)
def test_processes_are_started_for_two_and_more(asked, jobs, processes, pooled):
    made = list(run([(entry(str(k)), {}) for k in range(jobs)], processes=processes))
    assert len(made) == jobs
    assert asked["pooled"] == pooled
    assert len(asked["here"]) == (0 if pooled else jobs)
    assert asked["worth"] == ([{}] if processes is None else [])


def test_hints_order_the_work_and_a_claim_whose_process_died_is_an_error(asked):
    hints = {"p.a": 9.0}
    good, dead = run([(entry("a"), {}), (entry("dead"), {})], hints=hints)
    assert asked["worth"] == [hints]
    assert (good.verdict, good.error) == ({"id": "p.a"}, "")
    assert dead.verdict is None
    assert "p.dead, whose process died twice" in dead.error
    asked["pays"] = 1
    told = []
    list(run([(entry("a"), {})], progress=lambda *step: told.append(step)))
    ((tier, step),) = asked["here"]
    step(1, 2)
    assert (tier, told) == ("seconds", [(entry("a"), 1, 2)])


def test_the_longest_file_is_first_and_in_it_the_longest_claim(monkeypatch):
    from theorytools.claims.judging import pool

    monkeypatch.setattr(pool, "cores", lambda: 4)
    jobs = [(entry(stem, name), {}) for stem in "ab" for name in ("claim", "other")]
    assert [[e.id for e, _ in batch] for batch in batches(jobs, {"p.a": 0.1, "p.a.other": 0.2})] == [
        ["p.b", "p.b.other"], ["p.a.other", "p.a"],  # nothing is known of b: 0.3 seconds for each
    ]  # fmt: skip
    for seconds, count in [(1.9, 1), (3.9, 1), (4.0, 2), (6.1, 3), (100, 4)]:
        assert worth([(entry("a"), {}), *jobs[1:]], {e.id: seconds / 4 for e, _ in jobs}) == count
    assert worth(jobs[:2], {"p.a": 100}) == 2


# -- the search of a verdict -------------------------------------------------------------------------------------------
def test_a_search_that_draws_adds_the_level_of_the_claim_and_another_nothing():
    claim = tiny()
    before = verdict_of(claim)
    after = searched(claim, before)
    assert after.alpha_claim == before.alpha_claim == claim.budget.alpha
    assert after.searched["evaluations"] == after.searched["inside"] + after.searched["open"]
    assert 0 < after.searched["inside"] <= EVALUATIONS
    drawing = tiny(measure=lambda thing, p: {value: shrinking(thing - 1, Fraction(1, 2))})
    spent = verdict_of(drawing)
    found = searched(drawing, spent)
    assert found.alpha_claim == 2 * claim.budget.alpha
    assert spent.alpha_spent < found.alpha_spent <= 2 * claim.budget.alpha


def test_the_times_of_a_verdict_are_whole_and_told_by_parts(monkeypatch):
    spent = [0]
    monkeypatch.setattr(time, "process_time", lambda: spent[0])

    def work(p, amount, thing):
        spent[0] += amount
        return thing

    spoil = Control("one more", breaks=value, construct=lambda p: work(p, 10, p.N + 1))
    claim = tiny(construct=lambda p: work(p, 1 if p.N in (2, 3) else 100, p.N), controls=[spoil])
    before = verdict_of(claim)
    assert (before.cpu, before.cpu_points) == (22, (11, 11))
    assert before.cpu_parts == {"measured": 2, "controls": 20, "search": 0}
    after = searched(claim, before)
    found = after.cpu_parts["search"]
    assert found >= 100 * after.searched["inside"]  # with the points of the grid that tell what one takes
    assert after.cpu_parts == {"measured": 2, "controls": 20, "search": found}
    assert after.cpu == 22 + found > 22
    assert after.cpu_points == before.cpu_points
    assert after.seconds > before.seconds


def test_an_entry_is_judged_on_its_grid_alone_where_no_search_is_asked_for(tmp_path, monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr(time, "process_time", lambda: next(ticks))  # a machine's may stand still for so long
    (one,) = Catalogue(write_checks(tmp_path)).entries
    short, long = judge_entry(one, search=False), judge_entry(one)
    assert (short.searched, short.cpu_parts["search"]) == ({}, 0)
    assert long.searched["inside"] > 0
    assert long.cpu_parts["search"] > 0
    for verdict in (short, long):
        told = sum(verdict.cpu_parts.values())
        assert 0 < told < verdict.cpu < told + 10  # with the description, and without the loading of the file


@pytest.mark.parametrize("changed", [{"tier": "minutes"}, {"listed": ["N"]}, {"tabulated": ["N"]}])
def test_nothing_is_searched_of_slow_claims_and_fixed_points(changed):
    claim = tiny(asserts=[value <= 3], **changed)
    verdict = verdict_of(claim)
    assert searched(claim, verdict) is verdict


def test_a_violation_off_the_grid_is_told_with_its_row():
    far = Control("far", breaks=value, construct=lambda p: HUGE)
    claim = tiny(asserts=[value <= 3], controls=[far])
    before = verdict_of(claim)
    found = searched(claim, before)
    assert (before.outcome, found.outcome, found.as_expected) == ("HOLDS", "REFUTED", False)
    assert len(found.rows) == len(before.rows) + 1
    assert found.reason == "value <= 3 fails at N=4: measured 4, within the hypotheses, off the grid"


@pytest.mark.parametrize(
    ("bound", "scope", "outcome", "state", "as_expected"),
    [
        (5, {}, "REFUTED", "holds", True),
        (5, {"every N": "points", "some number": "exhibited"}, "WITNESS FAILS", "holds", True),
        (Fraction(7, 2), {}, "REFUTED", "fails", False),  # the repair fails where the statement does
    ],
)
def test_what_is_expected_to_fail_may_fail_beside_its_grid_where_its_repair_holds(
    bound, scope, outcome, state, as_expected
):
    repair = Control("repaired", asserts=[value <= bound])
    claim = tiny(asserts=[value <= 3], controls=[repair], expect=outcome, scope=scope)
    before = verdict_of(claim)
    found = searched(claim, before)
    assert (before.outcome, before.as_expected) == ("HOLDS", False)
    assert (found.outcome, found.controls[0].outcome, found.as_expected) == (outcome, state, as_expected)
    assert [row.control for row in found.rows[-2:]] == ["repaired", ""]
    assert found.rows[-2].point == found.rows[-1].point == {"N": "4"}
    again = conclude(claim, found.rows, found.skipped)  # a stored verdict is concluded from its rows
    assert (again["outcome"], again["controls"], again["as_expected"]) == (outcome, found.controls, as_expected)


def test_a_repair_that_cannot_be_judged_where_the_statement_fails_is_no_repair():
    repair = Control("repaired", asserts=[value <= 9], measure=lambda thing, p: {value: Fraction(1, 4 - p.N)})
    claim = tiny(asserts=[value <= 3], controls=[repair], expect="REFUTED")
    found = searched(claim, verdict_of(claim))
    assert (found.outcome, found.controls[0].outcome, found.as_expected) == ("REFUTED", "never applies", False)


def in_doubles(p):
    big = float(p.x) * 1e300
    return {value: observed(Fraction(big * 2 - big))}


def test_doubles_that_are_no_numbers_beside_the_grid_of_an_observation_are_remarked():
    wild = {"asserts": [value > 0], "measure": lambda thing, p: in_doubles(p), "grid": grid(x=["1/2", 1])}
    wild["controls"] = [Control("zero", breaks=value, measure=lambda thing, p: {value: observed(0)})]
    wild["construct"] = lambda p: p.x
    free, bounded = (tiny(**wild, requires=[x > 0, *more]) for more in ([], [x <= 1000]))
    found = searched(free, verdict_of(free))
    (remark,) = found.remarks
    assert (found.outcome, remark.instrument) == ("HOLDS", "doubles")
    assert remark.text.startswith("at x = ")
    assert len(remark.text) < 100
    assert searched(bounded, verdict_of(bounded)).remarks == ()


# -- which claims a user's letters concern -----------------------------------------------------------------------------
def test_each_claim_gets_its_own_letters_and_unknown_ones_are_refused(tmp_path):
    two = (
        CHECK.replace("grid(N=[2, 3])", "grid(N=[2, 3], M=[1])")
        .replace('value = Quantity("value", "v")', 'value = Quantity("value", "v")\nM = 1')
        .replace('"every N"', '"every N, M"')
    )
    broken = "from theorytools import Claim\n\nclaim = Claim(1 / 0)\n"
    entries = Catalogue(write_checks(tmp_path, lemma_02=two, lemma_03=broken)).entries
    parts = {e.stem: at for e, at in concerned(entries, {"N": 4, "M": 2})}
    assert parts == {"lemma_01": {"N": 4}, "lemma_02": {"N": 4, "M": 2}, "lemma_03": {"N": 4, "M": 2}}
    assert [e.stem for e, _ in concerned(entries, {"M": 2})] == ["lemma_02", "lemma_03"]
    with pytest.raises(DomainError) as caught:
        concerned(entries, {"N": 4, "q": 1, "d": 1})
    assert (caught.value.given, caught.value.required) == ("the letter d, q", "an axis of the chosen claims: M, N")
    with pytest.raises(DomainError):
        concerned(entries, {"N": "odd"})
    assert concerned(entries[2:], {"q": 1}) == [(entries[2], {"q": 1})]  # its own error comes first


# -- records -----------------------------------------------------------------------------------------------------------
def test_the_size_of_a_point_is_that_of_its_numbers_in_their_order():
    assert _sizes(["12", "odd", "1/3", "-2"]) == [12, Fraction(1, 3), -2]
    assert sorted([["10"], ["9"], ["1/2"]], key=_sizes) == [["1/2"], ["9"], ["10"]]
    assert _sizes(["odd"]) == []


def test_a_record_is_made_of_one_claim_and_its_text_is_limited(tmp_path, monkeypatch):
    from theorytools import CheckError
    from theorytools.claims.judging import record
    from theorytools.claims.papers.loading import load

    slow = CHECK.replace('    "Lemma 1",', '    "Lemma 1",\n    tier="minutes",')
    (one,) = Catalogue(write_checks(tmp_path, lemma_01=slow)).entries
    verdict = judge_entry(one, tier="minutes").to_json()
    size = write_record(one, verdict).stat().st_size
    monkeypatch.setattr(record, "MAX_BYTES", size + 40)
    assert write_record(one, verdict).is_file()
    monkeypatch.setattr(record, "MAX_BYTES", size - 40)
    with pytest.raises(CheckError, match="a record of"):
        write_record(one, verdict)
    again = judge_record(load(one), one, {})
    assert again.outcome == "HOLDS"
    assert again.seconds == pytest.approx(verdict["seconds"])


# -- hypotheses --------------------------------------------------------------------------------------------------------
def test_a_false_hypothesis_is_named_before_an_undecided_one():
    letters, values = {"x": x, "N": N}, {"x": open_product, "N": 5}
    from sympy import sqrt, true

    left = failing([x <= sqrt(6), N <= 5], values, letters, bits=128)
    assert (left.open, "stays undecided at x = 2.44949" in left.text) == (True, True)
    wrong = failing([x <= sqrt(6), N <= 4, N <= 3], values, letters, bits=128)
    assert (wrong.open, wrong.text) == (False, "the hypothesis 'N <= 4' fails at N = 5")
    first = failing([x <= sqrt(6), x >= sqrt(6)], values, letters, bits=128)
    assert "x <= sqrt(6)" in first.text
    assert failing([true, N <= 5], values, letters, bits=128) is None
    half = failing([], {"N": Fraction(1, 2)}, {"N": N, "M": M}, bits=64)
    assert (half.open, half.text) == (False, "the hypothesis 'N is an integer' fails: N = 1/2")
    both = failing([N >= 2], {"N": Fraction(1, 2)}, {"N": N}, bits=64)
    assert "is an integer" in both.text
    whole = failing([], {"N": lambda: open_product() ** 2}, {"N": N}, bits=64)
    assert (whole.open, whole.text) == (True, "the hypothesis 'N is an integer' stays undecided: N = 6")
    long = failing([N <= 2], {"N": 10**30}, {"N": N}, bits=64)
    assert long.text.endswith("at N = 1e+30")
    just = failing([N <= 2], {"N": 10**23}, {"N": N}, bits=64)
    assert just.text.endswith(f"at N = {10**23}")


# -- pictures ----------------------------------------------------------------------------------------------------------
def rows_at(*places):
    base = verdict_of(constant(1, value <= N)).rows[0]
    return [replace(base, point=place) for place in places]


def test_the_letter_of_a_picture_is_the_one_that_varies_most():
    square = [{"N": n, "M": m} for n, m in ("11", "21", "25", "35")]
    assert size_letter(rows_at(*square)) == "N"
    assert size_letter(rows_at({"k": "a", "M": "1"}, {"k": "b", "M": "1"}, {"k": "c", "M": "2"})) == "M"
    assert size_letter(rows_at({"N": "1"}, {"N": "1"})) == ""
    assert size_letter(rows_at({"k": "a"}, {"k": "b"})) == ""
    assert size_letter([]) == ""
    assert numbers({"N": "4/2", "y": "1/3", "k": "odd"}) == {"N": 2, "y": Fraction(1, 3), "k": "odd"}


def test_a_picture_needs_a_letter_with_two_numbers():
    rows = verdict_of(tiny(grid=points("N M k", (2, 1, "a"), (3, 1, "b")))).rows
    for letter in ("M", "k", "z"):
        with pytest.raises(DomainError, match=f"a picture along '{letter}'"):
            plot_verdict(rows, "title", letter)
    with pytest.raises(DomainError, match="a picture of rows at one point"):
        plot_verdict(verdict_of(constant(1, value <= N)).rows, "title")
    figure = plot_verdict(rows, "title")
    (axes,) = figure.axes
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("title", "N", "value")
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear")
    assert {text.get_text() for text in axes.get_legend().get_texts()} == {
        "measured", "bound (<=)", "control: one more",
    }  # fmt: skip
    bound, spoiled = axes.lines[1], axes.lines[2]
    assert list(bound.get_xdata()) == [2, 3]
    assert list(bound.get_ydata()) == [2, 3]
    assert (list(spoiled.get_xdata()), list(spoiled.get_ydata())) == ([2, 3], [3, 4])


@pytest.mark.parametrize(
    ("sizes", "power", "scales"),
    [([1, 15], 1, ("linear", "linear")), ([1, 16], 1, ("log", "linear")), ([2, 31], 2, ("log", "log")),
     ([1, 5], 2, ("linear", "linear")), ([1, 6], 2, ("linear", "log"))],
)  # fmt: skip
def test_wide_ranges_are_drawn_on_logarithmic_scales(sizes, power, scales):
    claim = tiny(grid=grid(N=sizes), asserts=[value <= N**power], measure=lambda thing, p: {value: thing**power})
    (axes,) = plot_verdict(verdict_of(claim).rows, "").axes
    assert (axes.get_xscale(), axes.get_yscale()) == scales


def test_each_assertion_has_a_panel_and_an_interval_its_bar():
    claim = tiny(asserts=[value <= N + 1, value >= 0], measure=lambda t, p: {value: shrinking(t, Fraction(1, 2))})
    figure = plot_verdict(verdict_of(replace(claim, controls=[replace(claim.controls[0], breaks="value <= N + 1",
                          measure=lambda t, p: {value: HUGE})])).rows, "t")  # fmt: skip
    first, second = figure.axes
    assert (first.get_title(), second.get_title()) == ("t", "")
    bars = first.collections[0].get_segments()
    assert [bar[:, 1].tolist() for bar in bars] == [[1.5, 2.5], [2.5, 3.5]]
