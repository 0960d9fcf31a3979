"""Every path in the documents exists, every command runs, every table is the committed report's."""

import doctest
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from checkfolders import edited
from decided import decided
from source_tree import ROOT

from theorytools.cli import main

DOCUMENTS = (
    "README.md", "checks/README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/cluster.md",
    "docs/own_models.md", "docs/import_a_construction.md", "docs/commands.md", "docs/publish.md", "docs/verdicts.md",
    "examples/README.md", "examples/classics/README.md",
    "docs/index.md", "docs/house.md", "docs/evidence.md", "docs/controls.md", "docs/trial.md", "docs/necessity.md",
    "docs/horizon.md", "docs/budget.md", "docs/recheck.md", "docs/security.md", "docs/quality.md", "docs/phase.md",
    "docs/certify.md", "docs/states.md", "docs/gpu.md", "docs/left_sides.md", "docs/printed.md",
    "docs/what_can_be_said.md", "docs/in_your_project.md", "docs/notebook.md",
    "docs/search.md", "docs/what_it_finds.md", "docs/gallery.md", "examples/disputes/README.md", "tools/README.md",
    "tools/bench/README.md", "checks/qstr/README.md", "checks/sep/README.md", "checks/stsq/README.md",
)  # fmt: skip
EXPLAINED = (
    "evidence", "controls", "trial", "necessity", "horizon", "budget", "left_sides", "what_can_be_said", "search",
    "notebook",
)  # fmt: skip
EXPLANATIONS = [f"docs/{name}.md" for name in EXPLAINED]
SETUP = re.compile(r"^python3 -m venv ")
ELSEWHERE = ("--checks examples/classics/checks",)  # test_examples.py runs that line and looks at what it writes
TOP = ("checks", "docs", "examples", "tests", "theorytools", "tools", "reports", ".ci", ".github")


def blocks(document, language):
    found, inside = [], None
    for line in (ROOT / document).read_text(encoding="utf-8").splitlines():
        if not line.startswith("```"):
            if inside == language:
                found[-1] += line + "\n"
        elif inside is None:
            inside = line[3:]
            found += [""] if inside == language else []
        else:
            inside = None
    return found


def command_lines():
    lines = [line for document in DOCUMENTS for block in blocks(document, "sh") for line in block.splitlines()]
    found = (line.strip() for line in lines if line.strip() and not SETUP.match(line))
    return list(dict.fromkeys(line for line in found if not line.startswith(".venv/bin/")))  # what .ci/run runs itself


def test_set_up_and_tests_are_the_lines_of_the_readme():
    found = blocks("README.md", "sh")
    assert [len(block.strip().splitlines()) for block in found[:2]] == [1, 1]
    assert found[0].strip().endswith("theorytools verify")
    assert found[1].strip().endswith("pytest -n 2")
    assert all(SETUP.match(block) for block in found[:2])
    assert all("pip install -c constraints.txt -e " in block for block in found[:2])
    assert not any(SETUP.match(line) for block in found[2:] for line in block.splitlines())
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    pattern = re.search(r"grep -m 1 -E '([^']+)' README.md", script)
    readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    lines = [line for line in readme if re.search(pattern[1], line)]
    assert lines == [blocks("README.md", "sh")[1].strip()]
    slow = re.search(r"grep -m 1 -E '([^']+)' CONTRIBUTING.md", script)
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in contributing if re.search(slow[1], line)] == [blocks("CONTRIBUTING.md", "sh")[0].strip()]


@pytest.mark.parametrize("document", [*DOCUMENTS, "docs/for_programs.md"])  # test_for_programs.py runs that one
def test_every_path_exists(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    words = re.findall(r"[\w./-]+", " ".join(re.findall(r"`([^`\n]+)`", text)))
    paths = [w for w in words if w.split("/")[0] in TOP or re.fullmatch(r"[A-Za-z]+\.(md|cff|txt|toml)", w)]
    paths = [p for p in paths if "mypaper" not in p and p not in ("paper.toml", "disputes.toml", "reports", "checks")]
    assert not [p for p in paths if not (ROOT / p).exists()]


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A folder with the checks and the committed record, in which one command after the other is run."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("checks", "examples", "reports"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def run_here(monkeypatch, words, program):
    """Run a program in this process as if started with these words; it may end by itself or by SystemExit."""
    monkeypatch.setattr(sys, "argv", words)
    code = 0
    try:
        program()
    except SystemExit as end:
        code = end.code
    assert not code, words


def run_python(monkeypatch, words):
    """``python …`` from the root: a script has its own folder first on the path, and of tests nothing else."""
    tests = str(ROOT / "tests")
    monkeypatch.chdir(ROOT)
    beside = [place for place in sys.path if not place.startswith(tests)]
    first = str(ROOT) if words[1] == "-m" else str((ROOT / words[1]).parent)
    monkeypatch.setattr(sys, "path", [first, *(place for place in beside if place != first)])
    for name, module in list(sys.modules.items()):  # what a test has imported, a program has to find by itself
        if name != "conftest" and (getattr(module, "__file__", None) or "").startswith((tests, str(ROOT / "tools"))):
            monkeypatch.delitem(sys.modules, name)
    if words[1] != "-m":
        run_here(monkeypatch, words[1:], lambda: runpy.run_path(words[1], run_name="__main__"))
    elif words[2].startswith("tools."):
        run_here(monkeypatch, words[2:], lambda: runpy.run_module(words[2], run_name="__main__", alter_sys=True))
    else:  # pytest rewrites the assertions of this library, and its loader has no code for runpy
        file = ROOT.joinpath(*words[2].split(".")).with_suffix(".py")
        run_here(monkeypatch, words[2:], lambda: runpy.run_path(str(file), run_name="__main__"))


def words_of(line):
    """What is run for a line: of a slow one the help of its program or command."""
    command, _, comment = line.partition("#")
    words = shlex.split(command)
    return [*words[: 3 if words[1:2] == ["-m"] else 2], "--help"] if comment.strip() in ("slow", "gpu") else words


def as_examples(lines):
    """Each command once; what starts pytest again, with its own workers, is among the slow ones."""
    once = {shlex.join(words_of(line)): words_of(line) for line in lines if not any(said in line for said in ELSEWHERE)}
    return [pytest.param(words, id=line, marks=[pytest.mark.slow] * (words[0] == "pytest" and "--help" not in words))
            for line, words in once.items()]  # fmt: skip


@pytest.mark.parametrize("words", as_examples(command_lines()))
def test_every_command_runs(words, clone, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path if "new" in words else clone)  # new makes checks of its own
    if words[2:3] == ["mypaper.lemma_1"]:  # the lines after that
        monkeypatch.chdir(tmp_path)
        run_here(monkeypatch, ["theorytools", "new", "mypaper", "lemma_1"], main)
        edited(tmp_path / "checks" / "mypaper" / "lemma_1.py")
    monkeypatch.setattr("theorytools.phase.diagram.decide", decided)  # the same diagram in two formats
    if words[0] == "theorytools":  # in this process: the installed program calls the same function
        run_here(monkeypatch, words, main)
    elif words[0] == "python":
        run_python(monkeypatch, words)
    else:
        program = Path(sys.executable).parent / words[0]
        done = subprocess.run([program, *words[1:]], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr


def test_every_example_of_the_readme_prints_what_it_says_in_at_most_eight_lines(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.S)
    assert len(examples) == 2
    for code, printed in examples:
        assert len(code.splitlines()) <= 9
        exec(compile(code, "README.md", "exec"), {})
        assert capsys.readouterr().out == printed


def test_the_readme_is_short_and_its_picture_is_what_its_command_draws(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    command = re.search(r"`(theorytools figure [^`]*)`", text)[1].split()
    drawn = tmp_path / "figure.csv"
    monkeypatch.setattr(sys, "argv", [*command[:3], "--format", "csv", "--output", str(drawn)])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    assert drawn.read_text(encoding="utf-8") == (ROOT / "docs" / "figure_01.csv").read_text(encoding="utf-8")
    ElementTree.parse(ROOT / "docs" / "figure_01.svg")


@pytest.mark.parametrize(
    ("page", "says"),
    [("first_theorem", ("a constant smaller by 0.14 %", "VIOLATED at N=2, t=1/5")),
     ("first_sweep", ("from zero: grows as N to the power 0.", "mypaper.experiments  HOLDS, as expected"))],
)  # fmt: skip
def test_a_tutorial_can_be_followed_literally(tmp_path, monkeypatch, capsys, page, says):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    written = set()
    for name, block in re.findall(r"```(\S* ?\S*)\n(.*?)```", text, re.S):
        if name.startswith("python "):
            file = tmp_path / name.split()[1]
            before = file.read_text(encoding="utf-8") + "\n" if file in written else ""  # a second block is appended
            file.write_text(before + block, encoding="utf-8")
            written.add(file)
        for line in block.splitlines() if name == "sh" else ():
            command, _, code = line.partition("# exit code ")
            monkeypatch.setattr(sys, "argv", command.split())
            with pytest.raises(SystemExit) as end:
                main()
            assert (end.value.code or 0) == int(code or 0), line
    said = capsys.readouterr().out
    assert [text for text in says if text not in said] == []


@pytest.mark.parametrize("document", EXPLANATIONS)
def test_the_examples_of_an_explanation_print_what_they_say(document):
    examples = "\n".join(blocks(document, "python"))
    test = doctest.DocTestParser().get_doctest(examples, {}, document, str(ROOT / document), 0)
    assert len(test.examples) > 10
    assert not any(doctest.SKIP in example.options for example in test.examples)
    said = []
    doctest.DocTestRunner().run(test, out=said.append)
    assert not said, "".join(said)


def test_the_page_on_phase_diagrams_prints_what_it_says_and_has_the_record_s_open_regions():
    from theorytools.phase.stored import read_record
    from theorytools.reporting.phase_text import summary

    examples = "\n".join(blocks("docs/phase.md", "python"))
    test = doctest.DocTestParser().get_doctest(examples, {}, "docs/phase.md", "docs/phase.md", 0)
    said = []
    doctest.DocTestRunner().run(test, out=said.append)
    assert len(test.examples) > 8
    assert not said, "".join(said)
    rows = [
        f"| `{one['name']}` | {summary(one).removeprefix('open: ')} | {one['agenda']} |"
        for one in read_record(ROOT, ROOT / "checks")
    ]
    text = (ROOT / "docs" / "phase.md").read_text(encoding="utf-8")
    assert len(rows) == 7
    assert [row for row in rows if row not in text] == []


def test_the_page_on_left_sides_lists_them_with_their_anchors():
    from theorytools.measures.anchors import all_anchors

    text = (ROOT / "docs" / "left_sides.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \|.*\| (?:exact|enclosed) \| (\d+) \|$", text, re.M)
    assert {name: int(count) for name, count in rows} == {name: len(held) for name, held in all_anchors().items()}


def test_the_pages_on_the_search_have_the_numbers_of_the_code():
    from theorytools.claims.judging import falsify, necessity, price, run
    from theorytools.claims.papers.work import RATE

    page, budget, needed = (
        " ".join((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").split())
        for name in ("search", "budget", "necessity")
    )
    assert RATE == 10**8
    assert f"that holds on its grid | {run.EVALUATIONS} | {run.SECONDS}·10^8 |" in page
    assert f"a claim of the library | {run.OWN} | two fifths" in page
    most = falsify.EVALUATIONS
    assert f"`falsify(claim, evaluations={most})` | {most:,} | {most // 100 // 10}·10^9 |" in page
    assert f"with at most {falsify.SHRINKS} further points" in page
    assert price.FURTHER == 1
    assert f"sizes below {price.DOUBLED} are not doubled but followed by the next one" in page
    assert f"{run.EVALUATIONS} points and {run.SECONDS}·10^8 operations; one of the library {run.OWN} points" in budget
    assert f"proposes at most {necessity.EVALUATIONS} points" in needed


def test_the_check_of_the_first_tutorial_stays_short():
    parts = blocks("docs/first_theorem.md", "python checks/mypaper/softmax.py")
    assert len(parts) == 2
    assert len("".join(parts).splitlines()) <= 35


def test_every_page_of_the_documentation_is_tested():
    pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")}
    literally = {"docs/first_theorem.md", "docs/first_sweep.md", "docs/for_programs.md"}  # they are followed
    assert pages - set(DOCUMENTS) == literally


def test_the_tables_are_those_of_the_committed_record():
    from tools.committed import refreshed

    stale = [path.name for path, text in refreshed(ROOT).items() if path.read_text(encoding="utf-8") != text]
    assert not stale, "theorytools verify && python -m tools.committed site"


def test_the_half_page_on_adding_a_theorem_can_be_followed_literally(tmp_path, monkeypatch, capsys):
    text = (ROOT / "checks" / "README.md").read_text(encoding="utf-8").partition("## Index")[0]
    commands = [
        c for c in re.findall(r"`([^`]+)`", text.replace("\n", " ")) if c.split()[0] in ("theorytools", "pytest")
    ]
    assert [c.split()[1] for c in commands] == ["new", "verify", "checks/mypaper/lemma_1.py", "verify", "new", "sweep"]
    monkeypatch.chdir(tmp_path)
    for command in commands:
        words = command.split()
        if words[0] == "theorytools":
            monkeypatch.setattr(sys, "argv", words)
            with pytest.raises(SystemExit) as end:
                main()
            assert not end.value.code, command
            for made in tmp_path.glob("checks/mypaper/[le]*.py"):  # each is turned into a statement of one's own
                edited(made)
        else:
            done = subprocess.run([sys.executable, "-m", *words, "-q"], capture_output=True, text=True)
            assert done.returncode == 0, done.stdout
    made = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    paper = {f"checks/mypaper/{name}" for name in ("lemma_1.py", "notation.py", "paper.toml")}
    records = {f"checks/mypaper/records/{name}.json" for name in ("mypaper.lemma_1", "sweeps/growth.corrected")}
    assert made >= {*paper, *records, "checks/mypaper/sweeps/growth.py", "site/index.html"}
    assert "HOLDS" in capsys.readouterr().out


def test_the_line_that_is_run_elsewhere_is_there():
    assert all(sum(said in line for line in command_lines()) == 1 for said in ELSEWHERE)
