"""Seeds keyed by what is drawn: (check, axes, role), hashed; never a counter, never the clock."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def canonical(data: object) -> str:
    """Return the canonical JSON text: sorted keys, no spaces, no NaN."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)


def seed_sequence(check: str, axes: Mapping[str, int | Fraction | str], role: str) -> np.random.SeedSequence:
    """Return the ``SeedSequence`` of one role at one point of one check file.

    The key is the check *file*, so that a published statement and its repair meet the same objects; derived
    values never enter.
    """
    import numpy as np

    text = canonical([check, {name: str(value) for name, value in axes.items()}, role])
    return np.random.SeedSequence(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))
