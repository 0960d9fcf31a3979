"""What the protocol of a one-layer model reports: its size against what a task needs, and inputs it gets wrong."""

from __future__ import annotations

from dataclasses import dataclass

from theorytools.arguments.checked import NonNegativeInt


@dataclass(frozen=True)
class WrongPair:
    """Two inputs that differ in Alice's string only, executed: equal messages, equal answers, different targets.

    Attributes
    ----------
    x, other : Alice's two strings.
    y : Bob's string.
    message : what Alice sends for either, ``(D, N)`` of each head in a row.
    answers : of the model on ``(x, y)`` and on ``(other, y)``.
    targets : of the task.
    """

    x: tuple[int, ...]
    other: tuple[int, ...]
    y: tuple[int, ...]
    message: tuple[int, ...]
    answers: tuple[int, int]
    targets: tuple[int, int]

    @property
    def wrong(self) -> int:
        """On how many of the two the model is wrong: at least one."""
        return sum(a != t for a, t in zip(self.answers, self.targets, strict=True))


@dataclass(frozen=True)
class ProtocolReport:
    """What a protocol says about a task: its bits and messages against what the task needs, and a wrong pair.

    Attributes
    ----------
    bits : of a message, by the formula.
    strings : number of Alice's strings.
    messages : different ones among them.
    rows, rank, fooling : of the matrix of answers, or None where it has more than 256 rows or columns.
    errors : pairs on which the model, run on all, is wrong, or None likewise.
    wrong : a pair on which the model is wrong because messages coincide, or None.
    """

    bits: NonNegativeInt
    strings: int
    messages: int
    rows: int | None
    rank: int | None
    fooling: int | None
    errors: int | None
    wrong: WrongPair | None
