"""What answers several queries, and several neighbours, by second routes: softmax in doubles, and other countings."""

from itertools import combinations, permutations, product
from math import comb

import numpy as np
import pytest
from devices import device

from theorytools.constructions.attention.layer import softmax
from theorytools.theory.memory.state_bits import state_bits

made, after, carried = device("sep/index_lookup_recurrent_lb/_cells", "made", "after", "carried")
Recall = device("sep/assoc_recall/_two_layers", "Recall")[0]


def by_softmax(net, keys, values, queries):
    """The outputs of the second layer for one input, token by token, in doubles."""
    digits = lambda x, n: 1.0 - 2 * (np.asarray(x)[..., None] >> np.arange(n) & 1)  # noqa: E731
    slots, silent = digits(np.arange(net.N), net.k), np.zeros(net.N + 1 + net.R)
    rows = [softmax(np.log(net.first) * np.r_[slots @ t, silent])[: net.N] for t in slots]
    found = np.array(rows) @ digits(keys, net.kappa)
    rounded = np.maximum(2 * found + 1, 0) - np.maximum(2 * found - 1, 0) - 1
    clipped = np.clip(rounded, -1, 1)
    shown = np.c_[digits(values, net.c), np.ones(net.N)]
    outputs = []
    for q in digits(queries, net.kappa):
        scores = np.r_[clipped @ q, net.kappa + net.null, np.zeros(net.N + net.R)]
        a = softmax(np.log(net.second) * scores)
        out = a[: net.N] @ shown
        out[-1] -= a[net.N]
        outputs.append(out)
    return np.array(outputs)


@pytest.mark.parametrize(("K", "N", "Y", "R"), [(8, 3, 4, 5), (16, 7, 3, 2), (8, 8, 2, 8)])
def test_two_layers_in_integers_are_softmax_layers_in_doubles(K, N, Y, R):
    rng = np.random.default_rng(K + N)
    net = Recall(K, N, Y, R, first=4 * (N + R - 1).bit_length(), second=16 * (K.bit_length() - 1))
    keys, values, queries = rng.permutation(K)[:N], rng.integers(Y, size=N), rng.integers(K, size=R)
    out, total, unclear = net.run(keys[None], values[None], queries[None])
    assert unclear == 0
    np.testing.assert_allclose(out[0] / total[0][:, None], by_softmax(net, keys, values, queries), atol=1e-12)


def test_the_nearest_and_farthest_keys_are_those_of_an_enumeration():
    net = Recall(16, 5, 2, 3, first=12, second=3)
    weights = sorted(9.0 ** -(i.bit_count()) for i in range(1, 16))
    for count in range(1, 16):
        assert float(net.others(count)) == pytest.approx(sum(weights[-count:]))
        assert float(net.others(count, farthest=True)) == pytest.approx(sum(weights[:count]))


@pytest.mark.parametrize(("K", "N", "Y"), [(5, 2, 3), (4, 3, 2), (6, 1, 2)])
def test_tables_are_the_words_over_values_and_absence_with_as_many_values_as_pairs(K, N, Y):
    tables = {tuple(dict(zip(keys, values, strict=True)).get(key) for key in range(K))
              for keys in permutations(range(K), N) for values in product(range(Y), repeat=N)}  # fmt: skip
    assert tables == {t for t in product([None, *range(Y)], repeat=K) if sum(v is not None for v in t) == N}
    assert len(tables) == comb(K, N) * Y**N


@pytest.mark.parametrize(("N", "h"), [(4, 1), (7, 1), (7, 2), (9, 3)])
def test_labels_are_read_back_from_majorities(N, h):
    """The order of two labels: some 2h other points, h of them ones, tell them apart."""
    rng = np.random.default_rng(N)
    for _ in range(5):
        y = rng.permutation(np.r_[np.ones(h + 1, int), np.zeros(h + 1, int), rng.integers(0, 2, N - 2 * h - 2)])
        major = {S: sum(y[list(S)]) > h for S in combinations(range(N), 2 * h + 1)}
        for i, j in permutations(range(N), 2):
            rest = [m for m in range(N) if m not in (i, j)]
            apart = any(major[tuple(sorted((*T, i)))] and not major[tuple(sorted((*T, j)))]
                        for T in combinations(rest, 2 * h))  # fmt: skip
            assert apart == (y[i] > y[j])


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_bits_counted_in_torch_are_those_of_the_formula(cell):
    for width, dtype, word in ((3, "float32", 32), (8, "bfloat16", 16)):
        state = after(made(cell, 5, width, dtype, seed=0), np.array([[1, 4, 0]]))
        assert carried(state) == state_bits(cell, width=width, bits=word)


@pytest.mark.parametrize("N", [*range(2, 34), 100])
def test_slot_0_fetches_least_clearly(N):
    net = Recall(128, N, 2, 3, first=4 * (N + 2).bit_length(), second=112)
    slots = np.arange(N)
    weights = float(net.first) ** (-2.0 * np.bitwise_count(slots[:, None] ^ slots))
    total, silent = weights.sum(axis=1), (N + 1 + net.R) * float(net.first) ** -net.k
    margins = (2 - total) / (total + silent)
    assert float(net.fetch()) == pytest.approx(margins.min())
    assert margins.argmin() == 0
