r"""Tokens of any discrete law: nothing is left unknown only if the rows of the data hold the entropy of the labels.

Setting    As in sign_tokens, with independent tokens of one law with finitely many values; $d=1$ and integers here. $H$
           is the entropy of a token in bits, $H_i$ that of $\langle x^{(i)},x\rangle$ for training input $i$.
Statement  For every data set and network in the span $H(x_1,\dots,x_N|Wx)\ge NH-\sum_iH_i$. If $\sum_iH_i<NH$, the
           least risk is positive: risk 0 takes $n\ge NH/\max_iH_i$ prompts. $H_i\le\frac12\log_2(2\pi
           e(v_i+\frac1{12}))$ with $v_i=\operatorname{Var}\langle x^{(i)},x\rangle\le N\max|x|^2\operatorname{Var}x_1$:
           at least about $2NH/\log_2N$ for every such law.
Proof      $H(x|Wx)\ge H(x|Xx)\ge H(x)-H(Xx)\ge NH-\sum_iH_i$. Risk 0 at every index says that each label, here the
           token, is a function of $Wx$: then $H(x|Wx)=0$. The bound of $H_i$: add a uniform part of 1 to the integer;
           of all densities of variance $v_i+\frac1{12}$ a Gaussian has the largest entropy. In more dimensions the same
           with $H(\langle u,x_1\rangle)$ for $H$, and for every link at once with the token's.
Adversary  Layers $W=X$, inputs drawn from the law; all prompts are enumerated with their probabilities.
Measured   Entropies from exact probabilities, in balls, the first bound up to $10^{-12}$: one row attains it. The least
           risk, rational.
Control    A row off the span whose digits hold the prompt; a row that is not counted; a twelfth of the variance.
Reads      Derived here. It takes the place of a count for images of digits, which only showed that one row may tell
           apart finitely many values. A law with a density has no such $H$, and Gaussian tokens take $Nd$ (theorem_06).
"""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from sympy import E, Rational, log, pi

from theorytools import Anchor, Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.numbers import total

from ..notation import N, label_bits, n, row_sum, row_variance

unknown = Quantity("unknown bits", r"H(x_1,\dots,x_N\mid Wx)", "of the tokens behind the layer", (0, None))
widest = Quantity("entropy of the widest row", r"H_i", "of the training input of the largest variance", (0, None))
risk = Quantity("least risk", r"\inf_fR", "behind the layer, in units of the variance of a token", (0, 1))
LAWS = {"bits": {0: 1, 1: 1}, "rare": {0: 3, 1: 1}, "ternary": {-1: 1, 0: 1, 1: 1}, "levels": {0: 1, 1: 2, 2: 3, 4: 2},
        "signs": {-1: 1, 1: 1}}  # values and their probabilities, up to a factor


@dataclass(frozen=True, eq=False)
class Prompts:
    """All prompts of a law with their weights, the inputs and a first layer."""

    law: dict[int, int]
    X: Any = field(repr=False)
    W: Any = field(repr=False)

    def all(self):
        """Every prompt with its weight."""
        size = self.X.shape[1]
        return [(x, int(np.prod([self.law[v] for v in x]))) for x in product(self.law, repeat=size)]

    def classes(self, W):
        """The prompts that a layer does not tell apart, with their weights."""
        found = {}
        for x, weight in self.all():
            found.setdefault(tuple(W @ np.array(x)), []).append((x, weight))
        return list(found.values())

    def entropy(self, W):
        """The entropy of what a layer shows, in bits."""
        return bits([sum(weight for _, weight in each) for each in self.classes(W)])

    def risk(self):
        """The mean over tokens of E Var(x_t | W x), over Var x_t."""
        mass, square, explained = 0, 0, Fraction(0)
        for each in self.classes(self.W):
            weights = np.array([weight for _, weight in each], dtype=object)
            rows = np.array([x for x, _ in each], dtype=object)
            mass, square = mass + weights.sum(), square + (weights @ rows**2).sum()
            explained += Fraction(int(((weights @ rows) ** 2).sum()), int(weights.sum()))
        return (square - explained) / (mass * self.X.shape[1] * variance(self.law))


def bits(weights):
    """The entropy of a law with such weights."""
    whole = sum(weights)
    logs = total(k * Enclosure(k).log() for k in weights if k > 1)
    return (Enclosure(whole).log() - logs / whole) / Enclosure(2).log()


def variance(law):
    whole = sum(law.values())
    first, second = (Fraction(sum(k * v**r for v, k in law.items()), whole) for r in (1, 2))
    return second - first**2


def construct(p, digits=False) -> Prompts:
    law = LAWS[p.law]
    rng, values = p.rng("prompts"), [v for v, k in law.items() for _ in range(k)]
    X = rng.choice(values, (p.n, p.N))
    for i in range(p.n):
        while not X[i].any():  # a row of zeros shows nothing
            X[i] = rng.choice(values, p.N)
    return Prompts(law, X, np.vstack([X, 5 ** np.arange(p.N)]) if digits else X)


def widest_row(tokens):
    return int(np.argmax((tokens.X**2).sum(axis=1)))


def measure(tokens, p):
    own = widest_row(tokens)
    return {unknown: enclosed(lambda: p.N * bits(list(tokens.law.values())) - tokens.entropy(tokens.W)),
            widest: enclosed(lambda: tokens.entropy(tokens.X[own : own + 1])), risk: tokens.risk()}


def derive(tokens, p):
    rows = [tokens.X[i : i + 1] for i in range(p.n)]
    return {label_bits: lambda: bits(list(tokens.law.values())),
            row_sum: lambda: total(tokens.entropy(row) for row in rows),
            row_variance: int((tokens.X**2).sum(axis=1).max()) * variance(tokens.law)}


most = widest <= log(2 * pi * E * (row_variance + Rational(1, 12))) / log(4)
tiny = Rational(1, 10**12)  # one row attains it, and two balls around one number do not tell which is larger
left = unknown >= N * label_bits - row_sum - tiny
claim = Claim(
    "Sign tokens, tokens of any discrete law",
    role="variant", source="derived here: Theorem 6",
    scope={"every law, N, n": "proof", "every data set": "proof", "every network in the span": "proof"},
    asserts=[left, most, risk > 0], requires=[row_sum < N * label_bits],
    grid=points("law N n", ("bits", 4, 1), ("bits", 8, 2), ("rare", 6, 2), ("ternary", 5, 2), ("levels", 4, 2),
                ("levels", 5, 2), ("signs", 8, 2)),
    construct=construct, measure=measure, derive=derive, derived=[label_bits, row_sum, row_variance],
    anchors=[Anchor("the sum of two signs", Prompts(LAWS["signs"], np.array([[1, 1]]), np.array([[1, 1]])),
                    {unknown: Rational(1, 2), widest: Rational(3, 2), risk: Rational(1, 2)},
                    at={"law": "signs", "N": 2, "n": 1}, source="by hand: its values are -2, 0, 0, 2")],
    controls=[
        Control("a row off the span whose digits hold the prompt", breaks=[unknown, risk], asserts=[left, risk > 0],
                construct=lambda p: construct(p, digits=True)),
        Control("a row that is not counted", breaks=unknown, where=n <= 1,
                asserts=[unknown >= N * label_bits - tiny]),
        Control("a twelfth of the variance", breaks=widest, where=N >= 5, asserts=[
            widest <= log(2 * pi * E * (row_variance / 12 + Rational(1, 144))) / log(4)]),
    ],
)
