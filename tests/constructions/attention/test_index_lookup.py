"""Index lookup: rational, float64 and torch layers agree; the worst case is the formula; refusals."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples
from refusals import refused

from theorytools import BudgetError, DomainError, SignCode, changed
from theorytools.codes.families import binary_index, rademacher
from theorytools.codes.lookup import jl_length, jl_signs, lookup_codes
from theorytools.constructions.attention.lookup_precision import (
    LookupFormat,
    PrecisionBreak,
    exact_sum,
    least_bits,
    precision_break,
    rounded_margin,
)
from theorytools.numbers import at_precision
from theorytools.papers.sep import IndexLookup
from theorytools.papers.sep.attention.lookup_margin import LookupMargin, circle_margin, explicit_scale, largest_power
from theorytools.papers.sep.tasks.index_lookup import LookupTask

# an output is a mean of N + 1 values +-1 whose weights are off by a few (score + N) 2^-52: below 1e-13 at N <= 8
CLOSE = 1e-12


def layer(code, N, b, **options):
    return IndexLookup.of(code, N, b, rng=np.random.default_rng(5), **options)


def worst(net):
    words = net.task.words()
    return min(net.margins(net(words, p), words, p).min() for p in range(net.N))


# -- every input -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("code", "N", "b", "options"),
    [("binary", 8, 5, {}), ("binary", 7, F(5, 2), {}), ("quadratic", 5, 15, {}), ("jl", 6, F(13, 10), {}),
     ("binary", 5, 4, {"symbols": 3}), ("binary", 4, 4, {"symbols": 4, "one_hot": True}), ("binary", 4, F(1, 2), {})],
)  # fmt: skip
def test_the_worst_input_of_all_is_the_formula(code, N, b, options):
    net = layer(code, N, b, **options)
    words, exact = net.task.words(), LookupMargin.of(net).worst(b)
    found = min(net.margins(net.exact(words, p), words, p).min() for p in range(N))
    assert found == exact
    assert worst(net) == pytest.approx(float(exact), abs=CLOSE)
    if exact > 0:
        for p in range(N):
            assert (net.decode(net(words, p)) == words[:, p]).all()


def test_circles_and_shared_blocks_tie_the_last_token():
    for N, b in ((2, 6), (5, 10**6), (8, 5 * 10**4)):
        weight, margin = at_precision(128, lambda N=N, b=b: circle_margin(N, b))
        assert worst(layer("circle", N, b)) == pytest.approx(float(margin), abs=CLOSE)
        assert float(weight) > 0.75
    net = layer("binary", 64, 4)
    apart, shared = (LookupMargin.of(one) for one in (net, changed(net, last_keys=net.keys)))
    assert [round(float(m.weight(4)), 3) for m in (apart, shared)] == [0.695, 0.41]
    assert [round(float(m.worst(4)), 3) for m in (apart, shared)] == [0.39, 0.23]
    assert shared.worst(4, query_value=1) < 0 < shared.worst(4)


@pytest.mark.parametrize("options", [{}, {"symbols": 5}, {"symbols": 3, "one_hot": True}])
@pytest.mark.parametrize("code", ["binary", "quadratic", "circle", "jl"])
def test_the_module_is_the_layer(code, options):
    net = layer(code, 6, 3, **options)
    words = np.random.default_rng(1).integers(0, net.symbols, (9, 6))
    p = np.arange(9) % 6
    with torch.no_grad():
        o = net.module()(torch.tensor(words), torch.tensor(p)).numpy()
    twin = np.concatenate([net(word[None], int(at)) for word, at in zip(words, p, strict=True)])
    assert o == pytest.approx(twin, abs=CLOSE)
    if net.integral:
        exact = [net.exact(word[None], int(at))[0] for word, at in zip(words, p, strict=True)]
        assert o == pytest.approx(np.array(exact, dtype=float), abs=CLOSE)


def test_a_causal_mask_changes_nothing_at_the_last_token():
    net = layer("binary", 5, 3)
    module, words, p = net.module(), torch.tensor([[0, 1, 1, 0, 1]]), torch.tensor([2])
    with torch.no_grad():
        X = module.embed(words, p)
        scores = torch.einsum("nik,njk->nij", X @ module.W_Q.T, X @ module.W_K.T)
        masked = scores.masked_fill(torch.ones(6, 6).triu(1).bool(), -math.inf)
        last = (torch.softmax(masked, dim=2) @ (X @ module.W_V.T))[:, -1]
        assert torch.allclose(last, module(words, p), rtol=0, atol=CLOSE)


# -- reference numbers -------------------------------------------------------------------------------------------------
def test_nearly_orthogonal_codes_drawn_one_after_another():
    rng = np.random.default_rng(0)
    codes = {N: SignCode(jl_signs(N, rng)) for N in (64, 256, 1024)}
    assert [code.d_e for code in codes.values()] == [jl_length(N) for N in codes] == [67, 89, 111]
    assert [round(float(code.coherence()), 3) for code in codes.values()] == [0.373, 0.416, 0.441]
    weights = [LookupMargin.of_signs(codes[N]).weight(b) for N, b in ((64, F(6, 5)), (256, F(7, 6)), (1024, F(7, 6)))]
    assert [round(float(w), 5) for w in weights[:2]] == [0.99795, 0.99860]
    assert round(float(weights[2]), 6) == 0.999789


def test_binary_codes_by_histogram_are_the_closed_form_up_to_4096():
    for N, bases in ((64, {3: 0.0621, 4: 0.3899}), (256, {3: -0.1391, 4: 0.2314, 5: 0.4614, 8: 0.7667}),
                     (1024, {4: 0.0908, 3: -0.3026}), (4096, {8: None})):  # fmt: skip
        counted, closed = LookupMargin.of_signs(binary_index(N)), LookupMargin.full_binary(N.bit_length() - 1)
        for b, reference in bases.items():
            assert counted.weight(b) == closed.weight(b)
            assert counted.worst(b) == closed.worst(b)
            assert reference is None or round(float(counted.bound(b)), 4) == reference


def test_scales_powers_breaks_and_overflow():
    """b^2 = 16 k, so the sum is (1 + 1/(16k))^k; here with b^-k by its square root in doubles."""
    found = [1 / ((1 + 1 / (16 * k)) ** k + (16 * k) ** (-k / 2)) for k in (1, 2, 3, 4)]
    assert [round(a, 3) for a in found] == [0.762, 0.913, 0.937, 0.940]
    D = (1.5 * math.log(1.5) + 0.5 * math.log(0.5)) / 2
    assert (round(D, 4), round(2 / D, 1)) == (0.1308, 15.3)
    assert [largest_power(b) for b in (2, 3, 4, 5, 8)] == [3, 6, 11, 17, 44]
    assert [largest_power(b, by_bound=True) for b in (F(3, 2), 2)] == [0, 2]
    assert [rounded_margin("quadratic", N, "bfloat16") > 0 for N in (13, 14, 15, 16)] == [False, False, True, True]
    assert [rounded_margin("circle", N, "float16") > 0 for N in (133, 144, 161)] == [False, False, True]
    assert rounded_margin("quadratic", 300, "float16") == -1  # 300^2 exceeds 65504
    assert least_bits("jl", 20, rng=np.random.default_rng(3)) == least_bits("jl", 20, rng=np.random.default_rng(3)) == 2


def test_mean_field_of_random_signs():
    """The mean weight is near 1/(1 + (N - 1) ((1 + b^-2)/2)^k); the reference has four digits."""
    rng = np.random.default_rng(0)
    for N, k, beta, reference in ((256, 89, 0.15, 0.9989), (1024, 111, 0.12, 0.9963)):
        b = F(math.exp(beta)).limit_denominator(1000)  # within 1e-6, which moves the weight by less than 1e-5
        predicted = 1 / (1 + (N - 1) * ((1 + float(b) ** -2) / 2) ** k)
        assert round(predicted, 4) == pytest.approx(reference, abs=1.01e-4)
        sums = LookupMargin.of_signs(rademacher(N, k, rng)).sums(b)
        assert np.mean([float(1 / (1 + off + last)) for off, last in sums]) == pytest.approx(predicted, abs=2e-4)


@pytest.mark.parametrize(("N", "least", "k"), [(64, 32, 40), (256, 52, 60), (1024, 80, 83)])
def test_shortest_random_signs_that_succeed_for_half_of_twenty_seeds(N, least, k):
    """Not monotone: at N = 64, k = 41 none of the twenty succeeds."""

    def successes(k):
        return sum(2 * rademacher(N, k, np.random.default_rng(seed)).coherence() <= 1 for seed in range(20))

    assert successes(k) >= 10
    assert all(successes(shorter) < 10 for shorter in range(least, k))


# -- precision ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("code", "form", "first"),
    [("quadratic", "bfloat16", 13), ("quadratic", "float16", 42), ("circle", "bfloat16", 47),
     ("circle", "float16", 133)],
)  # fmt: skip
def test_first_length_of_all_that_breaks(code, form, first):
    good = range(4, first)
    assert precision_break(code, good, form) == PrecisionBreak(first - 1, None)
    assert rounded_margin(code, first, form) <= 0


def test_formats_round_once_and_to_even():
    x = np.array([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-40, -3.0, 0.0])  # halves of a unit, and just above
    assert LookupFormat("bfloat16").rounded(x).tolist() == [1, 1 + 2**-6, 1 + 2**-7, -3, 0]
    assert LookupFormat("bfloat16").rounded(x[:2].astype(np.float32)).tolist() == [1, 1 + 2**-6]
    assert LookupFormat("bits", 8).rounded(x).tolist() == [1, 1 + 2**-6, 1 + 2**-7, -3, 0]
    values = np.random.default_rng(2).standard_normal(1000).astype(np.float32) * np.float32(1e3)
    assert (torch.tensor(values).bfloat16().float().numpy() == LookupFormat("bfloat16").rounded(values)).all()


@examples(30, st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_exact_sum(numbers):
    assert exact_sum(np.array(numbers)) == sum(map(F, numbers))


@examples(40, st.integers(2, 200), st.sampled_from(["binary", "quadratic", "jl"]))
def test_the_explicit_scale_is_enough_and_nearly_least(N, code):
    k = {"binary": (N - 1).bit_length(), "quadratic": 2, "jl": jl_length(N)}[code]
    power = {"binary": min(2, k), "quadratic": 1, "jl": -(-k // 2)}[code]
    b = explicit_scale(code, N, k)
    assert (b - F(1, 64)) ** power < 3 * N <= b**power


test_refusals = refused(
    DomainError, lambda: LookupTask(0), lambda: LookupTask(3, 1), lambda: LookupTask(3).answers([[0, 1]], [0]),
    lambda: LookupTask(3).answers([[0, 1, 2]], [0]), lambda: LookupTask(3).answers([[0, 1, 1]], [3]),
    lambda: LookupTask(3).answers([[0, 1, 1]], [0, 1]), lambda: layer("binary", 4, 2).answers([[0, 1, 1]], [0]),
    lambda: layer("binary", 4, 2, symbols=2)([[0, 1, 2, 0]], 0), lambda: layer("binary", 4, 0),
    lambda: layer("binary", 4, math.nan), lambda: layer("gray", 4, 2), lambda: lookup_codes("jl", 4),
    lambda: lookup_codes("binary", 4, length=3), lambda: layer("binary", 1, 2),
    lambda: layer("circle", 4, 2).exact([[0, 1, 1, 0]], 0), lambda: LookupMargin.of(layer("circle", 4, 2)),
    lambda: IndexLookup(np.ones((3, 2)), np.ones((3, 1)), 2),
    lambda: IndexLookup(np.full((3, 2), np.nan), np.ones((3, 2)), 2), lambda: largest_power(1),
    lambda: circle_margin(1, 2), lambda: explicit_scale("circle", 4, 2), lambda: LookupFormat("float8"),
    lambda: LookupFormat("float16", 12), lambda: LookupFormat("bits", 1),
)  # fmt: skip


test_what_is_too_large_is_refused = refused(
    BudgetError, lambda: LookupTask(21).words(), lambda: LookupMargin.full_binary(4).worst(F(10**9, 7) ** 40000),
    lambda: LookupMargin.of(layer("binary", 5000, 2)), lambda: rounded_margin("binary", 20000, "float32"),
    lambda: jl_signs(64, np.random.default_rng(0), length=8),
)  # fmt: skip
