"""A certificate that says too little is refuted by the claim about weights whose leakage and error are known."""

from dataclasses import replace

import pytest

from theorytools import verify
from theorytools.errors import CheckError
from theorytools.trained import certify as labels
from theorytools.trained import mechanism as looks
from theorytools.trained.worst.supremum import Supremum


def half_of_the_error(patch):
    honest = labels.largest_label_error

    def spoiled(*given, **more):
        made = honest(*given, **more)
        return replace(made, upper=made.upper / 2)

    patch.setattr(labels, "largest_label_error", spoiled)


def another_prompt(patch):
    """Everything at position 0: what is shown there is not what was bounded."""
    honest = labels.largest_label_error

    def spoiled(*given, **more):
        made: Supremum = honest(*given, **more)
        return replace(made, T=0 * made.T)

    patch.setattr(labels, "largest_label_error", spoiled)


SPOILED = {"half of the error": half_of_the_error, "another prompt": another_prompt}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_a_certificate_that_says_too_little_is_not_as_expected(monkeypatch, spoil):
    spoil(monkeypatch)
    try:
        assert not verify("qstr.lemma_11_certified", z="1/16").ok
    except CheckError as error:
        assert "low <= high" in str(error)  # noqa: PT017


def test_a_leakage_below_what_its_own_prompt_leaks_is_an_error_of_the_check(monkeypatch):
    honest = looks._top
    monkeypatch.setattr(looks, "_top", lambda *given: honest(*given) / 2)
    with pytest.raises(CheckError, match="low <= high"):
        verify("qstr.lemma_11_certified", z="1/16")


def test_the_honest_certificate_is():
    assert verify("qstr.lemma_11_certified", z="1/16").ok
