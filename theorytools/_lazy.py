"""Public names that load their module on first use, so that a command imports only what it needs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any


def attach(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package whose public ``names`` live in the given submodules.

    A name that equals its own submodule (``mixture`` in ``mixture.py``) is the object, not the module, whichever of the
    two is imported first.
    """

    class Package(ModuleType):
        def __setattr__(self, name: str, value: Any) -> None:
            # importing a submodule sets it as an attribute of its package: the public object goes before it
            if isinstance(value, ModuleType) and value.__name__ == f"{package}.{name}" and names.get(name) == name:
                value = getattr(value, name)
            super().__setattr__(name, value)

    sys.modules[package].__class__ = Package

    def __getattr__(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(f"{package}.{names[name]}")
        value = getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return __getattr__, lambda: sorted(names)
