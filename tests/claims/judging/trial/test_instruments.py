"""Each instrument finds its slip in a small check, and says nothing of the same check mended."""

import numpy as np
import pytest
from trials_of_checks import instruments, judged

from theorytools import Evidence
from theorytools.claims.judging.trial.sampling import _dependence
from theorytools.numbers.draws import Draws

CLAIM = """
claim = Claim("L", **told, scope={scope}, grid=grid({grid}), asserts=[{asserts}], construct=construct, measure=measure,
              controls=[Control("spoiled", breaks=value, {control})])
"""


def check(code, asserts, control, grid="N=[4, 8, 16]", scope='{"every N": "points"}', more=""):
    made = CLAIM.format(scope=scope, grid=grid, asserts=asserts, control=control)
    return code + made.replace("construct=construct, measure=measure,", f"construct=construct, measure=measure, {more}")


COIN = "measure=lambda _, p: {value: proportion(lambda r, s: r.random(s) < 0.5, p.seed('c'))}"
HALF, MATRIX = "asserts=[value <= 0]", '{"every d": "points", "every matrix": "drawn"}'
# instrument, the slip, the same check mended
PAIRS = {
    "spoils": (
        check(
            """
def construct(p): return [v % 4 for v in range(p.N)]
def measure(code, p, extra=0): return {value: extra + sum(code[i] == code[j] for i in range(p.N) for j in range(i, i))}
""",
            "value <= 0",
            "measure=lambda c, p: measure(c, p, 1)",
        ),
        check(
            """
def construct(p): return [v % p.N for v in range(p.N)]
def measure(code, p): return {value: sum(code[i] == code[j] for i in range(p.N) for j in range(i + 1, p.N))}
""",
            "value <= 0",
            "construct=lambda p: [0] * p.N",
        ),
    ),
    "one formula": (
        check(
            """
def share(size, chosen): return Fraction(size - chosen, size * chosen)
def construct(p): return p.N, 2
def measure(x, p): return {value: share(*x)}
""",
            "value.equals((N - 2) / (2 * N))",
            "construct=lambda p: (p.N, 3)",
        ),
        check(
            """
def construct(p): return list(combinations(range(p.N), 2))
def measure(x, p): return {value: len(x)}
""",
            "value.equals(N * (N - 1) / 2)",
            "construct=lambda p: construct(p)[1:]",
        ),
    ),
    "derived tie": (
        check(
            """
def construct(p): return sum(i.bit_length() for i in range(p.N))
def measure(x, p): return {value: x}
""",
            "value <= C * N",
            "construct=lambda p: 2 * construct(p)",
            more="derive=lambda x, p: {C: Fraction(x, p.N)}, derived=[C],",
        ),
        check(
            """
def construct(p): return sum(i.bit_length() for i in range(p.N))
def measure(x, p): return {value: x}
""",
            "value <= C * N",
            "construct=lambda p: 3 * construct(p)",
            more="derive=lambda x, p: {C: p.N.bit_length()}, derived=[C],",
        ),
    ),
    "more draws": (
        check(
            """
def construct(p): return p.rng("matrix").integers(0, 2, size=(p.d, p.d)) * 2 - 1
def measure(A, p):
    xs = p.rng("directions").integers(-9, 10, size=(100, p.d))
    return {value: max(Fraction(int(((A @ x) ** 2).sum()), int((x**2).sum())) for x in xs if x.any())}
""",
            "value <= 2 * d",
            HALF,
            "d=[32, 64]",
            MATRIX,
            "listed=[d],",
        ),
        check(
            """
def construct(p): return p.rng("matrix").integers(0, 2, size=(p.d, p.d)) * 2 - 1
def measure(A, p): return {value: max(int(abs(row).sum()) for row in A)}
""",
            "value <= d",
            HALF,
            "d=[32, 64]",
            MATRIX,
            "listed=[d],",
        ),
    ),
    "draws": (
        check(
            """
def construct(p): return None
def measure(_, p):
    def draw(rng, size):
        right = rng.random(4 * size) < 0.6
        return right[right | (rng.random(4 * size) < 0.5)][:size]
    return {value: proportion(draw, p.seed("prompts"))}
""",
            "value >= Rational(7, 10)",
            COIN,
            "N=[4]",
            more="listed=[N],",
        ),
        check(
            """
def construct(p): return None
def measure(_, p): return {value: proportion(lambda rng, size: rng.random(size) < 0.8, p.seed("prompts"))}
""",
            "value >= Rational(7, 10)",
            COIN,
            "N=[4]",
            more="listed=[N],",
        ),
    ),
}


@pytest.mark.parametrize("instrument", PAIRS)
def test_an_instrument_finds_its_slip_and_is_silent_where_it_is_mended(tmp_path, instrument):
    wrong, mended = PAIRS[instrument]
    assert instrument in instruments(tmp_path / "wrong", wrong)
    assert instruments(tmp_path / "mended", mended) == set()


def test_the_best_of_many_seeds_is_an_extremum_over_draws(tmp_path):
    code = """
def construct(p):
    found = [p.rng(f"code {s}").integers(0, 2, size=(p.N, 64)) * 2 - 1 for s in range(40)]
    return min(found, key=coherence)
def coherence(X):
    G = abs(X @ X.T)
    G[range(len(X)), range(len(X))] = 0
    return int(G.max())
def measure(X, p): return {value: coherence(X)}
"""
    scope = '{"every N": "points", "every code": "drawn"}'
    control = "construct=lambda p: construct(p)[:1].repeat(p.N, axis=0)"
    made = check(code, "value <= 32", control, "N=[8, 12]", scope, "listed=[N],")
    assert "more draws" in instruments(tmp_path / "every", made)
    exhibited = made.replace('"every code": "drawn"', '"some code": "exhibited"')  # which may be the best of many
    assert instruments(tmp_path / "some", exhibited) == set()


def test_draws_in_groups_of_equal_ones_are_no_independent_draws():
    rng = Draws(np.random.SeedSequence(5))
    fresh = rng.random(4096)
    assert _dependence(fresh) < 6 < _dependence(np.repeat(fresh[:512], 8))
    assert _dependence((fresh < 0.01).astype(float)) < 6  # rare events, nearly all ties
    assert _dependence(np.cumsum(fresh - 0.5)) > 6


def test_an_excess_that_is_too_small_is_found_at_four_times_the_level(tmp_path):
    code = """
def construct(p): return None
def measure(_, p):
    def draw(rng, size): return -3 * np.log(1 - rng.random(size))
    return {value: truncated_mean(draw, p.seed("z"), tau=p.N, excess=EXCESS)}
"""
    control = "asserts=[value <= Rational(1, 10)]"
    wrong = check(code.replace("EXCESS", "Rational(1, 1000)"), "value <= 4", control, "N=[3]", more="listed=[N],")
    true = check(code.replace("EXCESS", "Rational(12, 10)"), "value <= 4", control, "N=[3]", more="listed=[N],")
    assert instruments(tmp_path / "wrong", wrong) == {"draws"}
    assert instruments(tmp_path / "true", true) == set()


def test_a_remark_says_where_it_is_and_travels_with_the_verdict(tmp_path):
    verdict = judged(tmp_path, PAIRS["one formula"][0])
    (remark,) = verdict.remarks
    assert remark.line == "lemma_1.py, line 27"
    assert str(remark) in str([str(r) for r in verdict.remarks])
    assert verdict.to_json()["remarks"] == [remark.to_json()]
    assert type(remark).from_json(remark.to_json()) == remark


LATE = check(
    """
def construct(p): return p.N
def measure(m, p): return {value: m * sum(Fraction(1, i) for i in range(1, m + 1))}
""",
    "value <= 4 * N",
    "asserts=[value <= N]",
    "N=[2, 4, 8, 16]",
)  # false from 31 on


def test_small_sizes_are_doubled_where_the_check_shows_that_this_is_no_great_work(tmp_path):
    verdict = judged(tmp_path / "late", LATE)
    assert verdict.outcome == "REFUTED"
    assert verdict.witness.at == {"N": 31}
    assert int(verdict.searched["reach"]["N"].partition("..")[2]) >= 31


@pytest.mark.parametrize(
    "dear",
    [
        "list(product((0, 1), repeat=min(p.N, 9)))",
        "[0] * 2 ** min(p.N, 9)",
        "[0] * pow(2, min(p.N, 9))",
        "np.zeros(int(np.exp2(min(p.N, 9))))",
    ],
)
def test_what_may_be_an_exponential_of_a_size_is_not_doubled(tmp_path, dear):
    verdict = judged(tmp_path, LATE.replace("return p.N\n", f"return len({dear}) * 0 + p.N\n"))
    assert verdict.outcome == "HOLDS"


def test_what_is_drawn_is_refuted_beside_the_grid_at_the_level_of_the_search(tmp_path):
    code = """
def construct(p): return p.N
def measure(_, p): return {value: proportion(lambda rng, size: rng.random(size) < 0.5, p.seed("coin"))}
"""
    sampled = check(code, "value <= 10 / N", "asserts=[value <= Rational(1, 10)]")  # false from 20 on
    verdict = judged(tmp_path / "sampled", sampled)
    assert (verdict.outcome, verdict.evidence, int(verdict.witness.at["N"]) >= 20) == (
        "REFUTED",
        Evidence.SAMPLED,
        True,
    )
    assert verdict.alpha_spent <= verdict.alpha_claim == pytest.approx(2e-6)


def test_an_interval_that_moves_at_one_end_looks_at_its_object(tmp_path):
    code = """
from theorytools.claims.language.estimate import enclosed_between
def construct(p): return [1] * p.N
def measure(xs, p): return {value: enclosed_between(lambda: 0, lambda: Fraction(sum(xs), 2 * p.N))}
"""
    assert instruments(tmp_path, check(code, "value <= 1", "measure=lambda xs, p: {value: 2}")) == set()


def test_two_letters_whose_product_is_the_bound_are_no_constant_of_the_data(tmp_path):
    code = """
def construct(p): return [(i, j) for i in range(p.N) for j in range(3)]
def measure(pairs, p): return {value: len(pairs)}
"""
    more = "derive=lambda x, p: {C: len({i for i, _ in x}), k: len({j for _, j in x})}, derived=[C, k],"
    made = check(code, "value <= C * k", "construct=lambda p: construct(p) * 2", more=more)
    assert instruments(tmp_path, made) == set()


def test_predictions_are_read_and_not_measured_again(tmp_path):
    code = """
def construct(p): return 1 / 3
def measure(x, p): return {value: Fraction(x)}
"""
    stated = check(code, "value <= 1", "measure=lambda x, p: {value: 2}")
    predicted = stated.replace("**told,", '**{**told, "role": "prediction"},')
    found = [judged(tmp_path / str(k), text) for k, text in enumerate((stated, predicted))]
    assert [v.evidence.name for v in found] == ["OBSERVED", "EXACT"]
    assert ["floats" in {r.instrument for r in v.remarks} for v in found] == [True, False]
