"""Phase diagrams: the recorded cells hold when judged again, contradictions are refused, and spoiled rules are seen."""

import json
import random
import re
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import pytest
import sympy
from source_tree import ROOT

from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.verdict import Outcome
from theorytools.claims.language.control import Control
from theorytools.claims.language.estimate import Evidence
from theorytools.errors import CheckError, DomainError
from theorytools.phase.declaration import Axis, Panel, Phase, Rule, Spread, load_phase, named, phases
from theorytools.phase.diagram import Claims, decide, decision, judged, spoiled
from theorytools.phase.edges import edge_of, margin_of
from theorytools.phase.stored import DIGITS, plain, read_record
from theorytools.reporting.canvas import XMLNS
from theorytools.reporting.phase_picture import picture
from theorytools.reporting.phase_text import printed, share, state_of, table

NAMES = (
    "qstr.heads", "qstr.precision", "qstr.samples", "qstr.slope",
    "sep.index_lookup_bits", "sep.widths", "stsq.encodings",
)  # fmt: skip
RECORD = {one["name"]: one for one in read_record(ROOT, ROOT / "checks")}


@cache
def declared(name):
    return load_phase(named(name, ROOT / "checks"))


def small(name, across, up, panels=slice(1)):
    """A diagram on few of its sizes."""
    phase = declared(name)
    return replace(phase, across=replace(phase.across, values=across), up=replace(phase.up, values=up),
                   panels=phase.panels[panels])  # fmt: skip


def deciding(data, name):
    """The cells at which a claim was judged and decides: panel number, place, rule number."""
    for k, panel in enumerate(data["panels"]):
        for i, row in enumerate(panel["cells"]):
            for j, letter in enumerate(row):
                if letter not in " .t" and panel["judged"][i][j] == "1":
                    yield k, (i, j), DIGITS.index(letter)


def test_the_diagrams_stand_beside_the_checks_and_in_the_record():
    assert tuple(phases(ROOT / "checks")) == NAMES == tuple(RECORD)
    assert all(one["current"] for one in RECORD.values()), "theorytools phase --record"


@pytest.mark.parametrize("name", NAMES)
def test_recorded_cells_are_decided_again_by_their_claims(name):
    """A seeded sample of the cells at which a claim was judged, one for each rule and two more."""
    phase, cells = declared(name), list(deciding(RECORD[name], name))
    chosen = {(k, rule): (k, place, rule) for k, place, rule in random.Random(name).sample(cells, len(cells))}
    sample = [*chosen.values(), *random.Random(f"{name} again").sample(cells, min(2, len(cells)))]
    claims = Claims(phase)
    for k, place, number in sample:
        panel = phase.panels[k]
        rule = panel.rules[number]
        found = judged(phase, panel, rule, claims.of(rule.claim), place)
        evidence = decision(phase, panel, rule, found, place)
        letter = {Evidence.EXACT: "x", Evidence.ENCLOSED: "n"}[evidence]
        assert RECORD[name]["panels"][k]["evidence"][place[0]][place[1]] == letter


@pytest.mark.parametrize("name", ["qstr.heads", "qstr.slope", "sep.index_lookup_bits", "sep.widths", "qstr.precision"])
def test_a_deciding_claim_holds_with_its_controls_at_a_cell_of_each_rule(name):
    phase, claims, seen = declared(name), Claims(declared(name)), set()
    for k, place, number in random.Random(f"{name} controls").sample(
        cells := list(deciding(RECORD[name], name)), len(cells)
    ):
        rule = phase.panels[k].rules[number]
        if rule.claim in seen:
            continue
        claim, point = claims.of(rule.claim), rule.asked(phase.cell(phase.panels[k], place))
        outcome = judge(claim, rule.claim, [point]).outcome
        if outcome is not Outcome.POWERLESS:  # at a point of its own a control may not apply
            assert outcome is Outcome.HOLDS
            seen.add(rule.claim)
    assert seen == {rule.claim for panel in phase.panels for rule in panel.rules}


@pytest.mark.parametrize("name", NAMES)
def test_cells_that_are_carried_on_are_refuted_nowhere(name):
    """A monotonicity is stated; where the claim can be judged beyond the cell that it starts from, it does not fail."""
    phase, data, claims = declared(name), RECORD[name], Claims(declared(name))
    carried = [
        (k, (i, j), DIGITS.index(letter))
        for k, panel in enumerate(data["panels"]) for i, row in enumerate(panel["cells"])
        for j, letter in enumerate(row) if letter not in " .t" and panel["judged"][i][j] == "0"
    ]  # fmt: skip
    for k, place, number in random.Random(f"{name} carried").sample(carried, min(5, len(carried))):
        panel = phase.panels[k]
        found = judged(phase, panel, panel.rules[number], claims.of(panel.rules[number].claim), place)
        assert found is None or not any(row.truth is False for row in found.rows)


def test_every_rule_decides_a_cell():
    idle = [(data["name"], panel["title"], rule["claim"]) for data in RECORD.values() for panel in data["panels"]
            for rule in panel["rules"] if not rule["cells"]]  # fmt: skip
    assert not idle


def test_counts_of_the_record_are_those_of_its_cells():
    for data in RECORD.values():
        total = dict.fromkeys(("possible", "impossible", "trained", "open"), 0)
        for panel in data["panels"]:
            states = [state_of(panel, i, j) for i, row in enumerate(panel["cells"]) for j in range(len(row))]
            assert {name: states.count(name) for name in total} == panel["counts"]
            total = {name: total[name] + states.count(name) for name in total}
        assert total == data["counts"]


def test_nothing_is_proved_by_samples_or_fits():
    for data in RECORD.values():
        for panel in data["panels"]:
            assert set("".join(panel["evidence"])) <= set("xn- ")
            assert all(set(rule["evidence"]) <= {"exact", "enclosed"} for rule in panel["rules"])


# -- boundaries ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", NAMES)
def test_a_boundary_has_what_its_rule_decides_on_one_side(name):
    """Where the drawn function is positive beyond the level an impossible cell may stand, and nowhere else."""
    phase, data, claims = declared(name), RECORD[name], Claims(declared(name))
    for k, panel in enumerate(phase.panels):
        for number, rule in enumerate(panel.rules):
            formula = margin_of(phase, panel, rule, claims.of(rule.claim))
            if formula is None:
                continue
            signs = set()
            for i, row in enumerate(data["panels"][k]["cells"]):
                for j, letter in enumerate(row):
                    if letter == DIGITS[number]:
                        cell = phase.cell(panel, (i, j))
                        value = float(formula.subs({s: cell[s.name] for s in formula.free_symbols}))
                        signs |= {(value > 0) - (value < 0)} - {0}
            assert len(signs) <= 1, (panel.title, rule.claim)


def test_a_boundary_lies_on_the_bound():
    phase = declared("qstr.heads")
    panel, claims = phase.panels[0], Claims(phase)
    line = edge_of(phase, panel, panel.rules[0], claims.of(panel.rules[0].claim))[0]
    for q, heads in line:
        assert abs(2 * (1 - heads / q) * (1 - heads / 8) - 0.1) < 1e-6


def test_a_boundary_is_a_hypothesis_or_a_bound_of_the_claim():
    phase = declared("stsq.encodings")
    claim, rule = Claims(phase).of("stsq.neighborly_lower"), phase.panels[0].rules[0]
    q, d_e = phase.across.letter, phase.up.letter
    with pytest.raises(CheckError, match="hypotheses"):
        margin_of(phase, phase.panels[0], replace(rule, edge=[d_e <= 3 * q - 1]), claim)
    with pytest.raises(CheckError, match="two axes"):
        margin_of(phase, phase.panels[0], replace(rule, edge=d_e - sympy.Symbol("x")), claim)


# -- controls: a spoiled diagram is refused, or its cells change -----------------------------------------------------
def test_a_cell_that_is_both_is_a_contradiction():
    """The decoder's error taken for the bound of attention that keeps data and positions apart."""
    phase = small("qstr.heads", (1, 2, 3, 4), (1, 2, 3))
    panels = declared("qstr.heads").panels
    both = replace(phase.panels[0], fixed=panels[1].fixed, rules=[panels[2].rules[0], panels[1].rules[1]])
    with pytest.raises(
        CheckError, match=r"impossible by qstr.proposition_21_every .* possible by qstr.proposition_03_dec"
    ):
        decide(replace(phase, panels=[both]))


def test_a_trained_network_where_a_theorem_excludes_one_is_a_contradiction():
    phase = small("qstr.heads", (2, 3), (1, 2, 3), slice(2, 3))
    panel = phase.panels[0]
    lucky = replace(panel.trained, read=lambda: [({"q": 3, "H": 1}, "a lucky run")])
    with pytest.raises(CheckError, match="a lucky run"):
        decide(replace(phase, panels=[replace(panel, trained=lucky)]))
    fine = replace(panel.trained, read=lambda: [({"q": 3, "H": 3}, "a run"), ({"q": 99, "H": 3}, "off the axes")])
    assert decide(replace(phase, panels=[replace(panel, trained=fine)])).panels[0].trained == {(2, 1): "a run"}


def test_a_rule_asked_at_another_point_changes_the_cells_or_contradicts():
    phase = small("sep.index_lookup_bits", (8, 16, 32), (16, 32, 64))
    honest = decide(phase)
    half = {**phase.panels[0].rules[0].at, "m": phase.up.letter / 2}
    fewer = decide(spoiled(phase, 0, 0, at={**half, "m": 2 * phase.up.letter}))
    assert fewer.counts()["impossible"] < honest.counts()["impossible"]
    with pytest.raises(CheckError, match="required: a cell that is not both"):
        decide(spoiled(phase, 0, 0, at={**half, "m": phase.up.letter / 4}))


def with_bound(monkeypatch, id, factor):
    """The claims of a diagram, the bounds of one of them multiplied."""
    honest = Claims.of

    def of(claims, asked):
        claim = honest(claims, asked)
        if asked != id:
            return claim
        first = claim.assertions[0]
        control = Control("another object", breaks=first.quantity, construct=lambda p: None)
        return replace(claim, asserts=first.quantity >= factor * first.expr, controls=[control])

    monkeypatch.setattr(Claims, "of", of)


def test_a_bound_that_is_too_strong_fails_at_a_cell_and_says_where(monkeypatch):
    with_bound(monkeypatch, "qstr.proposition_03_sharp", 2)
    with pytest.raises(CheckError, match=r"proposition_03_sharp --at N=\d+ --at d=8"):
        decide(small("qstr.heads", (3, 4, 5), (1, 2, 3)))


def test_a_bound_that_is_too_weak_leaves_cells_open(monkeypatch):
    phase = small("qstr.heads", (3, 4, 5), (1, 2, 3))
    honest = decide(phase).counts()
    with_bound(monkeypatch, "qstr.proposition_03_sharp", sympy.Rational(1, 10))
    weak = decide(phase).counts()
    assert honest["open"] == 0 < weak["open"]
    assert weak["impossible"] < honest["impossible"]


def test_a_level_that_is_easier_leaves_fewer_cells_impossible():
    phase = small("qstr.heads", (4, 8, 12), (1, 3, 5, 7))
    strict, easy = (decide(replace(phase, level=sympy.Rational(level))).counts() for level in ("1/10", "1"))
    assert easy["impossible"] < strict["impossible"]
    assert easy["possible"] >= strict["possible"]


def test_a_level_that_moves_along_a_spread_is_refused():
    phase = small("qstr.heads", (2, 3), (1, 2))
    with pytest.raises(CheckError, match="a level that stays"):
        decide(replace(phase, level=1 / (10 * phase.up.letter)))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"claim": "qstr.proposition_03"}, "a value for each of"),
        ({"claim": "qstr.proposition_03_reading"}, "expects REFUTED"),
        ({"claim": "qstr.proposition_03_decoder", "over": ["every N, d, q, H"]}, "these points"),
        ({"over": ["every network"]}, "not in the scope"),
        ({"over": ["qstr.theorem_04_erm: every sample"]}, "drawn"),
        ({"quantity": "loss"}, "has no quantity"),
        ({"kind": "possible"}, "an object that is built"),
    ],
)
def test_a_rule_says_no_more_than_its_claim(changes, said):
    with pytest.raises(CheckError, match=said):
        Claims(spoiled(declared("qstr.heads"), 0, 0, **changes))


def test_declarations_are_refused_that_say_nothing():
    q = sympy.Symbol("q")
    with pytest.raises(CheckError, match="over="):
        Rule(kind="impossible", claim="a.b", quantity="x", at={}, says="all")
    with pytest.raises(CheckError, match="says="):
        Rule(kind="possible", claim="a.b", quantity="x", at={}, says=" ")
    with pytest.raises(CheckError, match="possible or impossible"):
        Rule(kind="likely", claim="a.b", quantity="x", at={}, says="all")
    with pytest.raises(CheckError, match="reason"):
        Spread(letter=q, direction="up", reason="")
    with pytest.raises(CheckError, match="increasing"):
        Axis(letter=q, values=(2, 1))
    axis = Axis(letter=q, values=(1, 2))
    for relation, panels in (("<", [Panel(title="a", rules=[])]), ("<=", []), ("<=", [Panel(title="a", rules=[])] * 2)):
        with pytest.raises(CheckError):
            Phase(
                title="t",
                task="t",
                goal="g",
                level=1,
                across=axis,
                up=axis,
                panels=panels,
                agenda="",
                relation=relation,
            )


# -- words and pictures --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("part", "whole", "said"), [(0, 480, "0 %"), (1, 480, "< 1 %"), (149, 480, "31 %"), (3, 3, "100 %")]
)
def test_the_open_region_in_per_cent(part, whole, said):
    assert share(part, whole) == said


def test_the_table_has_every_cell_with_its_claim():
    for data in RECORD.values():
        lines = [line.split(",") for line in table(data).splitlines()]
        assert len(lines) - 1 == sum(data["counts"].values())
        rows = [
            dict(zip(lines[0], line[-len(lines[0]) :], strict=True)) for line in lines[1:] if '"' not in ",".join(line)
        ]
        for row in rows:
            assert bool(row["claim"]) == (row["state"] in ("possible", "impossible"))
            assert (row["evidence"] == "fitted") == (row["state"] == "trained")


def test_pictures_have_words_patterns_and_are_small():
    pictures = [picture(data) for data in RECORD.values()]
    assert sum(map(len, pictures)) < 150_000
    for text, data in zip(pictures, RECORD.values(), strict=True):
        assert text.count('role="img"') == 1 + len(data["panels"])
        assert "url(#ph-x)" in text
        claims = {rule["claim"] for panel in data["panels"] for rule in panel["rules"] if rule["cells"]}
        assert all(claim in text for claim in claims)
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
        aloud = [svg.get("aria-label") for svg in ElementTree.fromstring(text).iter(f"{{{XMLNS}}}svg")][1:]
        assert [said.rpartition(": ")[0] for said in aloud] == [
            f"{data['title']}, {panel['title']}" for panel in data["panels"]
        ]


def test_a_diagram_is_plain_json_and_prints():
    data = plain(decide(small("qstr.heads", (1, 2, 3, 4), (1, 2, 3))))
    assert json.loads(json.dumps(data))["counts"] == data["counts"]
    lines = printed(data).splitlines()
    assert lines[-2] == "open: 0 % of 12 cells"
    assert [line.split()[-4:] for line in lines[5:8]] == [
        ["+", "+", "+", "x"],
        ["+", "+", "x", "x"],
        ["+", "x", "x", "x"],
    ]


def test_a_wrong_name_suggests_near_ones():
    assert named("heads", ROOT / "checks") == named("qstr.heads", ROOT / "checks")
    with pytest.raises(DomainError, match=r"did you mean qstr.heads"):
        named("qstr.haeds", ROOT / "checks")


@pytest.mark.parametrize("name", NAMES)
def test_a_diagram_fits_a_narrow_terminal_and_loses_nothing(name):
    narrow, wide = (printed(RECORD[name], width) for width in (40, 400))
    assert [line for line in narrow.splitlines() if len(line) > 40 and len(line.split()) > 1] == []
    assert "".join(narrow.split()) == "".join(wide.split())
    rows = re.compile(r"^ *\w* +\d+ [+xo. ]+$", re.M)  # of cells: each whole
    cells, same = ([row.replace(" ", "") for row in rows.findall(text)] for text in (narrow, wide))
    assert cells == same
    assert len(cells) > 4
