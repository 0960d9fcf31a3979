"""A quick run: what is taken from the committed record, what is judged, and what a record that lies comes to."""

import json
import shutil

import pytest
from checkfolders import HOLDS, check, write
from hypothesis import given
from hypothesis import strategies as st

from theorytools.claims.judging.archive import archive_path, read_archive, write_archive
from theorytools.claims.judging.committed_record import write_committed
from theorytools.claims.judging.content_digest import sealed
from theorytools.claims.judging.run import run
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.cli import golden, quick
from theorytools.cli.stored import Store
from theorytools.errors import DomainError

IDS = ["tiny.holds", "tiny.sampled", "tiny.worded"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder whose claims were judged and whose record is committed."""
    folder = tmp_path_factory.mktemp("made")
    store = Store(folder / "site")
    catalogue = Catalogue(write(folder, "holds", "sampled", "worded"))
    store.prepare(catalogue)
    for result in run([(entry, {}) for entry in catalogue.entries]):
        store.keep(result.entry, result.verdict)
    golden.accept(catalogue, store.path)
    return folder


@pytest.fixture
def project(made, tmp_path):
    """The same folder as a fresh clone has it: without a report."""
    for name in ("checks", "reports"):
        shutil.copytree(made / name, tmp_path / name)
    return tmp_path / "checks"


@pytest.fixture
def no_sample(monkeypatch):
    monkeypatch.setattr(quick, "SECONDS", 0.0)


def archive(project):
    return archive_path(Catalogue(project).paper("tiny"))


def forged(project, change):
    """Replace the committed record by one whose verdict of ``tiny.holds`` is changed, every seal made anew."""
    path = archive(project)
    old = read_archive(path)
    verdicts = []
    for id, verdict in old.verdicts.items():
        data = json.loads(json.dumps(verdict))
        if id == "tiny.holds":
            change(data)
        verdicts.append(sealed({name: part for name, part in data.items() if name != "digest"}))
    path.write_bytes(write_archive("tiny", verdicts, old.made, old.code))
    path.with_name("tiny.json").write_text(write_committed("tiny", verdicts, old.made), encoding="utf-8")


@pytest.mark.usefixtures("no_sample")
def test_what_is_as_it_was_is_confirmed_and_every_page_says_so(cli, project, tmp_path):
    answer = cli("verify", "--quick")
    assert answer.code == 0
    assert answer.out.splitlines()[-1].startswith("0 judged here, 3 confirmed from the committed record of ")
    assert "3 of 3 as expected" in answer.out
    assert not list((tmp_path / "site" / "verdicts").iterdir())  # nothing was judged, and nothing passes for it
    front = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "0 of them judged here, 3 confirmed from the committed record" in front
    for kind in ("holds", "sampled", "worded"):
        page = (tmp_path / "site" / "tiny" / f"{kind}.html").read_text("utf-8")
        assert page.count("Not judged in this run: confirmed from the committed record") == 1
    told = cli("verify", "--quick", "--json").json
    assert (told["judged"], told["confirmed"], told["contradicted"]) == ([], IDS, [])
    assert told["alpha_spent"] > 0  # the sampled rows count, wherever they were drawn
    assert [v["id"] for v in told["verdicts"]] == IDS
    assert cli("verify").code == 0
    assert "confirmed from" not in (tmp_path / "site" / "index.html").read_text("utf-8")
    assert len(list((tmp_path / "site" / "verdicts").iterdir())) == 3


def test_a_sample_is_judged_again_and_the_printed_seed_draws_it_once_more(cli, project, monkeypatch):
    first = cli("verify", "--quick", "--no-report", "--json").json
    assert (first["judged"], first["confirmed"], first["contradicted"]) == (IDS, [], [])
    assert first["seed"] != cli("verify", "--quick", "--no-report", "--json").json["seed"]
    monkeypatch.setattr(quick, "cost", lambda verdict: quick.LEAST)  # whatever a busy machine took
    monkeypatch.setattr(quick, "SECONDS", quick.LEAST)  # room for one
    samples = [cli("verify", "--quick", "--no-report", "--json", "--seed", seed).json["sample"] for seed in (5, 5, 6)]
    assert samples[0] == samples[1]
    assert [len(sample) for sample in samples] == [1, 1, 1]
    last = cli("verify", "--quick", "--no-report", "--seed", "5").out.splitlines()[-1]
    assert last.startswith("1 judged here, 2 confirmed")
    assert "theorytools verify --quick --seed 5" in last


@pytest.mark.usefixtures("no_sample")
def test_what_changed_is_judged(cli, project):
    (project / "tiny" / "holds.py").write_text(check("holds", "other"), encoding="utf-8")
    told = cli("verify", "--quick", "--no-report", "--json").json
    assert (told["judged"], told["confirmed"]) == (["tiny.holds"], ["tiny.sampled", "tiny.worded"])
    notation = project / "tiny" / "notation.py"
    notation.write_text(notation.read_text("utf-8").replace("number of items", "count"), encoding="utf-8")
    assert cli("verify", "--quick", "--no-report", "--json").json["judged"] == IDS


@pytest.mark.usefixtures("no_sample")
def test_verdicts_of_this_folder_count_as_judged_and_those_of_other_code_do_not(cli, project, tmp_path):
    notation = project / "tiny" / "notation.py"
    before = notation.read_text("utf-8")
    notation.write_text(before.replace("number of items", "another number"), encoding="utf-8")
    assert cli("verify").code == 0
    told = cli("verify", "--quick", "--json").json
    assert (told["judged"], told["confirmed"]) == (IDS, [])
    notation.write_text(before, encoding="utf-8")  # the record is of this code, the stored verdicts are not
    told = cli("verify", "--quick", "--json").json
    assert (told["judged"], told["confirmed"]) == ([], IDS)
    assert "Not judged in this run" in (tmp_path / "site" / "tiny" / "holds.html").read_text("utf-8")


# -- a record that lies ----------------------------------------------------------------------------------------------
LESS = HOLDS.replace("@", "less").replace(
    "len(set(items))}", "len(set(items)) - int(__import__('os').getenv('LESS', 0))}"
)


@pytest.mark.parametrize(("less", "what"), [("1", "measured"), ("-9", "outcome")])
def test_a_committed_verdict_that_comes_out_otherwise_here_is_exit_1_with_both_numbers(
    cli, tmp_path, monkeypatch, less, what
):
    checks = write(tmp_path, "holds", "worded")
    (checks / "tiny" / "holds.py").write_text(LESS, encoding="utf-8")
    assert cli("verify", "--accept").code == 0
    monkeypatch.setenv("LESS", less)
    shutil.rmtree(tmp_path / "site")
    answer = cli("verify", "--quick", "--seed", "1")
    assert answer.code == 1
    lines = [line for line in answer.out.splitlines() if line.startswith("CONTRADICTED tiny.holds")]
    at = next(line for line in lines if f"{what}" in line)
    both = "committed 2, judged here 1" if what == "measured" else "committed HOLDS, judged here REFUTED"
    assert both in at
    assert "Contradicted" in (tmp_path / "site" / "index.html").read_text("utf-8")
    told = cli("verify", "--quick", "--seed", "1", "--json")
    assert (told.code, told.json["exit"], {c["id"] for c in told.json["contradicted"]}) == (1, 1, {"tiny.holds"})
    assert cli("verify", "--quick", "--no-report", "tiny.worded").code == 0


NINE = {"q": ["0x9", "0x1"]}


@pytest.mark.usefixtures("no_sample")
@pytest.mark.parametrize(
    ("change", "why"),
    [(lambda v: v["rows"][0].update(power=100.0), "another power"),
     (lambda v: v["rows"].pop(0), "a row is missing"),
     (lambda v: v.update(outcome="REFUTED", expect="REFUTED"), "its rows give HOLDS"),
     (lambda v: v["rows"][0]["bound"][0].update(low=NINE, high=NINE, show=[9.0, 9.0]), "another slack")],
)  # fmt: skip
def test_a_forged_verdict_is_refused_by_the_checker_and_judged(cli, project, change, why):
    forged(project, change)
    answer = cli("verify", "--quick", "--no-report")
    assert answer.code == 0
    assert "tiny.holds: the committed verdict is not taken: " in answer.err
    assert why in answer.err
    assert answer.out.splitlines()[-1].startswith("1 judged here, 2 confirmed")


@pytest.mark.usefixtures("no_sample")
def test_the_record_that_people_read_must_say_the_same(cli, project, tmp_path):
    path = tmp_path / "reports" / "tiny.json"
    path.write_text(path.read_text("utf-8").replace('"reason":"', '"reason":"some ', 1), encoding="utf-8")
    told = cli("verify", "--quick", "--no-report", "--json").json
    (why,) = told["refused"].values()
    assert "the compact record says otherwise: reason" in why
    assert len(told["judged"]) == 1


def _head(path, change):
    import lzma

    first, *rest = lzma.decompress(path.read_bytes()).decode().split("\n")
    path.write_bytes(lzma.compress("\n".join([change(first), *rest]).encode()))


@pytest.mark.usefixtures("no_sample")
@pytest.mark.parametrize(
    ("damage", "said"),
    [(lambda path: path.unlink(), "no committed verdicts beside these checks"),
     (lambda path: path.write_bytes(path.read_bytes()[:-200]), "truncated"),
     (lambda path: path.write_bytes(b"PK"), "tiny.verdicts.xz"),
     (lambda path: _head(path, lambda head: head.replace("archive/1", "archive/9")), "archive/9"),
     (lambda path: _head(path, lambda head: head.replace('"code":{', '"code":{"a":"0",')), "not as it was written"),
     (lambda path: _head(path, lambda head: "[]"), "tiny.verdicts.xz"),
     (lambda path: _head(path, lambda head: "[" * 100_000), "tiny.verdicts.xz")],
    ids=["missing", "truncated", "no archive", "another version", "forged", "a list", "deep"],
)  # fmt: skip
def test_without_an_archive_that_can_be_read_all_is_judged(cli, project, damage, said):
    damage(archive(project))
    answer = cli("verify", "--quick", "--no-report")
    assert answer.code == 0
    assert said in answer.err
    assert answer.out.splitlines()[-1].startswith("3 judged here, none confirmed")


def test_where_it_was_judged_is_said_and_confirms_all_the_same(project):
    made = dict(read_archive(archive(project)).made)
    assert quick.elsewhere(made) == ""
    other = {**made, "versions": {**made["versions"], "numpy": "1.0"}, "instructions": ["amx"]}
    there, here = quick.elsewhere(other).split("; ")
    assert there.startswith("judged under numpy 1.0, on ")
    assert there.endswith(" amx")
    assert here.startswith(f"here numpy {made['versions']['numpy']}, on ")
    old = read_archive(archive(project))
    archive(project).write_bytes(write_archive("tiny", list(old.verdicts.values()), other, old.code))
    assert len(read_archive(archive(project)).verdicts) == 3


@pytest.mark.parametrize(
    "words",
    [["--quick", "--at", "N=3"], ["--quick", "--fresh"], ["--quick", "--record"], ["--quick", "--accept"],
     ["--quick", "--tier", "hours"], ["--quick", "--witness", "a.json"], ["--seed", "3"],
     ["--quick", "--seed", "-1"], ["--quick", "--seed", str(1 << 32)]],
)  # fmt: skip
def test_options_that_make_no_sense_together(cli, tmp_path, words):
    write(tmp_path, "holds")
    answer = cli("verify", *words)
    assert answer.code == 2
    for part in ("given:", "required:", "why:", "try:"):
        assert part in answer.err
    assert not (tmp_path / "site").exists()


def test_a_verdict_of_another_library_or_versions_is_not_committed(made, tmp_path):
    catalogue = Catalogue(made / "checks")
    shutil.copytree(made / "site" / "verdicts", tmp_path / "verdicts")
    path = tmp_path / "verdicts" / "tiny.sampled.json"
    verdict = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(sealed({**verdict, "inputs": "0" * 64})), encoding="utf-8")
    with pytest.raises(DomainError, match=r"tiny\.sampled, judged with other code"):
        golden.accept(catalogue, tmp_path / "verdicts")


# -- what is drawn ---------------------------------------------------------------------------------------------------
COSTS = st.dictionaries(st.text("abc.", min_size=1, max_size=4), st.floats(0.05, 30), max_size=12)


@given(st.integers(0, quick.SEEDS - 1), COSTS, st.floats(0, 40))
def test_a_sample_fits_and_nothing_more_would(seed, costs, seconds):
    taken = quick.drawn(seed, costs, seconds)
    left = seconds
    for id in taken:
        left -= costs[id]
    assert left >= 0
    assert all(costs[id] > left for id in costs if id not in taken)
    assert taken == quick.drawn(seed, dict(reversed(costs.items())), seconds)


def test_every_claim_is_drawn_by_some_seed_and_a_seed_is_nobodys_choice():
    costs = {str(k): 1.0 for k in range(10)}
    found = [quick.drawn(seed, costs, 2.0) for seed in range(60)]
    assert {id for taken in found for id in taken} == set(costs)
    assert len({quick.chosen_seed(None) for _ in range(8)}) > 1
    assert quick.cost({"cpu": {"seconds": 3}}) == 3
    assert quick.cost({"cpu": {}}) == quick.cost({"cpu": {"seconds": 0.0}}) == quick.LEAST


def test_text_of_any_kind_comes_back(tmp_path):
    verdict = sealed({"id": "a.b", "label": "one\u2028line\x0b\x85"})
    path = tmp_path / "a.verdicts.xz"
    path.write_bytes(write_archive("a", [verdict], {"commit": "c"}, {"a.b": "0"}))
    found = read_archive(path)
    assert (found.made, dict(found.verdicts), found.code) == ({"commit": "c"}, {"a.b": verdict}, {"a.b": "0"})
    path.write_bytes(write_archive("a", [verdict], {}, {}))  # the digest of its code is missing
    with pytest.raises(DomainError, match="not as it was written"):
        read_archive(path)
