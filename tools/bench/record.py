"""The score of a bench: tables, errors first, what is demanded, and the record that a release freezes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.errors import RecordError
from theorytools.files import read_json
from tools import evidence
from tools.bench.mutations import HORIZONS, Mutant
from tools.bench.statement import Score

SCHEMA = "theorytools.bench/1"
GRADES = ("exact", "enclosed", "sampled", "observed")
STRONG = ("exact", "enclosed")
PRINTED = 1.01  # the least power that a verdict prints
SAMPLED_SHARE = 0.01


def counted(scores: Iterable[Score]) -> dict[str, Any]:
    """Return how many of these statements were judged wrongly, left open and judged rightly, and the time.

    ``wrong`` counts what was accepted of the false, and what was rejected of the true.
    """
    every = list(scores)
    false = [s for s in every if s.statement.false]
    true = [s for s in every if not s.statement.false]
    return {
        "false": len(false), "accepted": sum(s.accepted for s in false), "true": len(true),
        "rejected": sum(s.word == "rejected" for s in true), "undecided": sum(s.word == "undecided" for s in every),
        "seconds": round(sum(s.seconds for s in every), 1),
    }  # fmt: skip


def visible(score: Score) -> bool:
    """Whether a false statement is false at the claim's own grid, or excluded by the printed power."""
    witness = score.statement.witness
    return witness is not None and (witness.grid or score.statement.excluded)


def demands(scores: Sequence[Score], handmade: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what is demanded of the judge, by how much it is met, and whether it is.

    Returns
    -------
    list : for each demand ``what``, ``found``, ``of`` and ``met``, which is None where there was nothing to try.
    """
    false = [s for s in scores if s.statement.false]
    strong = [s for s in false if s.statement.grade in STRONG and visible(s)]
    printed = [s for s in strong if s.statement.power == PRINTED]
    drawn = [s for s in false if s.statement.grade == "sampled" and visible(s)]
    sampled = [s for s in drawn if s.statement.excluded]
    traps = [s for s in false if s.named is not None]
    seen = [one for one in handmade if one["seen"]]
    made = [
        ("exact and enclosed statements of power 1.01, false at the grid: accepted", printed, 0.0),
        ("exact and enclosed statements of any power, false at the grid: accepted", strong, 0.0),
        ("sampled statements that the printed power excludes: accepted", sampled, SAMPLED_SHARE),
        ("sampled statements of any power, false at the grid: accepted", drawn, SAMPLED_SHARE),
    ]  # fmt: skip
    found = [
        {"what": what, "found": sum(s.accepted for s in some), "of": len(some),
         "met": sum(s.accepted for s in some) <= share * len(some) if some else None}
        for what, some, share in made
    ]  # fmt: skip
    passed = [one for one in handmade if one["outcome"] == "HOLDS"]
    silent = sum(not s.named for s in traps) + sum(not one["named"] for one in passed)
    found.append({"what": "accepted horizon traps whose verdict does not name the horizon", "found": silent,
                  "of": len(traps) + len(passed), "met": silent == 0 if traps or passed else None})  # fmt: skip
    wrong = sum(one["outcome"] == "HOLDS" for one in seen)
    found.append({"what": "statements made by hand, false where they are tested: accepted", "found": wrong,
                  "of": len(seen), "met": wrong == 0 if seen else None})  # fmt: skip
    return found


def summary(scores: Sequence[Score]) -> dict[str, Any]:
    """Return the counts in all, by evidence, by kind, by where a false statement fails, and of every baseline."""
    false = [s for s in scores if s.statement.false]
    kinds = list(dict.fromkeys(s.statement.kind for s in scores))
    return {
        "all": counted(scores),
        "evidence": {g: counted(s for s in scores if s.statement.grade == g) for g in GRADES},
        "kinds": {k: counted(s for s in scores if s.statement.kind == k) for k in kinds},
        "traps": {str(f): counted(s for s in scores if _factor(s) == f) for f in HORIZONS},
        "seen": {
            "false at the grid": counted(s for s in false if visible(s)),
            "false beside the grid": counted(s for s in false if not visible(s)),
            "of these found by the search": sum(s.searched for s in false if not visible(s)),
        },
        "baselines": _baselines(scores),
    }


def _factor(score: Score) -> int:
    """Of a horizon trap N_0 over the largest size of the grid; else 0."""
    made = score.statement.made
    return made.factor if isinstance(made, Mutant) else 0


def _baselines(scores: Sequence[Score]) -> dict[str, Any]:
    """Of every baseline, and of the judge on the same statements, errors first."""
    names = dict.fromkeys(name for s in scores for name in s.baselines)
    found = {}
    for name in names:
        own = [s for s in scores if name in s.baselines]
        on_grid = [s for s in own if visible(s)]
        found[name] = {
            "false": len(on_grid), "accepted": sum(s.baselines[name] for s in on_grid),
            "judge accepted": sum(s.accepted for s in on_grid),
            "true": sum(not s.statement.false for s in own),
            "rejected": sum(not s.statement.false and not s.baselines[name] for s in own),
            "judge rejected": sum(not s.statement.false and s.word == "rejected" for s in own),
        }  # fmt: skip
    return found


def record_of(
    seed: int, count: int, scores: Sequence[Score], handmade: Sequence[Mapping[str, Any]], made: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the record: the score, the demands, and every statement compactly, by claim.

    Parameters
    ----------
    seed, count : from which the statements can be made again.
    scores : of the generated statements.
    handmade : the scores of those made by hand.
    made : commit, versions and the like.
    """
    claims: dict[str, list[Any]] = {}
    for score in scores:
        claims.setdefault(score.statement.claim, []).append(score.brief())
    return {
        "schema": SCHEMA, "seed": seed, "count": count, "made": dict(made), "summary": summary(scores),
        "demands": demands(scores, handmade), "handmade": list(handmade), "statements": dict(sorted(claims.items())),
        "tree": evidence.tree_of(claims),
    }  # fmt: skip


def checked_record(data: Any) -> Mapping[str, Any]:
    """Return a record that has been read, if it is one.

    Raises
    ------
    RecordError : another schema, or a part that is missing.
    """
    parts = {"schema", "seed", "count", "made", "summary", "demands", "handmade", "statements"}
    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA or not parts <= data.keys():
        raise RecordError("a record of another kind", required=f"{SCHEMA} with {', '.join(sorted(parts))}",
                          advice="python -m tools.bench --record FILE makes one")  # fmt: skip
    return data


def frozen(folder: Path) -> Mapping[str, Any] | None:
    """Return the newest record ``bench-v*.json`` of a folder; None where there is none that can be read."""
    for path in sorted(folder.glob("bench-v*.json"), reverse=True):
        try:
            return checked_record(read_json(path))
        except (OSError, ValueError, RecordError):
            continue
    return None


HEADS = ("", "false", "accepted", "true", "rejected", "undecided")


def tables(record: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """Return the tables of a record, heads first: the score, the baselines and the demands.

    Examples
    --------
    >>> tables({"summary": summary([]), "demands": []})["score"][0][:3]
    ['', 'false', 'accepted']
    """
    summed = record["summary"]
    score = [list(HEADS), _line("all", summed["all"])]
    score += [_line(f"evidence {name}", part) for name, part in summed["evidence"].items() if _any(part)]
    score += [_line(name, summed["seen"][name]) for name in ("false at the grid", "false beside the grid")]
    score += [_line(name, part) for name, part in summed["kinds"].items()]
    score += [
        _line(f"trap from {factor} times the largest size", part) for factor, part in summed.get("traps", {}).items()
    ]
    base = [["baseline, on the same statements", "false", "it accepted", "the judge did", "true", "it rejected",
             "the judge did"]]  # fmt: skip
    for name, part in summed["baselines"].items():
        keys = ("false", "accepted", "judge accepted", "true", "rejected", "judge rejected")
        base.append([name, *(str(part[key]) for key in keys)])
    demanded = [["demand", "found", "of", "met"]]
    for d in record["demands"]:
        met = {True: "yes", False: "no", None: "not tried"}[d["met"]]
        demanded.append([d["what"], str(d["found"]), str(d["of"]), met])
    return {"score": score, "baselines": base, "demands": demanded}


def aligned(tables: Mapping[str, Sequence[Sequence[str]]]) -> str:
    """Return tables for a terminal, every column as wide as its widest cell.

    Examples
    --------
    >>> print(aligned({"one": [["a", "b"], ["long", "c"]]}), end="")
    a     b
    long  c
    """
    parts = []
    for rows in tables.values():
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        parts.append("\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
                               for row in rows))  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _any(part: Mapping[str, Any]) -> bool:
    return bool(part["false"] or part["true"])


def _line(name: str, part: Mapping[str, Any]) -> list[str]:
    return [name, *(str(part[key]) for key in HEADS[1:])]
