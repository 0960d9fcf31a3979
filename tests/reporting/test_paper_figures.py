"""Figures and tables of claims for papers: what is drawn, in every format, the same each time; refusals."""

import csv
import io
import re
import shutil
import subprocess

import pytest
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from pylatexenc.latexwalker import LatexEnvironmentNode, LatexMacroNode, LatexWalker, LatexWalkerParseError
from report_examples import exact_claim, fitted_claim, refuted_claim, sampled_claim, undecided_claim, verdicts
from report_parts import rational, row, verdict

from theorytools import DomainError
from theorytools.reporting.paper_axes import RED, draw_chart
from theorytools.reporting.paper_figure import ENGINES, STYLES, write_figure
from theorytools.reporting.plots import figure as reported
from theorytools.reporting.series import chart
from theorytools.reporting.tables import row_table

RUN = {
    "sweep": "figure_01a", "protocol": "released", "size": "N",
    "arms": [
        {"arm": "transformer",
         "sizes": [{"size": N, "low": 900.0 * N, "high": 1000.0 * N, "published": 950 * N} for N in (4, 6)]}
    ],
}  # fmt: skip


@pytest.mark.parametrize("made", [exact_claim, fitted_claim, refuted_claim, undecided_claim])
@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_a_figure_is_the_same_each_time(tmp_path, made, kind):
    paths = [tmp_path / f"{k}.{kind}" for k in range(2)]
    for path in paths:
        write_figure(made(), [], path, kind)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].stat().st_size > 2000


def test_a_figure_for_slides_is_wider(tmp_path):
    sizes = []
    for style in ("paper", "slides"):
        write_figure(exact_claim(), [], tmp_path / "f.svg", "svg", style)
        sizes.append(float(re.search(r'width="([\d.]+)pt"', (tmp_path / "f.svg").read_text("utf-8"))[1]))
    assert 2 * sizes[0] < sizes[1]


def test_a_figure_in_numbers_has_every_measured_row_and_bound(tmp_path):
    write_figure(refuted_claim(), [], tmp_path / "f.csv", "csv")
    lines = list(csv.reader(io.StringIO((tmp_path / "f.csv").read_text("utf-8"))))
    assert [line[1:] for line in lines if line[0] == "measured"] == [[str(N), "0.75", "0.75"] for N in (2, 3, 4, 5)]
    assert [line[2] for line in lines if line[0] == "bound"] == ["0.5", "0.75", "1", "1.25"]


def test_trained_runs_stand_beside_the_published_curve_where_the_claim_reads_them(tmp_path):
    reads = {**fitted_claim(), "trained": {"figure_01a.released": {}}}
    write_figure(reads, [RUN], tmp_path / "f.csv", "csv")
    assert "transformer,4,3600.0,4000.0,3800" in (tmp_path / "f.csv").read_text("utf-8")
    write_figure(reads, [RUN], tmp_path / "f.svg", "svg")
    write_figure(fitted_claim(), [RUN], tmp_path / "g.csv", "csv")
    assert "transformer" not in (tmp_path / "g.csv").read_text("utf-8")


LONG = "a quantity whose words are long enough that they do not stand on one line of a column by themselves"


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("made", [exact_claim, fitted_claim, refuted_claim, undecided_claim, sampled_claim])
def test_it_shows_what_the_report_shows_and_nothing_is_cut_off_or_covered(made, style):
    """The question, the curves or lines, the slack below, the rows that fail and the control; all of it on the page."""
    own = {**made(), "label": LONG}
    shown, page = chart(own), reported(own)
    size, letters = STYLES[style]
    with rc_context(letters):
        drawn = Figure(figsize=size, layout="constrained")
        draw_chart(drawn, shown, own)
        FigureCanvasAgg(drawn).draw()
        whole = drawn.bbox
        texts = [one for one in drawn.findobj(Text) if one.get_text() and one.get_visible()]
        boxes = {one.get_text(): one.get_window_extent() for one in texts}
    for said, box in boxes.items():
        assert whole.x0 - 3 <= box.x0, said
        assert box.x1 <= whole.x1 + 3, said
        assert whole.y0 - 3 <= box.y0 <= box.y1 <= whole.y1 + 3, said
    words = " ".join(" ".join(boxes).split())
    assert page.question in words
    assert ("slack" in boxes) == ("fails below 1" in page.svg)
    rings = [one for one in drawn.findobj(Line2D) if one.get_color() == RED]
    assert len(rings) == sum(spot.truth is not True for spot in shown.spots)
    assert (f"control: {shown.control}" in words) == bool(shown.control)
    legend = drawn.legends[0].get_window_extent()
    assert all(legend.y1 <= axes.get_window_extent().y0 + 1 for axes in drawn.axes)  # it lies on no curve


def test_one_point_has_no_curve(tmp_path):
    one = verdict("lemma_02", rows=[row({"N": 2}, rational(1), rational(30), slack=30.0, relation="<=")])
    with pytest.raises(DomainError, match="theorytools table") as refused:
        write_figure(one, [], tmp_path / "f.svg", "svg")
    assert "leakage 1 <= 30" in str(refused.value)  # no picture, but the number


@pytest.mark.parametrize("made", [v for v in verdicts() if v.get("rows")], ids=lambda v: v["id"])
def test_a_table_has_a_line_for_each_row_and_escapes_its_text(made):
    own = [r for r in made["rows"] if not r["control"]]
    made = {"command": "theorytools verify x", **made}
    assert len(list(csv.reader(io.StringIO(row_table(made, "csv"))))) == len(own) + 1
    assert row_table(made, "markdown").count("\n") == len(own) + 2
    latex = row_table(made, "latex")
    body = latex.partition(r"\toprule")[2]
    assert body.count(r"\\") == len(own) + 1
    assert re.search(r"(?<!\\)[_%#&](?![^&]*&|.*\\\\)", re.sub(r"\$[^$]*\$", "", body).replace(" & ", "")) is None
    columns = len(re.search(r"tabular\}\{(l+)\}", latex)[1])
    assert all(line.count(" & ") == columns - 1 for line in body.splitlines() if line.endswith(r"\\"))


ENGINE = next((name for name in ENGINES if shutil.which(name)), "")
ROWS = [made for made in verdicts() if made.get("rows")]


def compiled(folder, body):
    """The pages of a document with this body, by the TeX engine that is here."""
    packages = r"\usepackage{booktabs,amsmath,amssymb,pgf}"
    page = rf"\documentclass{{article}}{packages}\begin{{document}}{body}\end{{document}}"
    (folder / "t.tex").write_text(page, "utf-8")
    command = [ENGINE, "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    return (folder / "t.pdf").read_bytes()


MACROS = {"toprule", "midrule", "bottomrule", "\\", "_", "%", "&", "#", "$", "dots", "textasciicircum", "textbackslash"}


def parsed(text):
    """The tables of a text, read by a parser of LaTeX that forgives nothing; macros outside formulas are known ones."""
    nodes, _, _ = LatexWalker(text, tolerant_parsing=False).get_latex_nodes()
    tables = [node for node in nodes if node.isNodeType(LatexEnvironmentNode)]
    for table in tables:
        own = {node.macroname for node in table.nodelist if node.isNodeType(LatexMacroNode)}
        assert own <= MACROS, own - MACROS
    return [table.environmentname for table in tables]


def test_the_tables_are_latex_and_compile_where_an_engine_is(tmp_path):
    tables = [row_table({"command": "theorytools verify x", **made}, "latex") for made in ROWS]
    for table in tables:
        assert parsed(table) == ["tabular"]
    with pytest.raises(LatexWalkerParseError):
        parsed(tables[0].replace(r"\end{tabular}", ""))
    if ENGINE:
        assert compiled(tmp_path, "\n\n".join(tables)).startswith(b"%PDF")


def test_a_pgf_figure_is_taken_in_by_a_document_or_refused_without_an_engine(tmp_path, monkeypatch):
    if ENGINE:
        write_figure(exact_claim(), [], tmp_path / "f.pgf", "pgf")
        assert r"\begin{pgfpicture}" in (tmp_path / "f.pgf").read_text("utf-8")
        assert compiled(tmp_path, r"\input{f.pgf}").startswith(b"%PDF")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DomainError, match="--format pdf needs none"):
        write_figure(exact_claim(), [], tmp_path / "g.pgf", "pgf")
    assert not (tmp_path / "g.pgf").exists()
