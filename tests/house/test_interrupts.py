"""An interrupt at any moment of a command: exit code 130, one line, no traceback, and nothing is left running."""

import hashlib
import json
import subprocess
import sys

import pytest
from checkfolders import write

SEEDED = """
import os, runpy, signal, sys
at, how, *words = sys.argv[1:]
seen = 0
def count(event, _):
    global seen
    if event in ("import", "open", "exec") and "theorytools.cli" in sys.modules:
        seen += 1
        if seen == int(at):
            os.kill(os.getpid(), signal.SIGINT)
def told():
    os.write(2, b"%d\\n" % seen) if at == "0" else None
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run where it is ignored
sys.addaudithook(count)
import atexit
atexit.register(told)
if how == "-m":
    sys.argv = ["-m", *words]
    sys.orig_argv = [sys.executable, "-m", "theorytools", *words]
    runpy.run_module("theorytools", run_name="__main__", alter_sys=True)
else:
    sys.argv = ["/usr/bin/theorytools", *words]
    from theorytools.cli import main
    sys.exit(main())
"""
COMMANDS = (
    ("-m", "list"), ("script", "list", "--json"), ("-m", "verify", "tiny.holds", "--no-report"),
    ("script", "verify", "--fresh", "-j", "2"),
)  # fmt: skip


def interrupted(at, words, folder):
    """Run a command that is sent SIGINT at the ``at``-th file or module that it opens; at none for 0, which counts."""
    line = [sys.executable, "-c", SEEDED, str(at), *words]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr, (at, words, done.stderr)
    return done


def moments(words, folder, count):
    """So many moments of a command from its start to its end, drawn by a keyed hash in equal parts of its life."""
    interrupted(0, words, folder)  # a first run reads and writes more than the others
    last = int(interrupted(0, words, folder).stderr.split()[-1])
    assert last > 200  # else hardly anything of it was watched
    draws = [int.from_bytes(hashlib.sha256(f"{words} {k}".encode()).digest()[:6], "big") / 2**48 for k in range(count)]
    return [1 + int((k + draw) * 0.95 * last / count) for k, draw in enumerate(draws)]


def examine(words, folder, count):
    for at in moments(words, folder, count):
        done = interrupted(at, words, folder)
        assert (done.returncode, done.stderr.count("\n")) == (130, 1), (at, words, done.stderr)
        assert done.stderr.startswith("interrupted")
        if "--json" in words and done.stdout:
            assert json.loads(done.stdout)["exit"] == 130


@pytest.mark.parametrize("words", COMMANDS[:3], ids=" ".join)
def test_a_command_that_is_interrupted_at_some_moment_says_one_line_and_ends_with_130(words, tmp_path):
    write(tmp_path, "holds")
    examine(words, tmp_path, 2)


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_that_is_interrupted_at_any_moment_says_one_line_and_ends_with_130(words, tmp_path):
    write(tmp_path, "holds", "sampled", "refuted")
    examine(words, tmp_path, 6)
