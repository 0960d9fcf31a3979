"""Letters of a formula: their names, their domains, and the assumptions that are refused."""

import pytest
from statement_examples import beta
from tiny import N

from theorytools import DomainError, letter


def test_letters_are_identifiers_with_one_domain_each():
    other = letter("N", "number of heads", integer=True, positive=True)
    assert other != N
    assert len({N, other}) == 2
    assert letter("N", "a size", integer=True, positive=True) == N
    real = letter("r", "a number")
    assert [str(c) for c in N.domain] == ["N >= 1"]
    assert [str(c) for c in beta.domain] == ["beta >= 0"]
    assert [str(c) for c in letter("eps", "small", positive=True).domain] == ["eps > 0"]
    assert real.domain == []
    assert N.domain_latex == r"N\in \{1,2,\dots\}"
    assert beta.domain_latex == r"\beta \ge 0"
    assert real.domain_latex == r"r \in \mathbb{R}"
    assert letter("z", "", integer=True).domain_latex == r"z\in \mathbb{Z}"
    assert letter("z", "", integer=True, nonnegative=True).domain_latex == r"z\in \{0,1,2,\dots\}"
    with pytest.raises(DomainError, match="Python identifier"):
        letter("d e", "not a name")


@pytest.mark.parametrize("assumptions", [{"negative": True}, {"even": True}, {"nonzero": True}, {"positive": False}])
def test_assumptions_that_no_point_is_tested_against_are_refused(assumptions):
    with pytest.raises(DomainError, match="every point must be tested"):
        letter("k", "a number", **assumptions)
