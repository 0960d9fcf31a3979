"""The store of trials: one SQLite file, written by the driver only, a row for every acknowledged trial.

A row is acknowledged when :meth:`Store.add` returns: the transaction is then on the disk (``synchronous=FULL``) and
outlives the death of the driver, of every worker, and a power cut.  Rows are never replaced.  A second driver on the
same file, on the same machine, is safe: each write is a short transaction of its own that waits for the other's, and
what both computed is stored once.  The write-ahead log needs shared memory between all processes that have the file
open, so the file lies on a local disk; on a network file system the log corrupts it.  Workers return values.

Why a table of our own, and no library: ``diskcache`` 5.6, SQLite as well, lost nothing in 100 kills of workers, pools
and drivers either, once it was told to flush every write and to throw nothing away, which are not its defaults; an
acknowledgement takes it 0.7 ms where this file takes 0.35.  What it lacks is what the rest of this module does: no
other program can ask its values by column, it writes wherever it is opened, beside a running driver, too, it knows
nothing of network file systems, and it does not say that a second result of a trial differs from the first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.errors import DomainError, FolderError
from theorytools.training.trials.store_file import opened, sqlite_errors
from theorytools.training.trials.trial import FAILED, STATUSES, Result, canonical, trial_key
from theorytools.training.trials.trial_row import Row

COLUMNS = "key, spec, status, result, reason, provenance, seconds, created"


@checked
class Store:
    """Results of trials, by the digest of what was run.

    Parameters
    ----------
    path : the file; made, with its folder, if it is not there.
    read_only : open an existing store for a report; works beside a running driver and on a read-only disk.
    journal : ``"wal"``, on a local disk; ``"delete"`` is slower and for file systems without shared memory, where
        it is as safe as the locks of that file system.

    Raises
    ------
    FolderError : if the file cannot be opened, is no store, is one of another version, or (for ``"wal"``) lies on a
        network file system.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "trials.sqlite") as store:
    ...     first = store.add({"N": 64, "seed": 0}, {"samples": 4096})
    ...     again = store.add({"seed": 0, "N": 64}, {"samples": 4096})
    ...     print(first, again, store.get({"N": 64, "seed": 0}).result)
    True False {'samples': 4096}
    """

    def __init__(self, path: Path | str, *, read_only: bool = False, journal: str = "wal") -> None:
        self.path = Path(path)
        self._db = opened(self.path, read_only=read_only, journal=journal)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the last one to close it folds the write-ahead log into it."""
        self._db.close()

    # -- writing -----------------------------------------------------------------------------------------------------
    def add(
        self,
        spec: Mapping[str, Any],
        result: Result | Mapping[str, Any],
        *,
        provenance: Mapping[str, Any] | None = None,
        seconds: float = 0.0,
    ) -> bool:
        """Acknowledge one trial; False if it is there already with the same result.

        Two failures of one trial are the same result, whatever their reasons say.

        Parameters
        ----------
        spec : everything that the result depends on, in JSON types.
        result : a mapping of names to values, or a :class:`Result`.
        provenance : where and with what it was computed.
        seconds : how long it took.

        Returns
        -------
        bool : whether the trial is new.

        Raises
        ------
        DomainError : if the trial is there with a different status or result; both are named and the old one stays.
        FolderError : if the file cannot be written.
        """
        found = result if isinstance(result, Result) else Result(result)
        about = canonical({**(provenance or {}), **found.provenance})
        created = datetime.now(UTC).isoformat(timespec="milliseconds")
        key, value = trial_key(spec), canonical(found.value)
        row = (key, canonical(spec), found.status, value, found.reason, about, float(seconds), created)
        with self._transaction():
            marks = ", ".join("?" * len(row))
            if self._db.execute(f"insert or ignore into trials ({COLUMNS}) values ({marks})", row).rowcount:
                return True
            old = self._db.execute("select status, result from trials where key = ?", (key,)).fetchone()
        if old != (found.status, value) and (old[0], found.status) != (FAILED, FAILED):
            raise DomainError(
                f"trial {key} = {canonical(spec)} with the result {found.status} {value}, "
                f"where {self.path} holds {old[0]} {old[1]}",
                required="the result that is stored",
                why="a trial is named by everything its result depends on, and no result is replaced in silence",
                advice="put what differs (dtype, threads, layout of the batch, code) into the specification",
            )
        return False

    def forget_failed(self, specs: Iterable[Mapping[str, Any]] | None = None) -> int:
        """Delete failed trials, so that the next run tries them again.

        Parameters
        ----------
        specs : those to delete; all unless given.

        Returns
        -------
        int : how many were deleted.
        """
        with self._transaction():
            if specs is None:
                return self._db.execute("delete from trials where status = ?", (FAILED,)).rowcount
            named = [(trial_key(spec), FAILED) for spec in specs]
            return self._db.executemany("delete from trials where key = ? and status = ?", named).rowcount

    def take(self, other: Store) -> int:
        """Take over the trials of another store, with where they were made.

        Parameters
        ----------
        other : an open store.

        Returns
        -------
        int : how many were new.

        Raises
        ------
        DomainError : a trial is in both with different results.
        """
        new = 0
        for row in other.rows():
            result = Result(row.result, status=row.status, reason=row.reason)
            new += self.add(row.spec, result, provenance=row.provenance, seconds=row.seconds)
        return new

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with sqlite_errors(self.path):
            self._db.execute("begin immediate")
            try:
                yield
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise

    # -- reading -----------------------------------------------------------------------------------------------------
    def __len__(self) -> int:
        with sqlite_errors(self.path):
            return int(self._db.execute("select count(*) from trials").fetchone()[0])

    def __contains__(self, spec: Mapping[str, Any]) -> bool:
        return self.has(trial_key(spec))

    def has(self, key: str) -> bool:
        """Return whether the trial with this key is acknowledged.

        Parameters
        ----------
        key : the digest of a specification.

        Returns
        -------
        bool : also for a failed trial.
        """
        with sqlite_errors(self.path):
            return self._db.execute("select 1 from trials where key = ?", (key,)).fetchone() is not None

    def get(self, spec: Mapping[str, Any]) -> Row | None:
        """Return the row of a trial, or None if it is not acknowledged.

        Parameters
        ----------
        spec : the trial's specification.

        Returns
        -------
        Row or None : with status, result and provenance.
        """
        with sqlite_errors(self.path):
            found = self._db.execute(f"select {COLUMNS} from trials where key = ?", (trial_key(spec),)).fetchone()
        return None if found is None else _row(found, self.path)

    def missing(self, specs: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return the trials that are not acknowledged, in the given order, each once.

        Parameters
        ----------
        specs : trials, some perhaps twice.

        Returns
        -------
        list : specifications; a failed trial is not missing.
        """
        by_key: dict[str, Mapping[str, Any]] = {}
        for spec in specs:
            by_key.setdefault(trial_key(spec), spec)
        return [spec for key, spec in by_key.items() if not self.has(key)]

    def rows(self, *, status: str | Sequence[str] | None = None, **where: Any) -> Iterator[Row]:
        """Yield the rows whose specification has these values, in the order of their canonical texts.

        Values are equal when their canonical texts are: ``N=64`` does not find ``64.0``.

        Parameters
        ----------
        status : one status or several of ``"done"``, ``"censored"``, ``"failed"``; all unless given.
        where : fields of the specification.

        Yields
        ------
        Row : one for each trial.

        Raises
        ------
        DomainError : for a value that no specification can hold.
        """
        wanted = {name: canonical(value) for name, value in where.items()}
        statuses = None if status is None else {status} if isinstance(status, str) else set(status)
        with sqlite_errors(self.path):
            for found in self._db.execute(f"select {COLUMNS} from trials order by spec"):
                row = _row(found, self.path)
                if (statuses is None or row.status in statuses) and all(
                    name in row.spec and canonical(row.spec[name]) == text for name, text in wanted.items()
                ):
                    yield row

    # -- tables ------------------------------------------------------------------------------------------------------
    def export_csv(self, path: Path | str) -> None:
        """Write all rows as one CSV file, in one piece; columns as in ``trials.tables.table``.

        Parameters
        ----------
        path : the file; an old one is replaced.

        Raises
        ------
        FolderError : the file cannot be written.
        """
        from theorytools.training.trials.tables import write_csv

        write_csv(list(self.rows()), Path(path))

    def export_parquet(self, path: Path | str) -> None:
        """Write all rows as one Parquet file, in one piece.

        Parameters
        ----------
        path : the file; an old one is replaced.

        Raises
        ------
        DomainError : if pyarrow is not installed; it says how to install it.
        """
        from theorytools.training.trials.tables import write_parquet

        write_parquet(list(self.rows()), Path(path))


def _row(found: tuple[Any, ...], path: Path) -> Row:
    """The row, or ``FolderError`` for one that this store did not write."""
    key, spec, status, result, reason, about, seconds, created = found
    try:
        if _key_of(spec) != key or status not in STATUSES or type(seconds) is not float or type(reason) is not str:
            raise ValueError("a key that is not that of its specification, or another type")
        datetime.fromisoformat(created)
        texts = [json.loads(text) for text in (spec, result, about)]
        if not all(isinstance(one, dict) for one in texts):
            raise ValueError("no table of names and values")
        return Row(key, texts[0], status, texts[1], reason, texts[2], seconds, created)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise FolderError(
            f"the trial {str(key)[:64]} of {path}, which no store wrote ({str(error)[:200]})",
            required="rows as they were stored", why="a trial that is misread would be reported",
            advice="another path; `theorytools sweep NAME --from-record` fills a new store from a committed record",
        ) from None  # fmt: skip


def _key_of(spec: str) -> str:
    """Return the key of a specification that is written down."""
    return hashlib.sha256(spec.encode()).hexdigest()
