"""The numbers that ``verify`` shows: the rows that matter, once, in whole words at any width."""

import re

import pytest
from checkfolders import write
from report_parts import rational, row

from theorytools.cli.row_table import MOST, chosen_rows, row_lines

ASSERTION = "v <= 100"


def _rows(slacks, **changed):
    return [
        {**row({"N": N}, rational(1), rational(100)), "slack": slack, **changed} for N, slack in enumerate(slacks, 1)
    ]


def test_of_many_rows_those_that_matter_are_chosen():
    rows = _rows([9.0] * 20 + [1.5] + [9.0] * 20)
    rows[30] = {**rows[30], "truth": False}
    rows[33] = {**rows[33], "truth": None}
    shown = [int(one["point"]["N"]) for one in chosen_rows(rows)]
    assert len(shown) == MOST
    assert {1, 21, 31, 34, 41} <= set(shown)  # the first, the tightest, a failing and an open one, the last
    assert shown == sorted(shown)
    assert chosen_rows(rows, None) == rows
    assert len(chosen_rows(rows, 1)) == 1
    assert chosen_rows(rows, 1)[0]["truth"] is False


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_word_is_broken_at_any_width_and_each_number_is_there_once(cli, tmp_path, monkeypatch, width):
    write(tmp_path, "holds", "refuted")
    monkeypatch.setenv("COLUMNS", str(width))
    out = cli("verify", "--no-report").out
    assert set(re.findall(r"\S+", out)) >= {"tiny.holds", "tiny.refuted", "REFUTED", "proved", "measured"}
    wide = [line for line in out.splitlines() if len(line) > width and "  again " not in line and " " in line.strip()]
    assert wide == []
    assert len(re.findall(r"\bproved\b", out)) == 2  # the two rows of the claim that holds, once


def test_the_rows_asked_for_are_shown_and_what_is_left_out_is_counted(cli, tmp_path):
    write(tmp_path, "holds")
    at = f"N={','.join(map(str, range(2, 32)))}"
    few, all_ = (cli("verify", "tiny.holds", "--at", at, *rest).out for rest in ((), ("--rows", "all")))
    assert (few.count("proved"), all_.count("proved")) == (MOST, 30)
    assert "18 are left out, --rows all shows them" in " ".join(few.split())
    assert "left out" not in all_
    refused = cli("verify", "tiny.holds", "--rows", "some")
    assert (refused.code, "--rows all" in refused.err) == (2, True)


def test_letters_of_one_value_stand_above_and_grades_only_where_they_differ():
    rows = [
        {**one, "point": {"q": "3", **one["point"]}, "relation": "<=", "evidence": "EXACT"} for one in _rows([2.0, 3.0])
    ]
    lines = row_lines({"rows": rows, "evidence": "EXACT"})
    assert lines[0].split() == ["at", "q", "=", "3"]
    assert "evidence" not in " ".join(lines)
    rows[1]["evidence"] = "ENCLOSED"
    assert "evidence" in " ".join(row_lines({"rows": rows, "evidence": "ENCLOSED"}))
    assert row_lines({"rows": [], "evidence": None}) == []


def test_a_record_that_was_written_is_named_on_standard_error_for_a_program_too(cli, tmp_path):
    write(tmp_path, "holds")
    for words in (["--record"], ["--record", "--json"]):
        answer = cli("verify", "tiny.holds", *words)
        assert answer.err == f"wrote {tmp_path / 'checks' / 'tiny' / 'records' / 'tiny.holds.json'}\n"
        assert "wrote" not in answer.out


def test_a_control_that_applies_at_no_point_is_not_counted_as_one_that_did_not_break(cli):
    out = " ".join(cli("verify", "qstr.lemma_11", "--at", "N=256", "--at", "q=2").out.split())
    assert "controls 4/4 (1 more at none of these points)" in out
    assert "control 'exp(beta) halved, orthogonal codes' applies at no point" in out
