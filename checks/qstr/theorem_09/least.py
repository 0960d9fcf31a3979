r"""The recurrent network of least norm, certified among all recurrent networks: it hardly reads its states.

Setting    As in theorem_09, with a read-out $\sum_ka_k\sigma(\langle w_k,(Uh;z)\rangle)$ of any width, states in the
           unit ball, of any dimension, and any transition, which costs nothing. $z$ is the token with the codes of its
           position and of the index; all labels of the training set are times $y$.
Statement  With a multiplier $\lambda$, $G=\lambda^\top y-\sqrt{n\varepsilon}\|\lambda\|$ and
           $S_0=\sup_{\|w\|\le1}|\lambda^\top\sigma(Zw)|$, every network of training error at most $\varepsilon$ has
           squared norm at least $V(\|U\|_F^2)$, $V(t)=t+2G/\sqrt{S_0^2+\|\lambda\|_1^2t}$. Let the pull
           $\pi=G\|\lambda\|_1^2/S_0^3$ of the multiplier of the convex program be below 1. Then $V$ rises: up to a
           factor $1-10^{-6}$ no network is shorter than the best one without memory, and a shortest one reads its
           states so little that its risk is at least $1-\frac1N-\frac1{200(1-\pi)}$, whatever $N\ge2$ is. For $\pi>1$
           the minimum of $V$ lies below $V(0)$; for one prompt with $\|z\|=1$, $\pi$ is its label $y$. One prompt with
           $\|z\|=1$ and a label $y\ge5$: a network that reads a state of dimension 1 is shorter than every one without
           memory, and has the least norm up to 2.
Proof      The states move $\lambda^\top\sigma$ by at most $\|\lambda\|_1\|w'\|\,\|U\|_F$, $w'$ the part of $w$ on
           them; scaling gives $V$, which is convex with $V'(0)=1-\pi$: $\|U\|_F^2\le(M_+-M_-)/(1-\pi)$ for a network
           of norm at most $M_+$. The prediction differs from one without memory by at most $\frac12M_+\|U\|_F$, and
           that one errs by 1 unless $t_j=j$. One prompt: without memory $aw\ge y$, so the norm is $2y$ at least; $V$
           is least at $3y^{2/3}-1$; the network has $3y^{2/3}+1$, which is below $2y$ at $y=5$ and so beyond, as
           $2y-3y^{2/3}$ rises for $y>1$.
Witness    Gaussian tokens, sign codes, the convex program of definition_05_least with its rational multiplier; one
           prompt, with $\pi$ next to 1.
Measured   $\min V/M_+$ and the risk, enclosed. The network of one prompt, run on its tokens.
Control    Labels 64 times as large; a network one percent longer; the labels for the multiplier. The state not read;
           the transition not charged; one more, idle.
Reads      Derived here. Where the condition holds, $B(N)$ is not needed and $N=2$ is enough. For 6 prompts in
           dimension 4 it fails, and nothing is said. The read-out has no bias behind its second matrix.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid, points
from theorytools.numbers import total
from theorytools.papers.qstr.interpolation.convex_relu import least_norm_relu

from ..definition_05.least import loss
from ..notation import N, excess, n, pull, y_1
from .computed import construct

floor = Quantity("least norm", r"\min V/M_+", "over all recurrent networks, in units of that without memory", (0, 1))
risk = Quantity("risk", "R", "at least, of every network of least norm", (0, None))
norm = Quantity("norm", r"\|\operatorname{vec}\Theta\|^2", "of the network that reads its state", (0, None))
answer = Quantity("prediction", r"\hat y", "of the network that reads its state", (0, None))


def scaled(best, factor):
    """The same data with all labels times a factor, the network with them."""
    larger = [a * factor for a in best.network.a]
    return replace(best, y=tuple(y * factor for y in best.y), network=replace(best.network, a=larger))


def saved(best):
    size = sum(map(abs, best.dual))
    return best.gain() / 2 * size**2 / Enclosure(best.squared_supremum).sqrt() ** 3


def lowest(best):
    """The minimum of V: at 0 where V rises, else where its derivative vanishes."""
    if saved(best).certainly_le(1):
        return best.lower()
    size, gain = sum(map(abs, best.dual)), best.gain() / 2
    return 3 * (gain / size) ** Fraction(2, 3) - best.squared_supremum / size**2


def least_risk(best, p, longer):
    upper, rise = best.upper() * longer, 1 - saved(best)
    if not rise.lower > 0:
        return Enclosure(0)
    moved = upper / 2 * ((upper - best.lower()).nonnegative_part() / rise).sqrt()
    return ((1 - Enclosure(Fraction(1, p.N))).sqrt() - moved).nonnegative_part() ** 2


def labelled(p):
    """The convex program's bracket for the tokens and labels of the point."""
    if p.tokens == "one":
        return least_norm_relu([[1]], [Fraction(p.y_1)], epsilon=p.excess)
    best = construct(p)
    return best if p.y_1 == 1 else least_norm_relu(best.F, [y * Fraction(p.y_1) for y in best.y], epsilon=p.excess)


def measure(best, p, longer=1):
    return {loss: best.loss(), floor: enclosed(lambda: lowest(best) / (best.upper() * longer)),
            risk: enclosed(lambda: least_risk(best, p, longer))}


claim = Claim(
    "Theorem 9, the recurrent network of least norm",
    role="variant", source="derived here: Theorem 9",
    scope={"every tokens, N, n, d, y_1, excess": "points", "every data set": "points",
           "every minimum-norm network": "proof"},
    asserts=[loss <= excess, floor >= 1 - Rational(1, 10**6),
             risk >= 1 - 1 / N - 1 / (200 * (1 - pull))],
    requires=[N >= 2, pull < 1], derived=[pull],
    derive=lambda best, p: {pull: lambda: saved(best)},
    grid=points("tokens N n d y_1 excess", ("one", 2, 1, 1, "1/2", 0), ("one", 100, 1, 1, "99/100", 0),
                ("one", 9, 1, 1, "101/100", 0), ("one", 9, 1, 1, "6/5", 0), ("gaussian", 2, 2, 8, 1, 0),
                ("gaussian", 16, 4, 12, 1, 0), ("gaussian", 16, 4, 12, "4/5", 0), ("gaussian", 64, 4, 20, 1, 0),
                ("gaussian", 1024, 6, 30, 1, 0), ("gaussian", 64, 6, 30, 1, "1/10"), ("gaussian", 64, 6, 4, 1, 0)),
    construct=labelled, measure=measure,
    controls=[
        Control("labels 64 times as large", breaks=[floor, risk], where=(n >= 2) & (excess <= 0),
                measure=lambda best, p: measure(scaled(best, 64), p)),
        Control("a network one percent longer", breaks=[floor, risk], where=n >= 2,
                measure=lambda best, p: measure(best, p, longer=Fraction(101, 100))),
        Control("the labels for the multiplier", breaks=[floor, risk], where=n >= 4,
                measure=lambda best, p: measure(replace(best, dual=best.y), p)),
    ],
)


@dataclass(frozen=True)
class OneState:
    """One prompt of unit tokens e_1 and a network with one forward state: a, w, w', u and both transition weights."""

    y: Fraction
    read: bool = True

    def weights(self):
        """The output weight, the weights on the state and on the token, the read map, the transition's two."""
        square = Enclosure(self.y) ** Fraction(2, 3) if self.read else Enclosure(1)  # of the read-out's input
        u, balance = (square - 1).nonnegative_part().sqrt(), (self.y / square.sqrt()).sqrt()
        return [balance, balance * u / square.sqrt(), balance / square.sqrt(), u, *[Enclosure(int(self.read))] * 2]

    def output(self):
        """The prediction after at least one earlier token, whose state is the transition's output, at most 1."""
        a, state, own, u, *transition = self.weights()
        h = transition[0] * transition[1]
        return a * (state * u * h + own)

    def norm(self, charged=6, more=0):
        """The squared norm of the first weights, all six, and of ``more`` that are 1."""
        return total(x**2 for x in self.weights()[:charged]) + more


def by_run(net, p, **spoiled):
    return {answer: enclosed(net.output), norm: enclosed(lambda: net.norm(**spoiled))}


short, least = norm <= 2 * y_1, norm.equals(3 * y_1 ** Rational(2, 3) + 1, within=Rational(1, 10**9))
reading = Claim(
    "Theorem 9, a recurrent network of least norm that reads its state",
    role="necessity", source="derived here: Theorem 9",
    scope={"every label y_1": "proof", "some network": "exhibited", "every network without memory": "proof"},
    asserts=[answer.equals(y_1, within=Rational(1, 10**9)), short, least], requires=[y_1 >= 5],
    construct=lambda p: OneState(Fraction(p.y_1)), measure=by_run, grid=grid(y_1=[5, 8, 64, 512, 10**6]),
    controls=[
        Control("the state not read", breaks=least, asserts=[least],
                construct=lambda p: OneState(Fraction(p.y_1), read=False)),
        Control("the transition not charged", breaks=least, measure=lambda net, p: by_run(net, p, charged=4)),
        Control("an idle backward transition", breaks=[short, least], where=y_1 <= 5,
                measure=lambda net, p: by_run(net, p, more=2)),
    ],
)
