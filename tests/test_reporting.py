"""The report: one inert page that needs nothing else, from verdicts alone."""

import ast
import json
import re
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import pytest

from theorytools import files, reporting
from theorytools.errors import DomainError
from theorytools.reporting import numbers, page
from theorytools.reporting.mathfont import FONT, characters_of, subset
from theorytools.reporting.mathml import mathml, with_math
from theorytools.reporting.plots import draw, scale
from theorytools.reporting.series import chart
from theorytools.reporting.svg import HEIGHT, WIDTH
from theorytools.reporting.tables import latex_text, markdown_text

BOUND = r"\frac{N - 1}{N + e^{\beta \left(1 - \rho\right)} - 1}"
SIGNS = {"<=": r"\leq", ">=": r"\geq", "==": "="}
RUN = {
    "created": "2026-11-20T12:00:00+00:00",
    "versions": {"python": "3.11.7", "numpy": "2.4.6", "python-flint": "0.9.0"},
    "alpha_spent": 7.5e-7,
    "complete": True,
    "command": "theorytools verify",
}


def rational(value):
    value = Fraction(value)
    show = [float(value)] * 2 if abs(value) < Fraction(10) ** 300 else [1.7976931348623157e308, None]
    end = {"q": [hex(value.numerator), hex(value.denominator)]}
    return {"low": end, "high": end, "evidence": "EXACT", "alpha": 0.0, "work": {}, "show": show}


def between(low, high, evidence="ENCLOSED", **work):
    ends = [
        {"inf": s} if x is None else {"q": [hex(f.numerator), hex(f.denominator)]}
        for x, s, f in ((low, -1, Fraction(low or 0)), (high, 1, Fraction(high or 0)))
    ]
    return {
        "low": ends[0],
        "high": ends[1],
        "evidence": evidence,
        "alpha": 1e-8,
        "work": work,
        "show": [low, high],
    }


def dyadic(mantissa, exponent, show):
    end = {"d": [hex(mantissa), exponent]}
    return {"low": end, "high": end, "evidence": "ENCLOSED", "alpha": 0.0, "work": {"bits": 64}, "show": show}


def row(point, measured, *bound, truth=True, control="", name="leakage <= bound", slack=None, **more):
    evidence = min((e["evidence"] for e in (measured, *bound)), key=["FITTED", "SAMPLED", "ENCLOSED", "EXACT"].index)
    return {
        "point": {k: str(v) for k, v in point.items()},
        "control": control,
        "assertion": name,
        "quantity": name.split()[0],
        "truth": truth,
        "measured": measured,
        "bound": list(bound),
        "evidence": evidence,
        "slack": slack,
        "vacuous": False,
        "tied": False,
        "steps": 1,
        "power": 1.01,
    } | more


def verdict(name, outcome="HOLDS", evidence="EXACT", rows=(), controls=(), expect="HOLDS", **more):
    return {
        "schema": "theorytools.verdict/1",
        "id": f"qstr.{name}",
        "label": name.replace("_", " ").capitalize(),
        "title": "One attention head per slot retrieves the indexed token",
        "outcome": outcome,
        "expect": expect,
        "as_expected": outcome == expect,
        "evidence": evidence,
        "reason": f"{len(rows)} rows at $N\\ge 2$ were judged.",
        "force": "witness",
        "tier": "seconds",
        "alpha": {"claim": 1e-6, "spent": 2.5e-7 if evidence == "SAMPLED" else 0.0},
        "power": 1.01 if outcome == "HOLDS" else None,
        "user_points": False,
        "seconds": 1.3,
        "source": {
            "paper": "qstr",
            "paper_title": "When Do Transformers Outperform?",
            "authors": "A. and B.",
            "arxiv": "2503.11272",
            "version": 1,
            "statement": name,
            "provenance": "published",
            "file": f"checks/qstr/{name}.py",
            "sha256": "0" * 64,
        },
        "text": {
            "summary": "One attention head per slot retrieves the indexed token.",
            "sections": [
                [
                    "Setting",
                    r"Prompts of $N$ tokens with $t_i\in[N]^q$, codes $\omega_i\in\mathbb{R}^{d_e}$ with "
                    r"$\langle\omega_i,\omega_j\rangle\le\rho$ for $i\ne j$.",
                ],
                [
                    "Statement",
                    r"The weight elsewhere is at most $(N-1)/(N-1+e^{\beta(1-\rho)})$, and "
                    r"$\inf_{A\in\mathcal A}\sup_{\|u\|=1}R(A)\ge 1-\frac{n}{Nd}$, "
                    r"$\sqrt{\frac{d_e\log N}{n}}\to0$.",
                ],
                ["Control", "A quarter of the temperature."],
            ],
        },
        "assertions": [
            {
                "name": "leakage <= bound",
                "quantity": "leakage",
                "meaning": "largest weight elsewhere",
                "quantity_latex": r"\max_{p,t}\,(1-\pi_{t})",
                "relation": "<=",
                "bound_latex": BOUND,
                "latex": r"\max_{p,t}\,(1-\pi_{t}) \leq " + BOUND,
                "within_latex": None,
                "power": 1.01,
                "trivial": "1",
            }
        ],
        "hypotheses": [r"N \geq 2", r"\rho < 1"],
        "lets": [r"\beta = \frac{d_{e} s \log{\left(2 \right)}}{2}"],
        "letters": [
            {"name": "N", "latex": "N", "meaning": "sequence length"},
            {"name": "d_e", "latex": "d_{e}", "meaning": "dimension of a position code"},
        ],
        "construction": {"name": "BlockAttention", "summary": "Softmax attention, one head per slot."},
        "controls": list(controls),
        "command": f"theorytools verify qstr.{name}",
        "versions": RUN["versions"],
        "machine": {"cpu": "x86_64", "threads": 1},
        "seed": "SHA-256 of [file id, axes, role]",
        "skipped": [],
        "rows": list(rows),
    } | more


def control(name, outcome="breaks", repair=False):
    breaks = [] if repair else ["leakage <= bound"]
    return {"name": name, "breaks": breaks, "repair": repair, "applied": 4, "broken": 4, "outcome": outcome}


def asserting(name, relation, latex):
    return {
        "name": name,
        "quantity": name.split()[0],
        "quantity_latex": r"\hat R",
        "meaning": "risk",
        "power": None,
        "relation": relation,
        "bound_latex": latex,
        "latex": rf"\hat R {SIGNS[relation]} {latex}",
        "within_latex": r"\frac{1}{100}",
        "trivial": None,
    }


def exact_claim():
    """Rationals of thousands of digits on both sides, one row in a hundred shown."""
    rows = []
    for N in (64, 256, 1024, 4096):
        for s in (1, 4, 400):
            left, right = Fraction(N - 1, N + 3 ** (7 * s)), Fraction(N - 1, N + 2 ** (11 * s))
            rows.append(row({"N": N, "d_e": 67, "s": s}, rational(left), rational(right), slack=float(right / left)))
            spoiled = rational(min(Fraction(1), right * 17))
            rows.append(
                row(
                    {"N": N, "d_e": 67, "s": s},
                    spoiled,
                    rational(right),
                    truth=False,
                    control="duplicate code",
                    slack=1 / 17,
                )
            )
    return verdict("lemma_11", rows=rows, controls=[control("duplicate code"), control("transposed", "fails")])


def sampled_claim():
    """Lower bounds with intervals, some of them without an upper end."""
    rows = [
        row(
            {"n": n},
            between(0.95 - n / 900, None if n > 300 else 1.0, "SAMPLED", samples=8000),
            rational(1 - Fraction(n, 400)),
            name="risk >= 1 - n/p",
            slack=1.2,
        )
        for n in (50, 100, 200, 300, 350)
    ]
    made = asserting("risk >= 1 - n/p", ">=", r"1 - \frac{n}{N d}")
    return verdict("theorem_06", evidence="SAMPLED", rows=rows, assertions=[made], force="corroborates")


def fitted_claim():
    """A slope within a band, at categorical points."""
    made = asserting("slope == log-slope", "==", r"\frac{d\log(n)}{d\log N}")
    rows = [
        row(
            {"model": word},
            between(0.97 + k / 100, 1.04 + k / 100, "FITTED", window=8),
            between(0.95, 0.96),
            between(1.05, 1.06),
            name="slope == log-slope",
        )
        for k, word in enumerate(("attention", "recurrent", "feedforward"))
    ]
    return verdict("figure_01", evidence="FITTED", rows=rows, assertions=[made])


def refuted_claim():
    rows = [
        row(
            {"N": N, "beta": "-1"},
            rational(Fraction(3, 4)),
            rational(Fraction(N, 4)),
            truth=N > 2,
            slack=N / 3,
        )
        for N in (2, 3, 4, 5)
    ]
    return verdict(
        "proposition_08",
        "REFUTED",
        rows=rows,
        expect="REFUTED",
        title="The published reading",
        controls=[control("with $\\beta > 0$", "holds", repair=True)],
    )


def undecided_claim():
    """Values far outside the range of doubles, one comparison open."""
    tiny = dyadic(0x1234567, -1_443_098_280, [0.0, 5e-324])
    rows = [
        row({"N": 2, "beta": "213/10"}, tiny, dyadic(0x1234569, -1_443_098_280, [0.0, 5e-324]), truth=None),
        row({"N": 4, "beta": "213/10"}, dyadic(1, -90, [8.077935669463161e-28] * 2), rational(2), vacuous=True),
        row({"N": 8, "beta": "213/10"}, rational(0), rational(Fraction(1, 3)), tied=True),
    ]
    return verdict("lemma_41", "UNDECIDED", "ENCLOSED", rows=rows)


def long_claim():
    rows = [
        row({"N": N, "d": d}, rational(Fraction(1, N * d)), rational(Fraction(2, N * d)), slack=2.0)
        for N in range(2, 27)
        for d in (1, 2, 3, 4)
    ]
    rows[50]["truth"] = None
    return verdict("theorem_04", "UNDECIDED", rows=rows)


def bare_claim():
    """Only what every verdict must have."""
    return {
        "id": "other.claim",
        "label": "<script>alert(1)</script>",
        "outcome": "HOLDS",
        "as_expected": True,
        "title": "a <img src=x onerror=y> $\\text{<b>}x<y$ & $\\unknown{<i>}$",
    }


def verdicts():
    skipped = [{"point": {"N": "1"}, "control": "", "reason": "N ≥ 2 fails"}] * 3
    return [
        exact_claim(),
        sampled_claim(),
        fitted_claim(),
        refuted_claim(),
        undecided_claim(),
        long_claim(),
        verdict(
            "lemma_02",
            "POWERLESS",
            rows=[row({"N": 2}, rational(1), rational(30), slack=30.0)],
            controls=[control("constant × 30", "fails")],
        ),
        verdict("lemma_03", "INAPPLICABLE", None, skipped=skipped),
        bare_claim(),
    ]


PAPERS = [
    {
        "key": "qstr",
        "arxiv": "2503.11272",
        "version": 1,
        "authors": "Mousavi-Hosseini, Sanford, Wu, Erdogdu",
        "title": "When Do Transformers Outperform?",
        "statements": [
            {
                "id": "lemma_11",
                "label": "Lemma 11",
                "title": "Retrieval",
                "provenance": "derived",
                "open": None,
                "claims": ["qstr.lemma_11", "qstr.lemma_11.exact"],
            },
            *(
                {
                    "id": key,
                    "label": key,
                    "title": "Of $N$ tokens",
                    "provenance": "published",
                    "open": None,
                    "claims": [f"qstr.{key}"],
                }
                for key in ("theorem_06", "proposition_08", "lemma_41")
            ),
            {
                "id": "theorem_05",
                "label": "Theorem 5",
                "title": "Capacity",
                "provenance": "reconstructed",
                "open": "needs the covering number of $\\mathcal{F}$",
                "claims": [],
            },
        ],
    }
]


@pytest.fixture(scope="module")
def rendered():
    return reporting.render_html(verdicts(), PAPERS, run=RUN)


class Balanced(HTMLParser):
    """Counts open tags; every element but the void ones must be closed in order."""

    VOID = frozenset({"meta", "br", "hr", "img", "input", "link"})

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.ids = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_is_well_formed_and_identifiers_are_unique(rendered):
    reader = Balanced()
    reader.feed(rendered)
    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))
    assert not reader.tags & {"script", "img", "iframe", "object", "embed", "link", "base", "form"}


def test_page_loads_nothing(rendered):
    loaded = re.findall(r"""(?:src|href|action|data)\s*=\s*["']([^"']*)""", rendered)
    assert loaded
    assert all(address.startswith("#") for address in loaded)
    assert all(address.startswith("data:font/woff;base64,") for address in re.findall(r'url\("?([^")]*)', rendered))
    assert "@import" not in rendered
    assert "http" not in rendered.replace("http-equiv", "")


def test_every_reference_inside_the_page_has_its_target(rendered):
    targets = set(re.findall(r'id="([^"]*)"', rendered))
    assert set(re.findall(r'href="#([^"]*)"', rendered)) <= targets


def test_every_verdict_and_every_gap_is_shown(rendered):
    for entry in verdicts():
        assert f'id="{entry["id"]}"' in rendered
        assert f'href="#{entry["id"]}"' in rendered
    assert "no verdict in this run: qstr.lemma_11.exact" in rendered
    assert "Open: needs the covering number" in rendered
    assert "reconstructed display" in rendered


def test_every_outcome_is_a_word_and_evidence_is_spelled_out(rendered):
    for outcome in ("holds", "refuted", "undecided", "powerless", "inapplicable"):
        assert f'<span class="badge {outcome}">{outcome}</span>' in rendered
    assert "exact: integers and rationals" in rendered
    assert "sampled: error probability ≤ 2.5×10⁻⁷" in rendered
    assert "Readings that fail" in rendered


def test_size_stays_within_25_kilobytes_a_statement(rendered):
    assert len(rendered.encode()) <= 25_000 * len(verdicts())


def test_markup_in_labels_titles_and_formulas_is_inert(rendered):
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in rendered
    assert "<script" not in rendered
    assert "<img" not in rendered
    assert "<b>x" not in rendered
    assert '<code class="tex">\\unknown{&lt;i&gt;}</code>' in rendered


def test_open_row_among_a_hundred_is_not_cut_away(rendered):
    own = rendered.split('id="qstr.theorem_04"')[1].split("</section>")[0]
    assert "the other 60 are in" in own
    assert own.count('<td class="w open">') == 1


def test_two_renderings_are_equal(rendered):
    assert reporting.render_html(verdicts(), PAPERS, run=RUN) == rendered


def test_rows_are_dropped_before_the_page_grows_too_large(monkeypatch):
    monkeypatch.setattr(page, "PER_STATEMENT", 0)
    monkeypatch.setattr(page, "FIXED", 0)
    least = reporting.render_html([long_claim()], [], run={})
    assert "the other 96 are in" in least
    assert "open" in least


def test_a_report_too_large_for_one_page_has_one_for_each_paper(monkeypatch, tmp_path):
    one = page.write_report(tmp_path, verdicts(), PAPERS, run=RUN).read_text("utf-8")
    assert one == reporting.render_html(verdicts(), PAPERS, run=RUN)
    alone = {path.name for path in tmp_path.iterdir()}
    monkeypatch.setattr(page, "LARGEST", len(one.encode()) - 1)
    page.write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    more = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir() if path.name not in alone}
    assert set(more) == {"qstr.html", "other.html"}
    found = {"": (tmp_path / "index.html").read_text("utf-8"), **more, "index.html": ""}
    for text in found.values():
        for name, target in re.findall(r'href="([^"#]*)#([^"]*)"', text):
            where = (tmp_path / name).read_text("utf-8") if name else text
            assert f'id="{target}"' in where
    for entry in verdicts():
        assert sum(f'<section class="claim" id="{entry["id"]}"' in text for text in found.values()) == 1
        assert f'#{entry["id"]}"' in found[""]
    monkeypatch.undo()
    page.write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    assert {path.name for path in tmp_path.iterdir()} == alone  # a smaller report leaves no old page


def test_empty_run_renders():
    text = reporting.render_html([], [], run={"complete": False})
    assert "This run is not complete" in text


def test_report_never_imports_the_engine():
    for path in Path(page.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
                assert not any(name.startswith(("theorytools.claims", "theorytools.cli")) for name in names)


def test_folder_holds_page_json_and_tables(tmp_path):
    made = reporting.write_report(tmp_path / "new" / "reports", verdicts()[-1:], PAPERS, run=RUN)
    assert made == tmp_path / "new" / "reports" / "index.html"
    data = json.loads((made.parent / "index.json").read_text(encoding="utf-8"))
    assert data["papers"] == PAPERS
    assert data["run"] == RUN
    assert [v["id"] for v in data["verdicts"]] == ["other.claim"]
    assert sorted(p.name for p in made.parent.iterdir()) == [
        "index.html",
        "index.json",
        "verdicts.md",
        "verdicts.tex",
    ]


@pytest.mark.parametrize("broken", ["render", "write"])
def test_failure_leaves_the_old_report_whole(tmp_path, monkeypatch, broken):
    def fail(*args, **kwargs):
        raise OSError("no space left") if broken == "write" else ZeroDivisionError

    before = {name: f"old {name}" for name in ("index.html", "index.json", "verdicts.md", "verdicts.tex")}
    for name, text in before.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(*((page, "render_pages") if broken == "render" else (files.os, "fsync")), fail)
    with pytest.raises((ZeroDivisionError, DomainError)):
        page.write_report(tmp_path, verdicts()[-1:], [], run={})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == before


def test_unwritable_folder_is_an_error_with_four_parts(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DomainError) as caught:
        files.write_text(tmp_path / "file" / "reports" / "x", "text")
    assert all([caught.value.given, caught.value.required, caught.value.why, caught.value.advice])


def test_nan_is_refused():
    with pytest.raises(DomainError, match="finite"):
        files.json_text({"slack": float("nan")})


def test_font_has_the_glyphs_of_formulas_and_keeps_its_licence():
    from io import BytesIO

    from fontTools.ttLib import TTFont

    formula = mathml(r"\sqrt{\frac{\mathbb{R}\,x\le\|\alpha\|}{\sum_{i\in\mathcal A}\hat h}}", display=True)
    wanted = characters_of(formula)
    assert set("√ℝ𝑥≤‖𝛼∑ℎ") <= wanted
    cut = TTFont(BytesIO(subset(FONT.read_bytes(), wanted)))
    assert {ord(c) for c in wanted} <= cut.getBestCmap().keys()
    assert "MATH" in cut
    assert cut["name"].getDebugName(1) == "Theorytools Math"
    assert "SIL Open Font License" in cut["name"].getDebugName(13)
    assert cut["name"].getDebugName(0) in (FONT.parent / "OFL.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("latex", "part"),
    [
        (r"\overline{xy}", '<mrow class="over"><mrow><mi>x</mi><mi>y</mi></mrow></mrow>'),
        (r"\left(1-x\right)", '<mo stretchy="false">(</mo><mn>1</mn>'),
        (r"\sup_{\|u\|=1} R", "<munder><mo movablelimits"),
        (r"\operatorname*{arg\,min}_x f", ">argmin</mo>"),
        (r"\begin{aligned}a&=b\\c&=d\end{aligned}", '<mtd class="r"><mi>a</mi></mtd>'),
        (r"\mathbb R", "<mi>ℝ</mi>"),
        (r"\mathsf{E}", "<mi>𝖤</mi>"),
        (r"\mathrm{Var}(x)", "<mi>Var</mi>"),
        (r"x\sim y", "<mo>∼</mo>"),
        (r"\log n", '<mi>log</mi><mspace width="0.167em"></mspace><mi>n</mi>'),
        (r"\frac{a", '<code class="tex">\\frac{a</code>'),
        (r"\nosuch x", '<code class="tex">\\nosuch x</code>'),
    ],
)
def test_formulas(latex, part):
    assert part in mathml(latex, display=True)


def test_text_with_formulas_is_escaped_outside_them():
    shown = with_math(r"cost \$5 <b> $x<y$ ``a<b`` and a lone $")
    assert "cost $5 &lt;b&gt; <math><mi>x</mi><mo>&lt;</mo><mi>y</mi></math>" in shown
    assert shown.endswith("<code>a&lt;b</code> and a lone $")
    assert with_math(":math:`N` and :class:`End`") == "<math><mi>N</mi></math> and <code>End</code>"


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (rational(Fraction(1, 3)), "0.333333"),
        (rational(1048576), "1048576"),
        (rational(Fraction(7, 10**4567)), "7e-4567"),
        (rational(Fraction(-(10**400), 3)), "-3.33333e399"),
        (between(0.9375, 1.0625), "[0.9375, 1.063]"),
        (between(1.00001e-6, 1.00002e-6), "1.0000e-6"),
        (between(1.1e-6, 1.3e-6), "[1.100, 1.301]e-6"),
        (between(0.5, None), "[0.5000, ∞]"),
    ],
)
def test_numbers_show_no_more_than_the_interval_supports(estimate, text):
    assert numbers.estimate_text(estimate) == text


def test_dyadic_end_with_a_gigabit_exponent_has_its_decimal_exponent():
    # log10(m 2^e) = log10(m) + e log10(2) = 7.2809 - 434415868.6 for m = 0x1234567, e = -1443098280
    low, _ = numbers.ends(undecided_claim()["rows"][0]["measured"])
    assert abs(low.adjusted() - (7 - 434_415_869)) <= 2


def test_slack_is_rounded_to_the_safe_side():
    exact = row({}, rational(3), rational(Fraction(299999, 100000)), truth=False, slack=0.99999666)
    assert numbers.slack_text(exact, "<=") == "< 1"
    assert numbers.slack_text(row({}, rational(3), rational(4), slack=4 / 3), "<=") == "1.333"
    assert numbers.slack_text(row({}, between(0.0, 0.5), rational(4), slack=8.0), "<=") == "≥ 8.0"
    assert numbers.slack_text(row({}, between(1.0, 2.0), rational(4), slack=2.0), "<=") == "2.0 … 4.0"


@pytest.mark.parametrize("make", [exact_claim, sampled_claim, fitted_claim, undecided_claim, long_claim])
def test_plots_are_small_and_stay_inside_their_frame(make):
    svg, _, _ = draw(chart(make()), prefix="p", title="t")
    assert len(svg) <= 9_000
    assert "#" not in svg.replace('href="#p', "")  # no colour of its own
    for x, y in re.findall(r'<use href="[^"]*" x="([^"]*)" y="([^"]*)"', svg):
        assert -1 <= float(x) <= WIDTH + 1
        assert -1 <= float(y) <= HEIGHT + 1


def test_plot_takes_the_axis_with_most_numbers_and_marks_what_has_no_place():
    assert chart(exact_claim()).axis == "N"
    assert chart(fitted_claim()).axis == "model"
    assert chart(bare_claim()) is None
    assert chart(long_claim()).tightest
    shown = reporting.render_html([sampled_claim()], [], run={})
    assert "△ no finite upper end." in shown
    ends = numbers.ends(rational(0)) + numbers.ends(rational(100)) + numbers.ends(rational(1))
    assert scale(list(ends), ratio=30, pad=0.05).place(ends[0]) is None


def test_markdown_escapes_what_would_end_a_cell_or_open_a_tag():
    assert markdown_text("a|b <i> *x* $|x| < \\|y\\|$") == r"a\|b &lt;i&gt; \*x\* $\vert x\vert  \lt  \Vert y\Vert $"
    lines = reporting.markdown_table(verdicts()).splitlines()
    assert len(lines) == 2 + len(verdicts())
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {9}


def test_latex_escapes_what_tex_would_read():
    assert latex_text("50% of a_b & #1 {x} \\$5") == r"50\% of a\_b \& \#1 \{x\} \$5"
    assert latex_text("~ ^ \\") == r"\textasciitilde{} \textasciicircum{} \textbackslash{}"
    assert latex_text("≤ β $x_1^2$") == r"$\le$ $\beta$ $x_1^2$"
    table = reporting.latex_table(verdicts())
    rows = table.split("\\endfoot\n")[1].split("\\end{longtable}")[0].splitlines()
    assert {len(re.findall(r"(?<!\\)&", line)) for line in rows} == {7}
    assert table.index(r"\toprule") < table.index(r"\midrule") < table.index(r"\bottomrule")
