r"""A fully-connected network needs (width) x (bits) of order $Td$ for tokens that are signs or Gaussian.

Setting    As in fcn, $q<T$; the first layer is any map of the prompt with at most $2^b$ values, $b=mp$ for $m$ neurons
           of $p$ bits; $\lambda=\frac{T-q}{qT(T-1)}$.
Statement  Signs as tokens: $\mathbb{E}\|h-s\|^2\ge\lambda Td\bigl(1-\frac b{Td}\bigr)^{\log4}$.  Gaussian tokens:
           $\mathbb{E}\|h-s\|^2\ge Td\,(\tfrac1T)^{1/T}\lambda^{(T-1)/T}\,4^{-b/(Td)}$.  So $b$ is at least a constant
           times $Td$ for a loss below a fixed part of $d\lambda T$.
Adversary  Signs: the neuron $(1,2,4,\dots)$ that holds a prompt, with its $p$ leading bits; neurons that add tokens, of
           random weights, and that read one sign each.  Gaussian: $m$ coordinates, rounded to cells between 0 and
           $\pm1$.
Measured   The variance of $s$ given the values, over all $2^{Td}$ prompts, rational; Gaussian cells by the error
           function.
Control    The neuron with all its bits; half of the power; $2^{-b/(Td)}$; two bits read as one.
Reads      Derived here; the paper's networks have real weights, for which this says nothing (fcn_tokens).  With
           $H(x_j|c)$ bits left, $\operatorname{Var}\ge H^{\log4}$ for a sign (Topsoe's bound of the entropy), at least
           $4^{-I}$ for a Gaussian; $H$ and $I$ add up over coordinates, and $M\ge\lambda I$, or the mean of products is
           above their geometric mean.
"""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
from sympy import Eq, Ne, Rational, log

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.numbers import Enclosure, pi

from ..notation import T, bits, d, m, q, values

left = Quantity("least loss", r"\mathbb{E}\operatorname{tr}\operatorname{Cov}(s\mid c(X),y)",
                "of any network behind these values", (0, d / q))
least = (T - q) / (q * T * (T - 1))


def layer(p, precision):  # rows of weights; the value of a neuron is split at its quantiles into 2^p cells
    n, rng = p.T * p.d, p.rng("layer")
    W = {"powers": [[2**k for k in reversed(range(n))]] * p.m, "sum": np.ones((p.m, n), dtype=int),
         "random": rng.integers(-9, 10, (p.m, n)), "single": np.eye(p.m, n, dtype=int)}[p.layer]
    X = np.array(list(product((-1, 1), repeat=n)))
    found = X @ np.array(W).T
    ranks = np.array([np.searchsorted(np.sort(column), column) for column in found.T]).T
    return X, ranks * 2**precision // len(X)


def construct(p, more=0):
    return layer(p, p.bits + more)


def exact(net, p):  # tr M Cov, M with 1/q^2 times the chance that one or two positions are selected
    X, cells = net
    _, index = np.unique(cells, axis=0, return_inverse=True)
    pair = comb(p.T - 2, p.q - 2) if p.q > 1 else 0
    counts = np.full((p.T, p.T), pair) + np.eye(p.T, dtype=int) * (comb(p.T - 1, p.q - 1) - pair)
    M = np.kron(counts, np.eye(p.d, dtype=int))
    loss = Fraction(int(((X @ M) * X).sum()))
    for cell in range(index.max() + 1):
        total = X[index.reshape(-1) == cell].sum(axis=0)
        loss -= Fraction(int(total @ M @ total), int((index.reshape(-1) == cell).sum()))
    return loss / (p.q**2 * comb(p.T, p.q) * len(X))


claim = Claim(
    "Fully-connected networks, bits",
    role="variant", source="derived here: fully-connected networks",
    scope={"every T, d, q, m, bits": "points", "every first layer": "points", "every prompt": "enumeration"},
    requires=[q < T, m * bits <= T * d], construct=construct,
    asserts=left >= least * T * d * (1 - log(values, 2) / (T * d)) ** log(4), derived=[values],
    derive=lambda net, p: {values: len(np.unique(net[1], axis=0))}, measure=lambda net, p: {left: exact(net, p)},
    grid=points("layer T d q m bits", ("powers", 8, 1, 2, 1, 0), ("powers", 8, 1, 1, 1, 2), ("powers", 4, 2, 2, 1, 4),
                ("sum", 9, 1, 3, 1, 3), ("random", 8, 1, 1, 3, 2), ("random", 5, 2, 2, 4, 1), ("single", 6, 2, 1, 6, 1),
                ("powers", 10, 1, 1, 1, 9)),
    controls=[
        Control("all bits of the neuron", breaks=left, where=Eq(m, 1) & (bits >= 1) & Ne(bits, 3),
                construct=lambda p: layer(p, p.T * p.d)),
        Control("half of the power", breaks=left, where=Eq(q, 1) & Ne(m, 3),
                asserts=[left >= least * T * d * (1 - log(values, 2) / (T * d)) ** log(2)]),
    ],
)
bound = T * d * (1 / T) ** (1 / T) * least ** ((T - 1) / T)


def cells(p, more=0):
    """What is left of the variance of one coordinate: 1 - sum of (phi(z_k) - phi(z_{k+1}))^2 over the masses."""
    if p.bits + more == 0:
        return Enclosure(1)
    if p.bits + more == 1:
        return 1 - 2 / pi()
    root = 1 / (2 * pi()).sqrt()
    low, mass = root * Enclosure(Fraction(-1, 2)).exp(), (1 / Enclosure(2).sqrt()).apply("erf") / 2
    return 1 - 2 * ((root - low) ** 2 / mass + low**2 / (Fraction(1, 2) - mass))


def rounded(sizes, p, more=0):
    tokens, size = sizes
    rest = tokens * size - p.m
    return {left: enclosed(lambda: (rest + p.m * cells(p, more)) / (p.q * tokens))}


gaussian = Claim(
    "Fully-connected networks, bits, Gaussian tokens",
    role="variant", source="derived here: fully-connected networks",
    scope={"every T, d, q, m, bits": "points", "every first layer": "points", "every prompt": "closed form"},
    requires=[q < T, m <= T * d, bits <= 2],
    asserts=left >= bound * 4 ** (-m * bits / (T * d)), construct=lambda p: (p.T, p.d), measure=rounded,
    grid=points("T d q m bits", (6, 2, 1, 1, 1), (6, 2, 1, 12, 1), (6, 2, 1, 12, 2), (8, 1, 2, 4, 2),
                (20, 5, 3, 100, 1)),
    controls=[
        Control("2 for 4", breaks=left, where=Eq(q, 1) & (m >= 2), asserts=[
            left >= bound * Rational(1, 2) ** (m * bits / (T * d))]),
        Control("two bits for one", breaks=left, where=Eq(bits, 1) & Eq(m, T * d),
                measure=lambda sizes, p: rounded(sizes, p, 1)),
    ],
)
