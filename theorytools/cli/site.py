"""``site``: the pages of a report, with a documentation where one is named, as one folder for a web server."""

from __future__ import annotations

from pathlib import Path

from theorytools.claims.judging.pool import cores
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.cli.answers import answer
from theorytools.cli.stored import Store
from theorytools.errors import DomainError
from theorytools.reporting.folder import publish


def publish_site(folder: Path, report: Path, docs: Path | None, checks: Path | None, json: bool) -> int:
    """Copy the pages of a report, rendered again where something was stored since, and the documentation; return 0."""
    from theorytools.cli.verify import contents, render

    store = Store(report)
    if (report / "verdicts").is_dir() and not store.rendered:
        catalogue = Catalogue(find_roots(checks))
        store.prepare(catalogue)
        render(store, catalogue, cores(), complete=True)
    if docs is None:
        pages, more = publish(report, folder), (0, 0)
    else:
        from theorytools.cli.documentation import FOLDER, addresses, built, copied
        from theorytools.reporting.cache import Cache
        from theorytools.reporting.manifest import SECTIONS
        from theorytools.reporting.site import Site

        if not (report / "verdicts").is_dir():
            raise DomainError(
                f"the folder {report}", required="a folder with verdicts/*.json",
                why="its pages are rendered with links to the documentation", advice="theorytools verify writes them",
            )  # fmt: skip
        verdicts, papers, run = contents(store, Catalogue(find_roots(checks)), complete=True)
        with built(docs, sorted(store.place.listed())) as made:
            linked = {**run, "documentation": f"{FOLDER}/index.html", "addresses": addresses(made)}
            shown = Site(verdicts, papers, linked, Cache(report / SECTIONS), cores()).pages()
            pages = publish(report, folder, shown)
            more = copied(made, folder)
    size = sum((folder / path).stat().st_size for path in pages) + more[1]
    if json:
        answer("site.answer", {"folder": str(folder), "pages": len(pages) + more[0], "bytes": size})
    else:
        print(f"{len(pages) + more[0]} files, {size / 1e6:.1f} MB: {folder}/index.html")
    return 0
