r"""With orthonormal encodings the population loss is a rational function of $e^\beta$ and $\alpha$.

Setting    $T$ tokens $x_i\sim N(0,I_d)$, $y$ a uniform $q$-subset, $s=\frac1q\sum_{i\in y}x_i$, $n=T-q$;
           $E^\top E=I$, $V=[\alpha I\ 0]$, $W=\mathrm{diag}(0,\beta I)$, $L=\mathbb{E}\|f-s\|^2$.
Statement  With $p=\frac{qe^\beta}{qe^\beta+n}$: $L=d\bigl[\frac{(\alpha p-1)^2}q+\frac{\alpha^2(1-p)^2}n\bigr]$; the
           least over $\alpha$ is $\frac dq\frac{q(1-p)^2/n}{p^2+q(1-p)^2/n}$.
Witness    SparseSelector with rational $e^\beta$, also below 1, and at $e^\beta=1$ (uniform attention).
Measured   All $\binom Tq$ subsets and, for each, forward passes on the $Td$ unit prompts, which carry the Gaussian
           average because attention does not see the tokens; rational.  The least over $\alpha$ is the vertex of
           the parabola through three such losses of one subset; all subsets have one loss.
Control    The sum of the selected tokens as target; the query column attended to; twice the temperature; the
           convention with a factor $\frac12$; $q$ and $n$ swapped.
Reads      Derived here; for $W_{12}=0$ only, see reduction_transverse.  An attended query column takes mass from all
           tokens alike, so the best $\alpha$ makes up for it: the least loss stays.
"""

from itertools import islice

from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.encodings import orthonormal_encodings
from theorytools.constructions.network import changed
from theorytools.numbers import total
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.selection.loss import forward_loss
from theorytools.papers.stsq.tasks.sparse_selection import subsets

from ..notation import T, alpha, d, q, u

loss = Quantity("loss", r"L", "mean squared error of the selected mean", (0, None))
least = Quantity("least loss", r"\min_\alpha L", "mean squared error at the best scale", (0, d / q))


def closed(q, n):
    p = q * u / (q * u + n)
    best = d / q * (q * (1 - p) ** 2 / n) / (p**2 + q * (1 - p) ** 2 / n)
    return [loss.equals(d * ((alpha * p - 1) ** 2 / q + alpha**2 * (1 - p) ** 2 / n)), least.equals(best)]


def construct(p, times=1) -> SparseSelector:
    return SparseSelector(orthonormal_encodings(p.T), times * log(p.u), p.q, p.d, alpha=p.alpha)


def mean_loss(net, mean=True, count=None):  # over the first subsets, or all of them
    losses = [forward_loss(net, y, mean=mean) for y in islice(subsets(net.T, net.q), count)]
    return (total(losses) / len(losses)).fraction()


def measure(net, p, mean=True):
    zero, one, two = (mean_loss(changed(net, alpha=a), mean, 1) for a in (0, 1, 2))
    half, square = (4 * one - 3 * zero - two) / 4, (two - 2 * one + zero) / 2  # L = zero + 2 half a + square a^2
    return {loss: mean_loss(net, mean), least: zero - half**2 / square}


claim = Claim(
    "Population loss, orthonormal encodings",
    role="foundation", source="derived here: population loss",
    scope={"every T, q, d, u, alpha": "points", "every subset": "enumeration", "every prompt": "closed form"},
    asserts=closed(q, T - q), requires=[q < T],
    grid=points("T q d u alpha", (2, 1, 1, 2, 1), (4, 2, 2, 3, "3/4"), (5, 2, 1, 1, 1), (6, 5, 1, 5, "9/10"),
                (6, 2, 2, "7/2", "-1/2"), (7, 3, 1, "1/2", 2), (8, 1, 1, 100, 1), (8, 2, 1, 4, "5/4")),
    construct=construct, measure=measure,
    controls=[
        Control("the sum of the tokens as target", breaks=[loss, least], where=q >= 2,
                measure=lambda net, p: measure(net, p, mean=False)),
        Control("the query column attended to", breaks=loss,
                construct=lambda p: changed(construct(p), attends_query=True)),
        Control("twice the temperature", breaks=[loss, least], where=u > 1, construct=lambda p: construct(p, times=2)),
        Control("a factor one half", breaks=[loss, least], asserts=[
            a.quantity.equals(a.rhs / 2) for a in closed(q, T - q)]),
        Control("selected and others swapped", breaks=loss, where=q < T - q, asserts=[closed(T - q, q)[0]]),
    ],
)
