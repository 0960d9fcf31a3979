r"""Two layers count any feature of two or three bits at one position, so they decide its thresholds and parity.

Setting    $q$ strings of $n$ bits and [CLS]; the tokens of the last string host $c_i=h(x_i,\dots,z_i)$. One head for
           each other string copies its bit by codes as in bool_twolayer_copy, rounded; the $(q-1)n+1$ tokens that a
           head does not ask for weigh 1. Layer 2 is uniform.
Statement  For all $2^{2^q}$ functions $h$ and all $2^{qn}$ inputs, $L$ times the output is $\#\{i:h=1\}$, exactly, as
           the least copy is $\frac12$ of its size or more.
Witness    Integer weights $(16k)^{k-d}$; $h=\sum_{a:h(a)=1}\mathrm{ReLU}(\langle a,s\rangle-q+1)$ on signs $s$.
Measured   The least copy; the largest distance of the count from $\#\{i:h=1\}$, over all functions and inputs,
           rational.
Control    Codes of two positions swapped; copies not rounded; no temperature; one head, of the first string, for all.
Reads      Derived here. Each head takes one coordinate more than bool_twolayer has. $\frac12$ is attained at $q=3$,
           $n=2$; four strings take a larger base. The token that hosts a feature holds one of its bits, and hosts
           $O(1)$ features: else the width grows with the features of a token.
"""

from fractions import Fraction
from itertools import product

import numpy as np
from sympy import Ne, Rational

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.theory.communication.matrix import all_strings

from ..notation import n, q_args

off = Quantity("count off", r"\max|L\,\mathrm{out}-\#\{i:h=1\}|", "over all features and inputs", (0, None))
least = Quantity("least copy", r"\min r_ix_i", "over all inputs and copied bits", (-1, 1))


def construct(p, base=None, swapped=False):
    k = max(1, (p.n - 1).bit_length())
    keys = [1, 0, *range(2, p.n)] if swapped else range(p.n)
    gaps = [[(i ^ j).bit_count() for j in keys] for i in range(p.n)]
    return np.array([[(base or 16 * k) ** (k - d) for d in row] for row in gaps], dtype=object)


def copies(W, signs):  # signs (inputs, q, n): what the last string's tokens fetch of the others
    rest = signs.sum(axis=(1, 2))[:, None]
    tokens = signs.shape[2] * (signs.shape[1] - 1) + 1
    share = np.array([Fraction(1, int(d) + tokens) for d in W.sum(axis=1)])
    every = (s @ W.T + rest - s.sum(axis=1)[:, None] for s in signs[:, :-1].transpose(1, 0, 2))
    return np.stack([asked * share for asked in every], axis=1)


def measure(W, p, rounded=True, heads=None):
    signs = (2 * all_strings(p.q_args * p.n) - 1).reshape(-1, p.q_args, p.n).astype(object)
    r = copies(W, signs)
    s = np.concatenate([np.clip(2 * r, -1, 1) if rounded else r, signs[:, -1:]], axis=1)
    s[:, :-1] = s[:, : heads or p.q_args - 1]
    counts = []
    for a in product((-1, 1), repeat=p.q_args):
        a = np.array(a, dtype=object)[:, None]
        counts.append((np.maximum((a * s).sum(axis=1) - p.q_args + 1, 0) - (signs == a).all(axis=1)).sum(axis=1))
    counts = np.array(counts)  # the worst function takes all that is too much, or all that is missing
    worst = max(np.maximum(counts, 0).sum(axis=0).max(), np.maximum(-counts, 0).sum(axis=0).max())
    return {off: exactly(Fraction(worst)), least: exactly((r * signs[:, :-1]).min())}


claim = Claim(
    "Two layers, any feature",
    role="variant", source="derived here: functions of bits at one position",
    scope={"every q_args, n": "points", "every feature": "enumeration", "some network": "exhibited",
           "every input": "enumeration"},
    asserts=[off.equals(0), least >= Rational(1, 2)],
    grid=points("q_args n", (2, 1), (2, 2), (2, 4), (3, 1), (3, 2)), construct=construct, measure=measure,
    requires=[q_args >= 2, q_args <= 3, n <= 4], controls=[
        Control("codes of two positions swapped", breaks=[off, least], where=n >= 2,
                construct=lambda p: construct(p, swapped=True)),
        Control("copies not rounded", breaks=off, measure=lambda W, p: measure(W, p, rounded=False),
                asserts=[off.equals(0)]),
        Control("no temperature", breaks=[off, least], where=n >= 2, construct=lambda p: construct(p, base=1)),
        Control("one head for all", breaks=off, where=Ne(q_args, 2), measure=lambda W, p: measure(W, p, heads=1)),
    ],
)
