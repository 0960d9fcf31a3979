"""Every function of the rigorous layer is entered by the tests of numbers and of what stands on them."""

import subprocess
import sys

import pytest
from source_tree import ROOT

TESTS = (
    "tests/numbers",
    "tests/constructions/codes/test_linear_codes.py",
    "tests/papers/stsq/selection/test_separation_law.py",
    "tests/papers/qstr/interpolation/test_min_norm.py",
)
NAMED = {"__dir__"}  # what an interactive shell asks for


@pytest.mark.slow
def test_no_function_of_numbers_is_left_out():
    command = [sys.executable, "tests/support/reached.py", "theorytools/numbers", *TESTS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    missed = done.stdout.partition("missed:\n")[2].splitlines()
    assert (done.returncode, [name for name in missed if name.split()[-1] not in NAMED]) == (0, [])


def test_a_function_that_nothing_calls_is_missed(tmp_path):
    (tmp_path / "small.py").write_text("def used():\n    return 1\n\n\ndef idle():\n    return 2\n", "utf-8")
    (tmp_path / "test_small.py").write_text("import small\n\n\ndef test_it():\n    assert small.used() == 1\n", "utf-8")
    command = [sys.executable, ROOT / "tests/support/reached.py", "small.py", "test_small.py", "-p", "no:theorytools"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.partition("missed:\n")[2].split("\n")[0] == "small.py:5 idle", done.stdout + done.stderr
