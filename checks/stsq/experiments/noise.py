r"""Experiment B: what SGD learns in $W_{22}$ beside $\beta$ is batch noise, unless one draw of encodings is frozen.

Setting    The layers of experiments; beside them batches of 64, and frozen: one Gaussian draw, $d_e=T$, for all
           prompts. $\rho$ is the part of $W_{22}$ outside the predicted direction, in Frobenius norm.
Statement  With Gaussian encodings redrawn $\rho$ falls by a factor in $[1.7,2.3]$ from batch 64 to 256, as $B^{-1/2}$;
           with frozen ones by less than 1.3, and it stays above $\frac3{10}$.
Witness    Five trained layers of each kind, at $t=100$ and 400.
Measured   Ratios of geometric means, and geometric means, with 95 % t-intervals.
Control    Frozen encodings for fresh ones and the reverse.
Reads      Rule and tolerances were fixed before the sweep ran, after single runs of other repeats. Frozen encodings
           have no reduction and are only measured.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import geometric_mean, ratio_interval

from .experiments import ARMS, construct, values

factor = Quantity("factor", r"\rho_{64}/\rho_{256}", "rest of the position block, batch 64 over batch 256", (0, None))
rest = Quantity("rest", r"\rho", "of the position block outside the predicted direction, relative", (0, 1))


def noise(record, p, arm=""):
    small, large = (values(record, ARMS[arm or p.arm] + batch, p.mark, "off_W") for batch in (", batch 64", ""))
    return {factor: fitted(*ratio_interval(small, large), level=0.95), rest: geometric_mean(large)}


claim = Claim(
    "Experiment B, batch noise",
    role="found", source="derived here: experiments",
    scope={"every arm, mark": "points", "every repeat": "recorded"},
    asserts=[factor >= Rational(17, 10), factor <= Rational(23, 10)],
    construct=construct, measure=noise, grid=points("arm mark", ("gauss", 200), ("gauss", 800)),
    controls=[Control("frozen encodings", breaks=factor >= Rational(17, 10),
                      measure=lambda record, p: noise(record, p, "frozen"))],
)
frozen = Claim(
    "Experiment B, frozen encodings",
    role="found", source="derived here: experiments",
    scope={"every arm, mark": "points", "every repeat": "recorded"},
    asserts=[factor <= Rational(13, 10), rest >= Rational(3, 10)],
    construct=construct, measure=noise, grid=points("arm mark", ("frozen", 200), ("frozen", 800)),
    controls=[Control("fresh encodings", breaks=[factor, rest], measure=lambda record, p: noise(record, p, "gauss"))],
)
