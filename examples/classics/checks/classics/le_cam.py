r"""No test between two laws has both errors below half of one less their total variation.

Setting    Laws $P,Q$ on $n$ outcomes, $T=\frac12\sum|P-Q|$; a test decides for one of them and may toss coins.
Statement  The least mean of the two errors is $\frac12(1-T)$, and the least larger one is at least that.
Proof      Deciding for $Q$ on $x$ with probability $\phi(x)$ has the mean error $\frac12(1-\sum_x\phi(Q-P))$, least for
           $\phi=1$ where $Q>P$: there $\sum_x(Q-P)_+=T$.  The larger of two numbers is at least their mean.
Measured   Both errors, exactly: the first over all tests, the second by its least favourable prior.
Control    $1-T$ without the half; $1-T^2$ for $1-T$.
Reads      Le Cam (1973); Yu, Assouad, Fano, and Le Cam (1997), Lemma 1, from memory.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, grid
from theorytools.measures import bayes_error, minimax_error, total_variation
from theorytools.search.kinds import Laws

from .notation import T, n

mean = Quantity("mean", r"\min_\phi\frac12(P\phi+Q(1-\phi))", "least mean error", (0, Rational(1, 2)))
worst = Quantity("worst", r"\min_\phi\max(P\phi,Q(1-\phi))", "least larger error", (0, Rational(1, 2)))

claim = Claim(
    "Le Cam's two points", role="statement", source="published: Yu (1997), Lemma 1; none",
    scope={"every n and two laws P, Q": "proof"}, grid=grid(n=[2, 3]), construct=lambda p: (p.P, p.Q), derived=[T],
    objects={"P": (Laws(), n, 4), "Q": (Laws(), n, 5)}, derive=lambda pair, p: {T: total_variation(*pair)},
    measure=lambda pair, p: {worst: minimax_error(*pair), mean: bayes_error(
        {(x, y): Fraction(mass, 2) for y, law in enumerate(pair) for x, mass in enumerate(law)})},
    asserts=[mean.equals((1 - T) / 2), worst >= (1 - T) / 2], controls=[
        Control("without the half", asserts=[mean >= 1 - T, worst >= 1 - T], breaks=[mean, worst], where=T < 1),
        Control("T squared", asserts=[mean >= (1 - T**2) / 2], breaks=mean, where=(T > 0) & (T < 1))],
)
