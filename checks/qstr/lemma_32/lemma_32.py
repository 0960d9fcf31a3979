r"""The Rademacher complexity of recurrent networks under the truncated loss is bounded by one covering.

Setting    Recurrent networks on a sample of $n$ prompts, loss $\ell=(\hat y-y)^2\wedge\tau$; $\hat{\mathfrak
           R}_n=\mathbb{E}_\xi\sup\frac1n\sum_i\xi_i\ell_i$; $\mathcal C$ vectors reach every vector of predictions
           within $\epsilon$ in the largest distance.
Statement  $\ell$ is $2\sqrt\tau$-Lipschitz in $\hat y$, and $\hat{\mathfrak
           R}_n\le2\sqrt\tau\,\epsilon+\tau\sqrt{\log\mathcal C/(2n)} \le2\sqrt\tau\,\epsilon+\tau\sqrt{2\log\mathcal
           C/n}$.
Proof      $|\hat y-y|\le\sqrt\tau$ where the loss is not cut, so its slope is $2\sqrt\tau$ at most, and the losses of
           a prediction are within $2\sqrt\tau\,\epsilon$ of those of its centre: the first term. The losses of the
           $\mathcal C$ centres, less $\frac\tau2$, which changes no mean over the signs, are vectors of length at most
           $\frac\tau2\sqrt n$: Massart's lemma gives $\frac1n\cdot\frac\tau2\sqrt n\sqrt{2\log\mathcal C}$. What makes
           the predictions plays no part.
Adversary  Linear recurrences that hold one weight per prompt, just below the truncation with one centre (sharp), or
           all vectors of 0 and $\sqrt\tau$; random ReLU recurrences whose states are cut.
Measured   Exactly, over all signs, from the last states in rationals.
Control    Half the Lipschitz constant; an absolute value inside the supremum; half of Massart's constant.
Reads      The second form is the one transcribed; the first follows as in lemma_18, its last term is half as large.
"""

from fractions import Fraction
from math import isqrt

from sympy import Eq, log, sqrt

from theorytools import Claim, Control, points
from theorytools.theory.capacity.exact_rademacher import TableClass

from ..lemma_18 import complexity, steepness
from ..notation import N, cover, eps_c, n, tau
from ._recurrent_class import drawn, memories

massart = tau * sqrt(log(cover) / (2 * n))
covered = 2 * sqrt(tau) * eps_c


def construct(p) -> TableClass:
    root, eps = Fraction(isqrt(p.tau)), Fraction(p.eps_c)
    if p.family == "random":
        labels = [Fraction(int(x), 4) for x in p.rng("labels").integers(-16, 17, p.n)]
        return TableClass(drawn(p.rng("networks"), 12, p.n, p.N), labels, root)
    values = (root - 2 * eps, root) if p.family == "box" else (Fraction(0), root)
    return TableClass(memories(values, p.n, p.N), (0,) * p.n, root)


def measure(f, p, **how):
    return {complexity: f.complexity(**how), steepness: f.steepness()}


single, corners = Eq(cover, 1), Eq(cover, 2**n)
claim = Claim(
    "Lemma 32",
    role="statement", source="published: Lemma 32; prose",
    scope={"every tau, n, N, eps_c": "proof", "every class family of networks": "proof", "every sign": "enumeration"},
    asserts=[complexity <= covered + massart, complexity <= covered + 2 * massart,
                         steepness <= 2 * sqrt(tau)],
    requires=[N >= 2], derive=lambda f, p: {cover: f.covering_number(Fraction(p.eps_c))}, derived=[cover],
    grid=points("family tau n N eps_c", ("box", 4, 4, 5, "1/400"), ("box", 9, 6, 2, "1/400"),
                ("cube", 4, 6, 9, "1/400"),
                ("random", 4, 6, 5, "1/16"), ("random", 1, 8, 12, "1/8"), ("box", 16, 5, 3, "1/1000")),
    construct=construct, measure=measure,
    controls=[
        Control("half the Lipschitz constant", breaks=[complexity, steepness], where=single,
                asserts=[complexity <= covered / 2 + massart, steepness <= sqrt(tau)]),
        Control("an absolute value inside the supremum", breaks=complexity, where=single,
                asserts=[complexity <= covered + massart], measure=lambda f, p: measure(f, p, absolute=True)),
        Control("half of Massart's constant", breaks=complexity, where=corners,
                asserts=[complexity <= covered + massart / 2]),
    ],
)
