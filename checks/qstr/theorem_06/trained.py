r"""Networks trained by descent with decay on a fixed training set stay above the span bound; AdamW is outside of it.

Setting    Simple 1STR, $n=\frac18Nd,\dots,8Nd$ Gaussian prompts; a two-layer ReLU network of 64 units on $x$ and a
           one-hot $t$, squared loss with decay, 2560 full-batch steps in doubles. Predictions are clipped to $[-2,2]$.
Statement  If $L_f\|W_\perp\|_F\le\frac1{1000}$: $\sqrt R\ge\sqrt{D(u)}-L_f\|W_\perp\|_F$ for $n<Nd$, where $D(u)$ is
           $1-\frac n{Nd}$ on average over links. Descent fulfils this, shuffled labels or not; AdamW does not, and its
           points do not apply.
Adversary  Trained networks: 5 repeats at $Nd=24$, 3 at $Nd=48$.
Measured   $R$ on 200 000 fresh prompts, confidence limits at level $10^{-10}$; $D(u)$, $L_f$, $\|W_\perp\|_F$ in balls.
Control    The training loss in place of the risk; the risk after $8Nd$ prompts; $1-\frac nN$; half of $n$.
Reads      Statistic and rule are the sweep's. The bound is for any head, and trained ones are far above it.
           Stationarity is not asked for: the distance from the span is.
"""

from fractions import Fraction

from sympy import Eq, Max, Rational, sqrt

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.claims.language.estimate import exactly
from theorytools.numbers import between
from theorytools.statistics.sampled import recorded_interval
from theorytools.training.record import SweepRecord, recorded

from ..notation import N, bayes, d, lip, n, off

risk = Quantity("risk", "R", "of the clipped network on fresh prompts", (0, None))
average = Quantity("average loss", r"1-\operatorname{rank}X/(Nd)", "Bayes loss of the span, over links", (0, 1))
ARMS = {"descent": "descent", "adamw": "adamw", "shuffled": "shuffled labels", "untrained": "untrained"}


def construct(p) -> SweepRecord:
    return read()


def read():
    return recorded(__file__, "span")


def result(record, p, arm=None, n=None):
    (trial,) = record.of(ARMS[arm or p.arm], N=p.N, d=p.d, n=n or p.n, repeat=p.repeat)
    return trial.result


def measure(record, p, **other):
    one, rank = result(record, p, **other), result(record, p)["rank"]
    limits = recorded_interval(one["low"], one["high"], alpha=one["alpha"], samples=one["tests"])
    return {risk: limits, average: exactly(1 - Fraction(rank, p.N * p.d))}


def fitting(record, p):
    train = result(record, p)["train"]  # a mean of floats: 10^-9 is far above its rounding
    ends = [Fraction(train) * (1 + Fraction(sign, 10**9)) for sign in (-1, 1)]
    return {**measure(record, p), risk: enclosed(lambda: between(*ends))}


def derive(record, p):
    one, names = result(record, p), {bayes: "bayes", lip: "lipschitz", off: "off"}
    return {letter: lambda name=name: between(*map(Fraction, one[name])) for letter, name in names.items()}


bound = risk >= Max(0, sqrt(bayes) - lip * off) ** 2
sets = [(*size, size[0] * size[1] // k, repeat) for size, repeats in (((3, 8), 5), ((4, 12), 3))
        for k in (8, 4, 2) for repeat in range(repeats)]
claim = Claim(
    "Theorem 6, on networks trained by descent",
    role="found", source="derived here: Theorem 6",
    scope={"every arm, N, d, n, repeat": "points", "every trained network": "recorded", "every prompt": "recorded"},
    asserts=[bound, average.equals(1 - n / (N * d))],
    requires=[n < N * d, lip * off <= Rational(1, 1000)], derive=derive, derived=[bayes, lip, off],
    grid=points("arm N d n repeat", *[(arm, *one) for arm in ("descent", "shuffled", "adamw") for one in sets]),
    construct=construct, measure=measure, controls=[
        Control("the training loss", breaks=risk, measure=fitting),
        Control("the risk of descent after 8Nd prompts", breaks=risk, where=Eq(N, 3) & (n <= N * d / 4),
                measure=lambda record, p: measure(record, p, arm="descent", n=8 * p.N * p.d)),
        Control("1 - n/N", breaks=average, asserts=[bound, average.equals(1 - n / N)]),
        Control("half of n", breaks=average, asserts=[bound, average.equals(1 - n / (2 * N * d))]),
    ],
)
