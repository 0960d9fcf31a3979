"""Rules for the operators of a program: what their results are over a class of inputs, and how far floats are off.

Views, look-ups, comparisons, choices, sums and products are here; functions of one number, softmax, norms and
recurrent layers in :mod:`theorytools.trained.floats.composed`.  A rule takes the node and the :class:`Walk`, which
holds what is known of all earlier tensors, and returns a :class:`~theorytools.trained.floats.reach.Reach`, or
several.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from theorytools.errors import DomainError, did_you_mean
from theorytools.numbers.boxes import Array
from theorytools.trained.checkpoint import TYPES
from theorytools.trained.floats.reach import (
    Floats,
    Known,
    Reach,
    added,
    constant,
    gathered,
    inverted,
    matmul,
    multiplied,
    negative,
    stored,
    summed,
    up,
)  # fmt: skip
from theorytools.trained.traced.program import RECURRENT, Input, Node, Program, Ref

Rule = Callable[["Walk", Node], Any]
RULES: dict[str, Rule] = {}
_SAME = ("clone", "alias", "detach", "contiguous", "lift_fresh_copy")
_RESHAPED = ("view", "reshape", "_unsafe_view", "unsqueeze", "squeeze", "flatten")


@dataclass(frozen=True)
class Weights:
    """What rounding does to the weights of one softmax.

    Attributes
    ----------
    node : the name of its operator.
    factor : by how much a weight can grow or shrink at most, beside what underflows.
    largest : an upper bound of the modulus of a score that is not masked.
    underflow : what underflow can add to a weight or take from it.
    """

    node: str
    factor: float
    largest: float
    underflow: float


@dataclass(eq=False)
class Walk:
    """What is known of the tensors of a program, node by node, and the floats of the node that is read."""

    program: Program
    types: Mapping[str, Floats]
    rules: Mapping[str, Rule]
    spreads: Mapping[str, float]
    ranges: Mapping[str, Known]
    held: dict[str, Any] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    weights: list[Weights] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    norms: list[str] = field(default_factory=list)
    states: Mapping[str, Array] = field(default_factory=dict)
    moved: bool = True
    floats: Floats = field(default_factory=lambda: Floats("float32"))

    def __post_init__(self) -> None:
        self.floats = next(iter(self.types.values()), self.floats)
        self.nodes.update({node.name: node for node in self.program.nodes})

    def read(self, inputs: Mapping[str, Any]) -> None:
        """Take the constants and the bounds of the inputs."""
        wanted = {given.name: given for given in self.program.inputs}
        if set(inputs) != set(wanted):
            stray = sorted(set(inputs) - set(wanted))
            raise DomainError(
                f"bounds of {', '.join(sorted(inputs)) or 'no input'}", required=", ".join(wanted),
                why="a bound for each argument of forward",
                advice=did_you_mean(stray[0], wanted) if stray else "",
            )  # fmt: skip
        for name, given in wanted.items():
            self.held[given.node] = _bounded(given, inputs[name])
        for name, held in self.program.constants.items():
            self.held[name] = constant(held.values, self.types.get(held.dtype))

    def of(self, given: Any) -> Reach:
        """Return a tensor, or a number as one: it is cast to the type."""
        if isinstance(given, Ref):
            held = self.held[given.name]
            assert isinstance(held, Reach), given
            return held
        return constant(given, self.floats)

    def node(self, given: Any) -> Node | None:
        """Return the node that an argument is the result of."""
        return self.nodes.get(given.name) if isinstance(given, Ref) else None

    def kind(self, name: str) -> str:
        """The type of a tensor, as the program has it."""
        inputs = {given.node: given for given in self.program.inputs}
        return next(part[name].dtype for part in (self.nodes, self.program.constants, inputs) if name in part)

    def refused(self, node: Node, why: str, advice: str = "") -> DomainError:
        """An error that names a node."""
        return DomainError(
            f"node {node.name}: {node.operator}" + (f" ({node.where})" if node.where else ""),
            required="operators with a rule for their rounding", why=why, advice=advice,
        )  # fmt: skip

    def result(self, node: Node) -> Any:
        """Return what is known of a node's result."""
        short = node.operator.removeprefix("aten.").split(".")[0]
        found = self.rules.get(short if node.operator != RECURRENT else RECURRENT)
        if found is None:
            raise self.refused(node, "nothing is proved of it", "write it in operators that have one")
        made = found(self, node)
        if isinstance(made, Reach):
            if made.shape != node.shape and math.prod(made.shape) == math.prod(node.shape):
                made = made.viewed(lambda t: t.reshape(node.shape))
            made = made.viewed(lambda t: np.broadcast_to(t, node.shape))
            low, high = (
                np.where(np.isnan(made.low), -np.inf, made.low),
                np.where(np.isnan(made.high), np.inf, made.high),
            )
            made = replace(made, low=low, high=high, off=np.where(np.isnan(made.off), np.inf, made.off))
            made = made.narrowed(self.ranges[node.name]) if node.name in self.ranges else made
            if node.dtype not in TYPES and node.dtype != "bool":
                made = Reach(np.rint(made.low), np.rint(made.high), _whole(self, node, made))
        return made

    def unclaimed(self, name: str) -> str:
        """Say where a tensor's bound became infinite: at the last node on its way whose arguments have finite ones."""
        node = self.nodes.get(name)
        if node is None:
            return f"nothing is claimed of {name}"
        given = [g for given in node.given for g in (given if isinstance(given, tuple) else (given,))]
        before = [g.name for g in given if isinstance(g, Ref) and _infinite(self.held[g.name])]
        if before:
            return self.unclaimed(before[0])
        why = "what it computes may overflow, divide by zero or be an average of nothing"
        if name in self.norms:
            why = f"what it norms has a sigma of which only {self.spreads.get(name, 0.0):.2g} <= sigma is known"
        place = f", {node.where}" if node.where else ""
        return f"nothing is claimed of the node {name} ({node.operator}{place}): {why}"

    def source(self, given: Any, shape: tuple[int, ...]) -> Node | None:
        """Return the node whose entries a tensor has, if it broadcasts to a result as a tensor of this shape does."""
        while isinstance(given, Ref) and given.name in self.nodes:
            node = self.nodes[given.name]
            short = node.operator.removeprefix("aten.").split(".")[0]
            if short in ("expand", "clone", "alias", "detach", "getitem") and node.shape != shape:
                given = node.given[0]
            elif node.shape != shape:
                return None
            elif short in ("unsqueeze", "clone", "alias", "detach", "expand"):
                given = node.given[0]
                if isinstance(given, Ref) and given.name in self.nodes:
                    shape = self.nodes[given.name].shape
            else:
                return node
        return None


def _whole(walk: Walk, node: Node, made: Reach) -> Array:
    """Whole numbers are exact where what they are made of is."""
    exact = all(not x.off.any() for x in (walk.of(g) for g in _tensors(walk, node)))
    return np.where(exact, 0.0, np.maximum(made.off, 1.0)) * np.ones(made.shape)


def _infinite(held: Any) -> bool:
    parts = held if isinstance(held, tuple) else (held,)
    return any(isinstance(x, Reach) and not np.isfinite(x.off).all() for x in parts)


def _tensors(walk: Walk, node: Node) -> list[Ref]:
    flat = [g for given in node.given for g in (given if isinstance(given, tuple) else (given,))]
    return [g for g in flat if isinstance(g, Ref) and isinstance(walk.held[g.name], Reach)]


def _bounded(given: Input, bound: Any) -> Reach:
    bound = np.asarray(bound, dtype=np.float64)
    whole = given.dtype not in TYPES
    try:
        bound = np.broadcast_to(bound, given.shape)
    except ValueError:
        bound = np.full(given.shape, np.nan)
    if not (np.isfinite(bound).all() and (bound >= (1 if whole else 0)).all()):
        raise DomainError(
            f"the bound of {given.name}", required=f"finite numbers {'>= 1' if whole else '>= 0'} for the shape "
            f"{given.shape}", why="how many symbols there are" if whole else "it bounds the moduli of the entries",
        )  # fmt: skip
    return Reach(np.zeros_like(bound) if whole else -bound, bound - 1 if whole else bound, np.zeros_like(bound))


# -- one rule for each operator --------------------------------------------------------------------------------------
def rule(*names: str) -> Callable[[Rule], Rule]:
    """Keep a function as the rule of operators of these names."""

    def kept(made: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, made))
        return made

    return kept


def argument(node: Node, k: int, name: str, default: Any = None) -> Any:
    """Return an argument that is given in order or by name."""
    return node.given[k] if len(node.given) > k else node.named.get(name, default)


def axes_of(given: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes that are meant, all where none is named."""
    axes = tuple(range(ndim)) if given is None or given == () else given if isinstance(given, tuple) else (given,)
    return tuple(axis % ndim for axis in axes)


@rule(*_SAME, *_RESHAPED, "expand")
def _view(walk: Walk, node: Node) -> Reach:
    return walk.of(node.given[0])


@rule("_assert_tensor_metadata")
def _asserted(walk: Walk, node: Node) -> None:
    """Nothing is computed."""


@rule("permute", "transpose", "t")
def _permuted(walk: Walk, node: Node) -> Reach:
    x = walk.of(node.given[0])
    if len(node.given) == 3:
        return x.viewed(lambda t: t.swapaxes(node.given[1], node.given[2]))
    return x.viewed(lambda t: t.transpose(*node.given[1:]))


@rule("select")
def _selected(walk: Walk, node: Node) -> Reach:
    return _picked(walk.of(node.given[0]), node.given[2], node.given[1])


@rule("slice")
def _sliced(walk: Walk, node: Node) -> Reach:
    axis, begin, end, step = (argument(node, k, name, fill) for k, name, fill in (
        (1, "dim", 0), (2, "start", None), (3, "end", None), (4, "step", 1)))  # fmt: skip
    x = walk.of(node.given[0])
    at = (slice(None),) * (axis % len(x.shape)) + (slice(begin, end, step),)
    return x.viewed(lambda t: t[at])


@rule("split_with_sizes", "split")
def _split(walk: Walk, node: Node) -> tuple[Reach, ...]:
    x, sizes, axis = walk.of(node.given[0]), node.given[1], argument(node, 2, "dim", 0)
    n = x.shape[axis]
    ends = list(np.cumsum(sizes)) if isinstance(sizes, tuple) else [*range(sizes, n, sizes), n]
    at = [(slice(None),) * (axis % len(x.shape)) + (slice(a, b),) for a, b in zip([0, *ends], ends, strict=False)]
    return tuple(Reach(x.low[cut], x.high[cut], x.off[cut]) for cut in at)


@rule("unbind")
def _unbound(walk: Walk, node: Node) -> tuple[Reach, ...]:
    x, axis = walk.of(node.given[0]), argument(node, 1, "dim", 0)
    return tuple(_picked(x, k, axis) for k in range(x.shape[axis]))


def _picked(x: Reach, k: int, axis: int) -> Reach:
    return x.viewed(lambda t: t.take(k, axis=axis))


@rule("getitem")
def _item(walk: Walk, node: Node) -> Any:
    held = walk.held[node.given[0].name][node.given[1]]
    if held is None:
        raise walk.refused(node, "no rule is there for this result of its operator")
    return held


@rule("cat")
def _joined(walk: Walk, node: Node) -> Reach:
    axis, parts = argument(node, 1, "dim", 0), [walk.of(g) for g in node.given[0]]
    return gathered(parts, lambda arrays: np.concatenate(arrays, axis))


@rule("repeat", "flip")
def _ordered(walk: Walk, node: Node) -> Reach:
    x, how = walk.of(node.given[0]), node.given[1]
    return x.viewed((lambda t: np.flip(t, how)) if "flip" in node.operator else (lambda t: np.tile(t, how)))


@rule("embedding")
def _embedded(walk: Walk, node: Node) -> Reach:
    return _looked_up(walk.of(node.given[0]), (walk.of(node.given[1]),))


@rule("index")
def _indexed(walk: Walk, node: Node) -> Reach:
    at = tuple(None if g is None else walk.of(g) for g in node.given[1])
    if any(isinstance(g, Ref) and walk.kind(g.name) == "bool" for g in node.given[1]):
        raise walk.refused(node, "how many entries a truth value picks depends on the prompt")
    return _looked_up(walk.of(node.given[0]), at)


def _looked_up(table: Reach, at: tuple[Reach | None, ...]) -> Reach:
    """Entries at places that may depend on the prompt: then they are anything that the rows in reach hold."""
    where: list[Any] = []
    arrays = [table.low, table.high, table.off]
    for axis, index in enumerate(at):
        if index is None:
            where.append(slice(None))
        elif index.known:
            where.append(index.low.astype(np.int64))
        else:
            n = table.shape[axis]
            least, most = int(index.low.min()), int(index.high.max())
            rows = slice(least, most + 1) if 0 <= least <= most < n else slice(None)
            cut = (slice(None),) * axis + (rows,)
            arrays = [f(a[cut], axis, keepdims=True) for f, a in zip((np.min, np.max, np.max), arrays, strict=True)]
            if index.off.any():  # another row may be read than is meant
                arrays[2] = up(arrays[2] + (arrays[1] - arrays[0]))
            where.append(np.zeros(index.shape, dtype=np.int64))
    low, high, off = (np.asarray(a[tuple(where)]) for a in arrays)
    return Reach(low, high, off)


@rule("gather")
def _gathered(walk: Walk, node: Node) -> Reach:
    x, axis, shape = walk.of(node.given[0]), node.given[1], node.shape
    axis %= len(x.shape)
    cut = tuple(slice(None) if k == axis else slice(0, n) for k, n in enumerate(shape))
    low, high, off = (a[cut] for a in (x.low, x.high, x.off))
    found = low.min(axis, keepdims=True), high.max(axis, keepdims=True), off.max(axis, keepdims=True)
    low, high, off = (np.broadcast_to(a, shape) for a in found)
    return Reach(low, high, off + up(high - low) if walk.of(node.given[2]).off.any() else off)


@rule("full", "full_like", "zeros", "ones", "zeros_like", "ones_like", "scalar_tensor", "new_zeros", "arange")
def _made(walk: Walk, node: Node) -> Reach:
    short = node.operator.removeprefix("aten.").split(".")[0]
    if short == "arange":
        ends = [g for g in node.given if g is not None]
        return constant(np.arange(*ends, dtype=np.float64)[: math.prod(node.shape)], walk.floats)
    value = 0.0 if "zeros" in short else 1.0 if "ones" in short else node.given[0 if short == "scalar_tensor" else 1]
    return constant(np.full(node.shape, value, dtype=np.float64), walk.floats)


@rule("_to_copy", "to")
def _cast(walk: Walk, node: Node) -> Reach:
    x, kind = walk.of(node.given[0]), walk.kind(node.given[0].name)
    if kind in TYPES:
        if node.dtype not in TYPES:
            raise walk.refused(node, "a whole number that is cut off from a float may jump")
        exact = walk.types[node.dtype].stored <= walk.types[kind].stored and kind != "float16"
        return x if exact or node.dtype == kind else stored(x, walk.floats)
    small = x.size <= 1 / TYPES[walk.floats.name]
    off = np.where(small, x.off, np.inf if not x.known else x.off + walk.floats.cast(x.low))
    return Reach(x.low, x.high, off)


@rule("add", "sub", "rsub")
def _sum(walk: Walk, node: Node) -> Reach:
    a, b = (walk.of(given) for given in node.given[:2])
    short, alpha = node.operator.removeprefix("aten.").split(".")[0], argument(node, 2, "alpha", 1)
    if alpha != 1:
        factor = constant(alpha, walk.floats)
        a, b = (multiplied(a, factor, walk.floats), b) if short == "rsub" else (a, multiplied(b, factor, walk.floats))
    if short == "rsub":
        a, b = b, a
    return added(a, b if short == "add" else negative(b), walk.floats)


@rule("neg")
def _negative(walk: Walk, node: Node) -> Reach:
    return negative(walk.of(node.given[0]))


@rule("reciprocal")
def _inverse(walk: Walk, node: Node) -> Reach:
    return stored(inverted(walk.of(node.given[0])), walk.floats)


@rule("mm", "bmm", "matmul", "dot", "mv")
def _matrices(walk: Walk, node: Node) -> Reach:
    return matmul(*_columns(walk.of(node.given[0]), walk.of(node.given[1])), walk.floats)


def _columns(a: Reach, b: Reach) -> tuple[Reach, Reach]:
    """Vectors as matrices of one row or column; the result is reshaped."""
    if len(b.shape) == 1:
        b = b.viewed(lambda t: t[:, None])
    return (a.viewed(lambda t: t[None]) if len(a.shape) == 1 else a), b


@rule("addmm", "baddbmm", "addmv")
def _affine(walk: Walk, node: Node) -> Reach:
    if any(node.named.get(name, 1) != 1 for name in ("alpha", "beta")):
        raise walk.refused(node, "factors alpha and beta")
    bias, a, b = (walk.of(given) for given in node.given[:3])
    if "addmv" in node.operator:
        bias = bias.viewed(lambda t: t[:, None])
    return matmul(*_columns(a, b), walk.floats, bias)


@rule("linear")
def _linear(walk: Walk, node: Node) -> Reach:
    x, weight, bias = walk.of(node.given[0]), walk.of(node.given[1]), argument(node, 2, "bias")
    return matmul(x, weight.viewed(lambda t: t.T), walk.floats, None if bias is None else walk.of(bias))


@rule("sum", "mean")
def _total(walk: Walk, node: Node) -> Reach:
    x = walk.of(node.given[0])
    axes, keep = axes_of(argument(node, 1, "dim"), len(x.shape)), bool(argument(node, 2, "keepdim", False))
    return summed(x, axes, keep, walk.floats, mean="mean" in node.operator)


@rule("amax", "amin", "max", "min")
def _extreme(walk: Walk, node: Node) -> Any:
    x, short = walk.of(node.given[0]), node.operator.removeprefix("aten.").split(".")[0]
    if len(node.given) > 1 and isinstance(node.given[1], Ref):
        raise walk.refused(node, "the larger of two tensors", "torch.maximum")
    axes, keep = axes_of(argument(node, 1, "dim"), len(x.shape)), bool(argument(node, 2, "keepdim", False))
    pick = np.max if "max" in short else np.min
    off = np.where(x.masked, 0.0, x.off).max(axes, keepdims=keep)
    made = Reach(pick(x.low, axes, keepdims=keep), pick(x.high, axes, keepdims=keep), off)
    return made if short in ("amax", "amin") or len(node.given) < 2 else (made, None)


@rule("maximum", "minimum", "clamp", "clamp_min", "clamp_max", "hardtanh")
def _between(walk: Walk, node: Node) -> Reach:
    short = node.operator.removeprefix("aten.").split(".")[0]
    x, rest = walk.of(node.given[0]), list(node.given[1:])
    if short in ("maximum", "minimum", "clamp_min", "clamp_max"):
        ends = [(rest[0], short in ("maximum", "clamp_min"))]
    else:
        default = (-1.0, 1.0) if short == "hardtanh" else (node.named.get("min"), node.named.get("max"))
        ends = list(zip([*rest, *default[len(rest) :]], (True, False), strict=True))
    for end, above in ends:
        if end is not None:
            y, pick = walk.of(end), np.maximum if above else np.minimum
            x = Reach(pick(x.low, y.low), pick(x.high, y.high), np.maximum(x.off, y.off))
    return x


@rule("abs")
def _modulus(walk: Walk, node: Node) -> Reach:
    x = walk.of(node.given[0])
    return Reach(np.maximum(0.0, np.maximum(x.low, -x.high)), x.size, x.off)


@rule("eq", "ne", "lt", "le", "gt", "ge")
def _compared(walk: Walk, node: Node) -> Reach:
    a, b = (walk.of(given) for given in node.given)
    short = node.operator.removeprefix("aten.").split(".")[0]
    compare = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
               "ge": np.greater_equal}[short]  # fmt: skip
    a, b = (x.viewed(lambda t: np.broadcast_to(t, node.shape)) for x in (a, b))
    masked = a.masked & b.masked
    below, above = a.high + a.off < b.low - b.off, a.low - a.off > b.high + b.off  # as real numbers and as computed
    equal = masked | (a.low == a.high) & (b.low == b.high) & (a.low == b.low) & (a.off == 0) & (b.off == 0)
    value = compare(np.where(above, 1.0, 0.0), np.where(below, 1.0, 0.0)).astype(np.float64)
    sure, exact = below | above | equal, (a.off == 0) & (b.off == 0)
    return Reach(np.where(sure, value, 0.0), np.where(sure, value, 1.0), np.where(sure | exact, 0.0, 1.0))


@rule("logical_not", "bitwise_not")
def _opposite(walk: Walk, node: Node) -> Reach:
    x = walk.of(node.given[0])
    return Reach(1 - x.high, 1 - x.low, x.off)


@rule("logical_and", "logical_or", "bitwise_and", "bitwise_or")
def _both(walk: Walk, node: Node) -> Reach:
    a, b = (walk.of(given) for given in node.given)
    if node.dtype != "bool":
        raise walk.refused(node, "bits of whole numbers")
    pick = np.minimum if "and" in node.operator.split(".")[1] else np.maximum
    return Reach(pick(a.low, b.low), pick(a.high, b.high), np.maximum(a.off, b.off))


@rule("any", "all")
def _quantified(walk: Walk, node: Node) -> Reach:
    x = walk.of(node.given[0])
    axes, keep = axes_of(argument(node, 1, "dim"), len(x.shape)), bool(argument(node, 2, "keepdim", False))
    pick = np.max if node.operator.split(".")[1] == "any" else np.min
    low, high = (pick(t, axes, keepdims=keep) for t in (x.low, x.high))
    return Reach(low, high, x.off.max(axes, keepdims=keep))


@rule("where")
def _chosen(walk: Walk, node: Node) -> Reach:
    if len(node.given) != 3:
        raise walk.refused(node, "places, not values")
    condition, a, b = (walk.of(given) for given in node.given)
    return _choice(walk, node, condition, a, b)


@rule("masked_fill")
def _filled(walk: Walk, node: Node) -> Reach:
    x, condition, value = (walk.of(given) for given in node.given)
    return _choice(walk, node, condition, value, x)


def _choice(walk: Walk, node: Node, condition: Reach, a: Reach, b: Reach) -> Reach:
    condition, a, b = (x.viewed(lambda t: np.broadcast_to(t, node.shape)) for x in (condition, a, b))
    first, second = condition.low > 0, condition.high == 0
    sure = (first | second) & (condition.off == 0)
    if (~sure & (a.masked | b.masked)).any():
        raise walk.refused(
            node, "whether a score is minus infinity depends on the prompt", "a mask that is the same for every prompt"
        )
    wrong = np.maximum(np.abs(a.high - b.low), np.abs(b.high - a.low)) + a.off + b.off
    off = np.where(condition.off == 0, np.maximum(a.off, b.off), up(wrong))
    low, high = np.minimum(a.low, b.low), np.maximum(a.high, b.high)
    low, high, off = (np.where(sure, np.where(first, p, q), r) for p, q, r in (
        (a.low, b.low, low), (a.high, b.high, high), (a.off, b.off, off)))  # fmt: skip
    lines = [replace(x.lines, row=np.where(sure & taken, x.lines.row, -1))
             for x, taken in ((a, first), (b, second)) if x.lines is not None]  # fmt: skip
    return Reach(low, high, off, lines[0] if len(lines) == 1 else None)
