r"""How far a module's own floats can be from the function that its weights define, over all prompts of a class.

The forward pass is followed stage by stage.  A linear map on inputs known up to :math:`\delta` gives

.. math:: |\widehat{Wz+b}-(Wz+b)|\le\gamma_{n+1}(|W|(|z|+\delta)+|b|)+|W|\delta+u\,|Wz+b|,\qquad
          \gamma_n=\frac{nu'}{1-nu'},

in any order of summation, with and without fused multiply-add (Higham 2002, section 3.1).  Scores that are off by at
most :math:`\eta` change each attention weight by at most a factor :math:`e^{2\eta}`.

What is assumed: the standard model with unit roundoff :math:`u'` inside a product and :math:`u` where a result is
stored (bfloat16 and float16: sums in float32, results rounded to the type, as torch has it on processors and
accelerators; no TF32, no sums in 16 bits); exponentials within 8 units of roundoff; no overflow.  Weights that
underflow are covered by an absolute term.

So the module computes, up to ``output``, the read-out of a mean by weights that sum to one and each of which is at most
``factor`` times the true one.  Such weights are the computed ones divided by their sum, which is one only up to
rounding: errors that all weights of a row share cancel there, and where each weight is off by at most a part ``a``, a
share of the sum grows by at most :math:`(1+a)/(1-a)`.  Storing is off by at most :math:`u/(1+u)`, for which that is
:math:`1+2u`; ten roundings ``u'`` of the exponential and of the quotient are within :math:`\gamma_{2N+40}`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from theorytools.trained.layer import TYPES, Array, TrainedLayer
from theorytools.trained.leaks import Tokens

FUDGE = 1 + 1e-9  # sums of non-negative doubles: relative errors below 10^-12
UNDERFLOW = {"float64": 1e-300, "float32": 1e-36, "bfloat16": 1e-36, "float16": 1e-6}


@dataclass(frozen=True)
class Rounding:
    """Bounds for one class of prompts.

    Attributes
    ----------
    factor : for each head by how much rounding can multiply or divide a weight, at most.
    absolute : what underflow can add to a sum of weights.
    output : the largest error of an output, or of a coordinate of a token, beside that of the weights.
    """

    factor: tuple[float, ...]
    absolute: float
    output: float


def gamma(n: int, u: float) -> float:
    r"""Return :math:`nu/(1-nu)`; infinity from :math:`nu\ge1/2` on, where nothing is claimed."""
    return n * u / (1 - n * u) if n * u < 0.5 else math.inf


@dataclass(frozen=True, eq=False)
class Pass:
    """One forward pass: the class of its inputs, and the roundoff inside a product and of what is stored."""

    layer: TrainedLayer
    tokens: Tokens

    @property
    def stored(self) -> float:
        """Unit roundoff of stored results."""
        return TYPES[self.layer.dtype]

    @property
    def inside(self) -> float:
        """Unit roundoff inside a product."""
        return min(self.stored, TYPES["float32"])

    @property
    def entries(self) -> Array:
        """The largest modulus of each entry of an encoded token, without the one."""
        codes = np.abs(self.layer.codes).max(0)
        return np.concatenate([np.full(self.layer.d, self.tokens.radius), *[codes] * (self.layer.q + 1)])

    def reach(self, W: Array) -> Array:
        r"""Upper bounds of :math:`|W\hat z|`, row by row, over all encoded tokens with their one."""
        found = self.tokens.push(W[:, self.layer.parts[-1]]) + np.abs(W[:, self.layer.parts[self.layer.q + 1]])[:, 0]
        for slot in range(self.layer.q + 1):
            found = found + np.abs(W[:, self.layer.parts[slot]] @ self.layer.codes.T).max(1)
        return np.asarray(found * FUDGE + 1e-13 * np.abs(W).sum(1))

    def linear(self, W: Array, bias: Array, at_most: Array, off: Array | float, result: Array) -> Array:
        """The error of a linear map whose inputs are at most so large and so far off, and whose result is as given."""
        carried = np.abs(W) @ (np.zeros(W.shape[1]) + off)
        mass = np.abs(W) @ at_most + carried + np.abs(bias)
        inner = gamma(W.shape[1] + 1, self.inside) * mass + carried
        return np.asarray((inner + self.stored * (result + inner)) * FUDGE)

    def softened(self, off: float, largest: float) -> float:
        """By how much a weight can grow where scores are off by ``off`` and at most ``largest`` in modulus."""
        exponent = 2 * (off + 4 * self.inside * (largest + off))
        if not exponent < 50:
            return math.inf
        return math.exp(exponent) * (1 + gamma(2 * self.layer.N + 40, self.inside)) * (1 + 2 * self.stored) * FUDGE

    def mean(self, values: Array, off: Array | float) -> Array:
        """The error of a mean of values that are off, by computed weights: they sum to one up to rounding."""
        sums = gamma(2 * self.layer.N + 40, self.inside) + 2 * self.stored
        inner = gamma(self.layer.N + 1, self.inside) * (1 + sums) * (values + off) + sums * values + (1 + sums) * off
        return np.asarray((inner + self.stored * (values + inner)) * FUDGE)

    def rounding(self) -> Rounding:
        """Return the bounds of this pass."""
        with np.errstate(invalid="ignore", over="ignore"):
            made = {"separate": self._separate, "merged": self._merged, "block": self._block}[self.layer.kind]()
        factor, output = made
        output = output if math.isfinite(output) else math.inf
        return Rounding(factor, self.layer.N * UNDERFLOW[self.layer.dtype], output)

    def _largest_score(self, h: int) -> float:
        """An upper bound of the modulus of a score, the terms that no softmax sees included."""
        G, codes, total = self.layer.scores[h].mid, self.layer.codes, 0.0
        parts = self.layer.parts
        rows = {-1: self.tokens.radius * np.eye(self.layer.d), self.layer.q + 1: np.ones((1, 1))}
        for a, at in parts.items():
            for b, to in parts.items():
                found = np.abs(rows.get(a, codes) @ G[at, to] @ rows.get(b, codes).T)
                total += float(
                    found.sum()
                    if -1 in (a, b) and {a, b} <= {-1, self.layer.q + 1}
                    else found.sum(0).max()
                    if a == -1
                    else found.sum(1).max()
                    if b == -1
                    else found.max()
                )
        return total * FUDGE + 1e-12 * float(np.abs(G).sum())

    def _separate(self) -> tuple[tuple[float, ...], float]:
        kept, D, H = self.layer.raw, len(self.entries), self.layer.H
        size, off, factors, means = {}, {}, [], []
        for name in ("query", "key", "value"):
            W, b = kept[f"{name}.weight"], kept[f"{name}.bias"]
            size[name] = self.reach(np.column_stack([W, b]))
            off[name] = self.linear(W, b, self.entries, 0.0, size[name])
        for h in range(H):
            cut = slice(h * D, (h + 1) * D)
            (q, dq), (k, dk), (v, dv) = ((size[n][cut], off[n][cut]) for n in ("query", "key", "value"))
            largest = self._largest_score(h)
            inner = (gamma(D, self.inside) * float((q + dq) @ (k + dk)) + float(dq @ (k + dk) + q @ dk)) / math.sqrt(D)
            factors.append(self.softened((inner + 3 * self.stored * (largest + inner)) * FUDGE, largest))
            means.append(self.mean(v, dv))
        values = [np.column_stack([kept[f"value.{part}"][h * D : (h + 1) * D] for part in ("weight", "bias")])
                  for h in range(H)]  # fmt: skip
        output = [kept["output.weight"][:, h * D : (h + 1) * D] for h in range(H)]
        joined = sum(self.reach(O @ V) for O, V in zip(output, values, strict=True)) + np.abs(kept["output.bias"])
        at_out = self.linear(kept["output.weight"], kept["output.bias"], size["value"], np.concatenate(means), joined)
        return tuple(factors), self._readout("hidden.weight", "hidden.bias", "last.weight", joined, at_out)

    def _merged(self) -> tuple[tuple[float, ...], float]:
        kept, z, factors, means = self.layer.raw, self.entries, [], []
        for h in range(self.layer.H):
            W, largest = kept[f"scores.{h}.weight"], self._largest_score(h)
            q = self.reach(np.pad(W, ((0, 0), (0, 1))))
            dq = self.linear(W, np.zeros(len(W)), z, 0.0, q)
            inner = gamma(len(W), self.inside) * float((q + dq) @ z) + float(dq @ z)
            factors.append(self.softened((inner + self.stored * (largest + inner)) * FUDGE, largest))
            means.append(self.mean(z, 0.0))
        joined = np.tile(z, self.layer.H)
        return tuple(factors), self._readout(
            "hidden.weight", "hidden.bias", "last.weight", joined, np.concatenate(means)
        )

    def _block(self) -> tuple[tuple[float, ...], float]:
        kept, z, d = self.layer.raw, self.entries, self.layer.d
        factors = []
        for h, W in enumerate(kept["W_QK"]):
            mass = float(z @ np.abs(W) @ z)  # both orders of the two products
            inner = (gamma(2 * len(W) + 2, self.inside) + 4 * self.stored) * mass
            factors.append(self.softened(inner * FUDGE, self._largest_score(h)))
        means = np.concatenate([self.mean(z[:d], 0.0) for _ in factors])
        if self.layer.units is None:
            return tuple(factors), float(means.max())
        return tuple(factors), self._readout("W", "b", "a", np.tile(z[:d], self.layer.H), means)

    def _readout(self, hidden: str, bias: str, last: str, at_most: Array, off: Array) -> float:
        kept = self.layer.raw
        W, b, w = kept[hidden], kept[bias], kept[last].reshape(1, -1)
        assert self.layer.units is not None
        units = sum(self.reach(A.mid) for A in self.layer.units)
        at_hidden = self.linear(W, b, at_most, off, np.asarray(units))
        shift = np.array([self.layer.shift])
        top = np.abs(w) @ units + np.abs(shift)
        return float(self.linear(w, shift, np.asarray(units), at_hidden, top)[0])
