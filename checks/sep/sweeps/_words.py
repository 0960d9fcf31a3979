r"""Words of two tasks with close negatives: bounded Dyck languages, and equality of two strings.

A word of equality is :math:`xy\in\{0,1\}^{2n}`, right iff :math:`x=y`.  Half of a sample is right; the others are right
words with one edit that makes them wrong:

* ``flip``: one bracket takes another kind, or one bit its other value;
* ``swap``: two neighbours change places;
* ``exchange``: two places change places, in equality two places of :math:`y`;
* ``random``: symbols drawn afresh, in Dyck all of the word, in equality all of :math:`y`.

A flip changes how often a symbol occurs, so uniform attention sees it; swap and exchange keep all counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError
from theorytools.papers.sep.tasks.boolean import equality
from theorytools.papers.sep.tasks.dyck import BoundedDyck
from theorytools.tasks.automaton import Integers


@dataclass(frozen=True)
class Words:
    """Words of length ``N`` of a task, right ones and their edits.

    Parameters
    ----------
    task : ``dyck`` or ``equality``.
    N : length of a word, even.
    n, k : kinds of brackets and largest depth; 1 for equality.

    Raises
    ------
    DomainError : another task, an odd or non-positive length, or sizes that are no Dyck language.

    Examples
    --------
    >>> import numpy as np
    >>> words = Words("dyck", 8, n=2, k=2)
    >>> rng = np.random.default_rng(0)
    >>> bool(words.right(words.draw(rng, 50)).all()), bool(words.right(words.edited(rng, 50, "swap")).any())
    (True, False)
    """

    task: str
    N: int
    n: int = 1
    k: int = 1

    def __post_init__(self) -> None:
        if self.task not in ("dyck", "equality"):
            raise DomainError(f"the task {self.task!r}", required="dyck or equality")
        if self.N < 2 or self.N % 2:
            raise DomainError(f"N = {self.N}", required="a positive even length", why="no other word is right")
        BoundedDyck(self.n, self.k)

    @cached_property
    def language(self) -> BoundedDyck:
        """The language of the right words of ``dyck``."""
        return BoundedDyck(self.n, self.k)

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> Words:
        """Return the words of a trial."""
        return cls(str(spec["task"]), int(spec["N"]), int(spec["n"]), int(spec["k"]))

    @property
    def symbols(self) -> int:
        """Size of the alphabet."""
        return 2 * self.n

    @property
    def edits(self) -> tuple[str, ...]:
        """The edits that there are: one kind of brackets has no flip, and swaps are not asked of equality."""
        if self.task == "equality":
            return ("flip", "exchange", "random")
        return ("flip", "swap", "exchange", "random") if self.n > 1 else ("swap", "exchange", "random")

    def right(self, words: Integers) -> NDArray[np.bool_]:
        """Return whether words ``(..., N)`` are right, by the automaton or by comparison."""
        if self.task == "equality":
            return equality(words[..., : self.N // 2], words[..., self.N // 2 :]) == 1
        return self.language.automaton.accepts(words)

    def draw(self, rng: np.random.Generator, size: int) -> Integers:
        """Draw right words ``(size, N)``, uniformly among all."""
        if self.task == "equality":
            x = rng.integers(2, size=(size, self.N // 2))
            return np.concatenate([x, x], axis=1)
        table, state = self.language.automaton.transitions, np.zeros(size, dtype=np.int64)
        out = np.empty((size, self.N), dtype=np.int64)
        for t, chances in enumerate(self._chances()):
            out[:, t] = (rng.random((size, 1)) >= chances[state]).sum(axis=1)
            state = table[state, out[:, t]]
        return out

    def _chances(self) -> list[NDArray[np.float64]]:
        """For each place the cumulative chances of the symbols in each state, without the last one."""
        machine = self.language.automaton
        ways, chances = machine.accepting.astype(float), []
        for _ in range(self.N):
            after = ways[machine.transitions]
            ways = after.sum(axis=1)
            chances.append(np.cumsum(after, axis=1)[:, :-1] / np.maximum(ways, 1)[:, None])
        return chances[::-1]

    def edited(self, rng: np.random.Generator, size: int, edit: str) -> Integers:
        """Draw wrong words ``(size, N)``: right ones, edited; drawn again where the edit leaves a word right.

        Raises
        ------
        DomainError : an edit that the task does not have.
        """
        if edit not in self.edits:
            raise DomainError(f"the edit {edit!r} of {self.task}", required=f"one of {', '.join(self.edits)}")
        found = np.empty((0, self.N), dtype=np.int64)
        while len(found) < size:
            words = self._edit(rng, self.draw(rng, size), edit)
            found = np.concatenate([found, words[~self.right(words)]])
        return found[:size]

    def _edit(self, rng: np.random.Generator, words: Integers, edit: str) -> Integers:
        size, first = len(words), self.N // 2 if self.task == "equality" else 0
        rows, i = np.arange(size), rng.integers(first, self.N - (edit == "swap"), size)
        if edit == "random":
            words[:, first:] = rng.integers(self.symbols, size=(size, self.N - first))
        elif edit == "flip":
            opens = words[rows, i] < self.n
            kind = (words[rows, i] + rng.integers(1, max(2, self.n), size)) % (2 if self.task == "equality" else self.n)
            words[rows, i] = kind if self.task == "equality" else np.where(opens, kind, kind + self.n)
        else:
            j = i + 1 if edit == "swap" else rng.integers(first, self.N, size)
            words[rows, i], words[rows, j] = words[rows, j], words[rows, i]
        return words

    def sample(self, rng: np.random.Generator, size: int, edits: tuple[str, ...]) -> tuple[Integers, Integers]:
        """Draw a balanced sample in random order: words ``(size, N)`` and targets 0 and 1; edits in equal parts."""
        half = size // 2
        counts = [(half + part) // len(edits) for part in range(len(edits))]
        wrong = [self.edited(rng, count, edit) for count, edit in zip(counts, edits, strict=True)]
        words = np.concatenate([self.draw(rng, size - half), *wrong])
        order = rng.permutation(size)
        return words[order], (order < size - half).astype(np.int64)
