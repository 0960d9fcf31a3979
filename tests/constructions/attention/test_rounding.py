"""Machine arithmetic: formats against exact rounding, the bound against every order in toy formats, refusals."""

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refused

from theorytools import BlockAttention, BudgetError, DomainError, SignCode, bch
from theorytools.codes.equiangular import orthonormal, simplex
from theorytools.codes.families import rademacher
from theorytools.constructions.attention.formats import ARITHMETICS, FORMATS, Arithmetic, Format, arithmetic, doubles
from theorytools.papers.qstr.precision.frontier import counted_code, precision_frontier
from theorytools.papers.qstr.precision.hard_prompts import some_orders, total_in_order
from theorytools.papers.qstr.precision.machine import MachineAttention
from theorytools.papers.qstr.precision.rounding import (
    MachineWeights,
    certified_error,
    nearest_exponential,
    total_error,
)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", FORMATS)
def test_casts_and_operations_round_once_to_the_nearest_number(name):
    # the second number is halfway for bfloat16 once it was rounded to float32: rounding twice would go down
    values = np.array([1 / 3, 1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-8, -5e-3, 257 / 256, 3e38, 0.0, *rng().normal(size=50)])
    cast = doubles(FORMATS[name].cast(values))
    assert [Fraction(x) for x in cast] == [FORMATS[name].nearest(Fraction(x)) for x in values]
    a, b = (FORMATS[name].cast(rng(seed).normal(size=200)) for seed in (1, 2))
    x, y = ([Fraction(v) for v in doubles(array)] for array in (a, b))
    for computed, exact in [
        (a + b, [p + q for p, q in zip(x, y, strict=True)]),
        (a * b, [p * q for p, q in zip(x, y, strict=True)]),
        (a / b, [p / q for p, q in zip(x, y, strict=True)]),
    ]:
        assert [Fraction(v) for v in doubles(computed)] == [FORMATS[name].nearest(z) for z in exact]


@pytest.mark.parametrize("how", ["float32", "bfloat16_sums"])
def test_inner_products_of_signs_are_exact_in_every_order(how):
    code, sums = rademacher(4, 250, rng()), ARITHMETICS[how].sums
    products = code.signs[0] * code.signs[1:]
    for order in some_orders(np.ones(250), 0, rng(3)):
        assert np.array_equal(doubles(total_in_order(sums.cast(products.T.astype(float)), order)), code.gram()[0, 1:])


def test_without_rounding_or_without_leakage_one_part_is_left():
    for spill in (Fraction(1, 1000), Fraction(5), Fraction(0)):
        assert total_error(77, Fraction(0), Fraction(0), Fraction(0), spill) == 2 * spill / (1 + spill)
    for how in ARITHMETICS.values():
        assert total_error(2**17, how.u, how.u_a, how.u_c, Fraction(0)) == how.u
    small = Format("paper", 3, -4)  # 2^-4 is the smallest normal number, 2^-6 the spacing below it
    assert small.nearest(Fraction(3, 128)) == Fraction(2, 64)
    assert small.nearest(Fraction(1, 200)) == 0
    assert small.nearest(Fraction(-5, 64)) == Fraction(-5, 64)
    for how in ("float64", "float32", "bfloat16_scores"):
        made = MachineWeights.of(range(0, 80, 8), 40, 30, how)
        nearest = [nearest_exponential(made.how.scores, x) for x in made.arguments]
        u = made.how.scores.unit_roundoff  # 3 units of the library and half a unit of the rounding
        assert all(abs(a - b) <= 7 * u * b for a, b in zip(made.weights, nearest, strict=True))


@pytest.mark.parametrize("how", ARITHMETICS)
def test_machine_and_network_retrieve_the_same_token_within_the_certificate(how):
    net = BlockAttention(bch(64), beta=22, q=1, d=3)
    X, T = rng().uniform(-0.5, 0.5, size=(1, 64, 3)), np.full((1, 64, 1), 9)
    head = MachineAttention(net.codes, 22, how, d=3)
    # both are within their bounds of the indexed token, whose norm is below 1; float64 of the network: 1e-13
    off = np.linalg.norm(head.retrieve(X[0], t=9) - net(X, T)[0, 0, 0])
    assert off <= float(head.certified(1)) + 2 * float(net.worst_leakage()) + 1e-13
    if how == "float64":
        assert off <= float(head.rounding_part(1)) + 1e-13


def test_spills_are_largest_sums_and_frontiers_have_holes():
    code = rademacher(40, 12, rng(4))
    head = MachineAttention(code, 9, "float32")
    table = dict(zip(head.weights.gaps, head.weights.weights, strict=True))
    K = code.gram()
    rows = [sum(table[12 - int(K[t, j])] for j in range(40) if j != t) for t in range(40)]
    assert head.spill == max(rows)
    assert rows[head.probes(1)[0]] == max(rows)
    codes = [counted_code("bch", N, rng()) for N in (8, 16, 32, 64, 4096)]
    found = precision_frontier(codes, "bfloat16_sums", "1/100", leakage="1/1000")
    assert (found.uncertified, found.missed, found.first) == ((8, 16, 4096), (), 8)
    assert precision_frontier(codes, "float32", "1/100", leakage="1/1000").first is None
    code = SignCode([[1, 1, -1], [1, 1, -1], [1, -1, 1]])
    found = precision_frontier([(code, code.gram_counts())], "float64", "1/100", leakage="1/1000")
    assert found.uncertified == (3,)
    assert found.lengths[0].certified is None


def summed(terms, form, shape, draw):
    """Add Fractions two at a time, each result rounded: left to right, right to left, or any binary tree."""
    terms = list(terms)
    while len(terms) > 1:
        i, j = {0: (0, 1), 1: (len(terms) - 2, len(terms) - 1)}.get(shape) or sorted(draw.sample(range(len(terms)), 2))
        second, first = terms.pop(j), terms.pop(i)
        terms.insert(i if shape < 2 else 0, form.nearest(first + second))
    return terms[0]


@examples(60, st.integers(2, 4), st.sampled_from([0, 0, 1, 3]), st.integers(2, 10), st.randoms(use_true_random=False))
def test_no_order_of_summation_exceeds_the_bound_in_toy_formats(p, finer, N, draw: random.Random):
    stored = Format("toy", p, -400)
    sums = Format("toy", p + finer, -400)
    scale = draw.choice([1, Fraction(1, 2), Fraction(1, 8), Fraction(1, 30)])
    weights = [Fraction(1)] + [sums.nearest(Fraction(draw.random()) * scale) for _ in range(N - 1)]
    tokens = [Fraction(draw.choice([1, -1, draw.uniform(-1, 1)])) for _ in range(N)]
    if draw.random() < 0.5:
        tokens = [Fraction(draw.uniform(0.75, 1))] + [Fraction(-1)] * (N - 1)
    order = draw.sample(range(N), N)
    Z = summed([weights[i] for i in order], sums, draw.randrange(3), draw)
    shares = [stored.nearest(sums.nearest(w / Z)) for w in weights]
    products = [shares[i] * stored.nearest(tokens[i]) for i in order]
    if draw.random() < 0.3:  # fused: products are not rounded before they are added
        total = Fraction(0)
        for product in products:
            total = sums.nearest(total + product)
    else:
        total = summed([sums.nearest(x) for x in products], sums, draw.randrange(3), draw)
    how = Arithmetic("toy", stored, sums, sums)
    bound = total_error(N, how.u, how.u_a, how.u_c, sum(weights[1:], Fraction(0)))
    assert abs(stored.nearest(total) - tokens[0]) <= bound


numbers = st.fractions(0, 3, max_denominator=50)


@examples(60, st.integers(2, 500), st.integers(3, 30), st.integers(0, 20), numbers, numbers)
def test_the_bound_grows_with_every_round_off_with_length_and_with_spill(N, p, finer, spill, more):
    u, u_a = Fraction(1, 2**p), Fraction(1, 2 ** (p + finer))
    u_c = u if finer else Fraction(0)
    base = total_error(N, u, u_a, u_c, spill)
    assert base <= total_error(N + 1, u, u_a, u_c, spill)
    assert base <= total_error(N, u, u_a, u_c, spill + more)
    assert base <= total_error(N, 2 * u, u_a, u_c, spill)
    assert base <= total_error(N, u, 2 * u_a, u_c, spill)
    assert base <= total_error(N, u, u_a, 2 * u_c, spill)


@examples(
    60, st.integers(2, 400), st.integers(8, 60), st.sampled_from([0, 16]), st.fractions(0, 100, max_denominator=9999),
)  # fmt: skip
def test_the_closed_forms_lie_above_the_bound(N, p, finer, spill):
    u, u_a = Fraction(1, 2**p), Fraction(1, 2 ** (p + finer))
    u_c = u if finer else Fraction(0)
    bound = total_error(N, u, u_a, u_c, spill)
    assert bound <= 2 * spill / (1 + spill) + 4 * u + 5 * u_c + 4 * u_a + 7 * N * u_a * (1 + N * u_a)
    assert bound <= u + 37 * (1 + N * u_a) * spill


@pytest.mark.parametrize("N", [2, 3, 17, 64])
def test_every_order_adds_every_term_once(N):
    terms = rng(N).integers(-50, 50, size=(N, 3))
    for order in some_orders(rng(N).random(N), 1, rng(5)):
        assert sorted(order[0]) == list(range(N))
        assert np.array_equal(total_in_order(terms, order), terms.sum(axis=0))


def test_arithmetics_codes_and_queries_that_are_refused():
    with pytest.raises(DomainError, match="bfloat16_sums"):
        arithmetic("float16")
    signs = np.ones((2, 257), dtype=int)
    MachineAttention(SignCode(signs[:, :256]), 1, "bfloat16_sums")
    with pytest.raises(DomainError, match="d_e <= 256"):
        MachineAttention(SignCode(signs), 1, "bfloat16_sums")
    MachineAttention(SignCode(signs), 1, "bfloat16")
    with pytest.raises(DomainError, match="at least as fine"):
        Arithmetic("mine", FORMATS["float32"], FORMATS["float32"], FORMATS["bfloat16"])
    head = MachineAttention(orthonormal(2**12), 1)
    with pytest.raises(BudgetError, match="products"):
        head.retrieve(np.broadcast_to(0.0, (2**12, 2**15)), t=0)


test_other_parameters_outside_the_model_are_refused = refused(
    DomainError, lambda: MachineAttention(simplex(8), 1), lambda: MachineAttention(bch(8), float("nan")),
    lambda: MachineAttention(bch(8), -1).certified(1), lambda: MachineAttention(bch(8), 1).certified(0),
    lambda: MachineAttention(bch(8), 1, exponentials="fast").weights,
    lambda: MachineAttention(bch(8), 1).retrieve(np.zeros((7, 1)), t=0),
    lambda: MachineAttention(bch(8), 1).retrieve(np.full((8, 1), np.nan), t=0),
    lambda: MachineAttention(bch(8), 1).retrieve(np.zeros((8, 1)), t=8),
    lambda: certified_error(1, 1, Fraction(1), arithmetic("float64"), Fraction(0)),
    lambda: certified_error(2**25, 1, Fraction(1), arithmetic("float64"), Fraction(0)),
    lambda: certified_error(8, 1, Fraction(2**61), arithmetic("float64"), Fraction(0)),
    lambda: replace(FORMATS["float64"], name="float16").cast(1.0), lambda: Format("mine", 1, -4),
    lambda: counted_code("golay", 8, rng()), lambda: precision_frontier([], "float64", 0, leakage="1/1000"),
)  # fmt: skip
