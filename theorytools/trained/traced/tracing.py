r"""An ordinary torch module as the one form of networks: ``from_torch(module, example)``.

The program of the module (:func:`.exported`) is followed operator by operator: arrays of linear forms, of scores and of
attention's weights (:mod:`.forms`, :mod:`.scores`), and blocks for what bends (:mod:`.tape`).  Nothing is matched by
names.  What comes out is compared with the module itself, in doubles, on a batch of three prompts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from typing import Annotated, Any

import numpy as np

from theorytools.arguments.checked import BODY, checked
from theorytools.blocks.network import Field, Map, Network
from theorytools.errors import DomainError
from theorytools.numbers.boxes import Box, exact
from theorytools.optional import require
from theorytools.trained.traced.forms import NONE, Forms, Inexpressible, map_of
from theorytools.trained.traced.in_doubles import compared
from theorytools.trained.traced.merging import merged
from theorytools.trained.traced.operators import result_of
from theorytools.trained.traced.program import RECURRENT, Node, Program, Ref, exported
from theorytools.trained.traced.rules import State, Words
from theorytools.trained.traced.tape import Tape

# on the way of weights and states to the module's end
_CARRIES = frozenset({
    "alias", "clone", "cat", "expand", "last_cells", "mean", "permute", "select", "squeeze", "stack", "unsqueeze",
    "view", "where",
})  # fmt: skip


@dataclass(frozen=True, eq=False)
class Traced:
    """A module as a network.

    Attributes
    ----------
    network : its blocks; fields are named after the arguments of ``forward``: ``Z`` of shape ``(n, N, D)`` is the field
        ``Z`` of width ``D``, whole numbers ``T`` of shape ``(n, N, q)`` are the words ``T[0]``, …, ``T[q-1]``, of
        shape ``(n, N)`` the word ``T``.
    program : the operators that were followed.
    gap : the largest distance of network and module, both in doubles, on three random prompts.
    allowed : how large it may be by rounding, to first order.
    left_out : what ``forward`` returns beside the first: weights of attention or last states.
    nodes : by the field that a block writes, the name of the program's node that it stands for.
    forms : what nodes are as linear forms of fields, by their names; those that are no such forms are left out.
    """

    network: Network
    program: Program
    gap: float
    allowed: float
    left_out: tuple[str, ...] = ()
    nodes: Mapping[str, str] = dataclass_field(default_factory=dict)
    forms: Mapping[str, Forms] = dataclass_field(default_factory=dict)

    def _repr_svg_(self) -> str:
        """The picture of the network, for a notebook."""
        from theorytools.blocks.drawing import drawing

        return drawing(self.network)


@checked
def from_torch(module: Annotated[Any, BODY], example: Annotated[Any, BODY]) -> Traced:
    """Return a torch module as a network, compared with it in doubles.

    Parameters
    ----------
    module : any ``torch.nn.Module`` in evaluation mode, of 16, 32 or 64 bits; it is never changed.
    example : what ``forward`` takes: a tensor or a tuple of them; floats ``(n, N, D)``, whole numbers ``(n, N, q)`` or
        ``(n, N)``.  Only shapes and types are used.

    Raises
    ------
    DomainError : what no block expresses, with the operator, the line it comes from and the remedy; training mode;
        numbers that are not finite; arguments without an axis of positions.
    CertificateError : network and module differ by more than rounding explains.
    MissingPackageError : without torch.

    Returns
    -------
    Traced : the network, and how it was compared.

    Examples
    --------
    >>> import torch
    >>> layer = torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, dtype=torch.float64).eval()
    >>> made = from_torch(layer, torch.zeros(1, 3, 4, dtype=torch.float64))
    >>> [type(block).__name__ for block in made.network.blocks], made.gap < 1e-12
    (['Attention', 'Norm', 'Activation', 'Norm'], True)
    """
    example = tuple(example) if isinstance(example, tuple | list) else (example,)
    _admit(module, example)
    program = exported(module, *(one[:1] for one in example))
    N = program.inputs[0].shape[1]
    tracer = _Tracer(program, State(Tape(N)))
    output, left_out = tracer.output()
    network = _network(tracer, output)
    gap, allowed = compared(module, example, network)
    forms = {name: tracer.values[name] for name in tracer.nodes if isinstance(tracer.values.get(name), Forms)}
    return Traced(network, program, gap, allowed, left_out, tracer.written, forms)


def _admit(module: Any, example: tuple[Any, ...]) -> None:
    torch = require("torch")
    if not isinstance(module, torch.nn.Module) or not example or not all(isinstance(a, torch.Tensor) for a in example):
        raise DomainError(
            f"a {type(module).__name__} with an example of {', '.join(type(a).__name__ for a in example) or 'nothing'}",
            required="a torch.nn.Module, and the tensors that its forward takes", why="its operators are written down",
            advice="from_torch(module, torch.zeros(1, N, D))",
        )  # fmt: skip
    for name, part in module.named_modules():
        if part.training and _random(part):
            raise DomainError(
                f"{name or 'the module'}, a {type(part).__name__}, in training mode", required="module.eval()",
                why="dropout draws at random, and batch norm mixes the prompts of a batch",
            )  # fmt: skip
    for k, one in enumerate(example):
        wanted = (3,) if one.is_floating_point() else (2, 3)
        if one.ndim not in wanted or 0 in one.shape:
            raise DomainError(
                f"argument {k + 1} of shape {tuple(one.shape)} and type {str(one.dtype).removeprefix('torch.')}",
                required="real numbers (n, N, D), or whole ones (n, N) or (n, N, q)",
                why="a prompt holds one vector or word at each of N positions: the second axis",
                advice="give each position its vector, with batch_first=True",
            )  # fmt: skip
        held = {p.dtype for p in (*module.parameters(), *module.buffers()) if p.is_floating_point()}
        if one.is_floating_point() and held and one.dtype not in held:
            raise DomainError(
                f"argument {k + 1} of {one.dtype} for weights of {', '.join(sorted(map(str, held)))}",
                required="one type", why="the module does not run on it", advice=f"Z.to({sorted(map(str, held))[0]})",
            )  # fmt: skip
    if len({one.shape[1] for one in example}) > 1:
        raise DomainError(
            f"arguments of {', '.join(str(one.shape[1]) for one in example)} positions", required="one N",
            why="fields of one position are read together",
        )  # fmt: skip


def _random(part: Any) -> bool:
    torch = require("torch")
    if isinstance(part, torch.nn.modules.batchnorm._BatchNorm):
        return True
    if isinstance(part, torch.nn.modules.dropout._DropoutNd):
        return bool(part.p > 0)
    held = part.dropout if isinstance(part, torch.nn.MultiheadAttention | torch.nn.RNNBase) else 0
    return bool(held)


# -- operators in their order ------------------------------------------------------------------------------------------
class _Tracer:
    """Values of the nodes that the output needs, each made once."""

    def __init__(self, program: Program, state: State) -> None:
        self.program, self.state = program, state
        self.fields: list[Field] = []
        self.values: dict[str, Any] = {}
        self.written: dict[str, str] = {}
        for one in program.inputs:
            self.values[one.node] = self._input(one.name, one.shape, one.dtype)
        self.nodes = {node.name: node for node in program.nodes}
        state.dtypes.update({node.name: node.dtype for node in program.nodes})

    def _input(self, name: str, shape: tuple[int, ...], dtype: str) -> Any:
        N, at = shape[1], np.arange(shape[1], dtype=np.int32)
        if "float" in dtype:
            D = shape[2]
            self.fields.append(Field(name, D))
            form = np.broadcast_to(np.arange(D, dtype=np.int32), shape)
            zero = np.zeros(shape)
            return Forms({name: exact(np.eye(D))}, form, np.broadcast_to(at[None, :, None], shape), Box(zero, zero))
        if "int" not in dtype:
            raise DomainError(
                f"argument {name} of type {dtype}", required="real or whole numbers",
                why="a field holds numbers or the number of a symbol", advice="masks as buffers of the module",
            )  # fmt: skip
        q = shape[2] if len(shape) == 3 else 1
        names = tuple(f"{name}[{k}]" for k in range(q)) if len(shape) == 3 else (name,)
        self.fields += [Field(one, 0, word=True) for one in names]
        word = np.broadcast_to(np.arange(q, dtype=np.int32), (1, N, q)).reshape(shape)
        return Words(names, word, np.broadcast_to(at[None, :, None], (1, N, q)).reshape(shape))

    def value(self, name: str) -> Any:
        """Return what a node gives; a program is long, so what it needs is made without recursion."""
        needed, waiting = set(), [name]
        while waiting:
            one = waiting.pop()
            if one in needed or one in self.values or one in self.program.constants:
                continue
            needed.add(one)
            waiting += _read(self.nodes[one])
        for node in self.program.nodes:
            if node.name in needed:
                self.values[node.name] = self._applied(node)
        return self._held(Ref(name))

    def _held(self, given: Any) -> Any:
        if isinstance(given, tuple):
            return tuple(self._held(one) for one in given)
        if not isinstance(given, Ref):
            return given
        if given.name not in self.values:
            held = self.program.constants[given.name]
            values = held.values
            zero = np.zeros(values.shape)
            none = np.broadcast_to(NONE, values.shape)
            whole = values.dtype.kind in "biu"
            self.values[given.name] = values if whole else Forms({}, none, none, Box(values, zero))
        return self.values[given.name]

    def _applied(self, node: Node) -> Any:
        begin = len(self.state.tape.blocks)
        try:
            named = {name: self._held(one) for name, one in node.named.items()}
            found = result_of(self.state, node, self._held(node.given), named)
            self.written |= {block.out: node.name for block in self.state.tape.blocks[begin:]}
            return found
        except Inexpressible as error:
            raise _refused(node, error.why, error.advice) from None
        except (
            TypeError,
            ValueError,
            IndexError,
            NotImplementedError,
            RuntimeError,
            KeyError,
            AttributeError,
        ) as error:
            raise _refused(node, f"not in this use: {error}", "the same in simpler operators") from error

    def output(self) -> tuple[Forms, tuple[str, ...]]:
        """Return the first tensor that forward returns, and what the others are."""
        first, *others = self.program.outputs or (None,)
        left_out = []
        for one in others:
            if one is None:
                continue
            kind = self._kind(one)
            if not kind:
                raise DomainError(
                    f"a forward that returns {len(self.program.outputs)} things", required="one tensor",
                    why="a network returns one answer; only weights of attention and last states may stand behind it",
                    advice="a module whose forward returns the one that is asked about",
                )  # fmt: skip
            left_out.append(f"{one.name} {self.nodes[one.name].shape}: {kind}")
        if not isinstance(first, Ref):
            raise DomainError(f"a forward that returns {first}", required="a tensor", why="a network returns numbers")
        found = self.value(first.name)
        if not isinstance(found, Forms) or not np.isfinite(found.shift.mid).all():
            kind = type(found).__name__.lower()
            raise DomainError(
                f"a forward that returns {'whole numbers' if isinstance(found, np.ndarray) else kind}",
                required="numbers that are affine in the fields that its blocks write",
                why="scores and weights of attention and roots are none: they are read by one product, or division",
                advice="need_weights=False; the output of the module, not a part of it",
            )  # fmt: skip
        return found, tuple(left_out)

    def _kind(self, given: Any) -> str:
        """What another output is, as far as it is only moved or averaged on its way: weights, states, or nothing."""
        node = self.nodes.get(given.name) if isinstance(given, Ref) else None
        while node is not None:
            if node.operator == RECURRENT:
                return "last states"
            name = node.operator.split(".")[1] if "." in node.operator else node.operator
            read = [one for one in _read(node) if one in self.nodes]
            if name == "_softmax":
                return "weights of attention"
            if name not in _CARRIES or not read:
                return ""
            node = self.nodes[read[-1 if name == "where" else 0]]
        return ""


def _read(node: Node) -> list[str]:
    """The names that a node reads, in their order."""
    found, waiting = [], [*node.given, *node.named.values()]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, tuple):
            waiting = [*one, *waiting]
        elif isinstance(one, Ref):
            found.append(one.name)
    return found


def _refused(node: Node, why: str, advice: str) -> DomainError:
    at = f", {node.where}" if node.where else ""
    return DomainError(
        f"the operator {node.operator.removeprefix('aten.')} (node {node.name}{at})",
        required="linear maps of one position, attention, functions of one number, norms, products, recurrent layers, "
        "or maps of the whole prompt",
        why=why, advice=advice,
    )  # fmt: skip


# -- the network -------------------------------------------------------------------------------------------------------
def _network(tracer: _Tracer, output: Forms) -> Network:
    N, tape = tracer.state.tape.N, tracer.state.tape
    if output.shape[:1] != (1,):
        raise _no_output(f"an output of shape {output.shape} for one prompt", "the batch as first axis")
    shape = output.shape[1:]
    flat = output.reshape(-1)
    used = np.unique(flat.at[flat.at >= 0])
    settings: dict[str, Any]
    if len(used) <= 1:  # one position, the whole prompt, or a constant
        at = int(used[0]) if len(used) else N
        one = Forms(flat.rows, flat.form, np.full(flat.shape, at, dtype=np.int32), flat.shift)
        final = map_of(one, one.at, np.arange(len(one.form)), np.arange(len(one.form)), N)
        settings = {"each": at != N, "at": at if at != N else None}
        if not len(used):
            settings = {"each": True, "at": 0}
    else:
        each = _at_each(flat, shape, N)
        final, settings = each or _of_prompt(tape, flat), {"each": each is not None}
    fields = tuple(_sized(field, tracer.state.symbols) for field in tracer.fields)
    blocks, final = merged(tuple(tape.blocks), final)
    return Network(N, fields, blocks, final, shape=shape, **settings)


def _at_each(flat: Forms, shape: tuple[int, ...], N: int) -> Map | None:
    """The output as one map of each position, None where it is none: its first axis must be that of positions."""
    if shape[:1] != (N,):
        return None
    m = len(flat.form) // N
    rows = flat.reshape(N, m)
    own = np.arange(N)[:, None]
    if ((rows.at >= 0) & (rows.at != own)).any() or (rows.form != rows.form[:1]).any():
        return None
    at = np.repeat(np.arange(N, dtype=np.int32), m)
    return map_of(flat, at, np.tile(np.arange(m), N), np.arange(m), N)


def _of_prompt(tape: Tape, flat: Forms) -> Map:
    """The output as a map of one vector for the prompt: numbers of several positions, in another order."""
    try:
        found = tape.contracted(flat.reshape(1, 1, -1), Box(*(np.eye(len(flat.form))[None] * k for k in (1, 0))))
    except Inexpressible as error:
        raise _no_output(f"an output in which positions stand in another order: {error.why}", error.advice) from None
    found = found.reshape(-1)
    return Map({name: part[found.form] for name, part in found.rows.items()}, found.shift)


def _no_output(given: str, advice: str) -> DomainError:
    return DomainError(
        given, required="(n, N, …) at every position, or (n, …) for the prompt",
        why="a network returns numbers of each position, or of the prompt", advice=advice,
    )  # fmt: skip


def _sized(field: Field, symbols: Mapping[str, int]) -> Field:
    # a word that is looked up nowhere enters nowhere: it has one symbol
    return replace(field, width=symbols.get(field.name, 1)) if field.word else field
