"""The compiled templates that are kept: taken as long as they can be read, with the same pages as without them."""

import shutil

import jinja2
import pytest

from theorytools.content_cache import keep
from theorytools.reporting import compiled, rendering


def page():
    rendering._environment.cache_clear()
    compiled._CODE._known = None  # as in the next run
    return rendering.whole_page("a < b", "<p>text</p>", "paper/lemma.html")


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    monkeypatch.setenv("THEORYTOOLS_CACHE", str(tmp_path))
    yield
    rendering._environment.cache_clear()


def test_a_template_is_compiled_once(fresh, monkeypatch):
    first = page()
    assert "a &lt; b" in first
    keep()
    monkeypatch.setattr(jinja2.Environment, "compile", None)
    assert page() == first


@pytest.mark.parametrize("damaged", ["", "AAAA", "no base64", 5, "4wAAAAA=", "Tg==", "aQEAAAA="])
def test_what_is_damaged_or_of_another_text_is_compiled_again(fresh, damaged):
    first = page()
    for key in compiled._CODE._known:
        compiled._CODE._known[key] = damaged
    keep()
    assert page() == first


def test_a_template_that_changed_is_compiled_again(fresh, monkeypatch, tmp_path):
    shutil.copy(rendering.TEMPLATES / "macros.html.j2", tmp_path)  # of the navigation, in every page
    monkeypatch.setattr(rendering, "TEMPLATES", tmp_path)
    for text in ("one {{ body }}", "two {{ body }}"):
        (tmp_path / "page.html.j2").write_text(text, encoding="utf-8")
        assert page().startswith(text[:3])
        keep()
