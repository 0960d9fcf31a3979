r"""Networks with free attention scores on the instance on which few heads fail, trained in stacks of repeats.

At a late position (zero token, tuple :math:`(1,\dots,q)`) head :math:`h` has the weights

.. math:: \pi_{hj}=\operatorname{softmax}_j(c_{hj}+\langle w_h,x_j\rangle),

free numbers :math:`c_{hj}` and, with a block between positions and data, free directions :math:`w_h`.  With linearly
independent codes every such score is that of a matrix :math:`W^{(h)}_{QK}`.  The readout is a ReLU network with two
hidden layers on :math:`\sum_j\pi_{hj}x_j` and :math:`(\pi_{hj})_j`, which are the tokens' and, with orthonormal codes,
the codes' parts of the head's output.  All late positions are alike, so one of them is trained and measured.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import torch

from theorytools.papers.qstr.tasks.few_heads import FewTokens
from theorytools.statistics.clipped_error import Limits, clipped_gaussian_excess
from theorytools.theory.clipped_labels import clipped_label_excess
from theorytools.training.trials.trial import trial_generator

CLIP = {"sq": 10, "lin": 3}  # largest prediction
TAU = 64  # truncation for the linear link
BLOCK = 2**14
Weights = dict[str, torch.Tensor]


def initial(spec: Mapping[str, Any]) -> Weights:
    """Draw one network's weights: standard normal scores and directions, the readout by PyTorch's default law."""
    rng = trial_generator("weights", spec)
    H, N, d = spec["H"], spec["N"], spec["d"]
    weights = {"c": torch.randn(H, N, generator=rng, dtype=torch.float64)}
    if spec["cross"]:
        weights["w"] = torch.randn(H, d, generator=rng, dtype=torch.float64)
    sizes = (H * (d + N), spec["width"], spec["width"], 1)
    for k, (fan, out) in enumerate(itertools.pairwise(sizes)):
        for name, shape in ((f"W{k}", (fan, out)), (f"b{k}", (1, out))):
            weights[name] = (2 * torch.rand(*shape, generator=rng, dtype=torch.float64) - 1) * fan**-0.5
    return weights


def attention(weights: Weights, X: torch.Tensor) -> torch.Tensor:
    """Return the weights ``(M, B, H, N)`` of a late query for Gaussian tokens ``X`` ``(M, B, K, d)``."""
    M, B, K, _ = X.shape
    scores = weights["c"][:, None].expand(M, B, -1, -1)
    if "w" in weights:
        data = torch.einsum("mbkd,mhd->mbhk", X, weights["w"])
        scores = scores + torch.nn.functional.pad(data, (0, scores.shape[-1] - K))  # the other tokens are zero
    return torch.softmax(scores, -1)


def predict(weights: Weights, X: torch.Tensor) -> torch.Tensor:
    """Return the predictions ``(M, B)`` at a late position."""
    M, B, K, _ = X.shape
    pi = attention(weights, X)
    h = torch.cat([torch.einsum("mbhk,mbkd->mbhd", pi[..., :K], X), pi], -1).reshape(M, B, -1)
    for k in range(3):
        h = torch.baddbmm(weights[f"b{k}"], torch.relu(h) if k else h, weights[f"W{k}"])
    return h[..., 0]


def draw(task: FewTokens, size: int, rngs: Sequence[torch.Generator]) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw each member's Gaussian tokens ``(M, size, K, d)`` and late labels ``(M, size)``."""
    X = torch.stack([torch.randn(size, task.K, task.d, generator=rng, dtype=torch.float64) for rng in rngs])
    shown = X[:, :, list(task.indices)]
    if task.link == "sq":
        return X, (shown.square().sum((2, 3)) - task.q * task.d) / math.sqrt(task.q * task.d)
    return X, shown[..., 0].sum(2) / math.sqrt(task.q)


def task_of(spec: Mapping[str, Any]) -> FewTokens:
    """Return the instance of a trial."""
    return FewTokens(spec["N"], spec["d"], spec["q"], link=spec["link"])


def train(specs: Sequence[Mapping[str, Any]]) -> Weights:
    """Train the repeats of one cell together: Adam on fresh batches, the rate falling to 0 along a cosine."""
    one, steps = specs[0], specs[0]["steps"]
    task, drawn = task_of(one), [initial(spec) for spec in specs]
    weights = {name: torch.stack([w[name] for w in drawn]).requires_grad_() for name in drawn[0]}
    rate, rngs = float(Fraction(one["lr"])), [trial_generator("train", spec) for spec in specs]
    descent = torch.optim.Adam(list(weights.values()), lr=rate)
    for k in range(steps):
        descent.param_groups[0]["lr"] = rate * (1 + math.cos(math.pi * k / steps)) / 2
        X, y = draw(task, one["batch"], rngs)
        loss = (predict(weights, X) - y).square().mean(1).sum()  # members do not meet: a sum trains each alone
        descent.zero_grad()
        loss.backward()
        descent.step()
    return {name: w.detach() for name, w in weights.items()}


def late_error(spec: Mapping[str, Any], weights: Weights, role: str, size: int) -> Limits:
    """Return the late error of one network, its weights with a leading axis of 1, on fresh prompts.

    Predictions are clipped, to no less than the least label and no more than 10, or to ``[-3, 3]`` for the linear link.
    """
    task, rng = task_of(spec), trial_generator(role, spec)
    k, top, errors = task.q * task.d, CLIP[task.link], []
    for start in range(0, size, BLOCK):
        X, y = draw(task, min(BLOCK, size - start), [rng])
        with torch.no_grad():
            made = predict(weights, X).clamp(-math.sqrt(k) if task.link == "sq" else -top, top)
        errors.append((made - y).square()[0].numpy())
    if task.link == "sq":
        tau, hidden = clipped_label_excess(k, top)
        excess = math.nextafter(float(hidden), math.inf)
    else:
        tau, excess = TAU, clipped_gaussian_excess(top, TAU)
    return Limits.of(np.concatenate(errors), float(Fraction(spec["level"])), tau=float(tau), excess=excess)
