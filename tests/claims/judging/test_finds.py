"""How a disputed statement is found: the first way that shows it counts, and no grid has the failing input."""

import dataclasses
import json
from types import SimpleNamespace

import pytest
from disputing import NEEDLE, WAYS, disputing, project

from theorytools.claims.judging import finds, finds_record
from theorytools.claims.judging.disputed import disputed, projects, read_record, told_disputes
from theorytools.claims.judging.finds import find, lines_to, searched
from theorytools.claims.judging.finds_record import FindsStore, write_record
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.claims.papers.disputes import read_disputes
from theorytools.claims.papers.loading import load
from theorytools.errors import CheckError, DomainError, RecordError
from theorytools.meaning import MISSING, STALE


def parts(folder, *claims, text=None):
    root = project(folder, *claims, text=text)
    return root, read_disputes(root / "doubt").disputes, {entry.id: entry for entry in Catalogue(root).entries}


def found(folder, *claims, text=None):
    root, disputes, entries = parts(folder, *claims, text=text)
    return [find(one, entries, root.parent / "witnesses") for one in disputes]


def brought(folder, claim, data):
    (folder / "witnesses").mkdir(exist_ok=True)
    (folder / "witnesses" / f"doubt.{claim}.json").write_text(json.dumps(data), encoding="utf-8")


TWINS = {"drift": "drift.drift", "slow": "beside.repaired"}  # one of them in another file
TEXT = "\n".join(disputing(claim, TWINS.get(claim, "")) for claim in WAYS)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A row for each way; falsify has a tenth of a second."""
    folder = tmp_path_factory.mktemp("finds")
    brought(folder, "needle", {"N": NEEDLE})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finds, "SECONDS", 0.1)
        return {row["claim"]: row for row in found(folder, *WAYS, text=TEXT)}


def test_the_first_way_that_shows_it_counts(rows):
    assert {id.removeprefix("doubt."): row["way"] for id, row in rows.items()} == WAYS
    assert rows["doubt.beside"]["point"] == {"N": "6"}
    assert rows["doubt.slow"]["point"] == {"N": "6"}
    assert rows["doubt.needle"]["place"] == f"N={NEEDLE}"
    assert {id for id, row in rows.items() if "falsify" in row} == {"doubt.slow", "doubt.needle"}
    assert all(row["seconds"] == row[row["way"]]["seconds"] >= 0 for row in rows.values())


def test_a_growth_whose_constant_breaks_is_unresolved_and_names_no_input(rows):
    row = rows["doubt.rival.grows"]
    assert (row["outcome"], row["place"]) == ("UNDECIDED", "")
    assert row["said"].startswith("unresolved: ")


def test_twins_are_judged_and_doubles_that_part_from_them_are_told(rows):
    assert all(twin["outcome"] == "HOLDS" for row in rows.values() for twin in row["repaired"])
    (part,) = rows["doubt.drift"]["parts"]
    assert part["claim"] == "doubt.drift.drift"
    assert part["said"].startswith("float64 parts at step ")
    assert rows["doubt.beside"]["parts"] == []


def test_the_same_in_doubles_is_told_where_it_is_named(tmp_path):
    (row,) = found(tmp_path, "beside", text=disputing("beside", floats='"beside.repaired"'))
    assert row["doubles"]["claim"] == "doubt.beside.repaired"
    assert row["doubles"]["outcome"] == "HOLDS"
    (row,) = found(tmp_path, "beside", text=disputing("beside", floats='"beside"'))  # itself a claim about doubles
    assert (row["doubles"]["claim"], row["doubles"]["outcome"]) == ("doubt.beside", "REFUTED")


def test_a_grid_that_contains_the_failing_input_is_refused(tmp_path):
    with pytest.raises(CheckError, match=r"inside, whose grid contains its failing point N=3"):
        found(tmp_path, "inside")


def test_a_witness_on_the_grid_is_refused(tmp_path, monkeypatch):
    """Where verify does not see that a point of the grid fails, a search or a witness that does is refused."""
    _, (dispute,), entries = parts(tmp_path, "inside")
    held = dataclasses.replace(judge_entry(entries["doubt.inside.repaired"]), id="doubt.inside")
    monkeypatch.setattr(finds, "judge_entry", lambda entry: held)
    with pytest.raises(CheckError, match="whose grid contains its failing point N=3"):
        find(dispute, entries, tmp_path)


def test_a_witness_is_judged_with_the_whole_budget_and_none_of_the_grid_is_taken(tmp_path):
    """A search leaves a point open that takes more than its part of the search; what is brought is judged."""
    _, _, entries = parts(tmp_path, "needle", "inside")
    entry = entries["doubt.needle"]
    path = entry.path
    text = path.read_text(encoding="utf-8")
    slow = "construct=lambda p: sum(len((k,)) for k in range(300_000 * (p.N > 3))) * 0 + p.N"
    path.write_text(text.replace("construct=lambda p: p.N", slow, 1), encoding="utf-8")
    brought(tmp_path, "needle", {"N": NEEDLE})
    row = finds.brought(load(entry), entry, tmp_path / "witnesses" / "doubt.needle.json")
    assert row.place == f"N={NEEDLE}"
    brought(tmp_path, "inside", {"N": 3})
    inside = entries["doubt.inside"]
    with pytest.raises(CheckError, match="whose grid contains its failing point N=3"):
        finds.brought(load(inside), inside, tmp_path / "witnesses" / "doubt.inside.json")


@pytest.mark.parametrize(
    ("data", "said"),
    [({"N": 7}, "shows nothing: nothing fails at N=7"), ({"M": 7}, "a point of doubt.needle"),
     ({"N": 1}, "shows nothing: at N=1"), ({"schema": "theorytools.witness/0", "id": "doubt.needle"}, "witness/1"),
     ({"schema": "theorytools.witness/1", "id": "doubt.beside", "check": "", "witnesses": [{
         "hypothesis": "", "within": False, "point": {"N": "6"}, "object": "", "evaluations": 1, "row": {}}]},
      "one against doubt.needle")],
)  # fmt: skip
def test_a_witness_that_shows_nothing_or_is_of_another_claim_or_version_is_refused(tmp_path, monkeypatch, data, said):
    brought(tmp_path, "needle", data)
    _, (dispute,), entries = parts(tmp_path, "needle")
    claim = load(entries["doubt.needle"])
    monkeypatch.setattr(finds, "judge_entry", lambda entry: judge_entry(entry, search=False))
    monkeypatch.setattr(finds, "searched", lambda *_: (nothing(), 0.1))
    assert claim.expect == "HOLDS"
    with pytest.raises(DomainError, match=said):
        find(dispute, entries, tmp_path / "witnesses")


def nothing(row=None, seconds=0.0):
    return SimpleNamespace(row=row, evaluations=5, seconds=seconds, tried="5 points tried")


def test_what_nobody_shows_is_not_found_and_an_open_run_says_why(tmp_path, monkeypatch):
    _, (dispute,), entries = parts(tmp_path, "beside")
    monkeypatch.setattr(finds, "searched", lambda *_: (nothing(), 9.0))
    for outcome, reason in (("HOLDS", "2 rows proved"), ("UNDECIDED", "a longer run")):
        verdict = judge_entry(entries["doubt.beside.repaired"])
        verdict = dataclasses.replace(verdict, outcome=type(verdict.outcome)(outcome), reason=reason)
        monkeypatch.setattr(finds, "judge_entry", lambda entry, verdict=verdict: verdict)
        row = find(dispute, entries, tmp_path)
        assert (row["way"], row["outcome"], row["said"], row["points"]) == ("none", outcome, reason, 5)


@pytest.mark.parametrize(
    ("spent", "shows", "clocks"),
    [([3.0, 9.9], True, [10.0, 100 / 3]), ([9.5], False, [10.0]), ([0.1, 0.1], False, [10.0, 60.0]),
     ([4.0, 20.0], False, [10.0, 25.0])],
)  # fmt: skip
def test_a_search_that_had_less_of_the_core_is_made_once_more(tmp_path, monkeypatch, spent, shows, clocks):
    """A violation counts by the processor's seconds, whatever else ran beside the search."""
    given, now = [], [0.0]

    def slow(claim, id, *, seconds, work):
        given.append(seconds)
        now[0] += spent[len(given) - 1]
        return nothing(row=shows if shows and len(given) == 2 else None, seconds=seconds)

    monkeypatch.setattr(finds, "falsify", slow)
    monkeypatch.setattr(finds.time, "process_time", lambda: now[0])
    _, _, entries = parts(tmp_path, "beside")
    entry = entries["doubt.beside"]
    result, cpu = searched(load(entry), entry, 10.0)
    assert given == pytest.approx(clocks)
    assert cpu == pytest.approx(spent[-1])
    assert bool(result.row) is shows


def test_what_a_search_finds_too_late_does_not_count(tmp_path, monkeypatch):
    _, (dispute,), entries = parts(tmp_path, "slow")
    real = searched(load(entries["doubt.slow"]), entries["doubt.slow"], 0.1)[0]
    assert real.row is not None
    for spent, way in ((9.9, "falsify"), (10.1, "none")):
        monkeypatch.setattr(finds, "searched", lambda *_, spent=spent: (real, spent))
        assert find(dispute, entries, tmp_path)["way"] == way


def test_lines_end_with_the_claim_and_blank_ones_do_not_count(tmp_path):
    _, _, entries = parts(tmp_path, "drift")
    text = entries["doubt.drift"].path.read_text(encoding="utf-8")
    for name in ("claim", "repaired", "drift"):
        entry = entries["doubt.drift" if name == "claim" else f"doubt.drift.{name}"]
        end = text.index("\n)", text.index(f"\n{name} = ")) + 2
        assert lines_to(entry) == len([line for line in text[:end].splitlines() if line.strip()])


# -- the record ----------------------------------------------------------------------------------------------------
@pytest.fixture
def recorded(tmp_path, rows):
    """The project with its record."""
    root = project(tmp_path, *WAYS, text=TEXT)
    write_record(rows.values(), root)
    return root


def test_a_record_holds_every_row_with_its_check_and_the_counts_are_those_of_its_rows(recorded, rows):
    data = read_record(recorded.parent / "reports" / "finds.json")
    assert {row["claim"]: row for row in data["disputes"]} == rows
    assert {"commit", "dirty", "created", "cpu", "versions"} <= data["made"].keys()
    told = disputed(recorded)
    assert told["counts"] == {"verify": 3, "falsify": 1, "witness": 1, "none": 0}
    assert [row["state"] for row in told["rows"]] == [""] * 5


@pytest.mark.parametrize("name", ["claim", "repaired"])
def test_a_row_whose_check_changed_is_stale_and_not_counted(recorded, name):
    path = recorded / "doubt" / "beside.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "\n# a comment is no change\n", encoding="utf-8")
    assert disputed(recorded)["counts"]["verify"] == 3
    old = "int(n > 5)" if name == "claim" else "counting(lambda n: 0)"
    path.write_text(text.replace(old, f"{old[:-2]}9{old[-1]}"), encoding="utf-8")
    told = disputed(recorded)
    assert {row["claim"] for row in told["rows"] if row["state"] == STALE} == {"doubt.beside", "doubt.slow"}
    assert told["counts"] == {"verify": 2, "falsify": 0, "witness": 1, "none": 0}


def test_a_dispute_without_a_row_and_one_with_other_twins_are_not_counted(recorded):
    file = recorded / "doubt" / "disputes.toml"
    text = file.read_text(encoding="utf-8")
    named = 'claim = "slow"\nrepaired = ["{}"]'.format
    assert named("beside.repaired") in text
    text = text.replace(named("beside.repaired"), named("slow.repaired"))
    file.write_text(text + disputing("inside"), encoding="utf-8")
    (recorded / "doubt" / "inside.py").write_text((recorded / "doubt" / "slow.py").read_text("utf-8"), encoding="utf-8")
    states = {row["claim"]: row["state"] for row in disputed(recorded)["rows"]}
    assert {id: state for id, state in states.items() if state} == {"doubt.slow": STALE, "doubt.inside": MISSING}
    assert disputed(recorded)["counts"]["falsify"] == 0


@pytest.mark.parametrize(
    "spoil",
    [lambda d: d.update(schema="theorytools.finds/0"), lambda d: d["disputes"][0].pop("lines"),
     lambda d: d["disputes"][0].update(way="magic"), lambda d: d["disputes"][0]["repaired"][0].pop("outcome"),
     lambda d: d.pop("made")],
)  # fmt: skip
def test_another_record_is_refused_and_counts_for_nothing(recorded, capsys, spoil):
    path = recorded.parent / "reports" / "finds.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    spoil(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(RecordError, match="a record of disputed statements"):
        read_record(path)
    assert {row["state"] for row in disputed(recorded)["rows"]} == {MISSING}
    assert "left out, as a file that cannot be read" in capsys.readouterr().err


def test_a_row_is_kept_until_its_inputs_change(tmp_path, monkeypatch):
    root, (dispute,), entries = parts(tmp_path, "needle")
    asked = []
    monkeypatch.setattr(finds_record, "find", lambda *given: asked.append(given) or {"claim": dispute.claim})
    kept = tmp_path / "kept"

    def searches(**how):
        asked.clear()
        FindsStore(kept, root).row(dispute, entries, **how)
        return len(asked)

    assert [searches(), searches(), searches(fresh=True)] == [1, 0, 1]
    brought(tmp_path, "needle", {"N": NEEDLE})
    assert [searches(), searches()] == [1, 0]
    file = root / "doubt" / "needle.py"
    file.write_text(file.read_text(encoding="utf-8").replace("lambda n: 0", "lambda n: -1"), encoding="utf-8")
    assert searches() == 1
    (kept / "doubt.needle.json").write_text("{", encoding="utf-8")
    assert searches() == 1


def test_a_site_tells_of_its_own_disputes_and_of_those_of_its_examples(tmp_path, capsys):
    root = project(tmp_path / "examples" / "one", "beside")
    here = tmp_path / "checks"
    assert told_disputes(tmp_path / "elsewhere" / "checks") == []
    assert [(one["own"], len(one["rows"])) for one in told_disputes(here)] == [(False, 1)]
    project(tmp_path, "beside", "slow")
    assert [(one["own"], len(one["rows"])) for one in told_disputes(here)] == [(True, 2), (False, 1)]
    assert projects(here) == [here, root]
    (root / "doubt" / "disputes.toml").write_text("[[dispute]]\n", encoding="utf-8")
    assert len(told_disputes(here)) == 1
    assert "left out" in capsys.readouterr().err
