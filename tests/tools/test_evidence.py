"""Of which tree a record speaks: what is changed counts as changed, what is worded otherwise does not."""

import json
import re

import pytest
from source_tree import ROOT

from theorytools.errors import DomainError
from tools import evidence


def record(**tree):
    return {"schema": "theorytools.some/1", "tree": tree}


@pytest.fixture(scope="module")
def claims():
    return dict(evidence.claims_of())


def test_a_record_of_this_tree_is_wholly_of_today_and_one_that_does_not_say_is_not(claims):
    whole = evidence.share(record(claims=claims), every=True)
    assert (whole.today, whole.of, whole.part) == (len(claims), len(claims), 1.0)
    assert str(whole) == f"100 % of {len(claims)} claims"
    for silent in ({"schema": "theorytools.some/1"}, record()):
        assert evidence.share(silent, every=True).part == 0
        assert evidence.share(silent).of == 0


def test_a_claim_that_changed_is_gone_or_is_new_counts_against_a_record(claims):
    first, second, *_ = claims
    changed = {**claims, first: "0" * evidence.SHOWN}
    gone = {**claims, "qstr.no_such_claim": claims[first]}
    new = {id: digest for id, digest in claims.items() if id != second}
    for said, of in ((changed, len(claims)), (gone, len(claims) + 1), (new, len(claims))):
        found = evidence.share(record(claims=said), every=True)
        assert (found.of, found.of - found.today) == (of, 1)
        assert not str(found).startswith("100 %")  # rounded down: one claim of hundreds is seen
    assert evidence.share(record(claims=new)).part == 1  # a record that is to be about some only


def test_claims_that_changed_while_they_were_judged_are_no_record(claims):
    evidence.refuse_changed(claims)
    first = next(iter(claims))
    with pytest.raises(DomainError, match=re.escape(first)):
        evidence.refuse_changed({**claims, first: "0" * evidence.SHOWN})


def test_no_two_claims_of_different_checks_have_one_digest(claims):
    assert len(set(claims.values())) == len(claims)
    assert {len(digest) for digest in claims.values()} == {evidence.SHOWN}


def test_of_modules_words_do_not_count_and_what_they_do_does(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("def f(x):\n    return x + 1\n", encoding="utf-8")
    said = evidence.tree_of(modules=["module.py"], root=tmp_path)

    def after(text):
        file.write_text(text, encoding="utf-8")
        return evidence.share({"tree": said}, root=tmp_path).today

    assert after('"""Words."""\n\n\ndef f(x):\n    """More."""\n    return x + 1  # words\n') == 1
    assert after("def f(x):\n    return x + 2\n") == 0
    file.unlink()
    assert evidence.share({"tree": said}, root=tmp_path).today == 0


def test_a_record_of_several_runs_speaks_of_what_they_agree_in():
    old = {"claims": {"a": "1", "b": "2", "c": "3"}}
    assert evidence.common([old]) == old
    assert evidence.common([{"claims": {"a": "1", "b": "9"}}, old]) == {"claims": {"a": "1"}}
    assert evidence.common([{"claims": {"a": "1"}}, {}]) == {"claims": {}}


def test_a_program_is_about_itself_and_what_it_imports():
    found = evidence.imported_by("tools/kills")
    assert {"tools/kills/verify.py", "theorytools/training/trials/pool.py"} <= set(found)
    assert not any(name.startswith("checks/") for name in found)


@pytest.mark.parametrize("name", ["machines", "versions"])
def test_the_records_that_speak_of_every_claim_are_of_this_tree(name):
    """A verdict that other machines and versions gave of other code says nothing of today's."""
    found = evidence.share(json.loads((ROOT / f"reports/{name}.json").read_text(encoding="utf-8")), every=True)
    assert found.part >= evidence.DEMANDED, f"{found}: python -m tools.{name} --keep build/machines -j 2"
