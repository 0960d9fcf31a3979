"""A violation in a file: it replays, and what was forged or has gone stale is an error that says so."""

import json
import subprocess
import sys

import pytest
from source_tree import ROOT
from tiny import CHECK, write_checks

from theorytools import DomainError, Evidence
from theorytools.claims.judging.witness import read_witnesses, replay
from theorytools.claims.papers.catalogue import Catalogue, find_roots

NEEDED = (
    CHECK.replace("asserts=[value <= N],", "asserts=[value <= 9], requires=[N <= 9, N**2 >= 4],")
    .replace("grid=grid(N=[2, 3])", "grid=grid(N=[2, 9])")
    .replace("construct=lambda p: p.N,", "construct=lambda p: p.N + p.N // 10,")
    .replace('"one more", breaks=value, construct=lambda p: p.N + 1', '"far", breaks=value, construct=lambda p: 10**9')
)
FALSE = CHECK.replace("construct=lambda p: p.N,", "construct=lambda p: p.N if p.N < 5 else p.N + 1,")
KEPT = sorted((ROOT / "reports" / "witnesses").glob("*.json"))


@pytest.fixture
def project(cli, tmp_path):
    write_checks(tmp_path / "checks", lemma_01=NEEDED, lemma_03=FALSE)
    return tmp_path


# -- falsify and verify --witness --------------------------------------------------------------------------------------
def test_falsify_keeps_its_violation_in_the_folder_that_is_named_and_nothing_else(cli, project):
    before = {path for path in project.rglob("*") if path.is_file()}
    answer = cli("falsify", "toy.lemma_03", "--seconds", "5", "--json", "--save", "reports/witnesses")
    assert answer.code == 1
    made = {path for path in project.rglob("*") if path.is_file() and "__pycache__" not in path.parts} - before
    assert [path.relative_to(project).as_posix() for path in made] == ["reports/witnesses/toy.lemma_03.json"]
    assert answer.json["witness"].replace("\\", "/") == "reports/witnesses/toy.lemma_03.json"
    again = cli("verify", "--witness", "reports/witnesses/toy.lemma_03.json")
    assert again.code == 0
    assert "toy.lemma_03: VIOLATED at N=5 (exact)" in again.out
    assert not (project / "site").exists()


def test_falsify_writes_no_file_where_nothing_was_found_or_none_is_wanted(cli, project):
    assert cli("falsify", "toy.lemma_01", "--seconds", "0.3").code == 0
    assert cli("falsify", "toy.lemma_01", "--seconds", "0.3", "--save", "mine").code == 0
    assert cli("falsify", "toy.lemma_03", "--seconds", "5").code == 1
    assert not (project / "reports").exists()
    assert not (project / "mine").exists()
    assert cli("falsify", "toy.lemma_03", "--no-save").code == 2


def test_objects_that_are_drawn_leave_no_folder_of_hypothesis(tmp_path):
    command = [sys.executable, "-m", "theorytools", "falsify", "qstr.proposition_21_every", "--seconds", "0.3"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3), done.stderr
    assert list(tmp_path.iterdir()) == []


# -- necessity ---------------------------------------------------------------------------------------------------------
def test_necessity_tells_each_hypothesis_and_its_record_replays(cli, project):
    answer = cli("necessity", "toy.lemma_01", "--json")
    assert answer.code == 3
    (line,) = answer.json["claims"]
    states = {cell["hypothesis"]: cell["state"] for cell in line["cells"]}
    assert states == {"N <= 9": "needed", "N**2 >= 4": "unknown"}
    assert answer.json["counts"] == {"needed": 1, "not needed": 0, "defines": 0, "unknown": 1}
    assert "needed: N <= 9; violated at N=10 (by one), exact" in cli("necessity", "toy.lemma_01").out
    assert cli("necessity", "--record").code == 3
    path = project / "reports" / "witnesses" / "toy.lemma_01.json"
    (one,) = read_witnesses(path)["witnesses"]
    assert (one["hypothesis"], one["within"], one["point"]) == ("N <= 9", True, {"N": "10"})
    told = cli("verify", "--witness", str(path))
    assert (told.code, "toy.lemma_01 without 'N <= 9': VIOLATED at N=10 (exact)" in told.out) == (0, True)
    data = json.loads((project / "reports" / "necessity.json").read_text(encoding="utf-8"))
    assert [line["id"] for line in data["claims"]] == ["toy.lemma_01"]


def test_the_record_of_one_claim_leaves_the_lines_of_the_others(cli, project):
    write_checks(project / "checks", lemma_01=NEEDED, lemma_02=NEEDED)
    assert cli("necessity", "--record").code == 3
    path, kept = project / "reports" / "necessity.json", project / "reports" / "witnesses" / "toy.lemma_02.json"
    before = json.loads(path.read_text(encoding="utf-8"))
    assert [line["id"] for line in before["claims"]] == ["toy.lemma_01", "toy.lemma_02"]
    assert kept.is_file()
    none = NEEDED.replace("requires=[N <= 9, N**2 >= 4],", "").replace("grid(N=[2, 9])", "grid(N=[2])")
    write_checks(project / "checks", lemma_01=NEEDED + "\nspare = 1\n", lemma_02=none)
    assert cli("necessity", "toy.lemma_01", "--record").code == 3
    after = json.loads(path.read_text(encoding="utf-8"))
    assert after["made"] == before["made"]
    assert [one["claims"] for one in after["renewed"]] == [["toy.lemma_01"]]
    first, second = after["claims"]
    assert first["check"] != before["claims"][0]["check"]
    assert (first["cells"], second) == (before["claims"][0]["cells"], before["claims"][1])
    assert kept.is_file()
    assert cli("necessity", "toy.lemma_02", "--record").code == 0
    last = json.loads(path.read_text(encoding="utf-8"))
    assert (last["claims"], len(last["renewed"])) == ([first], 2)  # a claim without hypotheses has no line
    assert last["counts"] == {"needed": 1, "not needed": 0, "defines": 0, "unknown": 1}
    assert not kept.exists()
    path.unlink()
    answer = cli("necessity", "toy.lemma_01", "--record")
    assert (answer.code, "the lines of all other claims stay" in " ".join(answer.err.split())) == (2, True)


def test_a_note_decides_and_a_wrong_one_is_an_error(cli, project):
    notes = project / "checks" / "toy" / "necessity.toml"
    text = "[[note]]\nclaims = ['toy.lemma_01']\nhypothesis = '{}'\nproof = 'a number below 2 is below 9'\n"
    notes.write_text(text.format("N**2 >= 4"), encoding="utf-8")
    answer = cli("necessity", "toy.lemma_01")
    assert answer.code == 0
    assert "not needed: N**2 >= 4; a number below 2 is below 9" in answer.out
    notes.write_text(text.format("N <= 9"), encoding="utf-8")
    answer = cli("necessity", "toy.lemma_01")
    assert (answer.code, "violated at N=10" in answer.err) == (4, True)
    notes.write_text(text.format("N <= 8"), encoding="utf-8")
    answer = cli("necessity", "toy.lemma_01")
    assert (answer.code, "it has N <= 9; N**2 >= 4" in " ".join(answer.err.split())) == (4, True)


def test_a_point_worked_out_by_hand_counts_only_as_it_is_judged(cli, project):
    far = NEEDED.replace("asserts=[value <= 9]", "asserts=[value <= 4 * 10**6]")
    write_checks(project / "checks", lemma_01=far.replace("10**9", "10**12"))
    assert cli("necessity", "toy.lemma_01", "--json").json["counts"]["needed"] == 0
    notes = project / "checks" / "toy" / "necessity.toml"
    text = "[[note]]\nclaims = ['toy.lemma_01']\nhypothesis = 'N <= 9'\nat = '{}'\n"
    notes.write_text(text.format("N=4000001"), encoding="utf-8")
    assert "violated at N=3636365 (beyond one notch)" in " ".join(cli("necessity", "toy.lemma_01").out.split())
    for wrong in ("N=3636364", "M=4000001"):
        notes.write_text(text.format(wrong), encoding="utf-8")
        assert cli("necessity", "toy.lemma_01").code == 4


def test_the_object_of_a_control_is_made_again_when_its_violation_replays(cli, project):
    own = CHECK.replace("asserts=[value <= N],", "asserts=[value <= 9], requires=[x <= 8],")
    derived = "construct=lambda p: p.N, derived=[x], derive=lambda thing, p: {x: thing},"
    own = own.replace("construct=lambda p: p.N,", derived, 1).replace('"one more"', '"far"')
    own = own.replace("construct=lambda p: p.N + 1", "construct=lambda p: 99").replace("grid\n", "grid, letter\n", 1)
    own = own.replace("value = Quantity", 'x = letter("x", "a number")\nvalue = Quantity')
    write_checks(project / "checks", lemma_01=own)
    notes = project / "checks" / "toy" / "necessity.toml"
    text = "[[note]]\nclaims = ['toy.lemma_01']\nhypothesis = 'x <= 8'\ncontrol = '{}'\n"
    notes.write_text(text.format("far"), encoding="utf-8")
    assert "by the object of its control 'far', exact" in " ".join(cli("necessity", "toy.lemma_01").out.split())
    assert cli("necessity", "--record").code == 0
    path = project / "reports" / "witnesses" / "toy.lemma_01.json"
    assert read_witnesses(path)["witnesses"][0]["control"] == "far"
    assert "VIOLATED at" in cli("verify", "--witness", str(path)).out
    data = json.loads(path.read_text(encoding="utf-8"))
    for forged in ("near", 3):
        data["witnesses"][0]["control"] = forged
        path.write_text(json.dumps(data), encoding="utf-8")
        assert cli("verify", "--witness", str(path)).code == 2
    notes.write_text(text.format("near"), encoding="utf-8")
    assert cli("necessity", "toy.lemma_01").code == 4


def test_a_run_that_was_cut_off_goes_on_and_a_changed_check_is_searched_again(cli, project):
    assert cli("necessity", "toy.lemma_01").code == 3
    kept = project / "site" / "necessity" / "toy.lemma_01.json"
    data = json.loads(kept.read_text(encoding="utf-8"))
    data["cells"][0]["state"] = "unknown"
    data["cells"][0]["why"] = "as it was kept"
    kept.write_text(json.dumps(data), encoding="utf-8")
    assert "as it was kept" in cli("necessity", "toy.lemma_01").out
    assert "violated at N=10" in cli("necessity", "toy.lemma_01", "--fresh").out
    kept.write_text(json.dumps(data), encoding="utf-8")
    write_checks(project / "checks", lemma_01=NEEDED + "\nCHANGED = 1\n")
    assert "violated at N=10" in cli("necessity", "toy.lemma_01").out
    assert cli("necessity", "toy.lemma_01", "--record").code == 2


# -- forged and stale --------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def found():
    """The text of the witness, kept from the first search: it is a function of the check."""
    return []


@pytest.fixture
def kept(cli, project, found):
    path = project / "reports" / "witnesses" / "toy.lemma_01.json"
    if not found:
        cli("necessity", "--record")
        found.append(path.read_text(encoding="utf-8"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(found[0], encoding="utf-8")
    return path


FORGED = {
    "the point": ({"point": {"N": "7"}}, "lies elsewhere"),
    "a letter": ({"point": {"M": "10"}}, "has the letters M"),
    "no number": ({"point": {"N": "ten"}}, "does not replay"),
    "the distance": ({"within": False}, "lies elsewhere"),
    "the hypothesis": ({"hypothesis": "N <= 8"}, "no hypothesis 'N <= 8'"),
    "another hypothesis": ({"hypothesis": "N**2 >= 4"}, "lies elsewhere"),
    "no hypothesis": ({"hypothesis": ""}, "lies elsewhere"),
    "a number": ({"row": {"measured": "12"}}, "comes out as"),
    "the bound": ({"row": {"bound": ["8"]}}, "comes out as"),
    "the evidence": ({"row": {"evidence": "ENCLOSED"}}, "comes out as"),
    "an interval": ({"row": {"measured": ["E", 10, 10]}}, "comes out as"),
    "the assertion": ({"row": {"assertion": "value <= 8"}}, "does not assert"),
    "an object": ({"object": "7"}, "does not replay"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_file_is_an_error_that_says_so(cli, kept, name):
    change, said = FORGED[name]
    data = json.loads(kept.read_text(encoding="utf-8"))
    for key, value in change.items():
        data["witnesses"][0][key] = {**data["witnesses"][0]["row"], **value} if key == "row" else value
    kept.write_text(json.dumps(data), encoding="utf-8")
    answer = cli("verify", "--witness", str(kept))
    assert answer.code == 2
    text = " ".join(answer.err.split())
    assert said in text
    assert "forged, or stale" in text


def test_a_stale_file_is_an_error_and_a_statement_that_became_true_too(cli, kept, project):
    write_checks(project / "checks", lemma_01=NEEDED.replace("value <= 9", "value <= 99"))
    answer = cli("verify", "--witness", str(kept))
    assert (answer.code, "no row is refuted there" in " ".join(answer.err.split())) == (2, True)
    write_checks(
        project / "checks", lemma_01=NEEDED.replace("construct=lambda p: p.N + p.N // 10,", "construct=lambda p: 1,")
    )
    answer = cli("verify", "--witness", str(kept))
    assert (answer.code, "is refuted there" in " ".join(answer.err.split())) == (2, True)


HEAD = '{"schema": "theorytools.witness/1", "id": "a.b", "witnesses": '
NO_POINTS = {"hypothesis": "", "within": False, "point": {}, "object": "", "evaluations": 0, "row": {}}


@pytest.mark.parametrize("text", ["", "[]", "{}", HEAD + "[]}", HEAD + "[{}]}", HEAD + json.dumps([NO_POINTS]) + "}"])
def test_another_file_is_refused(cli, tmp_path, text):
    path = tmp_path / "file.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DomainError, match="file of witnesses"):
        read_witnesses(path)
    assert cli("verify", "--witness", str(path)).code == 2
    assert cli("verify", "qstr.lemma_11", "--witness", str(path)).code == 2


# -- those of the repository -------------------------------------------------------------------------------------------
def replayed(path):
    rows = replay(path, Catalogue(find_roots(ROOT / "checks")))
    assert rows
    for row in rows:
        assert row.truth is False
        assert row.evidence >= Evidence.SAMPLED
        assert row.evidence > Evidence.SAMPLED or 0 < row.measured.alpha <= 1e-6


def test_every_tenth_witness_of_the_repository_replays():
    assert KEPT
    for path in KEPT[::10]:
        replayed(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_every_witness_of_the_repository_replays(path):
    replayed(path)
