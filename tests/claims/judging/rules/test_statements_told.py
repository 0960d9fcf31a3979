"""Rows as they are kept, statements in words, and what a verdict rests on."""

import json
from fractions import Fraction

import pytest
from sympy import Not, Rational, exp, pi, sqrt
from tiny import CHECK, M, N, constant, shrinking, tiny, value, write_checks, x
from verdict_examples import verdict_of

from theorytools import Catalogue, CheckError, Control, DomainError, Quantity, grid, letter
from theorytools.claims.judging.committed_record import compact, exact_text, expanded, number
from theorytools.claims.judging.description import command, construction, findings, formulas, split_docstring
from theorytools.claims.judging.inputs import ImportTable, inputs_digest
from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.rests_on import used
from theorytools.claims.judging.statement_text import derived_values, plain, relation_text, statement
from theorytools.claims.judging.witness import _agrees, _meets
from theorytools.numbers import Enclosure


# -- kept rows ---------------------------------------------------------------------------------------------------------
def test_a_kept_number_agrees_where_it_is_equal_or_its_interval_meets():
    assert _meets("1/3", "1/3")
    assert not _meets("1/3", "2/3")
    assert not _meets("1", ["E", 1, 1])
    assert _meets(["E", 1, 2], ["E", 2, 3])
    assert _meets(["E", 2, 3], ["E", 1, 2])
    assert not _meets(["E", 1, 2], ["E", 2.5, 3])
    assert not _meets(["E", 2.5, 3], ["E", 1, 2])
    assert not _meets(["E", 1, 2], ["S", 1, 2])
    assert _meets(["E", 1], ["E", 0, 1])
    assert _meets(["E", None, 2], ["E", 1, None])
    assert _meets(["#", "a", 1, 2], ["#", "a", 1, 2])
    assert not _meets(["#", "a", 1, 2], ["#", "b", 1, 2])
    row = {"assertion": "v", "relation": "<=", "evidence": "EXACT", "measured": "1", "bound": ["2"]}
    assert _agrees(row, dict(row))
    for change in (
        {"assertion": "w"},
        {"relation": ">="},
        {"evidence": "FITTED"},
        {"measured": "3"},
        {"bound": ["3"]},
        {"bound": ["2", "2"]},
    ):
        assert not _agrees(row, {**row, **change})


def test_exact_numbers_are_written_out_up_to_a_length():
    def exact(p, q=1):
        return {
            "evidence": "EXACT",
            "low": {"q": [hex(p), hex(q)]},
            "high": {"q": [hex(p), hex(q)]},
            "show": [1.0, 2.0],
        }

    assert number(exact(3)) == "3"
    assert number(exact(-1, 3)) == "-1/3"
    assert number(exact(10**119)) == str(10**119)
    assert number(exact(10**120))[0] == "#"
    assert number(exact(10**120))[2:] == [1.0, 2.0]
    assert number(exact(10**120))[1] != number(exact(10**120 + 1))[1]
    assert exact_text({"q": [hex(2**480 - 1), "0x1"]}) == str(2**480 - 1)
    assert exact_text({"q": [hex(2**480), "0x1"]}) == f"{2**480:#x}/0x1"
    assert exact_text({"q": ["0x1", hex(2**480)]}) == f"0x1/{2**480:#x}"
    for letter_, evidence in zip("ESOF", ("ENCLOSED", "SAMPLED", "OBSERVED", "FITTED"), strict=True):
        assert number({"evidence": evidence, "show": [1.0, 2.0]}) == [letter_, 1.0, 2.0]
        assert number({"evidence": evidence, "show": [1.0, 1.0]}) == [letter_, 1.0]


def test_a_compact_verdict_names_rows_and_controls_again(tmp_path):
    from theorytools.claims.judging.run import judge_entry

    (entry,) = Catalogue(write_checks(tmp_path)).entries
    data = judge_entry(entry).to_json()
    short = compact(data)
    assert [row[:4] for row in short["rows"]] == [[0, -1, 0, "T"], [1, -1, 0, "T"], [0, 0, 0, "F"], [1, 0, 0, "F"]]
    assert (short["axes"], short["points"][:2], short["controls"]) == (
        ["N"],
        [["2"], ["3"]],
        [["one more", "breaks", 2, 2]],
    )
    again = expanded(json.loads(json.dumps(short)), {"commit": "c"})
    assert [(r["point"], r["control"], r["truth"]) for r in again["rows"]] == [
        (r["point"], r["control"], r["truth"]) for r in data["rows"]
    ]
    assert again["tested"] == data["tested"]
    assert again["horizon"] == data["horizon"]


# -- statements in words -----------------------------------------------------------------------------------------------
def test_a_statement_is_told_with_its_formulas_and_letters():
    bounded = Quantity("share", "p", "a share", (0, 1))
    control = Control("half", breaks=bounded, asserts=[bounded <= N / 2, bounded >= 0])
    claim = tiny(
        asserts=[bounded <= x, bounded >= 0, bounded.equals(N, within=Rational(1, 2))],
        lets={x: N + 1},
        requires=[N >= 2, N >= 1],
        measure=lambda thing, p: {bounded: thing},
        controls=[control],
    )
    told = formulas(claim, {"M": M})
    assert [a["trivial"] for a in told["assertions"]] == ["1", "0", None]
    assert [a["within_latex"] for a in told["assertions"]] == [None, None, r"\frac{1}{2}"]
    assert told["spoiled"] == [{"name": "share <= N/2", "latex": r"p \le \frac{N}{2}"}]
    assert told["lets"] == ["x = N + 1"]
    assert told["hypotheses"] == [r"N \geq 2", r"N\in \{1,2,\dots\}", r"x \in \mathbb{R}"]
    assert [entry["name"] for entry in told["letters"]] == ["N", "x", "M"]
    said = statement(claim)
    assert [a.get("trivial") for a in said["assertions"]] == ["1", "0", None]
    assert [a.get("within") for a in said["assertions"]] == [None, None, "1/2"]
    assert all("tie" not in a for a in said["assertions"])
    assert said["controls"]["half"]["breaks"] == ["share <= N/2", "share >= 0"]
    assert [a["bound"] for a in said["controls"]["half"]["assertions"]] == ["N/2", "0"]
    assert said["hypotheses"] == ["N >= 2", "integer(N)", "N >= 1"]
    assert "assertions" not in statement(tiny())["controls"]["one more"]
    assert relation_text(Not((N >= 2) & (M <= 3), evaluate=False)) == "no(every(M <= 3, N >= 2))"
    assert plain(N + Fraction(1, 2)) == "N + 1/2"
    with pytest.raises(CheckError, match="the letter"):
        plain(letter("pi", "no constant") + 1)
    assert command("a.b") == "theorytools verify a.b"
    assert command("a.b", {"N": "2,3"}) == "theorytools verify a.b --at N=2,3"


def test_the_docstring_of_a_check_is_split_at_its_headings():
    text = "A fact.\n\nSetting    One\nline.\nStatements  Two.\nNo heading Setting here.\nProof\nThree.\n"
    assert split_docstring(text) == {
        "summary": "A fact.",
        "sections": [["Setting", "One line."], ["Statement", "Two. No heading Setting here."], ["Proof", "Three."]],
    }
    assert split_docstring("Only this.") == {"summary": "Only this.", "sections": []}

    def build(p) -> Enclosure:
        return Enclosure(p.N)

    assert construction(tiny(construct=build))["name"] == "Enclosure"
    assert "\n" not in construction(tiny(construct=build))["summary"]
    assert construction(tiny()) is None

    def other(p) -> int:
        return p.N

    assert construction(tiny(construct=other)) is None


def test_findings_are_those_of_checks_that_state_one_each_file_once(tmp_path):
    told = CHECK.replace("Setting    A size", "Finding    It is tight.\n\nSetting    A size")
    mentioned = CHECK.replace("The number N is", "A Finding is no heading: the number N is")
    twice = told + '\nother = replace(claim, label="Lemma 1, again")\n'
    catalogue = Catalogue(write_checks(tmp_path, lemma_01=mentioned, lemma_01_more=twice, lemma_01_broken="x = (\n"))
    found = {"claim": "toy.lemma_01_more", "text": "It is tight.", "refutes": []}
    assert findings(catalogue, catalogue.paper("toy")) == [found]
    assert findings(Catalogue(write_checks(tmp_path / "b")), catalogue.paper("toy")) == []


@pytest.mark.parametrize(
    ("spent", "budget", "bits"),
    [(0, 4096, 256), (64, 4096, 256), (300, 4096, 600), (4096, 4096, 4096), (300, 400, 400), (64, 100, 256)],
)
def test_a_derived_letter_is_kept_with_twice_the_bits_of_the_bounds(spent, budget, bits):
    from theorytools import Budget
    from theorytools.claims.language.estimate import Estimate
    from theorytools.numbers import working_precision

    seen = []

    def root():
        seen.append(working_precision())
        return Enclosure(2).sqrt()

    claim = tiny(derived=[x], derive=lambda thing, p: {x: root}, requires=[x <= 9], budget=Budget(bits=budget))
    bounds = [Estimate.of(1, bits=spent), Estimate.of(1)] if spent else []
    found = derived_values(claim, {"x": root}, bounds)
    assert seen == [bits]
    assert list(found) == ["x"]
    assert len(found["x"]) == 2
    assert derived_values(claim, {"x": sqrt(2)}, bounds) == {"x": "sqrt(2)"}


# -- what a verdict rests on -------------------------------------------------------------------------------------------
def test_claims_that_a_claim_uses_exist_hold_and_make_no_circle(tmp_path):
    def uses(*ids):
        return CHECK.replace('    "Lemma 1",', f'    "Lemma 1",\n    uses={list(ids)!r},')

    refuted = CHECK.replace("asserts=[value <= N]", 'expect="REFUTED", asserts=[value <= N - 1]').replace(
        "controls=[", 'controls=[Control("repair", asserts=[value <= N]), '
    )
    root = write_checks(
        tmp_path,
        lemma_02=uses("toy.lemma_01"),
        lemma_03=uses("toy.lemma_02", "toy.lemma_01"),
        lemma_04=uses("toy.lemma_05"),
        lemma_05=uses("toy.lemma_04"),
        lemma_06=refuted,
        lemma_07=uses("toy.lemma_06"),
        lemma_08=uses("toy.lemma_99"),
        lemma_09=uses("toy.lemma_09"),
        lemma_10=uses("toy.lemma"),
    )
    from theorytools.claims.papers.loading import load

    entries = {e.stem: e for e in Catalogue(root).entries}

    def named(stem):
        return [e.id for e in used(load(entries[stem]), entries[stem])]

    assert (named("lemma_01"), named("lemma_02")) == ([], ["toy.lemma_01"])
    assert named("lemma_03") == ["toy.lemma_02", "toy.lemma_01"]
    for stem, required in [
        ("lemma_04", "claims without a circle"),
        ("lemma_09", "claims without a circle"),
        ("lemma_07", "meant to hold"),
        ("lemma_08", "the id of a claim"),
        ("lemma_10", "the id of a claim"),
    ]:
        with pytest.raises(CheckError, match=required):
            named(stem)


def test_the_digest_of_inputs_sees_check_tables_and_record(tmp_path):
    root = write_checks(tmp_path / "checks")
    (entry,) = Catalogue(root).entries
    before = inputs_digest(entry, record=False)
    assert before == inputs_digest(entry, ImportTable(), record=False)
    assert before != inputs_digest(entry, record=True)
    (root / "toy" / "table.csv").write_text("a,b\n", encoding="utf-8")
    with_table = inputs_digest(entry, record=False)
    assert with_table != before
    (root / "toy" / "table.csv").write_text("a,c\n", encoding="utf-8")
    assert inputs_digest(entry, record=False) not in (before, with_table)
    (root / "toy" / "table.csv").unlink()
    assert inputs_digest(entry, record=False) == before
    (root / "toy" / "lemma_01.py").write_text(CHECK + "# a comment\n", encoding="utf-8")
    assert inputs_digest(entry, record=False) == before
    (root / "toy" / "lemma_01.py").write_text(CHECK + "another = 1\n", encoding="utf-8")
    assert inputs_digest(entry, record=False) != before
    assert ImportTable().checks(entry.path) == {entry.path, entry.path.with_name("notation.py")}


def test_a_judgement_needs_points_of_the_claim_and_says_how_far_it_is():
    seen = []
    verdict = judge(tiny(), "a.b.c", [{"N": 5}, {"N": "7"}], progress=lambda *at: seen.append(at), document={"k": 1})
    assert seen == [(1, 2), (2, 2)]
    assert (verdict.user_points, verdict.document, verdict.id) == (True, {"k": 1}, "a.b.c")
    assert [row.point["N"] for row in verdict.rows if not row.control] == ["5", "7"]
    with pytest.raises(DomainError, match="drop d, q"):
        judge(tiny(), "a.b", [{"N": 5, "q": 1, "d": 2}])
    with pytest.raises(DomainError, match="give M too"):
        judge(tiny(grid=grid(N=[2], M=[3])), "a.b", [{"N": 5}])
    drawing = tiny(measure=lambda thing, p: {value: shrinking(0, 1)})
    level = drawing.budget.alpha
    assert verdict_of(drawing).alpha_spent == pytest.approx(level)
    assert verdict_of(drawing, [{"N": 5}]).alpha_spent == pytest.approx(level / 2)  # one point of two, with its control
    assert {row.measured.alpha for row in verdict_of(drawing).rows} == {level / 4}
    derived = tiny(derived=[x], derive=lambda thing, p: {x: pi * p.N}, requires=[x <= 99])
    assert [dict(d)["values"] for d in verdict_of(derived).derived] == [{"x": "2*pi"}, {"x": "3*pi"}]
    assert verdict_of(tiny()).derived == ()
    assert verdict_of(constant(1, value <= exp(N))).rows[0].truth is True
