r"""Where two positions share one encoding no temperature and no values select a subset that separates them.

Setting    $e_j=e_i$ with $i\in y$, $j\notin y$; any query, any $\beta$, any $V=[V_1\ V_2]$; attention without tokens.
Statement  $a_i=a_j$, hence $\mathbb{E}_X\|f-s\|^2\ge\|a_iV_1-\frac1qI\|_F^2+\|a_iV_1\|_F^2\ge\frac d{2q^2}$.
Proof      Equal encodings have equal scores under any query, so $a_i=a_j=a$, and
           $(av-\frac1q)^2+(av)^2\ge\frac1{2q^2}$ for every diagonal entry $v$ of $V_1$; $V_2$ only adds.
Adversary  Temperatures up to $e^\beta=2^{40}$; the dual and lp queries; random values.  At $T=2$, $q=1$ it is equal.
Measured   The loss of the subset from its attention weights; the difference $a_i-a_j$.
Control    The same encodings without the duplicate; a bound 1 % larger at $T=2$.
Reads      Derived here; with expressivity it says that no $\beta$ makes up for $\kappa\ge1$.  The control without the
           duplicate was taken off the point with random values, whose loss is large in any case, and off the shortest
           signs, some draws of which separate no better.
"""

from sympy import Eq, Rational, log

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.codes.encodings import named_encodings
from theorytools.papers.stsq.attention.selector import SparseSelector

from ..notation import T, beta, d, d_e, q, u
from .expressivity import chosen
from .expressivity import loss as one_loss

unequal = Quantity("difference", r"a_i-a_j", "attention to the selected copy minus that to the other", (-1, 1))
bound = d / (2 * q**2)


def pair(p):
    return chosen(p)[0], min(set(range(p.T)) - set(chosen(p)))


def construct(p, duplicate=True) -> SparseSelector:
    E = named_encodings(p.code, p.T, p.d_e, p.rng("encodings"))
    V = p.rng("values").integers(-4, 5, (p.d, p.d + p.d_e)).astype(object) if p.values == "random" else None
    return SparseSelector(E.duplicated(*pair(p)) if duplicate else E, log(p.u), p.q, p.d, p.query, values=V)


def measure(net, p):
    i, j = pair(p)

    def difference():
        a = net.attention(chosen(p))
        return a[i] - a[j]

    return {one_loss: enclosed(lambda: net.loss(chosen(p))), unequal: enclosed(difference)}


claim = Claim(
    "Expressivity, a duplicate encoding",
    role="necessity", source="derived here: one softmax head selects the tokens",
    scope={"every code, values, T, q, d, d_e, u": "points", "every temperature": "proof", "every query": "proof",
           "every value matrix": "proof", "every prompt": "closed form"},
    requires=[q < T, u > 0], lets={beta: log(u)},
    asserts=[one_loss >= bound, unequal.equals(0, within=Rational(1, 10**15))],
    grid=points("code query values T q d d_e u", ("orth", "dual", "identity", 2, 1, 3, 2, 7),
                ("orth", "dual", "identity", 6, 2, 1, 6, 16), ("rad", "dual", "identity", 16, 3, 2, 64, 2**10),
                ("rad", "lp", "identity", 16, 3, 1, 16, 2**40), ("gauss", "dual", "random", 12, 2, 2, 24, 2**20)),
    construct=construct, measure=measure,
    controls=[
        Control("without the duplicate", breaks=[one_loss, unequal], where=Eq(d_e, 6) | (d_e >= 64),
                construct=lambda p: construct(p, duplicate=False)),
        Control("a bound 1 % larger", breaks=one_loss, where=Eq(T, 2),
                asserts=[one_loss >= Rational(101, 100) * bound, unequal.equals(0)]),
    ],
)
