r"""Whoever guesses one of $M$ laws from an observation errs with probability at least $1-\frac{I+\log2}{\log M}$.

Setting    $V$ uniform on $M$ laws, the rows of $W$; $X$ drawn from row $V$; $e$ the least probability of a wrong guess of
           $V$ from $X$; $I=I(X;V)$ in nats, $h$ the entropy of a coin.
Statement  $e\ge1-\frac{I+\log2}{\log M}$, and before $h(e)\le\log2$ and $M-1\le M$: $I+h(e)+e\log(M-1)\ge\log M$.
Proof      Let $G$ be the best guess, $E=1$ where it is wrong.  $\log M-I=H(V\mid X)\le H(V\mid G)=H(E\mid G)+H(V\mid
           E,G)\le h(e)+e\log(M-1)$: given $G$ and $E=1$ there are $M-1$ values.  Divide by $\log M$.
Measured   $e$ exactly; information and entropy in balls, over the joint law; the second inequality and its equality to
           $10^{-9}$, since balls decide no equality.
Control    Without $\log2$; without $h(e)$; bits for nats.
Reads      Fano (1961); Cover, Thomas (2006), Theorem 2.10.1, from memory.
"""
from dataclasses import replace
from fractions import Fraction
from sympy import Eq, Rational, log
from theorytools import Claim, Control, Quantity, enclosed, grid
from theorytools.measures import bayes_error, entropy, mutual_information
from theorytools.search.kinds import Matrices
from .notation import M, e

error = Quantity("error", r"\min_G\Pr(G(X)\ne V)", "of the best guess", (0, 1))
information = Quantity("information", "I(X;V)", "in nats", (0, None))
tiny = Rational(1, 10**9)
coin = Quantity("coin", "h(e)", "entropy of being wrong, in nats", (0, log(2)))

def joint(rows):
    return {(x, v): Fraction(mass, len(rows)) for v, row in enumerate(rows) for x, mass in enumerate(row)}

def measure(rows, p, base="e"):
    wrong = bayes_error(joint(rows))
    return {error: wrong, coin: enclosed(lambda: entropy([wrong, 1 - wrong], base="e")),
            information: enclosed(lambda: mutual_information(joint(rows), base=base))}

claim = Claim(
    "Fano's inequality", role="statement", source="published: Cover, Thomas (2006), Theorem 2.10.1; none",
    scope={"every M and laws W": "proof"}, objects={"W": (Matrices("stochastic"), M, 9)}, requires=[M >= 2],
    asserts=[error >= 1 - (information + log(2)) / log(M), information + coin + error * log(M - 1) >= log(M) - tiny],
    construct=lambda p: p.W, derived=[e], derive=lambda rows, p: {e: bayes_error(joint(rows))}, measure=measure,
    grid=grid(M=[2, 3]), controls=[
        Control("without log 2", asserts=[error >= 1 - information / log(M)], breaks=error, where=e > 0),
        Control("without h(e)", asserts=[information + error * log(M - 1) >= log(M)], breaks=information, where=e > 0)],
)
attained = replace(
    claim, label="Fano's inequality, attained", role="sharpness", source="derived here: errors that are equally likely",
    scope={"every M and e": "points"}, listed=[M, e], requires=[M >= 2, M * e <= M - 1], objects={}, derived=[], derive=None,
    asserts=[(information + coin + error * log(M - 1)).equals(log(M), within=tiny), error.equals(e)],
    grid=grid(M=[2, 3, 10], e=["1/1000", "1/3", "1/2"]),
    construct=lambda p: [[1 - p.e if x == v else p.e / (p.M - 1) for x in range(p.M)] for v in range(p.M)], controls=[
        Control("bits for nats", breaks=error, where=Eq(M, 10) & (e < Rational(1, 100)),
                asserts=[error >= 1 - (information + 1) * log(2) / log(M)]),
        Control("information in bits", breaks=information, where=M * e < M - 1, measure=lambda rows, p: measure(rows, p, 2))],
)
