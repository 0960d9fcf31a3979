"""Children of one process that has imported what takes long to import."""

import contextlib
import importlib
import json
import os
import resource
import select
import signal
import time
import traceback

THIRD_PARTY = ("numpy", "scipy.optimize", "scipy.special", "scipy.stats", "sympy", "flint", "hypothesis", "pytest",
               "jinja2", "rich.progress", "typer", "torch", "lazy_loader", "math_core", "fontTools.ttLib",
               "pytest_benchmark.plugin", "pytest_timeout", "xdist.plugin", "_hypothesis_pytestplugin")  # fmt: skip
MEMORY = 12 << 30  # address space of a child, in bytes: a runaway allocation is a MemoryError of that child


def warm():
    """Import what the library imports from others, so that a child begins with it."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # no threads before a fork
    for name in THIRD_PARTY:
        importlib.import_module(name)


class Child:
    """A forked process that runs ``work(say)`` and says JSON objects through a pipe; ``ended`` is how it went."""

    def __init__(self, work):
        ours, theirs = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(ours)
            _live(work, theirs)
        os.close(theirs)
        self._pipe, self.ended, self._closed = ours, "", False

    def said(self, wall):
        """Yield what the child says until it ends, or for ``wall`` seconds after its last word."""
        left = b""
        try:
            while True:
                ready, _, _ = select.select([self._pipe], [], [], wall)
                part = os.read(self._pipe, 1 << 20) if ready else b""
                if not ready:
                    self.ended = "timeout"
                if not part:
                    self._closed = bool(ready)
                    break
                *lines, left = (left + part).split(b"\n")
                yield from map(json.loads, lines)
        finally:
            self.close()

    def close(self):
        """End the child if it runs, with whatever it has started; ``ended`` says how it went."""
        if self._pipe is None:
            return
        os.close(self._pipe)
        self._pipe = None
        if self._closed:  # it has said all: wait for how it ended
            _, status = os.waitpid(self.pid, 0)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        if not self._closed:
            _, status = os.waitpid(self.pid, 0)
        if not self.ended:
            number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
            self.ended = "timeout" if number == signal.SIGXCPU else "killed" if number else "exit"


def _live(work, pipe):
    code = 1
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)

        def say(data):
            text = memoryview(json.dumps(data).encode() + b"\n")
            while text:
                text = text[os.write(pipe, text) :]

        try:
            work(say)
            code = 0
        except BaseException:
            say({"broken": traceback.format_exc()[-2000:]})
    finally:
        os._exit(code)


def allow(seconds):
    """Let this process use ``seconds`` more of CPU time; then it ends by SIGXCPU."""
    limit = int(time.process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
