"""Every verdict is bound to its statement: the committed file is that of the checks, and no forgery passes it."""

import copy
import json
import random
import shutil

import pytest
from shared_verdicts import claim_of, entries
from source_tree import ROOT

from theorytools import recheck
from theorytools.claims.judging.archive import read_archive
from theorytools.claims.judging.description import document
from theorytools.claims.papers.catalogue import Catalogue
from tools.forgeries import forged, sealed
from tools.forgers import APART, KINDS, Unchanged
from tools.statements import committed_verdicts

FILE = ROOT / "reports" / "statements.json"
NOT_LIVE = ("what else is said", "evidence", "reason", "recorded")  # known once the claim is judged
OTHER = '{"schema": "theorytools.statements/1", "claims": {"a": 1}, "not expressible": {}}'
LISTED = "stsq.encodings_uniform_table_lp"  # which the checker has no arithmetic for


@pytest.fixture(scope="module")
def statements():
    return recheck.read_statements(FILE)


@pytest.fixture(scope="module")
def committed():
    return {verdict["id"]: verdict for verdict in committed_verdicts(ROOT)}


@pytest.fixture(scope="module")
def verdicts():
    """The committed verdicts of one paper that the checker confirms, in less than a twentieth of a second each."""
    small = [v for v in read_archive(ROOT / "reports" / "stsq.verdicts.xz").verdicts.values() if len(v["rows"]) < 25]
    return [v for v in small[::3] if recheck.examined(v)["state"] == "confirmed"]


def written(folder, *verdicts):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for verdict in verdicts:
        (folder / f"{verdict['id']}.json").write_text(json.dumps(verdict), encoding="utf-8")
    return folder


def answer(capsys, *arguments):
    """The exit code of the checker, and what it said as one object."""
    code = recheck.main([*map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_the_file_is_what_the_committed_verdicts_say(statements, committed):
    assert statements.claims.keys() == committed.keys() == entries().keys()
    others = [id for id, verdict in committed.items() if recheck.stated(verdict) != statements.claims[id]]
    assert others == [], "python -m tools.statements"
    for id, why in statements.inexpressible.items():
        assert recheck.examined(committed[id], statements)["why"] == why
    assert len(statements.inexpressible) <= len(committed) / 50


def live(entry, claim):
    """What a claim says before it is judged, in the form of its verdict."""
    controls = [{"name": control.name} for control in claim.controls]
    return {"id": entry.id, "label": claim.label, "expect": str(claim.expect), "controls": controls,
            **document(claim, entry, Catalogue(entry.root))}  # fmt: skip


def differences(ids, statements):
    for id in ids:
        entry, claim, said = entries()[id], claim_of(id), statements.claims[id]
        own = recheck.stated(live(entry, claim))
        places = {recheck._at({"point": claim.point(axes, "").text()}) for axes in claim.grid}
        left_out = {name.removeprefix("left out ") for name in said if name.startswith("left out ")}
        own |= {f"point {at}": said.get(f"point {at}", "missing") for at in places - left_out}
        named = {name: value for name, value in said.items() if not name.startswith(("left out ", "letters at "))}
        for name in NOT_LIVE:
            named.pop(name, None)
            own.pop(name, None)
        if own != named:
            yield id, {name for name in own.keys() | named.keys() if own.get(name) != named.get(name)}


def test_the_file_is_what_the_checks_say(statements):
    assert list(differences(list(entries())[::60], statements)) == []


@pytest.mark.slow
def test_the_file_is_what_all_checks_say(statements):
    assert list(differences(list(entries()), statements)) == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != APART])
def test_a_forgery_of_each_kind_is_refused_at_the_command_line(kind, verdicts, tmp_path, capsys):
    rng, tried = random.Random(f"{kind} 41"), 0
    while not tried:
        honest = rng.choice(verdicts)
        false = copy.deepcopy(honest)
        try:
            KINDS[kind](rng, false)
        except (Unchanged, NotImplementedError):
            continue
        tried = false != honest
    whole = false if kind == "digest" else sealed(false)
    code, told = answer(capsys, written(tmp_path / "site", whole))
    assert (code, told["contradicted"], told["confirmed"]) == (1, 1, 0)
    code, told = answer(capsys, written(tmp_path / "site", honest))
    assert (code, told["bound"], told["statements"]) == (0, 1, str(FILE))


def test_what_can_still_be_forged_is_a_measured_side(verdicts, statements):
    rng, made = random.Random(3), 0
    while made < 60:
        if (found := forged(rng, verdicts)) is not None:
            made += 1
            kind, honest, false = found
            passes = kind != "digest" and recheck.examined(sealed(false), statements)["state"] != "contradicted"
            assert not passes or kind == APART, (kind, honest["id"])


def test_statements_are_not_taken_from_the_folder_that_is_judged(verdicts, tmp_path, capsys):
    honest = verdicts[0]
    false = sealed({**honest, "scope": {"every network": "proof"}, "id": honest["id"]})
    site = written(tmp_path / "site", false)
    theirs = {
        "schema": "theorytools.statements/1",
        "not expressible": {},
        "claims": {honest["id"]: recheck.stated(false)},
    }
    for name in ("statements.json", "reports/statements.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(theirs))
    assert answer(capsys, site)[1]["statements"] == str(FILE)
    assert answer(capsys, site)[0] == 1
    assert answer(capsys, site, "--statements", tmp_path / "statements.json")[0] == 0  # to whom is told to trust it


def test_hypotheses_that_are_moved_elsewhere_are_missing(verdicts, statements):
    false = copy.deepcopy(verdicts[0])
    false["plain hypotheses"] = false["plain"].pop("hypotheses")
    assert "name of another" in recheck.examined(sealed(false), statements)["why"]


def test_not_expressible_is_a_failure_but_where_the_statement_says_so(verdicts, committed, tmp_path, capsys):
    silent = sealed({name: part for name, part in verdicts[0].items() if name != "plain"})
    site = written(tmp_path / "site", silent)
    assert answer(capsys, site)[0] == 1
    assert answer(capsys, site, "--allow-inexpressible", 1)[0] == 1  # its statement is expressible
    assert answer(capsys, site, "--unbound")[0] == 1
    assert answer(capsys, site, "--unbound", "--allow-inexpressible", 1)[0] == 0
    code, told = answer(capsys, written(tmp_path / "site", committed[LISTED]))
    assert (code, told["not expressible"]) == (0, 1)


def test_without_statements_it_says_so(verdicts, tmp_path, capsys):
    site = written(tmp_path / "site", verdicts[0])
    assert recheck.main([str(site), "--unbound"]) == 0
    assert "NOT bound to statements" in capsys.readouterr().out
    own = sealed({**verdicts[0], "id": "theirs.lemma_1"})  # of a paper that no statement is about
    assert recheck.main([str(written(site, own))]) == 0
    assert "NOT bound to statements" in capsys.readouterr().out
    assert answer(capsys, site, "--statements", FILE)[0] == 1


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", '{"schema": "theorytools.statements/1"}', "[" * 100_000, OTHER])
def test_a_file_that_holds_no_statements_is_refused(text, verdicts, tmp_path, capsys):
    (tmp_path / "other.json").write_text(text)
    site = written(tmp_path / "site", verdicts[0])
    assert recheck.main([str(site), "--statements", str(tmp_path / "other.json")]) == 2
    assert capsys.readouterr().out == ""
