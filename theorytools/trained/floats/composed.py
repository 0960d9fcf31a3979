"""Rules for functions of one number, softmax, norms and recurrent layers, as one operator or written out in several."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from theorytools.numbers.boxes import Array
from theorytools.trained.bends import LEAST, SLOPES
from theorytools.trained.floats.operators import RULES, Walk, Weights, argument, axes_of, rule
from theorytools.trained.floats.reach import (
    Floats,
    Reach,
    added,
    bent,
    constant,
    exponential,
    gamma,
    gathered,
    inverted,
    log_softmax,
    matmul,
    multiplied,
    negative,
    normed,
    reached,
    softmax,
    squared,
    stored,
    up,
    variance,
)  # fmt: skip
from theorytools.trained.traced.program import RECURRENT, Node, Ref

__all__ = ["RULES"]


# -- functions of one number -----------------------------------------------------------------------------------------
def _erf(t: Array) -> Array:
    return np.asarray(np.vectorize(math.erf, otypes=[np.float64])(t))


def _logistic(t: Array) -> Array:
    return np.asarray((1 + np.tanh(t / 2)) / 2)


def _gelu(t: Array) -> Array:
    return np.asarray(t * (1 + _erf(t / math.sqrt(2))) / 2)


def _gelu_tanh(t: Array) -> Array:
    return np.asarray(t * (1 + np.tanh(math.sqrt(2 / math.pi) * (t + 0.044715 * t**3))) / 2)


# in doubles, and to what their own error is relative
_BENT: dict[str, tuple[Callable[[Array], Array], str]] = {
    "relu": (lambda t: np.maximum(t, 0.0), "none"),
    "relu6": (lambda t: np.clip(t, 0.0, 6.0), "none"),
    "tanh": (np.tanh, "value"),
    "sigmoid": (_logistic, "value"),
    "erf": (_erf, "value"),
    "gelu": (_gelu, "argument"),
    "gelu_tanh": (_gelu_tanh, "argument"),
    "silu": (lambda t: t * _logistic(t), "argument"),
    "elu": (lambda t: np.where(t > 0, t, np.expm1(np.minimum(t, 0.0))), "argument"),
    "log1p": (lambda t: np.log1p(np.maximum(t, 0.0)), "value"),
}


def _bent(x: Reach, floats: Floats, name: str) -> Reach:
    function, against = _BENT[name]
    return bent(x, floats, function, SLOPES[name], against=against, floor=LEAST.get(name))


@rule(*_BENT.keys() - {"gelu_tanh", "log1p"})
def _function(walk: Walk, node: Node) -> Reach:
    short = node.operator.removeprefix("aten.").split(".")[0]
    approximate = short == "gelu" and argument(node, 1, "approximate", "none") == "tanh"
    if short == "elu" and any(given != 1 for given in node.given[1:]):
        raise walk.refused(node, "another alpha than 1")
    return _bent(walk.of(node.given[0]), walk.floats, "gelu_tanh" if approximate else short)


@rule("log1p")
def _log1p(walk: Walk, node: Node) -> Reach:
    x = walk.of(node.given[0])
    if not (x.low - x.off >= 0).all():
        raise walk.refused(node, "its argument may be negative")
    return _bent(x, walk.floats, "log1p")


@rule("leaky_relu")
def _leaky(walk: Walk, node: Node) -> Reach:
    slope = argument(node, 1, "negative_slope", 0.01)
    if not 0 <= slope <= 1:
        raise walk.refused(node, f"a slope of {slope}")
    x = walk.of(node.given[0])
    made = bent(x, walk.floats, lambda t: np.where(t > 0, t, slope * t), 1.0, against="none")
    below, u = np.maximum(-x.low, 0.0) + x.off, 4 * walk.floats.inside + 2 * walk.floats.stored
    low = made.low - 1e-12 * made.size
    return Reach(low, made.high + 1e-12 * made.size, up(x.off + u * slope * below + walk.floats.tiny))


@rule("sin", "cos")
def _wave(walk: Walk, node: Node) -> Reach:
    x = walk.of(node.given[0])
    one = np.ones(x.shape)
    made = bent(x, walk.floats, lambda t: one, 1.0)
    return Reach(-made.high, made.high, made.off)


@rule("exp")
def _exponential(walk: Walk, node: Node) -> Reach:
    below = _peak(walk, node.given[0])
    return exponential(walk.of(node.given[0]), walk.floats, math.inf if below is None else 0.0)


@rule("sqrt")
def _square_root(walk: Walk, node: Node) -> Reach:
    return _root(walk, walk.of(node.given[0]))


def _root(walk: Walk, x: Reach) -> Reach:
    r"""The root, :math:`|\sqrt{\hat x}-\sqrt x|\le\delta/\sqrt x`; infinite if what is computed may be negative."""
    off = np.where(x.low - x.off >= 0, x.off / np.sqrt(np.maximum(x.low, 0.0)), np.inf)
    off = np.where((x.off == 0) & (x.low >= 0), 0.0, off)
    return stored(reached(np.sqrt(np.maximum(x.low, 0.0)), np.sqrt(np.maximum(x.high, 0.0)), off), walk.floats)


@rule("rsqrt")
def _inverse_root(walk: Walk, node: Node) -> Reach:
    made = inverted(_root(walk, walk.of(node.given[0])))
    return stored(replace(made, off=up(made.off + 8 * walk.floats.inside * (made.size + made.off))), walk.floats)


@rule("pow")
def _power(walk: Walk, node: Node) -> Reach:
    x, power = walk.of(node.given[0]), node.given[1]
    if isinstance(power, Ref) or power not in (0.5, 1, 2, 3, 4):
        raise walk.refused(node, f"a power {power}", "powers 1/2, 1, 2, 3 and 4, or products")
    if power == 0.5:
        return _root(walk, x)
    square = squared(x, walk.floats) if power != 1 else x
    square = {3: lambda: multiplied(square, x, walk.floats), 4: lambda: squared(square, walk.floats)}.get(
        power, lambda: square
    )()
    return square


# -- softmax -----------------------------------------------------------------------------------------------------
def _kept(walk: Walk, node: Node, scores: Reach, axis: int, *, roundings: bool, least: float = 1.0) -> Reach:
    made, factor = softmax(scores, axis, walk.floats, roundings=roundings, moved=walk.moved, least=least)
    largest = float(np.where(scores.masked, 0.0, scores.size).max(initial=0.0))
    assert made.lines is not None
    walk.weights.append(Weights(node.name, factor, largest, made.lines.absolute))
    return made


@rule("_softmax", "_safe_softmax", "softmax")
def _softmax(walk: Walk, node: Node) -> Reach:
    return _kept(walk, node, walk.of(node.given[0]), node.given[1], roundings=False)


@rule("_log_softmax", "log_softmax")
def _logarithms(walk: Walk, node: Node) -> Reach:
    return log_softmax(walk.of(node.given[0]), node.given[1], walk.floats)


def _peak(walk: Walk, given: Any) -> tuple[Ref, int] | None:
    """Scores and axis, where a tensor is scores minus their own largest along the axis; it is never positive."""
    node = walk.nodes.get(given.name) if isinstance(given, Ref) else None
    if node is None or node.operator != "aten.sub.Tensor" or node.named or not isinstance(node.given[0], Ref):
        return None
    scores = node.given[0]
    shape = walk.of(scores).shape
    for axis, _ in enumerate(shape):
        found = walk.source(node.given[1], (*shape[:axis], 1, *shape[axis + 1 :]))
        if found is not None and found.operator in ("aten.amax.default", "aten.max.dim") and (
            found.given[0] == scores and axes_of(found.given[1], len(shape)) == (axis,)
        ):  # fmt: skip
            return scores, axis
    return None


def _softmax_written_out(walk: Walk, node: Node) -> Reach | None:
    """A quotient of exponentials and of their own sum."""
    top = walk.nodes.get(node.given[0].name) if isinstance(node.given[0], Ref) else None
    if top is None or top.operator != "aten.exp.default":
        return None
    shape = top.shape
    for axis, _ in enumerate(shape):
        found = walk.source(node.given[1], (*shape[:axis], 1, *shape[axis + 1 :]))
        if found is None or found.operator != "aten.sum.dim_IntList" or found.given[0] != Ref(top.name):
            continue
        if axes_of(found.given[1], len(shape)) != (axis,):
            continue
        peak = _peak(walk, top.given[0])
        if peak is not None and peak[1] == axis:
            return _kept(walk, node, walk.of(peak[0]), axis, roundings=True)
        total = walk.of(Ref(found.name))
        if (total.low - total.off > 0).all() and np.isfinite(total.off).all():
            return _unshifted(walk, node, walk.of(top.given[0]), axis)
    return None


def _unshifted(walk: Walk, node: Node, scores: Reach, axis: int) -> Reach | None:
    """Exponentials of the scores themselves: where they are of moderate size, so that none underflows."""
    if not (scores.size + scores.off < 8).all():
        return None
    return _kept(walk, node, scores, axis, roundings=True, least=math.exp(-9))


# -- norms -------------------------------------------------------------------------------------------------------
def _spread(walk: Walk, node: Node) -> float:
    walk.norms.append(node.name)
    if node.name in walk.spreads:
        walk.used.add(node.name)
    return float(walk.spreads.get(node.name, 0.0))


@rule("var")
def _variance(walk: Walk, node: Node) -> Reach:
    x = walk.of(node.given[0])
    axes, keep = axes_of(argument(node, 1, "dim"), len(x.shape)), bool(node.named.get("keepdim", False))
    correction = node.named.get("correction", 1)
    last = x.viewed(lambda t: np.moveaxis(t, axes, range(-len(axes), 0)))
    rest = last.shape[: len(x.shape) - len(axes)]
    made = variance(last.viewed(lambda t: t.reshape(*rest, -1)), 1 if correction is None else correction, walk.floats)
    return made.viewed(lambda t: np.expand_dims(t, axes)) if keep else made


@rule("native_layer_norm")
def _layer_norm(walk: Walk, node: Node) -> tuple[Reach | None, ...]:
    x, shape, weight, bias, eps = walk.of(node.given[0]), *node.given[1:]
    lead, n = x.shape[: len(x.shape) - len(shape)], math.prod(shape)
    wide = Floats("float32") if walk.floats.stored > walk.floats.inside else walk.floats
    y = normed(x.viewed(lambda t: t.reshape(*lead, n)), n, eps, wide, spread=_spread(walk, node))
    y = y.viewed(lambda t: t.reshape(x.shape))
    y = y if weight is None else multiplied(y, walk.of(weight), wide)
    y = y if bias is None else added(y, walk.of(bias), wide)
    return stored(y, walk.floats), None, None


@rule("native_group_norm")
def _group_norm(walk: Walk, node: Node) -> tuple[Reach | None, ...]:
    x, weight, bias, n, c, rest, groups, eps = walk.of(node.given[0]), *node.given[1:]
    wide = Floats("float32") if walk.floats.stored > walk.floats.inside else walk.floats
    size = c // groups * rest
    y = normed(x.viewed(lambda t: t.reshape(n, groups, size)), size, eps, wide, spread=_spread(walk, node))
    y = y.viewed(lambda t: t.reshape(x.shape))
    y = y if weight is None else multiplied(y, _channels(walk, weight, x), wide)
    y = y if bias is None else added(y, _channels(walk, bias, x), wide)
    return stored(y, walk.floats), None, None


def _channels(walk: Walk, given: Any, x: Reach) -> Reach:
    return walk.of(given).viewed(lambda t: t.reshape(1, -1, *(1,) * (len(x.shape) - 2)))


@rule("_native_batch_norm_legit_no_training")
def _batch_norm(walk: Walk, node: Node) -> tuple[Reach | None, ...]:
    """In evaluation mode: by its formula, or as one product and one sum with what is computed of the weights before."""
    f, x = walk.floats, walk.of(node.given[0])
    mean, square = (_channels(walk, given, x) for given in node.given[3:5])
    root = stored(inverted(_root(walk, added(square, constant(node.given[6]), f))), f, 4)
    scale = root if node.given[1] is None else multiplied(_channels(walk, node.given[1], x), root, f)
    bias = constant(0.0) if node.given[2] is None else _channels(walk, node.given[2], x)
    y = added(multiplied(added(x, negative(mean), f), scale, f), bias, f)
    mass = (scale.size + scale.off) * (x.size + x.off + mean.size + mean.off) + bias.size + bias.off
    return stored(Reach(y.low, y.high, up(y.off + gamma(16, f.inside) * mass + 4 * f.tiny)), f), None, None


@rule("convolution")
def _convolution(walk: Walk, node: Node) -> Reach:
    x, weight, given = walk.of(node.given[0]), walk.of(node.given[1]), node.given
    if weight.shape[2:] != (1,) or (tuple(given[3]), tuple(given[4]), given[6], given[8]) != ((1,), (0,), False, 1):
        raise walk.refused(node, "a convolution with another kernel than one of size 1", "nn.Linear, or attention")
    bias = None if given[2] is None else walk.of(given[2]).viewed(lambda t: t[:, None])
    return matmul(weight.viewed(lambda t: t[:, :, 0]), x, walk.floats, bias)


@rule("rms_norm")
def _root_mean_square(walk: Walk, node: Node) -> Reach:
    """As if each of its operators were stored in the type: versions of torch differ in what they keep in float32."""
    x, f, shape = walk.of(node.given[0]), walk.floats, node.given[1]
    weight, eps = argument(node, 2, "weight", None), argument(node, 3, "eps", None)
    if eps is None:
        raise walk.refused(node, "without eps torch takes one of the type")
    lead, n = x.shape[: len(x.shape) - len(shape)], math.prod(shape)
    last = x.viewed(lambda t: t.reshape(*lead, n))
    y = normed(last, n, eps, f, spread=_spread(walk, node), centred=False, own=_written(n, eps, f))
    y = stored(y.viewed(lambda t: t.reshape(x.shape)), f)
    return y if weight is None else multiplied(y, walk.of(weight), f)


def _written(n: int, eps: float, f: Floats) -> float:
    """The relative error of a norm whose operators are rounded one by one, of an argument that needs no mean."""
    return (1 + f.stored) ** 4 * (1 + gamma(2 * n + 32, f.inside)) - 1 + f.tiny * (n + 4) / eps


def _norm_written_out(walk: Walk, node: Node, top: Any, below: Any) -> Reach | None:
    r"""Return :math:`v/\sqrt{\operatorname{mean}v^2+\epsilon}` where it is written as operators; else None."""
    shape = walk.of(top).shape
    root = walk.source(below, (*shape[:-1], 1)) if shape else None
    short = {"aten.rsqrt.default": "mul", "aten.sqrt.default": "div"}.get(root.operator) if root else None
    inside = walk.node(root.given[0]) if root and short == node.operator.split(".")[1] else None
    if inside is None or inside.operator.split(".")[1] != "add" or isinstance(inside.given[1], Ref):
        return None
    eps, what, f = float(inside.given[1]), walk.node(inside.given[0]), walk.floats
    if what is None or not eps > 0 or axes_of(argument(what, 1, "dim"), len(shape)) != (len(shape) - 1,):
        return None
    n = shape[-1]
    if not all(np.isfinite(walk.of(Ref(part.name)).off).all() for part in (what, inside)):
        return None  # a square may overflow
    if what.operator == "aten.mean.dim" and _square_of(walk, what.given[0], top):
        own = _written(n, eps, f)
        return stored(normed(walk.of(top), n, eps, f, spread=_spread(walk, node), centred=False, own=own), f)
    if what.operator == "aten.var.correction" and f.stored == f.inside and what.named.get("correction", 1) == 0:
        centre = walk.node(top)
        x = what.given[0]
        if centre is not None and centre.operator == "aten.sub.Tensor" and centre.given[0] == x:
            mean = walk.source(centre.given[1], (*shape[:-1], 1))
            if mean is not None and mean.given[0] == x and mean.operator == "aten.mean.dim" and (
                axes_of(mean.given[1], len(shape)) == (len(shape) - 1,)
            ):  # fmt: skip
                return stored(normed(walk.of(x), n, eps, f, spread=_spread(walk, node)), f)
    return None


def _square_of(walk: Walk, given: Any, top: Any) -> bool:
    square = walk.node(given)
    if square is None:
        return False
    return (square.operator, square.given) in (("aten.pow.Tensor_Scalar", (top, 2)), ("aten.mul.Tensor", (top, top)))


@rule("mul")
def _product(walk: Walk, node: Node) -> Reach:
    left, right = node.given[:2]
    made = _norm_written_out(walk, node, left, right) or _norm_written_out(walk, node, right, left)
    if made is not None:
        return made
    if left == right:
        return squared(walk.of(left), walk.floats)
    return multiplied(walk.of(left), walk.of(right), walk.floats)


@rule("div")
def _quotient(walk: Walk, node: Node) -> Reach:
    if node.named.get("rounding_mode") is not None:
        raise walk.refused(node, "a quotient that is rounded to a whole number")
    left, right = node.given
    made = _softmax_written_out(walk, node) or _norm_written_out(walk, node, left, right)
    return made or multiplied(walk.of(left), inverted(walk.of(right)), walk.floats)


# -- recurrent layers ----------------------------------------------------------------------------------------------
@rule(RECURRENT)
def _recurrent(walk: Walk, node: Node) -> Reach:
    x, *weights = (walk.of(given) for given in node.given[:5])
    kind, reverse = node.given[5:7]
    w_ih, w_hh = (w.viewed(lambda t: t.T) for w in weights[:2])
    k, steps = w_hh.shape[0], range(x.shape[1])
    h = constant(np.zeros((x.shape[0], k)))
    c, states = h, {}
    for i in reversed(steps) if reverse else steps:
        a = matmul(Reach(x.low[:, i], x.high[:, i], x.off[:, i]), w_ih, walk.floats, weights[2], more=k + 3)
        b = matmul(h, w_hh, walk.floats, weights[3], more=w_ih.shape[0] + 3)
        h, c = _step(walk, kind, a, b, h, c)
        if node.name in walk.states and not x.off.any():  # both bounds hold of what enters without an error
            off = walk.states[node.name][i]
            h, c = (replace(x, off=np.minimum(x.off, part)) for x, part in ((h, off[:k]), (c, off[-k:])))
        states[i] = h
    parts = [states[i] for i in steps]
    return gathered(parts, lambda arrays: np.stack(arrays, 1))


def _step(walk: Walk, kind: str, a: Reach, b: Reach, h: Reach, c: Reach) -> tuple[Reach, Reach]:
    """One position: gates in torch's order, and the state after it."""
    f = walk.floats

    def act(name: str, t: Reach) -> Reach:
        return _bent(t, f, name)

    if kind in ("tanh", "relu"):
        return act(kind, added(a, b, f)), c
    k = h.shape[-1]
    (a, *more), (b, *rest) = (_cut(t, k) for t in (a, b))
    if kind == "lstm":
        i, forget, g, o = (
            act(name, added(s, t, f))
            for name, s, t in zip(("sigmoid", "sigmoid", "tanh", "sigmoid"), (a, *more), (b, *rest), strict=True)
        )
        c = added(multiplied(forget, c, f), multiplied(i, g, f), f)
        return multiplied(o, act("tanh", c), f), c
    r, z = act("sigmoid", added(a, b, f)), act("sigmoid", added(more[0], rest[0], f))
    n = act("tanh", added(more[1], multiplied(r, rest[1], f), f))
    return _mixed(n, h, z, f), c


def _cut(x: Reach, k: int) -> list[Reach]:
    """The gates, one behind the other."""
    at = [slice(j, j + k) for j in range(0, x.shape[-1], k)]
    return [Reach(x.low[..., cut], x.high[..., cut], x.off[..., cut]) for cut in at]


def _mixed(n: Reach, h: Reach, z: Reach, f: Floats) -> Reach:
    r"""Return :math:`(1-z)n+zh`, in this order or as :math:`n+z(h-n)`: it lies between ``n`` and ``h``."""
    apart = np.maximum(np.abs(h.high - n.low), np.abs(n.high - h.low))
    off = np.maximum(n.off, h.off) * (1 + 2 * z.off) + z.off * apart
    off = off + 3 * f.stored * (n.size + n.off + h.size + h.off) * (1 + z.off)
    return stored(Reach(np.minimum(n.low, h.low), np.maximum(n.high, h.high), up(off + 3 * f.tiny)), f)
