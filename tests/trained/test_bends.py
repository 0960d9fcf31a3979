"""Slopes and least values of the functions that networks bend by, by ball arithmetic on all of [-20, 20]."""

import pytest
from flint import arb, arb_series, ctx

from theorytools.numbers import Enclosure
from theorytools.trained.bends import LEAST, SLOPES, value
from theorytools.trained.floats.composed import _BENT

SMOOTH = ("tanh", "sigmoid", "erf", "gelu", "gelu_tanh", "silu", "sin", "cos")


def series(kind, x):
    one = arb_series([1])

    def logistic(t):
        return one / (one + (-t).exp())

    if kind == "gelu":
        return x * (one + (x / arb(2).sqrt()).erf()) / 2
    if kind == "gelu_tanh":  # (1 + tanh y) / 2 is the logistic function of 2 y
        return x * logistic(2 * (arb(2) / arb.pi()).sqrt() * (x + x * x * x * (arb(44715) / 10**6)))
    if kind == "tanh":
        return 2 * logistic(2 * x) - one
    if kind in ("erf", "sin", "cos"):
        return getattr(x, kind)()
    return logistic(x) if kind == "sigmoid" else x * logistic(x)


def proved(kind, holds):
    """Whether a value and a slope satisfy a condition on every ball of a cover, cut where it is not seen to."""
    before, ctx.cap = ctx.cap, 2
    waiting, count = [(arb(2 * k + 1) / 16, arb(1) / 16, 0) for k in range(-160, 160)], 0
    try:
        while waiting:
            mid, rad, depth = waiting.pop()
            count += 1
            f = series(kind, arb_series([mid + arb(0, 1) * rad, 1]))
            if not holds(f[0], f[1]):
                if depth > 16 or count > 10**5:
                    return False
                waiting += [(mid - rad / 2, rad / 2, depth + 1), (mid + rad / 2, rad / 2, depth + 1)]
    finally:
        ctx.cap = before
    return True


@pytest.mark.parametrize("kind", SMOOTH)
def test_slopes_are_not_exceeded_and_reached_to_a_thousandth(kind):
    # slopes of 1 and 1/4 are attained, so that no ball around the place shows them: 1 - tanh^2 and cos are at most 1
    most = arb(str(SLOPES[kind])) * (1 + arb("1e-4") * (SLOPES[kind] in (1.0, 0.25)))
    assert proved(kind, lambda f, slope: abs(slope) < most)
    less = arb(str(SLOPES[kind])) * arb("0.999")
    assert not proved(kind, lambda f, slope: abs(slope) < less)


@pytest.mark.parametrize("kind", LEAST)
def test_least_values_are_not_passed_and_nearly_reached(kind):
    least = arb(str(LEAST[kind]))
    assert proved(kind, lambda f, slope: f > least)
    assert not proved(kind, lambda f, slope: f > least * arb("0.999"))


def test_every_function_with_a_rule_for_floats_has_a_slope():
    assert set(_BENT) <= set(SLOPES)
    for kind in SMOOTH:
        x = arb(3) / 4
        before, ctx.cap = ctx.cap, 1
        try:
            other = series(kind, arb_series([x]))[0]
        finally:
            ctx.cap = before
        assert abs(float(value(kind, Enclosure(0.75))) - float(other)) < 1e-14
