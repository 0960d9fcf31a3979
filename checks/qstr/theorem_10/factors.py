r"""The factors of the generalisation bound: code length, temperature, norms, dimensions, truncation level.

Setting    As in theorem_10, at $n=10^6$, $N=100$, $d=10$.
Statement  $d_e=\lceil\frac2{\rho^2}(2\log N+\log100)\rceil$, $D_e=d+(q+1)d_e$, $r_x^2=3C_xed\log(nN)$,
           $\beta=(\log N+\log(2AB\sqrt qr_x/\eta-1))/(1-\rho)$, $R_F=\beta\frac qd\sqrt{qd_e}$, $D_1=m(qD_e+2)$,
           $D_2=qD_e^2$, $E_2$ and $\tau^\ast$ as in Lemma 20 take the listed values.
Witness    GeneralisationBound: each factor a formula in the letters and the factors before it.
Measured   Every factor enclosed, against a separate evaluation in doubles, to half a unit of its last digit.
Control    A union bound over $N$ instead of $N^2$ pairs of codes; one head less; prompts that are not counted in the
           largest token; the head's norms not multiplied.
Reads      All formulas are derived here.
"""

from sympy import Integer, Rational

from theorytools import Claim, Control, Quantity, enclosed, points

from ..notation import D_1, D_2, E_2, R_F, D_e, beta, d_e, q, tau
from .theorem_10 import construct

DIGITS = {d_e: 0, D_e: 0, D_1: 0, D_2: 0, beta: 4, R_F: 4, E_2: 3, tau: 3}
factors = {letter: Quantity(letter.name, letter.tex, letter.meaning) for letter in DIGITS}
asserts = {x: factors[x].equals(x, within=Rational(1, 2 * 10**places) if places else Integer(0))
           for x, places in DIGITS.items()}  # fmt: skip


def measure(bound, p):
    return {quantity: enclosed(lambda name=x.name: bound.values()[name]) for x, quantity in factors.items()}


def changed(name, breaks, **letters):
    """Another value of the letters; only what it must change is asserted."""
    return Control(name, breaks=[factors[x] for x in breaks], asserts=[asserts[x] for x in breaks],
                   construct=lambda p: construct(p, **letters))  # fmt: skip


claim = Claim(
    "Theorem 10, factors of our evaluator",
    role="variant", source="derived here: Theorem 10", scope={"every size": "points"},
    asserts=list(asserts.values()), construct=construct, measure=measure,
    tabulated=list(DIGITS),
    grid=points("N n d q d_e D_e D_1 D_2 beta R_F E_2 tau",
                (100, 10**6, 10, 1, 111, 232, 468, 53824, "23.9015", "25.1818", "2605.645", "30042.734"),
                (100, 10**6, 10, 3, 111, 454, 2728, 618348, "25.0006", "136.8656", "7624.936", "95380.178")),
    controls=[
        changed("one pair of codes for each position", [d_e, D_e, D_1, D_2, R_F], N=10),
        Control("one head less", breaks=[factors[x] for x in (D_1, D_2, E_2, tau)], where=q > 1,
                asserts=[asserts[x] for x in (D_1, D_2, E_2, tau)], construct=lambda p: construct(p, q=p.q - 1)),
        changed("a single prompt", [beta, R_F, tau], n=1), changed("the norm of one layer", [beta, R_F, E_2, tau], B=1),
    ],
)
