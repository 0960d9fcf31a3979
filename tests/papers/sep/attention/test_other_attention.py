"""Attention by other rules than the softmax: summaries, thresholds, ranks of weights, and conversations."""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest
from devices import device
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import DomainError, binary_index, changed
from theorytools.papers.sep import IndexLookup
from theorytools.papers.sep.communication.table_layers import SplitLayer
from theorytools.papers.sep.communication.threshold_lookup import SparsemaxLookup, TopLookup, answers
from theorytools.papers.sep.communication.top_k_and_sparsemax import SparsemaxRule, split_rule, threshold
from theorytools.papers.sep.communication.two_way_protocol import TwoWayProtocol, conversation_bits
from theorytools.theory.communication.matrix import all_strings

PositionWeights = device("sep/question_l/_position_only_lookup").PositionWeights

RULES = [("softmax", 1), ("linear", 1), ("relu", 1), ("sigmoid", 1), ("hard", 1), ("top", 1), ("top", 3),
         ("sparsemax", 1), ("sparsemax", 3), ("sparsemax", 8)]  # fmt: skip


def drawn(seed, rule, n, p, width):
    rng = np.random.default_rng(seed)
    allowed = rule.scores(p)
    s = rng.integers(allowed.start, allowed.stop, n).tolist()
    return s, rng.integers(-(1 << p - 1), 1 << p - 1, (n, width)).tolist()


# -- rules that split --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", RULES)
@examples(40, st.integers(2, 9), st.integers(1, 3), st.integers(1, 2), st.integers(0, 2**32), st.data())
def test_summaries_of_parts_make_the_output(kind, n, p, width, seed, data):
    rule = split_rule(*kind)
    s, v = drawn(seed, rule, n, p, width)
    owner = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n).filter(lambda who: len(set(who)) > 1))
    parts = []
    for who in sorted(set(owner)):
        at = [j for j in range(n) if owner[j] == who]
        parts.append(rule.summary([s[j] for j in at], [v[j] for j in at], at))
    whole, other = rule.merged(parts[0], parts[1]), rule.merged(parts[1], parts[0])
    assert whole == other
    if len(parts) == 3:
        assert rule.merged(whole, parts[2]) == rule.merged(parts[0], rule.merged(parts[1], parts[2]))
        whole = rule.merged(whole, parts[2])
    assert whole == rule.summary(s, v, range(n))
    assert rule.output(whole) == rule.direct(s, v)


@pytest.mark.parametrize("kind", RULES)
def test_the_bits_hold_every_summary(kind):
    rule = split_rule(*kind)
    for n, p in ((1, 1), (2, 1), (3, 1), (2, 2)):
        scores, values = rule.scores(p), range(-(1 << p - 1), 1 << p - 1)
        tokens = list(itertools.product(scores, values))
        sent = {rule.summary([t[0] for t in word], [[t[1]] for t in word], range(n))
                for word in itertools.product(tokens, repeat=n)}  # fmt: skip
        assert len(sent) <= 2 ** rule.bits(n, p, 1)


@pytest.mark.parametrize("kind", RULES)
@examples(40, st.integers(1, 7), st.integers(0, 2**32))
def test_outputs_lie_where_the_rule_puts_them(kind, n, seed):
    rule = split_rule(*kind)
    s, v = drawn(seed, rule, n, 3, 1)
    out, column = rule.direct(s, v)[0], [row[0] for row in v]
    if kind[0] in ("softmax", "hard", "top", "sparsemax"):  # weights add up to 1
        assert min(column) <= out <= max(column)
        assert rule.direct(s, [[5]] * n) == (5,)
    if kind[0] == "softmax":
        assert float(out) == pytest.approx(np.average(column, weights=np.exp2(s)))
    if kind == ("sparsemax", 1):  # scores a unit apart: only maxima are kept
        assert (out,) == split_rule("hard").direct(s, v)
    if kind == ("top", 1):
        assert out == column[s.index(max(s))]


@examples(40, st.lists(st.integers(-9, 9), min_size=1, max_size=12), st.integers(1, 30))
def test_the_threshold_of_the_sparsemax(scores, R):
    t = threshold(scores, R)
    assert sum(max(x - t, F(0)) for x in scores) == R
    assert t >= max(scores) - R


def test_the_sparsemax_is_the_projection_and_needs_its_levels():
    rng = np.random.default_rng(7)
    for _ in range(50):
        s, R = rng.integers(-6, 7, 5).tolist(), int(rng.integers(1, 9))
        t = threshold(s, R)
        near = np.array([max(float(x - t), 0) for x in s]) / R
        others = rng.dirichlet(np.ones(5), 200)
        z = np.array(s) / R
        # a projection is at least as near as any point of the simplex; doubles of size below 100 round by 1e-13
        assert ((z - near) ** 2).sum() <= ((z - others) ** 2).sum(axis=1).min() + 1e-12
    rule = changed(SparsemaxRule(3), levels=1)
    s, v = [2, 1], [[1], [-1]]
    assert rule.output(rule.summary(s, v, range(2))) != rule.direct(s, v) == SparsemaxRule(3).direct(s, v)


# -- thresholds that one party sets ------------------------------------------------------------------------------------
@pytest.mark.parametrize("N", [1, 2, 3, 9, 20])
def test_the_threshold_reads_the_index(N):
    for layer in (SparsemaxLookup(N), TopLookup(N)):
        assert all(layer.combined(p).tolist() == [int(j == p) for j in range(N)] for p in range(N))
        word = np.random.default_rng(N).integers(0, 7, N).tolist()
        assert answers(layer, word) == word


def test_heads_executed_by_the_rules_themselves():
    N, word = 6, [1, 0, 1, 1, 0, 1]
    layer, top = SparsemaxLookup(N), TopLookup(N)
    for p in range(N):
        heads = [split_rule("sparsemax", layer.R).direct(layer.scores(p, h), [[x] for x in [*word, 0, 0]])[0]
                 for h in (-1, 0, 1)]  # fmt: skip
        assert (heads[0] - 2 * heads[1] + heads[2]) * layer.R == word[p]
        v = [[x] for x in [*word, *[0] * (N + 1)]]
        one, two = (split_rule("top", k).direct(top.scores(p), v)[0] * k for k in (N, N + 1))
        assert two - one == word[p]
        assert max(layer.scores(p, h)[N] for h in (-1, 0, 1)) <= layer.R + 1
        assert max(abs(x) for h in (-1, 0, 1) for x in layer.scores(p, h)) < 2**layer.bits
        # moving every head by the margin leaves the answer
        assert 4 * layer.margin < F(1, 2 * layer.R)
        assert (2 * N + 1) * top.margin < F(1, 2)


def test_summaries_tell_all_words_apart_and_wrong_layers_are_refused():
    for N in (3, 6):
        for rule in (split_rule("sparsemax", N * (N + 1) // 2), split_rule("top", N)):
            sent = {rule.summary(range(0, -N, -1), [[int(x)] for x in word], range(N)) for word in all_strings(N)}
            assert len(sent) == 2**N
        assert len({split_rule("hard").summary(range(0, -N, -1), [[int(x)] for x in w], range(N))
                    for w in all_strings(N)}) == 2  # fmt: skip
    layer = SplitLayer(split_rule("hard"), [[1, 2]] * 4, [[[-1], [1]]] * 4)
    for bad in (lambda: split_rule("entmax"), lambda: split_rule("top", 0),
                lambda: SplitLayer(split_rule("hard"), [[1, 2]] * 3, [[[1], [1]]] * 3),
                lambda: SplitLayer(split_rule("hard"), [[1, 2]] * 4, [[1, 1]] * 4), lambda: layer.message((0, 1, 1)),
                lambda: layer.executed((0, 1), (0, 2))):  # fmt: skip
        with pytest.raises(DomainError):
            bad()


# -- weights of positions ----------------------------------------------------------------------------------------------
@examples(40, st.integers(2, 6), st.integers(1, 6), st.integers(0, 2**32))
def test_dominance_is_being_right_on_all_words(N, d, seed):
    net = PositionWeights.features(*np.random.default_rng(seed).integers(-3, 4, (2, N, d)))
    words = 2 * all_strings(N) - 1
    least = min(net.answered(word, p) * int(word[p]) for word in words for p in range(N))
    assert net.dominance == least == net.answered(*net.worst())
    if least > 0:
        assert d >= N
        assert net.rank == N
    assert net.rank <= min(d, N)
    assert net.rank == np.linalg.matrix_rank(net.A.astype(float))


def test_positions_alone_have_full_rank_up_to_the_degree():
    for k in (1, 2, 4):
        net = PositionWeights.softmax(2**k, 9)
        assert (net.rank, net.dominance) == (2**k, 2 * 9**k - 10**k)
        assert PositionWeights.features(*[binary_index(2**k).signs.astype(int)] * 2).rank == k
    layer, word = IndexLookup.of("binary", 4, 3), np.array([[0, 1, 1, 0]])
    net = PositionWeights.softmax(4, 9)
    for p in range(4):
        ratio = layer.exact(word, p)[0, 0] / net.answered(1 - 2 * word[0], p)
        assert ratio == F(1, sum(net.A[p]) + 9)  # b^k = 9 for the last token; weights are scaled by b^k
    for r in range(5):
        net = PositionWeights.monomials(16, r)
        assert net.rank == sum(math.comb(4, i) for i in range(r + 1))
        assert (net.dominance > 0) == (r == 4)
    assert PositionWeights.hard(5).dominance == 1
    refuses(DomainError, lambda: PositionWeights(np.ones((2, 3), dtype=int)), lambda: PositionWeights(np.ones((2, 2))))


# -- conversations -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", [("top", 1), ("top", 4), ("top", 99), ("sparsemax", 1), ("sparsemax", 5)])
@examples(40, st.integers(1, 4), st.integers(1, 3), st.integers(1, 2), st.integers(0, 2**32))
def test_a_conversation_computes_the_layer(kind, n, p, width, seed):
    layer = SplitLayer.drawn(split_rule(*kind), n, p, width, np.random.default_rng(seed))
    talk, strings = TwoWayProtocol(layer, p), all_strings(n).tolist()
    runs = {(tuple(x), tuple(y)): talk.run(x, y) for x in strings for y in strings}
    assert all(out == layer.executed(*pair) for pair, (_, out) in runs.items())
    assert len({said for said, _ in runs.values()}) <= 2**talk.bits
    for (x, y), (u, v) in itertools.product(runs, repeat=2) if n <= 2 else []:  # transcripts are rectangles
        if runs[x, y][0] == runs[u, v][0]:
            assert runs[x, v] == runs[u, v]


def test_the_bits_of_a_conversation_and_what_has_none():
    layer = SplitLayer.drawn(split_rule("sparsemax", 6), 5, 3, 2, np.random.default_rng(0))
    assert TwoWayProtocol(layer, 3).bits == conversation_bits(5, 3, 6, 2)
    large = {name: layer.heads * conversation_bits(4096, layer.bits, getattr(layer, "R", None))
             for name, layer in (("sparsemax", SparsemaxLookup(4096)), ("top", TopLookup(4096)))}  # fmt: skip
    assert large == {"sparsemax": 3291, "top": 806}
    for rule, scores, p in (("hard", [[0, 1]] * 4, 2), ("top", [[0, 4]] * 4, 2), ("top", [[-1, 0]] * 4, 2)):
        layer = SplitLayer(split_rule(rule), scores, [[[1], [1]]] * 4)
        with pytest.raises(DomainError):
            TwoWayProtocol(layer, p)
