"""The command line in this process, for whoever tests it; and one folder of verdicts for all processes of a run."""

import gc
import json
import os
import shutil
import sys
import tempfile

import hypothesis
import pytest
from shared_verdicts import FOLDER, judged

from theorytools.cli import main

# the same examples in every run: a property that fails somewhere fails for whoever changed something
hypothesis.settings.register_profile("same", derandomize=True, database=None, deadline=None)
hypothesis.settings.load_profile("same")


def pytest_configure(config):
    if not hasattr(config, "workerinput"):  # the workers inherit the environment
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # workers with several threads each wait for each other
        # a module is compiled once and not by every process that a test starts
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="theorytools-verdicts-")
        os.environ.setdefault("THEORYTOOLS_CACHE", os.path.join(os.environ[FOLDER], "kept"))


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(FOLDER), ignore_errors=True)


# these read what the checks have found, and would wait for a claim that another process judges
LAST = ("test_committed.py", "test_mutations.py", "test_near_controls.py")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name in LAST)


def pytest_collection_finish():
    """What is imported by now stays: to walk through it at each collection of garbage was a tenth of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_theorytools_judge(entry, judge):
    return judged(entry, judge)


class Answer:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    """Run ``theorytools …`` in ``tmp_path``, in this process."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["theorytools", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err + captured.out
        return Answer(ended.value.code or 0, captured.out, captured.err)

    return call
