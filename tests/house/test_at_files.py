"""``--at letter=@file``: exact values from a file; and every point of every grid can be typed back."""

import json
from fractions import Fraction

import numpy as np
import pytest
from checkfolders import write
from source_tree import ROOT

from theorytools import DomainError
from theorytools.claims.judging.user_points import axis_choices
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.claims.papers.loading import load
from theorytools.cli.at_files import from_file


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [("a.txt", "1/3\n0.1  # a tenth\n\n-2, 7", [Fraction(1, 3), Fraction(1, 10), -2, 7]),
     ("a.csv", "4,8,16\n32", [4, 8, 16, 32]), ("a.json", '[0.1, 3, "1/7"]', [Fraction(1, 10), 3, Fraction(1, 7)]),
     ("words.txt", "bch simplex", ["bch", "simplex"])],
)  # fmt: skip
def test_a_file_gives_exact_values(tmp_path, name, text, values):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert axis_choices("x", from_file("x", tmp_path / name)) == values


def test_an_array_is_taken_at_its_word(tmp_path):
    np.save(tmp_path / "a.npy", np.array([0.5, 0.1]))
    assert from_file("x", tmp_path / "a.npy") == [Fraction(1, 2), Fraction(0.1)]
    np.save(tmp_path / "a.npy", np.array([[4, 8]]))
    assert from_file("x", tmp_path / "a.npy") == [4, 8]


@pytest.mark.parametrize(
    ("name", "content"),
    [("gone.txt", None), ("empty.txt", "# nothing\n"), ("torn.json", "[1, 2"), ("table.json", '{"a": 1}'),
     ("long.txt", " ".join(map(str, range(10_001))))],
)  # fmt: skip
def test_a_file_without_values_is_refused(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(DomainError, match="x=@"):
        from_file("x", tmp_path / name)


def test_arrays_that_are_no_numbers_are_refused(tmp_path):
    for wrong in (np.array([np.nan]), np.array(["a"]), np.array([1j])):
        np.save(tmp_path / "a.npy", wrong)
        with pytest.raises(DomainError, match="x=@"):
            from_file("x", tmp_path / "a.npy")


def test_the_command_judges_at_the_values_of_a_file(cli, tmp_path):
    write(tmp_path, "holds")
    (tmp_path / "sizes.txt").write_text("3\n5\n", encoding="utf-8")
    verdict = cli("verify", "tiny.holds", "--at", "N=@sizes.txt", "--json").json["verdicts"][0]
    assert {row["point"]["N"] for row in verdict["rows"]} == {"3", "5"}
    answer = cli("verify", "tiny.holds", "--at", "N=@gone.txt")
    assert (answer.code, "gone.txt" in answer.err) == (2, True)


def test_every_point_that_is_printed_can_be_typed_back():
    for entry in Catalogue([ROOT / "checks"]).entries:
        for point in json.loads(json.dumps([{k: str(v) for k, v in p.items()} for p in load(entry).grid])):
            for name, text in point.items():
                assert "," not in text
                assert [str(value) for value in axis_choices(name, text)] == [text], entry.id
