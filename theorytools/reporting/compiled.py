"""The compiled templates of pages, kept between runs by the text that they were compiled from."""

from __future__ import annotations

import base64
import hashlib
import marshal
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import CodeType

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from theorytools.content_cache import Kept

_CODE = Kept("templates", [__file__, Path(__file__).with_name("rendering.py")])  # which has the options of compiling


class Compiled(BytecodeCache):
    """Code objects as text; what cannot be read is compiled again."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a bucket the code that is kept of its text, if any is."""
        key = _key(bucket)
        if _CODE.has(key):
            try:
                code = marshal.loads(base64.b64decode(_CODE.get(key, str), validate=True))
            except (EOFError, ValueError, TypeError):  # binascii.Error is a ValueError
                return
            bucket.code = code if isinstance(code, CodeType) else None

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a bucket."""
        code = base64.b64encode(marshal.dumps(bucket.code)).decode("ascii")
        _CODE.get(_key(bucket), lambda: code)


def _key(bucket: Bucket) -> str:
    """The digest of the place and text of a template, and of what compiles it: tracebacks name the place."""
    return hashlib.sha256(f"{bucket.key} {bucket.checksum} {_compiler()}".encode()).hexdigest()


@cache
def _compiler() -> str:
    return f"{version('jinja2')} {platform.python_implementation()} {platform.python_version()}"
