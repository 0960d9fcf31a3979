r"""The statements of a paper read from its TeX source: environments, numbers as printed, labels and titles.

pylatexenc parses; here stand only the rules by which LaTeX numbers theorems: ``\newtheorem{lemma}[theorem]{Lemma}``
shares a counter, ``\newtheorem{theorem}{Theorem}[section]`` begins anew with each section, an appendix counts its
sections by letters, and a starred declaration has no number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from theorytools.cli.tex_files import Source
from theorytools.errors import DomainError
from theorytools.optional import require

LEVELS = ("chapter", "section", "subsection", "subsubsection")
_NESTED = 12  # counters within one another
_LONGEST, _TITLE = 20_000, 500  # characters of a statement, and of a title or a label, that are kept
_TOKENS = 20  # looked at for each character of a source: more are looked at again and again
_HEADS = ("title", "author")


@dataclass(frozen=True)
class Declared:
    r"""What a ``\newtheorem`` declares: the word that is printed, whose counter it uses, and within what it counts."""

    word: str
    counter: str
    within: str
    numbered: bool


@dataclass(frozen=True)
class Found:
    """One statement: the word before its number, the number as printed, its title, its labels, and its TeX."""

    word: str
    number: str
    title: str
    labels: tuple[str, ...]
    text: str

    @property
    def label(self) -> str:
        """The statement as the paper numbers it."""
        return f"{self.word} {self.number}".strip()


@dataclass
class _Counters:
    """The counters of LaTeX that theorems use."""

    values: dict[str, int] = field(default_factory=dict)
    within: dict[str, str] = field(default_factory=dict)
    appendix: bool = False

    def step(self, name: str) -> None:
        self.values[name] = self.values.get(name, 0) + 1
        below = [inner for inner, outer in self.within.items() if outer == name]
        if name in LEVELS:
            below += LEVELS[LEVELS.index(name) + 1 :]
        for inner in below:
            self._clear(inner)

    def _clear(self, name: str) -> None:
        self.values[name] = 0
        for inner, outer in self.within.items():
            if outer == name and self.values.get(inner):
                self._clear(inner)

    def printed(self, name: str) -> str:
        value = self.values.get(name, 0)
        top = next((level for level in LEVELS if self.values.get(level)), "section")
        own = chr(ord("A") + value - 1) if self.appendix and name == top and 0 < value < 27 else str(value)
        outer = self.within.get(name) or (LEVELS[LEVELS.index(name) - 1] if name in LEVELS[1:] else "")
        if name in LEVELS and not self.values.get(outer):
            return own
        return f"{self.printed(outer)}.{own}" if outer else own


def read_tex(path: Path) -> tuple[str, str, list[Found], list[str]]:
    """Return title, authors and statements of a TeX source, files that it inputs included, and what was not followed.

    Parameters
    ----------
    path : the main file; what it inputs lies below its folder.

    Raises
    ------
    DomainError : a file that cannot be read or parsed, with its line, one without a statement, or one that is larger,
        deeper or takes longer than :mod:`theorytools.cli.tex_files` allows.
    MissingPackageError : without pylatexenc.
    """
    require("pylatexenc")
    source = Source(path)
    text = source.text()
    try:
        declared, counters = _declarations(text, path)
        nodes = _parsed(text, path, list(declared))
        found = list(_statements(nodes, declared, counters))
        heads = {node.macroname: node for node in _flat(nodes) if _kind(node) == "Macro" and node.macroname in _HEADS}
        title, authors = (_said(heads[name])[:_TITLE] if name in heads else "" for name in ("title", "author"))
    except RecursionError:
        raise DomainError(
            f"{path}, nested too deeply", required="braces and environments at most a hundred inside one another",
            why="statements are read from its environments", advice="a part of the paper",
        ) from None  # fmt: skip
    if not found:
        kinds = ", ".join(declared) or "none"
        raise DomainError(
            f"{path} without a statement", required="environments such as \\begin{theorem}",
            why=f"declared there by \\newtheorem: {kinds}", advice="the main file of the paper, with what it inputs",
        )  # fmt: skip
    return title, authors, found, source.left


def _walker(text: str, environments: Sequence[str]) -> Any:
    from pylatexenc import latexwalker, macrospec

    db = latexwalker.get_default_latex_context_db()
    macros = [macrospec.std_macro("newtheorem", "*{[{["), macrospec.std_macro("numberwithin", "{{"),
              macrospec.std_macro("title", "[{"), macrospec.std_macro("author", "[{")]  # fmt: skip
    arguments = {**dict.fromkeys(environments, "["), "restatable": "[{{", "restatable*": "[{{"}
    made = [
        macrospec.EnvironmentSpec(name, args_parser=macrospec.MacroStandardArgsParser(spec))
        for name, spec in arguments.items()
    ]
    db.add_context_category("statements", macros=macros, environments=made, prepend=True)

    class Walker(latexwalker.LatexWalker):  # type: ignore[misc]
        """One that looks at so many tokens and no more: brackets that do not close are read again from each opening."""

        left = 1000 + _TOKENS * len(text)

        def get_token(self, *given: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise latexwalker.LatexWalkerParseError("brackets that do not close are read again and again")
            return super().get_token(*given, **named)

    return Walker(text, latex_context=db, tolerant_parsing=False)


def _parsed(text: str, path: Path, environments: Sequence[str]) -> list[Any]:
    from pylatexenc.latexwalker import LatexWalkerError

    try:
        return list(_walker(text, list(environments)).get_latex_nodes()[0])
    except LatexWalkerError as error:
        line = getattr(error, "lineno", None)
        said = (getattr(error, "msg", "") or str(error)).strip().split("\n")[0]
        where = f"{path}, line {line}" if line else f"{path}"
        raise DomainError(
            f"{where}: {said}", required="TeX whose braces and environments close",
            why="statements are read from its environments", advice="mend that line, or give a part of the paper",
        ) from None  # fmt: skip


def _declarations(text: str, path: Path) -> tuple[dict[str, Declared], _Counters]:
    declared: dict[str, Declared] = {}
    counters = _Counters()
    preamble = text.partition("\\begin{document}")[0] if "\\begin{document}" in text else text
    lines = re.findall(r"(?m)^[^%\n]*?(\\(?:newtheorem|numberwithin)\b.*)$", preamble)
    for node in _flat(_parsed("\n".join(lines), path, ())):
        if _kind(node) != "Macro" or node.nodeargd is None:
            continue
        if node.macroname == "newtheorem":
            star, name, shared, word, within = (_said_argument(one) for one in node.nodeargd.argnlist)
            declared[name] = Declared(word, shared or name, within, not star)
            if within:
                counters.within[name] = within
        elif node.macroname == "numberwithin":
            inner, outer = (_said_argument(one) for one in node.nodeargd.argnlist)
            counters.within[inner] = outer
    for name in counters.within:
        above = [name]
        while counters.within.get(above[-1]) and len(above) <= _NESTED:
            above.append(counters.within[above[-1]])
        if len(above) > _NESTED:
            raise DomainError(
                f"{path}: the counter {name}, within {', within '.join(above[1:4])}, …",
                required=f"counters at most {_NESTED} within one another, none within itself",
                why="a number has a part for each", advice="mend the line that declares it",
            )  # fmt: skip
    return declared, counters


def _statements(nodes: Sequence[Any], declared: dict[str, Declared], counters: _Counters) -> Iterator[Found]:
    for node in _flat(nodes):
        kind = _kind(node)
        if kind == "Macro" and node.macroname == "appendix":
            counters.appendix = True
            for level in LEVELS:
                counters.values[level] = 0
        elif kind == "Macro" and node.macroname in LEVELS and not _starred(node):
            counters.step(node.macroname)
        elif kind == "Environment":
            name, title = _named(node)
            if name in declared:
                own = declared[name]
                number = ""
                if own.numbered:
                    counters.step(own.counter)
                    number = counters.printed(own.counter)
                body = "".join(part.latex_verbatim() for part in node.nodelist)[:_LONGEST]
                labels = tuple(label[:_TITLE] for label in re.findall(r"\\label\s*\{([^{}]*)\}", body))
                yield Found(own.word[:_TITLE], number, title[:_TITLE], labels, _clean(body))


def _named(node: Any) -> tuple[str, str]:
    """The environment that is meant, and its title; ``restatable`` names it in its second argument."""
    arguments = [_said_argument(one) for one in (node.nodeargd.argnlist if node.nodeargd else [])]
    if node.environmentname.rstrip("*") == "restatable":
        return arguments[1], arguments[0]
    return node.environmentname, arguments[0] if arguments else ""


def _flat(nodes: Sequence[Any] | None) -> Iterator[Any]:
    """Every node in the order of the text, those inside environments and groups too, but not arguments of macros."""
    for node in nodes or ():
        if node is None:
            continue
        yield node
        if _kind(node) in ("Environment", "Group"):
            yield from _flat(node.nodelist)


def _kind(node: Any) -> str:
    return type(node).__name__.removeprefix("Latex").removesuffix("Node")


def _starred(node: Any) -> bool:
    return bool(node.nodeargd and node.nodeargd.argnlist and _said_argument(node.nodeargd.argnlist[0]) == "*")


def _said_argument(node: Any) -> str:
    if node is None:
        return ""
    inner = node.nodelist if _kind(node) == "Group" else [node]
    return _clean("".join(part.latex_verbatim() for part in inner))


def _said(node: Any) -> str:
    from pylatexenc.latex2text import LatexNodes2Text

    given = [one for one in node.nodeargd.argnlist if one is not None] if node.nodeargd else []
    text = _said_argument(given[-1]) if given else ""
    text = re.sub(r"\\(thanks|footnote|inst|email|texttt|address|affil)\s*(\[[^\]]*\])?\{[^{}]*\}", "", text)
    parts = re.split(r"\\and\b|\\AND\b|\\And\b|\\\\", text)
    plain = [" ".join(LatexNodes2Text().latex_to_text(part).split()).strip(" ,") for part in parts]
    return ", ".join(part for part in plain if part)


def _clean(text: str) -> str:
    """TeX on one line, without comments and labels."""
    text = re.sub(r"(?<!\\)%.*", "", text)
    return " ".join(re.sub(r"\\label\s*\{[^{}]*\}", "", text).split())


def first_sentence(text: str, longest: int = 120) -> str:
    """Return the first sentence of a statement, or its beginning with an ellipsis outside formulas."""
    sentence = re.split(r"(?<=[.])\s+(?=[A-Z\\$])", text, maxsplit=1)[0]
    if len(sentence) <= longest:
        return sentence.rstrip(".")
    cut = sentence[:longest].rpartition(" ")[0]
    if cut.count("$") % 2:  # inside a formula
        cut = cut.rpartition("$")[0].rstrip()
    return f"{cut} …"
