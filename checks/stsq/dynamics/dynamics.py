r"""The time to reach an attention has a closed form, with the scale frozen at 1 and with the scale at its best.

Finding    With stochastic encodings whose draws are orthonormal, and the scale frozen at 1 or kept at its best, one
           head's attention moves along a curve known in closed form, with a tail of order the encodings' length.
Setting    SPE whose draws are orthonormal, so $d_e\ge T$, with a law that rotations do not change, $V=[\alpha I\ 0]$,
           $W=\mathrm{diag}(0,\beta I)$, gradient flow of $L=\mathbb{E}\|f-s\|^2$, $n=T-q$, $\epsilon=1-p$, $p$ the
           attention on the selected tokens.
Statement  $\dot\beta=\frac{2d}{qd_e}\alpha p\epsilon\bigl[1-\alpha\frac{Tp-q}n\bigr]$, hence from $\beta=0$ to
           $p\ge\frac qT$, for $\alpha=1$ $t_1(p)=\frac{d_e}{2C}[F(p)-F(\frac qT)]$, $C=\frac{dT}{qn}$, $F=3\log\frac
           p\epsilon-\frac1p+\frac2\epsilon+\frac1{2\epsilon^2}$; for $\alpha=\alpha^*(p)$
           $t_*(p)=\frac{d_e}{2dn}\bigl[n^2(\frac1{2\epsilon^2}-\frac1\epsilon)+2qn\log\frac p\epsilon
           +q^2(\frac1p-\frac1{2p^2})\bigr]_{q/T}^p$.
Proof      $L=d[\frac{(\alpha p-1)^2}q+\frac{\alpha^2\epsilon^2}n]$, $\dot\beta=-\frac1{d_e}\partial_\beta L$
           (reduction) and $\partial_\beta p=p\epsilon$ give $\dot\beta$. At $\alpha=1$ the bracket is
           $\frac{T\epsilon}n$, so $\dot p=\frac{2C}{d_e}p^2\epsilon^3$, and
           $F'=\frac3{p\epsilon}+\frac1{p^2}+\frac2{\epsilon^2}+\frac1{\epsilon^3} =\frac1{p^2\epsilon^3}$. At
           $\alpha^*=\frac{np}D$, $D=np^2+q\epsilon^2$, it is $\frac{q\epsilon}D$ (dynamics_phases):
           $\frac{dt}{dp}=\frac{d_e}{2dn}\frac{D^2}{p^3\epsilon^3}=\frac{d_e}{2dn}\bigl[\frac{n^2p}{\epsilon^3}
           +\frac{2qn}{p\epsilon}+\frac{q^2\epsilon}{p^3}\bigr]$, integrated term by term.
Witness    SelectionFlow at rational $e^\beta$.
Measured   $\int dp/\dot p$ of the field by quadrature with proved error, against the closed forms by logarithms.
Control    Half the metric; the loss with a factor $\frac12$; a token more; $p\epsilon$ forgotten in $\dot p$.
Reads      Derived here.  The relative tolerance $10^{-12}$ is the number of digits to which two enclosures are
           compared; it is no property of the statement.  $1-\alpha^*c$ is taken from dynamics_phases.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import integrate
from theorytools.papers.stsq.selection.flow import SelectionFlow

from ..notation import T, q, t_frozen, t_slaved

frozen = Quantity("time, scale frozen", r"\int\frac{dp}{\dot p}\Big|_{\alpha=1}", "time to reach the attention")
slaved = Quantity("time, best scale", r"\int\frac{dp}{\dot p}\Big|_{\alpha=\alpha^*}", "time to reach the attention")
digits = Rational(1, 10**12)


def construct(p, T=0, metric=1) -> SelectionFlow:
    return SelectionFlow(p.T + T, p.q, p.d, Fraction(p.d_e) * metric)


def derive(flow, p):
    reached = flow.mass(Fraction(p.u))
    return {t_frozen: lambda: flow.frozen_time(reached), t_slaved: lambda: flow.slaved_time(reached)}


def passage(flow, scale, left, end, share):  # left(e) = 1 - alpha c
    def slowness(e):
        p = 1 - e
        return 1 / (flow.rate * scale(p) * p * e * left(e) * share(p, e))
    return lambda: integrate(slowness, 1 - end, 1 - flow.start)


def measure(flow, p, share=lambda p, e: p * e):
    end = flow.mass(Fraction(p.u))
    return {frozen: passage(flow, lambda x: 1, lambda e: Fraction(flow.T, flow.n) * e, end, share),
            slaved: passage(flow, flow.best_alpha, lambda e: flow.q * e / flow.spread(1 - e), end, share)}


claim = Claim(
    "Dynamics, closed forms",
    role="statement", source="derived here: gradient flow of the reduced model",
    scope={"every T, q, d, d_e, u": "proof", "every attention": "proof"},
    asserts=[frozen.equals(t_frozen, within=digits * t_frozen), slaved.equals(t_slaved, within=digits * t_slaved)],
    requires=[q < T], derive=derive, derived=[t_frozen, t_slaved], construct=construct, measure=measure,
    grid=points("T q d d_e u", (2, 1, 1, 2, 3), (4, 2, 5, 4, "7/2"), (20, 3, 5, 64, 100), (200, 3, 10, 200, 20)),
    controls=[
        Control("half the metric", breaks=[frozen, slaved], construct=lambda p: construct(p, metric=Fraction(1, 2))),
        Control("the loss with a factor 1/2", breaks=[frozen, slaved], construct=lambda p: construct(p, metric=2)),
        Control("a token more", breaks=[frozen, slaved], construct=lambda p: construct(p, T=1)),
        Control("the speed of beta for that of p", breaks=[frozen, slaved],
                measure=lambda flow, p: measure(flow, p, share=lambda p, e: 1)),
    ],
)
