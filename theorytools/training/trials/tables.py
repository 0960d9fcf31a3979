"""Rows of a store as one flat table, in CSV or Parquet, written whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theorytools.errors import DomainError
from theorytools.files import write_text
from theorytools.training.trials.trial import canonical

if TYPE_CHECKING:
    from theorytools.training.trials.store import Row

PLAIN = ("key", "status", "reason", "seconds", "created")


def table(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Return columns of equal length: ``key``, ``status``, ``reason``, ``seconds``, ``created``, then one for every
    name that occurs in a specification (``spec.N``), a result (``result.samples``) and a provenance.

    None where a row has no such name.  Lists and mappings are their canonical JSON text.  A column whose values are
    not all of one type is their canonical JSON texts, so that ``1`` and ``"1"`` stay apart.
    """
    columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in PLAIN}
    for part in ("spec", "result", "provenance"):
        names = sorted({name for row in rows for name in getattr(row, part)})
        for name in names:
            columns[f"{part}.{name}"] = _column([getattr(row, part).get(name) for row in rows])
    return columns


def _column(values: list[Any]) -> list[Any]:
    kinds = {type(value) for value in values if value is not None}
    long = any(type(value) is int and not -(2**63) <= value < 2**63 for value in values)
    if len(kinds) <= 1 and not long and not kinds & {list, dict}:
        return values
    return [None if value is None else canonical(value) for value in values]


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write the table as CSV: UTF-8, one header line, floats with all their digits, empty where there is no value.

    Raises
    ------
    FolderError : if the file cannot be written.
    """
    columns = table(rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    write_text(path, text.getvalue())


def write_parquet(rows: Sequence[Row], path: Path) -> None:
    """Write the table as Parquet.

    Raises
    ------
    DomainError : if pyarrow is not installed; it says how to install it.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise DomainError(
            "a Parquet file, where pyarrow is not installed",
            required="pyarrow",
            why="Parquet is an optional format; CSV holds the same table",
            advice="pip install 'theorytools[parquet]'",
        ) from error
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        parquet.write_table(pyarrow.table(table(rows)), temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
