"""Install the tree into fresh environments, judge and test in each, and compare every verdict with the plain run's.

    python -m tools.versions                  # the plain run, each Python found, other versions, no extra
    python -m tools.versions 3.12 lowest      # the plain run and these
    python -m tools.versions --lowest         # write constraints-lowest.txt anew from pyproject.toml (needs uv)

The plain run is Python 3.11 as the lines of README.md install it, with constraints.txt; so are the other Pythons.
``newest`` is the newest version that pyproject.toml allows of everything but torch, whose newest is a CUDA build of
several GB: that stays as in constraints.txt.  ``lowest`` holds every direct dependency at constraints-lowest.txt;
``bare`` is a wheel without extras, from outside the tree.  In every run outcome, evidence and
power of each claim, its rows and their truth are the plain run's, exact ends are identical, enclosures and confidence
sequences meet; fingerprints of all check files are equal.  Without extras a claim may instead name the one it needs.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools import ROOT
from tools.machines.comparing import PYTEST, compared, tests_of

SCHEMA = "theorytools.versions/1"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLAIN = PYTHONS[0]
STEP = 20  # every 20th claim of the catalogue
NEEDING = ("qstr.question_c_trained",)  # judged too: it trains, so that something needs an extra
TESTS = ("test_rational", "test_fingerprint", "test_catalogue", "test_printer", "test_intervals",
         "test_torch_attention", "test_certify_properties", "test_certificate_witness")  # fmt: skip
VERSION = "import sys; print('%d.%d.%d' % sys.version_info[:3])"
FINGERPRINTS = """
import hashlib, pathlib, sys
sys.path.insert(0, sys.argv[1])
from theorytools.claims.papers.syntax import fingerprint
files = sorted(pathlib.Path(sys.argv[1], "checks").rglob("*.py"))
print(hashlib.sha256("".join(map(fingerprint, files)).encode()).hexdigest())
"""


def interpreter(version):
    """The command of a Python of this version, from the path or from pyenv's folder; None where there is none."""
    folder = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for place in [*sorted(folder.glob(f"{version}.*/bin/python")), shutil.which(f"python{version}")]:
        if place and subprocess.run([place, "-c", VERSION], capture_output=True, check=False).returncode == 0:
            return str(place)
    return None


def runs():
    """The runs by name: the version of Python, and what pip is given."""
    everything = ("-e", ".[all,test]")
    return {
        **{version: (version, ("-c", "constraints.txt", *everything)) for version in PYTHONS},
        "newest": (PLAIN, (held("torch"), *everything)),
        "lowest": (PLAIN, ("-c", "constraints-lowest.txt", *everything)),
        "bare": (PLAIN, (".",)),
    }


def held(package):
    """The line of constraints.txt that holds a package."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith(f"{package}=="))


def environment(folder, python, words):
    """A fresh environment with the tree; returns its Python, the seconds it took, and what pip said if it failed.

    An environment that ``folder`` already holds is taken as it is.
    """
    command, note = folder / "bin/python", folder / "installed.json"
    if not note.is_file():
        started = time.time()
        subprocess.run([python, "-m", "venv", folder], check=True)
        done = subprocess.run([command, "-m", "pip", "install", "-q", *words], cwd=ROOT, capture_output=True, text=True)
        failed = done.stderr[-2000:] if done.returncode else ""
        note.write_text(json.dumps({"seconds": round(time.time() - started), "failed": failed}))
    return command, json.loads(note.read_text())


def ran(command, folder, *words):
    """A command in a process of its own, with one thread and without writing bytecode into the tree."""
    keep = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    env = keep | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "100"}
    return subprocess.run([command, *words], cwd=folder, env=env, capture_output=True, text=True, check=False)


def judged(python, folder, ids):
    """Judge claims in an empty folder; write their verdicts into ``folder`` and return what else is to be known."""
    folder.mkdir(parents=True)
    done = ran(python, folder, "-m", "theorytools", "verify", *ids, "--json", "--jobs", "1", "--report", "site")
    try:
        answer = json.loads(done.stdout)
        if "verdicts" not in answer:
            raise ValueError(answer["schema"])
    except ValueError:
        return {"exit": done.returncode, "failed": (done.stderr or done.stdout)[-2000:]}
    for verdict in answer["verdicts"]:
        (folder / f"{verdict['id']}.json").write_text(json.dumps(verdict))
    missing = {id: "\n".join(filter(None, parts.values())) for id, parts in answer["errors"].items()}
    return {
        "exit": done.returncode,
        "judged": len(answer["verdicts"]),
        "as_expected": sum(verdict["as_expected"] for verdict in answer["verdicts"]),
        "not_judged": missing,
        "an_extra_is_named": all("theorytools[" in text for text in missing.values()),
        "report_written": (folder / "site/index.html").is_file(),
        "traceback": "Traceback" in done.stderr + done.stdout,
        "versions": answer["verdicts"][0]["versions"] if answer["verdicts"] else {},
    }


def tested(python):
    """Run the chosen test files in the tree; returns the last line and the names of what failed."""
    files = [str(path.relative_to(ROOT)) for name in TESTS for path in ROOT.glob(f"tests/**/{name}.py")]
    return tests_of(ran(python, ROOT, *PYTEST, *files))


def one_run(name, folder, ids, verdicts, python=None):
    """The record of one run, but for the comparison; of the run's own Python unless one is given."""
    version, words = runs()[name]
    python = python or interpreter(version)
    if python is None:
        return {"python": version, "found": False, "note": "not found here"}
    command, installed = environment(folder / f"environment-{name}", python, words)
    record = {"found": True, "install": " ".join(words), "install_seconds": installed["seconds"]}
    if installed["failed"]:
        return record | {"failed": installed["failed"]}
    record |= seen_in(command, folder, ids, verdicts)
    if "test" in words[-1]:
        record["tests"] = tested(command)
    return record


def seen_in(command, folder, ids, verdicts):
    """What an environment is and makes of the claims, but for its tests."""
    return {
        "python": ran(command, folder, "-c", VERSION).stdout.strip(),
        "fingerprints": ran(command, folder, "-c", FINGERPRINTS, str(ROOT)).stdout.strip(),
        "packages": packages(command, folder), "verify": judged(command, verdicts, ids),
    }  # fmt: skip


def beside_this(name, folder, ids):
    """One run under the Python that runs this, compared with the environment that runs this; returns its record."""
    plain = seen_in(sys.executable, folder, ids, folder / "verdicts-this")
    made = one_run(name, folder, ids, folder / f"verdicts-{name}", sys.executable)
    made["compared"] = compared(folder / "verdicts-this", folder / f"verdicts-{name}")
    return made | {"holds": holds(made, plain)}


def packages(command, folder):
    """The installed distributions and their versions."""
    code = "from importlib.metadata import distributions as d\nfor x in d(): print(x.name, x.version)"
    return dict(sorted(line.split() for line in ran(command, folder, "-c", code).stdout.splitlines()))


def holds(record, plain):
    """Whether a run is as it must be."""
    if not record["found"]:
        return True
    verify, complete = record.get("verify", {}), record.get("install") != "."
    if not verify or "failed" in record or "failed" in verify:
        return False
    same = record.get("compared", {}).get("same", record is plain)
    return (
        same and record["fingerprints"] == plain["fingerprints"]
        and not verify["traceback"] and verify["report_written"]
        and verify["exit"] == (0 if complete else 4) and (verify["an_extra_is_named"] or complete)
        and record.get("tests", {"exit": 0})["exit"] == 0
    )  # fmt: skip


def selection(step=STEP):
    """Every so-many-th claim of the catalogue, in its order."""
    from theorytools.claims.papers.catalogue import Catalogue

    return [*[entry.id for entry in Catalogue(ROOT / "checks").entries][::step], *NEEDING]


def campaign(names, folder):
    """All runs, each compared with the plain one; returns the record."""
    ids = selection()
    record = {"schema": SCHEMA, "holds": True, "rule": f"every {STEP}th claim, and {', '.join(NEEDING)}",
              "claims": len(ids), "tests": list(TESTS), "runs": {}}  # fmt: skip
    with ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda name: one_run(name, folder, ids, folder / f"verdicts-{name}"), names)
        made = dict(zip(names, done, strict=True))
    for name, here in made.items():
        record["runs"][name] = here
        if name != PLAIN and (folder / f"verdicts-{name}").is_dir():
            here["compared"] = compared_where_judged(folder / f"verdicts-{PLAIN}", folder / f"verdicts-{name}", name)
        record["holds"] &= holds(here, record["runs"][PLAIN])
        print(name, json.dumps({k: v for k, v in here.items() if k != "packages"}), flush=True)
    return record


def compared_where_judged(plain, other, name):
    """The comparison of two runs; without extras only of the claims that both have judged."""
    if name != "bare":
        return compared(plain, other)
    with tempfile.TemporaryDirectory() as both:
        for path in other.glob("*.*.json"):
            shutil.copy(plain / path.name, both)
        return compared(Path(both), other)


def lowest():
    """Return the lowest version of every direct dependency that can be installed together, a line for each.

    torch 2.6 asks for sympy 1.13.1 exactly, so 2.7 is the lowest that can be.
    """
    words = ["--all-extras", "--resolution", "lowest-direct", "--python-version", PLAIN, "--no-header", "--quiet"]
    command = ["uv", "pip", "compile", "pyproject.toml", *words, "--annotation-style", "line"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    direct = [line for line in done.stdout.splitlines() if "theorytools (pyproject" in line]
    return "".join(line.partition("#")[0].rstrip() + "\n" for line in direct)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"of {', '.join(runs())}; default all")
    parser.add_argument("--keep", type=Path, help="keep environments and verdicts in this folder, and take those in it")
    parser.add_argument("--record", type=Path, help="default reports/versions.json where all runs are made")
    parser.add_argument("--lowest", action="store_true", help="only write constraints-lowest.txt")
    given = parser.parse_args()
    if given.lowest:
        (ROOT / "constraints-lowest.txt").write_text(lowest(), encoding="utf-8")
        return 0
    if unknown := set(given.runs) - set(runs()):
        parser.error(f"{', '.join(sorted(unknown))}: a run is one of {', '.join(runs())}")
    names = [PLAIN, *(n for n in runs() if n != PLAIN and (n in given.runs or not given.runs))]
    with tempfile.TemporaryDirectory() as scratch:
        folder = (given.keep or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("verdicts-*"):
            shutil.rmtree(old)
        record = campaign(names, folder)
    if path := given.record or (None if given.runs else ROOT / "reports/versions.json"):
        path.write_text(json.dumps(record, indent=1) + "\n")
    return 0 if record["holds"] else 1


if __name__ == "__main__":
    sys.exit(main())
