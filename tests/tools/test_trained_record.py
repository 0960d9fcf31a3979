"""The record of certified checkpoints: what it counts is what it holds, and every row is consistent."""

import json

import pytest
from source_tree import ROOT

from tools import trained_certificates as study

RECORD = json.loads((ROOT / "reports" / "trained_certificates.json").read_text(encoding="utf-8"))
ROWS = [*RECORD["checkpoints"], *RECORD["ladder"]]


def test_it_is_of_the_sizes_and_steps_of_the_rule_and_counts_its_rows():
    assert RECORD["rule"] == study.RULE
    half, whole = study.STEPS // 2, study.STEPS
    cells = sorted((row["N"], row["seed"], row["step"]) for row in RECORD["checkpoints"])
    assert cells == [(N, seed, step) for N in study.SIZES for seed in range(study.SEEDS) for step in (half, whole)]
    climbed = sorted((row["N"], row["seed"], row["step"]) for row in RECORD["ladder"])
    assert climbed == [(study.LADDER[0], seed, step) for seed in range(study.SEEDS) for step in study.LADDER[1]]
    assert RECORD["within"] == sum(row["within"] for row in RECORD["checkpoints"])
    assert RECORD["of"] == len(RECORD["checkpoints"]) == 30


def test_weights_are_told_apart():
    assert len({row["digest"] for row in ROWS}) == len({(row["N"], row["seed"], row["step"]) for row in ROWS})


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['N']}-{row['seed']}-{row['step']}")
def test_a_row_is_consistent(row):
    assert row["within"] == (row["delta"] <= RECORD["delta"])
    assert row["leakage"][0] <= row["leakage"][1] <= row["delta"] <= row["leakage"][0] * 1.01 + 1e-9  # it is reached
    assert row["found"] <= row["error"]
    assert row["found"] == abs(row["failing"]["output"] - row["failing"]["label"])
    assert row["risk"][0] <= row["risk"][1] <= row["error"] ** 2 * (1 + 1e-6)
    for prompt in (row["failing"], row["leaking"]):
        assert len(prompt["T"]) == len(prompt["X"].split()) == row["N"]
