"""Judge all claims as other machines would, and compare every verdict with the plain run's.

    python -m tools.machines                                # all settings, combined into few runs
    python -m tools.machines noise --claims qstr.lemma_11   # one setting, chosen claims
    python -m tools.machines noise+numpy zen                # two runs, the first of two settings
    python -m tools.machines aten noise --tests tests/trained   # no claims: these folders or files of tests

A setting is an environment (processor features, kernels of BLAS, a C library whose functions are off by an ulp,
threads, hash seed) or an order of the claims. A run says of each of its settings whether it took effect, read back
from the library it concerns. Each claim is judged in a process of its own, forked from one that has loaded
everything; the setting ``together`` judges all of them in one process instead.

In every run outcome, evidence and power of every claim, its rows and their truth are those of the plain run; exact ends
are identical; enclosures and confidence sequences meet.  A fitted or observed number belongs to the machine.
"""

import argparse
import ctypes
import glob
import json
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools import ROOT
from tools.machines.comparing import PYTEST, compared, tests_of

PROGRAM = [sys.executable, "-m", "tools.machines"]  # from the root, so that the library is that of this tree
SCHEMA = "theorytools.machines/1"
NO_AVX = "-AVX512F,-AVX512VL,-AVX512DQ,-AVX512BW,-AVX512CD,-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable,-BMI2"
SETTINGS = {
    "prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "zen": {"OPENBLAS_CORETYPE": "Zen"},
    "aten": {"ATEN_CPU_CAPABILITY": "default"},
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2"},  # a change where torch has kernels for wider registers
    "numpy": {"NPY_DISABLE_CPU_FEATURES": ""},  # filled with what this numpy dispatches on
    "mkl": {"MKL_CBWR": "COMPATIBLE"},
    "glibc": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + NO_AVX},
    "noise": {"THEORYTOOLS_NOISE": "1"},  # and LD_PRELOAD
    "threads": {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"},
    "hash0": {"PYTHONHASHSEED": "0"},
    "hash1": {"PYTHONHASHSEED": "1"},
    "shuffled": {},
    "together": {},
}
OF_CLAIMS = ("shuffled", "together")  # how claims are judged: nothing to tests
COMBINED = (
    ("prescott", "aten", "numpy", "mkl", "glibc", "hash0"),
    ("haswell", "avx2", "threads", "hash1", "shuffled"),
    ("zen", "numpy", "shuffled", "together"),
    ("noise",),
)


def noise_library(folder):
    """Compile the C library that is off by an ulp, for preloading."""
    path = folder / "noise.so"
    flags = ["-O2", "-fPIC", "-shared", "-fno-builtin"]
    subprocess.run(["cc", *flags, "-o", path, Path(__file__).with_name("noise.c"), "-ldl", "-lm"], check=True)
    return str(path)


def dispatched():
    """The processor features that this numpy chooses its loops by, and this processor has."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return [name for name in __cpu_dispatch__ if __cpu_features__[name]]


def environment(settings, folder):
    """The environment of a run: the plain one, one thread and a fixed hash seed, and what the settings change."""
    env = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "random"}
    for name in settings:
        env |= SETTINGS[name]
    if "numpy" in settings:
        env["NPY_DISABLE_CPU_FEATURES"] = " ".join(dispatched())
    if "noise" in settings:
        env["LD_PRELOAD"] = noise_library(folder)
    return env


def state():
    """What this process computes with, read back from the libraries themselves."""
    import hashlib
    import math

    import numpy as np
    import torch

    arguments = [k / 4096 for k in range(1, 20_000)]
    functions = (math.exp, math.log, math.sin, math.cos, math.tan, math.atan)
    libm = [f(x) for f in functions for x in arguments]
    bits = np.array(libm).tobytes()
    x = np.array(arguments)
    return {
        "openblas": openblas_core(),
        "numpy": dispatched(),
        "aten": torch.backends.cpu.get_cpu_capability(),
        "libm": hashlib.sha256(bits).hexdigest()[:16],
        "numpy_exp": hashlib.sha256(np.exp(-x).tobytes()).hexdigest()[:16],
        "threads": torch.get_num_threads(),
        "hash_seed": os.environ.get("PYTHONHASHSEED", "random"),
        "mkl_cbwr": os.environ.get("MKL_CBWR", ""),
        "mkl": torch.backends.mkl.is_available(),
    }


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


def took_effect(setting, plain, here):
    """Whether a setting has changed what it should, read back from the library it concerns."""
    cores = {"prescott": ("Prescott", "Katmai"), "haswell": ("Haswell",), "zen": ("Zen", "Haswell")}  # its own names
    tests = {
        **{name: here["openblas"] in known for name, known in cores.items()},
        "aten": here["aten"] == "DEFAULT", "avx2": here["aten"] == "AVX2",
        "numpy": here["numpy"] == [], "glibc": here["libm"] != plain["libm"],
        "noise": here["libm"] != plain["libm"], "threads": here["threads"] == 2,
        "mkl": here["mkl_cbwr"] == "COMPATIBLE" and here["mkl"], "hash0": here["hash_seed"] == "0",
        "hash1": here["hash_seed"] == "1", "shuffled": True, "together": True,
    }  # fmt: skip
    return bool(tests[setting])


def judge_all(out, ids, order, *, together, tier):
    """In a process of its own settings: judge the claims, each in a forked process, and write their verdicts."""
    from theorytools.claims.papers.catalogue import Catalogue
    from theorytools.claims.papers.loading import load

    catalogue = Catalogue(ROOT / "checks")
    entries = [entry for entry in catalogue.entries if not ids or entry.id in ids]
    for entry in entries:
        load(entry)
    import torch.optim  # noqa: F401  (loaded once here instead of in every child)

    random.Random(order).shuffle(entries) if order else None
    (out / "state.json").write_text(json.dumps(state()))
    for entry in entries:
        if together:
            judge_one(out, entry, tier)
        elif pid := os.fork():
            os.waitpid(pid, 0)
        else:
            code = 1
            try:
                judge_one(out, entry, tier)
                code = 0
            finally:
                os._exit(code)


def judge_one(out, entry, tier):
    """Write the verdict of one claim, or the error that kept it from having one."""
    from theorytools.claims.judging.run import judge_entry
    from theorytools.errors import TheoryError

    try:
        verdict = judge_entry(entry, tier=tier).to_json()
    except TheoryError as error:
        verdict = {"id": entry.id, "error": str(error)}
    (out / f"{entry.id}.json").write_text(json.dumps(verdict))


def run(settings, folder, ids, tier):
    """One run under combined settings; returns its folder, its environment, its state and its CPU seconds."""
    out = folder / ("-".join(settings) or "plain")
    out.mkdir()
    env = environment(settings, folder)
    command = [*PROGRAM, "--judge", out, "--tier", tier]
    command += ["--order", "1"] if "shuffled" in settings else []
    command += ["--together"] if "together" in settings else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command += ["--claims", *ids] if ids else []
    subprocess.run(command, cwd=ROOT, env={**os.environ, **env}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return out, env, json.loads((out / "state.json").read_text()), round(seconds, 1)


def campaign(runs, folder, ids, tier):
    """Judge plainly and under each combination of settings; return the record."""
    started = time.time()
    plain, _, usual, seconds = run((), folder, ids, tier)
    record = {
        "schema": SCHEMA, "holds": True, "machine": machine(usual), "versions": versions(), "tier": tier,
        "claims": len(list(plain.glob("*.*.json"))), "plain": {"cpu_seconds": seconds}, "runs": [],
    }  # fmt: skip
    for settings in runs:
        out, env, here, seconds = run(settings, folder, ids, tier)
        shown = {name: Path(value).name if name == "LD_PRELOAD" else value for name, value in env.items()}
        record["runs"].append({
            "settings": {name: {"took_effect": took_effect(name, usual, here)} for name in settings},
            "environment": shown, **compared(plain, out), "cpu_seconds": seconds,
        })  # fmt: skip
        last = record["runs"][-1]
        print(f"{' '.join(settings)}: {json.dumps({k: v for k, v in last.items() if k != 'environment'})}", flush=True)
    effects = [s["took_effect"] for run in record["runs"] for s in run["settings"].values()]
    record["holds"] = all(run["same"] for run in record["runs"]) and all(effects)
    record["wall_seconds"] = round(time.time() - started)
    return record


def tests_under(runs, folder, paths):
    """Run tests plainly and under each combination of settings; print each run, return whether all pass in all."""
    holds, usual = True, None
    for settings in ((), *runs):
        env = {**os.environ, **environment(settings, folder)}
        seen = subprocess.run([*PROGRAM, "--state"], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
        here = json.loads(seen.stdout)
        usual = usual or here
        effects = {name: took_effect(name, usual, here) for name in settings}
        done = subprocess.run([sys.executable, *PYTEST, *paths], cwd=ROOT, env=env, capture_output=True, text=True)
        made = tests_of(done)
        holds &= made["exit"] == 0 and all(effects.values())
        print(f"{' '.join(settings) or 'plain'}: {json.dumps({'took_effect': effects, **made})}", flush=True)
    return holds


def machine(usual):
    """The machine of the run, in the libraries' own words."""
    model = [
        line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    ]
    return {"cpu": (model or [platform.processor()])[0], "cores": os.cpu_count(), "libc": " ".join(platform.libc_ver()),
            **{name: usual[name] for name in ("openblas", "numpy", "aten")}}  # fmt: skip


def versions():
    """The versions that the verdicts name, too."""
    from theorytools.claims.judging.versions import versions as named

    return dict(named())


def run_tests(parser, given, runs):
    """The runs of tests that the command asks for: settings of processes, not those of an order of claims."""
    runs = [kept for settings in runs if (kept := tuple(name for name in settings if name not in OF_CLAIMS))]
    if given.claims or given.keep or given.record or not runs:
        parser.error(f"--tests: settings other than {' and '.join(OF_CLAIMS)}, and no --claims, --keep or --record")
    with tempfile.TemporaryDirectory() as scratch:
        return 0 if tests_under(runs, Path(scratch), given.tests) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "settings", nargs="*", metavar="SETTING", help=f"of {', '.join(SETTINGS)}; default all, combined"
    )
    parser.add_argument("--claims", nargs="+", default=[], metavar="ID")
    parser.add_argument("--tests", nargs="+", default=[], metavar="PATH", help="run these tests instead of claims")
    parser.add_argument("--tier", default="seconds", help="claims of slower tiers are judged from their records")
    parser.add_argument("--keep", type=Path, help="keep the verdicts of every run in this new folder")
    parser.add_argument("--record", type=Path, help="default reports/machines.json for a run over everything")
    parser.add_argument("--judge", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--state", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--order", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--together", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.judge:
        judge_all(given.judge, set(given.claims), given.order, together=given.together, tier=given.tier)
        return 0
    if given.state:
        print(json.dumps(state()))
        return 0
    runs = [tuple(text.split("+")) for text in given.settings] or COMBINED
    if unknown := {name for settings in runs for name in settings} - set(SETTINGS):
        parser.error(f"{', '.join(sorted(unknown))}: a setting is one of {', '.join(SETTINGS)}")
    if given.tests:
        return run_tests(parser, given, runs)
    if given.keep and given.keep.is_dir() and any(given.keep.iterdir()):
        parser.error(f"--keep {given.keep}: a folder that is new or empty is required, this one holds another run")
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        record = campaign(runs, folder.resolve(), given.claims, given.tier)
    whole = not (given.settings or given.claims)
    if path := given.record or (ROOT / "reports/machines.json" if whole else None):
        path.write_text(json.dumps(record, indent=1) + "\n")
    return 0 if record["holds"] else 1


if __name__ == "__main__":
    sys.exit(main())
