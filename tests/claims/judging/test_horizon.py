"""What rows would have seen: the least wrong constant, exponent, log factor and shift, each put to the claim itself."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import N, constant, tiny, value

from theorytools import Control, exactly, grid
from theorytools.claims.judging.conclude import conclude
from theorytools.claims.judging.horizon import horizon
from theorytools.claims.judging.judge import judge
from theorytools.claims.language.estimate import fitted
from theorytools.reporting.horizon import seen_text, sizes_text, weakest

SIZES = [4, 16, 64, 1024]


def claim_of(measured, assertion, sizes=SIZES, **more):
    """A claim that ``measured(N)`` satisfies an assertion on a grid of sizes."""
    broken = Control("broken", breaks=value, measure=lambda thing, p: {value: exactly(10**12 + p.N)})
    return tiny(
        asserts=[assertion], grid=grid(N=sizes), measure=lambda thing, p: {value: measured(p.N)}, controls=[broken],
        **more,
    )  # fmt: skip


def seen(measured, assertion, **more):
    verdict = judge(claim_of(measured, assertion, **more), "toy.lemma_01")
    assert verdict.outcome in ("HOLDS", "POWERLESS")
    (found,) = verdict.horizon.values()
    return found


def accepted(measured, assertion):
    return judge(claim_of(measured, assertion), "toy.lemma_01").outcome == "HOLDS"


# -- a constant ----------------------------------------------------------------------------------------------------
@given(st.fractions(min_value=Fraction(1, 100), max_value=3))
def test_a_constant_is_seen_from_its_slack_on(slack):
    tight = Fraction(1) + slack
    found = seen(lambda n: Fraction(n) / tight, value <= N)
    assert math.isclose(found["constant"], float(slack), rel_tol=1e-9)
    just, off = Fraction(tight) * Fraction(999, 1000), Fraction(tight) * Fraction(1001, 1000)
    assert accepted(lambda n: Fraction(n) / tight, value <= N / just)
    assert not accepted(lambda n: Fraction(n) / tight, value <= N / off)


def test_of_an_equality_both_directions_count():
    found = seen(lambda n: Fraction(n) * Fraction(101, 100), value.equals(N, within=N / 20))
    assert 0.058 < found["constant"] < 0.061  # N/(1 + ε) + N/20 < 1.01 N from ε = 1/24 on, N (1 + ε) - N/20 from 0.06


def test_lower_bounds_and_negative_numbers():
    assert math.isclose(seen(lambda n: 2 * n, value >= N)["constant"], 1)
    assert math.isclose(seen(lambda n: -n, value <= -Fraction(1, 2) * N)["constant"], 1)
    assert seen(lambda n: 0, value <= N)["constant"] is None


def test_zero_is_seen_as_zero():
    found = seen(lambda n: 0, value.equals(0))
    assert (found["zero"], found["constant"]) == (True, None)
    assert seen_text(found) == "any value but 0"


# -- an exponent ----------------------------------------------------------------------------------------------------
def test_an_exponent_needs_two_sizes():
    assert seen(lambda n: n, value <= N, sizes=[64])["exponents"] == {}
    assert seen(lambda n: n, value <= N, sizes=[64, 65])["exponents"]["N"] == [0.0, 0.0]


def test_of_an_upper_bound_the_end_where_the_wrong_bound_agrees_is_free():
    up, down = seen(lambda n: Fraction(n, 2), value <= N)["exponents"]["N"]
    assert math.isclose(up, math.log(2) / math.log(256), rel_tol=1e-9)
    assert math.isclose(down, up)
    delta = Fraction(round(down * 1000) + 1, 1000)
    assert not accepted(lambda n: Fraction(n, 2), value <= N * (N / 4) ** -delta)
    delta = Fraction(round(down * 1000) - 1, 1000)
    assert accepted(lambda n: Fraction(n, 2), value <= N * (N / 4) ** -delta)


def test_of_an_equality_no_constant_saves_a_wrong_exponent():
    tolerance = Fraction(1, 10)
    found = seen(lambda n: n, value.equals(N, within=tolerance * N))
    up, _ = found["exponents"]["N"]
    # c x^δ must stay within [1/(1+t), 1/(1-t)] at both ends: δ log 256 ≤ log((1+t)/(1-t))
    assert math.isclose(up, math.log(1.1 / 0.9) / math.log(256), rel_tol=0.1)


def test_a_wrong_size_of_one_row_only_is_not_seen_as_growth():
    rows = {4: 4, 16: 1, 64: 1, 1024: 1}
    up, down = seen(lambda n: rows[n], value <= N)["exponents"]["N"]
    assert up == 0.0  # tight at 4, where a bound that agrees at 1024 and falls below it there is refuted
    assert down is not None
    assert down > 0.8


# -- logarithms, shifts, words ----------------------------------------------------------------------------------------
def test_a_log_factor():
    assert seen(lambda n: n, value <= N)["logs"] == ["N"]
    assert seen(lambda n: Fraction(n, 10), value <= N)["logs"] == []
    assert seen(lambda n: n, value.equals(N))["logs"] == ["N"]


def test_a_shift_by_one():
    assert seen(lambda n: n, value <= N)["shifts"] == ["N"]
    assert seen(lambda n: n - Fraction(3, 2), value <= N, sizes=[64])["shifts"] == []
    assert seen(lambda n: n, value.equals(N, within=1))["shifts"] == []


def test_a_fitted_interval_sees_as_far_as_its_ends():
    found = seen(lambda n: fitted(0.8 * n, 0.9 * n, repeats=5), value <= N)
    assert 0.24 < found["constant"] < 0.26


def test_words():
    verdict = judge(claim_of(lambda n: Fraction(n) * Fraction(100, 101), value <= N), "toy.lemma_01")
    assert sizes_text(verdict.tested) == "N = 4..1024"
    assert seen_text(weakest(verdict.horizon)) == "constant 1 %, N^±0.0018, log N, N±1"
    nothing = {"constant": None, "zero": False, "exponents": {"N": [None, None]}, "logs": [], "shifts": []}
    assert seen_text(nothing) == "no power"
    assert seen_text({**nothing, "constant": 1.2, "exponents": {"N": [0.5, None]}}) == "constant ×2.2, N^+0.5"
    assert weakest({"a": {**nothing, "constant": 0.01}, "b": nothing}) == nothing


def test_rows_of_controls_and_open_rows_say_nothing():
    verdict = judge(constant(1, value <= 2), "toy.lemma_01")
    spoiled = [row for row in verdict.rows if row.control]
    assert spoiled
    assert horizon(spoiled) == {}


def test_a_verdict_with_vacuous_rows_alone_has_no_power():
    from theorytools import Quantity

    share = Quantity("share", "p", "a share", (0, 1))
    broken = Control("broken", breaks=share, asserts=[share <= 0])
    claim = tiny(asserts=[share <= N], measure=lambda thing, p: {share: 1}, controls=[broken])
    verdict = judge(claim, "toy.lemma_01")
    assert (verdict.outcome, verdict.reason) == (
        "POWERLESS", "every bound says no more than what holds without any theorem",
    )  # fmt: skip


def test_the_witness_is_the_largest_violation():
    repair = Control("its own size", asserts=[value <= N])
    claim = tiny(asserts=[value <= 5], grid=grid(N=[2, 6, 1000, 7]), expect="REFUTED", controls=[repair])
    verdict = judge(claim, "toy.lemma_01")
    assert verdict.witness.point == {"N": "1000"}
    assert "fails at N=1000" in verdict.reason


@pytest.mark.parametrize(("recipe", "words"), [(exactly(1), "proved"), (fitted(1, 1), "supported by a fit")])
def test_only_certificates_are_said_to_prove(recipe, words):
    claim = constant(recipe, value <= 2)
    verdict = judge(claim, "toy.lemma_01")
    assert conclude(claim, verdict.rows, ())["reason"].startswith(f"1 row {words}")


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        ("4", "1024", "4..1024"),
        ("16", "131072", "16..131072"),
        ("3", "1000000", "3..10^6"),
        ("12", "400000000000000", "12..4·10^14"),
        ("1/1000000", "1/5", "1/10^6..1/5"),
        ("gauss", "gauss", "gauss..gauss"),
        ("2", "123456789", "2..≈1.23·10^8"),
    ],
)
def test_long_sizes_are_shown_by_powers_of_ten(low, high, text):
    assert sizes_text({"N": {"low": low, "high": high, "values": 2}}) == f"N = {text}"
