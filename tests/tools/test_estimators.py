"""Every estimator that decides a row is simulated, is as wide as it says, and its spoiled twin is seen not to be."""

import inspect
import json
import math
from importlib import import_module

import pytest
from source_tree import ROOT
from tiny import shrinking

from theorytools import Budget, Evidence, Recipe
from theorytools.errors import DomainError
from theorytools.statistics.coverage import Coverage, simulated_coverage, whole_ladder
from tools.estimators.__main__ import faults, simulated
from tools.estimators.figure import FIGURE, RECORD, figure
from tools.estimators.in_use import NO_INTERVAL, ROOMS, by_claim, composed, estimator, in_use
from tools.estimators.slopes import BY_CHECK, panels

PANELS = panels()
STUDIED = {name for panel in PANELS for name in panel.estimators}
# so many data sets, the same in every run, show the twin of every panel and cost a second
FEW = {"repeats": 0.3, "draws": 0.2, "fits": 0.2, "likelihoods": 0.25, "locals": 0.25, "forms": 0.2}
FEWER = {"consistent_slopes": 0.08, "truncated_mean": 0.1}  # dear, and their twins miss most of the time
# these read or make an interval of one that is studied, or are about levels and laws
BESIDE = {
    "batches.batches", "intervals.checked_level", "intervals.checked_range", "slopes.checked_coverage",
    "growth_forms.predicted_slope",
}  # fmt: skip


# -- none is left out ------------------------------------------------------------------------------------------------
def test_every_estimator_that_a_check_names_is_simulated():
    assert {BY_CHECK.get(name, name) for name in in_use()} - STUDIED == set()
    assert BY_CHECK.keys() - in_use() == set(), "no check has these any more"
    assert {*BY_CHECK.values()} <= STUDIED


def test_every_public_function_that_gives_an_interval_is_simulated():
    public = {
        f"{room.rpartition('.')[2]}.{name}"
        for room in ROOMS for name, value in vars(import_module(room)).items()
        if inspect.isfunction(value) and value.__module__ == room and name[0] != "_"
    }  # fmt: skip
    assert len(public) > 20
    assert public - STUDIED - NO_INTERVAL - BESIDE == set()


def test_an_estimator_of_ones_own_is_found():
    assert estimator("theorytools.statistics.t_intervals.another") == "t_intervals.another"
    language = "theorytools.claims.language.estimate"
    assert composed({f"{language}.fitted"})
    assert composed({f"{language}.Recipe", f"{language}.Evidence.SAMPLED"})
    assert not composed({f"{language}.Recipe", f"{language}.Evidence.EXACT"})
    assert by_claim()["qstr.figure_01_forms.along"] >= {"slopes.local_slopes", "qstr.figure_01.forms.local"}
    assert by_claim()["qstr.lemma_11"] == frozenset()


# -- each is as wide as it says, and a spoiled one is not ------------------------------------------------------------
@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.title)
def test_an_estimator_covers_where_it_promises_to_and_its_spoiled_twin_does_not(panel):
    made = simulated(
        panel, FEWER.get(panel.title, FEW[panel.cost]), [next(study for study in panel.studies if study.admitted)]
    )
    assert list(faults({"panels": [made]})) == []


def test_a_narrow_estimator_and_a_twin_that_covers_are_faults():
    panel = next(panel for panel in PANELS if panel.title == "repeat_mean")
    made = simulated(panel, 0.3, [panel.studies[0]])
    swapped = {**made, "studies": [made["twin"]], "twin": made["studies"][0]}
    assert len(list(faults({"panels": [swapped]}))) == 2


def test_a_coverage_knows_how_well_it_is_known():
    assert Coverage(950, 1000, 0.95).verdict == "at"
    assert Coverage(9, 10, 1.0).verdict == "below"
    assert Coverage(1000, 1000, 0.95).verdict == "above"
    for wrong in ((3, 2, 0.95), (0, 0, 0.95), (1, 2, 0.0), (1, 2, 1.5)):
        with pytest.raises(DomainError):
            Coverage(*wrong)


def test_what_is_refused_is_counted_and_what_is_disjoint_is_a_miss():
    def sometimes(seed):
        if seed.spawn_key[-1] % 2:
            raise DomainError("no data")
        return (0.0, 1.0) if seed.spawn_key[-1] % 4 else (float("nan"), float("nan"))

    seen = simulated_coverage(sometimes, 0.5, nominal=0.95, runs=8, name="sometimes")
    assert (seen.hits, seen.runs, seen.refused) == (2, 4, 4)
    apart = Recipe(Evidence.SAMPLED, lambda alpha, budget: nested(shrinking(0, 1), shrinking(9, 1), alpha, budget))
    assert all(map(math.isnan, whole_ladder(apart, 0.05, Budget())))


def nested(first, second, alpha, budget):
    one = next(first.steps(alpha, budget))
    yield one
    yield next(second.steps(alpha, budget)).within(one)


# -- the record ------------------------------------------------------------------------------------------------------
def test_the_record_is_of_todays_studies_and_its_figure_is_made_from_it():
    record = json.loads((ROOT / RECORD).read_text(encoding="utf-8"))
    made = [(panel["title"], panel["spoiled"], [(s["law"], s["sizes"], s["admitted"]) for s in panel["studies"]])
            for panel in record["panels"]]  # fmt: skip
    assert made == [(p.title, p.spoiled, [(s.law, s.sizes, s.admitted) for s in p.studies]) for p in PANELS]
    assert list(faults(record)) == []
    for panel, lines in zip(PANELS, record["panels"], strict=True):
        for study, line in zip((*panel.studies, panel.twin), (*lines["studies"], lines["twin"]), strict=True):
            seen = Coverage(line["hits"], line["runs"], study.nominal, line["refused"])
            assert (line["verdict"], line["low"]) == (seen.verdict, round(seen.low, 5))
    assert (ROOT / FIGURE).read_text(encoding="utf-8") == figure(record)
    assert sum((ROOT / path).stat().st_size for path in (RECORD, FIGURE)) <= 200_000


def test_the_record_names_the_claims_that_rest_on_each_estimator():
    for panel in json.loads((ROOT / RECORD).read_text(encoding="utf-8"))["panels"]:
        names = {*panel["estimators"]}
        assert panel["claims"] == sorted(
            id for id, used in by_claim().items() if {BY_CHECK.get(name, name) for name in used} & names
        )


def test_a_line_of_the_record_is_simulated_again():
    record = json.loads((ROOT / RECORD).read_text(encoding="utf-8"))
    panel = next(panel for panel in PANELS if panel.title == "repeat_mean")
    lines = next(lines for lines in record["panels"] if lines["title"] == panel.title)
    again = simulated(panel, 1.0, panel.studies[:1])
    assert again["studies"] == lines["studies"][:1]
    assert again["twin"] == lines["twin"]
