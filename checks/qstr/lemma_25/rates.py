r"""The rates of Lemmas 22 to 25 follow from Lemma 42 by counting variables, copies and errors.

Setting    Lemma 42, up to constants: an $L$-Lipschitz function of $k$ variables on a ball of radius $R$ takes
           $(\frac{LR}\varepsilon\log\frac{LR}\varepsilon)^k$ units, $\|a\|\sqrt m$ of order
           $LR(\frac{LR}\varepsilon\log\frac{LR}\varepsilon)^{(k+1)/2}$.
Statement  Lemma 22, $d_e$ products of two variables with error $\varepsilon/d_e$: width $d_e^3\varepsilon^{-2}$,
           $\|a\|\sqrt m$ of $d_e^{5/2}\varepsilon^{-3/2}$.  Lemma 24, $k=3$ and $L=R$: width $R^6\varepsilon^{-3}$,
           without the state $R^4\varepsilon^{-2}$.  Lemma 25, gates without the state: width $R^4\varepsilon^{-2}$,
           sums of absolute output weights $R^5\varepsilon^{-3/2}$.  Logarithms are left out here, and the rates are
           those of leading terms, at no finite size.
Witness    The two formulas of Lemma 42, with each copy's share of the error inserted.
Measured   Powers of the leading term as $d_e$, $R$ or $1/\varepsilon$ tends to infinity, rational, those of the
           logarithm among them: $k$ in a width, $\frac{k+1}2$ in a norm.
Control    One variable fewer; $L$ independent of $R$; the error not shared among the copies; one logarithm more.
Reads      The rates of Lemmas 22 and 24 are those transcribed.  For Lemma 25 a width of $\varepsilon^{-3/2}$ and a norm
           of $R^4$ are transcribed; Lemma 42 does not give them, and what it gives is a claim of its own.  Both are
           polynomial, and nothing rests on the difference.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Eq, Expr, Integer, Rational, Symbol, log

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.growth import leading_term
from theorytools.errors import DomainError

from ..notation import power_log, stated

logs = Quantity("power of the logarithm", "r_{\\log}", "beside that of the letter that grows", (0, None))
power = Quantity("power", "r", "of the letter that grows", (0, None))
x = Symbol("x", positive=True)
RATES = {
    ("lemma_22", "width", "d_e"): 3, ("lemma_22", "width", "accuracy"): 2,
    ("lemma_22", "norm", "d_e"): Fraction(5, 2), ("lemma_22", "norm", "accuracy"): Fraction(3, 2),
    ("lemma_24", "width", "R"): 6, ("lemma_24", "width", "accuracy"): 3,
    ("stateless", "width", "R"): 4, ("stateless", "width", "accuracy"): 2,
    ("lemma_25", "width", "R"): 4, ("lemma_25", "width", "accuracy"): 2,
    ("lemma_25", "norm", "R"): 5, ("lemma_25", "norm", "accuracy"): Fraction(3, 2),
}
VARIABLES = {"lemma_22": 2, "lemma_24": 3, "stateless": 2, "lemma_25": 2}


def rate(p, fewer=0, steep=True, shared=True, more=0) -> Expr:
    """The width, or the output weights' norm times the root of the width, in x; other letters are 2."""
    if (p.lemma, p.part, p.grows) not in RATES:
        raise DomainError(f"{p.lemma}, {p.part}, {p.grows}", required="a rate that is stated")
    copies, R, eps = (x if p.grows == name else Integer(2) for name in ("d_e", "R", "accuracy"))
    k, copies = VARIABLES[p.lemma] - fewer, copies if p.lemma == "lemma_22" else Integer(1)
    LR = Integer(1) if p.lemma == "lemma_22" else R * (R if steep else 1)
    accuracy = 8 * LR * eps * (copies if shared else 1)
    beside = log(accuracy) ** more
    if p.part == "width":
        return copies * (accuracy * log(accuracy)) ** k * beside
    # copies add up their squares, and each has a share 1/copies of the width
    return copies * LR * (accuracy * log(accuracy)) ** Rational(k + 1, 2) * beside


def powers(expr, p):
    found = leading_term(expr, x).powers
    return {power: found[1], logs: found[2]}


def derive(expr, p):
    k = VARIABLES[p.lemma]
    return {stated: RATES[p.lemma, p.part, p.grows], power_log: k if p.part == "width" else Fraction(k + 1, 2)}


shared = {"construct": rate, "measure": powers, "derive": derive, "derived": [stated, power_log],
          "asserts": [power.equals(stated), logs.equals(power_log)]}
one_more = Control("one logarithm more", breaks=logs, construct=lambda p: rate(p, more=1))
ours = [key for key in RATES if key[0] == "lemma_25"]
claim = Claim(
    "Lemmas 22 and 24, rates",
    role="growth", source="published: Lemmas 22 and 24; prose",
    scope={"every lemma, part, grows": "points", "every dimension": "closed form", "every error": "closed form"},
    grid=points("lemma part grows", *(key for key in RATES if key not in ours)), **shared,
    controls=[
        Control("one variable fewer", breaks=[power, logs], construct=lambda p: rate(p, fewer=1)), one_more,
        Control("a Lipschitz constant of order one", breaks=power, where=stated >= 4,
                construct=lambda p: rate(p, steep=False)),
        Control("the error not shared", breaks=power, where=Eq(stated, Rational(5, 2)),
                asserts=[power.equals(stated)], construct=lambda p: rate(p, shared=False)),
    ],
)
gates = replace(
    claim, label="Lemma 25, rates by Lemma 42", role="growth", source="derived here: Lemma 42",
    scope={"every lemma, part, grows": "points", "every radius": "closed form", "every error": "closed form"},
    grid=points("lemma part grows", *ours),
    controls=[
        Control("one variable fewer", breaks=[power, logs], construct=lambda p: rate(p, fewer=1)), one_more,
        Control("the width transcribed", breaks=power, where=Eq(stated, 2), asserts=[power <= Rational(3, 2)]),
        Control("the norm transcribed", breaks=power, where=Eq(stated, 5), asserts=[power <= 4]),
    ],
)
