"""Simulate the coverage of every estimator that decides a row, and write the record and its figure.

    python -m tools.estimators --write

writes ``reports/estimators.json`` and ``reports/estimators.svg``, in less than ten minutes of one core; ``--share
0.1`` simulates a tenth of the data sets and only prints, ``--only TEXT`` the estimators whose title contains the text.
``--claims`` simulates nothing and renews which claims rest on each estimator of the record.
The exit code is 1 where an estimator is too narrow under a law that it admits, or a spoiled twin is not seen to be.

Laws, sizes and twins stand beside this file; seeds are made from the names of the studies.
"""

import argparse
import json
import platform
import sys
from importlib.metadata import version

from theorytools.files import write_all
from theorytools.progress import shown
from theorytools.statistics.coverage import DOUBT
from tools import ROOT, evidence
from tools.estimators.draws_and_runs import RUNS
from tools.estimators.figure import FIGURE, RECORD, SCHEMA, figure
from tools.estimators.in_use import by_claim
from tools.estimators.slopes import BY_CHECK, panels


def resting_on(estimators):
    """The ids of the claims that a row of one of these estimators decides."""
    return sorted(id for id, used in by_claim().items() if {BY_CHECK.get(u, u) for u in used} & {*estimators})


def simulated(panel, share=1.0, studies=None):
    """One panel with its coverages, as JSON data; ``studies`` are some of its studies."""

    def line(study):
        seen = study.run(panel.title, max(round(RUNS[panel.cost] * share), 1))
        return {
            "law": study.law, "sizes": study.sizes, "admitted": study.admitted, "nominal": study.nominal,
            "hits": seen.hits, "runs": seen.runs, "refused": seen.refused, "share": round(seen.share, 5),
            "low": round(seen.low, 5), "high": round(seen.high, 5), "verdict": seen.verdict,
        }  # fmt: skip

    return {
        "title": panel.title, "estimators": list(panel.estimators), "claims": resting_on(panel.estimators),
        "spoiled": panel.spoiled,
        "studies": [line(study) for study in (panel.studies if studies is None else studies)], "twin": line(panel.twin),
    }  # fmt: skip


def faults(record):
    """What must not be: an estimator too narrow where it promises its level, or a twin that is not found."""
    for panel in record["panels"]:
        for study in panel["studies"]:
            if study["admitted"] and study["verdict"] == "below":
                where = f"{panel['title']} under {study['law']}, {study['sizes']}"
                yield f"{where}: {study['share']} for {study['nominal']}"
        if panel["twin"]["verdict"] != "below":
            yield f"{panel['title']} spoiled ({panel['spoiled']}): {panel['twin']['share']}, not seen to be too narrow"


def told(panel):
    """A panel in lines of text."""
    lines = [(f"{s['law']}; {s['sizes']}{'' if s['admitted'] else ' (not admitted)'}", s) for s in panel["studies"]]
    yield f"{panel['title']}, {len(panel['claims'])} claims"
    for said, s in [*lines, (f"SPOILED: {panel['spoiled']}", panel["twin"])]:
        refused = f", {s['refused']} refused" if s["refused"] else ""
        share = f"{s['share']:.3f} [{s['low']:.3f}, {s['high']:.3f}]"
        yield f"  {said:<72}{s['nominal']:.3f}  {share} {s['verdict']}{refused}"


def text_of(record):
    """The record as text, one study per line, so that a difference can be read."""
    head = {key: value for key, value in record.items() if key != "panels"}
    rows = []
    for panel in record["panels"]:
        studies = ",\n".join(f"  {json.dumps(study, ensure_ascii=False)}" for study in panel["studies"])
        rest = json.dumps({k: v for k, v in panel.items() if k != "studies"}, ensure_ascii=False)
        rows.append(f'{rest[:-1]}, "studies": [\n{studies}]}}')
    return f'{json.dumps(head)[:-1]}, "panels": [\n' + ",\n".join(rows) + "]}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1.0, help="share of the data sets to simulate")
    parser.add_argument("--only", default="", help="the estimators whose title contains this text")
    parser.add_argument("--write", action="store_true", help="write reports/estimators.json and .svg")
    parser.add_argument("--claims", action="store_true", help="renew the claims that the record names, and no number")
    given = parser.parse_args()
    if given.claims and (given.write or given.only or given.share != 1):
        parser.error("--claims simulates nothing, so it stands alone")
    if given.claims:
        record = json.loads((ROOT / RECORD).read_text(encoding="utf-8"))
        for panel in record["panels"]:
            panel["claims"] = resting_on(panel["estimators"])
        write_all(ROOT, {str(RECORD): text_of(record)})
        return 0
    if given.write and (given.only or given.share != 1):
        parser.error("--write records everything, at full size")
    chosen, made = [panel for panel in panels() if given.only in panel.title], []
    with shown("estimators") as progress:
        for panel in chosen:
            made.append(simulated(panel, given.share))
            print("\n".join(told(made[-1])), flush=True)
            if progress:
                progress(len(made), len(chosen))
    libraries = {name: version(name) for name in ("theorytools", "numpy", "scipy")}
    record = {"schema": SCHEMA, "doubt": DOUBT, "versions": {"python": platform.python_version(), **libraries},
              "panels": made,
              "tree": evidence.tree_of(modules=evidence.imported_by("tools/estimators"))}  # fmt: skip
    if given.write:
        write_all(ROOT, {str(RECORD): text_of(record), str(FIGURE): figure(record)})
    wrong = list(faults(record))
    print("\n".join(wrong) or "no estimator is too narrow under a law that it admits; every spoiled one is")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
