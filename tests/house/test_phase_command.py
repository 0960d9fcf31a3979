"""The command ``phase``: lists, prints, writes, and refuses."""

import json
from xml.etree import ElementTree

import pytest
from decided import decided


def test_the_list_names_every_diagram(cli):
    answer = cli("phase")
    assert answer.code == 0
    assert "qstr.heads" in answer.out
    assert "sep.widths" in answer.out
    listed = json.loads(cli("phase", "--json").out)["diagrams"]
    assert {one["name"] for one in listed} >= {"qstr.heads", "stsq.encodings"}


def test_a_diagram_is_written_in_every_format(cli, tmp_path, monkeypatch):
    monkeypatch.setattr("theorytools.phase.diagram.decide", decided)  # once for all three
    answer = cli("phase", "stsq.encodings", "--format", "svg", "--out", "a.svg")
    assert answer.code == 0
    assert answer.out.startswith("a.svg: open: ")
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")
    told = cli("phase", "stsq.encodings")
    assert told.code == 0
    assert "by stsq.neighborly_lower" in told.out
    assert " of 216 cells" in told.out
    monkeypatch.setenv("COLUMNS", "60")
    lines = [len(line) for line in cli("phase", "stsq.encodings").out.splitlines()]
    assert 50 < max(lines) <= 60
    assert cli("phase", "stsq.encodings", "--out", "a.txt").code == 0
    assert max(map(len, (tmp_path / "a.txt").read_text(encoding="utf-8").splitlines())) > 100  # a file has no width
    data = json.loads(cli("phase", "encodings", "--format", "json").out)
    assert sum(data["counts"].values()) == 216


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("heds",), "did you mean qstr.heads"),
        (("qstr.heads", "--format", "pdf"), "text, svg, csv, json"),
        (("qstr.heads", "--out", "no/such/folder.svg"), "mkdir -p"),
        (("--format", "svg"), "the name of a diagram"),
        (("qstr.heads", "--record"), "--record alone"),
    ],
)
def test_mistakes_are_told_without_a_traceback(cli, words, said):
    answer = cli("phase", *words)
    assert answer.code == 2
    assert said in answer.err
    assert "Traceback" not in answer.err


def test_a_declaration_that_holds_nothing_is_a_check_error(cli, tmp_path):
    folder = tmp_path / "checks" / "tiny" / "phase"
    folder.mkdir(parents=True)
    (folder.parent / "paper.toml").write_text('[paper]\nkey = "tiny"\ntitle = "Tiny"\n', encoding="utf-8")
    (folder / "empty.py").write_text("x = 1\n", encoding="utf-8")
    answer = cli("phase", "tiny.empty")
    assert answer.code == 4
    assert "phase = Phase(...)" in answer.err
