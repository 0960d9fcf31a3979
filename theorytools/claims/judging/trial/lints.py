r"""What can be told of a check without running it: formulas, letters, axes, generators, hypotheses, the grid.

None of these is a verdict on the statement; each is a place where what is printed and what is computed part.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import sympy
from sympy.core.relational import GreaterThan, LessThan, Relational, StrictGreaterThan, StrictLessThan

from theorytools.claims.judging.description import axis_letters, sections_of, text_of
from theorytools.claims.judging.remark import Remark
from theorytools.claims.judging.trial.tex import fault, formulas, unclosed
from theorytools.claims.judging.trial.variants import Numbers, Trial

FAR = 10
LOOSE = 10**6
SMALL = 4  # a least size up to here is what a statement leaves unsaid
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
POINT = frozenset(("axes", "text", "rng", "seed", "id"))  # of a point: all of its axes at once
CLOCKS = frozenset(("time.time", "time.time_ns", "time.perf_counter", "time.monotonic", "time.process_time",
                    "datetime.now", "datetime.datetime.now", "uuid.uuid4", "uuid.uuid1", "os.urandom", "os.getpid",
                    "secrets.token_bytes", "secrets.randbelow", "random.SystemRandom"))  # fmt: skip
SEEDED = frozenset(
    ("Generator", "SeedSequence", "PCG64", "Philox", "SFC64", "MT19937", "BitGenerator", "Random", "seed")
)
UNSEEDED = frozenset(("default_rng", "RandomState", "Random"))  # without an argument: from the system
COMMON = frozenset((
    "number", "bound", "which", "their", "other", "least", "every", "length", "that", "with", "from", "size", "root",
    "most", "over", "this", "each", "same",
))  # fmt: skip
told = partial(Remark, "lint")


def lints(trial: Trial) -> Iterable[Remark]:
    """Return what is wrong with a check as a text: each rule in turn."""
    for rule in (_tex, _letters, _axes, _generators, _again, _hypotheses, _cut, _far):
        yield from rule(trial)


def _tex(trial: Trial) -> Iterator[Remark]:
    """Formulas that no TeX accepts: of quantities, of letters, and within the docstring."""
    claim = trial.claim
    printed = [(f"the formula of '{q.name}'", q.latex) for q in claim.quantities]
    printed += [(f"the letter {name}", getattr(letter, "tex", "")) for name, letter in claim.all_letters().items()]
    for what, formula in printed:
        if wrong := fault(formula):
            yield told(f"{what}, {formula!r}: {wrong}", advice="mend the formula: pages show its source as it is")
    head = text_of(trial.entry)["summary"]
    for name, text in [["the first sentence", head], *sections_of(claim, trial.entry)]:
        if unclosed(text):
            yield told(f"{name} has an odd number of dollars", advice="close the formula")
            continue
        for formula in formulas(text):
            if wrong := fault(formula, within=True):
                yield told(f"{name}, ${formula}$: {wrong}", advice="mend the formula: pages show its source as it is")


def _letters(trial: Trial) -> Iterator[Remark]:
    """One name with two meanings in one paper, and two letters that are printed alike."""
    package = ".".join(getattr(trial.claim.construct, "__module__", "").split(".")[:2])
    notation = sys.modules.get(f"{package}.notation")
    letters = {**trial.claim.all_letters(), **axis_letters(trial.claim)}
    for name, letter in letters.items():
        own, theirs = getattr(letter, "meaning", ""), getattr(getattr(notation, name, None), "meaning", "")
        if own and theirs and own != theirs:
            yield told(
                f"the letter {name} is '{own}' here and '{theirs}' in the paper's notation",
                advice="give one of the two another name: a reader of two pages takes them for one",
            )  # fmt: skip
    printed = Counter(getattr(letter, "tex", name) for name, letter in letters.items())
    for tex, count in printed.items():
        if count > 1:
            both = " and ".join(name for name, letter in letters.items() if getattr(letter, "tex", name) == tex)
            yield told(f"the letters {both} are both printed as ${tex}$", advice="print one of them in another way")


def _axes(trial: Trial) -> Iterator[Remark]:
    """An axis of several values that no function reads, no formula has, and no number depends on."""
    claim = trial.claim
    read = _read(trial)
    if read is None:
        return
    named = set(claim.all_letters()) | {s.name for value in claim.definitions.values() for s in value.free_symbols}
    named |= {getattr(letter, "name", letter) for letter in (*claim.tabulated, *claim.listed)}
    named |= set() if claim.run is None else {claim.run.horizon}  # how far a run goes changes no step of it
    for name in claim.grid.axes:
        several = len({str(point[name]) for point in claim.grid}) > 1
        if several and name not in named | read and not _matters(trial, name):
            yield told(
                f"the axis {name} changes nothing: no function reads it, and no formula has it",
                advice=f"measure what depends on {name}, or take it out of the grid",
            )  # fmt: skip


def _read(trial: Trial) -> set[str] | None:
    """The attributes and texts of the file; None where a function may read every axis, or hands the point on."""
    if trial.node(trial.claim.construct) is None or trial.node(trial.claim.measure) is None:
        return None
    nodes = [node for function in trial.functions for node in ast.walk(function)]
    local = {n.name for n in ast.walk(trial.tree) if isinstance(n, ast.FunctionDef)} | {
        t.id for n in trial.tree.body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Lambda)
        for t in n.targets if isinstance(t, ast.Name)
    }  # fmt: skip
    own = [(trial.claim.construct, 0), (trial.claim.measure, 1), (trial.claim.derive, 1)]
    if (run := trial.claim.run) is not None:
        own = [(run.state, 0), (run.step, 2), (run.observe, 2), (trial.claim.derive, 1)]
    points = {"p"} | {
        taken[place].arg for function, place in own
        if function is not None and (node := trial.node(function)) is not None
        and len(taken := node.args.args) > place  # type: ignore[attr-defined]
    }  # fmt: skip
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in POINT and getattr(node.value, "id", "") in points:
            return None
        if isinstance(node, ast.Call):
            handed = [a for a in [*node.args, *(k.value for k in node.keywords)] if getattr(a, "id", "") in points]
            if handed and getattr(node.func, "id", "") not in local:
                return None
    texts = {n.value for n in ast.walk(trial.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return texts | {n.attr for n in ast.walk(trial.tree) if isinstance(n, ast.Attribute)}


def _matters(trial: Trial, name: str) -> bool:
    """Whether two points that differ in this axis alone have rows of different numbers; true where there are none."""
    seen: dict[Any, Any] = {}
    compared = False
    for row in trial.verdict.rows:
        if row.control:
            continue
        rest = (row.assertion, tuple(sorted((k, v) for k, v in row.point.items() if k != name)))
        numbers = (str(row.measured), tuple(map(str, row.bound)))
        if rest in seen and seen[rest] != numbers:
            return True
        compared = compared or rest in seen
        seen[rest] = numbers
    return not compared


def _generators(trial: Trial) -> Iterator[Remark]:
    """Random numbers without a seed, and clocks."""
    names = _imported(trial.tree)
    advice = "p.rng('role') draws the same numbers at a point on every machine"
    for function in trial.functions:
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        called = {id(call): _dotted(call.func, names) for call in calls}
        if any(name.endswith((".random.seed", "random.seed", "manual_seed")) for name in called.values()):
            continue
        for call in calls:
            name = called[id(call)]
            if name in CLOCKS or _unseeded(name, bool(call.args or call.keywords)):
                yield told(f"`{name}` has no seed: another run gives other numbers", trial.line(call), advice)


def _unseeded(name: str, arguments: bool) -> bool:
    parts = name.split(".")
    if parts[-1] in UNSEEDED and (len(parts) == 1 or parts[0] in ("numpy", "random")):
        return not arguments
    if parts[-1] in SEEDED:
        return False
    return (parts[0] == "random" and len(parts) == 2) or (parts[:2] == ["numpy", "random"] and len(parts) == 3)


def _imported(tree: ast.Module) -> dict[str, str]:
    """What the names of a file stand for, as far as they are imported: ``np`` is ``numpy``."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {
                a.asname or a.name.split(".")[0]: a.name if a.asname else a.name.split(".")[0] for a in node.names
            }
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return found


def _dotted(node: ast.expr, names: Mapping[str, str]) -> str:
    """The whole name of what is called; empty where it is no imported one."""
    if isinstance(node, ast.Name):
        return names.get(node.id, "")
    if isinstance(node, ast.Attribute):
        above = _dotted(node.value, names)
        return f"{above}.{node.attr}" if above else ""
    return ""


def _again(trial: Trial) -> Iterator[Remark]:
    """A number that is another one when the point is measured again, after the others."""
    for point in trial.points[:1]:
        here = point.text()
        rows = [row for row in trial.verdict.rows if not row.control and dict(row.point) == here]
        before, now = Numbers({row.quantity: row.measured for row in rows}, {}), trial.honest(point)
        if now.judged and before.moved(now):
            yield told(
                f"measured again at {point}, after the other points, it is another number",
                advice="make what a point needs from the point alone: no state that an earlier one leaves behind",
            )  # fmt: skip


def _hypotheses(trial: Trial) -> Iterator[Remark]:
    """Hypotheses that the text of a claim does not have: none of their letters, or an upper end that it never says."""
    claim = trial.claim
    sections = sections_of(claim, trial.entry)
    if "$" not in dict(sections).get("Statement", ""):
        return  # a sentence in words, without a letter
    text = " ".join([text_of(trial.entry)["summary"], *(body for _, body in sections), claim.note, claim.label])
    for condition in claim.requires:
        if isinstance(condition, Relational) and not _usual(condition):
            missing = _unsaid(condition, text)
            if missing:
                yield told(
                    f"`requires` has {condition}, and the text {missing}: the sentence says more than was judged",
                    advice="say it in Setting or Statement, or judge the statement without it",
                )  # fmt: skip


def _usual(condition: Relational) -> bool:
    """Whether a hypothesis is a sign or a least size that a statement leaves unsaid: ``N >= 2``."""
    low = isinstance(condition, GreaterThan | StrictGreaterThan) and condition.lhs.is_Symbol
    return bool(low and condition.rhs.is_number and condition.rhs <= SMALL)


def _unsaid(condition: Relational, text: str) -> str:
    """What of a hypothesis is not in the text, in words."""
    formulae = _bare(" ".join(formulas(text)))
    words = _long(re.sub(r"\$[^$]*\$", " ", text))
    letters = condition.free_symbols
    if letters and not any(_bare(getattr(s, "tex", s.name)) in formulae or words & _long(getattr(s, "meaning", ""))
                           for s in letters):  # fmt: skip
        return f"has no {' and no '.join(sorted(s.name for s in letters))}"
    above = isinstance(condition, LessThan | StrictLessThan) and condition.lhs.is_Symbol
    end = condition.rhs
    if above and end.is_Integer and end >= 2 and not re.search(_written(int(end)), text):
        return f"never says {end}"
    return ""


def _written(number: int) -> str:
    """A pattern for a number as a text may have it: in digits, as a word, as a power, as the next one."""
    found = [rf"(?<![\d.]){one}(?![\d])" for one in (number, number + 1, f"{number:,}".replace(",", r"\\,"))]
    found += [rf"\b{DIGITS[number]}\b"] if number < len(DIGITS) else []
    for base in (2, 10):
        power, exact = sympy.integer_log(number, base)
        found += [rf"{base}\^\{{?{power}(?!\d)"] if exact else []
    return "|".join(found)


def _bare(tex: str) -> str:
    return re.sub(r"[{}\s]", "", tex)


def _long(text: str) -> set[str]:
    """The words of a text that name something, singular."""
    return {word.lower().rstrip("s") for word in re.findall(r"[A-Za-z]{4,}", text)} - COMMON


def _cut(trial: Trial) -> Iterator[Remark]:
    """Points of the grid outside the hypotheses, unless a comment says that they are meant to, or only the object did.

    A hypothesis on a derived letter is known when the object is there: the grid cannot avoid such points.
    """
    claim, source = trial.claim, trial.entry.path.read_text(encoding="utf-8")
    late = [str(c) for c in claim.requires if getattr(c, "free_symbols", set()) & set(claim.derived)]
    cut = [
        skip for skip in trial.verdict.skipped
        if not skip["control"] and not skip["open"] and not any(condition in skip["reason"] for condition in late)
    ]  # fmt: skip
    if cut and not re.search(r"#.*\boutside\b", source):
        at = ", ".join(f"{name}={value}" for name, value in cut[0]["point"].items())
        yield told(
            f"{len(cut)} of {len(claim.grid)} points of the grid lie outside the hypotheses: at {at}, "
            f"{cut[0]['reason']}", advice="take them out of the grid, or say in a comment that they lie outside",
        )  # fmt: skip


def _far(trial: Trial) -> Iterator[Remark]:
    """Controls that are all further than ten times from the claim, whose bound is, too: nobody sees a lost factor."""
    rows = trial.verdict.rows
    slack = [row.slack for row in rows if not row.control]
    missed = [1 / row.slack for row in rows if row.control and row.must_break and row.slack]
    # a bound with room is no mistake of a check; one with room for a million is tried by no control that is far, too
    if None not in slack and min(filter(None, slack), default=0) > LOOSE and min(missed, default=0) > FAR:
        yield told(
            f"every bound is {min(filter(None, slack)):.3g} times from the measured number, and the nearest control "
            f"misses its own by {min(missed):.3g}: neither would see a lost factor of ten",
            advice="add a control near the claim, or a point where the bound is attained",
        )  # fmt: skip
