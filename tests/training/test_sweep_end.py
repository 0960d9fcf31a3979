"""How a sweep ends: exponents, which of them differ, the rule, and the claims that its record decides."""

import re

import pytest
from source_tree import ROOT

from theorytools.cli.sweep_end import reading
from theorytools.training.sweep import load_sweep, sweeps_in


@pytest.fixture
def ended(cli, tmp_path):
    return cli("sweep", "figure_01a", "--profile", "published", "--from-record", "--stored", "--store",
               tmp_path / "own.sqlite", "--checks", ROOT / "checks").out  # fmt: skip


def test_a_sweep_ends_in_exponents_what_differs_and_who_decides(ended, tmp_path):
    exponents = {arm: (float(low), float(high)) for arm, low, high in
                 re.findall(r"^(\w+): grows as N to the power ([\d.]+) to ([\d.]+)", ended, re.M)}  # fmt: skip
    assert exponents.keys() == {"transformer", "ffn", "gru"}
    assert exponents["transformer"][1] < exponents["gru"][0] < exponents["gru"][1] < exponents["ffn"][0]
    assert "transformer grows more slowly than ffn: the intervals are disjoint" in ended
    assert "rule, fixed beforehand: Exponent" in ended
    assert "decided by qstr.figure_01, " in ended
    picture = (tmp_path / "own.svg").read_text(encoding="utf-8")
    assert picture.count("<svg") == 1


def shown(cell):
    return f"{cell['low']:.4g}"


def test_the_numbers_are_those_of_the_report(ended):
    from theorytools.reporting.sweep_records import trained_runs

    runs = trained_runs(ROOT / "checks" / "qstr")
    one = next(r for r in runs if (r["sweep"], r["protocol"]) == ("figure_01a", "corrected"))
    for arm in one["arms"]:
        low, high = arm["exponent"]
        assert f"{arm['arm']}: grows as N to the power {low:.2f} to {high:.2f}" in ended
        for cell in arm["sizes"]:
            assert re.search(rf"{arm['arm']} +N = {cell['size']} +{re.escape(shown(cell))} to ", ended)


def test_every_sweep_of_the_library_has_claims_that_read_it():
    for paper in ("qstr", "sep", "stsq"):
        for path in sweeps_in(ROOT / "checks" / paper).values():
            assert reading(load_sweep(path), ROOT / "checks"), path
