"""``falsify``: search a claim's hypotheses for a violation and say what was found."""

from __future__ import annotations

import json as json_module
import math
from pathlib import Path
from typing import Any

from theorytools.cli import UNDECIDED, UNEXPECTED, talking
from theorytools.errors import DomainError, TheoryError


def falsify_claim(id: str, seconds: float, checks: Path | None, as_json: bool) -> int:
    """Run the search; 1 for an unexpected violation, 3 where a known one was not found or nothing was tried."""
    from theorytools.claims.judging.falsify import falsify
    from theorytools.claims.papers.catalogue import Catalogue, find_roots
    from theorytools.claims.papers.loading import broken, load

    if not math.isfinite(seconds):
        raise DomainError(f"--seconds {seconds}", required="a number of seconds", why="the search must end")
    chosen = Catalogue(find_roots(checks)).select([id])
    exact = [entry for entry in chosen if entry.id == id] or chosen
    if len(exact) > 1:
        raise DomainError(f"the id {id!r}", required="one claim", advice=" or ".join(entry.id for entry in exact))
    try:
        with talking(as_json):
            claim = load(exact[0])
            found = falsify(claim, exact[0].id, seconds=seconds)
    except TheoryError:
        raise
    except Exception as error:
        raise broken(exact[0].path, error) from error
    data = found.to_json()
    expected = (found.row is None) == (claim.expect == "HOLDS")
    code = 0 if expected else UNEXPECTED if found.row is not None else UNDECIDED
    if not data["evaluations"]:
        code = UNDECIDED
    if as_json:
        print(json_module.dumps({**data, "exit": code}, ensure_ascii=False, allow_nan=False))
    else:
        _tell(exact[0].id, data)
    return code


def _tell(id: str, data: dict[str, Any]) -> None:
    from theorytools.reporting.text import number, point_text

    left = f", {data['open']} not judged" if data["open"] else ""
    tried = (
        f"{data['evaluations']} points tried, {data['outside']} outside the hypotheses{left}, {data['seconds']:.1f} s"
    )
    row = data["violation"]
    if not data["evaluations"]:
        print(f"{id}: nothing was tried ({tried}); give more --seconds")
        _tell_region(data)
        return
    if row is None:
        print(f"{id}: no violation found ({tried}); this corroborates and proves nothing")
        _tell_region(data)
        return
    print(f"{id}: VIOLATED at {point_text(row['point'])} ({tried})")
    print(
        f"{row['assertion']}: measured {number(row['measured'])}, bound {' … '.join(number(b) for b in row['bound'])}"
    )
    if data["object"]:
        print(f"object: {data['object']}")
    print(f"evidence: {row['evidence'].lower()}; re-judged with the claim's whole budget")
    _tell_region(data)
    at = " ".join(f"--at {name}={value}" for name, value in row["point"].items())
    if not data["object"]:
        print(f"reproduce: theorytools verify {id} {at}")


def _tell_region(data: dict[str, Any]) -> None:
    """Say for every axis how far the points inside the hypotheses reached, and why some were not judged."""
    for name, part in data["region"].items():
        words = part.get("words")
        reach = ", ".join(words) if words else f"{part['low']} to {part['high']}"
        print(f"searched: {name} in {reach} ({part['values']} {'value' if part['values'] == 1 else 'values'})")
    if data["failure"]:
        print(f"not judged, first: {data['failure']}")
