"""Slow claims are judged from records: today's statement, the stored ends, and the cheapest point run again."""

import json
import subprocess
from fractions import Fraction

import pytest
from tiny import CHECK, write_checks

from theorytools import Catalogue, CheckError, DomainError, Estimate, Evidence, Outcome
from theorytools.claims.judging import record as records
from theorytools.claims.judging.content_digest import sealed
from theorytools.claims.judging.record import record_path, write_record
from theorytools.claims.judging.run import judge_entry
from theorytools.numbers import End

SLOW = CHECK.replace('    "Lemma 1",', '    "Lemma 1",\n    tier="minutes",')


@pytest.fixture
def entry(tmp_path):
    return Catalogue(write_checks(tmp_path, lemma_01=SLOW)).entries[0]


@pytest.fixture
def path(entry):
    return write_record(entry, judge_entry(entry, tier="minutes").to_json())


def judged(entry):
    """As the default run does: a slower claim is judged from its record."""
    return judge_entry(entry, tier="seconds")


def tamper(path, change, seal=sealed):
    """Change a record as somebody would who also writes its digest anew."""
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(seal(data)), encoding="utf-8")


def of_other_inputs(path):
    """As if the library had changed since the record was made."""
    tamper(path, lambda data: data.update(inputs="of another library"))


def stale(entry, reason):
    verdict = judged(entry)
    assert verdict.outcome is Outcome.UNDECIDED
    assert not verdict.as_expected
    assert verdict.document["stale"] is True
    assert "STALE" in verdict.reason
    assert reason in verdict.reason
    assert verdict.reason.endswith("run theorytools verify toy.lemma_01 --tier minutes --record")
    return True


# -- with and without a record --------------------------------------------------------------------------------
def test_without_a_record_the_command_is_named(entry):
    verdict = judged(entry)
    assert (verdict.outcome, verdict.as_expected) == (Outcome.UNDECIDED, False)
    assert verdict.reason == (
        "a claim of tier minutes without a record; run theorytools verify toy.lemma_01 --tier minutes --record"
    )
    assert verdict.document["stale"] is False


def test_a_claim_runs_at_its_own_tier_and_at_a_users_point(entry):
    assert judge_entry(entry, tier="minutes").outcome is Outcome.HOLDS
    assert judge_entry(entry, tier="hours").outcome is Outcome.HOLDS
    verdict = judge_entry(entry, {"N": 5}, tier="seconds")
    assert verdict.outcome is Outcome.HOLDS
    assert verdict.user_points


def test_a_record_gives_the_verdict_that_was_measured(entry, path):
    fresh, stored = judge_entry(entry, tier="minutes"), judged(entry)
    assert path == record_path(entry) == entry.path.parent / "records" / "toy.lemma_01.json"
    assert stored.rows == fresh.rows
    assert stored.controls == fresh.controls
    assert (stored.outcome, stored.power, stored.evidence) == (fresh.outcome, fresh.power, fresh.evidence)
    assert stored.as_expected
    assert stored.alpha_spent == 0.0
    made = json.loads(path.read_text(encoding="utf-8"))["record"]
    assert set(made) == {"commit", "changed_since", "created"}
    assert made["created"][:10] in stored.reason
    assert stored.document["record"] == made


@pytest.fixture
def ran(monkeypatch):
    """The points that records had run again."""
    points, judge = [], records.judge

    def watched(claim, id, axes):
        points.extend(axes)
        return judge(claim, id, axes)

    monkeypatch.setattr(records, "judge", watched)
    return points


LONG = records.SPOT_CHECK_SECONDS + 1


@pytest.mark.parametrize(
    ("changed", "seconds", "points"),
    [(False, None, []), (True, None, [{"N": 2}]), (True, [LONG, LONG], []),
     (True, [LONG, 0.001], [])],  # trained for the first point, a network is there for the second
)  # fmt: skip
def test_of_a_changed_library_the_least_quick_point_is_run_again(entry, path, ran, changed, seconds, points):
    if changed:
        of_other_inputs(path)
    if seconds:
        tamper(path, lambda data: data["cpu"].update(points=seconds))
    assert judged(entry).as_expected
    assert ran == points


# -- what makes a record stale --------------------------------------------------------------------------------


def row(data, control="", N="3"):
    return next(r for r in data["rows"] if r["control"] == control and r["point"]["N"] == N)


def moved(measured):
    measured["low"] = measured["high"] = {"q": ["0x4", "0x1"]}


TAMPERED = {
    "an outcome turned": (lambda d: row(d).update(truth=False), "do not give the stored outcome"),
    "a number above the bound": (lambda d: moved(row(d)["measured"]), "do not give the stored outcome"),
    "a control that did not break": (lambda d: row(d, "one more").update(truth=True), "do not give the stored outcome"),
    "a tie that was never granted": (lambda d: (moved(row(d)["measured"]), row(d).update(tied=True)),
                                     "do not give the stored outcome"),
    "a row removed": (lambda d: d["rows"].remove(row(d)), "its rows at {'N': '3'} are not those of the statement"),
    "a row doubled": (lambda d: d["rows"].append(row(d)), "its rows at {'N': '3'} are not those of the statement"),
    "another statement": (lambda d: row(d).update(assertion="value <= N + 1"), "is not asserted any more"),
    "a control freed of its duty": (lambda d: row(d, "one more").update(must_break=False), "do not give its outcome"),
    "no rows": (lambda d: d["rows"].clear(), "HOLDS without a row"),
    "a skipped grid": (lambda d: (d["rows"].clear(), d["skipped"].extend(
        {"point": {"N": n}, "control": "", "reason": "-", "open": False} for n in "23")), "HOLDS without a row"),
    "a field lost": (lambda d: d.pop("record"), "cannot be read (KeyError: 'record')"),
    "an end lost": (lambda d: row(d)["measured"].pop("low"), "cannot be read (KeyError: 'low')"),
    "ends in disorder": (lambda d: row(d)["measured"].update(low={"inf": 1}), "cannot be read (NumberError"),
}  # fmt: skip


@pytest.mark.parametrize("name", TAMPERED)
def test_tampering_is_found_by_the_digest_and_even_under_a_new_one(entry, path, name):
    (change, reason), written = TAMPERED[name], path.read_bytes()
    tamper(path, change, seal=dict)
    assert stale(entry, "not as it was written")
    path.write_bytes(written)
    tamper(path, change)
    assert stale(entry, reason)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"source": 3}', "\udcff"])
def test_a_record_that_cannot_be_read_is_stale(entry, path, text):
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert stale(entry, "cannot be read")


@pytest.mark.parametrize(
    "claimed",
    [{"outcome": "REFUTED"}, {"as_expected": False}, {"evidence": "FITTED"}, {"power": 100}, {"controls": []}],
)
def test_a_record_may_not_claim_what_its_rows_do_not_give(entry, path, claimed):
    tamper(path, lambda data: data.update(claimed))
    assert stale(entry, f"its rows do not give its {next(iter(claimed))}")


@pytest.mark.parametrize(
    ("part", "number", "reason"),
    [("measured", "0x1", "another measured value of 'value <= N' at N=2: [2, 2], recorded [1, 1]"),
     ("bound", "0x9", "another bound of 'value <= N' at N=2")],
)  # fmt: skip
def test_another_number_from_the_library_is_found_at_the_cheapest_point(entry, path, part, number, reason):
    """The library changed after the record: here the record is moved instead, within what the statement allows."""

    def moved(data):
        end = row(data, N="2")[part]
        end = end[0] if part == "bound" else end
        end["low"] = end["high"] = {"q": [number, "0x1"]}

    of_other_inputs(path)
    tamper(path, moved)
    assert stale(entry, f"the library gives {reason}")


def test_a_point_that_left_the_hypotheses_is_found(entry, path, monkeypatch):
    of_other_inputs(path)
    judge = records.judge
    monkeypatch.setattr(records, "judge", lambda claim, id, points: judge(claim, id, [{"N": "0"}]))
    assert stale(entry, "is outside the hypotheses today")


# -- limits ---------------------------------------------------------------------------------------------------
def test_a_record_stays_small(entry, monkeypatch):
    verdict = judge_entry(entry, tier="minutes").to_json()
    monkeypatch.setattr(records, "MAX_BYTES", 1000)
    with pytest.raises(CheckError, match="at most 1000"):
        write_record(entry, verdict)
    assert not record_path(entry).exists()


def test_records_are_replaced_whole_and_stale_with_their_check(entry, path):
    before = path.read_bytes()
    with pytest.raises(DomainError, match="a number that JSON does not have"):
        write_record(entry, {**json.loads(before), "power": float("nan")})
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    entry.path.write_text(SLOW.replace("at most", "never more than") + "# a comment\n")
    assert judged(entry).as_expected
    entry.path.write_text(SLOW.replace("grid(N=[2, 3])", "grid(N=[2, 3, 4])"))
    assert stale(entry, "the check changed after its record was made")


def test_a_record_says_whether_the_sources_were_those_of_the_commit(tmp_path):
    def git(*arguments):
        who = ["-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    entry = Catalogue(write_checks(tmp_path / "checks", lemma_01=SLOW)).entries[0]
    git("init", "-q")
    git("add", "checks")
    git("commit", "-qm", "checks")
    verdict = judge_entry(entry, tier="minutes").to_json()
    made = []
    for text in (SLOW, SLOW, SLOW + "# later\n"):  # the first record does not make the second one look changed
        entry.path.write_text(text)
        made.append(json.loads(write_record(entry, verdict).read_text(encoding="utf-8"))["record"])
    assert [record["changed_since"] for record in made] == [False, False, True]
    assert len({record["commit"] for record in made}) == 1
    assert len(made[0]["commit"]) == 40


@pytest.mark.parametrize(
    ("now", "then", "said"),
    [((1, 2), (3, 4), "[1, 2], recorded [3, 4] (relative distance 0.3)"),
     ((3, 4), (1, 2), "[3, 4], recorded [1, 2] (relative distance 0.3)"),
     ((-4, -3), (-2, -1), "[-4, -3], recorded [-2, -1] (relative distance 0.3)"),
     ((1, 1), (Fraction(1000001, 1000000),) * 2, "[1, 1], recorded [1.000001, 1.000001] (relative distance 1e-06)")],
)  # fmt: skip
def test_intervals_that_miss_each_other_are_told_by_their_gap_and_with_the_digits_that_show_it(now, then, said):
    sides = [Estimate(End(Fraction(low)), End(Fraction(high)), Evidence.ENCLOSED) for low, high in (now, then)]
    assert records._told_apart(*sides) == said
