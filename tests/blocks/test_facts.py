"""What is known beside the forward pass agrees with an evaluator; a closed form that is off is named."""

from fractions import Fraction as F

import numpy as np
import pytest
import sympy
from network_specimens import NETWORKS

from theorytools import BlockAttention, check_network, hadamard
from theorytools.blocks.facts import Fact
from theorytools.codes.bch import bch
from theorytools.codes.equiangular import orthonormal, simplex
from theorytools.codes.families import rademacher
from theorytools.errors import ConformanceError
from theorytools.numbers import at_precision, between
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention

SIZES = [
    BlockAttention(rademacher(16, 23, np.random.default_rng(3)), 5, q=2),
    BlockAttention(bch(64), 11 * sympy.log(2)),
    BlockAttention(simplex(9), F(7, 2), q=3, d=2),
    *(TwoStepAttention(code, F(5, 2), 6) for code in (orthonormal(7), simplex(8), hadamard(32))),
]


def pairs():
    for net in [*SIZES, *(one.net for one in NETWORKS.values())]:
        for fact in net.facts:
            if fact.where(net):
                yield pytest.param(net, fact, id=f"{type(net).__name__}, N = {net.N}: {fact.name}")


@pytest.mark.parametrize(("net", "fact"), list(pairs()))
def test_a_fact_agrees_with_its_evaluator(net, fact):
    assert fact.evaluator in {"exact", "worst case"}
    assert at_precision(128, lambda: fact.agrees(net))


def test_every_fact_is_checked_at_some_size_and_only_where_it_holds():
    met = {(type(net), fact.name) for net, fact in (each.values for each in pairs())}
    classes = {type(one.net) for one in NETWORKS.values()}
    assert met == {(kind, fact.name) for kind in classes for fact in kind.facts}
    assert {kind.__name__ for kind, _ in met} == {"BlockAttention", "TwoStepAttention"}
    swapped = BlockAttention(hadamard(4), 3, 1, 1, blocks=((0, 1),))  # the extremal prompts are others
    assert [fact.where(swapped) for fact in swapped.facts] == [True, False]
    unequal = TwoStepAttention(rademacher(5, 9, np.random.default_rng(0)), 3, 7)
    assert not any(fact.where(unequal) or fact.agrees(unequal) for fact in unequal.facts)


class ForgetsOneKey(BlockAttention):
    def worst_leakage(self):
        L = super().worst_leakage()
        S = L / (1 - L) * F(self.N - 2, self.N - 1)
        return S / (1 + S)


def test_a_closed_form_that_is_off_is_named_and_a_wide_enclosure_agrees_with_nothing():
    net, specimen = ForgetsOneKey(hadamard(4), 7, 2, 2), NETWORKS["BlockAttention"]
    found = [prop for _, prop in check_network(net, specimen.draw) if prop.name in {fact.name for fact in net.facts}]
    assert len(found) == len(net.facts)
    for prop in found:
        with pytest.raises(ConformanceError, match="by the evaluator exact"):
            prop()
    third = Fact("a third", lambda net: F(1, 3), lambda off: between(F(1, 3) - off, F(1, 3) + off), "exact")
    assert at_precision(128, lambda: third.agrees(0))
    assert not at_precision(128, lambda: third.agrees(F(1, 10**6)))
