"""Violations as files keep them, points worked out by hand, what a run has searched, and who judges what in a pool."""

import json
from collections import deque
from dataclasses import replace

import pytest
from refusals import refuses
from sympy import true
from tiny import CHECK, N, tiny, value, write_checks
from verdict_examples import HUGE

from theorytools import Catalogue, CheckError, Control, DomainError, grid
from theorytools.claims.judging import necessity_record, pool
from theorytools.claims.judging.falsify import falsify
from theorytools.claims.judging.necessity import Cell, noted
from theorytools.claims.judging.necessity_point import examine_control, examine_point, exhausted
from theorytools.claims.judging.necessity_record import NecessityStore, counts, read_record, with_notes, write_record
from theorytools.claims.judging.weaker_hypotheses import Hypothesis
from theorytools.claims.judging.witness import keep, read_witnesses, replay, witness, write_witnesses
from theorytools.claims.papers.notes import Note

far = Control("far", breaks=value, construct=lambda p: HUGE)
FALSE = CHECK.replace("construct=lambda p: p.N,", "construct=lambda p: p.N if p.N < 5 else p.N + 1,")
BOUNDED = (
    CHECK.replace("construct=lambda p: p.N,", "construct=lambda p: p.N + p.N // 10,")
    .replace("asserts=[value <= N],", "asserts=[value <= 9], requires=[N <= 9],")
    .replace("construct=lambda p: p.N + 1", "construct=lambda p: 10**9")
)


def entry_of(root, text, **more):
    return next(e for e in Catalogue(write_checks(root, lemma_01=text, **more)).entries if e.stem == "lemma_01")


# -- witnesses ---------------------------------------------------------------------------------------------------------
def test_a_violation_is_kept_and_replayed_and_a_changed_file_is_refused(tmp_path):
    from theorytools.claims.papers.loading import load

    entry = entry_of(tmp_path / "checks", FALSE)
    catalogue = Catalogue(tmp_path / "checks")
    found = falsify(load(entry), entry.id, evaluations=40)
    made = witness(found)
    assert (made["point"], made["hypothesis"], made["within"], made["row"]["measured"]) == ({"N": "5"}, "", False, "6")
    assert "control" not in made
    assert witness(found, control="c")["control"] == "c"
    with pytest.raises(DomainError, match="without a violation"):
        witness(replace(found, row=None))
    path = keep(tmp_path, entry, [made])
    assert path == tmp_path / "toy.lemma_01.json"
    (row,) = replay(path, catalogue)
    assert (row.truth, row.point) == (False, {"N": "5"})
    other = {**made, "hypothesis": "N >= 2"}
    assert [one["hypothesis"] for one in read_witnesses(keep(tmp_path, entry, [other]))["witnesses"]] == ["", "N >= 2"]
    assert len(read_witnesses(keep(tmp_path, entry, [{**made, "within": True}]))["witnesses"]) == 2
    for change, said in [
        ({"point": {"N": "4"}}, "is refuted there"),
        ({"point": {"M": "5"}}, "has the letters M"),
        ({"hypothesis": "N >= 2"}, "no hypothesis"),
        ({"row": {**made["row"], "measured": "7"}}, "comes out as"),
        ({"row": {**made["row"], "bound": []}}, "comes out as"),
        ({"row": {**made["row"], "assertion": "v"}}, "does not assert"),
        ({"row": {**made["row"], "relation": ">="}}, "comes out as"),
        ({"point": {"N": "0"}}, "lies elsewhere"),
    ]:
        write_witnesses(path, entry, [{**made, **change}])
        with pytest.raises(DomainError) as caught:
            replay(path, catalogue)
        assert said in " ".join(str(caught.value).split())
    for change in (
        {"evaluations": 0},
        {"evaluations": True},
        {"evaluations": "4"},
        {"control": 3},
        {"more": 1},
        {"point": 3},
        {"row": 3},
    ):
        write_witnesses(path, entry, [{**made, **change}])
        refuses(DomainError, (lambda: read_witnesses(path), "a file of witnesses"))
    write_witnesses(path, entry, [{**made, "evaluations": 1}])
    assert read_witnesses(path)["witnesses"][0]["evaluations"] == 1
    for change in ({"schema": "another"}, {"id": 3}, {"witnesses": []}):
        path.write_text(
            json.dumps({**{"schema": "theorytools.witness/1", "id": "toy.lemma_01", "witnesses": [made]}, **change}),
            encoding="utf-8",
        )
        refuses(DomainError, (lambda: read_witnesses(path), "a file of witnesses"))
    path.write_text(
        json.dumps({"schema": "theorytools.witness/1", "id": "toy.none", "witnesses": [made]}), encoding="utf-8"
    )
    refuses(DomainError, (lambda: replay(path, catalogue), "the claim is not there"))


# -- points and controls worked out by hand ----------------------------------------------------------------------------
def test_a_point_counts_where_it_violates_the_claim_outside_the_hypothesis():
    claim = tiny(asserts=[value <= 40], requires=[N <= 9], grid=grid(N=[2, 9]), controls=[far])
    cell = Cell("N <= 9", "by one", "unknown")
    found = examine_point(claim, "toy.lemma_01", cell, {"N": "41"})
    assert (found.state, found.notch, found.why, dict(found.violation.row.point)) == ("needed", False, "", {"N": "41"})
    near = examine_point(replace(claim, asserts=[value <= 9]), "toy.lemma_01", cell, {"N": "10"})
    assert (near.state, near.notch) == ("needed", True)
    assert examine_point(claim, "toy.lemma_01", found, {"M": "1"}) is found
    for at in ({"N": "40"}, {"N": "9"}, {"M": "41"}, {"N": "41", "M": "1"}, {}):
        with pytest.raises(CheckError):
            examine_point(claim, "toy.lemma_01", cell, at)
    with pytest.raises(CheckError, match="a control that breaks"):
        examine_control(claim, "toy.lemma_01", cell, "none")
    with pytest.raises(CheckError, match="lies outside"):
        examine_control(claim, "toy.lemma_01", cell, "far")


def test_few_points_left_outside_are_all_judged():
    claim = tiny(asserts=[value <= N], requires=[N >= 3], grid=grid(N=[3]))
    words = tiny(asserts=[value <= N], requires=[N >= 3], grid=grid(N=[3, 4]))
    cell = Cell("N >= 3", "by one", "unknown", "no violation")
    done = exhausted(claim, "toy.lemma_01", cell)
    assert (done.state, done.why) == (
        "not needed",
        "all 2 points outside were judged: it holds at 2, and the others are none of the statement",
    )
    assert exhausted(words, "toy.lemma_01", cell).state == "not needed"
    for other in (replace(cell, state="needed"), replace(cell, hypothesis="N >= 4")):
        assert exhausted(claim, "toy.lemma_01", other) is other
    false_at_one = replace(claim, measure=lambda thing, p: {value: thing + (thing == 1)})
    for silent in (replace(claim, tier="minutes"), replace(claim, search=lambda draw, p: p.N), false_at_one):
        assert exhausted(silent, "toy.lemma_01", cell) is cell

    def refusing(p):
        if p.N < 3:
            raise DomainError(f"N = {p.N}", required="N >= 3")
        return p.N

    assert exhausted(replace(claim, construct=refusing), "toy.lemma_01", cell) is cell


def test_a_note_decides_an_unknown_cell_and_no_other():
    data = {"hypothesis": "N >= 3", "state": "unknown", "why": "searched"}
    note = Note("toy.lemma_01", "N >= 3", proof="it is so")
    assert (
        noted(data, None)
        == noted(data, Note("a", "b", unsearched="u"))
        == noted(data, Note("a", "b", at="N=1"))
        == data
    )
    assert noted(data, note) == {**data, "state": "not needed", "why": "it is so"}
    assert noted(data, Note("a", "b", defines="d"))["state"] == "defines"
    with pytest.raises(CheckError, match="a note that is true"):
        noted({**data, "state": "needed", "at": {"N": "1"}}, note)


# -- what a run has searched -------------------------------------------------------------------------------------------
def test_cells_are_searched_once_until_their_inputs_change(tmp_path, monkeypatch):
    entry = entry_of(tmp_path / "checks", BOUNDED)
    searched, search = [], necessity_record._searched

    def watched(one):
        searched.append(one.id)
        return search(one)

    monkeypatch.setattr(necessity_record, "_searched", watched)
    first = NecessityStore(tmp_path / "kept").claim(entry)
    assert [cell["state"] for cell in first["cells"]] == ["needed"]
    assert [one["point"] for one in first["witnesses"]] == [{"N": "10"}]
    assert NecessityStore(tmp_path / "kept").claim(entry) == first
    assert len(searched) == 1
    NecessityStore(tmp_path / "kept").claim(entry, fresh=True)
    assert len(searched) == 2
    line = with_notes(entry, first, [])
    assert NecessityStore(tmp_path / "elsewhere").claim(entry, recorded=line) == {**line, "witnesses": []}
    assert len(searched) == 2
    NecessityStore(tmp_path / "elsewhere").claim(entry, recorded={**line, "check": "another"})
    NecessityStore(tmp_path / "third").claim(entry, fresh=True, recorded=line)
    assert len(searched) == 4
    (tmp_path / "kept" / "toy.lemma_01.json").write_text("{", encoding="utf-8")
    NecessityStore(tmp_path / "kept").claim(entry)
    assert len(searched) == 5
    refuted = BOUNDED.replace('    "Lemma 1",', '    "Lemma 1", expect="REFUTED",').replace(
        "controls=[", 'controls=[Control("repair", asserts=[value <= 99]), '
    )
    assert search(entry_of(tmp_path / "refuted", refuted)) == {"cells": [], "witnesses": []}


def test_the_record_of_cells_comes_back_as_notes_leave_it(tmp_path):
    entry = entry_of(tmp_path / "checks", BOUNDED)
    cells = [{"hypothesis": "h", "state": "unknown", "change": "c", "points": [0, 0, 0, 0]}]
    found = {"id": entry.id, "check": "1", "cells": cells, "digest": "d"}
    assert with_notes(entry, found, [Note("toy.other", "x", proof="p")]) == {
        "id": entry.id,
        "check": "1",
        "cells": cells,
    }
    line = with_notes(entry, found, [Note(entry.id, "h", proof="p")])
    assert line["cells"][0]["state"] == "not needed"
    with pytest.raises(CheckError, match="it has h"):
        with_notes(entry, found, [Note(entry.id, "g", proof="p")])
    with pytest.raises(CheckError, match="it has none"):
        with_notes(entry, {**found, "cells": []}, [Note(entry.id, "g", proof="p")])
    assert counts([line, found]) == {"needed": 0, "not needed": 1, "defines": 0, "unknown": 1}
    path = tmp_path / "necessity.json"
    write_record(path, [line, {"id": "toy.none", "check": "2", "cells": []}], tmp_path / "checks")
    assert read_record(path) == {entry.id: line}
    for text in ("", "[]", '{"schema": "another", "claims": []}', '{"schema": "theorytools.necessity/1"}'):
        path.write_text(text, encoding="utf-8")
        refuses(DomainError, (lambda: read_record(path), "a record of necessity"))
    assert Hypothesis(N >= 3, (), true, "").text == "N >= 3"


# -- a pool of processes -----------------------------------------------------------------------------------------------
class Line:
    """The parent's end of a pipe that may be gone."""

    def __init__(self, *, gone=False):
        self.gone, self.sent, self.closed = gone, [], False

    def send(self, job):
        if self.gone:
            raise OSError
        self.sent.append(job)

    def close(self):
        self.closed = True

    def join(self):
        self.joined = True


def test_a_worker_takes_a_file_then_half_of_what_the_longest_one_still_has():
    idle, rich = pool._Worker(Line(), Line()), pool._Worker(Line(), Line(), deque("abcde"))
    waiting = deque([deque("xy"), deque("z")])
    assert pool._supplied(rich, waiting, [idle, rich])
    assert "".join(rich.batch) == "abcde"
    assert pool._supplied(idle, waiting, [idle, rich])
    assert ("".join(idle.batch), len(waiting)) == ("xy", 1)
    assert idle.begin(None)
    assert (idle.job, idle.line.sent, "".join(idle.batch)) == ("x", [("x", None)], "y")
    idle.batch.clear()
    waiting.clear()
    assert pool._supplied(idle, waiting, [idle, rich])
    assert ("".join(idle.batch), "".join(rich.batch)) == ("edc", "ab")
    idle.batch.clear()
    rich.batch.clear()
    assert not pool._supplied(idle, waiting, [idle, rich])


def test_a_dead_worker_loses_its_claim_and_its_file_waits_again():
    dead, other = pool._Worker(Line(), Line(gone=True), deque("abc")), pool._Worker(Line(), Line())
    assert not dead.begin(None)
    workers, waiting, lost = [dead, other], deque([deque("z")]), []
    pool._bury(dead, workers, waiting, lost)
    assert (lost, workers, ["".join(batch) for batch in waiting]) == (["a"], [other], ["bc", "z"])
    assert dead.line.closed
    pool._bury(other, workers, waiting, lost)
    assert (lost, workers, len(waiting)) == (["a"], [], 2)
