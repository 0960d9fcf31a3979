r"""The forward pass and the logarithmic decoding of :class:`HeadDecoder` at one prompt, in ball arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from theorytools.arguments.checked import Real, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, total
from theorytools.papers.qstr.few_heads.decoder import HeadDecoder


@checked
def decoded_ratios(net: HeadDecoder, X: Sequence[Sequence[Real]], slope: Fraction | None = None) -> list[Enclosure]:
    r"""Return the ratios of a decoded :math:`\langle w_h,x_k\rangle` to the true one, all heads and indexed tokens.

    Scores, softmax, code part and data part of a late query are computed from the tokens at the ambient precision; the
    decoding sees the two parts only.  In exact arithmetic every ratio is 1 when all Gaussian tokens are indexed.

    Parameters
    ----------
    net : the network.
    X : integers or fractions, shape ``(K, d)``, the Gaussian tokens.
    slope : the :math:`\lambda` that the decoding believes, that of the network unless given.

    Raises
    ------
    DomainError
        If ``X`` has another shape, some :math:`\langle w_h,x_k\rangle` is zero, or the slope is zero.
    """
    believed = net.slope if slope is None else slope
    if len(X) != net.task.K or {len(x) for x in X} != {net.task.d} or not believed:
        raise DomainError(
            f"{len(X)} tokens, slope = {believed}",
            required=f"K = {net.task.K} tokens in R^{net.task.d} and a slope that is not zero",
        )
    return [ratio for h in range(net.H) for ratio in _head_ratios(net, h, X, believed)]


def _head_ratios(net: HeadDecoder, h: int, X: Sequence[Sequence[Any]], believed: Fraction) -> list[Enclosure]:
    places, odds = net.task.indices, net.odds[h]
    data = [sum(a * b for a, b in zip(net.directions[h], x, strict=True)) for x in X]
    if not all(data[t] for t in places):
        raise DomainError(
            f"a token orthogonal to the direction of head {h}", required="ratios to a number that is not 0"
        )
    code_part, data_part = _forward(net, h, data)
    first = code_part[places[0]]
    apart = [
        ((code_part[t] / first).log() - Enclosure(Fraction(odds[k], odds[0])).log()) / believed
        for k, t in enumerate(places)
    ]
    mass = total(code_part[t] for t in places)
    start = (data_part - total(code_part[t] * a for t, a in zip(places, apart, strict=True))) / mass
    return [(start + a) / data[t] for t, a in zip(places, apart, strict=True)]


def _forward(net: HeadDecoder, h: int, data: Sequence[Any]) -> tuple[list[Enclosure], Enclosure]:
    r"""Return :math:`\langle\omega_k,\sum_j\pi_{hj}\omega_j\rangle` for all ``k`` and :math:`\langle
    w_h,\sum_j\pi_{hj}x_j\rangle`.
    """
    weights = [(Enclosure(s) * net.slope).exp() for s in data] + [Enclosure(1)] * (net.task.N - len(data))
    for k, place in enumerate(net.task.indices):
        weights[place] = weights[place] * net.odds[h][k]
    normaliser, s = total(weights), net.codes.gram_denominator
    products = net.codes.gram_numerators().tolist()
    code_part = [total(v * g for v, g in zip(weights, row, strict=True) if g) / (normaliser * s) for row in products]
    return code_part, total(v * x for v, x in zip(weights, data, strict=False)) / normaliser
