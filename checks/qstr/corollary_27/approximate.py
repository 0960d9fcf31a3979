r"""States of the recurrent network with an approximate, rectified transition: no error grows with the sequence.

Setting    Simple $q$STR, $\|x\|_\infty\le M$, $\sqrt d\,M\le r_x$; states as in corollary_27 with the four layers
           $\rho_b(\Psi+\xi)$ of proposition_26_rectifier, $\|\xi\|_\infty\le\frac\varepsilon2=b$ at every position, in
           every slot, chosen with the state in view.  All projections are carried out.
Statement  If $r_h\ge\sqrt q(r_x+\sqrt d\,\varepsilon)$: $h^\to_j(l)=0$ exactly for $t_l\ge j$ and
           $\|h^\to_j(l)-x_{t_l}\|_\infty\le\varepsilon$ for $t_l<j$, likewise backward, and $\Pi_{r_h}$ moves no
           state.
Proof      By induction on $j$: the rectified increment of a slot is exactly 0 for $t_l\ne j$ and within $\varepsilon$
           of $x_j$ in every entry for $t_l=j$ (proposition_26_rectifier). Before a projection slot $l$ is 0 or within
           $\sqrt d\,\varepsilon$ of $x_{t_l}$, so the state is no longer than $\sqrt q(r_x+\sqrt d\,\varepsilon)\le
           r_h$, and $\Pi_{r_h}$ leaves it.
Adversary  Shrinks or stretches every entry and pushes all mismatches to one side; follows the sign of the state; or is
           random.  Shrinking attains $\varepsilon$.
Measured   Whole passes of RectifiedRNN over all indices and adversaries, in rationals: slots that are exactly zero,
           the largest error of the others, the states moved.
Control    No rectifier; threshold $\frac\varepsilon4$, $\varepsilon$; twice the perturbation; the current token
           expected in the state.
Reads      The statement and its radius are as printed; the paper's $\varepsilon$ is $\tau_f$ here. The radius is sharp
           for errors of either sign and can be smaller behind this rectifier: corollary_27_radius.
"""

from fractions import Fraction

from sympy import sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.recurrent.rectified import RectifiedRNN

from ..notation import M_x, N, d, gamma_c, q, r_h, r_x, tol_f
from ..proposition_26 import proposition_26
from ._rectified import slots

zeros = Quantity("slots empty", r"\#\{h_j(l)=0\}", "exact zeros among unread slots, for every adversary",
                 (0, 4 * q * N**2))
error = Quantity("error of a slot", r"\max\|h_j(l)-x_{t_l}\|_\infty", "over slots that were read", (0, None))
moved = Quantity("states moved", r"\#\{\Pi_{r_h}h\ne h\}", "by the projection, over all adversaries", (0, None))
top = Quantity("largest state", r"\max_j\|h_j\|^2", "before it is projected, over all adversaries", (0, None))


def construct(p, size=1, threshold=1, radius=None) -> RectifiedRNN:
    half = Fraction(p.tol_f) / 2
    return RectifiedRNN(proposition_26.construct(p), radius or Fraction(p.r_h), size * half, threshold * half)


def measure(net, p, **how):
    return dict(zip((zeros, error, moved, top), slots(net, p, **how), strict=True))


def roomy(size, threshold):  # no state reaches the radius
    return lambda p: construct(p, size, threshold, p.N * p.q * p.d * (p.M_x + Fraction(p.tol_f)))


asserts = [zeros.equals(2 * q * N * (N + 1)), error <= tol_f, moved.equals(0)]
claim = Claim(
    "Corollary 27, approximate transitions",
    role="statement", source="published: Corollary 27; prose",
    scope={"every trial, code, N, d_e, q, d, M_x, r_x, tol_f, r_h": "proof", "every approximate transition": "proof",
           "every index": "enumeration"},
    asserts=asserts,
    requires=[N >= 4, gamma_c > 0, r_x**2 >= d * M_x**2, r_h >= sqrt(q) * (r_x + sqrt(d) * tol_f)],
    grid=points("trial code N d_e q d M_x r_x tol_f r_h",
                (0, "binary", 4, 2, 1, 1, 5, 5, "1/2", "11/2"), (0, "binary", 5, 3, 4, 4, 6, 12, "1/4", 25),
                (1, "hadamard", 8, 8, 2, 3, 9, 16, "1/10", 23), (2, "rademacher", 10, 16, 3, 2, 7, 10, 3, 25),
                (3, "binary", 33, 6, 1, 2, 7, 10, "1/50", 11)),
    derive=proposition_26.gap, derived=[gamma_c], construct=construct, measure=measure,
    controls=[
        Control("no rectifier", breaks=[zeros, error], construct=roomy(1, 0)),
        Control("threshold eps/4", breaks=zeros, construct=roomy(1, Fraction(1, 2)), asserts=[asserts[0], moved <= 0]),
        Control("threshold eps", breaks=error, construct=lambda p: construct(p, 1, 2)),
        Control("twice the perturbation", breaks=[zeros, error], construct=roomy(2, 1)),
        Control("the current token expected", breaks=[zeros, error], measure=lambda net, p: measure(net, p, current=1)),
    ],
)
