"""The pairs of a seed: a wrong draft with its witness, and its twin."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.quantity import Quantity
from theorytools.errors import CertificateError, DomainError
from tools.bench.evaluation import Value, apart, value
from tools.bench.generator import key_of
from tools.bench.left import attention, counting, draws, machine, runs, spaces
from tools.bench.left.draft import Base, Cast, Draft, Number, Slip, formula, written
from tools.bench.left.kinds import KINDS
from tools.bench.witness import Left, violated

ROOMS = (counting, spaces, attention, runs, machine, draws)
BASES: Mapping[str, Base] = {base.name: base for room in ROOMS for base in room.BASES}
SLIPS: Sequence[Slip] = [slip for room in ROOMS for slip in room.SLIPS]
LETTERS = ("N", "M", "K", "L", "T", "D", "n", "m", "k", "d", "r", "h")
NAMES: Mapping[str, Sequence[str]] = {
    "q": ("amount", "result", "outcome", "target", "reading", "value"),
    "build": ("construct", "build", "make", "setting", "prepare"),
    "observe": ("measure", "observe", "evaluate", "measured", "look"),
}
HELPERS = (
    "answer", "differ", "dot", "entry", "equal", "error", "far", "flips", "image", "logarithm", "map", "outside",
    "parity", "power", "share", "sides", "times",
)  # fmt: skip
COMMON: Mapping[str, Sequence[Any]] = {
    "few": (5, 6, 7, 8), "tag": ("draws", "run", "sample", "trial", "batch"), "many": (50, 100, 200),
}  # fmt: skip
TRIES = 60  # casts that are tried for a pair that no earlier one has


@dataclass(frozen=True)
class Wrong:
    """Why a draft is wrong: at a point, two numbers that should agree, or that the statement puts in order.

    Parameters
    ----------
    route : ``"statement"``, the quantity against the right side; ``"measurement"``, the quantity against what the draft
        measures; ``"choice"``, what an object or a constant that was chosen too early gives, against what is claimed.
    point : by the letters of the draft.
    named : the number that the statement speaks of, or that follows from the early choice.
    other : the right side, or what the draft measures.
    """

    route: str
    point: Mapping[str, str]
    named: str
    other: str


@dataclass(frozen=True)
class Pair:
    """A wrong draft and its twin."""

    index: int
    slip: Slip
    base: Base
    cast: Cast
    wrong: Draft
    twin: Draft
    witness: Wrong

    @property
    def kind(self) -> str:
        """The kind of slip."""
        return self.slip.kind


def value_of(number: Number) -> Value:
    """Return a number of a base, exactly or to 90 digits."""
    return value(sympy.sympify(number), {})


def right_of(draft: Draft, cast: Cast, axes: Mapping[str, Any]) -> Value:
    """Return the right side of a draft at a point, by the evaluation of the witnesses."""
    shown = formula(draft.right, cast)
    return value(shown, {cast.names[role]: sympy.sympify(x) for role, x in axes.items()})


def breaks(relation: Any, left: Value, right: Value) -> bool:
    """Return whether the relation between two numbers certainly fails."""
    return violated(
        Assertion(Quantity("left", "l", "a number"), relation, sympy.Integer(0)), [right], Left(left, left, "")
    )


def witness_of(slip: Slip, base: Base, draft: Draft, cast: Cast) -> Wrong | None:
    """Return why a draft is wrong, None where no point of the slip or of the grid shows it."""
    points = [*({**draft.points[0], **axes} for axes in slip.at), *draft.points]
    for axes in points:
        x = {**axes, **cast.numbers}
        at = {cast.names[role]: str(number) for role, number in axes.items()}
        if slip.fails is not None:
            left, right = map(value_of, slip.fails(x, draft.points))
            if breaks(draft.relation, left, right):
                return Wrong("choice", at, left.text(), right.text())
            continue
        named, right = value_of(base.truth(x)), right_of(draft, cast, axes)
        if breaks(draft.relation, named, right):
            return Wrong("statement", at, named.text(), right.text())
    for axes in points if slip.wrong is not None and slip.fails is None else ():
        x = {**axes, **cast.numbers}
        named, seen = value_of(base.truth(x)), value_of(slip.wrong(x))  # type: ignore[misc]
        if apart(named, seen):
            at = {cast.names[role]: str(number) for role, number in axes.items()}
            return Wrong("measurement", at, named.text(), seen.text())
    return None


def _cast(base: Base, slip: Slip, rng: random.Random) -> tuple[Cast, Cast]:
    """The names, numbers and sizes of a wrong draft and of its twin, which differ by what the slip says of sizes."""
    letters = dict(zip(base.letters, rng.sample(LETTERS, len(base.letters)), strict=True))
    words = {role: rng.choice(list(names)) for role, names in NAMES.items()}
    ending = rng.choice(["", "_of", "_at", "_here"])
    helpers = {name: name + (ending or "s" * (name == "map")) for name in HELPERS}
    drawn: dict[str, Any] = {name: rng.choice(list(choices)) for name, choices in COMMON.items()}
    for name, choices in base.numbers.items():
        chosen, parts = rng.choice(list(choices)), name.split()
        drawn |= dict(zip(parts, chosen, strict=True)) if len(parts) > 1 else {name: chosen}
    order = rng.sample(range(len(base.code)), len(base.code))
    sizes = {role: rng.choice(list(choices)) for role, choices in base.grid.items()}
    own = {role: rng.choice(list(choices)) for role, choices in slip.grid.items()}
    names = {**words, **helpers, **letters}
    return Cast(names, drawn, order, {**sizes, **own}), Cast(names, drawn, order, sizes)


def pair_of(index: int, slip: Slip, rng: random.Random) -> Pair:
    """Return one pair of a slip, drawn by a generator.

    Raises
    ------
    CertificateError : no point shows that the draft is wrong.
    """
    base = BASES[slip.base]
    cast, honest = _cast(base, slip, rng)
    wrong, twin = written(base, slip, cast), written(base, None, honest)
    witness = witness_of(slip, base, wrong, cast)
    if witness is None:
        raise CertificateError(
            f"{slip.kind} in {base.name}, {cast.grid}", required="a point where the draft is wrong",
            why="two numbers by other routes than the draft's", advice="another grid for this slip",
        )  # fmt: skip
    return Pair(index, slip, base, cast, wrong, twin, witness)


def pairs(seed: int, count: int, kinds: Sequence[str] = ()) -> list[Pair]:
    """Return the pairs of a seed: the kinds in turn, the slips of a kind in turn, every file another one.

    Raises
    ------
    DomainError : a kind that there is not, or more pairs than can be told apart.
    """
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise DomainError(f"the kind {unknown[0]!r}", required=f"one of {', '.join(KINDS)}")
    found: list[Pair] = []
    seen: set[str] = set()
    turns = _turns([kind for kind in KINDS if not kinds or kind in kinds], seed)
    for index in range(count):
        made = _fresh(index, next(turns), seed, seen)
        if made is None:
            raise DomainError(f"--count {count}", required="as many pairs as can be told apart", advice="more kinds")
        seen |= {made.wrong.text, made.twin.text}
        found.append(made)
    return found


def _turns(kinds: Sequence[str], seed: int) -> Iterator[Slip]:
    """The slips without end: the kinds in turn, of every kind its slips in an order of the seed."""
    of = {
        kind: sorted((s for s in SLIPS if s.kind == kind), key=lambda s: key_of(seed, f"{s.base}|{s.why}"))
        for kind in kinds
    }
    turn = 0
    while True:
        for kind in kinds:
            yield of[kind][turn % len(of[kind])]
        turn += 1


def _fresh(index: int, slip: Slip, seed: int, seen: set[str]) -> Pair | None:
    for attempt in range(TRIES):
        rng = random.Random(key_of(seed, f"left|{index}|{slip.kind}|{attempt}"))
        made = pair_of(index, slip, rng)
        if made.wrong.text not in seen and made.twin.text not in seen:
            return made
    return None
