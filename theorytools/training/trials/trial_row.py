"""One acknowledged trial, as a store keeps it and as tables show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from theorytools.arguments.checked import checked


@checked
@dataclass(frozen=True)
class Row:
    """One acknowledged trial.

    Parameters
    ----------
    key : the digest of the specification.
    spec, result : as they were stored; a Fraction comes back as its string ``"p/q"``.
    status, reason : ``"done"``, ``"censored"`` or ``"failed"``, and why.
    provenance : versions, processor, threads and what the runner added.
    seconds : what the trial took where it ran (for one of a group: since the group's previous result).
    created : when it was acknowledged, UTC.
    """

    key: str
    spec: Mapping[str, Any]
    status: str
    result: Mapping[str, Any]
    reason: str
    provenance: Mapping[str, Any]
    seconds: float
    created: str
