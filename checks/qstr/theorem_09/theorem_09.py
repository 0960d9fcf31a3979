r"""A recurrent network of least norm is no longer than one without memory, and so fails on general 1STR.

Finding    Where each position asks for an index of its own, a recurrent network of least norm has a risk above
           $\frac1{100}$ in at least a third of all samples, as long as these have at most $(2^{-16-L_y}N)^{1/9}$
           prompts: a read-out of $L_y$ layers that interpolates without memory is shorter than every network of a risk
           that small.
Setting    General 1STR as in Proposition 8 with tokens $N(0,I_d)$, $r_h=1$, any $d$, $d_h$ and transitions; a read-out
           of $L_y\ge2$ matrices with biases and $\sigma$ between, of $(Uh;z)$, with room for $n$ units, and two in each
           later layer. One label of each of $n$ independent prompts, at a uniform position. Of all networks whose mean
           squared training error is at most $\varepsilon$ one of least $\|\operatorname{vec}\Theta\|$ is a minimum-norm
           $\varepsilon$-ERM.
Statement  If $N\ge2^{L_y+16}n^9$, then with probability at least $1/3$ over the sample every minimum-norm
           $\varepsilon$-ERM has a risk above $1/100$, for every $\varepsilon\ge0$.
Proof      (1) A network of risk at most $c=\frac1{100}$ has $L^2(\|U^\to\|_F+\|U^\leftarrow\|_F)^2\ge A_c^2(N-1)$
           (Proposition 8), and $L\le\prod_l\|W_l\|_F$ (theorem_09_norms). So
           $\|U\|_F^2\prod\|W_l\|_F^2\ge\frac12A_c^2(N-1)$, and by the inequality of the means its squared norm is at
           least $B(N)=(L_y+1)(\frac12A_c^2(N-1))^{1/(L_y+1)}$; $A_c^2\ge\frac7{10}$ for $N\ge2^{18}$.
           (2) With probability at least $\frac13$ (Lemma 36) $n$ units of the token, with squared norm $\alpha$ of
           weights and biases, and output weights $a$ pass through all labels with $\alpha\|a\|^2\le\frac14Q^2$,
           $Q\le128.5\,n^3$. For $L_y\ge3$ the matrices $(a;-a)$, $I_2$ and $(1,-1)$ carry the sum through, and the
           squared norms of the layers have the product $2^{L_y-1}\alpha\|a\|^2$. The network is homogeneous in each
           layer: with equal norms, $U=0$ and no transition its squared norm is at most
           $Q_+=L_y(2^{L_y-1}Q^2/4)^{1/L_y}$, for $L_y=2$ at most $Q$.
           (3) $Q_+<B(N)$: for $L=L_y$ it asks for $N-1>\frac{20}7(\frac L{L+1})^{L+1}(2^{L-3}Q^2)^{(L+1)/L}$, for
           $L=2$ for $N-1>\frac{20}7\cdot\frac8{27}\cdot\frac18Q^3$. At $L=2$ the right side is below $2^{17.8}n^9$, at
           3 below $2^{18.6}n^8$, and for $L\ge4$, where $(\frac L{L+1})^{L+1}\le e^{-1}$ and $(L-3)\frac{L+1}L\le
           L-2$, below $2^{L+15.6}n^{15/2}$.
           (4) An $\varepsilon$-ERM of least norm is no longer than this network, so its risk is above $c$.
Witness    The interpolant of Lemma 38 on crowded data, carried through $L_y$ layers, at the least $N$ and beyond.
Measured   The labels hit, run through the layers in rationals; its squared norm, and $Q_+$, enclosed, against $B(N)$.
Control    A quarter of the length, a thousandth of the length that is asked for; layers not balanced; one unit where
           the sum is carried; a power of $n$ less.
Reads      Printed: $d_h\le e^{N^c}$, $2\le L_y\le C$, $\|\operatorname{vec}\Theta\|\le e^{N^c/L_y}$, $c<1$, $r_h=1$,
           every $\varepsilon\ge0$, probability at least $c_2$, $n\le O(N^{c_1})$. Here $c_1=\frac19$, $c_2=\frac13$
           and the risk is $\frac1{100}$; no bound on $d_h$ or $\|\operatorname{vec}\Theta\|$ is used, and with these
           bounds it holds as long as the network of step 2 keeps them. Printed for its norm is $O(n^3)$. Where version
           1's proof refers to Proposition 26 it uses Proposition 8; the revised one uses
           $\|\cdot\|_{\mathrm{op}}\le\|\cdot\|_F$, which the Frobenius form does not need.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

from sympy import Rational

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.numbers import Enclosure, total
from theorytools.papers.qstr.feedforward.interpolant import Interpolant1D
from theorytools.papers.qstr.interpolation.norm_gap import interpolant_norm, recurrent_norm

from ..lemma_36.lemma_36 import data
from ..notation import B_N, N, depth, n

hits = Quantity("labels hit", r"\#\{i:f(x^{(i)})=y^{(i)}\}", "by the network without memory", (0, n))
norm = Quantity("norm", r"\|\operatorname{vec}\Theta\|^2", "of the network on crowded data", (0, None))
most = Quantity("largest norm", "Q_+", "of the network on all data that Lemma 36 allows", (0, None))


@dataclass(frozen=True)
class Carried:
    """The interpolant on the line through so many layers, its output carried by two units, or by one for a control."""

    flat: Interpolant1D
    depth: int
    carriers: int = 2

    def __call__(self, x):
        """Return the output, run in rationals."""
        sum_ = self.flat.evaluate(x)
        return sum_ if self.depth == 2 else max(sum_, 0) - (self.carriers > 1) * max(-sum_, 0)

    def hits(self):
        """The labels met."""
        return sum(self(x) == y for x, y in zip(*self.flat.data, strict=True))

    def squares(self):
        """The squared norms of the layers before balancing."""
        first, out = self.flat.n + self.flat.squared_b(), self.flat.squared_a()
        return [first, out] if self.depth == 2 else [first, 2 * out, *[Fraction(2)] * (self.depth - 2)]

    def norm(self, balanced=True):
        """The squared norm, after balancing all layers or of the layers as they are."""
        if not balanced:
            return total(map(Enclosure, self.squares()))
        return self.depth * Enclosure(prod(self.squares())) ** Fraction(1, self.depth)


def largest(p):
    square = interpolant_norm(p.n) ** 2 * (Fraction(1, 4) if p.depth == 2 else Fraction(2) ** (p.depth - 3))
    return p.depth * square ** Fraction(1, p.depth)


def construct(p) -> Carried:
    return Carried(Interpolant1D(*data(p)), p.depth)


def measure(net, p, balanced=True):
    return {hits: net.hits(), norm: enclosed(lambda: net.norm(balanced)), most: enclosed(lambda: largest(p))}


def derive(net, p):
    return {B_N: lambda: recurrent_norm(p.N, Fraction(1, 100), p.depth)}


enough = 2 ** (depth + 16) * n**9
long, shortest = enough <= N, enough >= N
claim = Claim(
    "Theorem 9",
    role="statement", source="published: Theorem 9; prose",
    scope={"every depth, n, N": "proof", "every minimum-norm network": "proof"},
    asserts=[hits.equals(n), norm < B_N, most < B_N], requires=[depth >= 2, long],
    construct=construct, measure=measure, derive=derive, derived=[B_N],
    grid=points("depth n N", (2, 1, 2**18), (2, 2, 2**27), (2, 12, 2**18 * 12**9), (3, 1, 2**19), (3, 4, 2**37),
                (4, 1, 2**20), (7, 3, 2**23 * 3**9), (20, 1, 2**36), (2, 1, 10**12)),
    controls=[
        Control("a quarter of the length", breaks=most, where=(depth <= 2) & shortest,
                asserts=[most < B_N / 4 ** Rational(1, 3)]),
        Control("a thousandth of that length", breaks=most, where=n <= 12,
                asserts=[most < B_N * (enough / (1000 * N)) ** (1 / (depth + 1))]),
        Control("layers not balanced", breaks=norm, where=n >= 2, measure=lambda net, p: measure(net, p, False)),
        Control("one unit where the sum is carried", breaks=hits, where=(depth >= 3) & (n >= 2),
                construct=lambda p: replace(construct(p), carriers=1)),
        Control("a power of n less", breaks=most, where=(depth <= 2) & (n >= 12) & shortest,
                asserts=[most < B_N / n ** Rational(1, 3)]),
    ],
)
