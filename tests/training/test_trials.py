"""A trial is a value: one text, one name."""

import json
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools.errors import DomainError
from theorytools.training.trials.trial import Result, canonical, trial_key

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
LEAF = st.one_of(
    st.none(), st.booleans(), st.integers(), st.fractions(), TEXT, st.floats(allow_nan=False, allow_infinity=False)
)
SPECS = st.dictionaries(
    TEXT,
    st.recursive(
        LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6
    ),
    max_size=4,
)


@examples(40, SPECS)
def test_the_text_read_back_is_the_same_value(spec):
    assert canonical(json.loads(canonical(spec))) == canonical(spec)


@examples(40, SPECS, st.randoms(use_true_random=False))
def test_the_order_of_the_keys_is_no_part_of_a_trial(spec, random):
    items = list(spec.items())
    random.shuffle(items)
    assert trial_key(dict(items)) == trial_key(spec)


@examples(40, LEAF, LEAF)
def test_values_are_one_trial_exactly_if_type_and_value_agree(a, b):
    a, b = (f"{x.numerator}/{x.denominator}" if isinstance(x, Fraction) else x for x in (a, b))
    same = type(a) is type(b) and repr(a) == repr(b)  # repr: 0.0 and -0.0 differ in their bits
    assert (trial_key({"x": a}) == trial_key({"x": b})) == same


def test_one_is_three_values_a_half_is_one_and_the_digest_is_that_of_the_text():
    assert len({trial_key({"x": x}) for x in (1, 1.0, True, "1", [1], Fraction(1))}) == 6
    assert trial_key({"x": Fraction(2, 4)}) == trial_key({"x": "1/2"})
    assert canonical({"b": (1, 2), "a": "é\n\u2028"}) == '{"a":"é\\n\u2028","b":[1,2]}'
    assert trial_key({"x": "é"}) != trial_key({"x": "e\u0301"})  # composed and decomposed: strings as they are
    # sha256 of {"N":64}, by sha256sum
    assert trial_key({"N": 64}) == "e363d1ba960708f8a57a39cf5f2e82cf806e234dd1cabbbac1b67b714c74e11b"


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), {1: 2}, {1, 2}, b"x", object(), "\ud800", 10**5000, complex(1)],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_one_text_is_refused(value):
    with pytest.raises(DomainError, match="given"):
        trial_key({"x": value})


@pytest.mark.parametrize("spec", [[1], "x", None, 3])
def test_a_specification_is_a_mapping(spec):
    with pytest.raises(DomainError, match="specification"):
        trial_key(spec)


@pytest.mark.parametrize(("status", "reason"), [("failed", ""), ("ok", ""), ("", "")])
def test_a_status_is_one_of_three_and_a_failure_has_a_reason(status, reason):
    with pytest.raises(DomainError, match="status"):
        Result({}, status, reason)
