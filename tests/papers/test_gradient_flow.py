"""Gradient flow on look-ups: two other programs have the derivatives, and steps lead to no risk."""

from fractions import Fraction
from importlib import import_module
from itertools import permutations, product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from shared_verdicts import entries

from theorytools.claims.papers.loading import load
from theorytools.papers.stsq.selection.flow import SelectionFlow

part = st.fractions(Fraction(1, 9), 9, max_denominator=9)


def module(name):
    claim = load(entries()["qstr.gradient_flow"])
    return import_module(claim.measure.__module__.rpartition(".")[0] + f".{name}")


@given(N=st.integers(2, 9), odds=part, c=part)
def test_one_index_is_the_flow_of_sparse_token_selection(N, odds, c):
    heads = module("_lookup_heads").LookupHeads.equiangular(N, 1, Fraction(0), odds)
    flow, p = SelectionFlow(N, 1, 1, 1), Fraction(odds, odds + N - 1)
    assert heads.risk(c) == flow.loss(c, p)
    assert (-heads.in_scale(c), -heads.in_temperature(c)) == tuple(flow.velocity(c, p))


@given(N=st.integers(4, 6), q=st.integers(1, 3), seed=st.integers(0, 99))
def test_derivatives_are_those_of_a_program_that_draws_codes(N, q, seed):
    """Backpropagation through softmax attention, tokens by their second moments; codes of one product."""
    rng, beta, c, rho = np.random.default_rng(seed), 0.7, 1.3, 0.25
    root = np.linalg.cholesky((1 - rho) * np.eye(N) + rho)
    codes = torch.tensor(root @ np.linalg.qr(rng.normal(size=(N, N)))[0])
    W = [torch.tensor(beta * np.eye(N), requires_grad=True) for _ in range(q)]
    scale = torch.tensor(c, dtype=torch.float64, requires_grad=True)
    sums = sum(torch.softmax(codes[h] @ W[h] @ codes.T, 0) for h in range(q))
    risk = ((scale * sums - (torch.arange(N) < q).double()) ** 2).sum() / q
    risk.backward()
    heads = module("_lookup_heads").LookupHeads.equiangular(N, q, Fraction(1, 4), Fraction(np.exp(beta * (1 - rho))))
    trace = sum(float(w.grad.diagonal().sum()) for w in W)  # d_e times the multiple of I that turns leave
    assert np.allclose([risk.item(), scale.grad.item(), trace],
                       [float(heads.risk(Fraction(c))), float(heads.in_scale(Fraction(c))),
                        float(heads.in_temperature(Fraction(c)))], rtol=1e-9)  # fmt: skip


def test_steps_along_the_field_stay_in_the_region_and_leave_little_risk():
    heads, c, beta = module("_lookup_heads").LookupHeads, 0.0, 0.0
    for _ in range(300):
        now = heads.equiangular(4, 1, Fraction(0), Fraction(np.exp(beta)).limit_denominator(10**6))
        length = Fraction(c).limit_denominator(10**6)
        c, beta = c - 0.4 * float(now.in_scale(length)), beta - 0.4 * float(now.in_temperature(length))
        assert c > 0
        assert c * np.expm1(beta) < np.exp(beta) + 3
    assert now.risk(length) < Fraction(1, 50)


def trained(codes, t, reflections, steps=60, rate=0.2):
    """All entries of all W and v by backpropagation, codes turned by signed permutations; u = (3/5, 4/5)."""
    d_e, u = codes.shape[1], torch.tensor([0.6, 0.8], dtype=torch.float64)
    turns = [np.eye(d_e)[list(order)] * sign for order in permutations(range(d_e))
             for sign in product((1, -1), repeat=d_e)]  # fmt: skip
    turned = torch.tensor(np.array([codes @ Q for Q in turns if reflections or np.linalg.det(Q) > 0]))
    W = torch.zeros(len(t), d_e, d_e, dtype=torch.float64, requires_grad=True)
    v = torch.zeros(len(t), 2, dtype=torch.float64, requires_grad=True)
    label = (
        torch.outer(torch.tensor([float(j in t) for j in range(len(codes))], dtype=torch.float64), u) / len(t) ** 0.5
    )
    for _ in range(steps):
        shares = torch.softmax(torch.einsum("ghr,hrs,gjs->ghj", turned[:, t], W, turned), 2)
        risk = (torch.einsum("ghj,hk->gjk", shares, v) - label).square().sum((1, 2)).mean()
        moves = torch.autograd.grad(risk, (W, v))
        W, v = (x.detach().sub(rate * g).requires_grad_() for x, g in zip((W, v), moves, strict=True))
    return W.detach().numpy(), v.detach().numpy()


def stated(N, q, d_e, rho, steps=60, rate=0.2):
    """The two numbers, by the velocities of the statement."""
    c = beta = 0.0
    for _ in range(steps):
        k = np.exp((1 - rho) * beta)
        S = k + N - 1
        along = 2 / S**2 * ((k + q - 1) * S - c * ((k + q - 1) ** 2 + q * (N - q)))
        beta += rate * 2 * (1 - rho) / (q * d_e) * k * (N - q) / S**2 * c * (1 - c * (k - 1) / S)
        c += rate * along
    return c, beta


SIMPLEX = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(3)


@pytest.mark.parametrize(
    ("codes", "t", "rho"), [(np.eye(2), [0], 0), (np.eye(3), [2, 0], 0), (SIMPLEX, [1, 3], -1 / 3)]
)
def test_training_of_all_entries_moves_two_numbers_at_the_speeds_stated(codes, t, rho):
    W, v = trained(codes, t, reflections=True)
    c, beta = stated(len(codes), len(t), codes.shape[1], rho)
    assert np.allclose(W, beta * np.eye(codes.shape[1]), rtol=0, atol=1e-9)
    assert np.allclose(v, c / len(t) ** 0.5 * np.array([0.6, 0.8]), rtol=0, atol=1e-9)


def test_without_reflections_training_in_the_plane_turns_the_scores():
    """The statement once had rotations, which commute with each other in the plane."""
    (W,), _ = trained(np.eye(2), [0], reflections=False)
    assert abs(W[0, 1] - W[1, 0]) > 0.1
