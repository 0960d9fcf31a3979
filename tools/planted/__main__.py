"""Search planted violations by the library's search and by its rivals, at equal evaluations.

    python -m tools.planted                          on the seeds that a search may be developed on
    python -m tools.planted --judged --record planted.json      on those that are kept for judging
    python -m tools.planted --rivals --seeds 0       the rivals alone

Exit code: 0 where every demand is met, 1 where one is missed, 2 for arguments that are refused.
"""

import argparse
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from tools.planted.generator import DEVELOPED, JUDGED
from tools.planted.rivals import RIVALS
from tools.planted.table import DEMANDS, OURS, behind, markdown, summary, trials

LIBRARIES = ("theorytools", "hypothesis", "scipy", "sympy", "numpy")


def main(words=None):
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.planted", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--seeds", type=int, nargs="+", default=DEVELOPED, help="of sixty statements each")
    parser.add_argument("--judged", action="store_true", help=f"the seeds {JUDGED}, which nothing is tuned on")
    parser.add_argument("--points", type=int, default=2000, help="evaluations of each search (default: %(default)s)")
    parser.add_argument("--rivals", action="store_true", help="without the library's search")
    parser.add_argument("--record", type=Path, help="where to write what was found, as JSON")
    asked = parser.parse_args(words)
    if asked.points < 1:
        parser.error("at least one point")
    seeds, searches = JUDGED if asked.judged else tuple(asked.seeds), dict(RIVALS)
    if not asked.rivals:
        from tools.planted.ours import ours

        searches = {OURS: ours, **searches}
    rows = trials(searches, seeds, asked.points)
    counts = summary(rows, asked.points)
    missed = [] if asked.rivals else behind(rows, asked.points)
    print(markdown(counts))
    print("", *missed, sep="\n- " if missed else "\n")
    if asked.record:
        record(asked.record, seeds, asked.points, counts, missed, rows)
    return 1 if missed else 0


def record(path, seeds, points, counts, missed, rows):
    """Write the counts, what is missed, each trial, and what it was run with."""
    data = {
        "seeds": list(seeds), "points": points, "demands": DEMANDS, "missed": missed, "searches": counts,
        "versions": {name: version(name) for name in LIBRARIES} | {"python": platform.python_version()},
        "trials": [{key: value for key, value in row.items() if key != "seconds"} for row in rows],
    }  # fmt: skip
    path.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
