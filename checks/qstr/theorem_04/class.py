r"""The class of the main theorem must grow with the number of prompts, if only like a double logarithm.

Setting    The construction at leakage small enough for the token radius $r_x=\sqrt{3C_xed\log(nN)}$: temperature
           $\beta=(\log N+\log(c_q-1))/(1-\rho)$, $c_q=2AB\sqrt qr_x/\eta$, at $\rho=\frac12$, and $R_F\propto\beta$.
Statement  From $n$ to $n^4N^3$ prompts $r_x$ doubles and $(1-\rho)\beta$ grows by at least $\log2$ and at most
           $\log2+\frac1{2(c_q-1)}$: without limit, so no class of fixed $R_F$ holds the construction for every $n$, but
           like $\frac12\log\log n$.
Witness    GeneralisationBound, its temperature at both numbers of prompts.
Measured   The increase of $(1-\rho)\beta$, enclosed; for the control, $R_F$ over $R_F$.
Control    A radius that does not depend on $n$; an increase like $\log n$.
Reads      $\Theta^\ast$ depends on $n$ through $r_x$ inside $\alpha$; a class that may grow like a power of $\log n$,
           as in the theorem up to logarithms, holds it.  One class for every $n$ does not: a control.
"""

from sympy import log

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.papers.qstr.capacity.generalisation import GeneralisationBound

from ..notation import N, c_q, n

rise = Quantity("increase", r"(1-\rho)\Delta\beta", "of the temperature that leakage asks for", (0, None))
growth = Quantity("growth", r"R_F(n^4N^3)/R_F(n)", "of the norm of the attention parameters", (0, None))


def construct(p, **spoiled) -> GeneralisationBound:
    return GeneralisationBound(N=p.N, n=p.n, d=p.d, q=p.q, **spoiled)


def odds(bound):
    values = bound.values()
    return 2 * values["A"] * values["B"] * values["q"].sqrt() * values["r_x"] / values["eta"]


def measure(bound, p, radius=None):
    def at(count):
        given = {"n": Enclosure(count)} | ({} if radius is None else {"r_x": Enclosure(radius)})
        return bound.values(given=given)

    many = p.n**4 * p.N**3
    return {rise: enclosed(lambda: (at(many)["beta"] - at(p.n)["beta"]) / 2),
            growth: enclosed(lambda: at(many)["R_F"] / at(p.n)["R_F"])}


shared = {"construct": construct, "measure": measure, "derived": [c_q], "derive": lambda b, p: {c_q: lambda: odds(b)},
          "grid": points("N n d q", (100, 10**6, 10, 1), (64, 10, 10, 3), (10**6, 10**18, 2, 1), (3, 10**60, 10, 40))}
doubled = [rise >= log(2), rise <= log(2) + 1 / (2 * (c_q - 1))]
claim = Claim(
    "Theorem 4, the class grows",
    role="necessity", source="derived here: Theorem 4", scope={"every N, n, d, q": "points"},
    asserts=doubled, requires=[c_q > 2, N >= 2], **shared,
    controls=[
        Control("a radius that does not depend on n", breaks=doubled[:1],
                measure=lambda bound, p: measure(bound, p, 30)),
        Control("one class for every n", breaks=growth, asserts=[growth <= 1]),
        Control("an increase like log n", breaks=rise, asserts=[rise >= log(n)]),
    ],
)
