"""How many prompts feedforward networks need for a risk, by bisection over the prefixes of one data set."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from theorytools.papers.qstr.feedforward.span_predictor import PerIndexRidge, SpanPredictor
from theorytools.theory.first_layers.exact_span import InputSpan, orthonormal_basis


def least(risk, tau, most):
    """The least n in 1, ..., most with risk(n) <= tau, for a risk that falls; most + 1 if there is none."""
    low, high = 1, most + 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if risk(middle) <= tau else (middle + 1, high)
    return low


@dataclass
class PromptsNeeded:
    """The least number of prompts with a risk of at most tau, averaged over the links of a basis, in exact arithmetic.

    Gaussian prompts in steps of 1/64; ``copies`` repeats the first one.
    """

    rng: np.random.Generator
    N: int
    d: int
    width: int
    tau: Fraction
    copies: bool = False

    @cached_property
    def X(self):
        """Enough prompts for every network, shape (N N d, N, d)."""
        X = np.rint(64 * self.rng.standard_normal((self.N**2 * self.d, self.N, self.d))).astype(int)
        return X[:1].repeat(len(X), axis=0) if self.copies else X

    @cached_property
    def links(self):
        """A rational orthonormal basis."""
        return orthonormal_basis(self.d, np.random.default_rng(self.d))

    def best(self, foreign=False):
        """Over all networks on a mixture of the prompts; on a layer of its own if ``foreign``."""
        flat, p = self.X.reshape(len(self.X), -1), self.N * self.d
        A = np.random.default_rng(p).integers(-9, 10, (self.width, p))

        def risk(n):
            return InputSpan.of(A if foreign else A[:, :n] @ flat[:n], self.N, self.d).mean_loss(self.links)
        return least(risk, self.tau, p)

    def explicit(self):
        """For the network that attains the Bayes loss of the span, of width n."""
        def fits(n):
            return [SpanPredictor(self.X[:n], b) for b in self.links]
        return least(lambda n: self._mean(fits(n)), self.tau, self.N * self.d)

    def linear(self):
        """For one weight vector per index by minimum norm, every index equally often."""
        return self.N * least(self.linear_risk, self.tau, self.N * self.d)

    def linear_risk(self, k):
        """The risk of that network with k prompts of every index, averaged over cyclic shifts of the tokens too."""
        X, t = self.X[: k * self.N], np.tile(np.arange(self.N), k)
        return self._mean([PerIndexRidge(np.roll(X, s, axis=1), b, t) for s in range(self.N) for b in self.links])

    def _mean(self, networks):
        return sum(network.risk() for network in networks) / Fraction(len(networks))
