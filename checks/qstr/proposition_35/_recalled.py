"""GRUs that are trained to recall signs, with the risk and the slope of their answers enclosed over all prompts."""

from __future__ import annotations

import itertools
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from theorytools import certify_states
from theorytools.numbers.boxes import Box, exact, length, times
from theorytools.trained.recurrent import Boxes, TrainedCell
from theorytools.trained.states import StateCertificate
from theorytools.training.adamw import AdamW

ROUNDING = 1 + 1e-9  # sums of at most 2^16 squares in doubles: a relative error below 2^17 units of roundoff


@dataclass(frozen=True, eq=False)
class Recaller:
    r"""A GRU that reads :math:`m` signs, and a linear map of its last state that answers each of them.

    Attributes
    ----------
    cell, W, b : the network in float64, and the answers :math:`Wh+b`, ``(m, H)`` and ``(m,)``.
    """

    cell: nn.GRU
    W: NDArray[np.float64]
    b: NDArray[np.float64]

    def forgetful(self) -> Recaller:
        """Return the same network with its update gate shut: its state knows the last sign only."""
        cell, H = deepcopy(self.cell), self.cell.hidden_size
        with torch.no_grad():
            cell.weight_hh_l0.zero_()
            cell.weight_ih_l0[H : 2 * H] = 0
            cell.bias_ih_l0[H : 2 * H] = -40.0  # keeps less than 1e-17 of the old state
        return Recaller(cell, self.W, self.b)

    @property
    def risk(self) -> float:
        r"""An upper bound of the mean of :math:`(w_i^\top h+b_i-x_i)^2` over all prompts and positions."""
        m, read = len(self.b), TrainedCell.of(self.cell)
        X = np.array(list(itertools.product((-1.0, 1.0), repeat=m)))
        boxes = Boxes(read)
        states = boxes.after(boxes.start(len(X)), (exact(x[:, None]) for x in X.T), np.zeros((m, 0)))
        ones = np.ones((len(X), 1))
        fed = Box(np.hstack([states.mid, ones, X]), np.hstack([states.rad, 0 * ones, 0 * X]))
        off = times(fed, exact(np.vstack([self.W.T, self.b, -np.eye(m)])))
        return float(np.square(np.abs(off.mid) + off.rad).mean()) * ROUNDING

    @property
    def slope(self) -> float:
        """An upper bound of each answer's Lipschitz constant in the state."""
        return float(length(exact(self.W), "ball").max())

    def certificate(self, m: int, apart: float, steeper: float = 1.0) -> StateCertificate:
        """Return what is proved of the states after ``m`` signs, told apart where answers may differ by ``apart``.

        ``steeper`` multiplies the slope that a read-out is allowed, not the resolution.
        """
        return certify_states(
            self.cell, m, resolution=apart / self.slope, direction=np.ones(1), risk=self.risk,
            lipschitz=steeper * self.slope,
        )  # fmt: skip


@lru_cache(maxsize=16)
def _trained(m: int, H: int, steps: int, seed: int) -> Recaller:
    state = torch.Generator().manual_seed(seed)
    cell, answers = nn.GRU(1, H, batch_first=True, dtype=torch.float64), nn.Linear(H, m, dtype=torch.float64)
    weights: list[Any] = [*cell.parameters(), *answers.parameters()]
    for tensor in weights:
        tensor.data.uniform_(-0.5, 0.5, generator=state)
    optimiser = AdamW(weights, lr=0.02, weight_decay=0.0)
    for _ in range(steps):
        x = torch.randint(2, (128, m), generator=state) * 2.0 - 1.0
        loss = ((answers(cell(x[..., None].double())[1][0]) - x) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    for tensor in weights:
        tensor.requires_grad_(False)
    return Recaller(cell, answers.weight.numpy(), answers.bias.numpy())


def recaller(m: int, seed: np.random.SeedSequence, steps: int) -> Recaller:
    """Train a GRU of as many units as signs; the last networks are kept and are not to be changed."""
    return _trained(m, m, steps, int(seed.generate_state(1, np.uint32)[0]))
