"""A construction takes a code or its array, the same network for both; certificates have one form."""

import numpy as np
import pytest

from theorytools import (
    BlockAttention,
    Budget,
    DomainError,
    Enclosure,
    Encodings,
    PositionTracker,
    StoreAllRNN,
    hadamard,
    minimal_temperature,
    sufficient_temperature,
)
from theorytools.codes.encodings import orthonormal_encodings, sign_encodings
from theorytools.codes.families import binary_index
from theorytools.papers.qstr import MachineAttention, TwoStepAttention
from theorytools.papers.stsq import SparseSelector

CODE = binary_index(12)
ARRAYS = {"signs": CODE.signs, "doubles": CODE.matrix(), "rows": CODE.signs.tolist()}


@pytest.mark.parametrize("form", ARRAYS)
@pytest.mark.parametrize(
    "made",
    [
        lambda code: BlockAttention(code, beta=12),
        lambda code: TwoStepAttention(code, 6, 14),
        lambda code: MachineAttention(code, 9),
    ],
)
def test_attention_takes_a_code_or_its_array(made, form):
    assert made(ARRAYS[form]).codes == made(CODE).codes == CODE


@pytest.mark.parametrize("form", ARRAYS)
def test_temperatures_take_a_code_or_its_array(form):
    assert sufficient_temperature(ARRAYS[form], "1/10") == sufficient_temperature(CODE, "1/10")
    assert minimal_temperature(ARRAYS[form], "1/10") == minimal_temperature(CODE, "1/10")


def test_what_reads_signs_takes_a_code_of_them():
    code = hadamard(4)
    assert np.array_equal(np.asarray(code), code.signs)
    assert np.array_equal(PositionTracker(code, 8, 1, 1).signs, PositionTracker(code.signs, 8, 1, 1).signs)
    X, T = np.array([[[3], [-2], [1], [5]]]), np.array([[[2]] * 4])
    nets = [StoreAllRNN(signs, 8, [1], 100) for signs in (code, code.signs)]
    assert np.array_equal(nets[0](X, T), nets[1](X, T))


def test_encodings_are_read_from_integers_and_from_codes():
    rows = [[1, 2], [3, -4], [0, 5]]
    assert SparseSelector(rows, 9, 1, 1).E.vectors.tolist() == Encodings(np.array(rows)).vectors.tolist()
    own = SparseSelector(CODE, 9, 2, 1).E
    assert np.array_equal(own.gram() * CODE.gram_denominator, CODE.gram_numerators())


@pytest.mark.parametrize("wrong", [np.eye(4), np.full((3, 4), 0.4), [[1, -1], [1]], np.ones(4), [[1, -1]], "signs"])
def test_an_array_that_is_no_code_is_refused_with_what_would_be_one(wrong):
    with pytest.raises(DomainError, match="array of its signs"):
        BlockAttention(wrong, beta=12)


def bound(recipe):
    *_, last = recipe.steps(0.0, Budget(bits=256))
    return last.low, last.high


@pytest.mark.parametrize(
    "net",
    [
        BlockAttention(CODE, 12),
        TwoStepAttention(hadamard(4), 6, 14),
        SparseSelector(orthonormal_encodings(5), 9, 2, 3),
    ],
    ids=lambda net: type(net).__name__,
)
def test_a_certificate_grows_with_the_radius_of_tokens_which_is_1_unless_given(net):
    low, high = bound(net.certificate())
    assert 0 < low <= high
    wide, tripled = bound(net.certificate(1)), bound(net.certificate(3))
    assert wide == (low, high)
    # both recipes enclose a number, the second three times the first
    assert Enclosure(low.value).certainly_lt(Enclosure(tripled[1].value))
    assert Enclosure(tripled[1].value).certainly_lt(3 * Enclosure(low.value)) is not True
    assert (3 * Enclosure(high.value)).certainly_lt(Enclosure(tripled[0].value)) is not True
    with pytest.raises(DomainError, match="r_x"):
        net.certificate(-1)


def test_a_certificate_of_all_sets_is_that_of_the_worst():
    net = SparseSelector(orthonormal_encodings(4), 9, 2, 1, "dual")
    each = [bound(net.certificate(1, y)) for y in ((0, 1), (2, 3))]
    low, high = bound(net.certificate())
    assert max(a for a, _ in each) <= high
    assert low <= max(b for _, b in each)
    with pytest.raises(DomainError, match="at most a thousand"):
        SparseSelector(sign_encodings(40, 200, np.random.default_rng(4)), 9, 3, 1, "lp").certificate()
