r"""Words against code: what a quantity is called, and what the check takes of the numbers that it makes itself.

A quantity called *least distance* whose code takes a ``max``, a supremum over a class of which one function is
measured, an entropy in bits by the natural logarithm: each is one line of a measurement and one word of its quantity.
Only a check that computes by itself is asked: where its functions call the library, or another file of the paper, the
extremum may be taken there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from theorytools.claims.judging.remark import Remark
from theorytools.claims.judging.trial.variants import Trial
from theorytools.claims.language.quantity import Quantity

# modules of the library from which a check takes numbers and recipes, and no object, theorem or functional
OWN = re.compile(r"theorytools(\.(numbers|claims|statistics|training|meaning|optional)(\..*)?)?")
LEAST = re.compile(
    r"\\(?:min|inf)(?![A-Za-z])|(?<!-)\b(?:least|minimum|minimal|smallest|shortest|nearest|infimum)\b(?! squares)(?!-)"
)
LARGEST = re.compile(
    r"\\(?:max|sup)(?![A-Za-z])|(?<!-)\b(?:largest|greatest|maximum|maximal|longest|worst|supremum)\b(?!-)"
)
OVER = re.compile(r"\\(max|sup|min|inf)\s*_")
MEAN = re.compile(r"(?<!-)\b(?:mean|average|expected|expectation)\b(?!-)|\\mathbb\s*\{?E(?![A-Za-z])")
SQUARED = re.compile(r"\bsquared\b")
CHANCE = re.compile(r"\b(?:probability|frequency)\b|\\Pr(?![A-Za-z])")
# functions whose names say that they seek an extremum, or may
EXTREMAL = re.compile(
    "max|min|norm|sup|inf|large|least|small|worst|best|top|eig|svd|singular|sort|search|solve|optim|any|all|dist|rank"
    "|ptp|find|root|limit|bound|quantile|percentile",
    re.IGNORECASE,
)
AVERAGING = re.compile("mean|average|expect", re.IGNORECASE)
ADDING = re.compile("sum|mean|average|expect|dot|integra", re.IGNORECASE)
KINDS = {"max": "a maximum", "sup": "a supremum", "min": "a minimum", "inf": "an infimum"}


@dataclass(frozen=True)
class Computed:
    """What the functions of a check do with numbers, as far as their syntax tells."""

    trial: Trial

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the functions."""
        return [node for function in self.trial.functions for node in ast.walk(function)]

    @cached_property
    def calls(self) -> list[ast.Call]:
        """Every call."""
        return [node for node in self.nodes if isinstance(node, ast.Call)]

    @cached_property
    def alone(self) -> bool:
        """Whether the functions use nothing but this file, its notation, numbers, recipes and foreign packages."""
        foreign = set()
        for node in self.trial.tree.body:
            if isinstance(node, ast.ImportFrom):
                own = (
                    node.module == "notation"
                    if node.level
                    else not _library(node.module) or OWN.fullmatch(str(node.module))
                )
                foreign |= set() if own else {alias.asname or alias.name for alias in node.names}
            elif isinstance(node, ast.Import):
                foreign |= {(a.asname or a.name).split(".")[0] for a in node.names if _library(a.name)}
            elif isinstance(node, ast.ClassDef):
                foreign.add(node.name)
        inside = any(isinstance(node, ast.ImportFrom | ast.Import) for node in self.nodes)
        return (
            bool(self.trial.functions)
            and not inside
            and not foreign & {n.id for n in self.nodes if isinstance(n, ast.Name)}
        )

    def over(self, name: str) -> ast.Call | None:
        """Return the first call that takes this extremum (``"max"``, ``"min"``) over many numbers, none negated."""
        return next((call for call in self.calls if _takes(call, name)), None)

    @cached_property
    def compares(self) -> bool:
        """Whether numbers are compared by size: an extremum may be sought by hand."""
        kinds = (ast.Lt, ast.Gt, ast.LtE, ast.GtE)
        return any(isinstance(n, ast.Compare) and any(isinstance(op, kinds) for op in n.ops) for n in self.nodes)

    def calling(self, pattern: re.Pattern[str] | str) -> list[ast.Call]:
        """Return the calls of functions whose names match."""
        return [call for call in self.calls if re.search(pattern, _called(call))]

    @cached_property
    def seeks(self) -> bool:
        """Whether an extremum may be taken anywhere, or need not be: a formula for it is declared."""
        declared = {"closed form", "proof", "automaton"} & set(self.trial.claim.scope.values())
        return bool(declared) or self.compares or bool(self.calling(EXTREMAL))

    @cached_property
    def squares(self) -> bool:
        """Whether anything is squared, or multiplied by itself."""
        powers = (ast.Pow, ast.MatMult)
        return bool(self.calling("square|dot|inner|vdot|einsum|gram|outer")) or any(
            isinstance(n, ast.BinOp)
            and (isinstance(n.op, powers) or (isinstance(n.op, ast.Mult) and ast.dump(n.left) == ast.dump(n.right)))
            for n in self.nodes
        )

    @cached_property
    def divides(self) -> bool:
        """Whether anything is divided, or averaged."""
        return bool(self.calling("Fraction|Rational|mean|average|proportion|frequency|divide")) or any(
            isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div | ast.Pow | ast.Mult) for n in self.nodes
        )


def words(trial: Trial) -> Iterable[Remark]:
    """Return where the name, formula or meaning of a quantity says another number than the code takes."""
    computed = Computed(trial)
    if computed.alone:
        for quantity in trial.claim.quantities:
            for rule in (_extremum, _supremum, _mean, _unit, _power, _count):
                yield from rule(computed, quantity)


def _extremum(computed: Computed, quantity: Quantity) -> Iterator[Remark]:
    """A *least* that takes a ``max``, a *largest* that takes a ``min``."""
    said = _said(quantity)
    for pattern, other, taken, wanted in ((LEAST, LARGEST, "max", "min"), (LARGEST, LEAST, "min", "max")):
        word, call = pattern.search(said), computed.over(taken)
        if word and call and not (other.search(said) or MEAN.search(said) or computed.calling(wanted)):
            yield _told(
                computed, quantity, word[0], call, f"takes `{taken}`", f"take `{wanted}`, or name what is taken"
            )


def _supremum(computed: Computed, quantity: Quantity) -> Iterator[Remark]:
    r"""A ``\sup_f`` of which one ``f`` is measured, and a *largest* that is averaged."""
    if computed.seeks:
        return
    if over := OVER.search(quantity.latex):
        yield Remark(
            "words", f"the quantity ${quantity.latex}$ is {KINDS[over[1]]}, and the code takes none",
            advice="measure every object that it runs over, or name the one that is measured",
        )  # fmt: skip
    elif word := LARGEST.search(said := _said(quantity)):
        averaged = computed.calling(AVERAGING)
        if averaged and not MEAN.search(said):
            yield _told(computed, quantity, word[0], averaged[0], "takes a mean", "take the extremum, or say *mean*")


def _mean(computed: Computed, quantity: Quantity) -> Iterator[Remark]:
    """A *mean* that takes a ``max``, where nothing is added."""
    word = MEAN.search(quantity.name)
    adds = computed.calling(ADDING) or any(isinstance(n, ast.AugAssign) for n in computed.nodes)
    if word and not adds and not (LARGEST.search(said := _said(quantity)) or LEAST.search(said)):
        for taken in ("max", "min"):
            if call := computed.over(taken):
                yield _told(computed, quantity, word[0], call, f"takes `{taken}`", "average, or name what is taken")


def _unit(computed: Computed, quantity: Quantity) -> Iterator[Remark]:
    """*Bits* by the natural logarithm, *nats* by the binary one."""
    binary = [call for call in computed.calling("log2|bit") or computed.calling("log") if _binary(call)]
    natural = [call for call in computed.calling("^log$") if not _binary(call)]
    said = _said(quantity)
    if (word := re.search(r"\bin bits\b", said)) and natural and not binary:
        yield _told(computed, quantity, word[0], natural[0], "takes the natural logarithm", "divide by log 2")
    if (word := re.search(r"\bin nats\b", said)) and binary and not natural:
        yield _told(computed, quantity, word[0], binary[0], "takes the binary logarithm", "take the natural one")


def _power(computed: Computed, quantity: Quantity) -> Iterator[Remark]:
    """A *squared* length that takes the root, where nothing is squared."""
    roots = computed.calling("sqrt|norm")
    if (word := SQUARED.search(_said(quantity))) and roots and not computed.squares:
        yield _told(computed, quantity, word[0], roots[0], "takes a root, and squares nothing", "square it")


def _count(computed: Computed, quantity: Quantity) -> Iterator[Remark]:
    """A *probability* that is counted, where nothing is divided."""
    counted = [call for call in computed.calls if _called(call) in ("sum", "len")]
    if (word := CHANCE.search(_said(quantity))) and counted and not computed.divides:
        yield _told(computed, quantity, word[0], counted[0], "counts, and divides by nothing", "divide by the number")


def _told(computed: Computed, quantity: Quantity, word: str, node: ast.AST, does: str, advice: str) -> Remark:
    how = "called" if word in quantity.name else "printed" if word in quantity.latex else "described"
    text = f"the quantity '{quantity.name}' is {how} *{word}*, and the code {does}"
    return Remark("words", text, computed.trial.line(node), advice)


def _said(quantity: Quantity) -> str:
    return " ; ".join((quantity.name, quantity.latex, quantity.meaning))


def _library(module: str | None) -> bool:
    return (module or "").split(".")[0] == "theorytools"


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _takes(call: ast.Call, name: str) -> bool:
    """Whether the call takes the extremum of many numbers: ``max(0, x)`` clips, ``max(-x for …)`` is a least."""
    if any(isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub) for n in ast.walk(call)):
        return False
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    many = isinstance(call.func, ast.Attribute) or len(call.args) == 1 or starred
    return many and _called(call) in (name, f"a{name}", f"nan{name}")


def _binary(call: ast.Call) -> bool:
    """Whether a logarithm is to the base 2, or that of 2 itself, by which another is divided."""
    two = any(isinstance(n, ast.Constant) and n.value == 2 for n in ast.walk(call))
    return two or _called(call) != "log"
