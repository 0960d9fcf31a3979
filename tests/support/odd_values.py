"""Values that no caller means, one for each way of being odd: whatever the argument, they may be refused or computed.

What comes back may be no NaN, and a value that ``hides`` something may not be computed at all.
"""

import decimal
import importlib
import itertools
import math
from fractions import Fraction

import numpy as np


class OddInteger(int):
    """An integer that equals everything."""

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class Hostile:
    """An object whose array cannot be read."""

    def __array__(self, *_, **__):
        raise RuntimeError("read")


class Unprintable:
    def __repr__(self):
        raise RuntimeError("printed")


def nested(depth):
    found = 1
    for _ in range(depth):
        found = [found]
    return found


def doubled(depth):
    """Lists of two, each twice the same: 2**depth entries in a few bytes."""
    found = [1]
    for _ in range(depth):
        found = [found, found]
    return found


def endless():
    found = []
    found.append(found)
    return found


def like(value):
    """The value as an array of floats where it is numbers, else a small square of ones."""
    try:
        array = np.asarray(value)
    except ValueError:
        return np.ones((2, 2))
    if array.dtype.kind not in "biufO" or not array.size:
        return np.ones((2, 2))
    real = all(isinstance(x, int | float | Fraction | np.number) for x in array.astype(object).flat)
    return array.astype(float) if real else np.ones((2, 2))


def hiding(value):
    """Values that hide something: masks, gradients, entries elsewhere; by name, each with its maker."""
    import torch

    array = like(value)
    masked = np.ma.array(array, mask=np.ones(array.shape, bool))
    rows = np.atleast_1d(masked)
    tensor = torch.tensor(array)
    return {
        "masked": lambda: masked,
        "masked rows": lambda: list(rows),
        "a masked constant": lambda: np.ma.masked,
        "a list of masked constants": lambda: [np.ma.masked] * len(rows),
        "on meta": lambda: torch.empty(array.shape, device="meta"),
        "sparse": lambda: torch.ones(2, 2).to_sparse(),
        "compressed": lambda: torch.ones(2, 2).to_sparse_csr(),
        "quantised": lambda: torch.quantize_per_tensor(torch.ones(array.shape), 0.1, 0, torch.qint8),
        "with a gradient": lambda: tensor.clone().requires_grad_(),
        "a parameter": lambda: torch.nn.Parameter(tensor.clone()),
        "nested": lambda: torch.nested.nested_tensor([torch.ones(1), torch.ones(2)]),
        "a list with gradients": lambda: [torch.tensor(1.0, requires_grad=True)] * len(rows),
        "NaN of torch": lambda: tensor * math.nan,
        "NaN in objects": lambda: np.full(array.shape, math.nan, dtype=object),
        "NaN of decimals": lambda: decimal.Decimal("NaN"),
        "times": lambda: np.zeros(array.shape, "datetime64[s]"),
        "a duration": lambda: np.timedelta64(3, "s"),
        "no time": lambda: np.datetime64("NaT"),
        "records": lambda: np.zeros(array.shape, [("a", int), ("b", float)]),
        "doubled lists": lambda: doubled(60),
        "a list in itself": endless,
    }


def plain(value):
    """Values that hide nothing: numbers of any size and type, arrays of any layout, texts, files, functions."""
    import torch

    array = like(value)
    return {
        "None": lambda: None, "True": lambda: True, "0": lambda: 0, "-0.0": lambda: -0.0, "-1": lambda: -1,
        "inf": lambda: math.inf, "5e-324": lambda: 5e-324, "10**400": lambda: 10**400, "-10**400": lambda: -(10**400),
        "-7/3": lambda: Fraction(-7, 3), "1+2j": lambda: 1 + 2j, "2**63": lambda: 2**63,
        "digits": lambda: "9" * 10**5, "[]": list, "()": tuple, "{}": dict, "ragged": lambda: [[1, 2], [3]],
        "bytes": lambda: b"\x00\xff", "a bytearray": lambda: bytearray(b"12"), "a set": lambda: {1, 2},
        "float16": lambda: array.astype(np.float16), "long doubles": lambda: array.astype(np.longdouble),
        "the other bytes first": lambda: array.astype(">f8"), "complex": lambda: array + 1j,
        "texts": lambda: np.full(array.shape, "1"), "a tensor": lambda: torch.tensor(array),
        "bfloat16": lambda: torch.tensor(array).to(torch.bfloat16), "a scalar": lambda: torch.tensor(1.5),
        "a module": lambda: torch.nn.Linear(1, 1), "a generator": lambda: (x for x in [1, 2]),
        "without end": itertools.count, "a huge range": lambda: range(10**12), "odd": lambda: OddInteger(3),
        "deep": lambda: nested(5000), "a folder": lambda: "/", "a device": lambda: "/dev/zero", "a type": lambda: int,
        "hostile": Hostile, "unprintable": Unprintable, "an object": object,
    }  # fmt: skip


def frames():
    """Tables of two libraries with a gap in each; the libraries load when one is made."""
    return {
        "pandas": lambda: importlib.import_module("pandas").Series([1.0, math.nan]),
        "pandas' gap": lambda: importlib.import_module("pandas").NA,
        "a frame of pandas": lambda: importlib.import_module("pandas").DataFrame({"a": [1.0, None]}),
        "polars": lambda: importlib.import_module("polars").Series([1.0, None]),
        "a frame of polars": lambda: importlib.import_module("polars").DataFrame({"a": [1.0, None]}),
    }


def is_numbers(kind):
    """Whether a kind of argument is an array of numbers, or may be."""
    parts = getattr(kind, "kinds", (kind,))
    return any(type(part).__name__ == "Array" for part in parts)
