"""One run to a loss threshold, as a value: what is trained, on what, how, and how it is judged."""

from __future__ import annotations

import hashlib
import json
import math
import numbers
import operator
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError
from theorytools.papers.qstr.training.protocols import Protocol, protocol

if TYPE_CHECKING:
    import numpy as np

    from theorytools.tasks.sparse_regression import Link


Architecture = Literal["transformer", "merged", "ffn", "gru", "lstm", "rnn"]
ARCHITECTURES: tuple[Architecture, ...] = ("transformer", "merged", "ffn", "gru", "lstm", "rnn")
WIDTHS = {"transformer": 100, "merged": 100, "ffn": 1000, "gru": 500, "lstm": 500, "rnn": 500}
OPTIMISERS = ("adamw", "sgd")


@cache
def _choices() -> dict[str, tuple[str, ...]]:
    """The words of each field that takes a word; NumPy, which the task draws with, is loaded with the first value."""
    from theorytools.tasks.sparse_regression import LINKS

    return {
        "architecture": ARCHITECTURES, "task": ("general", "simple"), "link": LINKS, "optimiser": OPTIMISERS,
        "dtype": ("float32", "float64"), "tokens": ("gauss", "digits", "digits_rescaled"),
    }  # fmt: skip


def _rational(name: str, value: Any) -> Fraction:
    try:
        if isinstance(value, bool):
            raise TypeError
        return Fraction(value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        advice = f"pass {name} as a Fraction, for example Fraction(1, 10)"
        raise DomainError(f"{name} = {value!r}", required=f"a rational number {name}", advice=advice) from None


@dataclass(frozen=True, kw_only=True)
class Experiment:
    r"""Train on fresh batches until the test loss falls below the threshold, and count the prompts.

    Parameters
    ----------
    architecture : ``transformer`` (separate Q, K, V, output maps), ``merged`` (one matrix :math:`W_{QK}` a head, no V),
        ``ffn``, ``gru``, ``lstm``, ``rnn`` (ReLU; the last three bidirectional).
    N, d, q, d_e : sequence length, token dimension, indices per position, code dimension (:math:`\lfloor5\log N\rfloor`
        unless given).
    task : ``general``, a tuple for each position, or ``simple``, one tuple for all.
    link : ``lin``, ``sq`` or ``he2``, normalised as in :mod:`theorytools.tasks.sparse_regression`.
    protocol, repeat : the protocol's name and the number of the repeat, which keys every random draw.
    world : 0, repeats share a world or not as the protocol says; k >= 1, they share the k-th whatever it says.
    heads, width : attention heads; hidden width of the head, the second layer, or the state.
    optimiser, lr, weight_decay, batch : AdamW with decoupled decay or SGD with the decay in the gradient; prompts per
        step.
    threshold, check_every, test_size, cap : mean squared error to reach, steps between evaluations, test prompts, and
        the number of training prompts after which a run is censored.
    dtype : the type of floats in training.
    tokens : ``gauss``, or ``digits``, handwritten digits (``d = 64``, the link ``lin``) with new images in the test and
        labels of variance 1 on the images for learning; with ``digits_rescaled`` of mean square 1 on the new images.

    Raises
    ------
    DomainError : an unknown word, a size out of range, or ``q > N``.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), section 4 and Figure 1, arXiv 2503.11272v1, for the setting.

    Examples
    --------
    >>> one = Experiment(architecture="gru", N=16)
    >>> one.d_e, one.D_e, Experiment.of(one.spec()) == one
    (13, 36, True)
    """

    architecture: Architecture
    N: int
    repeat: int = 0
    protocol: str = "corrected"
    task: Literal["general", "simple"] = "general"
    link: Link = "lin"
    d: int = 10
    q: int = 1
    d_e: int = 0
    heads: int = 1
    width: int = 0
    optimiser: Literal["adamw", "sgd"] = "adamw"
    lr: Fraction = Fraction(1, 1000)
    weight_decay: Fraction = Fraction(1, 100)
    batch: int = 64
    threshold: Fraction = Fraction(7, 10)
    check_every: int = 10
    test_size: int = 5000
    cap: int = 1_000_000
    dtype: Literal["float32", "float64"] = "float32"
    tokens: Literal["gauss", "digits", "digits_rescaled"] = "gauss"
    world: int = 0

    def __post_init__(self) -> None:
        for name, words in _choices().items():
            if getattr(self, name) not in words:
                raise DomainError(f"{name} = {getattr(self, name)!r}", required=f"one of {', '.join(words)}")
        protocol(self.protocol)
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "int" and isinstance(value, numbers.Integral) and not isinstance(value, bool):
                object.__setattr__(self, field.name, operator.index(value))  # the spec is JSON
        if self.d_e == 0 and isinstance(self.N, int) and self.N >= 2:
            object.__setattr__(self, "d_e", int(5 * math.log(self.N)))
        if self.width == 0:
            object.__setattr__(self, "width", WIDTHS[self.architecture])
        for name in ("lr", "weight_decay", "threshold"):
            object.__setattr__(self, name, _rational(name, getattr(self, name)))
        least = {"N": 2, "repeat": 0, "world": 0}
        for field in fields(self):
            value, low = getattr(self, field.name), least.get(field.name, 1)
            if field.type == "int" and (not isinstance(value, int) or isinstance(value, bool) or value < low):
                raise DomainError(f"{field.name} = {value!r}", required=f"an integer {field.name} >= {low}")
        if self.tokens != "gauss" and (self.d, self.link) != (64, "lin"):
            raise DomainError(f"digits, d = {self.d}, {self.link}", required="d = 64, lin", why="they have 64 pixels")
        if self.q > self.N:
            raise DomainError(f"q = {self.q} distinct indices among N = {self.N}", required="q <= N")
        if self.lr <= 0 or self.weight_decay < 0 or self.threshold <= 0:
            raise DomainError(
                f"lr = {self.lr}, weight_decay = {self.weight_decay}, threshold = {self.threshold}",
                required="lr > 0, weight_decay >= 0, threshold > 0",
            )

    @property
    def rules(self) -> Protocol:
        """The protocol itself."""
        return protocol(self.protocol)

    @property
    def D_e(self) -> int:
        r"""The width of an encoded token, :math:`d+(q+1)d_e`."""
        return self.d + (self.q + 1) * self.d_e

    @property
    def simple_tests(self) -> bool:
        """Whether test prompts have one tuple for all positions."""
        return self.task == "simple" or self.rules.test_prompts == "simple"

    def spec(self) -> dict[str, int | str]:
        """Return the value as JSON data, fractions as ``"p/q"``: the trial's key is its hash.

        Gaussian tokens and the protocol's own world are not named: trials were recorded before there were others.
        """
        named = asdict(self)
        if self.tokens == "gauss":
            del named["tokens"]
        if self.world == 0:
            del named["world"]
        return {name: str(v) if isinstance(v, Fraction) else v for name, v in named.items()}

    @classmethod
    @checked
    def of(cls, spec: Mapping[str, Any]) -> Experiment:
        """Return the experiment of a ``spec()``.

        Parameters
        ----------
        spec : field by field, fractions as ``"p/q"``.

        Returns
        -------
        Experiment : equal to the one whose ``spec()`` it is.

        Raises
        ------
        DomainError : a field that there is not, or a value out of range.
        """
        rationals = {name: Fraction(spec[name]) for name in ("lr", "weight_decay", "threshold") if name in spec}
        try:
            return cls(**{**spec, **rationals})
        except TypeError as error:
            raise DomainError(f"the trial {dict(spec)!r}", required=str(error)) from None

    @classmethod
    @checked
    def within(cls, spec: Mapping[str, Any]) -> Experiment:
        """Return the experiment in a trial of another kind, whose further fields belong to its sweep.

        Parameters
        ----------
        spec : of the trial.

        Returns
        -------
        Experiment : of its own fields.

        Raises
        ------
        DomainError : a value out of range.
        """
        return cls.of({name: value for name, value in spec.items() if name in _FIELDS})

    @checked
    def seed(self, role: str) -> np.random.SeedSequence:
        """Return the seed of one role.

        ``world`` (direction and codes) and ``test`` depend on the task and the repeat only, so that architectures and
        optimisers meet the same worlds; in a shared world the repeat does not enter.  Every other role is keyed by
        the whole trial.

        Parameters
        ----------
        role : what is drawn, a word.

        Returns
        -------
        numpy.random.SeedSequence : the same on every machine.
        """
        import numpy as np

        spec: dict[str, Any] = self.spec()
        if role in ("world", "test"):
            own = ("protocol", "task", "link", "N", "d", "q", "d_e", "repeat", "world")
            spec = {name: spec[name] for name in own if name in spec}
            if self.rules.shared_world or self.world:
                del spec["repeat"]
        text = json.dumps([role, spec], sort_keys=True, separators=(",", ":"))
        return np.random.SeedSequence(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))


def cell(repeats: int, own: Mapping[str, Any] | None = None, **fields: Any) -> list[dict[str, Any]]:
    """Return the specifications of one cell's repeats, with the fields that are the sweep's ``own``."""
    return [{**Experiment(repeat=repeat, **fields).spec(), **(own or {})} for repeat in range(repeats)]


_FIELDS = frozenset(field.name for field in fields(Experiment))
