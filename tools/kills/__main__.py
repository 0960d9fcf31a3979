"""Kill workers, pools and drivers at random moments, start again, and look for what is missing.

    python -m tools.kills --kills 1000 -j 2 --record reports/kills.json
    python -m tools.kills --kills 1000 -j 2 --record reports/kills.json --again   # go on with the record

So many kills meet ``theorytools verify`` over claims of the library, half as many sweeps.  About six processor seconds
for each kill of ``verify``.  The record is written after every block of kills, so that a run that is interrupted loses
one block; with ``--again`` kills of the same code are added to those that it has.
"""

import argparse
import json
import secrets
import sys
from pathlib import Path

from theorytools.files import write_json
from tools import evidence
from tools.kills import sweeps, verify

BLOCK = 50  # kills of verify between two writings of the record


def block(kills, stores, entropy, jobs):
    """Return the record of some kills of ``verify`` and of sweeps."""
    record = sweeps.campaign(stores, entropy)
    record["verify"] = verify.campaign(kills, entropy, jobs=jobs)
    record["tree"] = {**record["verify"].pop("tree"), **evidence.tree_of(modules=evidence.imported_by("tools/kills"))}
    record["holds"] = record["holds"] and record["verify"]["holds"]
    return record


def joined(first, second):
    """Two records as one: what was counted is added, what holds holds in both, the rest is that of the first."""
    if isinstance(first, dict):
        both = {key: joined(first[key], second[key]) for key in first if key in second}
        return {**first, **second, **both}
    if isinstance(first, bool):
        return first and second
    return first + second if isinstance(first, int) else first


def kept(path):
    """The record in a file that is of the code of today, or None."""
    if path is None or not path.exists():
        return None
    record = json.loads(path.read_text(encoding="utf-8"))
    return record if record.get("tree") and evidence.share(record).part == 1 else None


def main():
    """Run a campaign from the command line; exit code 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000, help="of verify, over the library's own claims")
    parser.add_argument("--sweeps", type=int, help="kills of sweeps; half as many if left out")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="runs of verify that are disturbed at once")
    parser.add_argument("--entropy", type=int, help="seed of the victims and waits; fresh if left out")
    parser.add_argument("--record", type=Path, help="where the JSON record goes, after each block")
    parser.add_argument("--again", action="store_true", help="add to the record, where it is of today's code")
    options = parser.parse_args()
    entropy = secrets.randbits(64) if options.entropy is None else options.entropy
    stores = options.kills // 2 if options.sweeps is None else options.sweeps
    record, blocks = kept(options.record) if options.again else None, max(1, -(-options.kills // BLOCK))
    for k in range(blocks):
        shares = (total // blocks + (k < total % blocks) for total in (options.kills, stores))
        made = block(*shares, f"{entropy} {k}", options.jobs)
        record = joined(record, made) if record else made
        if options.record:
            write_json(options.record, record, indent=1)
    print(json.dumps(record, indent=1))
    return 0 if record["holds"] else 1


if __name__ == "__main__":
    sys.exit(main())
