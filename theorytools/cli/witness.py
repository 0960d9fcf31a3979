"""``verify --witness``: violations that ``falsify`` kept, or that somebody sends, judged anew."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.judging.witness import changed, read_witnesses, replay
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.cli.answers import answer
from theorytools.errors import DomainError
from theorytools.progress import talking


def replay_files(files: Sequence[Path], ids: Sequence[str], at: Sequence[str], checks: Path | None, format: str) -> int:
    """Judge the witnesses in files again and tell each; ``DomainError`` for one that does not come out as it says."""
    if ids or at:
        raise DomainError("--witness with ids or --at", required="files of witnesses alone",
                          why="a witness names its claim and its point")  # fmt: skip
    catalogue = Catalogue(find_roots(checks))
    lines = []
    for file in files:
        with talking():
            rows = replay(file, catalogue)
        data = read_witnesses(file)
        for one, row in zip(data["witnesses"], rows, strict=True):
            told = {"id": data["id"], "hypothesis": one["hypothesis"], "violation": row.to_json()}
            lines.append({**told, "changed": changed(data, catalogue.one(data["id"]))})
    if format == "json":
        answer("replay", {"witnesses": lines})
        return 0
    for line in lines:
        _tell_witness(line)
    return 0


def _tell_witness(line: dict[str, Any]) -> None:
    from theorytools.reporting.plain_text import number, point_text

    row = line["violation"]
    without = f" without '{line['hypothesis']}'" if line["hypothesis"] else ""
    print(f"{line['id']}{without}: VIOLATED at {point_text(row['point'])} ({row['evidence'].lower()})")
    bound = " … ".join(number(b) for b in row["bound"])
    print(f"{row['assertion']}: measured {number(row['measured'])}, bound {bound}")
