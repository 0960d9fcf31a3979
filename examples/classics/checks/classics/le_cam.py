r"""No test between two laws has both errors below half of one less their total variation.

Setting    Laws $P,Q$ on $n$ outcomes at distance $T=\frac12\sum|P-Q|$; a test decides for one of them, it may toss coins.
Statement  The least mean of the two errors is $\frac12(1-T)$, and the least larger one is at least that.
Proof      A test that decides for $Q$ on $x$ with probability $\phi(x)$ has the mean $\frac12(1-\sum_x\phi(Q-P))$, least
           for $\phi=1$ where $Q>P$, and there $\sum_x(Q-P)_+=T$.  The larger of two numbers is at least their mean; for $Q$
           the reverse of $P$, $\phi(x)=\frac12$ where $Q=P$ makes the two errors of that test equal.
Measured   Both errors, exactly: the first over all tests, the second over all priors (their minimax theorem).
Control    $1-T$ without the half; the half of $1-T^2$; another law than the reverse.
Reads      Le Cam (1973); Yu, Assouad, Fano, and Le Cam (1997), Lemma 1, from memory.
"""
from dataclasses import replace
from fractions import Fraction
from sympy import Rational
from theorytools import Claim, Control, Quantity, grid
from theorytools.measures import bayes_error, minimax_error, total_variation
from theorytools.search.kinds import Laws
from .notation import T, n

mean = Quantity("mean", r"\min_\phi\frac12(P\phi+Q(1-\phi))", "least mean error", (0, Rational(1, 2)))
worst = Quantity("worst", r"\min_\phi\max(P\phi,Q(1-\phi))", "least larger error", (0, Rational(1, 2)))

def measure(laws, p):
    joint = {(x, y): Fraction(mass, 2) for y, law in enumerate(laws) for x, mass in enumerate(law)}
    return {mean: bayes_error(joint), worst: minimax_error(*laws)}

claim = Claim(
    "Le Cam's two points", role="statement", source="published: Yu (1997), Lemma 1; none",
    scope={"every n and two laws P, Q": "proof"}, asserts=[mean.equals((1 - T) / 2), worst >= (1 - T) / 2],
    objects={"P": (Laws(), n, 4), "Q": (Laws(), n, 5)}, grid=grid(n=[2, 3]), construct=lambda p: (p.P, p.Q), measure=measure,
    derived=[T], derive=lambda laws, p: {T: total_variation(*laws)}, controls=[
        Control("without the half", asserts=[mean >= 1 - T, worst >= 1 - T], breaks=[mean, worst], where=T < 1),
        Control("the square of T", asserts=[mean >= (1 - T**2) / 2], breaks=mean, where=(T > 0) & (T < 1))],
)
attained = replace(
    claim, label="Le Cam's two points, attained", role="sharpness", source="derived here: a law and its reverse",
    scope={"every n and law P": "proof"}, asserts=worst.equals((1 - T) / 2), objects={"P": (Laws(), n, 9)}, grid=grid(n=[2, 3]),
    construct=lambda p: (p.P, p.P[::-1]), controls=[
        Control("against the first outcome", breaks=worst, where=(T > 0) & (T < 1),
                construct=lambda p: (p.P, (1, *[0] * (p.n - 1))))],
)
