"""One class of recurrent networks for both sides of the result: what it contains, and what is guaranteed over it."""

from sympy import Expr, Integer, Rational, ceiling, log, sqrt

from theorytools.papers.qstr.capacity.deviation import deviation
from theorytools.papers.qstr.capacity.recurrent_covering import recurrent_network


def code_length(N) -> Expr:
    return ceiling(log(N) / log(2))


def radius_2(N) -> Expr:
    """Squared radius of the ball of parameters."""
    return 3 * (code_length(N) + 2) ** 2 + 700


def class_covering(N, eps, lip) -> Expr:
    """At states of 5 numbers, four layers of at most 26 + 2 d_e units, slopes of at most lip/N.

    Inputs are a token +1 or -1 and two codes of d_e signs; the squared radius of the states is 6.
    """
    d_e = code_length(N)
    m, D_e = 26 + 2 * d_e, 1 + 2 * d_e
    between = 2 * m * (m + 1)
    P_h, P_y = m * (6 + D_e) + between + 5 * (m + 1), m * (11 + D_e) + between + m + 1
    flat = recurrent_network(eps, N=N, P_h=P_h, L_h=4, P_y=P_y, L_y=4, R=sqrt(radius_2(N)), r_h=sqrt(6), R_z=sqrt(D_e))
    return flat.expr + 2 * P_h * lip


TAU, DELTA = Integer(4), Rational(1, 2)


def terms(N, n, lip) -> dict[str, Expr]:
    """Lemma 32 and Corollary 33 over this class: with probability 1/2 the sum bounds the cut risk of a minimiser."""
    return {"resolution": 4 * sqrt(TAU / n), "complexity": 2 * TAU * sqrt(2 * class_covering(N, 1 / sqrt(n), lip) / n),
            "deviation": deviation(tau=TAU, delta=DELTA, n=n).expr}
