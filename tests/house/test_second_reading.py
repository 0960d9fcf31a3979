"""No statement speaks louder than its rows: a second reader has read each as it stands."""

import pytest
from second_reading import fingerprint, readings, wanted


def test_every_statement_has_been_read_as_it_stands():
    known = readings()
    assert [id for id, text in wanted().items() if known.get(id, {}).get("text") != text] == []
    assert known.keys() <= wanted().keys()  # a reading of what is gone goes, too


def test_a_reading_says_what_carries_the_sentence():
    for id, one in readings().items():
        assert one.keys() <= {"claim", "text", "carried", "mended"}, id
        assert len(one["carried"]) > 20, id


PARTS = {"label": "another", "scope": {"every N": "drawn"}, "assertions": ["a >= N"], "expect": "REFUTED"}


@pytest.mark.parametrize("part", [*PARTS, "sentence"])
def test_whatever_is_read_of_a_claim_changes_its_fingerprint(tmp_path, part):
    claim = {"label": "Lemma", "scope": {"every N": "proof"}, "assertions": ["a <= N"], "expect": "HOLDS"}
    text = 'r"""It holds.\n\nSetting    Words.\nStatement  For all.\nProof      One line.\n"""\n'
    path = tmp_path / "lemma.py"
    path.write_text(text, encoding="utf-8")
    before = fingerprint(claim, path)
    path.write_text(text.replace("One line", "Two lines"), encoding="utf-8")
    assert fingerprint(claim, path) == before  # a proof that is told otherwise proves the same sentence
    if part == "sentence":
        path.write_text(text.replace("For all", "For some"), encoding="utf-8")
    assert fingerprint({**claim, part: PARTS[part]} if part in PARTS else claim, path) != before
