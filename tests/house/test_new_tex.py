r"""``new arxiv:ID --tex``: every statement of a TeX source with the number that the paper prints, listed and open."""

import tomllib

import pytest
from checkfolders import edited
from hypothesis import given, settings
from hypothesis import strategies as st

from theorytools import DomainError
from theorytools.cli.new import identifiers
from theorytools.cli.tex_statements import first_sentence, read_tex

SHARED = r"""
\documentclass{article}
\newtheorem{theorem}{Theorem}
\newtheorem{lemma}[theorem]{Lemma}  % shares the counter
\newtheorem*{remark}{Remark}
\newtheorem{assumption}{Assumption}
\title{When $N$ grows: a {\em tale}\thanks{of two}}
\author{Ada Lovelace\thanks{London} \and Carl Gau\ss}
\begin{document}
\section{One}
\begin{theorem}[Main bound]\label{thm:main} For all $N\ge2$ it holds. And more.\end{theorem}
% \begin{theorem} not this one \end{theorem}
\begin{remark} By the way. \end{remark}
\begin{lemma} Second. \begin{equation} x=1 \end{equation} \end{lemma}
\section*{No number}
\begin{assumption}\label{as:a}\label{as:b} Its own counter. \end{assumption}
\begin{proof} As in Lemma 2. \end{proof}
\begin{lemma} Third. \end{lemma}
\end{document}
"""
WITHIN = r"""
\newtheorem{thm}{Theorem}[section]
\newtheorem{cor}[thm]{Corollary}
\newtheorem{definition}{Definition}
\numberwithin{definition}{section}
\begin{document}
\section{One}
\begin{thm} a \end{thm}
\begin{definition} b \end{definition}
\section{Two}
\begin{cor} c \end{cor}
\subsection{Inner}
\begin{thm} d \end{thm}
\begin{definition} e \end{definition}
\appendix
\section{Proofs}
\begin{thm} f \end{thm}
\section{More}
\begin{cor} g \end{cor}
\end{document}
"""


def written(tmp_path, text, name="paper.tex"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


def test_shared_own_and_starred_counters(tmp_path):
    title, authors, found, _ = read_tex(written(tmp_path, SHARED))
    assert [one.label for one in found] == ["Theorem 1", "Remark", "Lemma 2", "Assumption 1", "Lemma 3"]
    assert found[0].title == "Main bound"
    assert (found[0].labels, found[3].labels) == (("thm:main",), ("as:a", "as:b"))
    assert found[0].text == r"For all $N\ge2$ it holds. And more."
    assert title.split()[0] == "When"
    assert title.split()[-2:] == ["a", "tale"]
    assert authors == "Ada Lovelace, Carl Gauß"
    assert identifiers(found) == ["theorem_01", "remark_unnumbered", "lemma_02", "assumption_01", "lemma_03"]


def test_counters_within_sections_and_an_appendix(tmp_path):
    found = read_tex(written(tmp_path, WITHIN))[2]
    assert [one.label for one in found] == [
        "Theorem 1.1", "Definition 1.1", "Corollary 2.1", "Theorem 2.2", "Definition 2.1", "Theorem A.1",
        "Corollary B.1",
    ]  # fmt: skip
    assert identifiers(found)[0] == "theorem_1_1"
    assert identifiers(found)[-1] == "corollary_b_1"


def test_files_that_are_input_and_restated_theorems(tmp_path):
    written(tmp_path, r"\begin{restatable}[Known]{lemma}{again} Inner. \end{restatable}", "inner.tex")
    main = r"""\newtheorem{lemma}{Lemma}
    \begin{document} \begin{lemma} first \end{lemma} \input{inner} \input{missing} % \input{inner}
    \begin{lemma} last \end{lemma} \end{document}"""
    found = read_tex(written(tmp_path, main))[2]
    assert [(one.label, one.title) for one in found] == [("Lemma 1", ""), ("Lemma 2", "Known"), ("Lemma 3", "")]


def test_words_of_other_languages_and_chapters(tmp_path):
    text = r"""\newtheorem{satz}{Satz}[chapter] \newtheorem{folg}[satz]{Folgerung}
    \begin{document} \chapter{A} \begin{satz} a \end{satz} \chapter{B} \section{C}
    \begin{satz}[Größe] b \end{satz} \begin{folg} c \end{folg} \end{document}"""
    found = read_tex(written(tmp_path, text))[2]
    assert [one.label for one in found] == ["Satz 1.1", "Satz 2.1", "Folgerung 2.2"]
    assert all(id.isascii() for id in identifiers(found))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["theorem", "lemma", "claim", "section"]), max_size=25))
def test_a_generated_document_comes_back(tmp_path_factory, steps):
    """Theorems and lemmas share a counter within sections, claims count by themselves: counted here by hand."""
    body, wanted, section, inner, claims = [], [], 0, 0, 0
    for k, step in enumerate(steps):
        if step == "section":
            section, inner = section + 1, 0
            body.append(rf"\section{{S{k}}}")
        elif step == "claim":
            claims += 1
            wanted.append((f"Claim {claims}", f"c{k}"))
            body.append(rf"\begin{{claim}}\label{{c{k}}} text {k} \end{{claim}}")
        else:
            inner += 1
            wanted.append((f"{step.capitalize()} {section}.{inner}", f"c{k}"))
            body.append(rf"\begin{{{step}}}\label{{c{k}}} text {k} \end{{{step}}}")
    text = "\n".join([
        r"\newtheorem{theorem}{Theorem}[section]\newtheorem{lemma}[theorem]{Lemma}", r"\newtheorem{claim}{Claim}",
        r"\begin{document}", *body, r"\end{document}"])  # fmt: skip
    path = written(tmp_path_factory.mktemp("tex"), text)
    if not wanted:
        with pytest.raises(DomainError, match="without a statement"):
            read_tex(path)
        return
    found = read_tex(path)[2]
    assert [(one.label, *one.labels) for one in found] == wanted
    assert len(set(identifiers(found))) == len(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [(r"\newtheorem{t}{T}\begin{document}\begin{t} a \end{document}", "line"),
     (r"\begin{document} {a \end{document}", "line"),
     (r"\begin{document} no theorem \end{document}", "without a statement")],
)  # fmt: skip
def test_tex_that_cannot_be_read_is_refused_with_its_line(tmp_path, text, said):
    with pytest.raises(DomainError, match=said):
        read_tex(written(tmp_path, text))


def test_a_first_sentence_is_not_cut_inside_a_formula():
    assert first_sentence("It holds. And more.") == "It holds"
    long = "Let $x_1, x_2, x_3$ be numbers and $" + " + ".join(f"y_{k}" for k in range(60)) + "$ their sum"
    assert first_sentence(long).count("$") == 2
    assert first_sentence(long).endswith("…")


def test_the_command_lists_all_statements_and_a_check_opens_one(cli, tmp_path):
    path = written(tmp_path, SHARED)
    answer = cli("new", "arxiv:2503.11272v2", "--tex", path, "--name", "tale")
    assert answer.code == 0, answer.err
    assert "5 statements, all open" in answer.out
    data = tomllib.loads((tmp_path / "checks" / "tale" / "paper.toml").read_text(encoding="utf-8"))
    assert (data["paper"]["arxiv"], data["paper"]["version"], data["paper"]["key"]) == ("2503.11272", 2, "tale")
    assert [s["label"] for s in data["statement"]] == ["Theorem 1", "Remark", "Lemma 2", "Assumption 1", "Lemma 3"]
    assert all(s["open"] and s["printed"]["read"] == {"v1": "text"} for s in data["statement"])
    listed = cli("list", "tale").out
    assert "tale.lemma_02  Lemma 2 (not compared), open" in listed
    assert "Main bound" in listed
    assert cli("new", "tale", "lemma_02").code == 0
    assert "tale.lemma_02  Lemma 2 (not compared), 1 claim" in cli("list", "tale").out
    assert cli("verify", "tale.lemma_02", "--no-report").code == 4  # the template is no proof of the paper's lemma
    edited(tmp_path / "checks" / "tale" / "lemma_02.py")
    assert cli("verify", "tale.lemma_02", "--no-report").code == 0
    again = cli("new", "arxiv:2503.11272", "--tex", path, "--name", "tale")
    assert (again.code, "left alone" in again.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [(["new", "arxiv:2503.11272", "--tex", "gone.tex"], "gone.tex"), (["new", "tale"], "a statement, or --tex"),
     (["new", "arxiv:nonsense", "--tex", "gone.tex"], "arxiv:NNNN"), (["new", "tale", "--name", "x"], "--name without"),
     (["new", "tale", "lemma_1", "--tex", "gone.tex"], "with --tex"),
     (["new", "qstr", "--tex", "gone.tex"], "library")],
)  # fmt: skip
def test_what_contradicts_itself_is_refused(cli, words, said):
    answer = cli(*words)
    assert answer.code == 2
    assert said in answer.err
