"""A number depends on the precision at which it is asked for, not on what was computed before at another."""

import re
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx
from source_tree import MODULES

from theorytools.numbers import Enclosure, KeptAtPrecision, at_precision, integrate, pi
from theorytools.papers.qstr.few_heads.visible_span import VisibleSpan
from theorytools.papers.qstr.tasks.few_heads import FewTokens
from theorytools.theory.first_layers.certified_span import CertifiedSpan

THIRD = Fraction(1, 3)
ASKED = (40, 53, 64, 96, 300)  # in this order, and in the opposite one
NUMBERS = {
    # flint meets a polynomial exactly: nothing but the rounding of its nodes is left, which shows every change of them
    "an integral": lambda: integrate(lambda x: x * x * x * x * x, THIRD, 2 * THIRD),
    "a constant": lambda: pi() * Enclosure(2).log(),
    "a transcendental function": lambda: Enclosure(THIRD).exp() + Enclosure(THIRD).apply("gamma"),
    "an integral of integrals": lambda: integrate(
        lambda x: x * at_precision(80, lambda: integrate(lambda y: y**5, THIRD, 2 * THIRD)), THIRD, 2 * THIRD
    ),
}


def parts(box):
    """The whole ball, bit by bit."""
    return box.__reduce__()[1]


def answers(compute, order):
    ctx.cleanup()
    return {bits: parts(at_precision(bits, compute)) for bits in order}


@pytest.mark.parametrize("name", NUMBERS)
def test_the_order_of_precisions_does_not_matter(name):
    compute = NUMBERS[name]
    assert answers(compute, ASKED) == answers(compute, ASKED[::-1])


def test_an_integral_is_the_same_after_one_that_failed():
    def broken(x):
        at_precision(200, NUMBERS["an integral"])
        raise ZeroDivisionError

    before = answers(NUMBERS["an integral"], [64])
    with pytest.raises(ZeroDivisionError):
        at_precision(64, lambda: integrate(broken, 0, 1))
    assert parts(at_precision(64, NUMBERS["an integral"])) == before[64]


class Root:
    made = 0

    @KeptAtPrecision
    def root(self):
        """The root of 2."""
        self.made += 1
        return Enclosure(2).sqrt()


def test_a_kept_ball_is_kept_for_its_precision_alone():
    number = Root()
    for order in (ASKED, ASKED[::-1]):
        for bits in order:
            fresh = at_precision(bits, Enclosure(2).sqrt)
            assert at_precision(bits, lambda: number.root).same(fresh)
    assert number.made == len(ASKED)
    assert Root.root.__doc__ == "The root of 2."


def floats_span():
    X = np.random.default_rng(3).standard_normal((2, 3, 2))
    return CertifiedSpan.of(X, exact=False)


def shown():
    return VisibleSpan.random(np.random.default_rng(3), 2, FewTokens(N=9, d=4, q=3))


OBJECTS = [(floats_span, lambda span: span.supremum), (shown, VisibleSpan.late_error)]


@pytest.mark.parametrize(("make", "number"), OBJECTS)
def test_an_object_answers_at_the_precision_of_whoever_asks(make, number):
    shared = make()
    for bits in (40, 256, 40):
        assert parts(at_precision(bits, lambda: number(shared))) == parts(at_precision(bits, lambda: number(make())))


# a function that keeps what it returns, with its parameters and the balls that it returns
KEPT = re.compile(r"@(?:functools\.)?(?:lru_cache|cache)\w*.*\n\s*def (\w+)\((.*)\) -> .*Enclosure"
                  r"|@(?:functools\.)?cached_property\s*def (\w+)()\(self\) -> .*Enclosure")  # fmt: skip


def test_no_ball_is_kept_without_its_precision():
    """A function that keeps balls takes the precision as ``bits``; a property is :class:`KeptAtPrecision`."""
    texts = [(path.name, path.read_text(encoding="utf-8")) for path in MODULES.values()]
    found = [(name, *match.groups()) for name, text in texts if "cache" in text for match in KEPT.finditer(text)]
    assert [kept for kept in found if "bits" not in (kept[2] or "")] == []
    assert len(found) >= 5  # those with their precision
