"""Other versions of what the tree rests on: those that are tested are installed, and the newest are tried."""

import json
import re
import sys

import pytest
from source_tree import ROOT

from tools import versions

PINS = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines())
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_direct_dependency_is_pinned_where_the_readme_installs_and_within_what_is_allowed():
    from packaging.requirements import Requirement

    pinned = {plain(name): version for name, version in PINS.items()}
    asked = [Requirement(text) for text in re.findall(r'"([\w.-]+(?:[<>=][^"]*))"', PROJECT)]
    assert len(asked) > 30
    own = {plain(one.name) for one in asked} - {"dask-jobqueue", "theorytools"}  # of the extra cluster alone
    assert own <= set(pinned)
    assert not [f"{one} but {pinned[plain(one.name)]}" for one in asked
                if plain(one.name) in own and not one.specifier.contains(pinned[plain(one.name)])]  # fmt: skip


def test_the_runs_install_what_they_say():
    words = {name: made[1] for name, made in versions.runs().items()}
    assert words[versions.PLAIN][:2] == ("-c", "constraints.txt")
    assert words["newest"][0] == f"torch=={PINS['torch']}"
    assert "-c" not in words["newest"]
    assert words["lowest"][:2] == ("-c", "constraints-lowest.txt")


@pytest.mark.slow
@pytest.mark.timeout(2400)  # an index may be slow
def test_the_newest_versions_judge_and_test_as_these_do(tmp_path):
    """Needs the package index; about 70 CPU seconds, and 110 for the installation of 2.3 GB."""
    record = versions.beside_this("newest", tmp_path, versions.selection(60))
    packages = record.get("packages", {})
    newer = {name: version for name, version in packages.items() if PINS.get(name, version) != version}
    told = {name: part for name, part in record.items() if name != "packages"}
    assert record["holds"], json.dumps({**told, "newer": newer}, indent=1)
    assert record["python"] == "{}.{}.{}".format(*sys.version_info)
    assert record["verify"]["judged"] >= 12
