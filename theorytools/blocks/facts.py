r"""What is known of a construction beside its forward pass, and the evaluator that says the same number.

A closed form, such as a leakage by counted distances, an invariant, or a gauge, such as a factor of the codes that the
temperature takes back: each is short and fast, and true by a proof.  What composes the blocks is longer and slower and
needs none.  Both must agree wherever both can be computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from theorytools.numbers import Enclosure


@dataclass(frozen=True)
class Fact:
    """A number that a construction has by a proof, and by an evaluator.

    Attributes
    ----------
    name : what it is a number of.
    closed : the number by the proof, of a construction.
    composed : the number by the evaluator.
    evaluator : which one that is: ``"exact"`` or ``"worst case"``.
    where : of which constructions both are computed: those of the fact, of a size that does not take long.

    Examples
    --------
    >>> from fractions import Fraction
    >>> halves = Fact("sum of n halvings", lambda n: 1 - Fraction(1, 2**n),
    ...               lambda n: sum(Fraction(1, 2**k) for k in range(1, n + 1)), "exact")
    >>> halves.agrees(10), Fact("one", lambda n: 1, halves.composed, "exact").agrees(10)
    (True, False)
    """

    name: str
    closed: Callable[[Any], Any]
    composed: Callable[[Any], Any]
    evaluator: str
    where: Callable[[Any], bool] = lambda net: True

    def both(self, net: Any) -> tuple[Enclosure, Enclosure]:
        """Return both numbers at the ambient precision."""
        return Enclosure(self.closed(net)), Enclosure(self.composed(net))

    def agrees(self, net: Any, bits: int = 40) -> bool:
        """Return whether both are one number, as far as enclosures tell; wider ones than ``bits`` bits tell nothing."""
        pair = self.both(net)
        narrow = all(float(x.ball().rad()) <= 2.0**-bits * abs(float(x)) for x in pair)
        return narrow and not (pair[0].certainly_lt(pair[1]) or pair[1].certainly_lt(pair[0]))
