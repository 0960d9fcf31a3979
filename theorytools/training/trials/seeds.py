"""Seeds of trials that are no :class:`~theorytools.training.experiment.Experiment`: keyed by role and chosen fields."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from theorytools.training.trials.trial import canonical


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
    keyed = {name: spec[name] for name in fields} if fields else dict(spec)
    return np.random.SeedSequence(int.from_bytes(hashlib.sha256(canonical([role, keyed]).encode()).digest(), "big"))
