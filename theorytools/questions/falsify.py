"""``falsify``: the search of the command, as a function, and what it found as a notebook shows it."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from pathlib import Path
from typing import Annotated, Any

from markupsafe import Markup

from theorytools.arguments.checked import BODY, checked
from theorytools.arguments.values import checked_integer
from theorytools.claims.judging.falsify import EVALUATIONS, Findings
from theorytools.claims.judging.falsify import falsify as searched
from theorytools.claims.judging.necessity import stepped
from theorytools.claims.judging.price import Price, known
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.claim import Claim
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.counted import read_counted
from theorytools.claims.papers.loading import broken, load
from theorytools.claims.papers.work import Work, declared
from theorytools.errors import DomainError, TheoryError
from theorytools.mistakes.door import explaining
from theorytools.optional import naming_extras
from theorytools.progress import watched
from theorytools.questions.html import BAD, DOUBT, QUIET, badge, cells_html, code, paragraph
from theorytools.questions.picture import Picture
from theorytools.questions.shown import ShownRow, shown_row
from theorytools.questions.verify import judge
from theorytools.reporting.messages import reason
from theorytools.reporting.plain_text import point_text

SECONDS = 10.0  # of a search, unless another time is given
BESIDE = 0.125  # of the time of a search, what may go to points one notch outside a hypothesis
HALVINGS = 6  # sizes below a violation that its picture has


@checked
@dataclass(frozen=True)
class ShownFindings(Findings):
    """What a search found, as a user sees it: text, a table in colour, the violation as a row of numbers, a figure.

    Parameters
    ----------
    id, evaluations, outside, seconds, row, thing, open, failure, region, spent, most, refused, refusal, samples :
        those of :class:`~theorytools.Findings`.
    sample, first, track, work, left_out, ended, fitted, unnumbered : the same.
    stepped : of each hypothesis what a few points say at which it alone fails, by one notch; empty where there was a
        violation, or no time.
    claim : what was searched; a figure needs it.
    listed : whether the claim has a place in a folder of checks, where commands find it by its id.

    Examples
    --------
    >>> ShownFindings("my.lemma", 12, 0, 0.1)
    my.lemma: no violation found (12 points tried, 0.1 s); this corroborates and proves nothing
    """

    stepped: Mapping[str, str] = field(default_factory=dict)
    claim: Claim | None = field(default=None, repr=False, compare=False)
    listed: bool = True

    def __post_init__(self) -> None:
        for name in ("evaluations", "outside", "open", "most", "refused", "samples", "sample"):
            checked_integer(name, getattr(self, name), least=0, why="points are counted")

    def plot(self, letter: str = "") -> Picture:
        """Return a figure of the statement at the violation and at smaller sizes, its other letters as they are there.

        Parameters
        ----------
        letter : the whole number that is halved; the first of the point's that can be unless given.

        Returns
        -------
        Picture : of at most seven points, which are judged for it.

        Raises
        ------
        DomainError : nothing was found, what was found is no point that can be judged again, or it has no such letter.
        """
        if self.row is None or self.claim is None or self.thing or self.sample:
            raise DomainError(
                f"a picture of what the search of {self.id} found", required="a violation at a point",
                why="nothing was found" if self.row is None else "what violates was drawn beside the point",
                advice="verify(id).plot() shows the points of the grid",
            )  # fmt: skip
        at = {name: self.claim.value(name, text) for name, text in self.row.point.items()}
        sizes = [name for name, value in at.items() if isinstance(value, int) and value > 1]
        if (letter or next(iter(sizes), "")) not in sizes:
            raise DomainError(
                f"a picture along {letter!r} at {self.row.place}", required="a whole number above 1 to be halved",
                why="one point has no curve", advice=f"one of {', '.join(sizes)}" if sizes else "print(found)",
            )  # fmt: skip
        along = letter or sizes[0]
        values = sorted({max(at[along] // 2**k, 1) for k in range(HALVINGS + 1)})
        return judge(self.claim, self.id, [{**at, along: value} for value in values]).plot(along)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**super().to_json(), "stepped": dict(self.stepped)}

    def _repr_html_(self) -> str:
        """What was found for a notebook: the violation in one line of a table, or how far the search went."""
        reach = f"searched: {'; '.join(self.searched)}"
        head, *lines = dict.fromkeys(reach if line.startswith("searched: ") else line for line in told(self))
        if self.row is None:
            return str(paragraph(badge("–", "no violation found" if self.evaluations else "nothing tried", QUIET), head)
                       + _paragraphs(lines))  # fmt: skip
        row, sign = self.row, ("?", DOUBT) if self.fitted else ("✗", BAD)
        bound = " … ".join(dict.fromkeys(map(str, row.bound)))
        line = [*row.point.values(), row.quantity, str(row.measured), f"{row.relation} {bound}",
                badge(sign[0], "fails", sign[1])]  # fmt: skip
        table = cells_html([*row.point, "quantity", "measured", "bound", ""], [line])
        word = "unresolved" if self.fitted else "VIOLATED"
        return str(paragraph(badge(sign[0], word, sign[1]), head) + table + _paragraphs(lines[1:]))

    def __repr__(self) -> str:
        """What was found, in words."""
        return "\n".join(told(self))


def _paragraphs(lines: list[str]) -> Markup:
    made = Markup()
    for line in lines:
        name, _, command = line.partition(": ")
        made += paragraph(f"{name}:", code(command)) if name in ("reproduce", "witness") else paragraph(line)
    return made


def told(found: Findings, kept: Path | None = None) -> list[str]:
    """Return what a search found, line by line, as the command prints it; ``kept`` is the file of its violation."""
    tried, row = f"{found.tried}, {found.seconds:.1f} s", found.row
    if not found.evaluations:
        lines = [f"{found.id}: nothing was tried ({tried}); give more --seconds"]
    elif row is None:
        lines = [f"{found.id}: no violation found ({tried}); this corroborates and proves nothing"]
    else:
        lines = [f"{found.id}: {found.word} at {row.place} ({tried})", *_violation(found, row)]
    lines += [f"searched: {reach}" for reach in found.searched]
    lines += [f"not judged, first: {reason(found.failure)}"] if found.failure else []
    lines += _how_to_repeat(found, row, kept) if row is not None else []
    beside = found.stepped if isinstance(found, ShownFindings) else {}
    return lines + [f"one notch outside {hypothesis}: {said}" for hypothesis, said in beside.items()]


def _violation(found: Findings, row: Row) -> list[str]:
    lines = [f"{row.assertion}: measured {row.measured}, bound {' … '.join(map(str, row.bound))}"]
    lines += [f"object: {found.thing}"] if found.thing else []
    if found.sample:
        lines.append(f"with a fresh draw: sample {found.sample}, not the one that the check judges")
    if found.first and found.first != row.point:
        lines.append(f"found first at {point_text(found.first)}, then made simpler")
    return [*lines, f"evidence: {row.evidence.name.lower()}; re-judged with the claim's whole budget"]


def _how_to_repeat(found: Findings, row: Row, kept: Path | None) -> list[str]:
    if isinstance(found, ShownFindings) and not found.listed:
        return [] if found.thing or found.sample else [f"reproduce: judge(claim, {found.id!r}, [{row.at}])"]
    lines = [f"witness: theorytools verify --witness {kept}"] if kept is not None else []
    if not found.thing and not found.sample:
        at = " ".join(f"--at {name}={shlex.quote(value)}" for name, value in row.point.items())
        return [*lines, f"reproduce: theorytools verify {found.id} {at}"]
    return lines or ["keep it: --save FOLDER writes a file that theorytools verify --witness judges again"]


@checked
def falsify(
    claim: Claim | str, id: str = "", *, seconds: Annotated[float | None, BODY] = None,
    evaluations: Annotated[int | None, BODY] = None, first: Sequence[Mapping[str, Any]] = (),
    checks: str | Path | None = None,
) -> ShownFindings:  # fmt: skip
    """Search the hypotheses of a claim for a violation, and make what is found simpler; as ``theorytools falsify``.

    Parameters
    ----------
    claim : a claim, or the id of one.
    id : of a claim that is given as an object: seeds are keyed by it, as in :func:`theorytools.judge`; its label
        unless given.
    seconds : how long to search; ten seconds unless ``evaluations`` are given.  An eighth of it is kept for points one
        notch outside the hypotheses.
    evaluations : the largest number of points; fixed in advance, because it divides the error probability.  Without
        ``seconds`` they end the search, at the same point on every machine; with them they are those of a round.
    first : points that are tried before all others.
    checks : where ``claim`` is an id, a folder of checks; the library's own unless given.

    Returns
    -------
    ShownFindings
        With the violating row at the simplest point found, re-judged with the claim's whole budget, and the region
        that was searched.  Finding nothing proves nothing.

    Raises
    ------
    DomainError : ``evaluations`` is no integer of at least 1, ``seconds`` no finite number of at least 0, no point
        satisfies the hypotheses, or no claim has the id.

    Examples
    --------
    >>> import sympy
    >>> from theorytools import Control, Quantity, grid, letter
    >>> N = letter("N", "a number", integer=True, positive=True)
    >>> size = Quantity("size", "N", "the number itself")
    >>> claim = Claim(
    ...     "The logarithm keeps up", asserts=size <= sympy.log(N) ** 4, grid=grid(N=[16, 1024]), requires=[N >= 16],
    ...     construct=lambda p: p.N, measure=lambda n, p: {size: n},
    ...     controls=[Control("the third power", asserts=[size <= sympy.log(N) ** 3], breaks=size, where=N >= 256)],
    ... )
    >>> falsify(claim, seconds=10).row
    N=5504: size 5504 <= 5503.82: fails
    """
    seconds = SECONDS if seconds is None and evaluations is None else seconds
    evaluations = EVALUATIONS if evaluations is None else evaluations
    if not isinstance(claim, str):
        return replace(_searched(claim, id or claim.label, seconds, evaluations, first), listed=False)
    entry = Catalogue(find_roots(checks)).one(claim)
    with naming_extras(), explaining(entry):
        try:
            made = load(entry)
            work = declared(entry, made)
            price = None if work else known(made, read_counted(entry.folder).get(entry.id))
            return _searched(made, entry.id, seconds, evaluations, first, work=work, price=price)
        except TheoryError:
            raise
        except Exception as error:
            raise broken(entry.path, error) from error


def _searched(
    claim: Claim, id: str, seconds: Any, evaluations: Any, first: Sequence[Mapping[str, Any]], *,
    work: Sequence[Work] = (), price: Price | None = None,
) -> ShownFindings:  # fmt: skip
    """Search a claim, then, if there is time, a few points one notch outside its hypotheses."""
    begun, beside = time.perf_counter(), dict[str, str]()
    clock = float(seconds) if isinstance(seconds, Real) and not isinstance(seconds, bool) else None
    own = seconds if clock is None else (1 - BESIDE) * clock  # what is no number of seconds is refused where it is used
    with watched(id, limit=clock):
        found = searched(claim, id, seconds=own, evaluations=evaluations, first=first, work=work, price=price)
        if found.row is None and clock is not None:
            beside = stepped(claim, id, work=work, left=lambda: clock - (time.perf_counter() - begun))
    return shown_findings(found, claim, beside)


def shown_findings(found: Findings, claim: Claim, beside: Mapping[str, str] | None = None) -> ShownFindings:
    """Return what the engine found as it is shown."""
    row: ShownRow | None = None if found.row is None else shown_row(found.row)
    return ShownFindings(**vars(replace(found, row=row)), stepped=beside or {}, claim=claim)
