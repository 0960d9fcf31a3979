"""Files that anybody may have written: a command reads its own, within limits, and shows what it cannot read."""

import json
import os
import sqlite3
import tomllib

import numpy as np
import pytest
from checkfolders import NOTATION, check, write

from theorytools import DomainError
from theorytools.errors import FolderError
from theorytools.reporting.escapes import latex_text, markdown_words
from theorytools.reporting.tables import latex_table, row_table
from theorytools.shown import HIDDEN, csv_text
from theorytools.training.trials.store import Store

STOLEN = r"\newtheorem{thm}{T}\begin{thm} stolen words \end{thm}"
WHOLE = r"\newtheorem{thm}{T}\begin{document}\begin{thm} mine \end{thm} @ \end{document}"


def listed(cli, folder, text):
    """The answer of ``new --tex`` to a main file, and the text of the ``paper.toml`` that it wrote."""
    (folder / "main.tex").write_text(text, encoding="utf-8")
    answer = cli("new", "arxiv:2503.11272", "--tex", folder / "main.tex", "--name", "tale")
    made = folder / "checks" / "tale" / "paper.toml"
    return answer, made.read_text(encoding="utf-8") if made.exists() else ""


def four(answer, code=2):
    """Whether a command refused with what was given and what is required."""
    return answer.code == code and "given:" in answer.err and "required:" in answer.err


# -- TeX --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("named", ["../secret", "{}/secret", "link", "folder/secret"])
def test_only_what_lies_below_the_main_file_is_put_in(cli, tmp_path, monkeypatch, named):
    (tmp_path / "secret.tex").write_text(STOLEN, encoding="utf-8")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.tex").symlink_to("../secret.tex")
    (inside / "folder").symlink_to("..")
    monkeypatch.chdir(inside)
    answer, made = listed(cli, inside, WHOLE.replace("@", rf"\input{{{named.format(tmp_path)}}}"))
    assert (answer.code, "stolen" in made, "mine" in made) == (0, False, True)
    assert "not followed" in answer.err


@pytest.mark.timeout(60)
def test_files_that_input_ten_each_come_to_an_end(cli, tmp_path):
    for k in range(15):
        (tmp_path / f"f{k}.tex").write_text(rf"\input{{f{k + 1}}} " * 10, encoding="utf-8")
    assert four(listed(cli, tmp_path, WHOLE.replace("@", r"\input{f0}"))[0])


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [WHOLE.replace("@", "{" * 30_000 + "}" * 30_000), WHOLE.replace("@", r"\sqrt[" * 3000),
     r"\newtheorem{a}{A}[b]\newtheorem{b}{B}[a]\begin{a} x \end{a}\begin{b} x \end{b}",
     WHOLE.replace("@", r"\input{" * 200_000)],
)  # fmt: skip
def test_what_has_no_bottom_is_refused(cli, tmp_path, text):
    assert four(listed(cli, tmp_path, text)[0])


def test_control_characters_of_a_source_are_in_no_file_and_on_no_terminal(cli, tmp_path):
    text = WHOLE.replace("mine", "mine\x01\x1b]0;x\x07 \x9b2J \u202e\x7f")
    answer, made = listed(cli, tmp_path, "\\title{a\x1b[31m b\x00}" + text)
    assert (answer.code, HIDDEN.search(made)) == (0, None)
    assert tomllib.loads(made)["statement"][0]["label"] == "T 1"
    assert HIDDEN.search(cli("list", "tale").out) is None


# -- --at -------------------------------------------------------------------------------------------------------------
def header(shape, kind="<f8"):
    """The bytes of an array file that promises what does not follow."""
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + b"\0" * 24


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("name", "put"),
    [("deep.json", b"[" * 100_000), ("huge.npy", header("(10**12,)")), ("vast.npy", header("(1000000000000,)")),
     ("few.npy", header("(9,)")), ("objects.npy", header("(3,)", "|O")), ("long.npy", header("(3,)", "<M8[s]")),
     ("zero.txt", "/dev/zero"), ("zero.npy", "/dev/zero"), ("loop.txt", "loop.txt"), ("pipe.json", None), ("folder", 1),
     ("wide.txt", b"9" * 5_000_000), ("word.txt", b"a" * 5000)],
)  # fmt: skip
def test_a_file_of_values_is_bounded(cli, tmp_path, name, put):
    write(tmp_path, "holds")
    path = tmp_path / name
    if put is None:
        os.mkfifo(path)
    elif put == 1:
        path.mkdir()
    elif isinstance(put, str):
        path.symlink_to(put)
    else:
        path.write_bytes(put)
    assert four(cli("verify", "tiny.holds", "--no-report", "--at", f"N=@{name}"))


def test_an_array_is_read_as_before(cli, tmp_path):
    write(tmp_path, "holds")
    np.save(tmp_path / "a.npy", np.array([[3, 5]], dtype=">i2"))
    answer = cli("verify", "tiny.holds", "--at", "N=@a.npy", "--json")
    assert {row["point"]["N"] for row in answer.json["verdicts"][0]["rows"]} == {"3", "5"}


# -- what is shown ----------------------------------------------------------------------------------------------------
ESCAPES = "\x1b[31m\x1b]0;x\x07\x9b2J\u202e\x7f"


@pytest.mark.parametrize(
    "words",
    ["list", "list --format markdown", "search items", "show tiny.holds", "verify --no-report",
     "verify tiny.raising --no-report", "can tiny.holds"],
)  # fmt: skip
def test_escapes_are_shown_and_not_sent(cli, tmp_path, words):
    home = write(tmp_path, "holds", "raising") / "tiny"
    toml = (home / "paper.toml").read_text(encoding="utf-8")
    quoted = json.dumps(ESCAPES)[1:-1].replace("\x9b", "\\u009b").replace("\x7f", "\\u007f")
    (home / "paper.toml").write_text(toml.replace('title = "Counting"', f'title = "{quoted}"'), encoding="utf-8")
    raising = (home / "raising.py").read_text(encoding="utf-8")
    raising = raising.replace("no items today", "no items \\x1b[31m today").replace("Among", "Among \\x1b[32m")
    (home / "raising.py").write_text(raising, encoding="utf-8")
    (home / "other\x1b[31m\u202e.py").write_text(check("holds", "a \\x1b[33m label"), encoding="utf-8")
    answer = cli(*words.split())
    assert HIDDEN.search(answer.out + answer.err) is None
    if words != "list --format markdown":
        data = cli(*words.split(), "--json")
        assert HIDDEN.search(data.out + data.err) is None
        assert data.json["schema"].startswith("theorytools.")
    if words == "list":
        assert next(p["title"] for p in data.json["papers"] if p["key"] == "tiny") == ESCAPES


def test_a_word_that_no_terminal_shows_is_refused(cli):
    answer = cli("list", "tiny\x1b[31m")
    assert four(answer)
    assert "\\x1b[31m" in answer.err


# -- TOML and checks that are only read -------------------------------------------------------------------------------
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    ["x = " + "[" * 30_000 + "]" * 30_000, "x = " + "9" * 5000, "x = 0x" + "f" * 5000, "paper = 1",
     "[paper]\ntitle = 1",
     "[paper]\nversion = 1.5", '[[statement]]\nid = ["a"]\nours = "x"', '[[statement]]\nid = "../../x"\nours = "x"',
     '[[statement]]\nid = "a"\nours = "x"\ntitle = 1979-05-27', "[paper]\n[paper]", "\x00", "#" * 2_000_000,
     "a." * 3000 + "b = 1",
     '[[statement]]\nid = "a"\n[statement.printed]\nnumber = { v1 = "a" }\nread = { v1 = "text" }\n'
     '[[statement.printed.formula]]\nof = "x"\nformula = "<= 9**9**9**9"'],
)  # fmt: skip
def test_a_paper_that_cannot_be_read_costs_one_error_and_no_other_paper(cli, tmp_path, text):
    home = write(tmp_path, "holds") / "tiny"
    (tmp_path / "checks" / "bad").mkdir()
    (tmp_path / "checks" / "bad" / "paper.toml").write_text(text, encoding="utf-8")
    answer = cli("list")
    assert (answer.code, "tiny.holds" in answer.out) == (4, True)
    assert f"bad{os.sep}paper.toml" in answer.err
    assert home.is_dir()


def test_what_is_only_listed_is_never_run(cli, tmp_path):
    home = write(tmp_path, "holds") / "tiny"
    run = 'open("executed", "w")\n'
    (home / "holds.py").write_text(run + check("holds"), encoding="utf-8")
    (home / "notation.py").write_text(run + NOTATION, encoding="utf-8")
    for name, text in (("deep", "x = " + "-" * 100_000 + "1"), ("sum", "x = 1" + "+1" * 5000), ("torn", "def f(("),
                       ("nothing", "\x00"), ("huge", "#" * 2_000_000), ("many", "x = " + "(" * 300)):  # fmt: skip
        (home / f"{name}.py").write_text(run + text, encoding="utf-8")
    (home / "latin.py").write_bytes(b"# \xff\n" + run.encode())
    (home / "zero.py").symlink_to("/dev/zero")
    (home / "loop.py").symlink_to("loop.py")
    os.mkfifo(home / "pipe.py")
    for words in ("list", "list tiny", "list --role statement tiny", "search items", "list --format markdown",
                  "new tiny lemma_9 --uses tiny.holds"):  # fmt: skip
        assert cli(*words.split()).code in (0, 1), words
    assert not (tmp_path / "executed").exists()
    assert cli("verify", "tiny.holds", "--no-report").code == 0
    assert (tmp_path / "executed").exists()


# -- documents --------------------------------------------------------------------------------------------------------
VERDICT = {
    "id": "a.b", "label": r"$\input{/etc/passwd}$ $x$ \write18{id} % $^^5cinput a$", "outcome": "HOLDS",
    "command": "x\ny", "as_expected": True, "letters": [{"name": "N", "latex": r"\input{x}"}],
    "assertions": [{"name": "s", "relation": "=="}],
    "rows": [{"point": {"N": "=1+1"}, "quantity": "@SUM(A1)", "assertion": "s", "truth": "HOLDS", "control": "",
              "measured": ["1", "1"], "bound": ["1", "1"]}],
}  # fmt: skip


def test_a_document_takes_in_mathematics_alone():
    made = latex_text(VERDICT["label"])
    assert "$x$" in made
    assert r"\input" not in made
    assert r"\write" not in made
    assert "^^" not in made
    assert latex_text("[5cm] text")[0] == "{"
    assert latex_text(r"$\frac{1}{N} \le \begin{cases} a & b \\ c & d \end{cases}$").startswith(r"$\frac")
    for wrong in (r"$a & b$", r"$a \\ b$", r"$}{$", r"$\left($", r"$#1$", r"$\def\a{b}$", r"$\csname x\endcsname$"):
        assert latex_text(wrong).startswith(r"\$")


def test_cells_are_neither_calculated_nor_links():
    assert csv_text([["=1+1", "+x", "-x", "@a", "\t=1", "a;=1", "-1.5", "-1/3", 3, None, "＝1"]]) == (
        "'=1+1,'+x,'-x,'@a,\t'=1,a;'=1,-1.5,-1/3,3,,'＝1\n"
    )
    assert markdown_words("[a](javascript:x) <b> `c`") == r"\[a\](javascript:x) &lt;b&gt; \`c\`"


def test_the_tables_of_a_verdict_are_made_of_them():
    empty = {**VERDICT, "rows": [], "scope": {}, "source": {}, "grid": {}}
    with pytest.raises((KeyError, TypeError)):
        latex_table([{}])
    assert row_table(empty, "latex").splitlines()[0].startswith("% needs")
    assert row_table(empty, "latex").splitlines()[0].endswith("x y")


# -- stores -----------------------------------------------------------------------------------------------------------
def parts(path):
    """The bytes of a database and of its log."""
    return {one.name: one.read_bytes() for one in path.parent.glob(f"{path.name}*")}


def test_a_database_of_others_keeps_its_bytes_and_its_log(tmp_path):
    path = tmp_path / "theirs.sqlite"
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma journal_mode = wal")
    db.execute("create table theirs (x)")
    db.execute("insert into theirs values (1)")
    left = {name: data for name, data in parts(path).items() if not name.endswith("-shm")}
    db.close()
    for name, data in left.items():  # as after a crash: what was written is in the log alone
        (tmp_path / name).write_bytes(data)
    for reading in (False, True):
        with pytest.raises(FolderError):
            Store(path, read_only=reading)
        assert parts(path) == left


@pytest.mark.parametrize(
    "line",
    ["create trigger t after insert on trials begin delete from trials; end", "create table theirs (x)",
     "create view v as select 1", "alter table trials add column more text"],
)  # fmt: skip
def test_a_store_has_no_other_tables_views_and_triggers(tmp_path, line):
    with Store(tmp_path / "s.sqlite") as store:
        store.add({"N": 1}, {"samples": 2})
    with sqlite3.connect(tmp_path / "s.sqlite") as db:
        db.execute(line)
    db.close()
    for reading in (False, True):
        with pytest.raises(FolderError, match=r"other tables|no store"):
            Store(tmp_path / "s.sqlite", read_only=reading)


@pytest.mark.parametrize(
    ("column", "value"),
    [("result", "{"), ("result", "[" * 5000), ("result", "1"), ("spec", '{"N":2}'), ("key", "k"), ("created", "never"),
     ("provenance", b"x"), ("seconds", "long")],
)  # fmt: skip
def test_a_row_that_no_store_wrote_is_named(tmp_path, column, value):
    with Store(tmp_path / "s.sqlite") as store:
        store.add({"N": 1}, {"samples": 2})
    with sqlite3.connect(tmp_path / "s.sqlite") as db:
        db.execute(f"update trials set {column} = ?", (value,))
    db.close()
    with Store(tmp_path / "s.sqlite", read_only=True) as store, pytest.raises(DomainError, match="no store wrote"):
        list(store.rows())
