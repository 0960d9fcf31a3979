r"""Up to eight positions no encoder of signs does better than to keep some of them; from sixteen on codes do.

Setting    General 1STR, payloads $\pm1$, uniform; all positions and indices. Two states, of $S$ values each: any
           functions of the payloads before and after the position, so also those of any recurrence. The read-out is
           any function of both, the own token and the index.
Statement  For $2^b\le S<2^{b+1}$, $S\le2^{N-1}$ and $N\le8$ the least risk is $\frac1{N^2}(N-1-b)(N-b+2-2S/2^b)$. A
           recurrence attains it: it keeps the first $b$ signs it reads and, in $S-2^b$ of the cases, one more. At the
           last position of $N=2^r\ge16$, the nearest word of Hamming's code is one of $2^{N-1-r}$ values with risk
           $\frac4N(1-\frac1N)^2$, below the $\frac rN$ of as many values that keep $N-1-r$ signs.
Proof      Of the code: a syndrome is 0 or one of the $N-1$ columns, so its leader is one place or none. In a value's
           cell a sign is flipped in one word of $N$, its mean is $\pm(1-\frac2N)$, and the error
           $1-(1-\frac2N)^2=\frac4N(1-\frac1N)$ of each of $N-1$ signs, over $N$, is the risk. It is below
           $\frac4N\le\frac rN$. The bits are at least what they must be, by the lower side of
           proposition_08_recurrences.
Adversary  All sets of words of the cube, reduced to monotone ones by exchange; no partition is tried.
Measured   The certified least risk and that of the recurrence run on all words, both rational; its states counted. The
           error of the code from the leaders of all cosets, rational.
Control    Sets around one word only; bits rounded up; a value fewer; no backward state; the own token unread. A check
           matrix with a repeated column; a sign more kept; two bits fewer.
Reads      Derived here: so to encode all of some payloads, as the codeword network does, is best at small $N$, not at
           large $N$. Between $N=9$ and 15 nothing is said.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from sympy import Eq, log, sqrt

from theorytools import Claim, Control, Quantity, grid, points
from theorytools.errors import DomainError

from ..notation import N, S, c_1, held
from ._cube_sets import least_error

least = Quantity("least risk", r"\min R", "certified over all pairs of encoders", (0, None))
reached = Quantity("risk", "R", "of the recurrence that keeps signs", (0, None))
used = Quantity("states", r"|\{h\}|", "different states of the recurrence, the most at a position", (1, None))
coded = Quantity("risk of the code", "R_N", "at the last position, nearest words of the code", (0, None))
stored = Quantity("bits", r"\log_2S", "binary logarithm of the number of values", (0, None))
formula = (N - 1 - held) * (N - held + 2 - 2 * S / 2**held) / N**2


@dataclass(frozen=True)
class SignKeeper:
    """A recurrence with S values: it keeps b signs, and one more where these are among the first S - 2^b words."""

    N: int
    S: int

    def step(self, state, sign):
        """The next state: the signs kept so far, and this one while there is room."""
        full = self.S.bit_length() - 1
        rank = sum(2**k for k, a in enumerate(state) if a > 0)
        more = len(state) < full or (len(state) == full and rank < self.S - 2**full)
        return (*state, sign) if more else state

    def cells(self, m):
        """The words of m signs by the state they lead to."""
        found = {}
        for word in product((1, -1), repeat=m):
            state = ()
            for sign in word:
                state = self.step(state, sign)
            found.setdefault(state, []).append(word)
        return found

    def error(self, m):
        """The sum of the squared errors at the m signs read, averaged over all words."""
        means = [(len(c), [Fraction(sum(column), len(c)) for column in zip(*c, strict=True)])
                 for c in self.cells(m).values()]
        return m - sum(k * sum(x * x for x in mean) for k, mean in means) / Fraction(2**m)


def both(ahead, behind, p):
    """The risk from the errors of both states: N - 1 - j signs lie behind position j."""
    return sum(ahead(j) + behind(p.N - 1 - j) for j in range(p.N)) / Fraction(p.N) ** 2


def measure(net, p, balls=False, behind=None, own=0):
    def bound(m):
        return least_error(m, p.S, balls)
    return {least: both(bound, bound, p) + own, reached: both(net.error, behind or net.error, p) + own,
            used: max(len(net.cells(m)) for m in range(p.N))}


asserts = [least.equals(formula), reached.equals(formula), used <= S]
claim = Claim(
    "Proposition 8, every encoder of signs",
    role="sharpness", source="derived here: Proposition 8",
    scope={"every N": "points", "every number of values S": "points", "every encoder": "enumeration",
           "some recurrence": "exhibited"},
    asserts=asserts, requires=[N >= 2, S <= 2 ** (N - 1)], construct=lambda p: SignKeeper(p.N, p.S), measure=measure,
    derive=lambda net, p: {held: p.S.bit_length() - 1}, derived=[held],
    grid=points("N S", (2, 1), (2, 2), (3, 3), (4, 5), (5, 4), (6, 11), (7, 32), (8, 1), (8, 2), (8, 16), (8, 21),
                (8, 100), (8, 128)),
    controls=[
        Control("sets around one word only", breaks=least, where=(S >= 2) & (4 * S <= 2 ** (N - 1)),
                measure=lambda net, p: measure(net, p, balls=True)),
        Control("bits rounded up", breaks=least, where=2**held < S,
                asserts=[least <= (N - 2 - held) * (N - 1 - held) / N**2]),
        Control("a value fewer", breaks=reached, where=S >= 2, construct=lambda p: SignKeeper(p.N, p.S - 1)),
        Control("no backward state", breaks=reached, where=S >= 2,
                measure=lambda net, p: measure(net, p, behind=Fraction)),
        Control("the own token unread", breaks=[least, reached],
                measure=lambda net, p: measure(net, p, own=Fraction(1, p.N))),
    ],
)


def leaders(p, columns=None):
    """A lightest error with each syndrome, as a set of places: breadth first over the columns of the check matrix."""
    if p.N & (p.N - 1):
        raise DomainError(f"N = {p.N}", required="a power of two", why="Hamming's code has the length 2^r - 1")
    columns = columns or range(1, p.N)
    found, step = {0: frozenset()}, 0
    while len(found) < p.N and step < 2:  # a sum of two columns is every syndrome
        for old, i in list(product(found, range(p.N - 1))):
            found.setdefault(old ^ columns[i], found[old] | {i})
        step += 1
    return list(found.values())


def by_leaders(cosets, p):
    wrong = Counter(i for leader in cosets for i in leader)
    error = sum(1 - Fraction(len(cosets) - 2 * w, len(cosets)) ** 2 for w in map(wrong.__getitem__, range(p.N - 1)))
    return {coded: error / p.N, stored: p.N - p.N.bit_length()}


rho = sqrt(1 - c_1)
better = coded <= log(N) / log(2) / N
enough = stored >= (N - 1) * ((1 + rho) * log(1 + rho) + (1 - rho) * log(1 - rho)) / (2 * log(2))
beyond = Claim(
    "Proposition 8, a code holds more than signs",
    role="necessity", source="derived here: Proposition 8",
    scope={"every N": "proof", "some encoder": "exhibited", "every prompt": "proof"},
    asserts=[coded.equals(4 * (N - 1) ** 2 / N**3), better, enough], requires=[N >= 16],
    construct=leaders, measure=by_leaders, grid=grid(N=[16, 32, 64, 128, 256, 512, 1024]),
    derive=lambda cosets, p: {c_1: by_leaders(cosets, p)[coded] * Fraction(p.N, p.N - 1)}, derived=[c_1],
    controls=[
        Control("a repeated column", breaks=coded, asserts=[coded.equals(4 * (N - 1) ** 2 / N**3)],
                construct=lambda p: leaders(p, [*range(1, p.N - 1), 1])),
        Control("a sign more kept", breaks=coded, where=Eq(N, 16), asserts=[coded <= (log(N) / log(2) - 1) / N]),
        Control("two bits fewer", breaks=enough,
                measure=lambda cosets, p: {**by_leaders(cosets, p), stored: p.N - p.N.bit_length() - 2}),
    ],
)
