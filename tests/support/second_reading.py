"""Which statement claims a second reader has read: `python -m tests.support.second_reading` lists those still to read.

`reports/second_reading.toml` holds a reading of each claim that is a statement: what its rows, its scope and its proof
carry of the sentence, and what it said beyond that and how it was mended, if it did.  Each names the text that was read by a
fingerprint of the sentence (the first line, setting and statement of its check), its scope and its assertions, so that
a sentence which changes is read again.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

ROOT = Path(__file__).parents[2]
READINGS = ROOT / "reports" / "second_reading.toml"


def statements() -> dict[str, dict[str, Any]]:
    """Return the claims that are statements, by id, as the committed record has them."""
    papers = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(ROOT.glob("reports/*.json"))]
    claims = [claim for data in papers if isinstance(data, dict) and "paper" in data for claim in data["claims"]]
    return {claim["id"]: claim for claim in claims if claim["role"] == "statement"}


def sentence(path: Path) -> str:
    """Return the first line, the setting and the statement of a check."""
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    parts = re.split(r"\n(?=[A-Z][a-z]+ {2,})", doc)
    return "\n".join([parts[0].strip(), *(p for p in parts[1:] if p.startswith(("Setting", "Statement", "Finding")))])


def fingerprint(claim: dict[str, Any], path: Path) -> str:
    """Return sixteen digits of what is read of a claim."""
    told = json.dumps([claim["label"], sentence(path), claim["scope"], claim["assertions"], claim["expect"]])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def readings() -> dict[str, dict[str, str]]:
    """Return the readings by claim."""
    data = tomllib.loads(READINGS.read_text(encoding="utf-8")) if READINGS.is_file() else {}
    return {one["claim"]: one for one in data.get("reading", [])}


def wanted() -> dict[str, str]:
    """Return the fingerprint of every statement claim as it stands."""
    from shared_verdicts import entries

    found = entries()
    return {id: fingerprint(claim, found[id].path) for id, claim in statements().items() if id in found}


def main() -> None:
    """Print the claims whose text nobody has read, with what to write."""
    known = readings()
    for id, text in wanted().items():
        if known.get(id, {}).get("text") != text:
            print(f'[[reading]]\nclaim = "{id}"\ntext = "{text}"\ncarried = ""\n')


if __name__ == "__main__":
    main()
