r"""The bound for fully-connected networks is attained: a linear layer and linear read-outs lose just $R_m$.

Setting    As in fcn, with $q<T$.
Statement  The network whose $m$ neurons are the coordinates of $\sum_ix_i$ first, contrasts of tokens next, and which
           outputs $E[s\mid W_1\operatorname{vec}X,y]$, has $E\|f-s\|^2=R_m$.
Witness    OptimalLinearBottleneck, exact, in doubles and as a module.
Measured   The loss from its exact coefficients, a mean over all subsets; again by running it in doubles: with one fresh
           prompt for each subset and coordinate the sum of the residuals is exactly Gaussian, its variance the loss.
Control    A read-out longer by one half, or of the wrong sign; contrasts before the sum; half of the width.
Reads      Derived here. The tolerance of the sampled claim, a fifth of the risk, goes with its budget of draws.
"""

from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import Budget
from theorytools.papers.stsq.feedforward.bottleneck import LinearBottleneck, OptimalLinearBottleneck, eigenvector_rows
from theorytools.statistics.sampled import gaussian_variance
from theorytools.theory.first_layers.bottleneck import compressor_risk

from ..notation import T, d, m, q

risk = Quantity("loss", r"E\|f-s\|^2", "of the network, from its coefficients", (0, None))
observed = Quantity("loss of the running network", r"\hat L", "variance of its residual", (0, None))
R = compressor_risk(m, T, d, q)


def construct(p, scale=1) -> OptimalLinearBottleneck:
    return OptimalLinearBottleneck.of(p.m, p.T, p.d, p.q, scale=scale)


def run(net, p):
    return {observed: gaussian_variance(net.residual, p.seed("fresh prompts"), off=net.residual_rounding())}


scaled = Control("a read-out longer by one half", breaks=risk, construct=lambda p: construct(p, Fraction(3, 2)))
contrasts = Control("contrasts before the sum", breaks=risk, where=(q >= 2) & (m <= (T - 1) * d),
                    construct=lambda p: LinearBottleneck(eigenvector_rows(p.T, p.d)[p.d : p.d + p.m], p.T, p.d, p.q))
claim = Claim(
    "Fully-connected networks, attained",
    role="sharpness", source="derived here: fully-connected networks",
    scope={"every T, d, q, m": "points", "some network": "exhibited", "every prompt": "closed form"},
    asserts=risk.equals(R), requires=[T >= 2, q < T],
    grid=points("T d q m", (4, 2, 2, 1), (4, 2, 2, 3), (5, 1, 3, 4), (5, 1, 3, 5), (5, 2, 2, 5), (3, 3, 1, 4),
                (8, 2, 2, 2), (8, 2, 2, 8), (8, 2, 2, 12), (8, 2, 2, 16), (8, 2, 2, 32), (256, 1, 1, 64)),
    construct=construct, measure=lambda net, p: {risk: net.risk()},
    controls=[scaled, contrasts,
              Control("half of the width", breaks=risk, where=m <= T * d,
                      construct=lambda p: OptimalLinearBottleneck.of(p.m // 2, p.T, p.d, p.q))],
)
running = replace(
    claim, label="Fully-connected networks, the running network within a fifth",
    role="variant", source="derived here: fully-connected networks",
    scope={"every T, d, q, m": "points", "some network": "exhibited", "every prompt": "drawn"},
    measure=run,
    requires=[T >= 2, q < T, m < T * d],  # beyond it the loss is 0, and a residual in doubles is rounding
    asserts=observed.equals(R, within=R / 5), budget=Budget(samples=2**13),
    grid=points("T d q m", (4, 1, 2, 1), (4, 1, 2, 2), (3, 2, 2, 2)),
    controls=[replace(contrasts, breaks=observed),
              Control("a read-out of the wrong sign", breaks=observed, construct=lambda p: construct(p, -1))],
)
