"""One search: its budget, each point once, the same points everywhere, samples, what is dear, what ends it."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import sympy
from source_tree import ROOT

from theorytools.search import hunt
from theorytools.search.hunt import Search, simplified
from theorytools.search.protocols import Result, Variable
from theorytools.search.space import Space

N, M, y = sympy.symbols("N M y")
GRID = [{"N": 2, "M": 1}, {"N": 4, "M": 3}]
VARIABLES = [Variable("N", "int", (2, 4), Fraction(1)), Variable("M", "int", (1, 3), Fraction(1))]


class Judged:
    """A judge that keeps what it was asked; the statement fails where ``wrong`` says so."""

    def __init__(self, wrong=lambda p, sample: False, draws=lambda p: False, status=lambda p: "true"):
        self.wrong, self.draws, self.status, self.asked = wrong, draws, status, []

    def __call__(self, point, sample):
        self.asked.append((tuple(point.items()), sample))
        status = "false" if self.wrong(point, sample) else self.status(point)
        return Result(status, margin=0.5, drawn=self.draws(point), note=status)


def search(judge, conditions=(), **options):
    parts = {"evaluations": 60, "seed": "s", **options}
    return Search(Space(VARIABLES, list(conditions)), judge, GRID, **parts)


# -- budgets -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("evaluations", [1, 2, 13, 200])
def test_points_are_limited_and_each_comes_once(evaluations):
    judge = Judged()
    found = search(judge, evaluations=evaluations).run()
    assert len(judge.asked) == len(set(judge.asked)) == found.judged == found.proposals == evaluations
    assert found.ended == "evaluations"
    assert [dict(point) for point, _ in judge.asked[:2]] == GRID[:evaluations]
    assert found.reach["N"] == tuple(f(dict(p)["N"] for p, _ in judge.asked) for f in (min, max))


def test_a_grid_that_has_been_judged_comes_no_more():
    judge = Judged()
    search(judge, judged=True).run()
    own = [(tuple(row.items()), 0) for row in GRID]
    assert not {*own} & {*judge.asked}


def test_points_that_are_given_come_first_and_once():
    judge = Judged()
    given = [{"N": 77, "M": 5}, GRID[1], {"N": 77, "M": 5}]
    search(judge, first=given, evaluations=9).run()
    assert [dict(p) for p, _ in judge.asked[:3]] == [given[0], GRID[1], GRID[0]]
    assert len(set(judge.asked)) == 9


def test_operations_are_limited_and_what_is_dear_is_left_out():
    price = lambda p: p["N"] * p["M"]  # noqa: E731
    judge = Judged()
    one = search(judge, evaluations=400, work=2000, price=price, judged=True)
    found = one.run()
    spent = 0
    for point, _ in judge.asked:  # each takes at most a fourth of what was left
        assert price(dict(point)) <= (2000 - spent) / 4
        spent += price(dict(point))
    assert spent == found.work < 2000
    assert one.left_out > 0
    assert found.ended == "work"
    assert max(p["N"] for p in (dict(p) for p, _ in judge.asked)) > 16  # sizes one by one, as far as they go


def test_work_that_the_judge_tells_counts():
    judge = Judged()
    one = search(lambda p, s: Result(judge(p, s).status, work=100), evaluations=400, work=1000, price=lambda p: 1.0)
    assert one.run().work == 1000
    assert len(judge.asked) == 10


def test_seconds_end_a_search_after_one_point_at_least(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(hunt.time, "perf_counter", lambda: now[0])

    class Slow(Judged):
        def __call__(self, point, sample):
            now[0] += 1.0
            return super().__call__(point, sample)

    for seconds, count in ((0.0, 1), (4.5, 5)):
        judge = Slow()
        found = search(judge, seconds=seconds).run()
        assert (found.ended, len(judge.asked)) == ("seconds", count)
    judge = Slow(wrong=lambda p, s: p["N"] > 3)
    found = search(judge, seconds=2.5).run()
    assert found.ended == "found"
    assert len(judge.asked) <= 8  # found at the second, and made simpler for as long again


# -- ends --------------------------------------------------------------------------------------------------------------
def test_where_no_point_is_left_a_search_ends():
    judge = Judged()
    found = search(judge, [N <= 3, M <= 2, N >= 2], evaluations=10**4).run()
    assert found.ended == "exhausted"
    assert {tuple(dict(p).values()) for p, _ in judge.asked} == {(n, m) for n in (2, 3) for m in (1, 2)} | {(4, 3)}
    assert len(judge.asked) == 5


def test_a_search_that_meets_few_points_of_the_statement_ends():
    judge = Judged(status=lambda p: "refused" if p["N"] > 4 or p["M"] > 3 else "true")
    found = search(judge, [N >= 4, M >= 3], evaluations=100).run()
    assert found.ended == "barren"
    assert found.refused >= 20
    assert found.refused > 4 * found.judged
    assert found.notes == {"refused": "refused"}
    half = Judged(status=lambda p: "outside" if (p["N"] + p["M"]) % 2 else "true")
    found = search(half, evaluations=100).run()
    assert (found.ended, found.judged + found.outside) == ("evaluations", 100)


def test_the_same_points_in_every_process(tmp_path):
    code = """
import json, sys
sys.path[:0] = [{root!r}, {tests!r}, {support!r}]
import test_hunt as t
judge = t.Judged(draws=lambda p: p["N"] > 3)
t.search(judge, [t.N * t.M <= 900], evaluations=80).run()
print(json.dumps(judge.asked))
"""
    here = Path(__file__).parent
    text = code.format(root=str(ROOT), tests=str(here), support=str(here.parent / "support"))
    env = {"PYTHONHASHSEED": "1", "PATH": ""}
    run = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True, env=env
    )
    judge = Judged(draws=lambda p: p["N"] > 3)
    search(judge, [N * M <= 900], evaluations=80).run()
    assert json.loads(run.stdout) == json.loads(json.dumps(judge.asked))
    other = Judged(draws=lambda p: p["N"] > 3)
    search(other, [N * M <= 900], evaluations=80, seed="other").run()
    assert other.asked != judge.asked


# -- samples -----------------------------------------------------------------------------------------------------------
def test_a_point_that_draws_is_judged_with_other_samples():
    judge = Judged(draws=lambda p: True)
    found = search(judge, evaluations=120).run()
    again = [sample for _, sample in judge.asked if sample]
    assert found.samples == len(again) > 4
    assert len(set(judge.asked)) == 120
    exact = Judged()
    assert search(exact, evaluations=120).run().samples == 0
    assert {sample for _, sample in exact.asked} == {0}


def test_a_violation_by_a_sample_names_it():
    judge = Judged(wrong=lambda p, sample: sample == 2 and p["M"] == 3, draws=lambda p: True)
    found = search(judge, evaluations=2000).run()
    assert found.ended == "found"
    assert found.track == "fresh"
    assert (found.first_sample, found.sample, found.point["M"]) == (2, 2, 3)
    assert judge.wrong(found.point, found.sample)


def test_a_grid_alone_is_judged_with_other_samples_and_nothing_else_is_proposed():
    judge = Judged(draws=lambda p: True)
    found = search(judge, evaluations=20, judged=True, only_grid=True, fresh=2).run()
    assert {p for p, _ in judge.asked} == {tuple(row.items()) for row in GRID}
    assert sorted(s for _, s in judge.asked) == sorted([*range(1, 11)] * 2)
    assert found.samples == 20
    still = Judged()
    found = search(still, evaluations=20, judged=True, only_grid=True).run()
    assert (found.ended, found.judged, len(still.asked)) == ("exhausted", 0, 2)  # the same again is no point


# -- what is found -----------------------------------------------------------------------------------------------------
def test_a_violation_is_made_simpler_and_both_are_told():
    judge = Judged(wrong=lambda p, s: p["N"] * p["M"] > 1000)
    found = search(judge, evaluations=500).run()
    assert judge.wrong(found.first, 0)
    assert judge.wrong(found.point, 0)
    assert found.point["N"] * found.point["M"] <= found.first["N"] * found.first["M"]
    n, m = found.point["N"], found.point["M"]
    assert (n - 1) * m <= 1000
    assert n * (m - 1) <= 1000
    assert found.shrinking <= 200
    asked = len(judge.asked)
    assert asked == found.proposals + found.shrinking


def test_moves_of_the_points_nearest_to_failing_climb():
    """The margin leads uphill to one value that no other order proposes."""

    def judge(point, sample):
        distance = abs(point["N"] - 777) + abs(point["M"] - 313)
        return Result("true" if distance > 40 else "false", margin=distance / 1000)

    assert search(judge, evaluations=1500).run().ended == "found"


def test_a_point_that_is_brought_is_judged_and_made_simpler():
    space = Space(VARIABLES, [N >= 2])
    judge = Judged(wrong=lambda p, s: p["N"] > 9)
    point, result = simplified(space, judge, {"N": 5000, "M": 7}, sample=3)
    assert (point, result.status) == ({"N": 10, "M": 1}, "false")
    assert {sample for _, sample in judge.asked} == {3}
    point, result = simplified(space, judge, {"N": 3, "M": 7})
    assert (point, result.status) == (None, "true")


def test_a_search_that_goes_on_judges_no_point_again_and_ends_where_none_is_left():
    judge = Judged()
    one = search(judge, [N <= 30, M <= 30], evaluations=80)
    one.run()
    other = search(judge, [N <= 30, M <= 30], evaluations=80, seed="s 2", before=one)
    other.run()
    assert len(judge.asked) == len(set(judge.asked)) == 160


def test_real_letters_go_to_the_edges_of_doubles_where_a_number_is_one_of_a_machine():
    space = Space([Variable("y", "rat", (Fraction(1),))], [y > 0])

    def track(floats):
        judge = lambda p, sample: Result("false" if p["y"] + 1.0 == p["y"] else "true", floats=floats)  # noqa: E731
        return Search(space, judge, [{"y": Fraction(1)}], evaluations=60, seed="s").run().track

    assert track(True) == "doubles"
    assert track(False) == ""


def test_with_a_clock_dear_points_come_in_the_second_half(monkeypatch):
    now, judge = [0.0], Judged()
    monkeypatch.setattr(hunt.time, "perf_counter", lambda: now[0])

    def slow(point, sample):
        now[0] += 0.1
        return judge(point, sample)

    search(slow, evaluations=400, seconds=10.0, price=lambda p: p["N"] * p["M"], each=10_000.0).run()
    prices = [dict(p)["N"] * dict(p)["M"] for p, _ in judge.asked]
    assert max(prices[:49]) <= 100
    assert 100 < max(prices[52:]) <= 1000
