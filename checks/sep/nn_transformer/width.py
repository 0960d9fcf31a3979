r"""With nearly orthogonal codewords as vectors the whole network has logarithmic width, at a margin of a half.

Setting    As in nn_transformer; the vectors are $N\ge2$ random sign codes of length $d=\lceil16\ln N\rceil$, drawn
           again until no two have a product above $\frac d2$.
Statement  $\gamma\ge\frac12$, the label's margin is at least $\frac34$, and the width is $2\lceil16\ln N\rceil+3k+5$.
Proof      Such codes exist for every $N\ge2$ (codes), a product of at most $\frac d2$ is $\gamma\ge\frac12$, and
           nn_transformer holds for every set of vectors with a margin.
Witness    NearestNeighbour, by position.
Measured   The margin of the vectors in integers (at least $\frac12$ by the stopping rule of the draw); the label's
           margin over all queries and labels, rational; the width.
Control    Codewords cut to a quarter; $\log_2N$ for $\ln N$; codes of two labels swapped; a codeword beside another.
Reads      Derived here. A draw fails with probability below $\frac12$, see codes.
"""

from sympy import Rational, ceiling, log

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.codes.lookup import jl_signs
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask

from ..notation import N, k
from .nn_transformer import changed, margin, swapped, width

gap = Quantity("margin of the vectors", r"\gamma", "least difference of similarities", (0, 2))


def construct(p, cut=1, beside=False, **spoiled) -> NearestNeighbour:
    X = jl_signs(p.N, p.rng("codewords")).astype(int)
    if beside:
        X[1] = changed(X[:1], [0])
    return NearestNeighbour(NearestTask(X[:, : X.shape[1] // cut]), **spoiled)


def measure(net, p):
    return {gap: exactly(net.task.margin), margin: net.least_margin(), width: net.width}


def sizes(base=1):
    return [gap >= Rational(1, 2), width.equals(2 * ceiling(16 * log(N) / base) + 3 * k + 5)]


claim = Claim(
    "Nearest neighbour, logarithmic width",
    role="statement", source="published: nearest neighbour by two layers; prose",
    scope={"every N, vectors and query": "proof", "some network": "exhibited", "every labelling": "closed form"},
    asserts=[*sizes(), margin >= Rational(3, 4)],
    grid=points("N", (4,), (32,), (64,), (256,)),
    derive=lambda net, p: {k: net.k}, derived=[k], construct=construct, measure=measure, controls=[
        Control("a quarter of the codewords", breaks=[gap, width], where=N >= 32, asserts=sizes(),
                construct=lambda p: construct(p, cut=4)),
        Control("the binary logarithm", breaks=width, asserts=sizes(log(2))),
        Control("a codeword beside another", breaks=gap, asserts=sizes(),
                construct=lambda p: construct(p, beside=True)),
        Control("codes of two labels swapped", breaks=margin,
                construct=lambda p: swapped(construct(p))),
    ],
)
