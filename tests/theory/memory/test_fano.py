"""Fano's ceiling of the accuracy of a memory, its inverse on the falling branch, and the bits of recurrent states."""

import itertools
import math
from fractions import Fraction

from hypothesis import strategies as st
from properties import examples
from refusals import refused

from theorytools import DomainError, Enclosure
from theorytools.numbers import at_precision
from theorytools.theory.memory.fano import binary_entropy, fano_accuracy, fano_bits, fano_ceiling
from theorytools.theory.memory.state_bits import state_bits


@examples(15, st.integers(2, 9), st.fractions(0, 1), st.sampled_from([64, 200]))
def test_the_inverse_of_the_bits_is_the_accuracy(letters, part, bits):
    """The enclosure contains the error it was made from: f(error) is enclosed, so its preimage is."""
    error = part * (1 - Fraction(1, letters))
    found = at_precision(bits, lambda: fano_accuracy(fano_bits(error, letters).nonnegative_part(), letters))
    assert found.lower <= Enclosure(1 - error).lower
    assert found.upper >= Enclosure(1 - error).upper
    # at the flat end f behaves as the square of the distance, so half of the bits are lost
    assert float(found.upper.value) - float(found.lower.value) <= 2.0 ** (8 - bits // 2)


def test_ends_are_exact_and_values_are_those_of_floats_and_of_the_print():
    assert fano_ceiling(3**5, 5, 3).fraction() == 1
    assert fano_ceiling(1, 5, 3).fraction() == Fraction(1, 3)
    assert not fano_ceiling(3**5 - 1, 5, 3).exact
    assert fano_bits(Fraction(2, 3), 3).fraction() == 0
    assert fano_bits(0, 4).fraction() == 2
    assert [binary_entropy(x).fraction() for x in (0, Fraction(1, 2), 1)] == [0, 1, 0]
    # Bits of the bracket in doubles: a dozen roundings of numbers below 4.
    for letters, error in itertools.product((2, 3, 16), (0.01, 0.2, 0.45)):
        h = -error * math.log2(error) - (1 - error) * math.log2(1 - error)
        value = math.log2(letters) - h - error * math.log2(letters - 1)
        assert abs(float(fano_bits(error, letters)) - value) < 1e-14
    # Printed to four digits, so within half a unit of the fourth.
    rows = [
        (15, 10, 0.8502),
        (46, 12, 0.8764),
        (57, 14, 0.8603),
        (2**4, 10, 0.8539),
        (2**6, 10, 0.9206),
        (16, 7, 0.9124),
    ]
    for states, N, printed in rows:
        assert abs(float(fano_ceiling(states, N)) - printed) <= 0.5e-4


test_what_fano_and_the_bits_refuse = refused(
    DomainError, lambda: fano_bits(Fraction(2, 3)), lambda: fano_bits(-1), lambda: fano_accuracy(-1),
    lambda: fano_ceiling(0, 3), lambda: fano_bits(0, 1), lambda: fano_accuracy(float("nan")),
    lambda: state_bits("rwkv", width=3), lambda: state_bits("lstm", inner=3), lambda: state_bits("gru", width=0),
)  # fmt: skip
