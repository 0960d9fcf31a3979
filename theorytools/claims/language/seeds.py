"""Seeds keyed by what is drawn: (check, axes, role), hashed; never a counter, never the clock."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from theorytools.files import canonical
from theorytools.salts import note, salt

if TYPE_CHECKING:
    import numpy as np


def seed_sequence(check: str, axes: Mapping[str, int | Fraction | str], role: str) -> np.random.SeedSequence:
    """Return the ``SeedSequence`` of one role at one point of one check file.

    The key is the check *file*, so that a published statement and its repair meet the same objects; derived
    values never enter.  Where a salt is in force (:func:`~theorytools.salts.salted`) it is a part of
    the key.
    """
    import numpy as np

    note(role)
    key = [check, {name: str(value) for name, value in axes.items()}, role]
    text = canonical([*key, salt()] if salt() else key)
    return np.random.SeedSequence(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))
