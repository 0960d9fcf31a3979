r"""Feedforward networks on a fixed training set of simple 1STR, with the certificate of their first layer.

:math:`f(t,Wx)=\langle a,\sigma(Wx+e_t)\rangle+b` on ``n`` Gaussian prompts with labels :math:`\langle u,x_t\rangle`,
trained in doubles on :math:`\frac1{2n}\sum_i(f(t^{(i)},Wx^{(i)})-y_i)^2` with decay :math:`\lambda` of :math:`W,e,a`.
Gradient descent has :math:`W_k(I-\Pi)=(1-\eta\lambda)^kW_0(I-\Pi)`, with the projector on the span of the training
inputs.  The output is clipped to :math:`[-2,2]`: its Lipschitz constant in :math:`Wx` stays :math:`\lVert a\rVert`,
and this bounds the tail of the squared error by that of the label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.numbers import Enclosure, float_lower, float_upper, pi
from theorytools.papers.qstr.first_layers.certificate import certify_first_layer, head_lipschitz
from theorytools.statistics.intervals import empirical_bernstein
from theorytools.training.sweep import Results, Spec
from theorytools.training.trials.trial import trial_seed

Floats = NDArray[np.float64]

CLIP, REACH = 2, 4
TAU = (CLIP + REACH) ** 2  # squared errors are cut here
ALPHA = 1e-10  # error probability of each interval of a test risk
BLOCK = 10_000  # test prompts evaluated together
WORLD = ("N", "d", "repeat")


@dataclass(frozen=True)
class Prompts:
    """Prompts ``X`` ``(n, N d)``, indices ``t`` ``(n,)``, labels ``y`` ``(n,)``."""

    X: Floats
    t: NDArray[np.int64]
    y: Floats


@dataclass
class Weights:
    """The network's parameters ``W`` ``(m, N d)``, ``e`` ``(m, N)``, ``a`` ``(m,)``, ``b`` ``(1,)``."""

    W: Floats
    e: Floats
    a: Floats
    b: Floats

    def hidden(self, data: Prompts) -> Floats:
        """Return the hidden layer, ``(n, m)``."""
        return np.maximum(data.X @ self.W.T + self.e.T[data.t], 0)

    def output(self, data: Prompts) -> Floats:
        """Return the clipped predictions, ``(n,)``."""
        blocks = [slice(k, k + BLOCK) for k in range(0, len(data.t), BLOCK)]
        parts = [self.hidden(Prompts(data.X[b], data.t[b], data.y[b])) @ self.a for b in blocks]
        return np.clip(np.concatenate(parts) + self.b, -CLIP, CLIP)

    @property
    def parts(self) -> tuple[Floats, ...]:
        """The parameters in order."""
        return self.W, self.e, self.a, self.b


def direction(spec: Mapping[str, Any]) -> Floats:
    """Return the direction ``u`` ``(d,)`` of the labels, shared by all arms and sizes of one repeat."""
    u = np.random.default_rng(trial_seed("world", spec, WORLD)).standard_normal(int(spec["d"]))
    return u / np.linalg.norm(u)


def prompts(spec: Mapping[str, Any], role: str, size: int) -> Prompts:
    """Return the prompts of one role, ``train`` or ``test``: the same for all arms; smaller sets begin larger ones."""
    rng, N, d = np.random.default_rng(trial_seed(role, spec, WORLD)), int(spec["N"]), int(spec["d"])
    t = rng.integers(0, N, 2**20)[:size]  # drawn to one length, so that the tokens of all sizes agree
    X = rng.standard_normal((size, N, d))
    return Prompts(X.reshape(size, N * d), t, X[np.arange(size), t] @ direction(spec))


def start(spec: Mapping[str, Any]) -> Weights:
    """Return uniform weights, PyTorch's default laws."""
    rng, N, m = np.random.default_rng(trial_seed("weights", spec)), int(spec["N"]), int(spec["width"])
    p = N * int(spec["d"])
    reach = (p + N) ** -0.5
    draws = rng.uniform(-reach, reach, (m, p)), rng.uniform(-reach, reach, (m, N))
    return Weights(*draws, rng.uniform(-(m**-0.5), m**-0.5, m), np.zeros(1))


def gradients(net: Weights, data: Prompts) -> tuple[Floats, ...]:
    """Return the gradients of half the mean squared error, without decay, in the order of the parameters."""
    h, n, N = net.hidden(data), len(data.y), net.e.shape[1]
    rest = (h @ net.a + net.b - data.y) / n
    g = rest[:, None] * (h > 0) * net.a
    return g.T @ data.X, g.T @ np.eye(N)[data.t], h.T @ rest, rest.sum(keepdims=True)


def descend(net: Weights, data: Prompts, *, steps: int, rate: float, decay: float) -> None:
    """Make steps of gradient descent with the decay in the gradient; the last bias does not decay."""
    for _ in range(steps):
        for part, slope in zip(net.parts, gradients(net, data), strict=True):
            part *= 1.0 if part is net.b else 1 - rate * decay
            part -= rate * slope


def adamw(net: Weights, data: Prompts, *, steps: int, rate: float, decay: float) -> None:
    """Make full-batch steps of AdamW with its usual constants."""
    means, squares = ([np.zeros_like(part) for part in net.parts] for _ in range(2))
    for k in range(1, steps + 1):
        for part, slope, mean, square in zip(net.parts, gradients(net, data), means, squares, strict=True):
            mean += (slope - mean) / 10
            square += (slope**2 - square) / 1000
            part *= 1.0 if part is net.b else 1 - rate * decay
            part -= rate * (mean / (1 - 0.9**k)) / (np.sqrt(square / (1 - 0.999**k)) + 1e-8)


def trained(spec: Mapping[str, Any]) -> tuple[Weights, Prompts]:
    """Return the trained network of a trial and the training set with the labels that it saw."""
    net, data = start(spec), prompts(spec, "train", int(spec["n"]))
    if spec["labels"] == "shuffled":
        data = Prompts(data.X, data.t, np.random.default_rng(trial_seed("labels", spec)).permutation(data.y))
    train = {"descent": descend, "adamw": adamw}.get(str(spec["optimiser"]))
    if train is not None:
        rates = {name: float(Fraction(spec[name])) for name in ("rate", "decay")}
        train(net, data, steps=int(spec["steps"]), **rates)
    return net, data


def excess() -> Enclosure:
    r"""Return a bound of what cutting the squared error at :math:`(c+s)^2` hides.

    :math:`|f-y|\le c+|y|`, so the excess is at most :math:`4\int_s^\infty(c+y)\Phi(-y)\,dy`, and
    :math:`\Phi(-y)\le\varphi(y)/y` twice gives :math:`4(1+\frac cs)\varphi(s)/s`.
    """
    s = Enclosure(REACH)
    return 4 * (1 + CLIP / s) * (-s * s / 2).exp() / (2 * pi()).sqrt() / s


def risk_limits(net: Weights, tests: Prompts) -> tuple[float, float, float]:
    """Return the mean squared error on test prompts and limits of the population risk, each two at level ALPHA."""
    squares = np.minimum((net.output(tests) - tests.y) ** 2, TAU)
    low, high = empirical_bernstein(squares, ALPHA, low=0.0, high=TAU)
    return float(squares.mean()), float(low), float_upper((Enclosure(float(high)) + excess()).upper)


def certified(net: Weights, data: Prompts, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rank and, as ends that enclose them, Bayes loss of the span, distance from it, Lipschitz constant."""
    slope = head_lipschitz(net.a)
    found = certify_first_layer(net.W, data.X, N=int(spec["N"]), lipschitz=slope)
    full = found.rank == int(spec["N"]) * int(spec["d"])
    loss = Enclosure(0) if full else found.loss(direction(spec).tolist())
    off_0 = found.data.outside(start(spec).W).sqrt()
    ends = {"bayes": loss, "off": found.off_span, "off_0": off_0, "lipschitz": slope}
    return {"rank": found.rank, **{k: [float_lower(v.lower), float_upper(v.upper)] for k, v in ends.items()}}


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train one cell's repeats one after the other; yield each with its risk and its certificate."""
    for spec in specs:
        net, data = trained(spec)
        risk, low, high = risk_limits(net, prompts(spec, "test", int(spec["tests"])))
        own = {"risk": risk, "low": low, "high": high, "alpha": ALPHA, "tests": int(spec["tests"])}
        seen = prompts(spec, "train", int(spec["n"]))
        own["train"] = float(np.mean((net.output(seen) - data.y) ** 2))
        own["norm"] = float(np.linalg.norm(net.W))
        yield dict(spec), {**own, **certified(net, data, spec)}
