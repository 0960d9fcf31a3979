r"""A recurrent network that keeps a table of bits in the digits of one weight, and fits any labels with it.

The paper bounds by :math:`\alpha_N\le1/N` how much a transition depends on the state.  This network is not in the
paper: it is what the condition excludes.

*The tent map.*  :math:`T(u)=3u-6\sigma(u-\frac12)` takes both thirds :math:`[0,\frac13]` and :math:`[\frac23,1]` onto
:math:`[0,1]`, so every sequence of bits is the sequence of thirds, 0 for the left one, that some :math:`w` visits;
:math:`|u-\frac12|\ge\frac16` on the way.  The state is :math:`h=u-w`, which starts at 0; ``w`` stands in biases.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError
from theorytools.papers.qstr.recurrent.named_layers import (
    THIRDS,
    Units,
    bits_of,
    kinks,
    network,
    parity_of,
    ramp,
    token,
)
from theorytools.papers.qstr.recurrent.residual import Layer, ResidualRNN


@checked
def tent_start(bits: Sequence[int], *, growth: Fraction = Fraction(3), folded: bool = True) -> Fraction:
    r"""Return the :math:`w` whose path visits the ends of :math:`[0,1]` that ``bits`` name.

    A step takes :math:`[0,\frac1\Lambda]` onto :math:`[0,1]` by :math:`\Lambda u`, and the same at the other end by
    :math:`\Lambda(1-u)`, or by :math:`1-\Lambda(1-u)` where it is not folded.

    Parameters
    ----------
    bits : 0 and 1, the first one for ``w`` itself.
    growth : :math:`\Lambda`, above 2.
    folded : the tent map; otherwise both ends keep their order.

    Returns
    -------
    Fraction : in :math:`[0,1]`; the path ends in 0.

    Raises
    ------
    DomainError : other entries, or a growth of at most 2.

    Examples
    --------
    >>> tent_start([0, 1]), tent_start([1, 1]), tent_start([1, 1], folded=False)
    (Fraction(1, 3), Fraction(2, 3), Fraction(8, 9))
    """
    if growth <= 2:
        raise DomainError(f"growth = {growth}", required="growth > 2", why="the two ends must not meet")
    u = Fraction(0)
    for bit in reversed(bits_of(bits)):
        near = (u if folded else 1 - u) / growth if bit else u / growth
        u = 1 - near if bit else near
    return u


@checked
def parity_memory(bits: Sequence[int]) -> ResidualRNN:
    r"""Return a network whose prediction is the parity of the tokens +1 at the positions that ``bits`` name.

    For tokens :math:`x_j=\pm1` and :math:`A=\{j:\text{bit}_j=1\}` it is :math:`-\prod_{j\in A}(-x_j)`, at every
    position.  Two state numbers: :math:`u-w`, and the parity so far, which a token +1 flips where the digit is 1:
    :math:`p\leftarrow p+v-2\sigma(p+v-1)`.  Three layers in a transition, four in the readout, weights at most 6; the
    table is in two numbers, ``w`` forward and ``w`` backward.

    Parameters
    ----------
    bits : the table, 0 or 1 for each position.

    Returns
    -------
    ResidualRNN : inputs are tokens, shape ``(n, N, 1)``, entries +1 and -1.

    Raises
    ------
    DomainError : entries other than 0 and 1.

    Examples
    --------
    >>> parity_memory([1, 0, 1])([[[1], [1], [-1]], [[-1], [1], [-1]]]).astype(int).tolist()
    [[1, 1, 1], [-1, -1, -1]]
    """
    table = bits_of(bits)
    forward, backward = tent_start(table), tent_start(table[::-1])
    first: Units = kinks("u", "u forward", THIRDS, shift=forward) | token()
    first["rest"] = {"p forward": 1, "p backward": 1}, 0
    second: Units = {"own": (_hit(), -2), "rest": ({"rest": 1}, 0), "1": ({}, 1)}
    states = ["u forward", "p forward", "u backward", "p backward"]
    readout = network([*states, "x"], first, second, *parity_of("own", "rest"))
    return ResidualRNN(_tent(forward), _tent(backward), readout, radius2=Fraction(2))


def _tent(w: Fraction) -> tuple[Layer, ...]:
    first: Units = {"u": ({"u": 1}, w), "fold": ({"u": 1}, w - Fraction(1, 2)), "p": ({"p": 1}, 0)}
    first |= kinks("u", "u", THIRDS, shift=w) | token()
    second: Units = {"u": ({"u": 1}, 0), "fold": ({"fold": 1}, 0), "v": (_hit(), -2), "both": ({**_hit(), "p": 1}, -3)}
    return network(["u", "p", "x"], first, second, {"u": ({"u": 2, "fold": -6}, 0), "p": ({"v": 1, "both": -2}, 0)})


def _hit() -> dict[str, int]:
    """2 more where the digit is 1 (a ramp of slope 6 over a third), 1 more for the token +1 and 1 less for -1."""
    return {**ramp("u", 6), "+": 1, "-": -1}
