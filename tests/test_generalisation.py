"""The generalisation chain: evaluator, leading terms, exact complexities, waterfall, largest predictions."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from theorytools.algebra.rigorous import Enclosure, at_precision, evaluate
from theorytools.bounds import (
    GeneralisationBound,
    Growth,
    TwoPointLabels,
    crossing,
    deviation,
    dudley,
    gaussian_excess,
    label_tail,
    leading_term,
    massart,
    one_step,
    slope,
)
from theorytools.bounds.generalisation import VARIANTS
from theorytools.bounds.truncation import Truncation
from theorytools.codes import hadamard, rademacher, simplex
from theorytools.constructions import BlockAttention, LargestPrediction
from theorytools.errors import BudgetError, DomainError, UndecidedError
from theorytools.quantities import FiniteClass, FrozenAttention, LineClass, TableClass, rademacher_complexity, waterfall
from theorytools.quantities.bound_slack import gaussian_radius
from theorytools.quantities.rademacher import expectations, quantile

quick = settings(deadline=None, derandomize=True, database=None, max_examples=20)
half = Fraction(1, 2)
small = st.fractions(-3, 3, max_denominator=4)


# -- identities: two routes to one number ---------------------------------------------------------------------
def in_doubles(variant, N, n, d, q, A, B, m, rho, s, C_x, C_y, eta):
    """The whole bound in floating point, written once more from its definition."""
    e, d_e = math.e, math.ceil(2 / rho**2 * (2 * math.log(N) + math.log(100)))
    D_e = d + (q + 1) * d_e
    r_x2 = 3 * C_x * e * d * math.log(n * N)
    r_z = math.sqrt(r_x2 + d * (1 + 1 / q))
    beta = (math.log(N) + math.log(max(2 * A * B * math.sqrt(q * r_x2) / eta - 1, 1))) / (1 - rho)
    R_F = beta * q / d * math.sqrt(q * d_e)
    tokens = 4 * math.sqrt(e) * C_x * d * max(1, math.log(N)) + d * (1 + 1 / q)
    E_2 = 2 * (A**2 * B**2 * (1 + q * tokens) + C_y * 4**s)
    far = d * (1 + 1 / q) + 2 * C_x * e * d * math.log(N * n * E_2**2)
    tau = max(4 * A**2 * B**2 * (1 + q * far), 4 * C_y * (2 * e / s * math.log(n * E_2**2)) ** s)
    hidden = math.sqrt(2 / n)
    if variant == "clipped":
        tau, hidden = 100, 40 * math.exp(-12.5) / math.sqrt(2 * math.pi) + 4 * math.erfc(5 / math.sqrt(2))
    eps = 1 / (2 * math.sqrt(tau * n))
    size = m * (q * D_e + 2) * math.log(1 + 8 * A * B * math.sqrt(1 + q * r_z**2) / eps)
    size += q * D_e**2 * math.log(1 + 4 * A * B * R_F * r_z**3 / eps)
    complexity = n**-half + tau * math.sqrt(size / (2 * n))
    if variant == "dudley":
        complexity = 4 / math.sqrt(n) + 12 * tau * math.sqrt(size / n)
    return eta**2 + 2 * complexity + 3 * tau * math.sqrt(math.log(200) / (2 * n)) + hidden


letters = st.fixed_dictionaries({
    "N": st.integers(3, 10**6), "n": st.integers(10, 10**9), "d": st.integers(1, 50), "q": st.integers(1, 12),
    "A": st.integers(1, 9), "B": st.fractions(half, 4, max_denominator=8), "m": st.integers(1, 100),
    "rho": st.fractions(Fraction(1, 8), Fraction(3, 4), max_denominator=16), "s": st.integers(1, 3),
    "C_x": st.fractions(half, 2, max_denominator=4), "C_y": st.fractions(half, 9, max_denominator=4),
    "eta": st.fractions(Fraction(1, 100), 1, max_denominator=100),
})  # fmt: skip


@quick
@given(letters, st.sampled_from(VARIANTS))
def test_the_bound_is_its_float_twin(given_letters, variant):
    bound = GeneralisationBound(**given_letters)
    twin = in_doubles(variant, **{k: float(v) for k, v in given_letters.items()})
    # some two hundred roundings of relative size 1.1e-16, powers up to 6 of the results, none of them cancelling
    assert float(bound.value(variant)) == pytest.approx(twin, rel=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_expression_and_the_chain_of_factors_agree(variant):
    n, q = sympy.Symbol("n", positive=True), sympy.Symbol("q", positive=True)
    numbers = GeneralisationBound(N=100, n=10**6, d=10, q=3)
    letters_left = replace(numbers, n=n, q=q).bound(variant)
    assert letters_left.letters == ("n", "q")
    value = numbers.value(variant)
    for expr in (letters_left.enclosure(128, n=10**6, q=3), numbers.bound(variant).enclosure(128)):
        assert abs(expr - value).certainly_le(Enclosure(Fraction(1, 10**20))) is True


def test_the_factors_are_named_once_and_the_last_is_the_sum():
    names = [factor.name for factor in GeneralisationBound(N=9, n=9, d=2, q=1).steps()]
    assert len(set(names)) == len(names)
    assert (names[0], names[-1]) == ("d_e", "bound")
    assert [f.name for f in GeneralisationBound(N=9, n=9, d=2, q=1, d_e=4).steps()] == names[1:]
    values = GeneralisationBound(N=9, n=9, d=2, q=1).values()
    total = sum((values[k] for k in ("fit", "complexity", "deviation", "hidden")), Enclosure(0))
    assert abs(total - values["bound"]).certainly_le(values["bound"] * Fraction(1, 2**45)) is True
    assert values["D_2"].same(values["q"] * values["D_e"] ** 2)


def test_forms_of_the_complexity():
    size, tau, n = sympy.symbols("size tau n", positive=True)
    step, chain = (form(lambda eps: size, tau=tau, n=n).expr for form in (one_step, dudley))
    assert sympy.simplify(step - 1 / sympy.sqrt(n) - massart(size, radius=tau / 2, n=n).expr) == 0
    assert sympy.simplify(chain - 4 / sympy.sqrt(n) - 24 * massart(size, radius=tau / sympy.sqrt(8), n=n).expr) == 0
    assert sympy.simplify(deviation(tau=tau, delta=2 * sympy.exp(-2 * n), n=n).expr - 3 * tau) == 0
    assert one_step(lambda eps: eps, tau=4, n=8, u=2).expr == 2 + 4 * sympy.sqrt(sympy.Rational(1, 32))


# -- leading terms -------------------------------------------------------------------------------------------
x = sympy.Symbol("x", positive=True)
FORMULAS = [
    (3 * x**2 + x) * sympy.log(1 + x**5) - 7, sympy.sqrt(x + 1) / (2 + 1 / x), sympy.Max(x, 3 * x - sympy.log(x), 100),
    sympy.log(x + sympy.log(x)) ** 2 / x, sympy.ceiling(2 * x + sympy.Rational(1, 3)) / x, 2 + 5 / x,
    sympy.log(7 * sympy.exp(3 * x) + x) ** 3, (x**2 + x) ** sympy.Rational(2, 3), sympy.log(3 + 1 / sympy.log(x)),
]  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS)
def test_the_leading_term_is_the_limit_of_the_quotient(formula):
    found = leading_term(formula, x)
    scale = (sympy.exp(x), x, sympy.log(x), sympy.log(sympy.log(x)))
    lead = found.coefficient * sympy.Mul(*(base**power for base, power in zip(scale, found.powers, strict=True)))
    for place, gap in ((10**4, Fraction(1, 5)), (10**40, Fraction(1, 45))):
        ratio = at_precision(300, lambda place=place: evaluate(formula / lead, {"x": Enclosure(place)}))
        # every correction here is at most of relative size 2/log x
        assert abs(ratio - 1).certainly_le(gap) is True


def test_what_the_rules_do_not_decide_is_refused():
    for formula in (x - x * sympy.log(2) / sympy.log(2) + sympy.sin(x), sympy.log(1 / x), x**x, sympy.exp(x**2),
                    1 - x, sympy.ceiling(3 + 1 / x), sympy.log(sympy.log(sympy.log(sympy.log(x))))):  # fmt: skip
        with pytest.raises(DomainError):
            leading_term(formula, x)
    with pytest.raises(DomainError):
        leading_term(sympy.Add(x, sympy.log(2) * x, -sympy.log(2) * x - x, 1, evaluate=False), x)
    with pytest.raises(DomainError):
        Growth(sympy.Integer(2), (1, 0, 0, 0)).limit  # noqa: B018
    assert Growth(sympy.Integer(2), (0, -1, 3, 0)).limit == 0


def test_growth_in_log_N_is_the_limit_that_sympy_finds():
    L = sympy.Symbol("L", positive=True)
    bound = GeneralisationBound(N=sympy.exp(L), n=L**5, d=10, q=1)
    growth = bound.growth(L)
    assert (growth["tau"].coefficient, growth["Lambda"].coefficient) == (320 * sympy.E, 6144)
    assert growth["bound"].limit == sympy.Rational(1, 100)
    assert sympy.limit(sympy.sqrt(3 * sympy.E * 10 * (L + 5 * sympy.log(L))) / sympy.sqrt(L), L, sympy.oo) == (
        growth["r_x"].coefficient
    )


# -- how many prompts ------------------------------------------------------------------------------------------
@quick
@given(letters, st.sampled_from(VARIANTS), st.sampled_from([Fraction(101, 100), Fraction(3, 2)]))
def test_the_crossing_is_certified_on_both_sides(given_letters, variant, factor):
    bound = GeneralisationBound(**given_letters)
    target = bound.floor(variant) + 1
    low, high = crossing(bound, target, variant, factor=factor)
    assert high / factor - 1 <= low < high
    assert replace(bound, n=high).value(variant).certainly_lt(evaluate(target)) is True
    assert evaluate(target).certainly_le(replace(bound, n=low).value(variant)) is True


def test_slopes_enclose_the_exponent_they_tend_to():
    bound = GeneralisationBound(N=100, n=1, d=10, q=1)
    low, high = slope(bound, "A", (10**40, 10**41), factor=Fraction(1001, 1000))
    # a power 4 times logarithms whose relative slope is at most 6/log(10^40)
    assert all(a.certainly_le(b) is True for a, b in ((Enclosure(4), low), (low, high), (high, 4 + Fraction(6, 92))))
    assert [bound.exponent(name) for name in ("A", "B", "d", "q", "m", "N", "log_N", "N d_e", "target")] == [
        4, 4, 4, 5, 1, 0, 4, 2, -2,
    ]  # fmt: skip
    assert [bound.exponent(name, "clipped") for name in ("A", "d", "q")] == [0, 2, 3]


def test_targets_and_letters_out_of_reach_are_refused():
    bound = GeneralisationBound(N=100, n=1, d=10, q=1)
    for target in (Fraction(1, 100), 10**9):  # the risk of the construction; met before log n = 5
        with pytest.raises(DomainError):
            bound.required_n(target)
    with pytest.raises(DomainError):
        bound.required_n(1, factor=1)
    for beyond in ({"N": 2}, {"A": Fraction(1, 10**4)}):  # there the bound is not proved to decrease
        with pytest.raises(DomainError):
            replace(bound, **beyond).required_n(1)
    with pytest.raises(UndecidedError):
        bound.required_n(1, factor=1 + Fraction(1, 10**30))
    for wrong in ({"n": 0}, {"delta": 1}, {"rho": 1}, {"eta": 0}, {"eps2": -1}, {"q": 0.5}, {"s": 0}):
        with pytest.raises(DomainError):
            replace(bound, **wrong)
    for wrong in ({"variant": "best"}, {"given": {"r": Enclosure(1)}}):
        with pytest.raises(DomainError):
            bound.values(**wrong)


# -- truncation ------------------------------------------------------------------------------------------------
@quick
@given(st.integers(2, 10**6), st.integers(1, 3), st.fractions(1, 40, max_denominator=3))
def test_two_point_labels_attain_their_tail_and_nothing_exceeds_their_moments(K, s, r):
    law = TwoPointLabels.sharp(K, C_y=2, s=s)
    allowed = evaluate(2 * sympy.Rational(r.numerator, r.denominator) ** s)
    if math.exp(s / 2) <= K:  # else the formula is below its range
        assert law.moment(r).certainly_lt(allowed * (1 + Fraction(1, 2**40))) is True
        assert label_tail(sympy.sqrt(law.v2), C_y=2, s=s).expr.equals(sympy.Rational(1, K))


def test_the_level_makes_both_tails_rare():
    for C_y in (1, 46, 48, 10**4):
        t = Truncation(100, 10**6, 10, 1, 1, 2, 1, C_y, 1)
        rare = 10**6 * evaluate(t.E_2) ** 2
        at_level, below = (t.tails(evaluate(t.level) * f) * rare for f in (1, Fraction(99, 100)))
        # one of them is 1 exactly; the level less one per cent makes it larger by a factor e^(log(n E_2^2)/100) > 1.2
        assert at_level.certainly_le(2) is True
        assert Enclosure(1).certainly_lt(at_level * (1 + Fraction(1, 2**40))) is True
        assert Enclosure(Fraction(12, 10)).certainly_lt(below) is True
    with pytest.raises(DomainError):
        TwoPointLabels(sympy.Integer(1), Fraction(0))


def test_the_excess_of_a_gaussian_label_has_the_right_derivative_and_limits():
    c = sympy.Symbol("c", positive=True)
    excess = gaussian_excess(c).expr
    density = sympy.exp(-(c**2) / 2) / sympy.sqrt(2 * sympy.pi)
    assert sympy.simplify(sympy.diff(excess, c) + 8 * c**2 * density) == 0  # 4 E[y² 1_{|y|>c}]
    assert sympy.limit(excess, c, 0) == 4


# -- complexities ----------------------------------------------------------------------------------------------
@quick
@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(small, min_size=n, max_size=n), min_size=1, max_size=4)))
def test_the_complexity_is_the_mean_over_signs(losses):
    n = len(losses[0])
    signs = list(itertools.product((-1, 1), repeat=n))
    sums = [[sum(s * x for s, x in zip(xi, row, strict=True)) for row in losses] for xi in signs]
    assert rademacher_complexity(losses) == Fraction(sum(map(max, sums))) / (n * len(signs))
    plain, absolute = (rademacher_complexity(losses, absolute=flag) for flag in (False, True))
    assert absolute == rademacher_complexity([*losses, *([-x for x in row] for row in losses)]) >= plain >= 0


@settings(quick, max_examples=8)
@given(st.integers(1, 4).flatmap(lambda n: st.tuples(*(st.lists(small, min_size=n, max_size=n) for _ in "zy"))))
def test_a_line_is_the_limit_of_its_points(sample):
    z, y = (tuple(column) for column in sample)
    line = LineClass(tuple(v or Fraction(1) for v in z), y, Fraction(2), Fraction(3, 2))
    thetas = [Fraction(k, 4) for k in range(-8, 9)]
    table = TableClass(tuple(tuple(t * v for v in line.z) for t in thetas), y, line.root)
    for options in ({}, {"absolute": True}, {"truncated": False}):
        steepest = 2 * line.root if options.get("truncated", True) else 2 * (2 * 3 + 3)
        # theta is within 1/8 of a point, a prediction within 3/8
        fine, coarse = line.complexity(**options), table.complexity(**options)
        assert 0 <= fine - coarse <= steepest * Fraction(3, 8)
    assert table.steepness() <= line.steepness() <= 2 * line.root
    assert line.covering_number(half) == math.ceil(4 * max(map(abs, line.z)))


def test_a_finite_class_knows_the_complexity_of_each_sample():
    model = FiniteClass(((1, 0, half), (0, 1, Fraction(1, 3))), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)))
    law = model.law(4)
    assert sum(p for p, _, _ in law) == 1
    counts = (2, 1, 1)
    rows = [[x for x, c in zip(row, counts, strict=True) for _ in range(c)] for row in model.losses]
    assert model.complexity(counts) == rademacher_complexity(rows)
    mean, complexity = expectations(law)
    assert mean <= 2 * complexity  # symmetrisation
    assert sum(p for p, s, r in law if s - 2 * r > quantile(law, Fraction(1, 20))) <= Fraction(1, 20)
    assert FiniteClass(((1, 0),), (half, half)).complexity((3, 4)) == 0


def test_enumerations_too_large_or_malformed_are_refused():
    with pytest.raises(BudgetError):
        rademacher_complexity([[1] * 17])
    with pytest.raises(BudgetError):
        rademacher_complexity([[1, Fraction(1, 10**18)]])
    with pytest.raises(BudgetError):
        FiniteClass((tuple(range(12)),), (Fraction(1, 12),) * 12).law(30)
    with pytest.raises(DomainError):
        FiniteClass(((1, 0),), (half, Fraction(1, 3)))
    with pytest.raises(DomainError):
        LineClass((Fraction(0),), (Fraction(1),), half, half)


# -- waterfall -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("code", "q"), [(hadamard(8), 1), (simplex(6), 2), (rademacher(6, 9, np.random.default_rng(0)), 3)]
)
def test_the_risk_is_that_of_the_attention_weights(code, q):
    beta, N = Fraction(7, 2), code.N
    net = BlockAttention(code, beta=beta, q=1, d=1)
    pi = net.attention(np.zeros((1, N, 1)), np.arange(N)[None, :, None])[0, 0]
    v = pi - np.eye(N)
    tuples = list(itertools.permutations(range(N), q))
    direct = np.mean([np.square(v[list(t)].sum(axis=0)).sum() / q for t in tuples])
    frozen = FrozenAttention(code, Enclosure(beta))
    # sums of at most 120 * 8 * 3 squares in doubles
    assert float(frozen.risk(q)) == pytest.approx(direct, rel=1e-12)
    assert float(frozen.leakage) == pytest.approx(float((1 - np.diag(pi)).max()), rel=1e-12)
    with pytest.raises(DomainError):
        frozen.risk(N + 1)


def test_every_step_of_the_waterfall_lowers_the_bound():
    losses = waterfall(16, 10, 2, 10**6, code=hadamard(16))
    assert all(row.before.certainly_lt(row.after) is False for row in losses.rows)
    assert all(a.after.same(b.before) for a, b in itertools.pairwise(losses.rows))
    assert abs(losses.product() / losses.total - 1).certainly_le(Fraction(1, 2**40)) is True
    with pytest.raises(DomainError):
        waterfall(16, 10, 2, 10**6, code=rademacher(16, 200, np.random.default_rng(1)))


def test_the_gaussian_radius_is_the_least_on_its_grid():
    from theorytools.bounds import GaussianTokens

    radius = gaussian_radius(3, 1000)
    square = round(float(radius) ** 2 * 64)
    failures = [GaussianTokens(3).failure(1000, Fraction(k, 64)) for k in (square - 1, square)]
    assert failures[1].certainly_le(1 / Enclosure(1000).sqrt()) is True
    assert failures[0].certainly_le(1 / Enclosure(1000).sqrt()) is False


# -- the largest prediction --------------------------------------------------------------------------------------
@quick
@given(st.sampled_from([None, hadamard(4), simplex(5)]), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3),
       st.fractions(half, 5, max_denominator=4), st.sampled_from(["tokens", "all"]), st.booleans())  # fmt: skip
def test_the_forward_pass_is_the_exact_prediction(codes, d, q, H, r_x, reads, bias):
    net = LargestPrediction(codes, d=d, q=q, H=H, r_x=r_x, R_2=7, reads=reads, bias=bias, share=Fraction(1, 3))
    assert net.predict() ** 2 == pytest.approx(float(net.squared_prediction()), rel=1e-12)  # some 100 roundings
    assert net.squared_norm() == 7
    head = net.head()
    norm = sum(float(np.square(part).sum()) for part in (head.a, head.W, head.b))
    assert norm == pytest.approx(7.0, rel=1e-13)
    limit = Fraction(49, 4) * (1 + H * (r_x**2 + d + Fraction(d, q)))
    assert net.squared_prediction() <= limit
    with pytest.raises(DomainError):
        replace(net, share=Fraction(1))
    with pytest.raises(DomainError):
        replace(net, reads="codes")
