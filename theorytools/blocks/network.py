r"""A network in one form: fields at every position, blocks that write new ones, and what is returned of them.

Position ``i`` of a prompt holds *fields*: numbers :math:`r_i\in\mathbb R^w`, or a word, one of ``w`` symbols, which as
a vector is a unit vector.  A block writes a field as a function of earlier ones, the same at every position,

.. math:: \text{attention: }\ r_i^{new}=\Bigl(\sum_j\pi^{(h)}_{ij}\,V_h(r_j)\Bigr)_h,\qquad
          \pi^{(h)}_{ij}=\operatorname{softmax}_j\sum_{a,b}r_{i,a}^\top G^{(h)}_{ab}\,r_{j,b},

and else :math:`\phi(M(r_i))` with a ReLU, another function of one number, a norm, or a product.  ``V`` and ``M`` are
affine in all fields written so far, so a residual connexion is a term of what reads it, and two maps with nothing
between them are one.  What differs by position is the field ``place``, the word of a position's own number: a position
embedding is a map of it, a table of scores by positions a matrix :math:`G_{place,place}`.  The constant one is the
field ``""`` of width 1.

Matrices are intervals (:class:`~theorytools.numbers.boxes.Box`): weights are exact as stored, products of them are
enclosed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError
from theorytools.numbers.boxes import Array, Box

ONE, PLACE = "", "place"  # the constant, and the word of a position's own number
Kind = Literal["relu", "tanh", "sigmoid", "gelu", "gelu_tanh", "silu", "exp"]


@dataclass(frozen=True)
class Field:
    """What every position holds under a name.

    Attributes
    ----------
    name, width : its name, and how many numbers or symbols.
    word : whether it is a word, one of ``width`` symbols and as a vector a unit vector; else any numbers.
    """

    name: str
    width: int
    word: bool = False


@dataclass(frozen=True, eq=False)
class Map:
    r"""An affine map of the fields of one position, :math:`r\mapsto\sum_fM_fr_f+b`.

    Attributes
    ----------
    parts : :math:`M_f` by the name of the field, shape ``(m, width of f)``; fields that do not enter are left out.
    shift : :math:`b`, shape ``(m,)``.
    """

    parts: Mapping[str, Box]
    shift: Box

    @property
    def width(self) -> int:
        """How many numbers it returns."""
        return len(self.shift.mid)


@dataclass(frozen=True, eq=False)
class Head:
    """One softmax: scores that are bilinear in the fields of the asking and the asked position, and values.

    Attributes
    ----------
    scores : :math:`G_{ab}` by the names of the query's field and the key's, shape ``(width of a, width of b)``; the
        scale is in it.  Terms that no key enters may be left out: no softmax sees them.
    value : what is averaged, a map of the key's fields.
    """

    scores: Mapping[tuple[str, str], Box]
    value: Map


@dataclass(frozen=True, eq=False)
class Attention:
    """Softmax attention: writes the heads' averages one behind the other.

    Attributes
    ----------
    out : the field that is written.
    heads : its heads.
    mask : which keys a query sees, shape ``(N, N)``; all unless given.
    """

    out: str
    heads: tuple[Head, ...]
    mask: NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class Activation:
    """A function of one number, entry by entry, of an affine map."""

    out: str
    kind: Kind
    of: Map


@dataclass(frozen=True, eq=False)
class Norm:
    r"""A norm without its weights: :math:`(v-\bar v)/\sqrt{\operatorname{mean}(v-\bar v)^2+\epsilon}` of an affine map.

    Attributes
    ----------
    out, of : the field that is written, and what is normed.
    eps : :math:`\epsilon`.
    centred : whether the mean is subtracted (LayerNorm) or not (RMSNorm).
    """

    out: str
    of: Map
    eps: float
    centred: bool = True


@dataclass(frozen=True, eq=False)
class Product:
    """The product of two affine maps, entry by entry."""

    out: str
    left: Map
    right: Map


@dataclass(frozen=True, eq=False)
class Flatten:
    """One vector for the prompt: what a map returns at positions 0, 1, …, one behind the other."""

    out: str
    of: Map


@dataclass(frozen=True, eq=False)
class Recur:
    """A recurrent cell that goes over the positions, in torch's order of gates.

    Attributes
    ----------
    out : the field that is written, the state after each position.
    kind : ``"gru"``, ``"lstm"``, ``"tanh"`` or ``"relu"``.
    of : what enters.
    weights : ``weight_ih``, ``weight_hh``, ``bias_ih``, ``bias_hh`` as torch has them.
    reverse : whether it begins at the last position.
    """

    out: str
    kind: Literal["gru", "lstm", "tanh", "relu"]
    of: Map
    weights: Mapping[str, Array]
    reverse: bool = False


Block = Attention | Activation | Norm | Product | Flatten | Recur


@dataclass(frozen=True, eq=False)
class Network:
    """Fields, blocks and what is returned.

    Attributes
    ----------
    N : the number of positions.
    fields : what a prompt holds at each position; :data:`PLACE` is there without being given.
    blocks : in the order in which they are computed.
    output : what is returned, at every position or, of what a :class:`Flatten` wrote, for the prompt.
    each : whether it is returned at every position.
    at : the one position at which it is returned, None for all.
    shape : the shape of what the module returns of one prompt.
    """

    N: int
    fields: tuple[Field, ...]
    blocks: tuple[Block, ...]
    output: Map
    each: bool = True
    at: int | None = None
    shape: tuple[int, ...] = ()

    def __call__(self, **inputs: Any) -> Array:
        """Return the outputs in doubles, shape ``(n, N, m)`` or ``(n, m)``: the function that the weights define.

        Parameters
        ----------
        inputs : by the name of a field: numbers ``(n, N, width)``, words as their numbers ``(n, N)``.

        Raises
        ------
        DomainError : other names or shapes.
        """
        held, n = self._read(inputs)
        for block in self.blocks:
            held[block.out] = _written(block, held, self.N)
        found = applied(self.output, held, (n, self.N) if self.each else (n,))
        return found if self.at is None or not self.each else np.asarray(found[:, self.at])

    def _read(self, inputs: Mapping[str, Any]) -> tuple[dict[str, Array], int]:
        wanted = {field.name for field in self.fields}
        if set(inputs) != wanted:
            raise DomainError(
                f"inputs {', '.join(sorted(inputs)) or 'none'}", required=f"{', '.join(sorted(wanted))}",
                why="a prompt holds the fields that the network reads",
            )  # fmt: skip
        held = {}
        for field in self.fields:
            given = np.asarray(inputs[field.name])
            shape = (self.N,) if field.word else (self.N, field.width)
            if (
                given.ndim != len(shape) + 1
                or given.shape[1:] != shape
                or (field.word and given.dtype.kind not in "iu")
            ):
                raise DomainError(
                    f"{field.name} of shape {given.shape} and type {given.dtype}",
                    required=f"shape (n, {', '.join(map(str, shape))})" + (", whole numbers" if field.word else ""),
                    why=f"one {'word' if field.word else 'vector'} at each of {self.N} positions",
                )  # fmt: skip
            if field.word and given.size and not 0 <= given.min() <= given.max() < field.width:
                raise DomainError(
                    f"{field.name} with the symbol {int(given.min()) if given.min() < 0 else int(given.max())}",
                    required=f"0 to {field.width - 1}", why=f"there are {field.width} symbols",
                )  # fmt: skip
            held[field.name] = np.eye(field.width)[given] if field.word else given.astype(np.float64)
        n = len(next(iter(held.values()))) if held else 1
        held[PLACE] = np.broadcast_to(np.eye(self.N), (n, self.N, self.N))
        return held, n


def applied(of: Map, held: Mapping[str, Array], shape: tuple[int, ...]) -> Array:
    """Return an affine map of the fields that are held, in doubles."""
    total = np.zeros((*shape, of.width)) + of.shift.mid
    for name, part in of.parts.items():
        total = total + held[name] @ part.mid.T
    return np.asarray(total)


def _written(block: Block, held: Mapping[str, Array], N: int) -> Array:
    shape = held[PLACE].shape[:2]
    if isinstance(block, Attention):
        return np.concatenate([_averaged(head, block.mask, held, shape) for head in block.heads], axis=-1)
    if isinstance(block, Product):
        return _of(block.left, held, shape) * _of(block.right, held, shape)
    v = _of(block.of, held, shape)
    if isinstance(block, Activation):
        return activated(block.kind, v)
    if isinstance(block, Norm):
        middle = v - v.mean(-1, keepdims=True) if block.centred else v
        return np.asarray(middle / np.sqrt((middle**2).mean(-1, keepdims=True) + block.eps))
    if isinstance(block, Flatten):
        return v.reshape(len(v), -1)
    return recurred(block, v)


def _of(of: Map, held: Mapping[str, Array], shape: tuple[int, ...]) -> Array:
    """A map at every position, or of what a :class:`Flatten` wrote."""
    prompt = any(held[name].ndim == 2 for name in of.parts)
    return applied(of, held, shape[:1] if prompt else shape)


def _averaged(head: Head, mask: NDArray[np.bool_] | None, held: Mapping[str, Array], shape: tuple[int, ...]) -> Array:
    one = {**held, ONE: np.ones((*shape, 1))}
    scores = np.zeros((shape[0], shape[1], shape[1]))
    for (a, b), G in head.scores.items():
        scores = scores + one[a] @ G.mid @ one[b].transpose(0, 2, 1)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(weights / weights.sum(-1, keepdims=True) @ applied(head.value, held, shape))


def activated(kind: Kind, v: Array) -> Array:
    """Return a function of one number, entry by entry, in doubles."""
    if kind == "relu":
        return np.maximum(v, 0.0)
    if kind == "tanh":
        return np.tanh(v)
    if kind == "exp":
        return np.exp(v)
    if kind == "gelu":
        from theorytools.optional import require

        return np.asarray(v * (1 + require("scipy.special").erf(v / np.sqrt(2))) / 2)
    if kind == "gelu_tanh":
        return np.asarray(v * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3))) / 2)
    return _sigmoid(v) if kind == "sigmoid" else np.asarray(v * _sigmoid(v))


def _sigmoid(v: Array) -> Array:
    return np.asarray((1 + np.tanh(v / 2)) / 2)


def recurred(block: Recur, v: Array) -> Array:
    """Return the states of a recurrent cell in doubles, shape ``(n, N, width)``, from what enters."""
    w_ih, w_hh = block.weights["weight_ih"], block.weights["weight_hh"]
    b_ih, b_hh = block.weights["bias_ih"], block.weights["bias_hh"]
    k = w_hh.shape[1]
    h, c = np.zeros((len(v), k)), np.zeros((len(v), k))
    states = np.zeros((*v.shape[:2], k))
    for i in range(v.shape[1])[:: -1 if block.reverse else 1]:
        given, own = v[:, i] @ w_ih.T + b_ih, h @ w_hh.T + b_hh
        if block.kind == "gru":
            r, z = _sigmoid(given[:, :k] + own[:, :k]), _sigmoid(given[:, k : 2 * k] + own[:, k : 2 * k])
            h = (1 - z) * np.tanh(given[:, 2 * k :] + r * own[:, 2 * k :]) + z * h
        elif block.kind == "lstm":
            gates = given + own
            c = _sigmoid(gates[:, k : 2 * k]) * c + _sigmoid(gates[:, :k]) * np.tanh(gates[:, 2 * k : 3 * k])
            h = _sigmoid(gates[:, 3 * k :]) * np.tanh(c)
        else:
            h = activated(block.kind, given + own)
        states[:, i] = h
    return states
