r"""Finite spaces that know their own number of members, and extrema over all of them.

A :class:`Space` has two descriptions: how its members are produced, and how many there are, by a formula.  Whoever
walks it compares the two and looks for repeats, so that "for all words" cannot come to mean an empty loop, a part of
the words, or one word many times.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, at_most, checked
from theorytools.arguments.kinds import Integer
from theorytools.arguments.values import within_budget
from theorytools.claims.language.enumerated import tell_walked
from theorytools.errors import DomainError
from theorytools.measures.anchors import Anchors, Known
from theorytools.measures.inputs import Number, items, largest, number, outcome, smallest

Length = Annotated[int, Integer(0, 10_000)]  # a size whose count is still written down
MOST = 2**22  # members that are walked: each is kept, to be compared with the later ones
_COSTS = ((3, 1, 4), (1, 5, 9), (2, 6, 5))


@checked
@dataclass(frozen=True)
class Space:
    """A finite set that is walked member by member, with its number of members known beforehand.

    The number is compared at the end of a walk: one that is broken off says nothing of the rest.

    Parameters
    ----------
    produce : a function without arguments that returns an iterable of the members: tuples, integers, words.
    count : the number of members, from a formula and not from the walk.
    name : in words, for messages.

    Raises
    ------
    DomainError : when it is walked, for another number of members than ``count``, for one member twice, and for members
        that cannot be compared, such as lists and arrays.
    BudgetError : for more than 4194304 members.

    Examples
    --------
    >>> pairs = Space(lambda: ((i, j) for i in range(4) for j in range(i)), 6, "pairs of four points")
    >>> pairs.count, list(pairs)[:3]
    (6, [(1, 0), (2, 0), (2, 1)])
    >>> list(Space(lambda: range(3), 4, "four numbers"))
    Traceback (most recent call last):
        ...
    theorytools.errors.DomainError: given:    3 members of four numbers
    required: 4, its stated number
    why:      a quantifier over all members is covered only where each is met once
    try:      mend the formula of the count, or the walk
    """

    produce: Callable[[], Iterable[Any]]
    count: NonNegativeInt
    name: str = "the space"

    def __iter__(self) -> Iterator[Any]:
        within_budget(
            f"members of {self.name}", self.count, MOST, why="each is met once", advice="a smaller size, or a proof"
        )
        members, seen = self.produce(), set[Any]()
        if not isinstance(members, Iterable):
            raise DomainError(
                f"{members!r:.60} for the members of {self.name}", required="a function that returns an iterable",
                why="each member is met once", advice="lambda: itertools.product(…)",
            )  # fmt: skip
        for k, member in enumerate(members):
            if k == self.count:
                raise self._miscounted(f"more than {k}")
            seen.add(outcome("a member", member))
            if len(seen) == k:
                raise DomainError(
                    f"the member {member!r:.60} of {self.name} twice", required="each member once",
                    why="a member that is met twice may stand for one that is not met", advice="mend the walk",
                )  # fmt: skip
            yield member
        if len(seen) < self.count:
            raise self._miscounted(str(len(seen)))
        tell_walked(self.name)

    def _miscounted(self, found: str) -> DomainError:
        return DomainError(
            f"{found} members of {self.name}", required=f"{self.count}, its stated number",
            why="a quantifier over all members is covered only where each is met once",
            advice="mend the formula of the count, or the walk",
        )  # fmt: skip


def words(alphabet: Any, length: Any) -> Space:
    r"""Return the space of all :math:`|\Sigma|^n` words of a length, as tuples.

    Parameters
    ----------
    alphabet : the letters: a string, a sequence without repeats, or a number :math:`k` for :math:`0,\dots,k-1`.
    length : :math:`n`, from 0.

    Returns
    -------
    Space : its members are tuples of letters.

    Raises
    ------
    DomainError : a letter twice, or no letters.

    Examples
    --------
    >>> words("ab", 3).count, list(words(2, 2))
    (8, [(0, 0), (0, 1), (1, 0), (1, 1)])
    """
    if isinstance(alphabet, str) or hasattr(alphabet, "__iter__"):
        letters = list(alphabet) if isinstance(alphabet, str) else items("alphabet", alphabet)
        if not letters or len({outcome("a letter", x) for x in letters}) != len(letters):
            raise DomainError(f"the alphabet {letters!r:.60}", required="letters that differ, one at least")
        return _words(letters, length)
    return _words(range(_letters(alphabet)), length)


@checked
@at_most(alphabet=ENTRIES)
def _letters(alphabet: PositiveInt) -> int:
    """Return the number of letters."""
    return alphabet


@checked
def _words(letters: Any, length: Length) -> Space:
    """Return the words of a length."""
    k, n = len(letters), length
    return Space(lambda: itertools.product(letters, repeat=n), k**n, f"words of length {n} in {k} letters")


@checked
def subsets(N: Length, k: Length | None = None) -> Space:
    r"""Return the space of the :math:`\binom Nk` subsets of :math:`\{0,\dots,N-1\}` with ``k`` members, as tuples.

    Parameters
    ----------
    N : size of the set.
    k : size of the subsets; None for all :math:`2^N` of them.

    Returns
    -------
    Space : its members are increasing tuples.

    Examples
    --------
    >>> subsets(4, 2).count, list(subsets(2))
    (6, [(), (0,), (1,), (0, 1)])
    """
    if k is None:
        return Space(
            lambda: itertools.chain.from_iterable(itertools.combinations(range(N), j) for j in range(N + 1)),
            2**N, f"subsets of {N} items",
        )  # fmt: skip
    return Space(lambda: itertools.combinations(range(N), k), math.comb(N, k), f"subsets of {k} among {N} items")


@checked
def sign_vectors(d: Length) -> Space:
    r"""Return the space :math:`\{-1,1\}^d`, as tuples.

    Parameters
    ----------
    d : number of coordinates.

    Returns
    -------
    Space : its members are tuples of -1 and 1.

    Examples
    --------
    >>> list(sign_vectors(2))
    [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    """
    return Space(lambda: itertools.product((-1, 1), repeat=d), 2**d, f"sign vectors of length {d}")


@checked
def permutations(N: Length) -> Space:
    r"""Return the space of the :math:`N!` permutations of :math:`0,\dots,N-1`, as tuples.

    Parameters
    ----------
    N : number of items.

    Returns
    -------
    Space : its members are tuples.

    Examples
    --------
    >>> permutations(3).count, list(permutations(2))
    (6, [(0, 1), (1, 0)])
    """
    return Space(lambda: itertools.permutations(range(N)), math.factorial(N), f"permutations of {N} items")


@checked
def signed_permutations(d: Length) -> Space:
    r"""Return the group of the :math:`2^dd!` maps that permute the coordinates and change signs, as tuples of pairs.

    Parameters
    ----------
    d : number of coordinates.

    Returns
    -------
    Space : its members are tuples of pairs ``(place, sign)``: entry :math:`i` of the image of :math:`x` is
        ``sign * x[place]``.

    Examples
    --------
    >>> signed_permutations(3).count, list(signed_permutations(1))
    (48, [((0, -1),), ((0, 1),)])
    """

    def produce() -> Iterator[tuple[tuple[int, int], ...]]:
        for images in itertools.permutations(range(d)):
            for signs in itertools.product((-1, 1), repeat=d):
                yield tuple(zip(images, signs, strict=True))

    return Space(produce, 2**d * math.factorial(d), f"signed permutations of {d} coordinates")


@checked
def product(*spaces: Space) -> Space:
    r"""Return the space of all tuples with one member of each space.

    Parameters
    ----------
    spaces : the factors, each of which is walked once.

    Returns
    -------
    Space : as many members as the product of the counts.

    Examples
    --------
    >>> product(words(2, 1), permutations(2)).count
    4
    """
    name = " x ".join(space.name for space in spaces)
    return Space(lambda: itertools.product(*spaces), math.prod(space.count for space in spaces), name)


@checked
def listed(members: Any, count: NonNegativeInt, name: str = "the list") -> Space:
    """Return the space of the members of a list, with their number stated apart.

    Parameters
    ----------
    members : a sequence of members that differ.
    count : how many there should be.
    name : in words, for messages.

    Returns
    -------
    Space : the members in their order.

    Examples
    --------
    >>> supremum(listed([3, 1, 2], 3), lambda x: x)
    Fraction(3, 1)
    """
    found = [outcome("a member", member) for member in items("members", members)]
    return Space(lambda: found, count, name)


@checked
def supremum(space: Space, function: Callable[..., Any]) -> Number:
    r"""Return :math:`\max_{x}f(x)` over all members of a space, each met once.

    Parameters
    ----------
    space : what is walked; it is refused where it does not have its stated number of members.
    function : :math:`f`, with exact or enclosed values.

    Returns
    -------
    Fraction or Enclosure : exact where the values are.

    Raises
    ------
    DomainError : an empty space, a space that miscounts, a value that is no exact number.

    Examples
    --------
    >>> supremum(sign_vectors(3), lambda s: s[0] - 2 * s[1] + 4 * s[2])
    Fraction(7, 1)
    """
    return largest(_values(space, function))


@checked
def infimum(space: Space, function: Callable[..., Any]) -> Number:
    r"""Return :math:`\min_{x}f(x)` over all members of a space, each met once.

    Parameters
    ----------
    space, function : as in :func:`supremum`.

    Returns
    -------
    Fraction or Enclosure : exact where the values are.

    Raises
    ------
    DomainError : an empty space, a space that miscounts, a value that is no exact number.

    Examples
    --------
    >>> infimum(subsets(4, 2), lambda pair: pair[1] - pair[0])
    Fraction(1, 1)
    """
    return smallest(_values(space, function))


def _values(space: Space, function: Callable[..., Any]) -> list[Number]:
    values = [number(f"f({member!r:.40})", function(member)) for member in space]
    if not values:
        raise DomainError(f"{space.name}, which is empty", required="a member", why="an extremum over nothing is none")
    return values


@checked
def count_where(space: Space, predicate: Callable[..., Any]) -> int:
    """Return how many members of a space have a property.

    Parameters
    ----------
    space : what is walked.
    predicate : says True or False of a member.

    Returns
    -------
    int : between 0 and the number of members.

    Raises
    ------
    DomainError : a space that miscounts, or an answer that is neither True nor False.

    Examples
    --------
    >>> count_where(permutations(4), lambda p: all(p[i] != i for i in range(4)))
    9
    """
    return sum(yes_or_no(predicate(member), "the predicate") for member in space)


def yes_or_no(answer: Any, what: str) -> bool:
    """Return a truth value, numpy's too; anything else is refused."""
    if isinstance(answer, bool) or type(answer).__name__ in ("bool_", "bool"):
        return bool(answer)
    raise DomainError(
        f"{what} says {answer!r:.60}, a {type(answer).__name__}", required="True or False",
        advice="compare exact numbers; certainly_le of an enclosure is None where it is open",
    )  # fmt: skip


def _cost(p: tuple[int, ...]) -> int:
    return sum(_COSTS[i][j] for i, j in enumerate(p))


ANCHORS: Anchors = {
    "supremum": [
        Known((permutations(3), _cost), 18, "by hand, all six assignments: 13, 18, 7, 12, 11, 11"),
        Known((words(3, 2), lambda w: w[0] - 3 * w[1]), 2, "by hand: at (2, 0); the largest modulus is 6"),
        Known((subsets(4, 2), lambda s: s[0] * s[1]), 6, "by hand: 2 * 3, at the last of six"),
    ],
    "infimum": [
        Known((permutations(3), _cost), 7, "by hand, all six assignments: 13, 18, 7, 12, 11, 11"),
        Known((words(3, 2), lambda w: w[0] - 3 * w[1]), -6, "by hand: at (0, 2)"),
        Known((sign_vectors(2), lambda s: 3 * s[0] * s[1] + s[0]), -4, "by hand: at (-1, 1)"),
    ],
    "count_where": [
        Known((permutations(4), lambda p: all(p[i] != i for i in range(4))), 9, "derangements of 4: OEIS A000166"),
        Known((words(2, 5), lambda w: "11" not in "".join(map(str, w))), 13, "a Fibonacci number: OEIS A000045"),
        Known((subsets(5), lambda s: sum(s) == 4), 4, "by hand: {4}, {0, 4}, {1, 3}, {0, 1, 3}"),
    ],
}  # fmt: skip
