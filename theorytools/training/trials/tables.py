"""Rows of a store as one flat table, in CSV or in Parquet with its schema, written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError, FolderError
from theorytools.files import write_text
from theorytools.shown import csv_text
from theorytools.training.trials.trial import canonical
from theorytools.training.trials.trial_row import Row

PLAIN = {
    "key": ("string", "digest of the specification"),
    "status": ("string", "done, censored (stopped at its cap: a lower limit) or failed"),
    "reason": ("string", "why it was censored or failed"),
    "seconds": ("float64", "seconds it took where it ran; one of a group: since the group's previous result"),
    "created": ("timestamp", "when it was acknowledged, UTC"),
}
PARTS = {
    "spec": "given: part of what names the trial",
    "result": "measured by the trial",
    "provenance": "where and with what it was computed",
}
TYPES = {bool: "bool", int: "int64", float: "float64", str: "string"}


def table(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Return columns of equal length: ``key``, ``status``, ``reason``, ``seconds``, ``created``, then one for every
    name that occurs in a specification (``spec.N``), a result (``result.samples``) and a provenance.

    None where a row has no such name.  Lists and mappings are their canonical JSON text.  A column whose values are
    not all of one type is their canonical JSON texts, so that ``1`` and ``"1"`` stay apart.
    """
    return {name: values for name, (values, _) in _columns(rows).items()}


def schema(rows: Sequence[Row]) -> dict[str, dict[str, str]]:
    """Return of every column its ``type``, ``meaning`` and ``encoding``: ``plain``, or ``json`` for texts of JSON.

    Types are ``string``, ``int64``, ``float64``, ``bool`` and ``timestamp`` (milliseconds, UTC); a column without a
    value is of type ``string``.
    """
    made = {name: {"type": kind, "meaning": meaning, "encoding": "plain"} for name, (kind, meaning) in PLAIN.items()}
    for name, (values, encoding) in _columns(rows).items():
        if name not in PLAIN:
            kind = next((TYPES[type(value)] for value in values if value is not None), "string")
            made[name] = {"type": kind, "meaning": PARTS[name.partition(".")[0]], "encoding": encoding}
    return made


def _columns(rows: Sequence[Row]) -> dict[str, tuple[list[Any], str]]:
    columns: dict[str, tuple[list[Any], str]] = {n: ([getattr(row, n) for row in rows], "plain") for n in PLAIN}
    for part in PARTS:
        for name in sorted({name for row in rows for name in getattr(row, part)}):
            columns[f"{part}.{name}"] = _column([getattr(row, part).get(name) for row in rows])
    return columns


def _column(values: list[Any]) -> tuple[list[Any], str]:
    kinds = {type(value) for value in values if value is not None}
    long = any(type(value) is int and not -(2**63) <= value < 2**63 for value in values)
    if len(kinds) <= 1 and not long and not kinds & {list, dict}:
        return values, "plain"
    return [None if value is None else canonical(value) for value in values], "json"


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write the table as CSV: UTF-8, one header line, floats with all their digits, empty where there is no value.

    A text that a table calculator would calculate begins with an apostrophe.

    Raises
    ------
    FolderError : if the file cannot be written.
    """
    columns = table(rows)
    write_text(path, csv_text([list(columns), *zip(*columns.values(), strict=True)]))


def write_parquet(rows: Sequence[Row], path: Path) -> None:
    """Write the table as Parquet, each field with the ``meaning`` and ``encoding`` of :func:`schema`.

    Raises
    ------
    DomainError : if pyarrow is not installed; it says how to install it.
    FolderError : if the name is that of a folder.
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
    if path.is_dir():
        raise FolderError(f"the folder {path}", required="the name of a file", why="the table is one file")
    types = {"string": pyarrow.string(), "int64": pyarrow.int64(), "float64": pyarrow.float64(),
             "bool": pyarrow.bool_(), "timestamp": pyarrow.timestamp("ms", tz="UTC")}  # fmt: skip
    fields = [
        pyarrow.field(name, types[of["type"]], metadata={k: of[k] for k in ("meaning", "encoding")})
        for name, of in schema(rows).items()
    ]
    columns = table(rows)
    columns["created"] = [datetime.fromisoformat(text) for text in columns["created"]]
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        parquet.write_table(pyarrow.table(columns, schema=pyarrow.schema(fields)), temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
