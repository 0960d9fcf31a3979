"""Quantities at arguments that only their meaning rules out, and at integers where fractions are meant."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from devices import device
from refusals import refused

from theorytools import BudgetError, DomainError, Enclosure, InputSpan
from theorytools.constructions.attention.formats import arithmetic
from theorytools.constructions.attention.lookup_precision import LookupFormat
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective
from theorytools.papers.qstr.interpolation.total_variation import least_total_variation
from theorytools.papers.qstr.memory.ellipsoid_packing import covering_constant, log_volume_bound
from theorytools.papers.qstr.memory.packing_sets import lattice_points
from theorytools.papers.qstr.precision.rounding import certified_error
from theorytools.papers.sep.attention.lookup_margin import largest_power
from theorytools.papers.stsq import SelectionFlow
from theorytools.papers.stsq.selection.length_generalisation import FreshEncodings
from theorytools.papers.stsq.selection.loss import best_scale
from theorytools.statistics.censored import Repeats
from theorytools.theory.capacity.exact_rademacher import FiniteClass, LineClass, TableClass, rademacher_complexity
from theorytools.theory.communication.matrix import CommunicationMatrix, all_strings, equality

FlowBracket = device("stsq/dynamics/_flow_bracket").FlowBracket
PositionWeights = device("sep/question_l/_position_only_lookup").PositionWeights

HALF = Fraction(1, 2)
FLOW = SelectionFlow(4, 1, 1, 4)
PAIR = FiniteClass(((1, 0), (0, 1)), (HALF, HALF))
RUNS = Repeats((1, 2, 3), ((1.0,),) * 3, ((1.0,),) * 3)
TASK = DecayedObjective(np.array([[[1], [2]]]), [0], [Fraction(1)], Fraction(1))


@pytest.mark.parametrize("value", [1, 2, 3])
@pytest.mark.parametrize(
    "formula",
    [FLOW.mass, FLOW.excess, FLOW.norm, FLOW.best_alpha, lambda p: FLOW.loss(1, p), lambda p: FLOW.slopes(1, p)[0],
     lambda p: FLOW.velocity(1, p)[0], lambda A: best_scale(A, 1, 3),
     lambda r: LineClass((r,), (1,), 1, 2).complexity(), lambda r: LineClass((3,), (1,), 1, r).complexity()],
)  # fmt: skip
def test_integers_give_exact_results(formula, value):
    exact = formula(Fraction(value))
    assert formula(value) == exact
    assert isinstance(formula(value), Fraction)


def test_more_integers_give_exact_results():
    bracket = FlowBracket(SelectionFlow(20, 3, 5, 64))
    assert isinstance(bracket.upper_alpha(1), Fraction)
    assert isinstance(bracket.lower_alpha(1), Fraction)
    same = [log_volume_bound([kind(4), kind(9)], kind(3)) for kind in (int, Fraction)]
    assert str(same[0]) == str(same[1])
    spill = Fraction(1, 1024)
    error = certified_error(8, 1, 3, arithmetic("bfloat16_sums"), spill)
    assert error == certified_error(8, 1, Fraction(3), arithmetic("bfloat16_sums"), spill)
    assert isinstance(error, Fraction)
    assert TableClass(((1,),), (1,), 1).steepness() == 0


test_refusals = refused(
    DomainError, lambda: FLOW.mass(-1), lambda: FreshEncodings(4, 2).best_alpha(sympy.sqrt(2)),
    lambda: FreshEncodings(4, 2).loss(5, 2, Enclosure(2)), lambda: covering_constant(Enclosure(HALF)),
    lambda: log_volume_bound([1], 1, 2), lambda: best_scale(0, 1, 2), lambda: PAIR.complexity((3,)),
    lambda: PAIR.complexity((0, 0)), lambda: PAIR.complexity((-1, 2)), lambda: LineClass((), (), 1, 1),
    lambda: LineClass((1,), (0,), 1, 1).covering_number(0), lambda: TableClass(((1,),), (1,), 1).covering_number(-1),
    lambda: TableClass((), (), 1), lambda: rademacher_complexity([]), lambda: rademacher_complexity([[], []]),
    lambda: rademacher_complexity([[sympy.sqrt(2), 1]]), lambda: RUNS.at([5]),
    lambda: Repeats.observed([1, 2], [[1.0], [2.0]], step=[1, 2, 3]),
    lambda: TASK.stationary(np.eye(2, dtype=object), 0),
    lambda: CommunicationMatrix.of(lambda x, y: np.full((4, 4), np.nan), all_strings(2), all_strings(2)),
    lambda: equality(all_strings(2), all_strings(3)), lambda: PositionWeights.softmax(4, 4).answered([1] * 4, -1),
    lambda: PositionWeights.softmax(4, 4).answered([1] * 3, 0), lambda: InputSpan(((1, 2), (3,)), 1, 2),
    lambda: InputSpan(((1, 2),), 2, 1).position_loss([1], 2), lambda: InputSpan(((1, 2),), 2, 1).mean_loss([]),
    lambda: LookupFormat("float16").weights(np.full((3, 2), 300.0), np.full((3, 2), 300.0)),
    lambda: least_total_variation([0, 1, 2], [0, 1, 0], solver="no such solver"), lambda: lattice_points([1], 0),
)  # fmt: skip


test_too_large = refused(
    BudgetError, lambda: largest_power(100), lambda: lattice_points([1] * 3, Fraction(1, 1000)),
)  # fmt: skip
