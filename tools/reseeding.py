"""Judge every claim that draws under fifty other seeds, and record under how many of them it comes out as committed.

    python -m tools.reseeding                                     # all claims, 50 salts, reports/reseeding.json
    python -m tools.reseeding --claims stsq.encodings_average_drawn --salts 10
    python -m tools.reseeding --again                             # only claims whose code has changed since the record

A salt gives every draw of a check another seed, as ``theorytools reseed`` does.  A claim comes out as committed under a
salt where its rows do (all hold; of one that is expected to be refuted one is refuted), the check raises nothing, and
every control does its work; of a control that names a smaller share of seeds that share is asked for instead.  A claim
that comes out as committed under fewer than 95 of 100 salts rests on the luck of its seeds, and is not committed.

What is interrupted is kept: the record is written after each claim.  Exit code: 1 where a claim is below.
"""

import argparse
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from fractions import Fraction
from pathlib import Path

from theorytools.claims.papers.catalogue import Catalogue
from theorytools.files import write_json
from tools import ROOT
from tools.evidence import claims_of

SCHEMA = "theorytools.reseeding/1"
RECORD = ROOT / "reports/reseeding.json"
SALTS, BLOCK, LEAST = 50, 5, (95, 100)
FIRST = 3  # of the seeds under which a claim comes out otherwise, so many are named
QUIET = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def entries():
    """The claims of the tree by id, in their order."""
    return {entry.id: entry for entry in Catalogue(ROOT / "checks").entries}


def block(id, salts):
    """Judge a claim under some salts; return its id, what came out, and the seconds it took."""
    from theorytools.claims.judging.reseed import reseeded
    from theorytools.claims.judging.run import one_thread
    from theorytools.claims.papers.loading import load

    start = time.process_time()
    with one_thread():
        found = reseeded(load(entries()[id]), id, salts)
    return id, told(found), time.process_time() - start


def told(found):
    """What is kept of a claim under some salts: what it draws, and by salt what came out otherwise."""
    spared = {name: share for name, share in found.shares.items() if share != 1}
    controls = {name: worked for name, (worked, _) in found.controls.items()}
    return {
        "draws": list(found.roles), "expect": found.expect, "salts": [one.salt for one in found.salts],
        "otherwise": {one.salt: text for one in found.salts if (text := otherwise(found.expect, one, spared))},
        "shares": {name: [controls.get(name, 0), str(share)] for name, share in spared.items()},
    }  # fmt: skip


def otherwise(expect, one, spared):
    """How a claim came out otherwise than committed under one salt; nothing where it did not."""
    for state in ("error", "undecided", "refuted"):
        seen = one.first(state)
        if seen is not None and not (state == "refuted" and expect == "REFUTED") and state.upper() != f"{expect}":
            at = ", ".join(f"{name}={value}" for name, value in seen.at.items())
            return f"{state} at {at}: {seen.text}"[:200]
    if expect == "REFUTED" and one.first("refuted") is None:
        return "no row is refuted"
    idle = [c for c in one.controls if c.outcome not in ("breaks", "holds") and c.name not in spared]
    return f"control {idle[0].name!r} {idle[0].outcome}: {idle[0].detail}"[:200] if idle else ""


def joined(parts):
    """Several blocks of one claim as one."""
    first, *others = parts
    made = {**first, "salts": list(first["salts"]), "otherwise": dict(first["otherwise"])}
    for part in others:
        made["draws"] = sorted({*made["draws"], *part["draws"]})
        made["salts"] += part["salts"]
        made["otherwise"] |= part["otherwise"]
        made["shares"] = {n: [k + part["shares"].get(n, [0])[0], share] for n, (k, share) in made["shares"].items()}
    return made


def counts(made):
    """How many salts came out as committed, of how many; the shares of controls count as one salt each that misses."""
    total = len(made["salts"])
    kept = total - len(made["otherwise"])
    return {**made, "salts": total, "as committed": kept, "otherwise": dict(list(made["otherwise"].items())[:FIRST])}


def below(claims):
    """The ids of claims that come out as committed under too few salts, or a control of which misses its share."""
    few, many = LEAST
    return [
        id for id, one in claims.items() if one["draws"] and (
            one["as committed"] * many < few * one["salts"]
            or any(k < Fraction(share) * one["salts"] for k, share in one["shares"].values()))
    ]  # fmt: skip


def campaign(ids, salts, jobs, report):
    """Judge the claims, one salt first, then those that draw in blocks; ``report`` is called with each that is done."""
    names = [str(k) for k in range(1, salts + 1)]
    rest = [names[k : k + BLOCK] for k in range(1, salts, BLOCK)]
    parts, open_, seconds = {}, {}, dict.fromkeys(ids, 0.0)
    with ProcessPoolExecutor(jobs) as pool:
        waiting = {pool.submit(block, id, names[:1]) for id in ids}
        while waiting:
            for done in as_completed(waiting):
                waiting.discard(done)
                id, made, spent = done.result()
                parts.setdefault(id, []).append(made)
                seconds[id] += spent
                if id not in open_ and made["draws"]:
                    open_[id] = len(rest)
                    waiting |= {pool.submit(block, id, some) for some in rest}
                elif id in open_:
                    open_[id] -= 1
                if not open_.get(id):
                    report(id, counts(joined(parts[id])), seconds[id])
                break


def main(words=None):
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.reseeding", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--claims", nargs="+", help="default: all")
    parser.add_argument("--salts", type=int, default=SALTS, help="default: %(default)s")
    parser.add_argument("--jobs", "-j", type=int, default=os.cpu_count() or 1, help="default: one a processor")
    parser.add_argument("--record", type=Path, help="default: reports/reseeding.json where all claims are judged")
    parser.add_argument("--again", action="store_true", help="leave alone what the record has of today's code")
    given = parser.parse_args(words)
    os.environ.update(QUIET)
    known, path = claims_of(), given.record or RECORD
    if unknown := set(given.claims or ()) - set(known):
        parser.error(f"{', '.join(sorted(unknown))}: no claim of this tree")
    old = json.loads(path.read_text()) if given.again and path.exists() else {"claims": {}}
    stay = {id: one for id, one in old["claims"].items()
            if known.get(id) == old["tree"]["claims"].get(id) and one["salts"] in (0, given.salts)}  # fmt: skip
    ids = [id for id in given.claims or known if id not in stay]
    claims, began, keeps = dict(stay), time.monotonic(), given.record or given.again or not given.claims

    def report(id, made, spent):
        claims[id] = made
        if made["draws"]:
            print(f"{id}: {made['as committed']} of {made['salts']}, {spent:.1f} s", file=sys.stderr, flush=True)
            for salt, text in made["otherwise"].items():
                print(f"  seed {salt}: {text}", file=sys.stderr)
        if keeps:
            write(path, given.salts, {id: claims[id] for id in known if id in claims}, known)

    campaign(ids, given.salts, given.jobs, report)
    few = below(claims)
    drawing = sum(bool(one["draws"]) for one in claims.values())
    print(f"{drawing} of {len(claims)} claims draw; {len(few)} come out as committed under fewer than 95 %", *few)
    print(f"{len(ids)} judged in {time.monotonic() - began:.0f} s by {given.jobs} processes", file=sys.stderr)
    return 1 if few else 0


def write(path, salts, claims, known):
    """Write the record whole, with the digests of the claims' code."""
    tree = {"claims": {id: known[id] for id in claims}}
    write_json(
        path, {"schema": SCHEMA, "salts": salts, "below": below(claims), "claims": claims, "tree": tree}, indent=1
    )


if __name__ == "__main__":
    sys.exit(main())
