"""The folder of a report: page, JSON and tables, written as a whole or not at all."""

import json

import pytest
from report_examples import PAPERS, verdicts
from report_parts import RUN

from theorytools import files, reporting
from theorytools.errors import DomainError
from theorytools.reporting import page


def test_folder_holds_page_json_and_tables(tmp_path):
    made = reporting.write_report(tmp_path / "new" / "reports", verdicts()[-1:], PAPERS, run=RUN)
    assert made == tmp_path / "new" / "reports" / "index.html"
    data = json.loads((made.parent / "index.json").read_text(encoding="utf-8"))
    assert data["papers"] == PAPERS
    assert data["run"] == RUN
    assert [v["id"] for v in data["verdicts"]] == ["other.claim"]
    assert sorted(p.name for p in made.parent.iterdir()) == [
        "index.html",
        "index.json",
        "verdicts.md",
        "verdicts.tex",
    ]


@pytest.mark.parametrize("broken", ["render", "write"])
def test_failure_leaves_the_old_report_whole(tmp_path, monkeypatch, broken):
    def fail(*args, **kwargs):
        raise OSError("no space left") if broken == "write" else ZeroDivisionError

    before = {name: f"old {name}" for name in ("index.html", "index.json", "verdicts.md", "verdicts.tex")}
    for name, text in before.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(*((page, "render_pages") if broken == "render" else (files.os, "fsync")), fail)
    with pytest.raises((ZeroDivisionError, DomainError)):
        page.write_report(tmp_path, verdicts()[-1:], [], run={})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == before


def test_unwritable_folder_is_an_error_with_four_parts(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DomainError) as caught:
        files.write_text(tmp_path / "file" / "reports" / "x", "text")
    assert all([caught.value.given, caught.value.required, caught.value.why, caught.value.advice])


def test_nan_is_refused():
    with pytest.raises(DomainError, match="finite"):
        files.json_text({"slack": float("nan")})
