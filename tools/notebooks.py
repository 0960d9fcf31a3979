"""Run the notebooks from top to bottom in a fresh kernel, and say which of their outputs are not today's.

    python -m tools.notebooks [--write]

``--write`` keeps the outputs in the notebooks, without what changes from run to run: counts of executions, times of
cells, the version of the kernel.  An output that shows an error, or a path of this machine, is refused.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbclient
import nbformat

from theorytools.errors import CheckError, TheoryError
from theorytools.files import write_text

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "examples" / "notebooks"
SECONDS = 120  # that a cell may take
VARIES = "varies"  # the tag of a cell whose numbers are those of one machine or of one record
LANGUAGE = {"name": "python"}
_TOOK = re.compile(r"\b\d+\.\d s\b")  # what a search or a verdict took
# a folder of somebody's machine: of Unix, of Windows, of this run
_PATH = re.compile(r"(?<![\w.:/<])/(?:home|root|tmp|usr|var|Users|work|mnt|opt)/|[A-Z]:\\\\|\bfile://")


def executed(path: Path) -> Any:
    """Return a notebook after a run in a folder of its own, without what changes from run to run."""
    made = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        nbclient.NotebookClient(made, timeout=SECONDS, resources={"metadata": {"path": folder}}).execute()
    return cleaned(made)


def cleaned(notebook: Any) -> Any:
    """Return a notebook without counts and times, with neighbouring pieces of one stream joined, in place."""
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": LANGUAGE}
    for cell in notebook.cells:
        cell.metadata = {"tags": tags} if (tags := cell.metadata.get("tags")) else {}
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = list(_joined(cell.outputs))
    return notebook


def _joined(outputs: Sequence[Any]) -> Iterator[Any]:
    """The outputs of a cell: pieces of a stream are cut by chance, and a bar that was taken away leaves nothing."""
    last: Any = None
    for output in outputs:
        if output.output_type == "display_data" and not any(output.data.values()):
            continue
        if "execution_count" in output:
            output.execution_count = None
        if last is not None and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
            continue
        if "metadata" in output:
            output.metadata = {}
        output.pop("transient", None)
        last = output
        yield output


def texts(notebook: Any) -> list[list[tuple[str, str]]]:
    """Return of each cell of code what it shows as words: the kind of each output, and its text."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            shown = [(one.name, one.text) if one.output_type == "stream" else
                     (" ".join(sorted(one.get("data", {}))), one.get("data", {}).get("text/plain", ""))
                     for one in cell.outputs]  # fmt: skip
            found.append(shown)
    return found


def timeless(text: str) -> str:
    """Return a text without the times in it.

    Examples
    --------
    >>> timeless("no violation found (60 points tried, 3.2 s)")
    'no violation found (60 points tried, … s)'
    """
    return _TOOK.sub("… s", text)


def faults(notebook: Any) -> list[str]:
    """Return what no notebook that others read may show: errors, paths of a machine, cells without outputs."""
    found, whole = [], nbformat.writes(notebook)
    for number, cell in enumerate(cell for cell in notebook.cells if cell.cell_type == "code"):
        found += [f"cell {number} ends in an error" for one in cell.outputs if one.output_type == "error"]
        found += [f"cell {number} writes to standard error" for one in cell.outputs if one.get("name") == "stderr"]
        if cell.execution_count is not None:
            found.append(f"cell {number} has a count")
    if "Traceback (most recent" in whole:
        found.append("a traceback")
    found += [f"the path {match}" for match in sorted(set(_PATH.findall(whole)))]
    return found if any(map(len, texts(notebook))) else [*found, "no output"]


def changed(kept: Any, made: Any) -> list[str]:
    """Return which cells show something else than they did; of one tagged ``varies`` the kinds of outputs count."""
    old, new = texts(kept), texts(made)
    if len(old) != len(new):
        return ["the number of cells"]
    loose = [VARIES in cell.metadata.get("tags", ()) for cell in kept.cells if cell.cell_type == "code"]
    return [
        f"cell {number}" for number, (one, other, free) in enumerate(zip(old, new, loose, strict=True))
        if [kind for kind, _ in one] != [kind for kind, _ in other]
        or not (free or [timeless(text) for _, text in one] == [timeless(text) for _, text in other])
    ]  # fmt: skip


def main(words: Sequence[str] | None = None) -> int:
    """Run all notebooks; return 1 where an output is not today's and is not written."""
    parser = argparse.ArgumentParser(prog="python -m tools.notebooks", description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the outputs in the notebooks")
    write, stale = parser.parse_args(words).write, False
    for path in sorted(FOLDER.glob("*.ipynb")):
        made = executed(path)
        if found := faults(made):
            raise CheckError(
                f"{path.name}: {'; '.join(found)}", required="outputs that can be shown to others",
                why="they are committed, and read before anything is run", advice="change the cell",
            )  # fmt: skip
        old, new = path.read_text(encoding="utf-8"), nbformat.writes(made, indent=1) + "\n"
        other = changed(nbformat.reads(old, as_version=4), made)
        stale |= bool(other)
        print(f"{path.name}: {', '.join(other) or 'as it was'}")
        if write and timeless(old) != timeless(new):
            write_text(path, new)
    return int(stale and not write)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TheoryError as error:
        sys.exit(str(error))
