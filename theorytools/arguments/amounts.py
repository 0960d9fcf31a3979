"""Times and amounts of memory in the words of an error message."""

from __future__ import annotations

import math


def duration(seconds: float) -> str:
    """Return a time in words, ``about 4 h``; beyond a thousand years only that.

    Examples
    --------
    >>> duration(0.5), duration(90), duration(15000), duration(1e30)
    ('about 0.5 s', 'about 2 min', 'about 4 h', 'more than 1000 years')
    """
    year = 365.25 * 86400
    if not seconds < 1000 * year:
        return "more than 1000 years"
    units = ((year, "years"), (86400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))
    size, unit = next((each for each in units if seconds >= 1.5 * each[0]), units[-1])
    return f"about {float(f'{seconds / size:.1g}'):g} {unit}"


def memory(count: float) -> str:
    """Return a number of bytes in words.

    Examples
    --------
    >>> memory(8e12), memory(4e9), memory(float("inf"))
    ('8 TB', '4 GB', 'more than 1000 PB')
    """
    if not count < 1e18:
        return "more than 1000 PB"
    units = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1.0, "bytes"))
    size, unit = next((each for each in units if count >= each[0]), units[-1])
    return f"{float(f'{count / size:.2g}'):g} {unit}"


def amount(count: int) -> str:
    """Return a number of things in digits; beyond 10^15 its order of magnitude, for Python prints no longer ones.

    Examples
    --------
    >>> amount(10**12), amount(2**40 * 3**30), amount(4**1000000)
    ('1000000000000', 'about 10^26', 'about 10^602059')
    """
    if abs(count) < 10**15:
        return str(count)
    return f"{'-' if count < 0 else ''}about 10^{math.floor(math.log10(abs(count)))}"
