"""The pages of the documentation: built without a warning, linked, closed in themselves, with every public name."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from filelock import FileLock
from links import Page, dead_links, pages_of
from shared_verdicts import FOLDER
from source_tree import FRONTS, MODULES, ROOT

REFERENCE = ROOT / "docs" / "reference"
STUB = [  # by front: where each of its names is defined, from the package
    (front, f"{front}.{module}".removeprefix("theorytools."), name)
    for front in FRONTS
    for module, name in re.findall(
        r"^from \.(\S+) import (\w+) as", MODULES[front].with_suffix(".pyi").read_text("utf-8"), re.M
    )
]


def test_every_public_name_has_one_place_in_the_reference():
    rooms = [
        room
        for path in REFERENCE.glob("*.rst")
        for room in re.findall(r"^\.\. public:: (\S+)$", path.read_text("utf-8"), re.M)
    ]
    found = {name: [room for room in rooms if f"{module}.".startswith(f"{room}.")] for _, module, name in STUB}
    assert {name: places for name, places in found.items() if len(places) != 1} == {}


@pytest.fixture(scope="module")
def site():
    """The folder of the pages, by the command of CONTRIBUTING.md, once in a run; a warning ends it with an error."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    words = shlex.split(re.search(r"^(sphinx-build .*?) *# slow$", text, re.M)[1])
    assert words[-1] == "build/pages"
    assert {"-W", "--keep-going"} <= set(words)
    folder = Path(os.environ[FOLDER]) / "documentation"
    words[words.index("-d") + 1], words[-1] = str(folder / "doctrees"), str(folder / "pages")
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "pages").is_dir():
            command = [sys.executable, "-m", "sphinx", *words[1:]]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            if done.returncode:
                shutil.rmtree(folder)
                pytest.fail(done.stderr)
    return folder / "pages"


@pytest.fixture(scope="module")
def pages(site):
    return pages_of(site)


@pytest.mark.slow
def test_every_page_is_built_and_every_link_within_the_pages_leads_somewhere(site, pages):
    sources = [*(ROOT / "docs").glob("*.md"), *REFERENCE.glob("*.rst")]
    for source in sources:
        assert (site / source.relative_to(ROOT / "docs").with_suffix(".html")) in pages
    followed, dead = dead_links(site, pages)
    assert followed > 1000
    assert dead == []


@pytest.mark.slow
def test_the_gallery_draws_what_its_examples_build_and_every_other_construction(site):
    """A picture of the wrong object, or of one that a later example has replaced."""
    page = (site / "gallery.html").read_text(encoding="utf-8")
    wanted = re.findall(r"^```\{drawn\} (.*)$", (ROOT / "docs" / "gallery.md").read_text("utf-8"), re.M)
    shown = re.findall(r'<div class="drawn"><div class="wide">(.*?)</div><div class="narrow">', page)
    assert len(wanted) == len(shown) == page.count('<div class="narrow">')
    told = ["slot2", "free", "symbol", "asked", "Z · Z", "T[0] · place", "layer norm", "gru"]
    assert [word for word, picture in zip(told, shown, strict=True) if word not in picture] == []
    kept = {path.stem for front in FRONTS for path in MODULES[front].parent.glob("pictures/*.svg")}
    assert page.count('<div class="shape">') == len(kept) - 3  # three of them are networks of blocks


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site, pages):
    foreign = {link for read in pages.values() for link in read.loads if urlsplit(link).netloc or ":" in link[:6]}
    assert foreign == set()
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        loaded = re.findall(r"url\(\s*['\"]?([^)'\"]+)", text) + re.findall(r"@import\s+['\"]([^'\"]+)", text)
        assert [link for link in loaded if not link.startswith(("data:", "#")) and "//" in link] == [], style.name
        named = [link for link in loaded if not link.startswith(("data:", "#"))]
        assert [link for link in named if not (style.parent / link).is_file()] == [], style.name
    for script in site.rglob("*.js"):
        text = script.read_text(encoding="utf-8")
        assert not re.search(r"(fetch|import|importScripts|src\s*=|href\s*=)\s*\(?\s*['\"`](https?:)?//", text), (
            script.name
        )


@pytest.mark.slow
def test_the_search_opens_from_a_folder(site):
    """The index is a script that calls a function with its data: a page read from the disk may not fetch."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)\s*", text, re.S)[1])
    docs = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").glob("*.md")}
    assert docs <= set(index["docnames"])
    assert index["terms"]
    assert Page((site / "search.html").read_text(encoding="utf-8")).title.startswith("The search")  # a page of docs
    scripts = Page((site / "find.html").read_text(encoding="utf-8")).loads
    assert any(link.split("?")[0] == "searchindex.js" for link in scripts)


@pytest.mark.slow
def test_every_public_name_is_described_and_its_formulas_are_formulas(pages):
    described = {anchor for page, read in pages.items() if page.parent.name == "reference" for anchor in read.anchors}
    assert [name for front, _, name in STUB if f"{front}.{name}" not in described] == []
    assert sum(read.tags.count("math") for read in pages.values()) > 500
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r':(math|class|func|meth|attr|data|mod):|class="tex"|class="problematic"', text), page.name
    headings = {page.name for page in pages if re.search(r"Parameters\s*-{3}", page.read_text(encoding="utf-8"))}
    assert headings == set()  # those of the docstrings have become lists
