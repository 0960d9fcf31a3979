"""Predictions that came out otherwise stay as they were made, and rows that are fitted have intervals."""

from math import prod

import pytest
from devices import device

from theorytools import Catalogue
from theorytools.claims.judging.judge import judge
from theorytools.claims.papers.catalogue import find_roots
from theorytools.claims.papers.loading import load
from theorytools.numbers.endpoint import float_lower, float_upper
from theorytools.training.record import recorded

ENTRIES = {entry.id: entry for entry in Catalogue(find_roots()).entries}
CURVES = "qstr.figure_01_published"


def judged(id):
    """The verdict of a claim, and the rows of its own, without those of its controls."""
    verdict = judge(load(ENTRIES[id]), id)
    return verdict, [row for row in verdict.rows if not row.control]


def test_that_no_batch_costs_three_is_refuted_by_the_widest_one_alone():
    verdict, rows = judged("qstr.question_b.every_batch")
    assert verdict.outcome == "REFUTED"
    assert verdict.as_expected
    assert {row.point["value"]: row.truth for row in rows} == {"16": True, "32": True, "128": True, "320": False}


def test_that_bounds_cost_prompts_at_length_eight_stays_open():
    verdict, rows = judged("qstr.question_f.short")
    assert verdict.outcome == "UNDECIDED"
    assert verdict.as_expected
    assert {row.point["bound"]: row.truth for row in rows} == {"one": None, "inverse": None}


def test_the_ends_of_the_published_curve_stay_open_at_one_length_alone():
    verdict, rows = judged(f"{CURVES}.ends")
    assert verdict.outcome == "UNDECIDED"
    assert verdict.as_expected
    undecided = [tuple(row.point[name] for name in ("panel", "architecture", "N")) for row in rows if row.truth is None]
    assert len(rows) == 60
    assert undecided == [("b", "ffn", "31")]
    assert sum(row.truth is True for row in rows) == 59


@pytest.mark.parametrize("id", [CURVES, f"{CURVES}.ends", "qstr.figure_01_forms", "qstr.question_d"])
def test_a_fitted_row_is_no_point(id):
    _, rows = judged(id)
    assert rows
    for row in rows:
        low, high = float_upper(row.measured.low), float_lower(row.measured.high)
        # a number that stands for both ends is rounded outward by less than one part in a thousand
        assert high - low > max(abs(low), abs(high)) / 100


def test_25_of_30_means_lie_within_19_percent_of_the_published_ones():
    """The product of the five runs against the fifth power of the published number, in integers."""
    panel, published, named = device("qstr/figure_01/published", "SWEEP", "published", "named")
    shares = {}
    for letter, sweep in panel.items():
        record = recorded(ENTRIES[CURVES].path, sweep, "released")
        for (arm, N), printed in published(letter).items():
            runs = [int(n) for n in record.reached(named(arm), N=N)]
            assert len(runs) == 5
            near = (81 * printed) ** 5 <= 100**5 * prod(runs) <= (119 * printed) ** 5
            shares[letter, arm, N] = near, 100 * (prod(runs) / printed**5) ** 0.2
    assert len(shares) == 30
    assert {key: round(share) for key, (near, share) in shares.items() if not near} == {
        ("a", "ffn", 12): 120,
        ("b", "transformer", 27): 74, ("b", "ffn", 25): 59, ("b", "ffn", 27): 124, ("b", "ffn", 31): 71,
    }  # fmt: skip
