"""Kill -9 of workers, pools, drivers and ``verify``: what is acknowledged stays, and what is missing is found."""

import json
import random
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from source_tree import ROOT

from tools.kills import sweeps, verify
from tools.kills.__main__ import joined, kept

needs_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds workers in /proc")


@needs_proc
@pytest.mark.slow
def test_killing_workers_the_pool_and_the_driver_loses_no_acknowledged_trial():
    record = sweeps.campaign(12, entropy=0)
    assert record["holds"], json.dumps(record)
    assert set(record["kills"].values()) == {4}


def test_a_store_that_speaks_too_soon_is_caught(tmp_path):
    """The control of the store: what it said before the driver died is not there."""
    driver = sweeps.started(tmp_path, 0, 100, "LazyStore")
    while driver.poll() is None and len(sweeps.lines(tmp_path / "acknowledged")) < 5:
        time.sleep(0.005)
    driver.kill()
    driver.communicate()
    assert driver.returncode == -9
    assert len(set(sweeps.lines(tmp_path / "acknowledged")) - sweeps.stored(tmp_path).keys()) >= 5


def test_the_comparison_finds_each_fault(tmp_path):
    """The control of the campaign: spoil what is stored or said, and it says so."""
    sweeps.run_driver(tmp_path, 0, 4)
    said = sweeps.lines(tmp_path / "acknowledged")
    whole = (tmp_path / "trials.sqlite").read_bytes()
    first = f"where key = '{said[0]}'"
    spoiled = {
        "none": "select 1", "duplicated": "select 1",
        "lost": f"delete from trials {first}", "missing": f"delete from trials {first}",
        "different": f"update trials set result = '{{\"value\":0}}' {first}",
        "foreign": "insert into trials select 'x', spec, status, result, '', '{}', 0, '' from trials limit 1",
    }  # fmt: skip
    for fault, sql in spoiled.items():
        (tmp_path / "trials.sqlite").write_bytes(whole)
        with closing(sqlite3.connect(tmp_path / "trials.sqlite")) as db, db:
            db.execute(sql)
        (tmp_path / "acknowledged").write_text("\n".join([*said, said[0]][: 5 if fault == "duplicated" else 4]) + "\n")
        totals = Counter()
        sweeps.compared(tmp_path, 0, 4, totals)
        gone = {"none": set(), "lost": {"lost", "missing"}, "missing": {"lost", "missing"}}
        assert {name for name in sweeps.FAULTS if totals[name]} == gone.get(fault, {fault})


@needs_proc
@pytest.mark.slow
def test_killing_verify_its_workers_and_the_writer_loses_no_verdict_and_tears_no_page():
    checks = ("stsq.question_h", "stsq.experiments_layer_norm")
    record = verify.campaign(3, entropy=0, groups=[checks])
    assert record["holds"], json.dumps(record)
    assert set(record["kills"].values()) == {1}
    assert set(record["tree"]["claims"]) == set(verify.claims_in(checks))


def test_the_checks_that_are_disturbed_are_of_every_paper_and_the_librarys_own():
    groups = verify.light(random.Random(0))
    assert all(len(group) == verify.TOGETHER for group in groups)
    checks = [name for group in groups for name in group]
    assert len(set(checks)) == len(checks) >= 40
    assert {name.split(".")[0] for name in checks} == {"qstr", "sep", "stsq"}
    assert len(verify.claims_in(checks)) >= len(checks)


@pytest.mark.slow
def test_the_search_of_a_reports_folder_finds_each_fault(tmp_path):
    """The control of the campaign on verify: spoil the folder, and it says so."""
    reference = verify.Undisturbed(tmp_path, ("stsq.question_h", "stsq.experiments_layer_norm"))
    folder = tmp_path / "report"
    before = verify.verdicts_in_place(tmp_path)
    assert len(before) == reference.claims
    verdict, page = sorted((folder / "verdicts").glob("*.json"))[0], folder / "index.html"
    faults = {
        "none": (page, lambda text: text), "torn": (page, lambda text: text[: len(text) // 2]),
        "torn verdict": (verdict, lambda text: text[:-9]), "lost": (verdict, None),
        "different": (verdict, lambda text: text.replace('"outcome":"HOLDS"', '"outcome":"REFUTED"')),
    }  # fmt: skip
    for fault, (path, spoil) in faults.items():
        text = path.read_text(encoding="utf-8")
        path.unlink() if spoil is None else path.write_text(spoil(text), encoding="utf-8")
        totals = Counter()
        verify.examine(tmp_path, before, reference, totals)
        assert {name for name in verify.FAULTS if totals[name]} == {fault.split()[0]} - {"none"}
        path.write_text(text, encoding="utf-8")


def test_blocks_of_kills_are_added_and_one_fault_is_a_fault_of_all():
    one = {"holds": True, "entropy": "1", "kills": {"pool": 2}, "verify": {"holds": True, "runs": 3},
           "tree": {"claims": {"a": "x"}, "modules": {"m": "y"}}}  # fmt: skip
    two = {**one, "entropy": "2", "verify": {"holds": False, "runs": 4}, "tree": {"claims": {"b": "z"}, "modules": {}}}
    assert joined(one, two) == {
        "holds": True, "entropy": "1", "kills": {"pool": 4}, "verify": {"holds": False, "runs": 7},
        "tree": {"claims": {"a": "x", "b": "z"}, "modules": {"m": "y"}},
    }  # fmt: skip


def test_kills_of_other_code_are_not_added_to(tmp_path):
    record = tmp_path / "kills.json"
    assert kept(record) is None
    for tree in ({}, {"claims": {"qstr.lemma_11": "0"}, "modules": {}}):
        record.write_text(json.dumps({"holds": True, "tree": tree}), encoding="utf-8")
        assert kept(record) is None


def test_the_committed_record_holds():
    record = json.loads((ROOT / "reports" / "kills.json").read_text(encoding="utf-8"))
    total = sum(record["kills"].values()) + sum(record["verify"]["kills"].values())
    assert record["holds"]
    assert total >= 1000
