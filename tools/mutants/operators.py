"""What a mutant may change in a module: places in its syntax tree, each with the changes that an operator makes.

A place is named by its number in ``ast.walk`` order, so that the same change can be made again from the text alone.
Left out: docstrings, messages (whatever is raised, formatted strings), annotations, methods that only render, what is
read by the type checker alone, and imports.
"""

import ast
from dataclasses import dataclass

ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.BitXor: ast.BitOr,
}  # fmt: skip
BOUNDARY = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
REVERSAL = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
EXTREMA = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "Min": "Max", "Max": "Min",
           "argmin": "argmax", "argmax": "argmin", "amin": "amax", "amax": "amin"}  # fmt: skip
DROPPED = ("abs", "Abs", "fabs", "absolute")
ROUNDING = {"floor": "ceil", "ceil": "floor", "ceiling": "floor", "lower": "upper", "upper": "lower", "low": "high",
            "high": "low", "round_down": "round_up", "round_up": "round_down"}  # fmt: skip
LOGIC = {"any": "all", "all": "any"}
RENDERING = ("__repr__", "__str__", "__format__", "_repr_html_", "_repr_latex_", "__rich__", "__rich_console__")
OPERATORS = ("arithmetic", "boundary", "comparison", "constant", "default", "index", "extremum", "rounding", "logic",
             "guard", "minus", "condition", "deletion")  # fmt: skip


@dataclass(frozen=True, order=True)
class Place:
    """Where an operator applies: the node's number, its lines, and the names of the changes it offers there."""

    operator: str
    node: int
    changes: tuple
    line: int
    lines: tuple  # first and last line of the statement's part that runs it
    function: str  # the qualified name around it; empty at the top of a module or class


def places(tree):
    """Yield every place of a module's syntax tree."""
    numbers = {id(node): i for i, node in enumerate(ast.walk(tree))}
    for node, around in _kept(tree):
        for operator, changes in _offers(node, around):
            if changes:
                lines, function = _lines((*around, node)), _function(around)
                if operator == "default":  # it is evaluated at import, and seen by whatever runs the body
                    holder = next(a for a in reversed(around) if isinstance(a, (ast.FunctionDef, ast.Lambda)))
                    lines = (holder.lineno + 1, holder.end_lineno) if function else (1, 1)
                yield Place(operator, numbers[id(node)], tuple(changes), node.lineno, lines, function)


def changed(tree, operator, number, change):
    """Make one change in a tree, in place."""
    node = next(node for i, node in enumerate(ast.walk(tree)) if i == number)
    new = CHANGE[operator](node, change)
    if new is not node:
        ast.copy_location(new, node)
        for parent in ast.walk(tree):
            for name, value in ast.iter_fields(parent):
                if value is node:
                    setattr(parent, name, new)
                elif isinstance(value, list):
                    value[:] = [new if item is node else item for item in value]
    return ast.fix_missing_locations(tree)


# -- what is left out --------------------------------------------------------------------------------------------------
def _kept(tree):
    """Yield (node, the nodes around it, outermost first), without the parts that say something to a reader only."""
    todo = [(tree, ())]
    while todo:
        node, around = todo.pop()
        if around and hasattr(node, "lineno"):
            yield node, around
        todo += [(child, (*around, node)) for child in reversed(list(_children(node)))]


def _children(node):
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "ctx"):
            continue
        if isinstance(node, ast.Raise) or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)):
            continue
        yield from (child for child in (value if isinstance(value, list) else [value]) if _speaks(child, node))


def _speaks(child, parent):
    if not isinstance(child, ast.AST) or isinstance(child, (ast.JoinedStr, ast.Import, ast.ImportFrom)):
        return False
    if isinstance(child, (ast.FunctionDef, ast.ClassDef)) and child.name in RENDERING:
        return False
    if isinstance(child, ast.FunctionDef) and any("overload" in ast.dump(d) for d in child.decorator_list):
        return False
    if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
        return False
    if isinstance(child, ast.Call) and _name(child.func).endswith(("Error", "TypeVar", "NewType")):
        return False
    if isinstance(child, ast.Assign) and any(_name(t) == "__all__" for t in child.targets):
        return False
    return not (isinstance(parent, ast.ClassDef) and child in parent.keywords)


def _name(node):
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


# -- what is offered ---------------------------------------------------------------------------------------------------
def _offers(node, around):
    parent = around[-1]
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in ARITHMETIC and not _texts(node, around):
        yield "arithmetic", ["swap"]
    if isinstance(node, ast.Compare) and len(node.ops) >= 1:
        yield "boundary", [str(i) for i, op in enumerate(node.ops) if type(op) in BOUNDARY]
        yield "comparison", [str(i) for i, op in enumerate(node.ops) if type(op) in REVERSAL]
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield _constant(node, around), ["flip"] if isinstance(node.value, bool) else _moves(node, around)
    if isinstance(node, ast.Call):
        yield "extremum", _extrema(node)
        yield "logic", ["quantifier"] if isinstance(node.func, ast.Name) and node.func.id in LOGIC else []
    if isinstance(node, (ast.Attribute, ast.Name)) and isinstance(node.ctx, ast.Load):
        held = isinstance(node, ast.Attribute) or (isinstance(parent, ast.Call) and parent.func is node)
        yield "rounding", ["swap"] if held and _name(node) in ROUNDING else []
    if isinstance(node, ast.BoolOp):
        yield "logic", ["swap"]
    if isinstance(node, ast.UnaryOp):
        yield "logic", ["drop"] if isinstance(node.op, ast.Not) else []
        yield "minus", ["drop"] if isinstance(node.op, ast.USub) else []
    if isinstance(node, ast.If):
        yield "guard", ["pass"] if _guards(node, around) else []
    if isinstance(node, (ast.If, ast.IfExp)):
        yield "condition", ["True", "False"]
    if isinstance(node, ast.While):
        yield "condition", ["False"]
    if isinstance(node, ast.stmt):
        yield "deletion", ["pass"] if _deletable(node, around) else []


def _texts(node, around):
    """Whether + joins texts or lists, % formats, or | joins types: a change there is a crash and says nothing."""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.value, (ast.JoinedStr, ast.List, ast.ListComp, ast.Tuple, ast.Dict))
    literal = (ast.JoinedStr, ast.List, ast.ListComp, ast.Tuple, ast.Dict)
    sides = [node.left, node.right]
    if any(isinstance(s, literal) or (isinstance(s, ast.Constant) and isinstance(s.value, str)) for s in sides):
        return True
    return isinstance(node.op, ast.BitOr) and not any(isinstance(a, ast.FunctionDef) for a in around)


def _constant(node, around):
    for parent, child in zip(reversed(around), [node, *reversed(around)], strict=False):
        if isinstance(parent, ast.arguments):
            return "default" if child in [*parent.defaults, *parent.kw_defaults] else "constant"
        if isinstance(parent, ast.Subscript) and child is parent.slice:
            return "index"
        if isinstance(parent, (ast.stmt, ast.Call)):
            break
    return "constant"


def _moves(node, around):
    if _constant(node, around) == "index":
        return ["+1", "-1"]
    return ["+1", "-1", "*2"] if node.value else ["+1", "-1"]


def _extrema(node):
    name = _name(node.func)
    found = ["swap"] if name in EXTREMA else []
    if name in DROPPED and len(node.args) == 1 and not node.keywords:
        found.append("drop")
    if isinstance(node.func, ast.Name) and name in ("min", "max") and len(node.args) >= 2:
        found += [str(i) for i, arg in enumerate(node.args) if not isinstance(arg, ast.Starred)]
    return found


def _guards(node, around):
    """An ``if`` that only raises, or only returns before more follows."""
    last = node.body[-1]
    return len(node.body) == 1 and not node.orelse and isinstance(last, (ast.Raise, ast.Return, ast.Continue))


def _deletable(node, around):
    if isinstance(node, (ast.AugAssign, ast.Break, ast.Continue)):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    if isinstance(node, ast.Assign):
        if any(isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets):
            return True
        functions = [a for a in around if isinstance(a, ast.FunctionDef)]
        return bool(functions) and _known_before(node, functions[-1])
    return False


def _known_before(node, function):
    """Whether every name that is assigned has a value before, so that leaving it is no plain NameError."""
    names = {_name(part) for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    spec = function.args
    known = {arg.arg for arg in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
    known |= {part.id for part in ast.walk(function) if isinstance(part, ast.Name)
              and isinstance(part.ctx, ast.Store) and part.lineno < node.lineno}  # fmt: skip
    return names <= known


# -- how it is changed -------------------------------------------------------------------------------------------------
def _operator(table, name="op"):
    def change(node, which):
        if name == "op":
            node.op = table[type(node.op)]()
        else:
            node.ops[int(which)] = table[type(node.ops[int(which)])]()
        return node

    return change


def _number(node, which):
    value = node.value
    node.value = not value if which == "flip" else value * 2 if which == "*2" else value + int(which)
    if isinstance(node.value, (int, float)) and not isinstance(node.value, bool) and node.value < 0:
        return ast.UnaryOp(ast.USub(), ast.copy_location(ast.Constant(-node.value), node))
    return node


def _renamed(table):
    def change(node, which):
        if isinstance(node, ast.Attribute):
            node.attr = table[node.attr]
        else:
            node.id = table[node.id]
        return node

    return change


def _extremum(node, which):
    if which == "swap":
        _renamed(EXTREMA)(node.func, which)
        return node
    return node.args[0 if which == "drop" else int(which)]


def _logic(node, which):
    if which == "drop":
        return node.operand
    if which == "quantifier":
        _renamed(LOGIC)(node.func, which)
    else:
        node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
    return node


def _guard(node, which):
    node.body = [ast.copy_location(ast.Pass(), node.body[0])]
    return node


def _condition(node, which):
    node.test = ast.copy_location(ast.Constant(which == "True"), node.test)
    return node


CHANGE = {
    "arithmetic": _operator(ARITHMETIC), "boundary": _operator(BOUNDARY, "ops"),
    "comparison": _operator(REVERSAL, "ops"), "constant": _number, "default": _number, "index": _number,
    "extremum": _extremum, "rounding": _renamed(ROUNDING), "logic": _logic, "guard": _guard,
    "minus": lambda node, which: node.operand, "condition": _condition, "deletion": lambda node, which: ast.Pass(),
}  # fmt: skip


# -- where it stands ---------------------------------------------------------------------------------------------------
def _lines(around_and_node):
    """The lines of the innermost statement around a node, a compound one without its body."""
    statement = [a for a in around_and_node if isinstance(a, ast.stmt)]
    if not statement:
        return (1, 1)
    inner = statement[-1]
    body = getattr(inner, "body", None)
    last = body[0].lineno - 1 if isinstance(body, list) and body else inner.end_lineno
    return (inner.lineno, max(inner.lineno, last))


def _function(around):
    names = [a.name for a in around if isinstance(a, (ast.FunctionDef, ast.ClassDef))]
    return ".".join(names) if any(isinstance(a, (ast.FunctionDef, ast.Lambda)) for a in around) else ""
