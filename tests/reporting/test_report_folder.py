"""The folder of a report: made once, written whole, and nothing in it deleted that is not the report's own."""

import contextlib
import json
import re
import shutil
import subprocess
import sys
from itertools import pairwise

import pytest
from report_examples import ACROSS, INDEXES, PAGES, PAPERS, verdicts
from report_parts import RUN
from source_tree import SUPPORT

from theorytools import DomainError, files, write_report
from theorytools.reporting import cache, fragments, manifest, site
from theorytools.reporting.folder import lean, publish
from theorytools.reporting.pages import contents as contents_module
from theorytools.reporting.pages.themes import THEMES
from theorytools.reporting.site import render_pages


@pytest.fixture
def drawn(monkeypatch):
    """The ids whose figures are drawn."""
    seen, draw = [], fragments.figure
    monkeypatch.setattr(fragments, "figure", lambda verdict: seen.append(verdict["id"]) or draw(verdict))
    return seen


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


FILES = PAGES | ACROSS | INDEXES


def changed(old, new):
    return {name for name in new if new[name] != old.get(name) and not name.startswith("sections/")}


def only(names):
    return [verdict for verdict in verdicts() if verdict["id"] in names]


def test_folder_holds_pages_kept_sections_and_the_list_of_both(tmp_path):
    folder = tmp_path / "new" / "site"
    assert (
        write_report(folder, verdicts(), PAPERS, run={**RUN, "origin": "mine", "versions": {"theorytools": "0.0.0"}})
        == folder / "index.html"
    )
    made = contents(folder)
    assert {name for name in made if not name.startswith("sections/")} == {*FILES, "manifest.json"}
    listed = json.loads(made["manifest.json"])
    assert set(listed["files"]) == set(made) - {"manifest.json"}
    assert listed["origin"] == {"papers": ["other", "qstr"], "checks": "mine"}
    assert listed["version"] == "0.0.0"
    pages = render_pages(verdicts(), PAPERS, run={**RUN, "versions": {"theorytools": "0.0.0"}})
    assert {name: made[name].decode() for name in FILES} == pages


def test_a_map_asks_for_the_sizes_of_a_statement_once_however_many_pages_show_it(monkeypatch):
    asked, reach = [], contents_module.reach
    monkeypatch.setattr(contents_module, "reach", lambda own: asked.append(own) or reach(own))
    papers = [{**paper, "edges": list(chain(paper["statements"]))} for paper in PAPERS]
    pages = render_pages(verdicts(), papers, run=RUN)
    assert sum("what uses it" in page for page in pages.values()) > 1
    assert len(asked) == len({id(own) for own in asked}) >= sum(len(paper["statements"]) for paper in papers)


def test_a_box_of_the_map_doubts_what_its_statement_rests_on_and_nothing_else():
    (paper,) = (one for one in PAPERS if one["key"] == "qstr")
    ids = [one["id"] for one in paper["statements"]]
    edges = [{"used": ids[0], "user": ids[1], "why": []}]
    site = contents_module.Contents(verdicts(), [{**paper, "edges": edges}], RUN, cache.Cache(None))
    nodes = {node.id: node for node in site.nodes["qstr"]}
    doubtful = nodes[ids[0]].state != "good"
    assert [id for id, node in nodes.items() if not node.firm] == ([ids[1]] if doubtful else [])
    turned = [{"used": id, "user": ids[0], "why": []} for id, node in nodes.items() if id != ids[0]]
    site = contents_module.Contents(verdicts(), [{**paper, "edges": turned}], RUN, cache.Cache(None))
    firm = {node.id: node.firm for node in site.nodes["qstr"]}
    others = {node.state for id, node in nodes.items() if id != ids[0]}
    assert others != {"good"}
    assert firm == {id: id != ids[0] for id in nodes}


def chain(statements):
    for used, user in pairwise(one["id"] for one in statements):
        yield {"used": used, "user": user, "why": ["in its proof"]}


def test_what_did_not_change_is_neither_drawn_nor_written(tmp_path, drawn):
    own = verdicts()
    write_report(tmp_path, own, PAPERS, run=RUN)
    assert sorted(drawn) == sorted(verdict["id"] for verdict in own)
    before, written = contents(tmp_path), {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.html")}
    drawn.clear()
    again = [{**verdict, "seconds": 99.0, "cpu": {"seconds": 7.0, "points": [7.0]}, "digest": "0"} for verdict in own]
    write_report(tmp_path, again, PAPERS, run=RUN)
    assert drawn == []
    assert contents(tmp_path) == before
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.html")} == written
    again[1]["reason"] = "another reason"
    write_report(tmp_path, again, PAPERS, run=RUN)
    assert drawn == ["qstr.theorem_06"]
    after = contents(tmp_path)
    assert changed(before, after) == {"qstr/theorem_06.html", "manifest.json"}
    assert len([name for name in after if name not in before]) == 1  # its section, and the old one is gone
    assert len(after) == len(before)
    again[1]["role"] = "sharpness"
    write_report(tmp_path, again, PAPERS, run=RUN)
    indexes = {"qstr/index.html", "claims.html", "trust.html", "manifest.json"}  # the role stands there
    assert changed(after, contents(tmp_path)) == {"qstr/theorem_06.html", *indexes}


def test_a_kept_section_that_cannot_be_read_is_drawn_again(tmp_path, drawn):
    write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    before = contents(tmp_path)
    drawn.clear()
    for path in (tmp_path / "sections").iterdir():
        path.write_text(path.read_text("utf-8")[:50], "utf-8")
    write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    assert len(drawn) == len(verdicts())
    assert contents(tmp_path) == before


def test_sections_depend_on_the_code_that_draws_them(tmp_path, drawn, monkeypatch):
    write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    drawn.clear()
    monkeypatch.setattr(cache, "machinery", lambda: "other")
    write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    assert len(drawn) == len(verdicts())


def test_several_processes_draw_the_same(tmp_path, monkeypatch):
    write_report(tmp_path / "one", verdicts(), PAPERS, run=RUN)
    monkeypatch.setattr(fragments, "FEW", 2)
    monkeypatch.setattr(fragments, "fragment", None)  # in this process; the others have it
    write_report(tmp_path / "two", verdicts(), PAPERS, run=RUN, processes=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_an_unchanged_report_needs_no_library_that_draws(tmp_path):
    write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    heavy = ("matplotlib", "sympy", "numpy", "scipy", "math_core", "fontTools", "multiprocessing.pool")
    code = (
        "import sys\nfrom report_examples import PAPERS, verdicts\nfrom report_parts import RUN\n"
        "from theorytools.reporting.folder import write_report\nfrom pathlib import Path\n"
        f"write_report(Path({str(tmp_path)!r}), verdicts(), PAPERS, run=RUN)\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=SUPPORT, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_pages_of_statements_that_were_not_passed_stay(tmp_path):
    write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    before = contents(tmp_path)
    write_report(tmp_path, only({"qstr.lemma_11"}), PAPERS, run=RUN)
    after = contents(tmp_path)
    assert set(after) & PAGES == PAGES
    statements = PAGES - {"index.html", "qstr/lemma_11.html"}
    assert not changed(before, after) & statements
    index = after["claims.html"].decode()
    assert '<a class="earlier" href="qstr/theorem_06.html">page of an earlier run</a>' in index
    assert 'class="earlier" href="qstr/lemma_11.html"' not in index
    write_report(tmp_path, only({"qstr.lemma_11"}), [], run=RUN)  # a paper that is not here keeps its pages
    assert set(contents(tmp_path)) & PAGES == PAGES


def test_only_listed_files_that_are_no_longer_made_are_deleted(tmp_path):
    write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    own = {"qstr/notes.html": "mine", "sections/mine.json": "{}", "verdicts/qstr.lemma_11.json": "{}"}
    for name, text in own.items():
        files.write_text(tmp_path / name, text)
    (tmp_path / "qstr" / "lemma_41.html").write_text("rewritten by hand", "utf-8")
    statements = [entry for entry in PAPERS[0]["statements"] if entry["id"] not in ("theorem_06", "lemma_41")]
    fewer = [{**PAPERS[0], "statements": statements}]
    left = [verdict for verdict in verdicts() if verdict["id"] not in ("qstr.theorem_06", "qstr.lemma_41")]
    write_report(tmp_path, left, fewer, run=RUN)
    made = contents(tmp_path)
    assert "qstr/theorem_06.html" not in made
    assert made["qstr/lemma_41.html"] == b"rewritten by hand"
    assert {name: made[name].decode() for name in own} == own


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "theorytools.site/1", "files": []}'])
def test_a_list_that_cannot_be_read_deletes_nothing(tmp_path, text):
    write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    (tmp_path / "manifest.json").write_text(text, "utf-8")
    write_report(tmp_path, [], [], run=RUN)
    assert set(contents(tmp_path)) >= PAGES


def test_a_list_cannot_delete_outside_its_folder(tmp_path):
    mine = tmp_path / "mine.html"
    mine.write_text("mine", "utf-8")
    known = manifest.digest("mine")
    folder = tmp_path / "site"
    names = ["../mine.html", str(mine), "qstr/../../mine.html", "sections/../../mine.html"]
    manifest.ReportFolder(folder).list(dict.fromkeys(names, known), {}, "0")
    write_report(folder, verdicts()[:1], [{"key": "..", "statements": []}, *PAPERS], run=RUN)
    assert mine.read_text("utf-8") == "mine"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A report, to be copied by whoever changes it, and its copy to be served."""
    folder = tmp_path_factory.mktemp("written")
    write_report(folder / "site", only({"qstr.lemma_11", "qstr.theorem_06", "other.claim"}), PAPERS, run=RUN)
    publish(folder / "site", folder / "public")
    return folder


@pytest.fixture
def stranger(tmp_path, written):
    """A report folder from somebody else, with a folder of the user's beside it and a list that names its files."""
    site, victim = tmp_path / "site", tmp_path / "victim"
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    for name in ("thesis.tex", "lemma_11.html", "index.html", f"{'0' * 40}.json"):
        files.write_text(victim / name, "mine")
    return site, victim


def forge(folder, *names, known=None):
    """Add lines to the list of a report, all with the digest of what the user's files hold."""
    path = folder / "manifest.json"
    data = json.loads(path.read_text("utf-8"))
    data["files"] |= dict.fromkeys(names, known or manifest.digest("mine"))
    path.write_text(json.dumps(data), "utf-8")


LINKS = ("sections", "qstr", "_pictures", "verdicts", "index.html", "qstr/lemma_11.html", "style.css", "times.json",
         "written.json", "manifest.json")  # fmt: skip


@pytest.mark.parametrize(
    ("command", "place"),
    [*(("report", place) for place in LINKS), ("source", "qstr"), ("target", "qstr"), ("target", "manifest.json")],
)
def test_a_link_where_a_report_is_written_is_refused_before_anything_is(stranger, tmp_path, command, place):
    site, victim = stranger
    public = tmp_path / "public"
    forge(site, "sections/thesis.tex", f"sections/{'0' * 40}.json", "qstr/index.html")
    link = (public if command == "target" else site) / place
    link.rename(tmp_path / "aside") if link.exists() else None
    link.symlink_to(victim / "thesis.tex" if "." in place else victim)
    if place == "manifest.json":
        link.unlink()
        link.symlink_to(tmp_path / "aside")
    before = contents(tmp_path)
    with pytest.raises(DomainError) as caught:
        write_report(site, only({"qstr.lemma_11"}), [], run=RUN) if command == "report" else publish(site, public)
    assert f"{link}, a link to {tmp_path}" in caught.value.given
    assert all([caught.value.required, caught.value.why, caught.value.advice])
    assert contents(tmp_path) == before


def test_no_forged_line_deletes_what_lies_behind_a_link_in_the_middle_of_its_path(stranger, tmp_path):
    site, victim = stranger
    (site / "qstr").rename(tmp_path / "qstr")
    (site / "old").mkdir()
    (site / "old" / "way").symlink_to(victim)
    forge(site, "old/way/lemma_11.html", "old/way/thesis.tex")
    with pytest.raises(DomainError, match="old/way, a link to"):
        write_report(site, verdicts(), PAPERS, run=RUN)
    assert {path.read_text("utf-8") for path in victim.iterdir()} == {"mine"}


def test_a_folder_of_a_report_may_itself_be_a_link_and_hold_links_of_the_user(stranger, tmp_path):
    site, victim = stranger
    (tmp_path / "named").symlink_to(site)
    (site / "papers").symlink_to(victim)
    (site / ".venv").symlink_to(victim)
    write_report(tmp_path / "named", only({"qstr.lemma_11"}), [], run=RUN)
    publish(tmp_path / "named", tmp_path / "public")
    assert (tmp_path / "public" / "index.html").read_text("utf-8") == lean((site / "index.html").read_text("utf-8"))
    assert {path.read_text("utf-8") for path in victim.iterdir()} == {"mine"}
    assert (site / "papers").is_symlink()


@pytest.mark.parametrize(
    "name",
    ["notes.txt", ".hidden.html", "qstr/.git/x.html", "verdicts/a.html", "verdicts/qstr.lemma_11.json", "qstr\\a.html",
     "sections/mine.json", "sections/../mine.html", "a/b/c/d.html", "qstr/a\0.html", "qstr/\ud800.html",
     "qstr/a b.html", "/a.html", "C:/a.html", "a//b.html"],
)  # fmt: skip
def test_a_line_that_no_report_writes_deletes_nothing(stranger, name):
    site, _ = stranger
    forge(site, name)
    assert name not in manifest.ReportFolder(site).listed()
    with contextlib.suppress(ValueError, UnicodeError):
        files.write_text(site / name, "mine")
    before = contents(site)
    write_report(site, only({"qstr.lemma_11"}), PAPERS, run=RUN)
    mine = [path for path, text in before.items() if text == b"mine"]
    assert [contents(site).get(path) for path in mine] == [b"mine"] * len(mine)


def test_a_section_is_deleted_only_as_it_was_written(tmp_path):
    write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    old = sorted((tmp_path / "sections").iterdir())
    listed = json.loads((tmp_path / "manifest.json").read_text("utf-8"))["files"]
    assert all(listed[f"sections/{path.name}"] == manifest.digest(path.read_text("utf-8")) for path in old)
    again = [{**verdict, "label": "another"} for verdict in verdicts()]
    mine, theirs = [path for path in old if '"entry"' in path.read_text("utf-8")][:2]
    mine.write_text("mine", "utf-8")
    write_report(tmp_path, again, PAPERS, run=RUN)
    assert mine.read_text("utf-8") == "mine"
    assert not theirs.exists()


def test_a_section_that_was_changed_or_moved_is_drawn_again(tmp_path, drawn):
    write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    before = contents(tmp_path)
    own = [path for path in (tmp_path / "sections").iterdir() if '"entry"' in path.read_text("utf-8")]
    drawn.clear()
    own[0].write_bytes(own[1].read_bytes())
    own[2].write_text(own[2].read_text("utf-8").replace('"failure":"', '"failure":"more'), "utf-8")
    own[3].write_text(own[3].read_text("utf-8") + " ", "utf-8")
    write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    assert len(drawn) == 3
    assert contents(tmp_path) == before


def test_sections_that_cannot_be_kept_are_told_of_once_and_the_pages_are_made(tmp_path, capsys):
    files.write_text(tmp_path / "sections", "in the way")
    write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    assert set(contents(tmp_path)) == {*FILES, "manifest.json", "sections"}
    assert capsys.readouterr().err.count("is not kept") == 1
    assert not any(name.startswith("sections/") for name in manifest.ReportFolder(tmp_path).listed())


@pytest.mark.parametrize("folder", ["source", "target"])
@pytest.mark.usefixtures("stranger")
def test_a_copy_takes_no_page_that_is_missing_and_writes_over_none_of_the_users(tmp_path, folder):
    if folder == "source":
        (tmp_path / "site" / "qstr" / "lemma_11.html").unlink()
    else:
        (tmp_path / "public" / "manifest.json").unlink()
        files.write_text(tmp_path / "public" / "style.css", "mine")
    before = contents(tmp_path)
    with pytest.raises(DomainError, match="cannot be read" if folder == "source" else "is not of a report"):
        publish(tmp_path / "site", tmp_path / "public")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("origin", [None, {"papers": "all"}])
@pytest.mark.usefixtures("stranger")
def test_a_list_without_an_origin_is_copied_too(tmp_path, origin):
    path = tmp_path / "site" / "manifest.json"
    data = {**json.loads(path.read_text("utf-8")), "origin": origin}
    del data["version"]
    path.write_text(json.dumps(data), "utf-8")
    publish(tmp_path / "site", tmp_path / "public")
    made = json.loads((tmp_path / "public" / "manifest.json").read_text("utf-8"))
    assert (made["origin"], made["version"]) == ({"papers": []}, "")


def complete(folder):
    """Whether every page is whole, listed, and reached by the links that lead to it."""
    listed = set(json.loads((folder / "manifest.json").read_text("utf-8"))["files"])
    for path in folder.rglob("*.html"):
        text = path.read_text("utf-8")
        assert text.endswith("</html>")
        assert path.relative_to(folder).as_posix() in listed
        for address in re.findall(r'href="([^"#]+)', text) if path == folder / "index.html" else ():
            assert (path.parent / address).is_file()
    return True


def test_a_run_cut_off_anywhere_leaves_whole_pages_and_no_dead_link(tmp_path, monkeypatch):
    replace, calls = files.os.replace, []

    def cut(source, target, **folders):
        if len(calls) == stop:
            raise KeyboardInterrupt
        calls.append(target)
        replace(source, target, **folders)

    monkeypatch.setattr(files.os, "replace", cut)
    first = only({"qstr.lemma_11", "qstr.theorem_06"})
    then = only({"qstr.theorem_06", "qstr.proposition_08", "qstr.lemma_03", "other.claim"})
    pages = {"index.html", "qstr/theorem_06.html", "qstr/proposition_08.html", "qstr/other.html", "other/other.html"}
    fewer = [{**PAPERS[0], "statements": PAPERS[0]["statements"][1:]}]
    stop, ends = 0, 0
    while not ends:
        folder = tmp_path / str(stop)
        here, stop = stop, -1
        write_report(folder, first, PAPERS, run=RUN)
        calls.clear()
        stop = here
        try:
            write_report(folder, then, fewer, run=RUN)
            ends = len(calls)
        except KeyboardInterrupt:
            assert complete(folder)
            assert not list(folder.rglob("*.part"))
        stop = -1
        write_report(folder, then, fewer, run=RUN)
        assert complete(folder)
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.html")}
        assert there - ACROSS - INDEXES - THEMES.keys() == pages
        stop = here + 1
    assert ends == here >= 10


@pytest.mark.parametrize("broken", ["render", "write"])
def test_failure_leaves_the_old_report_whole(tmp_path, monkeypatch, broken):
    def fail(*args, **kwargs):
        raise OSError("no space left") if broken == "write" else ZeroDivisionError

    write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    before = contents(tmp_path)
    monkeypatch.setattr(*((site, "whole_page") if broken == "render" else (files.os, "fsync")), fail)
    with pytest.raises((ZeroDivisionError, DomainError)):
        write_report(tmp_path, verdicts()[-1:], [], run={})
    after = contents(tmp_path)
    assert before.items() <= after.items()
    assert changed(before, after) == set()


def test_unwritable_folders_and_numbers_without_a_value_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DomainError) as caught:
        files.write_text(tmp_path / "file" / "reports" / "x", "text")
    assert all([caught.value.given, caught.value.required, caught.value.why, caught.value.advice])
    with pytest.raises(DomainError, match="finite"):
        files.json_text({"slack": float("nan")})


def test_a_copy_to_be_served_has_the_pages_alone(tmp_path):
    write_report(tmp_path / "site", verdicts(), PAPERS, run=RUN)
    assert set(publish(tmp_path / "site", tmp_path / "public")) == FILES
    made = contents(tmp_path / "public")
    assert set(made) == {*FILES, "manifest.json", ".nojekyll"}
    assert made["index.html"].decode() == lean((tmp_path / "site" / "index.html").read_text("utf-8"))
    (tmp_path / "public" / "mine.html").write_text("mine", "utf-8")
    write_report(tmp_path / "site", only({"qstr.lemma_11"}), [], run=RUN)
    (tmp_path / "site" / "other" / "other.html").unlink(missing_ok=True)
    fewer = [{**PAPERS[0], "statements": PAPERS[0]["statements"][:1]}]
    write_report(tmp_path / "site", only({"qstr.lemma_11"}), fewer, run=RUN)
    publish(tmp_path / "site", tmp_path / "public")
    assert not (tmp_path / "public" / "qstr" / "theorem_06.html").exists()
    assert (tmp_path / "public" / "mine.html").read_text("utf-8") == "mine"


def test_a_copy_is_refused_where_no_report_or_another_page_is(tmp_path):
    with pytest.raises(DomainError, match="theorytools verify writes one"):
        publish(tmp_path / "nothing", tmp_path / "public")
    write_report(tmp_path / "site", verdicts(), PAPERS, run=RUN)
    with pytest.raises(DomainError, match="another folder"):
        publish(tmp_path / "site", tmp_path / "site")
    (tmp_path / "index.html").write_text("mine", "utf-8")
    with pytest.raises(DomainError, match="not of a report"):
        publish(tmp_path / "site", tmp_path)


def test_a_lean_page_has_the_elements_of_the_page():
    """A tag too many left out moves what follows into another element; a fence that does stretch stays one."""
    page = "<table><tbody>\n<tr><td>a</td>\n<td><pre><code>x &lt;/td&gt;\n y</code></pre></td></tr>\n</tbody></table>"
    page += "<ul><li>b</li>\n</ul>"
    made = lean(page)
    assert made == "<table><tbody>\n<tr><td>a<td><pre><code>x &lt;/td&gt;\n y</code></pre></table><ul><li>b</ul>"
    fence = '<mo stretchy="false">(</mo><mo stretchy="false">↑</mo><mo>(</mo><mo lspace="0" rspace="0">−</mo>'
    assert lean(fence) == '<mi>(</mi><mo stretchy="false">↑</mo><mo>(</mo><mi>−</mi>'
