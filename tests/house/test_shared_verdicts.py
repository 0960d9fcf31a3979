"""A claim is judged once in a run of the tests, whoever asks first and however many ask at once."""

import threading

import pytest
import shared_verdicts
from checkfolders import write
from every_claim import chunks, each
from shared_verdicts import FOLDER, judged

from theorytools.claims.papers.catalogue import Catalogue

pytest_plugins = ["pytester"]


@pytest.fixture
def entry(tmp_path, monkeypatch):
    monkeypatch.setattr(shared_verdicts, "ROOT", write(tmp_path / "own", "holds"))
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return Catalogue(shared_verdicts.ROOT).entries[0]


def test_of_several_that_ask_at_once_one_judges_and_the_others_wait(entry):
    begun, found, all_ask = [], [], threading.Barrier(4)

    def judge():
        begun.append(1)
        others.wait(0.05)  # long enough for whoever would not wait
        return {"id": entry.id}

    def ask():
        all_ask.wait()
        found.append(judged(entry, judge))

    others, threads = threading.Event(), [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(begun), found) == (1, [{"id": entry.id}] * 4)


def test_a_claim_of_another_folder_and_one_outside_a_run_are_judged_each_time(entry, tmp_path, monkeypatch):
    asked = []
    (other,) = Catalogue(write(tmp_path / "other", "holds")).entries
    for _ in range(2):
        judged(other, lambda: asked.append("other"))
    monkeypatch.delenv(FOLDER)
    for _ in range(2):
        judged(entry, lambda: asked.append("outside"))
    assert asked == ["other"] * 2 + ["outside"] * 2


def test_an_item_takes_the_verdict_that_the_run_has_kept(pytester):
    checks = write(pytester.path, "holds")
    (check,) = (checks / "tiny").glob("holds.py")
    pytester.makeconftest(
        "def pytest_theorytools_judge(entry, judge):\n"
        "    data = judge()\n"
        "    return {**data, 'as_expected': False, 'reason': 'as it was kept'}\n"
    )
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:benchmark", "-q", check)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*as it was kept*"])


def test_a_test_of_many_claims_names_each_at_fault_and_asks_all():
    asked = []

    def right(id):
        asked.append(id)
        assert id != "b", "not so"
        if id == "d":
            raise KeyError(id)

    of_many = each(chunks("abcde", 2))(right)
    assert [p.values for p in of_many.pytestmark[0].args[1]] == [(["a", "c", "e"],), (["b", "d"],)]
    of_many(["a", "c"])
    with pytest.raises(AssertionError, match=r"b, line \d+: AssertionError: not so\s[^$]*d, line \d+: KeyError: 'd'"):
        of_many(["a", "b", "d", "e"])
    assert asked == ["a", "c", "a", "b", "d", "e"]
