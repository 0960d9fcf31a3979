"""Boolean functions of two strings: the two-layer network and its twins, hashes, residuals."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples

from theorytools import BudgetError, CommunicationMatrix, DomainError, changed
from theorytools.papers.sep import CodeCopy, TwoLayerBoolean
from theorytools.papers.sep.memory.residual_classes import residual_counts, symbol_order
from theorytools.papers.sep.recurrent.hashing import LinearHash, drawn_collisions, weight_collisions
from theorytools.papers.sep.tasks.boolean import (
    TASKS,
    all_pairs,
    bit_strings,
    disjointness,
    fooling_pairs,
    inner_product,
)
from theorytools.papers.sep.torch.boolean import TwoLayerModule

TWO_STRINGS = ("equality", "disjointness")


def naive_copies(net, x, y):
    """Layer 1 by its definition: inner products of codes, weights b^(score), one Fraction at a time."""
    code = [[2 * (i >> m & 1) - 1 for m in range(net.k)] for i in range(net.n)]
    r = []
    for i in range(net.n):
        scores = [sum(a * b for a, b in zip(code[i], code[j], strict=True)) + net.k for j in net.first.keys]
        weights = [Fraction(net.base) ** (s // 2) for s in scores]  # scores are even
        seen = y[: i + 1] if net.causal else y
        N = sum(w * (2 * int(a) - 1) for w, a in zip(weights, x, strict=True)) + sum(2 * int(b) - 1 for b in seen)
        r.append(N / (sum(weights) + len(seen) + (not net.causal)))
    return r


# -- the task -----------------------------------------------------------------------------------------------------
def test_tasks_and_their_fooling_pairs():
    x, y = all_pairs(1)
    assert [f(x, y).tolist() for f in TASKS.values()] == [[1, 0, 0, 1], [1, 1, 1, 0], [0, 0, 0, 1]]
    assert (disjointness(*all_pairs(4)).sum(), inner_product(*all_pairs(4)).sum()) == (3**4, 2**7 - 2**3)
    for task, n in itertools.product(TWO_STRINGS, (1, 3, 5)):
        X, Y = fooling_pairs(task, n)
        M = CommunicationMatrix.of(TASKS[task], X, Y)
        assert M.fools(np.arange(2**n), np.arange(2**n))
        assert not M.fools([0, 1], [0, 0])


@pytest.mark.parametrize(
    ("call", "error", "named"),
    [(lambda: all_pairs(11), BudgetError, "4\\^11"), (lambda: bit_strings(0), BudgetError, "0 bits"),
     (lambda: fooling_pairs("inner_product", 3), DomainError, "inner_product"),
     (lambda: TwoLayerBoolean(0), DomainError, "n = 0"), (lambda: TwoLayerBoolean(3, "majority"), DomainError, "task"),
     (lambda: TwoLayerBoolean(3, base=0), DomainError, "base = 0"),
     (lambda: TwoLayerBoolean(3, scale=-1), DomainError, "scale = -1"),
     (lambda: CodeCopy(4096).all(np.zeros(4096), np.zeros(4096)), DomainError, "n = 4096"),
     (lambda: LinearHash.random(3, 4, np.random.default_rng(0)), DomainError, "B = 4"),
     (lambda: residual_counts("equality", 9, symbol_order(9)), BudgetError, "4\\^9"),
     (lambda: residual_counts("equality", 2, [0, 1, 2, 2]), DomainError, "order")],
)  # fmt: skip
def test_refusals(call, error, named):
    with pytest.raises(error, match=named):
        call()


# -- layer 1 ------------------------------------------------------------------------------------------------------
@examples(40, st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_copies_are_those_of_the_definition(n, seed):
    rng = np.random.default_rng(seed)
    net = TwoLayerBoolean(n, causal=seed % 3 == 0)
    net = changed(net, first=changed(net.first, keys=rng.permutation(n))) if seed % 2 else net
    x, y = rng.integers(0, 2, (2, n))
    R, D = net.copies(x, y)
    found = [Fraction(int(a), int(b)) for a, b in zip(R, D, strict=True)]
    assert found == naive_copies(net, x, y) == [net.first.at(x, y, i) for i in range(n)]


@pytest.mark.parametrize("n", range(1, 41))
def test_the_worst_position_is_the_first_and_the_worst_input_opposite(n):
    net = TwoLayerBoolean(n)
    sums = net.first._weights.sum(axis=1)
    assert sums[0] == sums.max() == net.first.code_sum
    # the least copy at position i is (2 W - sums[i] - n) / (sums[i] + n + 1), decreasing in sums[i]
    assert net.first.at(*net.worst_input(), 0) == net.first.least
    closed = (1 + Fraction(1, 16 * net.k)) ** net.k + Fraction(n + 1, (16 * net.k) ** net.k)
    assert net.first.least > 2 * net.first.kept - 1 >= 2 / closed - 1 >= Fraction(3, 5)
    assert (net.first.kept == 1 / closed) is (n == 2**net.k)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_least_copy_is_the_least_of_all_inputs(n):
    net = TwoLayerBoolean(n)
    x, y = all_pairs(n)
    R, D = net.copies(x, y)
    assert min(Fraction(int(v), int(d)) for v, d in zip((R * (2 * x - 1)).min(axis=0), D, strict=True)) == (
        net.first.least
    )


def test_lower_bounds_extremes_and_residuals_of_both_orders():
    # 2 a* - 1; at n = 1 the closed form gives 13/19 = 0.684, the weight itself 7/9
    found = [round(float(2 * CodeCopy(n).kept - 1), 4) for n in (1, 2, 4, 64, 1024, 2**20)]
    assert found == [0.7778, 0.6, 0.872, 0.8794, 0.8792, 0.879]
    assert CodeCopy(2).least == Fraction(13, 20)
    net = changed(LinearHash((1, 2, 4)), second=(4, 2, 1))
    assert net.false_rejects() == 4  # x is accepted with itself iff x_1 = x_3
    assert net.false_accepts() == executed_false_accepts(net) == 4
    for n in (2, 4, 5):
        for task in TASKS:
            long, short = (residual_counts(task, n, symbol_order(n, interleaved=i)) for i in (False, True))
            x = bit_strings(n)
            assert long[n] == CommunicationMatrix.of(TASKS[task], x, x).distinct_rows == 2**n == max(long)
            assert short[1:] == [2, 2, *[4 if task == "inner_product" else 3, 2] * (n - 1)]


# -- the whole network --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("task", "n", "scale"), [*itertools.product(TASKS, (1, 2, 3, 4), (0, 2))])
def test_doubles_agree_with_enclosures_on_all_inputs(task, n, scale):
    net = TwoLayerBoolean(n, task, scale=scale)
    x, y = all_pairs(n)
    exact = [float(net.exact_output(next(iter(net.violations(a, b))))) for a, b in zip(x, y, strict=True)]
    if task == "inner_product" and scale:  # counts are rounded to integers in floats only
        exact = [e for e in exact if e == round(e)]
        assert len(exact) < 4**n
        return
    # sums of at most 9 terms in [0, 1] with exponents below 8, each operation right to 2^-53: below 100 * 2^-53
    assert np.abs(net(x, y) - exact).max() < 1e-13


def test_extremes_of_the_sharp_and_of_the_uniform_layer():
    known = {("equality", 2): 0.6011, ("equality", 4): 0.8598, ("disjointness", 2): 0.7179, ("disjointness", 4): 0.8617}
    for (task, n), value in known.items():
        top, bottom = TwoLayerBoolean(n, task).extremes()
        assert top().fraction() == 0
        assert round(float(bottom()), 4) == value
        sharp, flat = TwoLayerBoolean(n, task, scale=0), TwoLayerBoolean(n, task, scale=0, rounded=True)
        assert sharp.extremes()[1]().fraction() >= sharp.first.least / sharp.length
        assert flat.extremes()[1]().fraction() == Fraction(1, flat.length)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_inner_products_are_exact(n):
    assert TwoLayerBoolean(n, "inner_product").largest_error().fraction() == 0
    x, y = all_pairs(n)
    for dtype in (np.float64, np.float32, np.float16):
        assert (TwoLayerBoolean(n, "inner_product")(x, y, dtype) == inner_product(x, y)).all()


@pytest.mark.parametrize(("task", "n"), [*itertools.product(TASKS, (1, 2, 3, 4)), ("equality", 5)])
def test_the_module_agrees_with_the_formulas(task, n):
    x, y = all_pairs(n)
    tokens, true = torch.tensor(np.concatenate([x, y], axis=1)), TASKS[task](x, y) == 1
    for rounded, causal in itertools.product((True, False) if task != "inner_product" else (True,), (True, False)):
        net = TwoLayerBoolean(n, task, rounded=rounded, causal=causal)
        assert TwoLayerModule(net).embedding.shape == (net.length, net.width)
        for dtype in (torch.float64, torch.float16, torch.bfloat16):
            out = TwoLayerModule(net, dtype)(tokens).double().numpy()
            if dtype == torch.float64:  # at most 11 terms with exponents below 8, as above
                assert np.abs(out - net(x, y)).max() < 1e-13
            if task == "inner_product":
                assert (out == true).all()
            else:
                assert (out[true] == 0).all()
                assert (out[~true] >= 0.48).all()


@pytest.mark.parametrize("task", TWO_STRINGS)
def test_spoiled_networks_err(task):
    x, y = all_pairs(4)
    true = TASKS[task](x, y) == 1
    tokens = torch.tensor(np.concatenate([x, y], axis=1))
    net = TwoLayerBoolean(4, task)
    firsts = [changed(net.first, **weights) for weights in (
        {"keys": np.array([1, 0, 2, 3])}, {"value": 0}, {"keys": np.array([0, 0, 2, 3])})]  # fmt: skip
    for spoiled in (TwoLayerBoolean(4, task, base=1), *(changed(net, first=first) for first in firsts)):
        out = spoiled(x, y)
        assert out[true].max() >= out[~true].min(), spoiled
        assert np.abs(spoiled.module()(tokens).numpy() - out).max() < 1e-13


# -- hashes and residuals -----------------------------------------------------------------------------------------
def executed_false_accepts(net):
    x, y = all_pairs(net.n)
    return int(((net.answers(x, y) == 1) & (x != y).any(axis=-1)).sum())


@examples(30, st.integers(1, 6), st.data())
def test_false_accepts_by_states_are_those_of_all_pairs(n, data):
    vectors = tuple(data.draw(st.lists(st.integers(0, 15), min_size=n, max_size=n)))
    net = LinearHash(vectors)
    assert executed_false_accepts(net) == net.false_accepts()
    assert net.rate() == Fraction(2 ** (n - net.rank) - 1, 2**n - 1)
    assert (net.false_rejects(), net.visited()) == (0, 2**net.rank)
    pair = net.wrong_pair()
    assert (pair is None) is (net.rank == n)
    if pair is not None:
        x, y = map(np.array, pair)
        assert (x != y).any()
        assert net.answers(x, y) == 1


@pytest.mark.parametrize(("n", "p"), [(1, 3), (2, 2), (3, 1), (3, 2)])
def test_expected_collisions_are_the_mean_over_all_weights(n, p):
    drawn = [drawn_collisions(np.array(w)) for w in itertools.product(range(2**p), repeat=n)]
    assert weight_collisions(n, p) == Fraction(sum(drawn), len(drawn) * (4**n - 2**n)) <= Fraction(1, 2**p)
