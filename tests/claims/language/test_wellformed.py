"""A slip in a claim is an error when the claim is made, with what was given and what is required."""

from dataclasses import replace

import numpy as np
import pytest
import sympy
from sympy import And, Eq, Ne, Not, Or, Rational, Symbol, Xor, exp, sqrt, symbols
from tiny import M, N, tiny, value, x

from theorytools import Assertion, CheckError, Claim, Control, DomainError, Quantity, judge, letter, points

other = Quantity("other", "w")
spoiled = Control("one more", breaks=value, construct=lambda p: p.N + 1)
q = letter("q", "a part", integer=True, positive=True)


def refused(changed, given, required):
    with pytest.raises(CheckError) as caught:
        tiny(**changed)
    assert given in caught.value.given
    assert required in caught.value.required
    assert "given:" in str(caught.value)
    assert "required:" in str(caught.value)


def control(**changed):
    parts = {"name": "spoiled", "breaks": value, "construct": lambda p: p.N + 1}
    return {"controls": [Control(**{**parts, **changed})]}


@pytest.mark.parametrize(
    ("changed", "given", "required"),
    [
        ({"label": ""}, "an empty label", "number in the paper"),
        ({"label": "  "}, "an empty label", "number in the paper"),
        ({"label": None}, "an empty label", "number in the paper"),
        ({"asserts": []}, "asserts = []", "one or more assertions"),
        ({"asserts": [N <= 3]}, "asserts = [N <= 3]", "one or more assertions"),
        ({"asserts": N <= 3}, "asserts = N <= 3", "one or more assertions"),
        ({"asserts": None}, "asserts = None", "one or more assertions"),
        ({"asserts": [value <= N, value <= N]}, "two assertions with one name", "distinct"),
        ({"asserts": [value <= N, replace(value >= 0, label="value <= N")]}, "two assertions with one name", ""),
        ({"asserts": [value <= N, Quantity("value", "w") >= 0]}, "two quantities with one name", "distinct"),
        ({"grid": []}, "grid = []", "not empty"),
        ({"grid": points("N")}, "grid = Grid(0 points", "not empty"),
        ({"grid": {"N": [2]}}, "grid = {'N'", "grid(N=[…], …)"),
        ({"tier": "days"}, "tier = 'days'", "seconds, minutes, hours"),
        ({"expect": "FAILS"}, "expect = 'FAILS'", "HOLDS, REFUTED"),
        ({"construct": 3}, "not callable", "two functions"),
        ({"measure": None}, "not callable", "two functions"),
        ({"requires": N >= 2}, "requires = N >= 2", "a list"),
        ({"controls": spoiled}, "controls = Control(", "a list"),
        ({"derived": x}, "derived = x", "a list"),
    ],
)
def test_shape(changed, given, required):
    refused(changed, given, required)


# -- hypotheses -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("requires", "given"),
    [
        ([2 * q == N], "the hypothesis False"),  # Python compares the two formulas
        ([N == N], "the hypothesis True"),
        ([sympy.false], "the hypothesis False"),
        ([N >= 2, N <= -1], "the hypothesis False"),  # sympy knows that N is positive
        ([N], "the hypothesis N"),
        ([Xor(N >= 2, N >= 3)], "the hypothesis"),
        (["N >= 2"], "the hypothesis 'N >= 2'"),
        ([None], "the hypothesis None"),
        ([Rational(5, 2) + 0.25 <= N], "a float in a formula: 2.75000"),
        ([sympy.airyai(N + 1) <= N], "airyai(N + 1)"),
        ([And(N >= 2, sympy.Float("3.5") >= N)], "a float in a formula: 3.5"),
    ],
)
def test_hypotheses(requires, given):
    refused({"requires": requires}, given, "")


def test_hypotheses_sympy_decides_are_explained_and_plain_symbols_are_letters():
    with pytest.raises(CheckError, match=r"2\*q == N is False for symbols") as caught:
        tiny(requires=[2 * q == N])
    assert caught.value.advice == "write Eq(2*q, N)"
    claim = tiny(requires=[N >= 1, N > 0])
    assert list(claim.requires) == [sympy.true, sympy.true]
    assert [str(c) for c in claim.all_letters()["N"].domain] == ["N >= 1"]
    claim = tiny(requires=[And(N >= 2, Ne(N, 7)), Or(Eq(N, 2), N <= 9), Not(Eq(N, 8))])
    assert len(claim.requires) == 3
    assert tiny(asserts=value <= N).assertions == (value <= N,)
    plain = symbols("N", real=True)
    assert tiny(asserts=[value <= plain]).all_letters() == {"N": plain}


derive = {"derive": lambda thing, p: {x: 1}, "derived": [x]}


@pytest.mark.parametrize(
    ("changed", "given", "required"),
    [
        ({"asserts": [value <= M]}, "the letter M has no value", "an axis (N), a let or a derived letter"),
        ({"requires": [M >= 2]}, "the letter M has no value", "an axis (N)"),
        ({"asserts": [value.equals(N, within=M)]}, "the letter M has no value", "an axis (N)"),
        ({"lets": {M: 2 * q}}, "the let M uses q", "only axes: N"),
        ({"lets": {N: x}}, "the letter N is defined twice", "not two"),
        ({"lets": {x: N}, **derive}, "the letter x is defined twice", "not two"),
        ({"derive": lambda thing, p: {N: 1}, "derived": [N]}, "the letter N is defined twice", "not two"),
        ({"derived": [x]}, "derive without derived", "both"),
        ({"derive": derive["derive"]}, "derive without derived", "both"),
        (control(asserts=[value <= M]), "control 'spoiled' uses ['M']", "letters among ['N']"),
        (control(where=M >= 2), "control 'spoiled' uses ['M']", "letters among ['N']"),
        ({"grid": points("N kind", (2, "simplex")), "asserts": [value <= N * Symbol("kind", real=True)]},
         "the letter kind has no value", "an axis (N)"),  # a word has no value in a formula
        ({"asserts": [value <= N, value >= letter("N", "another meaning", nonnegative=True) - 9]},
         "two letters named N", "one meaning"),
        (control(asserts=[value <= letter("N", "another meaning")]), "two letters named N", "one meaning"),
        ({"asserts": [value <= Symbol("N", positive=True)]}, "the symbol N with", "letter("),
    ],
)  # fmt: skip
def test_letters(changed, given, required):
    refused(changed, given, required)


# -- formulas -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("changed", "given"),
    [
        ({"asserts": [value <= sympy.airyai(N)]}, "airyai"),
        ({"asserts": [value <= sympy.I * N]}, "I"),
        ({"asserts": [value.equals(N, within=sympy.Heaviside(N - 2))]}, "Heaviside"),
        ({"asserts": [replace(value <= N, tie=sympy.besselj(0, N))]}, "besselj"),
        ({"lets": {x: 0.5 * N}}, "a float"),
        ({"asserts": [replace(value, trivial=(0, 0.5)) <= N]}, "a float in a formula: 0.5"),
        (control(asserts=[value <= sympy.airyai(N)]), "airyai"),
        (control(where=sympy.airyai(N) <= 1), "airyai"),
        (control(where=N <= 2.5), "a float in a formula: 2.5"),
    ],
)
def test_formulas_without_a_rigorous_value(changed, given):
    if "controls" not in changed and "lets" not in changed:
        changed = {**changed, "controls": [Control("spoiled", breaks="value", construct=lambda p: p.N + 1)]}
    refused(changed, given, "")


@pytest.mark.parametrize(
    ("wrong", "required"),
    [({"asserts": value <= N}, "a sequence"), ({"asserts": [N <= 3]}, "an Assertion"),
     ({"where": False}, "a condition"), ({"where": True}, "a condition")],
)  # fmt: skip
def test_a_control_that_is_none_is_refused_when_it_is_made(wrong, required):
    with pytest.raises(DomainError, match=required):
        control(**wrong)


@pytest.mark.parametrize("rhs", [0.5, np.float64(2), N + 0.1, float("inf"), "N", None])
def test_a_float_bound_does_not_even_make_an_assertion(rhs):
    with pytest.raises(DomainError) as caught:
        value <= rhs  # noqa: B015
    assert "value" in caught.value.given
    assert caught.value.required
    with pytest.raises(DomainError):
        Assertion(value, "<=", N, within=rhs)
    with pytest.raises(DomainError, match="one of '<=', '>=', '=='"):
        Assertion(value, "=<", N)


# -- controls -------------------------------------------------------------------------------------------------
repair = Control("one more allowed", asserts=[value <= N + 1])


@pytest.mark.parametrize(
    ("changed", "given", "required"),
    [
        ({"controls": []}, "controls = []", "at least one Control"),
        ({"controls": [spoiled, "another"]}, "controls = [", "at least one Control"),
        ({"controls": [Control("nothing", breaks=value)]}, "control 'nothing' spoils nothing", "construct="),
        ({"controls": [spoiled, replace(spoiled)]}, "two controls with one name", "distinct"),
        ({"expect": "REFUTED"}, "expect='REFUTED' without a repair", "breaks=()"),
        ({"controls": [repair]}, "only repairs among the controls", "at least one control that must break"),
        (control(breaks=other), "control 'spoiled' breaks 'other'", "an assertion of the claim"),
        (control(breaks="valeu"), "control 'spoiled' breaks 'valeu'", "an assertion of the claim"),
        (control(breaks=value <= N + 1), "control 'spoiled' breaks 'value <= N + 1'", "an assertion of the claim"),
        (control(breaks=[value, other]), "control 'spoiled' breaks 'other'", "an assertion of the claim"),
        (control(asserts=[]), "control 'spoiled' asserts []", "one or more assertions"),
        ({"controls": [spoiled, Control("empty repair", asserts=[])]}, "control 'empty repair' asserts []", "list"),
        (control(asserts=[value <= N, value <= N]), "two assertions with one name", "distinct"),
        (control(where=N <= -1), "the hypothesis False", "that can hold"),
    ],
)
def test_controls(changed, given, required):
    refused(changed, given, required)


@pytest.mark.parametrize("breaks", [value, [value], (value <= N,), "value", "value <= N", [value, value <= N]])
def test_what_must_break_is_named_by_quantity_assertion_or_text(breaks):
    claim = tiny(**control(breaks=breaks))
    assert judge(claim, "toy.lemma_01").as_expected
    assert not claim.controls[0].repair


def test_variants_keep_their_fields_and_are_examined_again():
    """Nothing is rewritten when a claim is made: the lets would be lost in the copy."""
    claim = tiny(asserts=[value <= exp(x)], lets={x: sqrt(N) * 2})
    again = replace(claim, label="Tiny 1, again")
    assert again.asserts == [value <= exp(x)]
    assert again.lets == claim.lets
    assert isinstance(again, Claim)
    assert judge(again, "toy.lemma_01").rows[0].bound == judge(claim, "toy.lemma_01").rows[0].bound
    with pytest.raises(CheckError, match="at least one Control"):
        replace(tiny(), controls=[])
