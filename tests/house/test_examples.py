"""The examples: a stranger's project of textbook theorems, its verdicts, its controls and its site."""

import json
import re
import sys
from dataclasses import replace

import pytest
from source_tree import ROOT

from theorytools import Catalogue, falsify, judge
from theorytools.claims.judging import run
from theorytools.claims.language.grid import Grid
from theorytools.claims.papers.loading import load
from theorytools.cli import main

CLASSICS = ROOT / "examples" / "classics"
ENTRIES = {entry.id: entry for entry in Catalogue([CLASSICS / "checks"]).own}
SOUGHT = (
    "ball_l1", "ball_l2", "bernstein", "bernstein_lemma", "contraction", "contraction_modulus", "dudley", "hoeffding",
    "hoeffding_lemma", "massart",
)  # fmt: skip
# wrong versions that fail nowhere near: within so few points only an object that is exhibited shows the mistake
EXHIBITED = {
    "classics.bernstein": {"the 2 on the variance alone"},  # 64 variables, at a probability of 10^-11
    "classics.contraction_modulus": {"1", "1.3"},  # a hundredth of three vectors of 0, 1, -1, with one function
    "classics.dudley": {"0.8"},  # nine vectors
}
POINTS = 400


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """What the line of examples/classics/README.md writes, with fewer points beside the grids."""
    text = (CLASSICS / "README.md").read_text("utf-8")
    (line,) = re.findall("^theorytools verify .*$", text, re.M)
    folder = tmp_path_factory.mktemp("classics")
    (folder / "examples").symlink_to(ROOT / "examples")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(run, "EVALUATIONS", 3)
        patch.setattr(sys, "argv", [*line.split(), "--jobs", "1"])
        with pytest.raises(SystemExit) as end:
            main()
    assert not end.value.code
    return folder / "classics-site"


def test_textbook_theorems_hold_and_their_controls_fail(site):
    made = [json.loads(path.read_text("utf-8")) for path in (site / "verdicts").glob("*.json")]
    files = {path.stem for path in (CLASSICS / "checks" / "classics").glob("[a-z]*.py")} - {"notation"}
    assert {v["id"].split(".")[1] for v in made} == files
    assert {v["id"] for v in made} == {*ENTRIES}
    assert {v["outcome"] for v in made} == {"HOLDS"}
    assert all(control["outcome"] == "breaks" for v in made for control in v["controls"])
    assert not [remark for v in made for remark in v.get("remarks", ())]


def test_a_strangers_project_has_the_same_site(site):
    front = (site / "index.html").read_text("utf-8")
    assert "Textbook theorems" in front
    assert "qstr" not in front
    for name in ("classics/index.html", "classics/softmax.html", "trust.html", "claims.html", "search.js", "style.css"):
        assert (site / name).is_file()


def wrong_versions(claim):
    """Each control as a claim of its own, with those points of the grid at which it holds."""
    for control in claim.controls:
        parts = {part: getattr(control, part) for part in ("asserts", "measure", "construct")}
        wrong = replace(claim, **{part: value for part, value in parts.items() if value is not None})
        rows = judge(wrong, "my.wrong").rows
        failing = [dict(row.point) for row in rows if row.truth is not True and not row.control]
        held = [axes for axes in claim.grid if {name: str(value) for name, value in axes.items()} not in failing]
        yield control.name, wrong, held


@pytest.mark.parametrize("id", [f"classics.{name}" for name in SOUGHT])
def test_the_search_finds_each_usual_wrong_version_from_a_grid_on_which_it_holds(id):
    claim = load(ENTRIES[id])
    missed = set()
    for name, wrong, held in wrong_versions(claim):
        assert 0 < len(held) < len(claim.grid), f"{name}: a grid on which it holds, and the point that shows it fails"
        found = falsify(replace(wrong, grid=Grid(held)), id, evaluations=POINTS, judged=True)
        missed |= {name} if found.row is None else set()
    assert missed == EXHIBITED.get(id, set())
