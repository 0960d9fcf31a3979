"""Packages that not every use needs: which extra brings them, and a clear word where they are missing."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from theorytools.errors import MissingPackageError, TheoryError

_UNKNOWN = re.compile(r"No package metadata was found for ([\w-]+)")  # of a version that a check asked for
EXTRAS = {
    "torch": "torch", "safetensors": "torch", "sklearn": "data", "cvxpy": "solvers", "highspy": "solvers",
    "pyarrow": "parquet", "distributed": "cluster", "dask": "cluster", "dask_jobqueue": "cluster",
    "matplotlib": "figures", "pandas": "frames", "polars": "frames", "pylatexenc": "tex",
}  # fmt: skip
_WHY = {
    "data": "the handwritten digits are part of scikit-learn",
    "torch": "trained models, sweeps and torch modules of the constructions need it",
    "solvers": "a linear or cone program proposes the point that is then certified exactly",
    "parquet": "it writes tables of trials",
    "frames": "it holds the rows of a verdict as a table",
    "figures": "it draws figures for papers",
    "cluster": "it drives workers on other machines",
}


def require(name: str) -> Any:
    """Return the imported module ``name``, such as ``torch`` or ``safetensors.torch``.

    Raises
    ------
    MissingPackageError
        If its package is not installed, with the extra that brings it.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise missing(error) or error from None


def installed(name: str) -> bool:
    """Whether a package can be imported, without importing it."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def missing(error: BaseException) -> MissingPackageError | None:
    """Return the clear error for an import that failed for want of an optional package; None for any other error."""
    if isinstance(error, MissingPackageError):
        return error
    package = (getattr(error, "name", None) or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or package not in EXTRAS:
        return None
    extra = EXTRAS[package]
    return MissingPackageError(
        f"the package {package}, which is not installed", required=f"theorytools with the extra {extra}",
        why=_WHY[extra], advice=f"pip install 'theorytools[{extra}]', or theorytools[all] for everything",
    )  # fmt: skip


def lacking(text: str) -> MissingPackageError | None:
    """Return the clear error for a refusal that says that the version of an optional package is not known.

    A check that runs in floats names the packages whose versions belong to what it saw; where one of them is not
    installed the engine says so of the construction at a point, though no other point would do.

    Examples
    --------
    >>> lacking("the construction refuses the package No package metadata was found for torch").advice
    "pip install 'theorytools[torch]', or theorytools[all] for everything"
    """
    found = _UNKNOWN.search(text)
    package = found[1].replace("-", "_").replace("scikit_learn", "sklearn") if found else ""
    return missing(ModuleNotFoundError(name=package))


@contextmanager
def naming_extras() -> Iterator[None]:
    """Raise the clear error in place of one that :func:`lacking` knows."""
    try:
        yield
    except TheoryError as error:
        if clear := lacking(str(error)):
            raise clear from error
        raise
