"""A report folder from somebody else: nothing outside it, and nothing of the user's, is read or changed."""

import random
import shutil

import pytest
from checkfolders import write
from foreign_folders import KINDS, SCRIPT, SECRET, users_files, watched

CODES = {0, 1, 2, 3, 4}
COMMANDS = [["report"], ["verify", "tiny.holds"], ["site", "public"], ["diff", "site"], ["list", "--summary"]]


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
    victim = tmp_path / "victim"
    victim.mkdir()
    for name in ("thesis.html", "tiny.holds.json", "index.html"):
        (victim / name).write_text(SECRET, encoding="utf-8")
    return tmp_path


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


@pytest.mark.parametrize("seed", range(6))
def test_a_strangers_folder_reaches_nothing_outside_it_and_nothing_of_the_users(cli, project, seed):
    assert attacked(cli, project, seed) == []
