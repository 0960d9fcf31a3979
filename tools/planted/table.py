"""Trials of all searches on all statements, and how many each has found after so many points."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tools.planted.generator import COUNTS, statements
from tools.planted.rivals import Trial

POINTS = (25, 50, 100, 200, 500, 1000, 2000)
DEMANDS = {50: 100, 500: 160}  # found after so many points, of the 180 of three seeds
OURS = "theorytools"

Searches = Mapping[str, Callable[[Trial], None]]


def trials(searches: Searches, seeds: Iterable[int], most: int) -> list[dict[str, Any]]:
    """Return one row for each search of each statement."""
    found = []
    for seed in seeds:
        for name, search in searches.items():
            for one in statements(seed):  # built anew, so that no search finds what another has kept
                trial = Trial(one, most).run(search)
                found.append({
                    "search": name, "statement": one.name, "family": one.family, "found": trial.found,
                    "judged": trial.judged, "outside": trial.outside, "seconds": trial.seconds,
                })  # fmt: skip
    return found


def by(rows: Iterable[Mapping[str, Any]], key: str) -> dict[str, list[Mapping[str, Any]]]:
    """Return the rows by one of their entries, in the order in which it occurs."""
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        parts.setdefault(row[key], []).append(row)
    return parts


def within(rows: Iterable[Mapping[str, Any]], points: int) -> int:
    """Return how many were found in so many points."""
    return sum(row["found"] is not None and row["found"] <= points for row in rows)


def summary(rows: list[Mapping[str, Any]], most: int) -> dict[str, Any]:
    """Return for each search the counts by points, all together and by class, its share outside, and its time."""
    looks = [points for points in POINTS if points <= most]
    found = {}
    for name, own in by(rows, "search").items():
        judged = sum(row["judged"] for row in own)
        classes = by(own, "family")
        found[name] = {
            "statements": len(own),
            "found": {points: within(own, points) for points in looks},
            "classes": {family: {points: within(classes[family], points) for points in looks} for family in classes},
            "outside": sum(row["outside"] for row in own) / judged,
            "milliseconds": 1000 * sum(row["seconds"] for row in own) / judged,
        }
    return found


def behind(rows: list[Mapping[str, Any]], most: int, chance: float = 1.0) -> list[str]:
    """Return where our search is below a demand, or found fewer of a class than the best of the rivals.

    Beside a class stands the sign test: how often a fair coin would share the statements that one of the two has found
    and the other has not at least as unevenly.  What is near a half is chance, and behind all the same, unless only
    classes are asked for where it is at most ``chance``.
    """
    counts, parts, wrong = summary(rows, most), by(rows, "search"), []
    own = counts[OURS]
    for points, demand in DEMANDS.items():
        if points > most:
            continue
        wanted = demand * own["statements"] / (3 * sum(COUNTS.values()))
        if own["found"][points] < wanted:
            wrong.append(f"{own['found'][points]} of {own['statements']} in {points} points, {wanted:g} are asked for")
        for family, mine in own["classes"].items():
            best, name = max((c["classes"][family][points], n) for n, c in counts.items() if n != OURS)
            if mine[points] < best:
                test = sign_test(*(by(parts[n], "family")[family] for n in (OURS, name)), points)
                said = f"{family}: {mine[points]} in {points} points, {best} by {name} (sign test {test:.2f})"
                wrong += [said] * (test <= chance)
    return wrong


def sign_test(mine: list[Mapping[str, Any]], theirs: list[Mapping[str, Any]], points: int) -> float:
    """Return the probability of as many statements that only they found, if each were theirs or ours alike."""
    pairs = [(within([a], points), within([b], points)) for a, b in zip(mine, theirs, strict=True)]
    lost, won = pairs.count((0, 1)), pairs.count((1, 0))
    return sum(math.comb(lost + won, k) for k in range(lost, lost + won + 1)) / 2 ** (lost + won)


def markdown(counts: Mapping[str, Any]) -> str:
    """Return the table of all statements, then one for each class."""
    looks = list(next(iter(counts.values()))["found"])
    head = [
        "| search | " + " | ".join(map(str, looks)) + " | outside | CPU, ms a point |",
        "|---" * (len(looks) + 3) + "|",
    ]
    lines = list(head)
    for name, one in counts.items():
        cells = [str(one["found"][points]) for points in looks]
        lines.append(f"| {name} | {' | '.join(cells)} | {one['outside']:.0%} | {one['milliseconds']:.2f} |")
    lines += ["", "| class | search | " + " | ".join(map(str, looks)) + " |", "|---" * (len(looks) + 2) + "|"]
    for family in next(iter(counts.values()))["classes"]:
        for name, one in counts.items():
            cells = [str(one["classes"][family][points]) for points in looks]
            lines.append(f"| {family} | {name} | {' | '.join(cells)} |")
    return "\n".join(lines)
