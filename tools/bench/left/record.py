"""The record of the bench of the left side: counts by kind, by column and by what caught a draft, and every pair."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.errors import RecordError
from theorytools.files import read_json
from tools import evidence
from tools.bench.left.kinds import KINDS
from tools.bench.left.score import ALONE, BOTH, COLUMNS, JUDGE, Found, PairScore

SCHEMA = "theorytools.bench-left/1"
PARTS = {"schema", "seed", "count", "kinds", "made", "summary", "demands", "pairs"}
CAUGHT, ANCHORED, ALARMS = 0.8, 0.9, 0.02  # of wrong drafts at least, alone and with anchors; of true ones at most


def counted(scores: Sequence[PairScore]) -> dict[str, Any]:
    """Return how many wrong drafts every column caught, and how many twins it rejected; what was left open apart."""
    return {
        "pairs": len(scores), "caught": {c: sum(s.wrong.caught[c] for s in scores) for c in COLUMNS},
        "alarms": {c: sum(s.twin.caught[c] for s in scores) for c in COLUMNS},
        "wrong left open": sum(s.wrong.left_open for s in scores),
        "true left open": sum(s.twin.left_open for s in scores),
    }  # fmt: skip


def _by(found: Sequence[Found]) -> dict[str, int]:
    """By what the files were caught: an outcome, or each instrument that remarked."""
    counts: Counter[str] = Counter()
    for one in found:
        if not one.caught[JUDGE]:
            continue
        names = [f"remark: {name}" for name in one.said] if one.outcome == "HOLDS" else [one.outcome]
        counts.update(names)
    return dict(sorted(counts.items()))


def summary(scores: Sequence[PairScore]) -> dict[str, Any]:
    """Return the counts in all and by kind, what caught the wrong drafts, what alarmed at true ones, and the time."""
    kinds = [kind for kind in KINDS if any(s.pair.kind == kind for s in scores)]
    return {
        "all": counted(scores), "kinds": {k: counted([s for s in scores if s.pair.kind == k]) for k in kinds},
        "caught by": _by([s.wrong for s in scores]), "alarms by": _by([s.twin for s in scores]),
        "seconds": round(sum(s.wrong.seconds + s.twin.seconds for s in scores), 1),
    }  # fmt: skip


def demands(summed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what is demanded: how many drafts are caught, how few true ones are, and that the pairs are what they say.

    A true draft that the comparison alone rejects would be no mended one.
    """
    own = summed["all"]
    total, caught, alarms = own["pairs"], own["caught"], own["alarms"]
    least = [("wrong drafts caught", CAUGHT, caught[JUDGE]), ("with two anchors", ANCHORED, caught[BOTH])]
    most = [("true drafts rejected", ALARMS, alarms[JUDGE]), ("by comparison alone", 0, alarms[ALONE])]
    return [
        *({"what": f"{what}: at least {share:.0%}", "found": found, "of": total, "met": found >= share * total}
          for what, share, found in least),
        *({"what": f"{what}: at most {share:.0%}", "found": found, "of": total, "met": found <= share * total}
          for what, share, found in most),
    ]  # fmt: skip


def record_of(
    seed: int, count: int, kinds: Sequence[str], scores: Sequence[PairScore], made: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the record of a run: the pairs of ``seed``, ``count`` and ``kinds`` can be made again."""
    summed = summary(scores)
    return {
        "schema": SCHEMA, "seed": seed, "count": count, "kinds": list(kinds), "made": dict(made), "summary": summed,
        "demands": demands(summed), "pairs": [brief(score) for score in scores],
        "tree": evidence.tree_of(modules=evidence.imported_by("tools/bench")),
    }  # fmt: skip


def brief(score: PairScore) -> dict[str, Any]:
    """Return a pair as the record keeps it: a letter for each column, ``c`` where the file was caught."""
    pair, w = score.pair, score.pair.witness
    at = ",".join(f"{name}={text}" for name, text in w.point.items())
    return {
        "kind": pair.kind, "base": pair.base.name, "sha": digest(pair.wrong.text), "route": w.route, "at": at,
        "named": w.named, "other": w.other, "wrong": _brief(score.wrong), "true": _brief(score.twin),
    }  # fmt: skip


def _brief(found: Found) -> dict[str, Any]:
    letters = "".join("c" if found.caught[column] else "-" for column in COLUMNS)
    return {"out": found.outcome, "columns": letters} | ({"said": list(found.said)} if found.said else {})


def digest(text: str) -> str:
    """Eight hexadecimal digits of a text, by which a draft made again is compared."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def checked_record(data: Any) -> Mapping[str, Any]:
    """Return a record that has been read, if it is one.

    Raises
    ------
    RecordError : another schema, or a part that is missing.
    """
    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA or not data.keys() >= PARTS:
        raise RecordError("a record of another kind", required=f"{SCHEMA} with {', '.join(sorted(PARTS))}",
                          advice="python -m tools.bench --left --record FILE makes one")  # fmt: skip
    return data


def frozen(folder: Path) -> Mapping[str, Any] | None:
    """Return the newest record ``bench-left-v*.json`` of a folder; None where there is none that can be read."""
    for path in sorted(folder.glob("bench-left-v*.json"), reverse=True):
        try:
            return checked_record(read_json(path))
        except (OSError, ValueError, RecordError):
            continue
    return None


HEADS = ("kind of slip", "wrong", *COLUMNS, "left open", "true", "false alarms", "left open")


def tables(record: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """Return the tables of a record, heads first: caught by kind, false alarms by column, by what, and the demands."""
    summed = record["summary"]
    kinds = [list(HEADS), _line("all", summed["all"]), *(_line(name, part) for name, part in summed["kinds"].items())]
    columns = [["of the same files", "wrong", "caught", "true", "rejected"]]
    own = summed["all"]
    columns += [[c, *map(str, (own["pairs"], own["caught"][c], own["pairs"], own["alarms"][c]))] for c in COLUMNS]
    by = [["what caught it", "wrong drafts", "true drafts"]]
    for name in sorted({**summed["caught by"], **summed["alarms by"]}):
        by.append([name, *(str(summed[part].get(name, 0)) for part in ("caught by", "alarms by"))])
    demanded = [["demand", "found", "of", "met"]]
    demanded += [[d["what"], str(d["found"]), str(d["of"]), "yes" if d["met"] else "no"] for d in record["demands"]]
    return {"kinds": kinds, "columns": columns, "by": by, "demands": demanded}


def _line(name: str, part: Mapping[str, Any]) -> list[str]:
    caught = [str(part["caught"][column]) for column in COLUMNS]
    counts = (part["wrong left open"], part["pairs"], part["alarms"][JUDGE], part["true left open"])
    return [name, str(part["pairs"]), *caught, *map(str, counts)]
