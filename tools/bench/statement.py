"""One statement of the bench: of which claim, what was changed, whether it is false, and why."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from theorytools.claims.language.claim import Claim
from tools.bench.mutations import Mutant
from tools.bench.rewordings import Reworded, alone, reworded_claim, with_assertion
from tools.bench.witness import Witness


@dataclass(frozen=True)
class Statement:
    """A near miss that is false, or a rewording that says what the claim says.

    Parameters
    ----------
    claim : the claim's id.
    index : which of its assertions.
    made : the mutant, or the rewording.
    grade : the evidence of the claim's own rows for this assertion, in small letters.
    power : the printed power of the assertion, or None.
    witness : of a false one, why it is false.
    excluded : whether the printed power excludes it.
    """

    claim: str
    index: int
    made: Mutant | Reworded
    grade: str
    power: float | None
    witness: Witness | None = None
    excluded: bool = False

    @property
    def false(self) -> bool:
        """Whether this is a near miss."""
        return self.witness is not None

    @property
    def kind(self) -> str:
        """The kind of change."""
        return self.made.kind

    @property
    def change(self) -> str:
        """What was changed, in a few characters."""
        return self.made.change if isinstance(self.made, Mutant) else ""

    @property
    def key(self) -> str:
        """What tells this statement from every other one."""
        return f"{self.claim}|{self.index}|{self.kind}|{self.change}"

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits of the formula, by which a statement made again is compared."""
        return hashlib.sha256(self.made.assertion.name.encode()).hexdigest()[:8]

    def claim_of(self, base: Claim) -> Claim:
        """Return the claim as somebody would have written it who believes this statement."""
        honest = base.assertions[self.index]
        base = alone(base, honest, sampled=self.grade == "sampled")
        if isinstance(self.made, Reworded):
            return reworded_claim(base, honest, self.made)
        if self.made.dropped is not None:
            rest = [c for i, c in enumerate(base.requires) if i != self.made.dropped]
            return replace(base, requires=rest, uses=())
        return with_assertion(base, honest, self.made.assertion)


@dataclass(frozen=True)
class Score:
    """What became of a statement.

    Parameters
    ----------
    statement : which.
    outcome : the verdict's outcome.
    named : of an accepted trap, whether the verdict says that its letter was tested to less than where it turns false.
    searched : whether the search beside the grid refuted it.
    baselines : by name whether each baseline accepts it; those that do not apply are left out.
    seconds : processor time of the verdict, its measurements remembered.
    """

    statement: Statement
    outcome: str
    named: bool | None = None
    searched: bool = False
    baselines: Mapping[str, bool] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def accepted(self) -> bool:
        """Whether the statement passed."""
        return self.outcome == "HOLDS"

    @property
    def word(self) -> str:
        """Accepted, rejected or undecided."""
        return {"HOLDS": "accepted", "REFUTED": "rejected", "WITNESS FAILS": "rejected"}.get(self.outcome, "undecided")

    def brief(self) -> dict[str, Any]:
        """Return the score as the record keeps it."""
        made, w = self.statement, self.statement.witness
        found: dict[str, Any] = {"i": made.index, "kind": made.kind, "sha": made.digest, "out": self.outcome[0]}
        if made.change:
            found["change"] = made.change
        if w is not None:
            at = ",".join(f"{name}={text}" for name, text in w.point.items())
            found |= {"at": at, "route": w.route, "left": w.left[:40], "right": w.right[:40]}
            found |= {name: 1 for name, flag in (("beside", not w.grid), ("excluded", made.excluded)) if flag}
        if self.named is not None:
            found["named"] = int(self.named)
        if self.searched:
            found["searched"] = 1
        return found | {"base": "".join("ar"[not ok] for ok in self.baselines.values())}
