"""Forge stored verdicts at random, seal them again, and count what the independent checker would let pass.

``python -m tools.forgeries FOLDER --count 10000 --record reports/recheck.json``.  A forgery changes one thing of one
verdict: a number, a relation, a truth, a control, an outcome, an evidence word, an error probability, a digest, or
drops a row or a control.  Each is tried twice: as it is, where the digest alone gives it away, and sealed again by a
forger who knows how.  It changes the meaning where the forged file, read as data, differs from the honest one in an end
of an interval, a relation, a truth, a mark, an outcome, an evidence word, a power, a probability or a formula; what is
only shown (texts, LaTeX, times, versions) is never forged.  A formula is forged by one of its numbers, unless every
stored row gives both one value.

One kind is a consistent forgery of a measured side: its ends, and what follows from them, the doubles that are shown
and the slack.  No checker that takes measured ends as they stand can tell it where it decides every question as before,
so it is counted apart.  Which forgeries are of this kind is read from the two files alone (``follows``): they differ in
nothing but ends of measured intervals and what follows from those, and all of that follows.  An end whose numerator of
thirty digits is moved by one, so that no double that is shown changes, is one of them.  It is none where the fraction
is then not in lowest terms, since such an end is never written, or where no double shows the end.
"""

import argparse
import copy
import datetime
import hashlib
import json
import math
import platform
import random
import re
import sys
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path

from theorytools import recheck

WORDS = ["FITTED", "OBSERVED", "SAMPLED", "ENCLOSED", "EXACT"]
OUTCOMES = ["HOLDS", "REFUTED", "UNDECIDED", "POWERLESS", "INAPPLICABLE"]


def sealed(verdict):
    """The verdict with the digest of its content."""
    text = json.dumps({k: x for k, x in verdict.items() if k != "digest"}, sort_keys=True, separators=(",", ":"))
    return {**verdict, "digest": hashlib.sha256(text.encode()).hexdigest()}


def other(rng, value, choices):
    return rng.choice([x for x in choices if x != value])


def moved(rng, end):
    """Another end: an exact one moved by a unit or more, another by a thousandth or more, which is shown."""
    if "inf" in end:
        return {"inf": -end["inf"]}
    key = "q" if "q" in end else "d"
    value = int(end[key][0], 16)
    step = rng.choice([1, -1] if key == "q" else [max(1, abs(value) // 1000), -max(1, abs(value) // 3)])
    return {key: [hex(value + step), end[key][1]]}


def estimate_of(rng, row, side=""):
    return row["measured"] if side == "measured" or (not side and rng.random() < 0.5) else rng.choice(row["bound"])


def forge_number(rng, v):
    estimate, name = estimate_of(rng, rng.choice(v["rows"])), rng.choice(["low", "high"])
    estimate[name] = moved(rng, estimate[name])


def _shown(estimate):
    for k, (name, away) in enumerate((("low", -1), ("high", 1))):
        end = recheck._stored(estimate[name])
        if isinstance(end, float) or abs(end) > sys.float_info.max:
            continue
        near = float(end)
        if (Fraction(near) - end) * away < 0:
            near = math.nextafter(near, away * float("inf"))
        estimate["show"][k] = near


def consistent(rng, v, side):
    """Both ends moved alike, with what is shown and the slack."""
    row = rng.choice(v["rows"])
    estimate = estimate_of(rng, row, side)
    factor = rng.choice([Fraction(101, 100), Fraction(99, 100), Fraction(2), Fraction(1, 2)])
    for name in ("low", "high"):
        end = recheck._stored(estimate[name])
        if isinstance(end, float):
            return
        new = end * factor
        estimate[name] = {"q": [hex(new.numerator), hex(new.denominator)]}
    _shown(estimate)
    _slacken(row)


def _slacken(row):
    if row["slack"] is not None:
        m, b = row["measured"], row["bound"]
        small, large = (m, b[-1]) if row["relation"] == "<=" else (b[0], m)
        ends = (large["low"], small["high"]) if row["truth"] else (large["high"], small["low"])
        above, below = map(recheck._stored, ends)
        row["slack"] = float(above / below) if below else None


def forge_bound(rng, v):
    consistent(rng, v, "bound")


def forge_measured(rng, v):
    consistent(rng, v, "measured")


def forge_relation(rng, v):
    part = rng.choice([*v["rows"], *v["plain"]["assertions"]])
    part["relation"] = other(rng, part["relation"], ["<=", ">=", "=="])


def forge_truth(rng, v):
    row = rng.choice(v["rows"])
    name = rng.choice(["truth", "truth", "must_break", "tied"])
    row[name] = other(rng, row[name], [True, False, None] if name == "truth" else [True, False])


def forge_control(rng, v):
    control = rng.choice(v["controls"])
    name = rng.choice(["outcome", "applied", "broken", "repair"])
    words = ["breaks", "holds", "fails", "open", "never applies"]
    control[name] = (
        other(rng, control[name], words) if name == "outcome"
        else not control[name] if name == "repair" else control[name] + rng.choice([1, -1])
    )  # fmt: skip


def forge_digest(rng, v):
    k = rng.randrange(64)
    v["digest"] = v["digest"][:k] + other(rng, v["digest"][k], "0123456789abcdef") + v["digest"][k + 1 :]


def forge_outcome(rng, v):
    name = rng.choice(["outcome", "expect", "as_expected"])
    v[name] = not v[name] if name == "as_expected" else other(rng, v[name], OUTCOMES[: 3 if name == "expect" else 5])


def forge_evidence(rng, v):
    row = rng.choice(v["rows"])
    part = rng.choice([v, row, row["measured"], rng.choice(row["bound"])])
    part["evidence"] = other(rng, part["evidence"], WORDS)


def forge_alpha(rng, v):
    part, name = rng.choice([(v["alpha"], "claim"), (v["alpha"], "spent"), (v["plain"], "alpha")])
    part[name] = part[name] * rng.choice([0.5, 2, 10]) or 1e-7


def forge_power(rng, v):
    row = rng.choice([row for row in v["rows"] if not row["control"]])
    part, name = rng.choice([(v, "power"), (row, "power"), (v["powers"], rng.choice(list(v["powers"])))])
    part[name] = other(rng, part[name], [1.01, 1.05, 1.25, 2.0, 10.0, 100.0, None])


def forge_formula(rng, v):
    """One integer of a right side, moved by one."""
    part = rng.choice(v["plain"]["assertions"])
    places = list(re.finditer(r"(?<!\w)\d+", part["bound"]))
    if places:
        found = rng.choice(places)
        number = str(int(found[0]) + rng.choice([1, 2]))
        part["bound"] = part["bound"][: found.start()] + number + part["bound"][found.end() :]


def drop_row(rng, v):
    v["rows"].pop(rng.randrange(len(v["rows"])))


def drop_control(rng, v):
    name = rng.choice(v["controls"])["name"]
    v["controls"] = [c for c in v["controls"] if c["name"] != name]
    if rng.random() < 0.5:
        v["rows"] = [row for row in v["rows"] if row["control"] != name]


KINDS = {
    "number": forge_number, "right side, consistently": forge_bound, "relation": forge_relation, "truth": forge_truth,
    "control": forge_control, "digest": forge_digest, "outcome": forge_outcome, "evidence": forge_evidence,
    "alpha": forge_alpha, "power": forge_power, "formula": forge_formula, "dropped row": drop_row,
    "dropped control": drop_control, "measured side, consistently": forge_measured,
}  # fmt: skip
APART = "measured side, consistently"


def follows(honest, forged):
    """Whether only measured ends differ, with what follows from them: both doubles that are shown, and the slack."""
    blank = {"low": None, "high": None, "show": None}
    kept = [
        {**v, "digest": "", "rows": [{**r, "slack": 0, "measured": {**r["measured"], **blank}} for r in v["rows"]]}
        for v in (honest, forged)
    ]  # fmt: skip
    if kept[0] != kept[1] or honest["rows"] == forged["rows"]:
        return False
    for old, new in zip(honest["rows"], forged["rows"], strict=True):
        if old != new:
            again = copy.deepcopy(new)
            try:
                low, high = (recheck._stored(new["measured"][name]) for name in ("low", "high"))
                _shown(again["measured"])
                _slacken(again)
            except (AssertionError, ArithmeticError):  # no lowest terms
                return False
            slacks = [again["slack"], new["slack"]]
            near = slacks == [None, None] or (None not in slacks and math.isclose(*slacks, rel_tol=1e-9))
            if low > high or None in new["measured"]["show"] or again["measured"] != new["measured"] or not near:
                return False
    return True


def judged(verdicts, count, seed):
    """What became of the forgeries: by kind how many were made, changed the meaning, and were confirmed."""
    rng, made, passed, examples = random.Random(seed), Counter(), Counter(), []
    while sum(made.values()) < count:
        kind = rng.choice(list(KINDS))
        honest = rng.choice(verdicts)
        forged = copy.deepcopy(honest)
        KINDS[kind](rng, forged)
        if forged == honest:
            continue
        if kind == "formula" and equal_formulas(honest, forged):
            continue  # as 2*N/2 and 3*N/3: another text of one value at every stored point
        drawn, kind = kind, APART if follows(honest, forged) else kind
        made[kind] += 1
        unsealed = recheck.examined(forged)["state"]
        assert unsealed == "contradicted", (kind, honest["id"])
        found = recheck.examined(sealed(forged) if kind != "digest" else forged)
        if found["state"] == "confirmed":
            passed[kind] += 1
            examples.append([kind, honest["id"], drawn])
    return made, passed, examples


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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--record", type=Path)
    given = parser.parse_args()
    folder = given.folder / "verdicts" if (given.folder / "verdicts").is_dir() else given.folder
    begun, spent = time.perf_counter(), time.process_time()
    verdicts = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json")) if "@" not in path.name]
    found = [recheck.examined(v) for v in verdicts]
    seconds, spent = time.perf_counter() - begun, time.process_time() - spent
    honest = [v for v, one in zip(verdicts, found, strict=True) if one["state"] == "confirmed"]
    made, passed, examples = judged(honest, given.count, given.seed)
    record = {
        "schema": "theorytools.recheck/1", "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(), "seconds for all": round(seconds, 1),
        "of a processor": round(spent, 1),
        "claims": dict(Counter(f["state"] for f in found)), "rows": sum(f["rows"] for f in found),
        "right sides": sum(sum(f["sides"].values()) for f in found),
        "exact and enclosed rows of claims that run in seconds": share(verdicts, found),
        "not expressible": {f["id"]: f["why"] for f in found if f["state"] == "not expressible"},
        "forgeries": {k: {"made": made[k], "confirmed": passed[k]} for k in KINDS}, "seed": given.seed,
        "confirmed and counted apart, by what was forged": dict(Counter(e[2] for e in examples if e[0] == APART)),
        "confirmed that change the meaning": sum(n for k, n in passed.items() if k != APART),
        "confirmed examples": [e for e in examples if e[0] != APART][:20],
    }  # fmt: skip
    text = json.dumps(record, indent=1) + "\n"
    if given.record:
        given.record.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
