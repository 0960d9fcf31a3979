"""The independent checker: its arithmetic contains, its parser refuses, it stands alone, forgeries are found."""

import ast
import copy
import json
import math
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import mpmath
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from shared_verdicts import entries, verdict_of

from theorytools import recheck
from theorytools.claims.papers.loading import load
from theorytools.mistakes.asked import verify
from tools.forgeries import judged, sealed
from tools.forgers import APART, KINDS, follows

FILE = Path(recheck.__file__)
STATEMENTS = FILE.parent.parent / "reports" / "statements.json"
NOTHING_SPOILED = SimpleNamespace(asserts=None)
LETTERS = ("x", "y")
numbers = st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=60)


def combined(parts):
    two = st.tuples(parts, parts)
    return st.one_of(
        two.map(lambda p: f"({p[0]} + {p[1]})"), two.map(lambda p: f"({p[0]} - {p[1]})"),
        two.map(lambda p: f"{p[0]}*{p[1]}"), two.map(lambda p: f"({p[0]})/({p[1]})"),
        two.map(lambda p: f"Max({p[0]}, {p[1]})"), two.map(lambda p: f"Min({p[0]}, {p[1]})"),
        parts.map(lambda p: f"sqrt({p})"), parts.map(lambda p: f"log({p})"), parts.map(lambda p: f"exp(-({p})/20)"),
        parts.map(lambda p: f"({p})**2"), parts.map(lambda p: f"({p})**(2/3)"), parts.map(lambda p: f"Abs({p})"),
    )  # fmt: skip


formulas = st.recursive(st.sampled_from(["x", "y", "pi", "E", "2", "7"]), combined, max_leaves=6)


def value(text, bits=192, **letters):
    row = {"point": {name: str(x) for name, x in letters.items() if isinstance(x, Fraction)}}
    place = recheck._Place({"lets": {}}, row, {}, bits)
    place.values |= {name: box for name, box in letters.items() if not isinstance(box, Fraction)}
    return place.of(text)


@settings(max_examples=120, deadline=None)
@given(formulas, numbers, numbers, st.sampled_from([0, Fraction(1, 10**9), Fraction(1, 100)]))
def test_its_intervals_contain_the_values_of_mpmath_at_fifty_digits(text, x, y, width):
    box = value(text, x=recheck._Box(x - width, x + width), y=recheck._Box(y, y))
    assume(not recheck._infinite(box))
    with mpmath.workdps(70):
        names = {"Max": max, "Min": min, "Abs": abs, "sqrt": mpmath.sqrt, "log": mpmath.log, "exp": mpmath.exp}
        names |= {"x": mpmath.mpf(x.numerator) / x.denominator, "y": mpmath.mpf(y.numerator) / y.denominator}
        tree = sympy.sympify(text, locals={n: sympy.Symbol(n) for n in LETTERS}, evaluate=False)
        there = tree.xreplace({sympy.Symbol(n): sympy.Rational(v.numerator, v.denominator)
                               for n, v in (("x", x), ("y", y))})  # fmt: skip
        exact = sympy.N(there, 60)
        assume(exact.is_real)
        found = Fraction(str(exact))
    error = (abs(found) + 1) / 10**50
    assert box.low - error <= found <= box.high + error
    if width == 0:
        assert box.high - box.low <= (abs(found) + 1) / 10**30


@pytest.mark.parametrize(
    ("text", "exact"),
    [("2**10", 1024), ("-3**2", -9), ("2**-1", Fraction(1, 2)), ("8/4/2", 1), ("2 - 3 - 4", -5), ("2**3**2", 512),
     ("log(8)/log(2)", 3), ("exp(5*log(2)/2 + 0)**2", 32), ("sqrt(9/4)", Fraction(3, 2)), ("factorial(5)", 120),
     ("binomial(6, 2)", 15), ("gamma(5)", 24), ("floor(7/2) + ceiling(7/2)", 7), ("gamma(5/2)/gamma(1/2)", None),
     ("harmonic(4)", Fraction(25, 12)), ("harmonic(3, 2)", Fraction(49, 36)), ("Mod(17, 5)", 2), ("Mod(-17, 5)", 3),
     ("Mod(7/3, -1/2)", Fraction(-1, 6)), ("Sum(k**2, (k, 1, 4))", 30), ("Sum(1/k, (k, 3, 1))", 0),
     ("Sum(j*k, (j, 1, k), (k, 1, 4))", 65), ("Sum(k, (k, 1, 3)) + Sum(k + 1, (k, 1, 2))", 11),
     ("Piecewise((1, 2 > 3), (5, (2 >= 2) & ~(Eq(1, 2))), (7, True))", 5), ("Piecewise((1, Ne(2, 2)), (4, True))", 4),
     ("Piecewise((1, (1 > 2) | (1 <= 1)), (4, True))", 1), ("Piecewise((log(0), 1 < 0), (4, True))", 4)],
)  # fmt: skip
def test_formulas_are_read_as_python_reads_them(text, exact):
    box = value(text)
    assert box.low <= (Fraction(3, 4) if exact is None else exact) <= box.high
    assert exact is None or box.exact or text.startswith("exp(")


@pytest.mark.parametrize(
    "text",
    ["2 +", "(2", "2)", "f(", "1.5", "2 % 3", "__import__('os')", "x[0]", "", "2 3", "a.b", "2 <", "(k, 1", "2 < = 3"],
)
def test_what_is_no_formula_is_refused(text):
    with pytest.raises((AssertionError, IndexError)):
        value(text, x=Fraction(1))


@pytest.mark.parametrize(
    "text",
    ["zeta(2)", "z", "cos(1)", "Sum(k, (k, 1, 10**9))", "harmonic(1/2)", "LambertW(1)", "gamma(1/3)", "factorial(1/2)"],
)
def test_what_has_no_arithmetic_is_not_expressible(text):
    with pytest.raises(NotImplementedError):
        value(text)


@pytest.mark.parametrize(
    "text",
    [
        "1/(2 - 2)",
        "log(0)",
        "log(-1)",
        "(-1)**(1/2)",
        "0**-1",
        "Sum(k, (k, 1, 1/2))",
        "Piecewise((1, 1 > 2))",
        "Mod(1, 0)*log(0)",
    ],
)
def test_what_has_no_value_is_the_whole_line(text):
    assert recheck._infinite(value(text))


def test_it_is_one_file_of_the_standard_library():
    tree = ast.parse(FILE.read_text("utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= set(sys.stdlib_module_names)
    called = {getattr(n.func, "id", "") for n in ast.walk(tree) if isinstance(n, ast.Call)}
    assert not called & {"eval", "exec", "compile", "__import__"}
    assert len(FILE.read_text("utf-8").splitlines()) <= 820


def rows_of(claim):
    """How many rows its grid makes where every point is within the hypotheses."""
    return len(claim.grid) * sum(len(part.asserts or claim.assertions) for part in (NOTHING_SPOILED, *claim.controls))


@pytest.fixture(scope="module")
def verdicts():
    """Every 40th claim of the catalogue, of those that run in seconds and make at most 40 rows."""
    claims = {entry.id: load(entry) for entry in list(entries().values())[::40]}
    ids = [id for id, claim in claims.items() if claim.tier == "seconds" and rows_of(claim) <= 40]
    drawing = json.loads(json.dumps(verify("qstr.theorem_09_linear.random").to_json()))  # with its search, which draws
    made = [sealed(verdict) for verdict in (*map(verdict_of, ids), drawing)]
    return [verdict for verdict in made if recheck.examined(verdict)["state"] != "not expressible"]


def test_it_runs_alone_and_its_exit_code_says_what_it_found(tmp_path, verdicts):
    def run(*options):
        command = [sys.executable, *options, str(FILE), str(tmp_path), "--json"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run("-I", "-S").returncode == 2
    for verdict in verdicts:
        (tmp_path / f"{verdict['id']}.json").write_text(json.dumps(verdict))
    done = run("-I", "-S")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["confirmed"] == len(verdicts)
    for verdict in verdicts[1:]:
        (tmp_path / f"{verdict['id']}.json").unlink()
    assert run().returncode == 0
    (tmp_path / f"{verdicts[0]['id']}.json").write_text(json.dumps({**verdicts[0], "outcome": "REFUTED"}))
    assert run().returncode == 1


def test_no_forgery_that_changes_the_meaning_is_confirmed(verdicts):
    statements = recheck.read_statements(STATEMENTS)
    assert {recheck.examined(verdict, statements)["state"] for verdict in verdicts} == {"confirmed"}  # judged just now
    made, _, passed, examples = judged(verdicts, statements, 200, seed=random.Random(0).randrange(1 << 30))
    assert len(set(made)) > 0.8 * len(KINDS)
    assert [example for example in examples if example[0] != APART] == []
    assert sum(passed.values()) == passed[APART]


def of_evidence(verdicts, side, word):
    """A copy of the first verdict with such an interval, the row's place and the interval itself."""
    for verdict in copy.deepcopy(verdicts):
        for row in verdict["rows"]:
            for estimate in [row["measured"]] if side == "measured" else row["bound"]:
                if estimate["evidence"] == word:
                    return verdict, row, estimate
    raise LookupError(word)


@pytest.mark.parametrize("word", ["FITTED", "OBSERVED", "ENCLOSED"])
def test_a_right_side_is_computed_so_its_evidence_is_no_other(verdicts, word):
    verdict, row, estimate = of_evidence(verdicts, "bound", "EXACT")
    row["evidence"] = estimate["evidence"] = word  # even where the row follows
    assert recheck.examined(sealed(verdict))["why"] == "another evidence"


def test_a_verdict_read_from_a_record_draws_nothing(verdicts):
    verdict = next(v for v in verdicts if not any(row["measured"]["alpha"] for row in v["rows"]))
    recorded = {**verdict, "record": {}}
    assert recheck.examined(sealed(recorded))["state"] == "confirmed"
    for spent in (1e-7, verdict["plain"]["alpha"]):
        forged = {**recorded, "alpha": {**verdict["alpha"], "spent": spent}}
        assert recheck.examined(sealed(forged))["state"] == "contradicted"


def test_the_search_may_spend_what_its_points_draw_and_no_more(verdicts):
    verdict = next(v for v in verdicts if v["alpha"]["spent"] and v["searched"])
    for inside in (0, verdict["searched"]["inside"] - 1, verdict["searched"]["inside"] + 1):
        forged = {**verdict, "searched": {**verdict["searched"], "inside": inside, "open": 0}}
        honest = inside == 0 == verdict["searched"]["inside"]
        assert honest or recheck.examined(sealed(forged))["state"] == "contradicted"


def test_an_end_is_written_in_lowest_terms_and_shown_by_its_double():
    whole = {"low": {"q": ["0x1", "0x3"]}, "high": {"q": ["0x1", "0x3"]}, "evidence": "EXACT", "alpha": 0.0}
    shown = [float(Fraction(1, 3)), float(Fraction(1, 3))]
    shown[1] = math.nextafter(shown[0], 1)
    assert recheck._interval({**whole, "show": shown}).exact
    for wrong in (shown[::-1], [shown[0], math.nextafter(shown[1], 1)], [math.nextafter(shown[0], 0), shown[1]]):
        with pytest.raises(AssertionError, match="shown"):
            recheck._interval({**whole, "show": wrong})
    with pytest.raises(AssertionError, match="lowest terms"):
        recheck._interval({**whole, "low": {"q": ["0x2", "0x6"]}, "show": shown})


def test_what_is_counted_apart_is_a_measured_end_with_all_that_follows_from_it(verdicts):
    honest, row, estimate = of_evidence(verdicts, "measured", "ENCLOSED")
    assert not follows(honest, {**honest, "digest": ""})
    low = recheck._stored(estimate["low"]) - Fraction(1, 1 << 4000)
    moved = {"q": [hex(low.numerator), hex(low.denominator)]}
    forged, seen = copy.deepcopy(honest), honest["rows"].index(row)
    forged["rows"][seen]["measured"]["low"] = moved
    assert follows(honest, forged)
    for name, wrong in (("alpha", 0.5), ("evidence", "FITTED"), ("show", [0.0, 0.0]), ("low", {"q": ["0x2", "0x6"]})):
        other = copy.deepcopy(forged)
        other["rows"][seen]["measured"][name] = wrong
        assert not follows(honest, other)
    for name, wrong in (("truth", None), ("slack", 7.0), ("power", 7.0), ("bound", [])):
        assert not follows(honest, {**forged, "rows": [{**r, name: wrong} for r in forged["rows"]]})


def test_a_row_is_missing_also_where_nothing_else_tells():
    """A record keeps no points of its run, and the row is as strong as others that stay."""
    verdict = verdict_of("stsq.experiments_longer")
    assert verdict["cpu"]["points"] == []
    assert recheck.examined(sealed(verdict))["state"] == "confirmed"
    whys = set()
    for place in (i for i, row in enumerate(verdict["rows"]) if not row["control"]):
        forged = {**verdict, "rows": [row for i, row in enumerate(verdict["rows"]) if i != place]}
        found = recheck.examined(sealed(forged))
        assert found["state"] == "contradicted"
        whys.add(found["why"])
    assert "a point is missing" in whys
