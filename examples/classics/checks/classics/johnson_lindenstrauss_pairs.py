r"""A random map of signs to about $\log N$ dimensions keeps all distances among $N$ points, but for probability $1/N$.

Setting    $N$ points, here the unit vectors $e_i$; $x\mapsto\frac1{\sqrt k}Rx$ with $k\times N$ independent signs $R$.
Statement  For $k\ge\frac{6\log N}{\varepsilon^2/2-\varepsilon^3/3}$ some squared distance changes by a factor outside
           $1\pm\varepsilon$ with probability at most $\frac1N$.
Proof      By `johnson_lindenstrauss` each of the $\binom N2$ differences does with probability at most $2N^{-3}$.
Measured   The probability for the unit vectors, from the share of draws in which some pair does, in integers:
           $\|R(e_i-e_j)\|^2/2k-1$ is $-\langle R_i,R_j\rangle/k$.
Control    A sixteenth of the dimensions; a quarter at $\varepsilon=\frac14$: with $\varepsilon$ for $\varepsilon^2$.
Reads      Achlioptas (2003), Theorem 1.1 with $\beta=1$, from memory.
"""

import numpy as np
from sympy import Rational, log

from theorytools import Claim, Control, Quantity, points
from theorytools.statistics.sampled import proportion

from .johnson_lindenstrauss import rate
from .notation import N, eps, k

some = Quantity("some", r"\Pr(\max_{i\ne j}|\langle R_i,R_j\rangle|>\varepsilon k)", "over the signs", (0, 1))


def measure(_, p, share=1):
    def draw(rng, size):
        R = rng.choice(np.array([-1, 1]), (size, p.k // share, p.N))
        products = np.swapaxes(R, 1, 2) @ R - R.shape[1] * np.eye(p.N, dtype=int)
        return abs(products).max(axis=(1, 2)) * p.eps.denominator > p.eps.numerator * R.shape[1]

    return {some: proportion(draw, p.seed("signs"))}


claim = Claim(
    "Johnson–Lindenstrauss lemma", role="statement", source="published: Achlioptas (2003), Theorem 1.1; none",
    scope={"every N, eps, k and N points": "proof"}, requires=[N >= 2, k >= 6 * log(N) / rate, eps < 1],
    asserts=some <= 1 / N, construct=lambda p: None, measure=measure, uses=["classics.johnson_lindenstrauss"],
    grid=points("N eps k", (4, "3/4", 60), (16, "1/2", 200), (16, "1/4", 640)), controls=[
        Control("a sixteenth", breaks=some, measure=lambda _, p: measure(_, p, 16)),
        Control("eps for its square", breaks=some, where=eps < Rational(1, 2), measure=lambda _, p: measure(_, p, 4))],
)
