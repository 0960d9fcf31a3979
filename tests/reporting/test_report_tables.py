"""Tables of a report: Markdown and LaTeX escape what would break a cell."""

import re

from report_examples import verdicts

from theorytools.reporting.escapes import latex_text, markdown_text
from theorytools.reporting.tables import latex_table, markdown_table


def test_tables_escape_what_markdown_and_tex_would_read():
    assert markdown_text("a|b <i> *x* $|x| < \\|y\\|$") == r"a\|b &lt;i&gt; \*x\* $\vert x\vert  \lt  \Vert y\Vert $"
    lines = markdown_table(verdicts()).splitlines()
    assert len(lines) == 2 + len(verdicts())
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {12}
    assert latex_text("50% of a_b & #1 {x} \\$5") == r"50\% of a\_b \& \#1 \{x\} \$5"
    assert latex_text("~ ^ \\") == r"\textasciitilde{} \textasciicircum{} \textbackslash{}"
    assert latex_text("≤ β $x_1^2$") == r"$\le$ $\beta$ $x_1^2$"
    table = latex_table(verdicts())
    rows = table.split("\\endfoot\n")[1].split("\\end{longtable}")[0].splitlines()
    assert {len(re.findall(r"(?<!\\)&", line)) for line in rows} == {10}
    assert table.index(r"\toprule") < table.index(r"\midrule") < table.index(r"\bottomrule")
