r"""Handwritten digits as tokens: the images that scikit-learn ships, with a split by their order.

1797 images of 8 by 8 pixels, integers from 0 to 16, each with its digit.  Images of one writer follow each other in the
data, so the last ones are mostly by people of whom the first hold nothing.

References
----------
Alpaydin, Kaynak (1998), Optical Recognition of Handwritten Digits, UCI Machine Learning Repository.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import CheckError
from theorytools.optional import require

Integers = NDArray[np.int64]
LEARNT = 1297  # images for learning; the other 500 are held out
_SUM = 561718  # of all pixels: the data that the checks are about


@cache
def digit_images(held_out: bool = False) -> tuple[Integers, Integers]:
    """Return the images for learning, or those held out.

    Parameters
    ----------
    held_out : the last 500 images in place of the first 1297.

    Returns
    -------
    tuple of arrays : pixels from 0 to 16, shape ``(k, 64)``, and digits, shape ``(k,)``; both read-only.

    Raises
    ------
    MissingPackageError : scikit-learn is not installed.
    CheckError : the installed package ships other images.
    """
    data = require("sklearn.datasets").load_digits()
    X, digits = np.asarray(data.data, dtype=np.int64), np.asarray(data.target, dtype=np.int64)
    if X.shape != (1797, 64) or int(X.sum()) != _SUM:
        raise CheckError(
            f"{X.shape} pixels of sum {int(X.sum())}",
            required=f"(1797, 64) of sum {_SUM}",
            why="claims on digits are about these images",
        )
    part = slice(LEARNT, None) if held_out else slice(LEARNT)
    for array in (X, digits):
        array.setflags(write=False)
    return X[part], digits[part]


@cache
def digit_tokens(held_out: bool = False) -> NDArray[np.float64]:
    r"""Return the images as tokens, centred and scaled to :math:`E\|x\|^2=64` by those for learning.

    Parameters
    ----------
    held_out : the last 500 images in place of the first 1297; centre and scale stay.

    Returns
    -------
    array : shape ``(k, 64)``, read-only.

    Raises
    ------
    MissingPackageError : scikit-learn is not installed.
    CheckError : the installed package ships other images.
    """
    learnt, own = digit_images()[0], digit_images(held_out)[0]
    centred = learnt - learnt.mean(axis=0)
    tokens = np.asarray((own - learnt.mean(axis=0)) * np.sqrt(64 / np.square(centred).sum(axis=1).mean()))
    tokens.setflags(write=False)
    return tokens
