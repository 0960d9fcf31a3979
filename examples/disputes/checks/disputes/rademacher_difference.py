r"""One point of a sample moves the empirical Rademacher complexity of a class of signs by at most one over its size.

Setting    A non-empty class $F$ of functions from $m$ points to $\{-1,1\}$; the samples $X=(x_0,x_2,\dots)$ and
           $X'=(x_1,x_2,\dots)$ of $n=m-1$ points.
Statement  $|\hat R(X)-\hat R(X')|\le\frac1n$, where $\hat R$ is the mean over signs of
           $\max_{f\in F}\frac1n\sum_i\sigma_if(x_i)$.
Proof      Given the other signs, with $S_f$ their sum, the mean over the first one lies between $\max S_f$ and
           $\max S_f+1$, whatever the values at the first point are.
Measured   The difference, over all signs, exactly.
Control    Half of the bound; it is attained by two functions that differ at $x_1$ alone.
Reads      An exercise says so and a reader doubts it, asking for $\frac2n$: that is needed without the mean over signs.
"""
from theorytools import Claim, Control, Quantity, grid
from theorytools.measures import rademacher_complexity
from theorytools.search.kinds import Boolean, Booleans

from .notation import m

change = Quantity("change", r"|\hat R(X)-\hat R(X')|", "of the complexity", (0, 1))

def complexity(table, moved, p):
    places = [moved, *range(2, p.m)]
    return rademacher_complexity([[1 - 2 * (f >> i & 1) for i in places] for f, member in enumerate(table) if member])

claim = Claim(
    "One point of a sample", role="statement", scope={"every m, F": "proof"},
    source="published: FoundationsML, issue 7; prose", asserts=change <= 1 / (m - 1), requires=[m >= 2],
    objects={"F": (Booleans(), m, [Boolean((1, 0, 1, 0)), Boolean((1, 0, 1, 0, 0, 0, 0, 0))])},
    such_that={"F is not empty": lambda p: 1 in p.F.table}, construct=lambda p: p.F.table, grid=grid(m=[2, 3]),
    measure=lambda table, p: {change: abs(complexity(table, 0, p) - complexity(table, 1, p))},
    controls=[Control("half", asserts=[change <= 1 / (2 * (m - 1))], breaks=change)],
)
