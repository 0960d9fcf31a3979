r"""A user's recurrent network with its state rounded to a few bits after every symbol, as a counted machine.

Every carried number is one of the :math:`2^p` cells of ``[-span, span]``, kept as the number of the cell and read as
its middle; numbers beyond the span fall into the last cell, as in a fixed-point register.  With :math:`m` numbers,
those of all layers and of the memory cells of an LSTM included, there are at most :math:`2^{mp}` states.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from theorytools.arguments.checked import PositiveInt, checked, ranks
from theorytools.constructions.shapes import indices, shaped
from theorytools.errors import DomainError
from theorytools.optional import require
from theorytools.tasks.automaton import symbols_of
from theorytools.theory.memory.integer_states import Integers

if TYPE_CHECKING:
    import torch


_MODULES = ("RNNCell", "GRUCell", "LSTMCell", "RNN", "GRU", "LSTM")


@checked
@dataclass(frozen=True, eq=False)
class QuantisedRecurrence:
    r"""A torch recurrent module whose carried numbers are rounded to ``p`` bits after each symbol.

    Parameters
    ----------
    module : ``torch.nn.RNNCell``, ``GRUCell``, ``LSTMCell``, ``RNN``, ``GRU`` or ``LSTM``, one direction.
    p : bits of a number, 1 to 24.
    letters : size of the alphabet.
    readout : ``readout(values, positions) -> scores``: the rounded state ``(R, m)`` and the positions asked ``(R,)`` to
        scores ``(R, letters)``; the largest is the answer.  Without it there is no answer of its own.
    embed : ``embed(symbols, t) -> x`` ``(R, input_size)``; one-hot vectors by default.
    span : half the length of the interval that is divided; one number, or one for each carried tensor (h, c).

    Raises
    ------
    DomainError
        For any other module, two directions, projections, dropout that is on, ``p`` or spans outside their range.
    """

    module: torch.nn.Module
    p: int
    letters: PositiveInt = 2
    readout: Callable[[Any, Any], Any] | None = None
    embed: Callable[[Any, int], Any] | None = None
    span: float | tuple[float, ...] = 1.0

    def __post_init__(self) -> None:
        kind = next((k.__name__ for k in type(self.module).__mro__ if k.__name__ in _MODULES), None)
        if kind is None:
            raise DomainError(
                f"a module of type {type(self.module).__name__}",
                required=", ".join(_MODULES),
                why="the numbers carried to the next symbol must be known",
                advice="a class with start and step(h, symbols, t), or InternedRecurrence",
            )
        module: Any = self.module
        random = getattr(module, "dropout", 0) > 0 and module.training and getattr(module, "num_layers", 1) > 1
        if getattr(module, "bidirectional", False) or getattr(module, "proj_size", 0) or random:
            raise DomainError(f"{module}", required="one direction, no projection, no dropout that is on",
                              why="the state is a function of the last state and the symbol")  # fmt: skip
        spans = (self.span,) * self.tensors if not isinstance(self.span, tuple) else self.span
        if not 1 <= self.p <= 24 or len(spans) != self.tensors or not all(0 < s < np.inf for s in spans):
            raise DomainError(f"p = {self.p}, span = {self.span}", required="1 <= p <= 24, positive spans, one for "
                              f"each of {self.tensors} carried tensors", why="2**p cells of [-span, span]")  # fmt: skip
        object.__setattr__(self, "span", tuple(map(float, spans)))

    @property
    def tensors(self) -> int:
        """Carried tensors: h, and c of an LSTM."""
        return 2 if any("LSTM" in k.__name__ for k in type(self.module).__mro__) else 1

    @property
    def numbers(self) -> int:
        """The number ``m`` of carried numbers."""
        module: Any = self.module
        return int(self.tensors * getattr(module, "num_layers", 1) * module.hidden_size)

    @property
    def bits(self) -> int:
        """Bits of the state, :math:`mp`."""
        return self.numbers * self.p

    @property
    def start(self) -> Integers:
        """The cell to the right of 0, for every number."""
        return np.full(self.numbers, 1 << (self.p - 1), dtype=np.int64)

    def _spans(self) -> Any:
        return np.repeat(np.array(self.span), self.numbers // self.tensors)

    @ranks(h=2)
    def values(self, h: Integers) -> Any:
        """Return the middles of the cells as a tensor of the module's type, shape ``(R, m)``."""
        torch = require("torch")

        h = indices("h", h, 1 << self.p, "R", self.numbers)
        weight = next(self.module.parameters())
        return torch.as_tensor(((2 * h + 1) * 2.0**-self.p - 1) * self._spans()).to(weight)

    @ranks(h=2, symbols=1)
    def step(self, h: Integers, symbols: Integers, t: int) -> Integers:
        """Return the cells after one symbol each.

        Raises
        ------
        DomainError
            For cells or symbols of another number or range, and inputs of another size than the module's.
        """
        torch = require("torch")

        module: Any = self.module
        symbols = symbols_of(symbols, self.letters, "symbols")
        shaped("symbols", symbols, len(h))
        if not self.embed:
            self._sized(self.letters)
        with torch.no_grad():
            state = self.values(h)
            names = torch.as_tensor(symbols, device=state.device)
            x = self.embed(names, t) if self.embed else torch.nn.functional.one_hot(names, self.letters).to(state)
            shaped("inputs", x, len(h), "input_size")
            self._sized(x.shape[1])
            layers = getattr(module, "num_layers", None)
            shape = (len(h), self.tensors, layers or 1, module.hidden_size)
            parts = state.reshape(shape).permute(1, 2, 0, 3).contiguous()
            if layers is None:
                out = module(x, tuple(parts[:, 0]) if self.tensors == 2 else parts[0, 0])
            else:
                x = x[:, None] if module.batch_first else x[None]
                out = module(x, tuple(parts) if self.tensors == 2 else parts[0])[1]
            out = torch.stack(out if self.tensors == 2 else (out,))
            out = out.reshape(self.tensors, layers or 1, len(h), -1).permute(2, 0, 1, 3).reshape(len(h), -1)
        return self._cells(out.double().cpu().numpy())

    def _sized(self, size: int) -> None:
        module: Any = self.module
        if size != module.input_size:
            raise DomainError(
                f"inputs of size {size}, one-hot ones of the size of the alphabet unless embed is given",
                required=f"input_size = {module.input_size}",
                why="the module's weights have this size",
                advice="letters of that number, or embed",
            )

    def _cells(self, values: Any) -> Integers:
        if not np.isfinite(values).all():
            raise DomainError("a state that is not finite", required="finite numbers", why="it has no cell")
        cells = np.floor((values / self._spans() + 1) * 2.0 ** (self.p - 1))
        return np.clip(cells, 0, (1 << self.p) - 1).astype(np.int64)

    @ranks(h=2, p=1)
    def answer(self, h: Integers, p: Integers) -> Integers:
        """Return the module's own answers: the symbol with the largest score."""
        torch = require("torch")

        if self.readout is None:
            raise DomainError("no read-out", required="readout(values, positions) -> scores", why="it answers")
        with torch.no_grad():
            values = self.values(h)
            shaped("p", p, len(h))
            scores = self.readout(values, torch.as_tensor(np.asarray(p), device=values.device))
            shaped("scores", scores, len(h), "letters")
            return np.asarray(scores.argmax(dim=-1).cpu().numpy())


@checked
@dataclass(frozen=True, eq=False)
class InternedRecurrence:
    """A model whose states are any hashable Python values; each is known by the number it gets when first met.

    Parameters
    ----------
    first : the state before the first symbol.
    function : ``function(state, symbol, t) -> state``, a function of these three.
    """

    first: Hashable
    function: Callable[[Any, int, int], Hashable]
    _known: dict[Any, int] = field(default_factory=dict, repr=False)
    _objects: list[Any] = field(default_factory=list, repr=False)

    def _number(self, state: Hashable) -> int:
        try:
            number = self._known.setdefault(state, len(self._objects))
        except TypeError:
            given = f"a state of type {type(state).__name__}"
            raise DomainError(given, required="hashable states", why="they are told apart", advice="a tuple") from None
        if number == len(self._objects):
            self._objects.append(state)
        return number

    @property
    def start(self) -> Integers:
        """The number of the first state."""
        return np.array([self._number(self.first)])

    @ranks(h=2)
    def states(self, h: Integers) -> list[Any]:
        """Return the states themselves, for numbers ``(R, 1)`` that were given."""
        return [self._objects[int(number)] for number in indices("h", h, len(self._objects), "R", 1)[:, 0]]

    @ranks(h=2, symbols=1)
    def step(self, h: Integers, symbols: Integers, t: int) -> Integers:
        """Return the numbers of the states after one symbol each."""
        shaped("symbols", symbols, len(h))
        after = (self.function(s, int(a), t) for s, a in zip(self.states(h), symbols, strict=True))
        return np.array([[self._number(state)] for state in after], dtype=np.int64).reshape(-1, 1)
