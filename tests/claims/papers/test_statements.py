"""Statements of the papers: each is listed once, with a check or a reason, and each check belongs to one."""

import ast
from collections import Counter

from source_tree import CHECKS, ROOT

from theorytools import Catalogue
from theorytools.claims.papers.catalogue import read_entries

# arXiv 2503.11272v1, every numbered statement
NUMBERED = {
    "theorem": [1, 4, 6, 7, 9, 10],
    "definition": [2, 5],
    "proposition": [3, 8, 17, 21, 26, 28, 35],
    "lemma": [*range(11, 17), 18, 20, *range(22, 26), 29, 30, 32, 34, *range(36, 43)],
    "corollary": [19, 27, 31, 33],
    "assumption": [1, 2, 3],
    "figure": [1, 2, 3],
}


def test_every_numbered_statement_of_the_paper_is_listed():
    together = sorted(n for kind, numbers in NUMBERED.items() if kind not in ("assumption", "figure") for n in numbers)
    assert together == list(range(1, 43))  # the paper numbers its statements in one sequence
    listed = {statement.id for statement in Catalogue(CHECKS).paper("qstr").statements}
    wanted = {f"{kind}_{number:02d}" for kind, numbers in NUMBERED.items() for number in numbers}
    assert wanted - listed == set()


def test_a_statement_is_listed_once_with_a_check_or_a_reason_and_not_both():
    wrong = [
        f"{paper['key']}.{s['id']}: claims {s['claims']}, open = {s['open']!r}"
        for paper in Catalogue(CHECKS).index() for s in paper["statements"] if bool(s["claims"]) == bool(s["open"])
    ]  # fmt: skip
    assert not wrong, "\n".join(wrong)
    for paper in Catalogue(CHECKS).papers:
        assert [id for id, count in Counter(s.id for s in paper.statements).items() if count > 1] == []
    names = [n for p in Catalogue(CHECKS).papers for s in p.statements for n in {f"{p.key}.{s.id}", *s.aliases}]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    catalogue = Catalogue(CHECKS)
    ids = [entry.id for entry in catalogue.entries]
    assert len(set(ids)) == len(ids)
    homeless = [e.id for e in catalogue.entries if catalogue.paper(e.paper).statement_of(e.stem) is None]
    assert homeless == []


def test_every_file_of_a_paper_has_its_place_and_every_letter_is_made_once():
    public = [path for path in CHECKS.glob("*/**/*.py") if path.name != "notation.py" and path.name[0] != "_"]
    files = [path for path in public if path.parent.name not in ("sweeps", "phase")]
    assert {path.stem for path in public} - {path.stem for path in files} >= {"figure_01a", "selection"}
    found = [path.relative_to(ROOT).as_posix() for path in files]
    assert [name for name in found if not read_entries(ROOT / name)] == []
    for file in CHECKS.glob("*/notation.py"):
        made = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.Assign)]
        names = [target.id for node in made for target in node.targets]
        assert [name for name in set(names) if names.count(name) > 1] == [], file
