"""A float is read as its shortest decimal wherever an exact number is meant, never as its binary value."""

from fractions import Fraction

import pytest

from theorytools.papers.qstr.attention.average_leakage import RandomSigns
from theorytools.papers.stsq.selection.gradient import SignGradient
from theorytools.papers.stsq.selection.length_generalisation import FreshEncodings, SeenPositions
from theorytools.papers.stsq.selection.loss import orthonormal_loss
from theorytools.theory.communication.margin_protocol import margin_bits

READ = {
    "margin_bits": lambda x: margin_bits(3 * x, x * 9 / 2, 0) if isinstance(x, Fraction) else margin_bits(0.3, 0.45, 0),
    "RandomSigns": lambda x: RandomSigns(3, 2, x).enumerated(),
    "orthonormal_loss": lambda x: orthonormal_loss(4, 2, 3, 2, x),
    "FreshEncodings": lambda x: FreshEncodings(5, 2).loss(7, x),
    "SeenPositions": lambda x: SeenPositions(5, 7, 2).loss(1 + x if isinstance(x, Fraction) else 1.1),
    "SignGradient": lambda x: SignGradient(4, 2, 5, 2, alpha=x, v=x).matrix,
}


@pytest.mark.parametrize("name", READ)
def test_a_float_is_its_shortest_decimal(name):
    assert READ[name](0.1) == READ[name](Fraction(1, 10))


@pytest.mark.parametrize("name", ["RandomSigns", "orthonormal_loss", "FreshEncodings", "SignGradient"])
def test_its_binary_value_is_another_number(name):
    assert READ[name](0.1) != READ[name](Fraction(0.1))
