"""What a torch module computes, as plain data: operators in order, their arguments, and the constants they read.

``torch.export`` runs the module once on an example without data and writes down the core operators;
``scaled_dot_product_attention`` is written as the two products and the softmax that it is (the kernel ``MATH``), and a
GRU, LSTM or RNN stays one operator, :data:`RECURRENT`, for each layer and direction, where export would write each
position's step.  Nothing is matched by the names of modules or parameters.
"""

from __future__ import annotations

import copy
import inspect
import io
import logging
import re
import traceback
import types
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError
from theorytools.optional import require

RECURRENT = "theorytools.recurrent.default"  # (x, weight_ih, weight_hh, bias_ih, bias_hh, kind, reverse)
_PLACES = ("memory_format", "device", "layout", "pin_memory")  # arguments that change no number
_GATES = {"gru": 3, "lstm": 4, "tanh": 1, "relu": 1}


@dataclass(frozen=True)
class Ref:
    """An argument that is what an earlier node, an input or a constant holds."""

    name: str


@dataclass(frozen=True)
class Node:
    """One operator of the program.

    Attributes
    ----------
    name : the name under which later nodes read its result.
    operator : such as ``aten.addmm.default``; ``getitem`` takes one of several results.
    given, named : arguments in order and by name: :class:`Ref`, numbers, texts, None, and tuples of these.  Types are
        texts, such as ``float32``; devices and layouts are left out.
    shape, dtype : of the result; ``()`` and ``""`` where there are several.
    where : the line of the user's source that it comes from, as far as torch knows it.
    """

    name: str
    operator: str
    given: tuple[Any, ...]
    named: Mapping[str, Any]
    shape: tuple[int, ...]
    dtype: str
    where: str


@dataclass(frozen=True, eq=False)
class Constant:
    """A parameter, a buffer, or a tensor made in ``forward``.

    Attributes
    ----------
    values : its numbers: floats as doubles, exactly; whole numbers and truth values in their own type.
    dtype : the type in which the module holds it, such as ``float32``.
    target : its name in the module.
    """

    values: NDArray[Any]
    dtype: str
    target: str


@dataclass(frozen=True)
class Input:
    """A tensor argument of ``forward``: its name there, the node's name, shape and type of the example."""

    name: str
    node: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, eq=False)
class Program:
    """A module's operators on one example's shapes.

    Attributes
    ----------
    inputs : the tensor arguments of ``forward``, in order.
    constants : what the nodes read beside the inputs, by the name used in :class:`Ref`.
    nodes : the operators, each after what it reads.
    outputs : what ``forward`` returns, flat: :class:`Ref`, or a plain number or None.
    """

    inputs: tuple[Input, ...]
    constants: Mapping[str, Constant]
    nodes: tuple[Node, ...]
    outputs: tuple[Any, ...]


def exported(module: Any, *example: Any) -> Program:
    """Return the core operators of a module on the shapes of an example.

    Parameters
    ----------
    module : a ``torch.nn.Module``; a copy of it is exported, it is not changed.
    example : the tensors that ``forward`` takes, in order.

    Raises
    ------
    DomainError : no module, other arguments than tensors, complex, sparse or meta tensors, a choice that depends on
        the data, state that ``forward`` changes, or what ``torch.export`` cannot follow, with the line where it is.
    MissingPackageError : without torch.
    """
    _admit(module, example)
    names = argument_names(module, example)
    graph = _graph(leafed(module), tuple(value.detach().cpu() for value in example))
    signature = graph.graph_signature
    constants: dict[str, Constant] = {}
    inputs: list[Input] = []
    for spec in signature.input_specs:
        name = spec.arg.name
        if spec.kind.name == "USER_INPUT":
            given = example[len(inputs)]
            inputs.append(Input(names[len(inputs)], name, tuple(given.shape), _text(given.dtype)))
        else:
            constants[name] = _constant(
                graph.state_dict.get(spec.target, graph.constants.get(spec.target)), str(spec.target)
            )
    for spec in signature.output_specs:
        if spec.kind.name != "USER_OUTPUT":
            raise DomainError(
                f"a forward that changes {spec.target or 'its input'}", required="one that only computes",
                why="a network is a function of the prompt", advice="module.eval(), and no assignment to buffers",
            )  # fmt: skip
    nodes = tuple(_node(node) for node in graph.graph.nodes if node.op == "call_function")
    last = next(node for node in graph.graph.nodes if node.op == "output")
    return Program(tuple(inputs), constants, nodes, tuple(_plain(value) for value in last.args[0]))


def argument_names(module: Any, example: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the names that ``forward`` gives to the tensors of an example."""
    names: list[str] = []
    for name, parameter in inspect.signature(module.forward).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{name}{i}" for i in range(len(example) - len(names))]
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(name)
    if len(names) < len(example):
        raise DomainError(
            f"an example of {len(example)} tensors", required=f"forward({', '.join(names)})",
            why="the example is what forward is called with",
        )  # fmt: skip
    return tuple(names[: len(example)])


def _admit(module: Any, example: tuple[Any, ...]) -> None:
    torch = require("torch")
    if not isinstance(module, torch.nn.Module):
        raise DomainError(
            f"a {type(module).__name__}", required="a torch.nn.Module", why="its forward is written down",
            advice="class Mine(torch.nn.Module): … with the function as its forward",
        )  # fmt: skip
    for k, value in enumerate(example):
        if not isinstance(value, torch.Tensor):
            raise DomainError(f"argument {k + 1} of type {type(value).__name__}", required="tensors as the example")
        _admit_tensor(value, f"argument {k + 1}")
    for name, value in (*module.named_parameters(), *module.named_buffers()):
        _admit_tensor(value, name)


def _admit_tensor(value: Any, name: str) -> None:
    torch = require("torch")
    kind = "complex" if value.is_complex() else "quantized" if value.is_quantized else str(value.layout)
    kind = kind if value.device.type != "meta" else "meta"
    if kind != str(torch.strided):
        raise DomainError(
            f"{name}, a {kind.removeprefix('torch.')} tensor", required="dense tensors of real or whole numbers",
            why="a network's weights and fields are arrays of real numbers",
            advice="load the weights first" if kind == "meta" else "tensor.to_dense(), or its real and imaginary part",
        )  # fmt: skip


def _graph(module: Any, example: tuple[Any, ...]) -> Any:
    torch = require("torch")
    attention = require("torch.nn.attention")
    try:
        with _quiet(), torch.enable_grad(), attention.sdpa_kernel(attention.SDPBackend.MATH):
            graph = torch.export.export(module, example, strict=False)
            return graph.run_decompositions(_kept_whole())
    except DomainError:
        raise
    except Exception as error:  # torch.export raises many types, its own and those of the module
        raise _unfollowed(error) from None


def _kept_whole() -> Any:
    """The decompositions into core operators, but for functions that are one block."""
    torch = require("torch")
    table = torch.export.default_decompositions()
    for name in ("silu", "rms_norm", "relu6"):
        operator = getattr(torch.ops.aten, name, None)
        if operator is not None:
            table.pop(operator.default, None)
    return table


@contextmanager
def _quiet() -> Iterator[None]:
    """What torch logs, warns and prints about an operator that it cannot follow is said once, in the error."""
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)


def _unfollowed(error: Exception) -> DomainError:
    text = str(error).strip() or type(error).__name__
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    at = _line(text) or _raised(error)
    place = f" ({at})" if at else ""
    if "data-dependent" in text or type(error).__name__ == "GuardOnDataDependentSymNode":
        return DomainError(
            f"a choice that depends on the data{place}", required="the same operators for every prompt",
            why=f"torch.export: {first[:160]}", advice="torch.where, or decide from shapes and settings alone",
        )  # fmt: skip
    return DomainError(
        f"a module that torch.export does not follow{place}", required="a forward of torch operators on this example",
        why=f"{type(error).__name__}: {first[:200]}",
        advice="call module(*example) first: shapes and types must fit; keep numpy and .item() out of it",
    )  # fmt: skip


def _line(trace: str) -> str:
    """The last line of a stack that is neither torch's nor this file's: ``file.py:12``, and what stands there."""
    found = re.findall(r'File "([^"]+)", line (\d+), in [^\n]+(?:\n {4,}([^\n]+))?', trace)
    library = str(Path(require("torch").__file__).parent)
    own = [part for part in found if not part[0].startswith((library, __file__, "<"))]
    if not own:
        return ""
    name, number, text = own[-1]
    return f"{Path(name).name}:{number}" + (f": {text.strip()}" if text.strip() else "")


def _raised(error: Exception) -> str:
    return _line("".join(traceback.format_tb(error.__traceback__)))


def _constant(held: Any, target: str) -> Constant:
    if not isinstance(held, require("torch").Tensor):
        raise DomainError(
            f"{target}, a {type(held).__name__}", required="tensors as parameters and buffers",
            why="a network's constants are arrays of numbers", advice="no generators and objects in forward",
        )  # fmt: skip
    held = held.detach().cpu()
    _admit_tensor(held, target)
    values = (held.double() if held.is_floating_point() else held).numpy()
    if held.is_floating_point() and not (np.isfinite(values) | np.isneginf(values)).all():
        raise DomainError(
            f"{target} with {int((~np.isfinite(values)).sum())} numbers that are not finite",
            required="finite weights (-inf only in a mask that is added to scores)", why="nothing is proved of NaN",
        )  # fmt: skip
    return Constant(np.array(values), _text(held.dtype), target)


def _text(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def _node(node: Any) -> Node:
    torch = require("torch")
    value = node.meta.get("val")
    tensor = isinstance(value, torch.Tensor)
    operator = "getitem" if getattr(node.target, "__name__", "") == "getitem" else str(node.target)
    named = {name: _plain(given) for name, given in node.kwargs.items() if name not in _PLACES}
    return Node(
        node.name, operator, tuple(_plain(given) for given in node.args), named,
        tuple(int(n) for n in value.shape) if tensor else (), _text(value.dtype) if tensor else "",
        _line(node.meta.get("stack_trace") or ""),
    )  # fmt: skip


def _plain(value: Any) -> Any:
    torch = require("torch")
    if isinstance(value, torch.fx.Node):
        return Ref(value.name)
    if isinstance(value, list | tuple):
        return tuple(_plain(one) for one in value)
    if isinstance(value, torch.dtype):
        return _text(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
        raise DomainError(
            "a shape or number that depends on the data", required="shapes of the example alone",
            why="the program is the same for every prompt",
        )  # fmt: skip
    return str(value)


# -- recurrent layers as one operator ------------------------------------------------------------------------------
def leafed(module: Any) -> Any:
    """Return a copy of a module whose GRU, LSTM and RNN call :data:`RECURRENT` once for each layer and direction.

    Its floats ask for gradients, so that ``nn.TransformerEncoderLayer`` does not leave its operators for a fused one.

    Raises
    ------
    DomainError : a module that cannot be copied.
    """
    torch = require("torch")
    try:
        copied = copy.deepcopy(module).cpu()
    except Exception as error:
        raise DomainError(
            f"a module that cannot be copied ({type(error).__name__}: {error})", required="copy.deepcopy(module)",
            why="a copy is traced, so that the module itself is never changed",
        ) from None  # fmt: skip
    for parameter in copied.parameters():
        parameter.requires_grad_(parameter.is_floating_point())
    for part in copied.modules():
        if isinstance(part, torch.nn.RNNBase):
            part.forward = types.MethodType(_recurrent_forward, part)
    return copied


def _recurrent_forward(cell: Any, x: Any, state: Any = None) -> Any:
    torch, kind = require("torch"), _kind(cell)
    if state is not None or cell.proj_size or not isinstance(x, torch.Tensor) or x.ndim != 3:
        raise DomainError(
            f"{type(cell).__name__} with a projection, a first state, or an input that is not (n, N, width)",
            required="batches of sequences of equal length, and a first state of zeros",
            why="the states are a function of the prompt alone", advice="call cell(Z) and set proj_size = 0",
        )  # fmt: skip
    x = x if cell.batch_first else x.transpose(0, 1)
    last: list[Any] = []
    for layer in range(cell.num_layers):
        states = []
        for direction in range(1 + cell.bidirectional):
            end = f"l{layer}" + "_reverse" * direction
            weights = [getattr(cell, f"{name}_{end}") for name in ("weight_ih", "weight_hh")]
            biases = [getattr(cell, f"{name}_{end}") for name in ("bias_ih", "bias_hh")] if cell.bias else None
            biases = biases or [x.new_zeros(weights[0].shape[0])] * 2
            states.append(_operator()(x, *weights, *biases, kind, bool(direction)))
            last.append(states[-1][:, 0 if direction else -1])
        x = torch.cat(states, -1) if len(states) > 1 else states[0]
    hidden = torch.stack(last)
    final = (hidden, _last_cells()(hidden)) if kind == "lstm" else hidden
    return (x if cell.batch_first else x.transpose(0, 1)), final


def _kind(cell: Any) -> str:
    return str(cell.nonlinearity) if cell.mode.startswith("RNN") else str(cell.mode).lower()


@cache
def _operator() -> Any:
    torch = require("torch")

    def states(x: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any, kind: str, reverse: bool) -> Any:
        return x.new_empty((x.shape[0], x.shape[1], weight_hh.shape[1]))

    tensor = torch.Tensor
    states.__annotations__ = {
        "x": tensor, "weight_ih": tensor, "weight_hh": tensor, "bias_ih": tensor, "bias_hh": tensor, "kind": str,
        "reverse": bool, "return": tensor,
    }  # fmt: skip
    operator = torch.library.custom_op("theorytools::recurrent", states, mutates_args=())
    operator.register_fake(states)
    return operator


@cache
def _last_cells() -> Any:
    """What stands for the cells of an LSTM, which are no field: no rule knows this operator, so a use is refused."""
    torch = require("torch")

    def cells(hidden: Any) -> Any:
        return torch.empty_like(hidden)

    cells.__annotations__ = {"hidden": torch.Tensor, "return": torch.Tensor}
    operator = torch.library.custom_op("theorytools::last_cells", cells, mutates_args=())
    operator.register_fake(cells)
    return operator
