"""The examples: a stranger's project of textbook theorems, its verdicts, its controls and its site."""

import json
import re
import sys

import pytest
from source_tree import ROOT

from theorytools.cli import main


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """What the line of examples/classics/README.md writes."""
    text = (ROOT / "examples" / "classics" / "README.md").read_text("utf-8")
    (line,) = re.findall("^theorytools verify .*$", text, re.M)
    folder = tmp_path_factory.mktemp("classics")
    (folder / "examples").symlink_to(ROOT / "examples")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", line.split())
        with pytest.raises(SystemExit) as end:
            main()
    assert not end.value.code
    return folder / "classics-site"


def test_textbook_theorems_hold_and_their_controls_fail(site):
    made = [json.loads(path.read_text("utf-8")) for path in (site / "verdicts").glob("*.json")]
    names = ("johnson_lindenstrauss", "massart", "sawtooth", "softmax")
    assert sorted(v["id"] for v in made) == [f"classics.{name}" for name in names]
    assert {v["outcome"] for v in made} == {"HOLDS"}
    assert all(control["outcome"] == "breaks" for v in made for control in v["controls"])


def test_a_strangers_project_has_the_same_site(site):
    front = (site / "index.html").read_text("utf-8")
    assert "Four textbook theorems" in front
    assert "qstr" not in front
    for name in ("classics/index.html", "classics/softmax.html", "trust.html", "claims.html", "search.js", "style.css"):
        assert (site / name).is_file()
