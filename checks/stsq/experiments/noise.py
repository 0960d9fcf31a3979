r"""Experiment B: what SGD learns in $W_{22}$ beside $\beta$ is batch noise, unless one draw of encodings is frozen.

Setting    The layers of experiments; beside them batches of 64, and frozen: one Gaussian draw, $d_e=T$, for all
           prompts. $\rho$ is the part of $W_{22}$ outside the predicted direction, in Frobenius norm.
Statement  With Gaussian encodings redrawn $\rho$ falls by a factor in $[1.7,2.3]$ from batch 64 to 256, as $B^{-1/2}$;
           with frozen ones by less than 1.3, and it stays above $\frac3{10}$.
Witness    Five trained layers of each kind, at $t=100$ and 400.
Measured   Ratios of geometric means, and geometric means, with 95 % t-intervals.
Control    Frozen encodings for fresh ones and the reverse.
Reads      Rule and tolerances are the sweep's. Frozen encodings have no reduction and are only measured.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import geometric_mean, ratio_interval

from .experiments import ARMS, construct, values

fresh = Quantity("factor, fresh", r"\rho_{64}/\rho_{256}",
                 "rest of the position block, batch 64 over batch 256, Gaussian encodings redrawn", (0, None))
frozen = Quantity("factor, frozen", r"\rho'_{64}/\rho'_{256}", "the same with one draw of encodings", (0, None))
rest = Quantity("rest, frozen", r"\rho'_{256}", "of the position block outside the predicted direction, relative",
                (0, 1))


def rests(record, p, arm):
    return [values(record, ARMS[arm] + batch, p.mark, "off_W") for batch in (", batch 64", "")]


def noise(record, p, redrawn="gauss", once="frozen"):
    factors = [fitted(*ratio_interval(*rests(record, p, arm)), level=0.95) for arm in (redrawn, once)]
    return {fresh: factors[0], frozen: factors[1], rest: geometric_mean(rests(record, p, once)[1])}


claim = Claim(
    "Experiment B, batch noise",
    role="found", source="derived here: experiments",
    scope={"every mark": "points", "every repeat": "recorded"},
    asserts=[fresh >= Rational(17, 10), fresh <= Rational(23, 10), frozen <= Rational(13, 10),
             rest >= Rational(3, 10)],
    construct=construct, measure=noise, grid=points("mark", (200,), (800,)), controls=[
        Control("frozen encodings for fresh", breaks=fresh >= Rational(17, 10),
                measure=lambda record, p: noise(record, p, redrawn="frozen")),
        Control("fresh encodings for frozen", breaks=[frozen, rest],
                measure=lambda record, p: noise(record, p, once="gauss")),
    ],
)
