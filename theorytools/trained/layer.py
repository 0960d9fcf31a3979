r"""One-layer attention with position codes, read from the weights of a trained module into one form.

With a trailing one in every encoded token, :math:`\hat z_i=(x_i,\omega_i,\omega_{t_{i1}},\dots,\omega_{t_{iq}},1)`, all
modules that this room reads compute

.. math:: s^{(h)}_{ij}=\hat z_i^\top G_h\hat z_j,\qquad
          f_i=\Bigl\langle w,\Bigl(\sum_hA_h\sum_j\operatorname{softmax}_j(s^{(h)}_{ij})\hat z_j\Bigr)_+\Bigr\rangle+b .

The products :math:`G_h=\hat W_Q^\top\hat W_K/\sqrt{D_e}` and :math:`A_h=WW_O\hat W_V` do not change where an invertible
map is put between queries and keys or between values and read-out, so neither does what is proved from them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from theorytools.constructions.recipe import ARGUMENT
from theorytools.errors import DomainError, FolderError
from theorytools.numbers.boxes import Box, exact, times
from theorytools.optional import require

Array = NDArray[np.float64]
Kind = Literal["separate", "merged", "block"]
UNIT = 2.0**-53
SEPARATE = tuple(f"{name}.{part}" for name in ("query", "key", "value", "output", "hidden", "last")
                 for part in ("weight", "bias"))  # fmt: skip
MERGED = ("scores.0.weight", "hidden.weight", "hidden.bias", "last.weight", "last.bias")
TYPES = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
Read = tuple[tuple[Box, ...], tuple[Box, ...] | None, Array, float]


@dataclass(frozen=True, eq=False)
class TrainedLayer:
    r"""The weights of one layer of attention in the form above; made by :meth:`of`.

    Attributes
    ----------
    kind : which module the weights are of: ``separate`` and ``merged`` as in :mod:`theorytools.training.networks`,
        ``block`` as ``BlockAttention.module()``.
    codes : what enters for the positions, shape ``(N, d_e)``.
    d, q : token dimension, index slots.
    scores : :math:`G_h`, an enclosure of shape ``(H, D + 1, D + 1)``, row = query.
    units : :math:`A_h`, an enclosure of shape ``(H, m, D + 1)``; None for a module that returns tokens.
    last, shift : :math:`w` and :math:`b`.
    u : the direction of the labels :math:`q^{-1/2}\sum_h\langle u,x_{t_h}\rangle`, or None.
    dtype : the type of the weights, by its name.
    raw : the weights as stored, in doubles, by their names.
    """

    kind: Kind
    codes: Array
    d: int
    q: int
    scores: tuple[Box, ...]
    units: tuple[Box, ...] | None
    last: Array
    shift: float
    u: Array | None
    dtype: str
    raw: Mapping[str, Array]

    @property
    def N(self) -> int:
        """Sequence length."""
        return len(self.codes)

    @property
    def H(self) -> int:
        """Number of heads."""
        return len(self.scores)

    @property
    def parts(self) -> dict[int, slice]:
        """Where the parts of an encoded token lie: -1 the token, 0 the own code, then the slots; q + 1 the one."""
        k, one = self.codes.shape[1], self.d + (self.q + 1) * self.codes.shape[1]
        slots = {s: slice(self.d + s * k, self.d + (s + 1) * k) for s in range(self.q + 1)}
        return {-1: slice(0, self.d), **slots, self.q + 1: slice(one, one + 1)}

    def block(self, h: int, a: int, b: int) -> Box:
        """Return the block of a head's scores between the query's part ``a`` and the key's part ``b``."""
        rows, columns = self.parts[a], self.parts[b]
        return Box(self.scores[h].mid[rows, columns], self.scores[h].rad[rows, columns])

    def unit_block(self, h: int, b: int) -> Box:
        """Return what the read-out's units take from part ``b`` of head ``h``, shape ``(m, …)``."""
        if self.units is None:
            raise DomainError("a module that returns tokens", required="a read-out", why="it has no units")
        columns = self.parts[b]
        return Box(self.units[h].mid[:, columns], self.units[h].rad[:, columns])

    @classmethod
    def of(cls, weights: Mapping[str, Any], *, codes: Any = None, direction: Any = None, q: int = 1) -> TrainedLayer:
        """Read weights by their names.

        Parameters
        ----------
        weights : tensors or arrays by name; ``omega`` may hold the codes and ``u`` the direction.
        codes, direction : where they are not among the weights.
        q : index slots, where no direction says how long a token is.

        Raises
        ------
        DomainError : names or shapes of no module that is known, numbers that are not finite, no codes.
        """
        kept, dtype = arrays_of(weights)
        given = {"omega": codes, "u": direction}
        for name, value in given.items():
            if value is not None:
                kept[name] = array_of(name, value)
        omega, u = kept.pop("omega", None), kept.pop("u", None)
        if omega is None or omega.ndim != 2 or not omega.size:
            raise DomainError(
                "weights without codes of the positions" if omega is None else f"codes of shape {omega.shape}",
                required="the codes, shape (N, d_e)", why="scores of all prompts are sums over codes",
                advice="codes=…, or a tensor omega beside the weights",
            )  # fmt: skip
        if u is not None and u.ndim != 1:
            raise DomainError(f"a direction of shape {u.shape}", required="shape (d,)", why="labels are <u, x>")
        kind, omega = _kind(kept), rounded_codes(omega, dtype)
        D = {"separate": "hidden.weight", "merged": "scores.0.weight", "block": "W_QK"}[kind]
        d, q = _sizes(kept[D].shape[-1], omega.shape[1], u, q)
        _check_shapes(kept, kind, kept[D].shape[-1], d)
        read = {"separate": _separate, "merged": _merged, "block": _block}[kind]
        with np.errstate(over="ignore", invalid="ignore"):
            scores, units, last, shift = read(kept, d)
        if not all(np.isfinite(box.mid).all() and np.isfinite(box.rad).all() for box in (*scores, *(units or ()))):
            raise DomainError(
                "weights whose products are beyond doubles", required="smaller weights", why="scores are bounded"
            )
        return cls(kind, omega, d, q, scores, units, last, shift, u, dtype, kept)


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


def _kind(kept: Mapping[str, Array]) -> Kind:
    if "W_QK" in kept:
        return "block"
    wanted: dict[Kind, tuple[str, ...]] = {"separate": SEPARATE, "merged": MERGED}
    for kind, names in wanted.items():
        if set(names) <= set(kept):
            return kind
    near = max(wanted.values(), key=lambda names: len(set(names) & set(kept)))
    raise DomainError(
        f"weights named {', '.join(list(kept)[:6]) or 'nothing'}{', …' if len(kept) > 6 else ''}",
        required=f"those of one layer of attention; missing: {', '.join(n for n in near if n not in kept)}",
        why="scores and read-out are computed from them",
        advice="names as in theorytools.training.networks, or W_QK as in BlockAttention(…).module()",
    )  # fmt: skip


def _sizes(D: int, d_e: int, u: Array | None, q: int) -> tuple[int, int]:
    d = D - (q + 1) * d_e if u is None else len(u)
    slots = q if u is None else (D - d) // d_e - 1
    if d < 1 or slots < 1 or d + (slots + 1) * d_e != D:
        raise DomainError(
            f"tokens of width {D} with codes of length {d_e}"
            + (f" and q = {q}" if u is None else f" and a direction of length {d}"),
            required="width d + (q + 1) d_e", why="a token is (x, its code, the codes of its q indices)",
            advice="the codes and the direction that the network was trained with",
        )  # fmt: skip
    return d, slots


def _check_shapes(kept: Mapping[str, Array], kind: Kind, D: int, d: int) -> None:
    if kind == "block":
        H = kept["W_QK"].shape[0] if kept["W_QK"].ndim == 3 else 0
        m = len(kept["a"]) if "a" in kept else 0
        wanted: dict[str, tuple[int, ...]] = {"W_QK": (H, D, D)}
        wanted |= {"a": (m,), "W": (m, H * d), "b": (m,)} if {"a", "W", "b"} & set(kept) else {}
    else:
        m = kept["hidden.weight"].shape[0]
        H = sum(name.startswith("scores.") for name in kept) or kept["query.weight"].shape[0] // D
        wanted = {"hidden.bias": (m,), "last.weight": (1, m), "last.bias": (1,)}
        if kind == "separate":
            wanted |= {"hidden.weight": (m, D), "output.weight": (D, H * D), "output.bias": (D,)}
            for name in ("query", "key", "value"):
                wanted |= {f"{name}.weight": (H * D, D), f"{name}.bias": (H * D,)}
        else:
            wanted |= {"hidden.weight": (m, H * D)} | {f"scores.{h}.weight": (D, D) for h in range(H)}
    found = {name: array.shape for name, array in kept.items()}
    if found != wanted or H < 1:
        wrong = [name for name in {**wanted, **found} if found.get(name) != wanted.get(name)]
        raise DomainError(
            "; ".join(f"{n} {found.get(n, 'missing')}" for n in wrong[:4]) or "no head",
            required="; ".join(f"{n} {wanted.get(n, 'absent')}" for n in wrong[:4]) or "at least one head",
            why=f"a layer of kind {kind} on tokens of width {D} is made of these and of nothing else",
        )  # fmt: skip


def _separate(kept: Mapping[str, Array], d: int) -> Read:
    D = kept["hidden.weight"].shape[1]
    maps = {name: np.column_stack([kept[f"{name}.weight"], kept[f"{name}.bias"]]) for name in ("query", "key", "value")}
    H, hidden = len(maps["query"]) // D, exact(kept["hidden.weight"])
    scores, units = [], []
    for h in range(H):
        query, key, value = (maps[name][h * D : (h + 1) * D] for name in ("query", "key", "value"))
        product = times(exact(query.T), exact(key))
        scores.append(_scaled(product, 1 / math.sqrt(D)))
        made = times(hidden, times(exact(kept["output.weight"][:, h * D : (h + 1) * D]), exact(value)))
        if h == 0:  # the weights of a softmax sum to one: biases behind it are a column of the ones
            shift = times(hidden, exact(kept["output.bias"][:, None]))
            made.mid[:, -1] += shift.mid[:, 0] + kept["hidden.bias"]
            size = np.abs(made.mid[:, -1]) + np.abs(shift.mid[:, 0]) + np.abs(kept["hidden.bias"])
            made.rad[:, -1] += shift.rad[:, 0] + 4 * UNIT * size
        units.append(made)
    return tuple(scores), tuple(units), kept["last.weight"][0], float(kept["last.bias"][0])


def _merged(kept: Mapping[str, Array], d: int) -> Read:
    D = kept["scores.0.weight"].shape[0]
    H = sum(name.startswith("scores.") for name in kept)
    scores = [exact(np.pad(kept[f"scores.{h}.weight"].T, (0, 1))) for h in range(H)]
    units = [np.pad(kept["hidden.weight"][:, h * D : (h + 1) * D], ((0, 0), (0, 1))) for h in range(H)]
    units[0][:, -1] = kept["hidden.bias"]
    last = kept["last.weight"][0]
    return tuple(scores), tuple(exact(A) for A in units), last, float(kept["last.bias"][0])


def _block(kept: Mapping[str, Array], d: int) -> Read:
    H, D, _ = kept["W_QK"].shape
    scores = tuple(exact(np.pad(W, (0, 1))) for W in kept["W_QK"])
    if "a" not in kept:
        return scores, None, np.zeros(0), 0.0
    units = [np.zeros((len(kept["a"]), D + 1)) for _ in range(H)]
    for h, A in enumerate(units):
        A[:, :d] = kept["W"][:, h * d : (h + 1) * d]
    units[0][:, -1] = kept["b"]
    return scores, tuple(exact(A) for A in units), kept["a"], 0.0


def _scaled(product: Box, factor: float) -> Box:
    """The product times a number whose double is within two roundings of it."""
    mid = product.mid * factor
    return Box(mid, product.rad * factor * (1 + 8 * UNIT) + 4 * UNIT * np.abs(mid))


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
