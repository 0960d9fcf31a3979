"""The sweep of figure 3 at thresholds that ask for retrieval: half of what the mean over all tokens leaves."""

from __future__ import annotations

from fractions import Fraction

from theorytools.papers.qstr.training.experiment import cell
from theorytools.training.sweep import ANY, Groups, Sweep

from ._samples import FIT, TRAINED

RULE = FIT.format(size="q") + (
    "The threshold is half of 1 - q/N, the least risk of a predictor that does not see the indices; the Transformer "
    "has q heads. Predicted before any of these runs: the exponent of n in q lies between 0 and 2 for the Transformer, "
    "and above 0 for the feedforward network. Where a repeat is censored at a size, that size is not in the fit; with "
    "fewer than three sizes the row is undecided."
)


def cells(profile: str, protocol: str) -> Groups:
    fixed = {"protocol": protocol, "N": 7, "link": "he2", "lr": Fraction(1, 1000)}
    arms = {"smoke": (), "published": ("transformer", "ffn"), "wide": ("transformer", "ffn", "gru")}[profile]
    if profile == "smoke":
        return [cell(2, architecture="transformer", q=1, threshold=Fraction(22, 25), **fixed)]
    return [
        cell(3, architecture=a, q=q, heads=q if a == "transformer" else 1, width=500 * q if a == "gru" else 0,
             threshold=Fraction(7 - q, 14), cap=500_000, **fixed)
        for a in arms for q in (1, 2, 3, 4)
    ]  # fmt: skip


sweep = Sweep(
    title="Samples to half of the risk without indices, link he2, N = 7, q = 1 to 4",
    question="Where the threshold asks for retrieval, how does the number of samples change with q?",
    rule=RULE, cells=cells, **TRAINED, size="q", noise=0.3, devices=ANY,
)  # fmt: skip
