"""Mistakes in the fields of a claim: keywords, controls, source, scope, grid, hypotheses, imports, where it stands."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

from theorytools.claims.papers.syntax import called
from theorytools.errors import nearest
from theorytools.meaning import MARKS, SEEN
from theorytools.mistakes.formulas import code, home_of, letter_line, notation, public
from theorytools.mistakes.seen import Seen, Told
from theorytools.mistakes.source import keyword

# how each call is written
CALLS = {
    "Claim": 'Claim("Lemma 1", asserts=[…], grid=grid(N=[…]), construct=…, measure=…, role=…, scope=…, source=…, '
             "controls=[…])",
    "Control": 'Control("what is spoiled", breaks=quantity, construct=…)',
    "Quantity": 'Quantity("name", r"TeX", "what it is", (0, None)), the last part what holds without any theorem',
    "letter": 'letter("N", "what it stands for", integer=True, positive=True)',
    "grid": "grid(N=[2, 4, 8], d=[1])",
}  # fmt: skip
_UNEXPECTED = re.compile(r"(?P<call>\w+)(?:\.__init__)?\(\) got an unexpected keyword argument '(?P<word>\w+)'")
_MISSING = re.compile(r"(?P<call>\w+)(?:\.__init__)?\(\) (?:missing \d+ required|takes \d+ positional)")
_MEANS = {"display": "the formula itself", "prose": "only the words around it", "none": "neither"}
_FIRST = re.compile(
    r"(\w+)(?: = |= )|the hypothesis|the letter (\w+)|the scope|scope of|control |two controls|only repairs"
)


def rules() -> tuple[Any, ...]:
    """Return the rules for fields, in the order in which they are tried."""
    return (keywords, missing, order, source, silent, unbound, no_statement, hypothesis, controls, letters, grids,
            text_keys, imports, parts_of_quantity, word, assumptions)  # fmt: skip


def _calls(seen: Seen, name: str) -> list[ast.Call]:
    """The calls of a name at the line of the error, else all of the file."""
    every = [n for n in seen.source.nodes if isinstance(n, ast.Call) and called(n) == name]
    here = [n for n in every if seen.line and n.lineno <= seen.line <= (n.end_lineno or 0)]
    return here or every


def keywords(seen: Seen) -> Told | None:
    """A keyword that is misspelt."""
    found = _UNEXPECTED.match(seen.text) if seen.kind == "TypeError" else None
    if found is None or found["call"] not in CALLS:
        return None
    word, known = found["word"], _fields(found["call"])
    for call in _calls(seen, found["call"]):
        for given in call.keywords:
            if given.arg == word:
                near = nearest(word, known)
                write = f"{near[0]}=" if near else CALLS[found["call"]]
                return Told(given.value, f"{found['call']} has no {word}=", write, f"one of {', '.join(known)}")
    return None


def _fields(call: str) -> list[str]:
    """The parts that a call takes by their names."""
    from theorytools.claims.language.claim import Claim
    from theorytools.claims.language.control import Control
    from theorytools.claims.language.quantity import Quantity
    from theorytools.claims.language.symbol import letter

    kinds: dict[str, Any] = {"Claim": Claim, "Control": Control, "Quantity": Quantity, "letter": letter}
    return [*inspect.signature(kinds[call]).parameters] if call in kinds else []


def missing(seen: Seen) -> Told | None:
    """A part that is left out, or stands where none is taken."""
    found = _MISSING.match(seen.text) if seen.kind == "TypeError" else None
    if found is None or found["call"] not in CALLS or not (calls := _calls(seen, found["call"])):
        return None
    write, given = CALLS[found["call"]], calls[0].args[0] if calls[0].args else None
    if found["call"] == "grid" and isinstance(given, ast.Dict):
        write = _grid(given)
    return Told(calls[0], seen.text.replace(".__init__()", ""), write)


def _grid(given: ast.Dict) -> str:
    """A dictionary of axes as a call of grid."""
    pairs = [(key, value) for key, value in zip(given.keys, given.values, strict=True) if key is not None]
    axes = [f"{getattr(key, 'value', None) or code(key)}={code(value)}" for key, value in pairs]
    return f"grid({', '.join(axes)})"


def order(seen: Seen) -> Told | None:
    """Something else than the label in the first place."""
    if "an empty label" not in seen.given or (call := seen.source.claim(seen.name)) is None:
        return None
    at = (keyword(call, "label") or (call.args[0] if call.args else None)) or call
    return Told(at, "the first part of a claim is its label, a text", CALLS["Claim"], seen.required)


def source(seen: Seen) -> Told | None:
    """A ``source=`` that cannot be read: three parts, the mark, the place, and what of the print was seen."""
    given = seen.field("source")
    text = getattr(given, "value", None)
    if not seen.text.startswith("source = ") or given is None or not isinstance(text, str):
        return None
    mark, colon, rest = text.partition(":")
    place, *words = (part.strip() for part in (rest if colon else text).split(";"))
    known = mark.strip() if colon and mark.strip() in MARKS else ""
    kept = [word for word in words if word in SEEN]
    place = ", ".join([place, *(word for word in words[:-1] if word not in SEEN)]) if len(words) > 1 else place
    if not colon and text.strip() in MARKS:
        known, place = text.strip(), "Lemma 1"
    last = kept[-1] if kept else "display"
    why = (f"the text begins with no word of {', '.join(MARKS)}" if not known
           else "it says no place" if not colon
           else "there are two semicolons" if len(words) > 1
           else "no semicolon: what of the print was read is not said" if not words
           else f"'{words[-1]}' does not say what of the print was read")  # fmt: skip
    means = ", ".join(f"{word} ({what})" for word, what in _MEANS.items())
    write = f'source="published: {place}; {last}"' if known != "derived here" else f'source="derived here: {place}"'
    also = f', or "derived here: {place}" for a statement of your own' if known != "derived here" else ""
    return Told(given, why, write + also,
                f'"published: PLACE; WORD" or "derived here: FROM WHAT"; WORD says what of the printed formula '
                f"was read: {means}")  # fmt: skip


def silent(seen: Seen) -> Told | None:
    """A claim without role, scope or source."""
    found = re.search(r" states no (\w+)$", seen.given)
    call = seen.source.claim(seen.name)
    if found is None or call is None:
        return None
    axes = _axes(seen) or ["N"]
    write = {"role": 'role="statement"', "scope": f'scope={{"every {", ".join(axes)}": "points"}}',
             "source": 'source="derived here: Lemma 1", or "published: Lemma 1, section 2; display"'}  # fmt: skip
    lacking = [part for part in ("role", "scope", "source") if keyword(call, part) is None and part != found[1]]
    also = f"; {' and '.join(f'{part}=' for part in lacking)} too" if lacking and called(call) == "Claim" else ""
    return Told(call, f"the claim {seen.name} states no {found[1]}=: {seen.why}", write[found[1]] + also)


def _axes(seen: Seen) -> list[str]:
    """The letters of the grid as it is written."""
    given = seen.field("grid")
    return [k.arg for k in given.keywords if k.arg] if isinstance(given, ast.Call) else []


def unbound(seen: Seen) -> Told | None:
    """A claim that cannot be listed."""
    found = re.search(r"a claim that is not a top-level name = Claim\(…\) \(line (\d+)\)", seen.given)
    if found is None:
        return None
    line = int(found[1])
    top = next((n for n in seen.source.tree.body if n.lineno <= line <= (n.end_lineno or 0)), None)
    name = "claim = Claim(…)"
    if isinstance(top, ast.Expr):
        why, write = "it is bound to no name, so that nothing can be asked of it", name
    elif isinstance(top, ast.FunctionDef | ast.For | ast.While | ast.If | ast.With | ast.Try | ast.ClassDef):
        why = "claims are listed without running the file, and this one is made by code"
        write = f"{name} at the left margin; the variants by other = replace(claim, label=…, …), one name each"
    else:
        why, write = "it stands inside another expression", f"{name}, other = Claim(…): one name each, in no list"
    return Told(line, why, write, "a claim at the top of the file, bound to a name of its own")


def no_statement(seen: Seen) -> Told | None:
    """Something else than a statement about a quantity among ``asserts``."""
    given = seen.field("asserts")
    if not seen.text.startswith("asserts = ") or given is None:
        return None
    required = "statements about what is measured, such as total <= 1 + log(N)"
    measured = {code(n.targets[0]) for n in seen.source.tree.body if isinstance(n, ast.Assign)
                and isinstance(n.value, ast.Call) and called(n.value) == "Quantity"}  # fmt: skip
    for one in given.elts if isinstance(given, ast.List | ast.Tuple) else [given]:
        names = {n.id for n in ast.walk(one) if isinstance(n, ast.Name)}
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            return Told(one, "a text is no statement", f"{one.value}, without quotes", required)
        if isinstance(one, ast.Compare) and isinstance(one.ops[0], ast.Eq | ast.NotEq) and names & measured:
            sign, way = ("==", "equals") if isinstance(one.ops[0], ast.Eq) else ("!=", "differs")
            write = f"{code(one.left)}.{way}({code(one.comparators[0])})"
            return Told(one, f"{sign} is Python's own comparison, which is decided at once", write, required)
        if isinstance(one, ast.Compare) and not names & measured:
            left = f"a condition on letters alone belongs into requires=[{code(one)}]"
            return Told(one, "it is about letters, and nothing of it is measured", left, required)
        if isinstance(one, ast.Lambda):
            return Told(one, "a function is no statement", "the relation itself: quantity <= bound", required)
        if isinstance(one, ast.Name) and one.id in measured:
            return Told(one, f"{one.id} alone says nothing", f"{one.id} <= …, >= …, < …, or .equals(…)", required)
    return None


def hypothesis(seen: Seen) -> Told | None:
    """Hypotheses that Python has decided, or that are no relations of letters."""
    given = seen.field("requires")
    if given is None or not seen.text.startswith(("the hypothesis ", "requires = ")):
        return None
    required = "a list of relations between letters"
    if not isinstance(given, ast.List | ast.Tuple):
        return Told(given, "it is one relation and no list", f"requires=[{code(given)}]", required)
    for one in given.elts:
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            return Told(one, "a text is no relation", f"{one.value}, without quotes", required)
        if isinstance(one, ast.Lambda):
            return Told(one, "a function is no relation",
                        f'such_that={{"in words": {code(one)}}} for what no formula says', required)  # fmt: skip
        if "Assertion" in seen.given and isinstance(one, ast.Compare):
            return Told(one, "it is about what is measured, and a hypothesis is about letters",
                        f"asserts=[implies({code(one)}, …)]", required)  # fmt: skip
        if isinstance(one, ast.Compare) and isinstance(one.ops[0], ast.Eq | ast.NotEq):
            word = "Eq" if isinstance(one.ops[0], ast.Eq) else "Ne"
            write = f"{word}({code(one.left)}, {code(one.comparators[0])}), with from sympy import {word}"
            return Told(one, "Python compares the two formulas itself and says False", write, required)
    decided = next((one for one in given.elts if isinstance(one, ast.Constant | ast.Compare)), given)
    if not seen.text.startswith(("the hypothesis True", "the hypothesis False")):
        return None
    write = "leave it out, or write a relation of letters"
    return Told(decided, "Python has decided it before any letter has a value", write, required)


def controls(seen: Seen) -> Told | None:
    """Controls that break nothing, spoil nothing, or stand in no list."""
    made, given = seen.source.controls(seen.name), seen.field("controls")
    if "only repairs among the controls" in seen.given and made:
        name = next((code(n.targets[0]) for n in seen.source.tree.body if isinstance(n, ast.Assign)
                     and isinstance(n.value, ast.Call) and called(n.value) == "Quantity"), "quantity")  # fmt: skip
        return Told(made[0], "no control says which quantity must break", f"breaks={name}",
                    "a control that must fail: without breaks= it is a repair, which must hold")  # fmt: skip
    if found := re.search(r"control '(.*)' spoils nothing", seen.given):
        at = next((c for c in made if c.args and getattr(c.args[0], "value", "") == found[1]), made[0] if made else 1)
        write = "construct=lambda p: …, with one ingredient spoiled"
        return Told(at, "it is the claim as it stands, which holds", write, f"what is spoiled: {seen.required}")
    if seen.text.startswith("controls = ") and given is not None and isinstance(given, ast.Call):
        return Told(given, "it is one control and no list", f"controls=[{code(given)}]", "a list")
    return None


def letters(seen: Seen) -> Told | None:
    """A letter of a formula that no point fixes."""
    found = re.match(r"the letter (\w+) has no value", seen.text)
    axes, given = _axes(seen), seen.field("grid")
    if found is None or given is None:
        return None
    name, alike = found[1], nearest(found[1], _axes(seen), cutoff=0.9)
    bound = next((n for n in seen.source.nodes if isinstance(n, ast.Call) and called(n) in ("letter", "Symbol")
                  and n.args and getattr(n.args[0], "value", "") == name), None)  # fmt: skip
    if bound is not None and alike and alike[0] != name:
        return Told(bound, f"the letter is named {name} here, and the grid has {alike[0]}", f'letter("{alike[0]}", …)')
    every = ", ".join(f"{axis}=…" for axis in axes)
    return Told(given, f"a formula of the claim has the letter {name}, and the grid fixes {', '.join(axes) or 'none'}",
                f"grid({every}{', ' if every else ''}{name}=[2, 4]), or lets={{{name}: formula}}")  # fmt: skip


def grids(seen: Seen) -> Told | None:
    """A grid that is a dictionary."""
    given = seen.field("grid")
    if seen.text.startswith("grid = ") and isinstance(given, ast.Dict):
        return Told(given, "a dictionary is no grid", f"grid={_grid(given)}")
    return None


def text_keys(seen: Seen) -> Told | None:
    """``lets={"beta": …}`` with a text for the letter."""
    given = seen.field("lets")
    if "'str' object has no attribute 'name'" in seen.text and isinstance(given, ast.Dict):
        for key in given.keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                return Told(key, "a text is no letter", f"lets={{{key.value}: …}}, with {letter_line(key.value)}",
                            "letters and what they stand for")  # fmt: skip
    return None


def imports(seen: Seen) -> Told | None:
    """Names that another module does not have, and the notation of the paper imported without its dot."""
    found = re.match(r"cannot import name '(\w+)' from '([\w.]+)'", seen.text)
    line = seen.line
    if seen.kind == "ModuleNotFoundError" and line and (module := re.match(r"No module named '([\w.]+)'", seen.text)):
        name = module[1].split(".")[-1]
        if module[1] in ("notation", "checks") or (seen.source.path.parent / f"{module[1]}.py").is_file():
            return Told(line, f"{name}.py lies beside the check, and is imported with a dot",
                        f"from .{name} import …", "an import that is found")  # fmt: skip
        if name == "notation" and module[1].startswith("_theory"):
            return Told(line, f"there is no notation.py in {seen.source.path.parent.name}/",
                        'from theorytools import letter and N = letter("N", "a size", integer=True, positive=True) '
                        "in that file; theorytools new writes one", "the letters of the paper")  # fmt: skip
        return Told(line, f"the package {module[1]} is not installed", f"pip install {module[1]}, or another way to it",
                    "a package that is installed")  # fmt: skip
    if found is None or line is None:
        return None
    name, module_name = found[1], found[2]
    if module_name.endswith(".notation"):
        near = nearest(name, notation(seen.source.path), cutoff=0.8)
        write = (
            f"did you mean {near[0]}?" if near else f'{name} = letter("{name}", "what it stands for") in notation.py'
        )
        return Told(line, f"notation.py has no {name}", write, "letters of notation.py")
    if name == "exact":
        write = "{quantity: Fraction(1, 3)}; enclosed(lambda: …) for what has no exact value"
        return Told(line, "theorytools has no exact: an int or a Fraction is exact as it is", write, "a public name")
    if module_name == "theorytools":
        home, near = home_of(name), nearest(name, public())
        write = home or (f"did you mean {near[0]}?" if near else "theorytools list, or docs/what_can_be_said.md")
        return Told(line, f"theorytools has no {name}", write, "a public name of theorytools")
    return None


def parts_of_quantity(seen: Seen) -> Told | None:
    """The parts of a quantity in another order."""
    if seen.line is None or not seen.why.startswith("Quantity: "):
        return None
    what = seen.given.partition(f"{seen.source.line(seen.line)}: ")[2]
    return Told(seen.line, what or seen.given, CALLS["Quantity"], seen.required)


def word(seen: Seen) -> Told | None:
    """A word that is none of those that a field takes, and a scope without its quantifier."""
    given = seen.field("scope")
    if given is not None and seen.text.startswith(("scope = ", "the scope ")):
        axes = ", ".join(_axes(seen)) or "N"
        return Told(given, f"{seen.text}: {seen.why}", f'scope={{"every {axes}": "points"}}', seen.required)
    found = re.match(r"(tier|expect|role) = '(.*)'$", seen.text)
    at, known = seen.field(found[1]) if found else None, seen.required.removeprefix("one of ").split(", ")
    if found is None or at is None:
        return None
    near = nearest(found[2], known)
    return Told(at, f"{found[1]}= has no word {found[2]!r}", f'{found[1]}="{near[0] if near else known[0]}"')


def assumptions(seen: Seen) -> Told | None:
    """A misspelt assumption of a letter."""
    if seen.line is None or not (found := re.search(r"the assumptions \{(.*)\} of the letter", seen.given)):
        return None
    known = ("integer", "positive", "nonnegative")
    for name in re.findall(r"'(\w+)'", found[1]):
        if name not in known and (near := nearest(name, known, cutoff=0.7)):
            return Told(seen.line, f"a letter has no assumption {name}", f"{near[0]}=True")
    return None


def field_of(seen: Seen) -> ast.AST | None:
    """Return the part of the claim that an error of its constructor is about, where its words tell."""
    words = seen.text
    by_word = {"the hypothesis": "requires", "the scope": "scope", "scope of": "scope", "control ": "controls",
               "two controls": "controls", "only repairs": "controls", "two assertions": "asserts",
               "measure gave": "measure", "construct or measure": "measure", "derive without": "derived"}  # fmt: skip
    named = re.match(r"(\w+)(?: = |=)", words)
    part = named[1] if named else next((part for word, part in by_word.items() if words.startswith(word)), "")
    part = part or ("scope" if " has scope=" in words else "")
    return (seen.field(part) if part else None) or seen.source.claim(seen.name)
