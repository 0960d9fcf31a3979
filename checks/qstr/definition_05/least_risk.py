r"""The two-layer ReLU network of least norm reads only the span of its prompts, and has at least the risk that leaves.

Setting    As in definition_05_least: the computed network of least norm within the training error, Gaussian tokens,
           one index per prompt, $y=\langle u,x_t\rangle$.
Statement  The prompt parts of the neurons lie in the span of the $n$ training prompts, so the risk is at least $D(u)$,
           the Bayes loss of that span.
Witness    The corrected network of the convex program.
Measured   The part outside the span, by the projector, and the Bayes loss of the network's own first layer, rational;
           the risk of the network on fresh prompts, truncated, from below.
Control    Neurons that read outside the span; a network of the same kind that reads every token,
           $\sum_j\operatorname{soft}(\langle u,x_j\rangle;K[j\ne t])$, its risk from above by a fourth moment.
Reads      For the computed network the first part is exact, not up to a solver's tolerance. The first control asserts
           nothing else: neurons moved out of the span had a Bayes loss below $D(u)$ at one point, as they may.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.feedforward.min_norm_relu import MinNormReLU
from theorytools.statistics.sampled import lower_mean, truncated_mean, truncation_excess
from theorytools.theory.first_layers.exact_span import InputSpan

from ..notation import N, bayes, d, n
from .least import construct, prompts

outside = Quantity("outside the span", r"\|W(I-\Pi)\|_F^2", "of the neurons' prompt part, squared", (0, None))
left = Quantity("Bayes loss", "D_W(u)", "of the network's own first layer", (0, 1))
risk = Quantity("risk", "R", "of the network on fresh prompts", (0, None))


def projector(p):  # on the complement of the span of the prompts
    return np.eye(p.N * p.d, dtype=int) - np.array(InputSpan.of(prompts(p)[0], p.N, p.d).projector(), dtype=object)


def errors(net, p):
    head, u = net.head(), prompts(p)[2].astype(float)

    def draw(rng, size):
        x, t = rng.standard_normal((size, p.N, p.d)), rng.integers(0, p.N, size)
        features = np.concatenate([x.reshape(size, -1), np.eye(p.N)[t]], axis=1)
        return (x[np.arange(size), t] @ u - head(features)) ** 2

    return draw


def measure(best, p, net=None, recipe=None):
    W = np.array((net or best.network).W, dtype=object).reshape(-1, p.N * (p.d + 1))[:, : p.N * p.d]  # may be empty
    return {outside: ((W @ projector(p)) ** 2).sum(), left: InputSpan.of(W, p.N, p.d).bayes_loss(prompts(p)[2]),
            risk: recipe or lower_mean(errors(best.network, p), p.seed("fresh prompts"), tau=4)}


def astray(best, p):
    step = np.array([*projector(p)[0], *[0] * p.N])
    return measure(best, p, replace(best.network, W=[list(step + w) for w in best.network.W]))


def reader(best, p):  # a gate of slope K for every token, both signs; wrong by at most |<u, x_j>| for each j
    a, W = zip(*((s, [*(s * v * (i == j) for i in range(p.N) for v in prompts(p)[2]),
                      *(0 if i == j else Fraction(-20) for i in range(p.N))]) for j in range(p.N) for s in (1, -1)),
               strict=True)
    net = MinNormReLU(a, W)
    hidden = truncation_excess(3 * (p.N - 1) ** 4, 2, 400)  # E(sum of N - 1 terms)^4 <= (N - 1)^4 E<u, x>^4
    return measure(best, p, net, truncated_mean(errors(net, p), p.seed("fresh prompts"), tau=400, excess=hidden))


claim = Claim(
    "Definition 5, the risk at least norm",
    role="variant", source="derived here: Definition 5",
    scope={"every prompts, N, d, n, excess": "points", "every data set": "points", "some network": "exhibited"},
    asserts=[outside.equals(0), left >= bayes, risk >= bayes], derived=[bayes],
    grid=points("prompts N d n excess", ("gaussian", 3, 2, 2, 0), ("gaussian", 3, 2, 4, 0),
                ("gaussian", 3, 2, 4, "1/100"), ("gaussian", 4, 2, 5, 0)), requires=[n < N * d],
    derive=lambda best, p: {bayes: InputSpan.of(prompts(p)[0], p.N, p.d).bayes_loss(prompts(p)[2])},
    construct=construct, measure=measure,
    controls=[
        Control("neurons that read outside the span", breaks=outside, asserts=[outside.equals(0)],
                measure=astray),
        Control("a network that reads every token", breaks=[outside, left, risk], measure=reader),
    ],
)
