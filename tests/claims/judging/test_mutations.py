r"""Every check notices a mutated statement, on the smallest part of its grid.

For each claim of ``checks`` the smallest points are walked, at most four, until every assertion has been attained
within 1 % (power 1.01) and every kind of mutant has changed an outcome.  Nothing is measured again: the numbers are
those of the verdict judged in this run, or of the record of a slow claim.  At each point the right side is mutated:
the relation swapped, logarithms replaced by 1, an integer letter shifted by one, the constant moved by a factor; and
the measured interval is widened.

What must follow is a fact about intervals, so it is asserted row by row.  A row with power f is false once its bound
is moved falseward by f; hence so is every mutant that moves the bound at least so far, and a measured interval
widened by f leaves the row open.
"""

import functools
import itertools
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
import sympy
from every_claim import chunks, each
from shared_verdicts import rows_of
from statement_mutants import ENTRIES, FACTORS, KINDS, applicable, claim_of, exclusion, mutants

from theorytools import Assertion, Control, Enclosure, Estimate, Evidence, Outcome, Recipe, judge
from theorytools.claims.judging.hypotheses import letters
from theorytools.claims.judging.point import _named
from theorytools.claims.judging.record import record_path
from theorytools.claims.judging.row import climb
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.bound import recipe
from theorytools.claims.language.ladder import Ladder


# -- one walk through the smallest points of a claim --------------------------------------------------------------
@dataclass
class Seen:
    """An honest row and what became of it in each mutant: name -> (truth, bound)."""

    assertion: Assertion
    row: Row
    axes: dict
    fates: dict

    def changed(self, name):
        """Whether the mutant decides otherwise than the statement."""
        return name in self.fates and self.row.truth is not None and self.fates[name][0] is (not self.row.truth)

    def harmless(self, name):
        """Whether a mutant that changed nothing could not have: attained, open, or moved by less than the power."""
        if name == "swapped":
            ends = {(e.low, e.high) for e in (self.row.measured, *self.row.bound)}
            return self.row.truth is None or (len(ends) == 1 and self.row.measured.low == self.row.measured.high)
        return not self.beyond_power(name)

    @property
    def power(self):
        return None if self.row.power is None else Fraction(str(self.row.power))

    @property
    def sign(self):
        """The sign of the right side; 0 where it is zero or undecided."""
        low, high = self.row.bound[0].low, self.row.bound[-1].high
        return int(low > 0) - int(high < 0)

    @property
    def measures_zero(self):
        return self.row.measured.low == self.row.measured.high == 0

    def beyond_power(self, name):
        """Whether a mutant's bound lies falseward of the statement's, moved by the power of the row."""
        if self.power is None or not self.sign or name == "swapped" or "widened" in name:
            return False
        f, (_, bound) = self.power if self.sign > 0 else 1 / self.power, self.fates[name]
        below = bound[-1].high <= (Enclosure(self.row.bound[0].low.value) / f).lower
        above = bound[0].low >= (Enclosure(self.row.bound[-1].high.value) * f).upper
        return {"<=": below, "<": below, ">=": above, ">": above, "==": below or above}[self.assertion.relation]


def once(estimate):
    """The recipe of a stored number: nothing more can be drawn."""
    return Recipe(estimate.evidence, lambda alpha, budget: iter([estimate]))


def widened(recipe, factor):
    """The recipe with every interval widened outward: each end moved away from the other by ``factor - 1`` of it."""

    def moved(end, sign):
        if not end.finite:
            return end
        box = Enclosure(end.value) + sign * (factor - 1) * abs(Enclosure(end.value))
        return box.lower if sign < 0 else box.upper

    def steps(alpha, budget):
        for step in recipe.steps(alpha, budget):
            yield replace(step, low=moved(step.low, -1), high=moved(step.high, 1))

    return Recipe(recipe.evidence, steps)


def size(point):
    return [0 if isinstance(number, str) else number for number in point.values()]


def values_at(claim, point):
    """What every letter of a bound stands for here; the object is made only where it fixes one of them."""
    values = letters(claim, point)
    return values if claim.derive is None else values | _named(claim, claim.derive(claim.construct(point), point))


@functools.cache
def walk(id):
    """The honest rows of the smallest points, each with its mutants judged on the numbers that the row has seen."""
    claim, check, seen = claim_of(id), ".".join(id.split(".")[:2]), []
    assertions = {a.name: a for a in claim.assertions}
    wanted, places = {*assertions, *applicable(id)}, {}
    for row in rows_of(id):
        if not row.control:
            places.setdefault(tuple(sorted(row.point.items())), []).append(row)
    for axes in sorted(claim.grid, key=size)[: 4 if claim.tier == "seconds" else 1]:
        point = claim.point(axes, check)
        rows = places.get(tuple(sorted(point.text().items())), ())
        values = values_at(claim, point) if rows else {}
        for row in rows:
            seen.append(Seen(assertions[row.assertion], row, axes, fates(id, assertions[row.assertion], row, values)))
            wanted -= {row.assertion} if row.power == 1.01 else set()
            wanted -= {kind for kind in KINDS if any(seen[-1].changed(name) for _, name, _ in mutants(id, kind))}
        if not wanted:
            break
    return seen


def fates(id, assertion, row, values):
    """Judge every mutant of one assertion on the stored number of its row."""
    claim, stored = claim_of(id), once(row.measured)
    tried = {name: (stored, m) for kind in KINDS for a, name, m in mutants(id, kind) if a is assertion}
    tried |= {f"widened by {f}": (widened(stored, f), replace(assertion, tie=0)) for f in FACTORS}
    found = {}
    for name, (source, mutant) in tried.items():
        ladder = Ladder(source, claim.row_alpha(), claim.budget)
        ladder.at(0)
        bounds = [Ladder(recipe(side, values), 0.0, claim.budget) for side in mutant.on(ladder.best).sides()]
        truth, _ = climb(mutant, ladder, bounds, draw=False)
        found[name] = truth, tuple(b.best for b in bounds)
    return found


# -- what must follow ----------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_every_kind_of_mutation_is_at_work_or_has_a_reason():
    reasons = {(id, kind): exclusion(id, kind) for id in ENTRIES for kind in KINDS}
    assert {kind for (_, kind), reason in reasons.items() if not reason} == set(KINDS)
    assert not any(reasons[id, "constant off"] for id in ENTRIES)
    assert {reason.split(",")[0] for reason in reasons.values()} <= {
        "", "only equalities", "no logarithm", "no integer letter", "dropping it moves the bound the true way",
    }  # fmt: skip


# The rules are the same for every claim, so one in eight is walked in the first command of CONTRIBUTING.md, all in the
# second; there a claim with a record stands alone, since its letters may take as long as the claim did.
SLOW = [id for id, entry in ENTRIES.items() if record_path(entry).is_file()]
FIRST, *OTHERS = chunks([id for id in ENTRIES if id not in SLOW])
OTHERS = [pytest.param(*other.values, id=other.id, marks=pytest.mark.slow) for other in OTHERS]
CHUNKS = [FIRST, *OTHERS, *chunks(SLOW, len(SLOW), pytest.mark.slow)]
by_claim = each(CHUNKS, scope="module")  # so that all tests of a claim share one walk


@by_claim
def test_a_mutated_statement_changes_an_outcome(id):
    deciding = []
    for kind in applicable(id):
        made = [(s, name, m) for s in walk(id) for a, name, m in mutants(id, kind) if a is s.assertion]
        changed = [(s, m) for s, name, m in made if s.changed(name)]
        # a relation can be swapped where the two sides are one number; a loose bound absorbs small moves
        assert changed or all(s.harmless(name) for s, name, _ in made), kind
        deciding += changed
    if not deciding:
        return
    s, mutant = min(deciding, key=lambda pair: size(pair[0].axes))
    zero = replace(Estimate.of(0), work=s.row.measured.work)  # a slope is measured on a window
    recipe_of_zero = Recipe(Evidence.EXACT, lambda alpha, budget: iter([zero]))
    nothing = {"construct": lambda p: None, "measure": lambda thing, p: {mutant.quantity: recipe_of_zero}}
    control = Control("nothing measured", breaks=mutant.quantity, asserts=[mutant], **nothing)
    claim, stored = claim_of(id), {s.assertion.quantity: once(s.row.measured)}
    alone = {"construct": claim.construct if claim.derive else lambda p: None, "measure": lambda thing, p: stored}
    alone |= {"second": None, "anchors": ()}  # they give all of the quantities, and one is left
    verdict = judge(replace(claim, asserts=[mutant], controls=[control], expect="HOLDS", **alone), id, [s.axes])
    assert (verdict.outcome in (Outcome.REFUTED, Outcome.WITNESS_FAILS)) is (s.row.truth is True)


@by_claim
def test_the_constant_off_by_the_printed_power_is_refuted_and_so_is_every_bound_moved_so_far(id):
    """In particular by 1 % wherever 1.01 is printed; and by less than is printed it is not."""
    for s in walk(id):
        if s.row.truth is not True or s.sign == 0:
            continue
        for factor in FACTORS:
            f = sympy.Rational(factor.numerator, factor.denominator)
            refused = [s.fates[f"times {f**sign}"][0] is False for sign in (1, -1)]
            rejected = all(refused) if s.assertion.relation == "==" else any(refused)
            expected = s.power is not None and s.power <= factor
            # a sampled row may have been followed by another one that drew more for the same quantity
            more = s.row.measured.evidence is Evidence.SAMPLED and rejected
            assert rejected is expected or more, (s.axes, s.row.assertion, factor)
    for s in walk(id):
        for name, (truth, _) in s.fates.items():
            if s.beyond_power(name):
                assert truth is False, (s.axes, s.row.assertion, name)


@by_claim
def test_a_widened_interval_leaves_the_row_open(id):
    """Who reads only one end of an interval, or its middle, does not notice."""
    tested = set()
    for s, factor in itertools.product(walk(id), FACTORS):
        truth, _ = s.fates[f"widened by {factor}"]
        assert truth is None or truth is s.row.truth
        if s.power is not None and s.power <= factor and s.sign and not s.measures_zero:
            assert truth is None, (s.axes, s.row.assertion, factor)
            tested.add(s.row.assertion)
    assert tested or all(s.power is None or not s.sign or s.measures_zero for s in walk(id))
