"""Boxes hold the states: those that weights define as real numbers, and those that a module computes in its floats."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from trained_specimens import drawn_cell

from theorytools import CertificateError, DomainError, certify_states
from theorytools.numbers import Enclosure
from theorytools.numbers.boxes import Box, exact
from theorytools.trained.recurrent import GATES, Boxes, TrainedCell, bounded, separated, sets_of
from theorytools.trained.running import RunningCell
from theorytools.training.networks import Recurrent

SEEDS = st.integers(0, 10**6)
KINDS = st.sampled_from(sorted(GATES))
TYPES = st.sampled_from([torch.float64, torch.float32, torch.bfloat16, torch.float16])


def states_in_boxes(cell, X, own=False, rad=0.0):
    T, boxes = np.zeros((X.shape[1], cell.q), dtype=np.int64), Boxes(cell, own)
    return boxes.after(boxes.start(len(X)), [Box(x, np.full_like(x, rad)) for x in X.swapaxes(0, 1)], cell.given(T))


def holds(box, states):
    return bool((np.abs(states - box.mid) <= box.rad).all())


def signs(seed, *shape):
    return np.random.default_rng(seed).choice([-1.0, 1.0], shape)


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, kind=KINDS, dtype=TYPES, size=st.sampled_from([0.3, 1.0, 2.5]), m=st.integers(1, 8))
def test_what_a_module_computes_lies_in_its_boxes(seed, kind, dtype, size, m):
    module = drawn_cell(kind, seed, 3, 5, size, dtype)
    cell, X = TrainedCell.of(module), signs(seed, 20, m, 3)
    states = RunningCell.of(cell, module).states(X, np.zeros((m, 0), dtype=np.int64))
    assert states.shape == (20, cell.size)
    assert not np.isfinite(states).all() or holds(states_in_boxes(cell, X, own=True), states)


def real_state(cell, tokens):
    """The state of one prompt by enclosures, written out from the definition."""

    def logistic(x):
        return 1 / (1 + (-x).exp())

    def tanh(x):
        return 1 - 2 / (1 + (2 * x).exp())

    def affine(W, b, v):
        return [sum((Enclosure(float(w)) * x for w, x in zip(row, v, strict=True)), Enclosure(float(c)))
                for row, c in zip(W, b, strict=True)]  # fmt: skip

    n, h = cell.width, [Enclosure(0)] * cell.width
    c = list(h)
    for token in tokens:
        i = affine(cell.W_ih, cell.bias[0], [Enclosure(float(x)) for x in token])
        k = affine(cell.W_hh, cell.bias[1], h)
        if cell.kind == "gru":
            r, z = ([logistic(i[j * n + a] + k[j * n + a]) for a in range(n)] for j in (0, 1))
            h = [(1 - z[a]) * tanh(i[2 * n + a] + r[a] * k[2 * n + a]) + z[a] * h[a] for a in range(n)]
        elif cell.kind == "lstm":
            g = [a + b for a, b in zip(i, k, strict=True)]
            c = [logistic(g[n + a]) * c[a] + logistic(g[a]) * tanh(g[2 * n + a]) for a in range(n)]
            h = [logistic(g[3 * n + a]) * tanh(c[a]) for a in range(n)]
        else:
            h = [a + b for a, b in zip(i, k, strict=True)]
            h = [tanh(x) if cell.kind == "tanh" else x if x.lower >= 0 else Enclosure(0) for x in h]
    return h + c if cell.kind == "lstm" else h


def outside(box, states):
    """The coordinates of one real state that are certainly not in the box."""
    ends = zip(box.low[0], box.high[0], states, strict=True)
    return [k for k, (low, high, x) in enumerate(ends)
            if not (Enclosure(float(low)).certainly_le(x) and x.certainly_le(float(high)))]  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, kind=KINDS, dtype=st.sampled_from([torch.float64, torch.bfloat16]), m=st.integers(1, 3))
def test_what_weights_define_lies_in_the_boxes_and_not_in_their_middles(seed, kind, dtype, m):
    cell, X = TrainedCell.of(drawn_cell(kind, seed, 2, 2, 1.0, dtype)), signs(seed, 1, m, 2)
    box, true = states_in_boxes(cell, X), real_state(cell, X[0])
    assert outside(box, true) == []
    assert np.max(box.rad) < 1e-12  # it is an enclosure of something, not a bound of everything
    if kind != "relu":  # a spoiled one: no radius
        assert outside(dataclasses.replace(box, rad=np.zeros_like(box.rad)), true)


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS)
def test_a_sum_that_cancels_is_within_the_rounding_of_its_terms(seed):
    rng = np.random.default_rng(seed)
    W, x = rng.standard_normal((5, 60)), rng.choice([-1.0, 1.0], 60)
    weights = {"cell.weight_ih": W, "cell.weight_hh": np.zeros((5, 5)), "cell.bias_ih": 1e-3 - W @ x}
    cell = TrainedCell.of({**weights, "cell.bias_hh": np.zeros(5)})
    box = states_in_boxes(cell, x[None, None])
    rows = zip(W, cell.bias[0], strict=True)
    true = [sum((Fraction(w) * Fraction(s) for w, s in zip(row, x, strict=True)), Fraction(b)) for row, b in rows]
    assert outside(box, [Enclosure(value) for value in true]) == []
    assert max(box.rad[0]) < 1e-11
    ours = box.rad[0] / 2**20  # spoiled: nearly no rounding
    assert outside(Box(box.mid, ours[None]), [Enclosure(value) for value in true])


@settings(max_examples=12, deadline=None)
@given(seed=SEEDS, dtype=TYPES)
def test_products_and_means_are_within_their_rounding(seed, dtype):
    """Exactly, and as a module stores them: z h, and n + z (h - n) with a rounding at each step."""
    rng = np.random.default_rng(seed)
    cell = TrainedCell.of(drawn_cell("gru", 0, 1, 1, dtype=dtype))
    z, new, old = (torch.tensor(rng.uniform(low, 1, 30)).to(dtype) for low in (0, -1, -1))
    a, b, c = (exact(value.double().numpy()[None]) for value in (z, new, old))
    boxes, own = Boxes(cell), Boxes(cell, own=True)
    Z, N, H = ([Fraction(float(value)) for value in part] for part in (z, new, old))
    for made, true in (
        (boxes._product(a, b), [p * q for p, q in zip(Z, N, strict=True)]),
        (boxes._between(a, b, c), [(1 - p) * q + p * r for p, q, r in zip(Z, N, H, strict=True)]),
    ):
        assert outside(made, [Enclosure(value) for value in true]) == []
    assert holds(own._product(a, b), (z * new).double().numpy())
    for stored in (new + z * (old - new), (1 - z) * new + z * old):
        assert holds(own._between(a, b, c), stored.double().numpy())


def test_floats_of_32_bits_are_not_in_boxes_for_real_numbers():
    module = drawn_cell("gru", 0, 3, 5, dtype=torch.float32)
    cell, X = TrainedCell.of(module), signs(0, 20, 6, 3)
    states = RunningCell.of(cell, module).states(X, np.zeros((6, 0), dtype=np.int64))
    assert holds(states_in_boxes(cell, X, own=True), states)
    assert not holds(states_in_boxes(cell, X), states)


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, kind=KINDS, size=st.sampled_from([0.3, 1.0]), radius=st.sampled_from([0.1, 1.0]))
def test_tokens_of_a_box_lead_into_the_box_of_the_box(seed, kind, size, radius):
    cell, rng = TrainedCell.of(drawn_cell(kind, seed, 2, 4, size)), np.random.default_rng(seed)
    X = radius * rng.uniform(-1, 1, (50, 5, 2))
    whole = states_in_boxes(cell, np.zeros((1, 5, 2)), rad=radius)
    one = states_in_boxes(cell, X)
    assert (one.low >= whole.low).all()
    assert (one.high <= whole.high).all()


@settings(max_examples=5, deadline=None)
@given(seed=SEEDS, kind=st.sampled_from(["gru", "lstm", "relu"]))
def test_cells_directions_sweeps_and_names_say_the_same(seed, kind):
    module = drawn_cell(kind, seed, 3, 4)
    both = drawn_cell(kind, seed + 1, 3, 4, bidirectional=True)
    both.load_state_dict({**both.state_dict(), **module.state_dict()})
    sweep = Recurrent(kind, 3, 4).double()
    sweep.cell.load_state_dict(both.state_dict())
    names = {name.removesuffix("_l0"): weights for name, weights in module.state_dict().items()}
    cell = {"gru": torch.nn.GRUCell, "lstm": torch.nn.LSTMCell}.get(kind, torch.nn.RNNCell)
    alone = cell(3, 4, dtype=torch.float64, **({} if kind in ("gru", "lstm") else {"nonlinearity": kind}))
    alone.load_state_dict(names)
    late = drawn_cell(kind, seed, 3, 4)
    late.batch_first = False
    by_name = {f"cell.{name}": weights for name, weights in names.items()}
    every = [certify_states(one, 2, resolution=0.2).to_json() for one in (module, both, sweep, alone, late, by_name)]
    for one in every:
        assert (one["pair"] or {}).pop("distance", 0) <= 0.2 + 1e-9  # observed, each in its own order of sums
        assert one == every[0]


def test_codes_and_indices_are_columns_beside_the_tokens():
    rng = np.random.default_rng(0)
    codes, T, X = rng.standard_normal((5, 2)), rng.integers(0, 5, (4, 2)), signs(0, 6, 4, 3)
    module = drawn_cell("gru", 0, 3 + 3 * 2, 4)
    cell = TrainedCell.of(module, codes=codes, q=2)
    assert (cell.d, cell.q, cell.size) == (3, 2, 4)
    Z = np.concatenate([X, np.broadcast_to(codes[:4], (6, 4, 2)), *(np.broadcast_to(codes[T[:, s]], (6, 4, 2))
                        for s in range(2))], axis=2)  # fmt: skip
    wanted = module(torch.tensor(Z))[1][0].detach().numpy()
    assert RunningCell.of(cell, module).states(X, T) == pytest.approx(wanted, abs=1e-14)
    other = {**module.state_dict(), "omega": torch.zeros(7, 2, dtype=torch.float64)}
    assert TrainedCell.of(other, codes=codes, q=2).codes.tolist() == codes.tolist()  # what is given goes first


class Moved(torch.nn.GRU):
    def forward(self, Z, state=None):
        out, last = super().forward(Z, state)
        return out, last + 1e-4


class Backwards(torch.nn.GRU):
    def forward(self, Z, state=None):
        return super().forward(Z.flip(1), state)


class Started(torch.nn.GRU):
    def forward(self, Z, state=None):
        return super().forward(Z, torch.full((1, len(Z), 4), 1e-3) if state is None else state)


class Late(torch.nn.GRU):
    def forward(self, Z, state=None):
        out, last = super().forward(Z, state)
        return out, last + (0 if state is None else 1e-4)


class Short(torch.nn.GRU):
    def forward(self, Z, state=None):
        out, last = super().forward(Z, state)
        return out, last[..., :3]


class Empty(torch.nn.GRU):
    def forward(self, Z, state=None):
        out, last = super().forward(Z, state)
        return out, last * float("nan")


@pytest.mark.parametrize("kind", [Moved, Backwards, Started, Late, Short, Empty])
@pytest.mark.parametrize("m", [2, 60])
def test_a_module_with_other_states_than_its_weights_define_is_found_out(kind, m):
    module = drawn_cell("gru", 1, 2, 4, dtype=torch.float32)
    other = kind(2, 4, batch_first=True)
    other.load_state_dict(module.state_dict())
    assert 1 < certify_states(module, m, resolution=0.1, limit=16).listed <= 16
    with pytest.raises(CertificateError, match="a module w"):
        certify_states(other, m, resolution=0.1, limit=16)


def test_where_boxes_are_too_wide_a_step_at_a_time_is_held_against_the_weights():
    module = drawn_cell("relu", 0, 2, 4, dtype=torch.float32)
    torch.nn.init.constant_(module.weight_hh_l0, 1.5)
    X, T, cell = signs(0, 4, 40, 2), np.zeros((40, 0), dtype=np.int64), TrainedCell.of(module)
    assert states_in_boxes(cell, X, own=True).rad.max() > 1e6
    run = RunningCell.of(cell, module)
    run.compare(X, T)
    twisted = RunningCell(dataclasses.replace(cell, bias=(cell.bias[0] + 1e-3, cell.bias[1])), module)
    with pytest.raises(CertificateError, match="its weights define"):
        twisted.compare(X, T)


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, size=st.integers(1, 3), spread=st.sampled_from([0.0, 0.05, 0.4, 2.0]))
def test_points_of_boxes_are_between_the_two_counts(seed, size, spread):
    """One point of each box: pairwise distances of those said to be apart, and no more far points than sets."""
    rng = np.random.default_rng(seed)
    boxes = Box(rng.uniform(0, 3, (30, size)), spread * rng.uniform(0, 1, (30, size)))
    low, near = separated(boxes, 0.7)
    high = sets_of(boxes, 0.7)
    assert bounded(boxes)
    assert len(near) == low <= high
    for _ in range(5):
        points = boxes.mid + boxes.rad * rng.choice([-1, 1, 0.3], (30, size))
        apart = np.linalg.norm(points[:, None] - points[None], axis=2)
        chosen = [i for i, _ in near]
        assert (apart[np.ix_(chosen, chosen)] + 9 * np.eye(low) > 0.7).all()
        assert all((apart[i, others] <= 0.7 + 1e-12).all() for i, others in near)
        greedy = []
        for i in rng.permutation(30):
            greedy += [i] * all(apart[i, j] > 0.7 for j in greedy)
        assert len(greedy) <= high


def test_a_box_is_cut_into_as_few_cubes_as_fit():
    def count(rad, resolution):
        return sets_of(Box(np.zeros((1, len(rad))), np.array([rad])), resolution)

    assert count([0.5], 1.0) in (1, 2)  # just at the edge
    assert [count([0.5 * n], 1.01) for n in (1, 2, 5)] == [1, 2, 5]
    assert count([0.5, 0.5], 0.71) == 4
    assert count([3.0, 1e-9], 1.1) == 6  # a flat box is not cut across


@pytest.mark.parametrize(
    ("weights", "said"),
    [({"weight_ih_l0": np.ones((3, 1))}, "missing: weight_hh"), ({}, "no type"),
     ({"weight_ih": np.ones((1, 1)), "weight_hh": np.ones((1, 1))}, "without their nonlinearity"),
     ({"weight_ih": np.ones((2, 1)), "weight_hh": np.ones((2, 1))}, "1, 3 or 4 square blocks"),
     ({"weight_ih": np.ones((2, 1)), "weight_hh": np.ones((3, 1))}, "3 rows"),
     ({"weight_ih": np.ones(3), "weight_hh": np.ones((3, 1))}, "3 rows"),
     ({"weight_ih": np.ones((3, 1)), "weight_hh": np.ones((3, 1)), "bias_ih": np.ones(3)}, "bias_hh"),
     ({"weight_ih": np.ones((3, 1)), "weight_ih_l0": np.ones((3, 1)), "weight_hh": np.ones((3, 1))}, "not of it"),
     ({"weight_ih": np.full((3, 1), np.nan), "weight_hh": np.ones((3, 1))}, "not finite"),
     ({"weight_ih": np.ones((3, 1)), "weight_hh": np.ones((3, 1), np.float32)}, "one type"),
     ({"weight_ih": np.ones((3, 1)), "weight_hh": np.ones((3, 1)), "u": np.ones(2)}, "a direction of shape"),
     ({"weight_ih": np.ones((3, 4)), "weight_hh": np.ones((3, 1)), "omega": np.ones((5, 3))}, "with codes of shape"),
     ({"weight_ih": np.ones((3, 1)), "weight_hh": np.ones((3, 1)), "weight_hr_l0": np.ones((3, 1))}, "not of it")],
)  # fmt: skip
def test_weights_that_are_not_those_of_such_a_cell(weights, said):
    with pytest.raises(DomainError, match=said):
        TrainedCell.of(weights)


class Plain(torch.nn.Module):
    """Weights of a cell, and a call that is none."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer
        self.weight_ih, self.weight_hh = (torch.nn.Parameter(torch.ones(3, n)) for n in (2, 1))

    def forward(self, *given):
        return self.answer(*given)


@pytest.mark.parametrize(
    ("answer", "said"), [(lambda z: z, "a Plain that fails"), (lambda z, h: 3, "states of shape"),
                         (lambda z, h: z[:, :1], "its weights define")],
)  # fmt: skip
def test_a_module_that_is_called_in_another_way(answer, said):
    with pytest.raises(CertificateError, match=said):
        certify_states(Plain(answer), 3, resolution=0.1)
    assert certify_states(Plain(answer).state_dict(), 3, resolution=0.1).m == 3


def test_modules_that_are_no_cell_of_one_layer():
    for module in (torch.nn.GRU(2, 3, num_layers=2), torch.nn.Linear(2, 3), torch.nn.LSTM(2, 3, proj_size=2)):
        with pytest.raises(DomainError, match="one layer"):
            certify_states(module, 3, resolution=0.1)
    with pytest.raises(DomainError, match=r"torch\.nn\.Module"):
        certify_states(3, 3, resolution=0.1)
