r"""With stochastic encodings and the best scale the loss at a length $T'>T$ is at most a constant times that at $T$.

Setting    Trained at length $T$, used at $T'\ge T$ with the same $q$; orthonormal draws of the encodings, $d_e\ge T'$,
           $n=T-q$, $n'=T'-q$, $\Delta=T'-T$. Scores $\log u$ on the selected tokens, 0 elsewhere, values scaled by
           $\alpha$.
Statement  At the best $\alpha$ for length $T$ and every $u>0$, with $v=qu$,
           $\frac{L_{T'}}{L_T}=\frac{(v^2\Delta+qn(v+n'))^2/q+n'v^2(v+n)^2}{n(v^2+qn)(v+n')^2}\le\rho
           =\frac{\Delta^2}{qn}+\frac{n'}n$, with limit $\rho$; $L_T=\frac{dn}{v^2+qn}$. At $\alpha=1$ the ratio is
           $\frac{n'T'}{nT}(\frac{v+n}{v+n'})^2$, with limit $\frac{n'T'}{nT}$.
Proof      $L_{T'}=d\bigl[\frac{(\alpha p'-1)^2}q+\frac{\alpha^2(1-p')^2}{n'}\bigr]$, $p'=\frac v{v+n'}$, at
           $\alpha^*=\frac{v(v+n)}{v^2+qn}$: $\alpha^*p'-1=-\frac{v^2\Delta+qn(v+n')}{(v^2+qn)(v+n')}$ gives the ratio.
           The bound, times $n(v^2+qn)(v+n')^2$, exceeds its numerator by a cubic in $v$ with coefficients that are not
           negative: $\frac{2\Delta^2}q(\Delta+n+q)$, $\frac\Delta q(\Delta^3+2\Delta^2n+\Delta^2q+\Delta n^2+2\Delta
           nq+nq^2)$, $2\Delta n(\Delta+n)(\Delta+q)$, $\Delta n(\Delta+n)^2(\Delta+q)$. At $\alpha=1$ the loss is
           $\frac{dn'T'}{q(v+n')^2}$.
Witness    The population loss in closed form at rational $u$ and $\alpha^*$.
Measured   Ratios of the losses, rational; the limits by the leading terms of both losses as power series in $1/u$.
Control    $T$ and $T'$ exchanged; $\alpha$ trained at $T'$; the limit of the other $\alpha$; $\Delta^2/(qn)$ left out.
Reads      Recovered is that the loss at new lengths vanishes; the constants are derived here, for $\alpha$ at its
           optimum (the flow is there up to terms that vanish), and that the ratio is at most $\rho$ before the limit.
           Twice the loss at length $T$ is not a bound.
"""


from theorytools import Claim, Control, Quantity, points
from theorytools.papers.stsq.selection.length_generalisation import FreshEncodings

from ..notation import T_1, T, d, q, u

ratio = Quantity("ratio", "L_{T'}/L_T", "loss at the new length over that at the old", (0, None))
final = Quantity("limit of the ratio", r"\lim_{u\to\infty}L_{T'}/L_T", "trained scale", (0, None))
frozen = Quantity("ratio, frozen scale", r"L_{T'}/L_T|_{\alpha=1}", "the same at alpha = 1", (0, None))
frozen_final = Quantity("limit, frozen scale", r"\lim_{u\to\infty}L_{T'}/L_T|_{\alpha=1}", "at alpha = 1", (0, None))
old = Quantity("loss", "L_T", "at the training length", (0, None))
n, n_1, delta, v = T - q, T_1 - q, T_1 - T, q * u
rho = delta**2 / (q * n) + n_1 / n
closed = ((v**2 * delta + q * n * (v + n_1)) ** 2 / q + n_1 * v**2 * (v + n) ** 2) / (
    n * (v**2 + q * n) * (v + n_1) ** 2)
held = n_1 * T_1 / (n * T)
same = ratio.equals(closed)


def construct(p) -> FreshEncodings:
    return FreshEncodings(p.T, p.q, p.d)


def measure(model, p, alpha=None):
    return {ratio: model.ratio(p.T_1, p.u, alpha), final: model.limit_ratio(p.T_1),
            frozen: model.ratio(p.T_1, p.u, 1), frozen_final: model.limit_ratio(p.T_1, frozen=True),
            old: model.loss(p.T, p.u, alpha)}


claim = Claim(
    "Length generalisation, stochastic encodings",
    role="statement", source="published: the loss at new lengths vanishes with stochastic encodings; prose",
    scope={"every q, d, u": "proof", "every T and new length T_1": "proof", "every temperature": "proof"},
    requires=[q < T, T <= T_1],
    asserts=[same, ratio <= rho, final.equals(rho), frozen.equals(held * ((v + n) / (v + n_1)) ** 2),
             frozen_final.equals(held), old.equals(d * n / (v**2 + q * n))],
    grid=points("T T_1 q d u", (20, 20, 3, 5, 4), (20, 40, 3, 5, 768), (20, 80, 3, 5, 7680), (20, 40, 1, 5, 2),
                (8, 9, 2, 1, "1/3"), (4, 64, 2, 2, 100), (7, 14, 6, 1, 30)),
    construct=construct, measure=measure,
    controls=[
        Control("T and T' exchanged", breaks=final, where=T_1 > T,
                asserts=[final.equals(delta**2 / (q * n_1) + n / n_1)]),
        Control("the scale trained at the new length", breaks=[same, old], where=T_1 > T,
                measure=lambda model, p: measure(model, p, FreshEncodings(p.T_1, p.q).best_alpha(p.u))),
        Control("the limit of the frozen scale", breaks=final, where=T_1 > T, asserts=[final.equals(held)]),
        Control("the limit of the trained scale", breaks=frozen_final, where=T_1 > T,
                asserts=[frozen_final.equals(rho)]),
        Control("at most twice the loss", breaks=ratio, where=(T_1 >= 2 * T) & (u >= 30), asserts=[ratio <= 2]),
        Control("only the length of the rest counted", breaks=ratio, where=(T_1 >= 2 * T) & (u >= 30),
                asserts=[ratio <= n_1 / n]),
    ],
)
