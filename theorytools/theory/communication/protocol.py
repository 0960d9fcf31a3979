r"""The communication protocol that a one-layer attention model induces, executed: messages, bits, and a wrong pair.

Positions are split into Alice's :math:`A`, Bob's :math:`B` and public ones, among them the token that asks.  For each
head Alice sends :math:`D_A=\sum_{j\in A}e_j` and :math:`N_A=\sum_{j\in A}e_jv_j`; Bob adds his own and applies the rest
of the layer, whatever it is.  Under semantics E the message takes, with :math:`n_A=|A|`,

.. math:: B=H\Bigl(\bigl\lceil\log_2(n_A(2^p-1)+1)\bigr\rceil
            +d_v\bigl\lceil\log_2(2n_A(2^p-1)2^{p-1}+1)\bigr\rceil\Bigr)

bits.  If the model is right on all inputs, Alice's strings with different rows of answers send different messages, so
:math:`B\ge\log_2\#\{\text{distinct rows}\}`, for any partition.  Where two such strings do send one message, a column
that tells their rows apart is an input on which the model gives both the same answer: one of the two is wrong.

References
----------
Bhattamishra, Hahn, Blunsom, Kanade (2024), one-layer lower bounds, arXiv 2406.09347v1; the constants are derived here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import BODY, ENTRIES, NonNegativeInt, at_most, checked
from theorytools.arguments.values import checked_integer
from theorytools.constructions.attention.fixed_point import FixedPointAttention, Integers, admitted
from theorytools.errors import CertificateError, DomainError
from theorytools.theory.communication.matrix import CommunicationMatrix, all_strings, shared_inputs
from theorytools.theory.communication.protocol_report import ProtocolReport, WrongPair

Task = Callable[[Any, Any], NDArray[Any]]
_CHUNK, _SMALL = 1 << 11, 256


@checked
@at_most(p=ENTRIES)
def message_bits(n_A: int, p: NonNegativeInt, heads: int = 1, width: int = 1) -> int:
    """Return the bits of Alice's message under semantics E, the formula of this module."""
    for name, value in {"n_A": n_A, "p": p, "heads": heads, "width": width}.items():
        checked_integer(name, value, least=1, why="the sizes enter the number of bits")
    D = n_A * ((1 << p) - 1)
    return heads * (D.bit_length() + width * (D << p).bit_length())  # ceil(log2(m + 1)) = bit_length(m)


@checked
@dataclass(frozen=True)
class OneLayerProtocol:
    """The protocol of a model and a partition of its positions.

    Parameters
    ----------
    model : a :class:`FixedPointAttention`; anything else is refused by name.
    alice, bob : positions of the two parties.
    public : tokens at the remaining positions.
    letters : size of the alphabet; tokens are ``0 .. letters - 1``.

    Raises
    ------
    DomainError
        Where the model is not admitted or the positions are no partition; later, for strings whose length or
        alphabet does not match.
    BudgetError
        Later, where all strings of a party are asked for and are more than 2^22; the message has their number.

    References
    ----------
    Bhattamishra, Hahn, Blunsom, Kanade (2024), one-layer lower bounds, arXiv 2406.09347v1; the constants are derived
    here.

    Examples
    --------
    >>> from theorytools.papers.sep import OneLayerEquality
    >>> from theorytools.constructions.network import changed
    >>> from theorytools.theory.communication.matrix import equality
    >>> weights = np.array([2, 1, 1, -2, -1, -1])  # two are equal
    >>> short = OneLayerProtocol(changed(OneLayerEquality(3), weights=weights), alice=range(3), bob=range(3, 6))
    >>> short.count(), short.report(equality).wrong
    (5, WrongPair(x=(0, 0, 1), other=(0, 1, 0), y=(0, 0, 1), message=(3, -2), answers=(1, 1), targets=(1, 0)))
    """

    model: Annotated[FixedPointAttention, BODY]
    alice: Sequence[int]
    bob: Sequence[int]
    public: Mapping[int, int] = field(default_factory=dict)
    letters: int = 2

    def __post_init__(self) -> None:
        if admitted(self.model).semantics != "E":
            given = f"{type(self.model).__name__} with semantics R"
            raise DomainError(given, required="semantics E", why="sums are exact", advice="MarginProtocol")
        if sorted([*self.alice, *self.bob, *self.public]) != list(range(self.model.length)):
            raise DomainError(
                f"Alice {list(self.alice)}, Bob {list(self.bob)}, public {list(self.public)}",
                required=f"a partition of the positions 0 .. {self.model.length - 1}",
                why="every token has one owner",
            )
        if not (self.alice and self.bob):
            raise DomainError("a party without positions", required="a position of each party", why="both hold tokens")
        checked_integer("letters", self.letters, least=2, why="strings differ")

    @property
    def bits(self) -> int:
        """Bits of a message by the formula."""
        return message_bits(len(self.alice), self.model.p, self.model.heads, self.model.width)

    def inputs(self, x: Integers | None = None, y: Integers | None = None) -> Integers:
        """Return whole inputs; the string of a party that is left out is filled with zeros.

        Parameters
        ----------
        x, y : strings of Alice and of Bob, ``(k, n_A)`` and ``(k, n_B)``.

        Returns
        -------
        array : shape ``(k, length)``.

        Raises
        ------
        DomainError : no strings, different numbers of them, other lengths or another alphabet.
        """
        parts = [(owned, string) for owned, string in ((self.alice, x), (self.bob, y)) if string is not None]
        tokens = shared_inputs(self.model.length, self.letters, *parts)
        tokens[:, list(self.public)] = list(self.public.values())
        return tokens

    def messages(self, x: Integers | None = None) -> Integers:
        """Return Alice's messages.

        Parameters
        ----------
        x : her strings, ``(k, n_A)``; all of them unless given.

        Returns
        -------
        array : integers, shape ``(k, heads (1 + width))``.
        """
        if x is None:
            return self._every
        return np.concatenate([_flat(*self.model.sums(self.inputs(part), list(self.alice))) for part in _parts(x)])

    @cached_property
    def _every(self) -> Integers:
        return self.messages(all_strings(len(self.alice), self.letters))

    def count(self, x: Integers | None = None) -> int:
        """Return the number of different messages."""
        return int(_classes(self.messages(x))[1].max()) + 1

    def colliding(self, x: Integers | None = None) -> int:
        r"""Return how many strings share their message with another: at least so many inputs get equality wrong.

        In a class of :math:`c\ge2` strings and for each :math:`y` of the class, all pairs get one answer, but one pair
        is equal and the others are not.
        """
        sizes = np.bincount(_classes(self.messages(x))[1])
        return int(sizes[sizes >= 2].sum())

    def rebuilt(self, x: Integers, y: Integers) -> NDArray[Any]:
        """Return Bob's answers for pairs of strings, from Alice's messages and his own tokens."""
        H, d = self.model.heads, self.model.width
        self.inputs(x, y)  # refused where they do not match
        mine = self.model.sums(self.inputs(y=y), [*self.bob, *self.public])
        joint = self.messages(x) + _flat(*mine)
        return self.model.answer(joint[:, H:].reshape(-1, H, d), joint[:, :H])

    def executed(self, x: Integers, y: Integers) -> NDArray[Any]:
        """Return the answers of the model itself for pairs of strings."""
        return self.model.execute(self.inputs(x, y))

    def mismatches(self, x: Integers, y: Integers) -> int:
        """Return on how many pairs Bob's answer is not the model's: 0 for every single layer."""
        pairs = ((x[i : i + _CHUNK], y[i : i + _CHUNK]) for i in range(0, len(x), _CHUNK))
        return sum(int((self.rebuilt(*pair) != self.executed(*pair)).sum()) for pair in pairs)

    def wrong_pair(self, task: Task, x: Integers | None = None, y: Integers | None = None) -> WrongPair | None:
        """Return two inputs with one message and different targets, executed; None where no such pair was found.

        Parameters
        ----------
        task : ``task(x, y)``, broadcasting over leading axes.
        x, y : strings of the parties to look among; by default all of Alice's, and for Bob the two colliding ones
            themselves where he holds as many positions, then all if they are at most 2^14.

        Returns
        -------
        WrongPair or None : found among these strings only.

        Raises
        ------
        CertificateError
            If the model answers differently although the messages are equal: then it is no single layer.
        """
        sent = self.messages(x)
        x = all_strings(len(self.alice), self.letters) if x is None else x
        order, label = _classes(sent)
        ranked = order[np.argsort(label[order], kind="stable")]
        for i, j in itertools.pairwise(ranked):
            if label[i] == label[j]:
                for one in self._columns(x[i], x[j], y):
                    targets = np.asarray(task(np.stack([x[i], x[j]]), one))
                    if targets[0] != targets[1]:
                        return self._confirmed(x[i], x[j], one, sent[i], targets)
        return None

    def _columns(self, x: Integers, other: Integers, y: Integers | None) -> Iterator[Integers]:
        if y is not None:
            yield from y
            return
        if len(self.bob) == len(self.alice):
            yield from (x, other)
        if self.letters ** len(self.bob) <= 8 * _CHUNK:
            yield from all_strings(len(self.bob), self.letters)

    def _confirmed(self, x: Integers, other: Integers, y: Integers, sent: Integers, targets: Any) -> WrongPair:
        answers = [self.executed(one[None], y[None])[0] for one in (x, other)]
        if answers[0] != answers[1]:
            raise CertificateError(
                f"answers {answers} after one message", required="equal answers",
                why="a single layer sees Alice's sums only", advice="mismatches() counts such inputs",
            )  # fmt: skip
        a, b, c, message, given, right = (tuple(map(int, row)) for row in (x, other, y, sent, answers, targets))
        return WrongPair(a, b, c, message, (given[0], given[1]), (right[0], right[1]))

    def certified(self, x: Integers, y: Integers) -> NDArray[Any]:
        """Return the model's answers for pairs of strings, after Bob's have been found to be the same.

        Raises
        ------
        CertificateError
            Where they are not: the model is no single layer with exact sums of its own tokens.
        """
        parts = [(x[i : i + _CHUNK], y[i : i + _CHUNK]) for i in range(0, len(x), _CHUNK)]
        answers = np.concatenate([self.executed(*part) for part in parts])
        wrong = int((np.concatenate([self.rebuilt(*part) for part in parts]) != answers).sum())
        if wrong:
            raise CertificateError(
                f"a model that Bob cannot follow on {wrong} of {len(x)} inputs",
                required="0",
                why="numerators or values depend on tokens of the other party, as in a second layer",
            )
        return answers

    def report(self, task: Task) -> ProtocolReport:
        """Return the protocol's numbers against those of a task, with a wrong pair where messages coincide.

        Where both parties have at most 256 strings the model is run on all pairs, and certified to be a single layer.
        """
        small = max(self.letters ** len(self.alice), self.letters ** len(self.bob)) <= _SMALL
        parties = [all_strings(len(party), self.letters) for party in (self.alice, self.bob)] if small else None
        M = CommunicationMatrix.of(task, *parties) if parties else None
        fooling = max(len(M.fooling_set(answer)[0]) for answer in np.unique(M.answers)) if M else None
        rows, rank = (M.distinct_rows, M.rank) if M else (None, None)
        errors = None
        if M and parties:
            pairs = np.repeat(parties[0], len(parties[1]), axis=0), np.tile(parties[1], (len(parties[0]), 1))
            errors = int((self.certified(*pairs) != M.answers.ravel()).sum())
        strings = self.letters ** len(self.alice)
        return ProtocolReport(self.bits, strings, self.count(), rows, rank, fooling, errors, self.wrong_pair(task))


def _flat(N: Integers, D: Integers) -> Integers:
    return np.concatenate([D, N.reshape(len(N), -1)], axis=1)


def _parts(x: Integers) -> Iterator[Integers]:
    return (x[i : i + _CHUNK] for i in range(0, max(len(x), 1), _CHUNK))


def _classes(messages: Integers) -> tuple[Integers, Integers]:
    """Numbers of the rows in the order of their messages, and for each row the number of its message."""
    order = np.lexsort(messages.T[::-1])
    new = np.concatenate([[False], (np.diff(messages[order], axis=0) != 0).any(axis=1)])
    label = np.empty(len(order), dtype=np.int64)
    label[order] = np.cumsum(new)
    return order, label
