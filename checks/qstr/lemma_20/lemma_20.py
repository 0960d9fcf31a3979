r"""Above an explicit level the squared error carries a part of the risk that vanishes with the sample size.

Setting    $\Delta=\hat y-y$, $\hat y^2\le A^2B^2(1+q\max_j\|z_j\|^2)$, $\|z_j\|^2\le\|x_j\|^2+d(1+\frac1q)$,
           moments of Assumption 1,
           $R_\tau=\mathbb{E}[\Delta^2\wedge\tau]$, $\tau^\ast$ as below and
           $E_2=2[A^2B^2(1+q(4\sqrt eC_xd\max(1,\log N)+d(1+\frac1q)))+C_y4^{s_y}]$.
Statement  $\mathbb{E}[\Delta^4]^{1/2}\le E_2$ and $\Pr(\Delta^2\ge\tau^\ast)\le2/(nE_2^2)$, hence
           $0\le R-R_{\tau^\ast}\le\sqrt{2/n}$, if $nE_2^2\ge e^{s_y/2}$.
Proof      $\Delta^2\le2\hat y^2+2y^2$ with $\mathbb{E}[y^4]^{1/2}\le C_y4^{s_y}$, and
           $\mathbb{E}[\max_j\|x_j\|^4]^{1/2}\le N^{2/r}C_xdr\le 4\sqrt eC_xd\max(1,\log N)$ at $r=4\max(1,\log N)$:
           that is $E_2$. If $\Delta^2\ge\tau^\ast$ then $\hat y^2$ or $y^2$ is at least $\tau^\ast/4$, with probability
           at most $1/(nE_2^2)$ each, by lemma_12 for one prompt and by lemma_20_labels. Then
           $R-R_{\tau^\ast}\le\mathbb{E}[\Delta^2\mathbb{1}_{\Delta^2\ge\tau^\ast}]\le E_2\sqrt{2/(nE_2^2)}$.
Adversary  Tokens and labels of two values with the heaviest tails that the moments allow at $\tau^\ast/4$; of all laws
           with these two inequalities, the one with the largest part above $\tau^\ast$: $\Delta^2=E_2/\sqrt p$ with
           probability $p=\min(2/(nE_2^2),(E_2/2\tau^\ast)^2)$, else 0; and for $E_2$ one token of the prompt always as
           long as its moments allow, the prediction at its cap, the label of other sign and of absolute value
           $\sqrt{C_y}$.
Measured   Enclosures. On the grid's second point both tails are as large as they may be. $E_2$ as the level has it,
           against the formula written here, and against the moment of that law, which is at least a third of it.
Control    Half the level; a level without the union over the prompt; one tail counted for two; $E_2$ of one dimension
           more; tokens twice as long as their moments allow.
Reads      Printed: $\tau\asymp\kappa^2\log(\kappa^2N\sqrt n)+\log(\kappa^2\sqrt n)^s$,
           $\kappa^2=Hr_{m,a}^2R_{m,w}^2r_z^2$. Here
           $\tau^\ast=\max\{4A^2B^2[1+q(d(1+\frac1q)+2C_xed\log(NnE_2^2))],4C_y(\frac{2e}{s_y}\log(nE_2^2))^{s_y}\}$:
           the same form with all constants, derived here, and a logarithm less in the first term, as $r_z^2$ has one.
           The condition serves the tail of the label (lemma_20_labels); we found no law for which the conclusion itself
           fails without it.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import E, Max, exp, log, sqrt

from theorytools import Claim, Control, Enclosure, Quantity, points
from theorytools.numbers import evaluate, minimum
from theorytools.papers.qstr.capacity.token_norms import TwoPointTokens
from theorytools.papers.qstr.capacity.truncation import Truncation

from ..notation import E_2, A, B, C_x, C_y, N, d, n, q, s_y

above = Quantity("tail", r"\Pr(\Delta^2\ge\tau^\ast)", "at the heaviest tails that the moments allow", (0, 1))
part = Quantity("truncated part", r"\max(R-R_{\tau^\ast})", "over all laws with the two inequalities", (0, E_2))
moment = Quantity("fourth moment", r"\mathbb{E}[\Delta^4]^{1/2}", "of one law", (0, None))
root = Quantity("bound of the moment", "E_2", "as it enters the level", (0, None))
formula = 2 * (A**2 * B**2 * (1 + q * (4 * sqrt(E) * C_x * d * Max(1, log(N)) + d + d / q)) + C_y * 4**s_y)


def construct(p) -> Truncation:
    return Truncation(p.N, p.n, p.d, p.q, p.A, p.B, p.C_x, p.C_y, p.s_y)


def measure(t, p, level=lambda t: evaluate(t.level)):
    def largest():
        # E_2 sqrt(mass) - level mass, by Cauchy-Schwarz; it falls in the mass from (E_2/(2 level))^2 on
        mass = minimum([2 / (p.n * evaluate(t.E_2) ** 2), (evaluate(t.E_2) / (2 * level(t))) ** 2])
        return evaluate(t.E_2) * mass.sqrt() - level(t) * mass

    return {above: lambda: t.tails(level(t)), part: largest, **moments(t, p)}


def moments(t, p, length=1, other=None):
    def largest():  # Pr(||x|| = v) = 1/N for disjoint events: one of the N tokens always has this length
        longest = evaluate(TwoPointTokens.sharp(p.d, p.C_x, p.N, "disjoint").v2) * length
        prediction = Enclosure(p.A * p.B) * (1 + (longest + p.d + Fraction(p.d) / p.q) * p.q).sqrt()
        return (prediction + Enclosure(Fraction(p.C_y)).sqrt()) ** 2
    return {moment: largest, root: lambda: evaluate((other or t).E_2)}


same = root.equals(formula, within=formula / 10**12)
claim = Claim(
    "Lemma 20",
    role="statement", source="published: Lemma 20; prose",
    scope={"every N, n, d, q, A, B, C_x, C_y, s_y": "proof", "every law of tokens and labels": "proof"},
    asserts=[above <= 2 / (n * E_2**2), part <= sqrt(2 / n), moment <= E_2, same],
    requires=[s_y >= 1, n * E_2**2 >= exp(s_y / 2)],
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
        Control("tokens twice as long as their moments allow", breaks=moment, asserts=[moment <= E_2, same],
                measure=lambda t, p: moments(t, p, length=4)),
        Control("E_2 of one dimension more", breaks=root, asserts=[moment <= E_2, same],
                measure=lambda t, p: moments(t, p, other=replace(t, d=t.d + 1))),
    ],
)
