r"""Bounded memory: a prompt is read before the question is known, and only the state in between is handed on.

"Some model with :math:`B` bits answers every question on every prompt" is about two functions: one reads the prompt and
gives a state, the other sees the state and the question.  Written as one function it is easily given the prompt again.
Here the two are called apart: every prompt is encoded, each state passes through bytes, the different ones are counted,
and each of them is decoded once per question, whichever prompts led to it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError
from theorytools.measures.anchors import Anchors, Known
from theorytools.measures.inputs import items, outcome
from theorytools.measures.spaces import Space, words

_PLAIN = (bool, int, str, bytes, type(None))
_TWO, _PLACES = words(2, 2), [0, 1]


class Recall(NamedTuple):
    """What a memory retains over a space of prompts, counted.

    Attributes
    ----------
    states : the number of different states after the prompts.
    asked : the number of pairs of a prompt and a question.
    wrong : in how many of them the answer is not the right one.
    failed_prompts : the number of prompts with a wrong answer.
    merged : two prompts that share a state and differ in a right answer, with a question for which they do; None where
        there are none.  Every memory with that state is wrong on one of the two.

    Examples
    --------
    >>> first = Memory(lambda word: word[:1], lambda state, place: state[0])
    >>> found = first.over(words(2, 2), [0, 1], lambda word, place: word[place])
    >>> found.states, found.wrong, found.wrong_share, found.bits, found.merged
    (2, 2, Fraction(1, 4), 1, ((0, 0), (0, 1), 1))
    """

    states: int
    asked: int
    wrong: int
    failed_prompts: int
    merged: tuple[Any, Any, Any] | None

    @property
    def wrong_share(self) -> Fraction:
        """The probability of a wrong answer, prompt and question uniform."""
        return Fraction(self.wrong, self.asked)

    @property
    def bits(self) -> int:
        r"""The whole bits that hold the state: :math:`\lceil\log_2S\rceil`."""
        return (self.states - 1).bit_length()


@checked
@dataclass(frozen=True)
class Memory:
    """A model that reads a prompt and answers questions on it from its state alone.

    Parameters
    ----------
    encode : the state after a prompt, without the question: a text, bytes, an integer, None, or tuples, lists and
        integer arrays of them.
    decode : the answer to a question from such a state, in which arrays and lists have become tuples.

    Examples
    --------
    >>> parity = Memory(lambda word: sum(word) % 2, lambda state, question: state)
    >>> parity.over(words(2, 3), [None], lambda word, question: sum(word) % 2).states
    2
    """

    encode: Callable[..., Any]
    decode: Callable[..., Any]

    def over(self, prompts: Space, questions: Any, answer: Callable[..., Any]) -> Recall:
        r"""Return what the memory retains over all prompts and questions.

        Parameters
        ----------
        prompts : the space of prompts, each met once.
        questions : a sequence of questions; each is asked of each prompt.
        answer : the right answer, of a prompt and a question.

        Returns
        -------
        Recall : numbers of states and of wrong answers.

        Raises
        ------
        DomainError : no prompts, a state that bytes do not hold, such as a float, a function or an object of a class,
            and a state that is another one when the same prompt is encoded again.
        """
        asked, met = [outcome("a question", q) for q in items("questions", questions)], list(prompts)
        if not met:
            raise DomainError(f"{prompts.name}, which is empty", required="a prompt")
        states = [_bytes(self.encode(prompt)) for prompt in met]
        # again, from the last one to the first: what an encoder keeps elsewhere shows as another state
        for prompt, state in zip(reversed(met), reversed(states), strict=True):
            if _bytes(self.encode(prompt)) != state:
                raise DomainError(
                    f"the prompt {prompt!r:.60}, encoded twice with two states", required="one state for a prompt",
                    why="states are counted", advice="no memory beside the state, no draws in encode",
                )  # fmt: skip
        answers = {state: [_plain(self.decode(_object(state), q)) for q in asked] for state in dict.fromkeys(states)}
        return _recall(met, states, asked, answers, answer)


def _recall(
    met: list[Any], states: list[bytes], asked: list[Any], answers: dict[bytes, list[Any]], answer: Callable[..., Any]
) -> Recall:
    """Compare the answers; prompts in one state have the answers of that state."""
    first: dict[bytes, tuple[Any, list[Any]]] = {}
    wrong = failed = 0
    merged = None
    for prompt, state in zip(met, states, strict=True):
        right = [_plain(answer(prompt, question)) for question in asked]
        misses = sum(given != wanted for given, wanted in zip(answers[state], right, strict=True))
        wrong, failed = wrong + misses, failed + (misses > 0)
        other, others = first.setdefault(state, (prompt, right))
        if merged is None and others != right:
            place = next(k for k, (a, b) in enumerate(zip(others, right, strict=True)) if a != b)
            merged = other, prompt, asked[place]
    return Recall(len(answers), len(met) * len(asked), wrong, failed, merged)


def _plain(value: Any) -> Any:
    """Integers, texts, bytes, None, and tuples of them; anything else has no bytes that say what it is."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        return tuple(_plain(part) for part in value)
    if type(value) in _PLAIN:
        return value
    raise DomainError(
        f"{value!r:.60}, a {type(value).__name__}, in a state or an answer",
        required="an integer, a text, bytes, None, or tuples, lists and integer arrays of them",
        why="a state is handed on as bytes, and its number of values is counted",
        advice="round it to an integer: the numerator over a fixed denominator",
    )


def _bytes(state: Any) -> bytes:
    return repr(_plain(state)).encode()


def _object(state: bytes) -> Any:
    return ast.literal_eval(state.decode())


def _at(word: Any, place: int) -> int:
    return int(word[place])


ANCHORS: Anchors = {
    "Memory.over": [
        Known((Memory(lambda word: word[:1], lambda state, place: state[0]), _TWO, _PLACES, _at),
               (2, 8, 2, 2, ((0, 0), (0, 1), 1)), "by hand: the first letter for both; 01 and 10 are answered wrongly"),
        Known((Memory(lambda word: word, _at), _TWO, _PLACES, _at), (4, 8, 0, 0, None), "by hand: all is kept"),
        Known((Memory(lambda word: None, lambda state, place: 0), _TWO, _PLACES, _at),
               (1, 8, 4, 3, ((0, 0), (0, 1), 1)), "by hand: always 0; each letter is 1 in half of the words"),
    ],
}  # fmt: skip
