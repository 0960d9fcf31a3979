"""What ``verify`` shows while it works: a word where nobody sees a bar, and signs that the terminal has."""

import io

import pytest
from checkfolders import write
from typer.testing import CliRunner

import theorytools.cli.command  # noqa: F401  (registers what a terminal lacks)
from theorytools.cli import display
from theorytools.cli.app import app
from theorytools.cli.display import Display

VERDICT = {"id": "toy.lemma_01", "outcome": "HOLDS"}


def test_long_work_without_a_terminal_tells_how_far_it_is(capsys, monkeypatch):
    monkeypatch.setattr(display, "SILENCE", 0.0)
    with Display(quiet=False, total=2) as shown:
        shown.verdict(VERDICT)
        shown.verdict({**VERDICT, "id": "toy.lemma_02"})
    assert capsys.readouterr().err == "1 of 2: toy.lemma_01 HOLDS\n2 of 2: toy.lemma_02 HOLDS\n"


@pytest.mark.parametrize(("quiet", "silence"), [(True, 0.0), (False, 3600.0)])
def test_short_or_quiet_work_does_not(capsys, monkeypatch, quiet, silence):
    monkeypatch.setattr(display, "SILENCE", silence)
    with Display(quiet=quiet, total=1) as shown:
        shown.verdict(VERDICT)
    assert capsys.readouterr().err == ""


def test_a_terminal_without_the_sign_of_multiplication_shows_x():
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="ascii", errors="plain") as terminal:
        terminal.write("constant ×1.5, N^±0.1, 1 ≤ 2 … 語")
        terminal.flush()
        assert raw.getvalue() == b"constant x1.5, N^+-0.1, 1 <= 2 ... ?"


def test_a_powerless_check_is_told_what_to_do(tmp_path, monkeypatch):
    write(tmp_path, "powerless")
    monkeypatch.chdir(tmp_path)
    shown = " ".join(CliRunner().invoke(app, ["verify", "tiny.powerless", "--no-report"]).stdout.split())
    assert f"try {display.TELLS} again theorytools verify tiny.powerless" in shown
