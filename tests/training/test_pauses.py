"""A cell that is cut goes on where it was, and gives what it would have given."""

import json
from fractions import Fraction

import answered
import pytest
from sweep_command import TINY, plant, run, toy_sweep

from theorytools.errors import FolderError
from theorytools.papers.qstr.training import pause, search
from theorytools.papers.qstr.training.experiment import Experiment, cell
from theorytools.training.sweep import run_group

SMALL = {"N": 4, "d": 2, "threshold": Fraction(9, 10), "test_size": 300, "check_every": 2, "cap": 1500}


class CutError(Exception):
    """What ends a race from outside."""


def race(architecture, count=3, **settings):
    return [Experiment(architecture=architecture, repeat=k, **(SMALL | settings)) for k in range(count)]


def cut_after(checks):
    """A progress that ends the race in the evaluation after so many, when their state is on the disk."""
    seen = []

    def progress(prompts, left):
        seen.append(prompts)
        if len(seen) > checks:
            raise CutError

    return progress


def cut_and_resumed(cell, folder, cuts, **settings):
    """The outcomes of a race that is cut after each of these evaluations, counted from where it went on."""
    found = {}
    for checks in cuts:
        with pytest.raises(CutError):
            found.update(search.run_cell(cell, pauses=folder, progress=cut_after(checks), **settings))
        assert len(list(folder.glob("*.pt"))) == 1
    found.update(again := dict(search.run_cell(cell, pauses=folder, **settings)))
    assert set(again) == set(cell)  # what ended before the cut is told again
    assert list(folder.iterdir()) == []
    return found


@pytest.fixture
def often(monkeypatch):
    """Every evaluation is kept."""
    monkeypatch.setattr(pause, "EVERY", 0.0)


CASES = [
    ("transformer", {}), ("merged", {}), ("ffn", {}), ("ffn", {"optimiser": "sgd", "weight_decay": Fraction(1, 100)}),
    ("gru", {"width": 4}), ("lstm", {"width": 4}), ("transformer", {"optimiser": "sgd", "lr": Fraction(1, 10)}),
]  # fmt: skip


@pytest.mark.parametrize(("architecture", "settings"), CASES)
@pytest.mark.parametrize("ahead", [False, True])
def test_a_race_that_is_cut_gives_what_it_would_have_given(architecture, settings, ahead, often, tmp_path):
    cell = race(architecture, **settings)
    whole = dict(search.run_cell(cell))
    last = max(outcome.checks for outcome in whole.values())
    assert last >= 6
    first = min(outcome.checks for outcome in whole.values())
    for cuts in ([1, 2], [first, 1] if first + 1 < last else [last - 2], [last - 2]):
        assert cut_and_resumed(cell, tmp_path, cuts, ahead=ahead) == whole


def test_a_race_of_another_cell_device_rule_or_code_begins_at_its_start(often, tmp_path, monkeypatch, capsys):
    cell = race("transformer")
    with pytest.raises(CutError):
        dict(search.run_cell(cell, pauses=tmp_path, progress=cut_after(2)))
    (kept,) = tmp_path.iterdir()

    def begun(cell, **settings):
        seen = []
        dict(search.run_cell(cell, pauses=tmp_path, progress=lambda prompts, _: seen.append(prompts), **settings))
        return seen[0]

    period = cell[0].batch * cell[0].check_every
    assert begun(cell[:2]) == begun(race("transformer", lr=Fraction(1, 500))) == begun(cell, full=True) == period
    with monkeypatch.context() as patch:
        patch.setattr(pause, "_code", lambda: "other")
        assert begun(cell) == period
    assert "goes on" not in capsys.readouterr().err
    assert kept.is_file()
    assert begun(cell) == 3 * period
    assert f"transformer at N = 4 goes on after {2 * period} prompts" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"no pause", "half"])
def test_a_file_that_cannot_be_read_is_said_and_the_cell_begins_again(content, often, tmp_path, capsys):
    cell = race("transformer", 2)
    with pytest.raises(CutError):
        dict(search.run_cell(cell, pauses=tmp_path, progress=cut_after(2)))
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:1000] if content == "half" else content)
    assert dict(search.run_cell(cell, pauses=tmp_path)) == dict(search.run_cell(cell))
    assert "cannot be read" in capsys.readouterr().err


def test_a_race_that_was_cut_after_its_last_outcome_tells_them_again(often, tmp_path):
    cell = race("transformer", 2)
    outcomes = search.run_cell(cell, pauses=tmp_path)
    found = dict(next(outcomes) for _ in cell)
    outcomes.close()
    assert dict(search.run_cell(cell, pauses=tmp_path)) == found
    assert list(tmp_path.iterdir()) == []


def test_pauses_that_cannot_be_written_are_an_error_and_short_races_write_none(often, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    with pytest.raises(FolderError, match="where writing failed"):
        dict(search.run_cell(race("transformer", 1), pauses=tmp_path / "file"))
    monkeypatch.setattr(pause, "EVERY", 600.0)
    dict(search.run_cell(race("transformer", 1), pauses=tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_a_runner_is_given_the_folder_if_it_asks_for_one(tmp_path):
    def plain(specs, device):
        return ((spec, {"given": ""}) for spec in specs)

    def pausing(specs, device, pauses):
        return ((spec, {"given": pauses.name}) for spec in specs)

    for runner, given in ((plain, ""), (pausing, "cells")):
        ((_, result),) = run_group(runner, [{"arm": "a"}], pauses=tmp_path / "cells")
        assert result.value == {"given": given}


def test_a_sweep_that_is_interrupted_within_a_cell_goes_on_there(often, tmp_path, monkeypatch):
    one = toy_sweep(lambda profile, protocol: [cell(2, N=N, protocol=protocol, **TINY) for N in (4, 5)])
    plant(monkeypatch, one)
    monkeypatch.chdir(tmp_path)
    whole = answered.told(run("toy", "--store", "whole.sqlite", "--json").stdout, 0)["trials"]
    keep, count = pause.Pause.keep, []

    def cut(self, *stands):
        keep(self, *stands)
        count.append(0)
        if len(count) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pause.Pause, "keep", cut)
        assert run("toy", "--store", "cut.sqlite").exit_code == 130
    assert len(list((tmp_path / "cut.cells").glob("*.pt"))) == 1
    second = run("toy", "--store", "cut.sqlite", "--json")
    assert "goes on after" in second.stderr
    assert json.loads(second.stdout)["trials"] == whole
    assert list((tmp_path / "cut.cells").iterdir()) == []
