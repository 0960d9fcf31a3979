r"""As many heads as the token has dimensions read every tuple, however many indices it has, through an unbounded head.

Setting    $N$ tokens of $[-1,1]^d$, $q>d$ indices, equal ones or not, $H=d$ heads on orthonormal codes with the scores
           $x_{jh}+8\sum_{k:\,t_k=j}2^{k-1}$, $k=1,\dots,q$. The head reads the weights $\pi_{hj}$ off the code part and
           the means $v_h=\sum_j\pi_{hj}x_j$ off the data part.
Statement  It computes $(x_{t_1},\dots,x_{t_q})$, all that a link reads, for every tuple of $[N]^q$, without error. Its
           slope in a weight is $1/\min\pi$, at least $e^{8(2^q-1)-2}$ where one position holds all slots: what fewer
           heads save is paid in the size of the head.
Proof      Some position holds no slot, as $q<N$, so $\log\pi_{hj}-\min_i\log\pi_{hi}$ is within 2 of $8\sum2^{k-1}$,
           and its rounding over 8 names the slots of $j$. Taken off it leaves $x_{jh}-c_h$, for all $j$, and the
           weights of head 1, which add up to 1, give $c=v_1-\sum_j\pi_{1j}(x_j-c)$. The smallest weight is at most
           $e^{-8(2^q-1)+2}$ where one position holds all slots.
Witness    The head that reads so.
Measured   The largest error over all slots and tuples, in ball arithmetic: all tuples of small $N$, others drawn, with
           that of equal indices; tokens drawn in steps of $1/64$, two of them $\pm1$.
Control    A head fewer; a spacing of 1; two positions with one code; the means left out; outputs that are off by twice
           what is allowed.
Reads      Derived here. "If and only if $H\ge q$" is about heads of bounded size, or token dimension at least $q$: with
           $d<q$ and no such bound $d$ heads are enough for every tuple and law, not only on the instance of
           proposition_03. Some position must hold no slot: $q<N$.
"""

from fractions import Fraction
from itertools import product

from sympy import exp

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.numbers import maximum, total

from ..notation import N, d, q

error = Quantity("error", r"\max|\hat x_{t_k}-x_{t_k}|", "of a token that is read, over slots and tuples", (0, None))
steep = Quantity("slope", r"1/\min\pi", "of the head in an attention weight, largest over the tuples tried", (0, None))


def tuples(p):
    if p.N**p.q <= 81:
        return list(product(range(p.N), repeat=p.q))
    return [(0,) * p.q, *(tuple(row) for row in p.rng("tuples").integers(0, p.N, (6, p.q)).tolist())]


def construct(p, heads=0, spacing=8, twins=False, means=True, off=0):
    X = [[Fraction(int(x), 64) for x in row] for row in p.rng("tokens").integers(-64, 65, (p.N, p.d))]
    X[0], X[-1] = [Fraction(1)] * p.d, [Fraction(-1)] * p.d
    return X, p.d - heads, spacing, twins, means, off


def attended(X, t, heads, spacing, twins):
    """Weights of each head and its mean token, enclosed."""
    lifts = [spacing * sum(2**k for k, index in enumerate(t) if index == j) for j in range(len(X))]
    found = []
    for h in range(heads):
        powers = [Enclosure(x[h] + lift).exp() for x, lift in zip(X, lifts, strict=True)]
        if twins:  # positions 0 and 1 share a code: the code part has their sum
            powers[:2] = [(powers[0] + powers[1]) / 2] * 2
        mass = total(powers)
        pi = [power / mass for power in powers]
        found.append((pi, [total(w * x[k] for w, x in zip(pi, X, strict=True)) for k in range(len(X[0]))]))
    return found


def read(found, q, d, spacing, means=True):
    """The tokens of all slots, from weights and means alone."""
    logs = [[w.log() for w in pi] for pi, _ in found]
    least = min(logs[0], key=float)
    slots = [round(float(one - least) / spacing) for one in logs[0]]
    rows = [[row[j] - spacing * slots[j] if row else Enclosure(0) for row in (*logs, *[None] * (d - len(logs)))]
            for j in range(len(slots))]
    pi, mean = found[0]
    c = [mean[k] - total(w * row[k] for w, row in zip(pi, rows, strict=True)) if means else Enclosure(0)
         for k in range(d)]
    holders = [next((j for j, held in enumerate(slots) if held >> k & 1), 0) for k in range(q)]
    return [[rows[j][k] + c[k] for k in range(d)] for j in holders]


def measure(network, p):
    X, heads, spacing, twins, means, off = network

    def worst():
        misses = []
        for t in tuples(p):
            tokens = read(attended(X, t, heads, spacing, twins), p.q, p.d, spacing, means)
            misses += [abs(a + off - x) for token, index in zip(tokens, t, strict=True)
                       for a, x in zip(token, X[index], strict=True)]
        return maximum(misses)

    return {error: enclosed(worst), steep: lambda: 1 / min(attended(X, (0,) * p.q, 1, spacing, twins)[0][0], key=float)}


small = Fraction(1, 10**9)
claim = Claim(
    "Proposition 3, as many heads as dimensions read every tuple",
    role="necessity", source="derived here: Proposition 3",
    scope={"every N, q and d": "proof", "every tuple": "proof", "every token": "proof"},
    asserts=[error <= small, steep >= exp(8 * (2**q - 1) - 2)], requires=[d < q, q < N],
    grid=points("N q d", (3, 2, 1), (4, 3, 1), (8, 3, 2), (16, 5, 2), (64, 6, 3)),
    construct=construct, measure=measure, controls=[
        Control("a head fewer", asserts=[error <= small], breaks=error, where=d >= 2,
                construct=lambda p: construct(p, heads=1)),
        Control("a spacing of 1", asserts=[error <= small], breaks=error, where=N <= 8,
                construct=lambda p: construct(p, spacing=1)),
        Control("two positions with one code", asserts=[error <= small], breaks=error,
                construct=lambda p: construct(p, twins=True)),
        Control("outputs off by twice the error allowed", asserts=[error <= small], breaks=error,
                construct=lambda p: construct(p, off=2 * small)),
        Control("without the means", asserts=[error <= small], breaks=error,
                construct=lambda p: construct(p, means=False)),
    ],
)
