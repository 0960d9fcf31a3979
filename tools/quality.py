"""How good the tool itself is, read from its committed records: what was demanded, what was found, what follows.

Makes the table of ``docs/quality.md``, which ``python -m tools.committed --documents`` writes.  A demand that is missed
says so, and the lines below the table say what a reader should do about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theorytools.cli.formats import markdown_rows
from theorytools.errors import DomainError
from theorytools.files import read_json
from tools import evidence

Record = Mapping[str, Any]
HEADS = ("what was tried", "demanded", "found", "")


@dataclass(frozen=True)
class Line:
    """One demand: what was tried, what of it was demanded and found; ``met`` is None where nothing was demanded."""

    tried: str
    demanded: str
    found: str
    met: bool | None


def share(part: float, whole: float) -> str:
    """Return ``98 of 200 (49 %)``.

    Examples
    --------
    >>> share(98, 200)
    '98 of 200 (49 %)'
    """
    return f"{part:,} of {whole:,} ({100 * part / whole:.0f} %)"


def _near_misses(record: Record) -> Iterator[Line]:
    grid, beside = (record["summary"]["seen"][name] for name in ("false at the grid", "false beside the grid"))
    every, silent = record["summary"]["all"], record["demands"][4]
    met = all(demand["met"] is not False for demand in record["demands"])
    found = f"{grid['accepted']} of {grid['false']:,}"
    tried = "near misses of the claims, false at a size that is judged: accepted"
    yield Line(tried, "0", found, met and not grid["accepted"])
    found = f"{silent['found']}; {share(beside['accepted'], beside['false'])} accepted, and they name the sizes judged"
    yield Line("false at other sizes alone: accepted without a word", "0", found, silent["met"])
    found = f"{every['rejected']} of {every['true']:,}"
    yield Line("equal statements in another form: rejected", "0", found, not every["rejected"])


def _wrong_measurements(record: Record) -> Iterator[Line]:
    wrong, anchored, alarms, _ = record["demands"]
    yield Line("small checks with one slip in what they measure: caught", "80 %", share(wrong["found"], wrong["of"]),
               wrong["met"])  # fmt: skip
    yield Line("the same, where the author also measures two objects whose value is known", "90 %",
               share(anchored["found"], anchored["of"]), anchored["met"])  # fmt: skip
    yield Line("the same checks mended: rejected", "at most 2 %", f"{alarms['found']} of {alarms['of']}", alarms["met"])


MUTANTS = {
    "claims": "one wrong line in the library: noticed by the claims",
    "verdict": "by an outcome or a number that changed, and not by an error",
    "all": "by claims or tests, a few seconds for each",
    "engine": "by claims or tests, where the line is in what judges",
}


def _mutants(record: Record) -> Iterator[Line]:
    for name, tried in MUTANTS.items():
        demand = record["demands"][name]
        yield Line(tried, f"{demand['demanded']} %", f"{demand['found']} %", demand["met"])


def _forgeries(record: Record) -> Iterator[Line]:
    apart = "measured side, consistently"
    others = [kind for name, kind in record["forgeries"].items() if name != apart]
    wrong, alone = record["confirmed that change the meaning"], record["forgeries"][apart]
    unbound = sum(kind["without statements"] for kind in others)
    found = f"{wrong} of {sum(kind['made'] for kind in others):,}; without the statements {unbound:,}"
    tried = f"verdicts forged in {len(others)} ways by one who writes all but the statements: confirmed by the checker"
    yield Line(tried, "0", found, not wrong)
    found = share(alone["confirmed"], alone["made"])
    yield Line("the same, a measured side forged with all that follows from it", "–", found, None)


def _objects(record: Record) -> Iterator[Line]:
    wrong, total = record["counts"].get("contradicted", 0), sum(record["counts"].values())
    tried = "claims measured again from their objects, without this package: contradicted"
    yield Line(tried, "0", f"{wrong} of {total}", not wrong)


def _hypotheses(record: Record) -> Iterator[Line]:
    counts, total = record["counts"], sum(record["counts"].values())
    found = counts["needed"] + counts["not needed"]
    yield Line("hypotheses: known to be needed, or not", "60 %", share(found, total), found >= 0.6 * total)


def _estimators(record: Record) -> Iterator[Line]:
    panels = record["panels"]
    bad = [p for p in panels if any(s["admitted"] and s["verdict"] == "below" for s in p["studies"])]
    unseen = [p for p in panels if p["twin"]["verdict"] != "below"]
    found = f"{len(bad)} of {len(panels)}"
    yield Line("estimators, simulated: intervals too narrow under what they admit", "0", found, not bad)
    found = f"{len(unseen)} of {len(panels)}"
    yield Line("the same, spoiled on purpose: not seen to be too narrow", "0", found, not unseen)


def _machines(record: Record) -> Iterator[Line]:
    wrong, runs = sum(not run["same"] for run in record["runs"]), len(record["runs"])
    processors = {run["machine"]["cpu"] for run in record["runs"] if "machine" in run} | {record["machine"]["cpu"]}
    fewest = min([record["claims"], *(run.get("claims", record["claims"]) for run in record["runs"])])
    some = f"{fewest} to " if fewest < record["claims"] else ""
    tried = f"{some}{record['claims']} claims judged as other machines would: another verdict"
    tried = tried.replace(":", f" ({len(processors)} processors):") if len(processors) > 1 else tried
    yield Line(tried, "0", f"in {wrong} of {runs} runs", record["holds"])


def _versions(record: Record) -> Iterator[Line]:
    tried = {name: run for name, run in record["runs"].items() if "compared" in run}
    wrong = sum(not run["compared"]["same"] for run in tried.values())
    missing = [name for name, run in record["runs"].items() if not run["found"]]
    found = f"in {wrong} of {len(tried)} runs" + (f"; not tried: {', '.join(missing)}" if missing else "")
    heading = f"{record['claims']} claims under other versions ({', '.join(tried)}): another verdict"
    yield Line(heading, "0", found, record["holds"])


def _seeds(record: Record) -> Iterator[Line]:
    drawing = sum(bool(claim["draws"]) for claim in record["claims"].values())
    tried = f"{drawing} claims that draw, under {record['salts']} other seeds: as committed under fewer than 95 %"
    yield Line(tried, "0", str(len(record["below"])), not record["below"])


def _kills(record: Record) -> Iterator[Line]:
    parts = (record, record["verify"])
    kills, wrong = (sum(sum(part[name].values()) for part in parts) for name in ("kills", "faults"))
    yield Line(f"{kills:,} kills of sweeps and of `verify`: anything lost or torn", "0", str(wrong), record["holds"])


def _speed(record: Record) -> Iterator[Line]:
    held = [row for row in record["benchmarks"] if row["demand"] is not None]
    wrong = [row["name"].removeprefix("test_") for row in held if not row["met"]]
    found = f"{len(wrong)} of {len(held)}" + (f" ({', '.join(wrong)})" if wrong else "")
    yield Line("benchmarks: in some round not as many times faster as was asked", "0", found, not wrong)


@dataclass(frozen=True)
class Source:
    """A record in ``reports``, what its demands are, the command that makes it, and what follows from a missed one."""

    record: str
    schema: str
    demands: Callable[[Record], Iterator[Line]]
    command: str
    follows: str

    every: bool = False  # whether it is to be about all claims of the tree

    def lines(self, reports: Path) -> tuple[list[Line], evidence.Share]:
        """Return the demands of the record, and how much of it is of today's tree.

        Raises
        ------
        DomainError : no such record, or one of another kind.
        """
        path = reports / f"{self.record}.json"
        try:
            data = read_json(path)
            if not str(data["schema"]).startswith(f"theorytools.{self.schema}/"):
                raise ValueError(f"schema {data['schema']}")
            return list(self.demands(data)), evidence.share(data, every=self.every)
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise DomainError(
                f"{path}: {type(error).__name__}: {error}", required=f"a record theorytools.{self.schema}",
                why="docs/quality.md says what it found", advice=self.command,
            ) from None  # fmt: skip


SOURCES = (
    Source(
        "bench-v1", "bench", _near_misses, "python -m tools.bench --record reports/bench-v1.json",
        "A comparison may let a false statement pass: compute one row by hand before you cite a verdict.",
    ),
    Source(
        "bench-left-v1", "bench-left", _wrong_measurements,
        "python -m tools.bench --left --record reports/bench-left-v1.json",
        "**HOLDS is about what the check measures, which need not be what the statement names.** Give a check of your "
        "own two anchors ([left sides](left_sides.md)), and read what a claim measures before you cite it.",
    ),
    Source(
        "mutation", "mutation", _mutants, "python -m tools.mutants --record reports/mutation.json",
        "**HOLDS is no proof that the code below it is right**: most single faults of the library change no verdict, "
        "and the tests, in a few seconds each, find some of the rest. What you rely on, compute by a second route: a "
        "verdict by [the checker](recheck.md), a function of the library at a size that you can do by hand.",
    ),
    Source(
        "recheck", "recheck", _forgeries, "python -m tools.forgeries site --count 10000 --record reports/recheck.json",
        "The checker finds slips, and nearly every forgery, but not all: verdicts that you were sent and that matter, "
        "judge again.",
    ),
    Source(
        "certificates", "recheck_objects", _objects,
        "python theorytools/recheck_objects.py site --counts > reports/certificates.json",
        "A measured number is not that of its object: do not use the claims that are *contradicted*.",
    ),
    Source(
        "necessity", "necessity", _hypotheses, "theorytools necessity --record",
        "That a hypothesis stands in a statement does not say that it is needed ([necessity](necessity.md)).",
    ),
    Source(
        "estimators", "estimators", _estimators, "python -m tools.estimators --write",
        "Rows that are *sampled* or *fitted* by an estimator that is too narrow err more often than they say.",
    ),
    Source("machines", "machines", _machines, "python -m tools.machines", "Judge again on your own machine.", True),
    Source("versions", "versions", _versions, "python -m tools.versions", "Install `constraints.txt`.", True),
    Source(
        "reseeding", "reseeding", _seeds, "python -m tools.reseeding -j 2",
        "A verdict may rest on the luck of its seeds: `theorytools reseed ID` before you cite one that draws.", True,
    ),
    Source(
        "kills", "kills", _kills, "python -m tools.kills --kills 1000 -j 2 --record reports/kills.json",
        "After a crash begin anew: something that was acknowledged may be gone.",
    ),
    Source(
        "benchmarks", "benchmarks", _speed, "pytest tools/benchmarks --benchmark-enable --benchmark-json=raw.json",
        "Of training and of long streams expect the speeds in `reports/benchmarks.json`, and no more.",
    ),
)  # fmt: skip


OTHERS = ("label_bounds", "trained_certificates")  # records of which nothing is demanded


def of_today(shares: Mapping[str, evidence.Share]) -> str:
    """Return how much of each record is of today's tree, in one line."""
    said = "; ".join(f"`{name}` {one}" for name, one in shares.items() if one.of)
    silent = ", ".join(f"`{name}`" for name, one in shares.items() if not one.of)
    silent = f" Of an earlier tree, they do not say which: {silent}." if silent else ""
    return f"Of today's tree, by the code of what they are about, are of the records in `reports`: {said}.{silent}"


def page(reports: Path) -> str:
    """Return the table of all demands, and below it what follows from those that are missed, in Markdown."""
    found = [(*source.lines(reports), source.follows) for source in SOURCES]
    every = [line for own, _, _ in found for line in own]
    held = [line for line in every if line.met is not None]
    missed = sum(not line.met for line in held)
    word = {True: "met", False: "**missed**", None: ""}
    table = markdown_rows(HEADS, [[one.tried, one.demanded, one.found, word[one.met]] for one in every])
    parts = [f"Of {len(held)} demands {len(held) - missed} are met and {missed} are missed.", table]
    shares = {source.record: one for source, (_, one, _) in zip(SOURCES, found, strict=True)}
    parts.append(of_today(shares | {name: evidence.share(read_json(reports / f"{name}.json")) for name in OTHERS}))
    if missed:
        follows = [f"- {said}" for own, _, said in found if any(line.met is False for line in own)]
        parts += ["What follows from those that are missed:", "\n".join(follows)]
    return "\n\n".join(parts)
