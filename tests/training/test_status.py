"""How far a sweep has come: counts by arm, the time left, and a driver that is not heard of."""

import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import answered
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweep_command import run

from theorytools.errors import FolderError
from theorytools.training.status import QUIET, span, status, status_text
from theorytools.training.sweep import sweeps
from theorytools.training.trials.trial import Result

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class Told:
    """A store that has some trials, acknowledged at given seconds."""

    def __init__(self, at, seconds, failed=()):
        self.at, self.seconds, self.failed = at, seconds, failed

    def get(self, spec):
        i = spec["i"]
        if i not in self.at:
            return None
        state = "failed" if i in self.failed else "done"
        created = (BEGIN + timedelta(seconds=self.at[i])).isoformat()
        return SimpleNamespace(status=state, seconds=self.seconds[i], created=created, reason="it broke")


def asked(n):
    return [[{"i": i, "arm": "ab"[i % 2]}] for i in range(n)]


@given(st.integers(1, 12), st.integers(1, 4), st.floats(0.5, 50))
def test_of_trials_alike_the_rest_takes_its_share_of_the_time(there, workers, took):
    n = 4 * there * workers
    rounds = {i: took * (1 + i // workers) for i in range(there * workers)}
    told = status(asked(n), Told(rounds, dict.fromkeys(rounds, took)), BEGIN + timedelta(seconds=1000))
    assert sum(arm["missing"] for arm in told["arms"]) == n - there * workers
    assert told["worker_seconds_left"] == pytest.approx(took * (n - there * workers))
    if there * workers <= 20 or 20 % workers == 0:  # whole rounds tell the pace
        assert told["at_a_time"] == pytest.approx(workers, rel=0.01)
        assert told["seconds_left"] == pytest.approx(3 * there * took, rel=0.01)


def test_a_pause_between_two_runs_is_no_pace():
    told = status(asked(4), Told({0: 1.0, 1: 5000.0, 2: 5001.0}, dict.fromkeys(range(3), 1.0)), BEGIN)
    assert told["at_a_time"] == pytest.approx(1.0)


def test_a_driver_that_is_not_heard_of_is_said_and_an_end_is():
    store = Told({0: 1.0}, {0: 1.0})
    early = status(asked(2), store, BEGIN + timedelta(seconds=QUIET))
    late = status(asked(2), store, BEGIN + timedelta(seconds=QUIET + 5))
    assert (early["quiet"], late["quiet"]) == (False, True)
    assert "no driver" in status_text(late)
    assert "no driver" not in status_text(early)
    whole = status(asked(1), store, BEGIN + timedelta(days=1))
    assert (whole["quiet"], whole["worker_seconds_left"]) == (False, 0.0)
    assert "all trials are there" in status_text(whole)
    nothing = status(asked(1), Told({}, {}), BEGIN)
    assert nothing["seconds_left"] is nothing["last_seconds_ago"] is None
    assert "nothing is there yet" in status_text(nothing)


def test_failures_are_counted_by_reason_and_are_no_pace():
    told = status(asked(4), Told({0: 1.0, 1: 2.0}, {0: 1.0, 1: 9.0}, failed=(1,)), BEGIN)
    assert told["reasons"] == {"it broke": 1}
    assert [(arm["arm"], arm["failed"]) for arm in told["arms"]] == [("a", 0), ("b", 1)]
    assert told["worker_seconds_left"] == pytest.approx(2 * 1.0)  # of arm b nothing is known but of arm a


def test_a_missing_trial_takes_what_its_group_took_or_else_its_arm():
    asked = {"a": [(0, 1, 2), (3, 4)], "b": [(5, 6), (7, 8)]}
    groups = [[{"i": i, "arm": arm} for i in group] for arm, own in asked.items() for group in own]
    seconds = {0: 1.0, 3: 10.0, 5: 100.0}
    told = status(groups, Told(seconds, seconds), BEGIN)  # the first of each group is there, and none of the last
    assert told["worker_seconds_left"] == pytest.approx(2 * 1 + 10 + 100 + 2 * 100)


@pytest.mark.parametrize(("seconds", "said"), [(0.04, "0.04 s"), (45, "45 s"), (150, "2.5 min"), (7300, "2 h"),
                                               (3600 * 50, "2.1 d"), (86400 * 400, "400 d")])  # fmt: skip
def test_a_length_of_time_is_short(seconds, said):
    assert span(seconds) == said


def test_the_command_reads_a_store_beside_its_driver(store):
    (one,) = sweeps("two_step", None)
    specs = [spec for group in one.groups("smoke", "corrected") for spec in group]
    store.add(specs[0], {"risk": 0.5}, seconds=1.0)
    store.add(specs[1], Result(status="failed", reason="out of memory"))
    told = run("two_step", "--status", "--store", store.path)
    assert told.exit_code == 1  # a trial failed
    assert re.search(r"two layers +2 +1 +0 +1 +0", told.output)
    assert "1 failed: out of memory" in told.output
    data = answered.told(run("two_step", "--status", "--json", "--store", store.path).stdout, 1)
    assert sum(arm["missing"] for arm in data["arms"]) == len(specs) - 2


def test_no_store_is_an_error_and_none_is_made(tmp_path):
    with pytest.raises(FolderError, match="does not exist"):
        run("two_step", "--status", "--store", tmp_path / "none.sqlite")
    assert list(tmp_path.iterdir()) == []
