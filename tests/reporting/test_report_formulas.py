"""Formulas of a report: LaTeX as MathML, text around it escaped, and a font with every glyph."""

import re

import pytest

from theorytools.reporting.claim_text import gathered
from theorytools.reporting.mathfont import FAMILY, FONT, broad_subset, font_face
from theorytools.reporting.mathml import mathml, with_math


def test_the_font_has_the_glyphs_and_text_around_formulas_is_escaped():
    from io import BytesIO

    from fontTools.ttLib import TTFont

    formula = mathml(r"\sqrt{\frac{\mathbb{R}\,x\le\|\alpha\|}{\sum_{i\in\mathcal A}\hat h}}", display=True)
    wanted = set(re.sub(r"<[^>]*>", "", formula)) | set("√ℝ𝑥≤‖𝛼∑ℎ")
    cut = TTFont(BytesIO(FONT.read_bytes()))
    assert {ord(c) for c in wanted if c.isprintable()} <= cut.getBestCmap().keys()
    assert FAMILY in font_face()
    assert set(TTFont(BytesIO(broad_subset(FONT.read_bytes()))).getBestCmap()) == set(cut.getBestCmap())
    assert "MATH" in cut
    assert cut["name"].getDebugName(1) == "Theorytools Math"
    assert "SIL Open Font License" in cut["name"].getDebugName(13)
    assert cut["name"].getDebugName(0) in (FONT.parent / "OFL.txt").read_text(encoding="utf-8")
    shown = with_math(r"cost \$5 <b> $x<y$ ``a<b`` and a lone $")
    assert "cost $5 &lt;b&gt; <math><mi>x</mi><mo>&lt;</mo><mi>y</mi></math>" in shown
    assert shown.endswith("<code>a&lt;b</code> and a lone $")
    assert with_math(":math:`N` and :class:`End`") == "<math><mi>N</mi></math> and <code>End</code>"
    a = "<math><mi>a</mi></math>"
    assert with_math("of $a$, then ($a$) or $a$.") == f"of {a}\u2060, then ({a}\u2060) or {a}\u2060."
    assert with_math(". $a$ b") == f". {a} b"


@pytest.mark.parametrize(
    ("latex", "part"),
    [(r"\overline{xy}", '<mover accent="true"><mrow><mi>x</mi><mi>y</mi></mrow><mo stretchy="true">'),
     (r"\left(1-x\right)", '<mo stretchy="false">(</mo><mn>1</mn>'),
     (r"\sup_{\|u\|=1} R", "<munder><mi>sup</mi>"),
     (r"\operatorname*{arg\,min}_x f", "<munder><mi>arg\u2009min</mi><mi>x</mi>"),
     (r"\begin{aligned}a&=b\\c&=d\end{aligned}", '<mtd style="text-align: right;'), (r"\mathbb R", "<mi>ℝ</mi>"),
     (r"\mathsf{E}", "<mi>𝖤</mi>"), (r"\mathrm{Var}(x)", "<mi>Var</mi>"), (r"x\sim y", ">∼</mo>"),
     (r"\log n", '<mi>log</mi><mo lspace="0.1667em">\u2061</mo><mi>n</mi>'),
     (r"\frac{a", '<code class="tex">\\frac{a</code>'),
     (r"\text{if $a<b$}", "<mtext>if\xa0</mtext><mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
     ("{" * 5000 + "}" * 5000, '<code class="tex">{{{'), (r"\nosuch x", '<code class="tex">\\nosuch x</code>')],
)  # fmt: skip
def test_formulas(latex, part):
    assert part in mathml(latex, display=True)


@pytest.mark.parametrize(
    ("latex", "lines"),
    [
        ("a + b = c", ["a+b=c"]),
        (r"E[\|x\|^r]^{2/r}/(dr) = C_x(d) = 2\Gamma(d)^2/(d\,\Gamma(d)^2) \le 1",
         ["E[‖x‖r]2/r/(dr)=", "Cx(d)=", "2Γ(d)2/(dΓ(d)2)≤", "1"]),
        (r"\lim_{b\to\infty} q L_d|_{a=1} = (q+1) P \le (q+1) n^{-(d-q+1)}",
         ["limb→∞\u2061qLd|a=1=", "(q+1)P≤", "(q+1)n−(d−q+1)"]),
        (r"H(\lceil\log_2(n(2p-1)+1)\rceil + d_v\lceil\log_2(2n(2p-1)+1)\rceil)",
         ["H(⌈log2\u2061(n(2p−1)+1)⌉+", "dv⌈log2\u2061(2n(2p−1)+1)⌉)"]),
        (r"\|aaaaaaaa+bbbbbbbbbbbb+cccccccccc\|", ["‖aaaaaaaa+bbbbbbbbbbbb+cccccccccc‖"]),
    ],
)  # fmt: skip
def test_a_long_formula_within_text_may_be_broken_after_its_relations(latex, lines):
    shown = [re.sub("<[^>]*>", "", line) for line in mathml(latex).split("<wbr>")]
    assert shown == lines
    whole = mathml(latex, display=True)
    assert whole.count("<math") == 1
    assert re.sub("<[^>]*>", "", whole) == "".join(lines)


def test_letters_of_one_set_are_gathered_where_the_first_stood():
    whole, real = r"\in \{1,2,\dots\}", r"\in \mathbb{R}"
    assert gathered([f"N{whole}", "q < N", f"d{whole}", f"\\rho {real}", "q < N"]) == [
        f"N, d{whole}",
        "q < N",
        f"\\rho{real}",
    ]
    assert gathered([r"L(\infty) \ge 0"]) == [r"L(\infty) \ge 0"]  # infinity is no membership
