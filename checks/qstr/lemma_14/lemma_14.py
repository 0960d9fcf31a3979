r"""Two-layer heads differ by at most a multiple of the distance of their parameters.

Setting    Heads $f(h)=a^\top\sigma(Wh+b)$ with $\|a\|\le A$, $\|(W,b)\|_F\le B$, on $\|h\|\le\sqrt Hr_z$.
Statement  $|f(h)-f'(h)|\le\sqrt{1+Hr_z^2}\,(B\|a-a'\|+A\|(W,b)-(W',b')\|_F)$.
Proof      $f-f'=(a-a')^\top\sigma(Wh+b)+a'^\top(\sigma(Wh+b)-\sigma(W'h+b'))$. As $\sigma$ is 1-Lipschitz with
           $\sigma(0)=0$ the first term is at most $\|a-a'\|\,\|(W,b)\|_F\|(h,1)\|$ and the second
           $\|a'\|\,\|(W,b)-(W',b')\|_F\|(h,1)\|$, and $\|(h,1)\|^2\le1+Hr_z^2$.
Adversary  Heads whose units all point to $(h,1)$, the second with one layer halved: equality; random pairs.
Measured   The square of the largest difference over inputs of length $\sqrt Hr_z$, rational.
Control    $1+r_z^2$ or $Hr_z^2$ for $1+Hr_z^2$; $A$ and $B$ exchanged; one of the two terms alone; inputs twice as
           long.
Reads      The hypothesis, as transcribed, names the parameters of the recurrent network; those of the head are meant.
           The constants are derived here.
"""

from dataclasses import replace

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.capacity.perturbation.networks import HeadPair

from ..notation import A, B, H, gap_a, gap_W, r_z, trial

moved = Quantity("squared distance of the heads", r"\max_h|f(h)-f'(h)|^2", "largest over the inputs", (0, None))
bound = (1 + H * r_z**2) * (B * gap_a + A * gap_W) ** 2


def construct(p) -> HeadPair:
    shape = {"m": p.m, "H": p.H, "D_e": p.D_e, "r_z": p.r_z}
    if p.trial == 0:
        return HeadPair.aligned(**shape, A=p.size_a, B=p.size_W, halved=p.family)
    return HeadPair.random(p.rng("heads"), **shape)


def longer(pair):
    return replace(pair, inputs=[[2 * x for x in h] for h in pair.inputs])


def derive(pair, p):
    return {A: lambda: pair.sizes()[0], B: lambda: pair.sizes()[1],
            gap_a: lambda: pair.distances()[0], gap_W: lambda: pair.distances()[1]}


equality, outer, inner = Eq(trial, 0), Eq(gap_W, 0), Eq(gap_a, 0)
claim = Claim(
    "Lemma 14, distance of two heads",
    role="statement", source="published: Lemma 14; prose",
    scope={"every family, m, H, D_e, r_z, size_a, size_W, trial": "proof", "every pair of heads": "proof",
           "every input": "proof"},
    asserts=[moved <= bound],
    derive=derive, derived=[A, B, gap_a, gap_W],
    grid=points("family m H D_e r_z size_a size_W trial",
                ("outer", 1, 3, 1, 1, 1, 2, 0), ("inner", 1, 3, 1, 1, 1, 2, 0),
                ("outer", 2, 2, 4, 2, 3, 1, 0), ("inner", 2, 2, 4, 2, 3, 1, 0),
                ("outer", 1, 1, 1, "3/4", 1, 1, 0), ("inner", 2, 1, 1, "3/4", 1, 1, 0))
    + points("family m H D_e r_z size_a size_W trial",
             *(("random", m, H, D, r, 1, 1, k) for m, H, D in ((1, 1, 1), (2, 2, 1), (4, 2, 3))
               for r, k in (("1/4", 1), (1, 2), (3, 3)))),
    construct=construct, measure=lambda pair, p: {moved: pair.gap() ** 2}, controls=[
        Control("inputs twice as long", breaks=moved, where=equality, construct=lambda p: longer(construct(p))),
        Control("1 for H", asserts=[moved <= bound.subs(H, 1)], breaks=moved, where=equality & (H >= 2)),
        Control("the bias left out", asserts=[moved <= H * r_z**2 * (B * gap_a + A * gap_W) ** 2], breaks=moved,
                where=equality),
        Control("A and B exchanged", asserts=[moved <= (1 + H * r_z**2) * (A * gap_a + B * gap_W) ** 2], breaks=moved,
                where=equality & ((outer & (A < B)) | (inner & (B < A)))),
        Control("the output weights alone", asserts=[moved <= (1 + H * r_z**2) * (B * gap_a) ** 2], breaks=moved,
                where=inner),
        Control("the input weights alone", asserts=[moved <= (1 + H * r_z**2) * (A * gap_W) ** 2], breaks=moved,
                where=outer),
    ],
)
