r"""Attention heads that learn the variance of the selected tokens, from attention that selects them.

Keys :math:`z_i=[x_i;e_i]`, :math:`d=1`, orthonormal encodings, query :math:`e_y=\sum_{i\in y}e_i`; head ``h`` has the
scores :math:`z_i^\top W_he_y` and the output :math:`V_h\sum_ia_iz_i`; the prediction is their sum plus a constant.  The
target is :math:`v=\frac1q\sum_y(x_i-\bar x)^2`.  :math:`W_{22}` starts at :math:`6I`, its row :math:`W_{12}` on the
token is drawn, or stays 0 where scores see positions only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import torch

from theorytools.training.sweep import Results, Spec
from theorytools.training.trials.trial import trial_generator

SCALE = 6.0


class VarianceHeads(torch.nn.Module):
    """Heads whose scores read the tokens, or positions only.

    Parameters
    ----------
    T, heads : tokens, encodings and heads.
    positions : whether the scores see positions only.
    rng : draws the start.
    """

    def __init__(self, T: int, heads: int, positions: bool, rng: torch.Generator) -> None:
        super().__init__()
        self.W = torch.nn.Parameter(SCALE * torch.eye(T).repeat(heads, 1, 1))
        self.V = torch.nn.Parameter(0.3 * torch.randn(heads, 1 + T, generator=rng))
        self.b = torch.nn.Parameter(torch.zeros(1))
        tilt = 0.3 * torch.randn(heads, T, generator=rng)
        self.tilt = torch.nn.Parameter(tilt * (not positions), requires_grad=not positions)

    def forward(self, x: torch.Tensor, e_y: torch.Tensor) -> torch.Tensor:
        """Return the predictions ``(n,)`` for tokens ``(n, T)`` and queries ``(n, T)``."""
        scores = torch.einsum("hij,nj->hni", self.W, e_y) + x * torch.einsum("hj,nj->hn", self.tilt, e_y)[..., None]
        a = scores.softmax(-1)
        seen = torch.cat([(a * x).sum(-1, keepdim=True), a], dim=-1)
        return torch.einsum("hnk,hk->n", seen, self.V) + self.b


def draw(rng: torch.Generator, size: int, T: int, q: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Draw tokens, queries and targets."""
    x = torch.randn(size, T, generator=rng)
    y = torch.rand(size, T, generator=rng).topk(q, dim=1).indices
    return x, torch.zeros(size, T).scatter_(1, y, 1.0), x.gather(1, y).var(1, unbiased=False)


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Run the repeats of an arm one after the other."""
    torch.set_num_threads(1)
    for spec in specs:
        yield dict(spec), train(spec)


def train(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Train one network with Adam; return its loss and the share of the target's variance that it explains."""
    T, q = int(spec["T"]), int(spec["q"])
    start, stream, tests = (trial_generator(role, spec) for role in ("weights", "train", "test"))
    net = VarianceHeads(T, int(spec["heads"]), bool(spec["positions"]), start)
    optimiser = torch.optim.Adam(net.parameters(), lr=float(Fraction(spec["rate"])))
    for step in range(int(spec["steps"])):
        for group in optimiser.param_groups:  # the rate falls to 0, so that the end is no noise
            group["lr"] = float(Fraction(spec["rate"])) * (1 - step / int(spec["steps"]))
        x, e_y, v = draw(stream, int(spec["batch"]), T, q)
        optimiser.zero_grad()
        (net(x, e_y) - v).square().mean().backward()
        optimiser.step()
    with torch.no_grad():
        x, e_y, v = draw(tests, int(spec["tests"]), T, q)
        loss = (net(x, e_y) - v).double().square().mean().item()
    return {"loss": loss, "share": 1 - loss / (2 * (q - 1) / q**2)}
