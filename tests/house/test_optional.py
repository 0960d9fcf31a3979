"""Without the packages of the extras: every command says which extra brings what is missing."""

import re
import subprocess
import sys
import tomllib

import pytest
from checkfolders import KINDS, edited, write
from source_tree import ROOT

from theorytools.cli.new import new_check
from theorytools.errors import MissingPackageError
from theorytools.optional import EXTRAS, missing, require

ABSENT = """
import sys
from importlib.abc import MetaPathFinder
class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
"""


def without(names, code, folder):
    program = ABSENT.format(names=tuple(names)) + code
    return subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)


COMMANDS = """
from theorytools.cli import main
for words in {lines!r}:
    sys.argv = ["theorytools", *words]
    try:
        main()
    except SystemExit as ended:
        print("ended with", ended.code or 0, flush=True)
        print("ended", file=sys.stderr, flush=True)
"""


def commands(names, folder, *lines):
    """Run one command after the other in one process: of each its exit code, and what it said on both streams."""
    done = without(names, COMMANDS.format(lines=lines), folder)
    assert "Traceback" not in done.stderr, done.stderr
    errors = done.stderr.split("ended\n")[:-1]
    told = re.split(r"ended with (\d+)\n", done.stdout)
    return [(int(code), out + err) for out, code, err in zip(told[:-1:2], told[1::2], errors, strict=True)]


def test_extras_bring_their_packages_and_are_named_with_what_is_missing():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for package, extra in EXTRAS.items():
        name = {"sklearn": "scikit_learn"}.get(package, package)
        brought = [line for line in extras[extra] if line.replace("-", "_").startswith(name)]
        assert brought or package == "dask"  # distributed brings dask
    core = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert not [line for line in core for package in EXTRAS if line.startswith(package)]
    assert require("json").loads("1") == 1
    error = missing(ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn"))
    assert isinstance(error, MissingPackageError)
    assert isinstance(error, ImportError)
    assert all((error.given, error.required, error.why, error.advice))
    assert "theorytools[torch]" in error.advice
    for other in (ModuleNotFoundError("x", name="numpy"), ImportError("x", name="torch"), ValueError("x")):
        assert missing(other) is None
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        require("no_such_package")


def test_a_claim_that_needs_a_missing_package_is_not_judged_and_names_the_extra(tmp_path):
    write(tmp_path, "holds")
    importing = KINDS["holds"].replace("from sympy", "import cvxpy\nfrom sympy")
    (tmp_path / "checks" / "tiny" / "solved.py").write_text(importing, encoding="utf-8")
    names = ["torch", "cvxpy", "safetensors", "highspy"]
    (code, said), one = commands(names, tmp_path, ["verify", "-j", "1"], ["verify", "tiny.holds"])
    assert code == 4  # infrastructure: nothing is decided about the claim
    for text in ("Lemma holds", "tiny.solved", "import cvxpy", "pip install 'theorytools[solvers]'"):
        assert text in said
    assert one[0] == 0


HEAVY = ("torch", "safetensors", "cvxpy", "highspy", "scipy")
OWN = """
list
show tiny.holds
can tiny.holds
verify -j 1
verify tiny.holds --at N=9
verify tiny.sampled --fresh -j 1
falsify tiny.holds --seconds 0.2
grade tiny.holds
reseed tiny.sampled --salts 2
necessity tiny.holds
table tiny.holds
report site
site public
diff site site
doctor
new mine lemma_1
"""


def test_a_strangers_paper_is_judged_searched_and_reported_without_scipy_and_the_extras(tmp_path):
    checks = write(tmp_path, "holds", "sampled")
    assert new_check("tiny", "lemma_2", checks, template="enclosed") == 0
    edited(checks / "tiny" / "lemma_2.py")
    lines = [line.split() for line in OWN.split("\n") if line]
    for words, (code, said) in zip(lines, commands(HEAVY, tmp_path, *lines), strict=True):
        assert code == 0, (words, said)
    again = "from theorytools.recheck import main\nraise SystemExit(main(['site']))"
    done = without(HEAVY, again, tmp_path)
    assert (done.returncode, "3 confirmed" in done.stdout) == (0, True), done.stdout + done.stderr


NEED_NONE = (
    ["verify", "qstr.lemma_11", "--no-report"], ["verify", "qstr.lemma_11", "--at", "N=64"],
    ["verify", "qstr.question_c_trained", "--no-report"], ["falsify", "qstr.lemma_11", "--seconds", "0.2"], ["list"],
    ["show", "qstr.lemma_11"], ["doctor"], ["doctor", "--deep"],
)  # fmt: skip
TRAIN = (
    ["sweep", "figure_01a", "--store", "s.sqlite"],
    ["verify", "qstr.proposition_35_trained", "-j", "1", "--no-report"],
    ["falsify", "qstr.proposition_35_trained", "--seconds", "60"],
)  # fmt: skip


def test_commands_that_need_no_extra_work_without_any_and_those_that_train_name_it(tmp_path):
    found = commands(EXTRAS, tmp_path, *NEED_NONE, *TRAIN)
    assert len(found) == len(NEED_NONE) + len(TRAIN)
    for words, (code, said) in zip((*NEED_NONE, *TRAIN), found, strict=True):
        assert code == (4 if words in TRAIN else 0), (words, said)
        assert ("theorytools[torch]" in said) == (words in TRAIN or words == ["doctor"] or "--deep" in words), words


def test_a_torch_module_of_a_construction_names_the_extra(tmp_path):
    code = """
import numpy as np
from theorytools.codes.families import rademacher
from theorytools.constructions.attention.block import BlockAttention
net = BlockAttention(rademacher(64, 67, np.random.default_rng(0)), beta=21.3, q=3, d=10)
try: net.module()
except ImportError as error: print(error)
"""
    done = without(EXTRAS, code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "theorytools[torch]" in done.stdout
