"""The ratio of the recurrent arm of Figure 1b, from the committed numbers by another route."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from devices import device
from scipy import stats
from source_tree import ROOT

construct, measure, ratio = device("qstr/figure_01/recurrent", "construct", "measure", "ratio")


def ends(protocol, arm, N):
    """The 95 % t-interval of the mean of the logarithm of the samples."""
    record = json.loads((ROOT / f"checks/qstr/records/sweeps/figure_01b.{protocol}.json").read_text("utf-8"))
    runs = [t for t in record["trials"] if (t["spec"]["architecture"], t["spec"]["N"]) == (arm, N)]
    logs = np.log([t["result"]["samples"] for t in runs])
    assert len(logs) == 5
    return stats.t.interval(0.95, 4, loc=logs.mean(), scale=stats.sem(logs))


@pytest.mark.parametrize("protocol", ["released", "corrected"])
@pytest.mark.parametrize(("above", "below"), [("gru", "transformer"), ("ffn", "gru")])
def test_a_ratio_goes_from_the_lower_end_over_the_upper_to_the_upper_over_the_lower(protocol, above, below):
    found = measure(construct(SimpleNamespace(protocol=protocol)), None, above, below)[ratio].value.floats
    a, b = ends(protocol, above, 33), ends(protocol, below, 33)
    expected = np.exp(a[0] - b[1]), np.exp(a[1] - b[0])
    step = (found[1] - found[0]) / 2**11  # by which ends are rounded outward
    assert found[0] <= expected[0] <= found[0] + step
    assert found[1] - step <= expected[1] <= found[1]
