r"""Clipped predictions: the norm leaves the range of the loss and stays in logarithms.

Setting    The class of theorem_04, $\|\mathrm{vec}\,\Theta\|^2\le R^2$, tokens of norm at most $r_x$; a level $c$ that
           the class reaches, $\frac{R^4}4(1+Hr_x^2)\ge\max(c,|y|)^2$; $T_c\hat y$ is $\hat y$ cut to $[-c,c]$.
Statement  For every $\hat y$ and $y$, $(T_c\hat y-y)^2-(\hat y-y)^2\le(|y|-c)_+^2$, with equality at $\hat y=y$ if
           $|y|\ge c$, so the risk rises by at most $E(|y|-c)_+^2$. The largest loss of the class becomes
           $(c+|y|)^2$ at every $R$; without clipping it is at least $\frac{R^4}4(1+Hr_x^2)$.
Witness    LargestPrediction and its negative: the class holds all predictions between the two.
Measured   The largest loss over both signs and the largest rise over the ends of its pieces, in rationals.
Control    A level in proportion to $R^2$; predictions of the sign of the label; the squares added without their
           cross term; no price of clipping; half the price; the clipped loss for the other one.
Proof      $\hat y\mapsto(T_c\hat y-y)^2-(\hat y-y)^2$ is 0 on $[-c,c]$. For $\hat y>c$ it is $(c-y)^2-(\hat y-y)^2$,
           concave with its top at $\hat y=y$: at most $(y-c)^2$ if $y>c$, and negative otherwise; $\hat y<-c$ alike.
           The set of parameters contains $(ta,W,b)$ for $|t|\le1$. Equality in $|T_c\hat y-y|\le c+|y|$ at the end
           away from $y$.
Reads      Derived here. In the bound: complexity, where $\tau=4c^2$ replaces $\tau^\ast\propto R^4$ and the norms are
           left in $\log\mathcal C$. The price is $E(|y|-c)_+^2$, a tail of the label that no class decides.
"""

from fractions import Fraction

from sympy import Max, Rational, log

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.papers.qstr.capacity.generalisation import GeneralisationBound

from ..notation import D_1, D_2, R_2, H, Lambda, clip, r_x, s_R, y_0
from .theorem_04 import construct

cut = Quantity("clipped loss", r"\max(T_c\hat y-y)^2", "over the predictions of the class", (0, None))
raw = Quantity("loss", r"\max\hat y^2", "at the label 0, over the predictions of the witness", (0, None))
rise = Quantity("price", r"\max_{\hat y}(T_c\hat y-y)^2-(\hat y-y)^2", "of clipping, in squared loss")


def cropped(guess, level):
    return min(max(guess, -level), level)


def measure(net, p, level=None, signs=(1, -1)):
    """The witness reaches ``level`` and the label; the ends of all pieces are then in the class."""
    level, y, square = Fraction(level or p.clip), Fraction(p.y_0), net.squared_prediction()
    reached = level if square >= level**2 else Fraction(0)
    ends = [sign * end for sign in signs for end in (Fraction(0), level, y) if end**2 <= square]
    return {cut: max((sign * reached - y) ** 2 for sign in signs), raw: square,
            rise: max((cropped(guess, level) - y) ** 2 - (guess - y) ** 2 for guess in ends)}


price = Max(y_0 - clip, 0) ** 2
claim = Claim(
    "Theorem 4, clipped predictions",
    role="variant", source="derived here: Theorem 4",
    scope={"every reads, code, N, d, q, H, r_x, clip, y_0": "points", "every class R_2": "points",
           "every prediction": "proof", "some network": "exhibited"},
    asserts=[cut.equals((clip + y_0) ** 2), rise.equals(price), raw >= R_2**2 / 4 * (1 + H * r_x**2)],
    requires=[R_2**2 / 4 * (1 + H * r_x**2) >= Max(clip, y_0) ** 2],
    grid=points("reads code N d q H r_x R_2 clip y_0",
                ("tokens", "orthonormal", 8, 10, 3, 3, 5, 8, 5, 1), ("tokens", "orthonormal", 8, 10, 3, 3, 5, 64, 5, 1),
                ("all", "orthonormal", 1, 1, 3, 3, 2, 8, 2, 7), ("all", "orthonormal", 1, 1, 3, 3, 2, 10**4, 2, 7),
                ("all", "simplex", 16, 2, 40, 40, 3, "1/2", "9/2", "14/3"),
                ("tokens", "orthonormal", 8, 10, 3, 3, 1, 5, 5, 1),  # a class that just reaches the level
                ("tokens", "orthonormal", 8, 10, 3, 3, 1, "49/10", 5, 1),  # outside: one that does not
                ("all", "orthonormal", 64, 10, 1, 1, "7/2", 100, 3, 0)),
    construct=construct, measure=measure, controls=[
        Control("a level in proportion to the norm", breaks=cut, where=R_2 > 1, asserts=[cut.equals((clip + y_0) ** 2)],
                measure=lambda net, p: measure(net, p, level=p.clip * p.R_2 / 8 + p.clip)),
        Control("predictions of the label's sign", breaks=cut, where=y_0 > 0,
                measure=lambda net, p: measure(net, p, signs=(1,))),
        Control("no cross term", breaks=cut, where=y_0 > 0, asserts=[cut.equals(clip**2 + y_0**2)]),
        Control("no price", breaks=rise, where=y_0 > clip, asserts=[rise <= 0]),
        Control("half the price", breaks=rise, where=y_0 > clip, asserts=[rise <= price / 2]),
        Control("the clipped loss for the other one", breaks=raw, where=clip < 5, asserts=[raw <= clip**2]),
    ],
)

growth = Quantity("growth, clipped", r"\Delta_c(s_RAB)/\Delta_c(AB)", "complexity, for clipped predictions", (0, None))
fourth = Quantity("growth", r"\Delta(s_RAB)/\Delta(AB)", "complexity and deviation, of the bound", (0, None))


def bound_at(p, **spoiled) -> GeneralisationBound:
    return GeneralisationBound(**{"N": p.N, "n": p.n, "d": p.d, "q": p.q, "clip": p.clip, **spoiled})


def grown(bound, p, level=1):
    """Return the growth at the same attention norm, ``level`` times the truncation level for the clipped form."""
    def ratio(form, names, level=1):
        less = bound.values(form)
        given = {"A": less["A"] * Enclosure(p.s_R), "R_F": less["R_F"], "tau": less["tau"] * Enclosure(level)}
        if form != "clipped":
            given.pop("tau")  # it grows as its formula says
        more = bound.values(form, given=given)
        return sum((more[x] for x in names), Enclosure(0)) / sum((less[x] for x in names), Enclosure(0))

    return {growth: enclosed(lambda: ratio("clipped", ["complexity"], level)),
            fourth: enclosed(lambda: ratio("one-step", ["complexity", "deviation"]))}


def counted(bound, p):
    at = bound.values("clipped")
    return {x: at[x.name] for x in (D_1, D_2, Lambda)}


most = (1 + log(s_R) * (D_1 + D_2) / Lambda) ** Rational(1, 2)
complexity = Claim(
    "Theorem 4, complexity of clipped predictions",
    role="growth", source="derived here: Theorem 4",
    note=r"""When $AB\le\frac12R^2$ grows by $s_R$ at the same attention norm, the complexity of clipped predictions
    grows by at most $\sqrt{1+\log(s_R)(D_1+D_2)/\Lambda}$, as $\log(1+s_Rx)\le\log s_R+\log(1+x)$; complexity
    and deviation without clipping grow by at least $s_R^2$.""",
    scope={"every size N, n, d, q, clip, s_R": "points"},
    derive=counted, derived=[D_1, D_2, Lambda], requires=[s_R > 1],
    asserts=[growth <= most, fourth >= s_R**2], construct=bound_at, measure=grown,
    grid=points("N n d q clip s_R", (100, 10**6, 10, 1, 5, 2), (100, 10**6, 10, 3, 5, 64), (12, 10**10, 2, 1, 3, 10),
                (100, 10**6, 10, 1, 5, "1/2"),  # outside: norms that shrink
                (10**6, 10**18, 64, 12, 8, 1000)),
    controls=[
        Control("a level in proportion to the norm", breaks=growth, measure=lambda b, p: grown(b, p, p.s_R**2)),
        Control("no norm in the covering number", breaks=growth, asserts=[growth <= 1]),
        Control("half the logarithm", breaks=growth,
                asserts=[growth <= (1 + log(s_R) * (D_1 + D_2) / Lambda / 2) ** Rational(1, 2)]),
        Control("the square of the norm for its fourth power", breaks=fourth, asserts=[fourth <= s_R]),
    ],
)
