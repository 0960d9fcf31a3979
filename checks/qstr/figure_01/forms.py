r"""Which form the growth of the samples has, and how the exponent moves along the window.

Setting    As in figure_01, on $N=4,\dots,12$.
Statement  The Transformer's numbers are better described by $a+b\log N$ than by $aN^k$, the feedforward network's the
           other way round, but no power holds along the window: its exponent between neighbouring lengths rises.
           Least squares and the likelihood that knows each run's resolution agree on the exponents.
Witness    Five trained networks for each architecture and length.
Measured   Akaike's criterion of each form less that of the other; the difference of the last and the first local
           exponent, with its interval; the difference of the two fits' exponents.
Control    The forms exchanged; the Transformer in place of the feedforward network; another architecture's fit.
Reads      That the forms and the local exponents would be shown was fixed before the sweep ran; which form is better,
           and that the local exponent rises, was found after it. A description of these data on this window, no test
           and no law beyond it. The tolerance 1/20 is below every interval's half-width.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, grid, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.growth_forms import compare_forms
from theorytools.statistics.slopes import likelihood_slope, local_slopes, mean_slope

from .figure_01 import construct

excess = Quantity("excess", r"\Delta\mathrm{AIC}", "Akaike's criterion of the other form less that of the first")
rise = Quantity("rise", r"b_{\mathrm{last}}-b_{\mathrm{first}}", "of the exponent between neighbouring lengths")
apart = Quantity("difference", r"b_{\mathrm{ML}}-b_{\mathrm{LS}}", "of the exponents by the two fits")


def criterion(record, p, better, other):
    found = {fit.form: fit.excess for fit in compare_forms(record.repeats(p.architecture))}
    return {excess: fitted(*[found[other] - found[better]] * 2)}


def local(record, arm):
    first, *_, last = local_slopes(record.repeats(arm))
    return {rise: fitted(last.low - first.high, last.high - first.low, level=0.9)}


def fits(record, p, other=""):
    likely, least = (fit(record.repeats(arm)) for fit, arm in
                     ((likelihood_slope, other or p.architecture), (mean_slope, p.architecture)))
    return {apart: fitted(*[likely.slope - least.slope] * 2)}


claim = Claim(
    "Figure 1a, forms",
    role="variant", source="derived here: Figure 1a", scope={"every N": "points", "every repeat": "drawn"},
    asserts=[excess >= 0], construct=construct,
    measure=lambda record, p: criterion(record, p, p.better, p.other),
    grid=points("protocol architecture better other", ("corrected", "transformer", "logarithm", "power"),
                ("corrected", "ffn", "power", "logarithm")),
    listed=["protocol", "architecture", "better", "other"],
    controls=[Control("forms exchanged", breaks=excess,
                      measure=lambda record, p: criterion(record, p, p.other, p.better))],
)
along = Claim(
    "Figure 1a, local exponents",
    role="variant", source="derived here: Figure 1a", scope={"every N": "points", "every repeat": "drawn"},
    asserts=[rise >= 0], construct=construct,
    measure=lambda record, p: local(record, "ffn"), grid=grid(protocol=["corrected"]),
    controls=[Control("the Transformer", breaks=rise, measure=lambda record, p: local(record, "transformer"))],
)
resolved = Claim(
    "Figure 1a, two fits",
    role="variant", source="derived here: Figure 1a", scope={"every N": "points", "every repeat": "drawn"},
    asserts=[apart.equals(0, within=Rational(1, 20))],
    construct=construct, measure=fits, grid=grid(protocol=["corrected"], architecture=["transformer", "ffn", "gru"]),
    controls=[Control("another architecture's runs", breaks=apart, measure=lambda record, p: fits(
        record, p, {"transformer": "ffn", "ffn": "gru", "gru": "transformer"}[p.architecture]))],
)
