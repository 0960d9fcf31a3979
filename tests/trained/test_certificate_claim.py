"""A certificate that says too little is refuted by the claim about weights whose leakage and risk are known."""

from dataclasses import replace

import numpy as np
import pytest

from theorytools import verify
from theorytools.errors import CheckError
from theorytools.trained import certify as module
from theorytools.trained.certify import interval
from theorytools.trained.leaks import Head

LEAKS = Head.leaks


def no_risk(patch):
    patch.setattr(module, "_risk", lambda judged, rounding: interval(0.0, 0.0))


def half_of_the_risk(patch):
    honest = module._risk
    halved = lambda judged, rounding: interval(*(x / 2 for x in honest(judged, rounding).floats))  # noqa: E731
    patch.setattr(module, "_risk", halved)


def changed_leaks(change):
    return lambda patch: patch.setattr(Head, "leaks", lambda head: change(LEAKS(head)))


def first(ends):
    return np.full_like(ends, ends[0])


SPOILED = {
    "no risk": no_risk, "half of the risk": half_of_the_risk,
    "the first position alone": changed_leaks(lambda one: replace(one, worst=first(one.worst))),
}  # fmt: skip


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_a_certificate_that_says_too_little_is_not_as_expected(monkeypatch, spoil):
    spoil(monkeypatch)
    assert not verify("qstr.lemma_11_certified", z="1/16").ok


def test_a_bound_below_what_its_own_prompt_leaks_is_an_error_of_the_check(monkeypatch):
    changed_leaks(lambda one: replace(one, worst=one.worst / 2))(monkeypatch)
    with pytest.raises(CheckError, match="low <= high"):
        verify("qstr.lemma_11_certified", z="1/16")


def test_the_honest_certificate_is():
    assert verify("qstr.lemma_11_certified", z="1/16").ok
