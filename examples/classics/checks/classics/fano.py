r"""Whoever guesses one of $M$ laws from an observation errs with probability at least $1-\frac{I+\log2}{\log M}$.

Setting    $V$ uniform on $M$ laws, the rows of $W$; $X$ drawn from row $V$; $e$ the least probability of a wrong guess
           of $V$ from $X$; $I=I(X;V)$ in nats, $h$ the entropy of a coin.
Statement  $e\ge1-\frac{I+\log2}{\log M}$, for $M\ge2$; it follows from $I+h(e)+e\log(M-1)\ge\log M$.
Proof      Let $G$ be the best guess, $E=1$ where it is wrong.  $\log M-I=H(V\mid X)\le H(V\mid G)\le H(E)+H(V\mid
           G,E)\le h(e)+e\log(M-1)\le\log2+e\log M$: given $G$ and $E=1$ there are $M-1$ values.
Measured   $e$ exactly; information and entropy in balls.  The second inequality is judged up to $10^{-9}$: it is often
           an equality, which balls do not decide.
Control    Without $\log2$, false of all laws with $e>0$ for $M\le3$ (not for $M\ge4$); without $h(e)$.
Reads      Fano (1961); Cover, Thomas (2006), Theorem 2.10.1, from memory.
"""

from fractions import Fraction

from sympy import Rational, log

from theorytools import Claim, Control, Quantity, enclosed, grid
from theorytools.measures import bayes_error, entropy, mutual_information
from theorytools.search.kinds import Matrices

from .notation import M, e

error = Quantity("error", r"\Pr(G(X)\ne V)", "of the best guess G", (0, 1))
information = Quantity("information", "I(X;V)", "in nats", (0, None))
coin = Quantity("coin", "h(e)", "entropy of being wrong, in nats", (0, log(2)))
tiny = Rational(1, 10**9)


def joint(rows):
    return {(x, v): Fraction(mass, len(rows)) for v, row in enumerate(rows) for x, mass in enumerate(row)}


def measure(rows, p, base="e"):
    wrong = bayes_error(joint(rows))
    return {error: wrong, coin: enclosed(lambda: entropy([wrong, 1 - wrong], base="e")),
            information: enclosed(lambda: mutual_information(joint(rows), base=base))}


claim = Claim(
    "Fano's inequality", role="statement", source="published: Cover, Thomas (2006), Theorem 2.10.1; none",
    scope={"every M and laws W": "proof"}, objects={"W": (Matrices("stochastic"), M, 9)}, requires=[M >= 2],
    grid=grid(M=[2, 3]), construct=lambda p: p.W, measure=measure, derived=[e],
    derive=lambda rows, p: {e: bayes_error(joint(rows))},
    asserts=[error >= 1 - (information + log(2)) / log(M), information + coin + error * log(M - 1) >= log(M) - tiny],
    controls=[
        Control("without log 2", asserts=[error >= 1 - information / log(M)], breaks=error,
                where=(e > 0) & (M < 4)),
        Control("without h(e)", asserts=[information + error * log(M - 1) >= log(M)], breaks=information, where=e > 0)],
)
