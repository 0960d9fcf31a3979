"""Sizes that nobody has time or memory for are refused by the work that a claim declares, before anything is made."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import CHECK, tiny, value, write_checks

from theorytools import BudgetError, CheckError, Control, DomainError, judge, verify
from theorytools.claims.judging.price import Price, known
from theorytools.claims.judging.run import searched
from theorytools.claims.judging.user_points import move
from theorytools.claims.language.grid import Point
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.counted import COUNTED, read_counted
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.work import BYTES, FILE, OPERATIONS, Work, read_work
from theorytools.claims.papers.work_formula import Formula
from tools.counted import count, main, priced


def at(**axes):
    return Point("toy.lemma_01", axes, {})


def work(operations, held="0", **changed):
    return Work(Formula(operations), Formula(held), **changed)


# -- formulas ------------------------------------------------------------------------------------------------------
texts = st.recursive(
    st.sampled_from(["N", "d_e", "2", "0.5", "7"]),
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner)
    | st.builds("({}**2)".format, inner) | st.builds("max({}, {})".format, inner, inner),
    max_leaves=6,
)  # fmt: skip


@given(texts, st.integers(1, 99), st.integers(1, 99))
def test_a_formula_has_the_value_that_python_gives_it(text, N, d_e):
    try:
        wanted = eval(text, {"max": max}, {"N": float(N), "d_e": float(d_e)})
    except ZeroDivisionError:
        return
    assert Formula(text)({"N": N, "d_e": d_e}) == wanted
    assert Formula(text).letters <= {"N", "d_e"}


@pytest.mark.parametrize("text", ["2**n", "comb(n, n/2)", "n**n*n", "2**(2**n)"])
def test_what_is_beyond_doubles_is_infinite_and_takes_no_time(text):
    assert Formula(text)({"n": 10**6}) == math.inf


@pytest.mark.parametrize("n", [4, 10, 30])
def test_binomials_of_small_letters(n):
    assert Formula("comb(n, 2)")({"n": n}) == pytest.approx(math.comb(n, 2), rel=1e-12)
    assert Formula("comb(2, n)")({"n": n}) == 0


WRONG = ["", "N +", "N.real", "__import__('os')", "lambda: N", "'N'", "True", "N if N else 1", "[N]", "log(N)", "max()",
         "max(N, key=N)", "N // 2", "+N"]  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_anything_else_is_no_formula(text):
    with pytest.raises(ValueError, match="formula"):
        Formula(text)


# -- the limit -----------------------------------------------------------------------------------------------------
@given(st.integers(1, 10**6), st.floats(0.01, 1))
def test_the_largest_size_that_is_named_fits_and_the_next_does_not(constant, share):
    declared = work(f"{constant}*N**2", most=share * OPERATIONS)
    if constant > share * OPERATIONS:
        return
    with pytest.raises(BudgetError) as caught:
        declared.admit(at(N=10**6))
    most = int(caught.value.required.partition("N = ")[2].split()[0])
    declared.admit(at(N=most))
    with pytest.raises(BudgetError):
        declared.admit(at(N=most + 1))


def test_time_and_memory_are_told_and_either_is_enough():
    with pytest.raises(BudgetError, match=r"N=1000000 takes about 3 h, 8 TB\n.*at most N = 22360 \(about 5 s and 4 GB"):
        work("N**2", "8*N**2").admit(at(N=10**6))
    with pytest.raises(BudgetError, match=r"takes about 0\.01 s, 8 TB"):
        work("N", "8*N**2").admit(at(N=10**6))
    with pytest.raises(BudgetError, match="more than 1000 years"):
        work("2**n").admit(at(n=10**6))
    work("0.1*N", "N").admit(at(N=BYTES))


# -- in the engine -------------------------------------------------------------------------------------------------
def test_nothing_is_made_of_a_point_that_is_refused_and_the_others_are_judged():
    made = []

    def construct(p):
        made.append(p.N)
        return p.N

    spoiled = Control("one more", breaks=value, construct=lambda p: construct(p) + 1)
    claim = tiny(construct=construct, controls=[spoiled])
    points = move(claim, "toy.lemma_01", {"N": [4, 10**6]})
    verdict = judge(claim, "toy.lemma_01", points, work=[work("N**2")])
    assert made == [4, 4]
    assert [dict(s)["point"] for s in verdict.skipped] == [{"N": "1000000"}]
    assert verdict.skipped[0]["open"]
    assert verdict.skipped[0]["reason"].startswith("the work exceeds its limit: N=1000000 takes about 3 h; at most N")


def declare(checks, operations):
    (checks / "toy" / FILE).write_text(f'[operations]\n"toy.lemma_01" = "{operations}"\n', encoding="utf-8")


def test_a_user_point_is_held_against_the_file_beside_the_check_and_the_grid_is_not(tmp_path):
    checks = write_checks(tmp_path)
    declare(checks, "1e9*N")
    assert verify("toy.lemma_01", checks=checks).ok
    assert verify("toy.lemma_01", checks=checks, N=3).ok  # no dearer than the dearest point of the grid
    verdict = verify("toy.lemma_01", checks=checks, N=4)
    assert (verdict.outcome, len(verdict.skipped)) == ("UNDECIDED", 1)
    assert "N=4 takes about 40 s; at most N = 3 (about 30 s and 4 GB" in verdict.reason


def test_one_value_judged_at_several_points_has_the_limit_once(tmp_path):
    two = CHECK.replace("grid(N=[2, 3])", "grid(N=[2, 3], M=[1, 2, 3, 4])").replace("every N", "every N, M")
    checks = write_checks(tmp_path, lemma_01=two)
    declare(checks, f"{OPERATIONS // 20}*N")
    assert len(verify("toy.lemma_01", checks=checks, N=5).skipped) == 0
    assert len(verify("toy.lemma_01", checks=checks, N=6).skipped) == 4
    assert len(verify("toy.lemma_01", checks=checks, N=6, M=[1, 2]).skipped) == 0  # two values of M, a point each


def test_whoever_waits_says_for_how_long(tmp_path, monkeypatch):
    checks = write_checks(tmp_path)
    (checks / "toy" / FILE).write_text(
        '[operations]\n"toy.lemma_01" = "1e9*N"\n[bytes]\n"toy.lemma_01" = "1e9*N"\n', encoding="utf-8"
    )
    refused = verify("toy.lemma_01", checks=checks, N=9)
    assert "try: a smaller size, or THEORYTOOLS_OPERATIONS=9.9e+09 in the environment" in refused.reason
    monkeypatch.setenv("THEORYTOOLS_OPERATIONS", "9e+09")
    assert verify("toy.lemma_01", checks=checks, N=9).ok
    assert not verify("toy.lemma_01", checks=checks, N=10).ok
    for wrong in ("nan", "-1", "many", ""):
        monkeypatch.setenv("THEORYTOOLS_OPERATIONS", wrong)
        with pytest.raises(DomainError, match="number of operations"):
            verify("toy.lemma_01", checks=checks, N=9)


BAD = ["operations = 3", '[operations]\n"other.lemma_01" = "N"', '[operations]\n"toy.lemma_01" = 3', "[operations",
       '[operations]\n"toy.lemma_01" = "N."', '[bytes]\n"toy.lemma_01" = "N"', '[seconds]\n"toy.lemma_01" = "N"',
       '[operations]\n"toy.lemma_01" = ["N"]']  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_a_file_that_declares_no_work_is_a_mistake_of_the_checks(text, tmp_path):
    checks = write_checks(tmp_path)
    (checks / "toy" / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(CheckError, match=FILE):
        read_work(checks / "toy")
    for axes in ({"N": 3}, {}):  # the search beside the grid goes by it, too
        with pytest.raises(CheckError, match=FILE):
            verify("toy.lemma_01", checks=checks, **axes)


@pytest.mark.parametrize("text", ["20*M", "word", "N*beta"])
def test_a_formula_in_other_letters_is_a_mistake_of_the_checks(text, tmp_path):
    worded = CHECK.replace("grid(N=[2, 3])", 'grid(N=[2, 3], word=["left"])').replace("every N", "every N, word")
    checks = write_checks(tmp_path, lemma_01=worded)
    declare(checks, text)
    with pytest.raises(CheckError, match="axes of the claim that are numbers: N"):
        verify("toy.lemma_01", checks=checks, N=3)


# -- what was counted ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", [
    "[", "[]", '{"toy.a": 3}', '{"toy.a": [1, 2]}', '{"other.a": [1, 2, 3]}', '{"toy.a": [0, 2, 3]}',
    '{"toy.a": [1, 2, "x"]}', '{"toy.a": [1, NaN, 3]}', '{"toy.a": [1, 2, -1]}', '{"toy.a": [Infinity, 2, 1]}',
])  # fmt: skip
def test_a_file_that_tells_no_counts_is_a_mistake_of_the_checks(text, tmp_path):
    folder = write_checks(tmp_path) / "toy"
    assert read_counted(folder) == {}
    (folder / COUNTED).write_text(text, encoding="utf-8")
    with pytest.raises(CheckError) as refused:
        read_counted(folder)
    assert "delete it" in refused.value.advice


def test_what_was_counted_is_read_instead_of_counted_again(tmp_path, capsys):
    checks = write_checks(tmp_path)
    (entry,) = Catalogue(checks).entries
    claim = load(entry)
    free = verify(entry.id, checks=checks).searched
    assert main([entry.id], checks) == 0
    told = read_counted(entry.folder)
    assert told == {entry.id: pytest.approx(count(entry, claim))}
    assert verify(entry.id, checks=checks).searched == free
    dear = {entry.id: [told[entry.id][0], 1e9, 4]}
    (entry.folder / COUNTED).write_text(json.dumps(dear), encoding="utf-8")
    assert verify(entry.id, checks=checks).searched != free
    assert main([entry.id], checks) == 0
    assert read_counted(entry.folder) == told
    assert "1 claims" in capsys.readouterr().out


def test_a_known_price_measures_nothing_and_is_that_of_the_grid():
    def measured(axes):
        raise AssertionError

    claim = tiny()
    point = dict(claim.grid[0])
    told = (float(point["N"]), 3000.0, 2.0)
    fresh = Price(claim, measured, counted=told)
    assert fresh(point) == known(claim, told)(point) == 3000.0
    assert fresh({**point, "N": 10 * point["N"]}) == 300_000.0
    assert known(claim, None) is None
    assert known(claim, (1234.0, 3000.0, 2.0)) is None  # counted at a point that the grid no longer has


def test_what_was_counted_says_nothing_where_work_is_declared():
    claim = tiny()
    least = dict(claim.grid[0])
    verdict, cheap = judge(claim, "toy.lemma_01"), [work("N")]
    dear = (float(least["N"]), 1e30, 2.0)
    points = [searched(claim, verdict, cheap, counted=told).searched for told in (None, dear)]
    assert points[0] == points[1]
    assert searched(claim, verdict, counted=dear).searched != points[0]


def test_a_file_that_cannot_be_read_is_written_anew_and_no_folder_but_ones_own(tmp_path):
    checks = write_checks(tmp_path)
    theirs = {entry.folder / COUNTED for entry in Catalogue(find_roots()).entries}
    before = {path: path.read_bytes() for path in theirs}
    (checks / "toy" / COUNTED).write_text("[", encoding="utf-8")
    with pytest.raises(CheckError):
        main(["toy"], checks)
    assert main([], checks) == 0
    assert list(read_counted(checks / "toy")) == ["toy.lemma_01"]
    assert {path: path.read_bytes() for path in theirs} == before


@pytest.mark.slow  # half a minute: every twelfth claim is counted again
def test_the_counts_of_the_library_are_those_of_its_claims_today():
    """Another Python may count a few calls more or less, and round to the next power of two; no more than that."""
    entries = Catalogue(find_roots()).entries
    told = {id: found for folder in {entry.folder for entry in entries} for id, found in read_counted(folder).items()}
    claims = {entry.id: (entry, load(entry)) for entry in entries}
    assert {id for id, pair in claims.items() if priced(*pair)} == told.keys()
    assert [id for id in told if known(claims[id][1], told[id]) is None] == []
    for id in list(told)[::12]:
        for point in claims[id][1].grid:
            ratio = known(claims[id][1], count(*claims[id]))(point) / known(claims[id][1], told[id])(point)
            assert 1 / 4 < ratio < 4, (id, point)
