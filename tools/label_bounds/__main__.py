"""Train the twelve networks, bound their labels by every program, and write the record.

    python -m tools.label_bounds --record reports/label_bounds.json

takes about half an hour of one core with auto_LiRPA, one minute without: where the library is not importable its bounds
are left out, and the record says so.  Seeds, steps and rates stand in ``networks.py``, were fixed after runs on another
seed (100), and nothing is run twice.  ``--keep-rivals`` takes what the library said from the record that is there,
where the weights are the same; ``--only 0,4`` makes some of the twelve rows anew; ``--show`` prints the table of a
record.
"""

import argparse
import hashlib
import json
import sys
import time
from pathlib import Path

import numpy as np
import torch

from theorytools.errors import TheoryError
from theorytools.files import json_text, write_all
from theorytools.progress import shown
from theorytools.trained.certify import certify
from theorytools.trained.worst.prompts import Prompts
from theorytools.training.trials.provenance import provenance
from tools import evidence
from tools.label_bounds import lirpa
from tools.label_bounds.intervals import label_error
from tools.label_bounds.networks import DECAY, RATE, STEPS, TASKS, U, blocks, d, encoded, trained
from tools.label_bounds.table import HEADS, cells, line, markdown

SCHEMA = "theorytools.label_bounds/1"
CLASSES, DRAWN = ("signs", "box"), 4096
RULE = (
    f"Tokens of width {d}, one index, random sign codes of length floor(5 log N), AdamW at rate {RATE} with decay "
    f"{DECAY} on fresh batches of 64 prompts, {STEPS} steps; mild: learns on Gaussian tokens, sharp: on signs. Bounds "
    f"of the error of a label over all prompts with tokens in {{-1, 1}}^d, or in [-1, 1]^d, and any indices; seen is "
    f"the largest error of the module itself on the prompt that our certificate found and on {DRAWN} random prompts. "
    f"CPU seconds of one thread, of the whole call: reading the module or making the graph, and bounding it. "
    f"auto_LiRPA has {lirpa.STEPS} steps of descent, within a limit of seconds; its bounds are over the box."
)


def digest(module):
    """The SHA-256 of the weights, as little-endian float32 in the order of their names."""
    found = hashlib.sha256()
    for name, tensor in sorted(module.state_dict().items()):
        found.update(name.encode() + tensor.contiguous().numpy().astype("<f4").tobytes())
    return found.hexdigest()


def ours(module, codes, tokens):
    """Our bound, for the real numbers of the weights and for the module's floats, or why there is none."""
    start = time.process_time()
    try:
        made = certify(module, direction=U, codes=codes, tokens=tokens).labels
    except TheoryError as error:
        given = str(error).partition("\n")[0].removeprefix("given:").strip()
        return {"bound": None, "why": given, "seconds": round(time.process_time() - start, 2)}, 0.0
    seconds, floats = time.process_time() - start, made.error if np.isfinite(made.error) else None
    return {"bound": made.real, "floats": floats, "exact": made.exact, "seconds": round(seconds, 2)}, made.found


def drawn_error(module, codes, prompts):
    """The largest error of the module on random prompts."""
    X, T = prompts.draw(DRAWN, np.random.default_rng(0))
    with torch.no_grad():
        given = module(torch.tensor(encoded(codes, X, T[..., 0]), dtype=torch.float32)).double().numpy()
    return float(np.abs(given - np.take_along_axis(X @ np.array(U), T[..., 0], 1)).max())


def plain(module, codes):
    """Interval arithmetic over the traced blocks, and its seconds with the tracing."""
    start = time.process_time()
    error = label_error(blocks(module, codes), Prompts(len(codes), d, 1, "box"), np.array(U))
    return {"error": error, "seconds": round(time.process_time() - start, 2)}


def row(task, rival, old=None, limit=lirpa.LIMIT):
    """One of the twelve: our bounds and what was seen for both classes, and what others say of the box."""
    module, codes, loss = trained(task)
    made = {"name": task.name, "module": task.module, "N": task.N, "learns": task.learns, "seed": task.seed,
            "loss": loss, "digest": digest(module)}  # fmt: skip
    for tokens in CLASSES:
        bound, found = ours(module, codes, tokens)
        drawn = drawn_error(module, codes, Prompts(task.N, d, 1, tokens))
        made[tokens] = bound | {"found": found, "drawn": drawn, "seen": max(found, drawn)}
    made["box"]["seen"] = max(made[tokens]["seen"] for tokens in CLASSES)  # signs are in the box
    made["intervals"] = plain(module, codes)
    if old is not None and old["digest"] == made["digest"] and "auto_LiRPA" in old:
        return made | {"auto_LiRPA": old["auto_LiRPA"]}
    return made | ({"auto_LiRPA": lirpa.settings(module, codes, limit)} if rival else {})


def about(rows, rival, old):
    """Which revision of the library the bounds are of, as far as there are any."""
    if rival:
        return {"version": rival, "revision": lirpa.REVISION}
    kept = old and any("auto_LiRPA" in one for one in rows)
    return old["auto_LiRPA"] if kept else "not installed: its bounds are left out"


def recorded(rows, rival, old, seconds):
    """The record of the rows that were made, and of those that are there."""
    made = {one["name"]: one for one in (*(old["rows"] if old else ()), *rows)}
    ordered = [made[task.name] for task in TASKS if task.name in made]
    tree = evidence.tree_of(modules=evidence.imported_by("tools/label_bounds"))
    return {
        "schema": SCHEMA, "rule": RULE, "auto_LiRPA": about(ordered, rival, old), "cpu_seconds": round(seconds),
        "rows": ordered, "provenance": provenance(),
        "tree": evidence.common([tree, *([old.get("tree", {})] if old and len(rows) < len(ordered) else [])]),
    }  # fmt: skip


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="python -m tools.label_bounds", description="Bounds of labels, compared.")
    parser.add_argument("--record", type=Path, help="the file to write, such as reports/label_bounds.json")
    parser.add_argument("--only", help="numbers of the twelve, from 0, with commas; a record keeps its other rows")
    parser.add_argument("--keep-rivals", action="store_true", help="bounds of auto_LiRPA stay as the record has them")
    parser.add_argument("--limit", type=float, default=lirpa.LIMIT, help="seconds of each descent of auto_LiRPA")
    parser.add_argument("--show", type=Path, help="print the table of a record")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = options_of(arguments)
    if options.show:
        print(markdown(json.loads(options.show.read_text(encoding="utf-8"))))
        return 0
    torch.set_num_threads(1)
    chosen, rival = [TASKS[int(k)] for k in options.only.split(",")] if options.only else TASKS, lirpa.installed()
    ours(trained(TASKS[4])[0], TASKS[4].codes(), "signs")  # the first export of a process loads torch's compiler
    old = None
    if options.record and (options.only or options.keep_rivals):
        old = json.loads(options.record.read_text(encoding="utf-8"))
    before = {one["name"]: one for one in old["rows"]} if options.keep_rivals else {}
    start, rows = time.process_time(), []
    print(line(HEADS))
    with shown("networks") as progress:
        for done, task in enumerate(chosen, 1):
            rows.append(row(task, rival, before.get(task.name), options.limit))
            print(line(cells(rows[-1])), flush=True)
            if progress is not None:
                progress(done, len(chosen))
            if options.record:  # as rows are made: a run that is stopped goes on with --only
                record = recorded(rows, rival, old, time.process_time() - start)
                write_all(options.record.parent, {options.record.name: json_text(record, indent=1) + "\n"})
    return 0


if __name__ == "__main__":
    sys.exit(main())
