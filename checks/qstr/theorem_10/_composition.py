"""The factors of the generalisation bound from the lemmas' displays, each by the letters before it."""

from functools import partial

import sympy
from sympy import E, Max, Rational, ceiling, log, sqrt

from theorytools.numbers import evaluate

from ..notation import D_1, D_2, E_2, R_F, D_e, Lambda, N, beta, d, d_e, n, q, r_x, r_z, tau

tokens = 4 * sqrt(E) * d * Max(1, log(N)) + d * (1 + 1 / q)  # moment of the largest token
far = d * (1 + 1 / q) + 2 * E * d * log(N * n * E_2**2)  # its size, but with probability 1/(n E_2^2)
# codes with rho = 1/2, delta = 1/100; A B = 2, m = 2; C_x = C_y = 1, s = 1; eta = 1/10
FORMULAS: dict[sympy.Symbol, sympy.Expr] = {
    d_e: ceiling(8 * (2 * log(N) + log(100))),
    D_e: d + (q + 1) * d_e,
    r_x: sqrt(3 * E * d * log(n * N)),
    r_z: sqrt(r_x**2 + d * (1 + 1 / q)),
    beta: 2 * (log(N) + log(Max(40 * sqrt(q) * r_x - 1, 1))),
    R_F: beta * q / d * sqrt(q * d_e),
    D_1: 2 * (q * D_e + 2),
    D_2: q * D_e**2,
    E_2: 2 * (4 * (1 + q * tokens) + 4),
    tau: Max(16 * (1 + q * far), 8 * E * log(n * E_2**2)),
    Lambda: D_1 * log(1 + 32 * sqrt(tau * n) * sqrt(1 + q * r_z**2))
    + D_2 * log(1 + 16 * sqrt(tau * n) * R_F * r_z**3),
}
deviation = 3 * tau * sqrt(log(200) / (2 * n))
rest = Rational(1, 100) + sqrt(2 / n)
BOUND = rest + 2 * (4 / sqrt(n) + 12 * tau * sqrt(Lambda / n)) + deviation  # by chaining


def factors(p, at):
    """Every factor at a point and a number ``at`` of prompts, at the ambient precision."""

    def value(letter):
        known = {N.name: p.N, n.name: at, d.name: p.d, q.name: p.q}
        for each, formula in FORMULAS.items():
            known[each.name] = evaluate(formula, known)
            if each == letter:
                return known[each.name]

    return {letter: partial(value, letter) for letter in FORMULAS}
