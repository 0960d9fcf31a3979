"""What a claim says of its meaning: role, quantifiers with their coverage, source; contradictions are refused."""

import pytest
from tiny import tiny

from theorytools.claims.language.binders import binders
from theorytools.errors import CheckError, DomainError
from theorytools.meaning import (
    COVERED,
    ROLES,
    WHOLE,
    Source,
    check_scope,
    held,
    scope_class,
    scope_text,
    universal,
)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("how", [how for how in COVERED if how not in ("exhibited", "every step")])
def test_what_fits_is_taken(role, how):
    claim = tiny(role=role, scope={"every N": how, "some network": "exhibited"}, source="derived here: Lemma 1")
    assert (claim.role, claim.scope["every N"]) == (role, how)


@pytest.mark.parametrize(
    ("changed", "given", "required"),
    [
        ({"role": "theorem"}, "role = 'theorem'", "statement, sharpness"),
        ({"role": None}, "role = None", "statement"),
        ({"scope": {"prompts": "points"}}, "'prompts'", "every …"),
        ({"scope": {"every": "points"}}, "'every'", "some …"),
        ({"scope": {"every N": "five of them"}}, "'five of them'", "enumeration, closed form"),
        ({"scope": {"every network": "exhibited"}}, "'every network' covered as 'exhibited'", "enumeration"),
        ({"scope": {"some network": "points"}}, "'some network' covered as 'points'", "exhibited"),
        ({"scope": None}, "scope = None", "the quantifiers"),
        ({"source": "Lemma 11"}, "source = 'Lemma 11'", "published, derived here"),
        ({"source": "published: Lemma 11"}, "published: Lemma 11", "display, prose, none"),
        ({"source": "folklore: Lemma 11; prose"}, "folklore", "published"),
        ({"expect": "UNDECIDED"}, "expect = 'UNDECIDED'", "role='prediction'"),
    ],
)
def test_what_contradicts_itself_is_refused(changed, given, required):
    with pytest.raises(CheckError) as found:
        tiny(**changed)
    assert given in found.value.given
    assert required in found.value.required


def test_a_source_in_words():
    assert str(Source.parse("published: Lemma 11, appendix B; display")) == (
        "published: Lemma 11, appendix B (the display was read)"
    )
    assert str(Source.parse("derived here: Lemma 11")) == "derived here, from Lemma 11"
    assert str(Source.parse("published: Theorem 4; none")) == "published: Theorem 4 (its formula was not seen)"
    with pytest.raises(DomainError):
        Source.parse(None)


def test_a_scope_in_words_and_its_innermost_part():
    scope = {"every N": "points", "some network": "exhibited", "every prompt": "closed form"}
    check_scope(scope)
    assert scope_text(scope) == ("every N (these points), some network (exhibited), every prompt (all, by closed form)")
    assert scope_class(scope) == "closed form"
    assert universal(scope)
    assert not universal({"some network": "exhibited", "every prompt": "enumeration"})
    assert all(scope_class({"every x": how}) == how for how in WHOLE)


@pytest.mark.parametrize(
    ("grade", "alpha", "work", "word"),
    [("EXACT", 0, {}, "proved"), ("ENCLOSED", 0, {}, "proved"), ("SAMPLED", 1e-6, {}, "within error 1e-06"),
     ("OBSERVED", 0, {}, "observed"), ("FITTED", 0, {"repeats": 5}, "supported by 5 runs"),
     ("FITTED", 0, {}, "supported by a fit")],
)  # fmt: skip
def test_only_certificates_prove(grade, alpha, work, word):
    assert held(grade, alpha, work) == word


def test_a_run_that_is_only_read_is_no_draw():
    assert COVERED["recorded"] != COVERED["drawn"]
    assert "recorded" not in WHOLE
    assert universal({"every repeat": "recorded"})
    assert scope_text({"every repeat": "recorded"}) == "every repeat (the runs of a record)"


@pytest.mark.parametrize(
    ("said", "bound"),
    [
        ("every N", {"N"}),
        ("every N, d_e and q", {"N", "d_e", "q"}),
        ("some constant C", {"C"}),
        ("every dimension d of a token", {"d"}),
        ("every Nd", set()),  # a letter is a word, not a part of one
        ("every d_e", {"d_e"}),
        ("every", set()),
    ],
)
def test_a_letter_is_bound_where_its_name_stands_as_a_word(said, bound):
    first, other = binders({said: "points", "every prompt": "drawn"}, ["N", "d", "d_e", "e", "q", "C"])
    assert (set(first.letters), other.letters) == (bound, ())
