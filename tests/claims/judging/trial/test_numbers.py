"""Numbers on trial: pairs of a wrong and a true check of one kind, the wrong one flagged, the true one silent."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import write_checks

from theorytools import CheckError, DomainError, Estimate, Evidence, verify
from theorytools.claims.judging.content_digest import contradiction, sealed
from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.trial.arrays import single, whole, within
from theorytools.claims.judging.trial.entries import rounded
from theorytools.claims.judging.trial.numbers import findings
from theorytools.claims.judging.trial.precise import PRECISE_MATH, Precise, divided, limited, raised
from theorytools.claims.judging.trial.variants import Trial
from theorytools.claims.language.estimate import certain
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.claims.papers.loading import load
from theorytools.errors import BudgetError
from theorytools.numbers import Enclosure, End

HEAD = '''r"""The number v is at most its bound.

Setting    A size $N$.
Statement  $v$ is bounded.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from sympy import Rational, binomial

from theorytools import Claim, Control, Enclosure, Quantity, grid
from theorytools.claims.language.estimate import enclosed, enclosed_between, observed
from theorytools.numbers import float_lower, float_upper, rational_rank

from .notation import N

v = Quantity("value", "v", trivial=(-10**40, 10**40))


@dataclass(frozen=True)
class Row:
    a: np.ndarray

    def total(self):
        return int((self.a**3).sum())


def hilbert(m):
    return np.array([[1 / (i + j + 1) for i in range(m)] for j in range(m)])


claim = Claim(
    "Lemma 1", role="statement", scope={"every N": "points"}, source="derived here: Lemma 1",
'''


def check(bound, sizes, construct, measure):
    sizes = ", ".join(map(str, sizes))
    return f"""{HEAD}    asserts=[v <= {bound}], grid=grid(N=[{sizes}]), construct=lambda p: {construct},
    measure=lambda x, p: {{v: {measure}}}, controls=[Control("huge", breaks=v, measure=lambda x, p: {{v: 10**39}})],
)
"""


def drawn(bound, sizes, draw, measure):
    """The same with objects that are drawn, of which the worst one decides."""
    text = check(bound, sizes, f"rng.{draw}", measure)
    return text.replace("construct=lambda p:", "draws=9, draw=lambda rng, p:")


FLOATS, INTEGERS, SINGLE = "floats", "integers", "single precision"
WRONG = {
    "rank": (SINGLE, check(20, (8, 32), "1.0 / (1 + np.add.outer(np.arange(p.N), np.arange(p.N)))",
                           "int(np.linalg.matrix_rank(x))")),
    "rank_in_measure": (SINGLE, check(20, (16, 32), "p.N", "int(np.linalg.matrix_rank(hilbert(x)))")),
    "count": (SINGLE, check(3, (8, 16), "p.rng('a').normal(size=(p.N, 3)) @ p.rng('b').normal(size=(3, p.N))",
                            "int((np.linalg.svd(x)[1] > 1e-12).sum())")),
    "enclosure": (FLOATS, check("Rational(2, 5)", (10**9,), "1 / p.N",
                                "enclosed(lambda: Enclosure((1 - math.cos(x)) / x**2))")),
    "numpy_cosine": (FLOATS, check("Rational(2, 5)", (4,), "1e-9 / p.N", "Fraction(float((1 - np.cos(x)) / x**2))")),
    "expm1": (FLOATS, check("Rational(9, 10)", (17,), "10.0**-p.N", "Fraction((math.exp(x) - 1) / x)")),
    "root": (FLOATS, check("2*N", (4,), "p.N", "Fraction(math.sqrt(x + 1))")),
    "operand": (FLOATS, check("N", (4,), "p.N", "lambda: Enclosure(x).sqrt() * 0.7")),
    "mapped": (FLOATS, check(10, (4,), "[0.1 * i for i in range(p.N)]", "sum(map(Fraction, x)) / p.N")),
    "mean": (FLOATS, check(1, (4,), "[1 / i for i in range(1, p.N)]", "Fraction(np.mean(x))")),
    "rounded_log": (FLOATS, check("3*N", (4,), "p.N", "int(round(math.log(x) * 1.7))")),
    "floor": (FLOATS, check("7", (7,), "10**p.N - 1", "math.floor(math.log(x, 10) + 1e-7)")),
    "gamma": (FLOATS, check("binomial(N, N/2) + 10**6", (64,), "p.N",
                            "int(math.gamma(x + 1) / math.gamma(x // 2 + 1)**2)")),
    "product": (INTEGERS, check("2**63", (25,), "np.arange(1, p.N + 1)", "int(np.prod(x))")),
    "product_32": (INTEGERS, check("2**40", (16,), "np.arange(1, p.N + 1, dtype=np.int32)",
                                   "int(x.prod(dtype=np.int32))")),
    "cumulative": (INTEGERS, check("2**63", (30,), "p.N", "int(np.cumprod(np.full(x, 7))[-1])")),
    "dot": (INTEGERS, check("2**63", (30,), "np.array([3**i for i in range(p.N)])", "int(x @ x)")),
    "cast": (INTEGERS, check("2**40", (40,), "np.array([2**i for i in range(p.N)])", "int(x.astype(np.int32).sum())")),
    "in_a_class": (INTEGERS, check("2**62", (4,), "Row(np.full(p.N, 2**30))", "x.total()")),
    "drawn": (INTEGERS, drawn("2**63", (4,), "integers(2**31, 2**32, p.N)", "int((x * x).sum())")),
}  # fmt: skip
TRUE = {
    "rank": check("N", (4,), "[[Fraction(1, i + j + 1) for i in range(p.N)] for j in range(p.N)]", "rational_rank(x)"),
    "eye": check("N", (8,), "np.eye(p.N)", "int(np.linalg.matrix_rank(x))"),
    "enclosure": check("1", (10**9,), "Fraction(1, p.N)", "lambda: (Enclosure(x).exp() - 1 - Enclosure(x)) / x"),
    "half": check("N", (4,), "p.N", "lambda: Enclosure(x).sqrt() * 0.5"),
    "signs": check("N**2", (4,), "p.rng('s').choice([-1.0, 1.0], size=(p.N, p.N))", "Fraction(float(abs(x.sum())))"),
    "mean": check("1", (4,), "[Fraction(1, i) for i in range(1, p.N)]", "sum(x) / len(x)"),
    "log_of_a_power": check("N", (4,), "p.N", "int(math.log2(x))"),
    "size_of_the_object": check("N", (5,), "list(range(math.ceil(p.N * 0.7)))", "len(x)"),
    "certified_guess": check("N", (5,), "p.N", "x if x >= math.floor(x * 0.3) else 0"),
    "gamma": check("N**2", (6,), "p.N", "math.comb(x, 2)"),
    "product": check("2**63", (16,), "np.arange(1, p.N + 1)", "int(x.prod())"),
    "in_python": check("10**30", (25,), "np.arange(1, p.N + 1)", "math.prod(int(i) for i in x)"),
    "in_a_class": check("2**62", (4,), "Row(np.full(p.N, 2**10))", "x.total()"),
    "drawn": drawn("4000", (4,), "integers(0, 1000, p.N)", "int(x.sum())"),
    "declared": check("2*N", (4,), "p.N", "observed(Fraction(math.sqrt(x + 1)), 'numpy')"),
    "own_name": check("N", (4,), "p.N", "(lambda round: round(0.7))(lambda y: x)"),
    "outward_ends": check("2", (3,), "Enclosure(p.N).sqrt()",
                          "enclosed_between(lambda: Fraction(float_lower(x.lower)) - 1, "
                          "lambda: Fraction(float_upper(x.upper)) - Fraction(1, 2))"),
}  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    files = {f"wrong_{name}": text for name, (_, text) in WRONG.items()}
    return write_checks(tmp_path_factory.mktemp("drafts"), **files, **{f"true_{n}": t for n, t in TRUE.items()})


@cache
def tried(root, stem):
    (entry,) = [e for e in Catalogue(root).entries if e.id == f"toy.{stem}"]
    claim = load(entry)
    verdict = judge(claim, entry.id)
    assert verdict.outcome == "HOLDS", str(verdict)
    return findings(Trial(claim, entry, verdict))


@pytest.mark.parametrize("name", WRONG)
def test_a_number_of_no_proof_is_flagged(root, name):
    (found,) = tried(root, f"wrong_{name}")
    assert found.remark.instrument == WRONG[name][0], str(found.remark)
    assert found.quantities == ("value",)
    assert found.remark.line.startswith(f"wrong_{name}.py, line ")
    assert found.remark.advice


@pytest.mark.parametrize("name", TRUE)
def test_the_true_twin_is_silent(root, name):
    assert tried(root, f"true_{name}") == ()


def test_a_flagged_row_is_an_observation_in_the_verdict_and_its_file(root):
    verdict = verify("toy.wrong_operand", checks=root)
    assert verdict.outcome == "HOLDS"
    assert verdict.evidence.name == "OBSERVED"
    assert [r.instrument for r in verdict.remarks] == ["floats"]
    (row,) = [row for row in verdict.rows if not row.control]
    assert {"machine", "processor", "numpy"} <= set(row.measured.work)
    assert contradiction(sealed(verdict.to_json())) == ""
    assert verify("toy.true_enclosure", checks=root).evidence.name == "ENCLOSED"


def test_both_numbers_are_told(root):
    texts = {name: tried(root, f"wrong_{name}")[0].remark.text for name in ("enclosure", "rank", "dot", "gamma")}
    assert texts["enclosure"] == "at 250 bits the value is 0.5, here 0, at N = 1000000000"
    assert texts["rank"].endswith(", not 8, at N = 8: it depends on rounding")
    assert texts["dot"].endswith("numpy wrapped around")
    assert "here another number" in texts["gamma"]  # six digits do not tell them apart


def test_a_value_outside_its_trivial_range_is_an_error_at_the_line(tmp_path):
    inside = check("N", (4,), "p.N", "x").replace("(-10**40, 10**40)", "(0, 2 * N)")
    root = write_checks(
        tmp_path, lemma_02=inside, lemma_03=inside.replace("(0, 2 * N)", "(5, None)"),
        lemma_04=inside.replace("(0, 2 * N)", "(None, N / 2)"),
    )  # fmt: skip
    assert verify("toy.lemma_02", checks=root).outcome == "HOLDS"
    for stem, required in (("lemma_03", "at least 5"), ("lemma_04", "at most N/2")):
        with pytest.raises(CheckError) as caught:
            verify(f"toy.{stem}", checks=root)
        assert caught.value.given.startswith(f"{stem}.py, line ")
        assert "value = 4 at N=4" in caught.value.given
        assert caught.value.required == required


def test_a_returned_float_is_computed_from_exact_inputs_and_not_wrapped():
    with pytest.raises(DomainError) as caught:
        certain(0.1)
    assert caught.value.advice.startswith("compute it with enclosed(lambda: …) from exact inputs")
    with pytest.raises(DomainError) as caught:
        certain(True)
    assert "Fraction" not in caught.value.advice


def test_disjoint_estimates_are_an_error_of_what_draws_or_computes_them():
    def interval(low, high, evidence):
        return Estimate(End(Fraction(low)), End(Fraction(high)), evidence)

    first = interval(1, 2, Evidence.SAMPLED)
    for evidence, why in ((Evidence.SAMPLED, "independent draws of one law"), (Evidence.ENCLOSED, "one number")):
        later, before = interval(3, 4, evidence), replace(first, evidence=evidence)
        with pytest.raises(CheckError, match="disjoint") as caught:
            later.within(before)
        assert why in caught.value.why
        assert "[1, 2] and then [3, 4]" in caught.value.given


# -- doubles that were made by rounding ------------------------------------------------------------------------------
def test_signs_halves_and_counts_are_meant_and_thirds_are_not():
    meant = (0.0, -0.0, 1.0, -3.0, 0.5, 1.25, 2.0**-40, 2.0**60, float(2**53 - 1), math.inf, math.nan, 7, "0.1", None)
    made = (0.1, -1 / 3, math.pi, 1e300, 2 / 3, np.float64(0.1), np.float32(0.1))
    assert not any(map(rounded, meant))
    assert all(map(rounded, made))


@settings(max_examples=20)
@given(st.integers(1, 2**26 - 1), st.integers(-60, 60))
def test_half_of_the_bits_are_meant_one_more_is_rounded(top, power):
    assert not rounded(math.ldexp(float(top), power))
    assert rounded(math.ldexp(float(2**26 + 1), -27 - abs(power)))


# -- numbers of 250 bits ---------------------------------------------------------------------------------------------
SMALL = st.fractions(-50, 50, max_denominator=100)


@settings(max_examples=20)
@given(SMALL, SMALL, st.integers(0, 5))
def test_arithmetic_at_250_bits_gives_the_rational_back(a, b, n):
    x, y = Precise(a), Precise(b)
    found = [x + y, x - y, x * y, x + b, a - y, -x, abs(x), x**n]
    assert [one.exact() for one in found] == [a + b, a - b, a * b, a + b, a - b, -a, abs(a), a**n]
    assert (x < y, x <= b, a >= y, x == y, x != b) == (a < b, a <= b, a >= b, a == b, a != b)
    assert (math.floor(x), math.ceil(x), int(x), round(x)) == (math.floor(a), math.ceil(a), int(a), round(a))
    assert (x % 7).exact() == a % 7
    assert x // 7 == a // 7
    if b:
        assert (x / y).exact() == (a / y).exact() == a / b


def test_rounding_at_250_bits_decides_no_tie():
    eight, two = PRECISE_MATH.log(8), PRECISE_MATH.log(2)
    assert int(eight / two) == 3
    assert PRECISE_MATH.sqrt(2) ** 2 == 2
    assert sum([Precise("0.1")] * 10, Precise(0)) == 1
    assert Enclosure(PRECISE_MATH.sqrt(9)).same(Enclosure(3))
    root = Enclosure(PRECISE_MATH.sqrt(2)).fraction()
    assert 0 < abs(root**2 - 2) < Fraction(1, 2**240)


@pytest.mark.parametrize("name", ["exp", "log", "log2", "sin", "atan", "gamma", "lgamma", "erf", "sqrt", "expm1"])
def test_functions_agree_with_those_of_math_to_rounding(name):
    for x in (0.3, 1.7, 5.5):
        assert float(getattr(PRECISE_MATH, name)(x)) == pytest.approx(getattr(math, name)(x), rel=1e-14)


def test_only_what_would_be_a_double_becomes_a_number_of_250_bits():
    assert divided(Fraction(1, 3), 2) == Fraction(1, 6)
    assert isinstance(divided(1, 3), Precise)
    assert divided(np.arange(4), 3)[1].exact() == Fraction(1, 3)
    assert type(raised(2, 3)) is int
    assert raised(Fraction(2), Fraction(1, 2)) ** 2 == 2
    assert raised(2, -2).exact() == Fraction(1, 4)
    assert np.sqrt(np.array([Precise(4)]))[0] == 2
    with limited(), pytest.raises(BudgetError):
        divided(np.ones(300_000), 3)
    for wrong in ("log", "sqrt"):
        with pytest.raises(ValueError, match="-1"):
            getattr(PRECISE_MATH, wrong)(-1)


# -- arrays in other arithmetic --------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Holder:
    """Something that holds arrays at several depths."""

    name: str
    parts: tuple


def test_arrays_are_changed_wherever_they_are_and_nothing_else_is():
    ints, thirds, halves = np.arange(3), np.arange(3) / 3, np.arange(3) / 2
    thing = Holder("a", ({"x": [ints, 5]}, thirds, halves))
    counted, halved = within(thing, whole), within(thing, single)
    assert counted.parts[0]["x"][0].dtype == object
    assert counted.parts[1] is thirds
    assert halved.parts[1].dtype == np.float32
    assert halved.parts[2] is halves  # no bit of it is lost
    assert thing.parts[0]["x"][0] is ints
    for other in (Holder("a", (1, "b")), [True, None], {"x": np.array([True])}):
        assert within(other, whole) is other
