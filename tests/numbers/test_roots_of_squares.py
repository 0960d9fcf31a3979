"""A root of squares is taken of what cannot reach below zero: found by syntax, in the package and in the checks."""

import ast
import re
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from properties import examples
from source_tree import ROOT, SOURCES, parsed

from theorytools import Enclosure
from theorytools.constructions.conformance import check_network
from theorytools.errors import ConformanceError
from theorytools.numbers import euclidean, total
from theorytools.papers.qstr.capacity.mixed_norms import mixed_norm, vector_norm

ROOTS = re.compile(r"\.sqrt\(\)|\broot\(")


def near_zero(k, scale):
    """A ball around 0 that is no point."""
    return (Enclosure(k).sqrt() ** 2 - k) * scale


@examples(25, st.lists(st.tuples(st.integers(2, 999), st.fractions(0, 9)), min_size=1, max_size=6))
def test_a_length_near_zero_is_finite_where_products_and_powers_have_no_root(given):
    gaps = [near_zero(k, scale) for k, scale in given]
    found = euclidean(gaps)
    assert found.lower >= 0
    assert found.certainly_le(Fraction(1, 10**9))
    assert found.contains(0)


@examples(25, st.lists(st.fractions(-9, 9), min_size=1, max_size=6))
def test_a_length_of_rationals_squares_to_their_sum(values):
    found, square = euclidean(values), sum(x * x for x in values)
    assert (found**2).certainly_lt(square) is not True
    assert (found**2 - square).contains(0)
    assert not found.exact or found.fraction() ** 2 == square


def test_norms_of_matrices_at_zero_error_are_finite():
    gap = near_zero(2, 1)
    assert not total([gap * gap]).sqrt().lower >= 0  # what they were computed by
    for found in (vector_norm([gap] * 3, 2), mixed_norm([[gap, gap]] * 2, 2, 1)):
        assert found.certainly_le(Fraction(1, 10**9))


def test_a_network_that_has_no_error_passes_as_a_vector():
    from network_specimens import Shift, draw

    def suite(**off):
        pairs = check_network(Shift(**off), draw, target=lambda X: X, vectors=True)
        return {prop.name: prop for _, prop in pairs}

    suite(spread=near_zero(2, 1), certified=Fraction(1, 10**9))["certificate holds"]()
    wrong = suite(exact_offset=near_zero(2, 1) + 1, certified=1)["certificate holds"]
    with pytest.raises(ConformanceError):
        wrong()


# -- by syntax ---------------------------------------------------------------------------------------------------------
def rooted(tree):
    """What a root of balls is taken of: ``….sqrt()`` and ``root(…, 2)``, names replaced by what they were given."""
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.FunctionDef | ast.Module):
            continue
        known = {}
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                known.setdefault(node.targets[0].id, []).append(node.value)
        for node in ast.walk(scope):
            if not isinstance(node, ast.Call):
                continue
            f = node.func
            if isinstance(f, ast.Attribute) and f.attr == "sqrt" and not node.args:
                taken = f.value
            elif isinstance(f, ast.Name) and f.id == "root" and node.args:
                taken = node.args[0]
            else:
                continue
            yield node, taken
            if isinstance(taken, ast.Name):
                yield from ((node, value) for value in known.get(taken.id, ()))


def doubtful(taken):
    """Whether a ball that a root is taken of may reach below zero though the number is a square or a sum of them."""
    if isinstance(taken, ast.Call) and isinstance(taken.func, ast.Attribute) and taken.func.attr == "nonnegative_part":
        return False
    for node in ast.walk(taken):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Mult)
            and ast.dump(node.left) == ast.dump(node.right)
        ):
            return True
        summed = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "total"
        if summed and any(squared(each) for arg in node.args for each in ast.walk(arg)):
            return True
    return (
        isinstance(taken, ast.BinOp) and isinstance(taken.op, ast.Add) and squared(taken.left) and squared(taken.right)
    )


def squared(node):
    two = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant)
    return two and node.right.value == 2


def test_no_root_is_taken_of_a_product_with_itself_or_of_a_sum_of_squares():
    found = {f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}"
             for path in SOURCES if path.name != "combine.py" and ROOTS.search(path.read_text("utf-8"))
             for node, taken in rooted(parsed(path)) if doubtful(taken)}  # fmt: skip
    assert not found, "euclidean(…) of the numbers, or x**2 of one of them:\n" + "\n".join(sorted(found))


@pytest.mark.parametrize("line", [
    "total(x * x for x in sizes).sqrt()", "total([g ** 2 for g in gaps]).sqrt()", "(gap * gap).sqrt()",
    "(a ** 2 + b ** 2).sqrt()", "maximum([total(g * g for g in gaps)]).sqrt()", "(1 - w * w).sqrt()",
    "root(total(g[0] * g[0] for g in gaps), 2)", "def f(x):\n    s = total(v * v for v in x)\n    return s.sqrt()",
])  # fmt: skip
def test_the_pattern_is_found(line):
    assert any(doubtful(taken) for _, taken in rooted(ast.parse(line)))


@pytest.mark.parametrize("line", [
    "euclidean(gaps)", "(gap ** 2).sqrt()", "total(x ** 2 for x in v).nonnegative_part().sqrt()", "np.sqrt(x * x)",
    "(p * q).sqrt()", "Enclosure(2).sqrt() * Enclosure(2).sqrt()",
])  # fmt: skip
def test_what_is_safe_is_left_alone(line):
    assert not any(doubtful(taken) for _, taken in rooted(ast.parse(line)))
