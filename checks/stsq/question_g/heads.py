r"""Question (g), scores that read the tokens: one head gets about a quarter of the variance, two heads get all of it.

Setting    As in question_g, $q=2$, attention on the selected tokens only, tilted by scores $\gamma x_i$: $f_\gamma$.
Statement  The best $\alpha f_\gamma+b$ explains less than half of $\operatorname{Var}v=\frac12$: the share is at most
           $\frac{\operatorname{Var}h}{\frac12+\operatorname{Var}h}$, $f_\gamma=\bar x+h$,
           $\operatorname{Var}h\le\mathbb{E}\frac{g^2}2$. As $\gamma\to\infty$, hard attention, it tends to
           $\frac1{2(\pi-1)}=0.2335$ ($\gamma=40$ is within $\frac1{500}$). Two heads of opposite tilt have
           $\mathbb{E}(v-\frac{f_\gamma-f_{-\gamma}}{2\gamma})^2\le\frac{35}{48}\gamma^4$, which tends to 0.
Witness    TiltedHeads: heads $W_{12}=\gamma$, $V_1=\alpha$.
Measured   Gaussian integrals by quadrature with a proved remainder.
Control    One head in place of two; an order more; hard attention as best.
Reads      Our question, and derived here for two selected tokens. That no tilt explains more than hard attention is
           false: $\gamma=3$ explains 0.2518; it is a control. For more tokens $(f_\gamma-f_{-\gamma})/(2\gamma)\to v$
           as well, by the expansion of the cumulant generating function; its rate, and training, are not covered.
"""

from sympy import Rational, pi

from theorytools import Claim, Control, Quantity, enclosed, points

from ..notation import tilt
from ._token_reading_heads import TiltedHeads

share = Quantity("share explained", r"1-2\min\mathbb{E}(\alpha f_\gamma+b-v)^2", "by one head", (0, 1))
pair = Quantity("error of two heads", r"\mathbb{E}(v-\hat v)^2", "of opposite tilt", (0, None))
hard = 1 / (2 * (pi - 1))


def construct(p) -> TiltedHeads:
    return TiltedHeads(p.tilt)


def measure(heads, p):
    return {share: enclosed(heads.share), pair: enclosed(heads.pair_error)}


claim = Claim(
    "Question (g), heads that read the tokens",
    role="variant", source="derived here: question (g)", scope={"every tilt": "points"},
    construct=construct, measure=measure,
    asserts=[share <= Rational(1, 2), pair <= Rational(35, 48) * tilt**4],
    grid=points("tilt", ("1/16",), ("1/4",), (1,), (3,), (12,)), controls=[
        Control("one head in place of two", breaks=pair, where=tilt <= Rational(1, 2),
                measure=lambda heads, p: {**measure(heads, p), pair: enclosed(lambda: (1 - heads.share()) / 2)}),
        Control("a higher order", breaks=pair, where=tilt <= Rational(1, 2),
                asserts=[share <= Rational(1, 2), pair <= tilt**6]),
        Control("hard attention as the best", breaks=share, where=(tilt >= 1) & (tilt <= 12),
                asserts=[share <= hard, pair <= Rational(35, 48) * tilt**4]),
    ],
)
limit = Claim(
    "Question (g), hard attention",
    role="growth", source="derived here: question (g)", scope={"every large tilt": "points"},
    construct=construct, asserts=share.equals(hard, within=Rational(1, 500)),
    measure=lambda heads, p: {share: enclosed(heads.share)}, requires=[tilt >= 40],
    grid=points("tilt", (40,), (160,)), controls=[
        Control("a small tilt", breaks=share, construct=lambda p: TiltedHeads(p.tilt / 40)),
    ],
)
