"""Hypotheses weakened, dropped and implied, against brute force; what a search, a cell and a witness say of them."""

import json
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import strategies as st
from properties import examples
from sympy import Eq, Ne, Not, Rational, exp, false, lambdify, log, pi, sqrt, true
from tiny import CHECK, M, N, constant, shrinking, tiny, value, write_checks, x
from verdict_examples import HUGE, verdict_of

from theorytools import Catalogue, CheckError, Control, DomainError, Evidence, Quantity, grid, letter, points
from theorytools.claims.judging.compact import compact, exact_text, expanded, number
from theorytools.claims.judging.description import command, construction, findings, formulas, split_docstring
from theorytools.claims.judging.falsify import Search, falsify
from theorytools.claims.judging.inputs import ImportTable, inputs_digest
from theorytools.claims.judging.judge import judge, used
from theorytools.claims.judging.necessity import Cell, _counts, _names, _reach, cells
from theorytools.claims.judging.necessity_point import _left
from theorytools.claims.judging.plain import derived_values, plain, relation_text, statement
from theorytools.claims.judging.weaken import Hypothesis, _few, _moved, _quick, _small, follows, spoiled, weakened
from theorytools.claims.judging.witness import _agrees, _meets
from theorytools.numbers import Enclosure

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


def test_numbers_are_moved_near_and_far_and_stay_whole():
    claim = tiny(grid=points("N M y kind", (6, 9, Fraction(1, 2), "a")), requires=[y <= M])
    row = dict(claim.grid[0])
    near = [p["N"] for p in _moved(claim, row, "N", False)]
    assert near[:4] == [5, 7, 4, 8]
    assert {1, 2, 3, 0, 12, 24, 10, 18} <= set(near)
    assert 6 not in near
    assert all(isinstance(n, int) for n in near)
    shares = [p["y"] for p in _moved(claim, row, "y", False)]
    assert {
        Fraction(1, 4),
        Fraction(1, 8),
        Fraction(5, 8),
        Fraction(3, 8),
        Fraction(1, 2**13),
        8,
        Fraction(1, 32),
    } <= set(shares)
    distances = [abs(s - Fraction(1, 2)) for s in shares]
    assert distances == sorted(distances)
    back = [p["y"] for p in _moved(claim, row, "y", True)]
    assert sorted(back) == sorted(shares)
    assert [abs(s - Fraction(1, 2)) for s in back] == sorted(distances, reverse=True)
    assert [p["N"] for p in _moved(claim, row, "N", True)] == near
    assert list(_moved(claim, row, "kind", False)) == []
    small = list(_small(claim, row))
    assert len(small) == 24
    assert small[0] == {"N": 1, "M": 1, "y": 1, "kind": "a"}
    assert len({tuple(p.values()) for p in small}) == 24
    assert {p["N"] for p in small} >= {1, 2, 3}


def test_conditions_on_axes_are_tried_in_doubles():
    claim = tiny(grid=points("N y kind", (2, 1, "a"), (3, 1, "b")), requires=[N <= 4, y < 1, log(y) <= 5, sqrt(N) <= 2])
    holds = _quick(claim)
    assert holds({"N": 4, "y": Fraction(1, 2), "kind": "a"})
    assert not holds({"N": 5, "y": Fraction(1, 2), "kind": "a"})
    assert not holds({"N": 4, "y": 1, "kind": "a"})
    assert not holds({"N": 0, "y": Fraction(1, 2), "kind": "a"})
    assert not holds({"N": Fraction(3, 2), "y": 0, "kind": "a"})
    assert holds({"N": 4, "y": -1, "kind": "a"})  # log of it: judged with rigour
    listed = _quick(tiny(grid=points("N M", (2, 1), (3, 4)), listed=["N", "M"]))
    assert listed({"N": 3, "M": 4})
    assert not listed({"N": 3, "M": 1})


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
    found = Search("a.b", 9, 4, 0.5, open=2)
    assert found.judged == 3
    assert found.to_json()["seconds"] == 0.5
    claim = tiny(asserts=[value <= 40], grid=grid(N=[2, 30]), controls=[far], requires=[N <= 60])
    made = falsify(claim, "toy.lemma_01", evaluations=200)
    assert dict(made.row.point) == {"N": "41"}
    assert made.region["N"]["low"] == "1"
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


def test_listed_points_are_tried_and_no_others_then_made_smaller():
    claim = tiny(asserts=[value <= 5], grid=grid(N=[2, 3], kind=["a"]), controls=[far])
    found = falsify(
        claim, "toy.lemma_01", evaluations=20, judged=True, beyond=[{"N": 4, "kind": "a"}, {"N": 40, "kind": "a"}]
    )
    assert dict(found.row.point) == {"N": "10", "kind": "a"}  # 40, 20, 10; 5 is none, nor are 0 to 3
    nothing = falsify(claim, "toy.lemma_01", evaluations=20, judged=True, beyond=[{"N": 5, "kind": "a"}])
    assert (nothing.row, nothing.evaluations) == (None, 1)


def test_a_cell_says_what_was_found():
    claim = tiny(asserts=[value <= 9], requires=[N <= 9, M <= 50], grid=grid(N=[2, 9], M=[3]), controls=[far])
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
    searches = [Search("a", 9, 4, 0.0, open=2, refused=1), Search("a", 3, 3, 0.0, refused=3)]
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


# -- kept rows ---------------------------------------------------------------------------------------------------------
def test_a_kept_number_agrees_where_it_is_equal_or_its_interval_meets():
    assert _meets("1/3", "1/3")
    assert not _meets("1/3", "2/3")
    assert not _meets("1", ["E", 1, 1])
    assert _meets(["E", 1, 2], ["E", 2, 3])
    assert _meets(["E", 2, 3], ["E", 1, 2])
    assert not _meets(["E", 1, 2], ["E", 2.5, 3])
    assert not _meets(["E", 2.5, 3], ["E", 1, 2])
    assert not _meets(["E", 1, 2], ["S", 1, 2])
    assert _meets(["E", 1], ["E", 0, 1])
    assert _meets(["E", None, 2], ["E", 1, None])
    assert _meets(["#", "a", 1, 2], ["#", "a", 1, 2])
    assert not _meets(["#", "a", 1, 2], ["#", "b", 1, 2])
    row = {"assertion": "v", "relation": "<=", "evidence": "EXACT", "measured": "1", "bound": ["2"]}
    assert _agrees(row, dict(row))
    for change in (
        {"assertion": "w"},
        {"relation": ">="},
        {"evidence": "FITTED"},
        {"measured": "3"},
        {"bound": ["3"]},
        {"bound": ["2", "2"]},
    ):
        assert not _agrees(row, {**row, **change})


def test_exact_numbers_are_written_out_up_to_a_length():
    def exact(p, q=1):
        return {
            "evidence": "EXACT",
            "low": {"q": [hex(p), hex(q)]},
            "high": {"q": [hex(p), hex(q)]},
            "show": [1.0, 2.0],
        }

    assert number(exact(3)) == "3"
    assert number(exact(-1, 3)) == "-1/3"
    assert number(exact(10**119)) == str(10**119)
    assert number(exact(10**120))[0] == "#"
    assert number(exact(10**120))[2:] == [1.0, 2.0]
    assert number(exact(10**120))[1] != number(exact(10**120 + 1))[1]
    assert exact_text({"q": [hex(2**480 - 1), "0x1"]}) == str(2**480 - 1)
    assert exact_text({"q": [hex(2**480), "0x1"]}) == f"{2**480:#x}/0x1"
    assert exact_text({"q": ["0x1", hex(2**480)]}) == f"0x1/{2**480:#x}"
    for letter_, evidence in zip("ESOF", ("ENCLOSED", "SAMPLED", "OBSERVED", "FITTED"), strict=True):
        assert number({"evidence": evidence, "show": [1.0, 2.0]}) == [letter_, 1.0, 2.0]
        assert number({"evidence": evidence, "show": [1.0, 1.0]}) == [letter_, 1.0]


def test_a_compact_verdict_names_rows_and_controls_again(tmp_path):
    from theorytools.claims.judging.run import judge_entry

    (entry,) = Catalogue(write_checks(tmp_path)).entries
    data = judge_entry(entry).to_json()
    short = compact(data)
    assert [row[:4] for row in short["rows"]] == [[0, -1, 0, "T"], [1, -1, 0, "T"], [0, 0, 0, "F"], [1, 0, 0, "F"]]
    assert (short["axes"], short["points"][:2], short["controls"]) == (
        ["N"],
        [["2"], ["3"]],
        [["one more", "breaks", 2, 2]],
    )
    again = expanded(json.loads(json.dumps(short)), {"commit": "c"})
    assert [(r["point"], r["control"], r["truth"]) for r in again["rows"]] == [
        (r["point"], r["control"], r["truth"]) for r in data["rows"]
    ]
    assert again["tested"] == data["tested"]
    assert again["horizon"] == data["horizon"]


# -- statements in words -----------------------------------------------------------------------------------------------
def test_a_statement_is_told_with_its_formulas_and_letters():
    bounded = Quantity("share", "p", "a share", (0, 1))
    control = Control("half", breaks=bounded, asserts=[bounded <= N / 2, bounded >= 0])
    claim = tiny(
        asserts=[bounded <= x, bounded >= 0, bounded.equals(N, within=Rational(1, 2))],
        lets={x: N + 1},
        requires=[N >= 2, N >= 1],
        measure=lambda thing, p: {bounded: thing},
        controls=[control],
    )
    told = formulas(claim, {"M": M})
    assert [a["trivial"] for a in told["assertions"]] == ["1", "0", None]
    assert [a["within_latex"] for a in told["assertions"]] == [None, None, r"\frac{1}{2}"]
    assert told["spoiled"] == [{"name": "share <= N/2", "latex": r"p \le \frac{N}{2}"}]
    assert told["lets"] == ["x = N + 1"]
    assert told["hypotheses"] == [r"N \geq 2", r"N\in \{1,2,\dots\}", r"x \in \mathbb{R}"]
    assert [entry["name"] for entry in told["letters"]] == ["N", "x", "M"]
    said = statement(claim)
    assert [a.get("trivial") for a in said["assertions"]] == ["1", "0", None]
    assert [a.get("within") for a in said["assertions"]] == [None, None, "1/2"]
    assert all("tie" not in a for a in said["assertions"])
    assert said["controls"]["half"]["breaks"] == ["share <= N/2", "share >= 0"]
    assert [a["bound"] for a in said["controls"]["half"]["assertions"]] == ["N/2", "0"]
    assert said["hypotheses"] == ["N >= 2", "integer(N)", "N >= 1"]
    assert "assertions" not in statement(tiny())["controls"]["one more"]
    assert relation_text(Not((N >= 2) & (M <= 3), evaluate=False)) == "no(every(M <= 3, N >= 2))"
    assert plain(N + Fraction(1, 2)) == "N + 1/2"
    with pytest.raises(CheckError, match="the letter"):
        plain(letter("pi", "no constant") + 1)
    assert command("a.b") == "theorytools verify a.b"
    assert command("a.b", {"N": "2,3"}) == "theorytools verify a.b --at N=2,3"


def test_the_docstring_of_a_check_is_split_at_its_headings():
    text = "A fact.\n\nSetting    One\nline.\nStatements  Two.\nNo heading Setting here.\nProof\nThree.\n"
    assert split_docstring(text) == {
        "summary": "A fact.",
        "sections": [["Setting", "One line."], ["Statement", "Two. No heading Setting here."], ["Proof", "Three."]],
    }
    assert split_docstring("Only this.") == {"summary": "Only this.", "sections": []}

    def build(p) -> Enclosure:
        return Enclosure(p.N)

    assert construction(tiny(construct=build))["name"] == "Enclosure"
    assert "\n" not in construction(tiny(construct=build))["summary"]
    assert construction(tiny()) is None

    def other(p) -> int:
        return p.N

    assert construction(tiny(construct=other)) is None


def test_findings_are_those_of_checks_that_state_one_each_file_once(tmp_path):
    told = CHECK.replace("Setting    A size", "Finding    It is tight.\n\nSetting    A size")
    mentioned = CHECK.replace("The number N is", "A Finding is no heading: the number N is")
    twice = told + '\nother = replace(claim, label="Lemma 1, again")\n'
    catalogue = Catalogue(write_checks(tmp_path, lemma_01=mentioned, lemma_01_more=twice, lemma_01_broken="x = (\n"))
    assert findings(catalogue, catalogue.paper("toy")) == [{"claim": "toy.lemma_01_more", "text": "It is tight."}]
    assert findings(Catalogue(write_checks(tmp_path / "b")), catalogue.paper("toy")) == []


@pytest.mark.parametrize(
    ("spent", "budget", "bits"),
    [(0, 4096, 256), (64, 4096, 256), (300, 4096, 600), (4096, 4096, 4096), (300, 400, 400), (64, 100, 256)],
)
def test_a_derived_letter_is_kept_with_twice_the_bits_of_the_bounds(spent, budget, bits):
    from theorytools import Budget
    from theorytools.claims.language.estimate import Estimate
    from theorytools.numbers import working_precision

    seen = []

    def root():
        seen.append(working_precision())
        return Enclosure(2).sqrt()

    claim = tiny(derived=[x], derive=lambda thing, p: {x: root}, requires=[x <= 9], budget=Budget(bits=budget))
    bounds = [Estimate.of(1, bits=spent), Estimate.of(1)] if spent else []
    found = derived_values(claim, {"x": root}, bounds)
    assert seen == [bits]
    assert list(found) == ["x"]
    assert len(found["x"]) == 2
    assert derived_values(claim, {"x": sqrt(2)}, bounds) == {"x": "sqrt(2)"}


# -- what a verdict rests on -------------------------------------------------------------------------------------------
def test_claims_that_a_claim_uses_exist_hold_and_make_no_circle(tmp_path):
    def uses(*ids):
        return CHECK.replace('    "Lemma 1",', f'    "Lemma 1",\n    uses={list(ids)!r},')

    refuted = CHECK.replace("asserts=[value <= N]", 'expect="REFUTED", asserts=[value <= N - 1]').replace(
        "controls=[", 'controls=[Control("repair", asserts=[value <= N]), '
    )
    root = write_checks(
        tmp_path,
        lemma_02=uses("toy.lemma_01"),
        lemma_03=uses("toy.lemma_02", "toy.lemma_01"),
        lemma_04=uses("toy.lemma_05"),
        lemma_05=uses("toy.lemma_04"),
        lemma_06=refuted,
        lemma_07=uses("toy.lemma_06"),
        lemma_08=uses("toy.lemma_99"),
        lemma_09=uses("toy.lemma_09"),
        lemma_10=uses("toy.lemma"),
    )
    from theorytools.claims.papers.loading import load

    entries = {e.stem: e for e in Catalogue(root).entries}

    def named(stem):
        return [e.id for e in used(load(entries[stem]), entries[stem])]

    assert (named("lemma_01"), named("lemma_02")) == ([], ["toy.lemma_01"])
    assert named("lemma_03") == ["toy.lemma_02", "toy.lemma_01"]
    for stem, required in [
        ("lemma_04", "claims without a circle"),
        ("lemma_09", "claims without a circle"),
        ("lemma_07", "meant to hold"),
        ("lemma_08", "the id of a claim"),
        ("lemma_10", "the id of a claim"),
    ]:
        with pytest.raises(CheckError, match=required):
            named(stem)


def test_the_digest_of_inputs_sees_check_tables_and_record(tmp_path):
    root = write_checks(tmp_path / "checks")
    (entry,) = Catalogue(root).entries
    before = inputs_digest(entry, record=False)
    assert before == inputs_digest(entry, ImportTable(), record=False)
    assert before != inputs_digest(entry, record=True)
    (root / "toy" / "table.csv").write_text("a,b\n", encoding="utf-8")
    with_table = inputs_digest(entry, record=False)
    assert with_table != before
    (root / "toy" / "table.csv").write_text("a,c\n", encoding="utf-8")
    assert inputs_digest(entry, record=False) not in (before, with_table)
    (root / "toy" / "table.csv").unlink()
    assert inputs_digest(entry, record=False) == before
    (root / "toy" / "lemma_01.py").write_text(CHECK + "# a comment\n", encoding="utf-8")
    assert inputs_digest(entry, record=False) != before
    table = ImportTable()
    path = tmp_path / "imports.json"
    table.keep(path)
    assert not path.exists()
    table.checks(entry.path)
    table.keep(path)
    kept = ImportTable.kept(path)
    assert kept.known == table.known
    assert kept.checks(entry.path) == {entry.path, entry.path.with_name("notation.py")}
    kept.keep(tmp_path / "again.json")
    assert not (tmp_path / "again.json").exists()
    for text in ("", "[]", "{}", '{"imports": {}, "reader": "another"}'):
        path.write_text(text, encoding="utf-8")
        assert ImportTable.kept(path).known == {}


def test_a_judgement_needs_points_of_the_claim_and_says_how_far_it_is():
    seen = []
    verdict = judge(tiny(), "a.b.c", [{"N": 5}, {"N": "7"}], progress=lambda *at: seen.append(at), document={"k": 1})
    assert seen == [(1, 2), (2, 2)]
    assert (verdict.user_points, verdict.document, verdict.id) == (True, {"k": 1}, "a.b.c")
    assert [row.point["N"] for row in verdict.rows if not row.control] == ["5", "7"]
    with pytest.raises(DomainError, match="drop d, q"):
        judge(tiny(), "a.b", [{"N": 5, "q": 1, "d": 2}])
    with pytest.raises(DomainError, match="give M too"):
        judge(tiny(grid=grid(N=[2], M=[3])), "a.b", [{"N": 5}])
    drawing = tiny(measure=lambda thing, p: {value: shrinking(0, 1)})
    level = drawing.budget.alpha
    assert verdict_of(drawing).alpha_spent == pytest.approx(level)
    assert verdict_of(drawing, [{"N": 5}]).alpha_spent == pytest.approx(level / 2)  # one point of two, with its control
    assert {row.measured.alpha for row in verdict_of(drawing).rows} == {level / 4}
    derived = tiny(derived=[x], derive=lambda thing, p: {x: pi * p.N}, requires=[x <= 99])
    assert [dict(d)["values"] for d in verdict_of(derived).derived] == [{"x": "2*pi"}, {"x": "3*pi"}]
    assert verdict_of(tiny()).derived == ()
    assert verdict_of(constant(1, value <= exp(N))).rows[0].truth is True
