r"""A deep ReLU network moves by at most a multiple of how far its blocks move, and so has a covering by volume.

Setting    $f(x)=W_L\sigma(W_{L-1}\cdots\sigma(W_1x+b_1)\cdots+b_{L-1})$ with $\|W_l\|_F,\|b_l\|\le R$, $R\ge1$, and a
           second one of this class whose blocks are at most $\varrho$ away; $\|x\|\le R_{\mathrm{in}}$.
Statement  $\|f(x)-f'(x)\|\le\varrho\Lambda$, $\Lambda=LR^{L-1}(R_{\mathrm{in}}+\frac{L+1}2)$, and
           $\|f(x)\|\le R^L(R_{\mathrm{in}}+L)$; hence
           $\log\mathcal{C}(\epsilon)\le P\log(1+2R\Lambda/\epsilon)$ with $P$ parameters.
Proof      Layer $l$ has outputs $x_l$ with $\|x_l\|\le R\|x_{l-1}\|+R$, so $\|x_l\|\le R^l(R_{\mathrm{in}}+l)$ as
           $R\ge1$. The distances obey $\delta_l\le R\delta_{l-1}+\varrho\|x_{l-1}'\|+\varrho$ for $l<L$ and without the
           last term at $L$, so $\delta_L\le\varrho R^{L-1}\sum_{l\le L} (R_{\mathrm{in}}+l-1)+\varrho(L-1)R^{L-1}$, at
           most $\varrho LR^{L-1}(R_{\mathrm{in}}+\frac{L+1}2)$, as $(L-1)(L+2)\le L(L+1)$. Blocks of radius $R$ have
           coverings by radius $\epsilon/\Lambda$ of $(1+2R\Lambda/\epsilon)^k$ members, $k$ parameters each
           (lemma_14_cover).
Adversary  One unit per layer, all parameters $R$ and $R-\varrho$: equality in the limit of long inputs and small
           $\varrho$; random networks and random steps.
Measured   Squared distance of the outputs and their squared length, rational.
Control    $L$ dropped; $R^{L-2}$; inputs counted as shorter than 1; a network outside the class; half the step.
Reads      Printed for depth $O(1)$ with $\|W_l\|_F,\|b_l\|\le R$; the shape is the same, the constants are derived
           here. $R\ge1$ is used.
"""

from fractions import Fraction

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.capacity.perturbation.deep import Deep, DeepPair
from theorytools.papers.qstr.capacity.recurrent_covering import output_radius, perturbation_factor

from .notation import R_in, R_w, depth, shift, trial

moved = Quantity("squared distance", r"\max_x\|f(x)-f'(x)\|^2", "of the outputs, over the inputs", (0, None))
size = Quantity("squared length", r"\max_x\|f(x)\|^2", "largest squared length of an output", (0, None))
Lambda = perturbation_factor(L=depth, R=R_w, R_in=R_in)
bound = (shift * Lambda) ** 2
cap = output_radius(L=depth, R=R_w, R_in=R_in) ** 2


def construct(p, times=1) -> DeepPair:
    step = Fraction(p.step)
    if p.trial == 0:
        first, second = (Deep.scalar(p.depth, times * x) for x in (p.size, p.size - step))
        return DeepPair(first, second, [[Fraction(p.reach)]])
    rng = p.rng("network")
    first = Deep.random(rng, [3, *[4] * (p.depth - 1), 2])
    inputs = [[p.reach * s * Fraction(k, 15) for k in (5, 10, 10)] for s in (1, -1)]
    return DeepPair(first, first.moved(rng, step), inputs)


def derive(pair, p):
    return {R_w: pair.radius, shift: pair.distance, R_in: pair.reach}


def measure(pair, p):
    return {moved: pair.gap2(), size: pair.output2()}


aligned = Eq(trial, 0)
claim = Claim(
    "Lemma 30",
    role="statement", source="published: Lemma 30; prose",
    scope={"every depth, size, reach, step, trial": "proof", "every pair of networks": "proof"},
    asserts=[moved <= bound, size <= cap],
    derive=derive, derived=[R_w, shift, R_in], construct=construct, measure=measure,
    grid=points("depth size reach step trial",
                (1, 1, 10**4, "1/1000000", 0), (3, 1, 10**4, "1/1000000", 0), (4, 2, 10**4, "1/1000000", 0),
                (2, 3, 10**3, "1/1000000", 0), (5, 1, 1, "1/100", 0),
                *((L, 1, r, step, k) for L, r, step in ((1, 3, "1/8"), (2, 1, "1/16"), (3, 12, "1/64"), (4, 1, "1/4"))
                  for k in (1, 2))),
    controls=[
        Control("L dropped", breaks=moved, where=aligned & (depth >= 2), asserts=[moved <= bound / depth**2]),
        Control("R to the power L - 2", breaks=moved, where=aligned & (R_w >= 2), asserts=[moved <= bound / R_w**2]),
        Control("R to the power L - 1 for an output", breaks=size, where=aligned & (R_w >= 2),
                asserts=[size <= cap / R_w**2]),
        Control("inputs counted as shorter than 1", breaks=moved, where=aligned & (R_in >= 10),
                asserts=[moved <= bound.subs(R_in, 1)]),
        Control("parameters twice as large", breaks=[moved, size], where=aligned & (depth >= 2) & (R_in >= 10),
                construct=lambda p: construct(p, 2)),
        Control("half the step", breaks=moved, where=aligned & (R_in >= 10), asserts=[moved <= bound / 4]),
    ],
)
