"""What the good calls give, and what the values next to theirs give: recorded, so that no change goes unsaid.

    export PYTHONPATH=tests/support:tests
    python tests/recorded/recorded_calls.py --accept KEY …     record what is given today
    python tests/recorded/recorded_calls.py KEY …              print it, to compare two states of the tree

Each call is made as it stands in ``good_calls``; then each of its numbers, lists and arrays is replaced by values next
to it: one less and one more, nothing, its negative, a list without its last entry.  What comes back is a number, an
object, or an error; a record holds a digest of each.  A record sees a change, never whether it is right: that is for
the tests beside it.  Floating-point numbers count to six digits, and as zero below 10^-9, so that processors and
libraries of linear algebra do not matter.  What takes longer than a tenth of a second is left out, and what comes
after the first second of one key.
"""

import argparse
import ast
import builtins
import dataclasses
import decimal
import enum
import functools
import hashlib
import importlib
import inspect
import itertools
import json
import math
import numbers
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from fractions import Fraction
from pathlib import Path

import engine_files
import engine_language
import engine_searches
import engine_verdicts
import fuzzing
import good_values
import numpy as np
import report_calls
import sympy

from theorytools import Budget
from theorytools.errors import TheoryError

RECORD = Path(__file__).with_name("recorded_calls.json")
ROOMS = ("numbers", "claims", "codes", "constructions", "theory", "tasks", "statistics", "reporting")
SECONDS, PATIENCE = 0.1, 50  # of processor time for a call that is recorded, and how many times that may pass later
ENGINE = 20.0  # seconds of processor time for what the engine says of a few claims
ALL = 1.0  # seconds of processor time for all calls of one key
LATE = ("pandas", "polars", "matplotlib.figure", "cvxpy")  # imported by calls, and no call's time is meant for that
DRAWN = 2048  # samples of a recipe that draws
MOST = 64  # entries of an array or a list that are read
APART = (".module", "Catalogue", "judge", "verify")  # modules of torch, folders of this machine, times
LEFT_OUT = ("write", "run", "start", "close", "save", "show", "plot", "begin", "end", "train")
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
TOKEN = 6  # hexadecimal digits for one callable and one argument


@functools.cache
def names():
    for late in LATE:
        importlib.import_module(late)
    return fuzzing.namespace(beside=False)


def engine():
    """What the engine says of small claims, part by part."""
    modules = (engine_verdicts, engine_searches, engine_language, engine_files, report_calls)
    return {name: made for module in modules for name, made in vars(module).items() if name.startswith("of_")}


@functools.cache
def keys():
    """The good calls of what is mutated; and what the engine says of small claims."""
    found = {f"engine.{name}": name for name in engine()}
    for key, value in fuzzing.public(beside=False).items():
        room, call = getattr(value, "__module__", "").split("."), fuzzing.table().get(key)
        if room[0] == "theorytools" and len(room) > 1 and room[1] in ROOMS and call and _known(call):
            found |= {} if key.endswith(APART) else {key: call}
    return found


def _known(call):
    """Whether an expression takes nothing from what stands beside a statement."""
    used = {
        part.id for part in ast.walk(ast.parse(call)) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }
    bound = {part.arg for part in ast.walk(ast.parse(call)) if isinstance(part, ast.arg)}
    bound |= {
        part.id for part in ast.walk(ast.parse(call)) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    return used - bound <= names().keys() | vars(builtins).keys()


# -- what a value is, in words -----------------------------------------------------------------------------------------
def told(value, depth=0):
    """Return what a value is, number by number."""
    if value is None or isinstance(value, bool | np.bool_ | str | bytes):
        value = ADDRESS.sub("", value) if isinstance(value, str) else value
        return repr(value) if len(repr(value)) < 200 else hashlib.sha256(repr(value).encode()).hexdigest()[:12]
    if isinstance(value, enum.Enum):
        return str(value.name)
    kind = type(value).__name__
    if isinstance(value, sympy.Basic | decimal.Decimal):
        return str(value)[:400]
    if isinstance(value, numbers.Rational):
        return exact(value)
    if isinstance(value, numbers.Complex):
        return f"{rounded(value.real)}{rounded(value.imag)}i" if not isinstance(value, numbers.Real) else rounded(value)
    for kinds, tell in TOLD:
        if isinstance(value, kinds):
            return tell(value, depth)
    if kind == "Enclosure":
        return f"<{rounded(value.lower)} {rounded(value.upper)} {value.exact}>"
    if kind == "End":
        return rounded(value)
    if kind == "Recipe" and value.evidence.name == "SAMPLED":
        return _list(list(itertools.islice(value.steps(1e-3, Budget(samples=DRAWN)), 2)), depth)
    if kind == "Recipe":
        value, kind = value.value, "Estimate"
    if kind == "Estimate":  # without the machine that it was made on
        work = {k: v for k, v in value.work.items() if not isinstance(v, str)}
        return f"<{rounded(value.low)} {rounded(value.high)} {value.evidence.name} {rounded(value.alpha)} {told(work)}>"
    if kind == "Tensor":
        return told(value.detach().numpy(), depth)
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and depth < 4:
        fields = [f.name for f in dataclasses.fields(value) if f.name not in ("seconds", "cpu", "cpu_points")]
        return f"{kind}({', '.join(f'{n}={told(getattr(value, n, None), depth + 1)}' for n in fields)})"
    return kind


def exact(value):
    value = Fraction(int(value.numerator), int(value.denominator))
    if max(value.numerator.bit_length(), value.denominator.bit_length()) < 200:
        return str(value)
    return hashlib.sha256(f"{value.numerator:x}/{value.denominator:x}".encode()).hexdigest()[:12]


def rounded(value):
    """Six digits; what is about zero is zero; moved off the halves, where two processors might round apart."""
    try:
        value = float(value)
    except (OverflowError, TypeError):
        return "large"
    if not math.isfinite(value):
        return str(value)
    return "0" if abs(value) < 1e-9 else f"{value * 1.00000013:.6g}"


def _array(value, depth):
    shown = [told(x, depth + 1) for x in itertools.islice(value.flat, MOST)]
    whole = ""
    if value.size > MOST and value.dtype.kind in "iufb":
        weights = np.cos(np.arange(value.size))  # so that an exchange of entries is seen too
        whole = rounded(float(np.sum(value.astype(float).ravel() * weights)) / value.size)
    return f"{value.dtype.kind}{value.shape}[{' '.join(shown)}]{whole}"


def _list(value, depth):
    if depth > 9:
        return "…"
    shown = [told(x, depth + 1) for x in itertools.islice(value, MOST)]
    return f"{len(value)}({' '.join(shown)})"


def _set(value, depth):
    return f"{len(value)}{{{' '.join(sorted(told(x, depth + 1) for x in value)[:MOST])}}}"


def _mapping(value, depth):
    pairs = [f"{told(k, depth + 1)}:{told(v, depth + 1)}" for k, v in itertools.islice(value.items(), MOST)]
    return f"{len(value)}{{{' '.join(pairs)}}}"


def _stream(value, depth):
    return f"…({' '.join(told(x, depth + 1) for x in itertools.islice(value, 16))})"


TOLD = [(np.ndarray, _array), (list | tuple, _list), (AbstractSet, _set), (Mapping, _mapping), (Iterator, _stream)]


def parts(value):
    """What an object of the library says of itself: its properties, and its methods that take no argument."""
    kind = type(value)
    if not kind.__module__.startswith(tuple(f"theorytools.{room}" for room in ROOMS)) or isinstance(value, enum.Enum):
        return
    for name in sorted({name for base in kind.__mro__ for name in vars(base) if not name.startswith("_")}):
        found = inspect.getattr_static(value, name, None)
        if isinstance(found, property | functools.cached_property):
            yield name, functools.partial(getattr, value, name)
        elif inspect.isfunction(found) and not name.startswith(LEFT_OUT) and _plain(found):
            yield name, getattr(value, name)


def _plain(function):
    """Whether a method needs no argument but its object."""
    _, *others = inspect.signature(function).parameters.values()
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in others)


# -- the values next to an argument ------------------------------------------------------------------------------------
def beside(value):
    """Return the values that are tried in the place of one."""
    if isinstance(value, bool | np.bool_):
        return [not value]
    if isinstance(value, numbers.Integral):
        return [x for x in dict.fromkeys((value - 1, value + 1, 0, 1, 2, -1, 2 * value)) if x != value]
    if isinstance(value, Fraction | float):
        kind = type(value)
        return [kind(x) for x in dict.fromkeys((0, 1, -value, value / 2, 2 * value, value + 1)) if x != value]
    if type(value).__name__ == "Enclosure":
        return [value * 0, value + 1, -value, value * 2]
    if isinstance(value, np.ndarray) and value.size and value.ndim:
        return _arrays(value)
    if isinstance(value, tuple | list) and value and fuzzing.ragged(value) is None and fuzzing.numeric(value):
        return [value[:-1], [*value, value[-1]], value[::-1], [value[0], *value[:-1]]]
    return []


def _arrays(value):
    found = [value[:-1], np.concatenate([value, value[-1:]]), value[::-1].copy(), value[..., :-1], value.ravel()]
    if value.ndim > 1:
        found.append(np.swapaxes(value, 0, 1).copy())
    if value.dtype.kind in "if":
        moved = value.copy()
        moved[(-1,) * value.ndim] += 1
        found += [-value, moved, 2 * value]
    return found


# -- the record --------------------------------------------------------------------------------------------------------
def given(make, seconds):
    """What a call gives, and what its answer says of itself; None where it takes too long."""
    try:
        value = _timed(make, seconds)
    except fuzzing.TooLong:
        return None
    except TheoryError as error:
        return f"refused: {type(error).__name__} {error.required}"
    except Exception as error:
        return f"error: {type(error).__name__}"
    return value


def _timed(make, seconds):
    fuzzing.signal.signal(fuzzing.signal.SIGPROF, fuzzing.too_long)
    fuzzing.signal.setitimer(fuzzing.signal.ITIMER_PROF, seconds)
    try:
        with np.errstate(all="ignore"):
            return told(make())
    finally:
        fuzzing.signal.setitimer(fuzzing.signal.ITIMER_PROF, 0)


def answers(key, wanted=None, seconds=SECONDS):
    """Yield (place, answer) for the call of a key: as it stands, what its answer says, and each value tried.

    Only the places in ``wanted`` are tried, where it is given.
    """
    if key.startswith("engine."):
        yield "", given(engine()[keys()[key]], max(seconds, ENGINE))
        return
    call = fuzzing.GoodCall(keys()[key], names())
    held = []

    def make(**changes):
        held[:] = [call.run(**changes)]
        return held[0]

    if wanted is None or "" in wanted:
        yield "", given(make, seconds)
    if any(wanted is None or place.startswith(".") for place in wanted or [""]):
        if not held:
            given(make, seconds)
        for name, read in parts(held[0]) if held else ():
            if wanted is None or f".{name}" in wanted:
                yield f".{name}", given(read, seconds)
    if wanted is None or "=" in wanted:  # a default is a promise: who leaves an argument out gets another answer
        yield "=", told({p.name: p.default for p in call.signature.parameters.values() if p.default is not p.empty})
    bound = call.bound()
    bound.apply_defaults()
    for p in call.signature.parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        for k, value in enumerate(beside(bound.arguments[p.name])):
            place = f"{p.name}:{k}"
            if wanted is None or place in wanted:
                yield place, given(functools.partial(make, **{p.name: value}), seconds)


def token(text):
    return hashlib.sha256(text.encode()).hexdigest()[:TOKEN]


def recorded():
    """The record: key → place → digest, unpacked."""
    packed = json.loads(RECORD.read_text(encoding="utf-8"))
    return {key: {word[: -TOKEN - 1]: word[-TOKEN:] for word in text.split()} for key, text in packed["calls"].items()}


def changes(key):
    """What a key gives that is not what was recorded: (place, answer)."""
    known = recorded()[key]
    found = dict(answers(key, known.keys(), SECONDS * PATIENCE))
    return [(place, found.get(place)) for place in known if token(str(found.get(place))) != known[place]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("key", nargs="*", help="keys of good calls, such as SignCode.rows; all unless given")
    parser.add_argument("--accept", action="store_true", help="record what is given today; else it is printed")
    parser.add_argument("--missing", action="store_true", help="only what the record has not")
    asked = parser.parse_args()
    os.chdir(good_values.home())
    known = json.loads(RECORD.read_text(encoding="utf-8"))["calls"] if RECORD.is_file() else {}
    made = {key: text for key, text in known.items() if key in keys()}
    for number, key in enumerate([k for k in asked.key or sorted(keys()) if not (asked.missing and k in known)]):
        begun, kept = time.process_time(), []
        for place, text in answers(key):
            kept += [f"{place}={token(text)}"] if text is not None else []
            if not asked.accept:
                print(key, place, text)
            if time.process_time() - begun > ALL and not key.startswith("engine."):
                break
        made[key] = " ".join(kept)
        if asked.accept and number % 50 == 0:
            write(made)
    if asked.accept:
        write(made)
        print(len(made), "callables,", sum(len(text.split()) for text in made.values()), "answers")
    return 0


def write(made):
    text = json.dumps({"schema": "theorytools.calls/1", "calls": made}, indent=0, sort_keys=True)
    RECORD.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
