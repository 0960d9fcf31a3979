r"""What files of others can do to a command: drawn by a seed, of six kinds, for as long as one likes.

``python -m tools.fuzz --seconds 3600`` draws TeX sources, files for ``--at``, TOML beside checks, files of checks,
stores of trials, and texts for tables.  A case is at fault where a command ends with a traceback, takes more than
ten seconds, refuses without its four parts, writes a control character, runs a check that it only lists, or
touches a file that is not its own.  Each is told with its seed, by which ``--seed`` draws it again.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import io
import os
import random
import re
import signal
import sqlite3
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any
from unittest import mock

import numpy as np

from theorytools.cli import main
from theorytools.errors import TheoryError
from theorytools.reporting.escapes import is_mathematics, latex_text, markdown_text, markdown_words
from theorytools.shown import HIDDEN, csv_text, visible
from theorytools.training.trials.store import Store

LIMIT = 10.0  # seconds of one command
CODES = (0, 1, 2, 3, 4)
STOLEN = "stolen words"
SIGNS = [
    *"\\{}[]$%#&_^~|`\"'<>=+-@;:,. \t\n",
    "\x00",
    "\x07",
    "\x1b[31m",
    "\x1b]0;x\x07",
    "\x7f",
    "\x9b2J",
    "\u202e",
    "\u2028",
    "\ufeff",
    "α",
    "語",
    "\U0001f600",
    "a",
    "N",
    "0",
    "9" * 30,
    "lemma",
    "\r\n",
    "=1+1",
    "\\input{../secret}",
    "\\write18{id}",
    "^^5cinput x",
    "${7*7}",
    "<script>",
    "](javascript:x)",
    "'''",
    '"""',
    "\\N{BEL}",
]
CHECK = '''"""Among $N$ items at most $N$ differ."""

open("executed", "w")
from theorytools import Claim
from .notation import N

claim = Claim(
    "Lemma 1", asserts=[], requires=[N >= 2], role="statement", scope={"every N": "points"}, source="derived here",
)
'''
PAPER = """[paper]
key = "tiny"
arxiv = "0000.00000"
version = 1
authors = "Nobody"
title = "Counting"
venue = "nowhere"
pitfalls = ["tiny.holds"]
versions = { v1 = "arXiv v1" }
[[statement]]
id = "holds"
label = "Lemma 1"
title = "what holds"
aliases = ["lem:1"]
rests_on = []
lacks = "nothing"
[statement.printed]
number = { v1 = "Lemma 1" }
read = { v1 = "words" }
[[statement.printed.formula]]
of = "the number"
formula = "<= O(N**2)"
[[statement]]
id = "other"
ours = "mine"
open = "not yet written"
[[part]]
title = "All"
text = "words"
statements = ["holds"]
[[refuted]]
claim = "holds"
said_by = "folklore"
where = "somewhere"
"""
BESIDE = {
    "work.toml": '[operations]\n"tiny.holds" = "N**2"\n[bytes]\n"tiny.holds" = "8*N"\n',
    "predictions.toml": '["tiny.holds"]\nrecord = "a.b"\nsays = ["x"]\ncommit = "0"\ncommitted = "2026-01-01"\n',
    "necessity.toml": '[[note]]\nclaims = ["tiny.holds"]\nhypothesis = "N >= 2"\nproof = "x"\n',
    "disputes.toml": '[[dispute]]\nclaim = "holds"\nrepaired = ["other"]\n',
}
VALUES = [
    "1",
    "-1",
    "1e400",
    "nan",
    "inf",
    "0x" + "f" * 400,
    "9" * 5000,
    "true",
    "[]",
    "{}",
    "''",
    "1979-05-27",
    "07:32:00",
    "[" * 40 + "]" * 40,
    "{a=" * 30 + "1" + "}" * 30,
    '"\\u001b[31m"',
    '"\\u202e"',
    "'''\n\n'''",
    '"../../x"',
    '"<= 9**9**9**9"',
    '"== factorial(10**8)"',
    '"<= ' + "(" * 150 + '"',
    '["x", 1]',
    "[[1]]",
    '"%n$\\\\input{x}$"',
]

PIECES = [
    "\\begin{thm} x ",
    "\\end{thm}",
    "\\begin{thm}[t]",
    "\\section{A}",
    "\\appendix ",
    "{",
    "}",
    "$",
    "\\label{a}",
    "%",
    "\n",
    "\\input{f0}",
    "\\input{f1}",
    "\\include{f2}",
    "\\input{../secret}",
    "\\input{link}",
    "\\input{dir/secret}",
    "\\input{pipe}",
    "\\newtheorem{a}{A}[b]",
    "\\newtheorem{b}{B}[a]",
    "\\numberwithin{thm}{section}",
    "\\title{\\a",
    "\\def\\a{\\b}\\def\\b{\\a}",
    "\\sqrt[",
    "\\begin{restatable}{thm}{x}",
    "\\end{restatable}",
    "\\input{",
    "\\verb|",
    "\\begin{verbatim}",
    *SIGNS,
]
DEEP = [
    "[" * 10**5,
    '["2", ' + "[" * 3000,
    "[2, 3]",
    '{"a":' * 2000,
    "[NaN]",
    "[1e999999999]",
    "9" * 10**6,
    "2 3 # x",
    "\x1b[31m",
    "2," * 20_000,
]
SWOLLEN = [
    *SIGNS,
    "(" * 250,
    "-" * 20_000 + "1",
    "x" + ".a" * 5000,
    "1" + "+1" * 5000,
    "[" * 90 + "]" * 90,
    "9" * 6000,
    "f'{" * 20,
    "#" * 10**6,
    "lambda: " * 900,
    "claim = Claim('x')\n",
    "if x:\n " * 90,
]
NAMES = [
    "holds.py",
    "holds.py",
    "other.py",
    "_no.py",
    "notation.py",
    "conftest.py",
    "a-b.py",
    "a b.py",
    "a.b.py",
    "x\x1b[31m.py",
    "\u202ea.py",
    "'.py",
    "`.py",
    "ä.py",
]
CHANGES = [
    "create table theirs (x)",
    "create view v as select * from trials",
    "insert into trials values ('a','b','done','{','','{}',0,'')",
    "create trigger t after insert on trials begin delete from trials; end",
    "update trials set result = '[['",
    "update trials set spec = '" + "[" * 3000 + "'",
    "pragma user_version = 7",
    "update trials set seconds = 'x'",
    "update trials set status = 'done', created = 'never'",
    "drop table trials",
    "pragma application_id = 1",
    "pragma journal_mode = wal",
    "update trials set provenance = '1'",
    "update trials set key = 'x'",
    "alter table trials add column y",
    "create table trials (key, spec, status, result, reason, provenance, seconds, created)",
]


class Overtime(BaseException):
    """A command has taken longer than it may."""


def command(*words: str) -> tuple[int, str]:
    """Return the exit code of a command, run here, and what it printed."""
    out = io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
        mock.patch.object(sys, "argv", ["t", *words]),
    ):
        try:
            main()
            code: Any = 0
        except SystemExit as end:
            code = end.code or 0
    return int(code), out.getvalue()


def wrong(code: int, text: str, *, allowed: str = "") -> Iterator[str]:
    """Yield what is wrong with how a command ended."""
    if code not in CODES:
        yield f"exit code {code}"
    if "Traceback (most recent call last)" in text:
        yield f"a traceback: {text.strip().splitlines()[-1][:200]}"
    if (sign := HIDDEN.search(text.replace(allowed, "") if allowed else text)) is not None:
        yield f"the sign {sign[0]!r}"
    if code == 2 and ("given:" not in text or "required:" not in text):
        yield f"no four parts: {text[:100]!r}"


# -- TeX -------------------------------------------------------------------------------------------------------------
def tex(rng: random.Random) -> Iterator[str]:
    """A source of drawn pieces and files that it inputs; what lies above its folder stays there."""
    for name in ("m", "f0", "f1", "f2"):
        drawn = [rng.choice(PIECES) * rng.choice([1, 1, 1, 1, 2, 400]) for _ in range(rng.randrange(30))]
        head = "\\newtheorem{thm}{T}\n" if name == "m" else ""
        whole = "\\begin{thm} x \\end{thm}" if rng.random() < 0.7 else ""
        Path(f"{name}.tex").write_text(head + "".join(drawn) + whole, encoding="utf-8", errors="replace")
    Path("link.tex").symlink_to("../secret.tex")
    Path("dir").symlink_to("..")
    os.mkfifo("pipe.tex")
    code, text = command("new", "arxiv:2503.11272", "--tex", "m.tex", "--name", "tale")
    yield from wrong(code, text)
    if code == 0:
        made = Path("checks/tale/paper.toml").read_text(encoding="utf-8")
        if STOLEN in made or HIDDEN.search(made):
            yield "a paper.toml with what lies outside, or with control characters"
        tomllib.loads(made)
        yield from wrong(*command("list", "tale"))


# -- files for --at --------------------------------------------------------------------------------------------------
def at(rng: random.Random) -> Iterator[str]:
    """A file of values: an array with a drawn header, deep or torn JSON, words, or no file at all."""
    _tiny()
    Path("checks/tiny/holds.py").write_text(_holding(), encoding="utf-8")
    name = rng.choice(["v.npy", "v.npy", "v.json", "v.txt", "v.csv"])
    how = rng.randrange(8)
    if how == 0:
        os.mkfifo(name)
    elif how == 1:
        Path(name).symlink_to(rng.choice(["/dev/zero", name, "/", "/proc/self/mem"]))
    elif name == "v.npy":
        shape = rng.choice(
            ["(3,)", "(10**12,)", "(1000000000000,)", "(2, 3)", "(-1,)", "()", "(True,)", "((((1,),),),)"]
        )
        kind = rng.choice(["<f8", "<i8", "|O", "<f2", "<M8[s]", "|V9", "<U4", "<f16", "<c16", "[('a', '<f8')]", "|b1"])
        head = (
            f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(rng.choice([70, 118, 9000]))
            + "\n"
        )
        size = rng.choice([len(head), 0, 2**16 - 1])
        body = np.array([2.0, 3, rng.choice([4, np.nan, np.inf, 1e308])]).tobytes()
        Path(name).write_bytes(
            b"\x93NUMPY"
            + bytes([rng.choice([1, 1, 2, 3, 9]), 0])
            + size.to_bytes(2, "little")
            + head.encode()
            + body[: rng.randrange(25)]
        )
    else:
        deep = rng.choice(DEEP)
        Path(name).write_text(deep + rng.choice(["", *SIGNS]), encoding="utf-8", errors="replace")
    yield from wrong(*command("verify", "tiny.holds", "--no-report", "--at", f"N=@{name}"))


# -- TOML beside checks ----------------------------------------------------------------------------------------------
def toml(rng: random.Random) -> Iterator[str]:
    """The tables beside a check, with values, keys, lines or bytes of others."""
    _tiny()
    files = {"paper.toml": PAPER, **BESIDE}
    name = rng.choice(["paper.toml", "paper.toml", *BESIDE])
    lines = files[name].splitlines()
    for _ in range(rng.choice([1, 1, 2, 5])):
        k = rng.randrange(len(lines))
        key, equals, _ = lines[k].partition(" = ")
        how = rng.randrange(6)
        if how < 3 and equals:
            lines[k] = key + equals + rng.choice(VALUES)
        elif how == 3:
            lines.insert(
                k, rng.choice([lines[rng.randrange(len(lines))], "a." * 400 + "b = 1", "[[statement]]", "[x]"])
            )
        elif how == 4:
            lines[k] += rng.choice(SIGNS)
        else:
            del lines[k]
            lines = lines or [""]
    content = "\n".join(lines).encode("utf-8", "replace") * rng.choice([1] * 9 + [300])
    if rng.random() < 0.05:
        content = content[: rng.randrange(len(content) + 1)] + rng.choice([b"\xff", b"\x00", b"\r"])
    (Path("checks/tiny") / name).write_bytes(content)
    for words in (
        ["list", "tiny"],
        ["list", "tiny", "--json"],
        ["list", "--format", "markdown"],
        ["search", "items"],
        ["new", "tiny", "lemma_9"],
        ["verify", "tiny.holds", "--no-report"],
        ["necessity", "tiny"],
        ["disputes", "tiny"],
        ["can", "tiny"],
    )[: 4 if name == "paper.toml" else 9]:
        for one in wrong(*command(*words)):
            yield f"{' '.join(words)}: {one}"


# -- files of checks -------------------------------------------------------------------------------------------------
def checks(rng: random.Random) -> Iterator[str]:
    """A file of checks that says when it is run, torn or swollen, under an odd name or behind a link."""
    _tiny()
    text = CHECK
    for _ in range(rng.choice([0, 1, 1, 3])):
        k = rng.randrange(len(text))
        put = rng.choice(SWOLLEN)
        text = text[:k] + put + text[k:]
    path = Path("checks/tiny") / rng.choice(NAMES)
    path.unlink(missing_ok=True)
    how = rng.randrange(10)
    if how == 0:
        path.symlink_to(rng.choice(["/dev/zero", path.name, "/etc/passwd", "../../../secret.tex", "/"]))
    elif how == 1:
        path.mkdir()
    elif how == 2:
        os.mkfifo(path)
    else:
        path.write_bytes(text.encode("utf-8" if how < 8 else "utf-16", "replace"))
    for words in (
        ["list"],
        ["list", "tiny", "--json"],
        ["list", "tiny", "--format", "markdown"],
        ["search", "differ"],
        ["new", "tiny", "lemma_9", "--uses", "tiny.holds"],
    ):
        for one in wrong(*command(*words)):
            yield f"{' '.join(words)}: {one}"
    if Path("executed").exists():
        yield "a check was run that is only listed"


# -- stores ----------------------------------------------------------------------------------------------------------
def stores(rng: random.Random) -> Iterator[str]:
    """A store of trials that others have changed, or a file of theirs; a refused one stays as it was."""
    path = Path("s.sqlite")
    if rng.random() < 0.7:
        with Store(path) as store:
            for k in range(4):
                store.add({"N": k, "arm": rng.choice(SIGNS[:4])}, {"samples": k}, provenance={"x": "=1+1"})
    db = sqlite3.connect(path, isolation_level=None)
    for line in rng.sample(CHANGES, rng.randrange(4)):
        with contextlib.suppress(sqlite3.Error):
            db.execute(line)
    held = db if rng.random() < 0.3 else None  # its log stays
    if held is None:
        db.close()
    data = bytearray(path.read_bytes())
    if data and rng.random() < 0.5:
        for _ in range(rng.randrange(1, 40)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data[: rng.choice([len(data)] * 3 + [rng.randrange(len(data))])])
    before = _files(Path())
    for reading in (True, False):
        try:
            with Store(path, read_only=reading) as store:
                list(store.rows())
                store.export_csv("t.csv")
        except TheoryError as error:
            again = {name: d for name, d in _files(Path()).items() if name in before and not name.endswith("-shm")}
            foreign = "another program" in error.given or "other tables" in error.given
            if foreign and any(before[name] != d for name, d in again.items()):
                yield f"a file that was refused is changed: {error.given}"
    if held is not None:
        held.close()


# -- texts -----------------------------------------------------------------------------------------------------------
def texts(rng: random.Random) -> Iterator[str]:
    """A text for a cell of a document: in LaTeX mathematics and escapes, in CSV no formula, anywhere no control."""
    text = "".join(
        rng.choice([*SIGNS, "\\frac{1}{N}", "$x$", "\\begin{cases}", "\\end{cases}"]) for _ in range(rng.randrange(14))
    )
    made = latex_text(text)
    for formula in re.findall(r"(?<!\\)\$((?:[^$\\]|\\.)*)\$", made):
        if not is_mathematics(formula):
            yield f"LaTeX {formula!r} from {text!r}"
    plain = re.sub(r"(?<!\\)\$((?:[^$\\]|\\.)*)\$", "", made)
    if re.search(
        r"\\(?!text(backslash|asciitilde|asciicircum|less|greater|bar|asciigrave)\{\}|dots\{\}|[&%$#_{}])", plain
    ):
        yield f"LaTeX {plain!r} from {text!r}"
    if re.search(r"(?<!\\)%|\^\^|\n", made):
        yield f"LaTeX {made!r} from {text!r}"
    for row in csv.reader(io.StringIO(csv_text([[text, 1]]))):
        for cell in row:
            if re.match(r"\s*[=+@-]", cell) and not re.fullmatch(r"[+-]?[0-9.]+([eE][+-]?\d+)?(/\d+)?", cell):
                yield f"CSV {cell!r} from {text!r}"
    shown = [visible(text), markdown_text(text), markdown_words(text), made, csv_text([[text]])]
    yield from (f"{one!r} from {text!r}" for one in shown if HIDDEN.search(one))
    if re.search(r"<|(?<!\\)\[", markdown_words(text)):
        yield f"Markdown {markdown_words(text)!r}"


# -- drawing ---------------------------------------------------------------------------------------------------------
KINDS: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "tex": tex,
    "at": at,
    "toml": toml,
    "checks": checks,
    "stores": stores,
    "texts": texts,
}


def _tiny() -> None:
    """A paper with two checks that say when they are run."""
    home = Path("checks/tiny")
    home.mkdir(parents=True)
    (home / "paper.toml").write_text(PAPER, encoding="utf-8")
    (home / "notation.py").write_text(
        "from theorytools import letter\nN = letter('N', 'items', integer=True, positive=True)\n"
    )
    for name in ("holds", "other"):
        (home / f"{name}.py").write_text(CHECK, encoding="utf-8")


def _holding() -> str:
    """A check that can be judged."""
    return '''"""Among $N$ items at most $N$ differ.

Setting    A family of $N$ items.
Statement  $|x| \\\\le N$.
"""

from theorytools import Claim, Control, Quantity, grid
from .notation import N

size = Quantity("size", "|x|", "number of distinct items", (0, None))


def construct(p, extra=0):
    return min(p.N, 50) + extra * 99 * p.N


claim = Claim(
    "Lemma 1", asserts=[size <= N], requires=[N >= 2], grid=grid(N=[2, 3]), construct=construct,
    measure=lambda x, p: {size: x}, role="statement", scope={"every N": "points"}, source="derived here: Lemma 1",
    controls=[Control("more", breaks=size, construct=lambda p: construct(p, 1))],
)
'''


def _files(folder: Path) -> dict[str, str]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def _overtime(signum: int, frame: FrameType | None) -> None:
    raise Overtime


def case(kind: str, seed: int) -> list[str]:
    """Return what is wrong with one case, in a folder of its own."""
    rng, here = random.Random(f"{kind} {seed}"), Path.cwd()
    before = signal.signal(signal.SIGALRM, _overtime)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "secret.tex").write_text(f"\\begin{{thm}} {STOLEN} \\end{{thm}}", encoding="utf-8")
        Path(folder, "inside").mkdir()
        os.chdir(Path(folder, "inside"))
        try:
            signal.setitimer(signal.ITIMER_REAL, LIMIT)
            found = list(KINDS[kind](rng))
        except Overtime:
            found = [f"more than {LIMIT:g} s"]
        except Exception as error:
            found = [f"{type(error).__name__}: {str(error)[:200]}"]
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            os.chdir(here)
        outside = sorted(path.name for path in Path(folder).iterdir())
        if outside != ["inside", "secret.tex"] or STOLEN not in Path(folder, "secret.tex").read_text(encoding="utf-8"):
            found.append(f"outside there is {outside}")
    return [f"{kind} --seed {seed}: {one}" for one in found]


def run(kinds: list[str], first: int, count: int | None, seconds: float) -> tuple[int, list[str]]:
    """Return how many cases were drawn, the kinds by turns, and all faults."""
    end, faults, seed = time.monotonic() + seconds, list[str](), first
    while time.monotonic() < end and (count is None or seed < first + count):
        for kind in kinds:
            for fault in case(kind, seed):
                faults.append(fault)
                print(fault, flush=True)
        seed += 1
    return (seed - first) * len(kinds), faults


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []], help="default: all by turns")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="how long cases are drawn; an hour before a release"
    )
    parser.add_argument("--seed", type=int, default=0, help="the first case; the others follow it")
    parser.add_argument("--count", type=int, help="no more than so many of each kind")
    given = parser.parse_args()
    drawn, found = run(given.kinds or list(KINDS), given.seed, given.count, given.seconds)
    print(f"{drawn} cases, {len(found)} faults")
    raise SystemExit(bool(found))
