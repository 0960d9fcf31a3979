"""Formulas for a terminal: what has a form on one line, what stays TeX, and nothing in between."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorytools.cli.unicode_math import unicode_math, with_unicode


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"\beta(1-\rho)", "β(1−ρ)"), (r"\frac{N-1}{N-1+e^{\beta(1-\rho)}}", "(N−1)/(N−1+e^(β(1−ρ)))"),
        (r"R\ge1-\frac n{Nd}", "R ≥ 1−n/(Nd)"), (r"\frac12\|x-y\|_2^2", "1/2‖x−y‖₂²"), (r"x_{i+1}^{(h)}", "xᵢ₊₁^(h)"),
        (r"\sqrt{2\log N}", "√(2 log N)"), (r"\hat y_j\in\mathbb{R}^{d_e}", "ŷⱼ ∈ ℝ^dₑ"),
        (r"\Pr(\kappa<c)", "Pr(κ < c)"), (r"R\ge\tilde\Omega(\sqrt N)", "R ≥ Ω̃(√N)"),
        (r"k = \begin{cases} 3 & \text{for}\: r = 0 \\2 & \text{else} \end{cases}", "k = {3 for r = 0; 2 else}"),
        (r"\left\lceil\tfrac{qL}d\right\rceil", "⌈qL/d⌉"), (r"\text{rows} = 2^{N}", "rows = 2^N"),
        (r"\max_{p,t}\,(1-\pi_t)", "max _(p,t) (1−πₜ)"), (r"\min(q,d)", "min(q,d)"),
        (r"N\in \{1,2,\dots\}", "N ∈ {1,2,…}"), (r"\log{\left(2 \right)}", "log(2)"), (r"2^{10}", "2¹⁰"),
    ],
)  # fmt: skip
def test_a_formula_on_one_line(latex, shown):
    assert unicode_math(latex) == shown


@pytest.mark.parametrize("latex", [r"\begin{matrix}1&2\end{matrix}", r"\binom nk", r"\unknown x", r"\widehat{xy}"])
def test_what_has_no_such_form_stays_whole(latex):
    assert unicode_math(latex) == f"${latex}$"


def test_only_formulas_of_a_text_are_changed():
    assert with_unicode(r"costs \$5 and $\alpha_1$ of $N$") == r"costs \$5 and α₁ of N"


@given(st.text(alphabet=r"\abfrcqst{}^_ 12+-=()|$,", max_size=40))
def test_any_text_is_answered_and_no_mark_is_left(latex):
    shown = unicode_math(latex)
    assert not set(shown) & set("\ue000\ue001\ue002")
    assert shown == f"${latex}$" or "\\" not in shown
