"""What is kept between runs: by content, made again where anything else is found, and never in the way."""

import json
import os

import pytest

from theorytools import content_cache
from theorytools.claims.papers import syntax
from theorytools.content_cache import Kept, content


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("THEORYTOOLS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(content_cache, "_KINDS", [])
    return tmp_path / "cache"


def test_what_is_kept_is_not_made_again(folder, tmp_path):
    maker, made = tmp_path / "maker.py", []
    maker.write_text("1", encoding="utf-8")

    def asked():
        return Kept("numbers", [maker]).get("key", lambda: made.append(1) or len(made))

    assert asked() == 1
    assert asked() == 2  # nobody has kept it
    content_cache.keep()
    assert asked() == asked() == 2
    maker.write_text("other code", encoding="utf-8")
    assert asked() == 3  # another maker's counts for nothing


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"maker": 1, "known": {}}', '{"maker": "", "known": {"key": 5}}']
)
def test_a_damaged_file_counts_for_nothing(folder, text):
    kind = Kept("numbers", [__file__])
    kind.path.parent.mkdir()
    kind.path.write_text(text, encoding="utf-8")
    assert kind.get("key", lambda: 7) == 7
    content_cache.keep()
    assert json.loads(kind.path.read_text(encoding="utf-8"))["known"] == {"key": 7}


def test_where_nothing_can_be_written_one_line_says_so(folder, capsys):
    folder.write_text("a file, and no folder", encoding="utf-8")
    for key in "ab":
        Kept("numbers", [__file__]).get(key, dict)
        content_cache.keep()
    said = capsys.readouterr().err
    assert said.count("nothing is kept for the next run") == 1
    assert str(folder) in said
    assert "THEORYTOOLS_CACHE" in said


def test_a_file_too_young_for_its_stamp_is_read_again(tmp_path):
    path = tmp_path / "file"
    seen = set()
    for text in "ab":
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(10**18, 10**18 * (2 if text else 1)))  # the same stamp, in the future
        seen.add(content(path))
    assert len(seen) == 2


def test_of_an_old_file_only_the_stamp_is_read(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("a", encoding="utf-8")
    os.utime(path, ns=(10**18, 10**18))
    first = content(path)
    monkeypatch.setattr(type(path), "read_bytes", None)
    assert content(path) == first


def test_an_unchanged_check_is_parsed_once(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(syntax, "_SUMMARIES", Kept("checks", [syntax.__file__]))
    parsed = []
    monkeypatch.setattr(syntax, "_read", lambda text, name: parsed.append(name) or {"doc": text})
    paths = [tmp_path / name for name in ("one.py", "two.py")]
    for path in paths:
        path.write_text('"""The same."""\n', encoding="utf-8")
    assert {syntax.summary(path)["doc"] for path in paths} == {'"""The same."""\n'}
    assert len(parsed) == 1
