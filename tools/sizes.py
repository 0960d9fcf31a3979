"""What `theorytools verify ID --at N=1000000` answers, for every claim with a size letter: a table on standard output.

    python -m tools.sizes [ID ...]

Each claim is judged in a process of its own, with 4 GB and as many seconds of processor time as a user waits.  An
answer is a verdict, the reason why the claim says nothing of that size, or the work that the size would take; what ends
without one is listed by name and wants a line in ``work.toml``.
"""

import argparse
import contextlib
import os
import resource
import signal
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from theorytools import TheoryError
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import load

SIZE, MEMORY, SECONDS = 10**6, 4 << 30, 5
# the main size of a claim is the first of these that it has
LETTERS = [
    "N", "T", "n", "d", "m", "depth", "L", "H", "q", "d_e", "k", "size", "width", "steps", "terms", "symbols", "types",
    "D_e", "K_keys", "K", "cells", "updates", "d_h", "r_x", "r_h", "d_v", "d_x", "Y", "V", "batch", "channels", "D",
    "A", "M", "heads", "others", "N_max",
]  # fmt: skip


def letter_of(claim):
    """The main size of a claim; None for one without."""
    whole = {name for name in claim.grid.axes if all(isinstance(row[name], int) for row in claim.grid)}
    return next((name for name in LETTERS if name in whole), None)


def answer(entry, letter):
    """In a few words what comes of the claim at the size; in a process that the limits end."""
    spent = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (spent + SECONDS + 1, spent + SECONDS + 2))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    try:
        verdict = judge_entry(entry, {letter: SIZE})
    except TheoryError as error:
        return f"error: {error.given}"
    if verdict.outcome.value not in ("UNDECIDED", "INAPPLICABLE"):
        return "verdict"
    reasons = [skipped["reason"] for skipped in verdict.skipped if skipped["open"]]
    if any(reason.startswith("not computed") for reason in reasons):
        return f"raw: {reasons[0]}"
    if any(reason.startswith("the work exceeds") for reason in reasons):
        return "work"
    return "other reason" if reasons else "outside"


def survey(wanted):
    """Print the answer of each claim, and how many there are of each kind."""
    kinds = Counter()
    for entry in Catalogue(find_roots(None)).entries:
        letter = letter_of(load(entry))
        if letter is None or (wanted and entry.id not in wanted):
            continue
        said = "none within the limits"
        with contextlib.suppress(BrokenProcessPool), ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
            said = pool.submit(answer, entry, letter).result()
        kinds[said.partition(":")[0]] += 1
        print(f"{entry.id:50} {letter:6} {said}", flush=True)
    print(dict(kinds))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("ids", nargs="*")
    survey(set(parser.parse_args().ids))
