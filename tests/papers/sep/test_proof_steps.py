"""Steps that the proofs in the docstrings of the separations rest on, each counted at small sizes."""

from itertools import product

import numpy as np
import pytest

from theorytools.papers.sep.tasks.dyck import BoundedDyck


def completion(a, n):
    """Bob's symbols beside Alice's at depth 2: what is open at height 1 is closed before the next opening bracket."""
    open_, b = a[0], []
    for symbol in a[1:]:
        b.append(open_ + n if symbol < n else symbol - n)
        open_ = symbol if symbol < n else open_
    return [*b, open_ + n]


@pytest.mark.parametrize(("n", "k", "half"), [(1, 2, 4), (1, 4, 5), (2, 2, 3), (2, 3, 3), (3, 3, 2)])
def test_rows_of_bounded_dyck_are_triangular_in_the_order_of_opening_brackets(n, k, half):
    strings = [a for a in product(range(2 * n), repeat=half) if a[0] < n]
    words = np.array([[[s for pair in zip(a, completion(c, n), strict=True) for s in pair] for c in strings]
                      for a in strings])  # fmt: skip
    accepted = BoundedDyck(n, k).automaton.accepts(words.reshape(-1, 2 * half)).reshape(len(strings), -1)
    opened = np.cumsum(np.array(strings) < n, axis=1)
    more = (opened[:, None] >= opened[None]).all(axis=2)
    same = (opened[:, None] == opened[None]).all(axis=2)
    assert accepted.diagonal().all()
    assert more[accepted].all()
    assert (accepted & same == np.eye(len(strings), dtype=bool)).all()
    assert len(strings) == n * (2 * n) ** (half - 1)


@pytest.mark.parametrize("N", [2, 3, 5, 6, 7, 11, 16, 27, 32])
def test_no_code_is_as_near_to_the_first_N_codes_as_the_first_one(N):
    """At every distance: so any weight that falls with it adds up to most at code 0, also for a code beyond N."""
    k = (N - 1).bit_length()
    counts = np.array([[sum((i ^ j).bit_count() <= d for i in range(N)) for d in range(k + 1)] for j in range(2**k)])
    assert (counts <= counts[0]).all()
