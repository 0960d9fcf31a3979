"""The script that judges as other machines would: its settings take effect, and its comparison finds each fault."""

import copy
import json
import shutil
import subprocess
import sys

import pytest
from source_tree import ROOT

from tools.machines import __main__ as machines
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


def test_an_unknown_setting_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "tools.machines", "noise+nonsense"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 2
    assert "nonsense" in done.stderr


@pytest.mark.parametrize(
    "words", [("shuffled",), ("aten", "--claims", "qstr.lemma_11"), ("aten", "--record", "x.json")]
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
