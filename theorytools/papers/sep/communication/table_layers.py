"""One attention layer by any rule that splits, given by tables: messages, merged answers, and two inputs as one.

With a public last token a score and a value depend on position and token alone, so a layer *is* its tables.

References
----------
For the one-layer lower bounds of Bhattamishra, Hahn, Blunsom, Kanade (2024), arXiv 2406.09347v1; derived here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, at_most, checked, unchecked
from theorytools.constructions.shapes import rows_of
from theorytools.errors import DomainError
from theorytools.papers.sep.communication.mergeable_rules import Output, SplitRule, Summary
from theorytools.tasks.automaton import strings_of

Table = Sequence[Sequence[int]]


_strings_of = unchecked(strings_of)


@checked
@dataclass(frozen=True, eq=False)
class SplitLayer:
    r"""A layer on ``2 n`` bits, the first ``n`` Alice's and the others Bob's.

    Parameters
    ----------
    rule : of attention.
    scores : integers, ``(2 n, 2)``: one for each position and bit.
    values : integers, ``(2 n, 2, d_v)``.

    Raises
    ------
    DomainError : tables of other shapes.

    Examples
    --------
    >>> from theorytools.papers.sep.communication.top_k_and_sparsemax import split_rule
    >>> layer = SplitLayer(split_rule("hard"), [[1, 2]] * 4, [[[-1], [1]]] * 4)
    >>> layer.message((0, 1)), layer.rebuilt(layer.message((0, 1)), (0, 0)), layer.executed((0, 1), (0, 0))
    ((2, 1, 1), (Fraction(1, 1),), (Fraction(1, 1),))
    """

    rule: SplitRule
    scores: Sequence[Sequence[int]]
    values: Sequence[Table]

    def __post_init__(self) -> None:
        rows_of("scores", self.scores)
        shapes = np.shape(self.scores), np.shape(self.values)
        if len(shapes[0]) != 2 or shapes[0][0] % 2 or shapes[1][:2] != shapes[0] or len(shapes[1]) != 3:
            raise DomainError(
                f"tables of shapes {shapes}",
                required="(2 n, letters) and (2 n, letters, d_v)",
                why="a score and a value for each position and token",
            )

    @classmethod
    @at_most(n=ENTRIES, p=ENTRIES, width=ENTRIES)
    def drawn(
        cls, rule: SplitRule, n: PositiveInt, p: PositiveInt, width: NonNegativeInt, rng: np.random.Generator
    ) -> SplitLayer:
        """Return a layer with uniform scores among those of ``p`` bits, and uniform values of ``p`` bits."""
        allowed, top = rule.scores(p), 1 << (p - 1)
        scores = rng.integers(allowed.start, allowed.stop, (2 * n, 2)).tolist()
        return cls(rule, scores, rng.integers(-top, top, (2 * n, 2, width)).tolist())

    @property
    def n(self) -> int:
        """Bits of a party."""
        return len(self.scores) // 2

    def read(self, bits: Sequence[int], at: range) -> tuple[list[int], list[Sequence[int]], range]:
        """Return scores and values of some positions, and the positions; ``DomainError`` for bits that do not fit."""
        bits = _strings_of(bits, len(at), len(self.scores[0]), "tokens").tolist()
        return ([self.scores[j][b] for j, b in zip(at, bits, strict=True)],
                [self.values[j][b] for j, b in zip(at, bits, strict=True)], at)  # fmt: skip

    def message(self, x: Sequence[int]) -> Summary:
        """Return Alice's summary."""
        return self.rule.summary(*self.read(x, range(self.n)))

    def rebuilt(self, sent: Summary, y: Sequence[int]) -> Output:
        """Return the output that Bob computes from a message and his own bits."""
        own = self.rule.summary(*self.read(y, range(self.n, 2 * self.n)))
        if not _alike(sent, own):
            raise DomainError(
                f"the message {str(sent)[:60]}", required="a summary of this rule, integers", why="it is merged",
                advice="message(x), which returns one",
            )  # fmt: skip
        return self.rule.output(self.rule.merged(sent, own))

    def executed(self, x: Sequence[int], y: Sequence[int]) -> Output:
        """Return the output of the layer on the whole input."""
        s, v, _ = self.read([*x, *y], range(2 * self.n))
        return self.rule.direct(s, v)

    def halves(self, x: Sequence[int], y: Sequence[int]) -> Output:
        """Return the mean of the outputs of both parties' halves, which is no protocol for any rule."""
        own = ((x, range(self.n)), (y, range(self.n, 2 * self.n)))
        each = [self.rule.direct(*self.read(bits, at)[:2]) for bits, at in own]
        return tuple((a + b) / 2 for a, b in zip(*each, strict=True))


def _alike(sent: object, own: object) -> bool:
    """Whether a message is built like one's own summary: tuples of the same lengths, of integers."""
    if isinstance(own, tuple):
        if not isinstance(sent, tuple) or len(sent) != len(own):
            return False
        return all(_alike(a, b) for a, b in zip(sent, own, strict=True))
    return isinstance(sent, int | np.integer) and not isinstance(sent, bool)
