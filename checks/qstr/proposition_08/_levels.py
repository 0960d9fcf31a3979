r"""Networks whose state is a codeword of the payloads' levels: any risk, at a steepness that no length changes.

Each payload is rounded to one of :math:`2^b` levels, and the ``b N`` bits of all are encoded by a binary linear code of
length :math:`6bN` and relative distance :math:`\beta=0.26441`, which exists for every length (proposition_08_code).
Different words are at least :math:`2\sqrt\beta` apart as unit vectors and their levels differ by the range at most, so
McShane's extension reads every level with the slope :math:`\ell=\text{range}/(2\sqrt\beta)`; :math:`U=I`.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise
from statistics import NormalDist

from theorytools.constructions.recurrent.code_state import GILBERT_DISTANCE
from theorytools.numbers import Enclosure, pi, total

UNIT = 4096  # levels are multiples of 1/UNIT
ROUNDS = 2000


@cache
def quantiser(bits):
    """Levels of Lloyd and Max for a standard normal payload, rounded, ascending: a choice, which nothing rests on."""
    law, n = NormalDist(), 2**bits
    levels = [3**0.5 * law.inv_cdf((k + 0.5) / n) for k in range(n)]  # the density of the best ones for large n
    for _ in range(ROUNDS):
        cuts = [(a + b) / 2 for a, b in pairwise(levels)]
        ends = list(zip([float("-inf"), *cuts], [*cuts, float("inf")], strict=True))
        levels = [(_density(law, a) - _density(law, b)) / (law.cdf(b) - law.cdf(a)) for a, b in ends]
    half = [Fraction(round(x * UNIT), UNIT) for x in levels[n // 2 :]]
    return (*(-x for x in reversed(half)), *half)


def _density(law, x):
    return law.pdf(x) if abs(x) < float("inf") else 0.0


@dataclass(frozen=True)
class LevelsNetwork:
    """The network for N payloads and ``2**bits`` levels: its sizes, its slope, and its risk as an enclosure."""

    N: int
    bits: int
    levels: tuple[Fraction, ...]
    beta: Fraction = GILBERT_DISTANCE

    @classmethod
    def of(cls, N, bits):
        """The network with the levels of :func:`quantiser`."""
        return cls(N, bits, quantiser(bits))

    @property
    def d_h(self):
        """The length of the code."""
        return 6 * self.bits * self.N

    def slope(self):
        """The steepness of the read-out times the operator norm of its maps, which are identities."""
        return Enclosure(self.levels[-1] - self.levels[0]) / (2 * Enclosure(self.beta).sqrt())

    def frobenius(self):
        """The Frobenius norms of both maps."""
        return 2 * Enclosure(self.d_h).sqrt()

    @cached_property
    def cuts(self):
        """Where a payload goes over to the next level: amid the two."""
        return [(a + b) / 2 for a, b in pairwise(self.levels)]

    def distortion(self):
        """The mean square of a normal payload less its level: E x^2 = 1, less 2 l E[x; cell], plus l^2 P(cell)."""
        below = [Enclosure(0), *map(_probability, self.cuts), Enclosure(1)]
        dense = [Enclosure(0), *map(_normal, self.cuts), Enclosure(0)]
        cells = zip(self.levels, pairwise(below), pairwise(dense), strict=True)
        return 1 + total(x * x * (q - p) - 2 * x * (f - g) for x, (p, q), (f, g) in cells)

    def risk(self):
        """The own payload is returned as it is; the others lose the distortion."""
        return self.distortion() * Fraction(self.N - 1, self.N)


def _probability(x):
    return (1 + (Enclosure(x) / Enclosure(2).sqrt()).apply("erf")) / 2


def _normal(x):
    return (-Enclosure(x) * Enclosure(x) / 2).exp() / (2 * pi()).sqrt()
