r"""The Transformers of a class have a covering whose logarithm is a sum over the parameters of head and attention.

Setting    The class of Proposition 17 with $\|\Theta\|_F\le R_F$, in the largest distance over a sample with
           $\|z\|\le r_z$; $D_1=m(HD_e+2)$, $D_2=HD_e^2$.
Statement  $\log\mathcal{C}(\mathcal{F}_{\mathrm{TR}},\varepsilon)\le D_1\log(1+8AB\sqrt{1+Hr_z^2}/\varepsilon)
           +D_2\log(1+4ABR_Fr_z^3/\varepsilon)=\Lambda(\varepsilon)$.
Proof      Lemma 13 with $L_f=AB$, $\epsilon_2=\frac\varepsilon2$ for the heads (lemma_14_cover:
           $8AB\sqrt{1+Hr_z^2}/\varepsilon$) and $\epsilon_1=\frac\varepsilon{2AB}$ for the outputs:
           $\max_j\|(\Theta-\Theta')^\top z_j\|\le\epsilon_1/r_z^2$ is enough (lemma_15), so $2R_Fr_z\cdot
           r_z^2/\epsilon_1=4ABR_Fr_z^3/\varepsilon$ (lemma_16.covering). All centres lie in the classes.
Witness    At $m=H=D_e=1$, tokens $\pm r_z$: a grid, a quarter of the radius for $a$, a quarter for $(w,b)$, half for
           $\theta$, all centres in the class.
Measured   The size, counted; the distance of every member from the centre of its cell, bounded on whole boxes.
Control    A grid five times as coarse; one laid out without $r_z^3$; one parameter for the three of the head.
Reads      Printed: $m_gHD_e\log(1+R/\varepsilon)$ with $R=\max(r_{m,a},R_{m,w},r_z)$ for the head, up to constants, and
           for the attention the smaller of $C_2\varepsilon^{-2}\log$ and $C_3\log(1+C_4/\varepsilon)$, from
           $R_F\le\sqrt Hr_{QK}$ and $R_{2,1}\le Hr_{QK}$. Here are the first term and the branch $C_3=HD_e^2$, with
           constants, and $4ABR_Fr_z^3\le4C_4$; the branch of $C_2$ is not in it. The constants, $c_{sm}=1$ and the two
           radii are derived here.
"""

from fractions import Fraction

from sympy import exp

from theorytools import Claim, Control, points
from theorytools.papers.qstr.capacity.covering import attention, head, log_covering
from theorytools.theory.capacity.grid_covers import NetworkGrid, exact_root

from ..lemma_14.cover import radius, size
from ..notation import R_F, A, B, eps_c, r_z

one = {"H": 1, "D_e": 1, "r_z": r_z}
bound = exp(log_covering(eps_c, m=1, A=A, B=B, R_F=R_F, **one))
fewer = exp(head(eps_c / 2, m=1, A=A, B=B, **one).expr / 3 + attention(eps_c / (2 * A * B), R_F=R_F, **one).expr)


def construct(p, **spoiled) -> NetworkGrid:
    numbers = {name: Fraction(getattr(p, name)) for name in ("A", "B", "R_F", "r_z")}
    return NetworkGrid(**numbers, eps=Fraction(p.eps_c), lipschitz=exact_root(1 + Fraction(p.r_z) ** 2), **spoiled)


claim = Claim(
    "Proposition 17, a covering",
    role="statement", source="published: Proposition 17; prose",
    scope={"every A, B, R_F, r_z": "proof", "every radius eps_c": "proof", "some covering": "exhibited",
           "every network": "closed form"},
    asserts=[size <= bound, radius <= eps_c],
    grid=points("A B R_F r_z eps_c", (1, 1, 1, "3/4", 1), (1, 1, 1, "4/3", 2), (2, "1/2", "1/4", "12/5", 2)),
    construct=construct, measure=lambda g, p: {size: g.size(), radius: g.radius()}, controls=[
        Control("five times as coarse", breaks=radius, construct=lambda p: construct(p, coarse=5)),
        Control("laid out without r_z^3", breaks=radius, where=r_z >= 2, construct=lambda p: construct(p, power=0)),
        Control("one parameter for the three of the head", asserts=[size <= fewer], breaks=size),
    ],
)
