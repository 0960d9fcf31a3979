r"""The public experiments first look at the risk after more prompts than Theorem 6 speaks of.

Setting    Released protocol, as documented: fresh batches of 64 prompts, the risk evaluated every 10 steps (general
           1STR, $N\le12$) or every 100 steps (simple, $N\le33$), $d=10$.
Statement  The first evaluation, after $n=640$ or $6400$ prompts, has $n>Nd$: the inputs span everything, Theorem 6
           leaves nothing unknown, and these runs cannot test it.
Measured   The number of prompts, counted along the schedule; the Bayes loss of the span of Gaussian prompts in steps of
           $1/64$, averaged over links, by their exact rank; of more than $Nd$ prompts the first $Nd$ are used, as the
           loss only falls.
Control    An evaluation at $n=\lfloor Nd/8\rfloor$, where $\frac78$ or more is unknown; one at $n=Nd-1$, where
           $\frac1{Nd}$ is; the first batch.
Reads      A fact about the schedule of the released script, not about the published figures.
"""

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.first_layers.certified_span import CertifiedSpan

from ..notation import N, d, n

BATCH = 64

first = Quantity("first evaluation", "n_1", "training prompts seen", (0, None))
average = Quantity("average loss", r"1-\operatorname{rank}X/(Nd)", "Bayes loss of the span, over links", (0, 1))


def counted(p):
    """Prompts that training has seen when the risk is first evaluated."""
    step = prompts = 0
    while not step or step % p.every:
        step, prompts = step + 1, prompts + BATCH
    return prompts


def construct(p, fewer=0) -> CertifiedSpan:
    count = min(counted(p), p.N * p.d - fewer)
    return CertifiedSpan.of(np.rint(64 * p.rng("prompts").standard_normal((count, p.N, p.d))).astype(int))


def measure(span, p):
    return {first: counted(p), average: span.average}


def early(span, p, count=None):
    count = count or p.N * p.d // 8
    return {first: count, average: CertifiedSpan.of(span.basis[:count].reshape(count, p.N, p.d)).average}


claim = Claim(
    "The released schedule, outside of Theorem 6",
    role="variant", source="derived here: Theorem 6 and the public code",
    scope={"every task, d, every, n": "points", "every N of the schedule": "enumeration", "every data set": "drawn"},
    asserts=[first >= N * d + 1, first.equals(n), average.equals(0)], requires=[N * d <= 330],
    listed=["every", n],
    grid=points("task N d every n", ("general", 2, 10, 10, 640), ("general", 12, 10, 10, 640),
                ("simple", 25, 10, 100, 6400), ("simple", 33, 10, 100, 6400)),
    construct=construct, measure=measure,
    controls=[
        Control("an evaluation at Nd/8", breaks=[first, average], measure=early),
        Control("an evaluation at Nd - 1", breaks=[first, average],
                measure=lambda span, p: early(span, p, p.N * p.d - 1)),
        Control("the first batch", breaks=first, where=N * d >= 64, asserts=[first >= N * d + 1, first.equals(n)],
                measure=lambda span, p: {first: BATCH}),
    ],
)
