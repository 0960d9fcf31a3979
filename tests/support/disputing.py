"""A project that disputes a few statements, each found in another way, for tests of what finds them."""

HEAD = '''"""A count of items.

Setting    $N$ items.
Statement  $v\\\\le N$.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import log

from theorytools import Claim, Control, Quantity, Run, decide, grid, letter

N = letter("N", "a number", integer=True, positive=True)
size = Quantity("size", "v", "a count", (0, None))

def counting(extra):
    return lambda n, p: {size: n + extra(n)}


claim = Claim(
    "A count", role="statement", source="derived here: a count", scope={"every N": "points"}, asserts=size <= N,
    requires=[N >= 2], grid=grid(N=[2, 3]), construct=lambda p: p.N,MORE
    measure=counting(lambda n: EXTRA),
    controls=[Control("one more", breaks=size, measure=counting(lambda n: 1))],
)
repaired = replace(
    claim, label="Repaired", role="variant", source="derived here: a count", scope={"every N": "points"},
    measure=counting(lambda n: 0),
)
'''
RIVAL = """
grows = replace(
    claim, label="Like N log N", role="growth", source="derived here: a count", scope={"every N": "points"},
    asserts=size.grows(N, at_most=N * log(N), rivals=[N * log(N) ** 2]), grid=grid(N=[8, 16, 32, 64]),
    measure=counting(lambda n: 0), expect="UNDECIDED", controls=[
        Control("the cube", breaks=size, measure=counting(lambda n: n**3)),
    ],
)
"""
DRIFT = """
level = Quantity("level", "s_t", "a sum of t steps")


def add(s, t, p):
    return s[0] + p.step, decide.less(s[0] + p.step, t * p.step)


step, t = letter("step", "a step", positive=True), letter("t", "step of the run", integer=True, positive=True)
T = letter("T", "steps", integer=True, positive=True)
drift = Claim(
    "A sum", role="variant", source="derived here: a sum", scope={"every step, T": "points"}, asserts=level <= t * step,
    grid=grid(step=["1/10"], T=[8]), run=Run(lambda p: (Fraction(0), False), add, lambda s, t, p: {level: s[0]}),
    controls=[Control("half", asserts=[level <= t * step / 2], breaks=level)],
)
"""
NEEDLE = 1_234_567
CHECKS = {
    "beside": HEAD.replace("EXTRA", "int(n > 5)").replace("MORE", ""),
    "slow": HEAD.replace("EXTRA", "int(n > 5)").replace("MORE", ' tier="minutes",'),
    "needle": HEAD.replace("EXTRA", f"int(n == {NEEDLE})").replace("MORE", ""),
    "rival": HEAD.replace("EXTRA", "0").replace("MORE", "") + RIVAL,
    "inside": HEAD.replace("EXTRA", "int(n > 2)").replace("MORE", ""),
    "drift": HEAD.replace("EXTRA", "int(n > 5)").replace("MORE", "") + DRIFT,
}
WAYS = {"beside": "verify", "slow": "falsify", "needle": "witness", "rival.grows": "verify", "drift": "verify"}
DISPUTE = {
    "claim": '"beside"', "repaired": '["beside.repaired"]', "statement": '"At most $N<7$ items, <b>all</b> of them."',
    "by": '"A. & B. (2020), Lemma <1>"', "address": '"https://example.org/a?b=1&c=2"', "read": "2026-11-26",
    "as": '"stored copy"', "grid": '"before"', "finding": '"From six items on one is counted twice | <i>so</i>."',
    "repair": '"proof"',
}  # fmt: skip
UNSAID = {
    "statement": '"Of all $x<1$ & more."', "by": '"A project"', "address": '"https://example.org/x"',
    "read": "2026-11-25", "as": '"memory"', "reason": '"no letter is <a> function"',
}  # fmt: skip


def table(name, fields):
    """A table of TOML; a field that is None is left out."""
    lines = [f"{key} = {value}" for key, value in fields.items() if value is not None]
    return "\n".join([f"[[{name}]]", *lines, ""])


def disputing(claim, repaired="", **more):
    """The table of a dispute of one claim."""
    stem = claim.split(".")[0]
    return table(
        "dispute", {**DISPUTE, "claim": f'"{claim}"', "repaired": f'["{repaired or stem + ".repaired"}"]', **more}
    )


def project(folder, *claims, text=None):
    """Make ``folder/checks/doubt`` with checks of these claims and ``disputes.toml``; return ``folder/checks``."""
    home = folder / "checks" / "doubt"
    home.mkdir(parents=True, exist_ok=True)
    stems = list(dict.fromkeys(claim.split(".")[0] for claim in claims))
    listed = "".join(f'\n[[statement]]\nid = "{stem}"\nlabel = "{stem}"\nours = "a count"\n' for stem in stems)
    (home / "paper.toml").write_text(f'[paper]\nkey = "doubt"\ntitle = "Doubts"\n{listed}', encoding="utf-8")
    for stem in stems:
        (home / f"{stem}.py").write_text(CHECKS[stem], encoding="utf-8")
    own = text if text is not None else "\n".join([*map(disputing, claims), table("unsaid", UNSAID)])
    (home / "disputes.toml").write_text(own, encoding="utf-8")
    return folder / "checks"
