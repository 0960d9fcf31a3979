r"""Attention: soft and hard weights, and what comes out of one head."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from theorytools.errors import DomainError, UndecidedError
from theorytools.measures.anchors import Anchors, Known
from theorytools.measures.inputs import Number, added, dot, matrix, number, same_length, vector
from theorytools.numbers import Enclosure
from theorytools.theory.capacity.perturbation import attention


def softmax(scores: Any) -> list[Enclosure]:
    r"""Return the weights :math:`e^{s_j}/\sum_ke^{s_k}`.

    Parameters
    ----------
    scores : :math:`s_1,s_2,\dots`, exact or enclosed.

    Returns
    -------
    list : Enclosures with the sum 1, exact where all scores are equal.

    Raises
    ------
    DomainError : floats, or no scores.

    Examples
    --------
    >>> softmax([1, 1]), round(float(softmax([0, 1])[1]), 6)
    ([Enclosure(1/2), Enclosure(1/2)], 0.731059)
    """
    return attention.softmax(vector("scores", scores))


def attention_weights(query: Any, keys: Any, *, scale: Any = 1) -> list[Enclosure]:
    r"""Return the softmax of the scores :math:`\beta\langle q,k_j\rangle`.

    Parameters
    ----------
    query : :math:`q`, exact or enclosed.
    keys : :math:`k_1,k_2,\dots`, of the same length.
    scale : :math:`\beta`, the inverse temperature, such as ``1 / Enclosure(d).sqrt()``.

    Returns
    -------
    list : Enclosures with the sum 1.

    Raises
    ------
    DomainError : floats, or different lengths.

    Examples
    --------
    >>> [round(float(w), 6) for w in attention_weights([1, 0], [[1, 5], [0, 7]])]
    [0.731059, 0.268941]
    """
    return softmax(_scores(query, keys, scale))


def attention_output(query: Any, keys: Any, values: Any, *, scale: Any = 1) -> list[Enclosure]:
    r"""Return :math:`\sum_jw_jv_j`, the values weighted by :func:`attention_weights`.

    Parameters
    ----------
    query, keys, scale : as in :func:`attention_weights`.
    values : :math:`v_1,v_2,\dots`, a vector for each key.

    Returns
    -------
    list : the entries, Enclosures.

    Raises
    ------
    DomainError : floats, or different lengths.

    Examples
    --------
    >>> attention_output([0, 0], [[1, 5], [0, 7]], [[2], [4]])
    [Enclosure(3)]
    """
    weights, rows = attention_weights(query, keys, scale=scale), matrix("values", values)
    same_length(weights, rows, "keys and values")
    return [Enclosure(added(w * x for w, x in zip(weights, column, strict=True))) for column in zip(*rows, strict=True)]


def hard_maximum(scores: Any) -> list[Fraction]:
    r"""Return the weights of hard attention: all on the largest score, shared equally by ties.

    The limit of the softmax of :math:`\beta s` as :math:`\beta\to\infty`.

    Parameters
    ----------
    scores : exact numbers, or balls that are certainly apart.

    Returns
    -------
    list : Fractions with the sum 1.

    Raises
    ------
    DomainError : floats, or no scores.
    UndecidedError : balls that overlap at the top.

    Examples
    --------
    >>> hard_maximum([1, 3, 3, 2])
    [Fraction(0, 1), Fraction(1, 2), Fraction(1, 2), Fraction(0, 1)]
    """
    s = vector("scores", scores)
    top = [_leads(x, s, k) for k, x in enumerate(s)]
    return [Fraction(int(leads), sum(top)) for leads in top]


def _leads(x: Number, scores: Sequence[Number], place: int) -> bool:
    """Whether no score is larger; the score at its own place is not."""
    answers = [Enclosure(y).certainly_le(x) for k, y in enumerate(scores) if k != place]
    if False in answers:
        return False
    if None in answers:
        raise UndecidedError(
            f"the score {x!r:.60}, which may be the largest", required="scores that are certainly apart",
            why="the hard maximum jumps at a tie", advice="exact scores, or a higher precision",
        )  # fmt: skip
    return True


def _scores(query: Any, keys: Any, scale: Any) -> list[Number]:
    q, rows, beta = vector("query", query), matrix("keys", keys), number("scale", scale)
    if len(rows[0]) != len(q):
        raise DomainError(f"a query of length {len(q)}, keys of length {len(rows[0])}", required="one length")
    return [number("a score", beta * dot(q, row)) for row in rows]


_SIGMOID = ("0.268941421369995120", "0.731058578630004879")

ANCHORS: Anchors = {
    "softmax": [
        Known(([0, 1],), _SIGMOID, "the logistic function at -1 and 1, from print"),
        Known(([5, 6],), _SIGMOID, "by hand: a shift of all scores moves nothing"),
        Known(([Enclosure(2).log(), Enclosure(3).log(), Enclosure(5).log()],),
               ("0.200000000000", "0.300000000000", "0.500000000000"), "by hand: 2, 3 and 5 over 10"),
        Known(([7, 7, 7],), (Fraction(1, 3),) * 3, "by hand: equal scores"),
    ],
    "attention_weights": [
        Known(([1, 2], [[3, -2], [0, 0]]), _SIGMOID, "the logistic function, from print: the scores are -1 and 0"),
        Known(([1, 2], [[2, 0], [0, 0]]), ("0.880797077977882444", "0.119202922022117556"),
               "the logistic function at 2, from print"),
        Known(([1, 2], [[2, 0], [0, 0]]), tuple(reversed(_SIGMOID)), "the same at 1: half the scale",
               {"scale": Fraction(1, 2)}),
    ],
    "attention_output": [
        Known(([1, 2], [[3, -2], [0, 0]], [[10, 0], [0, 1]]), ("2.68941421369995120", _SIGMOID[1]),
               "ten times and once the logistic function, from print"),
        Known(([0, 0], [[3, -2], [0, 0]], [[2, 1], [4, 5]]), (3, 3), "by hand: equal scores, the mean of the values"),
        Known(([1, 2], [[3, -2], [0, 0]], [[7, 7], [7, 7]]), ("7.00000000000000", "7.00000000000000"),
               "by hand: equal values; in balls"),
    ],
    "hard_maximum": [
        Known(([1, 3, 2],), (0, 1, 0), "by hand: one largest score"),
        Known(([1, 3, 3, -5],), (0, Fraction(1, 2), Fraction(1, 2), 0), "by hand: two largest scores share"),
        Known(([-4, -2],), (0, 1), "by hand: -2 is the larger"),
    ],
}  # fmt: skip
