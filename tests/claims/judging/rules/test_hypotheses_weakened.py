"""Hypotheses weakened, dropped and implied, against brute force; what a search and a cell say of them."""

from itertools import product

import pytest
from hypothesis import strategies as st
from properties import examples
from sympy import Eq, Ne, Rational, false, lambdify, true
from tiny import M, N, shrinking, tiny, value, x
from verdict_examples import HUGE

from theorytools import CheckError, Control, Evidence, grid, letter, points
from theorytools.claims.judging.falsify import Findings, falsify
from theorytools.claims.judging.necessity import Cell, _counts, _names, _reach, cells
from theorytools.claims.judging.necessity_point import _left
from theorytools.claims.judging.weaker_hypotheses import Hypothesis, _few, follows, spoiled, weakened

y, z = letter("y", "a number"), letter("z", "a number")
t = letter("t", "a positive number", positive=True)
far = Control("far", breaks=value, construct=lambda p: HUGE)


def hypothesis_of(claim, text):
    return next(one for one in Hypothesis.of(claim) if one.text == text)


# -- the next weaker form ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("condition", "weaker", "change"),
    [
        (y > 1, y >= 1, "strict to weak"),
        (y < z, y <= z, "strict to weak"),
        (N > M, N >= M, "strict to weak"),
        (N <= 5, N <= 6, "by one"),
        (N >= M, M <= N + 1, "by one"),
        (M + 2 >= N, N <= M + 3, "by one"),
        (Rational(7, 2) >= N, N <= 7, "constant doubled"),
        (y <= t, y <= 2 * t, "a side doubled"),
        (t <= y, t / 2 <= y, "a side halved"),
        (y >= 5, y >= Rational(5, 2), "constant halved"),
        (y <= z, y <= z + 1, "one added"),
        (y <= -1, y <= 0, "one added"),
        (Ne(N, 3), true, "left out"),
        (Eq(y, z), true, "left out"),
        (y >= 0, y >= -1, "one added"),
    ],
)
def test_each_kind_of_hypothesis_has_its_notch(condition, weaker, change):
    made, said = weakened(condition)
    assert said == change
    assert made is weaker is true or {made.gts - made.lts} == {weaker.gts - weaker.lts}
    if made is not true:
        for a, b, c in product((1, 2, 3, 4, 5, 6, 7), (1, 3, 4), (1, 2, 8)):
            at = {N: a, M: b, y: a - 3, z: b - 2, t: c}
            assert not (bool(condition.subs(at)) and not bool(made.subs(at)))


def test_outside_a_hypothesis_by_a_notch_and_beyond():
    claim = tiny(grid=points("N y", (2, 1)), requires=[N <= 9, y >= 0, Eq(N, 2)])
    near, beyond = (hypothesis_of(claim, "N <= 9").beyond(claim, notch=notch) for notch in (True, False))
    for place, inside in ((near, {10}), (beyond, {11, 12, 13})):
        conditions = place.requires
        assert {
            n
            for n in range(1, 14)
            if all(
                c.subs({N: n, y: 1}) == true or (N in c.free_symbols and c.subs(N, n) == true)
                for c in conditions
                if not isinstance(c, Eq)
            )
        } == inside
    equation = hypothesis_of(claim, "Eq(N, 2)")
    assert equation.beyond(claim, notch=False) is None
    assert Ne(N, 2) in equation.beyond(claim, notch=True).requires
    least = hypothesis_of(tiny(requires=[N >= 2]), "N >= 2")
    assert least.weaker is true
    assert least.beyond(tiny(requires=[N >= 2]), notch=False) is None
    implied = Hypothesis(N >= 1, (), true, "")
    assert implied.implied
    assert not hypothesis_of(claim, "N <= 9").implied


@examples(40, st.integers(-3, 3), st.integers(-3, 3), st.integers(-6, 6), st.integers(-3, 3), st.integers(-6, 6))
def test_what_others_give_has_no_point_outside(a, b, c, d, e):
    """Where elimination says that one of three linear hypotheses follows, brute force finds nothing outside."""
    first, second = a * N + b * M <= c, N - d * M >= e
    kept = [part for part in (first, second, N <= 6) if part not in (true, false)]
    if len(kept) < 3:
        return
    claim = tiny(grid=grid(N=[2], M=[3]), requires=kept)
    places = list(product(range(1, 20), repeat=2))
    tests = {part: lambdify([N, M], part) for part in kept}
    true_at = {part: {at for at in places if test(*at)} for part, test in tests.items()}
    for one in Hypothesis.of(claim):
        outside = set.intersection(*(true_at[other] for other in one.others)) - true_at[one.condition]
        assert not (follows(claim, one) and outside)


@pytest.mark.parametrize(
    ("requires", "text", "given"),
    [
        ([N < M, M <= 9, N <= 8], "N <= 8", True),
        ([N < M, M <= 9, N <= 7], "N <= 7", False),
        ([N <= M, M < 9, N < 9], "N < 9", True),
        ([N <= M, M <= 9, N < 9], "N < 9", False),
        ([y < z, z < 1, y < 1], "y < 1", True),
        ([y <= z, z <= 1, y < 1], "y < 1", False),
        ([y < z, z <= 1, y < 1], "y < 1", True),
        ([Eq(M, 2 * N), N <= 3, M <= 6], "M <= 6", True),
        ([Eq(M, 2 * N), N <= 3, M <= 5], "M <= 5", False),
        ([N <= M, M <= N, Eq(N, M)], "Eq(N, M)", True),
        ([N <= M, Eq(N, M)], "Eq(N, M)", False),
        ([N < M, Ne(N, M)], "Ne(N, M)", True),
        ([N <= M, Ne(N, M)], "Ne(N, M)", False),
        ([N * M <= 9, N <= 9], "N <= 9", False),
        ([N**2 >= 9, N >= 3], "N >= 3", True),
        ([N**2 >= 9, N >= 4], "N >= 4", False),
        ([N + M >= 2], "M + N >= 2", True),
        ([N + M >= 3], "M + N >= 3", False),
        ([M >= 3, N + M > 3], "M + N > 3", True),
        ([2 * y <= 1, y <= Rational(1, 2)], "y <= 1/2", True),
        ([3 * y <= 1, y <= Rational(1, 4)], "y <= 1/4", False),
    ],
)
def test_elimination_decides_what_is_linear(requires, text, given):
    claim = tiny(grid=points("N M y z", (1, 1, 0, 0)), requires=requires)
    assert follows(claim, hypothesis_of(claim, text)) is given


@pytest.mark.parametrize(
    ("condition", "few"),
    [
        (N >= 3, [1, 2]),
        (N > 3, [1, 2, 3]),
        (N >= 9, [1, 2, 3, 4, 5, 6, 7, 8]),
        (N >= 10, None),
        (N > 9, None),
        (N <= 3, None),
        (letter("k", "", integer=True, nonnegative=True) >= 2, [0, 1]),
        (letter("k", "", integer=True) >= 2, None),
        (t >= 2, None),
        (N >= M, None),
        (Rational(5, 2) <= N, None),
        (2 * N >= 7, None),
        (N > 8, [1, 2, 3, 4, 5, 6, 7, 8]),
    ],
)
def test_the_few_integers_below_a_bound(condition, few):
    found = _few(condition)
    assert (None if found is None else list(found[1])) == few


def test_the_object_of_a_control_takes_the_place_of_the_claims():
    claim = tiny(
        controls=[
            far,
            Control("own", breaks="value", asserts=[value <= 1]),
            Control("repair", asserts=[value <= N + 1]),
        ]
    )
    made = spoiled(claim, "far")
    assert made.construct is far.construct
    assert made.measure is claim.measure
    assert made.controls == [far]
    for wrong in ("repair", "nothing"):
        with pytest.raises(CheckError, match="a control that breaks"):
            spoiled(claim, wrong)


# -- searches and cells ------------------------------------------------------------------------------------------------
def test_a_search_counts_what_it_judged():
    found = Findings("a.b", 9, 4, 0.5, open=2)
    assert found.judged == 3
    assert found.to_json()["seconds"] == 0.5
    claim = tiny(asserts=[value <= 40], grid=grid(N=[2, 30]), controls=[far], requires=[N <= 60])
    made = falsify(claim, "toy.lemma_01", evaluations=200)
    assert dict(made.row.point) == {"N": "41"}
    assert int(made.region["N"]["high"]) >= 41
    assert made.evaluations <= 200
    assert made.judged == made.evaluations - made.outside
    none = falsify(claim, "toy.lemma_01", evaluations=1)
    assert none.evaluations == 1


def test_the_least_evidence_that_counts_is_asked_for():
    claim = tiny(asserts=[value <= N], measure=lambda thing, p: {value: shrinking(9 * thing, 1)}, controls=[far])
    assert falsify(claim, "toy.lemma_01", evaluations=9).row.evidence is Evidence.SAMPLED
    assert falsify(claim, "toy.lemma_01", evaluations=9, least=Evidence.SAMPLED).row is not None
    assert falsify(claim, "toy.lemma_01", evaluations=9, least=Evidence.ENCLOSED).row is None


def test_a_cell_says_what_was_found():
    claim = tiny(asserts=[value <= 9], requires=[N <= 9, M <= 50], grid=grid(N=[2, 9], M=[3, 50]), controls=[far],
                 construct=lambda p: p.N + p.N // 10)  # fmt: skip
    first, second = cells(claim, id="toy.lemma_01")
    data = first.to_json()
    assert (data["state"], data["within"], data["at"]["N"], data["evidence"]) == ("needed", True, "10", "EXACT")
    assert "control" not in data
    assert "why" not in data
    assert data["points"][0] >= 1
    assert second.to_json()["why"].startswith("no violation at ")
    assert Cell("h", "c", "unknown").to_json() == {
        "hypothesis": "h",
        "change": "c",
        "state": "unknown",
        "points": [0, 0, 0, 0],
    }
    searches = [Findings("a", 9, 4, 0.0, open=2, refused=1), Findings("a", 3, 3, 0.0, refused=3)]
    assert _counts(searches) == (3, 4, 2, 3)
    assert _reach({"words": ["a", "b"]}) == "a, b"
    assert (_reach({"low": "1", "high": "1"}), _reach({"low": "1", "high": "3"})) == ("1", "1 to 3")
    for changed, why in [
        ({"expect": "REFUTED"}, "the reading fails"),
        ({"expect": "UNDECIDED", "role": "prediction"}, "the prediction is open"),
    ]:
        controls = [Control("repair", asserts=[value <= 99]), far]
        (cell, *_) = cells(
            tiny(asserts=[value <= 9], requires=[N <= 9], controls=controls, **changed), id="toy.lemma_01"
        )
        assert why in cell.why


def test_a_refusal_names_the_hypothesis_by_its_letters():
    claim = tiny(asserts=[value <= x], lets={x: N + 1}, requires=[x <= 9, M <= 3], grid=grid(N=[2], M=[1]))
    one, other = (hypothesis_of(claim, text) for text in ("x <= 9", "M <= 3"))
    said = "at N=99: the construction refuses N = 99, it takes N <= 9"
    assert _names(one, claim, said)
    assert not _names(other, claim, said)
    assert not _names(one, claim, "N = 99 in other words")
    derived = tiny(requires=[x <= 9], derived=[x], derive=lambda thing, p: {x: thing})
    assert not _names(hypothesis_of(derived, "x <= 9"), derived, "the construction refuses x = 10")


@pytest.mark.parametrize(
    ("requires", "text", "count"),
    [
        ([N >= 3], "N >= 3", 2),
        ([N > 3], "N > 3", 3),
        ([N <= 3], "N <= 3", 0),
        ([N >= 200], "N >= 200", 0),
        ([N >= 65], "N >= 65", 128),
        ([N >= 66], "N >= 66", 0),
        ([2 * N >= 9], "2*N >= 9", 0),
    ],
)
def test_points_left_outside_are_listed_where_they_are_few(requires, text, count):
    claim = tiny(grid=grid(N=[300], kind=["a", "b"]), requires=requires)
    found = _left(claim, Hypothesis(requires[0], (), true, ""))
    words = 1 if count in (2, 3) else 2
    assert len(found) == (count * 2 if words == 1 else count)
    two = tiny(grid=grid(N=[300], M=[1]), requires=requires)
    assert _left(two, Hypothesis(requires[0], (), true, "")) == []
    assert text == str(requires[0])
