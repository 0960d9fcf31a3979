"""Two folders of verdicts, claim by claim: what a change of machine may not change, and what it did; runs of pytest."""

import json
from collections import Counter

from theorytools.numbers import End

OWN = ("FITTED", "OBSERVED")  # evidence whose numbers belong to the machine


def compared(plain, other, ids):
    """Counts of identical claims, and the claims that differ in what must be the same (``differ``) or in any number."""
    counts, differ, moved = Counter(), {}, []
    for id in sorted(ids):
        try:
            a, b = (json.loads((folder / f"{id}.json").read_text(encoding="utf-8")) for folder in (plain, other))
        except FileNotFoundError:
            differ[id] = ["not judged in both runs"]
            continue
        problems = differences(a, b)
        counts.update(kind for kind in KINDS if kind not in {text.split(":")[0] for text in problems})
        if problems:
            differ[id] = problems[:5]
        if numbers(a) != numbers(b):
            moved.append(id)
    return {
        "claims": len(ids), "identical": {kind: counts[kind] for kind in KINDS}, "same": not differ, "differ": differ,
        "numbers_differ": moved,
    }  # fmt: skip


KINDS = ("outcome", "evidence", "power", "as_expected", "rows", "truth", "exact end", "enclosure")


def differences(a, b):
    """What is not as it must be, each beginning with its kind."""
    if "error" in a or "error" in b:
        return [f"outcome: {a.get('error', a.get('outcome'))} / {b.get('error', b.get('outcome'))}"]
    found = [f"{k}: {a[k]} / {b[k]}" for k in ("outcome", "evidence", "power", "as_expected") if a[k] != b[k]]
    rows, others = keyed(a), keyed(b)
    if rows.keys() != others.keys():
        found.append(f"rows: {len(rows.keys() ^ others.keys())} are in one of the two")
    for key in rows.keys() & others.keys():
        x, y = rows[key], others[key]
        if x["truth"] != y["truth"]:
            found.append(f"truth: {key}")
        for here, there in [(x["measured"], y["measured"]), *zip(x["bound"], y["bound"], strict=True)]:
            if problem := ends_differ(here, there):
                found.append(f"{problem}: {key}")
    return sorted(found)


def ends_differ(here, there):
    """Which law two estimates of one number break, if any."""
    if here["evidence"] == there["evidence"] == "EXACT":
        return "exact end" if (here["low"], here["high"]) != (there["low"], there["high"]) else ""
    if here["evidence"] in OWN and there["evidence"] in OWN:
        return ""
    (a, b), (c, d) = ([End.from_json(side[end]) for end in ("low", "high")] for side in (here, there))
    return "enclosure" if a > d or c > b else ""


def keyed(verdict):
    """The rows by place, control and assertion."""
    return {(json.dumps(r["point"], sort_keys=True), r["control"], r["assertion"]): r for r in verdict["rows"]}


def numbers(verdict):
    """Every number of a verdict, without times and descriptions."""
    rows = [(r["measured"]["low"], r["measured"]["high"], [(b["low"], b["high"]) for b in r["bound"]], r["power"])
            for r in verdict.get("rows", [])]  # fmt: skip
    return [verdict.get("power"), rows]


PYTEST = ("-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", "--tb=short")


def tests_of(done):
    """The exit code of a run of pytest, its last line and the names of what failed."""
    lines = done.stdout.strip().splitlines()
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return {"exit": done.returncode, "summary": lines[-1] if lines else done.stderr[-500:], "failed": failed}
