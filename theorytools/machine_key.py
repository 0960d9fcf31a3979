"""A key that only this user's machine has: what carries its seal was written here, and by nobody else."""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
from functools import lru_cache
from pathlib import Path

from theorytools.content_cache import cache_folder

NAME, LENGTH = "key", 32  # of the file among what is kept between runs, in bytes


def seal(text: str) -> str:
    """Return the seal of a text: an HMAC of SHA-256 under this machine's key.

    A digest says that nothing changed by accident; anybody can compute it.  The seal says who wrote: what another
    machine has sealed, or a folder of caches that was emptied since, counts for nothing and is made again.
    """
    return hmac.new(_key(cache_folder()), text.encode(), "sha256").hexdigest()


def is_sealed(text: str, given: object) -> bool:
    """Whether this is the seal of the text."""
    return isinstance(given, str) and given.isascii() and hmac.compare_digest(seal(text), given)


@lru_cache(maxsize=4)
def _key(folder: Path | None) -> bytes:
    """The key in a folder, made where there is none; where it can be neither read nor kept, one for this process."""
    fresh = secrets.token_bytes(LENGTH)
    if folder is None:
        return fresh
    path = folder / NAME
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f".{NAME}.{secrets.token_hex(6)}.part"
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(fresh)
        try:
            with contextlib.suppress(FileExistsError):  # of two processes that begin at once the first one's is taken
                os.link(part, path)
        finally:
            part.unlink()
    with contextlib.suppress(OSError):
        found = path.read_bytes()
        if len(found) == LENGTH:
            return found
    return fresh
