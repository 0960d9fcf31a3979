r"""The width that Lemma 24 gives for the gates of Lemma 25 has the exponent 2, not the $\frac32$ in print.

Finding    The exponent that the proof of Lemma 25 prints for a width is that of a norm: Lemma 24 gives 2 for it.
Setting    Gates without state, $k=2$ variables and $L=2R$ as in lemma_24_variables. Lemma 42, up to constants: width
           $(\frac{LR}\varepsilon\log\frac{LR}\varepsilon)^k$ and
           $\|a\|\sqrt m$ of order $LR(\frac{LR}\varepsilon\log\frac{LR}\varepsilon)^{(k+1)/2}$.
Statement  A gate takes the width $R^4(\log(R/\varepsilon)/\varepsilon)^2$ and a sum of absolute output weights, at most
           $\|a\|\sqrt m$, of order $R^5(\log(R/\varepsilon)/\varepsilon)^{3/2}$. Printed is $\bar m_2\le
           O(R^4(\log(R/\varepsilon)/\varepsilon)^{3/2})$, once as a width and once as a norm: it follows from Lemma 24
           as neither, as a width for its $\frac32$ and as a norm for its $R^4$.
Witness    The gate without state, its variables counted as in lemma_24_variables.
Measured   Powers of the leading term as $R$ or $1/\varepsilon$ tends to infinity, rational; at no finite size.
Control    One variable more; one logarithm more; the width and the norm of the print, repaired.
Reads      The slip is the printed proof's. It says nothing against some network of the smaller width, and both are
           polynomial: Proposition 26, which rests on it, needs no more. The networks of lemma_25_network, with a layer
           more, have a width of order $\varepsilon^{-1/2}$.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Expr, Integer, Rational, log

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.growth import leading_term

from ..lemma_24.variables import Gate, box, construct, gradient, in_error, in_log, in_radius, powers, x
from ..notation import r_x

norm_radius = Quantity("power of R in the norm", "r_R'", "of the sum of absolute output weights", (0, None))
norm_error = Quantity("power of 1/eps in the norm", r"r_\varepsilon'", "of that sum", (0, None))


def norm(k, **x) -> Expr:
    """The bound of Lemma 42 on the output weights' norm times the root of the width, without its constant."""
    R, accuracy = (x.get(name, Integer(2)) for name in ("R", "accuracy"))
    base = 8 * R**2 * accuracy
    return R**2 * (base * log(base)) ** Rational(k + 1, 2)


def measure(gate: Gate, p, more=0, logs=0):
    k = gate.counted(box(p)) + more
    R, error = (leading_term(norm(k, **{letter: x}), x).powers[1] for letter in ("R", "accuracy"))
    return {gradient: gate.steepest(box(p)), **powers(k, more=logs), norm_radius: R, norm_error: error}


half = Fraction(3, 2)
asserts = [gradient <= 4 * (1 + r_x**2), in_radius.equals(4), in_error.equals(2), in_log.equals(2),
           norm_radius.equals(5), norm_error.equals(half)]
claim = Claim(
    "Lemma 25, the width that Lemma 24 gives",
    role="variant", source="derived here: Lemmas 24 and 42",
    scope={"every r_x": "points", "every radius": "closed form", "every error": "closed form"},
    asserts=asserts, construct=construct, measure=measure, grid=points("r_x", ("1/2",), (1,), (100,)),
    controls=[
        Control("one variable more", breaks=[in_radius, in_error, in_log, norm_radius, norm_error],
                measure=lambda gate, p: measure(gate, p, more=1)),
        Control("one logarithm more", breaks=in_log, measure=lambda gate, p: measure(gate, p, logs=1)),
    ],
)
printed = replace(
    claim, label="Lemma 25, the width and the norm in print",
    role="pitfall", source="published: Lemma 25, its proof; prose",
    note="Said by the printed proof: one formula for the width and for the norm, with the exponent 3/2.",
    asserts=[in_error <= half, norm_radius <= 4], expect="REFUTED",
    controls=[Control("width and norm by Lemma 42", asserts=[in_error.equals(2), norm_radius.equals(5)])],
)
