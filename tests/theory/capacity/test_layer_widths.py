"""The width of one layer that decides equality: what suffices, what is needed, when two layers are narrower."""

import numpy as np
import pytest
from two_halves import pairs

from theorytools.errors import DomainError
from theorytools.papers.sep.attention.equality import close_pairs
from theorytools.papers.sep.communication.threshold_lookup import SparsemaxLookup, TopLookup, answers
from theorytools.theory.communication.least_width import least_width, wide_equality
from theorytools.theory.communication.matrix import equality
from theorytools.theory.communication.protocol import OneLayerProtocol, message_bits


@pytest.mark.parametrize(("n", "p"), [(1, 2), (3, 2), (5, 3), (6, 9), (7, 4)])
def test_a_wide_layer_decides_equality(n, p):
    net, (x, y) = wide_equality(n, p), pairs(n)
    assert (net.execute(np.concatenate([x, y], axis=1)) == equality(x, y)).all()
    assert net.width == -(-n // (p - 1))
    assert net.width >= least_width(n, p)
    assert OneLayerProtocol(net, range(n), range(n, 2 * n)).count() == 2**n


def test_wide_layers_have_many_bits_and_the_least_width():
    net = wide_equality(50, 7)
    x, y = close_pairs(50, np.random.default_rng(2))
    assert (net.execute(np.concatenate([x, y], axis=1)) == equality(x, y)).all()
    swap = np.zeros((2, 50), dtype=int)
    swap[0, 4] = swap[1, 5] = 1  # the two largest digits of the first coordinate
    assert wide_equality(50, 7, held=5).execute(swap.reshape(1, 100)).all()
    assert not net.execute(swap.reshape(1, 100)).any()
    for n, p in ((12, 1), (200, 3), (5000, 8)):
        every = [H * w for H in range(1, 150) for w in range(1, 150 // H + 1) if message_bits(n, p, H, w) >= n]
        assert min(every) == least_width(n, p)


def test_one_layer_is_wider_than_two_from_a_length_on():
    def gap(n):
        k = (n - 1).bit_length()
        return least_width(n, ((16 * k) ** k).bit_length()) - (2 * k + 6)

    assert gap(12172) == 0
    assert all(gap(n) > 0 for n in range(12173, 2**16 + 1))
    for k in range(16, 40):  # twice the length: 2 more for one of them, 1.7 times as much for the other
        one, two = gap(2**k) + 2 * k + 6, gap(2 ** (k + 1)) + 2 * k + 8
        assert two > 1.7 * one


def test_sizes_of_layers_that_are_refused():
    for bad in (lambda: wide_equality(4, 1), lambda: least_width(0, 2), lambda: SparsemaxLookup(0),
                lambda: TopLookup(3, more=-1), lambda: TopLookup(3).combined(3),
                lambda: SparsemaxLookup(3).combined(-1), lambda: answers(TopLookup(3), [0, 1])):  # fmt: skip
        with pytest.raises(DomainError):
            bad()
