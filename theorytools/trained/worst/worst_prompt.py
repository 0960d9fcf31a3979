"""A prompt with a large label error: from given prompts and drawn ones, by changes of one position at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from theorytools.blocks.network import Network
from theorytools.numbers.boxes import Array
from theorytools.numbers.draws import Draws
from theorytools.trained.worst.prompts import Indices, Prompts
from theorytools.trained.worst.witness import polished

DRAWN, STARTS, ROUNDS = 4096, 8, 40  # prompts that are drawn; that are improved; how often each at most
CLIMB, SEARCH = 2**26, 2**28  # pairs of positions that one climb and all of them take at most
FEW = 2, 8  # that are improved in a box or a ball, and how often: there tokens are moved freely, too
WHOLE = 1024  # states of all positions that are tried one by one
NUMBERS = 2**22  # of one array of a pass


@dataclass(frozen=True, eq=False)
class Worst:
    """A prompt ``X`` of shape ``(N, d)``, ``T`` of shape ``(N, q)``, the position asked, and the error there."""

    X: Array
    T: Indices
    at: int
    value: float


@dataclass(frozen=True, eq=False)
class Errors:
    r"""The label error of a network, :math:`f-q^{-1/2}\sum_s\langle u,x_{t_s}\rangle`, in doubles.

    Attributes
    ----------
    network, prompts, u : with the fields ``x`` and ``slot1``, ``slot2``, …; its prompts; the label's direction.
    hops : how often an index is followed: once to :math:`t_{is}`, twice from there to its own index of that slot.
    """

    network: Network
    prompts: Prompts
    u: Array
    hops: int = 1

    def __call__(self, X: Array, T: Indices) -> Array:
        """Return the errors, shape ``(n, N)``, or ``(n, 1)`` of a network that is asked at one position."""
        size = max(1, NUMBERS // (8 * self.prompts.N**2))
        return np.concatenate([self._some(X[k : k + size], T[k : k + size]) for k in range(0, len(X), size)])

    def _some(self, X: Array, T: Indices) -> Array:
        net = self.network
        given = self.prompts.inputs(X, T)
        out = net(**{field.name: given[field.name] for field in net.fields})
        values, asked = X @ self.u, T
        for _ in range(self.hops - 1):
            asked = np.take_along_axis(T, asked, axis=1)
        label = np.take_along_axis(values[:, :, None], asked, axis=1).sum(-1) / T.shape[2] ** 0.5
        label = label if net.at is None else label[:, [net.at]]
        return np.asarray(out.reshape(label.shape) - label)

    def best(self, X: Array, T: Indices) -> Worst:
        """Return the worst of some prompts."""
        found = np.abs(self(X, T))
        n, column = np.unravel_index(int(found.argmax()), found.shape)
        at = int(column) if self.network.at is None else self.network.at
        return Worst(X[n], T[n], at, float(found[n, column]))

    def searched(self, X: Array, T: Indices) -> Worst:
        """Return the worst prompt found from given ones and drawn ones."""
        more = drawn(self.prompts, min(DRAWN, SEARCH // (32 * self.prompts.N**2)))
        X, T = np.concatenate([X, more[0]]), np.concatenate([T, more[1]])
        order = np.argsort(-np.abs(self(X, T)).max(1), kind="stable")
        found: list[Worst] = []
        for n in order:
            if len(found) == (self._starts if self.prompts.tokens == "signs" else min(self._starts, FEW[0])):
                break
            if not any((X[n] == one.X).all() and (T[n] == one.T).all() for one in found):
                found.append(self.best(X[n : n + 1], T[n : n + 1]))
        return max((self.improved(one) for one in found), key=lambda one: one.value)

    @property
    def _round(self) -> int:
        """How many pairs of positions one round of changes takes."""
        p = self.prompts
        S = 2**p.d * p.N**p.q
        return (p.N * S if p.N * S <= WHOLE else p.N * p.d + p.N * p.q * p.N) * p.N**2

    @property
    def _rounds(self) -> int:
        return max(2, min(ROUNDS, CLIMB // self._round))

    @property
    def _starts(self) -> int:
        return max(1, min(STARTS, SEARCH // (self._round * self._rounds)))

    def improved(self, start: Worst) -> Worst:
        """Return what changes of one token or index lead to, the best of them each time; then tokens move freely."""
        for _ in range(self._rounds if self.prompts.tokens == "signs" else min(self._rounds, FEW[1])):
            better = self.best(*changed(self.prompts, start.X, start.T))
            if better.value <= start.value:
                break
            start = better
        if self.prompts.tokens == "signs":
            return start
        X, T = polished(self._at, self.prompts, start.X, start.T, start.at, False)
        return max(start, self.best(X[None], T[None]), key=lambda one: one.value)

    def _at(self, X: Array, T: Indices, at: int) -> Array:
        """The moduli of the errors at one position."""
        return np.asarray(np.abs(self(X, T)[:, at if self.network.at is None else 0]))


def drawn(prompts: Prompts, n: int, seed: int = 1) -> tuple[Array, Indices]:
    """Return random prompts: uniform signs and indices, and in a box or a ball as many with any tokens."""
    rng, (N, d, q) = Draws(np.random.SeedSequence(seed)), (prompts.N, prompts.d, prompts.q)
    X = np.asarray(_corner(prompts) * (2.0 * rng.integers(0, 2, (n, N, d)) - 1), dtype=np.float64)
    T = rng.integers(0, N, (n, N, q))
    if prompts.tokens == "signs":
        return X, T
    more = prompts.draw(n, rng)
    return np.concatenate([X, more[0]]), np.concatenate([T, more[1]])


def _corner(prompts: Prompts) -> float:
    """Entries of signs that lie in the class."""
    return prompts.radius * (1 - 1e-12) / prompts.d**0.5 if prompts.tokens == "ball" else prompts.radius


def changed(prompts: Prompts, X: Array, T: Indices) -> tuple[Array, Indices]:
    """Return prompts that differ at one position: in its whole state, or where these are many in one sign or index."""
    N, d, q = prompts.N, prompts.d, prompts.q
    S = 2**d * N**q
    if N * S <= WHOLE:
        tokens, tuples = replace(prompts, tokens="signs", radius=_corner(prompts)).states()
        Xs: Array = np.repeat(X[None], N * S, 0)
        Ts: Indices = np.repeat(T[None], N * S, 0)
        j, state = (x.ravel() for x in np.indices((N, S)))
        Xs[np.arange(N * S), j], Ts[np.arange(N * S), j] = tokens[state], tuples[state]
        return Xs, Ts
    flips, moves = N * d, N * q * N
    Xs, Ts = np.repeat(X[None], flips + moves, 0), np.repeat(T[None], flips + moves, 0)
    j, k = (x.ravel() for x in np.indices((N, d)))
    Xs[np.arange(flips), j, k] *= -1
    j, s, t = (x.ravel() for x in np.indices((N, q, N)))
    Ts[flips + np.arange(moves), j, s] = t
    return Xs, Ts
