"""Covering numbers of finite classes, by enumeration: heads on the line composed with attention outputs.

The covering number is internal: the smallest number of members whose closed balls cover all members.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, TypeVar

import numpy as np

from theorytools.arguments.checked import ENTRIES, PositiveInt, Real, Rows, at_most, checked
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure
from theorytools.theory.capacity.perturbation.networks import Head

T = TypeVar("T")


_MOST = 64


@checked
def covering_number(members: Sequence[T], distance: Callable[[T, T], Any], radius: Real) -> int:
    """Return the smallest number of members whose balls of this radius cover all members, exactly.

    Branches on the member that the fewest balls reach; one ball must hold it.

    Raises
    ------
    DomainError : a negative radius.
    BudgetError : more than 64 members.
    """
    if Enclosure(radius).certainly_lt(0):
        raise DomainError(f"radius = {radius}", required="radius >= 0", why="no ball of negative radius has members")
    n = len(members)
    if n > _MOST:
        raise BudgetError(f"{n} members", required=f"at most {_MOST}", why="covers are enumerated")
    balls = [sum(1 << k for k in range(n) if distance(members[i], members[k]) <= radius) for i in range(n)]
    return len(fewest_balls(balls))


def fewest_balls(balls: Sequence[int]) -> list[int]:
    """Return the centres of the fewest balls that cover all members; ball ``k`` is the set of members in it, as bits.

    Balls are symmetric: ball ``k`` is also the set of centres that reach member ``k``.
    """
    found = _fewest(balls, (1 << len(balls)) - 1, len(balls))
    return list(range(len(balls))) if found is None else found


def _fewest(balls: Sequence[int], left: int, limit: int) -> list[int] | None:
    """Return the centres of the fewest balls that cover the members in ``left``, None if ``limit`` are needed."""
    if not left:
        return [] if limit else None
    # no ball holds more than `most`, so at least left/most are needed
    most = max((ball & left).bit_count() for ball in balls)
    if -(-left.bit_count() // most) >= limit:
        return None
    rarest = min((k for k in range(len(balls)) if left >> k & 1), key=lambda k: balls[k].bit_count())
    best = None
    for i in range(len(balls)):
        if balls[i] >> rarest & 1 and (rest := _fewest(balls, left & ~balls[i], limit - 1)) is not None:
            best = [i, *rest]
            limit = len(best)
    return best


def head_distance(f: Head, g: Head, r: Any) -> Fraction:
    r"""Return :math:`\max_{|h|\le r}|f(h)-g(h)|` for heads on the line, exactly.

    The difference is linear between the kinks :math:`-b/w`, so it is largest at a kink or an end.
    """
    kinks = [-b / w for head in (f, g) for w, b in head.rows if w != 0 and abs(b) <= r * abs(w)]
    return Fraction(max(abs(f([h]) - g([h])) for h in [r, -r, *kinks]))


def output_distance(h: Sequence[Any], g: Sequence[Any]) -> Any:
    """Return the largest difference of two tuples of numbers, one number for each sampled position."""
    return max(abs(x - y) for x, y in zip(h, g, strict=True))


@checked
@dataclass(frozen=True)
class Composition:
    r"""Finitely many heads on :math:`[-r,r]` and finitely many attention outputs, and all their compositions.

    Parameters
    ----------
    heads : two-layer heads with one input.
    outputs : attention outputs, for each member one number per sampled position.
    """

    heads: Sequence[Head]
    outputs: Rows

    @classmethod
    def ladder(cls, offsets: Sequence[Fraction | int], outputs: Sequence[Fraction | int]) -> Composition:
        r"""Return :math:`f_k(h)=2\,\mathrm{ReLU}(3h+100+o_k)` at one sampled position: :math:`6h+2o_k+200` in range."""
        heads = [Head([Fraction(2)], [[Fraction(3), Fraction(100 + o)]]) for o in offsets]
        return cls(heads, [[Fraction(h)] for h in outputs])

    @classmethod
    @at_most(heads=ENTRIES, outputs=ENTRIES, positions=ENTRIES)
    def random(
        cls, rng: np.random.Generator, heads: PositiveInt, outputs: PositiveInt, positions: PositiveInt = 2
    ) -> Composition:
        """Return random heads of width 2, and outputs drawn uniformly from the eighths in [-1, 1]."""
        draw = rng.integers(-8, 8, endpoint=True, size=(outputs, positions)).tolist()
        return cls([Head.random(rng, 2, 1) for _ in range(heads)], [[Fraction(x, 8) for x in row] for row in draw])

    def lipschitz(self) -> Fraction:
        r"""Return an upper bound :math:`\max_f\sum_k|a_k||w_k|` of the Lipschitz constants of the heads."""
        return max(sum((abs(a * row[0]) for a, row in zip(f.a, f.rows, strict=True)), Fraction(0)) for f in self.heads)

    def output_number(self, eps: Real) -> int:
        """Return the covering number of the outputs."""
        return covering_number(self.outputs, output_distance, eps)

    def head_number(self, eps: Real) -> int:
        """Return the covering number of the heads in the largest distance up to the longest output."""
        r = max(abs(x) for h in self.outputs for x in h)
        return covering_number(self.heads, lambda f, g: head_distance(f, g, r), eps)

    def number(self, eps: Real) -> int:
        """Return the covering number of the compositions, in the largest distance over the sample."""
        members = [[f([x]) for x in h] for f, h in product(self.heads, self.outputs)]
        return covering_number(members, output_distance, eps)
