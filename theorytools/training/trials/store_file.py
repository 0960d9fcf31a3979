"""The file of a store: how it is opened, recognised, made once, and refused."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from theorytools.errors import DomainError, FolderError
from theorytools.training.trials.trial import STATUSES

APPLICATION = 0x7468_7472  # "thtr", in the header of the file
VERSION = 1
HEADER = b"SQLite format 3\x00"
LONGEST = 1 << 26  # bytes of a value or a statement: a longer one is not read
PATIENCE = 30.0  # seconds that a writer waits for another one
NETWORK = (
    "nfs",
    "cifs",
    "smb",
    "lustre",
    "gpfs",
    "beegfs",
    "ceph",
    "afs",
    "9p",
    "fuse.sshfs",
    "fuse.glusterfs",
    "pvfs",
)
SCHEMA = f"""
create table trials (
    key text primary key not null,
    spec text not null,
    status text not null check (status in ({", ".join(repr(s) for s in STATUSES)})),
    result text not null,
    reason text not null,
    provenance text not null,
    seconds real not null,
    created text not null
) without rowid"""


def opened(path: Path, *, read_only: bool, journal: str) -> sqlite3.Connection:
    """Open a store, make it if need be, and return its connection.

    Raises
    ------
    DomainError : for another journal than ``"wal"`` and ``"delete"``.
    FolderError : if the file cannot be opened, cannot be written to, is no store, is one of another version, is
        corrupt, or lies where a write-ahead log is unsafe.
    """
    if journal not in ("wal", "delete"):
        raise DomainError(
            f"journal={journal!r}",
            required="'wal' or 'delete'",
            why="the other journals of SQLite lose rows when a process dies",
            advice="leave it out on a local disk",
        )
    _refuse_other_files(path, read_only)
    _refuse_unmarked(path)
    if read_only:
        return _reading(path)
    if journal == "wal" and (kind := file_system(path)).startswith(NETWORK):
        raise FolderError(
            f"the store {path}, on a file system of kind {kind}",
            required="a local disk",
            why="a write-ahead log needs memory shared by all who have the file open, and a network has none",
            advice="a path on the driver's own disk, copied when the run is done; or Store(path, journal='delete')",
        )
    with sqlite_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        db = _wary(sqlite3.connect(path, timeout=PATIENCE, isolation_level=None))
        try:
            _prepare(db, path, journal)
        except BaseException:
            db.close()
            raise
        return db


def _wary(db: sqlite3.Connection) -> sqlite3.Connection:
    """The connection, which runs no function that a view, a trigger or a constraint of the file names."""
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    db.execute("pragma trusted_schema = off")
    return db


def _prepare(db: sqlite3.Connection, path: Path, journal: str) -> None:
    """Recognise the file before anything is written; set the journal; make the table, whoever comes first."""
    if not _is_blank(db):
        _recognise(db, path)
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            mode = db.execute(f"pragma journal_mode = {journal}").fetchone()[0]
            break
        except sqlite3.OperationalError:  # SQLite does not wait here by itself
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
    if mode != journal:
        raise sqlite3.OperationalError(f"the journal stays {mode}")
    db.execute("pragma synchronous = full")
    if _is_blank(db):
        db.execute("begin immediate")
        try:
            if _is_blank(db):
                db.execute(SCHEMA)
                db.execute(f"pragma application_id = {APPLICATION}")
                db.execute(f"pragma user_version = {VERSION}")
            db.execute("commit")
        finally:
            if db.in_transaction:
                db.execute("rollback")
    _recognise(db, path)
    _require_sound(db, path)
    db.execute("delete from trials where 0")  # a store that cannot be written to is an error now, not after a trial


def _reading(path: Path) -> sqlite3.Connection:
    """A connection that cannot write; on a disk that cannot be written to, one that takes no locks either."""
    address = path.resolve().as_uri() + "?mode=ro"
    with sqlite_errors(path):
        db = _wary(sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None))
        try:
            _is_blank(db)
        except sqlite3.OperationalError:
            db.close()
            if path.with_name(path.name + "-wal").exists():
                raise
            db = _wary(sqlite3.connect(address + "&immutable=1", uri=True, isolation_level=None))
        try:
            _recognise(db, path)
            _require_sound(db, path)
        except BaseException:
            db.close()
            raise
        return db


def _is_blank(db: sqlite3.Connection) -> bool:
    tables = db.execute("select count(*) from sqlite_master").fetchone()[0]
    return not tables and not any(_marks(db))


def _marks(db: sqlite3.Connection) -> tuple[int, int]:
    return tuple(db.execute(f"pragma {name}").fetchone()[0] for name in ("application_id", "user_version"))


def _recognise(db: sqlite3.Connection, path: Path) -> None:
    application, version = _marks(db)
    if application != APPLICATION:
        raise _no_store(f"{path}, an SQLite file of another program")
    if version != VERSION:
        raise FolderError(
            f"{path}, a store of version {version}",
            required=f"version {VERSION}",
            why="columns differ between versions",
            advice="the theorytools that wrote it, or another path",
        )
    found = list(db.execute("select type, name, sql from sqlite_master limit 9"))
    if [(kind, name, _plain(str(sql))) for kind, name, sql in found] != [("table", "trials", _plain(SCHEMA))]:
        raise _no_store(f"{path}, an SQLite file with other tables, views or triggers than a store has")


def _plain(sql: str) -> str:
    return " ".join(sql.lower().split())


def _require_sound(db: sqlite3.Connection, path: Path) -> None:
    """Read the whole file once: a damaged page is found before a trial is run, not when its row is asked for."""
    found = "; ".join(str(line[0]) for line in db.execute("pragma quick_check(1)"))
    if found != "ok":
        raise FolderError(
            f"the store {path}, which is damaged: {found}",
            required="a sound file",
            why="a trial that is taken for missing would be run again, and one that is misread would be reported",
            advice="another path; `theorytools sweep NAME --from-record` fills a new store from a committed record",
        )


def _refuse_other_files(path: Path, read_only: bool) -> None:
    """Before SQLite sees it: a missing file to read, a folder, a file of another kind; an empty one is a new store."""
    try:
        if not path.exists():
            if read_only:
                raise _no_store(f"{path}, which does not exist")
            return
        if not path.is_file():
            raise _no_store(f"{path}, which is no file")
        with path.open("rb") as file:
            head = file.read(len(HEADER))
    except OSError as error:
        raise _no_store(f"{path}, which cannot be read ({error.strerror})") from error
    if (head or read_only) and head != HEADER:
        raise _no_store(f"{path}, which is no SQLite file")


def _refuse_unmarked(path: Path) -> None:
    """Look at a file that does not say in its first bytes that it is a store in a copy of it.

    SQLite finishes what another program was about: whoever only opens its file may find it changed, and its log gone.
    A store that was being made when its process died says what it is in its log alone.
    """
    if not path.exists() or path.stat().st_size == 0:
        return
    with sqlite_errors(path), path.open("rb") as file:
        if file.read(72)[68:] == APPLICATION.to_bytes(4, "big"):
            return
        size = sum(one.stat().st_size for one in map(Path, _parts(path)) if one.is_file())
        if size > LONGEST:
            raise _no_store(f"{path}, an SQLite file of another program")
        with tempfile.TemporaryDirectory() as folder:
            copied = [shutil.copyfile(one, Path(folder) / f"copy{one[len(str(path)) :]}")
                      for one in _parts(path) if Path(one).is_file()]  # fmt: skip
            with contextlib.closing(_wary(sqlite3.connect(copied[0], isolation_level=None))) as db:
                if not _is_blank(db):
                    _recognise(db, path)


def _parts(path: Path) -> tuple[str, str, str]:
    return f"{path}", f"{path}-wal", f"{path}-journal"


def _no_store(given: str) -> FolderError:
    return FolderError(
        given,
        required="a store of trials, or (for writing) a path where none is yet",
        why="nothing is written into files of others",
        advice="name another path",
    )


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system say into an error that names the file."""
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeError) as error:  # a damaged file has damaged messages
        raise FolderError(
            f"the store {path}: {error}",
            required="a file that can be written to, on a disk with room",
            why="a trial is acknowledged once it is on the disk",
            advice="what is acknowledged is safe; mend the disk or the permissions and run again",
        ) from error


def file_system(path: Path) -> str:
    """Return the kind of the file system that a path lies on, as the mount table says; empty where there is none."""
    table, place = Path("/proc/self/mounts"), path.absolute().resolve()
    best, kind = -1, ""
    if table.is_file():
        for line in table.read_text(encoding="utf-8", errors="replace").splitlines():
            fields = line.split(" ")
            mount = Path(fields[1].replace("\\040", " "))
            if place.is_relative_to(mount) and len(mount.parts) >= best:
                best, kind = len(mount.parts), fields[2]
    return kind
