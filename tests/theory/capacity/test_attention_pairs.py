"""Pairs of attention layers and of heads: mixed norms, products that attain them, and outputs against numpy."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import eighths, examples

from theorytools.papers.qstr.capacity.mixed_norms import MatrixProduct, conjugate, mixed_norm
from theorytools.theory.capacity.finite_covers import Composition
from theorytools.theory.capacity.perturbation.attention import AttentionPair, softmax
from theorytools.theory.capacity.perturbation.networks import NetworkPair


@examples(
    20, st.lists(st.lists(eighths, min_size=3, max_size=3), min_size=2, max_size=4), st.sampled_from([1, 2, "max"]),
    st.sampled_from([1, 2, "max"]),
)  # fmt: skip
def test_mixed_norms_agree_with_numpy(M, p, q):
    order = {1: 1, 2: 2, "max": np.inf}
    columns = np.linalg.norm(np.array(M, dtype=float), order[p], axis=0)
    assert float(mixed_norm(M, p, q)) == pytest.approx(np.linalg.norm(columns, order[q]), rel=1e-12, abs=1e-300)


def test_aligned_products_equal_scores_and_odd_choices_are_exact():
    for p, r, s in product([1, 2, "max"], repeat=3):
        M = MatrixProduct.aligned((1, 2, 2), (2, 3, 6), (1, 4, 8), p)
        assert M.norm(r, s).same(mixed_norm(M.first, r, p) * mixed_norm(M.second, conjugate(p), s))
    assert [w.fraction() for w in softmax([F(3)] * 4)] == [F(1, 4)] * 4
    pair = AttentionPair.query_only(F(1, 100))
    assert list(pair.positions) == [0]
    assert (pair.query_gap2(0), pair.query_gap2(0, transposed=False)) == (F(1, 10000), 0)
    assert Composition.ladder([0], [0, 1]).lipschitz() == 6


def test_attention_and_heads_agree_with_numpy():
    rng = np.random.default_rng(5)
    pair = NetworkPair.random(rng, m=3, H=2, D_e=2, r=F(3))
    Z = np.array(pair.attention.Z, dtype=float)
    outputs = []
    for matrices, f in ((pair.attention.first, pair.heads.first), (pair.attention.second, pair.heads.second)):
        scores = [Z @ np.array(W, dtype=float) @ Z.T for W in matrices]
        weights = [np.exp(s - s.max(1, keepdims=True)) for s in scores]
        h = np.concatenate([w / w.sum(1, keepdims=True) @ Z for w in weights], axis=1)
        rows = np.array(f.rows, dtype=float)
        outputs.append(np.maximum(h @ rows[:, :-1].T + rows[:, -1], 0) @ np.array(f.a, dtype=float))
    # ten operations on numbers below 100, in doubles
    assert float(pair.gap()) == pytest.approx(np.abs(outputs[0] - outputs[1]).max(), abs=1e-11)
    difference = np.array(pair.attention.differences(), dtype=float)
    queries = [sum(float(((W.T @ z) ** 2).sum()) for W in difference) for z in Z]
    assert [float(pair.attention.query_gap2(j)) for j in range(len(Z))] == pytest.approx(queries, rel=1e-12)
