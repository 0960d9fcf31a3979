"""Stored verdicts: a digest that a changed byte breaks, and outcomes that a new digest does not make true."""

import copy
import json

import pytest
from tiny import write_checks

from theorytools import Catalogue, DomainError
from theorytools.claims.judging.content_digest import contradiction, intact, sealed
from theorytools.claims.judging.run import judge_entry


@pytest.fixture(scope="module")
def verdict(tmp_path_factory):
    entry = Catalogue(write_checks(tmp_path_factory.mktemp("checks"))).entries[0]
    return sealed(json.loads(json.dumps(judge_entry(entry, tier="seconds").to_json())))


def row(data, control=""):
    return next(r for r in data["rows"] if r["control"] == control)


def end(measured, number):
    measured["low"] = measured["high"] = {"q": [hex(number), "0x1"]}


FORGED = {
    "a truth": (lambda d: row(d).update(truth=False), "stored outcome of 'value <= N' at N=2"),
    "an open truth": (lambda d: row(d).update(truth=None), "stored outcome of 'value <= N' at N=2"),
    "a number": (lambda d: end(row(d)["measured"], 9), "stored outcome of 'value <= N' at N=2"),
    "a bound": (lambda d: end(row(d)["bound"][0], 1), "stored outcome of 'value <= N' at N=2"),
    "a control's truth": (lambda d: row(d, "one more").update(truth=True), "stored outcome"),
    "an outcome": (lambda d: d.update(outcome="REFUTED"), "do not give its outcome"),
    "an expectation met": (lambda d: d.update(expect="REFUTED"), "do not give its as_expected"),
    "a power": (lambda d: d.update(power=100), "do not give its power"),
    "the power of an assertion": (lambda d: d["powers"].update({"value <= N": 100}), "do not give its powers"),
    "the evidence": (lambda d: d.update(evidence="FITTED"), "do not give its evidence"),
    "a control's state": (lambda d: d["controls"][0].update(outcome="holds"), "do not give its controls"),
    "a control's counts": (lambda d: d["controls"][0].update(broken=1), "do not give its controls"),
    "a control gone": (lambda d: d["controls"].clear(), "do not give its controls"),
    "the rows gone": (lambda d: d["rows"].clear(), "HOLDS without a row"),
}


def test_honest_verdicts_are_intact_in_any_order_of_fields(verdict):
    assert intact(verdict)
    assert contradiction(verdict) == ""
    assert intact(dict(reversed(verdict.items())))
    assert not intact({k: v for k, v in verdict.items() if k != "digest"})
    with pytest.raises(DomainError, match="a number that JSON does not have"):
        sealed({**verdict, "power": float("nan")})


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_field_is_found_by_the_digest_and_under_a_new_one(verdict, name):
    change, words = FORGED[name]
    forged = copy.deepcopy(verdict)
    change(forged)
    assert not intact(forged)
    forged = sealed(forged)
    assert intact(forged)
    assert words in contradiction(forged)
