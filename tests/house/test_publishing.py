"""Report and documentation as one site: one navigation, no dead link, no empty page, small enough to be served."""

import json
import re
import subprocess
import sys
from collections import Counter

import pytest
from checkfolders import write
from links import dead_links, pages_of
from source_tree import ROOT

from theorytools.claims.judging.archive import read_archive
from theorytools.cli import documentation
from theorytools.errors import DomainError
from theorytools.files import write_json

LARGEST = 12_000_000  # bytes of the three papers with the documentation
CONF = 'project = "mine"\nextensions = []\n'
EMPTY = re.compile(r"<(main|section|table|ul|ol|tbody|dl)\b[^>]*>\s*</\1>")


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A stranger's project, judged once: no test changes its checks or its report."""
    folder = tmp_path_factory.mktemp("mine")
    write(folder, "holds", "worded")
    done = subprocess.run([sys.executable, "-m", "theorytools", "verify"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def mine(judged, tmp_path, monkeypatch):
    """The same, with a new folder of two pages of documentation in Sphinx's own frame, and a new one to publish to."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "conf.py").write_text(CONF, encoding="utf-8")
    (docs / "index.rst").write_text("Mine\n====\n\n.. toctree::\n\n   more\n", encoding="utf-8")
    (docs / "more.rst").write_text("More\n====\n\nWords.\n\n.. py:function:: holds(x)\n", encoding="utf-8")
    monkeypatch.chdir(judged)
    return tmp_path


def test_a_stranger_s_site_has_no_empty_page_and_no_dead_link(cli, mine):
    assert cli("site", mine / "public").code == 0
    public = mine / "public"
    pages = pages_of(public)
    followed, dead = dead_links(public, pages)
    assert (dead, followed > 50) == ([], True)
    there = {path.relative_to(public).as_posix() for path in pages}
    assert not there & {"phase.html", "predictions.html", "constructions.html", "pitfalls.html", "finds.html"}
    for path, page in pages.items():
        assert (bool(page.title), bool(page.about)) == (True, True), path
        assert not EMPTY.search(path.read_text("utf-8")), path
    for link in ("docs/", "phase.html", "constructions.html"):
        assert not any(link in one for page in pages.values() for one in page.links), link
    assert "2 of 2 as expected" in (public / "badge.svg").read_text("utf-8")


def test_the_documentation_is_linked_from_every_page_and_replaces_only_what_it_wrote(cli, mine):
    told = json.loads(cli("site", mine / "public", "--docs", mine / "docs", "--json").out)
    public = mine / "public"
    pages = pages_of(public)
    assert told["bytes"] == sum(
        path.stat().st_size for path in public.rglob("*")
        if path.is_file() and path.name not in ("manifest.json", ".nojekyll", "pages.json")
    )  # fmt: skip
    for path, page in pages.items():
        if "docs" not in path.relative_to(public).parts:
            up = "../" * (len(path.relative_to(public).parts) - 1)
            assert f"{up}docs/index.html" in page.links, path
    assert dead_links(public, {path: page for path, page in pages.items() if path.parent.name != "docs"})[1] == []
    own = public / "docs" / "notes.txt"
    own.write_text("mine", encoding="utf-8")
    (mine / "docs" / "more.rst").unlink()
    (mine / "docs" / "index.rst").write_text("Mine\n====\n", encoding="utf-8")
    assert cli("site", mine / "public", "--docs", mine / "docs").code == 0
    assert not (public / "docs" / "more.html").exists()
    assert own.read_text("utf-8") == "mine"
    assert cli("site", mine / "public").code == 0
    assert not any("docs/index.html" in one for one in pages_of(public)[public / "index.html"].links)


def test_what_cannot_be_built_is_refused_before_a_page_is_written(cli, mine):
    for conf, said in ((None, "a folder with a conf.py of Sphinx"), ("raise SystemExit(3)\n", "pages that Sphinx can")):
        if conf is None:
            done = cli("site", mine / "public", "--docs", "checks")
        else:
            (mine / "docs" / "conf.py").write_text(conf, encoding="utf-8")
            done = cli("site", mine / "public", "--docs", mine / "docs")
        assert (done.code, said in done.err, "Traceback" in done.err) == (2, True, False)
        assert not (mine / "public").exists()


def test_a_folder_of_somebody_else_is_not_written_into(tmp_path):
    made = tmp_path / "made"
    made.mkdir()
    (made / "index.html").write_text("<p>built</p>", encoding="utf-8")
    foreign = tmp_path / "site" / "docs"
    foreign.mkdir(parents=True)
    (foreign / "index.html").write_text("theirs", encoding="utf-8")
    with pytest.raises(DomainError, match="is of no documentation built here"):
        documentation.copied(made, tmp_path / "site")
    assert (foreign / "index.html").read_text("utf-8") == "theirs"
    (foreign / "index.html").unlink()
    (foreign / "pages.json").write_text('{"docs/../../made/index.html": "x", "elsewhere": "y"}', encoding="utf-8")
    documentation.copied(made, tmp_path / "site")
    assert (made / "index.html").is_file()  # a list that somebody wrote deletes nothing outside


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_three_papers_and_their_documentation_are_one_small_site(cli, tmp_path):
    """By the command of the workflow, from the verdicts in the committed archives: all that is served is looked at."""
    for paper in ("qstr", "sep", "stsq"):
        for id, verdict in read_archive(ROOT / "reports" / f"{paper}.verdicts.xz").verdicts.items():
            write_json(tmp_path / "site" / "verdicts" / f"{id}.json", verdict)
    public = tmp_path / "public"
    checks = ("--checks", str(ROOT / "checks"))
    done = cli("site", str(public), "--report", str(tmp_path / "site"), "--docs", str(ROOT / "docs"), *checks)
    assert done.code == 0, done.err
    sizes = Counter({path.relative_to(public).as_posix(): path.stat().st_size for path in public.rglob("*.*")})
    assert sum(sizes.values()) <= LARGEST, sizes.most_common(12)
    pages = pages_of(public)
    followed, dead = dead_links(public, pages)
    assert (dead, followed > 10_000) == ([], True)
    assert [path.name for path, page in pages.items() if not (page.title and page.about)] == []
    for path, page in pages.items():
        up = "../" * (len(path.relative_to(public).parts) - 1)
        near = {f"{up}index.html", f"{up}claims.html", f"{up}phase.html", f"{up}docs/index.html"}
        assert near <= page.links, (path, near - page.links)
        assert any(one.split("?")[0] == f"{up}style.css" for one in page.loads), path
    assert "docs/search.html" in {path.relative_to(public).as_posix() for path in pages}
    assert "violat" in (public / "docs" / "search.html").read_text(
        "utf-8"
    )  # once Sphinx's page of search took its place
