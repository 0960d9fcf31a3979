r"""The largest error of a module's labels over all prompts of a class, and the prompt that shows it.

A prompt has tokens :math:`x_1,\dots,x_N`, and at each position indices :math:`t_1,\dots,t_q`; its label there is
:math:`q^{-1/2}\sum_s\langle u,x_{t_s}\rangle`.  Any torch module of attention or of recurrent layers that answers such
prompts is traced into blocks (:mod:`.traced.tracing`), the error over all prompts is bounded (one layer of attention:
:mod:`.worst.supremum` for a linear read-out, where it is exact for one head, :mod:`.worst.tail` for what bends behind
it; several: :mod:`.worst.several_layers`; recurrent networks: :mod:`.worst.recurrent_error`), what the module's own
floats can add is bounded (:mod:`.floats.module_rounding`), and the module is run on the worst prompt that was found.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from theorytools.arguments.checked import BODY, PositiveInt, checked
from theorytools.blocks.network import Attention, Field, Map, Network, Recur
from theorytools.blocks.substitute import encoded, substituted
from theorytools.errors import CertificateError, DomainError
from theorytools.notebook import fields_html
from theorytools.numbers.boxes import Array, exact
from theorytools.optional import require
from theorytools.trained.floats.module_rounding import rounding
from theorytools.trained.layer import array_of
from theorytools.trained.traced.program import Program, argument_names
from theorytools.trained.traced.tracing import from_torch
from theorytools.trained.worst.prompts import Indices, Prompts
from theorytools.trained.worst.recurrent_error import recurrent_error
from theorytools.trained.worst.several_layers import layers_error
from theorytools.trained.worst.state_rounding import states_off
from theorytools.trained.worst.supremum import largest_label_error
from theorytools.trained.worst.tail import tail_error

Progress = Callable[[int, int], None]
TYPES = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}


@dataclass(frozen=True, eq=False)
class LabelCertificate:
    r"""What is proved of a module's labels, over all prompts of a class; made by :func:`certify_labels`.

    Attributes
    ----------
    prompts : the class.
    dtype : the type of the module's weights.
    blocks : what the module was traced into, in order.
    real : an upper bound of the largest error for the real numbers that the weights define.
    exact : whether a prompt attains it, up to the rounding of the bound.
    rounding : what the module's own floats can add; infinite where nothing is proved of them, as behind a norm of what
        may be nearly constant.
    error : an upper bound of the largest error of the labels that the module computes.
    found : the error of the module itself on the prompt below: no bound can be smaller.
    X, T, at : that prompt, ``(N, d)`` and ``(N, q)``, and the position where it is.
    output, label : what the module returns there, and what is right.
    """

    prompts: Prompts
    dtype: str
    blocks: tuple[str, ...]
    real: float
    exact: bool
    rounding: float
    error: float
    found: float
    X: Array
    T: Indices
    at: int
    output: float
    label: float

    _repr_html_ = fields_html

    def within(self, error: float) -> bool:
        """Whether no label that the module computes is off by more than ``error``, on any prompt of the class."""
        return self.error <= error

    def __str__(self) -> str:
        p, asked = self.prompts, ", ".join(map(str, self.T[self.at].tolist()))
        tokens = {"signs": f"entries ±{p.radius:g}", "box": f"entries within ±{p.radius:g}",
                  "ball": f"norm at most {p.radius:g}"}[p.tokens]  # fmt: skip
        attained = ", which a prompt attains," if self.exact else ""
        rounded = (
            f"; what the rounding of {self.dtype} can add is not bounded" if np.isinf(self.rounding) else
            f", and {self.rounding:.2g} more for the rounding of {self.dtype}"
        )  # fmt: skip
        return (
            f"On every prompt of N = {p.N} tokens with {tokens} and any indices a label is off by at most "
            f"{self.real:.6g}{attained} for the real numbers of the weights{rounded}.\n"
            f"The module itself is off by {self.found:.6g} on the prompt that was found, at position {self.at}, which "
            f"asks for {asked}: it returns {self.output:.6g} where {self.label:.6g} is right.\n"
            f"It was read as {', '.join(self.blocks)}."
        )


@checked
def certify_labels(
    module: Annotated[Any, BODY], direction: Annotated[Any, BODY], *, codes: Annotated[Any, BODY] = None,
    N: PositiveInt | None = None, q: PositiveInt = 1, tokens: Literal["signs", "box", "ball"] = "signs",
    radius: float = 1.0, progress: Annotated[Any, BODY] = None,
) -> LabelCertificate:  # fmt: skip
    r"""Bound the error of a module's labels over all prompts of a class, and find a prompt where it is large.

    Parameters
    ----------
    module : a ``torch.nn.Module`` of attention or of recurrent layers, in evaluation mode; boxes and balls are for one
        layer of attention.  ``forward(Z)`` takes encoded tokens
        :math:`z_i=(x_i,\omega_i,\omega_{t_{i1}},\dots,\omega_{t_{iq}})`, shape ``(n, N, d + (q + 1) d_e)``;
        ``forward(X, T)`` takes tokens ``(n, N, d)`` and indices ``(n, N, q)``.  It returns labels, ``(n, N)`` or
        ``(n, N, 1)``, or those at one position, ``(n,)`` or ``(n, 1)``.
    direction : :math:`u` of the labels :math:`q^{-1/2}\sum_s\langle u,x_{t_s}\rangle`, shape ``(d,)``.
    codes : :math:`\omega`, shape ``(N, d_e)``, for ``forward(Z)``.
    N : the number of positions, for ``forward(X, T)``.
    q : index slots.
    tokens, radius : ``"signs"`` :math:`\pm r`, ``"box"`` :math:`|x_k|\le r` or ``"ball"`` :math:`\lVert x\rVert\le r`.
    progress : a callback ``(done, total)``.

    Raises
    ------
    DomainError : a module outside what is traced or bounded, named by its operator or block; sizes that do not fit.
    CertificateError : a module that does not return the labels that its blocks define.
    BudgetError : more work than can be done.
    MissingPackageError : without torch.

    Returns
    -------
    LabelCertificate : the bound, and the prompt.

    Examples
    --------
    >>> import torch
    >>> from theorytools import BlockAttention, hadamard
    >>> class Model(torch.nn.Module):
    ...     def __init__(self, net):
    ...         super().__init__()
    ...         self.attention, self.read = net.module(), torch.nn.Linear(2, 1, bias=False, dtype=torch.float64)
    ...         self.read.weight.data = torch.tensor([[0.6, 0.8]], dtype=torch.float64)
    ...     def forward(self, X, T):
    ...         return self.read(self.attention(X, T)[:, :, 0])[..., 0]
    >>> net = BlockAttention(hadamard(8), beta=6, q=1, d=2)
    >>> made = certify_labels(Model(net), [0.6, 0.8], N=8)
    >>> made.exact, f"{made.error:.4e}, {made.found:.4e}, {2.8 * float(net.leakage()):.4e}"
    (True, '4.7755e-02, 4.7755e-02, 4.7755e-02')
    """
    u = _direction(direction)
    if progress is not None and not callable(progress):
        raise DomainError(f"progress = {progress!r:.60}", required="a callback (done, total), or None",
                          why="it is called as the work goes on")  # fmt: skip
    if not hasattr(module, "forward") or not hasattr(module, "state_dict"):
        raise DomainError(
            f"a {type(module).__name__}", required="a torch.nn.Module", why="its operators are read",
            advice="load the checkpoint into the module that was trained, and give the module",
        )  # fmt: skip
    taken = _taken(module)
    table = _codes(codes, taken)
    prompts = Prompts(_positions(table, N), len(u), q, tokens, radius)
    running = Running(module, prompts, table)
    traced = from_torch(module, running.example)
    network = _canonical(traced.network, prompts, argument_names(module, running.example), running.table)
    found = _largest(network, prompts, u, progress)
    return _certificate(running, network, found, u, _off(running, traced.program, network))


def _direction(direction: Any) -> Array:
    u = array_of("direction", direction)
    if u.ndim != 1 or not u.size or not np.isfinite(u).all():
        raise DomainError(f"a direction of shape {u.shape}", required="finite numbers, shape (d,)",
                          why="labels are sums of <u, x>")  # fmt: skip
    return u


def _taken(module: Any) -> int:
    """How many tensors ``forward`` must be given: encoded tokens, or tokens and indices."""
    needed = [p for p in inspect.signature(module.forward).parameters.values()
              if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]  # fmt: skip
    if len(needed) not in (1, 2):
        raise DomainError(
            f"forward({', '.join(p.name for p in needed)})", required="forward(Z) or forward(X, T)",
            why="a prompt is encoded tokens, or tokens and indices", advice="a module around it with such a forward",
        )  # fmt: skip
    return len(needed)


def _codes(codes: Any, taken: int) -> Array | None:
    if (codes is None) != (taken == 2):
        raise DomainError(
            "codes" if codes is not None else "no codes",
            required="codes for forward(Z), none for forward(X, T)", advice="codes=…, shape (N, d_e), or N=…",
            why="encoded tokens hold codes; a module that takes indices looks them up itself",
        )  # fmt: skip
    if codes is None:
        return None
    table = array_of("codes", codes.matrix() if hasattr(codes, "matrix") else codes)
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise DomainError(f"codes of shape {table.shape}", required="finite numbers, shape (N, d_e)",
                          why="each position has a code")  # fmt: skip
    return table


def _positions(table: Array | None, N: int | None) -> int:
    if table is not None and N not in (None, len(table)):
        raise DomainError(f"N = {N} with {len(table)} codes", required="one code for each position")
    if table is None and N is None:
        raise DomainError("no N", required="the number of positions", why="forward(X, T) does not tell", advice="N=…")
    return len(table) if table is not None else int(N or 0)


@dataclass(frozen=True, eq=False)
class Running:
    """A module, the prompts that it is given, and the codes in its own type where it takes encoded tokens."""

    module: Any
    prompts: Prompts
    codes: Array | None

    @property
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

    @property
    def example(self) -> tuple[Any, ...]:
        """One prompt, of zeros and first positions."""
        p = self.prompts
        return self.inputs(np.zeros((1, p.N, p.d)), np.zeros((1, p.N, p.q), dtype=np.int64))

    def inputs(self, X: Array, T: Indices) -> tuple[Any, ...]:
        """Return prompts ``(n, N, d)``, ``(n, N, q)`` as the module takes them."""
        torch = require("torch")
        if self.codes is None:
            return torch.tensor(X).to(self.dtype), torch.tensor(T)
        own = np.broadcast_to(self.codes, (len(X), *self.codes.shape))
        Z = np.concatenate([X, own, *(self.codes[T[..., s]] for s in range(self.prompts.q))], axis=-1)
        return (torch.tensor(Z).to(self.dtype),)

    def labels(self, X: Array, T: Indices) -> Array:
        """Return what the module returns, ``(n, N)``, or ``(n, 1)`` of one that is asked at one position."""
        torch = require("torch")
        with torch.no_grad():
            given = self.module(*self.inputs(X, T))
        given = given[0] if isinstance(given, tuple) else given
        found = np.asarray(given.detach().double().cpu())
        n, N = X.shape[:2]
        if found.shape not in ((n, N), (n, N, 1), (n,), (n, 1)):
            raise DomainError(
                f"a module that returns an array of shape {found.shape} for {n} prompts",
                required=f"one label at each position, ({n}, {N}), or at one, ({n},)",
                why="labels are compared position by position",
                advice="a module around it that returns labels",
            )  # fmt: skip
        return found.reshape(n, -1)


def _canonical(network: Network, prompts: Prompts, names: tuple[str, ...], table: Array | None) -> Network:
    """The network on tokens and indices as fields, whatever the module is given."""
    maps: dict[str, Map] = {}
    if table is not None:
        maps[names[0]] = encoded(prompts.d, table, prompts.q)
    else:
        maps[names[0]] = Map({"x": exact(np.eye(prompts.d))}, exact(np.zeros(prompts.d)))
        words = [f for f in network.fields if f.word]
        for field in words:
            maps[field.name] = _word(field, names[1], prompts)
    wanted = {field.name: field.width for field in network.fields}
    for name, width in wanted.items():
        if name in maps and maps[name].width != width:
            raise DomainError(
                f"the input {name} of width {width}", required=f"width {maps[name].width}",
                why=f"d = {prompts.d}, q = {prompts.q}" + ("" if table is None else f", d_e = {table.shape[1]}"),
                advice="the direction, the codes and q that the module was trained with",
            )  # fmt: skip
    return substituted(network, prompts.fields, maps)


def _word(field: Field, argument: str, prompts: Prompts) -> Map:
    inner = field.name.removeprefix(argument).strip("[]")
    slot = int(inner) + 1 if inner else 1
    if field.width < prompts.N:
        raise DomainError(
            f"indices into a table of {field.width} rows", required=f"N = {prompts.N} rows",
            why="an index is any position", advice=f"N={field.width}",
        )  # fmt: skip
    return Map({f"slot{slot}": exact(np.eye(field.width, prompts.N))}, exact(np.zeros(field.width)))


def _largest(network: Network, prompts: Prompts, u: Array, progress: Progress | None) -> Any:
    if not network.each or network.output.width != 1:
        raise DomainError(
            f"a module that returns {network.output.width} numbers " + ("a position" if network.each else "a prompt"),
            required="one label at each position", why="labels are compared position by position",
        )  # fmt: skip
    if any(isinstance(block, Recur) for block in network.blocks):
        return recurrent_error(network, prompts, u, progress=progress)
    layers = sum(isinstance(block, Attention) for block in network.blocks)
    if layers > 1:
        return layers_error(network, prompts, u, progress=progress)
    if not layers:
        raise DomainError(
            f"no layer in which positions meet: {', '.join(named(network))}",
            required="attention or a recurrent layer", why="a position must be told what it asks for",
        )  # fmt: skip
    if isinstance(network.blocks[-1], Attention):
        return largest_label_error(network, prompts, u, progress=progress)
    return tail_error(network, prompts, u, progress=progress)


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


def _certificate(running: Running, network: Network, found: Any, u: Array, off: float) -> LabelCertificate:
    prompts, dtype = running.prompts, str(running.dtype).removeprefix("torch.")
    X, T = found.X[None], found.T[None]
    column = found.at if network.at is None else 0
    seen = float(running.labels(X, T)[0, column])
    meant = float(network(**prompts.inputs(X, T))[0].reshape(-1)[column])
    allowed = off + 1e-9 * max(1.0, abs(meant))
    if not abs(seen - meant) <= allowed:
        raise CertificateError(
            f"a module that returns {seen:.6g} where its blocks define {meant:.6g}",
            required=f"the same within {allowed:.3g}, the rounding of {dtype}",
            why="what is certified is the function that was traced", advice="module.eval()",
        )  # fmt: skip
    label = float(found.X[found.T[found.at]].sum(0) @ u / np.sqrt(prompts.q))
    error = float(np.nextafter(found.upper + off, np.inf))
    return LabelCertificate(
        prompts, dtype, named(network), found.upper, found.exact, off, error, abs(seen - label), found.X, found.T,
        found.at, seen, label,
    )  # fmt: skip


def _off(running: Running, program: Program, network: Network) -> float:
    """What the module's floats can add to the error of a label."""
    prompts = running.prompts
    tokens = np.full((prompts.N, prompts.d), prompts.radius)
    if running.table is None:
        indices = np.full((prompts.N, prompts.q), prompts.N)
        bounds = dict(zip((one.name for one in program.inputs), (tokens[None], indices[None]), strict=True))
    else:
        largest = np.abs(running.table).max(0)
        own = [np.abs(running.table), *(np.broadcast_to(largest, running.table.shape) for _ in range(prompts.q))]
        bounds = {program.inputs[0].name: np.concatenate([tokens, *own], axis=1)[None]}
    states = states_off(program, network, prompts)
    return float(np.max(rounding(program, bounds, states=states).output))
