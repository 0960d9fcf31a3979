"""Papers that other distributions bring: found, judged and recorded like the library's, and told apart from one's own.

A distribution is faked by a folder on the search path that holds what pip leaves there: a package, the papers under the
name that its entry point says, and a ``.dist-info``.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from checkfolders import KINDS, edited, write

from theorytools import Catalogue, DomainError, installed_papers, places, recheck, verify
from theorytools.claims.judging.inputs import code_digest, inputs_digest
from theorytools.claims.papers.catalogue import find_roots
from theorytools.claims.papers.location import installed_roots
from theorytools.errors import FolderError
from theorytools.places import named_for_records, own_checks, record_file, record_target

ITEMS = "from helper_of_theirs import ONE\n\n\ndef items(count):\n    return list(range(0, count, ONE))\n"


def distribution(site, name="theirs", value="theirs_checks", *, url=None, editable=False, record=True):
    """What pip leaves of a distribution: its metadata, and the entry point where there is a value."""
    info = site / f"{name}-0.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n", encoding="utf-8")
    if record:
        (info / "RECORD").write_text("", encoding="utf-8")
    if value:
        (info / "entry_points.txt").write_text(f"[theorytools.papers]\nany = {value}\n", encoding="utf-8")
    if url is not None:
        direct = {"url": url, "dir_info": {"editable": True} if editable else {}}
        (info / "direct_url.json").write_text(json.dumps(direct), encoding="utf-8")
    return info


def papers(site, name="theirs", *kinds, paper=""):
    """The folder of papers that a wheel of the distribution holds, with a check that imports the package beside it."""
    made = write(site, *(kinds or ("holds", "slow")), paper=paper or name)
    text = (
        KINDS["holds"].replace("from sympy", f"from {name} import items\nfrom sympy").replace("Lemma @", "Lemma holds")
    )
    text = text.replace("list(range(p.N + extra))", "items(p.N + extra)")
    (made / (paper or name) / "holds.py").write_text(text, encoding="utf-8")
    (site / name).mkdir(exist_ok=True)
    (site / name / "__init__.py").write_text(ITEMS, encoding="utf-8")
    (site / "helper_of_theirs.py").write_text("ONE = 1\n", encoding="utf-8")
    return made.rename(site / f"{name}_checks")


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of installed packages, with nothing in it yet, and a project of one's own as the working folder."""
    folder = tmp_path / "installed"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    installed_papers._looked_up.cache_clear()
    installed_papers._tell.cache_clear()
    yield folder
    installed_papers._looked_up.cache_clear()
    for name in ("theirs", "others", "plain", "helper_of_theirs"):
        sys.modules.pop(name, None)


@pytest.fixture
def theirs(site):
    distribution(site)
    return papers(site)


# -- found and judged --------------------------------------------------------------------------------------------------
def test_a_paper_of_another_distribution_is_listed_judged_searched_and_checked_again(cli, theirs):
    assert find_roots()[1:] == (theirs,) == installed_roots()[1:]
    listed = " ".join(cli("list").out.split())
    for text in ("theirs.holds", "qstr.lemma_11", f"2 of 2 statements have checks ({theirs})"):
        assert text in listed
    judged = cli("verify", "theirs.holds", "--json")
    assert (judged.code, judged.err) == (0, "")
    (verdict,) = judged.json["verdicts"]
    assert (verdict["outcome"], verdict["source"]["file"]) == ("HOLDS", "theirs_checks/theirs/holds.py")
    assert recheck.examined(verdict)["state"] == "confirmed"
    assert "theirs.holds" in Path("site/claims.html").read_text(encoding="utf-8")
    assert cli("falsify", "theirs.holds", "--seconds", "0.1").code == 0
    assert verify("theirs.holds", N=5).outcome == "HOLDS"


def test_its_record_goes_to_the_users_folder_and_is_read_from_there(cli, theirs):
    assert cli("verify", "theirs.slow").code == 3
    assert cli("verify", "theirs.slow", "--tier", "minutes", "--record").code == 0
    target = own_checks() / "theirs" / "records" / "theirs.slow.json"
    assert target.is_file()
    assert not (theirs / "theirs" / "records").exists()
    assert record_target(theirs / "theirs", target.name) == record_file(theirs / "theirs", target.name) == target
    assert cli("verify", "theirs.slow").code == 0
    with pytest.raises(FolderError, match="inside an installed package"):
        named_for_records(theirs)


def test_ones_own_check_imports_and_uses_theirs(cli, theirs):
    assert cli("new", "mine", "lemma_2", "--uses", "theirs.holds").code == 0
    text = edited(Path("checks/mine/lemma_2.py")).read_text(encoding="utf-8")
    assert "from ..theirs.holds import claim as theirs_holds" in text
    verdict = verify("mine.lemma_2")
    assert (verdict.outcome, verdict.document["uses"]) == ("HOLDS", ["theirs.holds"])
    (entry,) = Catalogue(find_roots()).select(["mine.lemma_2"])
    before = code_digest(entry, record=False)
    other = theirs / "theirs" / "holds.py"
    other.write_text(other.read_text(encoding="utf-8").replace("extra=0", "extra=-1"), encoding="utf-8")
    assert code_digest(entry, record=False) != before
    assert [entry.id for entry in Catalogue(find_roots()).own] == ["mine.lemma_2"]  # verify without an id: one's own


def test_the_plugin_collects_them_by_their_importable_name(theirs, pytestconfig, monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", f"{theirs.parent}:{Path(places.__file__).parents[1]}")
    line = ("-m", "pytest", "--pyargs", "theirs_checks", "-o", "consider_namespace_packages=true")
    done = subprocess.run(
        [sys.executable, *line, "-q", "-p", "no:cacheprovider", "-k", "holds"], capture_output=True, text=True
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr


# -- told apart --------------------------------------------------------------------------------------------------------
def test_one_key_in_two_distributions_is_refused_and_both_are_named(cli, site, theirs):
    distribution(site, "others", "others_checks")
    papers(site, "others", paper="theirs")
    with pytest.raises(DomainError, match="the paper 'theirs' in") as caught:
        find_roots()
    error = caught.value
    assert "of the distribution theirs 0.1" in error.given
    assert "of the distribution others 0.1" in error.given
    assert all((error.required, error.why, error.advice))
    assert "pip uninstall others or pip uninstall theirs" in error.advice
    assert cli("verify", "qstr.lemma_11").code == 2


@pytest.mark.parametrize("key", ["qstr", "mine"])
def test_a_key_of_the_librarys_or_of_ones_own_is_refused(site, key):
    distribution(site)
    papers(site, "theirs", "slow", paper=key)
    write(Path(), "holds", paper="mine")
    with pytest.raises(DomainError, match=r"of the distribution theirs 0\.1") as caught:
        find_roots()
    assert "pip uninstall theirs" in caught.value.advice


def test_new_does_not_write_under_an_installed_key(cli, theirs):
    answer = cli("new", "theirs", "lemma_3")
    assert (answer.code, "is installed beside the library" in answer.err) == (2, True)
    assert not Path("checks").exists()


def test_where_it_was_installed_from_the_users_folder_stands_for_it(site, tmp_path):
    own = write(tmp_path / "home", "holds", paper="theirs").resolve()
    info = distribution(site, url=(tmp_path / "home").as_uri())
    installed = papers(site)
    library, *_ = installed_roots()
    assert find_roots() == (own, library)
    assert find_roots(start=tmp_path) == (library, installed)  # elsewhere the installed one counts
    (info / "direct_url.json").write_text(json.dumps({"url": "https://example.org/theirs.whl"}), encoding="utf-8")
    installed_papers._looked_up.cache_clear()
    with pytest.raises(DomainError, match="the paper 'theirs' in"):
        find_roots()


def test_of_an_editable_project_the_folder_checks_counts_and_holds_its_records(site, tmp_path):
    project = tmp_path / "project"
    checks = write(project, "slow", paper="theirs").resolve()
    distribution(site, url=project.as_uri(), editable=True)
    assert installed_roots()[1:] == (checks,)
    assert record_target(checks / "theirs", "a.json") == checks / "theirs" / "records" / "a.json"


# -- entry points that name no papers ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("nowhere_at_all", "no such folder can be imported"),
        ("theirs_checks.nowhere", "no such folder can be imported"),
        ("theirs_checks:papers", "no such folder can be imported"),
        ("os", "no such folder can be imported"),
        ("theirs", "no paper lies in"),
        ("theirs_checks.theirs", "is a paper itself, and location is identity"),
    ],
)
def test_an_entry_point_that_names_no_papers_is_told_once_in_four_parts(site, capsys, value, why):
    distribution(site, value=value)
    papers(site)
    assert find_roots() == find_roots() == installed_roots()[:1]
    told = capsys.readouterr().err
    assert "where the distribution theirs 0.1 has its papers" in told
    assert why in told
    assert [told.count(part) for part in ("given:", "required:", "why:", "try:")] == [1, 1, 1, 1]


def test_a_broken_entry_point_breaks_nothing_else(cli, site):
    distribution(site, value="nowhere_at_all")
    papers(site)
    distribution(site, "others", "others_checks")
    papers(site, "others")
    answer = cli("verify", "others.holds", "--json")
    assert (answer.code, answer.json["verdicts"][0]["outcome"]) == (0, "HOLDS")
    assert "where the distribution theirs 0.1 has its papers" in answer.err
    answer = cli("verify", "theirs.holds")
    assert (answer.code, "the id 'theirs.holds'" in answer.err) == (2, True)


# -- what of their code a verdict depends on ---------------------------------------------------------------------------
def digests(entry):
    return code_digest(entry, record=False), inputs_digest(entry, record=False)


def test_the_package_that_a_paper_brings_is_an_input_of_its_verdicts(theirs):
    (entry,) = Catalogue(theirs).select(["theirs.holds"])
    (slow,) = Catalogue(theirs).select(["theirs.slow"])
    site, seen, other = theirs.parent, [digests(entry)], digests(slow)
    for name in ("theirs/__init__.py", "theirs/table.csv", "theirs/inner/deep.py", "helper_of_theirs.py"):
        (site / name).parent.mkdir(exist_ok=True)
        with (site / name).open("a", encoding="utf-8") as file:
            file.write("# more\n")
        seen.append(digests(entry))
    assert len({code for code, _ in seen}) == len({all for _, all in seen}) == len(seen)
    assert digests(slow) == other  # which does not import it
    (site / "theirs" / "__pycache__").mkdir()
    (site / "theirs" / "__pycache__" / "made.pyc").write_text("", encoding="utf-8")
    (site / "theirs" / "papers").mkdir()
    for name in ("paper.toml", "lemma.py"):
        (site / "theirs" / "papers" / name).write_text("", encoding="utf-8")
    assert digests(entry) == seen[-1]
    (site / "helper_of_theirs.py").unlink()
    assert digests(entry) != seen[-1]


@pytest.mark.parametrize("line", ["import_module('deep_of_theirs.x')", "__import__('deep_of_theirs')"])
def test_a_name_that_is_imported_as_a_text_is_followed_too(theirs, line):
    check = theirs / "theirs" / "slow.py"
    check.write_text(f"{check.read_text(encoding='utf-8')}\n\ndef f():\n    {line}\n", encoding="utf-8")
    (entry,) = Catalogue(theirs).select(["theirs.slow"])
    before = code_digest(entry, record=False)
    (theirs.parent / "deep_of_theirs.py").write_text("", encoding="utf-8")
    assert code_digest(entry, record=False) != before


@pytest.mark.parametrize(
    ("made", "by_files"),
    [({}, False), ({"record": False}, True), ({"value": "plain_checks"}, True),
     ({"url": "file:///nowhere", "editable": True}, True)],
)  # fmt: skip
def test_a_package_that_is_installed_counts_by_its_version(site, made, by_files):
    info = distribution(site, "plain", **{"value": "", **made})
    checks = papers(site, "plain")
    (entry,) = Catalogue(checks).select(["plain.holds"])
    before = digests(entry)
    (site / "plain" / "__init__.py").write_text(f"{ITEMS}# more\n", encoding="utf-8")
    assert (digests(entry) != before) == by_files
    before = digests(entry)
    meta = (info / "METADATA").read_text(encoding="utf-8").replace("0.1", "0.2")
    (info / "METADATA").write_text(meta, encoding="utf-8")
    code, all = digests(entry)
    assert code == before[0]  # it is equal on every machine
    assert (all != before[1]) == (not by_files)


def test_the_librarys_own_claims_depend_on_no_other_code():
    from theorytools.claims.judging.inputs import ImportTable

    table, library = ImportTable(), installed_roots()[0]
    for entry in Catalogue(library).entries:
        code, versioned = table.packages(entry, trains=True)
        assert (code, [line for line in versioned if not line.startswith("hypothesis ")]) == ([], []), entry.id
