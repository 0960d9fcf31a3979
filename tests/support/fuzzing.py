"""Wrong arguments for every public callable, and what may come back: this project's error, or a sound result.

``python tests/support/fuzzing.py`` tries every wrong value in every place and prints what fails; a room restricts it;
``--sample K`` keeps K wrong values for each argument, chosen by a keyed hash.  Good calls stand in ``good_calls/``.
"""

import argparse
import ast
import contextlib
import enum
import functools
import hashlib
import importlib
import inspect
import json
import math
import numbers
import os
import pkgutil
import re
import resource
import signal
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import good_values
import numpy as np
import source_tree
from devices import CHECKS, device

from theorytools.errors import TheoryError

ROOMS = [
    "claims", "codes", "constructions", "measures", "numbers", "papers", "questions", "reporting", "statistics",
    "tasks", "theory", "trained", "training",
]  # fmt: skip
FRONTS = [importlib.import_module(name) for name in source_tree.FRONTS]
TABLES = Path(__file__).with_name("good_calls")  # a file of lines ``key := expression`` for each room
MEMORY = 12 * 2**30  # of addresses; the libraries alone take about five
SECONDS = 0.5  # of processor time for one call


class TooLong(BaseException):
    """A call that would not end; no handler of the library catches it."""


# -- what is public ------------------------------------------------------------------------------------------------
@functools.cache
def definitions(beside=True):
    """Functions and classes of the library, by ``Name`` and by ``module.Name``; and those beside the statements."""
    found, taken, modules = {}, set(), []
    for room in ROOMS:
        package = importlib.import_module(f"theorytools.{room}")
        inner = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        modules += [importlib.import_module(each.name) for each in inner]
    besides = sorted(path for path in CHECKS.glob("*/*/_*.py") if path.parent.name != "sweeps") if beside else []
    modules += [device(path.relative_to(CHECKS).with_suffix("").as_posix()) for path in besides]
    for module in modules:
        for name, value in vars(module).items():
            if name[0] != "_" and callable(value) and getattr(value, "__module__", "") == module.__name__:
                found[f"{module.__name__.rpartition('.')[2]}.{name}"] = value
                taken |= {name} & found.keys()
                found[name] = value
    public = {name: getattr(front, name) for front in FRONTS for name in front.__all__}
    return {name: value for name, value in found.items() if name not in taken} | public


def listed(beside=True):
    """The public list, and whatever else has a good call: the objects by their key."""
    everything = definitions(beside)
    public_names = {name for front in FRONTS for name in front.__all__}
    keys = {line if line in everything else line.rpartition(".")[0] for line in table()}
    return {key: value for key, value in everything.items() if key in keys or key in public_names}


def public(beside=True):
    """Every public callable that takes arguments, by its key ``Name`` or ``Name.method``."""
    found, seen = {}, set()
    for key, value in listed(beside).items():
        if not callable(value) or id(value) in seen or getattr(value, "_is_protocol", False):
            continue
        seen.add(id(value))
        if inspect.isclass(value) and issubclass(value, Exception | enum.Enum):
            continue
        if takes_arguments(value):
            found[key] = value
        if inspect.isclass(value):
            found |= {f"{key}.{k}": f for k, f in methods(value) if takes_arguments(f)}
    return found


def methods(owner):
    """The methods that a class defines itself, unbound ones bound to nothing."""
    for name, value in vars(owner).items():
        field = getattr(owner, "__dataclass_fields__", {}).get(name)
        if (name.startswith("_") and name != "__call__") or (field is not None and field.default is value):
            continue
        if isinstance(value, classmethod | staticmethod):
            yield name, getattr(owner, name)
        elif inspect.isfunction(value):
            yield name, value.__get__(object())


def takes_arguments(value):
    return bool(inspect.signature(value).parameters)


# -- good calls ----------------------------------------------------------------------------------------------------
def namespace(beside=True):
    """What the expressions of the table may name: definitions, and ``module.name`` where two modules share a name."""
    import sympy
    import torch

    importlib.import_module("scipy.stats")  # loads late, and no call's time is meant for that
    everything = definitions(beside)
    names = {key: value for key, value in everything.items() if "." not in key}
    first = {key.partition(".")[0] for key in table() if key in everything and "." in key}  # the module is meant
    for key, value in everything.items():
        module, _, name = key.rpartition(".")
        if module and (module in first or isinstance(names.get(module, SimpleNamespace()), SimpleNamespace)):
            if not isinstance(names.get(module), SimpleNamespace):
                names[module] = SimpleNamespace()
            setattr(names[module], name, value)
    names |= {"torch": torch, "np": np, "Fraction": Fraction}
    names |= {"S": sympy.sympify, "Symbol": sympy.Symbol, "point": SimpleNamespace}
    names |= {k: v for k, v in vars(good_values).items() if getattr(v, "__module__", "") == "good_values"}
    names |= {"Path": Path, "float": float, "slice": slice, "range": range}
    return names


def table():
    """The good calls: key and expression, one a line."""
    lines = (line for path in sorted(TABLES.glob("*.txt")) for line in path.read_text("utf-8").splitlines() if line)
    return dict(line.split(" := ", 1) for line in lines)


class GoodCall:
    """One good call: its callable, made once, and its arguments, made again where they carry randomness."""

    def __init__(self, expression, names):
        node = ast.parse(expression, mode="eval").body
        self.names = names
        self.function = evaluated(node.func, names)
        self.args = [compiled(arg, names) for arg in node.args]
        self.kwargs = {word.arg: compiled(word.value, names) for word in node.keywords}
        self.signature = inspect.signature(self.function)

    def bound(self):
        kwargs = {name: make() for name, make in self.kwargs.items()}
        return self.signature.bind(*(make() for make in self.args), **kwargs)

    def run(self, **changes):
        bound = self.bound()
        bound.arguments |= changes
        # every argument in the signature's order: a changed one may stand before those that were given
        ordered = {k: bound.arguments[k] for k in self.signature.parameters if k in bound.arguments}
        named = {k: v for k, v in ordered.items() if self.signature.parameters[k].kind is not inspect._POSITIONAL_ONLY}
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in self.signature.parameters.values()):
            return self.function(*bound.args, **bound.kwargs)
        first = [v for k, v in ordered.items() if k not in named]
        return self.function(*first, **named)


def evaluated(node, names):
    return eval(compile(ast.Expression(node), "good_calls", "eval"), names)


def compiled(node, names):
    code = compile(ast.Expression(node), "good_calls", "eval")
    if "rng" in code.co_names or "seed" in code.co_names:
        return lambda: eval(code, names)
    value = eval(code, names)
    return lambda: value


# -- wrong values --------------------------------------------------------------------------------------------------
NAN, INF = float("nan"), float("inf")
STRINGS = np.array([["a", "b"]])
# annotations that mean integers
WHOLE = re.compile(r"\b(int|PositiveInt|NonNegativeInt|Precision|SizeFormula|CountFormula|Size|Count|Steps|Entries)\b")
# sizes and counts: a negative one never makes sense
SIZES = frozenset("N n d q H T K D m d_e d_h D_e size count letters heads width workers samples draws bits".split())  # noqa: SIM905


def wrong(p, value):
    """Wrong values for one parameter whose good value is ``value``: pairs (value, whether it must be refused)."""
    text = str(p.annotation)
    limit = "Limit" not in text and "Extended" not in text  # an end point may be infinite
    optional = p.default is None or value is None or "None" in text or text.strip("'") == "Any"
    none = [] if optional else [(None, True)]
    if text.strip("'") == "Hashable":
        return [(["a"], True), ({"a": 1}, True)]
    if isinstance(value, str) and re.search(r"\bReal\b", text):
        value = Fraction(value)  # digits that mean a number
    if isinstance(value, bool | np.bool_):
        return [*none, ("yes", True), (NAN, True), (2, True)]
    if isinstance(value, str):
        return [*none, (3, True), (NAN, True), (["a"], True), ("no such word", False)]
    if isinstance(value, numbers.Integral) and WHOLE.search(text) and "Fraction" not in text and "float" not in text:
        exact = [(Same(np.int64(value)), False)] if abs(value) < 2**63 else []
        least = [(-1, p.name in SIZES), (0, False), (10**12, False)]
        return [*none, (NAN, True), (INF, True), (-INF, True), ("3", True), (True, True), (2.5, True), *exact, *least,
                (np.float64(2.5), True)]  # fmt: skip
    if isinstance(value, numbers.Number) or type(value).__name__ in ("Enclosure", "End") or hasattr(value, "is_finite"):
        return [*none, (NAN, True), (INF, limit), (-INF, limit), ("three", True), (True, True), (np.float64(NAN), True),
                (-1, False), (0, False), (10**12, False)]  # fmt: skip
    if isinstance(value, np.ndarray) or (isinstance(value, tuple | list) and numeric(value)):
        return [*none, *wrong_arrays(value)]
    if isinstance(value, np.random.Generator | np.random.SeedSequence):
        return [*none, (3, True), ("seed", True)]
    if value is None:
        return [("no such word", False), (NAN, False)]
    return [*none, (NAN, True), ("x", True), (object(), True)]


def wrong_arrays(value):
    spoiled = np.array(value, dtype=object)
    if not spoiled.size:
        return [("abc", True), (STRINGS, True)]
    spoiled[(0,) * spoiled.ndim] = NAN
    return [("abc", True), (NAN, True), (spoiled, True), (spoiled.tolist(), True), (STRINGS, True),
            (np.zeros((0,)), False), (np.zeros((2, 1, 1, 1, 3)), False), ([], False), ([[1, 2], [3]], True),
            ({"a": 1}, True)]  # fmt: skip


def numeric(value):
    array = np.array(value, dtype=object) if ragged(value) is None else None
    return array is not None and array.size > 0 and all(isinstance(x, numbers.Number) for x in array.flat)


def ragged(value):
    try:
        np.array(value)
    except ValueError as error:
        return error
    return None


class Same:
    """A value that must give what the good call gives."""

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return repr(self.value)


# -- what comes back -----------------------------------------------------------------------------------------------
def fault(call, name, value, must_refuse):
    """What is wrong with the answer to one wrong value; None when nothing is."""
    same = isinstance(value, Same)
    try:
        result = remembered(call, {name: value.value if same else value})
    except TheoryError as error:
        if same:
            return "refused"
        return None if error.given and error.required else "an error with a part missing"
    except TooLong:
        return "did not end"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:80]}".replace("\n", " ")
    if must_refuse and not says_nothing(result):
        return f"accepted: {shown(result)}"
    if same and not alike(result, timed(call, {})):
        return f"differs: {shown(result)}"
    return "NaN in the result" if has_nan(result) else None


def says_nothing(result):
    """The whole line encloses every undefined number, and None is an open comparison: neither is a number."""
    if type(result).__name__ == "Enclosure":
        return not result.lower.finite and not result.upper.finite
    return result is None


def timed(call, changes, seconds=SECONDS):
    signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with np.errstate(all="ignore"):
            return call.run(**changes)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def remembered(call, changes, more=9):
    """Time the call; one that ends too late is made again, as files that it reads are read once in a process.

    Every check may have to be read, on a machine that does other work: with all of them read the call ends in time.
    """
    for _ in range(more):
        with contextlib.suppress(TooLong):
            return timed(call, changes)
    return timed(call, changes)


def too_long(*_):
    raise TooLong


def shown(value):
    try:
        return " ".join(repr(value).split())[:60]
    except Exception as error:
        return f"unprintable ({error})"


def alike(a, b):
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b)
    return type(a) is type(b) and (shown(a) == shown(b) or " at 0x" in shown(a))


def has_nan(value, depth=0):
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f" and bool(np.isnan(value).any())
    if isinstance(value, dict):
        return any(has_nan(v, depth + 1) for v in value.values())
    return isinstance(value, tuple | list) and depth < 3 and any(has_nan(v, depth + 1) for v in value)


# -- the whole -----------------------------------------------------------------------------------------------------
def chosen(values, key, sample):
    """All wrong values, or ``sample`` of them by a keyed hash, so that every run tries the same ones."""
    if sample is None or len(values) <= sample:
        return values
    rank = [hashlib.sha256(f"{key} {k}".encode()).digest() for k in range(len(values))]
    return [values[k] for k in sorted(sorted(range(len(values)), key=rank.__getitem__)[:sample])]


def faults_of(key, expression, names, sample):
    """All faults of one callable: (argument, value, fault)."""
    try:
        call = GoodCall(expression, names)
        timed(call, {}, 20 * SECONDS)  # the first call of some imports its libraries
    except (Exception, TooLong) as error:
        yield "", "the good call", f"{type(error).__name__}: {str(error)[:200]}".replace("\n", " ")
        return
    given = call.bound()
    given.apply_defaults()
    for p in call.signature.parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        for value, must_refuse in chosen(wrong(p, given.arguments[p.name]), f"{key} {p.name}", sample):
            CALLS[0] += 1
            must_refuse = must_refuse and (key, p.name, value) not in MEANT and (key, p.name) not in ANYTHING
            if TRACE[0]:
                print(key, p.name, shown(value), file=sys.stderr, flush=True)
            answer = fault(call, p.name, value, must_refuse)
            if answer is not None:
                yield p.name, shown(value), answer


def belongs(key, value, room):
    """Whether a callable is the one of that key, or lies in that room."""
    return key == room or key.startswith(f"{room}.") or f"{value.__module__}.".startswith(f"theorytools.{room}.")


MEANT = [
    ("Control", "breaks", "x"),
    ("write_report", "folder", "x"),
    ("Store", "path", "x"),
    ("Store.rows", "status", ["a"]),
    ("trial.canonical", "value", "x"),
]  # they name something
ANYTHING = [("Anchor", "thing")]  # the object of a claim, whatever it is
CALLS, TRACE = [0], [False]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("room", nargs="*", help="rooms or keys, such as codes or SignCode.rows; all by default")
    parser.add_argument("--sample", type=int, help="wrong values for each argument")
    parser.add_argument("--json", action="store_true", help="the faults as JSON")
    parser.add_argument("--trace", action="store_true", help="name each call before it is made")
    given = parser.parse_args()
    TRACE[0] = given.trace
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    names, calls, known = namespace(), table(), public()
    os.chdir(good_values.home())  # where a word is taken for a folder
    wanted = [k for k in known if not given.room or any(belongs(k, known[k], r) for r in given.room)]
    faults = []
    for key in wanted:
        if key not in calls:
            faults.append((key, "", "", "no good call in good_calls/"))
            continue
        faults += [(key, *each) for each in faults_of(key, calls[key], names, given.sample)]
    faults += [(key, "", "", "not a public callable") for key in calls if key not in known]
    if given.json:
        print("\n" + json.dumps({"calls": CALLS[0], "callables": len(wanted), "faults": faults}))
    else:
        for each in faults:
            print("  ".join(each))
        print(f"{len(wanted)} callables, {CALLS[0]} calls, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
