r"""The radius of the states that keeps the projection inactive: which one is needed depends on the errors allowed.

Setting    As in corollary_27_approximate, $\|x\|\le r_x$.
Statement  For transitions with errors of either sign on a match, at most $\varepsilon$, and none elsewhere,
           $\|h_j\|\le\sqrt q(r_x+\sqrt d\,\varepsilon)$, and this is attained: a smaller $r_h$ cuts states.
           Behind the rectifier $\|h_j\|\le\sqrt q\,r_x$, attained as well, so $r_h\ge\sqrt q\,r_x$ suffices there.
Proof      A slot that was read is within $\sqrt d\,\varepsilon$ of its token, the others are 0, so $\|h_j\|\le\sqrt
           q(r_x+\sqrt d\,\varepsilon)$. Behind the rectifier $|\rho_b(x+\xi)|=(|x+\xi|-b)_+\le|x|$ for $|\xi|\le b$,
           entry by entry.
Adversary  As in corollary_27_approximate; stretching attains both bounds on tokens $\pm(M,\dots,M)$, $r_x=\sqrt d\,M$.
Measured   The states moved by the projection and the largest squared norm before it, in rationals.
Control    A radius a tenth smaller; $\sqrt q\,r_x$ for errors of either sign; a perturbation of $\frac{3\varepsilon}4$
           behind the rectifier.
Reads      The first radius is the paper's. That it is sharp for the two clauses alone, and the smaller one, are derived
           here.
"""

from dataclasses import replace
from fractions import Fraction
from math import isqrt

from sympy import sqrt

from theorytools import Control, points

from ..notation import M_x, N, d, gamma_c, q, r_h, r_x, tol_f, trial
from . import approximate as whole
from .approximate import asserts, construct, measure, moved, top


def loose(p, radius=None):
    """Errors up to eps on a match, none elsewhere, and no rectifier."""
    return construct(p, 2, 0, radius)


def tenth(build):
    return lambda p: build(p, radius=Fraction(p.r_h) - Fraction(1, 10))


axes = "trial code N d_e q d M_x r_x tol_f r_h"
claim = replace(
    whole.claim, label="Corollary 27, the radius",
    role="sharpness", source="derived here: Corollary 27",
    scope={"every trial, code, N, d_e, q, d, M_x, r_x, tol_f, r_h": "proof", "every approximate transition": "proof",
           "every index": "enumeration"},
    construct=loose,
    asserts=[*asserts, top <= q * (r_x + sqrt(d) * tol_f) ** 2],
    grid=points(axes, (0, "binary", 4, 2, 1, 1, 5, 5, "1/2", "11/2"), (0, "binary", 5, 3, 4, 4, 6, 12, "1/4", 25),
                (1, "hadamard", 8, 8, 2, 3, 9, 16, "1/10", 23)),
    measure=lambda net, p: measure(net, p, matched=True),
    controls=[
        Control("a radius a tenth smaller", breaks=moved, where=trial < 1, construct=tenth(loose)),
        Control("the radius sqrt(q) r_x", breaks=moved, where=trial < 1,
                construct=lambda p: loose(p, p.r_x * isqrt(p.q))),
    ],
)
rectified = replace(
    whole.claim, label="Corollary 27, the radius behind the rectifier",
    role="sharpness", source="derived here: Corollary 27",
    scope={"every trial, code, N, d_e, q, d, M_x, r_x, tol_f, r_h": "proof", "every approximate transition": "proof",
           "every index": "enumeration"},
    asserts=[*asserts, top <= q * r_x**2], requires=[N >= 4, gamma_c > 0, r_x**2 >= d * M_x**2, r_h >= sqrt(q) * r_x],
    grid=points(axes, (0, "binary", 4, 2, 1, 1, 5, 5, "1/2", 5), (0, "binary", 5, 3, 4, 4, 6, 12, "1/4", 24),
                (0, "binary", 4, 2, 1, 1, 5, "39/8", "1/2", 5),  # outside: tokens longer than r_x, and a larger state
                (1, "hadamard", 8, 8, 2, 3, 9, 16, "1/10", 23)),
    controls=[
        Control("a radius a tenth smaller", breaks=moved, where=trial < 1, construct=tenth(construct)),
        Control("a perturbation of 3/4 eps", breaks=top, where=trial < 1, asserts=[top <= q * r_x**2],
                construct=lambda p: construct(p, Fraction(3, 2), 1, 99)),
    ],
)
