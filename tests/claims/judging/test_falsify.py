"""Planted falsehoods are found and shrunk to the simplest point; a true statement is left alone."""

import gc
import json
import subprocess
import sys
import weakref
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from checkfolders import write
from hypothesis.errors import InvalidArgument
from source_tree import SUPPORT
from sympy import Eq, Rational, exp
from tiny import M, N, shrinking, tiny, value

from theorytools import BudgetError, Control, DomainError, Enclosure, Evidence, Recipe, enclosed, grid, letter, points
from theorytools.claims.judging.falsify import falsify
from theorytools.claims.judging.price import Exceeded, Price, counted
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import load

y = letter("y", "a number")
positive = letter("y", "a positive number", positive=True)
huge = Control("huge", breaks=value, measure=lambda thing, p: {value: 10**9})


class Even(Price):
    """A price of one operation a point, known without a look at the check."""

    steep = False

    def __init__(self):
        pass

    def __call__(self, axes):
        return 1.0


def planted(number, assertion, **changed):
    parts = {"construct": number, "asserts": [assertion], "controls": [huge], "grid": grid(N=[2, 40])}
    return tiny(**{**parts, **changed})


def search(claim, evaluations=150):
    return falsify(claim, "toy.lemma_01", evaluations=evaluations, operations=1e18)


def point_of(claim, **options):
    found = search(claim, **options)
    assert found.row is not None
    assert found.row.truth is False
    return dict(found.row.point)


SIMPLEST = {
    "the smallest size": (planted(lambda p: p.N**2, value <= N + 20), {"N": "6"}),  # 25 <= 25, 36 > 26
    "one axis after the other": (planted(lambda p: p.N * p.M, value <= 30, grid=grid(N=[2, 40], M=[1, 8]),
                                         requires=[M <= 8]), {"N": "31", "M": "1"}),
    "a simple fraction": (planted(lambda p: (p.y - 1) * (p.y - 2), value >= 0, grid=grid(y=[0, "5/2"])), {"y": "3/2"}),
    "a millionth of a millionth": (planted(lambda p: 2 * p.N, value <= 2 * N * (1 - Rational(1, 10**12))), {"N": "1"}),
    "a word": (planted(lambda p: {"plain": 1, "odd": 3}[p.kind] * p.N, value <= 2 * N,
                       grid=grid(kind=["plain", "odd"], N=[2])), {"kind": "odd", "N": "1"}),
    **{f"false first at {first}": (planted(lambda p, first=first: p.N if first > p.N else p.N + 1, value <= N,
                                           grid=grid(N=[2, 4, 8])), {"N": str(first)}) for first in (9, 11, 700)},
}  # fmt: skip


@pytest.mark.parametrize("name", SIMPLEST)
def test_the_simplest_violation_is_found(name):
    claim, point = SIMPLEST[name]
    assert point_of(claim) == point


def test_searches_repeat_and_are_written_as_strict_json():
    claim = planted(lambda p: p.y**2, value <= y + 6, grid=grid(y=[-4, "9/2"]))
    first, second = search(claim), search(claim)
    assert replace(first, seconds=0) == replace(second, seconds=0)
    assert dict(first.row.point) == {"y": "-3"}  # 9 > 3, while 3^2 = 9 <= 9
    found = search(planted(lambda p: p.N**2, value <= N + 20))
    data = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert data["violation"]["point"] == {"N": "6"}
    assert data["evaluations"] == found.evaluations
    assert data["id"] == "toy.lemma_01"
    found = search(planted(lambda p: p.N * p.M, value <= (N**2 + M**2) / 2, grid=grid(N=[2, 40], M=[1, 60])))
    assert found.row is None
    assert found.evaluations == 150
    assert found.outside == 0
    assert found.to_json()["violation"] is None


def test_missing_hypotheses_and_rational_ends_are_found():
    points = grid(y=[-3, 2, "7/2"])
    assert point_of(planted(lambda p: p.y, value >= 0, grid=points)) == {"y": "-1"}
    held = planted(lambda p: p.y, value >= 0 * positive, grid=grid(y=[2, "7/2"]), requires=[positive > 0])
    assert search(held).row is None
    near = planted(lambda p: int(p.y <= Fraction(1, 10**5)), value <= 0, grid=grid(y=["1/2", 2]), requires=[y > 0])
    assert search(near).row is not None  # within a hundred thousandth of an end that is excluded


def test_a_transcendental_violation_is_confirmed_with_the_whole_budget():
    claim = planted(lambda p: p.N, value <= exp(N) * (1 - Rational(1, 10**40)),
                    measure=lambda thing, p: {value: enclosed(lambda: Enclosure(p.N).exp())})  # fmt: skip
    found = search(claim)
    assert dict(found.row.point) == {"N": "1"}
    assert found.row.evidence is Evidence.ENCLOSED


def test_the_search_samples_little_and_divides_the_error_probability():
    handed = []

    def steps(alpha, budget):
        handed.append((budget.bits, budget.samples))
        yield from shrinking(10**9, 1).steps(alpha, budget)

    claim = planted(lambda p: p.N, value <= N, measure=lambda thing, p: {value: Recipe(Evidence.SAMPLED, steps)})
    assert point_of(claim) == {"N": "1"}
    assert set(handed[:-1]) == {(256, 20_000)}
    assert handed[-1] == (4096, 1_000_000)
    booked = []
    claim = planted(lambda p: p.N, value <= N, measure=lambda thing, p: {value: shrinking(0, 1, booked=booked)})
    search(claim, evaluations=50)
    assert set(booked) == {1e-6 / 251}  # fifty points, 200 that make a violation simpler, one of them once again


# -- objects --------------------------------------------------------------------------------------------------
def bits(draw, p):
    from hypothesis import strategies as st

    return tuple(draw(st.lists(st.integers(0, 9), min_size=p.N, max_size=p.N)))


def test_objects_themselves_are_searched_and_shrunk():
    """A grid point holds one object; the statement is about all of them."""
    claim = planted(
        lambda p: (0,) * p.N, value <= 12, measure=lambda thing, p: {value: sum(thing)}, search=bits, grid=grid(N=[4])
    )
    found = search(claim, evaluations=300)
    assert dict(found.row.point) == {"N": "2"}  # 9 + 4 in some order, with less than two digits none
    assert found.row.measured.low == 13
    assert found.thing == "(4, 9)"
    claim = planted(lambda p: (0,) * p.N, value <= 9 * N, measure=lambda thing, p: {value: sum(thing)}, search=bits,
                    grid=grid(N=[4]))  # fmt: skip
    found = search(claim)
    assert found.row is None
    assert found.thing == ""
    assert found.outside == 0


# -- not found ------------------------------------------------------------------------------------------------
DRAWS = """
import sys
sys.path[:0] = [{tests!r}, {support!r}, {folder!r}]
import constants
from test_falsify import drawn
print(drawn())
"""


def drawn():
    """The numbers that a search draws for its objects, in their order."""
    seen = []

    def thing(draw, p):
        from hypothesis import strategies as st

        seen.append(draw(st.integers(0, 10**6)))
        return seen[-1]

    measured = {"measure": lambda thing, p: {value: thing}, "search": thing, "grid": grid(N=[4])}
    search(planted(lambda p: 0, value <= 10**6, **measured), evaluations=400)
    return seen


def test_objects_do_not_depend_on_the_folder_or_on_numbers_in_other_modules(tmp_path):
    """hypothesis would try constants of modules that it takes for the user's own."""
    numbers = [*range(1000, 900_000, 9_973)]
    (tmp_path / "constants.py").write_text(f"NUMBERS = {numbers}\n", encoding="utf-8")
    code = DRAWS.format(tests=str(Path(__file__).parent), support=str(SUPPORT), folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == drawn()  # here other modules are imported, and none of these numbers
    assert len(set(drawn())) > 200


def test_outside_the_hypotheses_or_refused_is_no_violation():
    claim = planted(lambda p: 0 if p.N >= p.M else 10**9, value <= 0, grid=grid(N=[2, 40], M=[1, 8]), requires=[N >= M])
    found = search(claim)
    assert found.row is None
    assert 0 < found.outside < found.evaluations

    def construct(p):
        if p.N > 10:
            raise DomainError(f"N = {p.N}", required="N <= 10")
        return p.N

    found = search(planted(construct, value <= N))
    assert found.row is None
    assert found.outside > 0


def test_one_letter_hypotheses_bound_the_search():
    seen = set()

    def construct(p):
        seen.add((p.N, p.y))
        return 0

    claim = planted(construct, value <= 1 + 0 * N, grid=grid(N=[2, 40], y=[0, 5]),
                    requires=[N >= 3, N <= 7, y <= Rational(1, 2), y > Rational(-1, 3)])  # fmt: skip
    found = search(claim)
    assert {size for size, _ in seen} == {3, 4, 5, 6, 7}
    assert all(Fraction(-1, 3) < number <= Fraction(1, 2) for _, number in seen)
    assert min(number for _, number in seen) < 0
    assert found.outside <= 30  # only y = -1/3 itself is drawn and refused


# -- honest counting ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "required"), [
    *[({"evaluations": given}, "an integer evaluations >= 1") for given in (-1, 0, 2.5, 3.0, True, "9", None)],
    *[({"seconds": given}, "a finite number of seconds >= 0, or None")
      for given in (float("nan"), float("inf"), -1, -1e-9, True, "10", 1j, 10**400)],
])  # fmt: skip
def test_a_limit_that_is_none_is_refused_before_anything_is_judged(options, required):
    calls = []
    claim = planted(lambda p: calls.append(p) or p.N, value <= N)
    with pytest.raises(DomainError) as refused:
        falsify(claim, "toy.lemma_01", **options)
    assert not calls
    assert refused.value.required == required
    assert next(iter(options)) in refused.value.given
    assert refused.value.why
    assert refused.value.advice


@pytest.mark.parametrize("evaluations", [1, 7, 40])
def test_the_number_of_evaluations_is_a_limit(evaluations):
    calls = []
    claim = planted(lambda p: calls.append(p.N) or p.N, value <= N, grid=grid(N=[2, 10**6]))
    found = falsify(claim, "toy.lemma_01", evaluations=evaluations, price=Even(), operations=1e9)
    assert found.evaluations == len(calls) == evaluations


def test_what_others_left_behind_is_no_call_of_a_point():
    """A full run of the tests once left a point open: meanwhile the garbage of a thousand figures was collected."""

    class Figure:
        pass

    def collecting(figures):
        for _ in range(figures):
            figure = Figure()
            figure.itself = figure
            told.append(weakref.ref(figure, lambda reference: seen.append(reference)))
            del figure
        gc.collect()

    told, seen = [], []
    alone = counted(lambda: collecting(0), 100)[0]
    assert alone < 20
    assert counted(lambda: collecting(50), 100)[0] <= alone + 50  # told.append
    assert len(seen) == 50
    with pytest.raises(Exceeded):
        counted(lambda: collecting(50), 40)


@pytest.mark.parametrize("low", ["1/100", "-7/30"])
def test_ends_with_a_large_denominator_are_searched(low):
    """The strategy once refused such an end, and the refusal passed for a search without a result."""
    claim = planted(lambda p: p.y, value <= Rational(49, 100), grid=grid(y=[low, "1/2"]),
                    requires=[y >= Rational(low), y <= Rational(1, 2)])  # fmt: skip
    assert point_of(claim) == {"y": "1/2"}
    single = planted(lambda p: p.y, value <= 1, grid=grid(y=["1/100"]), requires=[Eq(y, Rational(1, 100))])
    assert search(single).evaluations >= 1


def test_a_mistake_in_the_claims_own_search_is_not_swallowed():
    def draw_nothing(draw, p):
        from hypothesis import strategies as st

        return draw(st.integers(min_value=3, max_value=1))

    with pytest.raises(InvalidArgument):
        falsify(planted(lambda p: 0, value <= N, search=draw_nothing), "toy.lemma_01", evaluations=9)


def test_one_point_is_tried_without_time_and_a_late_violation_kept():
    found = falsify(planted(lambda p: 10**9, value <= N), "toy.lemma_01", seconds=0.0)
    assert (found.row.truth, found.evaluations) == (False, 1)
    # The limit falls into the shrinking: what was found so far is confirmed and reported.
    claim = planted(lambda p: p.N**2, value <= N + 20, grid=grid(N=[2, 10**6]))
    found = falsify(claim, "toy.lemma_01", evaluations=2)
    assert found.row is None or found.row.truth is False
    full = falsify(claim, "toy.lemma_01", evaluations=60)
    assert full.row.truth is False
    assert int(full.row.point["N"]) >= 6
    entries = {entry.id: entry for entry in Catalogue(find_roots()).entries}
    for id, count in (("qstr.lemma_11", 1), ("qstr.proposition_21_every", 2)):  # the second has objects, too
        assert falsify(load(entries[id]), id, seconds=1e-9).evaluations == count


def test_larger_sizes_and_second_axes_are_reached():
    claim = planted(lambda p: p.N if p.N < 5000 else p.N + 1, value <= N, grid=grid(N=[2, 4, 8]))
    assert point_of(claim) == {"N": "5000"}
    further = planted(lambda p: p.N if p.N < 10**7 else p.N + 1, value <= N, grid=grid(N=[2, 4, 8]))
    assert point_of(further) == {"N": "10000000"}
    never = planted(lambda p: p.N if p.N < 10**9 else p.N + 1, value <= N, grid=grid(N=[2, 4, 8]))
    assert search(never).row is None  # 24 doublings of the grid and no more, and says so
    assert 10**7 <= int(search(never).region["N"]["high"]) <= 8 * 2**24
    alone = planted(lambda p: p.N + (p.M > 900), value <= N, grid=grid(N=[2, 4], M=[1, 3]))
    assert point_of(alone, evaluations=400) == {"N": "1", "M": "901"}
    both = planted(lambda p: p.N + (min(p.N, p.M) > 100), value <= N, grid=grid(N=[2, 4], M=[2, 3]))
    assert point_of(both, evaluations=400) == {"N": "101", "M": "101"}


def test_the_ends_of_the_hypotheses_come_early():
    order = []

    def construct(p):
        order.append((p.N, p.M))
        return p.N

    claim = planted(construct, value <= N, grid=grid(N=[4, 6], M=[5]), requires=[N >= 3, N <= 1000, M <= 3 * N + 7])
    search(claim, evaluations=400)
    ends = [order.index(point) for point in ((3, 5), (1000, 5), (4, 19))]
    assert max(ends) < 80  # edges take one turn of twelve


@pytest.mark.parametrize(
    ("hypothesis", "wrong", "point"),
    [(N <= 777, lambda N, M: N == 777, {"N": "777", "M": "1"}),
     (N < 777, lambda N, M: N == 776, {"N": "776", "M": "1"}),
     (M <= 3 * N + 7, lambda N, M: M == 3 * N + 7, {"N": "1", "M": "10"}),
     (M * M <= 50 * N, lambda N, M: (M + 1) ** 2 > 50 * N and N >= 40, None)],
)  # fmt: skip
def test_what_is_false_only_on_the_edge_of_the_hypotheses(hypothesis, wrong, point):
    claim = planted(lambda p: p.N + wrong(p.N, p.M), value <= N, grid=grid(N=[4, 60], M=[5]), requires=[hypothesis])
    found = search(claim)
    assert found.row is not None
    assert point is None or dict(found.row.point) == point


def test_finite_regions_are_searched_once_and_told():
    calls = []
    claim = planted(lambda p: calls.append((p.N, p.M)) or p.N, value <= N, grid=grid(N=[2, 4], M=[1, 8]),
                    requires=[M <= 2 * N])  # fmt: skip
    found = falsify(claim, "toy.lemma_01", evaluations=500, price=Even(), operations=1e9)
    assert found.outside == 1  # of the grid's own points (2, 8)
    assert len(calls) == len(set(calls)) == found.evaluations - 1 == 499
    claim = planted(lambda p: p.N, value <= N, grid=grid(N=[3, 5]), requires=[N >= 2, N <= 9])
    found = search(claim)
    assert found.region == {"N": {"low": "2", "high": "9"}}
    assert found.evaluations - found.outside == 8
    found = search(planted(lambda p: p.N, value <= 10**12 * N, grid=grid(N=[2, 4, 8], kind=["odd", "plain"])))
    assert found.region["kind"] == {"words": ["odd", "plain"], "values": 2}
    assert found.region["N"]["low"] == "1"
    assert int(found.region["N"]["high"]) > 5000
    assert json.loads(json.dumps(found.to_json()))["region"] == found.region
    claim = planted(lambda p: p.N, value.equals(M), grid=points("N M", (2, 2), (7, 7)), tabulated=[M])
    found = search(claim)
    assert (found.row, found.evaluations) == (None, 2)


def test_a_search_whose_points_say_nothing_ends_before_its_time():
    """What reads a record has none beside its grid: ten seconds of refusals told nobody more than one."""

    def recorded(p):
        if p.N not in (2, 40):
            raise DomainError(f"N = {p.N}", required="a recorded N", why="nothing else was measured")
        return 1

    found = falsify(planted(recorded, value <= N), "toy.lemma_01", seconds=60)
    assert (found.row, found.ended, found.judged) == (None, "barren", 2)
    assert found.evaluations < 500


def test_a_point_that_cannot_be_judged_is_counted_and_told():
    def construct(p):
        if p.N > 100:
            raise BudgetError("2^101 codes", required="at most 2^20")
        if p.N == 50:
            raise IndexError("a slip at 50")
        return p.N

    found = search(planted(construct, value <= N, grid=grid(N=[2, 4])))
    assert found.row is None
    assert found.open > 1
    assert "2^101 codes" in found.failure or "a slip" in found.failure
    with pytest.raises(IndexError):
        search(planted(lambda p: [][p.N], value <= N))


def test_the_command_prints_the_region(cli, tmp_path):
    write(tmp_path, "holds")
    answer = cli("falsify", "tiny.holds", "--seconds", "0.4")
    assert answer.code == 0
    assert "searched: N in 2 to " in answer.out
    told = json.loads(cli("falsify", "tiny.holds", "--seconds", "0.2", "--json").out)
    assert told["region"]["N"]["low"] == "2"
    assert told["evaluations"] > 0
    assert told["violation"] is None
