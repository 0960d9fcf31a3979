"""What the good calls give, and the values next to theirs, is what was recorded; a change is accepted by a command."""

from fractions import Fraction

import good_values
import numpy as np
import pytest
import recorded_calls

RECORD = recorded_calls.recorded()


@pytest.mark.parametrize("key", sorted(RECORD))
def test_a_call_and_its_neighbours_give_what_was_recorded(key, monkeypatch):
    monkeypatch.chdir(good_values.home())
    assert recorded_calls.changes(key) == [], (
        f"python tests/recorded/recorded_calls.py {key}; --accept renews the record"
    )


def test_the_record_is_of_all_good_calls_of_what_is_mutated():
    assert RECORD.keys() == recorded_calls.keys().keys()
    assert sum(map(len, RECORD.values())) > 10 * len(RECORD)


def test_words_tell_values_apart_and_roundings_do_not():
    told = recorded_calls.told
    values = [
        0,
        1,
        1.0,
        1.5,
        True,
        "1",
        None,
        Fraction(1, 3),
        [1],
        [1, 2],
        (2, 1),
        {1: 2},
        {2: 1},
        np.eye(2),
        -np.eye(2),
    ]
    assert len({told(x) for x in values}) == len(values) - 1  # the number 1 as an integer and as a float
    assert told(0.1 + 0.2) == told(0.3)
    assert told(1 + 2.0**-11) == told((1 + 2.0**-11) * (1 + 1e-15))  # its seventh digit is a five
    assert told(1e-17) == told(0.0)
    assert told(np.arange(100.0)) != told(np.arange(100.0)[np.r_[:70, 71, 70, 72:100]])


def test_the_values_next_to_one_are_others():
    for value in (0, 1, 7, 0.0, 2.5, Fraction(3, 2), True):
        assert value not in recorded_calls.beside(value)
    assert [len(x) for x in recorded_calls.beside([1, 2, 3])] == [2, 4, 3, 3]
    assert len(recorded_calls.beside(np.zeros((2, 3)))) == 9
    assert recorded_calls.beside("word") == recorded_calls.beside(None) == []
