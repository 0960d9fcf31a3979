"""What a repository keeps of a run, to be read in a diff: ``python -m tools.committed site``.

Writes ``reports/<paper>.json`` (every verdict, compact and exact), ``reports/<paper>.verdicts.xz`` (the same verdicts
whole, as ``verify --quick`` confirms them), ``reports/statements.json`` (what each of them is about, which binds it for
``theorytools/recheck.py``), ``reports/verdicts.md`` and ``.tex`` (a line for each claim),
``reports/cpu.json`` (processor time), and the tables of the documents: README.md, checks, docs, examples, tools.
Nothing is judged: the verdicts are those of the folder, and each must be there and of everything as it is today.

The tables of the documents are made from the committed records; a test compares them.
``python -m tools.committed --documents`` writes these alone.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.judging.archive import committed_files
from theorytools.claims.judging.committed_record import read_committed
from theorytools.claims.judging.disputed import disputed
from theorytools.claims.judging.inputs import ImportTable
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.cli.formats import markdown_rows
from theorytools.errors import DomainError, TheoryError
from theorytools.files import json_text, write_all
from theorytools.meaning import OURS, RELATIONS, TRAINED, UNCOMPARED, counted, numbered, sayer_text, standing
from theorytools.reporting.cpu import cost
from theorytools.reporting.escapes import markdown_text
from theorytools.reporting.finds import documents
from theorytools.reporting.kinds import distribution
from theorytools.reporting.stored_verdicts import stored_verdicts
from theorytools.reporting.tables import latex_table, markdown_table
from tools.bench import record as near
from tools.bench.left import record as left
from tools.quality import page
from tools.statements import NAME, statements_text

Verdicts = Mapping[str, Mapping[str, Any]]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


EVIDENCE = ("exact", "enclosed", "sampled", "observed", "fitted")


def summary_table(papers: Sequence[Mapping[str, Any]], verdicts: Verdicts) -> str:
    """Return, for each paper, its statements, its claims by verdict and their evidence, as a Markdown table."""
    heads = ["paper", "statements", "open", "claims", "HOLDS", "REFUTED", "other", *EVIDENCE, "not as expected"]
    lines = [_row(heads), _row(["---"] + ["---:"] * (len(heads) - 1))]
    for paper in papers:
        own = [verdicts[id] for statement in paper["statements"] for id in statement["claims"]]
        outcomes = [v["outcome"] for v in own]
        strengths = [(v["evidence"] or "").lower() for v in own]
        counts = [
            len(paper["statements"]),
            sum(not statement["claims"] for statement in paper["statements"]),
            len(own),
            *(outcomes.count(word) for word in ("HOLDS", "REFUTED")),
            sum(word not in ("HOLDS", "REFUTED") for word in outcomes),
            *(strengths.count(word) for word in EVIDENCE),
            sum(not v["as_expected"] for v in own),
        ]
        lines.append(_row([f"`{paper['key']}`, {paper['arxiv']}", *map(str, counts)]))
    return "\n".join(lines)


def printed_table(papers: Sequence[Mapping[str, Any]]) -> str:
    """Return, for each paper, how its statements stand to what is printed, as a Markdown table."""
    found = {paper["key"]: counted(map(standing, paper["statements"])) for paper in papers}
    heads = [name for name in (*RELATIONS, UNCOMPARED, OURS) if any(name in made for made in found.values())]
    lines = [_row(["what is judged, to what is printed", *heads]), _row(["---"] + ["---:"] * len(heads))]
    lines += [_row([f"`{key}`", *(str(made.get(name, "")) for name in heads)]) for key, made in found.items()]
    return "\n".join(lines)


def printed_line(papers: Sequence[Mapping[str, Any]]) -> str:
    """Return how the statements of all papers stand to what is printed, in one line."""
    found = counted(standing(statement) for paper in papers for statement in paper["statements"])
    return f"What is judged, to what is printed: {', '.join(f'{name} {n}' for name, n in found.items())}."


def kinds_table(verdicts: Verdicts) -> str:
    """Return how many claims there are of each role, with which evidence and scope, as a Markdown table."""
    heads, *lines = distribution(verdicts.values())
    return "\n".join([_row(heads), _row(["---"] + ["---:"] * (len(heads) - 1)), *map(_row, lines)])


def refuted_table(papers: Sequence[Mapping[str, Any]], verdicts: Verdicts, role: str, only: Sequence[str] = ()) -> str:
    """Return the claims of a role that fail, each with its evidence and its witness, as a Markdown table.

    ``only`` names some of them; by default all are shown.
    """
    said = {id: one for paper in papers for id, one in paper["sayers"].items()}
    heads = ["claim", "reading", *([] if role in TRAINED else ["who says it"]), "evidence", "fails at"]
    lines = [_row(heads), _row(["---"] * len(heads))]
    for id in (id for paper in papers for statement in paper["statements"] for id in statement["claims"]):
        v = verdicts[id]
        if v["outcome"] != "HOLDS" and v.get("role") == role and (not only or id in only):
            at = v["reason"].partition(" fails at ")[2].partition(": measured ")[0]
            reading = v["label"] + (f": {v['note'].rstrip('.')}" if v.get("note") else "")
            who = [markdown_text(sayer_text(said.get(id)))] if len(heads) == 5 else []
            lines.append(_row([f"`{id}`", markdown_text(reading), *who, v["evidence"].lower(), markdown_text(at)]))
    return "\n".join(lines)


def index_table(papers: Sequence[Mapping[str, Any]]) -> str:
    """Return every statement with its claims, or the reason why it has none, as Markdown tables."""
    parts = []
    for paper in papers:
        lines = [f"### {paper['key']}: {paper['title']} (arXiv {paper['arxiv']})", ""]
        lines += [_row(["statement", "to the print", "claims"]), _row(["---"] * 3)]
        for s in paper["statements"]:
            claims = ", ".join(f"`{id}`" for id in s["claims"]) or f"open: {markdown_text(s['open'] or '')}"
            claims += f"; lacks: {markdown_text(s['lacks'])}" if s["lacks"] else ""
            lines.append(_row([numbered(s), standing(s), claims]))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def replace_between(text: str, mark: str, table: str) -> str:
    """Return the text with the part between the two comments of ``mark`` replaced by the table."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    head, _, rest = text.partition(begin)
    _, found, tail = rest.partition(end)
    if not found:
        raise ValueError(f"no comments '{begin}' and '{end}'")
    return f"{head}{begin}\n{table}\n{end}{tail}"


def _scores(found: Mapping[str, Sequence[Sequence[str]]]) -> str:
    return "\n\n".join(markdown_rows(heads, rows) for heads, *rows in found.values())


def bench_table(root: Path) -> str:
    """Return the score of the newest bench of false theorems, of its baselines, and what is demanded, in Markdown."""
    record = near.frozen(root / "reports")
    if record is None:
        raise DomainError(f"{root / 'reports'} without a bench-v*.json", required="the record of a bench",
                          advice="python -m tools.bench --record reports/bench-v1.json")  # fmt: skip
    return _scores(near.tables(record))


def left_table(root: Path) -> str:
    """Return the score of the newest bench of wrong measurements, in Markdown."""
    record = left.frozen(root / "reports")
    if record is None:
        raise DomainError(f"{root / 'reports'} without a bench-left-v*.json", required="the record of a bench",
                          advice="python -m tools.bench --left --record reports/bench-left-v1.json")  # fmt: skip
    return _scores(left.tables(record))


DOCUMENTS = (
    "README.md", "docs/printed.md", "docs/verdicts.md", "checks/README.md", "docs/quality.md", "docs/what_it_finds.md",
    "examples/disputes/README.md", "tools/bench/README.md",
)  # fmt: skip


def refreshed(root: Path) -> dict[Path, str]:
    """Return the texts of the documents as the committed record says they should be."""
    papers = Catalogue(root / "checks").index()
    verdicts: dict[str, Mapping[str, Any]] = {}
    for paper in papers:
        verdicts |= read_committed(root / "reports" / f"{paper['key']}.json")
    every = [id for paper in papers for statement in paper["statements"] for id in statement["claims"]]
    if missing := [id for id in every if id not in verdicts]:
        few = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        raise DomainError(f"{few}, of which the record has nothing", required="a committed verdict of every claim",
                          advice="theorytools verify, then python -m tools.committed site")  # fmt: skip
    shown = [id for paper in papers for id in paper["pitfalls"]]
    finds = documents(disputed(root / "examples" / "disputes" / "checks"))
    texts = {root / name: (root / name).read_text(encoding="utf-8") for name in DOCUMENTS}
    for name, mark, table in (
        ("README.md", "summary", f"{summary_table(papers, verdicts)}\n\n{printed_line(papers)}"),
        ("docs/printed.md", "relations", printed_table(papers)),
        ("docs/verdicts.md", "kinds", kinds_table(verdicts)),
        ("docs/verdicts.md", "pitfalls", refuted_table(papers, verdicts, "pitfall", shown)),
        ("docs/verdicts.md", "predictions", refuted_table(papers, verdicts, "prediction")),
        ("docs/verdicts.md", "found", refuted_table(papers, verdicts, "found")),
        ("checks/README.md", "index", index_table(papers)),
        ("docs/quality.md", "quality", page(root / "reports")),
        ("tools/bench/README.md", "bench", bench_table(root)),
        ("tools/bench/README.md", "bench-left", left_table(root)),
        ("docs/what_it_finds.md", "finds", finds["page"]),
        ("examples/disputes/README.md", "finds", finds["table"]),
        ("README.md", "finds", f"{finds['line']} `docs/what_it_finds.md` names them."),
    ):
        texts[root / name] = replace_between(texts[root / name], mark, table)
    return texts


def commit_record(site: Path, root: Path) -> list[Path]:
    """Write the committed record of the verdicts in ``site`` for the repository at ``root``; return the files written.

    Raises
    ------
    DomainError
        Where a claim has no verdict of its check, the library and the versions as they are.
    """
    catalogue = Catalogue(root / "checks")
    found = stored_verdicts(site / "verdicts")
    verdicts = [_present(found, entry) for entry in catalogue.entries]
    files: dict[str, str | bytes] = {"verdicts.md": markdown_table(verdicts), "verdicts.tex": latex_table(verdicts)}
    files["cpu.json"] = json_text(cost(verdicts), indent=1) + "\n"
    files[NAME] = statements_text(verdicts)
    table = ImportTable()
    for paper in catalogue.papers:
        pairs = zip(catalogue.entries, verdicts, strict=True)
        files |= committed_files(paper, [(e, v) for e, v in pairs if e.paper == paper.key], table)
    write_all(root / "reports", files)
    return [*(root / "reports" / name for name in files), *write_documents(root)]


def write_documents(root: Path) -> list[Path]:
    """Write the tables of the documents as the committed records say they should be; return the files written."""
    texts = {path.relative_to(root).as_posix(): text for path, text in refreshed(root).items()}
    write_all(root, texts)
    return [root / name for name in texts]


def _present(found: Mapping[str, Mapping[str, Any]], entry: Any) -> Mapping[str, Any]:
    from theorytools.claims.papers.catalogue import fingerprint

    verdict = found.get(entry.id)
    if verdict is None or verdict["source"]["sha256"] != fingerprint(entry.path):
        raise DomainError(
            f"{entry.id}, {'without a verdict' if verdict is None else 'which changed since it was judged'}",
            required="a verdict of every claim as it is",
            advice="theorytools verify",
        )
    return verdict


def main(arguments: Sequence[str]) -> int:
    """Write the record of the folder named, ``site`` unless given, for the repository in the current folder.

    With ``--documents`` in place of the folder only the tables of the documents are written.
    """
    if len(arguments) > 1 or {"-h", "--help"} & set(arguments):
        sys.stdout.write(f"{__doc__}\nExample: python -m tools.committed site\n")
        return 0 if {"-h", "--help"} & set(arguments) else 2
    here, folder = Path.cwd(), Path(arguments[0] if arguments else "site")
    try:
        for path in write_documents(here) if folder == Path("--documents") else commit_record(folder, here):
            sys.stdout.write(f"wrote {path.relative_to(Path.cwd())}\n")
    except TheoryError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
