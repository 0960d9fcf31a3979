"""What the whole catalogue may spend of error probability in a default run, added up without judging anything."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from shared_verdicts import entries
from source_tree import ROOT
from tiny import N, shrinking, tiny, value

from theorytools import grid, judge
from theorytools.claims.judging.falsify import falsify
from theorytools.claims.judging.run import EVALUATIONS, searched
from theorytools.claims.language import ALPHA_LIMIT
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.work import Work
from theorytools.claims.papers.work_formula import Formula
from tools.estimators.in_use import by_claim

# what draws, or reads what was drawn, at a level that its row is given
DRAWING = ("sampled.", "clipped_error.", "qstr.proposition_35._", "intervals.clopper")


def sampling():
    """The claims whose measurements, or those of their controls, may draw: found in their syntax trees."""
    return [id for id, used in by_claim().items() if any(name.startswith(DRAWING) for name in used)]


def most(claim):
    """The most that one claim may spend: its level, and as much again where a search goes with its verdict."""
    return Fraction(claim.budget.alpha) * (1 if claim.fixed or claim.tier != "seconds" else 2)


def total(claims):
    return sum(map(most, claims), Fraction(0))


def test_the_default_run_errs_with_probability_at_most_one_in_ten_thousand():
    claims = [load(entries()[id]) for id in sampling()]
    assert len(claims) > 40
    assert total(claims) <= Fraction(ALPHA_LIMIT)
    # the test of the test: one claim that asks for a level of its own is enough
    greedy = replace(claims[0], budget=replace(claims[0].budget, alpha=1e-4))
    assert total([*claims[1:], greedy]) > Fraction(ALPHA_LIMIT)


def test_every_claim_with_sampled_rows_is_among_those_added_up():
    recorded = {}
    for path in sorted((ROOT / "reports").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        if str(data.get("schema")).startswith("theorytools.committed/"):
            for verdict in data["claims"]:
                kinds = {part[0] for row in verdict["rows"] for part in row if isinstance(part, list)}
                recorded[verdict["id"]] = "S" in kinds
    drawn = {id for id, sampled in recorded.items() if sampled}
    assert len(drawn) > 35
    assert drawn - {*sampling()} == set()


TOLD = [Work(Formula("1"), Formula("0"))]  # nothing is judged for its price, which is no further look


def counted(claim, booked):
    """What a search beside the grid of a tiny claim spends, and how many recipes it climbs."""
    search = falsify(claim, "tiny.claim", evaluations=EVALUATIONS, judged=True, work=TOLD)
    return search.spent, len(booked)


@pytest.mark.parametrize("bound", [N, -N])  # kept everywhere, and violated, so that a row is judged once again
def test_a_search_spends_no_more_than_the_level_and_nothing_where_it_draws_nothing(bound):
    booked = []
    claim = tiny(asserts=[value <= bound], grid=grid(N=[2, 3]),
                 measure=lambda thing, p: {value: shrinking(1, 1, booked=booked)})  # fmt: skip
    spent, climbed = counted(claim, booked)
    assert climbed > 0
    assert spent == pytest.approx(sum(booked))
    assert 0 < spent <= claim.budget.alpha * (1 + 1e-12)
    exact = tiny(asserts=[value <= bound], grid=grid(N=[2, 3]))
    assert counted(exact, [])[0] == 0


def test_a_verdict_books_what_its_search_drew_even_where_the_grid_draws_nothing():
    booked = []

    def measure(thing, p):
        return {value: thing if thing - p.N or p.N == 2 else shrinking(1, 1, booked=booked)}

    claim = tiny(asserts=[value <= N], grid=grid(N=[2]), measure=measure)
    alone = judge(claim, "tiny.claim")
    assert (alone.alpha_spent, booked) == (0.0, [])
    both = searched(claim, alone, TOLD)
    assert both.alpha_spent > 0
    assert both.alpha_spent == pytest.approx(sum(booked))
    assert both.alpha_claim == 2 * claim.budget.alpha
