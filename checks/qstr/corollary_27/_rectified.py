"""Prompts and adversaries for recurrent networks with a rectified, approximate transition."""

from dataclasses import dataclass

import numpy as np

from theorytools.papers.qstr.recurrent.rectified import RectifiedRNN

from .corollary_27 import batch, targets


def adversaries(p, matched=False):
    """Shares of the perturbation in 64ths: on a match (the exact increment is not 0) and, unless matched, elsewhere.

    Shrinking, stretching, one sign of its own and one for all; the sign of the state; random, unless states may be cut,
    which needs a rational norm.
    """
    def follow(elsewhere, match):
        return lambda psi, h: np.where(psi != 0, match * np.sign(psi), elsewhere * (not matched)) * 64

    rng = p.rng("adversary")
    others = [lambda psi, h: np.where(h >= 0, 64, -64)] * (not matched)
    if p.trial:
        others += [lambda psi, h: np.where((psi != 0) | (not matched), rng.integers(-64, 65, psi.shape), 0)]
    return [follow(1, -1), follow(-1, 1), follow(1, 1), *others]


def prompts(p):
    """The prompts of corollary_27; for trial 0 every token has equal entries."""
    X, T = batch(p)
    if p.trial == 0:
        X = p.M_x * np.where(X[..., :1] > 0, 1, -1).repeat(p.d, axis=-1)
    return X, T


def slots(net, p, matched=False, current=0):
    """Empty slots among the unread, largest error of the read ones, states moved, largest squared norm."""
    X, T = prompts(p)
    tokens, side = targets(X, T)
    empty, errors, moved, largest = np.ones((2, *T.shape), dtype=bool), [], 0, []
    for adversary in adversaries(p, matched):
        run = net.passes(X, T, adversary)
        for way, h in enumerate((run.forward, run.backward)):
            held, read = h.reshape(*T.shape, p.d), side * (1 - 2 * way) > -current
            empty[way] &= ~read & (held == 0).all(axis=-1)
            errors.append(np.abs(held - tokens * int(1 / run.unit))[read].max() * run.unit)
        moved, largest = moved + run.moved, [*largest, run.largest2]
    return int(empty.sum()), max(errors), moved, max(largest)


@dataclass(frozen=True)
class Readout:
    """What the head reads: both states and a rectified gate of the current token, added up."""

    net: RectifiedRNN
    gate: RectifiedRNN | None

    def retrieved(self, X, T, adversary):
        """Return the sum in rationals, shape (n, N, q d)."""
        run = self.net.passes(X, T, adversary)
        v = (run.forward + run.backward).astype(object) * run.unit
        if self.gate is None:
            return v
        psi = self.gate.exact(X, T)
        flat = psi.reshape(-1, psi.shape[-1])
        return v + self.gate.increment(flat, 0 * flat, adversary).reshape(psi.shape).astype(object) * self.gate.unit
