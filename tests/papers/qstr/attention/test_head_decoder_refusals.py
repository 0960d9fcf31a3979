"""What few heads with unrestricted matrices refuse: misfits, laws without sense, weights that prove nothing."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from devices import device
from head_decoder_examples import decoder, short
from refusals import refused

from theorytools import CertificateError, DomainError, hadamard
from theorytools.codes.equiangular import simplex
from theorytools.codes.subcode import subcode
from theorytools.numbers import Enclosure, chi_square_tail
from theorytools.papers.qstr import HeadDecoder, LogReadout, ShortCodeDecoder
from theorytools.papers.qstr.few_heads.visible_span import VisibleSpan
from theorytools.papers.qstr.gaussians.conditioned import ConditionedGaussian
from theorytools.papers.qstr.tasks.few_heads import FewTokens
from theorytools.theory.clipped_labels import clipped_label_excess

decoded_ratios = device("qstr/proposition_03/_exact_decoding").decoded_ratios

TASK = FewTokens(8, 2, 3)


test_refusals = refused(
    DomainError, lambda: VisibleSpan(((1,),), ((1, 1, 1),), TASK),
    lambda: VisibleSpan(((1, 0),), ((1, 1, 1, 1),), TASK), lambda: VisibleSpan(((1, 0),), ((1, -1, 1),), TASK),
    lambda: VisibleSpan(((1, 0),), ((1, 1, 1),), FewTokens(8, 2, 3, link="lin")),
    lambda: VisibleSpan(((1, 0),), ((1, 1, 1),), FewTokens(8, 2, 2)).residual, lambda: decoder(8, 2, 3, 4),
    lambda: decoder(8, 2, 3, 1, codes=simplex), lambda: decoder(8, 2, 3, 1, limit=0),
    lambda: HeadDecoder.standard(hadamard(9), TASK, 1),
    lambda: HeadDecoder.standard(hadamard(8), FewTokens(8, 2, 2, late=(0, 7)), 1),
    lambda: LogReadout(TASK, ((1, 0),), ((1, 0, 1),), Fraction(1), 5), lambda: decoder(9, 2, 3, 1).late_error(),
    lambda: decoded_ratios(decoder(7, 2, 3, 1), [[1, 1], [0, 1], [1, 1]]),
    lambda: decoded_ratios(decoder(7, 2, 3, 1), [[1, 1], [1, 1]]),
    lambda: decoded_ratios(decoder(7, 2, 3, 1, slope=Fraction(0)), [[1, 1]] * 3),
    lambda: ShortCodeDecoder.standard(hadamard(8), TASK, 1),
    lambda: ShortCodeDecoder.standard(simplex(8), FewTokens(8, 2, 3, early="same"), 1),
    lambda: replace(short(), codes=subcode(short().codes, [0, 0, *range(2, 24)])).margin(),
    lambda: ConditionedGaussian(((1, 2),), (1,)), lambda: ConditionedGaussian((), ()),
    lambda: ConditionedGaussian(((1,),), (1,), -1),
    lambda: ConditionedGaussian(((1,),), (1,), 1).half_square_gap(np.random.default_rng(0), 2),
    lambda: chi_square_tail(0, Enclosure(1)), lambda: chi_square_tail(2, Enclosure(-1)),
    lambda: clipped_label_excess(3, 0),
)  # fmt: skip


def test_dependent_weights_prove_nothing():
    net = decoder(7, 4, 3, 2)
    with pytest.raises(CertificateError):
        replace(net, odds=((1, 1, 1), (2, 2, 2))).late_error()
