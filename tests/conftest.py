"""The command line in this process, for whoever tests it."""

import json
import sys

import pytest

from theorytools.cli import main


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
