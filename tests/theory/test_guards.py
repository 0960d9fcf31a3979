"""Every refusal of these modules is asked for: without it, or a part of its condition, a call here is let through.

Calls take the module, so that the same ones are put to it with a refusal left out.  Each names the error and words of
its message; where other checks of arguments come first, the body behind them is called.
"""

import importlib
import math
import traceback
from fractions import Fraction as F

import numpy as np
import pytest
from guards import left_out, lines, made
from scipy.integrate import solve_ivp

from theorytools import DomainError, PositionTracker
from theorytools.claims.language.estimate import Budget
from theorytools.errors import BudgetError, CertificateError, CheckError
from theorytools.numbers import Enclosure, at_precision


def rng():
    return np.random.default_rng(0)


def seed():
    return np.random.SeedSequence(0)


def body(function):
    """What `checked` guards."""
    return getattr(function, "unchecked", function)


ONE = [[1]]


def families(m):
    yield DomainError, "rng of type int", lambda: body(m.rademacher)(4, 4, 0)
    yield DomainError, "r = 3, m = 2", lambda: m.reed_muller(3, 2)


def by_family(m):
    yield DomainError, "without a generator", lambda: m.code_of_family("rademacher", 4, 4)
    yield DomainError, "the family 'golay'", lambda: m.code_of_family("golay", 4, 4)
    yield DomainError, "hadamard codes with N = 5, d_e = 7", lambda: m.code_of_family("hadamard", 5, 7)
    yield DomainError, "binary codes with N = 5, d_e = 4", lambda: m.code_of_family("binary", 5, 4)


def attention(m):
    shapes = "tokens and matrices of other shapes"
    for Z, first, second in (
        ([], [], []), ([[]], [[]], [[]]), ([[1, 2], [1]], [[[1, 0], [0, 1]]], [[[1, 0], [0, 1]]]),
        (ONE, [ONE], [ONE, ONE]), (ONE, [[[1], [1]]], [ONE]), (ONE, [ONE], [[[1, 1]]]),
    ):  # fmt: skip
        yield DomainError, shapes, lambda Z=Z, f=first, s=second: _bare(m.AttentionPair, Z=Z, first=f, second=s)
    pair = m.AttentionPair.two_tokens(F(1), F(0), F(1))
    for j in (-1, 2):
        yield DomainError, f"j = {j}", lambda j=j: pair.query_gap2(j)
        yield DomainError, f"j = {j}", lambda j=j: pair.outputs(pair.first, j)


def _bare(kind, **fields):
    """An instance whose arguments only its own `__post_init__` has looked at."""
    made = object.__new__(kind)
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    made.__post_init__()
    return made


def deep(m):
    yield DomainError, "2 biases", lambda: m.Deep([ONE, ONE], [[0], [0]])
    yield DomainError, "0 biases", lambda: m.Deep([ONE, ONE], [])
    yield DomainError, "an input of length 2", lambda: m.Deep.scalar(1, F(1))([F(1), F(1)])


def networks(m):
    for a, rows in (([], []), ([1], [[1, 1], [1, 1]]), ([1, 1], [[1, 1], [1]])):
        yield DomainError, "weights of other shapes", lambda a=a, rows=rows: _bare(m.Head, a=a, rows=rows)
    sizes = {"H": 1, "D_e": 1, "A": F(1), "B": F(1), "halved": "outer"}
    yield DomainError, "m = 3", lambda: m.HeadPair.aligned(m=3, r_z=F(0), **sizes)
    yield DomainError, "r_z = 1", lambda: m.HeadPair.aligned(m=1, r_z=F(1), **sizes)
    head = m.Head([1], [[1, 1, 1, 0]])
    yield DomainError, "H = 2", lambda: m.NetworkPair.equal_tokens(m.HeadPair(head, head, [[1, 1, 1]]), 2)
    yield DomainError, "H = 1", lambda: m.NetworkPair.equal_tokens(m.HeadPair(head, head, []), 1)


def recurrent(m):
    f = m.ScalarMap()
    yield DomainError, "r_h = 0, 1 inputs", lambda: m.RecurrentPair(f, f, [F(0)], F(0))
    yield DomainError, "r_h = 1, 0 inputs", lambda: m.RecurrentPair(f, f, [], F(1))


def rate_distortion(m):
    wide = Enclosure(0).union(Enclosure(1)) if hasattr(Enclosure, "union") else m.between(Enclosure(0), Enclosure(1))
    yield DomainError, "D = 0", lambda: body(m.capacity)(0, Enclosure(1))
    for X in (Enclosure(0), Enclosure(-1), wide):
        yield DomainError, "D = 2, X = ", lambda X=X: m.capacity(2, X)
    yield DomainError, "c' = 0", lambda: m.best_resolution(0, 9)
    yield DomainError, "K = ", lambda: m.best_resolution(F(1, 4), 2)
    yield CertificateError, "not separated from 0", lambda: at_precision(64, lambda: m.best_resolution(F(1, 2**400), 9))
    yield DomainError, "distortion 0", lambda: m.water_filling([1], 0)
    yield DomainError, "distortion 1", lambda: m.water_filling([3, -1], 1)
    for c in (-F(1, 9), 1, 2):
        yield DomainError, "predicting 0 has c' = 1", lambda c=c: m.frobenius_constant(c)


def piecewise_linear(m):
    yield DomainError, "a unit with w = 0", lambda: m.LineUnits(((1, 1, 0), (1, 0, 1)))
    yield DomainError, "radius 0, 4 cells", lambda: m.LineUnits.square(0, 4)
    yield DomainError, "radius 1, 0 cells", lambda: body(m.LineUnits.square.__func__)(m.LineUnits, 1, 0)
    for ends in ([1], [0, 1, 1], [1, 0]):
        yield DomainError, "two or more, increasing", lambda ends=ends: m.LineUnits.square_through(ends)
    for radius in (0, -1):
        yield DomainError, f"radius = {radius}", lambda r=radius: m.LineUnits.identity().pieces(r)
    yield DomainError, "radius = 0", lambda: m.LineUnits.identity().largest_error((0, 1, 0), 0)


def lipschitz_units(m):
    for x, y, cells in (
        ([], [], 1), ([0], [0], 1), ([-1, 1], [0], 1), ([-1, 0, 0, 1], [0] * 4, 1), ([-1, 2], [0, 0], 1),
        ([-1, 1], [0, 0], 0),
    ):  # fmt: skip
        yield DomainError, "break points", lambda x=x, y=y, c=cells: _bare(m.LipschitzUnits, x=x, y=y, cells=c)
    for x in (-2, 2):
        yield DomainError, f"x = {x}", lambda x=x: m.LipschitzUnits([-1, 1], [0, 1], 1).target(F(x))


def inner_products(m):
    for radius in (0, -1):
        yield DomainError, f"radius = {radius}", lambda r=radius: m.InnerProductUnits(4, r)
    yield DomainError, "vectors of lengths 1 and 2", lambda: m.InnerProductUnits(4)([1], [1, 0])
    yield DomainError, "beyond the radius", lambda: m.InnerProductUnits(4)([1], [2])


def rectified(m):
    tracker = PositionTracker(np.array([[1, 1], [1, -1]]), K=4, q=1, d=1)
    for radius, size, threshold in ((0, 1, 1), (1, F(-1, 2), 1), (1, 1, F(-1, 2))):
        yield DomainError, "a positive radius", lambda a=(radius, size, threshold): m.RectifiedRNN(tracker, *a)
    net, state = m.RectifiedRNN(tracker, 9, F(1, 2), F(1, 2)), np.zeros((1, 1), dtype=np.int64)
    for moves in (np.full((1, 1), 65), np.full((1, 1), -65), np.zeros((1, 1)), np.zeros((1, 2), dtype=np.int64)):
        yield DomainError, "beyond its size", lambda x=moves: net.increment(state, state, lambda exact, h: x)


def flow(m):
    net = m.SelectionFlow(4, 2, 5, 2)
    for p in (F(1, 4), 1, F(5, 4)):
        yield DomainError, "the flow stays there", lambda p=p: net.frozen_time(p)
    for times in ([], [[1.0]], [1.0, math.inf], [0.0, 1.0], [-1.0, 1.0], [1.0, 1.0], [2.0, 1.0]):
        yield DomainError, "positive, finite and increasing", lambda t=times: body(m.SelectionFlow.simulate)(net, t)
    for alpha, rtol in (("slow", 1e-9), ("trained", 1e-14), ("trained", 0.1)):
        yield DomainError, "1e-13 <= rtol < 0.01", lambda a=alpha, r=rtol: net.simulate([1.0], alpha=a, rtol=r)
    yield BudgetError, "the flow stopped at t", lambda: _stopped(net)


def _stopped(net):
    """A solver that gives up, as it does where a field has no solution."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scipy.integrate.solve_ivp", _gives_up)
        return net.simulate([1.0, 2.0])


def _gives_up(field, span, begin, *rest, **options):
    found = solve_ivp(field, span, begin, *rest, **options)
    found.success, found.message = False, "too many steps"
    return found


def sparse_selection(m):
    sizes = body(m.checked_sizes)
    for T, q, d in ((0, 1, 1), (4.0, 1, 1), (True, 1, 1), (4, 0, 1), (4, 1, 0)):
        yield DomainError, ">= 1", lambda a=(T, q, d): sizes(*a)
    yield DomainError, "q = 4 selected among T = 4", lambda: m.checked_sizes(4, 4)
    for size in (0, 2.0, True):
        yield DomainError, "an integer size >= 1", lambda n=size: body(m.sample)(rng(), n, 4, 2, 2)
    yield BudgetError, "subsets", lambda: m.subsets(40, 20)
    for y in ([], [1, 1], [-1, 1], [1, 4]):
        yield DomainError, "the set ", lambda y=y: body(m.checked_subset)(y, 4)
    X, Y = np.zeros((2, 4, 3)), np.array([[0, 1], [1, 2]])
    prompts = body(m.checked_prompts)
    for tokens, sets in ((X[0, :2], Y), (X, Y[0]), (X[:1], Y)):
        yield DomainError, "(n, T, d) and", lambda a=(tokens, sets): prompts(*a)
    for sets in (Y * 1.0, Y - 1, Y + 2):
        yield DomainError, "positions of type", lambda s=sets: prompts(X, s)
    yield DomainError, "a position twice", lambda: prompts(X, np.array([[0, 1], [2, 2]]))
    for bad in (math.nan, math.inf):
        yield DomainError, "NaN or infinite", lambda x=bad: prompts(X + x, Y)


def climbed(recipe, samples=4096, alpha=0.01):
    return list(recipe.steps(alpha, Budget(samples=samples)))


def constant(x):
    return lambda rng, size: np.full(size, x)


def sampled(m):
    for excess in (-1, math.inf):
        yield DomainError, "excess = ", lambda e=excess: m.truncated_mean(constant(1.0), seed(), tau=1, excess=e)
    yield DomainError, "draws are negative", lambda: climbed(m.lower_mean(constant(-1.0), seed(), tau=1))
    for moment, p, tau in ((-1, 2, 1), (math.inf, 2, 1), (1, 1, 1), (1, 2, 0), (1, 2, math.inf), (1, math.inf, 1)):
        yield DomainError, "0 <= moment < inf", lambda a=(moment, p, tau): m.truncation_excess(*a)
    yield DomainError, "neither 0 nor 1", lambda: climbed(m.proportion(constant(2.0), seed()))
    yield CheckError, "a recorded interval", lambda: climbed(
        m.recorded_interval(0.25, 0.75, alpha=1e-3, samples=9), alpha=1e-4)  # fmt: skip
    yield DomainError, "a column and a seed", lambda: m.proportion(*m.columns(lambda r, n: {}, seed(), "a"), seed())
    yield DomainError, "the columns ()", lambda: m.columns(lambda r, n: {}, seed())
    yield DomainError, "the columns", lambda: m.columns(lambda r, n: {}, seed(), "a", "a")
    for raw in (0.0, {"b": 0.0}):
        yield DomainError, "draw returned", lambda x=raw: climbed(m.proportion(*m.columns(lambda r, n: x, seed(), "a")))
    for tau in (0, math.inf):
        yield DomainError, "tau = ", lambda t=tau: m.lower_mean(constant(1.0), seed(), tau=t)
    yield DomainError, "seed of type int", lambda: m.proportion(constant(1.0), 3)
    yield BudgetError, "a budget of 0 samples", lambda: next(m._drawn(constant(1.0), seed(), m._checked, 0))
    for raw in (np.zeros(3), np.zeros((4, 1)), np.zeros(4, dtype=np.float32), np.zeros(4, dtype=complex)):
        yield DomainError, "a draw of", lambda x=raw: m._checked(x, 4)
    for bad in (math.nan, math.inf):
        yield DomainError, "are not finite", lambda x=bad: m._checked(np.full(4, x), 4)
    for x in (2**53 + 1, -(2**53) - 1):
        yield DomainError, "integers above 2^53", lambda x=x: m._checked(np.full(4, x), 4)


def batches(m):
    for few, first in ((0, 4), (4, 1024)):  # a draw that holds much from its first item on, or from its fifth on
        yield BudgetError, f"measured on {first}\n", lambda few=few: _held(m, few)


def _held(m, few):
    def draw(rng, size):
        held = np.zeros(1000 * size if size > few else 1)
        return held[:1].repeat(size)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(m, "MEMORY", 2**20)
        return list(m.batches(draw, rng(), lambda raw, size: raw, 8192))


MODULES = {
    "theorytools.codes.families": families, "theorytools.codes.by_family": by_family,
    "theorytools.theory.capacity.perturbation.attention": attention,
    "theorytools.papers.qstr.capacity.perturbation.deep": deep,
    "theorytools.theory.capacity.perturbation.networks": networks,
    "theorytools.papers.qstr.capacity.perturbation.recurrent": recurrent,
    "theorytools.papers.qstr.memory.rate_distortion": rate_distortion,
    "theorytools.constructions.feedforward.piecewise_linear": piecewise_linear,
    "theorytools.constructions.feedforward.lipschitz_units": lipschitz_units,
    "theorytools.constructions.feedforward.inner_products": inner_products,
    "theorytools.papers.qstr.recurrent.rectified": rectified, "theorytools.papers.stsq.selection.flow": flow,
    "theorytools.statistics.sampled": sampled, "theorytools.statistics.batches": batches,
    "theorytools.papers.stsq.tasks.sparse_selection": sparse_selection,
}  # fmt: skip


def refusals(module, calls):
    """For each call whether it ends in its error and words, and the lines of the module that it came from."""
    found = []
    for error, words, call in calls(module):
        try:
            call()
        except Exception as caught:
            frames = traceback.extract_tb(caught.__traceback__)
            own = [frame.lineno for frame in frames if frame.filename == module.__file__]
            found.append((isinstance(caught, error) and words in str(caught), own[-1:]))
        else:
            found.append((False, []))
    return found


@pytest.mark.parametrize("name", MODULES)
def test_every_refusal_is_asked_for_and_none_can_be_left_out(name):
    module = importlib.import_module(name)
    found = refusals(module, MODULES[name])
    assert [right for right, _ in found] == [True] * len(found)
    assert {line for _, own in found for line in own} >= set(lines(name))
    for what, tree in left_out(name):
        spoiled = made(tree, name)
        assert not all(right for right, _ in refusals(spoiled, MODULES[name])), f"no call here misses {what}"
