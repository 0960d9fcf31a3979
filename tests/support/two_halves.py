"""A layer as a protocol between the halves of its input, and all the pairs of halves."""

import numpy as np

from theorytools import OneLayerProtocol
from theorytools.theory.communication.matrix import all_strings


def halves(model):
    return OneLayerProtocol(model, range(model.length // 2), range(model.length // 2, model.length))


def pairs(n):
    strings = all_strings(n)
    return np.repeat(strings, len(strings), axis=0), np.tile(strings, (len(strings), 1))
