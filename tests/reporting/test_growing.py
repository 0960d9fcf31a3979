"""A report while its claims are judged: what is shown before the end, and that the end does not depend on it."""

import itertools
import json
import re

import pytest
from checkfolders import check, write

from theorytools.reporting import growing
from theorytools.reporting.manifest import NAME, SCHEMA, ReportFolder

UNFINISHED = "This report is not finished"


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(growing, "PATIENCE", 0.0)
    monkeypatch.setattr(growing, "EVERY", 0.0)


TIMED = ("times.json", "written.json")  # what claims took, and the digests of verdicts, which say it


def project(folder, *kinds):
    """A statement with two claims, and others with one."""
    checks = write(folder, "holds", *kinds)
    (checks / "tiny" / "holds_more.py").write_text(check("holds", "more"), encoding="utf-8")
    return checks


def pages(folder):
    found = {
        p.relative_to(folder).as_posix(): p.read_text("utf-8") for p in folder.rglob("*.*") if "verdicts" not in p.parts
    }
    return {path: re.sub(r"\d{4}-\d\d-\d\dT[\d:+]+", "", text) for path, text in found.items() if path not in TIMED}


def test_what_was_shown_before_leaves_no_trace_in_the_report(cli, tmp_path, monkeypatch):
    project(tmp_path, "refuted", "sampled", "worded")
    assert cli("verify", "--report", "plain", "--jobs", "1").code == 1
    monkeypatch.setattr(growing, "PATIENCE", 0.0)
    assert cli("verify", "--report", "grown", "--jobs", "1").code == 1
    plain, grown = pages(tmp_path / "plain"), pages(tmp_path / "grown")
    manifests = [json.loads(side.pop(NAME)) for side in (plain, grown)]
    assert grown == plain
    assert manifests[0]["files"].keys() == manifests[1]["files"].keys()
    assert manifests[0]["origin"] == manifests[1]["origin"]


@pytest.mark.usefixtures("at_once")
def test_a_run_that_was_cut_off_leaves_pages_that_say_so_and_the_next_one_finishes(cli, tmp_path):
    checks = project(tmp_path, "interrupted", "refuted")
    answer = cli("verify", "--jobs", "1")
    assert answer.code == 130
    assert "the report says that it is not finished" in answer.err
    site = tmp_path / "site"
    front = (site / "index.html").read_text("utf-8")
    assert UNFINISHED in front
    assert "2 of 4 claims judged so far" in front
    assert '<a href="tiny/holds.html">Lemma holds</a> <span class="quiet">2 of 2 claims judged' in front
    assert "Lemma refuted <span" in front  # no page yet, so no link
    assert "Lemma one" not in front
    shown = {path.relative_to(site).as_posix(): path.read_text("utf-8") for path in site.rglob("*.html")}
    for path, text in shown.items():  # no link leads nowhere, and every page is listed as the report's own
        for href in re.findall(r'href="([^"#:]+)', text):
            assert (site / path).parent.joinpath(href).is_file(), (path, href)
    assert not growing.finished(site)
    listed = ReportFolder(site).listed()
    assert shown.keys() <= listed.keys()
    assert {f"sections/{path.name}" for path in (site / "sections").iterdir()} <= listed.keys()
    assert 'id="tiny.holds_more"' in shown["tiny/holds.html"]
    (checks / "tiny" / "interrupted.py").write_text(check("holds", "one"), encoding="utf-8")
    assert cli("verify", "--jobs", "1").code == 1
    assert not [path for path in site.rglob("*.html") if UNFINISHED in path.read_text("utf-8")]
    assert growing.finished(site)
    listed = ReportFolder(site).listed()
    assert {f"sections/{path.name}" for path in (site / "sections").iterdir()} <= listed.keys()


@pytest.mark.usefixtures("at_once")
def test_a_finished_report_is_left_alone_until_the_next_is(cli, tmp_path):
    checks = project(tmp_path, "worded")
    assert cli("verify").code == 0
    good = pages(tmp_path / "site")
    (checks / "tiny" / "worded.py").write_text(check("interrupted", "worded"), encoding="utf-8")
    (checks / "tiny" / "holds.py").write_text(check("holds", "changed"), encoding="utf-8")
    answer = cli("verify", "--jobs", "1")
    assert (answer.code, "the report was left as it is" in answer.err) == (130, True)
    assert pages(tmp_path / "site") == good


@pytest.mark.usefixtures("at_once")
def test_a_run_with_errors_replaces_what_is_not_finished(cli, tmp_path):
    project(tmp_path, "raising", "worded")
    assert cli("verify", "--jobs", "1").code == 4
    front = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert UNFINISHED not in front
    assert "This run is not complete" in front


def grown(folder, ids, **said):
    """A growing report of a paper whose statements are these claims, told one after the other."""
    statements = [{"id": id, "label": id, "claims": [f"tiny.{id}"]} for id in ids]
    papers = [{"key": "tiny", "statements": statements}]
    return growing.Growing(folder, lambda: papers, [], [f"tiny.{id}" for id in ids], said)


def test_the_index_is_renewed_now_and_then_and_short_runs_show_nothing(tmp_path, monkeypatch):
    clock = itertools.count()
    monkeypatch.setattr(growing.time, "monotonic", lambda: next(clock) / 2)
    report, written = grown(tmp_path, [str(k) for k in range(40)]), []
    monkeypatch.setattr(report.place, "write", lambda pages, durable: written.append(set(pages)))
    monkeypatch.setattr(report.place, "list", lambda *arguments: None)
    for id in range(39):
        report.lose(f"tiny.{id}")
    began = [k for k, names in enumerate(written) if "trust.html" in names]
    assert began == [0]  # what every page leads to stands before the first index
    assert "index.html" not in written[0]
    renewed = sum("index.html" in names for names in written)
    assert 3 <= renewed <= 7  # of 39 claims, told every half second or so
    before = len(written)
    report.lose("tiny.39")  # the last one: the report itself comes now
    assert len(written) == before
    assert report.index()
    assert not grown(tmp_path, "a").index()


@pytest.mark.usefixtures("at_once")
def test_where_nothing_can_be_written_the_run_goes_on(tmp_path):
    (tmp_path / "site").write_text("a file", encoding="utf-8")
    report = grown(tmp_path / "site", ["a", "b", "c"])
    report.lose("tiny.a")
    report.lose("tiny.b")
    assert report.failed
    assert not report.index()
    assert (tmp_path / "site").read_text(encoding="utf-8") == "a file"


@pytest.mark.parametrize("text", ["", "[]", '{"origin": 3}', '{"origin": {"unfinished": false}}'])
def test_a_report_whose_list_says_nothing_is_taken_for_finished(tmp_path, text):
    assert not growing.finished(tmp_path)
    (tmp_path / NAME).write_text(text, encoding="utf-8")
    assert not growing.finished(tmp_path)
    (tmp_path / "index.html").write_text("", encoding="utf-8")
    assert growing.finished(tmp_path)
    made = {"schema": SCHEMA, "origin": {"unfinished": True}}
    (tmp_path / NAME).write_text(json.dumps(made), encoding="utf-8")
    assert not growing.finished(tmp_path)
