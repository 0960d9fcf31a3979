r"""How often some query separates a set, for Gaussian encodings: an angle sum of a simplex.

A query with score 1 on ``y`` and less than 1 off it exists iff the hull of :math:`e_i`, :math:`i\in y`, is a face of
the hull of :math:`0,e_1,\dots,e_T`: the query is the supporting hyperplane.  Gaussian encodings are a random
projection of the simplex :math:`P=\operatorname{conv}(0,b_1,\dots,b_T)\subset\mathbb R^T` of the standard basis, hence

.. math:: \Pr=2\sum_{s\ge0}\ \sum_{G\supseteq F,\ \dim G=d_e-1-2s}\beta(F,G)\gamma(G,P)
          =1-2\sum_{s\ge0}\ \sum_{\dim G=d_e+1+2s}\beta(F,G)\gamma(G,P),

with the inner angle of ``G`` at the face ``F`` of ``y`` and the outer angle of ``P`` at ``G``.  For a face
:math:`\operatorname{conv}(b_S)`, :math:`k=|S|-q`, with :math:`S_k=|x_1|+\dots+|x_k|` of normal numbers,

.. math:: \beta=2^{-k}\sqrt{\tfrac{2(k+q)}\pi}\int_0^\infty e^{-qt^2/2}E\cos(tS_k)\,dt,\qquad
          \gamma=\int_0^\infty\varphi(g)\,\Phi(g/\sqrt{|S|})^{T-|S|}\,dg,

and with the origin added :math:`\beta=2^{-k}\Pr(S_k\le\sqrt q\,g)`, :math:`\gamma=2^{|S|-T}`.

References
----------
Affentranger, Schneider (1992), Random projections of regular simplices; Baryshnikov, Vitale (1994); Donoho, Tanner
(2005), Neighborliness of randomly projected simplices.  The angles are computed here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.arguments.values import checked_integer
from theorytools.numbers import Enclosure, between, integrate, pi, total, working_precision
from theorytools.numbers.quadrature import absolute_sum_transform
from theorytools.papers.stsq.tasks.sparse_selection import checked_sizes


@checked
def separable_probability(T: int, q: int, d_e: int, *, above: bool = False) -> Enclosure:
    r"""Return the probability that some query has score 1 on a set and less off it, at the ambient precision.

    Parameters
    ----------
    T, q, d_e : positions, size of the set, dimension of the Gaussian encodings, :math:`1\le q<T`.
    above : sum over the faces of more than :math:`d_e` dimensions, a second route to the same number.

    Raises
    ------
    DomainError
        For ``q >= T`` or ``d_e < q``.

    Examples
    --------
    >>> [round(float(separable_probability(14, 3, d_e)), 4) for d_e in (6, 8, 10)]
    [0.7182, 0.9671, 0.9989]
    """
    checked_sizes(T, q)
    checked_integer("d_e", d_e, least=q, why="score 1 on q encodings needs independent ones")
    if d_e >= T:
        return Enclosure(1)  # independent encodings take all scores
    faces = range(d_e + 1, T + 1, 2) if above else range(d_e - 1, q - 2, -2)
    plain = {m + 1 - q: comb(T - q, m + 1 - q) * _outer(T, m + 1, working_precision()) for m in faces if m < T}
    origin = {m - q: comb(T - q, m - q) * Fraction(1, 2 ** (T - m)) for m in faces if m >= q}
    found = 2 * _inner_angles(q, plain, origin)
    return 1 - found if above else found


def inner_angle(q: int, k: int, *, origin: bool = False) -> Enclosure:
    r"""Return the angle at a face of ``q`` basis vectors of the hull of ``q + k`` of them, or of these and 0."""
    one = Enclosure(1)
    return _inner_angles(q, {}, {k: one}) if origin else _inner_angles(q, {k: one}, {})


def _inner_angles(q: int, plain: Mapping[int, Any], origin: Mapping[int, Any]) -> Enclosure:
    """Return a combination of inner angles by ``k``, those without and those with the origin, as one integral.

    All have the path and the error function in common, which costs more than all the powers of it.
    """
    found = plain.get(0, Enclosure(0)) + Fraction(1, 2) * total([Enclosure(0), *(w / 2**k for k, w in origin.items())])
    end = math.isqrt(2 * working_precision() // q + 1) + 1  # exp(-q t^2/2) is below 2^-bits from there on
    rest = (-Enclosure(q * end * end) / 2).exp() / (q * end)  # of the integral of it, over t as well
    cosines = {k: w * (2 * Enclosure(k + q) / pi()).sqrt() / 2**k for k, w in plain.items() if k}
    sines = {k: -w / (pi() * 2**k) for k, w in origin.items() if k}
    if not cosines and not sines:
        return found
    hidden = rest * total([*cosines.values(), *(-w for w in sines.values())])  # no weight of a cosine is negative
    return found + integrate(absolute_sum_transform(cosines, sines, q), 0, end) + between(-hidden, hidden)


def outer_angle(T: int, size: int) -> Enclosure:
    """Return the outer angle of the simplex with the origin at the hull of ``size`` of the ``T`` basis vectors."""
    return _outer(T, size, working_precision())


@lru_cache(maxsize=256)  # the sums of several dimensions share them
def _outer(T: int, size: int, bits: int) -> Enclosure:
    if size == T:
        return Enclosure(Fraction(1, 2))
    end = math.isqrt(2 * bits) + 2
    steep = 1 / (2 * Enclosure(size)).sqrt()

    def mass(g: Any) -> Any:
        return (g * g / -2).exp() * ((1 + (g * steep).erf()) / 2) ** (T - size)

    return integrate(mass, 0, end) / (2 * pi()).sqrt() + between(0, (-Enclosure(end * end) / 2).exp())
