"""Recomputes measured sides from small objects: this one file, the standard library, nothing of the package around it.

``python recheck_objects.py FOLDER`` reads ``FOLDER/certificates`` and compares with the measured ends in
``FOLDER/verdicts``; docs/recheck.md says what is recomputed.  Exit code 1: contradicted; 2: nothing to read.
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    sys.path.pop(0)  # the folder around this file has a `numbers`, which is also a name of the standard library

import argparse
import decimal
import functools
import itertools
import json
import math
import operator
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction as Q
from pathlib import Path
from typing import Any, NamedTuple

DIGITS = 80
FAR = 100_000  # x beyond which exp(x) is not written out
LONG = 4096  # bits up to which an end is kept as it is
NARROW = Q(1, 1 << 100)  # relative width up to which an own interval counts as one number
LARGEST, SHOWN = 1 << 24, 400  # bytes of a file, and characters of a text that is printed
DEEPEST = 1 << 18  # an exponent, and the hexadecimal digits of an end, that are worked out
WORK = 4_000_000  # units of at most 10 microseconds that one quantity may cost; the dearest committed one: WORK / 30
NUMBER = re.compile(r"-?\d{1,4000}(/\d{1,4000})?")  # an exponent would ask for as many digits as it says
_spent = [0]  # work on what is judged now
SIZES = {"N", "d_e", "q", "d", "r_x", "tau"}  # letters that a point and an object share
WRONG = (AssertionError, ArithmeticError, LookupError, AttributeError, TypeError, ValueError, RecursionError)
NotExpressible = NotImplementedError
Formula = Callable[[Any], "_Box"]


def _spend(steps: int, bits: int = 0) -> None:
    """Count the work on one quantity: small steps, and a product of numbers so long."""
    _spent[0] += steps + (bits >> 10) ** 2
    if _spent[0] > WORK:
        raise NotExpressible("more work than a quantity may cost")


def _number(x: Any) -> Q:
    if isinstance(x, str) and not NUMBER.fullmatch(x):
        raise ValueError("a text that is no number")
    return Q(x)


def _raised(base: Q, exponent: Any) -> Q:
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent) * bits > 4 * DEEPEST:
        raise NotExpressible("a power of millions of bits")
    _spend(1, int(abs(exponent)) * bits)
    return Q(base) ** int(exponent)


def _words(letters: Any, length: int) -> Iterator[tuple[Any, ...]]:
    """Return all words of a length, once it is known how many there are."""
    if length > 64 or len(letters) ** length > WORK:
        raise NotExpressible("an enumeration of millions of words")
    _spend(len(letters) ** length)
    return itertools.product(letters, repeat=length)


class _Box(NamedTuple):
    """An interval with rational ends, rounded outwards."""

    low: Q
    high: Q

    @staticmethod
    def of(x: Any) -> _Box:
        """Return a number as an interval."""
        return x if isinstance(x, _Box) else _Box(Q(x), Q(x))

    def plus(self, other: Any) -> _Box:
        """Enclose the sum."""
        other = _Box.of(other)
        return _short(self.low + other.low, self.high + other.high)

    def times(self, other: Any) -> _Box:
        """Enclose the product."""
        ends = [x * y for x in self[:] for y in _Box.of(other)[:]]
        return _short(min(ends), max(ends))

    def over(self, other: Any) -> _Box:
        """Enclose the quotient."""
        low, high = _Box.of(other)
        if low <= 0 <= high:
            raise NotExpressible("a quotient by an interval around 0")
        return self.times(_Box(1 / high, 1 / low))


def _short(low: Q, high: Q) -> _Box:
    _spend(1, _length((low, high)))
    if low == high or max(low.denominator, high.denominator).bit_length() < LONG:
        return _Box(low, high)
    scale = 1 << LONG
    return _Box(Q(math.floor(low * scale), scale), Q(math.ceil(high * scale), scale))


def _total(boxes: Iterable[Any]) -> _Box:
    return functools.reduce(_Box.plus, boxes, _Box.of(0))


def _exp(x: _Box) -> _Box:
    """Enclose exp: `decimal` rounds it correctly, so the neighbours are on their sides."""
    if x.high > FAR:
        raise NotExpressible("an exponential of a large number")
    low, high = (_end("exp", max(end, Q(-FAR)), up) for up, end in enumerate(x))
    return _Box(low if x.low > -FAR else Q(0), high)


def _log(x: Q) -> _Box:
    return _Box(_end("ln", x, 0), _end("ln", x, 1))


def _end(name: str, x: Q, up: int) -> Q:
    side = decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR
    context = decimal.Context(DIGITS, side, decimal.MIN_EMIN, decimal.MAX_EMAX)
    value = getattr(context, name)(context.divide(decimal.Decimal(x.numerator), decimal.Decimal(x.denominator)))
    return Q(context.next_plus(value) if up else context.next_minus(value))


def _power(beta: Any, exponent: Q) -> _Box:
    """Return e^(beta t) for beta = factor, or factor log(base): rational where the exponent is an integer."""
    factor = _number(beta["factor"]) * exponent
    if beta["log"] is None:
        return _Box.of(1) if factor == 0 else _exp(_Box.of(factor))
    base = _number(beta["log"])
    if factor.denominator == 1:
        return _Box.of(_raised(base, factor))
    return _exp(_log(base).times(factor))


def _q(rows: Any) -> Any:
    return [_q(x) for x in rows] if isinstance(rows, list) else _number(rows)


def _dot(u: Sequence[Any], v: Sequence[Any]) -> Any:
    _spend(len(u))
    return sum((x * y for x, y in zip(u, v, strict=True)), Q(0))


def _largest(boxes: Iterable[_Box]) -> _Box:
    return _Box(*map(max, zip(*boxes, strict=True)))


def _least(boxes: Iterable[_Box]) -> _Box:
    return _Box(*map(min, zip(*boxes, strict=True)))


def _length(numbers: Iterable[Q]) -> int:
    return max((abs(x.numerator) | x.denominator).bit_length() for x in numbers)


def _echelon(rows: Iterable[Sequence[Any]]) -> list[list[Q]]:
    """Return a reduced basis of the row space by Gaussian elimination in fractions."""
    basis: list[tuple[int, list[Q]]] = []
    for given in rows:
        row = [_number(x) for x in given]
        for k, old in basis:
            _spend(len(row) * (1 + (_length(row) >> 6)))
            if row[k]:
                row = [x - row[k] * y for x, y in zip(row, old, strict=True)]
        lead = next((k for k, x in enumerate(row) if x), -1)
        if lead >= 0:
            row = [x / row[lead] for x in row]
            _spend(len(basis) * len(row) * (1 + (_length(row) >> 6)))
            basis = [(k, [x - old[lead] * y for x, y in zip(old, row, strict=True)]) for k, old in basis]
            basis.append((lead, row))
    return [row for _, row in basis]


def _inverse(matrix: Sequence[Sequence[Q]]) -> list[list[Q]]:
    size = len(matrix)
    wide = [[*map(Q, row), *(Q(int(i == j)) for j in range(size))] for i, row in enumerate(matrix)]
    reduced = sorted(_echelon(wide), key=lambda row: next(k for k, x in enumerate(row) if x))
    return [row[size:] for row in reduced]


# -- sign codes and attention over them --------------------------------------------------------------------------------
def _products(o: Any) -> list[list[int]]:
    """Return d_e minus twice the Hamming distances; words are hexadecimal, a set bit is the sign -1."""
    words, d_e = [int(w, 16) for w in o["words"]], o["d_e"]
    _spend(len(words) ** 2 // 8)
    return [[d_e - 2 * (a ^ b).bit_count() for b in words] for a in words]


def _pairs(o: Any) -> list[int]:
    return [k for i, row in enumerate(_products(o)) for j, k in enumerate(row) if i != j]


def _leaks(o: Any) -> list[_Box]:
    """Return for each position the weight outside it: S/(1 + S), S the sum of e^(beta (G_tj - 1))."""
    d_e, found, known = o["d_e"], [], dict[tuple[Any, ...], _Box]()
    powers = {k: _power(o["beta"], Q(k - d_e, d_e)) for k in set(_pairs(o))}
    for t, row in enumerate(_products(o)):
        count = Counter(k for j, k in enumerate(row) if j != t)
        key = tuple(sorted(count.items()))
        if key not in known:
            outside = _total(powers[k].times(n) for k, n in key)
            known[key] = _Box.of(1).plus(_Box.of(-1).over(outside.plus(1)))
        found.append(known[key])
    return found


CODE: Mapping[str, Formula] = {
    "largest product": lambda o: _Box.of(Q(max(_pairs(o)), o["d_e"])),
    "largest modulus": lambda o: _Box.of(Q(max(map(abs, _pairs(o))), o["d_e"])),
    "least distance": lambda o: _Box.of((o["d_e"] - max(_pairs(o))) // 2),
    "least gap": lambda o: _Box.of(o["d_e"] - max(_pairs(o))),
    "length": lambda o: _Box.of(o["d_e"]),
}
ATTENTION: Mapping[str, Formula] = {
    **CODE,
    "largest leakage": lambda o: _largest(_leaks(o)),
    "least leakage": lambda o: _least(_leaks(o)),
    "token error": lambda o: _largest(_leaks(o)).times(2 * _number(o["r_x"])),
}


# -- automata, and matrices of answers ---------------------------------------------------------------------------------
def _answers(o: Any) -> list[list[Q]]:
    """Run the automaton on every word; a row for each string of Alice, a column for each of Bob."""
    letters, fixed = range(len(o["transitions"][0])), {int(k): v for k, v in o["fixed"].items()}
    _spend(o["N"])
    mine = [i for i in range(o["N"]) if i in o["alice"]]
    yours = [i for i in range(o["N"]) if i not in o["alice"] and i not in fixed]
    matrix = []
    for a in _words(letters, len(mine)):
        row = []
        for b in _words(letters, len(yours)):
            _spend(o["N"])
            word, state = {**fixed, **dict(zip(mine, a, strict=True)), **dict(zip(yours, b, strict=True))}, o["start"]
            for i in range(o["N"]):
                state = o["transitions"][state][word[i]]
            row.append(Q(int(o["accepting"][state])))
        matrix.append(row)
    return matrix


def _clashes(m: Any) -> Any:
    """Count the pairs (x, x) not answered 1, and the couples of pairs of which both mixtures are."""
    size = range(len(m))
    return sum(m[i][i] != 1 for i in size) + sum(m[i][j] == 1 == m[j][i] for i in size for j in size if i < j)


def _tables(read: Callable[[Any], Any]) -> dict[str, Formula]:
    return {
        "rows": lambda o: _Box.of(len({tuple(row) for row in read(o)})),
        "columns": lambda o: _Box.of(len(set(zip(*read(o), strict=True)))),
        "rank": lambda o: _Box.of(len(_echelon({tuple(row) for row in read(o)}))),
        "clashes": lambda o: _Box.of(_clashes(read(o))),
        "dominance": lambda o: _Box.of(min(r[i] + abs(r[i]) - sum(map(abs, r)) for i, r in enumerate(read(o)))),
    }


# -- index lookup ------------------------------------------------------------------------------------------------------
def _weights(o: Any) -> list[tuple[Q, Q]]:
    """Return for each position its own weight and that of all others; the silent last token has weight 1."""
    found, b = [], _number(o["b"])
    for p, query in enumerate(o["queries"]):
        rows = [_raised(b, _dot(query, key)) for key in o["keys"]]
        found.append((rows[p] / (sum(rows) + 1), (sum(rows) - rows[p]) / (sum(rows) + 1)))
    return found


def _gap(o: Any) -> Any:
    scores = [[_dot(q, k) for k in o["keys"]] for q in o["queries"]]
    return min(row[p] - max(s for j, s in enumerate(row) if j != p) for p, row in enumerate(scores))


def _wrong(o: Any) -> _Box:
    if min(own - others for own, others in _weights(o)) <= 0:
        raise NotExpressible("the number of wrong answers where there are some")
    return _Box.of(0)


LOOKUP: Mapping[str, Formula] = {
    # every coordinate takes both signs: the worst word has the opposite one at all other positions
    "worst margin": lambda o: _Box.of(min(own - others for own, others in _weights(o))),
    "target weight": lambda o: _Box.of(min(own for own, _ in _weights(o))),
    "wrong answers": _wrong,
    "width": lambda o: _Box.of(2 * len(o["keys"][0]) + 1 + o["value_width"]),
    "gap": lambda o: _Box.of(_gap(o)),
    "length": lambda o: _Box.of(len(o["keys"][0])),
}


# -- selection of a set ------------------------------------------------------------------------------------------------
def _set_loss(o: Any, y: Sequence[int], vectors: Any, V: Any) -> _Box:
    """Return sum_i |a_i V_1 - tau_i I|^2 + c |V_2 sum_i a_i v_i|^2, the mean square over Gaussian tokens."""
    query, c, d = _q(o["queries"][",".join(map(str, y))]), _number(o["squared_scale"]), o["d"]
    scores = [c * _dot(v, query) for v in vectors]
    raw = [_power(o["beta"], s - max(scores)) for s in scores]
    whole = _total(raw)
    a = [w.over(whole) for w in raw]
    first = [row[:d] for row in V]
    square, trace = sum(x * x for row in first for x in row), sum(first[k][k] for k in range(d))
    terms = []
    for i, w in enumerate(a):
        tau = Q(int(i in y), len(y))
        terms.append(w.times(w).times(square).plus(w.times(-2 * tau * trace)).plus(d * tau * tau))
    for row in V:
        if any(row[d:]):
            mixed = _total(w.times(_dot(row[d:], v)) for w, v in zip(a, vectors, strict=True))
            terms.append(mixed.times(mixed).times(c))
    return _total(terms)


def _losses(o: Any) -> list[_Box]:
    vectors, V = _q(o["vectors"]), _q(o["V"])
    return [_set_loss(o, y, vectors, V) for y in itertools.combinations(range(len(vectors)), o["q"])]


SELECTOR: Mapping[str, Formula] = {
    "worst loss": lambda o: _largest(_losses(o)),
    "mean loss": lambda o: _total(_losses(o)).over(math.comb(len(o["vectors"]), o["q"])),
    "queries": lambda o: _Box.of(len({tuple(_q(u)) for u in o["queries"].values()})),
}


# -- finite classes ----------------------------------------------------------------------------------------------------
def _complexity(o: Any) -> _Box:
    cap, y, total = _number(o["root"]) ** 2, _q(o["y"]), Q(0)
    losses = {tuple(min((v - t) ** 2, cap) for v, t in zip(row, y, strict=True)) for row in _q(o["predictions"])}
    scale = math.lcm(*(x.denominator for row in losses for x in row))
    whole = [[int(x * scale) for x in row] for row in losses]
    for signs in _words((-1, 1), len(y)):
        _spend(len(whole) * len(y))
        total += max(sum(s * x for s, x in zip(signs, row, strict=True)) for row in whole)
    return _Box.of(total / (scale * len(y) * 2 ** len(y)))


def _steepness(o: Any) -> _Box:
    cap, best = _number(o["root"]) ** 2, Q(0)
    for t, column in zip(_q(o["y"]), zip(*_q(o["predictions"]), strict=True), strict=True):
        _spend(len(column) ** 2)
        for u, v in itertools.combinations(set(column), 2):
            best = max(best, abs(min((u - t) ** 2, cap) - min((v - t) ** 2, cap)) / abs(u - v))
    return _Box.of(best)


def _hidden(o: Any) -> _Box:
    """Return the part of the mean square above the level: the sum of m (x^2 - tau)^+."""
    law, tau = _q(o["law"]), _number(o["tau"])
    if sum(m for _, m in law) != 1 or any(m < 0 for _, m in law):
        raise AssertionError("masses that are no law")
    return _Box.of(sum(m * max(x**2 - tau, Q(0)) for x, m in law))


# -- subspaces ---------------------------------------------------------------------------------------------------------
def _late(o: Any) -> _Box:
    """Return (2/(qd)) (tr J - tr (J P)^2), P the projection on the span: the variance of |Jx|^2 given Px."""
    basis, kept, scale = _echelon(o["rows"]), o["kept"], o["q"] * o["d"]
    seen = Q(0)
    if basis and kept:
        inverse = _inverse([[_dot(u, v) for v in basis] for u in basis])
        part = [[_dot([u[k] for k in kept], [v[k] for k in kept]) for v in basis] for u in basis]
        s = [[_dot(row, column) for column in zip(*part, strict=True)] for row in inverse]
        seen = sum((_dot(row, column) for row, column in zip(s, zip(*s, strict=True), strict=True)), Q(0))
    return _Box.of(Q(2, scale) * (o["asked"] * o["d"] - seen))


SPAN: Mapping[str, Formula] = {
    "rank": lambda o: _Box.of(len(_echelon(o["rows"]))),
    "late error": _late,
    "share unseen": lambda o: _Box.of(1 - Q(len(_echelon(o["rows"])), len(o["rows"][0]))),
}


# -- networks on data, hashes, duals -----------------------------------------------------------------------------------
def _training(o: Any) -> _Box:
    units, total = list(zip(_q(o["a"]), _q(o["W"]), strict=True)), Q(0)
    for x, y in zip(_q(o["F"]), _q(o["y"]), strict=True):
        total += (sum(a * max(_dot(w, x), Q(0)) for a, w in units) - y) ** 2
    return _Box.of(total / len(o["y"]))


def _linear_hits(o: Any) -> _Box:
    v = _q(o["v"])
    return _Box.of(sum(_dot(_q(x), v) == _number(y) for x, y in zip(o["X"], o["y"], strict=True)))


def _ends(o: Any) -> list[int]:
    """Return the sum over GF(2) of the vectors that each word of zeros and ones picks."""
    words = _words((0, 1), len(o["vectors"]))
    return [functools.reduce(operator.xor, itertools.compress(o["vectors"], bits), 0) for bits in words]


def _false_accepts(o: Any) -> _Box:
    count, size = Counter(_ends(o)), 2 ** len(o["vectors"])
    return _Box.of(Q(sum(n * n for n in count.values()) - size, size * size - size))


def _collisions(o: Any) -> _Box:
    words = _words((0, 1), len(o["weights"]))
    count = Counter(sum(itertools.compress(o["weights"], bits)) for bits in words)
    return _Box.of(sum(n * n for n in count.values()) - 2 ** len(o["weights"]))


def _sums(o: Any, majority: bool) -> _Box:
    found, k = set(), len(o["sets"][0])
    for y in _words((0, 1), o["N"]):
        _spend(sum(map(len, o["sets"])))
        sums = [sum(y[i] for i in chosen) for chosen in o["sets"]]
        found.add(tuple(2 * s > k if majority else s for s in sums))
    return _Box.of(len(found))


def _bending(o: Any) -> _Box:
    """Return the total change of slope of a piecewise linear function through all data, given by its kinks."""
    slope, offset = map(_number, o["affine"])
    _spend(len(o["z"]) * len(o["kinks"]))
    for z, y in zip(_q(o["z"]), _q(o["y"]), strict=True):
        bends = zip(_q(o["kinks"]), _q(o["knots"]), strict=True)
        if slope * z + offset + sum(c * max(z - t, Q(0)) for c, t in bends) != y:
            raise AssertionError("the function misses a datum")
    return _Box.of(sum(abs(_number(c)) for c in o["kinks"]))


def _dual_bending(o: Any) -> _Box:
    """Return lambda^T y once lambda is orthogonal to lines and |sum lambda_i (z_i - t)^+| <= 1 everywhere."""
    z, dual = _q(o["z"]), _q(o["dual"])
    _spend(len(z) ** 2)
    if sum(dual) != 0 or _dot(dual, z) != 0:
        raise AssertionError("a dual point that charges a line")
    if any(abs(sum(w * max(x - t, Q(0)) for w, x in zip(dual, z, strict=True))) > 1 for t in z):  # linear in between
        raise AssertionError("a dual point that is not feasible")
    return _Box.of(_dot(dual, _q(o["y"])))


KINDS: Mapping[str, Mapping[str, Formula]] = {
    "code": CODE,
    "attention": ATTENTION,
    "acceptance": _tables(_answers),
    "table": _tables(lambda o: _q(o["answers"])),
    "lookup": LOOKUP,
    "selector": SELECTOR,
    "class": {"complexity": _complexity, "steepness": _steepness},
    "law": {"hidden": _hidden},
    "span": SPAN,
    "relu": {"training error": _training},
    "linear": {"hits": _linear_hits},
    "hash": {"rate": _false_accepts, "states": lambda o: _Box.of(len(set(_ends(o))))},
    "weights": {"collisions": _collisions},
    "sets": {"sums": lambda o: _sums(o, False), "majorities": lambda o: _sums(o, True)},
    "bending": {"primal": _bending, "dual": _dual_bending},
}


# -- comparison --------------------------------------------------------------------------------------------------------
def _stored(data: Any) -> Any:
    if any(len(text) > DEEPEST for text in data.get("q", data.get("d", ())[:1])):
        raise ValueError("an end of millions of bits")
    if "q" in data:
        return Q(int(data["q"][0], 16), int(data["q"][1], 16))
    return int(data["d"][0], 16) * _raised(Q(2), data["d"][1]) if "d" in data else data["inf"] * math.inf


def judged(own: _Box, measured: Any) -> str:
    """Compare an own interval with the stored ends: one number where both are exact, else intervals that meet."""
    low, high = _stored(measured["low"]), _stored(measured["high"])
    if measured["evidence"] not in ("EXACT", "ENCLOSED"):
        raise NotExpressible("a measured side that is not exact or enclosed")
    if own.low > high or own.high < low:
        return "contradicted"
    if own.high - own.low > NARROW * max(abs(own.low), abs(own.high)):
        raise NotExpressible("an own interval that is wide")
    if high - low > abs(high) / 1000:
        raise NotExpressible("a stored interval that is wide")
    exact = own.low == own.high and measured["evidence"] == "EXACT"
    return "contradicted" if exact and own != (low, high) else "confirmed"


def _line(place: Any, name: str, rows: Any) -> str:
    """Recompute one quantity of one object, whose sizes must be those of the point."""
    key, formula = (json.dumps(place["point"], sort_keys=True), name), place["measures"][name]
    if key not in rows or formula not in KINDS.get(place["kind"], {}):
        raise NotExpressible("no such row" if key not in rows else f"no formula {formula}")
    for axis in SIZES & place["point"].keys() & place["object"].keys():
        if _number(place["point"][axis]) != _number(place["object"][axis]):
            raise AssertionError(f"an object with another {axis}")
    own = KINDS[place["kind"]][formula](place["object"])
    return max(judged(own, measured) for measured in rows[key])  # "contradicted" is the later word


def examined(certificate: Any, verdict: Any) -> list[dict[str, Any]]:
    """Recompute every named quantity at every point of one certificate."""
    rows, found = dict[Any, list[Any]](), []
    for row in (row for row in verdict["rows"] if not row["control"]):
        rows.setdefault((json.dumps(row["point"], sort_keys=True), row["quantity"]), []).append(row["measured"])
    for place in certificate["points"]:
        if not all(isinstance(x, str) for x in (place["kind"], *place["point"].values())):
            raise ValueError("a point that is not written as text")
        for name in place["measures"]:
            _spent[0] = 0
            try:
                state, why = _line(place, name, rows), ""
            except NotExpressible as reason:
                state, why = "not expressible", str(reason)
            except WRONG as reason:
                state, why = "contradicted", f"{type(reason).__name__}: {reason}"
            found.append({"kind": place["kind"], "point": place["point"], "quantity": name, "state": state, "why": why})
    return found


def _read(path: Path) -> Any:
    about = path.lstat()
    if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST:
        raise ValueError(f"no regular file of at most {LARGEST >> 20} MB")
    return json.loads(path.read_bytes())


def _shown(text: str) -> str:
    """Return a text for a terminal: what is not printable is written out, what is too long is cut."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:SHOWN])


def report(folder: Path) -> dict[str, Any]:
    """Examine every certificate of a folder; a claim is confirmed by one quantity, contradicted by one."""
    claims, kinds = {}, dict[str, Counter[str]]()
    for path in sorted((folder / "certificates").glob("*.json")):
        try:
            read = [_read(folder / part / path.name) for part in ("certificates", "verdicts")]
            lines, why = examined(*read), ""
        except (OSError, *WRONG) as reason:
            lines, why = [], f"{type(reason).__name__}: {reason}"
        states = {line["state"] for line in lines} | {"contradicted" for _ in why[:1]}
        state = next((s for s in ("contradicted", "confirmed") if s in states), "not expressible")
        claims[path.stem] = {"state": state, "lines": lines, "why": why}
        for line in lines:
            kinds.setdefault(line["kind"], Counter())[line["state"]] += 1
    total = Counter(claim["state"] for claim in claims.values())
    return {"claims": claims, "kinds": {k: dict(v) for k, v in sorted(kinds.items())}, "counts": dict(total)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Recompute measured sides from small objects."""
    parser = argparse.ArgumentParser(description=main.__doc__, epilog="example: python recheck_objects.py site --json")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="holds certificates/*.json and verdicts/*.json")
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--counts", action="store_true", help="print one object, of the counts alone")
    options = parser.parse_args(arguments)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    found = report(options.folder)
    code = 2 if not found["claims"] else int("contradicted" in found["counts"])
    if options.json or options.counts:
        found = {"schema": "theorytools.recheck_objects/1", "exit": code, **found}
        if options.counts:
            found |= {"claims": {name: claim["state"] for name, claim in found["claims"].items()}}
        print(json.dumps(found, indent=1 if options.counts else None))
        return code
    for name, claim in found["claims"].items():
        names = sorted({line["quantity"] for line in claim["lines"] if line["state"] == claim["state"]})
        print(_shown(f"{name}: {claim['state']}" + (f" ({', '.join(names)})" if names else "")))
    print(", ".join(f"{n} {s}" for s, n in sorted(found["counts"].items())) or "no certificates", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
