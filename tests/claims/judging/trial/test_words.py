"""Words against code, and the sentence against its scope: each slip beside the true twin that must stay silent."""

from dataclasses import replace

import pytest
from on_trial import on_trial

from theorytools.claims.judging.description import document
from theorytools.claims.judging.trial.scope import nouns, scope, singular
from theorytools.claims.judging.trial.variants import Trial
from theorytools.claims.judging.trial.words import words
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.claims.papers.loading import load

LEAST = 'Quantity("least gap", "g", "of two items")'
LARGEST = 'Quantity("gap", r"\\max_i g_i", "of two items")'
SUP = 'Quantity("gap", r"\\sup_f|E f|", "of the class")'
MEAN = 'Quantity("mean gap", "g")'
BITS = 'Quantity("entropy", "H", "in bits")'
NATS = 'Quantity("entropy", "H", "in nats")'
SQUARED = 'Quantity("squared norm", "n")'
CHANCE = 'Quantity("errors", "e", "probability of an error")'
PAIRS = "abs(a - b) for a, b in combinations(x, 2)"
NATURAL = "enclosed(lambda: Enclosure(len(x)).log())"
SLIPS = [
    (LEAST, f"max({PAIRS})", f"min({PAIRS})"), (LARGEST, f"min({PAIRS})", f"max({PAIRS})"),
    (LEAST, "int(np.array(x).max())", "int(np.array(x).min())"), (LEAST, "max(*x)", "max(0, *[min(x)])"),
    (SUP, "abs(x[0] - x[1])", f"max({PAIRS})"), (MEAN, "max(x)", "Fraction(sum(x), len(x))"),
    ('Quantity("largest gap", "g")', "int(np.mean(x)) if x else 0", "int(np.max(x))"),
    (BITS, NATURAL, "enclosed(lambda: Enclosure(len(x)).log() / Enclosure(2).log())"),
    (NATS, "int(np.log2(4))", NATURAL), (SQUARED, "math.isqrt(sum(x))", "math.isqrt(sum(a**2 for a in x)**2)"),
    (CHANCE, "sum(a > 9 for a in x)", "Fraction(sum(a > 9 for a in x), len(x))"),
]  # fmt: skip


@pytest.mark.parametrize(("quantity", "wrong", "right"), SLIPS)
def test_a_word_that_the_code_contradicts_is_told_and_its_twin_is_not(tmp_path, quantity, wrong, right):
    def told(code, place):
        parts = {"quantity": quantity, "measure": f"lambda x, p: {{size: {code}}}", "judged": False}
        return list(words(on_trial(tmp_path / place, **parts)))

    (remark,) = told(wrong, "wrong")
    assert remark.instrument == "words"
    assert remark.advice
    assert told(right, "right") == []
    if quantity != SUP:  # a supremum that is nowhere taken has no line
        assert remark.line.startswith("lemma.py, line ")


ELSEWHERE = [
    {"measure": f"lambda x, p: {{size: max(-{PAIRS})}}"},  # a least, by signs
    {"code": "from theorytools.codes.signs import SignCode as f\n", "measure": "lambda x, p: {size: max(f(x))}"},
    {"code": "class Heap(list):\n    least = min\n", "measure": "lambda x, p: {size: max(Heap(x))}"},
    {"quantity": 'Quantity("gap", "g", "largest of the least")'}, {"quantity": 'Quantity("minimum-norm risk", "R")'},
]  # fmt: skip


@pytest.mark.parametrize("parts", ELSEWHERE)
def test_what_may_be_taken_elsewhere_or_by_other_means_is_not_told(tmp_path, parts):
    own = {"quantity": LEAST, "measure": "lambda x, p: {size: max(x)}", "judged": False}
    assert len(list(words(on_trial(tmp_path / "own", **own)))) == 1
    assert list(words(on_trial(tmp_path, **own | parts))) == []


def test_a_supremum_by_a_declared_closed_form_is_not_told(tmp_path):
    parts = {"quantity": SUP, "measure": "lambda x, p: {size: abs(x[0] - x[1])}", "judged": False}
    assert list(words(on_trial(tmp_path, scope={"every f": "closed form"}, **parts))) == []
    assert "a supremum" in next(iter(words(on_trial(tmp_path, scope={"every f": "drawn"}, **parts)))).text


SENTENCES = [
    ("For every prompt the model returns the first token.", {"every N": "points"}, "every prompt"),
    ("For all labellings there is one state.", {"every N": "points"}, "for all labelling"),
    ("On all $2^N$ inputs the answer is right.", {"every N": "points"}, "on all input"),
    ("The model is right on every input.", {"every prompt": "enumeration"}, ""),  # the papers' word for it
    ("Every item is small.", {"every N": "points"}, ""),  # the letter's meaning
    ("For every $N$ and for all $x,y$ it is small.", {"every N": "points"}, ""),  # letters: the claim asks itself
    ("Every answer is right, in every case.", {"every N": "points"}, ""),
    ("There is a code of distance 3.", {"every N": "points"}, "there is code"),
    ("Some code has distance 3.", {"every N": "points", "some code": "exhibited"}, ""),
    ("If they are many, some code repeats.", {"every N": "points"}, ""),  # within another quantifier
]


@pytest.mark.parametrize(("sentence", "bound", "said"), SENTENCES)
def test_every_noun_of_the_sentence_has_a_binder(tmp_path, sentence, bound, said):
    doc = f"Items.\n\nSetting    $N$ items.\nStatement  {sentence}\n"
    remarks = [remark.text for remark in scope(on_trial(tmp_path, doc=doc, scope=bound, judged=False))]
    assert remarks == ([f'*Statement* says "{said}", the scope does not'] if said else [])


def test_words_are_compared_in_the_singular_and_end_with_the_noun():
    assert [singular(word) for word in ("Matrices", "indices", "classes", "queries", "items", "gas")] == [
        "matrix", "index", "class", "query", "item", "gas"]  # fmt: skip
    assert nouns("trained networks of the class") == ["trained", "network"]
    assert nouns("$W$ with rows in the span") == nouns("of them") == []


OTHER = """)
other = Claim("Lemma 2", role="variant", scope=claim.scope, source="derived here: it", asserts=claim.asserts,
    grid=claim.grid, construct=claim.construct, measure=claim.measure, controls=claim.controls"""


def test_a_claim_with_its_own_sentence_is_held_to_that(tmp_path):
    doc = "Items.\n\nStatement  For every prompt it is right.\nControl    Less.\n"
    first = on_trial(tmp_path, doc=doc, judged=False, more=OTHER)
    assert len(list(scope(first))) == 1
    second = Catalogue(tmp_path / "checks").entries[1]  # a variant beside the statement: the sentence is not its own
    assert list(scope(Trial(load(second), second, first.verdict))) == []
    asked = replace(load(second), statement="For every word it is right.")
    assert ["every word" in remark.text for remark in scope(Trial(asked, second, first.verdict))] == [True]
    own = on_trial(tmp_path / "own", doc=doc, judged=False, more='statement="For every word it is right."')
    assert ["every word" in remark.text for remark in scope(own)] == [True]
    sections = dict(document(own.claim, own.entry, Catalogue(tmp_path / "own" / "checks"))["text"]["sections"])
    assert sections == {"Statement": "For every word it is right.", "Control": "Less."}
