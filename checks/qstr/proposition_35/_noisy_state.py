r"""What a trained recurrent network's states carry when noise is added to them, against what its answers then need.

The states :math:`v` before the last cell, in an orthonormal basis, are given to the last cell as
:math:`\hat v_i=\frac{\mu_i}{\mu_i+\sigma^2}(v_i+\sigma g_i)`, :math:`g` standard normal, :math:`\mu` second moments of
other prompts.  With :math:`\lambda_i=Ev_i^2` and the mean squared error :math:`c_\sigma` of the clipped answers from
:math:`\hat v`, :math:`c'=\frac N{N-1}c_\sigma`,

.. math:: \frac{N-1}2\log\frac1{c'}\le\sum_i\tfrac12\log\Bigl(1+\frac{\lambda_i}{\sigma^2}\Bigr),\qquad\sigma>0.

No Lipschitz constant occurs: the error under noise is measured where the states are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from theorytools.claims.language.estimate import Budget, Estimate, Evidence, Recipe
from theorytools.claims.language.ladder import Ladder
from theorytools.numbers import Enclosure, at_precision, minimum, pi, total
from theorytools.statistics.sampled import bounded_mean, columns, truncated_mean

from ._trained_state import CLIP, TAU, StateInequality

Floats = NDArray[np.float64]
PART = 256  # prompts that are in memory at once


@dataclass(frozen=True, eq=False)
class NoisyStates(StateInequality):
    r"""The inequality of one network at several noises.

    Parameters
    ----------
    noises : the standard deviations :math:`\sigma`.
    shrunk : the moments :math:`\mu`, of prompts drawn for this only.
    silent : whether no noise is added, though it is counted; for a control.
    """

    noises: tuple[Fraction, ...] = (Fraction(1, 20), Fraction(1, 10), Fraction(1))
    shrunk: Floats | None = None
    silent: bool = False

    @classmethod
    def drawn(cls, module, source, N: int, rng: np.random.Generator) -> NoisyStates:
        """Return the inequality in the principal axes of the states on 2048 prompts, which are drawn for this only."""
        net = super().with_basis(module, source, N, rng)
        moments = np.square(net.states(source(rng, 2048)[0]) @ net.basis).mean((0, 1))
        return replace(net, shrunk=moments)

    def answers(self, v: Floats, Z: torch.Tensor) -> torch.Tensor:
        """Return the clipped answers ``(size, N)`` from states before the last cell ``(size, N, D)``."""
        cell, found = self.module.cell, []
        for part, suffix in zip(np.split(v, 2, axis=-1), ("", "_reverse"), strict=True):
            weights = [getattr(cell, f"{name}_l0{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            state = torch.from_numpy(part).flatten(0, 1)
            if isinstance(cell, torch.nn.LSTM):
                h, memory = (one.contiguous() for one in state.chunk(2, dim=1))
                found.append(torch.lstm_cell(Z.flatten(0, 1), (h, memory), *weights)[0])
            else:
                found.append(torch.gru_cell(Z.flatten(0, 1), state, *weights))
        return self.module.last(torch.cat(found, dim=1)).reshape(Z.shape[:2]).clamp(-CLIP, CLIP)

    def observe(self, rng: np.random.Generator, size: int) -> dict[str, Floats]:
        """Return one simulation's columns: the error at each noise and the squared coordinates, over positions."""
        parts = [self._part(rng, min(PART, size - start)) for start in range(0, size, PART)]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    @torch.no_grad()
    def _part(self, rng: np.random.Generator, size: int) -> dict[str, Floats]:
        Z, y = self.source(rng, size)
        v = self.states(Z) @ self.basis
        found = {str(k): one for k, one in enumerate(np.square(v).mean(1).T)}
        for sigma in map(float, self.noises):
            heard = v if self.silent else self._heard(v, sigma, rng)
            found[f"error {sigma}"] = (self.answers(heard @ self.basis.T, Z) - y).square().mean(1).numpy()
        return found

    def _heard(self, v: Floats, sigma: float, rng: np.random.Generator) -> Floats:
        return (v + sigma * rng.standard_normal(v.shape)) * (self.shrunk / (self.shrunk + sigma**2))

    def slack(self, seed: np.random.SeedSequence) -> Recipe:
        """Return the least slack over the noises, in nats, as a sampled quantity."""
        errors = [f"error {float(sigma)}" for sigma in self.noises]
        all_columns = columns(self.observe, seed, *errors, *map(str, range(len(self.basis))))
        hidden = 22 * (-Enclosure(25) / 2).exp() / (2 * pi()).sqrt()  # E (Z - 64)+ of a clipped answer
        recipes = [truncated_mean(one, tau=TAU, excess=hidden) for one in all_columns[: len(errors)]]
        recipes += [bounded_mean(one, low=0, high=Fraction(top))
                    for one, top in zip(all_columns[len(errors):], self.reach, strict=True)]

        def steps(alpha: float, budget: Budget) -> Iterator[Estimate]:
            ladders = [Ladder(recipe, alpha / len(recipes), budget) for recipe in recipes]
            last: Estimate | None = None
            for rung in range(64):
                rungs = [ladder.at(rung) for ladder in ladders]
                if any(step is None for step in rungs):
                    return
                ends = [[Fraction(max(step.floats[side], 0.0)) for step in rungs] for side in (0, 1)]
                limits = [at_precision(64, lambda e=one: self._least(e)) for one in ends]
                step = Estimate(limits[0].lower, limits[1].upper, Evidence.SAMPLED, alpha, dict(rungs[0].work))
                last = step if last is None else step.within(last)
                yield last

        return Recipe(Evidence.SAMPLED, steps)

    def _least(self, ends: list[Fraction]) -> Any:
        """The least slack from errors and moments: it grows with each of them."""
        errors, moments = ends[: len(self.noises)], ends[len(self.noises):]
        payloads = self.payloads or self.N - 1
        slacks = []
        for sigma, error in zip(self.noises, errors, strict=True):
            carried = total((1 + Enclosure(one) / sigma**2).log() for one in moments) / 2
            slacks.append(carried + payloads * (Enclosure(error) * self.N / (self.N - 1)).log() / 2)
        return minimum(slacks)
