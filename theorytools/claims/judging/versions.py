"""The versions that numbers depend on, read without importing anything heavy."""

from __future__ import annotations

import platform
from functools import cache
from importlib import metadata

_PACKAGES = ("theorytools", "numpy", "scipy", "sympy", "python-flint", "cvxpy", "torch")


@cache
def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that numbers depend on."""
    return dict(_versions())
