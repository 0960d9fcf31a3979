"""A certified module is run in its own arithmetic: on the prompt where it differs most, or beside its weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np

from theorytools.errors import CertificateError, DomainError
from theorytools.notebook import fields_html
from theorytools.numbers import Enclosure, End, euclidean, float_lower, total
from theorytools.numbers.boxes import Box, exact
from theorytools.optional import require
from theorytools.trained.layer import Array, TrainedLayer
from theorytools.trained.leaks import Indices
from theorytools.trained.recurrent import Boxes, TrainedCell


@dataclass(frozen=True, eq=False)
class Witness:
    """What the module does on one prompt, observed.

    Attributes
    ----------
    X, T : tokens ``(N, d)`` and indices ``(N, q)``, from 0.
    position, head : where and which head leaks.
    outside : the share of its weights that this head gives to other positions than the one asked for: of the numbers
        that the module returns as weights, formed exactly and rounded down.
    output : what the module returns there: a label, or the retrieved token.
    label : what is asked for: the label to the nearest double, the token, or None where no direction is known.
    error : the distance of the output from what is asked for, rounded down; None where no direction is known.
    """

    X: Array
    T: Indices
    position: int
    head: int
    outside: float
    output: Any
    label: Any
    error: float | None

    _repr_html_ = fields_html

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        return {
            "X": self.X.tolist(), "T": self.T.tolist(), "position": self.position, "head": self.head,
            "outside": self.outside, "output": np.asarray(self.output).tolist(),
            "label": None if self.label is None else np.asarray(self.label).tolist(),
        }  # fmt: skip


def share_outside(weights: Array, t: int) -> float:
    r"""Return the share :math:`\sum_{j\ne t}w_j/\sum_jw_j` of weights, of these very doubles, rounded down.

    A module's weights sum to one only up to its rounding, and a sum of them in floats depends on its order: either can
    come out above 1, and above a bound that is attained.

    Parameters
    ----------
    weights : numbers of at least 0, some of them larger, shape ``(N,)``.
    t : the position that is left out of the numerator.
    """
    exact = [Fraction(w) for w in weights.tolist()]
    whole = sum(exact)
    return float_lower(End((whole - exact[t]) / whole))


def distance_below(seen: Any, meant: Sequence[Enclosure]) -> float:
    """Return a lower bound of the Euclidean distance of doubles from enclosed numbers, at least 0."""
    gaps = [Enclosure(x) - y for x, y in zip(np.ravel(seen).tolist(), meant, strict=True)]
    return max(0.0, float_lower(euclidean(gaps).lower))


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
    from theorytools.training.networks import MergedAttention, SeparateAttention

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
        outside, output = share_outside(self.attention(X, T, i, h), t), self.output(X, T, i)
        if layer.units is None:
            meant = [Enclosure(x) for x in X[t].tolist()]
            return Witness(X, T, i, h, outside, output[h], X[t], distance_below(output[h], meant))
        if layer.u is None:
            return Witness(X, T, i, h, outside, float(output), None, None)
        terms = [Fraction(x) * Fraction(u) for s in T[i] for x, u in zip(X[s].tolist(), layer.u.tolist(), strict=True)]
        label = total(terms) / Enclosure(layer.q).sqrt()
        return Witness(X, T, i, h, outside, float(output), float(label), distance_below(output, [label]))


@dataclass(frozen=True, eq=False)
class RunningCell:
    """A module beside the cell that was read from it."""

    cell: TrainedCell
    module: Any

    @classmethod
    def of(cls, cell: TrainedCell, module: Any) -> RunningCell:
        """Return the module itself, or one that is made of weights by name."""
        if not isinstance(module, Mapping):
            return cls(cell, getattr(module, "cell", module))
        torch = require("torch")
        kind = {"gru": torch.nn.GRU, "lstm": torch.nn.LSTM}.get(cell.kind, torch.nn.RNN)
        more = {"nonlinearity": cell.kind} if kind is torch.nn.RNN else {}
        made = kind(cell.W_ih.shape[1], cell.width, batch_first=True, dtype=getattr(torch, cell.dtype), **more)
        arrays = {"weight_ih": cell.W_ih, "weight_hh": cell.W_hh, "bias_ih": cell.bias[0], "bias_hh": cell.bias[1]}
        made.load_state_dict({f"{name}_l0": torch.tensor(array) for name, array in arrays.items()})
        return cls(cell, made)

    def states(self, X: Array, T: Indices) -> Array:
        """Return what the module itself computes: the states after prefixes ``(count, m, d)``."""
        return self._numbers(self._run(self._encoded(X, T), None))

    def compare(self, X: Array, T: Indices) -> None:
        """Run prefixes whole and token by token; ``CertificateError`` for states that the weights do not define."""
        boxes, given, zero = Boxes(self.cell, own=True), self.cell.given(T), np.zeros(X.shape[::2])
        tokens = [Box(x, zero) for x in X.swapaxes(0, 1)]
        self._fits(self.states(X, T), boxes.after(boxes.start(len(X)), tokens, given))
        Z, state, before = self._encoded(X, T), None, boxes.start(len(X))
        for k, x in enumerate(tokens):  # from the module's own last state: no error grows over the tokens
            state = self._run(Z[:, k : k + 1], state)
            seen = self._numbers(state)
            self._fits(seen, boxes.step(before, x, given[k]))
            before = exact(seen)

    def _fits(self, seen: Array, meant: Box) -> None:
        fits = seen.shape == meant.mid.shape
        with np.errstate(invalid="ignore"):
            off = np.where(np.isfinite(meant.rad), np.abs(seen - meant.mid) - meant.rad, 0) if fits else np.ones(1)
        if not (off <= 0).all():
            k = int(np.argmax(np.nan_to_num(off, nan=np.inf)))
            raise CertificateError(
                f"a module whose state is {np.ravel(seen)[k]:.6g} where its weights define {np.ravel(meant.mid)[k]:.6g}"
                if fits else f"a module with states of shape {seen.shape}",
                required=f"the same within the rounding of {self.cell.dtype}",
                why="certified is what the weights define", advice="one layer, from the state 0, without dropout",
            )  # fmt: skip

    def _encoded(self, X: Array, T: Indices) -> Any:
        torch = require("torch")
        some, given = next(iter(self.module.parameters())), self.cell.given(T)
        Z = np.concatenate([X, np.broadcast_to(given, (len(X), *given.shape))], axis=2)
        return torch.tensor(Z, dtype=some.dtype, device=some.device)

    def _run(self, Z: Any, state: Any) -> Any:
        """The state after tokens from a state, as PyTorch's modules or its cells take and return them."""
        torch = require("torch")
        try:
            with torch.no_grad():
                if isinstance(self.module, torch.nn.RNNBase):
                    return self.module(Z if self.module.batch_first else Z.transpose(0, 1), state)[1]
                for z in Z.unbind(1):
                    state = self.module(z, state)
            return state
        except (TypeError, ValueError, RuntimeError, AttributeError) as error:  # another module of such weights
            raise CertificateError(
                f"a {type(self.module).__name__} that fails: {str(error).partition(chr(10))[0]:.200}",
                required="a call as of torch.nn.GRU, or of torch.nn.GRUCell", why="it is run beside its weights",
                advice="certify_states(module.state_dict(), …) for the weights alone",
            ) from None  # fmt: skip

    def _numbers(self, state: Any) -> Array:
        """The numbers of states, those of the forward direction where there are two."""
        torch = require("torch")
        parts = state if isinstance(state, tuple) else (state,)
        if not all(isinstance(part, torch.Tensor) for part in parts):
            return np.zeros(0)  # of no shape that fits
        kept = [part[0] if isinstance(self.module, torch.nn.RNNBase) else part for part in parts]
        return np.asarray(torch.cat(kept, dim=-1).double().cpu())
