r"""The Rademacher complexity of the truncated loss is bounded by one covering of the predictions.

Setting    A class of predictions on a sample, loss $\ell=(\hat y-y)^2\wedge\tau$;
           $\hat{\mathfrak R}_n=\mathbb{E}_\xi\sup\frac1n\sum_i\xi_i\ell_i$; $\mathcal C$ vectors reach every prediction
           within $u_n/(2\sqrt\tau)$.
Statement  The loss is $2\sqrt\tau$-Lipschitz in $\hat y$, and
           $\hat{\mathfrak R}_n\le u_n+\tau\sqrt{\log\mathcal C/(2n)}$; by chaining, which is larger term by term,
           $\hat{\mathfrak R}_n\le4u_n+12\tau\sqrt{\log\mathcal C/n}$.
Adversary  A box of predictions just below the truncation, one centre ($\hat{\mathfrak R}_n\to u_n$: sharp); all vectors
           of 0 and $\sqrt\tau$; random vectors; the lines $\theta z$, $|\theta|\le\frac14$, an
           infinite class.
Measured   Exactly, over all signs; for lines the supremum of a piecewise quadratic.
Control    An absolute value inside the supremum, for which the loss cannot be centred; half the Lipschitz constant;
           half of Massart's constant; no truncation; the absolute value also against chaining.
Reads      The form is the paper's, the constants are derived here.
"""

from fractions import Fraction
from itertools import product
from math import isqrt

from sympy import Eq, log, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.capacity.exact_rademacher import LineClass, TableClass

from .notation import cover, n, tau, u_n

complexity = Quantity("complexity", r"\hat{\mathfrak{R}}_n", "of the truncated loss", (0, tau / 2))
steepness = Quantity("steepness", r"\mathrm{Lip}\,\ell", "largest slope of the loss seen in the class", (0, None))
massart = tau * sqrt(log(cover) / (2 * n))


def construct(p) -> TableClass:
    root = Fraction(isqrt(p.tau))
    drawn = [tuple(Fraction(int(x), 16) for x in row) for row in p.rng("sample").integers(-40, 41, (7, p.n))]
    if p.family == "lines":
        return LineClass(tuple(z or Fraction(1) for z in drawn[0]), drawn[1], Fraction(1, 4), root)
    if p.family == "random":
        return TableClass(tuple(drawn[:6]), drawn[6], root)
    values = (root - p.u_n / root, root) if p.family == "box" else (0, root)
    return TableClass(tuple(product(values, repeat=p.n)), (0,) * p.n, root)


def derive(f, p):
    return {cover: f.covering_number(Fraction(p.u_n) / (2 * f.root))}


def measure(f, p, **how):
    return {complexity: f.complexity(**how), steepness: f.steepness()}


shared = {
    "grid": points("family tau n u_n", ("box", 4, 4, "1/50"), ("box", 9, 6, "1/50"), ("cube", 4, 6, "1/100"),
                   ("random", 4, 6, "1/8"), ("lines", 4, 8, "1/2"), ("box", 100, 5, "1/400")),
    "construct": construct, "measure": measure, "derive": derive, "derived": [cover], 
}
single, corners = Eq(cover, 1), Eq(cover, 2**n)
claim = Claim(
    "Lemma 18",
    role="statement", source="published: Lemma 18; prose",
    scope={"every tau, n, u_n": "points", "every class family of predictions": "points", "every sign": "enumeration"},
    asserts=[complexity <= u_n + massart, steepness <= 2 * sqrt(tau)], **shared,
    controls=[
        Control("an absolute value inside the supremum", breaks=complexity, where=single,
                measure=lambda f, p: measure(f, p, absolute=True)),
        Control("covering for half the Lipschitz constant", breaks=[complexity, steepness], where=single,
                asserts=[complexity <= u_n / 2 + massart, steepness <= sqrt(tau)]),
        Control("half of Massart's constant", breaks=complexity, where=corners,
                asserts=[complexity <= u_n + massart / 2]),
        Control("a loss without truncation", breaks=complexity, where=Eq(cover, 6),
                measure=lambda f, p: measure(f, p, truncated=False)),
    ],
)
chaining = Claim(
    "Lemma 18, by chaining",
    role="statement", source="published: Lemma 18; prose",
    scope={"every tau, n, u_n": "points", "every class family of predictions": "points", "every sign": "enumeration"},
    asserts=[complexity <= 4 * u_n + 12 * tau * sqrt(log(cover) / n)], **shared,
    controls=[
        Control("an absolute value inside the supremum", breaks=complexity, where=single,
                measure=lambda f, p: measure(f, p, absolute=True)),
        Control("the first constant 1/2", breaks=complexity, where=single,
                asserts=[complexity <= u_n / 2 + 12 * tau * sqrt(log(cover) / n)]),
        Control("the second constant 1/2", breaks=complexity, where=corners,
                asserts=[complexity <= 4 * u_n + tau * sqrt(log(cover) / n) / 2]),
    ],
)
