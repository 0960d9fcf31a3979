"""The page on the tool's own quality: every demand of the records, and what follows from those that are missed."""

import json
import re
import shutil

import pytest
from source_tree import ROOT

from theorytools.errors import DomainError
from tools import evidence
from tools.quality import OTHERS, SOURCES, page


@pytest.fixture
def reports(tmp_path):
    """The committed records, to be changed."""
    for name in (*(source.record for source in SOURCES), *OTHERS):
        shutil.copy(ROOT / "reports" / f"{name}.json", tmp_path)
    return tmp_path


def changed(reports, name, change):
    path = reports / f"{name}.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    change(record)
    path.write_text(json.dumps(record), encoding="utf-8")
    return page(reports)


def cells(text, tried):
    (row,) = (line for line in text.splitlines() if line.startswith(f"| {tried}"))
    return [cell.strip() for cell in row.strip("|").split("|")][1:]


def test_every_number_of_the_page_is_that_of_a_record(reports):
    text = page(reports)

    def record(name):
        return json.loads((ROOT / "reports" / f"{name}.json").read_text(encoding="utf-8"))

    demands = record("mutation")["demands"]
    for tried, name in (("one wrong line in the library", "claims"), ("by an outcome", "verdict"),
                        ("by claims or tests, a few", "all"), ("by claims or tests, where", "engine")):  # fmt: skip
        asked, found = demands[name]["demanded"], demands[name]["found"]
        assert cells(text, tried) == [f"{asked} %", f"{found} %", "met" if found >= asked else "**missed**"]
    caught = record("bench-left-v1")["demands"][0]
    assert (cells(text, "small checks with one slip")[2] == "met") == (caught["found"] >= 0.8 * caught["of"])
    assert cells(text, "small checks with one slip")[1].startswith(f"{caught['found']} of {caught['of']} ")
    assert (
        cells(text, "near misses")[1] == f"0 of {record('bench-v1')['summary']['seen']['false at the grid']['false']}"
    )
    kinds = record("recheck")["forgeries"]
    alone = sum(kind["made"] for name, kind in kinds.items() if "measured side" not in name)
    assert f" of {alone:,}; " in cells(text, f"verdicts forged in {len(kinds) - 1} ways")[1]
    assert f"{record('machines')['claims']} claims judged" in text
    missed = sum(line.endswith("**missed** |") for line in text.splitlines())
    met = sum(line.endswith("| met |") for line in text.splitlines())
    assert text.startswith(f"Of {met + missed} demands {met} are met and {missed} are missed.")


def test_the_page_says_of_every_record_how_much_of_it_is_of_todays_tree(reports):
    (line,) = (line for line in page(reports).splitlines() if line.startswith("Of today's tree"))
    assert all(f"`{name}`" in line for name in (*(source.record for source in SOURCES), *OTHERS))
    before = line.partition(" Of an earlier tree")[2]

    def made(record):
        record["tree"] = evidence.tree_of(modules=["tools/quality.py"])

    (after,) = (line for line in changed(reports, "bench-left-v1", made).splitlines() if line.startswith("Of today's"))
    assert "`bench-left-v1` 100 % of 1 modules" in after
    assert after.partition(" Of an earlier tree")[2] == before.replace("`bench-left-v1`, ", "")


def nothing_compared_equal(record):
    record["runs"][0]["same"], record["holds"] = False, False


SPOILED = [
    ("bench-v1", lambda r: r["summary"]["seen"]["false at the grid"].update(accepted=1)),
    ("bench-v1", lambda r: r["demands"][0].update(met=False)),
    ("bench-v1", lambda r: r["summary"]["all"].update(rejected=1)),
    ("recheck", lambda r: r.update({"confirmed that change the meaning": 2})),
    ("certificates", lambda r: r["counts"].update(contradicted=1)),
    ("necessity", lambda r: r["counts"].update(unknown=r["counts"]["unknown"] + 300)),
    ("estimators", lambda r: r["panels"][0]["studies"][0].update(verdict="below", admitted=True)),
    ("estimators", lambda r: r["panels"][0]["twin"].update(verdict="above")),
    ("machines", nothing_compared_equal),
    ("versions", lambda r: r.update(holds=False)),
    ("kills", lambda r: r.update(holds=False)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "spoil"), SPOILED)
def test_a_demand_that_is_no_longer_met_says_so_and_what_follows(reports, name, spoil):
    follows = next(source.follows for source in SOURCES if source.record == name)
    before = page(reports)
    after = changed(reports, name, spoil)
    assert after.count("**missed**") == before.count("**missed**") + 1
    assert f"- {follows}" in after


def test_a_run_that_speaks_of_fewer_claims_than_others_is_not_counted_for_all(reports):
    def shared(*counts):
        def change(record):
            record.update(claims=9, runs=[{**record["runs"][0], "claims": count} for count in counts])

        return changed(reports, "machines", change)

    assert "| 9 claims judged as other machines would" in shared(9, 9)
    assert "| 4 to 9 claims judged as other machines would" in shared(9, 4)


def test_nothing_follows_from_demands_that_are_met(reports):
    def met(record):
        for demand in record["demands"] if isinstance(record["demands"], list) else record["demands"].values():
            demand["met"] = True

    for name in ("bench-left-v1", "mutation"):
        changed(reports, name, met)
    changed(reports, "recheck", lambda r: r.update({"confirmed that change the meaning": 0}))
    changed(reports, "reseeding", lambda r: r.update(below=[]))
    text = changed(reports, "benchmarks", lambda r: [row.update(met=True) for row in r["benchmarks"]])
    assert "missed**" not in text
    assert "What follows" not in text


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "theorytools.other/1"}', "{}", None])
def test_a_record_that_is_not_there_is_named_with_the_command_that_makes_it(reports, text):
    for source in SOURCES:
        path = reports / f"{source.record}.json"
        kept = path.read_text(encoding="utf-8")
        path.unlink() if text is None else path.write_text(text, encoding="utf-8")
        with pytest.raises(DomainError, match=re.escape(source.command)):
            page(reports)
        path.write_text(kept, encoding="utf-8")


def test_the_page_is_one_screen():
    assert len((ROOT / "docs" / "quality.md").read_text(encoding="utf-8").splitlines()) <= 45
