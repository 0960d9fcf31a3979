"""The sweep of figure 3: prompts against the number of relevant tokens."""

from __future__ import annotations

from fractions import Fraction

from theorytools.papers.qstr.training.experiment import cell
from theorytools.training.sweep import ANY, Groups, Sweep

from ._samples import FIT, TRAINED

RULE = FIT.format(size="q") + (
    "Decided: whether n grows or falls with q, if the interval excludes 0. The averaging predictor has the risk "
    "1 - q/N, at N = 7 below the threshold 0.88 for every q: reaching it shows no retrieval."
)


def cells(profile: str, protocol: str) -> Groups:
    fixed = {"protocol": protocol, "N": 7, "link": "he2", "threshold": Fraction(22, 25), "lr": Fraction(1, 10**4)}
    if profile == "smoke":
        return [cell(2, architecture="transformer", q=1, **{**fixed, "lr": Fraction(1, 1000)})]
    arms = ("transformer", "ffn", "gru") if profile == "wide" else ("transformer", "ffn")
    return [
        cell(3, architecture=a, q=q, width=500 * q if a == "gru" else 0, **fixed) for a in arms for q in (1, 2, 3, 4)
    ]


sweep = Sweep(
    title="Samples to a test loss of 0.88, link he2, N = 7, q = 1 to 4",
    question="How does the number of samples change with the number q of relevant tokens?",
    rule=RULE, cells=cells, **TRAINED, size="q", noise=0.3, devices=ANY,
)  # fmt: skip
