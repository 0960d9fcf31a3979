r"""A recurrent cell read from the weights of a trained module, the boxes in which its states lie, how many are apart.

A prompt is fed token by token, :math:`z_i=(x_i,\omega_i,\omega_{t_{i1}},\dots,\omega_{t_{iq}})`, or :math:`z_i=x_i`
where there are no codes, from the state 0.  GRU, LSTM and the plain cell are PyTorch's; the state of an LSTM is
:math:`(h,c)`.  Of a bidirectional network the forward direction is read.

Boxes are carried through the recurrence with all roundings added.  A sum of :math:`n` products computed in any order is
off by at most :math:`\gamma_n=\frac{nu}{1-nu}` times the sum of the moduli (Higham 2002, section 3.1), with and without
fused multiply-add.  Logistic function and tanh come from one exponential that is within three units in the last place
(:mod:`theorytools.numbers.portable`): with their two or three other operations they are off by less than :math:`32u`,
and both are monotone, so a box of arguments goes to the box between the values at its ends.

The boxes hold the states that the weights define as real numbers; those with ``own`` also the states that the module
computes.  What is assumed of it is what :mod:`.floats.module_rounding` assumes: the standard model, with sums of 16-bit
types in float32 and at most four stored results for one affine map; logistic function and tanh within 32 units of
roundoff and within their ranges; no overflow, no TF32.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from theorytools.errors import DomainError
from theorytools.numbers import portable
from theorytools.numbers.boxes import Box, exact
from theorytools.trained.checkpoint import TYPES, UNIT, Array, array_of, arrays_of, rounded_codes
from theorytools.trained.floats.reach import Floats, gamma
from theorytools.trained.worst.prompts import Indices

Kind = Literal["gru", "lstm", "relu", "tanh"]
GATES = {"gru": 3, "lstm": 4, "relu": 1, "tanh": 1}
NAME = re.compile(r"(cell\.)?(weight_ih|weight_hh|bias_ih|bias_hh)(_l0)?(_reverse)?")
NAMES = "weight_ih, weight_hh, bias_ih, bias_hh"
FUDGE = 1 + 1e-9  # norms and distances of up to 10^5 doubles: relative errors below 10^-11, the last sum included
LARGEST = 1e150  # of a state: squares of larger numbers are no doubles
TINY = 1e-36  # far above what underflow can add to one of these sums


@dataclass(frozen=True, eq=False)
class TrainedCell:
    """The weights of one recurrent cell; made by :meth:`of`.

    Attributes
    ----------
    kind : ``gru``, ``lstm``, ``relu`` or ``tanh``.
    W_ih, W_hh, bias : stacked gates as PyTorch has them, in doubles; ``bias`` is ``(b_ih, b_hh)``.
    codes : what enters for the positions, ``(N, d_e)``, or None.
    d, q : token dimension, index slots (0 without codes).
    u : the direction of the labels, or None.
    dtype : the type of the weights.
    """

    kind: Kind
    W_ih: Array
    W_hh: Array
    bias: tuple[Array, Array]
    codes: Array | None
    d: int
    q: int
    u: Array | None
    dtype: str

    @property
    def width(self) -> int:
        """Hidden units."""
        return int(self.W_hh.shape[1])

    @property
    def size(self) -> int:
        """Numbers in a state: an LSTM also keeps its memory."""
        return self.width * (2 if self.kind == "lstm" else 1)

    def given(self, T: Indices) -> Array:
        """Return what enters at each position beside the token, ``(m, …)``."""
        if self.codes is None:
            return np.zeros((len(T), 0))
        return np.concatenate([self.codes[: len(T)], *(self.codes[T[:, s]] for s in range(self.q))], axis=1)

    @classmethod
    def of(cls, module: Any, *, codes: Any = None, direction: Any = None, q: int = 1) -> TrainedCell:
        """Read a module, or weights by their names.

        Parameters
        ----------
        module : a recurrent ``torch.nn`` module or cell of one layer, the sweeps' ``Recurrent``, or such weights by
            name; ``omega`` may hold the codes and ``u`` the direction.
        codes, direction : where they are not among the weights.
        q : index slots, where no direction says how long a token is.

        Raises
        ------
        DomainError : names or shapes of no such cell, several layers, numbers that are not finite.
        """
        weights = _weights(module)
        beside = {"omega": codes, "u": direction}
        beside = {name: weights.pop(name, None) if value is None else value for name, value in beside.items()}
        weights = {name: value for name, value in weights.items() if name not in beside}
        kept, dtype = arrays_of(weights)
        parts, prefixed = _parts(kept)
        kind = _kind(module, parts, prefixed)
        W_ih, W_hh = parts["weight_ih"], parts["weight_hh"]
        rows = GATES[kind] * W_hh.shape[-1]
        biases = [parts.get(name, np.zeros(rows)) for name in ("bias_ih", "bias_hh")]
        found = [W_ih.shape[:1], W_hh.shape, *(b.shape for b in biases)]
        if W_ih.ndim != 2 or found != [(rows,), (rows, rows // GATES[kind]), (rows,), (rows,)]:
            raise DomainError(
                f"weights of shapes {', '.join(str(array.shape) for array in parts.values())}",
                required=f"{NAMES} of {rows} rows", why=f"a cell of kind {kind} stacks {GATES[kind]} gates",
            )  # fmt: skip
        omega, u = (None if value is None else array_of(name, value) for name, value in beside.items())
        omega = None if omega is None else rounded_codes(omega, dtype)
        d, slots = _sizes(W_ih.shape[1], omega, u, q)
        return cls(kind, W_ih, W_hh, (biases[0], biases[1]), omega, d, slots, u, dtype)


def _weights(module: Any) -> dict[str, Any]:
    if isinstance(module, Mapping):
        return {str(name): value for name, value in module.items()}
    if hasattr(module, "state_dict") and hasattr(module, "parameters"):
        return dict(module.state_dict())
    raise DomainError(
        f"a {type(module).__name__}", required="a torch.nn.Module, or weights by name",
        why="states are computed from weights", advice="read_checkpoint(path) for a file",
    )  # fmt: skip


def _parts(kept: Mapping[str, Array]) -> tuple[dict[str, Array], bool]:
    matched = {name: NAME.fullmatch(name) for name in kept}
    strange = [name for name, match in matched.items() if match is None and name not in ("last.weight", "last.bias")]
    found: dict[str, Array] = {}
    for name, match in matched.items():
        if match is not None and not match[4]:
            strange += [name] * (match[2] in found)  # the same weight twice
            found[match[2]] = kept[name]
    lacking = [name for name in NAMES.split(", ")[:2] if name not in found]
    if strange or lacking or ("bias_ih" in found) != ("bias_hh" in found):
        raise DomainError(
            f"weights named {', '.join(list(kept)[:6]) or 'nothing'}{', …' if len(kept) > 6 else ''}",
            required=f"{NAMES} of one layer" + (f"; missing: {', '.join(lacking)}" if lacking else "")
            + (f"; not of it: {', '.join(strange[:3])}" if strange else ""),
            why="the state is a function of one layer's recurrence and of nothing else",
            advice="names as torch.nn.GRU(…).state_dict() has them, or with cell. before them as in the sweeps",
        )  # fmt: skip
    return found, any(match is not None and match[1] for match in matched.values())


def _kind(module: Any, parts: Mapping[str, Array], prefixed: bool) -> Kind:
    W = parts["weight_hh"]
    ratio = W.shape[0] / W.shape[1] if W.ndim == 2 and W.size else 0
    if ratio == 3 or ratio == 4:
        return "gru" if ratio == 3 else "lstm"
    told = getattr(getattr(module, "cell", module), "nonlinearity", "relu" if prefixed else None)
    if ratio != 1 or told not in ("relu", "tanh"):
        raise DomainError(
            f"weight_hh of shape {W.shape}" if ratio != 1 else "plain recurrent weights without their nonlinearity",
            required="1, 3 or 4 square blocks" if ratio != 1 else "relu or tanh",
            why="plain, GRU or LSTM" if ratio != 1 else "names and shapes do not tell them apart",
            advice="the module itself in place of its weights",
        )  # fmt: skip
    return "relu" if told == "relu" else "tanh"


def _sizes(D: int, omega: Array | None, u: Array | None, q: int) -> tuple[int, int]:
    if omega is None:
        d, slots, d_e = D, 0, 0
    else:
        d_e = omega.shape[1] if omega.ndim == 2 else 0
        d = D - (q + 1) * d_e if u is None else u.size
        slots = q if u is None or not d_e else (D - d) // d_e - 1
    fits = omega is None or (d_e > 0 and slots >= 1 and d >= 1 and d + (slots + 1) * d_e == D)
    if not fits or (u is not None and u.shape != (d,)):
        raise DomainError(
            f"inputs of width {D}" + ("" if omega is None else f" with codes of shape {omega.shape}")
            + ("" if u is None else f" and a direction of shape {u.shape}"),
            required="width d without codes, d + (q + 1) d_e with them, a direction of length d",
            why="a token is (x, its code, the codes of its q indices)",
            advice="the codes and the direction that the network was trained with",
        )  # fmt: skip
    return d, slots


@dataclass(frozen=True, eq=False)
class Boxes:
    """The recurrence of a cell on boxes; with ``own`` they also hold what the module's own floats make of it."""

    cell: TrainedCell
    own: bool = False

    @property
    def stored(self) -> float:
        """The unit roundoff of results that the module stores; 0 where only real numbers are meant."""
        return TYPES[self.cell.dtype] if self.own else 0.0

    @property
    def inside(self) -> float:
        """The unit roundoff within a sum or a function: 16-bit types are summed in float32."""
        return min(self.stored, TYPES["float32"])

    @property
    def tiny(self) -> float:
        """Above what underflow can take from one operation."""
        return max(TINY, Floats(self.cell.dtype).tiny) if self.own else TINY

    def start(self, count: int) -> Box:
        """Return ``count`` states before any token."""
        return exact(np.zeros((count, self.cell.size)))

    def after(self, state: Box, tokens: Iterable[Box], given: Iterable[Array]) -> Box:
        """Return the states after more tokens, each ``(count, d)``, with what enters beside each."""
        for x, rest in zip(tokens, given, strict=True):
            state = self.step(state, x, rest)
        return state

    def step(self, state: Box, x: Box, rest: Array) -> Box:
        """Return the states after one more token."""
        h = self.cell.width
        beside = np.broadcast_to(rest, (len(x.mid), len(rest)))
        fed = Box(np.hstack([x.mid, beside]), np.hstack([x.rad, np.zeros(beside.shape)]))
        old = _columns(state, 0, h)
        entered = self._affine(self.cell.W_ih, self.cell.bias[0], fed)
        kept = self._affine(self.cell.W_hh, self.cell.bias[1], old)
        i, k = ([_columns(one, j * h, (j + 1) * h) for j in range(GATES[self.cell.kind])] for one in (entered, kept))
        if self.cell.kind == "gru":
            reset, update = (self._logistic(self._sum(i[j], k[j])) for j in (0, 1))
            return self._between(update, self._tanh(self._sum(i[2], self._product(reset, k[2]))), old)
        gates = [self._sum(a, b) for a, b in zip(i, k, strict=True)]
        if self.cell.kind == "lstm":
            enter, forget, out = (self._logistic(gates[j]) for j in (0, 1, 3))
            memory = self._product(forget, _columns(state, h, 2 * h))
            memory = self._sum(memory, self._product(enter, self._tanh(gates[2])))
            made = self._product(out, self._tanh(memory))
            return Box(np.hstack([made.mid, memory.mid]), np.hstack([made.rad, memory.rad]))
        if self.cell.kind == "tanh":
            return self._tanh(gates[0])
        return _ends(np.maximum(gates[0].low, 0), np.maximum(gates[0].high, 0))

    def _affine(self, W: Array, b: Array, box: Box) -> Box:
        mid, size = box.mid @ W.T + b, (np.abs(box.mid) + box.rad) @ np.abs(W.T) + np.abs(b)
        # doubles and the module both round; the module maybe one sum over token and state, stored up to four times
        terms = self.cell.W_ih.shape[1] + self.cell.width + 8
        ours, theirs = gamma(terms, UNIT), gamma(terms, self.inside) + 4 * self.stored
        return Box(mid, (box.rad @ np.abs(W.T) + (ours + theirs) * size) * (1 + 4 * ours) + terms * self.tiny)

    def _sum(self, a: Box, b: Box) -> Box:
        mid, rad = a.mid + b.mid, a.rad + b.rad
        return Box(mid, (rad + (self.stored + UNIT) * (np.abs(mid) + rad)) * (1 + 16 * UNIT) + self.tiny)

    def _product(self, a: Box, b: Box) -> Box:
        every = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        low, high = np.minimum.reduce(every), np.maximum.reduce(every)
        return self._widened(low, high, 4, np.maximum(np.abs(low), np.abs(high)))

    def _logistic(self, a: Box) -> Box:
        low, high = (1 / (1 + portable.exp(-x)) for x in (a.low, a.high))
        off = 32 * (self.inside + UNIT) + self.stored
        return _ends(np.maximum(low - off, 0), np.minimum(high + off, 1))

    def _tanh(self, a: Box) -> Box:
        low, high = (1 - 2 / (1 + portable.exp(2 * x)) for x in (a.low, a.high))
        off = 32 * (self.inside + UNIT) + self.stored
        return _ends(np.maximum(low - off, -1), np.minimum(high + off, 1))

    def _between(self, z: Box, new: Box, old: Box) -> Box:
        r"""The box of :math:`(1-z)n+zh`, which grows with :math:`n` and :math:`h` and is linear in :math:`z`."""
        weights = np.clip([z.low, z.high], 0, 1)
        low = np.min([(1 - w) * new.low + w * old.low for w in weights], axis=0)
        high = np.max([(1 - w) * new.high + w * old.high for w in weights], axis=0)
        # also as n + z (h - n): four results, each at most the sum of the moduli
        return self._widened(low, high, 8, np.abs(new.mid) + new.rad + np.abs(old.mid) + old.rad)

    def _widened(self, low: Array, high: Array, roundings: int, size: Array) -> Box:
        off = roundings * (self.stored + UNIT) * size + self.tiny
        return _ends(low - off, high + off)


def _columns(box: Box, start: int, stop: int) -> Box:
    return Box(box.mid[:, start:stop], box.rad[:, start:stop])


def _ends(low: Array, high: Array) -> Box:
    mid = (low + high) / 2
    # the middle is rounded: the radius reaches the farther end
    return Box(mid, np.nextafter(np.maximum(high - mid, mid - low), np.inf))


def bounded(boxes: Box) -> bool:
    """Return whether all states are small enough for distances in doubles."""
    return bool((np.abs(boxes.mid) + boxes.rad < LARGEST).all())


def _reach(boxes: Box) -> Array:
    return np.asarray(np.sqrt(np.square(boxes.rad).sum(1)) * FUDGE)


def _distances(boxes: Box, reach: Array, i: int, among: Indices) -> tuple[Array, Array]:
    """Lower and upper bounds of the distances of one state to others."""
    far = np.sqrt(np.square(boxes.mid[among] - boxes.mid[i]).sum(1))
    off = (reach[among] + reach[i]) * FUDGE
    return far / FUDGE - off, far * FUDGE + off


def separated(boxes: Box, resolution: float) -> tuple[int, list[tuple[int, Indices]]]:
    """Return how many states were found pairwise certainly apart, and for each those that are certainly near it."""
    reach, left, near = _reach(boxes), np.arange(len(boxes.mid)), []
    while left.size:
        low, high = _distances(boxes, reach, int(left[0]), left)
        near.append((int(left[0]), left[high <= resolution]))
        left = left[1:][low[1:] > resolution]
    return len(near), near


def sets_of(boxes: Box, resolution: float) -> int:
    """Return a number of sets of diameter at most the resolution that hold all boxes."""
    reach, count = _reach(boxes), 0
    small = 2 * reach * FUDGE <= resolution
    left = np.flatnonzero(small)
    while left.size:
        count += 1
        first, rest = int(left[0]), left[1:]
        high = _distances(boxes, reach, first, rest)[1]
        order = np.argsort(high, kind="stable")
        may, taken = rest[order][high[order] <= resolution], [first]
        while may.size:  # the nearest to the first that is near to all that were taken
            taken.append(int(may[0]))
            may = may[1:][_distances(boxes, reach, int(may[0]), may[1:])[1] <= resolution]
        left = left[~np.isin(left, taken)]
    return count + sum(_pieces(2 * rad, resolution) for rad in boxes.rad[~small])


def _pieces(widths: Array, resolution: float) -> int:
    """Return into how many equal boxes of diameter at most the resolution a box of these widths can be cut."""
    side, best = resolution / math.sqrt(len(widths)) / FUDGE, np.ones(0)
    for longer in 2.0 ** np.arange(0, 60, 0.125):  # longer sides where many widths are short, as long as pieces fit
        counts = np.maximum(1, np.ceil(widths * FUDGE / (side * longer)))
        if not math.sqrt(float(np.square(widths / counts).sum())) * FUDGE <= resolution:
            break
        best = counts
        if (counts == 1).all():
            break
    return math.prod(int(n) for n in best)
