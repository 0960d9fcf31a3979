r"""A layer with a threshold as a conversation: both parties bisect the threshold, then Alice sends her sums.

One message does not replace sparsemax or top-:math:`k` attention (:mod:`.threshold_lookup`), but a conversation does.
Alice and Bob hold :math:`n` integer scores each, of :math:`2^p` consecutive values, and values of :math:`p` bits.

*Sparsemax of scores over* :math:`R`.  The largest integer :math:`c` with :math:`\sum_j[s_j-c]_+\ge R` is the integer
part of the threshold :math:`t\in[\max s-R,\max s)`.  Each step Alice sends her part of the sum at a middle point, Bob
answers whether both parts reach :math:`R`.  Then exactly the scores above :math:`c` are kept: Alice sends their number,
their sum, and the sums of their values and of score times value.

*Top-*:math:`k`.  The same for the place in the order of score and position, with numbers of positions in place of sums.

With :math:`\ell(x)=\lceil\log_2(x+1)\rceil` that takes, a head,

.. math:: \ell(2^p+R)\bigl(\ell(n(2^p+R))+1\bigr)+\ell(n)+\ell(n2^p)+d_v\bigl(\ell(n(2^p-1))+\ell(n2^{2p})\bigr),
          \qquad\ell(2^{p+1}n)(\ell(n)+1)+d_v\ell(n(2^p-1))

bits.  Two pairs :math:`(x,y)`, :math:`(x',y')` with one transcript share it with :math:`(x,y')`, and Bob's output with
it; so a fooling set of :math:`2^n` pairs takes :math:`n` bits: equality stays hard for such a layer.

References
----------
Kushilevitz, Nisan (1997), Communication Complexity, sections 1.2 and 1.3.  Derived here, for the one-layer lower bounds
of Bhattamishra, Hahn, Blunsom, Kanade (2024), arXiv 2406.09347v1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, at_most, checked
from theorytools.arguments.values import checked_integer
from theorytools.errors import DomainError
from theorytools.papers.sep.communication.mergeable_rules import Output
from theorytools.papers.sep.communication.table_layers import SplitLayer
from theorytools.papers.sep.communication.top_k_and_sparsemax import SparsemaxRule, TopRule

Transcript = tuple[int, ...]


@checked
@at_most(p=ENTRIES)
@dataclass(frozen=True, eq=False)
class TwoWayProtocol:
    """The conversation of a layer of ``sparsemax`` or ``top`` attention.

    Parameters
    ----------
    layer : the layer, scores among those of ``p`` bits.
    p : bits of a score and of a value.

    Raises
    ------
    DomainError : another rule, or scores out of range.

    Examples
    --------
    >>> from theorytools.papers.sep.communication.top_k_and_sparsemax import split_rule
    >>> layer = SplitLayer(split_rule("sparsemax", 2), [[1, 2]] * 4, [[[-1], [1]]] * 4)
    >>> talk = TwoWayProtocol(layer, p=2)
    >>> talk.run((0, 1), (1, 1)), layer.executed((0, 1), (1, 1)), talk.bits
    (((3, 1, 1, 1, 0, 0, 1, 2, 1, 2), (Fraction(1, 1),)), (Fraction(1, 1),), 30)
    """

    layer: SplitLayer
    p: NonNegativeInt

    def __post_init__(self) -> None:
        checked_integer("p", self.p, least=1, why="a score has a bit")
        rule, allowed = self.layer.rule, range(0, 1 << self.p)
        if not isinstance(rule, SparsemaxRule | TopRule):
            raise DomainError(f"the rule {type(rule).__name__}", required="sparsemax or top", why="one has a threshold")
        if any(s not in allowed for row in self.layer.scores for s in row):
            raise DomainError("a score out of range", required=f"{allowed}", why="both parties know where to bisect")

    @property
    def width(self) -> int:
        """The width of the values."""
        return len(self.layer.values[0][0])

    @cached_property
    def share(self) -> int:
        """The weight of Bob's own scores in his answers."""
        return 1

    @property
    def bits(self) -> int:
        """Bits of a conversation by the formula."""
        rule = self.layer.rule
        size = rule.R if isinstance(rule, SparsemaxRule) else None
        return conversation_bits(self.layer.n, self.p, size, self.width)

    def run(self, x: Sequence[int], y: Sequence[int]) -> tuple[Transcript, Output]:
        """Return what is said and the output that Bob computes."""
        n, rule = self.layer.n, self.layer.rule
        mine, his = self.layer.read(x, range(n)), self.layer.read(y, range(n, 2 * n))
        if isinstance(rule, SparsemaxRule):
            said, c = self._bisect(-rule.R, (1 << self.p) - 1, rule.R, mine[0], his[0], lambda s, c: max(s - c, 0))
            hers, others = self._kept(*mine[:2], c + 1), self._kept(*his[:2], c + 1)
            kept, total, *sums = (a + b for a, b in zip(hers, others, strict=True))
            t, d = Fraction(total - rule.R, kept), self.width
            return (*said, *hers), tuple((sums[d + i] - t * sums[i]) / rule.R for i in range(d))
        keys = [[s * 2 * n + 2 * n - 1 - j for s, j in zip(s, at, strict=True)] for s, _, at in (mine, his)]
        assert isinstance(rule, TopRule)  # no third rule is let in
        k = min(rule.k, 2 * n)
        said, c = self._bisect(0, (1 << self.p) * 2 * n, k, keys[0], keys[1], lambda key, c: int(key >= c))
        found = [self._kept(key, party[1], c) for key, party in zip(keys, (mine, his), strict=True)]
        one, other = (parts[2 : 2 + self.width] for parts in found)
        return (*said, *one), tuple(Fraction(a + b, k) for a, b in zip(one, other, strict=True))

    def _bisect(
        self, low: int, high: int, goal: int, mine: Sequence[int], his: Sequence[int], part: Callable[[int, int], int]
    ) -> tuple[list[int], int]:
        said: list[int] = []
        while high - low > 1:
            c = (low + high) // 2
            hers = sum(part(s, c) for s in mine)
            enough = hers + self.share * sum(part(s, c) for s in his) >= goal
            low, high = (c, high) if enough else (low, c)
            said += [hers, int(enough)]
        return said, low

    def _kept(self, s: Sequence[int], v: Sequence[Sequence[int]], c: int) -> list[int]:
        """Number, sum of the scores, sums of the values and of score times value, where the score is at least ``c``."""
        rows = [(1, a, *row, *(a * b for b in row)) for a, row in zip(s, v, strict=True) if a >= c]
        return [sum(column) for column in zip(*rows, strict=True)] if rows else [0] * (2 + 2 * self.width)


@checked
@at_most(p=ENTRIES)
def conversation_bits(n: NonNegativeInt, p: NonNegativeInt, R: PositiveInt | None, width: NonNegativeInt = 1) -> int:
    """Return the bits of a conversation of one head; ``R`` is None for top-k."""
    V = width * (n * ((1 << p) - 1)).bit_length()
    if R is None:
        return (n << (p + 1)).bit_length() * (n.bit_length() + 1) + V
    rounds, g = ((1 << p) + R).bit_length(), (n * ((1 << p) + R)).bit_length()
    return rounds * (g + 1) + n.bit_length() + (n << p).bit_length() + V + width * (n << (2 * p)).bit_length()
