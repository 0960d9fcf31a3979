"""A check that does not come to an end: it is named with the point and the line, and given up where a limit is set."""

import threading
from pathlib import Path

import pytest
from checkfolders import check, write

from theorytools.claims.judging import watched
from theorytools.claims.judging.run import judge_entry, run
from theorytools.claims.judging.watched import Watch, whereabouts
from theorytools.claims.papers.catalogue import Catalogue

LINE = next(k for k, line in enumerate(check("looping").splitlines(), 1) if "while p.N == 3" in line)
LOST = ("tiny.looping at N=3, in measure (", "looping.py, line", "within 0.3 seconds (--limit)", "judged before: 1")


def entries(folder, *kinds):
    return [Catalogue(write(folder, *kinds)).one(f"tiny.{kind}") for kind in kinds]


def test_a_point_beyond_the_limit_ends_its_claim_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = {
        r.entry.id: r for r in run([(e, {}) for e in entries(tmp_path, "looping", "holds")], processes=1, limit=0.3)
    }
    assert found["tiny.holds"].verdict["outcome"] == "HOLDS"
    lost = found["tiny.looping"]
    assert lost.verdict is None
    for said in (
        "tiny.looping at N=3, in measure (",
        "looping.py, line",
        "within 0.3 seconds (--limit)",
        "points judged before: 1",
    ):
        assert said in lost.error


def test_where_a_claim_is_told_while_it_is_judged_and_judging_goes_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (entry,), told = entries(tmp_path, "looping"), []

    def where(seconds, place):
        told.append(place)
        if "at N=3" in place:
            Path("go").touch()

    monkeypatch.setattr(watched, "EVERY", 0.05)
    with Watch(entry, where, first=0.05):
        assert judge_entry(entry).outcome == "HOLDS"
    assert any(
        place.startswith("at N=3, in measure (") and f"line {LINE + k}" in place for place in told for k in (0, 1)
    )
    assert not any("control" in place for place in told)  # of the point before
    assert whereabouts(entry, threading.get_ident()) == ""  # nothing is judged here


def test_many_short_points_are_not_one_long_one(tmp_path):
    """The search beside this grid has more than a hundred points, and takes many times the limit."""
    (entry,), late, beats = entries(tmp_path, "holds"), [], []
    with Watch(entry, lambda *said: None, late.append, 0.04, lambda: beats.append(1)):
        assert judge_entry(entry).searched["evaluations"] > 100
    assert (late, len(beats) > 3) == ([], True)


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "inf"])
def test_a_limit_is_a_time(cli, tmp_path, limit):
    write(tmp_path, "holds")
    answer = cli("verify", "--limit", limit)
    assert (answer.code, f"--limit {limit}" in answer.err, answer.out) == (2, True, "")
