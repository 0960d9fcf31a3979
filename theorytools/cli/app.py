"""The commands and their options; each imports what it needs when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from theorytools.cli import certify, phase
from theorytools.cli.formats import EXIT_CODES

app = typer.Typer(
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Executable checks for the theorems of learning-theory papers.",
    epilog="Example: theorytools verify qstr.lemma_11",
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"theorytools {version('theorytools')}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Executable checks for the theorems of learning-theory papers."""


def _ids(incomplete: str) -> list[str]:
    """The ids that begin so, for a shell; nothing where the checks cannot be read."""
    from theorytools.claims.papers.catalogue import Catalogue, find_roots
    from theorytools.errors import TheoryError

    try:
        ids = [entry.id for entry in Catalogue(find_roots(None)).entries]
    except (TheoryError, OSError):
        return []
    keys = list(dict.fromkeys(id.partition(".")[0] for id in ids))
    return [id for id in (*keys, *ids) if id.startswith(incomplete)]


Checks = Annotated[
    Path | None,
    typer.Option("--checks", help="Your folder of checks; default: checks, here or above. The library's join it."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a program instead of text.")]
Format = Annotated[str, typer.Option("--format", help="text, json or markdown.")]
At = Annotated[
    list[str] | None,
    typer.Option("--at", metavar="NAME=VALUE", help="Replace an axis: N=64,128, rho=3/7, rho=@file; repeatable."),
]
Tier = Annotated[str, typer.Option("--tier", help="Slowest tier to run: seconds, minutes or hours.")]

Id = Annotated[str, typer.Argument(help="The claim's id.", autocompletion=_ids)]
Ids = Annotated[
    list[str] | None,
    typer.Argument(help="Papers, statements or claims; default: all.", autocompletion=_ids),
]


@app.command("list", epilog="Example: theorytools list qstr")
def list_(
    ids: Ids = None,
    checks: Checks = None,
    summary: Annotated[bool, typer.Option("--summary", help="Count the claims by role, evidence and scope.")] = False,
    role: Annotated[str, typer.Option("--role", help="Only claims of this role, such as statement or pitfall.")] = "",
    format: Format = "",
    json: Json = False,
) -> None:
    """List every statement with what it is about; with an id or a role, claim by claim. Open ones show their reason."""
    from theorytools.cli.listing import list_statements, summarise

    if summary:
        summarise(ids or [], checks, json, format)
    else:
        list_statements(ids or [], checks, json, role=role, format=format)


@app.command(epilog="Example: theorytools search few heads")
def search(
    words: Annotated[list[str], typer.Argument(help="Words to look for; a claim that is shown has all of them.")],
    checks: Checks = None,
    format: Format = "",
    json: Json = False,
) -> None:
    """Search labels, titles and texts of all claims; those with the words in their names come first."""
    from theorytools.cli.listing import search_claims

    raise typer.Exit(search_claims(words, checks, json, format))


@app.command(epilog="Example: theorytools show qstr.lemma_11")
def show(
    id: Annotated[
        str, typer.Argument(help="The claim's id, or the paper's name of the statement.", autocompletion=_ids)
    ],
    all: Annotated[bool, typer.Option("--all", help="Also the setting, the witness and how it is measured.")] = False,
    checks: Checks = None,
    format: Format = "",
    json: Json = False,
) -> None:
    """Show one claim: statement, hypotheses, bound, construction, source, controls."""
    from theorytools.cli.listing import show_claim

    show_claim(id, checks, json, all, format)


@app.command(epilog="Examples: theorytools review qstr.lemma_11 -o review.md; theorytools review 2503.11272 Theorem 6")
def review(
    what: Annotated[
        list[str],
        typer.Argument(help="An id, a number (Proposition 8 of qstr) or words of one statement.", autocompletion=_ids),
    ],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The Markdown file to write.")] = None,
    checks: Checks = None,
    format: Format = "",
    json: Json = False,
) -> None:
    """Review one statement on half a page: as printed, as judged, how near to false, and what was not checked.

    Stored and committed verdicts of today's code are taken; only where the claim has none it is judged. Words that fit
    several statements end with exit code 2, and the statements are listed.
    """
    from theorytools.cli.review import review_command

    raise typer.Exit(review_command(what, output, checks, json, format))


@app.command(epilog=f"Example: theorytools verify qstr.lemma_11 --at N=4096 --at q=4\n\n{EXIT_CODES}")
def verify(
    ids: Annotated[
        list[str] | None,
        typer.Argument(help="Papers, statements or claims; default: all of your folder.", autocompletion=_ids),
    ] = None,
    at: At = None,
    tier: Tier = "seconds",
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="Processes; 0: as many as pay. Verdicts do not depend on it.")
    ] = 0,
    report: Annotated[
        Path | None, typer.Option("--report", help="Folder of verdicts and report; default: site.")
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Print the verdicts and write no file.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Judge again what is stored and unchanged.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Confirm the committed verdicts; judge what changed, and a drawn sample.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="NUMBER", help="With --quick: draw the sample of an earlier run.")
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Also store the verdicts as records beside their checks.")
    ] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="Also write the numbers to reports/, to be compared with from now on.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Each claim by itself, however many.")] = False,
    rows: Annotated[
        str, typer.Option("--rows", metavar="NUMBER", help="Of each of few claims, rows that are shown; or all.")
    ] = "12",
    witness: Annotated[
        list[Path] | None,
        typer.Option("--witness", metavar="FILE", help="Only judge the violations in this file again; repeatable."),
    ] = None,
    checks: Checks = None,
    format: Format = "",
    json: Json = False,
) -> None:
    """Judge claims, print the verdict table, store the verdicts and write their pages.

    A stored verdict is taken where everything it depends on is unchanged: check, library, versions, processor. Verdicts
    of other claims stay. With --at the grid's axes are replaced by your values; files are then written only where
    --report asks for them. With --quick the committed verdict of every claim that is as it was is rechecked and taken,
    and about 20 s of them, drawn by a fresh seed, are judged again: one that comes out otherwise ends with exit code 1.
    """
    from theorytools.cli.formats import chosen
    from theorytools.cli.quick import asked
    from theorytools.cli.verify import verify_claims

    if witness:
        asked(quick, seed, {"--witness": witness})
        from theorytools.cli.witness import replay_files

        raise typer.Exit(replay_files(witness, ids or [], at or [], checks, chosen(format, json)))
    raise typer.Exit(
        verify_claims(
            ids or [], at=at or [], tier=tier, jobs=jobs, report=report, no_report=no_report, fresh=fresh,
            record=record, checks=checks, format=chosen(format, json), verbose=verbose,
            accept=accept, quick=quick, seed=seed, rows=rows,
        )
    )  # fmt: skip


@app.command(
    epilog="Example: theorytools can qstr.lemma_11 --at N=512\n\nExit codes: 2 usage, or no point inside the "
    "hypotheses, 4 a check that cannot load, 3 a point that does not fit, something that is missing or not known, "
    "0 otherwise."
)
def can(
    ids: Ids = None,
    at: At = None,
    checks: Checks = None,
    json: Json = False,
) -> None:
    """Tell before anything runs which evidence claims reach there, how much work it is, and what is missing.

    Evidence is that of the stored or committed verdict, else of the cheapest point of the grid, judged now where that
    takes a fifth of a second at most. Nothing is judged at the points asked for, and nothing is written.
    """
    from theorytools.cli.can import can_command

    raise typer.Exit(can_command(ids or [], at or [], checks, json))


@app.command(epilog=f"Example: theorytools falsify qstr.lemma_11 --seconds 10\n\n{EXIT_CODES}")
def falsify(
    id: Id,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, help="How long to search.")] = 10.0,
    save: Annotated[
        Path | None, typer.Option("--save", help="Folder for the file of a violation; none is written unless given.")
    ] = None,
    brought: Annotated[
        Path | None, typer.Option("--from", help="Judge the point of this file and make it simpler; search nothing.")
    ] = None,
    checks: Checks = None,
    json: Json = False,
) -> None:
    """Search the hypotheses for a violating point, shrink it, and re-check it with the claim's whole budget.

    With --save a violation is kept in FOLDER/ID.json, which theorytools verify --witness judges again; --from takes
    such a file, or a point: {"N": 8, "x": "1/3"}.
    """
    from theorytools.cli.falsify import falsify_claim

    raise typer.Exit(falsify_claim(id, seconds, checks, json, save=save, brought=brought))


@app.command(
    epilog="Example: theorytools necessity qstr.lemma_11\n\nExit codes: 2 usage, 4 a check or a note that is wrong, "
    "3 a hypothesis of which nothing is known, 0 otherwise."
)
def necessity(
    ids: Ids = None,
    record: Annotated[
        bool, typer.Option("--record", help="Write reports/necessity.json and witnesses; with ids, their part of it.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Search again what is known.")] = False,
    checks: Checks = None,
    json: Json = False,
) -> None:
    """Ask of each hypothesis whether it is needed: drop it, keep the others, and look for a violation outside it.

    What was searched is kept in site/necessity, and a run that was cut off goes on from there.
    """
    from theorytools.cli.necessity import necessity_command

    raise typer.Exit(necessity_command(ids or [], record=record, fresh=fresh, checks=checks, json=json))


@app.command(
    epilog="Example: theorytools disputes --checks examples/disputes/checks\n\nExit codes: 2 usage, 4 a check, a "
    "witness or disputes.toml that is wrong, 1 a repaired statement that does not hold, 3 a disputed one that is not "
    "found, 0 otherwise."
)
def disputes(
    ids: Ids = None,
    record: Annotated[
        bool, typer.Option("--record", help="Also write reports/finds.json beside the checks, of all of them.")
    ] = False,
    allow_dirty: Annotated[
        bool, typer.Option("--allow-dirty", help="With --record: also write one of code that no commit holds.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Search again what is known.")] = False,
    checks: Checks = None,
    json: Json = False,
) -> None:
    """Find out how each disputed statement fails: by verify alone, by falsify in 10 s, by a brought witness, or not.

    The statements are those of checks/PAPER/disputes.toml, witnesses are witnesses/ID.json beside the checks. What was
    found is kept in site/finds, and a run that was cut off goes on from there.
    """
    from theorytools.cli.disputes import disputes_command

    code = disputes_command(ids or [], record=record, allow_dirty=allow_dirty, fresh=fresh, checks=checks, json=json)
    raise typer.Exit(code)


@app.command(
    epilog="Example: theorytools grade qstr.lemma_11\n\nExit codes: 2 usage, 4 a check that is wrong, 0 otherwise."
)
def grade(
    id: Annotated[str, typer.Argument(help="One claim.")],
    checks: Checks = None,
    json: Json = False,
) -> None:
    """Change the measurement of a claim, one expression at a time, and tell which changes rows and anchors miss."""
    from theorytools.cli.grade import grade_command

    raise typer.Exit(grade_command(id, checks, json))


@app.command(
    epilog="Example: theorytools reseed qstr.corollary_27 --salts 3\n\nExit codes: 1 a row that should hold is "
    "refuted, none is that should be, or the check raises, 2 usage, 3 a row stays open, 4 a check that cannot load, "
    "0 otherwise."
)
def reseed(
    ids: Annotated[
        list[str] | None,
        typer.Argument(help="Papers, statements or claims; all: those of your folder.", autocompletion=_ids),
    ] = None,
    salts: Annotated[int, typer.Option("--salts", min=1, help="How many other seeds.")] = 10,
    tier: Tier = "seconds",
    checks: Checks = None,
    json: Json = False,
) -> None:
    """Judge claims that draw under other seeds: which rows change, and which controls are no longer rejected.

    Every point of the grid is judged, with all controls. Claims that draw nothing are passed over.
    """
    from theorytools.cli.reseed import reseed_command

    raise typer.Exit(reseed_command(ids or [], salts=salts, tier=tier, checks=checks, json=json))


@app.command(
    epilog="Example: theorytools certificates qstr.lemma_11 --output site/certificates\n\nExit codes: 2 usage, "
    "4 a check that is wrong, 3 none of the claims has a certificate, 0 otherwise."
)
def certificates(
    ids: Ids = None,
    output: Annotated[
        Path, typer.Option("--output", help="Folder for ID.json of each claim; default: site/certificates.")
    ] = Path("site/certificates"),
    checks: Checks = None,
    json: Json = False,
) -> None:
    """Write the small objects of claims as plain JSON, from which theorytools/recheck_objects.py measures again."""
    from theorytools.cli.certificates import certificates_command

    raise typer.Exit(certificates_command(ids or [], output=output, checks=checks, json=json))


app.command(epilog=certify.EPILOG)(certify.certify)
app.command(epilog=phase.EPILOG)(phase.phase)


@app.command(epilog="Example: theorytools report site")
def report(
    folder: Annotated[Path, typer.Argument(help="Folder whose verdicts/ are rendered.")] = Path("site"),
    checks: Checks = None,
    json: Json = False,
) -> None:
    """Render the report from the stored verdicts, without running anything."""
    from theorytools.cli.verify import render_report

    raise typer.Exit(render_report(folder, checks, json))


Output = Annotated[Path | None, typer.Option("--output", "-o", help="The file to write.")]


@app.command(epilog="Example: theorytools figure qstr.lemma_11 --format svg")
def figure(
    id: Id,
    format: Annotated[str, typer.Option("--format", help="pdf, svg, png, pgf or csv.")] = "pdf",
    output: Output = None,
    style: Annotated[
        str, typer.Option("--style", help="paper: a column, serif letters; slides: wide, large.")
    ] = "paper",
    checks: Checks = None,
) -> None:
    """Write what a claim shows as a figure: measured against bound, or trained against published."""
    from theorytools.cli.figure import figure_command

    raise typer.Exit(figure_command(id, format, output, checks, style))


@app.command(epilog="Example: theorytools table qstr.lemma_11 --format markdown")
def table(
    id: Id,
    format: Annotated[str, typer.Option("--format", help="latex, markdown or csv.")] = "latex",
    output: Output = None,
    checks: Checks = None,
) -> None:
    """Print the rows of a claim as a table for a paper."""
    from theorytools.cli.figure import table_command

    raise typer.Exit(table_command(id, format, output, checks))


@app.command(epilog="Example: theorytools site public")
def site(
    folder: Annotated[Path, typer.Argument(help="Where the pages go, to be served or uploaded.")],
    report: Annotated[Path, typer.Option("--report", help="The report whose pages are copied.")] = Path("site"),
    checks: Checks = None,
    json: Json = False,
) -> None:
    """Copy the pages of a report into a folder for a web server: pages, style sheet and search, no verdicts."""
    from theorytools.cli.verify import publish_site

    raise typer.Exit(publish_site(folder, report, checks, json))


@app.command(epilog="Example: theorytools diff reports site\n\nExit codes: 1 an outcome changed, 2 usage, 0 otherwise.")
def diff(
    a: Annotated[Path, typer.Argument(help="A report folder, a folder of committed records, or one such file.")],
    b: Annotated[Path, typer.Argument(help="The other one.")] = Path("site"),
    json: Json = False,
) -> None:
    """Compare two sets of verdicts: outcomes, evidence, power, controls and every number."""
    from theorytools.cli.diff import diff_verdicts

    raise typer.Exit(diff_verdicts(a, b, json))


@app.command(
    epilog="Examples: theorytools new mypaper lemma_12; theorytools new mypaper experiments --sweep growth; "
    "theorytools new arxiv:2503.11272 --tex paper.tex --name mypaper"
)
def new(
    paper: Annotated[str, typer.Argument(help="The paper's key, made if it does not exist; with --tex also arxiv:ID.")],
    statement: Annotated[str, typer.Argument(help="The statement, e.g. lemma_12; none with --tex.")] = "",
    uses: Annotated[
        list[str] | None,
        typer.Option("--uses", metavar="ID", help="A claim that it rests on, e.g. qstr.lemma_11; repeatable."),
    ] = None,
    sweep: Annotated[
        str,
        typer.Option("--sweep", metavar="NAME", help="Also a sweep of trained models, whose record the check reads."),
    ] = "",
    template: Annotated[
        str, typer.Option("--template", help="exact, enclosed, sampled, or fitted with a sweep.")
    ] = "exact",
    tex: Annotated[
        Path | None, typer.Option("--tex", help="List all statements of a TeX source in paper.toml, left open.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="With --tex: the key of the new paper.")] = "",
    package: Annotated[
        bool, typer.Option("--package", help="Also a pyproject.toml, with which pip installs the paper.")
    ] = False,
    checks: Checks = None,
) -> None:
    """Write a check that runs: a template with a construction, a bound and a control, to be replaced by yours.

    With --tex: a folder that lists every theorem, lemma and so on of a paper, with the numbers that it prints.
    """
    from theorytools.cli.new import from_tex, new_check

    if tex is not None or name or not statement:
        raise typer.Exit(from_tex(paper, statement, tex, name, checks, package=package))
    raise typer.Exit(new_check(paper, statement, checks, uses or [], sweep, template, package=package))


@app.command(epilog=f"Example: theorytools sweep figure_01a --plan\n\n{EXIT_CODES}")
def sweep(
    name: Annotated[str, typer.Argument(help="The sweep; none: list them.")] = "",
    profile: Annotated[str, typer.Option("--profile", help="smoke, published, wide or device.")] = "smoke",
    protocol: Annotated[str, typer.Option("--protocol", help="released or corrected.")] = "corrected",
    device: Annotated[str, typer.Option("--device", help="cpu or cuda.")] = "cpu",
    executor: Annotated[
        str, typer.Option("--executor", help="in-process, processes[:k] or dask[://host:port].")
    ] = "in-process",
    block: Annotated[
        str, typer.Option("--block", metavar="K/N", help="Only every N-th cell from the K-th on, such as 1/4.")
    ] = "",
    store: Annotated[Path | None, typer.Option("--store", help="SQLite file; default: sweeps/NAME.sqlite.")] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Print cells, power and rule; keep nothing.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Print how far the store has come; run nothing.")] = False,
    export: Annotated[Path | None, typer.Option("--export", help="Also write all trials: .csv or .parquet.")] = None,
    record: Annotated[bool, typer.Option("--record", help="Also write the record that the claims read.")] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="With --record: also replace a record that holds more trials.")
    ] = False,
    allow_dirty: Annotated[
        bool, typer.Option("--allow-dirty", help="With --record: also write one of code that no commit holds.")
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Run failed trials again.")] = False,
    stored: Annotated[
        bool, typer.Option("--stored", help="Run nothing: show, export or record what the store has.")
    ] = False,
    from_record: Annotated[
        bool, typer.Option("--from-record", help="First take the trials of the committed record into the store.")
    ] = False,
    take: Annotated[list[Path] | None, typer.Option("--take", help="First take the trials of another store.")] = None,
    checks: Checks = None,
    json: Json = False,
) -> None:
    """Run a sweep of trained models, or resume it: trials that the store has are not run again."""
    from theorytools.cli.sweep import Options, sweep_command

    options = Options(
        profile=profile, protocol=protocol, device=device, executor=executor, block=block, store=store, plan=plan,
        status=status, export=export, record=record, replace=replace, allow_dirty=allow_dirty,
        retry=retry, stored=stored, from_record=from_record, take=tuple(take or ()), checks=checks, json=json,
    )  # fmt: skip
    raise typer.Exit(sweep_command(name, options))


@app.command(epilog="Example: theorytools schema verify")
def schema(
    answer: Annotated[
        str, typer.Argument(help="The answer, such as verify or error, or verdict; none: all answers.")
    ] = "",
) -> None:
    """Print the JSON schema of what a command answers with --json."""
    from theorytools.cli.answers import schema_command

    raise typer.Exit(schema_command(answer))


@app.command(epilog="Example: theorytools doctor --deep")
def doctor(
    deep: Annotated[
        bool, typer.Option("--deep", help="Also import torch and the solvers, and solve a program.")
    ] = False,
    checks: Checks = None,
    json: Json = False,
) -> None:
    """Report versions, threads, processor, rigorous arithmetic and extras; exit 4 if something is unfit."""
    from theorytools.cli.doctor import examine_machine

    raise typer.Exit(examine_machine(checks, json, deep))
