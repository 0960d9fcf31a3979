"""An independent checker of stored verdicts: this one file, the standard library, nothing of the package around it.

``python recheck.py FOLDER --statements FILE`` evaluates the printed right sides in its own interval arithmetic, judges
again what follows from the stored ends, and holds each verdict against its statement in FILE, which does not come from
whoever made the folder; docs/recheck.md says what it confirms.  Exit code 1: contradicted; 2: nothing to read.
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
import stat
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction as Q
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

INF, FALSE = math.inf, ("REFUTED", "WITNESS FAILS")
LONG, FAR = 1 << 20, 1 << 17  # bits of a number that is kept exactly; |x| beyond which exp(x) is not written out
TERMS = 20_000  # of a sum
LARGEST, SHOWN = 1 << 24, 400  # bytes of a file, and characters of a text that is printed
WORK = (
    4_000_000  # units of at most 10 microseconds that one verdict may cost; the dearest committed one costs WORK / 24
)
BITS = (96, 384, 1536, 4096)
EVIDENCE = ("FITTED", "OBSERVED", "SAMPLED", "ENCLOSED", "EXACT")
FACTORS = ("1.01", "1.05", "1.25", "2", "10", "100")
ALPHA_OF_ALL = 1e-4  # error probability of all claims of a report together
NotExpressible = NotImplementedError  # what this file has no arithmetic for
Contradiction = AssertionError  # what does not follow from the file
# measured, or of the machine, or judged again from the rows: all that the statement of a claim does not fix
FREE = ("alpha", "check_files", "controls", "cpu", "derived", "digest", "horizon", "inputs", "machine",
        "outcome", "plain", "power", "powers", "reason", "record", "rows", "searched", "seconds", "skipped", "source",
        "trained", "trend", "versions")  # fmt: skip
PART_OF = {  # the parts of a statement; those of controls and points have names of their own
    **dict.fromkeys(("label", "title", "note", "text", "source"), "the sentence"),
    **dict.fromkeys(("hypotheses", "plain hypotheses", "plain objects", "plain such_that"), "the hypotheses"),
    **dict.fromkeys(("assertions", "lets", "spoiled", "plain assertions", "plain lets", "plain time"), "the formulas"),
    **{name: name for name in ("id", "evidence", "expect", "letters", "plain alpha", "reason", "role", "scope")},
}
ELSEWHERE = ("machine", "processor", "numpy", "torch", "bits")  # of the work behind an interval: where, not how much
_spent = [0]  # work on what is judged now
_NUMBER = re.compile(r"-?\d{1,4000}(/\d{1,4000})?")
_TOKEN = re.compile(r"\d+|[^\W\d]\w*|\*\*|[<>]=?|[-+*/(),&|~]")
_BINDS = {"|": 1, "&": 2, "<": 3, "<=": 3, ">": 3, ">=": 3, "+": 4, "-": 4, "*": 5, "/": 5, "**": 7}


class _Box(NamedTuple):  # an interval; log = (c, b) says that it is exactly c log b
    low: Any
    high: Any
    log: tuple[Q, Q] | None = None

    @property
    def exact(self) -> bool:
        return bool(self.low == self.high)


def _just(x: Any) -> _Box:
    return _Box(Q(x), Q(x))


WHOLE, ZERO, ONE = _Box(-INF, INF), _just(0), _just(1)


def _demand(holds: Any, what: str) -> None:
    if not holds:
        raise Contradiction(what)


def _spend(steps: int, bits: int = 0) -> None:
    """Count the work on one verdict: small steps, and a product or a fraction of numbers so long."""
    _spent[0] += steps + (bits >> 10) ** 2
    if _spent[0] > WORK:
        raise NotExpressible("more work than a verdict may cost")


def _cut(x: Any, bits: int, up: bool) -> Any:
    if isinstance(x, float) or x == 0:
        return x
    shift = bits - x.numerator.bit_length() + x.denominator.bit_length()
    n, d = x.numerator << max(shift, 0), x.denominator << max(-shift, 0)
    return Q(-(-n // d) if up else n // d) / Q(2) ** shift


@cache
def _end(name: str, x: Any, bits: int, up: bool) -> Any:
    """A number below or above exp, log or sqrt of x: `decimal` rounds correctly, so the neighbour is on its side."""
    if name == "exp" and abs(x) > FAR:
        return (INF if up else Q(2) ** FAR) if x > 0 else (Q(1, 1 << FAR) if up else Q(0))
    side = decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR
    context = decimal.Context(bits // 3, side, decimal.MIN_EMIN, decimal.MAX_EMAX)
    argument = context.divide(context.create_decimal(x.numerator), decimal.Decimal(x.denominator))
    value = getattr(context, "ln" if name == "log" else name)(argument)
    return Q(context.next_plus(value) if up else context.next_minus(value))


@cache
def _pi(bits: int) -> _Box:
    """Return Machin's 16 arctan(1/5) - 4 arctan(1/239); fewer than w terms of each series are cut, by one unit."""
    w, total = bits + 40, 0
    for weight, n in ((16, 5), (-4, 239)):
        power, k = (1 << w) // n, 1
        while power:
            total, power, k = total + (weight if k % 4 == 1 else -weight) * (power // k), power // (n * n), k + 2
    return _Box(Q(total - 40 * w, 1 << w), Q(total + 40 * w, 1 << w))


def _infinite(*boxes: _Box) -> bool:
    return any(isinstance(end, float) for a in boxes for end in a[:2])


def _length(a: _Box) -> int:
    return int(max(max(abs(x.numerator), x.denominator).bit_length() for x in a[:2]))


class _Arithmetic(NamedTuple):
    """Outward interval arithmetic at a number of bits; what has no value is the whole line."""

    bits: int

    def _box(self, ends: Iterable[Any], log: Any = None) -> _Box:
        low, high = min(ends := list(ends)), max(ends)
        length = 0 if isinstance(low, float) or isinstance(high, float) else _length(_Box(low, high))
        _spend(1, length)
        if length > 4 * LONG:
            raise NotExpressible("a number of millions of bits")
        if low == high and not isinstance(low, float) and length < LONG:
            return _Box(Q(low), Q(high), log)
        return _Box(_cut(low, self.bits, False), _cut(high, self.bits, True), log)

    def add(self, a: _Box, b: _Box, sign: int = 1) -> _Box:
        b = b if sign > 0 else self.multiply(_just(-1), b)
        if ZERO in (a, b):
            return b if a == ZERO else a
        return WHOLE if _infinite(a, b) else self._box((a.low + b.low, a.high + b.high))

    def multiply(self, a: _Box, b: _Box) -> _Box:
        """Return a b; a rational multiple of c log b is one again."""
        if _infinite(a, b):
            return WHOLE
        logs = [(x.log[0] * y.low, x.log[1]) for x, y in ((a, b), (b, a)) if x.log and y.exact and y.low != 0]
        return self._box({x * y for x in {*a[:2]} for y in {*b[:2]}}, logs[0] if logs else None)

    def divide(self, a: _Box, b: _Box) -> _Box:
        if _infinite(a, b) or b.low <= 0 <= b.high:
            return WHOLE
        if a.log and b.log:  # of powers of one number: a fraction, found by its value, proved by powers
            (c, x), (d, y) = a.log, b.log
            guess = Q(_end("log", x, 96, False) / _end("log", y, 96, False)).limit_denominator(64)
            if max(abs(guess.numerator), _length(_Box(x, y))) < 4096 and x**guess.denominator == y**guess.numerator:
                return _just(c / d * guess)
        return self.multiply(a, self._box((1 / b.high, 1 / b.low)))

    def power(self, a: _Box, b: _Box) -> _Box:
        """Return a^b: by products, by a rational root of a rational number, else e^(b log a)."""
        whole = b.exact and b.low.denominator == 1
        if _infinite(a, b) or (not whole and a.low < 0) or (a.low <= 0 <= a.high and b.low < 0):
            return WHOLE
        if b.exact and b.low < 0:
            return self.divide(ONE, self.power(a, _just(-b.low)))
        if whole and b.low * _length(a) < LONG:
            ends = [x ** int(b.low) for x in a[:2]]
            return self._box([*ends, Q(0)] if a.low < 0 < a.high else ends)
        if a.low <= 0:
            return a if a == ZERO and b.low > 0 else WHOLE
        if b == _just(Q(1, 2)):
            root = Q(math.isqrt(a.low.numerator), math.isqrt(a.low.denominator))
            return _just(root) if a.exact and root**2 == a.low else self.monotone("sqrt", a)
        return ONE if a == ONE else self.monotone("exp", self.multiply(b, self.monotone("log", a)._replace(log=None)))

    def monotone(self, name: str, a: _Box) -> _Box:
        """Return exp, log or sqrt of a; exp of c log b is b^c."""
        if (name == "exp" and a.log) or (name == "log" and a == ONE):
            return self.power(_just(a.log[1]), _just(a.log[0])) if a.log else ZERO
        if _infinite(a) or (name != "exp" and a.low <= 0):
            return WHOLE
        ends = [_end(name, x, self.bits, bool(up)) for up, x in enumerate(a[:2])]
        return self._box(ends, (Q(1), a.low) if name == "log" and a.exact else None)

    def call(self, name: str, args: Sequence[_Box]) -> _Box:
        a = args[0]
        if name in ("Max", "Min"):
            return _Box(*((max if name == "Max" else min)(ends) for ends in zip(*(b[:2] for b in args), strict=True)))
        if name in ("floor", "ceiling"):
            step = math.floor if name == "floor" else math.ceil
            return WHOLE if _infinite(a) else _Box(Q(step(a.low)), Q(step(a.high)))
        if name == "Abs":
            return a if a.low >= 0 else _Box(max(Q(0), -a.high), max(-a.low, a.high))
        if name in ("exp", "log", "sqrt"):
            return self.power(a, _just(Q(1, 2))) if name == "sqrt" else self.monotone(name, a)
        if name == "Mod":
            b, turns = args[1], self.call("floor", [self.divide(a, args[1])])
            sure = turns.exact or _infinite(turns)
            return self.add(a, self.multiply(b, turns), -1) if sure else self._box([*b[:2], Q(0)])
        n, k = a.low - (name == "gamma"), args[-1].low
        power, whole = k if len(args) > 1 else 1, all(b.exact and b.low.denominator == 1 for b in args)
        if name == "harmonic" and whole and 0 <= n <= n * max(1, abs(power)) <= TERMS:
            _spend(int(n) * (1 + (int(n) >> 9)))
            return _just(sum((Q(j) ** -int(power) for j in range(1, int(n) + 1)), Q(0)))
        if name in ("factorial", "binomial", "gamma") and all(b.exact and -1 < n <= 20000 for b in args):
            if name == "gamma" and n.denominator == 2:  # (2m)!/(4^m m!) sqrt(pi) at m + 1/2
                m = Q(math.factorial(int(2 * n + 1)), 4 ** int(n + Q(1, 2)) * math.factorial(int(n + Q(1, 2))))
                return self.multiply(_just(m), self.power(_pi(self.bits), _just(Q(1, 2))))
            if n.denominator == k.denominator == 1 and k >= 0:
                return _just(math.comb(int(n), int(k)) if name == "binomial" else math.factorial(int(n)))
        raise NotExpressible(f"{name} of {len(args)}")


# -- formulas: nested tuples (operator, left, right) and (name, arguments), letters as text, numbers -------------------
@cache
def _parsed(text: str) -> Any:
    """Return the tree of a formula; operators climb by how strongly they bind, a sign by 6, a list has no name."""
    tokens, wrong = ["", *reversed(_TOKEN.findall(text))], f"no formula: {text!r}"
    _demand("".join(reversed(tokens)) == "".join(text.split()), wrong)

    def climb(least: int) -> Any:
        left: Any = tokens.pop()
        if left == "-":
            left = ("-", Q(0), climb(6))
        elif left == "~":
            left = ("~", [climb(6)])
        elif left.isdigit():
            left = Q(left)
        elif left == "(" or tokens[-1] == "(":
            _demand(left == "(" or (left.isidentifier() and tokens.pop()), wrong)
            parts = [climb(0)]
            while tokens[-1] == "," and tokens.pop():
                parts.append(climb(0))
            _demand(tokens.pop() == ")", wrong)
            left = (left.strip("("), parts) if left != "(" or len(parts) > 1 else parts[0]
        _demand(not isinstance(left, str) or left.isidentifier(), wrong)
        while (binds := _BINDS.get(tokens[-1], 0)) > least:
            sign = tokens.pop()
            left = (sign, left, climb(binds - (sign == "**")))
        return left

    tree = climb(0)
    _demand(tokens == [""], wrong)
    return tree


class _Place:  # the letters of one row at a number of bits: axes, of a run its time, lets and derived letters
    def __init__(self, plain: Any, row: Any, derived: Any, bits: int) -> None:
        self.a, self.derived, self.texts, self.known = _Arithmetic(bits), derived, plain["lets"], dict[str, _Box]()
        self.values = {name: _just(x) for name, x in row["point"].items() if _NUMBER.fullmatch(x)}
        self.values |= {"pi": _pi(bits), "E": self.a.monotone("exp", ONE)}

    def letter(self, name: str) -> _Box:
        if name not in self.values:
            text = self.texts.get(name, self.derived.get(name))
            if text is None:
                raise NotExpressible(f"no stored value of the letter {name}")
            self.values[name] = self.of(text) if isinstance(text, str) else _Box(*map(_stored, text))
        return self.values[name]

    def of(self, text: str) -> _Box:
        if text not in self.known:
            self.known[text] = self.value(_parsed(text))
        return self.known[text]

    def value(self, tree: Any) -> _Box:
        _spend(1)
        if isinstance(tree, Q | str):
            return _just(tree) if isinstance(tree, Q) else self.letter(tree)
        if isinstance(tree[1], list):
            own = {"Sum": self.sum, "Piecewise": self.cases}.get(tree[0])
            return own(tree[1]) if own else self.a.call(tree[0], [*map(self.value, tree[1])])
        op, a, x, y = tree[0], self.a, self.value(tree[1]), self.value(tree[2])
        return a.add(x, y, -1) if op == "-" else {"+": a.add, "*": a.multiply, "/": a.divide, "**": a.power}[op](x, y)

    def sum(self, parts: Any) -> _Box:
        """Return a sum over the last index of sums over the others, 0 where its ends leave nothing."""
        inner, (_, (index, *ends)) = parts[:-1], parts[-1]
        low, high = map(self.value, ends)
        if not (low.exact and high.exact and low.low.denominator == high.low.denominator == 1):
            return WHOLE
        if high.low - low.low > TERMS:
            raise NotExpressible(f"a sum of more than {TERMS} terms")
        before, total = self.values.pop(index, None), ZERO
        for k in range(int(low.low), int(high.low) + 1):
            self.values[index] = _just(k)
            total = self.a.add(total, self.sum(inner) if len(inner) > 1 else self.value(inner[0]))
        self.values |= {index: before} if before else {}
        return total

    def cases(self, parts: Any) -> _Box:
        """Return the hull of the branches that may apply."""
        found = list[_Box]()
        for _, (branch, condition) in parts:
            truth = self.truth(condition)
            found += [self.value(branch)] if truth is not False else []
            if truth:
                return _Box(min(b.low for b in found), max(b.high for b in found))
        return WHOLE

    def truth(self, tree: Any) -> bool | None:
        if isinstance(tree, str):
            return {"True": True, "False": False}[tree]
        op, *sides = tree if isinstance(tree[1], str | tuple | Q) else (tree[0], *tree[1])
        if op == "~":
            return None if (turned := self.truth(sides[0])) is None else not turned
        if op in ("&", "|"):
            found = {self.truth(side) for side in sides}
            stop = op == "|"
            return None if None in found and stop not in found else (stop in found) is stop
        return _related({"Eq": "==", "Ne": "!="}.get(op, op), self.value(sides[0]), [self.value(sides[1])])


def _stored(data: Any) -> Any:
    for text in data.get("q", [data["d"][0]] if "d" in data else ()):
        _demand(len(text) < LONG // 4, "a number of millions of bits")
        _spend(1, 4 * len(text))
    if "q" in data:
        n, d = (int(part, 16) for part in data["q"])
        _demand(math.gcd(n, d) == 1 and d > 0, "a fraction that is not in lowest terms")
        return Q(n, d)
    shift = 0 if "inf" in data else data["d"][1]
    _demand(type(shift) is int and abs(shift) <= LONG, "a number of millions of bits")
    _demand("d" in data or data["inf"] in (1, -1), "an infinite end")
    return int(data["d"][0], 16) * Q(2) ** shift if "d" in data else data["inf"] * INF


def _related(relation: str, m: _Box, sides: Sequence[_Box]) -> bool | None:
    """Return whether the intervals prove the relation (True), refute it (False) or leave it open."""
    if relation in ("<", ">", "!="):  # the contrary of the closed one
        closed = _related({"<": ">=", ">": "<=", "!=": "=="}[relation], m, sides)
        return None if closed is None else not closed
    if (m.low > sides[-1].high and relation != ">=") or (m.high < sides[0].low and relation != "<="):
        return False
    over, under = m.high <= sides[-1].low, m.low >= sides[0].high
    return True if (over or relation == ">=") and (under or relation == "<=") else None


def _interval(data: Any, weak: Sequence[str] = ()) -> _Box:
    """Return a stored interval; a right side is computed, so only a measured one has a weak evidence word."""
    box = _Box(_stored(data["low"]), _stored(data["high"]))
    _demand(box.low <= box.high, "an interval with its ends exchanged")
    _demand(data["evidence"] in (*weak, "EXACT" if box.exact else "ENCLOSED"), "another evidence")
    _demand((data["alpha"] > 0) == (data["evidence"] == "SAMPLED"), "an error probability of what was not sampled")
    for end, shown, inward in ((box.low, data["show"][0], INF), (box.high, data["show"][1], -INF)):
        near = shown if shown is None else math.nextafter(shown, inward)  # on the other side of the end
        there = abs(end) > sys.float_info.max if near is None else near != end == sorted((near, shown, end))[1]
        _demand(there, "an interval and what is shown of it")
    return box


def _key(row: Any) -> Any:
    return tuple(sorted(row["point"].items()))


class _Judge:  # one verdict; what cannot be expressed is counted by its reason
    def __init__(self, verdict: Any) -> None:
        self.verdict, self.plain, controls = verdict, verdict["plain"], verdict["plain"]["controls"]
        listed = {"": self.plain["assertions"], **{c: controls[c].get("assertions") for c in controls}}
        self.stated = {c: {a["name"]: a for a in some or listed[""]} for c, some in listed.items()}
        self.breaks = {"": [], **{c: controls[c]["breaks"] for c in controls}}
        self.derived = {_key(d): d["values"] for d in verdict.get("derived", ())}
        self.missing, self.sides, self.places = dict[str, int](), dict[str, int](), dict[Any, _Place]()
        self.premises = list[Any]()  # of implications: their rows, statements and intervals

    def place(self, row: Any, bits: int) -> _Place:
        if (key := (_key(row), bits, str(row["measured"]["work"].get("t", "_")))) not in self.places:
            at = {"point": row["point"] | {self.plain.get("time"): key[2]}}
            self.places[key] = _Place(self.plain, at, self.derived.get(key[0], {}), bits)
        return self.places[key]

    def compared(self, row: Any, said: Any) -> tuple[bool | None, _Box, list[_Box]]:
        """Return what the stored ends of a row, or of its premise, prove."""
        _demand((row["quantity"], row["relation"]) == (said["quantity"], said["relation"]), "another relation")
        measured, *stored = _interval(row["measured"], EVIDENCE[:3]), *map(_interval, row["bound"])
        _demand(len(stored) == 1 + (row["relation"] == "==" and "within" in said), "another number of sides")
        return _related(row["relation"], measured, stored), measured, stored

    def row(self, row: Any) -> tuple[Any, Any, _Box, list[_Box]]:
        said, relation, truth = self.stated[row["control"]][row["assertion"]], row["relation"], row["truth"]
        _demand(row["must_break"] is (row["assertion"] in self.breaks[row["control"]]), "another one to be broken")
        (found, measured, stored), condition = self.compared(row, said), row.get("premise")
        _demand((condition is None) == ("premise" not in said), "another premise")
        every = [row["measured"], *row["bound"]]
        if condition is not None:  # true of a false premise, and open where an open premise decides
            premise, *ends = self.compared(condition, said["premise"])
            _demand(
                (condition["truth"], condition["assertion"]) == (premise, said["premise"]["name"]), "another premise"
            )
            _demand(truth is (True if premise is False or found else found if premise else None), "not what is implied")
            self.premises.append(({**row, **condition, "control": "premise", "tied": False}, said["premise"], *ends))
            every += [condition["measured"], *condition["bound"]]
            row, truth = {**row, "truth": found, "idle": premise is False}, None if premise is False else truth
        _demand(row["evidence"] == min((e["evidence"] for e in every), key=EVIDENCE.index), "the evidence of its sides")
        _demand(
            truth is found or condition is not None or (row["tied"] and truth is True and found is None),
            "its ends say otherwise",
        )
        _demand(not row["tied"] or (truth is True and found is None and "tie" in said), "a tie that is none")
        small, large = (measured, stored[-1]) if relation[0] == "<" else (stored[0], measured)
        above, under = (large.low, small.high) if truth else (large.high, small.low)
        finite = truth is not None and relation[0] in "<>" and above > 0 and under > 0 and max(above, under) < INF
        slack, told = (above / under if finite else None), row["slack"]
        _demand(told is None or type(told) in (int, float), "a slack that is no number")
        far = slack is None or slack > 1 << 1023
        near = told is None or slack is None or abs(Q(told) - slack) <= slack / 10**9 + Q(1, 1 << 1074)
        _demand(near and (told is None) == far, "another slack")
        _demand(not row["control"] or row["vacuous"] is row["power"] is None, "a control with power")
        return row, said, measured, stored

    def formulas(self, row: Any, *read: Any) -> None:
        try:
            self.right_side(row, *read)
            self.sides[row["evidence"]] = self.sides.get(row["evidence"], 0) + 1
            if not row["control"]:
                self.strength(row, *read)
        except NotExpressible as reason:
            self.missing[str(reason)] = self.missing.get(str(reason), 0) + 1

    def right_side(self, row: Any, said: Any, measured: _Box, stored: Sequence[_Box]) -> None:
        """Evaluate the right side with more and more bits until it lies in the stored interval; decide with it."""
        for bits in BITS:
            own = _sides_of(self.place(row, bits), said)
            pairs = list(zip(own, stored, strict=True))
            _demand(all(a.low <= b.high and b.low <= a.high for a, b in pairs), "another right side")
            truth = _related(row["relation"], measured, own)
            inside = [b.low <= a.low <= a.high <= b.high or (a.high - a.low) * 2**120 <= abs(a.high) for a, b in pairs]
            if row["tied"] and truth is None:
                truth = _related(row["relation"], measured, _sides_of(self.place(row, bits), said, True))
            if all(inside) and (truth is row["truth"] or (truth is None and not row["tied"])):
                break
        _demand(truth in (row["truth"], None)[: 2 - row["tied"]], "its right side decides otherwise")
        if not all(inside) and truth is None:  # a derived letter is known to few digits, and they do not decide
            raise NotExpressible("a right side that stays wider than the stored one")
        _demand(all(b.exact for a, b in pairs if a.exact), "a rational right side that is called enclosed")

    def strength(self, row: Any, said: Any, measured: _Box, stored: Sequence[_Box]) -> None:
        for bits in BITS:
            place = self.place(row, bits)
            vacuous = "trivial" in said and _related(row["relation"], place.of(said["trivial"]), stored)
            power = None if row.get("idle") else self.power(row, said, measured, place)
            if (vacuous, power) == (row["vacuous"], row["power"]):
                return
        wide = any(isinstance(x, list) and x[0] != x[1] for x in place.derived.values())
        _demand(wide, f"another power ({power}), or vacuous: {vacuous}")
        raise NotExpressible("a power that the stored digits of derived letters leave open")

    def power(self, row: Any, said: Any, measured: _Box, place: _Place) -> float | None:
        """Return the least factor by which the bound, moved towards falsehood, is refuted."""
        a, middle, within = place.a, place.of(said["bound"]), place.of(said.get("within", "0"))
        if not row["truth"] or row["relation"] == "!=" or not (middle.low > 0 or middle.high < 0 or middle == ZERO):
            return None
        for f in map(_just, FACTORS):
            moved = [a.divide(middle, f), a.multiply(middle, f)][:: 1 if middle.low > 0 else -1]
            if middle == ZERO:
                step = a.multiply(f, within) if "within" in said else a.add(f, ONE, -1)
                moved = [a.add(ZERO, step, -1), step]
            moved = {"<": moved[:1], ">": moved[1:], "=": moved}[row["relation"][0]]
            around = [[a.add(m, within, -1), a.add(m, within)] for m in moved]
            if all(_related(row["relation"], measured, pair) is False for pair in around):
                return float(f.low)
        return None

    def conclude(self) -> None:
        v, own, tries = self.verdict, dict[Any, Any](), dict[str, Any]((c, {}) for c in self.breaks if c)
        for row in v["rows"]:
            (tries[row["control"]] if row["control"] else own).setdefault(_key(row), []).append(row)
        for control, places in (("", own), *tries.items()):
            for point, rows in places.items():
                whole = sorted(r["assertion"] for r in rows) == sorted(self.stated[control])
                beside = v["outcome"] in FALSE or v["reason"].startswith("unresolved: ")
                found = rows[-1] is v["rows"][-1] and beside and v["searched"]
                _demand((whole or found) and point in own, "a row is missing, or there twice")
        points = {*own, *map(_key, v["skipped"])}
        rows = [row for some in own.values() for row in some]
        said = sum(map(int, re.findall(r"(\d{1,9}) rows? ", v["reason"].partition(";")[0])))
        _demand(len(points) >= len(v["cpu"]["points"]) and said in (0, len(rows)), "a point is missing")
        states = [self.control(c, tries[c["name"]], own) for c in v["controls"]]
        _demand([c["name"] for c in v["controls"]] == list(tries), "other controls")
        fitted = {a["name"] for a in v["assertions"] if a.get("growth") == "fitted"}  # no other constant is refuted
        wrong = {row["assertion"] for row in rows if row["truth"] is False} - fitted
        false = FALSE["exhibited" in v["scope"].values()] if wrong else "UNDECIDED"
        outcome = _outcome_of(rows, states, any(s["open"] for s in v["skipped"]), false)
        _demand(outcome == v["outcome"], f"its rows give {outcome}")
        grades = [EVIDENCE.index(row["evidence"]) for row in rows if outcome not in FALSE or row["truth"] is False]
        grade = max(grades) if outcome in FALSE else min(grades)
        _demand(v["evidence"] == EVIDENCE[grade], "the evidence of its rows")
        strong = grade >= 3 * (v["role"] not in ("prediction", "found")) and {*states} <= {"breaks", "holds"}
        _demand(v["as_expected"] is (outcome == v["expect"] and (strong or outcome not in FALSE)), "what was expected")
        power = {name: [r["power"] for r in rows if r["assertion"] == name and r["power"]] for name in self.stated[""]}
        powers: dict[str, Any] = {name: min(some, default=None) for name, some in power.items()}
        weakest = {"power": None if None in powers.values() else max(powers.values()), "powers": powers}
        _demand({name: v[name] for name in weakest} == weakest, "the power of its rows")
        told = [(a["name"], a["quantity"], a["relation"], powers[a["name"]]) for a in self.plain["assertions"]]
        kept = [(a["name"], a["quantity"], a["relation"], a["power"]) for a in v["assertions"]]
        _demand(told == kept, "another statement")
        self.spent(len(points), len(own))

    def spent(self, points: int, honest: int) -> None:
        v, keys, alpha = self.verdict, set(), self.plain["alpha"]
        sizes = [len({q for a in some.values() for q in _parts(a)}) for some in self.stated.values()]
        most = v["searched"].get("most", 1) if v["searched"] else 1  # looks that the search may have, fixed before it
        unit, share = alpha / (points * len(self.stated) * max(sizes)), alpha / (most * sizes[0])
        for row in v["rows"]:
            if row["measured"]["evidence"] == "SAMPLED":
                if [row["quantity"]] != _parts(self.stated[row["control"]][row["assertion"]]):
                    self.missing["the error probability of arithmetic of sampled quantities"] = 1
                    return
                keys.add((_key(row), row["control"], row["quantity"]))
                _demand(row["measured"]["alpha"] <= unit * (1 + 1e-9), "more error probability than a row may spend")
        own, tried = [key[2] for key in keys if not key[1]], v["searched"] or {"inside": 0, "open": 0}
        drawn = 0 if "record" in v else len(keys) * unit  # what is read from a record draws nothing
        looks = round((v["alpha"]["spent"] - drawn) / share)  # of the search: a sampled quantity at a point
        least, inside = tried["inside"] * sum(own.count(q) == honest for q in {*own}), tried["inside"]
        _demand(least <= looks <= (inside + tried["open"]) * len({*own}), "another error probability of the search")
        told = (("claim", alpha * (1 + (looks > 0))), ("spent", drawn + looks * share))
        _demand(all(math.isclose(v["alpha"][k], x, rel_tol=1e-9) for k, x in told), "another error probability")

    def control(self, said: Any, tries: Any, own: Any) -> str:
        found = []
        for point, rows in tries.items():
            truths = set()
            for row in rows:
                there = [r for r in own[point] if r["assertion"] == row["assertion"]]
                there = there or [r for r in own[point] if r["quantity"] == row["quantity"]]
                least = min((EVIDENCE.index(r["evidence"]) for r in there), default=0)
                weak = row["must_break"] and row["truth"] is False and EVIDENCE.index(row["evidence"]) < least
                truths.add(None if weak or row["truth"] is None else row["truth"] is not row["must_break"])
            found.append("fails" if False in truths else "open" if None in truths else "breaks")
        repair = not self.breaks[said["name"]]
        worst = next((state for state in ("fails", "open") if state in found), "holds" if repair else "breaks")
        worst = "never applies" if not found or (repair and len(found) < len(own)) else worst
        broken = [r["assertion"] for rows in tries.values() for r in rows if r["must_break"]]
        told = [list(dict.fromkeys(broken)), repair, len(found), found.count("breaks"), worst]
        kept = [said[name] for name in ("breaks", "repair", "applied", "broken", "outcome")]
        _demand(told == kept, f"another state of the control '{said['name']}'")
        return "open" if "rival" in said and worst != "breaks" else worst


def _parts(said: Any) -> list[str]:
    """Return the quantities that are measured for an assertion."""
    return [*said.get("parts", [said["quantity"]]), *(_parts(said["premise"]) if "premise" in said else [])]


def _outcome_of(rows: Sequence[Any], states: Sequence[str], skipped: bool, false: str) -> str:
    if {False, None} & (truths := {row["truth"] for row in rows}) or skipped:
        return false if False in truths else "UNDECIDED"
    said = {row["assertion"] for row in rows} - {
        r["assertion"] for r in rows if r.get("premise", r)["truth"] is not False
    }
    if said:  # a premise that is false at every point
        return "INAPPLICABLE"
    if {"fails", "never applies", "open"} & set(states):
        return "POWERLESS" if {"fails", "never applies"} & set(states) else "UNDECIDED"
    return "POWERLESS" if all(row["vacuous"] for row in rows) else "HOLDS"


def _sides_of(place: _Place, said: Any, tied: bool = False) -> list[_Box]:
    """Return what is compared with: one interval, or the lower and the upper one of an equality; with its tie."""
    a, middle, within = place.a, place.of(said["bound"]), place.of(said.get("within", "0"))
    if tied:
        slack = a.multiply(place.of(said["tie"]), a.call("Abs", [middle]))
        within = a.add(within, slack)
        middle = a.add(middle, {"<=": slack, ">=": a.multiply(_just(-1), slack), "==": ZERO}[said["relation"]])
    wide = said["relation"] == "==" and within != ZERO
    return [a.add(middle, within, -1), a.add(middle, within)] if wide else [middle]


# -- statements: what a verdict speaks about, as a text for each part, which must be those of its claim ----------------
def _brief(value: Any) -> str:
    """Return the JSON text of a value, or the start of its SHA-256 where that is shorter."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return text if len(text) <= 25 else "#" + hashlib.sha256(text.encode()).hexdigest()[:24]


def _strength(estimate: Any) -> list[Any]:
    """Return what an interval is worth: evidence, error probability, and how much was drawn, run or read for it."""
    return [estimate["evidence"], estimate["alpha"], {k: x for k, x in estimate["work"].items() if k not in ELSEWHERE}]


def _skeleton(row: Any) -> list[Any]:
    """Return a row, or the premise of one, without what was measured and what follows from that."""
    named = [row.get(name) for name in ("control", "assertion", "quantity", "relation", "must_break")]
    sides = [_strength(row["measured"]), *map(_strength, row["bound"])]
    return [*named, sides, *([_skeleton(row["premise"])] if row.get("premise") else [])]


def _letters(values: Any) -> Any:
    """Return the letters of a construction to twelve digits: more of them depend on the versions that computed them."""
    twelve = decimal.Context(12, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
    ends = {k: x if isinstance(x, str) else [*map(_stored, x)] for k, x in values.items()}
    return {
        k: x if isinstance(x, str) else [str(e) if isinstance(e, float) else
            str(twelve.divide(decimal.Decimal(e.numerator), decimal.Decimal(e.denominator))) for e in x]
        for k, x in ends.items()
    }  # fmt: skip


def stated(verdict: Any) -> dict[str, str]:
    """Return what a verdict says of its claim, by part: all of it but what was measured and what follows from that."""
    v, plain, places = verdict, verdict["plain"], dict[str, list[Any]]()
    _demand(all(isinstance(v.get(name, {}), dict) for name in ("scope", "source", "text")), "no verdict")
    _demand(
        all(map(str.isidentifier, v)), "a part with the name of another"
    )  # as "plain hypotheses", which has a space
    said = {name: value for name, value in v.items() if name not in FREE}
    said |= {f"plain {name}": value for name, value in plain.items() if name != "controls"}
    said["assertions"] = [{k: x for k, x in a.items() if k != "power"} for a in v["assertions"]]
    said["source"] = {k: x for k, x in v["source"].items() if k not in ("file", "sha256")}
    if "reason" in v:
        said |= {"reason": _head(v["reason"]), "recorded": "record" in v}
    parts = dict[str, Any]()
    for name, value in said.items():
        of = PART_OF.get(name, "what else is said")
        parts[of] = value if of == name else {**parts.get(of, {}), name: value}
    for name, value in plain["controls"].items():
        places[f"control {_word(name)}"] = [value]
    for c in v.get("controls", ()):
        places.setdefault(f"control {_word(c['name'])}", []).append("rival" if "rival" in c else "no rival")
    for row in v.get("rows", ()):
        places.setdefault(f"point {_at(row)}", []).append(_skeleton(row))
    for one in v.get("derived", ()):
        places.setdefault(f"letters at {_at(one)}", []).append(_letters(one["values"]))
    for one in v.get("skipped", ()):
        places.setdefault(f"left out {_at(one)}", []).append([one["control"], one["open"], _head(one["reason"])])
    parts |= {name: sorted(some, key=_brief) for name, some in places.items()}
    return {name: _brief(value) for name, value in sorted(parts.items())}


def _word(text: str) -> str:
    return text if re.fullmatch(r"[\w/.+-]+", text) else json.dumps(text)


def _at(row: Any) -> str:
    return ", ".join(f"{_word(name)} = {_word(value)}" for name, value in sorted(row["point"].items()))


def _head(reason: str) -> str:
    """Return a reason up to its first measured number, or to the day of its record."""
    return re.split(r": | fails at | \(record ", reason)[0]


def _bound(verdict: Any, own: Mapping[str, str], statement: Mapping[str, str]) -> None:
    """Demand that a verdict is one of this statement, and comes to what is expected of it."""
    wrong = [f"{name} is {own.get(name, 'missing')}, where {value} is stated" for name, value in statement.items()
             if own.get(name) != value]  # fmt: skip
    wrong += [f"{name} is not stated" for name in own if name not in statement]
    more = f" and {len(wrong) - 3} parts more" if len(wrong) > 3 else ""
    _demand(not wrong, f"not its statement: {', '.join(wrong[:3])}{more}")
    _demand(verdict["outcome"] == verdict["expect"], f"{verdict['outcome']}, where {verdict['expect']} is on record")


class Statements(NamedTuple):
    """The parts of each claim by id, and of those that are not expressible here why they are not."""

    claims: Mapping[str, Mapping[str, str]]
    inexpressible: Mapping[str, str]


def examined(verdict: Any, statements: Statements | None = None) -> dict[str, Any]:
    """Return what is found of one verdict: its state, why, how many right sides were confirmed; is it a statement's."""
    found = {"id": "?", "state": "contradicted", "why": "", "rows": 0, "sides": {}, "bound": False}
    _spent[0] = 0
    try:
        _demand(isinstance(verdict, dict) and isinstance(verdict["id"], str), "no verdict")
        found["id"] = verdict["id"]
        text = json.dumps({k: x for k, x in verdict.items() if k != "digest"}, sort_keys=True, separators=(",", ":"))
        _demand(verdict["digest"] == hashlib.sha256(text.encode()).hexdigest(), "another digest")
        own = stated(verdict) if "plain" in verdict else {}
        if statements:
            _demand(verdict["id"] in statements.claims, "no claim of this id is stated")
            _bound(verdict, own, statements.claims[verdict["id"]])
        found |= _examined(verdict)
        if statements and found["state"] == "not expressible":
            honest = statements.inexpressible.get(verdict["id"])
            _demand(found["why"] == honest, f"not expressible, which its statement is not: {found['why']}")
        return {**found, "bound": statements is not None}
    except (Contradiction, NotExpressible) as wrong:
        return {**found, "state": "contradicted", "why": str(wrong)}
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RuntimeError) as error:
        return {**found, "state": "contradicted", "why": f"no verdict: {type(error).__name__}: {error}"}


def _examined(verdict: Any) -> dict[str, Any]:
    if "plain" not in verdict or verdict["rows"] == []:
        _demand("plain" not in verdict or verdict["outcome"] in ("UNDECIDED", "INAPPLICABLE"), "no row")
        return {"state": "not expressible", "why": "no row, or no statement in plain text"}
    judge = _Judge(verdict)
    read = [judge.row(row) for row in verdict["rows"]]
    judge.conclude()
    for row in (*read, *judge.premises):
        judge.formulas(*row)
    why = "; ".join(f"{reason} ({count} rows)" for reason, count in judge.missing.items())
    state = "not expressible" if why else "confirmed"
    return {"state": state, "why": why, "rows": len(verdict["rows"]), "sides": judge.sides}


# -- files: regular ones of bounded size, in which each name stands once -----------------------------------------------
def _once(pairs: Any) -> dict[str, Any]:
    _demand(len(found := dict(pairs)) == len(pairs), "a name that is there twice")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def read(path: Path) -> Any:
    """Return the data of a JSON file; ``ValueError`` for a link, no regular file, one too large or too deep."""
    about = path.lstat()
    if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST:
        raise ValueError(f"no regular file of at most {LARGEST >> 20} MB")
    try:
        return json.loads(path.read_bytes(), object_pairs_hook=_once, parse_constant=_no_number)
    except (RecursionError, Contradiction) as error:
        raise ValueError(error if isinstance(error, Contradiction) else "nested too deep") from None


def shown(text: str) -> str:
    """Return a text for a terminal: what is not printable is written out, what is too long is cut."""
    cut = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cut)


def read_statements(path: Path) -> Statements:
    """Return the statements of a file; ``ValueError`` for another file."""
    data = read(path)
    if not isinstance(data, dict) or data.get("schema") != "theorytools.statements/1":
        raise ValueError("no file theorytools.statements/1")
    claims, honest = data.get("claims", 0), data.get("not expressible", 0)
    if not isinstance(claims, dict) or not all(isinstance(part, dict) for part in (honest, *claims.values())):
        raise ValueError("no statements")
    return Statements(claims, honest)


def statements_file(verdicts: Iterable[Any]) -> dict[str, Any]:
    """Return what a file of statements holds, from verdicts that are trusted."""
    every = sorted(verdicts, key=lambda v: str(v["id"]))
    found = [examined(v) for v in every]
    return {
        "schema": "theorytools.statements/1", "claims": {v["id"]: stated(v) for v in every if "plain" in v},
        "not expressible": {f["id"]: f["why"] for f in found if f["state"] == "not expressible"},
    }  # fmt: skip


def _beside(ids: Iterable[str]) -> Path | None:
    """Return the statements beside this file, or of its repository, where they speak of one of these papers at all."""
    here, papers = Path(__file__).resolve().parent, {id.partition(".")[0] for id in ids}
    for path in (here / "statements.json", here.parent / "reports" / "statements.json"):
        if path.is_file() and papers & {id.partition(".")[0] for id in read_statements(path).claims}:
            return path
    return None


def _judged(path: Path, statements: Statements | None) -> dict[str, Any]:
    nothing = {"id": path.name.removesuffix(".json"), "state": "contradicted", "why": "", "rows": 0, "sides": {}}
    nothing |= {"bound": False, "alpha": 0}
    try:
        found = examined(verdict := read(path), statements)
    except (OSError, ValueError) as error:
        return {**nothing, "why": f"no verdict: {error}"}
    if found["state"] == "contradicted":
        return {**nothing, **found}
    if f"{found['id']}.json" != path.name:
        return {**nothing, "why": f"the verdict of {found['id']}, in a file of another name"}
    drawn = any(row["measured"]["alpha"] for row in verdict["rows"])
    return {**found, "alpha": verdict["alpha"]["claim"] if drawn else 0}


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge every verdict of a folder again, and return the exit code."""
    parser = argparse.ArgumentParser(description=main.__doc__, epilog="example: python recheck.py site --json")
    parser.add_argument("folder", type=Path, help="a report, or the folder of its verdicts")
    parser.add_argument("--statements", type=Path, metavar="FILE", help="what the claims say; not from that folder")
    parser.add_argument("--unbound", action="store_true", help="do not look for statements beside this file")
    parser.add_argument("--allow-inexpressible", type=int, default=0, metavar="N", help="beyond those of FILE")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    folder = given.folder / "verdicts" if (given.folder / "verdicts").is_dir() else given.folder
    try:
        _demand(folder == given.folder or not folder.is_symlink(), "a link")
        every = sorted(folder.glob("*.json"))
        paths = [path for path in every if "@" not in path.name]
        _demand(paths, "no verdicts")
        used = given.statements or (None if given.unbound else _beside(path.name for path in paths))
        statements = read_statements(used) if used else None
    except (OSError, ValueError, Contradiction) as error:
        print(shown(f"{folder}: {error}"), file=sys.stderr)
        return 2
    found = [_judged(path, statements) for path in paths]
    states, alpha = Counter(f["state"] for f in found), sum(f.pop("alpha") for f in found)
    told = {state: states[state] for state in ("confirmed", "not expressible", "contradicted")}
    told |= {"rows": sum(f["rows"] for f in found), "right sides": sum(sum(f["sides"].values()) for f in found)}
    told |= {"alpha": alpha, "at points of a user, not judged": len(every) - len(paths)}
    lines = [f"{f['id']}: {f['state']}{f['why'] and ': '}{f['why']}" for f in found]
    bound = {"statements": str(used) if statements else None, "bound": sum(f["bound"] for f in found)}
    if statements:
        absent = len(statements.claims.keys() - {f["id"] for f in found})
        lines += [f"{bound['bound']} bound to their statements in {used}; {absent} of its claims have no verdict here"]
    else:
        lines += ["NOT bound to statements: hypotheses, controls, points and names are what these files say themselves"]
    lines += [", ".join(f"{value} {name}" for name, value in told.items())]
    whole = {"schema": "theorytools.recheck/1", **told, **bound, "claims": found}
    print(json.dumps(whole) if given.json else "\n".join(map(shown, lines)))
    silent = sum(f["state"] == "not expressible" and not f["bound"] for f in found) > given.allow_inexpressible
    return 1 if told["contradicted"] or silent or not alpha <= ALPHA_OF_ALL else 0


if __name__ == "__main__":
    sys.exit(main())
