"""The page of the house is true: its rooms are those of the tree in their order, its functions where it says."""

import ast
import itertools
import re

from source_tree import ROOT
from test_architecture import ROOMS

TEXT = (ROOT / "docs" / "house.md").read_text(encoding="utf-8")
PICTURE = re.search(r"```text\n(.*?)```", TEXT, re.S)[1].split("\n ---")
ROW = re.compile(r"^\| \d+ \| .+ \| (.+) \| `([^`]+)` \|$", re.M)
SMALL = {
    "errors",
    "files",
    "content_cache",
    "closed_folder",
    "machine_key",
    "meaning",
    "notebook",
    "optional",
    "places",
    "interrupts",
    "shown",
    "progress",
    "reporting.canvas",
    "salts",
    "installed_papers",
}


def drawn(part):
    """The rooms of a part of the picture, line by line from its top."""
    lines = [re.split(r"\s{3,}", line[20:].strip())[0] for line in part.splitlines()[1:]]
    return [line.replace("/", ".").split() for line in lines]


def test_the_picture_has_every_room_once_and_those_above_first():
    level = {room: height for height, rooms in enumerate(ROOMS) for room in rooms}
    lines = drawn(PICTURE[1])
    named = [room for line in lines for room in line]
    assert len(named) == len(set(named))
    above = {room for room in level if room.startswith("papers") or room == "__main__"}
    apart = {"recheck", "recheck_objects"}
    own = {"claims.judging" if room == "claims" else room for room in level} - above - apart - SMALL
    assert {*named} - SMALL == own
    assert {room for line in drawn(PICTURE[2]) for room in line} == apart
    heights = [{level["claims" if room == "claims.judging" else room] for room in line} for line in lines]
    assert all(min(upper) > max(lower) for upper, lower in itertools.pairwise(heights))


def test_each_step_of_a_claim_is_a_function_of_its_file():
    rows = ROW.findall(TEXT)
    assert len(rows) == 14
    for names, file in rows:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        known = {getattr(node, "name", "") for node in tree.body}
        known |= {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        assert {*re.findall(r"`(\w+)`", names)} <= known, file


def test_the_page_is_short():
    assert len(TEXT.splitlines()) <= 90
