r"""The public experiments first look at the risk after more prompts than Theorem 6 speaks of.

Setting    Released protocol, as documented: fresh batches of 64 prompts, the risk evaluated every 10 steps (general
           1STR, $N\le12$) or every 100 steps (simple, $N\le33$), $d=10$.
Statement  The first evaluation, after $n=640$ or $6400$ prompts, has $n>Nd$: the inputs span everything, Theorem 6
           leaves nothing unknown, and these runs cannot test it.
Measured   The number of prompts; the Bayes loss of the span of Gaussian prompts in steps of $1/64$, averaged over
           links, by their exact rank; of more than $Nd$ prompts the first $Nd$ are used, as the loss only falls.
Control    An evaluation at $n=\lfloor Nd/8\rfloor$, where $\frac78$ or more is unknown.
Reads      A fact about the schedule of the released script, not about the published figures.
"""

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.first_layers.certified_span import CertifiedSpan

from ..notation import N, d

EVERY, BATCH = {"general": 10, "simple": 100}, 64

first = Quantity("first evaluation", "n_1", "training prompts seen", (0, None))
average = Quantity("average loss", r"1-\operatorname{rank}X/(Nd)", "Bayes loss of the span, over links", (0, 1))


def construct(p) -> CertifiedSpan:
    count = min(EVERY[p.task] * BATCH, p.N * p.d)
    return CertifiedSpan.of(np.rint(64 * p.rng("prompts").standard_normal((count, p.N, p.d))).astype(int))


def measure(span, p):
    return {first: EVERY[p.task] * BATCH, average: span.average}


def early(span, p):
    count = p.N * p.d // 8
    return {first: count, average: CertifiedSpan.of(span.basis[:count].reshape(count, p.N, p.d)).average}


claim = Claim(
    "The released schedule, outside of Theorem 6",
    role="variant", source="derived here: Theorem 6 and the public code",
    scope={"every N of the schedule": "enumeration", "every data set": "drawn"},
    asserts=[first >= N * d + 1, average.equals(0)], requires=[N * d <= 330],
    grid=points("task N d", ("general", 2, 10), ("general", 12, 10), ("simple", 25, 10), ("simple", 33, 10)),
    construct=construct, measure=measure,
    controls=[
        Control("an evaluation at Nd/8", breaks=[first, average], measure=early),
    ],
)
