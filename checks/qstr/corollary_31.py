r"""Bidirectional networks that add up what they read are covered by three maps; the length enters by a logarithm.

Setting    Transitions of $L_h$ layers, a readout of $L_y$ layers, all $\|W_l\|_F,\|b_l\|\le R$, $R\ge1$; blocks of two
           networks at most $\varrho_h$ and $\varrho_y$ apart; $\|z_j\|\le R_z$, states in the ball of radius $r_h$, the
           transitions of one network not reading the state ($\alpha=0$, $S_N=N-1$).
Statement  $\max_j|\hat y_j-\hat y_j'|\le R^{L_y}S_N\varrho_h\Lambda_h+\varrho_y\Lambda_y$ with $\Lambda$ of lemma_30
           at $R_{\mathrm{in}}^2=r_h^2+R_z^2$ and $2r_h^2+R_z^2$, which gives the logarithm of the covering number
           $P_y\log(1+\frac{4R\Lambda_y}\epsilon)+2P_h\log(1+\frac{4R^{1+L_y}S_N\Lambda_h}\epsilon)$.  Doubling $N$
           adds at most $2P_h\log\frac{2N-1}{N-1}$.
Proof      (1) One of the transitions $f,\hat f$ of a direction, say $f$, does not read the state, so $f(h_j,z_j)-\hat
           f(\hat h_j,z_j)=(f-\hat f)(\hat h_j,z_j)$ is at most $\varrho_h\Lambda_h$ (lemma_30), and the cut does not
           spread states: after $k$ steps they are at most $k\varrho_h\Lambda_h$ apart. At position $j$ the two
           directions have made $j-1$ and $N-j$ steps, so both states together move by
           $(N-1)\varrho_h\Lambda_h=S_N\varrho_h\Lambda_h$ at most.
           (2) The readout is $R^{L_y}$-Lipschitz in them, and the two readouts are $\varrho_y\Lambda_y$ apart at one
           input (lemma_30).
           (3) A block, in a ball of radius $R$ in $p$ dimensions, is covered by $(1+2R/\varrho)^p$ balls of radius
           $\varrho$ around its points; the $p$ sum to $P_y$, $P_h$ and $P_h$. Take $\varrho_y\Lambda_y=\frac\epsilon2$,
           $R^{L_y}S_N\varrho_h\Lambda_h=\frac\epsilon2$.
           (4) $\frac{1+tx}{1+sx}\le\frac ts$ for $t\ge s$, with $S_{2N}/S_N=\frac{2N-1}{N-1}$.
Adversary  A network that does nothing and one with a small weight on its input: equality in the limit of long inputs;
           random networks and steps; a fine resolution, where the last inequality is an equality in the limit.
Measured   Distance of the outputs in rationals, increase of the logarithm enclosed.
Control    $S_N$ left out; the transitions or the readouts left out; one direction; the square of $S_N$.
Reads      Shape as transcribed, the constants are derived here; the radius $\epsilon/(2C_yS_N)$ is that of
           lemma_29_directions, which has the printed transitions, $\alpha$-Lipschitz in the state, and their $S_N$;
           nothing is measured here beyond $\alpha=0$.
"""

from fractions import Fraction

from sympy import Eq, Integer, log, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import evaluate
from theorytools.papers.qstr.capacity.perturbation.deep import BidirectionalPair
from theorytools.papers.qstr.capacity.recurrent_covering import perturbation_factor, recurrent_network

from .notation import N, P_h, R_w, R_zin, depth_h, depth_y, r_h, shift_h, shift_y, trial

moved = Quantity("output distance", r"\max_j|\hat y_j-\hat y_j'|", "largest over the positions", (0, None))
added = Quantity("increase", r"\Delta\log\mathcal{C}", "of the bound's logarithm when N doubles", (0, None))
Lambda_h = perturbation_factor(L=depth_h, R=R_w, R_in=sqrt(r_h**2 + R_zin**2))
Lambda_y = perturbation_factor(L=depth_y, R=R_w, R_in=sqrt(2 * r_h**2 + R_zin**2))
states, own = R_w**depth_y * (N - 1) * shift_h * Lambda_h, shift_y * Lambda_y
double = 2 * P_h * log((2 * N - 1) / (N - 1))


def construct(p) -> BidirectionalPair:
    if p.trial == 0:
        return BidirectionalPair.creeping(p.N, Fraction(p.reach), Fraction(p.step))
    return BidirectionalPair.random(p.rng("network"), p.N, Fraction(p.step), Fraction(p.reach))


def derive(pair, p):
    return {R_w: pair.radius, shift_h: lambda: pair.distances()[0], shift_y: lambda: pair.distances()[1],
            R_zin: pair.reach, r_h: pair.r_h}


def measure(pair, p, directions=2, power=1):
    def log_size(length):
        S = Integer(length - 1) ** power + 1
        step = recurrent_network(Fraction(1, p.fine), N=S, P_h=p.P_h, L_h=p.depth_h, P_y=7, L_y=p.depth_y, R=2, r_h=1,
                                 R_z=1, split=2)
        return evaluate(step.expr)

    return {moved: pair.gap(), added: lambda: (log_size(2 * p.N) - log_size(p.N)) * Fraction(directions, 2)}


creeping = Eq(trial, 0)
claim = Claim(
    "Corollary 31",
    role="statement", source="published: Corollary 31; prose",
    scope={"every N, depth_h, depth_y, P_h, reach, step, fine, trial": "proof", "every pair of networks": "proof"},
    asserts=[moved <= states + own, added <= double], requires=[N >= 2],
    derive=derive, derived=[R_w, shift_h, shift_y, R_zin, r_h], construct=construct, measure=measure,
    grid=points("N depth_h depth_y P_h reach step fine trial",
                (2, 1, 1, 9, 1000, "1/1000000", 1, 0), (40, 1, 1, 9, 1000, "1/1000000", 10**9, 0),
                (64, 1, 1, 9, 10**4, "1/100000", 10**40, 0),
                *((N_, 2, 2, 11, 3, step, 100, k) for N_, step in ((5, "1/8"), (20, "1/64")) for k in (1, 2))),
    controls=[
        Control("S_N left out", breaks=moved, where=creeping & (N >= 40), asserts=[moved <= states / (N - 1) + own]),
        Control("the readouts left out", breaks=moved, where=Eq(N, 2), asserts=[moved <= states]),
        Control("the transitions left out", breaks=moved, where=creeping & (N >= 40), asserts=[moved <= own]),
        Control("one direction", breaks=added, where=N >= 40, asserts=[added <= double / 2]),
        Control("the square of S_N", breaks=added, where=N >= 40, measure=lambda pair, p: measure(pair, p, power=2)),
    ],
)
