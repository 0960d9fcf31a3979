r"""Where one token stops being enough for labels with decaying weights.

Setting    Labels with decaying weights as in question_c; $F_1$ is the least error of a predictor that sees one token.
Statement  At $N=12$, $F_1$ crosses 0.7, the threshold of Figure 1, at a power $a$ with $|a-0.46526|\le5\cdot10^{-6}$
           and at a length with $|\xi-5.7095|\le5\cdot10^{-5}$; at $N=2$ it crosses 0.2 at $a=1$.
Witness    The rates at both ends of these windows.
Measured   At the two ends the least error over every choice of one token, listed; $F_1$ is strictly monotone in the
           rate, so between them lies the one crossing. The crossing by bisection on the tail's formula.
Control    The threshold 0.6; one position more.
Reads      Derived here. $F_1$ bounds no head: the row $\operatorname{softmax}(\log c)$ scaled by $\sum_kc_k$ is $c$, so
           one row of attention with a scale errs by 0 on every such label.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import minimum
from theorytools.papers.qstr.tasks.decaying_weights import DecayingWeights, breakdown_rate

from ..notation import decay_rate, digit, risk_0
from .question_c import errors

crossing = Quantity("crossing", r"\lambda_c^*", "the rate at which one token errs as allowed", (0, None))
before = Quantity("error before", "E_-", "least error of one token at the end of the window where it is larger", (0, 1))
after = Quantity("error after", "E_+", "least error of one token at the end of the window where it is smaller", (0, 1))


def crossed(n, p, risk=None):
    width = Fraction(p.digit) if p.decay == "power" else -Fraction(p.digit)

    def least(shift):
        return lambda: minimum(errors(DecayingWeights(n, p.decay, Fraction(p.decay_rate) + shift), 1))

    def found():
        return breakdown_rate(n, p.decay, risk or p.risk_0)
    return {crossing: found, before: least(-width), after: least(width)}


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
