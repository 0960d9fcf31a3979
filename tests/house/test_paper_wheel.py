"""A paper of one's own as a distribution: its project file, its wheel, and what is judged where this is installed."""

import json
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib import util
from pathlib import Path

import pytest
from checkfolders import edited
from hatchling.builders.wheel import WheelBuilder
from source_tree import ROOT

FOLDERS = ("flint", "hypothesis", "jinja2", "lazy_loader", "math_core", "numpy", "pytest", "rich", "sympy", "typer")


def project(cli, folder):
    """A project with a paper and a package that its check imports; its wheel."""
    assert cli("new", "theirs", "lemma_1", "--package").code == 0
    check = edited(folder / "checks" / "theirs" / "lemma_1.py")
    text = check.read_text(encoding="utf-8")
    assert text.count("list(range(p.N + extra))") == 1, text
    text = text.replace("from theorytools import", "from theirs import items\nfrom theorytools import", 1)
    check.write_text(text.replace("list(range(p.N + extra))", "items(p.N + extra)"), encoding="utf-8")
    (folder / "theirs").mkdir()
    (folder / "theirs" / "__init__.py").write_text("def items(n):\n    return list(range(n))\n", encoding="utf-8")
    file = folder / "pyproject.toml"
    text = file.read_text(encoding="utf-8")
    assert text.count('["checks"]') == 1
    file.write_text(text.replace('["checks"]', '["checks", "theirs"]'), encoding="utf-8")
    return Path(next(WheelBuilder(str(folder)).build(directory=str(folder / "dist"), versions=["standard"])))


def test_new_writes_a_project_that_brings_the_paper_and_leaves_another_alone(cli, tmp_path):
    told = cli("new", "theirs", "lemma_1", "--package", "--checks", "theirs/proofs").out
    file = tmp_path / "theirs" / "pyproject.toml"
    assert f"wrote {file.relative_to(tmp_path)}" in told
    said = tomllib.loads(file.read_text(encoding="utf-8"))
    assert said["project"]["entry-points"]["theorytools.papers"] == {"theirs": "theirs_checks"}
    assert said["tool"]["hatch"]["build"]["targets"]["wheel"]["sources"] == {"proofs": "theirs_checks"}
    answer = cli("new", "theirs", "lemma_2", "--package", "--checks", "theirs/proofs")
    assert (answer.code, "it exists and is left alone" in answer.err) == (2, True)
    assert not (tmp_path / "theirs" / "proofs" / "theirs" / "lemma_2.py").exists()
    answer = cli("new", "arxiv:2503.11272", "--tex", "paper.tex", "--name", "other", "--package")
    assert (answer.code, "--package with --tex" in answer.err) == (2, True)


@pytest.mark.slow
def test_a_paper_of_another_wheel_is_judged(cli, tmp_path, monkeypatch):
    source = tmp_path / "source"
    source.mkdir()
    monkeypatch.chdir(source)
    wheel = project(cli, source)
    assert {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()} == {
        "theirs", "theirs_checks", "theirs-0.1.dist-info"}  # fmt: skip
    home, work = tmp_path / "environment", tmp_path / "work"
    venv.create(home, symlinks=True, with_pip=False)
    work.mkdir()
    (packages,) = home.glob("lib/python*/site-packages") if sys.platform != "win32" else [home / "Lib/site-packages"]
    zipfile.ZipFile(wheel).extractall(packages)
    folders = {str(ROOT), *(str(Path(util.find_spec(name).origin).parents[1]) for name in FOLDERS)}
    (packages / "heavy.pth").write_text("\n".join(sorted(folders)), encoding="utf-8")
    python = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"

    def ran(*words, code=0):
        done = subprocess.run([python, "-m", *words], cwd=work, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    assert "theirs.lemma_1" in ran("theorytools", "list")
    (verdict,) = json.loads(ran("theorytools", "verify", "theirs", "--json"))["verdicts"]
    assert (verdict["id"], verdict["outcome"]) == ("theirs.lemma_1", "HOLDS")
    assert "theirs.lemma_1" in (work / "site" / "claims.html").read_text(encoding="utf-8")
    assert "theirs.lemma_1: confirmed" in ran("theorytools.recheck", "site")
    ran("theorytools", "falsify", "theirs.lemma_1", "--seconds", "0.2")
    collect = ("--pyargs", "theirs_checks", "-o", "consider_namespace_packages=true", "-p", "no:cacheprovider")
    assert "1 passed" in ran("pytest", "-q", *collect)
    assert "(1 stored before, unchanged)" in ran("theorytools", "verify", "theirs")
    wrong = "def items(n):\n    return list(range(n + 1))\n"  # another release of their package
    (packages / "theirs" / "__init__.py").write_text(wrong, encoding="utf-8")
    assert "REFUTED" in ran("theorytools", "verify", "theirs", code=1)
