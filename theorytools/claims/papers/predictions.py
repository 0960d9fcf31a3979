"""Which claims are predictions: ``checks/<paper>/predictions.toml``, what the history of the code shows as data.

A claim about trained models is a prediction where the rule that it judges stood in a commit made before the first trial
of the record that it reads; any other is found, whatever its author remembers::

    ["mypaper.lemma_1"]
    record = "growth.corrected"             # checks/mypaper/records/sweeps/growth.corrected.json
    says = ["the exponent is at most 6/5"]  # what the claim judges, word for word from the sweep's rule
    commit = "0123456789abcdef…"            # the first one whose sweep says so
    committed = "2026-11-23T13:35:24+00:00"

The data are the same where there is no repository.  A paper without the file is not asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from theorytools.claims.papers.toml_files import read_toml, require_types
from theorytools.errors import CheckError
from theorytools.files import kept_while_unchanged

FILE = "predictions.toml"


@dataclass(frozen=True)
class Rule:
    """What a claim of the role prediction judges, and since when it stands in the sweep's rule."""

    record: str
    says: tuple[str, ...]
    commit: str
    committed: str


@kept_while_unchanged
def _read(path: Path) -> Mapping[str, Rule]:
    try:
        data = read_toml(path)[1]
        require_types(data, {"*": {"record": str, "says": [str], "commit": str, "committed": str}})
        found = {
            id: Rule(one["record"], tuple(one["says"]), one["commit"], one["committed"]) for id, one in data.items()
        }
        if not all(all(vars(rule).values()) for rule in found.values()):
            raise ValueError("an empty field")
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise CheckError(
            f"{path.name}, which cannot be read ({type(error).__name__}: {error})",
            required="of every claim record, says, commit and committed",
            advice="checks/qstr/predictions.toml has some",
        ) from None  # fmt: skip
    return found


def predictions(folder: Path) -> Mapping[str, Rule] | None:
    """Return the rules of a paper's predictions by the id of the claim, or None where it keeps no such file.

    Raises
    ------
    CheckError : the file is no table of rules.
    """
    path = folder / FILE
    return _read(path) if path.is_file() else None
