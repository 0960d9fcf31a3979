"""What reports say of small verdicts: numbers, lines, tables, charts, maps and pages, as answers of the record."""

import dataclasses
import itertools
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from engine_examples import claims, said
from report_examples import PAPERS, verdicts
from report_parts import RUN, between, dyadic, rational, row, verdict

from theorytools.claims.judging.judge import judge
from theorytools.reporting import (
    cpu,
    estimators,
    horizon,
    layout,
    mathml,
    numbers,
    overview,
    plots,
    proof_map,
    reach,
    rows,
    runs,
    scores,
    series,
    tables,
)
from theorytools.reporting.site import render_pages
from theorytools.statistics.coverage import Coverage

SIZES = ["0", "1", "-1", "9.99995", "0.001", "0.00099999", "999999.5", "1000000", "123456789", "-0.000123456", "1e-320",
         "2.5", "1e30", "Infinity", "-Infinity", "0.5", "100"]  # fmt: skip


def of_report_numbers():
    decimals = [Decimal(text) for text in SIZES]
    made = [numbers.significant(n, d, how, strip=s) for n in decimals for d in (1, 2, 6) for s in (False, True)
            for how in (ROUND_FLOOR, ROUND_CEILING)]  # fmt: skip
    pairs = [numbers.interval(a, b) for a, b in itertools.combinations_with_replacement(sorted(decimals), 2)]
    near = [numbers.interval(Decimal(1), 1 + Decimal(10) ** -k) for k in range(9)]
    texts = ["64", "1234567890", "12345678901", "1/3", "1/8", "12345/100000", "word", "w" * 40, "w" * 41, "1/0",
        "-3", "7/2",
             "100000000/3", "1/1000000"]  # fmt: skip
    made += [
        [numbers.point_text(t), numbers.fraction(t), numbers.pretty(t), numbers.tex(t), rows.signed(t)] for t in texts
    ]
    words = [numbers.pretty(t) for t in ("-1.1e-6", "[1, -2]e12", "N-1", "-∞")] + [
        numbers.tex(t) for t in ("≥ 2e-3", "≈ 1 … ∞")
    ]
    return made, pairs, near, words, [numbers.power_of_ten(k) for k in (-3, 0, 1, 2, 12)], [
        numbers.small(x) for x in (1e-6, 2.5e-7, 0.0123, 0.5, 1.0)]  # fmt: skip


def of_report_ratios():
    """The slack of a row and the digits that it is shown with."""
    sides = [rational(2), rational(0), rational(-1), between(1.0, 1.0001), between(1.0, 3.0), between(0.0, 2.0),
             between(None, 2.0), between(2.0, None), dyadic(3, -2000, [0.0, 5e-324])]  # fmt: skip
    made = []
    for measured, bound in itertools.product(sides, sides):
        for relation, truth, slack in (
            ("<=", True, 1.23456),
            (">=", False, 0.98765),
            ("==", True, None),
            ("<=", False, 0.99999),
        ):
            one = row({"N": 2}, measured, bound, truth=truth, slack=slack)
            made.append(
                [numbers.slack_text(one, relation), numbers._ratio(one, relation), numbers.band_text(one["bound"])]
            )
    return made, [numbers.estimate_text(side) for side in [*sides, None]], [numbers.ends(side) for side in sides], [
        numbers.band_text([a, b]) for a, b in itertools.pairwise(sides)]  # fmt: skip


def judged():
    """Real verdicts, with what stands beside the numbers."""
    plain = verdict("lemma_11")
    made = []
    for name, claim in claims().items():
        found = judge(claim, f"qstr.{name.replace(' ', '_').replace(',', '')}").to_json()
        more = {
            key: plain[key]
            for key in ("source", "text", "scope", "role", "tier", "title", "letters", "lets", "hypotheses")
        }
        listed = [{**plain["assertions"][0], "name": a, "power": found["powers"].get(a)} for a in found["powers"]]
        made.append({**found, **more, "assertions": listed, "command": "c", "construction": None, "seconds": 1.0,
                     "cpu": {"seconds": 3.0, "points": [0.5 * (k + 1) for k in range(8)]}})  # fmt: skip
    return made


LINES = (numbers.evidence, numbers.scope, numbers.provenance, numbers.sizes, numbers.points, numbers.would_see,
         numbers.horizon_lines, numbers.verdict_line, numbers.expectation, numbers.record, numbers.trained,
             numbers.controls,
         numbers.uncommitted, numbers.anchor, numbers.label, rows.tightest, rows.letters, cpu.growth, cpu.places,
         layout.verdict_text)  # fmt: skip


def of_report_lines():
    user = {"user_points": True, "command": "theorytools verify a --at N=3 --at q=1/2"}
    made = {"created": "2026-11-20T12:00:00+00:00", "commit": "0123456789abcdef", "changed_since": False}
    changed = [user, {"record": made}, {"record": {**made, "commit": "ab-dirty"}}, {"trained": {"b": made,
        "a": {}}}, {"scope": {}},
               {"evidence": "SAMPLED", "alpha": {"spent": 2.5e-7}}, {"source": {"provenance": "derived here",
               "seen": "display"}},
               {"outcome": "REFUTED", "as_expected": False}, {"skipped": [{"point": {}}]}, {"horizon": {}}]  # fmt: skip
    every = [*judged(), *verdicts()]
    every += [{**every[1], **change} for change in changed]
    return [[said(line, one) for line in LINES] for one in every], [
        [numbers.control(entry) for entry in one.get("controls", ())] for one in every], said(cpu.cost, judged()), [
        numbers.control({"applied": a, "broken": b, "repair": r, "outcome": o, "detail": d})
        for a, b in ((0, 0), (4, 4), (4, 1)) for r in (False, True) for o in ("breaks", "holds") for d in ("",
            "why")]  # fmt: skip


def of_report_horizons():
    found = [part for one in judged() for part in one["horizon"].values()]
    found += [{"constant": c, "zero": False, "exponents": {"N": [e, None]}, "logs": ["N"], "shifts": ["q"]}
              for c in (None, 0.0, 0.0123, 0.5, 1.2, 12.0, 123.4) for e in (None, 0.0, 0.0312, 2.5)]  # fmt: skip
    texts = [[horizon.seen_text(one), horizon.seen_text(one, 1), horizon._blindness(one)] for one in found]
    sizes = [horizon.sizes_text(one["tested"], most) for one in judged() for most in (None, 1)]
    return texts, horizon.weakest(dict(enumerate(found))), sizes


def of_report_tables():
    made = []
    for one in [*judged(), *verdicts()]:
        for controls, limit in ((False, 3), (True, 50)):
            table = said(lambda: rows.table(one, controls=controls, limit=limit))  # noqa: B023
            made.append(str(dataclasses.astuple(table)) if dataclasses.is_dataclass(table) else table)
    kinds = (tables.markdown_table, tables.latex_table, tables.distribution, overview.counts)
    texts = ["a | b * c", "$x_i$ & 3 %", "# \\ {x} ~ ^ <b>", ""]
    shown = [
        [said(overview.entry, one, "p.html"), said(overview.failure, one, "p.html")] for one in [*judged(), *verdicts()]
    ]
    return made, [[said(kind, own) for kind in kinds] for own in (judged(), verdicts())], str(shown), [
        [tables.markdown_text(t), tables.latex_text(t)] for t in texts], [
        [layout.row_cells(line) for line in one["rows"][:6]] for one in judged()[:6]]  # fmt: skip


def of_report_charts():
    made = []
    for one in [*judged(), *verdicts()]:
        shown = said(series.chart, one)
        drawn = said(plots.figure, one)
        made.append([str(shown), str(drawn)])
    return made


def of_report_scales():
    made = []
    for numbers_ in (
        [1, 2, 3],
        [1, 1000],
        [0, 5, 5000],
        [-3, 4],
        [7],
        [],
        ["Infinity", 2],
        ["1e301", 2],
        ["1e-9", "1e9"],
    ):
        for ratio, pad in ((20, 0.05), (2, 0.0)):
            one = plots.scale([Decimal(n) for n in numbers_], ratio=ratio, pad=pad)
            places = [one.clipped(Decimal(n)) for n in ("-5", "0", "1", "30", "Infinity", "1e305")]
            made.append(
                [
                    one,
                    places,
                    one.visible(one.low, one.low + 0.0041 * (one.high - one.low)),
                    one.visible(one.low, one.low),
                ]
            )
    spans = [(low, low + span) for low in (-3.5, -1.0, 0.0, 0.2, 7.0) for span in (0.05, 0.3, 1.0, 2.4, 3.0, 8.0, 40.0)]
    ticks = [[plots.log_ticks(a, b), plots.linear_ticks(a, b)] for a, b in spans]
    return made, [str(one) for one in ticks], [plots.number(x) for x in (0.0, -0.04, 0.05, 1.25, 12.0, -3.96)]


def of_report_maths():
    formulas = [r"\frac{N - 1}{N + e^{\beta \left(1 - \rho\right)} - 1}",
        r"\sum_{i=1}^{N} x_i \leq \sqrt{d_e} + 1", r"\max_{p,t}\,(1-\pi_{t})",
                r"a \leq b \leq c = d + e + f + g + h + i + j + k + l + m",
                    r"\left\lceil \frac{N}{2} \right\rceil", "x", "",
                r"\mathbb{R}^{d} \ni u, \quad \|u\| = 1", r"\lVert x \rVert_2^2 - 3 < 10^{-6}"]  # fmt: skip
    texts = [
        "A fact on $N$ and $x_i$.",
        "One $a$, two $b$;\n\nnext paragraph <b>.",
        "no formula & more",
        "$x$",
        "costs 3\\$ or $y$",
    ]
    made = [str(said(mathml.mathml, f)) for f in formulas] + [str(mathml.mathml(f, display=True)) for f in formulas[:4]]
    return made, [str(mathml.with_math(t)) for t in texts], [list(map(str, mathml.paragraphs(t))) for t in texts]


def edges(*pairs):
    return [{"used": a, "user": b, "why": ["its proof"]} for a, b in pairs]


def of_report_maps():
    nodes = [
        proof_map.Node(name, f"Lemma {name}" * (1 + k % 3), f"{name}.html", "good") for k, name in enumerate("abcdefgh")
    ]
    made = []
    for links in (
        edges("ab", "bc", "ad", "ce"),
        edges("ab", "ba"),
        edges(),
        edges("ah", "bh", "ch", "dh", "ae", "eh", "fg"),
    ):
        made.append([str(proof_map.drawn(nodes, links, title="map", here="b")), proof_map.ancestors("e", links),
                     proof_map.around("b", links), proof_map._layers("abcdefgh", links)])  # fmt: skip
    two = [judged()[1], judged()[2], judged()[7]]
    reached = [reach.reach(own) for own in (two, two[:1], judged()[8:12], [])]
    account = {"claim": two[0]["id"], "of": {"value": "lemma_01"}}
    return made, reached, [[reach.beyond(a, b) for a in reached] for b in reached], said(reach.factors, account, two)


def of_report_lights():
    every = [*verdicts(), *judged()[:6]]
    cells = [{"state": word} for word in ("needed", "not needed", "unknown", "defines")]
    made = [scores.lights(own, gap, some) for own in (every[:1], every[:3], every, []) for gap in ("", "a gap")
            for some in (cells, cells[:1], cells[3:], [])]  # fmt: skip
    states = [scores.state(every[k : k + 2]) for k in range(len(every))]
    return made, states, [len(scores.judged_as(every[:k])) for k in range(6)]


def of_report_pages():
    pages = render_pages(verdicts(), PAPERS, run=RUN)
    return {path: [len(text), text] for path, text in sorted(pages.items()) if path.endswith(".html")}


def of_report_coverage():
    def study(hits, nominal=0.95):
        seen = Coverage(hits, 1000, nominal)
        return {"law": "Gaussian", "sizes": "5 runs", "admitted": hits > 800, "nominal": nominal, "hits": hits,
            "runs": 1000,
                "refused": 0, "share": seen.share, "low": seen.low, "high": seen.high,
                "verdict": seen.verdict}  # fmt: skip

    panels = [{"title": f"panel {k} <&>", "estimators": ["e"], "claims": ["toy.one", "toy.two"], "spoiled": "s",
        "twin": study(800),
               "studies": [study(hits) for hits in range(700 + 40 * k, 1001, 60)]} for k in range(5)]  # fmt: skip
    record = {"schema": estimators.SCHEMA, "doubt": 1e-3, "versions": {}, "panels": panels}
    return estimators.figure(record), estimators.table(record), [estimators._across(c / 20) for c in range(21)]


def of_report_runs():
    trials = [{"spec": {"arm": arm, "N": n, "batch": 2, "check_every": 1}, "status": "censored" if (n, k) == (16,
        2) else "done",
               "result": {"samples": (9 + k) * n, "none": 0}} for arm in ("a", "b") for n in (4, 8, 16,
               32) for k in range(3)]  # fmt: skip
    made = [runs.arms_of(trials[:stop], "N", value, {"a": {4: 30, 8: 60}}) for stop in (24, 12, 8, 6, 3)
            for value in ("samples", "none", "x")]  # fmt: skip
    return made, runs.arms_of(trials, "", "samples"), [runs._number(x) for x in (0.5, 12.0, 1234.5, 1e7)]
