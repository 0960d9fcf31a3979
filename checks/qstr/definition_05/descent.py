r"""Gradient descent with decay forgets what lies outside the span, and the gradient certifies how much is left.

Setting    As in definition_05, with any loss of the residual; $W_k$ after $k$ steps of gradient descent with learning
           rate $\eta$ and decay $\lambda$.
Statement  $W_k(I-\Pi)=(1-\eta\lambda)^kW_0(I-\Pi)$. For any $W$,
           $\|W(I-\Pi)\|_F=\|G(I-\Pi)\|_F/\lambda\le\|G\|_F/\lambda$.
Proof      $\nabla\hat L(I-\Pi)=0$, since its rows are combinations of the inputs: a step multiplies $W(I-\Pi)$ by
           $1-\eta\lambda$, and $G(I-\Pi)=\lambda W(I-\Pi)$, whose norm is at most $\|G\|_F$.
Witness    Descent with linear, ReLU and deep read-outs and five losses; a stationary layer plus a part outside the
           span, where the last inequality is an equality.
Measured   All in rationals, by the projector on the complement of the span.
Control    No decay; signs of the gradient, the first step of Adam; one step more; twice the decay; the whole layer.
Reads      Derived here.
"""

from fractions import Fraction

from theorytools import Claim, Control, points
from theorytools.tasks.sparse_regression import SLOPES

from ..notation import N, d, grad_2, grad_out, lam, n, out_0, rate, updates
from .definition_05 import construct, integers, outside, readout, small


def start(p):
    return integers(p, "start", p.m_1, p.N * p.d)


def descend(task, p, **spoiled):
    return {outside: task.outside(task.descend(start(p), readout(p), p.rate, p.updates, **spoiled))}


def somewhere(task, p):  # a stationary layer plus a part outside the span; or any layer
    if p.layer == "random":
        return start(p)
    return task.stationary(readout(p).C) + start(p) @ task.complement


def certificate(task, p):
    G = task.gradient(somewhere(task, p), readout(p))
    return {grad_out: task.outside(G), grad_2: (G * G).sum()}


claim = Claim(
    "Definition 5, gradient descent",
    role="variant", source="derived here: Definition 5",
    scope={"every loss, network, N, d, n, m_1, lam, rate": "proof", "every start": "proof",
           "every step updates": "proof"},
    asserts=outside.equals((1 - rate * lam) ** (2 * updates) * out_0), requires=[n < N * d],
    grid=points("loss network N d n m_1 lam rate updates",
                ("squared", "linear", 3, 1, 2, 1, small[0], Fraction(1, 8), 1),
                ("squared", "linear", 3, 2, 4, 2, small[0], Fraction(1, 64), 12),
                ("squared", "relu", 3, 2, 4, 3, small[1], Fraction(1, 32), 12),
                *((loss, network, 3, 2, 4, 3, small[0], Fraction(1, 32), 4) for loss in list(SLOPES)[1:]
                  for network in ("relu", "deep"))),
    derive=lambda task, p: {out_0: task.outside(start(p))}, derived=[out_0], construct=construct, measure=descend,
    controls=[
        Control("descent without decay", breaks=outside, where=d >= 2,
                measure=lambda task, p: descend(task, p, decay=False)),
        Control("signs of the gradient", breaks=outside, where=d >= 2, share=Fraction(9, 10),  # deep ones may be flat
                measure=lambda task, p: descend(task, p, signs=True)),
        Control("one step more", breaks=outside,
                asserts=[outside.equals((1 - rate * lam) ** (2 * updates + 2) * out_0)]),
    ],
)
certified = Claim(
    "Definition 5, certificate",
    role="foundation", source="derived here: Definition 5",
    scope={"every network, N, d, n, m_1, lam": "proof", "every first layer": "proof"},
    asserts=[outside.equals(grad_out / lam**2), outside <= grad_2 / lam**2], requires=[n < N * d],
    grid=points("layer network N d n m_1 lam", ("partly_stationary", "linear", 3, 2, 4, 2, small[0]),
                ("partly_stationary", "linear", 4, 1, 2, 3, small[1]), ("random", "relu", 3, 2, 4, 3, small[1])),
    derive=certificate, derived=[grad_out, grad_2], construct=construct,
    measure=lambda task, p: {outside: task.outside(somewhere(task, p))},
    controls=[
        Control("twice the decay", breaks=outside, asserts=[outside.equals(grad_out / (2 * lam) ** 2)]),
        Control("the whole layer", breaks=outside, asserts=[outside.equals(grad_out / lam**2)],
                measure=lambda task, p: {outside: (somewhere(task, p) ** 2).sum()}),
    ],
)
