"""The picture of the task: what it says can be added up, fits its panels, and is the file of the documents."""

import re
from xml.etree import ElementTree

import pytest
from source_tree import ROOT

from theorytools.reporting.canvas import XMLNS
from theorytools.reporting.task_picture import (
    ASKED,
    HEADS,
    NETWORK,
    TASK,
    TOKENS,
    WIDTH,
    task_figure,
    task_panel,
    task_picture,
)

WIDE = {"tk-head": 8.2, "tk-token": 11.5}  # units of a sign of DejaVu Sans, the widest of the fonts that are asked for


def test_every_answer_is_the_sum_of_what_its_position_points_to():
    said = re.findall(r">([^<>]+)</text>", task_panel("task"))
    pointers = [
        tuple(int(n) - 1 for n in text[len("points to ") :].split(", ")) for text in said if "points to " in text[:10]
    ]
    assert tuple(pointers) == ASKED
    sums = [text.split(" = ") for text in said if " = " in text]
    assert [int(right) for _, right in sums] == [sum(TOKENS[at] for at in asked) for asked in ASKED]
    assert [[int(n) for n in left.split(" + ")] for left, _ in sums] == [[TOKENS[k] for k in asked] for asked in ASKED]
    assert all(f"is {token}" in ElementTree.fromstring(task_panel("task")).findtext("desc") for token in TOKENS)


@pytest.mark.parametrize("name", HEADS)
def test_nothing_of_a_panel_is_cut_off(name):
    root = ElementTree.fromstring(task_panel(name))
    assert root.get("role") == "img"
    assert len(root.findtext("desc")) > len(root.get("aria-label")) > 40
    height = TASK if name == "task" else NETWORK
    for one in root.iter("text"):
        wide = len(one.text) * WIDE.get(one.get("class"), 6.6)
        left = float(one.get("x")) - {"middle": wide / 2, "end": wide}.get(one.get("text-anchor"), 0)
        assert left >= -1, one.text
        assert left + wide <= WIDTH, one.text
        assert 0 < float(one.get("y")) <= height - 4
    assert "#" not in task_panel(name)  # its colours are those of the page


def test_the_file_of_the_documents_is_what_is_drawn():
    made = task_picture()
    assert (ROOT / "docs" / "task.svg").read_text("utf-8") == made, "python -m theorytools.reporting.task_picture"
    root = ElementTree.fromstring(made)
    assert len(root.findall(f"{{{XMLNS}}}svg")) == len(HEADS)
    assert root.findtext(f"{{{XMLNS}}}title")
    assert str(task_figure()).count("<svg") == len(HEADS)
