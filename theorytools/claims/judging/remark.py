"""A remark on a verdict: what an instrument found about the check itself, beside what its rows say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from theorytools.meaning import remark_text


@dataclass(frozen=True)
class Remark:
    """What the trial of a check found.

    Parameters
    ----------
    instrument : which one found it, in one or two words (``"floats"``, ``"seeds"``, ``"more draws"``).
    text : what is wrong, in one sentence with its numbers.
    line : where, ``"lemma_3.py, line 17"``; empty where it is the claim as a whole.
    advice : what to do.

    Examples
    --------
    >>> print(Remark("spoils", "the measurement is always 0", advice="measure the object"))
    spoils: the measurement is always 0; measure the object
    """

    instrument: str
    text: str
    line: str = ""
    advice: str = ""

    def to_json(self) -> dict[str, str]:
        """Return the JSON form."""
        return {"instrument": self.instrument, "text": self.text, "line": self.line, "advice": self.advice}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Remark:
        """Return the remark of its JSON form."""
        return cls(data["instrument"], data["text"], data.get("line", ""), data.get("advice", ""))

    def __str__(self) -> str:
        return remark_text(self.to_json())
