r"""The sweep of trained attention layers on sparse token selection, beside the two-dimensional reduced training.

With stochastic encodings population training from zero stays on :math:`V=[\alpha I\ 0]`,
:math:`W=\operatorname{diag}(0,\beta I)`; a trained layer is compared with these two numbers and with the losses that
they predict.  The arms ``reduced …`` train :math:`(\alpha,\beta)` alone on a bank of score vectors:

.. math:: \alpha\leftarrow\alpha-2\eta\bigl(\alpha A-\tfrac Bq\bigr),\qquad
          \beta\leftarrow\beta-\eta\tfrac d{d_e}\bigl(\alpha^2A'-\tfrac{2\alpha}qB'\bigr),\qquad
          A=E\|a\|^2,\ B=E\,a(y),\ a=\mathrm{softmax}(\beta\sigma).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorytools.training.sweep import Results, Spec
from theorytools.training.trials.trial import trial_generator, trial_seed

if TYPE_CHECKING:
    import torch

    from ._selection_sgd import SelectionSGD

Floats = NDArray[np.float64]
TEST_BLOCK = 512


def score_vectors(spec: Mapping[str, Any], rng: np.random.Generator, size: int, length: int) -> Floats:
    r"""Draw score vectors :math:`E^\top e_y` of fresh encodings, the selected tokens first, ``(size, length)``.

    ``gauss`` with ``dual``: :math:`(\mathbf 1_q,\sqrt{q/\chi^2_\nu}\,g)`, :math:`\nu=d_e-q+1`, by the Wishart law;
    ``rad`` with ``sum`` from the encodings themselves; ``orth`` up to a constant that the softmax ignores, one row.
    """
    q, d_e = int(spec["q"]), int(spec["d_e"])
    if spec["encodings"] == "orth":
        return np.array([[1.0] * q + [0.0] * (length - q)])
    if spec["encodings"] == "gauss":
        other = np.sqrt(q / rng.chisquare(d_e - q + 1, (size, 1))) * rng.standard_normal((size, length - q))
        return np.concatenate([np.ones((size, q)), other], axis=1)
    parts = []
    for start in range(0, size, TEST_BLOCK):
        signs = 2 * rng.integers(0, 2, (min(TEST_BLOCK, size - start), length, d_e)).astype(np.float32) - 1
        parts.append((signs @ signs[:, :q].sum(axis=1)[..., None])[..., 0].astype(np.float64) / d_e)
    return np.concatenate(parts)


def attended(scores: Floats, beta: float) -> Floats:
    """Return the softmax of ``beta`` times the rows."""
    weights: Floats = np.exp(beta * (scores - scores.max(axis=1, keepdims=True)))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def bank_loss(scores: Floats, alpha: float, beta: float, q: int, d: int) -> float:
    r"""Return the mean of :math:`d\sum_i(\alpha a_i-\tau_i)^2` over a bank whose selected tokens come first."""
    rest = alpha * attended(scores, beta)
    rest[:, :q] -= 1 / q
    return d * float((rest**2).sum(axis=1).mean())


def reduced_training(
    scores: Floats, *, q: int, d: int, d_e: int, rate: float, marks: Sequence[int]
) -> list[list[float]]:
    r"""Train :math:`(\alpha,\beta)` from zero on a bank; return them after each of the increasing ``marks``."""
    alpha = beta = 0.0
    found = []
    for step in range(1, marks[-1] + 1):
        a = attended(scores, beta)
        turn = a * (scores - (a * scores).sum(axis=1, keepdims=True))  # da/dbeta
        A, B = float((a * a).sum(axis=1).mean()), float(a[:, :q].sum(axis=1).mean())
        dA, dB = 2 * float((a * turn).sum(axis=1).mean()), float(turn[:, :q].sum(axis=1).mean())
        grown = rate * d / d_e * (alpha**2 * dA - 2 * alpha / q * dB)
        alpha, beta = alpha - 2 * rate * (alpha * A - B / q), beta - grown
        if step in marks:
            found.append([alpha, beta])
    return found


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Run one arm's repeats, stacked where that is faster, and yield each with its curve."""
    import torch

    from ._selection_sgd import STACKED_BATCH

    torch.set_num_threads(1)
    if specs[0]["kind"] == "selection reduced":
        for spec in specs:
            yield dict(spec), _result(_reduced(spec))
        return
    width = len(specs) if int(specs[0]["batch"]) < STACKED_BATCH else 1
    for start in range(0, len(specs), width):
        members = specs[start : start + width]
        for spec, curve in zip(members, train(members), strict=True):
            yield dict(spec), _result(curve)


def _result(curve: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the values of a trial: its curve, and the loss at the end and the training length."""
    return {"loss": curve[-1]["loss"][0], "curve": curve}


def train(specs: Sequence[Mapping[str, Any]]) -> list[list[dict[str, Any]]]:
    """Train the layers of some repeats together and return their curves: what is read off and the losses, by step."""
    import torch

    from ._selection_sgd import Selection, SelectionSGD, draw_batch

    one = specs[0]
    names = ("T", "q", "d", "d_e", "encodings", "query", "longest")
    task = Selection(**{name: one[name] for name in names}, tokens=one.get("tokens", "gauss"))
    dtype = getattr(torch, str(one["dtype"]))
    codes, streams, tests = ([trial_generator(role, spec) for spec in specs] for role in ("codes", "train", "test"))
    fixed = [task.fixed(rng, dtype) for rng in codes]
    net = SelectionSGD(task, len(specs), float(Fraction(one["rate"])), dtype)
    curves: list[list[dict[str, Any]]] = [[] for _ in specs]
    for step in range(int(one["marks"][-1]) + 1):
        if step in one["marks"]:
            losses = _losses(net, tests, fixed, one, dtype)
            for curve, read, loss in zip(curves, net.read_off(), losses, strict=True):
                curve.append({"step": step, **read, "loss": loss})
        if step < one["marks"][-1]:
            net.step(draw_batch(task, streams, int(one["batch"]), task.T, fixed, dtype))
    return curves


def _losses(
    net: SelectionSGD,
    rngs: Sequence[torch.Generator],
    fixed: Sequence[Any],
    spec: Mapping[str, Any],
    dtype: torch.dtype,
) -> list[list[float]]:
    """Return the mean squared error of every repeat on fresh prompts of each length."""
    import torch

    from ._selection_sgd import draw_batch

    means = []
    for length in spec["lengths"]:
        count = int(spec["tests"]) // TEST_BLOCK
        blocks = (draw_batch(net.task, rngs, TEST_BLOCK, length, fixed, dtype, held_out=True) for _ in range(count))
        means.append(torch.stack([net.squared_errors(block).double().mean(1) for block in blocks]).mean(0))
    return torch.stack(means, dim=1).tolist()


def _reduced(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the curve of the reduced training of one trial, with the loss on its bank."""
    rng = np.random.default_rng(trial_seed("bank", spec))
    q, d, d_e = (int(spec[name]) for name in ("q", "d", "d_e"))
    scores = score_vectors(spec, rng, int(spec["bank"]), int(spec["T"]))
    curve = []
    for step, (alpha, beta) in zip(
        spec["marks"],
        reduced_training(scores, q=q, d=d, d_e=d_e, rate=float(Fraction(spec["rate"])), marks=spec["marks"]),
        strict=True,
    ):
        curve.append({"step": step, "alpha": alpha, "beta": beta, "loss": [bank_loss(scores, alpha, beta, q, d)]})
    return curve
