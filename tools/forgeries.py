"""Forge stored verdicts at random, seal them again, and count what the independent checker would let pass.

``python -m tools.forgeries FOLDER --count 10000 --record reports/recheck.json``.  A forgery changes one thing of one
verdict, by one of the kinds in ``tools.forgers``: a number or a word alone, or what the verdict says of its claim, with
all that follows from it: controls, hypotheses, points, letters, scope, evidence, error probability, id, expectation.
What the forger may do: write every byte of the verdict, knowing the checker and the statements.  What the forger may
not: write ``reports/statements.json``.

Each is tried three times: as it is, where the digest alone gives it away; sealed again, without the statements; and
sealed again, held against them.  It is let pass where it is not contradicted.  What is only shown (LaTeX, times,
versions) is never forged.  A formula is forged by one of its numbers, unless every stored row gives both one value.

One kind is a consistent forgery of a measured side: its ends, and what follows from them.  No checker that takes
measured ends as they stand can tell it where the outcome stays as it was, so it is counted apart.  Which forgeries are
of this kind is read from the two files alone (``follows``).  An end whose numerator of thirty digits is moved by one,
so that no double that is shown changes, is one of them.  It is none where the fraction is then not in lowest terms,
since such an end is never written, or where no double shows the end.  Verdicts that the checker has no arithmetic for
are forged too, and counted by themselves.
"""

import argparse
import copy
import datetime
import hashlib
import json
import math
import platform
import random
import time
from collections import Counter
from pathlib import Path

from theorytools import recheck
from tools.forgers import APART, KINDS, Unchanged, follows


def sealed(verdict):
    """The verdict with the digest of its content."""
    text = json.dumps({k: x for k, x in verdict.items() if k != "digest"}, sort_keys=True, separators=(",", ":"))
    return {**verdict, "digest": hashlib.sha256(text.encode()).hexdigest()}


def forged(rng, verdicts):
    """A kind, an honest verdict and its forgery; None where this one has nothing of the kind."""
    kind, honest = rng.choice(list(KINDS)), rng.choice(verdicts)
    false = copy.deepcopy(honest)
    try:
        KINDS[kind](rng, false)
        if false == honest or (kind == "formula" and equal_formulas(honest, false)):
            return None  # as 2*N/2 and 3*N/3: another text of one value at every stored point
    except (Unchanged, NotImplementedError, AssertionError):  # nothing there, or nothing that the forger can complete
        return None
    alone = "outcome turned" if kind == APART else kind  # an end that was moved so far that more than ends differ
    return (APART if follows(honest, false) else alone), honest, false


def judged(verdicts, statements, count, seed):
    """What became of the forgeries: by kind how many were made, let pass without the statements, and with them."""
    rng, made, alone, passed, examples = random.Random(seed), Counter(), Counter(), Counter(), []
    while sum(made.values()) < count:
        if (found := forged(rng, verdicts)) is None:
            continue
        kind, honest, false = found
        made[kind] += 1
        assert recheck.examined(false)["state"] == "contradicted", (kind, honest["id"])
        false = false if kind == "digest" else sealed(false)
        alone[kind] += recheck.examined(false)["state"] != "contradicted"
        if recheck.examined(false, statements)["state"] != "contradicted":
            passed[kind] += 1
            examples.append([kind, honest["id"]])
    return made, alone, passed, examples


def equal_formulas(honest, forged):
    """Whether the right sides of all rows have one value, so that no stored row speaks of the change."""
    a, b = recheck._Judge(honest), recheck._Judge(forged)
    try:
        for row in honest["rows"]:
            old, new = (j.place(row, 384).of(j.stated[row["control"]][row["assertion"]]["bound"]) for j in (a, b))
            if old.low > new.high or new.low > old.high:
                return False
    except NotImplementedError:
        return True
    return True


def share(verdicts, found):
    """How many exact and enclosed rows of the claims that run in seconds have a right side that is confirmed."""
    strong, rows, sides = ("EXACT", "ENCLOSED"), 0, 0
    for verdict, one in zip(verdicts, found, strict=True):
        if verdict.get("tier") == "seconds":
            rows += sum(row["evidence"] in strong for row in verdict["rows"])
            sides += sum(one["sides"].get(word, 0) for word in strong)
    return {"rows": rows, "right sides": sides, "share": math.floor(10_000 * sides / rows) / 10_000}


def by_kind(made, alone, passed):
    return {k: {"made": made[k], "without statements": alone[k], "confirmed": passed[k]} for k in KINDS if made[k]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--statements", type=Path, default=Path("reports/statements.json"))
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--record", type=Path)
    given = parser.parse_args()
    folder = given.folder / "verdicts" if (given.folder / "verdicts").is_dir() else given.folder
    begun, spent = time.perf_counter(), time.process_time()
    statements = recheck.read_statements(given.statements)
    verdicts = [recheck.read(path) for path in sorted(folder.glob("*.json")) if "@" not in path.name]
    found = [recheck.examined(v, statements) for v in verdicts]
    seconds, spent = time.perf_counter() - begun, time.process_time() - spent
    states = {s: [v for v, one in zip(verdicts, found, strict=True) if one["state"] == s]
              for s in ("confirmed", "not expressible")}  # fmt: skip
    made, alone, passed, examples = judged(states["confirmed"], statements, given.count, given.seed)
    silent = judged(states["not expressible"], statements, given.count // 20, given.seed)
    record = {
        "schema": "theorytools.recheck/1", "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(), "seconds for all": round(seconds, 1),
        "of a processor": round(spent, 1),
        "claims": dict(Counter(f["state"] for f in found)), "rows": sum(f["rows"] for f in found),
        "statements": hashlib.sha256(given.statements.read_bytes()).hexdigest(),
        "right sides": sum(sum(f["sides"].values()) for f in found),
        "exact and enclosed rows of claims that run in seconds": share(verdicts, found),
        "not expressible": {f["id"]: f["why"] for f in found if f["state"] == "not expressible"},
        "the forger": "writes every byte of a verdict and seals it again, but not the file of statements",
        "forgeries": by_kind(made, alone, passed), "seed": given.seed,
        "confirmed that change the meaning": sum(n for k, n in passed.items() if k != APART),
        "confirmed examples": [e for e in examples if e[0] != APART][:20],
        "of verdicts that are not expressible, not contradicted": by_kind(*silent[:3]),
    }  # fmt: skip
    text = json.dumps(record, indent=1) + "\n"
    if given.record:
        given.record.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
