"""Claims as a search sees them: which letters move, what a point takes, what ends it, points that are brought."""

import functools
import gc
import json
import math
import random
import signal
import sys
import time
import types
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from sympy import Eq
from tiny import CHECK, M, N, shrinking, tiny, value, write_checks, x

from theorytools import Claim, Control, DomainError, enclosed_between, grid, judge, letter, points, salts
from theorytools.claims.judging.falsify import _Hunt, _Late, bring, falsify
from theorytools.claims.judging.price import CALL, FURTHER, Exceeded, Price, counted, readable
from theorytools.claims.judging.searching import ClaimSpace, Judging, conditions, rows, variable_of
from theorytools.claims.language.estimate import Estimate, Evidence, Recipe
from theorytools.claims.papers.work import Work
from theorytools.claims.papers.work_formula import Formula
from theorytools.numbers import End, balls, working_precision
from theorytools.search.kinds import Graphs
from theorytools.search.proposal_orders import Joint, small

n = letter("n", "number of vertices", integer=True, positive=True)
y = letter("y", "a number")
far = Control("far", breaks=value, construct=lambda p: 10**9)
RAISED = 1e18  # operations, where what a point takes is not what is tested


def proposed(claim, count=150):
    space = ClaimSpace(claim)
    joint = Joint(space, rows(claim), random.Random(1))
    found = [p for p in [*islice(small(space), count), *islice(joint, count)] if p is not None]
    assert found
    assert all(space.holds(p) for p in found)
    return found


# -- which letters move ------------------------------------------------------------------------------------------------
def test_listed_letters_keep_their_combinations_and_hypotheses_may_speak_of_them():
    claim = tiny(
        grid=points("N M y", (2, 5, 1), (3, 7, 2), (3, 8, 3)), listed=[N, M], requires=[y <= N, M <= 9, y >= 0]
    )
    found = proposed(claim)
    assert {(p["N"], p["M"]) for p in found} == {(2, 5), (3, 7), (3, 8)}
    assert len({p["y"] for p in found}) > 20
    assert max(p["y"] for p in found) == 3
    named = ClaimSpace(claim)
    assert named.solve(lambda v, e, p: v.values[0] if v.values else 0, random.Random(0), fixed={"N": 3, "M": 5}) is None
    for last, size in ((False, 7), (True, 8)):
        made = named.solve(
            lambda v, e, p, k=-last: v.values[k] if v.kind == "word" else e.low, random.Random(0), fixed={"N": 3}
        )
        assert made == {"N": 3, "M": size, "y": 0}


def test_what_fails_beside_listed_values_is_no_violation():
    wrong = {"asserts": [value <= 3], "grid": grid(N=[2, 3], M=[1, 2]), "controls": [far]}
    found = falsify(tiny(**wrong, listed=[N]), "toy.lemma", evaluations=60, operations=RAISED)
    assert (found.row, found.region["N"]) == (None, {"low": "2", "high": "3"})
    assert int(found.region["M"]["high"]) > 4
    assert dict(falsify(tiny(**wrong), "toy.lemma", evaluations=60, operations=RAISED).row.point)["N"] == "4"


def test_exhibited_letters_never_move():
    C = letter("C", "a constant", positive=True)
    claim = tiny(asserts=[value <= C * N], grid=points("N C", (2, 1), (3, 1)), controls=[far],
                 scope={"some C": "exhibited", "every N": "points"})  # fmt: skip
    found = proposed(claim)
    assert {p["C"] for p in found} == {1}
    assert len({p["N"] for p in found}) > 30


def test_lets_are_put_in_and_derived_letters_are_no_part_of_the_space():
    through = tiny(asserts=[value <= x], lets={x: N + 1}, requires=[x <= 9])
    assert max(p["N"] for p in proposed(through)) == 8
    derived = tiny(requires=[x <= 9, N <= 30], derived=[x], derive=lambda thing, p: {x: thing})
    assert {str(c) for c in conditions(derived)} == {"N >= 1", "N <= 30"}
    assert max(p["N"] for p in proposed(derived)) == 30
    found = falsify(derived, "toy.lemma", evaluations=30, operations=RAISED)
    assert found.outside == 21  # of 30 those from 10 on, by what was derived there
    assert found.region["N"] == {"low": "1", "high": "9"}


def test_objects_are_variables_of_their_kind_and_size():
    claim = Claim(
        "Edges", asserts=[value <= n], grid=grid(n=[2, 3]), objects={"G": (Graphs(), n)}, construct=lambda p: p.G,
        measure=lambda graph, p: {value: len(graph.edges)}, scope={"every n": "points", "every graph G": "points"},
        controls=[Control("more", breaks=value, measure=lambda g, p: {value: p.n + 1})],
    )  # fmt: skip
    variable = variable_of(claim, "G")
    assert (variable.kind, variable.size) == ("object", "n")
    assert all(p["G"].vertices == p["n"] <= 6 for p in proposed(claim, 40))
    found = falsify(claim, "t.edges", evaluations=400, judged=True, operations=RAISED)
    graph = json.loads(dict(found.row.point)["G"])
    assert len(graph["edges"]) == graph["vertices"] + 1  # one less would not do, and no part of it does
    assert graph["vertices"] in (4, 5)


def test_hypotheses_that_contradict_each_other_are_refused():
    claim = tiny(requires=[N >= 9, N + M <= 9], grid=grid(N=[9], M=[1]))
    with pytest.raises(DomainError) as refused:
        falsify(claim, "toy.lemma", evaluations=9)
    assert "N >= 9" in refused.value.given
    assert refused.value.required == "at least one point that satisfies all of them"


# -- a violation -------------------------------------------------------------------------------------------------------
def test_a_violation_is_judged_again_as_a_verdict_judges_it():
    claim = tiny(asserts=[value <= N + 20], construct=lambda p: p.N * p.N, controls=[far])
    found = falsify(claim, "toy.lemma", evaluations=60, operations=RAISED)
    (row,) = [row for row in judge(claim, "toy.lemma", [{"N": 6}]).rows if not row.control]
    assert dict(found.row.point) == {"N": "6"}
    assert (found.row.measured, found.row.bound, found.row.truth) == (row.measured, row.bound, False)


def test_what_the_small_budget_refutes_and_the_whole_one_does_not_is_no_violation():
    """A sample of the search is wrong with its error probability; the whole budget has the last word."""

    def measure(thing, p):
        return {value: shrinking(10**6, 1)}

    claim = tiny(asserts=[value <= N], measure=measure, controls=[far])
    judging = Judging(claim, "toy.lemma", 1e-9)
    assert judging({"N": 2}).status == "false"
    assert judging.spent == 1e-9
    result, row = judging.row({"N": 2}, whole=True)
    assert (result.status, row.truth) == ("false", False)


def test_a_point_that_is_brought_is_judged_and_made_simpler():
    claim = tiny(asserts=[value <= 40], grid=grid(N=[2, 30]), controls=[far], requires=[N <= 1000])
    found = bring(claim, "toy.lemma", {"N": 700})
    assert (dict(found.row.point), dict(found.first), found.evaluations) == ({"N": "41"}, {"N": "700"}, 1)
    assert bring(claim, "toy.lemma", {"N": 7}).row is None
    with pytest.raises(DomainError) as refused:
        bring(claim, "toy.lemma", {"N": 1001})
    assert "N <= 1000" in refused.value.given
    assert refused.value.required == "a point within the hypotheses that can be judged"


def test_an_object_that_is_brought_as_a_text_is_made_simpler_as_an_object():
    claim = tiny(
        asserts=[value <= 1], grid=grid(N=[2]), controls=[far], objects={"G": (Graphs(), N)},
        such_that={"few edges": lambda p: len(p.G.edges) < 9}, construct=lambda p: len(p.G.edges),
    )  # fmt: skip
    text = claim.value("G", '{"vertices": 4, "edges": [[0, 1], [1, 2], [2, 3], [0, 3]]}')  # what a file brings
    found = bring(claim, "toy.lemma", {"N": 4, "G": text})
    assert dict(found.row.point) == {"N": "3", "G": '{"edges":[[0,1],[1,2]],"vertices":3}'}


FALSE = CHECK.replace(
    "construct=lambda p: p.N,", "requires=[N <= 900], construct=lambda p: p.N if p.N < 5 else p.N + 1,"
)


def test_the_command_takes_a_point_or_a_witness_from_a_file(cli, tmp_path):
    write_checks(tmp_path / "checks", lemma_01=CHECK, lemma_03=FALSE)
    file = tmp_path / "point.json"
    before = {path for path in tmp_path.rglob("*") if path.is_file()} | {file}

    def brought(text, id="toy.lemma_03"):
        file.write_text(text, encoding="utf-8")
        return cli("falsify", id, "--from", file)

    answer = brought('{"N": 700}')
    assert (answer.code, "VIOLATED at N=5" in answer.out, "found first at N=700" in answer.out) == (1, True, True)
    assert brought('{"N": 4}').code == 0
    refused = {'{"N": 901}': "N <= 900", '{"M": 5}': "one value for every axis", "[]": "a point of",
               "{": "JSONDecodeError", '{"N": null}': "a number, a word", '{"N": 5, "M": 1}': "N, M"}  # fmt: skip
    for text, said in refused.items():
        answer = brought(text)
        assert (answer.code, said in " ".join(answer.err.split())) == (2, True), text
    assert {path for path in tmp_path.rglob("*") if path.is_file() and "__pycache__" not in path.parts} == before
    assert cli("falsify", "toy.lemma_03", "--from", file.with_name("none.json")).code == 2
    assert cli("falsify", "toy.lemma_03", "--seconds", "5", "--save", "kept").code == 1
    kept = tmp_path / "kept" / "toy.lemma_03.json"
    assert cli("falsify", "toy.lemma_03", "--from", kept).code == 1
    other = cli("falsify", "toy.lemma_01", "--from", kept)
    assert (other.code, "a witness against toy.lemma_03" in " ".join(other.err.split())) == (2, True)


# -- what a point takes ------------------------------------------------------------------------------------------------
def test_a_declared_formula_tells_what_a_point_takes():
    claim = tiny(grid=grid(N=[2, 4]))
    price = Price(claim, Judging(claim, "toy.lemma", 1e-9), [Work(Formula("100*N**2"), Formula("0"))])
    assert [price({"N": size}) for size in (2, 10)] == [200, 5_000]  # half of it: the claim has a control
    assert price.grid == 400 + 1600
    assert not price.steep


@pytest.mark.parametrize(("degree", "least", "most"), [(1, 1.5, 2.2), (2, 2.2, 4.8), (3, 3.3, 11)])
def test_calls_that_are_counted_tell_how_work_grows_with_the_sizes(degree, least, most):
    claim = tiny(grid=grid(N=[8, 16]))
    seen = []

    def measure(axes):
        seen.append(axes["N"])
        sizes = [range(axes["N"])] * degree
        return sum(abs(k) for k in _places(sizes))

    price = Price(claim, measure)
    for size in (8, 16):
        exact = CALL * counted(lambda size=size: measure({"N": size}))[0]
        assert exact / 2 <= price({"N": size}) <= 2 * exact  # two counts, each rounded to a power of two
    assert least / 2 < price({"N": 32}) / price({"N": 16}) < 2 * most
    assert set(seen) == {8, 16}
    assert not price.steep


def _places(sizes):
    """All places of a box, one list of them."""
    made = [0]
    for size in sizes:
        made = [k + j for k in made for j in size]
    return made


def test_a_count_ends_and_leaves_the_profile_as_it_was():
    calls, answer = counted(lambda: [abs(k) for k in range(50)])
    assert 50 <= calls < 60
    assert answer == [*range(50)]
    with pytest.raises(Exceeded):
        counted(lambda: [abs(k) for k in range(50)], 20)


def leaves(k):
    """Twice as many calls for one more."""
    return 1 if k < 2 else leaves(k - 1) + leaves(k - 1)


def test_what_hides_an_exponential_is_left_open_and_no_larger_point_is_tried(monkeypatch):
    monkeypatch.setattr("theorytools.claims.judging.falsify._OPERATIONS", 3e5)
    asked = []

    def construct(p):
        asked.append((p.N, p.M))
        return 0 * leaves(p.N) + p.N

    claim = tiny(construct=construct, grid=grid(N=[2, 4], M=[1, 4]), controls=[far])
    assert readable(claim)
    found = falsify(claim, "toy.lemma", evaluations=80, operations=1e8)
    assert found.row is None
    assert "more than" in found.failure
    dear = [k for k, (size, _) in enumerate(asked) if size > 24]  # 2^23 calls and more
    assert found.open > len(dear) > 0  # others were known to be dear
    for k in dear:
        assert not [at for at in asked[k + 1 :] if at[0] >= asked[k][0] and at[1] >= asked[k][1]]
    assert int(found.region["N"]["high"]) <= 24


def test_what_a_first_point_has_made_for_all_later_ones_leaves_it_not_open():
    """sympy keeps what it made: whether the first point beside a grid was judged hung on the order of sets."""
    kept = {}

    def measure(thing, p):
        def steps(alpha, budget):
            if p.N > 4 and not kept:
                for k in range(120_000):  # more than the 1e5 calls that any point may take
                    kept[k] = abs(k)
            yield Estimate(End(0), End(1), Evidence.SAMPLED, alpha, {"samples": 1})

        return {value: Recipe(Evidence.SAMPLED, steps)}

    claim = tiny(measure=measure, grid=grid(N=[2, 4], M=[1, 4]), controls=[far])
    found, later = (falsify(claim, "toy.lemma", evaluations=80, operations=1e7) for _ in range(2))
    assert kept
    assert found.open == 0
    assert int(found.region["N"]["high"]) > 4
    assert found.spent == later.spent > 0  # the same draws are no further look


def test_a_check_whose_work_may_be_an_exponential_stays_near_its_grid(tmp_path):
    text = CHECK.replace("grid=grid(N=[2, 3])", "grid=grid(N=[2, 9])")
    steep = text.replace("construct=lambda p: p.N,", "construct=lambda p: 0 * 2**p.N + p.N,")
    from theorytools import Catalogue
    from theorytools.claims.papers.loading import load

    highest = []
    for name, code in (("plain", text), ("steep", steep)):
        (entry,) = Catalogue(write_checks(tmp_path / name, lemma_01=code)).entries
        claim = load(entry)
        assert readable(claim) is (name == "plain")
        highest.append(int(falsify(claim, entry.id, evaluations=60, operations=RAISED).region["N"]["high"]))
    assert highest[0] > 1000
    assert highest[1] == 9 + FURTHER


# -- the clock ---------------------------------------------------------------------------------------------------------
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarm of the system")
@pytest.mark.parametrize("wait", ["loops", "sleeps"])
def test_a_point_that_does_not_end_is_ended_by_the_clock(wait):
    def construct(p):
        while p.N > 4:
            if wait == "sleeps":
                time.sleep(3600)
        return p.N

    claim = tiny(construct=construct, grid=grid(N=[2, 4]))
    before = signal.getsignal(signal.SIGALRM)
    found = falsify(claim, "toy.lemma", seconds=0.3)  # where the clock does not end it, this never returns
    assert found.row is None
    assert found.open >= 1
    assert "ended by the clock" in found.failure
    assert signal.getsignal(signal.SIGALRM) is before


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarm of the system")
def test_an_alarm_of_the_caller_goes_on():
    before = signal.setitimer(signal.ITIMER_REAL, 500)
    try:
        falsify(tiny(), "toy.lemma", seconds=0.05)
        assert 400 < signal.getitimer(signal.ITIMER_REAL)[0] <= 500
    finally:
        signal.setitimer(signal.ITIMER_REAL, *before)


def test_rounds_have_other_points_and_share_the_error_probability():
    booked, asked = [], []

    def measure(thing, p):
        asked.append(p.N)
        return {value: shrinking(0, 1, booked=booked)}

    claim = tiny(measure=measure, grid=grid(N=[2, 4]), controls=[far])
    found = falsify(claim, "toy.lemma", evaluations=5, seconds=0.5, work=[Work(Formula("1"), Formula("0"))])
    assert found.evaluations > 10
    assert len(set(booked)) > 2
    assert sum(booked) <= claim.budget.alpha
    assert found.spent == pytest.approx(sum(booked))
    assert found.row is None


def test_equations_and_fractions_of_a_claim_are_solved():
    claim = tiny(grid=points("N M y", (2, 4, Fraction(1, 2))), requires=[Eq(M, 2 * N), y > 0, y * N <= 1])
    assert all(p["M"] == 2 * p["N"] and 0 < p["y"] * p["N"] <= 1 for p in proposed(claim))


# -- a point that is ended ---------------------------------------------------------------------------------------------
def test_a_point_that_is_ended_leaves_no_salt_no_precision_and_no_counter_behind():
    """The clock may strike where a change is being put back, so that it is not."""

    def measure(thing, p):
        if p.N > 3:
            salts._SALT.set("left in force")
            sys.setprofile(lambda *_: None)
            gc.callbacks.append(lambda *_: None)
            balls.ctx.prec = 999
            raise _Late
        return {value: thing}

    claim = tiny(measure=measure, grid=grid(N=[2, 3]), asserts=[value <= 10**6])
    before = salts.salt(), sys.getprofile(), list(gc.callbacks), working_precision()
    found = falsify(claim, "toy.lemma", evaluations=30, seconds=2.0)
    assert found.open > 0
    assert "ended by the clock" in found.failure
    assert (salts.salt(), sys.getprofile(), list(gc.callbacks), working_precision()) == before


def test_an_exhibited_object_is_not_drawn_again_and_every_look_is_a_point():
    booked = []
    scope = {"every N": "points", "some object": "exhibited"}

    def measure(thing, p):
        p.rng("of the object")
        return {value: shrinking(0, 1, booked=booked)}

    for own, drawn in ((scope, 0), ({"every N": "points"}, 1)):
        booked.clear()
        claim = tiny(measure=measure, grid=grid(N=[2, 4]), controls=[far], scope=own)
        found = falsify(claim, "toy.lemma", evaluations=40, judged=True, work=[Work(Formula("1"), Formula("0"))])
        assert (found.samples > 0) is bool(drawn)
        assert len(booked) == found.judged == found.evaluations


# -- what a search may spend, and what it may say ----------------------------------------------------------------------
def test_all_rounds_together_spend_the_level_and_nearly_all_of_it():
    claim = tiny(grid=grid(N=[2, 4]))
    hunt = _Hunt(claim, "toy.lemma", 5, False, (), Evidence.FITTED, (), None, False, 0.0, 1.0)
    looks = hunt.most * len(claim.quantities)
    spent = sum(looks * hunt._alpha(k) for k in range(1, 10_001))
    assert 0.999 * claim.budget.alpha < spent <= claim.budget.alpha
    once = _Hunt(claim, "toy.lemma", 5, False, (), Evidence.FITTED, (), None, False, 0.0, None)
    assert looks * once._alpha(1) == pytest.approx(claim.budget.alpha)


def test_work_grows_with_a_size_that_a_declaration_does_not_name():
    claim = tiny(grid=grid(N=[2, 4], M=[1, 8]))
    price = Price(claim, Judging(claim, "toy.lemma", 1e-9), [Work(Formula("100*N"), Formula("0"))])
    assert price({"N": 4, "M": 8}) == price({"N": 4, "M": 1}) == 200
    assert price({"N": 4, "M": 800}) == 100 * price({"N": 4, "M": 8})


def test_a_point_that_stays_undecided_is_open_and_corroborates_nothing():
    wide = {"measure": lambda thing, p: {value: enclosed_between(lambda: 0, lambda: 10**9) if p.N > 3 else thing}}
    claim = tiny(**wide, grid=grid(N=[2, 3]), asserts=[value <= 10**6], controls=[Control(
        "far", breaks=value, construct=lambda p: 10**9)])  # fmt: skip
    found = falsify(claim, "toy.lemma", evaluations=30, judged=True, work=[Work(Formula("1"), Formula("0"))])
    assert (found.row, found.open, found.judged) == (None, found.evaluations - 1, 1)  # N = 1 alone
    assert "is not decided" in found.failure


def test_one_call_that_does_all_of_the_work_is_told_by_what_it_holds():
    """A product of integer matrices is one call of C, which no signal ends."""

    def measure(thing, p):
        ones = np.ones((p.N, p.N), dtype=np.int64)
        return {value: int((ones @ ones)[0, 0]) - p.N}

    claim = tiny(measure=measure, grid=grid(N=[64, 256]))
    price = Price(claim, Judging(claim, "toy.lemma", 1e-9))
    assert 2.2 < math.log(price({"N": 4096}) / price({"N": 256}), 16) < 4
    for limits in ({"operations": 1e8}, {"seconds": 1.0}):
        assert int(falsify(claim, "toy.lemma", evaluations=60, **limits).region["N"]["high"]) <= 2048


def test_what_a_fresh_sample_takes_does_not_depend_on_the_checks_that_were_loaded_before(monkeypatch):
    def fresh():
        with salts.salted("1"):
            return 0

    alone, _ = counted(fresh)
    for k in range(50):
        module = types.ModuleType(f"{salts.CHECKS}{k}")
        vars(module).update({f"name_{j}": functools.cache(math.sin) for j in range(20)})
        monkeypatch.setitem(sys.modules, module.__name__, module)
    assert counted(fresh)[0] == alone


def test_what_is_imported_on_the_way_does_not_count(monkeypatch, tmp_path):
    (tmp_path / "theory_of_nothing.py").write_text("total = sum(abs(k) for k in range(1000))\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    def imports():
        import theory_of_nothing

        return theory_of_nothing.total - 499500 + sum(abs(k) for k in range(10))

    assert counted(imports, 100)[1] == 45
    monkeypatch.delitem(sys.modules, "theory_of_nothing")
    with pytest.raises(Exceeded):
        counted(lambda: sum(abs(k) for k in range(1000)), 100)
