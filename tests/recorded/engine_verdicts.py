"""What the verdict engine says of small claims: each function ``of_…`` is one answer of the record of calls."""

import itertools
import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import checkfolders
from engine_examples import SAID, claims, said, shown

from theorytools import (
    Estimate,
    Evidence,
)
from theorytools.claims.judging import (
    compact,
    conclude,
    horizon,
    picture,
    pool,
    record,
    run,
    sealed,
    uses,
    verdict,
)
from theorytools.claims.judging.judge import judge
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.numbers import End


def of_verdicts():
    return {name: shown(judge(claim, "toy.lemma_01")) for name, claim in claims().items()}


def of_points_of_a_user():
    at = [{"N": 1}, {"N": 7}, {"N": "5/2"}, {"N": 0}, {"N": -3}, {"N": "word"}, {}, {"N": 2, "d": 3}]
    return {
        name: [said(lambda: shown(judge(claims()[name], "toy.lemma_01", [place]))) for place in at]  # noqa: B023
        for name in ("attained", "below", "both", "published", "weak", "nowhere", "partly outside", "undefined")
    }


def of_points_together():
    at = [{"N": n} for n in (1, 2, 3, 10)]
    made = {}
    for name in ("attained", "partly outside", "nowhere", "somewhere", "undefined", "published"):
        made[name] = shown(judge(claims()[name], "toy.lemma_01", at))
    return made


def of_times():
    """The times themselves are not told; that they add up is."""
    made = judge(claims()["below"], "toy.lemma_01")
    parts = made.cpu_points
    return [len(parts), min(parts) >= 0, sum(parts) <= made.cpu + 1e-9, made.cpu > 0, made.seconds > 0]


def of_rows():
    """What a row says of itself, over all relations, signs and widths."""
    ends = [(-3, -2), (-1, 1), (0, 0), (1, 1), (1, 2), (2, 5)]
    made = []
    for relation, (a, b), (c, d) in itertools.product(("<=", ">=", "=="), ends, ends):
        left = Estimate(End(a), End(b), Evidence.ENCLOSED)
        right = Estimate(End(c), End(d), Evidence.EXACT)
        row = verdict.Row({"N": "4", "k": "word", "e": "1/2"}, "", "v", "v", relation, None, left, (right,))
        row = replace(row, truth=row.compared)
        made.append([row.truth, row.slack, row.evidence, row.at, verdict._miss(row), horizon._gaps(row), row.to_json()])
    return made


def of_strongest_rows():
    rows = []
    for low, evidence in itertools.product((3, 5, 9), Evidence):
        left, right = Estimate(End(low), End(low), evidence), Estimate(End(2), End(2), Evidence.EXACT)
        rows.append(verdict.Row({"N": str(low)}, "", "v", "v", "<=", False, left, (right,)))
    return [verdict.strongest(rows[i:j]) for i in range(0, len(rows), 4) for j in range(i, len(rows), 3)]


def made_row(truth, evidence, control="", must_break=False, size=2, vacuous=False):
    left, right = Estimate(End(1), End(1), evidence, 1e-7), Estimate(End(2), End(2), Evidence.EXACT)
    return verdict.Row({"N": str(size)}, control, "value <= N", "value", "<=", truth, left, (right,), vacuous, False, 1,
                       2.0, must_break)  # fmt: skip


def of_conclusions():
    """The outcome of every combination of two honest rows and a control."""
    stated = conclude.Stated((conclude.Named("value <= N"),), (conclude.Named("c"), conclude.Named("r", True)), "HOLDS")
    made = []
    for a, b, c, d in itertools.product((True, False, None), repeat=4):
        for strong, weak in ((Evidence.EXACT, Evidence.EXACT), (Evidence.EXACT, Evidence.FITTED)):
            rows = [
                made_row(a, strong),
                made_row(b, strong, size=3),
                made_row(c, weak, "c", True),
                made_row(d, weak, "r"),
            ]
            for user, expect in ((False, "HOLDS"), (True, "REFUTED"), (False, "UNDECIDED")):
                found = conclude.conclude(replace(stated, expect=expect), rows, (), user=user)
                made.append([str(found["outcome"]), found["as_expected"], found["reason"], found["evidence"],
                             [(c.outcome, c.applied, c.broken, c.detail) for c in found["controls"]]])  # fmt: skip
    return (
        [" ".join(map(str, line)) for line in made[:64]],
        [" ".join(map(str, line)) for line in made[64:]][-64:],
        [sum(line[0] == word for line in made) for word in ("HOLDS", "REFUTED", "UNDECIDED", "POWERLESS")],
        sum(line[1] for line in made),
    )


def of_points_left_out():
    skipped = [{"point": {"N": "1"}, "control": "", "reason": "too small", "open": False},
               {"point": {"N": "9"}, "control": "", "reason": "too much work", "open": True}]  # fmt: skip
    stated = conclude.Stated((conclude.Named("value <= N"),), (conclude.Named("c"),), "HOLDS")
    rows = [made_row(True, Evidence.EXACT), made_row(False, Evidence.EXACT, "c", True)]
    sampled = [made_row(True, Evidence.SAMPLED), made_row(True, Evidence.SAMPLED, size=3), made_row(True,
        Evidence.FITTED),
               made_row(False, Evidence.FITTED, "c", True), made_row(False, Evidence.FITTED, "c", True,
                   size=3)]  # fmt: skip
    made = []
    for own, parts, user in itertools.product((rows, rows[:1], sampled, []), (skipped, skipped[:1], skipped[1:], []),
                                              (False, True)):  # fmt: skip
        found = conclude.conclude(stated, own, parts, user=user)
        made.append([str(found["outcome"]), found["as_expected"], found["reason"]])
    return made


def of_horizons():
    made = {}
    for name, claim in claims().items():
        rows = judge(claim, "toy.lemma_01").rows
        moved = [replace(row, point={**row.point, "zero": "0", "half": "1/2", "minus": "-3"}) for row in rows]
        words = [replace(row, point={"N": "1" if row.point.get("N") == "2" else "3/2"}) for row in rows]
        made[name] = [horizon.horizon(own, {}) for own in (rows, rows[:1], moved, words)]
        made[name] += [
            horizon.horizon(rows, {row.assertion: ["N"] for row in rows}),
            horizon.tested(r.point for r in moved),
        ]
        made[name] += [horizon.horizon(rows, {row.assertion: ["q"] for row in rows}), picture.size_letter(moved)]
    return made


def of_pictures():
    rows = [row for row in judge(claims()["two letters"], "toy.lemma_01").rows if not row.control]
    found = [picture.size_letter(part) for part in (rows, rows[:1], rows[:2], rows[::2], [])]
    return found, picture.numbers({"N": "4", "k": "word", "e": "1/2", "m": "-3"})


def of_compact_verdicts():
    made = {}
    for name, claim in claims().items():
        data = judge(claim, "toy.lemma_01").to_json()
        source = {"provenance": "derived", "where": "Lemma 1", "seen": "display", "sha256": "0"}
        data |= {"note": "", "role": "", "scope": {}, "tier": "seconds", "source": source}
        small = compact.compact(data)
        again = compact.expanded(small, {})
        made[name] = [small, again["rows"], again["tested"], again["horizon"], sealed.contradiction(data)]
    return made


def of_contradictions():
    """A verdict with one part changed: what does not follow from its own ends."""
    data = judge(claims()["attained"], "toy.lemma_01").to_json()
    made = []
    for part, other in (
        ("outcome", "REFUTED"),
        ("as_expected", False),
        ("power", 2.0),
        ("evidence", "FITTED"),
        ("powers", {"value <= N": 2.0}),
        ("rows", []),
        ("controls", []),
        ("user_points", True),
    ):
        made.append(said(sealed.contradiction, {**data, part: other}))
    for name, other in (("truth", None), ("truth", False), ("tied", True), ("control", "x"), ("relation", ">=")):
        for k in range(len(data["rows"])):
            rows = [{**row, name: other} if i == k else row for i, row in enumerate(data["rows"])]
            made.append(said(sealed.contradiction, {**data, "rows": rows}))
    return made, [
        sealed.intact(data),
        sealed.intact(sealed.sealed(data)),
        sealed.intact({**sealed.sealed(data), "power": 1}),
    ]


def of_numbers_kept():
    ends = [End(3), End(Fraction(1, 3)), End(10**200), End(Fraction(1, 7**200)), End(-2)]
    made = []
    for low, evidence in itertools.product(ends, Evidence):
        one = verdict.estimate_json(Estimate(low, low, evidence))
        made.append([compact.number(one), verdict.estimate_from_json(one), compact.exact_text(one["low"])])
    return made, compact.number(verdict.estimate_json(Estimate(End(1), End(2), Evidence.ENCLOSED)))


def folder_of(*kinds):
    """A folder of checks of these kinds that lasts as long as this process."""
    if kinds not in FOLDERS:
        FOLDERS[kinds] = tempfile.TemporaryDirectory(prefix="theorytools-engine-")
        checkfolders.write(Path(FOLDERS[kinds].name), *kinds)
    return Path(FOLDERS[kinds].name) / "checks"


FOLDERS = {}


KINDS = (
    "holds",
    "refuted",
    "undecided",
    "powerless",
    "uncontrolled",
    "misspelt",
    "misfed",
    "raising",
    "slow",
    "worded",
)


def of_results():
    """What a run says of a folder of checks, in this process, at the grid and at a point."""
    catalogue, made = Catalogue(folder_of(*KINDS)), {}
    for at in ({}, {"N": 4}, {"N": [2, 5]}):
        jobs = [(entry, at) for entry in catalogue.entries if entry.id.startswith("tiny.")]
        for result in run.run(jobs, processes=1):
            known = (
                None
                if result.verdict is None
                else {k: v for k, v in result.verdict.items() if k not in (*SAID, "source")}
            )
            made[f"{result.entry.id} {at}"] = known or result.error.replace(str(folder_of(*KINDS)), "")
    return made


def of_selections():
    catalogue = Catalogue(folder_of(*KINDS))
    names = ["tiny", "tiny.holds", "holds", "Lemma holds", "tiny.none", "tiny.", "none", "tiny.misspelt", "tiny.slow"]
    made = [said(lambda: [e.id for e in catalogue.select([name])]) for name in names]  # noqa: B023
    made += [said(lambda: [[e.id, at] for e, at in run.concerned(catalogue.select(["tiny"]), asked)])  # noqa: B023
             for asked in ({"N": 4}, {"kind": "plain"}, {"d": 3}, {"N": 4, "d": 3}, {"kind": "x"}, {})]  # fmt: skip
    return [
        one.replace(str(folder_of(*KINDS)), "") if isinstance(one, str) else one for one in made
    ], catalogue.own_papers


def of_pools():
    jobs = [(entry, {}) for entry in Catalogue(folder_of("holds", "refuted", "worded")).own]
    hints = {jobs[0][0].id: 1.0, jobs[1][0].id: 9.0}
    orders = [[[job[0].id for job in batch] for batch in pool.batches(jobs, one)] for one in ({}, hints)]
    return orders, [pool.worth(jobs[:1], {jobs[0][0].id: s}) for s in (0.1, 1.9, 2.0, 100.0)], pool.worth([], {})


def of_records():
    told = [record._told_apart(Estimate.of(a), Estimate.of(b)) for a, b in
            ((Fraction(1), Fraction(2)), (Fraction(10**9), Fraction(10**9 + 1)), (Fraction(3),
            Fraction(3)))]  # fmt: skip
    made = []
    for name in ("attained", "both", "false", "tied"):
        claim = claims()[name]
        rows = list(judge(claim, "toy.lemma_01").rows)
        changed = [rows, rows[1:], rows[:-1], [*rows, replace(rows[0], assertion="x")],
                   [replace(rows[0], truth=None), *rows[1:]], [replace(rows[0], must_break=True), *rows[1:]],
                   [replace(rows[0], tied=True, truth=True), *rows[1:]]]  # fmt: skip
        made.append(
            [record._contradiction(claim, own, skipped) for own in changed for skipped in ((), [rows[0].point])]
        )
    return told, made


def of_kinds_of_statements():
    return [uses._kind(id) for id in ("lemma_01", "theorem_2", "definition_1", "x", "figure_01", "question_c")], [
        uses._belongs(Path(uses.__file__)), uses._belongs(Path("/x.py"))]  # fmt: skip
