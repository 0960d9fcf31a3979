"""The independent checker: its arithmetic contains, its parser refuses, it stands alone, forgeries are found."""

import ast
import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
import sympy
from forgeries import APART, KINDS, judged, sealed
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theorytools import recheck
from theorytools.claims.judging.run import verify

FILE = Path(recheck.__file__)
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
     ("binomial(6, 2)", 15), ("gamma(5)", 24), ("floor(7/2) + ceiling(7/2)", 7), ("gamma(5/2)/gamma(1/2)", None)],
)  # fmt: skip
def test_formulas_are_read_as_python_reads_them(text, exact):
    box = value(text)
    assert box.low <= (Fraction(3, 4) if exact is None else exact) <= box.high
    assert exact is None or box.exact or text.startswith("exp(")


@pytest.mark.parametrize(
    "text", ["2 +", "(2", "2)", "f(", "1.5", "2 % 3", "__import__('os')", "x[0]", "", "2 3", "a.b"]
)
def test_what_is_no_formula_is_refused(text):
    with pytest.raises((AssertionError, IndexError)):
        value(text, x=Fraction(1))


@pytest.mark.parametrize("text", ["zeta(2)", "z", "cos(1)", "gamma(1/3)", "factorial(1/2)"])
def test_what_has_no_arithmetic_is_not_expressible(text):
    with pytest.raises(NotImplementedError):
        value(text)


@pytest.mark.parametrize("text", ["1/(2 - 2)", "log(0)", "log(-1)", "(-1)**(1/2)", "0**-1"])
def test_what_has_no_value_is_the_whole_line(text):
    assert recheck._infinite(value(text))


def test_it_is_one_file_of_the_standard_library():
    tree = ast.parse(FILE.read_text("utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= set(sys.stdlib_module_names)
    called = {getattr(n.func, "id", "") for n in ast.walk(tree) if isinstance(n, ast.Call)}
    assert not called & {"eval", "exec", "compile", "__import__"}
    assert len(FILE.read_text("utf-8").splitlines()) <= 500


@pytest.fixture(scope="module")
def verdicts():
    ids = ("qstr.lemma_41", "qstr.lemma_11_lower", "sep.codes_length", "stsq.encodings_average_growth")
    return [sealed(json.loads(json.dumps(verify(id).to_json()))) for id in ids]


def test_it_runs_alone_and_its_exit_code_says_what_it_found(tmp_path, verdicts):
    def run(*options):
        command = [sys.executable, *options, str(FILE), str(tmp_path), "--json"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run("-I", "-S").returncode == 2
    for verdict in verdicts:
        (tmp_path / f"{verdict['id']}.json").write_text(json.dumps(verdict))
    for options in ((), ("-I", "-S")):
        done = run(*options)
        assert done.returncode == 0, done.stdout + done.stderr
        assert json.loads(done.stdout)["confirmed"] == len(verdicts)
    (tmp_path / "qstr.lemma_41.json").write_text(json.dumps({**verdicts[0], "outcome": "REFUTED"}))
    assert run().returncode == 1


def test_no_forgery_that_changes_the_meaning_is_confirmed(verdicts):
    made, passed, examples = judged(verdicts, 200, seed=random.Random(0).randrange(1 << 30))
    assert set(made) == set(KINDS)
    assert [example for example in examples if example[0] != APART] == []
    assert sum(passed.values()) == passed[APART]
