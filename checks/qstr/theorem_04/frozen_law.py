r"""How far least squares on frozen attention is from the best read-out does not depend on the length: drawn prompts.

Setting    As in theorem_04_frozen (`group`); $n$ labelled prompts are drawn, and $\hat u\in\mathbb R^{qd}$ fits them.
Statement  $E[s^2/R(\hat u)]=\frac{n-qd+1}{n+1}$ for every $N$ and every code; after $n=qd+1$ labels
           $P(R>\epsilon)=1-(1-s^2/\epsilon)^{qd/2}$ at $\epsilon=2qd\,s^2$.
Witness    The learner itself: tokens, tuples and labels drawn, softmax attention, least squares in doubles.
Measured   $s^2/R\in[0,1]$ with $R$ from the covariance of the attended tokens; how often $R$ exceeds $2qd\,s^2$.
Control    A label fewer in the law; a head fewer; labels of another prompt; attention at half the temperature whose
           noise is taken for that of the whole.
Reads      The second route to the law that theorem_04_frozen.group uses.
"""

import numpy as np
from sympy import log

from theorytools import Claim, Control, Enclosure, Quantity, points
from theorytools.constructions.attention.layer import softmax
from theorytools.statistics.sampled import bounded_mean, columns, proportion

from ..notation import N, d, n, q
from ._fitted_readout import FittedReadout
from .frozen import CODES

share = Quantity("share of the noise", r"E[s^2/R(\hat u)]", "noise over risk, over the labelled prompts", (0, 1))
often = Quantity("failures", r"P(R>2qd\,s^2)", "after n = qd + 1 labels", (0, 1))


def construct(p, heads=None, foreign=False, cooler=1):
    code, heads = CODES[p.code](p.N), p.q if heads is None else heads
    j, own = np.arange(p.N), np.arange(p.q)
    row = code.gram_numerators()[0] / code.gram_denominator
    w = softmax(2 * np.log(p.N) / cooler * row)
    s_2 = float(FittedReadout(code, 2 * log(p.N), own).leftover())
    W = w[own[:, None] ^ j]  # heads by offsets, for the tuple of position 0
    C, A = W[:heads] @ W[:heads].T, W[:heads, : p.q]
    u = np.zeros((p.q, p.d))
    u[:, 0] = p.q**-0.5

    def fitted(rng, size, labels):
        X = rng.standard_normal((size, labels, p.N, p.d))
        t = rng.integers(p.N, size=(size, labels, 1))
        at = np.take_along_axis(X, (t ^ own)[..., None], axis=2)
        phi = np.einsum("hj,snjd->snhd", W[:heads], np.take_along_axis(X, (t ^ j)[..., None], axis=2))
        y = at[..., 0].sum(axis=2) * p.q**-0.5
        F = phi.reshape(size, labels, -1)
        y = np.roll(y, 1, axis=1) if foreign else y
        v = np.linalg.solve(np.einsum("sna,snb->sab", F, F), np.einsum("sna,sn->sa", F, y)[..., None])
        v = v[..., 0].reshape(size, heads, p.d)
        return 1 - 2 * np.einsum("shd,hk,kd->s", v, A, u) + np.einsum("shd,hk,skd->s", v, C, v)

    def draw(rng, size):
        return {"share": s_2 / fitted(rng, size, p.n),
                "often": (fitted(rng, size, p.q * p.d + 1) > 2 * p.q * p.d * s_2).astype(float)}
    return columns(draw, p.seed("prompts"), "share", "often")


def measure(drawn, p):
    share_of, fails = drawn
    return {share: bounded_mean(share_of, low=0, high=1 + Enclosure(10) ** -6), often: proportion(fails)}


law, tail = (n - q * d + 1) / (n + 1), 1 - (1 - 1 / (2 * q * d)) ** (q * d / 2)
claim = Claim(
    "Theorem 4, law of the fitted read-out",
    role="variant", source="derived here: Theorem 4",
    scope={"every code, q, d, n": "points", "every N": "points", "every sample": "drawn"},
    asserts=[share.equals(law, within=law / 30), often.equals(tail, within=tail / 8)],
    requires=[n >= q * d + 1, q < N],
    grid=points("code N q d n", ("bch", 16, 1, 2, 5), ("equiangular", 16, 2, 2, 8), ("hadamard", 32, 1, 3, 6),
                ("bch", 64, 2, 1, 5)),
    construct=construct, measure=measure, controls=[
        Control("a label fewer in the law", breaks=share,
                asserts=[share.equals((n - q * d) / n, within=law / 30)]),
        Control("a head fewer", breaks=[share, often], where=q >= 2, construct=lambda p: construct(p, p.q - 1)),
        Control("labels of another prompt", breaks=[share, often], construct=lambda p: construct(p, foreign=True)),
        Control("half the temperature", breaks=[share, often], construct=lambda p: construct(p, cooler=2)),
    ],
)
