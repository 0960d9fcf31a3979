"""Judge all claims as other machines would, and compare every verdict with the plain run's.

    python -m tools.machines --keep FOLDER -j 2             # all settings, combined into few runs
    python -m tools.machines noise --claims qstr.lemma_11   # one setting, chosen claims
    python -m tools.machines noise+numpy zen --keep FOLDER --into reports/machines.json
    python -m tools.machines --brought OTHER --keep FOLDER --into reports/machines.json
    python -m tools.machines aten noise --tests tests/trained   # no claims: these folders or files of tests

A setting is an environment (processor features, kernels of BLAS, a C library whose functions are off by an ulp,
threads, hash seed) or an order of the claims. A run says of each of its settings whether it took effect, read back
from the library it concerns. Each claim is judged in a process of its own, forked from one that has loaded
everything; the setting ``together`` judges all of them in one process instead, or in as many as there are jobs.

A run that was interrupted goes on where it was, with the same ``--keep``: a verdict is made again only where the code
of its claim has changed.  ``--into`` replaces the runs of a record by those that are made, and keeps of the others what
they say of claims whose code is still the same.  A machine elsewhere needs two commands, whose folder is brought here:

    theorytools verify --report OTHER && python tools/machines/judging.py --dump > OTHER/state.json

In every run outcome, evidence and power of every claim, its rows and their truth are those of the plain run; exact ends
are identical; enclosures and confidence sequences meet.  A fitted or observed number belongs to the machine.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from theorytools.claims.papers.catalogue import Catalogue
from theorytools.errors import DomainError
from theorytools.files import write_json
from tools import ROOT, evidence
from tools.machines.comparing import PYTEST, compared, tests_of
from tools.machines.judging import LOST, dispatched

JUDGING = Path(__file__).with_name("judging.py")
SCHEMA = "theorytools.machines/2"
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


def judged(name, out, claims, tier, *, env=None, jobs=1, order=0, together=False, python=sys.executable):
    """Judge claims in a process of its own, in the folder ``out``; return what it says of itself, and its seconds.

    Parameters
    ----------
    name : of the run, in its lines of progress.
    out : a folder; verdicts that it holds of the same code are taken.
    claims : the ids, each with the digest of its code.
    tier : claims of slower tiers are judged from their records.
    env : what is changed in the environment.
    jobs, order, together : how many at once, the seed of their order, and whether all in as many processes.
    python : the Python whose library judges.
    """
    out.mkdir(parents=True, exist_ok=True)
    own = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    if python == sys.executable:
        own["PYTHONPATH"] = str(ROOT)  # the library is that of this tree, wherever an environment has another
    asked = {"name": name, "claims": claims, "tier": tier, "jobs": jobs, "order": order, "together": together}
    env = {**own, "PYTHONDONTWRITEBYTECODE": "1", **(env or {})}
    done = subprocess.run([python, JUDGING, out], cwd=out, env=env, input=json.dumps(asked), text=True, check=False)
    if done.returncode not in (0, LOST):  # claims that are lost are told by the comparison
        raise SystemExit(f"{name}: judging ended with {done.returncode}; what is judged is kept in {out}")
    return json.loads((out / "state.json").read_text(encoding="utf-8")), seconds_of(out)


def seconds_of(out):
    """The processor seconds of the verdicts in a folder, those of earlier runs too."""
    return round(sum(json.loads(path.read_text()).get("cpu_seconds", 0.0) for path in out.glob("*.*.json")), 1)


def run(settings, folder, claims, tier, jobs):
    """One run under combined settings; returns its folder, its environment, what it says of itself, and its seconds."""
    out, env = folder / ("-".join(settings) or "plain"), environment(settings, folder)
    here, seconds = judged(" ".join(settings) or "plain", out, claims, tier, env=env, jobs=jobs,
                           order=int("shuffled" in settings), together="together" in settings)  # fmt: skip
    return out, env, here, seconds


def campaign(runs, folder, ids, tier, *, jobs=1, brought=()):
    """Judge plainly and under each combination of settings; return the record, the folders brought among its runs."""
    started, known = time.time(), evidence.claims_of()
    claims = {id: digest for id, digest in known.items() if not ids or id in ids}
    plain, _, usual, seconds = run((), folder, claims, tier, jobs)
    record = {
        "schema": SCHEMA, "holds": True, "machine": usual["machine"], "versions": usual["versions"], "tier": tier,
        "claims": len(claims), "tree": {"claims": claims}, "plain": {"cpu_seconds": seconds}, "runs": [],
    }  # fmt: skip
    for settings in runs:
        out, env, here, seconds = run(settings, folder, claims, tier, jobs)
        shown = {name: Path(value).name if name == "LD_PRELOAD" else value for name, value in env.items()}
        effects = {name: {"took_effect": took_effect(name, usual["state"], here["state"])} for name in settings}
        made = {"settings": effects, "environment": shown, **compared(plain, out, claims), "cpu_seconds": seconds}
        record["runs"].append(told(settings, made))
    for other in brought:
        record["runs"].append(told([str(other)], brought_run(plain, other, claims)))
    evidence.refuse_changed(claims)
    record["holds"] = holds(record["runs"])
    record["wall_seconds"] = round(time.time() - started)
    return record


def brought_run(plain, other, claims):
    """The record of a run elsewhere: the verdicts of ``theorytools verify`` in its report, and what the machine is.

    A claim that was judged there by other code than here differs, whatever came out.
    """
    here = json.loads((other / "state.json").read_text(encoding="utf-8"))
    made = compared(plain, other / "verdicts" if (other / "verdicts").is_dir() else other, claims)
    theirs = here["tree"]["claims"]
    for id in (id for id, digest in claims.items() if theirs.get(id) != digest):
        made["differ"].setdefault(id, []).append("tree: judged there by other code")
    made["same"] = not made["differ"]
    return {"settings": {}, "machine": here["machine"], "versions": here["versions"], **made}


def holds(runs):
    """Whether all runs came out as the plain one, and all their settings took effect."""
    effects = [s["took_effect"] for run in runs for s in run["settings"].values()]
    return all(run["same"] for run in runs) and all(effects)


def told(name, made):
    """Print a run, and return it."""
    shown = {k: v for k, v in made.items() if k not in ("environment", "versions")}
    print(f"{' '.join(name)}: {json.dumps(shown)}", flush=True)
    return made


def key(run):
    """What a run of a record is a run of: settings here, or a machine elsewhere with its versions."""
    return json.dumps([sorted(run["settings"]), run.get("machine"), run.get("versions")], sort_keys=True)


def same_tree(path, record):
    """Return the record in a file if it is of the same tree as this one; otherwise say so, and return None."""
    try:
        old = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if old.get("tree") == record["tree"] and old["schema"] == record["schema"]:
        return old
    print(f"{path}: of another tree, begun anew", flush=True)
    return None


def merged(path, record):
    """Return a record with what the runs of a file that were not made again say of claims of the same code."""
    try:
        old = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        old = {"schema": SCHEMA, "runs": []}
    runs, again = list(record["runs"]), {key(run) for run in record["runs"]}
    for run in reversed(old["runs"]):
        if old["schema"] == record["schema"] and key(run) not in again:
            kept = carried(run, run.get("tree", old["tree"])["claims"], record["tree"]["claims"])
            if kept is None:
                print(f"{path}: {key(run)} is of another tree, left out", flush=True)
            else:
                runs.insert(0, kept)
    return {**record, "runs": runs, "holds": holds(runs)}


def carried(run, theirs, claims):
    """What a run says of the claims whose code has not changed since; None where it says nothing of any."""
    left = {id: digest for id, digest in theirs.items() if claims.get(id) == digest}
    if left == theirs == claims or not left:
        return run if left else None
    differ = {id: said for id, said in run["differ"].items() if id in left}
    return {
        **run, "tree": {"claims": left}, "claims": len(left), "same": not differ, "differ": differ,
        # of how many claims of these a part is identical, is known where it was in all
        "identical": {part: len(left) for part, count in run["identical"].items() if count == run["claims"]},
        "numbers_differ": [id for id in run["numbers_differ"] if id in left],
    }  # fmt: skip


def tests_under(runs, folder, paths):
    """Run tests plainly and under each combination of settings; print each run, return whether all pass in all."""
    holds, usual = True, None
    for settings in ((), *runs):
        env = {**os.environ, **environment(settings, folder)}
        seen = subprocess.run(
            [sys.executable, JUDGING, "--state"], cwd=ROOT, env=env, capture_output=True, text=True, check=True
        )
        here = json.loads(seen.stdout)
        usual = usual or here
        effects = {name: took_effect(name, usual, here) for name in settings}
        done = subprocess.run([sys.executable, *PYTEST, *paths], cwd=ROOT, env=env, capture_output=True, text=True)
        made = tests_of(done)
        holds &= made["exit"] == 0 and all(effects.values())
        print(f"{' '.join(settings) or 'plain'}: {json.dumps({'took_effect': effects, **made})}", flush=True)
    return holds


def run_tests(parser, given, runs):
    """The runs of tests that the command asks for: settings of processes, not those of an order of claims."""
    runs = [kept for settings in runs if (kept := tuple(name for name in settings if name not in OF_CLAIMS))]
    if given.claims or given.keep or given.record or given.into or given.brought or not runs:
        parser.error(
            f"--tests: settings other than {' and '.join(OF_CLAIMS)}, and neither claims nor a folder nor a record"
        )
    with tempfile.TemporaryDirectory() as scratch:
        return 0 if tests_under(runs, Path(scratch), given.tests) else 1


def chosen(parser, given):
    """The runs that the command asks for; with folders that are brought, no other unless it is named."""
    runs = [tuple(text.split("+")) for text in given.settings] or ([] if given.brought else COMBINED)
    if unknown := {name for settings in runs for name in settings} - set(SETTINGS):
        parser.error(f"{', '.join(sorted(unknown))}: a setting is one of {', '.join(SETTINGS)}")
    for folder in given.brought:
        if not (folder / "state.json").is_file():
            parser.error(
                f"--brought {folder}: no state.json; on that machine: python {JUDGING.relative_to(ROOT)} --dump"
            )
    refuse_strangers(parser, given.claims)
    return runs


def refuse_strangers(parser, ids):
    """End the program where a claim is named that is none."""
    if unknown := set(ids) - {entry.id for entry in Catalogue(ROOT / "checks").entries}:
        parser.error(f"--claims {' '.join(sorted(unknown))}: no such claim")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "settings", nargs="*", metavar="SETTING", help=f"of {', '.join(SETTINGS)}; default all, combined"
    )
    parser.add_argument("--claims", nargs="+", default=[], metavar="ID")
    parser.add_argument("--tests", nargs="+", default=[], metavar="PATH", help="run these tests instead of claims")
    parser.add_argument("--tier", default="seconds", help="claims of slower tiers are judged from their records")
    parser.add_argument("--keep", type=Path, help="keep the verdicts of every run in this folder, and take those in it")
    parser.add_argument("--brought", type=Path, nargs="+", default=[], metavar="FOLDER", help="runs of other machines")
    parser.add_argument("--record", type=Path, help="default reports/machines.json for a run over everything")
    parser.add_argument("--into", type=Path, metavar="RECORD", help="replace runs of this record, and keep the others")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="claims that are judged at once")
    given = parser.parse_args()
    runs = chosen(parser, given)
    if given.tests:
        return run_tests(parser, given, runs)
    with tempfile.TemporaryDirectory() as scratch:
        folder = (given.keep or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        record = campaign(runs, folder, given.claims, given.tier, jobs=given.jobs, brought=given.brought)
    whole = not (given.settings or given.claims or given.brought)
    if given.into:
        record = merged(given.into, record)
    if path := given.into or given.record or (ROOT / "reports/machines.json" if whole else None):
        write_json(path, record, indent=1)
    return 0 if record["holds"] else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except DomainError as error:
        sys.exit(f"{error}")
