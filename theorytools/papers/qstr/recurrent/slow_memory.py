r"""Recurrent networks of small slope that keep a table of bits in the digits of one weight.

:math:`h+f(h)` with a slope of ``f`` below 1 is monotone in one dimension and cannot fold an interval.  With a second
state number it can: a register first approaches the bit of ``u``, then ``u`` leaves the register's bit,
:math:`u\leftarrow u+\varepsilon(u-\text{bit})`.  So do the steps of any finite automaton, each in a constant over
:math:`\varepsilon` of the network's steps, with the digits of the position as its clock.

The network is not in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theorytools.arguments.checked import PositiveInt, checked
from theorytools.codes.lookup import binary_signs
from theorytools.constructions.shapes import exact_array
from theorytools.errors import DomainError
from theorytools.papers.qstr.recurrent.digit_memory import tent_start
from theorytools.papers.qstr.recurrent.named_layers import (
    QUARTERS,
    THIRDS,
    Unit,
    Units,
    bits_of,
    kinks,
    network,
    parity_of,
    ramp,
    signed,
)
from theorytools.papers.qstr.recurrent.residual import Exact, Layer, ResidualRNN


@checked
def slow_parity_memory(bits: Sequence[int], hold: PositiveInt) -> ResidualRNN:
    r"""Return a network of small slope for the parity of some tokens +1, one token of each block of the sequence.

    A block has :math:`8k` positions, ``k = hold``, so :math:`N=8kM`; its token is that of its middle,
    :math:`p_r=8kr+4k` counted from 0.  The prediction is :math:`-\prod_{r\in A}(-x_{p_r})` with
    :math:`A=\{r:\text{bit}_r=1\}`, at every position.  Five state numbers :math:`(u-w,a,c,p,p')`, and
    :math:`\varepsilon=\frac3{2k}`.  Reading a block forward:

    - before the middle the register :math:`a\leftarrow a+\varepsilon(g(u)-a)` approaches the bit of ``u``,
      ``g`` the ramp from :math:`\frac13` to :math:`\frac23`, and ``c`` is forgotten,
      :math:`c\leftarrow c-\varepsilon c`;
    - in the middle ``c`` grows by 1 if the token is +1, and nothing else moves for ``k`` positions;
    - for ``k`` positions :math:`p'` approaches :math:`G(p)\oplus(G(a)\wedge G(c))`, ``G`` the ramp from
      :math:`\frac14` to :math:`\frac34`; for ``k`` positions :math:`p` approaches :math:`G(p')`;
    - for ``k`` positions :math:`u\leftarrow u+\varepsilon(u-G(a))`.

    Reading backward, the halves of a block change places.  The clock is in the last digits of the position's code.

    *Why it works.*  A number that approaches :math:`x` for ``k`` steps ends within
    :math:`(1-\varepsilon)^k\le e^{-3/2}<\frac14` of it, so the ramps return exact bits, and what is left of ``c`` is
    below :math:`\frac1{255}`.  :math:`\Lambda=(1+\varepsilon)^k\ge(\frac74)^2>3`: ``u`` leaves its bit by a factor
    of more than 3, and every sequence of bits is visited from some ``w``.  The readout takes the number that is at
    rest, and adds the bit that is not yet in it.

    The product of operator norms that the paper bounds by :math:`\alpha_N` is a constant over ``k``:
    :meth:`ResidualRNN.slope`.

    Parameters
    ----------
    bits : the table, 0 or 1 for each block.
    hold : ``k``, a power of 2, at least 2.

    Returns
    -------
    ResidualRNN : inputs are those of :func:`with_positions`.

    Raises
    ------
    DomainError : other entries, or a ``hold`` that is no power of 2.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.ones((2, 16), dtype=int)
    >>> X[1, 8] = -1  # the middle of the only block
    >>> slow_parity_memory([1], hold=2)(with_positions(X))[:, [0, 8, 15]].astype(int).tolist()
    [[1, 1, 1], [-1, -1, -1]]
    """
    table = bits_of(bits)
    if hold < 2 or hold & (hold - 1):
        raise DomainError(f"hold = {hold}", required="2, 4, 8, ...", why="digits of the position are the clock")
    growth = (1 + Fraction(3, 2 * hold)) ** hold
    code = (8 * hold * len(table) - 1).bit_length()
    clock = [f"z{r}" for r in range(code)], hold.bit_length() + 2  # digits, lowest first, and those within a block
    both = [
        _slow(tent_start(order, growth=growth, folded=False), hold, clock, forward)
        for order, forward in ((table, True), (table[::-1], False))
    ]
    return ResidualRNN(both[0], both[1], _slow_readout(clock), radius2=Fraction(6))


@checked
def with_positions(X: Any) -> Exact:
    r"""Return tokens :math:`\pm1`, each with its position's code :func:`~theorytools.codes.families.binary_index`.

    Parameters
    ----------
    X : tokens, shape ``(n, N)``.

    Returns
    -------
    array : integers, shape ``(n, N, 1 + ceil(log2 N))``.

    Raises
    ------
    DomainError : other entries, or another shape.

    Examples
    --------
    >>> with_positions([[1, -1]]).tolist()
    [[[1, 1], [-1, -1]]]
    """
    tokens = exact_array("X", X, "n", "N")
    if not tokens.shape[1] > 1 or not set(tokens.ravel().tolist()) <= {1, -1}:
        raise DomainError(
            f"tokens of shape {tokens.shape}", required="signs +1 and -1, two positions or more",
            why="a bit is read of each", advice="the signs of the tokens",
        )  # fmt: skip
    codes = binary_signs(tokens.shape[1]).astype(object)
    return np.concatenate([tokens[..., None], np.broadcast_to(codes, (*tokens.shape, codes.shape[1]))], axis=-1)


STATE = ("u", "a", "c", "p", "q")
Clock = tuple[list[str], int]  # the digits of a position, lowest first, and how many of them are those within a block


def _slow(w: Fraction, hold: int, clock: Clock, forward: bool) -> tuple[Layer, ...]:
    """A transition; what is read of the state is scaled by the rate, so that no later layer needs to be small."""
    gate, rate = _gates(forward), Fraction(3, 2 * hold)
    first = _halves(clock) | {"token": _middle(clock)}
    for name in STATE:
        shift = w if name == "u" else Fraction(0)
        first[name] = {name: rate}, rate * shift
        first |= kinks(name, name, THIRDS if name == "u" else QUARTERS, shift=shift, rate=rate)
    second: Units = {"token": ({"token": 1}, 0), "forget": ({"c": 1, **gate["before"]}, 0), "q": ({"q": 1}, 0)}
    second["v"] = {**ramp("a", 2), **ramp("c", 2)}, -rate
    second["both"] = {**ramp("p", 2), **ramp("a", 2), **ramp("c", 2)}, -2 * rate
    second |= {"old": (ramp("p", 2), 0), "closed": ({k: -v for k, v in gate["write"].items()}, 0)}
    second |= signed("a", {**ramp("u", 3), "a": -1}, gate["before"])
    second |= signed("u", {"u": 1, **ramp("a", -2)}, gate["leave"])
    second |= signed("p", {**ramp("q", 2), "p": -1}, gate["copy"])
    kept = ["token", "forget", *(f"{name}{sign}" for name in "aup" for sign in "+-")]
    third: Units = {name: ({name: 1}, 0) for name in kept}
    third |= signed("q", {"old": 1, "v": 1, "both": -2, "q": -1}, {"closed": -1})
    last: Units = {name: ({f"{name}+": 1, f"{name}-": -1}, 0) for name in STATE}
    last["c"] = {"token": 1, "forget": -1}, 0
    return network([*STATE, "x", *clock[0]], first, second, third, last)


def _slow_readout(clock: Clock) -> tuple[Layer, ...]:
    ways = ("forward", "backward")
    first, second = _halves(clock) | {"token": _middle(clock)}, {"1": ({}, 1)}  # type: tuple[Units, Units]
    for way in ways:
        for name in "acpq":
            first |= kinks(f"{name} {way} ", f"{name} {way}", QUARTERS)
        first[f"busy {way}"] = _copying(clock, way == "forward")
        gate, register = _gates(way == "forward"), ramp(f"a {way} ", 2)
        second |= {
            f"p {way}": ({**ramp(f"p {way} ", 2), f"busy {way}": -1}, 0),
            f"q {way}": ({**ramp(f"q {way} ", 2), **gate["copy"]}, 0),
            f"v {way}": ({**register, **ramp(f"c {way} ", 2), **gate["pending"]}, -1),
        }
    second["own"] = {**ramp("a forward ", 2), "token": 1}, -1
    inputs = [f"{name} {way}" for way in ways for name in STATE]
    return network([*inputs, "x", *clock[0]], first, second, *parity_of(*(name for name in second if name != "1")))


# -- the clock ---------------------------------------------------------------------------------------------------------
def _halves(clock: Clock) -> Units:
    """What is 1 in the second half of a block, in the second half of that half, and so on, else 0; and the opposite.

    A digit 1 is the sign -1.
    """
    digits, inside = clock
    places = {"half": inside - 1, "first": inside - 2, "second": inside - 3}
    return {f"{no}{name}": ({digits[r]: s}, 0) for name, r in places.items() for no, s in (("", -1), ("not ", 1))}


def _middle(clock: Clock) -> Unit:
    """1 in the middle of a block where the token is +1, else 0: of the digits within the block the highest alone is 1.

    Signs that all fit add up to their number, any others to at least 2 less.
    """
    digits, inside = clock
    return {"x": 1, digits[inside - 1]: -1} | {digits[r]: 1 for r in range(inside - 1)}, -inside


def _copying(clock: Clock, forward: bool) -> Unit:
    """1 where ``p`` is being written, that is where all its three halves are as they should be, else 0."""
    halves = _halves(clock)
    weights = [halves[_mirrored(name, forward)][0] for name in ("half", "first", "not second")]
    return {digit: s for one in weights for digit, s in one.items()}, -2


def _gates(forward: bool) -> dict[str, dict[str, int]]:
    """For each part of a block weights of -1 on what is 1 outside it; backward all is mirrored."""
    outside = {
        "before": ["half"], "pending": ["not half", "first"], "write": ["not half", "first", "not second"],
        "copy": ["not half", "not first", "second"], "leave": ["not half", "not first", "not second"],
    }  # fmt: skip
    return {part: {_mirrored(name, forward): -1 for name in names} for part, names in outside.items()}


def _mirrored(name: str, forward: bool) -> str:
    return name if forward else name.removeprefix("not ") if name.startswith("not ") else f"not {name}"
