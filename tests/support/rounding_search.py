"""Inputs at which a network's floats are far from the exact outputs: a search by coordinates, the same in every run.

It starts from integers of the largest modulus, from signs times it, from odd ones just below it (whose products fill a
mantissa, so that sums fall between two numbers of the type) and from the prompts that the specimen draws; then it
changes a few entries of the worst prompt at a time and keeps what is worse.  All orders of sums are those of the two
evaluators: numpy's call and torch's module.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from network_specimens import Specimen

from theorytools.constructions.conformance import _array, _Suite
from theorytools.numbers import Enclosure, at_precision

FORMATS = {"float64": (torch.float64, 2.0**-53), "float32": (torch.float32, 2.0**-24),
           "float16": (torch.float16, 2.0**-11), "bfloat16": (torch.bfloat16, 2.0**-8)}  # fmt: skip
BITS = 192


@dataclass
class Search:
    """A specimen, the largest modulus of its inputs, and the amount of work: batches of prompts."""

    one: Specimen
    size: int
    batches: int = 12
    seed: int = 0

    def __post_init__(self):
        self.rng = np.random.default_rng([self.seed, self.size, self.batches])
        self.first = self.one.draw(np.random.default_rng(self.seed))
        self.numbers = self.suite(self.first).numbers

    def suite(self, inputs):
        options = self.one.options
        return _Suite(self.one.net, inputs, None, lambda *_: (), None, False, options.get("feed"),
                      options.get("free", ()))  # fmt: skip

    def fresh(self):
        """Prompts of the specimen, with numbers of the sizes that round worst."""
        S, rng, parts = self.size, self.rng, list(self.one.draw(self.rng))
        for k, number in enumerate(self.numbers):
            if number and not self.one.options.get("fixed"):
                shape = parts[k].shape
                parts[k] = [
                    rng.integers(-S, S + 1, shape), rng.choice([-S, S], shape),
                    rng.choice([-1, 1], shape) * (S - rng.integers(0, max(1, min(S, 1000)), shape)),
                    rng.choice([-1, 1], shape) * np.where(rng.random(shape) < 0.5, S, rng.integers(0, 5, shape)),
                    self.aligned(tuple(parts), k),
                ][rng.integers(5)]  # fmt: skip
        return tuple(parts)

    def aligned(self, inputs, k):
        """Numbers whose products with the weights have one sign: those of the outputs at unit vectors."""
        one, S = inputs[k][0], self.size
        units = np.eye(one.size, dtype=int).reshape(one.size, *one.shape)
        others = [np.repeat(part[:1], one.size, axis=0) for part in inputs]
        outs = self.one.net(*others[:k], units, *others[k + 1 :]).reshape(one.size, -1)
        columns = self.rng.integers(0, outs.shape[1], len(inputs[k]))
        signs = np.sign(outs[:, columns]).T.reshape(inputs[k].shape).astype(int)
        low = self.rng.integers(0, max(1, min(S, 1000)), signs.shape)
        return np.where(signs == 0, self.rng.integers(-S, S + 1, signs.shape), signs * (S - low))

    def near(self, inputs, row):
        """As many prompts as a draw has, each the worst one with a few entries of a fresh one."""
        fresh, count = self.fresh(), len(self.first[0])
        parts = []
        for old, new in zip(inputs, fresh, strict=True):
            kept = np.repeat(old[row : row + 1], count, axis=0)
            if np.shape(new) != kept.shape:
                return fresh
            parts.append(np.where(self.rng.random(kept.shape) < 0.2, new, kept))
        return tuple(parts)

    def exact(self, suite):
        """Exact outputs as enclosures."""
        return at_precision(BITS, lambda: [Enclosure(v) for v in _array(suite.net.exact(*suite.inputs)).flat])

    def error(self, suite, name):
        """The error of each prompt, exact for doubles and up to the rounding of doubles for shorter types."""
        dtype, _ = FORMATS[name]
        runs = [suite.run(suite.net.module(dtype), dtype)] if suite.has("module") else []
        if name != "float64":
            return np.abs(runs[0] - suite.called).reshape(len(suite.called), -1).max(axis=1)
        runs.append(suite.called)
        exact = self.exact(suite)
        gaps = [[float(abs(v - float(x))) for v, x in zip(exact, np.ravel(run), strict=True)] for run in runs]
        return np.max(gaps, axis=0).reshape(len(suite.called), -1).max(axis=1)

    def largest(self, name):
        """Return the largest error over the bound, that error and that bound; nothing where the bound is infinite."""
        worst, best = (0.0, 0.0, math.nan), None
        batches = self.batches if name != "float64" else max(2, self.batches // 4)
        for k in range(batches):
            suite = self.suite(self.fresh() if k % 2 == 0 or best is None else self.near(*best))
            bound = suite.net.rounding(suite.size, FORMATS[name][1])
            if not math.isfinite(bound):
                return None
            found = np.nan_to_num(self.error(suite, name), nan=math.inf)
            row = int(found.argmax())
            assert found[row] <= bound, (type(suite.net).__name__, name, found[row], bound)
            if bound and found[row] / bound >= worst[0]:
                worst, best = (found[row] / bound, float(found[row]), bound), (suite.inputs, row)
            elif not bound and best is None:
                worst = (0.0, 0.0, 0.0)
        return worst


SIZES = {"float64": (5, 1000, 2**20), "float32": (5, 1000, 2**20), "float16": (5, 200), "bfloat16": (5, 1000)}
SQUARED = {"FewHeads", "StationaryMember"}  # of which float16 has no outputs beyond small inputs: 65504 is its largest


def closest(many, name, batches=8):
    """Return the largest part of the bound that is found over several networks and sizes; nothing if all are infinite.

    Numbers up to 2^20 are no numbers of the shortest formats, in which they would be rounded first or overflow.
    """
    found = []
    for one in many:
        if name not in one.options.get("formats", FORMATS) or (name != "float64" and not hasattr(one.net, "module")):
            continue
        search = Search(one, 5, batches)
        found.append(search.largest(name))
        squares = name == "float16" and type(one.net).__name__ in SQUARED
        if any(search.numbers) and not squares and not one.options.get("fixed"):
            found += [Search(one, size, batches).largest(name) for size in SIZES[name][1:]]
    finite = [part for part, _, _ in filter(None, found)]
    return max(finite, default=None)
