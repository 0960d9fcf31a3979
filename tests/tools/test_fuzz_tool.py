"""Files of others, drawn by fixed seeds: the first cases of what ``python -m tools.fuzz`` draws for an hour."""

import pytest

from tools import fuzz


@pytest.mark.parametrize(
    ("kind", "count"), [("tex", 12), ("at", 12), ("toml", 2), ("checks", 2), ("stores", 4), ("texts", 200)]
)
def test_no_drawn_file_is_at_fault(kind, count):
    assert fuzz.run([kind], 0, count, 600.0)[1] == []


@pytest.mark.slow
def test_nor_are_those_that_follow():
    assert fuzz.run(list(fuzz.KINDS), 1000, None, 15.0)[1] == []
