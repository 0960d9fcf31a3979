"""What goes wrong before anything is judged: ids that nearly match, folders of others, small screens."""

import os
import re
import subprocess
import sys

import pytest
from checkfolders import write
from source_tree import ROOT

from theorytools.cli import main

TOML = '[paper]\nkey = "tiny"\nauthors = "A"\ntitle = "T"\n'
FOLDERS = {
    "nothing": {},
    "a project of pytest": {"checks/test_items.py": "def test_items(): assert True\n", "conftest.py": "\n"},
    "a project of Django": {"manage.py": "import django\n", "checks/__init__.py": "", "checks/apps.py": "\n"},
    "a paper without checks": {"checks/tiny/paper.toml": TOML},
    "a paper that cannot be read": {"checks/tiny/paper.toml": "[paper\n"},
}
STRANGE = "the folder checks here holds no PAPER/paper.toml"
SAID = {
    "nothing": (2, "theorytools search tiny"), "a project of pytest": (2, STRANGE), "a project of Django": (2, STRANGE),
    "a paper without checks": (2, "theorytools new tiny lemma_1"),
    "a paper that cannot be read": (4, "checks/tiny/paper.toml"),
}  # fmt: skip
ONE = ["show", "verify", "can", "falsify", "necessity", "grade", "reseed", "certificates", "figure", "table", "list"]


@pytest.mark.parametrize("command", ONE)
def test_an_id_that_nearly_matches_is_asked_back(cli, tmp_path, command):
    write(tmp_path, "holds")
    answer = cli(command, "tiny.hold")
    assert (answer.code, answer.out) == (2, "")
    assert "did you mean tiny.holds" in answer.err


def test_where_no_id_is_near_none_is_guessed(cli):
    answer = cli("show", "zzzz")
    assert (answer.code, "did you mean" in answer.err, "theorytools search zzzz" in answer.err) == (2, False, True)
    assert "did you mean qstr.proposition_21_trained" in cli("show", "few_heads").err  # by its words


@pytest.mark.parametrize("kind", FOLDERS)
@pytest.mark.parametrize("command", ["verify", "list"])
def test_folders_of_others(cli, tmp_path, kind, command):
    for name, text in FOLDERS[kind].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    answer = cli(command, "tiny")
    code, text = SAID[kind]
    if (kind, command) == ("a paper without checks", "list"):
        assert (answer.code, "theorytools new tiny lemma_1 writes one" in answer.out) == (0, True)
    else:
        assert (answer.code, text in answer.err) == (code, True)
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("command", ["verify", "can", "necessity", "reseed"])
def test_a_folder_of_papers_without_a_check_is_no_run_of_nothing(cli, tmp_path, command):
    (tmp_path / "checks" / "tiny").mkdir(parents=True)
    (tmp_path / "checks" / "tiny" / "paper.toml").write_text(TOML, encoding="utf-8")
    answer = cli(command)
    assert (answer.code, "theorytools new tiny lemma_1 writes one" in answer.err) == (2, True)


NARROW = ["list tiny", "search lemma", "show tiny.holds", "can tiny", "grade tiny.holds", "necessity tiny.holds",
          "reseed tiny.holds", "certificates tiny.holds", "list tiny --summary", "sweep", "doctor"]  # fmt: skip


@pytest.mark.parametrize("words", NARROW)
def test_no_line_is_wider_than_a_phone_but_for_a_word(cli, tmp_path, monkeypatch, words):
    write(tmp_path, "holds")
    width = 40
    monkeypatch.setenv("COLUMNS", str(width))
    answer = cli(*words.split())
    wide = [line for line in answer.out.splitlines() if len(line) > width]
    # a word that nothing may break, alone on its line or behind the name of a line
    assert [line for line in wide if len(line[min(22, len(line) - 1) :].split()) > 1 and len(line.split()) > 2] == []


def test_nor_is_a_plan_but_for_a_path(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys, "argv", ["theorytools", "sweep", "qstr.figure_01a", "--plan"])
    with pytest.raises(SystemExit) as ended:
        main()
    lines = capsys.readouterr().out.splitlines()
    assert (ended.value.code or 0, len(lines) > 20) == (0, True)
    assert [line for line in lines if len(line) > 40 and not line.startswith("record there: ")] == []


@pytest.mark.slow
@pytest.mark.parametrize("words", ["show qstr.lemma_11", "list qstr.lemma_11", "search gausian", "show qstr.lem"])
def test_without_unicode_colour_and_room(tmp_path, words):
    plain = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "60"}
    environment = {**os.environ, **plain, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "theorytools", *words.split()]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment, check=False)
    text = (done.stdout + done.stderr).decode("ascii")
    assert "Traceback" not in text
    assert "\x1b" not in text
    assert [line for line in done.stdout.decode().splitlines() if len(line) > 60 and len(line.split()) > 1] == []
    assert not re.search(r"\?(?!\s)|(?<!\w)\?", text)  # a question ends a word, a sign that is lacking stands anywhere
