"""Records of sweeps are not lost: by a smaller profile, in an installed package, or unread by a claim."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sweep_command import TINY, plant, planted, run, toy_sweep

from theorytools import Catalogue, Store, places
from theorytools.claims.judging.run import judge_entry
from theorytools.errors import DomainError, FolderError, RecordError
from theorytools.papers.qstr.training.experiment import cell
from theorytools.training import registration
from theorytools.training.record import read_record, recorded, restore, write_sweep_record
from theorytools.training.registration import require_committed
from theorytools.training.trials.provenance import described

SIZES = {"smoke": (4, 5), "published": (4, 5, 6), "wide": (4, 5, 6, 7)}
TOY = toy_sweep(lambda profile, protocol: [cell(2, N=N, protocol=protocol, **TINY) for N in SIZES[profile]])


@pytest.fixture
def checks(monkeypatch, tmp_path):
    plant(monkeypatch, TOY)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "checks"
    (folder / "mine").mkdir(parents=True)
    (folder / "mine" / "paper.toml").write_text('[paper]\nkey = "mine"\n', encoding="utf-8")
    return folder


def write(folder, profile, but=(), **options):
    with Store(folder.parent / f"{profile}{len(but)}.sqlite") as store:
        for group in TOY.groups(profile, "corrected"):
            for spec in group:
                if spec["N"] not in but:
                    store.add(spec, {"samples": spec["N"], "loss": 0.5})
        return write_sweep_record(
            folder / "mine", TOY, profile, "corrected", store, "cpu", **{"allow_dirty": True, **options}
        )


def test_a_record_is_replaced_only_by_one_that_holds_its_trials(checks):
    path = write(checks, "published")
    before = path.read_bytes()
    with pytest.raises(DomainError) as refused:
        write(checks, "smoke")
    assert path.read_bytes() == before
    assert "6 trials, profile published" in refused.value.given
    assert "2 of them would be lost: 2 of transformer at N = 6" in refused.value.why
    assert "--replace" in refused.value.advice
    assert write(checks, "published") == write(checks, "wide") == path  # as many trials, then more
    assert json.loads(path.read_text(encoding="utf-8"))["profile"] == "wide"
    write(checks, "smoke", replace=True)
    assert json.loads(path.read_text(encoding="utf-8"))["profile"] == "smoke"


def test_a_record_is_read_again_when_its_file_or_its_sweep_changed_and_only_then(checks):
    path = write(checks, "published")
    first = read_record(path, TOY, "corrected").trials[0]
    assert read_record(path, TOY, "corrected").trials[0] is first
    path.write_text(path.read_text(encoding="utf-8").replace('"loss":0.5', '"loss":0.25'), encoding="utf-8")
    assert read_record(path, TOY, "corrected").trials[0].result["loss"] == 0.25
    longer = replace(TOY, cells=lambda profile, protocol: TOY.groups("wide", protocol))
    with pytest.raises(RecordError, match="STALE"):
        read_record(path, longer, "corrected")


def test_a_trial_that_falls_from_a_complete_arm_to_the_unfinished_is_lost(checks, monkeypatch):
    two = lambda profile, protocol: [  # noqa: E731
        cell(1, N=N, protocol=protocol, **{**TINY, "architecture": a}) for a in ("ffn", "transformer") for N in (4, 5)
    ]
    one = replace(TOY, cells=two)
    plant(monkeypatch, one)
    for dropped in (None, ("transformer", 5)):
        with Store(checks / f"{dropped is None}.sqlite") as store:
            for (spec,) in one.groups("smoke", "corrected"):
                if (spec["architecture"], spec["N"]) != dropped:
                    store.add(spec, {"samples": 1, "loss": 0.5})
            if dropped is None:
                write_sweep_record(checks / "mine", one, "smoke", "corrected", store, "cpu", allow_dirty=True)
            else:
                with pytest.raises(DomainError, match="2 of transformer at N = 4, 5"):
                    write_sweep_record(checks / "mine", one, "smoke", "corrected", store, "cpu", allow_dirty=True)


def test_a_record_that_cannot_be_read_is_not_written_over(checks):
    path = write(checks, "smoke")
    path.write_text("{", encoding="utf-8")
    with pytest.raises(DomainError, match="cannot be read"):
        write(checks, "wide")
    with pytest.raises(RecordError, match="cannot be read"):
        read_record(path, TOY, "corrected")
    write(checks, "wide", replace=True)


def test_the_command_refuses_before_anything_runs(checks, tmp_path):
    path = write(checks, "published")
    with pytest.raises(DomainError, match="would be lost"):
        run("toy", "--record", "--allow-dirty", "--store", "new.sqlite")
    assert not (tmp_path / "new.sqlite").exists()
    # with the trials of the record first, its own profile runs nothing and loses nothing
    told = run("toy", "--profile", "published", "--from-record", "--record", "--allow-dirty", "--store", "new.sqlite")
    assert told.exit_code == 0
    assert "6 of 6 trials were there, 0 done" in told.output
    assert read_record(path, TOY, "corrected").sizes("transformer") == [4, 5, 6]


CLAIM = '''r"""A claim on a record.

Setting    None.
Statement  A number is at least 6.
Adversary  None.
Measured   The largest size.
Control    None of them.
Reads      A toy.
"""
from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.training.record import recorded

x = Quantity("x", "x", "size")
claim = Claim(
    "Toy", asserts=[x >= 6], grid=points("N", (6,)), construct=lambda p: recorded(__file__, "toy"),
    measure=lambda r, p: {x: exactly(max(t.spec["N"] for t in r.of("transformer", N=p.N)))},
    role="statement", scope={"every N": "points"}, source="derived here: Lemma 1",
    controls=[Control("less", breaks=x, measure=lambda r, p: {x: exactly(5)})],
)
'''


@pytest.mark.parametrize(("profile", "reason"), [(None, "no record"), ("smoke", "profile smoke"), ("small", "N = 6")])
def test_a_claim_without_the_cells_that_it_reads_is_undecided(checks, monkeypatch, profile, reason):
    (checks / "mine" / "lemma_01.py").write_text(CLAIM, encoding="utf-8")
    (entry,) = Catalogue(checks).select(["mine.lemma_01"])
    if profile == "small":
        monkeypatch.setitem(SIZES, "published", (4, 5))
    if profile:
        write(checks, "published" if profile == "small" else profile)
    verdict = judge_entry(entry)
    assert verdict.outcome.name == "UNDECIDED"
    assert reason in verdict.reason
    assert "theorytools sweep toy --profile published" in verdict.reason


# -- places --------------------------------------------------------------------------------------------------------
@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "lib" / "site-packages" / "theorytools" / "_checks" / "mine"
    (folder / "records" / "sweeps").mkdir(parents=True)
    return folder


def test_records_of_an_installed_library_lie_in_the_checks_of_the_user(package, tmp_path, monkeypatch):
    (tmp_path / "work" / "deeper").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    name, bundled = "sweeps/a.json", package / "records" / "sweeps" / "a.json"
    mine = tmp_path / "work" / "checks" / "mine" / "records" / "sweeps" / "a.json"
    bundled.write_text("{}")
    assert places.record_file(package, name) == bundled
    assert places.record_target(package, name) == mine
    mine.parent.mkdir(parents=True)
    mine.write_text("{}")
    (package / "records" / "sweeps" / "b.json").write_text("{}")
    monkeypatch.chdir(tmp_path / "work" / "deeper")  # a folder above, as everywhere
    assert places.record_file(package, name) == places.record_target(package, name) == mine
    assert [path.name for path in places.record_files(package, "sweeps")] == ["a.json", "b.json"]
    assert places.record_files(package, "sweeps")[0] == mine


def test_records_lie_beside_ones_own_checks_and_the_smoke_profile_is_not_read(checks):
    assert places.record_target(checks / "mine", "x.json") == checks / "mine" / "records" / "x.json"
    assert places.record_file(checks / "mine", "x.json") == checks / "mine" / "records" / "x.json"
    write(checks, "smoke")
    with pytest.raises(RecordError) as refused:
        recorded(checks / "mine" / "lemma.py", "toy")
    assert "--profile published" in refused.value.advice
    write(checks, "published")
    assert recorded(checks / "mine" / "lemma.py", "toy").sizes("transformer") == [4, 5, 6]


def test_a_folder_that_holds_nothing_but_records_is_made_and_read(checks, tmp_path):
    stored = ("toy", "--stored", "--store", tmp_path / "smoke0.sqlite")
    write(checks, "smoke")
    told = run(*stored, "--record", "--allow-dirty", "--checks", "elsewhere")
    assert told.exit_code == 0
    assert "decided by no claim: elsewhere holds no checks" in told.output
    (path,) = (tmp_path / "elsewhere").rglob("*.json")
    assert path.relative_to(tmp_path / "elsewhere").as_posix() == "qstr/records/sweeps/toy.corrected.json"
    told = run("toy", "--stored", "--store", "new.sqlite", "--from-record", "--checks", "elsewhere")
    assert (told.exit_code, "4 of 4 trials were there" in told.output) == (0, True)


def test_a_folder_in_an_installed_package_is_refused_by_name(package, checks):
    with pytest.raises(FolderError, match="installed package") as refused:
        run("toy", "--record", "--allow-dirty", "--checks", package.parent)
    assert str(checks) in refused.value.advice
    assert list((package / "records" / "sweeps").iterdir()) == []


def test_a_record_of_uncommitted_code_says_so(checks, monkeypatch, capsys):
    for commit, said in (("0123abc-dirty", True), ("0123abc", False), ("", True)):
        monkeypatch.setattr(registration, "described", lambda folder, commit=commit: commit)
        write(checks, "smoke")
        told = run("toy", "--store", f"s{commit}.sqlite", "--from-record", "--record", "--allow-dirty")
        assert ("from uncommitted code" in told.output) == said
        again = ("toy", "--store", f"s{commit}.sqlite", "--stored", "--record", "--allow-dirty", "--json")
        data = json.loads(run(*again).output)
        assert data["uncommitted"] == said
        assert Path(data["record"]).is_file()


@pytest.fixture
def repository(checks):
    """The checks in a repository of their own, all committed."""
    names = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "checks"], [*names, "commit", "-qm", "the rule"]):
        subprocess.run(["git", *words], cwd=checks.parent, check=True)
    return checks


def test_a_record_names_the_commit_of_a_clean_tree_which_records_do_not_make_dirty(repository):
    path = write(repository, "published", allow_dirty=False)
    commit = json.loads(path.read_text(encoding="utf-8"))["provenance"]["commit"]
    assert described(repository) == commit != ""
    subprocess.run(["git", "add", "checks"], cwd=repository.parent, check=True)
    assert path == write(repository, "wide", allow_dirty=False)


def test_a_record_keeps_when_the_first_one_in_its_place_was_made(checks):
    first = json.loads(write(checks, "smoke").read_text(encoding="utf-8"))["provenance"]
    assert "earlier" not in first
    for profile in ("published", "wide"):
        made = json.loads(write(checks, profile).read_text(encoding="utf-8"))["provenance"]
        assert made["earlier"] == {name: first[name] for name in ("created", "commit")}


def test_a_dirty_record_is_refused_before_anything_runs(repository, tmp_path):
    with (repository / "mine" / "paper.toml").open("a", encoding="utf-8") as paper:
        paper.write("# changed\n")
    with pytest.raises(DomainError) as refused:
        run("toy", "--profile", "published", "--record", "--checks", repository, "--store", "new.sqlite")
    assert not (tmp_path / "new.sqlite").exists()
    assert "--record of toy from files that differ from the commit" in refused.value.given
    assert (refused.value.required, "--allow-dirty" in refused.value.advice) == (
        "a commit that holds the code and the rule", True)  # fmt: skip
    with pytest.raises(DomainError, match="differ from the commit"):
        write(repository, "published", allow_dirty=False)


def test_neither_a_clean_tree_nor_another_record_makes_dirty_trials_clean(repository, tmp_path):
    """Trials name the commit of the code that computed them, and a record that took them keeps it."""
    dirty = f"{'0' * 40}-dirty"
    with Store(tmp_path / "s.sqlite") as store:
        specs = [spec for group in TOY.groups("smoke", "corrected") for spec in group]
        for k, spec in enumerate(specs):  # one of them is enough
            store.add(spec, {"samples": 4, "loss": 0.5}, provenance={"commit": "1" * 40 if k else dirty})
        with pytest.raises(DomainError, match="differ from the commit 000000000000"):
            write_sweep_record(repository / "mine", TOY, "smoke", "corrected", store, "cpu")
        write_sweep_record(repository / "mine", TOY, "smoke", "corrected", store, "cpu", allow_dirty=True)
    with Store(tmp_path / "again.sqlite") as again:
        restore(repository / "mine", planted(), "corrected", again)
        with pytest.raises(DomainError, match="differ from the commit 000000000000"):
            write_sweep_record(repository / "mine", planted(), "smoke", "corrected", again, "cpu")


@pytest.mark.parametrize("commit", ["", None])
def test_a_record_that_names_no_commit_is_not_read(checks, commit):
    path = write(checks, "published")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["provenance"]["commit"] == "none-dirty"  # outside of any repository, and asked for
    data["provenance"] = {**data["provenance"], "commit": commit}
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(RecordError, match="names no commit") as refused:
        read_record(path, TOY, "corrected")
    assert refused.value.required == "the commit whose code computed its trials"
    assert "--record --stored" in refused.value.advice


def test_outside_of_any_repository_and_with_a_loose_sweep_a_record_is_refused(checks, repository):
    loose = replace(TOY, file=repository / "mine" / "sweeps" / "toy.py")
    loose.file.parent.mkdir()
    loose.file.write_text("sweep = ...\n", encoding="utf-8")
    with pytest.raises(DomainError, match=r"toy\.py, which is in no commit"):
        require_committed(loose, described(repository))
    with pytest.raises(DomainError, match="no repository"):
        require_committed(TOY, "")


def test_without_torch_a_sweep_names_the_extra(checks, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "theorytools.papers.qstr.training.search", raising=False)
    with pytest.raises(ImportError, match=r"theorytools\[torch\]"):
        run("toy", "--store", "s.sqlite")
    assert not (checks.parent / "s.sqlite").exists()
