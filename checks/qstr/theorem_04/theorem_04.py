r"""How large the predictions of the main theorem's class are: its argument needs the fourth power of the norm.

Setting    All parameters with $\|\mathrm{vec}\,\Theta\|^2\le R^2$: attention matrices, output weights $a$, input
           weights and biases $(W,b)$ of the head; tokens of norm at most $r_x$, $r_z^2=r_x^2+d(1+1/q)$.
Statement  $\frac{R^4}4(1+Hr_x^2)\le\sup\hat y^2\le\frac{R^4}4(1+Hr_z^2)$: the squared loss that the argument truncates
           is of the order $R^4Hd$ up to logarithms, so the written argument yields $C_1\asymp R^4qd$.
Witness    LargestPrediction: uniform attention, all tokens $r_xe_1$, one index tuple, one ReLU along its input; reading
           the whole input at $N=1$ it attains the upper bound, which is $|\hat y|\le\|a\|\|(W,b)\|_F\sqrt{1+\|f\|^2}$
           with $\|f\|^2\le Hr_z^2$ and $2\|a\|\|(W,b)\|_F\le R^2$.
Measured   The prediction and the norm that it uses, in rationals.
Control    A tenth of the norm on the output weight; no bias; codes without their factor $\sqrt{d/q}$; a larger norm.
Reads      As transcribed the theorem has $C_1=R^2qd$ for this class. Read as a bound on the loss, up to a constant
           $C$, that fails for large $R$ (a control); $R^4$ repairs it. The display was not available to us; the
           constant of the general theorem, $q\,r_a^2r_w^2r_z^2$, agrees with $R^4$, as $r_ar_w\le R^2/2$.
"""

from fractions import Fraction

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.by_family import code_of_family
from theorytools.constructions.network import changed

from ..notation import R_2, H, N, d, q, r_x
from ._largest_prediction import LargestPrediction

square = Quantity("squared prediction", r"\hat y^2", "of the witness", (0, None))
norm = Quantity("squared norm", r"\|\mathrm{vec}\,\Theta\|^2", "of all parameters of the witness", (0, None))
z_2 = r_x**2 + d * (1 + 1 / q)


def construct(p, **spoiled) -> LargestPrediction:
    codes = None if p.N == 1 else code_of_family(p.code, p.N, p.N, p.rng("codes"))
    letters = {"d": p.d, "q": p.q, "H": p.H, "r_x": p.r_x, "R_2": p.R_2, "reads": p.reads}
    return changed(LargestPrediction(codes, **letters), **spoiled)


def measure(net, p):
    return {square: net.squared_prediction(), norm: net.squared_norm()}


lowest, highest, allowed = square >= R_2**2 / 4 * (1 + H * r_x**2), square <= R_2**2 / 4 * (1 + H * z_2), norm <= R_2
claim = Claim(
    "Theorem 4, size of the predictions",
    role="variant", source="derived here: Theorem 4",
    scope={"every reads, code, N, d, q, H, r_x": "points", "every class R_2": "points", "some network": "exhibited"},
    asserts=[lowest, highest, allowed], construct=construct, measure=measure,
    grid=points("reads code N d q H r_x R_2",
                ("tokens", "orthonormal", 8, 10, 3, 3, 5, 8), ("all", "orthonormal", 1, 1, 3, 3, 2, 8),
                ("all", "simplex", 16, 2, 40, 40, 3, "1/2"), ("all", "orthonormal", 64, 10, 1, 1, "7/2", 100)),
    controls=[
        Control("a tenth of the norm on the output weight", breaks=lowest, where=Eq(N, 8),
                construct=lambda p: construct(p, share=Fraction(1, 10))),
        Control("no bias", breaks=lowest, where=Eq(N, 8), construct=lambda p: construct(p, one=0)),
        Control("codes without their factor", breaks=highest, where=Eq(N, 1) & (d < q),
                construct=lambda p: construct(p, squared_scale=Fraction(1))),
        Control("the square of the norm for its fourth power", breaks=square, where=R_2 >= 8,
                asserts=[square <= R_2 * (1 + H * z_2)]),
        Control("twice the squared norm", breaks=[highest, allowed], construct=lambda p: construct(p, R_2=2 * p.R_2)),
    ],
)
