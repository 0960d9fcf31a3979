"""Weights by name: what is read from a file or taken from a module, in doubles, and the type of floats they have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.constructions.recipe import ARGUMENT
from theorytools.errors import DomainError, FolderError
from theorytools.optional import require

Array = NDArray[np.float64]
UNIT = 2.0**-53
TYPES = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
RECIPE = "theorytools"  # the entry of the header that save() writes


def arrays_of(weights: Mapping[str, Any]) -> tuple[dict[str, Array], str]:
    """Return finite weights by name, in doubles, and the one type that they have; ``DomainError`` for others."""
    names = {str(getattr(w, "dtype", "float64")).removeprefix("torch.") for w in weights.values()}
    if len(names) != 1 or not names <= set(TYPES):
        raise DomainError(
            f"weights of {', '.join(sorted(names)) or 'no type'}", required=f"one type of {', '.join(TYPES)}",
            why="its rounding is part of what is bounded", advice="module.to(torch.float32)",
        )  # fmt: skip
    return {str(name): array_of(str(name), value) for name, value in weights.items()}, names.pop()


def array_of(name: str, value: Any) -> Array:
    """Return a tensor or an array in doubles; ``DomainError`` where a number is not finite."""
    try:
        if hasattr(value, "detach"):
            value = value.detach().cpu().double().numpy()
        made = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise DomainError(f"{name} = {value!r:.60}", required="an array of numbers", why="weights are read") from None
    if not np.isfinite(made).all():
        raise DomainError(
            f"{name} with {int((~np.isfinite(made)).sum())} numbers that are not finite", required="finite weights",
            why="no bound holds of NaN or infinity: the training diverged", advice="an earlier checkpoint",
        )  # fmt: skip
    return made


def rounded_codes(codes: Array, dtype: str) -> Array:
    """Return the codes in the type in which the module is given them."""
    if dtype == "bfloat16":
        torch = require("torch")
        return np.asarray(torch.tensor(codes).to(torch.bfloat16).double())
    return codes.astype(dtype).astype(np.float64)


def read_checkpoint(path: str | Path) -> dict[str, Any]:
    """Return the tensors of a file by name: safetensors, or a state dict that ``torch.save`` wrote.

    A ``.pt`` or ``.pth`` file is read with ``weights_only``: nothing that it holds is executed.

    Raises
    ------
    FolderError : no such file, or one that cannot be read.
    DomainError : a file of another kind, or one that holds no tensors by name.
    """
    file = Path(path)
    if not file.is_file():
        raise FolderError(f"{file}, which is no file", required="a checkpoint", why="its weights are read")
    if file.suffix not in (".safetensors", ".pt", ".pth"):
        raise DomainError(f"{file.name}", required="a file .safetensors, .pt or .pth", why="weights are read by name")
    try:
        if file.suffix == ".safetensors":
            found = require("safetensors.torch").load_file(str(file))
        else:
            found = require("torch").load(str(file), map_location="cpu", weights_only=True)
    except ImportError:
        raise
    except Exception as error:  # each reader raises errors of its own
        raise FolderError(
            f"{file.name}: {str(error).strip().partition(chr(10))[0]:.200}", required="a file of tensors by name",
            why="nothing else is loaded: a pickle could run code", advice="torch.save(module.state_dict(), path)",
        ) from None  # fmt: skip
    if not isinstance(found, Mapping) or not found or not all(hasattr(t, "dtype") for t in found.values()):
        raise DomainError(
            f"{file.name} with {type(found).__name__}", required="tensors by name", why="weights are read by name",
            advice="torch.save(module.state_dict(), path)",
        )  # fmt: skip
    return {name: t for name, t in found.items() if not str(name).startswith(ARGUMENT)}  # of theorytools.save()


def is_saved(path: str | Path) -> bool:
    """Whether a file was written by :func:`theorytools.save`: safetensors with a recipe in the header."""
    file = Path(path)
    if file.suffix != ".safetensors" or not file.is_file():
        return False
    try:
        with require("safetensors").safe_open(str(file), "pt") as opened:
            return RECIPE in (opened.metadata() or {})
    except ImportError:
        raise
    except Exception:  # what is no such file is named where it is read
        return False


def write_checkpoint(path: str | Path, module: Any, *, codes: Any = None, direction: Any = None) -> None:
    """Write a module's weights as safetensors, with the codes of the positions and the direction of the labels.

    Parameters
    ----------
    path : the file.
    module : a ``torch.nn.Module``.
    codes, direction : shapes ``(N, d_e)`` and ``(d,)``; tensors of the module's type.
    """
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in module.state_dict().items()}
    more = {"omega": codes, "u": direction}
    tensors |= {name: tensor.detach().cpu().contiguous() for name, tensor in more.items() if tensor is not None}
    require("safetensors.torch").save_file(tensors, str(path))
