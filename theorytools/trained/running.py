"""A certified module is run: on the prompt where it differs most from the construction, in its own arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from theorytools.errors import DomainError
from theorytools.notebook import fields_html
from theorytools.optional import require
from theorytools.trained.layer import Array, TrainedLayer
from theorytools.trained.leaks import Indices


@dataclass(frozen=True, eq=False)
class Witness:
    """What the module does on one prompt, observed.

    Attributes
    ----------
    X, T : tokens ``(N, d)`` and indices ``(N, q)``, from 0.
    position, head : where and which head leaks.
    outside : the weight that this head gives to other positions than the one asked for, in the module's arithmetic.
    output : what the module returns there: a label, or the retrieved token.
    label : what is asked for: the label, the token, or None where no direction is known.
    """

    X: Array
    T: Indices
    position: int
    head: int
    outside: float
    output: Any
    label: Any

    _repr_html_ = fields_html

    @property
    def error(self) -> float | None:
        """The distance of output and label."""
        if self.label is None:
            return None
        return float(np.linalg.norm(np.subtract(self.output, self.label)))

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        return {
            "X": self.X.tolist(), "T": self.T.tolist(), "position": self.position, "head": self.head,
            "outside": self.outside, "output": np.asarray(self.output).tolist(),
            "label": None if self.label is None else np.asarray(self.label).tolist(),
        }  # fmt: skip


def module_of(layer: TrainedLayer) -> Any:
    """Return a torch module with a layer's weights, in their own type."""
    torch = require("torch")
    dtype = getattr(torch, layer.dtype)
    tensors = {name: torch.tensor(array, dtype=dtype) for name, array in layer.raw.items()}
    if layer.kind == "block":
        from theorytools.constructions.torch.attention import AttentionModule

        head = SimpleNamespace(**{name: layer.raw[name] for name in ("a", "W", "b")}) if "a" in layer.raw else None
        net: Any = SimpleNamespace(
            d=layer.d, q=layer.q, codes=SimpleNamespace(matrix=lambda: layer.codes), squared_scale=1, head=head,
            wiring=range(layer.H), W_QK=lambda h: layer.raw["W_QK"][h],
        )  # fmt: skip
        return AttentionModule(net, dtype)
    from theorytools.training.reference import MergedAttention, SeparateAttention

    D, kind = layer.scores[0].mid.shape[0] - 1, SeparateAttention if layer.kind == "separate" else MergedAttention
    module = kind(D, layer.H, len(layer.last)).to(dtype)
    module.load_state_dict(tensors)
    return module.requires_grad_(False)


@dataclass(frozen=True, eq=False)
class Running:
    """A module beside the layer that was read from it."""

    layer: TrainedLayer
    module: Any

    def encoded(self, X: Array, T: Indices) -> Any:
        """Return one prompt as the module takes it, ``(1, N, D_e)``."""
        torch = require("torch")
        some = next(iter(self.module.parameters()))
        parts = [X, self.layer.codes, *(self.layer.codes[T[:, s]] for s in range(self.layer.q))]
        return torch.tensor(np.concatenate(parts, axis=1)[None], dtype=some.dtype, device=some.device)

    def attention(self, X: Array, T: Indices, i: int, h: int) -> Array:
        """Return the weights of one head at one position, by the module's own maps and type."""
        torch = require("torch")
        module = self.module
        with torch.no_grad():
            Z = self.encoded(X, T)
            if self.layer.kind == "block":
                whole = torch.eye(len(X), dtype=Z.dtype, device=Z.device)[None]
                weights = module.attend(Z, whole)[0, :, h]
            elif self.layer.kind == "merged":
                weights = torch.softmax(module.scores[h](Z) @ Z.transpose(-1, -2), -1)[0]
            else:
                D = Z.shape[-1]
                query, key = (f(Z)[0, :, h * D : (h + 1) * D] for f in (module.query, module.key))
                weights = torch.softmax(query @ key.T / D**0.5, -1)
        return np.asarray(weights[i].double().cpu())

    def output(self, X: Array, T: Indices, i: int) -> Array:
        """Return what the module itself returns at one position: a number, or tokens ``(H, d)``."""
        torch = require("torch")
        Z = self.encoded(X, T)
        with torch.no_grad():
            if self.layer.kind == "block":
                found = self.module(Z[..., : self.layer.d], torch.tensor(T[None], device=Z.device))
            else:
                found = self.module(Z)
        found = np.asarray(found.detach().double().cpu())
        if found.shape[:2] != (1, self.layer.N):
            raise DomainError(
                f"a module that returns an array of shape {found.shape}", required=f"(1, {self.layer.N}, …)",
                why="one answer at each position is certified",
            )  # fmt: skip
        return np.asarray(found[0, i])

    def real(self, X: Array, T: Indices, i: int) -> Array:
        """Return what the weights define there, in doubles: a number, or tokens ``(H, d)``."""
        layer, one = self.layer, np.ones((self.layer.N, 1))
        Z = np.concatenate([X, layer.codes, *(layer.codes[T[:, s]] for s in range(layer.q)), one], axis=1)
        means = []
        for G in layer.scores:
            scores = Z[i] @ G.mid @ Z.T
            weights = np.exp(scores - scores.max())
            means.append(weights @ Z / weights.sum())
        if layer.units is None:
            return np.stack([mean[: layer.d] for mean in means])
        units = sum(A.mid @ mean for A, mean in zip(layer.units, means, strict=True))
        return np.asarray(np.maximum(units, 0) @ layer.last + layer.shift)

    def witness(self, X: Array, T: Indices, i: int, h: int, slot: int) -> Witness:
        """Run the module on a prompt and return what it does there."""
        layer, t = self.layer, int(T[i, slot - 1])
        weights, output = self.attention(X, T, i, h), self.output(X, T, i)
        outside = float(sum(w for j, w in enumerate(weights.tolist()) if j != t))
        if layer.units is None:
            return Witness(X, T, i, h, outside, output[h], X[t])
        label = None if layer.u is None else float(sum(X[T[i]] @ layer.u) / np.sqrt(layer.q))
        return Witness(X, T, i, h, outside, float(output), label)
