"""Streamed retrieval: within its certificate of the exact forward pass, which is attained, in bounded memory."""

import math
import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy
from devices import device

from theorytools import BlockAttention, BudgetError, CertificateError, DomainError, bch, changed
from theorytools.codes.equiangular import simplex
from theorytools.codes.families import hadamard, rademacher
from theorytools.codes.subcode import subcode
from theorytools.numbers import Enclosure, at_precision, total
from theorytools.papers.qstr.attention.streaming import near_means, packed_code, streamed_retrieval, working_bytes
from theorytools.papers.qstr.attention.truncated_attention import TruncatedAttention

HammingShells = device("qstr/lemma_11/_hamming_shells").HammingShells

LOG2 = sympy.log(2)


def prompt(net, seed=1):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((net.N, net.d)), rng.integers(0, net.N, (net.N, net.q))


def distance(net, X, T, i, h, tokens):
    """Enclose the Euclidean distance of the computed token from the exact forward pass."""
    exact = net.exact_token([[Fraction(float(x)) for x in row] for row in X], T, i, h)
    return total((Enclosure(float(a)) - b) ** 2 for a, b in zip(tokens, exact, strict=True)).sqrt()


def worst_excess(net, X, T, result, rows):
    """Return the error minus its certificate, over rows and heads: never positive."""
    errors = [
        distance(net, X, T, i, h, result.tokens[n, h]) for n, i in enumerate(rows) for h in range(len(net.wiring))
    ]
    assert all(e.certainly_le(result.cut.error) for e in errors)
    return max(map(float, errors))


CODES = {
    "random": rademacher(40, 23, np.random.default_rng(0)),
    "two words": rademacher(30, 100, np.random.default_rng(1)),
    "bch": bch(50),
    "hadamard": hadamard(16),
    "equal codes": subcode(rademacher(20, 30, np.random.default_rng(2)), [0, 0, *range(20)]),
}


@pytest.mark.parametrize("code", CODES.values(), ids=CODES)
@pytest.mark.parametrize("tolerance", [1e-2, 1e-8])
@pytest.mark.parametrize("beta", [9 * LOG2, Fraction(213, 10), Fraction(1, 10)])
def test_streamed_tokens_lie_within_their_certificate_of_the_exact_ones(code, tolerance, beta):
    net = changed(BlockAttention(simplex(code.N), beta=beta, q=2, d=3), codes=code)  # some codes are equal
    X, T = prompt(net)
    rows = [0, 7, 7, net.N - 1]
    result = streamed_retrieval(net, X, T, tolerance, rows=rows)
    assert result.tokens.shape == (4, 2, 3)
    assert result.cut.error.certainly_le(Fraction(str(tolerance)))
    at_precision(200, lambda: worst_excess(net, X, T, result, rows))


def test_streamed_and_dense_agree_and_all_heads_share_the_queries():
    net = BlockAttention(CODES["random"], beta=20, q=3, d=4, blocks=((1, 0), (0, 0), (3, 0)))
    X, T = prompt(net)
    result = streamed_retrieval(net, X, T, 1e-9)
    # the dense scores err by less than 100 u beta, hence the means by 200 u beta 2 r_x < 1e-11
    assert abs(result.tokens - net(X[None], T[None])[0]).max() <= 1e-9 + 1e-11
    assert result.queries == len({*T[:, 0], *range(40), *T[:, 2]}) == 40
    for i, t in enumerate(T[:, 2]):
        assert (result.tokens[i, 2] == result.tokens[t, 1]).all()  # its own code is that of index t


def test_the_cut_is_attained_by_equidistant_codes():
    net = BlockAttention(hadamard(64), beta=20)
    X, T = np.full((64, 1), -5.0), np.full((64, 1), 9)
    X[9] = 5
    for tolerance, radius, kept in ((1.3e-6, 31, 1), (1.29e-6, 32, 64)):
        result = streamed_retrieval(net, X, T, tolerance, rows=[0])
        assert (result.cut.radius, result.queries, result.kept) == (radius, 1, kept)
        error = at_precision(128, lambda r=result: distance(net, X, T, 0, 0, r.tokens[0, 0]))
        cut = at_precision(128, lambda r=result: r.cut.dropped(31))
        if radius == 31:
            assert (cut - error).certainly_le(result.cut.rounding)
            assert error.certainly_le(result.cut.error)
        else:
            assert error.certainly_le(result.cut.rounding)


def test_weights_are_powers_in_the_normal_range_and_cuts_are_shared():
    cut = TruncatedAttention(N=1000, d_e=40, d=1, beta=20 * LOG2, r_x=1, tolerance=1e-6)
    assert cut.weights().tolist() == [2.0**-k for k in range(cut.radius + 1)]
    net = BlockAttention(CODES["random"], beta=20, d=2)
    cut = TruncatedAttention(N=40, d_e=23, d=2, beta=20, r_x=10, tolerance=1e-6)
    X, T = prompt(net)
    assert streamed_retrieval(net, X, T, cut, rows=[3]).cut is cut
    cut = TruncatedAttention(N=2, d_e=4, d=1, beta=1496, r_x=Fraction(1, 2**10), tolerance=1e-6)
    object.__setattr__(cut, "radius", 1)  # a radius that no tolerance above the rounding asks for
    with pytest.raises(CertificateError, match="3/2"):
        cut.weights()


def test_a_code_computed_from_its_index_packs_as_its_table():
    code = bch(1000)
    assert (packed_code(code) == packed_code(code.sign_code())).all()
    net = BlockAttention(code, beta=60, d=2)
    table = replace(net, codes=code.sign_code())
    X, T = prompt(net)
    a, b = (streamed_retrieval(n, X, T, 1e-6, rows=range(50)) for n in (net, table))
    assert (a.tokens == b.tokens).all()


def test_blocks_and_tiles_change_nothing_but_the_order_of_sums(monkeypatch):
    net = BlockAttention(CODES["two words"], beta=5, d=2)
    X, T = prompt(net)
    whole = streamed_retrieval(net, X, T, 1e-9)
    monkeypatch.setattr("theorytools.papers.qstr.attention.streaming._PAIRS", 9)
    monkeypatch.setattr("theorytools.papers.qstr.attention.streaming._TILE", 21)
    monkeypatch.setattr("theorytools.codes.near.TILE_ROWS", 3)
    calls = []
    parts = streamed_retrieval(net, X, T, 1e-9, progress=lambda done, of: calls.append((done, of)))
    queries = len(np.unique(T))
    assert [done for done, _ in calls] == [*range(3, queries, 3), queries]
    assert {of for _, of in calls} == {queries}
    assert abs(whole.tokens - parts.tokens).max() <= 2 * whole.cut.rounding
    assert (whole.kept, whole.queries) == (parts.kept, queries)


@pytest.mark.parametrize(("N", "d_e", "d", "beta"), [(20_000, 49, 10, 39), (20_000, 49, 10, 0.01), (3000, 300, 50, 5)])
@pytest.mark.parametrize("pairs", [2**15, 2**19])
def test_memory_stays_within_the_stated_bytes(N, d_e, d, beta, pairs, monkeypatch):
    for name, size in (("_PAIRS", pairs), ("_TILE", pairs // 8), ("_SIGNS", pairs // 8)):
        monkeypatch.setattr(f"theorytools.papers.qstr.attention.streaming.{name}", size)
    net = BlockAttention(rademacher(N, d_e, np.random.default_rng(0)), beta=beta, d=d)
    X, T = prompt(net)
    streamed_retrieval(net, X, T, 1e-3, rows=[0])  # scipy is imported
    tracemalloc.start()
    streamed_retrieval(net, X, T, 1e-3, rows=range(100))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= working_bytes(N, d_e, d, 100, 1)


NET = BlockAttention(CODES["random"], beta=20, q=1, d=2)
X, T = prompt(NET)


def spoiled(array, value):
    copy = array.astype(np.float64) if isinstance(value, float) else array.copy()
    copy[3] = value
    return copy


@pytest.mark.parametrize(
    ("change", "match"),
    [({"net": BlockAttention(simplex(40), beta=20, d=2)}, "sign codes"),
     ({"net": replace(NET, blocks=((0, 1),))}, "key slot 0"),
     ({"X": spoiled(X, math.nan)}, "an array of finite numbers"), ({"X": X[:, :1]}, "40, 2"),
     ({"X": np.full((40, 2), 2**53 + 1)}, "integers below"),
     ({"X": np.full((40, 2), Fraction(1, 3))}, "tokens of type object"), ({"X": np.full((40, 2), 1e301)}, "2\\^1000"),
     ({"T": spoiled(T, 40)}, "integers from 0 to"), ({"T": T.astype(float)}, "integers from 0 to"),
     ({"rows": []}, "at least one integer"), ({"rows": [40]}, "integers from 0 to 39"),
     ({"rows": [0.0]}, "an integer"), ({"tolerance": 1e-15}, "more than the rounding"),
     ({"tolerance": 0}, "more than the rounding"), ({"tolerance": math.nan}, "finite"),
     ({"tolerance": TruncatedAttention(N=40, d_e=23, d=2, beta=20, r_x=1, tolerance=1e-6)}, "tokens within r_x"),
     ({"tolerance": TruncatedAttention(N=40, d_e=23, d=2, beta=10, r_x=9, tolerance=1e-6)}, "inverse temperature"),
     ({"tolerance": TruncatedAttention(N=4, d_e=23, d=2, beta=20, r_x=9, tolerance=1e-6)}, "'N': 40")],
)  # fmt: skip
def test_what_no_certificate_covers_is_refused(change, match):
    arguments = {"net": NET, "X": X, "T": T, "tolerance": 1e-6} | change
    net, tokens, tuples, tolerance = (arguments.pop(name) for name in ("net", "X", "T", "tolerance"))
    with pytest.raises(DomainError, match=match):
        streamed_retrieval(net, tokens, tuples, tolerance, **arguments)


def test_memory_is_limited_and_equal_products_give_equal_tokens():
    with pytest.raises(BudgetError, match="at most 1000000 bytes"):
        streamed_retrieval(NET, X, T, 1e-6, memory=10**6)
    keys = packed_code(CODES["random"])
    means, kept = near_means(keys, np.array([5, 7]), 23, X, np.ones(24))
    # all weights 1: the plain mean of 40 tokens of modulus below 4, 41 roundings
    assert abs(means - X.mean(axis=0)).max() <= 41 * 4 * 2.0**-53
    assert kept == 80


def test_rings_give_the_exact_forward_pass():
    for code in (CODES["random"], CODES["bch"]):
        net = BlockAttention(code, beta=20 * LOG2, d=2)
        tokens = np.random.default_rng(4).integers(-9, 10, (net.N, 2))
        T = np.full((net.N, 1), 7)
        for a, b in zip(
            HammingShells.around(code, 7, tokens, unit=4).token(net.temperature),
            net.exact_token((Fraction(1, 4) * tokens).tolist(), T, 0, 0),
            strict=True,
        ):
            assert (a - b).contains(0)
            assert float(abs(a - b)) < 1e-12  # enclosures of some 50 bits of numbers below 3


@pytest.mark.parametrize("tokens", [X, np.full((40, 2), 2**60)])
def test_rings_refuse_tokens_they_cannot_sum(tokens):
    with pytest.raises(DomainError, match="fit 64 bits"):
        HammingShells.around(CODES["random"], 0, tokens)
