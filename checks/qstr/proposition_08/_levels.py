r"""Networks whose state is a codeword of the payloads' levels: any risk, at a steepness that no length changes.

Each payload is rounded by the uniform quantiser of :math:`2^b` levels on :math:`[-A,A]`, :math:`A=\frac53\sqrt b`, the
amid of its cell, and the ``b N`` bits of all are encoded by a binary linear code of length :math:`6bN` and relative
distance :math:`\beta=0.26441`, which exists for every length (proposition_08_code).  Different words are at least
:math:`2\sqrt\beta` apart as unit vectors and their levels differ by the range at most, so McShane's extension reads
every level with the slope :math:`\ell=\text{range}/(2\sqrt\beta)`; :math:`U=I`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from theorytools.errors import BudgetError
from theorytools.numbers import Enclosure, pi, total
from theorytools.papers.qstr.recurrent.code_state import GILBERT_DISTANCE

SUMMED = 10  # bits up to which the error is summed over all levels; beyond it is bounded by the proof
_STEEPEST = Fraction(13, 4)  # the slope is at most this times the root of the bits


@dataclass(frozen=True)
class LevelsNetwork:
    r"""The network for N payloads and ``2**bits`` levels: its sizes, its slope, and its risk as an enclosure.

    Parameters
    ----------
    N, bits : number of payloads, and binary logarithm of the number of levels.
    wide : the bits by which the range is chosen, :math:`A^2=\frac{25}9\,\mathtt{wide}`; ``bits`` unless given.
    beta : relative distance of the code.
    """

    N: int
    bits: int
    wide: int = 0
    beta: Fraction = GILBERT_DISTANCE

    @classmethod
    def below(cls, risk, C) -> LevelsNetwork:
        r"""Return a network of risk at most ``risk`` whose slope is less than :math:`C\sqrt{N/\log d_h}`.

        By the two bounds alone, which hold for every number of bits: first the bits, then the length.
        """
        bits, N = 1, 2
        while not cls(N, bits).error_bound().certainly_le(risk):
            bits += 1
        while not (Enclosure(6 * bits * N).log() * _STEEPEST**2 * bits).certainly_lt(Fraction(C) ** 2 * N):
            N *= 2
        return cls(N, bits)

    @property
    def d_h(self):
        """The length of the code."""
        return 6 * self.bits * self.N

    @cached_property
    def reach2(self):
        """The square of A, the end of the range."""
        return Fraction(25, 9) * (self.wide or self.bits)

    def slope(self):
        """The steepness of the read-out times the operator norm of its maps, which are identities."""
        return (Enclosure(self.reach2) / self.beta).sqrt() * (1 - Fraction(1, 2**self.bits))

    def frobenius(self):
        """The Frobenius norms of both maps."""
        return 2 * Enclosure(self.d_h).sqrt()

    def distortion(self):
        """The mean square of a normal payload less its level: E x^2 = 1, less 2 l E[x; cell], plus l^2 P(cell)."""
        if self.bits > SUMMED:
            raise BudgetError(f"2^{self.bits} levels", required=f"at most 2^{SUMMED}", why="all cells are summed")
        A, cells = Enclosure(self.reach2).sqrt(), 2**self.bits
        cuts = [A * Fraction(2 * k - cells, cells) for k in range(1, cells)]
        levels = [A * Fraction(2 * k + 1 - cells, cells) for k in range(cells)]
        below = [Enclosure(0), *map(_probability, cuts), Enclosure(1)]
        dense = [Enclosure(0), *map(_normal, cuts), Enclosure(0)]
        parts = zip(levels, pairwise(below), pairwise(dense), strict=True)
        return 1 + total(x * x * (q - p) - 2 * x * (f - g) for x, (p, q), (f, g) in parts)

    def error_bound(self):
        """What the proof gives for the mean square, of any number of levels: no cell is summed."""
        root = Enclosure(self.reach2).sqrt() / 2**self.bits
        return (root + (-Enclosure(self.reach2) / 4).exp()) ** 2

    def risk(self):
        """The own payload is returned as it is; the others lose the distortion, or what bounds it."""
        lost = self.distortion() if self.bits <= SUMMED else self.error_bound()
        return lost * Fraction(self.N - 1, self.N)


def _probability(x):
    return (1 + (x / Enclosure(2).sqrt()).apply("erf")) / 2


def _normal(x):
    return (-x * x / 2).exp() / (2 * pi()).sqrt()
