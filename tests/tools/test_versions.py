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


def test_the_lock_of_the_lowest_versions_leaves_an_installer_nothing_to_search():
    """Each direct dependency at the lowest version that is allowed, and one version of all that these ask for."""
    from packaging.requirements import Requirement

    lines = (ROOT / "constraints-lowest.txt").read_text(encoding="utf-8").splitlines()
    locked = {plain(name): version for name, _, version in (line.partition("==") for line in lines)}
    asked = [Requirement(text) for text in re.findall(r'"([\w.-]+(?:[<>=][^"]*))"', PROJECT)]
    asked = [one for one in asked if plain(one.name) != "theorytools"]
    assert all(one.specifier.contains(locked[plain(one.name)]) for one in asked)
    least = {plain(one.name): spec.version for one in asked for spec in one.specifier if spec.operator == ">="}
    higher = {name for name, version in least.items() if locked[name] != version and f"{version}.0" != locked[name]}
    assert higher <= {"torch", "lazy-loader", "python-flint"} | {n for n in least if locked[n].startswith(least[n])}
    assert len(locked) == len(lines) > 3 * len(least)
    assert {
        "markupsafe",
        "mpmath",
        "cffi",
        "threadpoolctl",
    } <= locked.keys()  # of jinja2, sympy, clarabel, scikit-learn


def test_without_extras_a_claim_names_the_one_it_needs_and_a_claim_that_does_not_is_a_fault(tmp_path):
    said = {"p.a": {"outcome": "HOLDS"}, "p.b": {"error": "pip install 'theorytools[torch]'"},
            "p.c": {"error": "No package metadata was found"}}  # fmt: skip
    for id, verdict in said.items():
        (tmp_path / f"{id}.json").write_text(json.dumps({"id": id, **verdict}), encoding="utf-8")
    found = versions.without_verdict(tmp_path, [*said, "p.d"])
    assert found["judged"] == 1
    assert found["needing"] == {"theorytools[torch]": ["p.b"]}
    assert set(found["silent"]) == {"p.c", "p.d"}
    verify = {"traceback": False, "report_written": True, "exit": 4, "not_judged": 1}
    bare = {"found": True, "install": ".", "same_code": 3, "claims": 3, "needing": found["needing"], "silent": {},
            "verify": verify, "compared": {"same": True}}  # fmt: skip
    assert versions.holds(bare, {})
    whole = {**bare, "install": "-e .[all,test]"}
    faults = (
        {**bare, "silent": found["silent"]}, {**bare, "same_code": 2}, {**bare, "compared": {"same": False}}, whole,
        {**bare, "verify": {**verify, "exit": 0}}, {**bare, "tests": {"exit": 1}}, {**bare, "failed": "no"},
    )  # fmt: skip
    assert not any(versions.holds(fault, {}) for fault in faults)


@pytest.mark.slow
@pytest.mark.timeout(2400)  # an index may be slow
def test_the_newest_versions_judge_and_test_as_these_do(tmp_path):
    """Needs the package index; about 70 CPU seconds, and 110 for the installation of 2.3 GB."""
    digests = versions.evidence.claims_of()
    record = versions.beside_this("newest", tmp_path, {id: digests[id] for id in versions.selection() if id in digests})
    packages = record.get("packages", {})
    newer = {name: version for name, version in packages.items() if PINS.get(name, version) != version}
    told = {name: part for name, part in record.items() if name != "packages"}
    assert record["holds"], json.dumps({**told, "newer": newer}, indent=1)
    assert record["python"] == "{}.{}.{}".format(*sys.version_info)
    assert record["judged"] >= 9
    assert record["verify"]["judged"] >= 9
