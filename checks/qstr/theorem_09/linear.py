r"""In many token dimensions the linear network without memory is shorter than every recurrent network of small risk.

Setting    As in theorem_09, with $n\le d$ prompts.
Statement  Risk at most $c$ costs the squared norm $B(N)=(L_y+1)\bigl(\frac12A_c^2(N-1)\bigr)^{1/(L_y+1)}$. The
           shortest $v$ with $\langle v,x_i\rangle=y_i$ makes a memoryless network of squared norm $2L_y\|v\|^{2/L_y}$.
           Where this is below $B(N)$, every minimum-norm $\varepsilon$-ERM has risk above $c$, whatever
           $\varepsilon\ge0$. At least three quarters of the sets of $n$ random prompts, $d\ge2n+2$, have a $v$ of
           $\|v\|\le2$.
Proof      The first by step 1 of the proof of theorem_09; the network is $\pm v$, $I_2$ and $(1,-1)$ with equal norms,
           and an $\varepsilon$-ERM of least norm is no longer than it. Of the last: a label is $\langle u,x'\rangle$
           of another token, independent of all $X$, or of the own one, once in $N$. With $P$ the part of $X$
           orthogonal to $u$, $S=PP^\top$ a Wishart matrix of $d-1$ dimensions independent of $Xu$ and of all labels,
           $XX^\top\succeq S$, so $\|v\|^2=y^\top(XX^\top)^{-1}y\le y^\top S^{-1}y$, of mean $\frac n{d-n-2}\le1$;
           Markov.
Witness    LinearInterpolant on Gaussian tokens in steps of $1/64$ with a rational link; on unit vectors, $\|v\|=1$, at
           the least such $N$.
Measured   $v$ in rationals; the labels hit; the norm from the weights, enclosed. $\|v\|^2$ again as
           $y^\top(XX^\top)^{-1}y$. How often $\|v\|\le2$ on random prompts.
Control    One position fewer; all of $\|v\|$ in one layer; a ridge; as many prompts as dimensions.
Reads      Derived here. It is about one labelled position per prompt: with all $N$ the network has $nN$ labels to fit.
"""

from fractions import Fraction

import numpy as np
from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.numbers import solve_rational
from theorytools.papers.qstr.feedforward.linear_interpolant import LinearInterpolant
from theorytools.papers.qstr.interpolation.norm_gap import recurrent_norm
from theorytools.statistics.sampled import proportion
from theorytools.theory.first_layers.exact_span import orthonormal_basis

from ..notation import B_N, B_less, N, d, depth, n, short_2

hits = Quantity("labels hit", r"\#\{i:f(x_i)=y_i\}", "by the network without memory", (0, n))
norm = Quantity("norm", r"\|\operatorname{vec}\Theta\|^2", "of the interpolating network", (0, None))
often = Quantity("short vectors", r"\Pr(\|v\|\le2)", "over the prompts", (0, 1))
formula = 2 * depth * short_2 ** (1 / depth)


def construct(p, **spoiled) -> LinearInterpolant:
    if p.tokens == "unit":
        own, y = np.eye(p.n, p.d, dtype=int), [1, *[0] * (p.n - 1)]
        return LinearInterpolant(**{"X": own, "y": y, "depth": p.depth, **spoiled})
    u = np.array(orthonormal_basis(p.d, p.rng("link"))[0], dtype=object)
    own, other = (np.rint(64 * p.rng(role).standard_normal((p.n, p.d))).astype(int) for role in ("own", "indexed"))
    return LinearInterpolant(**{"X": own, "y": list(other.astype(object) @ u), "depth": p.depth, **spoiled})


def derive(net, p):
    X, y = net.X.astype(object), np.array([[Fraction(t)] for t in net.y], dtype=object)
    dual = np.array(solve_rational(X @ X.T, y), dtype=object)
    return {short_2: (dual * y).sum(), B_N: lambda: recurrent_norm(p.N, p.risk_0, p.depth),
            B_less: lambda: recurrent_norm(p.N - 1, p.risk_0, p.depth)}


def measure(net, p, balanced=True):
    return {hits: net.hits(), norm: enclosed(lambda: net.squared_norm(balanced))}


def prompts(p, _, dimension=None):  # the object is the law of the prompts, at these sizes
    k = dimension or p.d

    def draw(rng, size):
        X, other = rng.standard_normal((size, p.n, k)), rng.standard_normal((size, p.n))
        position = rng.random((size, p.n))
        y = np.where(position < 1 / p.N, X[:, :, 0], other)  # u = e_1; the index is the own position once in N
        return (y * np.linalg.solve(X @ X.transpose(0, 2, 1), y[:, :, None])[:, :, 0]).sum(axis=1) <= 4
    return {often: proportion(draw, p.seed("prompts"))}


asserts = [hits.equals(n), norm.equals(formula, within=formula / 10**9)]
claim = Claim(
    "Theorem 9, the linear network",
    role="variant", source="derived here: Theorem 9",
    scope={"every tokens, N, n, d, depth, risk_0": "proof", "every data set": "proof",
           "every minimum-norm network": "proof"},
    asserts=[*asserts, norm <= B_N], requires=[n <= d, N >= 3, formula <= B_N],
    construct=construct, measure=measure,
    derive=derive, derived=[short_2, B_N, B_less],
    grid=points("tokens N n d depth risk_0",
                ("unit", 8, 3, 8, 2, "1/100"), ("unit", 16, 3, 8, 3, "1/100"), ("unit", 31, 2, 6, 4, "1/100"),
                ("unit", 46, 3, 8, 2, "1/4"), ("gaussian", 64, 4, 20, 2, "1/100"), ("gaussian", 256, 8, 40, 2, "1/10"),
                ("gaussian", 512, 6, 30, 3, "1/10")),
    controls=[
        Control("one position fewer", breaks=norm, where=Eq(short_2, 1), asserts=[*asserts[:1], norm <= B_less]),
        Control("all of the norm in one layer", breaks=norm, where=short_2 < Rational(9, 10), asserts=asserts,
                measure=lambda net, p: measure(net, p, balanced=False)),
        Control("a ridge", breaks=hits, asserts=asserts[:1], construct=lambda p: construct(p, ridge=1)),
    ],
)
random = Claim(
    "Theorem 9, the linear network on random prompts",
    role="variant", source="derived here: Theorem 9",
    scope={"every tokens, N, n, d, depth": "proof"},
    asserts=often >= Rational(3, 4), requires=[d >= 2 * n + 2], construct=lambda p: p,
    grid=points("tokens N n d depth",
                ("gaussian", 55, 3, 8, 2), ("gaussian", 55, 10, 22, 2), ("gaussian", 2, 10, 22, 2)),
    measure=prompts,
    controls=[Control("as many prompts as dimensions", breaks=often, measure=lambda law, p: prompts(law, p, p.n))],
)
