"""Claims under fifty other seeds: what counts as committed, and that no committed claim rests on luck."""

import json

import pytest
from source_tree import ROOT

from theorytools.claims.judging.reseed import Reseeded, Salted, Seen
from theorytools.claims.judging.verdict import ControlResult
from theorytools.claims.papers.loading import load
from tools.reseeding import below, block, counts, entries, joined, main, otherwise, told

IDS = ("qstr.lemma_11", "qstr.theorem_01")


def one(salt, state="", control="breaks"):
    seen = (Seen(salt, state, {"N": "4"}, "loss <= 1: measured 2"),) if state else ()
    return Salted(salt, seen, (ControlResult("spoiled", ("loss",), False, 1, 1, control),) if control else ())


def test_a_salt_counts_where_rows_and_every_control_come_out_as_committed():
    assert otherwise("HOLDS", one("1"), {}) == ""
    assert otherwise("HOLDS", one("1", "refuted"), {}) == "refuted at N=4: loss <= 1: measured 2"
    assert otherwise("REFUTED", one("1", "refuted"), {}) == ""
    assert otherwise("REFUTED", one("1"), {}) == "no row is refuted"
    assert otherwise("HOLDS", one("1", "error"), {}).startswith("error")
    assert "spoiled" in otherwise("HOLDS", one("1", control="fails"), {})
    assert otherwise("HOLDS", one("1", control="fails"), {"spoiled": 1}) == ""
    assert otherwise("UNDECIDED", one("1", "undecided"), {}) == ""


def found(lucky):
    parts = [Reseeded("a.b", "HOLDS", ("codes",), tuple(one(str(k), "refuted" * (k < lucky)) for k in range(s, s + 10)))
             for s in range(0, 100, 10)]  # fmt: skip
    return {"a.b": counts(joined([told(part) for part in parts]))}


def test_a_claim_is_below_where_six_of_a_hundred_seeds_come_out_otherwise():
    assert below(found(5)) == []
    assert below(found(6)) == ["a.b"]
    assert found(6)["a.b"]["as committed"] == 94
    assert len(found(6)["a.b"]["otherwise"]) == 3


def test_a_control_with_a_share_is_asked_for_its_share():
    shares = {"spoiled": [39, "4/5"]}
    claim = {"draws": ["codes"], "salts": 50, "as committed": 50, "shares": shares}
    assert below({"a.b": claim}) == ["a.b"]
    assert below({"a.b": claim | {"shares": {"spoiled": [40, "4/5"]}}}) == []


def test_the_command_writes_a_record_and_goes_on_from_it(tmp_path, capsys):
    path = tmp_path / "record.json"
    words = [
        "--claims",
        "qstr.lemma_11",
        "qstr.theorem_01",
        "--salts",
        "2",
        "-j",
        "1",
        "--record",
        str(path),
        "--again",
    ]
    assert main(words) == 0
    first = json.loads(path.read_text())
    assert set(first["claims"]) == set(first["tree"]["claims"]) == set(IDS)
    assert first["claims"]["qstr.lemma_11"]["salts"] == 2
    assert main(words) == 0
    assert "0 judged" in capsys.readouterr().err
    assert json.loads(path.read_text()) == first


def test_no_committed_claim_rests_on_the_luck_of_its_seeds():
    record = json.loads((ROOT / "reports/reseeding.json").read_text())
    assert record["below"] == below(record["claims"]) == []
    assert record["salts"] == 50


@pytest.mark.parametrize(("id", "salt"), [
    ("qstr.lemma_11_frontier", "33"),  # two equal codes
    ("qstr.lemma_15", "8"),  # equal parameters
    ("qstr.sign_tokens_any_law", "8"),  # a row of zeros
    ("qstr.proposition_03_codes", "1"),  # dependent codes
    ("stsq.question_i_hard", "9"),  # opposite encodings
])  # fmt: skip
def test_a_draw_that_is_degenerate_is_drawn_again(id, salt):
    """Each of these seeds met such a draw, and the claim came out otherwise."""
    _, made, _ = block(id, [salt])
    assert made["draws"]
    assert made["otherwise"] == {}


def test_rows_of_zeros_do_not_keep_a_draw_from_ending():
    """Forty rows of one bit each: that none is zero by chance would be met once in 2^40 draws."""
    claim = load(entries()["qstr.sign_tokens_any_law"])
    point = claim.point({"law": "bits", "N": 1, "n": 40}, "qstr.sign_tokens_any_law")
    assert claim.construct(point).X.all()
