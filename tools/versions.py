"""Install the tree into fresh environments, judge and test in each, and compare every verdict with the plain run's.

    python -m tools.versions --keep FOLDER -j 2   # the plain run, each Python found, other versions, no extra
    python -m tools.versions 3.12 lowest --keep FOLDER --into reports/versions.json   # these, into the record
    python -m tools.versions --here --keep FOLDER # the plain run is the one that tools.machines has kept in FOLDER
    python -m tools.versions --lowest             # write constraints-lowest.txt anew from pyproject.toml (needs uv)

The plain run is Python 3.11 as the lines of README.md install it, with constraints.txt; so are the other Pythons.
``newest`` is the newest version that pyproject.toml allows of everything but torch, whose newest is a CUDA build of
several GB: that stays as in constraints.txt.  ``lowest`` holds every direct dependency at its lowest version, by the
lock constraints-lowest.txt, which names what these depend on too: with nothing left to search an installer ends in
minutes; ``bare`` is a wheel without extras, from outside the tree.

In every run all claims are judged; outcome, evidence and power of each, its rows and their truth are the plain run's,
exact ends are identical, enclosures and confidence sequences meet; the digests of the code of all claims are equal.
Without extras a claim may instead name the one it needs.  A few claims are judged by ``theorytools verify`` with its
report, too, and some tests are run.  With the same ``--keep`` a run goes on where it was, and environments are taken as
they are; into them the tree is installed anew where it is another.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from theorytools.errors import DomainError
from theorytools.files import write_json
from tools import ROOT, evidence
from tools.machines.__main__ import JUDGING, judged, refuse_strangers, same_tree
from tools.machines.comparing import PYTEST, compared, tests_of

SCHEMA = "theorytools.versions/2"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLAIN = PYTHONS[0]
STEP = 60  # every 60th claim of the catalogue is judged by the command, too
NEEDING = ("qstr.question_c_trained",)  # judged too: it trains, so that something needs an extra
TESTS = ("test_rational", "test_fingerprint", "test_catalogue", "test_printer", "test_intervals",
         "test_torch_attention", "test_certify_properties", "test_certificate_witness")  # fmt: skip
VERSION = "import sys; print('%d.%d.%d' % sys.version_info[:3])"


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


def installing(command, *words):
    """The command that installs into the environment of a Python: uv's where it is there, pip's otherwise."""
    uv = shutil.which("uv")
    return (
        [uv, "pip", "install", "-q", "-p", command, *words] if uv else [command, "-m", "pip", "install", "-q", *words]
    )


def environment(folder, python, words):
    """A fresh environment with the tree; returns its Python, the seconds it took, and what was said if it failed.

    An environment that ``folder`` already holds is taken as it is, and the tree installed anew if it is another.
    """
    command, note = folder / "bin/python", folder / "installed.json"
    tree = str(ROOT) if "-e" in words else evidence.name_of({"claims": evidence.claims_of()})
    known = json.loads(note.read_text(encoding="utf-8")) if note.is_file() else None
    if known and known["tree"] == tree and not known["failed"]:
        return command, known
    started = time.time()
    if known is None or known["failed"]:
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
        done = subprocess.run(installing(command, *words), cwd=ROOT, capture_output=True, text=True)
        known = {"seconds": round(time.time() - started)}
    else:
        again = ["--no-deps", "--force-reinstall", *(["-e"] if "-e" in words else []), "."]
        done = subprocess.run(installing(command, *again), cwd=ROOT, capture_output=True, text=True)
    note.write_text(json.dumps({**known, "tree": tree, "failed": done.stderr[-2000:] if done.returncode else ""}))
    return command, json.loads(note.read_text(encoding="utf-8"))


def ran(command, folder, *words):
    """A command in a process of its own, with one thread and without writing bytecode into the tree."""
    keep = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    env = keep | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "100"}
    env |= {"PYTHONPATH": str(ROOT)} if command == sys.executable else {}
    return subprocess.run([command, *words], cwd=folder, env=env, capture_output=True, text=True, check=False)


def commanded(python, folder, ids):
    """Judge a few claims by the command, with its report, in a new folder; return what it said."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    done = ran(python, folder, "-m", "theorytools", "verify", *ids, "--json", "--jobs", "1", "--report", "site")
    try:
        answer = json.loads(done.stdout)
        if "verdicts" not in answer:
            raise ValueError(answer["schema"])
    except ValueError:
        return {"exit": done.returncode, "failed": (done.stderr or done.stdout)[-2000:]}
    return {
        "exit": done.returncode, "judged": len(answer["verdicts"]), "not_judged": len(answer["errors"]),
        "as_expected": sum(verdict["as_expected"] for verdict in answer["verdicts"]),
        "report_written": (folder / "site/index.html").is_file(),
        "traceback": "Traceback" in done.stderr + done.stdout,
    }  # fmt: skip


def tested(python):
    """Run the chosen test files in the tree; returns the last line and the names of what failed."""
    files = [str(path.relative_to(ROOT)) for name in TESTS for path in ROOT.glob(f"tests/**/{name}.py")]
    return tests_of(ran(python, ROOT, *PYTEST, *files))


def one_run(name, folder, claims, *, jobs=1, python=None, here=False):
    """The record of one run, but for the comparison; of the run's own Python unless one is given.

    Parameters
    ----------
    name : of the run.
    folder : where its environment lies, as ``environment-NAME``, and its verdicts, as ``version-NAME``.
    claims : the ids, each with the digest of its code.
    jobs : claims that are judged at once.
    python : the Python that makes the environment.
    here : whether the environment is that of this process, and the verdicts those of :mod:`tools.machines`.
    """
    version, words = runs()[name]
    python = python or interpreter(version)
    if python is None:
        return {"python": version, "found": False, "note": "not found here"}
    if here:
        return seen_in(sys.executable, name, folder, claims, jobs, place(folder, name, here)) | {
            "install": "shared with tools.machines: the environment that runs it", "tests": tested(sys.executable)
        }  # fmt: skip
    command, installed = environment(folder / f"environment-{name}", python, words)
    record = {"found": True, "install": " ".join(words), "install_seconds": installed["seconds"]}
    if installed["failed"]:
        return record | {"failed": installed["failed"]}
    record |= seen_in(command, name, folder, claims, jobs, place(folder, name))
    if "test" in words[-1]:
        record["tests"] = tested(command)
    return record


def place(folder, name, here=False):
    """Where the verdicts of a run lie."""
    return folder / ("plain" if here else f"version-{name}")


def seen_in(command, name, folder, claims, jobs, out):
    """What an environment is and makes of the claims, but for its tests."""
    dumped = ran(command, folder, str(JUDGING), "--dump")
    theirs = json.loads(dumped.stdout)["tree"]["claims"] if dumped.returncode == 0 else {}
    few = [id for id in selection() if id in claims] or list(claims)[:1]
    _, seconds = judged(name, out, claims, "seconds", env=PLAINLY, jobs=jobs, python=command)
    return {
        "found": True, "python": ran(command, folder, "-c", VERSION).stdout.strip(),
        "same_code": sum(theirs.get(id) == digest for id, digest in claims.items()), "claims": len(claims),
        "packages": packages(command, folder), "cpu_seconds": seconds, **without_verdict(out, claims),
        "verify": commanded(command, folder / f"command-{name}", few),
    }  # fmt: skip


PLAINLY = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "random"}
EXTRA = re.compile(r"theorytools\[[a-z]+\]")


def without_verdict(out, claims):
    """The claims that an environment could not judge, by the extra that each names, and those that name none."""
    named, silent = {}, {}
    for id in claims:
        try:
            said = json.loads((out / f"{id}.json").read_text(encoding="utf-8")).get("error")
        except FileNotFoundError:
            said = "its process ended"
        if said and (extra := EXTRA.search(said)):
            named.setdefault(extra.group(), []).append(id)
        elif said:
            silent[id] = said
    return {"judged": len(claims) - len(silent) - sum(map(len, named.values())), "needing": named, "silent": silent}


def against(plain, out, record, claims):
    """The comparison of a run with the plain one, of the claims that need no extra."""
    needing = {id for ids in record["needing"].values() for id in ids} if record["install"] == "." else set()
    return compared(plain, out, [id for id in claims if id not in needing])


def beside_this(name, folder, claims):
    """One run under the Python that runs this, compared with the environment that runs this; returns its record."""
    plain = seen_in(sys.executable, "this", folder, claims, 1, place(folder, "this"))
    made = one_run(name, folder, claims, python=sys.executable)
    made["compared"] = against(place(folder, "this"), place(folder, name), made, claims)
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
        same and record["same_code"] == record["claims"] and not record["silent"]
        and not (record["needing"] and complete)
        and not verify["traceback"] and verify["report_written"]
        and verify["exit"] == (4 if verify["not_judged"] else 0) and not (verify["not_judged"] and complete)
        and record.get("tests", {"exit": 0})["exit"] == 0
    )  # fmt: skip


def selection(step=STEP):
    """Every so-many-th claim of the catalogue, in its order, and one that needs an extra."""
    from theorytools.claims.papers.catalogue import Catalogue

    return [*[entry.id for entry in Catalogue(ROOT / "checks").entries][::step], *NEEDING]


def campaign(names, folder, ids=(), *, jobs=1, here=False):
    """All runs, each compared with the plain one; returns the record."""
    claims = {id: digest for id, digest in evidence.claims_of().items() if not ids or id in ids}
    record = {"schema": SCHEMA, "holds": True, "claims": len(claims), "tree": {"claims": claims}, "tests": list(TESTS),
              "runs": {}}  # fmt: skip
    for name in names:
        mine = here and name == PLAIN
        made = record["runs"][name] = one_run(name, folder, claims, jobs=jobs, here=mine)
        if name != PLAIN and "judged" in made:
            made["compared"] = against(place(folder, PLAIN, here), place(folder, name), made, claims)
        print(name, json.dumps({k: v for k, v in made.items() if k != "packages"}), flush=True)
    evidence.refuse_changed(claims)
    return record | {"holds": all_hold(record["runs"])}


def all_hold(runs):
    """Whether every run is as it must be."""
    return all(holds(run, runs[PLAIN]) for run in runs.values())


def lowest():
    """Return a lock of the lowest version of every direct dependency that can be installed together, a line for each.

    What these depend on is named, too: held to the direct ones alone, pip went through versions of the others for 45
    minutes without an end.  torch 2.6 asks for sympy 1.13.1 exactly, so 2.7 is the lowest that can be.
    """
    words = ["--all-extras", "--resolution", "lowest-direct", "--python-version", PLAIN, "--no-header", "--quiet"]
    command = ["uv", "pip", "compile", "pyproject.toml", *words, "--no-annotate"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"of {', '.join(runs())}; default all")
    parser.add_argument("--claims", nargs="+", default=[], metavar="ID")
    parser.add_argument("--keep", type=Path, help="keep environments and verdicts in this folder, and take those in it")
    parser.add_argument(
        "--here", action="store_true", help=f"the run {PLAIN} is the plain run of tools.machines --keep"
    )
    parser.add_argument("--record", type=Path, help="default reports/versions.json where all runs are made")
    parser.add_argument("--into", type=Path, metavar="RECORD", help="replace runs of this record, and keep the others")
    parser.add_argument("--lowest", action="store_true", help="only write constraints-lowest.txt")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="claims that are judged at once")
    given = parser.parse_args()
    if given.lowest:
        (ROOT / "constraints-lowest.txt").write_text(lowest(), encoding="utf-8")
        return 0
    if unknown := set(given.runs) - set(runs()):
        parser.error(f"{', '.join(sorted(unknown))}: a run is one of {', '.join(runs())}")
    refuse_strangers(parser, given.claims)
    names = [PLAIN, *(n for n in runs() if n != PLAIN and (n in given.runs or not given.runs))]
    with tempfile.TemporaryDirectory() as scratch:
        folder = (given.keep or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        record = campaign(names, folder, given.claims, jobs=given.jobs, here=given.here)
    if given.into:
        record = into(given.into, record)
    whole = not (given.runs or given.claims)
    if path := given.into or given.record or (ROOT / "reports/versions.json" if whole else None):
        write_json(path, record, indent=1)
    return 0 if record["holds"] else 1


def into(path, record):
    """Return a record with the runs that a file holds of the same tree and were not made again."""
    old = same_tree(path, record)
    made = {**(old["runs"] if old else {}), **record["runs"]}
    ordered = {name: made[name] for name in runs() if name in made}
    return {**record, "runs": ordered, "holds": all_hold(ordered)}


if __name__ == "__main__":
    try:
        sys.exit(main())
    except DomainError as error:
        sys.exit(f"{error}")
