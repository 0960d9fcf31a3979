"""The page of phase diagrams: their pictures, and a line for each rule and record that decides cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from theorytools.reporting.phase_picture import panel_picture
from theorytools.reporting.phase_text import WORDS, Data, summary
from theorytools.reporting.typed_math import with_typed


def shelf(data: Data, hrefs: Mapping[str, str]) -> dict[str, Any]:
    """Return what the page says of a diagram: its pictures, its size, and a line for each rule and record.

    Parameters
    ----------
    data : a diagram as plain data.
    hrefs : where claims stand, by id.
    """
    lines = []
    for panel in data["panels"]:
        for rule in panel["rules"]:
            lines.append({
                "panel": panel["title"], "state": WORDS[rule["kind"]], "claim": rule["claim"],
                "href": hrefs.get(rule["claim"], ""), "cells": rule["cells"], "evidence": ", ".join(rule["evidence"]),
                "says": rule["says"], "carried": "; ".join(rule["spreads"]),
            })  # fmt: skip
        if panel["trained"]:
            reached = sum(row.count("1") for row in panel["trained"]["all"])
            lines.append({
                "panel": panel["title"], "state": WORDS["trained"], "claim": f"record {panel['trained']['sweep']}",
                "href": "", "cells": reached, "evidence": "fitted", "says": panel["trained"]["says"], "carried": "",
            })  # fmt: skip
    return {
        "name": data["name"], "title": data["title"], "task": with_typed(str(data["task"]), {}),
        "goal": with_typed(str(data["goal"]), {}), "agenda": with_typed(str(data["agenda"]), {}),
        "summary": summary(data), "current": data.get("current", True), "lines": lines,
        "panels": [panel_picture(data, panel) for panel in data["panels"]],
    }  # fmt: skip
