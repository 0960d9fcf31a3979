"""The script that judges as other machines would: its settings take effect, and its comparison finds each fault."""

import copy
import json
import shutil
import subprocess
import sys

import pytest
from source_tree import ROOT

from theorytools.files import write_json
from tools.machines import __main__ as machines
from tools.machines import judging
from tools.machines.comparing import differences, ends_differ

needs_cc = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="compiles a library for Linux"
)
CLAIMS = ("sep.index_lookup_precision_signs", "qstr.lemma_12", "qstr.lemma_37")


@pytest.mark.slow
@needs_cc
def test_verdicts_do_not_see_the_last_bits_of_the_c_library(tmp_path):
    record = machines.campaign([("noise", "hash0", "shuffled")], tmp_path, list(CLAIMS), "seconds")
    (run,) = record["runs"]
    assert record["holds"], json.dumps(run)
    assert run["claims"] == len(CLAIMS)
    assert run["settings"]["noise"]["took_effect"]
    assert run["numbers_differ"] == []  # not even a last bit


def number(low, high=None, evidence="EXACT"):
    ends = {"low": {"q": [hex(low), "0x1"]}, "high": {"q": [hex(low if high is None else high), "0x1"]}}
    return {**ends, "evidence": evidence}


def verdict(**changed):
    row = {"point": {"N": "2"}, "control": "", "assertion": "a <= b", "truth": True, "power": None,
           "measured": number(1), "bound": [number(2, 3, "ENCLOSED")]}  # fmt: skip
    made = {"id": "p.c", "outcome": "HOLDS", "evidence": "ENCLOSED", "power": 2, "as_expected": True, "rows": [row]}
    return {**made, **changed}


def test_verdicts_agree_with_themselves_and_only_open_numbers_may_differ():
    assert differences(verdict(), verdict()) == []
    other = copy.deepcopy(verdict())
    other["rows"][0]["truth"] = None
    other["rows"][0]["measured"] = number(5)
    assert [text.split(":")[0] for text in differences(verdict(), other)] == ["exact end", "truth"]
    assert differences(verdict(), verdict(rows=[]))[0].startswith("rows")
    assert differences(verdict(), {"id": "p.c", "error": "no"})[0].startswith("outcome")
    assert ends_differ(number(1), number(2)) == "exact end"
    assert ends_differ(number(1, 3, "ENCLOSED"), number(2, 4, "ENCLOSED")) == ""
    assert ends_differ(number(1, 2, "SAMPLED"), number(3, 4, "SAMPLED")) == "enclosure"
    assert ends_differ(number(1, 2, "FITTED"), number(3, 4, "FITTED")) == ""
    assert ends_differ(number(1, 2, "OBSERVED"), number(3, 4, "EXACT")) == "enclosure"


@pytest.mark.parametrize(
    ("field", "value"), [("outcome", "REFUTED"), ("evidence", "EXACT"), ("power", None), ("as_expected", False)]
)
def test_a_changed_field_is_found(field, value):
    assert [text.split(":")[0] for text in differences(verdict(), verdict(**{field: value}))] == [field]


@pytest.fixture
def two_folders(tmp_path):
    """A plain run, and what another machine made of the same claims; its report, its state, and the digests."""
    claims = {"p.a": "1", "p.b": "2"}
    for id, digest in claims.items():
        write_json(tmp_path / "plain" / f"{id}.json", {**verdict(id=id), "tree": digest})
        write_json(tmp_path / "other/verdicts" / f"{id}.json", verdict(id=id))
    write_json(tmp_path / "other/verdicts/p.a.before.json", verdict(id="p.a", outcome="REFUTED"))  # of an earlier run
    state = {"machine": {"cpu": "another"}, "versions": {"python": "3.12.9"}, "tree": {"claims": claims}}
    write_json(tmp_path / "other/state.json", state)
    return tmp_path, claims, state


def test_what_is_brought_from_another_machine_is_compared_with_the_plain_run_and_says_whose_it_is(two_folders):
    folder, claims, _ = two_folders
    made = machines.brought_run(folder / "plain", folder / "other", claims)
    assert (made["same"], made["claims"], made["machine"]) == (True, 2, {"cpu": "another"})
    write_json(folder / "other/verdicts/p.a.json", verdict(id="p.a", power=3))
    (folder / "other/verdicts/p.b.json").unlink()
    made = machines.brought_run(folder / "plain", folder / "other", claims)
    assert not made["same"]
    assert {id: said[0].split(":")[0] for id, said in made["differ"].items()} == {
        "p.a": "power", "p.b": "not judged in both runs"
    }  # fmt: skip


def test_verdicts_of_another_tree_are_no_evidence_however_equal_they_are(two_folders):
    folder, claims, state = two_folders
    write_json(folder / "other/state.json", {**state, "tree": {"claims": {**claims, "p.b": "3"}}})
    made = machines.brought_run(folder / "plain", folder / "other", claims)
    assert (made["same"], list(made["differ"])) == (False, ["p.b"])


def test_a_run_goes_into_a_record_with_the_others_of_the_same_tree(tmp_path):
    def run(setting, same=True, **more):
        return {"settings": {setting: {"took_effect": True}} if setting else {}, "same": same, **more}

    def record(*runs):
        return {"schema": machines.SCHEMA, "tree": {"claims": {"p.a": "1"}}, "runs": list(runs)}

    path, elsewhere = tmp_path / "record.json", run("", machine={"cpu": "another"}, versions={"python": "3.12"})
    assert machines.merged(path, record(run("zen")))["holds"]  # there is none yet
    write_json(path, record(run("zen", same=False), run("noise"), elsewhere))
    made = machines.merged(path, record(run("zen")))
    assert (made["holds"], len(made["runs"])) == (True, 3)
    assert not machines.merged(path, record(run("noise")))["holds"]  # the run that failed is still there
    again = run("", same=False, machine={"cpu": "another"}, versions={"python": "3.12"})
    assert [one["same"] for one in machines.merged(path, record(run("zen"), again))["runs"]] == [True, True, False]


def test_of_an_earlier_tree_a_run_says_what_it_says_of_claims_of_the_same_code(tmp_path, capsys):
    old = {"settings": {"zen": {"took_effect": True}}, "claims": 3, "same": False, "differ": {"p.b": ["power"]},
           "identical": {"rows": 3, "enclosure": 2}, "numbers_differ": ["p.a", "p.c"]}  # fmt: skip
    path, now = tmp_path / "record.json", {"settings": {}, "same": True, "machine": {"cpu": "another"}}

    def of(*digests, kept=old):
        write_json(path, {"schema": machines.SCHEMA, "tree": {"claims": {"p.a": "1", "p.b": "2", "p.c": "3"}},
                          "runs": [kept]})  # fmt: skip
        claims = dict(zip(("p.a", "p.b", "p.c"), digests, strict=True))
        return machines.merged(path, {"schema": machines.SCHEMA, "tree": {"claims": claims}, "runs": [now]})

    whole = of("1", "2", "3")
    assert (whole["runs"], whole["holds"]) == ([old, now], False)
    part, last = of("1", "9", "3")["runs"]
    assert last == now
    assert (part["claims"], part["same"], part["differ"]) == (2, True, {})
    assert part["tree"] == {"claims": {"p.a": "1", "p.c": "3"}}
    assert (part["identical"], part["numbers_differ"]) == ({"rows": 2}, ["p.a", "p.c"])
    failed = of("9", "2", "3")
    assert (failed["runs"][0]["differ"], failed["holds"]) == ({"p.b": ["power"]}, False)
    assert of("1", "8", "8", kept=part)["runs"][0]["claims"] == 1  # and of what is left, once more
    assert of("8", "2", "8", kept=part)["runs"] == [now]  # which it says nothing of
    assert capsys.readouterr().out.count("of another tree") == 1
    assert len(of("8", "9", "8")["runs"]) == 1


def test_a_verdict_is_kept_while_the_code_of_its_claim_is_the_same_and_the_file_whole(tmp_path):
    path = tmp_path / "p.a.json"
    assert not judging.kept(tmp_path, "p.a", "1")
    write_json(path, {**verdict(id="p.a"), "tree": "1"})
    assert judging.kept(tmp_path, "p.a", "1")
    assert not judging.kept(tmp_path, "p.a", "2")
    path.write_text(path.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    assert not judging.kept(tmp_path, "p.a", "1")


@pytest.mark.slow
def test_an_interrupted_run_goes_on_where_it_was_and_judges_again_what_changed(tmp_path):
    claims, digests = CLAIMS[:2], machines.evidence.claims_of()
    asked = {id: digests[id] for id in claims}
    machines.judged("first", tmp_path, asked, "seconds")
    before = {id: (tmp_path / f"{id}.json").stat().st_mtime_ns for id in claims}
    kept = (tmp_path / f"{claims[0]}.json").read_bytes()
    (tmp_path / f"{claims[1]}.json").unlink()
    machines.judged("second", tmp_path, asked, "seconds", jobs=2)
    assert (tmp_path / f"{claims[0]}.json").read_bytes() == kept
    machines.judged("third", tmp_path, {**asked, claims[0]: "changed"}, "seconds", together=True)
    assert (tmp_path / f"{claims[0]}.json").stat().st_mtime_ns > before[claims[0]]
    assert not list(tmp_path.glob(".*"))


def test_an_unknown_setting_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "tools.machines", "noise+nonsense"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 2
    assert "nonsense" in done.stderr


def test_a_folder_that_says_nothing_of_its_machine_and_a_claim_that_is_none_are_refused(tmp_path, monkeypatch, capsys):
    for words, said in ((["--brought", str(tmp_path)], "state.json"), (["--claims", "qstr.no_lemma"], "qstr.no_lemma")):
        monkeypatch.setattr(sys, "argv", ["machines", *words])
        with pytest.raises(SystemExit) as end:
            machines.main()
        assert end.value.code == 2
        assert said in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    "words",
    [
        ("shuffled",),
        ("aten", "--claims", "qstr.lemma_11"),
        ("aten", "--record", "x.json"),
        ("aten", "--into", "x.json"),
    ],
)
def test_tests_have_neither_an_order_nor_claims(words, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["machines.py", *words, "--tests", "tests/numbers"])
    with pytest.raises(SystemExit) as end:
        machines.main()
    assert end.value.code == 2
    assert "--tests" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.slow
def test_a_test_that_sees_the_setting_is_named(tmp_path, capsys):
    seen = "import os\n\ndef test_it():\n    assert os.environ['PYTHONHASHSEED'] != '0'\n"
    (tmp_path / "test_seed.py").write_text(seen, encoding="utf-8")
    assert not machines.tests_under([("hash0",), ("hash1",)], tmp_path, [str(tmp_path / "test_seed.py")])
    told = [json.loads(line.partition(": ")[2]) for line in capsys.readouterr().out.splitlines()]
    assert [made["exit"] for made in told] == [0, 1, 0]
    assert "test_it" in told[1]["failed"][0]
    assert told[2]["took_effect"] == {"hash1": True}
