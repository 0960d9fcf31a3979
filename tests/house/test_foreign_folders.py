"""A report folder from somebody else: nothing outside it, and nothing of the user's, is read or changed."""

import copy
import json
import random
import shutil

import pytest
from checkfolders import write
from foreign_folders import KINDS, SCRIPT, SECRET, in_place, users_files, watched

from theorytools.claims.judging.archive import read_archive, write_archive
from theorytools.claims.judging.content_digest import sealed
from theorytools.cli.quick import Quick, confirm
from theorytools.reporting.manifest import ReportFolder
from theorytools.reporting.stored_verdicts import StoredVerdicts

SWAPPED = ["sections", "style.css", "verdicts/tiny.holds.json", "manifest.json"]
CODES = {0, 1, 2, 3, 4}
COMMANDS = [["report"], ["verify", "tiny.holds"], ["site", "public"], ["diff", "site"], ["can", "tiny.holds"]]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A project with a report, as ``verify`` leaves it."""
    return tmp_path_factory.mktemp("made")


@pytest.fixture
def project(cli, tmp_path, made):
    """A copy of a project with its report, and a folder of the user's beside it."""
    if not (made / "site").is_dir():
        write(tmp_path, "holds", "worded", "sampled")
        assert cli("verify").code == 0
        for name in ("checks", "site"):
            shutil.copytree(tmp_path / name, made / name)
    else:
        for name in ("checks", "site"):
            shutil.copytree(made / name, tmp_path / name)
        moved(tmp_path)
    victim = tmp_path / "victim"
    victim.mkdir()
    for name in ("thesis.html", "tiny.holds.json", "index.html"):
        (victim / name).write_text(SECRET, encoding="utf-8")
    return tmp_path


def moved(project):
    """Say in the list of a report that it is of the checks beside it."""
    path = project / "site" / "manifest.json"
    data = json.loads(path.read_text("utf-8"))
    data["origin"]["checks"] = str(project / "checks")
    path.write_text(json.dumps(data), "utf-8")


def kept(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def attacked(cli, project, seed):
    """One folder that a stranger has prepared, under each command; what is wrong afterwards."""
    rng = random.Random(seed)
    site, victim = project / "site", project / "victim"
    mine = users_files(site)
    for kind in rng.sample(KINDS, k=rng.randint(1, 3)):
        kind(site, victim, rng)
    mine = {path: text for path, text in mine.items() if path.is_file() and path.read_bytes() == text}
    before = kept(victim)
    wrong = []
    with watched(victim) as opened:
        for command in COMMANDS:
            answer = cli(*command)
            said = answer.out + answer.err
            wrong += [f"{command} ends with {answer.code}"] if answer.code not in CODES else []
            wrong += [f"{command} tells the secret"] if SECRET in said else []
            wrong += [f"{command} sends an escape"] if "\x1b" in said or "\0" in said else []
        wrong += [f"opened {found}" for found in opened]
    wrong += ["what lies outside has changed"] if kept(victim) != before else []
    wrong += [f"{path} of the user has changed" for path, text in mine.items()
              if not (path.is_file() and path.read_bytes() == text)]  # fmt: skip
    for path in (project / "public").rglob("*") if (project / "public").is_dir() else ():
        text = path.read_bytes() if path.is_file() else b""
        wrong += [f"{path} shows what a stranger wrote"] if SCRIPT.encode() in text or SECRET.encode() in text else []
    return wrong


@pytest.mark.parametrize("seed", [1, 3, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(20, 36))])
def test_a_strangers_folder_reaches_nothing_outside_it_and_nothing_of_the_users(cli, project, seed):
    assert attacked(cli, project, seed) == []


# -- verdicts that say more than their rows ------------------------------------------------------------------------
def own_row(verdict):
    return next(row for row in verdict["rows"] if not row["control"])


def all_exact(verdict):
    for row in verdict["rows"]:
        row.update(evidence="EXACT")
        row["measured"].update(evidence="EXACT", alpha=0.0)
    verdict.update(evidence="EXACT")


LIES = {  # each of a verdict of sampled rows, under a digest of its own, and what is wrong with it
    "outcome": (lambda v: v.update(outcome="REFUTED", as_expected=False), "do not give its outcome"),
    "as expected": (lambda v: v.update(as_expected=False), "do not give its as_expected"),
    "evidence": (lambda v: v.update(evidence="EXACT"), "do not give its evidence"),
    "evidence of a row": (lambda v: own_row(v).update(evidence="EXACT"), "do not give its evidence"),
    "exact intervals": (all_exact, "has an exact side with two ends"),
    "power": (lambda v: v.update(power=1.01), "do not give its power"),
    "powers": (lambda v: v.update(powers=dict.fromkeys(v["powers"], 1.01)), "do not give its"),
    "probability": (lambda v: v["alpha"].update(spent=1e-30), "may err with probability"),
    "probability allowed": (lambda v: v["alpha"].update(claim=1e-30), "errs with probability"),
    "probability of a row": (lambda v: own_row(v)["measured"].update(alpha=0.0), "is sampled with probability"),
    "reason": (lambda v: v.update(reason="a proof of all cases"), "do not give its reason"),
    "sizes": (lambda v: v["tested"].update(N={"least": "1", "most": "10**9"}), "schema"),
    "horizon": (lambda v: [h.update(constant=0.001) for h in v["horizon"].values()], "do not give its horizon"),
    "slack": (lambda v: own_row(v).update(slack=9.0), "do not give its slack"),
    "doubles": (lambda v: own_row(v)["measured"].update(show=[0.0, 0.0]), "do not give its measured"),
    "a control": (lambda v: v["controls"][0].update(broken=7), "do not give its controls"),
    "a row": (lambda v: v["rows"].pop(), "do not give its"),
    "no row": (lambda v: v.update(rows=[], outcome="UNDECIDED"), "without a row it has"),
}


@pytest.fixture
def lying(project):
    """Tell a lie in the stored verdict, under a digest of its own; return it and what will be said."""
    path = project / "site" / "verdicts" / "tiny.sampled.json"
    honest = json.loads(path.read_text("utf-8"))

    def lie(name):
        forged = copy.deepcopy(honest)
        change, said = LIES[name]
        change(forged)
        path.write_text(json.dumps(sealed(forged)), "utf-8")
        return sealed(forged), said

    return lie


def test_whatever_a_verdict_says_beyond_its_rows_is_found(project, lying):
    reading = StoredVerdicts(ReportFolder(project / "site"))
    assert reading.read("tiny.sampled.json")[1] == ""
    for name in LIES:
        _, said = lying(name)
        verdict, why = reading.read("tiny.sampled.json")
        assert (verdict, said in why) == (None, True), (name, why)


def test_a_verdict_that_its_rows_contradict_is_named_in_one_line_and_shown_nowhere(cli, project, lying):
    shutil.copytree(project / "site" / "verdicts", project / "honest" / "verdicts")
    path = project / "site" / "verdicts" / "tiny.sampled.json"
    forged, said = lying("reason")
    for command in (["site", "public"], ["report"]):
        answer = cli(*command)
        (line,) = answer.err.splitlines()
        assert "tiny.sampled.json" in line
        assert said in line
    for folder in ("site", "public"):
        assert ">sampled</a>" not in (project / folder / "claims.html").read_text("utf-8")
    answer = cli("diff", "honest", "site", "--json")
    assert [(change["id"], change["what"]) for change in answer.json["changes"]] == [("tiny.sampled", "claim")]
    assert said in answer.err
    assert cli("diff", path).code == 2
    assert cli("verify", "tiny.sampled").code == 0
    assert ">sampled</a>" in (project / "site" / "claims.html").read_text("utf-8")
    assert json.loads(path.with_name("tiny.sampled.json.before").read_text("utf-8")) == forged


def test_a_committed_verdict_that_says_more_than_its_rows_is_judged_again(cli, project):
    (project / "checks" / "tiny" / "worded.py").unlink()
    assert cli("verify", "--accept").code == 0
    path = project / "reports" / "tiny.verdicts.xz"
    whole = read_archive(path)
    forged = copy.deepcopy(dict(whole.verdicts))
    LIES["horizon"][0](forged["tiny.sampled"])  # which the independent checker does not ask for
    verdicts = [sealed(verdict) for verdict in forged.values()]
    path.write_bytes(write_archive("tiny", verdicts, whole.made, whole.code))
    shutil.rmtree(project / "site")
    plan = Quick(0, made={"tiny": whole.made}, same={verdict["id"]: verdict for verdict in verdicts})
    confirm(plan, 1)
    assert list(plan.confirmed) == ["tiny.holds"]
    assert "do not give its horizon" in plan.refused["tiny.sampled"]


# -- files of the user's among the verdicts -------------------------------------------------------------------------
def test_what_lies_where_a_verdict_is_written_is_said_before_and_kept(cli, project):
    store = project / "site" / "verdicts"
    own = {"tiny.holds.json": "my notes on it", "tiny.holds.json.before": "older notes"}
    for name, text in own.items():
        (store / name).write_text(text, "utf-8")
    answer = cli("verify", "--fresh", "tiny.holds")
    assert answer.code == 0
    (line,) = answer.err.splitlines()
    assert "in site/verdicts no run wrote tiny.holds.json: kept as NAME.before" in line
    assert (store / "tiny.holds.json.before").read_text("utf-8") == "older notes"
    assert (store / "tiny.holds.json.before1").read_text("utf-8") == "my notes on it"
    assert json.loads((store / "tiny.holds.json").read_text("utf-8"))["outcome"] == "HOLDS"
    assert cli("verify", "--fresh", "tiny.holds").err == ""


def test_thousands_of_files_of_the_users_among_the_verdicts_stay(cli, project):
    store = project / "site" / "verdicts"
    mine = [store / f"tiny.x{k}.json" for k in range(3000)] + [store / "tiny.holds.before.json"]
    for path in mine:
        path.write_text("mine", "utf-8")
    (project / "checks" / "tiny" / "worded.py").unlink()
    answer = cli("verify", "tiny.holds")
    assert (answer.code, answer.err.count("\n")) == (0, 1)
    assert not (store / "tiny.worded.json").exists()
    assert all(path.read_text("utf-8") == "mine" for path in mine)


# -- a link that is put in place while a command runs ----------------------------------------------------------------
@pytest.mark.parametrize(
    "place", ["verdicts", "tiny", *(pytest.param(place, marks=pytest.mark.slow) for place in SWAPPED)]
)
def test_a_link_that_comes_while_a_command_runs_is_not_followed(cli, project, monkeypatch, place):
    site, victim = project / "site", project / "victim"
    looked = ReportFolder.refuse_links_in

    def swapped(self, *arguments):
        looked(self, *arguments)
        if self.path.name == "site":
            in_place(site / place, lambda path: path.symlink_to(victim / "index.html" if "." in place else victim))

    before = kept(victim)
    monkeypatch.setattr(ReportFolder, "refuse_links_in", swapped)
    with watched(victim) as opened:
        for command in (["verify", "--fresh", "tiny.holds"], ["report"], ["site", "public"]):
            assert cli(*command).code in CODES
    assert (kept(victim), opened) == (before, [])
