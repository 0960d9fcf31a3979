"""Two layers on a two-step look-up: enumeration, closed form, float64 and torch agree; one layer's least risk; runs."""

import itertools
import json
from fractions import Fraction as F

import numpy as np
import pytest
import torch
from devices import device
from hypothesis import strategies as st
from properties import examples

from theorytools import BudgetError, DomainError, changed
from theorytools.codes.by_family import code_of_family
from theorytools.codes.equiangular import orthonormal, simplex
from theorytools.codes.families import hadamard, rademacher
from theorytools.codes.signs import SignCode
from theorytools.codes.subcode import subcode
from theorytools.numbers import at_precision
from theorytools.papers.qstr import Experiment
from theorytools.papers.qstr.attention import two_hop
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention, least_product, two_step_temperatures
from theorytools.training.sweep import run_group, sweep

two_step = device("qstr/sweeps/_two_hop")
two_step_sweep = device("qstr/sweeps/two_step")

chained_risk, table_weights, two_step_floor, two_step_risk, unexplained = device(
    "qstr/question_e/_two_hop_risk", "chained_risk", "table_weights", "two_step_floor", "two_step_risk", "unexplained",
)  # fmt: skip

RNG = np.random.default_rng(7)


def prompts(n, N, d=2):
    return RNG.standard_normal((n, N, d)), RNG.integers(0, N, (n, N))


# -- the construction --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("code", "attained"),
    [(orthonormal(3), True), (simplex(3), True), (rademacher(3, 7, np.random.default_rng(2)), False)],
)
def test_no_pointers_leak_more_than_the_certificate(code, attained):
    net = TwoStepAttention(code, 2, 5)
    worst = max(float(net.escaped(T, i)) for T in itertools.product(range(3), repeat=3) for i in range(3))
    certified = float(net.worst_leakage())
    assert worst <= certified * (1 + 1e-12)
    if attained:
        assert worst == pytest.approx(certified, rel=1e-12)  # doubles of 64-bit enclosures


@pytest.mark.parametrize(("one", "two"), [(14, 40), (9, 25), (30, 30), (1, 40)])
def test_certificates_of_many_codes_are_bounds_without_a_table(one, two, monkeypatch):
    """They are the certificate itself where codes are equiangular, and say nothing where layer 1 leaks a half."""
    for code in (simplex(9), hadamard(16), rademacher(20, 90, np.random.default_rng(3)), code_of_family("bch", 20, 8)):
        net = TwoStepAttention(code, one, two)
        certified, bound = net.worst_leakage(), net.leakage_bound()
        leaks = net.first_leakage().certainly_lt(F(1, 2)) is not True
        assert bound.certainly_lt(certified) is not True
        assert leaks == bound.exact
        if code.coherence() == least_product(code) and not leaks:
            assert float(bound) == pytest.approx(float(certified), rel=1e-12)
        assert not isinstance(code, SignCode) or least_product(code) == F(int(code.gram().min()), code.d_e)
        with monkeypatch.context() as patch:
            patch.setattr(two_hop, "TABLE", code.N**2 - 1)
            patch.setattr(TwoStepAttention, "worst_leakage", None)
            found = net.certificate(3).value
        expected = at_precision(64, lambda net=net: 6 * net.leakage_bound())
        assert (found.low, found.high) == (expected.lower, expected.upper)
    with pytest.raises(DomainError, match="'own'"):
        changed(net, handed="own").leakage_bound()


@examples(20, st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 30))
def test_drawn_pointers_and_extremal_ones_stay_below_the_certificate(seed, one, two):
    rng = np.random.default_rng(seed)
    net = TwoStepAttention(subcode(hadamard(8), [0, 3, 4, 5, 6]), one, two)
    certified = float(net.worst_leakage())
    T = rng.integers(0, 5, 5)
    assert max(float(net.escaped(T, i)) for i in range(5)) <= certified * (1 + 1e-12)
    assert float(net.escaped(*net.extremal())) <= certified * (1 + 1e-12)


@pytest.mark.parametrize("slots", [{}, {"handed": "own"}, {"asked": "index"}])
def test_enclosures_doubles_and_torch_compute_one_function(slots):
    code = rademacher(6, 11, np.random.default_rng(1))
    net = changed(TwoStepAttention(code, F(7, 2), 8, d=2), **slots)
    X, T = prompts(3, 6)
    plain = net(X, T)
    trainable = net.module()(torch.tensor(X), torch.tensor(T)).detach().numpy()
    # a few hundred roundings of 2^-53 in scores below 10
    assert trainable == pytest.approx(plain, abs=1e-12)
    rows = np.array([[float(w) for w in net.weights(T[0], i)] for i in range(6)])
    assert rows @ X[0] == pytest.approx(plain[0], abs=1e-12)


def test_targets_are_met_and_one_layer_retrieves_one_step():
    for code in (orthonormal(8), simplex(5), hadamard(16), code_of_family("bch", 64, 8)):
        net = TwoStepAttention(code, *two_step_temperatures(code, F(1, 1000)))
        assert net.worst_leakage().certainly_le(F(1, 1000))
        share = min(F(1, 4), (1 - code.coherence()) / (2 * (1 - least_product(code))))
        # the first layer leaks at most its share: equality for equiangular codes, at 64 bits
        assert float(net.first_leakage()) <= float(share) * (1 + 1e-15)
    X, T = prompts(4, 8)
    once, twice = (np.take_along_axis(X, P[..., None], 1) for P in (T, np.take_along_axis(T, T, 1)))
    for slots, goal in (({"asked": "index"}, once), ({"handed": "own"}, once), ({}, twice)):
        net = changed(TwoStepAttention(orthonormal(8), 40, 60, d=2), **slots)
        # leaked weight below 8 exp(-40), tokens below 5
        assert net(X, T) == pytest.approx(goal, abs=1e-12)


@pytest.mark.parametrize("wrong", [{"beta_1": 0}, {"beta_2": -1}, {"d": 0}, {"codes": subcode(hadamard(8), [0, 0, 1])}])
def test_what_is_no_construction_is_refused(wrong):
    with pytest.raises(DomainError):
        TwoStepAttention(**{"codes": orthonormal(3), "beta_1": 1, "beta_2": 1, **wrong})


# -- one layer ---------------------------------------------------------------------------------------------------------
def test_what_rows_leave_unexplained_is_the_residual_of_least_squares():
    rows, rng = [[1, 2, 3, 4], [2, 4, 6, 8], [0, 1, 0, 5]], np.random.default_rng(0)
    V = np.array(rows, float)
    for s in range(4):
        e = np.eye(4)[s]
        fit = np.linalg.lstsq(V.T, e, rcond=None)[0]
        assert float(unexplained(rows, s)) == pytest.approx(np.square(e - V.T @ fit).sum(), abs=1e-12)
    assert unexplained([], 0) == 1
    w = table_weights(rng.integers(1, 50, (2, 6, 6)))
    assert sum(w([0, 1, 2, 3, 4, 5], 0)[1]) == 1


@examples(15, st.integers(0, 10**6), st.integers(1, 5), st.integers(4, 7))
def test_heads_of_one_layer_explain_their_number(seed, H, N):
    rng = np.random.default_rng(seed)
    e, T = rng.integers(1, 10**6, (H, N, N)), rng.integers(0, N, N)
    T[2] = 0
    rank = np.linalg.matrix_rank(e[:, np.arange(N), T][:, [j for j in range(N) if j not in (0, 2)]])
    assert chained_risk(table_weights(e), T, 2) == 1 - F(int(rank), N - 2)


def test_floors_of_one_layer_and_what_does_not_exist():
    e = np.random.default_rng(3).integers(1, 100, (1, 3, 3))
    assert two_step_risk(table_weights(e), 3) >= two_step_floor(3, 1) == 0
    assert two_step_floor(8, 2) == F(7, 8) * F(4, 8)
    with pytest.raises(BudgetError):
        two_step_risk(table_weights(np.ones((1, 6, 6), int)), 6)
    with pytest.raises(DomainError):
        table_weights(np.zeros((1, 3, 3), int))
    with pytest.raises(DomainError):
        chained_risk(table_weights(np.ones((1, 3, 3), int)), [0, 1, 2], 0)
    net = changed(TwoStepAttention(orthonormal(3), 1, 1), asked="index")
    for use in (net.worst_leakage, lambda: net(np.zeros((1, 3, 2)), np.zeros((1, 3), int))):
        with pytest.raises(DomainError):
            use()
    with pytest.raises(DomainError):
        two_step_temperatures(subcode(hadamard(8), [0, 0, 1]), F(1, 10))


# -- training ----------------------------------------------------------------------------------------------------------
def experiment(**changes):
    fixed = {"architecture": "merged", "N": 4, "d": 2, "d_e": 4, "width": 6, "cap": 128, "test_size": 50}
    return Experiment(**{**fixed, **changes})


@pytest.mark.parametrize(("layers", "heads"), [(1, 2), (2, 1)])
def test_the_stack_is_the_network_of_its_members(layers, heads):
    nets = two_step.Layers([experiment(heads=heads, repeat=k) for k in range(2)], layers)
    Z = torch.randn(2, 3, 4, experiment().D_e, generator=torch.Generator().manual_seed(1))
    w = {name: part.detach().double().numpy() for name, part in nets.weights.items()}
    D = experiment().D_e + 4
    for m, b in itertools.product(range(2), range(3)):
        z = np.concatenate([Z[m, b].double().numpy(), np.zeros((4, 4))], 1)
        for k in range(layers):
            added = np.zeros_like(z)
            for h in range(heads):
                W, V = (w[f"{kind}{k}"][m][:, h * D : (h + 1) * D] for kind in "WV")
                E = np.exp(z @ W @ z.T)
                added += E / E.sum(1, keepdims=True) @ z @ V
            z = z + added
        expected = (np.maximum(z @ w["hidden"][m] + w["b"][m], 0) @ w["last"][m] + w["c"][m])[:, 0]
        # float32 against float64: a few hundred roundings of 6e-8 of numbers of size 1
        assert nets.predict(Z)[m, b].detach().numpy() == pytest.approx(expected, abs=1e-4)


def test_labels_are_those_of_the_pointers():
    one = experiment()
    w = two_step.world(one)
    generator = torch.Generator().manual_seed(3)
    for steps in (1, 2):
        Z, y = two_step.prompts(one, w, generator, 5, steps)
        X, own, index = Z.split([2, 4, 4], -1)
        T = (index @ own.mT).argmax(-1)
        for b, i in itertools.product(range(5), range(4)):
            t = T[b, i] if steps == 1 else T[b, T[b, i]]
            assert float(y[b, i]) == pytest.approx(float(X[b, t] @ w.u), abs=1e-6)


def test_runs_are_determined_and_the_sweep_holds_the_arms_of_its_rule():
    own = {"kind": "two_step", "arm": "x", "layers": 2, "steps": 2, "labels": "shuffled"}
    specs = [{**experiment(repeat=k).spec(), **own} for k in range(2)]
    first, again = ([r.value for _, r in run_group(two_step.evaluate, specs)] for _ in range(2))
    assert json.dumps(first) == json.dumps(again)
    ((_, blank),) = run_group(two_step.evaluate, [{**specs[0], "labels": "none"}])
    assert blank.value["prompts"] == 0
    assert blank.value["loss"] != first[0]["loss"]
    sizes = [two_step.Layers([experiment(heads=h)], k).parameters() for k, h in ((2, 1), (1, 2), (1, 1))]
    assert sizes[0] == sizes[1] > sizes[2]
    arms = sweep("two_step").arms("published", "corrected")
    assert set(arms) == set(two_step_sweep.ARMS)
    assert {group[0]["N"] for group in arms["two heads"]} == {8, 16}
