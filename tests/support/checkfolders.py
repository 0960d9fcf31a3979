"""Folders of checks for tests of what runs them: among N items at most N differ, and what can happen to that."""

from pathlib import Path

from theorytools.claims.judging.unfinished import PLACEHOLDERS

HOLDS = '''"""Among $N$ items at most $N$ differ.

Setting    A family of $N$ items.
Statement  $|x| \\\\le N$.
"""

from sympy import Rational

from theorytools import Budget, Claim, Control, Enclosure, Quantity, enclosed, grid
from theorytools.statistics.sampled import bounded_mean

from .notation import N

size = Quantity("size", "|x|", "number of distinct items", (0, None))


def construct(p, extra=0):
    return list(range(p.N + extra))


def measure(items, p):
    return {size: len(set(items))}


claim = Claim(
    "Lemma @", asserts=[size <= N], requires=[N >= 2], grid=grid(N=[2, 3]), construct=construct, measure=measure,
    role="statement", scope={"every N": "points"}, source="derived here: Lemma 1",
    controls=[Control("one item more", breaks=size, construct=lambda p: construct(p, 1))],
)
'''
NOTATION = '''"""One letter."""

from theorytools import letter

N = letter("N", "number of items", integer=True, positive=True)
'''
_MADE = "    return list("
_MEASURED = "    return {size: len(set(items))}"
# what a solver does: C code writes to standard output, at once and by a buffer, and Python's stream does not know
_C_PRINTS = """    import ctypes, os
    os.write(1, b"C speaks\\n")
    ctypes.CDLL(None).printf(b"C speaks late\\n")
    print("Python speaks", file=__import__("sys").__stdout__)
"""
_AT_IMPORT = """__import__("os").write(1, b"an import speaks\\n")

"""
_LOOP = """    while p.N == 3 and not __import__("pathlib").Path("go").exists():
        pass
"""
# N = 7 (sqrt(N/7))² is irrational on the way, so no precision decides the equality case
_BALLS = "    return {size: enclosed(lambda: (Enclosure(len(items)) / 7).sqrt() ** 2 * 7)}"
# the mean is 1 for the claim and 3/2 for its control; the bound at N = 2 is 5/4
_DRAWS = """    def draw(rng, count):
        return len(items) * rng.uniform(size=count)

    return {size: bounded_mean(draw, p.seed("items"), low=0, high=p.N + 1)}"""


def _with(*pairs: tuple[str, str]) -> str:
    text = HOLDS
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


_SAMPLED = [(_MEASURED, _DRAWS), ("size <= N]", "size <= N - Rational(3, 4)]"), ("N=[2, 3]", "N=[2]")]
KINDS = {
    "holds": HOLDS,
    "beyond": _with((_MADE, "    extra += p.N > 3\n" + _MADE)),  # it holds on its grid and fails one step beyond
    "refuted": _with(("size <= N]", "size <= N - 1]")),
    "undecided": _with((_MEASURED, _BALLS)),
    "powerless": _with(("construct(p, 1)", "construct(p, 0)")),
    "uncontrolled": _with(('[Control("one item more", breaks=size, construct=lambda p: construct(p, 1))]', "[]")),
    "misspelt": _with(("def construct(", "def construct((")),
    "misfed": _with(("grid(N=[2, 3])", "grid(N=2)")),
    "raising": _with((_MADE, '    raise RuntimeError("no items today")\n' + _MADE)),
    "interrupted": _with((_MADE, "    raise KeyboardInterrupt\n" + _MADE)),
    "sleeping": _with((_MADE, "    __import__('time').sleep(60)\n" + _MADE)),
    "looping": _with((_MEASURED, _LOOP + _MEASURED)),
    "dying": _with((_MADE, "    __import__('os')._exit(7)\n" + _MADE)),
    "printing": _with((_MADE, '    print("a check that talks")\n' + _MADE)),
    "banner": _with((_MEASURED, _C_PRINTS + _MEASURED), ("claim = Claim(", _AT_IMPORT + "claim = Claim(")),
    "slow": _with(("controls=", 'tier="minutes", controls=')),
    "worded": _with(("N=[2, 3]", 'N=[2, 3], kind=["plain"]'), ('{"every N":', '{"every N, kind":')),
    "sampled": _with(*_SAMPLED),
    "spendthrift": _with(*_SAMPLED, ("controls=", "budget=Budget(alpha=1e-3), controls=")),
}


def check(kind: str, label: str = "") -> str:
    """Return the text of a check."""
    return KINDS[kind].replace("@", label or kind)


def edited(path: Path) -> Path:
    """Make a template one's own, as its writer does: what it asks to be replaced is replaced."""
    text = path.read_text(encoding="utf-8")
    for sentence in PLACEHOLDERS:
        text = text.replace(sentence, "ours")
    path.write_text(text, encoding="utf-8")
    return path


def write(folder: Path, *kinds: str, paper: str = "tiny") -> Path:
    """Make ``folder/checks/<paper>`` with one check of each kind; return ``folder/checks``."""
    home = folder / "checks" / paper
    home.mkdir(parents=True, exist_ok=True)
    statements = "".join(
        f'\n[[statement]]\nid = "{kind}"\nlabel = "Lemma {kind}"\nours = "a lemma"\n' for kind in kinds
    )
    head = f'[paper]\nkey = "{paper}"\nauthors = "Nobody"\ntitle = "Counting"\narxiv = "0000.00000"\n'
    (home / "paper.toml").write_text(head + statements, encoding="utf-8")
    (home / "notation.py").write_text(NOTATION, encoding="utf-8")
    for kind in kinds:
        (home / f"{kind}.py").write_text(check(kind), encoding="utf-8")
    return folder / "checks"
