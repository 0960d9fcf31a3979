r"""Trained fully-connected networks on sparse token selection, beside the least loss that their first layer permits.

The prompt :math:`\operatorname{vec}X\in\mathbb R^{Td}` passes ``m`` linear neurons :math:`W_1`; they and the indicator
vector of the subset enter two hidden ReLU layers and a linear one.  No network with this :math:`W_1` loses less than
its certificate, and none with ``m`` neurons less than :math:`R_m`.  Predictions are clipped to
:math:`|f_k|\le3/\sqrt q`, which keeps both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import torch

from theorytools.statistics.clipped_error import Limits, clipped_gaussian_excess
from theorytools.theory.first_layers.compressor_certificate import certify_compressor
from theorytools.training.loop import cosine, descend, stack
from theorytools.training.sweep import Results, Spec
from theorytools.training.trials.trial import trial_generator

CLIP, TAU, TEST_BLOCK = 3, 64, 2**12
Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


class Compressors:
    """Stacked networks: maps ``(R, in, out)`` and biases ``(R, 1, out)``; the first layer ``(R, T d, m)`` has none."""

    def __init__(self, specs: Sequence[Mapping[str, Any]]) -> None:
        one = specs[0]
        T, d, m, width = (int(one[name]) for name in ("T", "d", "m", "width"))
        shapes = [(T * d, m), (m + T, width), (width, width), (width, d)]
        rngs = [trial_generator("weights", spec, 32) for spec in specs]
        # PyTorch's default law, uniform within 1/sqrt(fan in)
        draws = [[(torch.rand(n + 1, k, generator=rng) * 2 - 1) * n**-0.5 for n, k in shapes] for rng in rngs]
        layers = stack(draws)
        self.maps = [layer[:, :-1].clone().requires_grad_() for layer in layers]
        self.biases = [layer[:, -1:].clone().requires_grad_() for layer in layers[1:]]

    @property
    def parameters(self) -> list[torch.Tensor]:
        """Maps and biases."""
        return [*self.maps, *self.biases]

    def predict(self, X: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        """Return the predictions ``(R, n, d)`` for prompts ``(R, n, T d)`` and indicators ``(R, n, T)``."""
        h = torch.cat([X @ self.maps[0], chosen], dim=-1)
        *hidden, last = zip(self.maps[1:], self.biases, strict=True)
        for W, b in hidden:
            h = torch.relu(torch.baddbmm(b, h, W))
        return torch.baddbmm(last[1], h, last[0])


def draw(spec: Mapping[str, Any], rngs: Sequence[torch.Generator], size: int) -> Batch:
    """Draw fresh prompts ``(R, n, T d)``, indicators ``(R, n, T)`` and targets ``(R, n, d)``, by each generator."""
    T, d, q = (int(spec[name]) for name in ("T", "d", "q"))
    X = torch.stack([torch.randn(size, T, d, generator=rng) for rng in rngs])
    places = torch.stack([torch.rand(size, T, generator=rng).topk(q, dim=1).indices for rng in rngs])
    chosen = torch.zeros(*X.shape[:3]).scatter_(2, places, 1.0)
    return X.flatten(2), chosen, (chosen[..., None, :] @ X)[..., 0, :] / q


def train(specs: Sequence[Mapping[str, Any]], rngs: Sequence[torch.Generator]) -> Compressors:
    """Train one cell's repeats together with Adam, the rate falling along a cosine."""
    net, one = Compressors(specs), specs[0]
    steps, rate = int(one["steps"]), float(Fraction(one["rate"]))
    descend(
        torch.optim.Adam(net.parameters, lr=rate, fused=True), steps, lambda k: rate * cosine(k, steps),
        lambda: draw(one, rngs, int(one["batch"])),
        lambda X, chosen, s: (net.predict(X, chosen) - s).square().sum(-1).mean(1), fast=True,
    )  # fmt: skip
    return net


@torch.no_grad()
def limits(net: Compressors, spec: Mapping[str, Any], rngs: Sequence[torch.Generator], level: float) -> list[Limits]:
    r"""Return the limits of :math:`\frac qdE\|f-s\|^2` of every network on its own fresh prompts.

    It is the mean over coordinates of :math:`(\sqrt qf_k-\sqrt qs_k)^2` with :math:`\sqrt qs_k\sim N(0,1)`.
    """
    q, parts = int(spec["q"]), []
    for _ in range(int(spec["tests"]) // TEST_BLOCK):
        X, chosen, s = draw(spec, rngs, TEST_BLOCK)
        scaled = (net.predict(X, chosen) * q**0.5).clamp(-CLIP, CLIP) - s * q**0.5
        parts.append(scaled.square().mean(-1).double())
    excess = clipped_gaussian_excess(CLIP, TAU)
    return [Limits.of(row.numpy(), level, tau=float(TAU), excess=excess) for row in torch.cat(parts, dim=1)]


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train one cell's repeats together; yield each with its loss over ``d/q``, its limits and its certificate."""
    torch.set_num_threads(1)
    one, level = specs[0], float(Fraction(specs[0]["level"]))
    sizes = {name: int(one[name]) for name in ("T", "d", "q")}
    net = train(specs, [trial_generator("train", spec, 32) for spec in specs])
    found = limits(net, one, [trial_generator("test", spec, 32) for spec in specs], level)
    for spec, row, W in zip(specs, found, net.maps[0].detach(), strict=True):
        proved = certify_compressor(W.mT.double().numpy(), T=sizes["T"], d=sizes["d"], q=sizes["q"])
        value = {"loss": row.mean, "limits": row.to_json(), "rank": proved.rank}
        yield dict(spec), value | {"certificate": str(_short(proved.risk))}


def _short(risk: Fraction) -> Fraction:
    """Return the certificate rounded down to a multiple of 2^-40, which is a bound still."""
    return Fraction(math.floor(risk * 2**40), 2**40)
