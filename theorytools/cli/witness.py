"""Files for other judges: ``falsify`` keeps violations, ``verify --witness`` judges them, ``certificates`` objects."""

from __future__ import annotations

import json as json_module
import math
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from theorytools.certificates import write_certificate
from theorytools.claims.judging.falsify import bring, falsify
from theorytools.claims.judging.witness import keep, read_point, read_witnesses, replay, witness
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import broken, load
from theorytools.claims.papers.work import declared
from theorytools.cli.formats import UNDECIDED, UNEXPECTED
from theorytools.errors import DomainError, TheoryError
from theorytools.files import refuse_links
from theorytools.progress import shown, talking

CERTIFICATES = Path("site") / "certificates"


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
            lines.append({"id": data["id"], "hypothesis": one["hypothesis"], "violation": row.to_json()})
    if format == "json":
        print(json_module.dumps({"witnesses": lines, "exit": 0}, ensure_ascii=False, allow_nan=False))
        return 0
    for line in lines:
        _tell_witness(line)
    return 0


def _tell_witness(line: dict[str, Any]) -> None:
    from theorytools.reporting.layout import number, point_text

    row = line["violation"]
    without = f" without '{line['hypothesis']}'" if line["hypothesis"] else ""
    print(f"{line['id']}{without}: VIOLATED at {point_text(row['point'])} ({row['evidence'].lower()})")
    bound = " … ".join(number(b) for b in row["bound"])
    print(f"{row['assertion']}: measured {number(row['measured'])}, bound {bound}")


def falsify_claim(
    id: str, seconds: float, checks: Path | None, as_json: bool, *, save: Path | None = None,
    brought: Path | None = None,
) -> int:  # fmt: skip
    """Run the search; 1 for an unexpected violation, 3 where a known one was not found or nothing was tried."""
    if not math.isfinite(seconds):
        raise DomainError(f"--seconds {seconds}", required="a number of seconds", why="the search must end")
    chosen = Catalogue(find_roots(checks)).select([id])
    exact = [entry for entry in chosen if entry.id == id] or chosen
    if len(exact) > 1:
        raise DomainError(f"the id {id!r}", required="one claim", advice=" or ".join(entry.id for entry in exact))
    try:
        with talking():
            claim = load(exact[0])
            if brought is None:
                found = falsify(claim, exact[0].id, seconds=seconds, work=declared(exact[0], claim))
            else:
                axes, sample = read_point(brought, claim, exact[0].id)
                found = bring(claim, exact[0].id, axes, sample=sample)
    except TheoryError:
        raise
    except Exception as error:
        raise broken(exact[0].path, error) from error
    data = {**found.to_json(), "fitted": found.row is not None and found.row.assertion in claim.fitted}
    expected = (found.row is None) == (claim.expect == "HOLDS")
    code = 0 if expected else UNEXPECTED if found.row is not None and not data["fitted"] else UNDECIDED
    if not data["evaluations"]:
        code = UNDECIDED
    path = None
    if found.row is not None and save is not None:
        path = keep(save, exact[0], [witness(found)])
    if as_json:
        answer = {**data, "exit": code, "witness": str(path) if path else None}
        print(json_module.dumps(answer, ensure_ascii=False, allow_nan=False))
    else:
        _tell_search(exact[0].id, data, path)
    return code


def _tell_search(id: str, data: dict[str, Any], kept: Path | None) -> None:
    from theorytools.reporting.layout import number, point_text

    tried = f"{_tried(data)}, {data['seconds']:.1f} s"
    row = data["violation"]
    if not data["evaluations"]:
        print(f"{id}: nothing was tried ({tried}); give more --seconds")
        _tell_region(data)
        return
    if row is None:
        print(f"{id}: no violation found ({tried}); this corroborates and proves nothing")
        _tell_region(data)
        return
    word = "unresolved, another constant may hold: fails" if data["fitted"] else "VIOLATED"
    print(f"{id}: {word} at {point_text(row['point'])} ({tried})")
    print(
        f"{row['assertion']}: measured {number(row['measured'])}, bound {' … '.join(number(b) for b in row['bound'])}"
    )
    if data["object"]:
        print(f"object: {data['object']}")
    if data["sample"]:
        print(f"with a fresh draw: sample {data['sample']}, not the one that the check judges")
    if data["first"] and data["first"] != dict(row["point"]):
        print(f"found first at {point_text(data['first'])}, then made simpler")
    print(f"evidence: {row['evidence'].lower()}; re-judged with the claim's whole budget")
    _tell_region(data)
    at = " ".join(f"--at {name}={shlex.quote(value)}" for name, value in row["point"].items())
    if kept is not None:
        print(f"witness: theorytools verify --witness {kept}")
    if not data["object"] and not data["sample"]:
        print(f"reproduce: theorytools verify {id} {at}")
    elif kept is None:
        print("keep it: --save FOLDER writes a file that theorytools verify --witness judges again")


def _tried(data: dict[str, Any]) -> str:
    """How many points were tried, and what became of those that say nothing."""
    count = data["evaluations"]
    said = [f"{count} point{'s' * (count != 1)} tried"]
    said += [f"{data['outside'] - data['refused']} outside the hypotheses"] * (data["outside"] > data["refused"])
    said += [f"{data['refused']} refused"] * bool(data["refused"])
    said += [f"{data['open']} not judged"] * bool(data["open"])
    said += [f"{data['samples']} with fresh draws"] * bool(data["samples"])
    return ", ".join(said)


def _tell_region(data: dict[str, Any]) -> None:
    """Say for every axis how far the points inside the hypotheses reached, and why some were not judged."""
    for name, part in data["region"].items():
        if "words" in part:
            few = [word if len(word) <= 40 else word[:37] + "..." for word in part["words"][:8]]
            count = f" and {len(part['words']) - 8} more" if len(part["words"]) > 8 else ""
            print(f"searched: {name} in {', '.join(few)}{count}")
        else:
            print(f"searched: {name} in {part['low']} to {part['high']}")
    if data["failure"]:
        print(f"not judged, first: {data['failure']}")


def certificates_command(ids: Sequence[str], *, output: Path, checks: Path | None, json: bool) -> int:
    """Write the certificates of the claims named, or of all of the user's; return 3 where none has one, else 0."""
    catalogue = Catalogue(find_roots(checks))
    entries = catalogue.select(ids) if ids else catalogue.own
    if output == CERTIFICATES:  # nobody named that folder
        refuse_links(output.parent, [output.name])
    written: list[Path] = []
    with talking(), shown("claims") as progress:
        for done, entry in enumerate(entries, 1):
            try:
                path = write_certificate(entry, load(entry), output)
            except TheoryError:
                raise
            except Exception as error:
                raise broken(entry.path, error) from error
            written += [path] if path else []
            if progress is not None:
                progress(done, len(entries))
    code = 0 if written else UNDECIDED
    if json:
        print(json_module.dumps({"exit": code, "claims": len(entries), "written": [str(path) for path in written]}))
    else:
        print(f"{len(written)} of {len(entries)} claims have an object that is small and of a kind")
        print(f"wrote {output}" if written else "wrote nothing")
    return code
