"""What is printed beside what is judged: read, compared, refused at its line, and counted."""

import pytest
import sympy
from hypothesis import strategies as st
from properties import examples
from source_tree import ROOT
from tiny import CHECK, PAPER, write_checks

from theorytools import Catalogue, CheckError
from theorytools.claims.judging.as_printed import relations, unsaid
from theorytools.claims.judging.right_sides import compare
from theorytools.claims.papers.normal_form import shape
from theorytools.cli.listing import _unsaid
from theorytools.meaning import RELATIONS, UNCOMPARED, counted, numbered, sayer_text, standing

PRINTED = """[statement.printed]
number = { v1 = "Lemma 1", v2 = "Lemma 4" }
read = { v1 = "words", v2 = "sentences" }
relation = "the same"
[[statement.printed.formula]]
of = "the value"
formula = "<= N"
claim = "lemma_01"
quantity = "value"
"""
VERSIONS = '[paper.versions]\nv1 = "first"\nv2 = "revised"\n'
TOML = PAPER.replace("\n[[statement]]", f"{VERSIONS}\n[[statement]]", 1).replace(
    'ours = "a toy"\naliases = ["toy.first"]\n', PRINTED
)
N, M = (sympy.Symbol(name, positive=True, integer=True) for name in "NM")
SIDES = ["<=", ">="]
SAYER = '[[refuted]]\nclaim = "lemma_01"\nsaid_by = "reading"\nwhere = "nobody printed it"\n'


def told(folder, toml=TOML, check=CHECK):
    root = write_checks(folder, lemma_01=check)
    (root / "toy" / "paper.toml").write_text(toml, encoding="utf-8")
    catalogue = Catalogue(root)
    return catalogue, catalogue.paper("toy")


def related(folder, toml=TOML):
    return relations(*told(folder, toml))["lemma_01"]


def line_of(toml, text):
    return next(number for number, line in enumerate(toml.split("\n"), 1) if line.startswith(text))


# -- reading -----------------------------------------------------------------------------------------------------------
def test_a_statement_is_printed_or_ours_and_has_a_number_in_each_version(tmp_path):
    catalogue, paper = told(tmp_path)
    first, second = catalogue.index(["toy"])[0]["statements"]
    assert (standing(first), standing(second)) == ("the same", "derived here")
    assert numbered(first) == "Lemma 1, v2: Lemma 4"
    assert numbered(second) == "Lemma 2"
    assert paper.statements[0].printed.read == {"v1": "words", "v2": "sentences"}
    assert counted(map(standing, (first, second, {"printed": {}}))) == {
        "the same": 1, UNCOMPARED: 1, "derived here": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ('formula = "<= N"', 'formula = "<= N("', "formula", "does not parse"),
        ('formula = "<= N"', 'formula = "N"', "formula", "begins with none of"),
        ('formula = "<= N"', 'formula = "<= Big(N)"', "formula", "no function 'Big'"),
        ('formula = "<= N"', 'formula = "<= 0.5*N"', "formula", "a binary fraction"),
        ('formula = "<= N"', 'formula = "<= N if N else 2"', "formula", "no arithmetic in letters"),
        ('formula = "<= N"', 'formula = ">= O(N)"', "formula", "O is written with <="),
        ('formula = "<= N"', 'formula = "<= O(N, 2)"', "formula", "one expression"),
        ('formula = "<= N"', 'formula = "<= K"\nletters = { K = "N +" }', "letters", "does not parse"),
        ('quantity = "value"', 'quantum = "value"', "quantum", "did you mean quantity"),
        ('"sentences"', '"sentence"', "read", "did you mean sentences"),
        (', v2 = "sentences"', "", "read", "what was read of each version"),
        ('v2 = "Lemma 4"', 'v3 = "Lemma 4"', "number", "v1, v2"),
        ('relation = "the same"', 'relation = "same"', "relation", "did you mean the same"),
        ('relation = "the same"', 'matched = "changed"', "matched", "found ="),
        ('relation = "the same"', 'relation = "formula not seen"', "relation", "unknown ="),
        ('claim = "lemma_01"', 'relation = "implies it"', "relation = \"imp", "a relation has two sides"),
        ('of = "the value"', 'of = ""', "of", "a right side is of something"),
    ],
)  # fmt: skip
def test_a_mistake_is_refused_at_its_line(tmp_path, old, new, at, says):
    assert old in TOML
    toml = TOML.replace(old, new)
    with pytest.raises(CheckError) as caught:
        told(tmp_path, toml)
    assert says in str(caught.value)
    assert f"paper.toml, line {line_of(toml, at)}: " in caught.value.given


# -- comparing ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("formula", "relation"),
    [("<= N", "the same"), ("<= O(N)", "implies it"), ("<= 3*N", "implies it"), ("<= N/2", "differs in a constant"),
     ("<= N + 1", "implies it"), ("<= O(N/log(N))", "differs in a logarithm"), ("<= SoftO(N/log(N))", "implies it"),
     ("<= O(N**2)", "implies it"), ("<= K", "the same")],
)  # fmt: skip
def test_a_relation_is_computed_where_both_sides_are_formulas(tmp_path, formula, relation):
    letters = '\nletters = { K = "2*N/2" }' if "K" in formula else ""
    toml = TOML.replace('formula = "<= N"', f'formula = "{formula}"{letters}')
    found = related(tmp_path, toml.replace('relation = "the same"\n', ""))
    assert (found["relation"], found["compared"][0]["computed"]) == (relation, True)


def test_the_same_that_is_not_is_refused_of_a_formula_and_of_a_statement(tmp_path):
    toml = TOML.replace('formula = "<= N"', 'formula = "<= N/2"')
    with pytest.raises(CheckError) as caught:
        related(tmp_path / "statement", toml)
    assert "2 times the printed one: weaker" in caught.value.why
    assert f"paper.toml, line {line_of(toml, 'relation')}: relation = 'the same'" in caught.value.given
    assert "differs in a constant" in caught.value.advice
    argued = toml.replace('relation = "the same"\n', 'relation = "the same"\nwhy = "they look alike"\n')
    with pytest.raises(CheckError):
        related(tmp_path / "argued", argued)
    other = toml.replace('relation = "the same"\n', "").replace(
        'quantity = "value"', 'quantity = "value"\nrelation = "the same"\nwhy = "they look alike"'
    )
    with pytest.raises(CheckError) as caught:
        related(tmp_path / "formula", other)
    assert f"line {line_of(other, 'relation')}" in caught.value.given
    unlike = other.replace("<= N/2", "<= sqrt(K)")  # no formula in the claim's letters: nothing is computed
    with pytest.raises(CheckError, match="does not vanish"):
        related(tmp_path / "unlike", unlike)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [('quantity = "value"', 'quantity = "valu"', "did you mean value"),
     ('claim = "lemma_01"', 'claim = "lemma_1"', "toy.lemma_01"),
     ('formula = "<= N"', 'formula = "<= K"', "relation and why"),
     ('quantity = "value"\n', "", "relation and why")],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(tmp_path, old, new, says):
    with pytest.raises(CheckError) as caught:
        related(tmp_path, TOML.replace(old, new).replace('relation = "the same"\n', ""))
    assert says in str(caught.value)
    assert "paper.toml, line " in caught.value.given


def test_a_typed_relation_carries_its_reason_and_a_formula_without_a_claim_is_not_judged(tmp_path):
    typed = 'claim = "lemma_01"\nrelation = "differs in a norm"\nwhy = "of another ball"\n'
    toml = TOML.replace('claim = "lemma_01"\nquantity = "value"\n', typed).replace(
        'relation = "the same"\n[[', 'relation = "differs in a norm"\n[['
    )
    found = related(tmp_path / "typed", toml)
    assert (found["relation"], found["why"], found["compared"][0]["judged"]) == (
        "differs in a norm", "of another ball", "",
    )  # fmt: skip
    bare = TOML.replace('claim = "lemma_01"\nquantity = "value"\n', "").replace('relation = "the same"\n', "")
    found = related(tmp_path / "bare", bare)
    assert (found["relation"], found["compared"][0]["relation"]) == (UNCOMPARED, "")


@examples(30, st.fractions(min_value="1/9", max_value=9), st.integers(0, 3), st.integers(0, 3), st.sampled_from(SIDES))
def test_the_relation_turns_round_with_the_sides(factor, a, b, sign):
    """What is stronger one way is weaker the other way; a factor of 1 is the same."""
    side = N**a * M**b
    one, other = compare(sign, "", side, sign, factor * side), compare(sign, "", factor * side, sign, side)
    names = {one[0], other[0]}
    assert names == ({"the same"} if factor == 1 else {"implies it", "differs in a constant"})
    assert (one[0] == "implies it") == ((factor < 1) if sign == "<=" else (factor > 1))
    order = {"<=": "O", ">=": "Omega"}[sign]
    assert compare(sign, order, side, sign, factor * side)[0] == "implies it"
    worse = N * side if sign == "<=" else side / N
    assert compare(sign, order, side, sign, worse) is None
    assert compare(sign, order, worse, sign, side)[0] == "implies it"


def test_another_direction_is_never_compared():
    assert compare("<=", "", N, ">=", N) is None
    assert compare("==", "", N, "<=", N) == ("implied by it", "equal right sides, printed with ==")
    assert compare("==", "Theta", N, "<=", N) is None
    assert compare("<=", "", N, "==", N)[0] == "implies it"
    assert shape("== SoftTheta(q**2/d)").latex({}) == r"= \tilde{\Theta}\left(\frac{q^{2}}{d}\right)"


# -- who says it ---------------------------------------------------------------------------------------------------
def test_each_refuted_claim_says_who_says_it(tmp_path):
    refuting = CHECK.replace('role="statement"', 'role="pitfall", expect="REFUTED"')
    assert refuting != CHECK
    (missing,) = unsaid(*told(tmp_path / "unsaid", check=refuting))
    assert "toy.lemma_01" in missing.given
    assert 'said_by = "reading"' in missing.advice
    catalogue, paper = told(tmp_path / "said", TOML + SAYER, refuting)
    assert unsaid(catalogue, paper) == []
    assert sayer_text(catalogue.index()[0]["sayers"]["toy.lemma_01"]) == "a reading, not the print: nobody printed it"
    (strange,) = unsaid(*told(tmp_path / "strange", TOML + SAYER.replace("lemma_01", "lemma_07"), refuting))[1:]
    assert "toy.lemma_07" in strange.given


@pytest.mark.parametrize(
    ("role", "asked"),
    [("pitfall", True), ("statement", True), ("variant", True), ("prediction", False), ("found", False)],
)
def test_whatever_is_refuted_has_its_sayer_but_what_we_expected_of_training(tmp_path, role, asked):
    refuting = CHECK.replace('role="statement"', f'role="{role}", expect="REFUTED"')
    catalogue, paper = told(tmp_path, check=refuting)
    assert len(unsaid(catalogue, paper)) == asked
    assert _unsaid(catalogue, catalogue.index()[0]) == ["toy.lemma_01"] * asked


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [('"reading"', '"somebody"', "text, printed proof, reading"), ('where = "nobody printed it"\n', "", "where"),
     ('said_by = "reading"\n', "", "said_by"), ("where", "were", "did you mean where")],
)  # fmt: skip
def test_an_entry_that_does_not_say_it_is_refused(tmp_path, old, new, says):
    with pytest.raises(CheckError, match=r"paper\.toml, line ") as caught:
        told(tmp_path, TOML + SAYER.replace(old, new))
    assert says in str(caught.value)


def test_show_says_how_a_claim_stands_to_its_print_and_who_says_what_it_refutes(cli):
    shown = " ".join(cli("show", "qstr.proposition_08.operator_reading").out.split())
    assert "print Proposition 8, v2: Proposition 6: implies it" in shown
    assert "says it the printed proof, not the text: the proof says" in shown


# -- the library's papers ----------------------------------------------------------------------------------------------
def test_every_statement_of_the_library_is_compared_and_every_refutation_has_its_sayer():
    catalogue = Catalogue(ROOT / "checks")
    for paper in catalogue.papers:
        found = relations(catalogue, paper)
        assert all(one["relation"] in (*RELATIONS, "derived here") and one["why"] for one in found.values()), paper.key
        assert {id: one["relation"] for id, one in found.items()} == {
            s["id"]: standing(s) for s in catalogue.index([paper.key])[0]["statements"]
        }
        assert unsaid(catalogue, paper) == []
    revised = {s.id: s.printed for s in catalogue.paper("qstr").statements if s.printed}
    assert all(printed.matched for printed in revised.values())
