"""What a certificate is asked of: a module, a file, or weights by name, as a module that can be run and traced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from theorytools.errors import DomainError
from theorytools.optional import require
from theorytools.trained.checkpoint import Array, array_of, arrays_of, is_saved, read_checkpoint, rounded_codes

NAMES = {
    "W_QK": "BlockAttention.module()", "query.weight": "SeparateAttention", "scores.0.weight": "MergedAttention",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Given:
    """A module, and what came with it.

    Attributes
    ----------
    module : the ``torch.nn.Module``.
    codes, direction : arrays ``(N, d_e)`` and ``(d,)``, where a file or the weights held them.
    N, q : positions and index slots, where they are known.
    """

    module: Any
    codes: Array | None = None
    direction: Array | None = None
    N: int | None = None
    q: int | None = None


def given(thing: Any, codes: Any = None, direction: Any = None) -> Given:
    """Return a module, and what came with it.

    Parameters
    ----------
    thing : a ``torch.nn.Module``; the path of a file of :func:`theorytools.save` or of a checkpoint; or weights by
        name, those of ``SeparateAttention``, ``MergedAttention`` (:mod:`theorytools.training.networks`) or
        ``BlockAttention.module()``, with tensors ``omega``, the codes, and maybe ``u``, the direction, beside them.
    codes, direction : where they are not beside them.

    Raises
    ------
    DomainError : anything else; names, shapes or numbers that are not those of such a module.
    FolderError : no such file, or one that cannot be read.
    """
    beside = {name: value for name, value in {"omega": codes, "u": direction}.items() if value is not None}
    if isinstance(thing, str | Path):
        return _of_file(Path(thing), beside)
    if isinstance(thing, Mapping):
        return _of_weights(thing, beside)
    if hasattr(thing, "forward") and hasattr(thing, "state_dict"):
        omega, q = getattr(thing, "omega", None), getattr(thing, "q", None)  # as modules of constructions say it
        codes = array_of("omega", omega) if getattr(omega, "ndim", 0) == 2 else None
        N = None if codes is None else len(codes)
        return Given(thing, codes, N=N, q=q if isinstance(q, int) else None)
    raise DomainError(
        f"a {type(thing).__name__}", required="a torch.nn.Module, a file, or weights by name",
        why="its operators are read, and it is run", advice="the module itself; of a construction net.module()",
    )  # fmt: skip


def _of_file(path: Path, beside: Mapping[str, Any]) -> Given:
    if not is_saved(path):
        return _of_weights(read_checkpoint(path), beside)
    from theorytools.constructions.torch.saved import load

    saved = load(path)
    if saved.network is None:
        return _of_weights(saved.tensors, beside, saved.name)
    found = Given(saved.module(), N=getattr(saved.network, "N", None), q=getattr(saved.network, "q", None))
    codes = getattr(saved.network, "codes", None)
    return found if codes is None else replace(found, codes=array_of("codes", codes.matrix()))


def _of_weights(weights: Mapping[str, Any], beside: Mapping[str, Any], name: str = "") -> Given:
    kept, dtype = arrays_of({key: tensor for key, tensor in weights.items() if key not in beside})
    kept |= {key: array_of(key, value) for key, value in beside.items()}
    omega, u = kept.pop("omega", None), kept.pop("u", None)
    kind = next((kind for kind in NAMES if kind in kept), None)
    if kind is None:
        raise DomainError(
            f"weights named {', '.join(list(kept)[:6]) or 'nothing'}{', …' if len(kept) > 6 else ''}"
            + (f", of {name}" if name else ""),
            required=", ".join(f"{one} of {network}" for one, network in NAMES.items()),
            why="of other modules the class is not in a file, only its tensors",
            advice="make the module, module.load_state_dict(…), and give the module; from the command line "
            "theorytools certify your_file.py:module --weights trained.safetensors",
        )  # fmt: skip
    if omega is None or omega.ndim != 2 or not omega.size:
        raise DomainError(
            "weights without codes of the positions" if omega is None else f"codes of shape {omega.shape}",
            required="the codes, shape (N, d_e)", why="scores of all prompts are sums over codes",
            advice="codes=…, or a tensor omega beside the weights",
        )  # fmt: skip
    if u is not None and u.ndim != 1:
        raise DomainError(f"a direction of shape {u.shape}", required="shape (d,)", why="labels are <u, x>")
    omega = rounded_codes(omega, dtype)
    if kind == "W_QK":
        return _block(kept, dtype, omega, u)
    torch = require("torch")
    module = _empty(kept, kind).to(getattr(torch, dtype)).eval().requires_grad_(False)
    _filled(module, kept, kind)
    slots, D, k = None, kept[kind].shape[-1], omega.shape[1]
    if u is not None:
        slots = (D - len(u)) // k - 1
        if slots < 1 or len(u) + (slots + 1) * k != D:
            raise DomainError(
                f"tokens of width {D} with codes of length {k} and a direction of length {len(u)}",
                required="width d + (q + 1) d_e", why="a token is (x, its code, the codes of its q indices)",
                advice="the codes and the direction that the network was trained with",
            )  # fmt: skip
    return Given(module, omega, u, len(omega), slots)


def _empty(kept: Mapping[str, Array], kind: str) -> Any:
    """A module of the sizes that some of the weights have; whether the others have them is seen afterwards."""
    from theorytools.training.networks import MergedAttention, SeparateAttention

    width, D = kept["hidden.weight"].shape[0] if "hidden.weight" in kept else 1, kept[kind].shape[-1]
    if kind == "scores.0.weight":
        return MergedAttention(D, sum(name.startswith("scores.") for name in kept), width)
    return SeparateAttention(D, max(1, kept[kind].shape[0] // D), width)


def _filled(module: Any, kept: Mapping[str, Array], kind: str) -> None:
    torch, state = require("torch"), module.state_dict()
    wanted = {name: tuple(tensor.shape) for name, tensor in state.items()}
    found = {name: array.shape for name, array in kept.items()}
    wrong = [name for name in {**wanted, **found} if found.get(name) != wanted.get(name)]
    if wrong:
        raise DomainError(
            "; ".join(f"{n} {found.get(n, 'missing')}" for n in wrong[:4]),
            required="; ".join(f"{n} {wanted.get(n, 'absent')}" for n in wrong[:4]),
            why=f"{NAMES[kind]} on tokens of width {kept[kind].shape[-1]} is made of these and of nothing else",
            advice="a checkpoint of that module, with the codes as omega and the direction as u",
        )  # fmt: skip
    module.load_state_dict({name: torch.tensor(array) for name, array in kept.items()})


def _block(kept: Mapping[str, Array], dtype: str, omega: Array, u: Array | None) -> Given:
    from theorytools.constructions.torch.attention import AttentionModule

    torch, W = require("torch"), kept["W_QK"]
    H, D = (W.shape[0], W.shape[-1]) if W.ndim == 3 else (0, 0)
    head, k = {"a", "W", "b"} & set(kept), omega.shape[1]
    d = kept["W"].shape[1] // H if H and head and "W" in kept and kept["W"].ndim == 2 else None
    d = len(u) if u is not None else d if d is not None else D - 2 * k
    q = (D - d) // k - 1
    m = len(kept["a"]) if "a" in kept else 0
    wanted: dict[str, tuple[int, ...]] = {"W_QK": (H, d + (q + 1) * k, d + (q + 1) * k)}
    wanted |= {"a": (m,), "W": (m, H * d), "b": (m,)} if head else {}
    found = {name: array.shape for name, array in kept.items()}
    wrong = [name for name in {**wanted, **found} if found.get(name) != wanted.get(name)]
    if wrong or min(H, d, q) < 1:
        raise DomainError(
            "; ".join(f"{n} {found.get(n, 'missing')}" for n in wrong[:4]) or f"W_QK of shape {W.shape}",
            required="; ".join(f"{n} {wanted.get(n, 'absent')}" for n in wrong[:4]) or "tokens of width d + (q+1) d_e",
            why="the module of BlockAttention is made of W_QK, and a, W, b of its head",
            advice="the codes and the direction that the network was trained with",
        )  # fmt: skip
    net: Any = SimpleNamespace(
        d=d, q=q, codes=SimpleNamespace(matrix=lambda: omega), squared_scale=1, wiring=range(H),
        head=SimpleNamespace(**{name: kept[name] for name in ("a", "W", "b")}) if head else None,
        W_QK=lambda h: kept["W_QK"][h],
    )  # fmt: skip
    return Given(AttentionModule(net, getattr(torch, dtype)).requires_grad_(False), omega, u, len(omega), q)
