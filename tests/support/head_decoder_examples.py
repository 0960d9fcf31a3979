"""Decoders of few heads, with orthogonal codes and with short ones, and how tests of them draw examples."""

import numpy as np

from theorytools.codes.families import hadamard, rademacher
from theorytools.papers.qstr import HeadDecoder, ShortCodeDecoder
from theorytools.papers.qstr.tasks.few_heads import FewTokens


def decoder(N, d, q, H, codes=hadamard, **options):
    return HeadDecoder.standard(codes(N), FewTokens(N, d, q), H, **options)


def short(N=24, d=1, q=3, H=1, d_e=15, seed=0, **options):
    codes = rademacher(N, d_e, np.random.default_rng(seed))
    return ShortCodeDecoder.standard(codes, FewTokens(N, d, q, early="same"), H, **options)
