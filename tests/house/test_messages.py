"""What people read in messages and tables: formulas as formulas, reasons in words, columns that fit."""

import re

import pytest
from checkfolders import check, write
from hypothesis import given
from hypothesis import strategies as st

from theorytools.cli import formats
from theorytools.cli.formats import fitted, hanging
from theorytools.cli.terminal import ascii_sign
from theorytools.reporting.messages import readable, reason
from theorytools.reporting.pages.necessity import _line
from theorytools.reporting.typed_math import with_typed


@pytest.mark.parametrize(
    ("text", "shown"),
    [(r"why: A: :math:`\alpha_N\le1/N` of ``net`` in :class:`~a.b.Net`", "why: A: α_N ≤ 1/N of net in Net"),
     (r"needs $\beta\ge0$", "needs β ≥ 0"), ("costs 5", "costs 5"), (r"of $\unknown x$", r"of $\unknown x$")],
)  # fmt: skip
def test_a_message_has_no_marks_of_tex_or_of_a_docstring(text, shown):
    assert readable(text) == shown


@pytest.mark.parametrize(
    ("told", "shown"),
    [("not judged, first RecordError at N=2: given: the record of span required: the trials try: theorytools sweep",
      "not judged, first at N=2: no run is recorded there: the record of span; needed: the trials; "
      "try: theorytools sweep"),
     ("not judged, first ValueError at T=3: cannot reshape",
      "not judged, first at T=3: the check cannot be computed there (cannot reshape)"),
     ("all 1 points outside were judged: it holds at 1", "the one point outside was judged: it holds at 1")],
)  # fmt: skip
def test_a_reason_names_no_error_of_python(told, shown):
    assert reason(told) == shown
    assert with_typed(shown, {}) == _line({"hypothesis": "h", "state": "unknown", "why": told}, {}).why


def test_errors_of_checks_and_hypotheses_that_fail_are_told_in_unicode(cli, tmp_path):
    folder = write(tmp_path, "holds", "raising")
    text = check("raising").replace(
        'raise RuntimeError("no items today")', r"""raise __import__("theorytools").DomainError("$\\beta = 0$")"""
    )
    (folder / "tiny" / "raising.py").write_text(text, encoding="utf-8")
    assert "β = 0" in cli("verify", "tiny.raising").err
    searched = cli("falsify", "tiny.raising", "--seconds", "0.1")
    assert "$" not in searched.out + searched.err
    outside = cli("verify", "tiny.holds", "--at", "N=1")
    assert "required: N ≥ 2; N ∈ {1,2,…}" in outside.err
    assert "\\" not in outside.err + outside.out


@pytest.mark.parametrize(
    ("sign", "plain"),
    [("β", "beta"), ("Σ", "Sigma"), ("₂", "_2"), ("²", "^2"), ("ⁿ", "^n"), ("ℝ", "R"), ("é", "e"), ("≤", "<="),
     ("\u0302", ""), ("語", "?")],
)  # fmt: skip
def test_signs_that_a_terminal_lacks_are_written_out(sign, plain):
    assert ascii_sign(sign) == plain


WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=12), max_size=4).map(" ".join)


@given(st.lists(st.lists(WORDS, min_size=3, max_size=3), min_size=2, max_size=4), st.sampled_from([40, 60, 80]))
def test_a_table_fits_and_no_word_is_broken_or_lost(rows, width):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        texts = fitted(rows)
    assert len(texts) in (len(rows), len(rows) - 1)
    for row, text in zip(rows[-len(texts) :], texts, strict=True):
        assert max(map(len, text.splitlines() or [""])) <= width
        found = re.findall(r"[a-h]+", text)
        assert not {word for cell in row for word in cell.split()} - set(found)


def test_a_line_is_as_wide_as_it_is_written(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(
        formats, "encodable", lambda text: "".join(map(ascii_sign, text)) if not text.isascii() else text
    )
    assert max(map(len, hanging("head  ", "β ≤ γ " * 20).splitlines())) <= 40
