"""What a notebook shows of this library's objects: a line of words and a table, formulas as TeX for MathJax."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from fractions import Fraction
from html import escape
from typing import Any

LONGEST = 60  # signs of a value in a cell


def table_html(title: str, rows: Iterable[Sequence[str]]) -> str:
    """Return a paragraph and a table; cells are escaped, and TeX between dollar signs is left to MathJax."""
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return f"<p>{escape(title)}</p><table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def fields_html(self: Any) -> str:
    """A frozen record such as a certificate: its fields, numbers in digits, fractions whole, long arrays by shape."""
    pairs = [(field.name, getattr(self, field.name)) for field in dataclasses.fields(self)]
    return table_html(type(self).__name__, [(name, value_text(value)) for name, value in pairs if value is not None])


def value_text(value: Any) -> str:
    """Return a value in few signs: an array as its shape, a fraction with its decimal value, the rest as it prints."""
    if getattr(value, "shape", None):
        return f"array of shape {value.shape}"
    if isinstance(value, Fraction) and value.denominator != 1:
        near = f"{float(value):.6g}" if 1e-300 < abs(value) < 1e300 else "beyond doubles"
        return f"{value} ≈ {near}" if len(str(value)) <= LONGEST else f"≈ {near}"
    text = str(value)
    return text if len(text) <= LONGEST else f"{type(value).__name__}: {text[:LONGEST]}…"


def number_html(self: Any) -> str:
    """An estimate or a recipe: the interval and how it is known."""
    value = getattr(self, "value", self) if type(self).__name__ == "Recipe" else self
    return f"<p>{escape(str(value))}, {escape(value.evidence.name.lower())}</p>"


def bound_html(self: Any) -> str:
    """A bound: its formula."""
    return f"<p>${escape(self.latex())}$</p>"


def claim_html(self: Any) -> str:
    """A claim: what it asserts, under which hypotheses, what was covered, and what must fail."""
    rows = [("asserts", f"${a.latex()}$") for a in self.assertions]
    hypotheses = [str(condition) for condition in self.requires if str(condition) != "True"]
    hypotheses += [*(stand.words for stand in self.things.values()), *self.such_that]
    rows += [("requires", "; ".join(hypotheses))] if hypotheses else []
    rows += [("scope", ", ".join(f"{who} ({how})" for who, how in self.scope.items()))] if self.scope else []
    rows += [("control", one.name) for one in self.controls]
    rows += [("grid", f"{len(self.grid)} points over {', '.join(self.grid.axes)}; expects {self.expect}")]
    return table_html(f"{self.label} ({self.role or 'role not stated'})", rows)
