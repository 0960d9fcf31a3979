"""Attention weights after training: the block, what its leakage costs, and how the networks are trained."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from devices import CHECKS, device
from hypothesis import strategies as st
from properties import examples

from theorytools import DomainError
from theorytools.codes.families import rademacher
from theorytools.constructions.attention.leakage import worst_leakage
from theorytools.numbers import float_upper
from theorytools.papers.qstr import Experiment
from theorytools.papers.qstr.attention.readout_risk import ReadoutRisk
from theorytools.papers.qstr.training import reference as plain
from theorytools.papers.qstr.training.prompts import World, draw, encode, generator
from theorytools.statistics.t_intervals import geometric_interval, mean_interval, repeat_mean
from theorytools.training.sweep import load_sweep, run_group

FIGURE_02 = load_sweep(CHECKS / "qstr/sweeps/figure_02.py")
ARMS, FixedSample, block_metrics, block_shares = device(
    "qstr/sweeps/_attention_weights", "ARMS", "FixedSample", "block_metrics", "block_shares"
)
leakage_costs, measured, evaluate, seen_attention = device(
    "qstr/sweeps/_attention_weights", "leakage_costs", "measured", "evaluate", "seen_attention"
)


TINY = Experiment(
    architecture="transformer", N=5, d=2, d_e=6, width=8, task="simple", test_size=50, weight_decay=Fraction(1, 5),
    threshold=Fraction(1, 20), dtype="float64",
)  # fmt: skip


def planted(codes, d, alpha):
    d_e = codes.shape[1]
    M = np.zeros((d + 2 * d_e, d + 2 * d_e))
    M[d + d_e :, d : d + d_e] = alpha * np.eye(d_e)
    return M


# -- the block ----------------------------------------------------------------------------------------------------
def test_a_planted_block_is_the_construction():
    """Energy and cosine 1; leakage and its cost are those of the construction at the temperature alpha / sqrt(D_e)."""
    code, d = rademacher(12, 11, np.random.default_rng(0)), 3
    codes, beta = code.signs / np.sqrt(11), 4
    found = block_metrics(planted(codes, d, beta * np.sqrt(d + 22)), codes, d)
    assert found["energy"] == 1
    assert found["transposed"] == 0
    assert found["dominance"] == np.inf
    risk = ReadoutRisk(code, beta)
    # a score is rounded to 11 products and the scale, below 40 * 2^-53 * 4; weights and costs to a few times that
    for name, exact in [("leak_max", worst_leakage(code, beta)), ("block_plain", risk.plain()),
                        ("block_rescaled", risk.rescaled()), ("block_leak", 1 - risk.mean_own_weight())]:  # fmt: skip
        assert found[name] == pytest.approx(float_upper(exact.upper), abs=1e-12)
    assert found["cosine"] == pytest.approx(1, abs=1e-14)
    gap = beta * (1 - float(code.coherence()))
    assert found["gap_min"] == pytest.approx(gap, abs=1e-12)


@examples(40, st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 5), st.floats(0.1, 9))
def test_shares_of_blocks_are_what_they_are_called(seed, d, d_e, scale):
    rng = np.random.default_rng(seed)
    M, codes = rng.standard_normal((d + 2 * d_e, d + 2 * d_e)), rademacher(4, d_e, rng).signs / np.sqrt(d_e)
    found, shares = block_metrics(M, codes, d), block_shares(M, d, d_e)
    # sums of at most 196 squares: relative error below 196 * 2^-53
    assert np.sum(shares) == pytest.approx(1, abs=1e-12)
    assert shares[2][1] == pytest.approx(found["energy"], abs=1e-12)
    assert shares[1][2] == pytest.approx(found["transposed"], abs=1e-12)
    assert block_metrics(M.T, codes, d)["energy"] == pytest.approx(found["transposed"], abs=1e-12)
    larger = block_metrics(scale * M, codes, d)
    for name in ("energy", "cosine", "dominance"):
        assert larger[name] == pytest.approx(found[name], rel=1e-11, abs=1e-12)
    assert larger["gap_min"] == pytest.approx(scale * found["gap_min"], rel=1e-11, abs=1e-12)
    # cosine and dominance say the same: cos = r / sqrt(r^2 + d_e - 1 + spread of the diagonal)
    r = found["dominance"]
    assert abs(found["cosine"]) <= abs(r) / np.sqrt(r**2 + d_e - 1) + 1e-12


@examples(40, st.integers(0, 10**6), st.integers(2, 6))
def test_costs_of_leakage_are_ordered(seed, N):
    weights = np.random.default_rng(seed).dirichlet(np.ones(N), size=7)
    own = weights[np.arange(7), np.arange(7) % N]
    cost = leakage_costs(own, weights)
    direct = np.mean([(np.square(row).sum() - 2 * w + 1) for row, w in zip(weights, own, strict=True)])
    assert cost["plain"] == pytest.approx(direct, abs=1e-14)
    assert cost["leak"] == pytest.approx(1 - own.mean(), abs=1e-14)
    # a scale for each row is at least as good as one (Cauchy-Schwarz), and the best one as any
    assert cost["floor"] <= cost["rescaled"] + 1e-14
    scales = np.linspace(0, 3, 61)
    curve = scales**2 * np.square(weights).sum(1).mean() - 2 * scales * own.mean() + 1
    assert cost["rescaled"] <= min(curve.min(), cost["naive"], cost["plain"]) + 1e-14


@pytest.mark.parametrize(
    ("M", "codes", "d"),
    [(np.ones((7, 7)), np.ones((3, 2)), 2), (np.zeros((6, 6)), np.ones((3, 2)), 2),
     (np.ones((4, 4)), np.ones((3, 1)), 2), (np.full((6, 6), np.nan), np.ones((3, 2)), 2),
     (np.ones((6, 6)), np.ones((1, 2)), 2)],
)  # fmt: skip
def test_what_has_no_block_is_refused(M, codes, d):
    with pytest.raises(DomainError):
        block_metrics(M, codes, d)


# -- networks -----------------------------------------------------------------------------------------------------
def test_attention_of_a_planted_network_is_that_of_its_block():
    world, sample = World.of(TINY), FixedSample(TINY, 8)
    module, d, d_e = sample.network(), TINY.d, TINY.d_e
    with torch.no_grad():
        for part in (module.query, module.key):
            part.weight.zero_()
            part.bias.zero_()
        module.query.weight[:d_e, d + d_e :] = 9 * torch.eye(d_e, dtype=torch.float64)
        module.key.weight[:d_e, d : d + d_e] = torch.eye(d_e, dtype=torch.float64)
    found = measured(module, TINY, world)
    assert found["energy"] == 1
    X, T, y = draw(TINY, world, generator(TINY, "test"), TINY.test_size, simple=True)
    own, weights = seen_attention(module, world.codes, (X, T, y))
    G = (world.codes @ world.codes.T).numpy() * 9 / np.sqrt(TINY.D_e)
    rows = np.exp(G) / np.exp(G).sum(1, keepdims=True)
    t = T.numpy().reshape(-1)
    # scores of size at most 9 with a few dozen roundings: below 1e-13
    assert np.abs(weights - rows[t]).max() < 1e-13
    assert np.abs(own - rows[t, t]).max() < 1e-13
    assert found["loss"] == pytest.approx(plain.evaluate(module, world.codes, (X, T, y)), rel=1e-13)


def test_epochs_are_those_of_the_plain_loop():
    """The stacked program and torch's own gradients, over two epochs with a short last batch, in float64."""
    sample = FixedSample(TINY, 150)
    trained, epochs, loss = sample.trained(2)
    module, order, losses = sample.network(), generator(TINY, "order"), []
    descent = plain.optimiser(TINY, module)
    for _ in range(2):
        losses = [0.0]
        for part in torch.randperm(150, generator=order).split(TINY.batch):
            Z = encode(sample.world.codes, sample.X[part], sample.T[part])
            losses.append(float(plain.step(module, descent, Z, sample.y[part])) * len(part))
    assert epochs == 2
    # six steps; AdamW divides gradients by their size, so roundings of 1e-16 grow to 1e-9 where gradients are tiny
    assert loss == pytest.approx(sum(losses) / 150, rel=1e-9)
    for one, other in zip(trained.parameters(), module.parameters(), strict=True):
        assert torch.allclose(one, other, rtol=0, atol=1e-8)


def trials(**changes):
    own = {"kind": "attention_weights", "samples": 100, "epochs": 2}
    return [{**TINY.spec(), **own, "arm": arm, **changes} for arm in ARMS]


def test_arms_of_a_repeat_share_weights_and_end_below_the_threshold():
    results = {spec["arm"]: result.value for spec, result in run_group(evaluate, trials())}
    assert {arm: value["epochs"] for arm, value in results.items()} == {
        "trained": 2, "shuffled labels": 2, "untrained": 0,
    }  # fmt: skip
    assert results["untrained"]["train_loss"] is None
    start = measured(FixedSample(TINY, 100).network(), TINY, World.of(TINY))
    assert {k: v for k, v in results["untrained"].items() if k not in ("epochs", "train_loss")} == start
    assert results["trained"]["energy"] != results["shuffled labels"]["energy"]
    easy = Experiment(**{**TINY.__dict__, "threshold": Fraction(100)})
    _, epochs, loss = FixedSample(easy, 100).trained(7)
    assert epochs == 1
    assert loss < 100
    assert FixedSample(easy, 100).trained(3, stop=False)[1] == 3
    for profile, cells in (("smoke", 2), ("published", 8), ("wide", 15)):
        groups = FIGURE_02.groups(profile, "corrected")
        assert [[spec["arm"] for spec in group] for group in groups] == [list(ARMS)] * cells
        assert len({(spec["N"], spec["repeat"]) for group in groups for spec in group}) == cells
    assert {group[0]["N"] for group in FIGURE_02.groups("wide", "released")} == {64, 100}  # the figure's is 100


@pytest.mark.parametrize("specs", [trials()[:2], trials()[1:] + trials(repeat=1)[:1], []])
def test_a_group_that_is_not_one_repeat_is_refused(specs):
    with pytest.raises((DomainError, StopIteration)):
        next(run_group(evaluate, specs))


# -- intervals ------------------------------------------------------------------------------------------------------
@examples(40, st.lists(st.floats(-3, 3), min_size=2, max_size=6), st.floats(0.5, 0.99))
def test_the_interval_of_a_mean_is_that_of_logarithms(values, level):
    low, high = mean_interval(values, level)
    assert low <= np.mean(values) + 1e-12
    assert high >= np.mean(values) - 1e-12
    other = geometric_interval(list(np.exp(values)), level)
    # t_1 at 0.99 is 64: deviations of at most 3 give a half-width below 200, and exp and log err by 1e-15 of that
    assert np.log(other[0]) == pytest.approx(low, abs=1e-9) or low < -300
    assert np.log(other[1]) == pytest.approx(high, abs=1e-9) or high > 300


@pytest.mark.parametrize(("values", "level"), [([1.0], 0.95), ([1.0, np.nan], 0.95), ([1.0, 2.0], 1.0)])
def test_what_has_no_interval_is_refused(values, level):
    with pytest.raises(DomainError):
        repeat_mean(values, level)
