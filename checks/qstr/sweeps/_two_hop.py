r"""One and two layers of attention on a two-step look-up: a token points to a token, and that one to the answer.

Prompts are those of 1STR, :math:`z_i=(x_i,\omega_i,\omega_{t_i})`, codes orthonormal and all times :math:`\sqrt d`;
labels are :math:`y_i=\langle u,x_{t_{t_i}}\rangle` at every position (two steps) or :math:`\langle u,x_{t_i}\rangle`
(one).  Every network adds to its tokens, which have a free block of :math:`d_e` zeros, layer by layer

.. math:: z_i\leftarrow z_i+\sum_{h\le H}V_h\sum_j\operatorname{softmax}_j\bigl(\langle z_i,W_hz_j\rangle\bigr)z_j ,

and reads position :math:`i` by a two-layer ReLU head.  All repeats of a cell train as one stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.training.loop import descend, in_parts, mean_loss, shuffled, stack
from theorytools.training.sweep import Results, Spec

if TYPE_CHECKING:
    from theorytools.papers.qstr.training.prompts import World


class Layers:
    """Stacked attention networks; parameters are tensors whose first axis counts the members."""

    def __init__(self, experiments: Sequence[Experiment], layers: int) -> None:
        from theorytools.papers.qstr.training.prompts import generator

        one, members = experiments[0], []
        D, H = one.D_e + one.d_e, one.heads
        shapes = {f"{kind}{k}": (D, H * D) for k in range(layers) for kind in "WV"}
        shapes |= {"hidden": (D, one.width), "b": (1, one.width), "last": (one.width, 1), "c": (1, 1)}
        for experiment in experiments:
            rng = generator(experiment, "weights")
            members.append({k: (2 * torch.rand(s, generator=rng) - 1) * _reach(k, s) for k, s in shapes.items()})
        self.layers, self.heads, self.free = layers, H, one.d_e
        self.weights = {k: torch.stack([m[k] for m in members]).requires_grad_() for k in shapes}

    def predict(self, Z: torch.Tensor) -> torch.Tensor:
        """Return the answers ``(M, B, N)`` to encoded prompts ``(M, B, N, D_e)``."""
        w, (M, B, N, _) = self.weights, Z.shape
        Z = torch.cat([Z, Z.new_zeros(M, B, N, self.free)], -1)
        D, H = Z.shape[-1], self.heads
        for k in range(self.layers):
            prompts = Z.view(M * B, N, D)
            queries = torch.bmm(Z.view(M, B * N, D), w[f"W{k}"]).view(M * B, N * H, D)
            rows = torch.softmax(torch.bmm(queries, prompts.transpose(1, 2)), -1)
            seen = torch.bmm(rows, prompts).view(M, B * N, H * D)
            Z = Z + torch.bmm(seen, w[f"V{k}"].view(M, D, H, D).transpose(1, 2).reshape(M, H * D, D)).view(Z.shape)
        units = torch.relu(torch.baddbmm(w["b"], Z.view(M, B * N, D), w["hidden"]))
        return torch.baddbmm(w["c"], units, w["last"]).view(M, B, N)

    def parameters(self) -> int:
        """Return the number of parameters of one member."""
        return sum(part[0].numel() for part in self.weights.values())


def _reach(name: str, shape: tuple[int, int]) -> float:
    return 1 / shape[0] if name[0] == "W" else shape[0] ** -0.5


def pointed(T: torch.Tensor, steps: int) -> torch.Tensor:
    r"""Return where one or two steps lead: :math:`t_i` or :math:`t_{t_i}`, for indices ``T`` of shape ``(B, N)``."""
    return T if steps == 1 else T.gather(1, T)


def world(experiment: Experiment) -> World:
    """Return the repeat's direction, with orthonormal sign codes instead of random ones."""
    from theorytools.codes.families import hadamard
    from theorytools.papers.qstr.training.prompts import World, torch_dtype

    codes = torch.from_numpy(hadamard(experiment.N).matrix() * experiment.d**0.5)
    return World(codes.to(torch_dtype(experiment)), World.of(experiment).u)


def prompts(one: Experiment, w: World, rng: torch.Generator, size: int, steps: int) -> tuple[torch.Tensor, ...]:
    """Return encoded prompts ``(size, N, D_e)`` and their labels ``(size, N)``."""
    from theorytools.papers.qstr.training.prompts import draw, encode

    X, T, _ = draw(one, w, rng, size, False)
    return encode(w.codes, X, T), (X @ w.u).gather(1, pointed(T[..., 0], steps))


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train one cell's repeats together for their number of prompts; yield each with its loss on fresh prompts."""
    from theorytools.papers.qstr.training.prompts import generator

    torch.set_num_threads(1)
    own, experiments = specs[0], [Experiment.within(spec) for spec in specs]
    one, worlds, deep = experiments[0], [world(e) for e in experiments], int(own["steps"])
    net = Layers(experiments, int(own["layers"]))
    descent = torch.optim.AdamW(net.weights.values(), lr=float(one.lr), weight_decay=float(one.weight_decay))
    count = 0 if own["labels"] == "none" else one.cap // one.batch
    streams, mixers, tests = ([generator(e, role) for e in experiments] for role in ("train", "labels", "test"))

    def drawn(rngs: list[torch.Generator], size: int) -> list[torch.Tensor]:
        return stack(prompts(e, w, rng, size, deep) for e, w, rng in zip(experiments, worlds, rngs, strict=True))

    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        Z, y = drawn(streams, one.batch)
        return Z, shuffled(y, mixers) if own["labels"] == "shuffled" else y

    descend(
        descent, count, lambda k: float(one.lr) * min(1.0, (k + 1) / 100, 4 * (1 - k / count)), batch,
        lambda Z, y: (net.predict(Z) - y).square().mean((1, 2)),
    )  # fmt: skip
    losses = in_parts(lambda Z, y: (net.predict(Z) - y).square().mean(2), drawn(tests, one.test_size), 500)
    for spec, row in zip(specs, losses, strict=True):
        yield dict(spec), {**mean_loss(row), "parameters": net.parameters(), "prompts": count * one.batch}
