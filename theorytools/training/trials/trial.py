"""A trial is a value: what was run, named by the digest of its canonical text, and what came out.

Its draws are keyed by a role and chosen fields of it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError
from theorytools.salts import note, salt

if TYPE_CHECKING:
    import numpy as np
    import torch


DONE, CENSORED, FAILED = "done", "censored", "failed"
STATUSES = (DONE, CENSORED, FAILED)


def canonical(value: Any) -> str:
    """Return the one JSON text of a value: equal values have equal texts, and unequal values unequal ones.

    Keys are sorted by code point and there are no spaces.  An integer is its digits, a Fraction the string ``"p/q"``
    (so the fraction 1/2 and the string ``"1/2"`` are one value, as they are once the text is read back), a float its
    shortest text that reads back to the same bits.  So ``1``, ``1.0`` and ``True`` are three values.  Strings are
    taken as they are, without Unicode normalisation; a tuple is a list.  Reading the text back and writing it again
    gives the same text.

    Parameters
    ----------
    value : None, bool, int, float, Fraction, str, and lists, tuples and mappings with string keys of such.

    Raises
    ------
    DomainError : for NaN, infinities, keys that are no strings, lone surrogates and every other type, such as NumPy
        scalars and arrays.

    Examples
    --------
    >>> from fractions import Fraction
    >>> canonical({"q": 2, "beta": Fraction(213, 10), "rate": 1e-3})
    '{"beta":"213/10","q":2,"rate":0.001}'
    """
    plain = _plain(value, "the value")
    try:
        text = json.dumps(plain, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        text.encode("utf-8")
    except ValueError as error:  # a lone surrogate, or more digits than Python prints
        raise _refused(f"a value that has no JSON text in UTF-8 ({error})") from error
    return text


def trial_key(spec: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the canonical text of a specification, as 64 hexadecimal digits.

    Everything that the result depends on belongs to the specification: architecture, task, sizes, seed, optimiser,
    dtype, threads, and the layout of the batch the trial is trained in.

    Raises
    ------
    DomainError : if the specification is no mapping, or holds what :func:`canonical` refuses.
    """
    if not isinstance(spec, Mapping):
        raise _refused(f"{spec!r}, of type {type(spec).__name__}, as the specification of a trial")
    return hashlib.sha256(canonical(spec).encode("utf-8")).hexdigest()


def _plain(value: Any, where: str) -> Any:
    """The value in the types of JSON; exact types only, because a subclass may print otherwise."""
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float and math.isfinite(value):
        return value
    if type(value) is Fraction:
        return f"{value.numerator}/{value.denominator}"
    if type(value) in (list, tuple):
        return [_plain(item, f"{where}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        for key in value:
            if type(key) is not str:
                raise _refused(f"the key {key!r} of type {type(key).__name__} in {where}")
        return {key: _plain(item, f"{where}[{key!r}]") for key, item in value.items()}
    raise _refused(f"{where} = {value!r}, of type {type(value).__name__}")


def _refused(given: str) -> DomainError:
    return DomainError(
        given,
        required="None, bool, int, finite float, Fraction, str, and lists and mappings (string keys) of such",
        why="a trial is named by the digest of its text, so the text must be one and readable everywhere",
        advice="x.item() for a NumPy scalar, x.tolist() for an array; Result(status='failed') for NaN",
    )


@checked
@dataclass(frozen=True)
class Result:
    """What a trial gave: values, and whether the threshold was reached.

    Parameters
    ----------
    value : the numbers, by name; everything that :func:`canonical` takes.
    status : ``"done"``; ``"censored"`` if the budget ended before the threshold, which is a result and is kept;
        ``"failed"`` if there is nothing to use, with the reason.
    reason : why, for a censored or failed trial.
    provenance : what the runner adds to versions, processor, threads and seconds, such as the device.

    Raises
    ------
    DomainError : for another status, or a failure without its reason.
    """

    value: Mapping[str, Any] = field(default_factory=dict)
    status: str = DONE
    reason: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.status not in STATUSES or (self.status == FAILED and not self.reason):
            raise DomainError(
                f"status {self.status!r} with the reason {self.reason!r}",
                required="done, censored, or failed with a reason",
                why="a trial that did not reach its threshold is kept, and says so",
                advice=f"one of {', '.join(map(repr, STATUSES))}",
            )


def trial_seed(role: str, spec: Mapping[str, Any], fields: tuple[str, ...] = ()) -> np.random.SeedSequence:
    """Return the seed of one role of a trial: SHA-256 of the canonical text of the role and the specification.

    Parameters
    ----------
    role : what is drawn, such as ``world``, ``train``, ``weights``, ``test``.
    spec : the trial.
    fields : the only fields that enter, so that arms share what is drawn; all of them if empty.

    Examples
    --------
    >>> arms = ({"N": 4, "arm": "descent"}, {"N": 4, "arm": "adamw"})
    >>> len({trial_seed("world", spec, ("N",)).entropy for spec in arms})
    1
    >>> len({trial_seed("weights", spec).entropy for spec in arms})
    2
    """
    import numpy as np

    note(role)
    keyed = {name: spec[name] for name in fields} if fields else dict(spec)
    text = canonical([role, keyed, salt()] if salt() else [role, keyed])
    return np.random.SeedSequence(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))


def torch_generator(seed: np.random.SeedSequence, bits: int = 63, device: str = "cpu") -> torch.Generator:
    """Return torch's generator at the first 63 bits of a seed, or at its first 32: what records were drawn with."""
    import numpy as np
    import torch

    dtype, spare = (np.uint64, 1) if bits == 63 else (np.uint32, 0)
    return torch.Generator(device=device).manual_seed(int(seed.generate_state(1, dtype)[0]) >> spare)


def trial_generator(role: str, spec: Mapping[str, Any], bits: int = 63) -> torch.Generator:
    """Return the generator of one role of a trial, keyed by its whole specification."""
    return torch_generator(trial_seed(role, spec), bits)
