"""Words for what a statement reached: horizons, sizes, losses, lights; what is kept, and who draws it."""

import pytest
from hypothesis import strategies as st
from properties import examples
from report_parts import between, rational, row, verdict

from theorytools.reporting import cpu, folder, fragments
from theorytools.reporting.cache import Cache
from theorytools.reporting.folder import write_report
from theorytools.reporting.horizon import searched_text, seen_text, sizes_text, weakest
from theorytools.reporting.kinds import distribution
from theorytools.reporting.reach import beyond, factors, reach
from theorytools.reporting.scores import judged_as, lights, state
from theorytools.reporting.words import sizes

NOTHING = {"constant": None, "zero": False, "exponents": {}, "logs": [], "shifts": []}


def seen(**changed):
    return {**NOTHING, **changed}


# -- horizons ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({}, "no power"),
        ({"zero": True}, "any value but 0"),
        ({"constant": 0.0}, "constant <0.01 %"),
        ({"constant": 0.00009}, "constant <0.01 %"),
        ({"constant": 0.0001}, "constant 0.01 %"),
        ({"constant": 0.011}, "constant 1.1 %"),
        ({"constant": 0.0111}, "constant 1.2 %"),
        ({"constant": 1.0}, "constant 100 %"),
        ({"constant": 1.01}, "constant ×2.1"),
        ({"constant": 99}, "constant ×100"),
        ({"exponents": {"N": [0.5, 0.25]}}, "N^±0.5"),
        ({"exponents": {"N": [0.5, None]}}, "N^+0.5"),
        ({"exponents": {"N": [None, 0.25]}}, "N^-0.25"),
        ({"exponents": {"N": [None, None]}}, "no power"),
        ({"exponents": {"N": [0.0, 0.0]}}, "N^±0.001"),
        ({"logs": ["N", "M"]}, "log N, log M"),
        ({"shifts": ["N"]}, "N±1"),
    ],
)
def test_what_would_have_been_seen_in_words(changed, text):
    assert seen_text(seen(**changed)) == text


def test_at_most_so_many_letters_are_named():
    many = seen(exponents={k: [1, 1] for k in "abc"}, logs=list("abc"), shifts=list("abc"))
    assert seen_text(many, 1) == "a^±1, log a, a±1"
    assert seen_text(many, 2).count("b") == 3
    ranges = {k: {"low": "1", "high": "2", "values": 2} for k in "abc"}
    assert sizes_text(ranges, 2) == "a = 1..2, b = 1..2"
    assert sizes_text({**ranges, "a": {"low": "7", "high": "7", "values": 1}}) == "b = 1..2, c = 1..2"
    assert sizes_text({"a": {"low": "7", "high": "7", "values": 1}}) == "a = 7"
    assert sizes_text({}) == ""
    asked = {**ranges, "N": {"low": "128", "high": "128", "values": 1}}
    assert sizes_text(asked, 1) == "a = 1..2"
    assert sizes_text(asked, 1, ["N"]) == "N = 128, a = 1..2"
    moved = {
        "tested": asked,
        "user_points": True,
        "command": "theorytools verify p --at N=128 --at code=bch --at c=1,2",
    }
    assert sizes(moved) == "N = 128, c = 1..2, a = 1..2, b = 1..2"
    assert sizes({**moved, "user_points": False}) == "a = 1..2, b = 1..2, c = 1..2"


@examples(40, st.floats(1e-3, 0.9999))
def test_a_constant_is_rounded_up_to_two_digits(part):
    shown = float(seen_text(seen(constant=part)).removeprefix("constant ").removesuffix(" %"))
    assert 100 * part * (1 - 1e-7) <= shown <= 100 * part * 1.1 + 1e-9


def test_how_far_a_search_looked():
    searched = {"evaluations": 7, "inside": 5, "open": 0, "most": 208, "reach": {"N": "1..1000000", "y": "1/2..1/2"}}
    said = "searched 5 points beside the grid, N = 1..10^6, y = 1/2"
    assert searched_text({**searched, "ended": "evaluations"}) == said
    assert searched_text({**searched, "ended": "work", "left_out": 2, "refused": 1, "open": 3, "samples": 4}) == (
        f"{said}; 4 of them with fresh draws; 1 refused; 3 not decided; 2 left out for the work; ended by its work"
    )
    assert searched_text({**searched, "inside": 1, "reach": {}, "ended": "exhausted"}) == (
        "searched 1 point beside the grid; there is no other"
    )
    assert searched_text({}) == ""


def test_the_weakest_sees_the_largest_constant_only_then_exponents_count():
    a, b, zero = seen(constant=0.5), seen(constant=0.1), seen(zero=True)
    assert weakest({"a": a, "b": b}) is a
    assert weakest({"a": zero, "b": b}) is b
    assert weakest({"a": NOTHING, "b": a}) is NOTHING
    fine, coarse = seen(constant=0.5, exponents={"N": [0.1, 0.2]}), seen(constant=0.5, exponents={"N": [0.1, 0.9]})
    assert weakest({"a": fine, "b": coarse}) is coarse
    half = seen(constant=0.5, exponents={"N": [0.1, None], "M": [0.1, 0.1]})
    assert weakest({"a": half, "b": fine}) is fine
    assert weakest({}) is None


# -- sizes and losses --------------------------------------------------------------------------------------------------
def told(**more):
    return {"role": "statement", "outcome": "HOLDS", "as_expected": True, "id": "p.a", **more}


def sized(low, high, name="N", **more):
    return told(tested={name: {"low": low, "high": high, "values": 2}}, **more)


def test_the_reach_of_a_statement_is_that_of_its_own_claims():
    own = [
        sized("4", "64"),
        sized("2", "1/1"),
        sized("1", "9999", role="variant"),
        sized("1", "10000", user_points=True),
    ]
    assert reach(own) == {"N": (1, 64)}
    assert reach([sized("5", "9", role="variant"), sized("3", "4", role="sharpness")]) == {"N": (5, 9)}
    assert reach([sized("1", "9", "trial")]) == {}
    assert judged_as([]) == []


@pytest.mark.parametrize(
    ("used", "user", "text"),
    [
        ((4, 8), (4, 8), ""),
        ((4, 8), (5, 7), ""),
        ((4, 8), (2, 64), "N = 4..8, here N = 2..64"),
        ((4, 8), (4, 9), "N = 4..8, here N = 4..9"),
        ((4, 8), (3, 8), "N = 4..8, here N = 3..8"),
    ],
)
def test_sizes_beyond_those_of_what_a_statement_rests_on(used, user, text):
    assert beyond({"N": used}, {"N": user}) == text
    assert beyond({"M": used}, {"N": user}) == ""


def test_a_loss_is_told_between_ends_rounded_outward():
    rows = [
        row({"step": "a"}, between(1.234, 1.236), rational(9)),
        row({"step": "a"}, between(3.41, 3.44), rational(9)),
        row({"step": "b"}, rational(2), rational(9)),
        row({"step": "a"}, rational(99), rational(9), control="c"),
        row({"step": "c"}, rational(7), rational(9)),
    ]
    claim = {**verdict("losses", rows=rows), "id": "p.losses"}
    account = {"claim": "p.losses", "axis": "step", "of": {"a": "lemma_1", "b": "lemma_2"}}
    assert factors(account, [claim]) == {"lemma_1": "1.2..3.5", "lemma_2": "2.0"}
    for silent in ({**claim, "compact": True}, {**claim, "user_points": True}, {**claim, "id": "p.other"}):
        assert factors(account, [silent]) == {}


# -- lights ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], "gap"),
        ([told()], "good"),
        ([told(as_expected=False)], "bad"),
        ([told(outcome="REFUTED")], "doubt"),
        ([told(), told(outcome="UNDECIDED")], "doubt"),
        ([told(), told(role="variant", outcome="REFUTED")], "good"),
        ([told(as_expected=False, user_points=True), told()], "good"),
        ([told(role="sharpness")], "gap"),
        ([told(role="growth")], "good"),
    ],
)
def test_a_statement_is_as_good_as_the_worst_that_is_said_of_it(verdicts, expected):
    assert state(verdicts) == expected


def light(head, verdicts, gap="", cells=()):
    (found,) = [one for one in lights(verdicts, gap, cells) if one.head == head]
    return found.state, found.said


def test_the_light_of_the_statement_itself():
    assert light("holds", []) == ("gap", "no claim")
    assert light("holds", [], "nobody wrote it") == ("gap", "nobody wrote it")
    assert light("holds", [told(role="variant")]) == ("gap", "not the statement itself")
    assert light("holds", [told(), told(as_expected=False, outcome="UNDECIDED", expect="HOLDS")]) == (
        "bad",
        "undecided, expected holds",
    )
    assert light("holds", [told(outcome="REFUTED")]) == ("doubt", "refuted as read here")
    assert light("holds", [told(evidence="EXACT", scope={})])[0] == "good"


@pytest.mark.parametrize(
    ("horizon", "state", "passed"),
    [
        ({"v": seen(constant=1.0)}, "good", ""),  # off by 2
        ({"v": seen(constant=1.01)}, "doubt", "a constant ×2.1"),
        ({"v": seen(constant=0.1), "w": seen(constant=92)}, "doubt", "a constant ×93"),  # the one that sees least
        ({"v": seen(zero=True)}, "good", ""),
        ({"v": seen()}, "doubt", "any constant"),
        ({"v": seen(exponents={"N": [0.1, None]})}, "good", ""),  # a slope has no constant
        ({"v": seen(exponents={"N": [None, None]})}, "doubt", "any constant"),
        ({}, "good", ""),  # yes or no at every row
    ],
)
def test_no_light_is_louder_than_the_rows(horizon, state, passed):
    made = told(evidence="EXACT", scope={"every N": "points"}, horizon=horizon)
    said = "exact, every N (these points)" + (f"; its rows would pass {passed}" if passed else "")
    assert light("holds", [made]) == (state, said)
    if horizon and passed != "any constant":
        assert light("would have seen", [made])[0] == state
    other = told(horizon={"v": seen(constant=0.1)})
    both = light("holds", [other, made])  # the first speaks for the statement
    assert both[0] == "good"
    assert ("the rows of 1 more would pass" in both[1]) == (state == "doubt")


@pytest.mark.parametrize(
    ("head", "role", "verdicts", "expected"),
    [
        ("sharp", "sharpness", [{}], ("good", "yes")),
        ("sharp", "sharpness", [{}, {}], ("good", "yes, 2 claims")),
        ("sharp", "sharpness", [{}, {"outcome": "REFUTED"}], ("doubt", "1 of 2 claims hold")),
        ("sharp", "sharpness", [], ("gap", "not asked")),
        ("trained", "prediction", [{}, {"outcome": "REFUTED"}], ("doubt", "1 of 2 kept")),
        ("trained", "prediction", [{}], ("good", "1 of 1 kept")),
        ("trained", "found", [{}, {}], ("good", "2 found")),
        (
            "trained",
            "prediction",
            [{}, {"role": "found"}, {"role": "found", "outcome": "UNDECIDED"}],
            ("doubt", "1 of 1 kept, 2 found"),
        ),
        ("pitfalls", "pitfall", [{}], ("doubt", "1: beware")),
        ("pitfalls", "pitfall", [{"as_expected": False}, {}], ("bad", "1 not as expected")),
        ("machine arithmetic", "precision", [{"as_expected": False}] * 2, ("bad", "2 not as expected")),
    ],
)
def test_lights_by_role(head, role, verdicts, expected):
    assert light(head, [told(**{"role": role, **v}) for v in verdicts]) == expected


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        (["needed"], ("good", "1 of 1 needed")),
        (["needed", "not needed"], ("good", "1 of 2 needed, 1 not")),
        (["needed", "unknown"], ("doubt", "1 of 2 needed, 1 unknown")),
        (["unknown"], ("gap", "0 of 1 needed, 1 unknown")),
        (["defines"], ("good", "each defines the object")),
        (["defines", "needed"], ("good", "1 of 1 needed")),
        (["not needed", "unknown", "unknown"], ("doubt", "0 of 3 needed, 1 not, 2 unknown")),
        ([], ("gap", "not asked")),
    ],
)
def test_the_light_of_the_hypotheses_counts_those_asked_one_by_one(states, expected):
    cells = [{"state": one} for one in states]
    assert light("hypotheses needed", [told()], cells=cells) == expected
    wrong = [told(role="necessity", as_expected=False)]
    assert light("hypotheses needed", wrong, cells=cells) == ("bad", "1 not as expected")


def test_the_light_of_the_horizon_is_that_of_the_statement():
    good, other = told(horizon={"v": seen(constant=0.5)}), told(role="variant", horizon={"v": seen(constant=0.1)})
    assert light("would have seen", [other, good]) == ("good", "constant 50 %")
    assert light("would have seen", [other]) == ("good", "constant 10 %")
    assert light("would have seen", [told()]) == ("gap", "no power")
    assert light("would have seen", [told(outcome="UNDECIDED")]) == ("gap", "–")
    assert light("would have seen", []) == ("gap", "–")


def test_claims_are_counted_by_role_grade_and_scope():
    made = [
        told(evidence="EXACT", scope={"every N": "closed form"}),
        told(evidence="SAMPLED", scope={"every N": "points"}),
        told(role="none", evidence=None),
    ]
    heads, *lines, whole = distribution(made)
    by_role = {line[0]: dict(zip(heads, line, strict=True)) for line in lines}
    assert (by_role["statement"]["claims"], by_role["statement"]["exact"], by_role["statement"]["sampled"]) == (
        "2",
        "1",
        "1",
    )
    assert (by_role["statement"]["all"], by_role["statement"]["points"]) == ("1", "1")
    assert by_role["not stated"]["not judged"] == "1"
    assert by_role["variant"]["claims"] == ""
    assert dict(zip(heads, whole, strict=True))["claims"] == "3"
    assert "not stated" not in [line[0] for line in distribution(made[:2])]


# -- what is kept, and who draws ---------------------------------------------------------------------------------------
def test_a_value_is_made_once_for_its_kind_and_data(tmp_path):
    cache, made = Cache(tmp_path), []

    def make():
        made.append(1)
        return {"n": len(made)}

    assert [cache.made("kind", [1], make) for _ in range(2)] == [{"n": 1}] * 2
    assert cache.made("kind", [2], make) == {"n": 2}
    assert cache.made("other", [1], make) == {"n": 3}
    assert len(cache.used) == 3
    again = Cache(tmp_path)
    assert again.made("kind", [1], make) == {"n": 1}
    assert again.used == {f"{again.key('kind', [1])}.json"}
    (tmp_path / f"{again.key('kind', [1])}.json").write_text("{", encoding="utf-8")
    assert again.made("kind", [1], make) == {"n": 4}
    nothing = Cache(None)
    assert [nothing.made("kind", [1], make)["n"] for _ in range(2)] == [5, 6]
    assert nothing.used == set()


def test_unless_told_one_process_draws(tmp_path, monkeypatch):
    made = [
        {**verdict("lemma_11", rows=[row({"N": k}, rational(1), rational(2)) for k in (2, 3, 4)]), "id": f"p.lemma_{k}"}
        for k in range(fragments.FEW + 2)
    ]
    asked = []

    class Pool:
        def __init__(self, processes, **_):
            asked.append(processes)

        def map(self, draw, jobs, chunksize):
            return map(draw, jobs)

        def shutdown(self, **_):
            asked.append("shut down")

    monkeypatch.setattr(fragments, "ProcessPoolExecutor", Pool)
    jobs = [(one, "p/x.html", False, "") for one in made]
    alone = fragments.fragments(jobs, Cache(None))
    assert asked == []
    assert fragments.fragments(jobs, Cache(None), processes=2) == alone
    assert asked == [2, "shut down"]
    assert fragments.fragments(jobs[: fragments.FEW], Cache(None), processes=2) == alone[: fragments.FEW]
    assert asked == [2, "shut down"]
    seen_by = []
    whole = folder.Site
    monkeypatch.setattr(folder, "Site", lambda *given: (seen_by.append(given[4]), whole(*given))[1])
    write_report(tmp_path, made[:1], [], run={})
    assert seen_by == [1]


def test_growth_needs_times_above_the_step_of_a_clock():
    def spent(seconds, points):
        return {"cpu": {"points": seconds}, "rows": [{"point": p, "control": ""} for p in points]}

    sizes = [{"N": n, "M": str(m)} for n, m in ((2, 1), (4, 2), (8, 3), (16, 3))]
    assert cpu.growth(spent([0.0005, 0.001, 0.002, 0.004], sizes)) == {"axis": "N", "sizes": 4, "growth": 1.0}
    assert cpu.growth(spent([0.0004, 0.001, 0.002, 0.004], sizes))["sizes"] == 3
    few = [{"N": str(n), "M": str(m)} for n, m in ((2, 1), (2, 2), (4, 3), (4, 4))]
    assert cpu.growth(spent([0.1] * 4, few))["axis"] == "M"
    assert cpu.growth(spent([0.1] * 4, [{"a": str(n), "b": "-1"} for n in (1, 2, 3, 4)]))["axis"] == "a"
    assert cpu.growth(spent([0.1] * 2, [{"b": "-1"}, {"b": "2"}]))["why"] == "no axis is a positive number"
