"""Moves of points that are near to failing, from several of them by turns, each as long as it gains."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from theorytools.search.proposal_orders import moved
from theorytools.search.protocols import SpaceFace

_TOGETHER = 4  # points that are moved by turns
_STARTS = 24  # judged points of one size that may be moved next
_ALIKE = 2  # of one margin at most
_CONTEST = 4  # of them drawn, of which the nearest to failing is taken
_PATIENCE = 6  # moves without a gain, and so many more for each letter, after which a point is given up;
_LIFE = 4  # so many times as many in any case, for towards an equality gains never end
_FEW = 60  # judged points, before which moves take one turn in a round
_GAIN, _GAINING = 0.02, 0.08  # gains a move, below which moves take their turn seldom; above, often


@dataclass
class _Climb:
    point: dict[str, Any]
    margin: float
    failures: int = 0
    moves: int = 0


class Climbs:
    """Points that are moved towards failing.

    One point alone may be where both sides of a statement are equal, from where nothing leads on; so it is given up
    after a while, for another one of those that were judged.

    Parameters
    ----------
    space : the points inside the hypotheses.
    rng : for starts and moves.
    """

    def __init__(self, space: SpaceFace, rng: random.Random) -> None:
        self.space, self.rng, self.gains = space, rng, 1.0
        self._starts: dict[Any, list[tuple[float, dict[str, Any]]]] = {}
        self._sizes = sorted({v.size for v in space.variables if v.size})
        self._climbs: list[_Climb] = []
        self._last: _Climb | None = None
        self._turn = 0
        self._patience = _PATIENCE * (1 + len(space.variables))
        self._objects = any(v.kind == "object" for v in space.variables)
        self._known = 0

    def __iter__(self) -> Iterator[dict[str, Any] | None]:
        while True:
            yield self.propose()

    def propose(self) -> dict[str, Any] | None:
        """Return a point with one or two letters moved, None for a dead end."""
        if len(self._climbs) < (_TOGETHER if self._objects else 2 * _TOGETHER) and (start := self._start()) is not None:
            self._climbs.append(_Climb(start[1], start[0]))
        if not self._climbs:
            return None
        self._turn += 1
        self._last = self._climbs[self._turn % len(self._climbs)]
        return moved(self.space, self._last.point, self.rng)

    def _start(self) -> tuple[float, dict[str, Any]] | None:
        """One of the best points of a size that is drawn; where both sides are equal at most one of them at a time."""
        equal = any(climb.margin == 0 for climb in self._climbs)
        sized = {key: [k for k, one in enumerate(found) if one[0] or not equal] for key, found in self._starts.items()}
        keys = [key for key, places in sized.items() if places]
        if not keys:
            return None
        key = self.rng.choice(keys)
        contest = self.rng.sample(sized[key], len(sized[key]) if not self._objects else min(_CONTEST, len(sized[key])))
        return self._starts[key].pop(min(contest))

    def note(self, climbed: bool, point: dict[str, Any], margin: float) -> None:
        """Take note of a point that was judged: of the last one proposed here, or of another one."""
        self._known += 1
        if not climbed or self._last is None:
            key = tuple(point[name] for name in self._sizes)
            found = self._starts.get(key, [])
            if sum(one == margin for one, _ in found) < _ALIKE:
                self._starts[key] = sorted([*found, (margin, point)], key=lambda one: one[0])[:_STARTS]
            return
        climb, better = self._last, margin < self._last.margin
        self.gains += 0.05 * (float(better) - self.gains)
        climb.moves += 1
        climb.failures += 1
        if margin <= climb.margin:  # of whole numbers many are equal: there it goes on without a gain
            climb.point, climb.margin = point, margin
        if better:
            climb.failures = 0
        second = margin == 0 and better and any(one is not climb and one.margin == 0 for one in self._climbs)
        if climb.failures > self._patience or climb.moves > _LIFE * self._patience or second:
            self._climbs = [one for one in self._climbs if one is not climb]

    def idle(self) -> bool:
        """Whether moves gain too seldom to take their turn."""
        return not (self._climbs or any(self._starts.values())) or (self.gains < _GAIN and self.rng.random() < 0.8)

    def gaining(self) -> bool:
        """Whether moves of objects gain often, once enough points are known to begin from the best of them."""
        return self._objects and self._known >= _FEW and self.gains > _GAINING
