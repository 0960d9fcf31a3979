"""Claims under other seeds: which rows and controls change, old seeds as they were, and what a trial remarks of it."""

import hashlib
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import CHECK, N, tiny, value, write_checks
from typer.testing import CliRunner

from theorytools import Catalogue, Control, grid
from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.reseed import reseeded
from theorytools.claims.judging.trial.seeds import draws_unsaid, never_draws, seeds
from theorytools.claims.judging.trial.variants import Trial
from theorytools.claims.language.seeds import seed_sequence
from theorytools.claims.papers.loading import load
from theorytools.cli.app import app
from theorytools.salts import asked, salt, salted
from theorytools.training.trials.trial import trial_seed

SALTS = tuple("12345")


def lucky(failing, **changed):
    """The claim that a number is no more than N, which it exceeds under these salts; it asks for a seed."""

    def construct(p):
        p.seed("luck")
        return p.N + 1 if salt() in failing else p.N

    return tiny(**{"construct": construct, "scope": {"every N": "points", "every code": "drawn"}, **changed})


# -- salts -----------------------------------------------------------------------------------------------------------
@given(check=st.text(max_size=9), size=st.integers(), role=st.text(max_size=9))
def test_without_a_salt_the_seeds_are_what_they_were_bit_for_bit(check, size, role):
    text = json.dumps([check, {"N": str(size)}, role], separators=(",", ":"))
    old = int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    assert seed_sequence(check, {"N": size}, role).entropy == old
    with salted(""):
        assert seed_sequence(check, {"N": size}, role).entropy == old
    with salted("1"):
        assert seed_sequence(check, {"N": size}, role).entropy != old
    assert seed_sequence(check, {"N": size}, role).entropy == old


def test_salts_are_seeds_of_their_own_also_of_trials_and_the_inner_one_counts():
    def both():
        return seed_sequence("a.b", {"N": 2}, "x").entropy, trial_seed("x", {"N": 2}).entropy

    found = [both()]
    for text in ("1", "2"):
        with salted(text):
            found.append(both())
    with salted("1"), salted("2"):
        assert both() == found[2]
    with pytest.raises(ValueError, match="stop"), salted("1"):
        raise ValueError("stop")
    assert both() == found[0]
    assert len({seed for pair in found for seed in pair}) == 6


def test_who_collects_sees_the_seeds_that_are_asked_for_inside():
    with asked() as outer:
        seed_sequence("a.b", {"N": 2}, "first")
        with asked() as inner:
            trial_seed("second", {"N": 2})
    seed_sequence("a.b", {"N": 2}, "third")
    assert (outer, inner) == ({"first", "second"}, {"second"})


def test_what_a_check_keeps_of_its_draws_is_forgotten_with_the_salt(tmp_path):
    text = CHECK.replace("construct=lambda p: p.N,", "construct=lambda p: kept(p.N),", 1)
    helpers = (
        "\nfrom functools import cache\nfrom theorytools.claims.language.grid import seed_sequence\n\ncalls = []\n\n\n"
        "@cache\ndef kept(n):\n    calls.append(seed_sequence('toy.x', {'N': n}, 'code').entropy)\n    return n\n\n\n"
        "@cache\ndef table(n):\n    calls.append('table')\n    return n\n\n\nclaim = "
    )
    assert text != CHECK
    entry = Catalogue(write_checks(tmp_path, lemma_01=text.replace("\nclaim = ", helpers, 1))).entries[0]
    claim = load(entry)
    known = claim.construct.__globals__
    claim.construct(claim.point({"N": 2}, "toy.x"))
    known["table"](1)
    for text in ("", "1", "2", ""):
        with salted(text):
            claim.construct(claim.point({"N": 2}, "toy.x"))
            claim.construct(claim.point({"N": 2}, "toy.x"))
            known["table"](1)
    claim.construct(claim.point({"N": 2}, "toy.x"))
    calls = known["calls"]
    assert calls.count("table") == 1  # what draws nothing stays
    drawn = [entropy for entropy in calls if entropy != "table"]
    assert len(set(drawn)) == 3
    assert drawn[0] == drawn[1] == drawn[-1] != drawn[2]


def test_draws_that_a_check_keeps_of_another_check_are_forgotten_too(tmp_path):
    drawing = (
        "from theorytools.claims.language.grid import seed_sequence\n\n\ndef drawn(n):\n    "
        "return seed_sequence('toy.x', {'N': n}, 'code').entropy\n"
    )
    text = CHECK.replace("construct=lambda p: p.N,", "construct=lambda p: kept(p.N),", 1)
    keeping = (
        "\nfrom functools import cache\n\nfrom ._drawing import drawn\n\nkept = cache(lambda n: drawn(n))\n\nclaim = "
    )
    files = {"lemma_01": text.replace("\nclaim = ", keeping, 1), "_drawing": drawing}
    claim = load(Catalogue(write_checks(tmp_path, **files)).entries[0])
    seen = []
    for text in ("", "1", ""):
        with salted(text):
            seen.append(claim.construct(claim.point({"N": 2}, "toy.x")))
    assert seen[0] == seen[2] != seen[1]


# -- a claim under other seeds ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("failing", "expect", "state"), [("", "HOLDS", "same"), ("2", "HOLDS", "changed"), ("12345", "HOLDS", "changed")]
)
def test_a_row_that_some_seed_refutes_is_told_with_its_seed_and_point(failing, expect, state):
    found = reseeded(lucky(failing), "toy.luck", SALTS)
    assert (found.state, found.roles) == (state, ("luck",))
    assert [seen.salt for seen in found.of("refuted")] == list(failing)
    told = found.to_json()
    assert [seen["salt"] for seen in told["refuted"]] == list(failing)
    assert all(seen["at"] == {"N": "2"} and "value <= N" in seen["text"] for seen in told["refuted"])
    json.dumps(told, allow_nan=False)


def test_a_known_failure_must_fail_under_every_seed():
    repair = Control("repaired", asserts=[value <= N + 1])
    for failing, state in (("12345", "same"), ("1234", "changed")):
        claim = lucky(failing, expect="REFUTED", controls=[repair])
        assert reseeded(claim, "toy.luck", SALTS).state == state


def test_a_control_that_some_seeds_do_not_reject_is_counted_with_the_first():
    def spoiled(p):
        p.seed("luck")
        return p.N if salt() in "24" else p.N + 1

    claim = lucky("", controls=[Control("one more", breaks=value, construct=spoiled)])
    found = reseeded(claim, "toy.luck", SALTS)
    worked, first = found.controls["one more"]
    assert (worked, first.salt, first.state) == (3, "2", "fails")
    for share, weak in ((1, True), (Fraction(61, 100), True), (Fraction(3, 5), False)):
        control = replace(claim.controls[0], share=share)
        assert bool(reseeded(replace(claim, controls=[control]), "toy.luck", SALTS).weak) is weak


def test_points_outside_and_errors_are_told_apart_and_a_claim_without_seeds_is_left():
    def raising(p):
        p.seed("luck")
        if salt() == "3":
            raise ValueError("no such object")
        return p.N

    found = reseeded(lucky("", construct=raising), "toy.luck", SALTS)
    assert (found.state, [seen.salt for seen in found.of("error")]) == ("changed", ["3"])
    assert "ValueError: no such object" in found.of("error")[0].text
    outside = lucky("", requires=[N >= 3])
    assert len(reseeded(outside, "toy.luck", SALTS).of("outside")) == 5
    assert reseeded(outside, "toy.luck", SALTS).state == "same"
    made = []
    claim = tiny(construct=lambda p: made.append(1) or p.N)
    assert reseeded(claim, "toy.luck", SALTS).salts == ()
    assert len(made) == 2  # both points once


DRAWS = CHECK.replace("construct=lambda p: p.N,", "construct=lambda p: int(p.rng('code').integers(0, 2 * p.N)),", 1)


@pytest.mark.parametrize(("text", "code"), [(DRAWS, 1), (CHECK, 0)])
def test_the_command_says_how_many_seeds_refute(tmp_path, text, code):
    root = write_checks(tmp_path, lemma_01=text)
    told = CliRunner().invoke(app, ["reseed", "all", "--salts", "8", "--checks", str(root), "--json"])
    answer = json.loads(told.stdout)
    assert (told.exit_code, answer["exit"], answer["salts"]) == (code, code, 8)
    (claim,) = answer["claims"]
    assert claim["draws"] == (["code"] if code else [])
    assert bool(claim["refuted"]) is bool(code)
    plain = CliRunner().invoke(app, ["reseed", "toy.lemma_01", "--salts", "8", "--checks", str(root)])
    assert plain.exit_code == code
    assert f"{code} of 1 claims draw" in plain.stdout
    if code:
        assert f"refuted under {len(claim['refuted'])} of 8 seeds; seed " in plain.stdout


# -- what a trial remarks --------------------------------------------------------------------------------------------
def tried(claim):
    trial = Trial.__new__(Trial)
    trial.claim, trial.verdict, trial.check, trial._given = claim, judge(claim, "toy.luck"), "toy.luck", {}
    return list(seeds(trial))


@pytest.mark.parametrize(
    ("failing", "said"), [("", None), ("7", "1 of 10"), (tuple("1234"), "3 of 3"), ("36", "2 of 10")]
)
def test_a_row_that_holds_by_luck_is_remarked(failing, said):
    found = tried(lucky(failing))
    assert [remark.instrument for remark in found] == (["seeds"] if said else [])
    if said:
        assert f"under {said} other seeds the row value <= N at N=2 is false" in found[0].text


def test_an_exhibited_object_may_fail_under_another_seed():
    assert tried(lucky("123", scope={"every N": "points", "some code": "exhibited"})) == []


def test_a_point_that_leaves_the_hypotheses_under_another_seed_is_no_failure():
    assert tried(lucky("123", requires=[N >= 2], construct=lambda p: p.seed("luck") and p.N)) == []


def test_drawn_without_a_seed_is_remarked_unless_another_point_draws():
    scope = {"every N": "points", "every code": "drawn"}
    (remark,) = tried(tiny(scope=scope))
    assert (remark.instrument, "nothing is drawn" in remark.text) == ("scope", True)
    later = tiny(scope=scope, grid=grid(N=[2, 3, 4, 5]), construct=lambda p: p.N + (p.N == 5 and not p.seed("code")))
    assert tried(later) == []


@pytest.mark.parametrize(
    ("scope", "unsaid"),
    [
        ({"every N": "points", "every map": "enumeration"}, True),
        ({"every N": "points", "every map": "closed form"}, True),
        ({"every N": "points", "every map": "drawn"}, False),
        ({"every N": "points", "some map": "exhibited", "every word": "enumeration"}, False),
        ({"every N": "points", "every data set": "points", "every map": "enumeration"}, False),
        ({"every N": "points", "every map": "proof"}, False),
        ({"every N": "points"}, False),
    ],
)
def test_a_scope_that_covers_all_and_names_nothing_drawn_must_not_draw(scope, unsaid):
    claim = tiny(scope=scope, construct=lambda p: int(p.rng("maps").integers(0, 1)) + p.N)
    assert draws_unsaid(claim, {"maps"}) is unsaid
    assert not draws_unsaid(claim, set())
    found = [remark for remark in tried(claim) if remark.instrument == "scope"]
    assert [("'every map'" in r.text, "'maps'" in r.text) for r in found] == ([(True, True)] if unsaid else [])


def test_never_draws_is_about_the_word_and_the_seeds():
    claim = tiny(scope={"every N": "points", "every repeat": "drawn"})
    assert never_draws(claim, ())
    assert not never_draws(claim, {"code"})
    assert not never_draws(tiny(scope={"every N": "points", "every repeat": "recorded"}), ())


def test_a_drawing_generator_is_numpys_whatever_the_salt():
    with salted("4"):
        numbers = tiny().point({"N": 2}, "toy.a").rng("x").integers(0, 9, 4)
    assert isinstance(numbers, np.ndarray)
