r"""Guessing from an observation: Bayes and minimax errors over finite laws, and the information that is there."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from theorytools.errors import DomainError
from theorytools.measures.anchors import Anchors, Known
from theorytools.measures.inputs import Number, added, fraction, largest, same_length, vector
from theorytools.measures.laws import Law, kullback_leibler
from theorytools.numbers import Enclosure


def bayes_error(law: Any) -> Number:
    r"""Return :math:`\min_h\Pr(h(X)\ne Y)=1-\sum_x\max_yp(x,y)`, over all guesses :math:`h` of the label.

    Parameters
    ----------
    law : of pairs ``(x, y)``, the observation first: a :class:`~theorytools.measures.Law` or a dictionary.

    Returns
    -------
    Fraction or Enclosure : exact where the masses are.

    Raises
    ------
    DomainError : the law of a sample, or outcomes that are no pairs.

    Examples
    --------
    >>> bayes_error({("no", 0): Fraction(1, 2), ("no", 1): Fraction(1, 6), ("yes", 1): Fraction(1, 3)})
    Fraction(1, 6)
    """
    by_observation: dict[Any, list[Number]] = {}
    for (x, _), mass in _pairs(law).items():
        by_observation.setdefault(x, []).append(mass)
    return added([1, *(-largest(masses) for masses in by_observation.values())])


def minimax_error(p: Any, q: Any) -> Fraction:
    r"""Return :math:`\min_\phi\max(E_p\phi,\,1-E_q\phi)`, the larger error of the best test between two laws.

    The test :math:`\phi` may be randomised; it is the probability of deciding for :math:`q`.  By the minimax theorem
    it is :math:`\max_\lambda\sum_x\min(\lambda p(x),(1-\lambda)q(x))`, concave and piecewise linear in the prior
    :math:`\lambda`, so that its maximum is at 0, at 1 or at a kink :math:`\lambda=q(x)/(p(x)+q(x))`.

    Parameters
    ----------
    p, q : exact probabilities of the same outcomes, in their order.

    Returns
    -------
    Fraction : between 0 and 1/2.

    Raises
    ------
    DomainError : no laws, balls, or laws of different lengths.

    Examples
    --------
    >>> minimax_error([1, 0], [Fraction(1, 3), Fraction(2, 3)])
    Fraction(1, 4)
    """
    first, second = (_masses(name, law) for name, law in (("p", p), ("q", q)))
    same_length(first, second, "p and q")
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a + b]
    priors = {b / (a + b) for a, b in pairs}
    return max(sum((min(t * a, (1 - t) * b) for a, b in pairs), Fraction(0)) for t in priors)


def mutual_information(law: Any, *, base: Any) -> Enclosure:
    r"""Return :math:`I(X;Y)=\sum_{x,y}p(x,y)\log\frac{p(x,y)}{p(x)p(y)}`, in bits or in nats.

    Parameters
    ----------
    law : of pairs ``(x, y)``, their joint law: a :class:`~theorytools.measures.Law` or a dictionary.
    base : 2 for bits, ``"e"`` for nats; it has no default.

    Returns
    -------
    Enclosure : exact where all logarithms are rational.

    Raises
    ------
    DomainError : the law of a sample, outcomes that are no pairs, or another base.

    Examples
    --------
    >>> mutual_information({(0, 0): Fraction(1, 2), (1, 1): Fraction(1, 2)}, base=2)
    Enclosure(1)
    """
    joint = _pairs(law)
    first, second = _marginal(joint, 0), _marginal(joint, 1)
    return kullback_leibler(joint, Law({(x, y): first[x] * second[y] for x in first for y in second}), base=base)


def _marginal(joint: Mapping[Any, Number], place: int) -> dict[Any, Number]:
    found: dict[Any, Number] = {}
    for pair, mass in joint.items():
        found[pair[place]] = added([found.get(pair[place], 0), mass])
    return found


def _pairs(law: Any) -> Mapping[Any, Number]:
    """The masses of a law of pairs that is not that of a sample."""
    known = law if isinstance(law, Law) else Law(law)
    if known.of_sample:
        raise DomainError(
            "the law of a sample", required="the law of the data", why="the best guess is that on new data",
            advice="Law(…) or Law.uniform(space) for the law",
        )  # fmt: skip
    for pair in known.masses:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise DomainError(f"the outcome {pair!r:.60}", required="pairs (x, y)", why="y is guessed from x")
    return known.masses


def _masses(name: str, law: Any) -> list[Fraction]:
    masses = vector(name, law, fraction)
    if min(masses) < 0 or sum(masses) != 1:
        raise DomainError(f"{name} = {masses!r:.60}", required="masses >= 0 with the sum 1")
    return masses


_HALF, _THIRD = Fraction(1, 2), Fraction(1, 3)
_JOINT = {
    (x, y): Fraction(mass, 32)
    for y, row in enumerate([[4, 2, 1, 1], [2, 4, 1, 1], [2, 2, 2, 2], [8, 0, 0, 0]])
    for x, mass in enumerate(row)
}
_EXAMPLE = "Cover, Thomas (2006), Example 2.2.1"

ANCHORS: Anchors = {
    "bayes_error": [
        Known((_JOINT,), _HALF, f"by hand, of {_EXAMPLE}: (32 - 8 - 4 - 2 - 2) / 32"),
        Known(({(0, 0): _HALF, (0, 1): Fraction(1, 6), (1, 1): _THIRD},), Fraction(1, 6), "by hand: 0 is taken for 0"),
        Known(({(x, y): Fraction(1, 9) for x in range(3) for y in range(3)},), Fraction(2, 3), "by hand: no help"),
        Known(({(x, x): Fraction(1, 4) for x in range(4)},), 0, "by hand: it says everything"),
    ],
    "minimax_error": [
        Known(([1, 0], [_THIRD, 2 * _THIRD]), Fraction(1, 4), "by hand: of the first outcome 1/4 is decided for q"),
        Known(([_HALF, _HALF], [_HALF, _HALF]), _HALF, "by hand: a coin"),
        Known(([1, 0, 0], [0, _HALF, _HALF]), 0, "by hand: disjoint laws"),
        Known(([1 - _THIRD, _THIRD], [_THIRD, 1 - _THIRD]), _THIRD, "by hand: the likelier of the two, by symmetry"),
    ],
    "mutual_information": [
        Known((_JOINT,), Fraction(3, 8), _EXAMPLE, {"base": 2}),
        Known(({(0, 0): _HALF, (1, 1): _HALF},), "0.693147180559945309", "log 2, from print", {"base": "e"}),
        Known(({(x, y): Fraction(x + 1, 12) for x in range(3) for y in range(2)},), 0, "by hand: independent",
              {"base": 2}),
    ],
}  # fmt: skip
