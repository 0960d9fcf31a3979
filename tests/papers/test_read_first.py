"""The page of each paper names ten claims that exist, each with its file, and what the claims say fails is said to."""

import re

import pytest
from source_tree import ROOT

from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.cli.stored import committed

CATALOGUE = Catalogue(find_roots(ROOT / "checks"))
ROLES = ("statement", "sharpness", "pitfall")  # what a variant of another size or code may go, and these stay
ROW = re.compile(r"^\| `([^`]+)` \| (.+) \| `([^`]+)` \|$", re.M)


@pytest.mark.parametrize("paper", CATALOGUE.own_papers)
def test_the_ten_claims_to_read_first_exist_and_lie_where_the_page_says(paper):
    text = (ROOT / "checks" / paper / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    entries = {entry.id: entry for entry in CATALOGUE.select([paper])}
    known = committed(CATALOGUE, [paper])
    rows = ROW.findall(text)
    assert len({id for id, _, _ in rows}) == len(rows) == 10
    for id, said, file in rows:
        assert entries[id].path == ROOT / file
        assert known[id]["role"] in ROLES
        assert said
    for id in re.findall(rf"`({paper}\.[a-z0-9_.]+)`", text):
        assert id in entries, id
