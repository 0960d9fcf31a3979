r"""Where one token stops being enough for labels with decaying weights; one row of attention always is.

Setting    Labels with decaying weights as in question_c; $F_1$ is the least error of a predictor that sees one token.
Statement  At $N=12$, $F_1$ crosses 0.7, the threshold of Figure 1, at a power $a$ with $|a-0.46526|\le5\cdot10^{-6}$
           and at a length with $|\xi-5.7095|\le5\cdot10^{-5}$; at $N=2$ it crosses 0.2 at $a=1$. One row of attention
           with a scale errs by 0 on every such label: $F_1$ bounds no head.
Witness    The rates at both ends of these windows, and the row $\operatorname{softmax}(\log c)$ scaled by $\sum_kc_k$.
Measured   At the two ends the least error over every choice of one token, listed; $F_1$ is strictly monotone in the
           rate, so between them lies the one crossing. The crossing by bisection on the tail's formula. The squared
           distance of the scaled row from $c$.
Control    The threshold 0.6; one position more; a row without its scale, and one with equal weights; a scale that is
           just off.
Reads      Derived here.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Enclosure, Quantity, points
from theorytools.numbers import minimum, total
from theorytools.tasks.decaying_weights import DecayingWeights, breakdown_rate

from ..notation import decay_rate, digit, risk_0
from .question_c import construct, errors, precisely

crossing = Quantity("crossing", r"\lambda_c^*", "the rate at which one token errs as allowed", (0, None))
before = Quantity("error before", "E_-", "least error of one token at the end of the window where it is larger", (0, 1))
after = Quantity("error after", "E_+", "least error of one token at the end of the window where it is smaller", (0, 1))
row = Quantity("error of one row", r"\|s\pi-c\|^2", "one head, attention proportional to c, scaled", (0, None))


def crossed(n, p, risk=None):
    width = Fraction(p.digit) if p.decay == "power" else -Fraction(p.digit)

    def least(shift):
        return lambda: minimum(errors(DecayingWeights(n, p.decay, Fraction(p.decay_rate) + shift), 1))

    def found():
        return breakdown_rate(n, p.decay, risk or p.risk_0)
    return {crossing: found, before: least(-width), after: least(width)}


def softmax_row(weights, p, scaled=True, times=1):
    def error():
        c = [square.sqrt() for square in weights.squares()]
        odds = [x.log().exp() for x in c]  # the scores are log c
        scale = total(c) * times if scaled else Enclosure(1)
        return total((o / total(odds) * scale - x) ** 2 for o, x in zip(odds, c, strict=True))
    return {row: error}


claim = Claim(
    "Question (c), breakdown of one token",
    role="variant", source="derived here: question (c)",
    scope={"every decay, N, risk_0, decay_rate, digit": "points", "every choice of offsets": "enumeration"},
    asserts=[before >= risk_0, after <= risk_0, crossing.equals(decay_rate, within=digit)], tabulated=[decay_rate],
    grid=points("decay N risk_0 decay_rate digit", ("power", 2, "1/5", 1, "1e-9"),
                ("power", 12, "7/10", "0.46526", "5e-6"), ("exponential", 12, "7/10", "5.7095", "5e-5")),
    construct=lambda p: p.N, measure=crossed, controls=[
        Control("the threshold 0.6", breaks=[crossing, before], where=risk_0 >= Rational(7, 10),
                asserts=[before <= Rational(3, 5), crossing.equals(decay_rate, within=digit)],
                measure=lambda n, p: crossed(n, p, Rational(3, 5))),
        Control("one position more", breaks=[crossing, after], construct=lambda p: p.N + 1),
    ],
)
head = Claim(
    "Question (c), one row of attention",
    role="variant", source="derived here: question (c)",
    scope={"every decay, N, decay_rate": "points", "some network": "exhibited", "every prompt": "closed form"},
    asserts=row.equals(0, within=precisely), construct=construct,
    measure=softmax_row,
    grid=points("decay N decay_rate", ("power", 12, "1/4"), ("power", 12, 4), ("exponential", 12, 8)), controls=[
        Control("a scale off by 12/10 of the root of what is allowed", breaks=row,
                measure=lambda weights, p: softmax_row(weights, p, times=1 + Enclosure(precisely).sqrt() * 6 / 5)),
        Control("scale 1", breaks=row, measure=lambda weights, p: softmax_row(weights, p, scaled=False)),
        Control("equal weights", breaks=row, measure=lambda weights, p: {row: weights.without_index}),
    ],
)
