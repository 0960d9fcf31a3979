r"""What a trained recurrent network's states carry against what its answers need, on general 1STR.

The network answers at position :math:`i` from :math:`v_i=(s^\to_{i-1},s^\leftarrow_{i+1})`, the states before its last
cell (for an LSTM with the cell's memory), through the last cell and the linear map; predictions are clipped to
:math:`[-3,3]`, which changes no Lipschitz constant.  The inequality is that of
``_state_rate.py``, pooled over positions; the basis comes from prompts of its own.

The errors are unbounded, so their mean is truncated at 64: a clipped prediction has :math:`Z\le(3+|y|)^2`, hence for
:math:`y\sim N(0,1)`

.. math:: E(Z-64)_+\le2\int_5^\infty\bigl((3+y)^2-64\bigr)\varphi(y)\,dy=2\bigl(11\varphi(5)-54\,Q(5)\bigr)
          \le22\,\varphi(5)<3.3\cdot10^{-5}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from theorytools.arguments.checked import Entries, Size, checked
from theorytools.claims.language.estimate import Budget, Estimate, Evidence, Recipe
from theorytools.claims.language.ladder import Ladder
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, at_precision, pi
from theorytools.statistics.sampled import bounded_mean, columns, truncated_mean
from theorytools.training.networks import Recurrent

from ._state_rate import gru_lipschitz, least_slack, lstm_lipschitz, resolutions

Floats = NDArray[np.float64]
Source = Callable[[np.random.Generator, int], tuple[torch.Tensor, torch.Tensor]]
CLIP, TAU = 3.0, 64


@checked
@dataclass(frozen=True, eq=False)
class StateInequality:
    r"""One network's side of the inequality, measured on prompts that ``source(rng, size)`` draws.

    Parameters
    ----------
    module : a bidirectional GRU or LSTM in float64.
    source : returns encoded prompts ``(size, N, D_e)`` and labels ``(size, N)`` of general 1STR with a unit direction.
    basis : orthonormal columns ``(D, D)`` fixed before the prompts are drawn, for example by :meth:`with_basis`.
    scale : multiplies the Lipschitz constant; 1 but in a control.
    payloads : in place of ``N - 1``; for a control.

    Raises
    ------
    DomainError : another architecture (a ReLU network has unbounded states) or float32 weights.
    """

    module: Recurrent
    source: Source
    N: Size
    basis: Floats
    scale: Fraction = Fraction(1)
    payloads: int | None = None

    def __post_init__(self) -> None:
        cell = getattr(self.module, "cell", None)
        if not isinstance(cell, torch.nn.GRU | torch.nn.LSTM):
            raise DomainError(
                f"a network with the cell {type(cell).__name__}",
                required="a bidirectional GRU or LSTM",
                why="the Lipschitz constant of the last cell is known on bounded states",
            )
        if self.module.last.weight.dtype != torch.float64:
            raise DomainError(f"weights of type {self.module.last.weight.dtype}", required="float64: module.double()")

    @classmethod
    def with_basis(cls, module: Recurrent, source: Source, N: Size, rng: np.random.Generator) -> StateInequality:
        """Return the inequality in the principal axes of the states on 2048 prompts, which are drawn for this only."""
        width = module.cell.hidden_size * (4 if isinstance(module.cell, torch.nn.LSTM) else 2)
        blank = cls(module, source, N, np.eye(width))
        V = blank.states(source(rng, 2048)[0]).reshape(-1, width)
        return replace(blank, basis=np.linalg.eigh(V.T @ V)[1])

    def changed(self, **changes: Any) -> StateInequality:
        """Return the inequality with other fields."""
        if unknown := sorted(set(changes) - {field.name for field in fields(self)}):
            raise DomainError(f"the field {unknown[0]}", required=", ".join(field.name for field in fields(self)))
        return replace(self, **changes)

    @cached_property
    def lipschitz(self) -> Fraction:
        r"""The slope of the read-out in :math:`v`, both directions in quadrature, rounded up.

        The computed basis ``Q`` is orthonormal up to :math:`\|Q^\top Q-I\|<10^{-9}`, far above rounding; the factor
        covers the change of lengths and the roundings of the sum.
        """
        cell, w = self.module.cell, self.module.last.weight.detach().numpy()[0]
        slopes = []
        for suffix, part in (("", w[: cell.hidden_size]), ("_reverse", w[cell.hidden_size :])):
            W, b = (getattr(cell, f"{name}_l0{suffix}").detach().numpy() for name in ("weight_hh", "bias_hh"))
            gru = isinstance(cell, torch.nn.GRU)
            slopes.append(gru_lipschitz(part, W, b) if gru else lstm_lipschitz(part, W, self.N - 1))
        if np.linalg.norm(self.basis.T @ self.basis - np.eye(len(self.basis))) > 1e-10:
            raise DomainError("a basis that is not orthonormal", required="orthonormal columns")
        return Fraction(float(np.hypot(*slopes))) * (1 + Fraction(1, 10**9)) * self.scale

    def states(self, Z: torch.Tensor) -> Floats:
        r"""Return :math:`v_i` for all positions, shape ``(size, N, D)``; the states outside the prompt are 0."""
        with torch.no_grad():
            forward, backward = (_trajectory(self.module.cell, Z, back) for back in (False, True))
        return np.concatenate([forward.numpy(), backward.numpy()], -1)

    def observe(self, rng: np.random.Generator, size: Entries) -> dict[str, Floats]:
        """Return one simulation's columns: the error and the squared coordinates, averaged over positions."""
        Z, y = self.source(rng, size)
        with torch.no_grad():
            error = (self.module(Z).clamp(-CLIP, CLIP) - y).square().mean(1).numpy()
        moments = np.square(self.states(Z) @ self.basis).mean(1)
        return {"error": error, **{str(k): moments[:, k] for k in range(moments.shape[1])}}

    @property
    def reach(self) -> Floats:
        """Upper bounds of the squared coordinates: hidden units lie in [-1, 1], an LSTM's memory in [-N, N]."""
        h = self.module.cell.hidden_size
        gru = isinstance(self.module.cell, torch.nn.GRU)
        units = np.ones(2 * h) if gru else np.tile(np.repeat([1.0, self.N], h), 2)
        return np.square(np.abs(self.basis).T @ units) * (1 + 1e-9)  # far above the rounding of the sum

    def slack(self, seed: np.random.SeedSequence) -> Recipe:
        """Return the least slack over the resolutions, in nats, as a sampled quantity."""
        names = [str(k) for k in range(len(self.basis))]
        error, *moments = columns(self.observe, seed, "error", *names)
        hidden = 22 * (-Enclosure(25) / 2).exp() / (2 * pi()).sqrt()
        recipes = [truncated_mean(error, tau=TAU, excess=hidden)]
        recipes += [bounded_mean(m, low=0, high=Fraction(top)) for m, top in zip(moments, self.reach, strict=True)]

        def steps(alpha: float, budget: Budget) -> Iterator[Estimate]:
            ladders = [Ladder(recipe, alpha / len(recipes), budget) for recipe in recipes]
            last: Estimate | None = None
            for rung in range(64):
                rungs = [ladder.at(rung) for ladder in ladders]
                if any(step is None for step in rungs):
                    return
                step = self._step([step.floats for step in rungs if step is not None], alpha, dict(rungs[0].work))
                last = step if last is None else step.within(last)
                yield last

        return Recipe(Evidence.SAMPLED, steps)

    def _step(self, ends: Sequence[tuple[float, float]], alpha: float, work: dict[str, Any]) -> Estimate:
        """Return the slack between the limits: it grows with every moment and with the error."""
        limits = []
        for side in (0, 1):
            error, *moments = (Fraction(max(pair[side], 0.0)) for pair in ends)
            limits.append(at_precision(64, lambda e=error, m=tuple(moments): self.at_moments(m, e)))
        return Estimate(limits[0].lower, limits[1].upper, Evidence.SAMPLED, alpha, work)

    def at_moments(self, moments: Sequence[Fraction], error: Fraction) -> Enclosure:
        """Return the least slack for these moments and this error, at the ambient precision."""
        etas = resolutions(self.lipschitz)
        network = {"N": self.N, "lipschitz": self.lipschitz, "payloads": self.payloads}
        return least_slack(moments, error, etas, **network)


def _trajectory(cell: torch.nn.RNNBase, Z: torch.Tensor, back: bool) -> torch.Tensor:
    """Return one direction's states before every token, ``(size, N, h)``; with an LSTM's memory ``(size, N, 2h)``."""
    lstm, h = isinstance(cell, torch.nn.LSTM), cell.hidden_size
    kind = torch.nn.LSTMCell if lstm else torch.nn.GRUCell
    one = kind(cell.input_size, h, dtype=Z.dtype)
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        setattr(one, name, torch.nn.Parameter(getattr(cell, f"{name}_l0{'_reverse' if back else ''}").detach()))
    state = torch.zeros(len(Z), h, dtype=Z.dtype)
    memory = state
    seen = []
    for i in range(Z.shape[1])[:: -1 if back else 1]:
        seen.append(torch.cat([state, memory], -1) if lstm else state)
        if lstm:
            state, memory = one(Z[:, i], (state, memory))
        else:
            state = one(Z[:, i], state)
    return torch.stack(seen[:: -1 if back else 1], 1)
