"""The suite that judges networks: one that is spoiled a way at a time."""

import itertools
import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from network_specimens import NETWORKS, Shift, draw, failures

from theorytools.constructions.conformance import check_network, malformed
from theorytools.constructions.network import DOUBLE, absent
from theorytools.constructions.shapes import checked_numbers, exact_array
from theorytools.errors import ConformanceError, DomainError, MissingPackageError
from theorytools.numbers import Enclosure, between


class Growing(Shift):
    def exact(self, X):
        return [[Enclosure(2 * int(x)) for x in row] for row in X]

    def certificate(self, most):
        return most


class Rounded(Shift):
    def rounding(self, size, u=DOUBLE):
        return 0.0 if u == DOUBLE else 2.0**-20


class Flat(Shift):
    def exact(self, X):
        return [Enclosure(int(x)) for row in exact_array("X", X, "n", 2) for x in row]


class Short(Shift):
    def module(self, dtype=None, device="cpu"):
        made = super().module(dtype, device)
        made.register_forward_hook(lambda module, inputs, out: out[:1])
        return made


class Misnamed(Shift):
    def sizes(self):
        return {"width": 2}


class Crashes(Shift):
    def __call__(self, X):
        return np.asarray(X, dtype=float).reshape(-1, 2)


class Total(Shift):
    norms = module = absent("nothing")
    certificate = absent("nothing")

    def __call__(self, X):
        return checked_numbers("X", X, "...")

    def exact(self, X):
        array = np.asarray(X, dtype=object)
        return exact_array("X", X, *array.shape)


X = np.array([[1, 2]])


SLACK = {"worst": (X,)}


HOLDS, ATTAINED, LIES = "certificate holds", "certificate attained", "call lies in exact"


MODULE, SINGLE_MODULE = "module equals call", "module equals call in float32"


def test_a_certificate_is_compared_at_its_upper_end():
    for certified, holds, attained in (
        (2, True, True), (3, True, False), (Fraction(3, 2), False, False), (between(1, 3), True, False),
    (between(1, Fraction(3, 2)), False, False),
        (2 - Fraction(1, 2**45), False, False), (2 + Fraction(1, 2**45), True, False),
        (between(2 - Fraction(1, 2**45), 2 + Fraction(1, 2**45)), True, True),
    (between(2, 2 + Fraction(3, 2**41)), True, True),
        (between(2, 2 + Fraction(1, 2**38)), True, False), (between(2 - Fraction(1, 2**41), 2), True, True),
    ):  # fmt: skip
        found = failures(Shift(2, 2, certified=certified), **SLACK) & {HOLDS, ATTAINED}
        wanted = {name for name, kept in ((HOLDS, holds), (ATTAINED, attained)) if not kept}
        assert found == wanted, certified


def test_vectors_are_measured_by_their_length():
    assert HOLDS not in failures(Shift(3, 3, certified=3))
    assert HOLDS in failures(Shift(3, 3, certified=3), vectors=True)
    assert HOLDS not in failures(Shift(3, 3, certified=Fraction(425, 100)), vectors=True)  # 3 root 2 = 4.2426...
    assert HOLDS in failures(Shift(3, 3, certified=Fraction(424, 100)), vectors=True)


def test_the_worst_inputs_count_too_and_assumptions_are_those_of_the_inputs():
    most = lambda X: (int(np.abs(X).max()),)  # noqa: E731
    assert {HOLDS, ATTAINED} & failures(Growing(), assume=most, worst=(9 * X,)) == set()
    assert {HOLDS, ATTAINED} & failures(Growing(), assume=lambda X: (5,), worst=(X,)) == {ATTAINED}
    assert {HOLDS, ATTAINED} & failures(Growing(), assume=lambda X: (5,), worst=(9 * X,)) == {HOLDS, ATTAINED}


def test_a_call_may_lie_anywhere_in_the_exact_ball_and_a_tolerance_beyond():
    assert LIES not in failures(Shift(offset=0.75, spread=1))
    assert LIES not in failures(Shift(offset=-0.75, spread=1))
    assert LIES not in failures(Shift(offset=1, spread=1))
    assert LIES not in failures(Shift(offset=-1, spread=1))
    assert LIES in failures(Shift(offset=1.25, spread=1))
    assert LIES in failures(Shift(offset=-1.25, spread=1))
    step = 2.0**-16
    assert LIES not in failures(Shift(offset=step, bound=step))
    assert LIES not in failures(Shift(offset=-step, bound=step))
    assert LIES in failures(Shift(offset=step, bound=0.99 * step))
    assert LIES in failures(Shift(offset=-step, bound=0.99 * step))
    assert LIES in failures(Shift(offset=math.nan))


def test_a_module_is_compared_in_both_types_each_within_its_tolerance():
    tiny, step = 2.0**-30, 2.0**-20
    assert {MODULE, SINGLE_MODULE} & failures(Shift(shift=step)) == {MODULE, SINGLE_MODULE}
    assert {MODULE, SINGLE_MODULE} & failures(Shift(shift=math.nan)) == {MODULE, SINGLE_MODULE}

    assert {MODULE, SINGLE_MODULE} & failures(Rounded(shift=tiny)) == {MODULE}
    # both the call and the module round: each has its tolerance
    assert {MODULE, SINGLE_MODULE} & failures(Shift(bound=step, offset=step, shift=-step)) == set()
    assert {MODULE, SINGLE_MODULE} & failures(Shift(bound=step, offset=step, shift=-1.25 * step)) == {
        MODULE,
        SINGLE_MODULE,
    }


def test_a_refusal_says_how_far_apart_or_of_which_shapes_the_outputs_are():
    for net, words in ((Shift(shift=0.5), "0.5 apart"), (Short(), "outputs of shape")):
        first = next(check_network(net, draw))[1]
        with pytest.raises(ConformanceError, match=words):
            first()


def test_a_bound_that_decides_nothing_is_refused_in_doubles_only():
    # above the power 1/4 of 2^-53, times the largest output where that is above 1
    largest = max(abs(int(x)) for x in draw(np.random.default_rng(0))[0].flat)
    blind = 2.0 ** (-53 / 4) * largest
    assert failures(Shift(bound=0.99 * blind)) & {MODULE, LIES} == set()
    assert failures(Shift(bound=1.01 * blind)) & {MODULE, SINGLE_MODULE, LIES} == {MODULE, LIES}
    assert failures(Shift(bound=math.inf)) & {MODULE, SINGLE_MODULE, LIES} == {MODULE, LIES}


def test_norms_sizes_and_shapes_are_those_of_the_module():
    assert failures(Shift(factor=1 + Fraction(1, 10**12))) == {"norms"}
    assert failures(Shift(factor=1 - Fraction(1, 10**12))) == {"norms"}
    assert failures(Shift(factor=1 + Fraction(1, 2**60))) == set()
    assert failures(Shift(extra=1)) == {"sizes"}

    assert LIES in failures(Flat())

    assert {MODULE, SINGLE_MODULE} <= failures(Short())

    assert failures(Misnamed()) == set()  # a number of parameters is compared where it is said


def test_a_crash_is_no_refusal_and_free_inputs_may_have_any_shape():
    assert "malformed inputs refused" in failures(Crashes())

    assert failures(Total()) == {"malformed inputs refused"}
    assert failures(Total(), free=[0]) == set()


def test_malformed_inputs_are_of_every_kind():
    numbers, places = np.arange(12).reshape(2, 3, 2), np.array([[0, 1], [2, 0]])
    made = dict(malformed((numbers, places), [True, False], ()))
    assert set(made) == {
        "input 0 with axis 1 too long", "input 0 with axis 2 too long", "input 0 without its last axis",
        "input 0 of words", "input 0 with NaN", "input 1 with axis 1 too long", "input 1 without its last axis",
        "input 1 of words", "input 1 of halves",
        "input 1 below the first", "input 1 beyond the last",
    }  # fmt: skip
    assert all(inputs[1] is places for name, inputs in made.items() if name.startswith("input 0"))
    assert np.isnan(made["input 0 with NaN"][0]).sum() == 1
    assert made["input 1 below the first"][1].max() == -1
    assert made["input 1 beyond the last"][1].min() > 10**5
    assert made["input 0 with axis 2 too long"][0].shape == (2, 3, 4)
    assert made["input 0 without its last axis"][0].shape == (2, 3)
    assert (made["input 1 of halves"][1] % 1 == 0.5).all()
    free = dict(malformed((numbers, places), [True, False], (0,)))
    assert set(made) - set(free) == {
        "input 0 with axis 1 too long", "input 0 with axis 2 too long", "input 0 without its last axis",
    }  # fmt: skip
    assert "input 0 without its last axis" not in dict(malformed((np.arange(3),), [True], ()))


def test_inputs_are_drawn_from_the_seed():
    seen = []

    def kept(rng):
        seen.append(rng.integers(0, 10**9, (2, 2)))
        return (seen[-1] % 5,)

    for options in ({}, {"seed": 0}, {"seed": 1}):
        check_network(Shift(), kept, **options)
    assert (seen[0] == seen[1]).all()
    assert (seen[0] != seen[2]).any()
    for wrong in (X, [X]):
        with pytest.raises(DomainError, match="a tuple of arrays"):
            check_network(Shift(), draw, worst=wrong)
    assert list(itertools.islice(check_network(Shift(), draw, worst=(X,)), 1))


def test_another_class_or_function_after_pickling_is_told():
    class Other(Shift):
        def __reduce__(self):
            return Shift, ()

    class Moved(Shift):
        def __reduce__(self):
            return Shift, (1,)

    assert failures(Other()) == {"pickle"}
    assert failures(Moved()) == {"pickle"}


@pytest.mark.parametrize(
    "name", ["PositionTracker", "SpanPredictor", "StationaryMember", "LinearBottleneck", "Interpolant1D", "MinNormReLU"]
)
def test_a_module_without_torch_names_the_extra_that_brings_it(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPackageError, match=r"theorytools\[torch\]"):
        NETWORKS[name].net.module()


@pytest.mark.parametrize("name", [name for name, one in NETWORKS.items() if hasattr(one.net, "rounding")])
def test_a_bound_of_rounding_grows_with_the_inputs_and_is_proportional_to_the_roundoff(name):
    net = NETWORKS[name].net
    for size in (1, 4):
        fine = [net.rounding(size, 2.0**-k) for k in (70, 71)]
        if name in ("SpanPredictor",):  # its layers are computed in doubles, whatever the roundoff
            assert fine[1] <= fine[0] <= net.rounding(size)
        else:
            assert fine[0] == pytest.approx(2 * fine[1], rel=1e-6)
        assert fine[0] <= net.rounding(size, 2.0**-60) <= net.rounding(size, 2.0**-40)
        assert net.rounding(size) == net.rounding(size, DOUBLE) < math.inf
    assert net.rounding(1) <= net.rounding(4) <= net.rounding(16)
    assert net.rounding(4, 2.0**-8) >= net.rounding(4, 2.0**-20)
