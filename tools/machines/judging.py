"""In a process of its own: judge claims, each in a fork of one process that has loaded them all, and keep what came.

    python tools/machines/judging.py FOLDER < request.json      # as tools.machines asks
    python tools/machines/judging.py --dump > OTHER/state.json  # of this machine, beside the report of a verify

It imports the library alone, from wherever the Python that runs it has it, and nothing of ``tools``: so an installed
wheel judges too.  The request names the claims with the digests of their code.  A verdict that the folder holds of the
same digest is not made again: an interrupted run goes on where it was.
"""

import contextlib
import ctypes
import glob
import hashlib
import json
import math
import os
import platform
import random
import sys
import time
from pathlib import Path

EVERY = 60  # seconds between two lines of progress
LOST = 3  # the exit code where the process of a claim ended without a verdict


# -- what this process computes with -----------------------------------------------------------------------------------
def dispatched():
    """The processor features that this numpy chooses its loops by, and this processor has."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return [name for name in __cpu_dispatch__ if __cpu_features__[name]]


def openblas_core():
    """The kernels that numpy's OpenBLAS chose."""
    import numpy as np

    for path in glob.glob(str(Path(np.__file__).parent.parent / "numpy.libs" / "*openblas*")):
        library = ctypes.CDLL(path)
        for name in ("scipy_openblas_get_corename64_", "openblas_get_corename64_", "openblas_get_corename"):
            if hasattr(library, name):
                getattr(library, name).restype = ctypes.c_char_p
                return getattr(library, name)().decode()
    return "unknown"


def state():
    """What this process computes with, read back from the libraries themselves; without torch nothing of it."""
    import numpy as np

    arguments = [k / 4096 for k in range(1, 20_000)]
    functions = (math.exp, math.log, math.sin, math.cos, math.tan, math.atan)
    libm = [f(x) for f in functions for x in arguments]
    bits = np.array(libm).tobytes()
    x = np.array(arguments)
    found = {
        "openblas": openblas_core(), "numpy": dispatched(), "libm": hashlib.sha256(bits).hexdigest()[:16],
        "numpy_exp": hashlib.sha256(np.exp(-x).tobytes()).hexdigest()[:16],
        "hash_seed": os.environ.get("PYTHONHASHSEED", "random"), "mkl_cbwr": os.environ.get("MKL_CBWR", ""),
    }  # fmt: skip
    with contextlib.suppress(ImportError):
        import torch

        found |= {"aten": torch.backends.cpu.get_cpu_capability(), "threads": torch.get_num_threads(),
                  "mkl": torch.backends.mkl.is_available()}  # fmt: skip
    return found


def machine():
    """The machine of the run, in the libraries' own words."""
    usual = state()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        model = [line.split(":")[1].strip() for line in lines if "model name" in line]
    return {"cpu": (model or [platform.processor() or platform.machine()])[0], "cores": os.cpu_count(),
            "libc": " ".join(platform.libc_ver()),
            **{name: usual.get(name, "none") for name in ("openblas", "numpy", "aten")}}  # fmt: skip


def versions():
    """The versions that the verdicts name, too."""
    from theorytools.claims.judging.versions import versions as named

    return dict(named())


def dump():
    """All that is to be known of a machine on which ``theorytools verify`` has run: it, and of which tree it judged."""
    from theorytools.claims.judging.inputs import ImportTable, code_digest
    from theorytools.claims.papers.catalogue import Catalogue, library_root

    table, entries = ImportTable(), Catalogue(library_root()).entries
    claims = {entry.id: code_digest(entry, table, record=False)[:16] for entry in entries}
    return {"state": state(), "machine": machine(), "versions": versions(), "tree": {"claims": claims}}


# -- claims ------------------------------------------------------------------------------------------------------------
def kept(out, id, digest):
    """Whether the folder holds what came of this claim as it is."""
    try:
        return json.loads((out / f"{id}.json").read_text(encoding="utf-8"))["tree"] == digest
    except (OSError, ValueError, LookupError):
        return False


def judge_one(out, entry, tier, digest):
    """Write the verdict of one claim, or the error that kept it from having one."""
    from theorytools.claims.judging.run import judge_entry
    from theorytools.errors import TheoryError
    from theorytools.optional import naming_extras

    begun = time.process_time()
    try:
        with naming_extras():  # as verify does: the engine itself blames the grid
            verdict = judge_entry(entry, tier=tier).to_json()
    except TheoryError as error:
        verdict = {"id": entry.id, "error": str(error)}
    part = out / f".{entry.id}.part"  # renamed when it is whole: a run that is killed leaves no half of a verdict
    verdict |= {"tree": digest, "cpu_seconds": round(time.process_time() - begun, 3)}
    part.write_text(json.dumps(verdict), encoding="utf-8")
    part.replace(out / f"{entry.id}.json")


def forked(work):
    """Do some work in a fork of this process; return its number."""
    if pid := os.fork():
        return pid
    code = 1
    try:
        work()
        code = 0
    finally:
        sys.stdout.flush()
        os._exit(code)


class Progress:
    """A line a minute: how many of how many claims are judged, by the files in the folder."""

    def __init__(self, out, name, total):
        self.out, self.name, self.total, self.begun = out, name, total, time.monotonic()
        self.next = self.begun + EVERY

    def tell(self, *, now=False):
        """Print the line, where a minute is over or it is asked for."""
        if now or time.monotonic() > self.next:
            self.next = time.monotonic() + EVERY
            done = sum(1 for _ in self.out.glob("*.*.json"))
            print(f"{self.name}: {done} of {self.total}, {time.monotonic() - self.begun:.0f} s", flush=True)


def judge_all(out, asked):
    """Judge the claims of a request; each in a fork of its own, or with ``together`` those of a fork after another."""
    from theorytools.claims.papers.catalogue import Catalogue, library_root
    from theorytools.claims.papers.loading import load
    from theorytools.errors import TheoryError

    wanted, jobs = asked["claims"], max(1, asked["jobs"])
    entries = [entry for entry in Catalogue(library_root()).entries if entry.id in wanted]
    for path in out.glob("*.*.json"):
        if path.name.removesuffix(".json") not in wanted:
            path.unlink()  # of an earlier tree: no claim of this one
    todo = [entry for entry in entries if not kept(out, entry.id, wanted[entry.id])]
    for entry in todo:
        (out / f"{entry.id}.json").unlink(missing_ok=True)
        with contextlib.suppress(TheoryError):  # said again where it is judged
            load(entry)
    with contextlib.suppress(ImportError):
        import torch.optim  # noqa: F401  (loaded once here instead of in every child)
    if asked["order"]:
        random.Random(asked["order"]).shuffle(todo)
    (out / "state.json").write_text(json.dumps({"state": state(), "machine": machine(), "versions": versions()}))
    progress = Progress(out, asked["name"], len(entries))
    shares = [todo[i::jobs] for i in range(jobs)] if asked["together"] else [[entry] for entry in todo]
    running = set()
    for mine in filter(None, shares):
        while len(running) >= jobs:
            running.discard(os.wait()[0])
        running.add(forked(lambda mine=mine: [judge_one(out, e, asked["tier"], wanted[e.id]) for e in mine]))
        progress.tell()
    while running:
        running.discard(os.wait()[0])
    progress.tell(now=True)
    return [entry.id for entry in entries if not kept(out, entry.id, wanted[entry.id])]


if __name__ == "__main__":
    sys.path[:] = [place for place in sys.path if Path(place or ".").resolve() != Path(__file__).resolve().parent]
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
    elif sys.argv[1:] == ["--state"]:
        print(json.dumps(state()))
    elif sys.argv[1:] == ["--dump"]:
        print(json.dumps(dump(), indent=1))
    elif lost := judge_all(Path(sys.argv[1]), json.load(sys.stdin)):
        print(f"without a verdict, for the process ended: {', '.join(lost)}", flush=True)
        sys.exit(LOST)
