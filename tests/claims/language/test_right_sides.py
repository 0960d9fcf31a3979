"""The right sides that are imported are those that are asserted."""

import math

import pytest

from theorytools import Catalogue, DomainError, bound_of
from theorytools.claims.papers import right_side
from theorytools.claims.papers.catalogue import find_roots
from theorytools.claims.papers.loading import load

CATALOGUE = Catalogue(find_roots())
ENTRIES = {entry.id: entry for entry in CATALOGUE.entries}


def test_a_right_side_is_a_function_of_the_letters_and_a_slope_has_no_value():
    bound = bound_of("qstr.lemma_11", "leakage")
    other = 63 / (63 + math.exp(20 * (1 - 0.5)))
    assert bound(N=64, beta=20, rho=0.5) == pytest.approx(other, rel=1e-15)
    assert bound.value(N=64, beta=20, rho=0.5) == bound(N=64, beta=20, rho=0.5)
    assert r"\beta" in bound.latex()
    sloped = next(
        (e.id, a.quantity.name) for e in ENTRIES.values() for a in load(e).assertions
        if a.sloped and len({b.expr for b in load(e).assertions if b.quantity.name == a.quantity.name}) == 1
    )  # fmt: skip
    with pytest.raises(DomainError, match="slope"):
        bound_of(*sloped)


@pytest.mark.parametrize("name", ["qstr", "sep", "stsq"])
def test_every_right_side_that_has_a_value_at_a_point_can_be_imported(name, monkeypatch):
    monkeypatch.setattr(right_side, "Catalogue", lambda roots: CATALOGUE)  # it is read once for all of them
    found = 0
    for entry in (e for e in ENTRIES.values() if e.paper == name):
        assertions = load(entry).assertions
        for one in assertions:
            others = {a.expr for a in assertions if a.quantity.name == one.quantity.name}
            if len(others) == 1 and not one.sloped:
                assert bound_of(entry.id, one.quantity.name).expr == one.expr
                found += 1
    assert found > 50


@pytest.mark.parametrize(
    ("words", "said"),
    [(("qstr.lemma_11",), "one of leakage, token error"), (("qstr.lemma_11", "leak"), "one of leakage, token error"),
     (("qstr.lemma_1l",), "did you mean"), (("qstr.lemma_11", 3), "a text"), ((None,), "a text")],
)  # fmt: skip
def test_what_is_not_one_right_side_is_refused(words, said):
    with pytest.raises(DomainError) as caught:
        bound_of(*words)
    assert said in str(caught.value)
