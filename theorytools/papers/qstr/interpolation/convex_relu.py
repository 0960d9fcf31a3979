r"""The least parameter norm of a two-layer ReLU network through data in any dimension, from both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from theorytools.arguments.checked import Real, checked
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import Enclosure, maximum, rational_rank, shortest_fraction, solve_rational
from theorytools.papers.qstr.feedforward.min_norm_relu import MinNormReLU
from theorytools.papers.qstr.interpolation.activation_patterns import ENUMERABLE, activation_patterns, squared_gain
from theorytools.papers.qstr.interpolation.bracket import Bracket
from theorytools.papers.qstr.interpolation.convex_program import Proposal, propose, shrunk

Exact = tuple[Fraction, ...]
Rows = tuple[Exact, ...]


@checked
@dataclass(frozen=True)
class LeastReLU(Bracket):
    r"""Two certificates around the least squared norm of a two-layer ReLU network near the labels.

    Over all networks :math:`f=\sum_ka_k\sigma(\langle w_k,\cdot\rangle)` of any width with
    :math:`\frac1n\sum_i(f(F_i)-y_i)^2\le\varepsilon` the least :math:`\|a\|^2+\|W\|_F^2` is

    .. math:: M=2\max_\lambda\frac{\lambda^\top y-\sqrt{n\varepsilon}\,\|\lambda\|}
        {\sup_{\|w\|\le1}|\lambda^\top\sigma(Fw)|}.

    Any such network bounds it from above, any :math:`\lambda` from below: the network's outputs are exact, its norm
    is enclosed, and the supremum is replaced by a rational upper bound over all activation patterns.

    Parameters
    ----------
    F : inputs, independent, as fractions, shape ``(n, D)``.
    y : labels as fractions, shape ``(n,)``.
    epsilon : mean squared error that is allowed; 0 interpolates.
    network : a network within that error.
    dual : :math:`\lambda`, shape ``(n,)``.
    """

    F: Rows
    y: Exact
    epsilon: Fraction
    network: MinNormReLU
    dual: Exact

    def __post_init__(self) -> None:
        lengths = sorted({len(row) for row in self.F})
        if len(lengths) > 1 or not len(self.F) == len(self.y) == len(self.dual):
            given = f"{len(self.F)} inputs of lengths {lengths}, {len(self.y)} labels, {len(self.dual)} multipliers"
            raise DomainError(given, required="n of each, inputs of one length")

    @property
    def n(self) -> int:
        """Number of data."""
        return len(self.y)

    @property
    def neurons(self) -> int:
        """Number of neurons of the network."""
        return self.network.m

    def evaluate(self, x: Sequence[Real]) -> Fraction:
        """Return the exact output of the network for one input, shape ``(D,)``."""
        return self.network.evaluate(x)

    @cached_property
    def outputs(self) -> Exact:
        """The exact outputs at the data, shape ``(n,)``."""
        return tuple(map(self.network.evaluate, self.F))

    def residual(self) -> Fraction:
        """Return the largest deviation from the labels; 0 for an interpolant."""
        return max(abs(f - y) for f, y in zip(self.outputs, self.y, strict=True))

    def loss(self) -> Fraction:
        """Return the mean squared error; the upper bound holds only where it is at most ``epsilon``."""
        return sum(((f - y) ** 2 for f, y in zip(self.outputs, self.y, strict=True)), Fraction(0)) / self.n

    def hits(self) -> int:
        """Return the number of labels that the network meets exactly."""
        return sum(f == y for f, y in zip(self.outputs, self.y, strict=True))

    def upper(self) -> Enclosure:
        r"""Return :math:`2\sum_k|a_k|\,\|w_k\|` at the ambient precision."""
        return self.network.squared_norm()

    def lower(self) -> Enclosure:
        r"""Return the dual bound at the ambient precision; 0 where the multiplier proves nothing."""
        if not any(self.dual):
            return Enclosure(0)
        return maximum([self.gain() / Enclosure(self.squared_supremum).sqrt(), 0])

    def gain(self) -> Enclosure:
        r"""Return :math:`2(|\lambda^\top y|-\sqrt{n\varepsilon}\|\lambda\|)`, no bound until divided."""
        reached = abs(sum((l * y for l, y in zip(self.dual, self.y, strict=True)), Fraction(0)))
        allowed = self.n * self.epsilon * sum((l * l for l in self.dual), Fraction(0))
        return 2 * (reached - Enclosure(allowed).sqrt())

    @cached_property
    def gram(self) -> Rows:
        r"""The matrix :math:`G=FF^\top`, shape ``(n, n)``."""
        return gram_matrix(self.F)

    @cached_property
    def squared_supremum(self) -> Fraction:
        r"""A rational upper bound of :math:`\sup_{\|w\|\le1}(\lambda^\top\sigma(Fw))^2`, over all patterns."""
        return squared_gain(self.gram, self.dual, activation_patterns(self.n, limit=self.n))

    def require_feasible(self) -> None:
        """Raise ``CertificateError`` if the network misses what it has to fit."""
        if self.loss() > self.epsilon:
            raise CertificateError("a network that misses the labels", required="loss() <= epsilon")


@checked
def least_norm_relu(
    F: Sequence[Sequence[Real]],
    y: Sequence[Real],
    *,
    epsilon: Real = 0,
    limit: int = ENUMERABLE,
    solver: str = "CLARABEL",
) -> LeastReLU:
    r"""Return a bracket of the least squared norm of a two-layer ReLU network through data in any dimension.

    A convex program with one cone per activation pattern and sign proposes pre-activations :math:`s_k=Fw_k` and a
    multiplier.  The pre-activations are rounded to rationals, the remaining error is added to active entries, and
    :math:`w_k=F^\top G^{-1}s_k` is solved in rationals: the outputs at the data are exact, and every neuron lies in
    the span of the inputs.

    Parameters
    ----------
    F : array or rows of exact numbers
        Inputs, shape ``(n, D)``, linearly independent.
    y : sequence of exact numbers
        Labels, shape ``(n,)``.
    epsilon : exact number
        Mean squared error that is allowed.
    limit : int
        Most inputs whose :math:`2^n-1` activation patterns are listed.
    solver : str
        A conic solver of cvxpy, by name.

    Returns
    -------
    LeastReLU : a network that attains the upper end, and the multiplier that proves the lower.

    Raises
    ------
    DomainError
        For inputs that are equal or dependent, shapes that do not fit, numbers that are not finite, negative
        ``epsilon``.
    BudgetError
        For more than ``limit`` inputs.
    CertificateError
        If the solver finds no optimum, or the inputs are dependent up to rounding.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Definition 5, arXiv 2503.11272v1; the bracket is derived here.

    Examples
    --------
    >>> best = least_norm_relu([[3, 4]], [5])
    >>> best.neurons, best.hits(), best.within(Fraction(1, 10**9)), round(float(best.upper()), 9)
    (1, 1, True, 2.0)
    """
    inputs, labels, error = _checked(F, y, epsilon)
    patterns, gram = activation_patterns(len(labels), limit=limit), gram_matrix(inputs)
    if sum(v * v for v in labels) <= len(labels) * error:  # the zero network is allowed
        nothing = MinNormReLU((), (), len(inputs[0]))
        return LeastReLU(inputs, labels, error, nothing, (Fraction(0),) * len(labels))
    found = propose(gram, labels, error, patterns, solver)
    a, states = _repaired(found, shrunk(found.fitted, labels, error))
    return LeastReLU(inputs, labels, error, _network(inputs, gram, a, states), found.dual)


def gram_matrix(F: Rows) -> Rows:
    r"""Return :math:`FF^\top`."""
    return tuple(tuple(sum((x * y for x, y in zip(v, w, strict=True)), Fraction(0)) for w in F) for v in F)


def _repaired(found: Proposal, target: Exact) -> tuple[list[int], list[list[Fraction]]]:
    r"""Return output signs and pre-activations with :math:`\sum_ka_k\sigma(s_k)` equal to ``target``, exactly."""
    a, states = list(found.signs), [list(s) for s in found.states]
    for i, goal in enumerate(target):
        missing = goal - sum((c * max(s[i], Fraction(0)) for c, s in zip(a, states, strict=True)), Fraction(0))
        most = max(range(len(a)), key=lambda k: states[k][i], default=-1)
        # an active entry may move as long as it stays active; other outputs do not change
        if most >= 0 and states[most][i] > 0 and states[most][i] + a[most] * missing >= 0:
            states[most][i] += a[most] * missing
        elif missing:
            a.append(1 if missing > 0 else -1)
            states.append([abs(missing) if j == i else Fraction(0) for j in range(len(target))])
    return a, states


def _network(F: Rows, gram: Rows, a: list[int], states: list[list[Fraction]]) -> MinNormReLU:
    # w = F' G^-1 s is the shortest vector with F w = s
    solved = solve_rational([list(row) for row in gram], [list(column) for column in zip(*states, strict=True)])
    W = np.array(solved, dtype=object).T @ np.array(F, dtype=object)
    return MinNormReLU(a, W.tolist(), len(F[0]))


def _checked(F: Any, y: Sequence[Any], epsilon: Any) -> tuple[Rows, Exact, Fraction]:
    rows = F.tolist() if hasattr(F, "tolist") else F
    inputs = tuple(tuple(map(shortest_fraction, row)) for row in rows)
    labels, error = tuple(map(shortest_fraction, y)), shortest_fraction(epsilon)
    if not labels or len(inputs) != len(labels) or not inputs[0] or len({len(row) for row in inputs}) > 1:
        raise DomainError(
            f"{len(inputs)} inputs of lengths {sorted({len(row) for row in inputs})}, {len(labels)} labels",
            required="F of shape (n, D) and y of shape (n,), n >= 1, D >= 1",
        )
    if error < 0:
        raise DomainError(f"epsilon = {epsilon}", required="epsilon >= 0", why="a mean square is not negative")
    _independent(inputs, labels)
    return inputs, labels, error


def _independent(inputs: Rows, labels: Exact) -> None:
    seen: dict[Exact, int] = {}
    for i, row in enumerate(inputs):
        k = seen.setdefault(row, i)
        if k != i:
            same = labels[k] == labels[i]
            raise DomainError(
                f"inputs {k} and {i} equal, with labels {labels[k]} and {labels[i]}",
                required="distinct inputs",
                why="one datum twice" if same else "no function takes both values there",
                advice="drop one of them" if same else "",
            )
    rank = rational_rank([list(row) for row in inputs])
    if rank < len(inputs):
        raise DomainError(
            f"{len(inputs)} inputs of rank {rank} in dimension {len(inputs[0])}",
            required="linearly independent inputs",
            why="only then does every activation pattern occur",
            advice="append features, such as a one-hot position, or drop inputs; data on a line: min_norm_interpolant",
        )
