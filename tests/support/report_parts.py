"""Parts of verdicts for tests of the report: numbers, rows, controls, and the verdict around them."""

from fractions import Fraction

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
    return {"low": ends[0], "high": ends[1], "evidence": evidence, "alpha": 1e-8, "work": work, "show": [low, high]}


def dyadic(mantissa, exponent, show):
    end = {"d": [hex(mantissa), exponent]}
    return {"low": end, "high": end, "evidence": "ENCLOSED", "alpha": 0.0, "work": {"bits": 64}, "show": show}


def row(point, measured, *bound, truth=True, control="", name="leakage <= bound", slack=None, **more):
    evidence = min(
        (e["evidence"] for e in (measured, *bound)), key=["FITTED", "OBSERVED", "SAMPLED", "ENCLOSED", "EXACT"].index
    )
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
        "role": "statement",
        "scope": {"every N": "points", "some network": "exhibited"},
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
