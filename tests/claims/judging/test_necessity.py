"""Hypotheses dropped one by one: the weaker form follows, a needed one has a violation, a superfluous one has none."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from properties import examples
from sympy import Eq, Ne, Not, Or, Rational, ceiling, log, sqrt, true
from tiny import M, N, constant, shrinking, tiny, value, x

from theorytools import CheckError, Control, DomainError, Evidence, Quantity, Recipe, grid, letter
from theorytools.claims.judging.necessity import STATES, Cell, cells, examine_hypothesis, noted, stepped
from theorytools.claims.judging.necessity_point import examine_control, exhausted
from theorytools.claims.judging.weaker_hypotheses import Hypothesis, follows, spoiled, weakened
from theorytools.claims.papers.notes import FILE, Note, read_notes
from theorytools.numbers.logic import decide

y = letter("y", "a number")
t = letter("t", "a positive number", positive=True)
CONDITIONS = [
    N >= 5, N < 7, N <= M, N < M, 2 * N <= M + 3, y <= 1, y < 1, y >= 0, y > 0, y >= -2, t <= Rational(1, 2), t >= 3,
    t >= y, y <= t, y * t <= 1, ceiling(M / 2) - 1 >= N, y**2 >= N * t, log(t) <= 1, t <= sqrt(N), y <= x, x + y >= -1,
    Eq(N, M), Ne(N, M), Or(Eq(N, 1), Eq(N, M)),
]  # fmt: skip
numbers = st.fractions(-4, 4, max_denominator=8)


# -- the notch -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
@examples(16, sizes=st.tuples(st.integers(1, 12), st.integers(1, 12)), reals=st.tuples(numbers, numbers, numbers))
def test_a_hypothesis_implies_its_weaker_form(condition, sizes, reals):
    values = dict(zip("NM", sizes, strict=True)) | {"y": reals[0], "x": reals[1], "t": abs(reals[2]) + Fraction(1, 9)}
    weaker, change = weakened(condition)
    assert change
    if decide(condition, values) is True and weaker is not true:
        assert decide(weaker, values) is True


@pytest.mark.parametrize(
    ("condition", "weaker", "change"),
    [(N >= 5, N >= 4, "by one"), (N <= M, N <= M + 1, "by one"), (y < 1, y <= 1, "strict to weak"),
     (t <= Rational(1, 2), t <= 1, "constant doubled"), (t >= 3, t >= Rational(3, 2), "constant halved"),
     (y >= 0, y >= -1, "one added"), (N >= 2, true, "by one"), (Eq(N, M), true, "left out")],
)  # fmt: skip
def test_the_notch_is_the_one_that_the_page_names(condition, weaker, change):
    made, said = weakened(condition)
    assert said == change
    assert made == weaker or (made.lhs - made.rhs - weaker.lhs + weaker.rhs) == 0


def test_conjunctions_are_taken_apart_and_each_hypothesis_stands_once():
    claim = tiny(requires=[(N >= 2) & (N <= 9), N >= 2, true], grid=grid(N=[2, 3]))
    assert sorted(h.text for h in Hypothesis.of(claim)) == ["N <= 9", "N >= 2"]
    for one in Hypothesis.of(claim):
        assert len(one.others) == 1
        assert one.condition not in one.others


# -- cells -----------------------------------------------------------------------------------------------------------
def cell(claim, text, **options):
    one = next(h for h in Hypothesis.of(claim) if h.text == text)
    return examine_hypothesis(claim, "toy.lemma_01", one, **options)


def test_a_hypothesis_that_is_needed_gets_a_violation_within_one_notch():
    claim = tiny(asserts=[value <= 9], requires=[N <= 9], grid=grid(N=[2, 9]), construct=lambda p: p.N + p.N // 10,
                 controls=[Control("far", breaks=value, construct=lambda p: 10**9)])  # fmt: skip
    found = cell(claim, "N <= 9")
    assert (found.state, found.notch) == ("needed", True)
    assert dict(found.violation.row.point) == {"N": "10"}
    assert found.violation.row.evidence is Evidence.EXACT
    data = found.to_json()
    assert data["at"] == {"N": "10"}
    assert data["within"] is True


def test_one_that_is_needed_beyond_a_notch_says_so_and_shrinks():
    claim = tiny(asserts=[value <= 12], requires=[N <= 9], grid=grid(N=[2, 9]),
                 controls=[Control("far", breaks=value, construct=lambda p: 10**9)])  # fmt: skip
    found = cell(claim, "N <= 9")
    assert (found.state, found.notch) == ("needed", False)
    assert int(found.violation.row.point["N"]) > 12


def test_a_superfluous_hypothesis_gets_no_violation_and_is_not_called_needed():
    claim = tiny(requires=[N <= 9, N >= 2], grid=grid(N=[2, 9]))
    for one in cells(claim, id="toy.lemma_01"):
        assert one.state == "unknown"
        assert one.violation is None
        assert "no violation at" in one.why
        assert one.counts[0] > 0


def test_what_the_others_give_is_not_needed_and_not_searched():
    claim = tiny(requires=[N < M, M <= 9, N <= 9], grid=grid(N=[2, 3], M=[4, 8]))
    found = cell(claim, "N <= 9")
    assert (found.state, found.counts) == ("not needed", (0, 0, 0, 0))
    assert "other hypotheses give it" in found.why
    assert [follows(claim, h) for h in Hypothesis.of(claim)] == [False, False, True]
    steep = tiny(requires=[N >= 2, (1 / t - 1) * (N - 1) > 1], grid=grid(N=[3], t=["1/4"]))
    assert follows(steep, Hypothesis.of(steep)[0])
    loose = tiny(requires=[N >= 2, N <= 5], grid=grid(N=[3]))
    assert not follows(loose, Hypothesis.of(loose)[0])


def test_a_strict_relation_between_numbers_gains_nothing():
    claim = tiny(requires=[y > 0, y >= 0], grid=grid(N=[2], y=[1]))
    assert [follows(claim, h) for h in Hypothesis.of(claim)] == [False, True]


def test_a_construction_that_refuses_defines_the_object_only_where_it_names_a_letter():
    def refusing(given):
        def construct(p):
            if p.N > 9:
                raise DomainError(given, required="at most nine")
            return p.N

        return construct

    claim = tiny(requires=[N <= 9], grid=grid(N=[2, 9]), construct=refusing("N = 10"))
    found = cell(claim, "N <= 9")
    assert (found.state, found.violation) == ("defines", None)
    assert "at most nine" in found.why
    silent = cell(tiny(requires=[N <= 9], grid=grid(N=[2, 9]), construct=refusing("a number")), "N <= 9")
    assert silent.state == "unknown"


def test_an_error_of_the_check_outside_its_hypotheses_leaves_the_cell_open():
    claim = tiny(requires=[N <= 9], grid=grid(N=[2, 9]), construct=lambda p: [*range(10)][p.N])
    found = cell(claim, "N <= 9")
    assert found.state == "unknown"
    assert "IndexError" in found.why


def test_fitted_numbers_never_make_a_hypothesis_needed_and_sampled_ones_do():
    def measured(kind):
        def steps(alpha, budget):
            for estimate in shrinking(10, 1).steps(alpha, budget):
                yield estimate.__class__(estimate.low, estimate.high, kind, alpha, {})

        return lambda thing, p: {value: Recipe(kind, steps) if p.N > 9 else 1}

    for kind, state in ((Evidence.SAMPLED, "needed"), (Evidence.OBSERVED, "unknown"), (Evidence.FITTED, "unknown")):
        claim = constant(1, value <= 2, requires=[N <= 9], grid=grid(N=[2]))
        found = cell(tiny(asserts=[value <= 2], requires=[N <= 9], grid=grid(N=[2, 9]), measure=measured(kind),
                          controls=claim.controls), "N <= 9")  # fmt: skip
        assert found.state == state, kind
        if state == "needed":
            assert 0 < found.violation.row.measured.alpha <= claim.budget.alpha


def test_a_claim_that_names_its_points_does_not_need_what_holds_at_each():
    claim = tiny(requires=[N <= 9], grid=grid(N=[2, 9]), listed=[N])
    assert cell(claim, "N <= 9").state == "not needed"


def test_what_is_not_searched_says_why():
    repair = Control("repaired", breaks=(), construct=lambda p: 0)
    refuted = tiny(requires=[N >= 2], expect="REFUTED", controls=[*tiny().controls, repair])
    (found,) = cells(refuted, id="toy.lemma_01")
    assert (found.state, found.violation) == ("unknown", None)
    assert "fails within" in found.why
    for kind, why in (("unsearched", "dear"), ("at", "a note says where to look"), ("control", "a note says where to")):
        note = Note("toy.lemma_01", "N >= 2", **{kind: "dear"})
        (found,) = cells(tiny(requires=[N >= 2]), [note], id="toy.lemma_01")
        assert f"not searched: {why}" in found.why


def test_a_claim_of_minutes_is_searched_at_its_least_numbers_only():
    judged = []

    def construct(p):
        judged.append(p.N)
        return p.N

    claim = tiny(requires=[N >= 4, N <= 9], grid=grid(N=[5, 9]), construct=construct, tier="minutes")
    for one in cells(claim, id="toy.lemma_01"):
        assert one.state == "unknown"
    beside = {*judged} - {5, 9}  # those of the grid are judged to know what a point takes
    assert beside == {1, 2, 3}


def test_what_the_statement_names_is_not_needed_where_the_hypothesis_holds_at_each():
    claim = tiny(requires=[N <= 9, M >= 2], grid=grid(N=[2, 9], M=[3]), listed=[N])
    assert cell(claim, "N <= 9").state == "not needed"
    assert cell(claim, "M >= 2").state == "unknown"
    assert cell(tiny(requires=[N * M <= 30], grid=grid(N=[2, 9], M=[3]), listed=[N]), "M*N <= 30").state == "unknown"


def test_the_object_of_a_control_counts_where_it_fails_the_hypothesis_alone():
    parts = {"asserts": [value <= 9], "requires": [x <= 8, N <= 5], "grid": grid(N=[2, 5]), "derived": [x],
             "derive": lambda thing, p: {x: thing}}  # fmt: skip
    far = Control("far", breaks=value, construct=lambda p: 10**9)
    claim, blank = tiny(**parts, controls=[far]), Cell("x <= 8", "constant doubled", "unknown")
    found = examine_control(claim, "toy.lemma_01", blank, "far")
    assert (found.state, found.notch, found.control) == ("needed", False, "far")
    assert found.to_json()["control"] == "far"
    assert str(found.violation.row.measured.low) == str(10**9)
    with pytest.raises(CheckError, match="outside 'N <= 5' alone"):
        examine_control(claim, "toy.lemma_01", Cell("N <= 5", "by one", "unknown"), "far")
    with pytest.raises(CheckError, match="the control 'near'"):
        examine_control(claim, "toy.lemma_01", blank, "near")
    with pytest.raises(CheckError, match="breaks what the claim asserts"):
        spoiled(tiny(**parts, controls=[far, replace(far, name="repaired", breaks=())]), "repaired")


def test_where_few_points_are_left_outside_all_of_them_are_judged():
    def after(claim):
        (found,) = cells(claim, id="toy.lemma_01")
        return exhausted(claim, "toy.lemma_01", found)

    found = after(tiny(requires=[N >= 4], grid=grid(N=[4, 9])))
    assert (found.state, found.why[:27]) == ("not needed", "all 3 points outside were j")
    worded = after(tiny(requires=[N >= 4], grid=grid(kind=["plain", "odd"], N=[4, 9])))
    assert "all 6 points" in worded.why
    open_at_two = tiny(requires=[N >= 4], grid=grid(N=[4, 9]), construct=lambda p: [1, 1, None, 1, 4, 9][min(p.N, 4)])
    assert after(open_at_two).state == "unknown"
    for claim in (tiny(requires=[N >= 400], grid=grid(N=[400])), tiny(requires=[N >= 4], grid=grid(N=[4], M=[1])),
                  tiny(requires=[N <= 4], grid=grid(N=[4]))):  # fmt: skip
        assert after(claim).state == "unknown"
    false = tiny(requires=[N >= 4], grid=grid(N=[4, 9]), construct=lambda p: max(p.N, 2))
    assert after(false).state == "needed"


def test_a_search_repeats():
    claim = tiny(asserts=[value <= 12], requires=[N <= 9], grid=grid(N=[2, 9]),
                 controls=[Control("far", breaks=value, construct=lambda p: 10**9)])  # fmt: skip
    assert [c.to_json() for c in cells(claim, id="toy.a")] == [c.to_json() for c in cells(claim, id="toy.a")]
    assert {c.state for c in cells(claim, id="toy.a")} <= set(STATES)


def test_objects_are_drawn_outside_a_hypothesis_and_leave_nothing_behind(tmp_path, monkeypatch):
    from hypothesis import strategies

    monkeypatch.chdir(tmp_path)
    total = Quantity("total", "S", "the sum of the digits")
    claim = tiny(
        asserts=[total <= 18], requires=[N <= 2], grid=grid(N=[1, 2]), construct=lambda p: (0,) * p.N,
        measure=lambda digits, p: {total: sum(digits)},
        search=lambda draw, p: tuple(draw(strategies.lists(strategies.integers(0, 9), min_size=p.N, max_size=p.N))),
        controls=[Control("far", breaks=total, measure=lambda digits, p: {total: 10**9})],
    )  # fmt: skip
    found = cell(claim, "N <= 2", evaluations=400)
    assert found.state == "needed"
    assert sum(eval(found.violation.thing)) > 18
    assert list(tmp_path.iterdir()) == []


# -- notes -------------------------------------------------------------------------------------------------------------
def test_a_note_decides_an_unknown_cell_and_is_contradicted_by_a_violation():
    data = {
        "hypothesis": "N <= 9",
        "change": "by one",
        "state": "unknown",
        "why": "nothing found",
        "points": [1, 0, 0, 0],
    }
    proved = Note("toy.lemma_01", "N <= 9", proof="the bound grows")
    assert noted(data, None) == data
    assert noted(data, proved)["state"] == "not needed"
    assert noted(data, proved)["why"] == "the bound grows"
    assert noted(data, Note("toy.lemma_01", "N <= 9", by="toy.other"))["why"] == "the stronger statement is toy.other"
    assert noted(data, Note("toy.lemma_01", "N <= 9", defines="no such set"))["state"] == "defines"
    assert noted(data, Note("toy.lemma_01", "N <= 9", unsearched="dear")) == data
    assert noted(data, Note("toy.lemma_01", "N <= 9", unsearched="dear", proof="p"))["state"] == "not needed"
    with pytest.raises(CheckError, match="violated at N=10"):
        noted({**data, "state": "needed", "at": {"N": "10"}}, proved)


@pytest.mark.parametrize(
    "text",
    ["[[note]]\nclaims = ['toy.a']\nhypothesis = 'N <= 9'\n",
     "[[note]]\nclaims = ['toy.a']\nhypothesis = 'N <= 9'\nproof = ''\n",
     "[[note]]\nclaims = ['toy.a']\nhypothesis = 'N <= 9'\nproof = 'p'\nby = 'toy.b'\n",
     "[[note]]\nclaims = ['other.a']\nhypothesis = 'N <= 9'\nproof = 'p'\n",
     "[[note]]\nclaims = 'toy.a'\nhypothesis = 'N <= 9'\nproof = 'p'\n",
     "[[note]]\nclaims = ['toy.a', 'toy.a']\nhypothesis = 'N <= 9'\nproof = 'p'\n",
     "[[note]]\nclaims = ['toy.a']\nhypothesis = 'N <= 9'\nproof = 'p'\nwhy = 'q'\n",
     "[[note]]\nclaims = ['toy.a']\nhypothesis = 'N <= 9'\nat = 'N=1'\nunsearched = 'q'\n",
     "note = 3\n", "[[note\n"],
)  # fmt: skip
def test_a_note_that_does_not_say_one_thing_is_refused(tmp_path, text):
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(CheckError):
        read_notes(folder)
    (folder / FILE).unlink()
    assert read_notes(folder) == []


def test_a_note_may_decide_and_say_why_no_search_is_made(tmp_path):
    folder = tmp_path / "toy"
    folder.mkdir()
    text = "[[note]]\nclaims = ['toy.a']\nhypothesis = 'N <= 9'\nproof = 'p'\nunsearched = 'dear'\n"
    (folder / FILE).write_text(text, encoding="utf-8")
    (note,) = read_notes(folder)
    assert (note.decides, note.tried, note.words, note.unsearched) == (True, False, "p", "dear")


def test_the_denial_keeps_the_domain_of_a_letter_that_nothing_else_names():
    claim = tiny(asserts=[value <= 5], requires=[M <= 3], grid=grid(N=[2], M=[1, 3]),
                 construct=lambda p: 9 if p.M <= 0 else 1,
                 controls=[Control("far", breaks=value, construct=lambda p: 10**9)])  # fmt: skip
    (one,) = Hypothesis.of(claim)
    assert M in one.beyond(claim, notch=False).all_letters().values()
    assert Not(one.condition) in one.beyond(claim, notch=False).requires
    assert cell(claim, "M <= 3").state == "unknown"


def test_a_search_that_finds_nothing_steps_over_each_hypothesis_by_one_notch():
    """Where the statement fails there its hypothesis is needed; what the letters' domains give is no hypothesis."""
    claim = tiny(asserts=[value <= 9], grid=grid(N=[2, 4], M=[2, 3]), requires=[N <= 9, M >= 2, N >= 1], controls=[
        Control("far", breaks=value, construct=lambda p: 10**9)])  # fmt: skip
    found = stepped(claim, "toy.lemma_01", left=lambda: 1.0)
    assert found.keys() == {"N <= 9", "M >= 2"}
    assert found["N <= 9"].startswith("fails at N=10, M=")
    assert found["M >= 2"].startswith("holds at ")
    assert stepped(claim, "toy.lemma_01", left=lambda: 0.0) == {}
    assert stepped(replace(claim, tier="minutes"), "toy.lemma_01", left=lambda: 1.0) == {}
