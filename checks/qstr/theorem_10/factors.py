r"""The factors of the generalisation bound: code length, temperature, norms, dimensions, truncation level.

Setting    As in theorem_10.
Statement  $d_e=\lceil\frac2{\rho^2}(2\log N+\log100)\rceil$, $D_e=d+(q+1)d_e$, $r_x^2=3C_xed\log(nN)$,
           $\beta=(\log N+\log(2AB\sqrt qr_x/\eta-1))/(1-\rho)$, $R_F=\beta\frac qd\sqrt{qd_e}$, $D_1=m(qD_e+2)$,
           $D_2=qD_e^2$, $E_2$ and $\tau^\ast$ as in Lemma 20, and $\Lambda$ as in Proposition 17 at the radius
           $1/(2\sqrt{\tau^\ast n})$.
Witness    GeneralisationBound: each factor a formula in the letters and the factors before it.
Measured   Every factor enclosed; the right sides are written out again, for the constants of the setting.
Control    A union bound over $N$ instead of $N^2$ pairs of codes; one head less; prompts that are not counted in the
           largest token; the head's norms not multiplied.
Reads      All formulas are derived here.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, enclosed, points

from ..notation import D_1, D_2, E_2, R_F, D_e, Lambda, beta, d_e, n, q, r_x, r_z, tau
from ._composition import FORMULAS, factors
from .theorem_10 import construct

whole = (d_e, D_e, D_1, D_2)
found = {letter: Quantity(letter.name, letter.tex, letter.meaning) for letter in FORMULAS}
asserts = {x: found[x].equals(formula, within=0 if x in whole else Rational(1, 10**10))
           for x, formula in FORMULAS.items()}  # fmt: skip


def measure(bound, p):
    return {quantity: enclosed(lambda name=x.name: bound.values()[name]) for x, quantity in found.items()}


def changed(name, breaks, where=n >= 2, **letters):
    """Another value of the letters; only what it must change is asserted."""
    return Control(name, breaks=[found[x] for x in breaks], asserts=[asserts[x] for x in breaks], where=where,
                   construct=lambda p: construct(p, **letters))  # fmt: skip


claim = Claim(
    "Theorem 10, factors of our evaluator",
    role="variant", source="derived here: Theorem 10", scope={"every size N, n, d, q": "points"},
    asserts=list(asserts.values()), construct=construct, measure=measure,
    derive=lambda bound, p: factors(p), derived=list(FORMULAS),
    grid=points("N n d q", (100, 10**6, 10, 1), (100, 10**6, 10, 3), (12, 10**4, 2, 1), (10**6, 10**18, 64, 12)),
    controls=[
        changed("one pair of codes for each position", [d_e, D_e, D_1, D_2, R_F], N=10),
        Control("one head less", breaks=[found[x] for x in (D_1, D_2, E_2, tau)], where=q > 1,
                asserts=[asserts[x] for x in (D_1, D_2, E_2, tau)], construct=lambda p: construct(p, q=p.q - 1)),
        changed("a single prompt", [r_x, r_z, beta, R_F, tau, Lambda], n=1),
        changed("the norm of one layer", [beta, R_F, E_2, tau, Lambda], B=1),
    ],
)
