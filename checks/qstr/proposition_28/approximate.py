r"""With approximate transitions and an approximate link the squared error is at most four times that of the link.

Setting    Simple $q$STR; $|g-a^\top\sigma(W\cdot+b)|\le\sqrt{\varepsilon_{2NN}}$, $\|a\|\|(W,b)\|_F=r_ar_w=AB$; states
           as in corollary_27_approximate with error $\varepsilon_h$; the readout adds both states and a gate of the
           current token with error $\tilde\varepsilon=2\varepsilon_h$, then applies $a^\top\sigma(W\cdot+b)$.
Statement  $\varepsilon_h\le\sqrt{\varepsilon_{2NN}}/(4\sqrt{qd}\,r_ar_w)$ and
           $r_h\ge\sqrt q\,r_x+\sqrt{\varepsilon_{2NN}}/(r_ar_w)$ give
           $\max_j|\hat y_j-y_j|^2\le\frac94\varepsilon_{2NN}\le4\varepsilon_{2NN}$, and $\frac94$ is attained.  With
           $\varepsilon_h=\tilde\varepsilon=\sqrt{\varepsilon_{2NN}}/(\sqrt{qd}\,r_ar_w)$ it is $4$, attained.
Proof      A slot of $x_t$ is held in one of the three places, to within $\varepsilon_h$ or $\tilde\varepsilon$ in every
           entry, and is exactly 0 in the others (corollary_27_approximate, whose radius is at most $r_h$). So the
           head's input is within $\sqrt{qd}\,\max(\varepsilon_h,\tilde\varepsilon)$ of $x_t$, the head is
           $r_ar_w$-Lipschitz, and $|\hat
           y_j-y_j|\le\sqrt{\varepsilon_{2NN}}+r_ar_w\sqrt{qd}\max(\varepsilon_h,\tilde\varepsilon)$:
           $\frac32\sqrt{\varepsilon_{2NN}}$ for $\tilde\varepsilon=2\varepsilon_h$, $2\sqrt{\varepsilon_{2NN}}$ for the
           larger pair.
Adversary  As in corollary_27_approximate, in the states and in the gate; one unit
           $\alpha\sigma(\langle\mathbf1,v\rangle)$ with a link $\sqrt{\varepsilon_{2NN}}$ away, of the worse sign;
           squares interpolated on cells of width 2, too low at the ends of the cells.
Measured   Largest squared error over all indices, positions and adversaries, in rationals.
Control    $\varepsilon_h$ without $\sqrt{qd}$; with $\varepsilon_{2NN}$ for its root; no rectifier; no current token; a
           radius too small; the fit counted alone.
Reads      The radius, $\varepsilon_h$, $\tilde\varepsilon$ and the factor 4 are as printed; the first is $\tau_f$ here.
           The 4 adds the errors of three places, $\varepsilon_h+\varepsilon_h+\tilde\varepsilon=4\varepsilon_h$.  A
           slot is held in one place and is exactly zero in the others, so $2\varepsilon_h$ remains: the constants
           $\frac94$ and the larger $\varepsilon_h$ are derived here.  The weights of the approximation are not
           modelled, nor is the norm.
"""

from dataclasses import replace
from fractions import Fraction
from math import isqrt

import numpy as np
from sympy import Eq, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.feedforward.piecewise_linear import LineUnits
from theorytools.errors import DomainError

from ..corollary_27 import approximate as states
from ..corollary_27._rectified import Readout, adversaries, prompts
from ..notation import M_x, N, d, eps_g, gamma_c, path, q, r_h, r_x, tol_f, trial
from ..proposition_26.proposition_26 import gap

error = Quantity("error", r"\max_j|\hat y_j-y_j|^2", "over indices, positions and adversaries", (0, None))
SQUARE = LineUnits.square(6, 6, centred=True)  # z^2 - 1 up to 1/2, attained at all integers


def construct(p, times=1, ratio=2, threshold=1, radius=None) -> Readout:
    size = p.q * p.d
    if p.slope < 1 or isqrt(size) ** 2 != size if p.link == "unit" else p.M_x > 6 or 2 * Fraction(p.eps_g) < size:
        raise DomainError("no such link", required="a slope and a square qd, or M <= 6 and an error of at least qd/2")
    net = states.construct(p, times, times * threshold, radius)
    return Readout(net, replace(net, size=net.size * ratio, threshold=net.threshold * ratio))


def larger(p, times=1) -> Readout:
    """Both errors at four times the paper's error of the states."""
    return construct(p, 4 * times, 1)


def head(p, v):
    if p.link == "unit":
        return p.slope * np.maximum(v.sum(axis=-1), 0)
    return np.vectorize(SQUARE, otypes=[object])(v).sum(axis=-1)


def measure(readout, p, fit=1):
    X, T = prompts(p)
    tokens = X[np.arange(len(X))[:, None, None], T].reshape(*T.shape[:2], -1).astype(object)
    exact = head(p, tokens) if p.link == "unit" else (tokens**2 - 1).sum(axis=-1)
    apart = Fraction(p.eps_g) * (p.link == "unit")  # a link that far from the unit, of the worse sign
    found = [head(p, readout.retrieved(X, T, adversary)) for adversary in adversaries(p)]
    return {error: max(abs(y - exact).max() + apart for y in found) ** 2}


def derive(readout, p):
    size = p.q * p.d
    line = lambda: (SQUARE.path_norm() + abs(SQUARE.offset)) * size  # noqa: E731
    return {path: p.slope * isqrt(size) if p.link == "unit" else line, **gap(readout.net, p)}


published = 4 * eps_g**2
axes = "trial link slope code N d_e q d M_x r_x tol_f r_h eps_g"
units = points(axes, (0, "unit", 3, "binary", 5, 3, 1, 1, 4, 4, "1/24", 5, "1/2"),
               (0, "unit", 1, "binary", 4, 2, 2, 2, 6, 9, "1/4", 16, 4),
               (0, "unit", 2, "hadamard", 8, 8, 3, 3, 4, 7, "1/24", 13, 3),
               (1, "unit", 5, "rademacher", 7, 16, 2, 2, 9, 13, "1/400", 19, "1/5"))
claim = Claim(
    "Proposition 28, approximate transitions and link",
    role="statement", source="published: Proposition 28; prose",
    scope={"every trial, link, slope, code, N, d_e, q, d, M_x, r_x, tol_f, r_h, eps_g": "proof",
           "every approximate transition": "proof", "every position and index": "enumeration"},
    asserts=[error <= published, error <= 9 * eps_g**2 / 4],
    requires=[N >= 4, gamma_c > 0, r_x**2 >= d * M_x**2, 16 * q * d * path**2 * tol_f**2 <= eps_g**2,
              r_h >= sqrt(q) * r_x + eps_g / path],
    grid=units + points(axes, (2, "squares", 0, "binary", 5, 3, 1, 3, 5, 9, "1/2000", 10, "3/2")),
    derive=derive, derived=[path, gamma_c], construct=construct, measure=measure,
    controls=[
        Control("eps_h without sqrt(qd)", breaks=error, where=q * d >= 9,
                construct=lambda p: construct(p, isqrt(p.q * p.d))),
        Control("eps_2NN for its root", breaks=error, where=eps_g >= 4, construct=lambda p: construct(p, p.eps_g)),
        Control("no rectifier", breaks=error, where=N >= 8, construct=lambda p: construct(p, threshold=0, radius=999)),
        Control("no current token", breaks=error, construct=lambda p: replace(construct(p), gate=None)),
        Control("half of the radius", breaks=error, where=(q * d <= 1),
                construct=lambda p: construct(p, radius=Fraction(p.r_h) / 2)),
        Control("less than 9/4", breaks=error, where=Eq(trial, 0), asserts=[error <= 89 * eps_g**2 / 40]),
        Control("the fit alone", breaks=error, where=eps_g >= 2, asserts=[error <= eps_g**2]),
    ],
)
equal = replace(
    claim, label="Proposition 28, larger errors of the states",
    role="variant", source="published: Proposition 28; prose",
    scope={"every trial, link, slope, code, N, d_e, q, d, M_x, r_x, tol_f, r_h, eps_g": "proof",
           "every approximate transition": "proof", "every position and index": "enumeration"},
    asserts=[error <= published], grid=units,
    construct=larger, controls=[
        Control("a tenth more", breaks=error, construct=lambda p: larger(p, Fraction(11, 10))),
    ],
)
