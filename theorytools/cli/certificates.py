"""``certificates``: the objects of claims as files for other programs, such as a proof assistant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from theorytools.certificates import write_certificate
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import broken, load
from theorytools.cli.answers import answer
from theorytools.cli.claims_asked import asked_claims
from theorytools.cli.formats import UNDECIDED, hanging
from theorytools.errors import TheoryError
from theorytools.files import refuse_links
from theorytools.mistakes.door import explaining
from theorytools.progress import shown, talking

CERTIFICATES = Path("site") / "certificates"


def certificates_command(ids: Sequence[str], *, output: Path, checks: Path | None, json: bool) -> int:
    """Write the certificates of the claims named, or of all of the user's; return 3 where none has one, else 0."""
    catalogue = Catalogue(find_roots(checks))
    entries = asked_claims(catalogue, ids)
    if output == CERTIFICATES:  # nobody named that folder
        refuse_links(output.parent, [output.name])
    written: list[Path] = []
    with talking(), shown("claims") as progress:
        for done, entry in enumerate(entries, 1):
            try:
                with explaining(entry):
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
        answer("certificates", {"claims": len(entries), "written": [str(path) for path in written]}, code)
    else:
        print(hanging("", f"{len(written)} of {len(entries)} claims have an object that is small and of a kind", 4))
        print(hanging("", f"wrote {output}" if written else "wrote nothing", 4))
    return code
