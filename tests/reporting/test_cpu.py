"""The table of processor times: what it adds up, and the slopes it fits."""

import json

import pytest
from checkfolders import write
from refusals import refuses

from theorytools.claims.judging.content_digest import sealed
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.cli.stored import Store
from theorytools.errors import DomainError
from theorytools.reporting import cpu


def verdict(id, seconds, sizes, *, axis="N", **more):
    """A verdict as far as the table reads it: a row at each size, and a control that has the same points."""
    points = [{axis: str(size), "copy": str(k)} for k, size in enumerate(sizes)]
    rows = [{"point": point, "control": control} for point in points for control in ("", "spoiled")]
    spent = {"seconds": sum(seconds), "points": list(seconds)}
    return {"id": id, "cpu": spent, "rows": rows, "skipped": [], "user_points": False,
            "machine": {"cpu": "x86_64"}, "versions": {"python": "3.11"}, **more}  # fmt: skip


@pytest.mark.parametrize("power", [0, 1, 2.5])
def test_a_power_law_has_its_exponent_as_growth(power):
    sizes = [2, 4, 8, 32]
    found = cpu.growth(verdict("a.b", [0.01 * n**power for n in sizes], sizes))
    assert found == {"axis": "N", "sizes": 4, "growth": round(power, 2)}


def test_times_are_averaged_and_add_up_to_the_table():
    sizes = ["1/4", "1/2", "1", "1"]
    found = cpu.growth(verdict("a.b", [0.25, 0.5, 0.9, 1.1], sizes, axis="eps"))
    assert (found["axis"], found["sizes"], found["growth"]) == ("eps", 3, 1.0)
    verdicts = [verdict(f"a.c{k:02}", [k / 8, k / 8], [2, 4]) for k in range(1, 13)]
    verdicts += [verdict("a.old", [], [2, 4], record={"commit": "1"}), verdict("a.at", [9.0], [2], user_points=True)]
    table = cpu.cost(verdicts)
    assert table["claims"] == 13
    assert table["seconds"] == sum(table["by_claim"].values()) == sum(k / 4 for k in range(1, 13))
    assert [row["id"] for row in table["dearest"]] == [f"a.c{k:02}" for k in range(12, 2, -1)]
    assert table["recorded"] == ["a.old"]
    assert table["parts"] == {
        "measured": 0,
        "controls": 0,
        "search": 0,
        "other": table["seconds"],
    }  # none told its parts
    assert len(cpu.summary(table).splitlines()) == 11
    with pytest.raises(DomainError, match="without processor times"):
        cpu.cost([{"id": "a.b", "rows": []}])


def test_the_parts_of_all_claims_add_up_and_what_no_part_has_is_told():
    split = {"seconds": 4.5, "measured": 1.0, "controls": 0.5, "search": 2.25, "points": [1.5]}
    verdicts = [{**verdict("a.b", [1.5], [2]), "cpu": split}, verdict("a.c", [8.0], [2])]
    table = cpu.cost(verdicts)
    assert table["parts"] == {"measured": 1.0, "controls": 0.5, "search": 2.25, "other": 8.75}
    assert table["dearest"][1]["parts"] == {"measured": 1.0, "controls": 0.5, "search": 2.25, "other": 0.75}
    text = "12.5 s of processor time: measured 1.0, controls 0.5, search 2.25, other 8.75"
    assert cpu.summary(table).splitlines()[0] == f"2 claims, {text}"
    assert cpu.in_words(verdicts) == "12.50 s of processor time: measured 1.00, controls 0.50, search 2.25, other 8.75"
    rounded = {"seconds": 0.001, "measured": 0.0009, "controls": 0.0005, "search": 0.0, "points": []}
    assert cpu.parts([{"cpu": rounded}, {"compact": True}])["other"] == 0


def test_committed_times_serve_where_the_site_has_none(tmp_path):
    write(tmp_path, "holds", "worded")
    (tmp_path / "reports").mkdir()
    table, times = tmp_path / "reports" / "cpu.json", tmp_path / "site" / "times.json"
    catalogue, store = Catalogue(tmp_path / "checks"), Store(tmp_path / "site")
    assert store.hints(catalogue) == {}
    table.write_text(json.dumps({"by_claim": {"tiny.holds": 7.5, "tiny.worded": 0.5}}))
    assert store.hints(catalogue) == {"tiny.holds": 7.5, "tiny.worded": 0.5}
    times.parent.mkdir()
    times.write_text('{"tiny.worded": 2.0}')
    assert store.hints(catalogue) == {"tiny.holds": 7.5, "tiny.worded": 2.0}
    for wrong in (
        '{"tiny.worded": NaN}',
        '{"tiny.worded": -1}',
        '{"tiny.worded": 1e999}',
        "[1]",
        '{"tiny.worded": ""}',
        "",
    ):
        times.write_text(wrong)
        assert store.hints(catalogue) == {"tiny.holds": 7.5, "tiny.worded": 0.5}
    table.write_text('{"by_claim": 3}')
    assert store.hints(catalogue) == {}


@pytest.mark.parametrize(
    ("seconds", "sizes", "why"),
    [([0.1, 0.2], [2, 4], "2 sizes"), ([0.1, 0.2, 1e-5], [2, 4, 8], "2 sizes"), ([], [2, 4, 8], "not run"),
     ([0.1, 0.2, 0.3, 0.4], [2, 4, 8], "outside the hypotheses"),
     ([0.1, 0.2, 0.3], ["one", "two", "three"], "no axis")],
)  # fmt: skip
def test_no_slope_is_made_up(seconds, sizes, why):
    found = cpu.growth(verdict("a.b", seconds, sizes))
    assert found["growth"] is None
    assert why in found["why"]


def test_the_command_reads_the_verdicts_of_a_site(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    entry = next(e for e in Catalogue(find_roots()).select(["qstr.lemma_12"]) if e.id == "qstr.lemma_12")
    judged = judge_entry(entry).to_json()
    assert len(judged["cpu"]["points"]) == len(cpu.places(judged)) > 0
    assert 0 <= sum(judged["cpu"]["points"]) <= judged["cpu"]["seconds"] + 1e-3
    assert {*cpu.PARTS} <= {*judged["cpu"]}
    (tmp_path / "site" / "verdicts").mkdir(parents=True)
    (tmp_path / "site" / "verdicts" / "qstr.lemma_12.json").write_text(json.dumps(sealed(judged)))
    cpu.main(["site"])
    table = json.loads((tmp_path / "reports" / "cpu.json").read_text())
    assert table["by_claim"] == {"qstr.lemma_12": judged["cpu"]["seconds"]}
    assert "1 claims" in capsys.readouterr().out
    refuses(SystemExit, (lambda: cpu.main([]), "usage"), (lambda: cpu.main(["elsewhere"]), "processor times"))
