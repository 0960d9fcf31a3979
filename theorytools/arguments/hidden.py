"""What the array of a value would not show: a mask, a gradient, entries that lie elsewhere or take another form."""

from __future__ import annotations

from typing import Any

_MOST_AXES, _MOST_ENTRIES = 64, 10**8  # of nested lists; they may hold a list many times, so they are counted


def hidden(value: Any, *, learns: bool = False) -> str:
    """Return in words what is lost where numpy reads a value; nothing where its array is the value.

    numpy reads the data below a mask, and rows of a list whatever their masks; a list that holds itself twice has no
    end.  The tensors that are arrays are dense ones of plain numbers in this machine's memory.

    Parameters
    ----------
    value : anything.
    learns : whether a tensor may record its gradient, where torch and not numpy reads it.

    Examples
    --------
    >>> import numpy as np
    >>> hidden([[1, 2], [3]]), hidden(np.ma.array([1], mask=True)), hidden([np.ma.masked])
    ('', 'masked entries, which are no numbers', 'masked entries, which are no numbers')
    """
    if isinstance(value, list | tuple):
        return _in_rows(value, {}, 0)[1]
    library = type(value).__module__.partition(".")[0]
    if library == "torch":
        return _of_tensor(value, learns)
    if type(value).__name__ in ("MaskedArray", "MaskedConstant") or hasattr(type(value), "_baseclass"):
        return "masked entries, which are no numbers"
    return ""


def _in_rows(rows: Any, met: dict[int, tuple[int, str]], depth: int) -> tuple[int, str]:
    """How many entries nested lists spell, each list counted as often as it stands there, and what is hidden."""
    if id(rows) in met:
        return met[id(rows)]
    if depth == _MOST_AXES:
        return 0, f"lists more than {_MOST_AXES} deep"
    met[id(rows)] = 0, "a list inside itself"
    count, said = len(rows), ""
    if any(issubclass(kind, list | tuple) or hasattr(kind, "__array__") for kind in set(map(type, rows))):
        for row in rows:
            if isinstance(row, list | tuple):
                inner, said = _in_rows(row, met, depth + 1)
                count += inner
            elif hasattr(type(row), "__array__"):
                said = hidden(row)
            if said:
                break
    if not said and count > _MOST_ENTRIES:
        said = f"more than {_MOST_ENTRIES} entries"
    met[id(rows)] = count, said
    return count, said


def _of_tensor(value: Any, learns: bool) -> str:
    if not hasattr(value, "layout"):
        return "no tensor"
    if value.is_nested:
        return "a nested tensor, whose rows differ in length"
    if str(value.layout) != "torch.strided":
        return "a sparse tensor, whose zeros are not stored"
    if value.is_quantized:
        return "a quantised tensor, whose entries stand for other numbers"
    if value.device.type == "meta":
        return "a tensor without entries, on the device meta"
    if learns:
        return ""
    if value.device.type != "cpu":
        return f"a tensor on the device {value.device.type}"
    if value.requires_grad:
        return "a tensor that records its gradient"
    return "a conjugate that is not yet computed" if value.is_conj() or value.is_neg() else ""
