r"""The flow starts, cannot leave $0<\alpha<n/(Tp-q)$, and sends all attention to the set.

Setting    As in dynamics; $c=\frac{Tp-q}n$, $\alpha^*$ the best scale at this attention, $\mu=-\partial_\beta L/(2L)$.
Statement  At 0: $\dot\alpha=\frac2T$, and $\dot\beta=\frac{2\alpha d}{d_eT}(1-\frac qT)$ at uniform attention. For
           $\beta>0$ $\alpha^*c=1-\frac{q\epsilon}{np^2+q\epsilon^2}<1$ and $\alpha^*\ge1$; at the upper edge $\alpha
           c=1$: $\dot\beta=0$, $\dot\alpha=-\frac2{q(e^\beta-1)}<0$; inside, $\dot\beta>0$. So $\beta$ grows, and its
           only limit is $\epsilon=0$. $\frac d{dt}\frac1L\ge\frac{4\mu^2}{d_e}$, with equality at $\alpha=\alpha^*$,
           where $\mu=\frac{np^2}{np^2+q\epsilon^2}$.
Proof      The field is that of dynamics, $\dot\alpha=-2[\alpha\frac D{qn}-\frac pq]$, $D=np^2+q\epsilon^2$: the values
           at 0, and $\alpha^*=\frac{np}D$. $D-p(Tp-q)=q\epsilon$ and $np-D=\epsilon(Tp-q)\ge0$ are
           $\alpha^*c<1\le\alpha^*$. At $\alpha c=1$, $\dot\alpha=-\frac2c\frac\epsilon n=-\frac{2\epsilon}{Tp-q}$.
           $\alpha$ is bounded, as it falls above $\alpha^*$; were $\beta$ bounded, the flow would tend to a set it
           stays in with $\dot\beta=0<\epsilon$, where $\alpha$ is 0 or $\frac1c$ and moves. $-\dot
           L=\frac1d(\partial_\alpha L)^2+\frac1{d_e}(\partial_\beta L)^2\ge \frac{4\mu^2L^2}{d_e}$; at $\alpha^*$
           $L=\frac{d\epsilon^2}D$ and $-\partial_\beta L=2d\frac{\alpha^*p\epsilon^2}D$.
Witness    SelectionFlow at rational $e^\beta$ and rational $\alpha$, also $\alpha=\alpha^*$.
Measured   The field and the gradient of the loss, rational.
Control    Half and twice the metric; a token more; the best scale without the leak; the edge at $n/(Tp)$.
Reads      Derived here (global convergence); $\dot\beta$ and $\alpha^*$ are read off the field and the loss.
"""

from fractions import Fraction

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.stsq.selection.flow import SelectionFlow

from ..notation import T, d, d_e, margin, part, q, u

n = T - q
p_, e_ = q * u / (q * u + n), n / (q * u + n)
begins = Quantity("first step of the scale", r"\dot\alpha(0)", "speed of the scale at zero", (0, None))
turns = Quantity("first step of the attention", r"\dot\beta/\alpha", "at uniform attention, per scale", (0, None))
edge = Quantity("distance to the edge", r"1-\alpha^*c", "of the best scale, relative", (0, 1))
ratio = Quantity("best scale", r"\alpha^*", "minimiser of the loss at this attention", (0, None))
still = Quantity("attention at the edge", r"\dot\beta|_{\alpha c=1}", "speed of the attention at the edge")
falls = Quantity("scale at the edge", r"\dot\alpha|_{\alpha c=1}", "speed of the scale at the edge")
decay = Quantity("decay", r"\tfrac d{dt}\tfrac1L", "growth of the inverse loss", (0, None))
slope = Quantity("relative slope", r"\mu|_{\alpha^*}", "at the best scale", (0, None))


def construct(p, T=0, metric=1) -> SelectionFlow:
    return SelectionFlow(p.T + T, p.q, p.d, Fraction(p.d_e) * metric)


def at(flow, p):  # the attention, the scale of this point, and the best scale as the vertex of a parabola
    mass = flow.mass(Fraction(p.u))
    zero, one, two = (flow.loss(Fraction(a), mass) for a in (0, 1, 2))
    best = (two + 3 * zero - 4 * one) / (2 * (two - 2 * one + zero))
    return mass, best


def derive(flow, p):
    mass, best = at(flow, p)
    alpha = best * p.part
    return {margin: -flow.slopes(alpha, mass)[1] / (2 * flow.loss(alpha, mass))}


def measure(flow, p, leak=True, edge_at=SelectionFlow.excess):
    mass, vertex = at(flow, p)
    best = vertex if leak else 1 / mass
    alpha, far = vertex * p.part, 1 / edge_at(flow, mass)
    (a, b), (da, db) = flow.velocity(alpha, mass), flow.slopes(alpha, mass)
    return {begins: flow.velocity(Fraction(0), flow.start)[0], turns: flow.velocity(Fraction(1), flow.start)[1],
            edge: 1 - best * flow.excess(mass), ratio: best, still: flow.velocity(far, mass)[1],
            falls: flow.velocity(far, mass)[0], decay: -(a * da + b * db) / flow.loss(alpha, mass) ** 2,
            slope: -flow.slopes(best, mass)[1] / (2 * flow.loss(best, mass))}


whole = n * p_**2 + q * e_**2
claim = Claim(
    "Dynamics, global convergence",
    role="statement", source="derived here: gradient flow of the reduced model",
    scope={"every T, q, d, d_e, u": "proof", "every point part of the flow": "proof"},
    asserts=[begins.equals(2 / T), turns.equals(2 * d / (d_e * T) * (1 - q / T)), edge.equals(q * e_ / whole),
             ratio >= 1, still.equals(0), falls.equals(-2 / (q * (u - 1))), decay >= 4 * margin**2 / d_e,
             slope.equals(n * p_**2 / whole)],
    requires=[q < T, u > 1], derive=derive, derived=[margin], construct=construct, measure=measure,
    grid=points("T q d d_e u part", (2, 1, 1, 2, 3, 1), (4, 2, 5, 4, "7/2", "1/2"), (20, 3, 5, 64, 10, 1),
                (20, 3, 5, 64, "101/100", 1), (20, 3, 5, 64, "1/2", 1),  # outside: attention turned away
                (64, 4, 8, 128, 200, "9/10"), (200, 3, 10, 200, 600, 1)),
    controls=[
        Control("half the metric", breaks=turns, construct=lambda p: construct(p, metric=Fraction(1, 2))),
        Control("twice the metric", breaks=[turns, decay], where=Eq(part, 1),
                construct=lambda p: construct(p, metric=2)),
        Control("a token more", breaks=[begins, turns, edge, slope], where=part < 1,
                construct=lambda p: construct(p, T=1)),
        Control("the best scale without the leak", breaks=[edge, slope],
                measure=lambda flow, p: measure(flow, p, leak=False)),
        Control("the edge at n/(Tp)", breaks=[still, falls],
                measure=lambda flow, p: measure(flow, p, edge_at=lambda flow, mass: flow.T * mass / flow.n)),
    ],
)
