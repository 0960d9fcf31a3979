r"""The Rademacher complexity of the truncated loss is bounded by one covering of the predictions.

Setting    A class of predictions on a sample, loss $\ell=(\hat y-y)^2\wedge\tau$;
           $\hat{\mathfrak R}_n=\mathbb{E}_\xi\sup\frac1n\sum_i\xi_i\ell_i$; $\mathcal C$ vectors reach every prediction
           within $u_n/(2\sqrt\tau)$.
Statement  The loss is $2\sqrt\tau$-Lipschitz in $\hat y$, and $\hat{\mathfrak R}_n\le u_n+\tau\sqrt{\log\mathcal
           C/(2n)}$.
Proof      $t^2\wedge\tau$ has slopes of at most $2\sqrt\tau$, so every vector of losses is within $u_n$, entry by
           entry, of one of $\mathcal C$ vectors in $[0,\tau]^n$, and $\frac1n\sum_i\xi_i\ell_i$ within $u_n$ of one of
           theirs. Less $\frac\tau2$ in each entry, which adds $-\frac\tau{2n}\sum_i\xi_i$ of mean 0 to all of them,
           they have entries of at most $\frac\tau2$ and sums $\frac1n\sum_i\xi_ic_i$ with
           $\mathbb{E}e^{\lambda\cdot}\le e^{\lambda^2\tau^2/(8n)}$; by Jensen the mean of the largest is at most
           $\frac{\log\mathcal C}\lambda+\frac{\lambda\tau^2}{8n}$, which is $\tau\sqrt{\log\mathcal C/(2n)}$ at the
           best $\lambda$.
Adversary  A box of predictions just below the truncation, one centre ($\hat{\mathfrak R}_n\to u_n$: sharp); all vectors
           of 0 and $\sqrt\tau$; random vectors; the lines $\theta z$, $|\theta|\le\frac14$, an
           infinite class.
Measured   Exactly, over all signs; for lines the supremum of a piecewise quadratic.
Control    An absolute value inside the supremum, for which the loss cannot be centred; half the Lipschitz constant;
           half of Massart's constant; no truncation.
Reads      Printed is chaining down to $1/\sqrt n$ with the covering of Proposition 17 inserted: $C_1=m_gHD_e$,
           $C_2=r_z^6r_{m,a}^2R_{m,w}^2H^2r_{QK}^2$, $C_3=HD_e^2$, $C_4=Hr_{QK}r_z^3r_{m,a}R_{m,w}$. Judged is the step
           from a covering to a complexity, with constants derived here. For a logarithm of the size that grows like
           $\log(1+1/\varepsilon)$, the terms of $C_1$ and $C_3$, one covering at $u_n$ of order $\tau/\sqrt n$
           loses at most a factor of order $\sqrt{\log n}$ against chaining; for the branch $C_2\varepsilon^{-2}$ only
           chaining gives a rate, and that is not judged.
"""

from fractions import Fraction
from itertools import product

from sympy import Eq, log, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.capacity.exact_rademacher import LineClass, TableClass
from theorytools.theory.capacity.grid_covers import exact_root

from .notation import cover, n, tau, u_n

complexity = Quantity("complexity", r"\hat{\mathfrak{R}}_n", "of the truncated loss", (0, tau / 2))
steepness = Quantity("steepness", r"\mathrm{Lip}\,\ell", "largest slope of the loss seen in the class", (0, None))
massart = tau * sqrt(log(cover) / (2 * n))


def construct(p) -> TableClass:
    root = exact_root(Fraction(p.tau))
    drawn = [tuple(Fraction(int(x), 16) for x in row) for row in p.rng("sample").integers(-40, 41, (7, p.n))]
    if p.family == "lines":
        return LineClass(tuple(z or Fraction(1) for z in drawn[0]), drawn[1], Fraction(1, 4), root)
    if p.family == "random":
        wide = [[2 * x for x in row] for row in drawn[:6]]  # so that most losses are truncated
        return TableClass(tuple(map(tuple, wide)), drawn[6], root)
    values = (root - p.u_n / root, root) if p.family == "box" else (0, root)
    return TableClass(tuple(product(values, repeat=p.n)), (0,) * p.n, root)


def derive(f, p):
    return {cover: f.covering_number(Fraction(p.u_n) / (2 * f.root))}


def measure(f, p, **how):
    return {complexity: f.complexity(**how), steepness: f.steepness()}


single, corners = Eq(cover, 1), Eq(cover, 2**n)
claim = Claim(
    "Lemma 18",
    role="statement", source="published: Lemma 18; prose",
    scope={"every tau, n, u_n": "proof", "every class family of predictions": "proof", "every sign": "enumeration"},
    asserts=[complexity <= u_n + massart, steepness <= 2 * sqrt(tau)],
    grid=points("family tau n u_n", ("box", 4, 4, "1/50"), ("box", 9, 6, "1/50"), ("cube", 4, 6, "1/100"),
                ("random", 4, 6, "1/8"), ("lines", 4, 8, "1/2"), ("box", 100, 5, "1/400")),
    construct=construct, measure=measure, derive=derive, derived=[cover], controls=[
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
