"""What each claim says, committed beside its verdict.

``python -m tools.statements`` writes ``reports/statements.json``.  ``theorytools/recheck.py`` takes the file as its
second input and confirms a verdict of a claim only where hypotheses, controls, points, letters, scope, evidence and all
else that was not measured are those of the file.  It is made from the committed archives, whose verdicts are of
everything as it is; a test holds it against the checks themselves.  ``python -m tools.committed site`` writes it too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools import recheck
from theorytools.claims.judging.archive import archive_path, read_archive
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.errors import DomainError, TheoryError
from theorytools.files import json_text, write_all

NAME = "statements.json"


def statements_text(verdicts: Iterable[Mapping[str, Any]]) -> str:
    """Return the text of the file that binds these verdicts, a claim a line."""
    data = recheck.statements_file(verdicts)
    head, honest = json_text(data["schema"]), json_text(data["not expressible"])
    claims = ",\n".join(f"{json_text(id)}: {json_text(parts)}" for id, parts in data["claims"].items())
    return f'{{"schema": {head}, "not expressible": {honest}, "claims": {{\n{claims}\n}}}}\n'


def committed_verdicts(root: Path) -> list[dict[str, Any]]:
    """Return the verdicts of the committed archives; ``DomainError`` where a paper has none that can be read."""
    verdicts = list[dict[str, Any]]()
    for paper in Catalogue(root / "checks").papers:
        path = archive_path(paper)
        if path is None:
            raise DomainError(f"{paper.folder} beside no archive", required="the committed verdicts of each paper",
                              advice="theorytools verify, then python -m tools.committed site")  # fmt: skip
        verdicts += read_archive(path).verdicts.values()
    return verdicts


def main(arguments: Sequence[str]) -> int:
    """Write the statements of the committed verdicts, for the repository in the current folder."""
    if arguments:
        sys.stdout.write(f"{__doc__}\nExample: python -m tools.statements\n")
        return 0 if {"-h", "--help"} & set(arguments) else 2
    try:
        write_all(Path("reports"), {NAME: statements_text(committed_verdicts(Path.cwd()))})
    except TheoryError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"wrote reports/{NAME}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
