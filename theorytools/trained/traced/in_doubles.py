"""A traced network beside the module that it was traced from, both in doubles."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from theorytools.blocks.network import Network
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers.boxes import Array
from theorytools.optional import require
from theorytools.trained.traced.agreement import evaluated
from theorytools.trained.traced.program import argument_names


def compared(module: Any, example: tuple[Any, ...], network: Network) -> tuple[float, float]:
    """Return the largest distance on three random prompts of one batch, and what rounding explains.

    Raises
    ------
    CertificateError : the distance is larger.
    DomainError : the module does not run on three prompts, or returns other shapes.
    """
    given, tensors = _prompts(module, example, network)
    seen = _in_doubles(module, tensors)
    meant, off = evaluated(network, **given)
    if seen.shape != (3, *network.shape):
        raise DomainError(
            f"outputs of shape {seen.shape} for three prompts", required=f"(3, {', '.join(map(str, network.shape))})",
            why="each prompt of a batch has its own answer", advice="shapes from Z.shape, not written out",
        )  # fmt: skip
    if not (np.isfinite(seen).all() and np.isfinite(meant).all()):
        raise DomainError(
            "outputs that are not finite on a drawn prompt, in doubles", required="weights whose scores are doubles",
            why="no bound holds of NaN or infinity", advice="smaller weights, or an earlier checkpoint",
        )  # fmt: skip
    meant, off = meant.reshape(seen.shape), off.reshape(seen.shape)
    # where errors could grow without end, by deep layers or large scores, a mistake still shows
    allowed = np.minimum(off, 1e-6 * (1 + np.abs(meant)))
    wrong = ~(np.abs(seen - meant) <= allowed)
    if wrong.any():
        n = int(np.flatnonzero(wrong.reshape(3, -1).any(1))[0])
        gap = float(np.abs(seen - meant)[wrong].max())
        raise CertificateError(
            f"a network that differs from the module by {gap:.3g} (prompt {n + 1} of a batch of three)",
            required=f"at most {float(allowed.max()):.3g}, which rounding explains",
            why="what is proved of the network is said of the module",
            advice="batch_first=True, so that prompts do not see each other; no casts to fewer bits in forward",
        )  # fmt: skip
    return float(np.abs(seen - meant).max(initial=0.0)), float(allowed.max(initial=0.0))


def _prompts(module: Any, example: tuple[Any, ...], network: Network) -> tuple[dict[str, Any], list[Any]]:
    """Three random prompts, by field and as tensors."""
    rng = np.random.default_rng(2026)
    fields = {field.name: field for field in network.fields}
    given: dict[str, Any] = {}
    tensors: list[Any] = []
    torch = require("torch")
    for name, one in zip(argument_names(module, example), example, strict=True):
        if one.is_floating_point():
            given[name] = rng.standard_normal((3, *one.shape[1:]))
            tensors.append(torch.from_numpy(given[name]))
            continue
        q = [name] if one.ndim == 2 else [f"{name}[{k}]" for k in range(one.shape[2])]
        words = [rng.integers(0, fields[k].width, (3, network.N)) for k in q]
        given |= dict(zip(q, words, strict=True))
        tensors.append(torch.from_numpy(words[0] if one.ndim == 2 else np.stack(words, -1)).to(one.dtype))
    return given, tensors


def _in_doubles(module: Any, tensors: list[Any]) -> Array:
    """What a copy of the module returns with all its numbers in doubles, also those that it makes in forward."""
    torch = require("torch")
    mode = require("torch.utils._python_dispatch").TorchDispatchMode

    class Doubles(mode):  # type: ignore[misc, valid-type]
        def __torch_dispatch__(self, function: Any, kinds: Any, given: Any = (), named: Any = None) -> Any:
            named = dict(named or {})
            if getattr(named.get("dtype"), "is_floating_point", False):
                named["dtype"] = torch.float64
            found = function(*given, **named)
            narrow = isinstance(found, torch.Tensor) and found.is_floating_point() and found.dtype != torch.float64
            return found.to(torch.float64) if narrow else found

    copied = copy.deepcopy(module).cpu().double()
    try:
        with torch.no_grad(), Doubles(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = copied(*tensors)
    except Exception as error:
        raise DomainError(
            f"a module that does not run on three prompts in doubles ({type(error).__name__}: {str(error)[:160]})",
            required="a forward for any number of prompts, in the type of its weights",
            why="the network is compared with it, and prompts of a batch must not see each other",
            advice="shapes from Z.shape, types from Z.dtype",
        ) from None  # fmt: skip
    first = require("torch.utils._pytree").tree_leaves(found)[0]
    return np.asarray(first.detach().numpy())
