"""What the command ``sweep`` refuses, told by the program itself: exit code, message, and nothing left behind."""

import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from sweep_command import TINY, plant, toy_sweep

from theorytools import Store
from theorytools.cli import main
from theorytools.cli.formats import INFRASTRUCTURE, UNEXPECTED, USAGE
from theorytools.papers.qstr.training.costs import group_bytes
from theorytools.papers.qstr.training.experiment import cell
from theorytools.training import memory
from theorytools.training import sweep as places
from theorytools.training.trials import store_file, work
from theorytools.training.trials.trial import Result

STOP = []


def run_fast(specs, device="cpu"):
    for spec in specs:
        if len(STOP) == 1:
            STOP.append("now")
            raise KeyboardInterrupt
        yield dict(spec), Result({"samples": spec["N"]})
        STOP.append("one") if STOP == [] and spec["repeat"] == 1 else None


TOY = toy_sweep(lambda profile, protocol: [cell(2, N=N, protocol=protocol, **TINY) for N in (4, 5)])


@pytest.fixture
def toy(monkeypatch, tmp_path):
    plant(monkeypatch, TOY)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def told(monkeypatch, capfd):
    """Run the program with these arguments; return exit code, standard output and standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["theorytools", "sweep", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        said = capfd.readouterr()
        assert "Traceback" not in said.err
        return end.value.code or 0, said.out, said.err

    return run


@pytest.mark.parametrize(
    ("options", "given", "required"),
    [(["--profile", "quick"], "the profile 'quick' of toy", "one of smoke, published, wide"),
     (["--protocol", "faithful"], "the protocol 'faithful'", "released, corrected"),
     (["--device", "tpu"], "--device tpu", "cpu or cuda"),
     (["--device", "cuda"], "--device cuda for toy", "required: cpu"),
     (["--executor", "threads"], "the engine 'threads'", "processes:4"),
     (["--executor", "proceses"], "the engine 'proceses'", "did you mean processes?"),
     (["--block", "5/4"], "--block 5/4", "k/n"), (["--export", "t.xlsx"], "--export t.xlsx", ".csv or .parquet")],
)  # fmt: skip
def test_words_that_are_not_there_are_named_and_nothing_is_made(toy, told, tmp_path, options, given, required):
    code, out, err = told("toy", *options)
    assert (code, out) == (USAGE, "")
    assert err.startswith(f"given:    {given}")
    assert required in err
    assert list(tmp_path.iterdir()) == []


def test_a_device_that_the_machine_lacks_is_named(toy, told, tmp_path, monkeypatch):
    plant(monkeypatch, replace(TOY, devices=("cpu", "cuda")))
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    code, _, err = told("toy", "--device", "cuda")
    assert code == USAGE
    assert "a CUDA device that torch sees" in err
    assert "--device cpu" in err
    assert list(tmp_path.iterdir()) == []


def test_one_table_of_two_sweeps_would_be_half_of_it(toy, told):
    code, _, err = told("qstr.figure_01", "--export", "t.csv")
    assert code == USAGE
    assert "figure_01a, figure_01b" in err


# -- stores --------------------------------------------------------------------------------------------------------
def test_a_store_of_another_version_is_named(toy, told, tmp_path):
    with closing(sqlite3.connect(tmp_path / "later.sqlite")) as db:
        db.execute(f"pragma application_id = {store_file.APPLICATION}")
        db.execute("pragma user_version = 7")
    before = (tmp_path / "later.sqlite").read_bytes()
    code, out, err = told("toy", "--store", "later.sqlite")
    assert (code, out) == (INFRASTRUCTURE, "")
    assert "later.sqlite, a store of version 7" in err
    assert "required: version 1" in err
    assert (tmp_path / "later.sqlite").read_bytes() == before


def filled(path, rows=400):
    with Store(path) as store:
        for k in range(rows):
            store.add({"k": k}, {"text": "x" * 500})
    return path.read_bytes()


@pytest.mark.parametrize("how", ["text", "a page of noise", "zeros in the middle", "cut", "another program"])
def test_a_corrupt_store_is_refused_before_anything_runs(toy, told, tmp_path, how):
    path = tmp_path / "s.sqlite"
    data = filled(path)
    if how == "text":
        path.write_text("these are no trials, whatever the name says")
    elif how == "another program":
        path.unlink()
        with closing(sqlite3.connect(path)) as db:
            db.execute("create table t (x)")
    elif how == "a page of noise":  # of the many, the one page that no row asked for here lies on
        at = 4096 * (len(data) // 4096 - 2)
        path.write_bytes(data[:at] + bytes(range(256)) * 16 + data[at + 4096 :])
    else:
        third = len(data) // 3
        path.write_bytes(data[:third] + (bytes(third) + data[2 * third :] if how != "cut" else b""))
    spoiled = path.read_bytes()
    for options in ([], ["--stored"]):
        code, out, err = told("toy", "--store", path, *options)
        assert (code, out) == (INFRASTRUCTURE, "")
        assert "s.sqlite" in err
        assert path.read_bytes() == spoiled


def test_a_store_that_cannot_be_written_is_an_error_before_anything_runs_and_can_be_read(
    toy, told, tmp_path, monkeypatch
):
    path = tmp_path / "s.sqlite"
    assert told("toy", "--store", path)[0] == 0
    connect = sqlite3.connect
    monkeypatch.setattr(  # as on a disk that is mounted for reading only; permissions do not bind everybody
        store_file.sqlite3, "connect",
        lambda at, **options: connect(at if options.get("uri") else f"{Path(at).as_uri()}?mode=ro",
                                      **{**options, "uri": True}),
    )  # fmt: skip
    code, out, err = told("toy", "--store", path, "--protocol", "released")
    assert (code, out) == (INFRASTRUCTURE, "")
    assert "readonly" in err
    assert "run again" in err
    code, out, _ = told("toy", "--store", path, "--stored", "--export", tmp_path / "t.csv")
    assert code == 0
    assert "4 of 4 trials were there" in out
    assert (tmp_path / "t.csv").exists()


def test_a_folder_that_cannot_be_made_is_named(toy, told, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = told("toy", "--store", tmp_path / "file" / "s.sqlite")
    assert code == INFRASTRUCTURE
    assert "file/s.sqlite" in err


def test_what_is_not_there_cannot_be_shown_and_is_not_made(toy, told, tmp_path):
    code, _, err = told("toy", "--stored")
    assert code == INFRASTRUCTURE
    assert "does not exist" in err
    assert list(tmp_path.iterdir()) == []


# -- memory, divergence, interruption ------------------------------------------------------------------------------
def test_a_grid_that_cannot_fit_is_refused_with_the_estimate(toy, told, tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "available", lambda device: 24 * 10**9)
    large = lambda profile, protocol: [cell(2, architecture="ffn", N=N) for N in (4, 2048)]  # noqa: E731
    plant(monkeypatch, replace(TOY, cells=large))
    code, out, err = told("toy")
    assert (code, out) == (INFRASTRUCTURE, "")
    estimate = group_bytes(large("", "")[1])
    assert f"ffn at N = 2048: about {estimate / 1e9:.1f} GB in 1 worker(s)" in err
    assert "at most the 24.0 GB that are free on cpu" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_workers_side_by_side_need_their_memory_together(toy, told, tmp_path, monkeypatch):
    one = group_bytes(TOY.groups("smoke", "corrected")[1])
    monkeypatch.setattr(memory, "available", lambda device: 3 * one)
    code, _, err = told("toy", "--executor", "processes:4")
    assert code == INFRASTRUCTURE
    assert "in 4 worker(s)" in err
    assert told("toy", "--executor", "processes:1")[0] == 0  # two submissions are under way, one runs


def test_a_diverged_run_is_told_as_such_and_never_as_reached(toy, told, monkeypatch):
    wild = {**TINY, "optimiser": "sgd", "lr": Fraction(10**6), "threshold": Fraction(10**30)}
    cells = lambda profile, protocol: [cell(1, N=4, protocol=protocol, **wild)]  # noqa: E731
    plant(monkeypatch, replace(TOY, cells=cells))
    code, out, _ = told("toy", "--export", "t.csv")
    assert code == 0
    assert "N = 4      diverged" in out
    assert "0 done, 1 censored" in out
    assert "diverged: weights or test losses were not finite" in Path("t.csv").read_text()
    code, out, _ = told("toy", "--protocol", "released")
    assert code == UNEXPECTED
    assert "1 failed: diverged" in out


def test_an_interruption_says_what_is_there_and_the_same_command_goes_on(toy, told, monkeypatch):
    STOP.clear()
    for place in (work, places):
        monkeypatch.setattr(place, "resolve", lambda run: run_fast if isinstance(run, str) else run)
    code, _, err = told("toy")
    assert code == 130
    assert "interrupted: 2 of 4 trials are in sweeps/toy.sqlite; the same command goes on" in err
    code, out, err = told("toy")
    assert (code, err) == (0, "")
    assert "2 of 4 trials were there, 2 done" in out
    assert "\r" not in out + err  # no bars where nobody looks
