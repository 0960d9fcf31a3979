"""An independent checker of stored verdicts: this one file, the standard library, nothing of the package around it.

``python recheck.py FOLDER`` parses the printed right sides of every verdict in a report, evaluates them at every stored
point in its own interval arithmetic, and judges again what follows from the stored ends: every relation, tie and
control, the power, the outcome, the evidence, the error probability, the digest.  Of each claim it says *confirmed*,
*not expressible* with the reason, or **contradicted** with what does not follow.  Measured ends are taken as they
stand; ``recheck_objects.py`` recomputes those whose object is stored.  Exit code 0; 1 where something is contradicted; 2 where
nothing can be read.

An interval is two fractions.  Rational arithmetic is exact; the rest is rounded outward to more and more bits until the
stored interval is met.  ``c log b`` with rational c and b is remembered, so that ``exp(k*log(2)/2)`` and
``log(8)/log(2)`` are exact.  Where a formula has no value its interval is the whole line.
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    sys.path.pop(0)  # the folder around this file has a `numbers`, which is also a name of the standard library

import argparse
import decimal
import hashlib
import json
import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction as Q
from functools import cache, reduce
from pathlib import Path
from typing import Any, NamedTuple

INF = math.inf
LONG = 1 << 20  # bits of a number that is kept exactly
FAR = 1 << 17  # |x| beyond which exp(x) is not written out
BITS = (96, 384, 1536, 4096)
EVIDENCE = ("FITTED", "OBSERVED", "SAMPLED", "ENCLOSED", "EXACT")
FACTORS = ("1.01", "1.05", "1.25", "2", "10", "100")
ALPHA_OF_ALL = 1e-4  # error probability of all claims of a report together
NotExpressible = NotImplementedError  # what this file has no arithmetic for
Contradiction = AssertionError  # what does not follow from the file


class Box(NamedTuple):
    """An interval; ``log = (c, b)`` says that it is exactly c log b."""

    low: Any
    high: Any
    log: tuple[Q, Q] | None = None

    @property
    def exact(self) -> bool:
        """Whether it is one number."""
        return bool(self.low == self.high)


def just(x: Any) -> Box:
    """Return the interval of one number."""
    return Box(Q(x), Q(x))


WHOLE, ZERO, ONE = Box(-INF, INF), just(0), just(1)


def demand(holds: Any, what: str) -> None:
    """Raise a contradiction unless it holds."""
    if not holds:
        raise Contradiction(what)


# -- interval arithmetic -----------------------------------------------------------------------------------------------
def _cut(x: Any, bits: int, up: bool) -> Any:
    """X rounded down or up to a number of significant bits."""
    if isinstance(x, float) or x == 0:
        return x
    shift = bits - x.numerator.bit_length() + x.denominator.bit_length()
    n, d = x.numerator << max(shift, 0), x.denominator << max(-shift, 0)
    return Q(-(-n // d) if up else n // d) / Q(2) ** shift


@cache
def _end(name: str, x: Any, bits: int, up: bool) -> Any:
    """A number below or above exp, ln or sqrt of x: `decimal` rounds correctly, so the neighbour is on its side."""
    if name == "exp" and abs(x) > FAR:
        return (INF if up else Q(2) ** FAR) if x > 0 else (Q(1, 1 << FAR) if up else Q(0))
    side = decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR
    context = decimal.Context(bits // 3, side, decimal.MIN_EMIN, decimal.MAX_EMAX)
    argument = context.divide(context.create_decimal(x.numerator), decimal.Decimal(x.denominator))
    value = getattr(context, name)(argument)
    return Q(context.next_plus(value) if up else context.next_minus(value))


@cache
def pi_box(bits: int) -> Box:
    """Return Machin's 16 arctan(1/5) - 4 arctan(1/239); fewer than w terms of each series are cut, by one unit."""
    w, total = bits + 40, 0
    for weight, n in ((16, 5), (-4, 239)):
        power, k = (1 << w) // n, 1
        while power:
            total, power, k = total + (weight if k % 4 == 1 else -weight) * (power // k), power // (n * n), k + 2
    return Box(Q(total - 40 * w, 1 << w), Q(total + 40 * w, 1 << w))


def _root(n: int, b: int) -> int:
    """The largest integer whose b-th power is at most n; Newton's steps fall until it is reached."""
    x = n if n < 2 else 1 << -(-n.bit_length() // b)
    while n > 1 and (y := ((b - 1) * x + n // x ** (b - 1)) // b) < x:
        x = y
    return x


def _log_ratio(a: Q, b: Q) -> Q | None:
    """Log a / log b where it is a fraction of small numbers, found by its value and proved by powers."""
    guess = Q(_end("ln", a, 96, False) / _end("ln", b, 96, False)).limit_denominator(64)
    small = abs(guess.numerator) < 4096 and max(_length(just(a)), _length(just(b))) < 4096
    return guess if small and a**guess.denominator == b**guess.numerator else None


def _infinite(*boxes: Box) -> bool:
    return any(isinstance(end, float) for a in boxes for end in a[:2])


def _length(a: Box) -> int:
    return max(max(abs(x.numerator), x.denominator).bit_length() for x in a[:2])


class _Arithmetic:
    """Outward interval arithmetic at a number of bits; what has no value is the whole line."""

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def _box(self, ends: Iterable[Any], log: Any = None) -> Box:
        low, high = min(ends := list(ends)), max(ends)
        if low == high and not isinstance(low, float) and _length(Box(low, high)) < LONG:
            return Box(Q(low), Q(high), log)
        return Box(_cut(low, self.bits, False), _cut(high, self.bits, True), log)

    def add(self, a: Box, b: Box, sign: int = 1) -> Box:
        b = b if sign > 0 else self.multiply(just(-1), b)
        if ZERO in (a, b):
            return b if a == ZERO else a
        return WHOLE if _infinite(a, b) else self._box((a.low + b.low, a.high + b.high))

    def multiply(self, a: Box, b: Box) -> Box:
        """Return a b; a rational multiple of c log b is one again."""
        if _infinite(a, b):
            return WHOLE
        logs = [(x.log[0] * y.low, x.log[1]) for x, y in ((a, b), (b, a)) if x.log and y.exact and y.low != 0]
        return self._box({x * y for x in {*a[:2]} for y in {*b[:2]}}, logs[0] if logs else None)

    def divide(self, a: Box, b: Box) -> Box:
        """Return a / b; a quotient of logarithms of powers of one number is rational."""
        if _infinite(a, b) or b.low <= 0 <= b.high:
            return WHOLE
        if a.log and b.log and (ratio := _log_ratio(a.log[1], b.log[1])) is not None:
            return just(a.log[0] / b.log[0] * ratio)
        return self.multiply(a, self._box((1 / b.high, 1 / b.low)))

    def power(self, a: Box, b: Box) -> Box:
        """Return a^b: by products, by a rational root of a rational number, else e^(b log a)."""
        whole = b.exact and b.low.denominator == 1
        if _infinite(a, b) or (not whole and a.low < 0) or (a.low <= 0 <= a.high and b.low < 0):
            return WHOLE
        if b.exact and b.low < 0:
            return self.divide(ONE, self.power(a, just(-b.low)))
        if whole and b.low * _length(a) < LONG:
            ends = [x ** int(b.low) for x in a[:2]]
            return self._box([*ends, Q(0)] if a.low < 0 < a.high else ends)
        if a.exact and b.exact and 1 < b.low.denominator <= 64:
            roots = [_root(n, b.low.denominator) for n in (a.low.numerator, a.low.denominator)]
            if Q(*roots) ** b.low.denominator == a.low:
                return self.power(just(Q(*roots)), just(b.low.numerator))
        if b == just(Q(1, 2)):
            return self._box(_end("sqrt", x, self.bits, bool(up)) if x else x for up, x in enumerate(a[:2]))
        if a.low <= 0:
            return a if a == ZERO and b.low > 0 else WHOLE
        return ONE if a == ONE else self.exp(self.multiply(b, self.log(a)._replace(log=None)))

    def exp(self, a: Box) -> Box:
        """Return e^a, exactly b^c where a = c log b."""
        if a.log:
            return self.power(just(a.log[1]), just(a.log[0]))
        return WHOLE if _infinite(a) else self._box(_end("exp", x, self.bits, bool(up)) for up, x in enumerate(a[:2]))

    def log(self, a: Box) -> Box:
        if _infinite(a) or a.low <= 0 or a == ONE:
            return ZERO if a == ONE else WHOLE
        ends = [_end("ln", x, self.bits, bool(up)) for up, x in enumerate(a[:2])]
        return self._box(ends, (Q(1), a.low) if a.exact else None)

    def _combinatorial(self, name: str, n: Any, k: Any = Q(0)) -> Box:
        if not 0 <= n <= (1 << 20 if name == "binomial" else 20000):
            raise NotExpressible(f"{name} of {n}")
        if name == "gamma" and n.denominator == 2:  # gamma(m + 1/2) = (2m)!/(4^m m!) sqrt(pi)
            factor = Q(math.factorial(2 * int(n)), 4 ** int(n) * math.factorial(int(n)))
            return self.multiply(just(factor), self.power(pi_box(self.bits), just(Q(1, 2))))
        n = n - (name == "gamma")
        if n < 0 or n.denominator > 1 or k.denominator > 1:
            raise NotExpressible(f"{name} of {n}")
        return just((math.comb(int(n), int(k)) if k >= 0 else 0) if name == "binomial" else math.factorial(int(n)))

    def call(self, name: str, args: Sequence[Box]) -> Box:
        a = args[0]
        if name in ("Max", "Min"):
            best: Any = max if name == "Max" else min
            return Box(best(b.low for b in args), best(b.high for b in args))
        if name in ("floor", "ceiling"):
            step = math.floor if name == "floor" else math.ceil
            return WHOLE if _infinite(a) else Box(Q(step(a.low)), Q(step(a.high)))
        if name == "Abs":
            return a if a.low >= 0 else Box(max(Q(0), -a.high), max(-a.low, a.high))
        if name in ("exp", "log", "sqrt"):
            return self.power(a, just(Q(1, 2))) if name == "sqrt" else self.exp(a) if name == "exp" else self.log(a)
        if name == "tanh":  # 1 - 2/(e^2a + 1)
            return self.add(ONE, self.divide(just(-2), self.add(self.exp(self.add(a, a)), ONE)))
        if name in ("factorial", "gamma", "binomial") and all(b.exact for b in args):
            return self._combinatorial(name, *(b.low for b in args))
        raise NotExpressible(name)


# -- formulas: nested tuples (operator, left, right) and (name, arguments), letters as text, numbers -------------------
_TOKEN = re.compile(r"\d+|[^\W\d]\w*|\*\*|[-+*/(),]")
_BINDS = {"+": 2, "-": 2, "*": 3, "/": 3, "**": 5}


@cache
def parsed(text: str) -> Any:
    """Return the tree of a formula; operators climb by how strongly they bind, a sign by 4."""
    tokens, wrong = ["", *reversed(_TOKEN.findall(text))], f"no formula: {text!r}"
    demand("".join(reversed(tokens)) == "".join(text.split()), wrong)

    def climb(least: int) -> Any:
        left: Any = tokens.pop()
        if left == "-":
            left = ("-", Q(0), climb(4))
        elif left.isdigit():
            left = Q(left)
        elif left == "(" or tokens[-1] == "(":
            demand(left == "(" or (left.isidentifier() and tokens.pop()), wrong)
            parts = [climb(0)]
            while left != "(" and tokens[-1] == ",":
                tokens.pop()
                parts.append(climb(0))
            demand(tokens.pop() == ")", wrong)
            left = parts[0] if left == "(" else (left, parts)
        demand(not isinstance(left, str) or left.isidentifier(), wrong)
        while (binds := _BINDS.get(tokens[-1], 0)) > least:
            sign = tokens.pop()
            left = (sign, left, climb(binds - (sign == "**")))
        return left

    tree = climb(0)
    demand(tokens == [""], wrong)
    return tree


class _Place:
    """The letters of one row at a number of bits: axes, lets and derived letters, each computed when it is read."""

    def __init__(self, plain: Any, row: Any, derived: Any, bits: int) -> None:
        self.a, self.derived, self.texts = _Arithmetic(bits), derived, plain["lets"]
        self.values = {name: just(x) for name, x in row["point"].items() if not x.isidentifier()}
        self.window = [Q(size) for size in row["measured"]["work"].get("window", ())]

    def letter(self, name: str) -> Box:
        if name not in self.values:
            text = self.texts.get(name, self.derived.get(name))
            if text is None and name not in ("pi", "E"):
                raise NotExpressible(f"no stored value of the letter {name}")
            if text is None:
                self.values[name] = pi_box(self.a.bits) if name == "pi" else self.a.exp(ONE)
            else:
                self.values[name] = self.of(text) if isinstance(text, str) else Box(*map(end_of, text))
        return self.values[name]

    def of(self, text: str) -> Box:
        return self.value(parsed(text))

    def value(self, tree: Any) -> Box:
        if isinstance(tree, Q | str):
            return just(tree) if isinstance(tree, Q) else self.letter(tree)
        if isinstance(tree[1], list):
            return self.slope(*tree[1]) if tree[0] == "slope" else self.a.call(tree[0], [*map(self.value, tree[1])])
        left, right = self.value(tree[1]), self.value(tree[2])
        if tree[0] in "+-":
            return self.a.add(left, right, 1 if tree[0] == "+" else -1)
        return {"*": self.a.multiply, "/": self.a.divide, "**": self.a.power}[tree[0]](left, right)

    def slope(self, curve: Any, variable: str) -> Box:
        """Return the least-squares slope of log curve against log variable over the window of the row."""
        a, kept, over, under = self.a, self.values, ZERO, ZERO
        demand(len(set(self.window)) > 1, "a slope without its window")
        x = [a.log(just(size)) for size in self.window]
        mean = a.divide(reduce(a.add, x), just(len(x)))
        for size, at in zip(self.window, x, strict=True):
            self.values = {**kept, variable: just(size)}
            centred = a.add(at, mean, -1)
            over = a.add(over, a.multiply(centred, a.log(self.value(curve))))
            under = a.add(under, a.power(centred, just(2)))
        self.values = kept
        return a.divide(over, under)


# -- one verdict -------------------------------------------------------------------------------------------------------
def end_of(data: Any) -> Any:
    """Return the number that an end of a stored interval is."""
    if "q" in data:
        return Q(int(data["q"][0], 16), int(data["q"][1], 16))
    if "d" in data and abs(data["d"][1]) > LONG:
        raise NotExpressible("a number of millions of bits")
    return int(data["d"][0], 16) * Q(2) ** data["d"][1] if "d" in data else data["inf"] * INF


def double(x: Any, away: float) -> float | None:
    """Return the double next to a number on one side, None beyond them."""
    try:
        near = float(x)
        near = near if Q(near) == x or (near < x) == (away < 0) else math.nextafter(near, away)
        return near if math.isfinite(near) else None
    except OverflowError:  # the largest double lies below what exceeds it, and nothing above
        return None if (x > 0) == (away > 0) else sys.float_info.max * (1 if x > 0 else -1)


def close(a: Any, b: Any) -> bool:
    """Whether two floats, or None, are one number but for their last digits."""
    return a is b or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9))


def related(relation: str, m: Box, sides: Sequence[Box]) -> bool | None:
    """Return whether the intervals prove the relation (True), refute it (False) or leave it open."""
    if (m.low > sides[-1].high and relation != ">=") or (m.high < sides[0].low and relation != "<="):
        return False
    over, under = m.high <= sides[-1].low, m.low >= sides[0].high
    return True if (over or relation == ">=") and (under or relation == "<=") else None


def interval(data: Any) -> Box:
    """Return the interval of an estimate whose parts agree with each other."""
    box = Box(end_of(data["low"]), end_of(data["high"]))
    demand(box.low <= box.high, "an interval with its ends exchanged")
    demand(data["evidence"] in EVIDENCE and (data["evidence"] != "EXACT" or box.exact), "an exact number of two ends")
    demand((data["alpha"] > 0) == (data["evidence"] == "SAMPLED"), "an error probability of what was not sampled")
    demand(data["show"] == [double(box.low, -INF), double(box.high, INF)], "an interval and what is shown of it")
    return box


def key_of(row: Any) -> Any:
    """Return the point of a row as a key."""
    return tuple(sorted(row["point"].items()))


class _Judge:
    """One verdict, judged again row by row; what cannot be expressed is counted by its reason."""

    def __init__(self, verdict: Any) -> None:
        self.verdict, self.plain = verdict, verdict["plain"]
        controls = self.plain["controls"]
        listed = {"": self.plain["assertions"], **{c: controls[c].get("assertions") for c in controls}}
        self.stated = {c: {a["name"]: a for a in some or listed[""]} for c, some in listed.items()}
        self.breaks = {"": [], **{c: controls[c]["breaks"] for c in controls}}
        self.derived = {key_of(d): d["values"] for d in verdict.get("derived", ())}
        self.missing: dict[str, int] = {}
        self.sides = 0

    def place(self, row: Any, bits: int) -> _Place:
        return _Place(self.plain, row, self.derived.get(key_of(row), {}), bits)

    def expressed(self, judged: Any, *arguments: Any) -> bool:
        try:
            judged(*arguments)
            return True
        except NotExpressible as reason:
            self.missing[str(reason)] = self.missing.get(str(reason), 0) + 1
            return False

    def row(self, row: Any) -> None:
        said, relation, truth = self.stated[row["control"]][row["assertion"]], row["relation"], row["truth"]
        demand((row["quantity"], relation) == (said["quantity"], said["relation"]), "another relation")
        demand(row["must_break"] is (row["assertion"] in self.breaks[row["control"]]), "another assertion to be broken")
        every = [row["measured"], *row["bound"]]
        measured, *stored = [interval(e) for e in every]
        demand(len(stored) == 1 + (relation == "==" and "within" in said), "another number of sides")
        demand(row["evidence"] == min((e["evidence"] for e in every), key=EVIDENCE.index), "the evidence of its sides")
        found = related(relation, measured, stored)
        demand(truth is found or (row["tied"] and truth is True and found is None), "its ends say otherwise")
        demand(not row["tied"] or (truth is True and found is None and "tie" in said), "a tie that is none")
        small, large = (measured, stored[-1]) if relation == "<=" else (stored[0], measured)
        above, under = (large.low, small.high) if truth else (large.high, small.low)
        slack = None
        if relation != "==" and truth is not None and above > 0 and under > 0 and max(above, under) < INF:
            slack = double(above / under, INF)
            slack = slack and (max(slack, 1.0) if truth else min(slack, math.nextafter(1.0, 0.0)))
        demand(close(slack, row["slack"]), "another slack")
        self.sides += self.expressed(self.right_side, row, said, measured, stored)
        if row["control"]:
            demand(row["vacuous"] is row["power"] is None and "shifts" not in row, "a control with power")
        else:
            self.expressed(self.strength, row, said, measured, stored)

    def right_side(self, row: Any, said: Any, measured: Box, stored: Sequence[Box]) -> None:
        """Evaluate the right side with more and more bits until it lies in the stored interval; decide with it."""
        for bits in BITS:
            own = sides_of(self.place(row, bits), said)
            pairs = list(zip(own, stored, strict=True))
            demand(all(a.low <= b.high and b.low <= a.high for a, b in pairs), "another right side")
            truth = related(row["relation"], measured, own)
            agrees = all(
                (b.low <= a.low and a.high <= b.high)
                or (bits > BITS[0] and (a.high - a.low) * 2**120 <= max(abs(a.low), abs(a.high)))
                for a, b in pairs
            )
            if row["tied"] and truth is None:
                truth = related(row["relation"], measured, sides_of(self.place(row, bits), said, True))
            if agrees and (truth is row["truth"] or (truth is None and not row["tied"])):
                break
        demand(truth in (row["truth"], None)[: 2 - row["tied"]], "its right side decides otherwise")
        if not agrees and truth is None:  # a derived letter is known to few digits, and they do not decide
            raise NotExpressible("a right side that stays wider than the stored one")
        exact = all(b["evidence"] == "EXACT" for a, b in zip(own, row["bound"], strict=True) if a.exact)
        demand(exact, "a rational right side that is called enclosed")

    def strength(self, row: Any, said: Any, measured: Box, stored: Sequence[Box]) -> None:
        """Judge again whether the row says more than the trivial range, and its power."""
        for bits in BITS:
            edge = self.place(row, bits).of(said["trivial"]) if "trivial" in said else None
            vacuous = (
                False
                if edge is None
                else related(*(("<=", edge, stored[-1:]) if row["relation"] == "<=" else (">=", edge, stored[:1])))
            )
            power, decided = self.power(row, said, measured, self.place(row, bits))
            if (vacuous, power) == (row["vacuous"], row["power"]):
                return
        demand(vacuous is row["vacuous"] and not decided, f"another power ({power}), or vacuous: {vacuous}")
        raise NotExpressible("a power that the stored bits leave open")

    def power(self, row: Any, said: Any, measured: Box, place: _Place) -> tuple[float | None, bool]:
        """Return the least factor by which the bound, moved towards falsehood, is refuted; whether all is decided."""
        a, middle, within, decided = place.a, place.of(said["bound"]), place.of(said.get("within", "0")), True
        if not row["truth"] or not (middle.low > 0 or middle.high < 0 or middle == ZERO):
            return None, not row["truth"]
        for f in map(just, FACTORS):
            moved = [a.divide(middle, f), a.multiply(middle, f)]
            if middle == ZERO:
                step = a.multiply(f, within) if "within" in said else a.add(f, ONE, -1)
                moved = [a.add(ZERO, step, -1), step]
            moved = moved if middle.low >= 0 else moved[::-1]
            moved = {"<=": moved[:1], ">=": moved[1:], "==": moved}[row["relation"]]
            truths = [related(row["relation"], measured, [a.add(m, within, -1), a.add(m, within)]) for m in moved]
            if not any(truth is not False for truth in truths):
                return float(f.low), decided
            decided = decided and (True in truths or None not in truths)
        return None, decided

    def conclude(self) -> None:
        """Conclude outcome, evidence, powers, controls and error probability from the rows, and compare."""
        v, own, tries, keys = self.verdict, {}, {c: {} for c in self.breaks if c}, set()
        for row in v["rows"]:
            (tries[row["control"]] if row["control"] else own).setdefault(key_of(row), []).append(row)
        for control, places in (("", own), *tries.items()):
            for point, rows in places.items():
                beside = v["outcome"] == "REFUTED" and v["searched"] and rows[-1] is v["rows"][-1]
                whole = sorted(r["assertion"] for r in rows) == sorted(self.stated[control])
                demand((whole or beside) and point in own, "a row is missing, or there twice")
        points = {*own, *map(key_of, v["skipped"])}
        demand(len(points) >= len(v["cpu"]["points"]), "a point is missing")
        rows = [row for some in own.values() for row in some]
        states = [self.control(c, tries[c["name"]], own) for c in v["controls"]]
        demand([c["name"] for c in v["controls"]] == list(tries), "other controls")
        outcome = outcome_of(v, rows, [s[0] for s in states], any(s[1] for s in states))
        demand(outcome == v["outcome"], f"its rows give {outcome}")
        grades = [EVIDENCE.index(row["evidence"]) for row in rows if outcome != "REFUTED" or row["truth"] is False]
        grade = max(grades) if outcome == "REFUTED" else min(grades)
        demand(v["evidence"] == EVIDENCE[grade], "the evidence of its rows")
        strong = grade >= 3 * (v["role"] != "prediction") and {s[0] for s in states} <= {"breaks", "holds"}
        left = v["user_points"] and any(s["open"] for s in v["skipped"])
        expected = outcome == v["expect"] and (strong or outcome != "REFUTED") and not left
        demand(v["as_expected"] is expected, "what was expected")
        powers: dict[str, Any] = {
            name: [r["power"] for r in rows if r["assertion"] == name] for name in self.stated[""]
        }
        powers = {name: min((p for p in some if p), default=None) for name, some in powers.items()}
        weakest = None if None in powers.values() else max(powers.values())
        demand((powers, weakest) == (v["powers"], v["power"]), "the power of its rows")
        for a, b in zip(v["assertions"], self.plain["assertions"], strict=True):
            demand(
                all(a[k] == b[k] for k in ("name", "quantity", "relation")) and a["power"] == powers[a["name"]],
                "another statement",
            )
        most = max(len({a["quantity"] for a in some.values()}) for some in self.stated.values())
        unit = self.plain["alpha"] / (len(points) * len(self.stated) * most)
        for row in v["rows"]:
            if row["measured"]["evidence"] == "SAMPLED":
                keys.add((key_of(row), row["control"], row["quantity"]))
                demand(row["measured"]["alpha"] <= unit * (1 + 1e-9), "more error probability than a row may spend")
        search = self.plain["alpha"] if v["searched"] and any(not key[1] for key in keys) else 0.0
        spent = close(v["alpha"]["spent"], len(keys) * unit + search) or "record" in v
        demand(spent and close(v["alpha"]["claim"], self.plain["alpha"] + search), "another error probability")

    def control(self, said: Any, tries: Any, own: Any) -> tuple[str, int]:
        """Return what a control came to and where it did what it must, and compare."""
        found = []
        for point, rows in tries.items():
            truths = set()
            for row in rows:
                there = [r for r in own[point] if r["assertion"] == row["assertion"]]
                there = there or [r for r in own[point] if r["quantity"] == row["quantity"]]
                least = min((EVIDENCE.index(r["evidence"]) for r in there), default=0)
                weak = row["truth"] is False and EVIDENCE.index(row["evidence"]) < least
                truths.add(
                    None
                    if weak and row["must_break"]
                    else row["truth"] is not row["must_break"]
                    if row["truth"] is not None
                    else None
                )
            found.append("fails" if False in truths else "open" if None in truths else "breaks")
        repair = not self.breaks[said["name"]]
        worst = next((state for state in ("fails", "open") if state in found), "holds" if repair else "breaks")
        worst = "never applies" if not found or (repair and len(found) < len(own)) else worst
        broken = [r["assertion"] for rows in tries.values() for r in rows if r["must_break"]]
        told = {
            "breaks": list(dict.fromkeys(broken)),
            "repair": repair,
            "applied": len(found),
            "broken": found.count("breaks"),
            "outcome": worst,
        }
        demand(told.items() <= said.items(), f"another state of the control '{said['name']}'")
        return worst, told["broken"]


def outcome_of(v: Any, rows: Sequence[Any], states: Sequence[str], some: bool) -> str:
    """Return the outcome: a false row, an open row, a control without effect, an open control, in this order."""
    truths, skipped = [row["truth"] for row in rows], any(s["open"] for s in v["skipped"])
    enough = v["user_points"] and some
    if False in truths:
        return "REFUTED"
    if None in truths or (skipped and not v["user_points"]):
        return "UNDECIDED"
    if not enough and {"fails", "never applies"} & set(states):
        return "POWERLESS"
    if not enough and "open" in states:
        return "UNDECIDED"
    return "POWERLESS" if all(row["vacuous"] for row in rows) else "HOLDS"


def sides_of(place: _Place, said: Any, tied: bool = False) -> list[Box]:
    """Return what is compared with: one interval, or the lower and the upper one of an equality; with its tie."""
    a, middle, within = place.a, place.of(said["bound"]), place.of(said.get("within", "0"))
    if tied:
        slack = a.multiply(place.of(said["tie"]), a.call("Abs", [middle]))
        within = a.add(within, slack)
        middle = a.add(middle, {"<=": slack, ">=": a.multiply(just(-1), slack), "==": ZERO}[said["relation"]])
    wide = said["relation"] == "==" and within != ZERO
    return [a.add(middle, within, -1), a.add(middle, within)] if wide else [middle]


# -- the folder --------------------------------------------------------------------------------------------------------
def examined(verdict: Any) -> dict[str, Any]:
    """Return what is found of one verdict: its state, why, and how many right sides were confirmed."""
    found = {"id": "?", "state": "contradicted", "why": "", "rows": 0, "sides": 0}
    try:
        found["id"] = verdict["id"]
        text = json.dumps({k: x for k, x in verdict.items() if k != "digest"}, sort_keys=True, separators=(",", ":"))
        demand(verdict["digest"] == hashlib.sha256(text.encode()).hexdigest(), "another digest")
        if "plain" not in verdict or not verdict["rows"]:
            demand("plain" not in verdict or verdict["outcome"] in ("UNDECIDED", "INAPPLICABLE"), "no row")
            return {**found, "state": "not expressible", "why": "no row, or no statement in plain text"}
        judge = _Judge(verdict)
        for row in verdict["rows"]:
            judge.row(row)
        judge.conclude()
    except Contradiction as wrong:
        return {**found, "why": str(wrong)}
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        return {**found, "why": f"no verdict: {type(error).__name__}: {error}"}
    why = "; ".join(f"{reason} ({count} rows)" for reason, count in judge.missing.items())
    state = "not expressible" if why else "confirmed"
    return {**found, "state": state, "why": why, "rows": len(verdict["rows"]), "sides": judge.sides}


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge every verdict of a folder again, and return the exit code."""
    parser = argparse.ArgumentParser(description="Judge stored verdicts again.", epilog="python recheck.py site --json")
    parser.add_argument("folder", type=Path, help="a report, or the folder of its verdicts")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    folder = given.folder / "verdicts" if (given.folder / "verdicts").is_dir() else given.folder
    try:
        verdicts = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]
        alpha = sum(v["alpha"]["claim"] for v in verdicts if v["alpha"]["spent"])
        demand(verdicts, "no verdicts")
    except (OSError, ValueError, LookupError, TypeError, Contradiction) as error:
        print(f"{folder}: {error}", file=sys.stderr)
        return 2
    found = [examined(v) for v in verdicts]
    told = {s: sum(f["state"] == s for f in found) for s in ("confirmed", "not expressible", "contradicted")}
    told |= {"rows": sum(f["rows"] for f in found), "right sides": sum(f["sides"] for f in found), "alpha": alpha}
    if given.json:
        print(json.dumps({**told, "claims": found}))
    else:
        for f in found:
            print(f"{f['id']}: {f['state'].replace('contradicted', '**contradicted**')}{f['why'] and ': '}{f['why']}")
        print(", ".join(f"{value} {name}" for name, value in told.items()))
    return 1 if told["contradicted"] or alpha > ALPHA_OF_ALL else 0


if __name__ == "__main__":
    sys.exit(main())
