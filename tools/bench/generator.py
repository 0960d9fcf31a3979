"""The statements of a seed: every claim's near misses that have a witness and its rewordings, and a draw from them.

What one claim gives depends on the seed and the claim alone, so that a part of the bench can be made again by itself.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Evidence
from theorytools.claims.papers.catalogue import Entry
from theorytools.claims.papers.loading import load
from tools.bench.mutations import KINDS as FALSE_KINDS
from tools.bench.mutations import Mutant, mutants
from tools.bench.remembered import remembered
from tools.bench.rewordings import KINDS as TRUE_KINDS
from tools.bench.rewordings import rewordings
from tools.bench.statement import Statement
from tools.bench.witness import Place, excluded, find, places

EACH = 1  # near misses of one kind that an assertion gives, so that every claim has its share
TRIES = 4  # mutants of one kind of one assertion for which a witness is looked for
MANY = 16  # of both, where something is sampled: few of those claims have a closed form


def suited(claim: Claim) -> bool:
    """Whether statements are made from a claim: meant to hold, and judged afresh rather than from a record."""
    return claim.expect == "HOLDS" and claim.tier == "seconds"


def key_of(seed: int, text: str) -> int:
    """A number drawn for a text by the seed."""
    return int.from_bytes(hashlib.sha256(f"{seed}|{text}".encode()).digest()[:8], "big")


def pool(claim: Claim, id: str, seed: int) -> list[Statement]:
    """Return every statement that a claim gives for a seed.

    Parameters
    ----------
    claim, id : the claim and its id.
    seed : a natural number.

    Returns
    -------
    list : near misses, each with its witness, and rewordings.
    """
    known = remembered(claim)
    measured = places(known, id)
    found: list[Statement] = []
    for index, assertion in enumerate(known.assertions):
        rows = [place.rows[assertion.name] for place in measured]
        grade = min((row.evidence for row in rows), default=Evidence.FITTED)
        if assertion.sloped or grade is Evidence.FITTED or not all(row.truth for row in rows):
            continue
        power = min((row.power for row in rows if row.power is not None), default=None)
        rng = random.Random(key_of(seed, f"{id}|{index}"))
        for made in rewordings(known, assertion, grade, rng):
            found.append(Statement(id, index, made, grade.name.lower(), power))
        found += _false(known, id, seed, index, assertion, measured, grade.name.lower(), power)
    return found


def _false(
    claim: Claim, id: str, seed: int, index: int, honest: Assertion, measured: Sequence[Place], grade: str,
    power: float | None,
) -> Iterator[Statement]:  # fmt: skip
    kinds: dict[str, list[Mutant]] = {}
    for mutant in mutants(claim, honest):
        kinds.setdefault(mutant.kind, []).append(mutant)
    each, tries = (MANY, MANY) if grade == "sampled" else (EACH, TRIES)
    for own in kinds.values():
        count = 0
        for mutant in sorted(own, key=lambda m: key_of(seed, f"{id}|{index}|{m.kind}|{m.change}"))[:tries]:
            if count == each:
                break
            witness = find(claim, id, honest, mutant, measured)
            if witness is not None:
                beyond = mutant.dropped is None and excluded(claim, honest, mutant.assertion, measured)
                yield Statement(id, index, mutant, grade, power, witness, beyond)
                count += 1


def drawn(statements: Iterable[Statement], seed: int, count: int) -> list[Statement]:
    """Return ``count`` statements, the kinds in turn, each kind in the order of the seed; fewer if there are fewer.

    Of each kind, what is sampled takes a turn of its own: there is less of it.
    """
    kinds: dict[tuple[str, bool], list[Statement]] = {
        (kind, drawn): [] for kind in (*FALSE_KINDS, *TRUE_KINDS) for drawn in (True, False)
    }
    for statement in statements:
        kinds[statement.kind, statement.grade == "sampled"].append(statement)
    for own in kinds.values():
        own.sort(key=lambda s: key_of(seed, s.key), reverse=True)
    chosen: list[Statement] = []
    while len(chosen) < count and any(kinds.values()):
        for own in kinds.values():
            if own and len(chosen) < count:
                chosen.append(own.pop())
    return chosen


Progress = Callable[[int, int], None] | None


def generated(
    entries: Sequence[Entry], seed: int, count: int, progress: Progress = None, *, first: Container[str] = ()
) -> list[Statement]:
    """Return ``count`` false statements and ``count`` rewordings from the claims of these entries.

    The claims are taken in an order that the seed draws, until there are enough statements of both sorts.

    Parameters
    ----------
    entries : whose claims are used.
    seed : a natural number; the statements are a function of it and of the claims.
    count : of each.
    progress : called with (statements, count) after each claim.
    first : ids of claims that are taken before the others, however many statements there are.
    """
    every: list[Statement] = []
    for entry in sorted(entries, key=lambda entry: (entry.id not in first, key_of(seed, entry.id))):
        claim = load(entry)
        if suited(claim):
            every += pool(claim, entry.id, seed)
        least = min(sum(s.false for s in every), sum(not s.false for s in every))
        if progress is not None:
            progress(min(least, count), count)
        if least >= count and entry.id not in first:
            break
    false = drawn((s for s in every if s.false), seed, count)
    return false + drawn((s for s in every if not s.false), seed, count)
