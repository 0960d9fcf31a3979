"""Objects that the engine draws: how many, from which seeds, which one decides, and what so many draws certify."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import CHECK, N, tiny, value, write_checks

from theorytools import Catalogue, CheckError, Claim, Control, DomainError, enclosed, grid
from theorytools.claims.judging.falsify import falsify
from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.run import searched
from theorytools.claims.judging.searching import FRESH
from theorytools.claims.language.draw import certified, form, percent
from theorytools.claims.papers.loading import load
from theorytools.numbers import Enclosure
from theorytools.salts import salted
from theorytools.statistics.sampled import proportion


def coins(rng, p):
    return rng.integers(0, 2, p.N)


def drawing(**changed):
    """The number of heads among N coins is at most N; with a coin that is always heads, and one more, it is not."""
    parts = {
        "draw": coins, "draws": 8, "measure": lambda thrown, p: {value: int(thrown.sum())},
        "controls": [Control("one more", breaks=value, draw=lambda rng, p: np.ones(p.N + 1, int))],
    }  # fmt: skip
    return Claim(**{"label": "Coins", "asserts": [value <= N], "grid": grid(N=[2, 3]), **parts, **changed})


# -- seeds -----------------------------------------------------------------------------------------------------------
def test_each_draw_has_a_generator_of_its_own_keyed_by_point_and_number():
    seen = []

    def draw(rng, p):
        seen.append((p.N, int(rng.integers(0, 2**62))))
        return 1

    spoiled = Control("more", breaks=value, measure=lambda _, p: {value: p.N + 1})
    judge(drawing(draw=draw, measure=lambda _, p: {value: 0}, controls=[spoiled]), "toy.coins")
    point = drawing().point({"N": 2}, "toy.coins")
    first = [number for size, number in seen if size == 2]
    assert first == [int(point.rng(f"draw {k}").integers(0, 2**62)) for k in range(8)] * 2  # the control meets the same
    assert len({number for _, number in seen}) == 16


def test_a_seed_that_the_author_names_takes_the_place_of_the_files_name():
    plain, named = tiny(), tiny(seed="coins")
    assert plain.point({"N": 2}, "toy.a").seed("x").entropy != plain.point({"N": 2}, "toy.b").seed("x").entropy
    assert named.point({"N": 2}, "toy.a").seed("x").entropy == named.point({"N": 2}, "toy.b").seed("x").entropy
    assert named.point({"N": 2}, "toy.a").seed("x").entropy == plain.point({"N": 2}, "coins").seed("x").entropy


# -- which draw decides ----------------------------------------------------------------------------------------------
@given(numbers=st.lists(st.integers(0, 9), min_size=1, max_size=6), bound=st.integers(0, 9))
def test_an_inequality_holds_where_its_worst_draw_does(numbers, bound):
    stream = iter(numbers * 3)
    claim = drawing(
        draw=lambda rng, p: next(stream), draws=len(numbers), measure=lambda x, p: {value: x}, grid=grid(N=[2]),
        asserts=[value <= bound], controls=[Control("ten", breaks=value, measure=lambda x, p: {value: 10})],
    )  # fmt: skip
    (row,) = [row for row in judge(claim, "toy.coins").rows if not row.control]
    assert row.truth is (max(numbers) <= bound)
    assert row.measured.low == (max(numbers) if row.truth else next(x for x in numbers if x > bound))
    work = row.measured.work
    assert (work["draws"], work["failures"]) == (len(numbers), sum(x > bound for x in numbers))
    assert ("share" in work) is row.truth
    assert numbers[work["draw"]] == row.measured.low


@pytest.mark.parametrize(
    ("assertion", "numbers", "truth", "shown"),
    [
        (value >= 3, [5, 3, 4], True, 3),
        (value >= 4, [5, 3, 2], False, 3),
        (value.equals(3), [3, 3], True, 3),
        (value.equals(3), [3, 4], False, 4),
    ],
)
def test_the_row_shows_the_draw_that_decides(assertion, numbers, truth, shown):
    stream = iter(numbers * 3)
    claim = drawing(
        draw=lambda rng, p: next(stream), draws=len(numbers), measure=lambda x, p: {value: x}, grid=grid(N=[2]),
        asserts=[assertion], controls=[Control("-1", breaks=value, measure=lambda x, p: {value: -1})],
    )  # fmt: skip
    verdict = judge(claim, "toy.coins")
    assert (verdict.rows[0].truth, verdict.rows[0].measured.low) == (truth, shown)


def test_an_open_draw_leaves_the_row_open():
    half = enclosed(lambda: (Enclosure(2).sqrt()) ** 2)  # never decided against 2
    stream = iter([1, half, 1] * 3)
    claim = drawing(
        draw=lambda rng, p: [next(stream)], draws=3, measure=lambda x, p: {value: x[0]}, grid=grid(N=[2]),
        controls=[Control("3", breaks=value, measure=lambda x, p: {value: 3})],
    )  # fmt: skip
    row = judge(claim, "toy.coins").rows[0]
    assert row.truth is None
    assert (row.measured.work["failures"], row.measured.work["draw"]) == (0, 1)
    assert "share" not in row.measured.work


# -- what so many draws certify --------------------------------------------------------------------------------------
@given(st.integers(1, 3000))
def test_the_share_is_the_largest_thousandth_that_so_many_draws_exclude_below(draws):
    share = certified(draws)
    assert share**draws <= Fraction(1, 20) < (share + Fraction(1, 1000)) ** draws or share == Fraction(999, 1000)


def test_the_verdict_says_on_which_share_of_draws_it_holds():
    verdict = judge(drawing(draws=59), "toy.coins")
    assert certified(59) == Fraction(19, 20) - Fraction(0)  # 59 is the textbook's number for 95 % and 95 %
    assert "2 rows proved; at each point on at least 95 % of draws (95 %); 1 of 1 controls" in verdict.reason
    assert judge(tiny(), "toy.coins").reason.startswith("2 rows proved; 1 of 1")
    assert [percent(Fraction(k, 1000)) for k in (50, 904, 990, 998)] == ["5 %", "90 %", "99 %", "99.8 %"]


# -- nothing is dropped ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("later", "given"),
    [
        (None, "draw 1 returned nothing"),
        (np.zeros(3), "shape (3,)"),
        ([1, 2], "list of 2"),
        ((1, 2), "tuple (int, int)"),
    ],
)
def test_a_draw_without_an_object_or_of_another_form_is_an_error_of_the_check(later, given):
    stream = iter([np.zeros(2), later])
    with pytest.raises(CheckError) as found:
        judge(drawing(draw=lambda rng, p: next(stream)), "toy.coins")
    assert given in found.value.given
    assert "drawn as well" in found.value.why
    assert found.value.advice


def test_forms_tell_types_and_shapes_apart():
    assert form(np.zeros((2, 3))) == "ndarray of shape (2, 3)"
    assert len({form(x) for x in (1, 1.0, [1], [1, 1], (1,), (1.0,), "a", np.zeros(1), np.zeros(2))}) == 9


def test_a_drawn_object_is_measured_and_not_sampled_from():
    with pytest.raises(CheckError, match="sampled"):
        judge(drawing(measure=lambda x, p: {value: proportion(lambda r, s: r.random(s) < 0.5, p.seed("more"))}),
              "toy.coins")  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "given"),
    [
        ({"draws": 0}, "draws = 0 with draw="),
        ({"draws": True}, "draws = True"),
        ({"draws": 2.0}, "draws = 2.0"),
        ({"draw": None, "construct": lambda p: 1}, "draws = 8 without draw="),
        ({"draw": 3}, "draw = 3"),
        (
            {"draw": None, "draws": 0, "controls": [Control("x", breaks=value, measure=lambda x, p: {value: 9})]},
            "construct",
        ),
        ({"derive": lambda x, p: {}, "derived": []}, "derive"),
        ({"seed": 3}, "seed = 3"),
    ],
)
def test_what_does_not_fix_the_draws_is_refused(changed, given):
    with pytest.raises(CheckError) as found:
        drawing(**changed)
    assert given in found.value.given


def test_a_control_draws_only_where_its_claim_does():
    with pytest.raises(CheckError, match="draws"):
        tiny(controls=[Control("drawn", breaks=value, draw=coins)])


def test_a_file_gives_construct_or_draw(tmp_path):
    both = CHECK.replace("    controls=", "    draw=lambda rng, p: 1, draws=3, controls=", 1)
    assert both != CHECK
    with pytest.raises(CheckError, match="construct= and draw="):
        load(Catalogue(write_checks(tmp_path, lemma_01=both)).entries[0])


# -- controls --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("share", "broken", "outcome"),
    [(1, 10, "breaks"), (1, 9, "fails"), (Fraction(9, 10), 9, "breaks"), (Fraction(9, 10), 8, "fails"),
     (Fraction(1, 2), 5, "breaks")],
)  # fmt: skip
def test_a_control_breaks_where_its_share_of_draws_does(share, broken, outcome):
    stream = iter([9] * broken + [0] * (10 - broken))
    claim = drawing(
        draw=lambda rng, p: 0, draws=10, measure=lambda x, p: {value: x}, grid=grid(N=[2]),
        controls=[Control("some", breaks=value, draw=lambda rng, p: next(stream), share=share)],
    )  # fmt: skip
    verdict = judge(claim, "toy.coins")
    assert verdict.controls[0].outcome == outcome
    row = next(row for row in verdict.rows if row.control)
    assert (row.measured.work["draws"], row.measured.work["broken"]) == (10, broken)
    assert row.compared is row.truth  # the row that is shown proves what it says


def test_an_open_draw_of_a_control_counts_for_neither_side():
    root = enclosed(lambda: (Enclosure(2).sqrt()) ** 2)
    for others, outcome in (([9, 9, 9], "open"), ([9, 9, 0], "fails")):
        stream = iter([[x] for x in [root, *others]])
        claim = drawing(
            draw=lambda rng, p: [0], draws=4, measure=lambda x, p: {value: x[0]}, grid=grid(N=[2]),
            controls=[Control("some", breaks=value, draw=lambda rng, p, s=stream: next(s))],
        )  # fmt: skip
        assert judge(claim, "toy.coins").controls[0].outcome == outcome


@pytest.mark.parametrize("share", [0, 2, True, 0.9, Fraction(-1, 2), "1", None])
def test_a_share_is_an_exact_number_up_to_one(share):
    with pytest.raises(DomainError, match="share"):
        Control("x", breaks=value, share=share)


def test_a_control_of_the_assertion_alone_looks_at_the_same_objects():
    made = []
    claim = drawing(
        draw=lambda rng, p: made.append(p.N) or coins(rng, p), grid=grid(N=[3]),
        controls=[Control("minus one", breaks=value, asserts=[value <= -1])],
    )  # fmt: skip
    assert judge(claim, "toy.coins").outcome == "HOLDS"
    assert len(made) == 8


# -- the search ------------------------------------------------------------------------------------------------------
def test_a_search_draws_afresh_at_the_points_of_the_grid_and_shows_what_it_drew():
    point = tiny().point({"N": 2}, "toy.coins")
    own = {int(point.rng(f"draw {k}").integers(0, 10**6)) for k in range(8)}
    with salted(f"{FRESH} 1"):
        fresh = int(point.rng("draw 0").integers(0, 10**6))
    assert fresh not in own
    claim = drawing(
        draw=lambda rng, p: int(rng.integers(0, 10**6)), measure=lambda x, p: {value: int(x in own)}, grid=grid(N=[2]),
        listed=["N"], asserts=[value >= 1], controls=[Control("none", breaks=value, measure=lambda x, p: {value: 0})],
    )  # fmt: skip
    verdict = judge(claim, "toy.coins")
    found = searched(claim, verdict)
    assert (verdict.outcome, found.outcome, found.searched["evaluations"]) == ("HOLDS", "REFUTED", 1)
    assert found.reason.endswith("by a fresh draw, sample 1")
    assert (found.rows[-1].truth, found.rows[-1].measured.low) == (False, 0)


def test_a_search_of_objects_that_never_fail_says_how_many_it_drew():
    found = falsify(drawing(), "toy.coins", judged=True, evaluations=9)
    assert found.row is None
    assert 2 <= found.samples <= found.judged == found.evaluations == 9
    exact = replace(drawing(), draw=None, draws=0, construct=lambda p: np.ones(p.N), controls=[
        Control("one more", breaks=value, construct=lambda p: np.ones(p.N + 1))])  # fmt: skip
    plain = falsify(exact, "toy.coins", judged=True, evaluations=9, operations=1e18)
    assert (plain.row, plain.samples, plain.evaluations) == (None, 0, 2)  # N = 1 and the next one beyond the grid
    assert plain.ended == "steep"
