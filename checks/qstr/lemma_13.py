r"""Coverings multiply: a covering of the heads and one of the attention outputs make one of their compositions.

Setting    Heads $f$ that are $L_f$-Lipschitz, attention outputs $h$; distances are largest over the sample, for heads
           over all inputs as long as the longest output.
Statement  $\mathcal{C}(\{f\circ h\},L_f\epsilon_1+\epsilon_2)\le
           \mathcal{C}(\mathcal{F}_{\mathrm{Attn}},\epsilon_1)\,\mathcal{C}(\mathcal{F}_{\mathrm{2NN}},\epsilon_2)$.
Proof      Let $h_k$ and $f_l$ be centres within $\epsilon_1$ of $h$ and $\epsilon_2$ of $f$. At every point of the
           sample $|f(h)-f_l(h_k)|\le|f(h)-f(h_k)|+|f(h_k)-f_l(h_k)|\le L_f\epsilon_1+\epsilon_2$: $h_k$ is in the
           class, so its outputs are no longer than the longest. There are as many pairs $(k,l)$ as the product says.
Adversary  Finite classes: members far apart, offsets of exactly $\epsilon_2$, outputs exactly $\epsilon_1$ apart under
           the steepest head, all of which attain the bound; random heads and outputs.
Measured   Covering numbers by enumeration, in rationals.
Control    $\epsilon_2$ not added; $L_f$ left out; one of the two coverings alone.
Reads      As printed it is on the event of Lemma 12 with the Lipschitz constant of the second layer; the same. The
           centres lie in the classes. One of the two coverings may use others, not both: the heads' distance and
           Lipschitz constant are known for members only.
"""

from fractions import Fraction

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.capacity.finite_covers import Composition

from .notation import cover_1, cover_2, heads, outputs, trial

number = Quantity("covering number", r"\mathcal{C}(\{f\circ h\},L_f\epsilon_1+\epsilon_2)", "of the compositions",
                  (1, None))


def construct(p) -> Composition:
    if p.trial:
        return Composition.random(p.rng("class"), p.heads, p.outputs)
    return Composition.ladder(centred(p.heads, p.offset), centred(p.outputs, p.step))


def centred(count, step):
    return [(k - Fraction(count - 1, 2)) * step for k in range(count)]


def measure(family, p, slope=1, offset=1):
    return {number: family.number(slope * family.lipschitz() * p.eps_1 + offset * p.eps_2)}


def derive(family, p):
    return {cover_1: family.output_number(p.eps_1), cover_2: family.head_number(p.eps_2)}


equality = Eq(trial, 0)
claim = Claim(
    "Lemma 13",
    role="statement", source="published: Lemma 13; prose",
    scope={"every heads, offset, outputs, step, eps_1, eps_2, trial": "proof", "every pair of classes": "proof"},
    asserts=[number <= cover_1 * cover_2], derive=derive, derived=[cover_1, cover_2],
    grid=points("heads offset outputs step eps_1 eps_2 trial", (3, 30, 3, 1, "1/4", "1/4", 0),
                (3, 1, 1, 1, "1/4", 2, 0), (1, 1, 3, "1/4", "1/4", "1/4", 0), (3, 1, 3, "1/4", "1/4", 2, 0),
                *((4, 1, 5, 1, e, f, k) for e, f in (("1/8", "1/4"), ("1/4", "1/8"), ("1/2", "1/8"))
                  for k in (1, 2, 3))),
    construct=construct, measure=measure, controls=[
        Control("eps_2 not added", breaks=number, where=equality & (heads >= 2) & Eq(cover_2, 1),
                measure=lambda f, p: measure(f, p, offset=0)),
        Control("L_f left out", breaks=number, where=equality & (outputs >= 2) & Eq(cover_1, 1),
                measure=lambda f, p: {number: f.number(p.eps_1 + p.eps_2)}),
        Control("the heads' covering alone", asserts=[number <= cover_2], breaks=number,
                where=equality & (outputs >= 2) & (cover_1 >= 2)),
        Control("the outputs' covering alone", asserts=[number <= cover_1], breaks=number,
                where=equality & (heads >= 2) & (cover_2 >= 2)),
    ],
)
