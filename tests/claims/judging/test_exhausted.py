"""What gives out at a user's size is told: memory with its amount, digits, depth; never a package's own text."""

import math
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny import tiny

from theorytools import BudgetError, DomainError, judge
from theorytools.arguments.amounts import amount
from theorytools.arguments.checked import checked
from theorytools.arguments.exhausted import exhausted
from theorytools.claims.judging.user_points import move


def deeper(n):
    return deeper(n + 1)


# 10^18 bytes and more: no machine has them
TOO_LARGE = {
    "numpy": (lambda: np.ones((10**9, 10**9)), "an array of 6.94 EiB"),
    "numpy, sizes beyond its own": (lambda: np.ones((10**12, 10**12)), "an array of unknown size"),
    "numpy, a range": (lambda: np.arange(10**19, dtype=float), "an array of unknown size"),
    "torch": (lambda: torch.ones(10**17), "an array of 400 PB"),
    "a list": (lambda: [0] * 10**17, "an array of unknown size"),
    "digits": (lambda: str(10**5000), "a number of more digits than Python prints"),
    "an index": (lambda: [0] * 10**30, "a size of more than 64 bits"),
    "depth": (lambda: deeper(0), "steps inside one another, more than Python follows"),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_gives_out_is_told_in_words_and_the_point_stays_open(name):
    attempt, said = TOO_LARGE[name]

    def construct(p):
        return attempt() if p.N > 10 else p.N

    claim = tiny(construct=construct)
    verdict = judge(claim, "toy.lemma_01", move(claim, "toy.lemma_01", {"N": [4, 100]}))
    assert verdict.outcome == "HOLDS"
    reason = verdict.skipped[0]["reason"]
    assert reason.startswith(f"the work exceeds its limit: {said}; ")
    assert reason.endswith("; try: a smaller size")


@pytest.mark.parametrize("name", TOO_LARGE)
def test_so_it_is_by_public_functions(name):
    @checked
    def made():
        """Make something too large."""
        return TOO_LARGE[name][0]()

    with pytest.raises(BudgetError) as caught:
        made()
    assert (caught.value.given, caught.value.why) == (
        TOO_LARGE[name][1],
        f"{made.__qualname__}: Make something too large.",
    )


OTHERS = [
    ValueError("no root in this interval"), OverflowError("math range error"), KeyError("N"),
    RuntimeError("no convergence"), DomainError("N = 0", required="N >= 1"), IndexError("out of range"),
]  # fmt: skip


@pytest.mark.parametrize("error", OTHERS, ids=repr)
def test_another_error_stays_what_it_is(error):
    @checked
    def fails():
        raise error

    assert exhausted(error) is None
    with pytest.raises(type(error)) as caught:
        fails()
    assert caught.value is error


@given(st.integers(0, 10**30))
def test_an_amount_is_exact_or_of_the_right_order(count):
    text = amount(count)
    if count < 10**15:
        assert text == str(count)
    else:
        power = int(text.removeprefix("about 10^"))
        assert 10**power <= 2 * count
        assert count < 2 * 10 ** (power + 1)


def test_an_amount_has_no_limit_of_digits():
    digits = sys.get_int_max_str_digits()
    assert amount(10 ** (2 * digits)) == f"about 10^{2 * digits}"
    assert math.isclose(int(amount(2**10**6).removeprefix("about 10^")), 10**6 * math.log10(2), rel_tol=1e-4)
