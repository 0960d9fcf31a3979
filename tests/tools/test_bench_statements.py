"""Near misses are false, rewordings are equal, and both are functions of the seed."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from shared_verdicts import entries

from theorytools import CheckError, Outcome, judge
from theorytools.claims.papers.loading import load
from theorytools.errors import CertificateError
from tools.bench.collection import COLLECTION
from tools.bench.generator import generated, pool, suited
from tools.bench.handmade import judged
from tools.bench.mutations import KINDS, full, mutants
from tools.bench.rewordings import Reworded
from tools.bench.score import verdict_of

FALSE = (Outcome.REFUTED, Outcome.WITNESS_FAILS)
CLAIMS = ("qstr.lemma_41", "sep.dyck_onelayer_lb", "qstr.theorem_06_law")
SEED = 5


@pytest.fixture(scope="module")
def pools():
    return {id: pool(load(entries()[id]), id, SEED) for id in CLAIMS}


def test_the_statements_of_a_claim_are_a_function_of_the_seed(pools):
    id = CLAIMS[0]
    again = pool(load(entries()[id]), id, SEED)
    assert [(s.key, s.digest, s.witness) for s in again] == [(s.key, s.digest, s.witness) for s in pools[id]]
    other = pool(load(entries()[id]), id, SEED + 1)
    assert {s.key for s in other} != {s.key for s in again}


def test_so_is_the_draw_from_them():
    own = [entries()[id] for id in CLAIMS[:1]]
    first, second = generated(own, SEED, 6), generated(own, SEED, 6)
    assert [s.key for s in first] == [s.key for s in second]
    assert [s.false for s in first] == [True] * 6 + [False] * 6
    assert len({s.kind for s in first if s.false}) >= 4


def measured(id, statement):
    """The left side at the witness as the claim measures it afresh, by its ends as fractions."""
    claim = load(entries()[id])
    if statement.made.dropped is not None:
        claim = replace(claim, requires=[c for i, c in enumerate(claim.requires) if i != statement.made.dropped])
    name = claim.assertions[statement.index].name
    rows = judge(claim, id, [statement.witness.point]).rows
    (row,) = [row for row in rows if not row.control and row.assertion == name]
    return [Fraction(str(edge.value)) for edge in (row.measured.low, row.measured.high)]


def digits(statement, claim):
    """The right side at the witness by sympy, to forty digits, as a fraction."""
    expr = full(claim, statement.made.assertion)
    at = {s: sympy.Rational(statement.witness.point[s.name]) for s in expr.free_symbols}
    return Fraction(str(sympy.N(expr.subs(at), 40)))


@pytest.mark.parametrize("id", ["qstr.lemma_41"])
def test_a_witness_violates_by_fractions_and_by_sympy(id, pools):
    """The right side by sympy's own evaluation, the left side measured afresh, the tolerance of neither used."""
    claim, tried = load(entries()[id]), 0
    for statement in pools[id]:
        if not statement.false or statement.witness.route == "range" or statement.made.horizon:
            continue
        if not {s.name for s in full(claim, statement.made.assertion).free_symbols} <= set(claim.grid.axes):
            continue
        (low, high), right = measured(id, statement), digits(statement, claim)
        room = Fraction(1, 10**30) * (1 + abs(right))
        above, below = low > right + room, high < right - room
        assert {"<=": above, ">=": below, "==": above or below}[statement.made.assertion.relation], statement.key
        tried += 1
    assert tried >= 5


def test_a_trap_is_the_claim_itself_up_to_its_horizon(pools):
    traps = [s for own in pools.values() for s in own if s.false and s.made.horizon]
    assert traps
    for trap in traps:
        claim = load(entries()[trap.claim])
        honest = full(claim, claim.assertions[trap.index])
        name, start = trap.made.horizon
        letter = next(s for s in full(claim, trap.made.assertion).free_symbols if s.name == name)
        for size in (point[name] for point in claim.grid):
            assert size <= start
            here = full(claim, trap.made.assertion).xreplace({letter: sympy.Integer(size)})
            assert sympy.simplify(here - honest.xreplace({letter: sympy.Integer(size)})) == 0
        assert not trap.witness.grid
        assert Fraction(trap.witness.point[name]) > start


@pytest.mark.parametrize(
    "id", ["qstr.corollary_27_radius.rectified", "qstr.theorem_04_clipped", "qstr.theorem_04_clipped.complexity",
           "stsq.dynamics_phases"]
)  # fmt: skip
def test_a_claim_whose_grid_goes_beyond_a_hypothesis_is_refuted_without_it(id):
    claim = load(entries()[id])
    dropped = [s for s in pool(claim, id, SEED) if s.kind == "hypothesis dropped"]
    assert dropped
    for statement in dropped:
        if id == "stsq.dynamics_phases":  # the range of its quantity is trivial only within the hypothesis
            with pytest.raises(CheckError, match="declares that range"):
                verdict_of(statement.claim_of(claim), id)
        else:
            assert verdict_of(statement.claim_of(claim), id).outcome in FALSE, statement.key


def test_rewordings_are_equal_at_random_points(pools):
    """By sympy's evaluation at points of its own."""
    tried = 0
    for own in pools.values():
        for s in own:
            if isinstance(s.made, Reworded) and s.made.scale is None and not s.made.moved:
                claim = load(entries()[s.claim])
                one, other = full(claim, claim.assertions[s.index]), full(claim, s.made.assertion)
                assert one != other or s.kind == "letters written out"
                at = {x: sympy.Integer(2 + i) for i, x in enumerate(sorted(one.free_symbols, key=str))}
                a, b = sympy.N(one.subs(at), 50), sympy.N(other.subs(at), 50)
                assert abs(a - b) <= abs(a) * sympy.Float("1e-40")
                tried += 1
    assert tried >= 5


def test_every_kind_of_near_miss_is_made_somewhere():
    found = set()
    for id in ("sep.onelayer_protocol_order", "qstr.proposition_03_codes", *CLAIMS, "qstr.definition_02_floors"):
        claim = load(entries()[id])
        found |= {m.kind for a in claim.assertions if suited(claim) and not a.sloped for m in mutants(claim, a)}
    assert set(KINDS) - found <= {"min for max", "log dropped or squared"}


# -- made by hand ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("one", COLLECTION, ids=lambda one: one.name)
def test_a_statement_made_by_hand_is_false_by_its_second_route(one):
    assert one.why.endswith(".")
    one.refuted()
    (said,) = judged([one])
    assert said["outcome"] == "REFUTED" if one.seen else said["outcome"] == "REFUTED" or said["named"]


def test_there_are_27_and_a_true_one_is_refused():
    assert len({one.name for one in COLLECTION}) == len(COLLECTION) == 27
    true = replace(next(one for one in COLLECTION if one.name == "sum_of_squares"), again=Fraction(45))
    with pytest.raises(CertificateError, match="a violation"):
        true.refuted()
    assert Outcome.HOLDS == "HOLDS"
