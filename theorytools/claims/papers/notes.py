"""What is known of a hypothesis in words: ``checks/<paper>/necessity.toml``, read one by one by whoever writes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theorytools.claims.papers.toml_files import read_toml
from theorytools.errors import CheckError

FILE = "necessity.toml"
KINDS = ("by", "proof", "defines", "unsearched", "at", "control")


@dataclass(frozen=True)
class Note:
    """One note on one hypothesis of one claim, of exactly one kind; one that decides may say too why no search is made.

    Parameters
    ----------
    claim, hypothesis : the id, and the hypothesis as it is printed.
    by : the claim that is the statement without the hypothesis.
    proof : why the statement holds without it.
    defines : why nothing is stated outside it.
    unsearched : why no search is made.
    at : a point to be tried, ``"N=1, d=4"``, where a violation was worked out; it is judged like any other.
    control : a control of the claim whose object lies outside the hypothesis alone; it is judged with its own letters.
    """

    claim: str
    hypothesis: str
    by: str = ""
    proof: str = ""
    defines: str = ""
    unsearched: str = ""
    at: str = ""
    control: str = ""

    @property
    def tried(self) -> bool:
        """Whether the note says where a violation is, to be judged in place of a search."""
        return bool(self.at or self.control)

    @property
    def decides(self) -> bool:
        """Whether the note is an answer by itself."""
        return bool(self.by or self.proof or self.defines)

    @property
    def point(self) -> dict[str, str]:
        """The point to be tried, by letter."""
        pairs = [part.partition("=") for part in self.at.split(",")]
        return {name.strip(): value.strip() for name, _, value in pairs}

    @property
    def state(self) -> str:
        """The state of the cell that the note decides."""
        return "defines" if self.defines else "not needed"

    @property
    def words(self) -> str:
        """What the cell says."""
        return f"the stronger statement is {self.by}" if self.by else self.proof or self.defines

    def contradicted(self, at: Mapping[str, str]) -> CheckError:
        """Return the error of a note that a violation contradicts."""
        where = ", ".join(f"{name}={value}" for name, value in at.items())
        return CheckError(
            f"the note that {self.claim} does not need '{self.hypothesis}'", required="a note that is true",
            why=f"without it the statement is violated at {where}", advice=f"take it out of {FILE}",
        )  # fmt: skip


def read_notes(folder: Path) -> list[Note]:
    """Return the notes of a paper's folder, none where it has no such file.

    Raises
    ------
    CheckError : a file that cannot be read, or a note that does not say one thing of some claims of the paper.
    """
    path = folder / FILE
    if not path.is_file():
        return []
    try:
        data = read_toml(path)[1]
    except (OSError, ValueError) as error:
        raise CheckError(f"{path}: {error}", required="a TOML file") from error
    listed: Any = data.get("note", [])
    found = [note for one in (listed if isinstance(listed, list) else [listed]) for note in _notes(path, one)]
    places = [(note.claim, note.hypothesis) for note in found]
    for place in places:
        if places.count(place) > 1:
            raise CheckError(f"{path}: two notes on '{place[1]}' of {place[0]}", required="one for each hypothesis")
    return found


def _notes(path: Path, one: Any) -> Iterable[Note]:
    said = [kind for kind in KINDS if isinstance(one, dict) and isinstance(one.get(kind), str) and one[kind].strip()]
    claims: Any = one.get("claims") if isinstance(one, dict) else None
    own = isinstance(claims, list) and all(str(id).startswith(f"{path.parent.name}.") for id in claims)
    whole = len(said) == 1 or (len(said) == 2 and "unsearched" in said and not {"at", "control"} & set(said))
    if not whole or not own or not isinstance(one.get("hypothesis"), str) or len(one) != 2 + len(said):
        raise CheckError(
            f"{path}: the note {one}", why="a note says one thing of one hypothesis",
            required=f"claims = [ids of the paper], hypothesis, and one of {', '.join(KINDS)}",
            advice='claims = ["p.lemma_1"], hypothesis = "q <= N", proof = "…"',
        )  # fmt: skip
    return [Note(str(id), one["hypothesis"], **{kind: one[kind] for kind in said}) for id in claims]
