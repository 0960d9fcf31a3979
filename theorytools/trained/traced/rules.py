"""What operators of a program do to traced arrays: what stays linear, and what becomes a block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.numbers.boxes import Box, exact
from theorytools.optional import require
from theorytools.trained.traced.constant_functions import function_of
from theorytools.trained.traced.forms import (
    NONE,
    Forms,
    Inexpressible,
    Ints,
    added,
    columns,
    constants,
    contracted,
    inverse,
    mixed,
    numbered,
    product,
    scaled,
)
from theorytools.trained.traced.roots import Root, divided
from theorytools.trained.traced.scores import (
    Scores,
    Weights,
    added_scores,
    bilinear,
    scaled_scores,
    scores_of,
    softmax,
    weighted,
)
from theorytools.trained.traced.tape import Tape, joined


@dataclass(frozen=True, eq=False)
class Words:
    """An array of words: of each entry the number of the field, and the position at which it stands."""

    names: tuple[str, ...]
    word: Ints
    at: Ints

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor."""
        return self.word.shape

    def __getitem__(self, at: Any) -> Words:
        return Words(self.names, self.word[at], self.at[at])

    def reshape(self, *shape: int) -> Words:
        """Return the entries in another shape."""
        return Words(self.names, self.word.reshape(shape), self.at.reshape(shape))


@dataclass(eq=False)
class State:
    """What a tracing has written, how many symbols each word has, and the types of the program's nodes."""

    tape: Tape
    symbols: dict[str, int] = field(default_factory=dict)
    dtypes: dict[str, str] = field(default_factory=dict)

    def whole(self, name: str) -> bool:
        """Whether a node gives whole numbers or truth values."""
        return "float" not in self.dtypes.get(name, "float")

    def counted(self, words: Words, symbols: int) -> None:
        """Note how many symbols the words have that are looked up."""
        for k in np.unique(words.word):
            name = words.names[k]
            if self.symbols.setdefault(name, symbols) != symbols:
                raise Inexpressible(
                    f"{name} is looked up in tables of {self.symbols[name]} and of {symbols} rows",
                    "tables with one row for each symbol",
                )


def as_forms(a: Any) -> Forms:
    """An array, or a number, as forms."""
    if isinstance(a, Forms):
        return a
    if isinstance(a, bool | int | float):
        return constants(exact(np.array(float(a))))
    if isinstance(a, np.ndarray):
        if a.size and np.abs(a.astype(np.float64)).max() >= 2**53:
            raise Inexpressible("whole numbers of more than 53 bits among real ones")
        return constants(exact(a))
    kind = {Scores: "scores of attention", Weights: "weights of attention", Words: "indices", Root: "roots"}.get(
        type(a), "this"
    )
    raise Inexpressible(
        f"{kind} are used as numbers",
        "scores go to one softmax, its weights to one product with values, indices to a table of codes",
    )


def _finite(f: Forms) -> Forms:
    if not np.isfinite(f.shift.mid).all():
        raise Inexpressible("minus infinity is used as a number", "-inf is added to scores, or put by masked_fill")
    return f


def gathered(some: Any, ids: Any) -> Any:
    """Return the entries of an array whose numbers a tensor holds, or several of them."""
    if isinstance(ids, list | tuple):
        return tuple(gathered(some, one) for one in ids)
    index = ids.numpy()
    return some.reshape(-1)[index.reshape(-1)].reshape(*index.shape)


# -- arithmetic --------------------------------------------------------------------------------------------------------
def _add(state: State, a: Any, b: Any, alpha: Any = 1) -> Any:
    if alpha != 1:
        b = _mul(state, b, alpha)
    if isinstance(a, Scores) or isinstance(b, Scores):
        return added_scores(*(x if isinstance(x, Scores) else scores_of(as_forms(x)) for x in (a, b)))
    f, g = as_forms(a), as_forms(b)
    if not (np.isfinite(f.shift.mid).all() and np.isfinite(g.shift.mid).all()):
        return added_scores(scores_of(f), scores_of(g))
    return added(f, g)


def _neg(state: State, a: Any) -> Any:
    return _mul(state, a, -1.0)


def _sub(state: State, a: Any, b: Any, alpha: Any = 1) -> Any:
    return _add(state, a, _mul(state, b, -alpha))


def _rsub(state: State, a: Any, b: Any, alpha: Any = 1) -> Any:
    return _sub(state, b, a, alpha)


def _mul(state: State, a: Any, b: Any) -> Any:
    if isinstance(a, Root) or isinstance(b, Root):
        f, root = (b, a) if isinstance(a, Root) else (a, b)
        if isinstance(f, Root) or not root.inverted:
            raise Inexpressible("a product with a root that depends on the prompt", "nn.LayerNorm or nn.RMSNorm")
        return divided(state.tape, _finite(as_forms(f)), root)
    if isinstance(a, Scores) or isinstance(b, Scores):
        s, c = (a, b) if isinstance(a, Scores) else (b, a)
        if isinstance(c, Scores) or not as_forms(c).constant:
            raise Inexpressible("scores times what depends on the prompt", "scores bilinear in query and key")
        return scaled_scores(s, _finite(as_forms(c)).shift)
    f, g = _finite(as_forms(a)), _finite(as_forms(b))
    if f.constant:
        f, g = g, f
    if g.constant and (f.constant or not _by_position(f, g)):
        return scaled(f, g.shift)
    return state.tape.product(f, g)


def _by_position(f: Forms, c: Forms) -> bool:
    """Whether constants are factors that differ by position: then they are a field of their own, in a product."""
    if c.shift.mid.size == 1:
        return False
    shape = np.broadcast_shapes(f.shape, c.shape)
    f = f.broadcast(shape)
    number, values = numbered(c.shift, shape)
    alone = columns(f.at, f.form)[1]
    code = (f.form + 1).astype(np.int64) * len(values.mid) + number
    return len(columns(f.at, code)[1]) > len(alone)


def _div(state: State, a: Any, b: Any) -> Any:
    if isinstance(b, Root):
        return _mul(state, a, Root(b.of, not b.inverted))
    g = as_forms(b)
    if not g.constant:
        raise Inexpressible("a division by what depends on the prompt", "torch.softmax, nn.LayerNorm or nn.RMSNorm")
    return _mul(state, a, constants(inverse(_finite(g).shift)))


def _pow(state: State, a: Any, b: Any) -> Any:
    f, g = as_forms(a), as_forms(b)
    if not f.constant and isinstance(b, float) and abs(b) == 0.5:
        return Root(_finite(f), b < 0)
    if g.constant and g.shift.mid.size == 1 and float(g.shift.mid) == 2:
        return _mul(state, f, f)
    if f.constant and g.constant and not f.shift.rad.any() and not g.shift.rad.any():
        # a^b = e^(b log a)
        return constants(function_of("exp", product(g.shift, function_of("log", f.shift))))
    if g.constant and g.shift.mid.size == 1 and float(g.shift.mid) == 1:
        return f
    raise Inexpressible("a power of what depends on the prompt", "x * x, or torch.relu and tanh")


# -- sums and products of matrices -------------------------------------------------------------------------------------
def _linear(state: State, f: Forms, B: Box) -> Forms:
    return state.tape.contracted(f, B) if mixed(f) else contracted(f, B)


def matmul(state: State, a: Any, b: Any) -> Any:
    """Return the products of stacks of matrices ``(P, n, k)`` and ``(P, k, m)``."""
    if isinstance(a, Weights):
        return weighted(state.tape, a, _finite(as_forms(b)))
    if isinstance(b, Weights):
        turned = Weights(b.rows, np.swapaxes(b.row, 1, 2), np.swapaxes(b.column, 1, 2))
        return weighted(state.tape, turned, _finite(as_forms(a)).swapped()).swapped()
    f, g = _finite(as_forms(a)), _finite(as_forms(b))
    if g.constant:
        return _linear(state, f, g.shift)
    if f.constant:
        return _linear(state, g.swapped(), f.swapped().shift).swapped()
    return bilinear(f, g, state.tape.N)


def _mm(state: State, a: Any, b: Any) -> Any:
    found = matmul(state, a.reshape(1, *a.shape), b.reshape(1, *b.shape))
    return found.reshape(*found.shape[1:])


def _mv(state: State, a: Any, b: Any) -> Any:
    found = matmul(state, a.reshape(1, *a.shape), b.reshape(1, b.shape[0], 1))
    return found.reshape(found.shape[1])


def _addmm(state: State, c: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    found = _mm(state, a, b)
    found = found if alpha == 1 else _mul(state, found, alpha)
    return _add(state, c if beta == 1 else _mul(state, c, beta), found)


def _baddbmm(state: State, c: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    found = matmul(state, a, b)
    found = found if alpha == 1 else _mul(state, found, alpha)
    return _add(state, c if beta == 1 else _mul(state, c, beta), found)


def _sum(state: State, a: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    f = _finite(as_forms(a))
    axes = range(len(f.shape)) if dim is None or dim == () else [dim] if isinstance(dim, int) else dim
    over = sorted({axis % max(len(f.shape), 1) for axis in axes})
    kept = [axis for axis in range(len(f.shape)) if axis not in over]
    order = np.arange(f.form.size).reshape(f.shape).transpose(*kept, *over)
    n = int(np.prod([f.shape[axis] for axis in kept]))
    flat = f.reshape(-1)[order.reshape(-1)].reshape(1, n, -1)
    found = _linear(state, flat, exact(np.ones((1, flat.shape[2], 1))))
    shape = [1 if axis in over else f.shape[axis] for axis in range(len(f.shape)) if keepdim or axis not in over]
    return found.reshape(*shape)


def _mean(state: State, a: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    found = _sum(state, a, dim, keepdim)
    count = int(np.prod(a.shape)) // max(int(np.prod(found.shape)), 1)
    return scaled(found, inverse(exact(np.array(float(count)))))


# -- softmax, masks ----------------------------------------------------------------------------------------------------
def _softmax(state: State, a: Any, dim: int, *rest: Any) -> Any:
    scores = a if isinstance(a, Scores) else scores_of(as_forms(a))
    return softmax(scores, dim % len(scores.shape))


def _where(state: State, condition: Any, a: Any, b: Any) -> Any:
    if not isinstance(condition, np.ndarray):
        raise Inexpressible("a choice that depends on the prompt", "torch.relu, or a mask made of positions alone")
    if condition.all() or not condition.any():
        some = a if condition.all() else b
        shape = np.broadcast_shapes(condition.shape, *(x.shape for x in (a, b) if hasattr(x, "shape")))
        return some if getattr(some, "shape", None) == shape else as_forms(some).broadcast(shape)
    if isinstance(a, Scores) or isinstance(b, Scores):
        s, other, chosen = (b, a, condition) if isinstance(b, Scores) else (a, b, ~condition)
        shape = np.broadcast_shapes(s.shape, condition.shape)
        f = as_forms(other).broadcast(shape)
        if not f.constant or not np.isneginf(f.shift.mid[np.broadcast_to(chosen, shape)]).all():
            raise Inexpressible(
                "scores are replaced by finite numbers",
                "masked_fill(mask, -inf): e to the power of it is zero; or scores + mask * -1e9, kept as it is",
            )
        s = s.broadcast(shape)
        return Scores(s.terms, s.term, s.query, s.key, s.rest, s.seen & ~chosen)
    f, g = as_forms(a), as_forms(b)
    shape = np.broadcast_shapes(condition.shape, f.shape, g.shape)
    both = joined([f.broadcast(shape), g.broadcast(shape)])
    ids = np.arange(int(np.prod(shape))).reshape(shape)
    ids = np.where(condition, ids, ids + ids.size)
    return both[ids.reshape(-1)].reshape(*shape)


def _eq(state: State, a: Any, b: Any) -> Any:
    if isinstance(a, Scores) and isinstance(b, float) and b == -np.inf:
        return ~a.seen
    if isinstance(b, Words):
        a, b = b, a
    if isinstance(a, Words) and isinstance(b, np.ndarray):  # one-hot vectors of words
        shape, count = np.broadcast_shapes(a.shape, b.shape), int(b.max()) + 1
        state.counted(a, count)
        rows = {name: exact(np.eye(count)) for name in a.names}
        if len(a.names) > 1:
            rows = _blocks(a.names, [exact(np.eye(count))] * len(a.names))
        word, at = np.broadcast_to(a.word, shape), np.broadcast_to(a.at, shape)
        zero = exact(np.zeros(shape))
        return Forms(rows, (word * count + b).astype(np.int32), at, zero)
    raise Inexpressible("a comparison of what depends on the prompt", "torch.relu, or masks made of positions alone")


# -- tables ------------------------------------------------------------------------------------------------------------
def _blocks(names: Sequence[str], tables: Sequence[Box]) -> dict[str, Box]:
    """Tables one below the other, each a map of its own word."""
    found, total, begin = {}, sum(len(t.mid) for t in tables), 0
    for name, table in zip(names, tables, strict=True):
        part = Box(np.zeros((total, table.shape[1])), np.zeros((total, table.shape[1])))
        part.mid[begin : begin + len(table.mid)], part.rad[begin : begin + len(table.mid)] = table.mid, table.rad
        found[name] = part
        begin += len(table.mid)
    return found


def _looked_up(state: State, table: Any, words: Words) -> Forms:
    """Rows of a table by words: forms of the words' unit vectors."""
    f = as_forms(table)
    if not f.constant:
        raise Inexpressible("a row of the prompt is chosen by an index", "attention to the position of the index")
    values, V = f.reshape(f.shape[0], -1).shift, f.shape[0]
    state.counted(words, V)
    D, names = values.shape[1], [words.names[k] for k in range(len(words.names))]
    rows = _blocks(names, [values.T] * len(names))
    form = (words.word.reshape(-1, 1) * D + np.arange(D)).astype(np.int32)
    at = np.broadcast_to(words.at.reshape(-1, 1), form.shape)
    zero = exact(np.zeros(form.shape))
    return Forms(rows, form, at, zero).reshape(*words.shape, *f.shape[1:])


def _embedding(state: State, table: Any, words: Any, *rest: Any, **named: Any) -> Any:
    if isinstance(words, Words):
        return _looked_up(state, table, words)
    f, index = as_forms(table), np.asarray(words)
    found = f[index.reshape(-1)]
    return found.reshape(*index.shape, *f.shape[1:])


def _index(state: State, a: Any, indices: Sequence[Any]) -> Any:
    some = [k for k, one in enumerate(indices) if one is not None]
    if any(isinstance(indices[k], Words) for k in some):
        if some != [0]:
            raise Inexpressible("an index of the prompt into another axis than the first", "table[T]")
        return _looked_up(state, a, indices[0])
    if not all(isinstance(indices[k], np.ndarray) for k in some):
        raise Inexpressible("an index that depends on the prompt", "attention to the position of the index")
    ids = np.arange(int(np.prod(a.shape))).reshape(a.shape)
    torch = require("torch")
    index = [None if one is None else torch.from_numpy(np.array(one)) for one in indices]
    return gathered(a, torch.ops.aten.index.Tensor(torch.from_numpy(ids), index))


# -- what becomes a block ----------------------------------------------------------------------------------------------
def _function(kind: Any) -> Callable[..., Any]:
    def rule(state: State, a: Any, approximate: str = "none") -> Any:
        f = _finite(as_forms(a))
        name: Any = "gelu_tanh" if kind == "gelu" and approximate == "tanh" else kind
        read = f.form >= 0
        if not read.any():
            return constants(function_of(name, f.shift))
        if read.all():
            return state.tape.activation(name, f)
        found, fixed = state.tape.activation(name, f[read]), function_of(name, f.shift[~read])
        form, at = np.full(f.shape, NONE), np.full(f.shape, NONE)
        form[read], at[read] = found.form, found.at
        shift = Box(np.zeros(f.shape), np.zeros(f.shape))
        shift.mid[~read], shift.rad[~read] = fixed.mid, fixed.rad
        return Forms(found.rows, form, at, shift)

    return rule


def _of_constants(kind: str) -> Callable[..., Any]:
    def rule(state: State, a: Any) -> Any:
        if kind == "reciprocal" and isinstance(a, Root):
            return Root(a.of, not a.inverted)
        f = _finite(as_forms(a))
        if not f.constant and kind in ("sqrt", "rsqrt"):
            return Root(f, kind == "rsqrt")
        if not f.constant:
            raise Inexpressible(f"{kind} of what depends on the prompt", "ReLU, GELU, SiLU, tanh, sigmoid or exp")
        if kind == "reciprocal":
            return constants(inverse(f.shift))
        return constants(function_of(kind, f.shift))

    return rule


def _clamp(state: State, a: Any, low: Any = None, high: Any = None) -> Any:
    """Between two numbers: l + relu(x - l) is max(x, l), and h - relu(h - x) is min(x, h)."""
    if low is not None:
        a = _add(state, RULES["relu"](state, _sub(state, a, low)), low)
    if high is not None:
        a = _sub(state, high, RULES["relu"](state, _sub(state, high, a)))
    return a


def _leaky(state: State, a: Any, slope: float = 0.01) -> Any:
    # s x + (1 - s) relu(x)
    return _add(state, _mul(state, a, slope), _mul(state, RULES["relu"](state, a), _sub(state, 1.0, slope)))


def _abs(state: State, a: Any) -> Any:
    # |x| = 2 relu(x) - x
    return _sub(state, _mul(state, RULES["relu"](state, a), 2.0), a)


def _layer_norm(state: State, a: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    return (_normed(state, a, shape, weight, bias, eps, True),)


def _normed(state: State, a: Any, shape: Any, weight: Any, bias: Any, eps: float, centred: bool) -> Any:
    f = _finite(as_forms(a))
    k = int(np.prod(shape))
    found = state.tape.norm(f.reshape(*f.shape[: len(f.shape) - len(shape)], k), eps, centred).reshape(*f.shape)
    found = found if weight is None else _mul(state, found, weight)
    return found if bias is None else _add(state, found, bias)


def _group_norm(
    state: State, a: Any, weight: Any, bias: Any, n: int, c: int, rest: int, groups: int, eps: float
) -> Any:
    """Norms of groups of channels: what is normed together must be of one position."""
    f = _finite(as_forms(a))
    found = state.tape.norm(f.reshape(n, groups, c // groups * rest), eps).reshape(*f.shape)
    found = found if weight is None else _mul(state, found, _by_channel(weight, len(f.shape)))
    return (found if bias is None else _add(state, found, _by_channel(bias, len(f.shape))),)


def _by_channel(a: Any, ndim: int) -> Forms:
    return as_forms(a).reshape(1, -1, *(1,) * (ndim - 2))


def _batch_norm(
    state: State, a: Any, weight: Any, bias: Any, mean: Any, variance: Any, momentum: float, eps: float
) -> Any:
    """In evaluation mode: an affine map of each channel, by what was counted in training."""
    f = _finite(as_forms(a))
    factor = function_of("rsqrt", as_forms(variance).shift + exact(np.array(float(eps))))
    scale = constants(factor if weight is None else product(factor, as_forms(weight).shift))
    found = _mul(state, _sub(state, f, _by_channel(mean, len(f.shape))), _by_channel(scale, len(f.shape)))
    return (found if bias is None else _add(state, found, _by_channel(bias, len(f.shape))),)


def _convolution(
    state: State, a: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int,
) -> Any:  # fmt: skip
    """A kernel of size one: a linear map of the channels, the same at each position."""
    w, f = as_forms(weight), _finite(as_forms(a))
    if len(w.shape) != 3 or w.shape[2] != 1 or tuple(stride) != (1,) or tuple(padding) != (0,) or transposed:
        raise Inexpressible(
            f"a convolution with a kernel of shape {w.shape[2:]}, stride {tuple(stride)} and padding {tuple(padding)}"
            " reads several positions",
            "nn.Conv1d(…, kernel_size=1), nn.Linear, or attention",
        )
    if groups != 1 or len(f.form) != 1:
        raise Inexpressible(
            f"a convolution in {groups} groups of {len(f.form)} arrays", "one for each group, laid side by side"
        )
    found = matmul(state, w[:, :, 0].reshape(1, w.shape[0], w.shape[1]), f)
    return found if bias is None else _add(state, found, _by_channel(bias, 3))


def _rms_norm(state: State, a: Any, shape: Any, weight: Any = None, eps: float | None = None) -> Any:
    if eps is None:
        raise Inexpressible("an RMSNorm whose epsilon is that of its number type", "nn.RMSNorm(D, eps=1e-6)")
    return _normed(state, a, shape, weight, None, eps, False)


def _variance(state: State, a: Any, dim: Any = None, correction: Any = 1, keepdim: bool = False) -> Any:
    if correction != 0:
        raise Inexpressible("a variance that divides by the number less one", "x.var(-1, unbiased=False)")
    centred = _sub(state, a, _mean(state, a, dim, True))
    return _mean(state, _mul(state, centred, centred), dim, keepdim)


def recurrent(state: State, x: Any, *rest: Any) -> Any:
    """Return the states of a recurrent layer: what enters, four arrays of weights, the kind, the direction."""
    *weights, kind, reverse = rest
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    held: dict[str, NDArray[np.float64]] = {}
    for name, one in zip(names, weights, strict=True):
        f = _finite(as_forms(one))
        if not f.constant or f.shift.rad.any():
            raise Inexpressible(f"a recurrent layer whose {name} is computed", "weights as parameters of the layer")
        held[name] = np.array(f.shift.mid)
    return state.tape.recur(kind, _finite(as_forms(x)), held, reverse)


RULES: dict[str, Callable[..., Any]] = {
    "add": _add, "sub": _sub, "rsub": _rsub, "neg": _neg, "mul": _mul, "div": _div, "pow": _pow,
    "square": lambda s, a: _mul(s, a, a),
    "mm": _mm, "mv": _mv, "addmm": _addmm, "bmm": matmul, "baddbmm": _baddbmm, "sum": _sum, "mean": _mean,
    "var": _variance,
    "_softmax": _softmax, "where": _where, "eq": _eq, "embedding": _embedding, "index": _index,
    "native_layer_norm": _layer_norm, "rms_norm": _rms_norm, "clamp": _clamp, "clamp_min": _clamp,
    "clamp_max": lambda s, a, high: _clamp(s, a, None, high),
    "native_group_norm": _group_norm, "_native_batch_norm_legit_no_training": _batch_norm, "convolution": _convolution,
    "hardtanh": lambda s, a, low=-1.0, high=1.0: _clamp(s, a, low, high),
    "relu6": lambda s, a: _clamp(s, a, 0.0, 6.0), "leaky_relu": _leaky, "abs": _abs,
    **{name: _function(name) for name in ("relu", "tanh", "sigmoid", "gelu", "silu", "exp")},
    **{name: _of_constants(name) for name in ("sin", "cos", "log", "sqrt", "rsqrt", "reciprocal")},
}  # fmt: skip
