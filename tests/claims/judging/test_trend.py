"""Where the slack of a bound would end: planted series that never end, and such as do."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from properties import examples
from tiny import N, tiny, value

from theorytools import Control, grid
from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.trend import trend, trend_ends
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.estimate import Estimate, Evidence
from theorytools.numbers import End
from theorytools.reporting import words

DOUBLING = [4, 8, 16, 32, 64, 128]
GRIDS = [DOUBLING, [4, 16, 64, 256], list(range(10, 61, 5)), [30, 41, 57, 80, 113]]
grids = st.sampled_from(GRIDS)
factors = st.floats(0.1, 10)


def rows_of(slack, sizes=DOUBLING, relation="<=", letter="T", width=0.0, **at):
    """Rows whose slack at each size is that of a function, measured 1 or within a relative width of it."""
    made = []
    for size in sizes:
        s = Fraction(slack(size))
        number = Estimate(End(s * (1 - Fraction(width))), End(s * (1 + Fraction(width))), Evidence.EXACT)
        one = Estimate.of(Fraction(7))
        seven = Estimate(End(7 * number.low.value), End(7 * number.high.value), Evidence.EXACT)
        measured, bound = (one, seven) if relation == "<=" else (seven, one)
        point = {letter: str(size), **at}
        made.append(Row(point, "", "a", "q", relation, True, measured, (bound,)))
    return made


def asks(slack, sizes=DOUBLING, **more):
    (told,) = trend(rows_of(slack, sizes, **more))
    return told["ends"] is not None


@examples(
    40, grids, factors, st.floats(0.2, 2), st.floats(0.001, 0.5), st.floats(0.01, 1), st.sampled_from(["<=", ">="])
)
def test_eight_shapes_that_never_end_ask_nothing(sizes, c, a, rate, limit, relation):
    shapes = [
        lambda v: 1 + c / v, lambda v: 1.02 + c / v, lambda v: 1 + c, lambda v: 1 + c * math.exp(-rate * v),
        lambda v: 1 + c / v**a, lambda v: 1 + c / math.log(v), lambda v: 1 + limit + c / v**a, lambda v: 1 + c * v**a,
    ]  # fmt: skip
    for number, shape in enumerate(shapes):
        if shape(sizes[-1]) > 1:
            assert not asks(shape, sizes, relation=relation), number


ENDING = {
    "power": lambda end, a: lambda v: (end / v) ** a,
    "c - a log v": lambda end, a: lambda v: 1 + a * math.log(end / v),
    "c/(log v)^a": lambda end, a: lambda v: (math.log(end) / math.log(v)) ** a,
}


@pytest.mark.parametrize("name", ENDING)
def test_powers_and_logarithms_that_end_soon_ask_and_name_the_end(name):
    asked, number = 0, 0
    for sizes in GRIDS:
        for a in (0.05, 0.2, 0.4):
            for times in (1.1, 1.3, 1.7, 2.2, 3):
                end, number = sizes[-1] * times, number + 1
                (told,) = trend(rows_of(ENDING[name](end, a), sizes, "<=" if number % 2 else ">="))
                if told["ends"]:
                    asked += 1
                    # of its own shape a fit is exact, but for the three digits that are told
                    nearest = min(abs(math.log(x / end)) for x in told["ends"])
                    assert nearest < (math.log(2.4) if name.startswith("c/") else 0.01)
    # three sizes of some look like an exponential, or have no growing exponent yet
    assert asked >= 0.6 * number, asked / number


def test_a_bound_with_a_missing_logarithm_names_an_end_near_the_true_one():
    def slack(k):
        harmonic = sum(Fraction(1, i) for i in range(1, k + 1))
        return float((harmonic + 2) / (harmonic + Fraction(38, 100) * Fraction(math.log(k))))

    (told,) = trend(rows_of(slack, [4, 8, 16, 32, 64]))
    assert slack(193) > 1 > slack(194)
    assert 194 / 2.4 < told["ends"][0] <= told["ends"][1] < 194 * 2.4
    assert [point["T"] for point in trend_ends([told])] == [256, 512]  # of powers of two the next ones


def test_a_wide_interval_an_equality_a_tie_and_a_control_ask_nothing():
    def ending(v):
        return (400 / v) ** 0.2

    assert asks(ending)
    assert not asks(ending, width=0.05)
    assert trend([replace(row, relation="==") for row in rows_of(ending)]) == []
    assert trend([replace(row, control="c") for row in rows_of(ending)]) == []
    assert trend([replace(rows_of(ending)[0], truth=None), *rows_of(ending)[1:]]) == []
    assert trend(rows_of(ending), trials=("T",)) == []
    assert trend(rows_of(ending, DOUBLING[:2])) == []
    assert not asks(lambda v: max(1, ending(v)), [*DOUBLING, 512])


def test_a_quantity_that_is_0_or_1_has_no_trend_and_nothing_is_said_of_what_it_excludes():
    turned = tiny(
        asserts=[value <= Fraction(200, 1) / N], grid=grid(N=[10, 20, 40, 80, 160]), measure=lambda n, p: {value: 1},
        controls=[Control("broken", breaks=value, measure=lambda n, p: {value: 10**6})],
    )  # fmt: skip
    verdict = judge(turned, "toy.lemma_01")
    assert verdict.trend == ()
    told = verdict.to_json() | {"assertions": [{"name": "value <= 200/N", "relation": "<="}]}
    assert verdict.horizon
    assert (words.excludes(told), words.would_see(told), words.horizon_lines(told)) == ("", "–", [])
    third = judge(replace(turned, measure=lambda n, p: {value: Fraction(n and 999, 1000)}), "toy.lemma_01").to_json()
    third |= {"assertions": [{"name": "value <= 200/N", "relation": "<="}]}
    assert "a constant smaller by" in words.excludes(third)


def test_a_verdict_tells_its_trend_in_words_and_where_to_look():
    claim = tiny(
        asserts=[value <= 30], grid=grid(N=[3, 6, 12, 24]), measure=lambda n, p: {value: n},
        controls=[Control("broken", breaks=value, measure=lambda n, p: {value: 10**6})],
    )  # fmt: skip
    verdict = judge(claim, "toy.lemma_01")
    assert verdict.trend[0]["ends"] is None  # its slack 30/N has halved at each doubling
    slower = judge(replace(claim, asserts=[value <= 4 * N - N**2 / 8], grid=grid(N=[5, 10, 20])), "toy.lemma_01")
    (told,) = slower.trend
    assert told["sizes"] == ["5", "20"]
    assert words.trends(slower.to_json()) == [
        f"slack falls as N^-{told['exponent']:.3g}, would end near N = "
        f"{math.ceil(told['ends'][0])} to {math.ceil(told['ends'][1])}"
    ]
    assert trend_ends(slower.trend) == [
        {"N": math.ceil(told["ends"][1])}, {"N": math.ceil(Fraction(12, 5) * Fraction(told["ends"][1]))},
    ]  # fmt: skip


def test_the_series_is_along_one_letter_with_the_others_equal():
    first = rows_of(lambda v: (400 / v) ** 0.2, d="3")
    second = rows_of(lambda v: 1 + 1 / v, d="5")
    told = {one["letter"]: one for one in trend(first + second)}
    assert set(told) == {"T"}
    assert told["T"]["at"] == {"d": "3"}
    assert trend_ends([told["T"]])[0] == {"d": 3, "T": 512}
