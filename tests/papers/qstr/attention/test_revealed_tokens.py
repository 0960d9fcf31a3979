"""Tokens that few heads reveal: rank, trace and factors of the span give one error, and it meets the bound."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools.papers.qstr.few_heads.quadratic_readout import best_error
from theorytools.papers.qstr.few_heads.visible_span import VisibleSpan
from theorytools.papers.qstr.tasks.few_heads import FewTokens


@pytest.mark.parametrize(("N", "d", "q", "H"), [(7, 4, 3, 1), (9, 6, 4, 3), (9, 2, 4, 3), (11, 1, 5, 2), (9, 5, 4, 4)])
def test_rank_and_trace_give_one_error(N, d, q, H):
    shown = VisibleSpan.random(np.random.default_rng(0), H, FewTokens(N, d, q))
    h_w, h_a = shown.dimensions
    assert shown.rank == q * h_w + d * h_a - h_w * h_a
    assert shown.residual == (q - h_a) * (d - h_w)
    assert shown.late_error().fraction() == Fraction(2 * shown.residual, q * d)


@examples(30, st.data(), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_error_factorises_and_meets_the_bound(data, d, q, H):
    # A' (x) W' is what is left, so the error is that of block-diagonal attention times 1 - h_w/d
    task = FewTokens(2 * q + 3, d, q)  # one Gaussian token is not indexed
    shown = VisibleSpan.search(data.draw, type("Point", (), {"N": task.N, "d": d, "q": q, "H": H}))
    h_w, _ = shown.dimensions
    rows = []
    for row in shown.weights:
        if np.linalg.matrix_rank(np.array([*rows, row])) > len(rows):
            rows.append(row)
    rest = best_error(rows, q).fraction() if rows else Fraction(2)
    assert shown.late_error().fraction() == rest * (1 - Fraction(h_w, d))
    floor = max(Fraction(0), 1 - Fraction(H, q)) * max(Fraction(0), 1 - Fraction(H, d))
    assert shown.late_error().fraction() >= 2 * floor
    assert shown.risk().fraction() == shown.late_error().fraction() * Fraction(task.N - task.K, task.N)


def test_a_zero_token_among_the_indexed_ones_leaves_less():
    shown = VisibleSpan.random(np.random.default_rng(1), 1, FewTokens(8, 5, 4, late=(0, 1, 2, 3)))
    assert shown.late_error().fraction() == Fraction(2 * (3 - 1) * (5 - 1), 4 * 5)  # K = 3 unknown tokens
    assert VisibleSpan((), (), FewTokens(8, 5, 2)).late_error().fraction() == 2  # no heads: Var y
