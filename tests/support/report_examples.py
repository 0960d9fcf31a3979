"""Verdicts for tests of the report, of every kind, and the paper that they belong to."""

from fractions import Fraction

from report_parts import asserting, between, control, dyadic, rational, row, verdict


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
    return verdict("theorem_06", evidence="SAMPLED", rows=rows, assertions=[made], scope={"every network": "points"})


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
        row({"N": N, "beta": "-1"}, rational(Fraction(3, 4)), rational(Fraction(N, 4)), truth=N > 2, slack=N / 3)
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


PAGES = {"qstr/lemma_11.html", "qstr/theorem_06.html", "qstr/proposition_08.html", "qstr/lemma_41.html",
         "qstr/other.html", "other/other.html", "index.html"}  # fmt: skip
INDEXES = {"qstr/index.html", "other/index.html"}
# not the pages that would be empty: no record to compare with, no diagram, nothing trained
ACROSS = {"claims.html", "constructions.html", "open.html", "pitfalls.html", "trust.html", "style.css", "search.js",
          "filters.js", "badge.svg", "_pictures/BlockAttention.svg"}  # fmt: skip
PRINTED = {
    "number": {"v1": "Theorem 5"}, "read": {"v1": "sentences"}, "unknown": "the display of $R$", "why": "",
    "relation": "formula not seen", "matched": "", "found": "", "formulas": [],
}  # fmt: skip
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
                "ours": "a lemma",
                "open": None,
                "claims": ["qstr.lemma_11", "qstr.lemma_11.exact"],
            },
            *(
                {
                    "id": key,
                    "label": key,
                    "title": "Of $N$ tokens",
                    "printed": PRINTED,
                    "open": None,
                    "claims": [f"qstr.{key}"],
                }
                for key in ("theorem_06", "proposition_08", "lemma_41")
            ),
            {
                "id": "theorem_05",
                "label": "Theorem 5",
                "title": "Capacity",
                "printed": PRINTED,
                "open": "needs the covering number of $\\mathcal{F}$",
                "claims": [],
            },
        ],
    }
]
