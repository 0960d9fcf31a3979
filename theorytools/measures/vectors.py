r"""Vectors and matrices: norms, ranks, spans, interpolants, coherence, distances of codes, Lipschitz constants."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theorytools.arguments.checked import checked
from theorytools.arguments.values import within_budget
from theorytools.codes.extreme_distances import extreme_distances
from theorytools.codes.hamming import pack
from theorytools.errors import DomainError
from theorytools.measures.anchors import Anchors, Known
from theorytools.measures.inputs import (
    Number,
    added,
    dot,
    fraction,
    items,
    largest,
    matrix,
    number,
    outcome,
    same_length,
    vector,
)
from theorytools.numbers import (
    Enclosure,
    between,
    first_independent,
    rational_dot,
    rational_product,
    rational_rank,
    solve_rational,
)
from theorytools.numbers.spectrum import largest_eigenvalue

_PAIRS = 50_000_000  # places of two words that are compared one by one


def squared_norm(x: Any) -> Number:
    r"""Return :math:`\|x\|^2=\sum_ix_i^2`.

    Parameters
    ----------
    x : a vector of exact or enclosed numbers.

    Returns
    -------
    Fraction or Enclosure : exact where the entries are.

    Raises
    ------
    DomainError : floats, or no entries.

    Examples
    --------
    >>> squared_norm([1, 2, Fraction(1, 2)])
    Fraction(21, 4)
    """
    return added(entry**2 for entry in vector("x", x))


def euclidean_norm(x: Any) -> Enclosure:
    r"""Return :math:`\|x\|=\sqrt{\sum_ix_i^2}`.

    Parameters
    ----------
    x : a vector of exact or enclosed numbers.

    Returns
    -------
    Enclosure : exact where the norm is rational.

    Raises
    ------
    DomainError : floats, or no entries.

    Examples
    --------
    >>> euclidean_norm([3, -4])
    Enclosure(5)
    """
    return _root(squared_norm(x))


def _root(square: Number) -> Enclosure:
    """The root of a number that is known not to be negative: a sum of balls around squares may reach below 0."""
    return Enclosure(square).nonnegative_part().sqrt()


def frobenius_norm(A: Any) -> Enclosure:
    r"""Return :math:`\|A\|_F=\sqrt{\sum_{ij}a_{ij}^2}`.

    Parameters
    ----------
    A : rows of exact or enclosed numbers.

    Returns
    -------
    Enclosure : exact where the norm is rational.

    Raises
    ------
    DomainError : floats, or rows of different lengths.

    Examples
    --------
    >>> frobenius_norm([[1, 5], [1, 3]])
    Enclosure(6)
    """
    return euclidean_norm([entry for row in matrix("A", A) for entry in row])


def operator_norm(A: Any) -> Enclosure:
    r"""Return :math:`\|A\|=\max_{\|x\|=1}\|Ax\|`, the largest singular value.

    The largest root of the characteristic polynomial of :math:`A^\top A` (or of :math:`AA^\top`, whichever is smaller)
    is isolated, and its root taken.  A matrix of balls is :math:`M+E` with rational midpoints :math:`M`, and
    :math:`\bigl|\|A\|-\|M\|\bigr|\le\|E\|_F`.

    Parameters
    ----------
    A : rows of exact or enclosed numbers.

    Returns
    -------
    Enclosure : exact where the norm is rational, at the ambient precision elsewhere.

    Raises
    ------
    DomainError : floats, or rows of different lengths.

    Examples
    --------
    >>> operator_norm([[0, 2], [-3, 0]]), round(float(operator_norm([[3, 0], [4, 5]])), 6)
    (Enclosure(3), 6.708204)
    """
    rows = matrix("A", A)
    middles = [[x if isinstance(x, Fraction) else _middle(x) for x in row] for row in rows]
    short = middles if len(rows) <= len(rows[0]) else [list(column) for column in zip(*middles, strict=True)]
    norm = largest_eigenvalue(rational_product(short, [list(column) for column in zip(*short, strict=True)])).sqrt()
    rest = [x - m for row, near in zip(rows, middles, strict=True) for x, m in zip(row, near, strict=True)]
    if all(isinstance(x, Fraction) for x in rest):
        return norm
    reach = euclidean_norm(rest)
    return between((norm - reach).nonnegative_part(), norm + reach)


@checked
def induced_norm(A: Any, source: Any, target: Any) -> Number:
    r"""Return :math:`\|A\|_{p\to q}=\max_{\|x\|_p\le1}\|Ax\|_q` for :math:`p` and :math:`q` among 1, 2 and infinity.

    A convex function is largest at an extreme point of the ball: at a unit vector for :math:`p=1`, so that columns are
    measured, and at a sign vector for :math:`p=\infty`, all of which are enumerated; with :math:`q=\infty` it is the
    largest dual norm of a row, and :math:`\|A\|_{2\to1}=\|A^\top\|_{\infty\to2}`.

    Parameters
    ----------
    A : rows of exact or enclosed numbers.
    source, target : the norm of the argument and that of the value: 1, 2 or ``"inf"``.

    Returns
    -------
    Fraction or Enclosure : exact where the entries are and no 2 is a norm; ``2, 2`` is :func:`operator_norm`.

    Raises
    ------
    DomainError : floats, rows of different lengths, or another norm.
    BudgetError : more than 20 columns of signs.

    Examples
    --------
    >>> [induced_norm([[1, 2], [3, -4]], p, q) for p, q in ((1, 1), ("inf", "inf"), ("inf", 1), (1, "inf"))]
    [Fraction(6, 1), Fraction(7, 1), Fraction(8, 1), Fraction(4, 1)]
    """
    rows, p, q = matrix("A", A), _norm_name("source", source), _norm_name("target", target)
    columns = [list(column) for column in zip(*rows, strict=True)]
    if p == q == 2:
        return number("a norm", operator_norm(rows))
    if p == 1:
        return largest([_norm(column, q) for column in columns])
    if q == "inf":
        return largest([_norm(row, _DUAL[p]) for row in rows])
    if p == 2:
        rows, columns, q = columns, rows, 2
    within_budget("columns of signs", len(columns), 20, why="all signs are enumerated", advice="a smaller matrix")
    images = ([1, *signs] for signs in itertools.product((-1, 1), repeat=len(columns) - 1))  # x and -x are as long
    return largest([_norm([dot(row, [Fraction(s) for s in signs]) for row in rows], q) for signs in images])


_DUAL = {1: "inf", 2: 2, "inf": 1}


def _norm_name(name: str, value: Any) -> Any:
    for known in _DUAL:
        if type(value) is type(known) and value == known:
            return known
    raise DomainError(f"{name} = {value!r:.40}", required='1, 2 or "inf"', why="norms with exact extreme points")


def _norm(x: Sequence[Number], kind: Any) -> Number:
    if kind == 2:
        return number("a norm", euclidean_norm(x))
    lengths = [number("a modulus", abs(entry)) for entry in x]
    return added(lengths) if kind == 1 else largest(lengths)


def _middle(box: Enclosure) -> Fraction:
    if not box.value.is_finite():
        raise DomainError("an entry that is the whole line", required="bounded balls", why="something was undefined")
    man, exp = (int(k) for k in box.value.mid().man_exp())
    return Fraction(man) * Fraction(2) ** exp


def rank(A: Any) -> int:
    r"""Return the rank of a matrix over the rationals, by elimination in exact numbers.

    Parameters
    ----------
    A : rows of integers and fractions: no float, and no ball, whose rank would be that of its largest member.

    Returns
    -------
    int : exact.

    Raises
    ------
    DomainError : floats or balls, or rows of different lengths.

    Examples
    --------
    >>> rank([[Fraction(1, i + j + 1) for j in range(12)] for i in range(12)])  # Hilbert's matrix
    12
    """
    return rational_rank(matrix("A", A, fraction))


def span_loss(target: Any, vectors: Any) -> Fraction:
    r"""Return :math:`\min_c\|y-\sum_ic_iv_i\|^2`, the squared distance of a vector from a span.

    It is the least squared loss of a linear predictor with the features :math:`v_i`, summed over the entries of
    :math:`y`, not averaged.

    Parameters
    ----------
    target : :math:`y`, exact.
    vectors : :math:`v_1,v_2,\dots`, of the same length; they may be dependent.

    Returns
    -------
    Fraction : exact.

    Raises
    ------
    DomainError : floats or balls, or different lengths.

    Examples
    --------
    >>> span_loss([1, 2, 3], [[1, 1, 1]])
    Fraction(2, 1)
    """
    y, rows = vector("target", target, fraction), matrix("vectors", vectors, fraction)
    same_length(y, rows[0], "the target and the vectors")
    basis = [rows[k] for k in first_independent(rows)]
    if not basis:
        return rational_dot(y, y)
    images = [rational_dot(v, y) for v in basis]
    gram = [[rational_dot(v, w) for w in basis] for v in basis]
    return rational_dot(y, y) - rational_dot(images, solve_rational(gram, images))


def minimum_norm_interpolant(rows: Any, labels: Any) -> list[Fraction]:
    r"""Return the shortest :math:`w` with :math:`\langle w,x_i\rangle=y_i` for all :math:`i`: :math:`w=X^+y`.

    Parameters
    ----------
    rows : :math:`x_1,x_2,\dots`, exact; they may be dependent.
    labels : :math:`y_1,y_2,\dots`, exact.

    Returns
    -------
    list : the entries of :math:`w`, Fractions.

    Raises
    ------
    DomainError : floats or balls, different lengths, or labels that no linear function takes.

    Examples
    --------
    >>> minimum_norm_interpolant([[1, 2]], [5])
    [Fraction(1, 1), Fraction(2, 1)]
    """
    X, y = matrix("rows", rows, fraction), vector("labels", labels, fraction)
    same_length(X, y, "rows and labels")
    chosen = first_independent(X)
    basis = [X[k] for k in chosen]
    w = [Fraction(0)] * len(X[0])
    if basis:
        weights = solve_rational([[rational_dot(v, u) for u in basis] for v in basis], [y[k] for k in chosen])
        w = [rational_dot(weights, column) for column in zip(*basis, strict=True)]
    missed = next((k for k, (x, label) in enumerate(zip(X, y, strict=True)) if rational_dot(w, x) != label), None)
    if missed is not None:
        raise DomainError(
            f"labels that no linear function takes: row {missed} depends on those before it, its label does not",
            required="labels in the range of the rows", why="there is no interpolant",
        )  # fmt: skip
    return w


def coherence(vectors: Any) -> Number:
    r"""Return :math:`\max_{i\ne j}\frac{\langle v_i,v_j\rangle}{\|v_i\|\|v_j\|}`, with its sign.

    Parameters
    ----------
    vectors : two or more, none of them zero, exact or enclosed.

    Returns
    -------
    Fraction or Enclosure : exact where every cosine that matters is rational.

    Raises
    ------
    DomainError : floats, one vector only, a vector that may be zero.

    Examples
    --------
    >>> coherence([[1, 1, 1], [1, -1, 1], [-1, -1, -1]])
    Fraction(1, 3)
    """
    return largest(_cosines(vectors))


def absolute_coherence(vectors: Any) -> Number:
    r"""Return :math:`\max_{i\ne j}\frac{|\langle v_i,v_j\rangle|}{\|v_i\|\|v_j\|}`.

    Parameters
    ----------
    vectors : two or more, none of them zero, exact or enclosed.

    Returns
    -------
    Fraction or Enclosure : exact where every cosine that matters is rational.

    Raises
    ------
    DomainError : floats, one vector only, a vector that may be zero.

    Examples
    --------
    >>> absolute_coherence([[1, 1, 1], [1, -1, 1], [-1, -1, -1]])
    Fraction(1, 1)
    """
    return largest([number("a cosine", abs(cosine)) for cosine in _cosines(vectors)])


def _cosines(vectors: Any) -> list[Number]:
    rows = matrix("vectors", vectors)
    if len(rows) < 2:
        raise DomainError("one vector", required="two at least", why="the coherence compares different vectors")
    squares = [dot(row, row) for row in rows]
    zero = next((k for k, square in enumerate(squares) if not Enclosure(square).lower > 0), None)
    if zero is not None:
        raise DomainError(f"vectors[{zero}], which may be zero", required="vectors that are not zero")
    roots = [number("a norm", Enclosure(square).sqrt()) for square in squares]
    found = []
    for i, j in itertools.combinations(range(len(rows)), 2):
        # the product of the squares may be a square where neither is
        scale = roots[i] * roots[j] if isinstance(roots[i], Fraction) else Enclosure(squares[i] * squares[j]).sqrt()
        found.append(number("a cosine", dot(rows[i], rows[j]) / scale))
    return found


def least_distance(codewords: Any) -> int:
    """Return the least Hamming distance of two of the words: in how many places the two that are nearest differ.

    Parameters
    ----------
    codewords : two or more words of one length, in any letters: strings, or rows of exact numbers.

    Returns
    -------
    int : exact; 0 where two words are equal.

    Raises
    ------
    DomainError : one word only, words of different lengths, or floats as letters.
    BudgetError : more than 50 million places to compare, for more than two letters.

    Examples
    --------
    >>> least_distance(["00000", "01101", "10110", "11011"])
    3
    """
    rows = [
        list(w) if isinstance(w, str) else items(f"codewords[{k}]", w)
        for k, w in enumerate(items("codewords", codewords))
    ]
    lengths = {len(row) for row in rows}
    if len(rows) < 2 or len(lengths) != 1 or not lengths.pop():
        raise DomainError(
            f"{len(rows)} words of lengths {sorted({len(w) for w in rows})}", required="two words or more of one length"
        )
    letters = sorted({outcome("a letter", x) for row in rows for x in row}, key=repr)
    if len(letters) == 2:
        bits = np.array([[x == letters[1] for x in row] for row in rows], dtype=bool)
        return int(extreme_distances(pack(bits), len(rows[0]))[0])
    places = math.comb(len(rows), 2) * len(rows[0])
    within_budget("places of pairs of words", places, _PAIRS, why="every pair is looked at", advice="fewer words")
    return min(sum(1 for x, y in zip(v, w, strict=True) if x != y) for v, w in itertools.combinations(rows, 2))


@checked
def lipschitz_constant(function: Callable[..., Any], pairs: Any, *, norms: Any = (2, 2)) -> Number:
    r"""Return :math:`\max\frac{\|f(x)-f(y)\|_q}{\|x-y\|_p}` over some pairs, Euclidean on both sides unless said.

    A lower bound of the constant over a larger set, and no more.

    Parameters
    ----------
    function : :math:`f`, of a vector or a number, with a vector or a number as its value, exact or enclosed.
    pairs : pairs ``(x, y)`` that differ.
    norms : :math:`p` of the arguments and :math:`q` of the values, each 1, 2 or ``"inf"``.

    Returns
    -------
    Fraction or Enclosure : exact where the largest quotient is rational and known to be the largest.

    Raises
    ------
    DomainError : floats, no pairs, a pair of equal points, values of different lengths, or another norm.

    Examples
    --------
    >>> lipschitz_constant(lambda x: x * x, [(0, 1), (1, 3), (2, -1)])
    Fraction(4, 1)
    """
    kinds = tuple(_norm_name(f"norms[{k}]", kind) for k, kind in enumerate(items("norms", norms)))
    if len(kinds) != 2:
        raise DomainError(f"norms = {norms!r:.40}", required="two of them: of the arguments and of the values")
    return largest([_quotient(function, pair, kinds) for pair in items("pairs", pairs)])


def _quotient(function: Callable[..., Any], pair: Any, kinds: tuple[Any, ...]) -> Number:
    if not isinstance(pair, Sequence) or len(pair) != 2:
        raise DomainError(f"the pair {pair!r:.60}", required="pairs (x, y)")
    (x, y), (u, v) = pair, map(function, pair)
    far, moved = _gap(x, y), _gap(u, v)
    if not Enclosure(squared_norm(far)).lower > 0:
        raise DomainError(f"the pair {pair!r:.60}, which may be equal", required="points that differ")
    if kinds == (2, 2):  # one root: the quotient of two irrational lengths may be rational
        return number("a quotient", _root(squared_norm(moved) / squared_norm(far)))
    return number("a quotient", _norm(moved, kinds[1]) / _norm(far, kinds[0]))


def _gap(x: Any, y: Any) -> list[Number]:
    a, b = (vector("a point", p if hasattr(p, "__len__") else [p]) for p in (x, y))
    same_length(a, b, "points")
    return [number("a difference", p - q) for p, q in zip(a, b, strict=True)]


def _hilbert(n: int) -> list[list[Fraction]]:
    return [[Fraction(1, i + j + 1) for j in range(n)] for i in range(n)]


_SIMPLEX = [[3, -1, -1, -1], [-1, 3, -1, -1], [-1, -1, 3, -1], [-1, -1, -1, 3]]
_HAMMING_7_4 = [
    [0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0], [0, 1, 1, 0, 1, 0, 0], [0, 0, 1, 1, 0, 1, 0], [0, 0, 0, 1, 1, 0, 1],
    [1, 0, 0, 0, 1, 1, 0], [0, 1, 0, 0, 0, 1, 1], [1, 0, 1, 0, 0, 0, 1], [1, 1, 1, 1, 1, 1, 1], [0, 0, 1, 0, 1, 1, 1],
    [1, 0, 0, 1, 0, 1, 1], [1, 1, 0, 0, 1, 0, 1], [1, 1, 1, 0, 0, 1, 0], [0, 1, 1, 1, 0, 0, 1], [1, 0, 1, 1, 1, 0, 0],
    [0, 1, 0, 1, 1, 1, 0],
]  # fmt: skip

ANCHORS: Anchors = {
    "squared_norm": [
        Known(([1, -2, 3],), 14, "by hand: 1 + 4 + 9"),
        Known(([Fraction(1, 2), Fraction(1, 3)],), Fraction(13, 36), "by hand: 1/4 + 1/9"),
    ],
    "euclidean_norm": [
        Known(([2, -3, 6],), 7, "by hand: 4 + 9 + 36 = 49"),
        Known(([1, 1],), "1.414213562373095049", "the root of 2, from print"),
        Known(([Enclosure(2).sqrt(), Enclosure(7).sqrt()],), "3.000000000000", "by hand: 2 + 7 = 9, in balls"),
    ],
    "frobenius_norm": [
        Known(([[1, 5], [1, 3]],), 6, "by hand: 1 + 25 + 1 + 9 = 36"),
        Known(([[1, -1, 0], [0, 0, 1]],), "1.732050807568877294", "the root of 3, from print"),
    ],
    "operator_norm": [
        Known(([[0, 2], [-3, 0]],), 3, "by hand: two axes, stretched by 3 and by 2"),
        Known(([[1, 1], [0, 1]],), "1.618033988749894848", "the golden ratio: its square is the root of x^2 - 3x + 1"),
        Known(([[2, 2, 1]],), 3, "by hand: the length of a single row"),
        Known(([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]],), 2, "Hadamard: A A^T = 4 I"),
    ],
    "induced_norm": [
        Known(([[1, 2], [3, -4]], 1, 1), 6, "by hand: the second column"),
        Known(([[1, 2], [3, -4]], "inf", "inf"), 7, "by hand: the second row"),
        Known(([[1, 2], [3, -4]], "inf", 1), 8, "by hand: (3, -1) at (1, 1), (-1, 7) at (1, -1)"),
        Known(([[1, 2], [3, -4]], 1, "inf"), 4, "by hand: the largest modulus of an entry"),
        Known(([[1, 2], [3, -4]], "inf", 2), "7.071067811865475244", "the root of 50 = 1 + 49, from print"),
        Known(([[1, 2], [3, -4]], 2, 1), "6.324555320336758664", "the root of 40 = 4 + 36: (4, -2), transposed"),
        Known(([[2, 1], [2, 4]], 1, 2), "4.123105625617660550", "the root of 17, from print: the second column"),
        Known(([[3, 4, 0], [1, 1, 1]], 2, "inf"), 5, "by hand: the length of the first row"),
    ],
    "rank": [
        Known((_hilbert(14),), 14, "Hilbert (1894): regular at every size; in doubles it has the rank 11"),
        Known(([[1, 2, 3], [4, 5, 6], [7, 8, 9]],), 2, "by hand: the rows lie in arithmetic progression"),
        Known(([[0, 0, 0, 0], [1, 2, 3, 4], [2, 4, 6, 8]],), 1, "by hand: multiples of one row"),
    ],
    "span_loss": [
        Known(([1, 2, 6], [[1, 1, 1]]), 14, "by hand: the mean is 3, 4 + 1 + 9"),
        Known(([1, 2, 6], [[1, 1, 1], [2, 2, 2], [0, 1, 2]]), Fraction(3, 2), "by hand: 14 less (5/2)^2 * 2"),
        Known(([3, 4], [[1, 0], [0, 2]]), 0, "by hand: the plane is spanned"),
        Known(([3, 4], [[0, 0]]), 25, "by hand: nothing is spanned"),
    ],
    "minimum_norm_interpolant": [
        Known(([[1, 2]], [5]), (1, 2), "by hand: 5 (1, 2) / 5"),
        Known(([[1, 1, 0], [0, 1, 1]], [1, 2]), (0, 1, 1), "by hand: (0, 1, 1) = (1, 1, 0) * 0 + (0, 1, 1) * 1"),
        Known(([[1, 0], [2, 0]], [3, 6]), (3, 0), "by hand: the second row says nothing new"),
        Known(([[2, 1], [1, 3]], [1, 8]), (-1, 3), "by hand: two equations, two unknowns"),
    ],
    "coherence": [
        Known((_SIMPLEX,), Fraction(-1, 3), "the regular simplex: all cosines are -1/3"),
        Known(([[1, 0, 0], [3, 4, 0], [0, 1, 0], [-1, 0, 0]],), Fraction(4, 5), "by hand: 3/5, 0, -1, 4/5, -3/5, 0"),
        Known(([[1, 0], [1, 1]],), "0.707106781186547524", "half of the root of 2, from print"),
    ],
    "absolute_coherence": [
        Known((_SIMPLEX,), Fraction(1, 3), "the regular simplex, which attains Welch's bound"),
        Known(([[1, 0], [3, 4], [0, 1], [-3, 4]],), Fraction(4, 5), "by hand: 3/5, 0, 3/5, 4/5, 7/25, 4/5"),
        Known(([[2, 0], [-3, 0]],), 1, "by hand: opposite directions"),
    ],
    "least_distance": [
        Known((["00000", "11110", "00111"],), 3, "by hand: the three pairs differ in 4, 3 and 3 places"),
        Known((_HAMMING_7_4,), 3, "MacWilliams, Sloane (1977), chapter 1, section 7: the [7, 4] code of Hamming"),
        Known((["abcd", "dcba", "abce"],), 1, "by hand: the first and the last"),
        Known((["aa", "bb", "bb"],), 0, "by hand: two words are equal"),
    ],
    "lipschitz_constant": [
        Known((lambda x: x * x, [(0, 1), (1, 3), (2, -1)]), 4, "by hand: the quotients are 1, 4, 1"),
        Known((lambda x: [2 * x[0], 3 * x[1]], [((0, 0), (1, 1)), ((0, 0), (1, 0))]), "2.549509756796392415",
               "the root of 13/2 = (4 + 9) / 2, from print; the second pair has 2"),
        Known((lambda x: -3 * x, [(1, 0)]), 3, "by hand: a line falls as fast as it rises"),
        Known((lambda x: [x[0], 3 * x[1]], [((0, 0), (1, 2))]), Fraction(7, 2), "by hand: 1 + 6 over max(1, 2)",
              {"norms": ("inf", 1)}),
    ],
}  # fmt: skip
