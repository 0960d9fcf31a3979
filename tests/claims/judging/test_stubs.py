"""A template that nobody edited and a proof that is not written are no verdict."""

import pytest
from on_trial import on_trial

from theorytools.claims.judging.run import judge_entry
from theorytools.claims.judging.unfinished import PLACEHOLDERS
from theorytools.errors import CheckError

BY_PROOF = {"scope": {"every N": "points", "every item": "proof"}, "judged": False}
UNWRITTEN = [
    ("", "no proof"), ("Proof      Omitted.\n", "a proof that says 'Omitted'"), ("Proof\n", "no proof"),
    ("Proof      By induction; the details are omitted.\n", "a proof that says 'omitted'"),
    ("Proof      Omitted for want of space, as is usual.\n", "a proof that says 'Omitted'"),
    ("Proof      TODO, after the deadline, from the notes.\n", "a proof that says 'TODO'"),
    ("Proof      The second part is left\n           to the reader.\n", "a proof that says 'left to the reader'"),
]  # fmt: skip


@pytest.mark.parametrize(("proof", "said"), UNWRITTEN)
def test_a_proof_that_is_not_written_covers_nothing(tmp_path, proof, said):
    trial = on_trial(tmp_path, doc=f"Items.\n\nStatement  Few.\n{proof}Control    Less.\n", **BY_PROOF)
    with pytest.raises(CheckError) as refused:
        judge_entry(trial.entry, search=False)
    assert said in refused.value.given
    assert "'every item'" in refused.value.why
    line = refused.value.given.partition("line ")[2].partition(":")[0]
    assert int(line) == (4 if proof else 1)


def test_a_written_proof_covers_and_an_unwritten_one_of_nothing_is_not_asked_for(tmp_path):
    written = "Items.\n\nProof      Each of the items is counted once.\n"
    assert judge_entry(on_trial(tmp_path, doc=written, **BY_PROOF).entry, search=False).outcome == "HOLDS"
    assert on_trial(tmp_path / "points", doc="Items.\n\nProof      Omitted.\n").verdict.outcome == "HOLDS"


@pytest.mark.parametrize("sentence", PLACEHOLDERS)
def test_a_sentence_of_a_template_is_refused_where_it_stands_also_when_it_is_broken(tmp_path, sentence):
    first, _, rest = sentence.partition(" ")
    trial = on_trial(tmp_path, doc=f"Items.\n\nStatement  Few: {first}\n           {rest}.\n", judged=False)
    with pytest.raises(CheckError, match=r"lemma\.py, line 3: "):
        judge_entry(trial.entry, search=False)
