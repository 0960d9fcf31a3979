r"""How far a torch module's own floats can be from the real function that its weights define, over a class of prompts.

The module's operators are gone through one by one (:func:`theorytools.trained.traced.program.exported`), each with a
rule of :mod:`theorytools.trained.floats.reach`: an interval for every entry of its result, and how far the computed
entry is off.

What is assumed: the standard model with unit roundoff :math:`u'` inside an operation and :math:`u` where a result is
stored (bfloat16 and float16: sums in float32, results rounded to the type, as torch has it on processors and
accelerators; no TF32, no sums in 16 bits); exponentials within 8 units of roundoff, other functions that IEEE 754
does not round within 16, GELU, SiLU and ELU within 16 of their argument; what underflows may become zero (in float16
it is rounded); a variance is computed by two passes or by Welford's updates, merged in any order.  Inputs are numbers
of the type.  That no result overflows is shown, and where it is not the bound is infinite.  What is fused counts as its
parts, which are stored more often.

Recurrent layers are followed position by position, with the gates' slopes and the state below 1: a bound, but a loose
one, since a state carries an error on by its largest forget gate while every gate is at its steepest.  Where more is
known of the states, as after :func:`theorytools.trained.worst.state_rounding.states_off`, it is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorytools.errors import DomainError
from theorytools.numbers.boxes import Array
from theorytools.trained.checkpoint import TYPES
from theorytools.trained.floats.composed import RULES
from theorytools.trained.floats.operators import Walk, Weights
from theorytools.trained.floats.reach import Floats, Known, up
from theorytools.trained.traced.program import RECURRENT, Program, Ref


@dataclass(frozen=True, eq=False)
class ModuleRounding:
    """Bounds for one class of prompts.

    Attributes
    ----------
    outputs : for each tensor that the module returns, bounds of the error of each entry.
    beside : the same if the weights of each softmax are taken as they come out: so far is the module from a function
        whose weights sum to one and are each within ``factor`` of those that its scores define.
    sizes : likewise upper bounds of the moduli of what it returns.
    weights : for each softmax what becomes of its weights, in the order of the program.
    unbounded : the first node of whose result nothing is claimed, and why, where that reaches an output; else empty.
    """

    outputs: tuple[Array, ...]
    beside: tuple[Array, ...]
    sizes: tuple[Array, ...]
    weights: tuple[Weights, ...]
    unbounded: str = ""

    @property
    def output(self) -> Array:
        """The bounds for the first tensor that is returned."""
        return self.outputs[0]


def rounding(
    program: Program, inputs: Mapping[str, Any], dtype: str | None = None, *,
    spreads: Mapping[str, float] | None = None, ranges: Mapping[str, Known] | None = None,
    states: Mapping[str, Array] | None = None,
) -> ModuleRounding:  # fmt: skip
    r"""Return how far a module's floats can be from the function that its weights define.

    Parameters
    ----------
    program : the module's operators.
    inputs : for each argument of ``forward`` an array that broadcasts to its shape: for floats :math:`r_k` with
        :math:`|x_k|\le r_k`, for whole numbers the number of symbols, 0 to one less.
    dtype : the type that the module runs in, ``float64``, ``float32``, ``bfloat16`` or ``float16``; the types of the
        program unless given.  Weights that are not of the type count with what the cast changes.
    spreads : for norms, by the name of their node, a lower bound of :math:`\sigma` that is known to hold for the class;
        without one it is what the intervals give, at worst zero, and an error is divided by :math:`\sqrt\epsilon`.
    ranges : by the name of a node, what is known of its result for the class beside what the intervals give.
    states : for recurrent layers, by the name of their node, bounds of how far the state after each position is off
        that are known to hold for the class if what enters is not off, ``(N, width)``, for an LSTM ``(N, 2 width)``
        with its memory behind it; infinity where nothing is known.

    Raises
    ------
    DomainError : inputs of other names or shapes, bounds that are no numbers, another type for a module of
        several, an operator without a rule, a mask that depends on the input.
    """
    types = _types(program, dtype)
    for name, least in (spreads or {}).items():
        if not 0 <= least < np.inf:
            raise DomainError(f"spreads[{name!r}] = {least}", required="a number >= 0", why="it is below a deviation")
    _known(program, states or {})
    known = {"spreads": dict(spreads or {}), "ranges": dict(ranges or {}), "states": dict(states or {})}
    found, beside = (_walked(program, types, inputs, known, moved) for moved in (True, False))
    names = [out.name for out in program.outputs if isinstance(out, Ref)]
    outputs, others = ([walk.held[name] for name in names] for walk in (found, beside))
    lost = [name for name, x in zip(names, outputs, strict=True) if not np.isfinite(x.off).all()]
    return ModuleRounding(
        tuple(x.off for x in outputs), tuple(x.off for x in others), tuple(up(x.size) for x in outputs),
        tuple(found.weights), found.unclaimed(lost[0]) if lost else "",
    )  # fmt: skip


def _known(program: Program, states: Mapping[str, Array]) -> None:
    layers = {node.name: node for node in program.nodes if node.operator == RECURRENT}
    for name, off in states.items():
        shape = layers[name].shape[1:] if name in layers else ()
        long = name in layers and layers[name].given[5] == "lstm"
        wanted = (shape[0], shape[1] * (2 if long else 1)) if shape else ()
        if name not in layers or np.shape(off) != wanted or not (np.asarray(off) >= 0).all():
            raise DomainError(
                f"states[{name!r}] of shape {np.shape(off)}",
                required=f"numbers >= 0 of shape {wanted}" if name in layers else
                f"a recurrent layer of the program: {', '.join(layers) or 'it has none'}",
                why="it bounds how far each state of a layer is off",
            )  # fmt: skip


def _walked(
    program: Program, types: Mapping[str, Floats], inputs: Mapping[str, Any], known: Mapping[str, Any], moved: bool
) -> Walk:
    walk = Walk(program, types, RULES, **known, moved=moved)
    walk.read(inputs)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore", under="ignore"):
        for node in program.nodes:
            walk.floats = walk.types.get(node.dtype, walk.floats)
            walk.held[node.name] = walk.result(node)
    # a norm that is written out is one at a product or quotient, where it is recognised
    open_ = {node.name for node in program.nodes if node.operator.startswith(("aten.mul.", "aten.div."))}
    unused = set(walk.spreads) - walk.used - open_
    if unused:
        raise DomainError(
            f"spreads of {', '.join(sorted(unused))}", required=f"norms of the program: {', '.join(walk.norms)}",
            why="a bound that no rule reads is a mistake",
        )  # fmt: skip
    return walk


def _types(program: Program, dtype: str | None) -> dict[str, Floats]:
    """The type of floats that stands for each one of the program."""
    kinds = [held.dtype for held in program.constants.values()] + [given.dtype for given in program.inputs]
    seen = {*kinds, *(node.dtype for node in program.nodes)} & set(TYPES)
    if dtype is None or seen == {dtype}:
        return {name: Floats(name) for name in seen}
    if dtype not in TYPES or len(seen) > 1:
        raise DomainError(
            f"dtype = {dtype!r} for a module of {', '.join(sorted(seen))}",
            required=f"one of {', '.join(TYPES)}" if dtype not in TYPES else "a module of one type, or no dtype",
            why="every operation counts with the roundoff of the type that it has",
            advice="" if dtype not in TYPES else "export the module in the type that it runs in",
        )  # fmt: skip
    return {name: Floats(dtype) for name in seen}
