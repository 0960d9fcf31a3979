"""Typical mistakes of whoever writes a check: each an edit of a correct one, and what its message must say."""

from dataclasses import dataclass

CHECK = r'''r"""Sums of the first reciprocals stay below a logarithm.

Setting    The numbers $1,\frac12,\dots,\frac1N$.
Statement  $1+\frac12+\dots+\frac1N\le1+\log N$.
Measured   The sum, in fractions: exact.
Control    Every number doubled.
"""

from fractions import Fraction

from sympy import log

from theorytools import Claim, Control, Quantity, enclosed, grid, letter

from .notation import N

total = Quantity("total", "S", "sum of the reciprocals", (0, None))


def construct(p, factor=1):
    return [Fraction(factor, k) for k in range(1, p.N + 1)]


def measure(terms, p):
    return {total: sum(terms)}


claim = Claim(
    "Harmonic sums",
    asserts=[total <= 1 + log(N)],
    requires=[N >= 1],
    grid=grid(N=[2, 4]),
    construct=construct,
    measure=measure,
    role="statement",
    scope={"every N": "points"},
    source="derived here: Harmonic sums",
    controls=[Control("doubled", breaks=total, construct=lambda p: construct(p, factor=2))],
)
'''
NOTATION = '''"""Letters."""

from theorytools import letter

N = letter("N", "number of reciprocals", integer=True, positive=True)
width = letter("width", "a width", integer=True, positive=True)
'''
PAPER = """[paper]
key = "p"
arxiv = ""
version = 1
authors = ""
title = ""

[[statement]]
id = "lemma_1"
label = "Lemma 1"
title = ""
ours = "a statement of mine"
"""
RETURN, BOUND, CONTROL = (
    "return {total: sum(terms)}",
    "total <= 1 + log(N)",
    "construct=lambda p: construct(p, factor=2)",
)
SOURCE, REQUIRES, GRID = 'source="derived here: Harmonic sums"', "requires=[N >= 1]", "grid=grid(N=[2, 4])"
CONTROLS = f'controls=[Control("doubled", breaks=total, {CONTROL})]'
MATH, NUMPY, TORCH = "import math\nfrom sympy", "import numpy as np\nfrom sympy", "import torch\nfrom sympy"


@dataclass(frozen=True)
class Mistake:
    """An edit of the correct check, and what its message says.

    Parameters
    ----------
    name : the mistake in words.
    old, new : the edit; ``more`` are further ones.
    says : what the message must contain, most of all what to write.
    at : a part of the line that the message must name; the beginning of ``new`` unless given.
    """

    name: str
    old: str
    new: str
    says: tuple[str, ...]
    at: str = ""
    more: tuple[tuple[str, str], ...] = ()

    @property
    def text(self):
        """The check with the mistake."""
        text = CHECK
        for old, new in ((self.old, self.new), *self.more):
            assert text.count(old) >= 1, old
            text = text.replace(old, new, 1)
        return text

    @property
    def line(self):
        """The line of the mistake."""
        mark = self.at or self.new
        return self.text[: self.text.index(mark)].count("\n") + 1


def _one(name, old, new, *says, at="", more=()):
    return Mistake(name, old, new, says, at, more)


def _returned(name, new, *says):
    return _one(f"measure returns {name}", RETURN, new, *says)


def _bound(name, new, *says, head=""):
    return _one(f"bound: {name}", BOUND, new, *says, more=[("from sympy", head)] if head else [])


MEASURE = [
    _returned("nothing", "{total: sum(terms)}", "ends without a return", "return {total: sum(terms)}"),
    _returned("a number", "return sum(terms)", "measure gave Fraction(3, 2)", "return {total: sum(terms)}"),
    _returned("a list", "return [sum(terms)]", "return {total: sum(terms)}"),
    _returned("a set", "return {total, sum(terms)}", "return {total: sum(terms)}"),
    _returned("a text as key", 'return {"total": sum(terms)}', "the key 'total' is a text", "{total: …}"),
    _returned("another text as key", 'return {"sum": sum(terms)}', "the key 'sum' is a text", "{total: …}"),
    _returned("a float", "return {total: float(sum(terms))}", "total is 1.5, of type float", "enclosed(lambda: …)"),
    _returned("a text", 'return {total: "1"}', "1, without quotes"),
    _returned("None", "return {total: None}", "NoneType", "a number"),
    _returned("what print returns", "return {total: print(end='')}", "print returns None"),
    _returned("a formula", "return {total: log(p.N)}", "Enclosure(x).log()", "belongs into asserts"),
    _returned("a complex number", "return {total: 1j}", "absolute value"),
    _returned("a truth value", "return {total: sum(terms) > 1}", "int(…)", "the comparison in asserts"),
    _returned("an array", "import numpy; return {total: numpy.ones(2)}", "of type ndarray", "one number"),
    _returned("a tensor", "import torch; return {total: torch.ones(1)}", "Tensor", "observed(Fraction(x.item())"),
    _returned("enclosed of a number", "return {total: enclosed(sum(terms))}", "enclosed(lambda: sum(terms))"),
    _returned(
        "math within enclosed", "import math; return {total: enclosed(lambda: math.log(p.N))}", "Enclosure(p.N).log()"
    ),
    _returned("exact of a float", "from theorytools import exact; return {total: exact(0.5)}", "is exact as it is"),
    _returned("exactly a float", "from theorytools import exactly; return {total: exactly(0.5)}", "Fraction or int"),
    _returned("a misspelt name", "return {total: sum(term)}", "did you mean terms?"),
    _returned(
        "Fraction of a name that is not imported", "return {total: Rational(1, 2)}", "from sympy import Rational"
    ),
]
FUNCTIONS = [
    _one("measure of the object alone", "def measure(terms, p):", "def measure(terms):", "measure(object, p):"),
    _one("measure of point and object", "def measure(terms, p):", "def measure(p, terms):", "def measure(terms, p):"),
    _one("construct of nothing", "def construct(p, factor=1):", "def construct():", "def construct(p):"),
    _one(
        "construct without a return",
        "    return [Fraction(",
        "    [Fraction(",
        "ends without a return",
        at="def construct",
    ),
    _one("measure that is no function", "measure=measure", "measure={total: 1}", "two functions: (p) and (object, p)"),
    _one("measure that is called", "measure=measure", "measure=measure(construct, None)", "measure=measure"),
    _one("construct that is called", "construct=construct,", "construct=construct(8),", "construct=construct"),
    _one("a lambda of the object alone", "measure=measure", "measure=lambda x: {total: sum(x)}", "lambda object, p: …"),
    _one("a lambda with a keyword", "measure=measure", "measure=lambda x, *, p: {total: 1}", "lambda object, p: …"),
    _one("a control's lambda of nothing", CONTROL, "construct=lambda: [1]", "lambda p: …"),
    _one("a control's measure of the object", CONTROL, "measure=lambda terms: {total: 9}", "lambda object, p: …"),
    _one("a control that is called", CONTROL, "construct=construct(4, factor=2)", "construct=lambda p: …"),
    _one("a point in brackets", "range(1, p.N + 1)", 'range(1, p["N"] + 1)', "p.N"),
    _one("a letter that the point lacks", "range(1, p.N + 1)", "range(1, p.M + 1)", "M=[…] in grid(…)"),
    _one("a letter for its value", "range(1, p.N + 1)", "range(1, N + 1)", "p.N, the number at the point p"),
]
BOUNDS = [
    _bound("a letter without a name", "total <= 1 + log(d)", 'd = letter("d", "what it stands for") in notation.py'),
    _bound("a letter not imported", "total <= width + log(N)", "from .notation import width"),
    _bound("a chain", "0 <= total <= 1 + log(N)", "asserts=[0 <= total, total <= 1 + log(N)]"),
    _bound("and", "total <= 9 and total >= 0", "asserts=[total <= 9, total >= 0]"),
    _bound("or", "total <= 9 or total >= 0", "implies(premise, conclusion)"),
    _bound("&", "(total <= 9) & (total >= 0)", "asserts=[total <= 9, total >= 0]"),
    _bound("math.log", "total <= 1 + math.log(N)", "log(N), with from sympy import log", head=MATH),
    _bound("np.sqrt", "total <= 1 + np.sqrt(N)", "sqrt(N), with from sympy import sqrt", head=NUMPY),
    _bound("np.log2", "total <= 1 + np.log2(N)", "log(N, 2)", head=NUMPY),
    _bound("torch.log", "total <= 1 + torch.log(N)", "log(N), with from sympy import log", head=TORCH),
    _bound("a function that is not imported", "total <= 1 + sqrt(N)", "from sympy import sqrt"),
    _bound("float of a letter", "total <= 1 + float(N)", "N, without float"),
    _bound("a float", "total <= 1.5 + log(N)", "Rational('1.5')"),
    _bound("a quotient of integers", "total <= 1/2 + 1 + log(N)", "Rational(1, 2)"),
    _bound("^", "total <= N ^ 2", "N**2"),
    _bound("max", "total <= 1 + max(N, 2)", "Max(N, 2), with from sympy import Max"),
    _bound("if", "total <= (1 + log(N) if N > 1 else 1)", "Piecewise((1 + log(N), N > 1), (1, True))"),
    _bound("a sum over a range", "total <= 1 + sum(1 / k for k in range(2, N + 1))", "from sympy import Sum"),
    _bound("a letter of the point", "total <= 1 + log(p.N)", "N in place of p.N"),
    _bound("a text", 'total <= "1 + log(N)"', "total <= 1 + log(N), without quotes"),
    _bound("==", "total == 1 + log(N)", "total.equals(1 + log(N))"),
    _bound("!=", "total != 1 + log(N)", "total.differs(1 + log(N))"),
    _bound("letters alone", "N <= 1 + N", "requires=[N <= 1 + N]"),
    _one("bound: a quantity alone", f"[{BOUND}]", "[total]", "total alone says nothing", ".equals(…)"),
    _bound("a whole statement as a text", '"total <= 1 + log(N)"', "total <= 1 + log(N), without quotes"),
    _bound("a function", "lambda p: total <= 1", "quantity <= bound"),
    _one("a letter that the grid lacks", GRID, "grid=grid(M=[2, 4])", "N=[2, 4]", "lets={N: formula}"),
    _one("a letter of another name", "from .notation import N", 'N = letter("n", "a size")', 'letter("N", …)'),
]
FIELDS = [
    _one("not of a relation", REQUIRES, "requires=[not N > 20]", "Not(N > 20)"),
    _one("and of relations", REQUIRES, "requires=[N <= 16 and N > 3]", "And(N <= 16, N > 3)"),
    _one("a chain of relations", REQUIRES, "requires=[3 <= N <= 16]", "3 <= N, N <= 16"),
    _one("a truth value", REQUIRES, "requires=[True]", "Python has decided it"),
    _one("a comparison of numbers", REQUIRES, "requires=[2 >= 1]", "Python has decided it"),
    _one("== of letters", REQUIRES, "requires=[2 * N == 8]", "Eq(2 * N, 8)"),
    _one("a hypothesis as a text", REQUIRES, 'requires=["N >= 1"]', "N >= 1, without quotes"),
    _one("one hypothesis without a list", REQUIRES, "requires=N >= 1", "requires=[N >= 1]"),
    _one("a hypothesis as a function", REQUIRES, "requires=[lambda p: p.N > 1]", "such_that={"),
    _one("a hypothesis about what is measured", REQUIRES, "requires=[total >= 1]", "implies(total >= 1, …)"),
    _one("no breaks", "breaks=total, ", "", "breaks=total", "without breaks= it is a repair", at="controls="),
    _one("another breaks", "breaks=total", 'breaks="sum"', "breaks='total'"),
    _one("no controls", f"    {CONTROLS},\n", "", "spoil one ingredient", at="claim = Claim("),
    _one("one control without a list", CONTROLS, CONTROLS.replace("[", "").replace("]", ""), "controls=[Control("),
    _one("a control that spoils nothing", f", {CONTROL}", "", "construct=lambda p: …", at="controls="),
    _one(
        "no word after the place",
        SOURCE,
        'source="published: Lemma 1, section 2"',
        "no semicolon",
        '"published: Lemma 1, section 2; display"',
        "prose (only the words around it)",
    ),
    _one(
        "another word after the place",
        SOURCE,
        'source="published: Lemma 1; formula"',
        "'formula' does not say",
        '"published: Lemma 1; display"',
    ),
    _one(
        "two semicolons",
        SOURCE,
        'source="published: Lemma 1; section 2; prose"',
        "two semicolons",
        '"published: Lemma 1, section 2; prose"',
    ),
    _one("a source without its mark", SOURCE, 'source="Lemma 1"', "published, derived here", '"derived here: Lemma 1"'),
    _one("a source without its place", SOURCE, 'source="derived here"', '"derived here: Lemma 1"'),
    _one("no source", f"    {SOURCE},\n", "", 'source="derived here: Lemma 1"', at="claim = Claim("),
    _one("no role", '    role="statement",\n', "", 'role="statement"', at="claim = Claim("),
    _one("no scope", '    scope={"every N": "points"},\n', "", 'scope={"every N": "points"}', at="claim = Claim("),
    _one(
        "a role that is none", 'role="statement"', 'role="theorem"', 'role="statement"', "one of statement, sharpness"
    ),
    _one("a scope of another letter", '"every N"', '"every n"', "N is under no quantifier"),
    _one("a scope covered by a misspelt word", '"points"', '"point"', "did you mean points?"),
    _one("a scope as a text", '{"every N": "points"}', '"every N"', 'scope={"every N": "points"}'),
    _one("a scope without a quantifier", '"every N"', '"N"', 'scope={"every N": "points"}'),
    _one("a claim without a name", "claim = Claim(", "Claim(", "bound to no name", "claim = Claim(…)"),
    _one("a claim in a function", "claim = Claim(", "def made():\n  return Claim(", "made by code", at="return Claim("),
    _one("claims in a list", "claim = Claim(", "claims = [Claim(", "one name each", more=[(",\n)\n", ",\n)]\n")]),
    _one("a misspelt keyword", "requires=", "require=", "Claim has no require=", "requires="),
    _one("a misspelt keyword of a control", "breaks=total", "break_=total", "breaks="),
    _one(
        "the label in the second place",
        '"Harmonic sums",\n    asserts=[total <= 1 + log(N)]',
        '[total <= 1 + log(N)],\n    "Harmonic sums"',
        'Claim("Lemma 1", asserts=[…]',
    ),
    _one("no label", '    "Harmonic sums",\n', "", "'label'", 'Claim("Lemma 1"', at="claim = Claim("),
    _one("no grid", f"    {GRID},\n", "", "'grid'", "grid=grid(N=[…])", at="claim = Claim("),
    _one("a grid as a dictionary", GRID, 'grid={"N": [2, 4]}', "grid=grid(N=[2, 4])"),
    _one("a dictionary for grid()", GRID, "grid=grid({N: [2, 4]})", "grid(N=[2, 4])"),
    _one("one value without a list", GRID, "grid=grid(N=16)", "N=[16]"),
    _one("no values", GRID, "grid=grid(N=[])", "grid(N=[…], …)"),
    _one("a misspelt tier", 'role="statement"', 'tier="second", role="statement"', 'tier="seconds"'),
    _one("an outcome that is none", 'role="statement"', 'expect="HOLD", role="statement"', 'expect="HOLDS"'),
    _one("a text for a letter", 'role="statement"', 'lets={"beta": N}, role="statement"', "lets={beta: …}"),
]
FILES = [
    _one("a letter that notation.py lacks", "import N", "import N, d", 'd = letter("d"', at="from .notation"),
    _one("a misspelt letter of notation.py", "import N", "import N, widht", "did you mean width?", at="from .notation"),
    _one("the notation without its dot", "from .notation", "from notation", "from .notation import …"),
    _one("a package that is not there", "from sympy", "import scikit_foo\nfrom sympy", "pip install scikit_foo"),
    _one(
        "a misspelt name of the library",
        "enclosed, grid",
        "enclosd, grid",
        "did you mean enclosed?",
        at="from theorytools",
    ),
    _one(
        "a quantity in another order",
        '"total", "S", "sum of the reciprocals", (0, None)',
        '"total", (0, None), "S"',
        'Quantity("name", r"TeX"',
        at="total = Quantity",
    ),
    _one("a letter without a meaning", "from .notation import N", 'N = letter("N")', 'letter("N", "what it stands'),
    _one(
        "a misspelt assumption", "from .notation import N", 'N = letter("N", "a size", interger=True)', "integer=True"
    ),
    _one("a bracket that is not closed", "claim = Claim(", "claim = Claim((", "was never closed"),
    _one("a range that is left", "(0, None))", "(0, 1))", "at most 1", "mend measure", at="def measure"),
]
MISTAKES = [*MEASURE, *FUNCTIONS, *BOUNDS, *FIELDS, *FILES]
