"""The templates of ``new``: each runs as it is, comes out as expected, and its control fails."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("template", ["exact", "enclosed", "sampled"])
def test_a_template_runs_as_it_is(tmp_path, template):
    def theorytools(*words):
        command = [sys.executable, "-m", "theorytools", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert theorytools("new", "mine", "lemma_1", "--template", template).returncode == 0
    done = theorytools("verify", "mine.lemma_1", "--no-report")
    assert done.returncode == 0, done.stdout
    assert "HOLDS" in done.stdout
    assert f"HOLDS  {template}\n" in done.stdout
    assert "1/1" in done.stdout


def test_the_fitted_template_trains_and_then_runs_as_it_is(tmp_path):
    def theorytools(*words):
        command = [sys.executable, "-m", "theorytools", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    made = theorytools("new", "mine", "lemma_1", "--template", "fitted")
    assert made.returncode == 0
    assert "theorytools sweep lemma_1 --profile published --record" in made.stdout
    before = theorytools("verify", "mine.lemma_1", "--no-report")
    assert before.returncode != 0
    assert "sweep lemma_1" in before.stdout + before.stderr  # what is to be run first
    trained = theorytools("sweep", "lemma_1", "--profile", "published", "--record")
    assert trained.returncode == 0, trained.stderr
    done = theorytools("verify", "mine.lemma_1", "--no-report")
    assert done.returncode == 0, done.stdout
    assert "HOLDS  fitted\n" in done.stdout
    assert "1/1" in done.stdout


def test_a_template_that_there_is_not_is_refused(tmp_path):
    command = [sys.executable, "-m", "theorytools", "new", "mine", "lemma_1", "--template", "fited"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "--template fitted" in done.stderr
    assert not (tmp_path / "checks").exists()
