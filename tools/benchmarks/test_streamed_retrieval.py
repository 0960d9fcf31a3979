"""One head on 10^5 codes within a certified 1e-6, against float64 attention over the same distinct queries.

All rows are asked for: a pair of two queries is compared once and serves both.  Distances are counted by NumPy, or by
the compiled route, which ``kernel`` says was there.

The reference is ``torch.nn.functional.scaled_dot_product_attention`` in float64.  Tokens are padded with zeros to the
width of the codes, which halves its time: only then torch takes its fused kernel.
"""

import math
import time
import tracemalloc

import numpy as np
import pytest
import torch
from devices import device

from theorytools import BlockAttention
from theorytools.codes.compiled import SWITCH, kernel
from theorytools.codes.families import rademacher
from theorytools.numbers import at_precision
from theorytools.papers.qstr import streamed_retrieval

HammingShells = device("qstr/lemma_11/_hamming_shells").HammingShells

GRID, TOLERANCE, D, D_E = 2**30, 1e-6, 10, 57


@pytest.fixture
def setting(benchmark):
    """The network, tokens on a dyadic grid, an index for every position, and how many rows the reference takes."""
    N, theirs = (100_000, 500) if benchmark.enabled else (2_000, 20)
    rng = np.random.default_rng(0)
    net = BlockAttention(rademacher(N, D_E, rng), beta=round(4 * math.log(N), 2), d=D)
    tokens = np.rint(rng.standard_normal((N, D)) * GRID).astype(np.int64)
    return net, tokens, rng.integers(0, N, (N, 1)), theirs


def dense(net, X, queries):
    codes = torch.from_numpy(net.codes.matrix())
    values = torch.nn.functional.pad(torch.from_numpy(X), (0, D_E - D))

    def attend(rows):
        attention = torch.nn.functional.scaled_dot_product_attention
        parts = (x[None, None] for x in (codes[queries[rows]], codes, values))
        return attention(*parts, scale=float(net.beta))[0, 0, :, :D].numpy()

    return attend


@pytest.mark.parametrize("route", ["numpy", "compiled"])
def test_streamed_retrieval(alternate, benchmark, monkeypatch, setting, route):
    monkeypatch.setenv(SWITCH, "1" if route == "compiled" else "0")
    net, tokens, T, theirs = setting
    X, attend = tokens / GRID, dense(net, tokens / GRID, T[:, 0])
    distinct = np.unique(T[:, 0], return_index=True)[1]
    np.random.default_rng(1).shuffle(distinct)
    rounds = [0]

    def rows():
        start = rounds[0] * theirs
        rounds[0] += 1
        return distinct[start : start + theirs]  # different rows in every round

    result, expected = alternate(
        lambda: streamed_retrieval(net, X, T, TOLERANCE, progress=Shown()), lambda: (chosen := rows(), attend(chosen)),
        unit="distinct query", work=(len(distinct), theirs), demand=20, rounds=3, N=net.N, d_e=D_E, d=D,
        tolerance=TOLERANCE, route=route, kernel=kernel() is not None,
    )  # fmt: skip
    chosen, rows_dense = expected
    again = result.tokens[chosen, 0]
    # float64 attention: scores below 50 err by less than 100 roundings, the means of tokens below 6 by 1e-10
    assert abs(again - rows_dense).max() <= TOLERANCE + 1e-10
    errors = [exact_error(net, tokens, T[chosen[n], 0], again[n]) for n in range(3)]
    assert all(error.certainly_le(result.cut.error) for error in errors)
    benchmark.extra_info |= {"radius": result.cut.radius, "certified_error": float(result.cut.error)}
    benchmark.extra_info |= {"observed_error_of_three": max(map(float, errors))}
    benchmark.extra_info |= {"distinct_queries": result.queries, "kept_pairs_per_query": result.kept / result.queries}
    if benchmark.enabled:
        benchmark.extra_info["seconds_all_rows"] = benchmark.extra_info["seconds_per_unit"] * result.queries
        benchmark.extra_info["peak_array_bytes"] = peak(net, X, T, result.cut)


def exact_error(net, tokens, t, computed):
    rings = HammingShells.around(net.codes, t, tokens, unit=GRID)
    return at_precision(128, lambda: rings.error(computed, net.temperature))


def peak(net, X, T, cut):
    tracemalloc.start()
    streamed_retrieval(net, X, T, cut, rows=range(2000), progress=Shown())
    bytes_ = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return bytes_


class Shown:
    """Prints the progress every few seconds."""

    def __init__(self, every=5):
        self.every, self.start, self.lines = every, time.monotonic(), 0

    def __call__(self, done, of):
        passed = time.monotonic() - self.start
        if passed >= self.every * self.lines or done == of:
            self.lines += 1
            print(f"{done} of {of} codes, {passed:.0f} s", flush=True)
