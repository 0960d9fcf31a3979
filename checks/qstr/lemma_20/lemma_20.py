r"""Above an explicit level the squared error carries a part of the risk that vanishes with the sample size.

Setting    $\Delta=\hat y-y$, $\hat y^2\le A^2B^2(1+q\max_j\|z_j\|^2)$, moments of Assumption 1,
           $R_\tau=\mathbb{E}[\Delta^2\wedge\tau]$, $\tau^\ast$ and $E_2$ in closed form.
Statement  $\mathbb{E}[\Delta^4]^{1/2}\le E_2$ and $\Pr(\Delta^2\ge\tau^\ast)\le2/(nE_2^2)$, hence
           $0\le R-R_{\tau^\ast}\le\sqrt{2/n}$, if $nE_2^2\ge e^{s_y/2}$.
Adversary  Tokens and labels of two values with the heaviest tails that the moments allow at $\tau^\ast/4$; and, of all
           laws with these two inequalities, the one with the largest part above $\tau^\ast$: $\Delta^2=E_2/\sqrt p$
           with probability $p=2/(nE_2^2)$, else 0.
Measured   Enclosures.  On the grid's second point both tails are as large as they may be.
Control    Half the level; a level without the union over the prompt; one tail counted for two.
Reads      The form is the paper's, all constants are derived here.  The condition serves the tail of the label
           (lemma_20_labels); we found no law for which the conclusion itself fails without it.
"""

from dataclasses import replace

from sympy import exp, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import evaluate
from theorytools.theory.capacity.truncation import Truncation

from ..notation import E_2, C_y, n, s_y

above = Quantity("tail", r"\Pr(\Delta^2\ge\tau^\ast)", "at the heaviest tails that the moments allow", (0, 1))
part = Quantity("truncated part", r"\max(R-R_{\tau^\ast})", "over all laws with the two inequalities", (0, E_2))


def construct(p) -> Truncation:
    return Truncation(p.N, p.n, p.d, p.q, p.A, p.B, p.C_x, p.C_y, p.s_y)


def measure(t, p, level=lambda t: evaluate(t.level)):
    def largest():
        mass = 2 / (p.n * evaluate(t.E_2) ** 2)
        return evaluate(t.E_2) * mass.sqrt() - level(t) * mass

    return {above: lambda: t.tails(level(t)), part: largest}


claim = Claim(
    "Lemma 20",
    role="statement", source="reconstructed: Lemma 20; prose", scope={"every law of tokens and labels": "points"},
    asserts=[above <= 2 / (n * E_2**2), part <= sqrt(2 / n)], requires=[s_y >= 1, n * E_2**2 >= exp(s_y / 2)],
    derive=lambda t, p: {E_2: lambda: evaluate(t.E_2)}, derived=[E_2],
    grid=points("N n d q A B C_x C_y s_y", (100, 10**6, 10, 1, 1, 2, 1, 1, 1),
                (100, 10**6, 10, 1, 1, 2, 1, "46.69791", 1),
                (64, 10**4, 4, 2, 1, 1, 1, 8, 2), (10**6, 10**18, 10, 3, 2, 1, 2, 1, 1)),
    construct=construct, measure=measure,
    controls=[
        Control("half the level", breaks=above, measure=lambda t, p: measure(t, p, lambda t: evaluate(t.level) / 2)),
        Control("a level without the union over the prompt", breaks=above, where=C_y < 40,
                measure=lambda t, p: measure(t, p, lambda t: evaluate(replace(t, N=1).level))),
        Control("one tail for two", breaks=[above, part], where=C_y > 40,
                asserts=[above <= 1 / (n * E_2**2), part <= sqrt(1 / n)]),
    ],
)
