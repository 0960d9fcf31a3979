"""The small objects of claims as plain JSON, from which another program computes their measured sides again."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from theorytools.claims.language.claim import Claim
from theorytools.claims.language.grid import Point
from theorytools.claims.papers.catalogue import Entry
from theorytools.errors import DomainError, TheoryError
from theorytools.files import json_text, read_json, write_text
from theorytools.numbers.softmax import exact_number

SCHEMA = "theorytools.certificate/1"
LARGEST = 64 * 1024  # bytes of the certificate of one claim
POINTS = 3
ENTRIES = 4096  # numbers of one object, and cells or sets that a reader enumerates
Plain = dict[str, Any]


class Kind(NamedTuple):
    """One kind of certificate: of which types, how an object is written, which formula gives which quantity.

    A quantity is given by its name, and by its symbol where its name has several meanings: ``loss: L``.
    """

    name: str
    types: tuple[str, ...]
    written: Callable[[Any, Point], Plain]
    formulas: Mapping[str, str]


def _text(x: Any) -> Any:
    """Return numbers as text, ``7/3``, in nested lists."""
    if isinstance(x, str) or not hasattr(x, "__iter__"):
        return str(Fraction(int(x)) if not isinstance(x, Fraction) and int(x) == x else Fraction(x))
    return [_text(y) for y in x]


def _beta(value: Any) -> Plain:
    factor, rest = exact_number(value, "beta").as_coeff_Mul()
    if rest == 1:
        return {"factor": str(factor), "log": None}
    if rest.func.__name__ != "log" or not rest.args[0].is_Rational or not factor.is_Rational:
        raise DomainError(f"beta = {value}", required="a rational number, or one times the logarithm of one")
    return {"factor": str(factor), "log": str(rest.args[0])}


def _few(count: int) -> None:
    if count > ENTRIES:
        raise DomainError(f"{count} numbers", required=f"at most {ENTRIES}", why="a certificate is small")


def _code(code: Any, _: Point) -> Plain:
    if code.N * code.d_e > 8 * LARGEST:
        raise DomainError(f"{code.N} codes of length {code.d_e}", required="at most 64 kB", why="all are written out")
    signs = (code if hasattr(code, "signs") else code.sign_code()).signs.tolist()  # other codes have neither
    words = [format(sum(1 << k for k, sign in enumerate(row) if sign < 0), "x") for row in signs]
    return {"d_e": len(signs[0]), "words": words}


def _attention(net: Any, p: Point) -> Plain:
    radius = {"r_x": _text(p.r_x)} if "r_x" in p.axes else {}
    return {**_code(net.codes, p), "beta": _beta(net.temperature), **radius}


def _acceptance(M: Any, _: Point) -> Plain:
    a = M.automaton
    _few(a.symbols ** (M.N - len(M.fixed)))
    return {"transitions": a.transitions.tolist(), "accepting": a.accepting.astype(int).tolist(), "start": int(a.start),
            "N": M.N, "alice": sorted(M.alice), "fixed": {str(k): int(v) for k, v in M.fixed.items()}}  # fmt: skip


def _table(M: Any, _: Point) -> Plain:
    rows = next((getattr(M, name) for name in ("answers", "A", "e") if hasattr(M, name)), M)
    _few(rows.size)
    return {"answers": _text(rows)}


def _lookup(net: Any, _: Point) -> Plain:
    if not net.integral:
        raise DomainError("codes that are no integers", required="integer scores")
    _few(net.N**2)
    return {"keys": net.keys.tolist(), "queries": net.queries.tolist(), "b": _text(net.b),
            "value_width": net.values.shape[1]}  # fmt: skip


def _selector(net: Any, _: Point) -> Plain:
    _few(math.comb(net.T, net.q) * net.T)
    sets = list(itertools.combinations(range(net.T), net.q))
    queries = {",".join(map(str, y)): _text(net.query_vector(y)) for y in sets}
    return {"vectors": _text(net.E.vectors), "squared_scale": _text(net.E.squared_scale), "beta": _beta(net.beta),
            "q": net.q, "d": net.d, "V": _text(net.V), "queries": queries}  # fmt: skip


def _class(f: Any, _: Point) -> Plain:
    _few(2 ** len(f.y) * len(f.predictions) // 64)
    return {"predictions": _text(f.predictions), "y": _text(f.y), "root": _text(f.root)}


def _law(law: Any, p: Point) -> Plain:
    return {"law": _text(law), "tau": _text(p.tau)}


def _shown(shown: Any, _: Point) -> Plain:
    rows, task = shown.rows(), shown.task
    _few(len(rows) * len(rows[0]))
    asked = sorted(t for t in task.indices if t < task.K)
    length = len(rows[0]) // task.d
    kept = [t * task.d + r for t in asked if t < length for r in range(task.d)]
    return {"rows": _text(rows), "kept": kept, "asked": len(asked), "q": task.q, "d": task.d}


def _span(span: Any, _: Point) -> Plain:
    _few(sum(map(len, span.rows)))
    return {"rows": _text(span.rows)}


def _relu(best: Any, _: Point) -> Plain:
    return {"F": _text(best.F), "y": _text(best.y), "a": _text(best.network.a), "W": _text(best.network.W)}


def _linear(net: Any, _: Point) -> Plain:
    return {"X": _text(net.X), "y": _text(net.y), "v": _text(net.v)}


def _hash(net: Any, _: Point) -> Plain:
    _few(1 << net.n)
    return {"vectors": [int(a) for a in net.vectors]}


def _weights(w: Any, _: Point) -> Plain:
    _few(1 << len(w))
    return {"weights": w.tolist()}


def _sets(A: Any, p: Point) -> Plain:
    _few(len(A) << p.N)
    return {"N": int(p.N), "sets": [[j for j, inside in enumerate(row) if inside] for row in A.tolist()]}


def _bending(found: Any, _: Point) -> Plain:
    return {name: _text(getattr(found, name)) for name in ("z", "y", "knots", "kinks", "dual")} | {
        "affine": _text(found.affine[::-1])
    }


KINDS = (
    Kind("code", ("SignCode", "BCHCode"), _code,
         {"length": "length", "modulus": "largest modulus", "product": "largest product", "gap": "least gap"}),
    Kind("attention", ("BlockAttention",), _attention,
         {"leakage": "largest leakage", "token error": "token error", "dimension": "length"}),
    Kind("acceptance", ("AcceptanceMatrix",), _acceptance, {"rows": "rows", "rank": "rank"}),
    Kind("table", ("CommunicationMatrix", "ndarray", "PositionWeights"), _table,
         {"different rows": "rows", "rows": "rows", "columns": "columns", "rank": "rank",
          "pairs that do not fool": "clashes", "least slack": "dominance"}),
    Kind("table", ("Talk",), _table, {"margin": "dominance"}),
    Kind("lookup", ("IndexLookup",), _lookup,
         {r"worst margin: \rho": "worst margin", r"worst margin: \rho_{\mathrm{ex}}": "worst margin",
          "target weight": "target weight", "wrong answers": "wrong answers",
          "width": "width", "gap": "gap", "length": "length"}),
    Kind("selector", ("SparseSelector",), _selector,
         {"worst loss": "worst loss", "mean loss": "mean loss", "loss: L": "mean loss", "queries": "queries"}),
    Kind("class", ("TableClass",), _class, {"complexity": "complexity", "steepness": "steepness"}),
    Kind("law", ("tuple",), _law, {"truncated part": "hidden"}),
    Kind("span", ("VisibleSpan",), _shown, {"rank": "rank", "late error": "late error"}),
    Kind("span", ("InputSpan",), _span, {"average loss": "share unseen"}),
    Kind("relu", ("LeastReLU",), _relu, {"training error": "training error"}),
    Kind("linear", ("LinearInterpolant",), _linear, {"labels hit": "hits"}),
    Kind("hash", ("LinearHash",), _hash, {"false accepts": "rate", "states": "states"}),
    Kind("weights", ("ndarray",), _weights, {"wrong pairs": "collisions"}),
    Kind("sets", ("ndarray",), _sets, {"rows of sums": "sums", "rows of majorities": "majorities"}),
    Kind("bending", ("TotalVariation",), _bending, {"bending": "primal", "bending, dual": "dual"}),
)  # fmt: skip


def certificate(entry: Entry, claim: Claim, count: int = POINTS) -> Plain | None:
    """Return the certificate of a claim at its smallest points, or None where no object is small and of a kind.

    Parameters
    ----------
    entry, claim : the claim as the catalogue lists it, and as it was loaded.
    count : how many points at most.

    Returns
    -------
    dict or None : ``schema``, ``id`` and ``points``: point, kind, object, and the formula of each quantity.
    """
    stated = {key: q.name for q in claim.quantities for key in (q.name, f"{q.name}: {q.latex}")}
    kinds = [kind for kind in KINDS if stated.keys() & kind.formulas.keys()]
    if claim.tier != "seconds" or not kinds:
        return None
    found: list[Plain] = []
    for axes in sorted(claim.grid, key=_size)[:count]:
        place = _place(claim, claim.point(axes, ".".join(entry.id.split(".")[:2])), kinds, stated)
        if place and len(json_text(_headed(entry, [*found, place])).encode()) <= LARGEST:
            found.append(place)
    return _headed(entry, found) if found else None


def _size(axes: Mapping[str, Any]) -> float:
    return math.prod(max(1.0, abs(float(x))) for x in axes.values() if not isinstance(x, str))


def _headed(entry: Entry, places: Sequence[Plain]) -> Plain:
    return {"schema": SCHEMA, "id": entry.id, "points": list(places)}


def _place(claim: Claim, point: Point, kinds: Sequence[Kind], stated: Mapping[str, str]) -> Plain | None:
    try:
        made = claim.construct(point)
        kind = next((kind for kind in kinds if type(made).__name__ in kind.types), None)
        written = kind.written(made, point) if kind else None
    except (TheoryError, ArithmeticError, AttributeError, TypeError, ValueError):  # not small, not of plain numbers
        return None
    if kind is None:
        return None
    measures = {stated[key]: formula for key, formula in kind.formulas.items() if key in stated}
    return {"point": point.text(), "kind": kind.name, "measures": measures, "object": written}


def write_certificate(entry: Entry, claim: Claim, folder: Path) -> Path | None:
    """Write the certificate of a claim to ``folder/ID.json``; one that it no longer has goes, and no other file.

    Parameters
    ----------
    entry, claim : as of :func:`certificate`.
    folder : made if it is not there.

    Returns
    -------
    Path or None : the file, where there is a certificate.
    """
    path, data = folder / f"{entry.id}.json", certificate(entry, claim)
    if data is None:
        if _is_certificate(path, entry.id):
            path.unlink()
        return None
    folder.mkdir(parents=True, exist_ok=True)
    write_text(path, json_text(data) + "\n")
    return path


def _is_certificate(path: Path, id: str) -> bool:
    try:
        data = read_json(path)
        return bool(data["schema"] == SCHEMA and data["id"] == id)
    except (OSError, ValueError, LookupError, TypeError):
        return False
