"""A recurrent module is run beside the weights that were read from it: what it computes must be what they define."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorytools.errors import CertificateError
from theorytools.numbers.boxes import Box, exact
from theorytools.optional import require
from theorytools.trained.checkpoint import Array
from theorytools.trained.recurrent import Boxes, TrainedCell
from theorytools.trained.worst.prompts import Indices


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
