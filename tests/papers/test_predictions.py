"""Role prediction: the rule stood in a commit before the first trial, as the history of this repository shows."""

import ast
import json
import re
import shutil
import subprocess
from datetime import datetime, timedelta
from itertools import pairwise
from math import log

import pytest
from devices import device
from source_tree import ROOT

from theorytools import Catalogue
from theorytools.claims.judging.judge import judge
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.predictions import predictions
from theorytools.errors import CheckError
from theorytools.training.registration import came_first

PAPERS = sorted(path.parent for path in (ROOT / "checks").glob("*/predictions.toml"))
RULES = {id: (folder, rule) for folder in PAPERS for id, rule in (predictions(folder) or {}).items()}


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


needs_history = pytest.mark.skipif(
    not (ROOT / ".git").exists() or not shutil.which("git") or git("rev-parse", "--is-shallow-repository") != "false",
    reason="needs the whole history of the repository",
)


def record_of(folder, rule):
    return json.loads((folder / "records" / "sweeps" / f"{rule.record}.json").read_text(encoding="utf-8"))


def told(source):
    """The texts of a file, f-strings with what is put into them left out."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value for part in node.values if isinstance(part, ast.Constant))


def test_every_paper_has_its_rules_and_every_rule_its_claim():
    # that role and rule agree is asked of every claim when it is loaded
    assert len(PAPERS) == 3
    assert set(RULES) <= {entry.id for entry in Catalogue(ROOT / "checks").select(["qstr", "sep", "stsq"])}


@pytest.mark.parametrize("id", RULES)
def test_a_rule_stands_in_the_record_and_is_older_than_its_first_trial(id):
    folder, rule = RULES[id]
    record = record_of(folder, rule)
    assert all(words in record["rule"] for words in rule.says)
    assert came_first(record) is not False
    made, committed = record["provenance"], datetime.fromisoformat(rule.committed)
    assert made["commit"]
    assert not made["commit"].endswith("-dirty")
    if first := made.get("registered", {}).get("first"):
        assert committed < datetime.fromisoformat(first)
    else:  # no start was kept: there was time for the longest of the trials after the rule, and the next test asks git
        longest = timedelta(seconds=max(trial["seconds"] for trial in record["trials"]))
        assert committed + longest <= datetime.fromisoformat(made["created"])


def test_no_record_in_the_tree_is_of_code_that_no_commit_holds():
    paths = [*ROOT.glob("checks/*/records/**/*.json"), *ROOT.glob("docs/*/*/records/**/*.json")]
    assert len(paths) > 40
    for path in paths:
        data = json.loads(path.read_text(encoding="utf-8"))
        made = data["provenance"] if "sweep" in data else data["record"]
        assert re.fullmatch("[0-9a-f]{40}", made["commit"]), path
        assert not made.get("changed_since"), path


@needs_history
@pytest.mark.parametrize("id", RULES)
def test_git_says_so_too(id):
    folder, rule = RULES[id]
    sweep = f"checks/{folder.name}/sweeps/{rule.record.partition('.')[0]}.py"
    record = f"checks/{folder.name}/records/sweeps/{rule.record}.json"
    texts = list(told(git("show", f"{rule.commit}:{sweep}")))
    assert all(any(words in text for text in texts) for words in rule.says)
    assert git("log", "-1", "--format=%cI", rule.commit) == rule.committed
    # what wrote the record was at a commit that holds the rule, and no version of the record is older than that
    assert git("merge-base", "--is-ancestor", rule.commit, record_of(folder, rule)["provenance"]["commit"]) is not None
    every = git("log", "--format=%H", "--", record).split()
    assert every
    for commit in every:
        version = git("show", f"{commit}:{record}")
        if version is not None:
            assert rule.committed < json.loads(version)["provenance"]["created"]


def test_a_claim_without_its_rule_is_no_prediction(tmp_path):
    """Wrong versions: what was written after its run said that it had been predicted."""
    for name, id in (("figure_01/longer.py", "figure_01_longer"), ("question_b.py", "question_b")):
        folder = tmp_path / id / "qstr"
        shutil.copytree(ROOT / "checks" / "qstr", folder, ignore=shutil.ignore_patterns("records", "__pycache__"))
        text = (folder / name).read_text(encoding="utf-8")
        assert 'role="found"' in text
        (folder / name).write_text(text.replace('role="found"', 'role="prediction"'), encoding="utf-8")
        (entry,) = Catalogue(folder.parent).select([f"qstr.{id}"])[:1]
        with pytest.raises(CheckError, match=r"not in predictions\.toml") as refused:
            load(entry)
        assert "role='found'" in refused.value.advice


def test_what_is_in_the_table_of_predictions_has_no_other_role(tmp_path):
    folder = tmp_path / "qstr"
    shutil.copytree(ROOT / "checks" / "qstr", folder, ignore=shutil.ignore_patterns("records", "__pycache__"))
    path = folder / "figure_01" / "far.py"
    text = path.read_text(encoding="utf-8")
    assert 'role="prediction"' in text
    path.write_text(text.replace('role="prediction"', 'role="found"'), encoding="utf-8")
    with pytest.raises(CheckError, match=r"role 'found', in predictions\.toml"):
        load(Catalogue(tmp_path).select(["qstr.figure_01_far"])[0])


@pytest.mark.parametrize(
    "text", ["[", '["x.y"]\nrecord = "a"\n', '["x.y"]\nrecord = ""\nsays = []\ncommit = ""\ncommitted = ""\n']
)
def test_a_table_that_is_none_is_refused(tmp_path, text):
    (tmp_path / "predictions.toml").write_text(text, encoding="utf-8")
    with pytest.raises(CheckError, match="cannot be read"):
        predictions(tmp_path)
    assert predictions(tmp_path / "elsewhere") is None


def test_what_a_wide_window_let_pass_is_excluded():
    """Wrong versions: "grows with d_e T, as predicted", "a factor q": intervals and local exponents say otherwise."""
    recorded_trials, escape, SIZES = device("stsq/experiments/short_encodings", "construct", "escape", "SIZES")
    record = recorded_trials(None)
    sizes = [N * record.of("all weights, q = 1", T=N)[0].spec["d_e"] for N in SIZES[1]]
    times = [escape(record, "all weights", 1, N) for N in SIZES[1]]
    local = [log(t / s) / log(b / a) for (a, b), (s, t) in zip(pairwise(sizes), pairwise(times), strict=True)]
    assert local == sorted(local)
    assert local[0] < 1 < 1.4 < local[-1]
    for id, name in (("stsq.experiments_short_encodings", "growth in proportion"),
                     ("qstr.figure_03_retrieval", "a factor q")):  # fmt: skip
        verdict = judge(load(*Catalogue(ROOT / "checks").select([id])[:1]), id)
        assert (verdict.outcome, {one.name: one.outcome for one in verdict.controls}[name]) == ("HOLDS", "breaks")
