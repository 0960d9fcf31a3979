"""What the tests of trials share: a new store, and two worker processes."""

import pytest

from theorytools import Store
from theorytools.training.trials.pool import ProcessPool


@pytest.fixture(scope="module")
def processes():
    with ProcessPool(2) as made:
        yield made


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "trials.sqlite") as made:
        yield made
