r"""A module that answers prompts, beside its blocks: what it is given, what it returns, and what is right.

A prompt has tokens :math:`x_1,\dots,x_N`, and at each position indices :math:`t_1,\dots,t_q`.  A module is given them
as they are, ``forward(X, T)``, or encoded, ``forward(Z)`` with
:math:`z_i=(x_i,\omega_i,\omega_{t_{i1}},\dots,\omega_{t_{iq}})`.  It returns at each position a label, to be
:math:`q^{-1/2}\sum_s\langle u,x_{t_s}\rangle`, or the tokens :math:`x_{t_1},\dots,x_{t_q}` themselves.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from theorytools.blocks.network import Attention, Field, Map, Network
from theorytools.blocks.substitute import encoded, substituted
from theorytools.errors import DomainError
from theorytools.numbers.boxes import UNIT, Array, Box, exact, times
from theorytools.optional import require
from theorytools.trained.checkpoint import TYPES, array_of
from theorytools.trained.traced.program import Program, argument_names
from theorytools.trained.traced.tracing import Traced, from_torch
from theorytools.trained.worst.prompts import Indices, Prompts


@dataclass(frozen=True, eq=False)
class Answers:
    """A module and the prompts that it answers.

    Attributes
    ----------
    module, prompts : both.
    codes : what stands for positions in encoded tokens, ``(N, d_e)``; None for a module that takes indices.
    """

    module: Any
    prompts: Prompts
    codes: Array | None

    @cached_property
    def dtype(self) -> Any:
        """The type of the module's floats: that of its first parameter or buffer."""
        torch = require("torch")
        some = [*self.module.parameters(), *self.module.buffers()]
        return next((t.dtype for t in some if t.is_floating_point()), torch.float64)

    @property
    def table(self) -> Array | None:
        """The codes as the module is given them: rounded to its type."""
        torch = require("torch")
        return None if self.codes is None else np.asarray(torch.tensor(self.codes).to(self.dtype).double())

    @cached_property
    def traced(self) -> Traced:
        """The module's blocks on what it is given."""
        return from_torch(self.module, self._example)

    @property
    def _example(self) -> tuple[Any, ...]:
        """One prompt, of zeros and first positions."""
        p = self.prompts
        return self.inputs(np.zeros((1, p.N, p.d)), np.zeros((1, p.N, p.q), dtype=np.int64))

    @cached_property
    def network(self) -> Network:
        """The module's blocks on tokens and indices as fields, whatever it is given."""
        return self.canonical(self.traced.network)

    def canonical(self, network: Network) -> Network:
        """Return a network on what the module is given as one on tokens and indices."""
        p = self.prompts
        names, table = argument_names(self.module, self._example), self.table
        maps: dict[str, Map] = {}
        if table is not None:
            maps[names[0]] = encoded(p.d, table, p.q)
        else:
            maps[names[0]] = Map({"x": exact(np.eye(p.d))}, exact(np.zeros(p.d)))
            for field in network.fields:
                if field.word:
                    maps[field.name] = _word(field, names[1], p)
        for field in network.fields:
            if field.name in maps and maps[field.name].width != field.width:
                raise DomainError(
                    f"the input {field.name} of width {field.width}", required=f"width {maps[field.name].width}",
                    why=f"d = {p.d}, q = {p.q}" + ("" if table is None else f", d_e = {table.shape[1]}"),
                    advice="the direction, the codes and q that the module was trained with",
                )  # fmt: skip
        return substituted(network, p.fields, maps)

    def inputs(self, X: Array, T: Indices) -> tuple[Any, ...]:
        """Return prompts ``(n, N, d)``, ``(n, N, q)`` as the module takes them."""
        torch = require("torch")
        some = next(iter((*self.module.parameters(), *self.module.buffers())), torch.zeros(1))
        if self.codes is None:
            return torch.tensor(X).to(self.dtype).to(some.device), torch.tensor(T, device=some.device)
        own = np.broadcast_to(self.codes, (len(X), *self.codes.shape))
        Z = np.concatenate([X, own, *(self.codes[T[..., s]] for s in range(self.prompts.q))], axis=-1)
        return (torch.tensor(Z).to(self.dtype).to(some.device),)

    def given(self, X: Array) -> Array:
        """Return tokens as numbers of the module's type that lie in the class."""
        torch, p = require("torch"), self.prompts

        def cast(x: Array) -> Array:
            return np.asarray(torch.tensor(x).to(self.dtype).double())

        found = cast(X)
        if p.tokens == "signs" or not (np.abs(found - X) > 0).any():
            return found
        return cast(X * (1 - 4 * TYPES[str(self.dtype).removeprefix("torch.")]))  # nearest may lie outside

    def outputs(self, X: Array, T: Indices) -> Array:
        """Return what the module returns, labels ``(n, N, 1)`` or ``(n, 1, 1)``, or tokens ``(n, N, q d)``."""
        torch = require("torch")
        with torch.no_grad():
            found = self.module(*self.inputs(X, T))
        found = found[0] if isinstance(found, tuple) else found
        seen = np.asarray(found.detach().double().cpu())
        n, N = X.shape[:2]
        p = self.prompts
        at_each = (n, N), (n, N, 1), (n, N, p.d * p.q), (n, N, p.q, p.d)
        if seen.shape not in (at_each if self.network.at is None else ((n,), (n, 1))):
            raise DomainError(
                f"a module that returns an array of shape {seen.shape} for {n} prompts",
                required=f"labels ({n}, {N}), or at one position ({n},), or tokens ({n}, {N}, {p.q}, {p.d})",
                why="answers are compared position by position", advice="a module around it that returns these",
            )  # fmt: skip
        return seen.reshape(n, N if self.network.at is None else 1, -1)

    @property
    def returns_tokens(self) -> bool:
        """Whether the module returns the tokens that are asked for, not a label."""
        width, p = self.network.output.width, self.prompts
        if not self.network.each or width not in (1, p.d * p.q):
            raise DomainError(
                f"a module that returns {width} numbers " + ("a position" if self.network.each else "a prompt"),
                required="one label at each position" if p.d * p.q == 1 else
                f"one label at each position, or the {p.q * p.d} numbers of the tokens that it asks for",
                why="answers are compared position by position",
            )  # fmt: skip
        return width != 1

    def row(self, u: Array) -> Box:
        r"""Return what makes a label of what the module returns: 1, or :math:`u/\sqrt q` for each slot, ``(1, w)``."""
        if not self.returns_tokens:
            return exact(np.ones((1, 1)))
        found = np.tile(u / np.sqrt(float(self.prompts.q)), self.prompts.q)[None]
        return Box(found, np.zeros_like(found) if self.prompts.q == 1 else 3 * UNIT * np.abs(found))

    def labelled(self, u: Array) -> Network:
        """Return the network whose output is the label in a direction."""
        if not self.returns_tokens:
            return self.network
        row, out = self.row(u), self.network.output
        parts = {name: times(row, part) for name, part in out.parts.items()}
        return replace(self.network, output=Map(parts, times(row, out.shift.reshape(-1, 1)).reshape(-1)))

    def labels(self, X: Array, T: Indices, u: Array) -> tuple[Array, Array]:
        """Return labels as the module has them, and as they are right, each ``(n, N)`` or ``(n, 1)``, in doubles."""
        tokens = np.take_along_axis(X, T.reshape(len(X), -1, 1), axis=1).reshape(*T.shape, -1).sum(2)
        right, at = tokens @ u / np.sqrt(self.prompts.q), self.network.at
        return self.outputs(X, T) @ self.row(u).mid[0], right if at is None else right[:, [at]]

    def bounds(self) -> dict[str, Array]:
        """Return for each argument of the module how large it is over the class, as ``rounding`` takes it."""
        p, program = self.prompts, self.traced.program
        tokens = np.full((p.N, p.d), p.radius)
        if self.table is None:
            indices = np.full((p.N, p.q), p.N)
            return dict(zip(names(program), (tokens[None], indices[None]), strict=True))
        largest = np.abs(self.table).max(0)
        own = [np.abs(self.table), *(np.broadcast_to(largest, self.table.shape) for _ in range(p.q))]
        return {names(program)[0]: np.concatenate([tokens, *own], axis=1)[None]}


def names(program: Program) -> list[str]:
    """Return the names of a program's inputs."""
    return [one.name for one in program.inputs]


def answers(module: Any, prompts: Prompts, codes: Array | None) -> Answers:
    """Return a module and the prompts that it answers; codes are for ``forward(Z)`` alone.

    Raises
    ------
    DomainError : a ``forward`` of neither kind, signs whose modulus the module's type does not have.
    """
    net = Answers(module, prompts, codes if taken(module) == 1 else None)
    r = np.array([prompts.radius])
    if prompts.tokens == "signs" and net.given(r) != r:
        raise DomainError(
            f"radius = {prompts.radius!r}", required=f"a number of the module's type {net.dtype}",
            why="signs are the radius and its negative, and the module would be given other tokens",
            advice=f"radius={float(net.given(r)[0])!r}",
        )  # fmt: skip
    return net


def taken(module: Any) -> int:
    """Return how many tensors ``forward`` must be given: encoded tokens, or tokens and indices."""
    needed = [p for p in inspect.signature(module.forward).parameters.values()
              if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]  # fmt: skip
    if len(needed) not in (1, 2):
        raise DomainError(
            f"forward({', '.join(p.name for p in needed)})", required="forward(Z) or forward(X, T)",
            why="a prompt is encoded tokens, or tokens and indices", advice="a module around it with such a forward",
        )  # fmt: skip
    return len(needed)


def table_of(codes: Any) -> Array | None:
    """Return codes as an array ``(N, d_e)``: of an object with ``matrix()``, a tensor or an array."""
    if codes is None:
        return None
    table = array_of("codes", codes.matrix() if hasattr(codes, "matrix") else codes)
    if table.ndim != 2 or not table.size:
        raise DomainError(f"codes of shape {table.shape}", required="finite numbers, shape (N, d_e)",
                          why="each position has a code")  # fmt: skip
    return table


def _word(field: Field, argument: str, prompts: Prompts) -> Map:
    inner = field.name.removeprefix(argument).strip("[]")
    slot = int(inner) + 1 if inner else 1
    if field.width < prompts.N:
        raise DomainError(
            f"indices into a table of {field.width} rows", required=f"N = {prompts.N} rows",
            why="an index is any position", advice=f"N={field.width}",
        )  # fmt: skip
    return Map({f"slot{slot}": exact(np.eye(field.width, prompts.N))}, exact(np.zeros(field.width)))


def named(network: Network) -> tuple[str, ...]:
    """Return the blocks of a network in words."""
    found = []
    for block in network.blocks:
        word = type(block).__name__
        if isinstance(block, Attention):
            word += f" with {len(block.heads)} head{'s' * (len(block.heads) > 1)}"
        else:
            word = getattr(block, "kind", word)
        found.append(word)
    return tuple(found) or ("an affine map",)
