r"""Recurrent networks on simple 1STR with and without a bound on how steep their transition is in the state.

Two cells, one direction, the answer linear in the last state :math:`h_{N+1}`, :math:`h_1=0`:

* ``residual``, as in the theory: :math:`h_{j+1}=h_j+W_2\sigma(Uh_j+Vz_j+b)`, whose increment is
  :math:`\lVert W_2\rVert\lVert U\rVert`-Lipschitz in the state;
* ``plain``: :math:`h_{j+1}=\sigma(Uh_j+Vz_j+b)`, which is :math:`\lVert U\rVert`-Lipschitz.

After every step ``U``, which reads the state, is scaled down, if need be, until that product of spectral norms is at
most the bound.  All members of a cell train as one stack.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import torch

from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.training.loop import in_parts, shuffled, stack
from theorytools.training.sweep import Results, Spec
from theorytools.training.trials.trial import CENSORED, Result

if TYPE_CHECKING:
    from theorytools.papers.qstr.training.prompts import Batch


class Transitions:
    """Stacked cells; parameters are tensors whose first axis counts the members."""

    def __init__(self, experiments: Sequence[Experiment], cell: str, state: int) -> None:
        from theorytools.papers.qstr.training.prompts import generator

        one, members = experiments[0], []
        inner = one.width if cell == "residual" else state
        fans = {"U": (state, inner), "V": (one.D_e, inner), "b": (1, inner), "last": (state, 1), "c": (1, 1)}
        if cell == "residual":
            fans["W2"] = (inner, state)
        for experiment in experiments:
            rng = generator(experiment, "weights")
            members.append({k: (torch.rand(s, generator=rng) * 2 - 1) * _reach(k, s, inner) for k, s in fans.items()})
        self.cell, self.state = cell, state
        self.weights = {k: torch.stack([m[k] for m in members]).requires_grad_() for k in fans}

    def predict(self, Z: torch.Tensor) -> torch.Tensor:
        """Return the answers ``(M, B)`` to encoded prompts ``(M, B, N, D_e)``."""
        w, (M, B, N, _) = self.weights, Z.shape
        fed = torch.baddbmm(w["b"], Z.flatten(1, 2), w["V"]).view(M, B, N, -1).unbind(2)
        h = Z.new_zeros(M, B, self.state)
        for inner in fed:
            r = torch.relu(torch.baddbmm(inner, h, w["U"]))
            h = torch.baddbmm(h, r, w["W2"]) if self.cell == "residual" else r
        return torch.baddbmm(w["c"], h, w["last"])[..., 0]

    @torch.no_grad()
    def steepness(self) -> torch.Tensor:
        """Return the product of the spectral norms on the way from state to state, ``(M,)``."""
        names = ("U", "W2") if self.cell == "residual" else ("U",)
        return torch.stack([torch.linalg.svdvals(self.weights[k])[:, 0] for k in names]).prod(0)

    @torch.no_grad()
    def bound(self, most: float) -> None:
        """Scale ``U``, which reads the state, until :meth:`steepness` is at most ``most``."""
        self.weights["U"] *= (most / self.steepness()).clamp(max=1)[:, None, None]


def _reach(name: str, shape: tuple[int, int], inner: int) -> float:
    return inner**-0.5 if name == "b" else shape[0] ** -0.5


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train one cell's repeats together until each one's test loss is below the threshold, or to the cap."""
    from theorytools.papers.qstr.training.prompts import World, draw, encode, generator
    from theorytools.papers.qstr.training.reference import test_set

    torch.set_num_threads(1)
    experiments = [Experiment.within(spec) for spec in specs]
    own, one, worlds = specs[0], experiments[0], [World.of(e) for e in experiments]
    net = Transitions(experiments, str(own["cell"]), int(own["state"]))
    descent = torch.optim.AdamW(net.weights.values(), lr=float(one.lr), weight_decay=float(one.weight_decay))
    streams, mixers = ([generator(e, role) for e in experiments] for role in ("train", "labels"))

    def encoded(batches: Iterable[Batch]) -> list[torch.Tensor]:
        return stack((encode(world.codes, X, T), y[:, 0]) for world, (X, T, y) in zip(worlds, batches, strict=True))

    def losses() -> list[float]:
        return in_parts(lambda Z, y: (net.predict(Z) - y).square(), tests, 500).mean(1).tolist()

    tests = encoded(map(test_set, experiments, worlds))
    most = math.inf if own["bound"] == "none" else float(Fraction(str(own["bound"])))
    reached, seen = [0] * len(specs), 0
    while seen < one.cap and own["labels"] != "none" and not all(reached):
        for _ in range(one.check_every):
            members = zip(experiments, worlds, streams, strict=True)
            Z, y = encoded(draw(*member, one.batch, True) for member in members)
            y = shuffled(y, mixers) if own["labels"] == "shuffled" else y
            descent.zero_grad()
            (net.predict(Z) - y).square().mean(1).sum().backward()
            descent.step()
            if most < math.inf:
                net.bound(most)
        seen += one.batch * one.check_every
        reached = [at or (seen if loss < one.threshold else 0) for at, loss in zip(reached, losses(), strict=True)]
    for spec, at, loss, slope in zip(specs, reached, losses(), net.steepness().tolist(), strict=True):
        value = {"samples": at or one.cap, "loss": loss, "steepness": slope, "prompts": seen}
        reason = "" if at else f"not below the threshold within {one.cap} prompts"
        status = {} if at else {"status": CENSORED}
        yield dict(spec), Result(value, reason=reason, **status)
