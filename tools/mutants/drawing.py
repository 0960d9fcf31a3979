"""Draw mutants: a function of the seed and of the text of the library."""

import ast
import functools
import hashlib
import random
from dataclasses import dataclass

from tools import ROOT
from tools.mutants.operators import OPERATORS, changed, places

PACKAGES = ("numbers", "claims", "codes", "constructions", "theory", "tasks", "papers", "statistics", "reporting")
LEAST = 20  # every package has at least the 20th part of a draw, and more by its lines
ENGINE = ("theorytools/claims/",)  # what decides a verdict, from the letters of a claim to its record


@dataclass(frozen=True)
class Mutant:
    """One change of one module; ``name`` says it whole."""

    file: str
    operator: str
    node: int
    change: str
    line: int
    lines: tuple
    function: str

    @property
    def name(self):
        return f"{self.file}:{self.line}:{self.operator}:{self.change}:{self.node}"

    @property
    def package(self):
        return self.file.split("/")[1]

    @property
    def module(self):
        return self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def code(self, root=ROOT):
        """Return the compiled code of the changed module."""
        path = root / self.file
        tree = changed(ast.parse(path.read_text(encoding="utf-8")), self.operator, self.node, self.change)
        return compile(tree, str(path), "exec", dont_inherit=True)

    def shown(self, root=ROOT):
        """Return the changed statement before and after, each on one line."""
        texts = []
        for made in (False, True):
            tree = ast.parse((root / self.file).read_text(encoding="utf-8"))
            node = next(node for i, node in enumerate(ast.walk(tree)) if i == self.node)
            around = [s for s in ast.walk(tree) if isinstance(s, ast.stmt) and node in ast.walk(s)]
            inner = max(around, key=lambda s: (s.lineno, -s.end_lineno, s.col_offset), default=node)
            holder = next((list_, list_.index(inner)) for p in ast.walk(tree)
                          for list_ in vars(p).values() if isinstance(list_, list) and inner in list_)  # fmt: skip
            if made:
                changed(tree, self.operator, self.node, self.change)
            text = ast.unparse(holder[0][holder[1]])
            texts.append(" ".join(text.split())[:300])
        return texts


@functools.cache
def original(path):
    return compile(ast.parse(path.read_text(encoding="utf-8")), str(path), "exec", dont_inherit=True)


def equal(a, b):
    """Whether two code objects do the same: instructions, names and constants, whatever line they stand on."""
    if a.co_code != b.co_code or a.co_names != b.co_names or a.co_varnames != b.co_varnames:
        return False
    if a.co_exceptiontable != b.co_exceptiontable or len(a.co_consts) != len(b.co_consts):
        return False
    code = type(a)
    return all(
        equal(x, y) if isinstance(x, code) and isinstance(y, code) else (type(x), repr(x)) == (type(y), repr(y))
        for x, y in zip(a.co_consts, b.co_consts, strict=True)
    )


def files(package, root=ROOT):
    return sorted((root / "theorytools" / package).rglob("*.py"))


@functools.cache
def _places(package, root):
    """The places of a package by operator: (file, place)."""
    found = {operator: [] for operator in OPERATORS}
    for path in files(package, root):
        for place in places(ast.parse(path.read_text(encoding="utf-8"))):
            found[place.operator].append((path.relative_to(root).as_posix(), place))
    return found


def shares(count, packages, root=ROOT):
    """How many mutants each package is given: by its lines, and at least the 20th part of all."""
    lines = {p: sum(len(f.read_text(encoding="utf-8").splitlines()) for f in files(p, root)) for p in packages}
    least = {p: max(count // LEAST, count * lines[p] // sum(lines.values())) for p in packages}
    while sum(least.values()) != count:  # the largest gives and takes
        step = 1 if sum(least.values()) < count else -1
        pick = max(packages, key=lambda p: least[p] if step < 0 else lines[p] / (least[p] + 1))
        least[pick] += step
    return least


def draw(seed, count, packages=PACKAGES, root=ROOT):
    """Return ``count`` mutants: in each package an operator is drawn, each that has places left with the same
    probability, then one of its places, then one of its changes; none twice, none whose code is that of the module.
    The order is a random one, so that the first of them are a draw too.
    """
    drawn = []
    for package, wanted in shares(count, packages, root).items():
        rng = random.Random(f"{seed} {package}")
        left = {operator: list(found) for operator, found in _places(package, root).items() if found}
        made = 0
        while made < wanted and left:
            operator = rng.choice(sorted(left))
            file, place = left[operator].pop(rng.randrange(len(left[operator])))
            if not left[operator]:
                del left[operator]
            change = rng.choice(place.changes)
            mutant = Mutant(file, operator, place.node, change, place.line, place.lines, place.function)
            if not equal(mutant.code(root), original(root / file)):
                drawn.append(mutant)
                made += 1
    random.Random(f"{seed} order").shuffle(drawn)
    return drawn


def digest(root=ROOT):
    """The digest of the text that the draw is a function of."""
    made = hashlib.sha256()
    for package in PACKAGES:
        for path in files(package, root):
            made.update(path.read_bytes())
    return made.hexdigest()
