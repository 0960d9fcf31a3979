"""``reseed``: claims that draw, judged again under other seeds, rows and controls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from theorytools.claims.judging.reseed import STATES, Reseeded, reseeded
from theorytools.claims.judging.run import one_thread
from theorytools.claims.language import TIERS
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import load
from theorytools.cli.answers import answer
from theorytools.cli.claims_asked import asked_claims
from theorytools.cli.formats import UNDECIDED, UNEXPECTED, among, wrapped
from theorytools.mistakes.door import explaining
from theorytools.progress import shown, talking

_SAID = {
    "refuted": "refuted",
    "undecided": "undecided",
    "error": "an error",
    "outside": "a point outside the hypotheses",
}


def reseed_command(ids: Sequence[str], *, salts: int, tier: str, checks: Path | None, json: bool) -> int:
    """Judge the claims named, or all of the user's, under ``salts`` other seeds; return the exit code.

    What was done is told where it is interrupted, too.
    """
    among("--tier", tier, TIERS, "it is the slowest tier to run")
    catalogue = Catalogue(find_roots(checks))
    everything = not ids or list(ids) == ["all"]
    entries = asked_claims(catalogue, () if everything else ids)
    found: list[Reseeded] = []
    others = 0
    try:
        with talking(), shown("claims") as progress, one_thread():
            for done, entry in enumerate(entries, 1):
                with explaining(entry):
                    claim = load(entry)
                if TIERS.index(claim.tier) <= TIERS.index(tier):
                    found.append(reseeded(claim, entry.id, [str(k) for k in range(1, salts + 1)]))
                else:
                    others += 1
                if progress is not None:
                    progress(done, len(entries))
    except KeyboardInterrupt:
        _tell(found, salts, others, json)
        raise
    return _tell(found, salts, others, json)


def _tell(found: Sequence[Reseeded], salts: int, others: int, json: bool) -> int:
    """Print what was found; return the exit code."""
    states = [one.state for one in found]
    code = UNEXPECTED if "changed" in states else UNDECIDED if "undecided" in states else 0
    if json:
        answer("reseed", {"salts": salts, "slower": others, "claims": [one.to_json() for one in found]}, code)
        return code
    drawing = [one for one in found if one.roles]
    for one in drawing:
        for line in _lines(one, salts):
            print(line)
    moved = [one for one in drawing if one.state != "same"]
    weak = [one for one in drawing if one.weak]
    total = (
        f"{len(drawing)} of {len(found)} claims draw; under {salts} other seeds the rows of {len(moved)} change, "
        f"and of {len(weak)} some control is not rejected under its share"
    )
    print(wrapped(total + (f"; {others} of a slower tier were left out" if others else "")))
    return code


def _lines(one: Reseeded, salts: int) -> list[str]:
    """The lines of one claim: a single one where no salt changes anything."""
    lines = []
    for state in STATES:
        seen = one.of(state)
        if seen and not (state == "refuted" and one.expect == "REFUTED"):
            at = ", ".join(f"{name}={value}" for name, value in seen[0].at.items())
            where = f"seed {seen[0].salt}" + (f" at {at}" if at else "")
            lines.append(wrapped(f"{_SAID[state]} under {len(seen)} of {salts} seeds; {where}: {seen[0].text}", 2))
    if one.expect == "REFUTED" and len(one.of("refuted")) < salts:
        lines.append(wrapped(f"refuted under {len(one.of('refuted'))} of {salts} seeds, and expected to be", 2))
    for name, (worked, first) in one.weak.items():
        if first:
            lines.append(wrapped(
                f"the control '{name}' does its work under {worked} of {salts} seeds; seed {first.salt}: "
                f"{first.state}{f', {first.text}' if first.text else ''}", 2))  # fmt: skip
    return [f"{one.id}: {one.state}", *lines]
