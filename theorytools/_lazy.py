"""Public names that load their module on first use, so that a command imports only what it needs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def attach(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package whose public ``names`` live in the given submodules.

    A name that equals its own submodule (``grid`` in ``grid.py``) is the object, not the module.
    """

    def __getattr__(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(f"{package}.{names[name]}")
        value = getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return __getattr__, lambda: sorted(names)
