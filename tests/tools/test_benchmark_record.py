"""The committed benchmark record: complete, its demands met but for those named; and the command that makes it."""

import ast
import json

import pytest
from source_tree import ROOT

from theorytools.errors import DomainError
from tools.benchmarks.record import SCHEMA, combined, condensed, main, merged, processor_of, summary


def raw(**changes):
    note = {
        "unit": "pair", "seconds_per_unit": 1.23456789e-9, "reference_seconds_per_unit": 4e-9, "ratio": 3.24,
        "rounds": 5, "least_ratio": 3.0, "greatest_ratio": 3.5, "threads": 1, "demand": 2,
        "versions": {"numpy": "2.1"}, "N": 7,
    }  # fmt: skip
    cpu = {"brand_raw": "a processor", "count": 2, "family": 25, "model": 1, "flags": ["avx", "avx2"]}
    machine = {"node": "host", "machine": "x86_64", "system": "Linux", "python_version": "3.11.7",
               "cpu": cpu}  # fmt: skip
    row = {"name": "test_a", "extra_info": note | changes}
    return {"benchmarks": [row], "machine_info": machine, "datetime": "2030-01-02T03:04:05"}


def test_a_stored_run_is_condensed_and_one_slow_round_misses_the_demand():
    record = condensed(raw())
    assert record["schema"] == SCHEMA
    assert record["date"] == "2030-01-02"
    assert record["versions"] == {"python": "3.11.7", "numpy": "2.1"}
    (row,) = record["benchmarks"]
    assert (row["seconds_per_unit"], row["met"], row["facts"]) == (1.235e-9, True, {"N": 7})
    assert "host" not in json.dumps(record)
    assert record["machine"]["processor"] == row["processor"] == "a processor (family 25, model 1; AVX2)"
    assert (
        summary(record)
        == "on a processor (family 25, model 1; AVX2):\ntest_a: 3.24 times the reference (3 to 3.5), demand 2: met"
    )
    assert condensed(raw(least_ratio=1.9))["benchmarks"][0]["met"] is False
    assert condensed(raw(demand=None))["benchmarks"][0]["met"] is None


def test_a_processor_is_named_by_what_it_computes_with():
    intel = {"brand_raw": "Xeon", "flags": ["avx512f", "avx512_vpopcntdq", "avx2"]}
    assert processor_of({"cpu": intel}) == "Xeon (AVX-512 with population counts)"
    assert processor_of({"cpu": {"brand_raw": "M", "flags": ["asimd"], "model": 0}}) == "M (model 0; NEON)"
    assert processor_of({"processor": "x"}) == "x (no vector instructions named)"


@pytest.mark.parametrize("spoil", [lambda r: r.pop("datetime"), lambda r: r["benchmarks"][0].pop("extra_info"),
                                   lambda r: r["benchmarks"][0]["extra_info"].pop("ratio"),
                                   lambda r: r["benchmarks"].clear()])  # fmt: skip
def test_other_files_are_refused(spoil):
    run = raw()
    spoil(run)
    with pytest.raises(DomainError):
        condensed(run)


def test_the_command_writes_the_record(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps(raw()), encoding="utf-8")
    main(["run.json"])
    assert json.loads((tmp_path / "reports" / "benchmarks.json").read_text("utf-8")) == condensed(raw())
    assert capsys.readouterr().out.splitlines()[1].startswith("test_a: 3.24")
    for arguments in ([], ["absent.json"], ["--keep"]):
        with pytest.raises(SystemExit):
            main(arguments)


def test_rows_of_one_environment_are_kept_with_their_dates(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    other = {
        "seconds_per_unit": 8e-9,
        "ratio": 6.0,
        "least_ratio": 4.0,
        "greatest_ratio": 7.0,
        "demand": 5,
        "met": False,
    }
    first, again = raw(), raw(ratio=3.33333333)
    second = {**raw(baselines={"plain script": other}), "datetime": "2031-01-01T00:00:00"}
    second["benchmarks"][0]["name"] = again["benchmarks"][0]["name"] = "test_b"
    for name, run in (("first", first), ("second", second), ("again", again)):
        (tmp_path / f"{name}.json").write_text(json.dumps(run), encoding="utf-8")
    main(["first.json"])
    main(["--keep", "second.json"])
    record = json.loads((tmp_path / "reports" / "benchmarks.json").read_text("utf-8"))
    assert [(row["name"], row["date"]) for row in record["benchmarks"]] == [
        ("test_a", "2030-01-02"),
        ("test_b", "2031-01-01"),
    ]
    assert record["date"] == "2031-01-01"
    assert capsys.readouterr().out.endswith("test_b: 6 times the plain script (4 to 7), demand 5: missed\n")
    assert merged([condensed(second), condensed(again)])["benchmarks"][0]["ratio"] == 3.333
    cases = raw()
    cases["benchmarks"][0]["name"] = "test_a[1]"
    assert [row["name"] for row in merged([condensed(first), condensed(cases)])["benchmarks"]] == ["test_a[1]"]
    moved = raw()
    moved["machine_info"]["machine"] = "arm64"
    (tmp_path / "moved.json").write_text(json.dumps(moved), encoding="utf-8")
    with pytest.raises(SystemExit, match="one environment"):
        main(["--keep", "moved.json"])


# The plain loop spends half of its time in its steps, and no product library is much faster than its own: with free
# evaluation the ratio stays below the demand of 6.  A step of ours is its products too, at ``share_of_products`` of the
# rate of a large one (test_one_step): what is left to gain is another library or fewer test prompts.  NumPy finds near
# pairs in four passes over memory (exclusive-or, population count, comparison, search); the compiled route in one.
# Two busy cores were shared when they were measured: the spread of a row is that of its rounds.  The Transformer's
# median is 3.99 where 4 was asked for; the recurrent network's is 3.97 where 3 was, one round of its rounds 2.9.
MISSED = {
    "test_figure_1a[ffn-corrected]", "test_figure_1a[ffn-released]", "test_figure_1a[transformer-released]", "test_gru",
    "test_streamed_retrieval[numpy]",
}  # fmt: skip
# Against the plain script, in every round.  Recurrent: a median of 4.8 where 5 was asked for, between 3.6 and 5.3.
# Seven tenths of a plain step are matrix products, and ours are the same ones by the same library; kernels, another
# library and fewer test prompts are what is left, and they multiply.
SCRIPT_MISSED = {"test_gru"}
# Plain steps that reach less than nine tenths of the released code's share of the product rate: at N = 12 the products
# of an attention layer are small, and three fifths of its step are not products; the feedforward step was measured on a
# busy processor, between 1.3 and 1.6 times the released code's.
BELOW = {"test_one_step[ffn]", "test_one_step[transformer]"}
SHARES = {
    "share_of_default_products_plain": "share_of_default_products_released",
    "plain_share": "plain_share_released",
}


def test_the_committed_record_covers_every_benchmark_and_meets_its_demands():
    record = json.loads((ROOT / "reports" / "benchmarks.json").read_text("utf-8"))
    tests = {
        node.name
        for path in (ROOT / "tools" / "benchmarks").glob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    names = [row["name"] for row in record["benchmarks"]]
    assert names == sorted(set(names))
    assert {name.split("[")[0] for name in names} == tests
    assert {row["name"] for row in record["benchmarks"] if row["met"] is False} == MISSED
    assert {row["demand"] for row in record["benchmarks"]} == {None, 2, 3, 4, 5.4, 6, 20}
    scripts = {row["name"]: row["facts"]["baselines"]["plain script"] for row in record["benchmarks"]
               if "baselines" in row["facts"]}  # fmt: skip
    assert {name.split("[")[0] for name in scripts} == {"test_figure_1a", "test_gru"}
    assert {name for name, script in scripts.items() if not script["met"]} == SCRIPT_MISSED


def test_the_whole_of_figure_1a_is_computed_from_its_arms_and_meets_its_demand_in_the_median():
    """Prompts of each arm are those of the recorded sweep, seconds and ratios those of the sizes that were timed.

    Nearly all of it is recurrent, and so is the spread of its rounds: at the least ratio of every arm it would miss.
    """
    record = json.loads((ROOT / "reports" / "benchmarks.json").read_text("utf-8"))
    sweep = json.loads((ROOT / "checks/qstr/records/sweeps/figure_01a.released.json").read_text("utf-8"))
    rows = {"transformer": "test_figure_1a[transformer-released]", "ffn": "test_figure_1a[ffn-released]"}
    units = dict.fromkeys([*rows.values(), "test_gru"], 0.0)
    for trial in sweep["trials"]:
        units[rows.get(trial["spec"]["architecture"], "test_gru")] += trial["result"]["samples"] / 1000
    whole = combined(record, units, "plain script")
    assert whole["share of test_gru"] > 0.9  # so the whole is limited by what limits the recurrent network
    assert whole["least_ratio"] < 4.5 <= whole["ratio"]


def test_rows_together_cost_what_they_cost_one_by_one():
    one, other = raw(), raw()
    for run, name, seconds, ratio in ((one, "test_a", 2.0, 4.0), (other, "test_b", 3.0, 6.0)):
        script = {"seconds_per_unit": seconds, "ratio": ratio, "least_ratio": ratio / 2}
        run["benchmarks"][0]["name"] = name
        run["benchmarks"][0]["extra_info"]["baselines"] = {"script": script}
    record = merged([condensed(one), condensed(other)])
    whole = combined(record, {"test_a": 3, "test_b": 2}, "script")  # 6 + 6 seconds against 1.5 + 1
    assert whole == {"ratio": 4.8, "least_ratio": 2.4, "share of test_a": 0.5, "share of test_b": 0.5}
    assert combined(record, {"test_b": 2}, "script")["ratio"] == 6
    for units in ({"test_c": 1}, {"test_a": 0}, {}):
        with pytest.raises(DomainError):
            combined(record, units, "script")
    with pytest.raises(DomainError):
        combined(record, {"test_a": 1}, "plain script")


def test_references_are_fair_but_for_those_named_and_enclose_the_released_evaluation():
    rows = json.loads((ROOT / "reports" / "benchmarks.json").read_text("utf-8"))["benchmarks"]
    pairs = [(row["name"], row["facts"].get(ours), row["facts"].get(released)) for row in rows
             for ours, released in SHARES.items() if ours in row["facts"]]  # fmt: skip
    assert {name for name, _, _ in pairs} == {"test_gru", "test_one_step[ffn]", "test_one_step[transformer]"}
    assert {name for name, share, released in pairs if share < 0.9 * released} == BELOW
    cells = {row["name"]: row for row in rows if row["name"].startswith("test_figure_1a")}
    assert cells
    for row in cells.values():
        assert row["facts"]["reference_evaluation_share"] < 0.71 < row["facts"]["loader_evaluation_share"]
    for name in {name for name in MISSED & cells.keys() if "ffn" in name}:  # what is said of them above
        assert cells[name]["ratio"] / (1 - cells[name]["facts"]["evaluation_share"]) < 6
