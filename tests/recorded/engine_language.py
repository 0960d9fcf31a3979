"""What claims, bounds, points and files of checks are read as: each function ``of_…`` is one answer of the record."""

import ast
import itertools
import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import sympy
from engine_examples import HUGE, beta, claims, q, said
from engine_searches import conditions
from sympy import And, Eq, Not, Or, Rational, ceiling, exp, floor, log, sqrt
from tiny import CHECK, M, N, tiny, value

from theorytools import (
    Budget,
    Control,
    Enclosure,
    Estimate,
    Evidence,
    Quantity,
    enclosed,
    exactly,
    grid,
    points,
)
from theorytools.claims.judging import (
    description,
    necessity,
    plain,
)
from theorytools.claims.language import assertion as assertions
from theorytools.claims.language import bound, estimate, growth, slope
from theorytools.claims.language import grid as grids
from theorytools.claims.papers import location, notes, paper, syntax
from theorytools.numbers import End


def of_statements():
    made = {name: [plain.statement(claim), description.formulas(claim)] for name, claim in claims().items()}
    texts = [
        said(plain.plain, one) for one in (sqrt(2) * N, exp(beta) / N, sympy.Symbol("E"), sympy.Symbol("pi"), sympy.E)
    ]
    return made, texts, [plain.relation_text(one) for one in [*conditions(), Not(Or(N <= 3, Eq(q, 2)))]]


def of_docstrings():
    doc = "A fact.\nMore of it.\n\nSetting   Some $N$.\n  And more.\nStatement  $v$.\nControls   One.\nReads it\n"
    return (
        description.split_docstring(doc),
        description.split_docstring(""),
        description.command("a.b", {"N": "3", "k": "w"}),
    )


def of_assertions():
    made = []
    for rhs, within, tie, relation in itertools.product((N, -N, 0, Rational(3, 2)), (0, 1), (0, Rational(1, 8)),
                                                        ("<=", ">=", "==")):  # fmt: skip
        one = assertions.Assertion(value, relation, rhs, within, tie)
        near = [a for sign in (-1, 0, 1) for a in one.tightened(Fraction(5, 4), sign=sign)]
        made.append(" ".join(map(str, [one.name, one.latex(), one.sides(), one.loosened().sides(),
            [a.sides() for a in near],
                                       one.sloped, one.left_latex])))  # fmt: skip
    bent = value.slope(N, N**2, ">=")
    return made[:48], made[48:], bent.name, bent.latex(), bent.sloped, said(bent.on, Estimate.of(3)), bent.on(
        Estimate.of(3, window=[2, 4])).sides()  # fmt: skip


def of_comparisons():
    ends = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (3, 4)]
    boxes = [Estimate(End(a), End(b), Evidence.ENCLOSED) for a, b in ends]
    return [[assertions.related(relation, a, pair) for a in boxes for b in boxes for pair in ([b], [b, boxes[3]])]
            for relation in ("<=", ">=", "==")]  # fmt: skip


def of_estimates():
    boxes = [Estimate(End(a), End(b), Evidence.EXACT) for a, b in ((0, 4), (1, 2), (2, 9), (5, 6))]
    budgets = [Budget(bits=bits) for bits in (64, 100, 256)]
    ladders = [enclosed(lambda: Enclosure(2).sqrt()), enclosed(lambda: Enclosure(2), first_bits=32),
        exactly(Fraction(1, 3)),
               estimate.enclosed_between(lambda: Enclosure(2).sqrt(), lambda: Enclosure(3).sqrt()),
               estimate.enclosed_between(lambda: Enclosure(2), lambda: Enclosure(2)), estimate.fitted(0.1,
                   0.7)]  # fmt: skip
    made = [[[step, dict(step.work)] for step in one.steps(1e-6, budget)] for one in ladders for budget in budgets]
    widths = [(0.25, 0.75), (0.3, float("inf")), (0.0, 0.1), (float("-inf"), 2.0), (1.0, 1.0), (-3.3, 1e-5), (1e300,
        1.1e300),
              (1.0, 1.0 + 2**-40), (0.0, 2.0**-1001)]  # fmt: skip
    return made, [said(a.within, b) for a in boxes for b in boxes], [estimate.outward(*w) for w in widths], [
        said(Estimate, End(2), End(1), Evidence.EXACT), said(estimate.certain, 0.5), said(estimate.certain, True),
        [said(float, one) for one in ladders], [said(getattr, one, "fraction") for one in ladders], list(map(repr,
        ladders)),
        list(map(str, boxes)), estimate.unbounded(Evidence.FITTED)]  # fmt: skip


def _ends_of(growing):
    return growing.direction, growing.limit, growing.exponent


def _exponent_of(formula):
    return bound.Bound(formula).exponent(N)


def of_growths():
    known = {q: growth.Growth(Rational(1, 2))}
    formulas = [N, N**2 / log(N), log(N) ** 2, exp(N), N * log(log(N)), 3 + 1 / N, N - N + 5, sqrt(N) + log(N),
        1 / (N + 1),
                sympy.Max(N, 7), sympy.Min(N, 7), ceiling(N / 2), floor(N), ceiling(1 / N), N**q, q * N, 2**N, -N,
                    N**-2,
                (1 + 1 / N) ** 2, log(N + N**2), log(2 + 1 / N), sympy.Abs(N - 9), N - N**2, sympy.sin(N)]  # fmt: skip
    leads = [said(growth.leading_term, one, N, known) for one in formulas]
    made = [said(_ends_of, one) for one in leads if not isinstance(one, str)]
    return leads, made, [said(_exponent_of, one) for one in formulas]


def of_bounds():
    formulas = [N, exp(-beta) / N, sqrt(N + beta), N ** Rational(1, 3), log(beta), sympy.Max(beta, 2), ceiling(beta), 5]
    at = [{"N": 4, "beta": "1/2"}, {"N": 1, "beta": 0}, {"N": 9, "beta": 3.25}]
    made = []
    for formula in formulas:
        one = bound.Bound(formula)
        for place in at:
            mine = {name: place[name] for name in one.letters}
            box = said(lambda: one.enclosure(**mine))  # noqa: B023
            same = said(lambda: box.same(one.enclosure(64, **mine)))  # noqa: B023
            made.append([one.letters, said(lambda: one(**mine)), box, same, said(lambda: one.enclosure(32, **mine))])  # noqa: B023
        made.append([said(one.slope, N, [2, 4, 8]), one.latex()])
    return made, [said(bound.expression, one) for one in (0.5, True, "N", "N +", None, 3, Fraction(1, 2), N > 2)]


def of_slopes():
    window = [2, 4, 8]
    curve = slope.curve_slope(window, [1, Fraction(9, 2), lambda: Enclosure(20).sqrt()])
    bent = value.slope(N, N**2 * log(N)).expr
    return (
        curve,
        [said(slope.checked_window, one) for one in ([2, 4], [2], [4, 2], [2, 2], [0, 1], [1, "x"])],
        [
            slope.window_text([2, Fraction(1, 2)]),
            slope.slopes_in(bent),
            str(slope.over_window(bent, window)),
            str(slope.without_slopes(bent + 1)),
            said(slope.curve_slope, window, [1, 2]),
            said(slope.curve_slope, window, [0, 1, 2]),
        ],
    )


def of_grids():
    made = [
        grid(N=[1, 2], q=[3, 4]).points,
        points("N q", (1, 2), (3, 4)).points,
        (grid(N=[1]) + grid(N=[1, 2])).points,
    ]
    made += [
        said(grids.axis_value, one)
        for one in (3, 0.1, "0.1", "1/3", "word", "a b", True, None, float("nan"), 2.0, "2e3")
    ]
    made += [said(grid), said(lambda: grid(N=3)), said(lambda: grid(N=[])), said(lambda: points("N q", (1,))),
             said(lambda: grids.Grid([{"N": 1}, {"q": 2}])), repr(grid(N=[1, 2], q=[3]))]  # fmt: skip
    seeds = [grids.seed_sequence("toy.x", {"N": n}, role).entropy for n in (1, Fraction(1, 2), "w") for role in "ab"]
    point = tiny(asserts=[value <= M], lets={M: N**2}).point({"N": 3}, "toy.x")
    return (
        made,
        seeds,
        [point.N, point.M, str(point), point.text(), said(lambda: point.d), point.rng("a").integers(1000)],
    )


def of_controls():
    made = []
    for breaks in (value, "value", "value <= N", value <= N, (), ["value", "other"], [value <= N + 1]):
        one = Control("c", breaks=breaks, measure=lambda thing, p: {})
        made.append([one.repair, len(one.targets), one.must_break(value <= N), one.must_break(value >= N)])
    return made, [said(lambda: Control("c", where=where)) for where in (True, N, None, N >= 2)], said(  # noqa: B023
        lambda: replace(HUGE, asserts=value <= N))  # fmt: skip


def of_claims_refused():
    """Claims that are not well formed: what is said of each."""
    no = Control("no", breaks=value)
    spoiled = [
        {"label": ""}, {"label": " "}, {"label": 3}, {"controls": None}, {"controls": []}, {"controls": [3]},
        {"controls": HUGE},
        {"requires": N >= 2}, {"requires": [True]}, {"requires": [N]}, {"requires": [3]}, {"requires": [q >= 1]},
        {"asserts": []},
        {"asserts": [N <= 3]}, {"asserts": None}, {"asserts": [value <= N, value <= N]}, {"asserts": [value <= q]},
        {"budget": 3}, {"note": 3}, {"lets": []}, {"lets": {N: 3}}, {"lets": {M: q}}, {"grid": [{"N": 2}]},
        {"grid": grids.Grid([])},
        {"tier": "days"}, {"expect": "MAYBE"}, {"expect": "UNDECIDED"}, {"expect": "REFUTED"}, {"uses": ["x"]},
        {"uses": "a.b"},
        {"uses": [3]}, {"uses": ["a.b"]}, {"construct": 3}, {"measure": None}, {"role": "x"}, {"scope": {"N": "x"}},
        {"source": "x"},
        {"derived": [M]}, {"derive": lambda thing, p: {}}, {"derived": M}, {"tabulated": ["d"]}, {"tabulated": "N"},
        {"listed": ["d"]}, {"listed": ["N"]}, {"controls": [no]}, {"controls": [HUGE, HUGE]},
        {"controls": [replace(HUGE, asserts=[])]},
        {"controls": [replace(HUGE, breaks="x")]}, {"controls": [replace(HUGE, breaks=[value, "x"])]},
        {"controls": [Control("r", asserts=[value <= N])]}, {"controls": [replace(HUGE, where=q >= 2)]},
        {"controls": [replace(HUGE, asserts=[value <= q])]}, {"controls": [replace(HUGE, asserts=[value <= N,
        value <= N])]},
        {"asserts": [value <= sympy.Function("f")(N)]}, {"asserts": [value <= sympy.Symbol("N", positive=True)]},
        {"asserts": [value <= N, Quantity("value", "w") >= 0]}, {"asserts": [value <= N + sympy.Symbol("N")]},
        {"requires": [sympy.true]}, {"requires": [And(N >= 2, Not(N >= 9))]}, {"asserts": value <= N},
    ]  # fmt: skip
    return [said(lambda: tiny(**parts).label) for parts in spoiled]  # noqa: B023


def of_alphas():
    made = [claims()[name].row_alpha() for name in ("attained", "two letters", "false", "somewhere")]
    return (
        made,
        [claims()["below"].row_alpha(count) for count in (0, 1, 4, 5, 100)],
        sorted(claims()["let"].all_letters()),
    )


TEXTS = {
    "plain": CHECK,
    "annotated": CHECK.replace("claim = Claim(", "claim: Claim = Claim("),
    "unlabelled": CHECK.replace('    "Lemma 1",\n', '    label="Lemma 2",\n'),
    "two": CHECK
    + '\nother = replace(claim, label="Lemma 3")\nthird = replace(claim, note="x")\nfourth = dict(label="x")\n',
    "loop": CHECK + "\nfor n in range(2):\n    Claim(str(n))\n",
    "function": CHECK + '\ndef make():\n    return Claim("x", **{})\n',
    "list": 'made = [Claim("x")]\n',
    "named": 'x = claims.Claim("y", role="statement")\n',
    "shared": 'x = Claim("y", **shared)\n',
    "spoken": CHECK + '\n# Claim(\ntext = "Claim("\n',
    "called": CHECK + "\nfor n in range(2):\n    print(n)\n# Claim( in words\n",
    "broken": "def (:\n",
    "none": "x = 3\n",
}


def of_listed_claims():
    made = {}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "toy"
        home.mkdir()
        (home / "paper.toml").write_text("", encoding="utf-8")
        for name, text in TEXTS.items():
            path = home / f"{name}.py"
            path.write_text(text, encoding="utf-8")
            made[name] = [[e.id, e.stem, e.name, e.label, e.error, e.silent, e.role] for e in syntax.read_entries(path)]
            made[name] += [syntax.is_check(path), location.stem_of(path), location.may_hold_claims(path)]
        made["paths"] = [path.name for path in location.check_paths(home)]
    return made


def of_fingerprints():
    """Which changes of a check count: the groups of texts that have one fingerprint."""
    texts = [CHECK, CHECK.replace("A size $N$", "A number"), CHECK + "\n# a comment\n", CHECK.replace("Lemma 1",
        "Lemma 9"),
             CHECK.replace("<= N", "<= N + 1"), CHECK.replace("N=[2, 3]", "N=[2, 4]"), CHECK.replace("p.N + 1",
                 "p.N + 2"),
             CHECK.replace("import Claim, Control, Quantity, grid", "import Quantity, grid, Control, Claim"),
             CHECK + "\ntext = f'{3:>{4}}'\n", CHECK + "\nimport math\n", CHECK.replace("from .notation",
                 "from .other")]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "toy"
        home.mkdir()
        (home / "paper.toml").write_text("", encoding="utf-8")
        for name in ("notation", "other"):
            (home / f"{name}.py").write_text('N = 1\nM = 2\n"""A text."""\n', encoding="utf-8")
        marks = []
        for k, text in enumerate(texts):
            (home / "x.py").write_text(text + " " * k, encoding="utf-8")
            marks.append(syntax.fingerprint(home / "x.py"))
    return [marks.index(mark) for mark in marks], [
        str(syntax._plain(ast.parse(text)))[:400] for text in ("f(x, *y)", "f'{a}'")
    ]


HEAD = '[paper]\nkey = "toy"\ntitle = "T"\nauthors = "A"\n'


PAPERS = [
    '[paper]\nkey = "toy"\ntitle = "T"\n', '[paper]\nkey = "other"\ntitle = "T"\nauthors = "A"\n', "[paper", "",
    HEAD + '[[statement]]\nid = "lemma_01"\nlabel = "Lemma 1"\n',
    HEAD + '[[statement]]\nid = "lemma_01"\nlabel = "L"\nprovenance = "x"\n',
    HEAD + '[[part]]\ntitle = "P"\ntext = "t"\nstatements = ["a"]\n',
]  # fmt: skip


def of_papers_and_notes():
    from tiny import PAPER

    made = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "toy"
        home.mkdir()
        for text in (PAPER, *PAPERS):
            (home / "paper.toml").write_text(text, encoding="utf-8")
            found = said(paper.read_paper, home)
            whole = not isinstance(found, str)
            made.append([found.key, found.title, found.authors, list(found.statements), list(found.parts)] if whole
                        else found.replace(folder, ""))  # fmt: skip
            made += (
                [[found.statement_of(stem) for stem in ("lemma_01", "lemma_01_x", "lemma_02", "lemma", "x")]]
                if whole
                else []
            )
        head = '[[note]]\nclaims = ["toy.a", "toy.b"]\nhypothesis = "N >= 2"\n'
        for text in (
            head + 'proof = "p"',
            head + 'by = "toy.c"',
            head + 'at = "N=1, d=4"',
            head + 'unsearched = "u"',
            head + 'defines = "d"',
            head,
            head + 'proof = "p"\nby = "x"',
            head + 'proof = " "',
            "x = 3",
            "[[note]]",
            head + 'proof = "p"\n' + head + 'by = "q"',
            head.replace("toy.b", "other.b") + 'proof = "p"',
            "[[note",
        ):
            (home / notes.FILE).write_text(text, encoding="utf-8")
            found = said(notes.read_notes, home)
            made.append(found.replace(folder, "") if isinstance(found, str) else
                        [[n, n.decides, n.point, n.state, n.words] for n in found])  # fmt: skip
    note = notes.Note("toy.a", "N >= 2", proof="p")
    cells = [{"state": state, "at": {"N": "1"}, "hypothesis": "N >= 2"} for state in necessity.STATES]
    return made, [
        said(necessity.noted, cell, one) for cell in cells for one in (None, note, replace(note, proof="", at="N=1"))
    ]
