r"""At fixed token dimension the argument of Theorem 9 covers $N^{1/4}$ or $N^{1/2}$ prompts, as the codes are.

Setting    As in theorem_09; $n=\lfloor N^c\rfloor$ prompts, $n^2\le N$, whose tokens are not read, so that $d$ may be
           1. Codes of length 128 with inner products at most $\frac12$ (short), or orthonormal codes.
Statement  A neuron for each prompt, $\sigma(\langle(\omega_j;\omega_t),\cdot\rangle-\frac32)$, passes through labels
           with $\|y\|^2\le2n$ at distinct $(j,t)$ with squared norm at most $2\sqrt{34}\,n$, $L_y=2$; the weights
           $y_i$ on orthonormal codes of distinct $t$, through $L_y$ layers, with $2L_y(2n)^{1/L_y}$. For $N\ge N_0$
           these are below $B(N)$ at the risk $0.01$, so that every minimum-norm $\varepsilon$-ERM has a larger risk:
           $N_0=2^{32}$ for $n=N^{1/4}$ and short codes; with orthonormal codes $2^8$ for $N^{1/4}$, and for $N^{1/2}$
           $2^{18}$ with $L_y=2$, $2^{16}$ with $L_y=3$.
Proof      By steps 1 and 4 of the proof of theorem_09: a network shorter than $B(N)$ excludes the risk. The neuron of
           a prompt is $\frac12$ at its own codes and, as one of two inner products is at most $\frac12$, 0 at others;
           its weight, of norm $2|y_i|$, and $(\omega_j;\omega_t;-\frac32)$, of norm $\frac12\sqrt{17}$, balanced have
           $2\sqrt{17}\,|y_i|$, and $\sum|y_i|\le\sqrt2\,n$. Of $n^2\le N$ prompts two have one index with probability
           below $\frac12$, and $\Pr(\chi_n^2>2n)\le\frac16$.
Witness    The networks on drawn codes, indices without repetition, all labels $\pm\frac{45}{32}$: nearly the longest.
Measured   The labels hit, the network run in integers; its norm, enclosed. How likely such prompts are, from below:
           repetitions by the union bound, the norm by its law.
Control    Lemma 36 in their place; 16 times as many prompts; prompts that repeat; a threshold of $\frac12$ for short
           codes.
Reads      Derived here. Rows whose norm is not below $B(N)$ are not applicable: there the argument with these networks
           says nothing, as for $L_y=2$ at every length about $N^{3/4}$, about $N^{1/2}$ on short codes, and by Lemma
           36, whose norm grows with $n^3$, about $N^{1/4}$. Orthonormal codes would reach $c<L_y/(L_y+1)$ by their
           norm, but beyond $N^{1/2}$ prompts indices repeat: so $n^2\le N$.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from sympy import Eq, Ne, Rational, integer_nthroot

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import chi_square_tail
from theorytools.papers.qstr.interpolation.norm_gap import interpolant_norm, linear_norm, recurrent_norm

from ..notation import B_N, N, Q_up, n

LENGTH = 128  # of a short code
_MOST = {"short": 2**12, "orthonormal": 2**14}  # prompts that are run
LABEL = 90  # 64 times each absolute label: (90/64)^2 is just below 2, the worst case
hits = Quantity("labels hit", r"\#\{i:\hat y^{(i)}=y^{(i)}\}", "by the network without memory", (0, None))
norm = Quantity("norm", r"\|\operatorname{vec}\Theta\|^2", "of the network without memory", (0, None))
often = Quantity("such prompts", r"\Pr", "no repetition and labels of mean square at most 2, from below", (None, 1))


@dataclass(frozen=True, eq=False)
class Memoriser:
    """A network without memory on the codes of position and index, for n prompts; labels in steps of 1/64."""

    N: int
    places: np.ndarray  # position and index of every prompt, shape (n, 2)
    labels: np.ndarray  # 64 y, shape (n,)
    codes: np.ndarray | None  # signs, shape (n, 2, LENGTH); None for orthonormal codes
    depth: int = 2
    threshold: Fraction = Fraction(3, 2)

    @classmethod
    def drawn(cls, p, times=1, **spoiled):
        """Prompts whose indices are all different, with the longest labels."""
        rng, n = p.rng("prompts"), times * prompts(p)
        if n > (most := _MOST[p.codes]):
            raise BudgetError(f"{n} prompts", required=f"at most {most}", why="every neuron is run on every prompt")
        t = np.array(list(dict.fromkeys(rng.integers(0, p.N, 2 * n + 64).tolist()))[:n])
        places = np.column_stack([rng.integers(0, p.N, n), t])
        values, back = np.unique(places, return_inverse=True)
        signs = rng.choice([-1, 1], (len(values), LENGTH))[back.reshape(places.shape)] if p.codes == "short" else None
        return cls(p.N, places, LABEL * (-1) ** np.arange(n), signs, p.depth, **spoiled)

    @property
    def n(self):
        """The number of prompts."""
        return len(self.labels)

    @cached_property
    def square(self):
        """The squared norm of the labels."""
        return Fraction(int((self.labels**2).sum()), 64**2)

    def hits(self):
        """The labels met: every neuron is run on every prompt, in integers."""
        if self.codes is None:
            weight = {}
            for t, y in zip(self.places[:, 1].tolist(), self.labels.tolist(), strict=True):
                weight[t] = weight.get(t, 0) + y
            return sum(weight[t] == y for t, y in zip(self.places[:, 1].tolist(), self.labels.tolist(), strict=True))
        rows = self.codes.reshape(self.n, -1)
        active = np.maximum(rows @ rows.T - int(LENGTH * self.threshold), 0)  # 64 at the own prompt
        return int((active @ self.labels == 64 * self.labels).sum())

    def norm(self):
        """The squared norm with balanced layers."""
        if self.codes is None:
            return linear_norm(self.square, self.depth)
        size = Enclosure(Fraction(int((self.codes[0] ** 2).sum()), LENGTH) + self.threshold**2).sqrt()
        return 4 * size * Fraction(int(abs(self.labels).sum()), 64)  # 2 |a| |(w, b)|, a = 2 y


def prompts(p):
    """The integer N^c, rounded down."""
    power = Fraction(p.power)
    if power.denominator > 64:
        raise DomainError(f"c = {power}", required="a denominator of at most 64", why="N^c is an exact integer root")
    return integer_nthroot(p.N**power.numerator, power.denominator)[0]


def construct(p, **spoiled):
    return Memoriser.drawn(p, **spoiled)


def repeated(p):
    net = construct(p)
    half = net.n // 2
    codes = None if net.codes is None else np.concatenate([net.codes[:half], net.codes[: net.n - half]])
    places = np.concatenate([net.places[:half], net.places[: net.n - half]])
    return replace(net, places=places, codes=codes)


def derive(net, p):
    def upper():
        return linear_norm(2 * net.n, net.depth) if net.codes is None else 2 * Enclosure(34).sqrt() * net.n
    return {n: net.n, B_N: lambda: recurrent_norm(p.N, Fraction(1, 100), p.depth), Q_up: upper}


def likely(net):
    pairs = Fraction(net.n * (net.n - 1), 2 * net.N ** (1 if net.codes is None else 2))
    return 1 - pairs - chi_square_tail(net.n, Enclosure(2 * net.n))


def measure(net, p):
    return {hits: net.hits(), norm: enclosed(net.norm), often: enclosed(lambda: likely(net))}


below, enough = norm <= B_N, often >= Rational(1, 3)
claim = Claim(
    "Theorem 9, powers of the length at fixed dimension",
    role="variant", source="derived here: Theorem 9",
    scope={"every codes, N, power, depth": "points", "every data set": "drawn", "some network": "exhibited",
           "every minimum-norm network": "proof"},
    asserts=[hits.equals(n), below, enough], requires=[n**2 <= N, Q_up <= B_N], derived=[n, B_N, Q_up],
    grid=points("codes N power depth", ("short", 2**28, "1/4", 2), ("short", 2**32, "1/4", 2),
                ("short", 2**16, "1/2", 2), ("orthonormal", 2**4, "1/4", 2), ("orthonormal", 2**8, "1/4", 2),
                ("orthonormal", 2**16, "1/4", 2), ("orthonormal", 2**16, "1/2", 2), ("orthonormal", 2**18, "1/2", 2),
                ("orthonormal", 2**20, "1/2", 2), ("orthonormal", 2**14, "1/2", 3), ("orthonormal", 2**16, "1/2", 3),
                ("orthonormal", 2**16, "3/4", 3)),
    construct=construct, measure=measure, derive=derive,
    controls=[
        Control("Lemma 36 in their place", breaks=norm,
                measure=lambda net, p: {**measure(net, p), norm: enclosed(lambda: interpolant_norm(net.n))}),
        Control("16 times as many prompts", breaks=norm, where=Ne(N, 2**16), asserts=[below],
                construct=lambda p: construct(p, times=16), measure=lambda net, p: {norm: enclosed(net.norm)}),
        Control("prompts that repeat", breaks=hits, construct=repeated),
        Control("a threshold of 1/2", breaks=hits, where=N >= 2**32, asserts=[hits.equals(n)],
                construct=lambda p: construct(p, threshold=Fraction(1, 2))),
        Control("eight times as many prompts", breaks=often, where=Eq(N, 2**18), asserts=[enough],
                construct=lambda p: construct(p, times=8),
                measure=lambda net, p: {often: enclosed(lambda: likely(net))}),
    ],
)
