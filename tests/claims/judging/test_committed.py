"""The committed record is of these checks, and says what this run found, on whatever machine it runs."""

import functools
import json

import pytest
from every_claim import chunks, each
from shared_verdicts import ROOT, entries, verdict_of

from theorytools.claims.judging.committed_record import compact, exact_text, expanded, read_committed, write_committed
from theorytools.claims.papers.catalogue import fingerprint
from theorytools.cli.diff import differences, verdicts_of
from theorytools.errors import DomainError

RECORDS = ROOT.parent / "reports"


@functools.cache
def committed():
    return verdicts_of(RECORDS)


def test_the_record_is_small_of_these_checks_and_as_expected():
    assert {id: v["sha256"] for id, v in committed().items()} == {e.id: fingerprint(e.path) for e in entries().values()}
    assert all(v["as_expected"] for v in committed().values())
    assert sum((RECORDS / f"{paper}.json").stat().st_size for paper in ("qstr", "sep", "stsq")) <= 2_000_000


@each(chunks(entries()))
def test_this_run_says_the_same(id):
    found = expanded(compact(verdict_of(id)), {})
    assert not list(differences({id: committed()[id]}, {id: found}))


# -- the form itself -------------------------------------------------------------------------------------------------
ID = "qstr.assumption_03"


@pytest.fixture(scope="module")
def verdict():
    return verdict_of(ID)


def test_a_compact_verdict_comes_back(verdict, tmp_path):
    path = tmp_path / "qstr.json"
    path.write_text(write_committed("qstr", [verdict], {"commit": "c"}), encoding="utf-8")
    (read,) = read_committed(path).values()
    assert read["committed"] == {"commit": "c"}
    assert [(r["point"], r["control"], r["assertion"], r["truth"]) for r in read["rows"]] == [
        (r["point"], r["control"], r["assertion"], r["truth"]) for r in verdict["rows"]
    ]
    assert [r["tied"] for r in read["rows"]] == [r["tied"] for r in verdict["rows"]]
    assert (read["horizon"], read["tested"]) == (verdict["horizon"], verdict["tested"])
    assert not list(differences({ID: read}, {ID: expanded(compact(verdict), {})}))


def test_a_tie_an_open_row_and_equal_numbers_come_back(verdict):
    row = {**verdict["rows"][0], "truth": True, "tied": True, "bound": [verdict["rows"][0]["measured"]] * 2}
    rows = [row, {**row, "truth": None, "tied": False, "control": ""}, {**row, "truth": False, "tied": False}]
    searched = {"evaluations": 3, "inside": 2, "open": 1, "most": 204, "reach": {"N": "1..9"}, "ended": "work"}
    short = compact({**verdict, "rows": rows, "searched": searched})
    whole = expanded(json.loads(json.dumps(short)), {})
    assert short["searched"] == whole["searched"] == searched
    read = whole["rows"]
    assert [(r["truth"], r["tied"]) for r in read] == [(True, True), (None, False), (False, False)]
    assert short["rows"][0][-2:] == ["=", "="]
    assert len({json.dumps(number) for number in read[0]["numbers"]}) == 1
    short["rows"][0][-3:] = ["1", "2", "="]  # the number before it, not the first
    assert expanded(short, {})["rows"][0]["numbers"] == ["1", "2", "2"]


def changed(verdict, change):
    data = json.loads(json.dumps(verdict))
    change(data)
    return {d["what"] for d in differences(*({ID: expanded(compact(v), {})} for v in (verdict, data)))}


def test_every_difference_is_named_and_long_numbers_told_apart(verdict):
    first = next(k for k, row in enumerate(verdict["rows"]) if row["measured"]["evidence"] == "EXACT")
    other = {"q": ["0x7", "0x5"]}
    assert changed(verdict, lambda v: v.update(outcome="REFUTED")) == {"outcome"}
    assert changed(verdict, lambda v: v.update(evidence="FITTED")) == {"evidence"}
    assert changed(verdict, lambda v: v.update(power=100)) == {"power"}
    assert changed(verdict, lambda v: v["rows"][first].update(truth=None)) == {"truth"}
    assert changed(verdict, lambda v: v["rows"].pop()) == {"row"}
    assert changed(verdict, lambda v: v["controls"][0].update(outcome="open")) == {"control"}
    assert changed(verdict, lambda v: v["rows"][first]["measured"].update(low=other, high=other)) == {"measured"}
    short, long = {"q": ["0x1", "0x3"]}, {"q": [hex(10**5000), "0x1"]}
    assert exact_text(short) == "1/3"
    assert exact_text(long) == f"{10**5000:#x}/0x1"
    with pytest.raises(DomainError, match="committed"):
        read_committed(RECORDS / "verdicts.md")


def test_intervals_must_meet_and_an_observed_number_is_not_compared(verdict):
    def numbers(a, b):
        whole = expanded(compact(verdict), {})
        sides = ({ID: {**whole, "rows": [{**whole["rows"][0], "numbers": [n]}]}} for n in (a, b))
        return {d["what"] for d in differences(*sides)}

    for letter in "ESF":  # enclosed, sampled, fitted
        assert numbers([letter, 1.0, 2.0], [letter, 2.0, 3.0]) == set()
        assert numbers([letter, 1.0, 2.0], [letter, 2.5, 3.0]) == {"measured"}
        assert numbers([letter, 2.5, 3.0], [letter, 1.0, 2.0]) == {"measured"}
    assert numbers(["E", None, 2.0], ["E", 2.5, None]) == {"measured"}  # an end at infinity
    assert numbers(["O", 1.0, 2.0], ["O", 2.5, 3.0]) == set()
    assert numbers(["O", 1.0, 2.0], ["E", 1.0, 2.0]) == {"measured"}
    assert numbers("1/3", "2/3") == {"measured"}


def test_the_command_compares_and_exits_with_one_for_a_changed_outcome(cli, verdict, tmp_path):
    a, b = tmp_path / "a.json", tmp_path / "b.json"

    def written(path, **changed):  # as a record: of a whole verdict everything is concluded again
        path.write_text(write_committed("qstr", [{**verdict, **changed}], {"commit": "c"}), encoding="utf-8")

    written(a)
    written(b, power=100.0)
    answer = cli("diff", a, b)
    assert (answer.code, "power" in answer.out) == (0, True)
    written(b, outcome="REFUTED")
    answer = cli("diff", a, b, "--json")
    assert (answer.code, answer.json["exit"], answer.json["changes"][0]["what"]) == (1, 1, "outcome")
    assert cli("diff", a, tmp_path / "nowhere").code == 2
    b.write_text(json.dumps({**verdict, "power": 100.0}), encoding="utf-8")
    assert cli("diff", a, b).code == 2
