"""Programs that ask how good this library is, and that write what is committed of it; no part of the wheel."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
