"""The trained runs of a report: records as tables and curves, the published numbers beside them."""

import json
from xml.etree import ElementTree

import pytest
from source_tree import ROOT

from theorytools.content_cache import keep
from theorytools.reporting import sweep_records as module
from theorytools.reporting.cache import Cache
from theorytools.reporting.pages.contents import Contents
from theorytools.reporting.runs import runs
from theorytools.reporting.site import render_pages
from theorytools.reporting.sweep_records import arms_of, trained_runs
from theorytools.statistics.slopes import mean_slope
from theorytools.statistics.t_intervals import geometric_interval
from theorytools.training.record import recorded

QSTR = ROOT / "checks" / "qstr"
RUN = {"created": "", "versions": {}, "alpha_spent": 0.0, "complete": True, "command": ""}


def papers():
    return [{"key": "qstr", "title": "A paper", "statements": [], "sweeps": trained_runs(QSTR)}]


def test_the_report_says_what_the_record_says():
    record = recorded(QSTR / "figure_01.py", "figure_01a")
    (summary,) = [one for one in trained_runs(QSTR) if one["file"] == "figure_01a.corrected.json"]
    assert summary["profile"] == record.profile
    for arm in summary["arms"]:
        fit = mean_slope(record.repeats(arm["arm"]), noise="repeats")
        assert arm["exponent"] == [fit.low, fit.high]
        means = record.means(arm["arm"])
        # the interval is symmetric about the mean of the logarithms: rounding only
        for cell in arm["sizes"]:
            assert abs((cell["low"] * cell["high"]) ** 0.5 / means[cell["size"]] - 1) < 1e-12
        assert {cell["published"] for cell in arm["sizes"]} > {None} or arm["sizes"][0]["published"]


def test_every_record_is_shown_and_a_paper_without_any_has_no_section(tmp_path):
    shown = runs(papers())
    page = render_pages([], papers(), run=RUN)["predictions.html"]
    assert len(shown) == len(list((QSTR / "records" / "sweeps").glob("*.json"))) > 0
    for one in shown:
        assert f"{one.name}, {one.protocol} protocol, {one.profile} profile" in page
        assert one.rule
    assert trained_runs(tmp_path) == []
    assert 'id="trained-runs"' not in render_pages([], [{"key": "x"}], run=RUN)["predictions.html"]


def test_a_record_of_uncommitted_code_says_so_wherever_it_is_shown(tmp_path):
    source = QSTR / "records" / "sweeps" / "figure_01a.corrected.json"
    data = json.loads(source.read_text(encoding="utf-8"))
    (tmp_path / "records" / "sweeps").mkdir(parents=True)
    for commit, dirty, shown in (("0123456789abcdef-dirty", True, "commit 0123456789ab"),
                                 ("0123456789abcdef", False, "commit 0123456789ab"),
                                 ("", False, "commit unknown")):  # fmt: skip
        data["provenance"]["commit"] = commit
        (tmp_path / "records" / "sweeps" / source.name).write_text(json.dumps(data), encoding="utf-8")
        told = [{"key": "x", "title": "X", "statements": [], "sweeps": trained_runs(tmp_path)}]
        (one,) = runs(told)
        assert one.made.uncommitted == dirty
        page = render_pages([], told, run=RUN)["predictions.html"]
        assert f"; {shown}" in page
        assert ('<span class="uncommitted">from uncommitted code</span>' in page) == dirty


def test_an_arm_that_is_missing_is_named(tmp_path):
    source = QSTR / "records" / "sweeps" / "figure_01a.corrected.json"
    data = json.loads(source.read_text(encoding="utf-8"))
    data["missing"] = {"lstm": 2}
    (tmp_path / "records" / "sweeps").mkdir(parents=True)
    (tmp_path / "records" / "sweeps" / source.name).write_text(json.dumps(data), encoding="utf-8")
    told = [{"key": "x", "title": "X", "statements": [], "sweeps": trained_runs(tmp_path)}]
    (one,) = runs(told)
    assert one.missing == (("lstm", 2),)
    page = render_pages([], told, run=RUN)["predictions.html"]
    assert "Arms not in this record: lstm (2 trials there)." in page
    assert not any(arm.published for arm in one.arms)  # no published curve lies beside these checks


def test_worlds_are_the_units_where_there_are_several_and_repeats_where_there_is_one():
    def trials(worlds):
        return [
            {"spec": {"architecture": "ffn", "N": N} | ({"world": k} if worlds else {}), "status": "done",
             "result": {"samples": N * 10**k * (1 + r)}}
            for N in (4, 8, 16) for k in (1, 2, 3) for r in (0, 1)
        ]  # fmt: skip

    (apart,), (alone,) = (arms_of(trials(worlds), "N", "samples") for worlds in (True, False))
    for cell in apart["sizes"]:
        means = [cell["size"] * 10**k * 2**0.5 for k in (1, 2, 3)]
        assert (cell["low"], cell["high"]) == pytest.approx(geometric_interval(means))
    for cell in alone["sizes"]:
        ends = geometric_interval([cell["size"] * 10**k * (1 + r) for k in (1, 2, 3) for r in (0, 1)])
        assert (cell["low"], cell["high"]) == ends
    assert apart["exponent"][1] - apart["exponent"][0] > alone["exponent"][1] - alone["exponent"][0]


def test_a_record_gives_its_runs_world_by_world():
    record = recorded(ROOT / "checks" / "qstr" / "figure_01" / "worlds.py", "worlds", "released")
    for arm in ("transformer", "ffn"):
        for N, worlds in record.worlds(arm).items():
            assert worlds == [record.reached(arm, N=N, world=k) for k in range(1, 6)]
            assert {len(world) for world in worlds} == {3}
            assert sorted(n for world in worlds for n in world) == sorted(record.reached(arm, N=N))
    one = recorded(ROOT / "checks" / "qstr" / "figure_01" / "figure_01.py", "figure_01a", "released")
    assert one.worlds("ffn")[4] == [one.reached("ffn", N=4)]


def test_a_summary_is_kept_as_long_as_record_and_curve_are_as_they_were(tmp_path, monkeypatch):
    monkeypatch.setenv("THEORYTOOLS_CACHE", str(tmp_path / "cache"))
    source = QSTR / "records" / "sweeps" / "figure_01a.corrected.json"
    (tmp_path / "records" / "sweeps").mkdir(parents=True)
    (tmp_path / "sweeps").symlink_to(QSTR / "sweeps")
    place = tmp_path / "records" / "sweeps" / source.name
    place.write_text(text := source.read_text(encoding="utf-8"), encoding="utf-8")
    first = trained_runs(tmp_path)
    keep()
    module._RECORDS._known = None  # as in the next run
    made = []
    monkeypatch.setattr(module, "arms_of", lambda *asked: made.append(asked) or [])
    assert trained_runs(tmp_path) == first
    assert not made
    curve = "panel,architecture,N,samples\na,rnn,32,7\n"
    (tmp_path / "published_figure_01.csv").write_text(curve, encoding="utf-8")
    assert trained_runs(tmp_path)[0]["arms"] == []
    assert made.pop()[3] == {"gru": {32: 7}}
    place.write_text(text.replace('"censored"', '"stopped"'), encoding="utf-8")
    assert trained_runs(tmp_path)[0]["registered"] == first[0]["registered"]
    assert len(made) == 1


def test_the_networks_of_a_run_share_one_picture_each_with_its_own_mark_and_dashes():
    site = Contents([], papers(), RUN, Cache(None))
    shown = site.curves(papers()[0], {"figure_01a.released", "figure_01a.corrected", "span.corrected"})
    assert [(one["title"], one["protocol"]) for one in shown] == [
        ("Samples to a test loss of 0.7, general 1STR", protocol) for protocol in ("released", "corrected")
    ]  # the code as it was published goes first, and a run without a published curve is none of them
    for one in shown:
        assert [tuple(arm[:2]) for arm in one["arms"]] == [
            ("Transformer", "●"), ("feedforward network", "■"), ("GRU", "▲")]  # fmt: skip
        root = ElementTree.fromstring(one["svg"])
        groups = [group.get("class") for group in root.iter("g")]
        assert {"arm a1 d1", "arm a2 d2", "arm a3 d3"} <= set(groups)
        assert all(name in root.findtext("desc") for name in ("Transformer", "feedforward network", "GRU"))
        assert one["value"] == "prompts that training needs"
