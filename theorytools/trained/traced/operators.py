"""Operators of a program in torch's own words: on numbers of entries where they only move them, else by their rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theorytools.numbers.boxes import exact
from theorytools.optional import require
from theorytools.trained.traced.forms import Forms, Inexpressible, constants
from theorytools.trained.traced.program import RECURRENT, Node
from theorytools.trained.traced.roots import Root
from theorytools.trained.traced.rules import RULES, State, Words, as_forms, gathered, recurrent
from theorytools.trained.traced.scores import Scores, Weights
from theorytools.trained.traced.tape import joined

MOVES = frozenset({
    "_to_copy", "_unsafe_view", "alias", "chunk", "clone", "contiguous", "detach", "diagonal", "expand",
    "expand_copy", "flatten", "flip", "getitem", "index_select", "lift_fresh", "lift_fresh_copy", "movedim",
    "permute", "positive", "repeat", "reshape", "roll", "select", "slice", "split", "split_with_sizes",
    "squeeze", "t", "transpose", "unbind", "unsqueeze", "view", "view_copy",
})  # fmt: skip
SEVERAL = frozenset({
    "cat", "copy", "index_put", "select_scatter", "slice_scatter", "stack",
})  # fmt: skip
MADE = frozenset({
    "arange", "eye", "full", "full_like", "new_full", "new_ones", "new_zeros", "ones", "ones_like",
    "scalar_tensor", "zeros", "zeros_like",
})  # fmt: skip
EXACT = frozenset({
    "abs", "all", "any", "bitwise_and", "bitwise_not", "bitwise_or", "ceil", "eq", "floor", "ge", "gt", "le",
    "logical_and", "logical_not", "logical_or", "lt", "masked_fill", "maximum", "minimum", "ne", "neg", "relu",
    "sign", "tril", "triu", "where",
})  # fmt: skip


def result_of(state: State, node: Node, given: Sequence[Any], named: dict[str, Any]) -> Any:
    """Return what an operator gives on traced arguments.

    Raises
    ------
    Inexpressible : no block does this.
    """
    if node.operator == RECURRENT:
        return recurrent(state, *given)
    name = node.operator.split(".")[1] if "." in node.operator else node.operator
    arrays = _tensors(given)
    if name == "getitem":
        return given[0][given[1]]
    if name in MADE:
        return _made(node, [_shape_of(a) for a in given], named)
    whole = all(isinstance(a, np.ndarray) for a in arrays)
    if whole and (
        node.dtype in ("bool", "int64", "int32", "int16", "int8", "uint8") or name in EXACT | SEVERAL | MOVES
    ):
        return _run(node, given, named)
    cut = name == "_to_copy" and "float" not in node.dtype
    if (name in EXACT or cut) and all(isinstance(a, np.ndarray) or _known(a) for a in arrays):
        return _run(node, given, named)
    if name in MOVES and not isinstance(arrays[0], np.ndarray):
        return _moved(state, node, given, named)
    if name in SEVERAL:
        return _several(node, given, named)
    rule = RULES.get(name)
    if rule is None:
        raise Inexpressible("no block does this", _ADVICE.get(name, "attention, norms, ReLU, GELU, tanh, products"))
    return rule(state, *given, **named)


_ADVICE = {
    "_local_scalar_dense": "keep .item() and choices by the data out of forward", "bernoulli": "module.eval()",
    "native_dropout": "module.eval()", "rand": "no random numbers in forward", "rand_like": "no random numbers",
    "gather": "one-hot indices in a field, attended by attention", "amax": "torch.softmax, which is exact in itself",
    "_native_batch_norm_legit_functional": "module.eval()", "last_cells": "the states of the LSTM, not its cells",
}  # fmt: skip


def _tensors(given: Any) -> list[Any]:
    found: list[Any] = []
    for a in given:
        if isinstance(a, list | tuple):
            found += _tensors(a)
        elif isinstance(a, np.ndarray | Forms | Scores | Weights | Words | Root):
            found.append(a)
    return found


def _known(a: Any) -> bool:
    return isinstance(a, Forms) and a.constant and not a.shift.rad.any()


# -- by torch itself, on whole numbers ---------------------------------------------------------------------------------
def _operator(node: Node) -> Any:
    torch = require("torch")
    _, name, overload = node.operator.split(".")
    return getattr(getattr(torch.ops.aten, name), overload)


def _torch(a: Any) -> Any:
    torch = require("torch")
    if isinstance(a, Forms):
        a = a.shift.mid
    if isinstance(a, np.ndarray):
        return torch.from_numpy(np.array(a))
    if isinstance(a, tuple | list):
        return [_torch(one) for one in a]
    if isinstance(a, str) and isinstance(getattr(torch, a, None), torch.dtype):
        dtype = getattr(torch, a)
        return torch.float64 if dtype.is_floating_point else dtype
    return a


def _run(node: Node, given: Any, named: dict[str, Any]) -> Any:
    found = _operator(node)(*map(_torch, given), **{key: _torch(a) for key, a in named.items()})
    return _numpy(found)


def _numpy(found: Any) -> Any:
    if isinstance(found, list | tuple):
        return tuple(_numpy(one) for one in found)
    values = found.numpy()
    return constants(exact(values)) if found.is_floating_point() else values


def _shape_of(a: Any) -> Any:
    return np.zeros(a.shape) if isinstance(a, Forms | Scores | Weights | Words | Root) else a


def _made(node: Node, given: Sequence[Any], named: dict[str, Any]) -> Any:
    dtype = node.dtype
    found = _run(node, given, {**named, "dtype": dtype})
    if isinstance(found, Forms) and ".arange" in node.operator and (found.shift.mid % 1).any():
        raise Inexpressible("arange of numbers that are not whole", "torch.arange(n) / m")
    return found


# -- what only moves ---------------------------------------------------------------------------------------------------
def _moved(state: State, node: Node, given: Sequence[Any], named: dict[str, Any]) -> Any:
    torch, some = require("torch"), given[0]
    if node.operator.startswith("aten._to_copy"):
        if "float" not in node.dtype and isinstance(some, Forms) and not state.whole(node.given[0].name):
            raise Inexpressible("real numbers are cut to whole ones", "whole numbers from the start")
        return some
    ids = torch.arange(int(np.prod(some.shape))).reshape(some.shape)
    return gathered(some, _operator(node)(ids, *map(_torch, given[1:]), **named))


def _several(node: Node, given: Sequence[Any], named: dict[str, Any]) -> Any:
    """Operators that lay several arrays side by side or into one another, on the numbers of their entries."""
    torch, arrays = require("torch"), _tensors(given)
    if node.operator.startswith("aten.index_put"):
        arrays = [given[0], given[2]]
    if all(isinstance(a, Words) for a in arrays):
        return _several_words(node, given, named)
    if not all(isinstance(a, Forms | np.ndarray) for a in arrays):
        raise Inexpressible("scores or weights of attention are laid side by side", "one softmax for each")
    forms = [as_forms(a) for a in arrays]
    begin = np.cumsum([0, *(int(np.prod(f.shape)) for f in forms)])
    numbers = iter(
        [torch.arange(int(b), int(e)).reshape(f.shape) for f, b, e in zip(forms, begin, begin[1:], strict=False)]
    )
    known = {id(a) for a in arrays}

    def replaced(a: Any) -> Any:
        if isinstance(a, list | tuple):
            return [replaced(one) for one in a]
        return next(numbers) if id(a) in known and isinstance(a, Forms | np.ndarray) else _torch(a)

    ids = _operator(node)(*[replaced(a) for a in given], **named).numpy()
    return joined(forms)[ids.reshape(-1)].reshape(*ids.shape)


def _several_words(node: Node, given: Sequence[Any], named: dict[str, Any]) -> Words:
    words = _tensors(given)
    if len({w.names for w in words}) > 1 or not node.operator.startswith(("aten.cat", "aten.stack")):
        raise Inexpressible("words of several arguments are laid side by side", "look them up first")
    torch = require("torch")
    parts = [_operator(node)([torch.from_numpy(np.array(a)) for a in some], *given[1:], **named).numpy()
             for some in ([w.word for w in words], [w.at for w in words])]  # fmt: skip
    return Words(words[0].names, *parts)
