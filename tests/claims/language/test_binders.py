"""The order of quantifiers: what is chosen before a letter does not see it; a witness that fails refutes nothing."""

from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import M, N, tiny, value
from trials_of_checks import judged

from theorytools import CheckError, Control, Outcome, grid, judge, letter
from theorytools.claims.judging.falsify import falsify
from theorytools.claims.language.binders import binders, later
from theorytools.measures import Space, words

C = letter("C", "a constant", positive=True)
WORDS = {"every N": "points", "some code": "exhibited", "every prompt": "closed form", "some constant C": "exhibited"}


@given(st.permutations(list(WORDS)))
def test_what_is_hidden_is_what_stands_behind_the_object(order):
    prefix = binders({said: WORDS[said] for said in order}, ["N", "C"])
    place = order.index("some code")
    assert set(later(prefix, [])) == {x for b in prefix[place + 1 :] for x in b.letters}
    # a derived constant is a property of the object: the object may see nothing that is bound after the constant
    first = min(place, order.index("some constant C"))
    assert set(later(prefix, ["C"])) == {x for b in prefix[first + 1 :] for x in b.letters} - {"C"}


@pytest.mark.parametrize(
    "read", ["p.N", "p.axes['N']", "int(p.text()['N'])", "int(str(p).partition('N=')[2].partition(',')[0])"]
)
def test_an_object_before_a_letter_cannot_be_made_from_it(read, tmp_path):
    code = f"""
claim = Claim("L", **told, scope={{"some code": "exhibited", "every N": "points"}}, grid=grid(N=[2, 4]),
              asserts=[value <= N], construct=lambda p: {read}, measure=lambda x, p: {{value: x}},
              controls=[Control("more", breaks=value, construct=lambda p: 100)])
"""
    error = judged(tmp_path / "before", code)
    assert isinstance(error, str)
    assert "N" in error
    after = code.replace(
        '"some code": "exhibited", "every N": "points"', '"every N": "points", "some code": "exhibited"'
    )
    assert judged(tmp_path / "after", after).outcome == "HOLDS"


def test_the_error_names_the_quantifier_and_the_line(tmp_path):
    error = judged(
        tmp_path,
        """
claim = Claim("L", **told, scope={"some code": "exhibited", "every N": "points"}, grid=grid(N=[2, 4]),
              asserts=[value <= N], construct=lambda p: p.N, measure=lambda x, p: {value: x},
              controls=[Control("more", breaks=value, construct=lambda p: 100)])
""",
    )
    assert "bound after 'some code'" in error
    assert "lemma_1.py, line" in error
    assert "every N" in error


def test_draws_of_an_object_before_a_letter_do_not_depend_on_it():
    seen = []
    claim = tiny(
        scope={"some code": "exhibited", "every N": "points"}, grid=grid(N=[9, 12]),
        construct=lambda p: seen.append(int(p.rng("code").integers(0, 10**9))) or 2,
        controls=[Control("more", breaks=value, construct=lambda p: 100)],
    )  # fmt: skip
    assert judge(claim, "toy.lemma").outcome == Outcome.HOLDS
    assert len(set(seen)) == 1


def exists(witness=1, **changed):
    """There is C with x <= C N for every N, shown by one C."""
    parts = {
        "scope": {"some constant C": "exhibited", "every N": "points"},
        "asserts": [value <= C * N],
        "grid": grid(N=[2, 3], C=[witness]),
        "controls": [Control("more", breaks=value, construct=lambda p: 99)],
    }
    return tiny(**{**parts, **changed})


def test_a_true_existence_is_not_refuted_by_another_constant():
    found = falsify(exists(), "toy.lemma", evaluations=300)
    assert found.row is None
    # without the witness the letter is one more that is universal, and 1/16 is found
    assert falsify(exists(scope={"every N, C": "points"}), "toy.lemma", evaluations=300).row is not None


def test_a_witness_that_fails_is_no_refutation():
    verdict = judge(exists("1/2"), "toy.lemma")
    assert verdict.outcome == Outcome.WITNESS_FAILS
    assert not verdict.ok
    assert verdict.evidence.name == "EXACT"
    repair = Control("a larger one", asserts=[value <= 2 * C * N])
    meant = exists("1/2", expect="WITNESS FAILS", controls=[repair])
    assert judge(meant, "toy.lemma").ok
    assert not judge(exists("1/2", expect="REFUTED", controls=[repair]), "toy.lemma").ok


def test_a_rule_for_a_witness_reads_earlier_letters_only():
    rule = {"grid": grid(N=[2, 3]), "lets": {C: N + 1}}
    assert (
        judge(exists(**rule, scope={"every N": "points", "some C": "exhibited"}), "toy.lemma").outcome == Outcome.HOLDS
    )
    with pytest.raises(CheckError, match="N is chosen after C"):
        exists(**rule)


def test_how_far_a_holds_reaches_stands_in_its_word():
    assert judge(tiny(), "toy.lemma").limit == "at 2 points to N = 3"
    more = Control("more", breaks=value, construct=lambda p: 100)
    two = tiny(grid=grid(N=[2, 3], M=[1, 2]), asserts=[value <= N * M], controls=[more])
    assert judge(two, "toy.lemma").limit == "at 4 points"
    assert "HOLDS at 4 points (exact)" in str(judge(two, "toy.lemma"))
    assert judge(tiny(listed=[N]), "toy.lemma").limit == ""
    drawn = {"every N": "points", "every code": "drawn"}
    assert judge(tiny(listed=[N], scope=drawn), "toy.lemma").limit == "on what was drawn"
    with_letter = tiny(listed=[N], scope={"every word of N letters": "enumeration"})  # binds N, and speaks of words
    assert judge(with_letter, "toy.lemma").limit == "as its author covers it"
    closed = tiny(listed=[N], scope={"every N": "points", "every code": "closed form"})
    assert judge(closed, "toy.lemma").limit == "as its author covers it"


def test_an_enumeration_is_believed_where_a_space_was_walked_to_its_end():
    told = {"listed": [N], "scope": {"every N": "points", "every word": "enumeration"}, "asserts": [value <= 2**N]}
    more = [Control("more", breaks=value, construct=lambda p: [0] * 99, measure=lambda xs, p: {value: len(xs)})]
    whole = tiny(
        **told, construct=lambda p: words(2, p.N), measure=lambda ws, p: {value: sum(1 for _ in ws)}, controls=more
    )
    assert judge(whole, "toy.lemma").limit == ""
    part = replace(whole, measure=lambda ws, p: {value: sum(1 for _ in islice(ws, 3))})
    assert judge(part, "toy.lemma").limit == "as its author covers it"
    with pytest.raises(CheckError, match="its stated number"):
        judge(replace(whole, construct=lambda p: Space(lambda: range(p.N), p.N + 1, "numbers")), "toy.lemma")


def test_a_closed_form_is_believed_where_a_second_route_gives_the_same():
    told = {"listed": [N], "scope": {"every N": "points", "every code": "closed form"}}
    both = tiny(**told, second=lambda thing, p: {value: sum(1 for _ in range(p.N))} if p.N < 3 else None)
    assert judge(both, "toy.lemma").limit == ""
    with pytest.raises(CheckError, match="by the second route"):
        judge(tiny(**told, second=lambda thing, p: {value: p.N + 1}), "toy.lemma")
