r"""Read one string after the other, a recurrent network needs $n$ bits of state; read alternately, two bits suffice.

Setting    Recurrent networks with any updates, which may depend on the position, and read-out, right on all inputs;
           $2^{mp}$ states for $m$ numbers of $p$ bits.
Statement  Contiguous order $x_1\dots x_ny_1\dots y_n$: $2^n$ residuals after $x$, so $mp\ge n$. Interleaved order
           $x_1y_1x_2y_2\dots$: at most three for equality and disjointness, at most four for the inner product.
Proof      After $x$ the residuals are the different rows, $2^n$ (bool_lb); before its end there are fewer prefixes.
           After $r$ symbols of $y$ what counts is the rest of $x$ and whether all is lost, at most $2^{n-r}+1$, or the
           parity so far, $2\cdot2^{n-r}$. Alternately: a symbol of $x$ or none that waits, with nothing else left to
           tell than that all is lost, $2+1$, or the parity, $2\cdot2$.
Witness    The classes of prefixes with the same answers to all continuations: what is necessary and what suffices.
Measured   The largest number of residuals over all cuts, from all $4^n$ answers.
Control    The other order; the last symbol of $x$ read after $y$.
Reads      The order is part of the statement: read for every order it fails, which is a claim with its repair.
"""

from theorytools import Claim, Control, Quantity, grid, points
from theorytools.papers.sep.memory.residual_classes import residual_counts, symbol_order

from ..notation import n

most = Quantity("residuals", r"\max_t\#\mathrm{residuals}", "largest number at a cut", (1, None))


def construct(p, interleaved=False) -> list[int]:
    """Return the numbers of residuals at every cut."""
    return residual_counts(p.task, p.n, symbol_order(p.n, interleaved=interleaved))


def alternating(p):
    return construct(p, True)


def late(p):  # the last symbol of x at the end
    x = list(range(p.n))
    return residual_counts(p.task, p.n, [*x[:-1], *range(p.n, 2 * p.n), x[-1]])


def measure(counts, p):
    return {most: max(counts)}


tasks = ["equality", "disjointness"]
claim = Claim(
    "Recurrent networks, one string after the other",
    role="statement", source="published: lower bound for recurrent models; prose",
    scope={"every task, n": "proof", "every pair of strings": "proof"},
    asserts=most.equals(2**n), measure=measure, construct=construct,
    grid=grid(task=[*tasks, "inner_product"], n=[1, 2, 3, 5, 6]) + points("task n", ("equality", 8)),
    controls=[
        Control("interleaved", breaks=most, where=(n >= 3) & (n <= 6), construct=alternating),
        Control("the last symbol of x at the end", breaks=most, where=(n >= 4) & (n <= 6), construct=late),
    ],
)
short = Claim(
    "Recurrent networks, interleaved strings",
    role="necessity", source="derived here: lower bound for recurrent models",
    scope={"every task, n": "points", "every pair of strings": "enumeration"},
    asserts=[most.equals(3), most <= 4], measure=measure,
    grid=grid(task=tasks, n=[2, 3, 5, 6]), requires=[n >= 2], construct=alternating,
    controls=[
        Control("one string after the other", breaks=most, where=n >= 3, construct=construct),
        Control("the last symbol of x at the end", breaks=most, where=n >= 4, construct=late),
    ],
)
every = Claim(
    "Recurrent networks, the bound read for every order",
    role="pitfall", source="derived here: lower bound for recurrent models",
    scope={"every task, n": "points", "every order of the input": "points"},
    expect="REFUTED", asserts=most >= 2**n, measure=measure,
    grid=grid(task=[*tasks, "inner_product"], n=[3, 4, 6]), requires=[n >= 3], construct=alternating,
    controls=[
        Control("one string after the other", construct=construct),
        Control("five states", breaks=most, asserts=[most >= 5]),
    ],
)
