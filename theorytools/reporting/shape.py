"""Whether data has the shape that a JSON schema asks for: the part of JSON Schema that the schemas here use.

A schema is read once into functions; a word of it that is not known here is an error of the schema, not of the data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Test = Callable[[Any], str]  # what is wrong, or nothing
Schema = Mapping[str, Any]

KINDS: dict[str, Callable[[Any], bool]] = {
    "object": lambda x: isinstance(x, dict), "array": lambda x: isinstance(x, list),
    "string": lambda x: isinstance(x, str), "boolean": lambda x: isinstance(x, bool), "null": lambda x: x is None,
    "number": lambda x: isinstance(x, int | float) and not isinstance(x, bool),
    "integer": lambda x: isinstance(x, int) and not isinstance(x, bool),
}  # fmt: skip
SAID = {"$schema", "$id", "$defs", "title", "description"}  # what asks for nothing


def shape(schema: Schema) -> Test:
    """Return what tells of data where it has another shape than a schema: ``"rows/0/truth: ..."``, or nothing.

    Parameters
    ----------
    schema : of JSON Schema, with references to its own ``$defs``.

    Raises
    ------
    ValueError : the schema has a word that is not known here.
    """
    return _Reader(schema.get("$defs", {})).test(schema)


class _Reader:
    def __init__(self, defs: Mapping[str, Schema]) -> None:
        self.defs, self.known = defs, dict[str, Test]()

    def test(self, schema: Schema | bool) -> Test:
        if isinstance(schema, bool):
            return lambda x: "" if schema else ": not foreseen"
        words = {word: value for word, value in schema.items() if word not in SAID}
        tests = [
            t for part in (_plain(words), self._parts(words), self._object(words), self._array(words)) for t in part
        ]
        if words:
            raise ValueError(f"a schema with {', '.join(map(repr, words))}")
        if len(tests) == 1:
            return tests[0]

        def every(x: Any) -> str:
            for test in tests:
                if said := test(x):
                    return said
            return ""

        return every

    def _parts(self, words: dict[str, Any]) -> list[Test]:
        found: list[Test] = []
        if (name := words.pop("$ref", None)) is not None:
            found.append(self._named(name.removeprefix("#/$defs/")))
        if (choices := words.pop("oneOf", None)) is not None:
            found.append(_one_of([self.test(choice) for choice in choices]))
        return found

    def _named(self, name: str) -> Test:
        if name not in self.known:
            self.known[name] = lambda x: self.known[name](x)  # of a definition that names itself
            self.known[name] = self.test(self.defs[name])
        return self.known[name]

    def _object(self, words: dict[str, Any]) -> list[Test]:
        required, own = words.pop("required", ()), words.pop("properties", {})
        names, other = words.pop("propertyNames", True), words.pop("additionalProperties", True)
        least = words.pop("minProperties", 0)
        if not (required or own or least) and names is True and other is True:
            return []
        tests = {name: self.test(part) for name, part in own.items()}
        named, rest = self.test(names), self.test(other)

        def test(x: Any) -> str:
            if not isinstance(x, dict):
                return ""
            if len(x) < least:
                return ": empty"
            for name in required:
                if name not in x:
                    return f": no {name}"
            for name, value in x.items():
                known = tests.get(name)
                if said := known(value) if known is not None else named(name) or rest(value):
                    return f"/{name}{said}"
            return ""

        return [test]

    def _array(self, words: dict[str, Any]) -> list[Test]:
        least, most = words.pop("minItems", 0), words.pop("maxItems", None)
        first, other = [self.test(part) for part in words.pop("prefixItems", ())], words.pop("items", None)
        if not (least or first or most is not None or other is not None):
            return []
        rest = self.test(True if other is None else other)

        def test(x: Any) -> str:
            if not isinstance(x, list):
                return ""
            if len(x) < least or (most is not None and len(x) > most):
                return f": {len(x)} items"
            for k, value in enumerate(x):
                if said := (first[k] if k < len(first) else rest)(value):
                    return f"/{k}{said}"
            return ""

        return [test]


def _one_of(tests: list[Test]) -> Test:
    def test(x: Any) -> str:
        said = [test(x) for test in tests]
        return "" if said.count("") == 1 else min(said, key=len, default="") or ": of two kinds at once"

    return test


def _plain(words: dict[str, Any]) -> list[Test]:
    """The tests of one value: its kind, its values, its length and size."""
    found: list[Test] = []
    if (kind := words.pop("type", None)) is not None:
        names = [kind] if isinstance(kind, str) else list(kind)
        kinds = [KINDS[name] for name in names]
        found.append(lambda x: "" if any(is_kind(x) for is_kind in kinds) else f": no {' or '.join(names)}")
    if "const" in words:
        only = words.pop("const")
        found.append(lambda x: "" if _same(x, only) else f": not {only!r}")
    if (values := words.pop("enum", None)) is not None:
        found.append(lambda x: "" if any(_same(x, v) for v in values) else f": not one of {values}")
    if (pattern := words.pop("pattern", None)) is not None:
        is_like = re.compile(pattern).search
        found.append(lambda x: "" if not isinstance(x, str) or is_like(x) else f": not like {pattern}")
    if length := words.pop("minLength", 0):
        found.append(lambda x: "" if not isinstance(x, str) or len(x) >= length else ": empty")
    low, high = words.pop("minimum", None), words.pop("maximum", None)
    if low is not None or high is not None:
        is_number = KINDS["number"]
        found.append(lambda x: "" if not is_number(x) or ((low is None or x >= low) and (high is None or x <= high))
                     else f": not from {low} to {high}")  # fmt: skip
    return found


def _same(x: Any, y: Any) -> bool:
    """Whether two values are one in JSON, where 2 is 2.0, and true is not 1."""
    return isinstance(x, bool) == isinstance(y, bool) and x == y
