"""Points of a grid: one for every spelling of its numbers, and seeded by what it is."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
import sympy
from tiny import CHECK, N, tiny, value, write_checks

from theorytools import Catalogue, DomainError, grid, judge, points
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.language.grid import Grid, Point, axis_value

SPELLINGS = [21.3, "21.3", "21.30", "213/10", Fraction(213, 10), np.float64(21.3), "2.13e1", "426/20"]


@pytest.mark.parametrize("spelling", SPELLINGS, ids=repr)
def test_every_spelling_of_a_number_is_one_point(spelling):
    assert axis_value(spelling) == Fraction(213, 10)
    assert grid(beta=[spelling, *SPELLINGS[:5]]).points == [{"beta": Fraction(213, 10)}]


def test_seeds_are_keyed_by_check_axes_and_role_and_integers_stay_integers():
    for spelling in (64, 64.0, "64", "6.4e1", Fraction(64), np.int64(64), "128/2"):
        exact = axis_value(spelling)
        assert type(exact) is int
        assert exact == 64
    base = seed("toy.lemma_01", N=64, beta=21.3)
    assert all(seed("toy.lemma_01", beta=s, N="64") == base for s in SPELLINGS[:5])
    assert seed("toy.lemma_01", N=64, beta=21.4) != base
    assert seed("toy.lemma_02", N=64, beta=21.3) != base
    point = Point("toy.lemma_01", {"N": 64}, {})
    assert point.rng("codes").integers(2**62) != point.rng("prompts").integers(2**62)
    assert point.rng("codes").integers(2**62) == point.rng("codes").integers(2**62)  # whatever ran before


@pytest.mark.parametrize(
    "wrong", [True, None, float("nan"), float("inf"), "two words", "1/0", "0x10", "", [1], 1j, "nan!"]
)
def test_what_is_neither_a_number_nor_a_word_is_refused(wrong):
    with pytest.raises(DomainError):
        axis_value(wrong)


def test_grids_are_products_lists_and_sums():
    product = grid(N=[2, 3], code=["plain", "simplex"])
    assert [tuple(point.values()) for point in product] == [(2, "plain"), (2, "simplex"), (3, "plain"), (3, "simplex")]
    assert len(product + points("code N", ("plain", 3), ("plain", 4))) == 5  # a point is its letters, in any order
    assert product.axes == ("N", "code")
    assert len(grid(N=[2, 2.0, "2"])) == 1
    for wrong in (lambda: grid(N=2), lambda: grid(code="simplex"), lambda: points("N d", (1,)),
                  lambda: grid(N=[1]) + grid(d=[1]), lambda: Grid([{"N": 1}, {"d": 1}])):  # fmt: skip
        with pytest.raises(DomainError) as caught:
            wrong()
        assert caught.value.required


def seed(check, **axes):
    return Point(check, grid(**{name: [value] for name, value in axes.items()})[0], {}).rng("codes").integers(2**62)


def test_sibling_claims_meet_the_same_objects():
    """Seeds are keyed by the file: a published statement and its repair are tested on one draw."""
    seen = {}

    def construct(p):
        return p.rng("object").integers(2**40)

    for id in ("toy.lemma_01", "toy.lemma_01.published", "toy.lemma_02"):
        claim = tiny(construct=construct, measure=lambda thing, p: {value: int(thing)}, asserts=[value <= 2**40 * N])
        seen[id] = [row.measured.low for row in judge(claim, id).rows if not row.control]
    assert seen["toy.lemma_01"] == seen["toy.lemma_01.published"]
    assert seen["toy.lemma_01"] != seen["toy.lemma_02"]


def test_a_point_gives_exact_letters_and_names_the_missing_one():
    axes = grid(N=[64], y=["1/2"], code=["simplex"])[0]
    point = Point("toy.lemma_01", axes, {"t": sympy.sqrt(N) / 2, "u": sympy.sqrt(2 * N)})
    assert (point.N, point.y, point.code, point.t) == (64, Fraction(1, 2), "simplex", 4)
    assert point.u == 8 * sympy.sqrt(2)
    assert str(point) == "N=64, y=1/2, code=simplex"
    assert point.text() == {"N": "64", "y": "1/2", "code": "simplex"}
    with pytest.raises(AttributeError, match="no letter 'd'; it has N, y, code, t, u"):
        _ = point.d
    assert pickle.loads(pickle.dumps(point)) == point


def test_a_verdict_at_a_users_point_has_the_seed_of_the_grid(tmp_path):
    text = CHECK.replace("lambda p: p.N,", "lambda p: int(p.rng('object').integers(p.N)),", 1).replace(
        "p.N + 1", "10**9"
    )
    entry = Catalogue(write_checks(tmp_path, lemma_01=text)).entries[0]
    on_grid = {row.point["N"]: row.measured for row in judge_entry(entry).rows if not row.control}
    for spelling in (3, "3", 3.0, "3.0"):
        alone = judge_entry(entry, {"N": spelling})
        assert alone.rows[0].measured == on_grid["3"]
        assert alone.user_points
