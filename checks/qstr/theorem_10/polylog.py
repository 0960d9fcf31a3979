r"""The number of prompts that the generalisation bound asks for is of the order $(\log N)^4\log\log N$.

Setting    As in theorem_10, by chaining, at $d=10$, $q=1$; $d_e$ of the order $\log N$ by Hoeffding's inequality;
           $n=(\log N)^{\kappa_n}$, $N\to\infty$.
Statement  $\tau^\ast/\log N\to320e$, $\Lambda/((\log N)^2\log\log N)\to32^2(\frac72+\frac{\kappa_n}2)$, and the square
           of the excess, the bound less $\eta^2$, grows like $(\log N)^{4-\kappa_n}\log\log N$: without limit for
           $\kappa_n=3,4$, to 0 for $\kappa_n=5$.
Witness    GeneralisationBound at $N=e^L$, $L\to\infty$.
Measured   Leading terms, exactly: positive terms do not cancel, so that of a sum is its largest.
Control    One-hot codes, $d_e=N$: no power of $\log N$ is enough; a level that does not grow; a covering number without
           its dimension.
Reads      Derived here; the paper states its bound up to polylogarithmic factors.  For this bound $(\log N)^4$ prompts
           are too few, by a factor $\log\log N$; at which $N$ five powers become enough is not said.
"""

from sympy import E, Eq, Rational, Symbol, exp

from theorytools import Claim, Control, Quantity, enclosed, grid
from theorytools.claims.language.growth import Growth
from theorytools.numbers import evaluate
from theorytools.papers.qstr.capacity.generalisation import GeneralisationBound

from ..notation import power_k

L = Symbol("L", positive=True)
level = Quantity("level", r"\lim\tfrac{\tau^\ast}{320e\log N}", "limit of the truncation level")
size = Quantity("covering", r"\lim\tfrac{\Lambda}{(\log N)^2\log\log N}", "limit of the log covering number")
rate = Quantity("power of N", "e_0", "in the square of the excess")
main = Quantity("power of log N", "e_1", "in the square of the excess")
fine = Quantity("power of log log N", "e_2", "in the square of the excess")


def construct(p, k=None, **spoiled) -> GeneralisationBound:
    k = Rational(str(p.power_k)) if k is None else k
    return GeneralisationBound(**{"N": exp(L), "n": L**k, "d": 10, "q": 1, **spoiled})


def measure(bound, p, form="dudley"):
    growth = bound.growth(L, form)
    unit = {"tau": Growth(320 * E, (0, 1, 0, 0)), "Lambda": Growth(Rational(1), (0, 2, 1, 0))}
    limits = {x: enclosed(lambda name=name: evaluate((growth[name] * unit[name] ** -1).limit))
              for x, name in ((level, "tau"), (size, "Lambda"))}
    powers = zip((rate, main, fine), growth["complexity"].powers, strict=False)
    return {**limits, **{x: enclosed(lambda power=power: evaluate(2 * power)) for x, power in powers}}


powers = [rate.equals(0), main.equals(4 - power_k), fine.equals(1)]
claim = Claim(
    "Theorem 10, our evaluator in log N",
    role="growth", source="derived here: Theorem 10",
    scope={"every power power_k of log N": "points", "every large N": "closed form"},
    asserts=[level.equals(1), size.equals(512 * (7 + power_k)), *powers],
    grid=grid(power_k=[1, 3, 4, 5, "9/2", 64]), construct=construct, measure=measure,
    controls=[
        Control("one-hot codes", breaks=rate, asserts=powers[:1], construct=lambda p: construct(p, d_e=exp(L))),
        Control("a level that does not grow", breaks=[level, main], asserts=[level.equals(1), powers[1]],
                measure=lambda bound, p: measure(bound, p, "clipped")),
        Control("(log N)^4 prompts suffice", breaks=fine, where=Eq(power_k, 4), asserts=[fine <= 0]),
        Control("codes of fixed length", breaks=[main], asserts=powers[1:2], construct=lambda p: construct(p, d_e=100)),
    ],
)
