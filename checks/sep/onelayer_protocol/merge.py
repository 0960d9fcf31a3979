r"""Halves of a softmax taken relative to their own maxima merge exactly: a message has $H(2+d_v)$ numbers.

Setting    One layer of $H$ heads with values of width $d_v$; Alice has half of the positions. Each party knows the
           largest logit $M$, $D=\sum e^{\ell_j-M}$ and $N=\sum e^{\ell_j-M}v_j$ of its own positions.
Statement  $o=\frac{e^{M_A-M}N_A+e^{M_B-M}N_B}{e^{M_A-M}D_A+e^{M_B-M}D_B}$, $M=\max(M_A,M_B)$, is the output. Alice
           sends $H(2+d_v)$ numbers: for 8 heads of width 8 with 32 bits each, 2560 bits. If numerators are integers of
           $p$ bits rounded relative to the maximum of the input, she must be told $M_B$ first; then Bob is right.
Adversary  Random integer logits and values, base 2, Bob's maximum the larger; tables of integers, scaled by their
           maximum.
Measured   The distance of merged and direct outputs, in rationals and in doubles (observed); the numbers sent; with
           integers, Bob's wrong answers over 500 inputs.
Control    Sums with different maxima added as they are; a message without the maximum; $M_B$ not told.
Reads      Derived here. In doubles with $|v|\le1$ and base 2 all products are exact; $n$ additions leave $N$ and $D$
           off by at most $n2^{-53}D$ each, so the quotient by less than $(n+2)u$, $u=2^{-52}$.
"""

from fractions import Fraction

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Quantity, exactly, observed, points

from .._layers import GlobalMaximum, tables
from ..notation import H, d_v, n, unit, word

apart = Quantity("distance", r"\max\|\hat o-o\|_\infty", "merged from direct outputs, in rationals", (0, None))
rounded = Quantity("distance in doubles", r"\max\|\hat o-o\|_\infty", "merged in doubles, from the output", (0, None))
bits = Quantity("bits", "B", "of the numbers that Alice sends", (1, None))
told = Quantity("wrong answers", r"\#\{\hat f\ne f\}", "of Bob, numerators relative to the maximum", (0, 500))


def construct(q):
    rng, shape = q.rng("logits"), (2 * q.n, q.H)
    logits, values = rng.integers(-30, 21, shape), rng.integers(-64, 65, (*shape, q.d_v))
    logits[-1] = 30  # so that the maxima differ
    return logits, values


def share(logits, values, kind):  # M, D and N of each head
    top = logits.max(axis=0)
    e = np.array([[kind(2) ** int(x) for x in row] for row in logits - top], dtype=object)
    return top, e.sum(axis=0), (e[..., None] * (values.astype(object) * (kind(1) / 64))).sum(axis=0)


def merged(one, two, kind, shift):
    M = np.maximum(one[0], two[0])
    a, b = (np.array([kind(2) ** int(x * shift) for x in part[0] - M], dtype=object) for part in (one, two))
    return (a[:, None] * one[2] + b[:, None] * two[2]) / (a * one[1] + b * two[1])[:, None]


def rebuilt_wrongly(q, tell):
    model, tokens = tables(q, GlobalMaximum), q.rng("inputs").integers(0, 2, (500, 2 * q.n))
    e, v = model.unscaled(tokens), model.values(tokens)
    largest = [e[:, part].max(axis=1) for part in (slice(q.n), slice(q.n, None))]
    hers = model.over(e[:, : q.n], np.maximum(*largest) if tell else largest[0])
    both = np.concatenate([hers, model.over(e[:, q.n:], np.maximum(*largest))], axis=1)
    return int((model.answer((both[..., None] * v).sum(axis=1), both.sum(axis=1)) != model.execute(tokens)).sum())


def measure(made, q, shift=1, sent=3, tell=True):
    logits, values = made
    _, D, N = share(logits, values, Fraction)
    found = {}
    for name, kind in ((apart, Fraction), (rounded, float)):
        parts = [share(logits[rows], values[rows], kind) for rows in (slice(q.n), slice(q.n, None))]
        gaps = merged(*parts, kind, shift).ravel().tolist(), (N / D[:, None]).ravel().tolist()
        far = exactly(max(abs(Fraction(a) - b) for a, b in zip(*gaps, strict=True)))
        found[name] = observed(far, "numpy") if kind is float else far
    numbers = sum(np.size(part) for part in share(logits[: q.n], values[: q.n], float)[3 - sent :])
    return {**found, bits: numbers * q.word, told: rebuilt_wrongly(q, tell)}


claim = Claim(
    "One layer, halves relative to their maxima",
    role="foundation", source="derived here: one layer as a protocol",
    scope={"every n, H, d_v, word, p": "points", "every one-layer model": "drawn"},
    lets={unit: Rational(1, 2**52)},
    construct=construct, measure=measure,
    asserts=[apart.equals(0), rounded <= (n + 2) * unit, bits.equals(H * (2 + d_v) * word), told.equals(0)],
    grid=points("n H d_v word p", (4, 1, 1, 16, 3), (16, 2, 3, 32, 4), (12, 8, 8, 32, 8)), controls=[
        Control("added as they are", breaks=[apart, rounded], measure=lambda made, q: measure(made, q, shift=0)),
        Control("without the maximum", breaks=bits, measure=lambda made, q: measure(made, q, sent=2)),
        Control("not told", breaks=told, measure=lambda made, q: measure(made, q, tell=False)),
    ],
)
