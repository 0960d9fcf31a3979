"""Programs that ask how good this library is, and that write what is committed of it; no part of the wheel."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUPPORT = str(ROOT / "tests" / "support")
if SUPPORT not in sys.path:  # some programs make checks, or read what stands beside a statement, as the tests do
    sys.path.append(SUPPORT)
