"""A record shows that its rule came before its trials, or that it cannot show it."""

import hashlib
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorytools.training.registration import came_first, registration, registration_text
from theorytools.training.sweep import Sweep
from theorytools.training.trials.provenance import described

ONE = Sweep(title="t", question="q", rule="the slope is 2", cells=lambda profile, rules: [], runner="evaluate")
BEGIN = datetime(2026, 1, 1, 12, tzinfo=UTC)


def row(seconds=0.0, created=BEGIN, **provenance):
    return SimpleNamespace(seconds=seconds, created=created.isoformat(), provenance=provenance)


def record(told, rule=ONE.rule):
    return {"rule": rule, "provenance": {"registered": told}}


@pytest.fixture
def committed(tmp_path):
    """A sweep in a repository of its own, committed at noon."""
    (tmp_path / "one.py").write_text("sweep = ...\n")
    when = {"GIT_AUTHOR_DATE": BEGIN.isoformat(), "GIT_COMMITTER_DATE": BEGIN.isoformat()}
    names = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "."], [*names, "commit", "-qm", "the rule"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, env={"PATH": "/usr/bin:/bin:/usr/local/bin", **when})
    return replace(ONE, file=tmp_path / "one.py")


def test_a_rule_that_was_committed_before_the_first_trial_began(committed):
    late, early = BEGIN + timedelta(hours=1), BEGIN + timedelta(seconds=5)
    told = registration(committed, [row(created=late), row(seconds=3.0, created=early)])
    assert came_first(record(told)) is True
    assert told["first"] == (early - timedelta(seconds=3)).isoformat(timespec="seconds")
    assert "before the first trial" in registration_text(record(told))
    assert told["file"] == hashlib.sha256(committed.file.read_bytes()).hexdigest()
    begun = registration(committed, [row(created=late), row(seconds=6.0, created=early)])  # a trial ran already
    assert came_first(record(begun)) is False
    assert "not committed before" in registration_text(record(begun))


def test_another_rule_or_an_uncommitted_file_does_not_come_first(committed):
    told = registration(committed, [row(created=BEGIN + timedelta(hours=1))])
    assert came_first(record(told, rule="the slope is 3")) is False
    committed.file.write_text("sweep = 2\n")
    changed = registration(committed, [row(created=BEGIN + timedelta(hours=1))])
    assert (changed["commit"], changed["committed"]) == ("", "")
    assert came_first(record(changed)) is False
    assert described(committed.file.parent).endswith("-dirty")
    assert described(committed.file.parent / "not" / "yet") == described(committed.file.parent)


def test_trials_that_ran_again_are_not_predicted_by_a_rule_of_between(committed):
    """Wrong version: a rule that was written to an earlier record counted as older than the trials of a new one."""
    told = registration(committed, [row(created=BEGIN + timedelta(hours=2))])
    for hours, came in ((-1, False), (1, True)):
        data = record(told)
        data["provenance"]["earlier"] = {"created": (BEGIN + timedelta(hours=hours)).isoformat(), "commit": ""}
        assert came_first(data) is came
        assert ("ran again: a first record, of 2026-01-01" in registration_text(data)) is not came


def test_what_cannot_be_shown_is_not_said(committed, tmp_path):
    taken = registration(committed, [row(created=BEGIN + timedelta(hours=1), **{"from": "old.json"})])
    assert taken["first"] == ""
    assert came_first(record(taken)) is came_first({"rule": "r", "provenance": {}}) is None
    assert "cannot show" in registration_text({"rule": "r", "provenance": {}})
    assert registration(ONE, [])["first"] == ""


@given(st.lists(st.tuples(st.floats(0, 1e5), st.integers(0, 10**6)), min_size=1, max_size=5))
def test_the_first_trial_is_the_one_that_began_first(trials):
    rows = [row(seconds=taken, created=BEGIN + timedelta(seconds=at)) for taken, at in trials]
    first = datetime.fromisoformat(registration(ONE, rows)["first"])
    assert all(first <= BEGIN + timedelta(seconds=at - taken) for taken, at in trials)
