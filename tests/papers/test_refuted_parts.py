"""A refuted claim of several quantities is refuted in each: a part that became true would hide behind the others."""

from fractions import Fraction

from shared_verdicts import claim_of, entries, rows_of

BESIDE = {  # quantities that hold at a refuted claim: they show that what refutes it is admitted
    "qstr.lemma_41.operator_reading": {"distance", "gauge"},
    "qstr.proposition_03_reading": {"largest ratio", "smallest ratio"},
    "qstr.proposition_08.operator_reading": {"risk"},
}


def several(id):
    """The quantities of a claim that is meant to be refuted, where there is more than one."""
    claim = claim_of(id)
    return {a.name for a in claim.assertions} if claim.expect == "REFUTED" else set()


def test_each_quantity_of_a_refuted_claim_has_a_refuted_row():
    found = {}
    for id in entries():
        if len(several(id)) > 1:
            rows = [row for row in rows_of(id) if not row.control]
            refuted = {row.quantity for row in rows if row.truth is False}
            found[id] = {row.quantity for row in rows} - refuted
    assert {"stsq.question_h.missed", "stsq.experiments_short_encodings.clocks"} <= found.keys()
    assert {id: rest for id, rest in found.items() if rest} == BESIDE


def test_the_limits_of_narrow_tokens_are_those_of_the_rule():
    """The limit is a letter of the grid there: a quarter of 1 - H/q for squared norms, 1/50 for the mean."""
    grid = claim_of("qstr.theorem_01_trained_heads.enough").grid
    assert {row["link"] for row in grid} == {"squares", "mean"}
    for row in grid:
        rule = (1 - Fraction(row["H"], row["q"])) / 4 if row["link"] == "squares" else Fraction(1, 50)
        assert Fraction(str(row["most"])) == rule
