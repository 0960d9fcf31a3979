"""Mistakes in construct and measure: what they take, what they return, how they are handed over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from theorytools.mistakes.formulas import code, numeric_calls
from theorytools.mistakes.seen import Seen, Told
from theorytools.mistakes.source import keyword, returned

# what each function of a claim or a control is called with
TAKES = {
    "construct": ("p",), "measure": ("object", "p"), "derive": ("object", "p"), "second": ("object", "p"),
    "draw": ("rng", "p"), "search": ("draw", "p"),
}  # fmt: skip
_MEASURES = "measure(object, p) returns {Quantity: number}"
_ARITY = re.compile(r"(?P<name>\S+)\(\) (?:takes|missing) (?P<rest>.*)", re.DOTALL)
_VALUE = re.compile(r": (?P<quantity>[^:]+): (?P<value>.*) of type (?P<type>\w+)$", re.DOTALL)
_NUMBERS = "an int, a Fraction or an Enclosure"


def rules() -> tuple[Any, ...]:
    """Return the rules for functions, in the order in which they are tried."""
    return measured_nothing, measured_value, enclosed_value, arity, handed_over, swapped, of_point


def _functions(seen: Seen) -> Iterator[tuple[str, ast.AST]]:
    """The functions of the claim and of its controls, each with the part that it is given for."""
    for part in TAKES:
        if (given := seen.field(part)) is not None:
            yield part, given
    for control in seen.source.controls(seen.name):
        yield from ((part, given) for part in TAKES if (given := keyword(control, part)) is not None)


def _measure(seen: Seen) -> ast.FunctionDef | ast.Lambda | None:
    return seen.source.function(seen.field("measure"))


def _quantity(seen: Seen) -> str:
    """The name to which the first quantity is bound."""
    for node in seen.source.tree.body:
        made = node.value if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(made, ast.Call) and getattr(made.func, "id", "") == "Quantity":
            return code(node.targets[0])
    return "quantity"


def measured_nothing(seen: Seen) -> Told | None:
    """``measure`` without a return, or with something else than quantities and their values."""
    if "measure gave " not in seen.given or (function := _measure(seen)) is None:
        return None
    values, name = returned(function), _quantity(seen)
    if not values:
        alone = next((n for n in ast.walk(function) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Dict)), None)
        write = f"return {code(alone.value)}" if alone else f"return {{{name}: …}} as its last line"
        return Told(alone or function, "the function ends without a return, which gives None", write, _MEASURES)
    value = values[-1]
    if isinstance(value, ast.Dict):
        texts = [k for k in value.keys if isinstance(k, ast.Constant) and isinstance(k.value, str)]
        if texts:
            return Told(texts[0], f"the key {code(texts[0])} is a text", f"{{{name}: …}}, the Quantity without quotes",
                        _MEASURES)  # fmt: skip
        return Told(value, f"{seen.text}: {seen.required} is asked for", f"{{{name}: …}} for each quantity asserted",
                    _MEASURES)  # fmt: skip
    inner = value.elts[-1] if isinstance(value, ast.List | ast.Tuple | ast.Set) and value.elts else value
    return Told(value, f"{seen.text}: without its quantity nobody knows what the number is",
                f"return {{{name}: {code(inner)}}}", _MEASURES)  # fmt: skip


def measured_value(seen: Seen) -> Told | None:
    """A value of a quantity that is no exact number."""
    found = _VALUE.search(seen.given)
    if found is None or seen.required != _NUMBERS:
        return None
    for function in (seen.source.function(given) for part, given in _functions(seen) if part == "measure"):
        for value in returned(function) if function else ():
            for key, one in zip(value.keys, value.values, strict=True) if isinstance(value, ast.Dict) else ():
                if _named(seen, key) == found["quantity"]:
                    why = f"{found['quantity']} is {found['value']}, of type {found['type']}"
                    return Told(one, f"{why}; {_because(found['type'])}", _remedy(found["type"], one))
    return None


def _named(seen: Seen, key: ast.expr | None) -> str:
    """The name that the quantity of a key was given."""
    bound = {code(n.targets[0]): n.value for n in seen.source.tree.body if isinstance(n, ast.Assign)}
    made = bound.get(code(key)) if key is not None else None
    return str(getattr(made.args[0], "value", "")) if isinstance(made, ast.Call) and made.args else ""


def _because(kind: str) -> str:
    floats = kind.startswith("float") or kind in ("Tensor", "ndarray", "complex")
    return "a number that was rounded on the way proves nothing" if floats else "that is no number"


def _remedy(kind: str, one: ast.expr) -> str:
    if kind == "NoneType":
        call = isinstance(one, ast.Call)
        return f"a number: {code(one.func)} returns None" if isinstance(one, ast.Call) and call else "a number"
    if kind == "str":
        return f"{getattr(one, 'value', 'the number')}, without quotes"
    if kind == "bool":
        return "int(…), and a quantity that is 0 or 1; or the number itself, and the comparison in asserts"
    if kind in ("Tensor", "ndarray"):
        return ("exact numbers, or enclosed(lambda: …) from exact inputs; where the run in floats is itself what is "
                "measured, observed(Fraction(x.item()), 'torch')" if kind == "Tensor" else
                "one number: max(…) or sum(…) of exact ones, or enclosed(lambda: …) from exact inputs")  # fmt: skip
    if kind.startswith("float"):
        return "Fraction or int throughout, or enclosed(lambda: …) from exact inputs; Enclosure(x).log() is a logarithm"
    if kind == "complex":
        return "its absolute value or its parts, in enclosed(lambda: …)"
    return "enclosed(lambda: …) with Enclosure(x).log(), .exp() and .sqrt(); a formula of sympy belongs into asserts"


def _measuring_calls(seen: Seen) -> Iterator[ast.Call]:
    """The calls within what measures, of the claim and of its controls."""
    for part, given in _functions(seen):
        function = seen.source.function(given) if part == "measure" else None
        yield from (n for n in ast.walk(function) if isinstance(n, ast.Call)) if function else ()


def enclosed_value(seen: Seen) -> Told | None:
    """``enclosed(number)``, and floats within ``enclosed(lambda: …)``."""
    if "refuses compute = " in seen.given:
        for call in _measuring_calls(seen):
            if getattr(call.func, "id", "") == "enclosed" and call.args and not isinstance(call.args[0], ast.Lambda):
                inner = code(call.args[0])
                write = f"enclosed(lambda: {inner}), or {inner} itself where it is exact"
                return Told(call, f"{inner} is computed before enclosed can raise its precision", write,
                            "a function without arguments")  # fmt: skip
    if "refuses a measured value: " in seen.given and " of type float" in seen.given:
        for call, _, name in numeric_calls(seen.source, _measuring_calls(seen)):
            inner = ", ".join(map(code, call.args))
            write = f"Enclosure({inner}).{name}(), with from theorytools import Enclosure"
            if name not in ("log", "exp", "sqrt", "floor", "ceil"):
                write = "arithmetic of Enclosure: +, *, **, .log(), .exp(), .sqrt()"
            return Told(call, f"{code(call.func)} rounds to 53 bits, and nobody knows which way", write, _NUMBERS)
        function = _measure(seen)
        if function is not None and (values := returned(function)):
            why = f"{seen.text.rpartition('measured value: ')[2].partition(', it takes')[0]} was rounded on the way"
            return Told(values[-1], why, _remedy("float", values[-1]), _NUMBERS)
    return None


def arity(seen: Seen) -> Told | None:
    """A function that cannot be called with what the engine hands it."""
    found = _ARITY.match(seen.text) if seen.kind == "TypeError" else None
    if found is None or seen.line is not None:
        return None
    for part, given in _functions(seen):
        function, takes = seen.source.function(given), TAKES[part]
        if function is None or _accepts(function.args, len(takes)):
            continue
        name = function.name if isinstance(function, ast.FunctionDef) else "the lambda"
        wanted = ", ".join(takes)
        write = f"lambda {wanted}: …" if isinstance(function, ast.Lambda) else f"def {name}({wanted}):"
        of = "the point" if len(takes) == 1 else f"{'the object' if takes[0] == 'object' else takes[0]} and the point"
        return Told(function, f"{part}= is called with {of}, and {name} takes {code(function.args) or 'nothing'}",
                    write, f"a function of ({wanted})")  # fmt: skip
    return None


def _accepts(args: ast.arguments, count: int) -> bool:
    most = len(args.posonlyargs) + len(args.args)
    silent = sum(default is None for default in args.kw_defaults)
    return silent == 0 and most - len(args.defaults) <= count and (args.vararg is not None or count <= most)


def handed_over(seen: Seen) -> Told | None:
    """``construct=construct(8)``: the function was called where it should be handed over."""
    if not seen.kind or seen.line is None:
        return None
    inner = seen.source.within(seen.line)
    for part, given in _functions(seen):
        if isinstance(given, ast.Call) and inner is not None and getattr(given.func, "id", "") == inner.name:
            return Told(given, f"{code(given)} calls the function while the file is read",
                        f"{part}={inner.name}, or {part}=lambda {', '.join(TAKES[part])}: …", "a function")  # fmt: skip
    return None


def swapped(seen: Seen) -> Told | None:
    """``measure(p, object)``, and a ``construct`` that ends without a return."""
    if not seen.kind or seen.line is None:
        return None
    inner, measure, construct = seen.source.within(seen.line), _measure(seen), seen.source.function(
        seen.field("construct"))  # fmt: skip
    if inner is None or inner is not measure:
        return None
    if "'Point' object" in seen.text and len(inner.args.args) == 2:
        first, second = (a.arg for a in inner.args.args)
        return Told(inner, f"its first argument is the object that construct made, and it is called {first} here",
                    f"def {inner.name}({second}, {first}):", "the object first, then the point")  # fmt: skip
    if "NoneType" in seen.text and construct is not None and not returned(construct):
        return Told(construct, "construct ends without a return, so that measure is given None",
                    "return what was built, as its last line", "construct(p) returns the object")  # fmt: skip
    return None


def of_point(seen: Seen) -> Told | None:
    """``p["N"]`` and a letter that the point does not have."""
    if seen.line is None:
        return None
    if "'Point' object is not subscriptable" in seen.text:
        for node in seen.source.at(seen.line, ast.Subscript):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                name = getattr(node.slice, "value", None) or code(node.slice)
                return Told(node, "the letters of a point are its attributes", f"{node.value.id}.{name}")
    found = re.match(r"the point has no letter '(\w+)'; it has (.*)", seen.text)
    if found:
        return Told(seen.line, f"the grid has no {found[1]}; the point has {found[2]}",
                    f"one of {found[2]}, or {found[1]}=[…] in grid(…)", "a letter of the grid")  # fmt: skip
    return None
