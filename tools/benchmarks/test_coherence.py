"""Exact coherence of 10^5 random sign codes of dimension 57 against the best float32 matrix product.

Products of signs are integers below 2^24, so float32 is exact.  The reference multiplies 1024 x 1024 tiles of the upper
triangle and keeps the extremes; of NumPy's product, torch's, and torch's with its faster library allowed, the fastest
is taken.  The reference runs on the first codes, the ratio is per pair.
"""

import time

import numpy as np
import pytest
import torch

from theorytools.codes import hamming as packed
from theorytools.codes.extreme_distances import extreme_distances
from theorytools.codes.families import rademacher

N, D_E, TILE = 100_000, 57, 1024
SIGNS = rademacher(N, D_E, np.random.default_rng(0)).signs
FLOATS = SIGNS.astype(np.float32)


def pairs(count):
    return count * (count - 1) // 2


def numpy_tile(a, b, diagonal):
    product = a @ b.T
    if diagonal:
        np.fill_diagonal(product, 0)
    return product.min(), product.max()


def torch_tile(precision):
    def tile(a, b, diagonal):
        before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision(precision)
        product = torch.mm(torch.from_numpy(a), torch.from_numpy(b).T)
        torch.set_float32_matmul_precision(before)
        if diagonal:
            product.fill_diagonal_(0)
        return [float(x) for x in torch.aminmax(product)]

    return tile


def by_products(tile, count):
    """Return the extreme distances of the first codes: the product of two sign vectors is d_e minus twice theirs."""
    found = [
        tile(FLOATS[i : min(i + TILE, count)], FLOATS[j : min(j + TILE, count)], i == j)
        for i in range(0, count, TILE)
        for j in range(i, count, TILE)
    ]
    least, greatest = min(a for a, _ in found), max(b for _, b in found)
    return (D_E - round(greatest)) // 2, (D_E - round(least)) // 2


@pytest.fixture(scope="module")
def best():
    torch.set_num_threads(1)
    routes = {"numpy": numpy_tile, "torch": torch_tile("highest"), "torch, medium": torch_tile("medium")}

    def seconds(name):
        by_products(routes[name], TILE)
        start = time.process_time()
        by_products(routes[name], 4 * TILE)
        return time.process_time() - start

    name = min(routes, key=seconds)
    return name, routes[name]


@pytest.fixture
def count(benchmark):
    return 20_000 if benchmark.enabled else 1_500


def test_coherence(alternate, best, count):
    name, tile = best
    size = N if count == 20_000 else count
    (near, far), _ = alternate(
        lambda: extreme_distances(packed.pack(SIGNS[:size] < 0), D_E), lambda: by_products(tile, count),
        unit="pair of codes", work=(pairs(size), pairs(count)), demand=2, N=size, d_e=D_E, product=name,
        method="pairs that share a range of coordinates, numpy.bitwise_count",
    )  # fmt: skip
    assert (near, far) == packed.extremes_of_all_pairs(packed.pack(SIGNS[:size] < 0), D_E)


def test_coherence_by_all_pairs(alternate, best, count):
    name, tile = best
    counted, multiplied = alternate(
        lambda: packed.extremes_of_all_pairs(packed.pack(SIGNS[:count] < 0), D_E), lambda: by_products(tile, count),
        unit="pair of codes", work=(pairs(count), pairs(count)), N=count, d_e=D_E, product=name,
        method="all pairs, numpy.bitwise_count",
    )  # fmt: skip
    assert counted == multiplied == extreme_distances(packed.pack(SIGNS[:count] < 0), D_E)
