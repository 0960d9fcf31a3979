"""What all networks share: shapes, places, exact numbers and bounds of rounding."""

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import strategies as st
from network_specimens import Shift, draw, failures
from properties import examples
from refusals import edges

from theorytools.constructions.conformance import check_network
from theorytools.constructions.network import DOUBLE, SINGLE, changed, gamma, layers_rounding, weights_rounding
from theorytools.constructions.shapes import (
    checked_numbers,
    exact_array,
    has_axes,
    in_range,
    indices,
    rationals,
    rows_of,
    shaped,
)
from theorytools.errors import DomainError

test_places = edges(
    DomainError, in_range, (("i", 3, 3), ("i", 2, 3)), (("i", -1, 3), ("i", 0, 3)), (("i", 0, 0), ("i", 0, 1))
)


ZEROS = np.zeros((2, 3))


test_shapes = edges(
    DomainError, shaped, (("x", ZEROS, 2, 4), ("x", ZEROS, 2, 3)), (("x", ZEROS, 3, 3), ("x", ZEROS, "n", 3)),
    (("x", ZEROS, 2), ("x", ZEROS, "n", "m")), (("x", ZEROS, 1, 2, 3), ("x", ZEROS[None], 1, 2, 3)),
    (("x", ZEROS, "n", 2), ("x", ZEROS, 2, "n")),
    (("x", ZEROS, "...", 2), ("x", ZEROS, "...", 3)), (("x", ZEROS, "...", 1, 2, 3), ("x", ZEROS, "...", 2, 3)),
    (("x", ZEROS[None], "...", 3, 3), ("x", ZEROS[None], "...", 2, 3)), (("x", 1.0, "n"), ("x", 1.0, "...")),
)  # fmt: skip


test_indices = edges(
    DomainError, indices, (("T", [0, 3], 3, "n"), ("T", [0, 2], 3, "n")),
    (("T", [-1, 0], 3, "n"), ("T", [0, 0], 3, "n")),
    (("T", [0.0], 3, "n"), ("T", [0], 3, "n")), (("T", [True], 3, "n"), ("T", np.array([2], dtype=np.uint8), 3, 1)),
    (("T", [[0]], 3, "n"), ("T", [[0]], 3, "n", 1)),
    (("T", np.zeros(0), 3, "n"), ("T", np.zeros(0, dtype=int), 3, "n")),
)  # fmt: skip


test_rows = edges(
    DomainError, lambda rows, length=None, **more: rows_of("X", rows, length, **more),
    (([[1], [1, 2]],), ([[1, 3], [1, 2]],)),
    (([[1], [2]], 2), ([[1], [2]], 1)), (([1, [2]],), ([[1], [2]],)),
    ({"rows": [[1]], "count": 2}, {"rows": [[1], [2]], "count": 2}),
    ({"rows": [], "count": 1}, {"rows": [], "length": 4, "count": 0}),
)  # fmt: skip


test_rationals = edges(
    DomainError, lambda values: rationals("a", values), (([1.0],), ([1],)), (([True],), ([Fraction(1, 2), 0],)),
    ((1,), ([1],)),
    (({1: 2},), ((1, 2),)), (("12",), ([],)), ((b"12",), ({3},)), (([1, 0.5],), ([1, Fraction(1, 2)],)),
)  # fmt: skip


test_exact_arrays = edges(
    DomainError, lambda values, *shape: exact_array("a", values, *shape), (([1.0], "n"), ([1], "n")),
    (([[1, 2]], "n"), ([[1, 2]], "n", 2)),
    (([True], "n"), ([np.int64(1)], "n")), (([1, 2], 1), ([1, 2], 2)),
)  # fmt: skip


test_numbers = edges(
    DomainError, lambda values, *shape: checked_numbers("x", values, *shape), (([np.inf], "n"), ([1e308], "n")),
    (([np.nan], "n"), ([0.0], "n")),
    ((["1"], "n"), ([1], "n")), (([1j], "n"), ([1.0], "n")), (([True], "n"), (np.array([1], dtype=np.uint8), "n")),
    (([1.0], 2), ([1.0, 2.0], 2)),
)  # fmt: skip


test_points = edges(
    DomainError, lambda **point: has_axes(SimpleNamespace(**point), "N", "d"), ({"N": 0, "d": 1}, {"N": 1, "d": 1}),
    ({"N": 1, "d": 0}, {"N": 3, "d": 2}), ({"N": 1}, {"N": 1, "d": 4}),
    ({"N": 1.0, "d": 1}, {"N": np.int64(1), "d": 1}),
    ({"N": True, "d": 1}, {"N": 2, "d": 1, "q": None}),
)  # fmt: skip


class Thing:
    """A construction with some fields."""

    def __init__(self, **fields):
        vars(self).update(fields)


test_twins = edges(
    DomainError, lambda what, **weights: changed(what, **weights),
    ({"what": 3}, {"what": Thing(a=1), "a": 2}),
    ({"what": Thing}, {"what": Thing(a=1)}),
    ({"what": Thing(a=1), "b": 2}, {"what": Thing(a=1, b=1), "b": 2}),
)  # fmt: skip


def test_what_is_returned_and_what_a_refusal_says():
    assert in_range("i", 2, 3) == 2
    with pytest.raises(DomainError, match=r"0 <= i <= 4.*\n.*5 places of a query") as refusal:
        in_range("i", 5, 5, "query")
    assert "the first query" in refusal.value.advice
    with pytest.raises(DomainError, match=r"x of shape \(3,\)$|x of shape \(3,\)\n"):
        shaped("x", np.zeros(2), 3)
    with pytest.raises(DomainError, match=r"x of shape \(n, 4\)\n"):
        shaped("x", ZEROS, "n", 4)
    with pytest.raises(DomainError, match="from 0 to 7") as refusal:
        indices("T", [0, 7], 7, "n")
    assert "integers from 0 to 6" in refusal.value.required
    with pytest.raises(DomainError) as refusal:
        indices("T", np.array(["a"]), 7, "n")
    assert "from" not in refusal.value.given
    with pytest.raises(DomainError, match="rows of length 2"):
        rows_of("X", [[1], [1, 2]], 2)
    with pytest.raises(DomainError, match="rows of one length"):
        rows_of("X", [[1], [1, 2]])
    array = exact_array("a", [[np.int64(3), Fraction(1, 2)]], 1, 2)
    assert array.dtype == object
    assert array.tolist() == [[3, Fraction(1, 2)]]
    assert type(array[0, 0]) is int
    assert checked_numbers("x", np.array([2], dtype=np.uint8), 1).dtype == np.float64
    assert indices("T", [[0, 1]], 2, "n", 2).tolist() == [[0, 1]]


@examples(30, st.integers(0, 20), st.integers(2, 50))
def test_gamma_bounds_so_many_relative_errors(k, p):
    u = 2.0**-p
    if k * u >= 1:
        assert gamma(k, u) == math.inf
    else:
        exact = (1 / (1 - Fraction(u))) ** k - 1
        assert exact <= Fraction(gamma(k, u)) * (1 + Fraction(1, 2**50))
        assert gamma(k, u) <= 2 * k * u or 2 * k * u > 1
    assert gamma(2**p, u) == math.inf > gamma(2**p - 1, u) == 2**p - 1


def integers_bound(W, b, size, u):
    return layers_rounding([(np.array(W), None if b is None else np.array(b))], size, u)


def test_integers_are_exact_up_to_the_first_that_a_format_lacks():
    # |3 x| + |-2 y| + 3 for moduli up to 1: 8 is a number of 3 bits, u = 1/8
    assert integers_bound([[3, -2]], [-3], 1, 1 / 8) == 0
    assert integers_bound([[3, -2]], [-4], 1, 1 / 8) > 0
    assert integers_bound([[3, -2]], None, 1.6, 1 / 8) == 0
    assert integers_bound([[3, -2]], None, 1.7, 1 / 8) > 0
    assert integers_bound([[3.0, -2.0]], [-3], 1, 1 / 8) > 0
    assert integers_bound([[3, -2]], [-3.0], 1, 1 / 8) > 0
    assert integers_bound(np.zeros((0, 2), dtype=int), None, 1, 1 / 8) == 0
    # once a sum is rounded, what follows is not exact, however small
    rounded = [(np.array([[9]]), None), (np.array([[1]]), None)]
    assert layers_rounding(rounded, 1, 1 / 8) > 0
    assert layers_rounding([(np.array([[1]]), None), (np.array([[8]]), None)], 1, 1 / 8) == 0
    assert layers_rounding([(np.array([[0.5]]), None), (np.array([[1]]), None)], 1, 1 / 8) > 0


@examples(30, st.integers(1, 3), st.integers(1, 6), st.integers(0, 2**32))
def test_layers_in_single_precision_are_within_their_bound(depth, width, seed):
    rng = np.random.default_rng(seed)
    layers = [
        (rng.standard_normal((width, width)), rng.standard_normal(width) if rng.random() < 0.7 else None)
        for _ in range(depth)
    ]
    v = rng.uniform(-2, 2, (20, width))
    wide, narrow = v, v.astype(np.float32)
    for k, (W, b) in enumerate(layers):
        relu = (lambda z: np.maximum(z, 0)) if k else (lambda z: z)
        wide = relu(wide) @ W.T + (0 if b is None else b)
        narrow = relu(narrow) @ W.astype(np.float32).T + np.float32(0 if b is None else 1) * (
            0 if b is None else b.astype(np.float32)
        )
    bound = layers_rounding(layers, 2, SINGLE)
    assert np.abs(wide - narrow).max() <= bound
    assert layers_rounding(layers, 4, SINGLE) >= bound
    # to first order proportional to the roundoff
    assert layers_rounding(layers, 2, SINGLE / 2) == pytest.approx(bound / 2, rel=1e-4)


@examples(30, st.integers(1, 6), st.integers(2, 20), st.integers(0, 2**32))
def test_softmax_weights_in_single_precision_are_within_their_bound(k, keys, seed):
    rng = np.random.default_rng(seed)
    K, q = rng.standard_normal((keys, k)), 3 * rng.standard_normal(k)

    def weights(kind):
        scores = K.astype(kind) @ q.astype(kind)
        w = np.exp(scores - scores.max())
        return (w / w.sum()).astype(np.float64)

    size = float(np.abs(K * q).sum(axis=1).max())
    bound = weights_rounding(size, k, keys, SINGLE)
    assert np.abs(weights(np.float32) - weights(np.float64)).sum() <= bound
    assert bound < weights_rounding(size + 1, k, keys, SINGLE)
    assert bound < weights_rounding(size, k + 1, keys, SINGLE)
    assert bound < weights_rounding(size, k, keys + 1, SINGLE)
    assert bound < weights_rounding(size, k, keys, SINGLE, inherited=1e-6)
    assert bound == weights_rounding(size, k, keys, SINGLE, inherited=0.0)
    # to first order an error of d in every score moves weights by d in all, and by 4 d L where L is outside one key
    moved = weights_rounding(size, k, keys, DOUBLE, inherited=1e-6) - weights_rounding(size, k, keys, DOUBLE)
    assert moved == pytest.approx(1e-6, rel=1e-4)
    small = [weights_rounding(size, k, keys, DOUBLE, inherited=x, leak=1e-3) for x in (1e-6, 0.0)]
    assert small[0] - small[1] == pytest.approx(4e-9, rel=1e-3)
    assert weights_rounding(size, k, keys, SINGLE, leak=0.25) <= bound


@examples(30, st.integers(2, 9), st.integers(0, 2**32), st.sampled_from([1e-3, 0.1, 0.5]))
def test_weights_of_moved_scores_are_within_what_the_derivative_allows(keys, seed, kappa):
    """The worst signs: all weight that one side can have; over all subsets, in doubles."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(0, 6, keys) * rng.integers(0, 2)
    weights = lambda s: np.exp(s - s.max()) / np.exp(s - s.max()).sum()  # noqa: E731
    w, largest = weights(scores), 0.0
    for signs in itertools.product((-1, 1), repeat=keys):
        largest = max(largest, np.abs(weights(scores + kappa * np.array(signs)) - w).sum())
    leak = 1 - w.max()
    found = weights_rounding(0, 1, keys, DOUBLE, inherited=kappa, leak=leak)
    assert largest <= found
    assert found <= 4 * math.exp(2 * kappa) * largest + 1e-12


def test_weights_of_hot_scores_have_no_bound_in_a_coarse_format():
    assert weights_rounding(1, 1, 2, 1 / 16) == math.inf
    assert weights_rounding(1, 1, 2, DOUBLE) < 1e-13
    assert weights_rounding(0, 1, 2, DOUBLE) > 0


X = np.array([[1, 2]])


SLACK = {"worst": (X,)}


HOLDS, ATTAINED, LIES = "certificate holds", "certificate attained", "call lies in exact"


MODULE, SINGLE_MODULE = "module equals call", "module equals call in float32"


def test_an_honest_network_has_every_property():
    assert failures(Shift(), **SLACK) == set()
    names = [prop.name for _, prop in check_network(Shift(), draw, target=lambda X: X, worst=(X,))]
    assert names == [
        MODULE, SINGLE_MODULE, LIES, HOLDS, ATTAINED, "norms", "sizes", "malformed inputs refused", "pickle",
        "safetensors",
    ]  # fmt: skip
    assert str(next(check_network(Shift(), draw))[1]) == MODULE
