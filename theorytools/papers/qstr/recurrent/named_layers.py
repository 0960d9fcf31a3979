r"""Layers of a ReLU network by the names of their units, and the units that read bits.

A unit is a pair of weights, by the name of what is read, and a bias; :func:`network` makes matrices of such layers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theorytools.errors import DomainError
from theorytools.papers.qstr.recurrent.residual import Layer

Unit = tuple[Mapping[str, Any], Any]
Units = dict[str, Unit]
THIRDS, QUARTERS = (Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 4), Fraction(3, 4))


def network(inputs: Sequence[str], *layers: Mapping[str, Unit]) -> tuple[Layer, ...]:
    """Return the matrices and biases of layers whose units read the units of the layer before by name."""
    names, found = list(inputs), []
    for layer in layers:
        W = np.zeros((len(layer), len(names)), dtype=object)
        for row, (weights, _) in zip(W, layer.values(), strict=True):
            for name, weight in weights.items():
                row[names.index(name)] = weight
        found.append((W, np.array([bias for _, bias in layer.values()], dtype=object)))
        names = list(layer)
    return tuple(found)


def kinks(name: str, source: str, at: Sequence[Fraction], *, shift: Fraction | int = 0, rate: Any = 1) -> Units:
    """Return the two units of a ramp: ``rate`` times how far ``source + shift`` is beyond each of two places."""
    return {f"{name}{k}": ({source: rate}, rate * (shift - knot)) for k, knot in zip("12", at, strict=True)}


def ramp(name: str, slope: int) -> dict[str, int]:
    """Return the weights of a ramp on its two units."""
    return {f"{name}1": slope, f"{name}2": -slope}


def token() -> Units:
    """Return the two units that keep a token."""
    return {"+": ({"x": 1}, 0), "-": ({"x": -1}, 0)}


def signed(name: str, value: Mapping[str, Any], gate: Mapping[str, int]) -> Units:
    """Return a number within [-1, 1] as two units, both 0 where the gate is closed."""
    return {f"{name}{sign}": ({**{k: s * v for k, v in value.items()}, **gate}, 0) for sign, s in (("+", 1), ("-", -1))}


def parity_of(*bits: str) -> tuple[Units, Units]:
    r"""Return the last two layers for the parity of a sum ``S`` of bits, 0 to 3, as -1 or 1.

    It is :math:`2(S-2\sigma(S-1)+2\sigma(S-2))-1`; the unit ``1`` of the layer before is the constant.
    """
    total = dict.fromkeys(bits, 1)
    return (
        {"0": (total, 0), "1": (total, -1), "2": (total, -2), "one": ({"1": 1}, 0)},
        {"y": ({"0": 2, "1": -4, "2": 4, "one": -1}, 0)},
    )


def bits_of(bits: Sequence[int]) -> list[int]:
    """Return a table of bits as a list; anything else is refused."""
    found = list(bits)
    if not found or not set(found) <= {0, 1}:
        raise DomainError(
            f"bits {str(found)[:60]}", required="0 and 1, one or more", why="a digit is at one of two ends",
            advice="labels -1 and 1 are bits (1 + y)/2",
        )  # fmt: skip
    return found
