"""BibTeX entries of a paper, a checked statement, a page, the tool; an address is a path, which outlives the server."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from theorytools.reporting import words
from theorytools.reporting.escapes import latex_text

AUTHOR = "The theorytools authors"  # as CITATION.cff has author and title
TITLE = "theorytools: executable checks for the theorems of learning-theory papers"


def entry(key: str, **fields: str) -> str:
    """Return one ``@misc`` entry; fields that are empty are left out, values are BibTeX as they stand."""
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{re.sub(r'[^A-Za-z0-9:._-]', '-', key)},", *lines, "}"])


def of_tool(version: str) -> str:
    """Return the entry of the package itself."""
    return entry(
        "theorytools", author=_whole(AUTHOR), title=_whole(TITLE), note=f"Version {version}" if version else ""
    )


def of_paper(paper: Mapping[str, Any]) -> str:
    """Return the entry of a paper; empty where it says no arXiv number, for then it has its own somewhere."""
    arxiv = str(paper.get("arxiv") or "")
    if not arxiv:
        return ""
    year = re.match(r"\d\d", arxiv)
    return entry(
        re.sub(r"\W", "", str(paper.get("key") or "paper")),
        author=latex_text(str(paper.get("authors") or "").replace(", ", " and ")),
        title=_whole(str(paper.get("title") or "")), year=f"20{year[0]}" if year else "", eprint=arxiv,
        archivePrefix="arXiv",
    )  # fmt: skip


def of_claim(verdict: Mapping[str, Any], paper: Mapping[str, Any], label: str, path: str) -> str:
    """Return the entry of a checked statement: which one, of which paper, how it came out, by which code, and where."""
    version = str((verdict.get("versions") or {}).get("theorytools", ""))
    made = words.record(verdict)[0] or words.confirmed(verdict)
    digest = str((verdict.get("source") or {}).get("sha256") or "")[:12]
    arxiv, name = str(paper.get("arxiv") or ""), str(paper.get("title") or "")
    of = f" of {name}" if name else ""
    said = [
        f"arXiv:{arxiv}" if arxiv else "",
        f"{words.anchor(verdict)}: {str(verdict.get('outcome') or '').lower()}",
        f"theorytools {version}".strip(), f"judged {made}" if made else "", f"check SHA-256 {digest}" if digest else "",
    ]  # fmt: skip
    return entry(
        f"theorytools-{words.anchor(verdict)}", author=_whole(AUTHOR), title=_whole(f"{label}{of}, checked"),
        howpublished=rf"\texttt{{{latex_text(path)}}}", note=latex_text("; ".join(part for part in said if part)),
    )  # fmt: skip


def of_page(title: str, path: str, version: str) -> str:
    """Return the entry of a page that is of no one statement."""
    name = re.sub(r"\W+", "-", path.removesuffix(".html")).strip("-")
    return entry(
        f"theorytools-{name}", author=_whole(AUTHOR), title=_whole(title),
        howpublished=rf"\texttt{{{latex_text(path)}}}", note=f"theorytools {version}".strip(),
    )  # fmt: skip


def _whole(text: str) -> str:
    """A text that BibTeX neither splits nor writes small."""
    return f"{{{latex_text(text)}}}" if text else ""
