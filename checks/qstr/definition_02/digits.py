r"""Handwritten digits as tokens: without the index, the error is $(1-\frac1N)\,u^\top\Sigma u$ of their finite law.

Setting    Tokens drawn uniformly with replacement from the 500 held-out handwritten digits (8 × 8, integers);
           $t$ uniform on $[N]^q$; label $q^{-1/2}\sum_js(t_j)$, where $s$ is the sum of the pixels ($u=(1,\dots,1)$)
           or the digit's value, less its mean.
Statement  Given all tokens and not $t$, the least $E(y-\hat y)^2$ is $(1-\frac1N)\operatorname{Var}s$, for every $q$.
           Exact for this law: it need not be Gaussian, nor its covariance $\Sigma$ the identity.
Proof      Given the tokens the $s(t_j)$ are independent draws from the $N$ of the prompt, so the least error is their
           variance, for every $q$ the mean of $\frac1N\sum_i(s_i-\bar s)^2$, and that of $N$ independent draws is
           $(1-\frac1N)\operatorname{Var}s$.
Witness    The mean over all positions, times $\sqrt q$.
Measured   That spread under the law of $\sum_is_i$, the $N$-th power of the integer histogram; the right side is
           $u^\top\Sigma u$ of the matrix of pixel products. All rational.
Control    Distinct images in a prompt; the identity as covariance; all of the variance in place of $1-\frac1N$ of it.
Reads      Derived here. theorem_06_covariance has Theorem 6 for digits, whose tokens are not Gaussian; question_c_task
           has a network below this error.
"""

from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, letter, points
from theorytools.tasks.digits import digit_images

from ..notation import N, d

v_s = letter("v_s", "variance of the label that one drawn token gives", latex=r"u^\top\Sigma u", positive=True)
least = Quantity("least error", r"\min_{\hat y}E(y-\hat y)^2", "given the tokens", (0, None))


def construct(p) -> np.ndarray:
    """The features of the images, one row each: 64 pixels, or the value."""
    X, digits = digit_images(held_out=True)
    return X if p.label == "pixels" else digits[:, None]


def measure(rows, p):
    s = rows.sum(axis=1)
    width = (p.N * len(s).bit_length() + 7) // 8  # bytes that hold each coefficient of the power
    one = int.from_bytes(b"".join(int(k).to_bytes(width, "little") for k in np.bincount(s)), "little")
    law = (one**p.N).to_bytes(width * (p.N * int(s.max()) + 1), "little")
    square = sum(k * k * int.from_bytes(law[k * width:(k + 1) * width], "little") for k in range(len(law) // width))
    return {least: Fraction(int(s @ s), len(s)) - Fraction(square, len(s) ** p.N * p.N**2)}


def without_repetition(rows, p):
    s, n = rows.sum(axis=1), len(rows)
    pairs = Fraction(int(s.sum()) ** 2 - int(s @ s), n * (n - 1))
    return {least: (1 - Fraction(1, p.N)) * (Fraction(int(s @ s), n) - pairs)}


def derive(rows, p):
    n, mean = len(rows), rows.sum(axis=0)
    covariance = n * rows.T @ rows - np.outer(mean, mean)  # times n^2
    return {v_s: Fraction(int(covariance.sum()), n * n)}


claim = Claim(
    "Definition 2, error without retrieval on handwritten digits",
    role="foundation", source="derived here: Definition 2",
    scope={"every label, d": "points", "every N": "proof", "every predictor": "closed form",
           "every prompt": "enumeration"},
    asserts=least.equals((1 - 1 / N) * v_s), derive=derive, derived=[v_s],
    grid=points("label d N", ("pixels", 64, 2), ("pixels", 64, 8), ("pixels", 64, 16),
                ("value", 1, 2), ("value", 1, 32), ("value", 1, 128)),
    construct=construct, measure=measure, listed=["label", d], controls=[
        Control("distinct images in a prompt", breaks=least, measure=without_repetition),
        Control("the identity as covariance", breaks=least, asserts=[least.equals((1 - 1 / N) * d)]),  # d = |u|^2
        Control("all of the variance", breaks=least, asserts=[least.equals(v_s)]),
    ],
)
