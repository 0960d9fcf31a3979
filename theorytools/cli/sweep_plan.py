"""The plan of a sweep for a terminal of any width: question, rule, power, and a line a cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from theorytools.cli.formats import fitted, hanging
from theorytools.training.plan import NOTE


def plan_text(data: Mapping[str, Any]) -> str:
    """Return a plan, from :func:`theorytools.training.plan.plan_json`, in lines that fit the terminal."""
    arms = [
        (row["arm"], str(row["trials"]), _told(row["half_width"], 2), _told(row["tells"], 2),
         " ".join(map(str, row["sizes"]))) for row in data["arms"]
    ]  # fmt: skip
    lines = [
        hanging("", f"{data['sweep']}: {data['title']}", 4),
        f"profile {data['profile']}, protocol {data['protocol']}", "",
        hanging("", data["question"]), "",
        *fitted([("arm", "trials", "half-width", "tells apart", "sizes"), *arms]), "",
        hanging("", f"assumed deviation of the logarithm: {data['noise']}; {NOTE}", 4),
    ]  # fmt: skip
    if data["cells"]:
        lines += ["", *_cell_lines(data)]
    return "\n".join([*lines, hanging("", f"rule, fixed beforehand: {data['rule']}", 4)])


def _told(x: float | None, digits: int) -> str:
    return "-" if x is None else f"{x:.{digits}f}"


def _cell_lines(data: Mapping[str, Any]) -> Iterator[str]:
    """A line a cell, why some were not timed, and what those that are take together as far as that is known."""
    cells = data["cells"]
    rows = [
        (row["arm"], "" if row["size"] is None else str(row["size"]), str(row["trials"]), str(row["stored"]),
         str(row["recorded"]), _told(row["took"], 0), _told(None if row["step"] is None else 1e3 * row["step"], 2),
         _told(row["steps"], 0), _told(row["seconds"], 0)) for row in cells
    ]  # fmt: skip
    yield from fitted(
        [("arm", "size", "trials", "stored", "recorded", "took s", "ms a step", "steps", "seconds"), *rows]
    )
    for row in cells:
        if row["why"]:
            at = "" if row["size"] is None else f" at {row['size']}"
            yield hanging("", f"{row['arm']}{at} is not timed: {row['why']}", 4)
    timed = [row for row in cells if row["step"] is not None]
    if timed:
        sure = [row["seconds"] for row in timed if row["seconds"] is not None]
        yield hanging("", f"steps were timed on {data['device']}, of a whole cell and without evaluations", 4)
        yield hanging("", f"{len(sure)} of these {len(timed)} cells ran before: with as many steps they take "
                          f"{sum(sure):.0f} s here", 4)  # fmt: skip
    missing = sum(row["trials"] - row["stored"] - row["recorded"] for row in cells)
    yield hanging("", f"{missing} trials are nowhere yet; took: seconds where the others ran", 4)
