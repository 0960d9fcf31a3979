"""What other projects take from this one: marks for GitHub, hooks, an action, workflows; each names what is there."""

import re
import shlex

import pytest
import yaml
from checkfolders import write
from source_tree import ROOT

from theorytools.claims.papers.catalogue import Catalogue
from theorytools.claims.papers.lines import line_of
from theorytools.cli.annotations import marks

MARK = re.compile(r"::(error|warning) file=([^,]+),line=(\d+),title=([^,:]*)::(.*)")


def test_each_unexpected_claim_is_marked_at_its_line_and_the_others_are_not(cli, tmp_path, monkeypatch):
    kinds = ("holds", "refuted", "powerless", "misspelt")
    folder = write(tmp_path, *kinds) / "tiny"
    monkeypatch.chdir(tmp_path)
    for words in ((), ("--json",)):  # standard output belongs to the data
        done = cli("verify", "--no-report", "--annotations", *words)
        said = done.err if words else done.out
        found = {one[2]: (one[1], int(one[3]), one[4]) for one in map(MARK.fullmatch, said.splitlines()) if one}
        assert found.keys() == {f"checks/tiny/{kind}.py" for kind in kinds[1:]}
        for kind, begin in (("refuted", "claim ="), ("powerless", "claim ="), ("misspelt", "def construct((")):
            level, line, title = found[f"checks/tiny/{kind}.py"]
            assert (level, kind.upper() in title or "could not be judged" in title) == ("error", True)
            assert (folder / f"{kind}.py").read_text("utf-8").splitlines()[line - 1].startswith(begin)
        assert not words or "::error" not in done.out
    assert "::error" not in cli("verify", "tiny.refuted", "--no-report").out


def test_no_text_of_a_check_begins_a_mark_of_its_own(tmp_path):
    """A label is a stranger's: in a line of its own it would be a command to the machine that runs the workflow."""
    (entry,) = Catalogue(write(tmp_path, "refuted")).entries
    evil = {"id": entry.id, "label": "L\n::stop-commands::x\r::error::y", "outcome": "REFUTED", "expect": "HOLDS",
            "as_expected": False, "reason": "a,b\n::add-mask::", "rows": [], "command": "",
            "remarks": [{"line": 3, "text": "t\n::error::", "instrument": "a:b,c"}]}  # fmt: skip
    made = list(marks([entry], {entry.id: evil}, {entry.id: "x\n::error::"}))
    assert len(made) == 3
    assert all(MARK.fullmatch(one) and one.count("\n") + one.count("\r") == 0 for one in made)
    assert MARK.fullmatch(made[2])[3] == "3"


def test_the_line_of_a_claim_is_that_of_its_own_name(tmp_path):
    folder = write(tmp_path, "holds")
    path = folder / "tiny" / "holds.py"
    text = path.read_text("utf-8")
    path.write_text(f'{text}\nclaimant = 1\nother: "Claim" = Claim(\n    "Lemma 2")\n', encoding="utf-8")
    lines = path.read_text("utf-8").splitlines()
    found = {entry.name: lines[line_of(entry) - 1] for entry in Catalogue(folder).entries}
    assert {name: line.split()[0] for name, line in found.items()} == {"claim": "claim", "other": "other:"}


def read(name):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_the_hooks_run_a_command_on_the_files_that_are_checks(cli, tmp_path, monkeypatch):
    write(tmp_path, "holds")
    monkeypatch.chdir(tmp_path)
    hooks = read(".pre-commit-hooks.yaml")
    assert {hook["language"] for hook in hooks} == {"python", "system"}
    for hook in hooks:
        assert hook["pass_filenames"] is False  # verify takes ids
        assert re.search(hook["files"], "checks/tiny/holds.py")
        assert not re.search(hook["files"], "src/checksum.py")
    (words,) = {tuple(shlex.split(hook["entry"])) for hook in hooks}
    assert words[0] == "theorytools"
    assert cli(*words[1:]).code == 0
    path = tmp_path / "checks" / "tiny" / "holds.py"
    path.write_text(path.read_text("utf-8").replace("size <= N]", "size <= N - 1]"), encoding="utf-8")
    assert cli(*words[1:]).code == 1
    page = (ROOT / "docs" / "in_your_project.md").read_text("utf-8")
    assert [hook["id"] for hook in hooks if hook["id"] not in page] == []


def test_the_action_uses_each_input_once_and_never_inside_a_script():
    """An input within ``run`` is text of whoever opened a pull request, and the shell would run it."""
    action = read("action.yml")
    steps = action["runs"]["steps"]
    scripts = [step["run"] for step in steps if "run" in step]
    assert not any("${{" in script for script in scripts)
    assert all(step["shell"] == "bash" for step in steps if "run" in step)
    text = (ROOT / "action.yml").read_text("utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(action["inputs"])
    assert {step["id"] for step in steps if "id" in step} == set(re.findall(r"steps\.(\w+)\.", text))
    page = (ROOT / "docs" / "in_your_project.md").read_text("utf-8")
    assert [name for name in (*action["inputs"], *action["outputs"]) if f"`{name}`" not in page] == []
    assert "--annotations" in " ".join(scripts)


@pytest.mark.parametrize("name", ["tests", "versions", "pages"])
def test_a_workflow_runs_lines_of_the_tree_with_the_versions_that_contributing_names(name):
    file = f".github/workflows/{name}.yml"
    told = read(file)
    lines = [step["run"] for job in told["jobs"].values() for step in job["steps"] if "run" in step]
    assert lines
    assert all("-c constraints.txt" in line for line in lines if "pip install" in line)
    assert f"{name}.yml" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert name != "tests" or lines == [".ci/run"]
    assert name != "pages" or "theorytools site public --docs docs" in lines
