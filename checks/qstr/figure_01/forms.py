r"""Which form the growth of the samples has, and how the exponent moves along the window.

Finding    In Figure 1a a logarithm $a+b\log N$ describes the Transformer's prompts better than a power of $N$; the
           feedforward network's grow faster than any one power over the same lengths.
Setting    As in figure_01, on $N=4,\dots,12$.
Statement  The Transformer's numbers are better described by $a+b\log N$ than by $aN^k$, the feedforward network's the
           other way round, but no power holds along the window: its exponent between neighbouring lengths rises.
Witness    Five trained networks for each architecture and length.
Measured   Akaike's criterion of each form less that of the other, for each run: jackknife over the repeats, 95 %
           t-intervals of its pseudo-values; the difference of the last and the first local exponent, from end to end of
           their intervals.
Control    The forms exchanged; the Transformer in place of the feedforward network.
Reads      Which form is better, and that the local exponent rises, is read off the record. A description of these data
           on this window, no law beyond it. The likelihood that knows each run's resolution gives exponents within 1/20
           of least squares. References ---------- Tukey (1958), Annals of Mathematical Statistics 29, 614, for the
           jackknife.
"""

from dataclasses import replace

from theorytools import Claim, Control, Quantity, grid, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.growth_forms import compare_forms
from theorytools.statistics.slopes import local_slopes
from theorytools.statistics.t_intervals import repeat_mean

from .figure_01 import construct

excess = Quantity("excess", r"\Delta\mathrm{AIC}/r", "criterion of the other form less that of the first, per run")
rise = Quantity("rise", r"b_{\mathrm{last}}-b_{\mathrm{first}}", "of the exponent between neighbouring lengths")


def jackknife(statistic, *data):
    """Return the mean of the pseudo-values of ``statistic(*data)``, one for each repeat left out at every length."""
    count = len(data[0].low[0])

    def without(rows, k):
        low, high = (tuple(row[:k] + row[k + 1 :] for row in ends) for ends in (rows.low, rows.high))
        return replace(rows, low=low, high=high)

    whole, parts = statistic(*data), (statistic(*[without(rows, k) for rows in data]) for k in range(count))
    return repeat_mean([count * whole - (count - 1) * part for part in parts])


def criterion(record, p, better, other):
    def gap(rows):
        found = {fit.form: fit.excess for fit in compare_forms(rows)}
        return (found[other] - found[better]) / sum(len(row) for row in rows.low)

    return {excess: jackknife(gap, record.repeats(p.architecture))}


def local(record, arm):
    first, *_, last = local_slopes(record.repeats(arm))
    return {rise: fitted(last.low - first.high, last.high - first.low, level=0.9)}


claim = Claim(
    "Figure 1a, forms",
    role="variant", source="derived here: Figure 1a",
    scope={"every protocol, architecture, better, other": "points", "every N": "points", "every repeat": "recorded"},
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
    role="variant", source="derived here: Figure 1a",
    scope={"every protocol": "points", "every N": "points", "every repeat": "recorded"},
    asserts=[rise >= 0], construct=construct,
    measure=lambda record, p: local(record, "ffn"), grid=grid(protocol=["corrected"]),
    controls=[Control("the Transformer", breaks=rise, measure=lambda record, p: local(record, "transformer"))],
)
