r"""Question (g), third moments: one position-only head gets three fifths of the raw one and none of the central one.

Setting    As in question_g. Targets: $\frac1q\sum_yx_i^3$ and $c=\frac1q\sum_y(x_i-\bar x)^3$; $B=a(y)$.
Statement  $\mathbb{E}(f-\frac1q\sum x_i^3)^2=\frac{15}q+b^2+\alpha^2A-\frac{6\alpha B}q\ge\frac6q$, approached for
           $\alpha=3$, $e^\beta\to\infty$; a constant loses $\frac{15}q$.
           $\mathbb{E}(f-c)^2=\frac{6(q-1)(q-2)}{q^3}+b^2+\alpha^2A$.
Witness    As in question_g.
Measured   As in question_g.
Control    Raw and central moment exchanged; the scale of the mean, 1 for 3; nothing known of the raw moment; a larger
           constant.
Reads      Our question, and derived here: $x^3=H_3(x)+3x$, and the selected tokens' deviations are independent of their
           mean.
"""

from dataclasses import replace

from theorytools import Control, points

from ..notation import A_2, B_y, alpha, offset, q, u
from .question_g import claim as variance
from .question_g import least, loss, measure

central = 6 * (q - 1) * (q - 2) / q**3
claim = replace(
    variance, label="Question (g), third central moment",
    role="variant", source="derived here: question (g)",
    scope={"every T and q": "points", "every head target, u, alpha, offset of the family": "points"},
    asserts=[loss.equals(central + offset**2 + alpha**2 * A_2), loss >= central],
    grid=points("target T q u alpha offset", ("central", 4, 3, 3, 0, 0), ("central", 5, 3, 100, 1, "1/2"),
                ("central", 4, 2, 2, 1, 0), ("central", 5, 2, 1000, 1, "1/2")),
    controls=[
        Control("the mean not subtracted", breaks=loss, measure=lambda net, p: measure(net, p, name="third"),
                asserts=[loss.equals(central + offset**2 + alpha**2 * A_2)]),
        Control("a variance more", breaks=loss, asserts=[loss.equals(central + least + offset**2 + alpha**2 * A_2)]),
    ],
)
raw = replace(
    variance, label="Question (g), third moment",
    role="variant", source="derived here: question (g)",
    scope={"every T and q": "points", "every head target, u, alpha, offset of the family": "points"},
    asserts=[loss.equals(15 / q + offset**2 + alpha**2 * A_2 - 6 * alpha * B_y / q), loss >= 6 / q],
    grid=points("target T q u alpha offset", ("third", 5, 2, 10**6, 3, 0), ("third", 4, 3, 5, 2, "1/3"),
                ("third", 3, 1, 100, 3, 0), ("third", 5, 2, 3, 0, 0)),
    controls=[
        Control("nothing known of the third moment", breaks=loss, where=(alpha >= 3) & (u >= 100),
                asserts=[loss >= 15 / q]),
        Control("the scale of the mean", breaks=loss, where=alpha > 0, asserts=[
            loss.equals(15 / q + offset**2 + alpha**2 * A_2 - 2 * alpha * B_y / q)]),
        Control("the mean subtracted", breaks=loss, where=q >= 2,
                measure=lambda net, p: measure(net, p, name="central"),
                asserts=[loss.equals(15 / q + offset**2 + alpha**2 * A_2 - 6 * alpha * B_y / q)]),
    ],
)
