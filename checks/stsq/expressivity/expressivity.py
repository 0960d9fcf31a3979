r"""One softmax head of width $d+d_e$ selects the tokens up to an error that the cross-talk and the temperature bound.

Setting    $V=[I_d\ 0]$, $W=\mathrm{diag}(0,\beta I_{d_e})$, a query with $\langle e_y,e_i\rangle=1$ on $y$ and at most
           $\kappa<1$ off it; $n=T-q$, $\epsilon=1-a(y)$, $w$ the normalised attention off $y$, $u=e^\beta>1$. In the
           loss, independent tokens of mean 0 and covariance $I_d$.
Statement  $\epsilon\le\bar\epsilon=\frac n{n+qe^{\beta(1-\kappa)}}$; the loss is
           $d\epsilon^2(\|w\|^2+\frac1q)\le d(1+\frac1q)\bar\epsilon^2$; and $\|f-s\|\le2\bar\epsilon$ for
           all tokens with $\|x_i\|\le1$.
Proof      The $q$ selected tokens weigh $e^\beta$ each, the $n$ others at most $e^{\beta\kappa}$:
           $\epsilon\le\bar\epsilon$. $f-s=\epsilon\bigl(\sum_{i\notin y}w_ix_i-\frac1q\sum_{i\in y}x_i\bigr)$, of
           independent tokens with mean 0 and covariance $I_d$, and $\|w\|\le1$; in the ball both sums have norm at most
           1.
Witness    Instances: SparseSelector with sign, Gaussian and orthonormal encodings and the dual and lp queries, all
           rational.
Measured   $\epsilon$ without cancellation; the loss and the error by forward passes on the unit prompts and on the
           extremal prompt ($x_i=v$ on $y$, $-v$ off it).  $e^{\beta\xi}$ in balls, rational where it is.
Control    A planted duplicate ($e_j=e_i$, $i\in y$, $j\notin y$: $\kappa\ge1$); a quarter of the temperature; keys of
           the opposite sign; the query column attended to; the loss without the $\frac1q$.
Reads      The display was not seen, the constants are derived here; equal up to $10^{-12}$ where balls are compared.
"""

from fractions import Fraction

from sympy import Eq, Rational, exp, log

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.codes.encodings import named_encodings
from theorytools.constructions.network import changed
from theorytools.numbers import Enclosure, total
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.selection.loss import forward_loss
from theorytools.papers.stsq.tasks.sparse_selection import sample_subsets

from ..notation import T, beta, d, eps_y, gap_y, q, u, w_2

leaked = Quantity("leaked attention", r"\epsilon", "attention outside the subset", (0, 1))
loss = Quantity("loss", r"\mathbb{E}_X\|f-s\|^2", "mean squared error of the selected mean", (0, None))
error = Quantity("error", r"\max_{\|x_i\|\le1}\|f-s\|", "largest error for tokens in the unit ball", (0, 2))
bound = (T - q) / (T - q + q * exp(beta * gap_y))


def asserts(share=1 / q):
    exact = d * eps_y**2 * (w_2 + share)
    return [leaked <= bound, loss.equals(exact, within=exact / 10**12), loss <= d * (1 + 1 / q) * bound**2,
            error <= 2 * bound]


def chosen(p):
    return tuple(int(i) for i in sample_subsets(p.rng("subset"), 1, p.T, p.q)[0])


def construct(p, scale=1, duplicate=False) -> SparseSelector:
    E, y = named_encodings(p.code, p.T, p.d_e, p.rng("encodings")), chosen(p)
    if duplicate:
        E = E.duplicated(y[0], min(set(range(p.T)) - set(y)))
    return SparseSelector(E, scale * log(p.u), p.q, p.d, p.query)


def outside(net, y):
    a = net.attention(y)
    return total(a[i] ** 2 for i in range(net.T) if i not in y) / net.leaked(y) ** 2


def worst(net, y):  # the extremal prompt; all coordinates but the first are 0
    X = [[Fraction(2 * (i in y) - 1)] + [0] * (net.d - 1) for i in range(net.T)]
    return abs(net.outputs([X], y)[0][0] - 1)


def measure(net, p):
    y = chosen(p)
    return {leaked: enclosed(lambda: net.leaked(y)), loss: enclosed(lambda: forward_loss(net, y)),
            error: enclosed(lambda: worst(net, y))}


def derive(net, p):
    y, m = chosen(p), net.margin(chosen(p))  # a ball in formulas, where its denominator has a thousand digits
    lead = m if m.denominator < 2**16 else lambda: Enclosure(m)
    return {gap_y: lead, eps_y: lambda: net.leaked(y), w_2: lambda: outside(net, y)}


claim = Claim(
    "Expressivity, one subset",
    role="statement", source="published: one softmax head selects the tokens; prose",
    scope={"every code, T, q, d, d_e": "proof", "every encoding, query and temperature u": "proof",
           "every subset": "proof", "every prompt": "closed form"},
    asserts=asserts(), requires=[q < T, gap_y > 0, u > 1], lets={beta: log(u)},
    derive=derive, derived=[gap_y, eps_y, w_2],
    grid=points("code query T q d d_e u", ("orth", "dual", 4, 3, 2, 4, 16), ("orth", "lp", 7, 2, 1, 7, 81),
                ("rad", "dual", 16, 3, 1, 64, 2**20), ("rad", "lp", 16, 3, 2, 16, 2**20),
                ("gauss", "dual", 20, 2, 1, 48, 2**20), ("gauss", "lp", 10, 2, 1, 8, 2**40)),
    construct=construct, measure=measure,
    controls=[
        Control("a planted duplicate", breaks=[leaked, loss, error], construct=lambda p: construct(p, duplicate=True)),
        Control("a quarter of the temperature", breaks=[leaked, loss, error], where=u < 2**40,
                construct=lambda p: construct(p, Rational(1, 4))),
        Control("keys of the opposite sign", breaks=[leaked, loss, error], construct=lambda p: construct(p, -1)),
        Control("the query attended to", breaks=[leaked, loss, error],
                construct=lambda p: changed(construct(p), attends_query=True)),
        Control("without the selected part", breaks=asserts(0)[1].name, asserts=asserts(0)),
        Control("smaller constants", breaks=[loss <= d * bound**2, error], where=Eq(T, q + 1),
                asserts=[*asserts()[:2], loss <= d * bound**2, error <= bound]),
    ],
)
