"""What a repository keeps of a run, to be read in a diff: ``python -m theorytools.cli.committed site``.

Writes ``reports/<paper>.json`` (every verdict, compact and exact), ``reports/verdicts.md`` and ``.tex`` (a line for
each claim), ``reports/cpu.json`` (processor time), and the tables of ``README.md`` and ``checks/README.md``.  Nothing
is judged: the verdicts are those of the folder, and each must be there and as its check is today.
"""

from __future__ import annotations

import datetime
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.judging.compact import checks_digest, write_committed
from theorytools.claims.judging.record import source_commit
from theorytools.claims.judging.sealed import stored_verdicts
from theorytools.claims.judging.versions import versions
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.cli.readme import refreshed
from theorytools.errors import DomainError, TheoryError
from theorytools.files import json_text, write_all
from theorytools.reporting.cpu import cost
from theorytools.reporting.tables import latex_table, markdown_table


def commit_record(site: Path, root: Path) -> list[Path]:
    """Write the committed record of the verdicts in ``site`` for the repository at ``root``; return the files written.

    Raises
    ------
    DomainError
        Where a claim has no verdict of its check as it is.
    """
    catalogue = Catalogue(root / "checks")
    found = stored_verdicts(site / "verdicts")
    verdicts = [_present(found, entry) for entry in catalogue.entries]
    commit, dirty = source_commit(root / "checks")
    files = {"verdicts.md": markdown_table(verdicts), "verdicts.tex": latex_table(verdicts)}
    files["cpu.json"] = json_text(cost(verdicts), indent=1) + "\n"
    for paper in catalogue.papers:
        made = {
            "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "commit": commit,
            "changed_since": dirty, "checks": checks_digest(paper.folder), "versions": versions(),
            "machine": platform.machine(),
        }  # fmt: skip
        own = [v for v in verdicts if v["source"]["paper"] == paper.key]
        files[f"{paper.key}.json"] = write_committed(paper.key, own, made)
    write_all(root / "reports", files)
    texts = {path.relative_to(root).as_posix(): text for path, text in refreshed(root).items()}
    write_all(root, texts)
    return [*(root / "reports" / name for name in files), *(root / name for name in texts)]


def _present(found: Mapping[str, Mapping[str, Any]], entry: Any) -> Mapping[str, Any]:
    from theorytools.claims.papers.catalogue import fingerprint

    verdict = found.get(entry.id)
    if verdict is None or verdict["source"]["sha256"] != fingerprint(entry.path):
        raise DomainError(
            f"{entry.id}, {'without a verdict' if verdict is None else 'which changed since it was judged'}",
            required="a verdict of every claim as it is", advice="theorytools verify",
        )  # fmt: skip
    return verdict


def main(arguments: Sequence[str]) -> int:
    """Write the record of the folder named, ``site`` unless given, for the repository in the current folder."""
    if len(arguments) > 1 or {"-h", "--help"} & set(arguments):
        sys.stdout.write(f"{__doc__}\nExample: python -m theorytools.cli.committed site\n")
        return 0 if {"-h", "--help"} & set(arguments) else 2
    try:
        for path in commit_record(Path(arguments[0] if arguments else "site"), Path.cwd()):
            sys.stdout.write(f"wrote {path.relative_to(Path.cwd())}\n")
    except TheoryError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
