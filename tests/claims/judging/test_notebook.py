"""What a notebook shows: claims, bounds, estimates and certificates as HTML, verdicts as a figure, ends as numbers."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import theorytools as tt
from theorytools.errors import NumberError
from theorytools.numbers import End, float_lower, float_upper


@pytest.fixture(scope="module")
def verdict():
    return tt.verify("qstr.lemma_11")


def test_a_verdict_is_drawn_with_its_bound_and_controls(verdict, tmp_path):
    figure = verdict.plot("N")
    panels = figure.get_axes()
    assert [panel.get_ylabel() for panel in panels] == ["leakage", "token error"]
    assert all(panel.get_xlabel() == "N" for panel in panels)
    labels = panels[0].get_legend_handles_labels()[1]
    assert {"measured", "bound (<=)", "control: a duplicate code"} <= set(labels)
    figure.savefig(tmp_path / "v.png")


def test_the_measured_points_of_a_picture_are_those_of_the_rows(verdict):
    line = verdict.plot("N").get_axes()[0].containers[0].lines[0]
    own = sorted(
        (row.at["N"], *row.measured.floats) for row in verdict.rows if not row.control and "leak" in row.quantity
    )
    assert sorted(line.get_xdata()) == [float(N) for N, _, _ in own]
    for drawn in line.get_ydata():
        assert any(low <= drawn * (1 + 1e-15) and drawn * (1 - 1e-15) <= high for _, low, high in own)


def test_one_point_or_a_word_has_no_curve(verdict):
    with pytest.raises(tt.DomainError, match="to_frame"):
        replace(verdict, rows=verdict.rows[:1]).plot()
    with pytest.raises(tt.DomainError, match="along 'code'"):
        verdict.plot("code")
    with pytest.raises(tt.DomainError):
        verdict.plot("nonsense")


def test_points_are_numbers(verdict):
    row = verdict.rows[0]
    assert row.at["N"] + 1 == int(row.point["N"]) + 1
    assert isinstance(row.at["code"], str)


def test_html_of_claims_bounds_estimates_and_certificates():
    bound = tt.bound_of("qstr.lemma_11", "leakage")
    assert bound._repr_html_().startswith("<p>$")
    recipe = tt.exactly(Fraction(1, 3))
    assert recipe._repr_html_() == recipe.value._repr_html_() == "<p>0.333333, exact</p>"
    x = tt.letter("x", "a size", positive=True)
    size = tt.Quantity("size", "s", "a size < 2 & more", (0, None))
    claim = tt.Claim("A toy", size <= x, tt.grid(x=[1, 2]), lambda p: p.x, lambda x, p: {size: x}, requires=[x > 0],
                     controls=[tt.Control("half", asserts=[size <= x / 2], breaks=size)])  # fmt: skip
    shown = claim._repr_html_()
    assert "<td>$s \\le x$</td>" in shown
    assert "requires" not in shown  # what the letter's own domain says is no hypothesis
    assert "half" in shown
    certificate = tt.certify_compressor([[1, 1, 1]], T=3, d=1, q=1)
    assert "<td>risk</td><td>2/3 ≈ 0.666667</td>" in certificate._repr_html_()
    assert sympy.latex(bound.expr) == bound.latex()


@given(st.fractions())
def test_an_end_is_a_double_between_its_neighbours(q):
    end = End(q)
    assert float_lower(end) <= float(end) <= float_upper(end)
    assert float(end) == float(q)


@given(st.fractions(), st.integers(0, 200))
def test_what_an_end_prints_is_all_of_it_or_marked(q, digits):
    value = q + Fraction(1, 3**digits)
    text = str(End(value))
    if text.startswith("≈"):
        assert abs(Fraction(text[1:]) - value) <= abs(value) / 10**16
    else:
        assert Fraction(text) == value


def test_an_end_beyond_doubles_is_no_float():
    with pytest.raises(NumberError, match="range of doubles"):
        float(End(Fraction(10**400)))
    assert float(End(float("inf"))) == float("inf")
