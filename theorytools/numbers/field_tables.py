"""Multiplication in fields of characteristic 2 with at most 256 elements; addition is the exclusive or."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError

# polynomials modulo which x generates the multiplicative group
_PRIMITIVE = {2: 0b11, 4: 0b111, 8: 0b1011, 16: 0b10011, 32: 0b100101, 64: 0b1000011, 128: 0b10001001, 256: 0b100011101}


@cache
def product_table(q: int) -> NDArray[np.int64]:
    """Return the products of all pairs of the field with ``q`` elements, shape ``(q, q)``.

    Raises
    ------
    DomainError : ``q`` is not one of 2, 4, ..., 256.

    Examples
    --------
    >>> product_table(4).tolist()
    [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]]
    """
    if q not in _PRIMITIVE:
        raise DomainError(f"q = {q}", required="2, 4, 8, ..., 256", why="a field of characteristic 2, tabulated")
    powers, x = [], 1
    for _ in range(q - 1):
        powers.append(x)
        x <<= 1
        if x >= q:
            x ^= _PRIMITIVE[q]
    exponent = np.argsort(powers)  # of 1, ..., q - 1
    table = np.zeros((q, q), dtype=np.int64)
    table[1:, 1:] = np.array(powers)[(exponent[:, None] + exponent[None]) % (q - 1)]
    return table
